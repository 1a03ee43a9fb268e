"""Every name in a method that could lack its `self.`, and every method that could lack the parameter."""

import ast
import builtins
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from spark_tui.editing.code import Function, Position, header, is_receiver, parameters, splice, start_of
from spark_tui.editing.codemods.base import Codemod, Ops, Request
from spark_tui.editing.codemods.bugs.slips import meant, spots
from spark_tui.editing.codemods.common.named import surely_named
from spark_tui.editing.script import Replace
from spark_tui.editing.snippet import Snippet
from spark_tui.editing.statements import dotted

_UNDEFINED = re.compile(
    r"name [`'\"]?(\w+)[`'\"]? is not defined|(?:undefined|unresolved|unknown) (?:name|variable|reference) "
    r"[`'\"]?(?!(?:here|there|on|in)\b)(\w+)"
)
_NO_ATTRIBUTE = re.compile(r"has no attribute [`'\"]?(\w+)")
_ARITY = re.compile(
    r"takes \d+ positional arguments? but \d+ (?:was|were) given"
    r"|\b(?:missing|no|without|lacks|needs|add|forgot)(?: the| a| its)? [`'\"]?(?:self|cls)[`'\"]? (?:param|arg)",
    re.IGNORECASE,
)
_FAMILIAR = (
    frozenset(dir(builtins))
    | sys.stdlib_module_names
    | {"np", "pd", "plt", "tf", "logger", "log", "torch", "_", "requests", "yaml", "six"}
)
_OF_CLASSES = ("__new__", "__init_subclass__", "__class_getitem__")


@dataclass(frozen=True, slots=True)
class Method:
    """A function that stands where a method would: in a class, or in a snippet cut out of one."""

    function: Function
    owner: ast.ClassDef | None


class AddSelf(Codemod):
    """`x` becomes `self.x` throughout a method, or the method gets its `self`."""

    kind: ClassVar[str] = "add_self"
    repairs: ClassVar[bool] = True

    def edits(self, before: Snippet, request: Request) -> Iterator[Ops]:
        """Attributes that the snippet knows come first, then parameters, then other names that nothing defines."""
        said = request.instruction
        found = list(_candidates(before))
        named = {match[1] or match[2] for match in _UNDEFINED.finditer(said)}
        named = {"" if name in ("self", "cls") else name for name in named}
        named = named or {match[1] for match in _NO_ATTRIBUTE.finditer(said)} & {name for name, *_ in found}
        named = named or set(surely_named(said, (name for name, *_ in found if name)))
        if not named and _ARITY.search(said):
            named = {""}
        yield from meant(before, said, [(f, ops) for name, f, ops in found if not named or name in named])


def _candidates(before: Snippet) -> Iterator[tuple[str, Function, Ops | None]]:
    """Each edit with the name it is about; "" for a parameter."""
    known = known_attributes(before)
    every = methods(before)
    lacking = [(name, one, places) for one in every for name, places in bare_names(before, one).items()]
    for name, one, places in lacking:
        if name in known:
            yield name, one.function, _qualified(before, receiver(one), places)
    for one in every:
        if not receiver(one) and "staticmethod" not in _decorators(one.function):
            yield "", one.function, with_receiver(before, one)
    for name, one, places in lacking:
        if name not in known and name not in _FAMILIAR and not name[0].isupper() and not name.startswith("__"):
            yield name, one.function, _qualified(before, receiver(one), places)


def methods(before: Snippet) -> list[Method]:
    """The methods of the snippet's classes, and functions that may have been cut out of a class."""
    found = [
        Method(one, owner)
        for owner in before.nodes
        if isinstance(owner, ast.ClassDef)
        for one in owner.body
        if isinstance(one, Function)
    ]
    loose = [Method(one, None) for one in before.tree.body if isinstance(one, Function)]
    return [*found, *(one for one in loose if before.margin or receiver(one) or "self" in _loaded(one.function))]


def receiver(method: Method) -> str:
    """The name of the parameter that the method gets its object in, or ""."""
    first = parameters(method.function)[:1]
    return first[0].arg if first and is_receiver(method.function, first[0]) else ""


def known_attributes(before: Snippet) -> set[str]:
    """What the snippet's methods find on self or cls, and what its classes define."""
    names = {
        one.attr
        for one in before.nodes
        if isinstance(one, ast.Attribute) and isinstance(one.value, ast.Name) and one.value.id in ("self", "cls")
    }
    for owner in before.nodes:
        if isinstance(owner, ast.ClassDef):
            names |= {one.name for one in owner.body if isinstance(one, Function)}
            targets = [target for one in owner.body if isinstance(one, ast.Assign) for target in one.targets]
            targets += [one.target for one in owner.body if isinstance(one, ast.AnnAssign)]
            names |= {target.id for target in targets if isinstance(target, ast.Name)}
    return names


