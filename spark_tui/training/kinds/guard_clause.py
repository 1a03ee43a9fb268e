"""Leave a function early when a condition holds: `if x is None:` and `return None` at the top of the body."""

from random import Random
from typing import ClassVar

from spark_tui.editing.script import Insert
from spark_tui.editing.snippet import Snippet
from spark_tui.training.kinds import wording
from spark_tui.training.kinds.base import Edit, Kind
from spark_tui.training.kinds.statements import Subject, argument_names, is_generator, subject


class GuardClause(Kind):
    """`if condition:` and `return value` before everything but the docstring."""

    name: ClassVar[str] = "guard_clause"
    skeletons: ClassVar[str] = """
<return> {outcome} if {condition}
<return> {outcome} when {condition}
<return> {outcome} early [if|when] {condition}
<return> {outcome} [right away|immediately|at once|up front|straight away] [if|when] {condition}
if {condition}[,| then|:] <return> {outcome}
when {condition}[,|] [just|simply|] <return> {outcome}
in case {condition}[,|] <return> {outcome}
<return> {outcome} in case {condition}
[early|quick] return {outcome} [if|when] {condition}
[early return|early exit|guard]: if {condition} return {outcome}
<add> a guard[ clause|]: if {condition}[,|] return {outcome}
<add> a guard[ clause|] [that returns|returning] {outcome} [if|when] {condition}
<add> an early return [of|with] {outcome} [for when|if|when|in case] {condition}
<add> an early return of {outcome} for the case that {condition}
<add> a check at the [top|start|beginning]: if {condition} return {outcome}
<add> a check that returns {outcome} [if|when] {condition}
<put> [an if|a check|a guard|a guard clause] at the [top|start] that returns {outcome} when {condition}
start [with|by] returning {outcome} [if|when] {condition}
begin with: if {condition} return {outcome}
[first|before anything else|at the top|at the start|up front][,|] return {outcome} [if|when] {condition}
it <should> return {outcome} [if|when] {condition}
[the function|this|it] <should> [just|] return {outcome} [if|when] {condition}
{outcome} <should> be [returned|the result|what comes back] [if|when] {condition}
{condition} -> return {outcome}
{condition} => {outcome}
{condition} <should> [give|mean|result in|return|yield] {outcome}
if {condition} the result <should> be {outcome}
<handle> the case [that|where|when] {condition} by returning {outcome}
<handle> {condition}: return {outcome}
[special case|edge case]: {condition}, return {outcome}
[cover|deal with] the edge case [that|where] {condition}, return {outcome} there
what if {condition}? [it should|just|then] return {outcome}
[crashes|breaks|fails|blows up] when {condition}, [return|should return] {outcome} [instead|then]
this [crashes|breaks|fails] if {condition}[;|,] make it return {outcome}
avoid the crash when {condition}[:|,] return {outcome}
don't [crash|fail|blow up] [if|when] {condition}, return {outcome}
don't [go on|continue|run the rest] [if|when] {condition}, return {outcome}
give {outcome} back [if|when] {condition}
bail out with {outcome} [if|when] {condition}
exit with {outcome} [if|when] {condition}
short[-| ]circuit to {outcome} [if|when] {condition}
<review>: return {outcome} early [if|when] {condition}
<nit>: guard against {condition} with return {outcome}
guard: {condition}, return {outcome}
guard against the case [that|where] {condition}, returning {outcome}
[we|i] want {outcome} [if|when] {condition}
[should|shouldn't|can] it return {outcome} [if|when] {condition}?
[why|how come] doesn't it return {outcome} [if|when] {condition}?
unless otherwise needed return {outcome} when {condition}
make it return {outcome} [if|when] {condition}
have it return {outcome} [if|when] {condition}
let it return {outcome} [if|when] {condition}
missing [guard|check]: {condition}, should return {outcome}
no need to go on if {condition}, return {outcome}
<return> [early|immediately|right away|at once] [if|when] {case}
just return [if|when] {case}
return [if|when] {case}
bail [out|] [if|when] {case}
bail out early [if|when] {case}
exit [early|the function|] [if|when] {case}
leave [early|the function|] [if|when] {case}
[stop|quit] [early|] [if|when] {case}
do nothing [if|when] {case}
[don't|do not] do anything [if|when] {case}
skip everything [if|when] {case}
skip [the rest|all of this|the work] [if|when] {case}
if {case}[,| then] [bail out|return early|do nothing|get out|there is nothing to do|stop here]
when {case} [bail out|just return|do nothing|there's nothing to do]
{case} -> [return|bail out|early return]
nothing [to do|happens|should happen] [if|when] {case}
it <should> do nothing [if|when] {case}
<add> an early [return|exit] [for when|if|when|in case] {case}
<add> a guard clause [for when|for the case that|if|in case] {case}
<add> a guard [for|against] the case that {case}
[early return|early exit|guard|guard clause] [if|when] {case}
guard against the case [that|where] {case}
short[-| ]circuit [if|when] {case}
[no point in going on|no need to go on|no reason to continue] [if|when] {case}
[get out|return] of here [if|when] {case}
<review>: [early return|return early|bail out] when {case}
[why|how come] [does|do] [it|we] go on [if|when] {case}? return early
return without doing anything [if|when] {case}
what if {case}? [return early|just return|bail out]
start with a bare return [if|when] {case}
"""

    def propose(self, snippet: Snippet, rng: Random) -> Edit | None:
        """Guard one function against a condition on a parameter or an attribute."""
        about = subject(snippet, rng)
        if about is None:
            return None
        source, words = wording.condition(about.name, rng)
        if any(line.strip().startswith(f"if {source}") for line in snippet.lines):
            return None
        if rng.random() < 0.25 or is_generator(about.function) or about.function.name == "__init__":
            return _edit(snippet, about, source, "return", {"case": words})
        value, said = wording.value(snippet, rng, argument_names(about.function))
        return _edit(snippet, about, source, f"return {value}", {"condition": words, "outcome": said})


def _edit(snippet: Snippet, about: Subject, source: str, action: str, slots: dict[str, str]) -> Edit:
    lines = (f"{about.indent}if {source}:", f"{about.indent}{snippet.layout.unit}{action}")
    return Edit((Insert(about.after, lines),), slots | {"function": about.function.name})
