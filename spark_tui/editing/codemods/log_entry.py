"""Log calls at the entry of functions."""

import re
from collections.abc import Container, Iterator
from typing import ClassVar

from spark_tui.editing.code import Function
from spark_tui.editing.codemods.base import Codemod, Ops, Request
from spark_tui.editing.codemods.common.named import functions_meant, functions_named, quotations
from spark_tui.editing.codemods.plain.plain_logs import log_before_raise, log_of_value
from spark_tui.editing.codemods.statements.logging_words import LEVELS, calls_said, levels_said, loggers_meant
from spark_tui.editing.script import Insert
from spark_tui.editing.snippet import Snippet
from spark_tui.editing.statements import quote, top_of

_CUE = re.compile(
    r"(?:[:,]|\b(?:log|logs|logging|logged|say|says|saying|message|line|record|with|write|emit|on|level|entry|call|put|to"
    r"|debug|info|warning|error|critical|exception|and|then|first|start|top|enter|text|that|as|it|via|through|by))$"
)
_MOST_TEXTS = 12


class LogEntry(Codemod):
    """One log line before everything but the docstring.

    What is not told: the logger is the region's or `logger`, the level debug, the text "entering" and the
    function's name.
    """

    kind: ClassVar[str] = "log_entry"

    def plain(self, before: Snippet, request: Request) -> list[Ops]:
        """See `log_before_raise` and `log_of_value`."""
        words = request.instruction
        return [] if request.selected else log_before_raise(before, words) or log_of_value(before, words)

    def edits(self, before: Snippet, request: Request) -> Iterator[Ops]:
        """For each function, logger, level and text that may be meant; functions that surely are named alone."""
        functions = functions_named(before, request.instruction) or functions_meant(before, request.instruction)
        methods = _methods(before, request.instruction)
        for function in functions:
            top = top_of(before, function)
            for method in methods if top else ():
                for text in _texts(before, request.instruction, function):
                    yield entry(before, function, method, text)


def entry(snippet: Snippet, function: Function, method: str, text: str) -> Ops:
    """The edit that logs a text first thing in a function that has a top."""
    top = top_of(snippet, function)
    assert top is not None
    return (Insert(top[0], (f"{top[1]}{method}({quote(snippet, text)})",)),)


def _methods(snippet: Snippet, instruction: str) -> list[str]:
    loggers = loggers_meant(snippet, instruction)
    called = [f"{logger}.{level}" for logger, level in calls_said(instruction)]
    return called or [f"{logger}.{level}" for logger in loggers for level in levels_said(instruction) or ("debug",)]


def _texts(snippet: Snippet, instruction: str, function: Function) -> list[str]:
    """What may be meant as the message: what is quoted, else the end of the instruction, or nothing is told."""
    names = {one.name for one in snippet.functions}
    quoted = [text for text in quotations(instruction) if not _is_code(text, names)]
    usual = f"entering {function.name}"
    quoted = [text.replace("`", "") for text in quoted if "..." not in text]
    if any(" " in text for text in quoted):
        return quoted
    words = list(re.finditer(r"\S+", instruction))
    ends = [word.start() for word in words[1:] if _CUE.search(instruction[: word.start()].rstrip().rstrip("`'\""))]
    texts = [instruction[start:] for start in ends[-_MOST_TEXTS:]]
    return [*quoted, *(text for text in texts if not set(text) & set("\"'`\\")), usual]


def _is_code(text: str, names: Container[str]) -> bool:
    """Whether something quoted is a function of the region, a logger or a level."""
    if text.removesuffix("()").rpartition(".")[2] in names:
        return True
    return (
        bool(calls_said(text))
        or text in LEVELS
        or re.fullmatch(r"(\w+\.)*_?(log|logger|logging)", text, re.IGNORECASE) is not None
    )
