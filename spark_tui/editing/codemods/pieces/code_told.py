"""Code that is told to become other code, "f(...) -> g(...)", found in a region though it is spelt a little otherwise.

Blanks and quotes may differ, "..." stands for whatever is there, receivers may be left out.
"""

import ast
import builtins
import re
import tokenize
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from io import StringIO
from itertools import zip_longest

from spark_tui.editing.codemods.base import Request
from spark_tui.editing.codemods.common.named import call_at, meant_lines
from spark_tui.editing.codemods.common.said import Span, is_expression, spans
from spark_tui.editing.snippet import Snippet
from spark_tui.editing.trees import parse

_ARROW = re.compile(r"\s(?:->|=>|==>|\u2192|\u21d2)\s")
_BACK = re.compile(r"(?:,? (?:here )?(?:instead of|rather than|in place of|and not|not)|,? for)(?: the| that| this)? ")
_TO = re.compile(
    r"(?:,? (?:should|must|has to|ought to|needs to|could|can|shall|may|might|will) (?:be|become|read|say)"
    r"|,? (?:with|by|to|into|becomes?)|,? (?:there|here),? (?:make it|use|put))(?: just| simply| plain)?(?: an?| the)? "
)
_PROSE = re.compile(r"[a-z]+(?:[- ]+[a-z']+)+[.?!]?")
_ONE_WORD = re.compile(r"[\w.]+")
_MOST_WORDS = 14
_NESTED = r"[^()\[\]{}]"
for _ in range(3):
    _NESTED = rf"(?:[^()\[\]{{}}]|[(\[{{]{_NESTED}*[)\]}}])"
_ANYTHING = rf"({_NESTED}*?)"
_CHAIN = re.compile(r"(?:[^\W\d]\w*\.)+$")


@dataclass(frozen=True, slots=True)
class Match:
    """A piece of a line that is what was told: where it stands, and what "..." stands for."""

    row: int
    start: int
    end: int
    held: tuple[str, ...]


def code_edits(before: Snippet, request: Request) -> Iterator[list[str]]:
    """The lines after code that is told, and is more than a word, became other code."""
    for old, new in dict.fromkeys(told_changes(before, request.instruction)):
        if (_ONE_WORD.fullmatch(old) and _ONE_WORD.fullmatch(new)) or renames(before, old, new):
            continue
        yield from changed(before, old, whole(old, new), rows_meant(before, old, request.selected, request.instruction))


def told_changes(before: Snippet, instruction: str) -> Iterator[tuple[str, str]]:
    """Pairs of old and new code that an instruction tells, the old one being in the region."""
    yield from _arrows(before, instruction)
    pieces = [span for span in spans(instruction) if span.solid]
    for span in pieces:
        old, after = _piece(instruction, span)
        for cue, turned in ((_BACK, True), (_TO, False)):
            if match := cue.match(instruction, after):
                new = next((_piece(instruction, one)[0] for one in pieces if _begins(one, match.end())), "")
                if new and new != old:
                    yield (new, old) if turned else (old, new)


def whole(old: str, new: str) -> str:
    """The new text with the target that the old one assigns to, where only a value is told for it."""
    target = re.match(r"[\w.\[\]]+ = (?!=)", old)
    return target[0] + new if target and is_expression(new) else new


def settled(instruction: str) -> bool:
    """Whether an arrow stands between old and new, so that nothing else is meant."""
    return _ARROW.search(instruction) is not None


def _begins(span: Span, at: int) -> bool:
    return span.start == at


def _piece(instruction: str, span: Span) -> tuple[str, int]:
    """The code at a place, brackets and all, with where it ends."""
    if span.mark:
        return span.text, span.end
    text = call_at(instruction, span.start) or span.text
    return text, span.start + len(text)


def renames(before: Snippet, old: str, new: str) -> bool:
    """Whether nothing but a name that the region sets differs, so that its uses are meant as well."""
    pairs = list(zip_longest(_tokens(old), _tokens(new), fillvalue=""))
    different = [one for one in pairs if one[0] != one[1]]
    if len(different) != 1 or not all(one.isidentifier() for one in different[0]):
        return False
    name = different[0][0]
    return any(
        (isinstance(node, ast.Name) and node.id == name and isinstance(node.ctx, ast.Store))
        or (isinstance(node, ast.arg) and node.arg == name)
        for node in before.nodes
    )


def _arrows(before: Snippet, instruction: str) -> Iterator[tuple[str, str]]:
    for line in instruction.splitlines():
        arrow = next(iter(_ARROW.finditer(line)), None)
        if arrow is None:
            continue
        left, right = line[: arrow.start()].strip(), line[arrow.end() :].strip()
        found = [one for one in _endings(left) if any(_matches(before, one))]
        for old in found[:1] + [one for one in found[1:] if "," in one]:
            for new in _beginnings(right):
                if _PROSE.fullmatch(old) or not _PROSE.fullmatch(new):
                    yield old, _behind(old, new)


