"""Remove a docstring, or all of them."""

import ast
from collections.abc import Mapping, Sequence
from random import Random
from typing import ClassVar

from spark_tui.editing import code
from spark_tui.editing.code import Function
from spark_tui.editing.codemods.remove_docstring import documented, name_of, removal
from spark_tui.editing.snippet import Snippet
from spark_tui.training.kinds.base import Edit, Kind


class RemoveDocstring(Kind):
    """The docstring and the blank lines after it go; code stays."""

    name: ClassVar[str] = "remove_docstring"
    skeletons: ClassVar[str] = """
<remove> the {what}
<remove> the {what} [completely|entirely|altogether]
<get_rid> the {what}
<drop> the {what}
[strip|cut] the {what}
no {what} [please|needed|here|]
without the {what} [please|]
the {what} is <unneeded>
the {what} is [wrong|outdated|out of date|misleading|useless|noise|stale][, <remove> it|]
the {what} [can|should|must] go
the {what} <should> be <removed>
the {what} [says nothing|adds nothing|only repeats the code|just repeats the name|is just noise][, <remove> it|]
[we|you|i] don't need the {what}
[why|how come] do we [have|need] the {what}
do we need the {what}?
is the {what} needed?
make it shorter, [drop|without] the {what}
leave out the {what}
[keep|only] the code, no {what}
the code [speaks for itself|is clear enough][,:] no {what}
<nit>: <remove> the {what}
<review>: <remove> the {what}
<lint>: <unneeded> {what}
i want the {what} <removed>
delete the {what} [and keep the rest|only|but nothing else]
{what}: <remove>
rm {what}
kill the {what}
take the {what} away
[nobody|no one] reads the {what}
clean up: no {what}
<remove> the <docstring> of {owner}
<remove> the <docstring> [in|from] {owner}
<remove> {owner}'s <docstring>
<get_rid> the <docstring> of {owner}
<drop> the <docstring> of {owner}
[strip|cut] the <docstring> from {owner}
the <docstring> of {owner} is <unneeded>
the <docstring> of {owner} is [wrong|outdated|out of date|misleading|useless|noise|stale][, <remove> it|]
the <docstring> of {owner} [can|should|must] go
the <docstring> of {owner} <should> be <removed>
the <docstring> of {owner} [says nothing|adds nothing|only repeats the code]
{owner} <should> have no <docstring>
{owner} <should> not have a <docstring>
{owner} needs no <docstring>
{owner} [doesn't|does not] need a <docstring>
[we|you|i] don't need the <docstring> of {owner}
[why|how come] does {owner} have a <docstring>
does {owner} need a <docstring>?
{owner} without <docstring>
no <docstring> for {owner}
no <docstring> on {owner}
leave {owner} without a <docstring>
make {owner} shorter, [drop|without] the <docstring>
<nit>: {owner} needs no <docstring>
<review>: <remove> the <docstring> of {owner}
<remove> the <docstring> <here>, {owner} is [clear|obvious|self-explanatory]
{owner} is [clear|obvious|self-explanatory], [no|drop the] <docstring>
take the <docstring> out of {owner}
rm <docstring> of {owner}
the <docstring> [under|below] {owner} [is outdated|is wrong|only confuses], <remove> it
{owner} [explains itself|is self-documenting], <remove> the <docstring>
[lose|cut|trim] the [triple-quoted|long|boring] text [in|under|of] {owner}
<remove> [all|all the|the|every one of the] {plural}
<drop> [all|all the|the] {plural}
<get_rid> [all|all the|the] {plural}
strip [all|all the|the] {plural}
no {plural} [please|at all|in here|]
[all|all the|the] {plural} [can|should|must] go
[all|all the|the] {plural} are <unneeded>
without [any|the] {plural}
the code without {plural}
[we|you|i] don't need [any|the] {plural}
rm [all|] {plural}
{what} out
{what}? [why|who reads that|delete it|gone]
{what} -> [gone|delete|trash|/dev/null]
- {what}
code yes, {what} no
same code without the {what}
keep the code, not the {what}
[scrap|zap|nuke|axe] the {what}
can the {what} go?
can we [lose|drop|do without] the {what}?
the {what} [lies|isn't true any more|no longer matches the code|describes something else]
the {what} [tells|says] [what the code says|nothing new|the obvious]
the {what} [repeats|paraphrases] the signature
the {what} was [generated|copied|pasted from somewhere|copied from another function]
the {what} is [longer than the code|in the way|a distraction|boilerplate|filler]
the {what} [clutters|bloats] [the file|the code|it]
more {what} than code, cut it
[delete|out], the {what} [i mean|that is]
everything between the triple quotes can go, the {what}
triple quotes [out|gone], no {what}
start right with the code, no {what}
bare code, {what} gone
what's the {what} [for|good for]? [delete it|out]
[tests|private functions|helpers] don't need [a|] {what}
this is documented elsewhere, [so|] no {what}
sphinx should [skip|not show] it, no {what}
D401 in a useless {what}, just delete it
pydocstyle complains about the {what}, delete it altogether
better no {what} than [a wrong one|this one|a bad one]
todo: {what} out
{function} without the {what}
<nit>: useless {what}
<review>: the {what} adds nothing
{owner}: no <docstring>
{owner}: <docstring> [out|gone|away]
{owner} minus <docstring>
the <docstring> of {owner} [lies|isn't true any more|no longer matches the code|describes something else]
the <docstring> of {owner} [repeats|paraphrases] [the signature|the name|the code]
the <docstring> of {owner} was [generated|copied|pasted from somewhere]
the <docstring> of {owner} is [longer than the code|in the way|a distraction|boilerplate|filler]
{owner}'s <docstring> [is noise|can go|is wrong|lies|tells nothing new]
{owner}'s <docstring>? [delete|out|gone|who reads that]
{owner} is [tiny|short|a helper|private|trivial], no <docstring> [needed|]
{owner} is documented [elsewhere|in the base class|in the readme|on the website], no <docstring>
{owner} inherits its docs, [no|delete the] <docstring>
better no <docstring> than that one on {owner}
can {owner} do without its <docstring>?
can the <docstring> of {owner} go?
[nobody|no one] reads the <docstring> [of|on|in] {owner}
keep {owner}, lose its <docstring>
only the code of {owner}, not its <docstring>
what's the <docstring> of {owner} [for|good for]? [delete it|out]
[scrap|zap|nuke|axe|wipe] the <docstring> [of|in|on] {owner}
<docstring> of {owner}: [delete|gone|out]
in {owner} [start right with|only keep] the code, no <docstring>
triple quotes out of {owner}
the string [under|below] {owner} [is|has] [no use|useless|noise], <remove> it
sphinx <should> skip {owner}, so no <docstring>
D401 on {owner}, just delete the <docstring>
todo: {owner} without <docstring>
<nit>: <docstring> of {owner} adds nothing
<review>: why a <docstring> on {owner}?
<lint>: useless <docstring> in {owner}
{plural} out
{plural}: [gone|out|all of them|delete]
{plural}? [who reads them|delete all|gone]
[nobody|no one] reads the {plural}
the {plural} [lie|say nothing|repeat the code|are boilerplate|were generated]
code yes, {plural} no
keep the code, not the {plural}
[more|longer] {plural} than code, cut them
everything in triple quotes can go, {plural}
[scrap|zap|nuke|axe] [all|] the {plural}
can [all|] the {plural} go?
bare code without {plural}
same code without [any|the] {plural}
better no {plural} than these
todo: delete [all|the] {plural}
"""

    def propose(self, snippet: Snippet, rng: Random) -> Edit | None:
        """Remove one docstring or all."""
        found = documented(snippet)
        if not found:
            return None
        if len(found) > 1 and rng.random() < 0.4:
            words = rng.choice(["docstrings", "doc strings", "docs", "documentation strings", "docstrs"])
            return Edit(removal(snippet, found), {"plural": words})
        owner = rng.choice(found)
        slots = {"owner": name_of(owner) or "the module"}
        if len(found) == 1 and rng.random() < 0.5:
            slots = {"what": rng.choice(["docstring", "docstring", "doc string", "docs", "doc", "documentation"])}
        if isinstance(owner, Function) and "what" in slots:
            slots["function"] = owner.name
        return Edit(removal(snippet, [owner]), slots)

    def accepts(self, before: Snippet, after: Sequence[str], slots: Mapping[str, str]) -> bool:
        """The code without docstrings stays the same."""
        return super().accepts(before, after, slots) and _bare(before) == _bare(Snippet(tuple(after)))


def _bare(snippet: Snippet) -> str:
    tree = ast.parse(ast.unparse(snippet.tree))
    for node in ast.walk(tree):
        if isinstance(node, Function | ast.ClassDef | ast.Module) and code.docstring_node(node):
            node.body = node.body[1:] or [ast.Pass()]
    return ast.dump(tree)
