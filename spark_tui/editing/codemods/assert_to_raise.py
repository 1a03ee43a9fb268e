"""Asserts become checks that raise, and such checks become asserts."""

import ast
import re
from collections.abc import Iterator, Sequence
from typing import ClassVar

from spark_tui.editing.code import indentation, quote_of, start_of, text_of
from spark_tui.editing.codemods.base import Request
from spark_tui.editing.codemods.common.named import calls
from spark_tui.editing.codemods.common.negation import negated
from spark_tui.editing.codemods.common.occasions import Occasion, Places, bare_line, blocks, replaced, shifted
from spark_tui.editing.codemods.common.said import is_expression, literal, quoted
from spark_tui.editing.codemods.narrow_except import exceptions_told
from spark_tui.editing.snippet import Snippet
from spark_tui.editing.statements import Place, has_tail, places

_BACK = re.compile(
    r"(?:\b(?:to|into|use|using|with|by|be|become|just|utilize|adopt|employ|apply|try|on|simply|prefer|as|make|want)|->|=>)"
    r" (?:it |them |this |these |an? |plain |simple |bare |one-line |check with )*"
    r"[`'\"]?assert(?!ionError|\w*s? (?:vanish|are|is|do|check))",
    re.IGNORECASE,
)
_NEVER = re.compile(
    r"(?:n't|\bnot|\bnever|\bno|\bavoid|\bstop|\bwithout|\binstead of|\brather than|\bS101)\b[^.,;:]{0,20}\bassert",
    re.IGNORECASE,
)
_PLAIN_TEXT = re.compile(r"(?:\w+\.)*\w+(\((?:\"([^\"']*)\"|'([^\"']*)')\))")
_SKIPS = re.compile(
    r"(?i)\bskip\w*|\bignor\w+|\bnothing\b|\bsimply\b|\bleave (?:it|them) alone\b|\bjust returns?\b|\breturn early\b"
)


class AssertToRaise(Places):
    """`assert x, "no x"` becomes `if not x:` and `raise ValueError("no x")`; the reverse where an assert is wanted."""

    kind: ClassVar[str] = "assert_to_raise"

    def occasions(self, before: Snippet, request: Request) -> Iterator[Occasion]:
        """Each assert with the exception told or those that are usual, else the checks that could be asserts."""
        back = _BACK.search(request.instruction) and not _NEVER.search(request.instruction)
        statements = sorted((one for block in blocks(before.tree) for one in block), key=lambda one: one.lineno)
        asserts = [one for one in statements if isinstance(one, ast.Assert)]
        if asserts and not back:
            otherwise = list(_otherwise(before, asserts, request.instruction))
            yield from otherwise
            told = _exceptions(request.instruction)
            if otherwise and not told:
                return
            text = next((one for one in quoted(request.instruction) if " " in one), "")
            for check in asserts:
                for exception in told or usual(check.test):
                    if found := _raised(before, check, exception, text):
                        yield found
        else:
            for one in statements:
                if isinstance(one, ast.If) and (found := _asserted(before, one)):
                    yield found


def _otherwise(before: Snippet, asserts: Sequence[ast.Assert], instruction: str) -> Iterator[Occasion]:
    """What else the words tell: an error with what it is given, nothing more to do, a condition for what follows."""
    for call, raised in _raises(before, instruction):
        yield from (one for node in asserts if (one := _instead(before, node, raised, call)))
    alone = {id(place.node): place for place in places(before)}
    for node in asserts if _SKIPS.search(instruction) else ():
        if place := alone.get(id(node)):
            ways = ("continue", "return") if place.in_loop else ("return",)
            yield from (one for way in ways if (one := _instead(before, node, way, way)))
            if one := _above(before, node, place):
                yield one


def _raises(before: Snippet, instruction: str) -> Iterator[tuple[str, str]]:
    """The calls of classes that are told, and the statements that raise them."""
    for call in dict.fromkeys(calls(instruction)):
        if not call.partition("(")[0].rpartition(".")[2][:1].isupper() or not call.endswith(")"):
            continue
        if plain := _PLAIN_TEXT.fullmatch(call):
            text = literal(plain[2] or plain[3] or "", quote_of(before))
            yield call, f"raise {call[: plain.start(1)]}({text})"
        elif is_expression(call):
            yield call, f"raise {call}"


