"""How places are written on the screen (`spark_tui/places.py` reads them), and messages that speak of them."""

import re

from spark_tui.marks import visible

_PLAIN = re.compile(r'[^\s:"][^\s:]*(?<![,;.)])')
_COMMAND = re.compile(r"(`[^`]*`)")
_TOLD_OTHERWISE = (
    (re.compile(r"--(?:at|file) (?=[\w./\"])"), "@"),
    (re.compile(r"--(?:at|file)\b"), "@PLACE"),
    (re.compile(r"\buse -C DIR"), "start spark in another folder"),
    (re.compile(r"(?<!exec )--check\b"), "spark exec --check"),
    (re.compile(r"--max-tokens\b"), "max_tokens in config.toml"),
)
"""What options of the command line are called on the screen."""
_EXAMPLE = re.compile(r"” --at (?P<path>.+?)::(?P<symbol>[\w.]+)")


def mention(path: str, *, symbol: str | None = None, lines: tuple[int, int] | None = None) -> str:
    """How a place is written in an instruction; odd characters of the name stand there as marks."""
    name = visible(path)
    if not _PLAIN.fullmatch(name):
        name = '"' + name.replace("\\", "\\\\").replace('"', '\\"') + '"'
    if symbol:
        return f"@{name}::{symbol}"
    return f"@{name}:{lines[0]}-{lines[1]}" if lines else f"@{name}"


def in_our_words(message: str) -> str:
    """A message that speaks of options of the command line, where a place is @PATH, within the words.

    What is quoted as a command of the shell stays as it is.
    """
    told = _EXAMPLE.sub(lambda match: f" {mention(match['path'], symbol=match['symbol'])}”", message)
    pieces = _COMMAND.split(told)
    for option, words in _TOLD_OTHERWISE:
        pieces[::2] = [option.sub(words, piece) for piece in pieces[::2]]
    return "".join(pieces)
