"""One SGD step on the rows of a table that a batch looks up: what it costs must not depend on how large the table is."""

from __future__ import annotations

from typing import Any

import numpy as np

from benchmarks.workload import RATE, Step, Steps, Wrap, weights

COLUMNS, BATCH = 64, 256


def _numbers(rows: int) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    table, out = weights(rng, rows, COLUMNS), weights(rng, COLUMNS, 1)
    return table, out, rng.integers(0, rows, BATCH), rng.standard_normal((BATCH, 1)).astype(np.float32)


def embedding(rows: int) -> Steps:
    """The workload for a table of so many rows."""

    def tensorflow(tf: Any, wrap: Wrap) -> Step:
        *parameters, ids, goals = _numbers(rows)
        table, out = map(tf.Variable, parameters)
        ids, goals = tf.constant(ids), tf.constant(goals)

        def step(ids: Any, goals: Any) -> Any:
            with tf.GradientTape() as tape:
                found = tf.nn.embedding_lookup(table, ids)
                loss = tf.reduce_mean(tf.square(found @ out - goals))
            sparse, dense = tape.gradient(loss, (table, out))
            table.scatter_sub(tf.IndexedSlices(RATE * sparse.values, sparse.indices))
            out.assign_sub(RATE * dense)
            return loss

        run = wrap(step)
        return lambda: float(run(ids, goals))

    def torch(torch: Any) -> Step:
        table, out, ids, goals = map(torch.tensor, _numbers(rows))
        out.requires_grad_()

        def step() -> float:
            found = table[ids].requires_grad_()
            loss = torch.mean((found @ out - goals) ** 2)
            sparse, dense = torch.autograd.grad(loss, (found, out))
            with torch.no_grad():
                table.index_add_(0, ids, sparse, alpha=-RATE)
                out.sub_(dense, alpha=RATE)
            return loss.item()

        return step

    def jax(jax: Any) -> Step:
        jnp = jax.numpy
        table, out, ids, goals = map(jnp.asarray, _numbers(rows))

        def loss(found: Any, out: Any, goals: Any) -> Any:
            return jnp.mean((found @ out - goals) ** 2)

        def step(table: Any, out: Any, ids: Any, goals: Any) -> Any:
            value, (sparse, dense) = jax.value_and_grad(loss, (0, 1))(table[ids], out, goals)
            return value, table.at[ids].add(-RATE * sparse), out - RATE * dense

        run = jax.jit(step, donate_argnums=(0, 1))
        state = [table, out]

        def once() -> float:
            value, *state[:] = run(*state, ids, goals)
            return float(value)

        return once

    title = f"{BATCH} rows of a table {rows:,} x {COLUMNS}, SGD step"
    return Steps(f"embedding-{rows // 1000}k", title, tensorflow, torch, jax)


WORKLOADS = [embedding(10_000), embedding(100_000), embedding(1_000_000)]
