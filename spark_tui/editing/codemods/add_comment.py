"""A comment told in the words, above a line or at its end."""

import ast
import io
import re
import tokenize
from collections.abc import Iterator, Sequence
from typing import ClassVar

from spark_tui.editing.code import MAX_WIDTH, indentation
from spark_tui.editing.codemods.base import Codemod, Ops, Request, between
from spark_tui.editing.codemods.plain.plain_comments import plain_comment
from spark_tui.editing.codemods.prose.remarks_told import remarks_told
from spark_tui.editing.snippet import Snippet

_QUOTED = re.compile(r"`([^`]+)`|(?<!\w)\"{1,3}([^\"]+)\"{1,3}(?!\w)|(?<!\w)'([^']+)'(?!\w)")
_CUES = (
    re.compile(
        r"\b(?:saying|says?|reads?|reading|stating|noting|explaining|mention(?:ing)?)(?: that)?\b:?\s+"
        r"|(?<!type)(?<!noqa)(?<!pragma)(?<!pylint):\s+",
        re.IGNORECASE,
    ),
    re.compile(r"(?:\b(?:text|comment|todo|fixme|remark|note|with|as)\b|#)\s+", re.IGNORECASE),
)
"""What comes right before a text that is not quoted: the sure ones, and those that only count without them."""

_MARKED = re.compile(r"\b(?:an?|the|as|with|my) [`'\"]?(todo|fixme|xxx|hack)\b|(?<!^)\b(TODO|FIXME)\b")
_MARKER = re.compile(r"^\W*(todo|fixme|xxx|hack)\b", re.IGNORECASE)
_MARKER_HERE = re.compile(r"\b(todo|fixme|xxx|hack)\b[`'\"]?(?: here)?:|^\W*(todo|fixme)\b", re.IGNORECASE)
_AT_END = re.compile(
    r"\b(end of|at the end|same line|inline|trailing|behind|next to|beside|(to the )?right of|on the line"
    r"|end-of-line)\b",
    re.IGNORECASE,
)
_ABOVE = re.compile(r"\b(above|before|over|on top of|in front of|preceding|ahead of)\b", re.IGNORECASE)
_ORDINALS = {"first": 1, "second": 2, "third": 3, "fourth": 4, "fifth": 5, "last": -1}
_TOOLS = (
    (r"type:? ?ignore(\[[\w, -]+\])?", "type: ignore{0}"),
    (r"\bno ?qa\b(?::? ?([A-Z]+\d+(?:, ?[A-Z]+\d+)*))?", "noqa{0}"),
    (r"pragma:? ?no ?cover", "pragma: no cover"),
    (r"pylint:? ?disable ?= ?([\w-]+)", "pylint: disable={0}"),
    (r"\bnosec\b", "nosec"),
    (r"fmt: ?(skip|off|on)", "fmt: {0}"),
)

_SILENCE = re.compile(r"(?i)\bsilence|\bsuppress|\bignore (?:it|this|that|them)\b|\bshut (?:it|them) up\b")
_TYPE_CODE = re.compile(r"\[([a-z]+(?:-[a-z]+)+)\]")
_RULE = re.compile(r"\b[A-Z]{1,6}\d{3,4}\b")
"""What linters call a rule."""


class AddComment(Codemod):
    """A comment with the text that is told comes in; the code stays as it is."""

    kind: ClassVar[str] = "add_comment"

    def plain(self, before: Snippet, request: Request) -> list[Ops]:
        """See `plain_comment`."""
        return [] if request.selected else plain_comment(before, request.instruction)

    def edits(self, before: Snippet, request: Request) -> Iterator[Ops]:
        """The text told above each line that may be meant, or at its end; marks for tools always at the end."""
        words = request.instruction
        yield from _coded(before, words)
        mark = tool_mark(words) or _silencing(words)
        told = [mark] if mark else list(texts(before, words))
        rest = _without(words, told)
        ends = bool(mark) or (_AT_END.search(rest) is not None and not _ABOVE.search(rest))
        rows = [row for row in _meant(before, words, told) if not ends or _can_end(before, row)]
        for text in told:
            for row in rows:
                line = before.lines[row]
                new = f"{line}  # {text}" if ends else f"{indentation(line)}# {text}"
                if len(new) <= MAX_WIDTH + 10 * bool(mark):
                    yield between(
                        before, [*before.lines[:row], *([new] if ends else [new, line]), *before.lines[row + 1 :]]
                    )
        yield from () if mark else remarks_told(before, request, places(before))


def tool_mark(words: str) -> str:
    """The mark for a tool that the words ask for, as the text of its comment, or ""."""
    for pattern, form in _TOOLS:
        if match := re.search(pattern, words, re.IGNORECASE if "qa" not in pattern else 0):
            detail = (match[1] or "") if match.re.groups else ""
            if form == "noqa{0}" and not detail and (code := _RULE.search(words)):
                detail = code[0]
            return form.format(f": {detail}" if form == "noqa{0}" and detail else detail)
    return ""


