"""The one path that every operation takes, whatever the mode."""
