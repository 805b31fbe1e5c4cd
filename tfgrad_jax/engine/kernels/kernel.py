"""Kernels: functions of JAX values with their attributes bound, and everything derived from them by JAX.

A kernel is what every executor runs. From one function it gives the compiled form (`compiled`), output dtypes and shapes
(`infer`), and the kernel of its gradient (`backward`), each made once and cached.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.extend.core import Literal, Var
from jax.extend.core.primitives import jit_p

from tfgrad_jax.engine.cache import Cache
from tfgrad_jax.engine.kernels.derivative_rules import by_rules, with_own_rule
from tfgrad_jax.engine.kernels.executables import FEW, WITH_SOURCE, ByTypes, budget, weight
from tfgrad_jax.engine.kernels.limits import counted, fitting
from tfgrad_jax.engine.threads.context import context
from tfgrad_jax.engine.values.dtypes import BY_NUMPY, string
from tfgrad_jax.engine.values.tensor import Spec


class Owner:
    """A function that kernels are made for, as what outlives it sees it.

    Attributes:
      gone: whether nobody can call it any more.
      places: where its kernels stand in the trie of fused mode: the steps before them, and by which operations they follow.
    """

    def __init__(self) -> None:
        self.gone = False
        self.places: weakref.WeakKeyDictionary[Any, set[Any]] = weakref.WeakKeyDictionary()


class Kernel:
    """A function of arrays, ready to run.

    Attributes:
      name: the raw TensorFlow name of the operation, which errors and gradient registrations use.
      fn: takes arrays and returns an array or a flat tuple or list of arrays.
      rule: None, or the gradient as a function of (cotangents, inputs, outputs) that returns a cotangent an input.
      differentiable: a bit mask of the inputs that may have a gradient.
      recorded: whether tapes know the results of what they watch as results, be there a gradient or not; False where state
        changes and where the user cuts.
      origin: what Python-level gradients need to know of the operation; None for derived kernels.
      recipes: how tapes differentiate it, by types and watched operands.
      host: whether `fn` works on NumPy arrays on the host, and can be neither compiled nor traced.
      stateful: whether running it has an effect besides its results, so that it runs even if nobody needs those.
      rule_outputs: bits of the outputs that may have cotangents for `rule` to serve; with others, `fn` is differentiated.
      donate: positions of inputs whose memory the outputs may take.
      reads_values: positions of inputs whose values `fn` needs while it is traced: sizes in a graph.
      interpret: None, or how to run it on tensors, operation by operation: the parts of a kernel that contains graphs.
      factors: None, or the results that are matrix products x'y, as a function of the arguments that returns {result: (x, y)}.
      gradient_of: None, or of which such kernel it is the gradient: that, positions of inputs with a gradient, of outputs with a
        cotangent, and the number of inputs.
      typed: None, or the types of the results in a graph, where unknown sizes are None.
      followed: what graphs found for operands with unknown sizes.
      open_shapes: None, or the shapes of the results where sizes are unknown: takes the shapes of the inputs, and what is known of
        the values of those in `reads_values`.
      like: None, or the positions of the inputs whose types the results have: of gradients.
      whole: whether it can be compiled; if not, it is only interpreted, by its parts.
      owner: None, or the function that it was made for, and is of no use without.
      overwrites: whether its first input is the old value of some state: the result may take its memory, see `in_place`.
      many: whether there are many like it, made for other types or attributes: it keeps its executables bare.
      size: how many operations it consists of.
      used, weight: see `Holder`.
      check: None, or what says whether values are wrong: takes (inputs, outputs), returns a `Finding` or None.
      checked: whether it, or an operation inside, may have a check.
      checks_outputs: whether its check looks at results.
      parts: the graphs that it consists of.
    """

    __slots__ = (
        "__weakref__", "_alone", "_backward", "_donate", "_in_place", "_infer", "_met", "check", "checked",
        "checks_outputs", "compiled", "differentiable", "factors", "fn", "followed", "gradient_of", "host", "interpret",
        "like", "many", "name", "open_shapes", "origin", "overwrites", "owner", "parts", "reads_values", "recipes",
        "recorded", "rule", "rule_outputs", "size", "stateful", "typed", "used", "weight", "whole",
    )  # fmt: skip

    def __init__(
        self,
        name: str,
        fn: Callable[..., Any],
        rule: Callable[..., Any] | None = None,
        differentiable: int = -1,
        origin: Any = None,
        host: bool = False,
        stateful: bool = False,
        reads_values: tuple[int, ...] = (),
        interpret: Callable[..., Any] | None = None,
        rule_outputs: int = -1,
        donate: tuple[int, ...] = (),
        many: bool = False,
        size: int = 1,
        recorded: bool = True,
    ) -> None:
        self.name = name
        self.fn = fn if host else counted(name, fn)
        self.rule = rule
        self.differentiable = differentiable
        self.origin = origin
        self.host = host
        self.stateful = stateful
        self.reads_values = reads_values
        self.rule_outputs = rule_outputs
        self.recorded = recorded
        self.interpret = interpret
        self.factors: Callable[..., dict[int, tuple[Any, Any]]] | None = None
        self.typed: Sequence[Spec] | None = None
        self.followed: Cache[Any, Any] = Cache()
        self.open_shapes: Callable[..., Any] | None = None
        self.whole = True
        self.owner: Owner | None = None
        self.check: Callable[..., Any] | None = None
        self.checked = self.checks_outputs = False
        self.parts: tuple[Any, ...] = ()
        self.like: tuple[int, ...] | None = None
        self.gradient_of: tuple[Kernel, tuple[int, ...], tuple[int, ...], int] | None = None
        self.many = many
        self.overwrites = False
        self.size = size
        self._in_place: Kernel | None = None
        self.used = self.weight = 0
        self._donate = donate
        self._alone = fitting(name, self.fn)
        self._met: list[Any] = []
        self.compiled: Any
        if host:
            self.compiled = _on_host(fn)
        elif many:
            self.compiled = ByTypes(self._alone, donate, size)
        else:
            self.drop()
        self._infer: Cache[tuple[Spec, ...], Any] = Cache()
        self._backward: Cache[Any, Backward] = Cache()
        self.recipes: Cache[Any, Any] = Cache()

    def __repr__(self) -> str:
        return f"<kernel {self.name}>"

    def drop(self) -> None:
        """Let go of what `jax.jit` has compiled."""
        self._met = []
        self.weight = 0
        self.compiled = jax.jit(_counting(self._alone, self.name, weakref.ref(self)), donate_argnums=self._donate)

    def meets(self, arrays: Sequence[Any]) -> None:
        """`jax.jit` compiles it for new types."""
        met = self._met
        met.append(tuple([(a.shape, a.dtype) for a in arrays]))
        if len(met) < FEW:
            self.weight = len(met) * WITH_SOURCE * weight(self.size)
            budget.made(self)
        elif type(self.compiled) is not ByTypes:
            few, self.compiled = self.compiled, ByTypes(self._alone, self._donate, self.size)
            self.weight = 0
            self.compiled.know(met, few)

    @property
    def in_place(self) -> Kernel:
        """The same, but the result takes the memory of the first input, whose value is gone then."""
        if self._in_place is None:
            self._in_place = Kernel(self.name, self.fn, differentiable=0, donate=(0,), many=self.many, size=self.size)
        return self._in_place

    def infer(self, inputs: tuple[Spec, ...]) -> Any:
        """The output specs: one, or a tuple or list of them, as `fn` returns them."""
        specs = self._infer[inputs]
        if specs is None:
            specs = self._infer[inputs] = self._types(inputs, {})
        return specs

    def infer_with(self, inputs: Sequence[Spec], values: Sequence[Any]) -> Any:
        """`infer`, given the values of the inputs in `reads_values`."""
        return self._types(inputs, {i: values[i] for i in self.reads_values})

    @property
    def gradients(self) -> int:
        """How many gradients of it are known, for different types or operands."""
        return len(self._backward)

    def runs_on_host(self, inputs: Sequence[Spec]) -> bool:
        """Whether JAX cannot follow it for inputs of these types."""
        return self.host or any(s.dtype is string for s in inputs)

    def infer_on_host(self, inputs: Sequence[Spec], values: Sequence[Any], distinct: bool) -> Any:
        """The output specs where JAX cannot tell them, by running it: on zeros or distinct elements where there is no value."""
        made = [
            (_distinct(s) if distinct else _equal(s)) if v is None else v for s, v in zip(inputs, values, strict=True)
        ]
        return _specs(self.fn(*made))

    def _types(self, inputs: Sequence[Spec], known: dict[int, Any]) -> Any:
        if self.runs_on_host(inputs):
            return self.infer_on_host(inputs, [known.get(i) for i in range(len(inputs))], False)
        return _specs(self.followed_on([s.struct for s in inputs], known))

    def followed_on(self, structs: Sequence[Any], known: dict[int, Any]) -> Any:
        """What JAX finds of the results: for `jax.ShapeDtypeStruct`s, and the values of some inputs."""
        rest = [i for i in range(len(structs)) if i not in known]

        def fn(*arrays: Any) -> Any:
            given = dict(zip(rest, arrays, strict=True)) | known
            return self.fn(*[given[i] for i in range(len(structs))])

        return jax.eval_shape(fn, *[structs[i] for i in rest])

    def backward(self, inputs: tuple[Spec, ...], outputs: tuple[Spec, ...], wrt: int, seeds: int) -> Backward:
        """The gradient for these types: cotangents of the inputs in `wrt`, given those of the outputs in `seeds`."""
        key = (inputs, wrt, seeds)
        found = self._backward[key]
        if found is None:
            found = self._backward.keep(key, Backward(self, inputs, outputs, wrt, seeds))
        return found


def _counting(fn: Callable[..., Any], name: str, kernel: weakref.ref[Kernel]) -> Callable[..., Any]:
    """`fn`, which tells the kernel when JAX traces it: that is, when it compiles it."""

    def traced(*arrays: Any) -> Any:
        owner = kernel()
        if owner is not None:
            owner.meets(arrays)
        return fn(*arrays)

    traced.__name__ = getattr(fn, "__name__", name)
    return traced


def _specs(out: Any) -> Any:
    if isinstance(out, (tuple, list)):
        return type(out)([_specs(o) for o in out])
    out = np.asarray(out, object) if isinstance(out, bytes) else out if hasattr(out, "dtype") else np.asarray(out)
    return spec_of_result(out.dtype, out.shape)


def spec_of_result(dtype: Any, shape: tuple[Any, ...]) -> Spec:
    """The spec of what a kernel gave."""
    return Spec.of(BY_NUMPY[np.dtype(dtype)], shape)


def _equal(spec: Spec) -> np.ndarray:
    return np.full(spec.shape, b"0" if spec.dtype is string else 0, spec.dtype.np)


def _distinct(spec: Spec) -> np.ndarray:
    numbers = np.arange(1, spec.size + 1).reshape(spec.shape)
    if spec.dtype is not string:
        return numbers.astype(spec.dtype.np)
    return np.array([b"%d %d" % (n, n) for n in numbers.reshape(-1)], object).reshape(spec.shape)


def _on_host(fn: Callable[..., Any]) -> Callable[..., Any]:
    def run(*values: Any) -> Any:
        out = fn(*map(np.asarray, values))
        return type(out)(map(_host_array, out)) if isinstance(out, (tuple, list)) else _host_array(out)

    return run


def _host_array(value: Any) -> Any:
    return value if isinstance(value, jax.Array) else np.asarray(value)


class Backward:
    """The compiled gradient of a kernel for given types.

    Attributes:
      kernel: takes the cotangents in `seeds`, then the values in `needs`; returns the cotangents in `wrt`.
      needs: which inputs (and, counted on after them, outputs) the gradient reads; nothing else has to be kept.
      wrt: indices of the inputs that get a cotangent.
      passes: where every result is one of the given cotangents, unchanged, which ones: then nothing needs to run.
    """

    __slots__ = ("kernel", "needs", "passes", "seeds", "wrt")

    passes: tuple[int, ...] | None

    def __init__(
        self, forward: Kernel, inputs: tuple[Spec, ...], outputs: tuple[Spec, ...], wrt: int, seeds: int
    ) -> None:
        many = forward.many or forward.gradients >= FEW
        self.wrt = tuple(i for i in range(len(inputs)) if wrt >> i & 1)
        self.seeds = tuple(o for o in range(len(outputs)) if seeds >> o & 1)
        values = inputs + outputs
        seed_specs = [outputs[o] for o in self.seeds]

        def gradient(*args: Any, needs: tuple[int, ...]) -> Any:
            given = dict(zip(needs, args[len(self.seeds) :], strict=True))
            known = [given[i] if i in given else jnp.zeros(s.shape, s.dtype.np) for i, s in enumerate(values)]
            seeded = dict(zip(self.seeds, args, strict=False))
            made = known[len(inputs) :]
            cotangents = [seeded[o] if o in seeded else jnp.zeros_like(r) for o, r in enumerate(made)]
            ruled = seeds & ~forward.rule_outputs == 0
            results = _pull(forward, known[: len(inputs)], known[len(inputs) :], cotangents, self.wrt, ruled)
            return results if len(results) != 1 else results[0]

        everything = tuple(range(len(values)))
        if forward.reads_values or forward.interpret is not None or any(None in s.shape for s in values):
            # In a graph, where shapes may be open: XLA drops there what turns out to be unused.
            self.needs, self.passes = everything, None
            reads = tuple(len(self.seeds) + i for i in forward.reads_values)
            self.kernel = Kernel(
                forward.name + "Grad",
                lambda *args: gradient(*args, needs=everything),
                reads_values=reads,
                many=many,
                size=forward.size,
            )
            self.kernel.like = tuple(len(self.seeds) + i for i in self.wrt)
            if forward.interpret is not None:
                self.kernel.gradient_of = forward, self.wrt, self.seeds, len(inputs)
            self.kernel.owner = forward.owner
            self._tell_factors(forward)
            return
        traced = jax.make_jaxpr(lambda *args: gradient(*args, needs=everything))(
            *[s.struct for s in seed_specs], *[s.struct for s in values]
        )
        used = used_inputs(traced.jaxpr)[len(seed_specs) :]
        needs = self.needs = tuple(i for i in everything if used[i])
        self.kernel = Kernel(
            forward.name + "Grad", lambda *args: gradient(*args, needs=needs), many=many, size=forward.size
        )
        self.kernel.owner = forward.owner
        self._tell_factors(forward)
        places = {v: i for i, v in enumerate(traced.jaxpr.invars[: len(seed_specs)])}
        from_seeds = [None if isinstance(v, Literal) else places.get(v) for v in traced.jaxpr.outvars]
        known_seeds = tuple(i for i in from_seeds if i is not None)
        self.passes = known_seeds if len(known_seeds) == len(from_seeds) else None

    def _tell_factors(self, forward: Kernel) -> None:
        """Let the gradient's kernel know which of its results are matrix products."""
        factors = forward.origin.op.factors if forward.origin is not None else None
        if factors is None:
            return
        attributes = forward.origin.attributes

        def of_gradient(cotangent: Any, *values: Any) -> dict[int, tuple[Any, Any]]:
            found = factors(cotangent, dict(zip(self.needs, values, strict=True)), **attributes)
            return {self.wrt.index(i): pair for i, pair in found.items() if i in self.wrt}

        self.kernel.factors = of_gradient


