"""Tensors of quantized dtypes: all numbers are TensorFlow's."""

from __future__ import annotations

import numpy as np
import pytest

import tfgrad_jax as tf

R = tf.raw_ops
NUMBERS = [[-1.5, 0.3, 2.2, 5.0], [0.1, -0.7, 3.3, -9.0]]

QUANTIZED = [
    (
        "qint8",
        "MIN_COMBINED",
        "HALF_AWAY_FROM_ZERO",
        False,
        [-73, -8, 61, 127, -15, -44, 102, -128],
        -3.0,
        4.0,
        [-1.4901961088180542, 0.29411768913269043, 2.188235282897949, 4.0],
    ),
    (
        "qint8",
        "MIN_FIRST",
        "HALF_AWAY_FROM_ZERO",
        False,
        [-74, -8, 61, 127, -15, -44, 101, -128],
        -3.0,
        4.0,
        [-1.5098040103912354, 0.30196070671081543, 2.196078300476074, 4.007843017578125],
    ),
    (
        "qint8",
        "MIN_FIRST",
        "HALF_AWAY_FROM_ZERO",
        True,
        [-74, -8, 61, 127, -15, -44, 101, -128],
        -3.0,
        4.0,
        [-1.5098040103912354, 0.30196070671081543, 2.196078300476074, 4.007843017578125],
    ),
    (
        "qint8",
        "SCALED",
        "HALF_AWAY_FROM_ZERO",
        False,
        [-48, 10, 70, 127, 3, -22, 105, -128],
        -4.031496047973633,
        4.0,
        [-1.5118110179901123, 0.31496062874794006, 2.2047243118286133, 4.0],
    ),
    (
        "qint8",
        "SCALED",
        "HALF_TO_EVEN",
        False,
        [-48, 10, 70, 127, 3, -22, 105, -128],
        -4.0,
        4.0,
        [-1.5118110179901123, 0.31496062874794006, 2.2047243118286133, 4.0],
    ),
    (
        "qint8",
        "SCALED",
        "HALF_AWAY_FROM_ZERO",
        True,
        [-48, 10, 70, 127, 3, -22, 105, -127],
        -4.0,
        4.0,
        [-1.5118110179901123, 0.31496062874794006, 2.2047243118286133, 4.0],
    ),
    (
        "quint8",
        "MIN_COMBINED",
        "HALF_AWAY_FROM_ZERO",
        False,
        [55, 120, 189, 255, 113, 84, 230, 0],
        -3.0,
        4.0,
        [-1.4901961088180542, 0.29411768913269043, 2.188235282897949, 4.0],
    ),
    (
        "quint8",
        "MIN_FIRST",
        "HALF_AWAY_FROM_ZERO",
        False,
        [55, 120, 189, 255, 113, 84, 229, 0],
        -3.0,
        4.0,
        [-1.4823530912399292, 0.30196070671081543, 2.196078300476074, 4.007843017578125],
    ),
    (
        "quint8",
        "MIN_FIRST",
        "HALF_AWAY_FROM_ZERO",
        True,
        [54, 120, 189, 255, 113, 84, 229, 0],
        -3.0,
        4.0,
        [-1.5098040103912354, 0.30196070671081543, 2.196078300476074, 4.007843017578125],
    ),
    (
        "quint8",
        "SCALED",
        "HALF_AWAY_FROM_ZERO",
        False,
        [0, 19, 140, 255, 6, 0, 210, 0],
        0.0,
        4.0,
        [0.0, 0.2980392277240753, 2.1960785388946533, 4.0],
    ),
    (
        "quint8",
        "SCALED",
        "HALF_TO_EVEN",
        False,
        [0, 19, 140, 255, 6, 0, 210, 0],
        0.0,
        4.0,
        [0.0, 0.2980392277240753, 2.1960785388946533, 4.0],
    ),
    (
        "quint8",
        "SCALED",
        "HALF_AWAY_FROM_ZERO",
        True,
        [1, 19, 140, 255, 6, 1, 210, 1],
        0.01568627543747425,
        4.0,
        [0.01568627543747425, 0.2980392277240753, 2.1960785388946533, 4.0],
    ),
    (
        "qint16",
        "MIN_COMBINED",
        "HALF_AWAY_FROM_ZERO",
        False,
        [-18725, -1873, 15915, 32767, -3745, -11235, 26214, -32768],
        -3.0,
        4.0,
        [-1.5000228881835938, 0.29999232292175293, 2.199984550476074, 4.0],
    ),
    (
        "qint16",
        "MIN_FIRST",
        "HALF_AWAY_FROM_ZERO",
        False,
        [-18725, -1873, 15915, 32767, -3746, -11235, 26213, -32768],
        -3.0,
        4.0,
        [-1.4999771118164062, 0.3000381588935852, 2.200030565261841, 4.0000457763671875],
    ),
    (
        "qint16",
        "MIN_FIRST",
        "HALF_AWAY_FROM_ZERO",
        True,
        [-18725, -1873, 15915, 32767, -3746, -11235, 26213, -32768],
        -3.0,
        4.0,
        [-1.4999771118164062, 0.3000381588935852, 2.200030565261841, 4.0000457763671875],
    ),
    (
        "qint16",
        "SCALED",
        "HALF_AWAY_FROM_ZERO",
        False,
        [-12288, 2458, 18022, 32767, 819, -5734, 27033, -32768],
        -4.0001220703125,
        4.0,
        [-1.5000457763671875, 0.300057977437973, 2.2000184059143066, 4.0],
    ),
    (
        "qint16",
        "SCALED",
        "HALF_TO_EVEN",
        False,
        [-12288, 2458, 18022, 32767, 819, -5734, 27033, -32768],
        -4.0001220703125,
        4.0,
        [-1.5000457763671875, 0.300057977437973, 2.2000184059143066, 4.0],
    ),
    (
        "qint16",
        "SCALED",
        "HALF_AWAY_FROM_ZERO",
        True,
        [-12288, 2458, 18022, 32767, 819, -5734, 27033, -32767],
        -4.0,
        4.0,
        [-1.5000457763671875, 0.300057977437973, 2.2000184059143066, 4.0],
    ),
    (
        "quint16",
        "MIN_COMBINED",
        "HALF_AWAY_FROM_ZERO",
        False,
        [14043, 30895, 48683, 65535, 29023, 21533, 58982, 0],
        -3.0,
        4.0,
        [-1.5000228881835938, 0.29999232292175293, 2.199984550476074, 4.0],
    ),
    (
        "quint16",
        "MIN_FIRST",
        "HALF_AWAY_FROM_ZERO",
        False,
        [14043, 30895, 48683, 65535, 29022, 21533, 58981, 0],
        -3.0,
        4.0,
        [-1.4999771118164062, 0.30003809928894043, 2.2000303268432617, 4.0000457763671875],
    ),
    (
        "quint16",
        "MIN_FIRST",
        "HALF_AWAY_FROM_ZERO",
        True,
        [14043, 30895, 48683, 65535, 29022, 21533, 58981, 0],
        -3.0,
        4.0,
        [-1.4999771118164062, 0.30003809928894043, 2.2000303268432617, 4.0000457763671875],
    ),
    (
        "quint16",
        "SCALED",
        "HALF_AWAY_FROM_ZERO",
        False,
        [0, 4915, 36044, 65535, 1638, 0, 54066, 0],
        0.0,
        4.0,
        [0.0, 0.2999923825263977, 2.1999847888946533, 4.0],
    ),
    (
        "quint16",
        "SCALED",
        "HALF_TO_EVEN",
        False,
        [0, 4915, 36044, 65535, 1638, 0, 54066, 0],
        0.0,
        4.0,
        [0.0, 0.2999923825263977, 2.1999847888946533, 4.0],
    ),
    (
        "quint16",
        "SCALED",
        "HALF_AWAY_FROM_ZERO",
        True,
        [1, 4915, 36044, 65535, 1638, 1, 54066, 1],
        6.103608757257462e-05,
        4.0,
        [6.103608757257462e-05, 0.2999923825263977, 2.1999847888946533, 4.0],
    ),
    (
        "qint32",
        "MIN_COMBINED",
        "HALF_AWAY_FROM_ZERO",
        False,
        [-1227133440, -122713344, 1043063552, -2147483648, -245426688, -736280064, 1717987328, -2147483648],
        -3.0,
        4.0,
        [-1.4999998807907104, 0.2999999523162842, 2.200000286102295, -3.0],
    ),
    (
        "qint32",
        "MIN_FIRST",
        "HALF_AWAY_FROM_ZERO",
        False,
        [-1227133440, -122713184, 1043063680, 2147483520, -245426560, -736279936, 1717987072, -2147483648],
        -3.0,
        4.0,
        [-1.4999998807907104, 0.30000028014183044, 2.200000286102295, 3.999999761581421],
    ),
    (
        "qint32",
        "MIN_FIRST",
        "HALF_AWAY_FROM_ZERO",
        True,
        [-1227133440, -122713184, 1043063680, 2147483520, -245426560, -736279936, 1717987072, -2147483648],
        -3.0,
        4.0,
        [-1.4999998807907104, 0.30000028014183044, 2.200000286102295, 3.999999761581421],
    ),
]


