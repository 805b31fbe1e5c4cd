"""Recorded functions as StableHLO, by `jax.export`: what a SavedModel holds of them, and how that runs again."""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import export

from tfgrad_jax.engine.graph.dimensions import LESS, MORE, Wanted
from tfgrad_jax.engine.graph.following import RanksRefused
from tfgrad_jax.engine.graph.lifted import Part
from tfgrad_jax.engine.kernels.derivative_rules import by_rules
from tfgrad_jax.engine.kernels.kernel import Kernel
from tfgrad_jax.engine.messages.attempts import attempt
from tfgrad_jax.engine.messages.logging import warn
from tfgrad_jax.engine.threads.context import context
from tfgrad_jax.engine.values import dtypes
from tfgrad_jax.engine.values.shapes import UNRANKED, TensorShape
from tfgrad_jax.engine.values.symbolic import NeedsValue
from tfgrad_jax.engine.values.tensor import Spec

PLATFORMS = ("cpu", "cuda", "tpu")
"""What programs are made for, where they can be; otherwise for the one that is here."""

_FEW = 5
"""So many operands are divided in all ways by which of them have open sizes in common."""

_ONE = (1, 1, 1)

_LEAST = ((0, 0, 0), (1, 0, 0), (1, 0, 1), _ONE, (2, 0, 1), (2, 1, 1))
"""The least sizes with which programs are tried; see `_named`."""

_OPEN = 3
"""Operands with more open sizes than that have none that may be zero: JAX takes long to compare products of many."""

_ENOUGH = 2
"""So many times in turn a shape that depends on values ends the trials."""

_LEAST_OF = {0: LESS, 1: "", 2: MORE}
"""What follows a symbol of which JAX knows that it is 1 at least."""

_FACTORS = (2, 4, 8, 16, 32, 64)
"""What divides sizes of images that are made smaller step by step, and as large again."""

_RANKS = (1, 7, 5, 4)
"""How many ranks are written for, by the number of operands of unknown rank."""

_ON_HOST = (dtypes.string, dtypes.variant, dtypes.resource)


@dataclasses.dataclass
class Module:
    """A program.

    Attributes:
      code: the serialized StableHLO.
      version: of the calling convention.
      platforms: what it was made for.
      inputs, outputs: shapes of operands and results, as texts in which open sizes have names.
      input_dtypes, output_dtypes: of operands and results.
    """

    code: bytes
    version: int
    platforms: tuple[str, ...]
    inputs: list[str]
    outputs: list[str]
    input_dtypes: list[Any]
    output_dtypes: list[Any]

    @property
    def output_shapes(self) -> list[list[int | None]]:
        """The shapes of results, with None for open sizes."""
        return [[int(n) if n.isdigit() else None for n in split_sizes(text)] for text in self.outputs]


def split_sizes(text: str) -> list[str]:
    """The sizes in the text of a shape: commas inside parentheses belong to an expression."""
    found, depth, at = [], 0, 0
    for i, letter in enumerate(text):
        depth += (letter == "(") - (letter == ")")
        if letter == "," and not depth:
            found.append(text[at:i].strip())
            at = i + 1
    found.append(text[at:].strip())
    return [f for f in found if f]


def host_operations(part: Part) -> list[str]:
    """The raw names of operations in a graph that only the host can run, also of those inside branches and loops."""
    found: dict[str, None] = {}
    tensors = part.graph.tensors
    for node in part.nodes:
        kernel = node.kernel
        if kernel.host or any(tensors[s].dtype in _ON_HOST for s in (*node.ins, *node.outs)):
            found[kernel.name] = None
        for inner in kernel.parts:
            found.update(dict.fromkeys(host_operations(inner)))
    return list(found)