def _above(before: Snippet, node: ast.Assert, place: Place) -> Occasion | None:
    """What is asserted as the condition for the one line that follows."""
    row, text = node.lineno - 1, text_of(before, node.test)
    following = place.block[place.index + 1 : place.index + 2]
    if not text or not following or following[0].lineno != row + 2 or has_tail(before, place):
        return None
    if not bare_line(before, following[0]):
        return None
    changes = (replaced(before, node, f"if {text}:"), *shifted(before, row + 1, row + 1))
    return Occasion(row, changes, _names(node.test), "if")


def _instead(before: Snippet, node: ast.Assert, outcome: str, variant: str) -> Occasion | None:
    """The opposite of what is asserted, and what is done then."""
    opposite = negated(before, node.test)
    if not opposite or not bare_line(before, node) or isinstance(node.test, ast.Constant):
        return None
    row, indent = node.lineno - 1, indentation(before.lines[node.lineno - 1])
    lines = f"if {opposite}:\n{indent}{before.layout.unit}{outcome}"
    return Occasion(row, (replaced(before, node, lines),), _names(node.test), variant)


def _exceptions(instruction: str) -> list[str]:
    """What is to be raised; an AssertionError only where nothing else is told and words put it so."""
    told = exceptions_told(re.sub(r"\b(?:an?|my|our) |(?<=\w)(?=\()", " ", instruction))
    explicit = re.search(r"raise (?:an? )?[`'\"]?AssertionError|explicit AssertionError", instruction)
    return [one for one in told if not one.startswith("Ass") or (explicit and len(told) == 1)][:2]


def usual(test: ast.expr) -> tuple[str, ...]:
    """What one raises when a condition does not hold."""
    typed = any(isinstance(one, ast.Name) and one.id == "isinstance" for one in ast.walk(test))
    return ("TypeError" if typed else "ValueError", "RuntimeError", "AssertionError")


def _raised(before: Snippet, node: ast.Assert, exception: str, told: str) -> Occasion | None:
    """Args: told: the message for an assert that has none."""
    opposite = negated(before, node.test)
    message = text_of(before, node.msg) if node.msg else literal(told, quote_of(before)) if told else ""
    if not opposite or not bare_line(before, node) or (node.msg and not message):
        return None
    row, start = start_of(before, node)
    line = before.lines[row]
    indent = indentation(line)
    raised = f"raise {exception}({message})" if message else f"raise {exception}"
    if isinstance(node.test, ast.Constant):
        never = ((row, start), (row, len(line)), raised)
        return None if node.test.value else Occasion(row, (never,), (), f"raise {exception}")
    lines = f"if {opposite}:\n{indent}{before.layout.unit}{raised}"
    return Occasion(row, (((row, start), (row, len(line)), lines),), _names(node.test), f"raise {exception}")


def _asserted(before: Snippet, node: ast.If) -> Occasion | None:
    row, start = start_of(before, node)
    line = before.lines[row]
    if node.orelse or len(node.body) != 1 or line[start:].startswith("elif"):
        return None
    match node.body[0]:
        case ast.Raise(exc=ast.Call(func=ast.Name(id=name), args=[message], keywords=[]), cause=None) as inner:
            text = text_of(before, message)
        case (
            ast.Raise(
                exc=ast.Name(id=name) | ast.Call(func=ast.Name(id=name), args=[], keywords=[]), cause=None
            ) as inner
        ):
            text = ""
        case _:
            return None
    whole = inner.exc.args if isinstance(inner.exc, ast.Call) else []
    opposite = negated(before, node.test)
    alone = line.rstrip().endswith(":") and inner.lineno == node.lineno + 1 and bare_line(before, inner)
    if not opposite or not alone or (whole and (not text or isinstance(whole[0], ast.Starred))):
        return None
    end = (row + 1, len(before.lines[row + 1]))
    new = f"assert {opposite}, {text}" if text else f"assert {opposite}"
    return Occasion(row, (((row, start), end, new),), (*_names(node.test), name), "assert")


def _names(test: ast.expr) -> tuple[str, ...]:
    found = (
        ast.unparse(one)
        for one in ast.walk(test)
        if isinstance(one, ast.Name | ast.Attribute) and isinstance(one.ctx, ast.Load)
    )
    return tuple(name for name in dict.fromkeys(found) if name != "isinstance" and len(name) <= 40)
