"""`tf.function`: a Python function traced once per kind of arguments into a graph, and run as one compiled program."""

from __future__ import annotations

import contextlib
import functools
import inspect
import sys
import weakref
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from tfgrad_jax.engine import dtypes, interpret, logging, nest
from tfgrad_jax.engine.context import Context, context, set_recorders
from tfgrad_jax.engine.convert import convert
from tfgrad_jax.engine.execute import alias, execute, immediate
from tfgrad_jax.engine.export import export, export_value
from tfgrad_jax.engine.graph import Graph, NeedsValue, SymbolicTensor
from tfgrad_jax.engine.kernel import Kernel
from tfgrad_jax.engine.residuals import with_residuals
from tfgrad_jax.engine.specs import TensorSpec
from tfgrad_jax.engine.tape import GradientTape
from tfgrad_jax.engine.tensor import Spec, Tensor
from tfgrad_jax.engine.variable import Variable

_RETRACING_LIMIT = 5

_eagerly = False


@export("config.run_functions_eagerly")
def run_functions_eagerly(run_eagerly: bool) -> None:
    """Whether calls of `tf.function`s run the Python functions instead. Mirrors `tf.config.run_functions_eagerly`."""
    global _eagerly
    _eagerly = bool(run_eagerly)


@export("config.functions_run_eagerly")
def functions_run_eagerly() -> bool:
    """What `tf.config.run_functions_eagerly` was set to."""
    return _eagerly


@export("executing_eagerly")
def executing_eagerly() -> bool:
    """Whether operations run (rather than being recorded in a graph). Mirrors `tf.executing_eagerly`."""
    return context.trace is None


@export("inside_function")
def inside_function() -> bool:
    """Whether a `tf.function` is being traced."""
    return context.trace is not None


@export("init_scope")
@contextlib.contextmanager
def init_scope() -> Iterator[None]:
    """A context outside of every function being traced: what runs in it, runs now. Mirrors `tf.init_scope`."""
    saved = context.trace, context.executor, context.recorders
    set_recorders(())
    if context.trace is not None:
        context.trace, context.executor = None, Context.default_executor
    try:
        yield
    finally:
        context.trace, context.executor = saved[:2]
        set_recorders(saved[2])


