"""Real Keras 3 as `tf.keras`: how it is found."""
