"""Operators and methods of tensors and variables."""
