"""Snappy."""

from __future__ import annotations

import io

import numpy as np
import pytest

import tfgrad_jax as tf
from tfgrad_jax.lib.io import snappy
from tfgrad_jax.ops.io.wire import BadProto

TEXTS = [
    b"",
    b"a",
    b"abcd" * 3,
    b"x" * 70_000,
    bytes(range(256)) * 2,
    np.random.default_rng(0).bytes(3000),
    np.random.default_rng(0).integers(0, 3, 5000).astype(np.int32).tobytes(),
]


@pytest.mark.parametrize("text", TEXTS, ids=len)
def test_there_and_back(text):
    assert snappy.expanded(snappy.compressed(text)) == text


def test_what_repeats_becomes_small():
    assert len(snappy.compressed(b"x" * 60_000)) < 3_000


def test_pieces_of_every_kind():
    """A literal with its length after the tag, and copies with distances of one byte, two and four."""
    text = b"0123456789" * 7
    block = b"\x4e" + bytes([60 << 2, 69]) + text + bytes([0 << 2 | 1, 10]) + b"\x06\x0a\x00" + b"\x07\x0a\x00\x00\x00"
    assert snappy.expanded(block) == text + b"0123" + b"45" + b"67"
    with pytest.raises(BadProto, match="before the beginning"):
        snappy.expanded(b"\x04\x01\x05")


def test_streams():
    compressor = snappy.Compressor()
    text = bytes(range(256)) * 1000
    stream = b"".join([compressor.compress(text[i : i + 777]) for i in range(0, len(text), 777)]) + compressor.flush()
    source = snappy.Expanded(io.BytesIO(stream), "a")
    assert b"".join(iter(lambda: source.read(1), b"")) == text
    source = snappy.Expanded(io.BytesIO(stream[:-3]), "the file")
    with pytest.raises(tf.errors.DataLossError, match="the file"):
        while source.read(1):
            pass


def test_records_that_tensorflow_compressed(tmp_path):
    """It wrote one record, "abc" thirty times."""
    path = tmp_path / "records"
    path.write_bytes(bytes.fromhex("000000196a045a00090118136fb4bf616263fe03005a03000cb381fba7"))
    assert [r.numpy() for r in tf.data.TFRecordDataset(str(path), "SNAPPY")] == [b"abc" * 30]
