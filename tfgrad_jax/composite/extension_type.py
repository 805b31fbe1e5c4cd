"""`tf.experimental.ExtensionType`: composites that users declare by annotated fields."""

from __future__ import annotations

import inspect
import typing
from abc import ABCMeta
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from tfgrad_jax.composite.extension_fields import (
    NO_DEFAULT,
    Field,
    check_kind,
    collected,
    converted,
    described,
    filled,
)
from tfgrad_jax.engine.names.export import export
from tfgrad_jax.engine.values import nest
from tfgrad_jax.engine.values.composite import Composite, CompositeSpec
from tfgrad_jax.engine.values.shapes import TensorShape
from tfgrad_jax.engine.values.spec_names import register
from tfgrad_jax.engine.values.specs import TypeSpec
from tfgrad_jax.engine.values.tensor import Tensor
from tfgrad_jax.ops.math.compare import equal, logical_not
from tfgrad_jax.ops.math.reduce import reduce_all

_PREFIX = "_tf_extension_type"
_OPEN = f"{_PREFIX}_under_construction"
_FIELDS = f"{_PREFIX}_fields"
_OWNER = f"{_PREFIX}_class"
_RESERVED = {"self", "Spec", "_type_spec", "_consumers", *(n for n in dir(CompositeSpec) if n != "__init__")}


class _RecordMeta(ABCMeta):
    """Of classes whose attributes are declared fields: what a constructor sets is converted after it, and then stays."""

    if not TYPE_CHECKING:  # type checkers would not know what is made

        def __call__(cls, *args: Any, **kwargs: Any) -> Any:
            value = object.__new__(cls)
            vars(value)[_OPEN] = True
            value.__init__(*args, **kwargs)
            given = vars(value)
            del given[_OPEN]
            fields = fields_of(cls)
            missing = {f.name for f in fields} - given.keys()
            if missing:
                raise ValueError(f"Missing required fields: {missing}")
            of_spec = issubclass(cls, ExtensionTypeSpec)
            parts = {f.name: converted(f.kind, given[f.name], f.name, of_spec) for f in fields}
            given.clear()
            given.update(parts)
            value.__validate__()
            return value


class _Record(metaclass=_RecordMeta):
    """Attributes that are set by the constructor only."""

    def __validate__(self) -> None:
        """Called when all fields are converted; may raise."""

    def __setattr__(self, name: str, value: Any) -> None:
        if _OPEN not in vars(self) or all(name != f.name for f in fields_of(type(self))):
            raise _frozen(self, name)
        vars(self)[name] = value

    def __delattr__(self, name: str) -> None:
        if _OPEN not in vars(self):
            raise _frozen(self, name)
        vars(self).pop(name)

    def __repr__(self) -> str:
        shown = ", ".join(f"{f.name}={vars(self).get(f.name)!r}" for f in fields_of(type(self)))
        return f"{type(self).__qualname__}({shown})"


def _frozen(record: Any, name: str) -> AttributeError:
    kind = "ExtensionTypeSpec" if isinstance(record, ExtensionTypeSpec) else "ExtensionType"
    return AttributeError(f"Cannot mutate attribute `{name}` outside the custom constructor of {kind}.")


def fields_of(cls: Any) -> tuple[Field, ...]:
    """The fields of an extension type or of its spec; annotations that were not known at its definition are looked up again."""
    fields: tuple[Field, ...] = getattr(cls, _FIELDS)
    if any(_unknown(f.kind) for f in fields):
        owner = getattr(cls, _OWNER) if issubclass(cls, ExtensionTypeSpec) else cls
        hints = _hints(owner)
        fields = tuple([f._replace(kind=hints.get(f.name, f.kind)) for f in fields])
        for f in fields:
            _check(f)
        setattr(cls, _FIELDS, fields)
    return fields


def _unknown(kind: Any) -> bool:
    return isinstance(kind, (str, typing.ForwardRef)) or any(map(_unknown, typing.get_args(kind)))


def _hints(cls: type) -> dict[str, Any]:
    try:
        return typing.get_type_hints(cls, localns={cls.__name__: cls})
    except (NameError, AttributeError, TypeError, SyntaxError):
        # A name that is not known yet, or not from here: what each annotation says by itself.
        return {name: kind for base in reversed(cls.__mro__) for name, kind in inspect.get_annotations(base).items()}


def _check(field: Field) -> None:
    try:
        check_kind(field.kind)
    except TypeError as error:
        raise TypeError(f"In field {field.name!r}: {error}") from error


