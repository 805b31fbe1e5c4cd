"""Functions that only the host can run, strings and tables, in SavedModels."""

import os

import numpy as np
import pytest

import tfgrad_jax as tf

TEXTS = ["The cat, the dog!", "", "größer  als 1"]
STRINGS = tf.TensorSpec([None], tf.string)


def plain(value):
    """Tensors as lists, composites taken apart."""
    return [np.asarray(t.numpy()).tolist() for t in tf.nest.flatten(value, expand_composites=True)]


def saved(module, path, **options):
    tf.saved_model.save(module, path, **options)
    return tf.saved_model.load(path)


_FUNCTIONS = {
    "cases": lambda s: (tf.strings.lower(s, "utf-8"), tf.strings.upper(s), tf.strings.strip(s)),
    "regex": lambda s: (tf.strings.regex_replace(s, "[aeo]+", "_"), tf.strings.regex_full_match(s, ".*cat.*")),
    "lengths": lambda s: (tf.strings.length(s), tf.strings.length(s, unit="UTF8_CHAR")),
    "parts": lambda s: (tf.strings.substr(s, 0, 0), tf.strings.split(s), tf.strings.split(s, " ", maxsplit=1)),
    "bytes": lambda s: (tf.strings.bytes_split(s), tf.strings.to_hash_bucket(s, 7)),
    "joined": lambda s: (tf.strings.join([s, s], "-"), tf.strings.reduce_join(s), tf.strings.reduce_join(s, 0, True)),
    "hashes": lambda s: (tf.strings.to_hash_bucket_fast(s, 9), tf.strings.to_hash_bucket_strong(s, 9, [1, 2])),
    "numbers": lambda s: (tf.strings.as_string(tf.strings.length(s)), tf.strings.to_number(tf.fill([2], "1.5"))),
    "base64": lambda s: tf.io.decode_base64(tf.io.encode_base64(s)),
    "unicode": lambda s: (
        tf.strings.unicode_split(s, "UTF-8"),
        tf.strings.unicode_decode(s, "UTF-8"),
        tf.strings.unicode_encode(tf.strings.unicode_decode(s, "UTF-8"), "UTF-16-BE"),
        tf.strings.unicode_transcode(s, "UTF-8", "UTF-32-BE"),
    ),
    "ngrams": lambda s: tf.strings.ngrams(tf.strings.split(s), 2),
    "segments": lambda s: tf.strings.unsorted_segment_join(s, [0, 1, 0], 2, "+"),
    "format": lambda s: tf.strings.format("of {}", s),
    "sounds": lambda s: tf.audio.decode_wav(tf.audio.encode_wav(tf.fill([4, 1], 0.5), tf.size(s) * 1000), 2, 6),
    "pictures": lambda s: tf.io.decode_jpeg(
        tf.io.encode_jpeg(tf.cast(tf.fill([8, 8, 3], tf.size(s) * 20), tf.uint8), quality=90, xmp_metadata="m")
    ),
    "added": lambda s: s + "!",
    "compared": lambda s: (tf.equal(s, ""), tf.not_equal(s, "")),
    "indexed": lambda s: (s[0], s[1:], s[::-1][:2], s[tf.newaxis, ..., -1]),
    "moved": lambda s: (
        tf.reshape(s, [-1, 1]),
        tf.expand_dims(s, 0),
        tf.squeeze(s[None], 0),
        tf.concat([s, s], 0),
        tf.stack([s, s], 1),
        tf.gather(s, [2, 0]),
        tf.tile(s, [2]),
        tf.transpose(s[None]),
        tf.repeat(s, 2),
        tf.unstack(tf.reshape(s, [3])),
    ),
    "chosen": lambda s: (
        tf.where(tf.strings.length(s) > 3, s, "short"),
        tf.boolean_mask(s, tf.strings.length(s) > 3),
        tf.unique(s).y,
        tf.where(tf.equal(s, "")),
        tf.gather_nd(s, [[1], [0]]),
    ),
    "made": lambda s: (tf.fill([tf.size(s)], "x"), tf.zeros([tf.strings.length(s)[0]]), tf.broadcast_to(s[0], [2, 2])),
    "padded": lambda s: (tf.strings.split(s).to_tensor("?"), tf.strings.split(s).to_tensor(shape=[None, 2])),
    "filled": lambda s: tf.fill([tf.shape(tf.strings.split(tf.strings.lower(s)).to_tensor())[0], 1], 1),
    "sizes": lambda s: (tf.shape(tf.strings.split(s).flat_values), tf.sequence_mask(tf.strings.length(s) % 4)),
    "counted": lambda s: (
        tf.math.bincount(tf.strings.length(s) % 5, minlength=7),
        tf.math.bincount(tf.ragged.map_flat_values(tf.strings.length, tf.strings.split(s)), axis=-1, minlength=3),
    ),
    "crossed": lambda s: tf.sparse.cross_hashed([s[:, None], tf.strings.upper(s)[:, None]], 11),
    "branches": lambda s: (
        tf.cond(tf.strings.length(s[0]) > 3, lambda: s[0] + "!", lambda: tf.strings.upper(s[0])),
        tf.switch_case(tf.strings.length(s[1]), [lambda: s[:1], lambda: tf.strings.upper(s)]),
    ),
}


