"""Remove one statement that is named, the selected lines, or what was put in for debugging."""

import ast
from random import Random
from typing import ClassVar

from spark_tui.editing.codemods.remove_statement import removal
from spark_tui.editing.snippet import Snippet
from spark_tui.training.kinds import pools
from spark_tui.training.kinds.base import Edit, Kind, Planted
from spark_tui.training.kinds.statements import COMPOUND, Place, argument_names, describe, is_string, places

_ONE = "print|print statement|print call|debug print|debugging print|print()|debug output|leftover print"
_MANY = "prints|print statements|print calls|debug prints|debugging prints|print()s|debug output|leftover prints"
_STOP = "breakpoint|breakpoint() call|debugger call|debug stop|leftover breakpoint|breakpoint line|debugger statement"
_PLANTED = (
    'print({x})|print("{x}", {x})|print(f"{{{x}=}}")|print("{word}")|print("{word}:", {x})|print("DEBUG", {x})'
    "|print('{x}', {x})|print(f\"{word} {{{x}}}\")|print(type({x}))|print('>>>', {x})|breakpoint()|print()|print(repr({x}))"
)


class RemoveStatement(Kind):
    """Whole lines go; everything else stays."""

    name: ClassVar[str] = "remove_statement"
    weight: ClassVar[float] = 1.5
    skeletons: ClassVar[str] = """
<remove> {what}
<get_rid> {what}
<remove> {what} [completely|altogether|entirely|again]
<remove> {what}, [it's|it is] <unneeded>
{what} is <unneeded>
{what} is <unneeded>, <remove> it
{what} [can|should|could|must] go
{what} <should> be <removed>
{what} [isn't|is not] needed [any more|anymore|here]
{what} [does nothing useful|serves no purpose|is wrong here|doesn't belong here]
[we|you|i] don't need {what} [any more|anymore|]
[no longer need|don't want] {what}
[there is|there's] no need for {what}
no need for {what}[, <remove> it|]
[comment out is not enough|clean up][,:] <remove> {what}
[why|how come] do we [have|need] {what}? <remove> it
[why|how come] is {what} [still|] [here|there]? <remove> it
do we [really|still|] need {what}? [if not |]<remove> it
is {what} [really|still|] needed? <remove> it
<nit>: <remove> {what}
<review>: <remove> {what}
<review>: {what} is <unneeded>
<lint>: {what} is <unneeded>
[cleanup|clean up|tidy up|todo]: <remove> {what}
without {what} [please|]
i want {what} <removed>
[leave|take] out {what}
[just|simply] <remove> {what}
[also|then|now] <remove> {what}
<remove> {what} [but|and] [keep|leave] [the rest|everything else]
keep everything [but|except] {what}
make do without {what}
the <function> <should> work without {what}
it works without {what}[, <remove> it|]
forgot to <remove> {what}
revert adding {what}
undo the addition of {what}
<remove> the {print}
<remove> the {print} [i|we] left [in|there|here]
the {print} <should> be <removed>
the {print} [can|should|must] go
[no|without the|kill the] {print}
there's a {print} [left|] in [here|there][, <remove> it|]
[i|someone] left a {print} in [here|there|the code]
<lint>: T201 `print` found, <remove> the {print}
T201 print found: {print}
silence the <function>, <remove> the {print}
<remove> <all> the {prints}
<remove> the {prints}
<remove> every one of the {prints}
the {prints} <should> be <removed>
the {prints} [can|should|must] go
[no|no more|without|kill the] {prints}
[clean up|clear out] [all the|the] {prints}
[there are|i left|someone left] {prints} in [here|there][, <remove> them|]
make it quiet: <remove> the {prints}
stop printing [things|debug output|so much], <remove> the {prints}
<remove> the {breakpoint}
<remove> the {breakpoint} [i|we] left [in|there|here]
the {breakpoint} <should> be <removed>
[there's|there is] [still |]a {breakpoint} in [here|there]
[i|someone] forgot a {breakpoint} [in here|here]
the {breakpoint} [can|should|must] go
<lint>: T100 trace found[: <remove> the|:] {breakpoint}
it stops in the debugger[, <remove> the {breakpoint}|: {breakpoint}]
@<remove> these
@<remove> these lines
@<remove> [these statements|the selected lines|the selection|the selected code]
@<get_rid> these lines
@these [lines|statements|] [can|should|must] go
@these are <unneeded>
@[we|you|i] don't need these [lines|] [any more|anymore|]
@these lines are <unneeded>
@[not needed|no longer needed|unneeded], all of these
@[delete|cut|kill] [them|these|all of it]
@<remove> this [block|part|passage|stretch]
@[why|how come] do we have these? <remove> them
{what}: [gone|out|bye|away with it]
[why|how come] {what}?
{what} - [really|seriously|what for|why]?
what's {what} for? [looks dead|seems useless|take it out]
[nobody|no one] [needs|uses|wants] {what}
[nothing|no one] depends on {what} [any more|anymore|]
{what} [was|is] [just|only] [for testing|for debugging|a test|an experiment|temporary]
{what} is [a leftover|left over|left from debugging|from an older version|a remnant]
{what} slipped in [by mistake|by accident|]
{what} was [committed|merged] by [mistake|accident]
{what} has no effect
{what} [costs time|slows it down|is slow] and [brings|gives] nothing
{what} [happens|is done] [elsewhere|somewhere else|by the caller] [already|now|]
the caller [does|takes care of] that now, [so|] {what} can go
[we|it] already [did|do] that, no need for {what}
{what} breaks [the tests|the build|things|everything][,|:] <remove> it
{what} [hurts|harms|bothers me|annoys me|gets in the way]
{function} minus {what}
{function} without {what}
{function} shouldn't [have|contain|do] {what}
{function} does too much: {what} [is not its job|doesn't belong in it]
[skip|omit|forget] {what}
[scrap|axe|chuck|nuke|zap|bin] {what}
{what} -> [delete|remove|/dev/null|trash]
delete: {what}
- {what}
[remove|delete] [just|only] {what}, nothing else
[can|could|may] {what} go?
[should|shouldn't] {what} be gone by now?
[can|could] [we|i] [lose|delete|drop] {what}?
[is there|there's] [no|any] reason for {what}?
i don't [see|get|understand] why we need {what}
it [must|should] not do that any more, i mean {what}
[stop|quit] doing that, {what} has to go
{what} [must|should] no longer [happen|be there|be in here]
[after|since] the [refactoring|last change|rewrite] {what} is [pointless|dead|not needed]
dead: {what}
sonar: {what} is <unneeded>
[i'd|we'd] be better off without {what}
{what} [contradicts|goes against] the spec, <remove> it
[print debugging|debugging] is over, <remove> the {print}
T201 `print` found (the {print} [here|])
stdout <should> stay [clean|quiet|empty], no {print}
the {print} [spams|clutters|pollutes] [the output|stdout|my terminal|the logs]
why does it print [that|something|stuff]? kill the {print}
[the|that] {print} was [only|just] for debugging
[users|customers] see the {print}, <remove> it
{function} prints [stuff|something] to [the console|stdout], it shouldn't. <remove> the {print}
done debugging, [the|all] {prints} [can go|out]
T201 `print` found, several times: <remove> the {prints}
it's [chatty|noisy|too loud], {prints} out
{function} [spams|clutters] the terminal, <remove> the {prints}
stdout is for [data|results] only, no {prints}
[too many|lots of] {prints} in [here|there], [all|they can all] go
pdb [pops up|opens] in production, <remove> the {breakpoint}
the [server|tests|ci|build] [hangs|hang] at the {breakpoint}
[ci|pytest] waits forever because of the {breakpoint}
T100 Trace found: `breakpoint` used ({breakpoint})
(Pdb) prompt [shows up|appears] in the [tests|ci|logs], {breakpoint} left in
no {breakpoint} in [production|committed] code
@[gone|out|away] with [these|them|this]
@[dead|leftover|obsolete|stale|debug] code
@[nobody|no one] needs [these|this|any of this]
@[was|were] [only|just] for debugging
@[we|it] can do without [this|these|them]
@why [is this|are these] still here
@[scrap|axe|nuke|zap|lose] [this|these|it]
@[this|all of this] happens elsewhere now
@[cut|take] [this|these] out, [the|] rest stays
"""

    def plant(self, snippet: Snippet, rng: Random) -> Planted | None:
        """Leave one to three debug prints, or a breakpoint, in code that has none."""
        if any("print(" in line or "breakpoint" in line for line in snippet.lines):
            return None
        fit = [p for p in places(snippet) if p.function and not is_string(p.node) and not _under_comment(snippet, p)]
        if not fit:
            return None
        chosen = {place.first: place for place in rng.choices(fit, k=rng.choice([1, 1, 2, 3]))}
        shape, lines = rng.choice(_PLANTED.split("|")), list(snippet.lines)
        for first in sorted(chosen, reverse=True):
            lines.insert(first, chosen[first].indent + _debugging(chosen[first], shape, rng))
            if shape != "breakpoint()":
                shape = rng.choice([one for one in _PLANTED.split("|") if one != "breakpoint()"])
        return Planted(Snippet(tuple(lines)))

    def propose(self, snippet: Snippet, rng: Random) -> Edit | None:
        """Remove all prints, a breakpoint, or one statement that can be told."""
        among = places(snippet)
        for slot, words in (("print", _ONE), ("breakpoint", _STOP)):
            calls = [place for place in among if _is_call(place.node, slot)]
            if calls and rng.random() < 0.6:
                many = slot + "s" * (len(calls) > 1)
                said = rng.choice((_MANY if many == "prints" else words).split("|"))
                return _delete(snippet, calls, {many: said}) if len(calls) <= 6 and many != "breakpoints" else None
        fit = [place for place in among if _fits(snippet, place)]
        if not fit:
            return None
        place = rng.choice(fit)
        if rng.random() < 0.2:
            run = [other for other in fit if other.block is place.block and 0 <= other.index - place.index < 3]
            edit = _delete(snippet, run, {}, (place.first, run[-1].last))
            return edit if edit and len(edit.ops) == 1 and run[-1].last > place.first else None
        what = describe(snippet, among, place, rng, verbatim=False)
        return _delete(snippet, [place], {"what": what}) if what else None