def _declared(cls: type) -> tuple[Field, ...]:
    """The fields that a class and its bases declare, those of the bases first."""
    own = inspect.get_annotations(cls)
    for name in own:
        if name in _RESERVED or name.startswith(_PREFIX):
            raise _invalid(cls, f"Field {name!r} is reserved.")
    for name, value in vars(cls).items():
        if name.startswith(_PREFIX):
            raise _invalid(cls, f"Field {name!r} is reserved.")
        plain = not (callable(value) or hasattr(value, "__get__") or (name.startswith("__") and name.endswith("__")))
        if name not in own and plain and name != "_abc_impl":
            raise _invalid(cls, f"Field {name} is missing a type annotation.")
    hints = _hints(cls)
    fields = {f.name: f for base in reversed(cls.__mro__[1:]) for f in vars(base).get(_FIELDS, ())}
    for name in own:
        field = Field(name, hints[name], vars(cls).get(name, NO_DEFAULT))
        _check(field)
        if field.default is not NO_DEFAULT and not _unknown(field.kind):
            converted(field.kind, field.default, f"default value for {name}", False)
        fields[name] = field
    return tuple(fields.values())


def _invalid(cls: type, reason: str) -> ValueError:
    return ValueError(f"The field annotations for {cls.__name__} are invalid. {reason}")


def _signature(cls: type, fields: tuple[Field, ...], of_spec: bool) -> inspect.Signature:
    """The generated constructor's: a field without a default that follows one with a default must be named."""
    parameters: list[inspect.Parameter] = []
    kind: Any = inspect.Parameter.POSITIONAL_OR_KEYWORD
    optional = False
    for f in fields:
        has_default = f.default is not NO_DEFAULT and not of_spec
        if optional and not has_default:
            kind = inspect.Parameter.KEYWORD_ONLY
        optional = optional or has_default
        extra: dict[str, Any] = {} if of_spec else {"annotation": f.kind}
        if has_default:
            extra["default"] = f.default
        parameters.append(inspect.Parameter(f.name, kind, **extra))
    return inspect.Signature(parameters, return_annotation=cls)


def _make_constructor(cls: Any, fields: tuple[Field, ...], of_spec: bool) -> None:
    """Give a class the constructor that its fields make, unless it or a base has one of its own."""
    inherited = next((base for base in cls.__mro__ if "__init__" in vars(base)), object)
    generated = getattr(inherited.__init__, f"{_PREFIX}_generated", False)
    if inherited not in (object, ExtensionTypeSpec, TypeSpec) and not generated:
        own = inspect.signature(inherited.__init__)
        cls.__signature__ = own.replace(parameters=list(own.parameters.values())[1:])
        return
    signature = _signature(cls, fields, of_spec)

    def __init__(self: Any, *args: Any, **kwargs: Any) -> None:
        bound = signature.bind(*args, **kwargs)
        bound.apply_defaults()
        vars(self).update(bound.arguments)

    setattr(__init__, f"{_PREFIX}_generated", True)
    __init__.__qualname__ = f"{cls.__qualname__}.__init__"
    cls.__init__ = __init__
    cls.__signature__ = signature


@export("experimental.ExtensionTypeSpec")
class ExtensionTypeSpec(_Record, CompositeSpec):
    """The type of an extension type's values: a field for each of theirs, with specs in place of tensors.

    Mirrors `tf.experimental.ExtensionTypeSpec`. Each extension type has one as its nested class `Spec`.
    """

    @property
    def value_type(self) -> Any:
        """The extension type."""
        return getattr(self, _OWNER)

    @classmethod
    def from_value(cls, value: Any) -> Any:
        """The spec of a value."""
        spec = cls.__new__(cls)
        vars(spec).update((f.name, described(vars(value)[f.name])) for f in fields_of(cls))
        return spec

    def _serialize(self) -> tuple[Any, ...]:
        return tuple([(f.name, vars(self)[f.name]) for f in fields_of(type(self))])

    @classmethod
    def _deserialize(cls, parts: tuple[Any, ...]) -> Any:
        return restored(cls, parts)

    def __reduce__(self) -> tuple[Any, ...]:
        return restored, (type(self), self._serialize())

    @property
    def _component_specs(self) -> tuple[Any, ...]:
        return self._to_components(self)

    def _to_components(self, value: Any) -> tuple[Any, ...]:
        mine, theirs = vars(self), vars(value)
        return tuple([part for f in fields_of(type(self)) for part in collected(mine[f.name], theirs[f.name])])

    def _from_components(self, components: Any) -> Any:
        # Not through the constructor: components may be anything, and are not to be checked.
        parts: Iterator[Any] = iter(components)
        value = self.value_type.__new__(self.value_type)
        vars(value).update([(f.name, filled(vars(self)[f.name], parts)) for f in fields_of(type(self))])
        return value


