"""Integers that are computed from symbolic sizes while a graph is exported: they stay expressions, so that shapes can
depend on them.

An array of such integers is a NumPy array of objects. What cannot compute with expressions gets their values, as the
program has them.
"""

from __future__ import annotations

import dataclasses
import itertools
import math
import operator
import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import export

from tfgrad_jax.engine.kernels.kernel import Kernel
from tfgrad_jax.engine.messages.attempts import attempt
from tfgrad_jax.engine.threads.context import context
from tfgrad_jax.engine.values.symbolic import NeedsValue
from tfgrad_jax.engine.values.symbols import FUNCTIONS, Expression

_ARITHMETIC: dict[str, Callable[..., Any]] = {
    "AddV2": operator.add,
    "Cast": lambda x: x,
    "FloorDiv": operator.floordiv,
    "FloorMod": operator.mod,
    "Identity": lambda x: x,
    "Mul": operator.mul,
    "Neg": operator.neg,
    "Sub": operator.sub,
}
"""By raw name, what operations do elementwise."""

LESS = " - 1"
MORE = " + 1"
"""Sizes that may be 0 are symbols less one, since to JAX a symbol is a number from 1 on; those from 2 on are one more."""

_SIMPLE = re.compile(rf"([a-z]\w*)({re.escape(LESS)}|{re.escape(MORE)}|)")
"""A size as a text, that is no other expression."""

_AT_ONCE = 2
"""So many open sizes of one operation are taken for known ones together."""


@dataclasses.dataclass
class Wanted:
    """What a program that is being exported may assume of open sizes, as texts.

    Attributes:
      conditions: what its operations need.
      sizes: that some are known ones, which operations need if nothing else makes them fit.
      multiples: whether an operation takes sizes that many numbers divide, and no others.
    """

    conditions: list[str] = dataclasses.field(default_factory=list)
    sizes: list[str] = dataclasses.field(default_factory=list)
    multiples: bool = False

    def add(self, other: Wanted) -> None:
        """Let it be wanted, too, what another wants."""
        self.conditions += other.conditions
        self.sizes += other.sizes
        self.multiples |= other.multiples

    @property
    def equal(self) -> list[str]:
        """Those of `sizes` that say of two open ones that they are equal."""
        return [text for text in self.sizes if not text.rpartition(" ")[2].isdigit()]


def may_be_zero(size: Any) -> bool:
    """Whether a size is an expression that may be zero."""
    if not export.is_symbolic_dim(size):
        return False
    try:
        return not size >= 1
    except jax.errors.InconclusiveDimensionOperation:
        return True


def sizes_array(sizes: Any, dtype: Any) -> np.ndarray:
    """Sizes as integers, or as expressions where one of them is symbolic."""
    many = sizes if isinstance(sizes, tuple) else (sizes,)
    kind = object if any(map(export.is_symbolic_dim, many)) else dtype
    out = np.empty(np.shape(sizes) if isinstance(sizes, tuple) else (), kind)
    out[...] = sizes
    return out


def is_symbolic(value: Any) -> bool:
    """Whether a value is an array in which expressions stand."""
    return (
        type(value) is np.ndarray
        and value.dtype.kind == "O"
        and any(export.is_symbolic_dim(n) for n in value.reshape(-1).tolist())
    )


def with_values(value: Any, dtype: Any) -> Any:
    """The value as the program has it: expressions are computed from its operands' sizes."""
    if not is_symbolic(value):
        return value
    parts = [jnp.asarray(n).astype(dtype) for n in value.reshape(-1).tolist()]
    return jnp.stack(parts).reshape(value.shape)


