"""Calls that plain words want otherwise: with an option that they name in their own way, or not at all."""

import ast
import re
from collections.abc import Callable
from dataclasses import dataclass

from spark_tui.editing.code import body_after_docstring, end_of, splice, start_of, text_of
from spark_tui.editing.codemods.base import Ops, between
from spark_tui.editing.codemods.plain.plain_checks import the_function
from spark_tui.editing.codemods.plain.plain_words import SIGNS, bare, called
from spark_tui.editing.script import Delete
from spark_tui.editing.snippet import Snippet
from spark_tui.editing.statements import COMPOUND, places, quote

_ENCODING = r"(?P<value>utf-?8(?:-sig)?|ascii|latin-?1|cp\d{3,4}|iso-8859-\d+|utf-?16)"
_NO = r"(?:don'?t|do not|no need to|needn'?t|never|stop|not)"
_NOT_CALLED = re.compile(rf"(?i){_NO} (?P<verb>\w+)(?: (?:it|anything|that|this|any more|anymore))*")
_GONE = re.compile(
    r"(?i)(?:remove|drop|delete|skip|leave out|take out|get rid of) the (?:call (?:to|of) )?"
    r"(?P<verb>\w+)(?:\(\))?(?: call)?"
)


@dataclass(frozen=True, slots=True)
class _Option:
    """Words that stand for a keyword of some calls; `value`: from what they say to Python, and "" where it is none."""

    words: re.Pattern[str]
    calls: frozenset[str]
    keyword: str
    value: Callable[[Snippet, str], str]


def _option(words: str, calls: str, keyword: str, value: Callable[[Snippet, str], str]) -> _Option:
    return _Option(re.compile(words, re.IGNORECASE), frozenset(calls.split()), keyword, value)


def _number(_: Snippet, said: str) -> str:
    return said


def _encoding(before: Snippet, said: str) -> str:
    return quote(before, re.sub(r"^(utf)-?(?=\d)", r"\1-", said.lower()))


def _sign(before: Snippet, said: str) -> str:
    said = said.strip("'\"`")
    sign = SIGNS.get(said.lower().removesuffix("s"), said if len(said) == 1 and not said.isalnum() else "")
    return quote(before, sign) if sign else ""


def _true(_: Snippet, __: str) -> str:
    return "True"


def _one(_: Snippet, __: str) -> str:
    return "1"


_WITH = r"(?:use|with|make it|write with|read with|set)"
_A_SIGN = r"(?:an? )?(?P<value>[a-z-]{3,}|\S|\S{3})"
_OPTIONS = (
    _option(
        r"(?:(?:dump|save|write)(?: (?:it|them|this|that|(?:the )?\w+))? with |use |with )?(?:an )?indent(?: ?= ?| of )"
        r"(?P<other>\d)(?: spaces?)?"
        r"|(?:indent|pretty[- ]print)(?: (?:the|it|this|that))*(?: (?:json|output|file|dump))?"
        r"(?: (?:by|with|using|to))?(?: an indent of)? (?P<value>\d)(?: spaces?)?",
        "dump dumps", "indent", _number,
    ),
    _option(
        r"sort (?:the )?(?:json )?keys(?: (?:of|in) the (?:json|output))?(?P<value>)"
        r"|(?:(?:write|dump|save|store|print|output)(?: (?:it|them))?(?: with)? )?(?:the )?(?:sorted keys|keys sorted)"
        r"|(?:the )?(?:json )?keys (?:should|must|have to|need to|ought to) be (?:sorted|in order)",
        "dump dumps", "sort_keys", _true,
    ),
    _option(
        r"(?:(?:open|read|write)(?: (?:it|them|this|the \w+(?: files?)?))? )?"
        rf"(?:with|as|in|using|use) (?:the )?{_ENCODING}"
        r"(?: encoding)?(?: (?:when|to|for) (?:open|read|writ)\w*(?: (?:the files?|it))?)?",
        "open read_text write_text", "encoding", _encoding,
    ),
    _option(
        rf"{_WITH} {_A_SIGN} (?:as|for) (?:the |a )?(?:field |column )?(?:delimiter|separator)",
        "reader writer DictReader DictWriter", "delimiter", _sign,
    ),
    _option(
        rf"{_WITH} {_A_SIGN} (?:as|for) (?:the |a )?separator|(?:separate|part) (?:them )?(?:by|with) (?P<other>\S+)",
        "print", "sep", _sign,
    ),
    _option(
        r"(?:start|begin) (?:numbering|counting|the (?:count|numbers?|numbering|index))(?: them)? (?:at|from|with) "
        r"(?P<value>\d+)|(?:number|count) (?:them )?from (?P<other>\d+)",
        "enumerate", "start", _number,
    ),
    _option(
        r"round (?:it |them |this |the \w+ )?(?:to|off to) (?P<value>\d) ?(?:decimals?(?: places)?|places|digits)",
        "round", "ndigits", _number,
    ),
    _option(
        r"(?:only |just )?split(?: (?:it|them|the \w+))? (?:(?:only|just|at most) )?once(?P<value>)",
        "split rsplit", "maxsplit", _one,
    ),
    _option(
        r"(?:sort )?(?:newest|latest|biggest|largest|highest|longest|most \w+) (?:ones? )?first(?P<value>)"
        r"|sort (?:it |them )?(?:in )?(?:descending|reversed?)(?: order)?|reverse the (?:sort )?order",
        "sort sorted", "reverse", _true,
    ),
)  # fmt: skip


