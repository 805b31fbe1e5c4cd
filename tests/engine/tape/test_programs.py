"""Random programs over tapes answer what TensorFlow answers."""

from __future__ import annotations

import json

import numpy as np
import pytest

import tfgrad_jax as tf
from tests.engine.tape.programs import GOLDENS, SEEDS, Program

RECORDED = json.loads(GOLDENS.read_text(encoding="utf-8"))


def differ(expected, answer):
    """Whether nested lists of numbers and None differ."""
    if isinstance(expected, list):
        return not isinstance(answer, list) or len(answer) != len(expected) or any(map(differ, expected, answer))
    if expected is None or answer is None:
        return expected is not answer
    return not np.isclose(answer, expected, rtol=1e-3, atol=1e-3, equal_nan=True)


@pytest.mark.parametrize("in_function", [False, True])
@pytest.mark.parametrize("tens", range(0, len(SEEDS), 10))
def test_answers(tens, in_function):
    wrong = {}
    for seed in SEEDS[tens : tens + 10]:
        eager, traced = RECORDED[seed]
        expected = traced if in_function and traced is not None else eager
        answer = Program.of(seed).run(tf, in_function)
        if differ(expected, answer):
            wrong[seed] = expected, answer
    assert not wrong
