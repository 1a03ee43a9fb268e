"""Write the type hints that lack."""

import ast
import re
from collections.abc import Mapping, Sequence
from random import Random
from typing import ClassVar

from spark_tui.editing.code import MAX_WIDTH, Function, parameters, start_of
from spark_tui.editing.codemods.base import Request
from spark_tui.editing.codemods.common.tidy import Spot, rewritten
from spark_tui.editing.codemods.complete_hints import CompleteHints, certain
from spark_tui.editing.codemods.hints.certain_types import told_types
from spark_tui.editing.codemods.hints.hint_spots import bare_names, spots
from spark_tui.editing.codemods.remove_hints import spots as hints_of
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
_DOCUMENTED = re.compile(r":type |^\s*\w+ ?(:|\() ?`?(str|int|bool|float|list|dict|bytes|optional)\b", re.MULTILINE)
_ALL = "type hints|annotations|type annotations|types|hints|typing|static types|type information"


class CompleteHintsKind(Kind):
    """The parameters and the return without hints get those that are certain, or those told.

    Slots: {plural} what people call them; {types} the types told, as one text; {params} or {returns} is "" when only these
    are meant, {missing_some} when some hints are there already.
    """

    name: ClassVar[str] = "complete_hints"
    skeletons: ClassVar[str] = """
<add> [the|] {plural}{certain}
<add> [the|] {plural} [to this|to the function|to the signature|here|where possible|where they are clear]{certain}
<add> [the|all|] <missing> {plural}{certain}
<add> {plural} where [they are obvious|the type is clear|you can tell|it's certain|possible]{certain}
<put> {plural} [on this|on the signature|on the function|on everything]{certain}
complete the {plural}{certain}
fill in the [<missing>|] {plural}{certain}
finish the {plural}{certain}{missing_some}
[annotate|type] [this|the function|the signature|the code]{certain}
annotate [this|the function|the code] [fully|completely|properly]{certain}
[make|have] [this|the function|the signature] [fully|completely] typed{certain}
the {plural} are <missing>{certain}
the {plural} are incomplete{certain}{missing_some}
[some|a few of the] {plural} are <missing>{certain}{missing_some}
[this|the function|it] has no {plural}{certain}
[this|the function] is [not|only partly] [typed|annotated]{certain}
[this|the function|the signature] <should> [have|get] {plural}{certain}
[this|the function|the signature] <should> be [typed|annotated]{certain}
<missing> {plural}{certain}
untyped [function|code|def]{certain}, annotate it
error: Function is missing a type annotation [no-untyped-def]{certain}
mypy: Function is missing a type annotation{certain}
error: Function is missing a type annotation for one or more arguments{certain}{params_too}
ANN001 Missing type annotation for function argument{certain}{params_too}
ANN201 Missing return type annotation{certain}{returns_too}
make mypy [happy|--strict happy|strict happy]{certain}
mypy [complains|is not happy|wants annotations|strict fails]{certain}
mypy: Call to untyped function in typed context{certain}
disallow_untyped_defs is on, <add> [the|] {plural}{certain}
pyright [wants|needs|complains about <missing>] {plural}{certain}
why [are there|does this have] no {plural}{certain}
where are the {plural}{certain}
can [this|it] have {plural}{certain}
<want> {plural} [here|on this|]{certain}
{plural} [please|]{certain}
with {plural} [please|]{certain}
infer the {plural}{certain}
[derive|infer|take] the {plural} from the [defaults|code|docstring|defaults and the docstring]{certain}
the docstring [says|has] the types, <put> them [in the signature|into the signature]{certain}{documented}
move the types from the docstring to the signature{certain}{documented}
<nit>: {plural} <missing>{certain}
<review>: please <add> {plural}{certain}
<lint>: <missing> {plural}{certain}
<add> the parameter {plural}{params}
<add> {plural} to the [parameters|arguments|params|args]{params}
[annotate|type] the [parameters|arguments|params|args]{params}
the [parameters|arguments] have no {plural}{params}
the [parameters|arguments] <should> be [typed|annotated]{params}
<missing> {plural} on the [parameters|arguments]{params}
ANN001 Missing type annotation for function arguments{params}
<add> the return {plural}{returns_all}
annotate [the|] return [types|values]{returns_all}
<missing> return types{returns_all}
ANN201 Missing return type annotation for public functions{returns_all}
<add> [the|] {plural}: {types}
<add> [the|] {plural} {types}
[annotate|type] [the parameters|the function|the signature|this|it]: {types}
[annotate|type] [the function|the signature|this] with {types}
{types}
{types}, <add> [the|] {plural}
{types}, [annotate it|put that in the signature|please annotate]
the types [are|:] {types}
the {plural} are <missing>: {types}
<use> [these|the following|the] types: {types}
[signature|types|hints]: {types}
the signature <should> [say|be|have] {types}
<put> {types} in the signature
in the signature {types}
[complete|fill in] the {plural}: {types}
{plural}: {types}
<nit>: {plural} <missing>, {types}
<review>: please annotate, {types}
mypy wants {plural}: {types}
<want> {types} in the signature
make it {types}
why no {plural}? {types}
@[annotate|type] this{certain}
@<add> [the|] {plural}{certain}
@<missing> {plural}{certain}
@untyped{certain}
[we're|we are|i'm] [going|moving|switching] to strict mypy{certain}
no type [info|information] [at all|whatsoever|]{certain}
my editor can't complete anything [here|because nothing is typed]{certain}
[pylance|pyright|jedi] shows Unknown everywhere{certain}
partially unknown{certain}, annotate
reportMissingParameterType{certain}{params_too}
error: Type annotation is missing for parameter (reportMissingParameterType){certain}{params_too}
error: Return type is unknown (reportUnknownParameterType){certain}
error: Function is missing a return type annotation  \\[no-untyped-def\\]{certain}{returns_too}
note: Use "-> None" if function does not return a value{certain}{returns_too}
error: Function is missing a type annotation  \\[no-untyped-def\\]{certain}
error: Call to untyped function "{function}" in typed context  \\[no-untyped-call\\]{certain}
[no-untyped-def|no-untyped-call]{certain}
ANN202 Missing return type annotation for private function `{function}`{certain}{returns_too}
ANN201 Missing return type annotation for public function `{function}`{certain}{returns_too}
ANN204 Missing return type annotation for special method `{function}`{certain}{returns_too}
ANN001, ANN201{certain}
disallow-incomplete-defs{certain}{missing_some}
half typed, half not{certain}{missing_some}
[finish|complete] what someone started: the {plural}{certain}{missing_some}
the rest of the {plural} [too|as well]{certain}{missing_some}
[only|just] some have {plural}{certain}{missing_some}
one [param|argument] was forgotten when [typing|annotating] [this|it]{certain}{missing_some}
what goes in, what comes out? {plural} please{certain}
nobody knows what to pass [in|here]{certain}, {plural} would help
[what|which] types does this take{certain}
{function} is untyped{certain}
type {function} properly{certain}
no {plural} on {function}{certain}
{function}: {plural}{certain}
fully annotate {function}{certain}
types!{certain}
typing pass over this{certain}
type coverage is low [here|]{certain}
make it pass --disallow-untyped-defs{certain}
[the defaults|default values] [say|tell] what the types are{certain}
[obvious|clear] from the [defaults|code], write the {plural} down{certain}
monkeytype would add {plural} here{certain}
this is py3, where are the {plural}{certain}
[all|the] other functions are annotated{certain}
the {plural} you're sure of{certain}
[static|type] checking is blind [here|on this one]{certain}
Any all over the place because this has no {plural}{certain}
for the [sphinx|generated] docs we need {plural}{certain}
py.typed package without {plural}, come on{certain}
use the docstring's types as {plural}{certain}{documented}
the :type: lines belong in the signature{certain}{documented}
[Args|the docstring] already [tells|lists] the types, [annotate accordingly|now the signature]{certain}{documented}
the [params|arguments] only, [leave the return alone|not the return]{params}
inputs are untyped{params}
what are these [params|arguments] supposed to be? {plural}{params}
ANN001 for every [argument|param]{params}
[no|missing] {plural} between the parens{params}
just the inputs: {plural}{params}
the arrow is missing [everywhere|on all of them|]{returns_all}
no -> on any of these{returns_all}
-> {plural} only{returns_all}
ANN201 / ANN202 [throughout|everywhere]{returns_all}
tell what they return{returns_all}
return {plural} only, [not the params|leave the params]{returns_all}
as types: {types}
so {types}
mypy can't infer that, {types}
per the docs {types}
should be typed: {types}
[i know|we know] {types}, [write it down|so say it]
def with {types}
{types} - please annotate
[callers|users] can't know that {types}
typed like this: {types}
it's actually {types}
[pyright|mypy|the checker] doesn't know that {types}
in fact {types}, [put it|say so] in the signature
{types} (annotate)
as {plural}: {types}
spell out that {types}
{plural} like so: {types}
@types please{certain}
@ANN001{certain}
@ANN201{certain}
@no-untyped-def{certain}
@what types?{certain}
@annotate{certain}
"""

    def plant(self, snippet: Snippet, rng: Random) -> Planted | None:
        """Take all hints off a function; half of the time those that can be told are asked back."""
        typed = [one for one in snippet.functions if one.returns or any(arg.annotation for arg in parameters(one))]
        if not typed:
            return None
        function = rng.choice(typed)
        hints = {one.arg: ast.unparse(one.annotation) for one in parameters(function) if one.annotation}
        hints |= {"return": ast.unparse(function.returns)} if function.returns else {}
        if len(hints) > 2 and rng.random() < 0.25:
            some = _without(snippet, function, rng)
            return Planted(some) if some else None
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
    slots = {"plural": said(rng, _ALL)} | ({"function": some[0].name} if len(some) == 1 else {})
    if len(all_of) > 1 == len(some) and [one.name for one in snippet.functions].count(some[0].name) > 1:
        return None
    sorts = {spot.sort for spot in found}
    if len(sorts) == 2 and rng.random() < 0.45:
        sort = rng.choice(sorted(sorts))
        found = [spot for spot in found if spot.sort == sort]
        return _edit(snippet, found, {**slots, ("params" if sort == "parameter" else "returns_all"): ""})
    extra = {"params_too": ""} if "parameter" in sorts else {}
    extra |= {"returns_too": ""} if sorts == {"return"} else {}
    typed = any(one.returns or any(arg.annotation for arg in parameters(one)) for one in some)
    row = some[0].lineno - 1
    by_line = len(some) == 1 and all(spot.rows == (row, row) for spot in found) and rng.random() < 0.15
    text = (ast.get_docstring(some[0]) or "") if len(some) == 1 else ""
    if "parameter" in sorts and _DOCUMENTED.search(text):
        extra["documented"] = ""
    slots |= extra | {"certain": ""} | ({"missing_some": ""} if typed else {})
    return _edit(snippet, found, slots, (row, row) if by_line else None)


