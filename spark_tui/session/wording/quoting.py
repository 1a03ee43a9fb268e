"""Curly quotes, as hints and editors write them, read as the straight ones."""

import re

_DOUBLE = re.compile("\u201c([^\u201c\u201d]+)\u201d")
_SINGLE = re.compile(r"(?<!\w)\u2018([^\u2018\u2019']+)\u2019(?!\w)")


def straightened(words: str) -> str:
    """A request with its pairs of curly quotes as straight ones; as it is where straight double ones stand already."""
    return words if '"' in words else _SINGLE.sub(r"'\1'", _DOUBLE.sub(r'"\1"', words))
