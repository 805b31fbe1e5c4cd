"""Sizes that no machine has memory for, or that mean nothing: each raises where it is passed, and nothing ends the process."""

import os
import subprocess
import sys
import textwrap
import tracemalloc

import numpy as np
import pytest

import tfgrad_jax as tf

REFUSED = (
    tf.errors.InvalidArgumentError,
    tf.errors.ResourceExhaustedError,
    tf.errors.OutOfRangeError,
    ValueError,
    TypeError,
)
X = tf.ones([1, 4, 4, 1])
K = tf.ones([2, 2, 1, 1])
ONES = [1, 1, 1, 1]

CALLS = {
    "zeros": lambda n: tf.zeros([n]),
    "zeros of two": lambda n: tf.zeros([n, n]),
    "zeros of text": lambda n: tf.zeros([n], tf.string),
    "ones": lambda n: tf.ones([n, 3]),
    "fill": lambda n: tf.fill([2, n], 1.0),
    "constant": lambda n: tf.constant(1.0, shape=[n]),
    "constant_initializer": lambda n: tf.constant_initializer(1.0)([n]),
    "broadcast_to": lambda n: tf.broadcast_to(tf.ones([3]), [n, 3]),
    "range": lambda n: tf.range(0, n, -1 if n < 0 else 1) if n > 0 else tf.range(0, n),
    "linspace": lambda n: tf.linspace(0.0, 1.0, n),
    "eye": lambda n: tf.eye(n),
    "eye, batched": lambda n: tf.eye(2, batch_shape=[n]),
    "one_hot": lambda n: tf.one_hot([0, 1], n),
    "repeat": lambda n: tf.repeat([1, 2], n),
    "tile": lambda n: tf.tile([1.0, 2.0], [n]),
    "tile of a matrix": lambda n: tf.tile([[1.0, 2.0]], [n, n]),
    "pad": lambda n: tf.pad([1.0, 2.0], [[n, 0]]),
    "random.normal": lambda n: tf.random.normal([n]),
    "random.uniform of integers": lambda n: tf.random.uniform([2, n], maxval=5, dtype=tf.int32),
    "random.truncated_normal": lambda n: tf.random.truncated_normal([n]),
    "random.gamma": lambda n: tf.random.gamma([n], 1.0),
    "random.categorical": lambda n: tf.random.categorical([[1.0, 2.0]], n),
    "random.stateless_uniform": lambda n: tf.random.stateless_uniform([n], seed=[1, 2]),
    "Generator.normal": lambda n: tf.random.Generator.from_seed(1).normal([n]),
    "sequence_mask": lambda n: tf.sequence_mask([1, 2], n),
    "unsorted_segment_sum": lambda n: tf.math.unsorted_segment_sum([1.0, 2.0], [0, 1], n),
    "segment_sum": lambda n: tf.math.segment_sum([1.0, 2.0], [0, n]),
    "segment_max": lambda n: tf.math.segment_max([1.0, 2.0], [0, n]),
    "scatter_nd": lambda n: tf.scatter_nd([[0]], [1.0], [n]),
    "space_to_batch": lambda n: tf.space_to_batch(X, [2, 2], [[n, 0], [0, 0]]),
    "depth_to_space": lambda n: tf.nn.depth_to_space(tf.ones([1, 2, 2, 4]), n),
    "dynamic_partition": lambda n: tf.dynamic_partition([1.0, 2.0], [0, 1], n),
    "gather, batched": lambda n: tf.gather([1.0, 2.0], [0], batch_dims=n),
    "top_k": lambda n: tf.math.top_k([1.0, 2.0], n),
    "reshape": lambda n: tf.reshape([1.0, 2.0], [n, n]),
    "stack": lambda n: tf.stack([[1.0], [2.0]], axis=n),
    "concat": lambda n: tf.concat([[1.0], [2.0]], axis=n),
    "image.resize": lambda n: tf.image.resize(X, [n, 4]),
    "image.resize, nearest": lambda n: tf.image.resize(X, [n, n], method="nearest"),
    "image.pad_to_bounding_box": lambda n: tf.image.pad_to_bounding_box(X, 0, 0, n, 4),
    "image.pad_to_bounding_box, offset": lambda n: tf.image.pad_to_bounding_box(X, n, 0, 8, 4),
    "image.extract_patches": lambda n: tf.image.extract_patches(X, [1, 2, 2, 1], [1, n, 1, 1], ONES, "VALID"),
    "image.extract_patches, rates": lambda n: tf.image.extract_patches(X, [1, 2, 2, 1], ONES, [1, n, 1, 1], "SAME"),
    "nn.conv2d, strides": lambda n: tf.nn.conv2d(X, K, n, "SAME"),
    "nn.conv2d, dilations": lambda n: tf.nn.conv2d(X, K, 1, "SAME", dilations=n),
    "nn.depthwise_conv2d": lambda n: tf.nn.depthwise_conv2d(X, K, ONES, "SAME", dilations=[n, n]),
    "nn.conv2d_transpose": lambda n: tf.nn.conv2d_transpose(X, K, [1, n, 4, 1], 1),
    "nn.max_pool2d": lambda n: tf.nn.max_pool2d(X, n, 1, "SAME"),
    "nn.avg_pool2d": lambda n: tf.nn.avg_pool2d(X, n, 1, "SAME"),
    "nn.avg_pool2d, strides": lambda n: tf.nn.avg_pool2d(X, 2, n, "VALID"),
    "nn.lrn": lambda n: tf.nn.lrn(X, n),
    "TensorArray.write": lambda n: tf.TensorArray(tf.float32, 2, dynamic_size=True).write(n, 1.0),
}  # fmt: skip


