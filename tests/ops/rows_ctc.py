"""Rows of connectionist temporal classification."""

from __future__ import annotations

import numpy as np

from tests.ops.table import Rows

rows = Rows("ctc")

random = np.random.default_rng(0)
LOGITS = random.uniform(-2, 2, size=(4, 2, 4)).round(3).tolist()
LABELS = [[1, 2, 0], [1, 1, 3]]


def dense(tf, x, labels=LABELS, lengths=(3, 2), steps=(4, 4), **options):
    return tf.nn.ctc_loss(labels, x, list(lengths), list(steps), **options)


rows("dense labels", lambda tf, x: dense(tf, x, [[1, 2, 3], [1, 1, 3]]), LOGITS)
rows("dense labels, another blank", lambda tf, x: dense(tf, x, [[1, 2, 0], [1, 1, 0]], blank_index=-1), LOGITS)
rows("dense labels, lengths", lambda tf, x: dense(tf, x, lengths=(2, 0), steps=(3, 4)), LOGITS)
rows("dense labels, batch first", lambda tf, x: dense(tf, x, steps=(2, 2), logits_time_major=False, lengths=(1, 1)),
     [[LOGITS[0][0], LOGITS[1][0]], [LOGITS[0][1], LOGITS[1][1]]])  # fmt: skip
rows(
    "dense labels, unique",
    lambda tf, x: dense(tf, x, [[1, 2, 3], [1, 1, 3]], unique=tf.nn.ctc_unique_labels([[1, 2, 3], [1, 1, 3]])),
    LOGITS,
)
rows("dense labels, half", lambda tf, x: dense(tf, x, [[1, 2, 3], [1, 1, 3]]), LOGITS, dtype=np.float16, smooth=False)
rows("dense labels, too many", lambda tf, x: dense(tf, x, steps=(1, 1)), LOGITS, gradient=False)
rows("dense labels without lengths", lambda tf, x: tf.nn.ctc_loss(LABELS, x, None, [4, 4]), LOGITS)


def sparse(tf, x, labels=((1, 2, 0), (1, 1, 2)), steps=(4, 4), **options):
    count = len(labels[0])
    places = [[i, j] for i in range(2) for j in range(count)]
    values = tf.SparseTensor(places, tf.constant([n for row in labels for n in row]), [2, count])
    return tf.nn.ctc_loss(values, x, None, list(steps), **options)


rows("sparse labels", lambda tf, x: sparse(tf, x, blank_index=-1), LOGITS)
rows("sparse labels, another blank", lambda tf, x: sparse(tf, x, ((1, 2), (1, 1)), blank_index=0), LOGITS)
rows(
    "sparse labels, impossible",
    lambda tf, x: sparse(tf, x, ((1, 1), (1, 1)), (2, 3), blank_index=-1),
    LOGITS,
    smooth=False,
)
rows("sparse labels, too many", lambda tf, x: sparse(tf, x, steps=(4, 2), blank_index=-1), LOGITS)
rows("sparse labels without a blank", lambda tf, x: sparse(tf, x), LOGITS)
rows("sparse labels, negative", lambda tf, x: sparse(tf, x, ((1, 0), (1, -1)), blank_index=-1), LOGITS)
rows("sparse labels, lengths", lambda tf, x: sparse(tf, x, steps=(4, 5), blank_index=-1), LOGITS)


def old(tf, x, *args, **options):
    labels = tf.SparseTensor([[0, 0], [0, 1], [1, 0]], tf.constant([1, 1, 2]), [2, 2])
    return tf.compat.v1.nn.ctc_loss(labels, x, *args, **options)


rows("version 1", lambda tf, x: old(tf, x, [4, 3]), LOGITS)
rows("version 1, collapsed", lambda tf, x: old(tf, x, [4, 3], True), LOGITS)
rows("version 1, not merged", lambda tf, x: old(tf, x, [4, 3], ctc_merge_repeated=False), LOGITS)
rows("version 1, longer", lambda tf, x: old(tf, x, [1, 3], ignore_longer_outputs_than_inputs=True), LOGITS)
rows("version 1, half", lambda tf, x: old(tf, x, [4, 3]), LOGITS, dtype=np.float16, smooth=False)

for merge in (True, False):
    rows(f"greedy {merge}", lambda tf, x, m=merge: tf.nn.ctc_greedy_decoder(x, [4, 3], m), LOGITS, smooth=False)
rows("greedy blank", lambda tf, x: tf.nn.ctc_greedy_decoder(x, [4, 3], blank_index=0), LOGITS, smooth=False)
rows("greedy no such blank", lambda tf, x: tf.nn.ctc_greedy_decoder(x, [4, 3], blank_index=7), LOGITS)
rows("greedy lengths", lambda tf, x: tf.nn.ctc_greedy_decoder(x, [4, 5]), LOGITS)
rows("greedy rank", lambda tf, x: tf.nn.ctc_greedy_decoder(x, [4, 3]), LOGITS[0])
for width, top in ((1, 1), (3, 2), (10, 3)):
    rows(
        f"beam {width} {top}",
        lambda tf, x, w=width, t=top: tf.nn.ctc_beam_search_decoder(x, [4, 3], w, t),
        LOGITS,
        smooth=False,
    )
    rows(
        f"beam merged {width} {top}",
        lambda tf, x, w=width, t=top: tf.compat.v1.nn.ctc_beam_search_decoder(x, [4, 3], w, t),
        LOGITS,
        smooth=False,
    )
rows("beam too narrow", lambda tf, x: tf.nn.ctc_beam_search_decoder(x, [4, 3], 1, 2), LOGITS)
rows("beam fewer paths", lambda tf, x: tf.nn.ctc_beam_search_decoder(x, [4, 0], 9, 2), LOGITS)
rows("beam of nothing", lambda tf, x: tf.nn.ctc_beam_search_decoder(x, [4, 0], 0), LOGITS)
rows.each("nn.ctc_unique_labels", [[3, 1, 3, 2], [0, 0, 0, 1]])
rows.each("nn.collapse_repeated", [[1, 1, 2, 2, 1], [3, 3, 3, 0, 0]], [4, 5])
rows.each("nn.collapse_repeated", [[1, 1, 2], [3, 0, 0]], np.array([1, 0]), tag="to one")
