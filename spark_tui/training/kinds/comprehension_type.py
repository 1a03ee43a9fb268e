"""Turn a comprehension into another type, or a call into a comprehension."""

import ast
from collections.abc import Iterator, Sequence
from random import Random
from typing import ClassVar

from spark_tui.editing.code import end_of, start_of, text_of
from spark_tui.editing.codemods.common.tidy import Spot, fits, on_node
from spark_tui.editing.codemods.comprehension_type import spots
from spark_tui.editing.snippet import Snippet
from spark_tui.training.kinds.base import Edit, Kind, Planted
from spark_tui.training.kinds.tidying import plant_spots, propose_spots


class ComprehensionType(Kind):
    """`any([...])` becomes `any(...)`, `set([...])` becomes `{...}`, `list(map(lambda ...))` a comprehension.

    Slots: {call} is the name that is called; {old} and {new} are the sources of the only one meant; a slot named as a rule is "" and says that its words fit.
    """

    name: ClassVar[str] = "comprehension_type"
    skeletons: ClassVar[str] = """
<use> a generator [expression|] instead of a list [comprehension|]{generator}
<use> a generator [expression|] in [the call to|] {call}{generator}
<convert> the list comprehension [in|inside] {call} to a generator [expression|]{generator}
<turn> the list comprehension [into|to] a generator [expression|]{generator}
<remove> the [square|] brackets [in|inside] [the call to|] {call}{generator}
<drop> the [square|] brackets [around the comprehension|in the call|]{generator}
{call} [takes|accepts] [a generator|any iterable], no [list|brackets] needed{generator}
{call} doesn't need a list{generator}
no need [for a list|to build a list|to make a list|for the list|for the brackets] [in|inside|for] {call}{generator}
don't build a [whole|temporary|] list [just for|for] {call}{generator}
[we|you] build a [temporary|needless|whole] list [for|just for] {call}{generator}
[this|it] [builds|creates|makes] a list [in memory|for nothing|needlessly|only to throw it away]{generator}
C419 Unnecessary list comprehension in {call}(){generator}
R1729: Use a generator instead (use-a-generator){generator}
R1728 consider-using-generator{generator}
C409 Unnecessary list [comprehension|] passed to {call}(){generator}
the list [comprehension|] in {call} is <unneeded>{generator}
why a list in {call}{generator}
pass a generator to {call}{generator}
<make> [it|the comprehension] lazy{generator}
<nit>: a generator is enough for {call}{generator}
<review>: no list comprehension in {call}{generator}
save memory, <use> a generator{generator}
<use> a set comprehension [instead of|rather than] set([...]){set}
<use> a set literal{set}{display}
<use> a set comprehension{set}{comp}
<convert> [it|the set call|the call to set] to a set [comprehension|]{set}{comp}
<convert> [it|the set call|the call to set] to a set literal{set}{display}
<write> the set [as|with] a [literal|display]{set}{display}
<write> the set [as|with] a comprehension{set}{comp}
<use> curly braces [instead of|rather than] set(){set}
<use> {...} [instead of|rather than] set([...]){set}
<simplify> the [set|set call|call to set]{set}
C401 Unnecessary generator (rewrite as a set comprehension){set}
C403 Unnecessary list comprehension - rewrite as a set comprehension{set}
C405 Unnecessary list literal - rewrite as a set literal{set}
R1718: Consider using a set comprehension{set}
no need to call set [on a list|here]{set}
the set() call is <unneeded>{set}
why set([...]) [and not|instead of] {...}{set}
<nit>: set [comprehension|literal|braces]{set}
<use> a dict comprehension{dict}
<convert> [it|the dict call|the call to dict] to a dict comprehension{dict}
<use> a dict comprehension [instead of|rather than] dict([...]){dict}
<write> the [dict|dictionary] [as|with] a comprehension{dict}
<replace> [the|] dict([...]) [with|by] a comprehension{dict}
C402 Unnecessary generator - rewrite as a dict comprehension{dict}
C404 Unnecessary list comprehension - rewrite as a dict comprehension{dict}
R1717: Consider using a dictionary comprehension{dict}
<simplify> the [dict|dict call|call to dict]{dict}
no need [for|to build] [a list of tuples|pairs|tuples] [for the dict|here|]{dict}
why [a list of tuples|dict of a list|dict([...])] [and not a dict comprehension|]{dict}
<use> a list comprehension [instead of|rather than] list(...){list}
C400 Unnecessary generator - rewrite as a list comprehension{list}
C411 Unnecessary list call - remove the outer call to list(){list}
<convert> [it|the list call|the call to list] to a list comprehension{list}
<write> the list [as|with] a comprehension{list}
<use> [square|] brackets instead of list(){list}
<simplify> the [list call|call to list]{list}
no need to call list [on a generator|here]{list}
the list() call is <unneeded>{list}
<use> a comprehension instead of {sort} [and|with] [a|] lambda{mapped}
<use> a [list|] comprehension [instead of|rather than] {sort}{mapped}
<replace> [the|] {sort} [with|by] a comprehension{mapped}
<convert> [the|] {sort} [and lambda|] [to|into] a [list|] comprehension{mapped}
<turn> [the|] {sort} [call|] into a [list|] comprehension{mapped}
<rewrite> the {sort} as a comprehension{mapped}
no {sort} with lambda [please|]{mapped}
C417 Unnecessary `{sort}` usage (rewrite using a comprehension){mapped}
W0141: Used builtin function {sort}{mapped}
{sort} with a lambda is [hard to read|ugly|not pythonic|unreadable], <use> a comprehension{mapped}
why {sort} and lambda [and not a comprehension|]{mapped}
a comprehension would be [nicer|clearer|more readable|more pythonic] than {sort}{mapped}
<remove> the lambda[, a comprehension will do|, use a comprehension]{mapped}
C416 Unnecessary list comprehension (rewrite using list()){copy}
R1721: Unnecessary use of a comprehension, use list(...) instead{copy}
<use> list() [instead of|rather than] [a|the] comprehension{copy}
the comprehension [just|only] copies, <use> list(){copy}
[this|the] comprehension [does nothing|is pointless|is <unneeded>]{copy}
<replace> the comprehension [with|by] list(){copy}
@[this|the] comprehension [can|should] be [simpler|better|of another type]
@<rewrite> the comprehension [here|on this line]
@<use> the right [kind|type] of comprehension [here|]
@<simplify> the comprehension [here|]
{old} -> {new}
{old} => {new}
{new} instead of {old}
{new}, not {old}
{old} could be {new}
why not {new}{new_known}
{old} is [clumsy|roundabout|a detour], {new}
just {new}{new_known}
{old} [reads|looks] like {new} with extra steps
{call} stops early with a generator, not with a list{generator}
{call} short-circuits only if the list isn't built first{generator}
{call} needs no list in between{generator}
{call}(\\[...\\]) -> {call}(...){generator}
{call}(\\[x for x in y\\]) -> {call}(x for x in y){generator}
{call} on a generator{generator}
a generator inside {call}{generator}
lose the \\[\\] inside {call}{generator}
square brackets inside {call} [are|aren't] [superfluous|needed]{generator}
no \\[\\] in {call}{generator}
memory blows up because of the list in {call}{generator}
MemoryError, the list in {call} is huge{generator}
the whole list in memory just for {call}{generator}
it evaluates everything although the first [hit|one] would do{generator}
should stop at the first hit{generator}, {call} over a generator does
lazily please{generator}
don't materialize [it|the list|everything]{generator}
the list is thrown away [right after|at once|anyway]{generator}
throwaway list{generator}
intermediate list not needed{generator}
C419 \\[*\\] Unnecessary list comprehension{generator}
consider-using-generator{generator}
R1728: Consider using a generator instead '{call}(...)'{generator}
R1729: Use a generator instead '{call}(...)' (use-a-generator){generator}
unnecessary-comprehension-in-call{generator}
brackets away, it's [only|just] consumed once{generator}
\\[...\\] inside (...) is one pair too many{generator}
set(\\[...\\]) -> \\{...\\}{set}
curly braces for the set{set}
braces do that{set}, no set()
a list first and then a set? directly please{set}
why build a list and turn it into a set{set}
C405 \\[*\\] Unnecessary list literal (rewrite as a set literal){set}{display}
C403 \\[*\\] Unnecessary list comprehension (rewrite as a set comprehension){set}{comp}
C401 \\[*\\] rewrite as a set comprehension{set}{comp}
R1718 (consider-using-set-comprehension){set}{comp}
set literals exist [since 2.7|]{set}{display}
\\{a, b\\} reads better than set(\\[a, b\\]){set}{display}
\\{x for x in y\\} reads better than set(...){set}{comp}
set with braces{set}
detour through a list for the set{set}
dict(\\[(k, v) ...\\]) -> \\{k: v ...\\}{dict}
\\{k: v for ...\\} instead of dict of pairs{dict}
key: value with braces please{dict}, no dict()
tuples into dict(), the old way{dict}
[that's|it's] how one did it before 2.7{dict}, dict comprehension
R1717 (consider-using-dict-comprehension){dict}
pairs in tuples are hard to read, key: value is clearer{dict}
C402 \\[*\\]{dict}
why tuples when a dict has key: value{dict}
list(x for x in y) -> \\[x for x in y\\]{list}
\\[...\\] instead of list(...){list}
C400 \\[*\\] Unnecessary generator (rewrite as a list comprehension){list}
square brackets do what list() does{list}
list() around a generator is a list comprehension{list}
{sort}(lambda ...) -> \\[... for ...\\]{mapped}
{sort} plus lambda reads like lisp{mapped}
lambda inside {sort}, [hard to read|not nice]{mapped}
nobody reads {sort}(lambda ...) [easily|fluently]{mapped}
C417 \\[*\\] Unnecessary `{sort}()` usage (rewrite using a list comprehension){mapped}
W0110: {sort}/lambda on comprehension could be replaced{mapped}
deprecated-lambda, {sort}{mapped}
bad-builtin {sort}{mapped}
spell the {sort} out as [... for ... in ...]{mapped}
\\[f(x) for x in xs\\] style, not {sort}{mapped}
{sort} is unpythonic{mapped}
{sort} without lambda please, a comprehension{mapped}
guido never liked {sort}{mapped}
\\[x for x in y\\] is list(y){copy}
C416 \\[*\\] Unnecessary `list` comprehension (rewrite using `list()`){copy}
R1721 (unnecessary-comprehension){copy}
x for x in ... changes nothing{copy}
the comprehension has no filter and no transformation{copy}
just a copy, list() says so{copy}
list(...) would say that it's a copy{copy}
identity comprehension{copy}
@the list isn't needed
@C4
@other kind of comprehension
@{old} -> {new}
@{new}
"""

    def plant(self, snippet: Snippet, rng: Random) -> Planted | None:
        """Write a comprehension or display as a call."""
        found: dict[str, list[Spot]] = {}
        waiting: list[ast.AST] = [snippet.tree]
        while waiting:
            node = waiting.pop()
            if isinstance(node, ast.JoinedStr):
                continue
            if isinstance(node, ast.expr) and (text := text_of(snippet, node)):
                for spot in _longer(snippet, node, text, rng):
                    found.setdefault(spot.sort, []).append(spot)
            waiting.extend(ast.iter_child_nodes(node))
        if not found:
            return None
        return plant_spots(snippet, [one for one in found[rng.choice(sorted(found))] if fits(snippet, one)], rng)

    def propose(self, snippet: Snippet, rng: Random) -> Edit | None:
        """All of one rule, or one that a selection tells."""
        found = spots(snippet)
        sorts = sorted({one.sort for one in found})
        if not sorts:
            return None
        sort = rng.choice(sorts)
        same = [one for one in found if one.sort == sort]

        def many(group: Sequence[Spot]) -> dict[str, str]:
            return _slots(snippet, sort, group)

        return propose_spots(
            snippet, same, rng, one=lambda spot: _sources(snippet, [spot], found), many=many, alone=0.35
        )


