"""Names that libraries import from `tensorflow.python`. The answers are TensorFlow 2.21's."""

from __future__ import annotations

import collections
import collections.abc
import functools

import pytest

import tfgrad_jax as tf

nest = tf.python.util.nest
Pair = collections.namedtuple("Pair", "a b")
NESTED = {"b": [1, (2, 3)], "a": Pair(4, [5])}


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        (lambda: nest.flatten_up_to([0, 0], [[1, 2], 3]), [[1, 2], 3]),
        (lambda: nest.flatten_up_to({"a": 0, "b": 0}, NESTED), [Pair(4, [5]), [1, (2, 3)]]),
        (lambda: nest.flatten_up_to(0, NESTED), [NESTED]),
        (lambda: nest.flatten_up_to([0, 0], ([1, 2], 3), check_types=False), [[1, 2], 3]),
        (lambda: nest.map_structure_up_to([0, 0], lambda x, y: (x, y), [[1, 2], 3], [4, 5]), [([1, 2], 4), (3, 5)]),
        (lambda: nest.map_structure_up_to(None, lambda x, y: (x, y), 1, 2), (1, 2)),
        (
            lambda: nest.get_traverse_shallow_structure(lambda t: isinstance(t, dict), NESTED),
            {"b": False, "a": False},
        ),
        (
            lambda: nest.get_traverse_shallow_structure(lambda t: not isinstance(t, tuple), NESTED),
            {"b": [True, False], "a": False},
        ),
        (
            lambda: list(nest.yield_flat_paths(NESTED)),
            [("a", "a"), ("a", "b", 0), ("b", 0), ("b", 1, 0), ("b", 1, 1)],
        ),
        (
            lambda: nest.flatten_with_joined_string_paths(NESTED),
            [("a/a", 4), ("a/b/0", 5), ("b/0", 1), ("b/1/0", 2), ("b/1/1", 3)],
        ),
        (
            lambda: nest.map_structure_with_paths(lambda p, x: p + str(x), NESTED),
            {"b": ["b/01", ("b/1/02", "b/1/13")], "a": Pair("a/a4", ["a/b/05"])},
        ),
        (lambda: nest.list_to_tuple(NESTED), {"b": (1, (2, 3)), "a": Pair(4, (5,))}),
        (lambda: nest.flatten_dict_items({(4, 5, (6, 8)): ("a", "b", ("c", "d"))}), {4: "a", 5: "b", 6: "c", 8: "d"}),
        (lambda: nest._sequence_like(NESTED, [1, 2]), {"b": 2, "a": 1}),
        (lambda: list(nest._yield_value(NESTED)), [Pair(4, [5]), [1, (2, 3)]]),
        (lambda: nest.is_mapping({}) and not nest.is_attrs(3) and nest._is_namedtuple(Pair(1, 2)), True),
    ],
)
def test_nests(call, expected):
    assert call() == expected


@pytest.mark.parametrize(
    ("shallow", "structure", "error", "message"),
    [
        ([0, [0, 0]], [[1, 2], 3], TypeError, "input must also be a sequence"),
        ([0, 0], [[1, 2]], ValueError, "same sequence length"),
        ([0, 0], ([1, 2], 3), TypeError, "same sequence type"),
        ({"a": 0}, {"b": 0}, ValueError, "keys are not a subset"),
    ],
)
def test_nests_that_do_not_fit(shallow, structure, error, message):
    with pytest.raises(error, match=message):
        nest.flatten_up_to(shallow, structure)


def test_signatures_have_no_annotations():
    spec = tf.python.util.tf_inspect.getfullargspec
    assert spec(tf.reduce_sum)[:4] == (["input_tensor", "axis", "keepdims", "name"], None, None, (None, False, None))
    assert spec(tf.zeros).args == ["shape", "dtype", "name", "layout"]
    assert spec(tf.function(lambda x, y=2: 0)).defaults == (2,) and spec(tf.rank).annotations == {}


