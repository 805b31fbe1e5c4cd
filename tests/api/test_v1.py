"""`tf.compat.v1`: what every name has in common; what each answers is in `conformance/cases/v1_names.py`."""

import inspect

import numpy as np
import pytest

import tfgrad_jax as tf
from tfgrad_jax.api.late import Late, late_names
from tfgrad_jax.api.v1 import OfVersion1, names_of_v1
from tfgrad_jax.api.v1_arguments import OTHER_ARGUMENTS
from tfgrad_jax.api.v1_names import EARLIER_NAMES
from tfgrad_jax.engine.names.export import registry

TODAY = {**registry, **dict(late_names())}
NAMES = names_of_v1(TODAY)


@pytest.mark.parametrize("name", sorted(OTHER_ARGUMENTS))
def test_every_row_is_the_signature_of_a_function_of_today(name):
    made = NAMES[f"compat.v1.{name}"]
    assert isinstance(made, OfVersion1)
    assert made.__name__ == name.rpartition(".")[2]
    today = TODAY[EARLIER_NAMES.get(name, name)]
    assert inspect.signature(made) != inspect.signature(today.load() if isinstance(today, Late) else today)


def test_every_earlier_name_stands_for_something():
    assert all(f"compat.v1.{name}" in NAMES for name in EARLIER_NAMES)


def test_the_tree_has_them():
    assert tf.compat.v1.nn.softmax is not tf.nn.softmax
    assert tf.compat.v1.math.add is tf.math.add
    assert tf.compat.v1.where is not tf.where


def test_what_cannot_be_said_with_todays_function_says_so():
    with pytest.raises(AttributeError, match=r"tf\.compat\.v1\.train\.replica_device_setter.*MirroredStrategy"):
        tf.compat.v1.train.replica_device_setter
    with pytest.raises(NotImplementedError, match="is_chief"):
        tf.compat.v1.train.MonitoredTrainingSession(is_chief=False)
    with pytest.raises(tf.errors.InvalidArgumentError, match="wrong: 7"):
        tf.compat.v1.assert_equal([1], [2], data=["wrong:", 7])


def test_errors_name_the_function_and_its_arguments():
    with pytest.raises(TypeError, match=r"tf\.compat\.v1\.reduce_sum.*'axes'.*reduction_indices"):
        tf.compat.v1.reduce_sum([1.0], axes=0)
    with pytest.raises(ValueError, match="'axis' and 'dim'"):
        tf.compat.v1.expand_dims([1.0], axis=0, dim=0)
    with pytest.raises(TypeError, match="shape"):
        tf.compat.v1.constant([1.0, 2.0], shape=[3], verify_shape=True)


TABLE = np.arange(10, dtype=np.float32).reshape(5, 2)
TURNS = [TABLE[0::3], TABLE[1::3], TABLE[2::3]]
"""The rows of the table dealt out to three tensors: partition_strategy="mod"."""


@pytest.mark.parametrize("parts", [TURNS, [tf.Variable(part) for part in TURNS]])
def test_rows_of_tables_may_take_turns(parts):
    nn = tf.compat.v1.nn
    assert nn.embedding_lookup(parts, [4, 0, 3]).numpy().tolist() == TABLE[[4, 0, 3]].tolist()
    assert tf.function(lambda: nn.embedding_lookup(parts, [[1, 2]]))().numpy().tolist() == [TABLE[[1, 2]].tolist()]
    ids = tf.SparseTensor([[0, 0], [0, 1], [1, 0]], tf.constant([4, 1, 2], tf.int64), [2, 2])
    assert nn.embedding_lookup_sparse(parts, ids, None, combiner="sum").numpy().tolist() == [[10, 12], [4, 5]]
    found = nn.safe_embedding_lookup_sparse(parts, ids, partition_strategy="mod", combiner="sum")
    assert found.numpy().tolist() == [[10, 12], [4, 5]]
    with pytest.raises(tf.errors.InvalidArgumentError):
        nn.embedding_lookup(parts, [5])


def test_rows_of_tables_that_follow_each_other():
    parts = [TABLE[:2], TABLE[2:]]
    assert tf.compat.v1.nn.embedding_lookup(parts, [4, 0], "div").numpy().tolist() == TABLE[[4, 0]].tolist()
    assert tf.compat.v1.nn.embedding_lookup(parts[:1], [1], "other").numpy().tolist() == [[2, 3]]
    with pytest.raises(ValueError, match="Unrecognized partition strategy: other"):
        tf.compat.v1.nn.embedding_lookup(parts, [0], "other")
    with pytest.raises(ValueError, match=r"take turns.*\[2, 3\]"):
        tf.compat.v1.nn.embedding_lookup(parts, [0])


