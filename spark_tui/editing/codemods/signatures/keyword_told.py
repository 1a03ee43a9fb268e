"""Parameters put behind a star as told: several that are named, those of one type, with a default told besides."""

import re
from collections.abc import Iterator, Sequence

from spark_tui.editing.codemods.base import Request
from spark_tui.editing.codemods.common.named import functions_meant
from spark_tui.editing.codemods.signatures.defaults_worded import parameters_named, values_worded
from spark_tui.editing.codemods.signatures.longer_signature import hinted
from spark_tui.editing.codemods.signatures.signature_pieces import defaulted, name_in, parts_of, pieces_of, with_pieces
from spark_tui.editing.snippet import Snippet

_BY_NAME = re.compile(r"\bkey ?word[- ]?(?:only|arg\w*)|\bkw-?only\b|\bby (?:key ?word|name)\b", re.IGNORECASE)
_ONWARDS = re.compile(r"\bfrom\b.*\bon\b|\bonwards\b|\band (?:all )?after\b|\beverything after\b|\brest\b")
_TYPES = {"bool": r"\bbool(?:ean)?s\b|\bflags\b", "int": r"\bints\b|\bintegers\b", "str": r"\bstrings\b|\bstrs\b"}
_PLAIN = re.compile(r"-?\d|True|False|None|[\[({]")
_ANNOTATED = re.compile(r"\bannotat\w*|\btyped\b|\bhints?\b")


def keyword_told(before: Snippet, request: Request) -> Iterator[list[str]]:
    """The lines with a star before the parameters that are meant, which come last then."""
    words = request.instruction
    for function in functions_meant(before, words) if _BY_NAME.search(words) else ():
        pieces = pieces_of(before, function)
        free = _free(pieces)
        chosen = _chosen(free, words)
        if not chosen or function.args.vararg or function.args.posonlyargs:
            continue
        rest = [one for one in pieces if one not in chosen]
        star = next((at for at, one in enumerate(rest) if one.startswith("*")), len(rest))
        kept = rest[star + 1 :] if rest[star : star + 1] == ["*"] else rest[star:]
        for made in _made(before, chosen, words):
            if lines := with_pieces(before, function, [*rest[:star], "*", *made, *kept]):
                yield lines


def _free(pieces: Sequence[str]) -> list[str]:
    """The pieces that can be given by position, but for self."""
    end = next((at for at, one in enumerate(pieces) if one.startswith("*")), len(pieces))
    return [one for one in pieces[:end] if one not in ("self", "cls", "/")]


def _chosen(free: Sequence[str], words: str) -> list[str]:
    for type_, pattern in _TYPES.items():
        if re.search(pattern, words) and not parameters_named([name_in(one) for one in free], words):
            return [one for one in free if parts_of(one)[1] == type_]
    named = parameters_named([name_in(one) for one in free], words)
    first = next((at for at, one in enumerate(free) if name_in(one) in named), len(free))
    return list(free[first:]) if _ONWARDS.search(words) else [one for one in free if name_in(one) in named]


def _made(before: Snippet, chosen: Sequence[str], words: str) -> Iterator[list[str]]:
    """As they are; the first with the value told for its default; with the types that the defaults give away."""
    if _ANNOTATED.search(words):
        yield [hinted(one) for one in chosen]
    names = {name_in(one) for one in chosen}
    values = [value for value, _ in values_worded(words, names, '"') if _PLAIN.match(value)]
    for value in values[:1]:
        yield [defaulted(before, chosen[0], value), *chosen[1:]]
    yield list(chosen)
