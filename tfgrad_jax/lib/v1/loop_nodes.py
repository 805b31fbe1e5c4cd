"""Branches and loops of TensorFlow 1's graphs, `Switch`, `Merge`, `Enter` and their kin, as the nodes `If` and `While`.

Such a loop is a ring of nodes: values come in by `Enter`, `Merge` picks those of the first round or of the next, `Switch` sends
them into the body or out by `Exit`. What a branch or a body consists of is cut out of the graph and becomes a function, the
inner ones first; the nodes that show results, `Exit` and `Merge`, stay under their names and give what `If` and `While` give.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np

from tfgrad_jax.engine.messages.errors import invalid_argument
from tfgrad_jax.engine.values.dtypes import int32
from tfgrad_jax.lib.saved_model.protos import message
from tfgrad_jax.ops.io.tensor_proto import tensor_proto

PRIMITIVE = frozenset({"Enter", "Exit", "LoopCond", "Merge", "NextIteration", "Switch"})
"""The raw names of what branches and loops consist of."""

_REFS = {f"Ref{name}": name for name in PRIMITIVE}

Place = tuple[str, int]
"""A result: the node, and its number there."""

Tags = frozenset[tuple[Place, int]]
"""The conditions under which a node runs at all, each with the branch: 1 if it is true."""


def functional(definition: Any) -> Any:
    """The message of a graph, with functions instead of primitive branches and loops.

    Args:
      definition: a `GraphDef`, which is left as it is.

    Raises:
      InvalidArgumentError: if nodes do not make up branches and loops.
    """
    if not any(_op(node) in PRIMITIVE for node in definition.node):
        return definition
    made = message("GraphDef")
    made.CopyFrom(definition)
    work = _Rewriting(made.library.function)
    nodes = work.without_branches(work.without_loops(list(made.node)), ())
    del made.node[:]
    made.node.extend(nodes)
    return made


def _op(node: Any) -> str:
    return _REFS.get(node.op, node.op)


def _source(text: str) -> Place:
    name, _, number = text.removeprefix("^").partition(":")
    return name, int(number or 0)


def _data(node: Any) -> list[Place]:
    return [_source(text) for text in node.input if not text.startswith("^")]


def _controls(node: Any) -> list[str]:
    return [text[1:] for text in node.input if text.startswith("^")]


def _written(place: Place) -> str:
    return f"{place[0]}:{place[1]}" if place[1] else place[0]


def _before(node: Any) -> Iterator[str]:
    """The names of the nodes that a node waits for."""
    for text in node.input:
        yield _source(text)[0]


def _node(name: str, op: str, inputs: Iterable[str], **functions: str) -> Any:
    made = message("NodeDef")
    made.name, made.op = name, op
    made.input.extend(inputs)
    for attribute, function in functions.items():
        made.attr[attribute].func.name = function
    return made


def _number(name: str, value: int) -> Any:
    made = _node(name, "Const", ())
    made.attr["dtype"].type = int32.as_datatype_enum
    made.attr["value"].tensor.MergeFromString(tensor_proto(np.array(value, np.int32)))
    return made


class _Rewriting:
    """Cuts functions out of graphs.

    Args:
      functions: where new ones are put.
    """

    def __init__(self, functions: Any) -> None:
        self._functions = functions
        self._taken = {function.signature.name for function in functions}

    def _function(self, name: str, arguments: Sequence[str], nodes: Iterable[Any], results: Sequence[str]) -> str:
        unique, number = name, 1
        while unique in self._taken:
            unique, number = f"{name}_{number}", number + 1
        self._taken.add(unique)
        made = self._functions.add()
        made.signature.name = unique
        for argument in arguments:
            made.signature.input_arg.add().name = argument
        made.node_def.extend(nodes)
        for i, result in enumerate(results):
            made.signature.output_arg.add().name = f"result{i}"
            made.ret[f"result{i}"] = result
        return unique

    # -- loops -------------------------------------------------------------------------------------------------------

    def without_loops(self, nodes: list[Any]) -> list[Any]:
        """The nodes of a graph with `While` in place of its loops."""
        while frames := {node.attr["frame_name"].s: None for node in nodes if _op(node) == "Enter"}:
            after = _consumers(nodes)
            for frame in frames:
                enters = [n for n in nodes if _op(n) == "Enter" and n.attr["frame_name"].s == frame]
                inside = _inside(enters, after)
                if all(_op(n) != "Enter" or n.attr["frame_name"].s == frame for n in inside.values()):
                    nodes = self._one_loop(nodes, enters, inside, frame.decode())
                    break
            else:
                raise invalid_argument("loops that lie in each other", "Enter")
        return nodes

    def _one_loop(self, nodes: list[Any], enters: list[Any], inside: dict[str, Any], frame: str) -> list[Any]:
        by_name = {node.name: node for node in nodes}
        nexts = {n.name: n for n in inside.values() if _op(n) == "NextIteration"}
        entering = {enter.name: enter for enter in enters}
        rings: list[tuple[Any, Any, Any]] = []  # what enters, where it is picked, what the next round has
        for merge in (n for n in inside.values() if _op(n) == "Merge"):
            given = {name for name, _ in _data(merge)}
            if given & set(nexts) and given & set(entering):
                rings.append((entering[(given & set(entering)).pop()], merge, nexts[(given & set(nexts)).pop()]))
        conditions = [n for n in inside.values() if _op(n) == "LoopCond"]
        if len(conditions) != 1 or not rings:
            raise invalid_argument(
                f"the loop {frame!r} has {len(conditions)} conditions and {len(rings)} variables", "Enter"
            )
        ringed = {enter.name for enter, _, _ in rings}
        constant = [enter for enter in enters if enter.name not in ringed]
        place = {merge.name: i for i, (_, merge, _) in enumerate(rings)}
        switches = {
            n.name: place[_data(n)[0][0]]
            for n in inside.values()
            if _op(n) == "Switch" and _data(n)[0][0] in place and _data(n)[1][0] == conditions[0].name
        }
        arguments = [merge.name for _, merge, _ in rings] + [enter.name for enter in constant]
        here = {(name, 1): (rings[i][1].name, 0) for name, i in switches.items()}
        kept = set(arguments)
        name = frame.replace("/", "_")

        def part(of: str, results: list[Place]) -> str:
            wanted = [here.get(result, result) for result in results]
            taken = self.without_branches(_needed(by_name, [n for n, _ in wanted], kept, here), wanted)
            return self._function(f"{name}_{of}", arguments, taken, [_written(w) for w in wanted])

        cond = part("cond", _data(conditions[0])[:1])
        body = part("body", [*(_data(n)[0] for _, _, n in rings), *((enter.name, 0) for enter in constant)])
        label = _unused(frame, by_name)
        starts = [enter.input[0] for enter, _, _ in rings] + [enter.input[0] for enter in constant]
        loop = _node(label, "While", starts, cond=cond, body=body)
        loop.attr["_variables"].i = len(rings)
        rest = [node for node in nodes if node.name not in inside and node.name not in entering]
        exits = [node for node in inside.values() if _op(node) == "Exit"]
        shown = [_node(e.name, "Identity", [_written((label, switches[_data(e)[0][0]]))]) for e in exits]
        return [*rest, loop, *shown]

    # -- branches ----------------------------------------------------------------------------------------------------

    def without_branches(self, nodes: list[Any], results: Sequence[Place]) -> list[Any]:
        """The nodes of a graph without loops with `If` in place of its branches; `results` are asked for from outside."""
        if not any(_op(node) in ("Merge", "Switch") for node in nodes):
            return nodes
        by_name = {node.name: node for node in nodes}
        asked = {_source(text) for node in nodes for text in node.input if not text.startswith("^")} | set(results)
        tags = _tags(nodes, by_name)
        joined = [merge for merge in _in_order(nodes, by_name) if _op(merge) == "Merge"]
        waiting = [(merge, *_meaning(merge, by_name, tags)) for merge in joined]
        while waiting:
            condition = waiting[0][1]
            group: dict[str, tuple[Any, list[int]]] = {}
            for merge, decides, branches in waiting:
                if decides == condition and not _reaches(merge, set(group), by_name):
                    group[merge.name] = merge, branches
            waiting = [one for one in waiting if one[0].name not in group]
            for node in self._one_branch(by_name, list(group.values()), condition, tags, asked):
                by_name[node.name] = node
        return [n for n in by_name.values() if not tags[n.name] and _op(n) != "Switch"]

    def _one_branch(
        self, by_name: dict[str, Any], group: list[tuple[Any, list[int]]], condition: Place, tags: dict[str, Tags],
        asked: set[Place],
    ) -> list[Any]:  # fmt: skip
        external: dict[str, str] = {}  # the argument for each value from outside
        controls: dict[str, None] = {}
        numbered = [merge.name for merge, _ in group if (merge.name, 1) in asked]
        functions = []
        for branch in (1, 0):
            inner: dict[str, Any] = {}
            shown = [
                self._within(_data(merge)[sides.index(branch)], by_name, condition, tags, inner, external, controls)
                for merge, sides in group
            ]
            for merge, sides in group:
                if merge.name in numbered:
                    constant = _number(_unused(f"{merge.name}/number", by_name), sides.index(branch))
                    inner[constant.name] = constant
                    shown.append(constant.name)
            functions.append((list(inner.values()), shown))
        label = _unused(f"{group[0][0].name}/If", by_name)
        then, other = (
            self._function(f"{label.replace('/', '_')}_{kind}", list(external.values()), nodes, shown)
            for kind, (nodes, shown) in zip(("true", "false"), functions, strict=True)
        )
        outside = [_written(condition), *external, *(f"^{name}" for name in controls)]
        made = [_node(label, "If", outside, then_branch=then, else_branch=other)]
        for i, (merge, _) in enumerate(group):
            if merge.name in numbered:
                number = _written((label, len(group) + numbered.index(merge.name)))
                made.append(_node(merge.name, "IdentityN", [_written((label, i)), number]))
            else:
                made.append(_node(merge.name, "Identity", [_written((label, i))]))
        tags[label] = tags[group[0][0].name]
        return made

    def _within(
        self, place: Place, by_name: dict[str, Any], condition: Place, tags: dict[str, Tags], inner: dict[str, Any],
        external: dict[str, str], controls: dict[str, None],
    ) -> str:  # fmt: skip
        """What a result is called within a branch, into which the nodes come that it needs."""
        waiting, first = [place], True
        answer = ""
        while waiting:
            one = waiting.pop()
            node = by_name.get(one[0])
            known = self._from_outside(one, node, by_name, condition, tags, external)
            if first:
                answer, first = known or _written(one), False
            if known or node is None or node.name in inner:
                continue
            copy = inner[node.name] = message("NodeDef")
            copy.CopyFrom(node)
            del copy.input[:]
            for source in _data(node):
                named = self._from_outside(source, by_name.get(source[0]), by_name, condition, tags, external)
                copy.input.append(named or _written(source))
                if not named:
                    waiting.append(source)
            for before in _controls(node):
                if before in by_name and any(tag[0] == condition for tag in tags[before]):
                    if _op(by_name[before]) != "Switch":
                        copy.input.append(f"^{before}")
                        waiting.append((before, 0))
                elif before in by_name:
                    controls[before] = None
        return answer

    def _from_outside(
        self,
        place: Place,
        node: Any,
        by_name: dict[str, Any],
        condition: Place,
        tags: dict[str, Tags],
        external: dict[str, str],
    ) -> str | None:
        """The argument that stands for a value from outside of a branch; None for one that is made in it."""
        if node is not None and _op(node) == "Switch" and _decides(node, by_name) == condition:
            place = _data(node)[0]
        elif node is not None and (node.op == "Const" or any(tag[0] == condition for tag in tags[node.name])):
            return None
        return external.setdefault(_written(place), f"given{len(external)}")


def _consumers(nodes: Iterable[Any]) -> dict[str, list[Any]]:
    found: dict[str, list[Any]] = {}
    for node in nodes:
        for name in _before(node):
            found.setdefault(name, []).append(node)
    return found


def _inside(enters: Iterable[Any], after: dict[str, list[Any]]) -> dict[str, Any]:
    """What comes after the entrances of a loop, up to where a loop is left."""
    found: dict[str, Any] = {}
    waiting = list(enters)
    while waiting:
        for node in after.get(waiting.pop().name, ()):
            if node.name not in found:
                found[node.name] = node
                if _op(node) != "Exit":
                    waiting.append(node)
    return found


def _needed(by_name: dict[str, Any], wanted: list[str], arguments: set[str], here: dict[Place, Place]) -> list[Any]:
    """Copies of the nodes that results need, in which arguments stand for what `here` replaces."""
    found: dict[str, Any] = {}
    waiting = list(wanted)
    while waiting:
        name = waiting.pop()
        if name in found or name in arguments:
            continue
        node = by_name[name]
        copy = found[name] = message("NodeDef")
        copy.CopyFrom(node)
        del copy.input[:]
        for text in node.input:
            place = _source(text)
            if text.startswith("^"):
                if _op(by_name[place[0]]) in PRIMITIVE - {"Merge", "Switch"} or place[0] in arguments:
                    continue
                if any(place[0] == switch for switch, _ in here):
                    continue
                copy.input.append(text)
            else:
                place = here.get(place, place)
                copy.input.append(_written(place))
            waiting.append(place[0])
    return list(found.values())


def _unused(name: str, taken: dict[str, Any]) -> str:
    unique, number = name, 1
    while unique in taken:
        unique, number = f"{name}_{number}", number + 1
    return unique


def _in_order(nodes: list[Any], by_name: dict[str, Any]) -> list[Any]:
    """The nodes, each after what it needs."""
    found: dict[str, Any] = {}
    for first in nodes:
        stack = [first]
        while stack:
            node = stack[-1]
            missing = [n for n in _before(node) if n in by_name and n not in found]
            if missing and len(stack) <= len(nodes):
                stack.append(by_name[missing[0]])
            else:
                found[stack.pop().name] = node
    return list(found.values())


def _tags(nodes: list[Any], by_name: dict[str, Any]) -> dict[str, Tags]:
    """Under which conditions each node runs; of a `Switch`, those of what it sends on but for its own."""
    tags: dict[str, Tags] = {}
    for node in _in_order(nodes, by_name):
        given = [_tags_of(place, by_name, tags) for place in _data(node)]
        before = [tags.get(name, frozenset()) for name in _controls(node)]
        if _op(node) == "Merge":
            tags[node.name] = frozenset.intersection(*given) if given else frozenset()
        else:
            tags[node.name] = frozenset().union(*given, *before)
    return tags


def _tags_of(place: Place, by_name: dict[str, Any], tags: dict[str, Tags]) -> Tags:
    node = by_name.get(place[0])
    found = tags.get(place[0], frozenset())
    if node is not None and _op(node) == "Switch":
        found = found | {(_decides(node, by_name), place[1])}
    return found


def _decides(switch: Any, by_name: dict[str, Any]) -> Place:
    """The condition of a `Switch`. A branch sends the condition by itself through one, and has a copy of it for the others."""
    data, condition = _data(switch)
    copy = by_name.get(f"{switch.name.rpartition('/')[0]}/pred_id")
    if data == condition and copy is not None and copy.op == "Identity" and _data(copy) == [condition]:
        return copy.name, 0
    return condition


def _meaning(merge: Any, by_name: dict[str, Any], tags: dict[str, Tags]) -> tuple[Place, list[int]]:
    """The condition that decides what a `Merge` passes on, and for each of its inputs the branch that it comes from."""
    given = [_tags_of(place, by_name, tags) for place in _data(merge)]
    if len(given) == 2:
        one, other = given
        opposite = [tag for tag in one if (tag[0], 1 - tag[1]) in other]
        for condition, branch in [*opposite, *(one - other)]:
            return condition, [branch, 1 - branch]
        for condition, branch in other - one:
            return condition, [1 - branch, branch]
    raise invalid_argument(f"{merge.name!r} does not join the two branches of one Switch", "Merge")


def _reaches(merge: Any, names: set[str], by_name: dict[str, Any]) -> bool:
    """Whether a node needs one of those named."""
    seen: set[str] = set()
    waiting = [merge.name]
    while waiting:
        name = waiting.pop()
        if name in seen or name not in by_name:
            continue
        seen.add(name)
        if name in names:
            return True
        waiting += _before(by_name[name])
    return False
