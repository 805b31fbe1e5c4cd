"""Branches and loops inside graphs."""
