"""`tf.raw_ops`, with what TensorFlow answers."""

from __future__ import annotations

import numpy as np
import pytest

import tfgrad_jax as tf
from tfgrad_jax.api.late import LATE

R = tf.raw_ops
VALUES = [[1.0, 0.5]], [[0.25, 0.5]], [[0.5, 1.0]], [[0.75, 1.25]]
CALLS = {
    "no axis of a scalar reversed": ("R.Reverse(tensor=2.0, dims=np.array([], bool))", [["float32", 2.0]]),
    "weights of a matrix": (
        "R.Bincount(arr=[[0, 1], [1, 1]], size=3, weights=[[1, 2], [3, 4]])",
        [["int32", [1, 9, 0]]],
    ),
    "a factor with more above its diagonal": (
        "R.CholeskyGrad(l=tf.constant([[2.0, 9.0], [1.0, 4.0]]), grad=[[1.0, 0.0], [2.0, 3.0]])",
        [["float32", [[0.09375, 0.3125], [0.3125, 0.375]]]],
    ),
    "unique slices": (
        "R.UniqueV2(x=[[1, 2, 1], [3, 4, 3]], axis=[1])",
        [["int32", [[1, 2], [3, 4]]], ["int32", [0, 1, 0]]],
    ),
    "unique of a vector": (
        "R.UniqueV2(x=[4.0, 1.0, 4.0], axis=np.array([], np.int32), out_idx=tf.int64)",
        [["float32", [4.0, 1.0]], ["int64", [0, 1, 0]]],
    ),
    "counts of slices": (
        "R.UniqueWithCountsV2(x=[[3, 3], [1, 2], [3, 3]], axis=[0])",
        [["int32", [[3, 3], [1, 2]]], ["int32", [0, 1, 0]], ["int32", [2, 1]]],
    ),
    "counts of texts": (
        "R.UniqueWithCountsV2(x=['b', 'a', 'b'], axis=[0])",
        [["string", [b"b", b"a"]], ["int32", [0, 1, 0]], ["int32", [2, 1]]],
    ),
    "reflected integers": (
        "R.MirrorPadGrad(input=[1, 2, 3], paddings=[[1, 0]], mode='REFLECT')",
        [["int32", [2, 4]]],
    ),
    "where the largest integer was": (
        "R.MaxPoolGrad(orig_input=tf.constant([[[[1], [5]], [[3], [2]]]]), orig_output=[[[[5]]]], grad=[[[[10]]]], "
        "ksize=[1, 2, 2, 1], strides=[1, 2, 2, 1], padding='VALID')",
        [["int32", [[[[0], [10]], [[0], [0]]]]]],
    ),
    "sizes in another order": ("R.DataFormatVecPermute(x=[1, 2, 3, 4])", [["int32", [1, 4, 2, 3]]]),
    "sizes of images": ("R.DataFormatVecPermute(x=[5, 6], src_format='NCHW', dst_format='NHWC')", [["int32", [5, 6]]]),
    "pairs in another order": (
        "R.DataFormatVecPermute(x=[[1, 2], [3, 4], [5, 6], [7, 8]])",
        [["int32", [[1, 2], [7, 8], [3, 4], [5, 6]]]],
    ),
    "dimensions": ("R.DataFormatDimMap(x=[0, 1, 2, 3, -1])", [["int32", [0, 2, 3, 1, 1]]]),
    "places of the largest": (
        "R.MaxPoolWithArgmax(input=np.arange(16.0, dtype=np.float32).reshape(1, 4, 4, 1), "
        "ksize=[1, 2, 2, 1], strides=[1, 2, 2, 1], padding='SAME')",
        [["float32", [[[[5.0], [7.0]], [[13.0], [15.0]]]]], ["int64", [[[[5], [7]], [[13], [15]]]]]],
    ),
    "a convolution": (
        "R.Conv2D(input=np.ones((1, 3, 3, 1), np.float32), filter=np.ones((2, 2, 1, 1), "
        "np.float32), strides=[1, 1, 1, 1], padding='SAME')",
        [["float32", [[[[4.0], [4.0], [2.0]], [[4.0], [4.0], [2.0]], [[2.0], [2.0], [1.0]]]]]],
    ),
    "a convolution of volumes": (
        "R.Conv3D(input=np.ones((1, 1, 2, 2, 1), np.float32), filter=np.ones((1, 2, 2, 1, 1), "
        "np.float32), strides=[1] * 5, padding='VALID')",
        [["float32", [[[[[4.0]]]]]]],
    ),
    "counts": (
        "R.DenseBincount(input=[1, 2, 2], size=4, weights=np.array([], np.float32))",
        [["float32", [0.0, 1.0, 2.0, 0.0]]],
    ),
    "Cast": ("R.Cast(x=[1.7], DstT=tf.int32)", [["int32", [1]]]),
    "MatMul": ("R.MatMul(a=[[1.0, 2.0]], b=[[3.0], [4.0]])", [["float32", [[11.0]]]]),
    "OneHot": (
        "R.OneHot(indices=[0, 1], depth=3, on_value=1.0, off_value=0.0)",
        [["float32", [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]]],
    ),
    "StridedSlice": ("R.StridedSlice(input=[1, 2, 3, 4], begin=[1], end=[3], strides=[1])", [["int32", [2, 3]]]),
    "SplitV": (
        "R.SplitV(value=[1, 2, 3], size_splits=[1, 2], axis=0, num_split=2)",
        [["int32", [1]], ["int32", [2, 3]]],
    ),
    "TopKV2": ("R.TopKV2(input=[3.0, 1.0, 2.0], k=2)", [["float32", [3.0, 2.0]], ["int32", [0, 2]]]),
    "Sum": ("R.Sum(input=[[1.0, 2.0]], axis=1, keep_dims=True)", [["float32", [[3.0]]]]),
    "PadV2": ("R.PadV2(input=[1, 2], paddings=[[1, 1]], constant_values=7)", [["int32", [7, 1, 2, 7]]]),
    "Pack": ("R.Pack(values=[1, 2])", [["int32", [1, 2]]]),
    "AddN": ("R.AddN(inputs=[[1.0], [2.0], [3.0]])", [["float32", [6.0]]]),
    "ConcatV2": ("R.ConcatV2(values=[[1], [2]], axis=0)", [["int32", [1, 2]]]),
    "Squeeze": ("R.Squeeze(input=[[[1], [2]]], axis=[-1])", [["int32", [[1, 2]]]]),
    "Squeeze all": ("R.Squeeze(input=[[[1], [2]]])", [["int32", [1, 2]]]),
    "ConcatOffset": (
        "R.ConcatOffset(concat_dim=-1, shape=[[2, 3], [2, 4]])",
        [["int32", [0, 0]], ["int32", [0, 3]]],
    ),
    "dtypes by default": ("R.Conj(input=[1.0])", [["complex64", [1.0 + 0j]]]),
    "dtypes of tensors first": ("R.NextAfter(x1=[1.0], x2=tf.constant([1.0], tf.float64))", [["float64", [1.0]]]),
    "none alike": ("R.UniqueV2(x=[np.nan, np.nan], axis=[0])[1]", [["int32", [0, 1]]]),
    "InvGrad": ("R.InvGrad(y=[1 + 2j], dy=[0.5 - 2j])", [["complex128", [9.5 - 4j]]]),
    "RsqrtGrad": ("R.RsqrtGrad(y=[1 + 2j], dy=[0.5 - 2j])", [["complex128", [0.75 - 11.5j]]]),
    "SqrtGrad": ("R.SqrtGrad(y=[4j, 0j], dy=[2j, 0j])", [["complex128", [-0.25 + 0j, 0j]]]),
    "TanhGrad": ("R.TanhGrad(y=[1 + 2j], dy=[0.5 - 2j])", [["complex128", [-6 - 10j]]]),
    "SigmoidGrad": ("R.SigmoidGrad(y=[1 + 2j], dy=[0.5 - 2j])", [["complex128", [-2 - 9j]]]),
    "shapes that do not fit": ("R.Equal(x=[1, 2], y=[1, 2, 3], incompatible_shape_error=False)", [["bool", False]]),
    "both seeds": (
        "R.RandomUniform(shape=[2], dtype=tf.float32, seed=3, seed2=11)",
        [["float32", [0.5616264343261719, 0.23479235172271729]]],
    ),
    "lines between corners": (
        "R.ResizeBilinear(images=[[[[1.0], [3.0]]]], size=[1, 4])",
        [["float32", [[[[1.0], [2.0], [3.0], [3.0]]]]]],
    ),
    "lines that end at corners": (
        "R.ResizeBilinear(images=[[[[1.0], [4.0]]]], size=[1, 4], align_corners=True)",
        [["float32", [[[[1.0], [2.0], [3.0], [4.0]]]]]],
    ),
    "nearest corners": (
        "R.ResizeNearestNeighbor(images=[[[[1], [3]]]], size=[1, 3], align_corners=True)",
        [["int32", [[[[1], [3], [3]]]]]],
    ),
    "cubics between corners": (
        "R.ResizeBicubic(images=[[[[1.0], [3.0], [2.0]]]], size=[1, 6])",
        [["float32", [[[[1.0], [2.09375], [3.0], [2.6875], [2.0], [1.90625]]]]]],
    ),
    "saved moments": (
        "R.FusedBatchNorm(x=np.arange(8, dtype=np.float32).reshape(2, 2, 2, 1), scale=[1.0], offset=[0.0], mean=[1.0], "
        "variance=[2.0], exponential_avg_factor=0.5)[1:]",
        [["float32", [2.25]], ["float32", [4.0]], ["float32", [3.5]], ["float32", [5.25]]],
    ),
    "ResourceGather": (
        "R.ResourceGather(resource=tf.Variable([1.0, 2.0]).handle, indices=[1], dtype=tf.float32)",
        [["float32", [2.0]]],
    ),
}

