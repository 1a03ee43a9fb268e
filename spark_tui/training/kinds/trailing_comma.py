"""Add or remove trailing commas."""

import ast
from collections.abc import Sequence
from random import Random
from typing import ClassVar

from spark_tui.editing.code import start_of
from spark_tui.editing.codemods.common.tidy import Spot
from spark_tui.editing.codemods.trailing_comma import spots
from spark_tui.editing.snippet import Snippet
from spark_tui.training.kinds.base import Edit, Kind, Planted
from spark_tui.training.kinds.statements import dotted
from spark_tui.training.kinds.tidying import plant_spots, propose_spots


class TrailingComma(Kind):
    """The last element of several lines gets its comma, or loses it.

    Slots: {add} or {drop} is "" and says which; {one} is "" for one place, {many} for several; {last} is the last element's
    source, {owner} the name of what is called or assigned.
    """

    name: ClassVar[str] = "trailing_comma"
    skeletons: ClassVar[str] = """
<add> [a|the] trailing comma{add}{single}
<add> [a|the] <missing> [trailing|] comma{add}{single}
<put> a comma [at the end|after the last element|after the last item|after the last argument|after the last one]{add}{single}
<add> trailing commas [everywhere|where they're missing|where they are missing|]{add}{several}
<add> [all|] the <missing> trailing commas{add}{several}
<put> a comma after every last [element|item|argument]{add}{several}
[a|the] trailing comma is <missing>{add}{single}
[some|the|all] trailing commas are <missing>{add}{several}
<missing> trailing comma{add}
<missing> trailing commas{add}{several}
trailing comma [please|]{add}
trailing commas [please|everywhere|]{add}{several}
COM812 Trailing comma missing{add}
C812 missing trailing comma{add}
flake8-commas: C812 missing trailing comma{add}
C815 missing trailing comma [in Python 3.5+|]{add}
<lint>: missing trailing comma{add}
black would <add> a trailing comma [here|]{add}
<nit>: trailing comma{add}
<review>: <missing> trailing comma{add}
<nit>: please <add> the trailing comma so [that|] the [next|] diff [is|stays] small{add}
[i|we] forgot the [trailing|last] comma{add}{single}
[i|we] forgot the trailing commas{add}{several}
the last [element|line|item|entry|one] has no comma{add}{single}
the last [element|line|item|entry|one] <should> end [in|with] a comma{add}{single}
there's no comma after the last [element|line|item|argument|entry]{add}{single}
the last [elements|lines|items|entries|arguments] have no commas{add}{several}
multi-line [calls|literals|lists|things] <should> end with a [trailing|] comma{add}{several}
why is there no trailing comma{add}{single}
end it with a comma{add}{single}
[we|our style guide|our formatter] [want|wants|like|likes|use|uses] trailing commas{add}
<want> a trailing comma{add}{single}
<want> trailing commas{add}{several}
<add> a comma after {last}{add}
<put> a comma [after|behind|at the end of] {last}{add}
{last} <should> [be followed by|have|end with|get] a comma{add}
{last} has no [trailing|] comma{add}
<missing> comma after {last}{add}
there's no comma after {last}{add}
<add> [a|the] trailing comma [to|in] [the call to|the call of|] {owner}{add}{single}
{owner} [lacks|needs|misses|is missing] a trailing comma{add}{single}
<missing> trailing comma in {owner}{add}{single}
<remove> the trailing comma{drop}{single}
<drop> the [trailing|last|final] comma{drop}{single}
<get_rid> the trailing comma{drop}{single}
<remove> the comma [at the end|after the last element|after the last item|after the last argument]{drop}{single}
<remove> [all|the|all the] trailing commas{drop}{several}
<drop> [all|the|all the] trailing commas{drop}{several}
<get_rid> [all|the|all the] trailing commas{drop}{several}
no trailing comma [please|here|]{drop}
no trailing commas [please|here|]{drop}{several}
without [the|a] trailing comma{drop}{single}
COM819 Trailing comma prohibited{drop}
C819 trailing comma prohibited: <remove> it{drop}
the trailing comma is <unneeded>{drop}{single}
the trailing commas are <unneeded>{drop}{several}
the [last|trailing] comma [can|should|must] go{drop}{single}
[we|you|i] don't need the trailing comma{drop}{single}
[we|our team] don't [use|like|want] trailing commas{drop}
why [is there|] a trailing comma{drop}{single}
<nit>: no trailing comma{drop}
<review>: <remove> the trailing comma{drop}{single}
<remove> the comma after {last}{drop}
<drop> the comma after {last}{drop}
no comma after {last}{drop}
the comma after {last} is <unneeded>{drop}
the comma after {last} [can|should] go{drop}
<remove> the trailing comma [in|from|of] [the call to|] {owner}{drop}{single}
@<add> [a|the] trailing comma{add}
@<missing> comma{add}
@trailing comma{add}
@comma at the end{add}
@<remove> the [trailing|last] comma{drop}
@no comma [here|needed]{drop}
so that adding [a line|an entry|an argument] later is a one-line diff{add}
so the next addition [is|shows as] one line in the diff{add}
[git blame|the diff] would be [cleaner|nicer] with a [trailing|final] comma{add}{single}
magic trailing comma{add}
black's magic trailing comma [please|]{add}
keep black from joining the lines{add}, magic comma
[black|ruff format] collapses it without the comma{add}{single}
[next|whoever comes next] [will|is going to] forget the comma{add}, put it there now
[COM812|C812] [\\[*\\] |]Trailing comma missing{add}
ruff COM812{add}
add-trailing-comma [hook|pre-commit hook|] [fails|would change this]{add}
pre-commit: add-trailing-comma{add}
no comma after the last one [yet|]{add}{single}
, at the end{add}{single}
a , too few{add}{single}
one comma short{add}{single}
last [line|one|entry|argument] without comma{add}{single}
closing bracket on its own line, so comma before it{add}{single}
a comma before the closing [bracket|paren|brace]{add}{single}
right before the closing [bracket|paren] [there should be|i miss] a comma{add}{single}
final comma{add}{single}
comma, also after the last{add}{single}
comma after the last, like after the others{add}{single}
every line ends in a comma except the last{add}{single}
dangling comma{add}{single}
dangling commas please{add}{several}
[commas|a comma] after each last one{add}{several}
commas at the line ends before closing brackets{add}{several}
COM812 [x3|x2|several times|all over]{add}{several}
trailing commas [in all of them|all over|throughout]{add}{several}
multi-line ones all get a comma at the end{add}{several}
wherever the bracket closes on its own line, comma before it{add}{several}
last entries lack their comma{add}{several}
{last},{add}
{last} wants a comma{add}
comma missing: {last}{add}
behind {last} a comma{add}
{last} -> {last},{add}
after {last} there should be a comma{add}
if i add something after {last} i have to touch that line too{add}
{last} is last but should have a comma [anyway|nevertheless|all the same]{add}
{owner}(...) with a trailing comma{add}{single}
{owner} should end in a comma{add}{single}
comma at the end of {owner}{add}{single}
the {owner} call: comma after the last argument{add}{single}
COM812 in {owner}{add}{single}
the comma before the closing [bracket|paren] [is odd|looks odd|can go]{drop}{single}
[who|what] left a comma there{drop}{single}
dangling comma, away{drop}{single}
comma at the end but nothing follows{drop}{single}
nothing comes after the last comma{drop}{single}
COM819 \\[*\\] Trailing comma prohibited{drop}
ruff COM819{drop}
one comma too many{drop}{single}
a , too many{drop}{single}
superfluous comma before the bracket{drop}{single}
last comma [is noise|not needed]{drop}{single}
last one without comma please{drop}{single}
end without a comma{drop}{single}
no dangling comma{drop}{single}
no dangling commas{drop}{several}
let black join the lines, so no magic comma{drop}
[json|javascript|old ie] habits: no comma at the end{drop}
SyntaxError in old pythons because of the comma at the end{drop}{single}
all the commas before closing brackets{drop}{several}, away with them
commas before the closing bracket look odd everywhere{drop}{several}
COM819 all over{drop}{several}
{last}, -> {last}{drop}
{last} without a comma{drop}
{last} is the last one, no comma{drop}
comma behind {last} is superfluous{drop}
nothing follows {last}, so no comma{drop}
{owner}(...) without the trailing comma{drop}{single}
no comma at the end of {owner}{drop}{single}
@, missing{add}
@, here{add}
@COM812{add}
@comma too{add}
@magic comma{add}
@one comma too many{drop}
@COM819{drop}
@no , here{drop}
"""

    def plant(self, snippet: Snippet, rng: Random) -> Planted | None:
        """Take trailing commas away, now and then put some in."""
        sort = "remove" if rng.random() < 0.65 else "add"
        return plant_spots(snippet, [one for one in spots(snippet) if one.sort == sort], rng)

    def propose(self, snippet: Snippet, rng: Random) -> Edit | None:
        """Add or remove all, or one that is told."""
        found = spots(snippet)
        sort = "add" if rng.random() < 0.65 or not any(one.sort == "remove" for one in found) else "remove"
        same = [one for one in found if one.sort == sort]
        word = {"add": "", "single": ""} if sort == "add" else {"drop": "", "single": ""}

        def one(spot: Spot) -> dict[str, str]:
            told = _told(snippet, spot)
            return {**word, **told} if told else word if len(same) == 1 else {}

        def many(group: Sequence[Spot]) -> dict[str, str]:
            if len(group) == 1:
                return {**word, **_told(snippet, group[0])}
            return {("add" if sort == "add" else "drop"): "", "several": ""}

        edit = propose_spots(snippet, same, rng, one=one, many=many)
        if edit and edit.selected:
            return Edit(edit.ops, {**word, **edit.slots}, edit.selected)
        return edit


def _told(snippet: Snippet, spot: Spot) -> dict[str, str]:
    """What tells where one comma is."""
    row = spot.start[0]
    last = snippet.lines[row][: spot.start[1]].strip()
    slots = {"last": last} if 1 < len(last) <= 40 and sum(last in line for line in snippet.lines) == 1 else {}
    around = [node for node in ast.walk(snippet.tree) if isinstance(node, ast.Call) and _holds(snippet, node, row)]
    innermost = max(around, key=lambda node: start_of(snippet, node), default=None)
    name = dotted(innermost.func) if innermost and (innermost.end_lineno or 0) - 2 == row else None
    if name and sum(name in line for line in snippet.lines) == 1:
        slots["owner"] = name
    return slots


def _holds(snippet: Snippet, node: ast.Call, row: int) -> bool:
    return start_of(snippet, node)[0] <= row < (node.end_lineno or 0)
