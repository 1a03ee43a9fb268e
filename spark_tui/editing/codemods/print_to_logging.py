"""Prints made log calls: one, those of a function, or all."""

import ast
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

from spark_tui.editing import code
from spark_tui.editing.code import MAX_WIDTH
from spark_tui.editing.codemods.base import Codemod, Ops, Request
from spark_tui.editing.codemods.common.named import functions_named
from spark_tui.editing.codemods.statements.logging_words import calls_said, levels_said, logger_of
from spark_tui.editing.script import Replace
from spark_tui.editing.snippet import Snippet
from spark_tui.editing.statements import Place, places

_MANY = re.compile(r"\bprints\b|\bprint\(\)s|\bprint (statement|call|line)s|\bcalls to print", re.IGNORECASE)
_SILENT = frozenset({"file", "flush"})


@dataclass(frozen=True, slots=True)
class Print:
    """A print on one line; `rest` is what follows its name when it is a log call."""

    place: Place
    call: ast.Call
    rest: str


class PrintToLogging(Codemod):
    """`print(x)` becomes `logger.info(x)`; another level or logger is told, or the region has one."""

    kind: ClassVar[str] = "print_to_logging"

    def edits(self, before: Snippet, request: Request) -> Iterator[Ops]:
        """For each logger and level that may be meant: all prints, those of a function, each one."""
        found = prints(before)
        if request.selected:
            found = [one for one in found if _touches(one, *request.selected)] or found
        groups = list(_groups(before, found, request.instruction))
        for called in _meant(before, request.instruction):
            for group in groups:
                if group and (ops := logged(before, group, called)):
                    yield ops


def prints(snippet: Snippet) -> list[Print]:
    """Every print that a log call can stand for, in source order."""
    return [
        Print(place, node.value, rest)
        for place in places(snippet)
        if isinstance(node := place.node, ast.Expr) and isinstance(node.value, ast.Call)
        if isinstance(node.value.func, ast.Name) and node.value.func.id == "print" and place.first == place.last
        if (rest := _logged_arguments(snippet, node.value))
    ]


def logged(snippet: Snippet, group: Sequence[Print], called: str) -> Ops | None:
    """The edit that makes prints calls of a log method; None where a line gets too long."""
    ops: list[Replace] = []
    for one in group:
        row, start = code.start_of(snippet, one.call)
        line = snippet.lines[row]
        new = line[:start] + called + one.rest + line[code.end_of(snippet, one.call)[1] :]
        if len(new) > MAX_WIDTH:
            return None
        if ops and ops[-1].last == row - 1:
            ops[-1] = Replace(ops[-1].first, row, (*ops[-1].lines, new))
        else:
            ops.append(Replace(row, row, (new,)))
    return tuple(ops)


def _meant(snippet: Snippet, instruction: str) -> list[str]:
    """The log methods an instruction may mean."""
    if told := calls_said(instruction):
        return [f"{logger}.{level}" for logger, level in told]
    return [f"{logger_of(snippet)}.{level}" for level in levels_said(instruction) or ("info",)]


def _groups(snippet: Snippet, found: Sequence[Print], instruction: str) -> Iterator[Sequence[Print]]:
    if not functions_named(snippet, instruction):
        yield found
    for function in functions_named(snippet, instruction) or snippet.functions:
        yield [one for one in found if function.lineno <= one.call.lineno <= (function.end_lineno or 0)]
    if not _MANY.search(instruction):
        yield from ([one] for one in found)


def _touches(one: Print, first: int, last: int) -> bool:
    return first <= one.place.first <= last


def _logged_arguments(snippet: Snippet, call: ast.Call) -> str:
    """What follows the method's name, or ""; several values become one message with `%s` for each."""
    if not call.args or any(isinstance(one, ast.Starred) for one in call.args):
        return ""
    if any(one.arg not in _SILENT for one in call.keywords):
        return ""
    texts = [code.text_of(snippet, one) for one in call.args]
    if len(texts) == 1:
        return f"({texts[0]})"
    first, quote = call.args[0], code.quote_of(snippet)
    if isinstance(first, ast.Constant) and isinstance(first.value, str):
        plain = texts[0][:1] in "'\"" and texts[0][:3] not in ("'''", '"""')
        message = texts[0][:-1].replace("%", "%%") + " %s" * (len(texts) - 1) + texts[0][-1]
        return f"({', '.join([message, *texts[1:]])})" if plain else ""
    return f"({', '.join([quote + ' '.join(['%s'] * len(texts)) + quote, *texts])})"
