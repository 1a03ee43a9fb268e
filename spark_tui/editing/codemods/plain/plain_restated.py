"""What is to become of a value in some state, said in the words of a check: "empty values should return 0".

"None should give back an empty string" and "return '' for None" are "return '' if data is None" where data is meant.
"""

import re

from spark_tui.editing.code import Function
from spark_tui.editing.codemods.plain.plain_conditions import TYPES
from spark_tui.editing.numbers import SIGNED
from spark_tui.editing.statements import argument_names

_STATE = (
    r"(?:(?:an?|the|any) )?(?P<state>empty|none|null|negative|blank|falsy|zero|non-?positive)"
    r"(?: (?:[`'\"])?(?P<noun>[^\W\d][\w.]*)(?:[`'\"])?)?"
)
_OUGHT = r"(?:should|must|ought to|needs to|has to|have to|shall)(?: (?:just|simply|also|rather|only))?"
_RETURN = r"(?:return|give(?: back)?|yield|hand back|answer(?: with)?|result in|produce)"
_OUTCOME = rf"(?:{_RETURN}(?: just| simply)? (?P<value>[^,]+?)|(?P<raise>(?:raise|throw) .+?))"
_BARE = rf"(?P<value>\"[^\"]*\"|'[^']*'|{SIGNED}|[\[{{(][\])}}]|None|True|False|(?:an? )?empty \w+)"
_FOR = r"(?:for|on|with|given|when given|if given|in case of|if|when|whenever|if it(?:'s| is)|when it(?:'s| is))"
_MAY = r"(?P<noun>[^\W\d]\w*) (?:can|may|might|could) be (?P<state>None|empty|negative|zero)(?: here| now)?"
_POLITE = r"(?:(?:please|also|just|it should|this should|should|must) )*"
_FORMS = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        rf"{_STATE} {_OUGHT} {_OUTCOME}",
        rf"{_POLITE}{_OUTCOME},? {_FOR} {_STATE}",
        rf"{_FOR} {_STATE},? (?:then )?(?:just )?{_OUTCOME}",
        rf"{_BARE},? {_FOR} {_STATE}",
        rf"{_STATE} (?:->|=>|\u2192) {_BARE}",
        rf"{_MAY}[,;:]? (?:then |so |please )*{_OUTCOME}(?: then| in that case)?",
    )
)
_AS = {"null": "None", "none": "None"}
_ANY = frozenset(
    [*TYPES, "input", "value", "values", "argument", "arg", "sequence", "array", "iterable", "one", "number"]
)


def restated(function: Function, words: str) -> str:
    """The words as a check of the one value that they can mean; "" for all others."""
    for told in filter(None, (form.fullmatch(words) for form in _FORMS)):
        groups = told.groupdict()
        state = _AS.get(told["state"].lower(), told["state"].lower())
        subject = _subject(function, told["noun"] or "")
        if subject and groups.get("raise"):
            return f"{groups['raise']} if {subject} is {state}"
        if subject:
            return f"return {groups['value']} if {subject} is {state}"
    return ""


def _subject(function: Function, noun: str) -> str:
    """The parameter that is named; where none is, the only one, else the only one that must be given."""
    if noun in argument_names(function) or (noun and noun.lower() not in _ANY):
        return noun if noun in argument_names(function) else ""
    given = function.args
    named = [one.arg for one in (*given.posonlyargs, *given.args) if one.arg not in ("self", "cls")]
    required = named[: len(named) - len(given.defaults)]
    return next((found[0] for found in (named, required) if len(found) == 1), "")