def _pull(
    forward: Kernel,
    inputs: Sequence[Any],
    outputs: Sequence[Any],
    cotangents: Sequence[Any],
    wrt: tuple[int, ...],
    ruled: bool,
) -> tuple[Any, ...]:
    """Cotangents of the inputs `wrt`, by the kernel's own rule where it serves, or by `jax.vjp` of its function."""
    if forward.rule is not None and ruled:
        results = forward.rule(cotangents, inputs, outputs)
        return tuple(jnp.zeros_like(inputs[i]) if results[i] is None else _match(results[i], inputs[i]) for i in wrt)

    def of_wrt(*changing: Any) -> Any:
        full = list(inputs)
        for i, value in zip(wrt, changing, strict=True):
            full[i] = value
        out = forward.fn(*full)
        return list(out) if isinstance(out, (tuple, list)) else [out]

    with by_rules(silent=True):
        out, pullback = jax.vjp(of_wrt, *[inputs[i] for i in wrt])
        # Integer outputs take no cotangent: JAX wants its empty type float0 there.
        seeds = [
            conjugate(c) if _is_inexact(o) else np.zeros(o.shape, jax.dtypes.float0)
            for c, o in zip(cotangents, out, strict=True)
        ]
        return tuple(map(conjugate, pullback(seeds)))


