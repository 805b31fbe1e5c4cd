"""Rows of activations, losses, normalisation, convolutions and pooling."""

from __future__ import annotations

import numpy as np

from tests.ops.table import Rows

rows = Rows("nn")

random = np.random.default_rng(0)


def some(*shape: int) -> list:
    return random.normal(size=shape).round(3).tolist()


X = [-1.3, -0.2, 0.4, 2.0, 7.0]
EDGES = [-1.0, -0.0, 0.0, 6.0, 7.0, np.nan, np.inf]

# -- activations

ACTIVATIONS = "nn.relu nn.relu6 nn.leaky_relu nn.elu nn.selu nn.softplus nn.softsign nn.silu nn.gelu math.log_sigmoid"
rows.each(ACTIVATIONS + " nn.crelu", X)
rows.each(ACTIVATIONS, EDGES, tag="edges", smooth=False)
rows.each("nn.relu nn.softplus nn.elu", X, tag="half", dtype=np.float16, smooth=False)
rows("relu of integers", lambda tf, x: tf.nn.relu(x), [-1, 2])
rows("relu of booleans", lambda tf, x: tf.nn.relu(x), [True])
rows(
    "relu infinite cotangent",
    lambda tf, x: tf.nn.relu(x) * float("inf"),
    [-1.0, 2.0],
    smooth=False,
)
rows("leaky_relu of integers", lambda tf, x: tf.nn.leaky_relu(x, 0.5), [-1, 2])
rows("leaky_relu negative alpha", lambda tf, x: tf.nn.leaky_relu(x, -0.5), X)
rows("elu of integers", lambda tf, x: tf.nn.elu(x), [-1, 2])
rows("gelu approximate", lambda tf, x: tf.nn.gelu(x, approximate=True), X)
rows("gelu of integers", lambda tf, x: tf.nn.gelu(x), [1])
rows("swish beta", lambda tf, x, b: tf.nn.swish(x, b), X, 1.5)
rows("silu number beta", lambda tf, x: tf.nn.silu(x, 2), X)
rows("crelu axis", lambda tf, x: tf.nn.crelu(x, axis=0), [[1.0, -2.0]])

for name in ("softmax", "log_softmax"):
    rows(name, lambda tf, x, name=name: getattr(tf.nn, name)(x), some(2, 3))
    rows(f"{name} axis", lambda tf, x, name=name: getattr(tf.nn, name)(x, axis=0), some(2, 3))
    rows(f"{name} infinities", lambda tf, x, name=name: getattr(tf.nn, name)(x), [-np.inf, 1.0], smooth=False)
    rows(f"{name} empty", lambda tf, x, name=name: getattr(tf.nn, name)(x), np.zeros((0, 3), np.float32), smooth=False)
    rows(f"{name} axis out of range", lambda tf, x, name=name: getattr(tf.nn, name)(x, axis=2), some(2, 3))
    rows(f"{name} of integers", lambda tf, x, name=name: getattr(tf.nn, name)(x), [1, 2])

rows("bias_add", lambda tf, x, b: tf.nn.bias_add(x, b), some(2, 3), some(3))
rows("bias_add channels first", lambda tf, x, b: tf.nn.bias_add(x, b, "NCHW"), some(2, 3, 2, 2), some(3))
rows("bias_add channels last", lambda tf, x, b: tf.nn.bias_add(x, b, data_format="N..C"), some(2, 3, 2), some(2))
rows("bias_add wrong size", lambda tf, x, b: tf.nn.bias_add(x, b), some(2, 3), some(2))
rows("bias_add of a vector", lambda tf, x, b: tf.nn.bias_add(x, b), some(3), some(3))
rows("bias_add matrix bias", lambda tf, x, b: tf.nn.bias_add(x, b), some(2, 3), some(1, 3))
rows("bias_add wrong format", lambda tf, x, b: tf.nn.bias_add(x, b, "X"), some(2, 3), some(3))

# -- dropout (random, but seeded)


