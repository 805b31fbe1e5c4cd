"""The bytes of checkpoints: equal to TensorFlow's, whose own files are read too."""

from __future__ import annotations

import hashlib
import os

import numpy as np
import pytest

import tfgrad_jax as tf
from tfgrad_jax.lib.checkpoint import BundleReader, BundleWriter, crc
from tfgrad_jax.lib.checkpoint.slices import Part, slice_key
from tfgrad_jax.lib.checkpoint.snappy import uncompressed
from tfgrad_jax.lib.checkpoint.table import read_table, write_table

V = tf.Variable


def module(**attributes):
    m = tf.Module()
    for name, value in attributes.items():
        setattr(m, name, value)
    return m


class Dense(tf.Module):
    def __init__(self, a, b):
        super().__init__()
        with self.name_scope:
            self.w = V(np.arange(a * b, dtype="float32").reshape(a, b), name="w")
            self.b = V(np.zeros(b, "float32"), name="b")


def _dense():
    d = Dense(3, 4)
    return {"model": d, "again": d, "b": d.b}


def _rooted():
    r = Dense(2, 2)
    return {"root": r, "aa": module(w=r.w, q=V(1))}


# Digests of the index and the data that TensorFlow 2.21 writes at the first `save`.
TREES = {
    "long": (
        lambda: {
            "m": module(**{f"layer_{i:05d}_with_a_rather_long_name_indeed": [V(i), V(i + 1)] for i in range(3000)})
        },
        "b34d9d0dffaa4650488001f4543f658c5083de0a6ff9cabac20b59096019c858",
    ),
    "many": (
        lambda: {"m": module(**{f"v{i}": V(float(i)) for i in range(300)})},
        "fd4fec9e3194de3ab5167051f4badc835d23d487590a24dac8ff1442d5adf1ed",
    ),
    "strings": (
        lambda: {"s": V(["a", "bcd", "", b"\xff" * 300]), "e": V(tf.constant([], tf.string)), "z": V("scalar")},
        "535ce7f442890738cfa03c2b63b07cba8b60f7c2d8d47e4d92933183c63c9d7e",
    ),
    "shared": (_dense, "c9f6d62929d6b8382ed826f3853844fdc102e45e4ce962869a46c9a8ba678be8"),
    "root": (_rooted, "b3f6567b7ef4972a37af3797c9a2562a9a47cbe3c9303c4e4e7c8a0321254cda"),
    "bfloat16": (
        lambda: {"v": V(tf.cast([[0, 1, 2], [1, 0, 3]], "bfloat16"))},
        "092541a3183f858729a6df5b27aec94f63f25d446cd27f2c9180daa8b76eb063",
    ),
    "complex128": (
        lambda: {"v": V(tf.cast([[0, 1, 2], [1, 0, 3]], "complex128"))},
        "eb9e75ac2b14e7e2444b9722fa76b60ba85b75d549b5c0795d24612db2ace9bb",
    ),
}


@pytest.mark.parametrize("name", TREES)
def test_bytes_are_tensorflows(name, tmp_path):
    make, expected = TREES[name]
    tf.train.Checkpoint(**make()).save(tmp_path / "s")
    found = b"".join((tmp_path / f"s-1{end}").read_bytes() for end in (".index", ".data-00000-of-00001"))
    assert hashlib.sha256(found).hexdigest() == expected


# What TensorFlow writes in two files of data.
SHARDED = {
    ".index": "00000608021a020801000113730807120412020802180120042809356990330a00010f780801120412020802280835593ce53500010d79"
    "080312001801280435633f7f28000000000100000000d7ae81c5000000000100000000c0f2a1b00001027a004c00000000010000000089"
    "350a2751085e0e00000000000000000000000000000000000000000000000000000000000000000000000057fb808b247547db",
    ".data-00000-of-00002": "0000803f00000040",
    ".data-00001-of-00002": "030000000300b099490e616263",
}


def test_two_files_of_data(tmp_path):
    for end, contents in SHARDED.items():
        (tmp_path / f"c{end}").write_bytes(bytes.fromhex(contents))
    reader = tf.train.load_checkpoint(tmp_path / "c")
    assert reader.get_tensor("x").tolist() == [1.0, 2.0]
    assert reader.get_tensor("y") == 3
    assert reader.get_tensor("s").tolist() == [b"abc", b""]
    assert tf.train.list_variables(tmp_path / "c") == [("s", [2]), ("x", [2]), ("y", [])]


def test_the_order_of_attributes_of_the_checkpoint(tmp_path):
    path = tf.train.Checkpoint(zebra=V([1.0]), apple=V([2.0])).write(tmp_path / "w")
    assert np.fromfile(path + ".data-00000-of-00001", np.float32, 2).tolist() == [2.0, 1.0]


