"""Transformations of each element, of order and of number: methods of `tf.data.Dataset`."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

import numpy as np

from tfgrad_jax.composite.sparse_tensor import SparseTensorSpec
from tfgrad_jax.engine.declare.attributes import is_symbolic
from tfgrad_jax.engine.messages.errors import invalid_argument
from tfgrad_jax.engine.values import dtypes
from tfgrad_jax.engine.values.convert import convert
from tfgrad_jax.engine.values.dtypes import as_dtype
from tfgrad_jax.engine.values.shapes import TensorShape
from tfgrad_jax.engine.values.specs import TensorSpec
from tfgrad_jax.engine.values.tensor import Tensor
from tfgrad_jax.lib.data.arguments import condition, flag, number, whole
from tfgrad_jax.lib.data.base import BaseDataset
from tfgrad_jax.lib.data.functions import Mapped
from tfgrad_jax.lib.data.leaves import as_ragged, batched, unbatched
from tfgrad_jax.lib.data.nodes import batching, buffering, counting, elementwise, ordering
from tfgrad_jax.lib.data.nodes.node import Node, parallel
from tfgrad_jax.lib.data.options import AUTOTUNE
from tfgrad_jax.lib.data.padding import late_shape, leaves_like, only_tensors, padded_shape, padding
from tfgrad_jax.lib.data.random_numbers import SeedSource, seeds_for
from tfgrad_jax.lib.data.structure import Structure, leaves, mapped, packed, relaxed, taken_apart


def predicate(function: Callable[..., Any], structure: Structure, name: str) -> Mapped:
    """A recorded condition.

    Raises:
      ValueError: if it gives no boolean.
    """
    found = Mapped(function, structure, name)
    spec = found.structure.spec
    if not (isinstance(spec, TensorSpec) and spec.dtype is dtypes.bool_ and spec.shape.is_compatible_with([])):
        raise ValueError(
            f"Invalid `predicate`. `predicate` must return a `tf.bool` scalar tensor, but its return type is {spec}."
        )
    return found


class Transforming(BaseDataset):
    """Maps, filters, counts, batches, order."""

    def map(
        self,
        map_func: Callable[..., Any],
        num_parallel_calls: Any = None,
        deterministic: bool | None = None,
        synchronous: bool | None = None,
        use_unbounded_threadpool: bool = False,
        name: str | None = None,
    ) -> Any:
        """A function of each element. Mirrors `tf.data.Dataset.map`.

        Args:
          map_func: takes an element (a tuple as several arguments), returns an element; recorded once.
          num_parallel_calls: how many threads may run it, if it takes long and works on the host (files, images, Python).
          deterministic: the order is that of the input in any case.
          synchronous, use_unbounded_threadpool, name: accepted for compatibility.
        """
        if synchronous and num_parallel_calls is not None:
            raise ValueError(f"`synchronous` is not supported with `num_parallel_calls`, which is {num_parallel_calls}")
        function = Mapped(map_func, self.structure, "map")
        calls = whole(1 if num_parallel_calls is None else num_parallel_calls, "map")

        def node(source: Any, f: Mapped, n: Any) -> Node:
            if n < 1 and n != AUTOTUNE:
                raise invalid_argument("num_parallel_calls must be greater than zero.", "ParallelMapDatasetV2")
            return parallel(elementwise.Map(source, f, int(n) if n >= 0 else _AS_MANY_AS_CORES), num_parallel_calls)

        return self.made(function.structure, node, self, function, calls)

    def filter(self, predicate: Callable[..., Any], name: str | None = None) -> Any:
        """The elements for which `predicate` is true. Mirrors `tf.data.Dataset.filter`.

        Raises:
          ValueError: if it gives no boolean.
        """
        return self.made(self.structure, elementwise.Filter, self, _condition(predicate, self.structure, "filter"))

    def take_while(self, predicate: Callable[..., Any], name: str | None = None) -> Any:
        """The elements before the first for which `predicate` is false. Mirrors `tf.data.Dataset.take_while`."""
        return self.made(
            self.structure, elementwise.TakeWhile, self, _condition(predicate, self.structure, "take_while")
        )

    def take(self, count: Any, name: str | None = None) -> Any:
        """The first `count` elements, all for -1. Mirrors `tf.data.Dataset.take`."""
        return self.made(self.structure, lambda node, n: counting.Take(node, int(n)), self, whole(count, "take"))

    def skip(self, count: Any, name: str | None = None) -> Any:
        """The elements after the first `count`, none for -1. Mirrors `tf.data.Dataset.skip`."""
        return self.made(self.structure, lambda node, n: counting.Skip(node, int(n)), self, whole(count, "skip"))

    def shard(self, num_shards: Any, index: Any, name: str | None = None) -> Any:
        """Every `num_shards`-th element, from the one at `index`. Mirrors `tf.data.Dataset.shard`.

        Raises:
          InvalidArgumentError: if `index` is not below `num_shards`.
        """
        return self.made(
            self.structure,
            lambda node, n, i: counting.Shard(node, int(n), int(i)),
            self,
            whole(num_shards, "shard"),
            whole(index, "shard"),
        )

    def repeat(self, count: Any = None, name: str | None = None) -> Any:
        """All elements `count` times; without end for None or -1. Mirrors `tf.data.Dataset.repeat`."""
        times = whole(-1 if count is None else count, "repeat")
        return self.made(self.structure, lambda node, n: counting.Repeat(node, int(n)), self, times)

    def enumerate(self, start: Any = 0, name: str | None = None) -> Any:
        """Pairs of a number (int64) and an element. Mirrors `tf.data.Dataset.enumerate`."""
        structure = Structure((TensorSpec([], dtypes.int64), self.element_spec))
        return self.made(
            structure, lambda node, n: counting.Enumerate(node, structure, int(n)), self, whole(start, "enumerate")
        )

    def scan(self, initial_state: Any, scan_func: Callable[..., Any], name: str | None = None) -> Any:
        """A function of a state and each element, which gives the next state and an output. Mirrors `tf.data.Dataset.scan`.

        Args:
          initial_state: a nest of tensors.
          scan_func: takes state and element, returns a pair.
          name: accepted for compatibility.
        """
        _, parts, function = self.stateful(initial_state, scan_func, "scan", True)
        outputs = Structure(function.structure.spec[1])
        return self.made(
            outputs,
            lambda node, f, *arrays: elementwise.Scan(node, f, tuple(arrays), outputs),
            self,
            function,
            *parts,
        )

    def shuffle(
        self, buffer_size: Any, seed: Any = None, reshuffle_each_iteration: bool | None = True, name: str | None = None
    ) -> Any:
        """The elements in random order. Mirrors `tf.data.Dataset.shuffle`.

        Args:
          buffer_size: from how many elements the next one is drawn; `tf.data.UNKNOWN_CARDINALITY` for all.
          seed: with the global seed it decides the order.
          reshuffle_each_iteration: whether each iteration has another order.
          name: accepted for compatibility.
        """
        buffer_size = whole(buffer_size, "shuffle")
        reshuffle = flag(reshuffle_each_iteration, "shuffle: reshuffle_each_iteration", True)
        pair = seeds_for(number(seed) if isinstance(seed, Tensor) else seed)
        return self.made(
            self.structure,
            lambda node, n: ordering.Shuffle(node, int(n), SeedSource(pair), reshuffle),
            self,
            buffer_size,
            anew=True,
        )

    def prefetch(self, buffer_size: Any, name: str | None = None) -> Any:
        """The same elements, of which a thread makes some ahead. Mirrors `tf.data.Dataset.prefetch`."""
        size = whole(-1 if buffer_size is None else buffer_size, "prefetch")
        if not is_symbolic(size) and int(np.asarray(size.array)) < -1:
            raise invalid_argument(
                "buffer_size must be >= 0 or set buffer_size to be -1 for auto-tuning", "PrefetchDataset"
            )
        return self.made(self.structure, lambda node, n: buffering.Prefetch(node, 8 if n < 0 else int(n)), self, size)

    def cache(self, filename: Any = "", name: str | None = None) -> Any:
        """The same elements, made once and kept in memory, or in a file. Mirrors `tf.data.Dataset.cache`."""
        path = convert(filename, dtypes.string)
        if path.shape.rank not in (0, None):
            raise invalid_argument(
                f"tf.data.Dataset.cache: filename must be a scalar, got shape {path.shape}", "CacheDatasetV2"
            )
        return self.made(self.structure, lambda node, p: buffering.Cache(node, os.fsdecode(p[()])), self, path)

    def ignore_errors(self, log_warning: bool = False, name: str | None = None) -> Any:
        """The elements that can be made. Mirrors `tf.data.Dataset.ignore_errors`."""
        log_warning = flag(log_warning, "ignore_errors: log_warning")
        return self.made(self.structure, lambda node: elementwise.IgnoreErrors(node, log_warning), self)

    def concatenate(self, dataset: Any, name: str | None = None) -> Any:
        """The elements of this dataset, then those of another. Mirrors `tf.data.Dataset.concatenate`.

        Raises:
          TypeError: if their elements have no type in common.
        """
        spec = relaxed(self.element_spec, dataset.element_spec)
        if spec is None:
            raise TypeError(f"Incompatible types of input datasets: {self.element_spec} vs. {dataset.element_spec}.")
        structure = Structure(spec)
        return self.made(structure, lambda a, b: counting.Concatenate(a, b, structure), self, dataset)

    def batch(
        self,
        batch_size: Any,
        drop_remainder: bool = False,
        num_parallel_calls: Any = None,
        deterministic: bool | None = None,
        name: str | None = None,
    ) -> Any:
        """So many elements at a time. Mirrors `tf.data.Dataset.batch`.

        Args:
          batch_size: how many.
          drop_remainder: whether a last batch that is smaller is left out.
          num_parallel_calls, deterministic, name: accepted for compatibility.

        Raises:
          InvalidArgumentError: if `batch_size` is not positive; while iterating, if elements have different shapes.
        """
        batch_size, drop = whole(batch_size, "batch"), condition(drop_remainder, "batch: drop_remainder")
        structure = Structure(batched(self.element_spec, number(batch_size) if drop else None))
        calls = None if num_parallel_calls is None else whole(num_parallel_calls, "batch")
        return self.made(
            structure, lambda node, n: parallel(batching.Batch(node, structure, int(n), drop), calls), self, batch_size
        )

    def unbatch(self, name: str | None = None) -> Any:
        """The rows of the elements. Mirrors `tf.data.Dataset.unbatch`.

        Raises:
          ValueError: if a component is a scalar, or their first dimensions differ.
        """
        structure = Structure(unbatched(self.element_spec, "unbatch"))
        sizes = {s.shape[0] for s in leaves(self.element_spec) if isinstance(s, TensorSpec) and s.shape.rank} - {None}
        if len(sizes) > 1:
            raise ValueError(f"unbatch: all components need one first dimension, got {sorted(sizes)}")
        return self.made(structure, lambda node: batching.Unbatch(node, structure), self)

    def rebatch(self, batch_size: Any, drop_remainder: bool = False, name: str | None = None) -> Any:
        """Batches as batches of other sizes. Mirrors `tf.data.Dataset.rebatch`.

        Args:
          batch_size: a number, or several that follow each other in turn.
          drop_remainder: whether a last batch that is smaller is left out.
          name: accepted for compatibility.
        """
        given = np.asarray(convert(batch_size, dtypes.int64).array)
        if given.ndim > 1:
            raise ValueError(
                f"Invalid `batch_size`. Expected `batch_size` to be a scalar or a vector, got one of rank {given.ndim}."
            )
        sizes = given.reshape(-1).tolist()
        drop_remainder = condition(drop_remainder, "rebatch: drop_remainder")
        size = sizes[0] if len(set(sizes)) == 1 else None

        def again(leaf: Any) -> Any:
            rows = getattr(leaf, "shape", TensorShape(None))
            fits = drop_remainder or (rows.rank and rows[0] is not None and size and not rows[0] % size)
            return batched(unbatched(leaf, "rebatch"), size if fits else None)

        structure = Structure(mapped(again, self.element_spec))
        return self.made(
            structure, lambda node: batching.Rebatch(node, structure, sizes, drop_remainder), self.unbatch()
        )

    def ragged_batch(
        self,
        batch_size: Any,
        drop_remainder: bool = False,
        row_splits_dtype: Any = dtypes.int64,
        name: str | None = None,
    ) -> Any:
        """So many elements at a time; tensors whose sizes are open become ragged. Mirrors `tf.data.Dataset.ragged_batch`.

        Args:
          batch_size: how many.
          drop_remainder: whether a last batch that is smaller is left out.
          row_splits_dtype: of tensors that become ragged: int64 or int32.
          name: accepted for compatibility.

        Raises:
          ValueError: if the rank of a component is not known, or for another `row_splits_dtype`.
        """
        splits = as_dtype(row_splits_dtype)
        if splits not in (dtypes.int32, dtypes.int64):
            raise ValueError(f"ragged_batch: row_splits_dtype must be int32 or int64, got {splits.name}")
        batch_size, drop = whole(batch_size, "ragged_batch"), condition(drop_remainder, "ragged_batch: drop_remainder")
        inner = Structure(mapped(lambda leaf: as_ragged(leaf, splits), self.element_spec))
        structure = Structure(batched(inner.spec, number(batch_size) if drop else None))
        return self.made(
            structure, lambda node, n: batching.RaggedBatch(node, structure, int(n), drop, inner), self, batch_size
        )

    def sparse_batch(self, batch_size: Any, row_shape: Any, name: str | None = None) -> Any:
        """So many tensors at a time, as one sparse tensor. Mirrors `tf.data.Dataset.sparse_batch`.

        Args:
          batch_size: how many.
          row_shape: the shape of a row; None or -1 for the largest size in a batch.
          name: accepted for compatibility.

        Raises:
          TypeError: if elements are no single tensors.
          InvalidArgumentError: while iterating: a tensor does not fit.
        """
        spec = self.element_spec
        if not isinstance(spec, TensorSpec):
            raise TypeError(f"`sparse_batch` takes datasets of single tensors, got elements of type {spec}.")
        shape = [None if n in (None, -1) else int(n) for n in TensorShape(row_shape).as_list()]
        structure = Structure(SparseTensorSpec([None, *shape], spec.dtype))
        return self.made(
            structure, lambda node, n: batching.SparseBatch(node, structure, int(n), shape), self, batch_size
        )

    def padded_batch(
        self,
        batch_size: Any,
        padded_shapes: Any = None,
        padding_values: Any = None,
        drop_remainder: bool = False,
        name: str | None = None,
    ) -> Any:
        """So many elements at a time, padded to one shape. Mirrors `tf.data.Dataset.padded_batch`.

        Args:
          batch_size: how many.
          padded_shapes: a nest of shapes to pad to, None or -1 for the largest size in a batch; all are that if not given.
          padding_values: what to pad with: one value, or a nest of them; zeros and empty strings if not given.
          drop_remainder: whether a last batch that is smaller is left out.
          name: accepted for compatibility.

        Raises:
          TypeError: if elements do not consist of dense tensors, or a shape or value has another dtype.
          ValueError: if a shape or value does not fit a component, or a rank is not known.
        """
        specs = only_tensors(self.element_spec)
        if padded_shapes is None:
            if any(s.shape.rank is None for s in specs):
                raise ValueError(
                    "You must provide `padded_shapes` argument: a component of the elements has an unknown rank."
                )
            padded_shapes = packed(self.element_spec, iter([s.shape for s in specs]))
        given = leaves_like(self.element_spec, padded_shapes)
        shapes = [padded_shape(shape, spec) for shape, spec in zip(given, specs, strict=True)]
        late = {place: found for place, shape in enumerate(given) if (found := late_shape(shape)) is not None}
        values = padding(self.element_spec, padding_values, specs)
        batch_size = whole(batch_size, "padded_batch")
        drop_remainder = condition(drop_remainder, "padded_batch: drop_remainder")
        size = number(batch_size) if drop_remainder else None
        found = [TensorSpec(TensorShape([size, *shape]), s.dtype) for shape, s in zip(shapes, specs, strict=True)]
        structure = Structure(packed(self.element_spec, iter(found)))

        def node(source: Any, n: Any, *sizes: Any) -> Node:
            known = list(shapes)
            for place, found in zip(late, sizes, strict=True):
                known[place] = padded_shape(found, specs[place])
            return batching.PaddedBatch(source, structure, int(n), known, values, drop_remainder)

        return self.made(structure, node, self, batch_size, *late.values())

    def stateful(self, initial: Any, function: Callable[..., Any], name: str, paired: bool) -> Any:
        """A state, its components and the recorded function of state and element; sizes of the state that change are open.

        Raises:
          TypeError: if the function gives a state of another type.
        """
        spec, parts = taken_apart(initial)
        structure, found = self.settled(spec, function, name, paired)
        return structure, parts, found

    def settled(
        self, spec: Any, function: Callable[..., Any], name: str, paired: bool = False
    ) -> tuple[Structure, Mapped]:
        """The type that covers all states, beginning with `spec`, and the recorded function of state and element.

        Raises:
          TypeError: if the function gives a state of another type.
        """
        while True:
            found = Mapped(function, Structure((spec, self.element_spec)), name)
            given = found.structure.spec
            if paired:
                if not isinstance(given, tuple) or len(given) != 2:
                    raise TypeError(f"The {name} function must return a pair: the new state and the output.")
                given = given[0]
            wider = relaxed(spec, given)
            if wider is None:
                raise TypeError(
                    f"The element types for the new state must match the initial state. Expected {spec}; got {given}."
                )
            if wider == spec:
                return Structure(spec), found
            spec = wider


_condition = predicate
_AS_MANY_AS_CORES = 1 << 16
