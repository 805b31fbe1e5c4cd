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

import jax
import numpy as np

from tfgrad_jax.engine.declare.roles import Attribute, Operand, Unsupported, static
from tfgrad_jax.engine.graph.graph import NeedsValue, SymbolicTensor
from tfgrad_jax.engine.kernels.kernel import Kernel
from tfgrad_jax.engine.messages.errors import invalid_argument
from tfgrad_jax.engine.names.export import export_value
from tfgrad_jax.engine.run.execute import execute
from tfgrad_jax.engine.state.variable import ResourceVariable
from tfgrad_jax.engine.threads.context import context
from tfgrad_jax.engine.values import convert as _convert
from tfgrad_jax.engine.values.convert import c_name, convert, shared_scalar
from tfgrad_jax.engine.values.dtypes import BY_NUMPY, DType
from tfgrad_jax.engine.values.tensor import EagerTensor, Tensor

MISSING = object()
"""Given as an operation's gradient: none is registered, so asking for it is a `LookupError`."""

_REQUIRED: Any = object()
_EVERY_DTYPE = frozenset(BY_NUMPY.values())
_SCALAR_TYPES = (float, int, bool)
_PLAIN = {int, bool, str, type(None), DType}
_KERNELS_LIMIT = 1024

declared: dict[str, Op] = {}
"""Every operation by its raw name."""

