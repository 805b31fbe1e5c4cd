"""Kernels: functions of JAX values with their attributes bound, and everything derived from them by JAX.

A kernel is what every executor runs. From one function it gives the compiled form (`compiled`), output dtypes and shapes
(`infer`), and the kernel of its gradient (`backward`), each made once and cached.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Sequence
from typing import Any

import jax
import numpy as np
from jax.core import Tracer

from tfgrad_jax.engine import hooks
from tfgrad_jax.engine.cache import Cache
from tfgrad_jax.engine.host.patterns import Programs, constants_in
from tfgrad_jax.engine.host.rules import NoRule
from tfgrad_jax.engine.kernels.executables import FEW, ByTypes, budget, check_meshes_of, weight
from tfgrad_jax.engine.kernels.limits import counted, fitting
from tfgrad_jax.engine.kernels.lowering import jitted
from tfgrad_jax.engine.kernels.tiers import Tiers
from tfgrad_jax.engine.kernels.uniform import in_memory
from tfgrad_jax.engine.values.dtypes import BY_NUMPY, stays_on_host, string
from tfgrad_jax.engine.values.tensor import Spec

_OVERWRITTEN = 1 << 18
"""Values of more bytes than this are written over rather than copied."""

_OVERWRITERS = 64


def overwritable(value: np.ndarray) -> Any:
    """A value on the host, put where programs can write over it if it is large."""
    return jax.device_put(value) if value.nbytes > _OVERWRITTEN else value


def compiled_only(types: Any) -> Any:
    """The `interpreter` of kernels that wait for the compiler: programs as a whole."""
    raise NoRule("it is compiled as a whole")


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
      alone: the same, run by itself: it refuses results that do not fit in memory.
      run: the same, called on arrays; by `tiers`, interpreted or compiled as pays, if nothing else is said.
      rule: None, or the gradient as a function of (cotangents, inputs, outputs) that returns a cotangent an input.
      differentiable: a bit mask of the inputs that may have a gradient.
      recorded: whether tapes know the results of what they watch as results, be there a gradient or not; False where state
        changes and where the user cuts.
      origin: what Python-level gradients need to know of the operation; None for derived kernels.
      gradient_patterns: what is known of its gradients whatever the sizes are, see `derivatives`.
      derived_from: None, or the kernel whose gradient it is.
      backwards: its known gradients, by types and operands, see `derivatives.backward_of`.
      recipes: how tapes differentiate it, by types and watched operands.
      host: whether `fn` works on NumPy arrays on the host, and can be neither compiled nor traced.
      stateful: whether running it has an effect besides its results, so that it runs even if nobody needs those.
      rule_outputs: bits of the outputs that may have cotangents for `rule` to serve; with others, `fn` is differentiated.
      donate: positions of inputs whose memory the outputs may take.
      reads_values: positions of inputs whose values `fn` needs while it is traced: sizes in a graph.
      of_values: whether `fn` reads the values of all operands, and makes a NumPy array of NumPy arrays.
      interpret: None, or how to run it on tensors, operation by operation: the parts of a kernel that contains graphs.
      in_pieces: None, or how to run it on tensors of which some are in pieces, or whose result will be; gives None where neither
        is so.
      tells_unwritten: whether it tells places of an array that nothing was put into from zeros, which what is compiled cannot
        hand on.
      eager: None, or how to run it on tensors as the user's own call would run, for what is recorded whole.
      factors: None, or the results that are matrix products x'y, as a function of the arguments that returns {result: (x, y)}.
      gradient_of: None, or of which such kernel it is the gradient: that, positions of inputs with a gradient, of outputs with a
        cotangent, and the number of inputs.
      typed: None, or the types of the results in a graph, where unknown sizes are None.
      types: None, or the types of the results in a graph, as a function of those of the operands.
      followed: what graphs found for operands with unknown sizes.
      open_shapes: None, or the shapes of the results where sizes are unknown: takes the shapes of the inputs, and what is known of
        the values of those in `reads_values`.
      like: None, or the positions of the inputs whose types the results have: of gradients.
      whole: whether it can be compiled; if not, it is only interpreted, by its parts.
      owner: None, or the function that it was made for, and is of no use without.
      meets_strings: whether it has been given strings, which it only moves: those stay with NumPy.
      from_host: whether its operands always come from the host, so that copying them counts as a part of a compiled call.
      overwrites: whether its first input is the old value of some state: the result may take its memory, see `in_place`.
      many: whether there are many like it, made for other types or attributes: it keeps its executables bare.
      size: how many operations it consists of.
      used, weight: see `Holder`.
      check: None, or what says whether values are wrong: takes (inputs, outputs), returns a `Finding` or None.
      interpreter: None, or makes what interprets it, where that is not made of `fn` or `interpret`.
      integers: those on which `fn` depends, besides those among the attributes and in the parts.
      checked: whether it, or an operation inside, may have a check.
      checks_outputs: whether its check looks at results.
      across: None, or the devices among which it exchanges values: its operands and its results lie on one after the other. It is a
        program of all of them, and cannot fail.
      joins: whether several in a row whose `interpret` is the same are one operation, with the operands and results of all.
      parts: the graphs that it consists of.
      called: None, or the one graph among them that it runs as it stands: the kernel is the call of a function.
      loop: None, or the loop that it is, as what is written down in another language.
      named: None, or the arguments of the call that it was made for, by name, with any values in the places of its operands: what
        a graph can be written down by in another language.
    """

    __slots__ = (
        "__weakref__", "_compiled", "_constants", "_in_place", "_infer", "_met", "_programs", "_traceable", "across", "alone",
        "backwards", "called", "check", "checked", "checks_outputs", "derived_from", "differentiable", "donate", "eager",
        "factors", "fn", "followed", "from_host", "gradient_of", "gradient_patterns", "host", "in_pieces", "integers",
        "interpret", "interpreter", "joins", "like", "loop", "many", "meets_strings", "name", "named", "of_values", "open_shapes",
        "origin", "overwrites", "owner", "parts", "reads_values", "recipes", "recorded", "rule", "rule_outputs", "run", "size",
        "stateful", "tells_unwritten", "tiers", "typed", "types", "used", "weight", "whole",
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
        self.eager: Callable[..., Any] | None = None
        self.in_pieces: Callable[..., Any] | None = None
        self.factors: Callable[..., dict[int, tuple[Any, Any]]] | None = None
        self.typed: Sequence[Spec] | None = None
        self.types: Callable[[Sequence[Spec]], Any] | None = None
        self.followed: Cache[Any, Any] = Cache()
        self.open_shapes: Callable[..., Any] | None = None
        self.whole = True
        self.owner: Owner | None = None
        self.check: Callable[..., Any] | None = None
        self.checked = self.checks_outputs = self.tells_unwritten = False
        self.across: tuple[Any, ...] | None = None
        self.joins = False
        self.parts: tuple[Any, ...] = ()
        self.called: Any = None
        self.loop: Any = None
        self.named: Callable[[Sequence[Any]], dict[str, Any]] | None = None
        self.like: tuple[int, ...] | None = None
        self.gradient_of: tuple[Kernel, tuple[int, ...], tuple[int, ...], int] | None = None
        self.many = many
        self.from_host = self.overwrites = False
        self.meets_strings = self.of_values = False
        self.integers: frozenset[int] = frozenset()
        self.size = size
        self._in_place: Kernel | None = None
        self.used = self.weight = 0
        self.donate = donate
        self.alone = fitting(name, self.fn)
        self._met: list[Any] = []
        self._compiled: Any = None
        self._traceable: Any = None
        self._constants: frozenset[int] | None = None
        self._programs: Programs | None = None
        self.interpreter: Callable[[Sequence[Any]], Any] | None = None
        self.tiers = Tiers(self)
        self.run: Any = _on_host(fn) if host else self.tiers
        self._infer: Cache[tuple[Spec, ...], Any] = Cache(128)
        self.backwards: Cache[Any, Any] = Cache(128)
        self.derived_from: Kernel | None = None
        self.gradient_patterns: Cache[Any, Any] = Cache(64)
        self.recipes: Cache[Any, Any] = Cache(128)

    def __repr__(self) -> str:
        return f"<kernel {self.name}>"

    def drop(self) -> None:
        """Let go of what `jax.jit` has compiled."""
        self._met = []
        self.weight = 0
        self._compiled = self._traceable = None

    @property
    def compiled(self) -> Any:
        """The compiled form: a function of arrays that waits for the compiler where it meets new types."""
        if self._compiled is None:
            if self.host:
                self._compiled = self.run
            elif self.many:
                self._compiled = ByTypes(self.alone, self.donate, self.size)
            else:
                self._compiled = jitted(self._counting(), self.donate, self.size)
        return self._compiled

    def compiled_for(self, arrays: Sequence[Any]) -> Any:
        """`compiled`, or where JAX is tracing one of these arrays what it can trace: that takes no options of the compiler."""
        compiled = self.compiled
        if self.host or not any([isinstance(a, Tracer) for a in arrays]):
            return compiled
        if self._traceable is None:
            self._traceable = jax.jit(self._counting())
        return self._traceable

    def variant(
        self,
        fn: Callable[..., Any],
        rule: Callable[..., Any] | None = None,
        differentiable: int | None = None,
        rule_outputs: int = -1,
        donate: tuple[int, ...] = (),
        many: bool | None = None,
    ) -> Kernel:
        """A kernel that does the same by another function of arrays, but for its rule; whatever runs it treats it as this one.

        Args:
          fn, rule, rule_outputs, donate: as of `Kernel`.
          differentiable, many: likewise; None for this one's.
        """
        mask = self.differentiable if differentiable is None else differentiable
        found = Kernel(
            self.name,
            fn,
            rule,
            mask,
            host=self.host,
            stateful=self.stateful,
            rule_outputs=rule_outputs,
            donate=donate,
            many=self.many if many is None else many,
            size=self.size,
            recorded=self.recorded,
        )
        found.owner = self.owner
        return found

    def _counting(self) -> Callable[..., Any]:
        return _counting(in_memory(self.alone), self.name, weakref.ref(self))

    def program(self, types: Sequence[Any]) -> Any:
        """What interprets it for operands of these types (shapes and dtypes).

        Raises:
          NoRule: if it must be compiled.
        """
        if self.stateful or any([stays_on_host(np.dtype(dtype)) for _, dtype in types]):
            raise NoRule(self.name)
        if self.interpreter is not None:
            return self.interpreter(types)
        if self.interpret is not None:
            return hooks.interpreted_graph(self.interpret)
        if self.donate:
            raise NoRule(self.name)
        if self._programs is None:
            self._programs = Programs(self.fn, self.constants)
        return self._programs.program(types)

    def constants(self) -> frozenset[int]:
        """The integers among its attributes and in its graphs: its code may ask whether a size is one of them."""
        found = self._constants
        if found is None:
            if self.derived_from is not None:
                found = self.derived_from.constants()
            else:
                found = constants_in(self.origin.attributes) if self.origin is not None else frozenset()
                found = found.union(self.integers, *[part.integers() for part in self.parts])
            self._constants = found
        return found

    def meets(self, arrays: Sequence[Any]) -> None:
        """`jax.jit` compiles it for new types."""
        met = self._met
        met.append(tuple([(a.shape, a.dtype) for a in arrays]))
        if len(met) < FEW:
            self.weight = len(met) * weight(self.size, bare=False)
            budget.made(self)
        elif type(self._compiled) is not ByTypes:
            few, self._compiled = self._compiled, ByTypes(self.alone, self.donate, self.size)
            self.weight = 0
            self._compiled.know(met, few)

    @property
    def in_place(self) -> Kernel:
        """The same, but the result takes the memory of the first input, whose value is gone then."""
        if self._in_place is None:
            self._in_place = Kernel(self.name, self.fn, differentiable=0, donate=(0,), many=self.many, size=self.size)
        return self._in_place

    def overwriter(self, arrays: Sequence[Any]) -> Any:
        """The compiled form that writes its result over the first of these arrays; None as long as there is none.

        It is made beside the program where the first array is large; not for any number of types, though.
        """
        kernel = self.in_place
        call = kernel.tiers.executable_now(arrays)
        if call is None and arrays[0].nbytes > _OVERWRITTEN and kernel.tiers.wanted < _OVERWRITERS:
            kernel.tiers.way(tuple([(a.shape, a.dtype) for a in arrays])).want()
        return call

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
        return len(self.backwards)

    def runs_on_host(self, inputs: Sequence[Spec]) -> bool:
        """Whether JAX cannot follow it for inputs of these types."""
        return self.host or any(s.dtype.on_host for s in inputs)

    def infer_on_host(self, inputs: Sequence[Spec], values: Sequence[Any], distinct: bool) -> Any:
        """The output specs where JAX cannot tell them, by running it: on zeros or distinct elements where there is no value."""
        made = [
            (_distinct(s) if distinct else _equal(s)) if v is None else v for s, v in zip(inputs, values, strict=True)
        ]
        return _specs(self.fn(*made))

    def _types(self, inputs: Sequence[Spec], known: dict[int, Any]) -> Any:
        if self.runs_on_host(inputs):
            return self.infer_on_host(inputs, [known.get(i) for i in range(len(inputs))], False)
        if not known and self.interpret is None and all([None not in s.shape for s in inputs]):
            try:
                program = self.tiers.way(tuple([(s.shape, s.dtype.np) for s in inputs])).program
            except NoRule:
                pass
            else:
                specs = [spec_of_result(dtype, shape) for shape, dtype in program.types]
                return specs[0] if program.kind is None else program.kind(specs)
        return _specs(self.followed_on([s.struct for s in inputs], known))

    def followed_on(self, structs: Sequence[Any], known: dict[int, Any]) -> Any:
        """JAX's types of the results: for `jax.ShapeDtypeStruct`s, and the values of some inputs."""
        rest = [i for i in range(len(structs)) if i not in known]

        def fn(*arrays: Any) -> Any:
            given = dict(zip(rest, arrays, strict=True)) | known
            return self.fn(*[given[i] for i in range(len(structs))])

        return jax.eval_shape(fn, *[structs[i] for i in rest])


def _counting(fn: Callable[..., Any], name: str, kernel: weakref.ref[Kernel]) -> Callable[..., Any]:
    """`fn`, which tells the kernel when JAX traces it: that is, when it compiles it."""

    def traced(*arrays: Any) -> Any:
        owner = kernel()
        if owner is not None:
            owner.meets(arrays)
        check_meshes_of(name, arrays)
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


def types_of_results(out: Any) -> Any:
    """The specs of the arrays that a kernel gave, in a list if they are several."""
    return [_specs(o) for o in out] if isinstance(out, (tuple, list)) else _specs(out)


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
    return value if type(value) is np.ndarray or isinstance(value, jax.Array) else np.asarray(value)
