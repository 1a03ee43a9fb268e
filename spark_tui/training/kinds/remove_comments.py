"""Remove comments: all of them, the one that is quoted, or those on the selected lines."""

import ast
from collections.abc import Mapping, Sequence
from random import Random
from typing import ClassVar

from spark_tui.editing.codemods.prose.comment_places import blocks, comments
from spark_tui.editing.codemods.remove_comments import removal
from spark_tui.editing.snippet import Snippet
from spark_tui.editing.statements import is_string, places
from spark_tui.training.kinds import wording
from spark_tui.training.kinds.base import Edit, Kind, Planted

_ONE = "comment|comment|code comment|inline comment|# comment|remark"
_MANY = "comments|comments|code comments|inline comments|# comments|remarks"


class RemoveComments(Kind):
    """Comments go, with their lines when they have them to themselves."""

    name: ClassVar[str] = "remove_comments"
    skeletons: ClassVar[str] = """
<remove> the {what}
<get_rid> the {what}
<drop> the {what}
the {what} is <unneeded>
the {what} is [wrong|outdated|out of date|misleading|useless|noise|stale]
the {what} [can|should|must] go
the {what} <should> be <removed>
[we|you|i] don't need the {what}
no {what} [please|needed|here]
without the {what} [please|]
[why|how come] the {what}
is the {what} needed?
leave out the {what}
<nit>: <remove> the {what}
<review>: <remove> the {what}
kill the {what}
rm {what}
<remove> [all|all the|the|every one of the] {plural}
<remove> [all|all the|the] {plural} [completely|entirely|but nothing else|and keep the code]
<get_rid> [all|all the|the] {plural}
<drop> [all|all the|the] {plural}
strip [out|] [all|all the|the] {plural}
clean [out|up] [all|all the|the] {plural}
[all|all the|the] {plural} are <unneeded>
[all|all the|the] {plural} are [wrong|outdated|out of date|misleading|useless|noise|stale]
[all|all the|the] {plural} [can|should|must] go
[all|all the|the] {plural} <should> be <removed>
[we|you|i] don't need [any|the|all the|these] {plural}
no {plural} [please|needed|in here|at all]
no more {plural}
[too many|so many|way too many] {plural}, <remove> them
without [any|the] {plural} [please|]
the code without {plural}
just the code, no {plural}
the code [speaks for itself|is clear enough][,:] no {plural}
[why|how come] [all|all the|these] {plural}
are [all|] the {plural} needed?
leave out [all|all the|the] {plural}
<nit>: <remove> [all|all the|the] {plural}
<review>: <remove> [all|all the|the] {plural}
kill [all|all the|the] {plural}
rm [all|] {plural}
i want [all|all the|the] {plural} <removed>
uncommented version, no {plural}
<remove> the <comment> {text}
<remove> the <comment> [saying|that says|that reads|with the text] {text}
<get_rid> the <comment> {text}
<drop> the <comment> {text}
the <comment> {text} is <unneeded>
the <comment> {text} is [wrong|outdated|out of date|misleading|useless|noise|stale]
the <comment> {text} [can|should|must] go
the <comment> {text} <should> be <removed>
[we|you|i] don't need the <comment> {text}
[we|you|i] don't need the <comment> [saying|that says] {text}
[why|how come] the <comment> {text}
leave out the <comment> [saying|that says|] {text}
<nit>: <remove> the <comment> {text}
<review>: <comment> {text} is <unneeded>
no <comment> {text}
kill the <comment> {text}
rm <comment> {text}
@<remove> this <comment>
@<get_rid> this <comment>
@<drop> the <comment> [here|]
@this <comment> is <unneeded>
@this <comment> is [wrong|outdated|out of date|misleading|useless|noise|stale]
@this <comment> [can|should|must] go
@no comment [here|needed]
@[we|you|i] don't need this <comment>
@[why|how come] this <comment>
{what} out
{what}? [why|what for|delete it|gone]
[one|a] {what} too many
the {what} [lies|isn't true any more|is a lie|is from another time|no longer matches the code]
the {what} [says|tells] [what the code says|nothing|the obvious|nothing new]
the {what} [repeats|only repeats|just repeats] [the code|what the code says]
the {what} adds nothing
[nobody|no one] [needs|reads] the {what}
the {what} is done, [cross it off|delete it|take it out]
code yes, {what} no
keep the code, not the {what}
same [code|thing] without the {what}
[that|this] {what} [bugs|annoys|confuses] me
{what} -> [gone|delete|trash]
do we need the {what}?
can the {what} go?
[scrap|zap|nuke|axe] the {what}
ERA001 Found commented-out code, the {what}
TD002 [missing author|], drop the {what}
W0511 fixme, drop the {what}
<lint>: useless {what}
todo: {what} out
the {what} was a note to [myself|me|self]
{function} without the {what}
{plural} out
{plural}: [gone|out|delete|all of them]
{plural}? [nobody reads them|who needs them|delete]
[nobody|no one] [needs|reads] [the|these|all these] {plural}
[the|these] {plural} [lie|are lies|aren't true any more|are from another time|no longer match the code]
[the|these] {plural} [say|tell] [nothing|the obvious|nothing new|what the code says]
[the|these] {plural} [repeat|only repeat|just repeat] [the code|what the code says]
[the|these] {plural} [add nothing|distract|clutter the code|get in the way|are in the way]
code yes, {plural} no
keep the code, not the {plural}
same [code|thing] without {plural}
it's buried in {plural}, [dig it out|delete them]
can't see the code for all the {plural}
self-documenting code [please|], no {plural}
all these {plural} [annoy|distract|confuse] me
{plural} -> [gone|delete|trash]
can the {plural} go?
[scrap|zap|nuke|axe] [all|] the {plural}
ERA001 Found commented-out code, {plural} out
everything after a # [goes|can go|is noise], {plural}
[ship|publish|release] it without {plural}
bare code, {plural} gone
{function} without {plural}
[the|these] {plural} were notes to [myself|me|self]
todo: delete {plural}
{text} as <comment>? delete
{text} isn't true any more, that <comment> [goes|can go]
{text} [is done|is fixed|was done long ago], delete the <comment>
{text} - [stale|old|dead|outdated] <comment>
stale <comment>: {text}
outdated <comment>, {text}
where the <comment> says {text}, delete it
[nobody|no one] [needs|reads] the <comment> {text}
what does the <comment> {text} [tell|say]? nothing, out
the <comment> {text} [lies|says the obvious|adds nothing|repeats the code]
can the <comment> {text} go?
ERA001 Found commented-out code: {text}
W0511 {text}, drop the <comment>
todo is done: {text}. <comment> out
[scrap|zap|axe] the <comment> {text}
keep the code, lose {text} (<comment>)
@<comment> out
@[done|that's done|fixed already], <comment> [out|can go]
@the <comment> [lies|isn't true any more|says the obvious|adds nothing]
@stale <comment>
@[nobody|no one] [reads|needs] this <comment>
@code yes, <comment> no
@ERA001 Found commented-out code
@[scrap|zap|axe|kill] the <comment>
@can this <comment> go?
@without the <comment>
"""

    def plant(self, snippet: Snippet, rng: Random) -> Planted | None:
        """Write one or two comments into code that has none."""
        if any("#" in line for line in snippet.lines):
            return None
        fit = [place for place in places(snippet) if not is_string(place.node) and place.first]
        if not fit:
            return None
        lines = list(snippet.lines)
        for at in sorted({rng.choice(fit).first for _ in range(rng.choice([1, 2]))}, reverse=True):
            place = next(place for place in fit if place.first == at)
            text = rng.choice(["# ", "# ", "# TODO: ", "#", "# FIXME ", "# NOTE: "]) + wording.message(rng)
            if rng.random() < 0.4 and place.first == place.last:
                lines[at] += f"  {text}"
            else:
                lines.insert(at, place.indent + text)
        return Planted(Snippet(tuple(lines)))

    def propose(self, snippet: Snippet, rng: Random) -> Edit | None:
        """Remove all comments or one block of them."""
        found = comments(snippet)
        apart = blocks(found)
        if not 1 <= len(apart) <= 6:
            return None
        block = rng.choice(apart)
        inside = [one for one in snippet.functions if all(one.lineno <= c.line < (one.end_lineno or 0) for c in found)]
        slots = {"function": inside[-1].name} if inside else {}
        alone = len(block) == 1 and sum(block[0].text in other for other in snippet.lines) == 1
        if alone and rng.random() < 0.3 and 5 < len(block[0].text) < 60:
            return Edit(removal(snippet, block), slots | {"text": block[0].text})
        if rng.random() < 0.2:
            return Edit(removal(snippet, block), slots, (block[0].line, block[-1].line))
        if len(apart) == 1 and len(block) == 1:
            return Edit(removal(snippet, block), slots | {"what": rng.choice(_ONE.split("|"))})
        return Edit(removal(snippet, found), slots | {"plural": rng.choice(_MANY.split("|"))})

    def accepts(self, before: Snippet, after: Sequence[str], slots: Mapping[str, str]) -> bool:
        """The tree stays the same."""
        same = super().accepts(before, after, slots)
        return same and ast.dump(before.tree) == ast.dump(Snippet(tuple(after)).tree)
