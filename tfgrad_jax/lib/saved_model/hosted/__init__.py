"""What only the host can run, as nodes of TensorFlow's: importing this package loads all rules."""

from tfgrad_jax.lib.saved_model.hosted import (
    arrays,
    assertions,
    examples,
    images,
    lists,
    places,
    python,
    randoms,
    sizes,
    strings,
    tables,
)
from tfgrad_jax.lib.saved_model.hosted.pen import Pen, Source, hosted

__all__ = [
    "Pen",
    "Source",
    "arrays",
    "assertions",
    "examples",
    "hosted",
    "images",
    "lists",
    "places",
    "python",
    "randoms",
    "sizes",
    "strings",
    "tables",
]