def test_shapes_that_broadcast():
    axes = [list(r) for r in tf.raw_ops.BroadcastGradientArgs(s0=tf.constant([2, 1, 3]), s1=tf.constant([1, 3]))]
    assert axes == [[1], [0, 1]]
    same = tf.constant([1, 2])
    assert [len(r) for r in tf.raw_ops.BroadcastGradientArgs(s0=same, s1=same)] == [0, 0]


def test_gradients_that_are_refused():
    x = tf.constant(1.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.python.ops.array_ops.prevent_gradient(x, message="no")
    with pytest.raises(LookupError, match=r"Gradient explicitly disabled\. Reason: no"):
        tape.gradient(y, x)


def test_variables_in_nests_become_tensors():
    variable = tf.Variable(2.0)
    made = tf.python.util.variable_utils.convert_variables_to_tensors([variable, 3])
    assert not isinstance(made[0], tf.Variable) and made == [2.0, 3]


def test_all_at_once():
    out = tf.python.ops.parallel_for.control_flow_ops.pfor(lambda i: tf.cast(i, tf.float32) * 2, 3)
    assert out.numpy().tolist() == [0.0, 2.0, 4.0]


def test_names_that_belong_elsewhere(run_imported):
    done = run_imported(
        "-c",
        "import tfgrad_jax\ntfgrad_jax.install()\nfrom tensorflow.python.autograph.pyct import anno\n"
        "import malt.pyct.anno\nprint(anno is malt.pyct.anno)\nimport tensorflow.compat.v2 as tf\n"
        "print(tf is tfgrad_jax and not tf.enable_v2_behavior())",
    )
    assert done.stdout.split() == ["True", "True"], done.stderr


def test_specs_with_limits():
    bounded = tf.python.framework.tensor_spec.BoundedTensorSpec
    spec = bounded([3], tf.float32, -1.0, [1, 2, 3], name="x")
    assert repr(spec) == (
        "BoundedTensorSpec(shape=(3,), dtype=tf.float32, name='x', minimum=array(-1., dtype=float32), "
        "maximum=array([1., 2., 3.], dtype=float32))"
    )
    assert spec == bounded([3], tf.float32, -1.0, [1, 2, 3], name="x") != bounded([3], tf.float32, -1.0, 1, name="x")
    assert spec != tf.TensorSpec([3], tf.float32, "x") and isinstance(spec, tf.TensorSpec)
    assert spec.is_compatible_with(tf.zeros([3])) and not spec.is_compatible_with(tf.zeros([2]))
    limits = bounded.from_spec(tf.TensorSpec([2], tf.int32, "q"))
    assert (limits.minimum, limits.maximum, limits.name) == (-(2**31), 2**31 - 1, "q")
    assert not spec.minimum.flags.writeable and tf.nest.flatten(spec) == [spec]
    with pytest.raises(ValueError, match="can not be None"):
        bounded([3], tf.float32, None, 1)
    with pytest.raises(ValueError, match=r"not compatible with shape \(3,\)"):
        bounded([3], tf.float32, [1, 2], 1)


def test_nests_as_messages():
    coder = tf.python.saved_model.nested_structure_coder
    nest_of_specs = {"a": (tf.TensorSpec([None, 2], tf.float32, "q"), 3), "b": [True, None, "s"]}
    message = coder.encode_structure(nest_of_specs)
    assert isinstance(message, tf.core.protobuf.struct_pb2.StructuredValue)
    assert coder.decode_proto(message) == nest_of_specs
    assert coder.can_encode(nest_of_specs) and not coder.can_encode(object())


def test_marks_of_tests():
    marks = tf.python.framework.test_util

    def test(self):
        return 3

    assert marks.run_in_graph_and_eager_modes(test) is test and marks.run_in_graph_and_eager_modes()(test) is test
    assert marks.run_v1_only("needs a session")(test).__unittest_skip__
    gauge = tf.python.eager.monitoring.BoolGauge("/a/b", "what it is", "label")
    gauge.get_cell("x").set(True)
    assert gauge.get_cell("x").value() is True and gauge.get_cell("y").value() is False
    with pytest.raises(ValueError, match="1 labels"):
        gauge.get_cell()


def test_parameters_of_functions():
    inspect = tf.python.util.tf_inspect

    def f(a, b=1, *c, d=3, **e):
        pass

    class Holder:
        def method(self, x, y=2):
            pass

    holder = Holder()
    assert inspect.getargspec(f) == (["a", "b", "d"], "c", "e", (1, 3)) and inspect.getargspec(f).keywords == "e"
    assert inspect.getcallargs(f, 1, z=4) == {"z": 4, "a": 1, "b": 1, "d": 3}
    assert inspect.getcallargs(f, b=2) == {"b": 2, "d": 3} and inspect.getcallargs(f, 1, 2, 3)["b"] == 2
    assert inspect.getcallargs(holder.method, 1) == {"self": holder, "x": 1, "y": 2}


def test_dimensions_are_integers():
    three = tf.compat.v1.Dimension(3)
    assert tf.convert_to_tensor(three).dtype == tf.int32 and tf.zeros([three, 2]).shape == [3, 2]
    assert tf.convert_to_tensor(three, tf.int64).dtype == tf.int64
    with pytest.raises(ValueError, match="unknown Dimension"):
        tf.convert_to_tensor(tf.compat.v1.Dimension(None))


def test_small_ones():
    assert tf.python.ops.distributions.util.gen_new_seed(7, "salt") == 73282521
    assert tf.python.data.util.nest.flatten({"b": [1, 2], "a": (3, {"c": 4})}) == [3, 4, [1, 2]]
    assert tf.python.tf2.enabled() and tf.python.layers.utils.smart_cond(True, lambda: 1, lambda: 2) == 1

    class Module(tf.Module):
        pass

    module = Module()
    with tf.python.trackable.base.no_automatic_dependency_tracking_scope(module):
        module.parts = [tf.Variable(1.0)]
    assert type(module.parts) is list


def test_gradient_arguments_of_known_shapes_run_no_python_in_graphs():
    @tf.function(input_signature=[tf.TensorSpec([3]), tf.TensorSpec([])])
    def f(x, y):
        return tf.raw_ops.BroadcastGradientArgs(s0=tf.shape(x), s1=tf.shape(y))

    assert [r.numpy().tolist() for r in f(tf.ones([3]), tf.constant(1.0))] == [[], [0]]
    assert "PyFunc" not in [o.type for o in f.get_concrete_function().graph.get_operations()]


def test_parts_under_their_other_private_name():
    module = tf.Module()
    module.a, module.b = tf.Variable(1.0), [tf.Variable(2.0)]
    assert [tuple(r) for r in module._unconditional_checkpoint_dependencies] == [("a", module.a), ("b", module.b)]


def test_size_of_batches():
    """Values are TensorFlow's: -1 after transformations that may change the size."""
    size = tf.python.data.experimental.ops.distribute.compute_batch_size
    rows = tf.data.Dataset.range(20)
    fours = rows.batch(4)
    known = [fours, fours.repeat(2).shuffle(3).take(3).skip(1).prefetch(2).cache(), fours.filter(lambda x: True)]
    known += [tf.data.Dataset.zip((fours, fours)), fours.concatenate(fours), rows.padded_batch(4), rows.ragged_batch(4)]
    known += [rows.batch(4, drop_remainder=True).map(lambda x: x + 1), rows.batch(3).batch(4), rows.take(0).batch(4)]
    for dataset in known:
        found = size(dataset)
        assert found.dtype is tf.int64 and found.numpy() == 4
    unknown = [
        fours.map(lambda x: x + 1),
        fours.rebatch(2),
        tf.data.Dataset.zip((fours, rows.batch(5))),
        rows.window(3),
    ]
    unknown += [fours.concatenate(rows.batch(3)), fours.take_while(lambda x: True), fours.unique()]
    unknown += [rows.batch(4, num_parallel_calls=2)]
    assert [int(size(dataset)) for dataset in unknown] == [-1] * 8
    assert int(size(tf.data.Dataset.from_tensor_slices(tf.zeros([5, 2])))) == 2
    for bad, error in ((rows, IndexError), (3, TypeError)):
        with pytest.raises(error):
            size(bad)


def test_tapes_are_asked_whether_they_record():
    """PennyLane asks it."""
    records = tf.python.eager.tape.should_record_backprop
    x, v = tf.constant(1.0), tf.Variable(1.0)
    assert not records([x]) and not records([v])
    with tf.GradientTape() as tape:
        assert not records([x, x + 1.0])
        y = v * 2.0
        assert records([x, y]) and records([v])
        tape.watch(x)
        assert records([tf.sin(x)])
        with tape.stop_recording():
            assert not records([x])
    assert not records([x, y])


def test_constants_of_a_function_tell_its_graph():
    """TensorFlow Probability knows functions by it."""
    found = []
    tf.function(lambda: found.extend([tf.constant(1).graph, tf.compat.v1.get_default_graph()]))()
    assert found[0] is found[1]
    with pytest.raises(AttributeError, match="undefined when eager"):
        tf.constant(1).graph


def test_generated_modules_have_the_raw_operations():
    ops = tf.python.ops
    assert ops.gen_math_ops.mat_mul([[1.0, 2.0]], [[3.0, 4.0]], False, True).numpy().tolist() == [[11.0]]
    assert ops.gen_math_ops._range(0, 3, 1, name="r").numpy().tolist() == [0, 1, 2]
    assert ops.gen_array_ops.bitcast(tf.constant([1.0]), tf.int32).numpy().tolist() == [0x3F800000]
    convolved = ops.gen_nn_ops.conv2d(tf.ones([1, 3, 3, 1]), tf.ones([2, 2, 1, 1]), [1, 1, 1, 1], "VALID")
    assert convolved.shape == [1, 2, 2, 1]
    assert ops.gen_nn_ops.in_top_kv2([[0.1, 0.9]], [1], 1).numpy().tolist() == [True]
    with pytest.raises(AttributeError, match="nothing_such"):
        ops.gen_math_ops.nothing_such
    with pytest.raises(TypeError, match=r"mat_mul\(\) takes at most 7 arguments"):
        ops.gen_math_ops.mat_mul(*range(9))


def test_keras_2_writes_the_state_of_checkpoints(tmp_path):
    prefix = tf.train.Checkpoint(v=tf.Variable(1.0)).write(str(tmp_path / "weights"))
    tf.__internal__.train.update_checkpoint_state(
        save_dir=str(tmp_path),
        model_checkpoint_path=prefix,
        save_relative_paths=True,
        all_model_checkpoint_paths=[prefix],
    )
    assert tf.train.latest_checkpoint(tmp_path) == prefix
    assert 'model_checkpoint_path: "weights"' in (tmp_path / "checkpoint").read_text()


@pytest.mark.parametrize("name", ["python.ops.math_grad", "python.pywrap_tensorflow", "core.protobuf.error_codes_pb2"])
def test_a_module_with_nothing_in_it_is_there_and_says_what_it_lacks(name):
    module = functools.reduce(getattr, name.split("."), tf)
    with pytest.raises(AttributeError, match=f"no tensorflow.{name}.anything here"):
        _ = module.anything


def test_classes_that_act_as_variables_take_parts_of_their_values():
    helpers = tf.python.ops.tensor_getitem_override

    class Wrapped:
        def __init__(self, value):
            self.value = tf.Variable(value).value

        __getitem__ = helpers._slice_helper_var

    assert Wrapped([1.0, 2.0])[1].numpy() == 2.0
    v = tf.Variable([1.0, 2.0])
    helpers._slice_helper_var(v, slice(0, 1)).assign([5.0])
    assert v.numpy().tolist() == [5.0, 2.0]
    assert helpers._slice_helper(tf.range(4), (slice(1, 3),)).numpy().tolist() == [1, 2]


def test_public_functions_come_before_raw_operations_of_their_names():
    ops = tf.python.ops
    assert ops.math_ops.mod(-7, 3).numpy() == 2  # the raw operation `Mod` keeps the sign
    out, where = ops.array_ops.listdiff([1, 2, 3], [2])
    assert (out.numpy().tolist(), where.numpy().tolist()) == ([1, 3], [0, 2])
    logits = tf.constant([[1.0, 2.0], [1.0, 2.0]])
    assert ops.nn_ops.log_softmax(logits, axis=0).numpy() == pytest.approx(-0.6931472)
    for split in (ops.string_ops.string_split, ops.string_ops.string_split_v2):
        words = split(["a b", "c"])
        assert words.values.numpy().tolist() == [b"a", b"b", b"c"]
        assert words.dense_shape.numpy().tolist() == [2, 2]
    assert ops.string_ops.string_split(["a,b"], delimiter=",").values.numpy().tolist() == [b"a", b"b"]


def test_functions_behind_public_ones():
    assert tf.python.ops.linalg_ops_impl.eye(2, 3, [1]).shape == [1, 2, 3]
    assert tf.python.framework.tensor_conversion.convert_to_tensor_v2(1, dtype_hint=tf.float32).dtype == tf.float32


@pytest.mark.parametrize(
    ("weights", "values", "said"),
    [
        ((), (3, 2, 4), None),
        ((1, 1, 4), (3, 2, 4), None),
        ((5,), (3, 2, 4), "weights can not be broadcast to values. values.rank=3. weights.rank=1."),
        ((3, 3, 4), (3, 2, 4), "weights can not be broadcast to values. Mismatch at dim 1."),
    ],
)
def test_weights_that_can_be_broadcast(weights, values, said):
    check = tf.python.ops.weights_broadcast_ops.assert_broadcastable

    @tf.function(input_signature=[tf.TensorSpec(None), tf.TensorSpec(None)])
    def later(weights, values):
        check(weights, values)
        return tf.size(values)

    given = tf.zeros(weights), tf.zeros(values)
    if said is None:
        check(*given)
        assert later(*given) == 24
        return
    with pytest.raises(ValueError, match=said):
        check(*given)
    with pytest.raises((ValueError, tf.errors.InvalidArgumentError), match="weights can not be broadcast to values"):
        later(*given)


def test_texts_and_modules_under_private_names():
    with pytest.raises(TypeError, match="ellipsis") as refused:
        tf.constant([1, 2])["a"]
    assert str(refused.value).startswith(tf.python.ops.tensor_getitem_override._SLICE_TYPE_ERROR)
    assert tf.python.util.compat.collections_abc is collections.abc


def test_slices_of_xla_are_moved_inside():
    dynamic_slice = tf.compiler.tf2xla.python.xla.dynamic_slice
    x = tf.reshape(tf.range(12.0), [3, 4])
    for call in (dynamic_slice, tf.function(dynamic_slice)):
        assert call(x, [2, 1], [2, 2]).numpy().tolist() == [[5, 6], [9, 10]]
    with pytest.raises(tf.errors.InvalidArgumentError, match="from 0 to 4, not 9"):
        dynamic_slice(x, [1, 2], [2, 9])


def test_modules_have_the_names_of_those_that_they_import_whole():
    images, nn = tf.python.ops.image_ops, tf.python.ops.nn
    assert images.adjust_gamma is tf.image.adjust_gamma and images.random_brightness is tf.image.random_brightness
    assert nn.gelu is tf.nn.gelu and nn.softplus([0.0]).shape == [1]
    assert not hasattr(nn, "adjust_gamma")


def test_texts_of_values():
    text = tf.python.framework.ops.numpy_text
    assert [text(tf.constant(1.5)), text(tf.constant([1, 2]), is_repr=True)] == ["1.5", "array([1, 2], dtype=int32)"]
    assert [text(tf.constant([[1], [2]])), text(tf.constant(b"a"))] == ["\n[[1]\n [2]]", "b'a'"]
