"""An expression of several statements that gets a name once, before the first of them or the loop around them."""

import ast
import re
from collections.abc import Iterator, Sequence

from spark_tui.editing.code import MAX_WIDTH, end_of, start_of, text_of
from spark_tui.editing.codemods.base import Request
from spark_tui.editing.codemods.renaming.renaming_alone import asked
from spark_tui.editing.codemods.statements.binding_spots import stays
from spark_tui.editing.snippet import Snippet
from spark_tui.editing.statements import Place, dotted, outside_fstrings, places, spliced
from spark_tui.editing.told import names_told, names_used, says

_ASKED = re.compile(
    r"\blocals?\b|\bvariable\b|\bbind\b|\bonce\b|\btwice\b|\bthree times\b|\ball over\b|\brepeat\w*"
    r"|\bover and over\b|\bboth\b"
    r"|\beach time\b|\bevery time\b|\b(?:a|own) name\b|\bname (?:it|for|of its own)\b|\bpull\b"
    r"|\bextract\b|\bspelled out\b|\bagain\b",
    re.IGNORECASE,
)
_OUTSIDE = re.compile(
    r"\bonce\b|\b(?:before|above|outside|out of) (?:the |this |that )?(?:loop|for|while)\b", re.IGNORECASE
)
_MANY = re.compile(
    r"\bonce\b|\btwice\b|\ball over\b|\brepeat|\bagain\b|\b(?:each|every) time\b|\bover and over\b|\bboth\b"
)
_TAKEN = (ast.Attribute, ast.Subscript, ast.Call, ast.BinOp, ast.Compare, ast.BoolOp, ast.Constant, ast.Tuple, ast.List)
_LOOPS = (ast.For, ast.AsyncFor, ast.While)
_WORD = re.compile(r"[^\W\d_]{3,}")
_MOST = 3


def is_of_several(instruction: str) -> bool:
    """Whether the words say that something is there more than once."""
    return _MANY.search(instruction) is not None


def bound_once(before: Snippet, request: Request) -> Iterator[list[str]]:
    """The lines after an expression that the words speak of, or that is there more than once, was given a name."""
    words = asked(request.instruction)
    if not _ASKED.search(words):
        return
    taken = names_used(before)
    found = sorted(_candidates(before, request), key=lambda one: -one[0])
    for _, source, nodes in found[:_MOST]:
        last = source.split("(")[0].rstrip("])'\"").rpartition(".")[2].strip("_").rpartition("[")[2].strip("'\"_")
        fallback = [last] if last.isidentifier() and last not in taken else []
        names = [
            name for name in names_told(words.replace(source, " "), taken, fallback) if name not in source.split(".")
        ]
        for name in [*names[:1], *fallback][:1] if not names else names[:2]:
            yield from _bound(before, request, source, nodes, name)


def _candidates(before: Snippet, request: Request) -> Iterator[tuple[float, str, list[ast.expr]]]:
    """How likely an expression is meant, its source, and where it is."""
    words = request.instruction
    said = {word.lower() for word in _WORD.findall(words)}
    first, last = request.selected or (0, len(before.lines))
    for scope in before.functions or (before.tree,):
        groups: dict[str, list[ast.expr]] = {}
        stored: set[str] = set()
        inner = list(outside_fstrings(scope))
        called = {id(node.func) for node in inner if isinstance(node, ast.Call)}
        for node in inner:
            if isinstance(node, _TAKEN) and id(node) not in called and (source := text_of(before, node)):
                groups.setdefault(source, []).append(node)
                if not isinstance(getattr(node, "ctx", ast.Load()), ast.Load):
                    stored.add(source)
        for source, nodes in groups.items():
            inside = any(first <= node.lineno - 1 <= last for node in nodes)
            told = says(words, source) and (len(source) > 1 or not source.isalpha())
            plain = isinstance(nodes[0], ast.Constant)
            if source in stored or not inside or (plain and not told) or not stays(inner, nodes):
                continue
            shared = len({word.lower() for word in _WORD.findall(source)} & said)
            if told or (len(nodes) > 1 and not plain) or (shared and dotted(nodes[0])):
                score = 5 * told + 2 * shared + len(nodes) / 2 + len(source) / 100
                yield score - (isinstance(nodes[0], ast.Call) and not nodes[0].args) / 2, source, nodes


def _bound(before: Snippet, request: Request, source: str, nodes: Sequence[ast.expr], name: str) -> Iterator[list[str]]:
    around = [place for place in places(before) if place.first < min(node.lineno for node in nodes)]
    around = [place for place in around if max(node.end_lineno or node.lineno for node in nodes) - 1 <= place.last]
    inner = [place for place in places(before) if any(place.first <= node.lineno - 1 <= place.last for node in nodes)]
    block = [
        place for place in inner if around and place.block in _blocks(around[-1]) and _holds_all(place.block, nodes)
    ]
    spots = block[:1] or around[-1:]
    read = {node.id for node in ast.walk(nodes[0]) if isinstance(node, ast.Name)}
    loops = [place for place in around if isinstance(place.node, _LOOPS) and place is not spots[0]] if spots else []
    for loop in reversed(loops):
        stored = {one.id for one in ast.walk(loop.node) if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store)}
        if read & stored:
            break
        spots = [loop, *spots] if _OUTSIDE.search(request.instruction) else [*spots, loop]
    for spot in spots:
        lines = _with(before, spot, source, nodes, name)
        if max(map(len, lines)) <= max(MAX_WIDTH, *map(len, before.lines)):
            yield lines


def _blocks(place: Place) -> list[list[ast.stmt]]:
    found = [getattr(place.node, name, None) for name in ("body", "orelse", "finalbody")]
    return [block for block in found if block]


def _holds_all(block: Sequence[ast.stmt], nodes: Sequence[ast.expr]) -> bool:
    first, last = block[0].lineno, block[-1].end_lineno or 0
    return all(first <= node.lineno <= last for node in nodes)


def _with(before: Snippet, spot: Place, source: str, nodes: Sequence[ast.expr], name: str) -> list[str]:
    outer = [node for node in nodes if not _within_another(before, node, nodes)]
    lines = spliced(before, [(node, name) for node in outer])
    if dotted(nodes[0]):
        pattern = re.compile(rf"(?<={{){re.escape(source)}(?![\w(])")
        lines = [pattern.sub(name, line) if re.search(r"\bf[\"']", line) else line for line in lines]
    return [*lines[: spot.first], f"{spot.indent}{name} = {source}", *lines[spot.first :]]


def _within_another(before: Snippet, node: ast.expr, nodes: Sequence[ast.expr]) -> bool:
    place = start_of(before, node), end_of(before, node)
    return any(
        other is not node and start_of(before, other) <= place[0] and place[1] <= end_of(before, other)
        for other in nodes
    )
