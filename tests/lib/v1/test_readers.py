"""Readers of version 1, which give what TensorFlow's give."""

from __future__ import annotations

import numpy as np
import pytest

import tfgrad_jax as tf

v1 = tf.compat.v1


@pytest.fixture
def files(tmp_path):
    for i in range(2):
        (tmp_path / f"{i}.txt").write_bytes(b"".join(b"l%d%d\n" % (i, j) for j in range(3)))
        (tmp_path / f"{i}.bin").write_bytes(b"HH" + b"".join(b"%d%dx" % (i, j) for j in range(3)) + b"F")
        with tf.io.TFRecordWriter(str(tmp_path / f"{i}.rec")) as writer:
            for j in range(2):
                writer.write(b"rec%d%d" % (i, j))
    return tmp_path


def read(files, make, ending, most=None):
    """What is read of both files, with how many records and files that were then; and the numbers at the end and after a reset."""
    found = []
    with tf.Graph().as_default(), v1.Session() as session:
        reader, queue = make(), tf.queue.FIFOQueue(10, [tf.string], shapes=[()])
        record = reader.read(queue) if most is None else reader.read_up_to(queue, most)
        numbers = reader.num_records_produced(), reader.num_work_units_completed()
        session.run(queue.enqueue_many([[str(files / f"{i}.{ending}") for i in range(2)]]))
        session.run(queue.close())
        with pytest.raises(tf.errors.OutOfRangeError, match="closed and has insufficient elements"):
            while True:
                key, value = [np.asarray(part).tolist() for part in session.run(record)]
                keys = [k.decode().removeprefix(f"{files}/") for k in np.atleast_1d(key)]
                found.append((keys if most else keys[0], value, *map(int, session.run(numbers))))
        at_end = tuple(map(int, session.run(numbers)))
        session.run(reader.reset())
        return found, at_end, tuple(map(int, session.run(numbers)))


def test_lines(files):
    found = read(files, v1.TextLineReader, "txt")
    assert found[0][:4] == [
        ("0.txt:1", b"l00", 1, 0),
        ("0.txt:2", b"l01", 2, 0),
        ("0.txt:3", b"l02", 3, 0),
        ("1.txt:1", b"l10", 4, 1),
    ]
    assert found[1:] == ((6, 2), (0, 0))
    found, *_ = read(files, lambda: v1.TextLineReader(skip_header_lines=2), "txt")
    assert found == [("0.txt:3", b"l02", 1, 0), ("1.txt:3", b"l12", 2, 1)]


def test_several_records_are_of_one_file(files):
    found, *_ = read(files, v1.TextLineReader, "txt", 2)
    assert found == [
        (["0.txt:1", "0.txt:2"], [b"l00", b"l01"], 2, 0),
        (["0.txt:3"], [b"l02"], 3, 1),
        (["1.txt:1", "1.txt:2"], [b"l10", b"l11"], 5, 1),
        (["1.txt:3"], [b"l12"], 6, 2),
    ]


def test_records(files):
    found, *_ = read(files, v1.TFRecordReader, "rec")
    assert found == [
        ("0.rec:0", b"rec00", 1, 0),
        ("0.rec:21", b"rec01", 2, 0),
        ("1.rec:0", b"rec10", 3, 1),
        ("1.rec:21", b"rec11", 4, 1),
    ]
    found, *_ = read(files, lambda: v1.FixedLengthRecordReader(3, 2, 1), "bin")
    assert found[:4] == [
        ("0.bin:0", b"00x", 1, 0),
        ("0.bin:1", b"01x", 2, 0),
        ("0.bin:2", b"02x", 3, 0),
        ("1.bin:0", b"10x", 4, 1),
    ]
    found, *_ = read(files, lambda: v1.FixedLengthRecordReader(3, 2, 1, 1), "bin")
    assert [value for _, value, *_ in found[:7]] == [b"00x", b"0x0", b"x01", b"01x", b"1x0", b"x02", b"02x"]


def test_whole_files_are_complete_at_once(files):
    found, *_ = read(files, v1.WholeFileReader, "txt")
    assert found == [("0.txt", b"l00\nl01\nl02\n", 1, 1), ("1.txt", b"l10\nl11\nl12\n", 2, 2)]
    found, *_ = read(files, v1.IdentityReader, "none")
    assert [value for _, value, *_ in found] == [str(files / f"{i}.none").encode() for i in range(2)]


