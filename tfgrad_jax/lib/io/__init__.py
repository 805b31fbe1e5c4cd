"""Files as Python uses them: `tf.io.gfile`, records."""
