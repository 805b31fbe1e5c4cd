"""What belongs to one thread, and what threads share."""
