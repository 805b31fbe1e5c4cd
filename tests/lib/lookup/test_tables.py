"""Tables, with the answers that TensorFlow 2.21 gives."""

from __future__ import annotations

import sys

import pytest

import tfgrad_jax as tf
from tests.threads import in_threads

errors = tf.errors
KeyValue = tf.lookup.KeyValueTensorInitializer
Static = tf.lookup.StaticHashTable
Vocabulary = tf.lookup.StaticVocabularyTable
Mutable = tf.lookup.experimental.MutableHashTable
Dense = tf.lookup.experimental.DenseHashTable


def static(keys, values, default):
    return Static(KeyValue(tf.constant(keys), tf.constant(values)), default)


def int64(values):
    return tf.constant(values, tf.int64)


@pytest.fixture(params=["eager", "function"])
def run(request):
    """Call a function of tensors, eagerly or as a `tf.function`."""
    return (lambda f, *args: f(*args)) if request.param == "eager" else lambda f, *args: tf.function(f)(*args)


# -- static tables ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("keys", "values", "default", "asked", "found"),
    [
        (["a", "b"], [1, 2], -1, [["a"], ["z"]], [[1], [-1]]),
        (["a", "b"], ["x", "y"], "?", ["b", ""], [b"y", b"?"]),
        ([1, 2], [1.5, 2.5], 0.0, [2, 7], [2.5, 0.0]),
        ([1, 2], ["x", "y"], "?", [[1, 3]], [[b"x", b"?"]]),
        (["a"], [True], False, ["a", "b"], [True, False]),
    ],
)
def test_lookup(run, keys, values, default, asked, found):
    table = static(keys, values, default)
    seen = run(table.lookup, tf.constant(asked))
    assert seen.numpy().tolist() == found and seen.dtype == table.value_dtype
    assert table[tf.constant(asked)].numpy().tolist() == found
    assert table.size().numpy() == len(keys) and table.size().dtype == tf.int64
    assert [t.numpy().tolist() for t in table.export()] == [
        tf.constant(keys).numpy().tolist(),
        tf.constant(values).numpy().tolist(),
    ]


def test_properties():
    table = Static(KeyValue(["a"], [1], key_dtype=tf.string, value_dtype=tf.int64), -1, name="table")
    assert table.key_dtype == tf.string and table.value_dtype == tf.int64
    assert table.default_value.numpy() == -1
    assert table.lookup("a").numpy() == 1  # TensorFlow takes tensors only


def test_static_tables_that_cannot_be():
    with pytest.raises(errors.FailedPreconditionError, match="Key a has 1 and trying to add value 2"):
        static(["a", "a"], [1, 2], 0)
    assert static(["a", "a"], [1, 1], 0).size().numpy() == 1
    with pytest.raises(errors.InvalidArgumentError, match="Expected shape"):
        static(["a"], [1, 2], 0)
    with pytest.raises(errors.InvalidArgumentError, match="cannot be empty"):
        Static(KeyValue([], [], tf.string, tf.int32), 0)
    with pytest.raises(errors.NotFoundError, match="float32"):
        static([1.0], [1], 0)
    with pytest.raises(errors.NotFoundError, match="int32 to int64"):
        static([1], int64([1]), 0)
    with pytest.raises(TypeError):
        static(["a"], [1], "x")
    with pytest.raises(ValueError):
        static(["a"], [1], [1, 2])
    with pytest.raises(TypeError, match=r"must be tf\.string"):
        static(["a"], [1], 0).lookup(tf.constant([1]))


def test_static_shapes_in_functions():
    table, rows = static(["a"], [1], 0), Mutable(tf.string, tf.int64, [0, 0])
    vocabulary = Vocabulary(None, 3)
    shapes = []

    @tf.function(input_signature=[tf.TensorSpec([None, 2], tf.string)])
    def f(x):
        shapes.extend(t.shape.as_list() for t in (table.lookup(x), rows.lookup(x), vocabulary.lookup(x)))
        shapes.extend(t.shape.as_list() for t in (*rows.export(), table.size()))
        return table.lookup(x)

    assert f(tf.constant([["a", "b"]])).numpy().tolist() == [[1, 0]]
    assert shapes == [[None, 2], [None, 2, 2], [None, 2], [None], [None, 2], []]


