"""Which words of an instruction could be a member of a collection, in the style of those there are."""

import ast
import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import pairwise

from spark_tui.editing.code import text_of
from spark_tui.editing.codemods.common.said import Span, certain, is_expression, spans
from spark_tui.editing.codemods.pieces.members import Holder
from spark_tui.editing.numbers import SIGNED
from spark_tui.editing.snippet import Snippet

_GLUE = re.compile(r"\s*(?:,\s*(?:and |or )?|/|&|\+|\band\b|\bor\b|\bplus\b)\s*")
_TYPES = {
    "tuples": "tuple",
    "lists": "list", "sets": "set", "dicts": "dict", "strings": "str", "string": "str", "ints": "int",
    "integers": "int", "floats": "float", "bools": "bool", "booleans": "bool", "integer": "int", "boolean": "bool",
    "frozensets": "frozenset", "bytearrays": "bytearray", "dictionaries": "dict", "generators": "Generator",
}  # fmt: skip
_BUILTIN = frozenset(
    [
        "tuple",
        "list",
        "set",
        "dict",
        "str",
        "int",
        "float",
        "bool",
        "bytes",
        "frozenset",
        "bytearray",
        "range",
        "complex",
    ]
)
_WITHIN = re.compile(
    r"Literal\[['\"](?P<literal>[^'\"]+)['\"]\]$|</?(?P<tag>\w+)/?>$|(?P<error>[A-Z]\w*(?:Error|Exception|Warning)): "
)
"""What is told as a type checker does, as a tag, or with its message."""
_MOST_WORDS = 10
_NOISE = frozenset(
    [
        "count",
        "counts",
        "accept",
        "accepts",
        "accepted",
        "allowed",
        "supported",
        "support",
        "treat",
        "treated",
        "valid",
        "recognized",
        "recognised",
        "known",
        "missing",
        "lacks",
        "lacking",
        "disabled",
        "enabled",
        "handle",
        "handled",
        "entry",
        "entries",
        "element",
        "elements",
        "item",
        "items",
        "member",
        "members",
        "choice",
        "choices",
        "options",
        "extension",
        "extensions",
        "include",
        "includes",
        "included",
        "considered",
        "forgot",
        "list",
        "dictionary",
        "mapping",
        "map",
        "tuple",
        "set",
        "collection",
        "whitelist",
        "allowlist",
        "blocklist",
        "check",
        "passes",
        "pass",
        "work",
        "works",
        "ignore",
        "ignored",
        "skip",
        "skipped",
    ]
)


def candidates(before: Snippet, holder: Holder, instruction: str) -> list[tuple[Span, str]]:
    """The words that could be a member, as source in the style of those there are; quoted ones and code first."""
    styles = [_style(before, one) for one in holder.members]
    if not styles or not all(styles):
        return []
    present = {text_of(before, one) for one in holder.members}
    named = {one.name for one in before.functions} | set(holder.near)
    found: list[tuple[int, int, Span, str]] = []
    for span in parts(instruction):
        text = as_member(span, before, holder.members)
        if text and text not in present and (span.mark or span.text not in named):
            rank = 0 if span.mark else 1 if re.search(r"[^a-z]", span.text) else 2 if certain(span.text) else 3
            found.append((rank, span.start, span, text))
    found.sort(key=lambda one: one[:2])
    kept = {text: (span, text) for _, _, span, text in reversed(found)}
    return [kept[text] for text in dict.fromkeys(text for *_, text in found)][:_MOST_WORDS]


@lru_cache(maxsize=64)
def parts(instruction: str) -> tuple[Span, ...]:
    """The words and quoted pieces, those joined by a slash or an equals sign apart."""
    return tuple(_parts(instruction))


def _parts(instruction: str) -> Iterator[Span]:
    for span in spans(instruction):
        if inner := _WITHIN.match(span.text):
            mark = "" if inner["error"] else span.mark or "`"
            yield Span(inner[inner.lastgroup or 0], mark, span.start, span.end)
            continue
        pieces = re.split(r"[/,|]|(?<==)", span.text) if not span.mark else [span.text]
        at = span.start
        if len(pieces) == 1 or not all(pieces):
            yield span
            continue
        for piece in pieces:
            if not piece.endswith("="):
                yield Span(piece, "=" if "=" in span.text else "", at, at + len(piece))
            at += len(piece) + 1


