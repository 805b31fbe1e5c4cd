"""Gradient tapes: what was recorded, and the backward pass over it."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Sequence
from enum import Enum
from typing import Any

import jax.numpy as jnp

from tfgrad_jax.engine import logging, nest
from tfgrad_jax.engine.context import Recorder, context, set_recorders
from tfgrad_jax.engine.convert import convert
from tfgrad_jax.engine.errors import invalid_argument
from tfgrad_jax.engine.execute import execute
from tfgrad_jax.engine.export import export
from tfgrad_jax.engine.fuse import fused, pending_trace
from tfgrad_jax.engine.indexed_slices import IndexedSlices
from tfgrad_jax.engine.noted import Noted
from tfgrad_jax.engine.kernel import ADD, ONES, ONES_LIKE, ZEROS, ZEROS_LIKE, Kernel
from tfgrad_jax.engine.op import MISSING, declared
from tfgrad_jax.engine.tensor import Spec, Tensor
from tfgrad_jax.engine.variable import Variable


@export("UnconnectedGradients")
class UnconnectedGradients(Enum):
    """What to answer where the target does not depend on a source. Mirrors `tf.UnconnectedGradients`."""

    NONE = "none"
    ZERO = "zero"


registered: dict[str, Callable[..., Any]] = {}
"""Gradients that users registered, by raw operation name."""


@export("RegisterGradient")
class RegisterGradient:
    """Decorator that registers a Python gradient for a raw operation. Mirrors `tf.RegisterGradient`.

    Args:
      op_type: the raw name of the operation, such as `"AdjustContrastv2"`.

    Raises:
      TypeError: if `op_type` is no string.
      KeyError: if a gradient for it is registered already.
    """

    def __init__(self, op_type: str) -> None:
        if not isinstance(op_type, str):
            raise TypeError(f"RegisterGradient: op_type must be a string, got {op_type!r}")
        self._op_type = op_type

    def __call__(self, f: Callable[..., Any]) -> Callable[..., Any]:
        operation = declared.get(self._op_type)
        if self._op_type in registered or operation is not None and operation.gradient is not MISSING:
            raise KeyError(f"Registering two gradient with name {self._op_type!r}! It has one already.")
        registered[self._op_type] = f
        return f


@export("no_gradient")
def no_gradient(op_type: str) -> None:
    """Declare that an operation has no gradient: asking gives None. Mirrors `tf.no_gradient`.

    Raises:
      TypeError: if `op_type` is no string.
      KeyError: if a gradient for it is registered already.
    """
    RegisterGradient(op_type)(lambda operation, *cotangents: [None] * len(operation.inputs))


class OperationView:
    """A recorded operation as a registered gradient function sees it: `inputs`, `outputs`, `type`, `get_attr`."""

    def __init__(self, kernel: Kernel, inputs: Sequence[Tensor], outputs: Sequence[Tensor]) -> None:
        self.type = self.name = kernel.name
        self.inputs = list(inputs)
        self.outputs = list(outputs)
        self._attributes = kernel.origin.attributes if kernel.origin is not None else {}

    def get_attr(self, name: str) -> Any:
        """The attribute of that name.

        Raises:
          ValueError: if the operation has none.
        """
        if name == "T" and "T" not in self._attributes:
            return self.inputs[0].dtype
        if name not in self._attributes:
            raise ValueError(f"Operation {self.name!r} has no attr named {name!r}; it has {sorted(self._attributes)}.")
        return self._attributes[name]


class Recipe:
    """How to differentiate a kernel for given types and watched operands: known once, shared by all its entries.

    Attributes:
      kernel: what ran.
      inputs, outputs: the types.
      wrt: bits of the watched operands; `wanted` are their positions.
      backward: the gradient if every output that can have a cotangent has one; None if none can.
      needs: which operands (and, counted on after them, results) the gradient reads, whichever outputs have cotangents.
      python: the gradient where that is a Python function.
    """

    __slots__ = ("backward", "inputs", "kernel", "needs", "outputs", "python", "wanted", "wrt")

    def __init__(self, kernel: Kernel, inputs: tuple[Spec, ...], outputs: tuple[Spec, ...], wrt: int) -> None:
        self.kernel = kernel
        self.inputs = inputs
        self.outputs = outputs
        self.wrt = wrt
        self.wanted = tuple(i for i in range(len(inputs)) if wrt >> i & 1)
        self.python = kernel.origin.op.gradient if kernel.origin is not None else None
        seeds = sum(1 << i for i, s in enumerate(outputs) if s.dtype.trainable)
        usual = seeds & kernel.rule_outputs
        self.backward = kernel.backward(inputs, outputs, wrt, usual) if usual and self.python is None else None
        self.needs = self.backward.needs if self.backward is not None else ()
        if usual != seeds:
            self.needs = tuple(sorted({*self.needs, *range(len(inputs))}))


class Entry:
    """One recorded operation.

    Attributes:
      recipe: its gradient; None for Python code with a gradient of its own.
      inputs: identities of the watched operands.
      outputs: identities of the results.
      saved: the tensors that the gradient reads, in the order of the recipe's `needs`.
      python: None, or the gradient as a function (*cotangents) -> a cotangent of each of `inputs`, or None.
    """

    __slots__ = ("inputs", "outputs", "python", "recipe", "saved")

    def __init__(
        self,
        recipe: Recipe | None,
        inputs: tuple[int, ...],
        outputs: tuple[int, ...],
        saved: tuple[Tensor, ...] = (),
        python: Callable[..., Any] | None = None,
    ) -> None:
        self.recipe = recipe
        self.inputs = inputs
        self.outputs = outputs
        self.saved = saved
        self.python = python

    def cotangents(self, given: list[Any]) -> Sequence[Any]:
        """Cotangents of `inputs`, for cotangents of the outputs (None where none came)."""
        if self.python is not None:
            return self.python(*given)
        recipe = self.recipe
        assert recipe is not None
        backward = recipe.backward
        assert backward is not None
        saved: Sequence[Tensor] = self.saved
        if self.saved and len(backward.needs) != len(self.saved) or len(given) != len(backward.seeds) or None in given:
            seeds = sum(1 << i for i, c in enumerate(given) if c is not None)
            backward = recipe.kernel.backward(recipe.inputs, recipe.outputs, recipe.wrt, seeds)
            kept = dict(zip(recipe.needs, saved, strict=True))
            saved = [kept[i] for i in backward.needs]
            given = [c for c in given if c is not None]
        given = [c if isinstance(c, Tensor) else convert(c) for c in given]
        if backward.passes is not None:
            return [given[i] for i in backward.passes]
        results = execute(backward.kernel, (*given, *saved))
        return results if type(results) is tuple else (results,)


def record(kernel: Kernel, inputs: Sequence[Tensor], outputs: Sequence[Tensor], wrt: int) -> Entry:
    """The entry for an operation that has just run; `wrt` are the watched, differentiable operands."""
    specs = tuple([t._spec or t.spec for t in inputs])
    recipe = kernel.recipes.get((specs, wrt))
    if recipe is None:
        recipe = kernel.recipes[specs, wrt] = Recipe(kernel, specs, tuple([t.spec for t in outputs]), wrt)
    for t, spec in zip(outputs, recipe.outputs):  # noqa: B905 -- equal lengths; this runs for every operation
        t._spec = spec
    n = len(inputs)
    return Entry(
        recipe,
        tuple([inputs[i]._id for i in recipe.wanted]),
        tuple([t._id for t in outputs]),
        tuple([inputs[i] if i < n else outputs[i - n] for i in recipe.needs]),
        None if recipe.python is None else _python_gradient(recipe, tuple(inputs), tuple(outputs)),
    )


def _python_gradient(recipe: Recipe, inputs: tuple[Tensor, ...], outputs: tuple[Tensor, ...]) -> Callable[..., Any]:
    kernel, function = recipe.kernel, recipe.python

    def run(*cotangents: Any) -> list[Any]:
        gradient = registered.get(kernel.name, function)
        if gradient is MISSING:
            raise LookupError(f"gradient registry has no entry for: {kernel.name}")
        filled = [zeros_like(o) if c is None else c for c, o in zip(cotangents, outputs, strict=True)]
        results = gradient(OperationView(kernel, inputs, outputs), *filled)
        results = list(results) if isinstance(results, (list, tuple)) else [results]
        if len(results) != len(inputs):
            raise ValueError(
                f"The gradient of {kernel.name} returned {len(results)} values; expected {len(inputs)}, one an input "
                f"(None where there is no gradient)."
            )
        return [results[i] for i in recipe.wanted]

    return run


def dense(cotangent: Any) -> Tensor:
    """A cotangent as a plain tensor."""
    return cotangent if isinstance(cotangent, Tensor) else convert(cotangent)


def zeros_like(tensor: Any) -> Tensor:
    """Zeros of a tensor's or variable's type."""
    return _filled(ZEROS, ZEROS_LIKE, tensor)


def _filled(kernels: Any, like: Kernel, tensor: Any) -> Tensor:
    if None in tensor.spec.shape:
        return execute(like, (tensor._operand_tensor() if isinstance(tensor, Variable) else tensor,))
    return execute(kernels[tensor.spec], ())


def accumulate(a: Any, b: Any) -> Any:
    """The sum of two cotangents; slices of a table stay slices as long as both are."""
    if isinstance(a, IndexedSlices) and isinstance(b, IndexedSlices):
        return b.joined(a)  # the earlier lookup, which the backward pass meets later, comes first
    return execute(ADD, (dense(a), dense(b)))


def backward_pass(entries: list[Entry], cotangents: dict[int, Any], sources: set[int], consume: bool) -> dict[int, Any]:
    """Propagate cotangents from the last entry to the first.

    Args:
      entries: what was recorded, in order.
      cotangents: the seeds, by identity; becomes the cotangents of everything in `sources`.
      sources: identities whose cotangents are wanted.
      consume: whether to forget each entry as soon as it is done with, which frees what it holds.
    """
    position = len(entries)
    while position:
        position -= 1
        entry = entries.pop() if consume else entries[position]
        given = [cotangents.get(o) if o in sources else cotangents.pop(o, None) for o in entry.outputs]
        for cotangent in given:
            if cotangent is not None:
                break
        else:
            continue
        for identity, cotangent in zip(entry.inputs, entry.cotangents(given), strict=True):
            if cotangent is not None:
                known = cotangents.get(identity)
                cotangents[identity] = cotangent if known is None else accumulate(known, cotangent)
    return cotangents


@export("GradientTape", "autodiff.GradientTape")
class GradientTape(Recorder):
    """Records operations for automatic differentiation. Mirrors `tf.GradientTape`.

    Args:
      persistent: whether `gradient` may be called more than once.
      watch_accessed_variables: whether trainable variables are watched when they are read.
    """

    def __init__(self, persistent: bool = False, watch_accessed_variables: bool = True) -> None:
        self._persistent = persistent
        self._watch_accessed_variables = watch_accessed_variables
        self._recording = False
        # Before it is entered, a tape has nothing to be asked about, like one that has answered.
        self._used = True
        self._noted: Noted | None = None
        self._clear()

    def _clear(self) -> None:
        self._entries: list[Entry] = []
        self._watched: set[int] = set()
        self._variables: dict[int, Any] = {}
        if self._noted is not None:
            self._noted.forget(self)
            self._noted = None
            if self._recording:
                self._opened()

    # -- recording ----------------------------------------------------------------------------------------------------

    def __enter__(self) -> GradientTape:
        self._push()
        return self

    def __exit__(self, *exc: object) -> None:
        if self._recording:
            self._pop()

    def _push(self) -> None:
        if self._recording:
            raise ValueError("Tape is still recording, This can happen if you try to re-enter an already-active tape.")
        self._used = False
        if not context.recorders and context.pending is not None:
            context.pending.flush("an outermost tape is entered")
        set_recorders((*context.recorders, self))
        self._recording = True

    def _pop(self) -> None:
        if not self._recording:
            raise ValueError("Tape is not recording.")
        set_recorders(tuple(r for r in context.recorders if r is not self))
        self._recording = False

    def _record(self, kernel: Kernel, inputs: Sequence[Tensor], outputs: Sequence[Tensor]) -> None:
        watched = self._watched
        if not watched:
            return
        wrt = 0
        bit = 1
        for t in inputs:
            if t._id in watched:
                wrt |= bit
            bit += bit
        wrt &= kernel.differentiable
        if not wrt:
            return
        self._add(record(kernel, inputs, outputs, wrt), outputs)

    def _add(self, entry: Entry, outputs: Sequence[Tensor]) -> None:
        self._entries.append(entry)
        for t in outputs:
            if t._spec.dtype.trainable:  # type: ignore[union-attr]  # known since it was recorded
                self._watched.add(t._id)

    def _opened(self) -> None:
        if context.executor is fused:
            self._noted = self._noted or Noted(pending_trace(), self)
            self._noted.open()

    def _closed(self) -> None:
        if self._noted is not None:
            self._noted.close()

    def _settle(self) -> None:
        """Turn what a pending trace holds for this tape into entries."""
        noted = self._noted
        if noted is not None:
            for kernel, inputs, outputs, wrt in noted.recorded(self._watched):
                self._add(record(kernel, inputs, outputs, wrt), outputs)
            self._noted = None
            if self._recording:
                self._opened()

    def _restart(self) -> None:
        """The trace was settled and runs: what is noted from here on starts at its new beginning."""
        if self._noted is not None:
            self._noted.open()

    def _record_python(self, inputs: Sequence[Any], outputs: Sequence[Tensor], function: Callable[..., Any]) -> None:
        """Record an operation whose gradient is a Python function of the cotangents of all its outputs."""
        self._settle()
        wanted = [i for i, t in enumerate(inputs) if t._id in self._watched]
        if wanted:

            def of_wanted(*cotangents: Any) -> list[Any]:
                results = function(*cotangents)
                return [results[i] for i in wanted]

            ids = tuple(inputs[i]._id for i in wanted)
            self._add(Entry(None, ids, tuple(t._id for t in outputs if t.spec), python=of_wanted), outputs)

    def _read_variable(self, variable: Any) -> None:
        """A variable is read while this tape records."""
        if self._watch_accessed_variables and variable.trainable:
            self._watch_variable(variable)

    def _watch_variable(self, variable: Any) -> None:
        self._variables[variable._id] = variable
        if variable.dtype.trainable:
            self._watch_id(variable._id)

    def _watch_id(self, identity: int) -> None:
        if identity not in self._watched:
            self._watched.add(identity)
            if self._noted is not None:
                self._noted.watch(identity)

    def watch(self, tensor: Any) -> None:
        """Follow a tensor, a variable, or a nest of them, from here on.

        Raises:
          ValueError: if something else is passed.
        """
        for t in nest.flatten(tensor, expand_composites=True):
            is_variable = isinstance(t, Variable)
            if not isinstance(t, Tensor) and not is_variable:
                raise ValueError(f"Passed in object {t!r} of type {type(t).__name__!r}, not tf.Tensor or tf.Variable or ExtensionType.")
            if not t.dtype.trainable:
                logging.warn(
                    "The dtype of the watched tensor must be floating (e.g. tf.float32), got %r", t.dtype
                )
            if is_variable:
                self._watch_variable(t)
            else:
                self._watch_id(t._id)

    @contextlib.contextmanager
    def stop_recording(self) -> Iterator[None]:
        """A context in which this tape records nothing.

        Raises:
          ValueError: if the tape is not recording.
        """
        if not self._recording:
            raise RuntimeError("Trying to stop recording a tape which is not recording.")
        self._pop()
        try:
            yield
        finally:
            self._push()

    def reset(self) -> None:
        """Forget everything recorded and watched, and go on recording.

        Raises:
          ValueError: if the tape is not recording.
        """
        if not self._recording:
            raise ValueError("Tape is not recording.")
        self._clear()
        self._used = False

    def watched_variables(self) -> tuple[Any, ...]:
        """The variables watched so far, in the order in which they were created."""
        return tuple(self._variables[i] for i in sorted(self._variables))

    # -- asking -------------------------------------------------------------------------------------------------------

    def gradient(
        self,
        target: Any,
        sources: Any,
        output_gradients: Any = None,
        unconnected_gradients: Any = UnconnectedGradients.NONE,
    ) -> Any:
        """The gradient of the (summed) target with respect to each source. Mirrors `tf.GradientTape.gradient`.

        Args:
          target: a tensor, or a nest of them.
          sources: a tensor or variable, or a nest of them.
          output_gradients: cotangents of the targets, in the targets' structure; ones where None.
          unconnected_gradients: `UnconnectedGradients.NONE` or `ZERO` (or `"none"`, `"zero"`).

        Returns:
          A gradient of the shape and dtype of each source, in the sources' structure; None (or zeros) where the target
          does not depend on it.

        Raises:
          RuntimeError: if a tape that is not persistent is asked twice, or inside its context after that.
          TypeError: if a target is None or no tensor.
          ValueError: if `unconnected_gradients` is something else.
        """
        self._check_unused()
        unconnected = _unconnected(unconnected_gradients)
        if self._recording:
            if not self._persistent:
                self._pop()
            else:
                logging.warn(
                    "Calling GradientTape.gradient on a persistent tape inside its context is significantly less efficient "
                    "than calling it outside the context (it causes the gradient ops to be recorded on the tape, leading to "
                    "increased CPU and memory usage). Only call GradientTape.gradient inside the context if you actually "
                    "want to trace the gradient in order to compute higher order derivatives."
                )
        if target is None:
            raise TypeError("Argument `target` should be a list or nested structure of Tensors, Variables or CompositeTensors to be differentiated, but received None.")
        flat_targets = []
        for t in nest.flatten(target, expand_composites=True):
            operand = _asked(t, "target")
            if not operand.dtype.trainable:
                logging.warn_once(
                    "The dtype of the target tensor must be floating (e.g. tf.float32) when calling GradientTape.gradient, got %r",
                    operand.dtype,
                )
            flat_targets.append(operand)
        flat_sources = nest.flatten(sources)
        operands = [_asked(s, "source") for s in flat_sources]
        for s in operands:
            if not s.dtype.trainable:
                logging.warn_once(
                    "The dtype of the source tensor must be floating (e.g. tf.float32) when calling GradientTape.gradient, got %r",
                    s.dtype,
                )
        given = [None] * len(flat_targets)
        if output_gradients is not None:
            flat = nest.flatten(output_gradients)[: len(flat_targets)]  # TensorFlow ignores what is too many, too
            given[: len(flat)] = [None if g is None else _seed(g, t) for g, t in zip(flat, flat_targets, strict=False)]
        if not self._persistent:
            self._used = True
        answers = self._backward(flat_targets, operands, given, unconnected)
        return nest.pack_sequence_as(sources, answers)

    def jacobian(
        self,
        target: Any,
        sources: Any,
        unconnected_gradients: Any = UnconnectedGradients.NONE,
        parallel_iterations: int | None = None,
        experimental_use_pfor: bool = True,
    ) -> Any:
        """The derivative of every element of the target by every element of each source.

        Mirrors `tf.GradientTape.jacobian`.

        Args:
          target: a tensor.
          sources: a tensor or variable, or a nest of them.
          unconnected_gradients: as in `gradient`.
          parallel_iterations: accepted for compatibility.
          experimental_use_pfor: whether all rows are computed at once; False goes row by row, which needs a persistent tape.

        Returns:
          For each source a tensor of shape `target.shape + source.shape`, or None.

        Raises:
          RuntimeError: if a tape that is not persistent is asked twice, or without `experimental_use_pfor`.
        """
        from tfgrad_jax.engine.jacobian import jacobian

        return jacobian(self, target, sources, _unconnected(unconnected_gradients), experimental_use_pfor)

    def batch_jacobian(
        self,
        target: Any,
        source: Any,
        unconnected_gradients: Any = UnconnectedGradients.NONE,
        parallel_iterations: int | None = None,
        experimental_use_pfor: bool = True,
    ) -> Any:
        """The Jacobian of each example of a batch. Mirrors `tf.GradientTape.batch_jacobian`.

        Args:
          target: a tensor of shape `[batch, ...]`, of which example `i` depends on `source[i]` alone.
          source: a tensor of shape `[batch, ...]`.
          unconnected_gradients, parallel_iterations, experimental_use_pfor: as in `jacobian`.

        Returns:
          A tensor of shape `target.shape + source.shape[1:]`; zeros where the target does not depend on the source.

        Raises:
          RuntimeError: as `jacobian`.
          ValueError: if target and source have different first dimensions.
        """
        from tfgrad_jax.engine.jacobian import batch_jacobian

        return batch_jacobian(self, target, source, _unconnected(unconnected_gradients), experimental_use_pfor)

    def _check_unused(self) -> None:
        if self._used and not self._persistent:
            raise RuntimeError("A non-persistent GradientTape can only be used to compute one set of gradients (or jacobians)")

    def _backward(self, targets: list[Any], sources: list[Any], given: list[Any], unconnected: Any) -> list[Any]:
        """The answers for flat targets and sources, along a known plan if there is one."""
        noted = self._noted
        if noted is None or self._entries or context.followers or any(g is not None for g in given):
            return self._walk_back(targets, sources, given, unconnected)
        plan = noted.plan(targets, sources, unconnected)
        answers = plan.replay()
        if answers is None:
            answers = self._walk_back(targets, sources, given, unconnected)
            plan.keep(answers)
        elif not self._persistent:
            self._forget()
        return answers

    def _walk_back(self, targets: list[Any], sources: list[Any], given: list[Any], unconnected: Any) -> list[Any]:
        self._settle()
        wanted = {s._id for s in sources}
        cotangents: dict[int, Any] = {}
        for t, seed in zip(targets, given, strict=True):
            if t._id not in self._watched and t._id not in wanted or not t.dtype.trainable:
                continue
            if seed is None:
                seed = _filled(ONES, ONES_LIKE, t)
            elif seed.spec.shape != t.spec.shape:
                seed = execute(_broadcast(t.spec.shape), (seed,))
            known = cotangents.get(t._id)
            cotangents[t._id] = seed if known is None else accumulate(known, seed)
        entries, watched = self._entries, self._watched
        if not self._persistent:
            self._entries = []
        try:
            backward_pass(entries, cotangents, wanted, consume=not self._persistent)
        finally:
            if not self._persistent:
                self._forget()
        answers: list[Any] = []
        for s in sources:
            answer = cotangents.get(s._id) if s._id in watched or s._id in {t._id for t in targets} else None
            if answer is None and unconnected is UnconnectedGradients.ZERO:
                answer = zeros_like(s)
            answers.append(answer)
        return answers

    def _forget(self) -> None:
        """Free what was recorded; the watched variables remain known."""
        variables = self._variables
        self._clear()
        self._variables = variables


def _unconnected(value: Any) -> UnconnectedGradients:
    try:
        return UnconnectedGradients(value)
    except ValueError:
        raise ValueError(f"Unknown value for unconnected_gradients: {value!r}; use 'none' or 'zero'") from None


def _asked(value: Any, role: str) -> Any:
    """A target or source, which must be a tensor or variable."""
    if isinstance(value, (Tensor, Variable)):
        return value
    # TensorFlow stumbles over what such values lack; the class of its error depends on how far it gets.
    kind = TypeError if value is None or isinstance(value, (str, bytes)) else AttributeError
    raise kind(
        f"GradientTape: a {role} must be a tf.Tensor or tf.Variable, got {value!r} of type {type(value).__name__}, which the tape "
        f"cannot know. tf.constant makes tensors; watch them before they are used."
    )


def _seed(value: Any, target: Any) -> Tensor:
    seed = convert(value)
    if seed.dtype is not target.dtype:
        raise invalid_argument(
            f"GradientTape.gradient: an output_gradient has dtype {seed.dtype.name}, its target {target.dtype.name}; tf.cast it"
        )
    return seed


_broadcasts: dict[Any, Kernel] = {}


def _broadcast(shape: tuple[int, ...]) -> Kernel:
    kernel = _broadcasts.get(shape)
    if kernel is None:
        kernel = _broadcasts[shape] = Kernel("BroadcastTo", lambda x: jnp.broadcast_to(x, shape))
    return kernel
