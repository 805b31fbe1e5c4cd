"""`tensorflow.python.framework` and `.ops`: types and graph questions that TensorFlow Probability and Sonnet ask."""

from __future__ import annotations

import contextlib
import functools
import itertools
import re
from typing import Any

import jax
import numpy as np

from tfgrad_jax.engine.function.objects import VariableSpec
from tfgrad_jax.engine.graph.graph import Graph
from tfgrad_jax.engine.kernels.kernel import Kernel
from tfgrad_jax.engine.names import scopes
from tfgrad_jax.engine.names.export import export, export_value
from tfgrad_jax.engine.run.eager import executing_eagerly
from tfgrad_jax.engine.run.execute import execute
from tfgrad_jax.engine.state.variable import Variable
from tfgrad_jax.engine.tape.custom_gradient import custom_gradient
from tfgrad_jax.engine.tape.tape import GradientTape
from tfgrad_jax.engine.threads.context import context
from tfgrad_jax.engine.values import dtypes
from tfgrad_jax.engine.values.composite import Composite, CompositeSpec
from tfgrad_jax.engine.values.convert import convert, get_static_value
from tfgrad_jax.engine.values.dtypes import DType, as_dtype
from tfgrad_jax.engine.values.shapes import TensorShape, as_shape
from tfgrad_jax.engine.values.symbolic import NeedsValue, static_sizes
from tfgrad_jax.engine.values.tensor import Spec, Tensor
from tfgrad_jax.lib.devices.devices import list_physical_devices
from tfgrad_jax.ops.array.creation import convert_to_tensor, identity
from tfgrad_jax.ops.array.sequences import range as range_of
from tfgrad_jax.ops.control.functional import vectorized_map
from tfgrad_jax.ops.linalg.linalg import diag_part
from tfgrad_jax.ops.nn.conv import convolution

_F, _O = "python.framework.", "python.ops."

export_value(CompositeSpec, _F + "type_spec.BatchableTypeSpec")
export_value(as_shape, _F + "tensor_shape.as_shape")
export_value(VariableSpec, _O + "resource_variable_ops.VariableSpec")
export_value(Tensor, _F + "ops.Tensor")
_uids = itertools.count(1)
export_value(_uids.__next__, _F + "ops.uid")
export_value(contextlib.nullcontext, _F + "ops.colocate_with")
export_value(0, "python.eager.context.SYNC")
export_value(1, "python.eager.context.ASYNC")


@export(_F + "ops.numpy_text")
def numpy_text(tensor: Any, is_repr: bool = False) -> str:
    """The value of a tensor as variables print it: arrays of several rows begin on a line of their own. Larq calls it."""
    value = tensor.numpy()
    if is_repr:
        value = value.item() if isinstance(value, np.generic) else value
    text = repr(value) if is_repr or isinstance(value, bytes) else str(value)
    return f"\n{text}" if "\n" in text else text


@export(_F + "ops.internal_convert_to_tensor", _F + "ops.convert_to_tensor")
def internal_convert_to_tensor(
    value: Any,
    dtype: Any = None,
    name: str | None = None,
    as_ref: bool = False,
    preferred_dtype: Any = None,
    dtype_hint: Any = None,
    **_: Any,
) -> Any:
    """A value as a tensor; `preferred_dtype` is the hint of TensorFlow 1, and what else it takes here does not matter."""
    return convert_to_tensor(value, dtype, preferred_dtype or dtype_hint, name)


@export(_F + "ops.convert_n_to_tensor")
def convert_n_to_tensor(values: Any, dtype: Any = None, name: str | None = None, **_: Any) -> list[Any]:
    """Each of some values as a tensor."""
    return [internal_convert_to_tensor(value, dtype) for value in values]


@export(_O + "tensor_getitem_override._slice_helper")
def slice_helper(tensor: Any, slice_spec: Any, var: Any = None) -> Any:
    """`tensor[slice_spec]`; of a variable that is given with its value, a part that can be assigned."""
    whole: Any = var if isinstance(var, Variable) else tensor
    return whole[slice_spec]


@export(_O + "tensor_getitem_override._slice_helper_var")
def slice_helper_var(var: Any, slice_spec: Any) -> Any:
    """`var[slice_spec]`, for classes that act as variables: of their value."""
    return slice_helper(var.value(), slice_spec, var)


