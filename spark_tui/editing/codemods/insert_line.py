"""A line of code that was asked for word by word, beside a line that is told."""

import ast
import re
from collections.abc import Iterator, Sequence
from typing import ClassVar

from spark_tui.editing.code import docstring_node, indentation, statement_lines
from spark_tui.editing.codemods.base import Codemod, Ops, Request
from spark_tui.editing.codemods.common.additions import added_lines, parsed
from spark_tui.editing.codemods.common.named import call_at
from spark_tui.editing.codemods.common.said import is_expression, spans
from spark_tui.editing.codemods.plain.plain_checks import plain_asserts
from spark_tui.editing.codemods.plain.plain_parsers import plain_flag
from spark_tui.editing.codemods.plain.plain_statements import plain_settings, plain_sorts
from spark_tui.editing.codemods.statements.calls_after import calls_after
from spark_tui.editing.codemods.statements.coercions import coercions
from spark_tui.editing.codemods.statements.deprecations import deprecations
from spark_tui.editing.codemods.statements.line_spots import new_lines
from spark_tui.editing.codemods.statements.logs_told import logs_told
from spark_tui.editing.codemods.statements.statements_meant import SIDE, kinds_of, statements_meant
from spark_tui.editing.script import Insert
from spark_tui.editing.snippet import Snippet
from spark_tui.editing.statements import SCOPES
from spark_tui.editing.trees import parse

_SET = re.compile(r"\b(?:re)?set ([^\W\d][\w.]*) (?:back )?to ([^\s,;]+)")
_NAME = re.compile(r"(?<![\w.])[^\W\d]\w*")
_WORD = re.compile(r"[^\W\d]\w*")
_EDGE = re.compile(
    r"\b(?:(?P<first>at the (?:very )?(?:start|top|beginning)|first thing|(?:as )?the first (?:line|thing|statement))"
    r"|at the (?:very )?(?:end|bottom)|last thing|(?:as )?the last (?:line|thing|statement)) "
    r"(?:of|in|inside)? ?(?:the |this |that )?(?:[\w']+ )?(?P<block>loop|for|while|function|method|with|if)\b",
    re.IGNORECASE,
)
_BLOCKS: dict[str, tuple[type[ast.stmt], ...]] = {
    "loop": (ast.For, ast.AsyncFor, ast.While), "for": (ast.For, ast.AsyncFor), "while": (ast.While,),
    "function": (ast.FunctionDef, ast.AsyncFunctionDef), "method": (ast.FunctionDef, ast.AsyncFunctionDef),
    "with": (ast.With, ast.AsyncWith), "if": (ast.If,),
}  # fmt: skip
_THIS = re.compile(r" (?:this|that|it|these|the selection|the selected \w+)\b")
_VERB = re.compile(
    r"(?:^|[.,;:!?] |\bplease |\byou |\bto |\band |\bshould )"
    r"(?P<verb>close|flush|clear|sort|reverse|commit|rollback|cancel|acquire|release"
    r"|strip|lower|upper|rstrip|lstrip|title|casefold|decode|encode) "
    r"(?:the |our |its )?[`'\"]?(?P<name>[^\W\d]\w*)",
    re.IGNORECASE,
)
_MADE = frozenset(["strip", "lower", "upper", "rstrip", "lstrip", "title", "casefold", "decode", "encode"])
"""What makes a new value, which is to be kept."""
_MOST = 3
_ASKED = re.compile(
    r"(?i)\b(?:calls?|add|put|insert|run|log\w*|print|emit|reset|should|must|has to|ha[sv]e|needs?|missing"
    r"|forgot\w*|want|give|warn\w*|debug|info|could|would|can|please|let|use|do|flush|close|clear|copy|set|pass|keep|start)\b"
)
_ADDING = re.compile(r"\b(?:call|add|put|insert|do|run) [`'\"]?$", re.IGNORECASE)
_ASSIGNED = re.compile(r"(?:^|(?<=[ `:]))[^\W\d][\w.]* = (?=\S)")
_TO_COME = re.compile(
    r"[`'\"]? (?:(?:has|needs|ought) to|must|should) (?:come|be called|go|run|be there)"
    r"|[`'\"]? (?:is|was) missing|[`'\"]? first\b"
)
_PURE = frozenset(["str", "len", "int", "bool", "repr", "isinstance", "type", "float", "range", "sorted", "hash", "id"])
_SIMPLE = (ast.Assign, ast.AugAssign, ast.AnnAssign, ast.Raise, ast.Return, ast.Delete, ast.Assert)


