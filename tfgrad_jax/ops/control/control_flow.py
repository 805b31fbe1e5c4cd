"""Choosing and repeating: `cond`, `case`, `switch_case`, `while_loop`; grouping and ordering.

Eagerly they are Python's own `if` and `while`. In a graph each is one operation, see `engine/control`.
"""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from tfgrad_jax.engine.composite.indexed_slices import IndexedSlices
from tfgrad_jax.engine.control.body import Body, leaves
from tfgrad_jax.engine.control.loop import loop
from tfgrad_jax.engine.control.switch import switch
from tfgrad_jax.engine.graph.graph import Operation, SymbolicTensor
from tfgrad_jax.engine.graph.samples import sure_value
from tfgrad_jax.engine.graph.waiting import nothing_to_wait_for, waiting_for
from tfgrad_jax.engine.messages.errors import invalid_argument
from tfgrad_jax.engine.names.export import export
from tfgrad_jax.engine.run.eager import executing_eagerly
from tfgrad_jax.engine.run.execute import identity
from tfgrad_jax.engine.state.variable import Variable
from tfgrad_jax.engine.threads.context import context
from tfgrad_jax.engine.values import dtypes, nest
from tfgrad_jax.engine.values.composite import Traveller, is_composite
from tfgrad_jax.engine.values.convert import convert, get_static_value
from tfgrad_jax.engine.values.tensor import Tensor
from tfgrad_jax.ops.control.invariants import invariants_of, open_parts
from tfgrad_jax.ops.host import debugging
from tfgrad_jax.ops.math.cast import cast


def _scalar_predicate(pred: Any, name: str) -> Tensor:
    tensor = pred.as_operand() if isinstance(pred, Variable) else convert(pred)
    if not tensor.dtype.is_bool:
        raise invalid_argument(
            f"{name}: the predicate must be a tf.bool scalar, got {tensor!r}; compare it, or tf.cast it", name
        )
    known = tensor.shape.is_fully_defined()  # of unknown rank it is looked at when it runs
    if known and tensor.spec.size != 1:
        raise invalid_argument(f"{name}: the predicate must be a scalar, got one of shape {tensor.shape}", name)
    return tensor


@export("cond")
def cond(
    pred: Any, true_fn: Callable[[], Any] | None = None, false_fn: Callable[[], Any] | None = None, name: Any = None
) -> Any:
    """`true_fn()` if `pred`, else `false_fn()`. Mirrors `tf.cond`.

    Args:
      pred: a boolean scalar tensor; eagerly, anything with a truth value.
      true_fn, false_fn: callables without arguments. In a graph both are recorded, and must return the same structure, of the
        same dtypes.
      name: accepted for compatibility.

    Returns:
      What the chosen callable returns.

    Raises:
      TypeError: if an argument is not callable; in a graph, if `pred` is a Python bool or the results differ in dtype.
      ValueError: in a graph, if only one of the results is None.
    """
    if not callable(true_fn):
        raise TypeError(f"tf.cond: 'true_fn' must be callable, got {true_fn!r}")
    if not callable(false_fn):
        raise TypeError(f"tf.cond: 'false_fn' must be callable, got {false_fn!r}")
    if executing_eagerly():
        return true_fn() if (pred if isinstance(pred, bool) else convert(pred)) else false_fn()
    if isinstance(pred, bool):
        raise TypeError(f"tf.cond: pred must not be a Python bool in a graph, got {pred}; use Python's own `if`")
    return _chosen(_scalar_predicate(pred, "If"), [true_fn, false_fn], "If")


@export("__internal__.smart_cond.smart_cond", "python.layers.utils.smart_cond")
def smart_cond(pred: Any, true_fn: Callable[[], Any], false_fn: Callable[[], Any], name: Any = None) -> Any:
    """`tf.cond`, decided at once where the value of `pred`, a number too, is known, as of what static sizes alone tell."""
    if isinstance(pred, (bool, int, np.bool_)):
        return true_fn() if pred else false_fn()
    known = None
    if isinstance(pred, Tensor) and not executing_eagerly() and pred.spec.shape == ():
        known = get_static_value(pred)
        known = sure_value(pred) if known is None else known
    if known is not None:
        return true_fn() if known else false_fn()
    return cond(pred, true_fn, false_fn, name)


def _called(function: Callable[[], Any], index: Tensor, graph: Any) -> Any:
    """The result of a branch. As in TensorFlow, what chooses the branch stands in the place of operations without results."""
    result = function()
    if not any(isinstance(x, Operation) for x in nest.flatten(result)):
        return result
    return nest.map_structure(lambda x: index if isinstance(x, Operation) else x, result)