def exported(function: Callable[..., Any], specs: Sequence[Spec], label: str, ranked: bool = True) -> Module:
    """The program of a function of arrays.

    Args:
      function: takes and returns arrays.
      specs: of its operands; sizes may be open.
      label: what errors call it.
      ranked: whether these are its only ranks; where there are many programs, each is tried in fewer ways.

    Raises:
      ValueError: if it cannot be exported.
    """
    is_open = any(None in s.shape for s in specs)
    # Open sizes are taken for different ones that may be as small as possible, and for equal where operations need that. If that
    # cannot be, as few as possible of those in the first places, where batches have their size, are taken for equal beforehand;
    # then those in the same place of all operands.
    alike = list(_alike(specs)) if is_open else [[[] for _ in specs]]
    by_place = [[f"d{k}" for k in range(len(s.shape))] for s in specs]
    few = ranked and is_open and all(s.shape.count(None) <= _OPEN for s in specs)
    smallest = _LEAST if few else ()
    ways = [(alike[0], least) for least in smallest] + [(names, _ONE) for names in [*alike, by_place]]
    # Where nothing of that helps, sizes in other places are taken for multiples of a number, or single ones for known ones.
    errors: list[Exception] = []
    wanted, types = Wanted(), [s.dtype.np for s in specs]
    for factor in (1, *_FACTORS, 0):
        apt = factor == 1 or (wanted.multiples if factor else wanted.sizes)
        for number, (names, least) in enumerate((ways if factor < 2 else [(alike[0], (0, 0, 1))]) if apt else ()):
            shapes = [_named(s, n, *least, factor) for s, n in zip(specs, names, strict=True)]
            try:
                return program(function, shapes, types, wanted, not factor, number < len(smallest))
            except Exception as error:  # what JAX cannot do with symbols for sizes it says in many ways
                errors.append(error)
                if len(errors) > _ENOUGH and all(isinstance(e, NeedsValue) for e in errors[-_ENOUGH:]):
                    break  # more would not help: a shape depends on values
        else:
            continue
        break
    first = errors[min(len(ways), len(errors)) - 1]
    hint = (
        " Sizes that are open in its signature are symbols here: it may work with sizes that are known."
        if is_open
        else ""
    )
    raise ValueError(
        f"tf.saved_model.save: the function {label!r} cannot be exported: {type(first).__name__}: {first}{hint}"
    ) from first


class ByRank:
    """The programs of a function that takes tensors of unknown rank: one for each combination of ranks.

    Args:
      specs: of all operands.
      label: what errors call the function.

    Attributes:
      unranked: the positions of the operands of unknown rank.
      ranks: each of them may have fewer dimensions than that.
      ways: the specs with each combination of ranks, that of the last operand changing fastest.

    Raises:
      ValueError: if there are too many such operands.
    """

    def __init__(self, specs: Sequence[Spec], label: str) -> None:
        self._label = label
        self.unranked = [i for i, s in enumerate(specs) if s.shape is UNRANKED]
        if len(self.unranked) >= len(_RANKS):
            raise ValueError(
                f"tf.saved_model.save: the function {label!r} takes {len(self.unranked)} tensors of unknown rank, and there is a "
                f"program for each combination. Give it an input_signature in which the ranks are known; single sizes may be None."
            )
        self.ranks = _RANKS[len(self.unranked)]
        self.ways: list[list[Spec]] = []
        for combination in itertools.product(range(self.ranks), repeat=len(self.unranked)):
            ranks = dict(zip(self.unranked, combination, strict=True))
            self.ways.append(
                [Spec.open(s.dtype, TensorShape([None] * ranks[i])) if i in ranks else s for i, s in enumerate(specs)]
            )

    def exported(self, program_of: Callable[[int, list[Spec]], Module]) -> list[Module]:
        """The programs. Ranks that the function cannot take have another's, which refuses them when it runs.

        Raises:
          ValueError: if there is none.
        """
        found: list[Module | None] = []
        failed: ValueError | None = None
        for number, way in enumerate(self.ways):
            try:
                found.append(program_of(number, way))
            except ValueError as error:
                found.append(None)
                failed = error
        some = next((module for module in found if module is not None), None)
        if some is None:
            raise failed or ValueError(f"tf.saved_model.save: the function {self._label!r} has no program")
        return [module or some for module in found]


def _alike(specs: Sequence[Spec]) -> Iterator[list[list[str]]]:
    """Names of sizes, of which those in the first places of several operands that are open have one: ever fewer names."""
    first = [i for i, s in enumerate(specs) if s.shape and s.shape[0] is None]
    groups = (
        sorted(_groupings(len(first)), key=lambda g: len(set(g)))
        if len(first) <= _FEW
        else [[0] * len(first), [*range(len(first))]]
    )
    for grouping in reversed(groups):
        group = dict(zip(first, grouping, strict=True))
        yield [[f"b{group.get(i)}", *(f"a{i}d{k}" for k in range(1, len(s.shape)))] for i, s in enumerate(specs)]


