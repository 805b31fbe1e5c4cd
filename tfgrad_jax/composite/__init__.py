"""Values made of tensors: above ops, below lib."""
