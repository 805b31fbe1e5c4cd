"""Boxes whose value changes: variables and random states."""
