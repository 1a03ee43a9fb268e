"""Split an if over several conditions into several ifs."""

from typing import ClassVar

from spark_tui.editing.codemods.common.flow import FlowCodemod
from spark_tui.editing.codemods.merge_ifs import MergeIfs
from spark_tui.training.kinds.flow import UndoneKind


class SplitIf(UndoneKind):
    """`if a and b:` becomes nested ifs, `if a or b:` two with the same body.

    Slots: {test} the whole condition; {part} the one to be checked alone, of more than two;
    {nested} and {alike} show nothing and say that they are joined by `and` or by `or`.
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
nest {unsaid}the [conditions|checks|ifs] [instead of joining them|]{nested}
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
too much in one condition{unsaid}
i can't [read|parse|follow] this condition{unsaid}
i can't tell which of them failed, {unsaid}[separate ifs|one if each]
coverage can't tell {unsaid}which part was hit, [separate ifs|one if each]
which part was it? {unsaid}[hard to tell with|can't see that in] one big condition
i want a breakpoint on each check{unsaid}
i'd like to step through the checks {unsaid}one by one
can't set a breakpoint on {unsaid}half a condition
@one at a time please
@piece by piece [please|instead of all at once]
a line [for|per] check{unsaid}
two questions in one if{unsaid}
two ifs please{unsaid}
@nested
nested ifs read better {unsaid}here
outer if, inner if{nested}{unsaid}
@first the one, then the other
PLR0916 Too many Boolean expressions{unsaid}
R0916: Too many boolean expressions in if statement{unsaid}
sonar S1067: expressions should not be too complex{unsaid}
S1067 {unsaid}reduce the number of conditional operators
C901: condition too complex{unsaid}, take it apart
WPS222 Found a condition with too much logic{unsaid}
WPS222 {unsaid}condition with too much logic
flake8 complains about too much logic in one condition{unsaid}
E501-ish: the condition is a mile long{unsaid}
a mile of a condition{unsaid}
wall of a condition{unsaid}
[that|the] boolean is a monster{unsaid}
the if swallows too much{unsaid}
unpack the condition{unsaid}
untangle the condition{unsaid}
disentangle the checks{unsaid}
the checks will get different messages later, {unsaid}separate them
the cases will be handled differently soon, {unsaid}take them apart
i need to add an else for only one of them{unsaid}
need room for {unsaid}a log line between the checks
each check will get its own [message|log line|comment]{unsaid}
undo the merging of the ifs{unsaid}
without the `and`{nested}{unsaid}
get rid of the `and`, nest them{nested}{unsaid}
without the `or`{alike}{unsaid}
get rid of the `or`, one if each{alike}{unsaid}
{test}: one at a time
{test}: too much at once
{test} -> separate ifs
{test} as separate ifs
{test} in steps
{test} asks two things, [one if each|take it apart]
can't read {test}, [take it apart|two ifs]
`if {test}` as [two|several|separate] ifs please
which part of {test} failed? make it separate ifs
take {test} one by one
undo `if {test}`, I want separate ifs
unpack {test}
untangle {test}
nit: {test} is a mouthful
don't ask {test} in one breath
one level per part of {test}
step by step instead of {test}
{part} first, [then the rest|the others below]
{part} deserves an if of its own
{part} by itself
{part} alone, the rest apart
{part} needs its own if, [i have to log there|for a breakpoint]
ask {part} on its own line
its own if for {part}
give {part} its own if
lift {part} out of the condition
pull {part} out
{part} doesn't belong with the others
@one at a time
@one by one
@each on its own
@two ifs
@nested please
@too much at once
@take it apart
@unpack
@separately
@can't read this
@which one failed?
@untangle
@step by step
@without the and{nested}
@without the or{alike}
@PLR0916
"""

    @property
    def opposite(self) -> FlowCodemod:
        """Splitting is undone by merging."""
        return MergeIfs()