def _groupings(count: int) -> list[list[int]]:
    """All ways to divide so many things into groups: the number of the group of each."""
    found: list[list[int]] = [[0] * min(count, 1)]
    for _ in range(1, count):
        found = [[*one, group] for one in found for group in range(max(one) + 2)]
    return found


def _named(spec: Spec, names: Sequence[str], vectors: int, first: int, others: int, factor: int = 1) -> str:
    """A shape as a text, in which open sizes have the names that stand in their places, and are of at least so many.

    Args:
      spec: the type.
      names: by place.
      vectors: the least size of vectors of integers, as the ends of rows are.
      first, others: that of other tensors in the first place, and in others.
      factor: what divides those in others, if it is above 1.
    """
    row = len(spec.shape) == 1 and spec.dtype.is_integer
    least = [vectors if row else first, *[others] * len(names)]
    times = [f"{factor}*" if k and factor > 1 else "" for k in range(len(names))]
    texts = [t + name + _LEAST_OF[n] for t, name, n in zip(times, names, least)]
    return ", ".join(texts[k] if n is None else str(n) for k, n in enumerate(spec.shape))


def _not_negative(shapes: Sequence[str]) -> list[str]:
    """That products of sizes of which some may be 0 are not negative, which JAX does not find out."""
    found: dict[str, None] = {}
    for text in shapes:
        sizes = [n for n in split_sizes(text) if n.removesuffix(LESS).isidentifier()]
        if len(sizes) > _OPEN or all(n.isidentifier() for n in sizes):
            continue
        for count in range(2, len(sizes) + 1):
            for chosen in itertools.combinations(sizes, count):
                lowered = [i for i, n in enumerate(chosen) if n.endswith(LESS)]
                terms = [
                    ("-" if len(gone) % 2 else "+")
                    + ("*".join([n.removesuffix(LESS) for i, n in enumerate(chosen) if i not in gone]) or "1")
                    for k in range(len(lowered) + 1)
                    for gone in itertools.combinations(lowered, k)
                ]
                found[" ".join(terms).removeprefix("+") + " >= 0"] = None
    return list(found)


def program(
    function: Callable[..., Any],
    shapes: Sequence[str],
    types: Sequence[Any],
    found: Wanted,
    fixing: bool = False,
    joining: bool = False,
) -> Module:
    """The program of a function of arrays of these shapes and dtypes, for all platforms if possible.

    Where operations fit open sizes only under conditions (a reshape: that a size divides their product; a sum or a product with
    a variable: that a size is the variable's), the program has these: it is traced again with them, and refuses other sizes when
    it runs.

    Args:
      function: takes and returns arrays.
      shapes, types: of its operands.
      found: is added what could be assumed.
      fixing: whether sizes are taken for known ones where an operation needs that.
      joining: whether sizes are taken for equal where an operation needs that.
    """
    assumed = _not_negative(shapes)
    while True:
        wanted = Wanted()
        try:
            with attempt():
                return _program(function, shapes, types, assumed, wanted)
        except Exception:
            found.add(wanted)
            offered = [*wanted.conditions, *(wanted.sizes if fixing else wanted.equal if joining else ())]
            added = [condition for condition in offered if condition not in assumed]
            if not added:
                raise
            assumed += added


def _program(
    function: Callable[..., Any], shapes: Sequence[str], types: Sequence[Any], assumed: list[str], wanted: Wanted
) -> Module:
    scope = export.SymbolicScope(assumed)
    structs = _structs(shapes, types, scope)
    compiled = jax.jit(function, keep_unused=True)
    before, context.exporting = context.exporting, wanted
    try:
        try:
            made = export.export(compiled, platforms=PLATFORMS)(*structs)
        except (
            Exception
        ) as error:  # an operation that one of them does not have; what is wrong everywhere, the next line raises
            made = export.export(compiled)(*structs)
            warn(
                "tf.saved_model.save: a function is saved for %s alone, because it cannot be compiled for all of %s: %s",
                ", ".join(made.platforms),
                ", ".join(PLATFORMS),
                error,
            )
    finally:
        context.exporting = before
    return Module(
        made.mlir_module_serialized,
        made.calling_convention_version,
        tuple(made.platforms),
        [_text(a.shape) for a in made.in_avals],
        [_text(a.shape) for a in made.out_avals],
        list(types),
        [np.dtype(a.dtype) for a in made.out_avals],
    )


