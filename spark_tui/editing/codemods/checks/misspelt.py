"""Names of exceptions that are misspelt in an instruction."""

import builtins
import re
from difflib import get_close_matches
from functools import lru_cache

ERROR = re.compile(r"(?:[^\W\d]\w*\.)*[A-Z]\w*(?:Er+o+r*|Erorr|Exception|Exit|Interrupt|Warning|Iteration)\b(?!\w)")
_ERRORS = sorted(
    name for name, one in vars(builtins).items() if isinstance(one, type) and issubclass(one, BaseException)
)
_SEVERAL = re.compile(
    rf"(?<![\w.`'\"])(?P<name>{'|'.join(one for one in _ERRORS if one[-1] != 's')})s(?=,? (?:and|or)\b|,? [A-Z]|\W*$"
    r"|,? (?:only|alone|here|too|also|instead|not|rather|and|there|please|when|if|while|from|in)\b)"
)
_ARE_CAUGHT = re.compile(
    r"(?i)\b(?:except(?:ing)?|catch\w*|handl\w+|suppress\w*|ignor\w+|swallow\w*|rais\w+|let|only|just)\b[^.;:\"']*$"
)
_WRITTEN = re.compile(r"(?i)(?<!\w)[\"']|\b(?:doc\w*|comments?|messages?|say\w*|texts?|renam\w+|class)\b")


def errors_in_singular(instruction: str) -> str:
    """An instruction that speaks of several errors of a sort ("catch ValueErrors") with the name of that sort."""

    def one(match: re.Match[str]) -> str:
        before = instruction[: match.start()]
        meant = _ARE_CAUGHT.search(before) and not _WRITTEN.search(before)
        return match["name"] if meant else match[0]

    return _SEVERAL.sub(one, instruction)


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
