"""Tensors: boxes with a known dtype and shape around a value that may be on a device, on the host, traced or pending."""

from __future__ import annotations

import threading
import weakref
from collections.abc import Iterator
from typing import Any

import jax
import numpy as np

from tfgrad_jax.engine.cache import Cache
from tfgrad_jax.engine.hooks import check_whole, eager_value
from tfgrad_jax.engine.names.export import export, recognised_as
from tfgrad_jax.engine.threads.context import context, new_id
from tfgrad_jax.engine.values import display, placing
from tfgrad_jax.engine.values.dtypes import BY_NUMPY, DType, as_dtype, plain
from tfgrad_jax.engine.values.elsewhere import WithoutMethods
from tfgrad_jax.engine.values.operators import Operators
from tfgrad_jax.engine.values.python_values import real, truth
from tfgrad_jax.engine.values.shapes import UNRANKED, TensorShape


class Spec:
    """A dtype and a static shape, interned: equal specs are one object, so they can be compared and hashed by identity."""

    __slots__ = ("__weakref__", "_tensor_shape", "dtype", "shape")

    def __init__(self, dtype: DType, shape: tuple[int, ...]) -> None:
        self.dtype = dtype
        self.shape = shape
        self._tensor_shape: TensorShape | None = None

    @classmethod
    def of(cls, dtype: DType, shape: tuple[int, ...]) -> Spec:
        """The one spec of this dtype and shape."""
        key = (dtype, shape)
        return _recent[key] or _interned(key)

    @classmethod
    def open(cls, dtype: DType, shape: TensorShape) -> Spec:
        """The spec of a dtype and a static shape, of which sizes or the rank may be unknown."""
        return cls.of(dtype, UNRANKED if shape.rank is None else tuple(shape.as_list()))  # type: ignore[arg-type]

    @property
    def tensor_shape(self) -> TensorShape:
        """The shape as the user sees it."""
        shape = self._tensor_shape
        if shape is None:
            shape = self._tensor_shape = TensorShape.of(None if self.shape is UNRANKED else self.shape)  # type: ignore[arg-type]
        return shape

    @property
    def size(self) -> int:
        """The number of elements."""
        size = 1
        for n in self.shape:
            size *= n
        return size

    @property
    def struct(self) -> jax.ShapeDtypeStruct:
        """The spec as JAX writes it."""
        return jax.ShapeDtypeStruct(self.shape, self.dtype.np)

    def __repr__(self) -> str:
        return f"{self.dtype.name}[{'...' if self.shape is UNRANKED else ','.join(map(str, self.shape))}]"

    def __reduce__(self) -> tuple[Any, ...]:
        return Spec.of, (self.dtype, self.shape)


_specs: weakref.WeakValueDictionary[Any, Spec] = weakref.WeakValueDictionary()
_recent: Cache[Any, Spec] = Cache(4096)
_making = threading.RLock()


def _interned(key: tuple[DType, tuple[int, ...]]) -> Spec:
    """The spec that something still holds, or a new one; nobody asked for it lately."""
    with _making:
        spec = _specs.get(key)
        if spec is None:
            spec = _specs[key] = Spec(*key)
        _recent[key] = spec
        return spec


@export("__internal__.types.Tensor")
@recognised_as("python.types.core", "Tensor")
class TensorKind:
    """What counts as a tensor in `isinstance`: Keras' variables derive from it too, and add all behaviour themselves."""

    __slots__ = ()

    _is_tensor_type = True


class Waiting:
    """What pending tensors wait for."""

    __slots__ = ()

    def flush(self, reason: str) -> None:
        """Let them have their values."""
        raise NotImplementedError

    def renamed(self, tensor: Tensor) -> None:
        """One of them got another identity: it became the value of a variable."""
        raise NotImplementedError

    def glance(self, tensor: Tensor) -> np.ndarray | None:
        """The value of one of them, where it can be told without computing the others; otherwise None."""
        return None


