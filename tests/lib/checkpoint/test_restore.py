"""Restoring objects that there are, and those that come later; what does not fit."""

from __future__ import annotations

import gc

import numpy as np
import pytest

import tfgrad_jax as tf

V = tf.Variable
DATA, INDEX = ".data-00000-of-00001", ".index"


def value(v):
    return v.numpy().tolist()


@pytest.fixture
def saved(tmp_path):
    return tf.train.Checkpoint(v=V([1.0, 2.0]), m=V(3, name="m")).save(tmp_path / "c")


def restored(path, **objects):
    return tf.train.Checkpoint(**objects).restore(path)


def test_values_and_the_counter(saved):
    v, m = V([0.0, 0.0]), V(0)
    checkpoint = tf.train.Checkpoint(v=v, m=m)
    assert checkpoint.restore(saved).assert_consumed().assert_existing_objects_matched().assert_nontrivial_match()
    assert (value(v), value(m), value(checkpoint.save_counter)) == ([1.0, 2.0], 3, 1)
    assert checkpoint.save(saved[:-2]) == saved[:-1] + "2"


def test_objects_that_come_later(tmp_path):
    class Net(tf.Module):
        def build(self):
            self.w, self.layers, self.table, self.pair = V([0.0]), [], {}, (V(0.0), 1)
            self.layers.append(tf.Module())
            self.layers[0].b = V(0.0)
            self.table["x"] = V(0.0)
            return self

    net = Net().build()
    for n, v in enumerate(net.variables):
        v.assign(tf.fill(v.shape, n + 1.0))
    path = tf.train.Checkpoint(net=net).save(tmp_path / "c")
    checkpoint = tf.train.Checkpoint()
    status = checkpoint.restore(path)
    with pytest.raises(AssertionError, match=r"Unresolved object in checkpoint \(root\).net.w"):
        status.assert_consumed()
    checkpoint.net = Net()
    again = checkpoint.net.build()
    status.assert_consumed()
    assert list(map(value, again.variables)) == list(map(value, net.variables))


def test_the_latest_of_two_checkpoints_counts_for_what_comes_later(tmp_path):
    first = tf.train.Checkpoint(v=V(1.0)).write(tmp_path / "a")
    second = tf.train.Checkpoint(v=V(2.0)).write(tmp_path / "b")
    checkpoint = tf.train.Checkpoint()
    checkpoint.read(first)
    checkpoint.read(second)
    checkpoint.v = V(0.0)
    assert value(checkpoint.v) == 2.0


def test_one_object_at_two_places(tmp_path):
    shared = V(5.0)
    path = tf.train.Checkpoint(a=shared, b=shared).write(tmp_path / "s")
    one = V(0.0)
    tf.train.Checkpoint(a=one, b=one).read(path).assert_consumed()
    assert value(one) == 5.0
    status = tf.train.Checkpoint(a=one, b=V(0.0)).read(path)
    with pytest.raises(AssertionError, match="Found 1 Python objects that were not bound"):
        status.assert_existing_objects_matched()


def test_a_module_as_root(tmp_path):
    root = tf.Module()
    root.v, step = V(4.0), V(7)
    path = tf.train.Checkpoint(root, step=step).save(tmp_path / "r")
    assert [name for name, _ in tf.train.list_variables(path)] == [
        "_CHECKPOINTABLE_OBJECT_GRAPH",
        "save_counter/.ATTRIBUTES/VARIABLE_VALUE",
        "step/.ATTRIBUTES/VARIABLE_VALUE",
        "v/.ATTRIBUTES/VARIABLE_VALUE",
    ]
    root.v.assign(0.0)
    checkpoint = tf.train.Checkpoint(root=root, step=step)
    checkpoint.restore(path).assert_consumed()
    assert value(root.v) == 4.0 and value(checkpoint.save_counter) == 1
    with pytest.raises(ValueError, match=r"root\.v already exists"):
        tf.train.Checkpoint(root, v=V(1.0))
    path = tf.train.Checkpoint(V(6.0)).write(tmp_path / "v")
    assert tf.train.list_variables(path)[0][0] == "/.ATTRIBUTES/VARIABLE_VALUE"
    tf.train.Checkpoint(root.v).read(path)
    assert value(root.v) == 6.0


