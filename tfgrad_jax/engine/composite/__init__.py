"""Values that consist of tensors."""
