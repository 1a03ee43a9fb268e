"""Remove debug prints and breakpoints."""

import ast
import re
from collections.abc import Sequence
from random import Random
from typing import ClassVar

from spark_tui.editing.code import mentions
from spark_tui.editing.codemods.common.tidy import Spot
from spark_tui.editing.codemods.remove_prints import sort_of, spots
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
[who|somebody|someone] [left|forgot] {one} [in|in here], [take it out|please clean up]
{one} left over from [yesterday|debugging|last night|my session]
[oops|whoops], my {one} [is still in|got committed|slipped in]
sorry, [committed|pushed] a {one}
that {one} was only for [me|debugging|trying something]
[found the bug|bug's fixed|problem found], {one} [no longer needed|not needed now|can go]
{one} slipped through [review|]
{one} in [production|library|committed] code [?!|is a no-go|please no]
debugging is over, no {one}
[-|minus] {one}
{one} out
{one} has to [leave|disappear]
nobody reads what the {one} [writes|says]
[the|a|that] {one} was never meant to be committed
[pre-commit|ci|the hook] [rejects|fails on|refuses] the {one}
i see a {one}, was that on purpose?
drop my {one} again
[undo|revert] the {one} i added
can we not ship the {one}
{many} out
[my|the] {many} got committed
[sorry for|excuse] the {many}, [out with them|please clean up]
[found the bug|bug's fixed|problem solved], [so no more|the] {many} [can go now|away]
nobody needs the {many}
{many} [everywhere|all over the place], [clean them out|please clear]
[this is|it's] full of {many}
{many} belong on my machine, not in [main|the repo|master]
[ready to commit|ready for review|about to merge] except for the {many}
i don't want to see any {many}
{many} from my debugging session, all of them
[the|these] {many} [should never have been|weren't meant to be] committed
[pre-commit|ci|the hook] complains about {many}
[let's|] go without {many}
less {many}, I mean none
leave the logic, lose the {many}
remove every single one of my {many}
undo my {many}
zero {many} [please|in the end|]
[keep|keep the] stdout clean{is_print}
S106 Standard outputs should not be used directly to log anything{is_print}
a library should not [write to stdout|print]{is_print}
[tests|pytest -s|the test output] [are|is] full of [this|junk|noise]{is_print}, no {many}
our json goes to stdout, and [this|these] [messes|mess] it up{is_print}, lose the {many}
piping the output breaks because of [the|all] {many}{is_print}
[be|should be|make it] [quiet|silent]{is_print}
the console fills up [with junk|]{is_print}
why do i see this in [the|my] terminal{is_print}
nothing on stdout please{is_print}
T201 \\[*\\] `print` found{is_print}
W: print used (print-used){is_print}
bad-builtin print{is_print}
T203 \\[*\\] `pprint` found{is_pprint}
pprint was for me only{is_pprint}
pprint -> gone{is_pprint}
PdbQuitException / bdb.BdbQuit in ci{is_stop}
bdb.BdbQuit{is_stop}
(Pdb) [prompt|] in production{is_stop}
(Pdb) > ? where does that come from{is_stop}
the server [freezes|hangs] because [of a breakpoint|someone left a {stop}]{is_stop}
it waits for input [in the debugger|at a prompt|]{is_stop}
T100 {stop} found
forgot the {stop}
{stop} left in
no {stop} in main
debug-statements hook: {stop} called
debug statements hook failed: {stop}
S4507 Make sure this debug feature is deactivated before delivering the code in production{is_stop}
pytest: reading from stdin while output is captured{is_stop}
OSError: pytest: reading from stdin while output is captured! Consider using `-s`.{is_stop}
[i'm|we're] done stepping through [it|this]{is_stop}
we don't want to see {name} on [the console|stdout|screen]{is_print}
{name} contains secrets, don't [print|show] it{is_print}
[printing|print of] {name} was for debugging
[leaks|prints|shows] {name}, [bad|unsafe|not ok]{is_print}
the one that [shows|prints|dumps] {name}
[dumping|showing] {name} [isn't needed|was only temporary|can stop]
who needs {name} on stdout
not interested in {name} any longer
the {text} print
{text} shows up [in the output|on the console|in the logs|all the time], [it shouldn't|make it stop]
who prints {text}? [out|kill it|not needed]
the {text} line was for debugging
why do i see {text} [in the terminal|on stdout|]
i keep seeing {text}
{text} on stdout is not useful
{call} was for debugging
{call} left over
[oops|sorry], {call} is still in
{call} out
without {call}
is {call} still of use?
forgot to remove {call}
@was for debugging
@debug leftover
@T201{is_print}
@oops, out with [it|this]
@leftover
@not in production
@[i|we] don't need this output [any more|]
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

        def many(group: Sequence[Spot]) -> dict[str, str]:
            return _together(snippet, group, sorts, rng) | (one(group[0]) if len(group) == len(found) == 1 else {})

        return propose_spots(snippet, found, rng, one=one, many=many)


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
