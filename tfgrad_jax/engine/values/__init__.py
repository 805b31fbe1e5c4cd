"""Tensors and what is known of them: dtypes, shapes, specs, nests, conversion, printed forms."""