dispatchers: list[Callable[[Op, tuple[Any, ...], dict[str, Any]], Any]] = []
"""Asked in turn when an operand is no tensor and cannot become one: ragged tensors, users' own types."""


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
      hinted: whether operands are converted one after the other, each with the first one's dtype as a hint only.
      host: whether `fn` works on NumPy arrays on the host: strings.
    """

    def __init__(
        self, name: str, fn: Callable[..., Any], *, differentiable: bool, hinted: bool, host: bool, stateful: bool
    ) -> None:
        self.name = name
        self.fn = fn
        self.rule: Callable[..., Any] | None = None
        self.factors: Callable[..., dict[int, tuple[Any, Any]]] | None = None
        self.gradient: Any = None
        self.open_shape: Callable[..., Any] | None = None
        self.differentiable = differentiable
        self.hinted = hinted
        self.host = host
        self.stateful = stateful
        signature = inspect.signature(fn, eval_str=True)
        if "name" not in signature.parameters:
            # Every TensorFlow operation takes a name, last unless the declaration puts it elsewhere.
            name_parameter = inspect.Parameter("name", inspect.Parameter.POSITIONAL_OR_KEYWORD, default=None)
            signature = signature.replace(parameters=[*signature.parameters.values(), name_parameter])
        self.signature = signature
        params = list(signature.parameters.values())
        self.parameters = [p.name for p in params]
        self.roles: list[Any] = [p.annotation for p in params]
        self.defaults = [_REQUIRED if p.default is p.empty else p.default for p in params]
        self.position = {p.name: i for i, p in enumerate(params)}
        self.kernels: dict[Any, Kernel] = {}
        limits = [r.allowed for r in self.roles if isinstance(r, Operand) and r.allowed is not None]
        self.always_allowed = frozenset.intersection(*limits) if limits else _EVERY_DTYPE
        for p in params:
            if (
                not isinstance(p.annotation, (Operand, Attribute))
                and p.annotation is not Unsupported
                and p.name != "name"
            ):
                raise TypeError(f"op {name}: parameter {p.name} has no role (see tfgrad_jax/engine/declare/roles.py)")

    # -- bind ---------------------------------------------------------------------------------------------------------

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
        if any([v is _REQUIRED for v in values]):
            missing = [n for n, v in zip(self.parameters, values, strict=True) if v is _REQUIRED]
            raise TypeError(f"{self.public}() missing required arguments: {', '.join(missing)}")
        return values

    # -- convert ------------------------------------------------------------------------------------------------------

    def __call__(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        values = self.bind(args, kwargs)
        for dispatch in dispatchers:
            result = dispatch(self, args, kwargs)
            if result is not NotImplemented:
                return result
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
                    start = len(inputs)
                    for item in value:
                        inputs.append(self._operand(item, role, dtype, len(inputs)))
                        dtype = dtype or (inputs[-1].spec.dtype if role.shared else None)
                    layout.append(len(inputs) - start)
                elif value is None and self.defaults[i] is None:
                    layout.append(None)
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
        if any(t.spec.dtype not in self.always_allowed for t in inputs):
            self._check_allowed(inputs, layout)
        return execute(self.kernel(tuple(layout)), (*inputs, *sizes))

    def _shared_dtype(self, values: list[Any]) -> DType | None:
        """The dtype of the first tensor among the operands that share one: Python values follow it."""
        for value, role in zip(values, self.roles, strict=True):
            if isinstance(role, Operand) and role.shared:
                for item in value if role.many and isinstance(value, (list, tuple)) else (value,):
                    if isinstance(item, Tensor) or getattr(type(item), "_is_tensor_type", False):
                        return item.dtype
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
            message = (
                f"cannot compute {self.name} as input #{position}(zero-based) was expected to be a {c_name(wanted)} tensor "
                f"but is a {c_name(found)} tensor"
            )
            raise self._wrong_dtype(message)
        return tensor

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
        if isinstance(value, Tensor) or hasattr(value, "__getitem__"):
            return list(value) if not isinstance(value, Tensor) or value.spec.shape else [value]
        return [value]

    def _attribute(self, i: int, role: Attribute, value: Any, sizes: list[Tensor] | None = None) -> Any:
        """The attribute as a part of the key; symbolic tensors in it are appended to `sizes`, as further operands."""
        if sizes is not None and is_symbolic(value):
            return Hole(_with_places(value, sizes))
        try:
            key = role.normalize(value)
            hash(key)
        except (TypeError, ValueError) as error:
            raise type(error)(f"tf.{self.public}: argument {self.parameters[i]}: {error}") from None
        # 1, 1.0 and True are equal as keys, and 0.0 is -0.0, but they make different kernels.
        return (float, repr(key)) if type(key) is float else (bool, key) if type(key) is bool else key

    # -- kernels ------------------------------------------------------------------------------------------------------

    def kernel(self, layout: tuple[Any, ...]) -> Kernel:
        """The kernel for bound attributes and a pattern of present operands."""
        kernel = self.kernels.get(layout)
        if kernel is None:
            kernel = self.kernels[layout] = self._make_kernel(layout)
        return kernel

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
        holes: dict[str, tuple[Attribute, Any]] = {}
        operands: list[tuple[str, int | None]] = []
        mask = 0
        count = 0
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
                if isinstance(value, Hole):
                    holes[name] = (role, value.template)
                    continue
                if (
                    isinstance(value, tuple)
                    and len(value) == 2
                    and value[0] in (float, bool)
                    and isinstance(value[0], type)
                ):
                    value = float(value[1]) if value[0] is float else value[1]
                attributes[name] = value
        fn = self.fn

        def run(*arrays: Any) -> Any:
            arguments = {}
            at = 0
            for name, many in operands:
                if many is None:
                    arguments[name] = arrays[at]
                    at += 1
                else:
                    arguments[name] = list(arrays[at : at + many])
                    at += many
            filled = {n: role.normalize(_resolved(t, arrays[at:], self.name, n)) for n, (role, t) in holes.items()}
            return fn(**arguments, **attributes, **filled)

        rule = self.rule
        bound: Callable[..., Any] | None = None
        if rule is not None:
            rule_attributes = {k: v for k, v in attributes.items() if k in inspect.signature(rule).parameters}
            bound = functools.partial(rule, **rule_attributes)
        run.__name__ = self.name
        reads = tuple(range(count, count + sum(_places(t) for _, t in holes.values())))
        if holes and rule is not None:
            bound = _late_rule(rule, attributes, holes, count, self.name)
        return Kernel(
            self.name,
            run,
            bound,
            mask,
            Origin(self, attributes, {n: t for n, (_, t) in holes.items()}, count),
            host=self.host,
            stateful=self.stateful,
            reads_values=reads,
        )

    @property
    def public(self) -> str:
        """The first public name."""
        return self.names[0] if self.names else self.name

    names: tuple[str, ...] = ()


class Hole:
    """An attribute that only the running graph knows: a template in which `Place`s stand for further operands."""

    __slots__ = ("template",)

    def __init__(self, template: Any) -> None:
        self.template = template

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Hole) and self.template == other.template

    def __hash__(self) -> int:
        return hash(self.template)


class Place(int):
    """Which of the further operands stands here."""


def is_symbolic(value: Any) -> bool:
    """Whether an attribute's value is known only when the graph runs."""
    if isinstance(value, SymbolicTensor):
        return value.held is None
    return isinstance(value, (list, tuple)) and any(is_symbolic(v) for v in value)


def _with_places(value: Any, sizes: list[Tensor]) -> Any:
    if isinstance(value, SymbolicTensor) and value.held is None:
        sizes.append(value)
        return (Place, len(sizes) - 1)
    if isinstance(value, (list, tuple)):
        return tuple(_with_places(v, sizes) for v in value)
    return static(value)


