"""Add one statement that is told in words, at a place that is told."""

import ast
from random import Random
from typing import ClassVar

from spark_tui.editing import code
from spark_tui.editing.script import Insert
from spark_tui.editing.snippet import Snippet
from spark_tui.training.kinds import spots
from spark_tui.training.kinds.base import Edit, Kind, Planted
from spark_tui.training.kinds.spots import Spot
from spark_tui.training.kinds.statements import Place, has_tail, is_string, is_stub, places
from spark_tui.training.kinds.verbal import Speaker


class AddStatement(Kind):
    """One line more: a real one taken out and told in words, or a new one."""

    name: ClassVar[str] = "add_statement"
    weight: ClassVar[float] = 2.0
    skeletons: ClassVar[str] = """
{action} {where}
{where} {action}
{where}, {action}
{where}: {action}
{action}, {where}
{action} - {where}
{where} [we|you|i|it] <should> {action}
[we|you|it|this|the code] <should> {action} {where}
[we|you|it] [also|still] <should> {action} {where}
make it {action} {where}
have it {action} {where}
let it {action} {where}
[i want|i need|i'd like] [it|this] to {action} {where}
[i want|i need|i'd like] to {action} {where}
[remember|don't forget|make sure] to {action} {where}
[remember|don't forget] to {action}, {where}
it [forgets|fails] to {action} {where}
[you|we|i] forgot to {action} {where}
this [forgets|neglects] to {action} {where}
<add> [a|one] line to {action} {where}
<add> [a|the] <statement> to {action} {where}
<add> [a line|a statement|code|something] {where} to {action}
<add> [a line|a statement|code|something] {where} that will {action}
<add> [a line|a new line|code] {where}: {action}
[a step|a line] is <missing> {where}: {action}
{where} there <should> be a line to {action}
<missing>: {action} {where}
todo: {action} {where}
fixme: {action} {where}
next step: {action} {where}
[also|then|now] {action} {where}
[also|then|now], {where}, {action}
[just|simply] {action} {where}
[how about|what if] we {action} {where}
[should|shouldn't] [we|it|this] {action} {where}?
[why|how come] [don't we|doesn't it|do we not|does it not] {action} {where}
the idea is to {action} {where}
<review>: {action} {where}
<nit>: {action} {where}
before [going|moving] on, {action} {where}
[one more thing|one thing]: {action} {where}
[it's important|it is necessary|we have] to {action} {where}
{where} i want it to {action}
{where} i expect it to {action}
[there's|there is] no code to {action} {where}
nothing [here|in here] [tells|asks] it to {action} {where}
[change|modify|update|extend] [it|this|the <function>] to {action} {where}
[change|modify|update|extend] [it|this|the <function>] so it will {action} {where}
insert {where}: {action}
<add> {source} {where}
<put> {source} {where}
[insert|write|type|stick] {source} {where}
<add> the <line> {source} {where}
{where} <add> {source}
{where}: {source}
[there should be|i want|we need|i need] {source} {where}
[it|this] is missing {source} {where}
{source} [belongs|goes|should go|should be] {where}
<missing> {source} {where}
new line {where}: {source}
[where is|where's] the {source} {where}?
{ending}
[it|this|the function] <should> {ending}
make it {ending}
have it {ending}
[it|the function] forgets to {ending}
[you|we|i] forgot to {ending}
<add> a line to {ending}
{ending} when [done|it is done|finished]
[remember|don't forget] to {ending}
[finally|in the end|lastly] {ending}
[change|modify|update] it to {ending}
why doesn't it {ending}
@{below} [below|after|under] this
@{below} [below|after|right after|just after] this line
@after this[ line|][,|:] {below}
@below this[ line|][,|:] {below}
@<add> a line [below|after|under] this to {below}
@next[,|:] {below}
@then {below}
@{above} [above|before] this
@{above} [above|before|right before|just before] this line
@before this[ line|][,|:] {above}
@<add> a line [above|before] this to {above}
@above this[ line|][,|:] {above}
{where}? {action}
{function} has to {action}. [do it|that goes|it belongs] {where}
{where}: it never gets to {action}
[as it stands|right now|currently] nothing [does|happens] {where}. {action}
{action}. [location|place|spot|position]: {where}
{where} - {action}, [please|thanks|thx]
[where|place]: {where}. [what|do]: {action}
[we|i] lost the [line|bit|part] {where}, the one to {action}
{where} [we|it|this] used to {action}, bring that back
[somebody|someone|a refactoring] dropped the line {where} that was there to {action}
can {function} {action} {where} [too|as well|]?
[why not|would it hurt to] {action} {where}?
[nothing|no code] {where} to {action}
[quick|small] [addition|change] {where}: {action}
{where} [goes|comes] a [new|fresh|single] line to {action}
one [liner|more line] {where}: {action}
[extra|additional] step {where} - {action}
{function}: {action} {where}
{function}: {where} {action}
{function} doesn't {action} [anywhere|at all], do it {where}
it works, but i'd {action} {where} [as well|too|]
[for debugging|for now|temporarily], {action} {where}
[to be safe|just in case|for good measure], {action} {where}
[and|also] {where}: {action}
{where} one should {action}
{where}, then: {action}
[the right|a good] [moment|place] to {action} is {where}
[expected|expectation]: {where} it will {action}. [actual|reality]: it doesn't
[add this|do this] {where}: {action}
[bug|issue]: we never {action} {where}
it would [help|be good] to {action} {where}
{action} ({where})
({where}) {action}
this should [already|at least] {action} {where}
{where} [needs|wants] a line to {action}
have {function} {action} {where}
let {function} {action} {where}
[only|all] that's missing is to {action} {where}
[extend|teach] {function} to {action} {where}
[my|the] tests [expect|want] it to {action} {where}
{source} -> {where}
{source}, {where}
[paste|copy|drop] {source} in {where}
[please|could i] get {source} {where}
{function} {where}: {source}
no {source} {where}? [should be there|add it|put it in]
{where} i'd [write|put|have] {source}
[forgot|i forgot|we forgot] {source} {where}
{source} [got lost|is gone|was dropped] {where}
{where} [comes|goes|belongs] {source}
{where} one more line, {source}
[line|code] to add: {source}. where: {where}
[could|should|shouldn't] {source} [stand|be|go] {where}?
{source} is [needed|required|what i need] {where}
+ {source} {where}
{function} needs {source} {where}
[after everything else|when all is done|once the rest is done|to finish] {ending}
{function} should {ending}
{function} never gets around to it: {ending}
[callers|the tests] expect {function} to {ending}
[last|final] [step|thing|act]: {ending}
@{below} [next|afterwards|after that|right here, below]
@[and then|followed by|next line][:|] {below}
@[after|below] this it <should> {below}
@[line|code] below: {below}
@[first|but first|before that][,|:] {above}
@[ahead of|in front of] this, {above}
@{above}, then [this|do this]
@[line|code] above: {above}
@it <should> {above} before [it does this|this|this line runs]
"""

    def plant(self, snippet: Snippet, rng: Random) -> Planted | None:
        """Take out a real statement; not always, so that new ones are told as well."""
        if rng.random() < 0.3:
            return None
        fit = [place for place in places(snippet) if _removable(snippet, place)]
        speaker = Speaker(lambda node: code.text_of(snippet, node), rng)
        for place in rng.sample(fit, min(3, len(fit))):
            kept = Snippet((*snippet.lines[: place.first], *snippet.lines[place.last + 1 :]))
            action = speaker.statement(place.node)
            found = spots.left_by(kept, place, rng) if action else None
            if action and found:
                return Planted(kept, _edit(*found, snippet.lines[place.first], action, rng))
        return None

    def propose(self, snippet: Snippet, rng: Random) -> Edit | None:
        """Tell a new statement."""
        found = spots.anywhere(snippet, rng)
        if found is None:
            return None
        line = spots.invented(found[0], rng)
        speaker = Speaker(lambda node: ast.get_source_segment(line, node) or "", rng)
        action = speaker.statement(ast.parse(line).body[0])
        return _edit(*found, found[0].indent + line, action, rng) if action else None


def _removable(snippet: Snippet, place: Place) -> bool:
    node = place.node
    if place.first != place.last or place.function is None or len(place.block) < 2 or is_string(node):
        return False
    rest = [other for other in place.block if other is not node]
    return not has_tail(snippet, place) and not is_stub(rest) and len(snippet.lines[place.first].strip()) <= 90


def _edit(spot: Spot, words: str, line: str, action: str, rng: Random) -> Edit:
    ops = (Insert(spot.after, (line,)),)
    slots = {"function": spot.function.name}
    place = spot.place
    if place and spot.side in ("after", "before") and place.first == place.last and rng.random() < 0.2:
        side = "below" if spot.side == "after" else "above"
        return Edit(ops, slots | {side: action}, (place.first, place.last))
    if rng.random() < 0.25:
        return Edit(ops, slots | {"source": line.strip(), "where": words})
    if spot.side == "end" and line.lstrip().startswith("return ") and rng.random() < 0.5:
        return Edit(ops, slots | {"ending": action})
    return Edit(ops, slots | {"action": action, "where": words})
