"""Real Keras 3 as `tf.keras`: how it is found, and what its TensorFlow backend imports besides the public names."""
