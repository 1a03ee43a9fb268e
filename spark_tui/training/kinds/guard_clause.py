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
{condition}? [give me|then|just|should be|i want] {outcome}
{condition}: {outcome}, nothing else
{condition} must [not crash|not blow up], [return|give back] {outcome}
{condition} is [fine|ok|legal|allowed], [return|just return|answer with] {outcome} [then|]
{condition} means {outcome}
{condition} [isn't|is not] an error, the answer is {outcome}
[sometimes|now and then|in production] {condition}, {outcome} would be the right [answer|result] then
it happens that {condition}. [return|hand back] {outcome} [before anything else|at the top|first]
callers [expect|want|should get|get] {outcome} [if|when] {condition}
the [docs|spec|docstring|tests] [says|say] {outcome} [if|when] {condition}
expected {outcome} [if|when] {condition}
i expect {outcome} back when {condition}
{function} <should> survive it [if|when] {condition} and return {outcome}
{function} [dies|crashes|explodes|raises] [if|when] {condition}, should give {outcome}
{function} [if|when] {condition}: {outcome}
{function} -> {outcome} [if|when] {condition}
AttributeError [if|when] {condition}, should be {outcome} instead
[TypeError|traceback|IndexError|exception] when {condition}. [return {outcome}|{outcome} please|{outcome} instead]
[we get|users see] a traceback [if|when] {condition}, [return|give] {outcome} there
nothing handles the case that {condition}. {outcome}
nobody checks whether {condition}, [return|it should return] {outcome} if so
not handled yet: {condition} ({outcome})
[forgot|missed|overlooked] the case where {condition}, the result is {outcome} then
if {condition} we're done: return {outcome}
if {condition} we can stop right there with {outcome}
if {condition}, {outcome}
[once|as soon as] {condition} the result can only be {outcome}
[whenever|every time] {condition} [answer|reply|come back] with {outcome}
[don't bother|no need to compute anything] when {condition}, it's {outcome}
[shortcut|fast path|fast exit|cheap exit]: {condition}, {outcome}
[trivial|boring|degenerate] case: {condition} gives {outcome}
{outcome} [straight|right] away if {condition}
{outcome} for the case that {condition}
{outcome}, if {condition}
{outcome} when {condition} [please|would be nice|, not a crash|, not an exception]
{outcome} instead of a [crash|traceback|stack trace] [if|when] {condition}
{outcome} [is enough|will do] [if|when] {condition}
without looking further return {outcome} [if|when] {condition}
result {outcome} [if|when] {condition}
[could|can] we get {outcome} [if|when] {condition}?
what happens [if|when] {condition}? should be {outcome}
why not {outcome} [if|when] {condition}
[line 1|first line|first check]: {condition}? return {outcome}
[test|check] for it up front: {condition} -> {outcome}
two lines at the top: if {condition}, return {outcome}
[robust|safe] against {condition} please: {outcome}
[bug|issue]: {condition} isn't handled ({outcome} expected)
{case}? [then nothing|nothing to do|just leave|never mind then]
{case}: [nothing to do|do nothing|leave|no-op|skip]
if {case} we're done
if {case} [that's it|forget it|never mind|we can stop right there]
if {case} the rest [is pointless|makes no sense|can be skipped|shouldn't run]
when {case} the rest [is pointless|makes no sense|need not run]
{function} is a no-op [if|when] {case}
{function} <should> be a no-op [if|when] {case}
{function} <should> [not do anything|ignore the call|give up] [if|when] {case}
{function} runs [even|] though {case}, [it shouldn't|stop that]
only [go on|continue|do the rest] unless {case}
unless {case} go on, otherwise [leave|return]
no-op [if|when] {case}
ignore the call [if|when] {case}
[forget it|give up|never mind] [if|when] {case}
[crashes|traceback|blows up] when {case}, [just|] ignore the call
wasted work [if|when] {case}, leave early
nothing checks whether {case}. [return|leave] then
[not handled|unhandled]: {case} (just return)
quietly [return|leave] [if|when] {case}
[silently|quietly] do nothing [if|when] {case}
[first line|first check]: {case}? return
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
