"""Variables and attributes get the type they lack where they are first assigned."""

import ast
import re
from collections.abc import Iterator
from typing import ClassVar

from spark_tui.editing.code import Function, Position, end_of, parameters, stands_alone, start_of, text_of
from spark_tui.editing.codemods.base import Ops, Request
from spark_tui.editing.codemods.common.occasions import Change, Occasion, Places
from spark_tui.editing.codemods.hints.hints_told import changed_hints
from spark_tui.editing.codemods.hints.typing_words import modern, names_used, type_of, types_said
from spark_tui.editing.codemods.imports.imported_too import imported_too
from spark_tui.editing.snippet import Snippet
from spark_tui.editing.trees import parse

Scope = Function | ast.ClassDef | ast.Module
_COMMENT = re.compile(r"\s*#\s*type:\s*(?!ignore\b)(?P<type>[^#]*[^#\s])(?P<rest>\s+#.*)?$")
_ADDING = {"append": "list", "add": "set", "appendleft": "deque"}
_AT_FIRST = re.compile(r"\b(?:start\w*|first|initial\w*|until|begins?|unset|at first|not yet|before)\b.*\bNone\b")
_MAPPED = re.compile(r"(?<!from )\b(str|int|bytes|float|tuple) to ([A-Za-z][\w.]*(?:\[[^\]]*\])?)", re.IGNORECASE)
_MAKERS = {"getLogger": "Logger", "compile": "Pattern[str]", "create_task": "Task"}
_ASKED = re.compile(r"\bannotat\w*|\btypes?\b|\bhints?\b", re.IGNORECASE)
_MOST = 3


class AnnotateVariable(Places):
    """`x = []` becomes `x: list[str] = []`; `x = []  # type: List[str]` does so, too."""

    kind: ClassVar[str] = "annotate_variable"

    def edits(self, before: Snippet, request: Request) -> Iterator[Ops]:
        """The types that variables lack, then those changed that are there."""
        yield from imported_too(before, super().edits(before, request))
        yield from imported_too(before, changed_hints(before, request, "variable"))

    def occasions(self, before: Snippet, request: Request) -> Iterator[Occasion]:
        """Type comments, then what is told of each first assignment, else what its value gives away."""
        found = list(first_assignments(before))
        known = {target for _, node in found for target in _targets(node)}
        said = types_said(_unmarked(request.instruction), names_used(before.tree))
        told = [one for one in said if one not in known and one != "type"][:_MOST]
        comments = [one for _, node in found if (one := _uncommented(before, node))]
        yield from comments
        if comments and re.search(r"comment", request.instruction):
            return
        if re.search(r"\bFinal\b", request.instruction):
            yield from (_annotated(before, node, _final(before)) for _, node in found if _is_constant(node))
        pairs = [f"dict[{key}, {value}]" for key, value in _MAPPED.findall(request.instruction)]
        for scope, node in found:
            sure = value_type(scope, node) or _made(node, request.instruction)
            if pairs and isinstance(node.value, ast.Dict):
                yield from (_annotated(before, node, text) for text in pairs)
            for text in dict.fromkeys(_of_class(before, one, sure) for one in told) or filter(None, [sure]):
                yield _annotated(before, node, text)
                if re.search(r"\bNone\b|\bOptional\b", text) and _AT_FIRST.search(request.instruction):
                    yield _none_at_first(before, node, text)


def _made(node: ast.Assign, instruction: str) -> str:
    """What a call makes that is a class, or a well known maker of one; where a type is asked for in words."""
    if not isinstance(node.value, ast.Call) or not _ASKED.search(instruction):
        return ""
    owner, _, name = ast.unparse(node.value.func).rpartition(".")
    made = _MAKERS.get(name, name if re.fullmatch(r"[A-Z]\w*[a-z]\w*", name) else "")
    return ".".join(filter(None, (owner, made))) if made and "(" not in owner else ""


def _is_constant(node: ast.Assign) -> bool:
    return isinstance(node.targets[0], ast.Name) and node.targets[0].id.isupper()


def _final(before: Snippet) -> str:
    """Final as the region can say it."""
    for node in before.nodes:
        match node:
            case ast.Import(names=names):
                for alias in names:
                    if alias.name == "typing":
                        return f"{alias.asname or alias.name}.Final"
    return "Final"


