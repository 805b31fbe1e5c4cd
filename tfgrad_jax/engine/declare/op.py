"""Declaring an operation: a plain function on JAX values from which everything else is derived.

    @op("Sum", "reduce_sum", "math.reduce_sum")          # raw name, then every public name
    def reduce_sum(input_tensor: Number, axis: Axis = None, keepdims: Flag = False):
        return jnp.sum(input_tensor, axis=axis, keepdims=keepdims)

The parameters are TensorFlow's, in its order; their annotations are roles (see `roles`). The public function that the
decorator returns binds, converts and executes.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Sequence
from typing import Any

from tfgrad_jax.engine.cache import Cache
from tfgrad_jax.engine.declare.attributes import (
    OpenAttribute,
    Origin,
    by_name,
    count_places,
    is_symbolic,
    of_key,
    resolved,
    rule_with_open_attributes,
    with_places,
)
from tfgrad_jax.engine.declare.check import Check
from tfgrad_jax.engine.declare.quick import public_function
from tfgrad_jax.engine.declare.roles import EVERY_DTYPE, REQUIRED, Attribute, Operand, Unsupported, parameters_of
from tfgrad_jax.engine.hooks import answered_by_composite, registered_gradient
from tfgrad_jax.engine.kernels.kernel import Kernel
from tfgrad_jax.engine.messages.errors import InvalidArgumentError, invalid_argument
from tfgrad_jax.engine.names.export import export_value
from tfgrad_jax.engine.names.scopes import name_next
from tfgrad_jax.engine.run.execute import execute, operate
from tfgrad_jax.engine.threads.context import context
from tfgrad_jax.engine.values import convert as _convert
from tfgrad_jax.engine.values.composite import NotOneTensor
from tfgrad_jax.engine.values.convert import convert, shared_scalar
from tfgrad_jax.engine.values.dtypes import DType, as_dtype, float64, string
from tfgrad_jax.engine.values.numbers import c_name
from tfgrad_jax.engine.values.tensor import EagerTensor, Tensor

MISSING = object()
"""Given as an operation's gradient: none is registered, so asking for it is a `LookupError`."""

_SCALAR_TYPES = (float, int, bool)

_FEW = 32
"""So many kernels of one operation are called the quickest way."""

declared: dict[str, Op] = {}
"""Every operation by its raw name."""