def test_a_table_made_in_a_function_and_one_of_a_module():
    class Model(tf.Module):
        def __init__(self):
            super().__init__()
            self.table = static(["a", "b"], [1, 2], 0)
            self.scale = tf.Variable(3)

        @tf.function
        def __call__(self, x):
            inner = static(["b"], [10], 5)
            return self.table.lookup(x) * self.scale + inner.lookup(x)

    model = Model()
    assert model(tf.constant(["a", "b", "c"])).numpy().tolist() == [8, 16, 5]
    assert [v is model.scale for v in model.variables] == [True] and model.submodules == ()


def test_ragged_and_sparse_keys(run):
    table, words = static(["a", "b"], [1, 2], -1), Vocabulary(KeyValue(["a"], int64([0])), 3)
    rows, sparse = tf.ragged.constant([["a"], [], ["q", "b"]]), tf.sparse.from_dense([["a", "q"]])
    assert run(table.lookup, rows).to_list() == [[1], [], [-1, 2]]
    assert run(words.lookup, rows).to_list() == [[0], [], [3, 2]]
    found = run(table.lookup, sparse)
    assert found.values.numpy().tolist() == [1, -1] and found.indices.numpy().tolist() == [[0, 0], [0, 1]]
    with pytest.raises(TypeError, match="keys"):
        table.lookup(tf.ragged.constant([[1]]))


def test_no_gradient_flows_through_a_table():
    table, x = static([1, 2], [1.5, 2.5], 0.0), tf.Variable(2.0)
    with tf.GradientTape() as tape:
        y = x * table.lookup(tf.constant([2]))
    assert tape.gradient(y, x).numpy() == 2.5


# -- files -------------------------------------------------------------------------------------------------------------

LINE, NUMBER = tf.lookup.TextFileIndex.WHOLE_LINE, tf.lookup.TextFileIndex.LINE_NUMBER


@pytest.fixture
def from_text(tmp_path):
    def make(text, *args, default=-1, **options):
        path = tmp_path / "table.txt"
        path.write_bytes(text)
        table = Static(tf.lookup.TextFileInitializer(str(path), *args, **options), default)
        return dict(zip(*[t.numpy().tolist() for t in table.export()], strict=True))

    return make


def test_tables_from_files(from_text):
    vocabulary = tf.string, LINE, tf.int64, NUMBER
    assert from_text(b"a\nb\nc\n", *vocabulary) == {b"a": 0, b"b": 1, b"c": 2}
    assert from_text(b"a \r\n b", *vocabulary) == {b"a ": 0, b" b": 1}
    assert from_text(b"a\nb\nc\n", *vocabulary, vocab_size=2) == {b"a": 0, b"b": 1}
    assert from_text(b"a\nb\n", *vocabulary, value_index_offset=10) == {b"a": 10, b"b": 11}
    assert from_text(b"a\nb\n", tf.int64, NUMBER, tf.string, LINE, default="", value_index_offset=3) == {
        3: b"a",
        4: b"b",
    }
    assert from_text(b"x\t1\ny\t2\n", tf.string, 0, tf.int32, 1) == {b"x": 1, b"y": 2}
    assert from_text(b"1 2.5 z\n", tf.int32, 0, tf.float64, 1, default=0.0, delimiter=" ") == {1: 2.5}


