"""What programs written for NumPy and PyTorch ask of an array, and tensors have as functions: the error says which."""

from __future__ import annotations

from inspect import getattr_static
from typing import Any

_NUMPY = ("T", "astype", "clip", "data", "ravel", "reshape", "size", "tolist", "transpose")
"""Those that tensors have after `tf.experimental.numpy.experimental_enable_numpy_behavior()`."""

INSTEAD = {
    "_unique_id": "the variable second, as in optimizer.apply_gradients(zip(gradients, variables))",
    "T": "tf.transpose(x)",
    "all": "tf.reduce_all(x)",
    "any": "tf.reduce_any(x)",
    "argmax": "tf.argmax(x)",
    "argmin": "tf.argmin(x)",
    "astype": "tf.cast(x, dtype)",
    "backward": "tape.gradient(x, variables), where a tf.GradientTape saw how x was computed",
    "clamp": "tf.clip_by_value(x, low, high)",
    "clip": "tf.clip_by_value(x, low, high)",
    "clone": "x itself, since tensors never change",
    "copy": "x itself, since tensors never change",
    "cuda": "x itself, since operations run on the GPU where there is one",
    "cumsum": "tf.cumsum(x)",
    "data": "x itself, or x.numpy()",
    "detach": "tf.stop_gradient(x)",
    "dot": "tf.linalg.matvec(x, y), or tf.tensordot(x, y, 1)",
    "fill": "tf.fill(x.shape, value)",
    "flatten": "tf.reshape(x, [-1])",
    "item": "x.numpy(), or float(x)",
    "max": "tf.reduce_max(x)",
    "mean": "tf.reduce_mean(x)",
    "min": "tf.reduce_min(x)",
    "nonzero": "tf.where(x)",
    "permute": "tf.transpose(x, perm)",
    "prod": "tf.reduce_prod(x)",
    "ravel": "tf.reshape(x, [-1])",
    "repeat": "tf.repeat(x, repeats, axis), or tf.tile(x, multiples)",
    "requires_grad": "tape.watch(x)",
    "reshape": "tf.reshape(x, shape)",
    "size": "tf.size(x), or x.shape",
    "sort": "tf.sort(x)",
    "squeeze": "tf.squeeze(x)",
    "std": "tf.math.reduce_std(x)",
    "sum": "tf.reduce_sum(x)",
    "to": "tf.cast(x, dtype), or tf.device for where it lies",
    "tolist": "x.numpy().tolist()",
    "transpose": "tf.transpose(x, perm)",
    "unsqueeze": "tf.expand_dims(x, axis)",
    "var": "tf.math.reduce_variance(x)",
    "view": "tf.reshape(x, shape)",
}
"""What to write in the place of such an attribute of a tensor `x`."""


def no_attribute(kind: str, name: str) -> AttributeError:
    """The error for an attribute that a tensor lacks.

    Args:
      kind: what the tensor's class is called.
      name: the attribute's name.
    """
    if name not in INSTEAD:
        return AttributeError(f"{kind!r} object has no attribute {name!r}")
    numpy = "; or call tf.experimental.numpy.experimental_enable_numpy_behavior() first" if name in _NUMPY else ""
    return AttributeError(f"{kind!r} object has no attribute {name!r}: write {INSTEAD[name]}{numpy}")


class Elsewhere:
    """Such an attribute: it is not there. A `__getattr__` would slow down all others.

    Args:
      name: its name.
    """

    def __init__(self, name: str) -> None:
        self._name = name

    def __get__(self, tensor: Any, kind: type) -> Any:
        raise no_attribute(kind.__name__, self._name)


class WithoutMethods:
    """What lacks all of these, and does not list them."""

    __slots__ = ()

    def __dir__(self) -> list[str]:
        return [name for name in super().__dir__() if not isinstance(getattr_static(self, name, None), Elsewhere)]


for _name in INSTEAD:
    setattr(WithoutMethods, _name, Elsewhere(_name))
