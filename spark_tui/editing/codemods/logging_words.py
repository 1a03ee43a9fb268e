"""Loggers and levels that an instruction says, and the logger a region has."""

import ast
import re
from collections import Counter

from spark_tui.editing.snippet import Snippet
from spark_tui.editing.statements import dotted

LEVELS = ("debug", "info", "warning", "error", "critical", "exception")
_LEVEL = r"(debug|info|warning|warn|error|critical|exception)"
_CALL = re.compile(rf"((?:\w+\.)*\w+)[`'\"]?\.[`'\"]?{_LEVEL}\b")
_WORD = re.compile(rf"(?<![\w.])(?:DEBUG|INFO|WARNING|WARN|ERROR|CRITICAL|EXCEPTION|{_LEVEL[1:-1]})s?\b")
_COMPLAINT = re.compile(r"\blint(?:er)? (?:warning|error)s?\b|(?:^|[:,.!] )(?:warning|error)\s?[:-]", re.IGNORECASE)
_LOGGER = re.compile(
    r"(?<!the )\b(?i:let|with|via|through|on|use|using) [`'\"]?((?:\w+\.)*_?(?:log|logger|logging|LOG|LOGGER))\b"
)
_TO_LOGGER = re.compile(r"\bto [`'\"]?((?:\w+\.)*_?(?:log|logger|logging|LOG|LOGGER))[`'\"]? (?:as|at)\b")
_IS_LOGGER = re.compile(r"(?:\w+\.)*_?(?:log|logger|logging)", re.IGNORECASE)


def levels_said(instruction: str) -> tuple[str, ...]:
    """The levels that an instruction says, each once."""
    found = (match[0].lower().rstrip("s") for match in _WORD.finditer(_COMPLAINT.sub(" ", instruction)))
    called = (level for _, level in calls_said(instruction))
    return tuple(dict.fromkeys(["warning" if level == "warn" else level for level in (*called, *found)]))


def calls_said(instruction: str) -> tuple[tuple[str, str], ...]:
    """The calls of loggers that an instruction spells out, as (logger, level)."""
    found = ((logger, "warning" if level == "warn" else level) for logger, level in _CALL.findall(instruction))
    return tuple(dict.fromkeys(found))


def loggers_meant(snippet: Snippet, instruction: str) -> tuple[str, ...]:
    """The loggers that an instruction tells to use, else that of the region; "to log at" may be either."""
    told = [logger for logger, _ in calls_said(instruction)] + _LOGGER.findall(instruction)
    maybe = _TO_LOGGER.findall(instruction)
    own = [logger_of(snippet)] if not told and maybe in ([], ["log"]) else []
    return tuple(dict.fromkeys([*told, *maybe, *own]))


def logger_of(snippet: Snippet) -> str:
    """The logger that a region uses most; `logger` where it uses none."""
    used = Counter[str]()
    for node in ast.walk(snippet.tree):
        match node:
            case ast.Call(func=ast.Attribute(value=owner, attr=level)) if level in LEVELS:
                if (name := dotted(owner)) and _IS_LOGGER.fullmatch(name):
                    used[name] += 1
    return max(used, key=lambda name: used[name], default="logger")
