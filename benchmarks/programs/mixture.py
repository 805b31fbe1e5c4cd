"""Clusters: k-means that drops what is empty, then EM for a mixture of Gaussians whose weak components are pruned."""

import numpy as np
import tensorflow as tf


def points(rng, count=1500, clusters=6, size=3):
    centers = rng.uniform(-6, 6, [clusters, size])
    shapes = 0.6 * rng.standard_normal([clusters, size, size])
    which = rng.integers(0, clusters, count)
    return centers[which] + np.einsum("nij,nj->ni", shapes[which], rng.standard_normal([count, size]))


def k_means(x, centers, rounds=12):
    """Lloyd's algorithm on the points of each cluster in turn."""
    for _ in range(rounds):
        distances = tf.reduce_sum((x[:, None] - centers[None]) ** 2, axis=-1)
        nearest = tf.argmin(distances, axis=1)
        moved = []
        for k in range(centers.shape[0]):
            members = tf.boolean_mask(x, nearest == k)
            if tf.size(members) > 0:
                moved.append(tf.reduce_mean(members, axis=0))
        moved = tf.stack(moved)
        if moved.shape == centers.shape and tf.reduce_max(tf.abs(moved - centers)) < 1e-6:
            break
        centers = moved
    return centers, tf.reduce_sum(tf.reduce_min(distances, axis=1))


def log_densities(x, means, factors):
    """The log density of each point under each component."""
    centered = tf.transpose(x[:, None] - means[None], [1, 2, 0])
    white = tf.linalg.triangular_solve(factors, centered)
    log_det = tf.reduce_sum(tf.math.log(tf.linalg.diag_part(factors)), axis=-1)
    constant = 0.5 * x.shape[1] * np.log(2 * np.pi)
    return tf.transpose(-0.5 * tf.reduce_sum(white**2, axis=1) - log_det[:, None] - constant)


def em(x, means, rounds=60):
    count, size = x.shape
    covariances = tf.tile(tf.eye(size, dtype=x.dtype)[None], [means.shape[0], 1, 1])
    weights = tf.fill([means.shape[0]], tf.constant(1.0, x.dtype) / means.shape[0])
    last = -np.inf
    for _ in range(rounds):
        joint = log_densities(x, means, tf.linalg.cholesky(covariances)) + tf.math.log(weights)
        total = tf.reduce_logsumexp(joint, axis=1)
        score = float(tf.reduce_mean(total))
        if score - last < 1e-6:
            break
        last = score
        shares = tf.exp(joint - total[:, None])
        strong = tf.reduce_sum(shares, axis=0) > 0.02 * count
        if not tf.reduce_all(strong):
            shares = tf.boolean_mask(shares, strong, axis=1)
            shares /= tf.reduce_sum(shares, axis=1, keepdims=True) + 1e-300
            last = -np.inf
        sums = tf.reduce_sum(shares, axis=0)
        weights = sums / tf.reduce_sum(sums)
        means = tf.linalg.matmul(shares, x, transpose_a=True) / sums[:, None]
        centered = x[:, None] - means[None]
        covariances = tf.einsum("nk,nki,nkj->kij", shares, centered, centered) / sums[:, None, None]
        covariances += 1e-4 * tf.eye(size, dtype=x.dtype)
    return weights, last


def main(starts=6):
    rng = np.random.default_rng(13)
    x = tf.constant(points(rng))
    best = None
    for start in range(starts):
        first = tf.gather(x, rng.choice(x.shape[0], 6 + start % 5, replace=False))
        centers, spread = k_means(x, first)
        weights, score = em(x, centers)
        print(f"{centers.shape[0]} centers, spread {float(spread):.0f}; {weights.shape[0]} components, {score:.3f}")
        if best is None or score > best[0]:
            best = score, weights
    print("best:", round(best[0], 3), "weights", np.round(np.sort(best[1].numpy()), 2).tolist())


if __name__ == "__main__":
    main()
