"""Rows of seeded random numbers: the streams are TensorFlow's."""

from __future__ import annotations

import numpy as np

from tests.ops.table import Rows

rows = Rows("random")


def seeded(call):
    """`call` after setting the global seed."""

    def run(tf, *args):
        tf.random.set_seed(7)
        return call(tf, *args)

    return run


FLOATS = ("float32", "float64", "float16", "bfloat16")
for dtype in FLOATS:
    for name in ("uniform", "normal", "truncated_normal"):
        rows(
            f"{name} {dtype}",
            seeded(lambda tf, n=name, d=dtype: [getattr(tf.random, n)([2, 3], dtype=d) for _ in range(2)]),
            rtol=2e-5,
        )
        rows(
            f"stateless_{name} {dtype}",
            lambda tf, n=name, d=dtype: getattr(tf.random, f"stateless_{n}")([7], [1, 2], dtype=d),
            rtol=2e-5,
        )
for dtype in ("int32", "int64"):
    rows(f"uniform {dtype}", seeded(lambda tf, d=dtype: tf.random.uniform([5], -3, 1000, dtype=d)))
    rows(
        f"stateless_uniform {dtype}",
        lambda tf, d=dtype: tf.random.stateless_uniform([5], [1, 2], -(10**9), 10**9, dtype=d),
    )
for dtype in ("int32", "int64", "uint32", "uint64"):
    rows(f"all values of {dtype}", lambda tf, d=dtype: tf.random.stateless_uniform([3], [1, 2], None, None, dtype=d))


def sequence(tf):
    def draw():
        return [
            tf.random.uniform([2], seed=1),
            tf.random.uniform([3], seed=1),
            tf.random.normal([2], seed=1),
            tf.random.uniform([2], seed=1, dtype=tf.float64),
            tf.random.uniform([], 1.0, 2.0, seed=1),
            tf.random.truncated_normal([3], seed=1),
            tf.random.truncated_normal([3], seed=1),
            tf.random.uniform([1], 0, 9, tf.int32, seed=1),
            tf.random.uniform([1], 0, 9, tf.int32, seed=1),
        ]

    tf.random.set_seed(7)
    first = draw()
    tf.random.set_seed(7)
    return first + draw()


rows("seeds of operations", sequence, rtol=2e-5)
for seed in (0, -1, 2**31 - 1, 2**40):
    rows(f"set_seed {seed}", lambda tf, s=seed: [tf.random.set_seed(s), tf.random.uniform([2])][1])
rows("set_seed of a tensor", lambda tf: [tf.random.set_seed(tf.constant(3)), tf.random.uniform([2])][1])
rows("seed of the operation alone", lambda tf: [tf.random.set_seed(None), tf.random.uniform([2], seed=5)][1])
rows("set_seed of a string", lambda tf: [tf.random.set_seed("a"), tf.random.uniform([2])])
rows(
    "shuffle", seeded(lambda tf: [tf.random.shuffle(tf.range(n), seed=s) for n in (1, 2, 8, 17) for s in (None, 5, 5)])
)
rows("shuffle rows", seeded(lambda tf, x: tf.random.shuffle(x)), [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]], smooth=False)
rows("shuffle scalar", seeded(lambda tf, x: [tf.random.shuffle(x), tf.random.uniform([1])]), 3.0, smooth=False)
LOGITS = [[0.0, 0.0, 0.0], [0.0, 1.0, 2.0]]
rows("categorical", seeded(lambda tf, x: [tf.random.categorical(x, 6, seed=s) for s in (None, 3, 3)]), LOGITS)
rows("categorical int32", seeded(lambda tf, x: tf.random.categorical(x, 5, tf.int32)), LOGITS)
rows("categorical impossible classes", seeded(lambda tf, x: tf.random.categorical(x, 9)), [[0.0, float("-inf"), 0.0]])
rows("categorical of a vector", seeded(lambda tf, x: tf.random.categorical(x, 6)), [0.0, 1.0])
rows("categorical negative", seeded(lambda tf, x: tf.random.categorical(x, -1)), LOGITS)
rows("stateless_categorical", lambda tf, x: tf.random.stateless_categorical(x, 6, [1, 2]), LOGITS)
rows("stateless_shuffle", lambda tf: tf.random.experimental.stateless_shuffle(tf.range(10), [1, 2]))
rows("fold_in", lambda tf: tf.random.fold_in([1, 2], 3))
rows("split", lambda tf: tf.random.split([1, 2], 3))
for i, seed in enumerate(([-1, 2**40], [1, 2, 3], 1, [1.0, 2.0])):
    rows(f"stateless seed {i}", lambda tf, s=seed: tf.random.stateless_uniform([2], s))