def dropout(tf, x, *args, **options):
    tf.random.set_seed(7)
    return tf.nn.dropout(x, *args, **options)


rows("dropout", lambda tf, x: dropout(tf, x, 0.5), some(8))
rows("dropout seed", lambda tf, x: dropout(tf, x, 0.3, seed=3), some(8))
rows("dropout tensor rate", lambda tf, x, r: dropout(tf, x, r), some(8), 0.25)
rows("dropout noise shape", lambda tf, x: dropout(tf, x, 0.5, noise_shape=[3, 1]), some(3, 4))
rows("dropout noise shape with None", lambda tf, x: dropout(tf, x, 0.5, noise_shape=[None, 1]), some(3, 4))
rows("dropout wrong noise shape", lambda tf, x: dropout(tf, x, 0.5, noise_shape=[2, 1]), some(3, 4))
rows("dropout of nothing", lambda tf, x: dropout(tf, x, 0), some(3))
rows("dropout of everything", lambda tf, x: dropout(tf, x, 1.0), some(3))
rows("dropout of integers", lambda tf, x: dropout(tf, x, 0.5), [1, 2])
rows("dropout float64", lambda tf, x: dropout(tf, x, 0.5), np.ones(6))
rows("dropout float16", lambda tf, x: dropout(tf, x, 0.5), np.ones(6, np.float16), smooth=False)
rows("stateless_dropout", lambda tf, x: tf.nn.experimental.stateless_dropout(x, 0.5, [1, 2]), some(8))
rows(
    "general_dropout",
    lambda tf, x: tf.nn.experimental.general_dropout(
        x, 0.5, lambda shape, dtype: tf.random.stateless_uniform(shape, [1, 2], dtype=dtype)
    ),
    some(8),
)

# -- losses

LOGITS = some(2, 3)
rows("l2_loss", lambda tf, x: tf.nn.l2_loss(x), some(2, 3))
rows("l2_loss of integers", lambda tf, x: tf.nn.l2_loss(x), [1, 2])


def sparse(tf, labels, logits):
    return tf.nn.sparse_softmax_cross_entropy_with_logits(labels, logits)


rows("sparse cross entropy", sparse, [2, 0], LOGITS)
rows("sparse cross entropy int64", sparse, np.array([2, 0]), LOGITS)
rows("sparse cross entropy of a vector", sparse, 1, [1.0, 2.0, 3.0])
rows("sparse cross entropy of rank 3", sparse, [[1, 2]], some(1, 2, 3))
rows("sparse cross entropy half", sparse, [1], [[1.0, 2.0, 3.0]], dtype=np.float16, smooth=False)
rows("sparse cross entropy label too large", sparse, [5], [[1.0, 2.0, 3.0]])
rows("sparse cross entropy label negative", sparse, [-1], [[1.0, 2.0, 3.0]])
INFINITE = [[1.0, np.inf, 2.0], [np.inf, np.inf, 1.0], [1.0, -np.inf, 2.0], [-np.inf, -np.inf, -np.inf]]
rows("sparse cross entropy of infinite logits", sparse, [0, 2, 1, 0], INFINITE, smooth=False)
rows("sparse cross entropy ranks", sparse, [[1]], [[1.0, 2.0, 3.0]])
rows("sparse cross entropy shapes", sparse, [1, 2], [[1.0, 2.0, 3.0]])
rows("sparse cross entropy float labels", sparse, [1.0], [[1.0, 2.0, 3.0]])
rows("sparse cross entropy integer logits", sparse, [1], [[1, 2, 3]])


def dense(tf, labels, logits, **options):
    return tf.nn.softmax_cross_entropy_with_logits(labels, logits, **options)