@pytest.mark.parametrize(
    ("text", "args", "options", "kind", "message"),
    [
        (
            b"a\n\nb\n",
            (tf.string, LINE, tf.int64, NUMBER),
            {},
            errors.InvalidArgumentError,
            "empty line found at position 3",
        ),
        (b"", (tf.string, LINE, tf.int64, NUMBER), {}, errors.OutOfRangeError, "empty"),
        (
            b"a\n",
            (tf.string, LINE, tf.int64, NUMBER),
            {"vocab_size": 5},
            errors.InvalidArgumentError,
            "expected 5 but got 1",
        ),
        (b"a\na\n", (tf.string, LINE, tf.int64, NUMBER), {}, errors.FailedPreconditionError, "Key a has 0"),
        (
            b"1\t2\n3\n",
            (tf.int32, 0, tf.float32, 1),
            {},
            errors.InvalidArgumentError,
            "line 1 .3. : expected at least 2 got 1",
        ),
        (
            b"a\n",
            (tf.int64, LINE, tf.int64, NUMBER),
            {},
            errors.InvalidArgumentError,
            "Field a in line 0 is not a valid int64",
        ),
        (b"a\t1\n", (tf.string, 0, tf.bool, 1), {}, errors.InvalidArgumentError, "bool"),
        (b"a\t1\n", (tf.string, 0, tf.int64, 1), {"delimiter": "ab"}, errors.InvalidArgumentError, "only 1 char"),
        (b"a\n", (tf.string, NUMBER, tf.int64, NUMBER), {}, ValueError, "must be int64"),
        (b"a\n", (tf.float32, LINE, tf.int64, NUMBER), {}, ValueError, "integer or string"),
        (b"a\n", (tf.string, -5, tf.int64, NUMBER), {}, ValueError, "`key_index` should be >= -2"),
        (b"a\n", (tf.string, LINE, tf.int64, NUMBER), {"vocab_size": 0}, ValueError, "`vocab_size` should be > 0"),
    ],
)
def test_files_that_make_no_table(from_text, text, args, options, kind, message):
    with pytest.raises(kind, match=message):
        from_text(text, *args, default=False if tf.bool in args else -1, **options)


def test_no_file(tmp_path):
    with pytest.raises(errors.NotFoundError, match=r"none\.txt"):
        Static(tf.lookup.TextFileInitializer(str(tmp_path / "none.txt"), tf.string, LINE, tf.int64, NUMBER), -1)
    with pytest.raises(ValueError, match="filename"):
        tf.lookup.TextFileInitializer("", tf.string, LINE, tf.int64, NUMBER)


# -- vocabularies ------------------------------------------------------------------------------------------------------


def test_terms_that_are_not_known_fall_into_buckets(run):
    table = Vocabulary(KeyValue(["a", "b"], int64([0, 1])), 3)
    assert run(table.lookup, tf.constant(["a", "b", "q", "w", "e", ""])).numpy().tolist() == [0, 1, 4, 4, 3, 4]
    assert run(Vocabulary(None, 5).lookup, tf.constant(["a", "b"])).numpy().tolist() == [4, 2]
    assert table.size().numpy() == 5 and Vocabulary(None, 5).size().numpy() == 5
    numbers = KeyValue(int64([5, 6]), int64([0, 1]))
    assert run(Vocabulary(numbers, 3).lookup, int64([5, 7, 8, 9])).numpy().tolist() == [0, 3, 3, 4]
    assert run(Vocabulary(numbers, 3, tf.int32).lookup, tf.constant([5, -7])).numpy().tolist() == [0, 4]


def test_vocabularies_that_cannot_be():
    words = KeyValue(["a", "b"], int64([0, 1]))
    with pytest.raises(ValueError, match="must be > 0"):
        Vocabulary(words, 0)
    with pytest.raises(TypeError, match="value_dtype"):
        Vocabulary(KeyValue(["a"], [0]), 3)
    with pytest.raises(TypeError, match="expected integer"):
        Vocabulary(words, 3, lookup_key_dtype=tf.int64)
    with pytest.raises(TypeError, match="key_dtype"):
        Vocabulary(KeyValue([5], int64([0])), 3)


