"""How datasets come about: `tf.data.Dataset`'s static methods."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np

from tfgrad_jax.engine.messages.errors import invalid_argument
from tfgrad_jax.engine.values import dtypes
from tfgrad_jax.engine.values.convert import convert
from tfgrad_jax.engine.values.dtypes import DType, as_dtype
from tfgrad_jax.engine.values.specs import TensorSpec, TypeSpec
from tfgrad_jax.engine.values.tensor import Tensor
from tfgrad_jax.lib.data.arguments import flag
from tfgrad_jax.lib.data.base import BaseDataset
from tfgrad_jax.lib.data.leaves import unbatched
from tfgrad_jax.lib.data.nodes.sources import Counter, Generated, RandomNumbers, Range, Slices, Tensors
from tfgrad_jax.lib.data.random_numbers import SeedSource, seeds_for
from tfgrad_jax.lib.data.structure import Structure, arrays_of, leaves, mapped, structure_of, taken_apart
from tfgrad_jax.ops.host.host_calls import as_op_error
from tfgrad_jax.ops.io.file_systems import matching


class Creation(BaseDataset):
    """Datasets of memory, of numbers, of Python code."""

    @staticmethod
    def from_tensors(tensors: Any, name: str | None = None) -> Any:
        """A dataset of one element, `tensors`. Mirrors `tf.data.Dataset.from_tensors`."""
        spec, parts = taken_apart(tensors)
        structure = Structure(spec)
        return BaseDataset.made(structure, lambda *arrays: Tensors(structure, _frozen(arrays)), *parts)

    @staticmethod
    def from_tensor_slices(tensors: Any, name: str | None = None) -> Any:
        """A dataset of the rows of `tensors`. Mirrors `tf.data.Dataset.from_tensor_slices`.

        Args:
          tensors: a nest of tensors with one first dimension, or lists of datasets.
          name: accepted for compatibility.

        Raises:
          ValueError: if there is no tensor, or one is a scalar, or their first dimensions differ.
        """
        spec, parts = taken_apart(mapped(_side_by_side, tensors))
        if not parts:
            raise ValueError("Invalid `element`. `element` should not be empty.")
        structure, whole = Structure(unbatched(spec, "tf.data.Dataset.from_tensor_slices")), Structure(spec)
        sizes = {leaf.shape[0] for leaf in leaves(spec) if isinstance(leaf, TensorSpec) and leaf.shape.rank} - {None}
        if len(sizes) > 1:
            raise ValueError(
                f"tf.data.Dataset.from_tensor_slices: Dimensions {' and '.join(map(str, sorted(sizes)))} are not compatible: all "
                f"components need one first dimension, got shapes {[t.shape.as_list() for t in parts]}"
            )
        return BaseDataset.made(structure, lambda *arrays: Slices(structure, whole, _frozen(arrays)), *parts)

    @staticmethod
    def from_generator(
        generator: Callable[..., Any],
        output_types: Any = None,
        output_shapes: Any = None,
        args: Any = None,
        output_signature: Any = None,
        name: str | None = None,
    ) -> Any:
        """A dataset of what a Python iterable gives. Mirrors `tf.data.Dataset.from_generator`.

        Args:
          generator: called for each iteration; returns something to iterate over.
          output_types, output_shapes: dtypes and shapes of an element; or
          output_signature: a nest of `tf.TypeSpec`s.
          args: tensors that `generator` is called with, as NumPy arrays.
          name: accepted for compatibility.

        Raises:
          TypeError: if the arguments do not fit together.
          InvalidArgumentError: while iterating: an element has another structure or shape, or cannot have the dtype.
        """
        if not callable(generator):
            raise TypeError("`generator` must be a Python callable.")
        if output_signature is not None:
            if output_types is not None:
                raise TypeError(
                    "The `output_types` argument can not be used together with the `output_signature` argument."
                )
            if output_shapes is not None:
                raise TypeError(
                    "The `output_shapes` argument can not be used together with the `output_signature` argument."
                )
            for spec in leaves(output_signature):
                if not isinstance(spec, TypeSpec):
                    raise TypeError(
                        f"`output_signature` must contain objects that are subclass of `tf.TypeSpec` but found {type(spec)} "
                        f"which is not."
                    )
            structure = Structure(output_signature)
        else:
            if output_types is None:
                raise TypeError(
                    "Either the `output_signature` argument or both the `output_types` and `output_shapes` arguments must be set "
                    "to specify the types and shapes of the elements."
                )
            structure = Structure(structure_of(output_types, output_shapes))
        given = () if args is None else tuple([convert(a) for a in args])
        take = _taker(structure)

        def node(*arrays: Any) -> Generated:
            def start() -> Iterator[Any]:
                made = generator(*[a[()] if a.ndim == 0 else a for a in arrays])
                try:
                    return iter(made)
                except TypeError as error:
                    raise TypeError(f"`generator` yielded nothing to iterate over: {error}") from error

            return Generated(structure, start, take, as_op_error)

        return BaseDataset.made(structure, node, *given)

    @staticmethod
    def range(*args: Any, **kwargs: Any) -> Any:
        """A dataset of numbers, with arguments as for Python's `range`. Mirrors `tf.data.Dataset.range`.

        Args:
          *args: `stop`; `start, stop`; or `start, stop, step`.
          **kwargs: `output_type`, an integer or floating dtype (int64), and `name`; any others are ignored, as in TensorFlow.

        Raises:
          ValueError: if there are no arguments, or too many.
          TypeError, InvalidArgumentError: if one is no whole number, or `output_type` no dtype of numbers.
        """
        dtype = as_dtype(kwargs.pop("output_type", dtypes.int64))
        if not 1 <= len(args) <= 3:
            raise ValueError(f"Invalid `args`. The length of `args` should be between 1 and 3 but was {len(args)}.")
        start, stop, step = (0, *args, 1) if len(args) == 1 else (*args, 1) if len(args) == 2 else args
        if not (dtype.is_integer or dtype.is_floating):
            raise invalid_argument(f"Unsupported data type: {dtype.name}", "RangeDataset")
        structure = Structure(TensorSpec([], dtype))
        ends = [convert(v) if isinstance(v, Tensor) else convert(v, dtypes.int64) for v in (start, stop, step)]
        if any(end.shape.rank for end in ends):
            raise invalid_argument(f"start, stop and step must be scalars, got {ends}", "RangeDataset")
        return BaseDataset.made(structure, lambda a, b, c: Range(structure, int(a), int(b), int(c)), *ends)

    @staticmethod
    def random(seed: int | None = None, rerandomize_each_iteration: bool | None = None, name: str | None = None) -> Any:
        """A dataset of random integers below 2**32, without end. Mirrors `tf.data.Dataset.random`.

        Args:
          seed: the seed.
          rerandomize_each_iteration: whether each iteration gives others.
          name: accepted for compatibility.
        """
        structure = Structure(TensorSpec([], dtypes.int64))
        pair, again = seeds_for(seed), flag(rerandomize_each_iteration, "random: rerandomize_each_iteration", False)
        return BaseDataset.made(structure, lambda: RandomNumbers(structure, SeedSource(pair), again), anew=True)

    @staticmethod
    def list_files(
        file_pattern: Any, shuffle: bool | None = None, seed: int | None = None, name: str | None = None
    ) -> Any:
        """A dataset of the names of the files that match. Mirrors `tf.data.Dataset.list_files`.

        Args:
          file_pattern: a pattern, or several.
          shuffle: whether the names come in random order, another one each time; True if not given.
          seed: of that order.
          name: accepted for compatibility.

        Raises:
          InvalidArgumentError: if no file matches.
        """
        patterns = np.asarray(convert(file_pattern, dtypes.string).array).reshape(-1)
        names = sorted({n.encode() for p in patterns for n in matching(p.decode())})
        if not names:
            shown = ", ".join(p.decode() for p in patterns)
            raise invalid_argument(
                f"Expected 'tf.Tensor(False, shape=(), dtype=bool)' to be true. Summarized data: "
                f"b'No files matched pattern: {shown}'"
            )
        structure = Structure(TensorSpec([], dtypes.string))
        found = BaseDataset.of(Slices(structure, _NAMES, (np.array(names, object),)))
        return found.shuffle(max(len(names), 1), seed) if shuffle is None or shuffle else found

    @staticmethod
    def counter(start: Any = 0, step: Any = 1, dtype: Any = dtypes.int64, name: str | None = None) -> Any:
        """A dataset of `start`, `start + step`, and so on without end, in any dtype. Mirrors `tf.data.Dataset.counter`."""
        kind = as_dtype(dtype)
        structure = Structure(TensorSpec([], kind))
        return BaseDataset.made(structure, partial(Counter, structure), convert(start, kind), convert(step, kind))


_NAMES = Structure(TensorSpec([None], dtypes.string))


def _frozen(arrays: tuple[Any, ...]) -> tuple[Any, ...]:
    """Arrays to hand out parts of: nobody may write to them."""
    found = []
    for array in arrays:
        if array.flags.writeable:
            array = array.copy() if array.base is not None or not array.flags.owndata else array.view()
            array.setflags(write=False)
        found.append(array)
    return tuple(found)


def _taker(structure: Structure) -> Callable[[Any], tuple[Any, ...]]:
    def take(value: Any) -> tuple[Any, ...]:
        arrays: list[Any] = []
        _take(structure.spec, value, value, structure.spec, arrays)
        return tuple(arrays)

    return take


def _take(spec: Any, value: Any, whole: Any, expected: Any, arrays: list[Any]) -> None:
    if isinstance(spec, TensorSpec):
        arrays.append(_tensor(spec, value))
        return
    if isinstance(spec, dict):
        if not isinstance(value, dict) or sorted(value) != sorted(spec):
            raise _other_structure(expected, whole)
        for key in sorted(spec):
            _take(spec[key], value[key], whole, expected, arrays)
        return
    if isinstance(spec, tuple):
        if not isinstance(value, tuple) or len(value) != len(spec):  # a list stands for a tensor
            raise _other_structure(expected, whole)
        for part, item in zip(spec, value, strict=True):
            _take(part, item, whole, expected, arrays)
        return
    found, tensors = taken_apart(value)
    if not spec.is_compatible_with(found):
        raise _other_structure(expected, whole)
    arrays.extend(arrays_of(tensors))


def _side_by_side(leaf: Any) -> Any:
    """A list of datasets as one value; anything else as it is."""
    of_datasets = isinstance(leaf, list) and leaf and all(isinstance(one, BaseDataset) for one in leaf)
    return BaseDataset.side_by_side(leaf) if of_datasets else leaf


def _other_structure(expected: Any, value: Any) -> Exception:
    return _unfit(
        f"TypeError: `generator` yielded an element that did not match the expected structure. The expected structure was "
        f"{expected}, but the yielded element was {value}."
    )


def _unfit(message: str) -> Exception:
    return invalid_argument(message, "PyFunc")


def _tensor(spec: TensorSpec, value: Any) -> np.ndarray:
    dtype = spec.dtype
    try:
        array = None
        if type(value) is np.ndarray and value.dtype == dtype.np and dtype is not dtypes.string:
            array = value.copy()  # the generator may go on with it
        elif spec.shape.rank is not None and not isinstance(value, Tensor) and dtype is not dtypes.string:
            array = _exactly(value, dtype)
        if array is None:
            array = np.asarray(convert(value, dtype).array)
    except (TypeError, ValueError) as error:
        raise _unfit(
            f"TypeError: `generator` yielded an element that could not be converted to the expected type. The expected type was "
            f"{dtype.name}, but the yielded element was {value}."
        ) from error
    if not spec.shape.is_compatible_with(array.shape):
        raise _unfit(
            f"TypeError: `generator` yielded an element of shape {array.shape} where an element of shape {spec.shape} was expected."
        )
    return array


def _exactly(value: Any, dtype: DType) -> np.ndarray | None:
    """A number, or several, in a dtype that another one was meant for; None if a number has no such form.

    TensorFlow leaves it to NumPy where the rank is known, which makes 1 of 1.0, and of 1.5 as well: that is refused here.
    """
    found = np.asarray(value)
    if found.dtype.kind not in "biuf" or dtype.np.kind not in "biuf":
        return None
    with np.errstate(all="ignore"):
        made = found.astype(dtype.np)
    return made if dtype.np.kind == "f" or np.array_equal(made, found) else None
