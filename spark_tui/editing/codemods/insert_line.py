"""A line of code that was asked for word by word, beside a line that is told."""

import ast
import re
from collections.abc import Iterator, Sequence
from typing import ClassVar

from spark_tui.editing.code import indentation
from spark_tui.editing.codemods.additions import added_lines, parsed
from spark_tui.editing.codemods.base import Codemod, Ops, Request
from spark_tui.editing.codemods.named import call_at
from spark_tui.editing.codemods.said import is_expression, spans
from spark_tui.editing.script import Insert
from spark_tui.editing.snippet import Snippet
from spark_tui.editing.statements import Place, movable, places

_SIDE = re.compile(
    r"\b(?:(?P<before>before|above|ahead of|in front of|prior to)"
    r"|(?P<after>after|below|under|beneath|behind|once|following))\b",
    re.IGNORECASE,
)
_SET = re.compile(r"\b(?:re)?set ([^\W\d][\w.]*) (?:back )?to ([^\s,;]+)")
_NAME = re.compile(r"(?<![\w.])[^\W\d]\w*")
_WORD = re.compile(r"[^\W\d]\w*")
_SIMPLE = (ast.Assign, ast.AugAssign, ast.AnnAssign, ast.Raise, ast.Return, ast.Delete, ast.Assert)
_GLUE = frozenset(["the", "a", "an", "line", "call", "it", "is", "that", "this", "to", "of", "in", "with", "self"])


class InsertLine(Codemod):
    """One line more, which the instruction holds, as deep as a line beside it."""

    kind: ClassVar[str] = "insert_line"

    def edits(self, before: Snippet, request: Request) -> list[Ops] | None:
        """The line told beside each statement that may be meant; None where line, side or statement are not told."""
        side = _SIDE.search(_unquoted(request.instruction))
        lines = list(dict.fromkeys(_lines_told(request.instruction)))
        if side is None or len(lines) != 1 or request.selected:
            return None
        where = request.instruction[side.end() :].replace(lines[0], " ")
        rows = [(place, side["after"] is not None) for place in _meant(before, where)]
        found: list[Ops] = []
        for place, after in rows:
            if after and hasattr(place.node, "body"):
                continue
            text = place.indent + lines[0]
            found.append((Insert(place.last if after else place.first - 1, (text,)),))
        return found or None

    def objection(self, before: Snippet, after: Sequence[str], request: Request) -> str:
        """It says what was added that was not asked for."""
        if self.lists(before, after, request):
            return ""
        if len(after) != len(before.lines) + 1:
            return "more or less than one line was added"
        found = list(added_lines(before.lines, after))
        if not found:
            return "another line was changed"
        at = found[0][0]
        if "".join(after[at].split()) not in "".join(request.instruction.split()):
            return "the instruction does not hold the new line"
        beside = [line for line in (*after[max(at - 1, 0) : at], *after[at + 1 : at + 2]) if line.strip()]
        opened = any(line.rstrip().endswith(":") for line in beside[:1])
        if not opened and indentation(after[at]) not in [indentation(line) for line in beside]:
            return "the new line is not as deep as those beside it"
        return "" if parsed(after) else "it does not parse"


def _unquoted(instruction: str) -> str:
    """The instruction with blanks for what is quoted."""
    for span in spans(instruction):
        if span.mark:
            instruction = instruction[: span.start] + " " * (span.end - span.start) + instruction[span.end :]
    return instruction


def _lines_told(instruction: str) -> Iterator[str]:
    """The statements that stand in the instruction as code, or are told as "set x to 1"."""
    quoted = [span.text for span in spans(instruction) if span.mark and _is_statement(span.text)]
    yield from quoted
    if quoted:
        return
    for name, value in _SET.findall(instruction):
        if is_expression(value):
            yield f"{name} = {value}"
    for match in _NAME.finditer(instruction):
        call = call_at(instruction, match.start())
        told = call.endswith(")") and not call.endswith("()") and _is_statement(call)
        if told and not _is_anchor(instruction, match.start()):
            yield call


def _is_anchor(instruction: str, at: int) -> bool:
    return re.search(_SIDE.pattern + r" (?:the )?[`'\"]?$", instruction[:at], re.IGNORECASE) is not None


def _is_statement(text: str) -> bool:
    """Whether a text is one simple statement that does something."""
    try:
        body = ast.parse(text).body
    except (SyntaxError, ValueError):
        return False
    if len(body) != 1 or "\n" in text:
        return False
    calls = isinstance(body[0], ast.Expr) and isinstance(body[0].value, ast.Call | ast.Await)
    return calls or isinstance(body[0], _SIMPLE)


def _meant(before: Snippet, where: str) -> list[Place]:
    """The simple statements that share most words with what is said of the place; none where no word is shared."""
    said = {word.lower() for word in _WORD.findall(where)} - _GLUE
    found = [place for place in places(before) if movable(place.node)]
    shared = [len(said & _words(before, place)) for place in found]
    most = max(shared, default=0)
    return [place for place, count in zip(found, shared, strict=True) if count == most] if most else []


def _words(before: Snippet, place: Place) -> set[str]:
    """The words of a statement's first line, and their past and -ing forms."""
    words = {word.lower() for word in _WORD.findall(before.lines[place.first])}
    kinds = {type(place.node).__name__.lower()}
    return words | kinds | {f"{word.rstrip('e')}{end}" for word in words for end in ("ed", "ing")}
