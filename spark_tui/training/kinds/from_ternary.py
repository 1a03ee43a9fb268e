"""Write out a conditional expression as an if/else."""

from typing import ClassVar

from spark_tui.editing.codemods.common.flow import FlowCodemod
from spark_tui.editing.codemods.to_ternary import ToTernary
from spark_tui.training.kinds.flow import UndoneKind


class FromTernary(UndoneKind):
    """`x = a if c else b` becomes an if/else.

    Slots: {name} what is assigned or {returned} when it is a return; {test} the condition.
    """

    name: ClassVar[str] = "from_ternary"
    skeletons: ClassVar[str] = """
expand {unsaid}the [ternary|conditional expression|one-liner|inline if]
expand {unsaid}the ternary [into|to] [an if/else|a full if|a normal if|an if statement|if and else]
<turn> {unsaid}the [ternary|conditional expression|inline if|one-liner] into [an if/else|a normal if|an if statement|a proper if|if and else]
<convert> {unsaid}the [ternary|conditional expression|inline if] to [an if/else|an if statement|a normal if|a block]
<replace> {unsaid}the [ternary|conditional expression|inline if] [by|with] [an if/else|a normal if|an if statement|if and else]
<rewrite> {unsaid}the [ternary|conditional expression|one-liner] as [an if/else|an if statement|a normal if|several lines]
<write> {unsaid}the [ternary|conditional expression] out
write out {unsaid}the [ternary|conditional expression|inline if|one-liner]
spell out {unsaid}the [ternary|conditional expression|inline if|two cases]
unfold {unsaid}the [ternary|conditional expression|inline if]
unroll {unsaid}the [ternary|conditional expression|inline if]
<use> {unsaid}[an if/else|a normal if|a plain if|an if statement|a real if] [instead of|rather than] [the ternary|a ternary|the conditional expression|the one-liner]
<use> {unsaid}[a|an] [if block|if else block|if statement|if/else] [here|instead|]
<get_rid> {unsaid}the [ternary|conditional expression|inline if|one-line if]
<avoid> {unsaid}the [ternary|conditional expression|inline if|one-liner]
[no|without] {unsaid}[ternary|ternaries|conditional expression|inline if] [please|here|]
[i|we] don't [like|want|use] {unsaid}[ternaries|the ternary|conditional expressions|inline ifs] [here|]
{unsaid}the [ternary|conditional expression|inline if|one-liner] is [hard to read|unreadable|too clever|too long|confusing|hard to debug]
[can|could] {unsaid}the [ternary|one-liner] be [a normal if|an if/else|written out]?
[why|how come] {unsaid}[a|the] [ternary|inline if|conditional expression] [here|]? write it out
{unsaid}the [ternary|one-liner|conditional expression] <should> be [a normal if|an if/else|written out|a block]
<split> {unsaid}the [ternary|one-liner|conditional expression] [into several lines|into branches|into if and else|up|]
[break|take] {unsaid}the [ternary|one-liner|conditional expression] [apart|up|into branches]
one [line|branch] {unsaid}per case [please|, no ternary|]
separate {unsaid}[branches|lines] for [the two|both|the] [cases|values] [please|]
[i|we] want to [set a breakpoint|log|put a log line] {unsaid}in [one branch|each branch|the else case], expand the ternary
{unsaid}[four|several|more] lines are [fine|ok|clearer], no ternary
<review>: {unsaid}[expand|avoid|write out] the [ternary|conditional expression]
<nit>: {unsaid}[no ternary|if/else instead of the ternary|write out the ternary]
<lint>: {unsaid}[no-ternary|WPS509 nested ternary|no ternaries allowed|ternary expression not allowed]
if/else {unsaid}[instead of the ternary|please|block instead]
plain if {unsaid}[instead of the ternary|please]
{unsaid}readable if/else [please|instead of the one-liner|]
<make> {unsaid}the ternary [a normal if|an if/else|readable|a block]
[move|pull] {unsaid}the condition out [of|from] the [expression|line|ternary] into an if
expand the [ternary|conditional expression|inline if|if else] [for|of|that sets] {name}
[set|assign] {name} [in|with|by|using] [an if/else|a normal if|an if statement|if and else|two branches|separate branches]
<use> [an if/else|a normal if|an if statement|a block] [for|to set|to assign] {name}
<turn> the [ternary|conditional expression|assignment] [for|of] {name} into [an if/else|a normal if|an if statement]
<convert> the [ternary|conditional expression] [for|of] {name} to [an if/else|an if statement|a normal if]
<replace> the ternary [for|of] {name} [by|with] [an if/else|a normal if|an if statement]
<write> out the [ternary|conditional expression] [for|of] {name}
<write> the assignment of {name} as [an if/else|a normal if|if and else]
<split> the [assignment of|ternary for] {name} into [branches|if and else|two branches]
<avoid> the ternary [for|in] {name}
no ternary for {name}
{name} <should> be [set|assigned] [in an if/else|in two branches|by a normal if|without a ternary]
{name} is [hard to read|too clever|a ternary], [use an if/else|write it out|expand it]
the [line|assignment|ternary] for {name} is [too long|hard to read|unreadable], [use an if/else|expand it|write it out]
the [ternary|one-liner] for {name} is [too long|hard to read|too clever]
[why|how come] is {name} a ternary? [expand it|write it out|]
if/else for {name} [please|instead of the ternary|]
<return> {returned}{unsaid}[in|from] [two|separate] [branches|places|statements|ifs][ instead of one|]
<use> {returned}{unsaid}two returns [instead of the ternary|instead of one|please]
two returns {returned}{unsaid}[please|instead of the ternary|instead of one long line]
<split> {returned}{unsaid}the return [into two|in two|up]
[if|an if] with {returned}{unsaid}a return [each|of its own], not a ternary
separate {returned}{unsaid}returns for the two cases
expand the ternary on {test}
<turn> the [ternary|conditional expression|inline if] [on|with] {test} into [an if/else|a normal if|an if statement]
<use> [an if/else|a normal if|an if statement|an if block] [for|on] {test}
<write> out the [ternary|conditional expression|inline if] [on|with] {test}
<replace> the [ternary|inline if] on {test} [by|with] [an if/else|a normal if]
<make> {test} [a normal if|an if statement|a proper if]
no ternary on {test}
the ternary on {test} is [hard to read|too clever|too long]
@expand [this|the ternary|it]
@<turn> this into [an if/else|a normal if|an if statement]
@<write> this [out|as a normal if|as an if/else]
@<use> [an if/else|a normal if|an if block] [here|]
@[no|not a] ternary [here|please|]
@this [line|ternary|one-liner|] is [hard to read|too clever|too long|unreadable]
@<split> this [into branches|into if and else|up into an if/else]
@[if/else|plain if] [please|instead|]
@unfold [this|the ternary]
@<avoid> the ternary [here|]
ternary -> if/else{unsaid}
if/else block{unsaid}
proper if/else{unsaid}
@block form please
@the long form
@long form please, [i need to add things|more will come]
@write it the long way
@too much on one line
@too much packed into one line
@hard to parse [by eye|when reading]
my eyes hurt{unsaid} from this one-liner
i can't read inline ifs{unsaid}
inline ifs are banned {unsaid}here
our style guide [forbids|has no] {unsaid}[ternaries|conditional expressions]
style guide: {unsaid}no conditional expressions
@no code golf
one-liner -> block{unsaid}
should be readable for beginners{unsaid}, if and else on their own lines
juniors trip over this {unsaid}inline if
coverage doesn't see {unsaid}both sides of the [ternary|inline if], branches please
branch coverage can't see into {unsaid}the ternary
@need to log [in|on] one of the two cases
i need room for {unsaid}[a log line|more code|a comment] in one of the cases
more code will go into {unsaid}[one of the cases|the else case]
there will be more {unsaid}in the [if|else] branch soon
the else case needs a second line soon{unsaid}
a comment for each case, so {unsaid}give them lines of their own
@can't set a breakpoint on [half a line|one case]
@E501 line too long, use a block
E501 because of the inline if{unsaid}
IfExp not allowed{unsaid}
WPS504-ish: {unsaid}no inline conditions
sonar S3358: ternary operators should not be nested{unsaid}
sonar: {unsaid}extract this conditional expression into an independent statement
eslint would say no-ternary{unsaid}
unpack the [ternary|inline if]{unsaid}
untangle the [ternary|one-liner]{unsaid}
pull the [ternary|one-liner|inline if] apart{unsaid}
no `x if y else z`{unsaid}
without `... if ... else ...`{unsaid}
four lines are easier to read than this one{unsaid}
plain old if and else {unsaid}[please|]
@in two branches
{name} the long way
{name} as if/else
{name} in an if/else
{name} in two branches
{name} in two steps, if and else
if/else for {name}
if {test}: {name} = ... else: {name} = ...
`if {test}:` then {name}, else the other
plain if for {name}
{name} is packed too tight
what is {name} when? hard to see, write the branches out
i need to add something to {name} in the else case, make it a block
can {name} get a proper if ?
nit: {name} is too clever
the inline if for {name} hurts
{name} on one line is too much
`if {test}:` on a line of its own
`if {test}:` as a statement
if {test}: ... else: ...
a real `if {test}:`
{test} deserves a line of its own
{test} as a proper if
{test} should be a statement
branch on {test} properly
test {test} first, on its own line
return in two branches{returned}{unsaid}
two returns {returned}{unsaid}[please|are clearer|instead of one]
a return in each branch{returned}{unsaid}
one return per case{returned}{unsaid}
if {test}: return ... else return ...{returned}
return early on {test} instead of the inline if{returned}
@long form
@block
@if/else
@as a block
@too clever
@too dense
@code golf
@unpack
@spell it out
@the long way please
@two branches
@hurts to read
@needs room for a log line
@no inline if
@write the branches out
"""

    @property
    def opposite(self) -> FlowCodemod:
        """Making one expression of the branches."""
        return ToTernary()
