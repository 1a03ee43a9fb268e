"""Join nested or neighbouring ifs into one."""

from typing import ClassVar

from spark_tui.editing.codemods.common.flow import FlowCodemod
from spark_tui.editing.codemods.split_if import SplitIf
from spark_tui.training.kinds.flow import UndoneKind


class MergeIfs(UndoneKind):
    """`if a:` around `if b:` becomes `if a and b:`; ifs that do the same are joined with `or`.

    Slots: {test} the first condition, {second} the next one, {both} what they become, {three} what they ask about when
    they are three or more; {nested} or {alike} says that one stands in the other or that they do the same.
    """

    name: ClassVar[str] = "merge_ifs"
    skeletons: ClassVar[str] = """
<merge> {unsaid}the [two|] ifs
<merge> {unsaid}the [if statements|conditions|two conditions|checks|two checks]
<merge> {unsaid}the ifs into one [condition|if|check|]
[collapse|flatten|combine|join] {unsaid}the [ifs|nested ifs|nested if|two ifs|conditions]
[combine|join|put together] {unsaid}the [two|] [checks|conditions|tests|ifs] [into one|in a single if|in one if]
<make> {unsaid}[one|a single] if [out of|of|from] [the two|them|these ifs|both]
<use> {unsaid}[one|a single] if [instead of|rather than] [two|several|nesting them|two of them]
<use> {unsaid}[one|a single] [condition|check|test] [instead of|rather than] [two|several]
one if {unsaid}is enough [here|]
one if {unsaid}[please|would do|instead of two]
[two|nested] ifs {unsaid}where one would do
[why|how come] {unsaid}[are there two ifs|two ifs|not one if] [here|]?
[can|could] {unsaid}the ifs be [merged|combined|joined|one if]?
{unsaid}the [ifs|conditions|checks] [can|could|should] be [merged|combined|joined|collapsed]
{unsaid}these [ifs|conditions|checks] belong [together|in one line|in one if]
no need for {unsaid}two ifs
no need to {unsaid}[nest|split|separate] the [ifs|checks|conditions]
<lint>: SIM102 use a single if statement instead of nested if statements{unsaid}{nested}
<lint>: SIM102{unsaid}{nested}
<lint>: SIM114 combine if branches using logical or operator{unsaid}{alike}
<lint>: PLR5501 collapsible if{unsaid}{nested}
<lint>: collapsible {unsaid}{nested}if
SIM102 {unsaid}{nested}collapsible nested if
R1260 {unsaid}{nested}too complex, <merge> the ifs
<review>: {unsaid}[merge|combine|collapse] the [ifs|conditions|nested ifs]
<nit>: {unsaid}[one if|single if|collapse the ifs|merge the conditions]
<simplify> {unsaid}the [nested ifs|ifs|nested conditions]
reduce {unsaid}{nested}nesting by [merging|combining|joining] the [ifs|conditions]
{unsaid}{alike}the same [thing|body|code] is [written|done|repeated] for two conditions, <merge> them
<avoid> {unsaid}{nested}the [nested if|second if|if in an if]
<avoid> {unsaid}{alike}the [repeated body|second if|repetition]
{unsaid}{nested}an if with nothing but an if [inside|in it]
{unsaid}{nested}the [outer|first] if contains nothing but [another|the inner|a second] if
[fold|pull] {unsaid}{nested}the inner if into the outer [one|]
<put> {unsaid}[both|all the|the] conditions [in|into] one if
and {unsaid}the [two|nested] conditions [together|]
join {unsaid}the conditions with [and|or|a boolean operator|a logical operator]
<merge> the ifs on {test} and {second}
<merge> {test} and {second}
<merge> {test} with {second} [into one if|in one condition|]
<merge> the if on {second} into the one on {test}
[combine|join|collapse] {test} and {second} [into one if|in one condition|]
<put> {test} and {second} [in one if|together|in a single condition|on one line]
<use> one if for {test} and {second}
<check> {test} and {second} [together|at once|in one if|in the same if]
{test} and {second} [can|could|should] be [one if|one condition|checked together|merged|combined]
{test} and {second} belong together
no need for two ifs [for|on] {test} and {second}
[fold|pull|move] {nested}{second} [up|] into the [if on|check of] {test}
<add> {second} to the [if|condition] on {test} [instead of nesting|]
[why|how come] is {second} [an if of its own|checked separately|not in the same if as {test}]?
{second} <should> be [in the same if as|part of the if on|checked together with] {test}
<merge> the [if|check] on {second} with the one [above|before|around it]
<merge> the ifs [starting|beginning] [at|with] {test}
[collapse|flatten|combine] the ifs [under|starting with|from] {test}
<merge> the `if {test}` with the [next|inner|following] [one|if]
[combine|collapse] `if {test}` and the if [inside|after|below] it
the if on {test} <should> be merged with the next [one|if]
{nested}the if {test} [only|just] [holds|contains|wraps] [another|one more] if
@<merge> [these|the|both|the two] [ifs|conditions|checks|]
@[combine|join|collapse] [these|the|them] [ifs|conditions|]
@<make> [this|these] one if
@one if [is enough|please|]
@[SIM102|collapsible if]{nested} [here|]
@SIM114{alike} [here|]
@[nested|two] ifs [for nothing|, one is enough]
@[these|the] [ifs|checks] [can|should] be [one|merged|combined]
@<merge> [this|it] with the [next|inner] if
@no need for two ifs [here|]
@and these [together|]
[two|nested] checks, [one|the same] outcome{unsaid}
SIM102 Use a single `if` statement instead of nested `if` statements{nested}{unsaid}
SIM114 Combine `if` branches using logical `or` operator{alike}{unsaid}
sonar S1066: merge this if statement with the enclosing one{nested}{unsaid}
S1066 Collapsible "if" statements should be merged{nested}{unsaid}
R1702 too many nested blocks, {nested}{unsaid}these two can be one
PLR5501 / collapsible-if{nested}{unsaid}
if inside if inside if... {nested}{unsaid}[why|one would do]
if in an if for no reason{nested}{unsaid}
that's just an and{nested}{unsaid}
just an or really{alike}{unsaid}
an `and` would [do|say the same]{nested}{unsaid}
an `or` would [do|say the same]{alike}{unsaid}
@use `and`{nested}
@use `or`{alike}
use and [instead of nesting|rather than a second level]{nested}{unsaid}
one level [of ifs|] too many{nested}{unsaid}
one level of indentation less, they can be one if{nested}{unsaid}
both have to hold anyway{nested}{unsaid}
needs both anyway, so {nested}{unsaid}say so in one line
nothing happens {nested}{unsaid}between the two checks
the outer one does nothing by itself{nested}{unsaid}
why nest them{nested}{unsaid}
the nesting [is pointless|buys us nothing|is not needed]{nested}{unsaid}
these end the same way, {alike}{unsaid}make it one
both [branches|cases] do the same{alike}{unsaid}
same thing twice{alike}{unsaid}
same body twice{alike}{unsaid}
[duplicate|duplicated|copy-pasted] branches{alike}{unsaid}
duplicate code in the branches, {alike}{unsaid}one condition would do
R0916-ish: {alike}{unsaid}identical branches, combine them
sonar S1871: two branches in the same "if" structure should not have exactly the same implementation{alike}{unsaid}
either case ends the same{alike}{unsaid}
don't repeat the body{alike}{unsaid}
the body is there {alike}{unsaid}[twice|more than once], once is enough
if this or that, same result{alike}{unsaid}
{three} are levels of ifs for no good reason, a single one would do
{three} are checked in nested ifs, one condition please
{three} one after the other... {unsaid}one if
one if over {three}
check {three} in one go
`if {both}`
`if {both}` please
if {both}:
{both} in one if
make it {both}
simply {both}
why not `if {both}`
-> if {both}
{test} + {second} in one
{test} / {second} -> one if
{test}, {second}: same if please
it takes both {test} and {second}, [so one if|say it in one if]{nested}
{second} only matters when {test}, so join them{nested}
{test} or {second}, same result either way{alike}
do the same for {test} and {second} in one place{alike}
why treat {test} and {second} separately
{second} right under {test} is one level too much{nested}
{test} has nothing but {second} in it{nested}
the check of {second} can move up next to {test}{nested}
@one if
@just and them{nested}
@just or them{alike}
@and{nested}
@or{alike}
@same body twice{alike}
@both do the same{alike}
@needless nesting{nested}
@one level less{nested}
@if {both}
@into one
@in one condition please
@these two could be one
@why two
"""

    @property
    def opposite(self) -> FlowCodemod:
        """Merging is undone by splitting."""
        return SplitIf()
