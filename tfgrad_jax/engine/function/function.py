"""`tf.function`: a Python function traced once per kind of arguments into a graph, and run as one compiled program."""

from __future__ import annotations

import functools
import inspect
import threading
import weakref
from collections.abc import Callable
from typing import Any

import jax

from tfgrad_jax.engine.cache import Cache
from tfgrad_jax.engine.function.composites import typed_key
from tfgrad_jax.engine.function.concrete import ConcreteFunction
from tfgrad_jax.engine.function.implementations import implements
from tfgrad_jax.engine.function.objects import Same
from tfgrad_jax.engine.function.retracing import Retracing
from tfgrad_jax.engine.function.signature import Arguments, Signature, fits, generalised, openness
from tfgrad_jax.engine.graph.graph import SymbolicTensor
from tfgrad_jax.engine.hooks import convert_control_flow
from tfgrad_jax.engine.names.export import export
from tfgrad_jax.engine.state.trackable import Trackable
from tfgrad_jax.engine.threads.context import context
from tfgrad_jax.engine.values.composite import CompositeSpec
from tfgrad_jax.engine.values.specs import TensorSpec
from tfgrad_jax.engine.values.tensor import EagerTensor, Spec

_eagerly = False


@export("config.run_functions_eagerly")
def run_functions_eagerly(run_eagerly: bool) -> None:
    """Whether calls of `tf.function`s run the Python functions instead. Mirrors `tf.config.run_functions_eagerly`."""
    global _eagerly
    _eagerly = bool(run_eagerly)


@export("config.functions_run_eagerly")
def functions_run_eagerly() -> bool:
    """The setting of `tf.config.run_functions_eagerly`."""
    return _eagerly


_TRACES = 256
"""So many traces a function keeps at least; those not called for longest are made again when they are needed again."""


