"""Transformations that make datasets of elements, or take several datasets: methods of `tf.data.Dataset`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from tfgrad_jax.engine.messages.errors import invalid_argument
from tfgrad_jax.engine.values import dtypes
from tfgrad_jax.engine.values.convert import convert
from tfgrad_jax.engine.values.shapes import TensorShape
from tfgrad_jax.engine.values.specs import TensorSpec
from tfgrad_jax.engine.values.tensor import Tensor
from tfgrad_jax.lib.data.arguments import condition, flag, whole
from tfgrad_jax.lib.data.base import BaseDataset, DatasetSpec
from tfgrad_jax.lib.data.functions import Mapped
from tfgrad_jax.lib.data.nodes import counting, grouping, ordering
from tfgrad_jax.lib.data.nodes.node import Node, parallel
from tfgrad_jax.lib.data.nodes.sources import RandomNumbers
from tfgrad_jax.lib.data.options import AUTOTUNE
from tfgrad_jax.lib.data.padding import shape_to_pad
from tfgrad_jax.lib.data.random_numbers import SeedSource, logarithms, seeds_for
from tfgrad_jax.lib.data.structure import Structure, is_structure, leaves, mapped, relaxed
from tfgrad_jax.ops.array.gather import gather, where
from tfgrad_jax.ops.host.debugging import assert_less
from tfgrad_jax.ops.math.cast import cast
from tfgrad_jax.ops.math.reduce import reduce_min, reduce_sum
from tfgrad_jax.ops.random.philox import categories

_SCALAR = Structure(TensorSpec([], dtypes.int64))


def datasets_of(function: Callable[..., Any], structure: Structure, name: str) -> tuple[Mapped, Structure]:
    """A recorded function that gives a dataset, and the structure of that.

    Raises:
      TypeError: if it gives something else.
    """
    found = Mapped(function, structure, name)
    spec = found.structure.spec
    if not isinstance(spec, DatasetSpec):
        raise TypeError(f"The `{name}` function must return a `Dataset` object. Got {spec!r}.")
    return found, Structure(spec.element_spec)


class Combining(BaseDataset):
    """Datasets of datasets, and of several."""

    @staticmethod
    def zip(*args: Any, datasets: Any = None, name: str | None = None) -> Any:
        """A nest of datasets as a dataset of nests. Mirrors `tf.data.Dataset.zip`.

        Raises:
          TypeError: if there is no dataset.
        """
        if not args and datasets is None:
            raise TypeError("Must pass at least one dataset to `zip`.")
        if args and datasets is not None:
            raise TypeError("Both `*args` and `datasets` cannot be set.")
        nested = datasets if not args else args[0] if len(args) == 1 else args
        found = leaves(nested)
        expected = "Invalid input to `zip`. Inputs are expected to be (nested) structures of `tf.data.Dataset` objects"
        for dataset in found:
            if isinstance(dataset, list):
                raise TypeError(f"{expected}. Python `list` is not supported and you should use `tuple` instead.")
            if not isinstance(dataset, BaseDataset):
                raise TypeError(f"{expected} but encountered object of type {type(dataset)}.")
        structure = Structure(mapped(lambda d: d.element_spec, nested))
        return BaseDataset.made(structure, lambda *nodes: counting.Zip(nodes, structure), *found)

    def flat_map(self, map_func: Callable[..., Any], name: str | None = None) -> Any:
        """The elements of a dataset made of each element. Mirrors `tf.data.Dataset.flat_map`.

        Raises:
          TypeError: if `map_func` gives no dataset.
        """
        function, structure = datasets_of(map_func, self.structure, "flat_map")
        return self.made(structure, lambda node, f: ordering.FlatMap(node, f, structure), self, function)

    def interleave(
        self,
        map_func: Callable[..., Any],
        cycle_length: Any = None,
        block_length: Any = None,
        num_parallel_calls: Any = None,
        deterministic: bool | None = None,
        name: str | None = None,
    ) -> Any:
        """The elements of several datasets at a time, each made of an element. Mirrors `tf.data.Dataset.interleave`.

        Args:
          map_func: gives a dataset.
          cycle_length: how many are open at a time; as many as the process has cores if not given or `tf.data.AUTOTUNE`, with
            `num_parallel_calls` at most that many, or half the cores where that is automatic, too.
          block_length: how many elements of one follow each other; 1 if not given.
          num_parallel_calls: how many are asked at a time.
          deterministic: the order is the same in any case.
          name: accepted for compatibility.

        Raises:
          TypeError: if `map_func` gives no dataset.
          InvalidArgumentError: if a length is not positive, or `num_parallel_calls` larger than `cycle_length`.
        """
        function, structure = datasets_of(map_func, self.structure, "interleave")
        automatic = convert(-1, dtypes.int64)
        chosen = automatic if num_parallel_calls is None else whole(num_parallel_calls, "interleave")

        def node(source: Any, f: Mapped, cycle: Any, block: Any, calls: Any) -> Node:
            length, most = int(cycle), None if num_parallel_calls is None else int(calls)
            if most is not None and most < 1 and most != AUTOTUNE:
                raise invalid_argument(f"num_parallel_calls must be greater than zero, got {most}", _PARALLEL)
            length = ordering.cycle_length(most) if length == AUTOTUNE else length
            if most is not None and most > length:
                raise invalid_argument(
                    f"`num_parallel_calls` must be less than or equal to `cycle_length`, got {most} > {length}",
                    _PARALLEL,
                )
            return parallel(ordering.Interleave(source, f, structure, length, int(block)), num_parallel_calls)

        return self.made(
            structure,
            node,
            self,
            function,
            automatic if cycle_length is None else whole(cycle_length, "interleave"),
            whole(1 if block_length is None else block_length, "interleave"),
            chosen,
        )

    def window(
        self, size: Any, shift: Any = None, stride: Any = 1, drop_remainder: bool = False, name: str | None = None
    ) -> Any:
        """Datasets of neighbouring elements, a nest of them for each window. Mirrors `tf.data.Dataset.window`.

        Args:
          size: how many elements in a window.
          shift: how far apart windows begin; `size` if not given.
          stride: how far apart the elements of a window are.
          drop_remainder: whether last windows that are smaller are left out.
          name: accepted for compatibility.
        """
        structure = Structure(mapped(DatasetSpec, self.element_spec))
        drop = condition(drop_remainder, "window: drop_remainder")
        return self.made(
            structure,
            lambda node, n, m, k: grouping.Window(node, structure, int(n), int(m), int(k), drop),
            self,
            *[whole(n, "window") for n in (size, size if shift is None else shift, stride)],
        )

    def group_by_window(
        self,
        key_func: Callable[..., Any],
        reduce_func: Callable[..., Any],
        window_size: Any = None,
        window_size_func: Callable[..., Any] | None = None,
        name: str | None = None,
    ) -> Any:
        """Elements by key, reduced as soon as there are enough with one key. Mirrors `tf.data.Dataset.group_by_window`.

        Args:
          key_func: gives an int64 for an element.
          reduce_func: takes a key and a dataset of elements, gives a dataset.
          window_size: how many elements are enough; or
          window_size_func: gives that for a key.
          name: accepted for compatibility.

        Raises:
          ValueError: if not exactly one of the two is given, or a function gives something else.
        """
        if (window_size is None) == (window_size_func is None):
            raise ValueError("Either the `window_size` or the `window_size_func` argument must be specified, not both.")
        if window_size is not None:
            enough = convert(window_size, dtypes.int64)
            window_size_func = lambda key: enough  # noqa: E731
        assert window_size_func is not None
        key = Mapped(key_func, self.structure, "group_by_window_key", dtypes.int64)
        spec = key.structure.spec
        if not (isinstance(spec, TensorSpec) and spec.dtype is dtypes.int64 and spec.shape.is_compatible_with([])):
            raise ValueError(
                f"Invalid `key_func`. `key_func` must return a single `tf.int64` scalar tensor but its return type is {spec}."
            )
        size = Mapped(window_size_func, _SCALAR, "group_by_window_size", dtypes.int64)
        if size.structure.spec != _SCALAR.spec:
            raise ValueError(
                f"Invalid `window_size_func`. `window_size_func` must return a single `tf.int64` scalar tensor but its return type "
                f"is {size.structure.spec}."
            )
        arguments = Structure((TensorSpec([], dtypes.int64), DatasetSpec(self.element_spec)))
        reduce, structure = datasets_of(reduce_func, arguments, "group_by_window")
        return self.made(
            structure,
            lambda node, k, s, r: grouping.GroupByWindow(node, k, s, r, structure),
            self,
            key,
            size,
            reduce,
        )

    def bucket_by_sequence_length(
        self,
        element_length_func: Callable[..., Any],
        bucket_boundaries: Sequence[int],
        bucket_batch_sizes: Sequence[int],
        padded_shapes: Any = None,
        padding_values: Any = None,
        pad_to_bucket_boundary: bool = False,
        no_padding: bool = False,
        drop_remainder: bool = False,
        name: str | None = None,
    ) -> Any:
        """Batches of elements of similar length. Mirrors `tf.data.Dataset.bucket_by_sequence_length`.

        Args:
          element_length_func: gives the length of an element, an int32.
          bucket_boundaries: the upper bounds of the lengths in the buckets, which are excluded.
          bucket_batch_sizes: one for each bucket, and one for what is longer.
          padded_shapes, padding_values, drop_remainder: see `padded_batch`.
          pad_to_bucket_boundary: whether unknown sizes are padded to the bound less one; what is longer must not come then.
          no_padding: whether elements of one batch have one shape already.
          name: accepted for compatibility.

        Raises:
          ValueError: if there is not one batch size more than bounds.
          TypeError: if a length or a bound is no scalar int32.
        """
        if len(bucket_batch_sizes) != len(bucket_boundaries) + 1:
            raise ValueError(
                f"`len(bucket_batch_sizes)` must equal `len(bucket_boundaries) + 1` but `len(bucket_batch_sizes)="
                f"{len(bucket_batch_sizes)}` and `len(bucket_boundaries)={len(bucket_boundaries)}`."
            )
        bounds = np.asarray(convert(list(bucket_boundaries), dtypes.int64).array)
        sizes = convert(np.asarray(bucket_batch_sizes, np.int64))
        rising = bool((np.diff(bounds) > 0).all())  # so that to count the bounds below a length says all
        starts = convert(bounds.astype(np.int32))
        limits = convert([*bucket_boundaries, 2**31 - 1], dtypes.int32)
        lower = convert([-(2**31), *bucket_boundaries], dtypes.int32)

        def bucket(*element: Any) -> Any:
            length: Any = convert(element_length_func(*element))
            if length.dtype is not dtypes.int32 or length.shape.rank not in (0, None):
                raise TypeError(f"bucket_by_sequence_length: a length must be a scalar int32, got {length.spec}")
            if rising:
                return reduce_sum(cast(starts <= length, dtypes.int64))
            inside = (lower <= length) & (length < limits)
            return reduce_min(where(inside))

        shapes = None if no_padding else self._padded_shapes(padded_shapes)

        def reduce(key: Any, grouped: Any) -> Any:
            size = gather(sizes, key)
            if no_padding:
                return grouped.batch(size, drop_remainder=drop_remainder)
            wanted = shapes
            if pad_to_bucket_boundary:
                too_long = f"bucket_by_sequence_length: with pad_to_bucket_boundary no element may be longer than {bounds[-1] - 1}"
                assert_less(key, convert(len(bounds), dtypes.int64), message=too_long)
                bound = gather(convert(np.asarray([*bounds, 0])), key) - 1
                wanted = mapped(lambda shape: [bound if d is None else d for d in shape], shapes)
            return grouped.padded_batch(size, wanted, padding_values, drop_remainder)

        return self.group_by_window(bucket, reduce, window_size_func=lambda key: gather(sizes, key))

    def _padded_shapes(self, shapes: Any) -> Any:
        return mapped(shape_to_pad, self.element_spec) if shapes is None else mapped(TensorShape, shapes)

    @staticmethod
    def choose_from_datasets(datasets: Any, choice_dataset: Any, stop_on_empty_dataset: bool = True) -> Any:
        """The elements of several datasets in the order that another one names. Mirrors `tf.data.Dataset.choose_from_datasets`.

        Args:
          datasets: the datasets.
          choice_dataset: gives positions of them, int64.
          stop_on_empty_dataset: whether the first that is named and has no more ends all.

        Raises:
          TypeError: if `choice_dataset` gives something else.
          ValueError: if there is no dataset.
        """
        if not isinstance(choice_dataset, BaseDataset):
            raise TypeError(f"`choice_dataset` must be a `tf.data.Dataset`, got {choice_dataset!r}")
        spec = choice_dataset.element_spec
        if not (isinstance(spec, TensorSpec) and spec.dtype is dtypes.int64 and spec.shape.rank in (0, None)):
            raise TypeError(f"Elements of `choice_dataset` must be scalar `tf.int64` tensors but are {spec}.")
        if not datasets:
            raise ValueError("Invalid `datasets`. `datasets` should not be empty.")
        structure = _common(datasets)
        stop = flag(stop_on_empty_dataset, "choose_from_datasets: stop_on_empty_dataset", False)
        return BaseDataset.made(
            structure,
            lambda choice, *nodes: ordering.Directed(choice, nodes, structure, stop),
            choice_dataset,
            *datasets,
        )

    @staticmethod
    def sample_from_datasets(
        datasets: Any,
        weights: Any = None,
        seed: Any = None,
        stop_on_empty_dataset: bool = False,
        rerandomize_each_iteration: bool | None = None,
    ) -> Any:
        """The elements of several datasets, drawn at random. Mirrors `tf.data.Dataset.sample_from_datasets`.

        Args:
          datasets: the datasets.
          weights: how likely each is; None: all alike; or a dataset of such weights.
          seed: decides with the global seed what is drawn.
          stop_on_empty_dataset: whether the first that has no more ends all.
          rerandomize_each_iteration: whether each iteration draws otherwise.

        Raises:
          TypeError, ValueError: if the weights do not fit.
        """
        if not datasets:
            raise ValueError("Invalid `datasets`. `datasets` should not be empty.")
        weighing = isinstance(weights, BaseDataset)
        if not weighing and weights is not None:
            found = np.asarray(weights if isinstance(weights, list) else convert(weights).array)
            if isinstance(weights, (list, tuple)) and found.dtype.kind in "iu":
                found = np.asarray(convert(weights).array)
            if found.dtype not in (np.float32, np.float64):
                raise TypeError(
                    f"Invalid `weights`. `weights` type must be either `tf.float32` or `tf.float64` but is {found.dtype}."
                )
            values = found.astype(np.float64)
            if isinstance(weights, list) and len(weights) != len(datasets):
                raise ValueError(
                    f"Invalid `weights`. `weights` should have the same length as `datasets` but got "
                    f"`len(weights)={len(weights)}` vs. `len(datasets)={len(datasets)}`."
                )
            if values.shape != (len(datasets),):
                raise ValueError(
                    f"Invalid `weights`. The shape of `weights` should be compatible with `[{len(datasets)}]` but is "
                    f"{list(values.shape)}."
                )
            if not values.any():
                return datasets[0].take(0)
            if not stop_on_empty_dataset or not isinstance(weights, Tensor):
                kept = [i for i, w in enumerate(values) if w > 0]
                datasets, values = [datasets[i] for i in kept], values[kept]
        if len(datasets) == 1:
            return datasets[0]
        structure = _common(datasets)
        seeds = seeds_for(seed)
        stop = flag(stop_on_empty_dataset, "sample_from_datasets: stop_on_empty_dataset", False)
        again = flag(rerandomize_each_iteration, "sample_from_datasets: rerandomize_each_iteration", False)
        if weights is None:
            logits = np.ones(len(datasets), np.float32)
        elif not weighing:
            with np.errstate(divide="ignore"):
                logits = np.log(values).astype(np.float32 if _is_float32(weights) else np.float64)

        if weighing:
            weights = weights.map(logarithms)

        def draw(pairs: np.ndarray, *given: Any) -> np.ndarray:
            return categories(pairs, given[0].reshape(-1) if weighing else logits)

        def node(*nodes: Any) -> ordering.Directed:
            weighed, nodes = (nodes[:1], nodes[1:]) if weighing else ((), nodes)
            pairs = _Pairs(RandomNumbers(_SCALAR, SeedSource(seeds), again))
            choices = ordering.Choices(_SCALAR, pairs, weighed, draw)
            return ordering.Directed(choices, nodes, structure, stop)

        return BaseDataset.made(structure, node, *([weights] if weighing else []), *datasets, anew=True)

    def apply(self, transformation_func: Callable[[Any], Any], name: str | None = None) -> Any:
        """What a function makes of this dataset. Mirrors `tf.data.Dataset.apply`.

        Raises:
          TypeError: if it is no dataset.
        """
        found = transformation_func(self)
        if not isinstance(found, BaseDataset):
            raise TypeError(f"`transformation_func` must return a `tf.data.Dataset` object. Got {type(found)}.")
        return found

    def unique(self, name: str | None = None) -> Any:
        """The elements without repetition. Mirrors `tf.data.Dataset.unique`.

        Raises:
          TypeError: if elements are neither int32, int64 nor strings.
          InvalidArgumentError: if they are nests.
        """
        spec = self.element_spec
        wrong = any([getattr(leaf, "dtype", None) not in _UNIQUE for leaf in leaves(spec)])
        if wrong or len(self.structure.flat) != 1 or is_structure(spec):
            message = f"`tf.data.Dataset.unique` only supports int32, int64 and string elements, got {spec}."
            raise TypeError(message) if wrong else invalid_argument(message, "UniqueDataset")
        return self.made(self.structure, grouping.Unique, self)


_UNIQUE = dtypes.int32, dtypes.int64, dtypes.string
_PARALLEL = "ParallelInterleaveDatasetV4"


def _is_float32(weights: Any) -> bool:
    dtype = getattr(weights, "dtype", None)
    return dtype is not None and convert(weights).dtype is dtypes.float32


class _Pairs(counting.Take):
    """Two numbers at a time."""

    def __init__(self, source: Any) -> None:
        super().__init__(source, -1)

    def iterate(self, run: Any) -> Any:
        numbers = self.inputs[0].iterate(run)
        return ((np.array([a, b], np.int64),) for (a,), (b,) in zip(numbers, numbers))


def _common(datasets: Sequence[Any]) -> Structure:
    spec = datasets[0].element_spec
    for dataset in datasets[1:]:
        wider = relaxed(spec, dataset.element_spec)
        if wider is None:
            raise TypeError(f"All datasets must have compatible element specs, got {spec} and {dataset.element_spec}.")
        spec = wider
    return Structure(spec)
