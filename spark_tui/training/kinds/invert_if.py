"""Swap the branches of an if/else and negate its condition."""

from typing import ClassVar

from spark_tui.editing.codemods.common.flow import FlowCodemod
from spark_tui.editing.codemods.invert_if import InvertIf as Codemod
from spark_tui.training.kinds.flow import UndoneKind


class InvertIf(UndoneKind):
    """`if x: a else: b` becomes `if not x: b else: a`.

    Slots: {test} the condition and {opposite} what it becomes; {ternary} the condition of a conditional
    expression; {negated} shows nothing and says that it is a negation.
    """

    name: ClassVar[str] = "invert_if"
    skeletons: ClassVar[str] = """
invert {unsaid}the [if|condition|if/else|check|if statement]
[flip|reverse|negate|turn around|swap] {unsaid}the [if|condition|if/else|check|test]
<swap> {unsaid}the [branches|two branches|if and the else|if and else branches|two cases|arms]
<swap> {unsaid}the [if and else|branches] [and|, then] negate the [condition|check|test]
negate {unsaid}the condition and <swap> the [branches|bodies|two blocks|cases]
put {unsaid}the else [branch|case|part|block] first
{unsaid}the else [branch|case|part] <should> come first
<move> {unsaid}the else [branch|part|block] [to the top|up|before the if branch]
<make> {unsaid}the else [branch|] the if [branch|] and [vice versa|the other way round]
<write> {unsaid}the [if|if/else|condition] the other way [round|around]
[the other way round|the other way around|other way round]: {unsaid}else first, then if
{unsaid}the if and the else are [the wrong way round|in the wrong order|upside down|better swapped]
[i'd|i would] rather have {unsaid}the else case first
<avoid> {unsaid}the negated condition [with an else|when there is an else|in the if/else|]{negated}
<avoid> {unsaid}the negation[, swap the branches|, put the positive case first|]{negated}
<get_rid> {unsaid}the not [in the condition|in the if|] by swapping the branches{negated}
{unsaid}positive [case|condition|check] first [please|, negative one in the else|]{negated}
{unsaid}a negated condition with an else is [hard to read|confusing], <swap> [them|the branches]{negated}
{unsaid}the negated if/else is [hard to read|confusing|awkward|backwards]{negated}
<lint>: SIM202 negated condition with else{unsaid}{negated}
<lint>: {unsaid}unnecessary negation, swap if and else{negated}
<lint>: RUF no-negated-condition{unsaid}
<review>: {unsaid}[invert|flip] the [condition|if]
<nit>: {unsaid}[invert|flip|swap] the if/else
[can|could] {unsaid}we [invert|flip|reverse] the [if|condition]?
[why|how come] {unsaid}is the negative case first?{negated}
handle {unsaid}the other case first
{unsaid}short branch first
put {unsaid}the [shorter|short|simple|easy] branch first
[exchange|interchange] {unsaid}the two [branches|blocks|cases|sides] [of the if|of the if/else|]
invert if{unsaid}
invert {unsaid}condition
flip {unsaid}if else
invert {test}
[invert|flip|reverse|negate|turn around] the [condition|if|check|test] {test}
[invert|flip|reverse] `if {test}`
[invert|flip|reverse] the if/else on {test}
<swap> the [branches|two branches|bodies|cases] of {test}
<swap> the [branches|if and else] of `if {test}`
negate {test} and <swap> the [branches|bodies|cases]
<check> the opposite of {test} [first|and swap the branches]
<write> the {test} [check|test|if] the other way [round|around]
<put> the else [branch|case|part] of {test} first
the else of {test} <should> come first
{test} <should> be the other way [round|around]
{test} is the wrong way [round|around]
<avoid> {test} with an else
test for the opposite of {test} [instead|and swap if and else]
[i'd|i would] rather see the opposite of {test} [first|there]
<make> it `if {opposite}` [and swap the branches|with the branches swapped|instead of `if {test}`]
<change> the condition to {opposite} and <swap> the branches
<use> {opposite} [and|,] swap the [branches|if and the else]
[start|begin] with {opposite} [instead|, else the other branch|]
if {opposite} first, [then|and] the other case in the else
{opposite} <should> [come|be checked|be handled] first
<handle> {opposite} first, the rest in the else
<swap> it [round|around]: `if {opposite}`
[invert|flip|reverse|turn around] the [ternary|conditional expression|inline if] on {ternary}
[invert|flip|negate] {ternary} in the [ternary|conditional expression|inline if|one-line if]
<swap> the [sides|two values|ends|halves] of the ternary on {ternary}
<swap> the two values of the conditional expression with {ternary}
<write> the ternary with {ternary} the other way [round|around]
negate {ternary} and <swap> the values
the ternary on {ternary} is [backwards|the wrong way round]
@[invert|flip|reverse|negate|turn around] this
@[invert|flip|reverse] this [if|condition|check]
@<swap> [the branches|if and else|them|these two]
@the other way [round|around] [please|]
@else [first|branch first]
@[invert|flip] the [condition|if] [here|]
@negate [this|the condition] and swap the [branches|values]
@[this|it] is [backwards|the wrong way round]
@<avoid> the [negation|not] [here|]{negated}
@positive case first{negated}
other branch first{unsaid}
else branch first{unsaid}
[normal|common|usual|main|likely] case first{unsaid}
the error case should come last{unsaid}
happy path first, the rest in the else{unsaid}
start with the [good|normal|positive] case{unsaid}
[reads|read] better the other way [round|around]{unsaid}
would read better with the branches exchanged{unsaid}
i stumble over this if/else every time, other way round please{unsaid}
my brain wants the other order{unsaid}
the two halves should trade places{unsaid}
then <-> else{unsaid}
if <-> else{unsaid}
if and else exchanged please{unsaid}
upside down for my taste{unsaid}
if not ... else ... {negated}{unsaid}is a double negative
not ... else is hard on the brain{negated}{unsaid}
double negation: not in the if, else after it{negated}{unsaid}
no negation with an else {negated}{unsaid}[please|]
drop the not, exchange the branches{negated}{unsaid}
get the `not` out of the if{negated}{unsaid}
without the not{negated}{unsaid}
positive condition please{negated}{unsaid}
ask the positive question [first|]{negated}{unsaid}
the condition should be positive{negated}{unsaid}
SIM202 / negated condition: swap{negated}{unsaid}
no-negated-condition: Unexpected negated condition{negated}{unsaid}
sonar S7735: unexpected negated condition{negated}{unsaid}
W: unneeded-not with else{negated}{unsaid}
pycharm: invert 'if' condition{unsaid}
sourcery: swap if/else branches{unsaid}
clippy would say if_not_else{negated}{unsaid}
`if {opposite}`
`if {opposite}` please
if {opposite}: ... else: ...
if {opposite} instead of if {test}
{test} -> {opposite}, branches too
{opposite}, not {test}, and exchange the branches
make the condition {opposite}, blocks exchanged
ask for {opposite} [first|instead]
ask whether {opposite} [first|instead]
i'd ask {opposite} rather than {test}
{opposite} reads better than {test}
{opposite} is the normal case, put it on top
start with {opposite}
the {opposite} case first please
{opposite} should be the first branch
what happens when {opposite} belongs on top
else of {test} on top
`if {test}` upside down
{test}: other branch first
{test}: else first
{test} should go into the else
{test} is the rare case, put it last
{test} is the exception, it belongs into the else
{test} last please
turn `if {test}` upside down
the block under {test} should be the else
nit: invert {test}
can {test} be the else case ?
don't start with {test}
@other branch first
@else first
@upside down
@if {opposite}
@{opposite} first
@other way round, same result
@inverted please, same behaviour
@trade places
@exchange the two blocks
@normal case first
@without the not{negated}
@positive please{negated}
@reads better the other way round
@nit: invert
flip the ternary on {ternary}
the ternary on {ternary} the other way round please
{ternary} in the ternary: ask for the opposite
"""

    @property
    def opposite(self) -> FlowCodemod:
        """Inverting is undone by inverting."""
        return Codemod()