def test_lines_in_batches(files):
    with tf.Graph().as_default(), v1.Session() as session:
        names = v1.train.string_input_producer([str(files / "0.txt")], num_epochs=1, shuffle=False)
        _, line = v1.TextLineReader().read(names)
        batch = v1.train.batch([line], 2, allow_smaller_final_batch=True)
        assert isinstance(batch, tf.Tensor)  # of a list of one there is no list
        session.run([v1.global_variables_initializer(), v1.local_variables_initializer()])
        coordinator = tf.train.Coordinator()
        threads = v1.train.start_queue_runners(session, coordinator)
        assert [session.run(batch).tolist() for _ in range(2)] == [[b"l00", b"l01"], [b"l02"]]
        coordinator.request_stop()
        coordinator.join(threads)


def test_what_is_refused(tmp_path):
    with pytest.raises(RuntimeError, match="Readers are not supported when eager execution is enabled"):
        v1.TextLineReader()
    with tf.Graph().as_default(), v1.Session() as session:
        queue = tf.queue.FIFOQueue(1, [tf.string], shapes=[()])
        reader = v1.TextLineReader()
        key, _ = reader.read(queue)
        session.run(queue.enqueue([str(tmp_path / "absent")]))
        with pytest.raises(tf.errors.NotFoundError, match="absent; No such file"):
            session.run(key)
        with pytest.raises(tf.errors.UnimplementedError, match="SerializeState"):
            reader.serialize_state()
        with pytest.raises(NotImplementedError, match="encoding 'GZIP'"):
            v1.FixedLengthRecordReader(3, encoding="GZIP")


def drained(results):
    found = []
    with v1.Session() as session:
        session.run(v1.local_variables_initializer())
        coordinator = v1.train.Coordinator()
        threads = v1.train.start_queue_runners(session, coordinator)
        with pytest.raises(tf.errors.OutOfRangeError):
            while True:
                found.append(nest_to_lists(session.run(results)))
        coordinator.request_stop()
        coordinator.join(threads)
    return found


def nest_to_lists(values):
    return tf.nest.map_structure(lambda value: getattr(value, "tolist", lambda: value)(), values)


def test_batches_of_what_is_kept():
    with tf.Graph().as_default():
        i = v1.train.range_input_producer(10, num_epochs=1, shuffle=False).dequeue()
        batch = v1.train.maybe_batch([i, [i, i]], tf.equal(i % 2, 0), 3, allow_smaller_final_batch=True)
        assert batch[0].name == "batch:0" and batch[1].shape.as_list() == [None, 2]
        assert drained(batch) == [[[0, 2, 4], [[0, 0], [2, 2], [4, 4]]], [[6, 8], [[6, 6], [8, 8]]]]
    with tf.Graph().as_default():
        i = v1.train.range_input_producer(10, num_epochs=1, shuffle=False).dequeue_many(5)
        assert drained(v1.train.maybe_batch({"a": i}, i % 3 > 0, 2, enqueue_many=True)) == [
            {"a": [1, 2]},
            {"a": [4, 5]},
            {"a": [7, 8]},
        ]
    with tf.Graph().as_default():
        i = v1.train.range_input_producer(6, num_epochs=1, shuffle=False).dequeue()
        padded = v1.train.maybe_batch([tf.range(i)], i > 1, 2, dynamic_pad=True, shapes=[[None]])
        assert drained(padded) == [[[0, 1, 0], [0, 1, 2]], [[0, 1, 2, 3, 0], [0, 1, 2, 3, 4]]]
    with tf.Graph().as_default():
        i = v1.train.range_input_producer(10, num_epochs=1, shuffle=False).dequeue()
        found = drained(v1.train.maybe_shuffle_batch([i], 2, 10, 0, i > 3))
        assert sorted(np.concatenate(found).tolist()) == [4, 5, 6, 7, 8, 9]
        both = (
            v1.train.maybe_batch_join([[i], [i + 100]], True, 2),
            v1.train.maybe_shuffle_batch_join([[i]], 2, 9, 0, i > 1),
        )
        assert [tensor.name for tensor in both] == ["batch_join:0", "shuffle_batch_join:0"]


def test_files_that_fit_a_pattern(files):
    with tf.Graph().as_default():
        names = tf.io.match_filenames_once(str(files / "*.txt"))
        assert names.name == "matching_filenames:0" and v1.local_variables() == [names] and not v1.global_variables()
        _, line = v1.TextLineReader().read(v1.train.string_input_producer(names, num_epochs=1, shuffle=False))
        assert drained(line) == [b"l%d%d" % (i, j) for i in range(2) for j in range(3)]
