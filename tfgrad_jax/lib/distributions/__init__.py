"""`tf.compat.v1.distributions`: a class a distribution, over one base that knows what follows from what."""
