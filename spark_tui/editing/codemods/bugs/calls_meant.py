"""Calls that the words mean without writing them as code, and values held up against an error that is told."""

import ast
import re
from collections.abc import Iterator

from spark_tui.editing.code import text_of
from spark_tui.editing.codemods.bugs.call_changes import METHODS
from spark_tui.editing.codemods.bugs.slips import Found, Spot, replaced, spots
from spark_tui.editing.codemods.common.named import words
from spark_tui.editing.snippet import Snippet

_AS = r"\b(?:as|to|into) (?:an? )?"
_SPOKEN = (
    (
        "strip",
        r"\b(?:strip|trim)(?:s|ped|med|ping|ming)?\b|\b(?:trailing|leading|extra) (?:white ?space|blank|space|newline)",
    ),
    ("lower", r"\blower[- ]?cas|\bcase[- ](?:in)?sensitiv|\b(?:regardless of|ignor\w+|whatever) (?:the )?case\b"),
    ("upper", r"\bupper[- ]?cas|\bin capital"),
    ("str", _AS + r"(?:str|string|text)\b|\bstringif"),
    ("int", _AS + r"(?:int|integer|whole number)\b"),
    ("float", _AS + r"float\b"),
    ("list", _AS + r"list\b|\bcop(?:y|ies) of\b"),
    ("set", _AS + r"set\b|\bduplicates?\b"),
    ("sorted", r"\bsort(?:ed)?\b|\balphabetical|\bdeterministic|\bin (?:a )?(?:stable|fixed|random) order\b"),
    ("copy", r"\b(?:copy|copied|shallow|caller's|mutat\w+|shared)\b"),
)
_TEXTUAL = frozenset(
    """
    startswith endswith split rsplit find index count replace encode lower upper strip partition format join isdigit
    casefold removeprefix removesuffix title splitlines
    """.split()  # noqa: SIM905 - a list of one word a line would be longer
)
_ZERO = re.compile(r"ZeroDivision|\bby (?:zero|0)\b|must not be zero|\bzero step", re.IGNORECASE)
_NO_ITEMS = re.compile(r"(?:max|min)\(\)[^.]* empty|empty sequence|argument is empty|StopIteration", re.IGNORECASE)
_NONE_LOOP = re.compile(r"NoneType'? object is not iterable", re.IGNORECASE)
_WHOLE = (ast.Name, ast.Attribute, ast.Subscript, ast.Call)


def calls_meant(before: Snippet, instruction: str, *, spoken: bool = True) -> Iterator[Found]:
    """Each value with a call that is told in words, those named first, then what holds an error told off.

    Args: spoken: whether calls that are told in words are wanted at all.
    """
    every = list(spots(before.tree))
    said = words(instruction)
    named = sorted(every, key=lambda spot: text_of(before, spot.node).rpartition(".")[2] not in said)
    for word in _wanted(instruction) if spoken else ():
        for spot in named:
            if (source := text_of(before, spot.node)) and _takes(spot, word):
                text = f"{source}.{word}()" if word in METHODS else f"{word}({source})"
                yield spot.function, replaced(before, spot.node, text)
    for spot in every:
        if source := text_of(before, spot.node):
            for text in (*_used(spot, source, instruction), *_got(before, spot, source, instruction)):
                yield spot.function, replaced(before, spot.node, text)


def _wanted(instruction: str) -> list[str]:
    """The calls told in words; a word in capitals that is told in small letters too is one to be lowered."""
    found = [word for word, pattern in _SPOKEN if re.search(pattern, instruction.lower())]
    both = (one for one in re.findall(r"\b[A-Z]{2,}\b", instruction) if one.lower() in words(instruction))
    return list(dict.fromkeys([*found, *("lower" for _ in both)]))


def _takes(spot: Spot, word: str) -> bool:
    """Whether a value could be meant by a call that the words tell."""
    node = spot.node
    read = isinstance(node, _WHOLE) and isinstance(getattr(node, "ctx", None) or ast.Load(), ast.Load)
    own = isinstance(node, ast.Name) and node.id in ("self", "cls")
    return read and not own and _stands_for(spot, word, textual=word in ("strip", "lower", "upper"))


def _stands_for(spot: Spot, word: str, *, textual: bool) -> bool:
    """Whether a value stands where what a call makes of it could."""
    node, parent = spot.node, spot.parent
    match parent:
        case ast.Attribute(attr=attr):
            return textual and attr in _TEXTUAL and attr != word
        case ast.Call(func=func):
            return func is not node
        case ast.For(iter=over) | ast.comprehension(iter=over):
            return over is node and not textual
        case ast.Subscript(slice=key):
            return key is node
    return isinstance(parent, ast.Compare | ast.Assign | ast.Return | ast.keyword | ast.Dict | ast.Tuple)


def _used(spot: Spot, source: str, instruction: str) -> Iterator[str]:
    """A value that is divided by, stepped by or looped over as what it must not be."""
    node = spot.node
    match spot.parent:
        case ast.BinOp(op=ast.Div() | ast.FloorDiv() | ast.Mod(), right=right) if _ZERO.search(instruction):
            if right is node and isinstance(node, _WHOLE):
                yield from (f"max({source}, 1)", f"({source} or 1)")
        case ast.Call(func=ast.Name(id="range"), args=[_, _, step]) if step is node and _ZERO.search(instruction):
            yield from (f"max({source}, 1)", f"{source} or 1")
        case ast.For(iter=over) | ast.comprehension(iter=over) if over is node and _NONE_LOOP.search(instruction):
            yield f"{source} or ()" if isinstance(spot.parent, ast.comprehension) else f"{source} or []"


def _got(before: Snippet, spot: Spot, source: str, instruction: str) -> Iterator[str]:
    """What may find nothing, with something in its place."""
    match spot.node:
        case ast.Call(func=ast.Name(id="max" | "min"), args=[_], keywords=keywords) if _NO_ITEMS.search(instruction):
            if all(one.arg != "default" for one in keywords):
                yield from (f"{source[:-1]}, default={value})" for value in ("0", "None"))
        case ast.Call(func=ast.Name(id="next"), args=[only]) if _NO_ITEMS.search(instruction):
            inner = source.removeprefix("next(")[:-1]
            bare = isinstance(only, ast.GeneratorExp) and not inner.startswith("(")
            yield f"next(({inner}), None)" if bare else f"next({inner}, None)"
        case ast.Subscript(value=value, slice=key, ctx=ast.Load()) if "KeyError" in instruction:
            if isinstance(key, ast.Name | ast.Attribute | ast.Constant) and not isinstance(spot.parent, ast.Subscript):
                yield f"{text_of(before, value)}.get({text_of(before, key)})"
        case ast.Call(func=ast.Attribute(attr="pop"), args=[_], keywords=[]) if "KeyError" in instruction:
            yield f"{source[:-1]}, None)"