def push(
    forward: Kernel,
    inputs: Sequence[Any],
    outputs: Sequence[Any],
    tangents: Sequence[Any],
    wrt: tuple[int, ...],
    outs: tuple[int, ...],
) -> list[Any]:
    """Tangents of the outputs `outs` for those of the inputs `wrt`.

    By the transpose of the kernel's own rule where it has one that serves, as in TensorFlow, so that both modes agree at
    corners; by `jax.jvp` of its function otherwise.
    """
    if forward.rule is not None and all(forward.rule_outputs >> o & 1 for o in outs):
        rule = forward.rule

        def of_cotangents(*given: Any) -> list[Any]:
            cotangents = [jnp.zeros(o.shape, o.dtype) for o in outputs]
            for o, c in zip(outs, given, strict=True):
                cotangents[o] = c
            found = rule(cotangents, inputs, outputs)
            return [jnp.zeros_like(inputs[i]) if found[i] is None else _match(found[i], inputs[i]) for i in wrt]

        # At ones, not at zeros: some rules let a cotangent of zero win over an infinite derivative.
        _, transposed = jax.vjp(of_cotangents, *[jnp.ones_like(outputs[o]) for o in outs])
        return list(map(conjugate, transposed(list(map(conjugate, tangents)))))

    def of_wrt(*changing: Any) -> list[Any]:
        full = list(inputs)
        for i, value in zip(wrt, changing, strict=True):
            full[i] = value
        out = forward.fn(*full)
        return [o for i, o in enumerate(out if isinstance(out, (tuple, list)) else (out,)) if i in outs]

    with by_rules(silent=True):
        return jax.jvp(of_wrt, tuple(inputs[i] for i in wrt), tuple(tangents))[1]


