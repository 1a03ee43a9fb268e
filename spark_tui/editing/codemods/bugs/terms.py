"""Terms that a calculation may lack: those of its neighbours, those told, those that a symptom speaks of."""

import ast
import re
from collections.abc import Iterator
from itertools import islice

from spark_tui.editing.code import end_of, start_of, text_of
from spark_tui.editing.codemods.bugs.mistaken import Slip, plain_nodes
from spark_tui.editing.snippet import Snippet

_TOLD = re.compile(r"(?<![\w.])([+-]) ?(\d+(?:\.\d+)?)(?![\w.])|\b(plus|minus) (one|\d+)\b")
_SMALL = re.compile(
    r"\btoo (?:small|short|low|little|few|early|narrow)\b"
    r"|\b(?:lacks?|lacking|missing|misses|without|forg[eo]t\w*|off by|not counted)\b"
)
_LARGE = re.compile(
    r"\btoo (?:large|long|big|high|much|many|late|wide|far)\b"
    r"|\b(?:overflows?|exceeds?|left|remain\w*|beyond|past the|off by|twice)\b"
)
_REST = re.compile(r"\b(?:missing|pad\w*|multiple|round\w*|align\w*|remain\w*|left over|fill\w*)\b")
_FACTORS_TOLD = {
    r"\bminutes?\b": ("* 60", "/ 60", "// 60"),
    r"\bhours?\b": ("* 3600", "/ 3600", "* 60"),
    r"\bms\b|\bmilli\w*": ("* 1000", "/ 1000"),
    r"\bpercent\w*|\d%": ("* 100", "/ 100"),
    r"\btwo\b|\bdouble\b|\btwice\b": ("* 2", "/ 2", "// 2"),
    r"\bhalf\b|\bmiddle\b": ("/ 2", "// 2", "* 2"),
    r"\b[km]i?b\b": ("* 1024", "/ 1024", "// 1024"),
}
"""What tells another unit or size, and the factors."""
_SIGNS = {ast.Add: "+", ast.Sub: "-"}
_PLAIN = (ast.Name, ast.Attribute, ast.Subscript, ast.Call)
_FACTORS = (ast.Mult, ast.Div, ast.FloorDiv, ast.Mod)
_MOST_TERMS, _MOST_SPOKEN = 3, 16


def argument_terms(before: Snippet) -> Iterator[Slip]:
    """The terms that the arguments beside have, and all their signs turned at once."""
    for node in plain_nodes(before.tree):
        if isinstance(node, ast.Call):
            yield from _of_neighbours(before, node)
            yield from _all_turned(before, node)


def told_terms(before: Snippet, instruction: str) -> Iterator[Slip]:
    """The terms that the words tell, and those for which a symptom speaks; the first of a kind only."""
    nodes, words = list(plain_nodes(before.tree)), instruction.lower()
    for sign, number in _told(instruction):
        for value, tight in _values(nodes):
            yield from _with_term(before, value, f"{sign} {number}", tight, (sign, number))
    if _REST.search(words):
        yield from _rests(before, nodes)
    signs = [sign for sign, told in (("+", _SMALL), ("-", _LARGE)) if told.search(words)]
    spoken = (
        slip
        for sign in signs
        for value, tight in _values(nodes)
        for term in _terms(before, nodes, value, sign)[:_MOST_TERMS]
        for slip in _with_term(before, value, f"{sign} {term}", tight, tuple(re.findall(r"\w+", term)))
    )
    yield from islice(spoken, _MOST_SPOKEN)
    yield from islice(_scaled(before, nodes, words), _MOST_SPOKEN)


def _scaled(before: Snippet, nodes: list[ast.AST], words: str) -> Iterator[Slip]:
    """A plain value in another unit, or several times as much, as the words speak of it."""
    factors = [one for told, found in _FACTORS_TOLD.items() if re.search(told, words) for one in found]
    for value in _plain_values(nodes) if factors else ():
        source = text_of(before, value)
        for factor in factors if source else ():
            yield Slip(
                start_of(before, value), end_of(before, value), f"{source} {factor}", (source, *source.split("."))
            )


