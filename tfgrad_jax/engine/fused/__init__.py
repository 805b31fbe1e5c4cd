"""Fused mode: operations noted in a trace, which runs as one program; and how to choose a mode."""
