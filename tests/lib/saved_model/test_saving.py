"""`tf.saved_model.save`, read back here; that TensorFlow runs what it writes is shown by conformance."""

import collections
import os
import pathlib

import numpy as np
import pytest

import tfgrad_jax as tf
from tfgrad_jax.engine.graph import dimensions
from tfgrad_jax.lib.saved_model.nodes import rules
from tfgrad_jax.lib.saved_model.structures import decoded, encoded


class Net(tf.Module):
    def __init__(self):
        super().__init__()
        self.layers = [tf.Variable([[1.0, 2.0], [3.0, 4.0]], name="w"), {"b": tf.Variable([0.5, -0.5])}]
        self.count = tf.Variable(0, dtype=tf.int64, trainable=False)

    @tf.function(input_signature=[tf.TensorSpec([None, 2], name="inputs")])
    def __call__(self, x):
        self.count.assign_add(1)
        y = tf.nn.relu(x @ self.layers[0] + self.layers[1]["b"])
        return {"y": y, "sum": [tf.reduce_sum(y), None]}

    @tf.function(input_signature=[tf.TensorSpec([None, 2], name="inputs")])
    def served(self, x):
        return {"y": self(x)["y"]}

    @tf.function
    def scaled(self, x, k=2, *, flag=True):
        return x * tf.cast(k, x.dtype) if flag else x


def close(found, expected):
    np.testing.assert_allclose(np.asarray(found), expected, rtol=1e-5)


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    net = Net()
    net.scaled(tf.ones([2]))
    net.scaled(tf.ones([2]), 3)
    net.scaled(tf.constant(1.0), flag=False)
    path = tmp_path_factory.mktemp("saved") / "net"
    tf.saved_model.save(net, path, signatures=net.served)
    return path


def test_files(saved):
    assert sorted(os.listdir(saved)) == ["assets", "fingerprint.pb", "saved_model.pb", "variables"]
    assert tf.saved_model.contains_saved_model(saved)
    assert os.listdir(saved.parent) == ["net"]  # nothing is left aside
    names = [name for name, _ in tf.train.list_variables(str(saved / "variables" / "variables"))]
    assert "layers/1/b/.ATTRIBUTES/VARIABLE_VALUE" in names


def test_functions_variables_and_signatures(saved):
    loaded = tf.saved_model.load(saved)
    assert loaded.layers[0].numpy().tolist() == [[1.0, 2.0], [3.0, 4.0]]
    for rows in (1, 4):
        out = loaded(tf.ones([rows, 2]))
        assert out["y"].numpy().tolist() == [[4.5, 5.5]] * rows
        assert float(out["sum"][0]) == 10.0 * rows
        assert out["sum"][1] is None
    assert int(loaded.count) == 2
    assert loaded.scaled(tf.ones([2]), 3).numpy().tolist() == [3.0, 3.0]
    assert float(loaded.scaled(1.0, flag=False)) == 1.0
    with pytest.raises(ValueError, match="Could not find matching concrete function"):
        loaded.scaled(tf.ones([2]), 4)
    loaded.layers[0].assign(tf.zeros([2, 2]))
    assert loaded.signatures["serving_default"](inputs=tf.ones([1, 2]))["y"].numpy().tolist() == [[0.5, 0.0]]


def test_gradients(saved):
    loaded = tf.saved_model.load(saved)
    x = tf.constant([[1.0, 2.0], [-5.0, 1.0]])
    for call in (loaded, tf.function(lambda x: loaded(x))):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = call(x)["sum"][0]
        to_w, to_b, to_x = tape.gradient(y, [loaded.layers[0], loaded.layers[1]["b"], x])
        assert to_w.numpy().tolist() == [[1.0, 1.0], [2.0, 2.0]]
        assert to_b.numpy().tolist() == [1.0, 1.0]
        assert to_x.numpy().tolist() == [[3.0, 7.0], [0.0, 0.0]]


def test_custom_gradients(tmp_path):
    @tf.custom_gradient
    def odd(y):
        z = tf.exp(y)
        return z, lambda dy: dy * z * 3.0 + y

    module = tf.Module()
    module.f = tf.function(lambda x: odd(x) * 2.0, input_signature=[tf.TensorSpec([None])])
    tf.saved_model.save(module, tmp_path)
    loaded = tf.saved_model.load(tmp_path)
    v = tf.Variable([1.0, 2.0])
    with tf.GradientTape() as tape:
        out = loaded.f(v)
    close(out, [5.4365635, 14.778112])
    close(tape.gradient(out, v), [17.30969, 46.334335])


def test_without_gradients(tmp_path):
    module = tf.Module()
    module.f = tf.function(lambda x: x * 2.0, input_signature=[tf.TensorSpec([None])])
    tf.saved_model.save(module, tmp_path, options=tf.saved_model.SaveOptions(experimental_custom_gradients=False))
    loaded, x = tf.saved_model.load(tmp_path), tf.ones([1])
    assert loaded.f(x).numpy().tolist() == [2.0]
    with pytest.raises(LookupError, match="No gradient defined"), tf.GradientTape() as tape:
        tape.watch(x)
        tape.gradient(loaded.f(x), x)


