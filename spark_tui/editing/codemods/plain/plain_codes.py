"""Numbers told by what is said or done beside them: "wrong password should be a 401", "exit with 2 if it's no folder".

Also the digits that are shown or kept: "two decimals", "round to 3 digits".
"""

import ast
import re
from collections.abc import Iterator, Sequence

from spark_tui.editing.code import statement_lines, text_of
from spark_tui.editing.codemods.base import Ops, between
from spark_tui.editing.codemods.plain.plain_checks import the_function
from spark_tui.editing.codemods.plain.plain_words import called
from spark_tui.editing.snippet import Snippet
from spark_tui.editing.statements import places, spliced

_NOT = r"(?:,? (?:not|instead of|rather than) (?:an? )?(?P<old>\d+))?"
_NEW = rf"(?:an? )?(?:status |code |status code )?(?P<new>\d+){_NOT}"
_OUGHT, _GIVE = "(?:should|must|ought to|has to|needs to)", "(?:exit|return|answer|respond|fail|reply|give)(?: with)?"
_FORMS = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        rf"(?P<about>.+?) {_OUGHT} (?:be|raise|{_GIVE}) {_NEW}",
        rf"(?:please )?{_GIVE} {_NEW},? (?:if|when|for|on) (?P<about>.+)",
    )
)
_WORD = re.compile(r"[a-z]+")
_EMPTY = frozenset(
    "a an the is it its isn be of for to if when in on with that this there and or s t not no are was".split()  # noqa: SIM905
)
_COUNTS = {"no": "0", "zero": "0", "one": "1", "two": "2", "three": "3", "four": "4"}
_DIGITS = re.compile(
    rf"(?i)\b(?P<count>\d|{'|'.join(_COUNTS)}) (?:decimals?|decimal places?|digits|places)\b"
    r"(?: after the (?:point|comma))?"
    r"(?: (?:instead of|rather than|not) .+)?$"
)
_OTHER = re.compile(r"(?i)\b(?:if|when|unless|random|at least|at most|than|must|raise|check|add|remove)\b(?! 0)")


def plain_codes(before: Snippet, words: str) -> list[Ops]:
    """The one number beside what the words say changed, or the digits; [] where there is not just one."""
    said = words.strip(" .!")
    found = list(_code(before, said)) or list(_digits(before, words, said))
    lines = spliced(before, found) if found else []
    return [between(before, lines)] if lines and lines != list(before.lines) else []


def _code(before: Snippet, said: str) -> Iterator[tuple[ast.expr, str]]:
    told = next(filter(None, (form.fullmatch(said) for form in _FORMS)), None)
    about = {_stem(word) for word in _WORD.findall(told["about"].lower())} - _EMPTY if told else set()
    found: list[ast.Constant] = []
    for place in places(before) if about else ():
        if isinstance(place.node, ast.Return | ast.Raise | ast.Expr):
            around = _around(before, place.block, place.node)
            numbers = [one for one in ast.walk(place.node) if isinstance(one, ast.Constant) and type(one.value) is int]
            if len(numbers) == 1 and about <= {_stem(word) for word in _WORD.findall(around.lower())}:
                found += numbers
    if told and len(found) == 1 and told["old"] in (None, text_of(before, found[0])):
        yield found[0], told["new"]


def _around(before: Snippet, block: Sequence[ast.stmt], node: ast.stmt) -> str:
    """The text of a statement, and where it closes a branch, of what stands before it there and of its condition."""
    first, last = statement_lines(node)
    for outer in before.nodes:
        if isinstance(outer, ast.If) and outer.body is block and block[-1] is node:
            first = outer.lineno - 1
    return "\n".join(before.lines[first : last + 1])


def _stem(word: str) -> str:
    return word.removesuffix("s") if len(word) > 3 else word


def _digits(before: Snippet, words: str, said: str) -> Iterator[tuple[ast.expr, str]]:
    """The digits of all formats, `.1f`, else of the one call of round."""
    told = _DIGITS.search(said)
    if told is None or _OTHER.search(said):
        return
    count = _COUNTS.get(told["count"].lower(), told["count"])
    for function in the_function(before, words):
        texts = [one for one in ast.walk(function) if isinstance(one, ast.Constant | ast.JoinedStr)]
        inner = {
            id(part) for one in texts if isinstance(one, ast.JoinedStr) for part in ast.walk(one) if part is not one
        }
        formats = []
        for node in texts:
            source = text_of(before, node) if id(node) not in inner else ""
            new = re.sub(r"(?<=\.)\d+(?=f[\"'}\s%]|f$)", count, source)
            formats += [(node, new)] if new != source else []
        rounds = [
            one for one in ast.walk(function) if isinstance(one, ast.Call) and called(one) == "round" and one.args
        ]
        if formats:
            yield from formats
        elif len(rounds) == 1 and text_of(before, rounds[0]):
            yield rounds[0], f"{text_of(before, rounds[0].func)}({text_of(before, rounds[0].args[0])}, {count})"
