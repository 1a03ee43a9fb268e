"""Put back a `break` or `continue` that was left out of a loop."""

import ast
from collections.abc import Iterator
from random import Random
from typing import ClassVar

from spark_tui.editing.snippet import Snippet
from spark_tui.editing.statements import Place, dotted, places
from spark_tui.training.kinds.base import Edit, Kind, Planted
from spark_tui.training.kinds.planting import Bug, planted


class AddBreak(Kind):
    """A branch in a loop ends in `break` or `continue` again.

    Slots: {unsaid} for a break, {ending} for a continue (both show nothing, they are conditions); {word} the word
    itself; {check} the condition of the branch; {name} what the branch sets; {loop} what the loop runs over.
    """

    name: ClassVar[str] = "add_break"
    weight: ClassVar[float] = 0.6
    skeletons: ClassVar[str] = """
there's a {word} missing
<a_missing> {word} in the loop
<a_missing> {word}
<add> the missing {word}
<add> a {word} [there|]
<add> a {word} [to|in] the [loop|if|branch]
<add> {word} after [setting|assigning] {name}
<add> a {word} [after|once] {name} is set
<add> {word} [when|if] {check}
<add> a {word} when {check}
i forgot [a|the] {word}
i forgot the {word} in the [loop|if]
i forgot the {word} after {name}
no {word} [here|in the loop|]
shouldn't there be a {word} [in the loop|]?
shouldn't there be a {word} [when|if|in the branch for] {check}?
the branch for {check} <need> a {word}
the branch for {check} [has no|lacks a|should end in|should end with] {word}
the if {check} [has no|lacks a|should end with|is missing a] {word}
the loop over {loop} <should> {word} [when|if] {check}
the loop over {loop} [has no|lacks a|is missing a] {word}
{unsaid}the loop [keeps going|goes on|doesn't stop|never stops|runs on] after [the first|it found a|a] match
{unsaid}[keeps going|goes on|doesn't stop] after the first [match|hit|one|result]
{unsaid}[keeps|it keeps] [going|looping|searching] after it [has|] found [it|something|one]
{unsaid}the loop over {loop} [keeps going|goes on|doesn't stop|never stops] [after the first match|when it's done|]
{unsaid}[stop|leave the loop|exit the loop|get out of the loop] [when|if|as soon as|once] {check}
{unsaid}[stop|leave|exit|end|quit] the loop [early|] [when|if|as soon as|once] {check}
{unsaid}[stop|end|leave] the loop [once|after|when] {name} is [set|found|known]
{unsaid}[stop|end|leave|exit] the loop over {loop} [early|after the first match|once it's found]
{unsaid}we <should> stop [looping|searching|there|the loop] [when|if|once] {check}
{unsaid}it <should> stop at the first [match|hit|one]
{unsaid}only the first [match|one|hit] [counts|should count|matters], stop [there|then]
{unsaid}i [only|just] want the first [match|one|hit]
{unsaid}it [finds|takes|returns|gives|picks] the last [match|one|hit] [instead of the first|, not the first|]
{unsaid}{name} [is|gets] overwritten by [later|the following] [matches|rounds|items|iterations]
{unsaid}{name} ends up [as|with|being] the last [match|one], not the first
{unsaid}{name} is overwritten
{unsaid}<why> [does it|does the loop] go on after [the first match|it found it|{check}]
{unsaid}the loop never ends
{unsaid}infinite loop
{unsaid}endless loop, it never [stops|gets out|breaks out]
{unsaid}[it hangs|this hangs|runs forever|loops forever]
{unsaid}[it|the loop] loops forever when {check}
{unsaid}the while [loop|] [never ends|runs forever|doesn't terminate]
{unsaid}no need to look [at the rest|further] [once|when|after] [it's found|{check}]
{unsaid}waste of time to go on after [a match|the first match|{check}]
{unsaid}[break out|bail out|get out|jump out] of the loop [when|if|once] {check}
{unsaid}[break out|bail out|get out] of the loop over {loop}
{unsaid}end the search [once|when] {check}
{ending}[skip|leave out|ignore|pass over] [the rest|it|this one|the item] [when|if] {check}
{ending}skip [to the next|to the next one|the rest of the round|the rest of the loop] [when|if] {check}
{ending}[go on|go|move on|jump] [with|to] the next [one|item|round|iteration] [when|if|after] {check}
{ending}[it|the loop] [falls through|runs on|goes on with the rest] [when|if|even if|although] {check}
{ending}the rest of the loop [body|] [is run|runs|gets executed] [even when|even if|although] {check}
{ending}the rest [of the round|of the body|] <should> not run [when|if] {check}
{ending}don't do the rest [when|if] {check}
{ending}[falls through|it falls through|falling through] to the [code below|rest|rest of the body|next lines]
{ending}[items|entries|those|the ones] that should be skipped are [still|] [processed|handled|used]
{ending}[skipped|ignored|bad] [items|entries|ones] are [still|] processed
{ending}<why> [is the rest|does the rest] [still|] [run|executed|done] [when|if|after] {check}
{ending}it [still|] [processes|handles|uses] the [item|entry] [when|even if|although] {check}
{ending}the item [isn't|is not] skipped [when|if] {check}
{ending}when {check} the item is handled twice
{ending}[handled|counted|added|processed] twice when {check}
{ending}both [branches|parts] run when {check}
{ending}after an error it [still|] [goes on with|uses|runs] the rest of the [body|loop]
{ending}after the except the rest of the body [still|] runs
@<add> a {word} [here|after this|below]
@[missing|forgot the|no] {word} [here|after this|]
@{unsaid}the loop <should> [stop|end|be left] here
@{unsaid}stop [the loop|looping|] here
@{unsaid}[leave|exit|end|break out of] the loop here
@{unsaid}it goes on after this
@{unsaid}[why doesn't|shouldn't] [it|the loop] stop here
@{ending}[skip|leave out] the rest [here|after this]
@{ending}go [on|] to the next one here
@{ending}it falls through here
@{ending}the rest [should not|shouldn't|must not] run after this
@shouldn't [there be|we have] a {word} here?
@{word} [here|]
@{word} after this [line|]
{word}!
{word} missing
{word} [when|if|once] {check}
if {check}: ... {word}
{check} -> {word}
{word} after {name}
{word} once {name} is known
and then {word}
wasn't there a {word}?
a {word} got lost [in the refactoring|in the merge|]
someone deleted the {word}
the {word} fell out of the if {check}
{word} is gone from the {check} branch
{check}, and then? {word}!
where's the {word} for {check}
end the {check} branch with {word}
the case {check} wants a {word} at the end
{unsaid}one match is enough
{unsaid}one hit is enough, stop
{unsaid}first match wins
{unsaid}first one wins, not the last
{unsaid}last match wins, should be the first
{unsaid}found it, so why go on?
{unsaid}doesn't stop
{unsaid}won't stop
{unsaid}never gets out of the loop
{unsaid}it never gets out of the while loop, cpu at 100%
{unsaid}100% cpu
{unsaid}spins forever
{unsaid}the program never comes back
{unsaid}hangs [here|forever|for good|in the loop|]
{unsaid}i have to kill it with ctrl-c
{unsaid}the test times out
{unsaid}Timeout >60.0s in the loop
{unsaid}{check} and it still loops
{unsaid}{check} <should> be the end of it
{unsaid}{check} <should> end the loop
{unsaid}that's it when {check}
{unsaid}[we're|we are] done when {check}
{unsaid}nothing left to do once {check}
{unsaid}why keep looking when {check}?
{unsaid}looks at everything even though {check} came up early
{unsaid}{name} is [replaced|set] again and again
{unsaid}{name} should keep the first value
{unsaid}{name} has the wrong one, it must be the first hit
{unsaid}too slow, it scans {loop} to the end every time
{unsaid}quadratic, because it doesn't stop when {check}
{unsaid}scans all of {loop} although the answer is known
{unsaid}walks through the rest of {loop} for nothing
{unsaid}the else of the loop always runs
{unsaid}out of the loop when {check}
{ending}next one [when|if] {check}
{ending}on to the next [when|if|once] {check}
{ending}nothing more to do for this one when {check}
{ending}{check}: not this one
{ending}{check} ones <should> be left out
{ending}those with {check} shouldn't get any further
{ending}it runs straight into the code below [when {check}|]
{ending}{check} falls through
{ending}goes on with a broken item
{ending}the bad ones get through
{ending}the ones to ignore are not ignored
{ending}done twice
{ending}handled above already, and then again below
{ending}the code after the if runs as well
{ending}the code after it runs for {check} too
{ending}UnboundLocalError after the except, the rest should be skipped
{ending}logs the error and carries on with the same item
{ending}everything after {check} is meant for the others
{ending}the warning is printed, but the item is used anyway
@{word}?
@{word} [please|]
@and then {word}
@{unsaid}done [here|]
@{unsaid}out of the loop
@{unsaid}enough, stop
@{unsaid}found, stop looking
@{ending}next
@{ending}not any further with this one
@{ending}on to the next [one|]
"""

    def plant(self, snippet: Snippet, rng: Random) -> Planted | None:
        """Leave out one word."""
        bugs = [bug for place in places(snippet) for bug in _bugs(snippet, place) if place.index or rng.random() < 0.4]
        return planted(self.name, rng.choice(bugs), rng) if bugs else None

    def propose(self, snippet: Snippet, rng: Random) -> Edit | None:
        """Nothing: real code is taken to be right."""
        return None


