"""Places where one statement can go, with the words that mean each of them, and new statements to put there."""

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from random import Random

from spark_tui.editing import code
from spark_tui.editing.code import Function
from spark_tui.editing.snippet import Snippet
from spark_tui.training.kinds import pools, wording
from spark_tui.training.kinds.statements import Place, argument_names, describe, is_string, places, top_of

_WORDS = {
    "start": "at the start|at the beginning|first|at the top|as the first line|before anything else|up front|first thing",
    "end": "at the end|at the very end|as the last line|at the bottom|as the last statement|at the end of the body|last",
    "after": "after {}|right after {}|just after {}|below {}|directly after {}|following {}|right below {}",
    "before": "before {}|right before {}|just before {}|above {}|directly before {}|right above {}|ahead of {}",
    "inner end": "at the end of {}|as the last line of {}|inside {}, at the end|at the bottom of {}|last in {}",
    "inner start": "at the start of {}|as the first line of {}|first thing in {}|at the top of {}|first in {}",
}
_BLOCKS = (ast.For, ast.AsyncFor, ast.While, ast.With, ast.AsyncWith)
_LEAVING = (ast.Return, ast.Raise, ast.Break, ast.Continue)


@dataclass(frozen=True, slots=True)
class Spot:
    """Between two lines: below the 0-based line `after`, seen as `side` of a statement or of the function."""

    after: int
    indent: str
    function: Function
    side: str
    place: Place | None = None


def spots(snippet: Snippet, among: Sequence[Place]) -> Iterator[Spot]:
    """Every place that could be told."""
    for function in snippet.functions:
        if top := top_of(snippet, function):
            yield Spot(top[0], top[1], function, "start")
            last = code.statement_lines(function.body[-1])[1]
            if not isinstance(function.body[-1], _LEAVING) and code.stands_alone(snippet, function.body[-1]):
                yield Spot(last, top[1], function, "end")
    for place in among:
        if place.function is not None and not is_string(place.node):
            yield from _around(snippet, place, place.function)


def _around(snippet: Snippet, place: Place, function: Function) -> Iterator[Spot]:
    if not isinstance(place.node, _LEAVING):
        yield Spot(place.last, place.indent, function, "after", place)
    if not snippet.lines[place.first - 1].lstrip().startswith(("#", "@")):
        yield Spot(place.first - 1, place.indent, function, "before", place)
    if isinstance(place.node, _BLOCKS):
        first, last = place.node.body[0], place.node.body[-1]
        line = code.statement_lines(first)[0]
        if not (code.stands_alone(snippet, first) and code.stands_alone(snippet, last)):
            return
        if not isinstance(last, _LEAVING):
            indent = code.indentation(snippet.lines[line])
            yield Spot(code.statement_lines(last)[1], indent, function, "inner end", place)
        if snippet.lines[line - 1].strip().endswith(":"):
            yield Spot(line - 1, code.indentation(snippet.lines[line]), function, "inner start", place)


def told(snippet: Snippet, among: Sequence[Place], spot: Spot, rng: Random) -> str | None:
    """The words for a place, or None when no words mean it alone."""
    named = describe(snippet, among, spot.place, rng) if spot.place else ""
    return None if named is None else rng.choice(_WORDS[spot.side].split("|")).replace("{}", named)


def left_by(kept: Snippet, removed: Place, rng: Random) -> tuple[Spot, str] | None:
    """Where a statement stood, told by what is left: `kept` is the snippet without the statement's lines."""
    among = places(kept)
    found = [spot for spot in spots(kept, among) if (spot.after, spot.indent) == (removed.first - 1, removed.indent)]
    rng.shuffle(found)
    said = ((spot, told(kept, among, spot, rng)) for spot in found)
    return next(((spot, words) for spot, words in said if words), None)


def anywhere(snippet: Snippet, rng: Random) -> tuple[Spot, str] | None:
    """Some place that can be told."""
    among = places(snippet)
    found = list(spots(snippet, among))
    for spot in rng.sample(found, min(4, len(found))):
        if words := told(snippet, among, spot, rng):
            return spot, words
    return None


_NEW = """
print({x})|print({text})|{x}.append({y})|{x} += 1|{x} += {n}|self.{a} = {v}|self.{a} = {x}|{l}.{level}({text})|{x} = {v}|{x} = []
{f}({x})|{f}({x}, {y})|{f}()|{x}.close()|assert {x}|assert {x} is not None|del {x}|{z} = {f}({x})|{z} = len({x})|{x}.sort()
{x}[{text}] = {v}|{x}.{f}({y})|self.{f}({x})|self.{f}()|self.{a} += 1|{z} = sorted({x})|{z} = {x}[0]|{x} = str({x})|self.{a}.append({x})
{x}.update({y})|{x}.extend({y})|{f}({x}, {a}={v})|{x} -= 1|{z} = {x} + {y}|self.{a} = None|{z} = self.{f}({x})|{x} = {x}.strip()
{x}.write({y})|{l}.{level}({text})|{z} = {{}}|{z}.add({x})|{x} = list({x})|import {m}|time.sleep({n})|super().{f}({x})|{x}.pop()
"""


def invented(spot: Spot, rng: Random) -> str:
    """A new statement over the names of the function."""
    assigned = [
        node.id
        for node in code.walk_scope(spot.function)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
    ]
    names = [*argument_names(spot.function), *(name for name in dict.fromkeys(assigned) if name.islower())]
    x, y = rng.choices(names or ["data"], k=2) if rng.random() < 0.8 else (pools.variable_name(rng) for _ in "xy")
    quote = rng.choice('\'""')
    literal = pools.string(rng, quote) if rng.random() < 0.4 else quote + wording.message(rng) + quote
    last = "return {x}|return {v}|return {f}({x})|return sorted({x})|return len({x})|return {x}, {y}|yield {x}"
    shapes = last if spot.side == "end" and rng.random() < 0.4 else _NEW.strip().replace("\n", "|")
    return rng.choice(shapes.split("|")).format(
        x=x,
        y=y,
        z=pools.variable_name(rng),
        a=pools.variable_name(rng),
        f=pools.function_name(rng),
        n=pools.number(rng).lstrip("-"),
        v=pools.value(rng, quote),
        l=rng.choice(["logger", "logger", "log", "logging", "self.logger"]),
        level=rng.choice(["debug", "info", "warning", "error"]),
        m=rng.choice(
            ["time", "json", "os", "logging", "re", "warnings", "itertools", "traceback", "pdb", pools.noun(rng)]
        ),
        text=literal,
    )
