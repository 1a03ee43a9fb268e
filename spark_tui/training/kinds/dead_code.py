"""Remove code that never runs or does nothing."""

import ast
from collections.abc import Sequence
from random import Random
from typing import ClassVar

from spark_tui.editing.code import indentation
from spark_tui.editing.codemods import dead_code
from spark_tui.editing.codemods.common.tidy import Spot
from spark_tui.editing.snippet import Snippet
from spark_tui.training.kinds import pools
from spark_tui.training.kinds.base import Edit, Kind, Planted
from spark_tui.training.kinds.statements import Place, is_string, movable, places
from spark_tui.training.kinds.tidying import propose_spots, said

_LEAVING = {ast.Return: "return", ast.Raise: "raise", ast.Continue: "continue", ast.Break: "break"}


class DeadCode(Kind):
    """Statements after a return, `if False:`, a needless `pass`, commented-out code go.

    Slots: {leaving} what stands before code that is never reached; {test} a test that is always true or false; {dead_line} its
    first line; {inside} the only line of code in a comment; {pass_} and {commented} are "" and say which sort is meant; {dead} is "" when nothing else could be called dead code.
    """

    name: ClassVar[str] = "dead_code"
    skeletons: ClassVar[str] = """
<remove> the dead code{dead}
<get_rid> [the|all the|any|all] dead code{dead}
[clean up|tidy up|clear out] the dead code{dead}
dead code{dead}
there's dead code [in here|here|in this function|]{dead}, <remove> it
<lint>: dead code{dead}
<drop> [the code|the lines|what] that [never runs|can't run|is never executed|is never reached]{dead}
[some of this|part of this] never runs{dead}
this can never [run|execute|be reached]{dead}, [take it out|<remove> it]
<remove> the unreachable code{leaving_known}
<get_rid> [all|] unreachable [code|statements|lines]{leaving_known}
unreachable code{leaving_known}
W0101: Unreachable code{leaving_known}
pylint: unreachable (W0101){leaving_known}
<lint>: unreachable code{leaving_known}
mypy: statement is unreachable{leaving_known}
pylance says [the|this] code is unreachable{leaving_known}
<remove> [the code|everything|the lines|the statements|whatever comes|what comes] after the {leaving}
<drop> [the code|everything|the lines|what's] [after|below|behind] the {leaving}
<get_rid> what [comes|stands|follows] after the {leaving}
the code after the {leaving} [never runs|is never reached|is unreachable|is dead|can't run|is not executed]
nothing after the {leaving} [runs|is reached|gets executed|is ever executed], [so|] <remove> it
[the lines|the statements] [below|after] the {leaving} [do nothing|are dead|are useless|never run|can go]
why is there [code|something|stuff] after the {leaving}
is the code after the {leaving} ever [reached|run|executed]? <remove> it
we [already|always] {leaving} before that, <drop> the rest
we {leaving} before [we get there|that line], so it's dead
it [ends|stops|exits] at the {leaving}, the rest [can go|is dead|is useless]
unreachable after {leaving}
dead code after {leaving}
<review>: code after {leaving} is unreachable
<nit>: unreachable statements after the {leaving}
<remove> the {one}{pass_}
<remove> the <unneeded> {one}{pass_}
<drop> the {one}{pass_}
<get_rid> the {one}{pass_}
the {one} is <unneeded>{pass_}
the {one} [does nothing|isn't doing anything|has no purpose|can go]{pass_}
no need for the {one}{pass_}
[we|you|i] don't need the {one}{pass_}
[why|how come] the {one}{pass_}
PIE790 Unnecessary `pass` statement{pass_}
W0107: Unnecessary pass statement{pass_}
unnecessary-pass{pass_}
<lint>: unnecessary {one}{pass_}
there is [already|] [a body|code], so the {one} can go{pass_}
the block isn't empty [any more|anymore|], <drop> the {one}{pass_}
<nit>: leftover {one}{pass_}
<remove> the commented-out [code|lines|stuff]{commented}
<remove> the commented out [code|lines|block|stuff]{commented}
<get_rid> [all|the|all the] commented[-| ]out code{commented}
<drop> [the|all|] commented code{commented}
<remove> the code in [the|] comments{commented}
no commented-out code [please|]{commented}
[clean up|clear out|tidy up] the commented-out [code|stuff]{commented}
[we have|that's what] git[, so|:] <remove> the commented[-| ]out code{commented}
ERA001 Found commented-out code{commented}
eradicate: E800 Found commented out code{commented}
<lint>: commented-out code{commented}
there is [old|] code commented out [here|in here|], <remove> it{commented}
[someone|somebody|we] left [old|some|] code commented out{commented}
the code that is commented out [can|should] go{commented}
why [keep|do we keep|is there] commented[-| ]out code{commented}
<nit>: commented-out code should go{commented}
<remove> the {test} [block|branch|part|check]
<get_rid> the {test} [block|branch|check]
<drop> the {test}
[inline|resolve|fold] the {test}
{test} is [always the same|a constant|pointless|silly|dead code]
{test}[? | - |: ]that [never changes|is constant|can go]
no need for [the|] {test}
[why|how come] {test}
the branch [with|behind|under] {test} is [constant|pointless|useless], <simplify> it
<lint>: constant condition {test}
W0125: Using a conditional statement with a constant value ({test})
@this [never runs|can't be reached|is never executed|is dead]
@this is dead code
@dead code
@<remove> this dead code
@[unreachable|never reached]
@this does nothing
@this line has no effect, [it can go|<drop> it]
{dead_line} is never reached
{dead_line} [can't|cannot|will never] run
{dead_line} [comes|sits|stands] after the {leaving}, [useless|pointless|never runs]
who would ever get to {dead_line}?
nothing can reach {dead_line}
S1763 Code is unreachable: {dead_line}
{dead_line} is dead
[coverage|the coverage report] never hits {dead_line}, [because of|it's behind] the {leaving}
error: Statement is unreachable  \\[unreachable\\]{leaving_known}
Code is unreachable Pylance{leaving_known}
S1763 Delete this unreachable code or refactor the code to make it reachable{leaving_known}
V101 unreachable code after '{leaving}' (100% confidence)
vulture: unreachable code after '{leaving}'
once we {leaving} [we're out|nothing else happens|that's it], [the rest|what follows] [is leftover|can go]
[leftovers|debris|something left] below the {leaving}
stuff after a {leaving} again
[that's|it's] after the {leaving}, it will never happen
the {leaving} makes [the following lines|everything below it] pointless
cut [it|the block] off at the {leaving}
nothing below the {leaving} please
stop at the {leaving}
let the {leaving} be the last thing [there|in the block|]
who put code behind a {leaving}?
the bit under the {leaving} confuses [me|people|everyone]
[somebody|someone] [added|inserted] a {leaving} and forgot to clean up [after|below] it
[pycharm|my editor] greys out [everything|the lines] after the {leaving}
this part is greyed out in [my editor|vscode|pycharm]{leaving_known}
coverage [says|shows] these lines are never hit and never can be{leaving_known}
cannot be covered by any test{leaving_known}
lines that no one gets to{leaving_known}
some statements here can't be reached{leaving_known}, [out with them|away with them]
that never gets executed{leaving_known}
nothing gets past the {leaving}
vulture is right about this one{dead}
[parts of it|half of it] [do|does] nothing{dead}, [trim it|cut them]
clear away what has no effect{dead}
[this has|there are] remains of an older version{dead}
cut the dead weight{dead}
unused leftovers, [can never matter|no effect]{dead}
[a|that] {one} with nothing to do{pass_}
{one} [next to|beside|besides|along with] real code{pass_}
{one} is only for empty [blocks|bodies]{pass_}
the {one} was a placeholder, there's [real|actual] code now{pass_}
placeholder {one} [still|] there{pass_}
stray {one}{pass_}
S2772 Remove this unneeded "pass"{pass_}
W0107 (unnecessary-pass){pass_}
PIE790 \\[*\\] Unnecessary `{one}`{pass_}
{one} not needed{pass_}
superfluous {one}, we have a body{pass_}
what is the {one} [good for|doing there]?{pass_}
forgot to take the {one} out [when i filled this in|]{pass_}
a {one} that passes nothing{pass_}
S125 Remove this commented out code{commented}
ERA001 commented-out code{commented}, don't need it
# {inside} should go
{inside} is commented out, [out with it|just delete it|we have git]
[the|that] commented {inside} [can go|is noise|has been there for years]
do we still need the commented {inside}?
either {inside} runs or it goes
[old|disabled|ancient] code in comments{commented}
the history is in git, not in comments{commented}
code behind # [isn't|is not] documentation{commented}
[what|whatever] someone once commented out{commented}, delete
nobody will ever uncomment that{commented}
disabled lines [should go|out|can go for good]{commented}
comments are for words, not [for|] code{commented}
half of the comments is old code{commented}
[those|the] # lines are code, not comments{commented}
dead lines behind hash signs{commented}
if you comment it out you may as well delete it{commented}
code that someone switched off with a #{commented}
{test}: [really|seriously]?
{test}, [left over|leftover] from debugging
somebody switched [it|this] off with {test}, remove it for good
{test} was [only|] for [trying things out|a test|debugging]
S5797 Replace this expression; used as a condition it will always be constant ({test})
using-constant-test: {test}
W0125 using-constant-test {test}
{test} is a condition that isn't one
feature flag leftover: {test}
[the condition|what] in {test} never changes
[the|a] {test} around it [does nothing|is silly|isn't needed]
[without|lose] the {test}
[fold|flatten|resolve] {test}, [we know how it ends|the outcome is fixed|it always goes the same way]
@S1763
@never gets here
@out with it, [can't be reached|never runs]
@[dead|unreachable]
@greyed out in my editor
@no effect
@useless leftover
@nobody gets to this [line|]
@vulture says this is unused
"""

    def plant(self, snippet: Snippet, rng: Random) -> Planted | None:
        """Put dead code of some sort into live code."""
        found = [place for place in places(snippet) if movable(place.node) and place.first]
        if not found:
            return None
        place = rng.choice(found)
        leaving = [one for one in found if type(one.node) in _LEAVING and one.node is one.block[-1]]
        roll = rng.random()
        if leaving and roll < 0.4:
            return _with_unreachable(snippet, rng.choice(leaving), rng)
        if roll < 0.6:
            at = place.last + 1 if rng.random() < 0.6 and not leaving else place.first
            return _inserted(snippet, at, [f"{place.indent}{rng.choice(['pass', 'pass', 'pass', '...'])}"])
        if roll < 0.8:
            return _inserted(
                snippet, place.first, [f"{place.indent}# {_spare(snippet, rng)}" for _ in range(rng.choice([1, 1, 2]))]
            )
        return _with_branch(snippet, place, rng)

    def propose(self, snippet: Snippet, rng: Random) -> Edit | None:
        """Remove what is dead of one sort: all of it, or what is selected."""
        branches = list(dead_code.constant_branches(snippet))
        spots = [
            *dead_code.unreachable(snippet),
            *dead_code.needless_passes(snippet),
            *dead_code.commented_out(snippet),
        ]
        if len(branches) == 1 and rng.random() < (0.6 if spots else 1):
            return _branch_edit(snippet, branches[0])
        sorts = sorted({one.sort for one in spots})
        if not sorts:
            return None
        sort = rng.choice(sorts)
        slots = _slots(snippet, [one for one in spots if one.sort == sort], rng)
        if len(sorts) == 1 and sort != "pass" and not branches:
            slots["dead"] = ""
        same = [one for one in spots if one.sort == sort]
        return propose_spots(snippet, same, rng, one=lambda _: {}, many=lambda _: slots, alone=0.3)


