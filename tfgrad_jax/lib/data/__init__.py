"""`tf.data`: datasets as trees of nodes, iterated in Python over NumPy arrays."""