def first_assignments(before: Snippet) -> Iterator[tuple[Scope, ast.Assign]]:
    """Each assignment that could carry the type of a variable or attribute, with its scope, in source order."""
    waiting: list[tuple[Scope, ast.AST]] = [(before.tree, one) for one in reversed(before.tree.body)]
    seen: set[tuple[int, str]] = set()
    while waiting:
        scope, node = waiting.pop()
        inner = node if isinstance(node, Function | ast.ClassDef) else scope
        if isinstance(node, Function):
            seen |= {(id(node), one.arg) for one in parameters(node)}
        if isinstance(node, ast.Global | ast.Nonlocal):
            seen |= {(id(scope), name) for name in node.names}
        waiting.extend((inner, child) for child in reversed(list(ast.iter_child_nodes(node))))
        for target in _targets(node):
            key = (id(scope), target)
            if key not in seen and isinstance(node, ast.Assign) and _fits(before, scope, node):
                yield scope, node
            seen.add(key)


def _targets(node: ast.AST) -> tuple[str, ...]:
    match node:
        case ast.Assign(targets=targets):
            return tuple(ast.unparse(one) for one in targets)
        case ast.AnnAssign(target=target) | ast.AugAssign(target=target):
            return (ast.unparse(target),)
        case ast.For(target=target) | ast.withitem(optional_vars=ast.expr() as target) | ast.NamedExpr(target=target):
            return tuple(one.id for one in ast.walk(target) if isinstance(one, ast.Name))
    return ()


def _fits(before: Snippet, scope: Scope, node: ast.Assign) -> bool:
    if isinstance(scope, ast.ClassDef) and any(
        "Enum" in ast.unparse(one) or "Flag" in ast.unparse(one) for one in scope.bases
    ):
        return False
    match node.targets:
        case [ast.Name(id=name)]:
            plain = not re.fullmatch(r"__\w+__|_", name)
        case [ast.Attribute(value=ast.Name(id="self" | "cls"))]:
            plain = isinstance(scope, Function)
        case _:
            return False
    return plain and stands_alone(before, node) and not node.type_comment


def _annotated(before: Snippet, node: ast.Assign, text: str) -> Occasion:
    at = end_of(before, node.targets[0])
    return Occasion(node.lineno - 1, ((at, at, f": {text}"),), _names(before, node), text)


def _none_at_first(before: Snippet, node: ast.Assign, text: str) -> Occasion:
    """Annotated, and None at first in the place of a value."""
    given = _annotated(before, node, text)
    change: Change = (start_of(before, node.value), end_of(before, node.value), "None")
    return Occasion(given.line, (*given.changes, change), given.names, f"{text} = None")


def _uncommented(before: Snippet, node: ast.Assign) -> Occasion | None:
    row, column = end_of(before, node)
    found = _COMMENT.match(before.lines[row], column)
    if not found or not _parses(found["type"]):
        return None
    at = end_of(before, node.targets[0])
    gone: Change = ((row, column), _end(before, row, found), "")
    return Occasion(node.lineno - 1, ((at, at, f": {modern(found['type'])}"), gone), _names(before, node), "comment")


def _end(before: Snippet, row: int, found: re.Match[str]) -> Position:
    return (row, found.start("rest") if found["rest"] else len(before.lines[row]))


def _parses(text: str) -> bool:
    try:
        node = parse(text, mode="eval").body
    except (SyntaxError, ValueError):
        return False
    return isinstance(node, ast.Name | ast.Attribute | ast.Subscript | ast.BinOp | ast.Constant)


def _names(before: Snippet, node: ast.Assign) -> tuple[str, ...]:
    target = text_of(before, node.targets[0])
    return tuple(dict.fromkeys([target, target.rpartition(".")[2]]))


def _unmarked(instruction: str) -> str:
    """The instruction without the placeholders of messages (`hint: "x: list[<type>] = ..."`)."""
    return re.sub(r"\(hint:.*|\S*<type>\S*|Need type annotation", "", instruction)


