"""Making, indexing and rearranging arrays."""
