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
