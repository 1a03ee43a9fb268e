"""Whether an edit of a signature does all that was asked for, and not a half of it."""

import ast
import re
from collections.abc import Callable, Iterator, Sequence

from spark_tui.editing.signatures import default_of
from spark_tui.editing.snippet import Snippet
from spark_tui.session.rules.facts import FAULTS, Code, Function, parameters

_PARAMETER = r"(?:param(?:eter)?|arg(?:ument)?|option|flag)"
_TO_BE_USED = re.compile(
    rf"\b{_PARAMETER}\b.*\band (?:then )?(?!default|type|annotate|document|give|make|let|call|name)\w+ (?:it|that)\b"
    rf"|^\W*(?:please )?(?:make|turn) (?!it\b|this function|the function).* (?:into |in to )?an? "
    rf"(?:(?:optional|keyword(?:-only)?) )*{_PARAMETER}\b"
    r"|\b(?:let|allow) (?:the )?(?:callers?|users?|me|people) (?:to )?(?:choose|set|pick|specify|override|configure)\b"
    r"|\b(?:configurable|adjustable|overridable|hard-?coded)\b",
    re.IGNORECASE,
)
_NEW = re.compile(
    r"\badd an? (?:(?:new|optional|extra|keyword(?:-only)?|bool\w*) )*"
    r"(?:param(?:eter)? (?:called |named )?[`'\"]?(?P<one>\w+)"
    r"|[`'\"]?(?P<two>\w+)[`'\"]? param(?:eter)?)\b.* and \w+ (?:it|that|an?|the)\b",
    re.IGNORECASE,
)
_SIGNATURE = re.compile(rf"\b{_PARAMETER}s?\b|\bdefault|\btoo\b|\bas well\b", re.IGNORECASE)
_NO_NAMES = frozenset(
    """well every each all any defaulting default defaults document documented documenting describe too also again as
    before after instead everything something required optional mandatory unused""".split()  # noqa: SIM905
)
_SEVERAL = re.compile(r"\b(?:all|every|each|both|everything|the others|parameters|arguments)\b", re.IGNORECASE)
_Measure = Callable[[Function], object]


def half_done(words: str, code: Code, after: Sequence[str]) -> str:
    """That a part of a wish is not done by an edit, in a sentence, or "". Args: after: the lines with the edit."""
    if not (_TO_BE_USED.search(words) or _SIGNATURE.search(words) or len(_asked(words)) > 1):
        return ""
    old = [node for node in code.nodes if isinstance(node, Function)]
    try:
        new = [node for node in Snippet(tuple(after)).nodes if isinstance(node, Function)]
    except FAULTS:
        return ""
    if len(old) != len(new) or not old:
        return ""
    return _misread(words, old, new) or _unused(words, old, new) or _left_out(words, old, new)


def _misread(words: str, old: Sequence[Function], new: Sequence[Function]) -> str:
    """That a word which is no name has become a parameter, or a default is another that nobody spoke of."""
    for _, name in _added(old, new):
        told = re.search(rf"[`'\"]{name}\b|\b{name} ?[=:]|\b(?:called|named) {name}\b", words)
        if name.lower() in _NO_NAMES and not told:
            return "did not understand what the parameter is to be called; say it as in “add a parameter limit=10”"
    said = set(re.findall(r"\w+", words))
    for before, after in zip(old, new, strict=True):
        known = {one.arg for one in parameters(before)}
        changed = {name for name, value in _given(after).items() if name in known and _given(before).get(name) != value}
        if changed & said and changed - said and "default" in words and not _SEVERAL.search(words):
            return f"the edit that was found changes the default of {min(changed - said)}, too; say it in other words"
    return ""


def _given(function: Function) -> dict[str, str]:
    """The defaults by the names of their parameters."""
    found = {one.arg: default_of(function, one) for one in parameters(function)}
    return {name: ast.dump(node) for name, node in found.items() if node is not None}


def _unused(words: str, old: Sequence[Function], new: Sequence[Function]) -> str:
    added = list(_added(old, new))
    if not added and (told := _NEW.search(words)):
        wanted = told["one"] or told["two"]
        there = any(one.arg == wanted for each in new for one in parameters(each))
        return "" if there else f"the edit that was found adds no parameter {wanted}; ask for one thing at a time"
    if not _TO_BE_USED.search(words):
        return ""
    for function, name in added:
        read = {node.id for one in function.body for node in ast.walk(one) if isinstance(node, ast.Name)}
        if name not in read:
            return f"the edit that was found adds {name} and does nothing with it; say which value or line is to use it"
    return ""


def _added(old: Sequence[Function], new: Sequence[Function]) -> Iterator[tuple[Function, str]]:
    """The parameters that are more than there were, with their functions."""
    for before, after in zip(old, new, strict=True):
        had = {one.arg for one in parameters(before)}
        own = [one.arg for one in parameters(after) if one.arg not in had]
        if len(parameters(after)) > len(had):
            yield from ((after, name) for name in own)


def _defaults(function: Function) -> object:
    spec = function.args
    return [ast.dump(one) for one in (*spec.defaults, *filter(None, spec.kw_defaults))]


def _hints(function: Function) -> object:
    return [ast.dump(one.annotation) for one in parameters(function) if one.annotation], ast.dump(
        function.returns or ast.Constant(None)
    )


_ASPECTS: tuple[tuple[str, re.Pattern[str], _Measure], ...] = (
    (
        "the default",
        re.compile(r"(?i)\bdefault \S+ to\b|\b(?:should|must) default to\b|\bdefaulting to\b|\bmake \S+ default to\b"),
        _defaults,
    ),
    ("the hints", re.compile(r"(?i)\b(?:add|and|with) (?:the |some )?(?:type )?(?:hints|annotations)\b"), _hints),
    ("the docstring", re.compile(r"(?i)\b(?:add|write|and) a doc ?string\b"), ast.get_docstring),
    (
        "what is keyword-only",
        re.compile(r"(?i)\bkey ?word[- ]only\b"),
        lambda function: [one.arg for one in function.args.kwonlyargs],
    ),
)  # fmt: skip


def _asked(words: str) -> list[tuple[str, _Measure]]:
    return [(what, measure) for what, pattern, measure in _ASPECTS if pattern.search(words)]


def _left_out(words: str, old: Sequence[Function], new: Sequence[Function]) -> str:
    """That one of several things that are asked for is as it was."""
    asked = _asked(words)
    same = [what for what, measure in asked if list(map(measure, old)) == list(map(measure, new))]
    if len(asked) < 2 or not same or len(same) == len(asked):
        return ""
    return f"the edit that was found does not change {same[0]}; ask for one thing at a time"
