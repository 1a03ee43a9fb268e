"""Turn prints into log calls."""

import ast
from collections.abc import Mapping, Sequence
from random import Random
from typing import ClassVar

from spark_tui.editing.snippet import Snippet
from spark_tui.training.kinds import pools, wording
from spark_tui.training.kinds.base import Edit, Kind, Planted
from spark_tui.training.kinds.idioms import edit_of
from spark_tui.training.kinds.statements import argument_names, is_string, places

_LEVELS = ("debug", "debug", "info", "warning", "warning", "error", "critical", "exception")
_LOGGERS = (
    "log",
    "logging",
    "self.logger",
    "self.log",
    "_logger",
    "LOG",
    "_log",
    "LOGGER",
    "self._logger",
    "app.logger",
)
_PRINTS = "print|print call|print statement|print()"
_ALL = "prints|print calls|print statements|print()s|calls to print"


class PrintToLogging(Kind):
    """`print(x)` becomes `logger.info(x)`; another level or logger is told."""

    name: ClassVar[str] = "print_to_logging"
    skeletons: ClassVar[str] = """
<use> logging instead of {what}
<use> the logger instead of {what}
<use> the logger [for|rather than] {what}
<convert> {what} to logging
<convert> {what} [to|into] a log call
<replace> {what} [with|by] logging
<replace> {what} [with|by] [a log call|the logger|logger.info]
<change> {what} to logger.info
<turn> {what} into logging
<turn> {what} into [log calls|logger calls|a log message]
<switch> from {what} to logging
<log> instead of {what}
[log|logger|logging], not {what}
{what} <should> [be logged|be logging|go to the log|go through the logger|use the logger]
{what} -> logging
[no|don't use] {what}[, use logging|, log instead|: log it]
[why|how come] {what} and not the logger
[production code|a library] should not use {what}, log instead
<lint>: T201 {what} found, use logging
<nit>: logging instead of {what}
<review>: logger instead of {what}
send {what} to the log
route {what} through the logger
can {what} be logging?
[migrate|move] {what} to the logging module
<use> logger.{level} instead of {plural}
<convert> {plural} to logger.{level}
<convert> {plural} to {level} logs
<replace> {plural} [with|by] logger.{level}
<replace> {plural} [with|by] {level} [logging|logs|log calls]
<change> {plural} to logger.{level}
<change> {plural} to {level} logging
<turn> {plural} into {level} [logs|log calls|messages]
<turn> {plural} into logger.{level}
<log> at {level} instead of {plural}
<log> at level {level} [rather than|not] with {plural}
{plural} <should> be logged at {level}
{plural} <should> be logger.{level}
{plural} <should> be {level} logs
{plural} -> logger.{level}
{level} logging instead of {plural}
[no|don't use] {plural}, log at {level}
[why|how come] {plural} and not logger.{level}
<nit>: logger.{level} instead of {plural}
<review>: log at {level}, no {plural}
send {plural} to the log at {level}
[demote|move] {plural} to {level} logging
logging at {level} for {plural}
<use> {call} instead of {line}
<convert> {line} to {call}
<replace> {line} [with|by] {call}
<change> {line} to {call}
<turn> {line} into {call}
<rewrite> {line} with {call}
<switch> from {line} to {call}
{line} <should> be {call}
{line} <should> go through {call}
{line} -> {call}
{call} [instead of|not|rather than] {line}
[no|don't use] {line}, use {call}
[why|how come] {line} and not {call}
<nit>: {call} instead of {line}
<review>: {call}, not {line}
call {call} [instead of|in place of] {line}
send {line} through {call}
log with {call} instead of {line}
{line} [to|=>] {call}
@<log> this instead [of printing it|]
@<use> [the logger|logging] [here|instead]
@<convert> this print to logging
@this <should> [be logged|go to the log|be a log call|use the logger]
@logger.info [here|instead|]
@no print here, log it
"""

    def plant(self, snippet: Snippet, rng: Random) -> Planted | None:
        """Put in one or two prints that could be log lines."""
        if any("print(" in line for line in snippet.lines):
            return None
        fit = [place for place in places(snippet) if place.function and not is_string(place.node)]
        fit = [place for place in fit if not snippet.lines[place.first - 1].lstrip().startswith("#")]
        if not fit:
            return None
        lines = list(snippet.lines)
        for first in sorted({rng.choice(fit).first for _ in range(rng.choice([1, 1, 2]))}, reverse=True):
            place = next(place for place in fit if place.first == first)
            names = argument_names(place.function) if place.function else ()
            lines.insert(first, f"{place.indent}print({_shown(names, rng)})")
        return Planted(Snippet(tuple(lines)))

    def propose(self, snippet: Snippet, rng: Random) -> Edit | None:
        """All prints become log calls, or the one on the selected line."""
        prints = [place for place in places(snippet) if (_printed(place.node)) is not None]
        calls = [call for place in prints if (call := _printed(place.node)) and place.first == place.last]
        if not calls or len(calls) > 6 or len(calls) < _prints(snippet):
            return None
        words = rng.choice((_PRINTS if len(calls) == 1 else _ALL).split("|"))
        words = rng.choice(["the ", "the ", ""]) + words if len(calls) > 1 else "the " + words
        if rng.random() < 0.15:
            call = rng.choice(calls)
            return edit_of(snippet, [(call.func, "logger.info")], {}, (call.lineno - 1, call.lineno - 1))
        level, logger = rng.choice(_LEVELS), "logger"
        roll = rng.random()
        if roll < 0.3:
            level, slots = "info", {"what": words}
        elif roll < 0.6:
            slots = {"plural": words, "level": level}
        else:
            logger = rng.choice(_LOGGERS)
            slots = {"line": words, "call": f"{logger}.{level}"}
        return edit_of(snippet, [(call.func, f"{logger}.{level}") for call in calls], slots)

    def accepts(self, before: Snippet, after: Sequence[str], slots: Mapping[str, str]) -> bool:
        """It parses and prints less."""
        return super().accepts(before, after, slots) and _prints(Snippet(tuple(after))) < _prints(before)


def _is_print(node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "print"


def _prints(snippet: Snippet) -> int:
    return sum(_is_print(node) for node in ast.walk(snippet.tree))


def _printed(node: ast.stmt) -> ast.Call | None:
    match node:
        case ast.Expr(value=ast.Call(args=[shown], keywords=[]) as call) if _is_print(call):
            return None if isinstance(shown, ast.Starred) else call
    return None


def _shown(names: Sequence[str], rng: Random) -> str:
    mark = rng.choice('\'""')
    text = wording.message(rng)
    if not names or rng.random() < 0.4:
        return f"{mark}{text}{mark}"
    name = rng.choice(names)
    return rng.choice([name, f"f{mark}{text}: {{{name}}}{mark}", f"{mark}{pools.noun(rng)} %s{mark} % {name}"])
