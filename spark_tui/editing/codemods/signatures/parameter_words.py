"""The parameter that an instruction asks for: its name, type and default, in code or in words."""

import ast
import keyword
import re
from collections.abc import Container, Iterator
from functools import lru_cache

from spark_tui.editing.codemods.common.named import call_at, quotations
from spark_tui.editing.codemods.common.said import certain, is_expression
from spark_tui.editing.codemods.hints.typing_words import types_said
from spark_tui.editing.numbers import SIGNED
from spark_tui.editing.signatures import parameter_source
from spark_tui.editing.trees import parse

_NAME = re.compile(r"(?<![\w.])[^\W\d]\w*(?!\w|\.\w|[(\[])")
_GLUE = frozenset([
    "list", "more", "a", "an", "the", "to", "of", "in", "on", "at", "as", "by", "for", "with", "and", "or",
    "is", "it", "be", "its", "not", "this", "that", "should", "must", "i", "we", "you", "whose", "has", "have",
    "named", "called", "too", "please", "no", "so", "if", "can", "could", "would", "which",
])  # fmt: skip
_LITTLE = _GLUE | frozenset([
    "parameter", "argument", "param", "arg", "input", "flag", "formal", "meant", "procedure", "routine", "func",
    "keep", "signature", "function", "method", "def", "default", "value", "type", "optional", "required", "new",
    "extra", "another", "one", "more", "keyword", "positional", "parameters", "params", "args", "arguments",
    "take", "accept", "pass", "field", "let", "choose", "defaulting", "defaults", "stick", "preset", "fallback",
    "callers", "settable", "overridable", "configurable", "d", "s", "t", "ll", "m", "re", "put", "add",
    "append", "give", "make", "extend", "want", "need", "introduce", "allow", "insert", "identifier", "name",
    "option", "wanted", "caller", "wants", "definition", "knows", "hand", "short", "provide", "nobody",
    "unless", "otherwise", "normally", "assume", "supply",
])  # fmt: skip
_NOUN = re.compile(r"(?i:parameter|argument|param|arg|option|flag|input|named|called|accept|take|pass)[`'\": ]+$")
_NOUN_AFTER = re.compile(r"[`'\"]? (?:parameter|argument|param|arg|option|flag|keyword|kwarg)\b")
_GIVEN = re.compile(
    r"\b(?:add|pass|passing|choose|set|give|take|accept|have|get|expect|optional|extra|append|put) [`'\"]?$",
    re.IGNORECASE,
)
_DEFAULTING = re.compile(
    r"[`'\"]?,? (?:\(|default|with|by default|whose|(?:that|which) default|of type|if omitted|typed|as a|to the|at the)"
)
_CODE_LIKE = re.compile(r"\w*[_\d]\w*|[a-z]+[A-Z]\w*")
_DEFAULT = re.compile(
    r"\b(?:(?:default|fallback|preset)(?:s|ing|ed)?(?: value)?(?: is| of| to|:)*|by default|set to|equal to"
    r"|otherwise it is|with) (?=\S)"
)
_BY_DEFAULT = re.compile(
    r"\W{0,2}(?:(?: ?(?:s|ms|secs?|seconds|px|bytes))? default\b"
    r"|(?:stays|remains|being|is)(?: the)? default|by default|when not given|if omitted|if not given"
    r"|as (?:the |its |a )?(?:default|fallback|preset))\b"
)
_TYPED = re.compile(r"\b(?:of type|typed|annotated|hinted|declared)\b|\(type ")
_OPTIONAL = re.compile(
    r"\boptional\b|\blet (?:me|people|callers?|us|the caller)\b|\bif (?:given|wanted|any)\b|\boverrid\w+"
)
_NUMBER = re.compile(SIGNED)
_STRING = re.compile(r"""[bfr]?(?:'[^']*'|"[^"]*")""")
_WORDS_FOR = [
    (re.compile(rf"(?:an? )?(?:{words})(?![\w.(])", re.IGNORECASE), source)
    for words, source in (
        ("empty tuple", "()"), ("empty list", "[]"), ("empty dict", "{}"), ("empty string", '""'), ("true|on", "True"),
        ("false|off", "False"), ("nothing", "None"), ("space", '" "'), ("zero", "0"),
    )
]  # fmt: skip
_INLINE = re.compile(r"(?<![\w.])(\*{0,2}[^\W\d]\w*)[`'\"]?(?=\s?[:=])")
_LITERAL = re.compile(r"(?<![\w.'\"`])(?:[`'\"\[{(]|-?\d|True\b|False\b|None\b)|(?<![\w.'\"`])(?=[A-Z]{2,}\b|\w+[.(])")


@lru_cache(maxsize=64)
def parameters_said(instruction: str, taken: frozenset[str]) -> tuple[str, ...]:
    """Every parameter an instruction may ask for, as source; when some are spelled out in code, only those.

    Args: taken: names that cannot be the parameter's.
    """
    spelled = [*filter(_is_parameter, quotations(instruction)), *_inline(instruction)]
    spelled = [one for one in spelled if not one.isidentifier() and name_of(one) not in taken]
    if spelled:
        return tuple(dict.fromkeys(spelled))
    defaults = list(dict.fromkeys(_defaults(instruction))) or (["None"] if _OPTIONAL.search(instruction) else [])
    likely = list(dict.fromkeys(_literals(instruction))) if not defaults else []
    found = []
    inside = {name: "." in kind for kind in types_said(instruction) for name in re.findall(r"[a-z]\w*", kind)}
    for name in _names(instruction, taken | set(defaults) | inside.keys(), [one for one in inside if inside[one]]):
        kinds = [one for one in types_said(instruction) if _is_meant(one, name) and not _is_place(instruction, one)]
        for fallback in defaults or ["", *likely]:
            told = [one for one in kinds if one != fallback]
            found += [parameter_source(name, one, fallback) for one in told]
            if not any("[" in one or "|" in one for one in told) and not (told and _TYPED.search(instruction)):
                found.append(parameter_source(name, "", fallback))
    return tuple(dict.fromkeys(found))


