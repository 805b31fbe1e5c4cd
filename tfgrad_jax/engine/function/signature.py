"""How a traced function may be called: one form for its arguments, and the key under which a trace is known."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from tfgrad_jax.engine.function.objects import HandleSpec, Same, VariableSpec, own_type, stand_in
from tfgrad_jax.engine.function.shown import parameters_shown
from tfgrad_jax.engine.state.resource import ResourceTensor
from tfgrad_jax.engine.state.variable import Variable
from tfgrad_jax.engine.threads.context import context
from tfgrad_jax.engine.values import nest
from tfgrad_jax.engine.values.composite import is_composite, spec_of
from tfgrad_jax.engine.values.convert import convert
from tfgrad_jax.engine.values.dtypes import DType
from tfgrad_jax.engine.values.specs import TensorSpec, TypeSpec, static_parts
from tfgrad_jax.engine.values.tensor import Spec, Tensor

_NAN = object()


class Arguments:
    """The arguments of one call, taken apart.

    Attributes:
      args, kwargs: the arguments in their one form.
      leaves: those of the nest (args, kwargs), composite values expanded.
      parts: what each of them contributes to the key.
      tensors: the tensors among them.
      variables: the variables among them, each once.
    """

    __slots__ = ("args", "kwargs", "leaves", "parts", "tensors", "variables")

    def __init__(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        self.args = args
        self.kwargs = kwargs
        flat = not kwargs and not any(nest.is_nested(a) or is_composite(a) for a in args)
        self.leaves = leaves = list(args) if flat else nest.flatten((args, kwargs), expand_composites=nest.VALUES)
        self.parts: list[Any] = []
        self.tensors: list[Tensor] = []
        self.variables: list[Variable] = []
        for i, leaf in enumerate(leaves):
            if isinstance(leaf, ResourceTensor):
                # A handle of no variable yet is an object as others are.
                self.parts.append(leaf.ref() if leaf.found is None else self._variable(leaf.found, HandleSpec))
            elif isinstance(leaf, Tensor):
                self.tensors.append(leaf)
                self.parts.append(leaf.spec)
            elif isinstance(leaf, (np.ndarray, np.generic)) and not isinstance(leaf, np.dtype):
                leaves[i] = tensor = convert(leaf)
                self.tensors.append(tensor)
                self.parts.append(tensor.spec)
            elif isinstance(leaf, Variable):
                self.parts.append(self._variable(leaf))
            elif isinstance(leaf, TensorSpec):
                self.parts.append(tensor_part(leaf))
            else:
                self.parts.append(_part(leaf))
        if not flat:
            self.parts.append(_structure((args, kwargs)))
        if context.copy is not None:
            self.parts.append(context.copy)

    def _variable(self, variable: Variable, kind: type[VariableSpec] = VariableSpec) -> VariableSpec:
        place = next((i for i, v in enumerate(self.variables) if v.box is variable.box), None)
        if place is None:
            place = len(self.variables)
            self.variables.append(variable)
        return kind(variable.shape, variable.dtype, variable.trainable, place)

    @property
    def key(self) -> tuple[Any, ...]:
        """Equal for calls that one trace can serve."""
        return tuple(self.parts)

    @property
    def identities(self) -> tuple[int, ...]:
        """Which variables they are."""
        return tuple(v.box.id for v in self.variables)

    def pack(self, leaves: Sequence[Any]) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """The nest with other leaves."""
        return nest.pack_sequence_as((self.args, self.kwargs), list(leaves), expand_composites=nest.VALUES)


def tensor_part(spec: TensorSpec) -> Any:
    """A `tf.TensorSpec` as a part of a key."""
    return spec if spec.shape.rank is None else Spec.of(spec.dtype, tuple(spec.shape.as_list()))  # type: ignore[arg-type]


def _part(value: Any) -> Any:
    if isinstance(value, float) and value != value:
        return _NAN
    if isinstance(value, (bool, int, float, complex, str, bytes, type(None), TypeSpec)):
        return value
    own = own_type(value)
    if own is not None:
        return own
    try:
        return Same(value)
    except TypeError:
        pass
    try:
        hash(value)
    except TypeError:
        raise TypeError(
            f"tf.function: the argument {value!r} of type {type(value).__name__} is neither a tensor nor hashable, so "
            f"there is no telling when the function must be traced anew. Pass tensors, Python numbers or strings, or nests of them."
        ) from None
    return value


def _structure(value: Any) -> Any:
    if isinstance(value, dict):
        return (type(value), tuple([(k, _structure(value[k])) for k in sorted(value, key=str)]))
    if isinstance(value, (list, tuple)):
        return (type(value), *map(_structure, value))
    if nest.is_nested(value):
        return (type(value), *[path for path, _ in nest.flatten_with_paths(value)])
    if is_composite(value):
        return (type(value), static_parts(spec_of(value)))
    return None


def generalised(parts: Sequence[Any], others: Sequence[Any]) -> tuple[Any, ...] | None:
    """Parts that stand for both, with sizes left open where they differ; None if they differ in more."""
    if len(parts) != len(others):
        return None
    found = []
    for a, b in zip(parts, others, strict=True):
        if a is not b and type(a) is Spec and type(b) is Spec:
            if a.dtype is not b.dtype or len(a.shape) != len(b.shape):
                return None
            a = Spec.of(a.dtype, tuple(m if m == n else None for m, n in zip(a.shape, b.shape, strict=True)))  # type: ignore[misc]
        elif a != b:
            return None
        found.append(a)
    return tuple(found)


def fits(parts: Sequence[Any], general: Sequence[Any]) -> bool:
    """Whether a trace for `general`, where sizes may be open, can serve a call with `parts`."""
    return len(parts) == len(general) and all(
        a is b
        or (type(a) is Spec and type(b) is Spec and a.dtype is b.dtype and a.tensor_shape.is_subtype_of(b.tensor_shape))
        or (type(a) is not Spec and a == b)
        for a, b in zip(parts, general, strict=True)
    )


def openness(parts: Sequence[Any]) -> int:
    """How many sizes are left open."""
    return sum(part.shape.count(None) for part in parts if type(part) is Spec)


class Signature:
    """The parameters of a Python function, and the specs that its arguments were declared to have.

    Args:
      function: the Python function.
      specs: `input_signature`: a nest of specs for each positional argument, or None.

    Raises:
      TypeError: if `specs` is no list or tuple of nests of specs, or leaves a parameter without default out.
    """

    def __init__(self, function: Callable[..., Any], specs: Any = None) -> None:
        self.name = getattr(function, "__name__", type(function).__name__)
        self.specs = None if specs is None else _checked_specs(specs)
        self.signature: inspect.Signature | None
        try:
            self.signature = inspect.signature(function)
        except (TypeError, ValueError):
            self.signature = None
        parameters = list(self.signature.parameters.values()) if self.signature is not None else []
        positional = [p for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
        self.positional = tuple(p.name for p in positional)
        self.defaults = tuple(p.default for p in positional)
        self._required = sum(p.default is p.empty for p in positional)
        self.takes_more = inspect.Parameter.VAR_POSITIONAL in {p.kind for p in parameters}
        self.varargs = next((p.name for p in parameters if p.kind is p.VAR_POSITIONAL), "args")
        others = {p.kind for p in parameters[len(positional) :]}
        self._simple = self.signature is not None and others <= {inspect.Parameter.VAR_POSITIONAL}
        self._variadic = bool(others)
        if self.specs is not None:
            missing = [
                p.name
                for p in positional[len(self.specs) + (self.positional[:1] == ("self",)) :]
                if p.default is p.empty
            ]
            if missing:
                raise TypeError(f"input_signature missing type constraint for {missing[0]}")

    def bind(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """Arguments in one form, however they were passed, with defaults filled in.

        Raises:
          TypeError: if they do not fit the parameters.
        """
        if self._simple and not kwargs:
            given, wanted = len(args), len(self.positional)
            if given == wanted or (given > wanted and self._variadic):
                return args, kwargs
            if self._required <= given < wanted:
                return (*args, *self.defaults[given:]), kwargs
        if self.signature is None:
            return args, kwargs
        try:
            bound = self.signature.bind(*args, **kwargs)
        except TypeError as error:
            raise self._misfit(str(error), args, kwargs) from None
        bound.apply_defaults()
        return bound.args, bound.kwargs

    def _misfit(self, reason: str, args: Any, kwargs: Any) -> TypeError:
        return TypeError(
            f"Binding inputs to tf.function failed due to `{reason}`. Received args: {args} and kwargs: {kwargs} for "
            f"signature: {parameters_shown(self.signature, self.positional, self.specs)}."
        )

    def cast(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
        """Bound arguments converted to the specs, and the specs (with the rank of the value where one leaves it open).

        Raises:
          TypeError: if an argument does not fit.
        """
        assert self.specs is not None
        n = len(self.specs)
        for value, default, parameter in zip(args[n:], self.defaults[n:], self.positional[n:], strict=False):
            if value is not default and not _equal(value, default):
                raise self._misfit(f"Can not cast {value!r} to Literal[{default!r}] for {parameter}", args, kwargs)
        if len(args) < n:
            raise self._misfit(f"the input_signature has {n} arguments", args, kwargs)
        found: list[Any] = []
        specs: list[Any] = []

        def cast(spec: Any, value: Any) -> tuple[Any, Any]:
            try:
                return _cast(spec, value)
            except (TypeError, ValueError) as error:
                raise self._misfit(str(error), args, kwargs) from None

        for spec, value in zip(self.specs, args, strict=False):
            flat = nest.flatten(spec)
            try:
                values = flat and flatten_up_to(spec, value)
            except (TypeError, ValueError, KeyError) as error:
                raise self._misfit(str(error), args, kwargs) from None
            pairs = [cast(s, v) for s, v in zip(flat, values, strict=True)]
            found.append(nest.pack_sequence_as(spec, [v for v, _ in pairs]))
            specs.append(nest.pack_sequence_as(spec, [s for _, s in pairs]))
        return (*found, *args[n:]), (*specs, *args[n:])

    def parameter(self, i: int) -> str:
        """The name of the i-th positional argument."""
        return self.positional[i] if i < len(self.positional) else f"{self.varargs}_{i - len(self.positional)}"

    def check_unchanged(self, before: Any, after: Any) -> None:
        """Check that the function left its arguments as they were: (args, kwargs) before and after it was traced.

        Raises:
          ValueError: if a list or dict among them was changed.
        """
        named = [dict(enumerate(args)) | kwargs for args, kwargs in (before, after)]
        changed = [
            self.parameter(key) if isinstance(key, int) else key
            for key, value in named[0].items()
            if not _is_same(value, named[1][key])
        ]
        if changed:
            raise ValueError(
                f"{self.name}{self.signature or '(...)'} should not modify its Python input arguments: a function is traced once "
                f"and then runs without its Python code, so that nobody would see the change. It modified {', '.join(changed)}; "
                f"change a copy, and return it."
            )

    def named(self, arguments: Arguments) -> tuple[list[Any], list[str]]:
        """What traces call the arguments.

        Returns:
          The leaves with a spec in place of each tensor, named after the parameter and the path to it; and for each the
          name of its placeholder: what the caller named it, otherwise the parameter alone.
        """
        pairs = [(self.parameter(i), value) for i, value in enumerate(arguments.args)]
        pairs += [(key, arguments.kwargs[key]) for key in sorted(arguments.kwargs)]
        names = [(top, name) for top, value in pairs for name in _names(top, value)]
        leaves = [_spec_for(leaf, name) for leaf, (_, name) in zip(arguments.leaves, names, strict=True)]
        given = [leaf.name if isinstance(leaf, TensorSpec) else None for leaf in arguments.leaves]
        return leaves, [own or top for own, (top, _) in zip(given, names, strict=True)]


def _is_same(before: Any, after: Any) -> bool:
    """Whether two nests have one structure and the same objects as leaves, or as the components of composite leaves."""
    try:
        nest.assert_same_structure(before, after, expand_composites=nest.VALUES)
    except (TypeError, ValueError):
        return False
    leaves = [nest.flatten(structure, expand_composites=nest.VALUES) for structure in (before, after)]
    return all(a is b for a, b in zip(*leaves, strict=True))


def described(arguments: Arguments, leaves: Sequence[Any]) -> Any:
    """(args, kwargs) with specs in place of tensors, composite values and variables; objects are not kept alive."""
    rest = iter(leaves)
    variables = [v.box for v in arguments.variables]

    def of(value: Any) -> Any:
        kind = VariableSpec
        if isinstance(value, ResourceTensor) and value.found is not None and value.found.box in variables:
            kind, value = HandleSpec, value.found
        if isinstance(value, Variable):
            place = variables.index(value.box)
            next(rest)
            return kind(value.shape, value.dtype, value.trainable, place)
        if is_composite(value):
            for _ in nest.flatten(value, expand_composites=nest.VALUES):
                next(rest)
            return spec_of(value)
        leaf = next(rest)
        if isinstance(leaf, (TypeSpec, DType, bool, int, float, complex, str, bytes, type(None))):
            return leaf
        try:
            return Same(leaf)
        except TypeError:  # not hashable, or not weakly referable
            return leaf

    return nest.map_structure(of, (arguments.args, arguments.kwargs))


def _names(top: str, value: Any) -> list[str]:
    if not nest.is_nested(value) and not is_composite(value):
        return [top]
    return [
        "_".join([top, *map(str, path)])
        for path, leaf in nest.flatten_with_paths(value)
        for _ in nest.flatten(leaf, expand_composites=nest.VALUES)
    ]


def _spec_for(leaf: Any, name: str) -> Any:
    if isinstance(leaf, Tensor) and not isinstance(leaf, ResourceTensor):
        return TensorSpec(leaf.shape, leaf.dtype, name)
    if isinstance(leaf, TensorSpec) and leaf.name is None:
        return TensorSpec(leaf.shape, leaf.dtype, name)
    return stand_in(leaf)


def _checked_specs(specs: Any) -> tuple[Any, ...]:
    if not isinstance(specs, (list, tuple)):
        raise TypeError(f"input_signature must be either a tuple or a list, got {type(specs)}.")
    wrong = [s for s in nest.flatten(specs) if not isinstance(s, TypeSpec)]
    if wrong:
        raise TypeError(
            f"input_signature must be a possibly nested sequence of TensorSpec objects, got invalid args {wrong} with "
            f"types {list(map(type, wrong))}."
        )
    return tuple(specs)


def _equal(a: Any, b: Any) -> bool:
    try:
        return type(a) is type(b) and bool(a == b)
    except Exception:  # whatever an object makes of ==
        return False


def flatten_up_to(spec: Any, value: Any) -> list[Any]:
    """The parts of `value` at the places where `spec` has its leaves; lists and tuples may stand for each other.

    Raises:
      ValueError: if `value` is nested in another way.
    """
    if not nest.is_nested(spec):
        return [value]
    kinds: Any = dict if isinstance(spec, dict) else (list, tuple) if isinstance(spec, (list, tuple)) else type(spec)
    given: Any = value
    if not isinstance(given, kinds) or (isinstance(spec, dict) and spec.keys() != given.keys()):
        raise ValueError(f"Can not cast {value!r} to {spec!r}")
    inner, found = nest.children_of(spec), nest.children_of(value)
    if len(inner) != len(found):
        raise ValueError(f"Can not cast {value!r} to {spec!r}")
    return [leaf for s, v in zip(inner, found, strict=True) for leaf in flatten_up_to(s, v)]


def _cast(spec: Any, value: Any) -> tuple[Any, Any]:
    if not isinstance(spec, TensorSpec):
        if not spec.is_compatible_with(value):
            raise TypeError(f"Can not cast {value!r} to {spec}")
        return value, spec
    if isinstance(value, Variable):
        value = value.as_operand()
    tensor = value if isinstance(value, (Tensor, TensorSpec)) else convert(value, spec.dtype)
    if tensor.dtype is not spec.dtype or not spec.shape.is_compatible_with(tensor.shape):
        raise TypeError(f"Can not cast {TensorSpec(tensor.shape, tensor.dtype)} to {spec}")
    if spec.shape.rank is None and tensor.shape.rank is not None:
        spec = TensorSpec([None] * tensor.shape.rank, spec.dtype, spec.name)
    return tensor, spec
