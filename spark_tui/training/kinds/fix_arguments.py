"""Put back an argument that was left out, take away one too many, or restore a keyword."""

import ast
from collections.abc import Iterator
from random import Random
from typing import ClassVar

from spark_tui.editing.codemods.base import applied
from spark_tui.editing.codemods.bugs.call_arguments import (
    Called,
    names_in_scope,
    passed,
    with_argument,
    with_keyword,
    without,
)  # fmt: skip
from spark_tui.editing.codemods.fix_arguments import calls_in
from spark_tui.editing.snippet import Snippet
from spark_tui.training.kinds import pools
from spark_tui.training.kinds.base import Edit, Kind, Planted
from spark_tui.training.kinds.planting import Bug, planted

_NAMED = ("unsaid", "ending", "case")


class FixArguments(Kind):
    """`f(a)` becomes `f(a, b)`, `f(a, b)` becomes `f(a)`, `f(x=a)` becomes `f(y=a)`.

    Slots: {name} the argument that is missing or too much, {call} what is called; {old} and {new} keywords; {trouble}
    what Python says. Empty ones: {unsaid} an argument is missing, {ending} one is too much, {case} the keyword is wrong,
    and nothing but that need be said.
    """

    name: ClassVar[str] = "fix_arguments"
    weight: ClassVar[float] = 0.8
    skeletons: ClassVar[str] = """
{trouble}
{trouble}, <fix> it
{trouble} [in|at] the call [of|to] {call}
[i get|we get|it says|it fails with|getting|python says] {trouble}
<why> do i get {trouble}
[calling|the call to] {call} [gives|raises|fails with] {trouble}
{missing} {name} is not passed to {call}
{missing} {name} is never passed [on|along|] [to {call}|]
{missing} send {name} to {call}
{missing} pass {name} [on|along|through|] to {call}
{missing} pass {name} [too|as well|also] [to {call}|]
{missing} {call} <should> get {name} [too|as well|]
{missing} {call} <need> {name}
{missing} {call} [doesn't|does not] get {name}
{missing} <add> {name} to the [arguments|call] of {call}
{missing} <add> the [missing|] argument {name} [to {call}|to the call|]
{missing} <a_missing> argument {name} [in the call to {call}|]
{missing} the argument {name} is missing [in the call [to|of] {call}|]
{missing} i forgot [to pass|] {name} [to|in the call to|when calling] {call}
{missing} i forgot to pass {name}
{missing} <give> {call} the {name}
{missing} hand {name} [over|on|] to {call}
{missing} [call|use] {call} with {name}
{missing} {call} is called without {name}
{missing} {call} lacks [the|its|] {name} [argument|]
{missing} {name} has no effect[, it isn't passed on|, it is never passed|]
{missing} {name} is ignored [by {call}|]
{missing} {name} gets lost [on the way to {call}|]
{missing} forward {name} to {call}
{unsaid} an argument is missing
{unsaid} <a_missing> argument
{unsaid} an argument is missing in the call [to|of] {call}
{unsaid} {call} [misses|lacks|is missing] an argument
{unsaid} {call} [gets|is called with] too few arguments
{unsaid} too few arguments [in the call to {call}|for {call}|]
{unsaid} not enough arguments [for {call}|]
{unsaid} i forgot an argument [of {call}|when calling {call}|]
{surplus} {call} [doesn't|does not] take {name}
{surplus} <remove> [the argument|] {name} from the call [to|of] {call}
{surplus} <drop> {name} from {call}
{surplus} <drop> the argument {name} [in the call to {call}|]
{surplus} don't pass {name} [to {call}|]
{surplus} {call} [needs|wants] no {name}
{surplus} no {name} [for|in the call to|in] {call}
{surplus} {name} <should> not be passed to {call}
{surplus} {name} is <unneeded> [in the call to {call}|]
{surplus} <unneeded> argument {name} [in the call to {call}|]
{surplus} <why> do we pass {name} to {call}
{surplus} {call} without {name}
{surplus} call {call} without {name}
{ending} [one|an] argument too many
{ending} too many arguments
{ending} too many arguments [for|in the call to|passed to] {call}
{ending} {call} [gets|is called with] too many arguments
{ending} {call} [gets|has] one argument too many
{ending} <remove> the [superfluous|extra|unneeded] argument [of {call}|in the call to {call}|]
{ending} [there's|there is] [a superfluous|an extra] argument [in the call to {call}|]
{keyword} {old} <should> be {new}
{keyword} the keyword {old} <should> be {new}
{keyword} the keyword is {new}, not {old}
{keyword} the [keyword|argument|parameter] is [called|named] {new}, not {old}
{keyword} {call} has no [argument|parameter] {old}, it is {new}
{keyword} <rename> the keyword {old} to {new}
{keyword} <use> {new}= [instead of|not] {old}=
{keyword} <change> the keyword {old} to {new}
{keyword} pass it as {new}[, not as {old}| instead of {old}]
{keyword} {call} takes {new}, not {old}
{keyword} {call} [wants|expects|calls it] {new}, not {old}
{keyword} [wrong|bad] keyword {old}, <use> {new}
{case} [wrong|bad] keyword [argument|]
{case} [wrong|bad] keyword {old}
{case} {call} has no {old} [argument|parameter|keyword|]
{case} the keyword {old} [is wrong|doesn't exist|is not known]
{case} {call} [doesn't|does not] [know|take|accept] {old}
{case} there is no {old} [argument|parameter] [in {call}|]
{case} <lint>: E1123 Unexpected keyword argument '{old}' in function call
{case} mypy: Unexpected keyword argument "{old}" for "{call}"
{missing} <lint>: E1120 No value for argument '{name}' in function call
{missing} mypy: Missing positional argument "{name}" in call to "{call}"
{ending} <lint>: E1121 Too many positional arguments for function call
{ending} mypy: Too many arguments for "{call}"
@{unsaid} an argument is missing [here|]
@{unsaid} too few arguments [here|]
@{missing} {name} is missing [here|]
@{missing} pass {name} [here|too|as well]
@{ending} [one argument too many|too many arguments] [here|]
@{surplus} no {name} [here|]
@{case} [wrong|bad] keyword [here|]
@{keyword} {old} is {new}
@{keyword} {new}, not {old}
@{trouble}
{trouble} ??
{trouble} since [yesterday|the refactoring|the last merge|we changed the signature]
crashes: {trouble}
boom, {trouble}
{trouble} as soon as i [run|call|try] it
the tests [die|fail] with {trouble}
[pytest|ci|sentry]: {trouble}
somebody changed the signature, now {trouble}
{trouble} -- the call is wrong
{missing} {call} without {name}?
{missing} {name} goes missing
{missing} {name} isn't handed to {call}
{missing} what about {name}?
{missing} and {name}?
{missing} {call} wants {name} [too|as well|]
{missing} {name} never reaches {call}
{missing} {name} never [makes it|gets] [to|into] {call}
{missing} we take {name} and then don't use it for {call}
{missing} {name} too please
{missing} {name} [is|gets] dropped before {call}
{missing} {name} fell out of the call [of|to] {call}
{missing} {call} can't know {name} if we don't tell it
{missing} whatever i give as {name}, {call} doesn't see it
{missing} setting {name} changes nothing
{missing} ARG001 Unused function argument: `{name}`. it's meant for {call}
{missing} {name} is accepted but {call} goes on without it
{missing} pyright: Argument missing for parameter "{name}"
{missing} error: Missing positional argument "{name}" in call to "{call}"  \\[call-arg\\]
{missing} error: Missing named argument "{name}" for "{call}"
{missing} PyCharm: Parameter '{name}' unfilled
{missing} the signature of {call} asks for {name}
{missing} {call}(..., {name})
{missing} don't lose {name} on the way to {call}
{unsaid} one argument short
{unsaid} {call} is one argument short
{unsaid} somebody dropped an argument [of {call}|]
{unsaid} the call [to|of] {call} is incomplete
{unsaid} {call} [wants|takes|expects] one more
{unsaid} shouldn't {call} get one more?
{unsaid} E1120 no-value-for-parameter
{unsaid} error: Too few arguments [for "{call}"|]  \\[call-arg\\]
{unsaid} wrong number of arguments, we pass one less than {call} takes
{surplus} {name}? {call} has no use for it
{surplus} leave {name} out [of the call|when calling {call}|]
{surplus} no {name} please
{surplus} without {name}
{surplus} {call} used to take {name}, not any more
{surplus} {name} was removed from {call} [in the last release|last week|]
{surplus} {name} shouldn't be in there
{surplus} {call} never had a {name}
{surplus} {name} is too much [for {call}|]
{surplus} what is {name} doing in the call to {call}?
{surplus} stop handing {name} to {call}
{surplus} pyright: No parameter named "{name}"
{ending} {call} doesn't take that many
{ending} {call} takes [less|fewer] than that
{ending} one less for {call}
{ending} E1121 too-many-function-args
{ending} pyright: Expected fewer positional arguments
{ending} error: Too many positional arguments for "{call}"  \\[call-arg\\]
{ending} there's something in the call to {call} that doesn't belong there
{keyword} {old}= -> {new}=
{keyword} {old} -> {new}
{keyword} s/{old}=/{new}=/
{keyword} {call} renamed {old} to {new}
{keyword} {old} was renamed to {new} [in {call}|upstream|]
{keyword} [typo|oops]: {new}, not {old}
{keyword} the keyword is spelled {new}, not {old}
{keyword} {old} no longer exists, {new} does
{keyword} {call}({new}=...), not {old}=
{keyword} DeprecationWarning: '{old}' is deprecated, use '{new}' instead
{keyword} unexpected keyword {old}, must be {new}
{case} {call} [never heard of|knows no|chokes on] {old}
{case} {old}= is a typo
{case} error: Unexpected keyword argument "{old}" for "{call}"  \\[call-arg\\]
{case} pyright: No parameter named "{old}"
{case} the keyword in the call of {call} is misspelt
@{unsaid} one short
@{missing} and {name}?
@{missing} what about {name}
@{surplus} without {name}
@{ending} one too many
@{keyword} {old} -> {new}
@{case} typo in the keyword
"""

    def plant(self, snippet: Snippet, rng: Random) -> Planted | None:
        """Leave an argument out, put one in, or spell a keyword differently."""
        every = calls_in(snippet)
        makers = [_left_out, _left_out, _put_in, _misspelt]
        for make in rng.sample(makers, len(makers)):
            bugs = list(make(snippet, every, rng))
            for bug in rng.sample(bugs, min(len(bugs), 3)):
                named = {slot: text for slot, text in bug.symptoms.items() if slot not in _NAMED}
                if "keyword" in named:
                    named["trouble"] = f"{bug.symptoms['trouble']}. Did you mean '{bug.slots['new']}'?"
                told = Bug(bug.wrong, bug.right, bug.slots, named)
                hint = " ".join(bug.slots.values())
                done = planted(self.name, bug, rng) or planted(self.name, told, rng, hint)
                if done:
                    return done
        return None

    def propose(self, snippet: Snippet, rng: Random) -> Edit | None:
        """Nothing: real code is taken to be right."""
        return None


