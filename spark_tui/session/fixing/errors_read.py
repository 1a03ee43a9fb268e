"""What the errors that a command ends with say of a fix: a name that there is none of, a call that is missing.

These are the words of Python, not those of a user.
"""

import re
from collections.abc import Collection, Sequence
from difflib import get_close_matches

_NAME = r"['\"`]([^\W\d]\w*)['\"`]"
_MISSING = re.compile(
    rf"name {_NAME} is not defined|variable {_NAME}|has no attribute {_NAME}|cannot import name {_NAME}"
    rf"|unexpected keyword argument {_NAME}|KeyError: ['\"](.+)['\"]$"
)
_SUGGESTED = re.compile(rf"[Dd]id you mean:? {_NAME}")
_MOST_NEAR, _NEAR = 4, 0.5
_GROUPS = {
    "NoneType": {"return"},
    "coroutine": {"await"},
    "'await' expression": {"await"},
    "is not iterable": {"await"},
    "missing 1 required positional argument": {"argument", "self"},
    "positional argument": {"argument", "self"},
    "IndexError": {"bound"},
}
"""What an error says that speaks for a group of mutations."""
_CALLS = (
    (r"can only concatenate str|must be str, not|expected str instance", "+str -int -float -len"),
    (r"can only concatenate (?:list|tuple)", "+list"),
    (r"unsupported operand type\(s\) for|not supported between instances of", "+int +float +str +len -str +()"),
    (r"builtin_function_or_method|built-in method|bound method|'method' object|'function' object|<function", "+()"),
    (r"object is not callable", "-()"),
    (r"'(?:int|float)' object is not iterable", "+range -len -int"),
    (r"'(?:dict_\w+|map|filter|zip|generator|range|reversed|set)' object|of type '(?:map|filter|zip)'", "+list"),
    (r"object of type '(?:int|float|NoneType)' has no len", "-len"),
    (r"indices must be integers", "+int -enumerate +range +items -str"),
    (r"cannot be interpreted as an integer", "+int +len -range"),
    (r"values to unpack|cannot unpack", "+items +enumerate"),
    (r"changed size during iteration", "+list +copy"),
    (r"bytes-like object is required|expected bytes|not bytes", "-encode -decode -str"),
    (r"argument must be str", "+str -encode"),
    (r"invalid literal for int|could not convert string to float", "-int +strip -float"),
)
"""What an error says that speaks for a call that comes (+) or goes (-)."""


class ErrorsRead:
    """What errors say of a fix. Args: errors: as `errors_said` gives them. code: of the file."""

    def __init__(self, errors: Sequence[str], code: str = "") -> None:
        self._groups = {group for told, found in _GROUPS.items() for group in found if any(told in e for e in errors)}
        self._calls = {
            mark for told, marks in _CALLS for mark in marks.split() if any(re.search(told, e) for e in errors)
        }
        self.meant: dict[str, tuple[str, ...]] = {}
        """For each name or key that there is none of, those that may be meant."""
        known = set(re.findall(r"[^\W\d]\w{2,}", code))
        for error in errors:
            suggested = tuple(_SUGGESTED.findall(error))
            for name in (one for groups in _MISSING.findall(error) for one in groups if one):
                near = get_close_matches(name, known - {name}, n=_MOST_NEAR, cutoff=_NEAR)
                self.meant[name] = tuple(dict.fromkeys((*suggested, *near)))

    def speak_for(self, group: str, gone: Collection[str], come: Collection[str]) -> bool:
        """Whether they speak for a mutation. Args: group: its own. gone, come: the tokens that it takes and brings."""
        if group in self._groups:
            return True
        if group == "call":
            calls = [*(f"+{one}" for one in come or ("()",)), *(f"-{one}" for one in gone or ("()",))]
            return bool(self._calls & set(calls))
        return any(name in gone or group == "self" for name in self.meant)
