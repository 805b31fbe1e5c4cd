"""`tf.compat.v1.train.Optimizer`: what all optimizers of version 1 have in common."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from tfgrad_jax.engine.composite.indexed_slices import IndexedSlices
from tfgrad_jax.engine.graph.waiting import assigned, assignments
from tfgrad_jax.engine.names.export import export
from tfgrad_jax.engine.names.scopes import name_scope
from tfgrad_jax.engine.run.eager import executing_eagerly, init_scope
from tfgrad_jax.engine.state.trackable import Trackable
from tfgrad_jax.engine.state.unanswered import tell
from tfgrad_jax.engine.state.variable import Variable
from tfgrad_jax.engine.tape.graph_gradients import gradients
from tfgrad_jax.engine.tape.tape import GradientTape
from tfgrad_jax.engine.values import dtypes
from tfgrad_jax.engine.values.convert import convert
from tfgrad_jax.engine.values.tensor import Tensor
from tfgrad_jax.lib.v1.collections import GraphKeys, get_collection
from tfgrad_jax.lib.v1.variable_scope import unique_scope_name
from tfgrad_jax.ops.array.creation import zeros
from tfgrad_jax.ops.array.partition import unique
from tfgrad_jax.ops.common import sizes_of
from tfgrad_jax.ops.math.cast import cast
from tfgrad_jax.ops.segments.segment import unsorted_segment_sum

_VALID = (dtypes.float16, dtypes.bfloat16, dtypes.float32, dtypes.float64)


@export("compat.v1.train.Optimizer")
class Optimizer(Trackable):
    """Base of optimizers. Mirrors `tf.compat.v1.train.Optimizer`; methods that begin with `_` are those that subclasses give.

    Args:
      use_locking: accepted for compatibility.
      name: of variables that the optimizer makes.
      use_own_namescope_for_non_slot_vars: whether variables that belong to no other one have `name` before theirs.

    Raises:
      ValueError: if there is no name.
    """

    GATE_NONE = 0
    GATE_OP = 1
    GATE_GRAPH = 2

    def __init__(self, use_locking: bool, name: str, use_own_namescope_for_non_slot_vars: bool = False) -> None:
        if not name:
            raise ValueError("Must specify the optimizer name")
        self._use_locking = use_locking
        self._name = name
        self._own_namescope = use_own_namescope_for_non_slot_vars
        self._slots: dict[str, dict[int, Any]] = {}
        self._non_slot_dict: dict[str, Any] = {}
        self._waiting_slots: dict[tuple[str, int], list[Any]] = {}

    def get_name(self) -> str:
        """The name that was given."""
        return self._name

    # -- what programs call -------------------------------------------------------------------------------------------

    def minimize(
        self, loss: Any, global_step: Any = None, var_list: Any = None, gate_gradients: int = GATE_OP,
        aggregation_method: Any = None, colocate_gradients_with_ops: bool = False, name: str | None = None, grad_loss: Any = None,
    ) -> Any:  # fmt: skip
        """One step: `compute_gradients`, then `apply_gradients`; see those.

        Raises:
          ValueError: if no variable has a gradient.
        """
        pairs = self.compute_gradients(
            loss, var_list, gate_gradients, aggregation_method, colocate_gradients_with_ops, grad_loss
        )
        if all(gradient is None for gradient, _ in pairs):
            raise ValueError(
                "No gradients provided for any variable, check your graph for ops that do not support gradients, between variables "
                f"{[str(variable) for _, variable in pairs]} and loss {loss}."
            )
        return self.apply_gradients(pairs, global_step, name)

    def compute_gradients(
        self, loss: Any, var_list: Any = None, gate_gradients: int = GATE_OP,
        aggregation_method: Any = None, colocate_gradients_with_ops: bool = False, grad_loss: Any = None,
    ) -> list[tuple[Any, Any]]:  # fmt: skip
        """The gradients of a loss.

        Args:
          loss: a function of no arguments; in a `tf.function` also a tensor.
          var_list: the variables; where None, the trainable ones that the function reads.
          grad_loss: the gradient of something else with respect to the loss.
          gate_gradients, aggregation_method, colocate_gradients_with_ops: accepted for compatibility.

        Returns:
          A list of gradients, which may be None, with their variables.

        Raises:
          RuntimeError: if `loss` is a tensor, eagerly.
          ValueError: if there are no variables.
        """
        seed = None if grad_loss is None else [convert(grad_loss)]
        if callable(loss):
            with GradientTape() as tape:
                if var_list is not None:
                    tape.watch(_flat(var_list))
                value = loss()
            variables = tape.watched_variables() if var_list is None else _flat(var_list)
            found = tape.gradient(value, list(variables), seed[0] if seed else None)
            return list(zip(found, variables))
        if executing_eagerly():
            raise RuntimeError(
                "`loss` passed to Optimizer.compute_gradients should be a function when eager execution is enabled."
            )
        variables = get_collection(GraphKeys.TRAINABLE_VARIABLES) if var_list is None else _flat(var_list)
        if not variables:
            raise ValueError(
                "No variables to optimize: the graph has no trainable ones. Give a function that computes the loss, or name the "
                "variables by `var_list`."
            )
        return list(zip(gradients([loss], list(variables), seed), variables))

    def apply_gradients(
        self,
        grads_and_vars: Any,
        global_step: Any = None,
        name: str | None = None,
        skip_gradients_aggregation: bool = False,
    ) -> Any:
        """Change variables by gradients.

        Args:
          grads_and_vars: pairs of a gradient, which may be None, and its variable.
          global_step: a variable that is counted up.
          name, skip_gradients_aggregation: accepted for compatibility.

        Returns:
          None; in a graph that sessions run, the operation.

        Raises:
          ValueError: if there are no variables, or no gradient.
          NotImplementedError: if something is no variable.
        """
        pairs = tuple(grads_and_vars)
        if not pairs:
            raise ValueError("No variables provided.")
        changed = []
        for gradient, variable in pairs:
            if gradient is None:
                if isinstance(variable, Variable):
                    tell(variable)
                continue
            if not isinstance(variable, Variable):
                raise NotImplementedError(
                    f"{self._name}: trying to update a Tensor, which is no tf.Variable: {variable}"
                )
            gradient = gradient if isinstance(gradient, IndexedSlices) else convert(gradient)
            self._assert_valid_dtypes([gradient, variable])
            changed.append((gradient, variable))
        if not changed:
            raise ValueError(f"No gradients provided for any variable: {[str(variable) for _, variable in pairs]}.")
        with init_scope():
            self._create_slots([variable for _, variable in changed])
        self._prepare()
        with assignments() as made:
            for gradient, variable in changed:
                if isinstance(gradient, IndexedSlices):
                    self._resource_apply_sparse_duplicate_indices(gradient.values, variable, gradient.indices)
                else:
                    self._resource_apply_dense(gradient, variable)
                if variable.constraint is not None:
                    variable.assign(variable.constraint(variable))
            self._finish([], name or self._name)
            if global_step is not None:
                global_step.assign_add(1, read_value=False)
        return assigned(made, name or self._name)

    def get_slot(self, var: Any, name: str) -> Any:
        """The variable that the optimizer keeps for another one under a name, or None."""
        return self._slots.get(name, {}).get(var.identity)

    def get_slot_names(self) -> list[str]:
        """The names of slots."""
        return sorted(self._slots)

    def variables(self) -> list[Any]:
        """All variables that the optimizer made, by name."""
        slots = [variable for known in self._slots.values() for variable in known.values()]
        return sorted([*self._non_slot_dict.values(), *slots], key=lambda variable: variable.name)

    # -- what subclasses give -----------------------------------------------------------------------------------------

    def _create_slots(self, var_list: Sequence[Any]) -> None:
        """Make the variables that are kept; called before each step."""

    def _prepare(self) -> None:
        """Make tensors of settings; called before each step."""

    def _finish(self, update_ops: list[Any], name_scope: str) -> Any:
        """Do what comes after all variables changed."""

    def _apply_dense(self, grad: Tensor, var: Any) -> Any:
        raise NotImplementedError(f"{type(self).__name__} gives neither _apply_dense nor _resource_apply_dense")

    def _apply_sparse(self, grad: IndexedSlices, var: Any) -> Any:
        raise NotImplementedError(f"{type(self).__name__} gives neither _apply_sparse nor _resource_apply_sparse")

    def _resource_apply_dense(self, grad: Tensor, handle: Any) -> Any:
        """Change a variable by a gradient."""
        return self._apply_dense(grad, handle)

    def _resource_apply_sparse(self, grad: Tensor, handle: Any, indices: Tensor) -> Any:
        """Change rows of a variable by their gradients; each row comes once."""
        return self._apply_sparse(IndexedSlices(grad, indices), handle)

    def _resource_apply_sparse_duplicate_indices(self, grad: Tensor, handle: Any, indices: Tensor) -> Any:
        """Change rows of a variable by gradients of which several may be about one row: these are added up first."""
        rows, places = unique(indices)
        return self._resource_apply_sparse(unsorted_segment_sum(grad, places, sizes_of(rows)[0]), handle, rows)

    def _valid_dtypes(self) -> set[Any]:
        return set(_VALID)

    def _assert_valid_dtypes(self, tensors: Sequence[Any]) -> None:
        valid = self._valid_dtypes()
        for tensor in tensors:
            if tensor.dtype not in valid:
                raise ValueError(
                    f"Invalid type {tensor.dtype!r} for {getattr(tensor, 'name', tensor)}, expected: {sorted(map(repr, valid))}."
                )

    # -- what subclasses call -----------------------------------------------------------------------------------------

    @staticmethod
    def _call_if_callable(param: Any) -> Any:
        """The value of a setting that may be a function of no arguments."""
        return param() if callable(param) else param

    def _setting(self, value: Any, like: Any) -> Any:
        """A setting as a scalar of a variable's dtype."""
        return cast(convert(self._call_if_callable(value)), like.dtype)

    def _zeros_slot(self, var: Any, slot_name: str, op_name: str) -> Any:
        return self._get_or_make_slot(var, None, slot_name, op_name)

    def _get_or_make_slot(self, var: Any, val: Any, slot_name: str, op_name: str) -> Any:
        """The variable kept for another one; made of a value, or of zeros where None."""
        known = self._slots.setdefault(slot_name, {})
        slot = known.get(var.identity)
        if slot is None:
            name = unique_scope_name(f"{var.name.partition(':')[0]}/{op_name}")
            with name_scope(""):
                slot = Variable(zeros(var.shape, var.dtype) if val is None else val, trainable=False, name=name)
            known[var.identity] = slot
            for position in self._waiting_slots.pop((slot_name, var.identity), ()):
                position.restore(slot)
        return slot

    def _get_or_make_slot_with_initializer(
        self, var: Any, initializer: Callable[..., Any], shape: Any, dtype: Any, slot_name: str, op_name: str
    ) -> Any:
        """The variable kept for another one; made by an initializer."""
        if var.identity in self._slots.get(slot_name, {}):
            return self.get_slot(var, slot_name)
        return self._get_or_make_slot(var, initializer(shape.as_list(), dtype=dtype), slot_name, op_name)

    def _slot_dict(self, slot_name: str) -> dict[int, Any]:
        return self._slots.setdefault(slot_name, {})

    def _create_non_slot_variable(self, initial_value: Any, name: str, colocate_with: Any) -> Any:
        """The variable of a name that belongs to no other one; made of a value."""
        if name not in self._non_slot_dict:
            with name_scope(f"{self._name}/" if self._own_namescope else ""):
                self._non_slot_dict[name] = Variable(initial_value, trainable=False, name=name)
            self._handle_deferred_dependencies(name, self._non_slot_dict[name])
        return self._non_slot_dict[name]

    def _get_non_slot_variable(self, name: str, graph: Any = None) -> Any:
        return self._non_slot_dict.get(name)

    def _non_slot_variables(self) -> list[Any]:
        return list(self._non_slot_dict.values())

    # -- checkpoints --------------------------------------------------------------------------------------------------

    def _trackable_children(self, save_type: str = "checkpoint", **kwargs: Any) -> dict[str, Any]:
        return {**super()._trackable_children(save_type, **kwargs), **dict(sorted(self._non_slot_dict.items()))}

    def _lookup_dependency(self, name: str, cached_dependencies: Any = None) -> Any:
        found = super()._lookup_dependency(name, cached_dependencies)
        return self._non_slot_dict.get(name) if found is None else found

    def _create_or_restore_slot_variable(self, slot_variable_position: Any, slot_name: str, variable: Any) -> None:
        """Restore the variable kept for another one; later, where there is none yet."""
        slot = self.get_slot(variable, slot_name)
        if slot is None:
            self._waiting_slots.setdefault((slot_name, variable.identity), []).append(slot_variable_position)
        else:
            slot_variable_position.restore(slot)


def _flat(variables: Any) -> list[Any]:
    if isinstance(variables, (list, tuple)):
        return [variable for part in variables for variable in _flat(part)]
    return [variables]
