"""`tf.raw_ops` that change variables: steps for some rows, and draws from a state. Numbers are TensorFlow's."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import tfgrad_jax as tf

R = tf.raw_ops

NUMBERS = {
    "lr": 0.1, "rho": 0.9, "epsilon": 0.01, "l1": 0.05, "l2": 0.02, "l2_shrinkage": 0.03, "lr_power": -0.5, "momentum": 0.9,
    "alpha": 0.1, "global_step": np.int64(3),
}  # fmt: skip
STEPS = {
    "Adadelta": "var accum accum_update; lr rho epsilon",
    "Adagrad": "var accum; lr",
    "AdagradDA": "var gradient_accumulator gradient_squared_accumulator; lr l1 l2 global_step",
    "AdagradV2": "var accum; lr epsilon",
    "CenteredRMSProp": "var mg ms mom; lr rho momentum epsilon",
    "Ftrl": "var accum linear; lr l1 l2 lr_power",
    "FtrlV2": "var accum linear; lr l1 l2 l2_shrinkage lr_power",
    "KerasMomentum": "var accum; lr momentum",
    "Momentum": "var accum; lr momentum; use_nesterov",
    "ProximalAdagrad": "var accum; lr l1 l2",
    "ProximalGradientDescent": "var; alpha l1 l2",
    "RMSProp": "var ms mom; lr rho momentum epsilon",
}
DRAWS = {
    "StatefulStandardNormalV2": lambda tf, v: tf.raw_ops.StatefulStandardNormalV2(resource=v, algorithm=1, shape=[5]),
    "StatefulTruncatedNormal": lambda tf, v: tf.raw_ops.StatefulTruncatedNormal(resource=v, algorithm=1, shape=[5]),
    "StatefulUniform": lambda tf, v: tf.raw_ops.StatefulUniform(resource=v, algorithm=1, shape=[5], dtype=tf.float64),
    "StatefulUniformInt": lambda tf, v: tf.raw_ops.StatefulUniformInt(
        resource=v, algorithm=1, shape=[5], minval=np.int64(3), maxval=np.int64(900)
    ),
    "StatefulUniformFullInt": lambda tf, v: tf.raw_ops.StatefulUniformFullInt(
        resource=v, algorithm=1, shape=[3], dtype=tf.int32
    ),
    "RngReadAndSkip": lambda tf, v: tf.raw_ops.RngReadAndSkip(resource=v, alg=1, delta=np.uint64(7)),
    "RngSkip": lambda tf, v: tf.raw_ops.RngSkip(resource=v, algorithm=1, delta=7),
    "ResourceCountUpTo": lambda tf, v: tf.raw_ops.ResourceCountUpTo(resource=v, limit=99, T=tf.int64),
}
PATH = Path(__file__).parent / "of_variables.json"


def step(tf, name):
    """The variables after a step, of which the rows in the middle stay."""
    slots, numbers, *flags = [part.split() for part in STEPS[name].split(";")]
    table = np.linspace(-1.0, 1.0, 8, dtype=np.float32).reshape(4, 2)
    variables = {slot: tf.Variable(table if slot in ("var", "linear") else abs(table) + 0.5) for slot in slots}
    options = {n: NUMBERS[n] for n in numbers} | {flag: True for names in flags for flag in names}

    def take(grad, indices):
        getattr(tf.raw_ops, f"ResourceSparseApply{name}")(
            **{slot: v.handle for slot, v in variables.items()}, grad=grad, indices=indices, **options
        )

    return take, (tf.constant([[0.5, -1.0], [2.0, 0.25]]), tf.constant([3, 0])), list(variables.values())


def draw(tf, name, wrap=lambda f: f):
    """Two draws, and the state after them."""
    state = tf.Variable(np.array(9 if name == "ResourceCountUpTo" else [9, 2, 5], np.int64))
    call = wrap(lambda: DRAWS[name](tf, state.handle))
    found = [call() for _ in range(2)]
    return [np.asarray(v).tolist() for v in [*found, state.numpy()] if v is not None]


@pytest.mark.parametrize("traced", [False, True])
@pytest.mark.parametrize("name", STEPS)
def test_steps_of_rows(name, traced):
    take, arguments, variables = step(tf, name)
    (tf.function(take) if traced else take)(*arguments)
    for variable, expected in zip(variables, json.loads(PATH.read_text())[name], strict=True):
        np.testing.assert_allclose(variable, expected, rtol=1e-5, atol=1e-6)


def test_a_row_that_comes_twice_is_refused():
    take, (grad, _), _ = step(tf, "Adagrad")
    with pytest.raises(
        tf.errors.InvalidArgumentError, match="ResourceSparseApplyAdagrad: a row that comes several times"
    ):
        take(grad, tf.constant([1, 1]))


@pytest.mark.parametrize("wrap", [lambda f: f, tf.function], ids=["eagerly", "in functions"])
@pytest.mark.parametrize("name", DRAWS)
def test_draws_from_a_state(name, wrap):
    for found, expected in zip(draw(tf, name, wrap), json.loads(PATH.read_text())[name], strict=True):
        np.testing.assert_allclose(found, expected, rtol=2e-5)


def test_counting_ends():
    v = tf.Variable(3)
    with pytest.raises(tf.errors.OutOfRangeError, match="Reached limit of 3"):
        tf.raw_ops.ResourceCountUpTo(resource=v.handle, limit=3, T=tf.int32)


def _at_zero(v, raw, **more):
    return getattr(R, raw)(resource=v.handle, indices=tf.constant([0]), updates=tf.constant([0.5]), **more)


@pytest.mark.parametrize(
    ("update", "values"),
    [
        (lambda v, m: R.AssignVariableOp(resource=v.handle, value=tf.constant([5.0, 6.0])), [[5, 6], [0, 0]]),
        (lambda v, m: R.AssignAddVariableOp(resource=v.handle, value=tf.constant([5.0, 6.0])), [[6, 8], [0, 0]]),
        (lambda v, m: _at_zero(v, "ResourceScatterAdd"), [[1.5, 2], [0, 0]]),
        (lambda v, m: _at_zero(v, "ResourceScatterUpdate"), [[0.5, 2], [0, 0]]),
        (
            lambda v, m: R.ResourceScatterNdSub(ref=v.handle, indices=tf.constant([[0]]), updates=tf.constant([0.5])),
            [[0.5, 2], [0, 0]],
        ),
        (
            lambda v, m: R.ResourceApplyMomentum(
                var=v.handle, accum=m.handle, lr=tf.constant(0.1), grad=tf.ones([2]), momentum=tf.constant(0.9)
            ),
            [[0.9, 1.9], [1, 1]],
        ),
        (
            lambda v, m: R.ResourceSparseApplyKerasMomentum(
                var=v.handle, accum=m.handle, lr=tf.constant(0.1), grad=tf.constant([0.5]), indices=tf.constant([0]),
                momentum=tf.constant(0.9),
            ),
            [[0.95, 2], [-0.05, 0]],
        ),
    ],
)  # fmt: skip
def test_updates_in_graphs_are_operations_that_sessions_run(update, values):
    v1 = tf.compat.v1
    with tf.Graph().as_default(), v1.Session() as session:
        v, m = tf.Variable([1.0, 2.0]), tf.Variable([0.0, 0.0])
        made = update(v, m)
        assert isinstance(made, tf.Operation)
        session.run(v1.global_variables_initializer())
        np.testing.assert_array_equal(session.run(v), [1, 2])
        session.run(made)
        np.testing.assert_allclose(session.run([v, m]), values, rtol=1e-6)


def test_updates_of_tables_in_graphs_are_operations_too():
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        table = tf.lookup.experimental.MutableHashTable(tf.int64, tf.int64, -1)
        one, five = tf.constant([1], tf.int64), tf.constant([5], tf.int64)
        put = R.LookupTableInsertV2(table_handle=table.resource_handle, keys=one, values=five)
        assert session.run(table.lookup(one)).tolist() == [-1]
        session.run(put)
        assert session.run(table.lookup(one)).tolist() == [5]
