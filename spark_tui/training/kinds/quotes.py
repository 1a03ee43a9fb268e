"""Change the quotation marks of strings."""

from collections import Counter
from collections.abc import Sequence
from random import Random
from typing import ClassVar

from spark_tui.editing.codemods.common.tidy import Spot
from spark_tui.editing.codemods.quotes import content, majority, spots
from spark_tui.editing.snippet import Snippet
from spark_tui.training.kinds.base import Edit, Kind, Planted
from spark_tui.training.kinds.tidying import plant_spots, propose_spots


class Quotes(Kind):
    """`'x'` becomes `"x"`, or the other way round.

    Slots: {what} and {case} are `single` or `double`, {mark} and {was} the signs; {mixed} is "" when the region has both and most
    strings have the new ones already; {text} is what the one string says.
    """

    name: ClassVar[str] = "quotes"
    skeletons: ClassVar[str] = """
<use> {what} quotes [everywhere|throughout|for [all|the] strings|here|]{all_of}
<use> {what} quotes instead of {case} [quotes|ones]{all_of}
<use> {what} quotes, not {case} [quotes|ones]{all_of}
<switch> to {what} quotes [everywhere|]{all_of}
<switch> [all|the|all the] [strings|string literals|literals] to {what} quotes{all_of}
<convert> [all|the|all the] [strings|string literals|literals] to {what} quotes{all_of}
<convert> {case} quotes [to|into] {what} quotes{all_of}
<change> [all|the|all the] {case} quotes [to|into] {what} quotes{all_of}
<replace> [all|the|all the] {case} quotes [with|by] {what} [quotes|ones]{all_of}
<turn> [all|the|all the] {case} quotes into {what} [quotes|ones]{all_of}
<make> [all|the|all the] strings use {what} quotes{all_of}
<make> [all|the|all the] [string|] quotes {what}{all_of}
<put> [all|the|all the] strings in {what} quotes{all_of}
[all|the|all the] strings <should> [be in|use|have|be written with] {what} quotes{all_of}
[all|the|these] quotes <should> be {what} quotes{all_of}
[all|the|these] strings are in {case} quotes, <should> be {what}{all_of}
{what} quotes [please|everywhere|throughout|for strings|]{all_of}
{what} quotes, not {case} [quotes|ones]{all_of}
{what} instead of {case} quotes{all_of}
{case} quotes -> {what} quotes{all_of}
{case} to {what} quotes{all_of}
from {case} quotes to {what} quotes{all_of}
no {case} quotes [please|here|]{all_of}
no more {case} quotes{all_of}
don't use {case} quotes{all_of}
<avoid> {case} quotes{all_of}
[we|our project|the project|the style guide] [use|uses|wants|prefers] {what} quotes{all_of}
[we|i] prefer {what} quotes [over {case} ones|]{all_of}
[our|the] style [guide|] is {what} quotes{all_of}
black wants {what} quotes{all_of}{to_double}
run black's quote [normalization|rule|style]: {what} quotes{all_of}{to_double}
<want> {what} quotes [instead of {case} ones|]{all_of}
why [the|] {case} quotes{all_of}
why {case} quotes? <use> {what} [ones|quotes]{all_of}
can [the|these] strings have {what} quotes{all_of}
<lint>: Q000 {first} quotes found but {what} quotes preferred{all_of}
Q000 {first} quotes found but {what} quotes preferred{all_of}
<nit>: {what} quotes{all_of}
<nit>: we use {what} quotes{all_of}
<review>: please use {what} quotes{all_of}
<lint>: use {what} quotes{all_of}
<make> the quotes consistent{mixed}
consistent quotes [please|]{mixed}
<make> the [string|] quotes [the same|uniform|all alike] [everywhere|]{mixed}
the quotes are [mixed|inconsistent|all over the place|not consistent], [please|] <fix> [that|it]{mixed}
[mixed|inconsistent] quotes{mixed}
unify the [string|] quotes{mixed}
normalize the quotes{mixed}
[stick to|choose|pick|settle on] one [kind|style] of quotes{mixed}
<nit>: inconsistent quotes{mixed}
<review>: mixed quotes, be consistent{mixed}
pylint: inconsistent-quotes W1405{mixed}
<lint>: W1405 Quote delimiter is inconsistent with the rest of the file{mixed}
some strings have {case} quotes, others {what}, <make> them all the same{mixed}
why are the quotes mixed{mixed}
<use> {what} quotes for {text}
<use> {what} quotes around {text}
<put> {text} in {what} quotes
<put> {what} quotes around {text}
<change> the quotes [of|around] {text} to {what} [ones|quotes]
<convert> the string {text} to {what} quotes
{text} <should> be in {what} quotes
{text} <should> have {what} quotes
{text} in {what} quotes [please|]
{text} is in {case} quotes, <use> {what} quotes
the string {text} <should> use {what} quotes
why is {text} in {case} quotes
{what} quotes for {text}
<nit>: {what} quotes for {text}
<replace> {was} [with|by] {mark} [in strings|as quotes|for strings|as the string delimiter]{all_of}
<use> {mark} instead of {was} for [all|the] strings{all_of}
@<use> {what} quotes here
@{what} quotes [here|on this line]
@this <should> be in {what} quotes
@<change> the quotes [here|of this string] to {what}
@[wrong|other] quotes, <use> {what}
@<swap> the quotes [here|]
the rest of the [project|repo|file] [uses|has] {what}{all_of}
[copied|pasted] from [another project|stackoverflow], [here|so] it's {what} quotes{all_of}
ruff format would make these {what}{all_of}
ruff format: {what} quotes{all_of}
ruff Q000{all_of}
Q000 \\[*\\] {first} quotes found but {what} quotes preferred{all_of}
quote-style = {what}{all_of}
inline-quotes = {what}{all_of}
string normalization{all_of}{to_double}
black --check fails because of the {case} quotes{all_of}{to_double}
js style quotes, we want {what}{all_of}
I'm used to {what} quotes{all_of}
{case} quotes? {what} [here|please]{all_of}
{case}-quoted strings should be {what}-quoted{all_of}
{what}-quoted [please|strings]{all_of}
{what}-quote [everything|it all|the strings]{all_of}
make it {what} quotes [everywhere|for all of them|]{all_of}
[only|always] {what} quotes{all_of}
get the strings into {what} quotes{all_of}
why are these strings {case} quoted{all_of}
flip the quotes to {what}{all_of}
not {case}, {what}{all_of}, the quotes i mean
quotes: {what}{all_of}
{was} -> {mark}{all_of}
{mark} not {was}{all_of}
[we|our repo] [always|only] [write|writes|uses] strings [with|in] {mark}{all_of}
strings go in {mark}{all_of}
{mark} around strings{all_of}
{mark} everywhere{all_of}
wrong kind of quotes, we use {mark}{all_of}
pep8 says pick one, we picked {what}{all_of}
contributing.md says {what} quotes{all_of}
editorconfig says quote_type = {what}{all_of}
[ci|pre-commit] failed: {case} quotes{all_of}
flake8-quotes wants {what}{all_of}
WPS: quotes should be {what}{all_of}
can't we have {what} quotes [like everywhere else|]{all_of}
half ' half "{mixed}
one kind of quote please{mixed}
' and " side by side{mixed}
two kinds of quotes in one function{mixed}
why both kinds of quotes{mixed}
sometimes ' and sometimes "{mixed}
W1405 (inconsistent-quotes){mixed}
Quote delimiter {was} is inconsistent with the rest of the file{mixed}
the odd ones out are in {case} quotes{mixed}
[most|the others] are in {what} quotes, [the rest|these] should be too{mixed}
decide on one quote style{mixed}
quote style is a mix{mixed}
[same|uniform] quotes everywhere{mixed}
quotes are a zoo{mixed}
{text} is the only one in {case} quotes
{text} like the others, {what} quotes
just {text}: {what} quotes
only {text} needs {what} quotes
the quotes of {text} are the odd ones
{what}-quote {text}
{text} -> {what} quotes
other quotes around {text}
the string with {text} is {case}-quoted, [make that|should be] {what}
{text} differs from the rest, {what} quotes
switch the quotes of {text}
@{what} [please|]
@other kind of quotes
@{what}-quoted
@Q000
@flip the quotes
@not {case}
@{mark} not {was}
"""

    def plant(self, snippet: Snippet, rng: Random) -> Planted | None:
        """Change the marks of some strings."""
        found = spots(snippet)
        mark = majority(found)[1]
        return plant_spots(snippet, [one for one in found if one.text.endswith(mark)], rng, all_of=0.3)

    def propose(self, snippet: Snippet, rng: Random) -> Edit | None:
        """All to one kind of marks, those of a function, or one string."""
        found = spots(snippet)
        first, second = majority(found)
        mark = first if rng.random() < 0.7 else second
        if not 0 < (count := sum(one.text.endswith(mark) for one in found)) <= 40:
            return None
        mixed = mark == first and count < len(found) - count
        chosen = [one for one in found if one.text.endswith(mark)]

        def one(spot: Spot) -> dict[str, str]:
            text = content(spot)
            same = sum(text in other.text for other in found)
            telling = same == 1 and 3 < len(text) <= 50 and text.strip() == text
            return {"text": text, **_words(mark)} if telling and "{" not in text else {}

        def many(group: Sequence[Spot]) -> dict[str, str]:
            consistent = {"mixed": ""} if mixed and len(group) == len(chosen) else {}
            return {"all_of": "", **_words(mark), **consistent}

        edit = propose_spots(snippet, chosen, rng, one=one, many=many, alone=0.25)
        return _with_words(edit, mark, found) if edit else None


def _words(mark: str) -> dict[str, str]:
    new, old = ("double", "single") if mark == '"' else ("single", "double")
    other = "'" if mark == '"' else '"'
    return {"what": new, "case": old, "first": old.capitalize(), "mark": mark, "was": other} | (
        {"to_double" if mark == '"' else "to_single": ""}
    )


def _with_words(edit: Edit, mark: str, found: Sequence[Spot]) -> Edit:
    """An edit that only a selection tells still says which marks, where the line has both."""
    rows = Counter(one.start[0] for one in found)
    if edit.selected is None or "what" in edit.slots or rows[edit.selected[0]] > 1:
        return edit
    return Edit(edit.ops, {**_words(mark), **edit.slots}, edit.selected)
