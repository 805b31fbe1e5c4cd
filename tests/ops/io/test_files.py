"""Files in eager code and in functions."""

import pytest

import tfgrad_jax as tf


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "a.txt").write_bytes(b"hello\nworld")
    (tmp_path / "b.txt").write_bytes(b"b")
    (tmp_path / "d").mkdir()
    return str(tmp_path)


def test_what_is_written_is_read(folder):
    tf.io.write_file(folder + "/new/deep/x", b"\x00\xff")
    read = tf.io.read_file(folder + "/new/deep/x")
    assert (read.dtype, read.shape, read.numpy()) == (tf.string, [], b"\x00\xff")
    assert tf.io.read_file("file://" + folder + "/b.txt").numpy() == b"b"


def test_in_a_function_each_call_reads_and_writes(folder):
    @tf.function
    def f(path):
        tf.io.write_file(path + "2", tf.strings.join([tf.io.read_file(path), "!"]))
        return tf.io.read_file(path + "2")

    assert f(folder + "/b.txt").numpy() == b"b!"
    tf.io.write_file(folder + "/b.txt", "c")
    assert f(folder + "/b.txt").numpy() == b"c!"


@pytest.mark.parametrize("in_function", [False, True])
@pytest.mark.parametrize(
    ("name", "error"),
    [("/d", tf.errors.FailedPreconditionError), ("/no", tf.errors.NotFoundError), ("/no/x", tf.errors.NotFoundError)],
)
def test_what_cannot_be_read(folder, name, error, in_function):
    with pytest.raises(error, match=name):
        (tf.function(tf.io.read_file) if in_function else tf.io.read_file)(tf.constant(folder + name))


def test_paths_are_scalars(folder):
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"filename tensor must be scalar, but had shape: \[1\]"):
        tf.io.read_file([folder])
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"patterns tensor must be scalar or vector.*\[1,1\]"):
        tf.io.matching_files([[folder]])


@pytest.mark.parametrize(
    ("patterns", "found"),
    [
        ("/*.txt", ["/a.txt", "/b.txt"]),
        (["/b*", "/[^b]*"], ["/a.txt", "/b.txt", "/d"]),
        (["/*.txt", "/a*"], ["/a.txt", "/a.txt", "/b.txt"]),
        ("/a.txt", ["/a.txt"]),
        ("/d*/", ["/d"]),
        ("/?.{txt,c}", []),
        ("/none/*", []),
    ],
)
def test_patterns(folder, patterns, found):
    full = [folder + p for p in patterns] if isinstance(patterns, list) else folder + patterns
    for matching in (tf.io.matching_files, tf.function(tf.io.matching_files)):
        assert matching(tf.constant(full)).numpy().tolist() == [(folder + p).encode() for p in found]


def test_patterns_below_here(folder, monkeypatch):
    monkeypatch.chdir(folder)
    assert tf.io.matching_files("*.txt").numpy().tolist() == [b"./a.txt", b"./b.txt"]