P = [[0.2, 0.5, 0.3], [0.0, 1.0, 0.0]]
rows("cross entropy", lambda tf, x: dense(tf, P, x), LOGITS)
rows("cross entropy of both", dense, P, LOGITS, smooth=False)
rows("cross entropy labels that do not sum to one", dense, [[1.0, 2.0, 0.0]], [LOGITS[0]], smooth=False)
rows("cross entropy axis", lambda tf, x: dense(tf, [[0.5, 1.0], [0.5, 0.0]], x, axis=0), some(2, 2))
rows("cross entropy broadcast", lambda tf, x: dense(tf, [P[0]], x), LOGITS, smooth=False)
rows("cross entropy half", lambda tf, x: dense(tf, P, x), LOGITS, dtype=np.float16, smooth=False)
rows("cross entropy integer labels", lambda tf, y, x: dense(tf, y, x), [[1, 0, 0]], [LOGITS[0]])
rows("cross entropy shapes", dense, [[1.0, 2.0, 3.0]], [[1.0, 3.0]])
rows("cross entropy impossible class", dense, [[0.0, 1.0]], [[-np.inf, 3.0]], smooth=False)
rows("cross entropy of infinite logits", lambda tf, x: dense(tf, [P[0]], x), INFINITE, smooth=False)
rows("cross entropy without labels", lambda tf, x: dense(tf, None, x), LOGITS)

SIGMOID = [0.3, -1.0, 100.0, -100.0]
for name in ("sigmoid", "weighted"):
    weight = (2.0,) if name == "weighted" else ()

    def call(tf, labels, logits, *more, name=name):
        return getattr(tf.nn, f"{name}_cross_entropy_with_logits")(labels, logits, *more)

    rows(f"{name} cross entropy", call, [0.0, 1.0, 0.5, 0.2], SIGMOID, *weight)
    rows(f"{name} cross entropy at zero", call, [0.0, 1.0, 0.5], [0.0, 0.0, -0.0], *weight, smooth=False)
    rows(f"{name} cross entropy shapes", call, [0.0, 1.0], [[0.0, 1.0]], *weight)
    rows(f"{name} cross entropy dtypes", call, [0, 1], [0.0, 1.0], *weight)
rows("sigmoid cross entropy without logits", lambda tf, x: tf.nn.sigmoid_cross_entropy_with_logits(x), [1.0])
for full in (False, True):
    rows(
        f"log_poisson_loss {full}",
        lambda tf, y, x, full=full: tf.nn.log_poisson_loss(y, x, full),
        [0.5, 1.3, 2.0],
        [0.0, 1.0, 2.0],
    )
rows("log_poisson_loss shapes", lambda tf, y, x: tf.nn.log_poisson_loss(y, x), [0.5], [[0.0]])
rows("scale_regularization_loss", lambda tf, x: tf.nn.scale_regularization_loss(x), some(3))
rows("compute_average_loss", lambda tf, x: tf.nn.compute_average_loss(x), some(4))
rows("compute_average_loss weights", lambda tf, x, w: tf.nn.compute_average_loss(x, w, 8), some(4), some(4))

# -- normalisation

rows("moments", lambda tf, x: tf.nn.moments(x, [0, 1]), some(2, 3, 2), smooth=False)
rows("moments keepdims", lambda tf, x: tf.nn.moments(x, [-1], keepdims=True), some(2, 3), smooth=False)
rows("moments one axis", lambda tf, x: tf.nn.moments(x, 0), some(4), smooth=False)
rows("moments half", lambda tf, x: tf.nn.moments(x, [0]), some(4), dtype=np.float16, smooth=False)
rows("moments axis out of range", lambda tf, x: tf.nn.moments(x, [2]), some(4))


def moments_twice(tf, x):
    with tf.GradientTape() as tape:
        tape.watch(x)
        variance = tf.nn.moments(x, [0])[1]
    return tape.gradient(variance, x)


