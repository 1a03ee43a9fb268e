"""Loop over the items or values of a dict rather than look each value up."""

import ast
from collections.abc import Mapping
from random import Random
from typing import ClassVar

from spark_tui.editing.codemods.common.occasions import Occasion, names_of
from spark_tui.editing.codemods.idioms.element_loops import Loop, loops
from spark_tui.editing.snippet import Snippet
from spark_tui.training.kinds import staging
from spark_tui.training.kinds.base import Planted
from spark_tui.training.kinds.by_index import by_index, element_name, plain, replaceable
from spark_tui.training.kinds.occasional import Occasional
from spark_tui.training.kinds.statements import spliced

_KEYS = ("key", "k", "name", "key", "each", "entry_key")


class UseItems(Occasional):
    """`for k in d` with `d[k]` becomes `for k, v in d.items()`, or `for v in d.values()`.

    Slots: besides those of Occasional, {method} is items or values; {item} the name to give the value.
    """

    name: ClassVar[str] = "use_items"
    one: ClassVar[str] = "the loop|this loop|the for loop|the dict loop|the loop over the dict|the for"
    many: ClassVar[str] = "the loops|these loops|all loops|all the dict loops|both loops|every loop|the for loops"
    named: ClassVar[str] = (
        "the loop over {}|the {} loop|the for loop over {}|the loop that goes over {}|looping over {}|the iteration of {}"
    )
    skeletons: ClassVar[str] = """
<use> .{ending}() in {what}
<use> {ending}() [for|in] {what}
<use> dict.{ending}() in {what}
<use> {ending} in {what}
<use> {ending}() instead of [looking each value up|the lookup|indexing|subscripting|the keys] in {what}
loop over {ending} in {what}
iterate over the {ending} in {what}
iterate over .{ending}() in {what}
<rewrite> {what} with .{ending}()
<convert> {what} to .{ending}()
<make> {what} use {ending}()
{what} <should> use .{ending}()
{what} <should> go over the {ending} [directly|]
[why|how come] no .{ending}() in {what}
can't {what} [use|go over] {ending}()
don't look [the values|each value|every value|them] up in {what}, <use> {ending}
<get_rid> the [lookup|lookups|subscripts|indexing] in {what} with {ending}()
no [lookup|lookups|subscript] in {what}, {ending}() [does it|will do|is enough]
<replace> the lookups in {what} [with|by] {ending}()
go through the {ending} in {what}
<lint>: C0206 consider iterating with .{ending}() in {what}
PLC0206 extracting value from dictionary without calling .items() in {what}, <use> {ending}()
<lint>: PERF102 {ending} in {what}
C0206 consider-using-dict-items: {ending}() in {what}
<nit>: .{ending}() in {what}
<review>: {ending}() [in|for] {what} [please|]
{what}, but over .{ending}()
{what}: {ending}()
<want> {ending}() in {what}
in {what} we only need the {ending}
<simplify> {what} [by using|with|using] {ending}()
dict {ending} in {what}
<use> .{ending}() in {case}, <with> {item} as the [value|variable]
<use> {ending}() in {case} and call the value {item}
<rewrite> {case} with {ending}(), naming the value {item}
iterate over .{ending}() in {case}, value called {item}
{case} with {ending}(), the value named {item}
loop over the {ending} in {case} and name the value {item}
<use> items in {what}
<use> .items() in {what}
get [key and value|keys and values|the key and the value] [together|at once|at the same time] in {what}, .items()
<use> .{ending}(){plain}
<use> .{ending}() here{plain}
<use> {ending}() instead of [looking up each value|lookups|indexing|subscripts|d\\[k\\]|going through the keys]{plain}
[.{ending}()|{ending}()|dict.{ending}()] [here|please|instead|]{plain}
iterate over [the |]{ending}{plain}
loop over [the |].{ending}(){plain}
go through the {ending} [directly|instead of the keys|]{plain}
<lint>: C0206 consider-using-dict-items, .{ending}(){plain}
C0206: Consider iterating with .{ending}(){plain}
PLC0206 without calling .items(): [take|use] {ending}(){plain}
<get_rid> the lookup[s|], <use> {ending}(){plain}
no need to look [the value|it|them|values] up [again|each time|by key], there's .{ending}(){plain}
<replace> the lookup[s|] [with|by] .{ending}(){plain}
[why|how come] do we look every value up, .{ending}() [exists|does that]{plain}
looping over the keys [is ugly|is wasteful|isn't needed|is slow], <use> {ending}(){plain}
<nit>: .{ending}() [would be nicer|is cleaner|reads better|]{plain}
dicts have .{ending}() [for that|for this|]{plain}
don't index the dict [by key|in the loop|], <use> .{ending}(){plain}
<make> the loop[s|] more pythonic with .{ending}(){plain}
@<use> .{ending}() [here|for this|]{plain}
@<use> {ending}() [here|]{plain}
@this <should> be .{ending}(){plain}
@.{ending}() [here|]{plain}
@{ending}{plain}
@loop over {ending}{plain}
@iterate over the {ending}{plain}
@C0206 here, {ending}(){plain}
@no lookup, {ending}(){plain}
@<rewrite> this loop with .{ending}(){plain}
@[why|how come] not .{ending}(){plain}
@{ending}() instead of [keys|the lookup|the subscript]{plain}
@<use> .{ending}() [here|], call the value {item}
@.{ending}() with {item} as the value
@<rewrite> this with {ending}() and name the value {item}
{ending}() -> no lookup{plain}
{plain}.{ending}()!
{plain}.{ending}()?
{plain}keys -> {ending}
{plain}{ending} instead of keys
{plain}{ending}, not keys
{plain}{ending}() gives you that already
{plain}one lookup per round for nothing, .{ending}()
{plain}the lookup is wasted, .{ending}() has it
{plain}hashing every key twice, {ending}() avoids that
{plain}can we loop over {ending} right away?
{plain}why the keys? {ending}() please
{plain}why not .{ending}()
{plain}there's no need to index again, {ending}()
{plain}PLC0206 Extracting value from dictionary without calling `.items()` -> {ending}()
{plain}C0206: Consider iterating with .items() (consider-using-dict-items), {ending} here
{plain}SIM118, and {ending}() while at it
{plain}PERF102 When using only the {ending} of a dict use the `{ending}()` method
{plain}sonar: iterate over {ending}() instead
{plain}shorter: for ... in ....{ending}()
{plain}readability: {ending}() rather than subscripting
{plain}d\\[k\\] all over the loop, use {ending}()
{plain}too many \\[key\\] lookups, {ending}()
{plain}subscript in every line, .{ending}() [is shorter|would do]
{plain}nit, dict.{ending}()
{plain}review: {ending}() and no subscript
{plain}i always forget .{ending}(), put it in
{plain}a dict knows its {ending}()
{plain}straight over the {ending}
{plain}directly over .{ending}()
{plain}let the loop run over {ending}()
{plain}{ending}() would save the lookup
{plain}loop head with .{ending}()
{plain}in the loop head: .{ending}()
{plain}in the for: {ending}()
{what} -> .{ending}()
{what} by {ending}, not by key
{what}, {ending}() please
{what} looks every value up, {ending}() would give it
{what} indexes [the dict|] again and again, {ending}()
{what} [uses|takes] the keys only to get the values, so {ending}()
for {what} there's {ending}()
why does {what} go over the keys? {ending}()
instead of the keys {what} could take .{ending}()
in the head of {what}: .{ending}()
{what} shouldn't subscript, {ending}()
isn't {ending}() made for {what}?
{what} does a lookup per round, .{ending}()
PLC0206 {what}, so {ending}()
directly over {ending} in {what}
{case} over {ending}(), value as {item}
{case}: {ending}(), and call the value {item}
{ending}() for {case}, value named {item}
.{ending}() in {case}, and name the value {item}
no lookup in {case}, {ending}() with a value called {item}
the value in {case} named {item}, from {ending}()
@-> {ending}(){plain}
@{ending}()?{plain}
@lookup is superfluous, {ending}(){plain}
@why by key? {ending}(){plain}
@straight over {ending}(){plain}
@{ending}(), value named {item}
@the value is called {item}, .{ending}()
"""

    def plant(self, snippet: Snippet, rng: Random) -> Planted | None:
        """Look up by key what items() or values() give, or what any loop goes over."""
        fit = [one for one in loops(snippet) if _items(snippet, one)]
        if not fit:
            return _looked_up(snippet, rng) if rng.random() < 0.3 else None
        loop = rng.choice(fit)
        key, value, source = _items(snippet, loop) or ("", "", "")
        known = names_of(snippet.tree)
        key = key or next((one for one in rng.sample(_KEYS, len(_KEYS)) if one not in known), "")
        keys = source if rng.random() < 0.8 else f"{source}.keys()"
        return by_index(snippet, loop, key, keys, {value: f"{source}[{key}]"}, rng) if key else None

    def told(self, snippet: Snippet, rng: Random) -> dict[str, str]:
        """Which of the two, and now and then the name of the value."""
        view = rng.choice(["items", "items", "values"])
        leads = any(isinstance(one.parts[0], ast.Assign) for one in loops(snippet))
        name = element_name(snippet, rng) if rng.random() < 0.25 and not leads else None
        return {"ending": view, "item": name} if name else {"ending": view, "plain": ""}

    def wanted(self, found: list[Occasion], told: Mapping[str, str]) -> list[Occasion]:
        """Those that give what is told."""
        return [one for one in found if one.variant == told["ending"]]

    def said(self, slots: Mapping[str, str]) -> str:
        """Which of the two, and the value's name as one."""
        return " ".join([slots.get("ending", ""), f"call it {slots['item']}" if "item" in slots else ""])