STEPS = {
    "ResourceApplyGradientDescent": ("var", "delta", {"alpha": 0.1}, {}, [[[0.949999988079071, 0.6000000238418579]]]),
    "ResourceApplyMomentum": (
        "var accum",
        "grad",
        {"lr": 0.1, "momentum": 0.9},
        {"use_nesterov": True},
        [[[0.8847500085830688, 0.6495000123977661]], [[0.7250000238418579, -0.550000011920929]]],
    ),
    "ResourceApplyKerasMomentum": (
        "var accum",
        "grad",
        {"lr": 0.1, "momentum": 0.9},
        {},
        [[[1.1749999523162842, 1.0499999523162842]], [[0.17499999701976776, 0.550000011920929]]],
    ),
    "ResourceApplyAdam": (
        "var m v",
        "grad",
        {"beta1_power": 0.9, "beta2_power": 0.99, "lr": 0.1, "beta1": 0.9, "beta2": 0.99, "epsilon": 0.001},
        {},
        [
            [[0.9610670208930969, 0.46503499150276184]],
            [[0.2750000059604645, 0.3499999940395355]],
            [[0.4975000023841858, 1.0]],
        ],
    ),
    "ResourceApplyAdamWithAmsgrad": (
        "var m v vhat",
        "grad",
        {"beta1_power": 0.9, "beta2_power": 0.99, "lr": 0.1, "beta1": 0.9, "beta2": 0.99, "epsilon": 0.001},
        {},
        [
            [[0.9682819843292236, 0.46872299909591675]],
            [[0.2750000059604645, 0.3499999940395355]],
            [[0.4975000023841858, 1.0]],
            [[0.75, 1.25]],
        ],
    ),
    "ResourceApplyAdaMax": (
        "var m v",
        "grad",
        {"beta1_power": 0.9, "lr": 0.1, "beta1": 0.9, "beta2": 0.99, "epsilon": 0.001},
        {},
        [[[0.4510979950428009, 0.15035000443458557]], [[0.2750000059604645, 0.3499999940395355]], [[0.5, 1.0]]],
    ),
    "ResourceApplyAdagrad": (
        "var accum",
        "grad",
        {"lr": 0.1},
        {},
        [[[0.9292889833450317, 0.5816500186920166]], [[0.5, 1.5]]],
    ),
    "ResourceApplyAdagradV2": (
        "var accum",
        "grad",
        {"lr": 0.1, "epsilon": 0.001},
        {"update_slots": False},
        [[[0.9002000093460083, 0.6412220001220703]], [[0.25, 0.5]]],
    ),
    "ResourceApplyAdadelta": (
        "var accum accum_update",
        "grad",
        {"lr": 0.1, "rho": 0.9, "epsilon": 0.001},
        {},
        [
            [[0.9293599724769592, 0.634784996509552]],
            [[0.25, 0.550000011920929]],
            [[0.4999000132083893, 1.0816700458526611]],
        ],
    ),
    "ResourceApplyRMSProp": (
        "var ms mom",
        "grad",
        {"lr": 0.1, "rho": 0.9, "momentum": 0.5, "epsilon": 0.001},
        {},
        [
            [[0.6501989960670471, 0.13471800088882446]],
            [[0.25, 0.550000011920929]],
            [[0.3498010039329529, 0.36528199911117554]],
        ],
    ),
    "ResourceApplyCenteredRMSProp": (
        "var mg ms mom",
        "grad",
        {"lr": 0.1, "rho": 0.9, "momentum": 0.5, "epsilon": 1.0},
        {},
        [
            [[0.5827329754829407, -0.05201900005340576]],
            [[0.2750000059604645, 0.3499999940395355]],
            [[0.4749999940395355, 1.0]],
            [[0.41726699471473694, 0.5520190000534058]],
        ],
    ),
    "ResourceApplyFtrl": (
        "var accum linear",
        "grad",
        {"lr": 0.1, "l1": 0.05, "l2": 0.1, "lr_power": -0.5},
        {},
        [[[0.14042900502681732, 0.20391300320625305]], [[0.5, 1.5]], [[-1.0710680484771729, -2.588191032409668]]],
    ),
    "ResourceApplyFtrlV2": (
        "var accum linear",
        "grad",
        {"lr": 0.1, "l1": 0.05, "l2": 0.1, "l2_shrinkage": 0.2, "lr_power": -0.5},
        {"multiply_linear_by_lr": True},
        [[[-0.5197219848632812, -0.5271610021591187]], [[0.5, 1.5]], [[0.38289299607276917, 0.6611809730529785]]],
    ),
}