Pair = collections.namedtuple("Pair", "a b")


class Structured(tf.Module):
    def __init__(self):
        super().__init__()
        self.total = tf.Variable(0.0)

    @tf.function
    def nested(self, x, flag=None):
        return {"sum": x["a"] + x["b"][0], "parts": (x["a"], [x["b"][1]]), "none": None}

    @tf.function
    def pair(self, q):
        return Pair(q.a * 2.0, q.b)

    @tf.function(input_signature=[tf.RaggedTensorSpec([None, None], tf.float32)])
    def ragged(self, r):
        return r * 2.0

    @tf.function
    def various(self, *args, scale=1.0, **named):
        return sum(args) * scale + named.get("more", 0.0)

    @tf.function
    def add(self, x):
        self.total.assign_add(x)


def test_structured_arguments_and_results(tmp_path):
    module, scalar, vector = Structured(), tf.TensorSpec([]), tf.TensorSpec([None])
    module.nested.get_concrete_function({"a": vector, "b": [vector, scalar]})
    module.pair.get_concrete_function(Pair(vector, scalar))
    module.various.get_concrete_function(scalar, scalar, scale=2.0)
    module.various.get_concrete_function(scalar, more=scalar)
    module.trace = module.add.get_concrete_function(scalar)
    tf.saved_model.save(module, tmp_path)
    loaded = tf.saved_model.load(tmp_path)
    one, ones = tf.constant(1.0), tf.ones([2])
    found = loaded.nested({"a": ones, "b": [ones, one]})
    assert found["sum"].numpy().tolist() == [2.0, 2.0]
    assert found["parts"][1][0].numpy() == 1.0
    assert found["none"] is None
    assert loaded.pair(Pair(ones, one)).a.numpy().tolist() == [2.0, 2.0]
    assert loaded.ragged(tf.ragged.constant([[1.0, 2.0], [3.0]])).to_list() == [[2.0, 4.0], [6.0]]
    assert float(loaded.various(one, one, scale=2.0)) == 4.0
    assert float(loaded.various(one, more=one)) == 2.0
    assert loaded.add(one) is None
    assert loaded.trace(one) is None
    assert float(loaded.total) == 2.0


_OPEN = {
    "reshape": lambda x: tf.reshape(x, [tf.shape(x)[0], -1]),
    "product of sizes": lambda x: tf.reshape(x, [tf.shape(x)[0] * tf.shape(x)[1], 4]),
    "zeros": lambda x: tf.zeros([tf.shape(x)[0], 5]),
    "range": lambda x: tf.range(tf.shape(x)[0]),
    "size as a number": lambda x: tf.reduce_sum(x) / tf.cast(tf.shape(x)[0], tf.float32),
    "shape": lambda x: tf.shape(x),
    "broadcast": lambda x: tf.broadcast_to(x[:1], tf.shape(x)),
    "slices": lambda x: x[:, 1:, ::2],
    "concat": lambda x: tf.concat([x, x[:1]], 0),
    "softmax": tf.nn.softmax,
    "largest": lambda x: tf.math.top_k(-x * x + 3.0 * x, 2).indices,
    "convolution": lambda x: tf.nn.conv1d(x, tf.ones([2, 4, 3]), 1, "SAME"),
    "einsum": lambda x: tf.einsum("bij,bkj->bik", x, x),
    "branch": lambda x: tf.cond(tf.reduce_sum(x) > 0, lambda: x, lambda: -x),
    "loop": lambda x: tf.while_loop(
        lambda i, s: i < tf.shape(x)[0], lambda i, s: (i + 1, s + x[i]), (0, tf.zeros([3, 4]))
    )[1],
}


def test_sizes_that_are_open_stay_open(tmp_path):
    module = tf.Module()
    for name, function in _OPEN.items():
        traced = tf.function(function, input_signature=[tf.TensorSpec([None, 3, 4])], autograph=False)
        setattr(module, name.replace(" ", "_"), traced)
    options = tf.saved_model.SaveOptions(experimental_custom_gradients=False)
    tf.saved_model.save(module, tmp_path, options=options)
    loaded = tf.saved_model.load(tmp_path)
    for rows in (1, 3):
        x = tf.reshape(tf.range(12.0 * rows), [rows, 3, 4])
        for name, function in _OPEN.items():
            found = getattr(loaded, name.replace(" ", "_"))(x)
            np.testing.assert_allclose(found, function(x), rtol=1e-5, err_msg=name)


