"""What Keras 2 asks TensorFlow for: hooks, dispatchers, names, and variables that say themselves which tensor they are."""

from __future__ import annotations

import numpy as np
import pytest

import tfgrad_jax as tf
from tfgrad_jax.engine.messages.optional import is_installed
from tfgrad_jax.lib.keras.rooms import keras

internal = tf.__internal__

SYMBOLIC = """
import tensorflow as tf

class Symbol:
    def __init__(self, text): self.text = text
    dtype = tf.float32

for name in tf.Tensor.OVERLOADABLE_OPERATORS:
    setattr(Symbol, name, getattr(tf.Tensor, name))

from tensorflow.python.util.tf_export import get_canonical_name_for_symbol as called

operands = []

class Everything(tf.__internal__.dispatch.GlobalOpDispatcher):
    def handle(self, op, args, kwargs):
        if any(isinstance(v, Symbol) for v in tf.nest.flatten([args, kwargs])):
            operands.append(args)
            return Symbol(called(op))
        return self.NOT_SUPPORTED

class Parts(tf.__internal__.dispatch.OpDispatcher):
    def handle(self, args, kwargs):
        return Symbol("part") if isinstance(args[0], Symbol) else self.NOT_SUPPORTED

Everything().register()
Parts().register(tf.__operators__.getitem)
s, v, t = Symbol("s"), tf.Variable([1., 2.]), tf.constant([1., 2.])
found = [s + 1., 1. + s, s * 2., 2. - s, s / t, s ** 2, s < 1., s == s, s != s, t + s, v * s, s @ s, -s, abs(s), s[0]]
print(*[f.text for f in found])
print(*[f.text for f in (tf.concat([s, t], 0), tf.reduce_sum(s, axis=0), tf.nn.relu(s), tf.strings.as_string(input=s),
    tf.image.flip_up_down(s), tf.shape(s))])
0 + s, 1 - s, 2 / s, 3 ** s, 4 % s
print(*[(given[0].dtype.name, given[0].numpy().item()) for given in operands[-5:]])
print(tf.concat([t, t], 0).numpy().tolist(), (t + 1.).numpy().tolist(), t[1].numpy(), (v * 2.)[0].numpy(), tf.is_tensor(s))
"""


def test_dispatchers_answer_functions_and_borrowed_operators(run_imported, tmp_path):
    (tmp_path / "program.py").write_text(SYMBOLIC)
    done = run_imported("-m", "tfgrad_jax", str(tmp_path / "program.py"))
    assert done.stdout.splitlines() == [
        "__operators__.add __operators__.add math.multiply math.subtract math.truediv math.pow math.less __operators__.eq "
        "__operators__.ne __operators__.add math.multiply linalg.matmul math.negative math.abs part",
        "concat math.reduce_sum nn.relu strings.as_string image.flip_up_down shape",
        "('float32', 0.0) ('float32', 1.0) ('float32', 2.0) ('float32', 3.0) ('float32', 4.0)",
        "[1.0, 2.0, 1.0, 2.0] [2.0, 3.0] 2.0 2.0 False",
    ], done.stderr


def test_types_that_a_function_is_registered_for():
    def plain(x, y=0):
        return "plain"

    @tf.python.util.dispatch.dispatch_for_types(plain, tf.RaggedTensor)
    def _(x, y=0):
        return "ragged"

    ragged = tf.ragged.constant([[1], [2, 3]])
    assert [plain(1), plain(ragged), plain(1, y=[ragged]), plain([1, 2])] == ["plain", "ragged", "ragged", "plain"]


def test_names_that_are_given_are_found():
    names = tf.python.util.tf_export

    @names.keras_export("keras.things.Thing", "keras.Thing", v1=["keras.things.Thing"])
    class Thing:
        pass

    class Other(Thing):
        pass

    assert names.get_canonical_name_for_symbol(Thing, api_name="keras") == "keras.things.Thing"
    assert names.get_canonical_name_for_symbol(Other, api_name="keras") is None  # a name belongs to one class
    assert names.get_canonical_name_for_symbol(Thing) is None
    assert names.get_symbol_from_name("keras.Thing") is Thing
    assert names.get_canonical_name_for_symbol(tf.add) == "math.add"
    assert names.get_symbol_from_name("math.add") is tf.add
    assert names.get_symbol_from_name("nothing.of.that.name") is None