def test_what_is_no_part():
    for wrong in (1, None, "a"):
        with pytest.raises(ValueError, match=r"`Checkpoint` was expecting a to be a trackable object"):
            tf.train.Checkpoint(a=wrong)
    m = tf.Module()
    m.l = [V(1.0)]
    m.l.insert(0, V(2.0))
    with pytest.raises(ValueError, match="Unable to save the object"):
        tf.train.Checkpoint(m=m).write("never")


def test_statuses(saved):
    v = V([0.0, 0.0])
    with pytest.raises(
        AssertionError, match=r'Unresolved object in checkpoint \(root\).m: attributes {\n  name: "VARIABLE_VALUE"'
    ):
        restored(saved, v=v).assert_consumed()
    with pytest.raises(AssertionError, match="Showing 1 of 1 unmatched objects"):
        restored(saved, v=v, z=V(1.0)).assert_existing_objects_matched()
    restored(saved, v=v, z=tf.Module()).assert_existing_objects_matched()
    assert restored(saved).expect_partial().run_restore_ops() is None
    status = restored(None, v=v)
    for check in (status.assert_consumed, status.assert_existing_objects_matched, status.assert_nontrivial_match):
        with pytest.raises(AssertionError, match="nothing is being restored"):
            check()
    assert status.initialize_or_restore() is None and status.expect_partial() is status
    other = tf.train.Checkpoint(w=V(1.0)).read(tf.train.Checkpoint(v=v).write(saved + "w"))
    with pytest.raises(AssertionError, match="Nothing except the root object matched"):
        other.assert_nontrivial_match()


@pytest.mark.parametrize("wrong", [[1.0], 1.0, [[1.0, 2.0]]])
def test_other_shapes(saved, wrong):
    m, v = V(0), V(wrong)
    with pytest.raises(ValueError, match=r"Received incompatible tensor with shape \(2,\)"):
        restored(saved, m=m, v=v)
    assert value(m) == 0 and value(v) == wrong


def test_other_dtypes(saved):
    m, v = V(0), V([0, 0])
    with pytest.raises(
        tf.errors.InvalidArgumentError, match="expected dtype int32 does not equal original dtype float"
    ):
        restored(saved, m=m, v=v)
    assert value(m) == 0


def _flip(at):
    def damage(data):
        data[at] ^= 255
        return data

    return damage


def _cut(n):
    return lambda data: data[:n]


DAMAGE = {
    "magic": (INDEX, _flip(-1), "bad magic number"),
    "block": (INDEX, _flip(5), "checksum mismatch"),
    "short": (INDEX, _cut(100), "bad magic number"),
    "empty": (INDEX, _cut(0), "too short"),
    "foreign": (INDEX, lambda data: b"hello world" * 30, "bad magic number"),
    "a value": (DATA, _flip(13), "Checksum does not match"),
    "the graph": (DATA, _flip(60), "Checksum does not match"),
    "data cut": (DATA, _cut(6), "Read less bytes than requested"),
    "no data": (DATA, _cut(0), "Read less bytes than requested"),
}


@pytest.mark.parametrize("case", DAMAGE)
def test_damaged_files_change_nothing(saved, case):
    end, damage, message = DAMAGE[case]
    with open(saved + end, "rb+") as file:
        data = bytes(damage(bytearray(file.read())))
        file.seek(0)
        file.truncate()
        file.write(data)
    m, v = V(0), V([0.0, 0.0])
    checkpoint = tf.train.Checkpoint(m=m, v=v)
    with pytest.raises(tf.errors.DataLossError, match=message):
        checkpoint.restore(saved)
    assert value(m) == 0 and value(v) == [0.0, 0.0] and value(checkpoint.save_counter) == 0
    checkpoint.later = V(1.0)


def test_every_byte_of_a_checkpoint_counts(saved):
    """Whichever byte is damaged: an error of TensorFlow's, or the right values; never other ones."""
    for end in (INDEX, DATA):
        with open(saved + end, "rb") as file:
            whole = file.read()
        for at in range(0, len(whole), 3):
            with open(saved + end, "wb") as file:
                file.write(_flip(at)(bytearray(whole)))
            m, v = V(0), V([0.0, 0.0])
            try:
                restored(saved, m=m, v=v)
            except tf.errors.OpError:
                assert value(m) == 0 and value(v) == [0.0, 0.0]
            else:
                assert value(m) == 3 and value(v) == [1.0, 2.0]
        with open(saved + end, "wb") as file:
            file.write(whole)


