"""Write small expressions the plain way."""

import ast
import re
from collections.abc import Iterator, Sequence
from random import Random
from typing import ClassVar

from spark_tui.editing.code import end_of, start_of, text_of
from spark_tui.editing.codemods.common.tidy import Spot, fits, on_node
from spark_tui.editing.codemods.rewording.plainer import SYMBOLS, TIGHT, sides
from spark_tui.editing.codemods.simplify import is_tested, source, spots
from spark_tui.editing.snippet import Snippet
from spark_tui.training.kinds import simplify_words
from spark_tui.training.kinds.base import Edit, Kind, Planted
from spark_tui.training.kinds.tidying import plant_spots, propose_spots

_KEYWORDS = ("not", "if", "True", "False", "None", "lambda", "range", "len", "bool")
_CALLED_BACK = ("key", "default", "func", "callback", "target", "object_hook", "on_error", "function")
_OPPOSITE = {"==": "!=", "!=": "=="}


class Simplify(Kind):
    """`len(x) == 0` becomes `not x`, `x = x + 1` becomes `x += 1`, and so on.

    Slots: {old} and {new} are sources, {subject}, {sign}, {boolean}, {keyword} and {class_name}
    what else can be said of one; a slot named as a rule is "" and says that the words of this rule may be used.
    """

    name: ClassVar[str] = "simplify"
    weight: ClassVar[float] = 1.5
    skeletons: ClassVar[str] = simplify_words.SKELETONS

    def plant(self, snippet: Snippet, rng: Random) -> Planted | None:
        """Write expressions the long way, by one rule."""
        found: dict[str, list[Spot]] = {}
        waiting: list[tuple[ast.AST, bool]] = [(snippet.tree, False)]
        while waiting:
            node, tested = waiting.pop()
            if not isinstance(node, ast.JoinedStr):
                for spot in _longer(snippet, node, tested, rng):
                    found.setdefault(spot.sort, []).append(spot)
                waiting += [(child, is_tested(node, child, tested)) for child in ast.iter_child_nodes(node)]
        if rng.random() < (0.85 if len(found) > 1 else 0.5):
            found.pop("parens", None)
        if not found:
            return None
        return plant_spots(snippet, [one for one in found[rng.choice(sorted(found))] if fits(snippet, one)], rng)

    def propose(self, snippet: Snippet, rng: Random) -> Edit | None:
        """All of one rule, one that is told, or everything when a region has only one rule's."""
        found = spots(snippet)
        sorts = sorted({one.sort for one in found})
        if not sorts:
            return None
        sort = rng.choice(sorts)
        same = [one for one in found if one.sort == sort]
        texts = [source(snippet, other) for other in found]

        def one(spot: Spot) -> dict[str, str]:
            text = source(snippet, spot)
            if (
                sum(text in line for line in snippet.lines) > 1
                or not 6 <= len(text) <= 60
                or sum(text in other for other in texts) > 1
            ):
                return {}
            return {"old": text, "new": spot.text.strip(), sort: "", **_details(snippet, spot, texts)}

        def many(group: Sequence[Spot]) -> dict[str, str]:
            told = one(group[0]) if len(group) == 1 and spot_text_is_plain(group[0]) else {}
            told = told | ({"old_known": ""} if told and len(sorts) == 1 else {})
            return {sort: "", **told} | ({"all_of": ""} if len(sorts) == 1 else {})

        return propose_spots(snippet, same, rng, one=one, many=many)


def _details(snippet: Snippet, spot: Spot, texts: Sequence[str]) -> dict[str, str]:
    """What else can be said of one spot: what it is about, the sign, True or False, the keyword before."""
    text, slots = source(snippet, spot), {}
    first = re.match(r"(?:not |len\(|\()*([A-Za-z_][\w.]*)", text)
    subject = re.sub(r"\.(get|keys)$", "", first[1]) if first else ""
    if len(subject) > 1 and subject not in _KEYWORDS and sum(subject in other for other in texts) == 1:
        slots["subject"] = subject
    if sign := re.search(r" ([-+*/%|&^]+=) ", spot.text):
        slots["sign"] = sign[1]
    if boolean := re.search(r"\b(True|False)\b", text):
        slots["boolean"] = boolean[1]
    before = snippet.lines[spot.start[0]][: spot.start[1]].split()
    if before and before[-1] in ("if", "return", "while", "elif", "not"):
        slots["keyword"] = before[-1]
    name = re.search(r"class (\w+)", snippet.lines[spot.start[0]])
    return slots | ({"class_name": name[1]} if name and spot.sort == "object" else {})


def spot_text_is_plain(spot: Spot) -> bool:
    """Whether what comes in can be said as code."""
    return len(spot.text.strip()) > 1


def _longer(snippet: Snippet, node: ast.AST, tested: bool, rng: Random) -> Iterator[Spot]:
    match node:
        case ast.AugAssign(target=ast.Name() | ast.Attribute() as target, value=value) if not isinstance(
            value, ast.BinOp | ast.IfExp | ast.Compare | ast.BoolOp | ast.Lambda | ast.Yield | ast.Await | ast.Tuple
        ):
            name, right = text_of(snippet, target), text_of(snippet, value)
            between = snippet.lines[node.lineno - 1][end_of(snippet, target)[1] : start_of(snippet, value)[1]].strip()
            if name and right and between.endswith("="):
                yield on_node(snippet, node, f"{name} = {name} {between[:-1]} {right}", "aug")
        case (
            ast.Return(value=ast.expr() as value) | ast.If(test=value) | ast.While(test=value) | ast.Assign(value=value)
        ):
            text = text_of(snippet, value)
            if text and not isinstance(value, ast.Constant | ast.Tuple) and not _in_parentheses(snippet, value):
                yield on_node(snippet, value, f"({text})", "parens")
        case ast.ClassDef(bases=[], keywords=[]):
            line = snippet.lines[node.lineno - 1]
            end = line.find(f"class {node.name}:") + len(f"class {node.name}")
            if end > len(f"class {node.name}") - 1:
                yield Spot(
                    (node.lineno - 1, end), (node.lineno - 1, end), rng.choice(["(object)", "(object)", "()"]), "object"
                )
        case ast.For(iter=ast.Name() | ast.Attribute() as value) if isinstance(
            node.target, ast.Name
        ) and node.target.id in ("key", "k", "name"):
            yield on_node(snippet, value, f"{text_of(snippet, value)}.keys()", "keys")
    if isinstance(node, ast.expr) and (text := text_of(snippet, node)):
        yield from _longer_expression(snippet, node, text, tested, rng)