class Op:
    """One declared operation.

    Attributes:
      name: TensorFlow's raw name.
      fn: the function on JAX values.
      rule: None, or the gradient as a function (cotangents, inputs, outputs, **attributes) -> cotangents.
      factors: None, or which cotangents are matrix products x'y, as a function (cotangent, known inputs by position, **attributes)
        -> {input: (x, y)}; see `products`.
      gradient: None, `MISSING`, or a function (view, *cotangent tensors) -> cotangents, run in Python.
      open_shape: None, or the shape of the result where trying sizes does not tell: takes the attributes (a dict) and the shapes of
        the operands, in all of which None stands for what is unknown.
      types: None, or the types of the results in a graph, for what cannot be tried: takes the arguments, specs for operands.
      takes_rows: None, or whether it takes rows of its first operand, at the indices that are its second, by the attributes.
      check: None, or what tells whether values are wrong.
      execute, operate: how its kernels run on tensors: with a look at the values where there is a check.
      hinted: whether operands are converted one after the other, each with the first one's dtype as a hint only.
      host: whether `fn` works on NumPy arrays on the host: strings.
    """

    def __init__(
        self,
        name: str,
        fn: Callable[..., Any],
        *,
        differentiable: bool,
        recorded: bool,
        hinted: bool,
        host: bool,
        stateful: bool,
    ) -> None:
        self.name = name
        self.fn = fn
        self.rule: Callable[..., Any] | None = None
        self.factors: Callable[..., dict[int, tuple[Any, Any]]] | None = None
        self.gradient: Any = None
        self.open_shape: Callable[..., Any] | None = None
        self.types: Callable[..., Any] | None = None
        self.check: Check | None = None
        self.takes_rows: Callable[..., bool] | None = None
        self.execute: Callable[..., Any] = execute
        self.operate: Callable[..., Any] = operate
        self.differentiable = differentiable
        self.recorded = recorded
        self.hinted = hinted
        self.host = host
        self.stateful = stateful
        self.parameters, self.roles, self.defaults = parameters_of(fn)
        self.position = {parameter: i for i, parameter in enumerate(self.parameters)}
        self.kernels: Cache[Any, Kernel] = Cache()
        limits = [r.allowed for r in self.roles if isinstance(r, Operand) and r.allowed is not None]
        self.always_allowed = frozenset.intersection(*limits) if limits else EVERY_DTYPE
        for parameter, role in zip(self.parameters, self.roles, strict=True):
            if not isinstance(role, (Operand, Attribute)) and role is not Unsupported and parameter != "name":
                raise TypeError(
                    f"op {name}: parameter {parameter} has no role (see tfgrad_jax/engine/declare/roles.py)"
                )

    def bind(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> list[Any]:
        """The arguments in order of the parameters, defaults filled in."""
        values = list(args)
        values += self.defaults[len(args) :]
        position = self.position
        if len(values) > len(position):
            raise TypeError(f"{self.public}() takes {len(position)} arguments ({', '.join(position)}), got {len(args)}")
        for name, value in kwargs.items():
            i = position.get(name)
            if i is None:
                raise TypeError(
                    f"{self.public}() got an unexpected keyword argument {name!r}; it takes {', '.join(position)}"
                )
            if i < len(args):
                raise TypeError(f"{self.public}() got multiple values for argument {name!r}")
            values[i] = value
        if any([v is REQUIRED for v in values]):
            missing = [n for n, v in zip(self.parameters, values, strict=True) if v is REQUIRED]
            raise TypeError(f"{self.public}() missing required arguments: {', '.join(missing)}")
        return values

    # -- convert ------------------------------------------------------------------------------------------------------

    def __call__(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        try:
            return self._run(args, kwargs)
        except NotOneTensor as error:
            return answered_by_composite(self, args, kwargs, error)

    def _run(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        values = self.bind(args, kwargs)
        inputs: list[Tensor] = []
        sizes: list[Tensor] = []
        layout: list[Any] = []
        dtype = None if self.hinted else self._shared_dtype(values)
        for i, role in enumerate(self.roles):
            value = values[i]
            if isinstance(role, Operand):
                if role.many:
                    if not isinstance(value, (list, tuple)):
                        value = self._as_list(value)
                    for item in value:
                        # As `_operand` has it, without the call for those that come as they are wanted.
                        usual = type(item) is EagerTensor and role.shared and item.spec.dtype is dtype
                        inputs.append(item if usual else self._operand(item, role, dtype, len(inputs)))
                        dtype = dtype or (inputs[-1].spec.dtype if role.shared else None)
                    layout.append(len(value))
                elif value is None and self.defaults[i] is None:
                    layout.append(None)
                else:
                    if role.number:
                        tensor = self._number(value, self.parameters[i])
                    else:
                        tensor = self._operand(value, role, dtype, len(inputs))
                    if role.shared and dtype is None:
                        dtype = tensor.spec.dtype
                    inputs.append(tensor)
                    layout.append(True)
            elif isinstance(role, Attribute):
                layout.append(self._attribute(i, role, value, sizes))
            elif role is Unsupported and value is not self.defaults[i] and value != self.defaults[i]:
                raise NotImplementedError(
                    f"tf.{self.public}: the argument {self.parameters[i]}={value!r} is not supported; leave it at its "
                    f"default {self.defaults[i]!r}"
                )
        if any([(t.known_spec or t.spec).dtype not in self.always_allowed for t in inputs]):
            self._check_allowed(inputs, layout)
        name_next(values[self.position["name"]])
        return self.execute(self.kernel(tuple(layout)), (*inputs, *sizes))

    def _shared_dtype(self, values: list[Any]) -> DType | None:
        """The dtype of the first tensor among the operands that share one: Python values follow it."""
        for value, role in zip(values, self.roles, strict=True):
            if isinstance(role, Operand) and role.shared:
                for item in value if role.many and isinstance(value, (list, tuple)) else (value,):
                    if isinstance(item, Tensor) or getattr(type(item), "_is_tensor_type", False):
                        return as_dtype(item.dtype)  # Keras names the dtypes of its variables
        return None

    def _operand(self, value: Any, role: Operand, dtype: DType | None, position: int) -> Tensor:
        try:
            if isinstance(value, Tensor):
                tensor = value
            elif hasattr(value, "as_operand"):
                tensor = value.as_operand()
            elif dtype is not None and role.shared and not self.hinted and type(value) in _SCALAR_TYPES:
                tensor = shared_scalar(value, dtype)
            elif role.forced is not None:
                tensor = convert(value, role.forced)
            elif not role.shared:
                tensor = _convert.convert_to_tensor(value, dtype_hint=role.dtype)
            elif dtype is None:
                tensor = convert(value)
            elif self.hinted:
                tensor = _convert.convert_to_tensor(value, dtype_hint=dtype)
            else:
                tensor = convert(value, dtype)
        except ValueError as error:
            if value is None:
                raise ValueError(
                    f"tf.{self.public}: argument #{position} is None, where a tensor is expected. {error}"
                ) from None
            raise
        found = tensor.spec.dtype
        wanted = role.forced or (dtype if role.shared else None)
        if wanted is not None and found is not wanted:
            remedy = "tf.strings.as_string and to_number convert" if string in (found, wanted) else "tf.cast converts"
            raise self._wrong_dtype(
                f"cannot compute {self.name} as input #{position}(zero-based) was expected to be a {c_name(wanted)} tensor "
                f"but is a {c_name(found)} tensor; {remedy}"
            )
        return tensor

    def _number(self, value: Any, name: str) -> Tensor:
        if isinstance(value, (Tensor, str, bytes)) or getattr(type(value), "_is_tensor_type", False):
            raise TypeError(
                f"tf.{self.public}: Expected float for argument {name!r} not {value!r}; float() makes a Python number of a tensor"
            )
        return shared_scalar(float(value), float64)

    def _check_allowed(self, inputs: list[Tensor], layout: list[Any]) -> None:
        position = 0
        for role, n in zip((r for r in self.roles if _matters(r)), layout, strict=True):
            if isinstance(role, Operand) and n is not None:
                for tensor in inputs[position : position + int(n)]:
                    if role.allowed is not None and tensor.spec.dtype not in role.allowed:
                        allowed = ", ".join(sorted(c_name(d) for d in role.allowed))
                        raise self._wrong_dtype(
                            f"Value for attr 'T' of {c_name(tensor.spec.dtype)} is not in the list of allowed values: {allowed}. "
                            f"tf.cast converts between dtypes."
                        )
                position += int(n)

    def _wrong_dtype(self, message: str) -> Exception:
        """While a graph is recorded, TensorFlow calls this a TypeError."""
        return invalid_argument(message, self.name) if context.graph is None else TypeError(message)

    def _as_list(self, value: Any) -> list[Any]:
        several = value.spec.shape if isinstance(value, Tensor) else hasattr(value, "__getitem__")
        return list(value) if several else [value]

    def _attribute(self, i: int, role: Attribute, value: Any, sizes: list[Tensor] | None = None) -> Any:
        """The attribute as a part of the key; symbolic tensors in it are appended to `sizes`, as further operands."""
        if sizes is not None and is_symbolic(value):
            return OpenAttribute(with_places(value, sizes))
        if value is None and role.may_be_left_out and self.defaults[i] is not REQUIRED:
            value = self.defaults[i]
        try:
            key = role.normalize(value)
            hash(key)
        except (TypeError, ValueError) as error:
            raise type(error)(f"tf.{self.public}: argument {self.parameters[i]}: {error}") from None
        except InvalidArgumentError as error:
            raise invalid_argument(f"argument {self.parameters[i]}: {error.message}", self.name) from None
        # 1, 1.0 and True are equal as keys, and 0.0 is -0.0, but they make different kernels.
        return (float, repr(key)) if type(key) is float else (bool, key) if type(key) is bool else key

    # -- kernels ------------------------------------------------------------------------------------------------------

    def kernel(self, layout: tuple[Any, ...]) -> Kernel:
        """The kernel for bound attributes and a pattern of present operands."""
        kernel = self.kernels[layout]
        return self.kernels.keep(layout, self._make_kernel(layout)) if kernel is None else kernel

    def kernel_for(self, count: int, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Kernel | None:
        """The kernel for `count` operands given first, followed by these attributes; None if the call needs a closer look."""
        values = self.bind((*[None] * count, *args), kwargs)
        layout: list[Any] = []
        for i, (role, value) in enumerate(zip(self.roles, values, strict=True)):
            if isinstance(role, Operand):
                layout.append(True)
            elif isinstance(role, Attribute):
                layout.append(self._attribute(i, role, value))
            elif role is Unsupported and value is not self.defaults[i]:
                return None
        return self.kernel(tuple(layout))

    def _make_kernel(self, layout: tuple[Any, ...]) -> Kernel:
        attributes: dict[str, Any] = {}
        open_attributes: dict[str, tuple[Attribute, Any]] = {}
        operands: list[tuple[str, int | None]] = []
        mask = count = 0
        slots = iter(layout)
        for name, role in zip(self.parameters, self.roles, strict=True):
            if isinstance(role, Operand):
                slot = next(slots)
                if slot is None:
                    attributes[name] = None
                    continue
                n = 1 if slot is True else slot
                operands.append((name, None if slot is True else n))
                if role.differentiable and self.differentiable:
                    mask |= ((1 << n) - 1) << count
                count += n
            elif isinstance(role, Attribute):
                value = next(slots)
                if isinstance(value, OpenAttribute):
                    open_attributes[name] = (role, value.template)
                    continue
                attributes[name] = of_key(value)
        fn = self.fn

        operands_of = functools.partial(by_name, operands)

        def arguments_of(arrays: Sequence[Any]) -> dict[str, Any]:
            arguments = operands_of(arrays) | attributes
            for name, (role, template) in open_attributes.items():
                arguments[name] = role.normalize(resolved(template, arrays[count:], self.name, name))
            return arguments

        first = [name for name, many in operands if many is None]
        # Operands that stand first, each one array, need not be named.
        by_place = not open_attributes and len(first) == len(operands) and first == self.parameters[: len(first)]

        def run(*arrays: Any) -> Any:
            return fn(*arrays, **attributes) if by_place else fn(**arguments_of(arrays))

        bound: Callable[..., Any] | None = None
        if (rule := self.rule) is not None:
            rule_attributes = {k: v for k, v in attributes.items() if k in inspect.signature(rule).parameters}
            bound = functools.partial(rule, **rule_attributes)
        run.__name__ = self.name
        reads = tuple(range(count, count + sum(count_places(t) for _, t in open_attributes.values())))
        if open_attributes and rule is not None:
            bound = rule_with_open_attributes(rule, attributes, open_attributes, count, self.name)
        sizes = {n: t for n, (_, t) in open_attributes.items()}
        origin = Origin(self, attributes, sizes, count, arguments_of, operands_of)
        kernel = Kernel(
            self.name,
            run,
            bound,
            mask,
            origin,
            host=self.host,
            stateful=self.stateful,
            reads_values=reads,
            many=len(self.kernels) >= _FEW,
            recorded=self.recorded,
        )
        kernel.named = origin.named
        if self.gradient is MISSING:
            kernel.rule = functools.partial(registered_gradient, kernel)
        if (types := self.types) is not None:
            kernel.types = lambda specs: types(**arguments_of(specs))
        check = self.check
        if check is not None:
            kernel.check = lambda inputs, outputs: check({**arguments_of(inputs), "outputs": outputs})
            kernel.checked, kernel.checks_outputs = True, check.of_results
        return kernel

    @property
    def public(self) -> str:
        """The first public name."""
        return self.names[0] if self.names else self.name

    names: tuple[str, ...] = ()


def _matters(role: Any) -> bool:
    return isinstance(role, (Operand, Attribute))


def op(
    name: str,
    *public: str,
    differentiable: bool = True,
    recorded: bool = True,
    gradient: Any = None,
    hinted: bool = False,
    host: bool = False,
    stateful: bool = False,
) -> Callable[[Callable[..., Any]], Any]:
    """Declare an operation.

    Args:
      name: TensorFlow's raw name of the operation: what errors and gradient registrations call it.
      *public: every public name below `tf.`; may be none, for operations that only others use.
      differentiable: False for an operation that TensorFlow has registered as having no gradient: it gives None.
      recorded: False, together with `differentiable=False`, for one whose results tapes do not know either: it cuts.
      gradient: `MISSING` if asking for its gradient raises `LookupError`.
      hinted: see `Op`.
      host: `fn` takes and returns NumPy arrays on the host.
      stateful: running it twice is not the same as once: never folded, cached or dropped.

    Returns:
      A decorator that gives the public function. That function has the attributes `op`, and the decorators `rule`
      (declares the gradient on JAX values), `python_gradient` (declares it as a Python function of tensors), `factors` (tells
      which of the cotangents that the gradient gives are matrix products, see `Op`), `open_shape`, `types` and `check`.
    """

    def declare(fn: Callable[..., Any]) -> Any:
        if name in declared:
            raise ValueError(f"op {name} is declared twice: {declared[name].fn.__module__} and {fn.__module__}")
        operation = declared[name] = Op(
            name,
            fn,
            differentiable=differentiable and (not host or gradient is MISSING),
            recorded=recorded,
            hinted=hinted,
            host=host,
            stateful=stateful,
        )
        operation.gradient = gradient
        operation.names = public
        call = public_function(operation)
        export_value(call, *public)
        return call

    return declare
