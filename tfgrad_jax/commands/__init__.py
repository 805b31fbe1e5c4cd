"""What `python -m tfgrad_jax` does, a module a command; each is imported when it is asked for."""