class Cast(tf.Variable, tf.__internal__.types.Tensor):
    """A variable whose values are those of another one, in float16."""

    def __init__(self, variable):
        self._variable = variable

    def __getattr__(self, name):
        return getattr(self._variable, name)

    @property
    def dtype(self):
        return tf.float16

    def __tf_tensor__(self, dtype=None, name=None):
        return tf.cast(self._variable, tf.float16)


@pytest.mark.parametrize("decorate", [lambda f: f, tf.function])
def test_variables_that_say_which_tensor_they_are(decorate):
    inner = tf.Variable([[1.0, 2.0]])
    outer = Cast(inner)

    @decorate
    def gradient(x):
        with tf.GradientTape() as tape:
            y = tf.matmul(x, outer) * outer
        return y, tape.gradient(y, inner)

    y, found = gradient(tf.constant([[3.0]], tf.float16))
    assert y.dtype == tf.float16
    assert found.dtype == tf.float32
    np.testing.assert_array_equal(found, [[6.0, 12.0]])


def test_a_layer_makes_its_variables_as_parts():
    module = tf.Module()
    made = module._add_variable_with_custom_getter(
        "w", shape=[2], dtype=tf.float32, initializer=tf.zeros, getter=lambda name, shape, dtype, initializer, **_: (
            tf.Variable(initializer(shape, dtype), name=name)
        ),
    )  # fmt: skip
    assert module._trackable_children() == {"w": made}
    module._setattr_tracking = False
    module.other = tf.Variable(1.0)
    assert list(module._trackable_children()) == ["w"]
    module._setattr_tracking = True
    module.several = [made, 3]
    assert module.several._values == [made, 3]


def test_optimizers_that_keep_no_slots_are_saved(tmp_path):
    class Optimizer(tf.Module):
        def _create_or_restore_slot_variable(self, **kwargs):
            raise ValueError("no slots")

    root = tf.train.Checkpoint(v=tf.Variable(1.0), optimizer=Optimizer())
    path = root.save(str(tmp_path / "c"))
    root.v.assign(2.0)
    root.restore(path)
    assert root.v.numpy() == 1.0


class Keeping(tf.Module):
    """Keeps a variable for another one as Keras 2's optimizers do, which leave restoring it to who asks them."""

    def __init__(self):
        super().__init__()
        object.__setattr__(self, "slots", {})

    def get_slot_names(self):
        return ["m"]

    def get_slot(self, var, slot_name):
        return self.slots[var.ref()]

    def add_slot(self, var, initial_value):
        self.slots[var.ref()] = made = tf.Variable(initial_value, trainable=False)
        return made

    def _create_or_restore_slot_variable(self, slot_variable_position, slot_name, variable):
        found = self.slots.get(variable.ref())
        if found is None and slot_variable_position.is_simple_variable():
            assert not tf.compat.v1.get_default_graph()._variable_creator_stack
            first = tf.__internal__.tracking.CheckpointInitialValueCallable(checkpoint_position=slot_variable_position)
            assert slot_variable_position.value_shape() == variable.shape
            found = self.add_slot(variable, first)
        return found


@pytest.mark.parametrize("made", [True, False], ids=["made before", "made by restoring"])
def test_what_optimizers_keep_is_restored(tmp_path, made):
    v, optimizer = tf.Variable([1.0, 2.0]), Keeping()
    optimizer.add_slot(v, [3.0, 4.0])
    path = tf.train.Checkpoint(v=v, optimizer=optimizer).save(str(tmp_path / "c"))
    v, optimizer = tf.Variable([0.0, 0.0]), Keeping()
    if made:
        optimizer.add_slot(v, [0.0, 0.0])
    tf.train.Checkpoint(v=v, optimizer=optimizer).restore(path).assert_consumed()
    np.testing.assert_array_equal(v, [1.0, 2.0])
    np.testing.assert_array_equal(optimizer.get_slot(v, "m"), [3.0, 4.0])


