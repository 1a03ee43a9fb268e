"""Places in an instruction: `@file`, `@"a file"`, `@file:10-20` and `@file::name`."""

import re
from collections.abc import Callable
from typing import Any

from spark_tui.marks import visible

_FILE = r'(?:"(?P<quoted>(?:[^"\\]|\\.)+)"|(?P<path>[^\s:"][^\s:]*(?<![,;.)])))'
_PLACE = re.compile(
    rf"""(?:\b(?:in|at|of|from|on|to|for|inside|into|within)\s+)?
    (?<![^\s(])@{_FILE}(?:::(?P<symbol>[\w.]*\w)|:(?P<first>\d+)(?:-(?P<last>\d+))?)?(?=[\s,;.)]|$)""",
    re.VERBOSE | re.IGNORECASE,
)
_PLAIN = re.compile(r'[^\s:"][^\s:]*(?<![,;.)])')
_ESCAPED = re.compile(r"\\(.)")
_COMMAND = re.compile(r"(`[^`]*`)")
_TOLD_OTHERWISE = (
    (re.compile(r"--(?:at|file) (?=[\w./\"])"), "@"),
    (re.compile(r"--(?:at|file)\b"), "@PLACE"),
    (re.compile(r"\buse -C DIR"), "start spark in another folder"),
    (re.compile(r"--max-tokens\b"), "max_tokens in config.toml"),
)
"""What options of the command line are called on the screen."""
_EXAMPLE = re.compile(r"” --at (?P<path>.+?)::(?P<symbol>[\w.]+)")


def read_request(text: str, file_named: Callable[[str], str | None]) -> dict[str, Any]:
    """An instruction and where it is to be carried out, as a Request's fields; the place is taken out of the words.

    What looks like a place but names no file is left alone: a decorator, say.

    Args: file_named: the file that a name as it is written means, or None.
    """
    for match in _PLACE.finditer(text):
        path = file_named(unquoted(match["quoted"]) if match["quoted"] else match["path"])
        if path is None:
            continue
        words = _without(text, match)
        request: dict[str, Any] = {"instruction": words or text, "path": path, "symbol": match["symbol"]}
        if match["first"]:
            request["lines"] = (int(match["first"]), int(match["last"] or match["first"]))
        return request
    return {"instruction": text}


def names_place(text: str, file_named: Callable[[str], str | None]) -> bool:
    """Whether an instruction names a place, be it there or not: a file, `@gone.py`, `@gone:3` or `@gone::name`."""
    return any(
        match["symbol"] or match["first"] or name.endswith(".py") or file_named(name) is not None
        for match in _PLACE.finditer(text)
        for name in [unquoted(match["quoted"]) if match["quoted"] else match["path"]]
    )


def at_place(text: str, place: str, file_named: Callable[[str], str | None]) -> str:
    """An instruction with another place than the one it names, or with one at its end."""
    for match in _PLACE.finditer(text):
        if file_named(unquoted(match["quoted"]) if match["quoted"] else match["path"]) is not None:
            start = text.index("@", match.start())
            return text[:start] + place + text[match.end() :]
    return f"{text.rstrip()} {place}".lstrip()


def mention(path: str, *, symbol: str | None = None, lines: tuple[int, int] | None = None) -> str:
    """How a place is written in an instruction; odd characters of the name stand there as marks."""
    name = visible(path)
    if not _PLAIN.fullmatch(name):
        name = '"' + name.replace("\\", "\\\\").replace('"', '\\"') + '"'
    if symbol:
        return f"@{name}::{symbol}"
    return f"@{name}:{lines[0]}-{lines[1]}" if lines else f"@{name}"


def unquoted(name: str) -> str:
    """A name as it stands between quotes, without their escapes."""
    return _ESCAPED.sub(r"\1", name)


def in_our_words(message: str) -> str:
    """A message that speaks of options of the command line, where a place is @PATH, within the words.

    What is quoted as a command of the shell stays as it is.
    """
    told = _EXAMPLE.sub(lambda match: f" {mention(match['path'], symbol=match['symbol'])}”", message)
    pieces = _COMMAND.split(told)
    for option, words in _TOLD_OTHERWISE:
        pieces[::2] = [option.sub(words, piece) for piece in pieces[::2]]
    return "".join(pieces)


def _without(text: str, match: re.Match[str]) -> str:
    return " ".join((text[: match.start()] + text[match.end() :]).split())