rows("stateless alg", lambda tf: tf.random.stateless_uniform([2], [1, 2], alg="philox"))
rows("stateless unknown alg", lambda tf: tf.random.stateless_uniform([2], [1, 2], alg="x"))

rows(
    "normal of tensors",
    seeded(lambda tf, m, s: tf.random.normal([2, 3], m, s)),
    [1.0, 2.0, 3.0],
    2.0,
    rtol=2e-5,
    smooth=False,
)
rows("uniform of tensors", seeded(lambda tf, a, b: tf.random.uniform([3], a, b)), [[0.0], [10.0]], 20.0, smooth=False)
rows("stateless_normal of numbers", lambda tf: tf.random.stateless_normal([3], [1, 2], 5.0, 0.1))
for name, call in (
    ("no maxval", lambda tf: tf.random.uniform([2], dtype=tf.int32)),
    ("empty range", lambda tf: tf.random.uniform([2], 5, 5, tf.int32)),
    ("uint8", lambda tf: tf.random.uniform([2], 0, 2, tf.uint8)),
    ("negative size", lambda tf: tf.random.uniform([-1])),
    ("scalar shape", lambda tf: tf.random.uniform(3)),
    ("float shape", lambda tf: tf.random.uniform([2.5])),
    ("unknown size", lambda tf: tf.random.uniform([None, 2])),
    ("bounds of two dtypes", lambda tf: tf.random.uniform([2], tf.constant(0), 1.0)),
    ("normal integers", lambda tf: tf.random.normal([2], dtype=tf.int32)),
):
    rows(f"refused: {name}", call)

rows("gamma", seeded(lambda tf, a, b: tf.random.gamma([2], a, b)), [2.0, 0.5], 1.5, smooth=False)
rows(
    "stateless_gamma",
    lambda tf, a: tf.random.stateless_gamma([3, 2], [1, 2], a),
    [2.0, 0.5],
    gradient=False,
)
rows("poisson", seeded(lambda tf: tf.random.poisson([8], [2.0, 50.0])))
rows("stateless_poisson", lambda tf: tf.random.stateless_poisson([8], [1, 2], 50.0))
rows("stateless_binomial", lambda tf: tf.random.stateless_binomial([8], [1, 2], 100.0, 0.5))
rows(
    "stateless_parameterized_truncated_normal",
    lambda tf, m, s: tf.random.stateless_parameterized_truncated_normal([3], [1, 2], m, s),
    0.5,
    2.0,
    gradient=False,
)


def generator(tf):
    g = tf.random.Generator.from_seed(1)
    seen = [g.state.read_value(), g.key]
    for draw in (
        lambda: g.normal([3]),
        lambda: g.uniform([3]),
        lambda: g.uniform([3], dtype=tf.float64),
        lambda: g.uniform([3], 0, 10, tf.int32),
        lambda: g.truncated_normal([3], 1.0, 0.5),
        lambda: g.uniform_full_int([3]),
        lambda: g.uniform_full_int([3], tf.uint32),
        lambda: g.make_seeds(2),
        lambda: [x.state.read_value() for x in g.split(2)],
        lambda: g.skip(10),
        lambda: g.reset_from_seed(4),
        lambda: g.reset([1, 2, 3]),
        lambda: g.reset_from_key_counter(1, [2, 3]),
    ):
        seen += [x for x in tf.nest.flatten(draw()) if x is not None] + [g.state.read_value()]
    return seen


rows("generator", generator, rtol=2e-5)
rows(
    "generator seeds",
    lambda tf: [tf.random.Generator.from_seed(s).state.read_value() for s in ([1, 2, 3, 4], 2**64 - 1)],
)
rows("generator state", lambda tf: tf.random.Generator.from_state([1, 2], "philox"))
rows("generator copy", lambda tf: tf.random.Generator(copy_from=tf.random.Generator.from_seed(3)).state.read_value())
rows("generator threefry", lambda tf: tf.random.Generator.from_seed(1, alg="threefry").normal([2]))
rows("generator of nothing", lambda tf: tf.random.Generator())
rows("create_rng_state", lambda tf: tf.random.create_rng_state(1, "philox"))

