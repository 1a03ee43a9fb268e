"""Arguments that a call may lack though no signature says so: what is to be passed on, and what the words speak of."""

import ast
import re
from collections.abc import Iterator
from itertools import islice

from spark_tui.editing.code import Function, end_of, is_receiver, parameters, start_of
from spark_tui.editing.codemods.bugs.arguments_told import PLAIN
from spark_tui.editing.codemods.bugs.call_arguments import Called, names_in_scope, names_read, with_argument, without
from spark_tui.editing.codemods.bugs.slips import Found, respelled
from spark_tui.editing.codemods.common.expression_places import spoken_of
from spark_tui.editing.snippet import Snippet

_LOST = re.compile(
    r"\b(?:args|kwargs|arguments?|keywords?|options?|lost|loses?|forg[eo]t\w*|forward\w*|pass\w*|hand\w*|reach\w*|ignor\w+"
    r"|drop\w*|never|n[o']t|always|everything|extra)\b|n't\b|\w=",
    re.IGNORECASE,
)
_USUAL = {
    "pop": (0, "0", False), "count": (0, "1", False), "range": (1, "1", True), "enumerate": (1, "1", False),
    "getattr": (2, "None", False), "next": (1, "None", False),
}  # fmt: skip
"""Functions that often get one more: behind how many, what, and whether it comes first."""
_REQUIRED = re.compile(r"missing \d+ required (?:positional |keyword-only )?arguments?: [`'\"]?(\w+)")
_TOO_MUCH = re.compile(r"unexpected keyword|positional arguments? but|multiple values for")
_NOT_ITS = PLAIN | {"add", "warn"}
_MOST = 24


def lacking(before: Snippet, instruction: str, calls: list[Called]) -> Iterator[Found]:
    """Each call with what it may lack: what is to be passed on first. Args: calls: those that unpack arguments too."""
    if _TOO_MUCH.search(instruction):
        return
    required = _REQUIRED.search(instruction)
    every = (*_named(before, instruction, calls, required[1] if required else ""), *_starred(before, calls))
    if not required:
        every = (*_passed_on(before, instruction, calls), *every, *_usual(before, calls))
    yield from islice(every, _MOST)


def fewer(before: Snippet, calls: list[Called]) -> Iterator[Found]:
    """Each call that unpacks arguments without one of its keywords."""
    for called in calls:
        if called.is_open():
            for keyword in called.node.keywords:
                if keyword.arg:
                    yield called.function, without(before, called, keyword)


def _passed_on(before: Snippet, instruction: str, calls: list[Called]) -> Iterator[Found]:
    """With the `*args` and `**kwargs` of the function around, where nothing uses them or words say they get lost."""
    told = bool(_LOST.search(instruction))
    open_calls = [one for one in calls if one.function and (one.function.args.vararg or one.function.args.kwarg)]
    for called in sorted(open_calls, key=_likely):
        function = called.function
        if function is None or _is_not_its(called) or called.name[:1].isupper():
            continue
        used = frozenset() if told else names_read(function)
        stars = [
            mark + one.arg
            for mark, one in (("*", function.args.vararg), ("**", function.args.kwarg))
            if one and one.arg not in used and one.arg not in _given(called.node)
        ]
        if len(stars) == 2 and not called.node.keywords:
            yield function, with_argument(before, called, ", ".join(stars), len(called.arguments))
        for star in stars:
            place = len(called.node.args) if star.count("*") == 1 else len(called.arguments)
            yield function, with_argument(before, called, star, place)


def _is_not_its(called: Called) -> bool:
    """Whether what is called is Python's own, by its name; a method of the object itself may be called so, too."""
    match called.node.func:
        case ast.Attribute(value=ast.Name(id="self" | "cls") | ast.Call(func=ast.Name(id="super"))):
            return False
    return called.name in _NOT_ITS


def _likely(called: Called) -> int:
    """How likely a call is one that arguments are handed on to, the likeliest first."""
    function = called.function
    same = function is not None and called.name.strip("_") == function.name.strip("_")
    return -2 * same - bool(function and called.node.lineno >= function.body[-1].lineno)


def _given(call: ast.Call) -> set[str]:
    """The names that a call passes already."""
    return {one.id for arg in (*call.args, *call.keywords) for one in ast.walk(arg) if isinstance(one, ast.Name)}


def _starred(before: Snippet, calls: list[Called]) -> Iterator[Found]:
    """What came as `*args` or `**kwargs` and is passed as one thing, unpacked."""
    for called in calls:
        spec = called.function.args if called.function else None
        if spec is None or _is_not_its(called):
            continue
        marks = {one.arg: mark for mark, one in (("*", spec.vararg), ("**", spec.kwarg)) if one}
        for arg in called.node.args:
            if isinstance(arg, ast.Name) and (mark := marks.get(arg.id)):
                yield called.function, respelled(before, start_of(before, arg), end_of(before, arg), mark + arg.id)


def _named(before: Snippet, instruction: str, calls: list[Called], required: str) -> Iterator[Found]:
    """With a name in scope that the words speak of, or that a call of the function itself, or of its like, needs."""
    scopes: dict[Function, list[str]] = {}
    for called in calls:
        function = called.function
        if function is None or called.signature is not None or _is_not_its(called):
            continue
        own = [one.arg for one in parameters(function) if not is_receiver(function, one)]
        again = own if called.name == function.name else []
        meant = required and called.name in instruction
        if function not in scopes:
            outer = [one for one in before.functions if one.lineno < function.lineno <= (one.end_lineno or 0)]
            given = [one.arg for each in outer for one in parameters(each) if not is_receiver(each, one)]
            names = [*names_in_scope(function, calls[-1].node), *given]
            scopes[function] = names if required else [one for one in names if spoken_of(instruction, one)]
        for name in dict.fromkeys([*again, *scopes[function]]):
            if (required and not meant and name != required) or name in _given(called.node):
                continue
            if name not in own and name in _set_in(function) and name not in names_in_scope(function, called.node):
                continue
            yield function, with_argument(before, called, name, len(called.node.args))
            if called.node.keywords or name in _optional(function):
                yield function, with_argument(before, called, f"{name}={name}", _in_order(called, own, name))


def _optional(function: Function) -> set[str]:
    """The parameters of a function that need not be given: those are often passed on by their names."""
    spec = function.args
    count = len(spec.defaults)
    return {one.arg for one in (*(spec.args[-count:] if count else ()), *spec.kwonlyargs)}


def _set_in(function: Function) -> set[str]:
    return {one.id for one in ast.walk(function) if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store)}


def _in_order(called: Called, own: list[str], name: str) -> int:
    """Where a keyword goes among the others: as the function around has its parameters, before any `**kwargs`."""
    later = own[own.index(name) + 1 :] if name in own else []
    for place, one in enumerate(called.arguments):
        if isinstance(one, ast.keyword) and (one.arg in later or one.arg is None):
            return place
    return len(called.arguments)


def _usual(before: Snippet, calls: list[Called]) -> Iterator[Found]:
    for called in calls:
        count, text, first = _USUAL.get(called.name, (-1, "", False))
        if len(called.arguments) == count and not called.is_open():
            yield called.function, with_argument(before, called, text, 0 if first else count)
