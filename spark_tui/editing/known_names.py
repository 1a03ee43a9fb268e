"""Which names of a file may be unknown: quicker than pyflakes, and never fewer than it finds.

It reads a tree in pyflakes' order and binds at most what pyflakes binds, so that what is left over holds all that
pyflakes would report. Source: pyflakes/checker.py.
"""

import ast
import keyword
import re
from collections import deque
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

_WORD = re.compile(r"[A-Za-z_]\w*")
_NO_CHILDREN = frozenset({"ctx", "op", "ops", "id", "attr", "names", "module", "type_comment", "kind", "conversion"})
_Comprehension = ast.ListComp | ast.SetComp | ast.GeneratorExp | ast.DictComp
_Function = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda


def perhaps_unknown(tree: ast.Module, builtins: Collection[str]) -> set[str] | None:
    """The names that pyflakes may call unknown in a file that parses; None where only pyflakes can tell.

    Raises: RecursionError: it is nested too deeply.
    """
    reader = _Reader(builtins)
    try:
        reader.read(tree)
    except _Unclear:
        return None
    return reader.unknown


class _Unclear(Exception):
    """There is something whose effect on names is not known here."""


@dataclass(slots=True)
class _Scope:
    """`outer`: the names bound in each scope that is seen from here, or from what is inside."""

    outer: tuple[set[str], ...] = ()
    of_class: bool = False
    of_function: bool = False
    bound: set[str] = field(default_factory=set)
    read: set[str] = field(default_factory=set)

    @property
    def seen_inside(self) -> tuple[set[str], ...]:
        """What a scope inside this one sees besides its own; a class hides its names from it."""
        return self.outer if self.of_class else (self.bound, *self.outer)


