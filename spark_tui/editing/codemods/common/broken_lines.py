"""Lines that got too long, broken at their brackets or put in parentheses."""

import re
from collections.abc import Iterator

from spark_tui.editing.code import MAX_WIDTH, indentation
from spark_tui.editing.codemods.common.named import closing

_HEAD = re.compile(
    r"(?P<head>(?:el)?if |while |assert |return |(?:[\w.]+(?:\[[^\[\]=]*\])?(?:: [^=]+?)? = ))(?P<rest>.*)$"
)
_SEAM = re.compile(r" (?=(?:and|or|for|if|else|async for) )")
_USUAL_WIDTH = 88


def broken(line: str, unit: str) -> list[str]:
    """A line as several where it is too long and can be broken; else as it is."""
    if len(line) <= MAX_WIDTH or '"""' in line or "'''" in line:
        return [line]
    indent = indentation(line)
    if parts := _at_brackets(line, indent + unit):
        return [made for part in parts for made in broken(part, unit)]
    match = _HEAD.match(line.lstrip())
    if match is None:
        return [line]
    colon = ":" if line.rstrip().endswith(":") else ""
    inner = _at_words(match["rest"].removesuffix(colon))
    return [f"{indent}{match['head']}(", *(f"{indent}{unit}{part}" for part in inner), f"{indent}){colon}"]


def _at_brackets(line: str, inner: str) -> list[str]:
    """The line with what its last brackets hold on lines of its own; [] where that leaves too much."""
    for at, end in reversed(list(_pairs(line))):
        held, tail = line[at + 1 : end].strip(), line[end:]
        if held and len(line[: at + 1]) <= _USUAL_WIDTH and len(tail) <= _USUAL_WIDTH // 2:
            items = _split(held, ",")
            joined = f"{inner}{held}"
            if len(items) < 2 or len(joined) <= _USUAL_WIDTH:
                rows = [joined] if len(joined) <= _USUAL_WIDTH else [f"{inner}{one}" for one in _at_words(held)]
            else:
                rows = [f"{inner}{one.strip()}," for one in items if one.strip()]
            return [line[: at + 1], *rows, f"{line[: len(line) - len(line.lstrip())]}{tail}"]
    return []


def _pairs(line: str) -> Iterator[tuple[int, int]]:
    """Where the outermost brackets of a line open and close."""
    at = len(line) - len(line.lstrip())
    while at < len(line):
        if line[at] in "\"'":
            at = line.find(line[at], at + 1)
            if at < 0:
                return
        elif line[at] in "([{":
            end = closing(line, at)
            if end is None:
                return
            yield at, end
            at = end
        at += 1


def _split(text: str, mark: str) -> list[str]:
    """A text cut at marks outside brackets and strings."""
    inside = [range(one, two + 1) for one, two in _pairs(text)]
    strings = [range(*match.span()) for match in re.finditer(r"\"[^\"]*\"|'[^']*'", text)]
    cuts = [at for at, sign in enumerate(text) if sign == mark and not any(at in one for one in (*inside, *strings))]
    return [text[one + 1 : two] for one, two in zip([-1, *cuts], [*cuts, len(text)], strict=True)]


def _at_words(text: str) -> list[str]:
    """A text cut before `and`, `or`, `for`, `if` and `else` outside brackets and strings."""
    inside = [range(one, two + 1) for one, two in _pairs(text)]
    strings = [range(*match.span()) for match in re.finditer(r"\"[^\"]*\"|'[^']*'", text)]
    cuts = [
        match.start() for match in _SEAM.finditer(text) if not any(match.start() in one for one in (*inside, *strings))
    ]
    return [text[one:two].strip() for one, two in zip([0, *cuts], [*cuts, len(text)], strict=True)]