@pytest.mark.parametrize("size", [-7, 2**61])
@pytest.mark.parametrize("name", CALLS)
def test_refused(name, size):
    with pytest.raises(REFUSED):
        CALLS[name](size)


@pytest.mark.parametrize("name", ["zeros", "tile", "broadcast_to", "pad", "eye, batched", "nn.conv2d, dilations"])
@pytest.mark.parametrize("size", [-7, 2**61])
def test_refused_in_a_function_too(name, size):
    with pytest.raises(REFUSED):
        tf.function(lambda: CALLS[name](size))()


def test_shapes_drawn_at_random_never_end_the_process():
    drawn = np.random.RandomState(7)
    makers = (tf.zeros, lambda shape: tf.fill(shape, 1.0), lambda shape: tf.broadcast_to(1.0, shape), tf.random.normal)
    for _ in range(60):
        shape = [int(2 ** drawn.uniform(20, 62)) * int(drawn.choice([1, 1, 1, -1])) for _ in range(drawn.randint(2, 5))]
        with pytest.raises(REFUSED):
            makers[drawn.randint(len(makers))](shape)


def test_a_huge_shape_of_nothing_is_empty():
    assert tf.zeros([2**40, 0]).shape == (2**40, 0)
    with pytest.raises(tf.errors.InvalidArgumentError):
        tf.zeros([2**62, 2**62, 0])
    with pytest.raises(REFUSED):
        tf.reduce_sum(tf.zeros([0, 2**48]), 0)


def test_a_process_with_little_memory_raises_and_goes_on():
    program = """
        import resource
        import tfgrad_jax as tf
        tf.ones([2]) + 1.0
        resource.setrlimit(resource.RLIMIT_AS, (6 << 30, 6 << 30))
        for make in (
            lambda: tf.zeros([2**33]), lambda: tf.tile(tf.ones([1000, 1000]), [2**8, 2**8]), lambda: tf.random.normal([2**32]),
            lambda: tf.image.resize(tf.ones([1, 4, 4, 1]), [2**17, 2**17]), lambda: tf.range(2**33),
            lambda: tf.matmul(tf.ones([2**18, 1]), tf.ones([1, 2**18])),
        ):
            try:
                make()
            except tf.errors.ResourceExhaustedError as error:
                print("OOM" in str(error))
        print(float(tf.reduce_sum(tf.ones([3]))))
    """
    env = {**os.environ, "JAX_PLATFORMS": "cpu"}
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(program)], capture_output=True, text=True, env=env, check=False
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == ["True"] * 6 + ["3.0"]


@pytest.mark.parametrize("traced", [False, True])
def test_images_that_do_not_fit_are_refused_before_anything_is_made_for_them(traced):
    def resized(x):
        return tf.image.resize(x, [2**28, 2**28])

    tracemalloc.start()  # it sees NumPy's memory
    try:
        with pytest.raises(REFUSED):
            (tf.function(resized) if traced else resized)(X)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 2**28  # a number for each row would take four times as much
