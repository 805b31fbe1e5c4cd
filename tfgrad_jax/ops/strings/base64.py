"""Base64, in the alphabet that is safe in file names and addresses."""

from __future__ import annotations

import binascii
import re

from tfgrad_jax.engine.declare.op import op
from tfgrad_jax.engine.declare.roles import Flag
from tfgrad_jax.engine.messages.errors import invalid_argument
from tfgrad_jax.ops.strings.common import String, each

_SAFE, _PLAIN = bytes.maketrans(b"+/", b"-_"), bytes.maketrans(b"-_", b"+/")
_ENCODED = rb"(?:[A-Za-z0-9_-]{4})*(?:[A-Za-z0-9_-]{2}(?:==)?|[A-Za-z0-9_-]{3}=?)?"


@op("EncodeBase64", "io.encode_base64", host=True)
def encode_base64(input: String, pad: Flag = False):
    """Each string in base64, in the alphabet with `-` and `_`.

    Args:
      input: strings.
      pad: whether `=` makes the length a multiple of four.
      name: accepted for compatibility.
    """
    padding = b"" if pad else b"="
    encode = binascii.b2a_base64
    return each(lambda s: encode(s, newline=False).translate(_SAFE).rstrip(padding), input)


@op("DecodeBase64", "io.decode_base64", host=True)
def decode_base64(input: String):
    """The strings that are given in base64, in the alphabet with `-` and `_`; `=` at the end may be left out.

    Raises:
      InvalidArgumentError: if a string is no base64.
    """

    def decoded(text: bytes) -> bytes:
        if len(text) % 4 == 1:
            raise invalid_argument("Base64 string length cannot be 1 modulo 4.", "DecodeBase64")
        if re.fullmatch(_ENCODED, text) is None:
            raise invalid_argument(f"Invalid character found in base64: {text!r}", "DecodeBase64")
        return binascii.a2b_base64(text.translate(_PLAIN) + b"=" * (-len(text) % 4))

    return each(decoded, input)


@decode_base64.types
def _(input):
    return input
