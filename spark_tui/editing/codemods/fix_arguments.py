"""Every argument that a call could lack, have too many of, or pass by the wrong keyword."""

import ast
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import ClassVar

from spark_tui.editing.code import Function, is_receiver, parameters
from spark_tui.editing.codemods.base import Codemod, Ops, Request, applied
from spark_tui.editing.codemods.bugs.arguments_alike import arguments_alike
from spark_tui.editing.codemods.bugs.arguments_lacking import fewer, lacking
from spark_tui.editing.codemods.bugs.arguments_told import arguments_told
from spark_tui.editing.codemods.bugs.call_arguments import (
    Called,
    names_in_scope,
    names_read,
    with_argument,
    with_keyword,
    without,
)
from spark_tui.editing.codemods.bugs.slips import meant, spots
from spark_tui.editing.codemods.common.named import words
from spark_tui.editing.codemods.idioms.named_idioms import sorted_as_told
from spark_tui.editing.codemods.idioms.named_orders import sorts_backward
from spark_tui.editing.codemods.plain.plain_arguments import plain_arguments
from spark_tui.editing.codemods.plain.plain_calls import plain_options
from spark_tui.editing.codemods.plain.plain_opposites import plain_opposites
from spark_tui.editing.codemods.plain.plain_orders import plain_orders
from spark_tui.editing.codemods.plain.plain_parsers import plain_short
from spark_tui.editing.codemods.plain.plain_pieces import plain_passed
from spark_tui.editing.snippet import Snippet

_UNEXPECTED = re.compile(
    r"unexpected keyword argument [`'\"]?(\w+)|no (?:parameter|argument) (?:named|called) [`'\"]?(\w+)"
)
_REQUIRED = re.compile(r"missing \d+ required (?:positional |keyword-only )?arguments?: [`'\"]?(\w+)")
_TOO_MANY = re.compile(r"takes (?:\w+ ){1,4}positional arguments? but (\d+) (?:was|were) given")
_TWICE = re.compile(r"multiple values for (?:keyword )?argument [`'\"]?(\w+)")
_ONCE = re.compile(
    r"\b(?:contain\w*|first|once|rest|only|more than one|several|another|too many values|with an?|two \w+s)\b",
    re.IGNORECASE,
)
_ALIKE = 0.6
_SAYING = """
the and not but for use has have with from call called calls calling keyword argument parameter kwarg name named
instead should must rename change wrong bad unexpected takes take wants expects expect pass passed passes
function method please can could you would that this its fix got typeerror error lint mypy pylint warning says
when does doesn needs need get give typo there what why how rather than replace make into here line know known
accept exist one all let our your now just also did you mean meant
"""
_PROSE = frozenset(_SAYING.split())


@dataclass(frozen=True, slots=True)
class _Found:
    """An edit: what it does ("add", "drop", "keyword"), the call, the keyword it is about, the name that comes in."""

    verb: str
    called: Called
    ops: Ops | None
    old: str = ""
    new: str = ""


class FixArguments(Codemod):
    """`f(a)` becomes `f(a, b)`, `f(a, b)` becomes `f(a)`, `f(x=a)` becomes `f(y=a)`."""

    kind: ClassVar[str] = "fix_arguments"
    repairs: ClassVar[bool] = True

    def plain(self, before: Snippet, request: Request) -> list[Ops]:
        """See `plain_options`, `plain_passed`, `plain_arguments`, `plain_orders`, `plain_opposites`, `plain_short`."""
        words = request.instruction
        readings = (plain_options, plain_passed, plain_arguments, plain_orders, plain_opposites, plain_short)
        return next((found for read in readings if (found := read(before, words))), [])

    def edits(self, before: Snippet, request: Request) -> Iterator[Ops]:
        """First what a signature in the snippet asks for, then what the words name or nothing uses, then the rest."""
        if orders := sorted_as_told(before, request):
            yield from orders
            return
        backward = sorts_backward(request.instruction)
        for ops in self._edits(before, request):
            if backward or not any("reverse=True" in line for line in applied(before, ops) if line not in before.lines):
                yield ops

    def _edits(self, before: Snippet, request: Request) -> Iterator[Ops]:
        """As the words tell, as signatures do, then the rest."""
        yield from arguments_told(before, request)
        yield from arguments_alike(before, request)
        whole = _all_calls(before)
        every = [one for one in whole if not one.is_open()]
        said = words(request.instruction)
        found = [one for called in every for one in _by_signature(before, called)]
        found += [one for called in every for one in _keywords(before, called, every, said)]
        found += [one for called in every for one in _added(before, called, said)]
        found += [_Found("add", one, ops) for one in every if (ops := _once(before, one, request.instruction))]
        found += [_Found("drop", one, without(before, one, arg), _name(arg)) for one in every for arg in one.arguments]
        kept = [(one.called.function, one.ops) for one in found if _fits(one, request.instruction)]
        yield from meant(before, request.instruction, kept)
        more = (*lacking(before, request.instruction, whole), *fewer(before, whole))
        yield from meant(before, request.instruction, more)