# -- tables that change ------------------------------------------------------------------------------------------------


def test_insert_and_remove():
    table = Mutable(tf.string, tf.int64, -1)
    assert table.insert(["a", "b", "a"], [1, 2, 3]) is None
    assert table.lookup(tf.constant([["a", "z"]])).numpy().tolist() == [[3, -1]]
    assert table.lookup(["a", "z"], int64([7, 8])).numpy().tolist() == [3, 8]
    assert table.lookup(["a", "z"], int64(9)).numpy().tolist() == [3, 9]
    assert table.remove(tf.constant(["a", "zz"])) is None
    assert table.size().numpy() == 1 and [t.numpy().tolist() for t in table.export()] == [[b"b"], [2]]
    for wrong in (lambda: table.insert(["a"], [1, 2]), lambda: table.lookup(["b", "z"], int64([7]))):
        with pytest.raises(errors.InvalidArgumentError, match="Expected shape"):
            wrong()
    with pytest.raises(ValueError):
        table.insert(["a"], tf.constant([1]))
    with pytest.raises(errors.NotFoundError):
        Mutable(tf.string, tf.string, "")


def test_rows_that_are_vectors(run):
    table = Mutable(tf.int64, tf.float32, [0.0, 0.0])
    table.insert(int64([1, 2]), tf.constant([[1.0, 2.0], [3.0, 4.0]]))
    assert run(table.lookup, int64([[1], [9]])).numpy().tolist() == [[[1.0, 2.0]], [[0.0, 0.0]]]
    assert run(table.lookup, int64(1)).numpy().tolist() == [1.0, 2.0]
    with pytest.raises(errors.InvalidArgumentError, match=r"Expected shape \[1,2\] for value, got \[1\]"):
        table.insert(int64([1]), tf.constant([1.0]))
    with pytest.raises(errors.InvalidArgumentError, match="vector"):
        Mutable(tf.int64, tf.float32, [[0.0]])


def test_a_function_changes_a_table_in_the_order_of_the_program():
    table = Mutable(tf.string, tf.int64, -1)

    @tf.function
    def f(x):
        before = table.lookup(x)
        table.insert(x, before + 10)
        after, size = table.lookup(x), table.size()
        table.remove(x[:1])
        return before, after, size, table.size()

    x = tf.constant(["a", "b"])
    assert [t.numpy().tolist() for t in f(x)] == [[-1, -1], [9, 9], 2, 1]
    assert [t.numpy().tolist() for t in f(x)] == [[-1, 9], [9, 19], 2, 1]


def test_a_table_counts_in_a_loop():
    table = Mutable(tf.string, tf.int64, 0)

    @tf.function
    def count(words):
        for i in tf.range(tf.size(words)):
            if words[i] != "":
                table.insert(words[i], table.lookup(words[i]) + 1)
        return table.size()

    assert count(tf.constant(["a", "b", "", "a", "a"])).numpy() == 2
    assert table.lookup(["a", "b", ""]).numpy().tolist() == [3, 1, 0]


def test_dense_tables():
    table = Dense(tf.int64, tf.int64, -1, empty_key=0, deleted_key=-1)
    table.insert_or_assign(int64([1, 2]), int64([10, 20]))
    assert table.lookup(int64([1, 5])).numpy().tolist() == [10, -1]
    table.erase(int64([1]))
    assert table.size().numpy() == 1
    calls = (table.lookup, table.remove, lambda keys: table.insert(keys, int64([1])))
    for call in calls:
        for key, name in ((0, "empty_key"), (-1, "deleted_key")):
            with pytest.raises(errors.InvalidArgumentError, match=name):
                call(int64([key]))
    assert Dense(tf.string, tf.int64, [-1, -1], "", "$").lookup(["a"]).numpy().tolist() == [[-1, -1]]
    with pytest.raises(errors.InvalidArgumentError, match="equal"):
        Dense(tf.int64, tf.int64, -1, 0, 0)
    with pytest.raises(errors.InvalidArgumentError, match="power of 2"):
        Dense(tf.int64, tf.int64, -1, 0, -1, initial_num_buckets=5)
    with pytest.raises(NotImplementedError, match="scalars"):
        Dense(tf.int64, tf.int64, -1, [0, 0], [1, 1])


