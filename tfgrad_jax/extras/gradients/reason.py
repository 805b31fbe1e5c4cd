"""What an explanation consists of: what is to say of the gradient of one source."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass
class Reason:
    """What is to say of the gradient of one source.

    Attributes:
      reason: "connected", or why there is no gradient: "dtype", "no_gradient", "no_tensor", "not_connected", "not_recording",
        "not_trainable", "not_watched", "numpy", "replaced", "state", "stop_gradient", "used"; "zeros" of one that comes, but
        holds nothing else.
      text: the same as a sentence.
      where: the user's file and line; None where that is not known.
      path: the operations on the way from the source to the target, each with its line if that is known.
      source: what the source is called.
    """

    reason: str
    text: str
    where: str | None = None
    path: list[str] = field(default_factory=list)
    source: str = ""

    @property
    def connected(self) -> bool:
        """Whether a gradient comes."""
        return self.reason in ("connected", "zeros")

    def __str__(self) -> str:
        lines = [f"{self.source}: {self.reason}" + (f" ({self.where})" if self.where else ""), f"    {self.text}"]
        if self.path:
            shown = self.path if len(self.path) <= 12 else [*self.path[:6], "...", *self.path[-6:]]
            lines.append(f"    path: {' -> '.join(shown)}")
        return "\n".join(lines)


class Explanation(list[Reason]):
    """A `Reason` for each source, in order; prints as a report."""

    def __str__(self) -> str:
        return "\n".join(map(str, self)) or "no sources"

    __repr__ = __str__
