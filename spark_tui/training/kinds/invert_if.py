"""Swap the branches of an if/else and negate its condition."""

from typing import ClassVar

from spark_tui.editing.codemods.flow import FlowCodemod
from spark_tui.editing.codemods.invert_if import InvertIf as Codemod
from spark_tui.training.kinds.flow import UndoneKind


class InvertIf(UndoneKind):
    """`if x: a else: b` becomes `if not x: b else: a`.

    Slots: {test} the condition and {opposite} what it becomes; {ternary} the condition of a conditional expression.
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
<avoid> {unsaid}the negated condition [with an else|when there is an else|in the if/else|]
<avoid> {unsaid}the negation[, swap the branches|, put the positive case first|]
<get_rid> {unsaid}the not [in the condition|in the if|] by swapping the branches
{unsaid}positive [case|condition|check] first [please|, negative one in the else|]
{unsaid}a negated condition with an else is [hard to read|confusing], <swap> [them|the branches]
{unsaid}the negated if/else is [hard to read|confusing|awkward|backwards]
<lint>: SIM202 negated condition with else{unsaid}
<lint>: {unsaid}unnecessary negation, swap if and else
<lint>: RUF no-negated-condition{unsaid}
<review>: {unsaid}[invert|flip] the [condition|if]
<nit>: {unsaid}[invert|flip|swap] the if/else
[can|could] {unsaid}we [invert|flip|reverse] the [if|condition]?
[why|how come] {unsaid}is the negative case first?
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
@<avoid> the [negation|not] [here|]
@positive case first
"""

    @property
    def opposite(self) -> FlowCodemod:
        """Inverting is undone by inverting."""
        return Codemod()