def restored(cls: Any, parts: tuple[Any, ...]) -> Any:
    """The spec of a class that has these fields, which are not checked again."""
    spec = cls.__new__(cls)
    vars(spec).update(parts)
    return spec


def with_parts(spec: Any, change: Callable[[Any], Any]) -> Any:
    """A spec like an extension type's with other specs and shapes in place of those in its fields."""

    def changed(value: Any) -> Any:
        if isinstance(value, (TypeSpec, TensorShape)):
            return change(value)
        if isinstance(value, dict):
            return {key: changed(item) for key, item in value.items()}
        return tuple(map(changed, value)) if isinstance(value, tuple) else value

    return restored(type(spec), tuple([(f.name, changed(vars(spec)[f.name])) for f in fields_of(type(spec))]))


class ExtensionTypeMetaclass(_RecordMeta):
    """Makes the fields, the constructor and the `Spec` of an extension type."""

    spec_base: Any = ExtensionTypeSpec

    def __init__(cls, name: str, bases: tuple[type, ...], namespace: dict[str, Any]) -> None:
        super().__init__(name, bases, namespace)
        if vars(cls).get(f"{_PREFIX}_abstract"):
            return
        fields = _declared(cls)
        setattr(cls, _FIELDS, fields)
        _make_constructor(cls, fields, False)
        spec = cls.Spec = _make_spec(cls, fields)
        public = vars(cls).get("__name__")
        if isinstance(public, str):
            register(f"{public}.Spec")(spec)

    if not TYPE_CHECKING:

        def __call__(cls, *args: Any, **kwargs: Any) -> Any:
            if vars(cls).get(f"{_PREFIX}_abstract"):
                raise AssertionError(
                    f"Cannot create an instance of {cls.__name__} because {cls.__name__} is an abstract base class."
                )
            return super().__call__(*args, **kwargs)


def _make_spec(cls: Any, fields: tuple[Field, ...]) -> Any:
    given = vars(cls).get("Spec")
    base = cls.spec_base
    namespace = {} if given is None else {k: v for k, v in vars(given).items() if k not in ("__dict__", "__weakref__")}
    if given is not None and issubclass(given, ExtensionTypeSpec):
        base = given
        namespace = {}
    namespace |= {
        "__module__": cls.__module__,
        "__qualname__": f"{cls.__qualname__}.Spec",
        _OWNER: cls,
        _FIELDS: fields,
    }
    spec: Any = _RecordMeta(f"{cls.__name__}.Spec", (base,), namespace)
    _make_constructor(spec, fields, True)
    return spec


@export("experimental.ExtensionType")
class ExtensionType(_Record, Composite, metaclass=ExtensionTypeMetaclass):
    """A composite that a user declares: a class with annotated fields, of which tensors may be some.

    Mirrors `tf.experimental.ExtensionType`. A subclass gets a constructor with a parameter for each field (those of base classes
    first), `__repr__`, `__eq__`, and a nested class `Spec`. Fields may be tensors, extension types and other composites, `int`,
    `float`, `str`, `bytes`, `bool`, `None`, dtypes, shapes, and `Tuple[...]`, `Mapping[...]`, `Union[...]` and `Optional[...]` of
    these. Values are converted and checked, then `__validate__` is called; after that nothing can be changed.

    Raises:
      TypeError: if a field's annotation is none of these, or a value does not fit.
      ValueError: if a field has no annotation or a reserved name, or a constructor of one's own leaves one out.
    """

    if TYPE_CHECKING:  # values are converted to the fields' types

        def __init__(self, *args: Any, **kwargs: Any) -> None: ...

    _tf_extension_type_abstract = True

    @property
    def _type_spec(self) -> Any:
        return type(self).Spec.from_value(self)

    def __eq__(self, other: object) -> Any:
        if type(self) is not type(other):
            return NotImplemented
        if self._type_spec != other._type_spec:
            return False
        mine, theirs = (nest.flatten(v, expand_composites=True) for v in (self, other))
        return reduce_all([reduce_all(equal(x, y)) for x, y in zip(mine, theirs, strict=True)])

    def __ne__(self, other: object) -> Any:
        same = self.__eq__(other)
        if same is NotImplemented:
            return same
        return logical_not(same) if isinstance(same, Tensor) else not same

    __hash__ = None  # type: ignore[assignment]


@export("experimental.extension_type.as_dict")
def as_dict(value: Any) -> dict[str, Any]:
    """The fields of an extension type's value by name. Mirrors `tf.experimental.extension_type.as_dict`."""
    return {f.name: getattr(value, f.name) for f in getattr(value, _FIELDS)}
