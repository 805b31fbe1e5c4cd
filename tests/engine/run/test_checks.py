"""Checks of values inside compiled functions: TensorFlow's errors, where they come from, what they leave behind, and the switch."""

from __future__ import annotations

import numpy as np
import pytest

import tfgrad_jax as tf

BAD = tf.errors.InvalidArgumentError


@pytest.fixture
def x():
    return tf.constant([1.0, 2.0, 3.0])


@pytest.fixture(autouse=True)
def switch():
    yield
    tf.extras.runtime_checks(None)


ROWS = {
    "gather": (lambda x, i: tf.gather(x, i), [0, 5], r"indices\[1\] = 5 is not in \[0, 3\)"),
    "gather of a scalar": (lambda x, i: tf.gather(x, i), 5, r"indices = 5 is not in \[0, 3\)"),
    "gather along an axis": (lambda x, i: tf.gather(x[None], i, axis=1), [[0], [-1]], r"indices\[1,0\] = -1"),
    "gather in batches": (lambda x, i: tf.gather(tf.stack([x, x]), i, batch_dims=1), [[0], [3]], r"indices\[1,0\] = 3"),
    "gather_nd": (lambda x, i: tf.gather_nd(x[None], i), [[0, 1], [1, 0]], r"indices\[1\] = \[1, 0\] does not index"),
    "embedding": (lambda x, i: tf.nn.embedding_lookup(x, i), [3], r"indices\[0\] = 3"),
    "scatter_nd": (lambda x, i: tf.scatter_nd(i, x[:1], [3]), [[7]], r"indices\[0\] = \[7\] does not index"),
    "tensor_scatter": (lambda x, i: tf.tensor_scatter_nd_update(x, i, x[:1]), [[-1]], r"indices\[0\] = \[-1\]"),
    "segments": (lambda x, i: tf.math.unsorted_segment_sum(x, i, 2), [0, 1, 2], r"segment_ids\[2\] = 2"),
    "index": (lambda x, i: x[i], -4, "slice index -1 of dimension 0 out of bounds"),
    "slice": (lambda x, i: tf.slice(x, [i], [2]), 2, r"Expected size\[0\] in \[0, 1\], but got 2"),
    "reverse_sequence": (lambda x, i: tf.reverse_sequence(x[None], i, seq_axis=1), [4], "seq_lens"),
    "labels": (
        lambda x, i: tf.nn.sparse_softmax_cross_entropy_with_logits(labels=i, logits=x[None]),
        [3],
        "label value of 3",
    ),
    "floordiv": (lambda x, i: 7 // i, [1, 0], "Integer division by zero"),
    "mod": (lambda x, i: 7 % i, [1, 0], "Integer division by zero"),
    "pow": (lambda x, i: tf.constant(2) ** i, [1, -1], "negative integer powers"),
    "inverse": (lambda x, i: tf.linalg.inv(tf.zeros([2, 2]) * x[i]), 0, "not invertible"),
    "lu": (lambda x, i: tf.linalg.lu(tf.zeros([2, 2]) * x[i]).lu, 0, "Input is not invertible"),
    "solve": (lambda x, i: tf.linalg.solve(tf.zeros([2, 2]) * x[i], tf.ones([2, 1])), 0, "not invertible"),
}


@pytest.mark.parametrize("name", ROWS)
def test_a_function_raises_what_the_operation_raises_eagerly(name, x):
    function, index, message = ROWS[name]
    index = tf.constant(index)
    with pytest.raises(BAD, match=message):
        tf.function(function)(x, index)
    with pytest.raises(BAD, match=message):
        np.asarray(function(x, index))


@pytest.mark.parametrize("name", ROWS)
def test_sizes_that_the_trace_does_not_know(name, x):
    function, index, message = ROWS[name]
    index = tf.constant(index)
    function = tf.function(function, input_signature=[tf.TensorSpec([None]), tf.TensorSpec(index.shape, tf.int32)])
    with pytest.raises(BAD, match=message):
        function(x, index)


@pytest.mark.parametrize("name", ["gather", "gather_nd", "tensor_scatter", "floordiv", "mod", "pow"])
def test_small_integers_that_are_known_while_it_is_traced(name):
    function, index, message = ROWS[name]
    runs = tf.function(lambda: function(tf.constant([1, 2, 3]), tf.constant(index)))
    runs.get_concrete_function()  # nothing is raised before it runs
    for _ in range(2):
        with pytest.raises(BAD, match=message):
            runs()


def test_the_message_names_the_users_line(x):
    @tf.function
    def f(x, i):
        return tf.gather(x, i)  # this one

    with pytest.raises(BAD) as caught:
        f(x, tf.constant([3]))
    line = f.python_function.__code__.co_firstlineno + 2
    assert caught.value.__notes__ == [f"GatherV2 was recorded at {__file__}:{line}"]


def test_the_first_failure_is_told(x):
    @tf.function
    def f(x, i, j):
        return tf.gather(x, i) + tf.gather(x, j)

    with pytest.raises(BAD, match="= 7 is"):
        f(x, tf.constant([7]), tf.constant([9]))
    with pytest.raises(BAD, match="= 9 is"):
        f(x, tf.constant([0]), tf.constant([9]))
    assert f(x, tf.constant([0]), tf.constant([2])).numpy() == 4.0


def test_what_nobody_needs_is_not_checked(x):
    @tf.function
    def f(x, i):
        tf.gather(x, i)
        return i

    assert f(x, tf.constant([5])).numpy() == 5


def test_good_values_raise_nothing_after_bad_ones(x):
    f = tf.function(lambda x, i: tf.gather(x, i))
    for i in (0, 5, 2, -1, 1):
        if 0 <= i < 3:
            assert f(x, tf.constant(i)).numpy() == i + 1.0
        else:
            with pytest.raises(BAD):
                f(x, tf.constant(i))


def test_under_a_tape(x):
    v = tf.Variable([1.0, 2.0, 3.0])

    @tf.function
    def f(i):
        return tf.reduce_sum(tf.gather(v, i) ** 2)

    with tf.GradientTape() as tape:
        y = f(tf.constant([0, 2]))
    np.testing.assert_allclose(tf.convert_to_tensor(tape.gradient(y, v)).numpy(), [2.0, 0.0, 6.0])
    with tf.GradientTape() as tape, pytest.raises(BAD, match=r"indices\[0\] = 4"):
        f(tf.constant([4]))


def test_only_the_branch_that_is_taken(x):
    @tf.function
    def f(x, i):
        if i < 3:
            y = tf.gather(x, i)
        else:
            y = tf.constant(0.0)
        return y

    assert f(x, tf.constant(9)).numpy() == 0.0
    assert f(x, tf.constant(1)).numpy() == 2.0
    with pytest.raises(BAD, match="indices = -1"):
        f(x, tf.constant(-1))


@pytest.mark.parametrize("under_tape", [False, True])
@pytest.mark.parametrize("known", [False, True])
def test_in_loops(x, under_tape, known):
    @tf.function
    def f(x, n):
        total = 0.0
        for i in tf.range(4 if known else n):
            total += tf.gather(x, i % n)
        return total

    @tf.function
    def g(x, n):
        total = 0.0
        for i in tf.range(4 if known else n):
            total += x[i]
        return total

    with tf.GradientTape() as tape:
        if under_tape:
            tape.watch(x)
        assert f(x, tf.constant(3)).numpy() == (7.0 if known else 6.0)
        with pytest.raises(BAD, match="slice index 3 of dimension 0"):
            g(x, tf.constant(4))
        if known:
            with pytest.raises(BAD, match="Integer division by zero"):
                f(x, tf.constant(0))


def test_in_the_condition_of_a_loop(x):
    @tf.function
    def f(x, limit):
        i = 0
        while x[i] < limit:
            i += 1
        return i

    assert f(x, tf.constant(2.5)).numpy() == 2
    with pytest.raises(BAD, match="slice index 3 of dimension 0"):
        f(x, tf.constant(9.0))


def test_a_loop_ends_when_a_check_fails(x):
    @tf.function
    def f(x, i):
        while tf.gather(x, i) < 1e9:
            i += 1
        return i

    with pytest.raises(BAD, match="indices = 3"):
        f(x, tf.constant(0))


def test_in_map_fn_and_scan(x):
    @tf.function
    def f(x, i):
        return tf.map_fn(lambda k: tf.gather(x, k), i, fn_output_signature=tf.float32)

    @tf.function
    def g(x, i):
        return tf.scan(lambda acc, k: acc + x[k], i, initializer=0.0)

    np.testing.assert_array_equal(f(x, tf.constant([2, 0])).numpy(), [3.0, 1.0])
    np.testing.assert_array_equal(g(x, tf.constant([2, 0])).numpy(), [3.0, 4.0])
    with pytest.raises(BAD, match="indices = 3"):
        f(x, tf.constant([0, 3]))
    with pytest.raises(BAD, match="slice index 3"):
        g(x, tf.constant([0, 3]))


def test_in_a_function_inside_a_function(x):
    inner = tf.function(lambda x, i: tf.gather(x, i))

    @tf.function
    def outer(x, i):
        return inner(x, i) + inner(x, i + 1)

    assert outer(x, tf.constant(1)).numpy() == 5.0
    with pytest.raises(BAD, match="indices = 3"):
        outer(x, tf.constant(2))


def test_in_a_function_that_reads_a_size(x):
    @tf.function
    def f(x, n, i):
        return tf.gather(tf.ones([n]), i) + tf.gather(x, i)

    assert f(x, tf.constant(3), tf.constant(2)).numpy() == 4.0
    with pytest.raises(BAD, match=r"indices = 2 is not in \[0, 2\)"):
        f(x, tf.constant(2), tf.constant(2))


def test_tensor_arrays(x):
    @tf.function
    def f(x, i):
        return tf.TensorArray(tf.float32, 3).unstack(x).read(i)

    assert f(x, tf.constant(2)).numpy() == 3.0
    with pytest.raises(BAD, match="element 4 in a list with 3"):
        f(x, tf.constant(4))


@pytest.mark.parametrize("held", [False, True])
def test_a_failed_step_leaves_variables_as_they_were(held):
    v, w, n = tf.Variable([1.0, 2.0]), tf.Variable(tf.zeros([3])), tf.Variable(0)

    @tf.function
    def step(i):
        n.assign_add(1)
        v.assign_add([1.0, 1.0])
        w.scatter_nd_update(i, [9.0])
        v.assign(v * 2.0)

    step(tf.constant([[1]]))
    before = v.read_value(), w.read_value() if held else None
    with pytest.raises(BAD):
        step(tf.constant([[3]]))
    np.testing.assert_array_equal(v.numpy(), [4.0, 6.0])
    np.testing.assert_array_equal(w.numpy(), [0.0, 9.0, 0.0])
    assert n.numpy() == 1
    step(tf.constant([[0]]))
    np.testing.assert_array_equal(v.numpy(), [10.0, 14.0])
    np.testing.assert_array_equal(w.numpy(), [9.0, 9.0, 0.0])
    np.testing.assert_array_equal(before[0].numpy(), [4.0, 6.0])


def test_a_failed_assertion_leaves_variables_as_they_were():
    v = tf.Variable([1.0, 2.0])

    @tf.function
    def step(x):
        v.assign_add(x)
        tf.debugging.assert_positive(x)

    step(tf.constant([1.0, 1.0]))
    with pytest.raises(BAD):
        step(tf.constant([1.0, -1.0]))
    np.testing.assert_array_equal(v.numpy(), [2.0, 3.0])


def test_the_switch(x):
    f = tf.function(lambda x, i: tf.gather(x, i))
    bad = tf.constant([0, 5])
    tf.extras.runtime_checks(False)
    np.testing.assert_array_equal(f(x, bad).numpy(), [1.0, 0.0])
    tf.extras.runtime_checks(True)
    with pytest.raises(BAD):
        f(x, bad)
    tf.extras.runtime_checks(False)
    np.testing.assert_array_equal(f(x, bad).numpy(), [1.0, 0.0])


def test_functions_with_jit_compile_check_nothing(x):
    f = tf.function(lambda x, i: tf.gather(x, i), jit_compile=True)
    assert f(x, tf.constant([0, 5])).shape == (2,)


def test_policies_that_allow_bad_indices(x):
    f = tf.function(lambda x, i: tf.gather_nd(x, i, bad_indices_policy="IGNORE"))
    np.testing.assert_array_equal(f(x, tf.constant([[0], [5]])).numpy(), [1.0, 0.0])


def test_vectorized_map_in_a_function(x):
    f = tf.function(lambda x, i: tf.vectorized_map(lambda k: tf.gather(x, k), i))
    np.testing.assert_array_equal(f(x, tf.constant([2, 0])).numpy(), [3.0, 1.0])


WRONG_ELEMENTS = {
    "rows": (lambda i: tf.gather([1.0, 2.0, 3.0], i), [0, 5, 1]),
    "rows of an element": (lambda i: tf.gather(tf.stack([i, 1]), i), [0, 5, 1]),
    "columns": (lambda i: tf.gather(tf.ones([4, 3]), i, axis=1), [0, 5, 1]),
    "places": (lambda i: tf.gather_nd(tf.ones([4, 3]), [i, 0]), [0, -1, 1]),
    "slices": (lambda i: tf.constant([1.0, 2.0, 3.0])[i], [0, 5, 1]),
    "labels": (lambda i: tf.nn.sparse_softmax_cross_entropy_with_logits(i, [1.0, 2.0, 3.0]), [0, 5, 1]),
    "divisors": (lambda i: 7 // i, [1, 0, 2]),
    "remainders": (lambda i: tf.truncatediv(7, i), [1, 0, 2]),
    "powers": (lambda i: 2**i, [1, -1, 2]),
    "segments": (lambda i: tf.math.segment_sum([1.0, 2.0], tf.stack([1, i])), [1, 0, 2]),
    "permutations": (lambda i: tf.math.invert_permutation(tf.stack([0, i])), [1, 5, 1]),
    "matrices": (lambda i: tf.linalg.inv([[tf.cast(i, tf.float32)]]), [1, 0, 2]),
    "branches": (lambda i: tf.cond(i > 0, lambda: tf.gather([1.0, 2.0], i), lambda: 0.0), [0, 1, 5]),
    "all elements, once more": (
        lambda i: tf.vectorized_map(lambda k: tf.gather([1, 2], k + i), tf.range(2)),
        [0, 0, 1],
    ),
}


@pytest.mark.parametrize("what", WRONG_ELEMENTS)
def test_vectorized_map_checks_each_element(what):
    function, elements = WRONG_ELEMENTS[what]
    elements = tf.constant(elements)
    in_function = tf.function(lambda e: tf.vectorized_map(function, e))
    assert tf.vectorized_map(function, elements[:1]).shape[0] == in_function(elements[:1]).shape[0] == 1
    for call in (lambda e: tf.vectorized_map(function, e), in_function):
        with pytest.raises(tf.errors.InvalidArgumentError):
            call(elements)


def test_vectorized_map_names_the_first_element_that_is_wrong(x):
    table = tf.Variable(x)
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"indices = 5 is not in \[0, 3\)"):
        tf.vectorized_map(lambda i: tf.gather(table, i), tf.constant([0, 5, 7]))
    with tf.GradientTape() as tape:
        squares = tf.vectorized_map(lambda i: tf.gather(table, i) ** 2, tf.constant([0, 2, 2]))
    np.testing.assert_array_equal(tf.convert_to_tensor(tape.gradient(squares, table)), [2.0, 0.0, 12.0])


def test_vectorized_map_of_a_shape_that_depends_on_values():
    sums = tf.vectorized_map(lambda i: tf.math.segment_sum([1.0, 2.0], tf.stack([0, i])), tf.constant([1, 1]))
    np.testing.assert_array_equal(sums, [[1.0, 2.0], [1.0, 2.0]])
    empty = tf.function(lambda e: tf.vectorized_map(lambda i: tf.gather([1.0, 2.0], i), e))
    assert empty(tf.zeros([0], tf.int32)).shape == (0,)


@pytest.mark.parametrize(
    "values, message", [([0, 5], "5 is not between 0 and 2"), ([1, 1], "1 is duplicated in the input")]
)
def test_permutations(values, message):
    inverse = tf.function(tf.math.invert_permutation, input_signature=[tf.TensorSpec([None], tf.int32)])
    assert inverse([2, 0, 1]).numpy().tolist() == [1, 2, 0]
    for call in (tf.math.invert_permutation, inverse):
        with pytest.raises(tf.errors.InvalidArgumentError, match=message):
            call(tf.constant(values))


@pytest.mark.parametrize("divide", [tf.truncatediv, tf.math.floordiv, tf.math.floormod, tf.truncatemod])
def test_a_constant_divided_by_a_constant_zero_does_not_end_the_process(divide):
    divisors = tf.constant([0, 2])
    divided = tf.function(lambda: tf.vectorized_map(lambda i: divide(7, i), divisors), jit_compile=True)
    assert divided().numpy()[1] == divide(7, 2)


def test_custom_gradients_in_a_function(x):
    @tf.custom_gradient
    def rows(x, i):
        return tf.gather(x, i), lambda g: (tf.ones_like(x) * g, None)

    @tf.function
    def f(x, i):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = rows(x, i)
        return tape.gradient(y, x)

    np.testing.assert_array_equal(f(x, tf.constant(1)).numpy(), [1.0, 1.0, 1.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.function(rows)(x, tf.constant(1))
    np.testing.assert_array_equal(tape.gradient(y, x).numpy(), [1.0, 1.0, 1.0])


@pytest.mark.usefixtures("compiled_at_once")
@pytest.mark.parametrize("checked", [False, True])
def test_a_step_writes_over_the_old_values(checked):
    v = tf.Variable(tf.zeros([1000, 8]))

    @tf.function
    def step(i):
        v.scatter_nd_add(i, tf.ones([1, 8]))

    tf.extras.runtime_checks(checked)
    place = tf.constant([[3]])
    step(place)
    before = v.box.tensor.held.unsafe_buffer_pointer()
    for _ in range(3):
        step(place)
        assert v.box.tensor.held.unsafe_buffer_pointer() == before
    assert v.numpy()[3, 0] == 4.0


def test_constants_that_are_wrong_are_found_in_every_call():
    function = tf.function(lambda x: tf.gather(x, [0, 5]))
    for _ in range(2):
        with pytest.raises(tf.errors.InvalidArgumentError, match=r"= 5 is not in \[0, 3\)"):
            function(tf.constant([1.0, 2.0, 3.0]))


def test_what_passed_once_does_not_let_others_pass():
    function = tf.function(lambda x, i: tf.gather(x, i))
    x, good = tf.constant([1.0, 2.0, 3.0]), tf.constant([2])
    for _ in range(2):
        assert function(x, good).numpy().tolist() == [3.0]
        with pytest.raises(tf.errors.InvalidArgumentError, match="= 3 is not in"):
            function(x, tf.constant([3]))
        with pytest.raises(tf.errors.InvalidArgumentError, match="= 2 is not in"):
            function(x[:2], good)


def test_pending_values_are_checked_after_values_that_are_gone():
    function = tf.function(lambda x, i: tf.gather(x, i))
    x = tf.constant([1.0, 2.0, 3.0])
    assert function(x, tf.constant([1]) + tf.cast(x[:1], tf.int32)).numpy().tolist() == [3.0]
    with pytest.raises(tf.errors.InvalidArgumentError, match="= 3 is not in"):
        function(x, tf.constant([2]) + tf.cast(x[:1], tf.int32)).numpy()


@pytest.mark.parametrize("call", [tf.linalg.solve, tf.function(tf.linalg.solve)])
def test_an_infinite_right_hand_side_makes_no_matrix_singular(call):
    matrix = tf.constant([[1.0, 2.0], [-1.0, 0.0]])
    found = call(matrix, tf.constant([[np.inf, 1.0], [1.0, 1.0]])).numpy()
    np.testing.assert_array_equal(found[:, 1], [-1.0, 1.0])
    assert not np.isfinite(found[:, 0]).all()
    with pytest.raises(tf.errors.InvalidArgumentError, match="Input matrix is not invertible"):
        call(matrix * [[1.0, 0.0]], tf.constant([[np.inf, 1.0], [1.0, 1.0]]))


def test_side_by_side_each_place_is_looked_at(x):
    """What is wrong is found too where JAX has made several checks one, which has one more dimension."""
    table = tf.stack([x, x])

    rows = tf.function(lambda indices: tf.vectorized_map(lambda i: tf.gather(table, i, axis=1), indices))
    assert rows(tf.constant([[0, 2], [1, 1]])).shape == [2, 2, 2]
    with pytest.raises(BAD, match="is not in"):
        rows(tf.constant([[0, 2], [1, 3]]))
