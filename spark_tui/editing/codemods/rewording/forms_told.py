"""Another form of an expression that is told by its name: a tuple for a list, one arm for a choice, no parentheses."""

import ast
import re
from collections.abc import Iterator, Sequence

from spark_tui.editing.code import Position, end_of, splice, start_of, text_of
from spark_tui.editing.codemods.base import Ops, Request, between
from spark_tui.editing.codemods.bugs.call_changes import WRAPPERS
from spark_tui.editing.codemods.bugs.slips import Spot, spots
from spark_tui.editing.codemods.common.expression_places import all_or_each, places_meant
from spark_tui.editing.codemods.rewording.collections_changed import filled_anew
from spark_tui.editing.snippet import Snippet

_BRACKETS = {"list": "[]", "tuple": "()", "set": "{}"}
_SHAPES = {"list": ast.List, "tuple": ast.Tuple, "set": ast.Set}
_SHAPE = re.compile(
    r"(?:\b(?:as|be|make (?:it|that|them|\w+)|into|empty|use|real|plain|with|want|in)"
    r"(?: an?| the)*(?: empty| plain| real)?"
    r"|\b(?:an?)(?: empty| plain)?|->|:|^) (?P<one>list|tuple|set)\b(?! (?:of|copy|compreh|\w+\())"
    r"|^(?P<two>list|tuple|set)\b(?= instead|$|,)"
    r"|\b(?P<three>list|tuple|set)s?(?=,? (?:instead of|not|rather than) (?:an? )?(?:lists?|tuples?|sets?|\[|\()"
    r"| it is\b| will do\b| would do\b)|^\W?\w+\W? (?P<four>tuple|list|set)$"
)
_CALLED = re.compile(r"(?<!\bnot)(?<!\band)(?<!\bor)(?<!\bif)(?<!\bin)(?<!\breturn)(?<=[\w\])])$")
_ALWAYS = re.compile(
    r"\b(?:always|unconditional\w*|no matter|in (?:any|every|both) cases?|everything|them all|just once)\b",
    re.IGNORECASE,
)
_PARENTHESES = re.compile(r"\bparens?\b|\bparenthes[ei]s\b|\bbrackets\b", re.IGNORECASE)
_NEEDLESS = re.compile(
    r"\b(?:no|not|n't|nt|drop|lose|without|out|remove|rm|needless|redundant|superfluous|useless|unn\w+|extra|delete|cut)\b"
    r"|n't\b|dosent\b|\b(?:are|is|do|does)nt\b|\bpointless|\bcan (?:go|be (?:dropped|removed|left out))\b|\bgo away\b",
    re.IGNORECASE,
)
_BARE = re.compile(r"\bbare (?P<one>[\w.]+)\(\)|(?P<two>[\w.]+)\(\) (?:alone|without|on its own|needs no|takes no)")
_ONE_CALL = re.compile(r"\btuple\b|\bone call|\bonce\b|PIE810|\bsingle\b|\bcollapse|\bmerge", re.IGNORECASE)
_UNION = re.compile(r"UP038|X \| Y|\bunion\b|\bpipe\b|with \|", re.IGNORECASE)
_CONVERSIONS = "|".join(sorted(WRAPPERS))
_USELESS = re.compile(
    rf"\b(?P<name>{_CONVERSIONS})\b.{{0,40}}?(?:do(?:es)? nothing|are (?:needless|useless)"
    r"|is (?:needless|useless|redundant)|not needed|isn't needed|aren't needed|no need|can go|both of them out|all out)"
    rf"|\bno need for(?: the)? (?P<other>{_CONVERSIONS})\b"
)


def forms_told(before: Snippet, request: Request) -> Iterator[Ops]:
    """The edits that give an expression the form that is told."""
    for lines in (
        *_shaped(before, request),
        *_settled(before, request),
        *_unparenthesized(before, request),
        *_bare(before, request),
        *_one_call(before, request),
        *_united(before, request),
        *_unwrapped(before, request),
    ):
        yield between(before, lines)


Change = tuple[ast.expr, Position, Position, str]


