"""An identifier renamed by scope: what others mean by the same name stays, and what passes it by name goes along."""

import ast
import re
from collections import Counter
from collections.abc import Iterator, Sequence

from spark_tui.editing.code import Function, parameters, position, walk_scope
from spark_tui.editing.identifiers import Use, names_in, substitute, uses
from spark_tui.editing.snippet import Snippet

Lines = list[str]
Parameter = tuple[str, str, str]
"""A function, or the class whose constructor it is, with the old name of a parameter and the new one."""


def rename(snippet: Snippet, old: str, new: str) -> Lines | None:
    """The lines with a name renamed: a local in its functions, an import by an alias, a method where it is called.

    Args: old: written `.name` where it is an attribute.
    Returns: None where the new name is used already, or the old one is not.
    """
    taken = {new, f".{new.removeprefix('.')}"} if old.startswith(".") else {new}
    names = names_in("\n".join(snippet.lines))
    if taken & names or (old not in names and f".{old}" not in names):
        return None
    try:
        lines = _by_scope(snippet, old, new)
        return _with_keywords(snippet, lines) if lines else None
    except (SyntaxError, ValueError, RecursionError):
        return substitute(snippet.lines, old, new)


def _by_scope(snippet: Snippet, old: str, new: str) -> Lines:
    """The lines without the calls that pass what is renamed; none where that cannot be said."""
    imports = [node for node in snippet.nodes if isinstance(node, ast.Import | ast.ImportFrom)]
    aliases = [one for node in imports for one in node.names if one.asname is None]
    if aliases := [one for one in aliases if one.name.partition(".")[0] == old]:
        return _as_alias(snippet, aliases, old, new)
    classes = [node for node in snippet.nodes if isinstance(node, ast.ClassDef)]
    if any(isinstance(one, Function) and one.name == old for node in classes for one in node.body):
        return _as_method(snippet, [node.name for node in classes], old, new)
    owners = _owners(snippet, old)
    inside = {id(node) for owner in owners for node in ast.walk(owner)}
    outside = [node for node in snippet.nodes if id(node) not in inside]
    if not owners or any(_binds(node, old) for node in outside):
        return substitute(snippet.lines, old, new)
    return _put(snippet, [use for owner in owners for use in _inside(snippet, owner) if use.name == old], old, new)


def _put(snippet: Snippet, found: Sequence[Use], old: str, new: str) -> Lines:
    """The lines with other text at some uses of a name."""
    text = "\n".join(snippet.lines)
    for use in sorted({*found}, key=lambda use: -use.start):
        at = text.index(old, use.start)
        text = text[:at] + new + text[at + len(old) :]
    return text.split("\n")


def _as_alias(snippet: Snippet, aliases: Sequence[ast.alias], old: str, new: str) -> Lines:
    """What is imported is called otherwise here: `import json as js`; nothing for a part of a package."""
    if any("." in one.name for one in aliases):
        return []
    lines = _put(snippet, [use for use in uses("\n".join(snippet.lines)) if use.name == old], old, new)
    for one in aliases:
        row, column = position(snippet, one.lineno, one.col_offset)
        before = snippet.lines[row][:column]
        column += (len(new) - len(old)) * len(re.findall(rf"\b{re.escape(old)}\b", before))
        lines[row] = f"{lines[row][:column]}{old} as {lines[row][column:]}"
    return lines


def _as_method(snippet: Snippet, classes: Sequence[str], old: str, new: str) -> Lines:
    """A method renamed where a class defines it and where its own objects call it; nothing where they do not."""
    text = "\n".join(snippet.lines)
    owned = re.compile(rf"\b(?:self|cls|super\(\)|{'|'.join(map(re.escape, classes))})\.$")
    every = list(uses(text))
    called = [use for use in every if use.name == f".{old}" and owned.search(text[: text.index(old, use.start)])]
    heads = [use for use in every if use.name == old and re.search(r"\bdef\s+$", text[: use.start])]
    if not called or not heads or any(use.name == f".{new}" for use in every):
        return []
    return _put(snippet, [*called, *heads], old, new)


def _owners(snippet: Snippet, name: str) -> list[Function]:
    """The functions whose own a name is, none that is in another one of them."""
    own = [one for one in snippet.functions if _is_own(one, name)]
    return [one for one in own if not any(one in ast.walk(other) for other in own if other is not one)]


