"""Losses over many classes, of which a few are drawn by lot to stand for all."""

from __future__ import annotations

import math
from collections import namedtuple
from typing import Any

import numpy as np

from tfgrad_jax.engine.declare.op import op
from tfgrad_jax.engine.declare.roles import Flag, Int, Key, Operand, Text
from tfgrad_jax.engine.messages.errors import invalid_argument
from tfgrad_jax.engine.names.export import export
from tfgrad_jax.engine.run.execute import misfit
from tfgrad_jax.engine.state.random_state import next_key
from tfgrad_jax.engine.values import dtypes
from tfgrad_jax.engine.values.convert import convert
from tfgrad_jax.engine.values.tensor import Spec, Tensor
from tfgrad_jax.ops.array.array import concat
from tfgrad_jax.ops.array.creation import ones_like, stop_gradient, zeros_like
from tfgrad_jax.ops.array.scatter import tensor_scatter_nd_min
from tfgrad_jax.ops.array.shape import reshape
from tfgrad_jax.ops.common import listed, number_of, sizes_of
from tfgrad_jax.ops.io.file_systems import read_bytes
from tfgrad_jax.ops.linalg.matmul import matmul
from tfgrad_jax.ops.math.cast import cast
from tfgrad_jax.ops.math.elementary import log
from tfgrad_jax.ops.math.reduce import reduce_sum
from tfgrad_jax.ops.nn.losses import sigmoid_cross_entropy_with_logits, softmax_cross_entropy_with_logits
from tfgrad_jax.ops.nn.nn import embedding_lookup
from tfgrad_jax.ops.random import philox
from tfgrad_jax.ops.random.words import Words

_Classes: Any = Operand(shared=False, forced=dtypes.int64, differentiable=False)
_Weights: Any = Operand(shared=False, forced=dtypes.float64, differentiable=False)
_WORDS = 2048
"""So many words of the stream each number that is drawn may take."""


def _log_uniform(key: Any, limit: int, weights: Any, start: int, count: int) -> Any:
    """Of a distribution in which small numbers are likely."""
    words = philox.bits32(key, (2 * (start + count),))[2 * start :].astype(np.uint64)
    at = ((words[0::2] & np.uint64(0xFFFFF)) << np.uint64(32) | words[1::2]).astype(np.float64) * 2.0**-52
    return (np.exp(at * math.log1p(limit)).astype(np.int64) - 1) % limit


def _uniform(key: Any, limit: int, weights: Any, start: int, count: int) -> Any:
    words = philox.bits32(key, (2 * (start + count),))[2 * start :].astype(np.uint64)
    bits = words[0::2] | words[1::2] << np.uint64(32)
    return (bits % np.uint64(limit)).astype(np.int64)


def _weighted(key: Any, limit: int, weights: Any, start: int, count: int) -> Any:
    """By weights: each number shares its place, as far as its weight does not fill it, with one other."""
    shares = (weights * (limit / weights.sum())).tolist()
    others = list(range(limit))
    low = [i for i, share in enumerate(shares) if share < 1]
    high = [i for i, share in enumerate(shares) if share >= 1]
    while low and high:
        poor, rich = low.pop(), high.pop()
        others[poor] = rich
        shares[rich] -= 1 - shares[poor]
        (low if shares[rich] < 1 else high).append(rich)
    words = Words(key, _WORDS * (start + count))
    found = []
    for _ in range(start + count):
        fraction, place = words.fraction(), words.below(limit)
        found.append(place if fraction < shares[place] else others[place])
    return np.array(found[start:], np.int64)


def _log_uniform_chance(classes: Any, limit: int, weights: Any) -> Any:
    return np.log((classes + 2.0) / (classes + 1.0)) / math.log1p(limit)


_KINDS = {
    "LogUniform": (_log_uniform, _log_uniform_chance),
    "Uniform": (_uniform, lambda classes, limit, weights: np.full(np.shape(classes), 1.0 / limit)),
    "FixedUnigram": (_weighted, lambda classes, limit, weights: weights[classes.astype(int)] / weights.sum()),
}