def _slots(snippet: Snippet, sort: str, group: Sequence[Spot]) -> dict[str, str]:
    if sort in ("map", "filter"):
        return {"sort": sort, "mapped": "", **_sources(snippet, group)}
    slots = {sort: ""} | _sources(snippet, group)
    if sort == "set":
        comp = {" for " in one.text for one in group}
        slots |= {("comp" if True in comp else "display"): ""} if len(comp) == 1 else {}
    calls = {snippet.lines[one.start[0]][: one.start[1]].rstrip("(").rpartition(" ")[2] for one in group}
    name = next(iter(calls)).rpartition("(")[2].rpartition(".")[2]
    return slots | ({"call": name} if len(calls) == 1 and name.isidentifier() else {})


def _sources(snippet: Snippet, group: Sequence[Spot], others: Sequence[Spot] = ()) -> dict[str, str]:
    """The source of the only spot before and after, when it is short and the others don't look like it."""
    spot = group[0]
    old, new = snippet.lines[spot.start[0]][spot.start[1] : spot.end[1]], spot.text
    if spot.sort == "generator":
        old, new = old.removeprefix("(").removesuffix(")"), new.removeprefix("(").removesuffix(")")
    texts = ["\n".join(snippet.lines[one.rows[0] : one.rows[1] + 1]) for one in others]
    if len(group) > 1 or spot.rows[0] != spot.rows[1] or len(old) > 70 or sum(old in text for text in texts) > 1:
        return {}
    return {"old": old, "new": new, "new_known": ""} if not others else {"old": old, "new": new}


