"""The state of one thread, and the locks of state that threads share."""
