"""`tf.compat.v1`: initializers and decays with TensorFlow's numbers, functions, what sessions were for."""

from __future__ import annotations

import numpy as np
import pytest

import tfgrad_jax as tf

c = tf.compat.v1
I = c.initializers  # noqa: E741
T = c.train

DRAWN = {
    "normal": (
        lambda: I.random_normal(seed=3),
        [[0.9447038, -0.9667907, 0.80517167], [1.303316, 0.21490455, -0.7346576]],
    ),
    "uniform": (
        lambda: I.random_uniform(seed=3),
        [[0.40108788, 0.37683892, 0.3092928], [0.08807564, 0.7460573, 0.45470715]],
    ),
    "integers": (lambda: I.random_uniform(0, 10, seed=3, dtype=tf.int32), [[3, 8, 0], [8, 2, 0]]),
    "truncated": (
        lambda: I.truncated_normal(stddev=2.0, seed=3),
        [[1.8894076, -1.9335814, 1.6103433], [2.606632, -0.43756074, -1.609799]],
    ),
    "scaling": (
        lambda: I.variance_scaling(seed=3),
        [[0.75942135, -0.7771763, 0.6472553], [1.0476998, -0.1758715, -0.6470365]],
    ),
    "fan out": (
        lambda: I.variance_scaling(2.0, "fan_out", "untruncated_normal", seed=3),
        [[0.77134746, -0.7893813, 0.6574199], [1.0641531, 0.17546883, -0.5998454]],
    ),
    "glorot uniform": (
        lambda: I.glorot_uniform(seed=3),
        [[-0.21670562, -0.26983243, -0.41781855], [-0.9024811, 0.53908443, -0.09923166]],
    ),
    "he normal": (
        lambda: I.he_normal(seed=3),
        [[1.0739839, -1.0990933, 0.91535723], [1.4816712, -0.24871986, -0.9150478]],
    ),
    "lecun uniform": (
        lambda: I.lecun_uniform(seed=3),
        [[-0.24228424, -0.30168182, -0.46713537], [-1.0090046, 0.6027148, -0.11094439]],
    ),
    "orthogonal": (
        lambda: I.orthogonal(seed=3),
        [[0.74991834, 0.63915586, 0.17059407], [-0.5354773, 0.7379142, -0.41078785]],
    ),
    "unit scaling": (
        lambda: I.uniform_unit_scaling(seed=3),
        [[-0.24228424, -0.30168182, -0.46713537], [-1.0090046, 0.6027148, -0.11094439]],
    ),
    "identity": (lambda: I.identity(2.0), [[2.0, 0.0, 0.0], [0.0, 2.0, 0.0]]),
    "constant": (lambda: I.constant([1, 2, 3, 4, 5, 6]), [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]),
}


@pytest.mark.parametrize("name", DRAWN)
def test_initializers_have_tensorflows_numbers(name):
    make, expected = DRAWN[name]
    tf.random.set_seed(7)
    initializer = make()
    np.testing.assert_allclose(initializer([2, 3]), expected, rtol=3e-6, atol=3e-7)
    if hasattr(initializer, "get_config"):
        assert type(initializer).from_config(initializer.get_config()).get_config() == initializer.get_config()


def test_wrong_initializers():
    with pytest.raises(ValueError, match="scale"):
        I.variance_scaling(-1.0)
    with pytest.raises(ValueError, match="mode"):
        I.variance_scaling(mode="x")
    with pytest.raises(ValueError, match="floating"):
        I.random_normal(dtype=tf.int32)
    with pytest.raises(ValueError, match="two-dimensional"):
        I.orthogonal()([2])
    with pytest.raises(TypeError, match="shape"):
        I.constant(5, verify_shape=True)([1])