@pytest.mark.parametrize("newer", [True, False])
def test_what_wraps_a_variable_is_saved_as_that(tmp_path, newer):
    class Wrapper(tf.Variable):
        def __init__(self, inner):
            self.inner = inner

        def _should_act_as_resource_variable(self):
            """As Keras 2's variables that are cast say it."""

        shape = property(lambda self: self.inner.shape)
        name = property(lambda self: self.inner.name)
        _shared_name = property(lambda self: self.inner._shared_name)

        def _gather_saveables_for_checkpoint(self):
            return self.inner._gather_saveables_for_checkpoint()

    if newer:
        Wrapper._serialize_to_tensors = lambda self: self.inner._serialize_to_tensors()
        Wrapper._restore_from_tensors = lambda self, tensors: self.inner._restore_from_tensors(tensors)
    inner = tf.Variable([1.0, 2.0], name="w")
    checkpoint = tf.train.Checkpoint(w=Wrapper(inner))
    path = checkpoint.save(str(tmp_path / "c"))
    assert ("w/.ATTRIBUTES/VARIABLE_VALUE", [2]) in tf.train.list_variables(path)
    inner.assign([0.0, 0.0])
    checkpoint.restore(path).assert_consumed()
    np.testing.assert_array_equal(inner, [1.0, 2.0])
    other = tf.train.Checkpoint(w=tf.Variable([0.0, 0.0]))
    other.restore(path).assert_consumed()
    np.testing.assert_array_equal(other.w, [1.0, 2.0])
    with pytest.raises(ValueError, match="incompatible tensor with shape"):
        tf.train.Checkpoint(w=Wrapper(tf.Variable([0.0]))).restore(path)


def test_a_function_for_another_device_may_hold_what_is_not_here():
    x, state = tf.zeros([3, 2, 4]), tf.zeros([1, 2, 5])

    def call():
        return tf.raw_ops.CudnnRNNV3(
            input=x, input_h=state, input_c=state, params=[1.0], sequence_lengths=[3, 3]
        ).output

    variant = tf.function(call, experimental_attributes={"api_preferred_device": "GPU"})
    assert variant.get_concrete_function().structured_outputs.shape == (3, 2, 5)
    with pytest.raises(tf.errors.NotFoundError, match="CudnnRNNV3"):
        tf.function(call)()


@pytest.mark.parametrize(
    ("spec", "expected"),
    [
        (tf.TensorSpec([2, 3], tf.int32, "x"), tf.TensorSpec([None, None], tf.int32, "x")),
        (tf.TensorSpec(None), tf.TensorSpec(None)),
        (tf.SparseTensorSpec([2, 3]), tf.SparseTensorSpec([None, None])),
        (tf.RaggedTensorSpec([2, None, 3]), tf.RaggedTensorSpec([None, None, None])),
    ],
)
def test_specs_without_sizes(spec, expected):
    assert spec._with_tensor_ranks_only() == expected


def test_weights_are_broadcast():
    weights = internal.ops.broadcast_weights([[1.0], [2.0]], tf.ones([2, 3]))
    np.testing.assert_array_equal(weights, [[1.0] * 3, [2.0] * 3])
    np.testing.assert_array_equal(internal.ops.broadcast_weights(3.0, tf.zeros([2])), [3.0, 3.0])
    with pytest.raises(ValueError, match=r"\(3,\).*\(2, 3\)"):
        internal.ops.broadcast_weights([1.0, 2.0, 3.0], tf.ones([2, 3]))


def test_a_moving_average():
    v = tf.Variable([1.0, 2.0])
    internal.train.assign_moving_average(v, [3.0, 0.0], 0.75, zero_debias=False)
    np.testing.assert_allclose(v, [1.5, 1.5])
    v1 = tf.compat.v1
    with (
        tf.Graph().as_default(),
        v1.Session() as session,
    ):  # where two more variables leave the zero out that it starts from
        w, x = v1.get_variable("w", initializer=[1.0, 2.0]), v1.placeholder(tf.float32, [2])
        moved = internal.train.assign_moving_average(w, x, 0.75)
        assert [variable.name for variable in v1.global_variables()] == ["w:0", "w/biased:0", "w/local_step:0"]
        session.run(v1.global_variables_initializer())
        np.testing.assert_allclose(session.run(moved, {x: [3.0, 0.0]}), [3.0, 0.0])
        np.testing.assert_allclose(session.run(moved, {x: [1.0, 1.0]}), [1.857143, 0.571429], rtol=1e-6)


