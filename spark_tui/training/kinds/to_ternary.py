"""Turn an if/else that assigns or returns into a conditional expression."""

from typing import ClassVar

from spark_tui.editing.codemods.common.flow import FlowCodemod
from spark_tui.editing.codemods.from_ternary import FromTernary
from spark_tui.training.kinds.flow import UndoneKind


class ToTernary(UndoneKind):
    """`if c: x = a else: x = b` becomes `x = a if c else b`.

    Slots: {name} what is assigned or {returned} when it is a return; {test} the condition.
    """

    name: ClassVar[str] = "to_ternary"
    skeletons: ClassVar[str] = """
<use> {unsaid}a [ternary|conditional expression|ternary operator|ternary expression|one-liner|inline if]
<use> {unsaid}a [ternary|conditional expression|ternary operator] instead of [the if|if/else|the if else block|four lines]
<turn> {unsaid}the [if|if/else|if else|if else block] into a [ternary|conditional expression|one-liner]
<convert> {unsaid}the [if|if/else|if else|if statement] to a [ternary|conditional expression|ternary operator|single expression]
<rewrite> {unsaid}the [if|if/else|if else|branches] as a [ternary|conditional expression|one-liner|single line]
<replace> {unsaid}the [if|if/else|if else block] [by|with] a [ternary|conditional expression|one-line if]
<make> {unsaid}the [if|if/else|if else] a [ternary|one-liner|conditional expression]
<make> {unsaid}it [a one-liner|one line|a ternary|one expression]
ternary {unsaid}[please|instead|here]
one-liner {unsaid}[please|for the if/else|instead of the if]
[inline|collapse|shorten|condense|compress] {unsaid}the [if|if/else|if else block|branches] [into one line|to one line|]
<write> {unsaid}the if/else [in|on] [one|a single] line
[put|get] {unsaid}the [if and the else|if/else|whole if] [on|onto|in|into] [one|a single] line
[can|could] {unsaid}[this|the if|the if/else] be [a ternary|one line|a one-liner|a conditional expression]?
[isn't|is] {unsaid}there a [one-liner|shorter way|ternary] for [the if/else|this if else]?
{unsaid}the if/else is [too long|too verbose|too much] for [one value|so little]
{unsaid}four lines for [one value|so little|a simple choice][, one is enough| are too many|]
{unsaid}[one|a single] line is enough [for the if/else|for this|]
{unsaid}the [if|if/else|if else] [can|could|should] be [a ternary|one line|a conditional expression]
no need for {unsaid}[an if block|a whole if else|four lines][, a ternary does it|]
[choose|pick] {unsaid}the value [in|with] [one expression|a ternary|a conditional expression]
<simplify> {unsaid}the if/else [to|into] [one line|a ternary|an expression]
<lint>: SIM108 use ternary operator{unsaid}
<lint>: SIM108{unsaid}
<lint>: use {unsaid}ternary operator instead of if-else-block
FURB {unsaid}if-exp instead of if statement
R1705 {unsaid}could be a conditional expression
<review>: {unsaid}[a ternary|conditional expression|one line] [would do|is enough|here]
<nit>: {unsaid}[ternary|one-liner|conditional expression]
value if {unsaid}condition else other[ style|, please|]
like {unsaid}[`a if c else b`|`x if y else z`] [please|instead|]
{unsaid}`a if c else b` would be [shorter|nicer|more readable]
[less|fewer] {unsaid}lines [please|for the if/else|], [ternary|inline if]
[set|assign|compute] {name} in [one line|a single line|one expression|a single assignment]
[set|assign] {name} [with|by|using] a [ternary|conditional expression|one-liner|inline if]
<use> a [ternary|conditional expression|inline if|one-liner] for {name}
<turn> the [if|if/else] [that sets|for|around|setting] {name} into a [ternary|conditional expression]
<convert> the [if|if/else] [that sets|for|setting] {name} to a [ternary|conditional expression|one-liner]
<make> {name} a [ternary|conditional expression|one-liner]
<make> the assignment of {name} a [ternary|one-liner|conditional expression]
<replace> the if/else [for|around|of] {name} [by|with] a [ternary|conditional expression]
<inline> the [if|if/else] [for|that sets|around] {name}
{name} <should> be [set|assigned] [once|in one line|in a single expression|only once]
{name} is [assigned|set] twice, [use a ternary|one line is enough|once would do]
{name} [can|could|should] be [a ternary|one line|a one-liner]
the [if|if/else] for {name} [can|could|should] be [a ternary|one line|an expression]
[why|how come] [is|does] {name} [assigned in two branches|need an if else|set twice]?
no need for an if [else|block] to [set|assign] {name}
only one assignment [of|to] {name}
ternary for {name}
SIM108 use ternary operator for {name}
return {returned}{unsaid}[one expression|a conditional expression|a ternary]
one return {returned}{unsaid}[is enough|instead of two|please|, with a ternary]
<merge> {returned}{unsaid}the [two|] returns [into one|into a single one|]
[combine|join|collapse] {returned}{unsaid}the [two|] returns [into one|with a ternary|]
<return> {returned}{unsaid}[it|the value] in [one|a single] line
two returns {returned}{unsaid}where one would do
<turn> [the if on|] {test} into a [ternary|conditional expression|inline if]
<use> a [ternary|conditional expression|inline if] [on|for|with] {test}
<convert> the [if|if/else] [on|with] {test} to a [ternary|conditional expression|one-liner]
<make> `if {test}` a [ternary|one-liner|conditional expression]
[inline|collapse|shorten] the [if|if/else] [on|with] {test}
<write> the [if|if/else] on {test} [in|on] one line
the [if|if/else] on {test} [can|could|should] be [a ternary|one line|an expression]
ternary [on|with] {test}
@<use> a [ternary|conditional expression|one-liner] [here|]
@<turn> this into a [ternary|one-liner|conditional expression]
@<make> this [a ternary|one line|a one-liner|one expression]
@ternary [here|please|]
@SIM108 [here|]
@[inline|collapse|shorten] this [if|if/else|]
@[one|a single] line [is enough|please|instead]
@[this|it] [can|could|should] be [one line|a ternary]
@too [many lines|long|verbose], [one line|ternary|one-liner]
@<rewrite> this [if|if/else] as [one|an] expression
if/else -> ternary{unsaid}
this if/else is a one-liner, isn't it{unsaid}
[four|five] lines to [pick|choose] between two values {unsaid}seems a lot
@would read fine as one expression
@[fits|would fit] on one line
SIM108 Use ternary operator {unsaid}instead of `if`-`else`-block
SIM108 Use ternary operator `{result}` instead of `if`-`else`-block
{result}
`{result}` please
make that `{result}`
[just|simply] {result}
why not {result}
-> {result}
could be written as {result}
nit: {result}
R1705 / SIM108: collapse the branches {unsaid}into an expression
sonar: {unsaid}this if/else can be replaced by a conditional expression
pycharm suggests {unsaid}[a conditional expression|a ternary]
both branches {unsaid}[do the same thing|only set one value|are nearly the same], one line please
both branches [set|assign|write] {name}, [that's one line|once is enough|make it one]
the two branches only differ in the value{unsaid}
the branches [only|just] differ in what {name} gets
{name} = ... if ... else ...
{name} = ... if {test} else ...
{name} in one go please
{name} depends on {test}, [one line can say that|put that in one line]
{name} either way, so assign it once
don't [set|assign|write] {name} twice
saying {name} twice is [noise|repetition|silly]
so that {name} is assigned [only|] once
i'd like {name} to be [final|set exactly once]
{name}: too many lines for a simple choice
i want to see [at one glance|in one line] what {name} is
can {name} be picked [in place|inline|on the spot] ?
review: {name} could be a conditional expression
mypy complains about {name} being assigned in two branches, one assignment please
{name} should be a single expression [so it can be inlined later|]
without the block for {name}
@without the block [please|]
no block just for {unsaid}[two values|one of two values]
spelled out branches are {unsaid}[overkill|noise] for this
@too much ceremony
if {test} then one else the other, that's one line
{test} just picks a value
{test} decides between two values, write it inline
one of two values depending on {test}, in one line
the block for {test} is overkill
`... if {test} else ...` please
... if {test} else ...
[i prefer|let's have] `... if {test} else ...`
get the {test} choice onto a single line
one return, its value picked inline{returned}{unsaid}
single return {returned}{unsaid}[please|with an inline if|, inline if]
return ... if ... else ...{returned}{unsaid}
return ... if {test} else ...{returned}
return one or the other {returned}{unsaid}in one line
both branches return, so one return can do it{returned}{unsaid}
i'd rather have one return {returned}{unsaid}than two
RET505 {returned}{unsaid}[unnecessary else after return|superfluous-else-return], make it one return
RET505, turn it into a single return {returned}{unsaid}with a conditional
why two returns{returned}{unsaid}
only one exit {returned}{unsaid}[please|here]
what it returns {returned}{unsaid}fits in one line
@one line
@inline if please
@... if ... else ...
@{result}
@-> {result}
@squeeze [this|it] into one line
@four lines for that?
@overkill
@less vertical space
@python has an expression for that
@condense
@would fit on one line
@a ? b : c
@like c's ?:
"""

    @property
    def opposite(self) -> FlowCodemod:
        """Writing out the branches."""
        return FromTernary()
