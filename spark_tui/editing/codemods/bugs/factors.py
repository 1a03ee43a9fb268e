"""Factors and terms that a value may lack, as words hint at them: a unit, "twice", what is said to get lost."""

import ast
import re
from collections.abc import Iterator
from itertools import islice

from spark_tui.editing.code import Function, end_of, parameters, start_of, text_of
from spark_tui.editing.codemods.bugs.mistaken import Slip
from spark_tui.editing.codemods.bugs.slips import Spot, spots
from spark_tui.editing.codemods.common.expression_places import spoken_of
from spark_tui.editing.codemods.common.negation import strength
from spark_tui.editing.codemods.common.said import certain
from spark_tui.editing.snippet import Snippet
from spark_tui.editing.statements import dotted

_UNITS = (
    (r"\bminutes?\b", ("60",)), (r"\bhours?\b", ("3600", "60")), (r"\bdays?\b", ("86400", "24")),
    (r"\b(?:milliseconds?|millis|ms)\b", ("1000",)), (r"\b(?:percent\w*|per cent)\b|%", ("100",)),
    (r"\b(?:ki?b|kilobytes?)\b", ("1024",)), (r"\b(?:twice|double[ds]?|two times)\b", ("2",)),
)  # fmt: skip
_TIMES = re.compile(
    r"\b(\d+) ?(?:x|times|Mi?B|Ki?B|Gi?B|mega\w*|kilo\w*)\b|\b(?:times|factor(?: of)?|by) (\d+)\b", re.IGNORECASE
)
_LOST = re.compile(
    r"\b(\w+) (?:is |are |gets? |was |were |has been )?"
    r"(?:lost|ignored|forgotten|missing|dropped|left out|unused|(?:not|is ?n[o']t) (?:applied|used|counted))\b"
    r"|\b(?:ignores|forgets|loses|misses|drops) (?:the |its )?(\w+)",
    re.IGNORECASE,
)
_SIGNS = {ast.Mult: "*", ast.Add: "+", ast.Sub: "-", ast.Div: "/"}
_PLAIN = (ast.Name, ast.Attribute, ast.Subscript, ast.Call, ast.BinOp)
_MOST = 8


def factor_slips(before: Snippet, instruction: str) -> Iterator[Slip]:
    """Values times what the words tell, those spoken of first; and with what is said to get lost."""
    factors = [one or two for one, two in _TIMES.findall(instruction)]
    factors += [one for unit, told in _UNITS if re.search(unit, instruction, re.IGNORECASE) for one in told]
    lost = [one or two for one, two in _LOST.findall(instruction) if certain(one or two)]
    if not (factors or lost):
        return
    every = [spot for spot in spots(before.tree) if _is_amount(spot)]
    spoken = [spot for spot in every if spoken_of(instruction, (dotted(spot.node) or "").rpartition(".")[2])]
    yield from islice(
        (slip for spot in spoken or every for one in factors for slip in _times(before, spot, one)), _MOST
    )
    yield from islice((slip for word in lost for spot in every for slip in _with_lost(before, spot, word)), _MOST)


def _is_amount(spot: Spot) -> bool:
    """Whether an expression is the whole of what is kept, passed by name, returned or a default."""
    node, parent = spot.node, spot.parent
    match parent:
        case ast.Assign() | ast.AnnAssign() | ast.Return() | ast.keyword():
            return parent.value is node and isinstance(node, _PLAIN)
        case ast.arguments():
            return isinstance(node, ast.BinOp)
    return False


def _times(before: Snippet, spot: Spot, factor: str) -> Iterator[Slip]:
    source = text_of(before, spot.node)
    product = isinstance(spot.node, ast.BinOp) and isinstance(spot.node.op, ast.Mult)
    if source and (product or not isinstance(spot.node, ast.BinOp)) and factor not in re.findall(r"\w+", source):
        words = tuple(re.findall(r"\w+", source))
        for text in (f"{factor} * {source}", f"{source} * {factor}") if product else (f"{source} * {factor}",):
            yield Slip(start_of(before, spot.node), end_of(before, spot.node), text, (factor, *words))


def _with_lost(before: Snippet, spot: Spot, word: str) -> Iterator[Slip]:
    """A value that is returned or kept times, plus or minus what is said to get lost."""
    if not isinstance(spot.parent, ast.Return) or spot.function is None or _answers(spot.node):
        return
    source = text_of(before, spot.node)
    if not source or strength(before, spot.node) < 0 or isinstance(spot.node, ast.BinOp):
        return
    for name in _called(before, spot.function, word):
        used = {dotted(one) for one in ast.walk(spot.function) if isinstance(one, ast.Name | ast.Attribute)}
        signs = [] if name in used else [_SIGNS[type(one.op)] for one in _sums(before) if dotted(one.right) == name]
        for sign in dict.fromkeys(signs) or (() if name in used else ("*", "+", "-")):
            end = end_of(before, spot.node)
            yield Slip(end, end, f" {sign} {name}", (word,))


def _answers(node: ast.expr) -> bool:
    """Whether a call gives what is no amount."""
    name = (dotted(node.func) or "") if isinstance(node, ast.Call) else ""
    return name in ("all", "any", "iter", "isinstance", "bool", "str", "list", "dict", "set", "repr", "super")


def _sums(before: Snippet) -> list[ast.BinOp]:
    return [one for one in before.nodes if isinstance(one, ast.BinOp) and type(one.op) in _SIGNS]


def _called(before: Snippet, function: Function, word: str) -> list[str]:
    """The parameters and members of that name; a member of the object as the others are written, else."""
    names = [one.arg for one in parameters(function) if spoken_of(word, one.arg)]
    own = {one.attr for one in before.nodes if isinstance(one, ast.Attribute) and dotted(one.value) == "self"}
    names += [f"self.{one}" for one in sorted(own) if one.strip("_") == word]
    private = bool(own) and all(one.startswith("_") for one in own)
    return names or ([f"self.{'_' if private else ''}{word}"] if own and word.isidentifier() else [])
