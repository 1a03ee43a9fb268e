"""Remove an else after a branch that leaves: its lines move out."""

import ast
from collections.abc import Mapping, Sequence
from itertools import pairwise
from random import Random
from typing import ClassVar

from spark_tui.editing import code
from spark_tui.editing.codemods.remove_else import needless_else, removal, way_out, whole_chain
from spark_tui.editing.snippet import Snippet
from spark_tui.editing.statements import Place, movable, places
from spark_tui.training.kinds.base import Edit, Kind, Planted


class RemoveElse(Kind):
    """The else line goes, its body moves one level to the left."""

    name: ClassVar[str] = "remove_else"
    skeletons: ClassVar[str] = """
<remove> the else after {leaving}
<remove> the else after the {leaving}
<remove> the <unneeded> else after [the |]{leaving}
<drop> the else after [the |]{leaving}
<get_rid> the else after [the |]{leaving}
[unindent|dedent|flatten] the else after [the |]{leaving}
[unindent|dedent|outdent] the code in the else after [the |]{leaving}
the else after [the |]{leaving} is <unneeded>
the else after [the |]{leaving} [can|should|could|must] go
no else [needed|] after [the |]{leaving}
no need for [an|the] else after [the |]{leaving}
[we|you|i] don't need the else after [the |]{leaving}
there's no need for the else, the if ends in [a |]{leaving}
the if [always ends in|ends with|leaves by] {leaving}[, so|:] <drop> the else
the branch ends in {leaving}, <remove> the else
[since|because|as] the if ends with {leaving} the else is <unneeded>
[why|how come] is there an else after [the |]{leaving}
do we need the else after [the |]{leaving}?
is the else after [the |]{leaving} needed?
[move|take|pull] the [code|body] out of the else after [the |]{leaving}
[move|take|pull] the else [body|branch|part] after [the |]{leaving} one level [up|out|left]
<lint>: R1705 Unnecessary "else" after "{leaving}"
<lint>: RET505 unnecessary else after {leaving} statement
no-else-{leaving}
pylint no-else-{leaving}
unnecessary else after {leaving}
<unneeded> else after {leaving}
superfluous else after {leaving}
<nit>: else after {leaving}
<nit>: no else after {leaving}
<review>: the else after {leaving} is <unneeded>
<simplify> the else after [the |]{leaving}
reduce [the|] nesting after [the |]{leaving}, no else
less nesting: <drop> the else after {leaving}
{leaving} already leaves, <drop> the else
{leaving} already leaves, the else is <unneeded>
[flatten|unnest] the if/else, {leaving} leaves [anyway|already]
<make> the else after [the |]{leaving} plain code
turn the else after {leaving} into straight code
[early|guard style] {leaving}, [without|no] else
<remove> the {what}
<drop> the {what}
<get_rid> the {what}
<remove> the {what}, the if [never falls through|always leaves]
the {what} is <unneeded>
the {what} is <unneeded>, the if [never falls through|always leaves]
the {what} [can|should|could] go
no need for the {what}
[we|you|i] don't need the {what}
[unindent|dedent|flatten|outdent] the {what}
[move|take|pull] the [code|body] out of the {what}
[why|how come] do we need the {what}
is the {what} [really|] needed?
[do|should] we keep the {what}? <remove> it
this could be flatter without the {what}
we never reach the {what} after that anyway[, so unindent it|]
everything in the {what} could stand one level further out
the {what} [only|just] adds [a level|nesting|indentation]
don't indent the rest under the {what}
the if already [leaves|exits|gets out][,:] why the {what}
<nit>: <unneeded> {what}
<review>: <unneeded> {what}
<lint>: <unneeded> {what}
less nesting: [no|<drop> the] {what}
reduce the nesting [by removing|and drop|, no] the {what}
@<remove> this else
@<drop> this else
@<drop> the else
@this else is <unneeded>
@[no|unneeded|unnecessary] else
@[unindent|dedent|flatten|outdent] this else
@[why|how come] [the|an|this] else [here|]
@no need for [an|this|the] else [here|]
@[R1705|RET505] here
@<remove> the else and [dedent|unindent] [its body|what's in it]
@this else [can|should] go
@[move|pull] this out of the else
RET505 Unnecessary `elif` after `return` statement{chain}
RET505 Unnecessary elif after return{chain}
RET506 Unnecessary `elif` after `raise` statement{chain}
R1705: Unnecessary "elif" after "return", remove the leading "el" from "elif"{chain}
Unnecessary "elif" after "return" (no-else-return){chain}
<convert> the elifs to ifs{chain}
<turn> the elifs into [plain|separate|simple] ifs{chain}
<make> [each|every] elif an if{chain}
<replace> elif [by|with] if [throughout|everywhere|]{chain}
<use> if instead of elif{chain}
elif -> if{chain}
no elif after return{chain}
no elifs [needed|] here, [all branches|every branch] return[s|]{chain}
no need for elif[s|]{chain}
plain ifs [will do|are enough] instead of elif{chain}
[all|] the elifs can be ifs{chain}
every branch returns, so why elif?{chain}
each branch leaves anyway, elif can be if{chain}
flatten the elif chain{chain}
flatten the if/elif/else, every branch returns{chain}
unchain the elifs{chain}
<simplify> the elif chain, the branches all [return|leave]{chain}
the elifs are <unneeded>, we return before{chain}
elif and else are <unneeded> after a return{chain}
<get_rid> the elifs[ and the else|]{chain}
<nit>: if, not elif, after a return{chain}
<review>: elif after return can be if{chain}
sonar: elif after a jump{chain}
guard style: ifs instead of elifs{chain}
the chain of elif <should> be [separate|independent] ifs{chain}
@no elif [here|]{chain}
@elif -> if{chain}
@ifs instead of elifs{chain}
{leaving}, then else? [pointless|why|not needed]
else after {leaving}? [why|not needed|pointless|drop it]
after [the |]{leaving} no else [please|]
after [the |]{leaving} the else is [noise|pointless|clutter]
after [the |]{leaving} we're [out|gone] anyway, no else
[nothing|nobody] gets past [the |]{leaving}, why else
[once|when] we {leaving} there's no need for else
the if body ends in {leaving}, [so|] its else can be [plain code|outdented|dropped]
the else [below|following|under] [the |]{leaving} can be [plain code|outdented|flattened|dropped]
the else [below|following|under] [the |]{leaving} [only|just] indents
{leaving} in the if, so no else
if ... {leaving}, no else
{leaving} and be done, rest without else
RET505 Unnecessary `else` after `{leaving}` statement
RET506 Unnecessary `else` after `{leaving}` statement
RET507 Unnecessary `else` after `{leaving}`
RET508 superfluous else ({leaving})
R1720: Unnecessary "else" after "{leaving}", remove the "else" and de-indent the code inside it
R1705: Unnecessary "else" after "{leaving}", remove the "else" and de-indent the code inside it
R1724 unnecessary else after {leaving}
de-indent the code [in|inside] the else after {leaving}
sonar: else after {leaving}
[happy path|main path] to the left: no else after {leaving}
[the happy path|the rest] <should> not be indented after [the |]{leaving}
todo: else after {leaving} out
can the else after {leaving} go?
could we lose the else after {leaving}?
the {what} isn't [needed|necessary]
the {what} [buys|gives] us nothing
the {what} [could|can] be plain code
the {what} is [noise|clutter|pointless], the if is [gone|out] by then
{what}? [why|not needed|what for]
{what} [out|away], [body|rest] one level [up|left]
no {what}, [please|the if leaves anyway|we left already]
[happy path|main path] to the left, no {what}
[the happy path|the rest] <should> not be indented, no {what}
what's in the {what} [needn't|need not] be indented
can the {what} go?
could we lose the {what}?
the body of the {what} one level [left|out|up]
one level less, the {what} isn't needed
de-indent the {what}
RET505 on the {what}
no-else-return: {what}
sonar: redundant {what}
todo: {what} away
{function} without the {what}
[we're|it's] nested too deep, {what} out
[i'd|we'd] rather not have the {what}
@else? [why|what for|not needed]
@de-indent [this|it], [the|] else isn't needed
@we're out [by then|anyway|already], no else
@this needn't be [indented|in an else]
@RET505 Unnecessary `else` after `return` statement
@R1705: Unnecessary "else" after "return"
@one level less [here|]
@[plain code|straight code] [instead of|not] [the|this] else
@can this else go?
@the if [leaves|exits|gets out] anyway
elif? [each branch returns|they all return], if [is enough|will do]{chain}
[each|every] branch [gets out|leaves|is final], [plain|] if [is enough|will do]{chain}
el gone: if instead of elif{chain}
[strip|drop|cut] the el of [each|every] elif{chain}
remove the leading "el" from "elif"{chain}
[all|the] elifs -> if{chain}
[why|what for] elif when [every branch|each one] [leaves|returns]{chain}
elif after return is [noise|pointless|misleading|redundant]{chain}
no-else-return on the elif chain{chain}
chain -> [separate|single|plain] ifs{chain}
[separate|independent|single] ifs [please|], not [one|a] chain{chain}
[break|take apart|undo] the elif chain{chain}
[nothing|nobody] falls through, elif [can|could] be if{chain}
RET505 on the elifs{chain}
R1705 no-else-return: elif after return{chain}
todo: elifs to ifs{chain}
can the elifs be ifs?{chain}
@if, not elif{chain}
@[why|what for] elif [here|]{chain}
@[each|every] branch leaves{chain}
"""

    def plant(self, snippet: Snippet, rng: Random) -> Planted | None:
        """Put what follows a branch that leaves into an else; or make a chain of branches that all leave."""
        if rng.random() < 0.6 and (chained := _chained(snippet, rng)):
            return chained
        fit = [place for place in places(snippet) if _can_take_else(snippet, place)]
        if not fit:
            return None
        place = rng.choice(fit)
        last = code.statement_lines(place.block[-1])[1]
        rest = list(snippet.lines[place.last + 1 : last + 1])
        while not rest[0].strip():
            rest.pop(0)
        unit = snippet.layout.unit
        inner = [unit + line if line.strip() else line for line in rest]
        lines = [*snippet.lines[: place.last + 1], f"{place.indent}else:", *inner, *snippet.lines[last + 1 :]]
        return Planted(Snippet(tuple(lines)))

    def accepts(self, before: Snippet, after: Sequence[str], slots: Mapping[str, str]) -> bool:
        """As the others; words for a chain speak of elif."""
        return super().accepts(before, after, {**slots, "cue": "elif"} if "chain" in slots else slots)

    def propose(self, snippet: Snippet, rng: Random) -> Edit | None:
        """Remove one else that can be told or is selected."""
        found = [(place, line) for place in places(snippet) if (line := needless_else(snippet, place)) is not None]
        if not found:
            return None
        place, line = rng.choice(found)
        leaving = [_leaves(other.node) for other, _ in found]
        ops = removal(place, line)
        slots = {"function": place.function.name} if place.function else {}
        if rng.random() < 0.25 or leaving.count(_leaves(place.node)) > 1:
            return Edit(ops, slots, rng.choice([(line, line), (line, place.last), (place.first, place.last)]))
        only = sum(text.strip().startswith("else:") for text in snippet.lines) == 1
        if only and (rng.random() < 0.4 or not leaving[0]):
            words = rng.choice(["else", "else branch", "else block", "else part", "else clause"])
            return Edit(ops, slots | {"what": words})
        return Edit(ops, slots | {"leaving": _leaves(place.node) or ""}) if _leaves(place.node) else None