def test_rows_that_take_turns_have_gradients():
    parts = [tf.Variable(part) for part in TURNS]
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(tf.compat.v1.nn.embedding_lookup(parts, [3, 3, 1]))
    found = [tf.convert_to_tensor(g).numpy().tolist() for g in tape.gradient(loss, parts)]
    assert found == [[[0, 0], [2, 2]], [[1, 1], [0, 0]], [[0, 0]]]


@pytest.mark.parametrize("strategy, deal", [("mod", lambda x: [x[0::2], x[1::2]]), ("div", lambda x: [x[:3], x[3:]])])
def test_losses_of_drawn_classes_take_tables_in_parts(strategy, deal):
    nn, shifts = tf.compat.v1.nn, np.arange(5, dtype=np.float32)
    drawn = tf.constant([1, 4], tf.int64), tf.constant([[0.3], [0.2]]), tf.constant([0.3, 0.1])
    for loss in (nn.nce_loss, nn.sampled_softmax_loss):
        rest = [[2], [3]], np.ones([2, 2], np.float32), 2, 5, 1, drawn
        whole = loss(TABLE, shifts, *rest)
        assert np.allclose(loss(deal(TABLE), deal(shifts), *rest, partition_strategy=strategy), whole)


def test_the_old_names_of_arguments():
    v1, image = tf.compat.v1, np.arange(16, dtype=np.float32).reshape(1, 4, 4, 1)
    window = np.zeros([2, 2, 1], np.float32)
    assert v1.nn.dilation2d(image, window, [1, 2, 2, 1], [1, 1, 1, 1], "VALID")[0, :, :, 0].numpy().tolist() == [
        [5, 7],
        [13, 15],
    ]
    found = v1.nn.erosion2d(value=image, kernel=window, strides=[1, 2, 2, 1], rates=[1, 1, 1, 1], padding="VALID")
    assert found[0, :, :, 0].numpy().tolist() == [[0, 2], [8, 10]]
    assert v1.image.crop_and_resize(image, [[0, 0, 0, 0]], box_ind=[0], crop_size=[1, 1]).numpy().tolist() == [[[[0]]]]
    patches = v1.extract_image_patches(image, [1, 2, 2, 1], [1, 2, 2, 1], [1, 1, 1, 1], "VALID")
    assert patches[0, 0].numpy().tolist() == [[0, 1, 4, 5], [2, 3, 6, 7]]
    sparse = tf.sparse.from_dense([[1.0, 2.0], [0.0, 3.0]])
    assert v1.sparse.add(sparse, sparse, thresh=3).values.numpy().tolist() == [4, 6]
    assert v1.sparse.concat(concat_dim=0, axis=None, sp_inputs=[sparse, sparse]).shape == [4, 2]
    assert v1.sparse_reduce_max_sparse(sparse, 1).values.numpy().tolist() == [2, 3]
    assert v1.serialize_sparse(sparse, None, tf.string).shape == [3]


def test_summaries_go_to_todays_writer(tmp_path):
    summary = tf.compat.v1.summary
    with tf.summary.create_file_writer(str(tmp_path)).as_default(step=3) as writer, tf.name_scope("outer"):
        assert summary.scalar("a b", 1.0, family="kin").numpy() == b""
        summary.histogram("h", values=[1.0, 2.0])
        summary.image("i", tensor=tf.zeros([1, 2, 2, 3]))
        summary.audio("s", tf.zeros([1, 8]), 100)
        summary.text("t", tensor=tf.constant("x"))
        writer.flush()
    events = tf.compat.v1.train.summary_iterator(str(next(tmp_path.iterdir())))
    found = [(e.step, v.tag, v.metadata.plugin_data.plugin_name) for e in events for v in e.summary.value]
    assert found == [
        (3, "kin/outer/kin/a_b", "scalars"),
        (3, "outer/h", "histograms"),
        (3, "outer/i", "images"),
        (3, "outer/s", "audio"),
        (3, "outer/t", "text"),
    ]
    with pytest.warns(UserWarning, match="default summary writer not found"):
        summary.scalar("a", 1.0)
    with pytest.raises(ValueError, match="dtype string"):
        summary.text("t", tf.constant(1))
