"""Datasets of what other libraries iterate over."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import numpy as np

from tfgrad_jax.engine.values.convert import convert
from tfgrad_jax.engine.values.specs import TensorSpec
from tfgrad_jax.engine.values.tensor import Tensor
from tfgrad_jax.lib.data.dataset import DatasetV2, assert_cardinality


def dataset(iterable: Iterable[Any], output_signature: Any = None) -> Any:
    """A `tf.data.Dataset` of anything that can be iterated over more than once.

    A PyTorch `DataLoader`, a `grain` dataset or loader, a Hugging Face dataset, a list, an object of one's own with `__iter__`:
    each iteration of the dataset iterates over it anew.

    Args:
      iterable: gives elements: arrays, tensors of any library that NumPy can read, numbers, strings, and dicts, tuples and lists of
        such. Lists of numbers or strings are arrays; other lists are tuples.
      output_signature: a nest of `tf.TypeSpec`s. Without one, the first element tells dtypes and sizes; the first size of an
        array is left open, as batches differ.

    Returns:
      A `tf.data.Dataset`; its cardinality is the length of `iterable`, if that has one.

    Raises:
      TypeError: if `iterable` cannot be iterated over, or is an iterator, which can be only once.
      ValueError: if it is empty and there is no signature.
      InvalidArgumentError: while iterating: an element has another structure, dtype or shape than the first; give a signature.
    """
    if isinstance(iterable, Iterator):
        raise TypeError(
            f"extras.dataset: {type(iterable).__name__} is an iterator, which gives its elements once; a dataset is iterated over "
            f"again and again. Give what makes the iterator, or use tf.data.Dataset.from_generator"
        )
    if output_signature is None:
        for first in iterable:
            output_signature = _described(_readable(first))
            break
        else:
            raise ValueError(
                "extras.dataset: there is no first element to tell dtypes and shapes; give output_signature"
            )

    def elements() -> Iterator[Any]:
        return map(_readable, iterable)

    made = DatasetV2.from_generator(elements, output_signature=output_signature)
    try:
        count = len(iterable)  # type: ignore[arg-type]
    except TypeError:  # it has no length, or does not know it
        return made
    return made.apply(assert_cardinality(count))


def _readable(element: Any) -> Any:
    """An element as nests of tensors and NumPy arrays."""
    if isinstance(element, Mapping):
        return {key: _readable(value) for key, value in element.items()}
    if isinstance(element, tuple) and hasattr(element, "_fields"):
        return type(element)(*map(_readable, element))
    if isinstance(element, tuple) or (isinstance(element, list) and not _is_array(element)):
        return tuple(map(_readable, element))
    if isinstance(element, (Tensor, np.ndarray, str, bytes)) or element is None:
        return element
    if hasattr(element, "detach"):  # PyTorch's, which NumPy cannot read while they take part in a gradient
        element = element.detach()
    return np.asarray(convert(element) if isinstance(element, (bool, int, float, complex, list)) else element)


def _is_array(element: list[Any]) -> bool:
    """Whether a list is one array: of numbers or of strings, or of such lists."""
    return all(isinstance(part, (bool, int, float, complex, str, bytes, np.generic)) for part in element) or all(
        isinstance(part, list) and _is_array(part) and len(part) == len(element[0]) for part in element
    )


def _described(element: Any) -> Any:
    """The signature that an element tells."""
    if isinstance(element, dict):
        return {key: _described(value) for key, value in element.items()}
    if isinstance(element, tuple):
        parts = [_described(part) for part in element]
        return type(element)(*parts) if hasattr(element, "_fields") else tuple(parts)
    tensor = convert(element)
    return TensorSpec([None, *tensor.shape[1:]] if tensor.shape.rank else [], tensor.dtype)
