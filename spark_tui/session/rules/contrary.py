"""Edits that show to be wrong by themselves: they bring what is complained of, or what undoes itself."""

import ast
import re
from collections.abc import Iterator, Sequence

from spark_tui.editing.codemods.common.said import plain_word
from spark_tui.editing.codemods.imports.usual_imports import is_module, usual_import
from spark_tui.editing.numbers import SIGNED
from spark_tui.editing.snippet import Snippet
from spark_tui.session.rules.commanded import OTHERWISE
from spark_tui.session.rules.facts import Code, Rule, first_told

_COMPLAINT = re.compile(
    rf"(?i)^\W*(?:it |this |\w+ )?(?:returns|gives|yields) (?P<value>nothing|None|True|False|{SIGNED}"
    r"|an? empty (?:list|dict|string|tuple|set))\b(?!.*\b(?:should|instead|must|expected|rather|not)\b)"
)
_VALUES = {
    "nothing": ("", "None"), "none": ("", "None"), "list": ("[]", "list()"), "dict": ("{}", "dict()"),
    "string": ("''",), "tuple": ("()", "tuple()"), "set": ("set()",),
}  # fmt: skip
_OPPOSITE = [{"upper", "lower"}, {"encode", "decode"}, {"lstrip", "ljust"}, {"open", "close"}, {"append", "pop"}]
_STANDS_IN = re.compile(
    r"(?i)^\W*(?:please )?use `?(?P<new>[\w.]+)`? (?:instead of|rather than|in place of) `?(?P<old>[\w.]+)`?\W*$"
)
_USE = re.compile(r"(?i)^\W*(?:please )?use (?:an? |the )?`?(?P<name>[^\W\d]\w*)(?:\(\))?`?(?: instead| here)?\W*$")


def contrary(words: str, code: Code, after: Sequence[str]) -> str:
    """What shows an edit to be wrong, in a sentence, or "". Args: after: the lines with it."""
    return first_told(_RULES, words, code, after)


def _as_complained(words: str, code: Code, new: Snippet) -> str:
    """One more return of the very value that should not come."""
    if (told := _COMPLAINT.match(words)) is None:
        return ""
    value = told["value"].rpartition(" ")[2].lower()
    values = _VALUES.get(value, (told["value"].capitalize(),))
    had, has = (sum(one in values for one in _returned(nodes)) for nodes in (code.nodes, new.nodes))
    said = "say what it should return instead"
    return f"the edit that was found returns {told['value']} once more; {said}" if has > had else ""


def _returned(nodes: Sequence[ast.AST]) -> Iterator[str]:
    yield from (ast.unparse(node.value) if node.value else "" for node in nodes if isinstance(node, ast.Return))


def _undone_at_once(_: str, code: Code, new: Snippet) -> str:
    """A method called on what its opposite gives."""
    come = set(_chained(new.nodes)) - set(_chained(code.nodes))
    odd = next((pair for pair in come if set(pair) in _OPPOSITE), None)
    return f"the edit that was found calls {odd[1]} on what {odd[0]} gives; {OTHERWISE}" if odd else ""


def _chained(nodes: Sequence[ast.AST]) -> Iterator[tuple[str, str]]:
    for node in nodes:
        match node:
            case ast.Call(func=ast.Attribute(attr=outer, value=ast.Call(func=ast.Attribute(attr=inner)))):
                yield inner, outer


def _taken_twice(_: str, code: Code, new: Snippet) -> str:
    """A call of two values put beside one of them that it takes in, as `a + chain(a, b)`."""
    known = {ast.dump(node) for node in code.nodes if isinstance(node, ast.BinOp)}
    for node in new.nodes:
        if isinstance(node, ast.BinOp) and ast.dump(node) not in known:
            for one, call in ((node.left, node.right), (node.right, node.left)):
                given = [ast.dump(each) for each in call.args] if isinstance(call, ast.Call) else []
                if len(given) > 1 and ast.dump(one) in given and ast.dump(call) not in _dumped(code.nodes):
                    return f"the edit that was found takes {ast.unparse(one)} in twice; {OTHERWISE}"
    return ""


def _dumped(nodes: Sequence[ast.AST]) -> set[str]:
    return {ast.dump(node) for node in nodes if isinstance(node, ast.Call)}


def _asked_of_a_class(words: str, _: Code, new: Snippet) -> str:
    """What a module has, asked of a class that stands in for the module."""
    told = _STANDS_IN.match(words)
    if not told or not is_module(told["old"].partition(".")[0]) or not told["new"].rpartition(".")[2][:1].isupper():
        return ""
    asked = [node for node in new.nodes if isinstance(node, ast.Attribute) and ast.unparse(node.value) == told["new"]]
    return f"{told['new']} is no module, and has no {asked[0].attr} like {told['old']}; {OTHERWISE}" if asked else ""


def _function_as_method(words: str, code: Code, new: Snippet) -> str:
    """A function of the library called as a method of something else."""
    told = _USE.match(words)
    usual = usual_import(told["name"]) if told and not plain_word(told["name"]) else None
    if told is None or not usual or not told["name"].islower() or told["name"] in code.names:
        return ""
    module = usual.split()[1]
    owners = [
        ast.unparse(node.value) for node in new.nodes if isinstance(node, ast.Attribute) and node.attr == told["name"]
    ]
    wrong = [owner for owner in owners if owner != module]
    return f"{told['name']} is a function of {module}, and no method of {wrong[0]}; {OTHERWISE}" if wrong else ""


_RULES: tuple[Rule, ...] = (
    _as_complained,
    _undone_at_once,
    _taken_twice,
    _asked_of_a_class,
    _function_as_method,
)
