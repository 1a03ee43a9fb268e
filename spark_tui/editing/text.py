"""A file's text with its line endings: what was not edited comes back byte for byte.

Lines end at a line feed and nowhere else, so a lone CR, FF, VT, NEL or U+2028 stays inside its
line. Bytes that are not UTF-8 travel as surrogates (PEP 383). Does no file I/O.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from io import StringIO
from itertools import zip_longest
from shlex import quote

from spark_tui.editing.line_diff import line_changes
from spark_tui.errors import NotText

_BOM = "\ufeff"
_UNDECODABLE = re.compile("[\udc80-\udcff]")
_DECLARED = re.compile(r"[ \t\f]*#.*?coding[:=][ \t]*([-\w.]+)")
_UTF_8 = re.compile(r"utf[-_]?8(?:-.*|_.*)?", re.IGNORECASE)
_WIDE = {
    b"\xff\xfe\0\0": "UTF-32",
    b"\0\0\xfe\xff": "UTF-32",
    b"\xff\xfe": "UTF-16",
    b"\xfe\xff": "UTF-16",
}


def undecodable(line: str) -> bool:
    """Whether a line holds bytes that are not UTF-8; such a line is never edited."""
    return not line.isascii() and _UNDECODABLE.search(line) is not None


def declared_encoding(lines: Sequence[str]) -> str:
    """The encoding other than UTF-8 that a file names in one of its first two lines (PEP 263),
    or "".
    """
    found = next(filter(None, map(_DECLARED.match, lines[:2])), None)
    return found[1] if found and not _UTF_8.fullmatch(found[1]) else ""


@dataclass(frozen=True)
class Text:
    """A text file's content.

    `raw`: its lines with their endings and, on the first, a byte order mark.
    """

    raw: tuple[str, ...]

    @classmethod
    def from_bytes(cls, data: bytes, path: str = "this file") -> "Text":
        """Read a file's bytes; `path` is for the message.

        Raises:
            NotText: The bytes are no text (they hold a NUL or start as UTF-16 or UTF-32).
        """
        if wide := next((name for mark, name in _WIDE.items() if data.startswith(mark)), None):
            command = f"`iconv -f {wide} -t UTF-8 {quote(path)}`"
            raise NotText(
                f"{path} is {wide}: spark edits UTF-8 text only; {command} gives its text in UTF-8"
            )
        if b"\0" in data:
            raise NotText(f"{path} is binary: spark edits UTF-8 text only; name a text file")
        return cls(tuple(StringIO(data.decode("utf-8", "surrogateescape"), newline="\n")))

    def to_bytes(self) -> bytes:
        """The exact bytes of the file."""
        return "".join(self.raw).encode("utf-8", "surrogateescape")

    @cached_property
    def lines(self) -> tuple[str, ...]:
        """Every line without its ending and without a byte order mark."""
        lines = "".join(_without_mark(self.raw)).replace("\r\n", "\n").split("\n")
        return tuple(lines[: len(self.raw)])

    @cached_property
    def size(self) -> int:
        """How many characters it has."""
        return sum(map(len, self.raw))

    def mixed(self, after: "Text") -> int | None:
        """The first line (0-based) of another version that has new text in UTF-8 though this file
        is encoded otherwise.

        As bytes, such text would be read as something else there.
        """
        if all(map(str.isascii, after.raw)) or not (
            declared_encoding(self.raw) or any(map(undecodable, self.raw))
        ):
            return None
        known = set(self.raw)
        new = (
            number
            for number, line in enumerate(after.raw)
            if not line.isascii() and line not in known
        )
        return next(new, None)

    def replace_lines(self, start: int, stop: int, new_lines: Sequence[str]) -> "Text":
        r"""Return the text with lines [start, stop) (0-based) replaced by `new_lines`.

        A line that stays keeps its ending. A changed one takes that of the line it replaces, an
        added one that of the line above it, else below it, else "\n". A file without a newline at
        its end stays
        without one unless its end is only cut off; a byte order mark stays at the very top.
        """
        raw = _without_mark(self.raw)
        if start == len(raw) and raw and not ending_of(raw[-1]):
            start = start - 1
            new_lines = (raw[-1], *new_lines)
        around = (*raw[max(start - 1, 0) : start], *raw[start:stop], *raw[stop : stop + 1])
        ending = next(filter(None, map(ending_of, around)), "\n")
        result = (
            *raw[:start],
            *_with_endings(raw[start:stop], self.lines[start:stop], new_lines, ending),
            *raw[stop:],
        )
        if raw is not self.raw and result:
            result = (_BOM + result[0], *result[1:])
        return Text(result)


def ending_of(line: str) -> str:
    r"""The ending of a raw line: "\n", "\r\n" or ""."""
    if not line.endswith("\n"):
        return ""
    return "\r\n" if line.endswith("\r\n") else "\n"


def _without_mark(raw: tuple[str, ...]) -> tuple[str, ...]:
    """The same tuple when there is no byte order mark."""
    return (raw[0].removeprefix(_BOM), *raw[1:]) if raw and raw[0].startswith(_BOM) else raw


def _with_endings(
    raw: Sequence[str], bare: Sequence[str], new: Sequence[str], ending: str
) -> list[str]:
    """The raw lines that `new` becomes in the place of `raw`.

    Args:
        bare: `raw` without endings.
        ending: For lines with nothing to take one from.
    """
    result: list[str] = []
    changes = line_changes(bare, new)
    at = 0
    for change in changes:
        result += raw[at : change.old_start]
        at = change.old_stop
        ending = (ending_of(result[-1]) if result else "") or ending
        if result and not ending_of(result[-1]):
            result[-1] = _ended(result[-1], ending)
        added = new[change.new_start : change.new_stop]
        for line, replaced in zip_longest(
            added, raw[change.old_start : at][: len(added)], fillvalue=""
        ):
            ending = ending_of(replaced) or ending
            result.append(_ended(line, ending))
    result += raw[at:]
    if (
        raw
        and not ending_of(raw[-1])
        and changes
        and changes[-1].new_start < changes[-1].new_stop == len(new)
    ):
        result[-1] = new[-1]
    return result


def _ended(line: str, ending: str) -> str:
    """A line with its ending; a CR at the end of the line itself must not be taken for half of
    one.
    """
    return line + ("\r\n" if line.endswith("\r") else ending)
