"""What else a tensor or a variable is to Python: a number, a buffer, something to refer to; and what a handle is."""

import pickle
import traceback
import warnings
import weakref
from functools import partial

import numpy as np

from conformance.helpers import raises
from conformance.registry import case

value = partial(case, "values/handles and buffers")


@value("the real part of a complex number, with a warning")
def _(tf):
    answers = []
    for make in (tf.constant, tf.Variable):
        for convert in (int, float, complex):
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always")
                answers.append((convert(make(1.5 + 2j)), [w.category.__name__ for w in caught]))
    return answers, raises(lambda: int(tf.constant([1j])))


@value("weak references to references")
def _(tf):
    t, v = tf.constant(1.0), tf.Variable(1.0)
    kept = [t.ref(), v.ref()]
    return [weakref.ref(r)() is r for r in kept], weakref.ref(t)() is t, weakref.ref(v.handle)() is v.handle


@value("the handle of a variable")
def _(tf):
    v = tf.Variable([1.0, 2.0], name="weights")
    return (
        v.handle.dtype,
        v.handle.shape,
        v.dtype,
        v.handle is v.handle,
        isinstance(v.handle, tf.Tensor),
        'dtype and shapes : "[ DType enum: 1, Shape: [2] ]"' in str(v.handle),
        raises(lambda: v.handle.numpy()),
        raises(lambda: hash(v.handle)),
        tf.TensorSpec.from_tensor(v.handle),
    )


@value("the buffer of a tensor")
def _(tf):
    view = memoryview(tf.constant([[1.0, 2.0]]))
    return view.shape, view.format, view.readonly, np.frombuffer(tf.constant([1.0, 2.0]), np.float32)


@value("tensors as NumPy arrays and as bytes")
def _(tf):
    t = tf.constant([1, 2], tf.uint8)
    return np.asarray(t), bytes(t), np.asarray(t).tobytes(), memoryview(np.asarray(tf.constant([[1.0]]))).shape


@value("exception classes: their module, their family, their pickles")
def _(tf):
    error = tf.errors.InvalidArgumentError(None, None, "m")
    again = pickle.loads(pickle.dumps(error))
    return (
        traceback.format_exception_only(error),
        [c.__name__ for c in type(error).__mro__],
        [type(again) is type(error), again.message, again.error_code],
        pickle.loads(pickle.dumps(tf.errors.NotFoundError)) is tf.errors.NotFoundError,
        tf.errors.OpError(None, None, "m", error_code=3).error_code,
    )
