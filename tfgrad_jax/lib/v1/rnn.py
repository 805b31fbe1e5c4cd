"""Recurrent networks of version 1: a cell is called once for each step of a sequence."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from tfgrad_jax.composite.tensor_array import TensorArray
from tfgrad_jax.engine.names.export import export
from tfgrad_jax.engine.run.eager import executing_eagerly
from tfgrad_jax.engine.values import dtypes, nest
from tfgrad_jax.engine.values.convert import convert
from tfgrad_jax.engine.values.shapes import TensorShape
from tfgrad_jax.engine.values.tensor import Tensor
from tfgrad_jax.lib.v1.variable_scope import variable_scope
from tfgrad_jax.ops.array.array import concat
from tfgrad_jax.ops.array.creation import zeros, zeros_like
from tfgrad_jax.ops.array.gather import where
from tfgrad_jax.ops.array.rearrange import reverse_sequence
from tfgrad_jax.ops.array.shape import reshape, transpose
from tfgrad_jax.ops.common import sizes_of
from tfgrad_jax.ops.control.control_flow import while_loop
from tfgrad_jax.ops.math.cast import cast
from tfgrad_jax.ops.math.compare import logical_not, logical_or
from tfgrad_jax.ops.math.reduce import reduce_all


def _check(name: str, cell: Any) -> None:
    missing = [
        text
        for found, text in (
            (hasattr(cell, "output_size"), "'output_size' property is missing"),
            (hasattr(cell, "state_size"), "'state_size' property is missing"),
            (
                hasattr(cell, "zero_state") or hasattr(cell, "get_initial_state"),
                "either 'zero_state' or 'get_initial_state' method is required",
            ),
            (callable(cell), "is not callable"),
        )
        if not found
    ]  # fmt: skip
    if missing:
        raise TypeError(f"The argument {name!r} ({cell}) is not an RNNCell: {', '.join(missing)}.")


def _beginning(cell: Any, state: Any, batch: Any, dtype: Any) -> Any:
    """The state before the first step."""
    if state is not None:
        return state
    if not dtype:
        raise ValueError("If no initial_state is provided, argument `dtype` must be specified")
    if hasattr(cell, "get_initial_state"):
        return cell.get_initial_state(inputs=None, batch_size=batch, dtype=dtype)
    return cell.zero_state(batch, dtype)


def _kept(finished: Any, new: Any, old: Any) -> Any:
    """The new values, and the old ones of rows that have ended."""

    def one(fresh: Any, before: Any) -> Any:
        fresh = convert(fresh)
        if fresh.shape.rank == 0:
            return fresh
        rows = reshape(finished, [-1, *[1] * (fresh.shape.rank - 1)])
        chosen = where(rows, before, fresh)
        chosen.set_shape(fresh.shape)
        return chosen

    return nest.map_structure(one, new, old)


def _emptied(finished: Any, made: Any) -> Any:
    return _kept(finished, made, nest.map_structure(zeros_like, made))


def _turned(tensor: Any) -> Tensor:
    """A tensor with its first two dimensions exchanged."""
    tensor = convert(tensor)
    return transpose(tensor, [1, 0, *range(2, tensor.shape.rank)])


def _batch_of(tensor: Tensor, axis: int) -> Any:
    known = tensor.shape[axis]
    return sizes_of(tensor)[axis] if known is None else known


@export("compat.v1.nn.dynamic_rnn")
def dynamic_rnn(
    cell: Any, inputs: Any, sequence_length: Any = None, initial_state: Any = None, dtype: Any = None,
    parallel_iterations: Any = None, swap_memory: bool = False, time_major: bool = False, scope: Any = None,
) -> tuple[Any, Any]:  # fmt: skip
    """What a cell gives for each step, by a loop. Mirrors `tf.compat.v1.nn.dynamic_rnn`.

    Args:
      cell: takes an input and a state, and gives an output and the next state.
      inputs: a tensor `[batch, time, ...]`, or a nest of such.
      sequence_length: how many steps each row has; afterwards outputs are zero, and the state stays.
      initial_state: the state at the beginning; the cell's zero state where None.
      dtype: of that.
      parallel_iterations, swap_memory: accepted for compatibility.
      time_major: whether inputs and outputs are `[time, batch, ...]`.
      scope: of the variables; "rnn" where None.

    Returns:
      The outputs and the state at the end.

    Raises:
      TypeError: if `cell` is none.
      ValueError: if there is neither a state nor a dtype.
    """
    _check("cell", cell)
    with variable_scope(scope or "rnn"):
        rows = nest.map_structure(convert if time_major else _turned, inputs)
        flat = nest.flatten(rows)
        steps, batch = sizes_of(flat[0])[0], _batch_of(flat[0], 1)
        state = nest.map_structure(convert, _beginning(cell, initial_state, batch, dtype))
        lengths = None if sequence_length is None else cast(convert(sequence_length), dtypes.int32)
        kinds = [nest.flatten(state)[0].dtype if dtype is None else dtype] * len(nest.flatten(cell.output_size))
        arrays = tuple([TensorArray(kind, size=steps) for kind in kinds])
        given = [TensorArray(tensor.dtype, size=steps).unstack(tensor) for tensor in flat]
        shapes = [tensor.shape[1:] for tensor in flat]

        def step(time: Any, made: Any, before: Any) -> Any:
            now = [array.read(time) for array in given]
            for tensor, shape in zip(now, shapes, strict=True):
                tensor.set_shape(shape)
            output, after = cell(nest.pack_sequence_as(rows, now), before)
            nest.assert_same_structure(before, after)
            after = nest.pack_sequence_as(before, nest.flatten(after))
            if lengths is not None:
                ended = time >= lengths
                output, after = _emptied(ended, output), _kept(ended, after, before)
            made = tuple([array.write(time, one) for array, one in zip(made, nest.flatten(output), strict=True)])
            return time + 1, made, after

        _, arrays, final = while_loop(lambda time, made, before: time < steps, step, (convert(0), arrays, state))
        found = []
        for array, size in zip(arrays, nest.flatten(cell.output_size), strict=True):
            tensor = array.stack()
            known = flat[0].shape[:2].concatenate(TensorShape(size if not isinstance(size, int) else [size]))
            tensor.set_shape(known)
            found.append(tensor if time_major else _turned(tensor))
        return nest.pack_sequence_as(cell.output_size, found), final


@export("compat.v1.nn.static_rnn")
def static_rnn(
    cell: Any, inputs: Any, initial_state: Any = None, dtype: Any = None, sequence_length: Any = None, scope: Any = None
) -> tuple[list[Any], Any]:
    """What a cell gives for each of a list of inputs. Mirrors `tf.compat.v1.nn.static_rnn`; see `dynamic_rnn`.

    Raises:
      TypeError: if `cell` is none, or `inputs` no list.
      ValueError: if that is empty, or there is neither a state nor a dtype.
    """
    _check("cell", cell)
    if not isinstance(inputs, (list, tuple)):
        raise TypeError("inputs must be a sequence")
    if not inputs:
        raise ValueError("inputs must not be empty")
    outputs: list[Any] = []
    with variable_scope(scope or "rnn") as opened:
        state = _beginning(cell, initial_state, _batch_of(convert(nest.flatten(inputs[0])[0]), 0), dtype)
        lengths = None if sequence_length is None else cast(convert(sequence_length), dtypes.int32)
        for time, given in enumerate(inputs):
            if time and not executing_eagerly():
                opened.reuse_variables()
            output, after = cell(given, state)
            if lengths is not None:
                ended = convert(time) >= lengths
                output = _emptied(ended, output)
                after = _kept(ended, after, nest.map_structure(convert, state))
            outputs.append(output)
            state = after
    return outputs, state


def _backwards(tensor: Any, lengths: Any, time_axis: int) -> Tensor:
    """A tensor whose steps come in the other order, of each row those that it has."""
    tensor = convert(tensor)
    if lengths is None:
        lengths = zeros([_batch_of(tensor, 1 - time_axis)], dtypes.int32) + sizes_of(tensor)[time_axis]
    return reverse_sequence(tensor, lengths, seq_axis=time_axis, batch_axis=1 - time_axis)


@export("compat.v1.nn.bidirectional_dynamic_rnn")
def bidirectional_dynamic_rnn(
    cell_fw: Any, cell_bw: Any, inputs: Any, sequence_length: Any = None, initial_state_fw: Any = None,
    initial_state_bw: Any = None, dtype: Any = None, parallel_iterations: Any = None, swap_memory: bool = False,
    time_major: bool = False, scope: Any = None,
) -> tuple[Any, Any]:  # fmt: skip
    """`dynamic_rnn` forwards by one cell and backwards by another. Mirrors `tf.compat.v1.nn.bidirectional_dynamic_rnn`.

    Returns:
      The outputs of both, and the states of both.
    """
    _check("cell_fw", cell_fw)
    _check("cell_bw", cell_bw)
    axis = 0 if time_major else 1
    with variable_scope(scope or "bidirectional_rnn"):
        with variable_scope("fw") as opened:
            ahead, state_ahead = dynamic_rnn(
                cell_fw, inputs, sequence_length, initial_state_fw, dtype, time_major=time_major, scope=opened
            )
        with variable_scope("bw") as opened:
            turned = nest.map_structure(lambda tensor: _backwards(tensor, sequence_length, axis), inputs)
            back, state_back = dynamic_rnn(
                cell_bw, turned, sequence_length, initial_state_bw, dtype, time_major=time_major, scope=opened
            )
        back = nest.map_structure(lambda tensor: _backwards(tensor, sequence_length, axis), back)
    return (ahead, back), (state_ahead, state_back)


@export("compat.v1.nn.static_bidirectional_rnn")
def static_bidirectional_rnn(
    cell_fw: Any, cell_bw: Any, inputs: Any, initial_state_fw: Any = None, initial_state_bw: Any = None, dtype: Any = None,
    sequence_length: Any = None, scope: Any = None,
) -> tuple[list[Any], Any, Any]:  # fmt: skip
    """`static_rnn` forwards by one cell and backwards by another. Mirrors `tf.compat.v1.nn.static_bidirectional_rnn`.

    Returns:
      The outputs of both side by side, and the two states.
    """
    _check("cell_fw", cell_fw)
    _check("cell_bw", cell_bw)
    with variable_scope(scope or "bidirectional_rnn"):
        with variable_scope("fw") as opened:
            ahead, state_ahead = static_rnn(cell_fw, inputs, initial_state_fw, dtype, sequence_length, opened)
        with variable_scope("bw") as opened:
            turned = _listed_backwards(inputs, sequence_length)
            back, state_back = static_rnn(cell_bw, turned, initial_state_bw, dtype, sequence_length, opened)
    back = _listed_backwards(back, sequence_length)
    outputs = [nest.map_structure(lambda a, b: concat([a, b], 1), one, other) for one, other in zip(ahead, back)]
    return outputs, state_ahead, state_back


def _listed_backwards(steps: Sequence[Any], lengths: Any) -> list[Any]:
    if lengths is None:
        return list(reversed(steps))
    from_arrays: Any = [_stacked(column) for column in zip(*map(nest.flatten, steps))]
    turned: Any = [_backwards(tensor, lengths, 0) for tensor in from_arrays]
    return [nest.pack_sequence_as(steps[0], [tensor[i] for tensor in turned]) for i in range(len(steps))]


def _stacked(tensors: Sequence[Any]) -> Any:
    return concat([reshape(convert(one), [1, *sizes_of(convert(one))]) for one in tensors], 0)


@export("compat.v1.nn.raw_rnn")
def raw_rnn(
    cell: Any,
    loop_fn: Callable[..., Any],
    parallel_iterations: Any = None,
    swap_memory: bool = False,
    scope: Any = None,
) -> tuple[Any, Any, Any]:
    """A cell in a loop of which a function says what it takes and when it ends. Mirrors `tf.compat.v1.nn.raw_rnn`.

    Args:
      cell: takes an input and a state, and gives an output and the next state.
      loop_fn: a function of time, output, state and a state of its own, which says: which rows have ended, the next input, the next
        state, what is kept, and its next state. The first time all but the time is None.
      parallel_iterations, swap_memory: accepted for compatibility.
      scope: of the variables; "rnn" where None.

    Returns:
      A `tf.TensorArray` of what was kept, the state at the end, and that of `loop_fn`.

    Raises:
      TypeError: if `cell` is none, or `loop_fn` no function.
    """
    _check("cell", cell)
    if not callable(loop_fn):
        raise TypeError("loop_fn must be a callable")
    with variable_scope(scope or "rnn"):
        ended, given, state, kept, own = loop_fn(convert(0), None, None, None)
        batch = _batch_of(convert(nest.flatten(given)[0]), 0)
        given, state = nest.map_structure(convert, given), nest.map_structure(convert, state)
        with_own = own is not None
        first = nest.flatten(state)[0].dtype
        if kept is None:
            kinds, structure = [first] * len(nest.flatten(cell.output_size)), cell.output_size
            empty = [zeros([batch, size], first) for size in nest.flatten(cell.output_size)]
        else:
            kept = nest.map_structure(convert, kept)
            kinds, structure = [one.dtype for one in nest.flatten(kept)], kept
            empty = [zeros([batch, *one.shape.as_list()], one.dtype) for one in nest.flatten(kept)]
        arrays = tuple([TensorArray(kind, size=0, dynamic_size=True) for kind in kinds])

        def step(time: Any, ended: Any, given: Any, made: Any, state: Any, own: Any) -> Any:
            output, after = cell(given, state)
            now, taken, after, emitted, own_after = loop_fn(time + 1, output, after, own if with_own else None)
            after = nest.pack_sequence_as(state, nest.flatten(after))
            emitted = [
                _kept(ended, one, nothing)
                for one, nothing in zip(nest.flatten(output if emitted is None else emitted), empty, strict=True)
            ]
            after = _kept(ended, after, state)
            made = tuple([array.write(time, one) for array, one in zip(made, emitted, strict=True)])
            own_after = own if own_after is None else own_after
            taken = nest.pack_sequence_as(given, nest.flatten(taken))
            return time + 1, logical_or(ended, now), taken, made, after, own_after

        _, _, _, arrays, final, own = while_loop(
            lambda time, ended, *rest: logical_not(reduce_all(ended)), step,
            (convert(0), convert(ended), given, arrays, state, convert(0) if own is None else own),
        )  # fmt: skip
        return nest.pack_sequence_as(structure, list(arrays)), final, own if with_own else None