def _is_place(template: Any) -> bool:
    return isinstance(template, tuple) and len(template) == 2 and template[0] is Place


def _places(template: Any) -> int:
    if _is_place(template):
        return 1
    return sum(map(_places, template)) if isinstance(template, tuple) else 0


def _resolved(template: Any, sizes: Sequence[Any], name: str, argument: str) -> Any:
    if _is_place(template):
        value = sizes[template[1]]
        if isinstance(value, jax.core.Tracer):
            raise NeedsValue(
                f"{name}: the argument {argument} decides a shape and depends on the values of tensors, which XLA does not "
                f"know when it compiles; compute it from shapes (tf.shape), pass it as a Python number, or run eagerly"
            )
        return np.asarray(value)
    if isinstance(template, tuple):
        return tuple(_resolved(t, sizes, name, argument) for t in template)
    return template


def _late_rule(
    rule: Callable[..., Any], attributes: dict[str, Any], holes: dict[str, Any], count: int, name: str
) -> Callable[..., Any]:
    def bound(cts: Any, inputs: Any, outputs: Any) -> Any:
        filled = {n: role.normalize(_resolved(t, inputs[count:], name, n)) for n, (role, t) in holes.items()}
        wanted = inspect.signature(rule).parameters
        given = {k: v for k, v in {**attributes, **filled}.items() if k in wanted}
        return [*rule(cts, inputs[:count], outputs, **given), *[None] * len(inputs[count:])]

    return bound


def _matters(role: Any) -> bool:
    return isinstance(role, (Operand, Attribute))


class Origin:
    """What a kernel remembers of its declaration: the operation, its attributes, and those that only the running graph knows."""

    __slots__ = ("_count", "_holes", "attributes", "op")

    def __init__(self, op: Op, attributes: dict[str, Any], holes: dict[str, Any], count: int) -> None:
        self.op = op
        self.attributes = attributes
        self._holes = holes
        self._count = count

    def sized(self, values: Sequence[Any]) -> dict[str, Any]:
        """The attributes, for values of all the operands, with None for the parts of which nothing is known."""

        def filled(template: Any) -> Any:
            if _is_place(template):
                value = values[self._count + template[1]]
                return None if value is None else static(value)
            return tuple(map(filled, template)) if isinstance(template, tuple) else template

        return self.attributes | {n: filled(t) for n, t in self._holes.items()}


