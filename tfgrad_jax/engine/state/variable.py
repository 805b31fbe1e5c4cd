"""Variables: named boxes around a tensor that assignments replace."""

from __future__ import annotations

import copy
import functools
import weakref
from abc import ABCMeta
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from tfgrad_jax.engine.kernels.kernel import Kernel
from tfgrad_jax.engine.messages.errors import not_in_place
from tfgrad_jax.engine.names.export import export, recognised_as
from tfgrad_jax.engine.names.scopes import scoped
from tfgrad_jax.engine.run.execute import alias, identity, misfit
from tfgrad_jax.engine.state.creators import creator
from tfgrad_jax.engine.state.handle import ASSIGN_ADD, ASSIGN_SUB, Handle, unequal
from tfgrad_jax.engine.state.in_sessions import InSessions
from tfgrad_jax.engine.state.leaving import Leaving
from tfgrad_jax.engine.state.resource import ResourceTensor
from tfgrad_jax.engine.state.saved_value import SavedValue
from tfgrad_jax.engine.state.synchronization import VariableAggregation, VariableSynchronization
from tfgrad_jax.engine.state.trackable import Trackable
from tfgrad_jax.engine.state.unanswered import GivenToOptimizers
from tfgrad_jax.engine.threads.context import context
from tfgrad_jax.engine.values import display
from tfgrad_jax.engine.values.convert import convert, registered
from tfgrad_jax.engine.values.dtypes import DType, as_dtype
from tfgrad_jax.engine.values.operators import Operators
from tfgrad_jax.engine.values.shapes import TensorShape
from tfgrad_jax.engine.values.tensor import EagerTensor, Reference, Spec, Tensor

new_object = object.__new__


class _VariableType(ABCMeta):
    """Lets `tf.Variable(...)` make the concrete class, and classes be abstract and a variable at once, as TensorFlow does."""

    if not TYPE_CHECKING:  # type checkers would not look at `__init__`, and not know what is made

        def __call__(cls, *args: Any, **kwargs: Any) -> Any:
            return creator(ResourceVariable, args, kwargs) if cls is Variable else super().__call__(*args, **kwargs)