def bare_names(before: Snippet, method: Method) -> dict[str, list[Position]]:
    """Names that nothing defines for the method, and names it sets but never reads; with all their places."""
    if not receiver(method):
        return {}
    bound = _bound(method.function) | _at_module_level(before)
    loaded: dict[str, list[Position]] = {}
    body = ast.Module(method.function.body, [])
    found = [one.node for one in spots(body) if isinstance(one.node, ast.Name)]
    hidden = _loaded(body) - {node.id for node in found}
    for node in found:
        if node.id not in bound | hidden and not hasattr(builtins, node.id):
            loaded.setdefault(node.id, []).append(start_of(before, node))
    formatted = _in_fstrings(body)
    return {name: at for name, at in (loaded | _set_only(before, method)).items() if name not in formatted}


def _set_only(before: Snippet, method: Method) -> dict[str, list[Position]]:
    """Names the method only assigns: `x = x` from a parameter, or a value that nothing reads."""
    found: dict[str, list[Position]] = {}
    names = [one for one in ast.walk(method.function) if isinstance(one, ast.Name)]
    outer = {
        name for one in ast.walk(method.function) if isinstance(one, ast.Global | ast.Nonlocal) for name in one.names
    }
    for node in method.function.body:
        if not isinstance(node, ast.Assign | ast.AnnAssign):
            continue
        targets = node.targets if isinstance(node, ast.Assign) else [node.target]
        if len(targets) != 1 or not isinstance(target := targets[0], ast.Name) or target.id in outer:
            continue
        own = isinstance(node.value, ast.Name) and node.value.id == target.id
        if own or [one.id for one in names].count(target.id) == 1:
            found[target.id] = [start_of(before, target)]
    return found


def _qualified(before: Snippet, name: str, places: list[Position]) -> Ops:
    lines: dict[int, str] = {}
    for row, column in sorted(places, reverse=True):
        line = lines.get(row, before.lines[row])
        lines[row] = f"{line[:column]}{name}.{line[column:]}"
    return tuple(Replace(row, row, (lines[row],)) for row in sorted(lines))


def with_receiver(before: Snippet, method: Method) -> Ops | None:
    """The parameter put in; None when the signature does not go on behind its parenthesis."""
    head = header(before, method.function)
    if head is None:
        return None
    row, column = head.opening[0], head.opening[1] + 1
    rest = before.lines[row][column:].strip()
    if not rest or rest.startswith("#"):
        return None
    function = method.function
    name = "cls" if "classmethod" in _decorators(function) or function.name in _OF_CLASSES else "self"
    glue = ", " if parameters(function) else ""
    return (Replace(row, row, tuple(splice(before.lines, (row, column), (row, column), name + glue)[row : row + 1])),)


def _decorators(function: Function) -> set[str]:
    return {dotted(one) or "" for one in function.decorator_list}


def _loaded(node: ast.AST) -> set[str]:
    return {one.id for one in ast.walk(node) if isinstance(one, ast.Name)}


def _in_fstrings(node: ast.AST) -> set[str]:
    return {name for one in ast.walk(node) if isinstance(one, ast.JoinedStr) for name in _loaded(one)}


def _bound(node: ast.AST) -> set[str]:
    """Every name that is bound anywhere within a node."""
    names: set[str] = set()
    for one in ast.walk(node):
        match one:
            case ast.Name(id=name, ctx=ast.Store() | ast.Del()) | ast.arg(arg=name) | ast.alias(asname=str(name)):
                names.add(name)
            case ast.alias(name=name):
                names.add(name.partition(".")[0])
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name) if (
                one is not node
            ):
                names.add(name)
            case ast.ExceptHandler(name=str(name)) | ast.MatchAs(name=str(name)) | ast.MatchStar(name=str(name)):
                names.add(name)
            case ast.MatchMapping(rest=str(name)):
                names.add(name)
            case ast.Global(names=several) | ast.Nonlocal(names=several):
                names.update(several)
    return names


def _at_module_level(before: Snippet) -> set[str]:
    """What a snippet defines outside its classes and functions."""
    names: set[str] = set()
    for one in before.tree.body:
        if isinstance(one, Function | ast.ClassDef):
            names.add(one.name)
        else:
            names |= _bound(one)
    return names
