"""`tf.function`: traces, their arguments, AutoGraph."""
