"""Functions of JAX values, and what JAX derives from them: compiled forms, types, gradients."""