def seen(value):
    return [[t.dtype.name, t.numpy().tolist()] for t in tf.nest.flatten(value)]


@pytest.mark.parametrize("name", CALLS)
def test_operations(name):
    code, expected = CALLS[name]
    assert seen(eval(code)) == expected


@pytest.mark.parametrize(
    "name",
    [
        "MatMul",
        "SplitV",
        "a convolution",
        "unique slices",
        "Sum",
        "AddN",
        "Squeeze",
        "cubics between corners",
        "saved moments",
    ],
)
def test_operations_in_functions(name):
    code, expected = CALLS[name]
    assert seen(tf.function(lambda: eval(code))()) == expected


@pytest.mark.parametrize("traced", [False, True])
@pytest.mark.parametrize("name", STEPS)
def test_steps_of_training(name, traced):
    slots, gradient, numbers, options, expected = STEPS[name]
    variables = [tf.Variable(value) for value in VALUES[: len(expected)]]

    def step(change):
        operands = {slot: variable.handle for slot, variable in zip(slots.split(), variables, strict=True)}
        getattr(R, name)(**operands, **numbers, **{gradient: change}, **options)

    (tf.function(step) if traced else step)(tf.constant([[0.5, -1.0]]))
    for variable, value in zip(variables, expected, strict=True):
        np.testing.assert_allclose(variable.numpy(), value, rtol=1e-5, atol=1e-6)


