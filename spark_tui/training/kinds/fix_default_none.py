"""Check a name that may be None before it is used, or give it a default."""

import ast
from random import Random
from typing import ClassVar

from spark_tui.editing.code import indentation, stands_alone, statement_lines
from spark_tui.editing.codemods.bugs.none_guards import Guard, guards
from spark_tui.editing.snippet import Snippet
from spark_tui.training.kinds.base import Edit, Kind, Planted
from spark_tui.training.kinds.planting import touched

_DEFAULTS = ("[]", "{}", '""', "0", "()", "set()", "False", "1")
_DEED = {
    "return": "return|return early|leave the function|bail out|get out|exit early",
    "continue": "continue|skip it|skip to the next one|go on with the next one|skip the item|ignore it",
    "raise": "raise a ValueError|raise an error|raise|fail with a ValueError|throw a ValueError|complain",
    "only": "skip the call|only use it if it is not None|check it before the call|don't do the call|guard the call with an if",
}
_WORDS = {
    "[]": "an empty list",
    "{}": "an empty dict",
    '""': "an empty string",
    "()": "an empty tuple",
    "set()": "an empty set",
}


class FixDefaultNone(Kind):
    """`if x is None:` and what to do then; `x = x or []`; `if x is not None:` around the one use.

    Slots: {name} what may be None; {trouble} what Python says; {value} the default; {action} what else to do ({unsaid}
    shows nothing and stands for a default); {ending} for `or`, {case} for an if around the use, {below} for a parameter.
    """

    name: ClassVar[str] = "fix_default_none"
    weight: ClassVar[float] = 0.6
    skeletons: ClassVar[str] = """
{trouble}[,|:] {action} [when|if] {name} is None
{trouble}[,|:] {action} then
{trouble}[,|:] {name} can be None, {action}
{trouble} because {name} is None, {action} then
{name} [can|may|might|could] be None, {action} [then|in that case]
{name} [can|may|might|could] be None here, {action}
[when|if] {name} is None[,|] {action}
{action} [when|if] {name} is None
{action} [when|if] there is no {name}
{action} [when|if] {name} [isn't|is not] [there|set|given|found]
[crashes|breaks|fails|blows up] [when|if] {name} is None, {action} [then|instead|]
it [crashes|breaks|fails] [when|if] {name} is None[,|:] {action}
{name} is [used|dereferenced] without a check for None, {action}
{name} is never checked for None[,|:] {action} [then|]
no check for None [on|for] {name}, {action}
<check> {name} for None and {action}
<check> [that|whether] {name} is None and {action} [then|]
guard against {name} being None: {action}
<handle> None for {name}[:|,] {action}
<handle> {name} is None: {action}
what if {name} is None? {action} [then|]
mypy: Item "None" of {name} has no attribute, {action} then
pyright: {name} is possibly None, {action}
{unsaid} {trouble}, <use> {value} [when|if] {name} is None
{unsaid} {trouble}[,|:] {name} <should> default to {value}
{unsaid} {name} <should> default to {value}
{unsaid} {name} [can|may|might] be None, default to {value}
{unsaid} default to {value} [when|if] {name} is None
{unsaid} <use> {value} [when|if] {name} is None
{unsaid} [when|if] {name} is None[,|] <use> {value}
{unsaid} fall back to {value} [when|if] {name} is None
{unsaid} <set> {name} to {value} [when|if] [it is|it's] None
{unsaid} if {name} is None it <should> [be|become] {value}
{unsaid} no {name} given <should> [mean|be] {value}
{unsaid} [crashes|breaks|fails] [when|if] {name} is None, <use> {value} [then|instead]
{unsaid} {name} is None by default and never checked, <use> {value}
{unsaid} <handle> None for {name}: default to {value}
{unsaid} <handle> the None default of {name} [with|by using] {value}
{unsaid} None for {name} <should> [mean|be] {value}
{unsaid} treat None [for {name}|as {name}|] as {value}
{unsaid} {name} is None[,|:] make it {value} [then|]
{unsaid} [turn|convert] a None {name} [into|to] {value}
{ending} {name} or {value}
{ending} <use> {name} or {value}
{ending} <use> "or {value}" for {name}
{ending} {trouble}, <add> or {value} [for {name}|]
{ending} [fix it|fix this|guard it] with or {value} [for {name}|]
{ending} <set> {name} to itself or {value}
{ending} {name} may be None, <add> an or {value}
{ending} <add> or {value} [to|for|as a fallback for] {name}
{ending} {name} [can|may] be None, <use> or with {value}
{case} only [do it|call it] [if|when] {name} is not None
{case} <wrap> the [call|use] of {name} in an if [for None|]
{case} <put> an if {name} is not None around [it|the call]
{case} don't [do it|call it] [if|when] {name} is None
{case} skip the call [if|when] {name} is None
{case} {trouble}, only [do it|call it] [if|when] {name} is not None
{below} {name} defaults to None and is used [without a check|unchecked|right away], {action}
{below} {name} is None by default[,|:] {action} then
{below} {name} is optional[,|:] {action} [when|if] it's missing
{below} nobody has to pass {name}[,|:] {action} [when|if] it's None
{below} called without {name} it [crashes|breaks|fails], {action}
@{trouble}[,|:] {action}
@{name} may be None here[,|:] {action}
@this fails when {name} is None[,|:] {action}
@{unsaid} <use> {value} when {name} is None [here|]
@{unsaid} default to {value} for {name}
@{ending} <add> or {value}
@{case} only if {name} is not None
@{case} guard this
None {name} -> {action}
{name} None? {action}
no {name}, {action}
[without|lacking] a {name} <should> just {action}
{name} isn't always there. {action} then
{name} is not guaranteed to be set: {action} in that case
sometimes {name} is None and it [crashes|blows up|dies], better {action}
<should> survive {name} being None: {action}
should not [crash|blow up|die] on a None {name}, {action}
can we {action} when {name} is None?
why not {action} if there's no {name}?
guard: {name} None -> {action}
first thing: if {name} is None, {action}
if not given ({name} is None) {action}
{action} unless {name} is set
{action} unless there is a {name}
{action} for a None {name}
missing {name} <should> mean: {action}
{trouble} [now and then|sometimes|in production|from sentry|since the update], {name} is None there. {action}
{trouble}. seems {name} can be None, so {action}
got {trouble} - {action} if {name} is None
sentry: {trouble} ({name}), {action} in that case
error: Item "None" of "{name}" has no attribute  \\[union-attr\\], so {action} then
pyright: reportOptionalMemberAccess on {name}, {action} if it's None
"{name}" is possibly None, {action}
mypy is right, {name} may be None. {action}
nobody checked {name}, {action} when it's None
what happens without {name}? {action} please
{name} is nullable[,|:] {action} for null
when nothing was found {name} is None and we go on regardless. {action}
{unsaid}{name} = {value} if None
{unsaid}{name}: None -> {value}
{unsaid}None <should> count as {value} for {name}
{unsaid}treat a None {name} as {value}
{unsaid}a None {name} is {value}
{unsaid}{name} None? then {value}
{unsaid}let {name} be {value} when [it's None|nothing is passed|it isn't given]
{unsaid}{name} <should> never be None, {value} instead
{unsaid}take {value} if there is no {name}
{unsaid}{value} in place of a None {name}
{unsaid}replace None by {value} for {name}
{unsaid}if {name} is None: {name} = {value}
{unsaid}crashes without {name}. make it {value} [then|]
{unsaid}{trouble} because {name} may be None, take {value} [then|]
{unsaid}so that [callers|people] can leave {name} out: {value}
{unsaid}{name} [falls|should fall] back to {value}
{ending}{name} = {name} or {value}
{ending}`or {value}` for {name}
{ending}{name} or {value} [please|]
{ending}short: {name} or {value}
{ending}one-liner with or: {name}, else {value}
{ending}{trouble}, do a {name} or {value}
{case}only with a {name}
{case}only when there is a {name}
{case}the call [makes no sense|is pointless|fails] without {name}, guard it with an if
{case}{name} None: leave the call out
{case}if {name} is not None: around it
{case}put the use of {name} under an if {name} is not None
{case}{trouble}, so only when {name} isn't None
{case}not when {name} is None
{below}nothing passed for {name} -> [crash|boom|error]. {action} then
{below}{name}=None is the default and yet we use it, {action} [when it's None|]
{below}callers that leave out {name} crash it, {action} for them
{below}the None default of {name} isn't handled: {action}
@None here -> {action}
@{name} None? {action}
@{action} if it's None
@{unsaid}{name} None -> {value}
@{ending}or {value}
@{case}only with {name}
"""

    def plant(self, snippet: Snippet, rng: Random) -> Planted | None:
        """Take away a check against None."""
        found = [node for node in ast.walk(snippet.tree) if isinstance(node, ast.If) and _is_check(snippet, node)]
        if not found:
            return None
        first, last = statement_lines(rng.choice(found))
        return Planted(Snippet((*snippet.lines[:first], *snippet.lines[last + 1 :])))

    def propose(self, snippet: Snippet, rng: Random) -> Edit | None:
        """One of the checks for a name that lacks one."""
        said = f"default {rng.choice(_DEFAULTS)}" if rng.random() < 0.15 else ""
        found = list(guards(snippet, said))
        if not found:
            return None
        action = rng.choice(sorted({one.action for one in found}))
        guard = rng.choice([one for one in found if one.action == action])
        rows = (guard.suspect.uses[0].lineno - 1, touched(guard.ops)[0])
        row = rng.choice(rows)
        selected = (row, row) if rng.random() < 0.3 and guard.suspect.name in snippet.lines[row] else None
        return Edit(guard.ops, _slots(guard, rng), selected)