@export("types.experimental.GenericFunction", "types.experimental.PolymorphicFunction")
class Function(Trackable):
    """A Python function that runs as graphs: what `tf.function` returns.

    Args:
      python_function: what is traced.
      name: what it is called; as what is traced, if not given.
      **options: the arguments of `tf.function`.
    """

    def __init__(self, python_function: Callable[..., Any], name: str | None = None, **options: Any) -> None:
        self._python_function = python_function
        self._options = options
        self._jit_compile = options.get("jit_compile")
        self._signature = Signature(python_function, options.get("input_signature"))
        self._concrete: Cache[Any, ConcreteFunction] = Cache(_TRACES)
        # Traces that serve calls of many sizes, with what they were traced for.
        self._open: list[tuple[tuple[Any, ...], ConcreteFunction]] = []
        # Traces that use tensors of a function that is being traced itself: they end with it.
        self._within: weakref.WeakKeyDictionary[Any, dict[Any, ConcreteFunction]] = weakref.WeakKeyDictionary()
        self._tracings = 0
        # Held while it is traced: one thread traces, another that needs the same trace waits for it.
        self._lock = threading.RLock()
        self._methods: dict[int, tuple[Any, Function]] = {}
        self._watching: list[Any] = []
        self._converted: Callable[..., Any] | None = None
        self.__name__ = self._signature.name
        if hasattr(python_function, "__name__"):
            functools.update_wrapper(self, python_function, updated=())
        for key, value in getattr(python_function, "__dict__", {}).items():
            self.__dict__.setdefault(key, value)  # what programs look for at a decorated object
        if name is not None:
            self.__name__ = name
        self._retracing = Retracing.of(python_function)

    @property
    def python_function(self) -> Callable[..., Any]:
        """The function that was decorated."""
        return self._python_function

    @property
    def __signature__(self) -> inspect.Signature:
        return inspect.signature(self._python_function)

    @property
    def input_signature(self) -> Any:
        """The specs that `tf.function` was given, or None; () for a function that takes nothing, of which one trace is all."""
        given, signature = self._signature.specs, self._signature.signature
        return () if given is None and signature is not None and not signature.parameters else given

    @property
    def name(self) -> str:
        """The name of the Python function."""
        return self._signature.name

    def experimental_get_tracing_count(self) -> int:
        """How often the Python function was traced."""
        return self._tracings

    def _decorate(self, decorator: Callable[[Callable[..., Any]], Callable[..., Any]]) -> None:
        """Wrap the Python function itself: libraries do so to open name scopes around methods.

        Raises:
          ValueError: if it was traced already.
        """
        if self._tracings or self._methods:
            raise ValueError("Functions cannot be decorated after they have been traced.")
        self._python_function = decorator(self._python_function)
        self._signature = Signature(self._python_function, self._signature.specs)
        self._converted = None

    def around(self, call: Callable[..., Any]) -> Function:
        """A function that traces `call(f, args, kwargs)` where this one traces `f(*args, **kwargs)`."""
        other = self.__copy__()
        f = self._traceable()
        other._converted = lambda *args, **kwargs: call(f, args, kwargs)
        return other

    def __get__(self, instance: Any, owner: Any = None) -> Any:
        if instance is None:
            return self
        known = self._methods.get(id(instance))
        if known is not None and known[0]() is instance:
            return known[1]
        try:
            weak = weakref.ref(instance, functools.partial(_forget, self._methods, id(instance)))
        except TypeError:  # nobody is told when it goes, so nothing can be kept for it
            return Function(functools.partial(self._python_function, instance), **self._options)

        def method(*args: Any, **kwargs: Any) -> Any:
            return self._python_function(weak(), *args, **kwargs)

        functools.update_wrapper(method, self._python_function)
        method.__signature__ = _without_self(self._signature.signature)  # type: ignore[attr-defined]
        method.__malt_target__ = (self._python_function, weak)  # type: ignore[attr-defined]
        bound = Function(method, **self._options)
        with self._lock:
            known = self._methods.get(id(instance))
            if known is None or known[0]() is not instance:  # else another thread made it just now
                known = self._methods[id(instance)] = weak, bound
        return known[1]

    def __copy__(self) -> Function:
        return Function(self._python_function, self.__name__, **self._options)

    def __deepcopy__(self, memo: dict[int, Any]) -> Function:
        return self.__copy__()

    def __reduce__(self) -> Any:
        return _unpickled, (self._python_function, self.__name__, self._options)

    def _clone(self, python_function: Callable[..., Any] | None) -> Function:
        """The same around another Python function; libraries derive functions so."""
        return Function(python_function or self._python_function, **self._options)

    # -- calling ------------------------------------------------------------------------------------------------------

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if _eagerly:
            return self._python_function(*args, **kwargs)
        args, kwargs = self._signature.bind(args, kwargs)
        if not kwargs:
            # The common case: known types, nothing to take apart.
            key: list[Any] = []
            for x in args:
                if type(x) is not EagerTensor:
                    break
                key.append(x.known_spec or x.spec)
            else:
                if context.copy is not None:
                    key.append(context.copy)
                concrete = self._concrete[tuple(key)]
                if concrete is not None:
                    self._retracing.called()
                    return concrete.call_flat(args)
        concrete, arguments = self._specialised(args, kwargs)
        return concrete.call_flat(arguments.tensors, arguments.variables)

    def _specialised(
        self, args: tuple[Any, ...], kwargs: dict[str, Any], called: bool = True
    ) -> tuple[ConcreteFunction, Arguments]:
        """The trace that serves bound arguments, made now if there is none; only what is `called` can be traced too often."""
        specs: Arguments | None = None
        if self._signature.specs is not None:
            args, specs_of_args = self._signature.cast(args, kwargs)
            specs = Arguments(specs_of_args, kwargs)
        arguments = Arguments(args, kwargs)
        if specs is not None and any(isinstance(part, CompositeSpec) for part in specs.parts):
            arguments.parts = specs.parts  # the declared type says more than those of the components
        with self._lock:
            concrete = self._find(arguments)
            if concrete is None:
                tracings = self._tracings
                concrete = self._trace(arguments, specs)
                if called and self._tracings > tracings:
                    self._retracing.traced(self._python_function)
                    return concrete, arguments
        if called:
            self._retracing.called()
        return concrete, arguments

    def _find(self, arguments: Arguments) -> ConcreteFunction | None:
        key = arguments.key
        concrete = self._concrete[key]
        if concrete is None and context.graph is not None:
            within = self._within.get(context.graph)
            concrete = within.get(key) if within else None
        if concrete is None:
            candidates = [(parts, c) for parts, c in self._open if fits(key, parts)]
            if candidates:
                concrete = min(candidates, key=lambda found: openness(found[0]))[1]
                self._keep(arguments, concrete)
        if concrete is not None and not concrete.serves(arguments.variables):
            return self._concrete[key, arguments.identities]
        return concrete

    def _keep(self, arguments: Arguments, concrete: ConcreteFunction) -> None:
        """Remember which trace serves such arguments, as long as the objects among them live."""
        key = arguments.key
        if any(isinstance(t, SymbolicTensor) for t, _ in concrete.graph.captured.values()):
            self._within.setdefault(context.graph, {})[key] = concrete
            return
        if key in self._concrete:  # which does not serve these very variables
            self._concrete[key, arguments.identities] = concrete
            return
        self._concrete[key] = concrete
        self._watching = [r for r in self._watching if r() is not None]
        for part in key:
            if isinstance(part, Same) and part.value is not None:
                self._watching.append(weakref.ref(part.value, functools.partial(_forget, self._concrete, key)))

    def _trace(self, arguments: Arguments, declared: Arguments | None = None) -> ConcreteFunction:
        wanted = declared if declared is not None else arguments
        key = typed_key(arguments) if declared is None else wanted.key
        if declared is None and self._options.get("reduce_retracing"):
            for known in self._concrete.everything():
                key = generalised(known, key) or key
        is_open = openness(key) > 0
        if is_open:
            for parts, concrete in self._open:
                if parts == key and concrete.serves(arguments.variables):
                    self._keep(arguments, concrete)
                    return concrete
        leaves, parameters = self._signature.named(wanted)
        if key != wanted.key:
            leaves = [_generalised_spec(leaf, part) for leaf, part in zip(leaves, key, strict=False)]
        examples = None if any(type(t) is not EagerTensor for t in arguments.tensors) else arguments.tensors
        first = self._tracings == 0
        named = wanted, leaves, parameters
        concrete = self._trace_once(named, examples, first, may_create=first)
        if concrete.graph.created:
            # The variables exist now: the function must get along without making them again.
            concrete = self._trace_once(named, examples, first, may_create=False)
        self._keep(arguments, concrete)
        if is_open:
            self._open.append((key, concrete))
        return concrete

    def _trace_once(
        self, named: tuple[Arguments, list[Any], list[str]], examples: Any, first: bool, may_create: bool
    ) -> ConcreteFunction:
        trace = self._traceable()

        def python_function(*args: Any, **kwargs: Any) -> Any:
            context.graph.jit_compile = bool(self._jit_compile)
            context.graph.may_create, context.graph.traced_before = may_create, not first
            context.graph.attributes = self._options.get("experimental_attributes") or {}
            return trace(*args, **kwargs)

        earlier = len(self._concrete)
        concrete = ConcreteFunction(
            self._signature, python_function, *named, examples, earlier, bool(self._jit_compile)
        )
        concrete.graph.implements = implements(self._options.get("experimental_attributes", {}))
        self._tracings += 1
        return concrete

    def _traceable(self) -> Callable[..., Any]:
        """The Python function, with its control flow on tensors converted if asked for."""
        if self._converted is None:
            self._converted = self._python_function
            if self._options.get("autograph", True):
                self._converted = convert_control_flow(
                    self._python_function, self._options.get("experimental_autograph_options")
                )
        return self._converted

    # -- introspection ------------------------------------------------------------------------------------------------

    def get_concrete_function(self, *args: Any, **kwargs: Any) -> ConcreteFunction:
        """The trace for arguments like these; `tf.TensorSpec`s may stand for tensors.

        Raises:
          TypeError: if there is an `input_signature` and the arguments do not fit it.
        """
        if self._signature.specs is not None and not args and not kwargs:
            args = self._signature.specs
        args, kwargs = self._signature.bind(args, kwargs)
        return self._specialised(args, kwargs, called=False)[0]

    @property
    def traces(self) -> list[ConcreteFunction]:
        """The traces made so far, each once: what is saved of the function."""
        return list(dict.fromkeys(self._concrete.everything().values()))

    def _list_all_concrete_functions(self) -> list[ConcreteFunction]:
        """The traces, under the name by which libraries ask for them; one is made where there is just one that can be."""
        if self._signature.specs is not None:
            self.get_concrete_function()
        return self.traces

    _list_all_concrete_functions_for_serialization = _list_all_concrete_functions

    def _trackable_children(self, save_type: str = "checkpoint", **kwargs: Any) -> dict[str, Any]:
        if save_type == "checkpoint":
            return {}
        return {f"trace_{i}": concrete for i, concrete in enumerate(self._list_all_concrete_functions())}

    def pretty_printed_concrete_signatures(self, verbose: bool = True) -> str:
        """The signatures traced so far."""
        return "\n\n".join(c.pretty_printed_signature(verbose) for c in self.traces)

    def experimental_get_compiler_ir(self, *args: Any, **kwargs: Any) -> Callable[..., str]:
        """A function `(stage='hlo') -> str` that shows the program for these arguments.

        Raises:
          ValueError: if the function is not to be compiled as a whole.
        """
        if not self._jit_compile:
            raise ValueError("Compiler IR can only be returned for functions marked with 'jit_compile=True'")
        args, kwargs = self._signature.bind(args, kwargs)
        concrete, arguments = self._specialised(args, kwargs)

        def ir(stage: str = "hlo", **unused: Any) -> str:
            inputs = [t.array for t in (*arguments.tensors, *concrete.captured_inputs)]
            lowered = jax.jit(concrete.lifted.run).lower(*inputs)
            if stage.startswith("optimized"):
                return str(lowered.compile().as_text())
            return str(lowered.as_text("hlo" if stage.startswith("hlo") else None))

        return ir

    def __repr__(self) -> str:
        return f"<tfgrad_jax.engine.function.function.Function {self.__name__!r}>"


