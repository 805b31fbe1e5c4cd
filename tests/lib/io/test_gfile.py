"""`tf.io.gfile`: what TensorFlow does with files and directories."""

import pathlib
import zipfile

import pytest

import tfgrad_jax as tf

gfile = tf.io.gfile


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "a.txt").write_text("hé\nb\nc", encoding="utf-8")
    (tmp_path / "w" / "x" / "y").mkdir(parents=True)
    (tmp_path / "w" / "f1").touch()
    (tmp_path / "w" / "x" / "f2").touch()
    return str(tmp_path)


def test_reading(folder):
    with gfile.GFile(folder + "/a.txt") as file:
        assert (file.size(), file.read(3), file.tell(), file.readline(), file.read()) == (7, "hé", 3, "\n", "b\nc")
        file.seek(1)
        assert file.readlines() == ["é\n", "b\n", "c"]
        file.seek(0)
        assert list(file) == ["hé\n", "b\n", "c"]
        with pytest.raises(tf.errors.PermissionDeniedError, match="open for writing"):
            file.write("x")
    assert gfile.GFile(pathlib.Path(folder) / "a.txt", "rb").read(3) == b"h\xc3\xa9"


@pytest.mark.parametrize(
    ("mode", "found"), [("w", b"z\xc3\xa9y"), ("a", b"h\xc3\xa9\nb\ncz\xc3\xa9y"), ("r+", b"z\xc3\xa9y")]
)
def test_writing(folder, mode, found):
    with gfile.GFile(folder + "/a.txt", mode) as file:
        file.write("zé")
        file.write(b"y")
        file.flush()
    assert pathlib.Path(folder, "a.txt").read_bytes() == found


def test_nothing_is_opened_before_it_is_used(folder):
    file = gfile.GFile(folder + "/new")
    with gfile.GFile(folder + "/new", "w"):
        assert not gfile.exists(folder + "/new")
    with pytest.raises(tf.errors.NotFoundError, match="new; No such file"):
        file.read()
    with pytest.raises(tf.errors.PermissionDeniedError, match="open for reading"):
        gfile.GFile(folder + "/new", "w").read()
    with pytest.raises(tf.errors.InvalidArgumentError, match="mode is not"):
        gfile.GFile(folder, "x")


def test_directories(folder):
    assert gfile.listdir(folder) == ["a.txt", "w"]
    assert gfile.isdir(folder) and not gfile.isdir(folder + "/a.txt")
    gfile.mkdir(folder + "/w")
    gfile.makedirs(folder + "/p/q")
    assert gfile.isdir(folder + "/p/q")
    found = gfile.stat(folder + "/a.txt")
    assert (found.length, found.is_directory, type(found.mtime_nsec)) == (7, False, int)
    gfile.rmtree(folder + "/p")
    gfile.remove(folder + "/a.txt")
    assert gfile.listdir(folder) == ["w"]


def test_walking(folder):
    def seen(**options):
        return [
            (path.removeprefix(folder), below, files) for path, below, files in gfile.walk(folder + "/w", **options)
        ]

    top, middle, last = ("/w", ["x"], ["f1"]), ("/w/x", ["y"], ["f2"]), ("/w/x/y", [], [])
    assert seen() == [top, middle, last]
    assert seen(topdown=False) == [last, middle, top]
    errors = []
    assert list(gfile.walk(folder + "/no", onerror=errors.append)) == []
    assert type(errors[0]) is tf.errors.NotFoundError


def test_copying_and_renaming(folder):
    a, b = folder + "/a.txt", folder + "/b.txt"
    gfile.copy(a, b)
    with pytest.raises(tf.errors.AlreadyExistsError, match="already exists"):
        gfile.copy(a, b)
    with pytest.raises(tf.errors.AlreadyExistsError, match="already exists"):
        gfile.rename(a, b)
    gfile.copy(a, b, overwrite=True)
    gfile.rename(b, folder + "/c.txt")
    for patterns in ([folder + "/c*", folder + "/a*"], iter((folder + "/c*", folder + "/a*"))):
        assert gfile.glob(patterns) == [folder + "/c.txt", a]


@pytest.mark.parametrize(
    ("call", "error"),
    [
        (lambda d: gfile.listdir(d + "/a.txt"), tf.errors.NotFoundError),
        (lambda d: gfile.stat(d + "/no"), tf.errors.NotFoundError),
        (lambda d: gfile.remove(d + "/no"), tf.errors.NotFoundError),
        (lambda d: gfile.remove(d + "/w"), tf.errors.FailedPreconditionError),
        (lambda d: gfile.rmtree(d + "/no"), tf.errors.NotFoundError),
        (lambda d: gfile.mkdir(d + "/no/x"), tf.errors.NotFoundError),
        (lambda d: gfile.makedirs(d + "/a.txt/x"), tf.errors.FailedPreconditionError),
        (lambda d: gfile.copy(d + "/no", d + "/x"), tf.errors.NotFoundError),
        (lambda d: gfile.copy(d + "/a.txt", d + "/w", True), tf.errors.FailedPreconditionError),
        (lambda d: gfile.copy(d + "/w", d + "/x"), tf.errors.InvalidArgumentError),
        (lambda d: gfile.rename(d + "/no", d + "/x"), tf.errors.NotFoundError),
        (lambda d: gfile.exists("nowhere://x"), tf.errors.UnimplementedError),
        (lambda d: gfile.exists(3), TypeError),
    ],
)
def test_what_is_wrong_has_tensorflows_class(folder, call, error):
    with pytest.raises(error):
        call(folder)


def test_joining():
    assert (gfile.join("a", "b"), gfile.join("a/", "/b"), gfile.join("gs://x", "y"), gfile.join(b"a", b"b")) == (
        "a/b", "/b", "gs://x/y", b"a/b",
    )  # fmt: skip


