"""`tf.compat.v1` where it is more than a function of today with other arguments; a module is loaded with the first of its names."""
