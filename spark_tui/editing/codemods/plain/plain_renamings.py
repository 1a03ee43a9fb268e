"""One told in the place of another that needs no more words: "unknown -> missing", "use time.monotonic here".

What is told to go stands in the region only once: as a piece of a text or a comment, as an error, or as a function of a
module of which no other one is called.
"""

import ast
import re
from collections.abc import Callable

from spark_tui.editing.codemods.base import Ops, between
from spark_tui.editing.codemods.plain.plain_words import bare
from spark_tui.editing.snippet import Snippet
from spark_tui.editing.statements import dotted, outside_fstrings, spliced
from spark_tui.editing.trees import parse

_TO = r"(?:->|=>|\u2192|\u21d2)"
_SHOULD = r"(?i:should|must|has to|needs to|ought to)"
_QUOTED = r"(?P<{0}_mark>[`'\"])(?P<{0}>\w[^`\"]*)(?P={0}_mark)(?P<{0}_bare>)"
_PIECE = r"(?:(?P<{0}_mark>[`'\"])(?P<{0}>\w[^`\"]*)(?P={0}_mark)|(?P<{0}_bare>\w[^`'\"(),;]*?))"
_OLD, _NEW = _PIECE.format("old"), _PIECE.format("new")
_WHERE = r"(?:,? (?i:in (?:the|that|this) (?:\w+ )?(?:docstring|docs?|comment|message|text|error|string|url)))?"
_CHANGE = r"(?i:(?:change|replace|reword|correct|swap|fix) (?:the )?(?:word |text |typo )?)"
_TEXTS = (
    re.compile(rf"(?i:(?:fix )?(?:the )?typos?){_WHERE}[:,]? {_OLD} (?:{_SHOULD} (?i:be|read)|{_TO}) {_NEW}{_WHERE}"),
    re.compile(rf"{_CHANGE}{_OLD}{_WHERE} (?:(?i:to|with|by|into|for)|{_TO}) {_NEW}{_WHERE}"),
    re.compile(rf"{_QUOTED.format('old')}{_WHERE} {_SHOULD} (?i:be|read|say) {_QUOTED.format('new')}{_WHERE}"),
    re.compile(rf"{_OLD} {_TO} {_NEW}{_WHERE}"),
)
_OF_CODE = re.compile(
    r"(?i)\b(?:const(?:ant)?|class|module|and|plus|(?:back)?ticks?|local|please|lines?|place|parameter)\b"
)
_ERROR = r"[`'\"]?(?P<{}>[A-Z]\w*(?:Error|Exception|Warning|Exit|Iteration|NotFound))[`'\"]?"
_GOING, _COMING = _ERROR.format("old"), _ERROR.format("new")
_NOT = r"(?i:instead of|rather than|not|and not)(?i: an?| the)?"
_ERRORS = tuple(
    re.compile(pattern)
    for pattern in (
        rf"(?i:the |that |this )?{_GOING} {_SHOULD} (?i:rather |really )?(?i:be)(?i: an?)? {_COMING}(?i: instead)?",
        rf"{_GOING} {_TO} {_COMING}",
        rf"(?i:(?:make|turn|change) )(?i:the |that |this )?{_GOING}(?i: (?:in)?to)?(?i: an?)? {_COMING}",
        rf"(?i:(?:raise|throw|use|catch)(?: an?)? )?{_COMING},? {_NOT} {_GOING}",
        rf"(?i:(?:replace|swap) )(?i:the )?{_GOING} (?i:with|by|for)(?i: an?)? {_COMING}",
    )
)
_FUNCTION = re.compile(
    r"(?i:(?:we |i )?(?:use|want|need|prefer|call|should be|make it|switch to|take) )?"
    r"`?(?P<new>[a-z_]\w*(?:\.\w+)*\.[a-z_]\w*)(?:\(\))?`?(?i: here| instead| there| for (?:this|that|it))?"
)
_NO_MODULES = ("self", "cls", "super")
_SHORTEST = 4


def plain_renamings(before: Snippet, words: str) -> list[Ops]:
    """The only place of what is told to be otherwise, so; [] where there are more, or none."""
    said = bare(before, words)
    read: tuple[Callable[[Snippet, str], list[str]], ...] = (_errors, _texts, _functions)
    lines = next((found for one in read if (found := one(before, said))), [])
    return [between(before, lines)] if lines else []


def _errors(before: Snippet, said: str) -> list[str]:
    """The one mention of an error as another one."""
    told = next(filter(None, (pattern.fullmatch(said) for pattern in _ERRORS)), None)
    named = [one for one in outside_fstrings(before.tree) if told and dotted_last(one) == told["old"]]
    found = [one for one in named if isinstance(one, ast.Name)]
    return spliced(before, [(found[0], told["new"])]) if told and len(named) == len(found) == 1 else []


def dotted_last(node: ast.AST) -> str:
    """The last name of a chain of names, or ""."""
    return (dotted(node) or "").rpartition(".")[2] if isinstance(node, ast.Name | ast.Attribute) else ""


def _texts(before: Snippet, said: str) -> list[str]:
    """The one line with a piece of a text or a comment that is told, with the other piece; code stays the same."""
    told = next(filter(None, (pattern.fullmatch(said) for pattern in _TEXTS)), None)
    if told is None:
        return []
    old, new = (told[name] or told[f"{name}_bare"] for name in ("old", "new"))
    loose = told["new_bare"] and (_OF_CODE.search(new) or len(old.split()) != len(new.split()) or told["old"])
    stands = re.compile(rf"(?<!\w){re.escape(old)}(?!\w)")
    rows = [row for row, line in enumerate(before.lines) for _ in stands.findall(line)]
    if loose or len(rows) != 1 or len(old) < _SHORTEST:
        return []
    lines = [stands.sub(lambda _: new, line) if row == rows[0] else line for row, line in enumerate(before.lines)]
    return lines if _says_else(before, lines) else []


def _says_else(before: Snippet, lines: list[str]) -> bool:
    """Whether lines are the same code but for what its texts and comments say."""
    try:
        after = Snippet(tuple(lines))
        return _mute(before.tree) == _mute(after.tree)
    except (SyntaxError, ValueError):
        return False


def _mute(tree: ast.AST) -> str:
    copy = parse(ast.unparse(tree))
    for node in ast.walk(copy):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            node.value = ""
    return ast.dump(copy)


def _functions(before: Snippet, said: str) -> list[str]:
    """The one call of a function of a module as a call of the one told."""
    told = _FUNCTION.fullmatch(said)
    module = told["new"].rpartition(".")[0] if told else ""
    if told is None or module.split(".")[0] in _NO_MODULES:
        return []
    own = {one.id for one in before.nodes if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store)}
    calls = [one.func for one in outside_fstrings(before.tree) if isinstance(one, ast.Call)]
    found = (
        []
        if module.split(".")[0] in own
        else [one for one in calls if (dotted(one) or "").rpartition(".")[0] == module]
    )
    return spliced(before, [(found[0], told["new"])]) if len(found) == 1 else []
