"""Arguments that plain words tell: "with level 30", "index the name column", "hand it over positionally"."""

import ast
import re
from collections.abc import Callable, Iterator, Sequence
from itertools import islice

from spark_tui.editing.code import start_of
from spark_tui.editing.codemods.base import Ops
from spark_tui.editing.codemods.bugs.call_arguments import Called, with_argument
from spark_tui.editing.codemods.bugs.slips import respelled
from spark_tui.editing.codemods.common.expression_places import spoken_of
from spark_tui.editing.numbers import SIGNED
from spark_tui.editing.snippet import Snippet
from spark_tui.editing.statements import dotted

_WORDED = re.compile(
    r"\b(?:with|w|at|and|use|using|set|give|pass|add|on|to) (?:an? |the )?(?P<name>[a-z][a-z_]{2,})(?: of)?"
    rf" (?P<value>{SIGNED}|True|False|None)(?![\w.:])"
)
_AS = re.compile(
    rf"(?<![\w.])(?P<value>{SIGNED}|True|False|None)\b[^.;]{{0,40}}?\bas (?:an? |the )?(?P<name>[a-z]\w+)\b"
)
_NO_NAMES = frozenset(
    "line lines row rows column step python item items number least most only just default value one".split()  # noqa: SIM905
)
_FLAGS = re.compile(r"\b(index(?:ed)?|unique|nullable|null|required|primary_key|blank|hidden|read_?only)\b")
_FIELD = re.compile(r"\w*(?:Field|Column|Option|Argument|Key|field|column|mapped_column|option|argument|add_argument)")
_POSITIONAL = re.compile(r"\bposition\w*\b|\bwithout (?:the |its )?(?:keyword|name)\b|\bno keyword\b")
_MOST = 4


def arguments_worded(before: Snippet, instruction: str, likeliest: Callable[[], Sequence[Called]]) -> Iterator[Ops]:
    """Each call that is spoken of with the keyword told, or with one given by its place."""
    told = [*_WORDED.finditer(instruction), *_AS.finditer(instruction)]
    pairs = [(one["name"], one["value"]) for one in told if one["name"] not in _NO_NAMES]
    flag, positional = _FLAGS.search(instruction), _POSITIONAL.search(instruction)
    calls = likeliest() if pairs or flag or positional else []
    for name, value in pairs[:_MOST]:
        lacking = [one for one in calls if name not in {keyword.arg for keyword in one.node.keywords}]
        for call in lacking[:_MOST]:
            yield from filter(None, [with_argument(before, call, f"{name}={value}", len(call.arguments))])
    if flag:
        yield from islice(_flagged(before, instruction, calls, flag[1]), _MOST)
    if positional:
        yield from islice(_by_place(before, instruction, calls), _MOST)


def _flagged(before: Snippet, instruction: str, calls: Sequence[Called], word: str) -> Iterator[Ops]:
    """The fields that are spoken of with a flag set."""
    owners = {id(one.value): dotted(one.targets[0]) or "" for one in before.nodes if isinstance(one, ast.Assign)}
    name = re.sub(r"^indexed$", "index", word)
    for call in calls:
        owner = owners.get(id(call.node), "")
        given = {keyword.arg for keyword in call.node.keywords}
        if owner and _FIELD.fullmatch(call.name) and spoken_of(instruction, owner) and name not in given:
            yield from filter(None, [with_argument(before, call, f"{name}=True", len(call.arguments))])


def _by_place(before: Snippet, instruction: str, calls: Sequence[Called]) -> Iterator[Ops]:
    """The first keyword of a call, which is spoken of, without its name."""
    for call in calls:
        for keyword in call.node.keywords[:1]:
            if keyword.arg and re.search(rf"\b{keyword.arg}\b", instruction):
                start, end = start_of(before, keyword), start_of(before, keyword.value)
                yield from filter(None, [respelled(before, start, end, "")])
