"""Branches, loops and functional operations."""