def _chained(snippet: Snippet, rng: Random) -> Planted | None:
    """Ifs that follow one another and leave, as one if with elifs."""
    found = places(snippet)
    runs = [
        (first, second, [one for one in found if one.block is first.block and one.index == second.index + 1])
        for first in found
        for second in found
        if second.block is first.block and second.index == first.index + 1 and _plain(first) and _plain(second)
    ]
    if not runs:
        return None
    first, second, after = rng.choice(runs)
    ends = [second, *(after if after and _plain(after[0]) else [])]
    if any(any(map(str.strip, snippet.lines[b.last + 1 : c.first])) for b, c in pairwise([first, *ends])):
        return None
    lines = list(snippet.lines)
    for above, one in reversed(list(pairwise([first, *ends]))):
        lines[one.first] = lines[one.first].replace("if", "elif", 1)
        del lines[above.last + 1 : one.first]
    before = Snippet(tuple(lines))
    place = next((one for one in places(before) if one.first == first.first), None)
    ops = whole_chain(before, place) if place else None
    if ops is None or place is None:
        return None
    slots = {"chain": ""} | ({"function": place.function.name} if place.function else {})
    return Planted(before, Edit(ops, slots, (place.first, place.last) if rng.random() < 0.3 else None))


def _plain(place: Place) -> bool:
    return isinstance(place.node, ast.If) and not place.node.orelse and bool(_leaves(place.node))


def _leaves(node: ast.stmt) -> str | None:
    return way_out(node.body) if isinstance(node, ast.If) else None


def _can_take_else(snippet: Snippet, place: Place) -> bool:
    node = place.node
    rest = place.block[place.index + 1 :]
    if not (isinstance(node, ast.If) and not node.orelse and _leaves(node)) or not 0 < len(rest) <= 6:
        return False
    return all(movable(one) and code.stands_alone(snippet, one) for one in rest) and rest[-1].end_lineno is not None