def call(kernel: Kernel, args: Sequence[Any]) -> Any:
    """A kernel on arrays, as a part of a larger function that JAX may be differentiating: then by the kernel's own rule."""
    if not context.by_rules:
        return kernel.fn(*args)
    mask = kernel.differentiable
    if mask != -1:
        args = [lax.stop_gradient(a) if not mask >> i & 1 and _is_inexact(a) else a for i, a in enumerate(args)]
    rule = kernel.rule
    if rule is None or not mask:
        return kernel.fn(*args)
    # Known integers stay what they are: shapes may depend on them.
    places = [i for i, a in enumerate(args) if type(a) is not np.ndarray or _is_inexact(a)]
    kind: list[Any] = []

    def full(arrays: Sequence[Any]) -> list[Any]:
        given = dict(zip(places, arrays, strict=True))
        return [given.get(i, a) for i, a in enumerate(args)]

    def function(*arrays: Any) -> list[Any]:
        before, context.checks = context.checks, None  # JAX traces this apart: a record could not leave it
        try:
            out = kernel.fn(*full(arrays))
        finally:
            context.checks = before
        kind.append(type(out) if isinstance(out, (tuple, list)) else None)
        return list(out) if kind[-1] else [out]

    def pull(inputs: Sequence[Any], outputs: Sequence[Any], moving: list[int], cotangents: Sequence[Any]) -> list[Any]:
        given = iter(cotangents)
        seeds = [conjugate(next(given)) if _is_inexact(o) else jnp.zeros(o.shape, o.dtype) for o in outputs]
        inputs = full(inputs)
        results = rule(seeds, inputs, outputs)
        found = [(results[places[i]], inputs[places[i]]) for i in moving]
        return [jnp.zeros_like(x) if r is None else conjugate(_match(r, x)) for r, x in found]

    def along(inputs: Sequence[Any], outputs: Sequence[Any], moving: list[int], tangents: Sequence[Any]) -> list[Any]:
        outs = tuple(o for o, x in enumerate(outputs) if _is_inexact(x))
        return push(kernel, full(inputs), outputs, tangents, tuple(places[i] for i in moving), outs)

    out = with_own_rule(function, along, pull)(*[jnp.asarray(args[i]) for i in places])
    return kind[-1](out) if kind[-1] else out[0]


