"""Sums over replicas that have a device each: devices exchange values, and none holds more than its own and the sum.

Each replica's own program puts what is small into one buffer of each dtype, so that an exchange costs the same however many
variables there are; what is large is a buffer of its own, which nobody need copy.
"""

from __future__ import annotations

import functools
import math
import threading
from collections.abc import Callable, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import NamedSharding, PartitionSpec, SingleDeviceSharding

from tfgrad_jax.engine.cache import Cache
from tfgrad_jax.engine.graph.graph import NeedsValue
from tfgrad_jax.engine.kernels.kernel import Kernel
from tfgrad_jax.engine.run.execute import execute
from tfgrad_jax.engine.threads.context import context
from tfgrad_jax.engine.values.dtypes import DType, bfloat16
from tfgrad_jax.engine.values.tensor import EagerTensor, Spec, Tensor

_LARGE = 1 << 20
"""Values of so many bytes are buffers of their own: to copy them would take longer than to begin another exchange."""

_LITTLE = 1 << 16
"""So many bytes of each replica, wanted in one place, are sent there sooner than devices exchange them."""

_AXIS = "replica"

_one_at_a_time = threading.Lock()
"""Of a CPU's devices: of two exchanges at once each may have some of XLA's threads, and wait for the others for ever."""

_packing: Cache[Any, Kernel] = Cache(256)


def suits(values: Sequence[Any], one_place: bool) -> bool:
    """Whether devices can exchange values, and are to.

    Args:
      values: one value of each replica.
      one_place: whether the sum is wanted in one place.
    """
    first = values[0]
    if context.recorders:  # a tape looks at the sum itself, and would not see how it comes about
        return False
    if not all([isinstance(value, Tensor) and value.spec == first.spec for value in values]):
        return False
    if not first.shape.is_fully_defined() or not _is_number(first.dtype):
        return False
    return not one_place or _bytes(first.spec) > _LITTLE


def summed(
    values: Sequence[Sequence[Tensor]], devices: tuple[Any, ...], at: Callable[[int], Any]
) -> list[list[Tensor]]:
    """The sums of some values of all replicas, each on every device.

    Args:
      values: for each value that of each replica; they suit.
      devices: JAX's device of each replica.
      at: gives a context on the device of a replica.

    Returns:
      For each value the sum as each replica has it.
    """
    if not values:
        return []
    groups = _groups([of_each[0].spec for of_each in values])
    packed = []
    for replica in range(len(devices)):
        with at(replica):
            packed.append([_pack([values[i][replica] for i in group]) for group in groups])
    sums = _exchanged([buffer for buffers in zip(*packed, strict=True) for buffer in buffers], devices)
    found: list[list[Tensor]] = [[] for _ in values]
    for replica in range(len(devices)):
        with at(replica):
            for group, buffer in zip(groups, sums[replica :: len(devices)], strict=True):
                for i, value in zip(group, _unpack(buffer, [values[i][0].spec for i in group]), strict=True):
                    found[i].append(value)
    return found


def _groups(specs: Sequence[Spec]) -> list[list[int]]:
    """Which values share a buffer."""
    groups: dict[Any, list[int]] = {}
    for i, spec in enumerate(specs):
        groups.setdefault(i if _bytes(spec) >= _LARGE else spec.dtype, []).append(i)
    return list(groups.values())


def _is_number(dtype: DType) -> bool:
    return dtype is bfloat16 or (dtype.is_numpy_compatible and np.dtype(dtype.np).kind in "iufc")


def _bytes(spec: Spec) -> int:
    return int(spec.size * spec.dtype.size)


def _pack(values: list[Tensor]) -> Tensor:
    """Values of one dtype, one behind the other."""
    kernel = _packing.get("pack")
    if kernel is None:
        kernel = _packing["pack"] = Kernel(
            "CollectivePack", lambda *arrays: jnp.concatenate([jnp.reshape(a, -1) for a in arrays]), many=True
        )
    packed: Tensor = execute(kernel, tuple(values))
    return packed


def _unpack(buffer: Tensor, specs: list[Spec]) -> list[Tensor]:
    shapes = tuple([spec.shape for spec in specs])
    kernel = _packing.get(shapes)
    if kernel is None:
        ends = np.cumsum([math.prod(shape) for shape in shapes]).tolist()

        def taken(array: Any) -> list[Any]:
            return [
                jnp.reshape(array[end - math.prod(shape) : end], shape) for end, shape in zip(ends, shapes, strict=True)
            ]

        kernel = _packing[shapes] = Kernel("CollectiveUnpack", taken, many=True)
    return list(execute(kernel, (buffer,)))


def _exchanged(buffers: list[Tensor], devices: tuple[Any, ...]) -> list[Tensor]:
    """The sums of buffers, each by its replicas; of each, too, every device has the sum."""
    exchange = _exchange(devices)
    if context.graph is None:
        return exchange(buffers)

    def fn(*arrays: Any) -> Any:
        raise NeedsValue("CollectiveReduceV2: devices exchange values in the middle of the function")

    kernel = Kernel("CollectiveReduceV2", fn, differentiable=0, interpret=exchange)
    kernel.whole, kernel.across, kernel.joins = False, devices, True
    kernel.typed = [buffer.spec for buffer in buffers]
    return list(execute(kernel, tuple(buffers)))


@functools.lru_cache(16)
def _exchange(devices: tuple[Any, ...]) -> Callable[[Sequence[Tensor]], list[Tensor]]:
    """What brings together values that lie on several devices, one after the other, and gives each the sum."""
    count = len(devices)
    mesh = jax.sharding.Mesh(np.array(devices), (_AXIS,))
    sharding = NamedSharding(mesh, PartitionSpec(_AXIS))
    places = [SingleDeviceSharding(device) for device in devices]
    spec = PartitionSpec(_AXIS)
    program = jax.jit(
        jax.shard_map(lambda *arrays: jax.lax.psum(arrays, _AXIS), mesh=mesh, in_specs=spec, out_specs=spec)
    )
    released: Cache[Any, list[Any]] = Cache(64)

    def exchange(buffers: Sequence[Tensor]) -> list[Tensor]:
        arrays = [buffer.array for buffer in buffers]
        there = [
            a if isinstance(a, jax.Array) and a.sharding == places[i % count] else jax.device_put(a, devices[i % count])
            for i, a in enumerate(arrays)
        ]
        whole = [
            jax.make_array_from_single_device_arrays((count * there[i].size,), sharding, there[i : i + count])
            for i in range(0, len(there), count)
        ]
        if devices[0].platform == "cpu":
            with _one_at_a_time:
                sums = jax.block_until_ready(program(*whole))
        else:
            sums = program(*whole)
        types = tuple([(total.dtype, total.size // count) for total in sums])
        programs = released.get(types)
        if programs is None:
            programs = released[types] = [_releasing(device, types) for device in devices]
        parts = [[total.addressable_data(replica) for total in sums] for replica in range(count)]
        parts = [release(*part) for release, part in zip(programs, parts, strict=True)]
        return [EagerTensor(array) for of_one in zip(*parts, strict=True) for array in of_one]

    return exchange


def _releasing(device: Any, types: tuple[tuple[Any, int], ...]) -> Any:
    """A program that gives its operands back, in their own memory, as what a device holds and is not bound to.

    JAX binds what it takes from an array that is spread, so that it could not meet values of another device in an operation.
    """
    with jax.default_device(device):
        identity = jax.jit(lambda *arrays: arrays, donate_argnums=tuple(range(len(types))))
        return identity.lower(*[jax.ShapeDtypeStruct((size,), dtype) for dtype, size in types]).compile()