RATES = [0.3, 2.0, 9.9, 10.0, 400.0]
for dtype in ("float16", "float32", "float64"):
    rows(
        f"stateless_gamma {dtype}",
        lambda tf, a: tf.random.stateless_gamma([20, 4], [3, 11], a, dtype=a.dtype),
        [0.3, 1.0, 2.5, 40.0],
        dtype=dtype,
        gradient=False,
    )
    rows(
        f"stateless_poisson {dtype}",
        lambda tf, r: tf.random.stateless_poisson([20, 5], [3, 11], r, r.dtype),
        RATES,
        dtype=dtype,
        gradient=False,
    )
    rows(
        f"stateless_binomial {dtype}",
        lambda tf, n, p: tf.random.stateless_binomial([20, 6], [3, 11], n, p),
        [1.0, 10.0, 30.0, 1000.0, 1000.0, 50.0],
        [0.5, 0.3, 0.9, 0.2, 0.7, 0.999],
        dtype=dtype,
        gradient=False,
    )
    rows(
        f"stateless_parameterized_truncated_normal {dtype}",
        lambda tf, *of: tf.random.stateless_parameterized_truncated_normal([20, 7], [3, 11], *of),
        [0.0, 0.0, 5.0, 0.0, 0.0, -3.0, 0.0],
        [1.0, 2.0, 1.0, 1.0, 1.0, 1.0, 1.0],
        [-2.0, -0.3, -2.0, 2.0, float("-inf"), float("-inf"), 4.0],
        [2.0, 0.1, 4.0, float("inf"), -1.0, 0.0, 4.2],
        dtype=dtype,
        gradient=False,
    )
rows("gamma twice", seeded(lambda tf: [tf.random.gamma([20], [0.3, 1.0, 2.5]) for _ in range(2)]))
rows("poisson twice", seeded(lambda tf: [tf.random.poisson([20], RATES) for _ in range(2)]))
rows(
    "gradient of gamma",
    lambda tf, a: tf.random.stateless_gamma([3, 2], [1, 2], a),
    [0.5, 2.0],
    smooth=False,
)
rows(
    "random chances that are at the edge",
    lambda tf, n, p: tf.random.stateless_binomial([3, 6], [3, 11], n, p, tf.float32),
    [0.0, 5.0, 5.0, 5.0, 5.0, -5.0],
    [0.5, 0.0, 1.0, 1.5, -0.5, 0.5],
    gradient=False,
)


def generated(tf):
    g = tf.random.Generator.from_seed(7)
    drawn = [g.binomial([20, 3], [1.0, 20.0, 1000.0], [0.5, 0.3, 0.7]) for _ in range(2)]
    return drawn, g.state.read_value()


rows("Generator binomial twice", generated)
for name, call in (
    ("no deviation", lambda tf: tf.random.stateless_parameterized_truncated_normal([2], [1, 2], 0.0, 0.0)),
    (
        "bounds that cross",
        lambda tf: tf.random.stateless_parameterized_truncated_normal([2], [1, 2], 0.0, 1.0, 2.0, 1.0),
    ),
    ("a shape that misses alpha", lambda tf: tf.random.stateless_gamma([3, 4], [1, 2], [1.0, 2.0])),
    ("a shape that misses rates", lambda tf: tf.random.stateless_poisson([3, 4], [1, 2], [1.0, 2.0])),
    ("a shape that misses chances", lambda tf: tf.random.stateless_binomial([3, 4], [1, 2], [1.0, 2.0], 0.5)),
):
    rows(f"refused: {name}", call)
rows(
    "gradient of normal numbers within bounds",
    lambda tf, *of: tf.random.stateless_parameterized_truncated_normal([3, 5], [1, 2], *of),
    [0.5, 2.0, -1.0, 0.0, 0.3],
    [1.0, 2.0, 0.5, 1.0, 1.0],
    [-1.0, -2.0, -2.0, 3.0, float("-inf")],
    [1.0, 0.5, 2.0, 5.0, 0.1],
    smooth=False,
)
for dtype in ("int32", "uint32", "int64", "uint64"):
    rows(
        f"index_shuffle {dtype}",
        lambda tf, i, d=dtype: [
            tf.random.experimental.index_shuffle(i, seed, tf.constant(most, d))
            for seed in ([1, 2], [-1, 2**31 - 1])
            for most in (20, 1000, 2**16, 2**30 + 7)
        ],
        np.arange(20, dtype=dtype),
    )
for most in (0, 1, 2**40, 2**61, 2**62, 2**63 - 1):
    rows(
        f"index_shuffle up to {most}",
        lambda tf, m=most: tf.random.experimental.index_shuffle(
            tf.constant(0, tf.int64), [1, 2], tf.constant(m, tf.int64)
        ),
    )
rows(
    "random_index_shuffle with rounds",
    lambda tf, i: [tf.random_index_shuffle(i, [1, 2, 3], 1000, rounds) for rounds in (4, 6, 8, 12)],
    np.arange(9),
)
for name, call in (
    ("an index beyond", lambda tf: tf.random.experimental.index_shuffle(10, [1, 2], 9)),
    ("an index below", lambda tf: tf.random.experimental.index_shuffle(-1, [1, 2], 9)),
    ("seeds of three", lambda tf: tf.random.experimental.index_shuffle(1, [1, 2, 3], 9)),
    ("indices in a matrix", lambda tf: tf.random.experimental.index_shuffle([[3], [4]], [1, 2], 9)),
):
    rows(f"index_shuffle refused: {name}", call)