def _with_wide_places(value: Any) -> Any:
    if not isinstance(value, IndexedSlices):
        return value
    return IndexedSlices(value.values, cast(value.indices, dtypes.int64), value.dense_shape)


def _chosen(index: Tensor, functions: Sequence[Callable[[], Any]], name: str) -> Any:
    bodies = [Body(f"{name}_branch_{i}", functools.partial(_called, f, index)) for i, f in enumerate(functions)]
    places = {v.indices.dtype for b in bodies for v in nest.flatten(b.result) if isinstance(v, IndexedSlices)}
    if len(places) > 1:  # one branch was made of a gradient, another by the program
        for body in bodies:
            body.change(_with_wide_places)
    first, *others = bodies
    for other in others:
        counts = [sum(leaf is not None for leaf in b.flat) for b in (first, other)]
        composite = any(is_composite(value) for b in (first, other) for value in nest.flatten(b.result))
        if counts[0] != counts[1] and not composite:  # of composites the types say more
            # Which of the two classes it is, is TensorFlow's choice.
            raise (ValueError if 0 in counts else AssertionError)(
                f"{name}: the branches must return the same number of values; one returns {counts[0]}, one {counts[1]}"
            )
        try:
            nest.assert_same_structure(first.result, other.result, expand_composites=True)
        except (TypeError, ValueError) as error:
            raise TypeError(
                f"{name}: the branches must return values of the same number, type and overall structure. {error}"
            ) from error
    # Recorded in the order of the arguments; to `switch` a boolean is the number 0 or 1.
    return switch(index, bodies[::-1] if index.dtype.is_bool else bodies, name)


@export("switch_case")
def switch_case(
    branch_index: Any, branch_fns: Any, default: Callable[[], Any] | None = None, name: Any = "switch_case"
) -> Any:
    """`branch_fns[branch_index]()`, or `default()` where there is no such branch. Mirrors `tf.switch_case`.

    Args:
      branch_index: an int32 scalar tensor.
      branch_fns: callables without arguments; or pairs (index, callable), or a dict of such, with indices from 0 on.
      default: for other indices; the last branch if it is not given.
      name: accepted for compatibility.

    Returns:
      What the chosen callable returns; see `tf.cond` for graphs.

    Raises:
      TypeError: if `branch_index` is no integer tensor, or a branch is not callable.
      ValueError: if there is no branch, or the indices have gaps.
    """
    functions = _branches(branch_fns)
    if isinstance(branch_index, Variable):
        branch_index = branch_index.as_operand()
    if not isinstance(branch_index, Tensor):
        raise TypeError(f"tf.switch_case: 'branch_index' must be a Tensor, got {type(branch_index)}")
    if not branch_index.dtype.is_integer:
        raise TypeError(f"tf.switch_case: 'branch_index' must be an integer Tensor, got {branch_index.dtype!r}")
    if default is not None:
        functions.append(default)
    for f in functions:
        if not callable(f):
            raise TypeError(f"tf.switch_case: each branch must be callable, got {f!r}")
    if executing_eagerly():
        k = int(branch_index)
        return functions[k if 0 <= k < len(functions) else -1]()
    if branch_index.dtype is not dtypes.int32:
        raise TypeError(
            f"tf.switch_case: 'branch_index' has dtype {branch_index.dtype.name} where a graph expects int32; tf.cast it"
        )
    return _chosen(branch_index, functions, "Case")


def _branches(branch_fns: Any) -> list[Callable[[], Any]]:
    if isinstance(branch_fns, dict):
        branch_fns = list(branch_fns.items())
    if not isinstance(branch_fns, (list, tuple)):
        raise TypeError(f"tf.switch_case: 'branch_fns' must be a list, tuple, or dict, got {type(branch_fns)}")
    if not branch_fns:
        raise ValueError("tf.switch_case: Must provide at least one item in 'branch_fns'")
    if not isinstance(branch_fns[0], tuple):
        return list(branch_fns)
    pairs: dict[int, Any] = {}
    for index, function in branch_fns:
        if not isinstance(index, int):
            raise TypeError(f"tf.switch_case: key must be a Python int, got {index!r}")
        pairs[index] = function
    if sorted(pairs) != list(range(len(branch_fns))):
        found = ",".join(map(str, sorted(pairs)))
        raise ValueError(
            f"tf.switch_case: branch indices (keys) must form contiguous range of [0 to {len(branch_fns)}) but found {{{found}}}"
        )
    return [pairs[i] for i in range(len(pairs))]


