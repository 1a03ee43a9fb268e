"""The values that words tell for a case: "fall back to utf-8", "treat that as operator.eq", "then the id as string"."""

import ast
import re
import sys
from collections.abc import Iterator
from difflib import get_close_matches

from spark_tui.editing.codemods.common.named import call_at, closing
from spark_tui.editing.codemods.common.said import certain, is_expression, literal, plain_word, spans
from spark_tui.editing.numbers import SIGNED
from spark_tui.editing.snippet import Snippet
from spark_tui.editing.statements import dotted, quote

_SURE = re.compile(
    r"(?:\bfall(?:s|ing)?[ -]?back (?:to|on)|\bdefault(?:s|ing)?(?: (?:it|that|them|\w+))? to"
    r"|\b(?:use|take|assume|substitute)|\b(?:treat|count|handl|regard|read)(?:e|ed|s|es)?(?: \S+){0,2}? (?:as|like)"
    r"|\b(?:should|must|shall|(?:has|have|needs|ought) to|can|may|to)(?: then| just)* (?:be|become|mean|give|use)"
    r"|\bbecomes?|\b(?:turn|make)(?: \S+){1,2} into|\breplaced? (?:it |that |them )?(?:by|with)|\bset(?: \S+){0,2} to"
    r"|\bmake (?:it|that|them)|\bthen(?= .{2,40} (?:should|must|has to) be\b)|\bi\.e\.|->|=>)[ ]+",
    re.IGNORECASE,
)
_MAYBE = re.compile(r"(?:\b(?:means?:?|gives?|then|with|return|is|as)|=|:)[ ]+", re.IGNORECASE)
_FIRST = re.compile(
    r"(?!none\b|no\b|empty \w+ (?:for|in)\b)\S+ (?:if|when|where|for|in case|whenever)\b", re.IGNORECASE
)
_STATES = frozenset(
    ["missing", "given", "unset", "absent", "empty", "blank", "passed", "handled", "ignored", "skipped"]
)
_LITTLE = re.compile(
    r"(?:(?:an?|the|just|simply|plain|then|instead|it|that|as|our|its|same|default(?= [a-z]))[:,]? )+", re.IGNORECASE
)
_EMPTY = {
    "list": "[]", "dict": "{}", "dictionary": "{}", "mapping": "{}", "tuple": "()", "set": "set()", "string": '""',
    "text": '""', "bytes": 'b""',
}  # fmt: skip
_IN_WORDS = {
    "none": "None",
    "null": "None",
    "true": "True",
    "false": "False",
    "zero": "0",
    "one": "1",
    "nothing": "None",
}
_AS_TYPE = re.compile(r"\W{1,2}as (?:an? )?(string|str|text|int|integer|number|float|list|tuple|set)\b")
_LAST = re.compile(r"\s*(?:$|[.,;:!?)]|(?:then|if|when|for|in|instead|there|here|please|right|at|so|and)\b)")
"""What may follow a bare word that is a text."""
_TYPES = {"string": "str", "text": "str", "integer": "int", "number": "int"}


def values_told(before: Snippet, instruction: str) -> list[tuple[str, int, int]]:
    """The sources of values that may be told, with where they stand in the instruction; the surest first."""
    quotes, known = quote(before, "")[0], paths_of(before)
    found: dict[str, tuple[str, int, int]] = {}
    for cues in (_SURE, _MAYBE):
        for start in [match.end() for match in cues.finditer(instruction)] + ([0] if cues is _SURE else []):
            if start or _FIRST.match(instruction):
                for source, end in _value_at(instruction, start, known, quotes):
                    if is_expression(source):
                        found.setdefault(source, (source, start, end))
        if found:
            break
    return list(found.values())


def paths_of(before: Snippet) -> dict[str, str]:
    """The values of a region by what they are called: their path, attributes also by their own name."""
    found: dict[str, str] = {}
    short: dict[str, str] = {}
    for node in before.nodes:
        match node:
            case ast.arg(arg=name) | ast.Name(id=name) if name not in ("self", "cls", "_"):
                found[name] = name
            case ast.Attribute(attr=attr) if path := dotted(node):
                found[path] = path
                short.setdefault(attr, path)
                short.setdefault(attr.strip("_"), path)
    return short | found


def named_path(word: str, known: dict[str, str]) -> str:
    """The value of a region that a word calls: by its name, as one of many, or by the last word of its name; or ""."""
    one = word[:-1] if word.endswith("s") and len(word) > 3 else word
    for name in (word, one, f"{word}s"):
        if name in known:
            return known[name]
    lower = {one.lower(), word.lower()}
    return next((path for name, path in known.items() if "_" in name and name.lower().rpartition("_")[2] in lower), "")


def _value_at(words: str, start: int, known: dict[str, str], quotes: str) -> Iterator[tuple[str, int]]:
    """What may be meant by the words at a place, with where it ends."""
    little = _LITTLE.match(words, start)
    at = little.end() if little else start
    marked = next((span for span in spans(words) if span.mark and span.start == at), None)
    if marked:
        plain = marked.mark == "`" and is_expression(marked.text)
        yield (marked.text if plain else literal(marked.text, quotes)), marked.end
        return
    if empty := re.match(rf"empty ({'|'.join(_EMPTY)})\b", words[at:], re.IGNORECASE):
        source = _EMPTY[empty[1].lower()]
        yield source.replace('""', quotes * 2), at + empty.end()
        return
    if words[at : at + 1] in ("[", "{", "(") and (closed := closing(words, at)):
        yield words[at : closed + 1], closed + 1
        return
    text = call_at(words, at)
    token = re.match(r"[^\s,;()]+", words[at:])
    bare = token[0].rstrip(".:!?") if token else ""
    end = at + max(len(text), len(bare))
    yield from ((source, end) for source in _meant(text, bare, words[at + len(text) :], known, quotes))


def _meant(text: str, bare: str, rest: str, known: dict[str, str], quotes: str) -> Iterator[str]:
    """The sources that a word without marks may stand for."""
    if re.fullmatch(SIGNED, bare):
        yield bare
    elif bare.lower() in _IN_WORDS:
        yield _IN_WORDS[bare.lower()]
    elif re.fullmatch(r"[^\W\d][\w.]*(?:-[\w.]+)+", bare):
        yield literal(bare, quotes)
    elif path := named_path(text, known):
        kind = _AS_TYPE.match(rest)
        yield f"{_TYPES.get(kind[1], kind[1])}({path})" if kind else path
    elif "." in text or "(" in text:
        yield from _spelt(text, known)
    elif text.lower() not in _STATES and text and not plain_word(text) and certain(text):
        is_name = "_" in text or text.isupper() or (re.search(r"[a-z][A-Z]", text) is not None)
        if is_name or _LAST.match(rest):
            yield text if is_name else literal(text, quotes)


def _spelt(text: str, known: dict[str, str]) -> Iterator[str]:
    """A dotted name or call, its first name as the region or the standard library spells it."""
    first = re.split(r"[.(\[]", text)[0]
    if first not in known and first not in sys.stdlib_module_names and first not in ("self", "cls"):
        near = get_close_matches(first, [*known, *sys.stdlib_module_names], 1, 0.8)
        yield from (one + text[len(first) :] for one in near)
    yield text
