"""Functions of elements: recorded once, evaluated on arrays."""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

from tfgrad_jax.engine.cache import Cache
from tfgrad_jax.engine.function.function import function as recorded
from tfgrad_jax.engine.graph.graph import NeedsValue, SymbolicTensor
from tfgrad_jax.engine.graph.lifted import Lifted
from tfgrad_jax.engine.graph.segments import needs_host
from tfgrad_jax.engine.hooks import convert_control_flow
from tfgrad_jax.engine.host.patterns import Program
from tfgrad_jax.engine.kernels.kernel import Kernel
from tfgrad_jax.engine.kernels.policy import policy
from tfgrad_jax.engine.messages.errors import OutOfRangeError, invalid_argument
from tfgrad_jax.engine.run import checks
from tfgrad_jax.engine.run.execute import immediate
from tfgrad_jax.engine.state.random_state import RandomState
from tfgrad_jax.engine.threads.accelerator import host_device, on_host
from tfgrad_jax.engine.threads.context import switched
from tfgrad_jax.engine.values.convert import convert
from tfgrad_jax.engine.values.dtypes import DType
from tfgrad_jax.engine.values.tensor import Tensor
from tfgrad_jax.lib.data.draws import Outside, draws
from tfgrad_jax.lib.data.hosted import Hosted
from tfgrad_jax.lib.data.nodes.node import READS_FILES, Element, Run
from tfgrad_jax.lib.data.structure import Structure, arrays_of, taken_apart


class Mapped:
    """A function of the elements of a dataset, as it was recorded.

    Args:
      function: takes an element: a tuple as several arguments, anything else as one.
      structure: of the elements.
      name: of the transformation.
      dtype: what it must give, a tensor or what becomes one; None if it may give any nest.

    Attributes:
      structure: of what the function gives.
      may_run_in_threads: whether it works on the host in part, and changes no state but random ones, which move on whatever the
        elements are.
      reads_files: whether it makes a dataset of what stands in files.
      may_run_out: whether it works on the host in part, where Python functions may end with `StopIteration`.
      captured: the tensors of the graph around it that it uses.
      gives_what_it_takes: whether its results are the components of the element, in their order, and it does nothing else.

    Raises:
      TypeError, ValueError: if it is no function, or gives something else.
    """

    @host_device()
    def __init__(
        self, function: Callable[..., Any], structure: Structure, name: str, dtype: DType | None = None
    ) -> None:
        if not callable(function):
            kind = ValueError if dtype is None else TypeError
            raise kind(f"tf.data.Dataset.{name}: {function!r} is no function")
        converted = convert_control_flow(function, None)
        found: list[Any] = []

        def flat(*tensors: Any) -> Any:
            element = structure.pack(tensors)
            result = converted(*element) if type(element) is tuple else converted(element)
            # What an operation gave, more likely than rows of one tensor.
            result = tuple(result) if isinstance(result, list) else result
            result = result if dtype is None else convert(result, dtype)
            try:
                spec, parts = taken_apart(result)
            except (TypeError, ValueError) as error:
                raise TypeError(
                    f"Unsupported return value from function passed to {'' if name == 'reduce' else 'Dataset.'}{name}(): "
                    f"{result!r}, which is no nest of tensors: {error}"
                ) from error
            found.append(spec)
            return parts

        self.name = name
        traced = partial(flat)  # not a function: many datasets in a program are no reason to warn of retracing
        traced.__name__ = f"Dataset_{name}_{getattr(function, '__name__', 'function').strip('<>')}"  # type: ignore[attr-defined]
        self._concrete = recorded(traced, autograph=False).get_concrete_function(*structure.flat)
        self.structure = Structure(found[-1])
        lifted = self._concrete.lifted
        lifted.early = False  # most run for few elements, or do little: programs earn to be compiled
        self._whole: _Whole | None = None
        self._hosted: Hosted | None = None
        if all([isinstance(box, RandomState) for box in lifted.boxes]):
            if lifted.stateful or needs_host(lifted):
                self._hosted = Hosted(lifted)
            else:
                checked = lifted.checked and checks.enabled()
                key = name, checked, lifted.pattern
                self._whole = _kernels[key] or _kernels.keep(key, _Whole(name, lifted, checked))
        self.gives_what_it_takes = _gives_what_it_takes(lifted)
        self.may_run_out = self._hosted is not None
        self.reads_files = any(node.kernel.name == READS_FILES for node in lifted.nodes)
        self.may_run_in_threads = self._hosted is not None and self._hosted.states_ahead
        self._structure = structure
        self.captured: Sequence[Tensor] = lifted.captured

    @property
    def recorded(self) -> Lifted:
        """The graph that was recorded."""
        return self._concrete.lifted

    def bound(self, captured: Sequence[Tensor]) -> Mapped:
        """The same function, which uses these tensors instead of those of the graph around."""
        if not any(isinstance(t, SymbolicTensor) for t in self.captured):
            return self
        found = copy.copy(self)
        found.captured = list(captured)
        return found

    def evaluator(self) -> Callable[[Element], Element]:
        """A function of the components of an element, for one iteration."""
        with host_device():
            return on_host(self._evaluator())

    def _evaluator(self) -> Callable[[Element], Element]:
        if self._hosted is not None:
            return self._hosted.evaluation(self._concrete.lifted, self.captured)
        whole = self._whole
        if whole is None:
            return self._one_by_one()
        if whole.by_values:
            return _in_stretches(self._concrete.lifted, self.captured)
        return self._as_one(whole)

    def _as_one(self, whole: _Whole) -> Callable[[Element], Element]:
        """All operations as one kernel."""
        # Nothing here holds this object, which the iteration's table knows as long as a node holds it.
        lifted = self._concrete.lifted
        captured = self.captured
        tiers = whole.kernel.tiers
        way: Any = None  # how it runs for operands of one type, if all have that
        one_type = all([s.shape.is_fully_defined() for s in self._structure.flat])
        checked, failing = whole.checked, whole.checks
        known = None if lifted.read else arrays_of(captured)
        outside = Outside(lifted, captured, whole.ahead)
        in_stretches: Callable[[Element], Element] | None = None

        def call(element: Element) -> Element:
            nonlocal in_stretches, way
            if in_stretches is None:
                operands = (*element, *(outside.next() if known is None else known))
                run = way.chosen() if way is not None else None
                try:
                    if isinstance(run, Program):
                        results = run.shared(*operands)  # nobody writes to elements
                    elif run is not None:
                        results = run(*operands)
                    else:
                        results = tiers(*operands)
                        if one_type and not policy.everything_compiled:
                            way = tiers.way(tuple([(a.shape, a.dtype) for a in operands]))
                    if checked:
                        *results, record = results
                        if failing:
                            failing.raise_from(record)
                except NeedsValue:  # a shape depends on values
                    whole.by_values = True
                    in_stretches = _in_stretches(lifted, captured)
                else:
                    made = tuple(map(np.asarray, results))
                    return made if known is not None else outside.results(made)
            return in_stretches(element)

        return call

    def _one_by_one(self) -> Callable[[Element], Element]:
        """Operation by operation."""
        concrete, captured, tensors = self._concrete, self.captured, self._structure.tensors
        states = {box.id: box.anew() for box in concrete.lifted.boxes if isinstance(box, RandomState)}

        def call(element: Element) -> Element:
            with switched(None, immediate):
                return arrays_of(concrete.call_flat(tensors(element), captured=captured, states=states))

        return call


