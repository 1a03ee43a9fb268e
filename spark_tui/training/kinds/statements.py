"""Statements of a snippet: where they stand, how people refer to them, and how text is put in their place."""

import ast
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from random import Random

from spark_tui.editing import code
from spark_tui.editing.code import Function, indentation
from spark_tui.editing.snippet import Snippet

SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
COMPOUND = (ast.If, ast.For, ast.AsyncFor, ast.While, ast.With, ast.AsyncWith, ast.Try, ast.TryStar, ast.Match, *SCOPES)


@dataclass(frozen=True, slots=True)
class Place:
    """A statement that has its lines to itself. `first` and `last` are 0-based; decorators count."""

    node: ast.stmt
    block: Sequence[ast.stmt]
    index: int
    function: Function | None
    in_loop: bool
    first: int
    last: int
    indent: str


def places(snippet: Snippet) -> list[Place]:
    """Every statement that shares no line with another one, in source order."""
    return [place for place in _walk(snippet, snippet.tree.body, None, False) if _alone(snippet, place)]


def _walk(snippet: Snippet, block: Sequence[ast.stmt], function: Function | None, loop: bool) -> Iterator[Place]:
    for index, node in enumerate(block):
        first, last = code.statement_lines(node)
        yield Place(node, block, index, function, loop, first, last, indentation(snippet.lines[first]))
        inner = function if not isinstance(node, SCOPES) else node if isinstance(node, Function) else None
        in_loop = isinstance(node, ast.For | ast.AsyncFor | ast.While) or (loop and not isinstance(node, SCOPES))
        for child in inner_blocks(node):
            yield from _walk(snippet, child, inner, in_loop)


def inner_blocks(node: ast.stmt) -> list[list[ast.stmt]]:
    """The statement lists directly within a statement."""
    found = [getattr(node, name) for name in ("body", "orelse", "finalbody") if getattr(node, name, None)]
    found += [handler.body for handler in getattr(node, "handlers", ())]
    return found + [case.body for case in getattr(node, "cases", ())]


def _alone(snippet: Snippet, place: Place) -> bool:
    elif_branch = isinstance(place.node, ast.If) and snippet.lines[place.first].lstrip().startswith("elif")
    return not elif_branch and code.stands_alone(snippet, place.node)


def has_tail(snippet: Snippet, place: Place) -> bool:
    """Whether a comment follows the statement on its last line."""
    return bool(snippet.lines[place.last][code.end_of(snippet, place.node)[1] :].strip())


def movable(node: ast.stmt) -> bool:
    """Whether the statement's lines can be moved sideways without changing a string in them."""
    return not any(
        isinstance(part, ast.JoinedStr | ast.Constant) and part.lineno != part.end_lineno for part in ast.walk(node)
    )


def top_of(snippet: Snippet, function: Function) -> tuple[int, str] | None:
    """Where a new first statement goes: after which 0-based line, and its indentation.

    That is after the docstring and the blank lines that follow it. None for stubs and one-liners.
    """
    rest = code.body_after_docstring(function)
    docstring = code.docstring_node(function)
    header = None if docstring else code.header(snippet, function)
    if not rest or is_stub(rest) or not (docstring or header):
        return None
    after = code.statement_lines(docstring)[1] if docstring else header.colon[0] if header else 0
    first = code.statement_lines(rest[0])[0]
    if first <= after or (docstring and not code.stands_alone(snippet, docstring)):
        return None
    while not snippet.lines[after + 1].strip():
        after += 1
    return after, indentation(snippet.lines[first])


def is_generator(function: Function) -> bool:
    """Whether the function yields."""
    return any(isinstance(node, ast.Yield | ast.YieldFrom) for node in code.walk_scope(function))


def argument_names(function: Function) -> tuple[str, ...]:
    """The names of the parameters, without self or cls."""
    return tuple(arg.arg for arg in code.parameters(function) if not code.is_receiver(function, arg))


def is_string(node: ast.stmt) -> bool:
    """Whether a statement is nothing but a constant, such as a docstring or `...`."""
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def is_stub(body: Sequence[ast.stmt]) -> bool:
    """Whether a body does nothing: pass, ... or raise NotImplementedError."""
    match body:
        case [ast.Pass()] | [ast.Expr(value=ast.Constant())]:
            return True
        case [ast.Raise(exc=ast.Name(id="NotImplementedError") | ast.Call(func=ast.Name(id="NotImplementedError")))]:
            return True
    return False


def dotted(node: ast.expr) -> str | None:
    """`a.b.c` for a chain of names, else None."""
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute) and (owner := dotted(node.value)):
        return f"{owner}.{node.attr}"
    return None


def names_of(place: Place) -> Iterator[tuple[str, str]]:
    """What a statement may be called: (sort, name) pairs."""
    node = place.node
    match node:
        case ast.Assign(targets=[target]) | ast.AnnAssign(target=target) if name := dotted(target):
            yield "assign", name
        case ast.AugAssign(target=target) if name := dotted(target):
            yield "update", name
        case ast.Return() | ast.Raise() | ast.Assert() | ast.If() | ast.Try():
            yield type(node).__name__.lower(), ""
        case ast.With() | ast.AsyncWith():
            yield "with", ""
        case ast.For() | ast.AsyncFor() | ast.While():
            yield "loop", ""
            yield "while" if isinstance(node, ast.While) else "for", ""
    for call in calls_of(node):
        if name := dotted(call.func):
            yield "call", name
            if "." in name:
                yield "call", name.rpartition(".")[2]