@export(_F + "ops.strip_name_scope")
def strip_name_scope(name: str, export_scope: str | None) -> str:
    """A name of a node without the scope that it stands in; `^name` and `loc:@name` keep what comes before."""
    if not export_scope:
        return name
    return re.sub(rf"^(\^|loc:@|)({re.escape(export_scope.rstrip('/'))}[/]+)(.*)", r"\1\3", name)


@export(_F + "ops.name_scope")
def name_scope(name: Any, default_name: Any = None, values: Any = None, skip_on_eager: bool = True) -> Any:
    """A scope of names in a graph, the default one where there is no name; eagerly none, unless that is asked for."""
    if skip_on_eager and executing_eagerly():
        return contextlib.nullcontext()
    return scopes.name_scope((name if name is not None else default_name) or "")


@export("python.eager.context.num_gpus")
def num_gpus() -> int:
    """The number of GPUs."""
    return len(list_physical_devices("GPU"))


@export("python.eager.context.ensure_initialized")
def ensure_initialized() -> None:
    """Nothing: devices are ready."""


@export(_F + "tensor_spec.DenseSpec")
class DenseSpec(CompositeSpec):
    """The type of values that have one shape and one dtype. TensorFlow Probability derives specs from it."""

    @property
    def shape(self) -> Any:
        """The static shape."""
        return self._shape

    @property
    def dtype(self) -> Any:
        """The dtype."""
        return self._dtype

    @property
    def name(self) -> Any:
        """The name, or None."""
        return self._name

    _shape: Any = None
    _dtype: Any = None
    _name: Any = None


@export(_F + "ops.convert_to_tensor_or_composite")
def convert_to_tensor_or_composite(value: Any, dtype: Any = None, name: str | None = None) -> Any:
    """A composite as it is, anything else as a tensor."""
    return value if isinstance(value, Composite) else convert(value, None if dtype is None else as_dtype(dtype))


@export(_F + "tensor_util.constant_value_as_shape")
def constant_value_as_shape(tensor: Any) -> TensorShape:
    """The shape that an integer vector is, with None where its numbers are not known; -1 alone is a shape of unknown rank.

    Raises:
      ValueError: for another number alone.
    """
    known = get_static_value(tensor)
    if tensor.shape.rank == 0:
        if known is None or known != -1:
            raise ValueError(f"Received a scalar with value {known!r} as shape; only -1 describes an unknown shape")
        return TensorShape(None)
    sizes = static_sizes(tensor) if known is None else np.asarray(known).tolist()
    if sizes is None:
        return TensorShape(None if tensor.shape[0] is None else [None] * tensor.shape[0])
    return TensorShape([None if n is None or n < 0 else n for n in sizes])


@export(_F + "tensor_util.try_evaluate_constant")
def try_evaluate_constant(tensor: Any) -> Any:
    """The value of a tensor if the graph knows it, or None."""
    return get_static_value(tensor)


@export(_O + "control_flow_util.GraphOrParentsInXlaContext")
def graph_or_parents_in_xla_context(graph: Graph) -> bool:
    """Whether a graph belongs to a function with `jit_compile=True`, for which libraries choose other ways to the same."""
    return graph is not None and any(g.jit_compile for g in (graph, *graph.enclosing()))


@export("python.eager.tape.should_record_backprop")
def should_record_backprop(tensors: Any) -> bool:
    """Whether an open tape watches one of some tensors or variables, or something that one is the result of."""
    tapes = [tape for tape in context.recorders if isinstance(tape, GradientTape)]
    for tape in tapes:
        tape.settle()
    return any(tape.is_watching(tensor) for tape in tapes for tensor in tensors)


@export(_O + "control_flow_case._case_helper")
def case_helper(
    cond_fn: Any,
    pred_fn_pairs: Any,
    default: Any,
    exclusive: bool,
    name: Any,
    allow_python_preds: bool = False,
    **_: Any,
) -> Any:
    """The first branch whose predicate is true, made of conditionals that the caller provides."""
    pairs = list(pred_fn_pairs.items()) if hasattr(pred_fn_pairs, "items") else list(pred_fn_pairs)
    made = pairs[-1][1] if default is None else default
    for predicate, branch in reversed(pairs[:-1] if default is None else pairs):
        made = (lambda p, t, f: lambda: cond_fn(p, t, f))(predicate, branch, made)
    return made()


