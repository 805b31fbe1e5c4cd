"""Files, bytes that stand for values, examples, images and sounds."""

import struct
import tempfile
import zlib
from functools import partial
from pathlib import Path

from conformance.helpers import raises
from conformance.registry import case

files = partial(case, "io/files")
data = partial(case, "io/bytes")
examples = partial(case, "io/examples")
media = partial(case, "io/images and sounds")


@files("reading, writing and matching files")
def _(tf):
    with tempfile.TemporaryDirectory() as folder:
        tf.io.write_file(folder + "/new/a.txt", b"one\0")
        tf.io.write_file(folder + "/new/b.txt", "two")
        found = tf.io.matching_files([folder + "/new/[^b]*", folder + "/new/b.tx?"])
        return {
            "read": tf.io.read_file(folder + "/new/a.txt"),
            "found": [path[len(folder) :] for path in found.numpy().tolist()],
            "none": tf.io.matching_files(folder + "/none/*"),
            "missing": raises(lambda: tf.io.read_file(folder + "/c.txt"), "No such file"),
            "directory": raises(lambda: tf.io.read_file(folder), "Is a directory"),
            "vector": raises(lambda: tf.io.read_file([folder]), "must be scalar"),
        }


@files("gfile: what is there, what is not")
def _(tf):
    gfile = tf.io.gfile
    with tempfile.TemporaryDirectory() as folder:
        with gfile.GFile(folder + "/a", "w") as file:
            file.write("hé\nb")
        gfile.makedirs(folder + "/x/y")
        with gfile.GFile(folder + "/a") as file:
            parts = [file.read(3), file.tell(), file.readline(), file.read(), file.size()]
        return {
            "parts": parts,
            "names": sorted(gfile.listdir(folder)),
            "walk": [(at[len(folder) :], below, names) for at, below, names in gfile.walk(folder)],
            "stat": [gfile.stat(folder + "/a").length, gfile.stat(folder).is_directory],
            "copy": raises(lambda: gfile.copy(folder + "/a", folder + "/a"), "file already exists"),
            "remove": raises(lambda: gfile.remove(folder + "/x")),
            "below": raises(lambda: gfile.makedirs(folder + "/a/b"), "is not a directory"),
            "mode": raises(lambda: gfile.GFile(folder, "x"), "mode is not"),
            "read": raises(lambda: gfile.GFile(folder + "/a", "a").read(), "File isn't open for reading"),
            "join": [gfile.join("a", "b"), gfile.join("gs://a", "b"), gfile.join("a", "/b")],
        }


@files("bytes of records")
def _(tf):
    with tempfile.TemporaryDirectory() as folder:
        path = folder + "/r"
        with tf.io.TFRecordWriter(path) as writer:
            writer.write(b"abc")
            writer.write(b"")
        plain = Path(path).read_bytes()
        with tf.io.TFRecordWriter(path, "ZLIB") as writer:
            writer.write(b"abc")
        closed = raises(lambda: writer.write(b"a"), "Writer is closed")
        packed = zlib.decompress(Path(path).read_bytes())
        return {
            "plain": plain.hex(),
            "packed": packed.hex(),
            "closed": closed,
            "kind": raises(lambda: tf.io.TFRecordWriter(path, "A")),
        }


@data("raw bytes as numbers")
def _(tf):
    decode = tf.io.decode_raw
    return {
        "little": decode([b"\x01\x02\x03\x04", b"abcd"], tf.int16),
        "big": decode(b"\x01\x02\x03\x04", tf.int16, little_endian=False),
        "padded": decode([b"\x01\x02\x03", b"ab"], tf.uint8, fixed_length=4),
        "uneven": raises(lambda: decode(b"abc", tf.int16), "multiple of 2, the size of int16"),
        "lengths": raises(lambda: decode([b"abc", b"ab"], tf.uint8), "all be the same size"),
        "type": raises(lambda: decode(b"abcd", tf.uint32)),
    }


