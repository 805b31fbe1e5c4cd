"""Files, and bytes that stand for values."""
