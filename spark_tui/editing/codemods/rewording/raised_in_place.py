"""An error in the place of a plain statement (`raise KeyError(key)` for a return), and assignments told in code."""

import ast
import re
from collections.abc import Iterator

from spark_tui.editing.codemods.checks.misspelt import ERROR, error_respelt
from spark_tui.editing.codemods.common.expression_places import spoken_of
from spark_tui.editing.codemods.common.said import spans
from spark_tui.editing.codemods.narrow_except import exceptions_told
from spark_tui.editing.codemods.rewording.said_otherwise import Rule, source_of
from spark_tui.editing.snippet import Snippet
from spark_tui.editing.statements import dotted
from spark_tui.editing.trees import parse

_TELLING = frozenset("warn warning error exit abort critical exception info debug print fail log".split())  # noqa: SIM905
_HOLE = re.compile(r"%([rs])")
_MOST_NAMES = 3
_TARGETS = (ast.Assign, ast.AugAssign, ast.AnnAssign, ast.Delete)


def _raised(before: Snippet, node: ast.AST, _: ast.AST, words: str) -> Iterator[str]:
    """A way out, a warning or an exit as an error that is named."""
    told = list(dict.fromkeys(error_respelt(one[0]) or one[0] for one in ERROR.finditer(words)))
    told = (told or exceptions_told(words))[:2]
    match node:
        case ast.Return() | ast.Pass() | ast.Continue():
            for error in told:
                yield from (f"raise {error}({name})" for name in _about(before, node, words))
                yield f"raise {error}"
        case ast.Expr(value=ast.Call(func=func, args=[text, *rest], keywords=_)) if told:
            if (dotted(func) or "").rpartition(".")[2] in _TELLING:
                yield from (f"raise {error}({one})" for error in told for one in _filled(before, text, rest))
        case ast.Raise(exc=ast.Name(id=name) | ast.Call(func=ast.Name(id=name), args=[])):
            yield from (f"raise {name}({one})" for one in _about(before, node, words) if spoken_of(words, one))


def _filled(before: Snippet, text: ast.expr, rest: list[ast.expr]) -> Iterator[str]:
    """The message of a log call with what fills it, as an f-string and by `%`."""
    source, given = source_of(before, text), [source_of(before, one) for one in rest]
    if not isinstance(text, ast.Constant) or len(_HOLE.findall(source)) != len(given) or not given:
        yield source
        return
    left = iter(given)
    whole = _HOLE.sub(lambda hole: f"{{{next(left)}{'!r' * (hole[1] == 'r')}}}", source)
    if not any(source[0] in one or "\\" in one for one in given):
        yield f"f{whole}"
    yield f"{source} % {given[0] if len(given) == 1 else '(' + ', '.join(given) + ')'}"


def _about(before: Snippet, node: ast.stmt, words: str) -> list[str]:
    """What an error at a place may be about: values that the words name, that the tests around look at, parameters."""
    around = [one for one in before.nodes if _holds(one, node)]
    functions = [one for one in around if isinstance(one, ast.FunctionDef | ast.AsyncFunctionDef)][-1:]
    tests = [one.test for one in around if isinstance(one, ast.If | ast.While)][::-1]
    looked = [
        part.id
        for test in tests
        for part in ast.walk(test)
        if isinstance(part, ast.Name) and part.id not in ("self", "cls", "isinstance", "len", "hasattr")
    ]
    given = [one.arg for function in functions for one in function.args.args if one.arg not in ("self", "cls")]
    used = [
        part.id for part in ast.walk(node) if isinstance(part, ast.Name) and part.id not in ("self", "cls", "super")
    ]
    known = [one for one in dict.fromkeys([*looked, *used, *given]) if not one[:1].isupper()]
    said = [one for one in known if one in re.findall(r"\w+", words)]
    spoken = [one for one in known if spoken_of(words, one)]
    return list(dict.fromkeys([*said, *spoken, *known]))[:_MOST_NAMES]


def _holds(one: ast.AST, node: ast.stmt) -> bool:
    first, last = getattr(one, "lineno", None), getattr(one, "end_lineno", None)
    return first is not None and last is not None and one is not node and first <= node.lineno <= last


def _as_told(_: Snippet, node: ast.AST, __: ast.AST, words: str) -> Iterator[str]:
    """An assignment that is told in full, in the place of one to the same target."""
    if not isinstance(node, _TARGETS):
        return
    for text in _statements(words):
        told = parse(text).body[0]
        if _target(told) and (_target(told) == _target(node) or _target(told) == _base(node)):
            yield text


def _statements(words: str) -> Iterator[str]:
    """The assignments that stand in an instruction: quoted, the whole of it, or behind a colon."""
    behind = [words[at.end() :] for at in re.finditer(r": |-> |=> ", words)]
    for text in (*(span.text for span in spans(words) if span.mark == "`"), words, *behind):
        bare = text.strip().strip("`").rstrip(".")
        if not re.match(r"(?:del )?[\w.\[\]'\"]+ (?:[-+*/|&]?=(?!=)|: )|del ", bare):
            continue
        try:
            body = parse(bare).body
        except (SyntaxError, ValueError):
            continue
        if len(body) == 1 and isinstance(body[0], _TARGETS):
            yield bare


def _target(node: ast.stmt) -> str:
    match node:
        case ast.Assign(targets=[target]) | ast.Delete(targets=[target]):
            return ast.unparse(target)
        case ast.AugAssign(target=target) | ast.AnnAssign(target=target):
            return ast.unparse(target)
    return ""


def _base(node: ast.stmt) -> str:
    """What is deleted or assigned by a subscript, without it."""
    match node:
        case ast.Delete(targets=[ast.Subscript(value=value)]) | ast.Assign(targets=[ast.Subscript(value=value)]):
            return ast.unparse(value)
    return ""


RAISED: tuple[tuple[str, Rule], ...] = (
    (r"\brais|\bthrow|\berror\b.*\binstead\b|\binstead of\b.*\berror|error\b|\bgive it\b|\bcarry|\bcarries\b", _raised),
    (r" [-+*/|&]?= |\bdel ", _as_told),
)
"""What names a rule in lower case, and the rule."""