@data("lines of comma-separated values")
def _(tf):
    def read(lines, defaults, **options):
        return tf.io.decode_csv(lines, defaults, **options)

    return {
        "types": read(["1,2.5,x", "2,,y"], [0, 9.5, ""]),
        "quotes": read(['"a,b",c', '"x ""y""",'], ["", "d"]),
        "columns": read("1,2,3,4", [0, 0], select_cols=[1, 3]),
        "missing": read("NA|2", [5, 5], field_delim="|", na_value="NA"),
        "many": raises(lambda: read("1,2,3", [0, 0]), "Expect 2 fields but have 3 in record 0"),
        "number": raises(lambda: read("a", [0]), "Field 0 in record 0 is not a valid int32: a"),
        "quote": raises(lambda: read('a"b', [""]), "Unquoted fields cannot have quotes"),
        "order": raises(lambda: read("1,2", [0, 0], select_cols=[1, 0]), "not strictly increasing"),
    }


@data("tensors as messages, and compressed bytes")
def _(tf):
    values = [1.5, [1, 2], [[True]], ["a", "bc"], [1 + 2j]]
    return {
        "bytes": [tf.io.serialize_tensor(tf.constant(v)).numpy().hex() for v in values],
        "back": [tf.io.parse_tensor(tf.io.serialize_tensor(tf.constant(v)), tf.constant(v).dtype) for v in values],
        "type": raises(lambda: tf.io.parse_tensor(tf.io.serialize_tensor(1.0), tf.int32), "Type mismatch"),
        "none": raises(lambda: tf.io.parse_tensor(b"zzz", tf.int32), "Could not parse"),
        "inflated": tf.io.decode_compressed([zlib.compress(b"abc")], "ZLIB"),
        "broken": raises(lambda: tf.io.decode_compressed(b"abc", "ZLIB")),
    }


def example(tf, **features):
    lists = {bytes: ("bytes_list", tf.train.BytesList), float: ("float_list", tf.train.FloatList)}
    made = {}
    for key, values in features.items():
        name, kind = lists.get(type(values[0]), ("int64_list", tf.train.Int64List))
        made[key] = tf.train.Feature(**{name: kind(value=values)})
    return tf.train.Example(features=tf.train.Features(feature=made)).SerializeToString(deterministic=True)


@examples("bytes and printed forms of examples")
def _(tf):
    made = example(tf, a=[1, -2], b=[1.5], c=[b"x", b"yz"])
    back = tf.train.Example.FromString(made).features.feature
    return {"bytes": made.hex(), "kind": back["a"].WhichOneof("kind"), "shown": repr(back["b"])}


@examples("dense, padded, sparse and ragged features")
def _(tf):
    io = tf.io
    texts = [example(tf, i=[1], f=[0.5, 1.5], s=[b"a", b"b"]), example(tf, f=[2.5, 3.5])]
    wanted = {
        "i": io.FixedLenFeature([], tf.int64, -1),
        "f": io.FixedLenFeature([2], tf.float32),
        "s": io.VarLenFeature(tf.string),
    }
    found = io.parse_example(texts, wanted)
    padded = io.parse_example(texts, {"s": io.FixedLenSequenceFeature([], tf.string, True)})
    ragged = io.parse_example(texts, {"r": io.RaggedFeature(tf.string, "s")})
    one = io.parse_single_example(texts[0], wanted)
    return {
        "dense": [found["i"], found["f"], one["i"], one["f"]],
        "sparse": [found["s"].indices, found["s"].values, found["s"].dense_shape, one["s"].dense_shape],
        "padded": padded["s"],
        "ragged": ragged["r"].to_list(),
        "order": list(found),
    }


@examples("examples that do not fit")
def _(tf):
    io, text = tf.io, example(tf, i=[1, 2])

    def parse(feature, serialized=text):
        return lambda: io.parse_example([serialized], {"i": feature})

    return {
        "missing": raises(parse(io.FixedLenFeature([], tf.int64), b""), "is required but could not be found"),
        "type": raises(parse(io.FixedLenFeature([2], tf.float32)), "Data types don't match"),
        "count": raises(parse(io.FixedLenFeature([3], tf.int64)), "Values size: 2 but output shape: [3]"),
        "stride": raises(parse(io.FixedLenSequenceFeature([3], tf.int64, True)), "not a multiple of stride length"),
        "bytes": raises(parse(io.FixedLenFeature([2], tf.int64), text[:-1]), "Could not parse example input"),
        "open": raises(parse(io.FixedLenFeature([None], tf.int64)), "Consider using FixedLenSequenceFeature"),
        "none": raises(lambda: io.parse_example([text], {}), "cannot be None or falsy"),
    }


