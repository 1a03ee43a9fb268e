"""What stands in for a value that may be nothing: `x or y`, `y if x is None else x`, the words telling which value."""

import ast
import re
from collections.abc import Iterator

from spark_tui.editing.codemods.common.negation import AND, IF_ELSE
from spark_tui.editing.codemods.common.values_told import paths_of, values_told
from spark_tui.editing.codemods.rewording.said_otherwise import Rule, source_of, within
from spark_tui.editing.snippet import Snippet
from spark_tui.editing.statements import dotted, quote

_OWNED = re.compile(r"\b(\w+)'s `?(\w+)`?")
_APPLIED = re.compile(r"\bfall\w*[ -]?back to (repr|str|len|type|id)\b(?!\()|\b(repr|str) (?:if|when) ")
_EMPTY = {
    "tuple": "()", "list": "[]", "dict": "{}", "dictionary": "{}", "set": "set()", "string": '""', "str": '""',
}  # fmt: skip
_AN_EMPTY = re.compile(rf"\bempty ({'|'.join(_EMPTY)})\b", re.IGNORECASE)
_ALSO = re.compile(
    r"\b(?:treat\w*|count\w*|use|take|then)(?: as| like)? (-?\d+|true|false)\b(?:$| (?:then|instead|if|when))"
)
_MOST = 2


def _stood_in(before: Snippet, node: ast.AST, parent: ast.AST, words: str) -> Iterator[str]:
    if not isinstance(node, ast.Name | ast.Attribute | ast.Call) or not _is_taken(node, parent):
        return
    source = source_of(before, node)
    bare = isinstance(node, ast.Name | ast.Attribute)
    tested = node if bare else node.args[0] if isinstance(node, ast.Call) and len(node.args) == 1 else None
    about = source_of(before, tested) if isinstance(tested, ast.Name | ast.Attribute) else ""
    for value in _values(before, node, words):
        if value in (source, about):
            continue
        loose = isinstance(parent, ast.BinOp | ast.Attribute | ast.Subscript)
        for whole in (
            f"{within(before, node, AND)} or {value}",
            *((f"{value} if {about} is None else {source}",) if about else ()),
            *((f"{within(before, node, IF_ELSE)} if {about} is not None else {value}",) if about else ()),
        ):
            yield f"({whole})" if loose else whole


def _is_taken(node: ast.expr, parent: ast.AST) -> bool:
    """Whether a value is stored, given back or passed on as it is."""
    match parent:
        case ast.Assign(value=value) | ast.AnnAssign(value=value) | ast.Return(value=value) | ast.keyword(value=value):
            return value is node
        case ast.Call(args=args):
            return any(one is node for one in args)
        case ast.Dict(values=values):
            return any(one is node for one in values)
    return False


def _values(before: Snippet, node: ast.expr, words: str) -> list[str]:
    """The values that are told, the surest first."""
    found: list[str] = []
    known = paths_of(before)
    mark = quote(before, "")[0]
    for owner, name in _OWNED.findall(words):
        path = known.get(owner) or ("func" if owner == "function" and "func" in known else "")
        path = path or ("fn" if owner == "function" and "fn" in known else "")
        if path:
            found.append(f"{path}.{name}")
    found += [_EMPTY[one.lower()].replace('""', mark * 2) for one in _AN_EMPTY.findall(words)]
    found += [one.capitalize() if one.isalpha() else one for one in _ALSO.findall(words.lower())]
    match node:
        case ast.Call(args=[given], func=func) if (told := _APPLIED.search(words)) and (dotted(func) or "") != told[1]:
            found.append(f"{told[1] or told[2]}({source_of(before, given)})")
    found += [source for source, _, _ in values_told(before, words) if source != "None"]
    return list(dict.fromkeys(found))[:_MOST]


STOOD_IN: tuple[tuple[str, Rule], ...] = (
    (
        (
            r"\bfall(?:s|ing)?[ -]?back\b|\bif (?:no|none|nothing|not|unset|it's none|its none)\b|(?:n't|not) given\b"
            r"|\bif .*\bnone\b|\bwhen .*\b(?:none|empty|missing|0)\b|\bnone (?:should|means|gives|is passed)\b"
            r"|\bis none\b.*\b(?:use|then)\b|\btreat\w* as \d|\bif unset\b|\bif empty\b"
        ),
        _stood_in,
    ),
)
"""What names a rule in lower case, and the rule."""
