"""Calls that only wrap what they are given and are said to be needless: `list(rows)` becomes `rows`."""

import ast
import re
from collections.abc import Iterator

from spark_tui.editing.code import end_of, splice, start_of, text_of
from spark_tui.editing.codemods.base import Ops, between
from spark_tui.editing.snippet import Snippet
from spark_tui.editing.statements import dotted

_NEEDLESS = re.compile(
    r"\bno (?:need|reason|point)\b|\b(?:not|isn't|n't) (?:need|necessary)|\bredundant|\bunnecessary|\bneedless"
    r"|\bunneeded|\b(?:drop|remove|lose|without|strip|skip|omit|unwrap|get rid of|do away with|take off)\b"
    r"|\bsuperfluous|\bpointless|\buseless|\balready\b"
)
_WRAPPING = re.compile(r"\b(?:un)?wrap\w*|\bconver\w+|\bcast\w*|\bcoerc\w+")
_LEADS = re.compile(r"(?:[-+*/%<>&|~@]|[=!<>]=|\bnot|\bin|\bis)\s*$")
_FOLLOWS = re.compile(r"[.\[(]|\s*(?:[-+*/%<>&|@]|[=!]=|(?:and|or|in|is|not|if)\b)")
_MOST = 6


def unwrapped(before: Snippet, instruction: str) -> Iterator[Ops]:
    """Each call of one argument gone whose function is said with brackets, as a call or as what goes around."""
    if not _NEEDLESS.search(instruction.lower()):
        return
    calls = [node for node in before.nodes if isinstance(node, ast.Call) and _wraps(node) and text_of(before, node)]
    said = [node for node in calls if _is_said(dotted(node.func) or "", instruction)]
    wrapping = said or (calls if _WRAPPING.search(instruction.lower()) else [])
    for node in wrapping[:_MOST]:
        yield between(before, _without(before, [node]))
    alike = {dotted(node.func) for node in said}
    if len(said) > 1 and len(alike) == 1 and not _nested(said):
        yield between(before, _without(before, said))


def _wraps(node: ast.Call) -> bool:
    plain = isinstance(node.func, ast.Name) or (dotted(node.func) or "").rpartition(".")[2][:1].isupper()
    cast = isinstance(node.func, ast.Name | ast.Attribute) and (dotted(node.func) or "").rpartition(".")[2] == "cast"
    given = len(node.args) == (2 if cast else 1) and not isinstance(node.args[-1], ast.Starred | ast.GeneratorExp)
    return (plain or cast) and given and not node.keywords


def _is_said(name: str, instruction: str) -> bool:
    last = re.escape(name.rpartition(".")[2])
    called = rf"(?<!\w){last}(?:\(|[`'\"]|\b (?:call|wrapper|conversion|cast|around|copy)\b)"
    wrapped = rf"\b(?:wrap|convert|turn)\w* (?:it |them )?(?:in|to|into) (?:a |an )?{last}\b"
    return bool(last) and re.search(f"{called}|{wrapped}", instruction) is not None


def _nested(calls: list[ast.Call]) -> bool:
    return any(one is not other and one in ast.walk(other) for one in calls for other in calls)


def _without(before: Snippet, calls: list[ast.Call]) -> list[str]:
    lines = list(before.lines)
    for node in sorted(calls, key=lambda one: (one.lineno, one.col_offset), reverse=True):
        given = node.args[-1]
        source = text_of(before, given)
        loose = isinstance(given, ast.BinOp | ast.BoolOp | ast.Compare | ast.IfExp | ast.UnaryOp | ast.Lambda)
        line, start, end = before.lines[node.lineno - 1], start_of(before, node)[1], end_of(before, node)[1]
        tight = loose and (_FOLLOWS.match(line[end:]) or _LEADS.search(line[:start]))
        lines = splice(lines, start_of(before, node), end_of(before, node), f"({source})" if tight else source)
    return lines
