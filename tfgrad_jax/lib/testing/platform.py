"""What tests ask about the machine and the build."""

from __future__ import annotations

from typing import Any

import jax

from tfgrad_jax.engine.messages.errors import UnimplementedError
from tfgrad_jax.engine.names.export import export


@export("test.is_built_with_gpu_support")
def is_built_with_gpu_support() -> bool:
    """Whether JAX runs on a GPU. Mirrors `tf.test.is_built_with_gpu_support`."""
    return jax.default_backend() in ("gpu", "cuda", "rocm")


@export("test.is_built_with_rocm")
def is_built_with_rocm() -> bool:
    """Whether JAX runs on ROCm. Mirrors `tf.test.is_built_with_rocm`."""
    return jax.default_backend() == "rocm"


@export("test.is_built_with_xla")
def is_built_with_xla() -> bool:
    """Whether programs are compiled by XLA, which they are. Mirrors `tf.test.is_built_with_xla`."""
    return True


@export("test.is_cpu_target_available")
def is_cpu_target_available(target: str) -> bool:
    """Whether programs can be compiled for a kind of processor. Mirrors `tf.test.is_cpu_target_available`."""
    return target in ("aarch64", "x86_64")


@export("test.experimental.sync_devices")
def sync_devices() -> None:
    """Wait until what devices were given to do is done. Mirrors `tf.test.experimental.sync_devices`."""
    for device in jax.local_devices():
        jax.device_put(0, device).block_until_ready()


@export("test.create_local_cluster")
def create_local_cluster(num_workers: int, num_ps: int, *args: Any, **kwargs: Any) -> Any:
    """Not here: TensorFlow's servers speak its own protocol.

    Raises:
      tf.errors.UnimplementedError: always.
    """
    raise UnimplementedError(
        None,
        None,
        "tf.test.create_local_cluster starts TensorFlow servers, which tfgrad_jax does not have; "
        "several processes work together through jax.distributed",
    )


@export("test.assert_equal_graph_def")
def assert_equal_graph_def(expected: Any, actual: Any) -> None:
    """Two graph definitions have the same nodes, in whatever order. Mirrors `tf.test.assert_equal_graph_def`.

    Raises:
      AssertionError: if they differ.
    """
    nodes = [{node.name: node for node in graph.node} for graph in (expected, actual)]
    if nodes[0].keys() != nodes[1].keys():
        raise AssertionError(f"nodes differ: {sorted(nodes[0].keys() ^ nodes[1].keys())} are in one of them only")
    for name, node in nodes[0].items():
        if node != nodes[1][name]:
            raise AssertionError(f"the node {name!r} differs:\n{node}\n{nodes[1][name]}")
