"""An expression that stands there more than once and gets a name: one told, one of its own, one it is assigned to."""

import ast
import re
from collections.abc import Iterator, Sequence
from itertools import product

from spark_tui.editing.code import MAX_WIDTH, Function, text_of
from spark_tui.editing.codemods.base import Request, parses
from spark_tui.editing.codemods.statements.binding_spots import Spot, binding_spots, stays
from spark_tui.editing.codemods.statements.names_derived import names_derived
from spark_tui.editing.snippet import Snippet
from spark_tui.editing.statements import outside_fstrings, spliced
from spark_tui.editing.told import names_used, says

_ASKED = re.compile(
    r"\b(?:locals?|variables?|vars?|bind|bound|once|twice|(?:\d|two|three|four|five|several|many|multiple) times"
    r"|over and over|all over|repeat\w*|(?:each|every) time|again|pull|extract|hoist\w*|cach(?:e|ed|ing)"
    r"|(?:re)?comput\w+|calculat\w+|re-?us(?:e|ed)|DRY|duplicat\w+|factor|alias"
    r"|look(?:s|ed)? ?up|look-?ups?|own name)\b",
    re.IGNORECASE,
)
_NAMED = re.compile(
    r"\b(?:called|named|into|in|as|call (?:it|that|this)|name (?:it|that)|like|(?:locals?|variables?|vars?),?) "
    r"(?:an? |the |own )*(?:local |variable |var |name |called |named )*[`'\"]?(?P<name>[^\W\d]\w*)\b(?!\()"
)
_OBJECT = re.compile(
    r"\b(?:comput|build|calculat|strip|get|fetch|keep|pull|take|bind|stor|cach|sav|hoist|read|mak|put|pars|format|look|creat)"
    r"\w*(?: up| out)? (?:the|this|that) (?P<name>[a-z]\w*)\b"
)
_NO_NAMES = frozenset(
    """
    a an the it this that them one front place variable var local locals name own both all each every loop if
    for in case cases function method class top here there again once twice first same of call calls
    expression value result whole line lines test else two three well branch branches is and or not none
    """.split()  # noqa: SIM905 - one word a line would be longer
)
_TAKEN = (ast.Attribute, ast.Subscript, ast.Call, ast.BinOp, ast.Compare, ast.BoolOp, ast.UnaryOp, ast.JoinedStr)
_WRAPPED = (ast.BinOp, ast.BoolOp, ast.Compare)
_MOST, _MOST_NAMES = 3, 3


def bound_repeats(before: Snippet, request: Request) -> Iterator[list[str]]:
    """The lines after an expression that stands there more than once got a name above the first of its places."""
    if not _ASKED.search(request.instruction):
        return
    taken = names_used(before)
    found = [one for function in before.functions or (None,) for one in _repeats(before, function, request)]
    for _, source, nodes in sorted(found, key=lambda one: -one[0])[:_MOST]:
        words = request.instruction.replace(source, " ")
        told = [name for name in names_asked(words) if name not in taken]
        derived = [name for name in names_derived(nodes[0]) if name not in taken]
        names = list(dict.fromkeys([*told, *derived]))[:_MOST_NAMES]
        for group in _groups(before, nodes):
            spots = binding_spots(before, group)
            made = [*_by_assignment(before, source, group, spots), *_named(before, source, group, spots, names)]
            yield from (lines for lines in made if parses(lines))


def _named(
    before: Snippet, source: str, nodes: Sequence[ast.expr], spots: Sequence[Spot], names: Sequence[str]
) -> Iterator[list[str]]:
    """The first name at each of the spots, the others at the likeliest one."""
    for name, at in [*((name, at) for name in names for at in spots[:1]), *product(names[:1], spots[1:])]:
        bare = spliced(before, [(node, name) for node in nodes])
        lines = without_parentheses(bare, name) if isinstance(nodes[0], _WRAPPED) else bare
        lines = [*lines[: at[0]], f"{at[1]}{name} = {source}", *lines[at[0] :]]
        if max(map(len, lines)) <= max(MAX_WIDTH, *map(len, before.lines)):
            yield lines


def names_asked(words: str) -> Iterator[str]:
    """The names that the words give to something new."""
    for pattern in (_NAMED, _OBJECT):
        for match in pattern.finditer(words):
            if match["name"].lower() not in _NO_NAMES and match["name"].isidentifier():
                yield match["name"]


def _repeats(
    before: Snippet, function: Function | None, request: Request
) -> Iterator[tuple[float, str, list[ast.expr]]]:
    """How likely an expression is meant, its source, and where it is, for each that is there more than once."""
    groups: dict[str, list[ast.expr]] = {}
    body = function.body if function else before.tree.body
    nodes = [node for statement in body for node in outside_fstrings(statement)]
    called = {id(node.func) for node in nodes if isinstance(node, ast.Call)}
    for node in nodes:
        load = isinstance(getattr(node, "ctx", ast.Load()), ast.Load)
        if isinstance(node, _TAKEN) and load and id(node) not in called and (source := text_of(before, node)):
            groups.setdefault(source, []).append(node)
    many = {source: found for source, found in groups.items() if len(found) > 1}
    first, last = request.selected or (0, len(before.lines))
    for source, found in many.items():
        inside = any(first <= node.lineno - 1 <= last for node in found)
        wider = any(source in other and len(many[other]) >= len(found) for other in many if other != source)
        if inside and (says(request.instruction, source) or not wider) and stays(nodes, found):
            yield _score(request.instruction, source, found), source, found


def _score(words: str, source: str, nodes: Sequence[ast.expr]) -> float:
    said = {word.lower() for word in re.findall(r"[^\W\d_]{3,}", words)}
    shared = len({word.lower() for word in re.findall(r"[^\W\d_]{3,}", source)} & said)
    end = source.removeprefix("self.")
    return 5 * says(words, source) + 4 * (end in words) + 2 * shared + len(nodes) / 2 + len(source) / 100


def _groups(before: Snippet, nodes: Sequence[ast.expr]) -> Iterator[list[ast.expr]]:
    """All places, and those in the innermost block that has several."""
    yield list(nodes)
    blocks = [
        block
        for owner in before.nodes
        if isinstance(owner, ast.stmt | ast.match_case | ast.ExceptHandler)
        for name in ("body", "orelse")
        if isinstance(block := getattr(owner, name, None), list) and block
    ]
    parts = [
        [node for node in nodes if block[0].lineno <= node.lineno <= (block[-1].end_lineno or 0)] for block in blocks
    ]
    inner = [part for part in parts if 1 < len(part) < len(nodes)]
    if inner:
        yield min(inner, key=len)


def _by_assignment(
    before: Snippet, source: str, nodes: Sequence[ast.expr], spots: Sequence[Spot]
) -> Iterator[list[str]]:
    """Where one of the places is all that is assigned to a variable: that assignment, above the others."""
    values = {id(node) for node in nodes}
    for one in before.nodes:
        match one:
            case ast.Assign(targets=[ast.Name(id=name)], value=value) if id(value) in values:
                others = [node for node in nodes if node is not value]
                lines = spliced(before, [(node, name) for node in others])
                del lines[one.lineno - 1 : one.end_lineno]
                for row, indent in spots[:2]:
                    if row < one.lineno:
                        yield [*lines[:row], f"{indent}{name} = {source}", *lines[row:]]


def without_parentheses(lines: Sequence[str], name: str) -> list[str]:
    """`(name)` as `name` where the parentheses are no call's."""
    lone = re.compile(rf"(?<![\w)\]])\({name}\)")
    return [lone.sub(name, line) for line in lines]
