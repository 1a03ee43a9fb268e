"""Turn prints into log calls."""

from collections.abc import Sequence
from random import Random
from typing import ClassVar

from spark_tui.editing.codemods.print_to_logging import logged, prints
from spark_tui.editing.codemods.statements.logging_words import logger_of
from spark_tui.editing.snippet import Snippet
from spark_tui.editing.statements import argument_names, is_string, places
from spark_tui.training.kinds import pools, wording
from spark_tui.training.kinds.base import Edit, Kind, Planted

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
<replace> {what} [with|by] [a log call|the logger|{target}]
<change> {what} to {target}
<turn> {what} into logging
[nobody|no one] reads stdout[, so|:] <log> instead of {what}
{what} [clutters|pollutes|spams] the [terminal|console|output], <use> logging
i want {what} in the log[ file|], not on [stdout|the screen|the console]
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
<use> {target} instead of {plural}
<convert> {plural} to {target}
<convert> {plural} to {level} logs
<replace> {plural} [with|by] {target}
<replace> {plural} [with|by] {level} [logging|logs|log calls]
<change> {plural} to {target}
<change> {plural} to {level} logging
<turn> {plural} into {level} [logs|log calls|messages]
<turn> {plural} into {target}
<log> at {level} instead of {plural}
<log> at level {level} [rather than|not] with {plural}
{plural} <should> be logged at {level}
{plural} <should> be {target}
{plural} <should> be {level} logs
{plural} -> {target}
{level} logging instead of {plural}
[no|don't use] {plural}, log at {level}
[why|how come] {plural} and not {target}
<nit>: {target} instead of {plural}
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
@{target} [here|instead|]
@no print here, log it
{what}? [log it|logging please|we have a logger]
{what} [in production|in a library|in a server] [is no good|is bad style|won't do], log [it|]
{what} [is|are] not for production, [log|use the logger]
{what} [ends up|goes|lands] [nowhere|in the void|in /dev/null], log instead
{what} [is|are] invisible in [production|docker|the service], should be logged
we have a logger, [why|so no need for] {what}
there's a logger [for that|], no {what}
we can't [filter|silence|turn off|grep] {what}, [log|use logging]
no timestamps with {what}, use logging
i want timestamps [on|for] {what}, use the logger
stdout [is|must stay] [clean|for data|for results], {what} [to|into] the log
[a daemon|a service|the server] has no stdout, log instead of {what}
T201 `print` found, {what} [to|->] logging
logger for {what}
logger > {what}
logger.info rather than {what}
info log [instead of|rather than] {what}
{what} as a log [line|entry|record|message]
proper logging [please|] instead of {what}
do {what} with logging
{what} can be [a log line|logged]
shouldn't {what} be [a log call|logged]?
can we log instead of {what}?
why not log instead of {what}
<review>: {what}? we have logging
todo: {what} -> logger
{function} <should> log, not {what}
{plural} at level {level}
{plural} as {level}
{plural} to {level}
{plural}: {level} [level|log]
{plural} => {target}
{plural} [become|becomes] {target}
{level} [log|logs] out of {plural}
{level} [is enough|will do|would do], no {plural}
make {plural} [show up|appear] at {level} [in the log|]
only at {level}: {plural}
i want {plural} in the log [at|as] {level}
{target}, not {plural}
{target} [for|in place of] {plural}
{target} would be [better|nicer|right] than {plural}
we have {target}, no {plural}
T201 `print` found, {target} for {plural}
T201: {plural}, [make|should be] {level} logs
can {plural} be {level} logs?
why not {target} [instead of|rather than] {plural}
stdout [is|must stay] clean, {plural} go to {target}
{plural} [clutter|clutters] stdout, {level} log instead
{function} <should> log at {level}, no {plural}
todo: {plural} to {target}
{line} => {call}
{line}: {call}
{line}, no: {call}
{call} for {line}
{call} in place of {line}
{call} would be [better|nicer|right] than {line}
{call} [is|does] what {line} should be
we have {call} for that, no {line}
let {call} [do|handle] {line}
have {line} done by {call}
{line} [becomes|become] {call}
{line} [goes|go] to {call}
[make|pipe|direct] {line} to {call}
T201 `print` found, {call} instead of {line}
can we have {call} instead of {line}?
why not {call} [instead of|rather than] {line}
stdout must stay clean, {line} via {call}
todo: {line} to {call}
{function} <should> use {call}, not {line}
@logger [instead|please|here]
@log, don't print
@[should be|make it] a log [line|call|message]
@{target} [would be better|is better|rather than print]
@T201 `print` found
@we have a logger
@[log this|this into the log]
@not on stdout, in the log
@print -> log
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
        found = prints(snippet)
        if not found or len(found) > 6:
            return None
        words = rng.choice((_PRINTS if len(found) == 1 else _ALL).split("|"))
        words = rng.choice(["the ", "the ", ""]) + words if len(found) > 1 else "the " + words
        logger, roll = logger_of(snippet), rng.random()
        if roll < 0.15:
            one = rng.choice(found)
            ops = logged(snippet, [one], f"{logger}.info")
            return Edit(ops, {"target": f"{logger}.info"}, (one.place.first, one.place.first)) if ops else None
        level, slots = "info", {"what": words}
        if roll > 0.4:
            level = rng.choice(_LEVELS)
            slots = {"plural": words, "level": level, "target": f"{logger}.{level}"}
        if roll > 0.65:
            logger = rng.choice(_LOGGERS)
            slots = {"line": words, "call": f"{logger}.{level}"}
        ops = logged(snippet, found, f"{logger}.{level}")
        owners = {one.place.function for one in found}
        owner = owners.pop() if len(owners) == 1 else None
        return Edit(ops, slots | ({"function": owner.name} if owner else {})) if ops else None


def _shown(names: Sequence[str], rng: Random) -> str:
    mark = rng.choice('\'""')
    text = wording.message(rng)
    if not names or rng.random() < 0.4:
        return f"{mark}{text}{mark}"
    name = rng.choice(names)
    said = [name, f"f{mark}{text}: {{{name}}}{mark}", f"{mark}{pools.noun(rng)} %s{mark} % {name}"]
    return rng.choice([*said, f"{mark}{pools.noun(rng)}:{mark}, {name}", f"{mark}{text}{mark}, {name}"])
