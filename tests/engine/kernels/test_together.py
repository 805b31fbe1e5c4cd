"""Calls of one function all over a program are made together."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from tfgrad_jax.engine.kernels.lowering import lowered
from tfgrad_jax.engine.kernels.together import joined, together

pytestmark = pytest.mark.modeless


@together
def stirred(x, y):
    return x * jnp.uint32(2654435761) ^ y, x + y


def apart(x):
    """Six calls, of which two wait for another; what follows reads them in another order."""
    firsts = [stirred(x + jnp.uint32(i), x)[0] for i in range(4)]
    second = stirred(firsts[2], jnp.full_like(x, 7))
    third, _ = stirred(firsts[0] + firsts[3], x)
    return {"sum": sum(firsts), "last": third - second[1], "given": x, "first": firsts[0], "number": 3.0}


def calls(fn, *operands):
    """The sizes of what `stirred` is called for in the program, as JAX traces it."""
    text = str(jax.make_jaxpr(fn)(*operands))
    return text.count("name=stirred")


def test_the_results_are_those_of_each():
    x = np.arange(5, dtype=np.uint32)
    program = jax.make_jaxpr(apart)(x)
    run = joined(program)
    got = jax.tree.unflatten(jax.tree.structure(apart(x)), run(x))
    for name, wanted in apart(x).items():
        assert np.array_equal(got[name], wanted), name
    assert calls(apart, x) == 6 and calls(run, x) == 0
    assert str(jax.make_jaxpr(run)(x)).count("2654435761") == 2  # four calls, then two


def test_few_calls_and_large_ones_stay_where_they_are():
    x = np.arange(5, dtype=np.uint32)
    assert joined(jax.make_jaxpr(lambda x: [stirred(x, x + jnp.uint32(i)) for i in range(3)])(x)) is None
    many = [stirred(x, x + np.uint32(i)) for i in range(5)]
    run = joined(jax.make_jaxpr(lambda x: [stirred(x, x + jnp.uint32(i)) for i in range(5)])(x))
    assert all(np.array_equal(a, b) for a, b in zip(run(x), jax.tree.leaves(many), strict=True))
    large = np.zeros(1 << 14, np.uint32)
    assert joined(jax.make_jaxpr(lambda x: [stirred(x, x + jnp.uint32(i)) for i in range(5)])(large)) is None


def test_a_chain_of_calls_has_none_to_join():
    def chain(x):
        for _ in range(8):
            x = stirred(x, x)[0]
        return x

    assert joined(jax.make_jaxpr(chain)(np.arange(5, dtype=np.uint32))) is None


def test_what_is_lowered_has_them_joined_and_takes_other_types_as_before():
    x = np.arange(5, dtype=np.uint32)
    call, program = lowered(apart, [jax.ShapeDtypeStruct(x.shape, x.dtype)])
    text = program.as_text()
    assert text.count("2654435761") == 2 or jax.default_backend() != "cpu"
    for operand in (x, np.arange(9, dtype=np.uint32)):
        got, wanted = call(operand), apart(operand)
        assert got.keys() == wanted.keys()
        assert all(np.array_equal(got[name], wanted[name]) for name in wanted)
