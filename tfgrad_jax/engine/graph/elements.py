"""Operations and tensors of a graph by their names, and its variables."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from typing import Any

import jax

from tfgrad_jax.engine.hooks import device_scope
from tfgrad_jax.engine.values import nest
from tfgrad_jax.engine.values.symbolic import SymbolicTensor
from tfgrad_jax.engine.values.tensor import Tensor


def variable_of(box: Any) -> Any:
    """The variable whose state a box is; None if it is something else's, or the variable is gone."""
    owner = getattr(box, "owner", None)
    return owner() if owner is not None else None


class Elements:
    """What a graph is asked for by name, and its variables."""

    jit_compile: bool | None
    nodes: list[Any]
    tensors: list[Any]
    waits: dict[int, set[int]]
    written: dict[int, list[int]]

    @property
    def variables(self) -> tuple[Any, ...]:
        """The variables that are read or written."""
        boxes = self.boxes.values()  # type: ignore[attr-defined]
        return tuple([v for v in (variable_of(box) for box, _ in boxes) if v is not None])

    @property
    def trainable_variables(self) -> tuple[Any, ...]:
        """The trainable ones among `variables`."""
        return tuple([v for v in self.variables if v.trainable])

    def first_value(self, make: Callable[[], Any]) -> Any:
        """What a function gives for the first value of a variable, which is computed outside of the program, and not by XLA."""
        before, self.jit_compile = self.jit_compile, False
        try:
            return make()
        finally:
            self.jit_compile = before

    def assignment(self, box: Any) -> Any:
        """What made the value that a box was assigned last."""
        return self.operation(self.values[box.id].slot)  # type: ignore[attr-defined]

    def get_operation_by_name(self, name: str) -> Any:
        """The operation of a name.

        Raises:
          TypeError: if the name is no string.
          ValueError: if it is a tensor's.
          KeyError: if there is no such operation.
        """
        if not isinstance(name, str):
            raise TypeError(f"Operation names are strings (or similar), not {type(name).__name__}.")
        if ":" in name:
            raise ValueError(f"Name {name!r} appears to refer to a Tensor, not a Operation.")
        for operation in self.get_operations():  # type: ignore[attr-defined]
            if operation.name == name:
                return operation
        raise KeyError(f"The name {name!r} refers to an Operation not in the graph.")

    def get_tensor_by_name(self, name: str) -> Any:
        """The tensor of a name, `"<operation>:<number of its result>"`.

        Raises:
          TypeError: if the name is no string.
          ValueError: if it is none of a tensor.
          KeyError: if there is no such tensor.
        """
        if not isinstance(name, str):
            raise TypeError(f"Tensor names are strings (or similar), not {type(name).__name__}.")
        operation, colon, _ = name.rpartition(":")
        if not colon:
            known = any(found.name == name for found in self.get_operations())  # type: ignore[attr-defined]
            what = (
                "refers to an Operation, not a Tensor"
                if known
                else "looks like an (invalid) Operation name, not a Tensor"
            )
            raise ValueError(f'The name {name!r} {what}. Tensor names must be of the form "<op_name>:<output_index>".')
        for tensor in self.tensors:
            if tensor.name == name:
                return tensor
        made = [found for found in self.get_operations() if found.name == operation]  # type: ignore[attr-defined]
        if made:
            raise KeyError(
                f"The name {name!r} refers to a Tensor which does not exist. The operation, {operation!r}, exists but only has "
                f"{len(made[0].outputs)} outputs."
            )
        raise KeyError(
            f"The name {name!r} refers to a Tensor which does not exist: there is none of {operation!r} with it."
        )

    def as_graph_element(self, obj: Any, allow_tensor: bool = True, allow_operation: bool = True) -> Any:
        """The tensor or operation that a name means; these themselves as they are."""
        if not isinstance(obj, str):
            if not hasattr(type(obj), "graph") and not hasattr(obj, "graph"):
                wanted = " or ".join(["Tensor"] * allow_tensor + ["Operation"] * allow_operation)
                raise TypeError(f"Can not convert a {type(obj).__name__} into a {wanted}.")
            return obj
        return self.get_tensor_by_name(obj) if allow_tensor and ":" in obj else self.get_operation_by_name(obj)

    # -- contexts, which the graph that is open has as functions, too ----------------------------------------------------

    def control_dependencies(self, control_inputs: Any) -> Any:
        """A context whose operations wait for others; those of None wait for nothing.

        Raises:
          TypeError: for what is no operation or tensor.
        """
        if not self.on_demand:  # type: ignore[attr-defined]
            return self._waiting_for(control_inputs)
        for control in control_inputs or ():
            if isinstance(control, (bool, int, float, str)):
                raise TypeError(
                    f"Control input must be an Operation, a Tensor, or IndexedSlices. Received type {type(control)}."
                )
        return self.waiting(control_inputs)  # type: ignore[attr-defined]

    @contextlib.contextmanager
    def _waiting_for(self, controls: Any) -> Iterator[None]:
        # What a function records runs in the order of the program anyway. What waits for an element that never comes does not run.
        first, made, waits = len(self.nodes), range(len(self.tensors)), set[int]()
        for control in nest.flatten(controls, expand_composites=True) if controls is not None else ():
            waits.update(self._slots_of(control, made))
        yield
        for node in self.nodes[first:] if waits else ():
            for slot in node.outs:
                self.waits[slot] = waits | self.waits.get(slot, set())

    def _slots_of(self, control: Any, made: range) -> Any:
        """What one waits for who waits for `control`: where it is an operation that nothing shows, for all that was made before."""
        if isinstance(control, Tensor):
            return (control.slot,) if isinstance(control, SymbolicTensor) and control.graph is self else ()
        if hasattr(control, "box"):
            return self.written.get(control.box.id, ())[-1:]
        return getattr(getattr(control, "node", None), "outs", ()) or made

    def device(self, device_name_or_function: Any) -> Any:
        """A context as `tf.device`; a function that chooses a device for each operation is not asked."""
        return contextlib.nullcontext() if callable(device_name_or_function) else device_scope(device_name_or_function)

    def _apply_device_functions(self, op: Any) -> None:
        """Tell an operation, or what takes its place, of the `tf.device` that is open: Keras 2 asks so before convolutions."""
        chosen = jax.config.jax_default_device  # type: ignore[attr-defined]
        if chosen is not None:
            op._set_device_from_string(f"/device:{chosen.platform.upper()}:{chosen.id}")
