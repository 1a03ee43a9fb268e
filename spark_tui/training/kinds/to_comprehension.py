"""Turn a loop that fills a list, set or dict into a comprehension."""

from typing import ClassVar

from spark_tui.editing.codemods.common.flow import FlowCodemod
from spark_tui.editing.codemods.from_comprehension import FromComprehension
from spark_tui.training.kinds.flow import UndoneKind


class ToComprehension(UndoneKind):
    """`x = []` and a loop that appends become `x = [... for ...]`.

    Slots: {name} what is filled, {over} what is looped over; {list}, {set} or {dict} when it is one.
    """

    name: ClassVar[str] = "to_comprehension"
    skeletons: ClassVar[str] = """
<use> {unsaid}a comprehension [instead of the loop|here|instead|]
<use> {list}{unsaid}a [list comprehension|list comp|listcomp] [instead of the loop|instead of append|here|]
<use> {set}{unsaid}a set comprehension [instead of the loop|instead of add|here|]
<use> {dict}{unsaid}a [dict comprehension|dict comp|dictionary comprehension] [instead of the loop|here|]
<turn> {unsaid}the loop into a comprehension
<turn> {list}{unsaid}the [loop|for loop|appends] into a [list comprehension|list comp|list expression]
<turn> {dict}{unsaid}the [loop|for loop] into a [dict comprehension|dict comp]
<turn> {set}{unsaid}the [loop|for loop] into a set comprehension
<convert> {unsaid}the [loop|for loop] to a comprehension
<convert> {list}{unsaid}the [loop|for loop] to a [list comprehension|list comp|one-liner]
<convert> {dict}{unsaid}the [loop|for loop] to a [dict comprehension|dict comp|one-liner]
<rewrite> {unsaid}the [loop|for loop] as a comprehension
<replace> {unsaid}the [loop|for loop] [by|with] a comprehension
<replace> {list}{unsaid}the [loop|append loop|for loop] [by|with] a [list comprehension|list comp]
<replace> {list}{unsaid}the append [by|with] a comprehension
<make> {unsaid}the loop a [comprehension|one-liner|single expression]
<make> {unsaid}it [a one-liner|one line|one expression], [not a loop|no loop|a comprehension]
[collapse|shorten|condense|compress] {unsaid}the [loop|for loop] [into|to] [one line|one expression|a comprehension]
<write> {unsaid}the loop [in|on] [one|a single] line
no {unsaid}[explicit|manual|] loop [needed|] [here|to build it|]
no need {unsaid}[for a loop|for the loop|to loop by hand]
{list}{unsaid}no need to append in a loop
{list}{unsaid}[append in a loop|appending in a loop|a loop with only an append] [is slow|is clumsy|can be a comprehension|is unpythonic]
{dict}{unsaid}filling a dict in a loop [is clumsy|can be a comprehension|is unpythonic]
{unsaid}the loop [only|just] [fills|builds] [a container|one thing], [use a comprehension|a comprehension is shorter]
{list}{unsaid}the loop [only|just] [builds|fills|makes] a list
{dict}{unsaid}the loop [only|just] [builds|fills|makes] a [dict|dictionary]
{set}{unsaid}the loop [only|just] [builds|fills|makes] a set
[build|create|construct] {list}{unsaid}the list [in one go|in one expression|directly|in one line]
[build|create|construct] {dict}{unsaid}the [dict|dictionary] [in one go|in one expression|directly|in one line]
[build|create|construct] {set}{unsaid}the set [in one go|in one expression|directly|in one line]
don't {list}{unsaid}start with an empty list
don't {dict}{unsaid}start with an empty dict
<avoid> {unsaid}[the loop|starting empty|the empty start value]
more pythonic {unsaid}[than the loop|please], [a comprehension|as a comprehension]
{unsaid}the loop [can|could|should] be a [comprehension|one-liner]
[can|could] {unsaid}the loop be [a comprehension|one line|a one-liner]?
comprehension {unsaid}[please|instead of the loop|here]
list comp {list}{unsaid}[please|instead of the loop|here]
dict comp {dict}{unsaid}[please|instead of the loop|here]
<lint>: PERF401 use a list comprehension to create a transformed list{list}{unsaid}
PERF401 {list}{unsaid}[for loop can be a comprehension|use a list comprehension]
<lint>: PERF403 use a dictionary comprehension instead of a for-loop{dict}{unsaid}
<lint>: FURB142 for loop with add{set}{unsaid}
<lint>: {unsaid}consider-using-comprehension
R1721 {unsaid}[use a comprehension|comprehension instead of the loop]
<review>: {unsaid}[a comprehension|comprehension instead of the loop] [please|would do|]
<nit>: {unsaid}[comprehension|this loop is a comprehension]
<use> a comprehension [for|to build|to fill|to make] {name}
[build|create|fill|construct|compute|make] {name} [with|in|using|by] a comprehension
[build|create|construct|compute] {name} [in one line|in one go|in one expression|without a loop|directly]
<turn> the loop [that fills|that builds|for|filling|behind] {name} into a comprehension
<convert> the loop [that fills|that builds|for|filling] {name} to a comprehension
<replace> the loop [that fills|that builds|for|filling] {name} [by|with] a comprehension
<rewrite> {name} as a comprehension
<make> {name} a comprehension
{name} [can|could|should] be [a comprehension|built in one line|built without a loop|a one-liner]
no need for a loop to [build|fill|make] {name}
[why|how come] is {name} [built|filled] in a loop?
{name} is [filled|built] in a loop, [use a comprehension|a comprehension is shorter|that can be one line]
don't start {name} empty
comprehension for {name}
<use> a [list comprehension|list comp] {list}for {name}
<use> a [dict comprehension|dict comp] {dict}for {name}
[append|appending] {list}to {name} in a loop [is slow|is unpythonic|can be a comprehension]
<turn> the loop over {over} into a comprehension
<convert> the loop over {over} to a comprehension
<replace> the loop over {over} [by|with] a comprehension
<use> a comprehension over {over} [instead of the loop|]
<rewrite> the loop over {over} as a [comprehension|one-liner]
the loop over {over} [can|could|should] be a [comprehension|one-liner]
no loop over {over}, a comprehension
comprehension over {over}
@<use> a comprehension [here|]
@<turn> this [loop|] into a comprehension
@<make> this [loop|] a [comprehension|one-liner]
@comprehension [here|please|]
@no loop [here|needed|]
@this [loop|] [can|could|should] be [a comprehension|one line]
@[PERF401|PERF403|R1721] [here|]
@<rewrite> this [loop|] [as one expression|as a comprehension|without the loop]
@[collapse|shorten] this [loop|] [to one line|into a comprehension|]
@more pythonic [please|]
{result}
`{result}` please
-> {result}
why not {result}
make that `{result}`
could be `{result}`
nit: {result}
simply {result}
the loop says no more than `{result}`
{name} = \\[... for ...\\]{list}
{name} = \\{... for ...\\}{dict}
\\[... for ... in {over}\\]{list}
\\[... for ... in ...\\] {list}{unsaid}would do
[three|four] lines to build one list{list}{unsaid}
[three|four] lines to build one dict{dict}{unsaid}
PERF401 Use `list.extend` or a list comprehension{list}{unsaid}
PERF403 Use a dictionary comprehension instead of a for-loop{dict}{unsaid}
R1721-ish: {unsaid}build it in one expression
sonar: {unsaid}replace this loop by a comprehension
sourcery: convert for loop into list comprehension{list}{unsaid}
sourcery: convert for loop into dictionary comprehension{dict}{unsaid}
sourcery: convert for loop into set comprehension{set}{unsaid}
pycharm: {unsaid}this loop can be replaced by a comprehension
append append append... {list}{unsaid}one expression please
append in a loop? {list}{unsaid}python can do better
nothing but an append in there{list}{unsaid}
nothing but an add in there{set}{unsaid}
starts empty and then gets filled, {unsaid}[one line can do that|do it at once]
starting with \\[\\] and filling it up{list}{unsaid} is so [java|c|noughties]
starting with an empty dict {dict}{unsaid}just to fill it right away
the empty start {unsaid}[could go|is not needed|is noise]
without the empty start{unsaid}
without append{list}{unsaid}
get the list in one go{list}{unsaid}
get the dict in one go{dict}{unsaid}
listcomp{list}{unsaid}
dictcomp{dict}{unsaid}
setcomp{set}{unsaid}
for loop -> comprehension{unsaid}
loop -> comp{unsaid}
@would fit in one line
too slow, a comprehension is faster{unsaid}
@should be faster as one expression
@this can be said in one line
@say it in one expression
[this|the loop] is really just a map{list}{unsaid}
map/filter by hand, {list}{unsaid}[brackets|a comprehension] instead
@three lines for what one could say
{name} in one line please
{name} in one go
{name} grows step by step, [build it at once|one expression would do]
{name} all at once instead of [one by one|item by item]
i'd like to see {name} defined in one place
define {name} where it is [named|declared]
so that {name} is assigned only once, no filling afterwards
mypy can't infer the type of {name} when it starts empty, build it in one expression
"Need type annotation for '{name}'" would go away with a comprehension
{name} doesn't need a loop [of its own|]
{name}.append in a loop, {list}really ?
{name} is just {over} transformed
{name} from {over} in one line
{name}: comprehension over {over}
everything from {over} {list}into one list expression
{over} -> {name} in one expression
why loop over {over} just to fill {name}
@comp
@listcomp{list}
@one line
@one expression
@in one go
@{result}
@-> {result}
@\\[... for ...\\]{list}
@\\{... for ...\\}{dict}
@just fills a list{list}
@just fills a dict{dict}
@no append{list}
@without the empty start
@too many lines for a simple mapping
@say it in one line
@build it at once
@old style
"""

    @property
    def opposite(self) -> FlowCodemod:
        """Writing out the loop."""
        return FromComprehension()
