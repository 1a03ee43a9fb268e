"""The other end than a function is named after: "newest returns the oldest", "last_messages gives the first ones"."""

import ast
import re
from collections.abc import Iterator

from spark_tui.editing.code import Function, text_of
from spark_tui.editing.codemods.base import Ops, between
from spark_tui.editing.codemods.plain.plain_checks import the_function
from spark_tui.editing.codemods.plain.plain_orders import goes_backward, sorts_in, the_other_way
from spark_tui.editing.snippet import Snippet
from spark_tui.editing.statements import spliced

_GIVES = re.compile(
    r"(?i)^\W*(?:it|this|that|`?(?P<name>[^\W\d]\w*)`?(?:\(\))?) (?:always |still )?"
    r"(?:returns?|gives?|lists?|shows?|picks?|finds?) (?:me |us )?(?:the |only the )?(?P<end>\w+(?: \w+)?)(?: \w+)?"
    r"(?:,? (?:instead|not .+|instead of .+))?\W*$"
)
_LOW = ("oldest", "first", "earliest", "lowest", "smallest", "shortest", "least", "worst", "cheapest", "min", "minimum")
_HIGH = ("newest", "last", "latest", "highest", "largest", "longest", "most", "best", "recent", "biggest", "maximum")
_MORE_HIGH = ("most expensive", "top")


def plain_opposites(before: Snippet, words: str) -> list[Ops]:
    """What takes one end of an order made to take the other; any of them is right. [] where it is not plain."""
    told = _GIVES.match(words)
    for function in the_function(before, words) if told else ():
        name, said = function.name.lower(), told["end"].lower() if told else ""
        if not (_is_of(name, _LOW) and _is_of(said, (*_HIGH, *_MORE_HIGH))) and not (
            _is_of(name, (*_HIGH, *_MORE_HIGH)) and _is_of(said, _LOW)
        ):
            return []
        if len(backward := [one for one in sorts_in(function) if goes_backward(one)]) == 1:
            return the_other_way(before, backward[0])
        for spots in (list(_called(function)), list(_taken(before, function))):
            if len(spots) == 1:
                return [between(before, spliced(before, spots))]
    return []


def _is_of(text: str, ends: tuple[str, ...]) -> bool:
    return bool({*re.split(r"[_ ]", text), text} & set(ends))


def _called(function: Function) -> Iterator[tuple[ast.expr, str]]:
    for node in ast.walk(function):
        match node:
            case ast.Call(func=ast.Name(id="min" | "max" as name) as called):
                yield called, "max" if name == "min" else "min"


def _taken(before: Snippet, function: Function) -> Iterator[tuple[ast.expr, str]]:
    """The first or last element, or so many of them, taken from the other end."""
    for node in ast.walk(function):
        match node:
            case ast.Subscript(value=owner, slice=ast.Constant(value=0)) if text_of(before, owner):
                yield node, f"{text_of(before, owner)}[-1]"
            case ast.Subscript(value=owner, slice=ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=1))):
                yield node, f"{text_of(before, owner)}[0]"
            case ast.Subscript(value=owner, slice=ast.Slice(lower=None, upper=ast.Name(id=count), step=None)):
                yield node, f"{text_of(before, owner)}[-{count}:]"
