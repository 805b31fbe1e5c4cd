"""The lowerings of convolutions and pooling agree with JAX's primitives, forward and transposed."""

from __future__ import annotations

import re

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax

import tfgrad_jax as tf
from tfgrad_jax.ops.nn import conv_lowering
from tfgrad_jax.ops.nn.conv_lowering import _general, convolve

random = np.random.default_rng(0)

CASES = {
    "one channel": ((2, 5, 5, 1), (3, 3, 1, 2), (1, 1), ((1, 1), (1, 1)), (1, 1), 1),
    "one channel, strided and dilated": ((1, 7, 7, 1), (2, 3, 1, 2), (2, 1), ((0, 1), (2, 0)), (2, 1), 1),
    "one channel, large window": ((1, 9, 9, 1), (8, 8, 1, 2), (1, 1), ((1, 1), (1, 1)), (1, 1), 1),
    "depthwise": ((1, 5, 4, 3), (3, 2, 1, 3), (1, 2), ((1, 1), (0, 1)), (1, 1), 3),
    "depthwise, two each": ((1, 5, 4, 3), (2, 2, 1, 6), (2, 1), ((1, 0), (0, 1)), (1, 2), 3),
    "groups": ((1, 4, 4, 4), (2, 2, 2, 6), (1, 1), ((0, 1), (0, 1)), (1, 1), 2),
    "pointwise": ((1, 4, 4, 3), (1, 1, 3, 2), (1, 1), ((0, 0), (0, 0)), (1, 1), 1),
    "pointwise, strided": ((1, 5, 4, 3), (1, 1, 3, 2), (2, 3), ((0, 0), (0, 0)), (1, 1), 1),
    "strides of a large image": ((2, 7, 6, 16), (3, 3, 16, 2), (2, 2), ((1, 1), (0, 1)), (1, 1), 1),
    "strides larger than the window": ((1, 8, 7, 16), (2, 1, 16, 3), (3, 2), ((0, 1), (0, 0)), (1, 1), 1),
    "window larger than the image": ((2, 2, 2, 3), (3, 3, 3, 2), (1, 1), ((1, 1), (1, 1)), (1, 1), 1),
    "window larger than what it makes": ((2, 4, 4, 3), (3, 3, 3, 2), (2, 2), ((0, 1), (0, 1)), (1, 1), 1),
    "large window, larger than what it makes": ((1, 11, 10, 16), (8, 7, 16, 2), (2, 2), ((1, 0), (0, 1)), (1, 1), 1),
    "three channels": ((2, 5, 4, 3), (3, 3, 3, 20), (1, 2), ((1, 1), (0, 1)), (1, 1), 1),
    "strips of examples": ((2, 8, 6, 3), (3, 3, 3, 2), (1, 2), ((1, 1), (0, 1)), (1, 1), 1),
    "strips of examples, dilated": ((2, 9, 5, 2), (3, 2, 2, 3), (2, 1), ((2, 2), (0, 1)), (2, 2), 1),
    "some examples at a time": ((6, 3, 3, 2), (2, 2, 2, 3), (1, 1), ((0, 1), (0, 1)), (1, 1), 1),
    "nothing left": ((2, 2, 2, 2), (3, 3, 2, 3), (1, 1), ((0, 0), (0, 0)), (1, 1), 1),
    "sequences": ((2, 7, 3), (3, 3, 2), (2,), ((1, 1),), (1,), 1),
    "sequences of one channel": ((2, 7, 1), (3, 1, 2), (1,), ((2, 0),), (2,), 1),
    "volumes": ((1, 4, 3, 3, 2), (2, 2, 2, 2, 3), (2, 1, 1), ((1, 0), (0, 1), (1, 1)), (1, 1, 1), 1),
    "volumes, dilated": ((1, 5, 3, 3, 1), (2, 2, 2, 1, 2), (1, 1, 2), ((0, 0), (0, 1), (1, 1)), (2, 1, 1), 1),
    "volumes, one channel, large window": ((1, 5, 4, 4, 1), (4, 4, 4, 1, 2), (1,) * 3, ((1, 1),) * 3, (1,) * 3, 1),
    "volumes, depthwise": ((1, 3, 3, 3, 2), (2, 2, 2, 1, 2), (1, 1, 1), ((0, 1),) * 3, (1, 1, 1), 2),
}