@pytest.mark.parametrize("name", _FUNCTIONS)
def test_strings(name, tmp_path):
    texts, module = tf.constant(TEXTS), tf.Module()
    module.f = tf.function(_FUNCTIONS[name], input_signature=[STRINGS], autograph=False)
    assert plain(saved(module, tmp_path).f(texts)) == plain(module.f(texts)) == plain(_FUNCTIONS[name](texts))


class Looking(tf.Module):
    def __init__(self, path):
        super().__init__()
        path.write_text("a\nb\nc\n")
        lines, numbers = tf.lookup.TextFileIndex.WHOLE_LINE, tf.lookup.TextFileIndex.LINE_NUMBER
        file = tf.lookup.TextFileInitializer(str(path), tf.string, lines, tf.int64, numbers)
        self.file = tf.lookup.StaticHashTable(file, -1)
        self.back = tf.lookup.StaticHashTable(tf.lookup.KeyValueTensorInitializer([1, 2], ["one", "two"]), "?")
        self.terms = tf.lookup.StaticVocabularyTable(file, 2)
        narrow = tf.lookup.KeyValueTensorInitializer(tf.constant([7, 8], tf.int64), tf.constant([0, 1], tf.int64))
        self.narrow = tf.lookup.StaticVocabularyTable(narrow, 3, lookup_key_dtype=tf.int32)
        self.changing = tf.lookup.experimental.MutableHashTable(tf.string, tf.int64, -1)
        self.changing.insert(["q"], [5])
        self.rows = tf.lookup.experimental.MutableHashTable(tf.int64, tf.float32, [0.0, 0.0])
        self.rows.insert([3], [[1.0, 2.0]])
        self.embedded = tf.Variable(tf.reshape(tf.range(10.0), [5, 2]))

    @tf.function(input_signature=[STRINGS])
    def ids(self, s):
        return self.file.lookup(tf.strings.lower(s)), self.terms.lookup(s), self.changing.lookup(s)

    @tf.function(input_signature=[tf.TensorSpec([None], tf.int32)])
    def numbers(self, x):
        return self.back[x], self.narrow[x], self.rows[tf.cast(x, tf.int64)], self.rows.size(), self.narrow.size()

    @tf.function(input_signature=[tf.TensorSpec([], tf.string), tf.TensorSpec([], tf.int64)])
    def put(self, key, value):
        self.changing.insert(key, value)
        self.changing.remove(tf.strings.upper(key))
        return self.changing.size(), self.changing.export()[1]

    @tf.function(input_signature=[STRINGS])
    def served(self, s):
        words = self.terms.lookup(tf.strings.split(s)).to_tensor()
        return {"sums": tf.reduce_sum(tf.gather(self.embedded, words), 1) * 2.0, "words": words}


