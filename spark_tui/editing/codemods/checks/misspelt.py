"""Names of exceptions that are misspelt in an instruction."""

import builtins
import re
from difflib import get_close_matches
from functools import lru_cache

ERROR = re.compile(r"(?:[^\W\d]\w*\.)*[A-Z]\w*(?:Er+o+r*|Erorr|Exception|Exit|Interrupt|Warning|Iteration)\b(?!\w)")
_ERRORS = sorted(
    name for name, one in vars(builtins).items() if isinstance(one, type) and issubclass(one, BaseException)
)


@lru_cache(maxsize=256)
def error_respelt(name: str) -> str:
    """The name of an exception, put right where it is misspelt; "" for other names."""
    if not ERROR.fullmatch(name):
        return ""
    if "." in name or name in _ERRORS:
        return name
    return next(iter(get_close_matches(name, _ERRORS, 1, 0.85)), name) if not name.endswith("Error") else name


def errors_respelt(instruction: str) -> str:
    """An instruction with the names of exceptions put right."""
    return ERROR.sub(lambda match: error_respelt(match[0]) or match[0], instruction)