@pytest.mark.modeless
@pytest.mark.parametrize("name", CASES)
def test_every_lowering_is_the_primitive(name, monkeypatch):
    monkeypatch.setattr(conv_lowering, "_LARGE", 500)
    input_shape, filter_shape, *how = CASES[name]

    def maps(convolution, purposes):
        """The convolution, and its transposes by the input and by the filters, as one program."""

        def run(x, k, ct):
            by_x, by_k = ([*how, purpose] if purpose else how for purpose in purposes)
            (x_ct,) = jax.linear_transpose(lambda v: convolution(v, k, *by_x), x)(ct)
            (k_ct,) = jax.linear_transpose(lambda v: convolution(x, v, *by_k), k)(ct)
            return convolution(x, k, *how), x_ct, k_ct

        return jax.jit(run)

    x, k = random.normal(size=input_shape), random.normal(size=filter_shape)
    ct = random.normal(size=jax.eval_shape(lambda x, k: _general(x, k, *how), x, k).shape)
    wanted = maps(_general, (None, None))(x, k, ct)
    for mine, theirs in zip(maps(convolve, ("input", "filters"))(x, k, ct), wanted, strict=True):
        np.testing.assert_allclose(mine, theirs, rtol=1e-10, atol=1e-10)


@pytest.mark.modeless
@pytest.mark.parametrize("groups", [1, 4])
def test_gradients_by_filters_are_rounded_once(groups):
    x, k = (jnp.asarray(random.random(size), jnp.bfloat16) for size in ((64, 8, 8, 4), (3, 3, 4 // groups, 4)))
    how = (1, 1), ((1, 1), (1, 1)), (1, 1), groups, "filters"

    def by_filters(dtype):
        at = jax.ShapeDtypeStruct(k.shape, dtype)
        return jax.linear_transpose(lambda v: convolve(x.astype(dtype), v, *how), at)(x.astype(dtype))[0]

    np.testing.assert_array_equal(by_filters(jnp.bfloat16), by_filters(jnp.float32).astype(jnp.bfloat16))


@pytest.mark.modeless
def test_in_loops_convolutions_have_the_layout_that_xla_has_quick_code_for():
    x, k = random.normal(size=(4, 5, 5, 3)), random.normal(size=(3, 3, 3, 2))
    how = (1, 1), ((1, 1), (1, 1)), (1, 1), 1

    def step(k, x):
        out = convolve(x[None], k, *how)
        by_input = jax.linear_transpose(lambda v: convolve(v, k, *how, "input"), x[None])(out)[0]
        by_filters = jax.linear_transpose(lambda v: convolve(x[None], v, *how, "filters"), k)(out)[0]
        return k + by_filters + jnp.sum(by_input), None

    program = jax.jit(lambda x, k: lax.scan(step, k, x)).lower(x, k).compile().as_text()
    assert set(re.findall(r" convolution\(.*dim_labels=([^,]+)", program)) == {"b01f_01io->b01f"}


@pytest.mark.parametrize(
    "window, strides, padding", [(2, 2, "VALID"), (2, 2, "SAME"), (3, 2, "SAME"), (3, 1, "VALID"), (2, 3, "SAME")]
)
def test_pooling_is_the_primitive(window, strides, padding):
    x = random.normal(size=(2, 7, 6, 3))
    v = tf.Variable(x)
    with tf.GradientTape() as tape:
        y = tf.nn.max_pool2d(v, window, strides, padding)

    def reference(x):
        return lax.reduce_window(x, -jnp.inf, lax.max, (1, window, window, 1), (1, strides, strides, 1), padding)

    wanted, pull = jax.vjp(reference, x)
    np.testing.assert_array_equal(y.numpy(), wanted)
    np.testing.assert_allclose(tape.gradient(y, v).numpy(), pull(jnp.ones_like(wanted))[0])


@pytest.mark.parametrize("padding, sizes", [("VALID", (2, 5, 2, 3)), ("SAME", (3, 3, 2, 5))])
def test_gradients_of_volumes_go_to_all_maxima_of_a_window(padding, sizes):
    """Windows that lie side by side, of images that they do not fit, with equal elements and NaN."""
    x = random.integers(0, 3, sizes).astype(np.float32)[..., None]
    x[0, 0, 0, 0] = np.nan
    v = tf.Variable(x)
    with tf.GradientTape() as tape:
        y = tf.nn.max_pool3d(v, 2, 2, padding)
    ct = random.normal(size=y.shape).astype(np.float32)
    wanted = np.zeros_like(x)
    before = [(-n % 2) // 2 if padding == "SAME" else 0 for n in sizes[1:]]
    for at in np.ndindex(*y.shape[:4]):
        here = (at[0], *[slice(max(2 * i - b, 0), 2 * i - b + 2) for i, b in zip(at[1:], before, strict=True)])
        wanted[here] = np.where(x[here] == y.numpy()[at], ct[at], 0)
    np.testing.assert_array_equal(tape.gradient(y, v, ct).numpy(), wanted)


def test_gradients_of_overlapping_windows_go_to_the_first_maximum():
    """As TensorFlow's, which passes over NaN but where it comes first."""
    x = np.float32([[1, 3, 3, 2], [0, 3, np.nan, 5], [np.nan, 1, 5, 5], [7, 0, 7, -np.inf]]).reshape(1, 4, 4, 1)
    v = tf.Variable(x)
    with tf.GradientTape() as tape:
        y = tf.nn.max_pool2d(v, 2, 1, "SAME")
    expected = [[0, 2, 0, 0], [0, 1, 1, 3], [1, 0, 1, 1], [1, 0, 4, 1]]
    np.testing.assert_array_equal(tape.gradient(y, v).numpy().reshape(4, 4), expected)


def test_large_windows_use_the_primitive():
    x = tf.constant(random.normal(size=(1, 12, 12, 1)).astype(np.float32))
    np.testing.assert_allclose(tf.nn.max_pool2d(x, 12, 12, "VALID").numpy().item(), x.numpy().max())
    np.testing.assert_allclose(tf.nn.avg_pool2d(x, 12, 12, "VALID").numpy().item(), x.numpy().mean(), rtol=1e-5)


def test_an_output_of_negative_size_is_refused():
    with pytest.raises(tf.errors.InvalidArgumentError, match="negative"):
        tf.nn.max_pool2d(tf.ones([1, 4, 4, 1]), 6, 1, "VALID")
    # A window that is too large by less than a stride fits nowhere, as in TensorFlow.
    assert tf.nn.max_pool2d(tf.ones([1, 4, 4, 1]), 5, 1, "VALID").shape == [1, 0, 0, 1]


def test_a_transposed_convolution_names_the_input_that_would_fit():
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"\[1,5,2,3\]"):
        tf.nn.conv2d_transpose(tf.ones([1, 2, 2, 3]), tf.ones([3, 3, 2, 3]), [1, 9, 4, 2], 2)


def test_computed_labels_are_checked():
    labels = tf.cast(tf.constant([1.0, 7.0]), tf.int32) + tf.constant([0, 0])
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"label value of 7 .* \[0, 2\)"):
        tf.nn.sparse_softmax_cross_entropy_with_logits(labels, tf.Variable([[0.0, 1.0], [2.0, 3.0]]))


def test_labels_that_nobody_checks_give_nan():
    logits = tf.Variable([[0.0, 1.0], [2.0, 3.0]])

    @tf.function(jit_compile=True)
    def loss_and_gradient(labels):
        with tf.GradientTape() as tape:
            loss = tf.nn.sparse_softmax_cross_entropy_with_logits(labels, logits)
        return loss, tape.gradient(loss, logits)

    for value in loss_and_gradient(tf.constant([1, 7])):
        assert np.isnan(value.numpy()).reshape(2, -1).any(1).tolist() == [False, True]


def test_windows_that_are_far_larger_than_the_image_cost_what_the_image_does():
    image = tf.Variable(np.random.default_rng(0).normal(size=(1, 4, 4, 3)).astype(np.float32))
    with tf.GradientTape() as tape:
        found, places = tf.nn.max_pool_with_argmax(image, 400, 400, "SAME")
    np.testing.assert_array_equal(found.numpy().ravel(), image.numpy().reshape(16, 3).max(0))
    np.testing.assert_array_equal(np.take(image.numpy(), places.numpy()), found.numpy())
    np.testing.assert_array_equal(tape.gradient(found, image).numpy(), image.numpy() == found.numpy())


TRANSPOSES = {
    "conv_transpose": lambda x, sizes: tf.nn.conv_transpose(x, tf.ones([3, 3, 6, 8]), [*sizes, 8, 8, 6], 2),
    "conv2d_transpose": lambda x, sizes: tf.nn.conv2d_transpose(x, tf.ones([3, 3, 6, 8]), [*sizes, 8, 8, 6], 2),
    "atrous_conv2d_transpose": lambda x, sizes: tf.nn.atrous_conv2d_transpose(
        x, tf.ones([3, 3, 6, 8]), [*sizes, 4, 4, 6], 2, "SAME"
    ),
}


@pytest.mark.parametrize("name", TRANSPOSES)
def test_transposes_of_open_batches_have_the_sizes_that_are_asked_for(name):
    shapes = []

    @tf.function(input_signature=[tf.TensorSpec([None, 4, 4, 8])])
    def transposed(x):
        y = TRANSPOSES[name](x, [tf.shape(x)[0]])
        shapes.append(y.shape.as_list())
        return y

    y = transposed(tf.ones([3, 4, 4, 8]))
    assert shapes == [[None, *y.shape[1:]]] and y.shape[0] == 3


@pytest.mark.usefixtures("by_measured_cost")  # XLA multiplies by the reciprocal of a number that it knows
def test_dropout_divides_by_a_tensor_and_multiplies_by_a_number():
    x = np.sin(np.arange(40, dtype=np.float32))
    kept = tf.nn.dropout(x, tf.constant(0.3), seed=1).numpy()
    scaled = tf.nn.dropout(x, 0.3, seed=1).numpy()
    assert 0 < np.count_nonzero(kept) < 40 and (kept != scaled).any()
    assert set(kept) <= {0.0, *(x / (np.float32(1) - np.float32(0.3)))}
    assert set(scaled) <= {0.0, *(x * np.float32(1 / 0.7))}


@pytest.mark.parametrize("noise", [lambda n: [n, 32], lambda n: [n, 1], lambda n: tf.stack([n, 32])])
def test_dropout_has_the_shape_of_its_operand_whatever_is_known_of_its_mask(noise):
    shapes = []

    @tf.function(input_signature=[tf.TensorSpec([None, 32])])
    def dropped(x):
        for y in (
            tf.nn.dropout(x, 0.5, noise_shape=noise(tf.shape(x)[0])),
            tf.nn.experimental.stateless_dropout(x, 0.5, [1, 2], noise_shape=noise(tf.shape(x)[0])),
        ):
            shapes.append(y.shape.as_list())
        return y

    assert dropped(tf.ones([3, 32])).shape == [3, 32]
    assert shapes == [[None, 32]] * 2


def test_the_gradient_of_a_transpose_by_its_filters_is_that_of_the_convolution() -> None:
    """XLA is slow, on a CPU, at convolutions of an input spread by the strides with windows as large as that."""
    x, filters = tf.ones([2, 4, 4, 3]), tf.ones([3, 3, 2, 3])

    @tf.function(jit_compile=True)
    def gradient(x: tf.Tensor, filters: tf.Tensor) -> tf.Tensor:
        with tf.GradientTape() as tape:
            tape.watch(filters)
            y = tf.nn.conv2d_transpose(x, filters, [2, 8, 8, 2], 2)
        return tape.gradient(y, filters)

    program = gradient.experimental_get_compiler_ir(x, filters)(stage="hlo")
    assert "convolution" in program and "lhs_dilate" not in program


@pytest.mark.parametrize("of_transpose", [False, True])
def test_gradients_of_gradients_are_the_maps_of_the_convolution_again(of_transpose: bool) -> None:
    """What JAX derives of transposes are windows as large as images, for which XLA has no quick code."""
    x, k, y = (jnp.asarray(random.normal(size=s)) for s in ((2, 6, 6, 2), (3, 3, 2, 4), (2, 3, 3, 4)))
    given = y if of_transpose else x
    operation = tf.nn.conv2d_transpose if of_transpose else tf.nn.conv2d
    size = [x.shape] if of_transpose else []

    def penalty(given, k):
        with tf.GradientTape() as outer:
            outer.watch([given, k])
            with tf.GradientTape() as inner:
                inner.watch([given, k])
                made = tf.reduce_sum(operation(given, k, *size, strides=2, padding="SAME") ** 3)
            gradients = inner.gradient(made, [given, k])
            total = sum(tf.reduce_sum(g**2) for g in gradients)
        return outer.gradient(total, [given, k])

    def convolution(x, k):
        return _general(x, k, (2, 2), ((0, 1), (0, 1)), (1, 1), 1)

    def made(given, k):
        if of_transpose:
            given = jax.linear_transpose(lambda v: convolution(v, k), x)(given)[0]
            return jnp.sum(given**3)
        return jnp.sum(convolution(given, k) ** 3)

    wanted = jax.grad(lambda *v: sum(jnp.sum(g**2) for g in jax.grad(made, (0, 1))(*v)), (0, 1))(given, k)
    operands = tf.constant(given), tf.constant(k)
    for mine, theirs in zip(penalty(*operands), wanted, strict=True):
        np.testing.assert_allclose(mine, theirs, rtol=1e-9)
    program = tf.function(penalty, jit_compile=True).experimental_get_compiler_ir(*operands)(stage="hlo")
    spread = re.findall(r"window={size=(\S+) [^}]*lhs_dilate", program)
    assert spread and set(spread) == {"3x3"}


@pytest.mark.parametrize("function", [lambda f: f, lambda f: tf.function(f, autograph=False)])
def test_images_without_rows(function):
    x, k = tf.Variable(tf.zeros([2, 0, 5, 2])), tf.Variable(tf.ones([2, 2, 2, 3]))

    def gradients():
        with tf.GradientTape() as tape:
            y = tf.nn.conv2d(x, k, 1, "SAME")
        return y, tape.gradient(y, [x, k])

    y, (by_x, by_k) = function(gradients)()
    assert y.shape == [2, 0, 5, 3] and by_x.shape == x.shape and not by_k.numpy().any()
    padded = tf.nn.conv2d(x, k, 1, [[0, 0], [1, 1], [0, 0], [0, 0]])
    assert padded.shape == [2, 1, 4, 3] and not padded.numpy().any()
    assert tf.nn.conv1d(tf.zeros([2, 0, 3]), tf.ones([2, 3, 4]), 1, "SAME").shape == [2, 0, 4]
    assert tf.nn.conv2d_transpose(x, tf.ones([2, 2, 3, 2]), [2, 0, 5, 3], 1).shape == [2, 0, 5, 3]


IMAGES = np.arange(60.0, dtype=np.float32).reshape(1, 6, 5, 2)
OVER = [[0, 0], [2, 1], [1, 1], [0, 0]]
REFUSED = {
    "a list for averages": (TypeError, lambda: tf.nn.avg_pool2d(IMAGES, 2, 1, OVER)),
    "a list for any number of dimensions": (
        TypeError,
        lambda: tf.nn.convolution(IMAGES, tf.ones([2, 2, 2, 1]), 1, OVER),
    ),
    "more than a window": (tf.errors.InvalidArgumentError, lambda: tf.nn.max_pool2d(IMAGES, 2, 1, OVER)),
    "padded channels": (
        (tf.errors.InvalidArgumentError, ValueError),
        lambda: tf.nn.max_pool2d(IMAGES, 2, 1, [[0, 0], [1, 1], [1, 1], [1, 0]]),
    ),
    "holes and the same size": (ValueError, lambda: tf.nn.pool(IMAGES, [2, 2], "AVG", None, "SAME", None, [2, 1])),
    "steps over a window": (ValueError, lambda: tf.nn.pool(IMAGES, [2, 3], "MAX", [3, 3])),
    "one stride for volumes": (TypeError, lambda: tf.nn.conv3d(IMAGES[None], tf.ones([2, 2, 2, 2, 1]), 1, "SAME")),
    "too few strides": (
        (tf.errors.InvalidArgumentError, ValueError),
        lambda: tf.nn.conv3d(IMAGES[None], tf.ones([2, 2, 2, 2, 1]), [1, 1, 1], "SAME"),
    ),
    "one stride for channels": (TypeError, lambda: tf.nn.depthwise_conv2d(IMAGES, tf.ones([2, 2, 2, 1]), 1, "SAME")),
    "a mixing filter that is larger": (
        ValueError,
        lambda: tf.nn.separable_conv2d(IMAGES, tf.ones([2, 2, 2, 1]), tf.ones([1, 2, 2, 3]), [1] * 4, "SAME"),
    ),
}


@pytest.mark.parametrize("wrap", [lambda f: f, tf.function], ids=["eager", "function"])
@pytest.mark.parametrize("name", list(REFUSED))
def test_what_windows_cannot_be(name, wrap):
    error, call = REFUSED[name]
    with pytest.raises(error):
        wrap(call)()
    assert tf.nn.max_pool2d(IMAGES, 2, 1, [[0, 0], [1, 1], [0, 1], [0, 0]]).shape == (1, 7, 5, 2)