def _is_check(snippet: Snippet, node: ast.If) -> bool:
    """Whether an if says what to do when a name is None, in one line, and nothing else."""
    match node:
        case ast.If(
            test=ast.Compare(left=ast.Name(), ops=[ast.Is()], comparators=[ast.Constant(value=None)]),
            body=[ast.Assign() | ast.Return() | ast.Continue() | ast.Raise()],
            orelse=[],
        ):
            line = snippet.lines[node.lineno - 1]
            nested = len(indentation(line)) > len(snippet.margin)
            return nested and line.lstrip().startswith("if ") and stands_alone(snippet, node)
    return False


def _slots(guard: Guard, rng: Random) -> dict[str, str]:
    suspect = guard.suspect
    trouble = [_message(use) for use in suspect.uses]
    slots = {"name": suspect.name, "trouble": rng.choice(trouble), "function": suspect.function.name}
    if suspect.place is None:
        slots["below"] = ""
    if guard.action == "only":
        return slots | {"action": rng.choice(_DEED["only"].split("|")), "case": ""}
    if guard.action in ("default", "or"):
        words = [guard.value, guard.value, *([_WORDS[guard.value]] if guard.value in _WORDS else [])]
        slots["value"] = rng.choice(words)
        return slots | {"unsaid" if guard.action == "default" else "ending": ""}
    deed = rng.choice(_DEED[guard.action].split("|"))
    if guard.value and guard.action == "return":
        deed = f"return {guard.value}"
    return slots | {"action": deed}


def _message(use: ast.expr) -> str:
    match use:
        case ast.Attribute(attr=name):
            return f"AttributeError: 'NoneType' object has no attribute '{name}'"
        case ast.Subscript():
            return "TypeError: 'NoneType' object is not subscriptable"
    return "TypeError: 'NoneType' object is not iterable"