rows("moments second derivative", moments_twice, some(4), smooth=False)
rows("weighted_moments", lambda tf, x, w: tf.nn.weighted_moments(x, [0], w), some(3, 2), [[1.0], [2.0], [0.5]])
rows("sufficient_statistics", lambda tf, x: tf.nn.sufficient_statistics(x, [0])[:3], some(3, 2))
rows("sufficient_statistics shift", lambda tf, x, s: tf.nn.sufficient_statistics(x, [0], s), some(3, 2), 0.5)
rows("normalize_moments", lambda tf, c, m, v: tf.nn.normalize_moments(c, m, v, None), 3.0, some(2), [2.0, 3.0])
rows("normalize_moments shift", lambda tf, m, v, s: tf.nn.normalize_moments(3.0, m, v, s), some(2), [2.0, 3.0], 0.5)
BATCH = (some(3, 2), some(2), [0.5, 1.5], some(2), some(2))
rows("batch_normalization", lambda tf, *a: tf.nn.batch_normalization(*a, 1e-3), *BATCH)
rows("batch_normalization bare", lambda tf, *a: tf.nn.batch_normalization(*a, None, None, 1e-3), *BATCH[:3])
rows("batch_normalization tensor epsilon", lambda tf, *a: tf.nn.batch_normalization(*a), *BATCH, 0.01)
rows(
    "batch_norm_with_global_normalization",
    lambda tf, *a: tf.nn.batch_norm_with_global_normalization(*a, 1e-3, True),
    *BATCH,
)
IMAGES = (some(2, 3, 2, 2), some(2), some(2))
rows("fused_batch_norm", lambda tf, *a: tf.compat.v1.nn.fused_batch_norm(*a)[0], *IMAGES)
rows("fused_batch_norm statistics", lambda tf, *a: tf.compat.v1.nn.fused_batch_norm(*a)[1:], *IMAGES, gradient=False)
rows(
    "fused_batch_norm inference",
    lambda tf, *a: tf.compat.v1.nn.fused_batch_norm(*a, is_training=False)[0],
    *IMAGES,
    some(2),
    [0.5, 1.5],
    smooth=False,
)
rows("lrn", lambda tf, x: tf.nn.lrn(x, 1, 1.0, 0.5, 0.75), some(1, 2, 2, 4))
rows("lrn rank", lambda tf, x: tf.nn.local_response_normalization(x), some(1, 2, 4))

# -- convolutions

IMAGE, FILTERS = some(2, 5, 4, 2), some(3, 2, 2, 3)


def conv2d(tf, x, k, *args, **options):
    return tf.nn.conv2d(x, k, *args, **options)


for name, args, options in (
    ("same", (1, "SAME"), {}),
    ("valid", ([1], "VALID"), {}),
    ("strides", ([2, 1], "SAME"), {}),
    ("strides of four", ([1, 2, 2, 1], "VALID"), {}),
    ("explicit", (1, [[0, 0], [1, 0], [2, 1], [0, 0]]), {}),
    ("dilations", (1, "SAME"), {"dilations": [2, 1]}),
):
    rows(
        f"conv2d {name}",
        lambda tf, x, k, a=args, o=options: conv2d(tf, x, k, *a, **o),
        IMAGE,
        FILTERS,
        smooth=name in ("same", "strides"),
    )
