"""Write a comment that is told."""

from collections.abc import Mapping, Sequence
from random import Random
from typing import ClassVar

from spark_tui.editing.code import MAX_WIDTH
from spark_tui.editing.codemods.add_comment import has_comment, places
from spark_tui.editing.codemods.base import between
from spark_tui.editing.snippet import Snippet
from spark_tui.training.kinds import pools, wording
from spark_tui.training.kinds.base import Edit, Kind, Planted
from spark_tui.training.kinds.places import simple_statement_line, telling_words
from spark_tui.training.kinds.tidying import said

_TOOLS = (
    "noqa|noqa: E501|noqa: F401|noqa: S101|noqa: BLE001|noqa: PLR0913|type: ignore|type: ignore|type: ignore[attr-defined]"
    "|type: ignore[arg-type]|type: ignore[no-any-return]|type: ignore[assignment]|pragma: no cover|pylint: disable=broad-except"
    "|pylint: disable=unused-argument|nosec|fmt: skip"
)


class AddComment(Kind):
    """A comment comes in above a line or at its end.

    Slots: {comment} what it says; {fragment} or {line} (a number) tell the line; {above}, {end}, {todo} and {tool} are "" for
    where it goes and what sort it is, {marker} is TODO or FIXME, {mark} what a tool wants.
    """

    name: ClassVar[str] = "add_comment"
    skeletons: ClassVar[str] = """
<add> [a|the] comment {comment} above {fragment}{above_}
<add> [a|the] comment {comment} [above|before|over] the line [with|that says|containing] {fragment}{above_}
<put> [a|the] comment {comment} [above|before|right above] {fragment}{above_}
<write> {comment} as a comment above {fragment}{above_}
[above|before] {fragment} <add> [a|the] comment {comment}{above_}
[above|before] the line with {fragment} <add> the comment: {comment}{above_}
<add> a comment [above|before] {fragment} saying {comment}{above_}
<add> a comment [above|before] {fragment} that says {comment}{above_}
<add> a comment [above|before] {fragment}: {comment}{above_}
{fragment} needs [a|the] comment [above it|]: {comment}{above_}
{fragment} <should> have a comment saying {comment}{above_}
comment on {fragment}: {comment}{above_}
comment {fragment} with {comment}{above_}
explain {fragment} with [a|the] comment {comment}{above_}
explain {fragment} in a comment: {comment}{above_}
document {fragment} with a comment saying {comment}{above_}
<want> a comment above {fragment} saying {comment}{above_}
there <should> be a comment [above|before] {fragment} saying {comment}{above_}
why {fragment}? <add> a comment: {comment}{above_}
nobody understands {fragment}, <add> a comment saying {comment}{above_}
{fragment} is not obvious, <add> the comment {comment}{above_}
<nit>: comment above {fragment}: {comment}{above_}
<review>: <add> a comment to {fragment}: {comment}{above_}
<nit>: missing comment {comment} above {fragment}{above_}
[above|before] line {line} <add> [a|the] comment {comment}{above_}
<add> a comment above line {line}: {comment}{above_}
<add> a comment [above|before] line {line} saying {comment}{above_}
line {line} needs a comment: {comment}{above_}
comment line {line}: {comment}{above_}
comment on line {line} saying {comment}{above_}
<put> {comment} above line {line} as a comment{above_}
<add> [a|the] [inline|trailing] comment {comment} to {fragment}{end_}
<add> [a|the] comment {comment} at the end of {fragment}{end_}
<add> [a|the] comment {comment} at the end of the line [with|that says] {fragment}{end_}
<put> [a|the] comment {comment} [behind|next to|at the end of] {fragment}{end_}
<put> the comment {comment} on the same line as {fragment}{end_}
[behind|next to] {fragment} <add> the comment {comment}{end_}
an inline comment [on|for] {fragment}: {comment}{end_}
<write> {comment} [behind|next to] {fragment} as a comment{end_}
trailing comment on {fragment} saying {comment}{end_}
<add> a trailing comment to {fragment}: {comment}{end_}
at the end of {fragment} <add> a comment saying {comment}{end_}
<add> the comment {comment} at the end of line {line}{end_}
an inline comment on line {line}: {comment}{end_}
<add> a {marker} {comment} above {fragment}{todo}
<add> a {marker} comment above {fragment}: {comment}{todo}
<put> a {marker} above {fragment} saying {comment}{todo}
leave a {marker} [above|before] {fragment}: {comment}{todo}
<mark> {fragment} with a {marker} {comment}{todo}
{fragment} needs a {marker}: {comment}{todo}
<want> a {marker} above {fragment} saying {comment}{todo}
<add> a {marker} above line {line}: {comment}{todo}
[remind|tell] us above {fragment} with a {marker} saying {comment}{todo}
<add> {mark} to {fragment}{tool}
<add> {mark} to the line [with|that says|containing] {fragment}{tool}
<add> a {mark} comment to {fragment}{tool}
<put> {mark} [on|behind|at the end of] {fragment}{tool}
<put> a {mark} [on|behind|at the end of] the line with {fragment}{tool}
{fragment} needs [a|] {mark}{tool}
{mark} for {fragment}{tool}
{mark} on [the line with|] {fragment}{tool}
[silence|quiet] the [linter|checker|warning] on {fragment} with {mark}{tool}
[suppress|ignore|silence] [it|the warning|the error] in {fragment} with {mark}{tool}
<lint>: false positive on {fragment}, <add> {mark}{tool}
<want> {mark} on {fragment}{tool}
<add> {mark} to line {line}{tool}
line {line} needs {mark}{tool}
{mark} on line {line}{tool}
@<add> [a|the] comment {comment} [here|above this|above it]{above_}
@<add> a comment saying {comment}{above_}
@comment this [with|as] {comment}{above_}
@comment: {comment}{above_}
@<put> {comment} above [this|this line|it] as a comment{above_}
@this needs a comment: {comment}{above_}
@explain this with the comment {comment}{above_}
@<add> [a|the] comment {comment} at the end of [this|the] line{end_}
@inline comment [here|]: {comment}{end_}
@<add> a {marker} [here|]: {comment}{todo}
@{marker} [here|]: {comment}{todo}
@<add> {mark} [here|]{tool}
@{mark} [here|]{tool}
@[silence|ignore] this with {mark}{tool}
{fragment} should tell the reader: {comment}{above_}
people keep asking about {fragment}, comment: {comment}{above_}
[took me|spent] an hour [on|with] {fragment}, leave a comment: {comment}{above_}
# {comment} over {fragment}{above_}
# {comment} goes [above|over|before] {fragment}{above_}
# {comment} on top of {fragment}{above_}
over {fragment}: # {comment}{above_}
leave a note above {fragment}: {comment}{above_}
leave a [remark|note] on {fragment} saying {comment}{above_}
note above {fragment}: {comment}{above_}
why is there {fragment}? say it in a comment: {comment}{above_}
the reader can't know about {fragment}. comment: {comment}{above_}
{fragment} looks [weird|odd|wrong] without a comment: {comment}{above_}
one-line comment above {fragment}, text {comment}{above_}
[comment|remark] for {fragment}: {comment}{above_}
please document why: {fragment} comment: {comment}{above_}
[introduce|precede] {fragment} with the comment {comment}{above_}
{fragment} deserves an explanation: {comment}{above_}
{comment} - that as a comment before {fragment}{above_}
could {fragment} get a comment? {comment}{above_}
warn [people|the reader] above {fragment}: {comment}{above_}
magic, explain {fragment} to the next one: {comment}{above_}
the why of {fragment} is missing, comment saying {comment}{above_}
in front of {fragment}, a comment with {comment}{above_}
a short comment on {fragment} would help: {comment}{above_}
l. {line}: comment saying {comment}{above_}
L{line} # {comment}{above_}
line {line} is not self-explanatory, comment: {comment}{above_}
over line {line}: # {comment}{above_}
(line {line}) [leave|write] a comment, {comment}{above_}
inline after {fragment} # {comment}{end_}
the line with {fragment} should have at the end # {comment}{end_}
append # {comment} at the end of {fragment}{end_}
# {comment} after {fragment}, same line{end_}
short comment at the end of {fragment}: {comment}{end_}
side note on the same line as {fragment}: {comment}{end_}
right of {fragment}, comment: {comment}{end_}
comment {comment} at the end, {fragment} line{end_}
an end-of-line comment on {fragment}: {comment}{end_}
to the right of {fragment} a comment saying {comment}{end_}
{comment} behind {fragment} as an inline comment{end_}
trailing comment line {line}: {comment}{end_}
at the end of line {line} a comment: {comment}{end_}
not now, leave a {marker} above {fragment}: {comment}{todo}
so we don't forget, a {marker} above {fragment} saying {comment}{todo}
# {marker}: {comment} over {fragment}{todo}
{marker} on {fragment}: {comment}{todo}
we'll do that later, leave a {marker} at {fragment}: {comment}{todo}
{fragment} isn't done yet, {marker}: {comment}{todo}
come back to {fragment} some day, put a {marker} saying {comment}{todo}
drop a {marker} before {fragment}: {comment}{todo}
note to self above {fragment}, as a {marker}: {comment}{todo}
{marker} at line {line}: {comment}{todo}
{fragment}  # {mark}{tool}
{fragment} {mark} please{tool}
shut [the linter|ruff|mypy|it] up about {fragment}: {mark}{tool}
that's on purpose, {mark} on {fragment}{tool}
[the linter|mypy|ruff|the tool] is wrong about {fragment}, {mark}{tool}
# {mark} behind {fragment}{tool}
append # {mark} to {fragment}{tool}
we know about {fragment}, so {mark}{tool}
no way around {fragment}, {mark} it{tool}
{fragment} is intentional, mark it {mark}{tool}
false alarm in {fragment}, {mark}{tool}
can't fix {fragment} now. {mark}{tool}
tell the tools to leave {fragment} alone: {mark}{tool}
{mark} the {fragment} line{tool}
L{line}: {mark}{tool}
line {line} gets a {mark}{tool}
the stubs are wrong, {mark} on {fragment}{tool}
exclude {fragment} with {mark}{tool}
@# {comment}{above_}
@leave a note: {comment}{above_}
@say why: {comment}{above_}
@not obvious. comment: {comment}{above_}
@a comment over it saying {comment}{above_}
@tell the reader: {comment}{above_}
@# {comment} at the end of the line{end_}
@on the same line: # {comment}{end_}
@not now, {marker}: {comment}{todo}
@leave a {marker}: {comment}{todo}
@# {mark}{tool}
@on purpose, {mark}{tool}
@shut it up with {mark}{tool}
@false positive, {mark}{tool}
"""

    def plant(self, snippet: Snippet, rng: Random) -> Planted | None:
        """Take a real comment away: it is to come back."""
        found = [
            row
            for row, line in enumerate(snippet.lines[:-1])
            if line.lstrip().startswith("# ") and 4 < len(line.strip()) < 80 and row + 1 in places(snippet)
        ]
        found = [row for row in found if row == 0 or not snippet.lines[row - 1].lstrip().startswith("#")]
        if not found:
            return None
        row = rng.choice(found)
        bare = Snippet((*snippet.lines[:row], *snippet.lines[row + 1 :]))
        text = snippet.lines[row].strip().lstrip("#").strip()
        edit = _edit(bare, row, text, "above_", rng) if _tellable(bare, text) else None
        return Planted(bare, edit) if edit else None

    def propose(self, snippet: Snippet, rng: Random) -> Edit | None:
        """Add a made-up comment to a simple statement, or a mark for a tool."""
        row = simple_statement_line(snippet, rng)
        if row is None or row not in places(snippet):
            return None
        sort = rng.choices(["above_", "end_", "todo", "tool"], [45, 20, 15, 20])[0]
        text = said(rng, _TOOLS) if sort == "tool" else _remark(rng)
        if not _tellable(snippet, text) or (sort in ("end_", "tool") and has_comment(snippet.lines[row])):
            return None
        return _edit(snippet, row, text, sort, rng)

    def accepts(self, before: Snippet, after: Sequence[str], slots: Mapping[str, str]) -> bool:
        """One line has a comment with what is told at its end, or such a line came in; nothing else changed."""
        text = slots.get("mark") or slots["comment"]
        known = list(before.lines)
        for row, line in enumerate(after):
            if line.endswith(text) and line.lstrip().startswith("#") and [*after[:row], *after[row + 1 :]] == known:
                return True
            code, hash_, comment = line.partition("  # ")
            if hash_ and comment.endswith(text) and [*after[:row], code, *after[row + 1 :]] == known:
                return True
        return False