def test_gradients_through_loops_of_open_sizes(tmp_path):
    """As recurrent layers have them: states of the batch's size, and elements that are written one by one."""
    module = tf.Module()
    module.w = tf.Variable(tf.ones([4, 4]) / 4.0)

    def unrolled(x):
        elements = tf.TensorArray(tf.float32, 5).unstack(tf.transpose(x, [1, 0, 2]))

        def step(i, state, kept):
            state = tf.tanh(elements.read(i) @ module.w + state)
            return i + 1, state, kept.write(i, state)

        start = 0, tf.zeros([tf.shape(x)[0], 4]), tf.TensorArray(tf.float32, 5, element_shape=[None, 4])
        return tf.transpose(tf.while_loop(lambda i, *_: i < 5, step, start)[2].stack(), [1, 0, 2])

    module.f = tf.function(unrolled, input_signature=[tf.TensorSpec([None, 5, 4])], autograph=False)
    tf.saved_model.save(module, tmp_path)
    loaded = tf.saved_model.load(tmp_path)
    x = tf.reshape(tf.range(60.0) / 60.0, [3, 5, 4])
    found = []
    for function, w in ((module.f, module.w), (loaded.f, loaded.w)):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = function(x)
        found.append([y, *tape.gradient(y, [x, w])])
    for ours, theirs in zip(*found, strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-5)


def test_a_gradient_that_cannot_be_exported(tmp_path, monkeypatch):
    """What it is the gradient of is saved all the same, and asking for it says why there is none."""

    def refused(*unused):
        raise NotImplementedError("no way")

    monkeypatch.setattr("tfgrad_jax.lib.saved_model.writing.program", refused)
    tf.saved_model.save(_module(lambda x: x * 2.0, tf.TensorSpec([None])), tmp_path)
    loaded, x = tf.saved_model.load(tmp_path), tf.ones([2])
    assert loaded.f(x).numpy().tolist() == [2.0, 2.0]
    with (
        pytest.raises(LookupError, match="could not be exported: NotImplementedError: no way"),
        tf.GradientTape() as tape,
    ):
        tape.watch(x)
        tape.gradient(loaded.f(x), x)


def test_open_sizes_of_several_arguments(tmp_path):
    module = tf.Module()
    spec = tf.TensorSpec([None, 2])
    module.add = tf.function(lambda x, y: x + y, input_signature=[spec, spec])
    module.join = tf.function(lambda x, y: tf.concat([x, y], 0), input_signature=[spec, spec])
    tf.saved_model.save(module, tmp_path)
    loaded = tf.saved_model.load(tmp_path)
    assert loaded.add(tf.ones([3, 2]), tf.ones([3, 2])).shape == (3, 2)
    assert loaded.join(tf.ones([3, 2]), tf.ones([1, 2])).shape == (4, 2)


def test_an_open_size_in_many_operations_of_a_kind(tmp_path):
    heads = _module(
        lambda x: [tf.reshape(x * float(i), [tf.shape(x)[0], 3, 2]) for i in range(6)], tf.TensorSpec([None, 6])
    )
    tf.saved_model.save(heads, tmp_path)
    assert [y.shape for y in tf.saved_model.load(tmp_path).f(tf.ones([5, 6]))] == [(5, 3, 2)] * 6


def test_random_numbers_go_on(tmp_path):
    module = tf.Module()
    module.draw = tf.function(lambda: tf.random.normal([3], seed=1), input_signature=[])
    tf.saved_model.save(module, tmp_path)
    loaded = tf.saved_model.load(tmp_path)
    assert loaded.draw().numpy().tolist() != loaded.draw().numpy().tolist()


_BITS = {
    "uniform": lambda x: tf.random.uniform([tf.shape(x)[0], 2]),
    "stateless": lambda x: tf.random.stateless_normal([tf.shape(x)[0]], [3, 4]),
    "dropout": lambda x: tf.nn.experimental.stateless_dropout(x, 0.5, [1, 2]),
    "wide": lambda x: tf.bitcast(tf.cast(x[:, :2], tf.int32), tf.int64),
    "narrow": lambda x: tf.bitcast(tf.cast(x, tf.float64), tf.float16),
    "complex": lambda x: tf.bitcast(x[:, 1:], tf.complex64),
}


@pytest.mark.parametrize("name", _BITS)
def test_bits_of_so_many_numbers_as_an_open_size_says(name, tmp_path):
    tf.random.set_seed(1)
    module = _module(_BITS[name], tf.TensorSpec([None, 3]))
    tf.saved_model.save(module, tmp_path)
    loaded = tf.saved_model.load(tmp_path)
    for rows in (5, 2):
        x = tf.reshape(tf.range(rows * 3, dtype=tf.float32), [rows, 3])
        assert np.array_equal(loaded.f(x), module.f(x))


