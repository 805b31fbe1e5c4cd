"""The rules of windows and convolutions give what XLA gives."""

from __future__ import annotations

import jax
import ml_dtypes
import numpy as np
import pytest
from jax import lax
from jax.extend.core import primitives as PRIMITIVES

from tests.engine.host.agreement import (
    COMPLEX,
    FLOATS,
    SINGLE,
    assert_agree,
)
from tfgrad_jax.engine.host.rules import NoRule
from tfgrad_jax.engine.host.template import Template

WINDOWS = [  # the operand's shape; the windows' size, strides, padding, distances in the operand, distances in the window
    ((2, 7, 8, 3), (1, 2, 3, 1), (1, 2, 2, 1), ((0, 0), (1, 0), (1, 2), (0, 0)), (1, 1, 1, 1), (1, 1, 1, 1)),
    ((6, 6), (2, 3), (2, 3), ((0, 0), (0, 0)), (1, 1), (1, 1)),
    ((7, 8), (3, 2), (2, 1), ((2, 1), (-1, 0)), (2, 1), (1, 3)),
    ((5,), (5,), (1,), ((4, 0),), (1,), (1,)),
    ((5,), (5,), (1,), ((0, 0),), (1,), (1,)),
    ((0, 4), (2, 2), (1, 1), ((1, 1), (0, 0)), (1, 1), (1, 1)),
    ((4, 4), (5, 1), (1, 1), ((0, 0), (0, 0)), (1, 1), (1, 1)),
    ((9,), (2,), (3,), ((-2, -3),), (1,), (1,)),
    ((4,), (1,), (2,), ((-1, 3),), (3,), (1,)),
]


@pytest.mark.parametrize("dtype", [*FLOATS, np.dtype("int32"), np.dtype("uint8")], ids=str)
def test_windows(dtype):
    draw = np.random.default_rng(0)
    info = np.iinfo(dtype) if dtype.kind in "iu" else ml_dtypes.finfo(dtype)
    for shape, *geometry in WINDOWS:
        a = (1 + 9 * draw.random(shape)).astype(dtype)
        starts = {"add": 0, "mul": 1, "max": info.min, "min": info.max}
        if dtype.kind not in "iu":
            starts |= {"max": -np.inf, "min": np.inf}
        functions = {
            f"{name} {shape} {geometry}": lambda a, name=name, start=start, g=geometry: lax.reduce_window(
                a, np.array(start, dtype), getattr(lax, name), *g
            )
            for name, start in [*starts.items(), ("max", 3)]
        }
        assert_agree(functions, a, ulps=8)


@pytest.mark.parametrize("dtype", FLOATS, ids=str)
def test_which_element_of_a_window_is_chosen(dtype):
    draw = np.random.default_rng(0)
    for shape, size, strides, padding, *dilations in WINDOWS[:2] + WINDOWS[3:5]:
        form = {"window_dimensions": size, "window_strides": strides, "padding": padding}

        def pool(a, size=size, strides=strides, padding=padding):
            return lax.reduce_window(a, np.array(-np.inf, dtype), lax.max, size, strides, padding)

        drawn = np.round(draw.normal(size=shape)).astype(dtype)
        for a in (drawn, np.full(shape, np.nan, dtype), np.full(shape, -np.inf, dtype)):
            source = np.ones(jax.eval_shape(pool, a).shape, dtype)
            scatter = {
                f"scatter {select} {shape}": lambda g, a, select=select, form=form: (
                    PRIMITIVES.select_and_scatter_add_p.bind(g, a, select_prim=select, **form)
                )
                for select in (PRIMITIVES.ge_p, PRIMITIVES.le_p)
            }
            assert_agree(scatter, source, a)
        gather = {
            f"gather {shape}": lambda t, a, form=form, dilations=dilations: PRIMITIVES.select_and_gather_add_p.bind(
                t, a, select_prim=PRIMITIVES.ge_p, base_dilation=dilations[0], window_dilation=dilations[1], **form
            )
        }
        assert_agree(gather, draw.normal(size=shape).astype(dtype), drawn)


