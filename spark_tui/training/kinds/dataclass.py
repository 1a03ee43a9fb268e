"""Turn a class that only stores its arguments into a dataclass."""

import ast
import re
from collections.abc import Mapping, Sequence
from random import Random
from typing import ClassVar

from spark_tui.editing.code import MAX_WIDTH, indentation, is_receiver, statement_lines, text_of
from spark_tui.editing.codemods.dataclass import as_dataclass, plain_classes
from spark_tui.editing.signatures import default_of
from spark_tui.editing.snippet import Snippet
from spark_tui.training.kinds.base import Edit, Kind, Planted

_FROZEN = ("frozen",)


class Dataclass(Kind):
    """An `__init__` that stores its parameters becomes fields under `@dataclass`.

    Slots: {class} is the class, {plain} stands for no options, {frozen} for a frozen one.
    """

    name: ClassVar[str] = "dataclass"
    skeletons: ClassVar[str] = """
    <make> [this|it|the class] a dataclass{plain}
    <make> {class} a dataclass{plain}
    <make> {class} a @dataclass{plain}
    <convert> {class} [to|into] a dataclass{plain}
    <convert> [this|it|this class|the class] [to|into] a dataclass{plain}
    <turn> {class} into a dataclass{plain}
    <turn> [this|it|the class] into a [@|]dataclass{plain}
    <rewrite> {class} as a dataclass{plain}
    <rewrite> [this|it|the class] as a dataclass{plain}
    <use> a dataclass [here|for {class}|for this|instead|]{plain}
    <use> @dataclass [here|for {class}|for this|instead of __init__|]{plain}
    <use> dataclasses [here|]{plain}
    <use> [the|] dataclass [decorator|] [instead of|rather than|not] [a|the] [hand-written|manual|handwritten] __init__{plain}
    <replace> [the|this] __init__ [with|by] [dataclass fields|a dataclass|@dataclass]{plain}
    <replace> the [boilerplate|constructor] [with|by] [dataclass fields|a dataclass]{plain}
    <replace> the [boilerplate|constructor] of {class} [with|by] [dataclass fields|a dataclass]{plain}
    {class} <should> be a dataclass{plain}
    [this|the class] <should> be a dataclass{plain}
    {class} [could|can|might as well] be a dataclass{plain}
    [this|it|the class] [could|can|might as well] be a dataclass{plain}
    why is {class} [not|no] a dataclass{plain}
    why isn't {class} a dataclass{plain}
    why [write|have|do we have] an __init__ [here|] [when|if] a dataclass [would do|does that|is enough]{plain}
    why not a dataclass [here|]{plain}
    can {class} be a dataclass{plain}
    could [this|it] be a dataclass{plain}
    the __init__ [only|just] [stores|copies|assigns] its [arguments|parameters][, make it a dataclass|]{plain}
    the __init__ of {class} [only|just] [stores|copies|assigns] its [arguments|parameters]{plain}
    the constructor [does nothing but assign|only copies|just assigns] [attributes|arguments|fields]{plain}
    [so much|too much|a lot of] boilerplate [in {class}|in __init__|here][, dataclass|, use a dataclass|]{plain}
    all this self.x = x [is boilerplate|can go|is tedious|is noise]{plain}
    [no|get rid of] self.x = x [lines|boilerplate][, use a dataclass|]{plain}
    <get_rid> the [boilerplate|hand-written|manual] __init__{plain}
    <remove> the __init__ [and|,] [use|make it] a dataclass{plain}
    {class} only holds data[, make it a dataclass|]{plain}
    {class} is [just|only|merely] [data|a record|a struct|a bag of fields|a value object]{plain}
    {class} is a plain [data|value] class{plain}
    it's [just|only] a [data holder|record|struct|bag of attributes]{plain}
    declare the [fields|attributes] [instead of|rather than] [an|writing an] __init__{plain}
    [turn|convert|change] the [constructor|__init__] [parameters|arguments] into fields{plain}
    <want> [fields|typed fields|declared fields] [instead of|not] an __init__{plain}
    i want the __init__ [generated|written for me]{plain}
    let python [write|generate|make] the __init__ [of {class}|]{plain}
    generate the __init__ [with|from] [fields|a dataclass]{plain}
    <want> __repr__ and __eq__ for free [on {class}|]{plain}
    [give|get] {class} [eq and repr|__eq__ and __repr__] [for free|with @dataclass]{plain}
    <add> [the|a|] [@|]dataclass decorator [and fields|and drop the __init__|and remove the __init__]{plain}
    decorate {class} with @dataclass [and drop the __init__|]{plain}
    dataclass [please|]{plain}
    dataclass for {class}{plain}
    \\@dataclass [for {class}|please|]{plain}
    {class} -> dataclass{plain}
    {class}: dataclass{plain}
    {class} as [a|] dataclass{plain}
    dataclassify [this|{class}]{plain}
    modernize {class} [with dataclasses|into a dataclass|, dataclass]{plain}
    <simplify> {class} [with|using|to] a dataclass{plain}
    <simplify> [this|the class] [with|using] a dataclass{plain}
    shorten {class} [with|using] dataclasses{plain}
    <review>: [use a dataclass|this could be a dataclass|dataclass ?]{plain}
    <nit>: [use a dataclass|dataclass|this could be a dataclass]{plain}
    <lint>: class {class} could be a dataclass{plain}
    R0903 too few public methods[, make it a dataclass|, dataclass|: {class}]{plain}
    B903 class could be dataclass or namedtuple{plain}
    class could be dataclass or namedtuple{plain}
    dataclasses.dataclass [on|for] {class}{plain}
    <make> {class} a frozen dataclass{frozen}
    <make> [this|it|the class] a frozen dataclass{frozen}
    <convert> {class} [to|into] a frozen dataclass{frozen}
    <turn> {class} into an immutable dataclass{frozen}
    frozen dataclass [please|for {class}|]{frozen}
    <make> {class} immutable with [a dataclass|@dataclass(frozen=True)]{frozen}
    {class} <should> be a frozen dataclass{frozen}
    \\@dataclass(frozen=True) [for {class}|on {class}|]{frozen}
    <use> a frozen dataclass [here|for {class}|]{frozen}
    that __init__ is [the most|so] boring{plain}, dataclass
    __init__ only copies stuff over{plain}
    self.x = x, self.y = y, ... {plain}
    self.a = a self.b = b ...{plain}
    five lines of self.something = something{plain}
    [adding|to add] a field i have to touch three places{plain}
    every new field has to be written three times{plain}
    each name is [there|written] three times{plain}
    same names over and over in __init__{plain}
    too much ceremony for {class}{plain}
    too much typing for a few fields{plain}
    why not have the __init__ generated{plain}
    fields, not an __init__{plain}
    field declarations at class level{plain}
    attributes declared in the class body, no __init__{plain}
    x: int, y: int in the class body instead of the constructor{plain}
    attrs style{plain}, but with the stdlib
    from dataclasses import dataclass{plain}
    like a struct{plain}
    struct-like{plain}
    {class} is a struct{plain}
    {class} is a bunch of values{plain}
    it has no behaviour, just values{plain}
    no logic in {class}, only fields{plain}
    {class} carries data around, nothing else{plain}
    a DTO{plain}
    dto, so dataclass{plain}
    poor man's [struct|record|namedtuple]{plain}
    a record type, @dataclass{plain}
    \\@dataclass would save us the constructor{plain}
    \\@dataclass would spare us [all this|the typing|these lines]{plain}
    \\@dataclass, no handwritten constructor{plain}
    class {class}: @dataclass{plain}
    R0903 (too-few-public-methods) {class}{plain}
    R0903: Too few public methods (0/2) (too-few-public-methods){plain}
    B903 Class could be dataclass or namedtuple{plain}
    PLR0913 too many arguments in __init__, it's a dataclass really{plain}
    we have repr, eq and init by hand everywhere, dataclass [for {class}|]{plain}
    i'd like == and a repr and no __init__{plain}
    want replace() and asdict() on {class}{plain}
    dataclasses.asdict should work on {class}{plain}
    dataclasses.replace({class}...) should work{plain}
    TypeError: asdict() should be called on dataclass instances{plain}
    TypeError: replace() should be called on dataclass instances{plain}
    fields({class}) should work{plain}
    is_dataclass({class}) should be True{plain}
    all other models are dataclasses{plain}
    [the rest|everything else] is dataclasses, {class} [isn't|too please]{plain}
    {class} the modern way{plain}
    python 3.7+ now, so dataclass{plain}
    we're on py3 now, {class} can be a dataclass{plain}
    pycharm suggests a dataclass for {class}{plain}
    sourcery suggests a dataclass{plain}
    the constructor is pure boilerplate{plain}
    [constructor|__init__] could be generated{plain}
    half the class is self.x = x{plain}
    no one should write an __init__ like [this|that] by hand{plain}
    less boilerplate [in {class}|] please{plain}
    nobody should be able to change a {class} afterwards{frozen}
    {class} should be [immutable|read-only|hashable]{frozen}, dataclass
    immutable{frozen}, dataclass
    frozen=True{frozen}
    FrozenInstanceError when someone [sets|assigns] an attribute{frozen}
    setting an attribute on a {class} should fail, dataclass{frozen}
    value object, immutable{frozen}, dataclass
    read-only [struct|record]{frozen}
    dataclass, but frozen{frozen}
    dataclass nobody can modify{frozen}
    hashable dataclass{frozen}
    as dict keys we need {class} frozen{frozen}
    TypeError: unhashable type: '{class}', frozen dataclass{frozen}
    {class} as a frozen dataclass{frozen}
    fields that can't be reassigned{frozen}, dataclass
    no setting of attributes after construction, frozen dataclass{frozen}
    """

    def plant(self, snippet: Snippet, rng: Random) -> Planted | None:
        """Let the `__init__` of a class do nothing but store its parameters; or write out that of a dataclass."""
        for node in ast.walk(snippet.tree):
            if isinstance(node, ast.ClassDef):
                lines = _written_out(snippet, node) or _made_plain(snippet, node)
                if lines:
                    return Planted(Snippet(tuple(lines)))
        return None

    def propose(self, snippet: Snippet, rng: Random) -> Edit | None:
        """One class, now and then frozen."""
        found = list(plain_classes(snippet))
        if not found:
            return None
        plain = rng.choice(found)
        changed = re.compile(r"self\.\w+ (\W?=) ").search("\n".join(snippet.lines[plain.init.end_lineno or 0 :]))
        frozen = not changed and rng.random() < 0.15
        after = as_dataclass(snippet, plain, _FROZEN if frozen else ())
        slots = {"class": plain.node.name, "frozen" if frozen else "plain": ""}
        return Edit.between(snippet, after, slots)

    def accepts(self, before: Snippet, after: Sequence[str], slots: Mapping[str, str]) -> bool:
        """It is one of the edits, a frozen one where that was asked for."""
        return super().accepts(before, after, {**slots, "frozen": "frozen"} if "frozen" in slots else slots)


