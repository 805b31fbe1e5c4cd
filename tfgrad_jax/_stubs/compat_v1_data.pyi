"""Made by docs/stubs.py: run it again where a test says that this is old."""

from typing import Any as _Any
from tfgrad_jax.lib.v1.data import Iterator as Iterator
def get_output_classes(dataset_or_iterator: _Any) -> _Any:
    """The classes of elements. Mirrors `tf.compat.v1.data.get_output_classes`."""
def get_output_shapes(dataset_or_iterator: _Any) -> _Any:
    """The shapes of elements. Mirrors `tf.compat.v1.data.get_output_shapes`."""
def get_output_types(dataset_or_iterator: _Any) -> _Any:
    """The dtypes of elements. Mirrors `tf.compat.v1.data.get_output_types`."""
def make_initializable_iterator(dataset: _Any, shared_name: _Any = None) -> _Any:
    """An iterator that begins whenever its initializer runs. Mirrors `tf.compat.v1.data.make_initializable_iterator`."""
def make_one_shot_iterator(dataset: _Any) -> _Any:
    """An iterator of a dataset, with `get_next`. Mirrors `tf.compat.v1.data.make_one_shot_iterator`."""