@pytest.fixture
def looked_up(tmp_path):
    module = Looking(tmp_path / "terms.txt")
    loaded = saved(module, tmp_path / "saved", signatures=module.served)
    (tmp_path / "terms.txt").unlink()
    return module, loaded, tmp_path / "saved"


def test_tables(looked_up):
    module, loaded, path = looked_up
    assert os.listdir(path / "assets") == ["terms.txt"]
    texts, numbers = tf.constant(["A", "q", "b"]), tf.constant([1, 3, 8])
    assert plain(loaded.ids(texts)) == plain(module.ids(texts))
    assert plain(loaded.numbers(numbers)) == plain(module.numbers(numbers))


def test_tables_that_change(looked_up):
    module, loaded, _ = looked_up
    for each in (module, loaded):
        assert plain(each.put("r", 7)) == [2, [5, 7]]
        assert plain(each.put("Q", 1)) == [2, [5, 7]]
        assert plain(each.ids(tf.constant(["r"]))[2]) == [[7]]


def test_signatures_and_gradients_around_tables(looked_up):
    module, loaded, _ = looked_up
    for rows in (["a b zz", "c"], ["c c c"]):
        texts = tf.constant(rows)
        served = loaded.signatures["serving_default"](s=texts)
        assert plain(served) == plain(module.served(texts))
    slopes = []
    for each in (module, loaded):
        with tf.GradientTape() as tape:
            total = tf.reduce_sum(each.served(tf.constant(["a b", "b"]))["sums"])
        slopes.append(tf.convert_to_tensor(tape.gradient(total, each.embedded)).numpy().tolist())
    assert slopes[0] == slopes[1] == [[4.0, 4.0], [4.0, 4.0], [0.0, 0.0], [0.0, 0.0], [0.0, 0.0]]


class Calling(Looking):
    """Functions with tables in functions that call them."""

    def __init__(self, path):
        super().__init__(path)
        self.calls = tf.Variable(0)
        self.scale = tf.Variable(2.0)

    @tf.function
    def sums(self, s, training):
        self.calls.assign_add(1)
        return self.served(s)["sums"] * (self.scale if training else 1.0)

    @tf.function(input_signature=[STRINGS])
    def call(self, s):
        return self.sums(s, training=True) + self.sums(s, training=False), self.calls.read_value()


def test_functions_that_call_such_functions(tmp_path):
    module = Calling(tmp_path / "terms.txt")
    loaded = saved(module, tmp_path / "saved")
    found = []
    for each in (module, loaded):
        each.calls.assign(0)
        with tf.GradientTape() as tape:
            total, calls = each.call(tf.constant(["a b", "b"]))
        assert int(calls) == int(each.calls) == 2
        slopes = tape.gradient(total, [each.embedded, each.scale])
        found.append([plain(total), *[tf.convert_to_tensor(g).numpy().tolist() for g in slopes]])
    assert found[0] == found[1] and np.any(found[0][1]) and found[0][2]


def test_tables_that_cannot_be_saved(tmp_path):
    other = tf.lookup.StaticHashTable(tf.lookup.KeyValueTensorInitializer(["a"], [1]), 0)
    module = tf.Module()
    module.f = tf.function(lambda s: other.lookup(s), input_signature=[STRINGS])
    with pytest.raises(AssertionError, match="'untracked' resource"):
        tf.saved_model.save(module, tmp_path / "saved")


def test_tables_with_reserved_keys(tmp_path):
    module = tf.Module()
    module.dense = tf.lookup.experimental.DenseHashTable(tf.string, tf.int64, -1, "", "$")
    module.dense.insert(["a", "b"], [1, 2])

    @tf.function(input_signature=[STRINGS])
    def removed(keys):
        module.dense.remove(keys)
        return module.dense.size()

    module.removed = removed
    module.found = tf.function(lambda s: module.dense.lookup(s), input_signature=[STRINGS])
    loaded = saved(module, tmp_path / "saved")
    keys = tf.constant(["a", "b", "c"])
    assert plain(loaded.found(keys)) == [[1, 2, -1]]
    assert plain(loaded.removed(tf.constant(["a", "c"]))) == [1]
    assert plain(loaded.found(keys)) == [[-1, 2, -1]]
    assert plain(module.found(keys)) == [[1, 2, -1]]
    with pytest.raises(tf.errors.InvalidArgumentError, match="empty_key"):
        loaded.found(tf.constant([""]))