def _longer(snippet: Snippet, node: ast.expr, text: str, rng: Random) -> Iterator[Spot]:
    if isinstance(node, ast.ListComp):
        yield on_node(snippet, node, f"list({text[1:-1]})", "list")
        yield from _mapped(snippet, node)
    elif isinstance(node, ast.SetComp | ast.Set):
        unpacked = any(isinstance(part, ast.Starred) for part in ast.walk(node))
        forms = ["set([{}])"] if isinstance(node, ast.Set) else ["set([{}])", "set({})"]
        if not unpacked:
            yield on_node(snippet, node, rng.choice(forms).format(text[1:-1].strip()), "set")
    elif isinstance(node, ast.DictComp):
        (_, start), (_, end) = start_of(snippet, node), end_of(snippet, node.value)
        line = snippet.lines[node.lineno - 1]
        key, value = text_of(snippet, node.key), text_of(snippet, node.value)
        if line[start:end] == f"{{{key}: {value}":
            rest = f"({key}, {value}){text[end - start : -1]}"
            yield on_node(snippet, node, rng.choice([f"dict([{rest}])", f"dict({rest})"]), "dict")
    elif isinstance(node, ast.Call) and len(node.args) == 1 and isinstance(node.args[0], ast.GeneratorExp):
        name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
        inner = text_of(snippet, node.args[0])
        if (
            name in ("any", "all", "sum", "min", "max", "join", "tuple", "sorted")
            and inner.startswith("(")
            and text.endswith(inner)
        ):
            yield on_node(snippet, node.args[0], f"([{inner[1:-1]}])", "generator")
    elif isinstance(node, ast.Call) and text.startswith("list(") and _one_name(node):
        yield on_node(snippet, node, f"[x for x in {text[5:-1]}]", "copy")


def _one_name(node: ast.Call) -> bool:
    return len(node.args) == 1 and isinstance(node.args[0], ast.Name | ast.Attribute | ast.Call)


def _mapped(snippet: Snippet, node: ast.ListComp) -> Iterator[Spot]:
    match node.generators:
        case [ast.comprehension(target=ast.Name(id=name), iter=items, ifs=ifs, is_async=0)]:
            source = text_of(snippet, items)
            if not ifs:
                yield on_node(snippet, node, f"list(map(lambda {name}: {text_of(snippet, node.elt)}, {source}))", "map")
            elif len(ifs) == 1 and isinstance(node.elt, ast.Name) and node.elt.id == name:
                test = text_of(snippet, ifs[0])
                yield on_node(snippet, node, f"list(filter(lambda {name}: {test}, {source}))", "filter")
