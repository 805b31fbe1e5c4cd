"""Made by docs/stubs.py: run it again where a test says that this is old."""

from typing import Any as _Any
def as_string(input: _Any, precision: _Any = -1, scientific: _Any = False, shortest: _Any = False, width: _Any = -1, fill: _Any = '', name: _Any = None) -> _Any:
    """Numbers written out, as C's `printf` does."""
def bytes_split(input: _Any, name: _Any = None) -> _Any:
    """The bytes of strings. Mirrors `tf.strings.bytes_split`."""
def format(template: _Any, inputs: _Any, placeholder: _Any = '{}', summarize: _Any = 3, name: _Any = None) -> _Any:
    """A text with the values of tensors in it, as `tf.print` shows them. Mirrors `tf.strings.format`."""
def join(inputs: _Any, separator: _Any = '', name: _Any = None) -> _Any:
    """The strings at each place, one after the other; scalars go with every place. Mirrors `tf.strings.join`."""
def length(input: _Any, unit: _Any = 'BYTE', name: _Any = None) -> _Any:
    """The number of bytes, or of characters with `unit="UTF8_CHAR"`."""
def lower(input: _Any, encoding: _Any = '', name: _Any = None) -> _Any:
    """In lower case: ASCII letters, or all with `encoding="utf-8"`."""
def ngrams(data: _Any, ngram_width: _Any, separator: _Any = ' ', pad_values: _Any = None, padding_width: _Any = None, preserve_short_sequences: _Any = False, name: _Any = None) -> _Any:
    """Neighbours along the last dimension, joined. Mirrors `tf.strings.ngrams`."""
def reduce_join(inputs: _Any, axis: _Any = None, keepdims: _Any = False, separator: _Any = '', name: _Any = None) -> _Any:
    """The strings joined along some axes, one after the other; along all if None. Mirrors `tf.strings.reduce_join`."""
def regex_full_match(input: _Any, pattern: _Any, name: _Any = None) -> _Any:
    """Whether all of each string matches the pattern."""
def regex_replace(input: _Any, pattern: _Any, rewrite: _Any, replace_global: _Any = True, name: _Any = None) -> _Any:
    """Each match of the pattern is replaced; `\\1` to `\\9` in `rewrite` stand for groups, `\\0` for all that matched."""
def split(input: _Any, sep: _Any = None, maxsplit: _Any = -1, name: _Any = None) -> _Any:
    """The parts of strings between separators. Mirrors `tf.strings.split`."""
def strip(input: _Any, name: _Any = None) -> _Any:
    """Without white space at both ends."""
def substr(input: _Any, pos: _Any, len: _Any, unit: _Any = 'BYTE', name: _Any = None) -> _Any:
    """`len` bytes (or characters) from `pos` on; a negative `pos` counts from the end."""
def to_hash_bucket(input: _Any, num_buckets: _Any, name: _Any = None) -> _Any:
    """The bucket of each string, by a hash that may differ between releases: MurmurHash64A."""
def to_hash_bucket_fast(input: _Any, num_buckets: _Any, name: _Any = None) -> _Any:
    """The bucket of each string, by FarmHash's fingerprint."""
def to_hash_bucket_strong(input: _Any, num_buckets: _Any, key: _Any, name: _Any = None) -> _Any:
    """The bucket of each string, by SipHash with a secret key: who does not know it cannot choose strings for one bucket."""
def to_number(input: _Any, out_type: _Any = ..., name: _Any = None) -> _Any:
    """The numbers that the strings stand for. Mirrors `tf.strings.to_number`."""
def unicode_decode(input: _Any, input_encoding: _Any, errors: _Any = 'replace', replacement_char: _Any = 65533, replace_control_characters: _Any = False, name: _Any = None) -> _Any:
    """The code points of strings. Mirrors `tf.strings.unicode_decode`; see `unicode_decode_with_offsets`."""
def unicode_decode_with_offsets(input: _Any, input_encoding: _Any, errors: _Any = 'replace', replacement_char: _Any = 65533, replace_control_characters: _Any = False, name: _Any = None) -> _Any:
    """The code points of strings, and the byte at which each begins. Mirrors `tf.strings.unicode_decode_with_offsets`."""
def unicode_encode(input: _Any, output_encoding: _Any, errors: _Any = 'replace', replacement_char: _Any = 65533, name: _Any = None) -> _Any:
    """The strings of code points, which are along the last dimension. Mirrors `tf.strings.unicode_encode`."""
def unicode_script(input: _Any, name: _Any = None) -> _Any:
    """The script of each code point, as ICU numbers them; -1 for what is no code point."""
def unicode_split(input: _Any, input_encoding: _Any, errors: _Any = 'replace', replacement_char: _Any = 65533, name: _Any = None) -> _Any:
    """The characters of strings. Mirrors `tf.strings.unicode_split`; see `unicode_split_with_offsets`."""
def unicode_split_with_offsets(input: _Any, input_encoding: _Any, errors: _Any = 'replace', replacement_char: _Any = 65533, name: _Any = None) -> _Any:
    """The characters of strings, and the byte at which each begins. Mirrors `tf.strings.unicode_split_with_offsets`."""
def unicode_transcode(input: _Any, input_encoding: _Any, output_encoding: _Any, errors: _Any = 'replace', replacement_char: _Any = 65533, replace_control_characters: _Any = False, name: _Any = None) -> _Any:
    """The strings in another encoding."""
def unsorted_segment_join(inputs: _Any, segment_ids: _Any, num_segments: _Any, separator: _Any = '', name: _Any = None) -> _Any:
    """The strings of each segment, joined in order of their places; an empty string for a segment without any."""
def upper(input: _Any, encoding: _Any = '', name: _Any = None) -> _Any:
    """In upper case: ASCII letters, or all with `encoding="utf-8"`."""
