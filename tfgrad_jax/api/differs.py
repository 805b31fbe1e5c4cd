"""Where a public name answers otherwise than TensorFlow's, as far as it is known and a program can notice."""

from __future__ import annotations

_ONE_DEVICE = "a tf.function runs all replicas in one program on one device; eagerly, each replica has its own"
_DATA_FILES = "files are of this package's own format, which TensorFlow does not read"
_WORKERS = "workers sum through the host over TCP: meant for a few of them"

DIFFERS = {
    "data.Dataset.save": _DATA_FILES,
    "data.Dataset.load": _DATA_FILES,
    "data.Dataset.snapshot": _DATA_FILES,
    "data.Dataset.cache(filename)": _DATA_FILES,
    "data.experimental.save": _DATA_FILES,
    "data.experimental.load": _DATA_FILES,
    "data.experimental.snapshot": _DATA_FILES,
    "distribute.MirroredStrategy": _ONE_DEVICE,
    "distribute.experimental.CentralStorageStrategy": _ONE_DEVICE,
    "distribute.TPUStrategy": _ONE_DEVICE,
    "distribute.MultiWorkerMirroredStrategy": _WORKERS,
    "image.decode_and_crop_jpeg": "the pixels are those of the whole image; TensorFlow's first and last column differ slightly",
    "io.decode_and_crop_jpeg": "the pixels are those of the whole image; TensorFlow's first and last column differ slightly",
    "image.decode_jpeg(try_recover_truncated)": "it serves a file whose end mark alone is missing; with less, an error says so",
    "io.decode_jpeg(try_recover_truncated)": "it serves a file whose end mark alone is missing; with less, an error says so",
    "function(reduce_retracing)": "sizes are left open, the rank is not: a trace for each rank",
    "linalg.eigh_tridiagonal": "its gradients are the derivatives; those that TensorFlow gives are not",
    "saved_model.save": "functions travel as StableHLO, with TensorFlow's nodes for what only the host can run: refused are those "
    "that call Python, and a few operations, which the error names; assertions are left out",
    "saved_model.load": "of what TensorFlow saved, an operation that is not known is named by the error",
}
"""By name, or by name and argument, what is different. The ledger of single cases is `conformance/gaps.toml`."""


def differs(symbol: str, keywords: tuple[str, ...] = ()) -> str:
    """What is different about a name, or about one of the arguments that a call of it gives; nothing where it is the same.

    Args:
      symbol: the name after `tf.`.
      keywords: the arguments that are given by name.
    """
    for key in (symbol, *(f"{symbol}({keyword})" for keyword in keywords)):
        if key in DIFFERS:
            return DIFFERS[key]
    return ""
