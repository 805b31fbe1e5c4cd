"""Random programs over tapes, and what TensorFlow answered to them.

`python -m tests.engine.tape.programs tensorflow > tests/engine/tape/programs.json` records again, where TensorFlow is.

A program is a chain of operations on two variables and a tensor, each on earlier values, some without a gradient, under two tapes,
with watches, pauses, seeds, several targets and sources (variables, the tensor, intermediate results) drawn by the seed.
"""

from __future__ import annotations

import importlib
import json
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

GOLDENS = Path(__file__).with_suffix(".json")
SEEDS = range(160)


def tripled(tf: Any, connects: bool) -> Callable[[Any], Any]:
    """Twice a tensor, with another gradient than that, or none."""

    @tf.custom_gradient
    def fn(x: Any) -> Any:
        return x * 2.0, lambda dy: dy * 3.0 + x * 0.5 if connects else None

    return fn


def lopsided(tf: Any) -> Callable[[Any, Any], Any]:
    """A function of two tensors with a gradient for the first alone."""

    @tf.custom_gradient
    def fn(a: Any, b: Any) -> Any:
        return a + b * b, lambda dy: (dy * 2.0, None)

    return fn


UNARY: list[Callable[[Any, Any], Any]] = [
    lambda tf, x: tf.sin(x),
    lambda tf, x: tf.square(x),
    lambda tf, x: x * 2.0,
    lambda tf, x: -x,
    lambda tf, x: x + 1.0,
    lambda tf, x: tf.tanh(x),
    lambda tf, x: tf.identity(x),
    lambda tf, x: tf.round(x * 3.0),
    lambda tf, x: tf.floor(x * 2.0),
    lambda tf, x: tf.stop_gradient(x),
    lambda tf, x: tf.ones_like(x),
    lambda tf, x: tf.zeros_like(x) + 0.5,
    lambda tf, x: tf.reduce_sum(x) + tf.zeros([3]),
    lambda tf, x: tf.reduce_mean(x) * x,
    lambda tf, x: tf.reduce_max(x) * x,
    lambda tf, x: tf.cast(tf.cast(x * 3.0, tf.int32), tf.float32),
    lambda tf, x: tf.cast(x > 0.3, tf.float32),
    lambda tf, x: tf.reverse(x, [0]),
    lambda tf, x: tripled(tf, True)(x),
    lambda tf, x: tripled(tf, False)(x),
    lambda tf, x: tf.sqrt(tf.abs(x) + 0.1),
    lambda tf, x: tf.cast(tf.cast(x, tf.float64) * 1.5, tf.float32),
    lambda tf, x: tf.concat(tf.split(x, 3)[::-1], 0),
    lambda tf, x: tf.convert_to_tensor(x) * 1.0,
    lambda tf, x: x + tf.stop_gradient(tf.round(x) - x),
    lambda tf, x: tf.where(x > 0.2, x, x * x),
    lambda tf, x: tf.cond(tf.reduce_sum(x) > 0.5, lambda: tf.sin(x), lambda: tf.round(x) * x),
    lambda tf, x: tf.function(lambda u: tf.round(u) * u + 1.0, autograph=False)(x),
    lambda tf, x: tf.clip_by_value(x, 0.0, 0.8),
    lambda tf, x: tf.nn.relu(x),
    lambda tf, x: x * tf.cast(tf.argmax(x), tf.float32),
    lambda tf, x: tf.sign(x) * 2.0,
    lambda tf, x: tf.sort(x),
    lambda tf, x: tf.gather(x, [2, 0, 0]),
    lambda tf, x: x * tf.stop_gradient(tf.reduce_sum(x)),
]
BINARY: list[Callable[[Any, Any, Any], Any]] = [
    lambda tf, x, y: x + y,
    lambda tf, x, y: x * y,
    lambda tf, x, y: x - y,
    lambda tf, x, y: tf.maximum(x, y),
    lambda tf, x, y: x // (tf.abs(y) + 0.3),
    lambda tf, x, y: x / (tf.abs(y) + 1.0),
    lambda tf, x, y: tf.reshape(tf.matmul(x[:, None] * tf.ones([3, 3]), y[:, None]), [3]),
    lambda tf, x, y: tf.where(x > y, x, y),
    lambda tf, x, y: tf.math.floormod(x, tf.abs(y) + 0.7),
    lambda tf, x, y: tf.concat([x[:1], y[1:]], 0),
    lambda tf, x, y: tf.minimum(x, y),
    lambda tf, x, y: tf.pow(tf.abs(x) + 0.2, 2.0) * y,
    lambda tf, x, y: tf.add_n([x, y, x]),
    lambda tf, x, y: tf.reduce_sum(tf.stack([x, y]), 0),
    lambda tf, x, y: lopsided(tf)(x, y),
]