def _is_own(function: Function, name: str) -> bool:
    """Whether a function sets a name for itself, and its head says it as a parameter at most."""
    nodes = list(walk_scope(function))
    if any(name in node.names for node in nodes if isinstance(node, ast.Global | ast.Nonlocal)):
        return False
    spec = function.args
    hints = [one.annotation for one in parameters(function)]
    head = [*spec.defaults, *spec.kw_defaults, *hints, function.returns, *function.decorator_list]
    if any(isinstance(node, ast.Name) and node.id == name for one in head if one for node in ast.walk(one)):
        return False
    return any(_binds(node, name) for node in nodes) or name in [one.arg for one in parameters(function)]


def _binds(node: ast.AST, name: str) -> bool:
    match node:
        case ast.Name(id=bound, ctx=ast.Store()) | ast.ExceptHandler(name=bound) | ast.alias(asname=bound):
            return bound == name
        case ast.FunctionDef(name=bound) | ast.AsyncFunctionDef(name=bound) | ast.ClassDef(name=bound):
            return bound == name
        case ast.MatchAs(name=bound) | ast.MatchStar(name=bound) | ast.MatchMapping(rest=bound):
            return bound == name
    return False


def _inside(snippet: Snippet, function: Function) -> Iterator[Use]:
    """The names that stand in a function, its own not counted."""
    text = "\n".join(snippet.lines)
    starts = [0]
    for line in snippet.lines:
        starts.append(starts[-1] + len(line) + 1)
    first, last = starts[function.lineno - 1], starts[function.end_lineno or function.lineno]
    own = text.index(function.name, text.index("def", first) + 3)
    return (use for use in uses(text) if first <= use.start < last and use.start != own)


def _with_keywords(snippet: Snippet, lines: Lines) -> Lines:
    """A renaming that takes along the calls in the region which pass by name what it renames."""
    after = Snippet(tuple(lines))
    new = {(function, old): name for function, old, name in renamed_parameters(snippet.tree, after.tree)}
    spots = list(passed_by_name(after.tree, [*new]))
    for function, argument in sorted(spots, key=lambda spot: (spot[1].lineno, spot[1].col_offset), reverse=True):
        row, column = position(after, argument.lineno, argument.col_offset)
        old = argument.arg or ""
        lines[row] = lines[row][:column] + new[function, old] + lines[row][column + len(old) :]
    return lines


def renamed_parameters(before: ast.AST, after: ast.AST) -> Iterator[Parameter]:
    """The parameters that are called otherwise, of functions that keep name and number of these."""
    had, has = (list(_functions(tree)) for tree in (before, after))
    counts = Counter(name for name, _ in had)
    for (name, old), (same, new) in zip(had, has, strict=False):
        pairs = list(zip(parameters(old), parameters(new), strict=False))
        if name == same and counts[name] == 1 and len(parameters(old)) == len(parameters(new)):
            yield from ((name, one.arg, other.arg) for one, other in pairs if one.arg != other.arg)


def passed_by_name(tree: ast.AST, known: Sequence[tuple[str, str]]) -> Iterator[tuple[str, ast.keyword]]:
    """Where calls pass by name what is a parameter of functions told. Args: known: functions and parameters."""
    for node in ast.walk(tree):
        called = _called(node)
        for argument in node.keywords if isinstance(node, ast.Call) and called else ():
            if (called, argument.arg) in known:
                yield called, argument


def _functions(tree: ast.AST) -> Iterator[tuple[str, Function]]:
    """The functions with the names by which they are called."""
    own = {id(one): node.name for node in ast.walk(tree) if isinstance(node, ast.ClassDef) for one in node.body}
    for node in ast.walk(tree):
        if isinstance(node, Function):
            yield (own[id(node)] if node.name == "__init__" and id(node) in own else node.name), node


def _called(call: ast.AST) -> str:
    """What a call calls, where that can be told: by its name, of this object, or put off by `partial`."""
    match call:
        case ast.Call(func=ast.Name(id="partial") | ast.Attribute(attr="partial"), args=[ast.Name(id=name), *_]):
            return name
        case ast.Call(func=ast.Name(id=name) | ast.Attribute(value=ast.Name(id="self" | "cls"), attr=name)):
            return name
    return ""