DECAYS = {
    "exponential": (lambda g: T.exponential_decay(0.1, g, 5, 0.9), [0.1, 0.09387404, 0.08628584]),
    "staircase": (lambda g: T.exponential_decay(0.1, g, 5, 0.9, staircase=True), [0.1, 0.1, 0.09]),
    "piecewise": (lambda g: T.piecewise_constant(g, [1, 5], [1.0, 0.5, 0.1]), [1.0, 0.5, 0.1]),
    "polynomial": (lambda g: T.polynomial_decay(0.1, g, 10), [0.1, 0.07003, 0.03007]),
    "cycle": (lambda g: T.polynomial_decay(0.1, g, 4, 0.01, 0.5, cycle=True), [0.1, 0.055, 0.04181981]),
    "natural": (lambda g: T.natural_exp_decay(0.1, g, 5, 0.9), [0.1, 0.05827482, 0.0283654]),
    "inverse": (lambda g: T.inverse_time_decay(0.1, g, 5, 0.9, True), [0.1, 0.1, 0.05263158]),
    "cosine": (lambda g: T.cosine_decay(0.1, g, 10, 0.1), [0.1, 0.08145034, 0.02854967]),
    "restarts": (lambda g: T.cosine_decay_restarts(0.1, g, 4, 1.5, 0.8, 0.05), [0.1, 0.01891243, 0.043]),
    "linear": (lambda g: T.linear_cosine_decay(0.1, g, 10), [0.1001, 0.05567248, 0.00628322]),
}


@pytest.mark.parametrize("name", DECAYS)
def test_decays(name):
    decay, expected = DECAYS[name]
    step = tf.Variable(0)
    rate = decay(step)
    recorded = tf.function(lambda: decay(step))
    for at, value in zip((0, 3, 7), expected):
        step.assign(at)
        np.testing.assert_allclose(rate(), value, rtol=5e-6)
        np.testing.assert_allclose(recorded(), value, rtol=5e-6)
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        step = tf.compat.v1.placeholder(tf.int64, [])
        rates = [session.run(decay(step), {step: at}) for at in (0, 3, 7)]
    np.testing.assert_allclose(rates, expected, rtol=5e-6)


def test_wrong_decays():
    with pytest.raises(ValueError, match="required"):
        T.polynomial_decay(0.1, None, 10)
    with pytest.raises(ValueError, match="1 less"):
        T.piecewise_constant(tf.constant(1), [1], [1.0])()
    with pytest.raises(ValueError, match="same dtype as x"):
        T.piecewise_constant(tf.constant(3.0), [1, 2], [1, 2, 3])()


def test_old_functions():
    assert c.to_float([1, 2]).dtype == tf.float32 and c.to_int64([1.5]).numpy().tolist() == [1]
    assert c.div([1, 2], [2, -4]).numpy().tolist() == [0, -1] and float(c.div(7.0, 2.0)) == 3.5
    np.testing.assert_allclose(c.clip_by_average_norm([3.0, 4.0], 1.0), [1.2, 1.6], rtol=1e-6)
    assert c.nn.xw_plus_b([[1.0, 2.0]], [[1.0], [2.0]], [3.0]).numpy().tolist() == [[8.0]]
    assert c.nn.relu_layer([[1.0, 2.0]], [[1.0], [-2.0]], [1.0]).numpy().tolist() == [[0.0]]
    assert c.sparse_to_dense([1, 3], [5], [7, 8], -1).numpy().tolist() == [-1, 7, -1, 8, -1]
    assert c.sparse_to_dense(2, [4], 1.0).numpy().tolist() == [0.0, 0.0, 1.0, 0.0]
    assert c.sparse_to_dense([[0, 1]], [1, 2], ["a"], "z").numpy().tolist() == [[b"z", b"a"]]
    with pytest.raises(tf.errors.InvalidArgumentError, match="out of order"):
        c.sparse_to_dense([3, 1], [5], [7, 8])
    assert c.multinomial([[1.0, 2.0]], 3, seed=1).shape == [1, 3]


def test_python_functions():
    result = c.py_func(lambda x: (x + 1, x), [np.float32(3.0)], [tf.float32, tf.float32])
    assert [float(x) for x in result] == [4.0, 3.0]
    inside = tf.function(lambda x: c.py_func(lambda y: y * 2, [x], tf.float32))
    assert float(inside(tf.constant(2.0))) == 4.0