def _unpickled(python_function: Callable[..., Any], name: str, options: dict[str, Any]) -> Function:
    return Function(python_function, name, **options)


def _forget(known: dict[Any, Any], key: Any, reference: Any) -> None:
    known.pop(key, None)


def _without_self(signature: inspect.Signature | None) -> inspect.Signature | None:
    return signature and signature.replace(parameters=list(signature.parameters.values())[1:])


def _generalised_spec(leaf: Any, part: Any) -> Any:
    return (
        TensorSpec(part.shape, part.dtype, leaf.name) if isinstance(leaf, TensorSpec) and type(part) is Spec else leaf
    )


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
      jit_compile, experimental_compile: every graph is compiled by XLA; True says that values are not checked while it runs
        (indices, divisors, matrices), as in TensorFlow.
      reduce_retracing, experimental_relax_shapes: whether a second trace that differs in sizes alone leaves them open.
      experimental_autograph_options: a `tf.autograph.experimental.Feature`, or several, for the conversion.
      experimental_attributes: what the function implements, see `ConcreteFunction.add_to_graph`; others are accepted.
      experimental_implements, experimental_follow_type_hints: accepted for compatibility.

    Returns:
      A callable with the attributes of TensorFlow's: `get_concrete_function`, `python_function`, ...

    Raises:
      TypeError: if `func` cannot be called; if `input_signature` is no list of specs, or leaves out a parameter that has no
        default.
    """
    options = {
        "input_signature": input_signature,
        "autograph": autograph,
        "jit_compile": experimental_compile if jit_compile is None else jit_compile,
        "reduce_retracing": reduce_retracing or bool(experimental_relax_shapes),
        "experimental_autograph_options": experimental_autograph_options,
        "experimental_attributes": experimental_attributes or {},
    }

    def decorate(f: Callable[..., Any]) -> Function:
        if not callable(f):
            raise TypeError(f"tf.function: {f!r} is not a callable object")
        return Function(f, **options)

    return decorate if func is None else decorate(func)
