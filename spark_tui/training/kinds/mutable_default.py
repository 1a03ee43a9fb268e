"""A mutable default becomes None, and the body makes a fresh one."""

import ast
from random import Random
from typing import ClassVar

from spark_tui.editing import code
from spark_tui.editing.code import Function
from spark_tui.editing.codemods.mutable_default import fixed, occasions
from spark_tui.editing.snippet import Snippet
from spark_tui.editing.statements import spliced
from spark_tui.training.kinds.base import Edit, Kind, Planted

_MUTABLE = ("[]", "{}", "set()", "list()", "dict()")
_ALL = "mutable defaults|mutable default arguments|mutable default values|list and dict defaults|shared defaults"
_ONE = "mutable default|mutable default argument|mutable default value|mutable argument default|shared default"


class MutableDefault(Kind):
    """`x=[]` becomes `x=None`, with `if x is None:` and `x = []` at the top of the body."""

    name: ClassVar[str] = "mutable_default"
    skeletons: ClassVar[str] = """
<fix> the {what}
the second call still sees what the first one put into {name}
{name} grows with every call
{name} isn't reset between calls
{name} still has the old contents [on|in] the next call
it remembers {name} from the last call
the same {name} object is used [for|by] all calls
two callers end up with the same {name}
<get_rid> the {what}
<remove> the {what}
<replace> the {what} [with|by] None
<avoid> the {what}
<change> the {what} to None
no {what} [please|]
don't use a {what}
the {what} is [a bug|dangerous|bad|a trap|shared between calls]
the {what} [gets|is] shared between [calls|invocations]
the {what} <should> be None
there's a {what} [here|in there|in the signature]
<use> None [instead of|for] the {what}
<lint>: B006 {what}
B006 do not use {what}
pylint W0102 dangerous-default-value: {what}
dangerous default value, {what}
<nit>: {what}
<review>: {what}
[why|how come] a {what}
{what} -> None
[create|make] a fresh object [on each call|every time] instead of the {what}
the default [keeps|retains] its contents between calls, <fix> the {what}
<fix> the {what} of {name}
<fix> the default of {name}
<fix> the mutable default [of|for] {name}
<make> {name} default to None
<make> the default of {name} None
<make> {name} None by default and [create|make] {value} in the body
<change> the default of {name} [from {value}|] to None and set it to {value} in the body
<use> None as the default [of|for] {name} [instead of|not] {value}
<replace> the default {value} of {name} [with|by] None
<replace> {name}={value} [with|by] None [and a check|and an if|]
{name}={value} is [a bug|a mutable default|dangerous|shared between calls]
{name}={value} <should> be None
the default {value} [of|for] {name} is [shared|mutable|evaluated once]
the default of {name} is [shared|mutable|evaluated once]
{name} is shared between calls
{name} [keeps|remembers] [its|old] items [between|across] calls
{name} has a mutable default
{name} <should> not default to {value}
{name} <should> get a [fresh|new] {value} [every time|on each call]
[why|how come] does {name} default to {value}
[why|how come] does {name} [keep|remember] values from earlier calls
every call <should> get its own {name}
give each call its own {name}
a [fresh|new] {name} for [each|every] call
don't share {name} between calls
no mutable default for {name}
<avoid> the mutable default {value} for {name}
<lint>: B006 {name}={value}
B006 do not use mutable data structures for argument defaults: {name}
W0102 dangerous default value {value} as argument: {name}
dangerous default {value} [for|of] {name}
mutable default {name}={value}
mutable default argument {name}
<nit>: mutable default for {name}
<review>: {name} has a mutable default
<fix> [all|all the|the] {plural}
<get_rid> [all|all the|the] {plural}
<replace> [all|all the|the] {plural} [with|by] None
[all|all the|the] {plural} [are dangerous|are a trap|are bugs|must go|should be None]
no {plural} [please|]
<lint>: B006 {plural}
[none of these|don't let these] {plural} [should survive|live on between calls], use None
calls must not share [any|the] {plural}
<avoid> [the|all] {plural}
{name}=None and create {value} inside
{name}=None instead of {name}={value}
default {name} to None, then {value} if it is None
if {name} is None make it {value}, default None
{name}={value} -> {name}=None
{name}={value}? [that's shared|classic bug|shared between calls|ouch]
{name} [leaks|carries over|survives] from [one call|call] to [the next|call]
{name} [is|gets] polluted by [earlier|previous] calls
{name} already has stuff in it [on|at] the second call
{name} is not empty [on|at] the second call
{name} is created once, [at import|at def time|when the def runs], not per call
{name} <should> [start|be] [empty|fresh] [each time|on each call|every time]
{name} <should> be None [by default|in the signature], {value} [in the body|inside]
calling it twice without {name} gives [wrong|different|mixed up] results
call it twice and {name} [has|contains] [everything|the items] from both calls
the tests [pass|work] one by one but not together, {name} is shared
tests depend on their order because of {name}={value}
[state|data] leaks between calls [through|via] {name}
[global|hidden] state in {name}={value}
all instances share [one|the same] {name}
every instance has the same {name}
[changing|appending to] {name} changes the default
{value} as default of {name}? [no|don't|better None]
{value} in the signature [is a trap|bites|is evaluated once], {name} is affected
don't put {value} in the signature, for {name} use None
no {value} [in the signature|as default] for {name}
None for {name}, not {value}
None [rather than|instead of] {value} for {name}
[default|signature]: {name}=None
{name} is None -> {value}
[if|when] {name} isn't given, [make|start with|take] a new {value}
if no {name} is given, [start with|use] [an empty one|a new one] [each time|every time]
leave {name} out twice and you get the same object
two calls, one {name}
{name} [stays|remains] [around|alive] after the call
{name} accumulates
{name} keeps [growing|getting longer|filling up]
[memory leak|leak]: {name} keeps growing
wait, {name}={value}?
is {name}={value} [on purpose|intended|meant to be shared]?
isn't {name} shared then?
B006 Do not use mutable data structures for argument defaults ({name})
B006 `{name}`
W0102: Dangerous default value {value} as argument (dangerous-default-value), it's {name}
sonar S5717: function parameters' default values should not be modified ({name})
pycharm: Default argument value is mutable ({name})
Default argument value is mutable: {name}={value}
<nit>: None instead of {value} for {name}
<review>: {name}={value} is shared, None please
todo: {name} must not be shared
[python gotcha|the usual gotcha|classic]: {name}={value}
{function} [remembers|keeps] {name} between calls
{function} mutates its own default, {name}
B006 Do not use mutable data structures for argument defaults, {what}
W0102: Dangerous default value (dangerous-default-value), {what}
[python gotcha|the usual gotcha|classic]: {what}
{what}, [fix|sort it out|None please]
{what} in {function}
{function} has a {what}
is the {what} [on purpose|intended]?
the {what} [bites|bit us|strikes] [again|]
[state|data] leaks between calls [through|via] the {what}
second call sees leftovers, it's the {what}
the {what} is evaluated [only once|at def time]
{function} mutates its {what}
use the None idiom for the {what}
{plural} -> None
{plural}: [use None|None and an if|fix them all]
B006 in several places, {plural}
state leaks between calls, no {plural}
None [rather than|instead of] the {plural}
the usual gotcha, {plural}
are the {plural} [on purpose|intended]?
W0102 all over, {plural}
"""

    def plant(self, snippet: Snippet, rng: Random) -> Planted | None:
        """Give a parameter that defaults to None, or to nothing, a mutable default."""
        value = rng.choices(_MUTABLE, [6, 5, 1, 1, 1])[0]
        found: list[tuple[ast.expr, str]] = []
        for function in snippet.functions:
            for argument, default in _defaults(function):
                none = isinstance(default, ast.Constant) and default.value is None
                if none and argument.annotation is None and not _tested(function, argument.arg):
                    found.append((default, value))
        if found and rng.random() < 0.7:
            return Planted(Snippet(tuple(spliced(snippet, [rng.choice(found)]))))
        bare = [arg for function in snippet.functions if (arg := _last_bare(function))]
        if not bare:
            return None
        end = code.end_of(snippet, rng.choice(bare))
        return Planted(Snippet(tuple(code.splice(snippet.lines, end, end, f"={value}"))))

    def propose(self, snippet: Snippet, rng: Random) -> Edit | None:
        """Make one mutable default None, or all of them."""
        found = occasions(snippet)
        if not found:
            return None
        one = rng.choice(found)
        slots = {"name": one.parameter.arg, "value": one.value, "function": one.function.name}
        if len(found) == 1 and rng.random() < 0.35:
            slots = {"what": rng.choice(_ONE.split("|")), "function": one.function.name}
        elif len(found) > 1 and rng.random() < 0.4:
            ops = fixed(snippet, found)
            return Edit(ops, {"plural": rng.choice(_ALL.split("|"))}) if ops and len(found) < 6 else None
        elif sum(one.parameter.arg == other.parameter.arg for other in found) > 1 and len(snippet.functions) == 1:
            return None
        ops = fixed(snippet, [one])
        return Edit(ops, slots) if ops and len(one.value) < 30 else None


def _defaults(function: Function) -> list[tuple[ast.arg, ast.expr]]:
    spec = function.args
    positional = [*spec.posonlyargs, *spec.args]
    given = positional[len(positional) - len(spec.defaults) :]
    named = [(arg, default) for arg, default in zip(spec.kwonlyargs, spec.kw_defaults, strict=True) if default]
    return [*zip(given, spec.defaults, strict=True), *named]


def _last_bare(function: Function) -> ast.arg | None:
    spec = function.args
    last = spec.args[-1] if spec.args and not spec.defaults else None
    fit = last is not None and last.annotation is None and not code.is_receiver(function, last)
    return last if fit and last is not None and not _tested(function, last.arg) else None


def _tested(function: Function, name: str) -> bool:
    return any(
        isinstance(node, ast.Compare) and isinstance(node.left, ast.Name) and node.left.id == name
        for node in code.walk_scope(function)
    )