@pytest.fixture(params=["eager", "function"])
def wrapped(request):
    return tf.function if request.param == "function" else lambda function: function


def octets(values, dtype=tf.quint8):
    return tf.bitcast(tf.constant(np.array(values, np.uint8 if dtype is tf.quint8 else np.int8)), dtype)


@pytest.mark.parametrize(("name", "mode", "rounding", "narrow", "integers", "low", "high", "numbers"), QUANTIZED)
def test_quantize_and_dequantize(wrapped, name, mode, rounding, narrow, integers, low, high, numbers):
    dtype = tf.as_dtype(name)
    quantize = wrapped(lambda x: tf.quantization.quantize(x, -3.0, 4.0, dtype, mode, rounding, narrow_range=narrow))
    found, first, last = quantize(tf.constant(NUMBERS))
    assert found.dtype is dtype and found.shape == [2, 4]
    assert found.numpy().ravel().tolist() == integers
    assert (first.numpy(), last.numpy()) == (np.float32(low), np.float32(high))
    back = wrapped(lambda q: tf.quantization.dequantize(q, -3.0, 4.0, mode, narrow_range=narrow))(found)
    assert back.dtype is tf.float32 and back.numpy()[0].tolist() == numbers


def test_each_slice_has_a_range_of_its_own():
    found, low, high = tf.quantization.quantize(NUMBERS, [-3.0, -1.0], [4.0, 2.0], tf.qint8, "SCALED", axis=0)
    assert found.numpy().tolist() == [[-48, 10, 70, 127], [6, -44, 127, -128]]
    assert low.numpy().tolist() == [-4.031496047973633, -2.0157480239868164] and high.numpy().tolist() == [4.0, 2.0]
    again = tf.quantization.quantize(NUMBERS, [-3.0, -1.0], [4.0, 2.0], tf.qint8, "SCALED", axis=-2)
    assert again._fields == ("output", "output_min", "output_max")
    assert again.output.numpy().tolist() == found.numpy().tolist()
    back = tf.quantization.dequantize(found, [-3.0, -1.0], [4.0, 2.0], axis=-2, dtype=tf.bfloat16)
    assert back.dtype is tf.bfloat16