class _Reader:
    """Reads one file. Mutable."""

    def __init__(self, builtins: Collection[str]) -> None:
        self.unknown: set[str] = set()
        self._builtins = builtins
        self._scope = self._module = _Scope()
        self._later: deque[tuple[_Scope, Callable[[], None]]] = deque()
        self._typing: set[str] = set()
        self._quoted = False
        """Whether strings hold annotations here."""
        self._postponed = False
        self._exported: set[str] = set()

    def read(self, tree: ast.Module) -> None:
        """Read the file, then the functions in it, then those inside them."""
        self._all(tree.body)
        while self._later:
            self._scope, read = self._later.popleft()
            read()
        self.unknown |= self._exported - self._module.bound - set(self._builtins)

    def _one(self, node: ast.AST) -> None:
        own = _OWN.get(node.__class__)
        if own is not None:
            own(self, node)
            return
        for name in _fields(node.__class__):
            child = getattr(node, name, None)
            if child.__class__ is list:
                for each in child:
                    self._one(each)
            elif isinstance(child, ast.AST):
                self._one(child)

    def _all(self, nodes: Iterable[ast.AST | None]) -> None:
        for node in nodes:
            if node is not None:
                self._one(node)

    def _load(self, name: str) -> None:
        self._scope.read.add(name)
        if not self._is_known(name):
            self.unknown.add(name)

    def _bind(self, name: str) -> None:
        self._meet(name)
        self._scope.bound.add(name)

    def _meet(self, name: str) -> None:
        """A local is unknown where one from further out was read by its name before."""
        scope = self._scope
        if scope.of_function and name in scope.read and name not in scope.bound and self._is_known(name):
            self.unknown.add(name)

    def _is_known(self, name: str) -> bool:
        scope = self._scope
        return name in scope.bound or any(name in bound for bound in scope.outer) or name in self._builtins

    def _name(self, node: ast.Name) -> None:
        if isinstance(node.ctx, ast.Load):
            self._load(node.id)
        elif isinstance(node.ctx, ast.Store):
            self._bind(node.id)
        else:
            if node.id in self._builtins:
                raise _Unclear
            if node.id not in self._scope.bound:
                self.unknown.add(node.id)
            self._scope.bound.discard(node.id)

    def _constant(self, node: ast.Constant) -> None:
        if not self._quoted or not isinstance(node.value, str):
            return
        if not node.value.isascii():
            raise _Unclear
        for word in _WORD.findall(node.value):
            if not keyword.iskeyword(word):
                self._load(word)

    def _shared(self, node: ast.Global | ast.Nonlocal) -> None:
        if self._scope is not self._module:
            self._scope.bound.update(node.names)
            self._module.bound.update(node.names)

    def _augmented(self, node: ast.AugAssign) -> None:
        if isinstance(node.target, ast.Name):
            self._load(node.target.id)
        self._export((node.target,), node.value)
        self._all((node.value, node.target))

    def _assigned(self, node: ast.Assign) -> None:
        self._export(node.targets, node.value)
        self._all((node.value, *node.targets))

    def _export(self, targets: Iterable[ast.expr], value: ast.expr) -> None:
        if any(isinstance(one, ast.Name) and one.id == "__all__" for one in targets):
            said = (one.value for one in ast.walk(value) if isinstance(one, ast.Constant))
            self._exported.update(name for name in said if isinstance(name, str))

    def _walrus(self, node: ast.NamedExpr) -> None:
        self._all((node.value, node.target))

    def _annotated(self, node: ast.AnnAssign) -> None:
        self._annotation(node.annotation)
        if node.value is not None:
            self._export((node.target,), node.value)
            self._typed(node.value, quoted=self._is_typing(node.annotation))
        if node.value is None and isinstance(node.target, ast.Name):
            self._meet(node.target.id)
        else:
            self._one(node.target)

    def _annotation(self, node: ast.expr | None) -> None:
        if self._postponed:
            self._later.append((self._scope, lambda: self._typed(node, quoted=True)))
        else:
            self._typed(node, quoted=True)

    def _typed(self, node: ast.AST | None, *, quoted: bool) -> None:
        if node is None:
            return
        before, self._quoted = self._quoted, self._quoted or quoted
        try:
            self._one(node)
        finally:
            self._quoted = before

    def _is_typing(self, node: ast.expr) -> bool:
        while isinstance(node, ast.Attribute):
            node = node.value
        return isinstance(node, ast.Name) and node.id in self._typing

    def _subscript(self, node: ast.Subscript) -> None:
        self._one(node.value)
        self._typed(node.slice, quoted=self._is_typing(node.value))

    def _call(self, node: ast.Call) -> None:
        self._one(node.func)
        typing = self._is_typing(node.func)
        for argument in (*node.args, *node.keywords):
            self._typed(argument, quoted=typing)

    def _dict(self, node: ast.Dict) -> None:
        for pair in zip(node.keys, node.values, strict=True):
            self._all(pair)

    def _for(self, node: ast.For | ast.AsyncFor) -> None:
        self._all((node.iter, node.target, *node.body, *node.orelse))

    def _comprehended(self, node: _Comprehension) -> None:
        first, *more = node.generators
        self._one(first.iter)
        around, self._scope = self._scope, _Scope(self._scope.seen_inside)
        self._all((first.target, *first.ifs))
        for each in more:
            self._all((each.iter, each.target, *each.ifs))
        self._all((node.key, node.value) if isinstance(node, ast.DictComp) else (node.elt,))
        self._scope = around

    def _function(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        self._no_type_parameters(node)
        self._all(node.decorator_list)
        self._lambda(node)
        self._bind(node.name)

    def _lambda(self, node: _Function) -> None:
        for one in _arguments(node.args):
            self._annotation(one.annotation)
        if not isinstance(node, ast.Lambda):
            self._annotation(node.returns)
        self._all((*node.args.defaults, *node.args.kw_defaults))
        inside = _Scope(self._scope.seen_inside, of_function=True, bound={one.arg for one in _arguments(node.args)})
        body = [node.body] if isinstance(node, ast.Lambda) else node.body
        self._later.append((inside, lambda: self._all(body)))

    def _class(self, node: ast.ClassDef) -> None:
        self._no_type_parameters(node)
        self._all((*node.decorator_list, *node.bases, *node.keywords))
        around, self._scope = self._scope, _Scope(self._scope.seen_inside, of_class=True)
        self._all(node.body)
        self._scope = around
        self._bind(node.name)

    def _no_type_parameters(self, node: ast.AST) -> None:
        if getattr(node, "type_params", None):
            raise _Unclear

    def _handler(self, node: ast.ExceptHandler) -> None:
        known = node.name in self._scope.bound
        if node.name:
            self._bind(node.name)
        self._all((node.type, *node.body))
        if node.name and not known:
            self._scope.bound.discard(node.name)

    def _import(self, node: ast.Import) -> None:
        for alias in node.names:
            name = alias.asname or alias.name.partition(".")[0]
            self._bind(name)
            self._note_typing(alias.name, name)

    def _import_from(self, node: ast.ImportFrom) -> None:
        self._postponed |= node.module == "__future__" and any(alias.name == "annotations" for alias in node.names)
        for alias in node.names:
            if alias.name != "*":
                self._bind(alias.asname or alias.name)
                self._note_typing(node.module or "", alias.asname or alias.name)

    def _note_typing(self, module: str, name: str) -> None:
        if "typing" in module:
            self._typing.add(name)

    def _pattern(self, node: ast.MatchAs | ast.MatchStar | ast.MatchMapping) -> None:
        if name := node.rest if isinstance(node, ast.MatchMapping) else node.name:
            self._bind(name)
        if isinstance(node, ast.MatchMapping):
            self._all((*node.keys, *node.patterns))
        elif isinstance(node, ast.MatchAs):
            self._all((node.pattern,))

    def _unclear(self, node: ast.AST) -> None:
        raise _Unclear


def _arguments(found: ast.arguments) -> Iterator[ast.arg]:
    yield from (*found.posonlyargs, *found.args, *found.kwonlyargs)
    yield from (one for one in (found.vararg, found.kwarg) if one)


def _fields(kind: type[ast.AST]) -> tuple[str, ...]:
    """Where the children of a node are."""
    if kind not in _FIELDS:
        _FIELDS[kind] = tuple(name for name in kind._fields if name not in _NO_CHILDREN)
    return _FIELDS[kind]


_FIELDS: dict[type[ast.AST], tuple[str, ...]] = {}
_OWN: dict[type[ast.AST], Callable[[Any, Any], None]] = {
    ast.Name: _Reader._name,
    ast.Constant: _Reader._constant,
    ast.AugAssign: _Reader._augmented,
    ast.Assign: _Reader._assigned,
    ast.NamedExpr: _Reader._walrus,
    ast.AnnAssign: _Reader._annotated,
    ast.Subscript: _Reader._subscript,
    ast.Call: _Reader._call,
    ast.Dict: _Reader._dict,
    ast.Lambda: _Reader._lambda,
    ast.ClassDef: _Reader._class,
    ast.ExceptHandler: _Reader._handler,
    ast.Import: _Reader._import,
    ast.ImportFrom: _Reader._import_from,
    **dict.fromkeys((ast.Global, ast.Nonlocal), _Reader._shared),
    **dict.fromkeys((ast.For, ast.AsyncFor), _Reader._for),
    **dict.fromkeys((ast.FunctionDef, ast.AsyncFunctionDef), _Reader._function),
    **dict.fromkeys((ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp), _Reader._comprehended),
    **dict.fromkeys((ast.MatchAs, ast.MatchStar, ast.MatchMapping), _Reader._pattern),
    **({ast.TypeAlias: _Reader._unclear} if hasattr(ast, "TypeAlias") else {}),
}
"""The nodes that bind or read names, or are read in an order of their own."""