_SECOND = ("start", "ndigits")
"""Keywords that are as well told by the second place."""


def plain_options(before: Snippet, words: str) -> list[Ops]:
    """The option told for the only call that takes it, or []."""
    words = bare(before, words)
    for option in _OPTIONS:
        if told := option.words.fullmatch(words):
            said = next((one for one in told.groups() if one), "")
            value = option.value(before, said)
            found = [one for one in before.nodes if isinstance(one, ast.Call) and _method(one) in option.calls]
            if value and len(found) == 1 and (lines := _with(before, found[0], option.keyword, value)):
                return [between(before, lines)]
    return []


def _method(call: ast.Call) -> str:
    """The last name of what is called, be it of what another call gives: `Path(path).open()`."""
    return call.func.attr if isinstance(call.func, ast.Attribute) else called(call)


def _with(before: Snippet, call: ast.Call, keyword: str, value: str) -> list[str]:
    """The lines with a keyword of a call, new or another value of it; [] where that is not to be seen."""
    had = next((one for one in call.keywords if one.arg == keyword), None)
    if had:
        return splice(before.lines, start_of(before, had.value), end_of(before, had.value), value)
    row, end = end_of(before, call)
    if any(one.arg is None for one in call.keywords) or not text_of(before, call):
        return []
    if keyword in _SECOND and len(call.args) > 1:
        return splice(before.lines, start_of(before, call.args[1]), end_of(before, call.args[1]), value)
    if keyword == "ndigits":
        return splice(before.lines, (row, end - 1), (row, end - 1), f", {value}")
    comma = ", " if call.args or call.keywords else ""
    return splice(before.lines, (row, end - 1), (row, end - 1), f"{comma}{keyword}={value}")


_PLACES = {"first": 0, "last": -1, "final": -1, "second": 1, "third": 2}
_COUNTED = re.compile(
    r"(?i)(?:remove|drop|delete|leave out|take out|get rid of|skip(?! the \w+ line\b)) the "
    r"(?P<which>first|second|third|last|final) "
    r"(?:call (?:to|of) )?(?P<what>\w+)(?:\(\))?(?: (?:call|statement|line))?"
)


def plain_counted(before: Snippet, words: str) -> list[Ops]:
    """The first, second or last statement of the function that calls what is told, or of all for "line"; else []."""
    told, functions = _COUNTED.fullmatch(bare(before, words)), the_function(before, words)
    if told is None or len(functions) != 1:
        return []
    anything = told["what"] in ("line", "statement")
    own = [one for one in places(before) if one.function is functions[0]]
    found = [one for one in own if anything or (isinstance(one.node, ast.Expr) and _calls(one.node, told["what"]))]
    at = _PLACES[told["which"].lower()]
    if not -len(found) <= at < len(found) or isinstance(found[at].node, COMPOUND) or len(found[at].block) < 2:
        return []
    first = found[at].node is body_after_docstring(functions[0])[0] or not anything
    last = found[at].node is functions[0].body[-1] or not anything
    fits = last if at == -1 else first if at == 0 else not anything
    return [(Delete(found[at].first, found[at].last),)] if fits else []


def plain_uncalled(before: Snippet, words: str) -> list[Ops]:
    """The only statement that calls what is not to be called, gone; [] where that would leave a block empty."""
    words = bare(before, words)
    told = _NOT_CALLED.fullmatch(words) or _GONE.fullmatch(words)
    if told is None or len(the_function(before, words)) != 1:
        return []
    found = [one for one in places(before) if isinstance(one.node, ast.Expr) and _calls(one.node, told["verb"])]
    if len(found) == 1 and len(found[0].block) > 1:
        return [(Delete(found[0].first, found[0].last),)]
    return []


def _calls(node: ast.Expr, verb: str) -> bool:
    value = node.value.value if isinstance(node.value, ast.Await) else node.value
    return called(value) in {verb, verb.removesuffix("ing"), verb.removesuffix("ing") + "e"}