def test_gradients_flow():
    x = tf.constant([[1.0, 2.0]])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = R.MatMul(a=x, b=[[3.0], [4.0]])
    assert tape.gradient(y, x).numpy().tolist() == [[3.0, 4.0]]


def test_variables_are_written():
    v = tf.Variable([1.0, 2.0, 3.0])
    R.ResourceScatterAdd(resource=v.handle, indices=[0, 2], updates=[1.0, 1.0])
    R.AssignAddVariableOp(resource=v.handle, value=[1.0, 1.0, 1.0])
    assert R.ReadVariableOp(resource=v.handle, dtype=tf.float32).numpy().tolist() == [3.0, 3.0, 5.0]


@pytest.mark.parametrize(
    ("call", "error"),
    [
        (lambda: R.Add(1, 2), TypeError),
        (lambda: R.Add(x=1), TypeError),
        (lambda: R.Add(x=1, y=2, z=3), TypeError),
        (lambda: R.AddN(inputs=1), TypeError),
        (lambda: R.Add(x=tf.constant(1), y=tf.constant(2.0)), tf.errors.InvalidArgumentError),
        (lambda: R.Squeeze(input=[[1, 2]], axis=0), TypeError),
        (lambda: R.Squeeze(input=[[1, 2]], axis=[1]), tf.errors.InvalidArgumentError),
        (lambda: R.Range(start=0.5, limit=2, delta=1), TypeError),
        (lambda: R.CheckNumericsV2(tensor=[np.inf], message="m"), tf.errors.InvalidArgumentError),
        (
            lambda: R.Select(condition=[[True], [False]], x=[[1, 2], [3, 4]], y=[[1, 2], [3, 4]]),
            tf.errors.InvalidArgumentError,
        ),
        (lambda: R.SqrtGrad(y=[1.0, 2.0], dy=[1.0]), tf.errors.InvalidArgumentError),
        (lambda: R.SqrtGrad(y=[1], dy=[1]), tf.errors.InvalidArgumentError),
        (lambda: R.ResizeBilinear(images=[[[[1.0]]]], size=[0, 4]), tf.errors.InvalidArgumentError),
        (lambda: R.ConcatOffset(concat_dim=1, shape=[[2, 3], [3, 4]]), tf.errors.InvalidArgumentError),
        (lambda: R.LinSpace(start=0.0, stop=1.0, num=0), tf.errors.InvalidArgumentError),
        (lambda: R.UniqueV2(x=[[1]], axis=np.array([], np.int32)), tf.errors.InvalidArgumentError),
        (lambda: R.UniqueV2(x=[[1]], axis=0), tf.errors.InvalidArgumentError),
        (lambda: R.MatMul(a=[[[1.0]]], b=[[[1.0]]]), tf.errors.InvalidArgumentError),
        (lambda: R.BiasAddGrad(out_backprop=[1.0]), tf.errors.InvalidArgumentError),
        (lambda: R.DenseBincount(input=[[[1]]], size=2, weights=[[[1]]]), tf.errors.InvalidArgumentError),
        (lambda: R.AdjustSaturation(images=[[[1.0, 0.5, 0.2]]], scale=[1.0]), tf.errors.InvalidArgumentError),
        (lambda: R.StringSplit(input="a b", delimiter=" "), tf.errors.InvalidArgumentError),
    ],
)
def test_refused(call, error):
    with pytest.raises(error):
        call()


