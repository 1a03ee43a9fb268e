"""Places in an instruction: `@file`, `@file:10-20` and `@file::name`."""

import re
from collections.abc import Callable
from typing import Any

_PLACE = re.compile(
    r"""(?:\b(?:in|at|of|from|on)\s+)?
    (?<![^\s(])@(?P<path>[^\s:]*[^\s:,;.)])(?:::(?P<symbol>[\w.]+)|:(?P<first>\d+)(?:-(?P<last>\d+))?)?(?=[\s,;.)]|$)""",
    re.VERBOSE | re.IGNORECASE,
)
_FLAG = re.compile(r"--(?:at|file)\b ?")


def read_request(text: str, is_file: Callable[[str], bool]) -> dict[str, Any]:
    """An instruction and where it is to be carried out, as a Request's fields; the place is taken out of the words.

    What looks like a place but names no file is left alone: a decorator, say.
    """
    for match in _PLACE.finditer(text):
        if not is_file(match["path"]):
            continue
        words = " ".join((text[: match.start()] + text[match.end() :]).split())
        request: dict[str, Any] = {"instruction": words or text, "path": match["path"], "symbol": match["symbol"]}
        if match["first"]:
            request["lines"] = (int(match["first"]), int(match["last"] or match["first"]))
        return request
    return {"instruction": text}


def in_our_words(message: str) -> str:
    """A message that speaks of the command line's --at PATH and --file PATH, for a screen where both are @PATH."""
    return _FLAG.sub("@", message)
