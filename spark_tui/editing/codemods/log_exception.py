"""A log call in an except clause."""

import ast
import re
from collections.abc import Iterator
from typing import ClassVar

from spark_tui.editing.code import quote_of, start_of
from spark_tui.editing.codemods.base import Ops, Request
from spark_tui.editing.codemods.checks.except_clauses import Clause, body_start, clauses, naming
from spark_tui.editing.codemods.common.occasions import Occasion, Places, bare_line, function_at, inserted, replaced
from spark_tui.editing.codemods.plain.plain_logs import is_of_what_is_caught
from spark_tui.editing.snippet import Snippet

METHODS = frozenset(["debug", "info", "warning", "warn", "error", "exception", "critical"])
LOGGERS = ("logger", "log", "LOG", "LOGGER", "_logger", "_log", "self.logger", "self.log", "self._logger", "logging")
_QUOTED = re.compile(r"`([^`]+)`|(?<!\w)'([^']+)'(?!\w)|\"([^\"]+)\"")
_TOLD = re.compile(r"(?<![\w.])((?:self\.)?_?(?:log|LOG|logger|LOGGER|logging))\.[a-z]+\b")
_LEVELS = {
    "warning": r"\bwarn(?:ing)?s?\b(?! *:)",
    "error": r"\blog\w*\.error\b|\b(?:an?|as|at) (?:error\b|[`'\"]error[`'\"])|\berror level\b",
    "debug": r"(?<!hard to )(?<!supposed to )(?<!can't )\bdebug\b(?!ging)",
    "info": r"\binfo\b",
}


class LogException(Places):
    """A handler that does not log gets a log call first, in place of a mere `pass`."""

    kind: ClassVar[str] = "log_exception"

    def plain(self, before: Snippet, request: Request) -> list[Ops]:
        """The one handler that does not log, where words plainly ask to log what is caught."""
        bare = [one for one in clauses(before) if not is_logged(one)]
        plain = is_of_what_is_caught(request.instruction) and len(bare) == 1 and not request.selected
        return list(self.edits(before, request))[:1] if plain else []

    def occasions(self, before: Snippet, request: Request) -> Iterator[Occasion]:
        """`logger.exception` unless the words name another level; the message told, else one about the function."""
        logger = logger_of(before, request)
        level = next((name for name, words in _LEVELS.items() if re.search(words, request.instruction)), "exception")
        for clause in clauses(before):
            if not is_logged(clause) and (one := _logged(before, clause, logger, level, request)):
                yield one


def logger_of(before: Snippet, request: Request) -> str:
    """What the words, the region or the code around it call the logger."""
    used = [
        ast.unparse(node.func.value)
        for node in before.nodes
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in METHODS
    ]
    made = [
        ast.unparse(node.targets[0])
        for node in before.nodes
        if isinstance(node, ast.Assign) and "getLogger" in ast.unparse(node.value)
    ]
    told = _TOLD.findall(request.instruction)
    return next((name for name in [*told, *made, *used] if name in LOGGERS), before.around.logger)


def is_logged(clause: Clause) -> bool:
    """Whether a handler logs."""
    calls = (node for part in clause.handler.body for node in ast.walk(part) if isinstance(node, ast.Call))
    return any(isinstance(one.func, ast.Attribute) and one.func.attr in METHODS for one in calls)


def _logged(before: Snippet, clause: Clause, logger: str, level: str, request: Request) -> Occasion | None:
    start = body_start(before, clause)
    if start is None:
        return None
    text = message(before, clause, request)
    named = None if level == "exception" else naming(before, clause, Request())
    quote = _quote(before, text)
    if level != "exception" and named is None:
        level = "exception"
    arguments = f"{quote}{text}{quote}" if named is None else f"{quote}{text}: %s{quote}, {named[0]}"
    line = f"{logger}.{level}({arguments})"
    first, changes = clause.handler.body[0], named[1] if named else ()
    if isinstance(first, ast.Pass) and bare_line(before, first) and len(clause.handler.body) == 1:
        change = replaced(before, first, line)
    else:
        change = inserted(before, start_of(before, first)[0] - 1, [before.lines[start[0]][: start[1]] + line])
    names = tuple(filter(None, (clause.caught, clause.handler.name)))
    return Occasion(clause.line, (*changes, change), names, level)


def _quote(before: Snippet, text: str) -> str:
    quote = quote_of(before) if any("'" in line for line in before.lines) else '"'
    return {"'": '"', '"': "'"}[quote] if quote in text else quote


def message(before: Snippet, clause: Clause, request: Request) -> str:
    """The quoted text told, else what failed, by the name of the function."""
    function = function_at(before, clause.line)
    known = {*(one.name for one in before.functions), clause.caught, clause.handler.name}
    quoted = [next(filter(None, groups)) for groups in _QUOTED.findall(request.instruction)]
    told = [text for text in quoted if text.removesuffix("()") not in known and not _is_code(text)]
    if told:
        return re.sub(r"[:.]$", "", told[0]).replace("%", "%%")
    return f"{function.name} failed" if function else "Unexpected error"


def _is_code(text: str) -> bool:
    return re.fullmatch(r"[\w.]*\.[\w.()]*|\w+\(.*\)|\w*Error|\w*Exception|log\w*|except.*|\w+", text) is not None
