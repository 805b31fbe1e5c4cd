"""`tf.version` and `tf.sysconfig`: what programs ask about the release and how it was built."""

from __future__ import annotations

import platform
from collections import OrderedDict
from pathlib import Path
from typing import Any

import jax

from tfgrad_jax.engine.names.export import export, export_value

_V1, _P = "compat.v1.", "python.framework.versions."
_GRAPH_DEF = 2474
"""The version of graph definitions that this level of the API has."""

export_value(
    "v2.21.0-tfgrad_jax",
    "version.GIT_VERSION",
    "__git_version__",
    _V1 + "GIT_VERSION",
    _V1 + "__git_version__",
    _P + "GIT_VERSION",
)
export_value(
    platform.python_compiler(),
    "version.COMPILER_VERSION",
    "__compiler_version__",
    _V1 + "COMPILER_VERSION",
    _V1 + "__compiler_version__",
    _P + "COMPILER_VERSION",
)
export_value(_GRAPH_DEF, "version.GRAPH_DEF_VERSION", _V1 + "GRAPH_DEF_VERSION", _P + "GRAPH_DEF_VERSION")
export_value(
    0,
    "version.GRAPH_DEF_VERSION_MIN_CONSUMER",
    _V1 + "GRAPH_DEF_VERSION_MIN_CONSUMER",
    _P + "GRAPH_DEF_VERSION_MIN_CONSUMER",
)
export_value(
    0,
    "version.GRAPH_DEF_VERSION_MIN_PRODUCER",
    _V1 + "GRAPH_DEF_VERSION_MIN_PRODUCER",
    _P + "GRAPH_DEF_VERSION_MIN_PRODUCER",
)
export_value(
    1,
    "sysconfig.CXX11_ABI_FLAG",
    "__cxx11_abi_flag__",
    _V1 + "CXX11_ABI_FLAG",
    _P + "CXX11_ABI_FLAG",
    _V1 + "__cxx11_abi_flag__",
)
export_value(0, "sysconfig.MONOLITHIC_BUILD", "__monolithic_build__", _V1 + "MONOLITHIC_BUILD", _P + "MONOLITHIC_BUILD")
export_value(201703, "sysconfig.CXX_VERSION", "__cxx_version__", _V1 + "CXX_VERSION", _P + "CXX_VERSION")


@export("sysconfig.get_build_info")
def get_build_info() -> Any:
    """How it was built, by name: whether for CUDA, ROCm or TensorRT. Mirrors `tf.sysconfig.get_build_info`.

    What it was built for is what JAX runs on; there are no versions of cuDNN among it, since JAX does not tell them.
    """
    kind = jax.default_backend()
    return OrderedDict(is_cuda_build=kind in ("gpu", "cuda"), is_rocm_build=kind == "rocm", is_tensorrt_build=False)


_HERE = str(Path(__file__).resolve().parent.parent)


@export("sysconfig.get_include")
def get_include() -> str:
    """A folder for header files; there are none in it, since operations are not written in C++ here."""
    return f"{_HERE}/include"


@export("sysconfig.get_lib")
def get_lib() -> str:
    """The folder of the package."""
    return _HERE


@export("sysconfig.get_compile_flags")
def get_compile_flags() -> list[str]:
    """Flags for compilers of operations in C++, of which there are none: an empty list."""
    return []


@export("sysconfig.get_link_flags")
def get_link_flags() -> list[str]:
    """Flags for linkers of operations in C++, of which there are none: an empty list."""
    return []
