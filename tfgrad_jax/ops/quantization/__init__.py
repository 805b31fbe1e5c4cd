"""`tf.quantization`: numbers as few bits have them."""
