"""What TensorFlow does not have."""

__version__ = "0.1.0"
"""This package's own version; `tf.__version__` is the API level that it mirrors."""
