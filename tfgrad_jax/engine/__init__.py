"""The engine: values, the one path of every operation, tapes, variables. It names no operation."""