def _each(before: Snippet, request: Request, changes: Sequence[Change]) -> Iterator[list[str]]:
    """The lines after changes: each alone, those meant first, and together."""
    by_node = {id(change[0]): change for change in changes}
    for group in all_or_each(places_meant(before, request, [one[0] for one in changes]), request.instruction):
        lines = list(before.lines)
        for _, start, end, text in sorted((by_node[id(one)] for one in group), key=lambda one: one[1], reverse=True):
            lines = splice(lines, start, end, text)
        yield lines


def _shaped(before: Snippet, request: Request) -> Iterator[list[str]]:
    """A display with other brackets."""
    shapes = dict.fromkeys(next(filter(None, match.groups())) for match in _SHAPE.finditer(request.instruction))
    for shape in reversed(shapes):
        yield from _with_brackets(before, request, shape)


def _with_brackets(before: Snippet, request: Request, shape: str) -> Iterator[list[str]]:
    found = [
        spot.node
        for spot in spots(before.tree)
        if isinstance(spot.node, ast.List | ast.Tuple | ast.Set) and not isinstance(spot.node, _SHAPES[shape])
        if isinstance(getattr(spot.node, "ctx", None) or ast.Load(), ast.Load) and not _must_stay(before, spot)
    ]
    nodes = [one for one in places_meant(before, request, found) if _reshapes(before, one, shape)]
    for group in all_or_each(nodes, request.instruction) if nodes else ():
        lines = list(before.lines)
        for node in sorted(group, key=lambda one: (one.lineno, one.col_offset), reverse=True):
            lines = _reshaped(before, lines, node, shape)
        yield lines
    yield from filled_anew(before, shape)


def _reshapes(before: Snippet, node: ast.List | ast.Tuple | ast.Set, shape: str) -> bool:
    """Whether a display has brackets, and may get those of another shape."""
    (row, start), (end_row, end) = start_of(before, node), end_of(before, node)
    brackets = before.lines[row][start] + before.lines[end_row][end - 1]
    return brackets in _BRACKETS.values() and not (shape == "set" and not node.elts)


def _reshaped(before: Snippet, lines: Sequence[str], node: ast.List | ast.Tuple | ast.Set, shape: str) -> list[str]:
    start, (end_row, end) = start_of(before, node), end_of(before, node)
    alone = shape == "tuple" and len(node.elts) == 1 and start[0] == end_row
    lines = splice(lines, (end_row, end - 1), (end_row, end), ("," if alone else "") + _BRACKETS[shape][1])
    return splice(lines, start, (start[0], start[1] + 1), _BRACKETS[shape][0])


def _must_stay(before: Snippet, spot: Spot) -> bool:
    """Whether a display stands where another one would not do: the types of an `isinstance`, a part of a sum."""
    match spot.parent:
        case ast.Call(func=func):
            return text_of(before, func) in ("isinstance", "issubclass")
        case ast.BinOp() | ast.ListComp() | ast.GeneratorExp() | ast.Subscript():
            return True
    return False


def _settled(before: Snippet, request: Request) -> Iterator[list[str]]:
    """A conditional expression that becomes the arm that is said, else either of them."""
    if not _ALWAYS.search(request.instruction):
        return
    changes = []
    for node in before.nodes:
        if isinstance(node, ast.IfExp) and text_of(before, node):
            said = [one for one in (node.body, node.orelse) if _says(request.instruction, one)]
            arms = said if len(said) == 1 else [node.body, node.orelse]
            changes += [(node, start_of(before, node), end_of(before, node), text_of(before, one)) for one in arms]
    for change in changes[:4]:
        yield from _each(before, request, [change])


def _says(instruction: str, node: ast.expr) -> bool:
    names = {getattr(one, "id", getattr(one, "attr", "")) for one in ast.walk(node)} - {""}
    return bool(names & set(re.findall(r"\w+", instruction)))


