"""Write the type hints that lack."""

import ast
from collections.abc import Mapping, Sequence
from random import Random
from typing import ClassVar

from spark_tui.editing.code import MAX_WIDTH, Function, parameters, start_of
from spark_tui.editing.codemods.base import Request
from spark_tui.editing.codemods.certain_types import told_types
from spark_tui.editing.codemods.complete_hints import CompleteHints, bare_names, certain, spots
from spark_tui.editing.codemods.remove_hints import spots as hints_of
from spark_tui.editing.codemods.tidy import Spot, rewritten
from spark_tui.editing.snippet import Snippet
from spark_tui.training.kinds import pools
from spark_tui.training.kinds.base import Edit, Kind, Planted
from spark_tui.training.kinds.tidying import said

_WORDS = {
    "str": "a string",
    "int": "an integer",
    "bool": "a boolean",
    "dict": "a dictionary",
    "list": "a list",
    "float": "a float",
}
_ALL = "type hints|annotations|type annotations|types|hints|typing|static types|type information"


class CompleteHintsKind(Kind):
    """The parameters and the return without hints get those that are certain, or those told.

    Slots: {hints} what people call them; {types} the types told, as one text; {params} or {returns} is "" when only these
    are meant, {missing_some} when some hints are there already.
    """

    name: ClassVar[str] = "complete_hints"
    skeletons: ClassVar[str] = """
<add> [the|] {hints}{certain}
<add> [the|] {hints} [to this|to the function|to the signature|here|where possible|where they are clear]{certain}
<add> [the|all|] <missing> {hints}{certain}
<add> {hints} where [they are obvious|the type is clear|you can tell|it's certain|possible]{certain}
<put> {hints} [on this|on the signature|on the function|on everything]{certain}
complete the {hints}{certain}
fill in the [<missing>|] {hints}{certain}
finish the {hints}{certain}{missing_some}
[annotate|type] [this|the function|the signature|the code]{certain}
annotate [this|the function|the code] [fully|completely|properly]{certain}
[make|have] [this|the function|the signature] [fully|completely] typed{certain}
the {hints} are <missing>{certain}
the {hints} are incomplete{certain}{missing_some}
[some|a few of the] {hints} are <missing>{certain}{missing_some}
[this|the function|it] has no {hints}{certain}
[this|the function] is [not|only partly] [typed|annotated]{certain}
[this|the function|the signature] <should> [have|get] {hints}{certain}
[this|the function|the signature] <should> be [typed|annotated]{certain}
<missing> {hints}{certain}
untyped [function|code|def]{certain}, annotate it
error: Function is missing a type annotation [no-untyped-def]{certain}
mypy: Function is missing a type annotation{certain}
error: Function is missing a type annotation for one or more arguments{certain}{params_too}
ANN001 Missing type annotation for function argument{certain}{params_too}
ANN201 Missing return type annotation{certain}{returns_too}
make mypy [happy|--strict happy|strict happy]{certain}
mypy [complains|is not happy|wants annotations|strict fails]{certain}
mypy: Call to untyped function in typed context{certain}
disallow_untyped_defs is on, <add> [the|] {hints}{certain}
pyright [wants|needs|complains about <missing>] {hints}{certain}
why [are there|does this have] no {hints}{certain}
where are the {hints}{certain}
can [this|it] have {hints}{certain}
<want> {hints} [here|on this|]{certain}
{hints} [please|]{certain}
with {hints} [please|]{certain}
infer the {hints}{certain}
[derive|infer|take] the {hints} from the [defaults|code|docstring|defaults and the docstring]{certain}
the docstring [says|has] the types, <put> them [in the signature|into the signature]{certain}{documented}
move the types from the docstring to the signature{certain}{documented}
<nit>: {hints} <missing>{certain}
<review>: please <add> {hints}{certain}
<lint>: <missing> {hints}{certain}
<add> the parameter {hints}{params}
<add> {hints} to the [parameters|arguments|params|args]{params}
[annotate|type] the [parameters|arguments|params|args]{params}
the [parameters|arguments] have no {hints}{params}
the [parameters|arguments] <should> be [typed|annotated]{params}
<missing> {hints} on the [parameters|arguments]{params}
ANN001 Missing type annotation for function arguments{params}
<add> the return {hints}{returns_all}
annotate [the|] return [types|values]{returns_all}
<missing> return types{returns_all}
ANN201 Missing return type annotation for public functions{returns_all}
<add> [the|] {hints}: {types}
<add> [the|] {hints} {types}
[annotate|type] [the parameters|the function|the signature|this|it]: {types}
[annotate|type] [the function|the signature|this] with {types}
{types}
{types}, <add> [the|] {hints}
{types}, [annotate it|put that in the signature|please annotate]
the types [are|:] {types}
the {hints} are <missing>: {types}
<use> [these|the following|the] types: {types}
[signature|types|hints]: {types}
the signature <should> [say|be|have] {types}
<put> {types} in the signature
in the signature {types}
[complete|fill in] the {hints}: {types}
{hints}: {types}
<nit>: {hints} <missing>, {types}
<review>: please annotate, {types}
mypy wants {hints}: {types}
<want> {types} in the signature
make it {types}
why no {hints}? {types}
@[annotate|type] this{certain}
@<add> [the|] {hints}{certain}
@<missing> {hints}{certain}
@untyped{certain}
"""

    def plant(self, snippet: Snippet, rng: Random) -> Planted | None:
        """Take all hints off a function; half of the time those that can be told are asked back."""
        typed = [one for one in snippet.functions if one.returns or any(arg.annotation for arg in parameters(one))]
        if not typed:
            return None
        function = rng.choice(typed)
        hints = {one.arg: ast.unparse(one.annotation) for one in parameters(function) if one.annotation}
        hints |= {"return": ast.unparse(function.returns)} if function.returns else {}
        bare = _without(snippet, function)
        if bare is None or not 2 <= len(hints) <= 5 or rng.random() < 0.4:
            return Planted(bare) if bare else None
        edit = _told_edit(bare, bare.functions[snippet.functions.index(function)], hints, rng)
        return Planted(bare, edit) if edit else Planted(bare)

    def propose(self, snippet: Snippet, rng: Random) -> Edit | None:
        """Write the certain hints of all functions, of one, of one sort; or made-up ones that are told."""
        if snippet.functions and rng.random() < 0.3:
            function = rng.choice(snippet.functions)
            names = bare_names(function)
            some = names if len(names) < 4 or rng.random() < 0.3 else rng.sample(names, rng.choice([2, 2, 3]))
            hints = {name: pools.simple_type(rng) for name in names if name in some}
            if function.returns is None and (rng.random() < 0.5 or len(hints) == 1):
                hints["return"] = pools.simple_type(rng)
            return _told_edit(snippet, function, hints, rng) if len(hints) > 1 else None
        functions = [one for one in snippet.functions if any(spots(snippet, one, certain(one)))]
        if not functions:
            return None
        some_functions = [rng.choice(functions)] if len(functions) > 1 and rng.random() < 0.4 else functions
        return _certain_edit(snippet, functions, some_functions, rng)


