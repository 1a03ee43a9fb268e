"""Put back a call that was left out, or take away one too many."""

import ast
from collections.abc import Mapping, Sequence
from random import Random
from typing import ClassVar

from spark_tui.editing.code import start_of, text_of
from spark_tui.editing.codemods.base import applied
from spark_tui.editing.codemods.bugs.call_changes import METHODS, Change, changes
from spark_tui.editing.codemods.bugs.results import holders_of
from spark_tui.editing.snippet import Snippet
from spark_tui.training.kinds.base import Edit, Kind, Planted
from spark_tui.training.kinds.planting import Bug, planted

_MISSING = {
    "str": 'TypeError: can only concatenate str (not "int") to str|TypeError: can only concatenate str (not "float") to str',
    "int": "TypeError: unsupported operand type(s) for +: 'int' and 'str'|TypeError: '<' not supported between instances of"
    " 'str' and 'int'|TypeError: list indices must be integers or slices, not str",
    "float": "TypeError: unsupported operand type(s) for *: 'str' and 'float'|TypeError: '>' not supported between instances of 'str' and 'float'",
    "len": "TypeError: 'list' object cannot be interpreted as an integer|TypeError: '>' not supported between instances of"
    " 'list' and 'int'|TypeError: unsupported operand type(s) for -: 'list' and 'int'",
    "list": "TypeError: 'dict_keys' object is not subscriptable|TypeError: 'map' object is not subscriptable|RuntimeError:"
    " dictionary changed size during iteration|TypeError: object of type 'filter' has no len()",
    "items": "ValueError: too many values to unpack (expected 2)|ValueError: not enough values to unpack (expected 2, got 1)"
    "|TypeError: cannot unpack non-iterable int object",
    "range": "TypeError: 'int' object is not iterable",
    "enumerate": "TypeError: cannot unpack non-iterable str object|ValueError: too many values to unpack (expected 2)",
    "encode": "TypeError: a bytes-like object is required, not 'str'",
    "decode": "TypeError: write() argument must be str, not bytes",
    "()": "TypeError: 'builtin_function_or_method' object is not iterable|TypeError: unsupported operand type(s) for +: 'method'"
    " and 'str'|AttributeError: 'function' object has no attribute 'get'|it prints <bound method>|TypeError: 'method' object is"
    " not subscriptable|it is a <built-in method> instead of a value",
}  # fmt: skip
_EXTRA = {
    "str": "TypeError: string indices must be integers|TypeError: unsupported operand type(s) for +: 'str' and 'int'",
    "int": "ValueError: invalid literal for int() with base 10: 'a'|TypeError: 'int' object is not iterable",
    "float": "ValueError: could not convert string to float: 'x'",
    "len": "TypeError: object of type 'int' has no len()|TypeError: 'int' object is not iterable",
    "range": "TypeError: 'list' object cannot be interpreted as an integer",
    "items": "AttributeError: 'list' object has no attribute 'items'",
    "keys": "AttributeError: 'list' object has no attribute 'keys'",
    "values": "AttributeError: 'list' object has no attribute 'values'",
    "decode": "AttributeError: 'str' object has no attribute 'decode'",
    "encode": "AttributeError: 'bytes' object has no attribute 'encode'",
    "()": "TypeError: 'str' object is not callable|TypeError: 'int' object is not callable|TypeError: 'list' object is not"
    " callable|TypeError: 'bool' object is not callable|TypeError: 'NoneType' object is not callable",
}  # fmt: skip

_SHARES = {(False, False): 4, (False, True): 3, (True, True): 2, (True, False): 1}
"""How often a change is made: whether it puts something in, and whether that is only parentheses."""


