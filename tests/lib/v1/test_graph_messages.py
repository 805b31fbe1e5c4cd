"""`tf.compat.v1.GraphDef`: a message like any other, as TensorFlow 2.21 writes it."""

from __future__ import annotations

import pytest

import tfgrad_jax as tf

v1 = tf.compat.v1


def test_a_graph_is_read_and_written():
    pytest.importorskip("google.protobuf")
    graph = v1.GraphDef()
    node = graph.node.add(name="a", op="Const")
    node.attr["n"].CopyFrom(v1.AttrValue(i=3))
    graph.node.append(v1.NodeDef(name="b", op="Identity", input=["a"]))
    wire = b"\n\x13\n\x01a\x12\x05Const*\x07\n\x01n\x12\x02\x18\x03\n\x10\n\x01b\x12\x08Identity\x1a\x01a"
    assert graph.SerializeToString() == wire
    again = v1.GraphDef.FromString(wire)
    assert [(n.name, n.op, list(n.input)) for n in again.node] == [("a", "Const", []), ("b", "Identity", ["a"])]
    assert tf.core.framework.graph_pb2.GraphDef is v1.GraphDef
