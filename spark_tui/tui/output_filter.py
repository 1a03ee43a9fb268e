"""The one way from the screen to the terminal: a filter that lets only known sequences leave.

Text, colors, cursor movement and a few modes may leave. Besides what is drawn, three things go out:
a copy that the user asked for, the bell, and a notification.
"""

import os
import re  # noqa: TID251 - reads characters as such
import select
from base64 import b64encode
from collections.abc import Callable
from contextlib import suppress

from spark_tui.errors import UsageError
from spark_tui.safe_text import is_plain

_MODES = "7|25|1000|1003|1004|1006|1015|1016|1049|2004|2026|2048"
_ALLOWED = re.compile(
    r"\x1b\[(?:"
    r"[0-9;]*m"  # colors and weights
    r"|[0-9]{1,5};[0-9]{1,5}H"  # to a row and a column
    # wrapping, cursor, mouse, focus, alternate screen, paste, whole frames, sizes
    rf"|\?(?:{_MODES})[hl]"
    r"|\?20(?:26|48)\$p"  # whether the terminal knows the last two
    r"|>[0-9]{1,2}u|<u"  # keys told apart
    r")|\n"
)
_MOST_NOTIFIED = 200
"""Characters of a notification."""
_SILENT = frozenset({"", "dumb", "linux"})
"""The TERM of terminals that show an unknown sequence, or wait for its end."""
MOST_COPIED = 75_000
"""Bytes of one copy; in base64 they are 100,000 characters, which is what terminals take."""
_REPLACEMENT = "\N{REPLACEMENT CHARACTER}"


def allowed(text: str) -> str:
    """Replace each character that may not leave by a replacement character.

    There should never be any: text gets its marks where it is drawn.
    """
    # Nearly always nothing is left over: one pass in C, and the text goes as it is.
    if is_plain(_ALLOWED.sub("", text)):
        return text
    kept = []
    end = 0
    for match in _ALLOWED.finditer(text):
        kept += [_shown(text[end : match.start()]), match[0]]
        end = match.end()
    return "".join([*kept, _shown(text[end:])])


def _shown(text: str) -> str:
    return "".join(char if is_plain(char) else _REPLACEMENT for char in text)


def notification(words: str) -> bytes:
    """The sequence of a notification; odd characters of the words are replaced.

    The words begin with a letter: some terminals read a number there as another command.

    Source:
        iTerm2, proprietary escape codes, OSC 9; ConEmu, OSC 9 with a number.
    """
    line = _shown(" ".join(words.split()))[:_MOST_NOTIFIED]
    return f"\x1b]9;spark: {line}\x1b\\".encode("utf-8", "replace")


class OutputFilter:
    """A terminal to write to, as a file.

    When the terminal is closed, later text is lost and `gone` is called, once.

    Args:
        terminal: The descriptor of the terminal.
        encoding: The encoding of the terminal; characters that it lacks are written as escapes.
    """

    def __init__(self, terminal: int, encoding: str, gone: Callable[[], None]) -> None:
        self._terminal = terminal
        self._encoding = encoding
        self._gone = gone
        self._waiting: list[str] = []
        """Text for the next flush."""
        self._besides = b""
        """A copy, the bell and a notification for the next flush, which are not filtered."""
        self._closed = False

    def fileno(self) -> int:
        """The terminal's descriptor."""
        return self._terminal

    def write(self, text: str) -> None:
        """Keep text for the next flush."""
        self._waiting.append(text)

    def copy(self, data: bytes) -> None:
        """Put data into the terminal's clipboard with the next flush.

        Call this only for a user who asked for exactly that.

        Raises:
            UsageError: The data is too much for a terminal.

        Source:
            XTerm control sequences, OSC 52.
        """
        if len(data) > MOST_COPIED:
            raise UsageError(
                f"{len(data):,} bytes are too much for a terminal's clipboard; save them to a "
                f"file instead"
            )
        self._besides += b"\x1b]52;c;" + b64encode(data) + b"\x1b\\"

    def ring(self) -> None:
        """Ring with the next flush."""
        self._besides += b"\a"

    def alert(self, words: str, terminal: str) -> None:
        """Ring, and show words outside of the terminal, where it can, with the next flush.

        Args:
            words: Text of any kind.
            terminal: The value of TERM.
        """
        self.ring()
        if terminal not in _SILENT:
            self._besides += notification(words)

    def flush(self) -> None:
        """Write what is allowed of everything kept."""
        text = "".join(self._waiting)
        self._waiting = []
        besides = self._besides
        self._besides = b""
        if self._closed:
            return
        try:
            self._write(allowed(text).encode(self._encoding, "backslashreplace") + besides)
        except OSError:
            self._closed = True
            self._gone()

    def _write(self, data: bytes) -> None:
        rest = memoryview(data)
        while rest:
            # Another program on this terminal may have switched it to non-blocking.
            with suppress(BlockingIOError):
                rest = rest[os.write(self._terminal, rest) :]
                continue
            # The terminal takes no more at the moment.
            select.select([], [self._terminal], [])