def test_open_sizes_of_which_some_are_equal(tmp_path):
    """Rows and their places have one size, the tensor another, and only the program tells which."""
    module = tf.Module()

    @tf.function(input_signature=[tf.TensorSpec([None]), tf.TensorSpec([None]), tf.TensorSpec([None])])
    def f(x, y, z):
        return x + z, tf.reduce_sum(y)

    module.f = f
    found = saved(module, tmp_path / "saved").f(tf.ones([3]), tf.ones([2]), tf.ones([3]))
    assert plain(found) == [[2.0, 2.0, 2.0], 2.0]


def test_casts_of_strings_fail_when_they_run(tmp_path):
    module = tf.Module()
    module.f = tf.function(lambda s: tf.cast(s, tf.float32), input_signature=[STRINGS])
    loaded = saved(module, tmp_path / "saved")
    for each in (module, loaded):
        with pytest.raises(tf.errors.UnimplementedError, match="string to float"):
            each.f(tf.constant(["1"]))


_SIZED = {
    "filled": lambda n, x: (tf.zeros([n, 3]), tf.ones([n], tf.int32), tf.fill([n], x[0])),
    "counted": lambda n, x: (tf.range(n) * 2, tf.linspace(0.0, 1.0, n), tf.sequence_mask([1, 2], n)),
    "moved": lambda n, x: (tf.reshape(x, [n, -1]), x[:n], tf.tile(x, [n]), tf.broadcast_to(x, [n, 6])),
    "matrices": lambda n, x: (
        tf.one_hot(tf.range(3), n),
        tf.one_hot([0, 1], n, 2.0, -1.0, 0),
        tf.eye(n),
        tf.eye(n, 3, [2], tf.int32),
    ),
}


@pytest.mark.parametrize("name", _SIZED)
def test_shapes_that_depend_on_arguments(name, tmp_path):
    function = _SIZED[name]
    specs = [tf.TensorSpec([], tf.int32), tf.TensorSpec([None])]
    module = tf.Module()
    module.f = tf.function(lambda n, x: function(n, x), input_signature=specs)
    loaded = saved(module, tmp_path / "m")
    for n in (2, 3):
        given = tf.constant(n), tf.range(6.0)
        assert plain(loaded.f(*given)) == plain(function(*given))


def test_gradients_through_shapes_that_depend_on_arguments(tmp_path):
    module = tf.Module()
    module.v = tf.Variable([[1.0, 2.0]])
    specs = [tf.TensorSpec([], tf.int32)]
    module.f = tf.function(lambda n: tf.tile(module.v * 2.0, [n, 1]) ** 2, input_signature=specs)
    loaded = saved(module, tmp_path / "m")
    with tf.GradientTape() as tape:
        y = loaded.f(tf.constant(3))
    assert plain(tape.gradient(y, loaded.v)) == [[[24.0, 48.0]]]


def test_evenly_spaced_vectors_are_refused_by_name(tmp_path):
    module = tf.Module()
    specs = [tf.TensorSpec([], tf.int32), tf.TensorSpec([2])]
    module.f = tf.function(lambda n, x: tf.linspace(x, x + 1, n), input_signature=specs)
    with pytest.raises(ValueError, match="linspace"):
        tf.saved_model.save(module, tmp_path / "m")