def test_a_range_that_is_too_narrow_is_widened():
    found, low, high = tf.quantization.quantize(NUMBERS, 0.0, 0.0, tf.quint8, ensure_minimum_range=0.5)
    assert found.numpy().tolist() == [[0, 153, 255, 255], [51, 0, 255, 0]] and high.numpy() == 0.5 and low.numpy() == 0


@pytest.mark.parametrize(
    ("call", "error"),
    [
        (lambda: tf.quantization.quantize(NUMBERS, 5.0, 4.0, tf.qint8), tf.errors.InvalidArgumentError),
        (lambda: tf.quantization.quantize(NUMBERS, 0.0, 4.0, tf.qint8, "NONE"), tf.errors.InvalidArgumentError),
        (lambda: tf.quantization.quantize(NUMBERS, 0.0, 4.0, tf.int8), tf.errors.InvalidArgumentError),
        (
            lambda: tf.quantization.quantize(NUMBERS, 0.0, 4.0, tf.qint8, round_mode="HALF_TO_EVEN"),
            tf.errors.InvalidArgumentError,
        ),
        (
            lambda: tf.quantization.quantize(NUMBERS, [0.0, 0.0], [4.0, 1.0], tf.qint8, "MIN_FIRST", axis=0),
            tf.errors.UnimplementedError,
        ),
        (
            lambda: tf.quantization.dequantize(octets([1]), 0.0, 4.0, "MIN_FIRST", dtype=tf.bfloat16),
            tf.errors.InvalidArgumentError,
        ),
        (lambda: tf.quantization.dequantize(octets([1]), [0.0, 1.0], 4.0), tf.errors.InvalidArgumentError),
        (lambda: tf.quantization.dequantize(tf.constant([1]), 0.0, 4.0), tf.errors.NotFoundError),
        (
            lambda: R.QuantizedMatMul(
                a=octets([[1]]), b=octets([[1]], tf.qint8), min_a=0.0, max_a=1.0, min_b=0.0, max_b=1.0
            ),
            tf.errors.NotFoundError,
        ),
        (lambda: tf.cast("a", tf.qint8), tf.errors.UnimplementedError),
        (lambda: octets([1]) + octets([1]), tf.errors.InvalidArgumentError),
        (lambda: tf.strings.as_string(octets([1])), tf.errors.InvalidArgumentError),
        (lambda: tf.constant([1.5], tf.qint8), TypeError),
        (lambda: tf.constant([True], tf.qint8), TypeError),
        (lambda: tf.qint8.max, TypeError),
    ],
)
def test_what_is_refused(call, error):
    with pytest.raises(error):
        call()


