"""Random orders are TensorFlow's where it rewrites pipelines: it drops nodes that do nothing, and joins a shuffle with repeats."""

from __future__ import annotations

import pytest

import tfgrad_jax as tf

D = tf.data.Dataset
FIRST, SECOND, THIRD, FOURTH, FIFTH, SIXTH, SEVENTH = (
    "503421",
    "431052",
    "401352",
    "312504",
    "254103",
    "105234",
    "140253",
)
USUAL = [FIRST + SECOND, THIRD + FOURTH]
APART = [FIRST + SECOND, FOURTH + FIFTH]
TWICE = [FIRST + THIRD, SIXTH + SEVENTH]


def shuffled():
    return D.range(6).shuffle(6, seed=3)


def pairs():
    return D.zip((D.range(6), D.range(6))).shuffle(6, seed=3)


def only(dataset, **settings):
    options = tf.data.Options()
    for name, value in settings.items():
        setattr(options.experimental_optimization, name, value)
    return dataset.with_options(options)


def plus(x):
    return x + 0


# What TensorFlow 2.21 gives in the first two times around.
CASES = {
    "repeated once": (lambda: shuffled().repeat(1).repeat(2), USUAL),
    "once, after that": (lambda: shuffled().repeat(2).repeat(1), USUAL),
    "twice twice": (
        lambda: shuffled().repeat(2).repeat(2),
        [FIRST + SECOND + THIRD + FOURTH, "105234350412140253210453"],
    ),
    "none skipped": (lambda: shuffled().skip(0).repeat(2), USUAL),
    "all taken": (lambda: shuffled().take(-1).repeat(2), USUAL),
    "all taken, otherwise": (lambda: shuffled().take(-5).repeat(2), USUAL),
    "more taken than there are": (lambda: shuffled().take(10).repeat(2), APART),
    "nothing fetched ahead": (lambda: shuffled().prefetch(0).repeat(2), APART),
    "one shard": (lambda: shuffled().shard(1, 0).repeat(2), USUAL),
    "a function": (lambda: shuffled().repeat(1).map(plus).repeat(2), APART),
    "a function that does nothing": (lambda: shuffled().repeat(1).map(lambda x: x).repeat(2), USUAL),
    "one in threads": (lambda: shuffled().map(lambda x: x, num_parallel_calls=2).repeat(2), USUAL),
    "a conversion to the same type": (lambda: shuffled().map(lambda x: tf.cast(x, tf.int64)).repeat(2), USUAL),
    "tf.identity": (lambda: shuffled().map(tf.identity).repeat(2), USUAL),
    "components as they are": (lambda: pairs().map(lambda a, b: (a, b)).repeat(2).map(lambda a, b: a), USUAL),
    "components by name": (lambda: pairs().map(lambda a, b: {"a": a, "b": b}).repeat(2).map(lambda d: d["a"]), USUAL),
    "components exchanged": (lambda: pairs().map(lambda a, b: (b, a)).repeat(2).map(lambda a, b: a), APART),
    "one of two": (lambda: pairs().map(lambda a, b: a).repeat(2), APART),
    "a predicate": (lambda: shuffled().filter(lambda x: True).repeat(2), APART),
    "options between": (lambda: shuffled().repeat(1).with_options(tf.data.Options()).repeat(2), APART),
    "nothing dropped": (lambda: only(shuffled().repeat(1).repeat(2), noop_elimination=False), APART),
    "nothing at all": (lambda: only(shuffled().repeat(1).repeat(2), apply_default_optimizations=False), TWICE),
    "nothing joined": (lambda: only(shuffled().repeat(2), shuffle_and_repeat_fusion=False), APART),
    "dropped alone": (
        lambda: only(shuffled().repeat(1).repeat(2), apply_default_optimizations=False, noop_elimination=True),
        APART,
    ),
    "a function, nothing dropped": (lambda: only(shuffled().map(plus).repeat(1), noop_elimination=False), [FIRST, THIRD]),
    "the same, twice": (lambda: only(shuffled().map(plus).repeat(1).repeat(2), noop_elimination=False), TWICE),
    "in a function": (
        lambda: D.range(2).flat_map(lambda i: shuffled().skip(0).repeat(2).repeat(2)),
        [2 * (FIRST + SECOND + THIRD + FOURTH)] * 2,
    ),
    "in a function, with its options": (
        lambda: D.range(2).flat_map(
            lambda i: only(shuffled().repeat(1).repeat(2).repeat(2), apply_default_optimizations=False)
        ),
        [2 * (FIRST + SECOND + THIRD + FOURTH)] * 2,
    ),
    "in a function, with options outside": (
        lambda: only(
            D.range(2).flat_map(lambda i: shuffled().repeat(1).repeat(2).repeat(2)), apply_default_optimizations=False
        ),
        [2 * "".join(TWICE)] * 2,
    ),
}  # fmt: skip


@pytest.mark.parametrize(("make", "expected"), CASES.values(), ids=CASES)
def test_orders_are_tensorflows(make, expected):
    tf.random.set_seed(7)
    dataset = make()
    assert ["".join([str(int(x)) for x in dataset]) for _ in range(2)] == expected


@pytest.mark.parametrize("count", [0, -5])
def test_a_shuffle_cannot_be_repeated_so_often(count):
    dataset = shuffled().skip(0).repeat(count)
    with pytest.raises(tf.errors.InvalidArgumentError, match=f"greater than zero or equal to -1, got {count}"):
        iter(dataset)
    with pytest.raises(tf.errors.InvalidArgumentError, match=f"greater than zero or equal to -1, got {count}"):
        dataset.reduce(tf.constant(0, tf.int64), lambda a, b: a + b)
    assert len(list(only(shuffled().repeat(0), apply_default_optimizations=False))) == 0
    assert len(list(shuffled().map(plus).repeat(0))) == 0


def test_a_position_is_restored_where_nothing_is_rewritten(tmp_path):
    def iterator():
        return iter(only(shuffled().repeat(1).repeat(3), apply_default_optimizations=False))

    first = iterator()
    for _ in range(8):
        next(first)
    path = tf.train.Checkpoint(iterator=first).write(str(tmp_path / "position"))
    second = iterator()
    tf.train.Checkpoint(iterator=second).read(path)
    rest = [int(x) for x in first]
    assert len(rest) == 10 and [int(x) for x in second] == rest