class Repeating(tf.Module):
    """Loops that are no programs: over strings, or with results whose size only their values tell."""

    def __init__(self):
        super().__init__()
        self.count = tf.Variable(0)
        self.steps = tf.Variable([[0.5, 1.0], [0.0, 1.0]])
        initial = tf.lookup.KeyValueTensorInitializer(["a", "bb"], tf.constant([1, 2], tf.int64))
        self.table = tf.lookup.StaticHashTable(initial, -1)

    @tf.function(input_signature=[STRINGS])
    def words(self, s):
        known, total = tf.TensorArray(tf.string, 0, dynamic_size=True), tf.constant(0, tf.int64)
        for word in s:
            for letter in tf.strings.bytes_split(word):
                if letter == " ":
                    break
                known = known.write(known.size(), letter + ".")
            if self.table.lookup(word) > 0:
                self.count.assign_add(1)
                total += self.table.lookup(word)
        return known.stack(), total, self.count.read_value()

    @tf.function(input_signature=[STRINGS])
    def collected(self, s):
        backwards = tf.scan(lambda a, x: a + x, s, reverse=True)
        return tf.map_fn(tf.strings.length, s, fn_output_signature=tf.int32), backwards

    @tf.function(input_signature=[tf.TensorSpec([None, 2])])
    def grown(self, x):
        rows, flags, more = (
            tf.TensorArray(tf.float32, 1, True),
            tf.TensorArray(tf.bool, 0, True),
            tf.zeros([0], tf.int32),
        )
        for i in tf.range(9):
            tf.autograph.experimental.set_loop_options(shape_invariants=[(more, tf.TensorShape([None]))])
            x = x @ self.steps + 1.0
            rows, flags = rows.write(i, x), flags.write(i, tf.reduce_any(x > 3.0))
            more = tf.concat([more, i[None]], 0)
            if tf.reduce_sum(x) > 12.0:
                break
        return rows.stack(), rows.concat(), flags.stack(), rows.size(), more


def test_loops_that_are_no_programs(tmp_path):
    module = Repeating()
    loaded = saved(module, tmp_path)
    for texts in (["ab c", "bb", "", "a"], ["x"]):
        assert plain(loaded.words(tf.constant(texts))) == plain(module.words(tf.constant(texts)))
        assert plain(loaded.collected(tf.constant(texts))) == plain(module.collected(tf.constant(texts)))
    for x in ([[1.0, 2.0]], [[9.0, 9.0], [1.0, 0.0]]):
        assert plain(loaded.grown(tf.constant(x))) == plain(module.grown(tf.constant(x)))


class Growing(tf.Module):
    @tf.function(input_signature=[tf.TensorSpec([None])])
    def joined(self, x):
        rows = tf.TensorArray(tf.float32, 0, dynamic_size=True, infer_shape=False)
        for i in tf.range(tf.cast(x[0], tf.int32)):
            rows = rows.write(i, x[: i + 1])
        return rows.concat()


def test_elements_of_a_saved_array_that_differ_in_length_are_refused(tmp_path):
    loaded = saved(Growing(), tmp_path)
    assert plain(loaded.joined(tf.constant([1.0, 2.0]))) == plain(tf.constant([1.0]))
    with pytest.raises(tf.errors.InvalidArgumentError):
        loaded.joined(tf.constant([2.0, 2.0]))


LOGITS = [[-1.0, 0.0, 1.0], [-np.inf, 0.0, 0.5]]

_DRAWN = {
    "normal": lambda n: tf.random.normal([n, 2], seed=3),
    "uniform": lambda n: tf.random.uniform([n, 2], -1.0, 2.0, seed=4),
    "integers": lambda n: tf.random.uniform([n], -5, 200, tf.int64, seed=5),
    "truncated": lambda n: tf.random.truncated_normal([n], dtype=tf.float64, seed=6),
    "classes": lambda n: tf.random.categorical(LOGITS, n, tf.int32, seed=7),
}


@pytest.mark.parametrize("name", _DRAWN)
def test_random_numbers_of_which_a_value_says_how_many(name, tmp_path):
    module = tf.Module()
    module.f = tf.function(_DRAWN[name], input_signature=[tf.TensorSpec([], tf.int32)])
    tf.random.set_seed(1)
    loaded = saved(module, tmp_path).f
    for count in (3, 5, 2):  # each call goes on where the one before ended
        np.testing.assert_allclose(loaded(count), module.f(count), rtol=1e-6)


