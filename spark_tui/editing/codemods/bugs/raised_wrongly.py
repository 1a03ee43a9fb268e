"""Exceptions that are raised in the wrong way: not raised but returned, `NotImplemented`, of a class nobody expects."""

import ast
import re
from collections.abc import Iterator

from spark_tui.editing.code import end_of, start_of, text_of
from spark_tui.editing.codemods.bugs.mistaken import Slip
from spark_tui.editing.snippet import Snippet

_ERROR = re.compile(r"(?:[A-Z]\w*(?:Error|Exception)|StopIteration|KeyboardInterrupt)$")
_LIKE = {
    "KeyError": ("AttributeError", "IndexError", "ValueError", "LookupError"),
    "AttributeError": ("KeyError", "TypeError", "NotImplementedError"),
    "IndexError": ("KeyError", "ValueError", "StopIteration"),
    "ValueError": ("TypeError", "KeyError", "RuntimeError"),
    "TypeError": ("ValueError", "AttributeError", "NotImplementedError"),
    "RuntimeError": ("ValueError", "TypeError", "NotImplementedError"),
    "Exception": ("ValueError", "RuntimeError", "TypeError"),
    "NotImplementedError": ("TypeError", "ValueError", "AttributeError"),
    "OSError": ("FileNotFoundError", "ValueError", "RuntimeError"),
    "AssertionError": ("ValueError", "TypeError", "RuntimeError"),
    "StopIteration": ("StopAsyncIteration", "IndexError"),
    "ImportError": ("ModuleNotFoundError", "RuntimeError"),
}
_EXPECTED = {
    "AttributeError": r"\bhasattr\b|\bgetattr\b|\battributes?\b|\bcopy\b|\bpickl\w+",
    "KeyError": r"\bkeys?\b|\.get\b|\bin\b.*\bdict",
    "TypeError": r"\btypes?\b|\bnot an? (?:str|int|list|dict)\b",
    "IndexError": r"\bfor loop|\bindex\b|\biterat",
    "StopAsyncIteration": r"\basync\b|\b__anext__\b",
    "FileNotFoundError": r"\bfiles?\b|\bpath\b",
    "ValueError": r"\bvalues?\b|\binvalid\b",
}


def raised_wrongly(before: Snippet, instruction: str) -> Iterator[Slip]:
    """Every exception raised in a way or of a class that may be wrong."""
    for node in before.nodes:
        match node:
            case ast.Raise(exc=ast.expr() as raised):
                yield from _of_raise(before, node, raised, instruction)
            case ast.Return(value=ast.Call(func=ast.Name(id=name))) | ast.Expr(value=ast.Call(func=ast.Name(id=name))):
                if _ERROR.match(name):
                    start = start_of(before, node)
                    end = (start[0], start[1] + len("return ") * isinstance(node, ast.Return))
                    yield Slip(start, end, "raise ", (name, "raise", "return"))


def _of_raise(before: Snippet, node: ast.Raise, raised: ast.expr, instruction: str) -> Iterator[Slip]:
    named = raised.func if isinstance(raised, ast.Call) else raised
    if not isinstance(named, ast.Name):
        return
    start, end = start_of(before, named), end_of(before, named)
    if named.id == "NotImplemented":
        for text in ("NotImplementedError", "NotImplementedError()")[: 2 - isinstance(raised, ast.Call)]:
            yield Slip(start, end, text, ("NotImplemented", "BaseException", "raise"))
    yields = any(isinstance(one, ast.Yield | ast.YieldFrom) for one in before.nodes)
    if named.id == "StopIteration" and yields and text_of(before, node):
        yield Slip(start_of(before, node), end_of(before, node), "return", ("StopIteration", "RuntimeError"))
    for other in _LIKE.get(named.id, ()):
        expected = re.search(_EXPECTED.get(other, r"(?!)"), instruction)
        if re.search(rf"\b{other}\b", instruction) or (expected and re.search(rf"\b{named.id}\b", instruction)):
            yield Slip(start, end, other, (other, named.id))
