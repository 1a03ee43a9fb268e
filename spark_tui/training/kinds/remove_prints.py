"""Remove debug prints and breakpoints."""

import ast
import re
from collections.abc import Sequence
from random import Random
from typing import ClassVar

from spark_tui.editing.code import mentions
from spark_tui.editing.codemods.remove_prints import sort_of, spots
from spark_tui.editing.codemods.tidy import Spot
from spark_tui.editing.snippet import Snippet
from spark_tui.training.kinds import pools, wording
from spark_tui.training.kinds.base import Edit, Kind, Planted
from spark_tui.training.kinds.statements import argument_names, is_string, places
from spark_tui.training.kinds.tidying import propose_spots, said

_ONE = "print|print|print statement|print call|debug print|debugging print|print()"
_MANY = (
    "prints|prints|print statements|print calls|debug prints|debugging prints|print() calls|debug output|debug prints"
)
_STOP = "breakpoint|breakpoint call|debugger call|breakpoint()|debugger breakpoint|break point"
_STOPS = "breakpoints|breakpoint calls|debugger calls|debugger breakpoints|breakpoint() calls"
_BOTH = (
    "prints and breakpoints|debug prints and breakpoints|debugging stuff|debug code|debugging code|debugging leftovers"
)


class RemovePrints(Kind):
    """Prints and breakpoints go.

    Slots: {one} and {many} are what people call them; {name} is what one prints, {text} what it says, {call} its source.
    """

    name: ClassVar[str] = "remove_prints"
    skeletons: ClassVar[str] = """
<remove> the {one}
<drop> the {one}
<get_rid> the {one}
<remove> that [leftover|stray|forgotten|old|temporary|] {one}
the {one} [can|should|must] go
the {one} is <unneeded>
the {one} is [still|] [in there|here|left in]
[i|we|someone|somebody] [left|forgot] [a|the] {one} [in|in here|]
[you|we] don't need the {one} [any more|anymore|]
why is there [still|] a {one} [here|in here|]
is the {one} [still|] needed? <remove> it
no {one} [in production|in library code|please|here]
[comment|take|throw|kick|chuck|strip] out the {one}
<lint>: {one} found
<nit>: leftover {one}
<review>: forgotten {one}
rm the {one}
[done|i'm done|finished] debugging, the {one} can go
<remove> [all|all the|the|every one of the|any] {many}
<drop> [all|all the|the] {many}
<get_rid> [all|all the|the|these|those] {many}
[clean|clear|sweep] out [all|all the|the] {many}
[clean up|tidy up] [all|all the|the] {many}
strip [out|] [all|all the|the] {many}
no [more|] {many} [please|in here|anywhere|]
[all|all the|the|these] {many} [can|should|must] go
[all|all the|the|these] {many} are <unneeded>
[i|we|someone] [left|forgot] [some|a few|the|my] {many} [in|in here|in there|]
[done|i'm done|finished] debugging, <remove> the {many}
without [the|any|all the] {many} [please|]
[too many|so many|way too many] {many}
there are [still|] {many} [in here|here|left|everywhere]
[you|we|i] don't need [the|all the|these] {many} [any more|anymore|]
why [are there|all the|all these] {many}
are [all|] these {many} [still|] needed? <drop> them
[get|make] this ready for [production|review|release|merging]: no {many}
[silence|quiet] this <function>, no {many}
<lint>: {many} found
<nit>: leftover {many}
<review>: please <remove> the {many}
rm [all|] {many}
kill [all|all the|the] {many}
before [i|we] [commit|merge|push|ship], <remove> the {many}
T201 `print` found{is_print}
T203 `pprint` found{is_pprint}
flake8-print: T201 print found{is_print}
[it|this|the function] [prints|is printing] [to the console|to stdout|to the screen|stuff|too much], [stop that|it should not]{is_print}
[it|this|the function] should not print [anything|]{is_print}
don't print [anything|] [here|in here|]{is_print}
stop printing{is_print}
[stdout|the console|the output|the terminal] is [cluttered|noisy|full of noise|spammed]{is_print}, <remove> the {many}
T100 Trace found: {stop}
W1515: Leaving functions creating breakpoints in production code{is_stop}
[it|the program|execution|the run|ci] [stops|hangs|halts|freezes|drops] [here|in the debugger|into pdb|in pdb|at a breakpoint]{is_stop}
[i|we] [get|end up|land] in [the debugger|a (Pdb) prompt|pdb] [every time|whenever this runs|]{is_stop}
don't [stop|break] in the debugger{is_stop}
[a|the] debugger is [still|] called [here|in here|]{is_stop}
<remove> the print of {name}
<drop> the print of {name}
<remove> the {one} [of|for|with|showing|about] {name}
[don't|do not|stop] print[|ing] {name} [any more|anymore|]{is_print}
no need to print {name}
{name} [is|gets] printed, <remove> that
[the|] printing of {name} [can|should] go
why do we print {name}
we don't need to print {name}
<remove> the print [saying|that says|with|that prints] {text}
the print [saying|that says|with] {text} [can|should] go
[it|this] prints {text}, [it shouldn't|<remove> that|drop that print]
<remove> {call}
<drop> {call}
<get_rid> {call}
{call} [can|should|must] go
{call} is [a leftover|for debugging|left over from debugging|<unneeded>]
why {call}
@<remove> this {one}
@<drop> this
@this {one} [can|should] go
@leftover {one}
@this is [debug code|for debugging|a debugging leftover], <remove> it
@[no|don't] print here{is_print}
"""

    def plant(self, snippet: Snippet, rng: Random) -> Planted | None:
        """Put prints or a breakpoint before some statements."""
        found = [
            place for place in places(snippet) if place.first and not is_string(place.node) and not _future(place.node)
        ]
        if not found:
            return None
        lines = list(snippet.lines)
        chosen = rng.sample(found, min(len(found), rng.choice([1, 1, 2, 2, 3, 4])))
        for place in sorted(chosen, key=lambda one: one.first, reverse=True):
            names = argument_names(place.function) if place.function else ()
            lines.insert(place.first, place.indent + _call(names or _assigned(snippet), rng))
        return Planted(Snippet(tuple(lines)))

    def propose(self, snippet: Snippet, rng: Random) -> Edit | None:
        """Remove all of one or of both sorts, or one that is told."""
        found = spots(snippet)
        sorts = sorted({one.sort for one in found})
        if len(sorts) > 1 and rng.random() < 0.6:
            sort = rng.choice(sorts)
            found, sorts = [one for one in found if one.sort == sort], [sort]

        def one(spot: Spot) -> dict[str, str]:
            return _slots_of(snippet, spot, found, rng)

        return propose_spots(snippet, found, rng, one=one, many=lambda group: _together(snippet, group, sorts, rng))