class FixCall(Kind):
    """`x` becomes `str(x)`, `x.items()`, `x()`, or the reverse.

    Slots: {expression} as it is and {wanted} as it should be; {word} the call that is missing or too much, {appended} a
    method's name; {inner} what is wrapped; {trouble} what Python says. {unsaid} when a call is missing, {ending} when one
    is too much, {case} when it is only the parentheses that are missing, {above} when they are too much.
    """

    name: ClassVar[str] = "fix_call"
    weight: ClassVar[float] = 0.8
    skeletons: ClassVar[str] = """
{trouble}
{trouble}, <fix> it
{trouble} [with|at|for|on|from] {expression}
[i get|we get|it says|it fails with|getting|python says] {trouble}
<why> do i get {trouble}
{expression} [gives|raises|fails with|leads to] {trouble}
{trouble}, it's {expression}
<fix> the TypeError
<fix> the error [in|at|with] {expression}
{expression} <should> be {wanted}
<use> {wanted} [instead of|rather than|not] {expression}
it <should> be {wanted}, not {expression}
<change> {expression} to {wanted}
{expression} -> {wanted}
{wanted}[, not {expression}| instead of {expression}]
{expression} is [wrong|not right][, {wanted} is right|, it's {wanted}|]
[i meant|we want|it is] {wanted}[, not {expression}|]
{unsaid}<wrap> {inner} in {word}
{unsaid}{word} is missing [around|for|on] {inner}
{unsaid}<a_missing> {word} [around|on] {inner}
{unsaid}i forgot [the|a] {word} [around|on] {inner}
{unsaid}<convert> {inner} with {word}
{unsaid}{inner} <need> [a|] {word}
{unsaid}{inner} <should> be [wrapped in|passed through|put through] {word}
{unsaid}<call> {word} on {inner}
{unsaid}<a_missing> {word}
{unsaid}i forgot {word}
{unsaid}[there's|there is] a {word} missing
{unsaid}{inner} must go through {word} first
{unsaid}<add> [the|a] {word} call [around|on|to] {inner}
{appended} is missing [on|after] {inner}
{inner} <should> be {wanted}
[you|we|i] forgot {appended} [on|after] {inner}
<call> {appended} on {inner}
<add> {appended} [to|after] {inner}
{inner} lacks [a|the|] {appended}
{ending}<remove> {word} [from|around] {expression}
{ending}<drop> the {word} [in|around] {expression}
{ending}no {word} [there|needed|in {expression}]
{ending}{word} is <unneeded> [in|for|on] {expression}
{ending}don't [call|use] {word} [on|for] {inner}
{ending}{inner} [is already|needs no|does not need a|doesn't need] {word}
{ending}<unneeded> {word} [around|on] {inner}
{ending}<why> {word} [around|on] {inner}
{ending}the {word} call is wrong [here|in {expression}|]
{case}{expression} is never called
{case}{expression} <should> be called
{case}<call> {expression}
{case}{expression} is a method, [call it|it has to be called]
{case}{expression} is a function, [call it|not a value]
{case}{expression} [lacks|needs|is missing|has no] [parentheses|the parentheses|brackets|parens|()]
{case}<a_missing> [parentheses|parens|()] [after|on|for] {expression}
{case}i forgot the [parentheses|parens|brackets] [after|on|for] {expression}
{case}i forgot to call {expression}
{case}<add> [the|] [parentheses|parens|()] [after|to] {expression}
{case}{expression} is the method [itself|], not its result
{case}i get the method [itself|object] [instead of|not] its result
{case}{expression} [does nothing|has no effect|never runs]
{case}[it|this] is always true, {expression} is not called
{case}{expression} is always [true|truthy]
{case}[missing|forgotten|no] [parentheses|parens]
{above}{expression} is [not a method|no method|a property|an attribute|no function|not callable]
{above}{expression} <should> not be called
{above}don't call {inner}
{above}<remove> the [parentheses|parens|()] [after|from|of] {expression}
{above}no [parentheses|parens|()] [after|for|on] {inner}
{above}{inner} is a property
{above}{inner} is an attribute, not a method
{above}{inner} can't be called
{above}[superfluous|needless|unneeded] [parentheses|parens] [after|on] {inner}
@{trouble}
@<fix> the [TypeError|error] [here|on this line|]
@[wrong|bad] call [here|]
@this <should> be {wanted}
@{unsaid}{word} [is missing|missing] [here|]
@{unsaid}<add> a {word} [here|]
@{ending}<remove> the {word} [here|]
@{ending}no {word} [here|]
@{case}[parentheses|parens|()] missing [here|]
@{case}this is never called
@{case}call it
@{above}no [parentheses|parens|()] [here|]
@{above}[this is|that's] [not a method|a property|an attribute]
@this line [raises|gives|fails with] {trouble}
Traceback (most recent call last): ... {trouble}
{trouble} since [yesterday|the last commit|the refactoring|this morning]
{trouble} as soon as i [call|run|use] it
boom: {trouble}
the tests say {trouble}
crashes with {trouble}
[ci|pytest|the build] is red: {trouble}
{trouble} -- any idea?
{trouble}. it's about {expression}
it's {expression} that [breaks|fails|crashes|blows up]: {trouble}
{wanted}[!| please|]
{expression} => {wanted}
s/{expression}/{wanted}/
was {expression}, <should> be {wanted}
shouldn't that be {wanted}?
{expression}? {wanted}!
not {expression} but {wanted}
{wanted} rather than {expression}
[typo|oops|my bad]: {expression} is {wanted}
{unsaid}{inner} without {word}
{unsaid}{word} around {inner} [please|]
{unsaid}where's the {word}?
{unsaid}{inner} is [no|not a] {word} [yet|]
{unsaid}{inner} -> {word}
{unsaid}{word} got lost [in the last refactoring|somewhere|around {inner}]
{unsaid}the {word} fell off [around {inner}|]
{unsaid}we lost {word} there, {inner} is passed raw
{unsaid}{inner} is used as it is, it [has to|must] go into {word}
{unsaid}put {inner} into {word}
{unsaid}{word} of {inner}, not {inner} itself
{unsaid}{inner} alone won't do, {word}
{unsaid}it takes {inner} [directly|raw|as is] instead of {word} of it
{unsaid}wrong type, {inner} wants {word}
{unsaid}cast missing: {word} [on {inner}|]
{inner} + {appended}
{appended} after {inner} [please|]
no {appended} on {inner}?
{inner} without {appended}
the {appended} got lost [after {inner}|]
{inner} on its own is not what we want, {appended} is
where did the {appended} of {inner} go
{ending}{word}? {inner} alone is right
{ending}what's {word} for? {inner} is fine as it is
{ending}{inner} as it is, without {word}
{ending}<unneeded> {word}, {inner} is what i want
{ending}just {inner}
{ending}plain {inner} please, no {word}
{ending}{inner} doesn't have to go through {word}
{ending}nobody asked for {word} around {inner}
{ending}take {inner} out of {word}
{ending}unwrap {inner}
{ending}the {word} around {inner} breaks it
{ending}{expression}: the {word} is one too many
{case}B015/W0104: {expression} is just a reference, it's not called
{case}`if {expression}` is always true
{case}{expression} - () missing
{case}{expression} is only referenced
{case}we compare the function [itself|], not what {expression} returns
{case}i see \\<bound method ...> [in the log|in the output|printed]
{case}\\<function ...> [in the output|is printed] instead of the value
{case}W0143 comparison-with-callable
{case}pylint: Using a conditional statement with potentially wrong function or method call due to missing parentheses
{case}mypy: Function {expression} could always be true in boolean context \\[truthy-function\\]
{case}{expression} with () please
{case}the result of {expression} is wanted, not the method
{case}{expression} has to run
{case}nobody calls {expression}
{above}{inner} without the ()
{above}the () after {inner} [is wrong|are wrong|must go]
{above}{inner} is [data|a value|just a field|an attribute] [not a function|]
{above}E1102: {inner} is not callable (not-callable)
{above}mypy: {inner} not callable \\[operator\\]
{above}{inner} became a property [last week|recently|in the last release]
{above}since {inner} is a property now
{above}{expression} blows up, {inner} is no method
{above}no need to call {inner}
{above}just {inner}, no call
{above}pass {inner} itself, not what it returns
{above}{inner} is meant as a callback
{above}the callable is wanted there, isn't it? {inner} without calling it
{above}hand over the function {inner}, don't run it
{above}TypeError: {inner}() missing 1 required positional argument: 'value'. shouldn't be called [there|at all]
{above}it's called too early, just {inner}
{case}{expression} is printed as a function
@{trouble} [here|]
@{wanted} [please|]
@{unsaid}{word}?
@{unsaid}not without {word}
@{ending}{word} [is wrong|is too much|must go]
@{ending}without {word}
@{case}()!
@{case}not called
@{case}this is the method, not its result
@{above}not callable
@{above}a property now
@{above}without the ()
return value is thrown away[: {call}|]{lost}
the return value of {call} is thrown away{lost}
the result of {call} is [thrown away|discarded|lost|dropped|ignored]{lost}
the result is [thrown away|discarded|lost|dropped|ignored]{lost}
{call} returns a new [one|value|object], it's thrown away [here|]{lost}
{call} doesn't change it, assign it back{lost}
{call} does not work in place, assign it back{lost}
strings are immutable, {call} returns a new one{lost}
immutable, {call} has no effect{lost}
{holder} is immutable, so {call} alone does nothing{lost}
assign the result back to {holder}{lost}
assign it back to {holder}{lost}
assign it back{lost}
{holder} is not assigned{lost}
{holder} never gets the new value, what {call} returns is ignored{lost}
{holder} stays as it was, the result is discarded{lost}
{holder} = ... was meant, the result is lost{lost}
the result of {call} is never assigned{lost}
{call}: result is not stored{lost}
expression value is thrown away{lost}
what {call} returns is not kept{lost}
what {call} returns goes nowhere{lost}
the value of {call} goes nowhere{lost}
{call} throws its result away{lost}
nobody uses it: the result of {call} is unused{lost}
the result is not kept in {holder}{lost}
W0106 expression is assigned to nothing: the value is lost{lost}
we throw the result of {call} away{lost}
why is the result of {call} discarded?{lost}
<nit>: the result is thrown away{lost}
@return value is thrown away{lost}
@thrown away{lost}
@assign it back{lost}
@the result is [lost|discarded|dropped|ignored]{lost}
@not assigned{lost}
@immutable, so this does nothing{lost}
@goes nowhere{lost}
"""

    def plant(self, snippet: Snippet, rng: Random) -> Planted | None:
        """Take a call away, or put one in."""
        if rng.random() < 0.3 and (lost := _thrown_away(snippet, rng)):
            return planted(self.name, lost, rng, "thrown away")
        found = [one for one in changes(snippet) if not one.adds or one.word in _EXTRA or one.word in METHODS]
        sorts: dict[tuple[bool, bool], list[Change]] = {}
        for one in found:
            sorts.setdefault((one.adds, one.word == "()"), []).append(one)
        if not sorts:
            return None
        if list(sorts) == [(True, False)] and rng.random() < 0.6:
            return None
        for _ in range(4):
            change = rng.choice(sorts[rng.choices(list(sorts), [_SHARES[sort] for sort in sorts])[0]])
            bug = _bug(snippet, change, rng)
            if bug and (done := planted(self.name, bug, rng)):
                return done
        return None

    def accepts(self, before: Snippet, after: Sequence[str], slots: Mapping[str, str]) -> bool:
        """As the others; words for a lost result say so."""
        return super().accepts(before, after, {**slots, "cue": "thrown away"} if "lost" in slots else slots)

    def propose(self, snippet: Snippet, rng: Random) -> Edit | None:
        """Nothing: real code is taken to be right."""
        return None