def test_one_open_size_is_a_product_too(tmp_path):
    module = tf.Module()
    rows = [tf.TensorSpec([None, 3])]
    module.f = tf.function(lambda x: tf.zeros([tf.reduce_prod(tf.shape(x)[0]), 2]), input_signature=rows)
    assert saved(module, tmp_path).f(tf.zeros([4, 3])).shape == (4, 2)


VECTOR, NUMBERS, COUNT = tf.TensorSpec([None]), tf.TensorSpec([None], tf.int64), tf.TensorSpec([], tf.int32)
ROWS = tf.RaggedTensorSpec([None, None], tf.float32, 1)
X, IDS = tf.constant([1.0, 5.0, 3.0]), tf.constant([0, 0, 2], tf.int64)
NONE, NO_IDS = tf.zeros([0]), tf.zeros([0], tf.int64)
RAGGED = tf.RaggedTensor.from_row_lengths([1.0, 2.0, 3.0], [2, 0, 1])
SPARSE = tf.SparseTensor([[0, 1], [2, 0], [2, 2]], tf.constant([1, 2, 3], tf.int64), [3, 3])
BOXES = tf.constant([[0.0, 0.0, 0.5, 0.5], [0.0, 0.0, 0.5, 0.6], [0.5, 0.5, 1.0, 1.0]])

_COUNTED_BY_VALUES = {
    "segments": (lambda x, i: tf.math.segment_sum(x, i) * 2.0, [VECTOR, NUMBERS], [(X, IDS), (NONE, NO_IDS)]),
    "any order": (tf.math.unsorted_segment_max, [VECTOR, NUMBERS, COUNT], [(X, IDS, tf.constant(4))]),
    "parts": (
        lambda x, i: tf.dynamic_partition(x, tf.cast(i, tf.int32), 3),
        [VECTOR, NUMBERS],
        [(X, IDS), (NONE, NO_IDS)],
    ),
    "stitched": (lambda x, i: tf.dynamic_stitch([tf.argsort(i)], [x]), [VECTOR, NUMBERS], [(X, IDS)]),
    "split": (lambda x, k: tf.split(x, tf.stack([k, tf.size(x) - k])), [VECTOR, COUNT], [(X, tf.constant(1))]),
    "best": (tf.math.top_k, [VECTOR, COUNT], [(X, tf.constant(2)), (X, tf.constant(3))]),
    "boxes": (
        lambda b, s: (
            tf.gather(b, tf.image.non_max_suppression(b, s, 3, 0.5, 0.1)),
            tf.image.non_max_suppression_with_scores(b, s, 3, 0.5, soft_nms_sigma=0.5),
            tf.image.non_max_suppression_padded(b, s, 4, 0.5, pad_to_max_output_size=True),
            tf.image.combined_non_max_suppression(b[None, :, None], s[None, :, None], 2, 3, 0.5),
            tf.image.draw_bounding_boxes(tf.ones([1, 6, 6, 3]), b[None], [[1.0, 0.0, 0.0]]),
        ),
        [tf.TensorSpec([None, 4]), VECTOR],
        [(BOXES, tf.constant([0.5, 0.75, 0.25])), (BOXES, tf.constant([0.0, 0.0, 0.0]))],
    ),
    "embedded": (
        lambda t: tf.nn.safe_embedding_lookup_sparse(tf.reshape(tf.range(8.0), [4, 2]), t, None, combiner="sum"),
        [tf.SparseTensorSpec([None, None], tf.int64)],
        [(SPARSE,)],
    ),
    "sparse": (
        lambda t: (tf.sparse.add(t, t), tf.sparse.reorder(t), tf.sparse.concat(0, [t, t])),
        [tf.SparseTensorSpec([None, 3], tf.int64)],
        [(SPARSE,)],
    ),
    "masked": (
        lambda x: (tf.boolean_mask(x, x > 2.0) * 2.0, tf.gather_nd(x, tf.where(x > 4.0))),
        [VECTOR],
        [(X,), (-X,), (NONE,)],
    ),
    "rows": (
        lambda r: (tf.reduce_sum(r, 1), r.to_tensor(), r[:, :1], tf.reduce_max(r, 0)),
        [ROWS],
        [(RAGGED,), (RAGGED[1:2],)],
    ),
    "columns": (lambda s: tf.io.decode_csv(s, [0.0, "x"]), [STRINGS], [(tf.constant(["1.5,a", ","]),)]),
}