def test_an_initializer_of_the_programs_own():
    class Nothing(tf.lookup.KeyValueTensorInitializer):
        """As in Keras: it names dtypes, and fills nothing."""

        def __init__(self):
            self.seen = []

        key_dtype = property(lambda self: "string")
        value_dtype = property(lambda self: "int64")

        def initialize(self, table):
            self.seen.append(table)

    nothing = Nothing()
    table = tf.lookup.StaticHashTable(nothing, -1)
    assert nothing.seen == [table] and table.key_dtype is tf.string
    assert table.size().numpy() == 0
    with pytest.raises(errors.FailedPreconditionError, match="Table not initialized"):
        table.lookup(tf.constant(["a"]))


def test_files_have_the_keys_where_tensorflow_looks_for_them(tmp_path):
    numbers = Dense(tf.int64, tf.int64, -1, -100, -200, initial_num_buckets=8)
    numbers.insert(tf.constant([1, 9, -3, 17], tf.int64), tf.constant([1, 2, 3, 4], tf.int64))
    texts = Dense(tf.string, tf.float32, [0.0, 0.0], "", "$", initial_num_buckets=8)
    texts.insert(tf.constant(["a", "b", "hello", "x"]), [[1.0, 2.0], [3, 4], [5, 6], [7, 8]])
    none = Dense(tf.string, tf.bool, False, "", "$")
    path = tf.train.Checkpoint(numbers=numbers, texts=texts, none=none).write(tmp_path / "c")

    def saved(name):
        return tf.train.load_variable(path, f"{name}/.ATTRIBUTES/table-keys").tolist(), tf.train.load_variable(
            path, f"{name}/.ATTRIBUTES/table-values"
        ).tolist()

    empty = -100
    assert saved("numbers") == (
        [[n] for n in (empty, 1, 9, empty, 17, -3, empty, empty)],
        [[n] for n in (0, 1, 2, 0, 4, 3, 0, 0)],
    )
    keys, values = saved("texts")
    assert keys == [[t] for t in (b"x", b"", b"b", b"hello", b"a", b"", b"", b"")]
    assert values == [[7.0, 8.0], [0.0, 0.0], [3.0, 4.0], [5.0, 6.0], [1.0, 2.0], [0.0, 0.0], [0.0, 0.0], [0.0, 0.0]]
    assert saved("none") == ([[b""]] * 131072, [[False]] * 131072)
    many = Dense(tf.int64, tf.int64, -1, -100, -200, initial_num_buckets=4)
    many.insert(tf.range(20, dtype=tf.int64), tf.range(20, dtype=tf.int64))
    path = tf.train.Checkpoint(many=many).write(tmp_path / "m")
    assert len(tf.train.load_variable(path, "many/.ATTRIBUTES/table-keys")) == 32
    other = Dense(tf.int64, tf.int64, -1, -100, -200)
    tf.train.Checkpoint(many=other).read(path)
    assert other.size() == 20 and other.lookup(tf.constant([19, 20], tf.int64)).numpy().tolist() == [19, -1]


def test_raw_operations_take_tables():
    table = static(["a"], [1], -1)
    keys = tf.constant(["a", "b"])
    found = tf.raw_ops.LookupTableFindV2(table_handle=table.resource_handle, keys=keys, default_value=7)
    assert found.numpy().tolist() == [1, 7]
    with pytest.raises(errors.UnimplementedError, match="does not change"):
        tf.raw_ops.LookupTableInsertV2(table_handle=table.resource_handle, keys=keys, values=tf.constant([5, 6]))
    changing = Mutable(tf.string, tf.int64, -1)
    values = tf.constant([5, 6], tf.int64)
    tf.raw_ops.LookupTableInsertV2(table_handle=changing.resource_handle, keys=keys, values=values)
    assert changing.lookup(keys).numpy().tolist() == [5, 6]