@export("Tensor")
class Tensor(TensorKind, WithoutMethods, Operators):
    """A multi-dimensional array with one dtype. Mirrors `tf.Tensor`.

    Tensors are made by operations and by `tf.constant`; this class is for `isinstance` checks.
    """

    __slots__ = ("__dict__", "__weakref__", "held", "identity", "known_spec", "pending_in", "slot")

    slot: int
    pending_in: Any

    # NumPy's operators and functions defer to ours when a tensor stands on the right.
    def __bool__(self) -> bool:
        raise TypeError(f"a {type(self).__name__} without a value is neither true nor false")

    __nonzero__ = __bool__  # as Python 2 called it, and libraries look for
    __array_priority__ = 100

    def __init__(self, value: Any, spec: Spec | None = None, device: Any = None, dtype: Any = None) -> None:
        if device is not None:  # as tests of TensorFlow make them
            value = eager_value(value, dtype)
        self.held = value
        self.known_spec = spec
        self.identity = new_id()

    # -- what every tensor knows --------------------------------------------------------------------------------------

    @property
    def spec(self) -> Spec:
        """Dtype and shape, without computing the value."""
        spec = self.known_spec
        if spec is None:
            value = self.held
            spec = self.known_spec = Spec.of(BY_NUMPY[value.dtype], value.shape)
        return spec

    @property
    def array(self) -> Any:
        """The value as kernels take it: the one place where a pending tensor is computed."""
        value = self.held
        if value is None:
            self.pending_in.flush("value")
            value = self.held
        return value

    @property
    def dtype(self) -> DType:
        """The `tf.DType` of the elements."""
        return self.spec.dtype

    @property
    def shape(self) -> TensorShape:
        """The static `tf.TensorShape`."""
        return self.spec.tensor_shape

    @property
    def ndim(self) -> int:
        """The number of dimensions."""
        return len(self.spec.shape)

    def get_shape(self) -> TensorShape:
        """The static shape, as `tf.Tensor.get_shape`."""
        return self.spec.tensor_shape

    def _shape_tuple(self) -> tuple[int | None, ...] | None:
        shape = self.spec.shape
        return None if shape is UNRANKED else tuple(shape)

    def _shape_as_list(self) -> list[int | None] | None:
        shape = self.spec.shape
        return None if shape is UNRANKED else list(shape)

    def _rank(self) -> int:
        return -1 if self.spec.shape is UNRANKED else len(self.spec.shape)

    def set_shape(self, shape: Any) -> None:
        """Check that the static shape is compatible with `shape`.

        Raises:
          ValueError: if it is not.
        """
        if not self.shape.is_compatible_with(shape):
            raise ValueError(f"Tensor.set_shape: the tensor's shape {self.shape} is not compatible with {shape}")

    def ref(self) -> Reference:
        """A hashable handle on this tensor, since tensors themselves compare elementwise."""
        return Reference(self)

    experimental_ref = ref

    def __hash__(self) -> int:
        raise TypeError("Tensor is unhashable. Instead, use tensor.ref() as the key.")

    def __len__(self) -> int:
        shape = self.spec.shape
        if not shape:
            raise TypeError("Scalar tensor has no `len()`")
        return shape[0]

    def __iter__(self) -> Iterator[Tensor]:
        if not self.spec.shape:
            raise TypeError("Cannot iterate over a scalar tensor.")
        return iter([self[i] for i in range(self.spec.shape[0])])  # from ops.overloads

    def __copy__(self) -> Tensor:
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> Tensor:
        return self

    def __jax_array__(self) -> Any:
        return self.array