def op(
    name: str,
    *public: str,
    differentiable: bool = True,
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
      gradient: `MISSING` if asking for its gradient raises `LookupError`.
      hinted: see `Op`.
      host: `fn` takes and returns NumPy arrays on the host.
      stateful: running it twice is not the same as once: never folded, cached or dropped.

    Returns:
      A decorator that gives the public function. That function has the attributes `op`, and the decorators `rule`
      (declares the gradient on JAX values), `python_gradient` (declares it as a Python function of tensors), `factors` (tells
      which of the cotangents that the gradient gives are matrix products, see `Op`) and `open_shape`.
    """

    def declare(fn: Callable[..., Any]) -> Any:
        if name in declared:
            raise ValueError(f"op {name} is declared twice: {declared[name].fn.__module__} and {fn.__module__}")
        operation = declared[name] = Op(
            name,
            fn,
            differentiable=differentiable and (not host or gradient is MISSING),
            hinted=hinted,
            host=host,
            stateful=stateful,
        )
        operation.gradient = gradient
        operation.names = public
        call = _public_function(operation)
        export_value(call, *public)
        return call

    return declare


def _public_function(operation: Op) -> Any:
    roles, defaults = operation.roles, operation.defaults
    count = next((i for i, r in enumerate(roles) if not isinstance(r, Operand) or r.many), len(roles))
    # One or two operands given in place, and attributes that are plain values: the common case skips the binding.
    quick = (
        count in (1, 2)
        and not operation.host
        and all(d is _REQUIRED for d in defaults[:count])
        and not any(isinstance(r, Operand) for r in roles[count:])
    )
    call = (_unary if count == 1 else _binary)(operation) if quick else None

    @functools.wraps(operation.fn)
    def general(*args: Any, **kwargs: Any) -> Any:
        return operation(args, kwargs)

    public: Any = general if call is None else functools.wraps(operation.fn)(call)

    def rule(function: Callable[..., Any]) -> Callable[..., Any]:
        operation.rule = function
        return function

    def factors(function: Callable[..., Any]) -> Callable[..., Any]:
        operation.factors = function
        return function

    def python_gradient(function: Callable[..., Any]) -> Callable[..., Any]:
        operation.gradient = function
        return function

    def open_shape(function: Callable[..., Any]) -> Callable[..., Any]:
        operation.open_shape = function
        return function

    public.op = operation
    public.rule = rule
    public.factors = factors
    public.python_gradient = python_gradient
    public.open_shape = open_shape
    public.__signature__ = _shown_signature(operation)
    public.__annotations__ = {}
    if operation.names:
        public.__name__ = public.__qualname__ = operation.names[0].rsplit(".", 1)[-1]
    return public


def _unary(operation: Op) -> Callable[..., Any]:
    allowed = _taken(operation.roles[0])
    kernels = _Kernels(operation, 1)

    def call(*args: Any, **kwargs: Any) -> Any:
        if args:
            x = args[0]
            if type(x) is ResourceVariable:
                x = x.as_operand()
            if type(x) is EagerTensor and (x.known_spec or x.spec).dtype in allowed:
                kernel = (len(args) == 1 and not kwargs and kernels.usual) or kernels.find(args[1:], kwargs)
                if kernel is not None:
                    return execute(kernel, (x,))
        return operation(args, kwargs)

    return call


def _binary(operation: Op) -> Callable[..., Any]:
    one, other = operation.roles[:2]
    same = one.shared and other.shared
    allowed, allowed_other = _taken(one), _taken(other)
    kernels = _Kernels(operation, 2)

    def call(*args: Any, **kwargs: Any) -> Any:
        if len(args) >= 2:
            x, y = args if len(args) == 2 else args[:2]
            if type(x) is ResourceVariable:
                x = x.as_operand()
            if type(x) is EagerTensor:
                dtype = (x.known_spec or x.spec).dtype
                if type(y) is not EagerTensor:
                    y = quick_operand(y, dtype) if same else None
                if y is not None and dtype in allowed:
                    found = (y.known_spec or y.spec).dtype
                    if found is dtype if same else found in allowed_other:
                        kernel = (len(args) == 2 and not kwargs and kernels.usual) or kernels.find(args[2:], kwargs)
                        if kernel is not None:
                            return execute(kernel, (x, y))
        return operation(args, kwargs)

    return call


def _taken(role: Operand) -> frozenset[DType]:
    if role.forced is not None:
        return frozenset({role.forced})
    return _EVERY_DTYPE if role.allowed is None else role.allowed


class _Kernels:
    """The kernels of an operation whose first operands are tensors, by what follows them.

    Attributes:
      usual: the kernel if nothing follows; None until `find` has made it.
    """

    __slots__ = ("_count", "_known", "_operation", "usual")

    def __init__(self, operation: Op, count: int) -> None:
        self._operation = operation
        self._count = count
        self._known: dict[Any, Kernel | None] = {}
        self.usual: Kernel | None = None

    def find(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Kernel | None:
        """The kernel for these further arguments; None where the call has to be bound."""
        key: list[Any] = []
        for value in (*args, *kwargs.values()) if kwargs else args:
            kind = type(value)
            if kind is list or kind is tuple:
                if any([type(item) is not int for item in value]):
                    return None
                value = tuple(value)
            # 1, 1.0 and True are equal, and 0.0 is -0.0, but they make different kernels.
            elif kind not in _PLAIN and not (kind is float and value):
                return None
            key += kind, value
        key += kwargs
        found = self._known.get(tuple(key), _REQUIRED)
        if found is _REQUIRED:
            found = self._operation.kernel_for(self._count, args, kwargs)
            if len(self._known) >= _KERNELS_LIMIT:
                self._known.clear()
            self._known[tuple(key)] = found
            if not key:
                self.usual = found
        return found


def quick_operand(value: Any, dtype: DType) -> Tensor | None:
    """The second operand of a binary operation, where that takes no thought; None where it does."""
    kind = type(value)
    if (kind is float and dtype.is_floating) or (kind is int and (dtype.is_floating or dtype.is_integer)):
        return shared_scalar(value, dtype)
    if kind is ResourceVariable:
        return value.as_operand()
    return value if isinstance(value, Tensor) else None


def _shown_signature(operation: Op) -> inspect.Signature:
    """TensorFlow's signature: without roles, and with the `name` that every operation accepts."""
    parameters = [p.replace(annotation=inspect.Parameter.empty) for p in operation.signature.parameters.values()]
    return inspect.Signature(parameters)
