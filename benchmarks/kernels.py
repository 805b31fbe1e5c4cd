"""``python -m benchmarks.kernels``: heavy kernels one by one, beside hand-written ``jax.jit`` and TensorFlow.

Each peer has a process of its own on one core, which calls every kernel until it is warm and then for a while, and reads each
result; the peers take turns. What counts is the processor's time of a call, the least of some stretches, so that other work beside
matters less: threads that wait for each other take time of the processor, and on one core there are none. A ratio is taken within a
turn before the median over the turns.
"""

from __future__ import annotations

import argparse
import importlib
import json
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from benchmarks.peers import PEERS, ROOT, environment

COLUMNS = ("fused", "immediate", "jax.jit", "tf-eager")
LIMITS = {"jax.jit": 1.2, "tf-eager": 1.5}
"""By the peer how much slower a kernel may be."""


class Kernel(NamedTuple):
    """A kernel: its operands, and what it is with TensorFlow's names and with JAX's."""

    operands: tuple[np.ndarray, ...]
    of_tf: Callable[..., Any]
    of_jax: Callable[..., Any]


def _numbers(*shape: int) -> np.ndarray:
    return np.random.default_rng(len(shape)).normal(size=shape).astype(np.float32)


def _whole(below: int, *shape: int) -> np.ndarray:
    return np.random.default_rng(1).integers(0, below, shape).astype(np.int32)


def _convolution(size: int, channels: int, layout: str, **options: Any) -> dict[str, Kernel]:
    """A convolution of 3 x 3 forwards, and both of its gradients."""
    axes = {"H": size, "W": size, "C": channels, "N": 16}
    x, w = _numbers(*[axes[a] for a in layout]), _numbers(3, 3, channels, channels) * 0.1
    dilation = options.get("dilation", 1)

    def forward(x: Any, w: Any) -> Any:
        lax = importlib.import_module("jax.lax")
        return lax.conv_general_dilated(
            x, w, (1, 1), "SAME", rhs_dilation=(dilation, dilation), dimension_numbers=(layout, "HWIO", layout)
        )

    def backward(x: Any, w: Any, dy: Any) -> Any:
        return importlib.import_module("jax").vjp(forward, x, w)[1](dy)

    given = {"strides": [1, 1, 1, 1], "padding": "SAME", "data_format": layout}
    given["dilations"] = [dilation if axis in "HW" else 1 for axis in layout]

    def gradients(tf: Any, x: Any, w: Any, dy: Any) -> Any:
        raw = tf.raw_ops
        return (
            raw.Conv2DBackpropInput(input_sizes=x.shape, filter=w, out_backprop=dy, **given),
            raw.Conv2DBackpropFilter(input=x, filter_sizes=w.shape, out_backprop=dy, **given),
        )

    name = f"{layout}{' dilated' if dilation > 1 else ''} {size} x {size} x {channels}"
    return {
        f"conv2d {name}": Kernel((x, w), lambda tf, x, w: tf.raw_ops.Conv2D(input=x, filter=w, **given), forward),
        f"conv2d {name}, gradients": Kernel((x, w, x), gradients, backward),
    }


