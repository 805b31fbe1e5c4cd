"""Hashes and fingerprints of tensors."""

from __future__ import annotations

import numpy as np

from tfgrad_jax.engine.declare.op import op
from tfgrad_jax.engine.declare.roles import Attr, Int
from tfgrad_jax.engine.messages.errors import invalid_argument
from tfgrad_jax.engine.values import dtypes
from tfgrad_jax.engine.values.shapes import TensorShape
from tfgrad_jax.engine.values.tensor import Spec
from tfgrad_jax.ops.strings import hashes
from tfgrad_jax.ops.strings.common import Anything, String


def _buckets(hashed: np.ndarray, count: int, shape: tuple[int, ...], raw: str) -> np.ndarray:
    if count < 1:
        raise invalid_argument(f"Value for attr 'num_buckets' of {count} must be at least minimum 1", raw)
    return (hashed % np.uint64(count)).astype(np.int64).reshape(shape)


@op("StringToHashBucket", "strings.to_hash_bucket", host=True)
def to_hash_bucket(input: String, num_buckets: Int):
    """The bucket of each string, by a hash that may differ between releases: MurmurHash64A.

    Raises:
      InvalidArgumentError: if `num_buckets` is below 1.
    """
    return _buckets(hashes.murmur(input.reshape(-1)), num_buckets, input.shape, "StringToHashBucket")


@op("StringToHashBucketFast", "strings.to_hash_bucket_fast", host=True)
def to_hash_bucket_fast(input: String, num_buckets: Int):
    """The bucket of each string, by FarmHash's fingerprint.

    Raises:
      InvalidArgumentError: if `num_buckets` is below 1.
    """
    return _buckets(hashes.farm(input.reshape(-1)), num_buckets, input.shape, "StringToHashBucketFast")


@op("StringToHashBucketStrong", "strings.to_hash_bucket_strong", host=True)
def to_hash_bucket_strong(input: String, num_buckets: Int, key: Attr):
    """The bucket of each string, by SipHash with a secret key: who does not know it cannot choose strings for one bucket.

    Args:
      input: strings.
      num_buckets: how many buckets there are.
      key: two integers.
      name: accepted for compatibility.

    Raises:
      InvalidArgumentError: if `num_buckets` is below 1, or the key has not two elements.
    """
    if len(key) != 2:
        raise invalid_argument(f"Key must have 2 elements, got {key}", "StringToHashBucketStrong")
    return _buckets(hashes.sip(input.reshape(-1), key), num_buckets, input.shape, "StringToHashBucketStrong")


@op("Fingerprint", "fingerprint", host=True)
def fingerprint(data: Anything, method: String = "farmhash64"):
    """Eight bytes for each row of a tensor, by which rows can be told apart.

    Args:
      data: a tensor with at least one dimension.
      method: "farmhash64".
      name: accepted for compatibility.

    Raises:
      InvalidArgumentError: if the data is a scalar, or there is no such method.
    """
    raw = "Fingerprint"
    if method.ndim or method[()] != b"farmhash64":
        raise invalid_argument(f"Unsupported fingerprint method: {method}; there is 'farmhash64'", raw)
    if not data.ndim:
        raise invalid_argument("`data` should have at least one dimension: []", raw)
    count = data.shape[0]
    size = int(np.prod(data.shape[1:], dtype=int))
    if data.dtype.kind == "O":
        found = hashes.farm(data.reshape(-1)).astype("<u8")
        if size != 1:
            found = hashes.farm([row.tobytes() for row in found.reshape(count, size)])
    else:
        found = hashes.farm([np.ascontiguousarray(row).tobytes() for row in data])
    return found.astype("<u8").view(np.uint8).reshape(count, 8)


@fingerprint.types
def _(data, method):
    rows = data.tensor_shape[0] if data.tensor_shape.rank else None
    return Spec.open(dtypes.uint8, TensorShape([rows, 8]))
