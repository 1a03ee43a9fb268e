"""Split an if over several conditions into several ifs."""

from typing import ClassVar

from spark_tui.editing.codemods.flow import FlowCodemod
from spark_tui.editing.codemods.merge_ifs import MergeIfs
from spark_tui.training.kinds.flow import UndoneKind


class SplitIf(UndoneKind):
    """`if a and b:` becomes nested ifs, `if a or b:` two with the same body.

    Slots: {test} the whole condition; {part} the one to be checked alone, of more than two.
    """

    name: ClassVar[str] = "split_if"
    skeletons: ClassVar[str] = """
<split> {unsaid}the [if|condition|if statement|check|test]
<split> {unsaid}the [if|condition|check] [into two|in two|up|into separate ifs|into its parts]
<split> {unsaid}the [compound|long|combined|complex] [condition|if|check]
[break|take] {unsaid}the [condition|if|check] [apart|up|into pieces]
[break up|separate|pull apart] {unsaid}the [conditions|checks|tests|if]
<use> {unsaid}[two|separate|several|nested] ifs [instead of|rather than] [one|a single one|one long one|the compound condition]
<use> {unsaid}an if [for each|per] condition
one if {unsaid}[per|for each|for every] [condition|check|test]
one {unsaid}[check|condition|test] per if
{unsaid}[two|separate|nested] ifs [please|would be clearer|are easier to read|read better]
<make> {unsaid}[two|separate|several] ifs [out of|of|from] [it|this one|the condition|the if]
<turn> {unsaid}the condition into [two ifs|separate ifs|several ifs|nested ifs]
<check> {unsaid}the conditions [one by one|one after the other|separately|one at a time|individually]
<check> {unsaid}[each|every] condition [separately|on its own|in its own if|alone]
{unsaid}the condition [does|checks|tests] [two things|too much|too many things] [at once|], <split> it
{unsaid}the if [does|checks|tests] [two things|too much|too many things] at once
{unsaid}too many conditions in one if
{unsaid}too many [boolean expressions|conditions|checks] in [the|one] if
R0916 too many boolean expressions {unsaid}in if statement
<lint>: PLR0916 too many boolean expressions{unsaid}
<lint>: {unsaid}condition too complex, <split> it
{unsaid}the condition is too [long|complex|complicated]
{unsaid}the if [line|condition] is [too long|hard to read|hard to debug], <split> it
[can|could] {unsaid}[we|you] [split|break up] the [if|condition]?
[why|how come] {unsaid}is [it all|everything] in one [if|condition]?
[i|we] want {unsaid}separate ifs
[i|we] need to [set a breakpoint|put a log|add logging] {unsaid}between the [two|] checks, <split> the if
<review>: {unsaid}<split> the [condition|if]
<nit>: {unsaid}[separate ifs|split the condition|one check per if]
nest {unsaid}the [conditions|checks|ifs] [instead of joining them|]
[no|avoid the] {unsaid}[and|or|boolean operator] in the [if|condition], [separate|two|several] ifs [instead|]
[replace|undo] {unsaid}the [and|or|boolean operator] [by|with] [separate|two|several|more] ifs
{unsaid}the [conditions|checks] <should> be [separate|in separate ifs|nested|apart]
<avoid> {unsaid}the [compound|combined|long] condition
[expand|unroll|unfold] {unsaid}the [compound|combined|] condition [into ifs|into several ifs|]
split if{unsaid}
split {unsaid}condition
<split> {test}
<split> {test} [into two|up|into separate ifs|into several ifs|into its parts]
<split> the [if|condition|check] {test}
<split> the [if|condition|check] on {test} [up|into ifs|]
<split> `if {test}` [into separate ifs|into several|up|]
[break|take] {test} [apart|up|into pieces]
[break up|separate|pull apart] the condition {test}
<use> [two|separate|several] ifs instead of {test}
<turn> {test} into [two ifs|separate ifs|several ifs]
<check> the parts of {test} [separately|one by one|one after the other]
{test} <should> be [several ifs|separate ifs|two ifs|split]
{test} is too [much for one if|long|complex|complicated]
{test} [does|checks] too much at once
too many conditions in {test}
[why|how come] is {test} [one if|in one line|in one condition]?
[no|avoid] `if {test}`, [separate|two|several] ifs [instead|]
one if for each part of {test}
<check> {part} [in|with] an if of its own
<check> {part} [alone|separately|on its own]
<put> {part} [in|into] its own if
<move> {part} [out|] into [its own if|an if of its own|a separate if]
<split> {part} [off|out] [into its own if|from the rest of the condition|from the condition|]
take {part} out of the condition [into its own if|and check it separately]
{part} <should> [be|have|get] [an if of its own|its own if|a separate if]
separate {part} from the other conditions
[a|one] separate if for {part}
@<split> this [if|condition|check|] [up|into two|into separate ifs|]
@[break|take] this [apart|up]
@<use> [two|separate|several] ifs [here|]
@one [check|condition] per if
@too many conditions [here|in one line|]
@<check> [these|them] [one by one|separately]
@[separate|nested] ifs [please|instead|]
@this [condition|if] is too [long|complex]
@[can|could] this be [two|several] ifs?
"""

    @property
    def opposite(self) -> FlowCodemod:
        """Splitting is undone by merging."""
        return MergeIfs()
