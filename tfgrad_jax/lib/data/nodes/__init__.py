"""What a dataset is made of: a class for each kind of source and transformation."""