def _slots(snippet: Snippet, spots: Sequence[Spot], rng: Random) -> dict[str, str]:
    sort = spots[0].sort
    if sort == "comment":
        inside = snippet.lines[spots[0].rows[0]].strip().lstrip("# ")
        told = len(spots) == 1 and spots[0].rows[0] == spots[0].rows[1] and _is_telling(snippet, inside)
        return {"commented": ""} | ({"inside": inside} if told else {})
    if sort == "pass":
        word = snippet.lines[spots[0].rows[0]].strip()
        return {"one": said(rng, "pass|pass statement|pass") if word == "pass" else "..."} | ({"pass_": ""})
    slots = {"leaving_known": ""}
    dead = next((line.strip() for line in snippet.lines[spots[0].rows[0] : spots[0].rows[1] + 1] if line.strip()), "")
    if len(spots) == 1 and _is_telling(snippet, dead):
        slots["dead_line"] = dead
    nodes = [node for node in ast.walk(snippet.tree) if type(node) in _LEAVING]
    row = spots[0].start[0]
    words = [_LEAVING[type(node)] for node in nodes if isinstance(node, ast.stmt) and (node.end_lineno or 0) - 1 == row]
    return slots | ({"leaving": words[0]} if words and len(spots) == 1 else {})


def _is_telling(snippet: Snippet, text: str) -> bool:
    """Whether a text can tell a line from the others."""
    return 3 < len(text) <= 60 and sum(text in line for line in snippet.lines) == 1


