"""Remove comments: all of them, the one that is quoted, or those on the selected lines."""

import ast
import io
import re
import tokenize
from collections.abc import Mapping, Sequence
from random import Random
from typing import ClassVar

from spark_tui.editing.snippet import Snippet
from spark_tui.training.kinds import wording
from spark_tui.training.kinds.base import Edit, Kind, Planted
from spark_tui.training.kinds.statements import is_string, places

_MEANT = re.compile(r"#\s*(type:|noqa|pragma|pylint|fmt:|nosec|isort|mypy|ruff|flake8|!|-\*-)", re.IGNORECASE)
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
        blocks = _blocks(snippet)
        if not 1 <= len(blocks) <= 6:
            return None
        block = rng.choice(blocks)
        slots = {"function": snippet.functions[0].name} if len(snippet.functions) == 1 else {}
        line, column = block[0]
        text = snippet.lines[line][column:].lstrip("#").strip()
        alone = len(block) == 1 and sum(text in other for other in snippet.lines) == 1
        if alone and rng.random() < 0.3 and 3 < len(text) < 60:
            return _edit(snippet, block, slots | {"text": text})
        if rng.random() < 0.2:
            return _edit(snippet, block, slots, (line, block[-1][0]))
        if len(blocks) == 1 and len(block) == 1:
            return _edit(snippet, block, slots | {"what": rng.choice(_ONE.split("|"))})
        return _edit(
            snippet, [one for each in blocks for one in each], slots | {"plural": rng.choice(_MANY.split("|"))}
        )

    def accepts(self, before: Snippet, after: Sequence[str], slots: Mapping[str, str]) -> bool:
        """It parses to the same tree and is shorter."""
        if not super().accepts(before, after, slots) or len("\n".join(after)) >= len("\n".join(before.lines)):
            return False
        return ast.dump(before.tree) == ast.dump(Snippet(tuple(after)).tree)


def _blocks(snippet: Snippet) -> list[list[tuple[int, int]]]:
    """The comments as (line, column), neighbours on lines of their own together; none when one is for a tool."""
    found: list[list[tuple[int, int]]] = []
    if not any("#" in line for line in snippet.lines):
        return found
    text = io.StringIO("\n".join(snippet.lines) + "\n")
    try:
        tokens = [token for token in tokenize.generate_tokens(text.readline) if token.type == tokenize.COMMENT]
    except (tokenize.TokenError, SyntaxError):
        return found
    for token in tokens:
        line, column = token.start[0] - 1, token.start[1]
        if _MEANT.match(token.string):
            return []
        own = not token.line[:column].strip()
        if own and found and found[-1][-1][0] == line - 1 and snippet.lines[line - 1].lstrip().startswith("#"):
            found[-1].append((line, column))
        else:
            found.append([(line, column)])
    return found


def _edit(
    snippet: Snippet, gone: list[tuple[int, int]], slots: dict[str, str], selected: tuple[int, int] | None = None
) -> Edit | None:
    after: list[str] = []
    columns = dict(gone)
    for number, line in enumerate(snippet.lines):
        kept = line[: columns[number]].rstrip() if number in columns else line
        if number not in columns or kept:
            after.append(kept)
        elif after and not after[-1].strip() and not "".join(snippet.lines[number + 1 : number + 2]).strip():
            return None
    return Edit.between(snippet, after, slots, selected)
