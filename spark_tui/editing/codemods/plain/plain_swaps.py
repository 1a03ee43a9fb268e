"""Code or text for other such, wherever it stands: "use perf_counter() instead of time()", "use - instead of ="."""

import ast
import re

from spark_tui.editing.code import text_of
from spark_tui.editing.codemods.base import Ops, between, parses
from spark_tui.editing.codemods.common.said import is_expression
from spark_tui.editing.codemods.plain.plain_words import bare
from spark_tui.editing.snippet import Snippet
from spark_tui.editing.statements import fitted, outside_fstrings, quote, spliced
from spark_tui.editing.trees import parse

_USE = r"use|call|take|put|write"
_INSTEAD = tuple(
    re.compile(pattern)
    for pattern in (
        rf"(?i:{_USE}|say|print) (?P<new>\S+?),? (?i:instead of|rather than|in place of|not) (?P<old>\S+)",
        r"(?P<new>[^\W\d]\w*\.[\w.]+(?:\(\))?),? (?i:instead of|rather than|not) (?P<old>\S+)",
        r"(?i:replace|swap) (?P<old>\S+) (?i:with|by|for) (?P<new>\S+)",
        r"(?i:change) (?P<old>\S+) (?i:to|into) (?P<new>\S+)",
    )
)
_CODE = tuple(
    re.compile(pattern)
    for pattern in (
        rf"(?i:{_USE}) (?P<new>.+?) (?i:instead of|rather than|in place of) (?P<old>.+)",
        r"(?P<new>.+?) (?i:instead of|rather than|in place of) (?P<old>.+)",
        r"(?i:replace|swap) (?P<old>.+?) (?i:with|by|for) (?P<new>.+)",
        r"(?i:change|turn|make|update) (?P<old>.+?) (?i:to|into|be) (?P<new>.+)",
        r"(?P<old>.+?) (?i:should|must|has to|needs to|ought to) be (?P<new>.+)",
        r"(?P<old>.+?) (?:->|=>|\u2192) (?P<new>.+)",
    )
)
_PIECES = (ast.BinOp, ast.BoolOp, ast.UnaryOp, ast.Compare, ast.Call, ast.Subscript, ast.Attribute)
_SAYS = re.compile(r"(?i)(?:please |it should |let it |also )*(?:say|print|write|call it|show|read)\b")
_DOTTED = re.compile(r"[^\W\d]\w*(?:\.[^\W\d]\w*)+(?:\(.*\))?|[^\W\d]\w*\(.*\)|[^\W\d]\w*\[.+\]")
_SIGNS = re.compile(r"[^\w\s]{1,3}")
_OPERATORS = frozenset(["+", "-", "*", "/", "//", "%", "**", "==", "!=", "<", ">", "<=", ">=", "|", "&", "^", "@", "="])


def plain_swaps(before: Snippet, words: str) -> list[Ops]:
    """The one told in the place of every other, or [] where the words do not tell both plainly."""
    if lines := _of_expressions(before, words):
        return [between(before, lines)]
    told = next(filter(None, (pattern.fullmatch(bare(before, words)) for pattern in _INSTEAD)), None)
    if told is None:
        return []
    old, new = (told[name].strip("`") for name in ("old", "new"))
    lines = (
        _of_code(before, old, new)
        or _of_functions(before, old, new)
        or _of_signs(before, old, new)
        or _of_words(before, old, new, words)
    )
    return [between(before, lines)] if lines and parses(lines) else []


def _of_expressions(before: Snippet, words: str) -> list[str]:
    """Every expression that is the one told: "change x > 8 to x >= 8"."""
    told = expressions_told(before, words)
    found = [one for one in outside_fstrings(before.tree) if told and same_code(one, told[0])]
    return fitted(before, [(one, told[1]) for one in found if isinstance(one, ast.expr)]) if told and found else []


def expressions_told(before: Snippet, words: str) -> tuple[str, str] | None:
    """The code of several words, and the one that is to stand in its place, where words tell nothing else."""
    for pattern in _CODE:
        if told := pattern.fullmatch(bare(before, words)):
            old, new = (told[name].strip("` ") for name in ("old", "new"))
            if " " in old and is_expression(old) and is_expression(new) and _is_code(old, new):
                return old, new
    return None


