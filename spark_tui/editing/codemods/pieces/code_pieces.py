"""The pieces of code that stand in an instruction, from where they begin to where prose goes on."""

import builtins
import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace
from functools import lru_cache

from spark_tui.editing.codemods.common.named import closing
from spark_tui.editing.codemods.common.said import Span, certain, code_like, is_expression, spans

_OPERAND = re.compile(r"[bfr]?\"[^\"\n]*\"|(?<!\w)[bfr]?'[^'\n]*'|\d[\w.]*(?<!\.)|[^\W\d]\w*|\.\.\.|[(\[{]")
_PREFIX = re.compile(r"(?:not (?=[\w(])|await |-(?=[\w(])|\*\*?(?=[\w(])|~(?=[\w(]))+")
_BINARY = re.compile(
    r" ?(?:\*\*|//|<<|>>|[<>=!]=|->|[-+*/%<>&|^@])(?!>) ?(?=[^\s)\]}])|,? (?:and|or|in|is|not in|is not|if|else) (?=\S)"
)
_WORDS = re.compile(r" ?(?:and|or|in|is|not in|is not|if|else) ")
_FRAGMENT = re.compile(r"(?:or|and|in|not in|is|is not|if|[-+*/%<>&|^]|[<>=!]=|//|\*\*|<<|>>) \S.*|\.[^\W\d].*|\[.+\]")
_ALONE = re.compile(r"[\w.]+(?:\W*$|[,;:.?!]|\s+[a-z]{2,})")
_LONE = frozenset(["not", "in", "is", "or", "and", "if", "else", "for", "lambda", "await"])
_KEYWORDS = "except|raise|return|yield|assert|del|elif|while|if"
_KEYWORD = re.compile(rf"({_KEYWORDS})\s+")
_KEYWORD_AHEAD = re.compile(rf"\b({_KEYWORDS}|catch|in)(?: an?| the)? $", re.IGNORECASE)
_TARGET = re.compile(r"([\w.]+(?:\[[^\]]*\])?)(?:: [\w.\[\], |]+)? = (?!=)")
_TARGET_AHEAD = re.compile(r"(?<![\w.])([\w.]+(?:\[[^\]]*\])?) = $")
_LONGEST_TARGET = 60
_NO_CODE = re.compile(r"[A-Z]{1,5}\d{3,}|[\w/-]+\.(?:py|pyi|md|txt|toml|cfg)|\d+\.\d+\.\d+")
"""Rules of linters, files and versions."""
_NOUNS = frozenset(
    ["filter", "format", "hash", "id", "input", "map", "object", "print", "property", "range", "slice", "sum", "type"]
)
_POINTS = re.compile(r"\b(?:the|this|that|its|these|those) $", re.IGNORECASE)
"""Built-in names that are words, too: "the slice" is what stands there, not code to be written."""
_ERRORS = ("Error", "Exception", "Warning")
_HEADER = re.compile(r"[:,]\s+\S")
_HAPPENS = re.compile(
    r"\b(?:raises|raised|with|by|gets?|got|gives|throws|crash\w*|fails? with|see)(?: an?)? $", re.IGNORECASE
)
_GIVEN = re.compile(r"[`'\"]? (?:the|around|round|on|over|to)(?: the)? [`'\"]?([^\W\d]\w*)")
_VERSION = re.compile(r"(?<![\w.])\d+\.\d+(?:\.\d+)?(?!\w|\.\d)")
_FIELD = re.compile(r"\{[\w.]+\}")
_SET = re.compile(r"[(\s,](\w+)=(?!=)")
_IN_WORDS = {
    "empty string": '""', "empty list": "[]", "empty dict": "{}", "empty tuple": "()", "ellipsis": "...",
    "empty set": "set()",
}  # fmt: skip
_LONGEST = 30


@dataclass(frozen=True, slots=True)
class Piece:
    """Code told by an instruction. `told`: it is quoted, or no word of English could stand there.

    `keyword`: the one it comes after, such as "return"; `target`: the name that it is assigned to.
    """

    source: str
    start: int
    end: int
    told: bool
    mark: str = ""
    keyword: str = ""
    target: str = ""

    @property
    def fragment(self) -> bool:
        """Whether it is no whole expression, but what follows one: `or {}`, `.items()`, `== 1`."""
        return not is_expression(self.source)


@lru_cache(maxsize=64)
def pieces(instruction: str, names: frozenset[str]) -> tuple[Piece, ...]:
    """The pieces in order. Args: names: those of the region, which words that stand alone may mean."""
    found: list[Piece] = []
    at = 0
    for span in spans(instruction):
        if span.start < at:
            continue
        if span.mark and (piece := _quoted(span)):
            found.append(piece)
            continue
        end = _end(instruction, span.start, names)
        text = instruction[span.start : end].rstrip()
        if text and is_expression(text):
            found += _meant(instruction, text, span, names)
            at = max(at, span.start + len(text))
    return tuple(_cued(instruction, one) for one in (*found[:_LONGEST], *_values(instruction)))


def _quoted(span: Span) -> Piece | None:
    """What is quoted as a piece, without the keyword or the target before it; None for plain texts."""
    text = span.text.strip()
    target = _TARGET.match(text) if span.mark == "`" else None
    keyword = _KEYWORD.match(text)
    text = text[(target or keyword).end() :].rstrip(":") if target or keyword else text  # type: ignore[union-attr]
    if not text or not (_is_fragment(text) or (span.mark == "`" and is_expression(text))):
        return None
    return Piece(
        text, span.start, span.end, True, span.mark, keyword[1] if keyword else "", target[1] if target else ""
    )


