"""Calls with wrong arguments, of all that input pipelines are made of; what TensorFlow 2.21 raises stands in `calls.json`."""