def _is_code(old: str, new: str) -> bool:
    """Whether two expressions have a name in common, and the first is more than one, and no words: "x in the list"."""
    if "..." in old or re.search(r"\b(?:in|not)\b|\w -\w", old):
        return False
    first, second = (parse(one, mode="eval") for one in (old, new))
    names = [{one.id for one in ast.walk(tree) if isinstance(one, ast.Name)} for tree in (first, second)]
    return isinstance(first.body, _PIECES) and bool(names[0] & names[1] or _is_number(first.body, second.body))


def _is_number(old: ast.expr, new: ast.expr) -> bool:
    return isinstance(new, ast.Constant) and not isinstance(new.value, str) and not isinstance(old, ast.Call)


def same_code(node: ast.AST, source: str) -> bool:
    """Whether a node is an expression told, however that is spaced and quoted."""
    return isinstance(node, _PIECES) and ast.dump(node) == ast.dump(parse(source, mode="eval").body)


def _of_code(before: Snippet, old: str, new: str) -> list[str]:
    """Every expression that is the one told; a called one with its arguments."""
    if not (_DOTTED.fullmatch(old) and _DOTTED.fullmatch(new) and is_expression(old) and is_expression(new)):
        return []
    if old.endswith("()") and new.endswith("()"):
        old, new = old[:-2], new[:-2]
    found = [one for one in outside_fstrings(before.tree) if isinstance(one, ast.expr) and _is(before, one, old)]
    return spliced(before, [(one, new) for one in found]) if found else []


def _of_functions(before: Snippet, old: str, new: str) -> list[str]:
    """Every call of a function of a module told by its last name: "os.replace instead of rename"."""
    module, _, name = new.removesuffix("()").rpartition(".")
    path = f"{module}.{old.removesuffix('()')}"
    if not (module and name.isidentifier() and path != new and is_expression(path)):
        return []
    calls = [one.func for one in outside_fstrings(before.tree) if isinstance(one, ast.Call)]
    found = [one for one in calls if text_of(before, one) == path]
    return spliced(before, [(one, f"{module}.{name}") for one in found]) if found else []


def _is(before: Snippet, node: ast.expr, source: str) -> bool:
    return not isinstance(getattr(node, "ctx", None), ast.Store | ast.Del) and text_of(before, node) == source


def _of_signs(before: Snippet, old: str, new: str) -> list[str]:
    """Every text that is nothing but the sign told, where it is no operator of the code."""
    old, new = (one[1:-1] if len(one) > 2 and one[0] == one[-1] and one[0] in "'\"" else one for one in (old, new))
    if not (_SIGNS.fullmatch(old) and _SIGNS.fullmatch(new)) or {old, new} & {'"', "'", "\\"}:
        return []
    found = [one for one in outside_fstrings(before.tree) if isinstance(one, ast.Constant) and one.value == old]
    spared = [(one, quote(before, new)) for one in found if text_of(before, one)[1:-1] == old]
    operator = old in _OPERATORS and any(old in line.split() for line in before.lines)
    return spliced(before, spared) if spared and not operator else []


def _of_words(before: Snippet, old: str, new: str, words: str) -> list[str]:
    """The only text with a word in it that is no name of the code, where it is to say another one."""
    old, new = (one.strip("'\"`") for one in (old, new))
    if not (_SAYS.match(words.strip()) and old.isalpha() and new.isalpha()):
        return []
    word = re.compile(rf"(?<![\w{{]){re.escape(old)}(?!\w)")
    rows = [row for row, line in enumerate(before.lines) if word.search(line)]
    texts = [one for one in before.nodes if isinstance(one, ast.Constant) and one.lineno - 1 in rows]
    inside = [one for one in texts if isinstance(one.value, str) and word.search(one.value)]
    if len(rows) != 1 or len(inside) != 1 or len(word.findall(before.lines[rows[0]])) != 1:
        return []
    return [word.sub(new, line) if row == rows[0] else line for row, line in enumerate(before.lines)]