rows("conv2d one channel", lambda tf, x, k: conv2d(tf, x, k, 1, "SAME"), some(2, 4, 4, 1), some(3, 3, 1, 2))
rows(
    "conv2d one channel strided",
    lambda tf, x, k: conv2d(tf, x, k, 2, "VALID"),
    some(1, 5, 5, 1),
    some(3, 3, 1, 2),
    smooth=False,
)
rows("conv2d pointwise", lambda tf, x, k: conv2d(tf, x, k, 1, "SAME"), IMAGE, some(1, 1, 2, 3))
rows("conv2d pointwise strided", lambda tf, x, k: conv2d(tf, x, k, 2, "VALID"), IMAGE, some(1, 1, 2, 3), smooth=False)
rows("conv2d groups", lambda tf, x, k: conv2d(tf, x, k, 1, "SAME"), some(1, 3, 3, 4), some(2, 2, 2, 6))
rows(
    "conv2d more batch",
    lambda tf, x, k: conv2d(tf, x, k, 1, "SAME"),
    some(2, 1, 3, 3, 2),
    some(2, 2, 2, 1),
    smooth=False,
)
rows(
    "conv2d channels first",
    lambda tf, x, k: conv2d(tf, x, k, [1, 1, 2, 1], "SAME", "NCHW"),
    some(1, 2, 4, 3),
    FILTERS,
    smooth=False,
)
rows(
    "conv2d half",
    lambda tf, x, k: conv2d(tf, x, k, 1, "VALID"),
    IMAGE,
    FILTERS,
    dtype=np.float16,
    smooth=False,
    rtol=2e-2,
)
rows(
    "conv2d empty batch",
    lambda tf, x, k: conv2d(tf, x, k, 1, "SAME"),
    np.zeros((0, 4, 4, 2), np.float32),
    FILTERS,
    smooth=False,
    differs="TensorFlow's result has the channels of the input",
)
for name, args, options in (
    ("unknown padding", (1, "FOO"), {}),
    ("no padding", (1, None), {}),
    ("too few paddings", (1, [[1, 1], [2, 0]]), {}),
    ("three strides", ([1, 2, 3], "SAME"), {}),
    ("stride of zero", (0, "SAME"), {}),
    ("stride of the batch", ([2, 1, 1, 1], "SAME"), {}),
    ("unknown format", (1, "SAME"), {"data_format": "XX"}),
    ("dilation of zero", (1, "SAME"), {"dilations": 0}),
):
    rows(f"conv2d {name}", lambda tf, x, k, a=args, o=options: conv2d(tf, x, k, *a, **o), IMAGE, FILTERS)
rows("conv2d channels that do not fit", lambda tf, x, k: conv2d(tf, x, k, 1, "SAME"), IMAGE, some(2, 2, 3, 1))
rows("conv2d groups that do not fit", lambda tf, x, k: conv2d(tf, x, k, 1, "SAME"), some(1, 3, 3, 4), some(2, 2, 2, 3))
rows("conv2d filters of rank 3", lambda tf, x, k: conv2d(tf, x, k, 1, "SAME"), IMAGE, some(2, 2, 2))
rows("conv2d dtypes", lambda tf, x, k: conv2d(tf, x, k, 1, "SAME"), IMAGE, np.ones((1, 1, 2, 1)))
rows("conv2d no filters", lambda tf, x, k: conv2d(tf, x, k, 1, "SAME"), IMAGE, np.zeros((1, 1, 2, 0), np.float32))