def _certain_edit(snippet: Snippet, all_of: Sequence[Function], some: Sequence[Function], rng: Random) -> Edit | None:
    found = [spot for one in some for spot in spots(snippet, one, certain(one))]
    slots = {"hints": said(rng, _ALL)} | ({"function": some[0].name} if len(some) == 1 else {})
    if len(all_of) > 1 == len(some) and [one.name for one in snippet.functions].count(some[0].name) > 1:
        return None
    sorts = {spot.sort for spot in found}
    if len(sorts) == 2 and rng.random() < 0.25:
        sort = rng.choice(sorted(sorts))
        found = [spot for spot in found if spot.sort == sort]
        return _edit(snippet, found, {**slots, ("params" if sort == "parameter" else "returns_all"): ""})
    extra = {"params_too": ""} if "parameter" in sorts else {}
    extra |= {"returns_too": ""} if sorts == {"return"} else {}
    typed = any(one.returns or any(arg.annotation for arg in parameters(one)) for one in some)
    return _edit(snippet, found, {**slots, **extra, "certain": ""} | ({"missing_some": ""} if typed else {}))


def _edit(snippet: Snippet, found: Sequence[Spot], slots: Mapping[str, str]) -> Edit | None:
    after = rewritten(snippet, found)
    return Edit.between(snippet, after, slots) if max(map(len, after)) <= MAX_WIDTH else None


def _told_edit(snippet: Snippet, function: Function, hints: Mapping[str, str], rng: Random) -> Edit | None:
    """The edit that makes hints that are told, when the words can be read back."""
    text = _in_words(hints, rng)
    names = bare_names(function)
    if told_types(text, names) != dict(hints) or any(
        spot_names(one, text) for one in snippet.functions if one is not function
    ):
        return None
    edit = _edit(snippet, list(spots(snippet, function, hints)), {"types": text, "hints": said(rng, _ALL)})
    listed = CompleteHints().edits(snippet, Request(text))
    return edit if edit and edit.ops in list(listed) else None


def spot_names(function: Function, text: str) -> bool:
    """Whether the types told could be meant for this function."""
    return bool(told_types(text, bare_names(function)))


def _in_words(hints: Mapping[str, str], rng: Random) -> str:
    """`x: int, y: str -> bool` or `x is an integer, y is a string and it returns bool`."""
    style = rng.choice(["{}: {}", "{}: {}", "{} is {}", "{} is {}", "{} as {}", "{} should be {}"])
    words = style != "{}: {}" and rng.random() < 0.6
    parts = [
        style.format(name, _WORDS.get(type_, type_) if words else type_)
        for name, type_ in hints.items()
        if name != "return"
    ]
    joined = ", ".join(parts) if len(parts) != 2 or rng.random() < 0.6 else " and ".join(parts)
    if "return" not in hints:
        return joined
    result = hints["return"]
    ending = (
        f" -> {result}"
        if ":" in style and rng.random() < 0.6
        else said(rng, f", returns {result}| and it returns {result}|, return type {result}|, returning {result}")
    )
    return (joined + ending).strip(" ,")


def _without(snippet: Snippet, function: Function) -> Snippet | None:
    first, last = function.lineno - 1, start_of(snippet, function.body[0])[0]
    found = [one for one in hints_of(snippet) if one.sort != "variable" and first <= one.start[0] <= last]
    return Snippet(tuple(rewritten(snippet, found))) if found else None