@pytest.mark.parametrize("name", _COUNTED_BY_VALUES)
def test_results_of_which_values_say_how_many(name, tmp_path):
    function, specs, calls = _COUNTED_BY_VALUES[name]
    module = tf.Module()
    module.f = tf.function(function, input_signature=specs)
    loaded = saved(module, tmp_path).f
    for given in calls:
        assert plain(loaded(*given)) == plain(function(*given))


_MAY_BE_EMPTY = {
    "products": (lambda x: tf.nn.relu(x @ tf.ones([3, 4])) + tf.reduce_sum(x), [0, 3]),
    "rows": (lambda x: (tf.nn.softmax(x), tf.reshape(x, [-1]), x[:, :1], tf.concat([x, x], 0)), [0, 3]),
    "steps": (lambda x: tf.reduce_sum(tf.gather(x, [0, 2], axis=1), 0), [0, 3]),
}


@pytest.mark.parametrize("name", _MAY_BE_EMPTY)
def test_batches_without_elements(name, tmp_path):
    function, shape = _MAY_BE_EMPTY[name]
    module = tf.Module()
    module.f = tf.function(function, input_signature=[tf.TensorSpec([None, 3])])
    loaded = saved(module, tmp_path).f
    for x in (tf.zeros(shape), tf.ones([2, 3])):
        assert plain(loaded(x)) == plain(function(x))
        assert [t.shape for t in tf.nest.flatten(loaded(x))] == [t.shape for t in tf.nest.flatten(function(x))]


def test_what_is_empty_and_needs_elements_is_refused(tmp_path):
    module = tf.Module()
    module.f = tf.function(lambda x: tf.reduce_sum(x[:, -1]), input_signature=[tf.TensorSpec([None, None])])
    loaded = saved(module, tmp_path).f
    assert plain(loaded(tf.zeros([0, 2]))) == [0.0]
    with pytest.raises(tf.errors.InvalidArgumentError):
        loaded(tf.zeros([2, 0]))


def test_pictures_one_by_one(tmp_path):
    """The attributes are of TensorFlow's kinds, and what is collected has a shape that the graph did not know."""
    module = tf.Module()

    def decoded(file):
        return tf.image.resize(tf.io.decode_jpeg(file, 3), [4, 4])

    function = lambda s: tf.map_fn(decoded, s, fn_output_signature=tf.float32)  # noqa: E731
    module.f = tf.function(function, input_signature=[STRINGS])
    file = tf.io.encode_jpeg(tf.cast(tf.fill([8, 8, 3], 20), tf.uint8))
    loaded = saved(module, tmp_path).f
    for count in (1, 3):
        assert plain(loaded(tf.fill([count], file))) == plain(function(tf.fill([count], file)))
    definition = tf.__internal__.saved_model.parse_saved_model(str(tmp_path))
    nodes = [
        n for f in definition.meta_graphs[0].graph_def.library.function for n in f.node_def if n.op == "DecodeJpeg"
    ]
    assert [n.attr["acceptable_fraction"].WhichOneof("value") for n in nodes] == ["f"]


def test_assertions_that_show_strings_are_saved(tmp_path):
    class Short(tf.Module):
        @tf.function(input_signature=[STRINGS])
        def __call__(self, texts):
            lengths = tf.strings.length(texts)
            checked = tf.debugging.Assert(lengths < 4, ["too long:", texts, lengths])
            with tf.control_dependencies([checked]):
                return tf.strings.join([texts, tf.strings.as_string(lengths)])

    again = saved(Short(), tmp_path)
    assert again(["ab", "c"]).numpy().tolist() == [b"ab2", b"c1"]
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"assertion failed:.*too long.*ab.*cdef"):
        again(["ab", "cdef"])