def _written_out(snippet: Snippet, node: ast.ClassDef) -> list[str] | None:
    """The lines of a class without decorator and fields, but with an __init__."""
    decorator = text_of(snippet, node.decorator_list[0]) if len(node.decorator_list) == 1 else ""
    fields = [one for one in node.body if isinstance(one, ast.AnnAssign)]
    if decorator != "dataclass" or not fields or node.bases:
        return None
    first, last = statement_lines(fields[0])[0], statement_lines(fields[-1])[1]
    indent, inner = indentation(snippet.lines[first]), indentation(snippet.lines[first]) + snippet.layout.unit
    texts = [text_of(snippet, one) for one in fields]
    if len(fields) != last - first + 1 or not all(texts) or any("(" in one or "#" in one for one in texts):
        return None
    names = [text.partition(":")[0] for text in texts]
    init = f"{indent}def __init__(self, {', '.join(texts)}) -> None:"
    stores = [f"{inner}self.{name} = {name}" for name in names]
    gap = [""] if last + 1 < len(snippet.lines) and snippet.lines[last + 1].strip() else []
    row = node.decorator_list[0].lineno - 1
    return [*snippet.lines[:row], *snippet.lines[row + 1 : first], init, *stores, *gap, *snippet.lines[last + 1 :]]