def _structs(shapes: Sequence[str], types: Sequence[Any], scope: Any) -> list[Any]:
    return [
        jax.ShapeDtypeStruct(export.symbolic_shape(text, scope=scope) if text else (), dtype)
        for text, dtype in zip(shapes, types, strict=True)
    ]


def _text(shape: Iterable[Any]) -> str:
    return ", ".join(map(str, shape))


def runner(module: Module, trusting: bool = False) -> Kernel:
    """A kernel that runs a program. It has no gradient of its own: that is another program.

    Args:
      module: the program.
      trusting: whether operands of open sizes are taken for such as it takes, with nothing known of the sizes of results.
    """
    made_sizes = {n for text in module.outputs for n in split_sizes(text) if not (n.isdigit() or n.isidentifier())}
    fitting = [f"{n} >= 0" for n in sorted(made_sizes)]  # what the program needs of sizes so that windows fit, say
    scope = export.SymbolicScope([*_not_negative([*module.inputs, *module.outputs]), *fitting])
    inputs = _structs(module.inputs, module.input_dtypes, scope)
    outputs = [export.symbolic_shape(text, scope=scope) if text else () for text in module.outputs]

    def alike(*arrays: Any) -> list[Any]:
        return [jnp.zeros(shape, dtype) for shape, dtype in zip(outputs, module.output_dtypes, strict=True)]

    # A program of the same types, made here, in which the code is exchanged.
    model = export.export(jax.jit(alike), platforms=module.platforms)(*inputs)
    made = dataclasses.replace(
        model,
        mlir_module_serialized=module.code,
        calling_convention_version=module.version,
        module_kept_var_idx=tuple(range(len(inputs))),
    )

    ranks = [len(a.shape) for a in inputs]

    def run(*arrays: Any) -> list[Any]:
        if [np.ndim(a) for a in arrays] != ranks:
            raise RanksRefused(
                None,
                None,
                f"XlaCallModule: a program of a SavedModel takes operands of shapes {[list(a.shape) for a in inputs]}, got "
                f"{[list(np.shape(a)) for a in arrays]}; give it operands of these ranks",
            )
        return list(made.call(*arrays))

    kernel = Kernel("XlaCallModule", run, differentiable=0)
    if trusting:
        made_types = map(dtypes.as_dtype, module.output_dtypes)
        specs = list(map(Spec.open, made_types, map(TensorShape, module.output_shapes)))
        kernel.open_shapes = lambda shapes, values: specs
    return kernel


class Gradient:
    """The gradient of a graph as a function of arrays: of cotangents, then of what enters the graph.

    Args:
      part: the graph.

    Attributes:
      outputs: positions of the results that have cotangents.
      inputs: positions, among what enters, of those that have a gradient.
    """

    def __init__(self, part: Part) -> None:
        self._part = part
        self.outputs = [i for i, t in enumerate(part.outputs) if t.dtype.trainable]
        tensors = part.graph.tensors
        self.inputs = [
            i
            for i, (slot, joined) in enumerate(zip(part.entering, part.connected(), strict=True))
            if joined and tensors[slot].dtype.trainable
        ]

    def __call__(self, *arrays: Any) -> list[Any]:
        count = len(self.outputs)
        cotangents, given = arrays[:count], arrays[count:]

        def results(*moving: Any) -> list[Any]:
            full = list(given)
            for i, value in zip(self.inputs, moving, strict=True):
                full[i] = value
            made = self._part.run(*full)
            return [jnp.asarray(made[i]) for i in self.outputs]

        with by_rules(silent=True):
            _, pull = jax.vjp(results, *[given[i] for i in self.inputs])
            return list(pull(list(cotangents)))
