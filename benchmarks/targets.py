"""The figures to reach: a peer's time (or memory) as a multiple of another's, measured in the same run."""

from __future__ import annotations

from typing import NamedTuple


class Target(NamedTuple):
    """`peer` on `workload` shall be at most `limit` times the best of `against`; ``None`` is an absolute limit."""

    workload: str
    peer: str
    against: tuple[str, ...] | None
    limit: float


FUNCTIONS = ("tf-function", "tf-xla")


def _rows(peer: str, table: dict[str, dict[str, float]]) -> list[Target]:
    return [
        Target(workload, peer, FUNCTIONS if other == "tf-function" else (other,), limit)
        for workload, limits in table.items()
        for other, limit in limits.items()
    ]


TARGETS = [
    *_rows(
        "immediate",
        {
            "op": {"tf-eager": 0.7},
            "chain": {"tf-eager": 0.55},
            "mlp-small": {"tf-eager": 0.3},
            "mlp-large": {"tf-eager": 0.8},
            "cold": {"tf-eager": 0.5},
            "tape-mixed": {"tf-eager": 1.1},
            "tape-add": {"tf-eager": 1.1},
            "tape-relu": {"tf-eager": 1.1},
        },
    ),
    Target("deep", "immediate", None, 1.5),
    *_rows(
        "fused",
        {
            "chain": {"tf-eager": 0.12, "torch": 0.8},
            "mlp-small": {"tf-eager": 0.10, "torch": 1.0, "jax.jit": 2.2},
            "mlp-large": {"tf-eager": 0.40, "torch": 0.7, "jax.jit": 1.2},
            "cnn": {"tf-eager": 0.5, "torch": 1.0, "jax.jit": 0.8},
            "gru": {"tf-eager": 0.08, "torch": 0.6, "jax.jit": 1.3},
            "attention": {"tf-eager": 0.32, "torch": 1.2, "jax.jit": 1.1},
            "hvp": {"tf-eager": 0.15},
            "jacobian": {"tf-eager": 0.5},
            "embedding-100k": {"tf-eager": 0.3},
            "memory-mlp": {"immediate": 1.0},
            **{
                f"first30-{name}": {"immediate": 1.5}
                for name in ("chain", "mlp-small", "mlp-large", "cnn", "gru", "attention", "hvp")
            },
        },
    ),
    *_rows(
        "function",
        {
            "mlp-small": {"jax.jit": 1.3, "tf-function": 0.5},
            "mlp-large": {"jax.jit": 1.1, "tf-function": 0.9},
            "cnn": {"jax.jit": 1.05, "tf-function": 1.2},
            "gru": {"jax.jit": 1.1},
            "attention": {"jax.jit": 1.05, "tf-function": 1.1},
            "hvp": {"tf-function": 0.5},
            "compile-gru": {"jax.jit": 1.0},
            "compile-gru-range": {"jax.jit": 0.15},
            "jacobian": {"tf-function": 0.5},
        },
    ),
]