def _made_plain(snippet: Snippet, node: ast.ClassDef) -> list[str] | None:
    """The lines of a class without bases, its first method an __init__ that stores what it is given."""
    methods = [one for one in node.body if isinstance(one, ast.FunctionDef)]
    line = snippet.lines[node.lineno - 1]
    if not methods or methods[0].name != "__init__" or node.decorator_list or not line.rstrip().endswith(":"):
        return None
    init = methods[0]
    given = [one for one in [*init.args.args, *init.args.kwonlyargs] if not is_receiver(init, one)]
    texts = [_parameter(snippet, init, one) for one in given]
    optional = ["=" in text for text in texts]
    if not texts or not all(texts) or optional != sorted(optional) or init.args.posonlyargs:
        return None
    first, last = statement_lines(init)
    indent = indentation(snippet.lines[first])
    hint = " -> None" if init.returns else ""
    body = [f"{indent}{snippet.layout.unit}self.{one.arg} = {one.arg}" for one in given]
    lines = [*snippet.lines[:first], f"{indent}def __init__(self, {', '.join(texts)}){hint}:", *body]
    if len(lines[first]) > MAX_WIDTH:
        return None
    lines[node.lineno - 1] = f"{indentation(line)}class {node.name}:"
    return [*lines, *snippet.lines[last + 1 :]]


def _parameter(snippet: Snippet, init: ast.FunctionDef, parameter: ast.arg) -> str:
    """A parameter as source, "" when it takes more than a line."""
    default = default_of(init, parameter)
    code = text_of(snippet, parameter)
    value = text_of(snippet, default) if default else ""
    if not code or (default and not value):
        return ""
    return code + (" = " if parameter.annotation else "=") + value if value else code