def test_old_arguments():
    x = tf.constant([[1.0, 2.0], [3.0, 4.0]])
    assert c.reduce_sum(x, reduction_indices=[1], keep_dims=True).shape == [2, 1]
    assert c.arg_max(x, 1).numpy().tolist() == [1, 1]
    assert c.batch_gather([[1, 2], [3, 4]], [[1], [0]]).numpy().tolist() == [[2], [3]]
    assert float(c.nn.softmax_cross_entropy_with_logits_v2([0.5, 0.5], [1.0, 1.0])) == pytest.approx(0.6931472)
    joined = c.sparse_concat(0, [tf.sparse.from_dense([1, 0]), tf.sparse.from_dense([0, 2])])
    assert joined.indices.numpy().tolist() == [[0], [3]]
    assert c.sparse_reduce_sum(tf.sparse.from_dense(x), 1, keep_dims=True).numpy().tolist() == [[3.0], [7.0]]
    assert [part.shape for part in c.sparse_split(sp_input=tf.sparse.from_dense(x), num_split=2, axis=0)] == [
        [1, 2]
    ] * 2
    assert (
        c.spectral.fft is tf.signal.fft and c.manip.roll is tf.roll and c.saved_model.tag_constants.SERVING == "serve"
    )


def test_files(tmp_path):
    path = str(tmp_path / "a")
    with c.gfile.Open(path, "w") as file:
        file.write("text")
    c.gfile.Copy(path, path + "b", overwrite=True)
    assert c.gfile.Exists(path + "b") and sorted(c.gfile.ListDirectory(str(tmp_path))) == ["a", "ab"]
    assert not c.gfile.IsDirectory(path)
    c.gfile.DeleteRecursively(str(tmp_path))
    assert not c.gfile.Exists(path)


def test_settings_of_sessions():
    config = c.ConfigProto(allow_soft_placement=True)
    config.gpu_options.allow_growth = True
    config.graph_options.optimizer_options.global_jit_level = c.OptimizerOptions.ON_1
    assert str(config) == (
        "gpu_options {\n  allow_growth: true\n}\nallow_soft_placement: true\n"
        "graph_options {\n  optimizer_options {\n    global_jit_level: 1\n  }\n}\n"
    )
    assert c.ConfigProto(gpu_options=c.GPUOptions(per_process_gpu_memory_fraction=0.5)).gpu_options == c.GPUOptions(
        per_process_gpu_memory_fraction=0.5
    )
    with pytest.raises(ValueError, match="allow_growth"):
        c.ConfigProto(allow_growth=True)
    with pytest.raises(AttributeError):
        config.nothing = 1


def test_what_sessions_did():
    with pytest.raises(NotImplementedError, match=r"tf\.compat\.v1\.train\.export_meta_graph is missing.*saved_model"):
        c.train.export_meta_graph()
    assert float(c.placeholder_with_default(3.0, [])) == 3.0


def test_datasets():
    dataset = tf.data.Dataset.from_tensor_slices({"a": [1, 2], "b": [[1.0], [2.0]]}).batch(2)
    assert c.data.get_output_shapes(dataset) == {"a": tf.TensorShape([None]), "b": tf.TensorShape([None, 1])}
    assert c.data.get_output_types(iter(dataset)) == {"a": tf.int32, "b": tf.float32}
    assert c.data.get_output_classes(dataset) == {"a": tf.Tensor, "b": tf.Tensor}
    assert c.data.make_one_shot_iterator(dataset).get_next()["a"].numpy().tolist() == [1, 2]
    with pytest.raises(RuntimeError, match="eager mode"):
        c.data.make_initializable_iterator(dataset)