def _cued(instruction: str, piece: Piece) -> Piece:
    """The piece with the keyword or the target that comes before it."""
    ahead = instruction[max(0, piece.start - _LONGEST_TARGET) : piece.start]
    keyword, target = _KEYWORD_AHEAD.search(ahead), _TARGET_AHEAD.search(ahead)
    return replace(
        piece,
        keyword=piece.keyword or (keyword[1].lower() if keyword else ""),
        target=piece.target or (target[1] if target else ""),
    )


def _meant(instruction: str, text: str, span: Span, names: Collection[str]) -> Iterator[Piece]:
    """What stands at a place as a piece, if it is surely code or may be; with a parameter that a call told sets."""
    start, end = span.start, span.start + len(text)
    if (
        _NO_CODE.fullmatch(text)
        or _FIELD.fullmatch(text)
        or (text.endswith(_ERRORS) and _is_symptom(instruction, start, end))
    ):
        return
    told = bool(span.mark) or code_like(text) or not text.isidentifier()
    inside = start > 0 and instruction[start - 1] == " " and instruction[start - 2] not in ".:?!\n"
    capital = text[:1].isupper() and (certain(text) or inside or text == "Any")
    noun = text in _NOUNS and _POINTS.search(instruction[:start]) is not None
    if text.strip("_") and (told or text in names or (hasattr(builtins, text) and not noun) or capital):
        yield Piece(text, start, end, told)
    if span.mark in ("'", '"') and span.text.isidentifier():
        yield Piece(span.text, start, end, True, span.mark)
    if capital and text.endswith("s") and text.isidentifier() and text not in names:
        yield Piece(text[:-1], start, end, told)
    if (given := _GIVEN.match(instruction, end)) and given[1] in names and _is_callable(text):
        yield Piece(f"{text.removesuffix('()')}({given[1]})", start, given.end(), True)
    for match in _SET.finditer(text):
        if match[1] in names:
            yield Piece(match[1], start, end, True)


def _is_callable(text: str) -> bool:
    """Whether a name is surely one of a function: `html.escape`, `escape()`."""
    return text.endswith("()") or bool(re.fullmatch(r"(?!self\.|cls\.)[a-z_]\w*(?:\.[a-z_]\w*)+", text))


def _is_symptom(instruction: str, start: int, end: int) -> bool:
    """Whether an error is told as what happens, not as what is to be written."""
    return bool(_HEADER.match(instruction, end) or _HAPPENS.search(instruction[:start]))


def _values(instruction: str) -> Iterator[Piece]:
    """Empty values and the like that are told in words."""
    for match in _VERSION.finditer(instruction):
        yield Piece(f"({match[0].replace('.', ', ')})", match.start(), match.end(), True)
    for words, source in _IN_WORDS.items():
        for match in re.finditer(rf"\b{words}\b", instruction, re.IGNORECASE):
            yield Piece(source, match.start(), match.end(), True)


def _is_fragment(text: str) -> bool:
    return bool(_FRAGMENT.fullmatch(text)) and is_expression(f"x{'' if text[0] in '.[' else ' '}{text}")


def _end(text: str, at: int, names: Collection[str]) -> int:
    """Where the longest expression ends that begins at a place and has no plain words for operands."""
    best = at
    if prefix := _PREFIX.match(text, at):
        at = prefix.end()
        if prefix[0] == "not " and _ALONE.match(text, at):
            return best
    while True:
        left = at
        stop = _operand_end(text, at)
        if stop == at:
            return best
        if text.startswith("not ", best) and not _is_operand(text[left:stop], names, True):
            return best
        best = stop
        operator = _BINARY.match(text, stop)
        if operator is None:
            return best
        follow = _operand_end(text, _after_prefix(text, operator.end()))
        both = (text[left:stop], text[_after_prefix(text, operator.end()) : follow])
        if "," in operator[0] or not all(_is_operand(one, names, _WORDS.fullmatch(operator[0])) for one in both):
            return best
        at = _after_prefix(text, operator.end())


def _after_prefix(text: str, at: int) -> int:
    prefix = _PREFIX.match(text, at)
    return prefix.end() if prefix else at


def _is_operand(text: str, names: Collection[str], by_word: object) -> bool:
    """Whether what stands beside an operator is code."""
    word = re.match(r"[^\W\d]\w*", text)
    if text in _LONE or not text:
        return False
    plain = word is not None and word[0] == text and not code_like(text)
    if plain and by_word:
        return text in ("None", "True", "False")
    return not plain or text in names or hasattr(builtins, text)


def _operand_end(text: str, at: int) -> int:
    """Where an operand with its attributes, calls and subscripts ends."""
    match = _OPERAND.match(text, at)
    if match is None or match[0] in _LONE:
        return at
    end = match.end()
    if match[0] in ("(", "[", "{"):
        closed = closing(text, at)
        if closed is None:
            return at
        end = closed + 1
    while end < len(text):
        if text[end] in "([" and (closed := closing(text, end)):
            end = closed + 1
        elif dotted := re.match(r"\.[^\W\d]\w*", text[end:]):
            end += dotted.end()
        else:
            break
    return end
