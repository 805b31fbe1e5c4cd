"""Files and arguments of files that cannot be read or written; images and sounds."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from tests.outcomes import Calls, some


def files_calls(tf: Any, folder: Path) -> Calls:
    (folder / "text").write_bytes(b"one\ntwo\n")
    (folder / "table").write_bytes(b"a,b\n1,2\nx,4\n5\n")
    with tf.io.TFRecordWriter(str(folder / "records")) as writer:
        for _ in range(3):
            writer.write(b"some bytes")
    whole = (folder / "records").read_bytes()
    (folder / "cut").write_bytes(whole[:-3])
    (folder / "flipped").write_bytes(whole[:14] + b"X" + whole[15:])
    (folder / "length").write_bytes(b"\xff" + whole[1:])
    data = tf.data
    readers = {
        "TextLineDataset": data.TextLineDataset,
        "TFRecordDataset": data.TFRecordDataset,
        "FixedLengthRecordDataset": lambda *args: data.FixedLengthRecordDataset(args[0], 4, 0, 0, None, *args[1:]),
    }
    found: Calls = {}
    for name, make in readers.items():
        for kind, args in {
            "not there": (str(folder / "nothing"),),
            "a folder": (str(folder),),
            "no gzip": (str(folder / "text"), "GZIP"),
            "no zlib": (str(folder / "text"), "ZLIB"),
            "an unknown compression": (str(folder / "text"), "LZ"),
            "a number": (3,),
            "a dataset of numbers": (data.Dataset.range(2),),
            "a matrix of names": ([[str(folder / "text")]],),
        }.items():
            found[f"{name}: {kind}"] = lambda make=make, args=args: some(make(*args))
    for kind in ("cut", "flipped", "length", "text"):
        found[f"records: {kind}"] = lambda kind=kind: some(data.TFRecordDataset(str(folder / kind)))
    text, table = str(folder / "text"), str(folder / "table")
    csv = data.experimental.CsvDataset
    return found | {
        "fixed: does not divide": lambda: some(data.FixedLengthRecordDataset(text, 3)),
        "fixed: no length": lambda: some(data.FixedLengthRecordDataset(text, 0)),
        "fixed: a header that is too long": lambda: some(data.FixedLengthRecordDataset(text, 4, header_bytes=100)),
        "csv: no number": lambda: some(csv(table, [tf.int32, tf.int32], header=True)),
        "csv: too few fields": lambda: some(csv(table, [tf.string, tf.string, tf.string], header=True)),
        "csv: too many fields": lambda: some(csv(table, [tf.string], header=True)),
        "csv: a long delimiter": lambda: some(csv(table, [tf.string], field_delim="ab")),
        "csv: a column that is not there": lambda: some(csv(table, [tf.string], select_cols=[7])),
        "csv: columns out of order": lambda: some(csv(table, [tf.string, tf.string], select_cols=[1, 0])),
        "csv: a wrong number of columns": lambda: some(csv(table, [tf.string], select_cols=[0, 1])),
        "csv: not there": lambda: some(csv(str(folder / "nothing"), [tf.string])),
        "csv: a dtype that there is not": lambda: some(csv(table, [tf.uint8])),
        "csv: required and missing": lambda: some(csv(table, [tf.string, tf.string], header=True)),
        "csv batches: no file": lambda: data.experimental.make_csv_dataset(str(folder / "none*"), 2),
        "csv batches: a label that is not there": lambda: data.experimental.make_csv_dataset(table, 2, label_name="z"),
        "writer: a folder": lambda: tf.io.TFRecordWriter(str(folder)),
        "writer: no folder": lambda: tf.io.TFRecordWriter(str(folder / "none" / "x")),
        "writer: text": lambda: tf.io.TFRecordWriter(str(folder / "w")).write("text"),
        "writer: a number": lambda: tf.io.TFRecordWriter(str(folder / "w")).write(3),
        "writer: an unknown compression": lambda: tf.io.TFRecordOptions("LZ"),
        "read_file: not there": lambda: tf.io.read_file(str(folder / "nothing")),
        "read_file: a folder": lambda: tf.io.read_file(str(folder)),
        "read_file: a vector": lambda: tf.io.read_file([text, text]),
        "read_file: a number": lambda: tf.io.read_file(3),
        "write_file: a number": lambda: tf.io.write_file(str(folder / "w"), 3),
        "write_file: a folder": lambda: tf.io.write_file(str(folder), "x"),
        "write_file: a vector": lambda: tf.io.write_file(str(folder / "w"), ["x", "y"]),
        "gfile: not there": lambda: tf.io.gfile.GFile(str(folder / "nothing")).read(),
        "gfile: written, open to read": lambda: tf.io.gfile.GFile(text).write("x"),
        "gfile: read, open to write": lambda: tf.io.gfile.GFile(str(folder / "w2"), "w").read(),
        "gfile: an unknown mode": lambda: tf.io.gfile.GFile(text, "q").read(),
        "gfile: remove what is not there": lambda: tf.io.gfile.remove(str(folder / "nothing")),
        "gfile: copy what is not there": lambda: tf.io.gfile.copy(str(folder / "nothing"), str(folder / "w3")),
        "gfile: copy over": lambda: tf.io.gfile.copy(text, table),
        "gfile: rename over": lambda: tf.io.gfile.rename(text, table),
        "gfile: mkdir twice": lambda: tf.io.gfile.mkdir(str(folder)),
        "gfile: mkdir deep": lambda: tf.io.gfile.mkdir(str(folder / "p" / "q")),
        "gfile: list a file": lambda: tf.io.gfile.listdir(text),
        "gfile: list nothing": lambda: tf.io.gfile.listdir(str(folder / "nothing")),
        "gfile: stat nothing": lambda: tf.io.gfile.stat(str(folder / "nothing")),
        "gfile: rmtree nothing": lambda: tf.io.gfile.rmtree(str(folder / "nothing")),
        "gfile: glob a number": lambda: tf.io.gfile.glob(3),
    }


def images_calls(tf: Any, folder: Path) -> Calls:
    pixels = (np.arange(6 * 5 * 3) % 251).astype(np.uint8).reshape(6, 5, 3)
    files = {
        "jpeg": tf.io.encode_jpeg(pixels).numpy(),
        "png": tf.io.encode_png(pixels).numpy(),
        "bmp": b"BM" + bytes(100),
        "gif": b"GIF89a" + bytes(3),
    }
    found: Calls = {}
    for name, data in files.items():
        decode = getattr(tf.io, f"decode_{name}")
        for kind, given in {
            "nothing": b"",
            "garbage": b"garbage" * 20,
            "cut": data[: len(data) // 2],
            "a beginning": data[:4],
            "a vector": [data, data],
            "a number": 3,
        }.items():
            found[f"decode_{name}: {kind}"] = lambda decode=decode, given=given: decode(given)
        if name != "gif":
            found[f"decode_{name}: two channels"] = lambda decode=decode, data=data: decode(data, channels=2)
            found[f"decode_{name}: nine channels"] = lambda decode=decode, data=data: decode(data, channels=9)
    image = tf.io.decode_image
    png, jpeg = files["png"], files["jpeg"]
    return found | {
        "decode_image: nothing": lambda: image(b""),
        "decode_image: garbage": lambda: image(b"garbage" * 20),
        "decode_image: another dtype": lambda: image(png, dtype=tf.int8),
        "decode_image: nine channels": lambda: image(png, channels=9),
        "decode_image: a vector": lambda: image([png]),
        "decode_png: another dtype": lambda: tf.io.decode_png(png, dtype=tf.float32),
        "decode_jpeg: another ratio": lambda: tf.io.decode_jpeg(jpeg, ratio=3),
        "decode_jpeg: an unknown method": lambda: tf.io.decode_jpeg(jpeg, dct_method="fast"),
        "crop: beyond": lambda: tf.io.decode_and_crop_jpeg(jpeg, [0, 0, 60, 5]),
        "crop: negative": lambda: tf.io.decode_and_crop_jpeg(jpeg, [-1, 0, 2, 2]),
        "crop: empty": lambda: tf.io.decode_and_crop_jpeg(jpeg, [0, 0, 0, 2]),
        "crop: three numbers": lambda: tf.io.decode_and_crop_jpeg(jpeg, [0, 0, 2]),
        "jpeg shape: garbage": lambda: tf.io.extract_jpeg_shape(b"garbage"),
        "jpeg shape: another dtype": lambda: tf.io.extract_jpeg_shape(jpeg, output_type=tf.float32),
        "encode_jpeg: floats": lambda: tf.io.encode_jpeg(pixels.astype(np.float32)),
        "encode_jpeg: two channels": lambda: tf.io.encode_jpeg(pixels[..., :2]),
        "encode_jpeg: a matrix": lambda: tf.io.encode_jpeg(pixels[..., 0]),
        "encode_jpeg: quality": lambda: tf.io.encode_jpeg(pixels, quality=200),
        "encode_jpeg: an unknown format": lambda: tf.io.encode_jpeg(pixels, format="cmyk"),
        "encode_jpeg: grey, three channels": lambda: tf.io.encode_jpeg(pixels, format="grayscale"),
        "encode_png: floats": lambda: tf.io.encode_png(pixels.astype(np.float32)),
        "encode_png: five channels": lambda: tf.io.encode_png(np.zeros([2, 2, 5], np.uint8)),
        "encode_png: a matrix": lambda: tf.io.encode_png(pixels[..., 0]),
        "encode_png: compression": lambda: tf.io.encode_png(pixels, compression=20),
        "encode_png: empty": lambda: tf.io.encode_png(np.zeros([0, 2, 3], np.uint8)),
        "is_jpeg: a number": lambda: tf.io.is_jpeg(3),
        "wav: nothing": lambda: tf.audio.decode_wav(b""),
        "wav: garbage": lambda: tf.audio.decode_wav(b"RIFF" + b"garbage" * 20),
        "wav: a vector": lambda: tf.audio.decode_wav([b"x"]),
        "wav: encode a vector": lambda: tf.audio.encode_wav([0.5], 44100),
        "wav: encode integers": lambda: tf.audio.encode_wav([[1]], 44100),
        "wav: no rate": lambda: tf.audio.encode_wav([[0.5]], 0),
    }


def bytes_calls(tf: Any, folder: Path) -> Calls:
    io = tf.io
    return {
        "decode_raw: does not divide": lambda: io.decode_raw(b"abc", tf.int32),
        "decode_raw: other lengths": lambda: io.decode_raw([b"abcd", b"abcdefgh"], tf.int32),
        "decode_raw: strings": lambda: io.decode_raw(b"abcd", tf.string),
        "decode_raw: a number": lambda: io.decode_raw(3, tf.int32),
        "decode_raw: a short fixed length": lambda: io.decode_raw([b"abcd"], tf.int32, fixed_length=3),
        "decode_raw: no fixed length": lambda: io.decode_raw([b"abcd"], tf.int32, fixed_length=0),
        "decode_csv: no number": lambda: io.decode_csv("a,1", [0, 0]),
        "decode_csv: too few fields": lambda: io.decode_csv("1", [0, 0]),
        "decode_csv: too many fields": lambda: io.decode_csv("1,2,3", [0, 0]),
        "decode_csv: required and missing": lambda: io.decode_csv(",1", [tf.constant([], tf.int32), 0]),
        "decode_csv: a dtype that there is not": lambda: io.decode_csv("1", [tf.constant([1], tf.uint8)]),
        "decode_csv: a default of two": lambda: io.decode_csv("1", [[1, 2]]),
        "decode_csv: a long delimiter": lambda: io.decode_csv("1", [0], field_delim="ab"),
        "decode_csv: no delimiter": lambda: io.decode_csv("1", [0], field_delim=""),
        "decode_csv: an open quote": lambda: io.decode_csv('"1', [[""]]),
        "decode_csv: a quote in the middle": lambda: io.decode_csv('a"b"', [[""]]),
        "decode_csv: a column that is not there": lambda: io.decode_csv("1", [0], select_cols=[5]),
        "decode_csv: columns out of order": lambda: io.decode_csv("1,2", [0, 0], select_cols=[1, 0]),
        "decode_csv: a number": lambda: io.decode_csv(3, [0]),
        "decode_csv: too large": lambda: io.decode_csv("99999999999", [0]),
        "decode_compressed: garbage": lambda: io.decode_compressed(b"garbage", "ZLIB"),
        "decode_compressed: gzip garbage": lambda: io.decode_compressed(b"garbage", "GZIP"),
        "decode_compressed: an unknown one": lambda: io.decode_compressed(b"x", "LZ"),
        "matching_files: a number": lambda: io.matching_files(3),
        "matching_files: a matrix": lambda: io.matching_files([["a"]]),
    }