@export("case")
def case(
    pred_fn_pairs: Any,
    default: Callable[[], Any] | None = None,
    exclusive: bool = False,
    strict: bool = False,
    name: Any = "case",
) -> Any:
    """The result of the callable beside the first true predicate. Mirrors `tf.case`.

    Args:
      pred_fn_pairs: pairs (boolean scalar tensor, callable).
      default: called if no predicate is true.
      exclusive: whether more than one true predicate is an error.
      strict, name: accepted for compatibility.

    Returns:
      What the chosen callable returns; see `tf.cond` for graphs.

    Raises:
      TypeError: if a predicate is no boolean tensor, or a function is not callable.
      InvalidArgumentError: if no predicate is true and there is no default, or several are where that is not allowed.
    """
    if isinstance(pred_fn_pairs, dict):
        if executing_eagerly() and not exclusive:
            raise ValueError(
                "tf.case: Unordered dictionaries are not supported for the 'pred_fn_pairs' argument when `exclusive=False`."
            )
        pred_fn_pairs = list(pred_fn_pairs.items())
    if not isinstance(pred_fn_pairs, (list, tuple)):
        raise TypeError(f"tf.case: 'pred_fn_pairs' must be a list, tuple, or dict. Received: {type(pred_fn_pairs)}")
    if not pred_fn_pairs:
        raise ValueError("tf.case: 'pred_fn_pairs' must have at least one pair")
    predicates: list[Tensor] = []
    for pair in pred_fn_pairs:
        if not isinstance(pair, tuple) or len(pair) != 2:
            raise TypeError(f"tf.case: each entry of 'pred_fn_pairs' must be a 2-tuple, got {pair!r}")
        pred, function = pair
        if not isinstance(pred, Tensor):
            raise TypeError(f"tf.case: pred must be a Tensor, got: {pred!r}")
        if not pred.dtype.is_bool:
            raise TypeError(f"tf.case: pred must be Tensor of type bool: {pred!r}")
        if not callable(function):
            raise TypeError(f"tf.case: fn for pred {pred!r} must be callable.")
        predicates.append(pred)
    if default is not None and not callable(default):
        raise TypeError(f"tf.case: default must be callable, got {default!r}")
    if exclusive:
        count = sum(cast(p, dtypes.int32) for p in predicates)
        debugging.Assert(
            count < 2, ["Input error: exclusive=True: more than 1 conditions evaluated as True:", *predicates]
        )
    *front, (last_pred, last_fn) = [(p, f) for p, (_, f) in zip(predicates, pred_fn_pairs, strict=True)]

    def at_the_end() -> Any:
        debugging.Assert(last_pred, ["Input error: None of conditions evaluated as True:", *predicates])
        return last_fn()

    chain: Callable[[], Any] = at_the_end if default is None else lambda: cond(last_pred, last_fn, default)
    for pred, function in reversed(front):
        chain = functools.partial(cond, pred, function, chain)
    return chain()


# -- loops ------------------------------------------------------------------------------------------------------------


