"""Whether an edit leaves out a part that is told in so many words: what is to be returned, called or swapped, too."""

import ast
import re
from collections.abc import Sequence

from spark_tui.editing.codemods.common.and_return import AND_RETURN
from spark_tui.editing.snippet import Snippet
from spark_tui.session.rules.commanded import calls, does_not, word_count
from spark_tui.session.rules.facts import Code, Rule, first_told

_USE = re.compile(
    r"(?i)^\W*(?:please )?use `?(?P<name>sum|zip|enumerate|sorted|reversed|len|range|min|max|any|all|divmod)`?"
    r"(?:\(\)`?|(?=\W*$)|(?= (?:with|and) an? |(?: here| instead)\W*$))"
)
_SWAP = re.compile(
    r"(?i)^\W*(?:please )?(?:swap|exchange|switch) (?:the )?`?(?P<one>[^\W\d]\w*)`? and (?:the )?"
    r"`?(?P<two>[^\W\d]\w*)`?(?: in (?:the )?\S+| around)?\W*$"
)


def partly(words: str, code: Code, after: Sequence[str]) -> str:
    """What of the words an edit leaves out, in a sentence, or "". Args: after: the lines of `code` with it."""
    return first_told(_RULES, words, code, after)


def _not_returned(words: str, code: Code, new: Snippet) -> str:
    """A value that is to be returned besides, and is not."""
    told = AND_RETURN.match(words)
    value = told["value"].replace("'", '"') if told else ""
    more = told and _returning(new, value) > _returning(code, value)
    return does_not(f"return {value}") if told and not more else ""


def _returning(of: Snippet | Code, value: str) -> int:
    """How often a value is returned, with what is returned in a bare `return` as None."""
    found = [one.value for one in of.nodes if isinstance(one, ast.Return)]
    return sum((ast.unparse(one).replace("'", '"') if one else "None") == value for one in found)


def _not_called(words: str, code: Code, new: Snippet) -> str:
    """A function that is to be used, called no more often than it was."""
    told = _USE.match(words)
    name = told["name"].lower() if told else ""
    more = calls(new.nodes).count(name) > calls(code.nodes).count(name)
    return does_not(f"use {name}") if told and not more else ""


def _not_swapped(words: str, code: Code, new: Snippet) -> str:
    """Names that are to change places, and stand as they did, or one of which comes or goes."""
    told = _SWAP.match(words)
    names = [told["one"], told["two"]] if told else []
    if not names or not all(name in code.names for name in names):
        return ""
    text = "\n".join(new.lines)
    same = all(word_count(text, name) == word_count(code.text, name) for name in names)
    either = re.compile(rf"(?<!\w)(?:{'|'.join(names)})(?!\w)")
    moved = either.findall(text) != either.findall(code.text)
    return "" if same and moved else does_not(f"swap {names[0]} and {names[1]}")


_RULES: tuple[Rule, ...] = (_not_returned, _not_called, _not_swapped)
