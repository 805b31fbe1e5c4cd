"""Random small programs, each run several steps in both modes: whatever order things happen in, the results agree."""

from __future__ import annotations

import contextlib

import numpy as np
import pytest

import tfgrad_jax as tf
from tests.engine.fused.fusing import in_both_modes

UNARY = (tf.sin, tf.tanh, tf.sigmoid, tf.abs, lambda x: x * 0.5, lambda x: 1.0 - x, tf.stop_gradient, tf.identity)
BINARY = (tf.add, tf.multiply, tf.maximum, lambda x, y: x - 0.5 * y, lambda x, y: tf.where(x > y, x, y * 0.5))


@tf.custom_gradient
def halved(x):
    return x * 0.5, lambda dy: dy * tf.cos(x)


class Program:
    """A program as a list of choices, drawn once; `step` carries them out, the same way in each mode.

    Args:
      seed: of the choices.
      length: how many instructions a step has, about.
    """

    def __init__(self, seed, length=25):
        rng = np.random.default_rng(seed)
        self.choices = rng.integers(0, 1 << 30, (length, 6)).tolist()
        # Some programs do the same each step, some two things in turn, some drift.
        self.period = int(rng.choice([1, 1, 1, 2, 3]))
        self.drifts = rng.random() < 0.2

    def build(self):
        rng = np.random.default_rng(1)
        self.variables = [tf.Variable(rng.standard_normal(3).astype(np.float32)) for _ in range(3)]
        self.variables.append(tf.Variable(rng.standard_normal(3).astype(np.float32), trainable=False))
        self.constants = [tf.constant(rng.standard_normal(3).astype(np.float32)) for _ in range(2)]
        self.table = tf.Variable(rng.standard_normal((5, 3)).astype(np.float32))
        self.kept = []
        return self.step

    def step(self, number):
        self.tensors = list(self.constants)
        self.open, self.closed, self.results = [], [], []
        phase = number % self.period
        skip = 5 + number if self.drifts else -1
        with contextlib.ExitStack():
            try:
                for i, choice in enumerate(self.choices):
                    if i % self.period <= phase and i != skip:
                        self.instruction(number, *choice)
            finally:
                while self.open:
                    self.leave()
            for tape in self.closed:
                self.ask(tape, *self.choices[0][:3])
        return self.results, [v.read_value() for v in self.variables]

    def value(self, k):
        pool = self.tensors + self.variables
        return pool[k % len(pool)]

    def leave(self):
        tape = self.open.pop()
        tape.__exit__(None, None, None)
        self.closed.append(tape)

    def instruction(self, number, what, a, b, c, d, e):
        what %= 20
        if what < 4:
            self.tensors.append(UNARY[c % len(UNARY)](self.value(a)))
        elif what < 8:
            self.tensors.append(BINARY[c % len(BINARY)](self.value(a), self.value(b)))
        elif what == 8:
            v = self.variables[a % 4]
            (v.assign, v.assign_add, v.assign_sub)[c % 3](0.1 * tf.tanh(self.value(b)))
        elif what < 11 and len(self.open) < 3:
            tape = tf.GradientTape(persistent=bool(c % 2), watch_accessed_variables=bool(d % 4))
            tape.__enter__()
            self.open.append(tape)
        elif what == 11 and self.open:
            self.leave()
        elif what < 14 and self.closed:
            self.ask(self.closed[a % len(self.closed)], b, c, d)
        elif what == 14 and self.open:
            self.open[a % len(self.open)].watch(self.value(b))
        elif what == 15:
            self.results.append(float(tf.reduce_sum(self.value(a))))
        elif what == 16:
            rows = tf.constant([a % 5, (b + number) % 5, c % 5])
            self.tensors.append(tf.reduce_sum(tf.gather(self.table, rows) * self.value(d), 0))
        elif what == 17:
            self.kept.append(self.value(a) if a % 2 else self.value(a) * 1.0)
            if len(self.kept) > 2:
                self.tensors.append(tf.tanh(self.kept.pop(0)))
        elif what == 18:
            self.tensors.append(halved(self.value(a)))
        elif what == 19 and self.open and a % 2:
            with self.open[-1].stop_recording():
                self.tensors.append(tf.sin(self.value(b)))

    def ask(self, tape, a, b, c):
        """Ask for a gradient, which becomes a value that the program goes on with."""
        sources = [self.value(b), self.value(c), self.variables[a % 4], self.table]
        given = [self.value(c) * 1.0] if a % 3 == 0 else None
        try:
            found = tape.gradient([self.value(a)], sources, output_gradients=given)
        except RuntimeError as error:
            self.results.append(str(error)[:30])
            return
        self.results.append(found)
        self.tensors += [tf.tanh(g) for g in found[:3] if isinstance(g, tf.Tensor)]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("seed", range(16))
def test_random_programs(seed):
    in_both_modes(Program(seed, 12 + seed % 30).build, steps=7)