RAMP = np.arange(6).reshape(2, 3) * 40 + 7


def batch_norm(scale, **other):
    given = {
        "t": octets(RAMP[None, None]),
        "t_min": -1.0,
        "t_max": 2.0,
        "m_min": -1.0,
        "m_max": 1.0,
        "v_min": 0.0,
        "v_max": 2.0,
    }
    given |= {"beta_min": -1.0, "beta_max": 2.0, "gamma_min": 0.0, "gamma_max": 1.5}
    given |= {n: octets(RAMP[i]) for n, i in (("m", 0), ("v", 0), ("beta", 1), ("gamma", 1))} | other
    return R.QuantizedBatchNormWithGlobalNormalization(
        **given, out_type=tf.qint32, variance_epsilon=0.001, scale_after_normalization=scale
    )


def test_images_that_do_not_fit():
    with pytest.raises(tf.errors.InvalidArgumentError, match="input must be 4-dimensional"):
        batch_norm(True, t=octets(RAMP))
    with pytest.raises(tf.errors.InvalidArgumentError, match="var must have as many elements"):
        batch_norm(True, v=octets([1, 2]))
    x = octets(RAMP[None, :, :, None])
    for size, says in (([0, 2], "dimensions must be positive"), ([2], "two elements"), ([[2, 2]], "rank")):
        with pytest.raises(tf.errors.InvalidArgumentError, match=says):
            R.QuantizedResizeBilinear(images=x, size=size, min=-1.0, max=2.0)
    with pytest.raises(tf.errors.InvalidArgumentError, match="quint8, qint32 or float32, got qint8"):
        R.QuantizedResizeBilinear(images=octets(RAMP[None, :, :, None], tf.qint8), size=[2, 2], min=-1.0, max=2.0)