def test_moving_averages():
    v, count = tf.Variable([1.0, 2.0], name="v"), tf.Variable(0)
    plain, counted = (
        T.ExponentialMovingAverage(0.9),
        tf.train.ExponentialMovingAverage(0.9, num_updates=count, name="c"),
    )
    for average in (plain, counted):
        average.apply([v])
    v.assign([3.0, 4.0])
    count.assign(3)
    for average in (plain, counted):
        tf.function(lambda average=average: average.apply([v]))()
    np.testing.assert_allclose(plain.average(v), [1.2, 2.2], rtol=1e-6)
    np.testing.assert_allclose(counted.average(v), [2.3846154, 3.3846154], rtol=1e-6)
    assert plain.average_name(v) == "v/ExponentialMovingAverage" and plain.average(count) is None
    assert list(plain.variables_to_restore([v])) == ["v/ExponentialMovingAverage"]
    with pytest.raises(TypeError, match="non-Variable"):
        plain.apply([tf.ones([1])])


def test_messages_of_tensors():
    for values in ([[1, 2], [3, 4]], ["a", b"b"], [True, False], [1 + 2j], 3.0):
        array = tf.make_ndarray(tf.make_tensor_proto(values))
        np.testing.assert_array_equal(array, np.asarray(tf.constant(values)))
    assert tf.make_ndarray(tf.make_tensor_proto(3, shape=[2, 2])).tolist() == [[3, 3], [3, 3]]
    assert tf.make_tensor_proto([1, 2]).SerializeToString() == (
        b'\x08\x03\x12\x04\x12\x02\x08\x02"\x08\x01\x00\x00\x00\x02\x00\x00\x00'
    )
    with pytest.raises(TypeError, match="TensorProto"):
        tf.make_ndarray(3)


def test_flags():
    values = c.flags.FlagValues()
    c.flags.DEFINE_integer("n", 3, "a number", flag_values=values)
    values(["program", "--n=5"])
    assert values.n == 5 and c.app.flags is c.flags


def test_operations_at_once_inside_a_function():
    @tf.function
    def f(x):
        assert isinstance(x, tf.__internal__.SymbolicTensor)
        with tf.__internal__.eager_context.eager_mode():
            assert tf.executing_eagerly()
        return x

    assert float(f(tf.constant(1.0))) == 1.0


def test_old_sizes_of_images():
    image = tf.reshape(tf.range(4.0), [1, 2, 2, 1])

    def rows(images):
        return images.numpy()[0, :, :, 0]

    thirds = [[0.0, 0.6666667, 1.0], [1.3333334, 2.0, 2.3333335], [2.0, 2.6666667, 3.0]]
    np.testing.assert_allclose(rows(c.image.resize_images(image, [3, 3])), thirds, rtol=1e-6)
    corners = rows(c.image.resize_bilinear(image, [3, 3], align_corners=True))
    np.testing.assert_allclose(corners, [[0.0, 0.5, 1.0], [1.0, 1.5, 2.0], [2.0, 2.5, 3.0]], rtol=1e-6)
    nearest = c.image.resize_images(tf.cast(image, tf.uint8), [3, 3], c.image.ResizeMethod.NEAREST_NEIGHBOR)
    assert nearest.dtype == tf.uint8 and rows(nearest).tolist() == [[0, 0, 1], [0, 0, 1], [2, 2, 3]]
    assert c.image.resize(image[0], [4, 4]).shape == [4, 4, 1]
    assert c.image.resize(image, [4, 8], preserve_aspect_ratio=True).shape == [1, 4, 4, 1]
    np.testing.assert_allclose(rows(tf.function(lambda x: c.image.resize(x, [3, 3]))(image)), thirds, rtol=1e-6)
    with tf.GradientTape() as tape:
        tape.watch(image)
        total = tf.reduce_sum(c.image.resize_bilinear(image, [3, 3]))
    np.testing.assert_allclose(tf.reduce_sum(tape.gradient(total, image)), 9.0, rtol=1e-6)
    with pytest.raises(tf.errors.InvalidArgumentError, match="align_corners must be False"):
        c.image.resize_bilinear(image, [3, 3], True, half_pixel_centers=True)
    halves = [[0.0, 0.5, 1.0], [1.0, 1.5, 2.0], [2.0, 2.5, 3.0]]
    np.testing.assert_allclose(
        rows(c.image.resize(image, [3, 3], c.image.ResizeMethod.AREA)), halves, rtol=1e-6, atol=1e-6
    )
    with pytest.raises(ValueError, match="method"):
        c.image.resize(image, [3, 3], 9)


