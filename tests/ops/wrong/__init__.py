"""Calls with wrong arguments, of the operations; what TensorFlow 2.21 does with each stands in `recorded.json`."""