@pytest.mark.parametrize(
    ("call", "integers", "low", "high"),
    [
        (
            lambda: R.QuantizedMatMul(
                a=octets(RAMP), b=octets(RAMP), min_a=-1.0, max_a=2.0, min_b=-3.0, max_b=1.5, transpose_b=True
            ),
            [17222, 3542, -27058, 2462],
            -445844.375,
            445844.375,
        ),
        (
            lambda: R.QuantizedMul(x=octets(RAMP), y=octets(RAMP[0]), min_x=-1.0, max_x=2.0, min_y=-3.0, max_y=1.5),
            [12714, 4674, -166, -6846, -10086, -10126],
            -445844.375,
            445844.375,
        ),
        (
            lambda: R.QuantizedAdd(x=octets(RAMP), y=octets(RAMP[0]), min_x=-4.0, max_x=3.0, min_y=-1.0, max_y=2.0),
            [-155095, -103655, -52215, -47095, 4345, 55785],
            -65536.0,
            65536.0,
        ),
        (
            lambda: R.QuantizedAdd(x=octets(RAMP), y=octets(9), min_x=-4.0, max_x=3.0, min_y=-1.0, max_y=2.0),
            [-154327, -118327, -82327, -46327, -10327, 25673],
            -65536.0,
            65536.0,
        ),
        (
            lambda: R.QuantizedBiasAdd(
                input=octets(RAMP),
                bias=octets(RAMP[0]),
                min_input=-3.25,
                max_input=2.0,
                min_bias=-1.0,
                max_bias=2.0,
                out_type=tf.qint32,
            ),
            [-20298, -13775, -7250, -7843, -1320, 5205],
            -425984.0,
            425984.0,
        ),
        (
            lambda: R.QuantizedBiasAdd(
                input=octets(RAMP),
                bias=octets(RAMP[0]),
                min_input=-3.1,
                max_input=2.0,
                min_bias=-1.0,
                max_bias=2.0,
                out_type=tf.qint32,
            ),
            [-20495, -13780, -7065, -7811, -1096, 5620],
            -406323.1875,
            406323.1875,
        ),
        (lambda: batch_norm(True), [1165, 2572, 3956, 10299, 7244, 8215], -1048576.0, 1048576.0),
        (lambda: batch_norm(False), [1217, 2583, 3775, 13444, 7339, 7271], -1048576.0, 1048576.0),
        (
            lambda: R.QuantizedResizeBilinear(images=octets(RAMP[None, :, :, None]), size=[3, 2], min=-1.0, max=2.0),
            [7, 67, 87, 147, 127, 187],
            -1.0,
            2.0,
        ),
        (
            lambda: R.QuantizedResizeBilinear(
                images=octets(RAMP[None, :, :, None]), size=[3, 2], min=-1.0, max=2.0, half_pixel_centers=True
            ),
            [17, 77, 77, 137, 137, 197],
            -1.0,
            2.0,
        ),
        (
            lambda: R.QuantizedResizeBilinear(
                images=tf.cast(RAMP[None, :, :, None] * 10000019 - 10**9, tf.qint32),
                size=[3, 2],
                min=-1.0,
                max=2.0,
                align_corners=True,
            ),
            [-929999871, -129998343, -329998735, 470002780, 270002400, 1070003904],
            -1.0,
            2.0,
        ),
        (
            lambda: R.QuantizedConv2D(
                input=octets(RAMP[None, :, :, None]),
                filter=octets(RAMP[:, :2, None, None]),
                min_input=-1.0,
                max_input=2.0,
                min_filter=-3.0,
                max_filter=1.5,
                strides=[1, 1, 1, 1],
                padding="SAME",
            ),
            [15336, 2056, -5572, -16932, -28372, -19886],
            -445844.375,
            445844.375,
        ),
        (
            lambda: R.QuantizedMaxPool(
                input=octets(RAMP[None, :, :, None]),
                min_input=-1.0,
                max_input=2.0,
                ksize=[1, 2, 2, 1],
                strides=[1, 1, 1, 1],
                padding="SAME",
            ),
            [167, 207, 207, 167, 207, 207],
            -1.0,
            2.0,
        ),
        (
            lambda: R.QuantizedAvgPool(
                input=octets(RAMP[None, :, :, None] - 128, tf.qint8),
                min_input=-1.0,
                max_input=2.0,
                ksize=[1, 2, 2, 1],
                strides=[1, 1, 1, 1],
                padding="SAME",
            ),
            [-41, -1, 19, 19, 59, 79],
            -1.0,
            2.0,
        ),
        (
            lambda: R.QuantizedRelu(features=octets(RAMP), min_features=-3.0, max_features=4.0),
            [109, 109, 109, 127, 167, 207],
            -3.0,
            4.0,
        ),
        (
            lambda: R.QuantizedRelu6(features=octets(RAMP), min_features=-3.0, max_features=9.0),
            [64, 64, 87, 127, 167, 192],
            -3.0,
            9.0,
        ),
        (
            lambda: R.QuantizedReshape(tensor=octets(RAMP), shape=[3, 2], input_min=-1.0, input_max=2.0),
            [7, 47, 87, 127, 167, 207],
            -1.0,
            2.0,
        ),
        (
            lambda: tf.quantization.quantized_concat(0, [octets(RAMP), octets(RAMP)], [-1.0, 0.0], [2.0, 5.0]),
            [4, 24, 44, 64, 84, 104, 49, 82, 116, 149, 182, 216],
            -1.0,
            5.0,
        ),
        (
            lambda: R.QuantizedConcat(
                concat_dim=0, values=[tf.cast(RAMP, tf.qint32)] * 2, input_mins=[-1.0, -2.0], input_maxes=[1.0, 2.5]
            ),
            [3, 19, 35, 51, 67, 83, 214748368, 214748416, 214748448, 214748464, 214748528, 214748544],
            -2.5,
            2.5,
        ),
        (
            lambda: R.QuantizedInstanceNorm(
                x=octets(RAMP[None, :, :, None]),
                x_min=-1.0,
                x_max=2.0,
                output_range_given=True,
                given_y_min=-2.0,
                given_y_max=3.0,
            ),
            [27, 57, 87, 117, 147, 177],
            -2.0,
            3.0,
        ),
        (
            lambda: R.Requantize(
                input=tf.cast(RAMP * 10**6, tf.qint32),
                input_min=-300.0,
                input_max=400.0,
                requested_output_min=0.0,
                requested_output_max=300.0,
                out_type=tf.qint8,
            ),
            [-85, -79, -73, -68, -62, -57],
            0.0,
            300.0,
        ),
        (
            lambda: R.QuantizeDownAndShrinkRange(
                input=tf.cast(RAMP * 10**6, tf.qint32), input_min=-300.0, input_max=400.0, out_type=tf.quint8
            ),
            [156, 176, 195, 215, 235, 255],
            0.0,
            83.7371597290039,
        ),
    ],
)
def test_arithmetic(wrapped, call, integers, low, high):
    found, first, last = wrapped(lambda: call())()
    assert found.numpy().ravel().tolist() == integers
    assert (first.numpy(), last.numpy()) == (np.float32(low), np.float32(high))