@examples("sequence examples")
def _(tf):
    io, train = tf.io, tf.train

    def feature(*values):
        return train.Feature(int64_list=train.Int64List(value=values))

    def sequence(n, *steps):
        lists = train.FeatureLists(feature_list={"w": train.FeatureList(feature=[feature(*s) for s in steps])})
        context = train.Features(feature={"n": feature(n)})
        return train.SequenceExample(context=context, feature_lists=lists).SerializeToString()

    texts = [sequence(3, [1, 2], [3, 4]), sequence(4, [5, 6])]
    context = {"n": io.FixedLenFeature([], tf.int64)}
    dense = io.parse_sequence_example(texts, context, {"w": io.FixedLenSequenceFeature([2], tf.int64)})
    ragged = io.parse_sequence_example(texts, context, {"w": io.RaggedFeature(tf.int64)})
    single = io.parse_single_sequence_example(texts[0], context, {"w": io.VarLenFeature(tf.int64)})
    return {"dense": dense, "ragged": ragged[1]["w"].to_list(), "single": [single[0]["n"], single[1]["w"].indices]}


@media("images as files and back")
def _(tf):
    io = tf.io
    ramp = tf.cast(tf.reshape(tf.range(192) * 5 % 256, [8, 8, 3]), tf.uint8)
    jpeg, png = io.encode_jpeg(ramp), io.encode_png(ramp)
    return {
        "jpeg": zlib.crc32(jpeg.numpy()),
        "pixels": io.decode_jpeg(jpeg),
        "accurate": io.decode_jpeg(jpeg, dct_method="INTEGER_ACCURATE", fancy_upscaling=False),
        "smaller": io.decode_jpeg(jpeg, ratio=2),
        "grey": [io.decode_jpeg(jpeg, channels=1), io.decode_png(png, channels=1)],
        "alpha": io.decode_image(png, channels=4, expand_animations=False),
        "wide": io.decode_png(png, dtype=tf.uint16),
        "scaled": io.decode_image(png, dtype=tf.float32),
        "shape": io.extract_jpeg_shape(jpeg),
        "kinds": [io.is_jpeg(jpeg), io.is_jpeg(png)],
        "two": raises(lambda: io.decode_image(png, channels=2), "`channels` must be 0, 1, 3 or 4 but got 2"),
        "four": raises(lambda: io.decode_jpeg(jpeg, channels=4), "JPEG does not support 4 channels"),
        "none": raises(lambda: io.decode_image(b"abc"), "Unknown image file format"),
        "rank": raises(lambda: io.encode_jpeg(ramp[0]), "must be 3-dimensional"),
    }


@media("sounds as files and back")
def _(tf):
    sound = [[0.0, 0.5], [-1.0, 2.0], [1.5 / 32768, -1.5 / 32768]]
    data = tf.audio.encode_wav(sound, 8000)
    broken = data.numpy()[:34] + struct.pack("<H", 8) + data.numpy()[36:]
    return {
        "bytes": data.numpy().hex(),
        "back": list(tf.audio.decode_wav(data)),
        "fitted": tf.audio.decode_wav(data, desired_channels=3, desired_samples=4).audio,
        "bits": raises(lambda: tf.audio.decode_wav(broken), "Can only read 16-bit WAV files, but received 8"),
        "rate": raises(lambda: tf.audio.encode_wav(sound, 0), "sample_rate must be in"),
    }


@media("a part of a JPEG image, from its middle")
def _(tf):
    ramp = tf.cast(tf.reshape(tf.range(40 * 40 * 3) * 7 % 256, [40, 40, 3]), tf.uint8)
    jpeg = tf.io.encode_jpeg(ramp)
    whole = tf.io.decode_and_crop_jpeg(tf.io.encode_jpeg(ramp, chroma_downsampling=False), [8, 16, 8, 8])
    return {"all samples": whole, "fewer of colours": tf.io.decode_and_crop_jpeg(jpeg, [8, 16, 8, 8])}


@media("a JPEG file that is cut off")
def _(tf):
    jpeg = tf.io.encode_jpeg(tf.cast(tf.reshape(tf.range(192) * 5 % 256, [8, 8, 3]), tf.uint8)).numpy()
    return {
        "refused": raises(lambda: tf.io.decode_jpeg(jpeg[:-20]), "Invalid JPEG data"),
        "without its end": tf.io.decode_jpeg(jpeg[:-2], try_recover_truncated=True),
        "with less": raises(lambda: tf.io.decode_jpeg(jpeg[:-20], try_recover_truncated=True).shape),
    }
