"""Variables that begin with values of a checkpoint, which TensorFlow finds by the same names."""

from __future__ import annotations

import numpy as np
import pytest

import tfgrad_jax as tf

v1 = tf.compat.v1
W = np.arange(6, dtype=np.float32).reshape(3, 2)


@pytest.fixture(scope="module")
def checkpoint(tmp_path_factory):
    with tf.Graph().as_default(), v1.Session() as session:
        v1.get_variable("a", initializer=[1.0, 2.0])
        with v1.variable_scope("m"):
            v1.get_variable("w", initializer=W)
            v1.get_variable("n/b", initializer=[7.0])
        session.run(v1.global_variables_initializer())
        return v1.train.Saver().save(session, str(tmp_path_factory.mktemp("saved") / "c"))


def values(begin, shapes, partitioner=None, trainable=True):
    """What variables below "s" have after their initializers."""
    with tf.Graph().as_default(), v1.variable_scope("s", partitioner=partitioner):
        made = [
            v1.get_variable(n, s, initializer=v1.zeros_initializer(), trainable=trainable) for n, s in shapes.items()
        ]
        begin(made)
        with v1.Session() as session:
            session.run(v1.global_variables_initializer())
            return [session.run(v if partitioner is None else v.as_tensor()).tolist() for v in made]


def init(checkpoint, pairs):
    return lambda made: v1.train.init_from_checkpoint(checkpoint, pairs(made) if callable(pairs) else pairs)


def test_by_variable_name_and_scope(checkpoint):
    assert values(init(checkpoint, lambda made: {"a": made[0]}), {"x": [2]}) == [[1.0, 2.0]]
    assert values(init(checkpoint, {"a": "s/x"}), {"x": [2]}) == [[1.0, 2.0]]
    assert values(init(checkpoint, {"m/": "s/"}), {"w": [3, 2], "n/b": [1]}) == [W.tolist(), [7.0]]
    assert values(init(checkpoint, {"/": "s/"}), {"a": [2], "m/w": [3, 2]}) == [[1.0, 2.0], W.tolist()]
    assert values(init(checkpoint, {"m/n/": "s/n/"}), {"n/b": [1], "w": [2]}) == [[7.0], [0.0, 0.0]]
    assert values(init(checkpoint, {"m/": "elsewhere/"}), {"w": [1]}) == [[0.0]]


@pytest.mark.parametrize("pairs", [{"m/": "s/"}, {"m/w": "s/w"}, lambda made: {"m/w": made[0]}])
def test_variables_in_pieces(checkpoint, pairs):
    assert values(init(checkpoint, pairs), {"w": [3, 2]}, v1.fixed_size_partitioner(2)) == [W.tolist()]


@pytest.mark.parametrize(
    "pairs, message",
    [
        ({"m/w": "s/w"}, r"Shape of variable s/w:0 \(\(2, 2\)\) doesn't match with shape of tensor m/w \(\[3, 2\]\)"),
        ({"zz": "s/w"}, "Tensor zz is not found in"),
        ({"m/n/": "s/"}, r"Tensor m/n/a \(a in m/n/\) is not found in"),
        ({"m": "s/"}, "scope only name s should map to scope only m"),
    ],
)
def test_what_does_not_fit_changes_nothing(checkpoint, pairs, message):
    def begin(made):
        with pytest.raises(ValueError, match=message):
            v1.train.init_from_checkpoint(checkpoint, {"a": made[1], **pairs})

    assert values(begin, {"w": [2, 2], "a": [2]}) == [[[0.0, 0.0]] * 2, [0.0, 0.0]]


def test_what_was_recorded_before_gives_the_old_value(checkpoint):
    with tf.Graph().as_default(), v1.Session() as session:
        v = v1.get_variable("a", [2], initializer=v1.zeros_initializer())
        before = v1.global_variables_initializer()
        v1.train.init_from_checkpoint(checkpoint, {"a": v})
        session.run(before)
        assert session.run(v).tolist() == [0.0, 0.0]
        session.run(v.initializer)
        assert session.run(v).tolist() == [1.0, 2.0]


def test_variables_that_run_at_once(checkpoint):
    v = tf.Variable([0.0, 0.0])
    v1.train.init_from_checkpoint(checkpoint, {"a": v})
    assert v.numpy().tolist() == [1.0, 2.0]
    with pytest.raises(TypeError, match="must stand for a variable"):
        v1.train.init_from_checkpoint(checkpoint, {"a": 3})


def test_warm_start(checkpoint):
    def start(**how):
        return lambda made: v1.train.warm_start(checkpoint, var_name_to_prev_var_name={"s/w": "m/w"}, **how)

    assert values(start(), {"w": [3, 2]}) == [W.tolist()]
    assert values(start(vars_to_warm_start=["s/w"]), {"w": [3, 2]}, trainable=False) == [W.tolist()]
    assert values(start(), {"w": [3, 2]}, v1.fixed_size_partitioner(3)) == [W.tolist()]
    assert values(lambda made: v1.train.warm_start(checkpoint, None), {"w": [1]}) == [[0.0]]
    for how, message in (
        ({"vars_to_warm_start": "none"}, "were not used: {'s/w'}"),
        ({"vars_to_warm_start": 3}, "must be a `list` or `str`"),
        ({"vars_to_warm_start": [3]}, "all `Variable` or all `str`"),
    ):
        with pytest.raises(ValueError, match=message):
            values(start(**how), {"w": [3, 2]})
    with pytest.raises(NotImplementedError, match="var_name_to_vocab_info"):
        values(start(var_name_to_vocab_info={"s/w": None}), {"w": [3, 2]})