def test_constants_casts_and_bits():
    x = tf.constant([1, -2, 300], tf.qint8)
    assert repr(x) == "<tf.Tensor: shape=(3,), dtype=qint8, numpy=array([ 1, -2, 44], dtype=int8)>"
    assert x.numpy().dtype == np.int8 and np.asarray(x).tolist() == [1, -2, 44] and int(x[0]) == 1
    assert tf.cast([200.7, -1.5], tf.qint8).numpy().tolist() == [-56, -1]
    assert tf.cast(x, tf.float32).numpy().tolist() == [1.0, -2.0, 44.0]
    assert tf.cast([200, -1], tf.quint16).numpy().tolist() == [200, 65535]
    assert tf.bitcast(tf.constant([1.0]), tf.qint8).numpy().tolist() == [[0, 0, -128, 63]]
    assert tf.bitcast(tf.constant([1, 2], tf.qint32), tf.quint8).numpy().tolist() == [[1, 0, 0, 0], [2, 0, 0, 0]]
    assert tf.bitcast(tf.constant([[1, 2, 3, 4]], tf.qint8), tf.int32).numpy().tolist() == [67305985]
    given = np.array([(1,), (2,)], tf.qint16.as_numpy_dtype)
    assert tf.constant(given).dtype is tf.qint16
    message = tf.make_tensor_proto(given, tf.qint16)
    assert message.dtype == 15 and tf.make_ndarray(message).tolist() == [1, 2]
    assert tf.constant(5, tf.qint32).numpy() == 5