def calls_of(node: ast.stmt) -> Iterator[ast.Call]:
    """The calls in a statement, without those in its inner blocks."""
    parts: Iterable[ast.AST] = (node,)
    if isinstance(node, COMPOUND):
        parts = [child for child in ast.iter_child_nodes(node) if isinstance(child, ast.expr | ast.withitem)]
    for part in parts:
        yield from (call for call in ast.walk(part) if isinstance(call, ast.Call))


_SAYINGS = {
    "assign": "the assignment to {}|the line that sets {}|the line that assigns {}|where {} is set|the {} assignment"
    "|the line setting {}|the line where {} is assigned|the place where we set {}|where {} gets its value",
    "update": "the update of {}|the line that updates {}|where {} is updated|the {} update|the line changing {}",
    "call": "the call to {}|the {} call|the {}() call|the call of {}|the line that calls {}|where {} is called"
    "|the {}() line|the line calling {}|the invocation of {}|where we call {}",
    "return": "the return|the return statement|the return line|where it returns|the line that returns",
    "raise": "the raise|the raise statement|the raise line|the line that raises",
    "assert": "the assert|the assertion|the assert statement|the assert line",
    "if": "the if|the if statement|the if block|the if check",
    "try": "the try|the try block|the try statement|the try/except",
    "with": "the with|the with block|the with statement|the context manager",
    "loop": "the loop|the loop block",
    "for": "the for loop|the for|the for-loop",
    "while": "the while loop|the while|the while-loop",
}


def describe(
    snippet: Snippet, among: Sequence[Place], place: Place, rng: Random, *, verbatim: bool = True
) -> str | None:
    """A phrase that means this statement and no other of the snippet, or None.

    Args: verbatim: the statement itself, as it is written, may be the phrase.
    """
    owners: dict[tuple[str, str], list[Place]] = defaultdict(list)
    for other in among:
        for pair in set(names_of(other)):
            owners[pair].append(other)
    header = isinstance(place.node, COMPOUND) and not isinstance(place.node, ast.With | ast.AsyncWith)
    known = [n for n in dict.fromkeys(names_of(place)) if len(owners[n]) == 1 and not (header and n[0] == "call")]
    text = snippet.lines[place.first].strip()
    if verbatim and place.first == place.last and len(text) <= 50 and (not known or rng.random() < 0.2):
        same = [line for line in snippet.lines if line.strip() == text]
        return rng.choice(("{}", "`{}`", "the line {}", "the line `{}`")).format(text) if len(same) == 1 else None
    if not known:
        return None
    sort, name = rng.choice(known)
    return rng.choice(_SAYINGS[sort].split("|")).replace("{}", _quoted(name, rng))


def _quoted(name: str, rng: Random) -> str:
    return f"`{name}`" if rng.random() < 0.15 else name


def spliced(snippet: Snippet, changes: Iterable[tuple[ast.expr, str]]) -> list[str]:
    """The lines after each node's source became its text. Nodes must not overlap, nor lie within f-strings."""
    lines = list(snippet.lines)
    for node, text in sorted(changes, key=lambda change: (change[0].lineno, change[0].col_offset), reverse=True):
        lines = code.splice(lines, code.start_of(snippet, node), code.end_of(snippet, node), text)
    return lines


def outside_fstrings(tree: ast.AST) -> Iterator[ast.AST]:
    """Every node but those within f-strings, whose positions cannot be relied on."""
    waiting = [tree]
    while waiting:
        node = waiting.pop()
        yield node
        if not isinstance(node, ast.JoinedStr):
            waiting.extend(ast.iter_child_nodes(node))


def quote(snippet: Snippet, text: str) -> str:
    """A string literal with the quotes the snippet uses more; double ones when it uses none."""
    joined = "\n".join(snippet.lines)
    mark = "'" if joined.count("'") > joined.count('"') else '"'
    mark = {"'": '"', '"': "'"}[mark] if mark in text else mark
    return f"{mark}{text}{mark}"


@dataclass(frozen=True, slots=True)
class Subject:
    """What a check at the top of a function is about: a name, the function, and where the check goes."""

    name: str
    function: Function
    after: int
    indent: str


def subject(snippet: Snippet, rng: Random) -> Subject | None:
    """A parameter, or now and then an attribute of self, that a function could check first."""
    if not snippet.functions:
        return None
    function = rng.choice(snippet.functions)
    top = top_of(snippet, function)
    names = list(argument_names(function))
    if not names or rng.random() < 0.1:
        nodes = [node for node in code.walk_scope(function) if isinstance(node, ast.Attribute)]
        names = sorted({name for node in nodes if (name := dotted(node) or "").count(".") == 1 and "self." in name})
    if top is None or not names:
        return None
    return Subject(rng.choice(names), function, *top)
