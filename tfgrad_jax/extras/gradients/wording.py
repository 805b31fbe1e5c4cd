"""What explanations say: ways from sources to targets, and sentences about where they are broken."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from tfgrad_jax.engine.state.variable import Variable
from tfgrad_jax.extras.gradients.history import Happened, Place, place


@dataclass(slots=True)
class Step:
    """A value reached from the source: by which operation, and what is broken on the way."""

    before: Step | None = None
    op: Happened | None = None
    operand: int = 0
    blocked: str | None = None
    where: Place = None
    cost: int = 0

    def way(self) -> list[Step]:
        """The steps from the source to here."""
        steps, step = [], self
        while step.before is not None:
            steps.append(step)
            step = step.before
        return steps[::-1]


def sentence(step: Step, unseen: str) -> str:
    """What to say of a step that is broken.

    Args:
      step: the step.
      unseen: when it may have run, if no tape recorded it.
    """
    op = step.op
    assert op is not None
    at = f" at {place(step.where)}" if step.where else ""
    match step.blocked:
        case "state":
            by = "as its first value" if op.name == "VarHandleOp" else f"by {op.name}"
            return (
                f"It went into a variable {by}{at}. A tape knows a variable's own gradient, not from what it was "
                f"assigned: use the value itself, as a tensor."
            )
        case "stop_gradient":
            return f"{_an(op.name)}{at} makes it a constant."
        case "no_gradient":
            made = "" if op.types[0].dtype.trainable else f", and its result is {op.types[0].dtype.name}"
            operand = f"operand {step.operand} of " if len(op.ins) > 1 else ""
            return f"There is no gradient to {operand}{op.name}{at}{made}."
        case "raises":
            return f"{op.name}{at} has no gradient: a tape that is asked for it raises LookupError."
        case "dtype":
            kind = op.types[0].dtype.name
            return f"{op.name}{at} makes it {kind}, and only floating point values have gradients."
        case "numpy":
            if not op.name:
                return (
                    f"A value computed from it became a NumPy array or a Python number{at}. No operation made the target, "
                    f"which is a constant made after that: most likely the result. Compute with tf's functions throughout."
                )
            first = "" if op.where is None else f" at {place(op.where)}"
            return (
                f"A value computed from it became a NumPy array or a Python number{at}. No operation leads from there to the "
                f"target, which uses a constant made after that ({op.name}{first}): most likely the result. Compute with tf's "
                f"functions throughout."
            )
        case "late":
            return f"It was used by {op.name}{at} before tape.watch: only what comes after is recorded."
    return f"{op.name or 'A function'}{at} ran while the tape did not record: {unseen}."


def _an(name: str) -> str:
    return {"StopGradient": "tf.stop_gradient", "PreventGradient": "tf.raw_ops.PreventGradient"}.get(name, name)


def shown(step: Step) -> str:
    """A step of a path: the operation and its place."""
    assert step.op is not None
    line = place(step.where if step.blocked == "numpy" else step.op.where)
    name = "NumPy" if step.blocked == "numpy" else step.op.name
    return f"{name} ({line})" if line else name


def called(value: Any, path: str | None = None) -> str:
    """What a source is called: Keras' variables by their paths, which name the layer."""
    kind = f"{value.dtype.name}{list(value.shape) if value.shape.rank is not None else ''}"
    return f"variable {path or value.name!r} {kind}" if isinstance(value, Variable) else f"tensor {kind}"
