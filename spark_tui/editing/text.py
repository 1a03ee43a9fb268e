"""The text of a file with its line endings: what was not edited comes back byte for byte.

Lines end at a line feed and nowhere else, so a lone CR, FF, VT, NEL or U+2028 stays inside its
line. Bytes that are not UTF-8 travel as surrogates (PEP 383). Nothing here reads or writes a file.
"""

import re  # noqa: TID251 - reads characters as such
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from io import StringIO
from itertools import zip_longest
from shlex import quote

from spark_tui.editing.line_diff import is_document, is_heading, line_changes, refuse_headings
from spark_tui.errors import NotText

_BOM = "\ufeff"
# the surrogates that stand for bytes 0x80 to 0xff in "surrogateescape"
_UNDECODABLE = re.compile("[\udc80-\udcff]")
_DECLARED = re.compile(r"[ \t\f]*#.*?coding[:=][ \t]*([-\w.]+)")
_UTF_8 = re.compile(r"utf[-_]?8(?:-.*|_.*)?", re.IGNORECASE)
# UTF-32 first: its little-endian mark begins with the one of UTF-16
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
    """The encoding that a file declares in its first two lines (PEP 263); "" for UTF-8 or none."""
    declaration = next(filter(None, map(_DECLARED.match, lines[:2])), None)
    if declaration is None or _UTF_8.fullmatch(declaration[1]):
        return ""
    return declaration[1]


@dataclass(frozen=True)
class Text:
    """The content of a text file.

    `raw`: the lines with their endings; the first one begins with the byte order mark, if any.
    """

    raw: tuple[str, ...]

    @classmethod
    def from_bytes(cls, data: bytes, path: str = "this file") -> "Text":
        """Read the bytes of a file.

        Args:
            path: The name of the file, for the message.

        Raises:
            NotText: The bytes are no text: they hold a NUL or start as UTF-16 or UTF-32.
        """
        if wide := next((name for mark, name in _WIDE.items() if data.startswith(mark)), None):
            command = f"`iconv -f {wide} -t UTF-8 {quote(path)}`"
            raise NotText(
                f"{path} is {wide}: spark edits UTF-8 text only; {command} gives its text in UTF-8"
            )
        if b"\0" in data:
            raise NotText(f"{path} is binary: spark edits UTF-8 text only; name a text file")
        # with newline="\n", reading splits at line feeds only and translates nothing
        return cls(tuple(StringIO(data.decode("utf-8", "surrogateescape"), newline="\n")))

    def to_bytes(self) -> bytes:
        """The exact bytes of the file."""
        return "".join(self.raw).encode("utf-8", "surrogateescape")

    @cached_property
    def lines(self) -> tuple[str, ...]:
        """Every line without its ending and without a byte order mark."""
        # One pass over the whole text is quicker than one for each line. The piece behind the last
        # line feed is no line.
        lines = "".join(_without_mark(self.raw)).replace("\r\n", "\n").split("\n")
        return tuple(lines[: len(self.raw)])

    @cached_property
    def size(self) -> int:
        """The number of characters."""
        return sum(map(len, self.raw))

    def mixed(self, after: "Text") -> int | None:
        """The first line (0-based) that would mix UTF-8 into a file with another encoding.

        A program that reads the file in its own encoding would take such a line for another text.

        Args:
            after: Another version of the file.

        Returns:
            None where all is UTF-8, or no line of `after` is new and not ASCII.
        """
        if all(map(str.isascii, after.raw)):
            return None
        if not declared_encoding(self.raw) and not any(map(undecodable, self.raw)):
            return None
        # lines that the file already has are in its own encoding, or were mixed before
        known = set(self.raw)
        for number, line in enumerate(after.raw):
            if not line.isascii() and line not in known:
                return number
        return None

    def replace_lines(self, start: int, stop: int, new_lines: Sequence[str]) -> "Text":
        r"""Return the text with lines [start, stop) (0-based) replaced by `new_lines`.

        A line that stays keeps its ending. A changed line takes the ending of the line it replaces;
        an added line that of the line above, else below, else "\n". A file without a newline at its
        end stays without one unless its end is only cut off; a byte order mark stays at the top.

        Raises:
            UsageError: A line of a lone file would be read as the heading of another file.
        """
        if not is_document(self.raw):
            refuse_headings(new_lines)
        raw = _without_mark(self.raw)
        # Lines below a last line without an ending: that line is replaced by itself, to get one.
        if start == len(raw) and raw and not ending_of(raw[-1]):
            start -= 1
            new_lines = (raw[-1], *new_lines)
        # The first ending among the line above, the replaced lines and the line below. A heading
        # says nothing about the endings of its file.
        around = [line for line in raw[max(start - 1, 0) : stop + 1] if not is_heading(line)]
        ending = next(filter(None, map(ending_of, around)), "\n")
        result = (
            *raw[:start],
            *_with_endings(raw[start:stop], self.lines[start:stop], new_lines, ending),
            *raw[stop:],
        )
        # another tuple only where there was a byte order mark
        if raw is not self.raw and result:
            result = (_BOM + result[0], *result[1:])
        return Text(result)


def ending_of(line: str) -> str:
    r"""The ending of a raw line: "\n", "\r\n" or ""."""
    if not line.endswith("\n"):
        return ""
    return "\r\n" if line.endswith("\r\n") else "\n"


def _without_mark(raw: tuple[str, ...]) -> tuple[str, ...]:
    """The lines without a byte order mark; the same tuple when there is none."""
    if not raw or not raw[0].startswith(_BOM):
        return raw
    return (raw[0].removeprefix(_BOM), *raw[1:])


def _with_endings(
    raw: Sequence[str], bare: Sequence[str], new: Sequence[str], ending: str
) -> list[str]:
    """The raw lines that `new` becomes in the place of `raw`.

    Args:
        raw: The lines to replace.
        bare: The same without endings.
        new: The new lines, without endings.
        ending: The ending for new lines without an old line above or in their place.
    """
    result: list[str] = []
    changes = line_changes(bare, new)
    done = 0
    for change in changes:
        result += raw[done : change.old_start]
        done = change.old_stop
        if result and is_heading(result[-1]):
            # a heading always ends in "\n": the first line of the file tells the ending
            ending = next(filter(None, map(ending_of, raw[done : done + 1])), "\n")
        elif result:
            ending = ending_of(result[-1]) or ending
            # the last line of the file, no longer the last one
            if not ending_of(result[-1]):
                result[-1] = _ended(result[-1], ending)
        added = new[change.new_start : change.new_stop]
        # row by row: each new line takes the ending of the old line in its place, if there is one
        replaced = raw[change.old_start : change.old_stop][: len(added)]
        for line, old_line in zip_longest(added, replaced, fillvalue=""):
            ending = ending_of(old_line) or ending
            result.append(_ended(line, ending))
    result += raw[done:]
    # A new last line has no ending where the old one had none. Where the end is only cut off, the
    # line that is now the last one keeps its ending.
    writes_end = bool(changes) and changes[-1].new_start < changes[-1].new_stop == len(new)
    if writes_end and raw and not ending_of(raw[-1]):
        result[-1] = new[-1]
    return result


def _ended(line: str, ending: str) -> str:
    r"""A line with an ending: always "\r\n" behind a CR, and "\n" in a heading.

    With "\n" alone, a CR at the end of the line itself would be read as half of the ending.
    """
    if is_heading(line):
        return f"{line}\n"
    if line.endswith("\r"):
        return line + "\r\n"
    return line + ending