def _style(before: Snippet, node: ast.expr) -> str:
    match node:
        case ast.Constant(value=str()):
            return "str" if text_of(before, node)[:1] in ("'", '"') else ""
        case ast.Constant(value=bytes()):
            return "bytes"
        case ast.Constant(value=int() | float()):
            return "number"
        case ast.Name() | ast.Attribute():
            return "name"
    return ""


def as_member(span: Span, before: Snippet, members: Sequence[ast.expr]) -> str:
    """A word of the instruction as a member like the others, or "" when it cannot be one."""
    styles = {_style(before, one) for one in members}
    text = span.text
    bare = text.strip("'\"") if span.mark == "`" else text
    if styles == {"str"}:
        plain = not span.mark and (text.lower() in _NOISE or not certain(text))
        if (
            not re.search(r"\w" if not span.mark else ".", bare)
            or '"' in bare
            or "'" in bare
            or "\\" in bare
            or (plain and not re.search(r"[^a-z]", text))
        ):
            return ""
        values = [str(one.value) for one in members if isinstance(one, ast.Constant)]
        return _quoted(before, members[0], bare if span.mark else _fitted(bare, values))
    if styles == {"number"}:
        return text if re.fullmatch(SIGNED, text) else ""
    if styles == {"name"}:
        return _as_name(text.removesuffix("()"), span, members)
    return ""


_ERROR = re.compile(r"(?:Error|Exception|Warning)$")
"""No error stands beside what is none."""


def _as_name(text: str, span: Span, members: Sequence[ast.expr]) -> str:
    typed = all(_is_type(ast.unparse(one)) for one in members)
    if typed:
        if not span.mark and span.start == 0 and re.fullmatch(r"[A-Z][a-z]+", text):
            return ""
        text = _TYPES.get(text.lower(), re.sub(r"(Error|Exception|Warning)s$", r"\1", text))
        return text if re.fullmatch(r"[\w.]+", text) and is_expression(text) and _is_type(text) else ""
    if not re.fullmatch(r"[^\W\d]\w*(?:\.[^\W\d]\w*)*", text) or not is_expression(text) or _ERROR.search(text):
        return ""
    prefix = {ast.unparse(one).rpartition(".")[0] for one in members}
    loud = all(ast.unparse(one).rpartition(".")[2].isupper() for one in members)
    if loud and not text.isupper() and not re.search(r"[A-Z]{2}", text):
        return ""
    if len(prefix) == 1 and "" not in prefix and "." not in text and (loud or span.mark):
        return f"{prefix.pop()}.{text}"
    return text if span.mark or re.search(r"[_.\d]|[A-Z]", text) else ""


def _is_type(text: str) -> bool:
    return text in _BUILTIN or bool(re.match(r"_*[A-Z]\w*[a-z]", text.rpartition(".")[2]))


def _fitted(word: str, values: Sequence[str]) -> str:
    """A word with the sign all values begin with, in their case."""
    sign = next(iter(values[0][:1]), "")
    if sign and sign in "-./@#:" and all(one[:1] == sign for one in values) and not word.startswith(sign):
        lead = "--" if all(one.startswith("--") for one in values) else sign
        word = lead + word
    if all(one.isupper() for one in values) and word.islower():
        return word.upper()
    return word


def _quoted(before: Snippet, like: ast.expr, value: str) -> str:
    mark = text_of(before, like)[:1]
    return f"{mark}{value}{mark}"


def runs(instruction: str, words: Sequence[tuple[Span, str]]) -> list[list[tuple[Span, str]]]:
    """The words that are listed one after the other."""
    ordered = sorted(words, key=lambda one: one[0].start)
    runs: list[list[tuple[Span, str]]] = [[one] for one in ordered[:1]]
    for left, right in pairwise(ordered):
        gap = instruction[left[0].end : right[0].start].strip("`'\"")
        if _GLUE.fullmatch(gap.strip("`'\"")) or _GLUE.fullmatch(gap):
            runs[-1].append(right)
        else:
            runs.append([right])
    return runs
