"""Every call that could be missing around an expression, or be one too many: `len(x)`, `str(x)`, `x.items()`, `f()`."""

import re
from collections.abc import Iterator
from typing import ClassVar

from spark_tui.editing.codemods.base import Codemod, Ops, Request, applied, between
from spark_tui.editing.codemods.bugs.call_changes import METHODS, WRAPPERS, changes, uncalled
from spark_tui.editing.codemods.bugs.calls_meant import calls_meant
from spark_tui.editing.codemods.bugs.cures import cures
from spark_tui.editing.codemods.bugs.forms_cured import CALLS, forms_cured
from spark_tui.editing.codemods.bugs.guarded_values import guarded_values
from spark_tui.editing.codemods.bugs.none_in_expressions import none_in_expressions
from spark_tui.editing.codemods.bugs.results import assigned_back, kept_as_told, unused_results
from spark_tui.editing.codemods.bugs.slips import meant
from spark_tui.editing.codemods.bugs.values_kept import values_kept
from spark_tui.editing.codemods.bugs.wraps_further import wraps_further
from spark_tui.editing.codemods.bugs.wraps_told import wraps_told
from spark_tui.editing.codemods.plain.plain_bounds import plain_clamp
from spark_tui.editing.codemods.plain.plain_forgotten import plain_copied
from spark_tui.editing.codemods.plain.plain_pieces import plain_methods
from spark_tui.editing.codemods.plain.plain_values import plain_values
from spark_tui.editing.snippet import Snippet

_MESSAGES = (
    (r"can only concatenate str|must be str, not|expected str instance", "+str -int -float -len"),
    (r"can only concatenate (?:list|tuple)", "+list +tuple"),
    (r"unsupported operand type\(s\) for|not supported between instances of", "+int +float +str +len -str +()"),
    (r"builtin_function_or_method|built-in method|bound method|'method' object|'function' object|<function", "+()"),
    (r"object is not callable", "-()"),
    (r"'(?:int|float)' object is not iterable", "+range -len -int"),
    (r"'(?:dict_\w+|map|filter|zip|generator|range|reversed|set)' object|of type '(?:map|filter|zip)'", "+list"),
    (r"object of type '(?:int|float|NoneType)' has no len", "-len"),
    (r"indices must be integers", "+int -enumerate +range +items -str"),
    (r"cannot be interpreted as an integer", "+int +len -range"),
    (r"values to unpack|cannot unpack", "+items +enumerate"),
    (r"changed size during iteration", "+list"),
    (r"bytes-like object is required|expected bytes|not bytes", "+encode +decode -encode -decode -str"),
    (r"argument must be str", "+str +decode -encode"),
    (r"invalid literal for int|could not convert string to float", "-int +strip -float"),
    (r"'str' object has no attribute 'decode'", "-decode"),
    (r"'bytes' object has no attribute 'encode'", "-encode"),
    (r"'list' object has no attribute '(?:items|keys|values)'", "-items -keys -values"),
)  # fmt: skip
_COMPILED = tuple((re.compile(pattern), frozenset(marks.split())) for pattern, marks in _MESSAGES)
_THROWN_AWAY = re.compile(
    r"throw\w* .{0,20}away|(?:result|value|what .{1,30} returns) (?:\w+ ){0,2}(?:discarded|ignored|lost|dropped|unused)"
    r"|n(?:ot|ever) (?:assigned|stored|kept)|assign(?:ed)? (?:it|this|the result )?\s?back|immutable|goes nowhere",
    re.IGNORECASE,
)
_UNCALLED = re.compile(
    r"\b(?:bound|method|function|callable|class|instance|decorator|coroutine|generator|pickl\w+|self)\b"
    r"|has no attribute|protocol|\w*instantiat\w+|missing \d required"
    r"|takes no arguments|n[o']t called|never call|__\w+__",
    re.IGNORECASE,
)
_TWICE = re.compile(r"(?<![\w.])(sorted|list|tuple|set|dict|str|int|float|len|bool)\(\1\(")
_WORDS = "|".join(sorted(WRAPPERS | METHODS))
_NAMED = re.compile(rf"\b(str|int|len|repr)\b(?!')|\b({_WORDS})\(|\.({_WORDS})\b|[`'\"]\.?({_WORDS})[`'\"]")
_PARENTHESES = re.compile(r"parenthes[ei]s|\bparens?\b|\bbrackets\b", re.IGNORECASE)


class FixCall(Codemod):
    """`x` becomes `str(x)`, `x.items()` or `x()`, or the reverse."""

    kind: ClassVar[str] = "fix_call"
    repairs: ClassVar[bool] = True

    def plain(self, before: Snippet, request: Request) -> list[Ops]:
        """See `plain_methods`, `plain_values`, `plain_clamp` and `plain_copied`."""
        readings = (plain_methods, plain_values, plain_clamp, plain_copied)
        return next((found for read in readings if (found := read(before, request.instruction))), [])

    def edits(self, before: Snippet, request: Request) -> Iterator[Ops]:
        """All that no call wraps twice: `sorted(sorted(x))` is never meant."""
        for ops in self._edits(before, request):
            if not _wraps_again(before, ops) and not _unsorts(before, ops, request.instruction):
                yield ops

    def _edits(self, before: Snippet, request: Request) -> Iterator[Ops]:
        """What is told in words, then as the source goes; an error message or a call named leaves only what fits it."""
        if _THROWN_AWAY.search(request.instruction):
            yield from meant(before, request.instruction, assigned_back(before))
            yield from values_kept(before, request)
            return
        yield from none_in_expressions(before, request)
        yield from guarded_values(before, request)
        told = list(wraps_told(before, request))
        yield from (between(before, lines) for lines in told)
        yield from wraps_further(before, request)
        yield from meant(before, request.instruction, calls_meant(before, request.instruction, spoken=not told))
        marks, named = _told(request.instruction)
        found = [
            (one.spot.function, one.ops(before))
            for one in changes(before, named)
            if marks is None or ("+" if one.adds else "-") + one.word in marks
        ]
        if _UNCALLED.search(request.instruction):
            found += [(one.spot.function, one.ops(before)) for one in uncalled(before)]
        found += [*unused_results(before), *kept_as_told(before, request.instruction)]
        yield from meant(before, request.instruction, found)
        yield from (between(before, lines) for lines in cures(before, request))
        yield from values_kept(before, request)
        yield from forms_cured(before, request, CALLS)


def _told(instruction: str) -> tuple[frozenset[str] | None, frozenset[str]]:
    """The changes the words leave (a sign and what is put in or taken out; None: all), and the calls named."""
    for pattern, marks in _COMPILED:
        if pattern.search(instruction):
            return marks, frozenset()
    named = frozenset(word for found in _NAMED.findall(instruction) for word in found if word)
    if named:
        return frozenset(sign + word for sign in "+-" for word in (*named, "()")), named
    return (frozenset({"+()", "-()"}) if _PARENTHESES.search(instruction) else None), frozenset()


def _unsorts(before: Snippet, ops: Ops, words: str) -> bool:
    """Whether a sort goes though the words ask for one."""
    asked = re.match(r"(?i)\W*(?:please )?(?:sort|order)\b", words)
    return bool(asked) and "\n".join(applied(before, ops)).count("sort") < "\n".join(before.lines).count("sort")


def _wraps_again(before: Snippet, ops: Ops) -> bool:
    return any(_TWICE.search(line) for line in applied(before, ops) if line not in before.lines)
