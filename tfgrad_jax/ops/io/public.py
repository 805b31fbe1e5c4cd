"""What of files and bytes is public, loaded as a whole when the first name is asked for."""

from tfgrad_jax.ops.io import csv, decoding, files, json_example, protos, v1  # noqa: F401