def calls_in(before: Snippet) -> list[Called]:
    """The calls of the snippet that pass no stars, with the signatures it holds."""
    return [one for one in _all_calls(before) if not one.is_open()]


def _all_calls(before: Snippet) -> list[Called]:
    functions = {one.name: one for one in before.functions}
    classes = {one.name: one for one in before.nodes if isinstance(one, ast.ClassDef)}
    made = {
        name: next((one for one in owner.body if isinstance(one, Function) and one.name == "__init__"), None)
        for name, owner in classes.items()
    }
    found = []
    for spot in spots(before.tree):
        match spot.node:
            case ast.Call(func=ast.Name(id=name)):
                signature = functions.get(name) or made.get(name)
            case ast.Call(func=ast.Attribute(value=ast.Name(id="self" | "cls"), attr=name)):
                signature = functions.get(name)
            case _:
                signature = None
        if isinstance(spot.node, ast.Call):
            bound = bool(signature and any(is_receiver(signature, one) for one in parameters(signature)[:1]))
            found.append(Called(spot.node, spot.function, signature, bound))
    return found


def _by_signature(before: Snippet, called: Called) -> Iterator[_Found]:
    if called.signature is None:
        return
    accepted, lacking = called.accepted(), called.required()
    if not called.signature.args.kwarg:
        for keyword in called.node.keywords:
            if keyword.arg not in accepted:
                for name in lacking or [one for one in accepted if one not in {k.arg for k in called.node.keywords}]:
                    yield _Found("keyword", called, with_keyword(before, keyword, name), keyword.arg or "", name)
    for name in lacking:
        scope = names_in_scope(called.function, called.node)
        for passed in [name] if name in scope else scope[:6]:
            by_place = accepted.index(name) == len(called.node.args) and not called.node.keywords
            text = passed if by_place else f"{name}={passed}"
            yield _Found("add", called, with_argument(before, called, text, len(called.arguments)), "", name)


def _keywords(before: Snippet, called: Called, every: Sequence[Called], said: frozenset[str]) -> Iterator[_Found]:
    """Other keywords: those that the words hold, and those of the snippet that look alike."""
    known = {one.arg for other in every for one in other.node.keywords if one.arg}
    known |= {one.arg for function in before.functions for one in parameters(function)}
    for keyword in called.node.keywords:
        old = keyword.arg or ""
        given = {one.arg for one in called.node.keywords}
        fresh = {one for one in said if old in said and len(one) > 2 and one.lower() not in _PROSE}
        for name in sorted((known | fresh) - given - {"self", "cls"}):
            alike = SequenceMatcher(None, old, name).quick_ratio() > _ALIKE and _share(old, name)
            if alike or (old in said and name in said):
                yield _Found("keyword", called, with_keyword(before, keyword, name), old, name)


def _share(old: str, new: str) -> bool:
    return old[:3] == new[:3] or old[-4:] == new[-4:] or not set(old.split("_")).isdisjoint(new.split("_"))


def _added(before: Snippet, called: Called, said: frozenset[str]) -> Iterator[_Found]:
    """Names that nothing uses in the function, or that the words hold, at either end of the positional arguments."""
    if called.function is None or called.signature is not None:
        return
    used = names_read(called.function)
    passed = {one.id for one in called.node.args if isinstance(one, ast.Name)}
    passed |= {one.arg for one in called.node.keywords if one.arg}
    for name in names_in_scope(called.function, called.node):
        if (name in used and name not in said) or name in passed or name.startswith("_"):
            continue
        count = len(called.node.args)
        for place in dict.fromkeys((count, 0, *(range(count) if name in said else ()))):
            yield _Found("add", called, with_argument(before, called, name, place), "", name)
        text = f"{name}={name}"
        yield _Found("add", called, with_argument(before, called, text, len(called.arguments)), "", name)


def _once(before: Snippet, called: Called, instruction: str) -> Ops | None:
    """A split, or a replacement, at the first place only."""
    few = called.name in ("split", "rsplit") and len(called.arguments) == 1
    if (few or (called.name == "replace" and len(called.arguments) == 2)) and _ONCE.search(instruction):
        return with_argument(before, called, "1", len(called.arguments))
    return None


def _name(argument: ast.expr | ast.keyword) -> str:
    return (argument.arg or "") if isinstance(argument, ast.keyword) else ""


def _fits(one: _Found, instruction: str) -> bool:
    """Whether an error message in the instruction leaves the edit possible."""
    if match := _UNEXPECTED.search(instruction):
        return one.verb != "add" and one.old == (match[1] or match[2])
    if match := _REQUIRED.search(instruction):
        return one.verb == "add" and one.new == match[1]
    if match := _TOO_MANY.search(instruction):
        return one.verb == "drop" and not one.old and len(one.called.node.args) + 1 >= int(match[1])
    if match := _TWICE.search(instruction):
        return one.verb == "drop" and one.old in (match[1], "")
    return True
