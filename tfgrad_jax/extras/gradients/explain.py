"""Why a gradient is None: the way from a source to the target that is broken in the fewest places, and where it is broken."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from tfgrad_jax.engine.graph.graph import SymbolicTensor
from tfgrad_jax.engine.hooks import explained
from tfgrad_jax.engine.state.variable import Variable
from tfgrad_jax.engine.tape.sources import asked, differentiable
from tfgrad_jax.engine.values.tensor import Tensor
from tfgrad_jax.extras.gradients.chronicle import Chronicle, Departure, chronicle_of
from tfgrad_jax.extras.gradients.history import Happened, Key, Place, of_entries, of_graph, place
from tfgrad_jax.extras.gradients.reason import Explanation, Reason
from tfgrad_jax.extras.gradients.zeros import Cotangents, is_zero

MORE = "More is known of what happens within `with tf.extras.explaining():`, opened before the tape"
_FROM_NUMPY = 3
"""A way through NumPy is guessed, and counts as broken in so many places."""


@dataclass(slots=True)
class _Step:
    """A value reached from the source: by which operation, and what is broken on the way."""

    before: _Step | None = None
    op: Happened | None = None
    operand: int = 0
    blocked: str | None = None
    where: Place = None
    cost: int = 0

    def way(self) -> list[_Step]:
        """The steps from the source to here."""
        steps, step = [], self
        while step.before is not None:
            steps.append(step)
            step = step.before
        return steps[::-1]


@explained.fill
def explain(tape: Any, target: Any, sources: Any) -> Explanation:
    """Why `tape.gradient(target, sources)` has, had or will have which gradients.

    Args:
      tape: a `tf.GradientTape`, before or after it was asked.
      target: a tensor, or a nest of them.
      sources: a tensor or variable, or a nest of them.

    Returns:
      For each source its `Reason`, in a list that prints as a report.
    """
    return _Question(tape, target).answers(sources)


def reasons(tape: Any, target: Any, sources: Any) -> Explanation:
    """What `explain` says, by the tape that is just answering: that it forgets meanwhile is no reason."""
    question = _Question(tape, target)
    question.forgotten = False
    return question.answers(sources)


class _Question:
    """A tape and a target, with all that is known of what happened."""

    def __init__(self, tape: Any, target: Any) -> None:
        self.tape = tape
        self.targets = differentiable(target)
        entries, watched = tape.kept()
        self.chronicle: Chronicle | None = None
        self.made: set[Key] | None = None  # what the tape knows as results, where only it can tell what it saw
        graphs = [t.graph for t in self.targets if isinstance(t, SymbolicTensor)]
        if graphs:
            history = list(enumerate(of_graph(graphs[0])))
            self.made = {key for entry in entries for key in entry.outputs} or None
        else:
            self.chronicle = chronicle_of(tape)
            known = of_entries(entries) if self.chronicle is None else ()
            history = list(self.chronicle.happened()) if self.chronicle else list(enumerate(known))
        self.history = history
        self.number = self.chronicle.number(tape) if self.chronicle else -1
        self.since = self.chronicle.resets.get(self.number, 0) if self.chronicle else 0
        self.seen = [when for when, op in history if op.tapes is not None and self._saw(op, when)]
        self.begins = dict.fromkeys(watched, -1) | dict.fromkeys([v.identity for v in tape.watched_variables()], -1)
        if self.chronicle is not None:
            explicit = self.chronicle.watched.get(self.number, {})
            self.begins.update((i, when) for i, when in explicit.items() if i not in self.chronicle.variables)
            self._follow_watched()
        self.forgotten = tape.is_used and not entries and self.chronicle is None and not graphs
        self.connected: list[tuple[Reason, Any, list[_Step]]] = []

    def _follow_watched(self) -> None:
        """Results of what is watched are watched."""
        begins = self.begins
        for when, op in self.history:
            if (self._saw(op, when) if op.tapes is not None else op.name == "") and op.recorded:
                for i in op.ins:
                    if begins.get(i, when + 1) <= when:
                        begins.update((o, when) for o, t in zip(op.outs, op.types) if t.dtype.trainable)

    def _saw(self, op: Happened, when: int) -> bool:
        """Whether the tape saw an operation, and still knows it."""
        return op.tapes is not None and self.number in op.tapes and when >= self.since

    def answers(self, sources: Any) -> Explanation:
        found = Explanation()
        for source in differentiable(sources):
            try:
                (value,) = asked([source], "source")
            except (TypeError, AttributeError):
                text = f"A source must be a tensor or a variable, and this is {type(source).__name__!r}; tf.constant makes tensors."
                found.append(Reason("no_tensor", text, source=f"{source!r}"[:40]))
                continue
            answer = self._answer(value)
            answer.source = _called(value)
            found.append(answer)
        self._look_for_zeros()
        return found

    def _look_for_zeros(self) -> None:
        """Say of gradients that come whether they are zeros, and where they become so."""
        cotangents = Cotangents(self.tape, self.targets) if self.connected else None
        if cotangents is None or not cotangents.known:
            return
        answers = cotangents.of({source.identity for _, source, _ in self.connected})
        targets = {t.identity for t in self.targets}
        for reason, source, way in self.connected:
            if not is_zero(answers.get(source.identity)):
                continue
            ops = [step.op for step in way if step.op is not None]
            results = [op.ins[step.operand] for op, step in zip(ops[1:], way[1:], strict=True)]
            values = [source.identity, *results, next(o for o in ops[-1].outs if o in targets)]
            lost = cotangents.lost(values)
            steps = [step for step in way[lost.last : lost.first] if step.op is not None and step.op.name]
            if steps:
                shown = ", ".join([*map(_shown, steps[:6]), "..."][: len(steps)])
                reason.reason, reason.where = "zeros", place(steps[-1].where)
                reason.text = lost.sentence(shown, len(steps))

    def _answer(self, source: Any) -> Reason:
        if not source.dtype.trainable:
            return Reason(
                "dtype",
                f"Gradients are of floating point values, and the source is {source.dtype.name}; tf.cast it before use.",
            )
        if source.identity in [getattr(t, "identity", None) for t in self.targets]:
            return Reason("connected", "It is the target.")
        if isinstance(source, Variable) and not source.trainable and source.identity not in self.begins:
            return Reason(
                "not_trainable",
                "The variable was made with trainable=False, so tapes do not watch it by themselves; "
                "tape.watch(variable) does.",
            )
        reached = self._reached(source.identity, guessing=False)
        goals = self._goals(reached)
        if isinstance(goals, Reason):
            return goals
        if not goals and self.chronicle is not None:
            reached = self._reached(source.identity, guessing=True)
            goals = self._goals(reached)
            assert not isinstance(goals, Reason)
        watched = source.identity in self.begins
        if not watched and self.chronicle is not None and isinstance(source, Tensor):
            replaced = self._replaced(source)
            if replaced is not None:
                return replaced
        if goals:
            best = min(goals, key=lambda step: step.cost)
            if watched or (not self.forgotten and isinstance(source, Variable) and best.cost):
                return self._along(best, source)
        if self.forgotten:
            return Reason(
                "used",
                "The tape keeps nothing: it was asked before, or never recorded. Ask it to explain before `gradient`, or make it "
                f"with persistent=True. {MORE}.",
            )
        if not watched:
            return self._unwatched(source)
        hint = (
            f" {MORE}: whether a value left through NumPy, an assignment, or an operation without gradient."
            if (self.chronicle is None and self.made is None)
            else ""
        )
        if self.chronicle is not None and self.chronicle.is_cut_off:
            hint = " Of all operations only the last ones are known: open `explaining()` later."
        elif self.chronicle is not None and self._constants({o for _, op in self.history for o in op.outs}):
            hint = " No operation within `explaining()` made the target: it is a constant, or was computed outside of that context."
        return Reason("not_connected", f"The target was not computed from it.{hint}")

    def _goals(self, reached: dict[Key, _Step]) -> list[_Step] | Reason:
        """How the targets were reached."""
        goals = []
        for t in self.targets:
            identity = getattr(t, "identity", None)
            if identity is None:
                left = self._left(reached)
                return Reason(
                    "numpy",
                    f"The target is no tensor but {type(t).__name__!r}: what is computed outside of tensors' operations is unknown "
                    f"to the tape; compute with tf's functions{'' if left is None else ' from there on'}.",
                    None if left is None else place(left.where),
                )
            if not t.dtype.trainable:
                return Reason("dtype", f"The target is {t.dtype.name}; only floating point values have gradients.")
            if identity in reached:
                goals.append(reached[identity])
        return goals

    def _left(self, reached: dict[Key, _Step], before: Key | None = None) -> Departure | None:
        """The last departure of a value that depends on the source, before some value was made."""
        if self.chronicle is None:
            return None
        for departure in reversed(self.chronicle.departures):
            if departure.identity in reached and (before is None or departure.since < before):
                return departure
        return None

    def _reached(self, source: Key, guessing: bool) -> dict[Key, _Step]:
        """All values that depend on the source in any way.

        Args:
          source: its identity.
          guessing: whether a value that nothing here made may come from one that left through NumPy.
        """
        reached = {source: _Step()}
        made = {o for _, op in self.history for o in op.outs} if guessing else set()
        known = self._variables()
        for when, op in self.history:
            if guessing:
                for i in op.ins:
                    if isinstance(i, int) and i not in made and i not in reached and i not in known:
                        left = self._left(reached, before=i)
                        if left is not None:
                            origin = reached[left.identity]
                            cost = origin.cost + _FROM_NUMPY
                            reached[i] = _Step(origin, op, 0, "numpy", left.where, cost)
            if op.forgets and op.outs[0] != source and not any(i in reached for i in op.ins):
                reached.pop(op.outs[0], None)
            for k, i in enumerate(op.ins):
                before = reached.get(i)
                if before is None:
                    continue
                for n, o in enumerate(op.outs):
                    blocked = self._blocked(op, when, before, i, k, n)
                    cost = before.cost + (blocked is not None)
                    if o not in reached or reached[o].cost > cost:
                        reached[o] = _Step(before, op, k, blocked, op.where, cost)
        for i in self._constants(made) if guessing else ():
            left = None if i in reached else self._left(reached, before=i)
            if left is not None:
                origin = reached[left.identity]
                reached[i] = _Step(
                    origin, Happened("", (), (i,), ()), 0, "numpy", left.where, origin.cost + _FROM_NUMPY
                )
        return reached

    def _constants(self, made: set[Key]) -> list[int]:
        """The targets that no operation made, as far as is known."""
        identities = [getattr(t, "identity", None) for t in self.targets]
        return [i for i in identities if isinstance(i, int) and i not in made and i not in self._variables()]

    def _variables(self) -> Mapping[int, str]:
        return self.chronicle.variables if self.chronicle is not None else {}

    def _blocked(self, op: Happened, when: int, before: _Step, key: Key, operand: int, out: int) -> str | None:
        blocked = op.blocks(operand, out)
        if blocked is not None or not op.name:
            return blocked
        if op.tapes is not None and not self._saw(op, when):
            return "not_recording"
        if self.made is not None and not before.cost and key in self.begins and op.outs[out] not in self.made:
            return "not_recording"
        if before.before is None and self.begins.get(key, -1) > when:
            return "late"
        return None

    def _along(self, step: _Step, source: Any) -> Reason:
        """What is to say of the best way."""
        way = step.way()
        path = [_shown(s) for s in way if s.op is not None and (s.op.name or s.blocked == "numpy")]
        broken = [s for s in way if s.blocked]
        if not broken:
            by_hand = [s.op.name for s in way if s.op is not None and s.op.by_hand]
            text = "The target was computed from it by operations that have gradients."
            if by_hand:
                text += f" The gradient of {by_hand[0]} on the way is a Python function, which may answer None all the same."
            connected = Reason("connected", text, path=path)
            if way:
                self.connected.append((connected, source, way))
            return connected
        first = broken[0]
        assert first.op is not None and first.blocked is not None
        code = {"late": "not_watched"}.get(first.blocked, first.blocked)
        text = self._sentence(first)
        if len(broken) > 1 and broken[1].op is not None:
            text += f" Further on, {_shown(broken[1])} would stop it, too."
        return Reason(code, text, place(first.where), path)

    def _sentence(self, step: _Step) -> str:
        op = step.op
        assert op is not None
        at = f" at {place(step.where)}" if step.where else ""
        match step.blocked:
            case "state":
                return (
                    f"It went into a variable by {op.name}{at}. A tape knows a variable's own gradient, not from what it was "
                    f"assigned: use the value itself, as a tensor."
                )
            case "stop_gradient":
                return f"{_an(op.name)}{at} makes it a constant."
            case "no_gradient":
                made = "" if op.types[0].dtype.trainable else f", and its result is {op.types[0].dtype.name}"
                operand = f"operand {step.operand} of " if len(op.ins) > 1 else ""
                return f"There is no gradient to {operand}{op.name}{at}{made}."
            case "dtype":
                kind = op.types[0].dtype.name
                return f"{op.name}{at} makes it {kind}, and only floating point values have gradients."
            case "numpy":
                if not op.name:
                    return (
                        f"A value computed from it became a NumPy array or a Python number{at}. No operation made the target, "
                        f"which is a constant made after that: most likely the result. Compute with tf's functions throughout."
                    )
                first = "" if op.where is None else f" at {place(op.where)}"
                return (
                    f"A value computed from it became a NumPy array or a Python number{at}. No operation leads from there to the "
                    f"target, which uses a constant made after that ({op.name}{first}): most likely the result. Compute with tf's "
                    f"functions throughout."
                )
            case "late":
                return f"It was used by {op.name}{at} before tape.watch: only what comes after is recorded."
        within = self.seen and self.seen[0] < self._when(op) < self.seen[-1]
        why = (
            "under stop_recording" if within else "outside of the tape's context, under stop_recording, or before reset"
        )
        return f"{op.name}{at} ran while the tape did not record: {why}."

    def _when(self, op: Happened) -> int:
        return next((when for when, each in self.history if each is op), -1)

    def _replaced(self, source: Tensor) -> Reason | None:
        """Whether a tensor stands where there was a variable before."""
        assert self.chronicle is not None
        makers = {o: op for _, op in self.history for o in op.outs if not op.state}
        maker = makers.get(source.identity)
        if maker is None:
            return None
        waiting: list[Key] = [source.identity]
        met: set[Key] = set()
        while waiting and len(met) < 1000:
            key = waiting.pop()
            met.add(key)
            if key in self.chronicle.variables:
                line = place(maker.where)
                at = "" if line is None else f" at {line}"
                return Reason(
                    "replaced",
                    f"It is a tensor, made by {maker.name}{at} from the variable {self.chronicle.variables[key]!r}, and tapes "
                    f"watch only variables by themselves. Keep the variable and change its value: assign, assign_add.",
                    line,
                )
            waiting += [i for i in (makers[key].ins if key in makers else ()) if i not in met]
        return None

    def _unwatched(self, source: Any) -> Reason:
        if isinstance(source, Variable):
            if self.tape.watches_variables:
                hint = "" if self.chronicle is not None else f" {MORE}, such as whether its value left through NumPy."
                return Reason(
                    "not_connected",
                    f"The target was not computed from it: no operation read it while the tape recorded.{hint}",
                )
            return Reason(
                "not_watched",
                "The tape was made with watch_accessed_variables=False, so it watches what tape.watch names, and nothing else.",
            )
        return Reason(
            "not_watched",
            "It is a tensor, and tapes watch only variables by themselves: call tape.watch(x) before it is used. If it was a "
            "variable once, it was replaced (as by x = x + 1): use x.assign_add.",
        )


def _an(name: str) -> str:
    return {"StopGradient": "tf.stop_gradient", "PreventGradient": "tf.raw_ops.PreventGradient"}.get(name, name)


def _shown(step: _Step) -> str:
    assert step.op is not None
    line = place(step.where if step.blocked == "numpy" else step.op.where)
    name = "NumPy" if step.blocked == "numpy" else step.op.name
    return f"{name} ({line})" if line else name


def _called(value: Any) -> str:
    kind = f"{value.dtype.name}{list(value.shape) if value.shape.rank is not None else ''}"
    return f"variable {value.name!r} {kind}" if isinstance(value, Variable) else f"tensor {kind}"