def _plain_values(nodes: list[ast.AST]) -> Iterator[ast.expr]:
    """What is passed on, kept or given back and has a name of its own."""
    for node in nodes:
        match node:
            case ast.Call(args=args, keywords=keywords):
                found = [*args, *(one.value for one in keywords)]
            case ast.Return(value=ast.expr() as value) | ast.Assign(value=value):
                found = [value]
            case _:
                continue
        for one in found:
            if isinstance(one, ast.Name | ast.Attribute) and getattr(one, "id", "") not in ("self", "cls"):
                yield one


def _of_neighbours(before: Snippet, call: ast.Call) -> Iterator[Slip]:
    """The term that one argument adds added to a plain one beside it: `f(a + n, b)` as `f(a + n, b + n)`."""
    added = [one for one in call.args if isinstance(one, ast.BinOp) and type(one.op) in _SIGNS]
    for other in call.args:
        if not isinstance(other, ast.Name | ast.Attribute | ast.Subscript):
            continue
        for one in added:
            assert isinstance(one, ast.BinOp)
            term = f"{_SIGNS[type(one.op)]} {text_of(before, one.right)}"
            if text_of(before, one.right) not in ("", text_of(before, other)):
                yield from _with_term(before, other, term, False, (text_of(before, one.right),))


def _all_turned(before: Snippet, call: ast.Call) -> Iterator[Slip]:
    """Every sum among the arguments as a difference, or every difference as a sum."""
    for old, new in (("+", "-"), ("-", "+")):
        found = [one for one in call.args if isinstance(one, ast.BinOp) and _SIGNS.get(type(one.op)) == old]
        source = text_of(before, call)
        turned = source
        for one in found:
            assert isinstance(one, ast.BinOp)
            sides = text_of(before, one.left), text_of(before, one.right)
            turned = turned.replace(f"{sides[0]} {old} {sides[1]}", f"{sides[0]} {new} {sides[1]}", 1)
        if len(found) > 1 and turned != source:
            yield Slip(start_of(before, call), end_of(before, call), turned, (old, new))


def _told(instruction: str) -> Iterator[tuple[str, str]]:
    for sign, number, spoken, amount in _TOLD.findall(instruction):
        yield sign or {"plus": "+", "minus": "-"}[spoken], number or ("1" if amount == "one" else amount)


def _values(nodes: list[ast.AST]) -> Iterator[tuple[ast.expr, bool]]:
    """What a term may be missing from, and whether it stands where that needs parentheses."""
    for node in nodes:
        match node:
            case ast.BinOp(left=left, op=op, right=right) if isinstance(op, _FACTORS):
                yield from ((one, True) for one in (left, right) if isinstance(one, _PLAIN))
            case ast.Return(value=ast.expr() as value) | ast.Assign(targets=[ast.Name()], value=value):
                if isinstance(value, _PLAIN):
                    yield value, False


def _terms(before: Snippet, nodes: list[ast.AST], value: ast.expr, sign: str) -> list[str]:
    """What the region adds elsewhere, and for a difference what it counts above."""
    own = text_of(before, value)
    found: list[ast.expr] = []
    for node in nodes:
        match node:
            case ast.BinOp(left=left, op=ast.Add() | ast.Sub(), right=right):
                found += [left, right]
            case ast.Assign(targets=[ast.Name() as target], value=ast.BinOp() | ast.Call()) if sign == "-":
                found += [target] if target.lineno < value.lineno else []
    texts = dict.fromkeys(text_of(before, one) for one in found if isinstance(one, _PLAIN))
    return [one for one in texts if one and one != own and one not in own]


def _with_term(before: Snippet, value: ast.expr, term: str, tight: bool, words: tuple[str, ...]) -> Iterator[Slip]:
    source = text_of(before, value)
    if source:
        start, end = start_of(before, value), end_of(before, value)
        text = f"({source} {term})" if tight else f"{source} {term}"
        yield Slip(start, end, text, (source, *words, *re.findall(r"\w+", source)))


def _rests(before: Snippet, nodes: list[ast.AST]) -> Iterator[Slip]:
    """What is missing to the next multiple in the place of what is over: `n % m` as `-n % m` and `m - n % m`."""
    for node in nodes:
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mod) and (source := text_of(before, node)):
            divisor = source[len(text_of(before, node.left)) :].lstrip(" %")
            for text in (f"-{source}", f"{divisor} - {source}"):
                yield Slip(start_of(before, node), end_of(before, node), text, ("%", divisor))
