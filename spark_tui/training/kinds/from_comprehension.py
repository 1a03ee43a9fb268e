"""Write out a comprehension as a loop."""

from collections.abc import Mapping, Sequence
from random import Random
from typing import ClassVar

from spark_tui.editing.codemods.base import Request
from spark_tui.editing.codemods.common.flow import FlowCodemod
from spark_tui.editing.codemods.registry import codemods
from spark_tui.editing.codemods.to_comprehension import ToComprehension
from spark_tui.editing.snippet import Snippet
from spark_tui.training.kinds import pools
from spark_tui.training.kinds.base import Edit
from spark_tui.training.kinds.flow import UndoneKind


class FromComprehension(UndoneKind):
    """`x = [f(y) for y in z]` becomes `x = []` and a loop that appends.

    Slots: {name} what is filled or {unnamed} when it has no name yet, {new} the name asked for; {over} what is
    looped over; {list}, {set} or {dict} when it is one.
    """

    name: ClassVar[str] = "from_comprehension"
    skeletons: ClassVar[str] = """
<use> {unsaid}a [loop|for loop|plain loop|normal loop|plain for loop|regular loop] [instead of the comprehension|here|instead|]
<use> {list}{unsaid}a [loop|for loop|plain loop] [instead of the list comprehension|with append|and append]
<use> {dict}{unsaid}a [loop|for loop|plain loop] instead of the dict comprehension
<use> {set}{unsaid}a [loop|for loop|plain loop] instead of the set comprehension
<turn> {unsaid}the comprehension into a [loop|for loop|plain loop|normal loop|regular for loop]
<turn> {list}{unsaid}the [list comprehension|list comp] into a [loop|for loop|plain loop]
<turn> {dict}{unsaid}the [dict comprehension|dict comp] into a [loop|for loop|plain loop]
<turn> {set}{unsaid}the set comprehension into a [loop|for loop|plain loop]
<convert> {unsaid}the [comprehension|one-liner] to a [loop|for loop|normal loop|plain loop]
<convert> {list}{unsaid}the [list comprehension|list comp] to a [loop|for loop|normal loop]
<convert> {dict}{unsaid}the [dict comprehension|dict comp] to a [loop|for loop|normal loop]
<rewrite> {unsaid}the comprehension as a [loop|for loop|plain loop|normal loop]
<replace> {unsaid}the comprehension [by|with] a [loop|for loop|plain loop|normal loop|explicit loop]
expand {unsaid}the [comprehension|one-liner]
expand {unsaid}the comprehension [into|to] a [loop|for loop|plain loop]
[unroll|unfold] {unsaid}the comprehension [into a loop|]
<write> {unsaid}the comprehension [out|out as a loop]
write out {unsaid}the [comprehension|loop]
spell out {unsaid}the [comprehension|loop]
<get_rid> {unsaid}the comprehension
<avoid> {unsaid}the comprehension
[no|without] {unsaid}[comprehension|comprehensions] [please|here|]
[explicit|plain|normal|ordinary|simple] {unsaid}[loop|for loop] [please|instead|instead of the comprehension]
for loop {unsaid}[please|instead of the comprehension|instead]
{unsaid}the [comprehension|one-liner] is [hard to read|unreadable|too clever|too long|too dense|hard to debug|confusing]
{unsaid}the comprehension does too much [in one line|], [use a loop|write a loop]
[can|could] {unsaid}the comprehension be [a loop|a normal loop|written out]?
[why|how come] {unsaid}[a|the] comprehension? [use a loop|a loop is clearer|]
{unsaid}a [loop|plain loop] [would be|is] [clearer|easier to debug|easier to read|more readable]
[i|we] want to [set a breakpoint|log|print|put a log line] {unsaid}in the loop, expand the comprehension
[i|we] need {unsaid}a [loop|loop body] [here|] to [add logging|debug|handle errors]
[i|we] don't [like|want] {unsaid}[the comprehension|comprehensions] [here|]
<split> {unsaid}the comprehension [into several lines|into a loop|up]
[break|take] {unsaid}the comprehension [apart|up]
{list}{unsaid}start with an empty list and append
{dict}{unsaid}start with an empty [dict|dictionary] and fill it [in a loop|]
{set}{unsaid}start with an empty set and add [in a loop|]
append {list}{unsaid}in a loop [instead|one by one|]
fill {dict}{unsaid}the dict in a loop [instead|]
build {list}{unsaid}the list [in|with] a loop
build {dict}{unsaid}the [dict|dictionary] [in|with] a loop
build {set}{unsaid}the set [in|with] a loop
<review>: {unsaid}[expand|write out|avoid] the comprehension
<nit>: {unsaid}[a loop is clearer|loop instead of the comprehension|no comprehension]
<lint>: {unsaid}[WPS comprehension too complex|complex comprehension|comprehension too long]
<use> a [loop|for loop|plain loop] [for|to build|to fill|to make] {name}
[build|fill|create|make|compute] {name} [in|with|using|by] a [loop|for loop|plain loop]
<turn> the comprehension [for|of|behind|that builds] {name} into a [loop|for loop|plain loop]
<convert> the comprehension [for|of|that builds] {name} to a [loop|for loop]
<replace> the comprehension [for|of|that builds] {name} [by|with] a [loop|for loop]
expand the comprehension [for|of|that builds] {name}
[unroll|unfold] the comprehension [for|of|behind] {name}
<write> out the comprehension [for|of] {name}
<rewrite> {name} as a [loop|for loop]
no comprehension for {name}
{name} <should> be [filled|built] [in a loop|by a loop|by a plain for loop]
the [comprehension|line|one-liner] for {name} is [too long|hard to read|too clever|too dense]
start with an empty {name} and [fill it in a loop|loop]
[append|add] {list}to {name} in a loop [instead|]
loop [instead of a comprehension|] for {name}
expand the comprehension over {over}
<turn> the comprehension over {over} into a [loop|for loop|plain loop]
<convert> the comprehension over {over} to a [loop|for loop]
<use> a [loop|for loop|plain loop] over {over} [instead of the comprehension|]
<write> a [loop|for loop|plain loop] over {over} [instead of the comprehension|]
loop over {over} [explicitly|by hand|in a for statement|instead]
[unroll|unfold] the comprehension over {over}
the comprehension over {over} is [too long|hard to read|too clever]
no comprehension over {over}
expand the comprehension into a loop, call it {new}
<turn> the comprehension into a loop that fills a [list|collection|container|variable] called {new}
<use> a loop that fills [something|a variable|a local] named {new} [instead of the comprehension|]
<replace> the comprehension [by|with] a loop over a result called {new}
write out the comprehension with a variable called {new}
loop instead of a comprehension, with the result named {new}
@<use> a [loop|for loop|plain loop] [here|]
@<turn> this into a [loop|for loop|plain loop]
@expand [this|the comprehension|it]
@[unroll|unfold|write out] [this|the comprehension]
@[no|not a] comprehension [here|please|]
@[explicit|plain|normal] loop [please|here|instead]
@this [comprehension|line|] is [hard to read|too clever|too dense|too long]
@<rewrite> this as a [loop|for loop]
@<avoid> the comprehension [here|]
@[split|break] this up into a loop
comprehension -> loop{unsaid}
comp -> for{unsaid}
plain old for loop{unsaid}
good old loop please{unsaid}
@the long way please
@the long form
@too clever
@no code golf
@too much in one line
i can't read [this|that] [one-liner|comprehension]{unsaid}
this one-liner hurts{unsaid}
my head hurts, {unsaid}write the loop out
juniors won't get this {unsaid}comprehension
can't debug a comprehension{unsaid}
can't step through {unsaid}[a one-liner|the comprehension]
can't put a breakpoint {unsaid}into the comprehension
debugger steps over the whole [line|comprehension]{unsaid}, i want to see each item
i want to look at each item {unsaid}in the debugger
need to print each item{unsaid} while it is built
need a try around each item{unsaid}
one bad item kills the whole comprehension{unsaid}, make it a loop i can put a try in
i have to skip items later {unsaid}[with a continue|], so make it a loop
i need a progress bar {unsaid}in there, so make it a loop
i need room for more logic {unsaid}[per item|inside]
@more will happen per item soon
WPS210-ish: {unsaid}complex comprehension
WPS221 Found line with high Jones Complexity{unsaid}
E501: the comprehension is too long, {unsaid}write it as a loop
sonar: {unsaid}comprehensions should be simple
untangle the comprehension{unsaid}
unpack the comprehension{unsaid}
pull the comprehension apart{unsaid}
no brackets magic, {list}{unsaid}append
append one by one{list}{unsaid}
append, don't comprehend{list}{unsaid}
\\[\\] and append{list}{unsaid}
x = \\[\\], for ..., x.append(...){list}{unsaid}
empty list first, then append{list}{unsaid}
empty dict first, then fill it{dict}{unsaid}
\\{\\} and fill it in a loop{dict}{unsaid}
key by key{dict}{unsaid} [please|in a loop]
item by item{unsaid} [please|in a loop]
@step by step instead of all at once
set() and add{set}{unsaid}
@as statements, not as an expression
@statements instead of the expression
spell the loop out{unsaid}
@real loop
@with a body i can add to
without [the|a] comprehension{unsaid}
{name} = \\[\\] and then append{list}
{name} = \\{\\} and then fill it{dict}
{name} = \\[\\]; for ... in {over}: {name}.append(...){list}
{name}.append in a loop{list}
{name} step by step
{name} item by item
{name} the long way
{name} in a loop
{name} in a real loop
loop for {name}
grow {name} in a loop
fill {name} bit by bit
{name} starts empty and gets filled in a loop
can {name} be filled in a plain loop ?
i have to log while {name} is built
i need a try in there while {name} is built
{name} is too dense
{name} is unreadable
{name} hurts to read, loop please
nit: {name} is too clever
for ... in {over}: as a statement
`for ... in {over}:` as a statement please
for loop over {over}
a real for loop over {over}
go over {over} one by one
go through {over} in a plain loop
walk {over} step by step
each of {over} on its own, in a loop
@loop
@for loop
@a real loop
@long form
@as statements
@too dense
@code golf
@append{list}
@one by one
@item by item
@step by step
@unpack
@need a breakpoint in there
@need a try around each item
@hurts to read
@without the comprehension
"""

    @property
    def opposite(self) -> FlowCodemod:
        """Making a comprehension of the loop."""
        return ToComprehension()

    def propose(self, snippet: Snippet, rng: Random) -> Edit | None:
        """Now and then with a name that was asked for."""
        new = pools.variable_name(rng)
        found = self.listed(snippet, Request(f"called {new}"))
        if len(found) == 1 and "unnamed" in found[0].names and rng.random() < 0.4:
            return Edit.between(snippet, found[0].after(snippet), {"new": new}) if _uses(found[0].lines, new) else None
        return super().propose(snippet, rng)

    def accepts(self, before: Snippet, after: Sequence[str], slots: Mapping[str, str]) -> bool:
        """It is in the codemod's list for the name asked for."""
        request = Request(f"called {slots['new']}" if "new" in slots else "")
        return super().accepts(before, after, {}) or not codemods()[self.name].objection(before, after, request)


def _uses(lines: Sequence[str], name: str) -> bool:
    return any(line.split()[:1] == [name] for line in lines)
