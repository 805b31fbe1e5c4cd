"""What a program uses of TensorFlow, read from its syntax tree: nothing of the program runs."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from tfgrad_jax.commands.sources import Source

ROOTS = ("tensorflow", "tfgrad_jax")
"""The names that `tf` is imported from."""

Dotted = tuple[str, ...]
"""The names after `tf.`, in order."""

_CATCHES = {"ImportError", "ModuleNotFoundError", "AttributeError", "NotImplementedError", "Exception", "BaseException"}
_FEATURES = {"hasattr", "__version__", "VERSION", "TYPE_CHECKING", "executing_eagerly", "is_tf2", "tf2"}
_IMPORTERS = {"import_module", "importorskip", "__import__", "LazyLoader"}


@dataclass(frozen=True)
class Use:
    """One place of a program where a name of TensorFlow stands.

    Attributes:
      paths: what the name may be: one path, or more where it is bound in several ways.
      keywords: the names of the arguments of a call of it.
      guarded: whether the program does something else where the name is missing.
      needs: imports by which it has the name, and without which it does something else.
      perhaps: whether it is a name of TensorFlow's only if there is one, as after `from tensorflow.nn import *`.
      cell: of a notebook, from 1.
    """

    paths: tuple[Dotted, ...]
    line: int
    keywords: tuple[str, ...] = ()
    guarded: bool = False
    needs: tuple[Dotted, ...] = ()
    perhaps: bool = False
    cell: int | None = None


@dataclass(frozen=True)
class _Binding:
    """What a name stands for: a path of TensorFlow's, an expression, or (neither) something else."""

    path: Dotted | None = None
    value: ast.expr | None = None
    guarded: bool = False


@dataclass
class _Scope:
    kind: str
    parent: _Scope | None = None
    names: dict[str, list[_Binding]] = field(default_factory=dict)
    stars: list[Dotted] = field(default_factory=list)
    elsewhere: dict[str, _Scope] = field(default_factory=dict)
    known: dict[str, tuple[list[Dotted], list[Dotted]]] = field(default_factory=dict)

    def bind(self, name: str, binding: _Binding | None) -> None:
        bindings = self.elsewhere.get(name, self).names.setdefault(name, [])
        if binding is not None:
            bindings.append(binding)

    def chain(self) -> Iterator[_Scope]:
        """Where a name is looked for: the scopes around, without the classes around functions."""
        yield self
        inner, scope = self, self.parent
        while scope is not None:
            if scope.kind != "class" or inner.kind == "comprehension":
                yield scope
            inner, scope = scope, scope.parent


@dataclass(frozen=True)
class _Pending:
    """An occurrence, whose meaning is known when all of the file was read."""

    name: str
    attributes: Dotted
    scope: _Scope
    line: int
    keywords: tuple[str, ...]
    guarded: bool
    cell: int | None