def test_small_answers():
    v1 = tf.compat.v1
    assert v1.Variable(1.0, experimental_enable_variable_lifting=False).numpy() == 1.0
    assert internal.execute_fn_for_device({"CPU": lambda: 1, "GPU": lambda: 2}, lambda: 3) == 3
    assert internal.ops.is_resource_variable(tf.Variable(1.0))
    assert not isinstance(tf.constant(1), (tf.experimental.dtensor.DTensorDataset, internal.distribute.ShardedVariable))
    assert not tf.distribute.get_strategy().extended._in_multi_worker_mode()
    assert tf.python.data.util.structure.NoneTensorSpec() == tf.data.Dataset.from_tensors(None).element_spec


@pytest.mark.skipif(is_installed("tf_keras"), reason="Keras 2 is installed")
def test_keras_2_is_asked_for_and_missing(monkeypatch):
    monkeypatch.setenv("TF_USE_LEGACY_KERAS", "1")
    with pytest.raises(ImportError, match="pip install --no-deps tf_keras"):
        keras()


def test_a_size_that_may_be_another():
    one = tf.compat.v1.Dimension
    pairs = [(2, 2), (2, 3), (2, None), (None, None)]
    assert [one(a).is_compatible_with(b) for a, b in pairs] == [True, False, True, True]


def test_variables_that_wrap_others_ask_them():
    v = tf.Variable([1.0])
    assert v._dense_var_to_tensor(dtype="float32").numpy() == [1.0]
    with pytest.raises(ValueError, match="float64"):
        v._dense_var_to_tensor(tf.float64)
    assert not v._in_graph_mode
    assert tf.Variable._OverloadAllOperators() is None


def test_tables_that_live_on_tpus_are_named_and_refused():
    room = tf.tpu.experimental
    assert not isinstance(1, (room.embedding.TableConfig, room.embedding.TPUEmbedding))
    assert room.HardwareFeature.EmbeddingFeature.V1.value == "V1"
    with pytest.raises(
        NotImplementedError, match=r"tf.tpu.experimental.embedding.TableConfig: .*tf.nn.embedding_lookup"
    ):
        room.embedding.TableConfig(10, 2)


CACHES = []


class Layer(tf.Module):
    """As the objects of Keras 2 do: says its kind, and keeps something while it is saved."""

    _object_identifier = "_a_layer"

    def __init__(self, value):
        super().__init__()
        self.v = tf.Variable(value, name="first/v")

    def _trackable_children(self, save_type="checkpoint", **kwargs):
        if save_type == "savedmodel":
            kwargs["cache"].setdefault(self, []).append(len(kwargs["cache"]))
            CACHES.append(kwargs["cache"])
        return super()._trackable_children(save_type, **kwargs)


def test_a_saved_model_part_by_part(tmp_path):
    model = Layer(1.0)
    model.inner = Layer(2.0)
    nodes, ways = tf.python.saved_model.save.save_and_return_nodes(model, tmp_path / "saved")
    assert all(cache is CACHES[0] and list(cache) == [model, model.inner] for cache in CACHES)
    assert [[r.name for r in ways[node]] for node in (model, model.inner, model.inner.v)] == [
        [],
        ["inner"],
        ["inner", "v"],
    ]
    saved = internal.saved_model.parse_saved_model(tmp_path / "saved").meta_graphs[0].object_graph_def
    kinds = [saved.nodes[i].user_object.identifier for i, node in enumerate(nodes) if isinstance(node, Layer)]
    assert kinds == ["_a_layer"] * 2
    found = internal.saved_model.load_partial(tmp_path / "saved", ["root.inner", "root.v"])
    assert [found["root.inner"].v.numpy(), found["root.v"].numpy()] == [2.0, 1.0]

    mine, given = Layer(0.0), []
    variable = mine.v
    taken = {
        "root": None, "root.inner": (mine, lambda obj, name, value: given.append(name)), "root.inner.v": (variable, setattr)
    }  # fmt: skip
    found = internal.saved_model.load_partial(tmp_path / "saved", taken)
    assert found["root"].inner is mine
    assert variable.numpy() == 2.0
    assert "v" in given
    with pytest.raises(ValueError, match=r"Unable to find node root\.nowhere\."):
        internal.saved_model.load_partial(tmp_path / "saved", {"root.nowhere": None})


def test_a_variable_is_called_otherwise():
    v = tf.Variable(1.0, name="kernel")
    v._handle_name = "dense/kernel:0"
    assert v.name == v._handle_name == "dense/kernel:0"
