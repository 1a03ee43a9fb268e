"""Options of a command line that words ask for plainly: "add a --dry-run flag", "add -v as a short form"."""

import ast
import re

from spark_tui.editing.code import statement_lines, text_of
from spark_tui.editing.codemods.base import Ops, between
from spark_tui.editing.codemods.plain.plain_words import bare, called
from spark_tui.editing.numbers import SIGNED
from spark_tui.editing.script import Insert
from spark_tui.editing.snippet import Snippet
from spark_tui.editing.statements import Place, places, quote, spliced

_FLAG = re.compile(
    r"(?:add|have|take|accept|support) (?:an? |the )?(?:(?:boolean|new|optional|int|integer|float|string|required) )*"
    r"(?P<name>--[a-z][\w-]*)(?: (?P<sort>flag|switch|option|argument|parameter))?"
    r"(?:,? (?:with |that )?(?:the |a )?default(?:s|ing)?(?: to| of)?"
    rf" (?P<default>{SIGNED}|\"[^\"]*\"|'[^']*'))?"
)
_TYPE = re.compile(r"\b(int|integer|float)\b")
_SHORT = re.compile(
    r"(?:add|have|use|accept) (?P<short>-[A-Za-z])"
    r"(?: as(?: an?| the) (?:short )?(?:form|version|alias|flag|option|name|hand))?"
    r"(?: (?:of|for|to) (?:the )?(?P<long>(?:--)?[a-z][\w-]*)(?: flag| option)?)?"
)


def plain_flag(before: Snippet, words: str) -> list[Ops]:
    """One more `add_argument` below the last of the one parser; [] where the words tell no such option."""
    told = _FLAG.fullmatch(bare(before, words))
    found = _options(before)
    if told is None or not found or any(quote(before, told["name"]) in _source(before, one) for one in found):
        return []
    call, last = _call(found[-1]), found[-1]
    kind = _TYPE.search(words)
    more = f", type={kind[1].replace('integer', 'int')}" if kind else ""
    flag = not more and not told["default"] and told["sort"] in ("flag", "switch")
    more += f", default={told['default']}" if told["default"] else ', action="store_true"' if flag else ""
    more = more.replace('"store_true"', quote(before, "store_true"))
    line = f"{last.indent}{text_of(before, call.func)}({quote(before, told['name'])}{more})"
    return [(Insert(statement_lines(last.node)[1], (line,)),)]


def plain_short(before: Snippet, words: str) -> list[Ops]:
    """A short form in front of the one long option that has none, or of the one told; else []."""
    told = _SHORT.fullmatch(bare(before, words))
    if told is None:
        return []
    found = [text for one in _options(before) for text in _call(one).args[:1]]
    names = [(one, one.value) for one in found if isinstance(one, ast.Constant) and isinstance(one.value, str)]
    long = f"--{told['long'].lstrip('-')}" if told["long"] else ""
    meant = [one for one, name in names if (name == long if long else name.startswith(f"--{told['short'][1]}"))]
    if len(meant) == 1 and not any(name == told["short"] for _, name in names):
        text = f"{quote(before, told['short'])}, {text_of(before, meant[0])}"
        return [between(before, spliced(before, [(meant[0], text)]))]
    return []


def _options(before: Snippet) -> list[Place]:
    return [
        one for one in places(before) if isinstance(one.node, ast.Expr) and called(one.node.value) == "add_argument"
    ]


def _call(place: Place) -> ast.Call:
    assert isinstance(place.node, ast.Expr)
    assert isinstance(place.node.value, ast.Call)
    return place.node.value


def _source(before: Snippet, place: Place) -> str:
    return "\n".join(before.lines[place.first : place.last + 1])