def test_a_generator_goes_on_by_as_many_numbers_as_an_open_size_says(tmp_path):
    module = tf.Module()
    module.generator = generator = tf.random.Generator.from_seed(5)
    module.f = tf.function(lambda x: generator.normal([tf.shape(x)[0], 2]), input_signature=[tf.TensorSpec([None])])
    tf.saved_model.save(module, tmp_path)
    loaded = tf.saved_model.load(tmp_path)
    for rows in (5, 2):
        np.testing.assert_allclose(loaded.f(tf.zeros([rows])), module.f(tf.zeros([rows])), rtol=1e-6)


def test_checkpoints_of_what_draws_fit_what_was_loaded(tmp_path):
    module = tf.Module()
    module.v = tf.Variable(1.0)
    module.draw = tf.function(lambda: module.v + tf.random.normal([3], seed=1), input_signature=[])
    tf.saved_model.save(module, tmp_path / "saved")
    module.v.assign(2.0)
    path = tf.train.Checkpoint(module).write(tmp_path / "checkpoint")
    loaded = tf.saved_model.load(tmp_path / "saved")
    tf.train.Checkpoint(loaded).read(path).assert_existing_objects_matched()
    assert loaded.v.numpy() == 2.0
    # A checkpoint in the place of the one that the SavedModel was written with: there is no state to go on from.
    for end in (".index", ".data-00000-of-00001"):
        os.replace(f"{path}{end}", tmp_path / f"saved/variables/variables{end}")
    again = tf.saved_model.load(tmp_path / "saved")
    assert again.v.numpy() == 2.0 and again.draw().numpy().tolist() != again.draw().numpy().tolist()


def test_saved_again(saved, tmp_path):
    tf.saved_model.save(tf.saved_model.load(saved), tmp_path / "again")
    again = tf.saved_model.load(tmp_path / "again")
    assert again(tf.ones([3, 2]))["y"].numpy().tolist() == [[4.5, 5.5]] * 3


def test_assets(tmp_path):
    (tmp_path / "words.txt").write_text("a\nb\n")
    module = tf.Module()
    module.words = tf.saved_model.Asset(tmp_path / "words.txt")
    tf.saved_model.save(module, tmp_path / "saved")
    (tmp_path / "words.txt").unlink()
    path = pathlib.Path(tf.saved_model.load(tmp_path / "saved").words.asset_path.numpy().decode())
    assert path == tmp_path / "saved" / "assets" / "words.txt"
    assert path.read_text() == "a\nb\n"


# -- what cannot be saved ---------------------------------------------------------------------------------------------


def _module(function, *specs):
    module = tf.Module()
    module.f = tf.function(function, input_signature=list(specs))
    return module


def printed(s):
    return tf.strings.format("{}", tf.strings.split(s))


def called(s):
    return tf.strings.lower(tf.numpy_function(lambda text: text, [s], tf.string))


@pytest.mark.parametrize(
    ("function", "says"),
    [
        (printed, "have no node for: RaggedTensorToString"),
        (called, r"calls Python through tf\.py_function or tf\.numpy_function"),
    ],
)
def test_host_operations_without_nodes_are_named(function, says, tmp_path):
    with pytest.raises(ValueError, match=says):
        tf.saved_model.save(_module(function, tf.TensorSpec([None], tf.string)), tmp_path / "saved")
    assert not (tmp_path / "saved").exists()


def test_untracked_variables(tmp_path):
    other = tf.Variable(2.0)
    with pytest.raises(AssertionError, match="references an 'untracked' resource"):
        tf.saved_model.save(_module(lambda x: x * other, tf.TensorSpec([])), tmp_path / "saved")


def test_unknown_ranks(tmp_path):
    module = _module(lambda x: tf.reduce_sum(x * 2.0, axis=-1), tf.TensorSpec(None))
    module.v = tf.Variable(3.0)
    module.n = tf.Variable(0)

    @tf.function(input_signature=[tf.TensorSpec(None), tf.TensorSpec([])])
    def both(x, y):
        module.n.assign_add(1)
        return {"out": x * y + module.v}

    module.both = both
    tf.saved_model.save(
        module,
        tmp_path / "saved",
        signatures=both,
        options=tf.saved_model.SaveOptions(experimental_custom_gradients=True),
    )
    loaded = tf.saved_model.load(tmp_path / "saved")
    signature = loaded.signatures["serving_default"]
    assert signature.structured_outputs == {"out": tf.TensorSpec(None, tf.float32, "out")}
    shown = signature.pretty_printed_signature(verbose=False)
    assert "name='y')" in shown and "name='out')" in shown
    for x in (tf.constant([1.0, 2.0]), tf.ones([2, 3])):
        np.testing.assert_allclose(loaded.f(x), tf.reduce_sum(x, -1) * 2.0)
        np.testing.assert_allclose(signature(x=x, y=tf.constant(2.0))["out"], x * 2.0 + 3.0)
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = loaded.both(x, 2.0)["out"]
        gradients = tape.gradient(y, [x, loaded.v])
        assert [g.numpy().tolist() for g in gradients] == [(tf.ones_like(x) * 2.0).numpy().tolist(), float(tf.size(x))]
    assert int(loaded.n) == 4
    inner = tf.function(lambda x: loaded.f(x) + 1.0, input_signature=[tf.TensorSpec(None)])
    np.testing.assert_allclose(inner([1.0, 2.0]), 7.0)
    with pytest.raises((ValueError, tf.errors.InvalidArgumentError)):
        loaded.f(1.0)  # there is no last axis
    with pytest.raises((ValueError, tf.errors.InvalidArgumentError)):
        loaded.both(tf.ones([1] * 9), 1.0)


