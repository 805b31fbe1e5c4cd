"""The picture of a run: for each workload the peers' times as bars, relative to fused mode's.

``python -m benchmarks --picture FILE.svg`` ends with it; ``python -m benchmarks.picture FIGURES.json FILE.svg`` draws that of
an earlier run.
"""

from __future__ import annotations

import json
import statistics
import sys
from collections.abc import Mapping
from html import escape
from pathlib import Path
from typing import Any

OURS = "fused"
TITLES = {
    "chain": "150 small operations",
    "mlp-small": "small MLP",
    "mlp-large": "large MLP",
    "cnn": "CNN",
    "gru": "GRU, 50 steps",
    "attention": "attention block",
    "hvp": "Hessian-vector product",
    "embedding-100k": "embedding, 100,000 rows",
}
PEERS = {
    "fused": "tfgrad_jax, plain eager code",
    "function": "tfgrad_jax, tf.function",
    "torch": "PyTorch, eager",
    "jax.jit": "jax.jit, by hand",
    "tf-function": "TensorFlow, tf.function",
    "tf-eager": "TensorFlow, eager",
}
LONGEST = 4.0  # a bar that would be longer ends here, broken, and its number says how long it is
LEFT, UNIT, BAR, GAP, TOP = 190, 130, 13, 14, 74
STYLE = """
text { font: 12px system-ui, sans-serif; fill: #24292f }
.small { font-size: 10px; fill: #57606a } .title { font-size: 15px; font-weight: 600 }
.one { stroke: #57606a; stroke-dasharray: 3 3 } .fused { fill: #d1541f } .function { fill: #f0a07c } .torch { fill: #7a5aa6 }
.jax-jit { fill: #2f7d6b } .tf-function { fill: #8c9bab } .tf-eager { fill: #b9c3cd } .cut { stroke: #fff; stroke-width: 3 }
@media (prefers-color-scheme: dark) {
  text { fill: #e6edf3 } .small { fill: #9da7b1 } .one { stroke: #9da7b1 } .cut { stroke: #0d1117 }
}
"""


def draw(run: Mapping[str, Any]) -> str:
    """The picture of a run, as SVG; workloads that lack fused mode's figures are left out.

    Args:
        run: What ``python -m benchmarks --json`` writes.
    """
    figures = {
        name: {peer: statistics.median(result["rounds"]) for peer, result in row.items() if result["rounds"]}
        for name, row in run["results"].items()
    }
    versions = ", ".join(f"{module} {version}" for module, version in run["versions"].items())
    caption = f"{run['date']}, {run['cores']} cores ({run['processor']}); {versions}"
    rows = {name: figures[name] for name in TITLES if OURS in figures.get(name, ())}
    shown = [peer for peer in PEERS if any(peer in row for row in rows.values())]
    parts, y = [], TOP
    for name, row in rows.items():
        present = [peer for peer in shown if peer in row]
        middle = y + len(present) * BAR / 2 + 4
        parts.append(f'<text x="{LEFT - 12}" y="{middle:.0f}" text-anchor="end">{TITLES[name]}</text>')
        for peer in present:
            parts.append(_bar(peer, row[peer] / row[OURS], row[peer], y))
            y += BAR
        y += GAP
    width, height = LEFT + LONGEST * UNIT + 150, y + 16
    one = LEFT + UNIT
    head = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height}" role="img">',
        f"<style>{STYLE}</style>",
        '<text class="title" x="12" y="22">Time of a step, relative to the same TensorFlow code run eagerly on tfgrad_jax</text>',
        f'<text class="small" x="12" y="38">{escape(caption)}</text>',
        *_legend(shown),
        f'<line class="one" x1="{one}" x2="{one}" y1="{TOP - 6}" y2="{y - GAP + 6}"/>',
        f'<text class="small" x="{one}" y="{y + 4}" text-anchor="middle">1x</text>',
    ]
    return "\n".join([*head, *parts, "</svg>"]) + "\n"


def _bar(peer: str, ratio: float, median: float, y: float) -> str:
    length = min(ratio, LONGEST) * UNIT
    middle = y + BAR - 3.5
    bar = f'<rect class="{peer.replace(".", "-")}" x="{LEFT}" y="{y}" width="{length:.1f}" height="{BAR - 2}"/>'
    if ratio > LONGEST:
        x = LEFT + length - 14
        bar += f'<line class="cut" x1="{x}" x2="{x + 6}" y1="{y + BAR}" y2="{y - 2}"/>'
    time = f"{median / 1e3:.1f} ms" if median >= 1e3 else f"{median:.0f} us"
    return bar + f'<text class="small" x="{LEFT + length + 5:.1f}" y="{middle}">{ratio:.2g}x  ({time})</text>'


def _legend(shown: list[str]) -> list[str]:
    parts, x = [], 12.0
    for peer in shown:
        parts.append(f'<rect class="{peer.replace(".", "-")}" x="{x:.0f}" y="49" width="11" height="11"/>')
        parts.append(f'<text class="small" x="{x + 15:.0f}" y="58">{escape(PEERS[peer])}</text>')
        x += 28 + 5.2 * len(PEERS[peer])
    return parts


if __name__ == "__main__":
    source, target = map(Path, sys.argv[1:])
    target.write_text(draw(json.loads(source.read_text())))
