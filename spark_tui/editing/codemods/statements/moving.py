"""Statements that go to another place: "set it above the loop", "the flag after registering", "swap these"."""

import ast
import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from spark_tui.editing.codemods.base import Request
from spark_tui.editing.codemods.common.flow import LEAVING
from spark_tui.editing.codemods.common.said import spans
from spark_tui.editing.codemods.common.taking_out import without
from spark_tui.editing.codemods.statements.branches_shared import branches_shared
from spark_tui.editing.codemods.statements.else_of_try import into_else
from spark_tui.editing.codemods.statements.statement_words import inner_stems, stems, stems_of
from spark_tui.editing.snippet import Snippet
from spark_tui.editing.statements import SCOPES, Place, is_string, movable, places

_SIDE = re.compile(
    r"\b(?:(?P<before>befor\w?|above|ahead of|in front of|prior to|earlier than|first,? (?:and )?(?:only )?then)"
    r"|(?P<after>after|below|behind|under|beneath|later than|following)"
    r"|(?P<out>(?:out of|outside(?: of)?)) (?:the |this |that )?(?=\w)"
    r"|(?P<top>(?:at|to|on) the (?:very )?(?:top|start|beginning)"
    r"|(?:come|comes|go|goes|be|belongs?|is|call|do|done|called) (?:very )?first\b(?! [a-z])|first(?= ?[.!?]?$))"
    r"|(?P<bottom>(?:at|to) the (?:very )?(?:bottom|end)|(?:come|comes|go|goes|be|belongs?|is|called|done) last))",
    re.IGNORECASE,
)
_SWAP = re.compile(
    r"\bswap\b|\bexchange\b|\bother way (?:a?round|roudn)\b|\bwrong (?:order|way (?:a?round|up))\b"
    r"|\b(?:same|other|reverse|switch|change|flip) (?:the )?order\b"
    r"|\border (?:is )?(?:matters|wrong|backwards|reversed)\b|\bin reverse order\b"
)
_ADDS = re.compile(
    r"(?:^|[.,;:!?] |\bplease |\byou |\bto |\band |\blet's )(?:add|insert|log|print|raise|write|document|import|return"
    r"|assert|append|prepend|skip|sleep|give|end|start|comment|docstring|rename|drop|remove|delete|default|type"
    r"|split|wrap|convert|merge|strip|round|sort|join|yield|use|replace|turn)\b"
    r"|\b(?:comma|blank|docstring|comment|message|annotat\w+|import|newline|param\w*"
    r"|positional\w*|keyword\S*|decorator|type hints?)\b",
    re.IGNORECASE,
)
_CODE = re.compile(r"[\w.]+ = (?=\S)|[\w.]+\((?=[\w)])")
_LONG = re.compile(r"\b[^\W\d_]+_\w+")
_BLOCK = re.compile(r"^\W*(?:the |this |that |each |every )?[`'\"]?(for|if|with|while)\b")
_PRONOUN = re.compile(
    r"\s*(?:it|that|this|them|these|there)?\b\W*(?:$|\b(?:too|as well|please|instead)\b)", re.IGNORECASE
)
_MOST = 3
_Way = tuple[float, int, Place, Place, bool]
"""How much speaks for a statement to go beside another one, and whether above it."""


def moves(before: Snippet, request: Request) -> Iterator[list[str]]:
    """The lines after statements went where the words tell, the likeliest first."""
    yield from into_else(before, request)
    yield from branches_shared(before, request)
    words = request.instruction
    found = [] if _new_code(before, words) else [place for place in places(before) if not is_string(place.node)]
    if found and not _ADDS.search(words) and _SWAP.search(words.lower()):
        yield from _swapped(before, found, request)
        yield from _turned(before, found, request)
    for side in reversed(list(_SIDE.finditer(words)) if found else []):
        if not _ADDS.search(words[: side.start()] or words) and (told := list(_told(before, found, side, request))):
            yield from told
            return


def _new_code(before: Snippet, words: str) -> bool:
    """Whether the words hold code that the region lacks."""
    quoted = [span.text for span in spans(words) if span.mark and re.search(r"[=(]", span.text)]
    return any(text not in "\n".join(before.lines) for text in (*quoted, *_CODE.findall(words)))


def _swapped(before: Snippet, found: Sequence[Place], request: Request) -> Iterator[list[str]]:
    """Two neighbours in each other's place: those selected, else those that the words speak of."""
    said, pairs = stems(request.instruction), list[tuple[int, Place, Place]]()
    first, last = request.selected or (0, len(before.lines))
    for one, two in _neighbours(found):
        inside = (first <= one.first) + (two.last <= last) if one.last >= first and two.first <= last else 0
        counts = [len(said & stems_of(before, place)) for place in (one, two)]
        if inside == 2 and (request.selected or min(counts)):
            pairs.append((sum(counts), one, two))
    for _, one, two in sorted(pairs, key=lambda pair: -pair[0])[:_MOST]:
        yield placed(before, two, _top(before, one), one.indent)


def _neighbours(found: Sequence[Place]) -> Iterator[tuple[Place, Place]]:
    blocks: dict[int, list[Place]] = {}
    for place in found:
        blocks.setdefault(id(place.block), []).append(place)
    for block in blocks.values():
        yield from (pair for pair in pairwise(block) if pair[0].index + 1 == pair[1].index and not _leaves(*pair))


def _leaves(*among: Place) -> bool:
    return any(isinstance(place.node, LEAVING) for place in among)


