"""Skip-gram with negative sampling on a toy corpus: frequent words thinned out, only the rows touched are updated."""

import numpy as np
import tensorflow as tf

TOPICS, WORDS_PER_TOPIC, COMMON, WIDTH = 10, 20, 12, 24
WORDS = TOPICS * WORDS_PER_TOPIC + COMMON


def corpus(rng, sentences):
    """Each sentence stays with one topic, besides common words."""
    for _ in range(sentences):
        length = rng.integers(6, 25)
        topic = rng.integers(TOPICS)
        own = COMMON + topic * WORDS_PER_TOPIC + rng.integers(0, WORDS_PER_TOPIC, length)
        common = np.minimum(rng.geometric(0.3, length) - 1, COMMON - 1)
        yield np.where(rng.random(length) < 0.4, common, own).astype(np.int64)


def skip_grams(words, window):
    """All pairs of words at most `window` apart."""
    centers, contexts = [], []
    for offset in range(1, window + 1):
        centers += [words[offset:], words[:-offset]]
        contexts += [words[:-offset], words[offset:]]
    return tf.concat(centers, axis=0), tf.concat(contexts, axis=0)


def loss_of(center, context, negative):
    """The usual logistic loss of rows of vectors."""
    right = tf.reduce_sum(center * context, axis=-1)
    wrong = tf.linalg.matmul(center, negative, transpose_b=True)
    return -tf.reduce_sum(tf.math.log_sigmoid(right)) - tf.reduce_sum(tf.math.log_sigmoid(-wrong)) / 2


def update(table, rows, gradient, rate):
    table.scatter_sub(tf.IndexedSlices(rate * tf.clip_by_norm(gradient, 2.0, axes=[1]), rows))


def main(sentences=400):
    tf.random.set_seed(8)
    rng = np.random.default_rng(8)
    texts = list(corpus(rng, sentences))
    counts = np.bincount(np.concatenate(texts), minlength=WORDS) + 1.0
    share = counts / counts.sum()
    keep = tf.constant(np.minimum(1.0, np.sqrt(0.005 / share)), tf.float32)
    noise = tf.constant(np.log(share) * 0.75, tf.float32)
    inner = tf.Variable(tf.random.uniform([WORDS, WIDTH], -0.3, 0.3))
    outer = tf.Variable(tf.zeros([WORDS, WIDTH]))
    losses, pairs = [], 0
    for number, text in enumerate(texts):
        words = tf.constant(text)
        words = tf.boolean_mask(words, tf.random.uniform(words.shape) < tf.gather(keep, words))
        if tf.size(words) < 4:
            continue
        centers, contexts = skip_grams(words, 3)
        negatives = tf.random.categorical(noise[tf.newaxis], 8)[0]
        used, center_at = tf.unique(centers)
        others, other_at = tf.unique(tf.concat([contexts, negatives], axis=0))
        context_at, negative_at = other_at[: tf.size(contexts)], other_at[tf.size(contexts) :]
        ours, theirs = tf.gather(inner, used), tf.gather(outer, others)
        with tf.GradientTape() as tape:
            tape.watch([ours, theirs])
            loss = loss_of(tf.gather(ours, center_at), tf.gather(theirs, context_at), tf.gather(theirs, negative_at))
        ours_gradient, theirs_gradient = tape.gradient(loss, [ours, theirs])
        rate = 0.1 * (1 - number / sentences)
        update(inner, used, tf.convert_to_tensor(ours_gradient), rate)
        update(outer, others, tf.convert_to_tensor(theirs_gradient), rate)
        pairs += centers.shape[0]
        losses.append(float(loss) / centers.shape[0])
    vectors = tf.math.l2_normalize(inner[COMMON:], axis=1)
    near = tf.linalg.set_diag(vectors @ tf.transpose(vectors), tf.fill([WORDS - COMMON], -1.0))
    topics = tf.range(WORDS - COMMON) // WORDS_PER_TOPIC
    same = tf.gather(topics, tf.argmax(near, axis=1)) == topics
    print(f"pairs {pairs}, loss {np.mean(losses[:50]):.1f} to {np.mean(losses[-50:]):.1f}")
    print(f"nearest word of the same topic: {float(tf.reduce_mean(tf.cast(same, tf.float32))):.1f}")


if __name__ == "__main__":
    main()