def _longer_expression(snippet: Snippet, node: ast.expr, text: str, tested: bool, rng: Random) -> Iterator[Spot]:
    match node:
        case ast.UnaryOp(op=ast.Not(), operand=ast.Name() | ast.Attribute() as operand):
            inner = text_of(snippet, operand)
            yield on_node(snippet, node, f"len({inner}) == 0", "len")
            yield on_node(snippet, node, f"{inner} == {rng.choice(['[]', '{}', repr('')])}", "empty")
            yield on_node(snippet, node, f"{inner} == False", "true")
        case ast.Name() | ast.Attribute() if tested and isinstance(node.ctx, ast.Load):
            yield on_node(snippet, node, f"{text} == True", "true")
            yield on_node(snippet, node, f"len({text}) {rng.choice(['> 0', '!= 0', '>= 1'])}", "len")
        case ast.Compare():
            yield from _longer_comparison(snippet, node, text, rng)
        case ast.Call():
            yield from _longer_call(snippet, node, text)
        case ast.Subscript(value=value, slice=ast.Slice(lower=None, upper=ast.expr(), step=None)):
            start = end_of(snippet, value)[1] - start_of(snippet, node)[1]
            if text[start : start + 2] == "[:":
                yield on_node(snippet, node, f"{text[:start]}[0:{text[start + 2 :]}", "slice")
        case ast.BoolOp(op=ast.Or(), values=[ast.Name() | ast.Attribute() as first, second]) if (
            isinstance(second, (*TIGHT, ast.Constant, ast.List, ast.Dict)) and not tested
        ):
            left = text_of(snippet, first)
            if text == f"{left} or {text_of(snippet, second)}":
                yield on_node(snippet, node, f"{left} if {left} else {text_of(snippet, second)}", "or")


def _longer_call(snippet: Snippet, node: ast.Call, text: str) -> Iterator[Spot]:
    match node:
        case ast.Call(func=ast.Name(id="range"), args=[stop], keywords=[]) if not isinstance(stop, ast.Starred):
            yield on_node(snippet, node, text.replace("range(", "range(0, ", 1), "range")
        case ast.Call(
            func=ast.Attribute(attr="get", value=ast.Name() | ast.Attribute()), args=[ast.Constant()], keywords=[]
        ):
            yield on_node(snippet, node, f"{text[:-1]}, None)", "get")
        case ast.Call(keywords=[*_, ast.keyword(arg=str(arg), value=ast.Name() | ast.Attribute() as value)]) if (
            arg in _CALLED_BACK
        ):
            yield on_node(snippet, value, f"lambda x: {text_of(snippet, value)}(x)", "lambda")
        case ast.Call(func=ast.Name(id="bool"), args=[only], keywords=[]):
            yield on_node(snippet, node, f"True if {text_of(snippet, only)} else False", "ternary")


def _longer_comparison(snippet: Snippet, node: ast.Compare, text: str, rng: Random) -> Iterator[Spot]:
    if (parts := sides(snippet, node)) and parts[1] in _OPPOSITE:
        yield on_node(snippet, node, f"not {parts[0]} {_OPPOSITE[parts[1]]} {parts[2]}", "not")
        if isinstance(node.left, TIGHT):
            yield on_node(snippet, node, f"True if {text} else False", "ternary")
    elif len(node.ops) == 2:
        texts = [text_of(snippet, one) for one in (node.left, *node.comparators)]
        symbols = [SYMBOLS.get(type(one), "") for one in node.ops]
        if text == f"{texts[0]} {symbols[0]} {texts[1]} {symbols[1]} {texts[2]}" and isinstance(
            node.comparators[0], ast.Name | ast.Attribute
        ):
            yield on_node(
                snippet, node, f"{texts[0]} {symbols[0]} {texts[1]} and {texts[1]} {symbols[1]} {texts[2]}", "chain"
            )
            turned = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}.get(symbols[0])
            if turned and rng.random() < 0.7:
                yield on_node(
                    snippet, node, f"{texts[1]} {turned} {texts[0]} and {texts[1]} {symbols[1]} {texts[2]}", "chain"
                )
    match node:
        case ast.Compare(
            left=ast.Name() | ast.Attribute() as left, ops=[ast.In()], comparators=[ast.Tuple(elts=elts)]
        ) if 1 < len(elts) <= 3:
            name = text_of(snippet, left)
            yield on_node(snippet, node, " or ".join(f"{name} == {text_of(snippet, one)}" for one in elts), "member")
        case ast.Compare(
            left=ast.Name() | ast.Constant(), ops=[ast.In() | ast.NotIn()], comparators=[ast.Name() | ast.Attribute()]
        ):
            yield on_node(snippet, node, f"{text}.keys()", "keys")


def _in_parentheses(snippet: Snippet, node: ast.expr) -> bool:
    row, column = start_of(snippet, node)
    return snippet.lines[row][column - 1 : column] == "("