def _together(snippet: Snippet, group: Sequence[Spot], sorts: Sequence[str], rng: Random) -> dict[str, str]:
    text = snippet.lines[group[0].rows[0]]
    if len(sorts) > 1:
        return {"many": said(rng, _BOTH)}
    if sorts == ["print"]:
        known = {"is_print": ""} | ({"is_pprint": ""} if "pprint" in text else {})
        return known | ({"one": said(rng, _ONE)} if len(group) == 1 else {"many": said(rng, _MANY)})
    stop = next(iter(re.findall(r"[\w.]+(?=\()", text)), "breakpoint")
    known = {"is_stop": "", "stop": stop}
    return known | ({"one": said(rng, f"{_STOP}|{stop}")} if len(group) == 1 else {"many": said(rng, _STOPS)})


def _slots_of(snippet: Snippet, spot: Spot, found: Sequence[Spot], rng: Random) -> dict[str, str]:
    """What tells one print from the others."""
    first, last = spot.rows
    text = snippet.lines[first].strip()
    if first != last or not text.startswith(("print(", "pprint(", "breakpoint", "pdb.", "ipdb.", "import ")):
        return {}
    texts = [" ".join(line.strip() for line in snippet.lines[one.rows[0] : one.rows[1] + 1]) for one in found]
    slots = {"call": text} if texts.count(text) == 1 and 8 < len(text) <= 60 and text.endswith(")") else {}
    if spot.sort != "print":
        return slots
    for name in re.findall(r"(?<![\w.'\"])[a-z_][\w.]*(?=[,)])", text.partition("(")[2]):
        if mentions(Snippet(tuple(texts)), name) == 1:
            slots |= {"name": name, "one": said(rng, _ONE), "is_print": ""}
    said_text = re.search(r"(['\"])([^'\"{}\\]{4,40})\1", text)
    if said_text and sum(said_text[2] in other for other in texts) == 1:
        slots["text"] = said_text[2].strip()
    return slots


def _call(names: Sequence[str], rng: Random) -> str:
    roll = rng.random()
    if roll < 0.2:
        stops = ["breakpoint()", "breakpoint()", "import pdb; pdb.set_trace()", "pdb.set_trace()", "ipdb.set_trace()"]
        return rng.choice(stops)
    name = rng.choice(names) if names else pools.variable_name(rng)
    quote = rng.choice('\'""')
    text = (
        wording.message(rng).replace("'", "").replace('"', "")
        if rng.random() < 0.5
        else rng.choice(["here", "DEBUG", name, "---", "got here", ">>>"])
    )
    options = [
        f"print({name})",
        f"print({quote}{text}{quote})",
        f"print({quote}{text}{quote}, {name})",
        f"print({quote}{name}:{quote}, {name})",
    ]
    return rng.choice(
        [*options, f"print(f{quote}{{{name}=}}{quote})", f"print(f{quote}{name}: {{{name}}}{quote})", f"pprint({name})"]
    )


def _assigned(snippet: Snippet) -> tuple[str, ...]:
    names = (
        node.id for node in ast.walk(snippet.tree) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
    )
    return tuple(dict.fromkeys(names))


def _future(node: ast.stmt) -> bool:
    return bool(sort_of(node)) or (isinstance(node, ast.ImportFrom) and node.module == "__future__")