def _of_class(before: Snippet, told: str, sure: str) -> str:
    """A type told; ClassVar with that of the value, and that itself where only what it holds is told."""
    module, _, name = told.rpartition(".")
    if name in ("ClassVar", "Final") and sure:
        return f"{told if module in names_used(before.tree) else name}[{sure}]"
    return sure if f"[{told}]" in sure else told


def value_type(scope: Scope, node: ast.Assign) -> str:
    """The type that a value has for certain, with what is put in where that is known; "" for None and the unknown."""
    outer = type_of(node.value)
    if outer in ("list", "set", "dict", "tuple"):
        return _filled(scope, node, outer) or _returned(scope, node, outer)
    if outer == "" and isinstance(node.value, ast.Call):
        made = ast.unparse(node.value.func)
        return _returned(scope, node, made) if made.rpartition(".")[2][:1].isupper() else ""
    return outer if outer != "None" else ""


def _returned(scope: Scope, node: ast.Assign, outer: str) -> str:
    """What the function is annotated to return, where it returns the variable."""
    given = ast.unparse(scope.returns) if isinstance(scope, Function) and scope.returns else ""
    target = ast.unparse(node.targets[0])
    back = (one.value for one in ast.walk(scope) if isinstance(one, ast.Return) and one.value)
    values = [part for value in back for part in ([value.body] if isinstance(value, ast.IfExp) else [value])]
    returned = any(ast.unparse(value) == target for value in values)
    return given if returned and given.startswith(f"{outer}[") else ""


def _kind(scope: Scope, node: ast.expr) -> str:
    """The type of an element: for certain, as a parameter is annotated, or the class that makes it."""
    match node:
        case ast.Name(id=name) if isinstance(scope, Function):
            hints = [one.annotation for one in parameters(scope) if one.arg == name and one.annotation]
            return ast.unparse(hints[0]) if hints else ""
        case ast.Call(func=ast.Name(id=name)) if re.fullmatch(r"[A-Z]\w*[a-z]\w*", name):
            return name
    return type_of(node)


def _filled(scope: Scope, node: ast.Assign, outer: str) -> str:
    match node.value:
        case ast.List(elts=elements) | ast.Set(elts=elements) if elements:
            return _of(outer, [_kind(scope, one) for one in elements])
        case ast.ListComp(elt=element) | ast.SetComp(elt=element):
            return _of(outer, [type_of(element)])
        case ast.Dict(keys=keys, values=values) if keys:
            return _pair([type_of(one) for one in keys], [type_of(one) for one in values])
        case ast.DictComp(key=key, value=value):
            return _pair([type_of(key)], [type_of(value)])
        case ast.Tuple(elts=elements) if 0 < len(elements) < 5:
            kinds = [type_of(one) for one in elements]
            return f"tuple[{', '.join(kinds)}]" if all(kinds) and not _vague(kinds) else ""
    return _of_uses(scope, ast.unparse(node.targets[0]), outer)


def _of(outer: str, kinds: list[str]) -> str:
    return f"{outer}[{kinds[0]}]" if len(set(kinds)) == 1 and kinds[0] and not _vague(kinds) else ""


def _pair(keys: list[str], values: list[str]) -> str:
    sure = len(set(keys)) == 1 and len(set(values)) == 1 and keys[0] and values[0] and not _vague([*keys, *values])
    return f"dict[{keys[0]}, {values[0]}]" if sure else ""


def _vague(kinds: list[str]) -> bool:
    """Whether one of the types would need types in brackets itself."""
    return any(one in ("list", "dict", "set", "tuple", "type") for one in kinds)


def _of_uses(scope: Scope, target: str, outer: str) -> str:
    put: list[str] = []
    pairs: list[tuple[str, str]] = []
    for node in ast.walk(scope):
        match node:
            case ast.Call(func=ast.Attribute(value=holder, attr=attr), args=[given]) if attr in _ADDING:
                if _ADDING[attr] == outer and ast.unparse(holder) == target:
                    put.append(_kind(scope, given))
            case ast.Assign(targets=[ast.Subscript(value=holder, slice=key)], value=given) if outer == "dict":
                if ast.unparse(holder) == target:
                    pairs.append((type_of(key), type_of(given)))
    if outer == "dict":
        return _pair([key for key, _ in pairs], [value for _, value in pairs]) if pairs else ""
    return _of(outer, put) if put else ""
