"""Rows of losses over sampled classes, of morphology and of quantization."""

from __future__ import annotations

import numpy as np

from tests.ops.table import Rows

rows = Rows("candidates")

random = np.random.default_rng(0)
X = [-7.0, -1.2, 0.0, 0.3, 5.9, 8.0]
for bits, narrow in ((8, False), (4, True)):
    tag = f"{bits} {narrow}"
    rows(
        f"fake_quant args {tag}",
        lambda tf, x, b=bits, n=narrow: tf.quantization.fake_quant_with_min_max_args(x, -2.0, 6.0, b, n),
        X,
        smooth=False,
    )
    rows(
        f"fake_quant vars {tag}",
        lambda tf, x, a, c, b=bits, n=narrow: tf.quantization.fake_quant_with_min_max_vars(x, a, c, b, n),
        X,
        -2.0,
        6.0,
        smooth=False,
    )
    rows(
        f"fake_quant channels {tag}",
        lambda tf, x, a, c, b=bits, n=narrow: tf.quantization.fake_quant_with_min_max_vars_per_channel(x, a, c, b, n),
        [X[:3], X[3:]],
        [-2.0, -1.0, -0.5],
        [6.0, 1.0, 2.0],
        smooth=False,
    )
    for name in ("quantize_and_dequantize", "quantize_and_dequantize_v2"):
        for given in (True, False):
            rows(
                f"{name} {tag} {given}",
                lambda tf, x, a, c, b=bits, n=narrow, g=given, f=name: getattr(tf.quantization, f)(
                    x, a, c, num_bits=b, range_given=g, narrow_range=n
                ),
                X,
                -2.0,
                6.0,
                smooth=False,
            )
rows(
    "fake_quant gradients",
    lambda tf, g, x: [
        tf.quantization.fake_quant_with_min_max_args_gradient(g, x),
        *tf.quantization.fake_quant_with_min_max_vars_gradient(g, x, -1.0, 1.0),
        *tf.quantization.fake_quant_with_min_max_vars_per_channel_gradient(g, x, [-1.0] * 6, [1.0] * 6),
    ],
    [0.5, 0.25, 1.0, 2.0, 3.0, 4.0],
    X,
    gradient=False,
)
rows(
    "quantize there and back",
    lambda tf, x: tf.quantization.dequantize(*tf.quantization.quantize(x, -2.0, 6.0, tf.quint8)),
    X,
    gradient=False,
)
rows("fake_quant empty range", lambda tf, x: tf.quantization.fake_quant_with_min_max_args(x, 1.0, 0.0), X)
rows("fake_quant bits", lambda tf, x: tf.quantization.fake_quant_with_min_max_args(x, num_bits=1), X)
rows(
    "quantize_and_dequantize mode",
    lambda tf, x: tf.quantization.quantize_and_dequantize_v2(x, 0.0, 1.0, round_mode="x"),
    X,
)

IMAGE = random.uniform(size=(1, 4, 3, 2)).round(3).tolist()
FILTER = random.uniform(size=(2, 2, 2)).round(3).tolist()
for name in ("dilation2d", "erosion2d"):
    for padding, strides, dilations in (("SAME", 1, 1), ("VALID", 1, 2), ("SAME", 2, 1)):
        rows(
            f"{name} {padding} {strides} {dilations}",
            lambda tf, x, k, f=name, p=padding, s=strides, d=dilations: getattr(tf.nn, f)(
                x, k, [1, s, 1, 1], p, "NHWC", [1, d, 1, 1]
            ),
            IMAGE,
            FILTER,
        )
rows(
    "dilation2d depth",
    lambda tf, x, k: tf.nn.dilation2d(x, k[..., :1], [1] * 4, "SAME", "NHWC", [1] * 4),
    IMAGE,
    FILTER,
)
rows("dilation2d format", lambda tf, x, k: tf.nn.dilation2d(x, k, [1] * 4, "SAME", "NCHW", [1] * 4), IMAGE, FILTER)
for decreasing in (True, False):
    rows(
        f"isotonic_regression {decreasing}",
        lambda tf, x, d=decreasing: tf.nn.isotonic_regression(x, d),
        [[3.0, 1.0, 2.2, 2.5], [1.0, 4.0, 2.1, 0.0]],
    )
rows(
    "isotonic_regression axis", lambda tf, x: tf.nn.isotonic_regression(x, axis=0), [[3.0, 1.0], [1.0, 4.0], [2.0, 2.0]]
)

WEIGHTS, BIASES = random.uniform(size=(8, 3)).round(3).tolist(), random.uniform(size=8).round(3).tolist()
INPUTS = random.uniform(size=(2, 3)).round(3).tolist()


def loss(name, remove):
    def call(tf, w, b, x):
        drawn = tf.constant([1, 5, 7], tf.int64), tf.constant([[0.5, 0.2], [0.1, 0.9]]), tf.constant([0.3, 0.6, 0.9])
        drawn = (drawn[0], *[tf.cast(t, x.dtype) for t in drawn[1:]])
        labels = tf.constant([[1, 1], [4, 7]], tf.int64)
        return getattr(tf.nn, name)(tf.identity(w), tf.identity(b), labels, x, 3, 8, 2, drawn, remove)

    return call


for name in ("nce_loss", "sampled_softmax_loss"):
    rows(f"{name} all", loss(name, False), WEIGHTS, BIASES, INPUTS, rtol=1e-4)
    rows(f"{name} without hits", loss(name, True), WEIGHTS, BIASES, INPUTS, rtol=1e-4)
rows("compute_accidental_hits", lambda tf: tuple(tf.nn.compute_accidental_hits([[1, 5], [2, 7]], [7, 1, 3], 2)))
rows("all_candidate_sampler", lambda tf: tuple(tf.random.all_candidate_sampler([[1, 3], [2, 0]], 2, 4, True)))
for name in ("log_uniform", "uniform"):
    for unique in (True, False):
        rows(
            f"random {name} {unique}",
            lambda tf, n=name, u=unique: [
                tf.random.set_seed(7),
                [
                    tuple(getattr(tf.random, f"{n}_candidate_sampler")([[1, 5]], 2, 4, u, 9, seed=s))
                    for s in (None, 3, 3)
                ],
            ][1],
            rtol=1e-5,
        )
rows("all_candidate_sampler out of range", lambda tf: tuple(tf.random.all_candidate_sampler([[4]], 1, 4, True)))
rows("random uniform too few", lambda tf: tf.random.uniform_candidate_sampler([[1]], 1, 9, True, 5))
