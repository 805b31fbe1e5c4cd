"""Nodes of stacks: each is a list in Python, which its handle stands for."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from tfgrad_jax.engine.messages.errors import invalid_argument
from tfgrad_jax.engine.tape.custom_gradient import custom_gradient
from tfgrad_jax.engine.threads.context import context
from tfgrad_jax.engine.values import dtypes
from tfgrad_jax.engine.values.dtypes import DType
from tfgrad_jax.engine.values.shapes import UNRANKED
from tfgrad_jax.engine.values.tensor import EagerTensor, Spec, Tensor
from tfgrad_jax.lib.data.base import host_operation
from tfgrad_jax.lib.data.nodes.node import boxed, unboxed
from tfgrad_jax.lib.saved_model.nodes.registry import node, tf

_HANDLE = Spec.of(dtypes.resource, ())
_numbers = itertools.count()


class _Stack:
    """Tensors of one dtype, the last of which comes first.

    Args:
      name: what errors call it.
      dtype: of its elements.
      most: how many elements it may have; negative for any number.
    """

    def __init__(self, name: str, dtype: DType, most: int) -> None:
        self._name, self._dtype, self._most = name, dtype, most
        self._elements: list[Tensor] = []
        self._closed = False

    def push(self, element: Tensor) -> None:
        """Put an element on top."""
        raw = "StackPushV2"
        self._check_open(raw)
        if element.dtype is not self._dtype:
            raise invalid_argument(f"Must have type {self._dtype.name} but got {element.dtype.name}", raw)
        if 0 <= self._most <= len(self._elements):
            raise invalid_argument(f"Stack[{self._name}] overflowed its max_size ({self._most})", raw)
        self._elements.append(element)

    def pop(self, dtype: DType) -> Tensor:
        """Take the element on top."""
        raw = "StackPopV2"
        self._check_open(raw)
        if not self._elements:
            raise invalid_argument(f"Stack[{self._name}] is empty when calling Pop().", raw)
        found = self._elements.pop()
        if found.dtype is not dtype:
            raise invalid_argument(f"Type mismatch: actual {found.dtype.name} vs. expect {dtype.name}", raw)
        return found

    def close(self) -> None:
        """Let go of all elements, and take no more."""
        self._elements.clear()
        self._closed = True

    def _check_open(self, raw: str) -> None:
        if self._closed:
            raise invalid_argument(f"Stack[{self._name}] has already been closed.", raw)


def _of(handle: Any, raw: str) -> _Stack:
    found = unboxed(handle) if isinstance(handle, Tensor) and isinstance(handle.held, np.ndarray) else None
    if not isinstance(found, _Stack):
        raise invalid_argument(f"{raw}: the resource is {handle!r}, and no stack", raw)
    return found


def _run(
    raw: str, do: Callable[[Sequence[Tensor]], list[Tensor]], specs: Sequence[Spec], operands: Sequence[Any]
) -> list[Tensor]:
    return do(operands) if context.graph is None else host_operation(raw, do, specs, operands)


@node("StackV2", stateful=True)
def _stack(max_size: Any, *, elem_type: DType, stack_name: bytes = b"") -> Any:
    def make(given: Sequence[Tensor]) -> list[Tensor]:
        name = f"{stack_name.decode() or 'StackV2'}_{next(_numbers)}"
        return [EagerTensor(boxed(_Stack(name, elem_type, int(given[0].numpy()))), _HANDLE)]

    return _run("StackV2", make, [_HANDLE], [max_size])[0]


@custom_gradient
def _pushed(element: Tensor) -> Any:
    def gradient(cotangent: Any) -> Any:
        raise LookupError("gradient registry has no entry for: StackPushV2")

    return tf("identity")(element), gradient


@node("StackPushV2", stateful=True)
def _push(handle: Any, element: Any, *, swap_memory: bool = False) -> Any:
    def push(given: Sequence[Tensor]) -> list[Tensor]:
        _of(given[0], "StackPushV2").push(given[1])
        return []

    _run("StackPushV2", push, [], [handle, tf("stop_gradient")(element)])
    return _pushed(element)


@node("StackPopV2", stateful=True)
def _pop(handle: Any, *, elem_type: DType) -> Any:
    def pop(given: Sequence[Tensor]) -> list[Tensor]:
        return [_of(given[0], "StackPopV2").pop(elem_type)]

    return _run("StackPopV2", pop, [Spec.of(elem_type, UNRANKED)], [handle])[0]


@node("StackCloseV2", stateful=True)
def _close(handle: Any) -> None:
    def close(given: Sequence[Tensor]) -> list[Tensor]:
        _of(given[0], "StackCloseV2").close()
        return []

    _run("StackCloseV2", close, [], [handle])
