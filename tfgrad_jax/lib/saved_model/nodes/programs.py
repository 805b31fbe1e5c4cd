"""Nodes that hold a program: the functions of SavedModels that this package wrote."""

from __future__ import annotations

from typing import Any

from tfgrad_jax.engine.cache import Cache
from tfgrad_jax.engine.graph.following import REFUSED
from tfgrad_jax.engine.kernels.kernel import Kernel
from tfgrad_jax.engine.messages.errors import unimplemented
from tfgrad_jax.engine.run.execute import execute
from tfgrad_jax.engine.values.symbolic import SymbolicTensor
from tfgrad_jax.lib.saved_model.export import Module, runner, split_sizes
from tfgrad_jax.lib.saved_model.nodes.registry import node, tf

SHAPES = "_tfgrad_jax_shapes", "_tfgrad_jax_results"
"""Attributes that say the shapes of operands and results, with names for open sizes; TensorFlow does not look at them."""

_kernels: Cache[Any, tuple[Kernel, Kernel]] = Cache(256)


@node("XlaCallModule")
def _program(
    *inputs: Any,
    module: bytes,
    version: int,
    Tin: list[Any],
    Tout: list[Any],
    platforms: Any = (),
    _tfgrad_jax_shapes: Any = None,
    _tfgrad_jax_results: Any = (),
) -> list[Any]:
    if _tfgrad_jax_shapes is None:
        raise unimplemented(
            "only programs that this package exported can run here, and this is another's", "XlaCallModule"
        )
    key = module, version, tuple(_tfgrad_jax_shapes), tuple(_tfgrad_jax_results)
    kernels = _kernels[key]
    if kernels is None:
        made = Module(
            module,
            version,
            tuple(p.decode().lower() for p in platforms),
            [text.decode() for text in _tfgrad_jax_shapes],
            [text.decode() for text in _tfgrad_jax_results],
            [d.np for d in Tin],
            [d.np for d in Tout],
        )
        kernels = _kernels.keep(key, (runner(made), runner(made, trusting=True)))
    known = [_known(tensor, text.decode()) for tensor, text in zip(inputs, _tfgrad_jax_shapes, strict=True)]
    try:
        return list(execute(kernels[0], tuple(known)))
    except REFUSED:
        if not any(isinstance(tensor, SymbolicTensor) and None in tensor.spec.shape for tensor in known):
            raise
        # A graph does not know how open sizes of several operands are related, as those of cotangents are to those of results.
        return list(execute(kernels[1], tuple(known)))


def _known(tensor: Any, text: str) -> Any:
    """A tensor with the sizes that the program takes, where those of a graph's are open."""
    sizes = [int(size) if size.isdigit() else None for size in split_sizes(text)]
    if not isinstance(tensor, SymbolicTensor) or tensor.shape.rank != len(sizes):
        return tensor
    fits = all(a is None or b is None or a == b for a, b in zip(tensor.shape, sizes, strict=True))
    adds = any(a is None and b is not None for a, b in zip(tensor.shape, sizes, strict=True))
    return tf("ensure_shape")(tensor, sizes) if fits and adds else tensor
