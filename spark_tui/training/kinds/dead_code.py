"""Remove code that never runs or does nothing."""

import ast
from collections.abc import Sequence
from random import Random
from typing import ClassVar

from spark_tui.editing.code import indentation
from spark_tui.editing.codemods import dead_code
from spark_tui.editing.codemods.tidy import Spot
from spark_tui.editing.snippet import Snippet
from spark_tui.training.kinds import pools
from spark_tui.training.kinds.base import Edit, Kind, Planted
from spark_tui.training.kinds.statements import Place, is_string, movable, places
from spark_tui.training.kinds.tidying import propose_spots, said

_LEAVING = {ast.Return: "return", ast.Raise: "raise", ast.Continue: "continue", ast.Break: "break"}


class DeadCode(Kind):
    """Statements after a return, `if False:`, a needless `pass`, commented-out code go.

    Slots: {leaving} what stands before code that is never reached; {test} a test that is always true or false; {pass_}
    and {commented} are "" and say which sort is meant; {dead} is "" when nothing else could be called dead code.
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
        return {"commented": ""}
    if sort == "pass":
        word = snippet.lines[spots[0].rows[0]].strip()
        return {"one": said(rng, "pass|pass statement|pass") if word == "pass" else "..."} | ({"pass_": ""})
    slots = {"leaving_known": ""}
    nodes = [node for node in ast.walk(snippet.tree) if type(node) in _LEAVING]
    row = spots[0].start[0]
    words = [_LEAVING[type(node)] for node in nodes if isinstance(node, ast.stmt) and (node.end_lineno or 0) - 1 == row]
    return slots | ({"leaving": words[0]} if words and len(spots) == 1 else {})


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