def test_checksums_without_the_package():
    rng = np.random.default_rng(0)
    for size in (0, 1, 3, 255, 511, 512, 513, 70000, (1 << 20) + 3):
        data = rng.integers(0, 256, size, np.uint8).tobytes()
        assert crc._by_numpy(data) == crc.crc32c()(data)
        assert crc._by_numpy(data, 12345) == crc.crc32c()(data, 12345)
    assert crc._by_numpy(b"123456789") == 0xE3069283


def test_tables():
    for count in (0, 1, 16, 17, 40000):
        items = [(b"%09d" % (3 * i), b"x" * (i % 40)) for i in range(count)]
        assert list(read_table(write_table(items), "t")) == items


def test_compressed_blocks():
    data = bytes([11, 10 << 2]) + b"hello world"
    assert uncompressed(data) == b"hello world"
    assert uncompressed(bytes([9, 2 << 2]) + b"abc" + bytes([(6 - 4) << 2 | 1, 3])) == b"abcabcabc"
    assert uncompressed(bytes([8, 0 << 2]) + b"a" + bytes([6 << 2 | 2, 1, 0])) == b"a" * 8
    assert uncompressed(bytes([70, 60 << 2, 69]) + b"z" * 70) == b"z" * 70
    for wrong in (b"", b"\x05\x00", bytes([9, 1, 3]), bytes([2, 1 << 2]) + b"abc", bytes([3, 5 << 2]) + b"abcdef"):
        with pytest.raises(ValueError):
            uncompressed(wrong)


def test_keys_of_slices():
    # as TensorFlow wrote them
    assert slice_key("p", Part(((2, 2), (0, 3)))) == bytes.fromhex("00700001010282828083")
    assert slice_key("p", Part(((0, 2), (0, None)))) == bytes.fromhex("0070000101028082807f")
    assert slice_key("emb\0\udcff", Part(((100, 200), (0, None)))).hex() == "00656d6200ffff0000010102c064c0c8807f"


def test_tensors_in_parts(tmp_path):
    whole = np.arange(24, dtype=np.float32).reshape(4, 6)
    parts = {
        Part(((0, 2), (0, None))): whole[:2],
        Part(((2, 2), (0, 3))): whole[2:, :3],
        Part(((2, 2), (3, 3))): whole[2:, 3:],
    }
    with BundleWriter(str(tmp_path / "p")) as writer:
        for part, value in parts.items():
            writer.add(slice_key("p", part).decode(errors="surrogateescape"), value)
    table = dict(read_table((tmp_path / "p.index").read_bytes(), "p"))
    extents = [b"".join(_extent(s, n) for s, n in part.extents) for part in parts]
    entry = bytes([8, 1, 18, 8, 18, 2, 8, 4, 18, 2, 8, 6]) + b"".join(bytes([58, len(e)]) + e for e in extents)
    table[b"p"] = entry
    (tmp_path / "p.index").write_bytes(write_table(sorted(table.items())))
    assert (BundleReader(str(tmp_path / "p")).tensor("p") == whole).all()


def _extent(start, length):
    inside = (bytes([8, start]) if start else b"") + (b"" if length is None else bytes([16, length]))
    return bytes([10, len(inside)]) + inside


@pytest.mark.parametrize("dtype", ["float16", "int8", "uint16", "uint64", "bool", "complex64"])
def test_dtypes_there_and_back(dtype, tmp_path):
    value = np.array([[0, 1, 1], [1, 0, 1]]).astype(dtype)
    path = tf.train.Checkpoint(v=V(value)).write(tmp_path / "w")
    other = V(np.zeros_like(value))
    tf.train.Checkpoint(v=other).read(path).assert_consumed()
    assert (other.numpy() == value).all()
    assert tf.train.load_variable(path, "v/.ATTRIBUTES/VARIABLE_VALUE").dtype == value.dtype


def test_behind_a_scheme():
    v = V([1.0, 2.0])
    path = tf.train.Checkpoint(v=v).save("memory://checkpoints/c")
    assert tf.train.latest_checkpoint("memory://checkpoints") == path == "memory://checkpoints/c-1"
    v.assign([0.0, 0.0])
    tf.train.Checkpoint(v=v).restore(path).expect_partial()
    assert v.numpy().tolist() == [1.0, 2.0]


def test_relative_paths(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    path = tf.train.Checkpoint(v=V(1.0)).save("here")
    assert path == "here-1" and sorted(os.listdir()) == ["checkpoint", "here-1.data-00000-of-00001", "here-1.index"]
    assert tf.train.latest_checkpoint(".") == "./here-1"
