"""`tf.compat.v1`'s variables: scopes and their names, assignments, templates, steps, collections."""

from __future__ import annotations

import numpy as np
import pytest

import tfgrad_jax as tf

c = tf.compat.v1
ONES = c.ones_initializer()


def test_names_of_scopes():
    with c.variable_scope("a"), c.variable_scope("b") as inner:
        w, x = c.get_variable("w", [1]), tf.Variable(1.0, name="q")
        assert (inner.name, inner.original_name_scope, c.get_variable_scope().name) == ("a/b", "a/b/", "a/b")
        assert (w.name, x.name, tf.get_current_name_scope()) == ("a/b/w:0", "a/b/q:0", "a/b")
    with c.variable_scope(inner):  # its last part is the name scope
        assert (tf.Variable(1.0, name="n").name, c.get_variable("k", []).name) == ("b/n:0", "a/b/k:0")
    with c.variable_scope(inner, auxiliary_name_scope=False):
        assert (tf.Variable(1.0, name="n").name, c.get_variable("k", []).name) == ("n:0", "a/b/k:0")
    assert c.get_variable_scope().name == ""


def test_default_names_are_unique():
    names = []
    for _ in range(2):
        with c.variable_scope(None, "unique_scope") as scope, c.variable_scope(None, "unique_scope") as inner:
            names += [scope.name, inner.name]
    assert names == ["unique_scope", "unique_scope/unique_scope", "unique_scope_1", "unique_scope_1/unique_scope"]
    with pytest.raises(TypeError, match="name_or_scope is required"):
        c.variable_scope(None)


def test_eager_variables_are_made_anew():
    with c.variable_scope("anew", reuse=True) as scope:
        assert scope.reuse is c.AUTO_REUSE
        assert c.get_variable("w", [2]) is not c.get_variable("w", [2])
    assert c.global_variables() == c.trainable_variables() == []


def test_settings_of_scopes():
    with c.variable_scope("s", initializer=ONES, dtype=tf.float64, constraint=tf.abs) as scope:
        w = c.get_variable("k", [2])
        assert (w.dtype, w.numpy().tolist(), w.constraint) == (tf.float64, [1.0, 1.0], tf.abs)
        scope.set_initializer(c.zeros_initializer())
        assert c.get_variable("z", [1]).numpy().tolist() == [0.0]

    def renamed(getter, name, **given):
        return getter(name=f"{name}_x", **given)

    with c.variable_scope("s", custom_getter=renamed):
        assert c.get_variable("k", [1]).name == "s/k_x:0"


def test_values_of_variables():
    assert c.get_variable("z", initializer=[1.0, 2.0]).numpy().tolist() == [1.0, 2.0]
    assert c.get_variable("z", initializer=3).dtype == tf.int32
    assert c.get_variable("z", initializer=lambda: tf.ones([3])).shape == [3]
    assert c.get_variable("z", [2], tf.string).numpy().tolist() == [b"", b""]
    assert c.get_variable("z", [2], initializer=tf.zeros_initializer).numpy().tolist() == [0.0, 0.0]
    assert not c.get_local_variable("z", [2]).trainable
    with pytest.raises(ValueError, match="do not specify shape"):
        c.get_variable("z", [2], initializer=tf.constant(1.0))
    with pytest.raises(ValueError, match="must be specified"):
        c.get_variable("z")
    with pytest.raises(ValueError, match="don't match"):
        c.get_variable("z", initializer=np.ones(2), dtype=tf.float32)
    with pytest.raises(ValueError, match="is required"):
        c.get_variable("z", [2], tf.complex64)


def test_functions_find_variables_again():
    @tf.function
    def f(x):
        with c.variable_scope("found_again", reuse=c.AUTO_REUSE):
            w = c.get_variable("w", [2], initializer=ONES)
            assert w is c.get_variable("w", [2])
            with pytest.raises(ValueError, match="specified shape"):
                c.get_variable("w", [3])
        return w * x

    assert f(tf.constant(2.0)).numpy().tolist() == [2.0, 2.0]
    assert f(tf.constant([2.0, 3.0])).numpy().tolist() == [2.0, 3.0]

    @tf.function
    def twice():
        c.get_variable("made_twice", [2])
        c.get_variable("made_twice", [2])

    with pytest.raises(ValueError, match="already exists"):
        twice()

    @tf.function
    def missing():
        with c.variable_scope("nowhere", reuse=True):
            c.get_variable("w", [2])

    with pytest.raises(ValueError, match="does not exist"):
        missing()