class InsertLine(Codemod):
    """One line more, which the instruction holds, as deep as a line beside it."""

    kind: ClassVar[str] = "insert_line"

    def plain(self, before: Snippet, request: Request) -> list[Ops]:
        """See `plain_asserts`, `plain_settings`, `plain_sorts` and `plain_flag`."""
        words, readings = request.instruction, (plain_asserts, plain_settings, plain_sorts, plain_flag)
        return next((found for read in readings if (found := read(before, words))), [])

    def edits(self, before: Snippet, request: Request) -> list[Ops] | None:
        """The line told beside each statement that may be meant, or at an edge of a block; None where that is not told.

        A log call that is told nearly is such a line, too.
        """
        words = request.instruction
        lines = list(dict.fromkeys(_lines_told(words))) or _calls_told(before, words)
        lines = lines or logs_told(before, words)[:_MOST]
        spots = list(_spots(before, request, lines)) if len(lines) == 1 or lines == logs_told(before, words) else []
        found: list[Ops] = [(Insert(after, (indent + line,)),) for line in lines for after, indent in spots]
        if not found and not request.selected and (len(lines) == 1 or lines == logs_told(before, words)):
            lines = lines if _ASKED.search(words) or (lines and " = " in lines[0]) else []
            found = [(Insert(after, (indent + line,)),) for after, indent, line in new_lines(before, words, lines)]
        if not lines and not request.selected:
            found += [*deprecations(before, words), *calls_after(before, words)]
            found += coercions(before, words)
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


def _spots(before: Snippet, request: Request, lines: Sequence[str]) -> Iterator[tuple[int, str]]:
    """Where the line may go: below which 0-based line, and how deep."""
    side = SIDE.search(_unquoted(request.instruction))
    if side is None:
        if (edge := _EDGE.search(request.instruction)) and not request.selected:
            yield from _edges(before, edge)
        return
    where = request.instruction[side.end() :]
    for line in (*lines, *(span.text for span in spans(request.instruction) if span.mark and " " in span.text)):
        where = where.replace(line, " ")
    if request.selected:
        if _THIS.match(where):
            row = request.selected[1] if side["after"] else request.selected[0]
            yield row - (not side["after"]), indentation(before.lines[row])
        return
    for place in statements_meant(before, where):
        if not side["after"]:
            yield place.first - 1, place.indent
        elif not hasattr(place.node, "body") or kinds_of(place) & set(_WORD.findall(where.lower())):
            yield place.last, place.indent


def _edges(before: Snippet, edge: re.Match[str]) -> Iterator[tuple[int, str]]:
    """The first or the last place in a loop, a function or a branch."""
    sort = _BLOCKS[edge["block"].lower()]
    for node in before.nodes:
        body = getattr(node, "body", []) if isinstance(node, sort) else []
        body = body[1:] if isinstance(node, SCOPES) and docstring_node(node) else body
        if body and body[0].lineno > getattr(node, "lineno", 0):
            row = statement_lines(body[0])[0] if edge["first"] else statement_lines(body[-1])[1]
            yield row - bool(edge["first"]), indentation(before.lines[statement_lines(body[0])[0]])


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
    if assigned := assignments_told(instruction):
        yield assigned[0]
        return
    for name, value in _SET.findall(instruction):
        if is_expression(value):
            yield f"{name} = {value}"
    for match in _NAME.finditer(instruction):
        call = call_at(instruction, match.start())
        full = not call.endswith("()") or _ADDING.search(instruction[: match.start()]) is not None
        full = full and call.partition("(")[0] not in _PURE
        full = full or _TO_COME.match(instruction, match.start() + len(call)) is not None
        told = call.endswith(")") and full and _is_statement(call)
        if told and not _is_anchor(instruction, match.start()):
            yield call


def _calls_told(before: Snippet, instruction: str) -> list[str]:
    """Calls that are told by a verb and a name: "flush stderr", "strip the value"."""
    text = "\n".join(before.lines)
    for match in _VERB.finditer(instruction):
        verb, name = match["verb"].lower(), match["name"]
        if found := re.search(rf"(?<![\w.])(?:\w+\.)*{name}(?![\w(])", text):
            call = f"{found[0]}.{verb}()"
            return [f"{found[0]} = {call}" if verb in _MADE else call]
    return []


def assignments_told(instruction: str) -> list[str]:
    """The assignments that stand in the words without quotes: "x = f(1) below the loop"."""
    for match in _ASSIGNED.finditer(instruction):
        ends = [match.start() + one.start() for one in re.finditer(r"\s|[,.;:!?]*$", instruction[match.start() :])]
        for end in reversed(ends):
            line = instruction[match.start() : end].rstrip(".,;:!? ")
            if "=" in line[: match.end() - match.start()] and _is_statement(line):
                return [line] if line.partition("= ")[2] else []
    return []


def _is_anchor(instruction: str, at: int) -> bool:
    return re.search(SIDE.pattern + r" (?:the )?[`'\"]?$", instruction[:at], re.IGNORECASE) is not None


def _is_statement(text: str) -> bool:
    """Whether a text is one simple statement that does something."""
    try:
        body = parse(text).body
    except (SyntaxError, ValueError):
        return False
    if len(body) != 1 or "\n" in text:
        return False
    if isinstance(body[0], ast.AnnAssign) and isinstance(body[0].annotation, ast.Set | ast.Dict | ast.Call):
        return False  # a text such as "state: {state}"
    calls = isinstance(body[0], ast.Expr) and isinstance(body[0].value, ast.Call | ast.Await)
    return calls or isinstance(body[0], _SIMPLE)
