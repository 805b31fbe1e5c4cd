"""Variables in `safetensors` files."""

from __future__ import annotations

import json
import struct

import numpy as np
import pytest

import tfgrad_jax as tf
from tfgrad_jax.extras import load_safetensors, save_safetensors

V = tf.Variable


def module(scale=1.0):
    m = tf.Module()
    m.w, m.b = V([[scale, 2.0]]), V(tf.cast([3.0], "bfloat16"))
    m.layers = [tf.Module(), {"n": V(7, dtype=tf.int64)}]
    m.layers[0].shared = m.w
    return m


def values(m):
    return [v.numpy().tolist() for v in m.variables]


def test_there_and_back(tmp_path):
    path = tmp_path / "m.safetensors"
    save_safetensors(module(5.0), path, {"who": "me"})
    m = module()
    assert load_safetensors(m, path) == {"who": "me"}
    assert values(m) == values(module(5.0))
    data = path.read_bytes()
    (size,) = struct.unpack("<Q", data[:8])
    assert size % 8 == 0
    assert json.loads(data[8 : 8 + size]) == {
        "__metadata__": {"who": "me"},
        "w": {"dtype": "F32", "shape": [1, 2], "data_offsets": [0, 8]},
        "b": {"dtype": "BF16", "shape": [1], "data_offsets": [8, 10]},
        "layers.1.n": {"dtype": "I64", "shape": [], "data_offsets": [10, 18]},
    }


def test_what_the_package_writes(tmp_path):
    """The bytes of `safetensors.numpy.save({"a": ones((2, 2), float32), "b": array([1, 2], int16)})`."""
    header = b'{"a":{"dtype":"F32","shape":[2,2],"data_offsets":[0,16]},"b":{"dtype":"I16","shape":[2],"data_offsets":[16,20]}}'
    header += b" " * (-len(header) % 8)
    contents = np.ones(4, "<f4").tobytes() + np.array([1, 2], "<i2").tobytes()
    (tmp_path / "f").write_bytes(struct.pack("<Q", len(header)) + header + contents)
    a, b = V(tf.zeros([2, 2])), V([0, 0], dtype=tf.int16)
    assert load_safetensors({"a": a, "b": b}, tmp_path / "f") == {}
    assert a.numpy().tolist() == [[1.0, 1.0], [1.0, 1.0]] and b.numpy().tolist() == [1, 2]
    save_safetensors({"a": a, "b": b}, tmp_path / "g")
    assert (tmp_path / "g").read_bytes() == (tmp_path / "f").read_bytes()


def test_what_does_not_fit(tmp_path):
    path = tmp_path / "m"
    save_safetensors({"a": V([1.0]), "b": V([2.0])}, path)
    a, other = V([0.0]), V([0.0, 0.0])
    with pytest.raises(ValueError, match=r"the module no variable for \['b'\]; strict=False"):
        load_safetensors({"a": a}, path)
    assert load_safetensors({"a": a, "c": other}, path, strict=False) == {} and a.numpy() == 1.0
    a.assign([0.0])
    for wrong in (other, V([1]), V(1.0)):
        with pytest.raises(ValueError, match=r"load_safetensors: b is .* has F32 of shape"):
            load_safetensors({"a": a, "b": wrong}, path)
    assert a.numpy() == 0.0
    with pytest.raises(TypeError, match="s is of dtype string"):
        save_safetensors({"s": V(["a"])}, path)
    with pytest.raises(tf.errors.NotFoundError):
        load_safetensors({"a": a}, tmp_path / "nothing")


def test_damaged_files(tmp_path):
    path = tmp_path / "m"
    v = V([1.0, 2.0])
    save_safetensors({"v": v}, path)
    good = path.read_bytes()
    damage = {b"F32": b"Q32", b"[0,8]": b"[8,0]", b'{"v":': b'["v":', b"[2]": b"[3]"}
    bad = [b"", good[:4], good[:30], good[:-1], good + b"x", struct.pack("<Q", 1 << 60) + good[8:], b"\x80\x04" + good]
    for contents in (*bad, *[good.replace(old, new) for old, new in damage.items()]):
        path.write_bytes(contents)
        with pytest.raises(tf.errors.DataLossError, match="is no safetensors file, or damaged"):
            load_safetensors({"v": v}, path)
    assert v.numpy().tolist() == [1.0, 2.0]
