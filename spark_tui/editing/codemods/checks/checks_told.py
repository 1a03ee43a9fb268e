"""Checks on a state that the words only hint at: which test, where it stands, and what follows from it."""

import ast
import re
from collections.abc import Callable, Iterator

from spark_tui.editing.code import Function, indentation, statement_lines, walk_scope
from spark_tui.editing.codemods.base import Ops
from spark_tui.editing.codemods.checks.check_spots import CheckSpot, check_spots, values_of
from spark_tui.editing.codemods.checks.conditions_meant import place_told
from spark_tui.editing.codemods.checks.errors_told import errors_told, tells_error
from spark_tui.editing.codemods.checks.states_told import respelt, states
from spark_tui.editing.codemods.checks.symptoms import SYMPTOM, State
from spark_tui.editing.codemods.common.named import call_at, functions_named
from spark_tui.editing.codemods.common.said import is_expression
from spark_tui.editing.codemods.hints.certain_types import may_be_none
from spark_tui.editing.numbers import SIGNED
from spark_tui.editing.script import Insert
from spark_tui.editing.snippet import Snippet
from spark_tui.editing.statements import dotted, is_generator, quote

_LEAVES = re.compile(
    r"\b(?:skip\w*|bail|leave|stop|quit|early|no[- ]?op|ignored?|give up|get out|pass(?:ed)? over|swallow\w*"
    r"|nothing|do(?:es)? not|don't|dont|shouldn't|must not|need not|needn't|no need|not an? \w*Error|not (?:be )?sent"
    r"|at once|straight|right away|continue|next one|left out|alone|forget|run on|crash\w*|can't|cannot)\b",
    re.IGNORECASE,
)
_GIVES = re.compile(
    r"\b(?:return\w*|gives?|hand(?:ed)?|yield|answer|want)(?: (?:with|back|just|it|an?|the|early|out|only|explicit))* "
    rf"[`'\"]?(?P<one>True|False|None|NotImplemented|self|\[\]|\{{\}}|\(\)|\"\"|''|{SIGNED}|\"[^\"]+\"|'[^']+'|[^\W\d]\w*)"
    r"|\b(?P<two>True|False|None|NotImplemented)\b (?:back|at once|right away|then|for|in that|instead|is (?:fine|ok))"
    r"|->\s*(?P<three>True|False|None|NotImplemented|\[\]|\{\})",
    re.IGNORECASE,
)
_BACK = re.compile(
    r"\b(?:unchanged|as (?:it|they) (?:is|are)|as is|untouched|straight back|hand (?:it|that)|give it|returned"
    r"|return (?:it|first|early|that))\b",
    re.IGNORECASE,
)
_CONSTANTS = {"true": "True", "false": "False", "none": "None", "notimplemented": "NotImplemented"}
_REPORTS = re.compile(
    r"(?<![\w.])(?:(?:self\.)?\w*parser\.(?:error|exit)|warnings\.warn|warn|sys\.exit|self\.fail)(?=\()"
)
_SKIPS = re.compile(
    r"\b(?:skip\w*|pass(?:ed)? over|ignor\w+|left out|leave out|continue|next one|omit\w*|not be)\b", re.IGNORECASE
)
_THERE = re.compile(r"\b(?:there|cached|computed|known|give|gives|already|None)\b")
_EMPTY = re.compile(
    r"\b(?:return\w*|giv\w+|hand\w*|back|answer\w*|get|be|->|yield)\b.{0,20}\bempty (list|dict|string|str|tuple|set)\b"
)
_BREAKS = re.compile(r"\bbreak\b|\bstop (?:the loop|there|looking|reading|at)\b|\bleave the loop\b")
_NOTHING = {"list": "[]", "dict": "{}", "str": '""', "int": "0", "float": "0.0", "set": "set()", "tuple": "()"}
_BOUND = re.compile(rf"(?:not {SIGNED} <= )?([a-z_]\w*) [<>]=? ({SIGNED}|\w+)")
_MOST_TESTS, _MOST, _MOST_UNTOLD = 6, 10, 5


def raising_checks(before: Snippet, words: str) -> list[Ops]:
    """Checks that raise the error told, or call what is told to report it."""
    reports = [call for one in _REPORTS.finditer(words) if is_expression(call := call_at(words, one.start(), "("))]
    if not reports and not tells_error(words):
        return []

    def leaving(_: Function, state: State) -> list[str]:
        return reports[:1] or [f"raise {one}" for one in errors_told(before, words, state.about, state.source)]

    return _checks(before, words, leaving)


def leaving_checks(before: Snippet, words: str) -> list[Ops]:
    """Checks that leave the function, or go on with the loop."""
    told = _LEAVES.search(respelt(words)) or _GIVES.search(words) or _BACK.search(words)
    if not told and not SYMPTOM.search(words):
        return []
    found = _checks(before, words, lambda function, state: list(_outcomes(function, state, words)))
    return found if told else found[:_MOST_UNTOLD]


