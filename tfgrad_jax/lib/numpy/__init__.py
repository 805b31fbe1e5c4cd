"""`tf.experimental.numpy`: NumPy's functions on tensors, made of the operations that there are."""