def test_lists_of_another_length():
    def resized(tensor, size):
        found = R.TensorListFromTensor(tensor=tensor, element_shape=np.zeros([0], np.int32))
        found = R.TensorListResize(input_handle=found, size=size)
        return R.TensorListStack(input_handle=found, element_shape=np.zeros([0], np.int32), element_dtype=tf.float32)

    assert resized([1.0, 2.0], 3).numpy().tolist() == [1, 2, 0]
    assert resized([1.0, 2.0], 1).numpy().tolist() == [1]
    longer = tf.function(lambda x: resized(x, tf.shape(x)[0] + 1), input_signature=[tf.TensorSpec([None])])
    assert longer([1.0, 2.0]).numpy().tolist() == [1, 2, 0]
    with pytest.raises(tf.errors.InvalidArgumentError, match="expects size to be non-negative"):
        resized([1.0], -1)


@pytest.mark.parametrize(
    ("dim", "shapes", "said"),
    [
        (4, [[2, 3, 5], [2, 7, 5]], "Concat dim is out of range: 4 vs. 3"),
        (1, [[2, 3, 5], [2, 7, 5, 10]], "input 1 should contain 3 elements, but got 4"),
        (1, [[2, 3], [3, 4]], "All dimensions except 1 must match. Input 1 has shape [3 4] and doesn't match input 0"),
        ([1], [[2, 3], [2, 4]], "Concat dim tensor should be a scalar integer, but got shape [1]"),
    ],
)
def test_offsets_of_what_does_not_fit(dim, shapes, said):
    with pytest.raises(tf.errors.InvalidArgumentError) as caught:
        R.ConcatOffset(concat_dim=dim, shape=shapes)
    assert said in str(caught.value)


def test_every_name_has_a_rule():
    for name in LATE["tfgrad_jax.lib.raw_ops.declared"]:
        assert getattr(R, name.removeprefix("raw_ops.")).__doc__


def test_suppression_without_limit_and_mixed_corners():
    boxes, scores = tf.constant([[0.0, 0, 1, 1], [0, 0.1, 1, 1.1]]), tf.constant([0.9, 0.75])
    found, count = tf.image.non_max_suppression_padded(boxes, scores, 2, iou_threshold=0.0)
    assert (found.numpy().tolist(), int(count)) == ([0, 1], 2)
    with pytest.raises(tf.errors.UnimplementedError, match="corners"):
        tf.image.non_max_suppression_padded(tf.constant([[0.0, 0, 1, 1], [1, 0.1, 0, 1.1]]), scores, 2)
