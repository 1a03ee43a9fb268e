"""Texts that plain words tell by what they are for: where to split, the format of a date, two signs exchanged."""

import ast
import re
from collections.abc import Callable, Iterator

from spark_tui.editing.code import end_of, splice, start_of, text_of
from spark_tui.editing.codemods.base import Ops, between
from spark_tui.editing.codemods.plain.plain_words import SIGNS, bare
from spark_tui.editing.codemods.signatures.values_said import value_said
from spark_tui.editing.snippet import Snippet
from spark_tui.editing.statements import outside_fstrings, quote, spliced

_SPLIT = re.compile(
    r"(?i)(?:only |just )?split(?: (?:it|them|the \w+))? (?:on|at|by) (?:(?:an?|the|every|each) )?(?P<at>.+)"
)
_WHITE = re.compile(r"(?i)(?:(?:any|all|every)(?: (?:kinds?|sorts?|amounts?|runs?) of)? |runs? of )?white ?space\w*")
_A_FORMAT = r"(?:(?:date|time|output)[- ])?format"
_FORMAT = re.compile(
    rf"(?i)(?:the |its )?{_A_FORMAT} (?:(?:should|must|has to|needs to|ought to) be|is) (?P<new>.+)"
    rf"|(?:use|change|set|write|make) (?:it in )?(?:the )?{_A_FORMAT} (?:to |be )?(?P<named>.+)"
)
_SWAPPED = re.compile(r"(?i)(?:swap|exchange|switch|flip|interchange) (?P<one>\S+) (?:and|with) (?P<other>\S+)")
_DIRECTIVE = re.compile(r"%-?[a-zA-Z]")
_PARTS = re.compile(r"[^\s'\"\\{}]+(?: [^\s'\"\\{}]+)*")


def plain_separators(before: Snippet, words: str) -> list[Ops]:
    """The one text that is meant, as it is told to be; else []."""
    said = bare(before, words)
    readings: tuple[Callable[[Snippet, str], Iterator[list[str]]], ...] = (_split, _formats, _exchanged)
    for read in readings:
        if found := list(read(before, said)):
            return [between(before, found[0])] if len(found) == 1 and found[0] != list(before.lines) else []
    return []


def _split(before: Snippet, said: str) -> Iterator[list[str]]:
    """The sign that a call of split has; none where any whitespace will do."""
    told = _SPLIT.fullmatch(said)
    for node in before.nodes if told else ():
        match node:
            case ast.Call(func=ast.Attribute(attr="split"), args=[ast.Constant() as sign], keywords=[]) if told:
                if _WHITE.fullmatch(told["at"]):
                    yield splice(before.lines, start_of(before, sign), end_of(before, sign), "")
                elif new := _sign(before, told["at"]):
                    yield spliced(before, [(sign, new)])


def _sign(before: Snippet, told: str) -> str:
    """A sign as a literal; "" for a word that tells of one and is none, such as "sentences"."""
    name = next((one for one in (told.lower(), told.lower().removesuffix("s")) if one in SIGNS), "")
    source = value_said(name or told, "sep", "str", '""', quote(before, "")[0])
    return "" if source[1:-1] == told and re.fullmatch(r"[^\W\d]{2,}", told) else source


def _formats(before: Snippet, said: str) -> Iterator[list[str]]:
    """The only format of dates there is."""
    told = _FORMAT.fullmatch(said)
    new = (told["new"] or told["named"]).strip("'\"`") if told else ""
    if _DIRECTIVE.search(new) and _PARTS.fullmatch(new):
        yield from (spliced(before, [(one, quote(before, new))]) for one in _texts(before) if _is_format(one.value))


def _is_format(value: object) -> bool:
    return len(_DIRECTIVE.findall(str(value))) > 1


def _texts(before: Snippet) -> list[ast.Constant]:
    found = [one for one in outside_fstrings(before.tree) if isinstance(one, ast.Constant)]
    return [one for one in found if isinstance(one.value, str) and "\n" not in text_of(before, one)]


def _exchanged(before: Snippet, said: str) -> Iterator[list[str]]:
    """Two pieces of one text, each in the other's place: neither is a name of the code."""
    told = _SWAPPED.fullmatch(said)
    pair = [told[name].strip("'\"`") for name in ("one", "other")] if told else []
    names = {one.id for one in before.nodes if isinstance(one, ast.Name)}
    if len(set(pair)) != 2 or names & {*pair} or not all(pair):
        return
    pieces = re.compile("|".join(rf"(?<!\w){re.escape(one)}(?!\w)" for one in pair))
    for text in _texts(before):
        source = text_of(before, text)
        if sorted(pieces.findall(source)) == sorted(pair):
            yield spliced(before, [(text, pieces.sub(lambda one: pair[one[0] == pair[0]], source))])