class ConcreteFunction:
    """One trace of a function: a graph, and the structure of its arguments and results.

    Mirrors what `tf.function(...).get_concrete_function(...)` returns.
    """

    def __init__(self, name: str, python_function: Callable[..., Any], args: Any, kwargs: Any, examples: Any) -> None:
        self.name = name
        self.graph = Graph(name, context.trace)
        self.graph.examples = examples  # type: ignore[attr-defined]
        self.structured_input_signature = (args, kwargs)
        with self.graph.as_default():
            placed = nest.map_structure(self._placeholder, (args, kwargs))
            result = python_function(*placed[0], **placed[1])
            self.structured_outputs = nest.map_structure(self._output, result, expand_composites=True)
        self._flat_outputs = [t for t in nest.flatten(self.structured_outputs, expand_composites=True) if isinstance(t, Tensor)]
        self._kernel: Kernel | None = None
        self._donating: Kernel | None = None
        self._overwritten: tuple[int, ...] = ()
        self._with_residuals: dict[Any, Kernel] = {}
        self._by_values: dict[Any, Kernel] = {}
        self._takes_values = False
        # XLA has no strings, and no part in what runs on the host.
        self._interpreted = any(t.spec.dtype is dtypes.string for t in self.graph.tensors) or any(
            n.kernel.host for n in self.graph.nodes
        )

    def _placeholder(self, leaf: Any) -> Any:
        if isinstance(leaf, TensorSpec):
            if leaf.shape.rank is None:
                raise NotImplementedError(f"tf.function: an argument of unknown rank ({leaf}) is not supported; give its rank")
            spec = Spec.of(leaf.dtype, tuple(leaf.shape.as_list()))
            return self.graph.placeholder(spec, leaf.name or "args")
        return leaf

    def _output(self, leaf: Any) -> Any:
        if leaf is None or isinstance(leaf, (TensorSpec,)):
            return leaf
        if isinstance(leaf, Variable):
            leaf = leaf.read_value()
        try:
            tensor = convert(leaf)
        except (TypeError, ValueError) as error:
            raise TypeError(
                f"To be compatible with tf.function, Python functions must return zero or more Tensors or ExtensionTypes or None "
                f"values; in compilation of {self.name!r}, found return value of type {type(leaf).__name__}, which is not a "
                f"Tensor or ExtensionType. ({error})"
            ) from None
        inner = tensor if isinstance(tensor, SymbolicTensor) and tensor.graph is self.graph else self.graph.capture(tensor)
        return inner

    # -- introspection ------------------------------------------------------------------------------------------------

    @property
    def inputs(self) -> list[Tensor]:
        """The symbolic tensors that the graph takes, captures included."""
        return [self.graph.tensors[s] for s in self.graph.entering()]

    @property
    def outputs(self) -> list[Tensor]:
        """The symbolic results, flat."""
        return self._flat_outputs

    @property
    def captured_inputs(self) -> list[Tensor]:
        """What the graph takes from outside at each call."""
        return self.graph.outside()

    @property
    def variables(self) -> tuple[Variable, ...]:
        """The variables that are read or written."""
        return tuple(_variable_of(box) for box, _ in self.graph.boxes.values() if _variable_of(box) is not None)

    @property
    def trainable_variables(self) -> tuple[Variable, ...]:
        """Those among `variables` that are trainable."""
        return tuple(v for v in self.variables if v.trainable)

    @property
    def output_shapes(self) -> Any:
        return nest.map_structure(lambda t: t.shape if isinstance(t, Tensor) else t, self.structured_outputs)

    @property
    def output_dtypes(self) -> Any:
        return nest.map_structure(lambda t: t.dtype if isinstance(t, Tensor) else t, self.structured_outputs)

    # -- running ------------------------------------------------------------------------------------------------------

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Run the graph on tensors for its tensor arguments, in order or by name."""
        flat = _given_tensors(self, args, kwargs)
        return self.call_flat(flat)

    def call_flat(self, args: Sequence[Tensor]) -> Any:
        """Run the graph on flat tensors."""
        graph = self.graph
        outside = graph.outside()
        for recorder in context.recorders:
            for box, inner in graph.boxes.values():
                variable = _variable_of(box)
                if variable is not None and inner is not None:
                    recorder._read_variable(variable)
        inputs = (*args, *outside)
        compiled = not self._takes_values and not self._interpreted
        if graph.written and context.trace is None and not context.recorders and compiled:
            results = self._step(inputs, outside)
        else:
            results = list(self._run(inputs))
        n = len(self._flat_outputs)
        for identity, value in zip(graph.written, results[n:], strict=False):  # residuals may follow
            # Through state no gradient flows: an alias, which tapes do not connect.
            graph.boxes[identity][0].replace(alias(value, identity))
        return self._structured(results[:n])

    def _structured(self, results: list[Tensor]) -> Any:
        values = iter(results)
        return nest.map_structure(
            lambda t: next(values) if isinstance(t, Tensor) else t, self.structured_outputs, expand_composites=True
        )

    def _run(self, inputs: tuple[Tensor, ...]) -> Any:
        if self._kernel is None:
            self._kernel = self._new_kernel()
        if context.trace is not None:
            return execute(self._kernel, inputs)
        if not self._takes_values and not self._interpreted:
            try:
                return execute(self._differentiated(inputs), inputs)
            except NeedsValue:
                self._takes_values = True
        if not self._interpreted:
            try:
                return execute(self._kernel_for_values(inputs), inputs)
            except NeedsValue:
                self._interpreted = True
        return self._interpret(inputs)

    def _interpret(self, inputs: Sequence[Tensor]) -> list[Tensor]:
        """Run the graph operation by operation."""
        graph = self.graph
        return interpret.run(graph, [*self._flat_outputs, *(graph.values[i] for i in graph.written)], inputs)

    def _step(self, inputs: tuple[Tensor, ...], outside: list[Tensor]) -> list[Tensor]:
        """Run a function that assigns variables, at once; the memory of the old values is used for the new ones."""
        if context.pending is not None:
            context.pending.flush("a tf.function that assigns variables")
        if self._kernel is None:
            self._kernel = self._new_kernel()
            first = len(inputs) - sum(inner is not None for _, inner in self.graph.boxes.values())
            read = [box for box, inner in self.graph.boxes.values() if inner is not None]
            changed = [i for i, box in enumerate(read, first) if box.id in self.graph.written and inputs[i].spec.shape]
            self._overwritten = tuple(changed)
        donated = self._overwritten
        if donated and all([_only_ours(inputs, outside, i) for i in donated]):
            if self._donating is None:
                self._donating = Kernel(self.name, self._kernel.fn, donate=donated)
            kernel = self._donating
        else:
            kernel = self._kernel
        try:
            return list(immediate(kernel, inputs))
        except NeedsValue:
            self._takes_values = True
            return list(self._run(inputs))

    def _new_kernel(self) -> Kernel:
        run = self.graph.function(self._flat_outputs)
        stateful = any(n.kernel.stateful for n in self.graph.nodes)
        return Kernel(self.name, run, stateful=stateful, interpret=self._interpret)

    def _differentiated(self, inputs: tuple[Tensor, ...]) -> Kernel:
        """The kernel to run: with residuals where a tape will want a gradient, except inside another graph."""
        kernel = self._kernel
        assert kernel is not None
        if not any(isinstance(r, GradientTape) for r in context.recorders) or context.trace is not None:
            return kernel
        wrt = tuple(i for i, t in enumerate(inputs) if t.spec.dtype.trainable and _may_be_watched(t))
        if not wrt:
            return kernel
        key = (wrt, tuple([t.spec for t in inputs]))
        found = self._with_residuals.get(key)
        if found is None:
            count = len(self._flat_outputs) + len(self.graph.written)
            found = self._with_residuals[key] = with_residuals(kernel, count, wrt)
        return found

    def _kernel_for_values(self, inputs: tuple[Tensor, ...]) -> Kernel:
        """The kernel for these very values of the small integers among the inputs: shapes depend on them."""
        known = {
            i: np.asarray(t.array)
            for i, t in enumerate(inputs)
            if t.dtype.is_integer and None not in t.spec.shape and t.spec.size <= 64 and not isinstance(t, SymbolicTensor)
        }
        key = tuple((i, v.tobytes(), v.shape) for i, v in known.items())
        kernel = self._by_values.get(key)
        if kernel is None:
            run = self.graph.function(self._flat_outputs)

            def specialised(*arrays: Any) -> Any:
                return run(*[known.get(i, a) for i, a in enumerate(arrays)])

            kernel = self._by_values[key] = Kernel(self.name, specialised)
        return kernel

    def __repr__(self) -> str:
        return f"<ConcreteFunction {self.name} with {len(self.graph.inputs)} inputs and {len(self.graph.nodes)} operations>"


def _references(inputs: tuple[Any, ...], outside: list[Any], i: int) -> tuple[int, int]:
    """How many references there are to a value from outside: to its tensor, and to the array."""
    tensor = inputs[i]
    value = tensor._value
    return sys.getrefcount(tensor), sys.getrefcount(value)


def _only_ours(inputs: tuple[Any, ...], outside: list[Any], i: int) -> bool:
    """Whether nobody but its variable (and the call under way) holds a value."""
    return type(inputs[i]._value) is not np.ndarray and _references(inputs, outside, i) == _HELD_BY_VARIABLE


def _baseline() -> tuple[int, int]:
    """The references of a value that only a variable holds, counted the same way, whatever the interpreter counts."""
    held = [Tensor(object())]
    outside = [held[0]]
    return _references((*outside,), outside, 0)


_HELD_BY_VARIABLE = _baseline()


def _may_be_watched(tensor: Tensor) -> bool:
    """Whether a tape watches a tensor, as far as one knows: what is pending may depend on something watched."""
    if tensor._value is None:
        return True
    return any(isinstance(r, GradientTape) and tensor._id in r._watched for r in context.recorders)


def _variable_of(box: Any) -> Variable | None:
    owner = getattr(box, "owner", None)
    return owner() if owner is not None else None


def _given_tensors(concrete: ConcreteFunction, args: tuple[Any, ...], kwargs: dict[str, Any]) -> list[Tensor]:
    expected = concrete.structured_input_signature
    leaves = nest.flatten(expected)
    specs = [leaf for leaf in leaves if isinstance(leaf, TensorSpec)]
    given = nest.flatten((args, kwargs))
    tensors = [g for g, leaf in zip(given, leaves, strict=False) if isinstance(leaf, TensorSpec)] if len(given) == len(leaves) else given
    if len(tensors) != len(specs):
        raise TypeError(f"{concrete.name}: expected {len(specs)} tensors ({', '.join(map(str, specs))}), got {len(given)} arguments")
    return [as_operand(t, spec.dtype) for t, spec in zip(tensors, specs, strict=True)]


def as_operand(value: Any, dtype: Any = None) -> Tensor:
    """A value as a tensor operand."""
    if isinstance(value, Tensor):
        return value
    if isinstance(value, Variable):
        return value._operand_tensor()
    return convert(value, dtype)


class _Weak:
    """An object in a key: by identity, and without keeping it alive."""

    __slots__ = ("_id", "_ref")

    def __init__(self, value: Any) -> None:
        self._id = id(value)
        try:
            self._ref: Any = weakref.ref(value)
        except TypeError:
            self._ref = lambda: value

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Weak) and self._id == other._id and self._ref() is not None and self._ref() is other._ref()

    def __hash__(self) -> int:
        return self._id


class Function:
    """A Python function that runs as graphs: what `tf.function` returns."""

    def __init__(self, python_function: Callable[..., Any], options: dict[str, Any]) -> None:
        self._python_function = python_function
        self._options = options
        self._input_signature = options.get("input_signature")
        self._concrete: dict[Any, ConcreteFunction] = {}
        self._tracings = 0
        self._calls = 0
        self._created_variables: list[Any] = []
        self._methods: weakref.WeakKeyDictionary[Any, Function] = weakref.WeakKeyDictionary()
        self._converted: Callable[..., Any] | None = None
        self._signature: inspect.Signature | None
        try:
            self._signature = inspect.signature(python_function)
        except (TypeError, ValueError):
            self._signature = None
        self.__name__ = getattr(python_function, "__name__", type(python_function).__name__)
        functools.update_wrapper(self, python_function) if hasattr(python_function, "__name__") else None

    @property
    def python_function(self) -> Callable[..., Any]:
        """The function that was decorated."""
        return self._python_function

    @property
    def input_signature(self) -> Any:
        return self._input_signature

    @property
    def name(self) -> str:
        return self.__name__

    def experimental_get_tracing_count(self) -> int:
        """How often the Python function was traced."""
        return self._tracings

    def __get__(self, instance: Any, owner: Any = None) -> Any:
        if instance is None:
            return self
        try:
            bound = self._methods.get(instance)
        except TypeError:  # an object that is unhashable or cannot be weakly held
            return Function(functools.partial(self._python_function, instance), self._options)
        if bound is None:
            weak = weakref.ref(instance)

            def method(*args: Any, **kwargs: Any) -> Any:
                return self._python_function(weak(), *args, **kwargs)

            functools.update_wrapper(method, self._python_function)
            method.__signature__ = _without_self(self._signature)  # type: ignore[attr-defined]
            method.__malt_target__ = (self._python_function, weak)  # type: ignore[attr-defined]
            bound = self._methods[instance] = Function(method, self._options)
        return bound

    # -- calling ------------------------------------------------------------------------------------------------------

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if _eagerly:
            return self._python_function(*args, **kwargs)
        concrete, tensors = self._specialised(args, kwargs)
        self._calls += 1
        return concrete.call_flat(tensors)

    def _specialised(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[ConcreteFunction, list[Tensor]]:
        if kwargs or self._has_defaults:
            args, kwargs = self._canonical(args, kwargs)
        if self._input_signature is not None:
            args = self._cast(args)
        leaves = nest.flatten((args, kwargs)) if not _is_flat(args, kwargs) else list(args)
        tensors: list[Tensor] = []
        parts: list[Any] = []
        specs: list[Any] = []
        for leaf in leaves:
            if isinstance(leaf, (np.ndarray, np.generic)):
                leaf = convert(leaf)
            if isinstance(leaf, Tensor):
                tensors.append(leaf)
                parts.append(leaf.spec)
                specs.append(leaf)
            else:
                parts.append(_key_part(leaf))
                specs.append(leaf)
        if self._input_signature is not None:
            key: Any = ()
        else:
            key = (tuple(parts), _structure(args, kwargs)) if not _is_flat(args, kwargs) else tuple(parts)
        if context.trace is not None:
            key = (key, id(context.trace)) if self._captures_outer else key
        concrete = self._concrete.get(key)
        if concrete is None:
            concrete = self._trace(args, kwargs, leaves, specs, tensors, key)
        return concrete, tensors

    _captures_outer = False

    @functools.cached_property
    def _has_defaults(self) -> bool:
        return self._signature is not None and any(p.default is not p.empty for p in self._signature.parameters.values())

    def _canonical(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """Arguments in one form, however they were passed."""
        if self._signature is None:
            return args, kwargs
        try:
            bound = self._signature.bind(*args, **kwargs)
        except TypeError as error:
            raise TypeError(f"Binding inputs to tf.function failed due to `{error}`. Signature: {self.__name__}{self._signature}.") from None
        bound.apply_defaults()
        return bound.args, bound.kwargs

    def _cast(self, args: tuple[Any, ...]) -> tuple[Any, ...]:
        signature = tuple(self._input_signature)
        if len(args) > len(signature):
            args = args[: len(signature)] if all(a is None for a in args[len(signature) :]) else args
        if len(args) != len(signature):
            raise TypeError(f"{self.__name__}: the input_signature has {len(signature)} arguments, got {len(args)}")

        def cast(spec: Any, value: Any) -> Any:
            tensor = as_operand(value, spec.dtype if not isinstance(value, (Tensor, Variable)) else None)
            if tensor.dtype is not spec.dtype or not spec.shape.is_compatible_with(tensor.shape):
                raise TypeError(
                    f"Binding inputs to tf.function failed due to `Can not cast {TensorSpec(tensor.shape, tensor.dtype)} to {spec}`. "
                    f"Received {self.__name__}({tensor!r}), expected {spec}."
                )
            return tensor

        return tuple(nest.map_structure(cast, s, a) for s, a in zip(signature, args, strict=True))

    def _trace(
        self, args: Any, kwargs: Any, leaves: list[Any], specs: list[Any], tensors: list[Tensor], key: Any
    ) -> ConcreteFunction:
        replaced = [_leaf_spec(s) if isinstance(s, Tensor) else s for s in specs]
        structure = (args, kwargs)
        spec_args, spec_kwargs = nest.pack_sequence_as(structure, replaced)
        if self._input_signature is not None:
            spec_args = tuple(self._input_signature)
        examples = None if any(isinstance(t, (SymbolicTensor, TensorSpec)) for t in tensors) else _Arrays(tensors)
        first = self._tracings == 0
        concrete = self._trace_once(spec_args, spec_kwargs, examples, may_create=first)
        created = concrete.graph.created
        if created:
            # The variables exist now: the function must get along without making them again.
            self._created_variables += [weakref.ref(v) for v in created]
            concrete = self._trace_once(spec_args, spec_kwargs, examples, may_create=False)
        outer = [t for t, _ in concrete.graph.captures.values() if isinstance(t, SymbolicTensor)]
        if outer:
            self._captures_outer = True
        else:
            self._concrete[key] = concrete
        self._warn_of_retracing()
        return concrete

    def _trace_once(self, args: Any, kwargs: Any, examples: Any, may_create: bool) -> ConcreteFunction:
        self._tracings += 1
        concrete = ConcreteFunction.__new__(ConcreteFunction)
        trace = self._traceable()
        outer = context.trace

        def python_function(*a: Any, **k: Any) -> Any:
            if outer is None:
                context.trace.may_create = may_create
            return trace(*a, **k)

        concrete.__init__(self.__name__, python_function, args, kwargs, examples)  # type: ignore[misc]
        return concrete

    def _traceable(self) -> Callable[..., Any]:
        """The Python function, with its control flow on tensors converted if asked for."""
        if self._converted is None:
            self._converted = self._python_function
            if self._options.get("autograph", True):
                self._converted = converter(self._python_function)
        return self._converted

    def _warn_of_retracing(self) -> None:
        if self._tracings > _RETRACING_LIMIT and self._tracings * 2 > self._calls + 1:
            logging.warn(
                "%d out of the last %d calls to %r triggered tf.function retracing. Tracing is expensive and the excessive number "
                "of tracings could be due to (1) creating @tf.function repeatedly in a loop, (2) passing tensors with different "
                "shapes, (3) passing Python objects instead of tensors.",
                self._tracings,
                self._calls + 1,
                self,
            )

    # -- introspection ------------------------------------------------------------------------------------------------

    def get_concrete_function(self, *args: Any, **kwargs: Any) -> ConcreteFunction:
        """The trace for arguments like these; `tf.TensorSpec`s may stand for tensors.

        Raises:
          ValueError: if there is an `input_signature` and the arguments do not fit it.
        """
        if self._input_signature is not None and not args and not kwargs:
            args = tuple(self._input_signature)
        args, kwargs = self._canonical(args, kwargs)
        flat = nest.flatten((args, kwargs))
        leaves = [convert(x) if isinstance(x, (np.ndarray, np.generic)) else x for x in flat]
        parts = [
            x.spec if isinstance(x, Tensor) else _spec_part(x) if isinstance(x, TensorSpec) else _key_part(x) for x in leaves
        ]
        key: Any = () if self._input_signature is not None else (tuple(parts), _structure(args, kwargs))
        if self._input_signature is None and _is_flat(args, kwargs):
            key = tuple(parts)
        concrete = self._concrete.get(key)
        if concrete is None:
            packed = nest.pack_sequence_as((args, kwargs), leaves)
            concrete = self._trace(packed[0], packed[1], leaves, leaves, [x for x in leaves if isinstance(x, (Tensor, TensorSpec))], key)  # type: ignore[misc]
        return concrete

    def pretty_printed_concrete_signatures(self, verbose: bool = True) -> str:
        """The signatures traced so far, one a line."""
        return "\n".join(f"{self.__name__}{c.structured_input_signature}" for c in self._concrete.values())

    def experimental_get_compiler_ir(self, *args: Any, **kwargs: Any) -> Callable[..., str]:
        """A function `(stage='hlo') -> str` that shows the program for these arguments."""
        concrete, tensors = self._specialised(args, kwargs)

        def ir(stage: str = "hlo", **unused: Any) -> str:
            run = concrete.graph.function(concrete._flat_outputs)
            inputs = [t.array for t in (*tensors, *concrete.graph.outside())]
            lowered = Kernel(concrete.name, run).compiled.lower(*inputs)
            return lowered.compile().as_text() if stage.startswith("optimized") else lowered.as_text()

        return ir

    def __repr__(self) -> str:
        return f"<tfgrad_jax.engine.function.Function {self.__name__!r}>"


class _Arrays:
    """The arguments of the call that causes a trace, for initial values of variables; read only when needed."""

    def __init__(self, tensors: list[Tensor]) -> None:
        self._tensors = tensors

    def __iter__(self) -> Iterator[Any]:
        return (t.array for t in self._tensors)


def converter(function: Callable[..., Any]) -> Callable[..., Any]:
    """Converts Python control flow; replaced by `autograph` when that is loaded."""
    return function


def _without_self(signature: inspect.Signature | None) -> inspect.Signature | None:
    return signature and signature.replace(parameters=list(signature.parameters.values())[1:])


def _leaf_spec(t: Any) -> Any:
    return t if isinstance(t, TensorSpec) else TensorSpec(t.shape, t.dtype)


def _spec_part(spec: TensorSpec) -> Any:
    if spec.shape.rank is None:
        return spec
    return Spec.of(spec.dtype, tuple(spec.shape.as_list()))


def _is_flat(args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool:
    return not kwargs and not any(nest.is_nested(a) for a in args)


def _structure(args: Any, kwargs: Any) -> Any:
    def shape_of(x: Any) -> Any:
        if isinstance(x, dict):
            return (type(x), tuple((k, shape_of(x[k])) for k in sorted(x, key=str)))
        if isinstance(x, (list, tuple)):
            return (type(x), tuple(map(shape_of, x)))
        return None

    return shape_of(args), shape_of(kwargs)


def _key_part(value: Any) -> Any:
    if isinstance(value, Variable):
        return ("variable", value._id)
    if isinstance(value, (bool, int, float, complex, str, bytes, type(None))):
        return (type(value), value)
    try:
        hash(value)
    except TypeError:
        return _Weak(value)
    if type(value).__eq__ is object.__eq__:
        return _Weak(value)
    return (type(value), value)


@export("function")
def function(
    func: Callable[..., Any] | None = None,
    input_signature: Any = None,
    autograph: bool = True,
    jit_compile: bool | None = None,
    reduce_retracing: bool = False,
    experimental_implements: str | None = None,
    experimental_autograph_options: Any = None,
    experimental_attributes: Any = None,
    experimental_relax_shapes: bool | None = None,
    experimental_compile: bool | None = None,
    experimental_follow_type_hints: bool | None = None,
) -> Any:
    """Compile a Python function into graphs. Mirrors `tf.function`.

    Args:
      func: the function; without it, a decorator is returned.
      input_signature: `tf.TensorSpec`s, a nest for each positional argument: then there is one trace, for all sizes.
      autograph: whether Python control flow on tensors becomes part of the graph.
      jit_compile, reduce_retracing and the experimental arguments: accepted; every graph is compiled by XLA.

    Returns:
      A callable with the attributes of TensorFlow's: `get_concrete_function`, `python_function`, ...
    """
    options = {"input_signature": input_signature, "autograph": autograph, "jit_compile": jit_compile}

    def decorate(f: Callable[..., Any]) -> Function:
        return Function(f, options)

    return decorate if func is None else decorate(func)


export_value(ConcreteFunction, "types.experimental.ConcreteFunction")
