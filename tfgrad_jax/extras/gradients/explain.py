"""Why a gradient is None: the way from a source to the target that is broken in the fewest places, and where it is broken."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tfgrad_jax.engine.graph.graph import SymbolicTensor
from tfgrad_jax.engine.hooks import explained
from tfgrad_jax.engine.state.variable import Variable
from tfgrad_jax.engine.tape.sources import asked, differentiable
from tfgrad_jax.engine.values.tensor import Tensor
from tfgrad_jax.extras.gradients.chronicle import Chronicle, Departure, chronicle_of
from tfgrad_jax.extras.gradients.history import Happened, Key, of_entries, of_graph, place
from tfgrad_jax.extras.gradients.reason import Explanation, Reason
from tfgrad_jax.extras.gradients.wording import Step, called, sentence, shown
from tfgrad_jax.extras.gradients.zeros import Cotangents, is_zero

MORE = "More is known of what happens within `with tf.extras.explaining():`, opened before the tape"
_FROM_NUMPY = 3
"""A way through NumPy is guessed, and counts as broken in so many places."""


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
        self.graph = next((t.graph for t in self.targets if isinstance(t, SymbolicTensor)), None)
        self.variables: Mapping[int, str] = {}
        if self.graph is not None:
            history = list(enumerate(of_graph(self.graph)))
            self.variables = {v.identity: v.name for v in self.graph.variables}
            if not tape.is_used:  # else it forgot them
                self.made = {key for entry in entries for key in entry.outputs}
        else:
            self.chronicle = chronicle_of(tape)
            known = of_entries(entries) if self.chronicle is None else ()
            history = list(self.chronicle.happened()) if self.chronicle else list(enumerate(known))
            self.variables = self.chronicle.variables if self.chronicle is not None else {}
        self.history = history
        self.number = self.chronicle.number(tape) if self.chronicle else -1
        self.since = self.chronicle.resets.get(self.number, 0) if self.chronicle else 0
        self.seen = [when for when, op in history if op.tapes is not None and self._saw(op, when)]
        self.begins = dict.fromkeys(watched, -1) | dict.fromkeys([v.identity for v in tape.watched_variables()], -1)
        if self.chronicle is not None:
            explicit = self.chronicle.watched.get(self.number, {})
            self.begins.update((i, when) for i, when in explicit.items() if i not in self.chronicle.variables)
            self._follow_watched()
        self.forgotten = tape.is_used and not entries and self.chronicle is None and self.graph is None
        self.connected: list[tuple[Reason, Any, list[Step]]] = []

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
            answer.source = called(value, getattr(source, "path", None))
            found.append(answer)
        self._look_for_zeros()
        return found

    def _look_for_zeros(self) -> None:
        """Say of gradients that come whether they are zeros, and where they become so."""
        cotangents = Cotangents(self.tape, self.targets) if self.connected else None
        if cotangents is None or not cotangents.known:
            return
        answers = cotangents.of({source.identity for _, source, _ in self.connected})
        if answers is None:
            return
        targets = {t.identity for t in self.targets}
        for reason, source, way in self.connected:
            answer = answers.get(source.identity)
            by_hand = [step for step in way if step.op is not None and step.op.by_hand]
            if answer is None and by_hand:
                of = shown(by_hand[0]) if len(by_hand) == 1 else "one of " + ", ".join(map(shown, by_hand))
                reason.reason, reason.where = "no_gradient", place(by_hand[0].where)
                reason.text = f"Python code says what the gradient of {of} is, and said None."
            if not is_zero(answer):
                continue
            ops = [step.op for step in way if step.op is not None]
            results = [op.ins[step.operand] for op, step in zip(ops[1:], way[1:], strict=True)]
            values = [source.identity, *results, next(o for o in ops[-1].outs if o in targets)]
            lost = cotangents.lost(values)
            steps = [step for step in way[lost.last : lost.first] if step.op is not None and step.op.name]
            if steps:
                names = ", ".join([*map(shown, steps[:6]), "..."][: len(steps)])
                reason.reason, reason.where = "zeros", place(steps[-1].where)
                reason.text = lost.sentence(names, len(steps))

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
        watched = source.identity in self.begins
        if isinstance(source, Variable) and not watched and not self.tape.watches_variables:
            return Reason(
                "not_watched",
                "The tape was made with watch_accessed_variables=False, so it watches what tape.watch names, and nothing else.",
            )
        reached = self._reached(source.identity, guessing=False)
        goals = self._goals(reached)
        if isinstance(goals, Reason):
            return goals
        if not goals and self.chronicle is not None:
            reached = self._reached(source.identity, guessing=True)
            goals = self._goals(reached)
            assert not isinstance(goals, Reason)
        if isinstance(source, Tensor) and not (watched and goals):
            replaced = self._replaced(source, watched)
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
                f"with persistent=True. {MORE}.{'' if isinstance(source, Variable) else ' ' + _A_TENSOR}",
            )
        if not watched:
            return self._unwatched(source, reached)
        hint = (
            f" {MORE}: whether a value left through NumPy, an assignment, or an operation without gradient."
            if self.chronicle is None and self.graph is None
            else self._decided(reached)
        )
        if self.chronicle is not None and self.chronicle.is_cut_off:
            hint = " Of all operations only the last ones are known: open `explaining()` later."
        elif (
            not hint and self.chronicle is not None and self._constants({o for _, op in self.history for o in op.outs})
        ):
            hint = " No operation within `explaining()` made the target: it is a constant, or was computed outside of that context."
        return Reason("not_connected", f"The target was not computed from it.{hint}")

    def _goals(self, reached: dict[Key, Step]) -> list[Step] | Reason:
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

    def _left(self, reached: dict[Key, Step], before: Key | None = None) -> Departure | None:
        """The last departure of a value that depends on the source, before some value was made."""
        if self.chronicle is None:
            return None
        for departure in reversed(self.chronicle.departures):
            if departure.identity in reached and (before is None or departure.since < before):
                return departure
        return None

    def _reached(self, source: Key, guessing: bool) -> dict[Key, Step]:
        """All values that depend on the source in any way.

        Args:
          source: its identity.
          guessing: whether a value that nothing here made may come from one that left through NumPy.
        """
        reached = {source: Step()}
        made = {o for _, op in self.history for o in op.outs} if guessing else set()
        known = self.variables
        for when, op in self.history:
            if guessing:
                for i in op.ins:
                    if isinstance(i, int) and i not in made and i not in reached and i not in known:
                        left = self._left(reached, before=i)
                        if left is not None:
                            origin = reached[left.identity]
                            cost = origin.cost + _FROM_NUMPY
                            reached[i] = Step(origin, op, 0, "numpy", left.where, cost)
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
                        reached[o] = Step(before, op, k, blocked, op.where, cost)
        for i in self._constants(made) if guessing else ():
            left = None if i in reached else self._left(reached, before=i)
            if left is not None:
                origin = reached[left.identity]
                reached[i] = Step(origin, Happened("", (), (i,), ()), 0, "numpy", left.where, origin.cost + _FROM_NUMPY)
        return reached

    def _decided(self, reached: dict[Key, Step]) -> str:
        """What to say of a value that decided which Python code runs, if one depends on the source."""
        decisions = self.chronicle.decisions if self.chronicle is not None else ()
        found = next((d for d in reversed(decisions) if d.identity in reached), None)
        if found is None:
            return ""
        return (
            f" A value computed from it decided at {place(found.where)} what Python did, as in `if` or `while`: such a choice has "
            "no gradient."
        )

    def _constants(self, made: set[Key]) -> list[int]:
        """The targets that no operation made, as far as is known."""
        identities = [getattr(t, "identity", None) for t in self.targets]
        return [i for i in identities if isinstance(i, int) and i not in made and i not in self.variables]

    def _blocked(self, op: Happened, when: int, before: Step, key: Key, operand: int, out: int) -> str | None:
        blocked = op.blocks(operand, out)
        if blocked is not None:
            return blocked
        if self.graph is not None:
            return "not_recording" if self._unseen(op.outs[out], before, key) else None
        if not op.name:
            return None
        if op.tapes is not None and not self._saw(op, when):
            return "not_recording"
        if before.before is None and self.begins.get(key, -1) > when:
            return "late"
        return None

    def _unseen(self, result: Key, before: Step, key: Key) -> bool:
        """Whether a tape that is asked in a function did not record how a result was made of what it knows."""
        if before.cost:
            return False
        if before.before is None and key not in self.begins:
            return True
        # What happens within functions that are called has names of its own, which no tape knows.
        return self.made is not None and isinstance(result, int) and result not in self.made

    def _along(self, step: Step, source: Any) -> Reason:
        """What is to say of the best way."""
        way = step.way()
        path = [shown(s) for s in way if s.op is not None and (s.op.name or s.blocked == "numpy")]
        broken = [s for s in way if s.blocked]
        if not broken:
            by_hand = [s.op.name for s in way if s.op is not None and s.op.by_hand]
            text = "The target was computed from it by operations that have gradients."
            if by_hand:
                text += f" Python code says what the gradient of {by_hand[0]} on the way is, and may say None."
            connected = Reason("connected", text, path=path)
            if way:
                self.connected.append((connected, source, way))
            return connected
        first = broken[0]
        assert first.op is not None and first.blocked is not None
        code = {"late": "not_watched", "raises": "no_gradient"}.get(first.blocked, first.blocked)
        text = self._sentence(first)
        if len(broken) > 1 and broken[1].op is not None:
            text += f" Further on, {shown(broken[1])} would stop it, too."
        return Reason(code, text, place(first.where), path)

    def _sentence(self, step: Step) -> str:
        """What to say of a step that is broken."""
        within = self.seen and step.op is not None and self.seen[0] < self._when(step.op) < self.seen[-1]
        unseen = (
            "under stop_recording" if within else "outside of the tape's context, under stop_recording, or before reset"
        )
        if self.graph is not None and step.op is not None and step.op.ins[step.operand] not in self.variables:
            unseen = f"before tape.watch, {unseen}"
        return sentence(step, unseen)

    def _when(self, op: Happened) -> int:
        return next((when for when, each in self.history if each is op), -1)

    def _replaced(self, source: Tensor, watched: bool) -> Reason | None:
        """Whether a tensor stands where there was a variable before.

        Args:
          source: the tensor.
          watched: whether the tape knows it. Then it must be younger than the targets: others are simply not used.
        """
        makers = {o: op for _, op in self.history for o in op.outs if not op.state}
        order = {o: when for when, op in self.history for o in op.outs}
        maker = makers.get(source.identity)
        after = max([order.get(getattr(t, "identity", None), -1) for t in self.targets], default=-1)
        if maker is None or (watched and (after < 0 or order[source.identity] < after)):
            return None
        why = "after the target" if watched else "and tapes watch only variables by themselves"
        waiting: list[Key] = [source.identity]
        met: set[Key] = set()
        while waiting and len(met) < 1000:
            key = waiting.pop()
            met.add(key)
            if key in self.variables:
                line = place(maker.where)
                at = "" if line is None else f" at {line}"
                return Reason(
                    "replaced",
                    f"It is a tensor, made by {maker.name}{at} from the variable {self.variables[key]!r}, {why}. "
                    f"Keep the variable and change its value: assign, assign_add.",
                    line,
                )
            waiting += [i for i in (makers[key].ins if key in makers else ()) if i not in met]
        return None

    def _unwatched(self, source: Any, reached: dict[Key, Step]) -> Reason:
        if not isinstance(source, Variable):
            return Reason("not_watched", _A_TENSOR)
        hint = (
            f" {MORE}, such as whether its value left through NumPy."
            if self.chronicle is None and self.graph is None
            else self._decided(reached)
        )
        return Reason(
            "not_connected", f"The target was not computed from it: no operation read it while the tape recorded.{hint}"
        )


_A_TENSOR = (
    "It is a tensor, and tapes watch only variables by themselves: call tape.watch(x) before it is used. If it was a variable "
    "once, it was replaced (as by x = x + 1): use x.assign_add."
)