def test_differences_of_vectors():
    found = c.setdiff1d([1, 2, 3], [2])
    assert found.out.numpy().tolist() == [1, 3] and found.idx.numpy().tolist() == [0, 2]
    assert c.setdiff1d(["a", "b"], ["b"]).out.numpy().tolist() == [b"a"]
    assert tf.function(lambda x: c.setdiff1d(x, [2]).out)(tf.constant([1, 2, 3])).numpy().tolist() == [1, 3]


def test_sparse_values_at_ids():
    merged = c.sparse_merge(tf.sparse.from_dense([[3, 1]]), tf.sparse.from_dense([[1.0, 2.0]]), 5)
    assert merged.indices.numpy().tolist() == [[0, 1], [0, 3]] and merged.values.numpy().tolist() == [2.0, 1.0]
    assert merged.dense_shape.numpy().tolist() == [1, 5]
    both = c.sparse_merge([tf.sparse.from_dense([[3, 1]])] * 2, tf.sparse.from_dense([[1.0, 2.0]]), [5, 6])
    assert both.indices.numpy().tolist() == [[0, 1, 1], [0, 3, 3]]


def test_records_and_events(tmp_path):
    path = str(tmp_path / "records")
    with tf.io.TFRecordWriter(path, "GZIP") as writer:
        writer.write(b"abc")
    assert list(c.python_io.tf_record_iterator(path, c.io.TFRecordCompressionType.GZIP)) == [b"abc"]
    with tf.summary.create_file_writer(str(tmp_path / "events")).as_default():
        tf.summary.scalar("x", 1.5, step=3)
    [events] = (tmp_path / "events").iterdir()
    assert [event.step for event in c.train.summary_iterator(str(events))][-1] == 3


def test_codes_of_errors():
    for code, error in (
        (3, tf.errors.InvalidArgumentError),
        (5, tf.errors.NotFoundError),
        (16, tf.errors.UnauthenticatedError),
    ):
        assert c.errors.exception_type_from_error_code(code) is error
        assert c.errors.error_code_from_exception_type(error) == code
    with pytest.raises(KeyError):
        c.errors.exception_type_from_error_code(99)


def test_files_of_programs():
    assert c.resource_loader.get_path_to_datafile("a") == f"{c.resource_loader.get_data_files_path()}/a"
    assert c.test.get_temp_dir() == c.test.get_temp_dir()


@pytest.mark.parametrize(
    ("call", "error", "said"),
    [
        (lambda: tf.group(1, 2), TypeError, "'inputs' should be zero or more (nested) Tensors. Received 1 with type"),
        (
            lambda: tf.while_loop(lambda y: True, lambda y: tf.concat([y, y], 0), [tf.constant([1.0])]),
            ValueError,
            "less-specific shape",
        ),
        (
            lambda: tf.queue.FIFOQueue(9, tf.int32, shapes=[[], []]),
            ValueError,
            "Queue shapes must have the same length as dtypes, received len(shapes)=2, len(dtypes)=1",
        ),
    ],
)
def test_what_graphs_refuse(call, error, said):
    with tf.Graph().as_default(), pytest.raises(error) as caught:
        call()
    assert said in str(caught.value)


def test_cases_that_exclude_each_other_and_lengths_of_transforms():
    yes = tf.constant(True)
    with pytest.raises(
        tf.errors.InvalidArgumentError, match="exclusive=True: more than 1 conditions evaluated as True"
    ):
        tf.case([(yes, lambda: 1), (yes, lambda: 2)], exclusive=True)
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"fft_length\[0\] must >= 0, but got: -1"):
        tf.signal.rfft(tf.ones([2, 8]), [-1])
