"""Write optional types and unions with `|`, or with typing."""

import ast
from collections.abc import Iterator, Mapping
from random import Random
from typing import ClassVar

from spark_tui.editing import code
from spark_tui.editing.code import Function
from spark_tui.editing.codemods.base import Request
from spark_tui.editing.codemods.common.occasions import Occasion
from spark_tui.editing.codemods.optional_union import OptionalUnion as Codemod
from spark_tui.editing.snippet import Snippet
from spark_tui.training.kinds.base import Planted
from spark_tui.training.kinds.occasional import Occasional


class OptionalUnion(Occasional):
    """`Optional[X]` becomes `X | None`, `Union[X, Y]` becomes `X | Y`, or the other way round.

    Slots: besides those of Occasional, {bar} when `|` is wanted, {word} when Optional or Union is.
    """

    name: ClassVar[str] = "optional_union"
    one: ClassVar[str] = "the type|the annotation|the type hint|this type|the hint|this annotation"
    many: ClassVar[str] = (
        "the types|all types|all the annotations|the type hints|these types|all hints|every annotation"
    )
    named: ClassVar[str] = "{}|the type of {}|the {} type|the annotation of {}|the hint of {}|the type hint for {}"
    skeletons: ClassVar[str] = """
<use> | None [for|in] {what}{bar}
<use> the pipe [for|in] {what}{bar}
<use> the | syntax [for|in] {what}{bar}
<use> the new union syntax [for|in] {what}{bar}
<use> X | None [for|in] {what}{bar}
<use> X | Y [for|in] {what}{bar}
<use> PEP 604 [unions|syntax|] [for|in] {what}{bar}
<write> {what} with | [instead of Optional|instead of Union|]{bar}
<write> {what} without typing[.Optional|.Union|]{bar}
<write> {what} the [modern|new|python 3.10] way{bar}
<convert> {what} to [the | syntax|the pipe syntax|the new syntax|PEP 604]{bar}
<convert> {what} from Optional to [|the ]| None{bar}
{what} <should> use | [instead of Optional|]{bar}
{what} <should> be [written|spelled] with |{bar}
<replace> Optional [with|by] | None in {what}{bar}
<replace> Union [with|by] | in {what}{bar}
<get_rid> Optional in {what}{bar}
no [Optional|Union|typing.Optional] in {what}{bar}
modernize {what}, with |{bar}
<lint>: UP007 Use `X | Y` for type annotations: {what}{bar}
<lint>: UP045 {what}{bar}
UP007 {what}{bar}
UP045 use X | None [for|in] {what}{bar}
<nit>: | None instead of Optional [in|for] {what}{bar}
<review>: {what} with | [please|]{bar}
[why|how come] Optional and not | None in {what}{bar}
<use> | [instead of|rather than] [Optional|Union|typing] in {what}{bar}
<use> | None [instead of Optional|everywhere|]{unsaid}{bar}
<use> | instead of [Union|Optional|typing.Union|Optional and Union]{unsaid}{bar}
<use> the [pipe|new union|python 3.10|modern union] syntax{unsaid}{bar}
UP007 Use `X | Y` for type annotations{unsaid}{bar}
UP045 Use `X | None` for type annotations{unsaid}{bar}
PEP 604{unsaid}{bar}
<replace> [Optional|Union|typing.Optional] [with|by] [|the ]|{unsaid}{bar}
<get_rid> [Optional|Union|Optional and Union|typing.Optional]{unsaid}{bar}
we're on python 3.[10|11|12|13], no need for [Optional|Union|typing.Optional]{unsaid}{bar}
no [Optional|Union|typing.Union|need for Optional] [please|any more|here|]{unsaid}{bar}
<convert> the [unions|type hints|annotations|types] to PEP 604{unsaid}{bar}
modern [types|type hints|annotations|union syntax] with |{unsaid}{bar}
<use> {word} [for|in] {what}
<use> typing.{word} [for|in] {what}
<use> {word} instead of [|the ][pipe|\\|] [for|in] {what}
<use> {word}\\[\\] [for|in] {what}
<write> {what} with {word}
<convert> {what} to {word}
<change> {what} to {word}
{what} <should> use {word}
{what} <should> be [written|spelled] with {word}
<replace> the [pipe|\\||bar] [with|by] {word} in {what}
<nit>: {word} [in|for] {what}, <use> {word}
{what} must [run|work] on python 3.[8|9], so <use> {word}
{what} breaks on python 3.[7|8|9], <use> {word}
TypeError: unsupported operand type(s) for |: 'type' and 'NoneType' at {what}, <use> {word}
<review>: we support [python 3.8|3.9|older pythons], <use> {word} [in|for] {what}
<use> {word}{unsaid}
<use> typing.{word}{unsaid}
<use> {word} [instead of|rather than] [the pipe|\\||\\| syntax|the new syntax]{unsaid}
<use> {word}, [we support|this must run on|it has to work with] python 3.[8|9]{unsaid}
TypeError: unsupported operand type(s) for |: 'type' and 'NoneType', <use> {word}{unsaid}
it must run on python 3.[8|9], so <use> {word}{unsaid}
python 3.[8|9] doesn't know the pipe, <use> {word}{unsaid}
<replace> the [pipe|bar|\\|] [with|by] {word}{unsaid}
<convert> the [types|type hints|annotations] [back |]to {word}{unsaid}
the old [syntax|style|way] with {word}{unsaid}
@<use> | [None|here|]{plain}{bar}
@<use> the [pipe|new|modern] syntax{plain}{bar}
@[UP007|UP045] [here|]{plain}{bar}
@no [Optional|Union] [here|]{plain}{bar}
@<write> this with |{plain}{bar}
@| None instead of Optional{plain}{bar}
@PEP 604 [here|]{plain}{bar}
@<use> {word} [here|]
@<use> typing.{word} [here|]
@<convert> this to {word}
@{word} instead of the pipe
@<write> this with {word}
@this <should> use {word}
{bar}{unsaid}Optional\\[X\\] -> X | None
{bar}{unsaid}Optional -> | None
{bar}{unsaid}Union\\[A, B\\] -> A | B
{bar}{unsaid}UP007
{bar}{unsaid}UP045
{bar}{unsaid}R6003 consider-alternative-union-syntax
{bar}{unsaid}pylint: Consider using alternative union syntax instead of 'Optional'
{bar}{unsaid}FA100, and now without Optional
{bar}{unsaid}pyupgrade would write this with |
{bar}{unsaid}pyupgrade --py310-plus style
{bar}{unsaid}Optional is so 2015, | None
{bar}{unsaid}drop Optional, | None reads better
{bar}{unsaid}| None everywhere
{bar}{unsaid}the pipe please
{bar}{unsaid}pipes, not Union
{bar}{unsaid}can we do | None here?
{bar}{unsaid}why still [Optional|Union|typing.Optional]? use the pipe
{bar}{unsaid}so that we don't have to import Optional
{bar}{unsaid}i want to get rid of the typing import
{bar}{unsaid}without [Optional|Union|typing]
{bar}{unsaid}new style unions
{bar}{unsaid}modern union types please
{bar}{unsaid}python 3.8 support is gone, so the [pipe|new syntax|bar]
{bar}{unsaid}we dropped 3.9, no more Optional
{bar}{unsaid}min python is 3.1[0|1|2], | instead of Optional
{bar}{unsaid}[PEP604|pep-604] [please|]
{bar}{unsaid}[or-style|bar-style] types instead of Optional
{bar}{unsaid}shorter types with |
{what}: | None instead of Optional{bar}
{what} -> with the pipe{bar}
{what} without Optional{bar}
Optional in {what} is old fashioned, use the pipe{bar}
{what} in new style (|){bar}
{what} still uses typing, make it |{bar}
pipe syntax for {what}{bar}
UP045 at {what}{bar}
R6003 consider-alternative-union-syntax: {what}{bar}
{what} can be shorter with |{bar}
can {what} use the pipe?{bar}
isn't there | for {what} nowadays{bar}
update {what} to the new union syntax{bar}
pipe [it|them] in {what} instead of typing.Union{bar}
{word}{unsaid}\\[...\\] please, not the pipe
{unsaid}X | None -> {word}
{unsaid}| -> {word}
{unsaid}{word}, not |
{unsaid}the pipe [breaks|doesn't work|crashes] on [3.8|3.9|python 3.8|our old pythons], use {word}
{unsaid}must still run on 3.[8|9]: {word}
{unsaid}CI on 3.[8|9] fails: unsupported operand type(s) for |: 'type' and 'NoneType'. {word} then
{unsaid}FA102 Missing `from __future__ import annotations`, but uses PEP 604 union. use {word}
{unsaid}no pipes [yet|], {word}
{unsaid}pydantic v1 on 3.[8|9] can't do |, use {word}
{unsaid}we're stuck on 3.[8|9], so {word} instead of |
{unsaid}rest of the [file|code|module] uses {word}, not |
{unsaid}for consistency {word} instead of the pipe
{unsaid}old syntax please, {word}
{unsaid}back to {word}, [the server has|customers run|lambda runs] python 3.[8|9]
{unsaid}typing.{word} instead of the bar
{what} -> {word}
{what}: {word} instead of |
{what} with {word}, the pipe doesn't exist in 3.[8|9]
no pipe in {what}, use {word}
{word} rather than the pipe for {what}
{what} can't be imported on 3.[8|9]: unsupported operand type(s) for |. use {word}
{what} back to {word}
{what} in the old style, use {word}
{what} crashes at import on 3.[8|9], use {word}
@UP007: |{plain}{bar}
@pipe [please|]{plain}{bar}
@Optional -> |{plain}{bar}
@new style union{plain}{bar}
@without Optional{plain}{bar}
@{word} please, 3.[8|9]
@no pipe, use {word}
@| -> {word}
"""

    def plant(self, snippet: Snippet, rng: Random) -> Planted | None:
        """Give a parameter that is None by default, or several sorts of things, a type."""
        if list(Codemod().occasions(snippet, Request())) or rng.random() < 0.3:
            return None
        fit = [(arg, default) for function in snippet.functions for arg, default in _optional(function)]
        if not fit:
            return None
        arg, default = rng.choice(fit)
        inner = rng.choice(("str", "int", "float", "bool", "dict", "list[str]", "Path", "bytes", "Callable", "Any"))
        other = rng.choice(("int", "bytes", "None", "list[int]", "Decimal", "object"))
        hints = [f"{inner} | None", f"Optional[{inner}]"]
        if inner != other != "None" and rng.random() < 0.3:
            hints = [
                f"{inner} | {other} | None",
                f"Optional[Union[{inner}, {other}]]",
                f"Union[{inner}, {other}, None]",
            ]
        end, start = code.end_of(snippet, arg), code.start_of(snippet, default)
        if end[0] != start[0] or snippet.lines[end[0]][end[1] : start[1]].strip() != "=":
            return None
        return Planted(Snippet(tuple(code.splice(snippet.lines, end, start, f": {rng.choice(hints)} = "))))

    def told(self, snippet: Snippet, rng: Random) -> dict[str, str]:
        """Which way."""
        found = list(Codemod().occasions(snippet, Request()))
        old = [one for one in found if one.variant == "old"]
        if old and (len(old) == len(found) or rng.random() < 0.5):
            text = rng.choice(old).changes[0][2].removeprefix("typing.")
            return {"word": text.partition("[")[0], "plain": ""}
        return {"bar": "", "plain": ""}

    def wanted(self, found: list[Occasion], told: Mapping[str, str]) -> list[Occasion]:
        """Those of that way; for unions or optional types, those."""
        if "bar" in told:
            return [one for one in found if one.variant == "new"]
        old = [one for one in found if one.variant == "old"]
        return old if all(told["word"] in one.changes[0][2] for one in old) else []

    def said(self, slots: Mapping[str, str]) -> str:
        """Which way."""
        return "use |" if "bar" in slots else f"use {slots['word']}"


def _optional(function: Function) -> Iterator[tuple[ast.arg, ast.expr]]:
    """The parameters without a type that are None by default."""
    spec = function.args
    plain = [*spec.posonlyargs, *spec.args]
    last = plain[len(plain) - len(spec.defaults) :]
    for arg, default in [*zip(last, spec.defaults, strict=True), *zip(spec.kwonlyargs, spec.kw_defaults, strict=True)]:
        if isinstance(default, ast.Constant) and default.value is None and arg.annotation is None:
            yield arg, default
