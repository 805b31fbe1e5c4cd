"""TensorFlow's random streams."""
