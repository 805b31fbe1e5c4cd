"""From what JAX, NumPy or XLA raised to TensorFlow's exception, naming the operation, what it was given and what is wrong."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NoReturn

import jax

from tfgrad_jax.engine import hooks
from tfgrad_jax.engine.messages import errors

if TYPE_CHECKING:
    from tfgrad_jax.engine.kernels.kernel import Kernel
    from tfgrad_jax.engine.values.tensor import Tensor

_OUT_OF_MEMORY = re.compile("RESOURCE_EXHAUSTED|out of memory", re.IGNORECASE)
_OF_AXES = re.compile(
    r"\b(axis|axes|dimension|dims?)\b.*\b(out of (bounds|range)|repeated|duplicate|unique)", re.IGNORECASE
)
_OF_DTYPES = re.compile(r"\bdtypes?\b|\bunsupported\b|does not accept|\b(b?float|complex|u?int)\d+\b", re.IGNORECASE)
_OF_SHAPES = re.compile(
    r"incompatible shapes|incompatible for broadcasting|cannot be broadcast|same (shape|number of dimensions|rank)|"
    r"\bshapes? .*(mismatch|must|differ|equal)|contract|(sizes?|dimensions?|ranks?|shapes?) .*(match|agree|equal|differ)|"
    r"cannot (concatenate|reshape|broadcast)|size of label|got shapes?",
    re.IGNORECASE,
)


def explain(error: Exception, kernel: Kernel, inputs: Sequence[Tensor]) -> Exception:
    """TensorFlow's exception for a failed kernel.

    Args:
      error: what was raised; TensorFlow's own exceptions, those of user code, missing gradients and missing packages are
        returned as they are.
      kernel: what failed.
      inputs: its operands.

    Returns:
      The exception to raise instead: `ResourceExhaustedError` where memory did not suffice, else `InvalidArgumentError`.
    """
    notes = getattr(error, "__notes__", None)
    if notes:  # what JAX says of frames that it took out of its own traceback means nothing here
        notes[:] = [note for note in notes if "JAX has removed" not in note]
    if isinstance(error, (errors.OpError, jax.errors.JAXTypeError, ImportError)) or getattr(error, "by_user", False):
        return error
    if type(error) is LookupError:  # an operation inside has no gradient
        return error
    name = kernel.name
    if hooks.check_meshes.filled and "incompatible devices" in str(error):
        try:
            hooks.check_meshes(name, [getattr(t.held, "sharding", None) for t in inputs])
        except errors.UnknownError as found:
            return found
    given = ", ".join([f"#{i} {t.dtype.name}{_shape(t)}" for i, t in enumerate(inputs)]) or "no tensors"
    reason = str(error).split("\n", 1)[0].rstrip(" .")
    if isinstance(error, MemoryError) or _OUT_OF_MEMORY.search(reason):
        return errors.ResourceExhaustedError(None, None, f"OOM in {name}: {reason} [inputs: {given}] [Op:{name}]")
    return errors.InvalidArgumentError(None, None, f"{_message(error, reason, name, given, inputs)} [Op:{name}] name: ")


def raise_explained(error: Exception, kernel: Kernel, inputs: Sequence[Tensor]) -> NoReturn:
    """Raise what `explain` answers, with the error as its cause."""
    raise_from(explain(error, kernel, inputs), error)


def raise_from(found: Exception, error: Exception) -> NoReturn:
    """Raise an exception whose cause is another one, or the same: nothing is its own cause, which JAX would follow for ever."""
    raise found from (error if found is not error else error.__cause__)


def _message(error: Exception, reason: str, name: str, given: str, inputs: Sequence[Any]) -> str:
    """A sentence on the failure, by its kind; where that is not known, the words of the error and nothing more."""
    if _OF_AXES.search(reason):
        ranks = ", ".join([f"#{i} {t.shape.rank}" for i, t in enumerate(inputs)])
        return f"{name}: {reason}. Dimensions of the operands: {ranks}; an axis counts from 0, or from -1 at the end"
    if "refining shapes" in reason:  # by XLA, of a program that was exported for open sizes
        return (
            f"{name} was given {given}, of sizes for which the saved function has no program: an operation in it takes more "
            f"elements than it gets of them, or others. Give it larger ones, or save it for these (a tf.TensorSpec of known sizes)."
        )
    if isinstance(error, OverflowError):
        return f"{name}: a number is too large: {reason} ({name} was given {given})"
    if len(inputs) > 1 and _OF_SHAPES.search(reason):
        shapes = " vs. ".join(map(_shape, inputs))
        return (
            f"Incompatible shapes: {shapes} ({name} was given {given}: {reason}). tf.reshape and tf.expand_dims can bring "
            f"operands into line."
        )
    if isinstance(error, (TypeError, NotImplementedError)) and _OF_DTYPES.search(reason):
        kinds = ", ".join(sorted({t.dtype.name for t in inputs}))
        return f"{name} has no implementation for operands of {kinds}: {reason}. tf.cast converts between dtypes."
    return f"{name} was given {given}: {reason}"


def _shape(tensor: Any) -> str:
    return str(tensor.shape if tensor.shape.rank is None else list(tensor.spec.shape)).replace(" ", "")