@export("while_loop")
def while_loop(
    cond: Callable[..., Any],
    body: Callable[..., Any],
    loop_vars: Any,
    shape_invariants: Any = None,
    parallel_iterations: int = 10,
    back_prop: bool = True,
    swap_memory: bool = False,
    maximum_iterations: Any = None,
    name: Any = None,
) -> Any:
    """Repeat `body` as long as `cond` is true. Mirrors `tf.while_loop`.

    Args:
      cond: takes the loop variables, returns a boolean scalar.
      body: takes the loop variables, returns the next ones in the same structure.
      loop_vars: a list or tuple of (nests of) tensors and `tf.TensorArray`s.
      shape_invariants: in a graph, a shape for each loop variable that leaves open what changes.
      parallel_iterations, back_prop, swap_memory, name: accepted for compatibility.
      maximum_iterations: a bound on the number of iterations.

    Returns:
      The loop variables after the last iteration. Gradients flow through it, in both modes and to any order, also where nobody
      knows the number of iterations before it runs.

    Raises:
      TypeError: if `cond` or `body` is not callable; in a graph, if a variable changes its dtype.
      ValueError: eagerly, if there are no loop variables; if their structure (in a graph: shape) changes.
    """
    if not callable(cond):
        raise TypeError(f"tf.while_loop: 'cond' must be callable, got {cond!r}")
    if not callable(body):
        raise TypeError(f"tf.while_loop: 'body' must be callable, got {body!r}")
    if parallel_iterations < 1:
        raise TypeError("tf.while_loop: 'parallel_iterations' must be a positive integer.")
    if isinstance(loop_vars, SymbolicTensor):
        len(loop_vars)  # raises
    if executing_eagerly():
        if not loop_vars:
            raise ValueError("tf.while_loop: 'loop_vars' must be provided.")
        return _eager_while(cond, body, loop_vars, maximum_iterations)

    def step(k: Tensor, elements: Any, variables: Any) -> Any:
        after = body(*variables)
        if not nest.is_nested(after):
            after = [after]
        nest.assert_same_structure(list(variables), list(after), expand_composites=True)
        return list(after), None

    if any(leaf is None for leaf in leaves(list(loop_vars))):
        raise ValueError("tf.while_loop: None values not supported as loop variables.")
    bound = None
    if maximum_iterations is not None:
        bound = cast(convert(maximum_iterations), dtypes.int32)
    final, _ = loop(
        step,
        list(loop_vars),
        name="While",
        bound=bound,
        condition=lambda k, variables: cond(*variables),
        invariants=invariants_of(loop_vars, shape_invariants),
        relaxes=open_parts(loop_vars),
    )
    return nest.pack_sequence_as(loop_vars, nest.flatten(final))


def _eager_while(cond: Any, body: Any, loop_vars: Any, maximum_iterations: Any) -> Any:
    limit = None if maximum_iterations is None else int(maximum_iterations)
    count = 0
    while (limit is None or count < limit) and cond(*loop_vars):
        after = body(*loop_vars)
        if limit is None:
            nest.assert_same_structure(list(loop_vars), list(after))
        else:  # TensorFlow nests them beside its counter, and finds a missing list there
            nest.assert_same_structure([loop_vars], [after])
        loop_vars = after
        count += 1
    return nest.map_structure(
        lambda v: v if isinstance(v, Traveller) else convert(v), loop_vars, expand_composites=True
    )


# -- order ------------------------------------------------------------------------------------------------------------


@export("control_dependencies")
@contextlib.contextmanager
def control_dependencies(control_inputs: Any) -> Iterator[None]:
    """A context whose operations run after `control_inputs`; in functions those with effects run in the program's order anyway.

    What waits for an element of an iterator that has ended does not run. Mirrors `tf.control_dependencies`.
    """
    if executing_eagerly():
        for control in control_inputs if isinstance(control_inputs, (list, tuple)) else [control_inputs]:
            if callable(control) and not isinstance(control, (Tensor, Variable)):
                control()
        yield
    elif context.graph.on_demand:
        with context.graph.waiting(control_inputs):
            yield
    else:
        with context.graph.control_dependencies(control_inputs):
            yield


@export("no_op")
def no_op(name: Any = None) -> Any:
    """Nothing; in a graph, an operation that does nothing. Mirrors `tf.no_op`."""
    return nothing_to_wait_for(name or "NoOp")


@export("group")
def group(*inputs: Any, **kwargs: Any) -> Any:
    """One operation that stands for several; all of them run anyway. Mirrors `tf.group`.

    Raises:
      ValueError: if a keyword other than `name` is given.
    """
    name = kwargs.pop("name", None)
    if kwargs:
        raise ValueError(f"tf.group: Unknown keyword arguments: {', '.join(kwargs)}")
    for value in nest.flatten(inputs) if context.graph is not None else ():
        if isinstance(value, (int, float, str)):
            raise TypeError(
                f"'inputs' should be zero or more (nested) Tensors. Received {value!r} with type {type(value)}."
            )
    return waiting_for(inputs, name or "group_deps")


@export("tuple")
def tuple_(tensors: Any, control_inputs: Any = None, name: Any = None) -> list[Any]:
    """The same tensors, all of which are computed before any is used. Mirrors `tf.tuple`.

    Raises:
      ValueError: in a graph, if there is no tensor among them.
    """
    if not executing_eagerly() and all(t is None for t in tensors):
        raise ValueError(f"tf.tuple: 'tensors' must have at least one Tensor. Received: {tensors}.")
    if executing_eagerly():
        return list(tensors)
    with control_dependencies([t for t in (*tensors, *(control_inputs or ())) if t is not None]):
        return [None if t is None else identity(convert(t)) for t in tensors]
