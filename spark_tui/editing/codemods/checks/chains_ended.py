"""An else that raises for what no branch of a chain of tests takes: "unknown modes should raise ValueError"."""

import ast
import re
from collections.abc import Iterator

from spark_tui.editing.code import indentation, stands_alone, statement_lines
from spark_tui.editing.codemods.base import Ops
from spark_tui.editing.codemods.checks.errors_told import wanted_errors
from spark_tui.editing.codemods.common.said import spans
from spark_tui.editing.script import Insert
from spark_tui.editing.snippet import Snippet
from spark_tui.editing.statements import dotted, quote

_OTHERS = re.compile(
    r"\b(?:unknown|other|others|else|anything|invalid|unsupported|unexpected|unrecogni[sz]ed|none of|neither|silently"
    r"|falls? through|not handled|unhandled|bad|wrong|no match\w*)\b",
    re.IGNORECASE,
)
_RAISES = re.compile(
    r"\b(?:rais\w+|errors?|refus\w+|reject\w*|complain\w*|crash\w*|fail\w*)\b|\w+(?:Error|Exception)\b", re.IGNORECASE
)
_SAYING = re.compile(r"\b(?:saying|says|with|message|text)(?: that)? (?P<text>[^.;\"'`]{4,60}?)(?=[.;]|$)")
_MOST = 4


def chains_ended(before: Snippet, words: str) -> list[Ops]:
    """The chains that end without an else, the longest first, each with what it may raise."""
    if not (_OTHERS.search(words) and _RAISES.search(words)):
        return []
    found = [(len(tests), first, last, about) for first, last, tests in _chains(before) if (about := _about(tests))]
    found.sort(key=lambda one: (one[3].rpartition(".")[2].strip("_") not in words, -one[0]))
    edits: list[Ops] = []
    for _, first, last, about in found:
        indent = indentation(before.lines[first.lineno - 1])
        end = statement_lines(last.body[-1])[1]
        for error in _errors(before, words, about):
            body = indent + before.layout.unit + f"raise {error}"
            edits.append((Insert(end, (f"{indent}else:", body)),))
            if _defaults_to_none(first, before, about):
                edits.append((Insert(end, (f"{indent}elif {about} is not None:", body)),))
    return edits[:_MOST]


def _chains(before: Snippet) -> Iterator[tuple[ast.If, ast.If, list[ast.expr]]]:
    """Every `if` with its last branch, where it has no else and stands alone, and all tests."""
    inner: set[int] = set()
    for node in before.nodes:
        if not isinstance(node, ast.If) or id(node) in inner or not stands_alone(before, node):
            continue
        last, tests = node, [node.test]
        while len(last.orelse) == 1 and isinstance(last.orelse[0], ast.If):
            last = last.orelse[0]
            inner.add(id(last))
            tests.append(last.test)
        if not last.orelse:
            yield node, last, tests


def _about(tests: list[ast.expr]) -> str:
    """The value that each of the tests compares or asks for its type, or ""."""
    found = {_tested(one) for one in tests}
    return found.pop() if len(found) == 1 else ""


def _tested(test: ast.expr) -> str:
    match test:
        case ast.Compare(left=left, ops=[ast.Eq() | ast.In() | ast.Is()]):
            return dotted(left) or ""
        case ast.Call(func=ast.Name(id="isinstance"), args=[value, _]):
            return dotted(value) or ""
        case ast.BoolOp(values=[first, *_]):
            return _tested(first)
    return ""


def _errors(before: Snippet, words: str, about: str) -> Iterator[str]:
    """The error told or a usual one, with the text told or the value."""
    error = next(iter(wanted_errors(words)), "ValueError")
    texts = [span.text for span in spans(words) if span.mark in ("'", '"') and " " in span.text]
    texts += [match["text"] for match in _SAYING.finditer(words)] if not texts else []
    if error == "NotImplementedError" and not texts:
        yield f"{error}({about})"
        return
    if texts:
        yield f"{error}({quote(before, texts[0])})"
        return
    mark, name = quote(before, "")[0], about.rpartition(".")[2].strip("_")
    for kind in dict.fromkeys([*(re.findall(r"(?i)\b(unknown|invalid|unsupported|unexpected)\b", words)), "Unknown"]):
        yield f"{error}(f{mark}{kind.capitalize()} {name}: {{{about}!r}}{mark})"
        break


def _defaults_to_none(node: ast.If, before: Snippet, about: str) -> bool:
    around = [one for one in before.functions if one.lineno <= node.lineno <= (one.end_lineno or 0)]
    return any(
        one.arg == about and one.annotation is not None and "None" in ast.unparse(one.annotation)
        for function in around[-1:]
        for one in (*function.args.args, *function.args.kwonlyargs)
    )