rows("conv1d", lambda tf, x, k: tf.nn.conv1d(x, k, 2, "SAME"), some(2, 5, 3), some(3, 3, 2))
rows(
    "conv1d dilated", lambda tf, x, k: tf.nn.conv1d(x, k, [1, 1, 1], "VALID", dilations=2), some(1, 6, 2), some(3, 2, 2)
)
rows(
    "conv1d channels first",
    lambda tf, x, k: tf.nn.conv1d(x, k, 1, "SAME", "NCW"),
    some(1, 2, 5),
    some(3, 2, 2),
    smooth=False,
)
rows("conv1d unknown format", lambda tf, x, k: tf.nn.conv1d(x, k, 1, "SAME", "X"), some(1, 2, 5), some(3, 2, 2))
rows("conv3d", lambda tf, x, k: tf.nn.conv3d(x, k, [1, 2, 1, 1, 1], "SAME"), some(1, 3, 3, 2, 2), some(2, 2, 2, 2, 2))
rows(
    "conv3d dilated",
    lambda tf, x, k: tf.nn.conv3d(x, k, [1] * 5, "VALID", dilations=[1, 2, 1, 1, 1]),
    some(1, 4, 3, 2, 1),
    some(2, 2, 2, 1, 2),
    smooth=False,
)
rows(
    "convolution",
    lambda tf, x, k: tf.nn.convolution(x, k, padding="SAME", dilations=[2, 1]),
    IMAGE,
    FILTERS,
    smooth=False,
)
rows("convolution 1-D", lambda tf, x, k: tf.nn.convolution(x, k, strides=2), some(1, 5, 2), some(3, 2, 2), smooth=False)
rows("atrous_conv2d", lambda tf, x, k: tf.nn.atrous_conv2d(x, k, 2, "SAME"), IMAGE, FILTERS, smooth=False)
rows(
    "conv2d_transpose",
    lambda tf, x, k: tf.nn.conv2d_transpose(x, k, [1, 4, 5, 2], 2),
    some(1, 2, 3, 3),
    some(3, 3, 2, 3),
)
rows(
    "conv2d_transpose valid",
    lambda tf, x, k: tf.nn.conv2d_transpose(x, k, tf.constant([1, 5, 7, 2]), 2, "VALID"),
    some(1, 2, 3, 3),
    some(3, 3, 2, 3),
    smooth=False,
)
rows(
    "conv2d_transpose channels",
    lambda tf, x, k: tf.nn.conv2d_transpose(x, k, [1, 4, 4, 5], 2),
    some(1, 2, 2, 3),
    some(3, 3, 2, 3),
)
rows("conv1d_transpose", lambda tf, x, k: tf.nn.conv1d_transpose(x, k, [1, 4, 2], 2), some(1, 2, 3), some(3, 2, 3))
rows(
    "conv3d_transpose",
    lambda tf, x, k: tf.nn.conv3d_transpose(x, k, [1, 2, 4, 2, 1], [1, 1, 2, 1, 1]),
    some(1, 2, 2, 2, 2),
    some(2, 2, 2, 1, 2),
    smooth=False,
)
rows(
    "conv_transpose",
    lambda tf, x, k: tf.nn.conv_transpose(x, k, [1, 4, 4, 2], 2),
    some(1, 2, 2, 3),
    some(3, 3, 2, 3),
    smooth=False,
)
rows(
    "atrous_conv2d_transpose",
    lambda tf, x, k: tf.nn.atrous_conv2d_transpose(x, k, [1, 4, 4, 2], 2, "SAME"),
    some(1, 4, 4, 3),
    some(2, 2, 2, 3),
    smooth=False,
)


def depthwise(tf, x, k, *args, **options):
    return tf.nn.depthwise_conv2d(x, k, *args, **options)


rows("depthwise_conv2d", lambda tf, x, k: depthwise(tf, x, k, [1, 1, 1, 1], "SAME"), IMAGE, some(3, 2, 2, 1))
rows("depthwise_conv2d multiple", lambda tf, x, k: depthwise(tf, x, k, [1, 2, 2, 1], "VALID"), IMAGE, some(3, 2, 2, 2))
rows(
    "depthwise_conv2d dilated",
    lambda tf, x, k: depthwise(tf, x, k, [1, 1, 1, 1], "SAME", dilations=[2, 2]),
    IMAGE,
    some(2, 2, 2, 2),
    smooth=False,
)
rows("depthwise_conv2d channels", lambda tf, x, k: depthwise(tf, x, k, [1, 1, 1, 1], "SAME"), IMAGE, some(2, 2, 3, 2))
rows(
    "separable_conv2d",
    lambda tf, x, d, p: tf.nn.separable_conv2d(x, d, p, [1, 1, 1, 1], "SAME"),
    IMAGE,
    some(2, 2, 2, 2),
    some(1, 1, 4, 3),
    smooth=False,
)

# -- pooling