def test_missing_files(saved, tmp_path):
    with pytest.raises(tf.errors.NotFoundError, match="You may be missing the checkpoint suffix"):
        restored(str(tmp_path / "nothing"))
    with pytest.raises(tf.errors.NotFoundError, match="Failed to find any matching files"):
        tf.train.load_checkpoint(tmp_path / "nothing")
    with pytest.raises(ValueError, match="Couldn't find 'checkpoint' file"):
        (tmp_path / "empty").mkdir()
        tf.train.load_checkpoint(tmp_path / "empty")
    with pytest.raises(tf.errors.DataLossError, match="Is a directory"):
        restored(str(tmp_path))
    with pytest.raises(tf.errors.NotFoundError, match="No such file"):
        (tmp_path / f"c-1{DATA}").unlink()
        restored(saved, v=V([0.0, 0.0]))


def test_looking_into_a_checkpoint(saved, tmp_path):
    reader = tf.train.load_checkpoint(tmp_path)
    assert reader.get_variable_to_shape_map()["v/.ATTRIBUTES/VARIABLE_VALUE"] == [2]
    assert reader.get_variable_to_dtype_map()["m/.ATTRIBUTES/VARIABLE_VALUE"] is tf.int32
    assert reader.has_tensor("m/.ATTRIBUTES/VARIABLE_VALUE") and not reader.has_tensor("m")
    assert b"v/.ATTRIBUTES/VARIABLE_VALUE (DT_FLOAT) [2]\n" in reader.debug_string()
    assert tf.train.load_variable(saved, "m/.ATTRIBUTES/VARIABLE_VALUE") == 3
    with pytest.raises(tf.errors.NotFoundError, match="Key zz not found in checkpoint"):
        reader.get_tensor("zz")


def test_other_objects(tmp_path):
    class State(tf.train.experimental.PythonState):
        text = b"first"

        def serialize(self):
            return self.text

        def deserialize(self, string_value):
            self.text = string_value

    class Own(tf.__internal__.tracking.AutoTrackable):
        def _serialize_to_tensors(self):
            return {"a": tf.constant(1.0), "b": tf.constant([2])}

        def _restore_from_tensors(self, restored_tensors):
            self.got = {name: tensor.numpy().tolist() for name, tensor in restored_tensors.items()}

    table = tf.lookup.experimental.MutableHashTable(tf.string, tf.int64, -1)
    dense = tf.lookup.experimental.DenseHashTable(tf.int64, tf.int64, 0, -1, -2)
    table.insert(["a", "b"], [1, 2])
    dense.insert([5, 6], [7, 8])
    objects = {"p": State(), "o": Own(), "t": table, "d": dense, "g": tf.random.Generator.from_seed(3)}
    checkpoint = tf.train.Checkpoint(**objects, f=tf.function(lambda: 1), s=tf.data.Dataset.range(2))
    path = checkpoint.save(tmp_path / "c")
    expected = objects["g"].normal([3]).numpy()
    objects["p"].text = b"second"
    table.insert(["c"], [3])
    dense.remove([5])
    checkpoint.restore(path).assert_consumed()
    assert objects["p"].text == b"first" and objects["o"].got == {"a": 1.0, "b": [2]}
    assert [x.numpy().tolist() for x in table.export()] == [[b"a", b"b"], [1, 2]]
    assert value(dense.lookup([5, 6])) == [7, 8]
    assert (objects["g"].normal([3]).numpy() == expected).all()


def test_views():
    m = tf.Module()
    m.l = [V(1.0)]
    view = tf.train.TrackableView(m)
    assert list(view.children(m)) == ["l"] and view.descendants()[-1] is m.l[0] and view.root is m


