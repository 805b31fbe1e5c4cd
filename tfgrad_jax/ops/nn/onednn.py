"""Convolutions by oneDNN, where it is installed: XLA takes twice its time for gradients by filters on a CPU.

It is reached through a foreign function of XLA's (`engine/kernels/foreign.py`). One in Python would wait for the interpreter's
lock, and be interrupted: `onednn.c` is compiled when a convolution is met that it is for, and kept.
"""

from __future__ import annotations

import ctypes
import dataclasses
import functools
import math
import os
import platform
import subprocess
import sys
from collections.abc import Callable
from importlib import metadata
from pathlib import Path
from typing import Any

import jax
import numpy as np

from tfgrad_jax.engine.kernels import native

PACKAGE = "onednn-cpu-gomp"

_LIBRARY = "libdnnl.so.3"
_SOURCE = Path(__file__).with_suffix(".c")

_WORK = 1 << 21
"""From so many products of two numbers on, oneDNN gains more than it takes to wake its threads."""

_AVX2 = 7
"""For processors without these instructions it has no quick code."""


@dataclasses.dataclass(frozen=True, slots=True)
class Form:
    """What a convolution is. Sizes are [batch, *spatial, channels], of filters [*spatial, channels / groups, out].

    Attributes:
      sizes: of the input, the filters and the output.
      by_xla: the same for XLA, of the input, the filters, the attributes below, and what it is wanted for (see `convolve`).
    """

    sizes: tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...]]
    strides: tuple[int, ...]
    pads: tuple[tuple[int, int], ...]
    dilations: tuple[int, ...]
    groups: int
    by_xla: Callable[..., Any]

    def type(self, wanted: int) -> jax.ShapeDtypeStruct:
        """The type of the input, the filters, or the output."""
        return jax.ShapeDtypeStruct(self.sizes[wanted], np.float32)

    def plain(self, wanted: int, *given: Any) -> Any:
        """The input's cotangent, the filters', or the output, given the other two."""
        x, k = self.type(0), self.type(1)
        how = self.strides, self.pads, self.dilations, self.groups
        if wanted == 0:
            return jax.linear_transpose(lambda x: self.by_xla(x, given[0], *how, "input"), x)(given[1])[0]
        if wanted == 1:
            return jax.linear_transpose(lambda k: self.by_xla(given[0], k, *how, "filters"), k)(given[1])[0]
        return self.by_xla(*given, *how, "output")

    def foreign(self, wanted: int) -> tuple[str, dict[str, Any]] | None:
        """The foreign function, with the convolution in numbers as `onednn.c` reads them; None for a product of matrices."""
        if wanted != 1 and self.groups == 1 and math.prod(self.sizes[1][:-2]) == 1:
            return None
        return available(), {"plan": self.plan(wanted)}

    def plan(self, wanted: int) -> np.ndarray:
        """The convolution in numbers, as `onednn.c` reads them."""
        before, after = zip(*self.pads, strict=True)
        parts = [*self.sizes, self.strides, before, after, self.dilations]
        numbers = [len(self.strides), wanted, self.groups, *[n for part in parts for n in part]]
        return np.array(numbers, np.int64)


def form_of(
    x: Any, k: Any, strides: Any, pads: Any, dilations: Any, groups: int, out: Any, by_xla: Callable[..., Any]
) -> Form | None:
    """The form of a convolution that oneDNN is quick for; None for one that is left to XLA.

    Args:
      x, k: an input and filters, or their types.
      strides, pads, dilations, groups: see `convolve`.
      out: the sizes of the output in space.
      by_xla: see `Form`.
    """
    sizes = tuple(x.shape), tuple(k.shape), (x.shape[0], *out, k.shape[-1])
    if x.dtype != np.float32 or k.dtype != np.float32 or not all([type(n) is int for size in sizes for n in size]):
        return None
    if (
        math.prod(sizes[2]) * math.prod(k.shape[:-1]) < _WORK
        or 2 * x.shape[0] < (os.cpu_count() or 1)
        or not available()
    ):
        return None
    form = Form(sizes, tuple(strides), tuple(map(tuple, pads)), tuple(dilations), groups, by_xla)
    return form if _is_quick(form) else None


@functools.lru_cache(1024)
def _is_quick(form: Form) -> bool:
    plan = form.plan(2)
    images = max(1, form.sizes[0][0] // (2 * (os.cpu_count() or 1)))
    asked = [plan.ctypes.data_as(ctypes.c_void_p), ctypes.c_int64(plan.size), ctypes.c_int64(images)]
    return bool(_state()[2].tfgrad_jax_is_quick(*asked))


def available() -> str:
    """The name under which XLA knows the foreign function; empty where oneDNN is not installed or cannot be used."""
    return _state()[0]


def why() -> str:
    """What computes convolutions on a CPU, and why."""
    return _state()[1]


@functools.cache
def _state() -> tuple[str, str, Any]:
    """The name, why, and the library of the foreign function."""
    if os.environ.get("TF_ENABLE_ONEDNN_OPTS") == "0":
        return "", "XLA's: TF_ENABLE_ONEDNN_OPTS=0", None
    library = _library()
    if library is None:
        return "", f"XLA's: {PACKAGE} is not installed", None
    try:
        if ctypes.CDLL(str(library)).dnnl_get_effective_cpu_isa() & _AVX2 != _AVX2:
            return "", "XLA's: this processor has no AVX2", None
        name, handler = _handler(library)
    except OSError as error:
        return "", f"XLA's: {error}", None
    except subprocess.CalledProcessError as error:
        return "", f"XLA's: the C compiler failed: {error.stderr}", None
    jax.ffi.register_ffi_target(name, jax.ffi.pycapsule(handler.tfgrad_jax_convolution), platform="cpu")
    return name, "oneDNN's, of float32", handler


def _library() -> Path | None:
    if (sys.platform, platform.machine()) != ("linux", "x86_64"):
        return None
    try:
        package = metadata.distribution(PACKAGE)
    except metadata.PackageNotFoundError:
        return None
    found = [Path(str(package.locate_file(file))) for file in package.files or [] if file.name == _LIBRARY]
    return next((path.resolve() for path in found if path.exists()), None)


def _handler(library: Path) -> tuple[str, Any]:
    """A name for the foreign function, and the library that has it; compiled if it is not in the cache's folder.

    Raises:
      OSError: if there is no compiler, or what it made cannot be loaded.
      CalledProcessError: if it fails.
    """
    include = f"-I{jax.ffi.include_dir()}"
    return native.library(_SOURCE, [include, str(library), "-lpthread"], jax.__version__)
