"""Variables whose last gradient was None: what is to say of each, if an optimizer is given it all the same."""

from __future__ import annotations

from collections.abc import Callable, Iterable

waiting: dict[int, Callable[[], None]] = {}
"""By the variable's identity what logs why. Programs may want None, so it waits for an optimizer that is given the variable."""
_MANY = 1000


def keep(identities: Iterable[int], say: Callable[[], None]) -> None:
    """Let some variables wait with what is to say of them together."""
    if len(waiting) > _MANY:
        waiting.clear()
    waiting.update(dict.fromkeys(identities, say))


class GivenToOptimizers:
    """The names by which optimizers know variables. They ask before they leave out those whose gradient is None."""

    __slots__ = ()

    _handle_name: str
    identity: int

    @property
    def _shared_name(self) -> str:
        return self._handle_name.split(":", 1)[0]

    @property
    def _unique_id(self) -> str:
        if waiting:
            tell(self)
        return f"{self._shared_name}_{self._first_identity}"

    @property
    def _first_identity(self) -> int:
        """That of the copy which stands for all, where there are several."""
        return self.identity


def tell(variable: GivenToOptimizers) -> None:
    """Say why a variable has no gradient, if it waits for that, and with it why others have none."""
    say = waiting.get(variable.identity)
    if say is not None:
        for each in [identity for identity, other in list(waiting.items()) if other is say]:
            waiting.pop(each, None)
        say()
