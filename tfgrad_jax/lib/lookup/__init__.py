"""`tf.lookup`: tables from keys to values."""