def run(
    kernel: Kernel, args: Sequence[Any], dtypes: Sequence[Any], results: Sequence[Any], call: Callable[..., Any]
) -> Any:
    """Run a kernel of which an operand is symbolic.

    Args:
      kernel: the kernel.
      args: its operands.
      dtypes: of the operands.
      results: the dtypes of its results.
      call: runs the kernel on arrays.
    """
    integral = all(d.kind in "iu" for d in results)
    if integral and kernel.name in _ARITHMETIC and all(type(a) is np.ndarray for a in args):
        return _settled(_ARITHMETIC[kernel.name](*args), results[0])
    if integral and kernel.name == "Prod" and args[0].ndim < 2:
        return _settled(np.multiply.reduce(args[0].reshape(-1), initial=1), results[0])
    valued = [with_values(a, d) for a, d in zip(args, dtypes, strict=True)]
    if kernel.name == "Range" and integral and not is_symbolic(args[2]):
        return _numbers(args, results[0])
    ways: list[list[Any]] = []
    if integral and all(type(a) is np.ndarray for a in args):
        ways.append(list(args))  # what only moves elements moves these, too
    if kernel.reads_values:
        given = list(args) if kernel.eager is None else [a.tolist() if is_symbolic(a) else a for a in args]
        ways.append([given[i] if i in kernel.reads_values else v for i, v in enumerate(valued)])
        # Constants too as the program has them: where all is known beforehand, kernels ask NumPy, which has no such sizes.
        ways.append([given[i] if i in kernel.reads_values else jnp.asarray(v) for i, v in enumerate(valued)])
    undecided: Exception | None = None
    for way in ways:
        try:
            with attempt():  # sizes are no arrays, of which what runs eagerly asks
                out = call(kernel, way) if kernel.eager is None else kernel.fn(*way)
        except jax.errors.InconclusiveDimensionOperation as error:  # larger sizes may do
            undecided = error
            continue
        except Exception:  # it computes with values; what it then says is of these
            continue
        many = out if isinstance(out, (tuple, list)) else [out]
        settled = [
            _settled(o, d) if type(o) is np.ndarray and integral else o for o, d in zip(many, results, strict=True)
        ]
        return type(out)(settled) if isinstance(out, (tuple, list)) else settled[0]
    try:
        return call(kernel, valued)
    except NeedsValue:
        if undecided is None:
            raise
        raise undecided from None


