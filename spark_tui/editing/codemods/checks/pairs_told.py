"""Tests of two values that the words tell together: both given, neither, the same, one above the other."""

import re
from collections.abc import Iterator

from spark_tui.editing.codemods.checks.symptoms import State
from spark_tui.editing.snippet import Snippet

_BOTH, _SAME = r"both|only one of|together|at once|at the same time|exclusive", r"identical|the same|equal|itself|same"
_NEITHER = r"neither|either|at least one of|none of"
_DIFFER = r"differ\w*|mismatch\w*|don't match|do not match|not equal|not match\w*"
_LENGTHS = r"same (?:length|size)|equally long|lengths? (?:differ|mismatch|of)|different (?:lengths?|sizes?)|as long as"
_WAYS = tuple(
    (re.compile(rf"\b(?:{words})\b"), forms)
    for words, forms in (
        (_LENGTHS, ("len({0}) != len({1})",)),
        (_BOTH, ("{0} and {1}", "{0} is not None and {1} is not None")),
        (_NEITHER, ("{0} is None and {1} is None", "not {0} and not {1}")),
        (_SAME, ("{0} == {1}",)),
        (_DIFFER, ("{0} != {1}",)),
    )
)
_UNCHANGED = re.compile(
    r"\b(?:unchanged|no change|same value|already (?:that|this|the)|nothing (?:has )?changed|did not change)\b"
)
_MORE = r"(?:after|above|greater than|larger than|bigger than|more than|exceeds|beyond|higher than|later than|>)"
_LESS = r"(?:before|below|under|less than|smaller than|lower than|earlier than|<)"
_MUST = r"(?:(?:must|has to|should|needs to|ought to) (?:be )?|must not be |can't be |cannot be )"
_COMPARED = re.compile(
    rf"(?<![\w.])(?P<one>[^\W\d][\w.]*)[`'\"]? (?P<must>{_MUST})?(?:is |are |comes |be |lies |was )?"
    rf"(?P<how>{_MORE}|{_LESS}) [`'\"]?(?P<other>[^\W\d][\w.]*)"
)


def pairs_told(before: Snippet, text: str, about: list[str], costs: dict[str, int]) -> Iterator[State]:
    """The tests, of the values that are named best. Args: costs: how well each is named; 99 where it is not."""
    yield from _compared(text, about)
    yield from _kept(before, text, about)
    for pattern, forms in _WAYS:
        if pattern.search(text) is None:
            continue
        near = sorted(about, key=lambda name: costs[name])[:2]
        near.sort(key=lambda name: (_first(text, name), about.index(name)))
        if len(near) == 2 and (max(costs[one] for one in near) < 99 or len(about) == 2):
            yield from (State(form.format(*near), near[1], at) for at, form in enumerate(forms))
            if "itself" in text or "is self" in text:
                yield from (State(f"{one} is self", one, 0) for one in near)


def _compared(text: str, about: list[str]) -> Iterator[State]:
    """One value beyond another; where it must be so, the other way round."""
    for match in _COMPARED.finditer(text):
        one, other = match["one"], match["other"].rstrip(".")
        if one in about and other in about and one != other:
            more = re.fullmatch(_MORE, match["how"]) is not None
            must = bool(match["must"]) and "not" not in match["must"] and "can't" not in match["must"]
            signs = ("<=", "<") if more and must else (">=", ">") if must else (">",) if more else ("<",)
            yield from (State(f"{one} {sign} {other}", one, at - 20) for at, sign in enumerate(signs))


def _kept(before: Snippet, text: str, about: list[str]) -> Iterator[State]:
    """A parameter that is what the object has already."""
    if not _UNCHANGED.search(text):
        return
    code = "\n".join(before.lines)
    for name in about:
        for own in (f"self.{name}", f"self._{name}"):
            if re.search(rf"{own}\b", code):
                yield State(f"{name} == {own}", name, -10)


def _first(text: str, name: str) -> int:
    """Where a text first names a value as it is; at its end where it does not."""
    found = re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text)
    return found.start() if found else len(text)
