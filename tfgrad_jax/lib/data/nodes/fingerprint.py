"""What a pipeline computes, as a short text, the same in another process.

Not seen are what tables hold, which seeds random operations in functions have, and what Python functions find outside of
themselves: globals, and the attributes of objects.
"""

from __future__ import annotations

import functools
import hashlib
import types
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from tfgrad_jax.engine.graph.lifted import Lifted, Part
from tfgrad_jax.engine.kernels.kernel import Kernel
from tfgrad_jax.engine.state.random_state import RandomState
from tfgrad_jax.engine.values.dtypes import DType
from tfgrad_jax.engine.values.specs import TypeSpec
from tfgrad_jax.engine.values.tensor import EagerTensor
from tfgrad_jax.lib.data.functions import Mapped
from tfgrad_jax.lib.data.nodes.node import Node
from tfgrad_jax.lib.data.random_numbers import SeedSource
from tfgrad_jax.lib.data.structure import Structure


def fingerprint(node: Node) -> str:
    """A digest of a node and all before it: kinds, settings, given seeds, data, and functions as they were recorded."""
    digest = hashlib.sha256()
    for part in _parts(node, []):
        digest.update(part)
        digest.update(b"\0")
    return digest.hexdigest()[:20]


_TEXTS = (bool, int, float, complex, str, bytes, type(None), range, DType, TypeSpec, Path, type)


def _parts(value: Any, around: list[Any]) -> Iterator[bytes]:
    """What tells a value from another.

    Args:
      value: anything that a node holds.
      around: what holds it, which it may hold again.
    """
    describe = next((f for kind, f in _DESCRIBED.items() if isinstance(value, kind)), None)
    yield type(value).__qualname__.encode()
    if isinstance(value, _TEXTS):
        yield repr(value).encode()
    elif describe is not None and not any(value is one for one in around):
        for inner in describe(value):
            yield from _parts(inner, [*around, value])


def _array(value: np.ndarray) -> Iterator[Any]:
    yield str(value.dtype), value.shape
    yield value.tolist() if value.dtype == object else value.tobytes()


def _node(node: Node) -> Iterator[Any]:
    yield node.label
    yield from sorted(vars(node).items())


def _graph(part: Part) -> Iterator[Any]:
    place = {slot: i for i, slot in enumerate((*part.constants, *part.entering))}
    yield list(part.constants.values())
    for node in part.nodes:
        yield node.kernel, tuple([place[s] for s in node.ins])
        for slot in node.outs:
            place[slot] = len(place)
            yield repr(part.specs[slot])
    yield tuple([place[t.slot] for t in part.results])
    if isinstance(part, Lifted):
        yield [box.current for box in part.read if not isinstance(box, RandomState)]


def _kernel(kernel: Kernel) -> Iterator[Any]:
    yield kernel.name, kernel.parts
    if kernel.origin is not None:
        yield kernel.origin.attributes
    elif kernel.named is not None:
        yield kernel.named([f"operand {i}" for i in range(32)])
    elif not kernel.parts:
        yield kernel.fn, kernel.interpret


def _function(function: types.FunctionType) -> Iterator[Any]:
    yield _code(function.__code__)
    yield function.__defaults__, function.__kwdefaults__
    for cell in function.__closure__ or ():
        try:
            yield cell.cell_contents
        except ValueError:  # nothing is in it yet
            yield None


def _code(code: types.CodeType) -> tuple[Any, ...]:
    inner = [_code(c) if isinstance(c, types.CodeType) else repr(c) for c in code.co_consts]
    return code.co_code, code.co_names, tuple(inner)


_DESCRIBED: Mapping[Any, Callable[[Any], Any]] = {
    (tuple, list): iter,
    (set, frozenset): lambda value: sorted(value, key=repr),
    dict: lambda value: value.items(),
    slice: lambda value: (value.start, value.stop, value.step),
    np.ndarray: _array,
    np.generic: lambda value: [str(value.dtype), value.item()],
    EagerTensor: lambda value: [np.asarray(value.array)],
    Node: _node,
    Structure: lambda value: [repr(value.spec)],
    SeedSource: lambda value: [value.given],
    Mapped: lambda value: [value.recorded, list(value.captured), repr(value.structure.spec)],
    Part: _graph,
    Kernel: _kernel,
    functools.partial: lambda value: [value.func, value.args, value.keywords],
    types.FunctionType: _function,
    types.MethodType: lambda value: [value.__func__],
}