def _numbers(ends: Sequence[Any], dtype: Any) -> Any:
    """The integers of a range; the step is known."""
    first, last, step = [np.asarray(e).reshape(-1).tolist()[0] for e in ends]
    return jnp.arange(-((first - last) // step)).astype(dtype) * step + jnp.asarray(first).astype(dtype)


def _settled(value: Any, dtype: Any) -> np.ndarray:
    """A result as an array, of integers if no expression is left."""
    out = np.asarray(value, object)
    return out if is_symbolic(out) else out.astype(dtype)


def equalities(shape: Sequence[Any], known: Sequence[int | None]) -> list[str]:
    """The conditions under which a shape is what `set_shape` said of it; none if it cannot be."""
    pairs = [(n, wanted) for n, wanted in zip(shape, known, strict=False) if wanted is not None and n != wanted]
    possible = len(shape) == len(known) and all(export.is_symbolic_dim(n) for n, _ in pairs)
    return [f"{n} == {wanted}" for n, wanted in pairs] if possible else []


def not_negative(args: Sequence[Any], error: Exception) -> list[str]:
    """That a part of an operand has no fewer than no elements, as texts, where that is what an error was not sure of.

    JAX does not find it out of products of expressions, and compares ever more slowly the more it is told.
    """
    found: dict[str, None] = {}
    for shape in map(np.shape, args):
        sizes = [n for n in shape if export.is_symbolic_dim(n)]
        for count in range(1, len(sizes) + 1):
            products = map(math.prod, itertools.combinations(sizes, count))
            found.update((f"{size} >= 0", None) for size in products if f"'{size}' >= '0'" in str(error))
    return list(found)


class _Examples(dict[str, Any]):
    """A value for each symbol, none like another."""

    def __init__(self, first: int, step: int) -> None:
        super().__init__()
        self._next = itertools.count(first, step)

    def __missing__(self, name: str) -> int:
        if name in FUNCTIONS:
            raise KeyError(name)
        return int(self.setdefault(name, next(self._next)))

    def of(self, value: Any) -> Any:
        """The value of a size; of an array of sizes those of all, of another array itself."""
        if export.is_symbolic_dim(value):
            return Expression(value)(self)
        return np.vectorize(self.of, [np.int64])(value) if is_symbolic(value) else value


def _axes_together(args: Sequence[Any]) -> Iterator[tuple[int, ...]]:
    """Dimensions in which operands of one rank may be alike, few of them first."""
    ranks = {len(np.shape(a)) for a in args}
    for rank in ranks if len(ranks) == 1 else ():
        for count in range(1, rank + 1):
            yield from itertools.combinations(range(rank), count)


def fitting(kernel: Kernel, args: Sequence[Any], dtypes: Sequence[Any]) -> Wanted:
    """What a program that is exported may assume of open sizes, so that an operation takes operands that it refused.

    Args:
      kernel: the operation.
      args: its operands, in whose shapes open sizes are symbols.
      dtypes: of the operands.

    Returns:
      That two sizes are equal, or else that some are those of an operand of known shape, as few as do; nothing if that is not what
      is wrong.
    """
    open_sizes = sorted({str(n) for a in args for n in np.shape(a) if export.is_symbolic_dim(n)})
    simple = {size: found for size in open_sizes if (found := _SIMPLE.fullmatch(size))}
    offsets = {size: {LESS: 1, MORE: -1, "": 0}[found[2]] for size, found in simple.items()}
    symbols = list(simple)
    fixed = [np.shape(a) for a in args if not any(map(export.is_symbolic_dim, np.shape(a)))]
    known = sorted({n for shape in fixed for n in shape if n > 1})

    known_values = [
        i for i, a in enumerate(args) if type(a) is np.ndarray and (i in kernel.reads_values or not is_symbolic(a))
    ]

    def fits(sizes: dict[str, Any], values: Callable[[Any], Any] = lambda value: value) -> bool:
        shapes = [tuple([sizes.get(str(n), n) for n in np.shape(a)]) for a in args]
        operands = [
            values(a) if i in known_values else jax.ShapeDtypeStruct(shapes[i], dtypes[i]) for i, a in enumerate(args)
        ]
        places = [i for i in range(len(args)) if i not in known_values]

        def call(*moving: Any) -> Any:
            given = dict(zip(places, moving, strict=True))
            return kernel.fn(*[given.get(i, a) for i, a in enumerate(operands)])

        before, context.exporting = context.exporting, Wanted()  # what it wants of these sizes counts for nothing
        try:
            with attempt():
                jax.eval_shape(call, *[operands[i] for i in places])
        except Exception:  # what JAX says of sizes that do not fit has many classes
            return False
        finally:
            context.exporting = before
        return True

    def equal(one: str, other: str) -> str:
        return f"{simple[one][1]} == {offsets[one] - offsets[other]} + {simple[other][1]}"

    # What takes sizes of all kinds, but none that are symbols, would be right for those alone that are taken for known ones.
    for multiples, examples in enumerate((_Examples(101, 2), _Examples(960, 960))):
        if fits({str(n): examples.of(n) for a in args for n in np.shape(a)}, examples.of):
            return Wanted(multiples=bool(multiples))
    named = {str(n): n for a in args for n in np.shape(a)}
    for one, other in itertools.combinations(symbols, 2):
        if fits({one: named[other]}):
            return Wanted(sizes=[equal(one, other)])
    for axes in _axes_together(args):  # of more than two operands
        same: dict[str, str] = {}
        for axis in axes:
            first, *others = [text for a in args if (text := str(np.shape(a)[axis])) in simple] or [""]
            same |= {text: same.get(first, first) for text in others if text != first}
        if same and fits({one: named[other] for one, other in same.items()}):
            return Wanted(sizes=list(itertools.starmap(equal, same.items())))
    for count in range(1, min(len(symbols), _AT_ONCE) + 1):
        for chosen in itertools.combinations(symbols, count):
            for values in itertools.product(known, repeat=count):
                sizes = dict(zip(chosen, values, strict=True))
                if fits(sizes):
                    return Wanted(
                        sizes=[f"{simple[name][1]} == {value + offsets[name]}" for name, value in sizes.items()]
                    )
    return Wanted()