def test_two_unknown_ranks(tmp_path):
    tf.saved_model.save(_module(lambda x, y: x - y, tf.TensorSpec(None), tf.TensorSpec(None)), tmp_path / "saved")
    loaded = tf.saved_model.load(tmp_path / "saved")
    assert loaded.f(3.0, [1.0, 2.0]).numpy().tolist() == [2.0, 1.0]
    assert loaded.f([[1.0, 2.0]], 1.0).numpy().tolist() == [[0.0, 1.0]]


def test_open_sizes_that_fit_under_a_condition(tmp_path):
    """A reshape to rows of 12 assumes that 12 divides the number of elements."""
    module = _module(lambda x: tf.reduce_sum(tf.reshape(x, [-1, 12]), 1), tf.TensorSpec([None] * 4))
    tf.saved_model.save(module, tmp_path / "saved")
    loaded = tf.saved_model.load(tmp_path / "saved")
    assert loaded.f(tf.ones([5, 4, 3, 1])).numpy().tolist() == [12.0] * 5
    assert loaded.f(tf.ones([1, 4, 3, 2])).numpy().tolist() == [12.0] * 2
    with pytest.raises((ValueError, tf.errors.InvalidArgumentError)):
        loaded.f(tf.ones([5, 4, 1, 1]))


def test_too_many_operands_of_unknown_rank(tmp_path):
    module = _module(lambda *x: tf.add_n(x), *[tf.TensorSpec(None)] * 4)
    with pytest.raises(ValueError, match="4 tensors of unknown rank"):
        tf.saved_model.save(module, tmp_path / "saved")


def test_fingerprints_tell_models_apart(tmp_path):
    for name, factor in (("a", 2.0), ("b", 3.0)):
        tf.saved_model.save(_module(lambda x, f=factor: x * f, tf.TensorSpec([])), tmp_path / name)
    a, b = (tf.saved_model.experimental.read_fingerprint(tmp_path / name) for name in "ab")
    assert a != b and a == tf.saved_model.experimental.read_fingerprint(tmp_path / "a")
    assert a.singleprint().count("/") == 3 and str(a).startswith("SavedModel Fingerprint")
    with pytest.raises(FileNotFoundError, match="SavedModel Fingerprint Error"):
        tf.saved_model.experimental.read_fingerprint(tmp_path)


def test_wrong_arguments(tmp_path):
    with pytest.raises(ValueError, match="Expected an object of type `Trackable`"):
        tf.saved_model.save(1, tmp_path / "saved")
    for wrong in (3, lambda x: x, {"a": tf.function(lambda x: x)}):
        with pytest.raises(ValueError, match="Expected a TensorFlow function for which to generate a signature"):
            tf.saved_model.save(tf.Module(), tmp_path / "saved", signatures=wrong)
    nested = tf.function(lambda x: {"a": {"b": x}}, input_signature=[tf.TensorSpec([])])
    with pytest.raises(ValueError, match="Got a non-Tensor value"):
        tf.saved_model.save(tf.Module(), tmp_path / "saved", signatures=nested)

    @tf.function
    def inside(x):
        tf.saved_model.save(tf.Module(), tmp_path / "saved")
        return x

    with pytest.raises(AssertionError, match="not supported inside a traced"):
        inside(1.0)


@pytest.mark.parametrize("call", ["rename", "fsync", "mkdir"])
@pytest.mark.parametrize("after", range(4))
def test_a_save_that_stops_leaves_nothing_that_looks_whole(saved, tmp_path, monkeypatch, call, after):
    """Whichever write is the last one: the directory holds no SavedModel, or a whole one."""
    path = tmp_path / "saved"
    tf.saved_model.save(_module(lambda x: x + 1.0, tf.TensorSpec([])), path)
    real, calls = getattr(os, call), []

    def stops(*args, **kwargs):
        calls.append(args)
        if len(calls) > after:
            raise OSError("no space left")
        return real(*args, **kwargs)

    monkeypatch.setattr(os, call, stops)
    stopped = False
    try:
        tf.saved_model.save(_module(lambda x: x + 2.0, tf.TensorSpec([])), path)
    except (OSError, tf.errors.OpError):
        stopped = True
    monkeypatch.undo()
    if tf.saved_model.contains_saved_model(path):
        assert float(tf.saved_model.load(path).f(0.0)) == (1.0 if stopped else 2.0)
    assert os.listdir(tmp_path) == ["saved"]


