"""`tf.raw_ops`: operations by their raw names, made of what nodes of SavedModels do."""
