"""Put back a `self.` or a `self` parameter that was left out."""

import ast
from collections.abc import Iterator
from random import Random
from typing import ClassVar

from spark_tui.editing.code import header, parameters, position, splice, start_of
from spark_tui.editing.codemods.add_self import Method, bare_names, methods, receiver
from spark_tui.editing.codemods.bugs.slips import spots
from spark_tui.editing.snippet import Snippet
from spark_tui.training.kinds.base import Edit, Kind, Planted
from spark_tui.training.kinds.planting import Bug, planted


class AddSelf(Kind):
    """`x` becomes `self.x` throughout a method, or the method gets its parameter.

    Slots: {name} what lacks the receiver, {stored} or {read} (both show nothing); {own} `self` or `cls`; {wanted} the name with it; {trouble} what Python
    says; {method} a method without the parameter.
    """

    name: ClassVar[str] = "add_self"
    weight: ClassVar[float] = 0.6
    skeletons: ClassVar[str] = """
{trouble}
{trouble}, <fix> it
[i get|we get|it says|it raises|getting|it fails with] {trouble}
<why> do i get {trouble}
[calling it|running this|the call] [gives|raises|says] {trouble}
{own} is missing
<a_missing> {own}
<add> the missing {own}
i forgot {own} [here|somewhere|]
[there's|there is] a {own} missing
{own} [was|got] forgotten
{read}{name} is not defined
{read}{name} is undefined
{read}{name} is [unknown|unresolved] [here|]
{read}NameError [for|on|with] {name}
{read}NameError: name '{name}' is not defined
{read}NameError: name '{name}' is not defined. Did you mean: '{wanted}'?
{read}[it says|python says|i get] name {name} is not defined
{read}{name} [doesn't|does not] exist [here|as a variable|]
{read}there is no variable {name}
{name} <should> be {wanted}
<use> {wanted} [instead of|not|rather than] {name}
<use> {wanted}
<change> {name} to {wanted}
it's {wanted}, not {name}
{name} -> {wanted}
{name} [lacks|needs|is missing|<need>] [the|its|a|] {own}
{own} [is missing|missing|forgotten] [before|in front of|on] {name}
<add> {own} [before|to|in front of] {name}
<put> {own} [before|in front of] {name}
<a_missing> {own} [before|on|for] {name}
i forgot [the|] {own} [before|on|in front of] {name}
forgot {own} on {name}
{name} is an attribute[, not a variable| of the object|, it needs {own}]
{name} [is a member|lives on {own}|belongs to {own}|is on {own}]
<make> {name} an attribute [access|]
[read|take|get] {name} from {own}
{name} is [on|in|stored on] the [object|instance|class]
{read}F821 undefined name '{name}'
{read}<lint>: F821 undefined name {name}
{read}<lint>: E0602 undefined-variable {name}
{read}<lint>: undefined variable '{name}'
{read}pyright: "{name}" is not defined
{read}mypy: error: Name "{name}" is not defined
{read}Unresolved reference '{name}'
{read}UnboundLocalError or NameError [with|on] {name}
@{own} missing [here|]
@missing {own}
@i forgot {own} [here|]
@<add> {own} [here|to this|]
@[this|that] <should> be an attribute
@{read}NameError [here|on this line|in this line]
@{read}undefined name [here|on this line|]
@{read}this name [is not|isn't] defined
@{read}F821 [here|]
@[isn't|shouldn't] there [be|] a {own} [missing|] here?
@{read}<fix> the NameError
{stored}{name} is never [set|stored] on {own}
{stored}{name} is only a local, <set> {wanted}
{method} [lacks|has no|needs|is missing|forgot] [the|its|a|] {own} [parameter|argument|]
{method} <should> take {own}
<add> {own} to [{method}|the parameters of {method}|the signature of {method}]
<a_missing> {own} [parameter|argument] [in|of|on] {method}
{own} [is missing|missing|forgotten] in the [signature|parameters|definition] of {method}
i forgot {own} in the [signature|definition|parameters] of {method}
{method} can't be called on an [object|instance]
<why> can't i call {method} on an instance
the first parameter of {method} <should> be {own}
<lint>: E0213 Method {method} should have "self" as first argument
<lint>: E0211 Method {method} has no argument
<lint>: N805 first argument of {method} should be named {own}
<lint>: N804 first argument of {method} should be named {own}
N805 [in|for] {method}
<make> {method} a [proper|real] method, it has no {own}
{method} [is|was] [written|declared] like a plain function, <add> {own}
@this method [has no|lacks|needs|is missing] {own}
@{own} parameter missing [here|]
@the signature [has no|lacks|needs] {own}
{trouble} ??
{trouble} as soon as i call it
{trouble} when the method runs
boom: {trouble}
[tests|ci]: {trouble}
since [the move|moving it into the class|i made it a class] {trouble}
was a [plain|module-level] function before, now {trouble}
{own}!
{own} please
{own} got lost [in the move|when i moved this into the class|in the refactoring]
where's {own}?
forgot {own} again
{name}? {wanted}!
{name} => {wanted}
not {name} but {wanted}
s/{name}/{wanted}/
{wanted} [please|is meant]
{name} is meant to be {wanted}
what is {name}? it must be {wanted}
{name} without {own}
bare {name}
{name} comes from {own}
{name} is [set|assigned] in __init__, so {own}
{name} lives in the [object|instance|class]
the {name} of the object is meant
{read}{name} isn't a [global|local|module variable]
{read}there's no global {name}
{read}no such thing as a bare {name}
{read}python can't find {name}
{read}{name} is [nowhere defined|defined nowhere]
{read}my editor underlines {name}
{read}red squiggle under {name}
{read}ruff: F821 Undefined name `{name}`
{read}F821 {name}
{read}E0602: Undefined variable '{name}' (undefined-variable)
{read}pyright: "{name}" is not defined (reportUndefinedVariable)
{read}error: Name "{name}" is not defined  \\[name-defined\\]
{read}Pylance: "{name}" is not defined
this isn't java, {name} <need> {own}
coming from [java|c++|c#], i forgot {own} on {name}
{stored}{name} <should> be remembered on the [object|instance], now it's forgotten
{stored}{name} doesn't survive the method
{stored}other methods can't see {name}
{stored}{name} is gone after the call, keep it on {own}
{stored}AttributeError later on because {name} is only local
{stored}{wanted} is never assigned
{method} without {own}
{method}({own}, ...)
{own} as first parameter of {method}
{method} misses {own}
def {method}({own}
{method} is inside a class but has no {own}
calling {method} on an instance blows up
{method} can't get at the instance
E0211: Method '{method}' has no argument (no-method-argument)
E0213: Method '{method}' should have "{own}" as first argument (no-self-argument)
N805 First argument of a method should be named `{own}`
pyright: Instance methods should take a "self" parameter ({method})
error: Method must have at least one argument. Did you forget the "self" argument? ({method})
the signature of {method} starts without {own}
@{own}?
@where's {own}
@{read}undefined
@not a local
@no {own} in the signature
@bare name, belongs to the object
"""

    def plant(self, snippet: Snippet, rng: Random) -> Planted | None:
        """Take the receiver from one name throughout a method, or out of a signature."""
        bugs = [bug for method in methods(snippet) if receiver(method) for bug in _bugs(snippet, method, rng)]
        return planted(self.name, rng.choice(bugs), rng) if bugs else None

    def propose(self, snippet: Snippet, rng: Random) -> Edit | None:
        """Nothing: real code is taken to be right."""
        return None


