"""Made by docs/stubs.py: run it again where a test says that this is old."""

from typing import Any as _Any
def get_data_files_path() -> _Any:
    """The directory of the calling file. Mirrors `tf.compat.v1.resource_loader.get_data_files_path`."""
def get_path_to_datafile(path: _Any) -> _Any:
    """A path below the directory of the calling file. Mirrors `tf.compat.v1.resource_loader.get_path_to_datafile`."""
def load_resource(path: _Any) -> _Any:
    """What is in a file below the working directory. Mirrors `tf.compat.v1.resource_loader.load_resource`."""