@pytest.mark.parametrize(
    ("signature", "names"),
    [
        ([[tf.TensorSpec([2]), tf.TensorSpec([2])]], ["inputs", "inputs_1"]),
        ([{"a": tf.TensorSpec([2]), "b": tf.TensorSpec([2])}], ["inputs", "inputs_1"]),
        ([[tf.TensorSpec([2], name="P/q"), tf.TensorSpec([2], name="1a")]], ["P_q", "arg_1a"]),
    ],
)
def test_names_of_signature_arguments(tmp_path, signature, names):
    module = tf.Module()
    module.f = tf.function(lambda inputs: tf.nest.flatten(inputs), input_signature=signature)
    tf.saved_model.save(module, tmp_path / "saved", signatures=module.f)
    served = tf.saved_model.load(tmp_path / "saved").signatures["serving_default"]
    assert sorted(served.structured_input_signature[1]) == names
    found = served(**{names[0]: tf.constant([1.0, 2.0]), names[1]: tf.constant([3.0, 4.0])})
    assert [found[f"output_{i}"].numpy().tolist() for i in range(2)] == [[1.0, 2.0], [3.0, 4.0]]


def test_plain_containers_among_the_parts(tmp_path):
    class Held(tf.Module):
        def __init__(self):
            super().__init__()
            self._inner = tf.Variable([2.0])

        @tf.function(input_signature=[tf.TensorSpec([None])])
        def __call__(self, x):
            return x * self._inner

        def _trackable_children(self, save_type="checkpoint", **kwargs):
            parts = super()._trackable_children(save_type, **kwargs)
            parts["held"] = {"first": parts.pop("_inner")}
            return parts

    tf.saved_model.save(Held(), tmp_path / "saved")
    loaded = tf.saved_model.load(tmp_path / "saved")
    assert loaded(tf.constant([3.0])).numpy().tolist() == [6.0]
    assert loaded.held["first"].numpy().tolist() == [2.0]


def test_open_sizes_of_which_only_the_first_is_shared(tmp_path):
    spec = tf.TensorSpec([None, None])
    module = _module(lambda x, y: tf.reduce_sum(x, 1) * tf.reduce_mean(y, 1), spec, spec)
    tf.saved_model.save(module, tmp_path / "saved")
    loaded = tf.saved_model.load(tmp_path / "saved")
    assert loaded.f(tf.ones([3, 8]), tf.ones([3, 6])).numpy().tolist() == [8.0, 8.0, 8.0]


def test_open_sizes_that_are_equal_in_other_places(tmp_path):
    made = tf.Module()
    made.first = tf.function(
        lambda x, s: x[0] + s, input_signature=[tf.TensorSpec([None, None, 2]), tf.TensorSpec([None, 2])]
    )
    tf.saved_model.save(made, tmp_path)
    loaded = tf.saved_model.load(tmp_path)
    for batch in (2, 3):
        assert loaded.first(tf.ones([4, batch, 2]), tf.ones([batch, 2])).numpy().tolist() == [[2.0, 2.0]] * batch


REPEATED = {
    "a row": lambda x, n: tf.repeat(tf.constant([[1.0, 2.0]]), n, axis=0) + x,
    "along another axis": lambda x, n: tf.repeat(tf.constant([[1.0, 2.0]]), repeats=n, axis=-1),
    "open rows": lambda x, n: tf.repeat(x, 2, axis=0),
    "open rows so often": lambda x, n: tf.repeat(x, n, axis=0),
    "flat": lambda x, n: tf.repeat(x, n),
}


@pytest.mark.parametrize("name", REPEATED)
def test_repeats_as_an_open_size_says(name, tmp_path):
    made = tf.Module()
    made.f = tf.function(lambda x: REPEATED[name](x, tf.shape(x)[0]), input_signature=[tf.TensorSpec([None, 2])])
    tf.saved_model.save(made, tmp_path)
    loaded = tf.saved_model.load(tmp_path)
    for rows in (1, 3):
        x = tf.reshape(tf.range(2.0 * rows), [rows, 2])
        assert loaded.f(x).numpy().tolist() == made.f(x).numpy().tolist() == REPEATED[name](x, rows).numpy().tolist()
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = made.f(x)
    assert tape.gradient(y, x, unconnected_gradients="zero").shape == x.shape


def test_a_variable_is_repeated_as_an_open_size_says(tmp_path):
    made = tf.Module()
    made.v = tf.Variable([[1.0, 2.0]])
    made.f = tf.function(lambda x: tf.repeat(made.v, tf.shape(x)[0], 0), input_signature=[tf.TensorSpec([None])])
    tf.saved_model.save(made, tmp_path)
    assert tf.saved_model.load(tmp_path).f(tf.ones([2])).numpy().tolist() == [[1.0, 2.0]] * 2
    with tf.GradientTape() as tape:
        y = made.f(tf.ones([3]))
    assert tape.gradient(y, made.v).numpy().tolist() == [[3.0, 3.0]]


