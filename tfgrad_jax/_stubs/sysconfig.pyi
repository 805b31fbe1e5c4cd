"""Made by docs/stubs.py: run it again where a test says that this is old."""

from typing import Any as _Any
CXX11_ABI_FLAG: int
CXX_VERSION: int
MONOLITHIC_BUILD: int
def get_build_info() -> _Any:
    """How it was built, by name: whether for CUDA, ROCm or TensorRT. Mirrors `tf.sysconfig.get_build_info`."""
def get_compile_flags() -> _Any:
    """Flags for compilers of operations in C++, of which there are none: an empty list."""
def get_include() -> _Any:
    """A folder for header files; there are none in it, since operations are not written in C++ here."""
def get_lib() -> _Any:
    """The folder of the package."""
def get_link_flags() -> _Any:
    """Flags for linkers of operations in C++, of which there are none: an empty list."""