@dataclass
class Program:
    """What a seed draws.

    Attributes:
      start: the values of two variables and a tensor; they are the values 0, 1 and 2, the steps' results follow.
      trainable: whether the second variable is trainable.
      steps: operations, and the numbers of the values that they take.
      watched: how many of the tapes watch the tensor, from the outer one on; `reads`: whether the inner one watches variables.
      paused, late: the step during which the inner tape does not record, and that before which it watches the last value, if any.
    """

    start: list[Any]
    trainable: bool
    persistent: bool
    second_order: bool
    watched: int
    reads: bool
    steps: list[tuple[Any, tuple[int, ...]]] = field(default_factory=list)
    paused: int = -1
    late: int = -1
    sources: list[int] = field(default_factory=list)
    others: list[int] = field(default_factory=list)
    targets: list[int] = field(default_factory=list)
    unconnected: str = "none"
    seeded: bool = False
    jacobian: bool = False

    @classmethod
    def of(cls, seed: int) -> Program:
        """The program of a seed."""
        r = np.random.RandomState(seed)
        start = [np.round(r.uniform(-1, 1, 3), 2).astype(np.float32) for _ in range(3)]
        made = cls(start, bool(r.randint(3)), bool(r.randint(2)), bool(r.randint(3)), r.randint(3), bool(r.randint(4)))
        n = r.randint(3, 10)
        for known in range(3, 3 + n):
            some, count = (UNARY, 1) if r.randint(2) else (BINARY, 2)
            made.steps.append((some[r.randint(len(some))], tuple(r.randint(0, known, count).tolist())))
        made.paused, made.late = r.randint(-3, n), r.randint(-2, n)
        made.sources = sorted(set(r.randint(0, 3 + n, 3).tolist()))
        made.others = sorted(set(r.randint(0, 3 + n, 2).tolist()))
        made.targets = r.randint(3, 3 + n, r.randint(1, 3)).tolist()
        # Something unwatched that is target and source at once is a matter of its own.
        made.sources = [s for s in made.sources if s not in made.targets] or [0]
        made.unconnected = "zero" if r.randint(5) == 0 else "none"
        made.seeded, made.jacobian = r.randint(3) == 0, r.randint(3) == 0
        return made

    def run(self, tf: Any, in_function: bool) -> list[list[Any]]:
        """The answers, as nested lists of numbers and None."""
        variables = [tf.Variable(self.start[0]), tf.Variable(self.start[1], trainable=self.trainable)]

        def ask(x: Any) -> Any:
            return [
                [None if g is None else tf.convert_to_tensor(g) for g in some]
                for some in self.asked(tf, [*variables, x])
            ]

        answers = (tf.function(ask, autograph=False) if in_function else ask)(tf.constant(self.start[2]))
        return [
            [None if g is None else np.asarray(g).astype(float).round(4).tolist() for g in some] for some in answers
        ]

    def asked(self, tf: Any, values: list[Any]) -> list[list[Any]]:
        """The gradients that the program asks for."""
        of = lambda places: [values[i] for i in places]  # noqa: E731
        with tf.GradientTape(persistent=True) as outer:
            if self.watched:
                outer.watch(values[2])
            with tf.GradientTape(self.persistent, self.reads) as tape:
                if self.watched == 2:
                    tape.watch(values[2])
                for i, (operation, places) in enumerate(self.steps):
                    if i == self.late and i:
                        tape.watch(values[-1])
                    if i == self.paused:
                        with tape.stop_recording():
                            values.append(operation(tf, *of(places)))
                    else:
                        values.append(operation(tf, *of(places)))
            seeds = [tf.ones([3]) * (k + 1.0) for k in range(len(self.targets))] if self.seeded else None
            first = tape.gradient(of(self.targets), of(self.sources), seeds, unconnected_gradients=self.unconnected)
            answers = [first]
            if self.persistent:
                answers.append(tape.gradient(values[self.targets[0]], of(self.others)))
                if self.jacobian:
                    answers.append(tape.jacobian(values[self.targets[0]], of(self.others)))
            again = [tf.convert_to_tensor(g) for g in first if g is not None]
        if self.second_order and again:
            # Where a gradient is flat, some of TensorFlow's are not connected and others are zero.
            answers.append(outer.gradient(again, of(self.sources), unconnected_gradients="zero"))
        answers.append(outer.gradient(values[self.targets[-1]], of(self.others)))
        return answers


def main(module: str) -> None:
    """Print what a module answers to all programs."""
    tf = importlib.import_module(module)
    lines = []
    for seed in SEEDS:
        eager, traced = (Program.of(seed).run(tf, in_function) for in_function in (False, True))
        lines.append(json.dumps([eager, None if traced == eager else traced], separators=(",", ":")))
    print("[\n" + ",\n".join(lines) + "\n]")


if __name__ == "__main__":
    main(sys.argv[1])