def _spatial(size: int, channels: int) -> dict[str, Kernel]:
    """Kernels of images."""
    x, w = _numbers(16, size, size, channels), _numbers(3, 3, channels, 1) * 0.1
    label = f"{size} x {size} x {channels}"

    def depthwise(x: Any, w: Any) -> Any:
        lax = importlib.import_module("jax.lax")
        return lax.conv_general_dilated(
            x, w.reshape(3, 3, 1, channels), (1, 1), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC"),
            feature_group_count=channels,
        )  # fmt: skip

    def transposed(x: Any, w: Any) -> Any:
        lax = importlib.import_module("jax.lax")
        return lax.conv_transpose(x, w, (2, 2), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC"))

    def pooled(kind: str) -> Callable[[Any], Any]:
        def pool(x: Any) -> Any:
            lax = importlib.import_module("jax.lax")
            start, step, scale = (-np.inf, lax.max, 1.0) if kind == "max" else (0.0, lax.add, 0.25)
            return lax.reduce_window(x, start, step, (1, 2, 2, 1), (1, 2, 2, 1), "VALID") * scale

        return pool

    def resized(x: Any) -> Any:
        return importlib.import_module("jax").image.resize(x, (16, 2 * size, 2 * size, channels), "bilinear")

    return {
        f"depthwise {label}": Kernel(
            (x, w), lambda tf, x, w: tf.nn.depthwise_conv2d(x, w, [1, 1, 1, 1], "SAME"), depthwise
        ),
        f"conv2d_transpose {label}": Kernel(
            (x, _numbers(3, 3, channels, channels) * 0.1),
            lambda tf, x, w: tf.nn.conv2d_transpose(x, w, [16, 2 * size, 2 * size, channels], [1, 2, 2, 1], "SAME"),
            transposed,
        ),
        f"max_pool2d {label}": Kernel((x,), lambda tf, x: tf.nn.max_pool2d(x, 2, 2, "VALID"), pooled("max")),
        f"avg_pool2d {label}": Kernel((x,), lambda tf, x: tf.nn.avg_pool2d(x, 2, 2, "VALID"), pooled("mean")),
        f"resize bilinear {label}": Kernel((x,), lambda tf, x: tf.image.resize(x, [2 * size, 2 * size]), resized),
    }


def _of_jax(path: str, **options: Any) -> Callable[..., Any]:
    """A function of JAX by its name, loaded when it is called."""

    def call(*operands: Any) -> Any:
        module, _, name = path.rpartition(".")
        return getattr(importlib.import_module(module), name)(*operands, **options)

    return call


def _rows(rows: int, columns: int) -> dict[str, Kernel]:
    """Kernels of rows: of tables, sequences and activations."""
    x, ids = _numbers(rows, columns), _whole(rows, 4 * rows)
    more, label = _numbers(4 * rows, columns), f"{rows} x {columns}"
    scale = _numbers(columns)

    def normalized(np_like: Any, mean: Any, variance: Any, x: Any, scale: Any) -> Any:
        return (x - mean) * np_like(variance + 1e-3) * scale + scale

    def layer_norm_tf(tf: Any, x: Any, scale: Any) -> Any:
        mean, variance = tf.nn.moments(x, [-1], keepdims=True)
        return tf.nn.batch_normalization(x, mean, variance, scale, scale, 1e-3)

    def layer_norm_jax(x: Any, scale: Any) -> Any:
        mean, variance = x.mean(-1, keepdims=True), x.var(-1, keepdims=True)
        return normalized(importlib.import_module("jax.lax").rsqrt, mean, variance, x, scale)

    return {
        f"sort {label}": Kernel((x,), lambda tf, x: tf.sort(x), _of_jax("jax.numpy.sort")),
        f"top_k(8) {label}": Kernel((x,), lambda tf, x: tuple(tf.math.top_k(x, 8)), _of_jax("jax.lax.top_k", k=8)),
        f"segment_sum {label}": Kernel(
            (more, np.sort(ids)),
            lambda tf, x, ids: tf.math.segment_sum(x, ids),
            _of_jax("jax.ops.segment_sum", num_segments=int(ids.max()) + 1, indices_are_sorted=True),
        ),
        f"unsorted_segment_sum {label}": Kernel(
            (more, ids),
            lambda tf, x, ids: tf.math.unsorted_segment_sum(x, ids, rows),
            _of_jax("jax.ops.segment_sum", num_segments=rows),
        ),
        f"gather {label}": Kernel((x, ids), lambda tf, x, ids: tf.gather(x, ids), lambda x, ids: x[ids]),
        f"scatter add {label}": Kernel(
            (x, ids, more),
            lambda tf, x, ids, more: tf.tensor_scatter_nd_add(x, ids[:, None], more),
            lambda x, ids, more: x.at[ids].add(more),
        ),
        f"cumsum {label}": Kernel(
            (x,), lambda tf, x: tf.cumsum(x, axis=1), lambda x: importlib.import_module("jax.numpy").cumsum(x, axis=1)
        ),
        f"softmax {label}": Kernel((x,), lambda tf, x: tf.nn.softmax(x), _of_jax("jax.nn.softmax")),
        f"layer norm {label}": Kernel((x, scale), layer_norm_tf, layer_norm_jax),
        f"fft {label}": Kernel((x.astype(np.complex64),), lambda tf, x: tf.signal.fft(x), _of_jax("jax.numpy.fft.fft")),
        f"rfft2d {label}": Kernel((x,), lambda tf, x: tf.signal.rfft2d(x), _of_jax("jax.numpy.fft.rfft2")),
    }


def _matrices(size: int) -> dict[str, Kernel]:
    """Kernels of square matrices."""
    a, b = _numbers(size, size), _numbers(size, size) + 1.0
    heads = _numbers(4, size // 2, 4, 32)
    positive = (a @ a.T / size + np.eye(size)).astype(np.float32)
    half = positive[: size // 2, : size // 2]
    attention = "bthd,bshd->bhts"

    def pair(*found: Any) -> tuple[Any, ...]:
        return found

    return {
        f"matmul {size}": Kernel((a, b), lambda tf, a, b: tf.matmul(a, b), lambda a, b: a @ b),
        f"einsum attention {size // 2}": Kernel(
            (heads, heads),
            lambda tf, a, b: tf.einsum(attention, a, b),
            lambda a, b: importlib.import_module("jax.numpy").einsum(attention, a, b),
        ),
        f"svd {size // 2}": Kernel(
            (half,), lambda tf, a: tf.linalg.svd(a), _of_jax("jax.numpy.linalg.svd", full_matrices=False)
        ),
        f"eigh {size // 2}": Kernel((half,), lambda tf, a: tf.linalg.eigh(a), _of_jax("jax.numpy.linalg.eigh")),
        f"qr {size // 2}": Kernel((half,), lambda tf, a: pair(*tf.linalg.qr(a)), _of_jax("jax.numpy.linalg.qr")),
        f"cholesky {size}": Kernel(
            (positive,), lambda tf, a: tf.linalg.cholesky(a), _of_jax("jax.numpy.linalg.cholesky")
        ),
    }


def kernels() -> dict[str, Kernel]:
    """All of them, in two sizes each."""
    found: dict[str, Kernel] = {}
    for size in (128, 512):
        found |= _matrices(size)
    for size, channels in ((16, 16), (32, 64)):
        for layout in ("NHWC", "NCHW"):
            found |= _convolution(size, channels, layout)
        found |= _convolution(size, channels, "NHWC", dilation=2)
        found |= _spatial(size, channels)
    for rows, columns in ((256, 64), (2048, 256)):
        found |= _rows(rows, columns)
    return found


def measure(peer: str, seconds: float, only: str) -> dict[str, float]:
    """Seconds of the processor that a call of each kernel takes; what the peer cannot run is left out."""
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    module = importlib.import_module(PEERS[peer].module)
    found = {}
    for name, kernel in kernels().items():
        if only not in name:
            continue
        if peer == "jax.jit":
            operands = [module.numpy.asarray(x) for x in kernel.operands]
            function = module.jit(kernel.of_jax)
        else:
            operands = [module.constant(x) for x in kernel.operands]
            function = _bound(kernel.of_tf, module)
        try:
            for _ in range(3):
                _timed(function, operands, 0.5)
                if PEERS[peer].module == "tfgrad_jax":  # what pays is compiled beside the calls
                    importlib.import_module("tfgrad_jax.extras").wait_compiled()
        except Exception as error:  # TensorFlow has no kernel of some for CPUs
            print(f"{peer}: {name}: {type(error).__name__}: {str(error)[:120]}", file=sys.stderr)
            continue
        found[name] = min(_timed(function, operands, seconds / 5) for _ in range(5))
    return found


def _bound(function: Callable[..., Any], module: Any) -> Callable[..., Any]:
    return lambda *operands: function(module, *operands)


def _timed(function: Callable[..., Any], operands: list[Any], seconds: float) -> float:
    """The processor's time of a call, by calls for so long, three at least; each result is read."""
    calls, start, end = 0, time.process_time(), time.perf_counter() + seconds
    while calls < 3 or time.perf_counter() < end:
        made = function(*operands)
        for one in made if isinstance(made, (tuple, list)) else [made]:
            np.asarray(one)
        calls += 1
    return (time.process_time() - start) / calls


def main() -> None:
    """Measure all peers in turns and print a table."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.kernels", description=__doc__)
    parser.add_argument("--tensorflow-python", default=os.environ.get("BENCH_TENSORFLOW_PYTHON", sys.executable))
    parser.add_argument("--turns", type=int, default=3, help="runs of each (default 3)")
    parser.add_argument("--seconds", type=float, default=0.3, help="how long each kernel is called (default 0.3)")
    parser.add_argument("--only", default="", help="kernels whose name contains this")
    parser.add_argument("--measure", metavar="PEER", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.measure:
        print(json.dumps(measure(given.measure, given.seconds, given.only)))
        return
    runs: dict[str, list[dict[str, float]]] = {peer: [] for peer in COLUMNS}
    for _ in range(given.turns):
        for peer, kept in runs.items():
            python = given.tensorflow_python if PEERS[peer].module == "tensorflow" else sys.executable
            command = [python, "-m", "benchmarks.kernels", "--measure", peer, "--seconds", str(given.seconds)]
            command += ["--only", given.only]
            env = environment(PEERS[peer], {"PYTHONWARNINGS": "ignore"})
            done = subprocess.run(command, cwd=ROOT, env=env, check=True, stdout=subprocess.PIPE, text=True)
            kept.append(json.loads(done.stdout.splitlines()[-1]))
    print(table(runs))


def table(runs: dict[str, list[dict[str, float]]]) -> str:
    """Medians in microseconds, and ratios; those above a limit are bold."""
    lines = [
        f"| kernel | {' | '.join(COLUMNS)} | of `jax.jit`: fused, immediate | of TensorFlow: fused, immediate |",
        f"|---|{'---|' * (len(COLUMNS) + 2)}",
    ]
    for name in runs["jax.jit"][0]:
        cells = [_microseconds([run[name] for run in runs[peer] if name in run]) for peer in COLUMNS]
        for peer, limit in LIMITS.items():
            shown = []
            for ours in ("fused", "immediate"):
                pairs = zip(runs[ours], runs[peer], strict=True)
                ratios = [a[name] / b[name] for a, b in pairs if name in a and name in b]
                ratio = statistics.median(ratios) if ratios else None
                text = "-" if ratio is None else f"{ratio:.2f}x"
                shown.append(f"**{text}**" if ratio is not None and ratio > limit else text)
            cells.append(", ".join(shown))
        lines.append(f"| {name} | {' | '.join(cells)} |")
    return "\n".join(lines)


def _microseconds(values: list[float]) -> str:
    return f"{statistics.median(values) * 1e6:,.3g}" if values else "-"


if __name__ == "__main__":
    main()