def name_of(parameter: str) -> str:
    """The name in the source of a parameter."""
    return re.split(r"[:=]", parameter.lstrip("*"))[0].strip()


def _is_meant(kind: str, name: str) -> bool:
    if kind[:1] in ("'", '"'):
        return False
    return kind not in (name, "None") and not kind.endswith(("Error", "Exception"))


def values_at(text: str, at: int) -> Iterator[str]:
    """The values that may begin at a place: a literal, a name, a call; what is quoted may be code or a string."""
    mark = text[at : at + 1]
    if mark in ("`", "'", '"') and (end := text.find(mark, at + 1)) > 0:
        inner = text[at + 1 : end]
        if is_expression(inner):
            yield inner
        if mark == "`":
            return
    for pattern in (_STRING, _NUMBER):
        if match := pattern.match(text, at):
            yield match[0]
            return
    if mark and mark in "[{(" and text[at : at + 2] in ("[]", "{}", "()"):
        yield text[at : at + 2]
    for words, source in _WORDS_FOR:
        if match := words.match(text, at):
            yield source
            return
    if name := call_at(text, at):
        yield name


def _is_place(instruction: str, kind: str) -> bool:
    """Whether what looks like a type is what the parameter goes to, or stands for."""
    to = r"\b(?:on to|through to|down to|instead of|rather than|in place of|call(?:s| to)"
    to += r"|pass\w* (?:it|that|this) (?:on )?to)"
    return re.search(rf"{to} [`'\"]?{re.escape(kind)}(?!\w)", instruction) is not None


def _is_parameter(text: str) -> bool:
    try:
        tree = parse(f"def f({text}): pass").body[0]
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    assert isinstance(tree, ast.FunctionDef)
    spec = tree.args
    return len([*spec.args, *spec.kwonlyargs, *filter(None, [spec.vararg, spec.kwarg])]) == 1


def _inline(instruction: str) -> Iterator[str]:
    """`name: type = value` and the like, without quotes around it."""
    done = 0
    for match in _INLINE.finditer(instruction):
        if match.start() < done:
            continue
        rest = match.end()
        kind = ""
        if typed := re.match(r": (?=\S)", instruction[rest:]):
            kind = _union_at(instruction, rest + typed.end())
            if kind not in types_said(instruction):
                continue
            rest += typed.end() + len(kind)
        value, text = "", ""
        if equals := re.match(r"\s?=\s?(?=\S)", instruction[rest:]):
            text = instruction[rest + equals.end() :]
            literal = None if match[0][-1:] in "`'\"" else _STRING.match(text)
            value = literal[0] if literal else next(values_at(text, 0), "")
        if value or (kind and not _NOUN.search(match[1] + " ") and match[1] not in ("type", "default")):
            done = rest + len(kind) + len(value)
            yield parameter_source(match[1], kind, value)


def _union_at(text: str, at: int) -> str:
    """`A | B` from a place on."""
    start = at
    while name := call_at(text, at, "["):
        at += len(name)
        if text[at : at + 3] != " | ":
            break
        at += 3
    return text[start:at].removesuffix(" | ")


def _defaults(instruction: str) -> Iterator[str]:
    for match in _DEFAULT.finditer(instruction):
        weak = match[0].strip() in ("with", "set to", "equal to")
        values = [one for one in values_at(instruction, match.end()) if one not in _LITTLE]
        yield from (one for one in values if not weak or _is_by_default(instruction, match.end(), one))
    for match in re.finditer(r"(?<![\w.'\"`])[`'\"\[({]|(?<![\w.'\"`])[-\w]", instruction):
        values = [one for one in values_at(instruction, match.start()) if one not in _LITTLE]
        yield from (one for one in values if _is_by_default(instruction, match.start(), one))


def _literals(instruction: str) -> Iterator[str]:
    """What may be a default without being called so: literals, constants, dotted names, calls."""
    for match in _LITERAL.finditer(instruction):
        for value in values_at(instruction, match.start()):
            if not value.isidentifier() or value in ("True", "False", "None") or value.isupper():
                yield value


def _is_by_default(instruction: str, at: int, value: str) -> bool:
    end = instruction.find(value, at) + len(value)
    return _BY_DEFAULT.match(instruction, end) is not None


def _names(instruction: str, taken: Container[str], paths: Container[str]) -> list[str]:
    """What may be the name: words told to be it, in quotes or like code; else words that are no prose, or any.

    Args: paths: those taken that are parts of dotted names only, and may be the parameter's in quotes.
    """
    sure: list[str] = []
    likely: list[str] = []
    other: list[str] = []
    for match in _NAME.finditer(instruction):
        name, before, after = match[0], instruction[: match.start()], instruction[match.end() :]
        quoted = before[-1:] in ("`", "'", '"') and after[:1] == before[-1:]
        if keyword.iskeyword(name) or (name in taken and not (quoted and name in paths)):
            continue
        if quoted or (name not in _GLUE and (_CODE_LIKE.fullmatch(name) or _NOUN.search(before))):
            sure.append(name)
        elif name not in _LITTLE and name[0].islower():
            likely_one = certain(name) or _GIVEN.search(before) or _DEFAULTING.match(after) or _NOUN_AFTER.match(after)
            (likely if likely_one else other).append(name)
    return sure or likely or other