@export(_O + "array_ops.prevent_gradient")
def prevent_gradient(input: Any, message: str = "", name: str | None = None) -> Any:
    """The same tensor, of which nobody may ask a gradient."""

    @custom_gradient
    def same(x: Any) -> Any:
        def refuse(*_: Any) -> Any:
            raise LookupError(f"Gradient explicitly disabled. Reason: {message}")

        return identity(x), refuse

    return same(convert(input))


@export(_O + "parallel_for.control_flow_ops.pfor")
def pfor(
    loop_fn: Any,
    iters: Any,
    fallback_to_while_loop: bool = True,
    parallel_iterations: Any = None,
    warn: bool = False,
) -> Any:
    """`loop_fn(i)` for each number, all at once, stacked.

    Raises:
      ValueError: if one iteration is to run at a time, for which there is `for_loop`.
    """
    if parallel_iterations is not None and parallel_iterations < 2:
        raise ValueError(
            f"Argument `parallel_iterations` must be None or > 1, got {parallel_iterations}. Use `for_loop`."
        )
    return vectorized_map(loop_fn, range_of(iters))


@export(_O + "random_ops.parameterized_truncated_normal")
def parameterized_truncated_normal(
    shape: Any,
    means: Any = 0.0,
    stddevs: Any = 1.0,
    minvals: Any = -2.0,
    maxvals: Any = 2.0,
    dtype: Any = dtypes.float32,
    seed: Any = None,
    name: str | None = None,
) -> Any:
    """Not here; TensorFlow Probability looks at its parameters only, and draws with the stateless one.

    Raises:
      NotImplementedError: always.
    """
    raise NotImplementedError("use tf.random.stateless_parameterized_truncated_normal")


@export("raw_ops.MatrixDiagPartV2")
def matrix_diag_part_v2(*, input: Any, k: Any, padding_value: Any, name: str | None = None) -> Any:
    """Diagonals of matrices, each beginning at the left. TensorFlow Probability calls it."""
    return diag_part(input, k=k, padding_value=padding_value, align="LEFT_LEFT")


@export("raw_ops.BroadcastGradientArgs")
def broadcast_gradient_args(*, s0: Any, s1: Any, name: str | None = None) -> Any:
    """The dimensions of two shapes along which broadcasting repeats them. TensorFlow Probability calls it."""
    first, second = convert(s0), convert(s1)
    known = [get_static_value(s) for s in (first, second)]
    if known[0] is not None and known[1] is not None:
        return [convert(r) for r in _repeated(*known)]
    return list(execute(_repeated_dimensions(first.dtype), (first, second)))


def _repeated(a: Any, b: Any) -> tuple[np.ndarray, np.ndarray]:
    if any(isinstance(s, jax.core.Tracer) for s in (a, b)):
        raise NeedsValue(
            "BroadcastGradientArgs: how many dimensions are repeated depends on values, which XLA does not know when it compiles"
        )
    a, b = np.asarray(a), np.asarray(b)
    rank = max(len(a), len(b))
    x, y = (np.concatenate([np.ones(rank - len(s), s.dtype), s]) for s in (a, b))
    both = (x == 1) & (y == 1) & (not np.array_equal(a, b))
    return (
        np.flatnonzero(((x == 1) & (y != 1)) | both).astype(a.dtype),
        np.flatnonzero(((y == 1) & (x != 1)) | both).astype(a.dtype),
    )


@functools.cache
def _repeated_dimensions(dtype: DType) -> Kernel:
    """The dimensions for shapes that are known when a graph runs."""
    kernel = Kernel("BroadcastGradientArgs", _repeated, differentiable=0, reads_values=(0, 1))
    kernel.typed = [Spec.open(dtype, TensorShape([None]))] * 2
    return kernel


@export(_O + "nn_ops.Convolution")
class Convolution:
    """A convolution whose settings are given before its operands. TensorFlow Probability's layers make one."""

    def __init__(
        self,
        input_shape: Any,
        filter_shape: Any,
        padding: Any,
        strides: Any = None,
        dilation_rate: Any = None,
        name: str | None = None,
        data_format: str | None = None,
    ) -> None:
        self._settings = {
            "padding": padding,
            "strides": strides,
            "dilations": dilation_rate,
            "data_format": data_format,
        }

    def __call__(self, inp: Any, filter: Any) -> Any:
        """The convolution."""
        return convolution(inp, filter, **self._settings)
