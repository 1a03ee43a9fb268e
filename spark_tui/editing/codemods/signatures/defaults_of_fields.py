"""Defaults for fields of a class that have none, and texts as defaults: "port default 80", "mode defaults to wb"."""

import ast
import re
from collections.abc import Iterator

from spark_tui.editing.code import end_of, quote_of, splice, text_of
from spark_tui.editing.codemods.base import Ops, between, parses
from spark_tui.editing.codemods.common.expression_places import spoken_of
from spark_tui.editing.codemods.common.said import literal, plain_word, values, word_said
from spark_tui.editing.snippet import Snippet

_ASKED = re.compile(
    r"\bdefault\w*\b|\boptional\b|\b(?:if|when|unless) (?:nothing|not|it is|it's|omitted|left out|given)"
)
_TEXT = re.compile(
    r"\bdefaults?(?: value)?(?: to| is| of| should be| be)? [`'\"]?(?P<one>[\w+./-]+)"
    r"|[`'\"]?(?P<two>[\w+./-]+)[`'\"]? (?:by|as(?: the| a)?) default\b"
    r"|\b(?:be|to) (?P<three>[\w+./-]+) (?:when|if|unless)\b"
)
_STRING = re.compile(r"(?<!\w)(?:str|string|Literal)\b|^$")
_MOST = 3


def field_defaults(before: Snippet, words: str) -> Iterator[Ops]:
    """The edits that give a field that is named, or the only one without a default, each value that is told."""
    if not _ASKED.search(words):
        return
    bare = [
        node
        for owner in before.nodes
        if isinstance(owner, ast.ClassDef)
        for node in owner.body
        if isinstance(node, ast.AnnAssign) and node.value is None and isinstance(node.target, ast.Name)
    ]
    names = [(node, text_of(before, node.target)) for node in bare]
    named = [one for one in names if word_said(words, one[1])] or [one for one in names if spoken_of(words, one[1])]
    for node, name in named[:_MOST]:
        for value in values_for(before, words, text_of(before, node.annotation), name)[:_MOST]:
            after = splice(before.lines, end_of(before, node), end_of(before, node), f" = {value}")
            if parses(after):
                yield between(before, after)


def values_for(before: Snippet, words: str, hint: str, name: str) -> list[str]:
    """The sources of the values that the words tell for what is hinted so; a bare word is one for a text."""
    quotes = quote_of(before)
    told = [one for one in values(words, quotes) if one not in (name, "optional", "missing")]
    told += ["None"] if re.search(r"\boptional\b", words) else []
    texts = [next(one for one in match.groups() if one) for match in _TEXT.finditer(words)]
    if _STRING.search(hint):
        offered = re.findall(r"['\"]([^'\"]*)['\"]", hint)
        fit = [one for one in texts if one in offered or (not offered and not plain_word(one) and one[0].isalpha())]
        told = [*(literal(one, quotes) for one in fit if one != name), *told]
    return list(dict.fromkeys(told))
