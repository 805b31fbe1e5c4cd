"""Branches and loops of TensorFlow 1, in graphs that TensorFlow 2.21 wrote, with what it answers to the same feeds."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import tfgrad_jax as tf

v1 = tf.compat.v1
DATA = Path(__file__).parent / "data" / "loops"
X = np.arange(6, dtype=np.float32).reshape(2, 3)
ROWS = X.reshape(3, 2)
SUMS = [[0, 1], [2, 4], [6, 9]]


def definition(name):
    found = v1.GraphDef()
    found.ParseFromString((DATA / f"{name}.pb").read_bytes())
    return found


@pytest.mark.parametrize(
    "name, feeds, answers",
    [
        ("loop", {"x": X, "n": 3}, {"out": [[0, 15, 30], [45, 60, 75]], "i": 3}),
        ("loop", {"x": X[:1], "n": 0}, {"out": [[0, 1, 2]], "i": 0}),
        ("nested", {"x": X[0], "n": 5}, {"out": [3.5, 3.75, 4]}),
        ("ta", {"x": ROWS}, {"out": SUMS, "s": [6, 9]}),
        ("ta", {"x": ROWS[:1]}, {"out": [[0, 1]], "s": [0, 1]}),
        ("mapfn", {"x": ROWS}, {"out": [[0, 1], [10, 15], [36, 45]], "s": SUMS}),
        ("switch", {"x": X[1], "p": True}, {"out": [9, 12, 15], "i": 1}),
        ("switch", {"x": X[1], "p": False}, {"out": [6, 8, 10], "i": 0}),
        *(
            (name, {"x": x, "p": p}, {"out": out})
            for name, *outs in [
                ("two", [1, 2], [1.5, 2], [6], [4]),
                ("nest", [1, 2], [2.5, 5], [6], [15]),
                ("loop_in_cond", [8, 16], [0.5, 1], [48], [3]),
                ("cond_in_loop", [11.5, 15], [4.5, 5], [29], [7]),
                ("seq", [3, 6], [-0.5, 0], [18], [2]),
                ("shape", [0.5, 1] * 4, [0.5, 1] * 4, [3] * 4, [3] * 4),
                ("case", [5, 10], [5, 10], [3], [3]),
                ("max", [2, 4], [2, 4], [6], [6]),
            ]
            for (x, p), out in zip([([0.5, 1], True), ([0.5, 1], False), ([3], True), ([3], False)], outs, strict=True)
        ),
    ],
)
def test_values(name, feeds, answers):
    with tf.Graph().as_default() as graph:
        tf.import_graph_def(definition(name), name="net")
        assert {graph.get_operation_by_name(f"net/{one}").type for one in answers} == {"Identity"}
        with v1.Session() as session:
            found = session.run(
                {one: f"net/{one}:0" for one in answers}, {f"net/{one}:0": value for one, value in feeds.items()}
            )
    for one, value in answers.items():
        np.testing.assert_allclose(found[one], value, rtol=1e-6)


def test_results_of_loops_keep_their_names():
    with tf.Graph().as_default() as graph:
        tf.import_graph_def(definition("loop"), name="")
        assert [graph.get_operation_by_name(name).type for name in ("while/Exit", "while/Exit_1")] == ["Identity"] * 2
        (slope,) = v1.gradients(graph.get_tensor_by_name("out:0"), graph.get_tensor_by_name("x:0"))
        with v1.Session() as session:
            assert session.run(slope, {"x:0": X, "n:0": 3}).tolist() == [[15] * 3] * 2


def test_in_a_function():
    imported = definition("ta")

    @tf.function(input_signature=[tf.TensorSpec([None, 2])])
    def summed(x):
        (out,) = tf.import_graph_def(imported, {"x:0": x}, ["out:0"])
        return out

    assert summed(ROWS).numpy().tolist() == SUMS
    with tf.GradientTape() as tape:
        x = tf.constant(ROWS)
        tape.watch(x)
        last = summed(x)[-1]
    assert tape.gradient(last, x).numpy().tolist() == [[1, 1]] * 3


@pytest.mark.parametrize("cut", ["Merge", "LoopCond"])
def test_what_makes_no_loop(cut):
    broken = definition("loop")
    for node in list(broken.node):
        if node.op == cut:
            node.op = "Identity"
    with (
        tf.Graph().as_default(),
        pytest.raises(tf.errors.InvalidArgumentError, match="the loop 'while/while_context' has"),
    ):
        tf.import_graph_def(broken)


def test_a_merge_of_no_branches():
    broken = definition("switch")
    for node in broken.node:
        if node.op == "Switch":
            node.op = "Identity"
    with tf.Graph().as_default(), pytest.raises(tf.errors.InvalidArgumentError, match="the two branches of one Switch"):
        tf.import_graph_def(broken)
