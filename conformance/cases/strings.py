"""Text from strings to numbers, as programs prepare it: `tf.strings`, `tf.lookup`, `tf.queue`; eagerly and in functions."""

from functools import partial

from conformance.helpers import raises
from conformance.registry import case

strings = partial(case, "strings")
tables = partial(case, "tables and queues")

SENTENCES = ["Hello, World! the cat", "the DOG... sat", "", "naïve café"]


def here_and_inside(tf, body, *args):
    """What `body` gives eagerly, and in a function; each may be an exception."""
    return raises(lambda: body(*args)), raises(lambda: tf.function(body)(*args))


def parts(rows):
    """A ragged tensor as tensors."""
    return rows.flat_values, *rows.nested_row_splits


def vocabulary(tf):
    ids = tf.range(3, dtype=tf.int64)
    return tf.lookup.StaticVocabularyTable(tf.lookup.KeyValueTensorInitializer(["the", "cat", "dog"], ids), 2)


@strings("words, their numbers, padded")
def _(tf):
    table = vocabulary(tf)

    def f(s):
        plain = tf.strings.regex_replace(tf.strings.lower(s), r"[!,.]", "")
        ids = table.lookup(tf.strings.split(plain))
        return *parts(ids), ids.to_tensor(-1)

    return here_and_inside(tf, f, tf.constant(SENTENCES))


@strings("characters and code points")
def _(tf):
    def f(s):
        points, starts = tf.strings.unicode_decode_with_offsets(s, "UTF-8")
        again = tf.strings.unicode_encode(points, "UTF-16-BE")
        return *parts(points), *parts(starts), again, *parts(tf.strings.unicode_split(s, "UTF-8"))

    return here_and_inside(tf, f, tf.constant([*SENTENCES, b"\xff\xe2\x82x"]))


@strings("n-grams and joins")
def _(tf):
    def f(s):
        words = tf.strings.split(s)
        grams = tf.strings.ngrams(words, [1, 2], pad_values=("<", ">"))
        return *parts(grams), tf.strings.reduce_join(words, axis=-1, separator="_"), tf.strings.join([s, s], "|")

    return here_and_inside(tf, f, tf.constant(SENTENCES))


@strings("regular expressions")
def _(tf):
    def f(s):
        replaced = [tf.strings.regex_replace(s, p, r"<\0>") for p in (r"\pL+", "b*", r"[[:punct:]]", "(?i)THE", ".")]
        return replaced, tf.strings.regex_full_match(s, ".*[a-z]")

    return here_and_inside(tf, f, tf.constant(SENTENCES)), raises(lambda: f(tf.strings.regex_replace("a", "(", "")))


@strings("hashes and fingerprints")
def _(tf):
    def f(s):
        fast, old = tf.strings.to_hash_bucket_fast(s, 1000), tf.strings.to_hash_bucket(s, 1000)
        return fast, old, tf.strings.to_hash_bucket_strong(s, 1000, [1, 2]), tf.fingerprint(s)

    return here_and_inside(tf, f, tf.constant([*SENTENCES, "x" * 100]))


@strings("numbers")
def _(tf):
    def f(s):
        numbers = tf.strings.to_number(s)
        return numbers, tf.strings.as_string(numbers), tf.strings.as_string(numbers, precision=2, width=9, fill="0")

    return here_and_inside(tf, f, tf.constant([" 1.5", "-inf", "0x1p3"])), here_and_inside(tf, f, tf.constant(["a"]))


@strings("base64 and parts")
def _(tf):
    def f(s):
        encoded = tf.io.encode_base64(s)
        return encoded, tf.io.decode_base64(encoded), tf.strings.substr(s, 0, 2, unit="UTF8_CHAR"), tf.strings.length(s)

    return here_and_inside(tf, f, tf.constant(SENTENCES)), here_and_inside(tf, tf.io.decode_base64, tf.constant("a"))


@strings("parts of tensors of strings")
def _(tf):
    def f(s):
        return s[1], s[::-1], s[tf.constant(0)], tf.shape(s)[0] * 2, tf.map_fn(lambda x: x + "!", s)

    return here_and_inside(tf, f, tf.constant(SENTENCES))


@tables("static tables")
def _(tf):
    pairs = tf.lookup.KeyValueTensorInitializer(tf.constant(["a", "b"]), tf.constant([1, 2]))
    table = tf.lookup.StaticHashTable(pairs, -1)

    def f(s):
        return table.lookup(s), table[s], table.size()

    other = tf.lookup.KeyValueTensorInitializer(tf.constant(["a", "a"]), tf.constant([1, 2]))
    return (
        here_and_inside(tf, f, tf.constant([["a", "z"]])),
        here_and_inside(tf, f, tf.constant([1])),
        raises(lambda: tf.lookup.StaticHashTable(other, -1)),
    )


@tables("terms that are not known")
def _(tf):
    table = vocabulary(tf)
    return here_and_inside(tf, lambda s: (table.lookup(s), table.size()), tf.constant(["the", "mouse", "", "dog"]))


@tables("a table that changes in a function")
def _(tf):
    table = tf.lookup.experimental.MutableHashTable(tf.string, tf.int64, -1)

    @tf.function
    def f(s):
        before = table.lookup(s)
        table.insert(s, before + 10)
        table.remove(s[:1])
        return before, table.lookup(s), table.size()

    s = tf.constant(["a", "b"])
    return f(s), f(s), raises(lambda: table.insert(s, tf.constant([1], tf.int64)))


@tables("rows and reserved keys")
def _(tf):
    table = tf.lookup.experimental.DenseHashTable(tf.int64, tf.float32, [0.0, 0.0], empty_key=0, deleted_key=-1)
    keys = tf.constant([1, 2], tf.int64)
    table.insert(keys, tf.constant([[1.0, 2.0], [3.0, 4.0]]))
    return table.lookup(keys + 1), table.size(), raises(lambda: table.lookup(keys - 1))


@tables("queues")
def _(tf):
    queue = tf.queue.PaddingFIFOQueue(9, [tf.int32], [[None]])
    ordered = tf.queue.PriorityQueue(9, [tf.string], [[]])
    for length in (1, 3, 2):
        queue.enqueue([tf.range(length)])
        ordered.enqueue([tf.constant(length, tf.int64), tf.constant(str(length))])
    queue.close()
    first = queue.dequeue_many(2)
    return (
        first,
        queue.dequeue_up_to(5),
        raises(queue.dequeue),
        raises(lambda: queue.enqueue([[1]])),
        ordered.dequeue_many(3),
    )
