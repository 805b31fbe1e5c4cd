"""One template serves all sizes: what JAX traces with symbols gives what it gives for each size by itself."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import export, lax

from tests.engine.host.test_structure import some
from tfgrad_jax.engine.host import primitives  # noqa: F401
from tfgrad_jax.engine.host.template import Template

FUNCTIONS = {
    "mean": jnp.mean,
    "variance": lambda x: jnp.var(x, 0),
    "by a size": lambda x: x / x.shape[0] + jnp.float32(3 * x.shape[1] - 40),
    "joined": lambda x: jnp.concatenate([x, x[:1], jnp.zeros((2, x.shape[1]), x.dtype)]),
    "stacked": lambda x: jnp.stack([x, -x], 1),
    "tiled": lambda x: jnp.tile(x, (2, 3)),
    "flat": lambda x: x.reshape(-1),
    "folded": lambda x: x.reshape(x.shape[0], 1, x.shape[1]) + x.T[:, None].sum(),
    "begun later": lambda x: x[1:],
    "ended earlier": lambda x: x[:-2, 1:-1],
    "each second": lambda x: x[::2],
    "turned round": lambda x: x[::-1, ::-1],
    "one row": lambda x: x[2] + x[-1],
    "rolled": lambda x: jnp.roll(x, 2, 0),
    "padded": lambda x: jnp.pad(x, ((1, 2), (0, 3))),
    "padded to twice the size": lambda x: jnp.pad(x, ((0, x.shape[0]), (x.shape[1] - 3, 1))),
    "padded by less than nothing": lambda x: lax.pad(x, np.float32(0), ((3 - x.shape[0], 0, 1), (-1, 2, 0))),
    "taken": lambda x: jnp.take(x, jnp.array([1, 3, -1]), axis=0),
    "filled": lambda x: jnp.take(x, jnp.array([1, 30, 5]), axis=1, mode="fill"),
    "added to rows": lambda x: x.at[jnp.array([1, 1, 3])].add(1.0),
    "set": lambda x: x.at[1:3, 2].set(7.0),
    "counted": lambda x: jnp.arange(x.shape[0])[:, None] * x,
    "diagonal": lambda x: x[:, :1] * jnp.eye(x.shape[0], dtype=x.dtype),
    "sorted": lambda x: (jnp.sort(x, 0), jnp.argsort(x, 1)),
    "largest": lambda x: lax.top_k(x, 3),
    "summed up": lambda x: jnp.cumsum(x, 1),
    "multiplied": lambda x: x @ x.T,
    "multiplied in half": lambda x: jnp.sign(x).astype(jnp.float16) @ jnp.sign(x.T).astype(jnp.float16),
    "multiplied and kept wide": lambda x: lax.dot(
        jnp.sign(x).astype(jnp.bfloat16), jnp.sign(x.T).astype(jnp.bfloat16), preferred_element_type=jnp.float32
    ),
    "softmax": lambda x: jax.nn.softmax(x, 1),
    "in a loop": lambda x: lax.scan(lambda c, row: (c + row.sum(), row * c), 0.0, x),
    "while": lambda x: lax.while_loop(lambda c: c[0] < 3, lambda c: (c[0] + 1, c[1] + x.shape[0]), (0, x)),
    "of complex numbers": lambda x: lax.complex(x, 2 * x),
    "branches": lambda x: lax.cond(x[0, 0] > 0, lambda x: x[1:] * x.shape[1], lambda x: x[:-1], x),
    "gradient": jax.grad(lambda x: (x[1:] * x[:-1]).mean() + jnp.take(x, jnp.array([0, 2, 0]), 1).sum()),
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_sizes_that_are_found_later(name):
    function = FUNCTIONS[name]
    rows, columns = export.symbolic_shape("n, m", constraints=["n >= 5", "m >= 5"])
    template = Template(jax.make_jaxpr(function)(jax.ShapeDtypeStruct((rows, columns), np.float32)))
    for n, m in [(5, 5), (5, 8), (9, 6)]:
        x = some((n, m))
        flat = template.flat({"n": n, "m": m})
        expected = jax.tree.leaves(jax.jit(function)(x))
        assert [(t.shape, t.dtype) for t in flat.types] == [(e.shape, e.dtype) for e in expected]
        for f, e in zip(flat(x), expected, strict=True):
            np.testing.assert_allclose(f, e, rtol=1e-5, atol=1e-4)
            assert (np.shape(f), f.dtype) == (e.shape, e.dtype)
