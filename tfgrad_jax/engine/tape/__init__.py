"""Automatic differentiation: tapes, the backward pass, forward mode, gradients that users write."""
