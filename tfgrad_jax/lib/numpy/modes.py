"""The modes "all" and "safe": public functions and operators that promote dtypes, and keep track of what gives way."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tfgrad_jax.composite.targets import PublicFunction, public_function
from tfgrad_jax.engine.names.export import registry
from tfgrad_jax.engine.state.variable import Variable
from tfgrad_jax.engine.values import dtypes
from tfgrad_jax.engine.values.convert import convert
from tfgrad_jax.engine.values.tensor import Tensor
from tfgrad_jax.lib.numpy.promotion import Kind, known, promoted_kind
from tfgrad_jax.lib.numpy.types import PREFIX, preference, tf
from tfgrad_jax.lib.numpy.weak import WeakTensor, kind_of, marked, plain
from tfgrad_jax.ops.math.cast import cast

_KEEPING = (
    "expand_dims identity ones_like reshape squeeze stop_gradient transpose zeros_like "
    "debugging.check_numerics linalg.diag linalg.diag_part linalg.matrix_transpose linalg.tensor_diag_part "
    "linalg.trace math.abs math.acos math.acosh math.angle math.asin math.asinh math.atan math.atanh math.bessel_i0 "
    "math.bessel_i0e math.bessel_i1 math.bessel_i1e math.ceil math.conj math.cos math.cosh math.digamma math.erf "
    "math.erfc math.erfcinv math.erfinv math.exp math.expm1 math.floor math.imag math.lgamma math.log math.log1p "
    "math.log_sigmoid math.ndtri math.negative math.real math.reciprocal math.reciprocal_no_nan "
    "math.reduce_euclidean_norm math.reduce_logsumexp math.reduce_max math.reduce_mean math.reduce_min "
    "math.reduce_prod math.reduce_std math.reduce_sum math.reduce_variance math.rint math.round math.rsqrt "
    "math.scalar_mul math.sigmoid math.sign math.sin math.sinh math.softplus math.special.bessel_i0 "
    "math.special.bessel_i1 math.special.bessel_j0 math.special.bessel_j1 math.special.bessel_k0 "
    "math.special.bessel_k0e math.special.bessel_k1 math.special.bessel_k1e math.special.bessel_y0 "
    "math.special.bessel_y1 math.special.dawsn math.special.expint math.special.fresnel_cos "
    "math.special.fresnel_sin math.special.spence math.sqrt math.square math.tan math.tanh nn.depth_to_space "
    "nn.gelu nn.leaky_relu nn.log_softmax nn.relu6 nn.silu nn.space_to_depth"
)
"""Functions whose result gives way where their first operand does."""

_KEEPING_NUMPY = (
    "abs absolute amax amin angle arange arccos arcsin arcsinh arctan arctanh around array asanyarray asarray "
    "ascontiguousarray average bitwise_not cbrt ceil conj conjugate copy cos cosh cumprod cumsum deg2rad diag "
    "diagflat diagonal diff empty_like exp exp2 expand_dims expm1 fabs fix flatten flip fliplr flipud floor "
    "full_like imag log log10 log1p log2 max mean min moveaxis nanmean negative ones_like positive prod rad2deg "
    "ravel real reciprocal repeat reshape rot90 round sin sinc sinh sort sqrt square squeeze std sum swapaxes tan "
    "tanh trace transpose triu vander var zeros_like"
)

_MEETING = (
    "math.add math.subtract math.multiply math.divide math.truediv math.floordiv math.floormod math.pow "
    "math.divide_no_nan math.multiply_no_nan math.maximum math.minimum math.equal realdiv truncatediv truncatemod "
    "linalg.matmul linalg.matvec tensordot experimental.numpy.matmul"
)
"""Functions of two operands, which promote them."""

_STRONG = ("math.maximum", "math.minimum", "math.equal", "linalg.matvec", "tensordot")
"""Those whose result is never weak."""

_OPERATORS = ["add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "matmul", "div"]
_REFLECTED = [f"r{name}" for name in _OPERATORS]


def meeting(x: Any, y: Any) -> tuple[Any, Any, bool]:
    """Two operands as tensors of one dtype, and whether that gives way."""
    left, right = kind_of(x), kind_of(y)
    if left is None or right is None or not known(left.dtype) or not known(right.dtype):
        return plain(x), plain(y), False
    found = promoted_kind(preference.mode, left, right)
    return _as(x, found), _as(y, found), found.weak


def _as(value: Any, kind: Kind) -> Any:
    value = plain(value)
    if not isinstance(value, (Tensor, Variable)):
        value = convert(value)
    return value if value.dtype is kind.dtype else cast(value, kind.dtype)


def _bound(
    api: PublicFunction, count: int, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> tuple[list[Any], Any, Any]:
    """The first operands of a call, and its other arguments."""
    names = list(api.signature.parameters)[:count]
    rest = dict(kwargs)
    operands = [*args[:count], *[rest.pop(name) for name in names[len(args) :] if name in rest]]
    return operands, args[count:], rest


def _keeping(api: PublicFunction) -> Callable[..., Any]:
    def around(function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        operands, args, kwargs = _bound(api, 1, args, kwargs)
        args, kwargs = tuple(map(plain, args)), {name: plain(value) for name, value in kwargs.items()}
        if not operands or isinstance(operands[0], (Tensor, Variable)) or not _counts():
            return function((*map(plain, operands), *args), kwargs)
        kind = kind_of(operands[0])
        weak = kind is not None and kind.weak and kwargs.get("dtype") is None
        return marked(function((_as(operands[0], kind) if kind and weak else plain(operands[0]), *args), kwargs), weak)

    return around


def _meeting(api: PublicFunction, strong: bool, firm: bool = False) -> Callable[..., Any]:
    """A function of two operands; with `firm`, as if none of them gave way."""

    def around(function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        operands, args, kwargs = _bound(api, 2, args, kwargs)
        if len(operands) != 2 or not _counts():
            return function((*map(plain, operands), *args), kwargs)
        x, y, weak = meeting(*([convert(plain(value)) for value in operands] if firm else operands))
        return marked(function((x, y, *args), kwargs), weak and not strong)

    return around


def _clipping(api: PublicFunction) -> Callable[..., Any]:
    """`tf.clip_by_value`: what is clipped meets the upper bound, then the lower one, as if it did not give way; its result does."""

    def around(function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        operands, args, kwargs = _bound(api, 3, args, kwargs)
        if len(operands) != 3 or not _counts():
            return function((*map(plain, operands), *args), kwargs)
        value, low, high = operands
        kind = kind_of(value)
        value, high, _ = meeting(convert(plain(value)), high)
        value, low, _ = meeting(value, low)
        clipped = function((value, low, _as(high, Kind(value.dtype)), *args), kwargs)
        return marked(clipped, kind is not None and kind.weak)

    return around


def _constant(function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    value = args[0] if args else kwargs.get("value")
    kind = kind_of(value) if _counts() and len(args) < 2 and kwargs.get("dtype") is None else None
    plainly = {name: plain(item) for name, item in kwargs.items()}
    return marked(function(tuple(map(plain, args)), plainly), kind is not None and kind.weak)


def _counts() -> bool:
    return preference.mode in ("safe", "all")


def _operator(name: str) -> Callable[[Any, Any], Any]:
    """A binary operator: that of tensors, of what both operands are promoted to."""
    if name == "eq":
        own = Tensor.__eq__

        def equal(self: Any, other: Any) -> Any:
            if not _counts() or other is None:
                return own(convert(plain(self)), plain(other))
            x, y, _ = meeting(self, other)
            return own(convert(x), y)

        return equal
    own, turned = vars(Tensor)[f"__{name}__"], name in _REFLECTED
    reflected = f"__{name[1:] if turned else 'r' + name}__"

    def operate(self: Any, other: Any) -> Any:
        try:
            x, y, weak = meeting(self, other)
        except TypeError:
            # NumPy's arrays know an answer where there is no safe one, as they do in TensorFlow.
            if turned or not isinstance(other, (np.ndarray, np.generic)):
                raise
            return getattr(other, reflected)(np.asarray(self))
        if name in ("mul", "rmul") and dtypes.bool_ in (getattr(self, "dtype", None), getattr(other, "dtype", None)):
            # A product with truth values on its left is "and", of the other's integer part, before anything is promoted.
            left = plain(other if turned else self)
            if getattr(left, "dtype", None) is dtypes.bool_:
                return tf("logical_and")(left, cast(cast(y if not turned else x, dtypes.int64), dtypes.bool_))
        return marked(own(x if isinstance(x, Tensor) else convert(x), y), weak)

    return operate


def _assigning(name: str, own: Callable[..., Any]) -> Callable[..., Any]:
    def assign(self: Variable, value: Any, *args: Any, **kwargs: Any) -> Any:
        kind = kind_of(value) if _counts() else None
        if kind is None or not known(kind.dtype) or not known(self.dtype):
            return own(self, plain(value), *args, **kwargs)
        if promoted_kind(preference.mode, Kind(self.dtype), kind).dtype is not self.dtype:
            shown = plain(value)
            raise TypeError(
                f"Variable dtype is immutable. Calling {name} of Variable (with dtype {self.dtype}) on {shown} requires "
                f"converting {shown} to {self.dtype}. This is disabled in the current promotion semantics. Please convert "
                f"{shown} manually before calling {name}."
            )
        return own(self, _as(value, Kind(self.dtype)), *args, **kwargs)

    return assign


def _of_weak(name: str) -> Callable[..., Any]:
    """What an operator of tensors does for a weak one; its result is strong."""
    own = vars(Tensor)[name]
    return lambda self, *others: own(self.tensor, *map(plain, others))


def _unary(name: str) -> Callable[..., Any]:
    own = _of_weak(name)
    return lambda self: WeakTensor(own(self))


def _method(name: str) -> Callable[..., Any]:
    """A method of arrays for a weak tensor, whose result is weak."""
    return lambda self, *args, **kwargs: WeakTensor(getattr(self.tensor, name)(*args, **kwargs))


def _property(name: str) -> property:
    return property(lambda self: WeakTensor(getattr(self.tensor, name)))


_done: list[bool] = []


def weak_numbers() -> None:
    """Have public functions and operators promote dtypes, now and from now on, in the modes "all" and "safe"."""
    if not _done:
        _done.append(True)
        keeping = [*_KEEPING.split(), *[PREFIX + name for name in _KEEPING_NUMPY.split()]]
        for function in {id(registry[n]): registry[n] for n in keeping if n in registry}.values():
            api = public_function(function)
            api.surround(_keeping(api))
        for name in _MEETING.split():
            api = public_function(tf(name))
            api.surround(_meeting(api, name in _STRONG, name == "tensordot"))
        clip = public_function(tf("clip_by_value"))
        clip.surround(_clipping(clip))
        public_function(tf("constant")).surround(_constant)
        for name in ("assign", "assign_add", "assign_sub"):
            setattr(Variable, name, _assigning(name, vars(Variable)[name]))
        for name in ("ne", "lt", "le", "gt", "ge", "and", "or", "xor", "rand", "ror", "rxor"):
            setattr(WeakTensor, f"__{name}__", _of_weak(f"__{name}__"))
        for name in ("neg", "abs", "invert", "pos"):
            setattr(WeakTensor, f"__{name}__", _unary(f"__{name}__"))
        for name in ("T", "data"):
            setattr(WeakTensor, name, _property(name))
        for name in ("flatten", "max", "mean", "min", "ravel", "transpose", "reshape"):
            setattr(WeakTensor, name, _method(name))
    if _counts():
        methods = {f"__{name}__": _operator(name) for name in (*_OPERATORS, *_REFLECTED, "eq")}
        for kind in (Tensor, Variable, WeakTensor):
            for name, method in methods.items():
                setattr(kind, name, method)