TIES = [[[[1.0], [1.0], [0.0]], [[1.0], [1.0], [2.0]], [[2.0], [0.0], [2.0]]]]
for kind in ("max", "avg"):

    def pool(tf, x, *args, kind=kind, d="2d", **options):
        return getattr(tf.nn, f"{kind}_pool{d}")(x, *args, **options)

    rows(f"{kind}_pool2d", lambda tf, x, p=pool: p(tf, x, 2, 2, "VALID"), some(2, 5, 4, 2))
    rows(f"{kind}_pool2d same", lambda tf, x, p=pool: p(tf, x, 2, 2, "SAME"), some(2, 5, 3, 2), smooth=False)
    rows(f"{kind}_pool2d overlapping", lambda tf, x, p=pool: p(tf, x, [3, 2], [2, 1], "SAME"), some(1, 5, 4, 2))
    rows(
        f"{kind}_pool2d gaps",
        lambda tf, x, p=pool: p(tf, x, [1, 2, 2, 1], [1, 3, 3, 1], "VALID"),
        some(1, 6, 5, 1),
        smooth=False,
    )
    rows(f"{kind}_pool2d ties", lambda tf, x, p=pool: p(tf, x, 2, 1, "SAME"), TIES, smooth=False)
    rows(f"{kind}_pool2d ties apart", lambda tf, x, p=pool: p(tf, x, 2, 2, "SAME"), TIES, smooth=False)
    rows(
        f"{kind}_pool2d half",
        lambda tf, x, p=pool: p(tf, x, 2, 2, "VALID"),
        some(1, 4, 4, 1),
        dtype=np.float16,
        smooth=False,
    )
    rows(f"{kind}_pool2d window of zero", lambda tf, x, p=pool: p(tf, x, 0, 1, "VALID"), some(1, 4, 4, 1))
    rows(f"{kind}_pool2d stride of zero", lambda tf, x, p=pool: p(tf, x, 2, -1, "VALID"), some(1, 4, 4, 1))
    rows(f"{kind}_pool2d unknown padding", lambda tf, x, p=pool: p(tf, x, 2, 1, "X"), some(1, 4, 4, 1))
    rows(f"{kind}_pool2d no stride", lambda tf, x, p=pool: p(tf, x, 2, None, "VALID"), some(1, 3, 3, 1))
    rows(f"{kind}_pool1d", lambda tf, x, p=pool: p(tf, x, 2, 2, "SAME", d="1d"), some(1, 5, 2))
    rows(f"{kind}_pool3d", lambda tf, x, p=pool: p(tf, x, 2, 2, "SAME", d="3d"), some(1, 3, 2, 4, 2))
    rows(
        f"{kind}_pool3d ties",
        lambda tf, x, p=pool: p(tf, x, 2, 1, "VALID", d="3d"),
        np.zeros((1, 3, 2, 2, 1), np.float32),
        smooth=False,
    )
    rows(f"{kind}_pool", lambda tf, x, p=pool: p(tf, x, 2, 1, "VALID", d=""), some(1, 4, 3, 2), smooth=False)
    rows(f"{kind}_pool rank", lambda tf, x, p=pool: p(tf, x, 2, 1, "VALID", d=""), some(4, 3))
    rows(
        f"pool {kind}",
        lambda tf, x, k=kind: tf.nn.pool(x, [2, 2], k.upper(), dilations=[2, 1]),
        some(1, 5, 4, 1),
        smooth=False,
    )
rows(
    "max_pool2d of integers",
    lambda tf, x: tf.nn.max_pool2d(x, 2, 2, "VALID"),
    np.arange(16, dtype=np.int32).reshape(1, 4, 4, 1),
)
rows("max_pool2d explicit", lambda tf, x: tf.nn.max_pool2d(x, 2, 1, [[0, 0], [1, 1], [1, 0], [0, 0]]), some(1, 3, 3, 1))
rows(
    "max_pool2d channels first",
    lambda tf, x: tf.nn.max_pool2d(x, 2, 2, "VALID", "NCHW"),
    some(1, 2, 4, 4),
    gradient=False,
)
rows(
    "max_pool2d over channels",
    lambda tf, x: tf.nn.max_pool2d(x, [1, 1, 1, 2], [1, 1, 1, 2], "VALID"),
    some(1, 2, 2, 4),
    gradient=False,
)
rows("max_pool2d over both", lambda tf, x: tf.nn.max_pool2d(x, [1, 2, 1, 2], [1, 1, 1, 2], "VALID"), some(1, 2, 2, 4))
rows(
    "max_pool2d empty",
    lambda tf, x: tf.nn.max_pool2d(x, 2, 2, "VALID"),
    np.zeros((0, 4, 4, 1), np.float32),
    smooth=False,
)
rows("max_pool2d over the batch", lambda tf, x: tf.nn.max_pool2d(x, [2, 1, 1, 1], 1, "VALID"), some(1, 2, 2, 4))
rows("pool unknown", lambda tf, x: tf.nn.pool(x, [2, 2], "FOO"), some(1, 4, 4, 1))
rows(
    "pool strides and dilations", lambda tf, x: tf.nn.pool(x, [2, 2], "MAX", [2, 2], dilations=[2, 2]), some(1, 4, 4, 1)
)
rows(
    "max_pool_with_argmax",
    lambda tf, x: tuple(tf.nn.max_pool_with_argmax(x, 2, 2, "SAME")),
    some(2, 5, 4, 2),
    smooth=False,
)
rows(
    "max_pool_with_argmax with batch",
    lambda tf, x: tuple(tf.nn.max_pool_with_argmax(x, 2, 2, "SAME", include_batch_in_index=True)),
    some(2, 4, 4, 1),
)

