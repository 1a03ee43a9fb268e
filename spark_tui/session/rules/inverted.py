"""Edits that only turn a condition round, where the words tell a symptom and nothing of a condition."""

import ast
import re
from collections.abc import Sequence
from copy import deepcopy

from spark_tui.editing.snippet import Snippet
from spark_tui.session.rules.facts import FAULTS

_ROUND = (
    r"(?i)invert|revers|negat|opposite|backward|wrong way|other way|\bway round|flip|swap|upside|mixed up|inside out"
    r"|\bnot\b|n't\b|\bdont\b|\bnever\b|\balways\b|\bunless\b|\bonly\b|\binstead\b|[=!<>]="
)
_TOLD = re.compile(
    rf"{_ROUND}|conditions?\b|\b(?:check|test|comparison|operator|logic|branch|guard)s?\b"
    r"|\bshould\b|\bmust\b|\bought\b|\beven (?:when|if|though)\b"
)
_MORE, _TOLD_OF_MORE = re.compile(r"(?i)\b(?:also|as well|too)\b"), re.compile(_ROUND)
"""What wants a condition to hold for more wants it turned round only where it says so."""
_OPPOSITE: dict[type[ast.cmpop], tuple[type[ast.cmpop], ...]] = {
    ast.Eq: (ast.NotEq,), ast.NotEq: (ast.Eq,), ast.Is: (ast.IsNot,), ast.IsNot: (ast.Is,), ast.In: (ast.NotIn,),
    ast.NotIn: (ast.In,), ast.Lt: (ast.GtE, ast.Gt), ast.GtE: (ast.Lt, ast.LtE), ast.Gt: (ast.LtE, ast.Lt),
    ast.LtE: (ast.Gt, ast.GtE),
}  # fmt: skip
_Tested = ast.If | ast.While | ast.IfExp


def inverted(words: str, lines: Sequence[str], after: Sequence[str]) -> str:
    """That an edit only turns a condition round and no word speaks for that, in a sentence, or "". Args: after: it."""
    if (_TOLD_OF_MORE if _MORE.search(words) else _TOLD).search(words):
        return ""
    try:
        old, new = (deepcopy(Snippet(tuple(each)).tree) for each in (lines, after))
    except FAULTS:
        return ""
    pairs = zip(_without_tests(old), _without_tests(new), strict=False)
    changed = [pair for pair in pairs if ast.dump(pair[0]) != ast.dump(pair[1])]
    if len(changed) != 1 or ast.dump(old) != ast.dump(new) or not _is_opposite(*changed[0]):
        return ""
    return (
        f"nothing tells that `{ast.unparse(changed[0][0])}` is the wrong way round; say what it should do instead, "
        "or give a test that fails with --check"
    )


def _without_tests(tree: ast.Module) -> list[ast.expr]:
    """The conditions of a tree, which are taken out of it."""
    found = [node for node in ast.walk(tree) if isinstance(node, _Tested)]
    tests = [node.test for node in found]
    for node in found:
        node.test = ast.Constant(None)
    return tests


def _is_opposite(old: ast.expr, new: ast.expr) -> bool:
    """Whether one condition holds where the other does not."""
    for one, other in ((old, new), (new, old)):
        if isinstance(one, ast.UnaryOp) and isinstance(one.op, ast.Not) and ast.dump(one.operand) == ast.dump(other):
            return True
    match old, new:
        case ast.Compare(ops=[was], comparators=[right]), ast.Compare(ops=[now], comparators=[other]):
            same = (ast.dump(old.left), ast.dump(right)) == (ast.dump(new.left), ast.dump(other))
            return same and type(now) in _OPPOSITE.get(type(was), ())
        case ast.BoolOp(values=had), ast.BoolOp(values=has) if len(had) == len(has) and type(old.op) is type(new.op):
            changed = [pair for pair in zip(had, has, strict=True) if ast.dump(pair[0]) != ast.dump(pair[1])]
            return len(changed) == 1 and _is_opposite(*changed[0])
    return False
