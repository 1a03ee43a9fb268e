"""Docstrings that words ask for plainly: a first one, with the words told or made from the name, another, or more."""

import ast
import re
from collections.abc import Iterator

from spark_tui.editing.code import Function, docstring_node, indentation
from spark_tui.editing.codemods.base import Ops, between, parses
from spark_tui.editing.codemods.prose.doc_fields import doc_fields
from spark_tui.editing.codemods.prose.docs_told import with_docstring, with_remark
from spark_tui.editing.codemods.prose.sentences_told import as_remark, as_summary
from spark_tui.editing.snippet import Snippet

_Scope = Function | ast.ClassDef
_DOC = r"(?:doc ?strings?|documentation|docs?)"
_KINDS = r"(?:function|method|class|code|def|one)"
_NAME = rf"(?:[`'\"]?(?P<name>(?!(?:{_KINDS}|it|this|the|that)\b)\w+)[`'\"]?(?:\(\))?)"
_IT = rf"(?:(?:this|the|it|that) ?)?(?:{_KINDS} ?)?{_NAME}?(?: {_KINDS})?"
_WHOSE = rf"(?: (?:to|for|in|of) {_IT})?"
_ADD = r"(?:please )?(?:add|write|insert|create|put|generate|give (?:it|this|the function|the class)|make)"
_BRIEF = r"(?: (?:an?|the|some|short|brief|proper|good|simple|small|little|(?:one|single)[- ]?line|missing))*"
_LACKS = r"(?:needs|lacks|has no|is missing|should have|missing)"
_PLAIN = tuple(
    re.compile(f"(?i){form}[.!]?")
    for form in (
        rf"{_ADD}{_BRIEF} {_DOC}{_WHOSE}",
        rf"(?:please )?document {_IT}",
        rf"(?:(?:it|this|(?:this |the )?{_KINDS}|{_NAME}) )?{_LACKS}{_BRIEF} {_DOC}",
    )
)
_SAYS = r"(?:,? (?:that )?(?:saying|says|reading|reads|with the text)(?: that)?:?|:)"
_QUOTE = r"(?P<quoted>\"[^\"]+\"|'[^']+'|`[^`]+`)"
_TEXT = rf"(?:{_QUOTE}|(?P<text>(?!(?:what|how|why|about|that|to)\b)[^\"`\s]+\s[^\"`]+))"
_FIRST = tuple(
    re.compile(f"(?i){form}")
    for form in (
        rf"{_ADD}{_BRIEF} {_DOC}{_WHOSE}{_SAYS} {_TEXT}",
        rf"{_ADD}{_BRIEF} {_DOC}(?P<name>)(?: with)? {_QUOTE}(?P<text>)",
        rf"{_DOC}(?P<name>): {_TEXT}",
    )
)
_OTHER = tuple(
    re.compile(f"(?i)(?:please )?{form}")
    for form in (
        rf"(?:change|replace|set|update|rewrite|make) (?:the |its |this )?{_DOC}{_WHOSE} (?:to|with|by):? {_QUOTE}",
        rf"(?:change|set|update|rewrite|make) (?:the |its |this )?{_DOC}{_WHOSE} (?:to )?(?:say|read):? {_TEXT}",
        rf"(?:the |its )?{_DOC}{_WHOSE} (?:should|must|has to|ought to)(?: just| only)? (?:say|read):? {_TEXT}",
    )
)
_TELL = r"(?:mention|note|state|say|explain)"
_MORE = tuple(
    re.compile(f"(?i)(?:please )?{form}")
    for form in (
        rf"(?:update|change|extend) (?:the |its )?{_DOC}{_WHOSE} to (?:also )?{_TELL} that (?P<text>.+)",
        rf"(?:{_TELL}|add) (?:in|to) (?:the |its )?{_DOC}{_WHOSE} that (?P<text>.+)",
        rf"(?:{_TELL}|document) that (?P<text>.+?)(?: in (?:the |its )?{_DOC}(?P<name>))?",
        rf"(?:the |its )?{_DOC}{_WHOSE} should (?:also )?{_TELL} that (?P<text>.+)",
    )
)
_SECTIONS = re.compile(r"(?m)^\s*(?::\w+.*:|[A-Z]\w+:\s*$|-{3,})")


def docs_asked_of(words: str) -> str | None:
    """Whose docstring words ask for, telling nothing of what it is to say: a name, "" where none; None: they do not."""
    told = next(filter(None, (form.fullmatch(" ".join(words.split())) for form in _PLAIN)), None)
    return (told.groupdict().get("name") or "") if told else None


def scopes_asked(before: Snippet, words: str) -> list[_Scope]:
    """The one function or class that such words are about: the one named, else the one that holds all others."""
    words = " ".join(words.split())
    told = next(filter(None, (form.fullmatch(words) for form in (*_PLAIN, *_FIRST, *_OTHER, *_MORE))), None)
    return _scopes(before, told) if told else []


def plain_docs(before: Snippet, words: str) -> list[Ops]:
    """A first docstring with the words told, another in its place, or more in it; [] where none is plainly told."""
    words = " ".join(words.split()).strip()
    for forms, write in ((_FIRST, _first), (_MORE, _more), (_OTHER, _other)):
        for told in filter(None, (form.fullmatch(words) for form in forms)):
            for scope in _scopes(before, told):
                if found := [lines for lines in write(before, scope, told) if parses(lines)]:
                    return [between(before, lines) for lines in found]
    return []


def _scopes(before: Snippet, told: re.Match[str]) -> list[_Scope]:
    found: list[_Scope] = [node for node in before.nodes if isinstance(node, _Scope)]
    found.sort(key=lambda one: one.lineno)
    if name := told.groupdict().get("name"):
        return [one for one in found if one.name == name][:1]
    alone = found and all(one.lineno <= (found[0].end_lineno or 0) for one in found)
    return found[:1] if alone else []


def _told(told: re.Match[str]) -> str:
    quoted = told.groupdict().get("quoted")
    return quoted[1:-1].strip() if quoted else ""


def _first(before: Snippet, scope: _Scope, told: re.Match[str]) -> Iterator[list[str]]:
    if docstring_node(scope) is None:
        for text in [_told(told)] if _told(told) else as_summary(told["text"].strip()):
            yield from with_docstring(before, scope, text)


def _other(before: Snippet, scope: _Scope, told: re.Match[str]) -> Iterator[list[str]]:
    if (node := docstring_node(scope)) is not None:
        text = _told(told) or next(as_summary(told["text"].strip()))
        first, last = node.lineno - 1, (node.end_lineno or node.lineno) - 1
        lines = [f'{indentation(before.lines[first])}"""{text}"""']
        yield [*before.lines[:first], *lines, *before.lines[last + 1 :]]


def _more(before: Snippet, scope: _Scope, told: re.Match[str]) -> Iterator[list[str]]:
    node = docstring_node(scope)
    if any(doc_fields(before, told.string)):
        return  # a field of its own may be what is meant
    if node is not None and not _SECTIONS.search(ast.get_docstring(scope, clean=False) or ""):
        for text in as_remark(told["text"].strip(" .")):
            yield from with_remark(before, node, text)