def _bugs(snippet: Snippet, place: Place) -> Iterator[Bug]:
    if not isinstance(place.node, ast.Break | ast.Continue):
        return
    lines, row = snippet.lines, place.first
    slots, symptoms = _said(snippet, place)
    if place.index == 0:
        wrong = (*lines[:row], f"{place.indent}pass", *lines[row + 1 :])
        yield Bug(wrong, lines, slots, symptoms)
    elif lines[row - 1].strip() and not lines[row - 1].lstrip().startswith("#"):
        yield Bug((*lines[:row], *lines[row + 1 :]), lines, slots, symptoms)


def _said(snippet: Snippet, place: Place) -> tuple[dict[str, str], dict[str, str]]:
    """What names the place, and what only tells the word."""
    leaves = isinstance(place.node, ast.Break)
    symptoms = {"word": "break", "unsaid": ""} if leaves else {"word": "continue", "ending": ""}
    slots: dict[str, str] = {}
    for node in ast.walk(snippet.tree):
        match node:
            case ast.If(test=test, body=block) if block is place.block:
                slots["check"] = snippet.segment(test)
            case ast.For(iter=over, body=block) if any(inner is place.node for one in block for inner in ast.walk(one)):
                slots["loop"] = dotted(over) or ""
    for one in place.block[: place.index]:
        if isinstance(one, ast.Assign) and (name := dotted(one.targets[0])):
            slots["name"] = name
    return {slot: text for slot, text in slots.items() if "\n" not in text}, symptoms