def test_files_in_memory_through_fsspec():
    tf.io.write_file("ram://here/x.txt", "abc")
    assert tf.io.read_file("ram://here/x.txt").numpy() == b"abc"
    assert gfile.listdir("ram://here") == ["x.txt"] and gfile.glob("ram://here/*") == ["ram://here/x.txt"]
    assert gfile.stat("ram://here/x.txt").length == 3
    gfile.rename("ram://here/x.txt", "ram://here/y.txt")
    with pytest.raises(tf.errors.NotFoundError):
        tf.io.read_file("ram://here/x.txt")
    gfile.rmtree("ram://here")
    assert not gfile.exists("ram://here/y.txt")


def test_lines_have_no_carriage_returns(tmp_path):
    path = tmp_path / "lines"
    path.write_bytes(b"a\rb\nc\r\r\nd\r")
    assert list(gfile.GFile(path)) == ["ab\n", "c\n", "d"] and gfile.GFile(path, "rb").readlines() == [
        b"ab\n",
        b"c\n",
        b"d",
    ]
    assert gfile.GFile(path, "rb").read() == path.read_bytes()


def test_places_out_of_a_file(tmp_path):
    path = tmp_path / "text"
    path.write_text("0123456789")
    file = gfile.GFile(path)
    with pytest.raises(tf.errors.OutOfRangeError, match="place 11 is after the end of the file, 10"):
        file.seek(11)
    assert file.tell() == 10 and file.read() == ""
    with pytest.raises(tf.errors.InvalidArgumentError, match="before the beginning, -1"):
        file.seek(-11, 2)
    file.seek(position=4)
    assert file.tell() == 4 and file.read(2) == "45"
    for arguments in ((), (None,), (1, 0, 2)):
        with pytest.raises(TypeError, match="either offset or position"):
            file.seek(*arguments)
    with pytest.raises(tf.errors.InvalidArgumentError, match="or -1 for all, got -2"):
        file.read(-2)


def test_two_colons_in_a_name(tmp_path):
    (tmp_path / "a::b").mkdir()
    (tmp_path / "a::b" / "c.txt").write_text("c")
    assert gfile.glob(f"{tmp_path}/a::b/*") == [f"{tmp_path}/a::b/c.txt"]
    assert list(gfile.walk(tmp_path)) == [(str(tmp_path), ["a::b"], []), (f"{tmp_path}/a::b", [], ["c.txt"])]


def test_files_in_an_archive(tmp_path):
    with zipfile.ZipFile(tmp_path / "some.zip", "w") as archive:
        for name, text in {"a.txt": "one\ntwo\n", "d/b.csv": "1,2\n3,4\n"}.items():
            archive.writestr(name, text)
    inside = f"::{tmp_path}/some.zip"
    assert gfile.listdir("zip://" + inside) == ["a.txt", "d"] and gfile.glob("zip://*/*" + inside) == [
        "zip://d/b.csv" + inside
    ]
    assert [(top, names) for top, _, names in gfile.walk("zip://" + inside)] == [
        ("zip://" + inside, ["a.txt"]),
        ("zip://d" + inside, ["b.csv"]),
    ]
    assert list(gfile.GFile("zip://a.txt" + inside)) == ["one\n", "two\n"]
    assert tf.io.read_file("zip://a.txt" + inside).numpy() == b"one\ntwo\n"
    assert list(tf.data.TextLineDataset("zip://a.txt" + inside).as_numpy_iterator()) == [b"one", b"two"]
    with pytest.raises(tf.errors.NotFoundError):
        tf.io.read_file("zip://none" + inside)


def test_patterns_with_slashes_at_the_end_or_in_a_row(tmp_path, monkeypatch):
    (tmp_path / "sub" / "in").mkdir(parents=True)
    (tmp_path / "w.txt").write_text("x")
    monkeypatch.chdir(tmp_path)
    for pattern, found in {
        "sub/": ["sub/"],
        "sub//": ["sub//"],
        "w.txt/": ["w.txt/"],
        "none/": [],
        "*/": ["./sub", "./w.txt"],
        "*//": [],
        "s*/in/": ["./sub/in"],
        "s*/./in": [],
        "s*/..": [],
        "./s*": ["./sub"],
        "sub/*/": ["sub/in"],
        "sub//*": [],
        "sub/../w*": ["sub/../w.txt"],
        f"{tmp_path}//*": [],
        f"{tmp_path}//sub/*": [f"{tmp_path}//sub/in"],
        f"file://{tmp_path}/s*/": [f"file://{tmp_path}/sub"],
        "/": ["/"],
        "": [],
    }.items():
        assert gfile.glob(pattern) == found


def test_slashes_after_the_name_of_a_file(tmp_path):
    name = str(tmp_path / "w.txt")
    with gfile.GFile(name + "/", "w") as file:
        file.write("x\ny\n")
    assert gfile.exists(name + "//") and not gfile.isdir(name + "/") and gfile.stat(name + "/").length == 4
    assert list(tf.data.TextLineDataset(name + "/").as_numpy_iterator()) == [b"x", b"y"]
    gfile.rename(name + "/", name[:-4] + "/")
    gfile.remove(name[:-4] + "/")
    assert gfile.listdir(str(tmp_path)) == []


def test_a_directory_has_no_lines(tmp_path):
    file = gfile.GFile(str(tmp_path))
    assert file.readline() == "" and file.readlines() == [] and gfile.GFile(str(tmp_path), "rb").readline() == b""
    with pytest.raises(tf.errors.FailedPreconditionError):
        file.read()
    with pytest.raises(tf.errors.PermissionDeniedError):
        gfile.GFile(str(tmp_path), "w").readline()