# -- tables

TABLE = some(4, 2)
rows("embedding_lookup", lambda tf, t: tf.nn.embedding_lookup(t, [[1, 1], [3, 0]]), TABLE)
rows(
    "embedding_lookup parts",
    lambda tf, a, b: tf.nn.embedding_lookup([a, b], [3, 1]),
    TABLE[:2],
    TABLE[2:],
    differs="the parts are joined, so that their gradients are dense",
)
rows("embedding_lookup max_norm", lambda tf, t: tf.nn.embedding_lookup(t, [1, 2], max_norm=0.5), TABLE)
rows("embedding_lookup of nothing", lambda tf: tf.nn.embedding_lookup([], [1]))

# -- windows that are too large

rows(
    "convolution strides and dilations",
    lambda tf, x, k: tf.nn.convolution(x, k, 2, dilations=2),
    some(1, 5, 5, 1),
    some(2, 2, 1, 1),
)
rows(
    "conv2d nowhere",
    lambda tf, x, k: tf.nn.conv2d(x, k, 2, "VALID"),
    some(1, 1, 5, 1),
    some(3, 2, 1, 1),
    gradient=False,
)
rows("max_pool2d nowhere", lambda tf, x: tf.nn.max_pool2d(x, [3, 2], 2, "VALID"), some(1, 1, 5, 1))
rows("max_pool2d far too large", lambda tf, x: tf.nn.max_pool2d(x, [5, 2], 2, "VALID"), some(1, 1, 5, 1))

# -- windows that are drawn: of whole numbers there is one choice

for kind in ("max", "avg"):

    def drawn(tf, x, kind=kind):
        return getattr(tf.nn, f"fractional_{kind}_pool")(x, [1.0, 2.0, 3.0, 1.0], pseudo_random=True, seed=3)[0]

    rows(f"fractional_{kind}_pool", drawn, some(1, 6, 6, 2), smooth=False)

# -- constants, and integers ------------------------------------------------------------------------------------------

_TAIL = np.array([-3.0, -1.0, -0.1, 0.5, 2.0])
rows("gelu of float64", lambda tf, x: tf.nn.gelu(x), _TAIL, rtol=1e-13)
rows("gelu of float64, approximate", lambda tf, x: tf.nn.gelu(x, True), _TAIL, rtol=1e-12)
rows("gelu far out", lambda tf, x: tf.nn.gelu(x), [-5.0, -8.0, -3.0], smooth=False, rtol=1e-6)
rows("leaky_relu of float64", lambda tf, x: tf.nn.leaky_relu(x), _TAIL, rtol=1e-15)
rows("moments of int32", lambda tf, x: tf.nn.moments(x, [0]), np.array([[1, 2], [4, 9]], np.int32))
rows("moments of int64", lambda tf, x: tf.nn.moments(x, [0, 1], keepdims=True), np.array([[1, 2], [4, 9]]))
