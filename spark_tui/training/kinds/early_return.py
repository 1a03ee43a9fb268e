"""Turn an if around the rest of a function or loop into a guard at its top."""

import ast
from collections.abc import Iterator, Sequence
from random import Random
from typing import ClassVar

from spark_tui.editing.code import statement_lines
from spark_tui.editing.codemods.common.flow import LEAVING, Site, blocks, branches, is_elif, moved
from spark_tui.editing.codemods.common.negation import negated
from spark_tui.editing.snippet import Snippet
from spark_tui.training.kinds.flow import FlowKind

_MOST_LINES = 25


class EarlyReturn(FlowKind):
    """`if x: <the rest>` becomes `if not x: return` with the rest moved out.

    Slots: {test} the condition, {leaving} the word the guard leaves by, {opposite} its test, {guard} all of it,
    {quiet} when it leaves without a value, {whole} when all the nested ifs are meant.
    """

    name: ClassVar[str] = "early_return"
    skeletons: ClassVar[str] = """
return early {unsaid}instead of nesting
return early {unsaid}[here|] to [save|avoid|get rid of] a level [of nesting|of indentation|]
<use> {unsaid}[an early return|early return|an early exit|a guard clause|a guard]
<use> {unsaid}[an early return|a guard clause] [instead of|rather than] [the nesting|nesting|wrapping everything in an if|the big if]
<turn> {unsaid}the [big |outer |wrapping |]if into [a guard clause|an early return|a guard|an early exit]
<convert> {unsaid}the [nested|wrapping|enclosing] if to [a guard clause|an early return|an early exit]
[flatten|unnest|unindent|dedent] {unsaid}[the body|this function|the nested code|the function body] [with|using|by] [a guard clause|an early return|a guard|returning early]
<avoid> {unsaid}[the nesting|nesting everything|the extra indentation], [return|exit|leave|bail out] early
[too much|unneeded|unnecessary|needless] {unsaid}[nesting|indentation], [return|exit|bail out|leave] early
[bail out|exit|leave|get out] {unsaid}early instead of indenting everything
reduce {unsaid}the nesting [with|by using|using] [an early return|a guard clause|a guard]
[less|no] {unsaid}nesting [please|here|], [early return|guard clause] [instead|]
{unsaid}[everything|the whole body|all of it|half the function] is inside [an|one|a big] if, [return early|invert it and return|use a guard]
{unsaid}the whole [body|thing|function] is [wrapped in|under|inside] [an if|one if], <turn> it into [a guard|an early return]
[negate|invert|reverse|flip] {unsaid}the condition and [return|leave|exit|get out] early
[invert|reverse|flip] {unsaid}the if to reduce nesting
[invert|flip] {unsaid}the check, return [first|right away], then [go on|do the work] [unindented|one level up|without indentation]
{unsaid}the happy path should not be [indented|nested|inside an if]
<move> {unsaid}the happy path out of the if
{unsaid}[handle|deal with|get rid of] the [negative|failing|bad|other|uninteresting] case first [and return|and leave|]
[can|could] {unsaid}[this|we|it] return early[ instead|]?
[why|how come] {unsaid}is [all|everything|all of this] [inside|in|under] [the|an] if? return early
[arrow code|arrow anti-pattern|pyramid of doom], {unsaid}[return early|use a guard clause]
<review>: {unsaid}[prefer|use] [an early return|a guard clause|early exit] [here|]
<nit>: {unsaid}early return [would read better|here|]
guard clause {unsaid}[please|instead of if|at the top|first]
early return {unsaid}[please|instead|here|not nesting]
<lint>: PLR1702 too many nested blocks{unsaid}, [return early|use a guard]
<lint>: too {unsaid}deeply nested, [return early|invert the if]
[R1702|R0101]: too many nested blocks{unsaid}[, return early|]
return early {unsaid}[if|when] there is nothing to do{quiet}
<turn> `if {test}` into [a guard clause|an early return|a guard|an early exit]
<convert> the `if {test}` [block|] to [a guard clause|an early return]
[invert|negate|flip|reverse] {test} and [return early|leave early|exit early|bail out]
return early [if|when] not {test}
[return|leave|exit|bail out] [early|at once|right away] unless {test}
unless {test} [return|leave|get out|stop] [early|right away|at the top]
early return instead of the {test} block
[guard|guard clause] for {test} instead of [the if|nesting|the nested block]
[unindent|dedent|flatten|unnest] [the code under|what is under|the body of|everything under] {test}
[everything|all|the rest] is [nested|indented] under {test}, return early
no need to nest everything under {test}
[don't|do not] wrap [everything|it all|the code] in if {test}
{test} <should> be a guard clause
{test} <should> be checked first and left early
<get_rid> the nesting under {test}
<move> the code out of [the if on|the] {test} [block|] and leave early [instead|]
the [block|code|body] under {test} is [too deep|too nested|indented too far]
the if {test} [costs|adds] a level of [nesting|indentation], return early
<use> {leaving} [instead of|rather than] [nesting|the nested if|the big if]
{leaving} early[ instead| instead of nesting|, less nesting]
{leaving} first, then the rest [without nesting|unindented|one level up]
<turn> the if into `if not ...: {leaving}`
[invert|flip] the condition and {leaving}
{leaving} [early|right away] unless {test}
[flip|invert|negate] {test} and {leaving}
<use> {leaving} for the other case of {test}
<use> [guard clauses|early returns|guards] {whole}[everywhere|throughout|for all the nested ifs|instead of the nested ifs]
flatten {whole}[all the nested ifs|the nested ifs|every nested if|the whole pyramid] [with guard clauses|with early returns|]
<turn> {whole}[all|all of] the nested ifs into [guard clauses|guards|early returns]
[unnest|flatten] {whole}this completely[, guard by guard|, use guards|, return early everywhere]
[no|not so many] {whole}nested ifs, one guard after the other
<get_rid> {whole}all the [nesting|nested ifs][, return early each time|, use guards|]
{whole}the ifs are nested too [deep|deeply], <use> guards for all of them
@return early [here|instead|]
@[early return|guard clause|early exit|guard] [here|please|]
@<turn> this [if|] into [a guard clause|an early return|a guard]
@[invert|flip] this [if|] and [return|leave] early
@<use> [a guard clause|an early return] [here|]
@[unindent|dedent|flatten|unnest] this
@too [deep|nested|much nesting]
@[this|it] <should> be [a guard clause|an early return|a guard]
@[bail out|exit|leave] early
@less nesting [here|please|]
@<avoid> this nesting
too deep{unsaid}
staircase{unsaid}
this drifts to the right{unsaid}
so much indentation {unsaid}for one check
[everything|all of it] hangs on one condition{unsaid}
i have to scroll right to read this{unsaid}
@too many levels [for my taste|to follow]
get [this|the code|the work] back to the left margin{unsaid}
@one level less [please|]
one indentation level could go{unsaid}
PLR5501 / R1260: {unsaid}nesting, [leave early|bail out first]
sonar: cognitive complexity too high, {unsaid}reduce the nesting with a guard
C901 too complex, {unsaid}[a guard would help|return early]
R1720 / nesting: {unsaid}flip the check and get out early
nothing to do? then get out right away{unsaid}{quiet}
get out right away when there's nothing to do{unsaid}{quiet}
quit early {unsaid}[when it does not apply|if the condition fails]{quiet}
check the preconditions first and get out{unsaid}
preconditions [at the top|first] [please|]{unsaid}
rule out the odd case first{unsaid}
the interesting part should [stand|be] at the top level {unsaid}of the function
main path [unindented|at the left] [please|]{unsaid}
the main work should not sit inside an if{unsaid}
the rest should not have to be indented{unsaid}
why indent [all of it|everything] {unsaid}just for one check
out first, work later{unsaid}{quiet}
[reject|skip] the bad case up front{unsaid}{quiet}
if not {test}: {leaving}
`if not {test}: {leaving}` [first|at the top|and dedent the rest]
`{guard}` and dedent [the rest|what follows]
{guard} [at the top|first], then the rest
start with `{guard}`
guard with {guard}
{guard} please
can we just {guard} ?
i'd write {guard} and then the rest flat
{opposite}? then {leaving}, otherwise go on
when {opposite} just {leaving}
{leaving} when {opposite}
{leaving} if {opposite}
if {opposite} {leaving}
nothing to do when {opposite}{quiet}
skip everything when {opposite}{quiet}
{opposite} first, {leaving} right there
check for {opposite} [up front|first] instead of wrapping [everything|it all]
all this is inside `if {test}`, [why|too deep|please flatten]
[the whole lot|half of it] sits under {test}
one big `if {test}`... {leaving} instead
`if {test}` swallows the whole [body|function|loop body]
get the code out from under {test}
{test} could be checked the other way round, then we save a level
{leaving} instead of wrapping it all
{leaving} instead of the big if
would a plain {leaving} not do
a {leaving} up front [would do|saves a level]
@staircase
@one level less
@too deep for me
@get out first
@{guard}
@{guard} first
@{leaving} first
@{leaving} instead of nesting
@{leaving} early
@quit first, then the work{quiet}
@why is all this indented
@dedent, leave early
@drifts off to the right
@hard to follow at this depth
@check the bad case first and leave
@when {opposite} just leave
@flat is better than nested
flat is better than nested{unsaid}
zen of python: flat is better than nested{unsaid}
the pyramid {unsaid}[has to go|must go|hurts]
{whole}pyramid of doom, guards all the way [down|]
all of these nested ifs {whole}as [a list of guards|guards in a row]
{whole}this goes five levels deep, [flatten all of it|one guard per check]
{whole}[completely|all the way] flat please
one guard per condition{whole}
"""

    def undone(self, snippet: Snippet, rng: Random) -> Iterator[Site]:
        """Guards whose rest can go inside the opposite if."""
        for scope in blocks(snippet.tree):
            for index, node in enumerate(scope[:-1]):
                if isinstance(node, ast.If) and (site := _nested(snippet, node, scope[index + 1 :])):
                    yield site


def _nested(snippet: Snippet, node: ast.If, rest: Sequence[ast.stmt]) -> Site | None:
    """The rest of a block put inside the opposite of the guard above it."""
    read, test = branches(snippet, node), negated(snippet, node.test)
    if read is None or node.orelse or is_elif(snippet, node) or not test or len(node.body) != 1 or len(read.body) != 1:
        return None
    last = statement_lines(rest[-1])[1]
    start = read.last + 1
    while not snippet.lines[start].strip():
        start += 1
    body = moved(snippet.lines[start : last + 1], read.indent, read.inner)
    leaving = node.body[0]
    if body is None or len(body) > _MOST_LINES or not isinstance(leaving, LEAVING) or isinstance(leaving, ast.Break):
        return None
    tail: tuple[str, ...] = ()
    if isinstance(leaving, ast.Raise):
        tail = (f"{read.indent}else:", *read.body)
    elif isinstance(leaving, ast.Return) and leaving.value is not None:
        if not isinstance(rest[-1], LEAVING):
            return None
        tail = (read.indent + read.body[0].strip(),)
    return Site(read.row, last, (f"{read.indent}if {test}:", *body, *tail))
