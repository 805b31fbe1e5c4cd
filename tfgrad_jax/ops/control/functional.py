"""Functions applied along the first dimension: `map_fn`, `scan`, `foldl`, `foldr`, `vectorized_map`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import jax
import jax.numpy as jnp

from tfgrad_jax.engine.control.body import Body, outside_of, pack, run_typed
from tfgrad_jax.engine.control.loop import loop
from tfgrad_jax.engine.hooks import converted_inside
from tfgrad_jax.engine.kernels.kernel import Kernel
from tfgrad_jax.engine.messages import errors
from tfgrad_jax.engine.messages.errors import invalid_argument
from tfgrad_jax.engine.names.export import export
from tfgrad_jax.engine.run import checks
from tfgrad_jax.engine.run.eager import executing_eagerly
from tfgrad_jax.engine.values import dtypes, nest
from tfgrad_jax.engine.values.convert import convert
from tfgrad_jax.engine.values.dtypes import DType, as_dtype
from tfgrad_jax.engine.values.shapes import UNRANKED
from tfgrad_jax.engine.values.specs import TensorSpec
from tfgrad_jax.engine.values.symbolic import NeedsValue, trials_of
from tfgrad_jax.engine.values.tensor import Spec, Tensor
from tfgrad_jax.ops.array.array import concat, stack
from tfgrad_jax.ops.array.creation import zeros
from tfgrad_jax.ops.array.shape import expand_dims
from tfgrad_jax.ops.control.stacking import Results, Stacked, with_batch


def _elements(elems: Any, name: str) -> list[Tensor]:
    """The flat tensors of `elems`, which must have first dimensions of one size."""
    return _same_length([convert(e) for e in nest.flatten(elems)], elems, name)


def _same_length(flat: list[Tensor], elems: Any, name: str) -> list[Tensor]:
    if not flat:
        raise ValueError(
            f"tf.{name}: elems must be a Tensor or (possibly nested) sequence of Tensors. Got {elems!r}, which has none."
        )
    sizes: set[Any] = set()
    for t in flat:
        if t.shape.rank == 0:
            raise ValueError(f"tf.{name}: Elements in elems must be 1+ dimensional Tensors, not scalars")
        sizes.add(t.spec.shape[0])
    if len(sizes - {None}) > 1:
        raise ValueError(
            f"tf.{name}: Dimensions {' and '.join(map(str, sorted(sizes - {None})))} are not compatible: elems differ in length"
        )
    return flat


def _checked(fn: Any, name: str) -> Callable[..., Any]:
    if not callable(fn):
        raise TypeError(f"tf.{name}: fn must be callable, got {fn!r}")
    return _as_around(fn)


def _as_around(fn: Callable[..., Any]) -> Callable[..., Any]:
    """A function that is converted if the code around is, which takes that AutoGraph is loaded."""
    return converted_inside(fn) if converted_inside.filled else fn


# -- map --------------------------------------------------------------------------------------------------------------


@export("map_fn")
def map_fn(
    fn: Callable[..., Any],
    elems: Any,
    dtype: Any = None,
    parallel_iterations: int | None = None,
    back_prop: bool = True,
    swap_memory: bool = False,
    infer_shape: bool = True,
    name: Any = None,
    fn_output_signature: Any = None,
) -> Any:
    """`fn` of each element along the first dimension, stacked. Mirrors `tf.map_fn`.

    Args:
      fn: takes an element, in the structure of `elems`.
      elems: a tensor, or a nest of tensors with first dimensions of one size.
      dtype: the older name of `fn_output_signature`.
      parallel_iterations, back_prop, swap_memory, infer_shape, name: accepted for compatibility.
      fn_output_signature: dtypes or `tf.TensorSpec`s of what `fn` returns, in that structure; as `elems`, if not given.

    Raises:
      ValueError: if `elems` has no tensors, or they are scalars or differ in length; if `fn` returns another structure.
      InvalidArgumentError: if `fn` returns another dtype.
    """
    signature = fn_output_signature if fn_output_signature is not None else dtype
    function = _checked(fn, "map_fn")
    given = Stacked(elems, "map_fn")
    flat = _same_length(given.tensors, elems, "map_fn")
    results = Results(given.spec if signature is None else signature, "map_fn")
    wanted = results.kinds

    def apply(element: Sequence[Tensor]) -> list[Tensor]:
        values = results.tensors(function(given.element(element)))
        for value, kind in zip(values, wanted, strict=True):
            if value.dtype is not _dtype(kind):
                raise invalid_argument(
                    f"tf.map_fn: expected results of dtype {_dtype(kind).name} but fn returned {value.dtype.name}; pass "
                    f"fn_output_signature={value.dtype!r}",
                    "TensorListSetItem",
                )
        return values

    if not executing_eagerly():
        _, rows = loop(lambda k, element, variables: ((), apply(element)), (), name="Map", xs=flat)
        return results.stacked(rows)
    columns: list[list[Tensor]] = [[] for _ in wanted]
    for i in range(flat[0].spec.shape[0]):
        for column, value in zip(columns, apply([t[i] for t in flat]), strict=True):
            column.append(value)
    return results.stacked([stack(c) if c else _no_rows(kind) for c, kind in zip(columns, wanted, strict=True)])


def _dtype(kind: Any) -> DType:
    return kind.dtype if isinstance(kind, TensorSpec) else as_dtype(kind)


def _no_rows(kind: Any) -> Tensor:
    shape = kind.shape.as_list() if isinstance(kind, TensorSpec) and kind.shape.rank is not None else []
    return zeros([0, *shape], _dtype(kind))


# -- scan and fold ----------------------------------------------------------------------------------------------------


@export("scan")
def scan(
    fn: Callable[..., Any],
    elems: Any,
    initializer: Any = None,
    parallel_iterations: int = 10,
    back_prop: bool = True,
    swap_memory: bool = False,
    infer_shape: bool = True,
    reverse: bool = False,
    name: Any = None,
) -> Any:
    """All intermediate results of a fold. Mirrors `tf.scan`.

    Args:
      fn: takes (accumulated, element) and returns the next accumulated value, in the same structure.
      elems: a tensor, or a nest of tensors with first dimensions of one size.
      initializer: what is accumulated before the first element; if None, the first element.
      parallel_iterations, back_prop, swap_memory, infer_shape, name: accepted for compatibility.
      reverse: whether to go from the last element to the first.

    Raises:
      ValueError: as `tf.map_fn`; or if the accumulated value changes its structure or shape.
      OutOfRangeError: if there is neither an element nor an initializer.
    """
    start, flat, first = _start(_checked(fn, "scan"), elems, initializer, reverse, "scan")
    if not executing_eagerly():
        function = _as_around(fn)

        def step(k: Tensor, element: Sequence[Tensor], acc: Any) -> Any:
            after = function(acc, nest.pack_sequence_as(elems, element))
            nest.assert_same_structure(start, after)
            return after, after

        _, rows = loop(step, start, name="Scan", xs=flat, reverse=reverse, remedy="It must keep its shape.")
        if initializer is not None:
            return rows
        pieces = [nest.map_structure(lambda t: expand_dims(t, 0), first), rows]
        return nest.map_structure(lambda *p: concat(p, 0), *(pieces[::-1] if reverse else pieces))
    rows_list = [] if initializer is not None else [nest.flatten(start)]
    for acc in _fold(fn, elems, start, flat, reverse):
        for value, before in zip(nest.flatten(acc), nest.flatten(start), strict=True):
            if value.dtype is not before.dtype:
                raise invalid_argument(
                    f"tf.scan: the accumulated value is {before.dtype.name}, but fn returned {value.dtype.name}",
                    "TensorArrayWriteV3",
                )
            if value.shape != before.shape:
                raise ValueError(f"tf.scan: Incompatible shape for value ({value.shape}), expected ({before.shape})")
        rows_list.append(nest.flatten(acc))
    if reverse:
        rows_list.reverse()
    if not rows_list:
        return nest.map_structure(lambda t: zeros([0, *t.shape], t.dtype), start)
    return nest.pack_sequence_as(start, [stack(list(c)) for c in zip(*rows_list, strict=True)])


def _start(fn: Any, elems: Any, initializer: Any, reverse: bool, name: str) -> tuple[Any, list[Tensor], Any]:
    """The first accumulated value, and the tensors with the elements that remain."""
    flat = _elements(elems, name)
    if initializer is not None:
        return nest.map_structure(convert, initializer), flat, None
    if flat[0].spec.shape[0] == 0:
        if not executing_eagerly():
            raise invalid_argument(
                f"tf.{name}: Trying to access element 0 in a list with 0 elements; give an initializer",
                "TensorListGetItem",
            )
        raise errors.OutOfRangeError(
            None, None, f"tf.{name}: Tried to read from index 0 but array size is: 0; give an initializer"
        )
    at, rest = (-1, slice(None, -1)) if reverse else (0, slice(1, None))
    first = nest.pack_sequence_as(elems, [t[at] for t in flat])
    return first, [t[rest] for t in flat], first


def _fold(fn: Any, elems: Any, start: Any, flat: Sequence[Tensor], reverse: bool) -> Any:
    acc = start
    order = range(flat[0].spec.shape[0])
    for i in reversed(order) if reverse else order:
        acc = fn(acc, nest.pack_sequence_as(elems, [t[i] for t in flat]))
        nest.assert_same_structure(start, acc)
        acc = nest.map_structure(convert, acc)
        yield acc


def _folded(fn: Any, elems: Any, initializer: Any, reverse: bool, name: str) -> Any:
    function = _checked(fn, name)
    start, flat, _ = _start(function, elems, initializer, reverse, name)
    if executing_eagerly():
        return [start, *_fold(fn, elems, start, flat, reverse)][-1]

    def step(k: Tensor, element: Sequence[Tensor], acc: Any) -> Any:
        after = function(acc, nest.pack_sequence_as(elems, element))
        nest.assert_same_structure(start, after)
        return after, None

    return loop(step, start, name="Fold", xs=flat, reverse=reverse, remedy="It must keep its shape.")[0]


@export("foldl")
def foldl(
    fn: Callable[..., Any],
    elems: Any,
    initializer: Any = None,
    parallel_iterations: int = 10,
    back_prop: bool = True,
    swap_memory: bool = False,
    name: Any = None,
) -> Any:
    """`fn(...fn(fn(initializer, elems[0]), elems[1])..., elems[-1])`. Mirrors `tf.foldl`; the arguments are those of `tf.scan`."""
    return _folded(fn, elems, initializer, False, "foldl")


@export("foldr")
def foldr(
    fn: Callable[..., Any],
    elems: Any,
    initializer: Any = None,
    parallel_iterations: int = 10,
    back_prop: bool = True,
    swap_memory: bool = False,
    name: Any = None,
) -> Any:
    """`tf.foldl` from the last element to the first. Mirrors `tf.foldr`."""
    return _folded(fn, elems, initializer, True, "foldr")


# -- vectorized -------------------------------------------------------------------------------------------------------


@export("vectorized_map")
def vectorized_map(fn: Callable[..., Any], elems: Any, fallback_to_while_loop: bool = True, warn: bool = True) -> Any:
    """`fn` of all elements along the first dimension at once, by `jax.vmap`. Mirrors `tf.vectorized_map`.

    Args:
      fn: takes an element, in the structure of `elems`.
      elems: a tensor, or a nest of tensors; those with a first dimension of size one are used for every element.
      fallback_to_while_loop: whether a function that assigns variables may be run element by element instead. One that draws
        random numbers, asserts or prints always is.
      warn: accepted for compatibility.

    Raises:
      ValueError: if the function assigns variables and must not be run element by element.
    """
    function = _checked(fn, "vectorized_map")
    given = Stacked(elems, "vectorized_map")
    flat = given.tensors
    sizes: list[Any] = [None if t.spec.shape is UNRANKED else t.spec.shape[0] for t in flat]
    size = None if None in sizes else max(sizes)
    shared = [n == 1 and size != 1 for n in sizes]
    placed: list[Any] = []

    def record(graph: Any) -> Any:
        for t in flat:
            if t.spec.shape is UNRANKED:
                placed.append(graph.placeholder(t.spec, "element"))
                continue
            placed.append(graph.placeholder(Spec.of(t.dtype, t.spec.shape[1:]), "element"))
            placed[-1].trials = tuple(Spec.of(s.dtype, s.shape[1:]) for s in trials_of(t))
        return function(given.element(placed))

    body = Body("vectorized_map", record)
    outputs = [t for t in body.flat if t is not None]
    body.finish(outputs, [])
    if body.stateful or body.graph.written or any(n.kernel.host for n in body.graph.nodes):
        assigned = [
            box.owner()
            for box, _ in body.graph.boxes.values()
            if hasattr(box, "owner") and box.id in body.graph.written
        ]
        if assigned and not fallback_to_while_loop:
            raise ValueError(
                f"tf.vectorized_map: the function assigns {', '.join(v.name for v in assigned)}, which cannot be vectorized; allow "
                f"fallback_to_while_loop"
            )
        signature = nest.map_structure(lambda t: None if t is None else t.dtype, body.result)
        return map_fn(fn, elems, fn_output_signature=signature)
    keys, found = outside_of([body])
    count = len(flat)

    def run(*arrays: Any) -> list[Any]:
        elements = [a[0] if s else a for a, s in zip(arrays, shared, strict=False)]
        n = max(a.shape[0] for a in arrays[:count])
        outside = dict(zip(keys, arrays[count:], strict=True))
        axes = [None if s else 0 for s in shared]
        found = checks.noting()

        def one(*element: Any) -> Any:
            out, record = (body(element, outside), None) if found is None else body.checked(element, outside)
            return [jnp.asarray(o) for o in out], record

        results, records = jax.vmap(one, axes, 0, axis_size=n)(*elements)
        if found is not None and n:
            found.merge(records[jnp.argmax(records[:, 0] != 0)])
        return list(results)

    def one_by_one(tensors: Sequence[Tensor]) -> list[Tensor]:
        outside = dict(zip(keys, tensors[count:], strict=True))
        n = max(t.spec.shape[0] for t in tensors[:count])
        if not n:
            return [zeros((0, *[size or 0 for size in t.spec.shape]), t.dtype) for t in outputs]
        rows = [
            body.interpret([t[0 if s else i] for t, s in zip(tensors, shared, strict=False)], outside) for i in range(n)
        ]
        return [stack(list(c)) for c in zip(*rows, strict=True)]

    inputs = (*flat, *found.values())
    kernel = Kernel("VectorizedMap", run, interpret=None if executing_eagerly() else one_by_one)
    kernel.parts, kernel.checked = (body.lifted,), body.has_checks
    specs = [t.spec if t.spec.shape is UNRANKED else Spec.of(t.dtype, (size, *t.spec.shape)) for t in outputs]  # type: ignore[arg-type]
    try:
        made = _run_checked(kernel, inputs, specs) if outputs else []
    except NeedsValue:
        if not executing_eagerly():
            raise
        made = one_by_one(inputs)  # a shape inside depends on values
    results = iter(made)
    packed = pack(body.result, [None if t is None else next(results) for t in body.flat])
    return nest.map_structure(lambda one, all_: with_batch(one, all_, size), body.result, packed)


def _run_checked(kernel: Kernel, inputs: Sequence[Tensor], specs: list[Spec]) -> list[Tensor]:
    """The results of an operation. Where it runs at once its checks are made here; functions make them in their own program."""
    if not (kernel.checked and executing_eagerly() and checks.enabled()):
        return run_typed(kernel, inputs, specs)
    program = checks.Program()
    checking = Kernel(kernel.name, checks.recording(kernel.fn, program))
    checking.parts = kernel.parts
    *results, record = run_typed(checking, inputs, [*specs, Spec.of(dtypes.int64, (checks.WIDTH,))])
    program.raise_from(record.array)
    return results
