"""Results that cannot be are refused before XLA sees their sizes, with the size."""

import jax
import jax.numpy as jnp
import pytest

import tfgrad_jax as tf
from tfgrad_jax.engine.kernels import limits
from tfgrad_jax.engine.kernels.kernel import Kernel
from tfgrad_jax.engine.values.tensor import spec_of


def test_more_elements_than_can_be_counted():
    kernel = Kernel("Grown", lambda x: jnp.broadcast_to(x, (2**40, 2**40)))
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"Grown has the shape \[1099511627776, 1099511627776\]"):
        kernel.infer((spec_of(tf.float32, []),))


def test_more_bytes_than_can_be_counted():
    kernel = Kernel("Grown", lambda x: jnp.broadcast_to(x, (2**62,)))
    with pytest.raises(tf.errors.ResourceExhaustedError, match=r"shape \[4611686018427387904\] of float32"):
        kernel.infer((spec_of(tf.float32, []),))


def test_more_bytes_than_are_free(monkeypatch):
    monkeypatch.setattr(limits, "free_memory", lambda: limits.SMALL + 8)
    count = limits.SMALL // 4
    x = jnp.float32(1.0)
    fits = Kernel("Grown", lambda x: jnp.broadcast_to(x, (count,)))
    assert fits.compiled(x).shape == (count,)
    large = Kernel("Grown", lambda x: jnp.broadcast_to(x, (count + 64,)))
    assert large.infer((spec_of(tf.float32, []),)).shape == (count + 64,)  # a graph's: XLA may never store it
    if jax.default_backend() == "cpu":
        with pytest.raises(
            tf.errors.ResourceExhaustedError, match=rf"{limits.SMALL + 256} bytes where {limits.SMALL + 8}"
        ):
            large.compiled(x)


def test_free_memory_is_told():
    free = limits.free_memory()
    assert free is None or 0 < free < 2**60


@pytest.mark.parametrize(
    "grow",
    [
        lambda n: tf.zeros([n]),
        lambda n: tf.fill([n], 1.0),
        lambda n: tf.tile([1.0], [n]),
        lambda n: tf.broadcast_to(1.0, [n]),
        lambda n: tf.random.normal([n]),
        lambda n: tf.pad([1.0], [[0, n - 1]]),
        lambda n: tf.one_hot([1], tf.constant(n)),
        lambda n: tf.eye(2, batch_shape=[n]),
        lambda n: tf.constant(1.0)[tf.newaxis] + tf.zeros([n]),
        lambda n: tf.function(lambda: tf.zeros([n]))(),
    ],
)
@pytest.mark.parametrize("size", [2**48, 2**61])
def test_a_result_without_memory_raises_at_the_call(grow, size):
    with pytest.raises((tf.errors.ResourceExhaustedError, tf.errors.InvalidArgumentError), match=str(size)):
        grow(size)
    assert float(tf.reduce_sum(tf.ones([3]))) == 3.0
