"""Use a name that is there already instead of a literal."""

import ast
from collections.abc import Iterator, Sequence
from random import Random
from typing import ClassVar

from spark_tui.editing.code import is_receiver, mentions, parameters, start_of, text_of
from spark_tui.editing.codemods.base import Request, applied
from spark_tui.editing.codemods.common.tidy import on_node, rewritten
from spark_tui.editing.codemods.use_constant import UseConstant, all_literals, constants, is_plain
from spark_tui.editing.snippet import Snippet
from spark_tui.training.kinds import pools
from spark_tui.training.kinds.base import Edit, Kind, Planted


class UseConstantKind(Kind):
    """`f(30)` becomes `f(TIMEOUT)`.

    Slots: {name} the name and {value} the literal's source, {text} what it says when it is a string; {known} is "" when the
    region shows that the name holds the value; {only} is "" when there is no other literal like it.
    """

    name: ClassVar[str] = "use_constant"
    skeletons: ClassVar[str] = """
<use> {name} instead of {value}
<use> {name} instead of the [hard-coded|hardcoded|literal|magic] {value}
<use> {name} [for|rather than|in place of] {value}
<use> the constant {name} instead of {value}
<use> the existing {name} instead of {value}
<replace> {value} [with|by] {name}
<replace> the [hard-coded|hardcoded|magic|literal] {value} [with|by] {name}
<replace> the [literal|value|number|magic number] {value} [with|by] the constant {name}
<change> {value} to {name}
<swap> {value} for {name}
<put> {name} where {value} [is|stands]
{value} <should> be {name}
{value} <should> [use|come from] {name}
the [hard-coded|hardcoded|magic|literal] {value} <should> be {name}
{name} instead of {value}
{name}, not {value}
{value} -> {name}
{value} to {name}
why {value} and not {name}
why {value}? [we have|there is] {name}
isn't {value} [just|the same as] {name}
shouldn't {value} be {name}
[we have|there is|there's] {name} for {value}
[we have|there is|there's] [already|] [a constant|a name|{name}] for {value}[, use it|]{known}
don't hard[-|]code {value}, <use> {name}
don't repeat {value}, <use> {name}
no magic [numbers|values|literals]: {name} instead of {value}
avoid the [magic|hard-coded] {value}, <use> {name}
{value} is [hard-coded|hardcoded|a magic value], <use> {name}
{value} is [repeated|duplicated], <use> {name}{known}
{name} [holds|is] {value}, [so|] <use> it{known}
{name} is [already|] {value}[, use it|]{known}
refer to {name} instead of {value}
<nit>: {name} instead of {value}
<review>: <use> {name} [here|] instead of {value}
<review>: {value} <should> be {name}
<lint>: magic value {value}, <use> {name}
PLR2004 Magic value {value} used, consider {name}
PLR2004: magic value used in comparison, consider replacing {value} with a constant variable: {name}
S1192 literal {value} is duplicated, use {name}
WPS432 Found magic number: {value}, use {name}
can {value} be {name}
pass {name} instead of {value}
compare with {name} instead of {value}
<want> {name} [instead of|in place of|where it says] {value}
<use> {name} where it says {value}
<use> {name} everywhere instead of {value}
every {value} <should> be {name}
[all|every one of] the {value} [literals|values] <should> be {name}
<use> the constant {name} [here|]{known}
<use> {name} [wherever|everywhere] its value is [written out|repeated|hard-coded]{known}
<use> the [existing|] constant{known}{single}
there is [already|] a constant for that[, use it|]{known}{single}
[we have|there's] a constant for [that|this] [value|number|literal|][, use it|]{known}{single}
[hard-coded|hardcoded|magic] [value|number|literal] where there is a constant{known}{single}
don't repeat the value [of the constant|], <use> the name{known}{single}
no magic [numbers|values], <use> the constant{known}{single}
<replace> the literal [with|by] the constant{known}{single}
{name} <should> be used [here|instead of its value|instead of the literal]{known}
the value of {name} is [repeated|hard-coded|written out] [here|], <use> the name{known}
why isn't {name} used [here|]{known}
@<use> {name} [here|instead|]
@this <should> be {name}
@{name} [here|please|]
@[hard-coded|hardcoded|magic] [value|number], <use> {name}
@<replace> [this|the literal] [with|by] {name}
@why not {name} [here|]
@don't hard[-|]code this, <use> {name}
@there's {name} for [this|that]
@<use> the constant [here|]{known}
{name} exists, why {value}
{name} exists [for a reason|for exactly this], {value} should be that
we just [defined|introduced] {name}, now use it for {value}
{value} again? {name}
{value} by its name: {name}
{value} bare, should read {name}
{value} => {name}
s/{value}/{name}/
{value} can drift apart from {name}
if {name} changes, {value} won't
{value} and {name} will get out of sync
{value} ignores {name}
{name} is [ignored|never looked at], {value} is used [instead|]
[it|the code] always uses {value}, whatever {name} is
should respect {name}, not always {value}
it should depend on {name}, now it's {value}
{value} regardless of {name}? no
{name} has no effect because of the {value}
changing {name} has no effect, {value} is hard wired
hard wired {value}, take {name}
fixed {value}, should follow {name}
{value} should follow {name}
{value} was for testing, {name} is right
left {value} in from testing, it's {name}
someone typed {value} [by hand|out], it's {name}
{name} [please|], not a bare {value}
a bare {value} tells nothing, {name} does
take {name}, not {value}
take {name} for {value}
{name} where now there's {value}
write {name} for {value}
single source of truth: {name}, not {value}
one source of truth, {value} is {name}
dry: {value} is {name}
{value} duplicates {name}
ruff PLR2004: {value} is {name}
S109 magic number {value}, should be {name}
B105 hardcoded {value}, {name} please
R2004 {value} -> {name}
the spelled-out {value} is {name}
isn't there {name} for {value}
{value}? you mean {name}
{value} means {name}
i'd expect {name} here, not {value}
expected {name} instead of {value}
hook {name} up, it's {value} now
{value} should be whatever {name} says
let {name} decide, not {value}
{name} in place of the literal {value}
{name} already says {value}{known}
{name} = {value} is defined, yet the number is written out{known}
{name} is right there{known}, why not use it
{name} is defined but hardly used{known}
defined {name} and then typed the value again{known}
same value as {name}{known}
repeats the value of {name}{known}
it's {name}, isn't it{known}
there's {name} up there, [use it|it's the same value]{known}
the constant is right above{known}{single}
why define a constant and then not use it{known}{single}
the value is repeated although it has a name{known}{single}
this value has a name already{known}{single}
the same literal as the constant above{known}{single}
if the constant changes this one is forgotten{known}{single}
two places to change, one constant would do{known}{single}
dry: the constant holds that value{known}{single}
@{name}, not the literal
@should follow {name}
@is that {name}? then say so
@{name} exists
@hard wired, {name}
@ignores {name}
@whatever {name} says
@it's {name}
@same as {name}
@{name}!
@we have a constant for that{known}
"""

    def plant(self, snippet: Snippet, rng: Random) -> Planted | None:
        """Write out a name's value, or a value that a constant or parameter could have."""
        nodes = [node for node in _operands(snippet.tree) if isinstance(node, ast.Name | ast.Attribute)]
        names = [(node, text_of(snippet, node)) for node in nodes]
        given = {
            arg.arg
            for one in snippet.functions
            for arg in parameters(one)
            if len(arg.arg) > 2 and not is_receiver(one, arg)
        }
        telling = [
            (node, name)
            for node, name in names
            if name in given or (len(name) > 2 and name.rpartition(".")[2].isupper())
        ]
        values = {one.name: one.value for one in constants(snippet) if one.name.isupper()}
        known = [(node, name) for node, name in telling if name.removeprefix("self.") in values]
        if not telling:
            return None
        node, name = rng.choice(known if known and rng.random() < 0.8 else telling)
        if name.removeprefix("self.") not in values and mentions(snippet, name) < 2:
            return None
        value = values.get(name.removeprefix("self."), rng.choice([rng.randrange(2, 500), 2.5, 8192, pools.noun(rng)]))
        if not isinstance(value, int | float | str) or isinstance(value, bool) or _inside(snippet, node):
            return None
        source = f'"{value}"' if isinstance(value, str) else repr(value)
        if not is_plain(source):
            return None
        lines = rewritten(snippet, [on_node(snippet, node, source)])
        before = Snippet(tuple(lines))
        return Planted(before, _edit(before, name, source, rng))

    def propose(self, snippet: Snippet, rng: Random) -> Edit | None:
        """Use a constant of the region where its value is written out."""
        literals = list(all_literals(snippet))
        values = [
            (one, source)
            for one in constants(snippet)
            for source in dict.fromkeys(lit.source for lit in literals if lit.node.value == one.value)
        ]
        if not values:
            return None
        constant, source = rng.choice(values)
        return _edit(snippet, constant.name, source, rng)


