"""Join nested or neighbouring ifs into one."""

from typing import ClassVar

from spark_tui.editing.codemods.flow import FlowCodemod
from spark_tui.editing.codemods.split_if import SplitIf
from spark_tui.training.kinds.flow import UndoneKind


class MergeIfs(UndoneKind):
    """`if a:` around `if b:` becomes `if a and b:`; ifs that do the same are joined with `or`.

    Slots: {test} the first condition, {second} the next one.
    """

    name: ClassVar[str] = "merge_ifs"
    skeletons: ClassVar[str] = """
<merge> {unsaid}the [nested|two|two nested|] ifs
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
<lint>: SIM102 use a single if statement instead of nested if statements{unsaid}
<lint>: SIM102{unsaid}
<lint>: SIM114 combine if branches using logical or operator{unsaid}
<lint>: PLR5501 collapsible if{unsaid}
<lint>: collapsible {unsaid}if
SIM102 {unsaid}collapsible nested if
R1260 {unsaid}too complex, <merge> the ifs
<review>: {unsaid}[merge|combine|collapse] the [ifs|conditions|nested ifs]
<nit>: {unsaid}[one if|single if|collapse the ifs|merge the conditions]
<simplify> {unsaid}the [nested ifs|ifs|nested conditions]
reduce {unsaid}nesting by [merging|combining|joining] the [ifs|conditions]
{unsaid}the same [thing|body|code] is [written|done|repeated] for two conditions, <merge> them
<avoid> {unsaid}the [nested if|repeated body|second if|if in an if]
{unsaid}an if with nothing but an if [inside|in it]
{unsaid}the [outer|first] if contains nothing but [another|the inner|a second] if
[fold|pull] {unsaid}the inner if into the outer [one|]
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
[fold|pull|move] {second} [up|] into the [if on|check of] {test}
<add> {second} to the [if|condition] on {test} [instead of nesting|]
[why|how come] is {second} [an if of its own|checked separately|not in the same if as {test}]?
{second} <should> be [in the same if as|part of the if on|checked together with] {test}
<merge> the [if|check] on {second} with the one [above|before|around it]
<merge> the ifs [starting|beginning] [at|with] {test}
[collapse|flatten|combine] the ifs [under|starting with|from] {test}
<merge> the `if {test}` with the [next|inner|following] [one|if]
[combine|collapse] `if {test}` and the if [inside|after|below] it
the if on {test} <should> be merged with the next [one|if]
the if {test} [only|just] [holds|contains|wraps] [another|one more] if
@<merge> [these|the|both|the two] [ifs|conditions|checks|]
@[combine|join|collapse] [these|the|them] [ifs|conditions|]
@<make> [this|these] one if
@one if [is enough|please|]
@[SIM102|collapsible if|SIM114] [here|]
@[nested|two] ifs [for nothing|, one is enough]
@[these|the] [ifs|checks] [can|should] be [one|merged|combined]
@<merge> [this|it] with the [next|inner] if
@no need for two ifs [here|]
@and these [together|]
"""

    @property
    def opposite(self) -> FlowCodemod:
        """Merging is undone by splitting."""
        return SplitIf()
