"""The operations: declarations only, one family a file."""