def test_elements_are_moved(wrapped):
    x = octets([1, 2, 3, 100])
    moved = wrapped(
        lambda t: [
            tf.gather(t, [2, 0]), tf.reshape(t, [2, 2]), tf.concat([t, t], 0), tf.stack([t, t]), t[1:3], t[::-1],
            tf.pad(t, [[1, 1]]), tf.fill([2], t[0]), tf.boolean_mask(t, [True, False, True, True]),
            tf.cond(tf.reduce_all(t == t), lambda: t, lambda: t[:1]), tf.zeros([2], t.dtype),
        ]
    )(x)  # fmt: skip
    assert all(m.dtype is tf.quint8 for m in moved)
    assert [m.numpy().tolist() for m in moved] == [
        [3, 1], [[1, 2], [3, 100]], [1, 2, 3, 100, 1, 2, 3, 100], [[1, 2, 3, 100], [1, 2, 3, 100]], [2, 3],
        [100, 3, 2, 1], [0, 1, 2, 3, 100, 0], [1, 1], [1, 3, 100], [1, 2, 3, 100], [0, 0],
    ]  # fmt: skip
    assert [t.numpy().tolist() for t in tf.data.Dataset.from_tensor_slices(x)] == [1, 2, 3, 100]


def test_variables_and_open_sizes():
    variable = tf.Variable([1, 2], dtype=tf.qint8)
    assert variable.assign([3, 4]).numpy().tolist() == [3, 4] and variable.dtype is tf.qint8
    with pytest.raises(tf.errors.InvalidArgumentError):
        variable.assign_add([1, 1])

    @tf.function(input_signature=[tf.TensorSpec([None], tf.qint32)])
    def scaled(q):
        return 2.0 * tf.quantization.dequantize(q[1:], -1.0, 1.0), tf.cast(q, tf.int64)

    numbers, whole = scaled(tf.constant([1, 2**30, -(2**30)], tf.qint32))
    assert numbers.numpy().tolist() == [1.0, -1.0] and whole.numpy().tolist() == [1, 2**30, -(2**30)]


@pytest.mark.parametrize("tiers", ["compiled", "interpreted"])
@pytest.mark.parametrize("mode", ["immediate", "fused"])
def test_numbers_halfway_between_two_that_are_kept(mode, tiers):
    with tf.extras.execution(mode, tiers=tiers):
        found = tf.quantization.fake_quant_with_min_max_args([-1.5, 0.0, 2.0, 0.5])
        assert found.numpy().tolist() == np.array([-1.5058824, 0, 2.0235295, 0.5176471], np.float32).tolist()
