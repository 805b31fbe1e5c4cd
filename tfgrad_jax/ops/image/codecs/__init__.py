"""Files of images: bytes to pixels and back."""