def _items(snippet: Snippet, loop: Loop) -> tuple[str, str, str] | None:
    """Key, value and dict."""
    match loop.target, loop.iter:
        case ast.Tuple(elts=[ast.Name(id=key), ast.Name(id=value)]), ast.Call(
            func=ast.Attribute(value=owner, attr="items"), args=[]
        ) if key != "_" != value and (source := plain(snippet, owner)):
            return key, value, source
        case ast.Name(id=value), ast.Call(func=ast.Attribute(value=owner, attr="values"), args=[]) if source := plain(
            snippet, owner
        ):
            return "", value, source
    return None


def _looked_up(snippet: Snippet, rng: Random) -> Planted | None:
    """A loop over something plain, as if that were a dict; something else that is read may become the key."""
    found = [
        one
        for one in loops(snippet)
        if isinstance(one.target, ast.Name) and plain(snippet, one.iter) and one.body and one.line
    ]
    key = next((one for one in rng.sample(_KEYS, len(_KEYS)) if one not in names_of(snippet.tree)), "")
    if not found or not key:
        return None
    loop = rng.choice(found)
    value, source = ast.unparse(loop.target), plain(snippet, loop.iter)
    others = [
        node
        for part in loop.parts
        for node in staging.outside_strings(part)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and replaceable(loop, node)
    ]
    if others and rng.random() < 0.6:
        other = Snippet(tuple(spliced(snippet, [(rng.choice(others), key)])))
        again = next((one for one in loops(other) if one.line == loop.line and one.body), None)
        if again is None or ast.dump(again.iter) != ast.dump(loop.iter):
            return None
        snippet, loop = other, again
    return by_index(snippet, loop, key, source, {value: f"{source}[{key}]"}, rng)