def _operands(tree: ast.AST) -> Iterator[ast.expr]:
    """The expressions whose place a literal could take."""
    for node in ast.walk(tree):
        match node:
            case ast.Call(args=args, keywords=keywords):
                yield from (*args, *(one.value for one in keywords))
            case ast.Compare(comparators=[only]):
                yield only
            case ast.BinOp(left=left, right=right):
                yield from (left, right)
            case ast.Assign(value=value) | ast.Return(value=ast.expr() as value) | ast.Dict(values=[value, *_]):
                yield value


def _inside(snippet: Snippet, node: ast.expr) -> bool:
    """Whether the node is within an f-string, where its place is not to be relied on."""
    row, column = start_of(snippet, node)
    text = text_of(snippet, node)
    return snippet.lines[row][column : column + len(text)] != text or any(
        isinstance(one, ast.JoinedStr) and one.lineno <= node.lineno <= (one.end_lineno or 0)
        for one in ast.walk(snippet.tree)
    )


def _edit(snippet: Snippet, name: str, source: str, rng: Random) -> Edit | None:
    """The edit that the words "name instead of source" mean, or that a selection tells."""
    short, codemod = name.removeprefix("self."), UseConstant()
    found = list(codemod.edits(snippet, Request(f"{name} {source}")))
    rows = [one.node.lineno - 1 for one in all_literals(snippet) if one.source == source]
    if not found or not source.strip("'\"") or len(source) > 40:
        return None
    plain = list(codemod.edits(snippet, Request()))
    known = short.isupper() and any(one.name == short for one in constants(snippet)) and found[0] in plain
    slots = {"name": name, "value": source} | ({"known": ""} if known else {})
    if plain and plain[0] == found[0] and len(plain) == 1:
        slots["single"] = ""
    after: Sequence[str] = applied(snippet, found[0])
    changed = [row for row in rows if row < len(after) and after[row] != snippet.lines[row]]
    by_line = (
        len(changed) == 1
        and rng.random() < 0.3
        and sum(one.node.lineno - 1 == changed[0] for one in all_literals(snippet)) == 1
    )
    if by_line and Edit(found[0]).ops in list(codemod.edits(snippet, Request(name, (changed[0], changed[0])))):
        return Edit(found[0], slots, (changed[0], changed[0]))
    return Edit(found[0], slots)