def test_templates():
    def scaled(x, y=2):
        with c.variable_scope("in"):
            return c.get_variable("w", [1], initializer=ONES) * x * y

    template = c.make_template("template", scaled, y=3)
    assert template(2.0).numpy().tolist() == template(2.0).numpy().tolist() == [6.0]
    assert [v.name for v in template.variables] == ["template/in/w:0"]
    assert (template.name, template.variable_scope_name) == ("template", "template/")
    assert list(template._trackable_children()) == ["in/w"]
    assert tf.function(lambda x: template(x))(tf.constant(1.0)).numpy().tolist() == [3.0]
    assert c.make_template("template", scaled, create_scope_now_=True).variable_scope_name == "template_1/"
    named = c.make_template("named", lambda name: c.get_variable(name, [1]))
    named("a")
    with pytest.raises(ValueError, match="after the first time"):
        named("b")


def test_assignments():
    v = c.Variable(3.0, False, name="v")
    assert isinstance(v, tf.Variable) and not v.trainable and not isinstance(v, c.Variable)
    assert float(c.assign(v, 4.0)) == 4.0 and float(c.assign_add(v, 1.0)) == 5.0 and float(c.assign_sub(v, 2.0)) == 3.0
    with pytest.raises(AttributeError, match="must be a tf"):
        c.assign(tf.constant(1.0), 2.0)
    for how, expected in {
        "add": 9.0,
        "sub": -1.0,
        "mul": 24.0,
        "div": 2 / 3,
        "min": 2.0,
        "max": 4.0,
        "update": 3.0,
    }.items():
        w = getattr(c, f"scatter_{how}")(tf.Variable([4.0, 2.0]), [0, 0], [2.0, 3.0])
        np.testing.assert_allclose(w, [expected, 2.0], rtol=1e-6)
    assert c.scatter_update(tf.Variable([4.0, 2.0]), 0, 7.0).numpy().tolist() == [7.0, 2.0]
    assert c.scatter_nd_add(tf.Variable([4.0, 2.0]), [[1]], [3.0]).numpy().tolist() == [4.0, 5.0]
    rows = c.batch_scatter_update(tf.Variable([[1.0, 2.0], [3.0, 4.0]]), [[0], [1]], [[5.0], [6.0]])
    assert rows.numpy().tolist() == [[5.0, 2.0], [3.0, 6.0]]
    counter = tf.Variable(2)
    assert int(c.count_up_to(counter, 3)) == 2 and int(counter) == 3
    with pytest.raises(tf.errors.OutOfRangeError, match="limit of 3"):
        c.count_up_to(counter, 3)


def test_nothing_is_left_to_initialize():
    v = tf.Variable(1.0)
    assert bool(c.is_variable_initialized(v)) and c.report_uninitialized_variables().shape == [0]
    assert c.variables_initializer([v]) is c.global_variables_initializer() is c.local_variables_initializer() is None


def test_collections():
    c.add_to_collection("things", 1)
    c.add_to_collections(["things", "others"], tf.Variable(1.0, name="a/b"))
    assert len(c.get_collection("things")) == 2 and len(c.get_collection("things", scope="a/")) == 1

    @tf.function
    def inside():
        assert len(c.get_collection("things")) == 2
        c.add_to_collection("things", 3)
        assert len(c.get_collection("things")) == 3

    inside()
    assert len(c.get_collection("things")) == 2  # a function's own
    c.get_collection_ref("things").clear()


def test_global_step():
    step = c.train.get_or_create_global_step()
    assert step is c.train.get_global_step() and step.dtype == tf.int64 and not step.trainable
    before = int(step)

    @tf.function
    def count():
        c.assign_add(c.train.get_or_create_global_step(), 1)

    count()
    assert c.train.global_step(None, step) == before + 1
    with pytest.raises(ValueError, match="already exists"):
        c.train.create_global_step()
    with pytest.raises(TypeError, match="integer type"):
        c.train.assert_global_step(tf.Variable(1.0))


def test_constants_of_graphs_repeat_their_last_element():
    initializer = tf.compat.v1.constant_initializer([1, 2, 3])
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        v = tf.compat.v1.get_variable("v", [2, 3], initializer=initializer)
        session.run(v.initializer)
        assert session.run(v).tolist() == [[1.0, 2.0, 3.0], [3.0, 3.0, 3.0]]
        assert session.run(tf.compat.v1.constant([4, 5], shape=[3])).tolist() == [4, 5, 5]
        with pytest.raises(ValueError, match=r"Too many elements provided\. Takes at most 2, but got 3"):
            tf.compat.v1.get_variable("w", [2], initializer=initializer)
    with pytest.raises(TypeError):
        initializer([2, 3])