def _is_inexact(x: Any) -> bool:
    return bool(jnp.issubdtype(x.dtype, jnp.inexact))


def conjugate(x: Any) -> Any:
    """From JAX's convention for complex gradients to TensorFlow's, or back."""
    return jnp.conj(x) if jnp.iscomplexobj(x) else x


def _match(cotangent: Any, value: Any) -> Any:
    """A rule's answer, summed down to the shape of the input where that was broadcast."""
    shape = value.shape
    if cotangent.shape != shape:
        extra = cotangent.ndim - len(shape)
        axes = tuple(range(extra)) + tuple(
            i + extra for i, n in enumerate(shape) if n == 1 != cotangent.shape[i + extra]
        )
        cotangent = jnp.broadcast_to(jnp.sum(cotangent, axes, keepdims=True).reshape(shape), shape)
    return cotangent.astype(value.dtype)


def used_inputs(jaxpr: Any, live_outputs: Sequence[bool] | None = None) -> list[bool]:
    """Which inputs of a jaxpr can reach its (live) outputs, looking into nested `jit` calls."""
    live: set[Any] = set()
    for i, var in enumerate(jaxpr.outvars):
        if isinstance(var, Var) and (live_outputs is None or live_outputs[i]):
            live.add(var)
    for eqn in reversed(jaxpr.eqns):
        outs = [var in live for var in eqn.outvars]
        if not any(outs) and not eqn.effects:
            continue
        reads = [True] * len(eqn.invars)
        inner = eqn.params.get("jaxpr")
        if eqn.primitive is jit_p:
            reads = used_inputs(inner.jaxpr, outs)
        live.update(v for v, read in zip(eqn.invars, reads, strict=True) if read and not isinstance(v, Literal))
    return [var in live for var in jaxpr.invars]