def _turned(before: Snippet, found: Sequence[Place], request: Request) -> Iterator[list[str]]:
    """An assignment the other way round."""
    first, last = request.selected or (0, len(before.lines))
    for place in found:
        match place.node:
            case ast.Assign(
                targets=[ast.Name() | ast.Attribute() | ast.Subscript() as target],
                value=ast.Name() | ast.Attribute() | ast.Subscript() as value,
            ) if first <= place.first <= last and (request.selected or "assign" in request.instruction.lower()):
                line = f"{place.indent}{ast.unparse(value)} = {ast.unparse(target)}"
                yield [*before.lines[: place.first], line, *before.lines[place.last + 1 :]]


def _told(before: Snippet, found: Sequence[Place], side: re.Match[str], request: Request) -> Iterator[list[str]]:
    """What is said of the place to go to, and of what goes: the pairs that share most words with both."""
    text = request.instruction
    anchor = re.split(r"[.,;!?](?:\s|$)", text[side.end() :], maxsplit=1)[0]
    subject = stems(text[: side.start()] or text[side.end() + len(anchor) :])
    scored: list[_Way] = []
    for place in found:
        said = len(subject & stems_of(before, place)) + _is_target(subject, place) + 2 * _names_it(before, text, place)
        if request.selected:
            inside = request.selected[0] <= place.first and place.last <= request.selected[1]
            said = said + 1 if inside else 0
        for other in found if said else ():
            near = _legal(place, other, side) and _anchored(before, found, side, anchor, place, other)
            scored += [
                (said + 2 * near, -abs(other.first - place.first), place, other, above)
                for above in (_sides(side) if near else ())
                if (above or not _leaves(other)) and _keeps(before, place, other, above)
            ]
    best = max((one[0] for one in scored), default=0)
    likely = sorted((one for one in scored if one[0] > best - 0.75), key=lambda one: (-one[0], -one[1]))[:_MOST]
    for _, _, place, other, above in likely:
        yield placed(before, place, _top(before, other) if above else other.last + 1, other.indent)


def _sides(side: re.Match[str]) -> tuple[bool, ...]:
    """Whether it goes above, or below."""
    return (True, False) if side["out"] else (not (side["after"] or side["bottom"]),)


def _keeps(before: Snippet, place: Place, other: Place, above: bool) -> bool:
    """Whether a statement still comes after what sets its variables, and before what reads those that it sets."""
    if above and _leaves(place):
        return False
    passed = range(other.first, place.first) if above else range(place.last + 1, other.last + 1)
    over = [node for node in before.nodes if isinstance(node, ast.Name) and node.lineno - 1 in passed]
    own = [node for node in ast.walk(place.node) if isinstance(node, ast.Name)]
    stored, read = (over, own) if above else (own, over)
    return not _names(stored, ast.Store) & _names(read, ast.Load)


def _names_it(before: Snippet, text: str, place: Place) -> int:
    """Whether the words hold a name of more than one word that the first line of a statement has."""
    return int(any(name in before.lines[place.first] for name in _LONG.findall(text)))


def _names(nodes: Sequence[ast.Name], sort: type[ast.expr_context]) -> set[str]:
    return {node.id for node in nodes if isinstance(node.ctx, sort)}


def _is_target(said: set[str], place: Place) -> int:
    """Whether the words name what a statement sets."""
    target = place.node.targets[0] if isinstance(place.node, ast.Assign) else None
    name = target.id if isinstance(target, ast.Name) else target.attr if isinstance(target, ast.Attribute) else ""
    return int(bool(name) and stems(name) <= said)


def _goes_above(side: re.Match[str]) -> bool:
    return not (side["after"] or side["bottom"])


def _legal(place: Place, other: Place, side: re.Match[str]) -> bool:
    """Whether a statement can go beside another one: it is in the same block, or inside that one."""
    within = other.first < place.first and place.last <= other.last
    if len(place.block) < 2 or isinstance(other.node, SCOPES) is not isinstance(place.node, SCOPES):
        return False
    if within:
        return movable(place.node) and not (side["top"] or side["bottom"])
    beside = other.block is place.block and not side["out"]
    return beside and (other.index < place.index if _goes_above(side) else other.index > place.index)


def _anchored(
    before: Snippet, found: Sequence[Place], side: re.Match[str], anchor: str, place: Place, other: Place
) -> float:
    """How much the words speak of a statement as the place to go to; 0 where it is not meant."""
    if side["top"] or side["bottom"]:
        block = [one for one in found if one.block is place.block]
        return float(other is block[0 if side["top"] else -1])
    if _PRONOUN.fullmatch(anchor):
        inside = other.last >= place.last and other.first < place.first
        return inside * (0.5 + len(stems(side.string) & stems_of(before, other)))
    if re.match(r"(?:all |the |of )*imports\b", anchor.strip()):
        imports = [
            one for one in found if one.block is place.block and isinstance(one.node, ast.Import | ast.ImportFrom)
        ]
        return 2.0 * bool(imports and other is imports[0 if _goes_above(side) else -1])
    said = stems(anchor) | set(_BLOCK.findall(anchor.lower()))
    return len(said & stems_of(before, other)) or 0.5 * bool(
        said & inner_stems(before, other) - stems_of(before, place)
    )


def _top(before: Snippet, place: Place) -> int:
    """The line of a statement, or of the comment right above it."""
    row = place.first
    while row and before.lines[row - 1].startswith(f"{place.indent}#"):
        row -= 1
    return row


def placed(before: Snippet, place: Place, row: int, indent: str) -> list[str]:
    """The lines with a statement, and the comment above it, moved to before a line."""
    lines, first = before.lines, _top(before, place)
    piece = [indent + line[len(place.indent) :] if line.strip() else line for line in lines[first : place.last + 1]]
    if row <= first:
        return [*lines[:row], *piece, *without(lines, first, place.last)[row:]]
    return without([*lines[:row], *piece, *lines[row:]], first, place.last)
