"""Messages that speak of places, in the words of the screen."""

import re

_COMMAND = re.compile(r"(`[^`]*`)")
_TOLD_OTHERWISE = (
    (re.compile(r"--(?:at|file) (?=[\w./\"])"), "@"),
    (re.compile(r"--(?:at|file)\b"), "@PLACE"),
    (re.compile(r"\buse -C DIR"), "start spark in another folder"),
    (re.compile(r"(?<!exec )--check\b"), "spark exec --check"),
    (re.compile(r"--max-tokens\b"), "max_tokens in config.toml"),
)
"""What options of the command line are called on the screen."""


def in_our_words(message: str) -> str:
    """A message that speaks of options of the command line, where a place is @PATH, within the words.

    What is quoted as a command of the shell stays as it is.
    """
    pieces = _COMMAND.split(message)
    for option, words in _TOLD_OTHERWISE:
        pieces[::2] = [option.sub(words, piece) for piece in pieces[::2]]
    return "".join(pieces)