def _left_out(snippet: Snippet, every: list[Called], rng: Random) -> Iterator[Bug]:
    for called in every:
        for argument in called.arguments:
            name = passed(snippet, argument)
            if name not in names_in_scope(called.function, called.node) or not (
                ops := without(snippet, called, argument)
            ):
                continue
            keyword = argument.arg if isinstance(argument, ast.keyword) else None
            what = "keyword-only" if keyword and rng.random() < 0.3 else "positional"
            trouble = f"TypeError: {called.name}() missing 1 required {what} argument: '{keyword or name}'"
            symptoms = {"trouble": trouble, "unsaid": "", "missing": ""}
            yield Bug(applied(snippet, ops), snippet.lines, {"name": keyword or name, "call": called.name}, symptoms)


def _put_in(snippet: Snippet, every: list[Called], rng: Random) -> Iterator[Bug]:
    for called in every:
        scope = names_in_scope(called.function, called.node)
        name = rng.choice(scope) if scope else rng.choice(["None", "True", "self", "0"])
        count = len(called.node.args)
        if rng.random() < 0.3 and called.node.keywords and called.signature is None:
            ops = with_argument(snippet, called, f"{name}={name}", len(called.arguments)) if scope else None
            trouble = f"TypeError: {called.name}() got an unexpected keyword argument '{name}'"
        else:
            ops = with_argument(snippet, called, name, rng.choice([0, count, count]))
            plural = "argument" if count == 1 else "arguments"
            trouble = f"TypeError: {called.name}() takes {count} positional {plural} but {count + 1} {'were' if count else 'was'} given"
        known = {one.arg for one in called.node.keywords} | {passed(snippet, one) for one in called.arguments}
        if ops and called.name and name not in known:
            symptoms = {"trouble": trouble, "ending": "", "surplus": ""}
            yield Bug(applied(snippet, ops), snippet.lines, {"name": name, "call": called.name}, symptoms)


def _misspelt(snippet: Snippet, every: list[Called], rng: Random) -> Iterator[Bug]:
    for called in every:
        for keyword in called.node.keywords:
            right = keyword.arg or ""
            wrong = _other(right, rng)
            if wrong in {one.arg for one in called.node.keywords} or not (ops := with_keyword(snippet, keyword, wrong)):
                continue
            trouble = f"TypeError: {called.name}() got an unexpected keyword argument '{wrong}'"
            symptoms = {"case": "", "keyword": "", "trouble": trouble}
            yield Bug(applied(snippet, ops), snippet.lines, {"old": wrong, "new": right, "call": called.name}, symptoms)


def _other(name: str, rng: Random) -> str:
    """A keyword one could take for this one."""
    parts = name.split("_")
    guesses = [f"{name}s", f"{name}_{pools.noun(rng)}", f"{pools.noun(rng)}_{name}", pools.variable_name(rng)]
    guesses += ["_".join(parts[1:]), "_".join(parts[:-1]), "".join(parts)] if len(parts) > 1 else []
    guesses += [name[:-1]] if name.endswith("s") and len(name) > 3 else []
    return rng.choice([one for one in guesses if one != name and one.isidentifier()] or [f"{name}s"])
