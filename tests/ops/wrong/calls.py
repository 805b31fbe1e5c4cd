"""All of the wrong calls; `python -m tests.ops.wrong.calls` writes `recorded.json` anew, where TensorFlow is installed."""

from __future__ import annotations

import importlib
import json
import logging
import warnings
import zlib
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from tests.ops.wrong import rows_arrays, rows_composites, rows_math, rows_nn
from tests.ops.wrong.table import Row
from tests.outcomes import Calls, outcome

PATH = Path(__file__).parent / "recorded.json"

FAMILIES = (rows_math, rows_arrays, rows_nn, rows_composites)

UNANSWERED = {
    "gather:batched, batch_dims: large",
    "meshgrid, x: empty",
    "meshgrid, y: empty",
    "Variable.scatter_nd_add, updates: other dtype",
    "Variable.scatter_nd_add, updates: wide",
    "Variable.scatter_nd_update, updates: text",
    "Variable.scatter_nd_update, updates: other dtype",
    "Variable.scatter_nd_update, updates: wide",
    "Variable.scatter_update:rows, values: empty",
    "TensorArray.read, index: list",
    "TensorArray.scatter, indices: negative",
    "image.non_max_suppression_padded, iou_threshold: negative",
    "signal.stft, fft_length: zero",
    "signal.inverse_stft, fft_length: zero",
    "random.poisson, lam: nan",
    "random.stateless_poisson, lam: nan",
    *(
        f"nn.{name}, input: rank less"
        for name in ("conv1d", "conv2d", "depthwise_conv2d", "separable_conv2d", "convolution")
    ),
    "nn.conv2d:padded, input: rank less",
    *(
        f"nn.{name}, {what}"
        for name in ("conv1d_transpose", "conv2d_transpose")
        for what in ("output_shape: shorter", "output_shape: negative", "strides: zero")
    ),
}
"""Calls that end TensorFlow's process, or never return there."""


DRAWN = {"nn.nce_loss, num_classes: large", "nn.sampled_softmax_loss, num_classes: large"}
"""Calls that are wrong for some of the numbers that they draw."""


def wrong() -> Iterator[tuple[str, Row, dict[str, Any]]]:
    """Every wrong call: its name, row and arguments."""
    for family in FAMILIES:
        for row in family.rows.values():
            for what, args in row.wrong():
                if (name := f"{row.name}, {what}") not in UNANSWERED | DRAWN:
                    yield name, row, args


def calls(tf: Any) -> Calls:
    """Those of the table: a sixth of all, eagerly and in a function, and all with fractions for integers eagerly."""
    chosen = [(c, zlib.crc32(c[0].encode()) % 6 == 0) for c in wrong()]
    return {
        f"{name}{' (in a function)' if inside else ''}": partial(row.run, tf, args, inside)
        for (name, row, args), drawn in chosen
        for inside in (False, True)
        if drawn or ("fraction" in name and not inside)
    }


def outcomes(tf: Any) -> dict[str, str]:
    """What becomes of each call."""
    logger = tf.get_logger()
    level = logger.level
    logger.setLevel(logging.ERROR)
    try:
        with np.errstate(all="ignore"), warnings.catch_warnings(action="ignore"):
            return {name: outcome(call) for name, call in calls(tf).items()}
    finally:
        logger.setLevel(level)


if __name__ == "__main__":
    found = outcomes(importlib.import_module("tensorflow"))
    PATH.write_text(json.dumps(found, indent=0) + "\n", encoding="utf-8")