def _thrown_away(snippet: Snippet, rng: Random) -> Bug | None:
    """A call whose result goes back to what it is called on or with, without the assignment."""
    found: list[tuple[ast.Assign, str, ast.Call]] = []
    for node in ast.walk(snippet.tree):
        match node:
            case ast.Assign(targets=[ast.Name() | ast.Attribute() as target], value=ast.Call() as call):
                name = ast.unparse(target)
                if name in holders_of(call) and node.lineno == target.lineno == call.lineno:
                    found.append((node, name, call))
    if not found:
        return None
    node, name, call = rng.choice(found)
    row, start = start_of(snippet, node)
    line = snippet.lines[row]
    wrong = [*snippet.lines[:row], line[:start] + line[start_of(snippet, call)[1] :], *snippet.lines[row + 1 :]]
    called = ast.unparse(call.func)
    return Bug(wrong, snippet.lines, {"call": called}, {"lost": "", "holder": name})


def _bug(snippet: Snippet, change: Change, rng: Random) -> Bug | None:
    """The change made to right code: what it takes away is missing, what it puts in is too much."""
    ops = change.ops(snippet)
    if ops is None:
        return None
    wrong = applied(snippet, ops)
    missing = not change.adds
    right, buggy = text_of(snippet, change.spot.node), change.text
    if buggy.startswith("(") and change.word != "()":
        buggy = buggy[1:-1]
    slots = {"expression": buggy, "wanted": right}
    if sum(line.count(buggy) for line in wrong) != 1:
        slots = {}
    symptoms = _symptoms(change, rng, missing=missing)
    if slots and change.word != "()":
        slots["inner"] = buggy if missing else right
    elif slots:
        slots["inner"] = right if change.adds else buggy
    return Bug(wrong, snippet.lines, slots, symptoms)


def _symptoms(change: Change, rng: Random, *, missing: bool) -> Mapping[str, str]:
    known = (_MISSING if missing else _EXTRA).get(change.word)
    found = {"trouble": rng.choice(known.split("|"))} if known else {}
    if change.word == "()":
        return found | ({"case": ""} if missing else {"above": ""})
    if missing and change.word in METHODS:
        return found | {"appended": f".{change.word}()" if rng.random() < 0.7 else f"{change.word}()"}
    alone = isinstance(change.spot.parent, ast.Attribute)
    return found | {"word": f"{change.word}()"} | ({"unsaid": ""} if missing else {} if alone else {"ending": ""})