@export("__internal__.EagerTensor")
@recognised_as("python.framework.ops")
class EagerTensor(Tensor):
    """A tensor whose value can be read now."""

    __slots__ = ()

    @property
    def name(self) -> str:
        raise AttributeError("Tensor.name is undefined when eager execution is enabled.")

    @property
    def op(self) -> Any:
        raise AttributeError("Tensor.op is undefined when eager execution is enabled.")

    @property
    def graph(self) -> Any:
        if context.graph is not None:  # constants of a function have their values at once here
            return context.graph
        raise AttributeError("Tensor.graph is undefined when eager execution is enabled.")

    @property
    def device(self) -> str:
        """The device of the value, in TensorFlow's notation."""
        return placing.device_of(self.array)

    @property
    def backing_device(self) -> str:
        """Where the memory is; the same as `device` here."""
        return self.device

    @property
    def is_packed(self) -> bool:
        return False

    def cpu(self) -> EagerTensor:
        """A copy in host memory's device."""
        return EagerTensor(placing.copied(self.array, jax.devices("cpu")[0]))

    def gpu(self, gpu_index: int = 0) -> EagerTensor:
        """A copy on a GPU."""
        return EagerTensor(placing.copied(self.array, jax.devices("gpu")[gpu_index]))

    def numpy(self) -> Any:
        """The value as a NumPy array of its own (a NumPy scalar, or `bytes`, for a scalar tensor)."""
        value = self.array
        if check_whole.filled:
            check_whole(value)
        if not value.shape:
            return plain(np.asarray(value))[()]
        return plain(np.array(value))

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        if check_whole.filled:
            check_whole(self.array)
        value = plain(np.asarray(self.array))
        if dtype is not None and value.dtype != dtype:
            return value.astype(dtype)
        return value.copy() if copy else value

    def __buffer__(self, flags: int) -> memoryview:
        """The value, read-only, as Python 3.12 and later ask for it: `memoryview(tensor)`, and NumPy before it asks `__array__`."""
        value = self.__array__().view()
        value.setflags(write=False)
        return value.data

    def __dlpack__(self, **kwargs: Any) -> Any:
        return _shareable(self.array).__dlpack__(**kwargs)

    def __dlpack_device__(self) -> Any:
        return _shareable(self.array).__dlpack_device__()

    @property
    def __array_interface__(self) -> Any:
        raise AttributeError("__array_interface__: tensors go into NumPy through __array__")

    def __bool__(self) -> bool:
        return truth(plain(np.asarray(self.array)))

    def __int__(self) -> int:
        return int(real(plain(np.asarray(self.array))))

    def __float__(self) -> float:
        return float(real(plain(np.asarray(self.array))))

    def __complex__(self) -> complex:
        return complex(plain(np.asarray(self.array)))

    def __index__(self) -> int:
        return plain(np.asarray(self.array)).__index__()

    def __round__(self, ndigits: int = 0) -> Any:
        raise AttributeError("EagerTensor object has no attribute 'astype', which round() needs; use tf.round")

    def __format__(self, spec: str) -> str:
        return display.on_mesh(self.array) or format(plain(np.asarray(self.array))[()], spec)

    def __str__(self) -> str:
        return display.tensor_str(self.array, self.spec.shape, self.dtype)

    def __repr__(self) -> str:
        return display.tensor_repr(self.array, self.spec.shape, self.dtype)

    def __reduce__(self) -> tuple[Any, ...]:
        return _from_host, (np.asarray(self.array),)


def _shareable(value: Any) -> Any:
    """A value as an array that other libraries may look into: NumPy does not share what nobody may write to."""
    return jax.device_put(value) if type(value) is np.ndarray else value


def _from_host(value: np.ndarray) -> EagerTensor:
    return EagerTensor(value)


class Reference:
    """A hashable handle on a tensor or variable; equal when it is the very same object."""

    __slots__ = ("__weakref__", "_wrapped")

    def __init__(self, wrapped: Any) -> None:
        self._wrapped = wrapped

    def deref(self) -> Any:
        """The object behind the handle."""
        return self._wrapped

    @staticmethod
    def _behind(other: object) -> Any:
        if not isinstance(other, Reference):
            raise TypeError("Cannot compare wrapped object with unwrapped object")
        return other._wrapped

    def __eq__(self, other: object) -> bool:
        return self._wrapped is self._behind(other)

    def __lt__(self, other: object) -> bool:
        # Some order, so that dictionaries with such keys can be nests.
        return id(self._wrapped) < id(self._behind(other))

    def __gt__(self, other: object) -> bool:
        return id(self._wrapped) > id(self._behind(other))

    def __hash__(self) -> int:
        return id(self._wrapped)

    def __repr__(self) -> str:
        return f"<Reference wrapping {self._wrapped!r}>"


def is_host(tensor: Tensor) -> bool:
    """Whether the value lies in host memory as a NumPy array: strings, shapes, small constants."""
    return type(tensor.held) is np.ndarray


def spec_of(dtype: Any, shape: Any) -> Spec:
    """The spec of anything that names a dtype and a fully known shape."""
    return Spec.of(as_dtype(dtype), tuple(int(n) for n in shape))


def glanced(tensor: Tensor) -> np.ndarray | None:
    """As `concrete`; but where a value is pending that can be told aside, what it waits for goes on waiting."""
    if tensor.held is None and type(tensor) is EagerTensor:
        value = tensor.pending_in.glance(tensor)
        if value is not None:
            return value
    return concrete(tensor)


def concrete(tensor: Tensor) -> np.ndarray | None:
    """The value, computed now if it is pending; None if it is symbolic, traced or on an accelerator.

    TensorFlow checks indices where they lie in host memory, and ignores bad ones on an accelerator.
    """
    return in_host_memory(tensor.array if type(tensor) is EagerTensor else tensor.held)


def in_host_memory(value: Any) -> np.ndarray | None:
    """An array as NumPy's, where that takes no transfer; otherwise None."""
    if type(value) is np.ndarray:
        return value
    if value is None or isinstance(value, jax.core.Tracer) or next(iter(value.devices())).platform != "cpu":
        return None
    return np.asarray(value)
