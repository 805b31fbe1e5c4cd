"""Gradients explained: why one is None, what a tape recorded, where NaN comes from."""