def _edit(
    snippet: Snippet, found: Sequence[Spot], slots: Mapping[str, str], selected: tuple[int, int] | None = None
) -> Edit | None:
    after = rewritten(snippet, found)
    return Edit.between(snippet, after, slots, selected) if max(map(len, after)) <= MAX_WIDTH else None


def _told_edit(snippet: Snippet, function: Function, hints: Mapping[str, str], rng: Random) -> Edit | None:
    """The edit that makes hints that are told, when the words can be read back."""
    text = _in_words(hints, rng)
    names = bare_names(function)
    if told_types(text, names) != dict(hints) or any(
        spot_names(one, text) for one in snippet.functions if one is not function
    ):
        return None
    edit = _edit(snippet, list(spots(snippet, function, hints)), {"types": text, "plural": said(rng, _ALL)})
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


def _without(snippet: Snippet, function: Function, rng: Random | None = None) -> Snippet | None:
    """The snippet without the hints of a function, or without some of them."""
    first, last = function.lineno - 1, start_of(snippet, function.body[0])[0]
    found = [one for one in hints_of(snippet) if one.sort != "variable" and first <= one.start[0] <= last]
    if rng and found:
        found = rng.sample(found, rng.randrange(1, len(found) + 1))
    return Snippet(tuple(rewritten(snippet, found))) if found else None
