"""Log what an except clause catches."""

from collections.abc import Mapping
from random import Random
from typing import ClassVar

from spark_tui.editing.codemods.checks.except_clauses import clauses
from spark_tui.editing.snippet import Snippet
from spark_tui.training.kinds import pools
from spark_tui.training.kinds.occasional import Occasional

_TEXTS = (
    "could not {} the {}", "failed to {} the {}", "cannot {} {}", "unable to {} {}", "error while trying to {} the {}",
    "problem with the {1}", "{1} failed", "Failed to {} {}", "Could not {} the {}", "{1} is broken", "no {1} available",
)  # fmt: skip


class LogException(Occasional):
    """`logger.exception("...")` at the top of a handler.

    Slots: besides those of Occasional, {message} what to log, {action} a method other than exception.
    """

    name: ClassVar[str] = "log_exception"
    one: ClassVar[str] = "the except|the except clause|this except|the handler|the exception handler|the except block"
    many: ClassVar[str] = "the excepts|all excepts|both except clauses|every except|all handlers|the except blocks"
    named: ClassVar[str] = (
        "the except {}|the {} handler|except {}|the except {} clause|the handler for {}|the handler of {}|the {} case"
    )
    skeletons: ClassVar[str] = """
<log> the exception in {what}
<log> the error in {what}
<log> the traceback in {what}
<log> what went wrong in {what}
<log> it in {what}
<add> a log call to {what}
<add> logging to {what}
<add> a logger.exception to {what}
<add> logger.exception [to|in] {what}
<use> logger.exception in {what}
<call> logger.exception in {what}
<write> the exception to the log in {what}
{what} <should> log [the exception|the error|what happened|something]
{what} <should> not be silent, <log> it
{what} <should> leave a trace in the log
{what} is silent, <log> the exception
{what} does not log anything
{what} [hides|swallows] the error without logging [it|]
[why|how come] is nothing logged in {what}
[why|how come] doesn't {what} log [anything|the exception]
<make> {what} log the exception
<make> {what} log [the error|the traceback]
don't [ignore|swallow] the error silently in {what}, log it
don't lose the traceback in {what}, log it
i can't see [the error|what happens] in {what}, <log> it
we need a log [message|entry|line] in {what}
<want> a log entry in {what}
the log <should> [show|say|tell] when we get to {what}
errors in {what} <should> [go to|show up in|appear in] the log
<lint>: S110 log the exception in {what}
BLE001 [at|in] {what}, <log> the exception
<nit>: <log> the exception in {what}
<review>: <log> the exception in {what}
[log|logging] in {what} [please|]
<log> the [exception|error|exceptions|errors]{unsaid}
<log> caught exceptions{unsaid}
<log> [it|errors] when [it|this] fails{unsaid}
<use> logger.exception{unsaid}
<add> logger.exception{unsaid}
<add> logging to the error handling{unsaid}
S110 `try`-`except`-`pass` detected, consider logging the error{unsaid}
S110: consider logging the error{unsaid}
the exception is [swallowed|ignored|dropped] without [a trace|a log|any logging]{unsaid}
errors <should> [be logged|end up in the log|not be silent, log them]{unsaid}
nothing [is logged|shows up in the log] when [it|this] fails{unsaid}
[when|if] [it|this] fails there's nothing in the log{unsaid}
failures are silent, <log> them{unsaid}
[we|i] never see [the error|what went wrong] in the logs{unsaid}
<log> ["{message}"|'{message}'|`{message}`] whenever we get to {case}
<log> ["{message}"|'{message}'|`{message}`] in {case}
<log> the exception in {case} <with> the message ["{message}"|'{message}'|`{message}`]
<log> the exception in {case} as ["{message}"|'{message}'|`{message}`]
<add> logger.exception("{message}") to {case}
<add> a log entry ["{message}"|'{message}'|`{message}`] to {case}
<add> a log call to {case} that says ["{message}"|'{message}'|`{message}`]
{case} <should> log ["{message}"|'{message}'|`{message}`]
{case} <should> say ["{message}"|'{message}'|`{message}`] in the log
<make> {case} log ["{message}"|'{message}'|`{message}`]
<write> ["{message}"|'{message}'|`{message}`] to the log in {case}
<use> logger.exception in {case}, <with> ["{message}"|'{message}'|`{message}`]
in {case} log the error, saying ["{message}"|'{message}'|`{message}`]
<nit>: <log> ["{message}"|'{message}'|`{message}`] in {case}
<review>: {case} <should> log something like ["{message}"|'{message}'|`{message}`]
<log> a {action} in {case}
<log> a {action} with the exception in {case}
<use> logger.{action} in {case}
<add> logger.{action} to {case}
<add> a {action} log [call|] to {case}
<log> the exception as {action} in {case}
<log> it as {action} in {case}
<log> the exception at {action} level in {case}
{case} <should> log a {action}
{case} <should> log at {action} level
<make> {case} log a {action}
a {action} in {case} [please|would help]
<write> a {action} to the log in {case}
@<log> the [exception|error] [here|]{plain}
@<log> [it|this]{plain}
@<log> this [exception|error]{plain}
@<add> [logging|a log call|logger.exception] [here|]{plain}
@logger.exception [here|]{plain}
@S110 [here|]{plain}
@this <should> be logged{plain}
@this is silent, <log> it{plain}
@don't swallow this silently, log it{plain}
@<log> ["{message}"|'{message}'|`{message}`] [here|]
@<log> the exception with the message ["{message}"|'{message}'|`{message}`]
@logger.exception("{message}")
@this <should> log ["{message}"|'{message}'|`{message}`]
@<log> a {action} [here|]
@<use> logger.{action} [here|]
@<log> this as {action}
silent failure [in {what}|with {what}], <log> it
{what}: nothing in the log
{what} -> log
{what}, but log it
{what} and nobody hears about it, <log> it
trace for {what} [please|]
when we end up in {what} i want to see it in the log
leave something in the log in {what}
tell the log about {what}
how am i supposed to debug {what} without a log?
ops never hears of {what}, <log> it
it goes wrong in {what} and nobody notices. log please
{what} <should> be visible in the logs
put the stack trace of {what} into the log
stack trace into the log for {what}
write down what happened in {what} (log)
can we log [something|the error] in {what}?
why not log it in {what}?
no trace of {what} in the logs
{what} vanishes without a trace, log it
nothing in sentry for {what}, <log> the exception
nothing but silence in {what}, log it
TRY400 style: logger.exception in {what}
{what}: logger.exception(...)
S110 [at|in] {what}, log it
S112 `try`-`except`-`continue` detected, consider logging the error ({what})
B110 try_except_pass: Try, Except, Pass detected. log in {what}
nothing in the logs{unsaid}
the logs are empty although it failed{unsaid}
log this{unsaid}
logger.exception(...) in the except{unsaid}
logging please{unsaid}
no log, no clue{unsaid}
silent{unsaid}, log it
fails without a word, log it{unsaid}
it failed last night and the log says nothing{unsaid}
the error goes [unnoticed|nowhere], it should be in the log{unsaid}
i'd like a stack trace in the log{unsaid}
stack trace in the log please{unsaid}
traceback to the log{unsaid}
S112 `try`-`except`-`continue` detected, consider logging the error{unsaid}
\\[B110:try_except_pass\\] Try, Except, Pass detected. log it{unsaid}
Either log or rethrow this exception. log it{unsaid}
<log> exceptions instead of [swallowing|ignoring|hiding] them [silently|]{unsaid}
errors end up in /dev/null, log them{unsaid}
in the except: log{unsaid}
log before [swallowing|ignoring] it{unsaid}
log ["{message}"|'{message}'|`{message}`] [when|if] we land in {case}
{case}: log ["{message}"|'{message}'|`{message}`]
{case} -> logger.exception("{message}")
["{message}"|'{message}'|`{message}`] <should> be in the log for {case}
the log <should> read ["{message}"|'{message}'|`{message}`] in {case}
when {case} hits, write ["{message}"|'{message}'|`{message}`] to the log
silent failure in {case}. log ["{message}"|'{message}'|`{message}`]
i want to grep for ["{message}"|'{message}'|`{message}`] when {case} happens
leave ["{message}"|'{message}'|`{message}`] in the log in {case}
{case} with a log line ["{message}"|'{message}'|`{message}`]
TRY400 {case}: logger.exception("{message}")
log line for {case}: ["{message}"|'{message}'|`{message}`]
{case}: logger.{action}
{case} -> {action} log
{action} level is enough, log it in {case}
no need for a traceback in {case}, logger.{action} will do
a short {action} in the log for {case}
{case} deserves a log at {action} level
{case} isn't dramatic, log it at {action} level
logger.{action}(...) in {case}
@silent, log it{plain}
@log!{plain}
@leaves no trace, log it{plain}
@logging here{plain}
@S112 [here|], log{plain}
@stack trace into the log{plain}
@"{message}" to the log
@log line: "{message}"
@logger.{action}
@{action} level log
"""

    def told(self, snippet: Snippet, rng: Random) -> dict[str, str]:
        """A message, or a level."""
        roll = rng.random()
        if roll < 0.35:
            text = rng.choice(_TEXTS).format(rng.choice(("load", "read", "send", "open", "find")), pools.noun(rng))
            return {"message": text}
        if roll < 0.55 and all(clause.caught for clause in clauses(snippet)):
            return {"action": rng.choice(("warning", "warning", "error", "debug", "info"))}
        return {}

    def said(self, slots: Mapping[str, str]) -> str:
        """The message in quotes, the level as a method."""
        if "message" in slots:
            return f'"{slots["message"]}"'
        return f"logger.{slots['action']}" if "action" in slots else ""