def shown(table):
    keys, values = [part.numpy() for part in table.export()]
    assert keys.shape == (len(keys), 1) and len(values) == len(keys)
    return keys.ravel().tolist(), values.ravel().tolist()


def test_buckets_of_a_dense_table_are_tensorflows(tmp_path):
    table = Dense(tf.int64, tf.int64, default_value=-1, empty_key=-1, deleted_key=-2, initial_num_buckets=8)
    table.insert([3, 11, 19], [1, 2, 3])
    assert shown(table) == ([-1, -1, -1, 3, 11, -1, 19, -1], [0, 0, 0, 1, 2, 0, 3, 0])
    table.remove(int64([11, 500]))
    assert shown(table) == ([-1, -1, -1, 3, -2, -1, 19, -1], [0, 0, 0, 1, 2, 0, 3, 0])
    table.insert([27], [4])
    table.insert([19], [9])
    table.insert([11], [5])
    assert shown(table) == ([-1, 11, -1, 3, 27, -1, 19, -1], [0, 5, 0, 1, 4, 0, 9, 0])
    table.remove(int64([3, 27]))
    table.insert([4, 5, 6], [1, 1, 1])
    before = [-1, 11, -1, -2, 4, 5, 19, 6], [0, 5, 0, 1, 1, 1, 9, 1]
    assert shown(table) == before
    path = tf.train.Checkpoint(table=table).write(str(tmp_path / "c"))
    table.insert([100, 101, 102], [7, 7, 7])
    grown = [-1, -1, -1, 19, 4, 5, 6, 100, 101, 102, -1, 11, -1, -1, -1, -1]
    assert shown(table) == (grown, [0, 0, 0, 9, 1, 1, 1, 7, 7, 7, 0, 5, 0, 0, 0, 0])
    table.remove(int64([100]))
    table.insert([102] * 10, [1] * 10)
    assert len(shown(table)[0]) == 32 and table.size().numpy() == 7
    tf.train.Checkpoint(table=table).read(path)
    assert shown(table) == before and table.size().numpy() == 5

    texts = Dense(tf.string, tf.float32, [0.0, 0.0], empty_key="", deleted_key="$", initial_num_buckets=4)
    texts.insert(["a", "b"], [[1.0, 2.0], [3.0, 4.0]])
    texts.remove(tf.constant(["a"]))
    assert shown(texts) == ([b"$", b"", b"b", b""], [1.0, 2.0, 0.0, 0.0, 3.0, 4.0, 0.0, 0.0])
    large = Dense(tf.int64, tf.int64, -1, empty_key=-1, deleted_key=-2, initial_num_buckets=4)
    large.insert([-5, -9, 2**40, 7], [1, 2, 3, 4])
    assert shown(large) == ([2**40, -1, 7, -5, -1, -1, -1, -9], [3, 0, 4, 1, 0, 0, 0, 2])
    assert Dense(tf.int64, tf.int64, -1, -1, -2).export()[0].shape == [131072, 1]
    assert [t.shape.rank for t in tf.function(large.export).get_concrete_function().outputs] == [None, None]


def test_threads_insert_and_remove_the_same_keys_of_a_dense_table():
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        table = Dense(tf.int64, tf.int64, -1, empty_key=-1, deleted_key=-2, initial_num_buckets=64)

        def work():
            for i in range(60):
                table.insert([i % 7], [i])
                table.remove(int64([i % 7]))
                table.export()

        in_threads(*[work] * 4)
    finally:
        sys.setswitchinterval(before)
    assert table.size().numpy() == 0 and not {*range(7)} & {*shown(table)[0]}
