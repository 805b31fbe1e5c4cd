"""`tape.draw`: what a tape recorded, as a table and as a picture."""

from __future__ import annotations

import re
from xml.etree import ElementTree

import pytest

import tfgrad_jax as tf


@pytest.fixture(autouse=True, params=["immediate", "fused"])
def _mode(request):
    with tf.extras.execution(request.param):
        yield


def model():
    w, b = tf.Variable(tf.ones([3, 4]), name="w"), tf.Variable(tf.zeros([4]), name="b")
    with tf.GradientTape() as tape:
        h = tf.tanh(tf.ones([5, 3]) @ w + b)
        rounded = tf.round(h) * b
        loss = tf.reduce_sum(h)
    return tape, loss, rounded, [w, b]


def test_the_table_tells_shapes_bytes_and_paths():
    tape, loss, _, sources = model()
    drawing = tape.draw(loss)
    # Kept: the left factor of the product (5 x 3 floats), the result of tanh (5 x 4), and two operands of the second product,
    # the rounded tensor (5 x 4) and b (4).
    assert drawing.kept == 4 * (15 + 20 + 20 + 4)
    lines = str(drawing).splitlines()
    assert lines[0] == "6 operations, 236 B kept for the backward pass"
    assert [s.name for s in drawing.shapes if s.carries] == ["w:0", "MatMul", "b:0", "AddV2", "Tanh", "Sum"]
    assert re.search(r"1\*\s+MatMul\s+float32\[5,4\]\s+0\s+keeps 1 tensor, 60 B", str(drawing))
    assert [s.kind for s in drawing.shapes if s.name == "no gradient beyond"] == ["end"]
    assert tape.gradient(loss, sources)[0].shape == (3, 4), "drawing is no question"


def test_without_target_nothing_is_marked():
    tape, *_ = model()
    assert not any(s.carries for s in tape.draw().shapes) and "*" not in str(tape.draw())


def test_the_picture_is_svg_without_overlaps(tmp_path):
    tape, loss, *_ = model()
    drawing = tape.draw(loss, tmp_path / "tape.svg")
    text = (tmp_path / "tape.svg").read_text()
    assert text == drawing._repr_svg_()
    root = ElementTree.fromstring(text)
    name = "{http://www.w3.org/2000/svg}"
    boxes = [
        [float(r.get(k)) for k in ("x", "y", "width", "height")]
        for g in root.iter(f"{name}g")
        for r in g.iter(f"{name}rect")
    ]
    assert len(boxes) == len(drawing.shapes)
    for i, (x, y, w, h) in enumerate(boxes):
        assert x >= 0 and x + w <= float(root.get("width")) and y + h <= float(root.get("height"))
        assert not any(x < u + t and u < x + w and y < v + s and v < y + h for u, v, t, s in boxes[:i])


def test_many_operations_become_fewer_boxes():
    x = tf.Variable(1.0)
    with tf.GradientTape() as tape:
        y = x
        for _ in range(1000):
            y = tf.sin(y) + x
    drawing = tape.draw(y)
    assert drawing.operations == 2000 and 50 <= len(drawing.shapes) <= 200
    assert "Sin" in str(drawing) and all(i < n for n, s in enumerate(drawing.shapes) for i in s.ins)
    assert all(s.carries for s in drawing.shapes)


def test_a_tape_that_was_asked_has_nothing_to_draw():
    tape, loss, _, sources = model()
    tape.gradient(loss, sources)
    assert str(tape.draw()).startswith("The tape keeps nothing")
    ElementTree.fromstring(tape.draw()._repr_svg_())


def test_functions_and_custom_gradients_are_boxes():
    x = tf.Variable(2.0)

    @tf.custom_gradient
    def double(a):
        return a * 2, lambda d: d

    with tf.GradientTape() as tape:
        y = tf.function(lambda a: tf.sin(a) * a)(double(x))
    carries = [s for s in tape.draw(y).shapes if s.carries]
    assert [s.kind for s in carries] == ["source", "op", "op"] and carries[0].name == x.name