def _bugs(snippet: Snippet, method: Method, rng: Random) -> Iterator[Bug]:
    own = receiver(method)
    uses: dict[str, list[ast.Attribute]] = {}
    for spot in spots(ast.Module(method.function.body, [])):
        node = spot.node
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == own:
            uses.setdefault(node.attr, []).append(node)
    for name, nodes in uses.items():
        wrong = _unqualified(snippet, own, nodes)
        if wrong and _would_be_bare(wrong, method, name, len(nodes)):
            yield _bare(snippet, wrong, own, name, rng, stored=isinstance(nodes[0].ctx, ast.Store))
    if rng.random() < 0.6 and (bug := _without_parameter(snippet, method, own, rng)):
        yield bug


def _unqualified(snippet: Snippet, own: str, nodes: list[ast.Attribute]) -> list[str] | None:
    lines = list(snippet.lines)
    for node in sorted(nodes, key=lambda one: (one.lineno, one.col_offset), reverse=True):
        row, column = start_of(snippet, node)
        if not lines[row].startswith(f"{own}.{node.attr}", column):
            return None
        lines[row] = lines[row][:column] + lines[row][column + len(own) + 1 :]
    return lines


def _would_be_bare(wrong: list[str], method: Method, name: str, count: int) -> bool:
    """Whether all the places, and no others, are seen to lack the receiver."""
    before = Snippet(tuple(wrong))
    again = [one for one in methods(before) if one.function.lineno == method.function.lineno]
    return any(len(bare_names(before, one).get(name, ())) == count for one in again)


def _bare(snippet: Snippet, wrong: list[str], own: str, name: str, rng: Random, *, stored: bool) -> Bug:
    wanted = f"{own}.{name}"
    said = [
        f"NameError: name '{name}' is not defined",
        f"NameError: name '{name}' is not defined. Did you mean: '{wanted}'?",
    ]
    if stored:
        owner = next((one.name for one in snippet.tree.body if isinstance(one, ast.ClassDef)), "Node")
        said = [f"AttributeError: '{owner}' object has no attribute '{name}'"]
    slots = {"name": name, "wanted": wanted} if not stored or rng.random() < 0.5 else {}
    symptoms = {"own": own, "trouble": rng.choice(said), ("stored" if stored else "read"): ""}
    return Bug(wrong, snippet.lines, slots, symptoms)


def _without_parameter(snippet: Snippet, method: Method, own: str, rng: Random) -> Bug | None:
    function = method.function
    head = header(snippet, function)
    first, *others = parameters(function)
    start = start_of(snippet, first)
    if head is None or head.opening[0] != start[0] or first.annotation or function.args.posonlyargs:
        return None
    spec = function.args
    row = start[0]
    rest = snippet.lines[row][start[1] + len(own) :]
    gone = len(own) + (len(rest) - len(rest.lstrip(", ")) if others else 0)
    if others and position(snippet, others[0].lineno, others[0].col_offset)[0] != row:
        return None
    wrong = splice(snippet.lines, start, (row, start[1] + gone), "")
    takes = len(spec.args) - 1
    plural = "argument" if takes == 1 else "arguments"
    owner = f"{method.owner.name}." if method.owner else ""
    trouble = f"TypeError: {owner}{function.name}() takes {takes} positional {plural} but {takes + 1} {'was' if not takes else 'were'} given"
    said = [trouble, *([] if takes else [f"TypeError: {function.name}() takes no arguments (1 given)"])]
    if own in (one.id for one in ast.walk(function) if isinstance(one, ast.Name)) and rng.random() < 0.5:
        said = [f"NameError: name '{own}' is not defined"]
    return Bug(wrong, snippet.lines, {"method": function.name}, {"own": own, "trouble": rng.choice(said)})