def _unparenthesized(before: Snippet, request: Request) -> Iterator[list[str]]:
    """An expression without the parentheses around it, or a class that is raised without a call."""
    if not (_PARENTHESES.search(request.instruction) and _NEEDLESS.search(request.instruction)):
        return
    changes: list[Change] = []
    for node in before.nodes:
        match node:
            case ast.Raise(exc=ast.Call(func=func, args=[], keywords=[]) as call) if text_of(before, call):
                changes.append((call, start_of(before, call), end_of(before, call), text_of(before, func)))
            case ast.Tuple(elts=[_, *_]) if (source := text_of(before, node)).startswith("("):
                changes.append((node, start_of(before, node), end_of(before, node), source[1:-1].rstrip(", ")))
            case ast.expr() if (text := text_of(before, node)) and not isinstance(node, ast.Tuple):
                (row, start), (_, end) = start_of(before, node), end_of(before, node)
                line = before.lines[row]
                around = start and line[start - 1 : start] == "(" and line[end : end + 1] == ")"
                if around and not _CALLED.search(line[: start - 1]):
                    changes.append((node, (row, start - 1), (row, end + 1), text))
    for lines in _each(before, request, changes):
        if _same(before, lines):
            yield lines


def _same(before: Snippet, lines: Sequence[str]) -> bool:
    """Whether lines mean the same, but for calls without arguments."""
    try:
        after = ast.dump(Snippet(tuple(lines)).tree)
    except SyntaxError:
        return False
    return after == ast.dump(before.tree) or any("raise" in one for one in set(lines) - set(before.lines))


def _bare(before: Snippet, request: Request) -> Iterator[list[str]]:
    """Calls of a function that is told to go without arguments."""
    match = _BARE.search(request.instruction)
    if match is None:
        return
    name = (match["one"] or match["two"]).rpartition(".")[2]
    changes = [
        (node, start_of(before, node), end_of(before, node), f"{text_of(before, node.func)}()")
        for node in before.nodes
        if isinstance(node, ast.Call) and node.args and text_of(before, node.func).rpartition(".")[2] == name
    ]
    empty = [one for one in changes if getattr(one[0].args[0], "value", None) == ""]
    yield from sorted(_each(before, request, empty or changes), key=lambda lines: len(set(before.lines) & set(lines)))


def _one_call(before: Snippet, request: Request) -> Iterator[list[str]]:
    """Tests of one text for several beginnings or ends, or of one value for several types, as one call."""
    if not _ONE_CALL.search(request.instruction):
        return
    for node in before.nodes:
        if not isinstance(node, ast.BoolOp) or not text_of(before, node):
            continue
        calls = [one for one in node.values if isinstance(one, ast.Call) and not one.keywords and one.args]
        if len(calls) != len(node.values):
            continue
        heads = {(text_of(before, one.func), *(text_of(before, arg) for arg in one.args[:-1])) for one in calls}
        name = next(iter(heads))[0].rpartition(".")[2]
        if len(heads) == 1 and name in ("startswith", "endswith", "isinstance", "issubclass"):
            function, *rest = next(iter(heads))
            told = ", ".join(text_of(before, one.args[-1]) for one in calls)
            text = f"{function}({', '.join([*rest, f'({told})'])})"
            yield splice(before.lines, start_of(before, node), end_of(before, node), text)


def _united(before: Snippet, request: Request) -> Iterator[list[str]]:
    """The types of an `isinstance` joined by `|`."""
    if not _UNION.search(request.instruction):
        return
    changes: list[Change] = []
    for node in before.nodes:
        match node:
            case ast.Call(func=ast.Name(id="isinstance" | "issubclass"), args=[_, ast.Tuple(elts=[_, *_]) as types]):
                text = " | ".join(text_of(before, one) for one in types.elts)
                changes.append((node, start_of(before, types), end_of(before, types), text))
    yield from _each(before, request, changes)


def _unwrapped(before: Snippet, request: Request) -> Iterator[list[str]]:
    """The calls of a conversion that does nothing taken off, where there is more than one."""
    match = _USELESS.search(request.instruction)
    name = next((one for one in match.groups() if one), "") if match else ""
    calls = [
        node
        for node in before.nodes
        if isinstance(node, ast.Call) and text_of(before, node) and len(node.args) == 1 and not node.keywords
        if isinstance(node.func, ast.Name) and node.func.id == name and name in WRAPPERS
    ]
    inner = [one for one in calls if not any(one is not other and one in ast.walk(other) for other in calls)]
    for found in (inner, [one for one in calls if one not in inner]):
        if len(found) > 1:
            lines = list(before.lines)
            for node in sorted(found, key=lambda one: (one.lineno, one.col_offset), reverse=True):
                lines = splice(lines, start_of(before, node), end_of(before, node), text_of(before, node.args[0]))
            yield lines