@export("Variable")
class Variable(InSessions, Leaving, GivenToOptimizers, Trackable, Operators, metaclass=_VariableType):
    """A mutable tensor. Mirrors `tf.Variable`.

    Args:
      initial_value: a value that `tf.convert_to_tensor` takes, or a callable that returns one.
      trainable: whether tapes watch it when it is read; True unless `synchronization` is ON_READ.
      validate_shape, caching_device: accepted for compatibility.
      name: the name; the open name scope is put before it, unless it ends with "/".
      variable_def, import_scope: of TensorFlow's graph mode; must be None.
      dtype: the dtype that the value is converted to.
      constraint: a function kept for optimizers to apply after an update.
      synchronization, aggregation: of distributed training; kept.
      shape: a static shape more general than the value's, such as `tf.TensorShape(None)`.
      experimental_enable_variable_lifting: accepted for compatibility.

    Raises:
      ValueError: if there is no initial value, or it does not fit `shape`.
    """

    _is_tensor_type = True
    __array_priority__ = 100
    __slots__ = ("__dict__", "__weakref__", "_handle_name", "_trainable", "box", "identity")

    def __init__(
        self,
        initial_value: Any = None,
        trainable: bool | None = None,
        validate_shape: bool = True,
        caching_device: Any = None,
        name: str | None = None,
        variable_def: Any = None,
        dtype: Any = None,
        import_scope: Any = None,
        constraint: Callable[..., Any] | None = None,
        synchronization: VariableSynchronization = VariableSynchronization.AUTO,
        aggregation: VariableAggregation = VariableAggregation.NONE,
        shape: Any = None,
        experimental_enable_variable_lifting: bool | None = True,
    ) -> None:
        if initial_value is None:
            if not isinstance(self, ResourceVariable):  # libraries notice by it that no base of their class is left
                raise NotImplementedError(f"{type(self).__name__}, a class of tf.Variable, gives it no `initial_value`")
            raise ValueError(
                "The `initial_value` arg to `tf.Variable` must be specified except when you are not providing a "
                "`variable_def`. You provided neither."
            )
        if constraint is not None and not callable(constraint):
            raise ValueError(f"tf.Variable: constraint must be callable, got {constraint!r}")
        trace = context.graph
        whole = (name or "").endswith("/")  # a scope's own name, which is taken as it is
        called = name.rstrip("/") if name and whole else scoped(name or "Variable")
        if trace is not None:
            trace.creating(self)
            if trace.on_demand and not whole:  # where savers and programs tell variables by their names
                called = trace.unique_name(name or "Variable")
        if callable(initial_value):
            graph = context.graph
            initial_value = initial_value() if graph is None else graph.first_value(initial_value)
        if isinstance(initial_value, Variable):
            initial_value = initial_value.read_value()
        value = convert(initial_value, None if dtype is None else as_dtype(dtype))
        static = TensorShape(shape) if shape is not None else value.shape
        if not static.is_compatible_with(value.shape):
            raise ValueError(
                f"tf.Variable: the initial value's shape {value.shape} is not compatible with shape {static}"
            )
        self._trainable = (
            synchronization is not VariableSynchronization.ON_READ if trainable is None else bool(trainable)
        )
        if trace is not None:
            value = trace.initial(value, self)
        self._setup(Handle(value, static), called + ":0", self._trainable)
        self._constraint = constraint
        self._synchronization = synchronization
        self._aggregation = aggregation

    def _setup(self, handle: Handle, name: str, trainable: bool) -> None:
        self.box = handle
        self.identity = handle.id
        self._handle_name = name
        self._trainable = trainable
        handle.owner = weakref.ref(self)

    # -- what it is ---------------------------------------------------------------------------------------------------

    _handle: ResourceTensor | None = None
    _constraint: Callable[..., Any] | None = None
    _synchronization = VariableSynchronization.AUTO
    _aggregation = VariableAggregation.NONE

    @property
    def name(self) -> str:
        return self._handle_name

    @property
    def dtype(self) -> DType:
        return self.box.dtype

    @property
    def spec(self) -> Spec:
        if (handle := getattr(self, "box", None)) is None:
            return self._kept_elsewhere().spec
        return handle.spec if context.graph is None else handle.declared

    @property
    def shape(self) -> TensorShape:
        return self.box.shape

    def get_shape(self) -> TensorShape:
        return self.box.shape

    def set_shape(self, shape: Any) -> None:
        """Check that the static shape is compatible with `shape`."""
        if not self.shape.is_compatible_with(shape):
            raise ValueError(f"Variable.set_shape: shape {self.shape} is not compatible with {shape}")

    @property
    def trainable(self) -> bool:
        return self._trainable

    @property
    def constraint(self) -> Callable[..., Any] | None:
        return self._constraint

    @property
    def synchronization(self) -> VariableSynchronization:
        return self._synchronization

    @property
    def aggregation(self) -> VariableAggregation:
        return self._aggregation

    @property
    def handle(self) -> ResourceTensor:
        """A scalar of dtype `tf.resource` that stands for the variable; always the same object."""
        if self._handle is None:
            self._handle = ResourceTensor(self)
        return self._handle

    @property
    def device(self) -> str:
        return self.box.tensor.device

    def ref(self) -> Reference:
        """A hashable handle on this variable."""
        return Reference(self)

    experimental_ref = ref

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        if "as_operand" not in vars(cls) and vars(cls).get("__tf_tensor__") not in (None, Variable.__tf_tensor__):
            # A class that says itself which tensor its variables are (those that Keras 2 casts do) has that for an operand, too.
            cls.as_operand = lambda self: convert(self.__tf_tensor__(None, None))  # type: ignore[method-assign]
        if "value" in vars(cls):
            cls.operator_value = lambda self: convert(self.value())
        elif "as_operand" in vars(cls):
            cls.operator_value = cls.as_operand

    # -- reading ------------------------------------------------------------------------------------------------------

    def as_operand(self) -> Tensor:
        """The value as an operand: tapes see the variable itself, not a copy."""
        try:
            handle = self.box
        except AttributeError:
            return self._kept_elsewhere()
        here = context.__dict__  # each look at the state of a thread takes as long as a call
        if self._trainable:
            for tape in here["recorders"]:
                if self.identity not in tape.watched_ids:
                    tape.saw_variable(self)
        graph = here["graph"]
        return handle.current if graph is None else graph.read(handle)

    operator_value = as_operand
    """What operators take of the variable, on whichever side it stands: `value()`, where a class has one of its own."""

    def _kept_elsewhere(self) -> Tensor:
        """The value of a subclass that never called the constructor, by the conversion registered for it."""
        tensor, kind = registered(self), type(self).__name__
        if tensor is None:
            raise NotImplementedError(f"{kind} holds no value: call tf.Variable's constructor, or convert it")
        return tensor

    def read_value(self) -> Tensor:
        """The value as a tensor of its own, which tapes connect to the variable."""
        return identity(self.as_operand())

    def value(self) -> Tensor:
        """`read_value`; in a session's graph, what all reads of the variable share where it is no resource."""
        return getattr(context.graph, "value_of", Variable.read_value)(self)

    read_value_no_copy = read_value

    def __tf_tensor__(self, dtype: DType | None, name: str | None) -> Tensor:
        if dtype is not None and dtype is not self.dtype:
            raise ValueError(
                f"Tensor conversion requested dtype {dtype.name} for Variable with dtype {self.dtype.name}: {self!r}"
            )
        return self.read_value()

    def __iter__(self) -> Iterator[Tensor]:
        return iter(self.read_value())

    def __hash__(self) -> int:
        if context.graph is not None and context.graph.on_demand:  # where programs keep variables in sets
            return id(self)
        raise TypeError(f"Variable is unhashable. Instead, use variable.ref() as the key. (Variable: {self!r})")

    def __repr__(self) -> str:
        if context.graph is not None:  # where it has no value yet
            return f"<tf.Variable '{self._handle_name}' shape={self.shape} dtype={self.dtype.name}>"
        return display.variable_repr(self._handle_name, self.shape, self.dtype, self.box.tensor.array)

    __str__ = __repr__

    # -- writing ------------------------------------------------------------------------------------------------------

    def _written(self, read_value: bool) -> Any:
        graph = context.graph
        if not read_value:
            return None if graph is None else graph.assignment(self.box)
        unread = new_object(_UnreadVariable)  # it shares all state, so no constructor has anything to do
        unread.box, unread.identity = self.box, self.identity
        unread._handle_name, unread._trainable = "UnreadVariable", self._trainable
        unread.assigned = None if graph is None else graph.assigned(self.box)
        unread.made_by = None if graph is None else graph.assignment(self.box)
        return unread

    def assign(self, value: Any, use_locking: bool = False, name: str | None = None, read_value: bool = True) -> Any:
        """Replace the value.

        Args:
          value: something convertible to the variable's dtype and of its shape.
          use_locking, name: accepted for compatibility.
          read_value: whether to return the variable; otherwise it is None, or the operation where one is recorded.

        Raises:
          ValueError: if the shape or the dtype of a tensor does not fit; the variable keeps its value.
        """
        new = value if isinstance(value, Tensor) and value.dtype is self.dtype else convert(value, self.dtype)
        handle = self.box
        if new.spec is not handle.spec:
            if not handle.shape.is_compatible_with(new.shape):
                raise ValueError(
                    f"Cannot assign value to variable ' {self._handle_name}': Shape mismatch.The variable shape {handle.shape}, "
                    f"and the assigned value shape {new.shape} are incompatible."
                )
            if None in new.spec.shape:
                new = handle.fitting(new)
        new = alias(new, handle.id)
        with handle.lock:
            handle.replace(new)
        return self._written(read_value)

    def _update(self, kernel: Kernel, delta: Any, read_value: bool) -> Any:
        handle = self.box
        if handle.dtype.is_bool or handle.dtype.on_host:
            raise misfit(f"a variable of dtype {handle.dtype.name} cannot be added to or subtracted from", kernel.name)
        # A tensor of the value's own type needs no closer look.
        if type(delta) is not EagerTensor or delta.known_spec is not handle.spec:
            if isinstance(delta, Variable):
                delta = delta.as_operand()
            elif not isinstance(delta, Tensor) or delta.dtype is not handle.dtype:
                delta = convert(delta, handle.dtype)
            if not handle.takes(delta):
                raise unequal(handle.spec.shape, delta.spec.shape, kernel.name)
        handle.update(kernel, delta)
        return self._written(read_value)

    def assign_add(
        self, delta: Any, use_locking: bool = False, name: str | None = None, read_value: bool = True
    ) -> Any:
        """Add `delta`, of the same shape and dtype, to the value; see `assign`.

        Raises:
          InvalidArgumentError: if the shapes differ.
        """
        return self._update(ASSIGN_ADD, delta, read_value)

    def assign_sub(
        self, delta: Any, use_locking: bool = False, name: str | None = None, read_value: bool = True
    ) -> Any:
        """Subtract `delta`, of the same shape and dtype, from the value; see `assign_add`."""
        return self._update(ASSIGN_SUB, delta, read_value)

    # -- copying ------------------------------------------------------------------------------------------------------

    def __copy__(self) -> Variable:
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> Any:
        new = object.__new__(type(self))
        memo[id(self)] = new
        Variable._setup(new, Handle(self.box.tensor, self.shape), self._handle_name, self._trainable)
        for key, value in self.__dict__.items():
            new.__dict__[key] = copy.deepcopy(value, memo)
        return new

    def __reduce__(self) -> tuple[Any, ...]:
        return _unpickled, (np.asarray(self), self._handle_name, self._trainable, self.dtype)

    __iadd__ = not_in_place("+=", "assign_add(value)")
    __isub__ = not_in_place("-=", "assign_sub(value)")
    __imul__ = not_in_place("*=", "assign(variable * value)")
    __itruediv__ = not_in_place("/=", "assign(variable / value)")
    __ipow__ = not_in_place("**=", "assign(variable ** value)")