def _remark(rng: Random) -> str:
    if rng.random() < 0.6:
        return wording.message(rng)
    noun, other, verb = pools.noun(rng), pools.noun(rng), pools.function_name(rng).strip("_").partition("_")[0]
    forms = [
        "{v} the {n} first",
        "the {n} may be empty",
        "keep the {n} in sync with the {o}",
        "this is slow for a large {n}",
        "see the {o} docs",
        "{n} comes before {o}",
        "needed by the {n}",
        "not thread safe",
        "handles the {n} case",
        "workaround for the {o} bug",
        "{v} it only once",
    ]
    return rng.choice(forms).format(v=verb, n=noun, o=other)


def _tellable(snippet: Snippet, text: str) -> bool:
    """Whether a text can be told in words without being taken for code or for something else."""
    return not any(text in line for line in snippet.lines) and not set("\"'`") & set(text) and "#" not in text


def _edit(snippet: Snippet, row: int, text: str, sort: str, rng: Random) -> Edit | None:
    line = snippet.lines[row]
    margin = line[: len(line) - len(line.lstrip())]
    slots = {sort: "", "mark" if sort == "tool" else "comment": text}
    if sort == "todo":
        marker = rng.choice(["TODO", "TODO", "TODO", "FIXME"])
        slots["marker"] = rng.choice([marker, marker, marker.lower()])
        text = f"{marker}: {text}"
    new = [f"{margin}# {text}", line] if sort in ("above_", "todo") else [f"{line}  # {text}"]
    if max(map(len, new)) > max(MAX_WIDTH, len(line)):
        return None
    ops = between(snippet, [*snippet.lines[:row], *new, *snippet.lines[row + 1 :]])
    roll = rng.random()
    if roll < 0.25:
        return Edit(ops, slots, (row, row))
    if roll < 0.37:
        return Edit(ops, {**slots, "line": str(row + 1)})
    fragment = telling_words(snippet, row, rng)
    return Edit(ops, {**slots, "fragment": fragment}) if fragment and "#" not in fragment else None
