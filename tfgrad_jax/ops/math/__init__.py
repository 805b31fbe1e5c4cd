"""Elementwise arithmetic and reductions."""
