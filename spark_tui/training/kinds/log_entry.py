"""Log the entry to a function: a first statement such as `logger.debug("entering f")`."""

from random import Random
from typing import ClassVar

from spark_tui.editing.codemods.log_entry import entry
from spark_tui.editing.codemods.statements.logging_words import logger_of
from spark_tui.editing.snippet import Snippet
from spark_tui.editing.statements import top_of
from spark_tui.training.kinds import wording
from spark_tui.training.kinds.base import Edit, Kind

_LEVELS = ("debug", "debug", "info", "info", "warning", "error", "critical")
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


class LogEntry(Kind):
    """One log line before everything but the docstring.

    What is not told: the logger is the region's or `logger`, the level debug, the text "entering" and the function's name.
    """

    name: ClassVar[str] = "log_entry"
    weight: ClassVar[float] = 0.8
    skeletons: ClassVar[str] = """
<log> when {entered} is [entered|called|invoked]
<log> the entry [to|of|into] {entered}
<log> [every|each|the] call [to|of] {entered}
<log> at the start of {entered}
<log> that {entered} was [entered|called]
<add> [a log line|a log message|logging] at the [start|beginning|top] of {entered}
<add> [a log line|a log message|logging|a log statement] on entry to {entered}
<add> entry logging to {entered}
<add> a debug log [to|at the start of] {entered}
<add> tracing to {entered}
[i want|we need] to [see|know|trace] when {entered} is called[ in the log|]
[trace|log] {entered}
{entered} <should> log [that it was called|its entry|when it starts]
{entered} <should> say in the log that it was [entered|called]
no way to [see|tell] from the log that {entered} [ran|was called]
[why|how come] doesn't {entered} log its entry
entry log for {entered}
log on entry[:|,] {entered}
write to the log when {entered} [starts|begins|is called]
[start|begin] {entered} with a log line
let {entered} announce itself in the log
make {entered} log on entry
is {entered} even called? log it
<review>: log entry to {entered}
<log> the entry at level {severity}
<log> at {severity} when [it is entered|it is called|it starts|the function is entered]
<add> a {severity} log [on entry|at the start|at the top]
<add> a {severity} log line [on entry|at the start|at the top|when it is called]
<add> entry logging [at|on] level {severity}
[on entry|at the start|at the top|first] log at {severity}
{severity} log [on entry|at the start]
log the call at {severity} level
emit a {severity} record on entry
{severity} level entry log
log {severity} on entry
[tell|show] [us|me] at {severity} that it [was entered|got called|ran]
its first [act|step|line] <should> be a {severity} log
[trace|note] the entry [at|with level] {severity}
[one|a single] {severity} log line [up front|before everything else]
there is no {severity} log [on entry|at the top|when it is called]
[entry|call] logging, level {severity}
<log> {message} at level {level} [first|at the start|on entry|at the top]
<log> {message} as {level} [first|at the start|on entry|at the top]
<log> {message} [first|at the start|on entry|at the beginning] with {target}
<add> a {level} log saying {message} [at the start|on entry|at the top|at the beginning]
<add> a {level} log line {message} [at the start|on entry|at the top|first]
<add> {target} with {message} [at the start|on entry|at the top|first]
[on entry|at the start|at the top|first] log {message} at {level}
[on entry|at the start|at the top|first thing] log a {level} [message|line] saying {message}
[start|begin] with a {level} log saying {message}
[start|begin] by logging {message} at {level}
it <should> log {message} at {level} [first|when entered|on entry|before anything else]
when [called|entered] it <should> log {message} as {level}
emit {message} at {level} on entry
{target} {message} [on entry|at the top|first]
{level} log on entry: {message}
entry log at {level}: {message}
before anything else log {message} with level {level}
[i want|we need] a {level} log [on entry|at the top] that says {message}
a log line {message} at level {level} is missing at the top
write {message} to the log at {level} [on entry|at the start]
make the first line log {message} at {level}
<log> {text} [on entry|first|at the start|at the top] with {call}
<log> {text} with {logger} at level {level} [on entry|first|at the start|at the top]
<log> {text} as {level} on {logger} [on entry|first|at the start|at the top]
<add> {call} saying {text} [on entry|first|at the start|at the top]
<add> a {level} log {text} through {logger} [on entry|first|at the start|at the top]
[on entry|at the start|at the top|first] call {call} with {text}
[on entry|at the start|at the top|first] log {text} at {level} via {logger}
[start|begin] with {call} saying {text}
[start|begin] by logging {text} to {logger} as {level}
it <should> call {call} with {text} [on entry|first|before anything else]
use {logger} to log {text} at {level} [on entry|at the start|first]
{call} {text} [on entry|at the top|first]
entry log with {call}: {text}
write {text} to {logger} at {level} [on entry|at the start]
make the first line {call} with {text}
the first thing <should> be {call} with {text}
send {text} through {logger} at {level} [up front|before anything else|as soon as it is called]
[i want|we need] {call} [up front|at the top|on entry] saying {text}
[one|a] {call} line [up front|at the top|first]: {text}
let {logger} say {text} at {level} [on entry|first]
{level} [message|record] on {logger} [at the top|on entry]: {text}
{entered}: log [entry|the call|when called]
{entered} [was|got] called, [i want|we want] to see that in the log
[does|did] {entered} [ever|even] [run|get called]? [put a log line there|log it]
who knows if {entered} [ever|even] runs, log it
when does {entered} run? i'd like a log line
nothing in the log when {entered} runs
{entered} leaves no trace in the log
{entered} is silent, [a log line|log] at the [start|top]
[can't|cannot] see in the log whether {entered} [ran|was called]
debug line [at the top|first thing] in {entered}
logger.debug at the top of {entered}
[breadcrumb|trace|tracing|log line] in {entered}, [first line|at the top]
"entering {entered}" in the log
"entering ..." [log|line] for {entered}
announce {entered} in the log
[i'm|we're] debugging, log [calls to|entry into] {entered}
log line: {entered} entered
[for tracing|for debugging]: log {entered}
make calls of {entered} visible in the log
show in the log that {entered} [runs|is running|started]
{entered} needs a log line [first|up front|at the start]
[one|a] log line when we get into {entered}
record in the log that we're in {entered}
does {entered} log its start? it should
todo: entry log in {entered}
{severity} [when|as soon as] it [starts|is entered|gets called]
{severity} log first
{severity} log line at the top
{severity}, first line
{severity}: entering
first line: log at {severity}
line one <should> be a {severity} log
log that we got here, {severity}
{severity} trace of [each|every] call
[each|every] call <should> [show up|appear] in the log at {severity}
see it in the log at {severity} when it [starts|is called]
can we get a {severity} log on entry?
why no {severity} log on entry?
entry -> {severity} log
todo: {severity} log at the top
a {severity} line saying we entered it
announce the call at {severity}
{severity} is the level for the entry log
{message}, {level}, [at the top|on entry|first line]
{message} ({level}) at the top
{message} at {level}, first thing
{message} in the log at {level} when it starts
{message} via {target}, [first|at the top|on entry]
{target}({message}) [at the top|first|as first line|on entry]
first line {target} {message}
first line: {target}({message})
[line 1|top line|opening line]: {level} log {message}
log line up front, {level}: {message}
the log <should> [say|show|read] {message} ({level}) when it's called
[each|every] call <should> log {message} at {level}
i want to read {message} in the log [at|on level] {level} when it starts
nothing in the log when it starts. {level}, {message}
announce it with {message} at {level}
before it does anything: {target} {message}
before it does anything, {message} at {level} to the log
can it log {message} at {level} first?
todo: {level} log {message} at the top
let the log know: {message}, {level}, at the start
top of the body: {target} with {message}
{call}({text}) [at the top|first|as first line|on entry]
{call} {text}, first line
first line {call}({text})
first of all {call}: {text}
[line 1|top line|opening line]: {call} {text}
top of the body: {call} with {text}
{text} via {call}, [first|at the top|on entry]
{text} to {logger} at {level}, first thing
{logger} <should> [say|get] {text} at {level} when it's called
[each|every] call <should> [show up|be] in {logger} as {level}: {text}
nothing logged when it starts. {call} with {text}
before it does anything: {call} {text}
can it do {call} with {text} first?
announce it on {logger} at {level}: {text}
todo: {call} {text} at the top
"""

    def propose(self, snippet: Snippet, rng: Random) -> Edit | None:
        """Log the entry to one function."""
        if not snippet.functions:
            return None
        function = rng.choice(snippet.functions)
        if top_of(snippet, function) is None:
            return None
        level, logger, text = rng.choice(_LEVELS), logger_of(snippet), f"entering {function.name}"
        roll = rng.random()
        if roll < 0.2:
            level, slots = "debug", {"entered": function.name}
        elif roll < 0.35:
            slots = {"severity": level}
        else:
            text = rng.choice([wording.message(rng), f"{function.name} called", f"in {function.name}", text])
            slots = {"target": f"{logger}.{level}", "level": level, "message": text}
            if roll > 0.7:
                logger = rng.choice(_LOGGERS)
                slots = {"logger": logger, "call": f"{logger}.{level}", "level": level, "text": text}
        ops = entry(snippet, function, f"{logger}.{level}", text)
        return Edit(ops, {"function": function.name} | slots)