def _ones(spec: Spec) -> Kernel:
    return Kernel("OnesLike", lambda: jnp.ones(spec.shape, spec.dtype.np), many=len(ONES) >= FEW)


def _zeros(spec: Spec) -> Kernel:
    return Kernel("ZerosLike", lambda: jnp.zeros(spec.shape, spec.dtype.np), many=len(ZEROS) >= FEW)


class _PerSpec(Cache[Spec, Kernel]):
    """One kernel a spec, made on demand."""

    def __init__(self, make: Callable[[Spec], Kernel]) -> None:
        super().__init__()
        self.make = make

    def __missing__(self, spec: Spec) -> Kernel:
        kernel = super().__missing__(spec)
        return self.keep(spec, self.make(spec)) if kernel is None else kernel


ONES = _PerSpec(_ones)
ZEROS = _PerSpec(_zeros)
IDENTITY = Kernel("Identity", lambda x: x, rule=lambda cts, inputs, outputs: cts)
ONES_LIKE = Kernel("OnesLike", lambda x: jnp.ones_like(x), differentiable=0)
ZEROS_LIKE = Kernel("ZerosLike", lambda x: jnp.zeros_like(x), differentiable=0)
ALIAS = Kernel("Identity", lambda x: x, differentiable=0, recorded=False)
ADD = Kernel("AddN", lambda a, b: a + b, rule=lambda cts, inputs, outputs: (cts[0], cts[0]))
