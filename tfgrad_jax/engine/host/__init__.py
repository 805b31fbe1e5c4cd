"""Kernels on the host: their jaxprs interpreted over NumPy, with no compiler."""