def _silencing(words: str) -> str:
    """The mark that silences what a checker says, where the words ask for that; or ""."""
    if not _SILENCE.search(words):
        return ""
    if code := _TYPE_CODE.search(words):
        return f"type: ignore[{code[1]}]"
    rule = _RULE.search(words)
    return f"noqa: {rule[0]}" if rule else ""


def _coded(before: Snippet, words: str) -> Iterator[Ops]:
    """Marks for tools that name no code with the one that is told: all of them, then each."""
    code = re.search(r"(?<![\w-])([a-z]+(?:-[a-z]+)+)(?![\w-])", words)
    rule = _RULE.search(words)
    found = {}
    for row, line in enumerate(before.lines):
        if code and re.search(r"#\s*type:\s*ignore(?!\[)", line):
            found[row] = re.sub(r"(#\s*type:\s*ignore)(?!\[)", rf"\1[{code[1]}]", line)
        elif rule and re.search(r"#\s*noqa(?!:)", line):
            found[row] = re.sub(rf"(#\s*noqa)(?!:)(?: {rule[0]})?", rf"\1: {rule[0]}", line)
    if found and re.search(r"(?i)ignore|noqa|mypy|code", words):
        yield between(before, [found.get(row, line) for row, line in enumerate(before.lines)])
        for one in found if len(found) > 1 else ():
            yield between(before, [found[one] if row == one else line for row, line in enumerate(before.lines)])


def texts(before: Snippet, words: str) -> Iterator[str]:
    """What the comment may say: what is quoted and no code of the region, else what follows a cue."""
    spans = [next(filter(None, match.groups())) for match in _QUOTED.finditer(words)]
    prose = [span for span in spans if not any(span in line for line in before.lines)]
    tails = next(filter(None, ([words[one.end() :] for one in cue.finditer(words)][:3] for cue in _CUES)), [])
    found = prose or tails or spans
    marked, begins = _MARKED.search(words), _MARKER_HERE.search(words)
    for text in dict.fromkeys(found):
        bare = " ".join(text.split()).strip("`\"' ").lstrip("#").strip()
        marker = next(filter(None, (*(marked.groups() if marked else ()), *(begins.groups() if begins else ()))), "")
        if bare and marker and not _MARKER.match(bare):
            yield f"{marker.upper()}: {bare}"
        if bare and not (marked and not _MARKER.match(bare)):
            yield bare


def _without(words: str, told: Sequence[str]) -> str:
    """The words without what is quoted and without the texts told."""
    words = _QUOTED.sub("", words)
    for text in told:
        words = words.replace(text, "")
    return words


def _meant(before: Snippet, words: str, told: Sequence[str]) -> list[int]:
    """The lines told by number or by a piece of them in quotes; else all that a comment can go to."""
    rows = places(before)
    number = re.search(r"\blines? #?(\d+)", words, re.IGNORECASE)
    ordinal = re.search(rf"\b({'|'.join(_ORDINALS)}) line\b", words, re.IGNORECASE)
    at = int(number[1]) if number else _ORDINALS[ordinal[1].lower()] if ordinal else 0
    if at and (at - 1 if at > 0 else len(before.lines) - 1) in rows:
        return [at - 1 if at > 0 else len(before.lines) - 1]
    spans = [next(filter(None, match.groups())) for match in _QUOTED.finditer(words)]
    pieces = [span for span in spans if len(span) > 2 and not any(span in text for text in told)]
    return [row for row in rows if any(piece in before.lines[row] for piece in pieces)] or rows


def places(before: Snippet) -> list[int]:
    """The lines with code that do not begin within a string or go on from the line before."""
    inside = {
        row
        for node in before.nodes
        if isinstance(node, ast.Constant | ast.JoinedStr) and node.end_lineno != node.lineno
        for row in range(node.lineno, node.end_lineno or 0)
    }
    inside |= {row + 1 for row, line in enumerate(before.lines) if line.endswith("\\")}
    return [row for row, line in enumerate(before.lines) if line.strip()[:1] not in ("", "#") and row not in inside]


def _can_end(before: Snippet, row: int) -> bool:
    """Whether a comment can stand at the end of a line: no other one, no backslash, no open string."""
    line = before.lines[row]
    if line.endswith("\\") or any(
        node.lineno <= row + 1 < (node.end_lineno or 0)
        for node in before.nodes
        if isinstance(node, ast.Constant | ast.JoinedStr)
    ):
        return False
    return "#" not in line or not has_comment(line)


def has_comment(line: str) -> bool:
    """Whether a comment stands on a line."""
    try:
        return any(
            token.type == tokenize.COMMENT for token in tokenize.generate_tokens(io.StringIO(line.strip()).readline)
        )
    except (tokenize.TokenError, SyntaxError):
        return "#" in line