def _branch_edit(snippet: Snippet, after: Sequence[str]) -> Edit | None:
    tests = [line.strip().rstrip(":") for line in snippet.lines if line.strip().startswith(("if ", "while "))]
    known = [test for test in tests if test.split()[1] in ("False", "True", "0", "1")]
    return Edit.between(snippet, after, {"test": known[0]}) if len(known) == 1 else None


def _inserted(snippet: Snippet, at: int, new: Sequence[str]) -> Planted:
    return Planted(Snippet((*snippet.lines[:at], *new, *snippet.lines[at:])))


def _spare(snippet: Snippet, rng: Random) -> str:
    """A statement that could have stood there once."""
    own = [line.strip() for line in snippet.lines if dead_code.is_code(line.strip()) and len(line) < 80]
    own = [line for line in own if not line.endswith(":")]
    if own and rng.random() < 0.6:
        return rng.choice(own)
    name, other = pools.variable_name(rng), pools.function_name(rng)
    return rng.choice([f"{name} = {other}({pools.noun(rng)})", f"{other}({name})", f"print({name})", f"return {name}"])


def _with_unreachable(snippet: Snippet, place: Place, rng: Random) -> Planted:
    spare = [_spare(snippet, rng) for _ in range(rng.choice([1, 1, 2, 3]))]
    blank = [""] if rng.random() < 0.2 else []
    return _inserted(snippet, place.last + 1, [*blank, *(place.indent + line for line in spare)])


def _with_branch(snippet: Snippet, place: Place, rng: Random) -> Planted | None:
    unit, indent = snippet.layout.unit, place.indent
    if rng.random() < 0.5:
        test = rng.choice(["if False", "if 0", "while False", "if False"])
        return _inserted(snippet, place.first, [f"{indent}{test}:", f"{indent}{unit}{_spare(snippet, rng)}"])
    if is_string(place.node) or isinstance(place.node, ast.FunctionDef | ast.ClassDef | ast.AsyncFunctionDef):
        return None
    inner = [unit + line if line.strip() else line for line in snippet.lines[place.first : place.last + 1]]
    if indentation(snippet.lines[place.first]) != indent:
        return None
    other = [f"{indent}else:", f"{indent}{unit}{_spare(snippet, rng)}"] if rng.random() < 0.3 else []
    lines = [*snippet.lines[: place.first], f"{indent}if True:", *inner, *other, *snippet.lines[place.last + 1 :]]
    return Planted(Snippet(tuple(lines)))