def _is_call(node: ast.stmt, name: str) -> bool:
    match node:
        case ast.Expr(value=ast.Call(func=ast.Name(id=called))):
            return called == name
    return False


def _debugging(place: Place, shape: str, rng: Random) -> str:
    names = argument_names(place.function) if place.function else ()
    if not names and "{x}" in shape:
        shape = 'print("{word}")'
    name = rng.choice(names) if names else ""
    return shape.format(x=name, word=rng.choice(["here", "debug", "got here", "XXX", "test", "value", pools.noun(rng)]))


def _under_comment(snippet: Snippet, place: Place) -> bool:
    return snippet.lines[place.first - 1].lstrip().startswith("#")


def _fits(snippet: Snippet, place: Place) -> bool:
    if isinstance(place.node, COMPOUND) or is_string(place.node) or place.function is None:
        return False
    below_blank = not snippet.lines[place.first - 1].strip()
    return not (_under_comment(snippet, place) or below_blank or isinstance(place.node, ast.Pass))


def _delete(
    snippet: Snippet, gone: list[Place], slots: dict[str, str], selected: tuple[int, int] | None = None
) -> Edit | None:
    ops = removal(snippet, gone)
    where = {"function": gone[0].function.name} if gone[0].function and len({p.function for p in gone}) == 1 else {}
    return Edit(ops, slots | where, selected) if ops else None