def _behind(old: str, new: str) -> str:
    """The new text with what it is put behind, where it is but a subscript or an attribute: "d.get(k) -> [k]"."""
    if not re.fullmatch(r"\[.+\]|\.[^\W\d].*", new) or old[:1] in "[.":
        return new
    try:
        node = parse(old, mode="eval").body
    except SyntaxError:
        return new
    match node:
        case ast.Call(func=ast.Attribute(value=owner)) | ast.Attribute(value=owner) | ast.Subscript(value=owner):
            return ast.unparse(owner) + new
    return new


def _endings(text: str) -> Iterator[str]:
    """A text, and what is left of it without its first words, the longest first."""
    words = list(re.finditer(r"\S+", text))[-_MOST_WORDS:]
    for word in words:
        yield text[word.start() :].strip("`")


def _beginnings(text: str) -> Iterator[str]:
    """A text as code; without its last words only where these are set off."""
    yield text.strip("`")
    if cut := re.match(r"`([^`]+)`", text) or re.match(r"(.+?)(?:, (?:please|pls)\b|[.?!]$| please$| \()", text):
        yield cut[1]
    if (cut := re.match(r"(\S.*?), [a-z]+ ", text)) and is_expression(cut[1]):
        yield cut[1]


def changed(before: Snippet, old: str, new: str, rows: Sequence[int]) -> Iterator[list[str]]:
    """The lines after what is told, old to new: each place alone, then all of them."""
    found = [one for one in _matches(before, old) if one.row in rows]
    edits = [(one, *_written(before, one, new)) for one in found]
    groups = [[one] for one in edits]
    if len(groups) > 1:
        groups = [edits, *groups]
    for group in groups:
        lines = list(before.lines)
        for match, start, text in sorted(group, key=lambda one: (one[0].row, -one[0].start)):
            lines[match.row] = lines[match.row][:start] + text + lines[match.row][match.end :]
        yield lines


def rows_meant(before: Snippet, old: str, selected: tuple[int, int] | None, instruction: str) -> list[int]:
    """The lines that have the old code, those selected, and those that are told by more words."""
    first, last = selected or (0, len(before.lines))
    rows = sorted({one.row for one in _matches(before, old) if first <= one.row <= last})
    return meant_lines(before, rows, instruction.replace(old, " ")) if len(rows) > 1 else rows


def _written(before: Snippet, match: Match, new: str) -> tuple[int, str]:
    """Where a piece begins that is to be replaced, its receiver with it if the new code has its own, and the text."""
    held = iter(match.held)
    text = re.sub(r"\.\.\.|\u2026", lambda _: next(held, "..."), new)
    line = before.lines[match.row]
    chain = _CHAIN.search(line[: match.start])
    root = re.match(r"[^\W\d]\w*", text)
    if chain and root:
        names = chain[0].split(".")
        if root[0] in names or (root[0] in dir(builtins) and root[0] not in _METHODS):
            at = names.index(root[0]) if root[0] in names else 0
            return chain.start() + len("".join(f"{one}." for one in names[:at])), text
    return match.start, text


_METHODS = frozenset(name for kind in (str, list, dict, set, bytes) for name in dir(kind))


def _matches(before: Snippet, old: str) -> Iterator[Match]:
    pattern = _pattern(old)
    if pattern is None:
        return
    for row, line in enumerate(before.lines):
        for found in pattern.finditer(line):
            yield Match(row, found.start(), found.end(), tuple(one.strip() for one in found.groups()))


def _pattern(code: str) -> re.Pattern[str] | None:
    """What finds code, blanks and quotes as they may be; None for what is no code at all."""
    tokens = _tokens(code)
    if not tokens or not any(re.search(r"\w", one) for one in tokens):
        return None
    parts = [_token_pattern(one) for one in tokens]
    left = r"(?<![\w])" if tokens[0][0].isalnum() or tokens[0][0] == "_" else ""
    right = r"(?!\w)" if tokens[-1][-1].isalnum() or tokens[-1][-1] == "_" else ""
    return re.compile(left + r"\s*".join(parts) + right)


def _token_pattern(token: str) -> str:
    if token in ("...", "\u2026"):
        return _ANYTHING
    if token[0] in "'\"" and token[-1] == token[0] and len(token) > 1:
        return rf"['\"]{re.escape(token[1:-1])}['\"]"
    return re.escape(token)


def _tokens(code: str) -> list[str]:
    """The tokens of code, be it a part of a line only; its words where Python cannot read them."""
    found: list[str] = []
    try:
        found.extend(one.string for one in tokenize.generate_tokens(StringIO(code).readline) if one.string.strip())
    except (tokenize.TokenError, IndentationError, SyntaxError):
        return found if found and code[-1:] in "([{," else code.split()
    return found