def test_aliases_of_functions(tmp_path):
    module = tf.Module()
    module.f = tf.function(lambda x: x + 1.0)
    module.f(tf.ones([2]))
    module.f(tf.ones([3]))
    module.g = tf.function(lambda x: x * 2.0, input_signature=[tf.TensorSpec([None])])
    tf.saved_model.save(
        module, tmp_path / "saved", options=tf.saved_model.SaveOptions(function_aliases={"a": module.f, "b": module.g})
    )
    wanted = tf.saved_model.LoadOptions(experimental_load_function_aliases=True)
    loaded = tf.saved_model.load(tmp_path / "saved", options=wanted)
    assert loaded.function_aliases["a"] is loaded.f
    assert loaded.function_aliases["a"](tf.ones([3])).numpy().tolist() == [2.0, 2.0, 2.0]
    assert loaded.function_aliases["b"](tf.ones([1])).numpy().tolist() == [2.0]
    assert not hasattr(tf.saved_model.load(tmp_path / "saved"), "function_aliases")


@pytest.mark.parametrize("size", [None, 2])
def test_assertions_are_left_out(tmp_path, size):
    def checked(x):
        tf.debugging.assert_greater(x, 0.0)
        tf.Assert(tf.reduce_all(x > 0.0), [x])
        return x * 2.0

    tf.saved_model.save(_module(checked, tf.TensorSpec([size])), tmp_path / "saved")
    loaded = tf.saved_model.load(tmp_path / "saved")
    assert loaded.f(tf.constant([1.0, -2.0])).numpy().tolist() == [2.0, -4.0]


@pytest.mark.parametrize(
    "operation, shape, given, refused",
    [(tf.subtract, [3], [2, 3], [2, 1]), (tf.matmul, [3, 4], [2, 3], [2, 4]), (tf.add, [2, 3], [2, 3], [2, 2])],
)
def test_open_sizes_that_a_variable_knows(tmp_path, operation, shape, given, refused):
    """A size that is open in the signature, and must be that of a variable: the program refuses others when it runs."""
    w = tf.Variable(tf.reshape(tf.range(float(np.prod(shape))), shape))
    module = _module(lambda x: operation(x, w) * 2.0, tf.TensorSpec([None, None]))
    module.w = w
    tf.saved_model.save(module, tmp_path / "saved")
    loaded = tf.saved_model.load(tmp_path / "saved")
    x = tf.Variable(tf.ones(given))
    found = []
    for f in (module.f, loaded.f):
        with tf.GradientTape() as tape:
            y = f(x)
        found.append((y.numpy().tolist(), tape.gradient(y, x).numpy().tolist()))
    assert found[0] == found[1]
    with pytest.raises(tf.errors.InvalidArgumentError):
        loaded.f(tf.ones(refused))


@tf.python.framework.type_spec_registry.register("tests.Named")
class Named(tf.TypeSpec):
    """A type of a library, as distributions are, known by a name that the library gave it."""

    def __init__(self, part, kind):
        self._part, self._kind = part, kind

    value_type = property(lambda self: tf.Tensor)
    _component_specs = property(lambda self: (self._part,))

    def _to_components(self, value):
        return (value,)

    def _from_components(self, components):
        return components[0]

    def _serialize(self):
        return (self._part, self._kind)


def test_types_of_a_library_are_saved_by_their_names():
    spec = Named(tf.TensorSpec([None, 2]), {"atol": 0.5, "name": "one"})
    message = encoded([spec, 1])
    assert message.list_value.values[0].type_spec_value.type_spec_class == 12
    assert message.list_value.values[0].type_spec_value.type_spec_class_name == "tests.Named"
    again, one = decoded(message)
    assert (type(again), again._serialize(), one) == (Named, spec._serialize(), 1)


def test_types_without_a_name_are_refused_by_theirs():
    class Unnamed(Named):
        pass

    with pytest.raises(ValueError, match="Unnamed"):
        encoded(Unnamed(tf.TensorSpec([]), {}))


def test_functions_without_parameters_are_saved_untraced(tmp_path):
    class Counter(tf.Module):
        def __init__(self):
            super().__init__()
            self.count = tf.Variable(3)

        @tf.function
        def twice(self):
            return 2 * self.count

        @tf.function
        def times(self, x):  # nobody knows for which arguments
            return x * self.count

    counter = Counter()
    assert (counter.twice.input_signature, counter.times.input_signature) == ((), None)
    tf.saved_model.save(counter, tmp_path)
    loaded = tf.saved_model.load(tmp_path)
    assert loaded.twice() == 6
    assert loaded.signatures["serving_default"]()["output_0"] == 6
    with pytest.raises(ValueError, match="Found zero restored functions"):
        loaded.times(2)