def _checks(before: Snippet, words: str, leaving: Callable[[Function, State], list[str]]) -> list[Ops]:
    """The likeliest checks: those of the likeliest tests, at the likeliest spots, with the likeliest ways out."""
    functions = (functions_named(before, words) or before.functions)[:4]
    ranked: list[tuple[int, Ops]] = []
    for function in functions:
        about = values_of(function)
        found = states(before, words, about, quote(before, "")[0], _favoured(function, words))
        found = [more for one in found for more in _when_given(function, one)]
        for rank, state in enumerate(found[: _MOST_TESTS if len(functions) == 1 else 2]):
            made = _made(before, words, function, state, leaving(function, state))
            ranked += [(rank + cost, ops) for cost, ops in made if cost < 2 or len(functions) == 1]
    return list(dict.fromkeys(ops for _, ops in sorted(ranked, key=lambda one: one[0])))[:_MOST]


def _when_given(function: Function, state: State) -> list[State]:
    """A state; for a bound of parameters that may be None, first that they are given and beyond the bound."""
    if not (bound := _BOUND.fullmatch(state.source)):
        return [state]
    given = [f"{name} is not None" for name in bound.groups() if name in may_be_none(function)]
    return [State(" and ".join([*given, state.source]), state.about, state.distance), state] if given else [state]


def _favoured(function: Function, words: str) -> frozenset[str]:
    """The values that may well be meant though no word names them: what is looped over, what is given back."""
    found: set[str] = set()
    for node in walk_scope(function):
        if isinstance(node, ast.For | ast.AsyncFor) and isinstance(node.target, ast.Name) and _SKIPS.search(words):
            found.add(node.target.id)
        elif isinstance(node, ast.Return) and node.value and _THERE.search(words) and (path := dotted(node.value)):
            found.add(path)
    return frozenset(found)


def _outcomes(function: Function, state: State, words: str) -> Iterator[str]:
    if empty := _EMPTY.search(words):
        yield f"return {_NOTHING[empty[1].replace('string', 'str')]}"
        return
    if _BREAKS.search(words):
        yield "break"
    if state.source.endswith("is NotImplemented"):
        yield f"return {state.about}"
        return
    told = _GIVES.search(words)
    value = (told["one"] or told["two"] or told["three"] or "") if told else ""
    value = _CONSTANTS.get(value.lower(), value)
    returned = [one.value for one in walk_scope(function) if isinstance(one, ast.Return) and one.value]
    known = {one.id for one in walk_scope(function) if isinstance(one, ast.Name)} | {"self"}
    if value and (not value.isidentifier() or value in _CONSTANTS.values() or value in known):
        yield f"return {value}"
    elif "NotImplemented" in words and "isinstance" in state.source:
        yield "return NotImplemented"
    elif _BACK.search(words) and returned:
        yield f"return {state.about}"
    if not value or value not in (*_CONSTANTS.values(), "self"):
        yield "continue"
        yield "return None" if returned and not is_generator(function) else "return"
        if other := _fitting(function):
            yield f"return {other}"


def _fitting(function: Function) -> str:
    """What a function that promises a type may give back where there is nothing to give."""
    promised = ast.unparse(function.returns).partition("[")[0].lower() if function.returns else ""
    returned = [one.value for one in walk_scope(function) if isinstance(one, ast.Return) and one.value]
    if promised == "bool" or any(isinstance(one, ast.Constant) and one.value is True for one in returned):
        return "False"
    if any(isinstance(one, ast.Constant) and one.value is False for one in returned):
        return "True"
    return _NOTHING.get(promised.rpartition(".")[2], "")


def _made(
    before: Snippet, words: str, function: Function, state: State, leaving: list[str]
) -> Iterator[tuple[int, Ops]]:
    """The check with each way out at each spot, and as one more branch after tests of the same value."""
    unit = before.layout.unit
    told = place_told(before, function, words)
    spots = [CheckSpot(*told, in_loop=False)] if told else check_spots(before, function, state.about)
    for at, spot in enumerate(spots):
        ways = [one for one in leaving if one not in ("continue", "break") or spot.in_loop]
        yield from ((at + cost, _check(spot, state.source, one, unit)) for cost, one in enumerate(ways[:3]))
    if re.search(r"isinstance| in ", state.source):
        for node, in_loop in _chains(function, state.about):
            ways = [one for one in leaving if one not in ("continue", "break") or in_loop]
            yield from ((1, _branch(before, node, state, one)) for one in ways[:1])


def _check(spot: CheckSpot, test: str, leaving: str, unit: str) -> Ops:
    return (Insert(spot.after, (f"{spot.indent}if {test}:", f"{spot.indent}{unit}{leaving}")),)


def _chains(function: Function, about: str) -> Iterator[tuple[ast.If, bool]]:
    """The last branches of those that test a value, and whether each is in a loop."""
    loops = [one for one in walk_scope(function) if isinstance(one, ast.For | ast.AsyncFor | ast.While)]
    for node in walk_scope(function):
        last = isinstance(node, ast.If) and not (len(node.orelse) == 1 and isinstance(node.orelse[0], ast.If))
        if isinstance(node, ast.If) and last and about in ast.unparse(node.test):
            yield node, any(one.lineno < node.lineno <= (one.end_lineno or 0) for one in loops)


def _branch(before: Snippet, node: ast.If, state: State, leaving: str) -> Ops:
    indent = indentation(before.lines[node.lineno - 1])
    last = statement_lines(node.body[-1])[1]
    return (Insert(last, (f"{indent}elif {state.source}:", f"{indent}{before.layout.unit}{leaving}")),)