def _gives_what_it_takes(lifted: Lifted) -> bool:
    origins = {slot: slot for slot in lifted.entering}
    for node in lifted.nodes:
        if node.kernel.name != "Identity":
            return False
        origins[node.outs[0]] = origins.get(node.ins[0], -1)
    return [origins.get(t.slot) for t in lifted.results] == list(lifted.entering)


def _in_stretches(lifted: Lifted, captured: Sequence[Tensor]) -> Callable[[Element], Element]:
    """What evaluates a graph between whose operations shapes depend on values."""
    return Hosted(lifted).evaluation(lifted, captured)


class _Whole:
    """All operations of a function as one kernel, which functions share that are recorded from the same lines of a program.

    Attributes:
      checked: whether a record of checks follows the results; `checks` tells what it says.
      ahead: what is drawn for many elements at once, if something is.
      by_values: whether a shape has been found to depend on values, so that nothing compiles it.
    """

    def __init__(self, name: str, lifted: Lifted, checked: bool) -> None:
        self.checked = checked
        self.checks = checks.Program()
        self.ahead = draws(lifted)
        graph = lifted if self.ahead is None else self.ahead.rest
        run = checks.recording(graph.checked_run, self.checks) if checked else graph.run
        self.kernel = Kernel(name, run, differentiable=0, size=len(graph.nodes))
        self.kernel.from_host, self.kernel.integers = True, graph.integers()
        self.by_values = False


_kernels: Cache[Any, _Whole] = Cache(256)


def evaluator(run: Run, function: Mapped) -> Callable[[Element], Element]:
    """What evaluates a function in this iteration."""
    found = run.functions.get(function)
    if found is None:
        found = run.functions[function] = function.evaluator()
    return found


def never_ending(call: Callable[..., Any]) -> Callable[..., Any]:
    """A function whose running out of something is an error, and not the end of the elements."""

    def checked(element: Any) -> Any:
        try:
            return call(element)
        except OutOfRangeError as error:
            raise invalid_argument(
                f"Function invocation produced OutOfRangeError: {error.message}", "MapDataset"
            ) from error

    return checked