def test_lists_of_numbers_are_taken_where_tensors_are_expected(tmp_path):
    class Model(tf.Module):
        @tf.function
        def __call__(self, x):
            return 2 * x

        @tf.function
        def nested(self, parts):
            return parts["x"] + parts["y"][0]

    model = Model()
    model(tf.constant([[1.0, 2.0]]))
    model.nested({"x": tf.constant([1, 2]), "y": (tf.constant(3),)})
    tf.saved_model.save(model, tmp_path)
    loaded = tf.saved_model.load(tmp_path)
    for given in ([[1.0, 2.0]], ((1.0, 2.0),), [tf.constant([1.0, 2.0])], [[1, 2]]):
        assert loaded(given).numpy().tolist() == [[2.0, 4.0]]
    assert loaded.nested({"x": [1, 2], "y": (3,)}).numpy().tolist() == [4, 5]
    for wrong in ([[1.0, 2.0, 3.0]], ["a"], [[1.0], [2.0, 3.0]]):
        with pytest.raises(ValueError, match="Could not find matching concrete function"):
            loaded(wrong)
    for parts in ({"x": [1, 2], "y": [3]}, {"x": [1, 2], "z": (3,)}, {"x": [1, 2], "y": 3}, [1, 2]):
        with pytest.raises(ValueError, match="Could not find matching concrete function"):
            loaded.nested(parts)


def test_traces_that_take_iterators_are_left_out(tmp_path):
    class Layer(tf.Module):
        def __init__(self):
            super().__init__()
            self.seen = tf.Variable(0)

        @tf.function
        def adapt(self, iterator):
            self.seen.assign_add(next(iterator))

        @tf.function
        def __call__(self, x):
            return x + self.seen

    layer = Layer()
    layer.adapt(iter(tf.data.Dataset.from_tensors(4)))
    assert layer(tf.constant(1)) == 5
    tf.saved_model.save(layer, tmp_path)
    assert tf.saved_model.load(tmp_path)(tf.constant(1)) == 5


def test_what_an_operation_may_assume_is_tried_for_it_alone(tmp_path, monkeypatch):
    """Not for the functions around it: each of these would run all that is inside once more for each size."""
    tried, fitting = [], dimensions.fitting
    noted = lambda kernel, *rest: tried.append(kernel.name) or fitting(kernel, *rest)  # noqa: E731
    monkeypatch.setattr(dimensions, "fitting", noted)
    module = tf.Module()
    module.v = tf.Variable([1.0, 2.0, 3.0])
    layer = tf.function(lambda x: x + module.v)
    block = tf.function(lambda x: layer(x) * 2.0)
    module.f = tf.function(lambda x: block(x) - 1.0, input_signature=[tf.TensorSpec([None, None])])
    tf.saved_model.save(module, tmp_path / "m")
    assert set(tried) == {"AddV2"}
    assert tf.saved_model.load(tmp_path / "m").f(tf.zeros([2, 3])).numpy().tolist() == [[1.0, 3.0, 5.0]] * 2


@pytest.mark.parametrize("ending", ["BILINEAR", "NEAREST"])
def test_transforms_of_images_of_open_sizes(tmp_path, ending):
    def transformed(images):
        images = tf.ensure_shape(images, [None, None, None, 1])
        return tf.raw_ops.ImageProjectiveTransformV3(
            images=images, transforms=[[1.0, 0.1, 0.0, 0.0, 0.9, 0.0, 0.0, 0.0]], output_shape=tf.shape(images)[1:3],
            fill_value=0.5, interpolation=ending,
        )  # fmt: skip

    module = tf.Module()
    module.transformed = tf.function(transformed, input_signature=[tf.TensorSpec([None, None, None, 1])])
    tf.saved_model.save(module, tmp_path / "saved")
    again = tf.saved_model.load(tmp_path / "saved")
    for shape in ((2, 5, 4, 1), (1, 3, 3, 1)):
        images = tf.random.normal(shape)
        np.testing.assert_allclose(again.transformed(images), transformed(images), rtol=1e-5, atol=1e-6)


def test_rules_for_transforms_of_images():
    images, transforms = tf.random.normal([1, 3, 3, 1]), tf.constant([[1.0, 0.1, 0.0, 0.0, 0.9, 0.0, 0.0, 0.0]])
    how = {"output_shape": [2, 2], "interpolation": "BILINEAR", "images": images, "transforms": transforms}
    for raw, fill in (("ImageProjectiveTransformV2", []), ("ImageProjectiveTransformV3", [tf.constant(0.5)])):
        attributes = {"interpolation": b"BILINEAR", "fill_mode": b"CONSTANT"}
        found = rules[raw]([images, transforms, tf.constant([2, 2]), *fill], attributes, None)
        expected = tf.raw_ops.ImageProjectiveTransformV3(**how, fill_value=0.5 if fill else 0.0)
        np.testing.assert_array_equal(found, expected)