@op("CandidateSampler", differentiable=False, host=True)
def _candidates(
    key: Key, true_classes: _Classes, weights: _Weights, num_sampled: Int, unique: Flag, range_max: Int, kind: Text
):
    if ((true_classes < 0) | (true_classes >= range_max)).any():
        raise invalid_argument(f"true_classes must lie in [0, {range_max})", f"{kind}CandidateSampler")
    if kind == "All":
        every = np.arange(num_sampled)
        return every, np.ones(true_classes.shape, np.float32), np.ones(num_sampled, np.float32)
    draw, chance = _KINDS[kind]
    found: list[int] = []
    tries = 0
    if unique:
        seen: set[int] = set()
        while len(found) < num_sampled:
            for value in draw(key, range_max, weights, tries, 4 * num_sampled).tolist():
                tries += 1
                if value not in seen:
                    seen.add(value)
                    found.append(value)
                    if len(found) == num_sampled:
                        break
    else:
        found, tries = draw(key, range_max, weights, 0, num_sampled).tolist(), num_sampled
    sampled = np.array(found, np.int64)

    def expected(classes: Any) -> Any:
        p = chance(classes.astype(np.float64), range_max, weights)
        # Without a miss among the tries, TensorFlow counts as if numbers might repeat.
        count = p * num_sampled if tries == num_sampled else -np.expm1(tries * np.log1p(-p))
        return np.asarray(count, np.float32)

    return sampled, expected(true_classes), expected(sampled)


@_candidates.types
def _(key, true_classes, weights, num_sampled, **rest):
    return (
        Spec.of(dtypes.int64, (num_sampled,)),
        Spec.of(dtypes.float32, true_classes.shape),
        Spec.of(dtypes.float32, (num_sampled,)),
    )


_named: dict[str, Any] = {
    name: namedtuple(name, ["sampled_candidates", "true_expected_count", "sampled_expected_count"])
    for name in (f"{kind}CandidateSampler" for kind in (*_KINDS, "All"))
}


def _columns_differ(classes: Tensor, count: int) -> bool:
    """Whether classes are known not to be a matrix of so many columns."""
    rank = classes.shape.rank
    return rank not in (None, 2) or (rank == 2 and classes.shape[1] not in (None, count))