class Reader(ast.NodeVisitor):
    """Reads one program.

    Attributes:
      other_packages: the first names of what else it imports.
      wrong: (cell, line, message) of each part that is no Python.
    """

    def __init__(self, source: Source) -> None:
        self._scope = _Scope("module")
        self._module = self._scope
        self._guards = 0
        self._cell: int | None = None
        self._uses: list[Use] = []
        self._pending: list[_Pending] = []
        self._asked: list[_Pending] = []
        self._patched: list[_Pending] = []
        self._flags: set[str] = set()
        self._plain_annotations = True
        self.other_packages: set[str] = set()
        self.wrong: list[tuple[int | None, int, str]] = []
        for part in source.parts:
            self._cell = part.cell
            try:
                tree = ast.parse(part.text)
            except (SyntaxError, ValueError, RecursionError) as error:
                line = (getattr(error, "lineno", None) or 1) if isinstance(error, SyntaxError) else 1
                self.wrong.append((part.cell, line, getattr(error, "msg", None) or str(error)))
                continue
            self._flags |= set(_version_flags(tree))
            self.visit(tree)

    def uses(self) -> list[Use]:
        """Every use, in order of the lines; what the program puts there itself is none."""
        patched = {path for place in self._patched for path in self._paths(place)[0]}
        asked = {path for place in self._asked for path in self._paths(place)[0]}
        found = list(self._uses)
        for place in self._pending:
            paths, needs, perhaps = self._paths(place)
            if any(paths) and not _any_begins(paths, patched):
                guarded = place.guarded or _any_begins(paths, asked)
                found.append(Use(paths, place.line, place.keywords, guarded, needs, perhaps, place.cell))
        return sorted(found, key=lambda use: (use.cell or 0, use.line))

    # -- what names stand for ----------------------------------------------------------------------------------------

    def _paths(self, place: _Pending) -> tuple[tuple[Dotted, ...], tuple[Dotted, ...], bool]:
        """The paths that an occurrence may mean (none if it may be something else), what it needs, whether it is perhaps none."""
        bases, needs = self._meaning(place.name, place.scope)
        perhaps = bases is None and not hasattr(builtins, place.name)
        if bases is None:
            bases = [(*star, place.name) for scope in place.scope.chain() for star in scope.stars] if perhaps else []
        return tuple(dict.fromkeys((*base, *place.attributes) for base in bases)), tuple(needs), perhaps

    def _meaning(self, name: str, scope: _Scope) -> tuple[list[Dotted] | None, list[Dotted]]:
        """What a name stands for, None where nothing binds it, and the guarded imports that it comes from."""
        place = next((around for around in scope.chain() if name in around.names), None)
        if place is None:
            return None, []
        if name not in place.known:
            place.known[name] = [], []  # what is bound to itself alone is something else
            place.known[name] = self._all_of(place.names[name], place)
        return place.known[name]

    def _all_of(self, bindings: list[_Binding], scope: _Scope) -> tuple[list[Dotted], list[Dotted]]:
        paths: list[Dotted] = []
        needs: list[Dotted] = []
        for binding in bindings:
            if binding.path is not None:
                paths.append(binding.path)
                needs += [binding.path] if binding.guarded else []
                continue
            first, attributes = _unwound(binding.value)
            bases, deeper = self._meaning(first, scope) if first else (None, [])
            if not bases:
                return [], []  # it may be something else
            paths += [(*base, *attributes) for base in bases]
            needs += deeper
        return list(dict.fromkeys(paths)), needs if len(set(paths)) == 1 else []

    # -- imports and names -------------------------------------------------------------------------------------------

    def _use(self, path: Dotted, node: ast.stmt) -> None:
        if path:
            self._uses.append(Use((path,), node.lineno, guarded=self._guards > 0, cell=self._cell))

    def visit_Import(self, node: ast.Import) -> None:
        for alias in node.names:
            root, *rest = alias.name.split(".")
            if root not in ROOTS:
                self.other_packages.add(root)
                self._scope.bind(alias.asname or root, _Binding())
                continue
            self._use(tuple(rest), node)
            self._scope.bind(
                alias.asname or root, _Binding(tuple(rest) if alias.asname else (), guarded=self._guards > 0)
            )

    def visit_ImportFrom(self, node: ast.ImportFrom) -> None:
        root, *rest = (node.module or "").split(".")
        ours = not node.level and root in ROOTS
        if not ours and not node.level:
            self.other_packages.add(root)
        if node.module == "__future__" and any(alias.name == "annotations" for alias in node.names):
            self._plain_annotations = False
        for alias in node.names:
            if not ours:
                self._scope.bind(alias.asname or alias.name, _Binding())
            elif alias.name == "*":
                self._use(tuple(rest), node)
                self._scope.stars.append(tuple(rest))
            else:
                self._use((*rest, alias.name), node)
                binding = _Binding((*rest, alias.name), guarded=self._guards > 0)
                self._scope.bind(alias.asname or alias.name, binding)

    def visit_Name(self, node: ast.Name) -> None:
        if isinstance(node.ctx, ast.Load):
            self._occurs(node, ())
        elif isinstance(node.ctx, ast.Store):
            self._scope.bind(node.id, _Binding())

    def visit_Attribute(self, node: ast.Attribute) -> None:
        if isinstance(node.ctx, ast.Load):
            self._occurs(node, ())
        elif (place := self._pend(node)) is not None:
            self._patched.append(place)
        else:
            self.visit(node.value)

    def _occurs(self, node: ast.expr, keywords: Dotted) -> None:
        found = self._pend(node, keywords)
        if found is not None:
            self._pending.append(found)
            return
        while isinstance(node, ast.Attribute):
            node = node.value
        self.visit(node)

    def _pend(self, node: ast.expr, keywords: Dotted = (), more: Dotted = (), guarded: bool = False) -> _Pending | None:
        name, attributes = _unwound(node)
        if name is None:
            return None
        guarded |= self._guards > 0
        return _Pending(name, (*attributes, *more), self._scope, node.lineno, keywords, guarded, self._cell)

    def visit_Call(self, node: ast.Call) -> None:
        self._occurs(node.func, tuple(keyword.arg for keyword in node.keywords if keyword.arg))
        if isinstance(node.func, ast.Name) and node.func.id in ("hasattr", "getattr") and len(node.args) > 1:
            name = node.args[1]
            if isinstance(name, ast.Constant) and isinstance(name.value, str):
                soft = node.func.id == "hasattr" or len(node.args) > 2
                found = self._pend(node.args[0], more=(name.value,), guarded=soft)
                if found is not None:
                    (self._asked if node.func.id == "hasattr" else self._pending).append(found)
        for argument in [*node.args, *(keyword.value for keyword in node.keywords)]:
            self.visit(argument)

    # -- what binds names --------------------------------------------------------------------------------------------

    def visit_Assign(self, node: ast.Assign) -> None:
        for target in node.targets:
            self._assign(target, node.value)
        self.visit(node.value)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:
        self._annotation(node.annotation if self._scope.kind != "function" else None)
        if node.value is not None:
            self._assign(node.target, node.value)
            self.visit(node.value)

    def visit_NamedExpr(self, node: ast.NamedExpr) -> None:
        self._assign(node.target, node.value)
        self.visit(node.value)

    def visit_AugAssign(self, node: ast.AugAssign) -> None:
        self.visit(node.target)
        self.visit(node.value)

    def _assign(self, target: ast.expr, value: ast.expr) -> None:
        several = (ast.Tuple, ast.List)
        if isinstance(target, several) and isinstance(value, several) and len(target.elts) == len(value.elts):
            for one, its in zip(target.elts, value.elts, strict=True):
                self._assign(one, its)
            return
        if not isinstance(target, ast.Name):
            self.visit(target)
        elif isinstance(value, ast.Constant) and value.value in (None, False):
            self._scope.bind(target.id, None)  # what a program says where an import failed
        else:
            self._scope.bind(target.id, _imported(value) or _Binding(value=value))

    def _annotation(self, node: ast.expr | None) -> None:
        if node is not None and self._plain_annotations:
            self.visit(node)

    def _function(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        self._scope.bind(node.name, _Binding())
        arguments = node.args
        for outside in [*node.decorator_list, *arguments.defaults, *filter(None, arguments.kw_defaults)]:
            self.visit(outside)
        every = _arguments(arguments)
        for argument in every:
            self._annotation(argument.annotation)
        self._annotation(node.returns)
        self._inside("function", node.body, [argument.arg for argument in every])

    visit_FunctionDef = _function
    visit_AsyncFunctionDef = _function

    def visit_Lambda(self, node: ast.Lambda) -> None:
        for default in [*node.args.defaults, *filter(None, node.args.kw_defaults)]:
            self.visit(default)
        self._inside("function", [node.body], [argument.arg for argument in _arguments(node.args)])

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        self._scope.bind(node.name, _Binding())
        for outside in [*node.decorator_list, *node.bases, *(keyword.value for keyword in node.keywords)]:
            self.visit(outside)
        self._inside("class", node.body)

    def _comprehension(self, node: ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp) -> None:
        self._inside("comprehension", list(ast.iter_child_nodes(node)))

    visit_ListComp = visit_SetComp = visit_DictComp = visit_GeneratorExp = _comprehension

    def _inside(self, kind: str, body: Iterable[ast.AST], names: Iterable[str] = ()) -> None:
        self._scope = _Scope(kind, self._scope)
        for name in names:
            self._scope.bind(name, _Binding())
        for node in body:
            self.visit(node)
        assert self._scope.parent is not None
        self._scope = self._scope.parent

    def visit_Global(self, node: ast.Global) -> None:
        self._scope.elsewhere.update(dict.fromkeys(node.names, self._module))

    def visit_Nonlocal(self, node: ast.Nonlocal) -> None:
        for name in node.names:
            around = next((s for s in list(self._scope.chain())[1:] if name in s.names), self._module)
            self._scope.elsewhere[name] = around

    def visit_ExceptHandler(self, node: ast.ExceptHandler) -> None:
        if node.name:
            self._scope.bind(node.name, _Binding())
        self.generic_visit(node)

    def visit_MatchAs(self, node: ast.MatchAs) -> None:
        if node.name:
            self._scope.bind(node.name, _Binding())
        self.generic_visit(node)

    def visit_MatchStar(self, node: ast.MatchStar) -> None:
        if node.name:
            self._scope.bind(node.name, _Binding())

    # -- what programs do where a name may be missing ----------------------------------------------------------------

    def visit_Try(self, node: ast.Try) -> None:
        soft = any(handler.type is None or _CATCHES & _names_in(handler.type) for handler in node.handlers)
        self._guarded([*node.body, *node.handlers], soft)
        self._guarded([*node.orelse, *node.finalbody], False)

    def visit_If(self, node: ast.If) -> None:
        self._branch(node.test, [*node.body, *node.orelse])

    def visit_IfExp(self, node: ast.IfExp) -> None:
        self._branch(node.test, [node.body, node.orelse])

    def visit_BoolOp(self, node: ast.BoolOp) -> None:
        self._branch(node.values[0], node.values[1:])

    def _branch(self, test: ast.expr, rest: Iterable[ast.AST]) -> None:
        self.visit(test)
        self._guarded(rest, bool((_FEATURES | self._flags) & _names_in(test)))

    def _guarded(self, nodes: Iterable[ast.AST], soft: bool) -> None:
        self._guards += soft
        for node in nodes:
            self.visit(node)
        self._guards -= soft


def _any_begins(paths: Iterable[Dotted], beginnings: Iterable[Dotted]) -> bool:
    return any(path[: len(beginning)] == beginning for path in paths for beginning in beginnings)


def _unwound(node: ast.expr | None) -> tuple[str | None, Dotted]:
    """`a.b.c` as its first name and the rest; None if it begins by something else."""
    attributes: list[str] = []
    while isinstance(node, ast.Attribute):
        attributes.insert(0, node.attr)
        node = node.value
    return (node.id, tuple(attributes)) if isinstance(node, ast.Name) else (None, ())


def _imported(value: ast.expr) -> _Binding | None:
    """What `importlib.import_module("tensorflow.nn")` and its kin bind."""
    if isinstance(value, ast.Call) and _IMPORTERS & _names_in(value.func):
        for argument in value.args:
            if isinstance(argument, ast.Constant) and isinstance(argument.value, str):
                root, *rest = argument.value.split(".")
                if root in ROOTS:
                    return _Binding(tuple(rest))
    return None


def _arguments(arguments: ast.arguments) -> list[ast.arg]:
    every = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
    return every + [argument for argument in (arguments.vararg, arguments.kwarg) if argument is not None]


def _names_in(node: ast.AST) -> set[str]:
    """The names and attributes in an expression."""
    found = {inner.id for inner in ast.walk(node) if isinstance(inner, ast.Name)}
    return found | {inner.attr for inner in ast.walk(node) if isinstance(inner, ast.Attribute)}


def _version_flags(tree: ast.Module) -> Iterator[str]:
    """Names that a program gives to what it learns of the version, such as `TF2 = tf.__version__ > "2"`."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign) and {"__version__", "VERSION"} & _names_in(node.value):
            for target in node.targets:
                yield from _names_in(target)