CONVOLUTIONS = [  # strides, padding, distances in the operand, in the kernel; groups of features, of batches
    ((1, 1), ((0, 0), (0, 0)), (1, 1), (1, 1), 1, 1),
    ((2, 1), ((1, 1), (1, 2)), (1, 1), (1, 1), 1, 1),
    ((1, 2), ((-1, 2), (0, -1)), (1, 1), (1, 1), 2, 1),
    ((1, 1), ((2, 2), (1, 2)), (2, 3), (1, 1), 1, 1),
    ((2, 2), ((2, 2), (2, 2)), (1, 1), (2, 2), 1, 2),
    ((1, 1), ((1, 1), (1, 1)), (2, 1), (1, 2), 4, 1),
    ((2, 2), ((1, 1), (1, 1)), (1, 1), (1, 1), 1, 4),
]
LAYOUTS = [("NHWC", "HWIO", "NHWC"), ("NCHW", "OIHW", "NCHW"), ("CHWN", "IHWO", "NHWC"), ("HWNC", "OHWI", "CWNH")]


def convolution(a, kernel, form=CONVOLUTIONS[0], layout=LAYOUTS[0]):
    *geometry, groups, batches = form
    return lax.conv_general_dilated(
        a, kernel, *geometry, dimension_numbers=layout, feature_group_count=groups, batch_group_count=batches
    )


def operands(dtype, form=CONVOLUTIONS[0], layout=LAYOUTS[0]):
    draw = np.random.default_rng(0)
    of_kernel = {"O": 8, "I": 4 // form[4], "H": 3, "W": 2}
    for sizes, spec in (({"N": 4, "C": 4, "H": 6, "W": 7}, layout[0]), (of_kernel, layout[1])):
        yield (1 + 3 * draw.random([sizes[c] for c in spec])).astype(dtype)


@pytest.mark.parametrize("layout", LAYOUTS, ids=str)
def test_convolutions(layout):
    for form in CONVOLUTIONS:
        one = {f"{form}": lambda a, k, form=form: convolution(a, k, form, layout)}
        assert_agree(one, *operands(SINGLE, form, layout), ulps=16)


@pytest.mark.parametrize("dtype", [*FLOATS, np.dtype("int32"), COMPLEX[0]], ids=str)
def test_dtypes_of_convolutions(dtype):
    assert_agree({"convolution": convolution}, *operands(dtype), ulps=16)


def test_convolutions_in_other_numbers_of_dimensions():
    draw = np.random.default_rng(0).random
    for shape, kernel in (
        ((3, 4), (5, 4)),
        ((2, 4, 9), (5, 4, 3)),
        ((2, 4, 2), (5, 4, 3)),
        ((2, 4, 5, 6, 4), (5, 4, 2, 2, 3)),
    ):
        strides = (2,) * (len(shape) - 2)
        padding = ((0, 0),) * (len(shape) - 2)
        function = {"": lambda a, k, strides=strides, padding=padding: lax.conv_general_dilated(a, k, strides, padding)}
        assert_agree(function, draw(shape).astype(SINGLE), draw(kernel).astype(SINGLE), ulps=16)


def test_what_takes_long_is_left_to_the_compiler():
    def template(function, *shapes):
        return Template(jax.make_jaxpr(function)(*[jax.ShapeDtypeStruct(shape, SINGLE) for shape in shapes]))

    with pytest.raises(NoRule):
        template(lax.dot, (1024, 1024), (1024, 1024)).flat({})
    with pytest.raises(NoRule):
        template(convolution, (64, 66, 65, 512), (3, 2, 512, 512)).flat({})
    with pytest.raises(NoRule):
        template(lambda a: lax.reduce_window(a, np.float32(0), lax.add, (500,), (1,), "VALID"), (1000,)).flat({})