def _sampled(
    kind: str, true_classes: Any, num_true: int, count: int, unique: bool, limit: int, seed: Any, weights: Any = ()
) -> Any:
    raw = f"{kind}CandidateSampler"
    if count is None:
        raise TypeError("Expected int for argument 'num_sampled' not None.")
    count = number_of(count, "num_sampled")
    classes = convert(true_classes, dtypes.int64)
    if _columns_differ(classes, num_true):
        raise misfit(f"true_classes must have {num_true} columns, got the shape {classes.shape}", raw)
    if unique and count > limit:
        raise invalid_argument(f"Sampler's range is too small: {count} different numbers of {limit}", raw)
    if count < 1 or limit < 1:
        raise misfit(f"num_sampled and range_max must be positive, got {count} and {limit}", raw)
    key = next_key(raw, seed, _WORDS * count // 4, (num_true, count, unique, limit))
    return _named[raw](*_candidates(key, classes, np.asarray(weights, np.float64), count, unique, int(limit), kind))


@export("random.log_uniform_candidate_sampler")
def log_uniform_candidate_sampler(
    true_classes: Any,
    num_true: int,
    num_sampled: int,
    unique: bool,
    range_max: int,
    seed: Any = None,
    name: str | None = None,
) -> Any:
    """Classes drawn by lot, of which the first are the likeliest. Mirrors `tf.random.log_uniform_candidate_sampler`.

    Args:
      true_classes: int64, `[batch, num_true]`.
      num_true: how many classes each example has.
      num_sampled: how many to draw.
      unique: whether all must differ.
      range_max: how many classes there are.
      seed: the operation's seed, see `tf.random.set_seed`.
      name: accepted for compatibility.

    Returns:
      A named tuple: the classes, and how often those of the examples and those that were drawn are expected.

    Raises:
      InvalidArgumentError: if sizes do not fit, or there are too few classes.
    """
    return _sampled("LogUniform", true_classes, num_true, num_sampled, unique, range_max, seed)


@export("random.uniform_candidate_sampler")
def uniform_candidate_sampler(
    true_classes: Any,
    num_true: int,
    num_sampled: int,
    unique: bool,
    range_max: int,
    seed: Any = None,
    name: str | None = None,
) -> Any:
    """Classes drawn by lot, all as likely; see `log_uniform_candidate_sampler`. Mirrors `tf.random.uniform_candidate_sampler`."""
    return _sampled("Uniform", true_classes, num_true, num_sampled, unique, range_max, seed)


@export("random.fixed_unigram_candidate_sampler", "nn.fixed_unigram_candidate_sampler")
def fixed_unigram_candidate_sampler(
    true_classes: Any,
    num_true: int,
    num_sampled: int,
    unique: bool,
    range_max: int,
    vocab_file: str = "",
    distortion: float = 1.0,
    num_reserved_ids: int = 0,
    num_shards: int = 1,
    shard: int = 0,
    unigrams: Any = (),
    seed: Any = None,
    name: str | None = None,
) -> Any:
    """Classes drawn by lot, as likely as given counts say. Mirrors `tf.random.fixed_unigram_candidate_sampler`.

    Args:
      true_classes, num_true, num_sampled, unique, range_max, seed: as for `log_uniform_candidate_sampler`.
      vocab_file: a file whose lines end with a comma and the count of a class.
      distortion: the power that counts are raised to.
      num_reserved_ids: so many classes before those that have counts are never drawn.
      num_shards, shard: of how many parts of the classes this draws from which; part `i` has each class `i + n * num_shards`.
      unigrams: the counts, in place of a file.
      name: accepted for compatibility.

    Returns:
      A named tuple: the classes, and how often those of the examples and those that were drawn are expected.

    Raises:
      InvalidArgumentError: if there are no counts or two sources of them, or as many as `range_max` says.
    """
    raw = "FixedUnigramCandidateSampler"
    if bool(vocab_file) == bool(len(unigrams)):
        raise invalid_argument("Must provide either vocab_file or unigrams, and not both", raw)
    if not 0 <= shard < num_shards:
        raise invalid_argument(f"shard must lie in [0, num_shards), got {shard} of {num_shards}", raw)
    if vocab_file:
        lines = read_bytes(vocab_file, raw).decode().splitlines()
        unigrams = [float(line.rpartition(",")[2]) for line in lines if line.strip()]
    weights = np.concatenate(
        [np.zeros(num_reserved_ids), np.power(np.asarray(unigrams, np.float32), np.float32(distortion))]
    )
    weights = weights[shard::num_shards]
    if len(weights) != range_max:
        raise invalid_argument(f"range is {range_max} must be equal to weights size {len(weights)}", raw)
    return _sampled("FixedUnigram", true_classes, num_true, num_sampled, unique, range_max, seed, weights)


@export("random.all_candidate_sampler", "nn.all_candidate_sampler")
def all_candidate_sampler(
    true_classes: Any, num_true: int, num_sampled: int, unique: bool, seed: Any = None, name: str | None = None
) -> Any:
    """All classes, each of which is expected once. Mirrors `tf.random.all_candidate_sampler`."""
    return _sampled("All", true_classes, num_true, num_sampled, unique, num_sampled, seed)


@op("ComputeAccidentalHits", differentiable=False, host=True)
def _hits(true_classes: _Classes, sampled_candidates: _Classes):
    hits = true_classes[:, :, None] == sampled_candidates
    repeated = np.triu(sampled_candidates[:, None] == sampled_candidates, 1).any(1)  # the last one counts
    rows, _, places = np.nonzero(hits & ~repeated)
    least = np.full(len(rows), -np.finfo(np.float32).max, np.float32)
    return rows.astype(np.int32), places.astype(np.int64), least


@_hits.types
def _(**rest):
    some: Any = (None,)
    return Spec.of(dtypes.int32, some), Spec.of(dtypes.int64, some), Spec.of(dtypes.float32, some)


@export("nn.compute_accidental_hits")
def compute_accidental_hits(
    true_classes: Any, sampled_candidates: Any, num_true: int, seed: Any = None, name: str | None = None
) -> Any:
    """Where classes that were drawn are those of examples. Mirrors `tf.nn.compute_accidental_hits`.

    Args:
      true_classes: int64, `[batch, num_true]`.
      sampled_candidates: int64, the classes that were drawn.
      num_true: how many classes each example has.
      seed: accepted.
      name: accepted for compatibility.

    Returns:
      The examples, the places among what was drawn, and for each the smallest float32, which takes it out of a loss.
    """
    classes = convert(true_classes, dtypes.int64)
    if _columns_differ(classes, num_true):
        shown = listed(tuple(classes.shape))
        raise invalid_argument(f"true_classes must have {num_true} columns, got {shown}", "ComputeAccidentalHits")
    return tuple(_hits(classes, sampled_candidates))


def sampled_logits(
    weights: Any,
    biases: Any,
    labels: Any,
    inputs: Any,
    num_sampled: int,
    num_classes: int,
    num_true: int,
    sampled_values: Any,
    remove_hits: bool,
    seed: Any,
    subtract_log_q: bool = True,
) -> tuple[Any, Any]:
    """Logits and labels of the classes of the examples, and of those that were drawn."""
    classes = cast(convert(labels), dtypes.int64)
    flat = reshape(classes, [-1])
    if sampled_values is None:
        sampled_values = log_uniform_candidate_sampler(classes, num_true, num_sampled, True, num_classes, seed)
    drawn, true_expected, drawn_expected = (stop_gradient(convert(v)) for v in sampled_values)
    drawn = cast(drawn, dtypes.int64)
    ids = concat([flat, drawn], 0)
    table = weights if isinstance(weights, (list, tuple)) else [weights]
    rows = embedding_lookup(table if len(table) > 1 else table[0], ids)
    shifts = embedding_lookup(biases, ids)
    inputs = convert(inputs)
    (count,), width = sizes_of(flat), sizes_of(inputs)[-1]
    own, others = rows[:count], rows[count:]
    product = reshape(inputs, [-1, 1, width]) * reshape(own, [-1, num_true, width])
    true_logits = reduce_sum(product, 2) + reshape(shifts[:count], [-1, num_true])
    drawn_logits = matmul(inputs, others, transpose_b=True) + shifts[count:]
    if remove_hits:
        examples, places, least = compute_accidental_hits(classes, drawn, num_true)
        from_examples = reshape(cast(examples, dtypes.int64), [-1, 1])
        at = concat([from_examples, reshape(places, [-1, 1])], 1)
        # A class that an example has twice is taken out once.
        drawn_logits += tensor_scatter_nd_min(zeros_like(drawn_logits), at, cast(least, drawn_logits.dtype))
    if subtract_log_q:
        true_logits -= log(true_expected)
        drawn_logits -= log(drawn_expected)
    out = concat([true_logits, drawn_logits], 1)
    targets = concat([ones_like(true_logits) / num_true, zeros_like(drawn_logits)], 1)
    return out, targets


@export("nn.nce_loss")
def nce_loss(
    weights: Any,
    biases: Any,
    labels: Any,
    inputs: Any,
    num_sampled: int,
    num_classes: int,
    num_true: int = 1,
    sampled_values: Any = None,
    remove_accidental_hits: bool = False,
    name: str = "nce_loss",
) -> Any:
    """Noise-contrastive estimation: are classes of the example, or drawn by lot? Mirrors `tf.nn.nce_loss`.

    Args:
      weights: `[num_classes, dim]`, or a list of parts of it.
      biases: `[num_classes]`.
      labels: int64, `[batch, num_true]`.
      inputs: `[batch, dim]`.
      num_sampled: how many classes to draw.
      num_classes: how many there are.
      num_true: how many classes each example has.
      sampled_values: what a sampler gave; `log_uniform_candidate_sampler` is asked otherwise.
      remove_accidental_hits: whether classes of the example that are drawn do not count.
      name: accepted for compatibility.

    Returns:
      A loss for each example.
    """
    logits, targets = sampled_logits(
        weights,
        biases,
        labels,
        inputs,
        num_sampled,
        num_classes,
        num_true,
        sampled_values,
        remove_accidental_hits,
        None,
    )
    return reduce_sum(sigmoid_cross_entropy_with_logits(targets, logits), 1)


@export("nn.sampled_softmax_loss")
def sampled_softmax_loss(
    weights: Any,
    biases: Any,
    labels: Any,
    inputs: Any,
    num_sampled: int,
    num_classes: int,
    num_true: int = 1,
    sampled_values: Any = None,
    remove_accidental_hits: bool = True,
    seed: Any = None,
    name: str = "sampled_softmax_loss",
) -> Any:
    """Cross entropy of the softmax over the example's classes and some drawn by lot. Mirrors `tf.nn.sampled_softmax_loss`.

    Args:
      weights, biases, labels, inputs, num_sampled, num_classes, num_true, sampled_values, remove_accidental_hits: as for
        `tf.nn.nce_loss`.
      seed: the seed of the draw.
      name: accepted for compatibility.

    Returns:
      A loss for each example.
    """
    logits, targets = sampled_logits(
        weights,
        biases,
        labels,
        inputs,
        num_sampled,
        num_classes,
        num_true,
        sampled_values,
        remove_accidental_hits,
        seed,
    )
    return softmax_cross_entropy_with_logits(stop_gradient(targets), logits)