@recognised_as("python.ops.resource_variable_ops")
class ResourceVariable(SavedValue, Variable):
    """The class of the variables that `tf.Variable` makes."""

    __slots__ = ()


class _UnreadVariable(ResourceVariable):
    """The result of an assignment: the same variable, under a name that tells where it came from.

    Attributes:
      assigned: the assignment's own result, where it runs when that is asked for; what is assigned next waits for it.
      made_by: the operation that assigned; None eagerly.
    """

    __slots__ = ("assigned", "made_by")

    assigned: Any
    made_by: Any

    def as_operand(self) -> Tensor:
        return super().as_operand() if self.assigned is None else self.assigned

    @property
    def op(self) -> Any:
        return self.made_by

    def _as_graph_element(self) -> Any:
        return self if self.assigned is None else self.assigned


def assigned_by(value: Any) -> Any:
    """The result of the assignment that returned a value, where it runs when that is asked for; None of everything else."""
    return value.assigned if isinstance(value, _UnreadVariable) else None


def chain(*names: str) -> None:
    """Let methods that assign wait for the assignment that returned the variable."""
    for name in names:
        setattr(_UnreadVariable, name, _after(getattr(Variable, name)))


def _after(method: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(method)
    def assign(self: Any, *args: Any, **kwargs: Any) -> Any:
        if self.assigned is None:
            return method(self, *args, **kwargs)
        with self.assigned.graph.waiting([self.assigned]):
            return method(self, *args, **kwargs)

    return assign


chain("assign", "assign_add", "assign_sub")


def _unpickled(value: np.ndarray, name: str, trainable: bool, dtype: DType) -> Variable:
    variable = Variable(value, trainable=trainable, dtype=dtype)
    variable._handle_name = name
    return variable
