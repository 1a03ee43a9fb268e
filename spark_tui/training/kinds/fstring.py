"""Turn `%` formatting and `.format()` into f-strings."""

import ast
from collections.abc import Mapping, Sequence
from random import Random
from typing import ClassVar

from spark_tui.editing.code import MAX_WIDTH
from spark_tui.editing.snippet import Snippet
from spark_tui.training.kinds import formats
from spark_tui.training.kinds.base import Edit, Kind, Planted
from spark_tui.training.kinds.statements import spliced

_STYLES = {
    ast.BinOp: "% formatting|%-formatting|percent formatting|printf-style formatting|the % operator|%s|the percent format",
    ast.Call: ".format()|str.format|.format|the format call|the format method|the .format() call|format()",
}
_EITHER = "old-style formatting|old formatting|string formatting|the string formatting|the old string formatting"
_ONE = "f-string|f-string|f-string|fstring|f string"
_MANY = "f-strings|f-strings|f-strings|fstrings|f strings|formatted string literals"


class FString(Kind):
    """The same text by an f-string in the same quotes."""

    name: ClassVar[str] = "fstring"
    skeletons: ClassVar[str] = """
<use> an {fstring}
<use> an {fstring} <here>
<use> an {fstring} [instead of|rather than|in place of] {what}
<convert> {what} to an {fstring}
<convert> the string to an {fstring}
<convert> it to an {fstring}
<replace> {what} with an {fstring}
<rewrite> {what} as an {fstring}
<rewrite> the string with an {fstring}
<make> the string an {fstring}
<make> it an {fstring}
<turn> {what} into an {fstring}
<turn> the [string|message|text] into an {fstring}
[an|one] {fstring} would be [nicer|cleaner|shorter|more readable|better] [here|than {what}|]
[why|how come] [isn't this|is this not] an {fstring}
[why|how come] [use|do we use] {what} and not an {fstring}
can this be an {fstring}?
shouldn't this be an {fstring}?
this <should> be an {fstring}
the [string|message|text] <should> be an {fstring}
[could|should] use an {fstring}
{fstring} [please|instead|here]
{what} -> {fstring}
from {what} to {fstring}
<nit>: <use> an {fstring}
<nit>: {fstring} instead of {what}
<review>: <use> an {fstring}
<lint>: UP032 Use {fstring} instead of {what}
<lint>: UP031 use format specifiers instead of percent format, make it an {fstring}
C0209: Formatting a regular string which could be an {fstring}
consider-using-{fstring}
[modernize|modernise|update] {what}[,| and|:] <use> an {fstring}
[python 3|modern python|py3] has {fstring} syntax, <use> it here
i [prefer|like] an {fstring} [here|over {what}]
[get rid of|no|drop] {what}[,|:] <use> an {fstring}
format with an {fstring}
build the [string|text|message] with an {fstring}
interpolate with an {fstring}
<use> {fstrings}
<use> {fstrings} [here|everywhere|throughout|in here]
<use> {fstrings} [instead of|rather than|in place of] {plural}
<convert> [all|] {plural} to {fstrings}
<convert> all the strings to {fstrings}
<convert> to {fstrings}
<replace> [all|every use of|] {plural} with {fstrings}
<rewrite> [all|] {plural} as {fstrings}
<rewrite> all the [strings|messages] with {fstrings}
<make> all the strings {fstrings}
<turn> {plural} into {fstrings}
<turn> the [strings|messages] into {fstrings}
<switch> [to|over to] {fstrings}
<switch> from {plural} to {fstrings}
{fstrings} [everywhere|please|instead|throughout]
{plural} -> {fstrings}
{fstrings} would be [nicer|cleaner|more readable|better] [here|than {plural}|]
[why|how come] aren't these {fstrings}
[why|how come] [still|] {plural} and not {fstrings}
can these be {fstrings}?
these <should> [all|] be {fstrings}
<nit>: <use> {fstrings}
<nit>: {fstrings} instead of {plural}
<review>: prefer {fstrings} over {plural}
<lint>: UP032 Use {fstrings} instead of {plural}
C0209: could be {fstrings}
[modernize|modernise|update] {plural}[,| and|:] <use> {fstrings}
[no more|stop using|get rid of|drop|ban] {plural}, <use> {fstrings}
the codebase uses {fstrings}, not {plural}
format [everything|all of it] with {fstrings}
@<use> an f-string
@<use> an f-string <here>
@<convert> this to an f-string
@<make> this an f-string
@this <should> be an f-string
@f-string [here|please|]
@<rewrite> this <line> with an f-string
@<turn> this string into an f-string
@[why|how come] not an f-string here
@[modernize|modernise] this string formatting
@<lint>: UP032 f-string
"""

    def plant(self, snippet: Snippet, rng: Random) -> Planted | None:
        """Take back one or all of the f-strings."""
        found = formats.unformatted(snippet, rng)
        if not found:
            return None
        return Planted(Snippet(tuple(spliced(snippet, found if rng.random() < 0.6 else [rng.choice(found)]))))

    def propose(self, snippet: Snippet, rng: Random) -> Edit | None:
        """All the formatting there is, or that of the selected lines."""
        found = list(formats.formattings(snippet))
        if not found:
            return None
        node, _ = chosen = rng.choice(found)
        first, last = node.lineno - 1, (node.end_lineno or node.lineno) - 1
        if len(found) > 1 and rng.random() < 0.4:
            near = [one for one in found if first <= one[0].lineno - 1 <= last]
            return _edit(snippet, [chosen], {}, (first, last)) if near == [chosen] else None
        kinds = {type(one) for one, _ in found}
        style = rng.choice((_STYLES[kinds.pop()] if len(kinds) == 1 and rng.random() < 0.8 else _EITHER).split("|"))
        if len(found) == 1:
            return _edit(snippet, found, {"fstring": rng.choice(_ONE.split("|")), "what": style})
        return _edit(snippet, found, {"fstrings": rng.choice(_MANY.split("|")), "plural": style})

    def accepts(self, before: Snippet, after: Sequence[str], slots: Mapping[str, str]) -> bool:
        """It parses and has more f-strings than before."""
        return super().accepts(before, after, slots) and _count(Snippet(tuple(after))) > _count(before)


def _count(snippet: Snippet) -> int:
    return sum(isinstance(node, ast.JoinedStr) for node in ast.walk(snippet.tree))


def _edit(
    snippet: Snippet, found: list[tuple[ast.expr, str]], slots: dict[str, str], selected: tuple[int, int] | None = None
) -> Edit | None:
    after = spliced(snippet, found)
    if any(len(line) > MAX_WIDTH for line in set(after) - set(snippet.lines)):
        return None
    if len(snippet.functions) == 1:
        slots["function"] = snippet.functions[0].name
    return Edit.between(snippet, after, slots, selected)
