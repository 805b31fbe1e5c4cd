"""Names of operations and scopes in graphs; TensorFlow's."""

import pytest

import tfgrad_jax as tf


def in_graphs(program):
    """What a program returns in a graph and in a function."""
    with tf.Graph().as_default():
        first = program()
    found = []
    tf.function(lambda: found.append(program())).get_concrete_function()
    assert found == [first]
    return first


def test_scopes_that_are_opened_again_have_numbers():
    def program():
        opened = []
        for name in ("a", "a", "A", "p/q", "p/q", "p"):
            with tf.name_scope(name) as scope:
                opened.append(scope)
                for _ in range(2):
                    with tf.name_scope("b") as inner:
                        opened.append(inner)
        return opened

    assert in_graphs(program) == [
        *("a/", "a/b/", "a/b_1/", "a_1/", "a_1/b/", "a_1/b_1/", "A_2/", "A_2/b/", "A_2/b_1/"),
        *("p/q/", "p/q/b/", "p/q/b_1/", "p/q_1/", "p/q_1/b/", "p/q_1/b_1/", "p/", "p/b/", "p/b_1/"),
    ]


def test_a_scope_with_a_trailing_slash_is_the_same_again():
    def program():
        with tf.name_scope("a") as scope, tf.name_scope("b"):
            pass
        with tf.name_scope(scope) as again, tf.name_scope("b") as inner, tf.name_scope("") as top:
            return again, inner, top

    assert in_graphs(program) == ("a/", "a/b_1/", "")


def test_outside_of_graphs_scopes_have_no_numbers():
    for _ in range(2):
        with tf.name_scope("a") as scope:
            assert scope == "a/"


def test_functions_begin_outside_of_all_scopes():
    seen = []

    @tf.function
    def inner():
        with tf.name_scope("a") as scope:
            seen.append(scope)
        return tf.constant(1.0)

    @tf.function
    def outer():
        with tf.name_scope("a") as scope:
            seen.append(scope)
            return inner()

    with tf.name_scope("a"):
        outer()
        assert tf.get_current_name_scope() == "a"
    assert seen == ["a/", "a/"]


def test_variables_of_functions_have_the_scopes_of_these():
    made = []

    @tf.function
    def f():
        if not made:
            for _ in range(2):
                with tf.name_scope("in"):
                    made.append(tf.Variable(1.0, name="v"))
            with tf.name_scope("in"), tf.init_scope():
                assert tf.get_current_name_scope() == "in_2"
                for _ in range(2):
                    with tf.name_scope("in"):
                        made.append(tf.Variable(1.0, name="v"))

    with tf.name_scope("out"):
        f()
    assert [v.name for v in made] == ["in/v:0", "in_1/v:0", "in_2/in/v:0", "in_2/in/v:0"]


def test_bodies_of_control_flow_have_scopes():
    seen = []

    def body(x):
        for _ in range(2):
            with tf.name_scope("q") as scope:
                seen.append(scope)
        return x + 1.0

    @tf.function
    def f(x):
        with tf.name_scope("br"):
            tf.cond(x > 0.0, lambda: body(x), lambda: x)
            tf.while_loop(lambda i: i < 3.0, lambda i: [body(i)], [x])
            tf.map_fn(body, tf.constant([1.0, 2.0]))
            tf.vectorized_map(body, tf.constant([1.0, 2.0]))
            tf.switch_case(tf.cast(x, tf.int32), [lambda: body(x), lambda: x])

    f(tf.constant(1.0))
    scopes = ["cond", "while", "map/while", "loop_body", "switch_case/indexed_case"]
    assert list(dict.fromkeys(seen)) == [f"br/{s}/q{n}/" for s in scopes for n in ("", "_1")]


def test_operations_have_the_scope_and_the_name_that_the_caller_gives():
    @tf.function
    def f(x, y):
        assert (x.name, y["a"].name, x.op.name) == ("x:0", "y:0", "x")
        assert tf.multiply(x, x, name="my_mul").op.name == "my_mul"
        with tf.name_scope("s"):
            names = [
                tf.split(x, 2, name="sp")[1].name,
                tf.reduce_sum(x, name="rs").name,
                tf.identity(x, name="s/").name,
                (x + 1.0).name,
                (x + 1.0).name,
                tf.reduce_mean(x).name,
                tf.matmul(x[None], x[:, None], name="mm").name,
                tf.stop_gradient(x, "sg").name,
                tf.identity(x).name,
            ]
        assert names == [
            *("s/sp:1", "s/rs:0", "s:0", "s/add:0", "s/add_1:0", "s/Mean:0", "s/mm:0", "s/sg:0", "s/Identity:0")
        ]
        return x

    f(tf.constant([1.0, 2.0]), {"a": tf.constant(2.0)})


def test_names_that_nobody_gives():
    with tf.Graph().as_default() as graph:
        x = tf.compat.v1.placeholder(tf.float32, [2])
        _ = -(2.0 * x + x - 1.0) / x // 3.0 % x**2.0
        tf.concat([x, x], 0), tf.stack([x, x]), tf.split(x, 2), tf.unstack(x), tf.transpose(x), tf.square(x)
    assert [o.name for o in graph.get_operations() if o.type != "Placeholder"] == [
        *("mul", "add", "sub", "Neg", "truediv", "floordiv", "pow", "mod"),
        *("concat", "stack", "split", "unstack", "transpose", "Square"),
    ]


def test_graphs_tell_and_open_scopes():
    graph = tf.Graph()
    with graph.as_default(), graph.name_scope("k") as scope:
        assert (scope, graph.get_name_scope(), graph.unique_name("zz")) == ("k/", "k", "k/zz")
    names = [graph.unique_name(n, mark_as_used=n != "free") for n in ("zz", "ZZ", "k", "zz", "free", "free")]
    assert names == ["zz", "ZZ_1", "k_1", "zz_2", "free", "free"]


@pytest.mark.parametrize("name", ["a b", "_x", ">a", "/"])
def test_scopes_need_names(name):
    with tf.name_scope(name):  # outside of graphs anything goes
        pass
    with tf.Graph().as_default():
        with pytest.raises(ValueError, match="is not a valid root scope name"), tf.name_scope(name):
            pass
        with tf.name_scope("z"), tf.name_scope("_x") as scope:
            assert scope.startswith("z/_x")


def test_operations_need_names():
    with tf.Graph().as_default():
        x = tf.compat.v1.placeholder(tf.float32, [2])
        with pytest.raises(ValueError, match="`a b` is not a valid"):
            tf.square(x, name="a b")


def test_modules_made_in_graphs_keep_their_scopes():
    with tf.Graph().as_default():
        module = tf.Module(name="mod")
        for _ in range(2):
            with module.name_scope as scope:
                assert scope == "mod/"
        with tf.name_scope("mod") as scope:
            assert scope == "mod_1/"
