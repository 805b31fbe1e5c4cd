"""Pictures of what a tape recorded: operations, shapes, what is kept for the backward pass, and where gradients flow."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from html import escape
from pathlib import Path
from typing import Any

from tfgrad_jax.engine.hooks import drawn
from tfgrad_jax.engine.tape.backward import Entry
from tfgrad_jax.engine.tape.sources import asked, differentiable
from tfgrad_jax.engine.values.shapes import UNRANKED
from tfgrad_jax.engine.values.tensor import Spec, Tensor

LIMIT = 200
"""A picture of more operations shows neighbours as one."""

_HEIGHT, _GAP, _LETTER = 40, 26, 6.6
_FILLS = {"source": "#e8f1ff", "op": "#ffffff", "end": "#eeeeee"}


@dataclass
class Shape:
    """One box of the picture: something watched, an operation, or several.

    Attributes:
      kind: "source", "op", or "end" for an operation that no gradient passes.
      name: what it is.
      made: the types of the results.
      ins: the boxes that it takes from, by number.
      kept: the tensors kept for its gradient.
      unknown: whether something of unknown size is kept: by Python code, or of a shape that is not known.
      carries: whether gradient flows through it to the target.
    """

    kind: str
    name: str
    made: list[str] = field(default_factory=list)
    ins: list[int] = field(default_factory=list)
    kept: list[Tensor] = field(default_factory=list)
    unknown: bool = False
    carries: bool = False

    @property
    def keeps(self) -> str:
        """What is kept, in words."""
        if not self.kept:
            return "keeps what its code holds" if self.unknown else ""
        more = " or more" if self.unknown else ""
        tensors = "1 tensor" if len(self.kept) == 1 else f"{len(self.kept)} tensors"
        return f"keeps {tensors}, {in_words(size(self.kept))}{more}"


class Drawing:
    """What a tape recorded. Prints as a table, shows as a picture in notebooks, and `save` writes that.

    Attributes:
      shapes: the boxes, in the order in which things happened.
      kept: how many bytes the tape keeps for the backward pass, what several operations need counted once.
    """

    def __init__(self, shapes: list[Shape], has_target: bool) -> None:
        self.operations = sum(s.kind != "source" for s in shapes)
        self.kept = size([t for s in shapes for t in s.kept])
        self.has_target = has_target
        self.shapes = shapes if len(shapes) <= LIMIT else collapsed(shapes)

    @property
    def title(self) -> str:
        """A line on all of it."""
        operations = "1 operation" if self.operations == 1 else f"{self.operations} operations"
        if not self.shapes:
            return "The tape keeps nothing: it recorded no operation on what is watched, or was asked before"
        return f"{operations}, {in_words(self.kept)} kept for the backward pass"

    def __str__(self) -> str:
        rows = []
        for i, s in enumerate(self.shapes):
            mark = "*" if s.carries else " "
            rows.append([f"{i}{mark}", s.name, ", ".join(s.made), " ".join(map(str, s.ins)), s.keeps])
        rows = [["", "operation", "result", "from", "kept"], *rows]
        widths = [max(len(row[k]) for row in rows) for k in range(5)]
        lines = ["  ".join(cell.ljust(w) for cell, w in zip(row, widths)).rstrip() for row in rows]
        note = ["* carries gradient to the target"] if self.has_target else []
        return "\n".join([self.title, *(lines if self.shapes else []), *note])

    __repr__ = __str__

    def _repr_svg_(self) -> str:
        return svg(self)

    def save(self, path: Any) -> None:
        """Write the picture into an .svg file."""
        Path(path).write_text(svg(self), encoding="utf-8")


@drawn.fill
def draw(tape: Any, target: Any = None, path: Any = None) -> Drawing:
    """A picture of what a tape recorded, see `GradientTape.draw`."""
    entries, _ = tape.kept()
    names = {v.identity: (v.name, v.spec) for v in tape.watched_variables()}
    shapes: list[Shape] = []
    number: dict[int, int] = {}
    for entry in entries:
        recipe = entry.recipe
        types = dict(zip(entry.inputs, [recipe.inputs[i] for i in recipe.wanted])) if recipe is not None else {}
        ins = []
        for identity in entry.inputs:
            if identity not in number:
                name, spec = names.get(identity, ("tensor", types.get(identity)))
                number[identity] = len(shapes)
                shapes.append(Shape("source", name, [] if spec is None else [repr(spec)]))
            ins.append(number[identity])
        number.update(dict.fromkeys(entry.outputs, len(shapes)))
        shapes.append(_of_entry(entry, sorted(set(ins))))
    if target is not None:
        waiting = [number[t.identity] for t in asked(differentiable(target), "target") if t.identity in number]
        while waiting:
            shape = shapes[waiting.pop()]
            if not shape.carries:
                shape.carries = True
                waiting += shape.ins
    drawing = Drawing(shapes, target is not None)
    if path is not None:
        drawing.save(path)
    return drawing


def _of_entry(entry: Entry, ins: list[int]) -> Shape:
    recipe = entry.recipe
    if recipe is None:
        if entry.python is None:
            return Shape("end", "no gradient beyond")
        return Shape("op", "Python gradient", ins=ins, unknown=True)
    open_sizes = any(t.spec.shape is UNRANKED or None in t.spec.shape for t in entry.saved)
    made = [repr(s) for s in recipe.outputs]
    return Shape("op", recipe.kernel.name, made, ins, list(entry.saved), recipe.python is not None or open_sizes)


def size(tensors: list[Tensor]) -> int:
    """The bytes of tensors, each counted once, as far as their sizes are known."""
    return sum(_bytes(spec) for spec in {id(t): t.spec for t in tensors}.values())


def _bytes(spec: Spec) -> int:
    return 0 if spec.shape is UNRANKED or None in spec.shape else spec.size * spec.dtype.size


def in_words(count: int) -> str:
    """A number of bytes as people read it."""
    value, unit = float(count), "B"
    for unit in ("B", "KiB", "MiB", "GiB"):
        if value < 1024 or unit == "GiB":
            break
        value /= 1024
    return f"{value:.0f} {unit}" if unit == "B" else f"{value:.1f} {unit}"


def collapsed(shapes: list[Shape]) -> list[Shape]:
    """Fewer boxes: neighbours in time that are alike in kind and in carrying gradient become one."""
    length = -(-len(shapes) // (LIMIT // 2))
    groups: list[list[int]] = []
    for i, s in enumerate(shapes):
        last = shapes[groups[-1][0]] if groups else None
        fits = last is not None and len(groups[-1]) < length and last.kind == s.kind and last.carries == s.carries
        if fits:
            groups[-1].append(i)
        else:
            groups.append([i])
    if len(groups) > LIMIT:  # too mixed: what lies in between counts as operations
        groups = [list(range(i, min(i + length, len(shapes)))) for i in range(0, len(shapes), length)]
    place = {i: n for n, group in enumerate(groups) for i in group}
    return [_merged([shapes[i] for i in group], n, place) for n, group in enumerate(groups)]


def _merged(parts: list[Shape], n: int, place: dict[int, int]) -> Shape:
    ins = sorted({place[i] for s in parts for i in s.ins} - {n})
    if len(parts) == 1:
        (s,) = parts
        return Shape(s.kind, s.name, s.made, ins, s.kept, s.unknown, s.carries)
    kind = "op" if len({s.kind for s in parts}) > 1 else parts[0].kind
    common = Counter(s.name for s in parts).most_common(3)
    names = ", ".join(f"{count}x {name}" if count > 1 else name for name, count in common)
    more = ", ..." if len({s.name for s in parts}) > 3 else ""
    kept = list({id(t): t for s in parts for t in s.kept}.values())
    carries = any(s.carries for s in parts)
    return Shape(
        kind, f"{len(parts)}: {names}{more}", parts[-1].made, ins, kept, any(s.unknown for s in parts), carries
    )


# -- the picture ----------------------------------------------------------------------------------------------------------


def layers(shapes: list[Shape]) -> list[list[int]]:
    """The boxes in rows: each below all that it takes from, and in a row near them."""
    depth: list[int] = []
    for s in shapes:
        depth.append(1 + max([depth[i] for i in s.ins], default=-1))
    users: dict[int, int] = {}
    for i, s in enumerate(shapes):
        for k in s.ins:
            users[k] = min(users.get(k, depth[i]), depth[i])
    for i, s in enumerate(shapes):  # what is watched stands right above its first use
        if not s.ins and i in users:
            depth[i] = users[i] - 1
    rows: list[list[int]] = [[] for _ in range(max(depth, default=-1) + 1)]
    for i, d in enumerate(depth):
        rows[d].append(i)
    position: dict[int, float] = {}
    for row in rows:
        row.sort(key=lambda i: _mean([position[k] for k in shapes[i].ins if k in position], i))
        position.update((i, (n + 0.5) / len(row)) for n, i in enumerate(row))
    return rows


def _mean(values: list[float], i: int) -> tuple[float, int]:
    return (sum(values) / len(values) if values else 0.5, i)


def svg(drawing: Drawing) -> str:
    """The picture as SVG."""
    shapes = drawing.shapes
    labels = [_label(s) for s in shapes]
    widths = [max(len(line) for line in label) * _LETTER + 16 for label in labels]
    rows = layers(shapes)
    total = max([sum(widths[i] + _GAP for i in row) for row in rows], default=0.0)
    total = max(total, len(drawing.title) * _LETTER) + 2 * _GAP
    places: dict[int, tuple[float, float]] = {}
    for r, row in enumerate(rows):
        x = (total - sum(widths[i] + _GAP for i in row) + _GAP) / 2
        for i in row:
            places[i] = x + widths[i] / 2, 40 + r * (_HEIGHT + _GAP)
            x += widths[i] + _GAP
    height = 50 + len(rows) * (_HEIGHT + _GAP)
    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{total:.0f}" height="{height}" viewBox="0 0 {total:.0f} {height}" '
        f'font-family="Menlo, Consolas, monospace" font-size="11">',
        '<rect width="100%" height="100%" fill="#fafafa"/>',
        f'<text x="{total / 2:.0f}" y="22" text-anchor="middle" fill="#333">{escape(drawing.title)}</text>',
    ]
    for i, s in enumerate(shapes):
        for k in s.ins:
            out.append(_line(places[k], places[i], s.carries and shapes[k].carries))
    for i, s in enumerate(shapes):
        x, y = places[i]
        edge, width = ("#c2410c", 2) if s.carries else ("#999", 1)
        out.append(
            f'<g><title>{escape(_tip(i, s))}</title><rect x="{x - widths[i] / 2:.1f}" y="{y}" width="{widths[i]:.1f}" '
            f'height="{_HEIGHT}" rx="{16 if s.kind == "source" else 4}" fill="{_FILLS[s.kind]}" stroke="{edge}" '
            f'stroke-width="{width}"/>'
        )
        for n, line in enumerate(labels[i]):
            style = 'font-weight="bold" fill="#222"' if n == 0 else 'fill="#666" font-size="10"'
            lower = 24 if len(labels[i]) == 1 else 16 if n == 0 else 31
            out.append(f'<text x="{x:.1f}" y="{y + lower}" text-anchor="middle" {style}>{escape(line)}</text>')
        out.append("</g>")
    return "\n".join([*out, "</svg>"])


def _label(s: Shape) -> list[str]:
    below = " ".join([*s.made[:2], *(["..."] if len(s.made) > 2 else [])])
    kept = size(s.kept)
    if s.kept:
        below = f"{below} | keeps {in_words(kept)}" if below else f"keeps {in_words(kept)}"
    return [s.name, below] if below else [s.name]


def _tip(i: int, s: Shape) -> str:
    return "\n".join(filter(None, [f"{i}: {s.name}", ", ".join(s.made), s.keeps]))


def _line(start: tuple[float, float], end: tuple[float, float], carries: bool) -> str:
    (x, y), (u, v) = (start[0], start[1] + _HEIGHT), end
    middle = (y + v) / 2
    color, width = ("#c2410c", 2) if carries else ("#aaa", 1)
    return (
        f'<path d="M{x:.1f},{y:.1f} C{x:.1f},{middle:.1f} {u:.1f},{middle:.1f} {u:.1f},{v:.1f}" fill="none" '
        f'stroke="{color}" stroke-width="{width}"/>'
    )
