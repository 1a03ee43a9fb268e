"""Loggers and levels that an instruction says, and the logger a region has."""

import ast
import re
from collections import Counter
from collections.abc import Iterable

from spark_tui.editing.snippet import Snippet
from spark_tui.editing.statements import dotted

LEVELS = ("debug", "info", "warning", "error", "critical", "exception")
_LEVEL = r"(debug|info|warning|warn|error|critical|exception)"
_CALL = re.compile(rf"((?:\w+\.)*\w+)[`'\"]?\.[`'\"]?{_LEVEL}\b")
_WORD = re.compile(rf"(?<![\w.])(?:DEBUG|INFO|WARNING|WARN|ERROR|CRITICAL|EXCEPTION|{_LEVEL[1:-1]})s?\b")
_COMPLAINT = re.compile(r"\blint(?:er)? (?:warning|error)s?\b|(?:^|[:,.!] )(?:warning|error)\s?[:-]", re.IGNORECASE)
_NAMED = r"((?:\w+\.)*_?(?:log|logger|logging|LOG|LOGGER))"
_LOGGER = re.compile(
    rf"(?<!the )\b(?i:let|with|via|through|on|use|using) [`'\"]?{_NAMED}\b"
    rf"|[`'\"]{_NAMED}[`'\"]|(?<![\w.])((?:\w+\.)+_?(?:log|logger)|_(?:log|logger)|LOG|LOGGER)\b(?!\.)"
)
_MAYBE = re.compile(
    rf"\b(?:to|in) {_NAMED} (?:as|at)\b|(?<!the )\b(log|logging|logger) (?:[\w ]{{4,16}} )?(?:say|get|hear)\b"
)
_IS_LOGGER = re.compile(r"(?:\w+\.)*_?(?:log|logger|logging)", re.IGNORECASE)

_MADE = re.compile(
    r"^(_?(?:log|logger|LOG|LOGGER))\b(?:: [\w.]+)? = |^import (logging)$"
    r"|^from [\w.]+ import (?:.*[ ,])?(_?log|_?logger)\b"
)
_IS_OWN = re.compile(r"(?:\w+\.)+_?(?:log|logger)")


def logger_in(lines: Iterable[str]) -> str:
    """What a file calls its logger: its own, the module `logging` where it imports that alone, else `logger`."""
    found = {name for line in lines for match in _MADE.finditer(line) for name in match.groups() if name}
    return max(found, key=lambda name: (name != "logging", name), default="logger")


def levels_said(instruction: str) -> tuple[str, ...]:
    """The levels that an instruction says, each once."""
    found = (match[0].lower().rstrip("s") for match in _WORD.finditer(_COMPLAINT.sub(" ", instruction)))
    called = (level for _, level in calls_said(instruction))
    return tuple(dict.fromkeys(["warning" if level == "warn" else level for level in (*called, *found)]))


def calls_said(instruction: str) -> tuple[tuple[str, str], ...]:
    """The calls of loggers that an instruction spells out, as (logger, level)."""
    text = instruction[:1].lower() + instruction[1:] if instruction.startswith("Log") else instruction
    found = ((logger, "warning" if level == "warn" else level) for logger, level in _CALL.findall(text))
    return tuple(dict.fromkeys(found))


def loggers_meant(snippet: Snippet, instruction: str) -> tuple[str, ...]:
    """The loggers that an instruction tells to use, else that of the region and what may be one ("to log at")."""
    told = [logger for logger, _ in calls_said(instruction)] + _groups(_LOGGER, instruction)
    maybe = _groups(_MAYBE, instruction) if not told else []
    own = [] if told else [logger_of(snippet)]
    return tuple(dict.fromkeys([*told, *maybe, *own]))


def _groups(pattern: re.Pattern[str], text: str) -> list[str]:
    return [group for match in pattern.finditer(text) for group in match.groups() if group]


def logger_of(snippet: Snippet) -> str:
    """The logger that a region uses most; that of the code around it where it uses none."""
    used = Counter[str]()
    for node in snippet.nodes:
        match node:
            case ast.Call(func=ast.Attribute(value=owner, attr=level)) if level in LEVELS:
                if (name := dotted(owner)) and _IS_LOGGER.fullmatch(name):
                    used[name] += 2
            case ast.Call(func=ast.Attribute(value=owner)) if (name := dotted(owner)) and _IS_OWN.fullmatch(name):
                used[name] += 1
    return max(used, key=lambda name: used[name], default=snippet.around.logger)