def test_views_of_files(tmp_path):
    def made(*names):
        m = tf.Module()
        m.a, m.l, m.part = V(1.0), [V(2.0)], tf.Module()
        for name in names:
            setattr(m.part, name, V(3.0))
        return m

    saved, other = made("x"), made("x", "y")
    view = tf.train.CheckpointView(tf.train.Checkpoint(saved).save(tmp_path / "c"))
    assert view.children(0) == {"a": 1, "l": 2, "part": 3, "root": 0, "save_counter": 4}
    assert view.descendants() == [0, 1, 2, 3, 4, 5, 6] and view.children(3) == {"x": 6}
    both, there, here = view.diff(other)
    assert both == view.match(other) and list(both) == [0, 1, 2, 3, 5, 6] and both[6] is other.part.x
    assert there == [4] and len(here) == 1 and here[0] is other.part.y
    with pytest.raises(ValueError, match="Expected a Trackable"):
        view.match(3)
    with pytest.raises(tf.errors.NotFoundError):
        tf.train.CheckpointView(tmp_path / "none")


def test_options_and_callbacks(tmp_path):
    seen = []
    options = tf.train.CheckpointOptions(
        experimental_io_device="/cpu:0",
        enable_async=True,
        experimental_write_callbacks=[lambda: seen.append("none"), lambda path: seen.append(path)],
    )
    checkpoint = tf.train.Checkpoint(v=V(1.0))
    path = checkpoint.save(tmp_path / "c", options)
    checkpoint.sync()
    assert seen == ["none", path]
    with pytest.raises(NotImplementedError, match="experimental_sharding_callback"):
        tf.train.CheckpointOptions(experimental_sharding_callback=1)


def test_not_inside_functions(tmp_path):
    checkpoint = tf.train.Checkpoint(v=V(1.0))
    with pytest.raises(NotImplementedError, match=r"tf\.train\.Checkpoint\.write inside a tf\.function"):
        tf.function(lambda: checkpoint.write(str(tmp_path / "w")))()


def test_restored_variables_are_used_by_functions(tmp_path):
    v = V(np.ones(1000, np.float32))
    checkpoint = tf.train.Checkpoint(v=v)
    path = checkpoint.write(tmp_path / "w")
    total = tf.function(lambda: tf.reduce_sum(v))
    v.assign(v * 2.0)
    assert value(total()) == 2000.0
    checkpoint.read(path)
    assert value(total()) == 1000.0
    v.assign_add(tf.ones(1000))
    assert value(total()) == 2000.0
    tf.train.Checkpoint(v=v).read(path)
    assert value(v)[:2] == [1.0, 1.0]


def test_what_nobody_asked_for_is_told_at_the_end(saved, caplog):
    def told(work):
        caplog.clear()
        work()
        gc.collect()
        return [record.getMessage() for record in caplog.records]

    v = V([0.0, 0.0])
    messages = told(lambda: restored(saved, v=v).assert_existing_objects_matched() and None)
    assert messages[1:] == ["Value in checkpoint could not be found in the restored object: (root).m"]
    assert "expect_partial" in messages[0]
    assert told(lambda: restored(saved, v=v).expect_partial() and None) == []
    assert told(lambda: restored(saved, v=v, m=V(0)) and None) == []
    checkpoint = tf.train.Checkpoint(v=v)

    def later():
        checkpoint.restore(saved)
        checkpoint.m = V(0)

    assert told(later) == []


def test_functions_that_make_variables_start_with_restored_ones(tmp_path):
    path = tf.train.Checkpoint(m=tf.train.Checkpoint(w=V([6.0]))).save(tmp_path / "c")

    class Made(tf.Module):
        w = None

        def __call__(self):
            if self.w is None:
                self.w = V([1.0])
            return self.w + 1.0

    m = Made()
    tf.train.Checkpoint(m=m).restore(path)
    total = tf.function(m.__call__)
    assert value(total()) == [7.0] and value(total()) == [7.0] and value(m.w) == [6.0]


def test_optimizers_may_know_nothing_of_other_variables(tmp_path):
    class Optimizer(tf.Module):  # asked for slots as those of Keras 2 are
        def __init__(self, variable):
            super().__init__()
            self.known = {str(id(variable)): tf.Variable(7.0)}

        def get_slot_names(self):
            return ["m"]

        def get_slot(self, variable, name):
            return self.known[str(id(variable))]

    one, other = tf.Variable(1.0), tf.Variable(2.0)
    checkpoint = tf.train.Checkpoint(one=one, other=other, optimizer=Optimizer(one))
    names = [name for name, _ in tf.train.list_variables(checkpoint.write(str(tmp_path / "c")))]
    assert [name for name in names if "SLOT" in name] == ["one/.OPTIMIZER_SLOT/optimizer/m/.ATTRIBUTES/VARIABLE_VALUE"]
