"""What the errors that a command ends with say of a fix: a name that there is none of, a value that is not returned.

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
_GROUPS = {"NoneType": "return", "IndexError": "bound"}
"""What an error says that speaks for a group of mutations."""


class ErrorsRead:
    """What errors say of a fix. Args: errors: as `errors_said` gives them. code: of the file."""

    def __init__(self, errors: Sequence[str], code: str = "") -> None:
        self._groups = {group for told, group in _GROUPS.items() if any(told in each for each in errors)}
        self.meant: dict[str, tuple[str, ...]] = {}
        """For each name or key that there is none of, those that may be meant."""
        known = set(re.findall(r"[^\W\d]\w{2,}", code))
        for error in errors:
            suggested = tuple(_SUGGESTED.findall(error))
            for name in (one for groups in _MISSING.findall(error) for one in groups if one):
                near = get_close_matches(name, known - {name}, n=_MOST_NEAR, cutoff=_NEAR)
                self.meant[name] = tuple(dict.fromkeys((*suggested, *near)))

    def speak_for(self, group: str, gone: Collection[str]) -> bool:
        """Whether they speak for a mutation. Args: group: its own. gone: the tokens that it takes."""
        return group in self._groups or any(name in gone for name in self.meant)
