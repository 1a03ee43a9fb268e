"""Turn `%` formatting and `.format()` into f-strings."""

import ast
from collections.abc import Mapping, Sequence
from random import Random
from typing import ClassVar

from spark_tui.editing.codemods.common.changes import Change, changed
from spark_tui.editing.formats import concatenations, formattings
from spark_tui.editing.snippet import Snippet
from spark_tui.training.kinds import formats
from spark_tui.training.kinds.base import Edit, Kind, Planted
from spark_tui.training.kinds.idioms import edit_of

_PERCENT = "% formatting|%-formatting|percent formatting|printf-style formatting|the % operator|%s|the percent format"
_FORMAT = ".format()|str.format|.format|the format call|the format method|the .format() call|format()"
_PLUS = "the concatenation|string concatenation|concatenation|the + operator|gluing strings with +|the plus signs|str() and +"
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
{unsaid}don't [glue|stick|stitch|piece] [this|strings|it] together with +, <use> {fstring}
{unsaid}no + [between|for] strings, <use> {fstring} instead
{unsaid}all [these|the|those] pluses are [ugly|hard to read|a mess], <make> it {fstring}
{unsaid}<replace> the + [chain|signs|joining|] [with|by] {fstring}
{unsaid}<convert> the concatenated [string|text|message] to {fstring}
{unsaid}too many quotes and pluses, {fstring} please
{unsaid}str() and + all over, {fstring} reads better
{unsaid}pylint consider-using-f-string: concatenation, {fstring}
[interpolate|put] the [values|variables] [directly|right|straight|] [in|into] the string [with {fstring}|]
put the variables in the [string|text|message] itself
@put the [values|variables] right into the string
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
{fstring} instead of {what} please
{fstring} > {what}
{fstring}, not {what}
{what}? this is python 3, {fstring}
{what} [looks|is] [dated|old|so 2005|clunky|hard to read]. {fstring}
no {what} [please|], {fstring} is the rule here
we have had {fstring} syntax since 3.6
we only support 3.8+ so an {fstring} is fine
python 2 is gone, so is {what}: {fstring}
this reads better as an {fstring}
this would be shorter as an {fstring}
i find {what} hard to read, {fstring}?
is there a reason for {what}? else {fstring}
any reason not to have an {fstring} here?
let's have an {fstring}
{fstring} it
f"..." please
f"" instead of {what}
f'' please
put an f in front and the [names|values|variables] in braces
with an f prefix and {what} gone
braces with the names in them instead of {what}
the values should stand in the string itself, {what} out
inline the [values|arguments|variables] into the {fstring}
UP032 [\\[*\\] |]Use f-string instead of `format` call, {fstring}
UP031 [\\[*\\] |]Use format specifiers instead of percent format[ -> |: |, ]{fstring}
pylint: C0209 consider-using-f-string, {fstring}
C0209 consider-using-f-string [({fstring})|]
flynt would turn this into an {fstring}
pyupgrade --py36-plus would make an {fstring} [here|of it]
FLY002 / UP032: {fstring}
sonar: {what} [should not be used|is discouraged], {fstring}
<review>: why {what}? {fstring}
<nit>: {fstring}
{what} is slower than an {fstring}
drop {what} in favour of an {fstring}
swap {what} for an {fstring}
bring the string formatting up to date with an {fstring}
there's {what} left, {fstring} everywhere else
the last {what}: make it an {fstring}
{what} => {fstring}
this {what} business, {fstring}
{fstrings} over {plural}
{fstrings}, not {plural}
{plural}? {fstrings} please
{plural} => {fstrings}
{plural} all over, {fstrings} would be [nicer|shorter|clearer]
python 2 is gone, {fstrings} then
we're on 3.9 now, {fstrings}
modern strings: {fstrings}
UP031 UP032 all over, {fstrings}
pylint C0209 on each of these, {fstrings}
run flynt over this by hand: {fstrings}
run pyupgrade in your head, {fstrings}
[every one|each|all] of these strings wants the f prefix, {fstrings}
no more {plural} in this [module|file|function|class], {fstrings}
{fstrings} throughout
any reason for {plural}? {fstrings}
can we get rid of {plural}, {fstrings} read better
put names in braces in all of them, {fstrings}
i can't read {plural}, {fstrings}
bring all the formatting up to date, {fstrings}
let's have {fstrings} in here
{fstrings} like in the [other modules|rest of the code|rest]
the rest of the project has {fstrings}, [here it's still|this one still has] {plural}
swap {plural} for {fstrings}
<review>: {fstrings}
{unsaid}no more adding strings up, {fstring}
{unsaid}str + str + str is a pain, {fstring}
{unsaid}no str() calls and plus signs, {fstring} does that
{unsaid}TypeError can only concatenate str: {fstring} would not care
{unsaid}so many quotes. {fstring}
{unsaid}one {fstring} instead of five pieces
{unsaid}glued from pieces, {fstring} is easier to read
@f""
@an f prefix and braces
@f"..." [here|please]
@f string!
@f-string reads better
@shorter as an f-string
@UP031 here
@C0209 [here|on this line]
@names in braces please
@old style formatting, f-string
@put the names in the string
@nit: f-string
@this is python 3, f-string
@f-string like the others
@any reason not to use an f-string here?
"""

    def plant(self, snippet: Snippet, rng: Random) -> Planted | None:
        """Take back one or all of the f-strings."""
        found = formats.unformatted(snippet, rng)
        after = changed(snippet, found if rng.random() < 0.6 else [rng.choice(found)]) if found else None
        return Planted(Snippet(tuple(after))) if after else None

    def propose(self, snippet: Snippet, rng: Random) -> Edit | None:
        """All the formatting there is, or that of the selected lines."""
        found = [Change(*one) for one in formattings(snippet)] or [Change(*one) for one in concatenations(snippet)]
        if not found:
            return None
        chosen = rng.choice(found)
        if len(found) > 1 and rng.random() < 0.4:
            near = [one for one in found if one.first <= chosen.last and chosen.first <= one.last]
            return edit_of(snippet, near, {}, (chosen.first, chosen.last)) if near == [chosen] else None
        unsaid = {"unsaid": ""} if all(_style(one.node) == _PLUS for one in found) else {}
        styles = {_style(one.node) for one in found}
        style = rng.choice((styles.pop() if len(styles) == 1 and rng.random() < 0.8 else _EITHER).split("|"))
        if len(found) == 1:
            return edit_of(snippet, found, unsaid | {"fstring": rng.choice(_ONE.split("|")), "what": style})
        return edit_of(snippet, found, unsaid | {"fstrings": rng.choice(_MANY.split("|")), "plural": style})

    def accepts(self, before: Snippet, after: Sequence[str], slots: Mapping[str, str]) -> bool:
        """It parses and has more f-strings than before."""
        return super().accepts(before, after, slots) and _count(Snippet(tuple(after))) > _count(before)


def _count(snippet: Snippet) -> int:
    return sum(isinstance(node, ast.JoinedStr) for node in ast.walk(snippet.tree))


def _style(node: ast.expr) -> str:
    if isinstance(node, ast.Call):
        return _FORMAT
    return _PERCENT if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mod) else _PLUS
