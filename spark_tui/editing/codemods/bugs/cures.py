"""What is done to a value against a trouble that is told: `.lower()` where case matters, a copy of what is shared.

The words say what goes wrong; the cure is what a programmer would know for it.
"""

import ast
import re
from collections.abc import Iterator

from spark_tui.editing.code import MAX_WIDTH
from spark_tui.editing.codemods.base import Request
from spark_tui.editing.codemods.bugs.cure_places import cured_places, fits, name_of
from spark_tui.editing.codemods.bugs.cure_words import CURES
from spark_tui.editing.codemods.bugs.slips import Spot
from spark_tui.editing.codemods.bugs.wraps_told import owners_of, written
from spark_tui.editing.codemods.common.expression_places import weight
from spark_tui.editing.codemods.common.named import words
from spark_tui.editing.snippet import Snippet

_PAIRED = re.compile(r"[\"'`]([^\s\"'`]+)[\"'`]")
_ENDING = re.compile(r"(?:[\"'`]|(?<!\S))([.\-_+/][\w.\-:+/]*\w|[-/:+.])(?:[\"'`]|(?=[\s,;]|$))")
_CUTS = re.compile(
    r"\b(?:cut|strip|remov|without|drop|suffix|prefix|extension|ending|chop|twice|double)", re.IGNORECASE
)
_EACH, _MOST, _NEAR, _LOUDEST = 4, 20, 14, 12


def cures(before: Snippet, request: Request) -> Iterator[list[str]]:
    """The lines after each value that a trouble may be about got what helps against it."""
    forms = list(dict.fromkeys(_forms(request.instruction)))
    if not forms:
        return
    spots = list(cured_places(before, request))
    owners = owners_of(before)
    said = {id(one): _said(before, request.instruction, one.node, owners.get(id(one.node), "")) for one in spots}
    for spot, form in _likeliest(spots, said, forms):
        lines = _made(before, spot.node, form)
        if all(len(line) <= MAX_WIDTH or line in before.lines for line in lines):
            yield lines


def _likeliest(spots: list[Spot], said: dict[int, int], forms: list[tuple[str, str]]) -> list[tuple[Spot, str]]:
    """The best places of each form, the best of all first."""
    found: list[tuple[int, Spot, str]] = []
    for at, (sort, form) in enumerate(forms):
        fitting = [(fits(one, sort), one) for one in spots if not _has(one, form)]
        scored = [(2 * fit + said[id(one)], one) for fit, one in fitting if fit > 0]
        scored.sort(key=lambda pair: -pair[0])
        first = form == "{}.lower()" or not at or forms[at - 1][0] != sort
        found += [(score - at, one, form) for score, one in scored[: _EACH if first else _EACH // 2]]
    found.sort(key=lambda one: -one[0])
    return [(spot, form) for score, spot, form in found[:_MOST] if score >= found[0][0] - _NEAR]


def _said(before: Snippet, instruction: str, node: ast.expr, owner: str) -> int:
    """How much of what is said goes with a value; what it is given to counts most where it is spelled."""
    spelled = bool(owner) and owner in words(instruction)
    return min(weight(before, instruction, node, owner), _LOUDEST) + 8 * spelled


def _has(spot: Spot, form: str) -> bool:
    """Whether a value has got a form already."""
    name = re.sub(r"\W*\{\}\W*|\(.*", "", form).rpartition(".")[2]
    own = name_of(spot.node.func) if isinstance(spot.node, ast.Call) else name_of(spot.node)
    around = name_of(spot.parent.func) if isinstance(spot.parent, ast.Call) else getattr(spot.parent, "attr", "")
    return bool(name) and name in (own, around)


def _forms(instruction: str) -> Iterator[tuple[str, str]]:
    if _CUTS.search(instruction):
        for ending in _ENDING.findall(instruction):
            yield "text", f'{{}}.removesuffix("{ending}")'
            yield "text", f'{{}}.removeprefix("{ending}")'
    quoted = _PAIRED.findall(instruction)
    if len({one.lower() for one in quoted}) < len(set(quoted)):
        yield "text", "{}.lower()"
    for cure in CURES:
        if cure.trouble.search(instruction):
            yield from ((cure.sort, form) for form in cure.forms)


def _made(before: Snippet, node: ast.expr, form: str) -> list[str]:
    if form.count("{}") > 1:
        source = ast.unparse(node)
        head, _, tail = form.partition("{}")
        form = head.replace("{}", source) + "{}" + tail.replace("{}", source)
    return written(before, node, form)
