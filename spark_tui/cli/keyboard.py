"""Reads the terminal for plain lines: typed lines, and each paste as one piece.

The terminal is asked to mark pastes (xterm's bracketed paste mode). Where it cannot, a line with
more right behind it counts as pasted, too.
"""

import codecs
import os
import re  # noqa: TID251 - reads a choice of a few
import select
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType, TracebackType
from typing import Self

from rich.cells import cell_len

from spark_tui.cli import output, terminal_modes
from spark_tui.safe_text import visible
from spark_tui.tui.pastes import Pastes, as_lines

_ON = b"\x1b[?2004h"
_OFF = b"\x1b[?2004l"
_BEGIN = "\x1b[200~"
_PASTE = re.compile("\x1b\\[200~(.*?)\x1b\\[201~", re.DOTALL)
_GAP_S = 0.05
"""The pieces of a paste follow each other faster than this, keys do not."""
_BACK = "\x7f\b"
_WORD = "\x17"
_ALL = "\x15"
_NO_MORE = "\x04"


class LineReader:
    """Reads what is typed and pasted at the terminal, from `with` to its end.

    Where stdin is no terminal, it reads lines.
    """

    def __init__(self) -> None:
        self._is_terminal = sys.stdin.isatty()
        self._marks = (
            self._is_terminal and sys.stdout.isatty() and os.environ.get("TERM", "dumb") != "dumb"
        )
        self._before = terminal_modes.current() if self._is_terminal else []
        self._decoder = codecs.getincrementaldecoder(sys.stdin.encoding or "utf-8")("replace")
        self._raw = ""
        """Characters not looked at yet; they begin with a mark where a paste has not ended."""
        self._line: list[tuple[str, str]] = []
        """The pieces of the line, each with what stands for it on the terminal."""
        self._on_suspend: object = signal.SIG_DFL

    def __enter__(self) -> Self:
        if self._is_terminal:
            self._on_suspend = signal.signal(terminal_modes.SUSPEND, self._suspend)
            self._take()
        return self

    def __exit__(
        self, _: type[BaseException] | None, __: BaseException | None, ___: TracebackType | None
    ) -> None:
        if self._is_terminal:
            signal.signal(terminal_modes.SUSPEND, self._on_suspend)  # type: ignore[arg-type]
            self._give()

    @contextmanager
    def lent(self) -> Iterator[None]:
        """Leave the terminal to another program."""
        if self._is_terminal:
            self._give()
        try:
            yield
        finally:
            if self._is_terminal:
                self._take()

    def ask(self, question: str) -> str | None:
        """Ask, as `output.ask` does; a paste becomes part of the line, and only a key sends it."""
        return self._asked(question, decides=False) if self._is_terminal else output.ask(question)

    def decide(self, question: str) -> str | None:
        """Ask what decides something: only what is typed at the question answers it."""
        if not self._is_terminal:
            return output.ask(question)
        if self.drop():
            output.show_words("ignored: what was typed or pasted before this question")
        return self._asked(question, decides=True)

    def drop(self) -> bool:
        """Throw away what is there already, but for a paste that has not ended.

        Returns:
            Whether there was any.
        """
        while self._is_terminal and self._comes() and self._read():
            pass
        # Whole pastes go. Of a paste that has not ended the start stays, or its rest would count as
        # typed.
        rest = _PASTE.sub("", self._raw)
        begun = _BEGIN + rest.rpartition(_BEGIN)[2] if _BEGIN in rest else ""
        met = self._raw != begun
        self._raw = begun
        return met

    def _asked(self, question: str, *, decides: bool) -> str | None:
        """Ask for a line.

        Args:
            decides: No paste answers it.

        Returns:
            None: there is no more to read.
        """
        output.show_question(question)
        self._line.clear()
        while (piece := self._next()) is not None:
            text, pasted = piece
            # A terminal that marks no pastes: more right behind the end of a line was not typed.
            pasted = pasted or (text == "\n" and (bool(self._raw) or self._comes()))
            if pasted and decides:
                self.drop()
                self._show("\n")
                output.show_words("pasted text is not an answer; type it")
                output.show_question(question)
                self._line.clear()
            elif text == "\n" and not pasted:
                self._show("\n")
                return "".join(meant for meant, _ in self._line)
            elif text == _NO_MORE and not self._line:
                break
            else:
                self._write(text, pasted=pasted)
        output.show_line("")
        return None

    def _next(self) -> tuple[str, bool] | None:
        """The next key or paste, and whether it is a paste.

        Returns:
            None: there are no more.
        """
        while True:
            if paste := _PASTE.match(self._raw):
                self._raw = self._raw[paste.end() :]
                return paste[1], True
            # A mark may arrive in parts, so the start of one waits for the rest.
            begins_mark = self._raw[: len(_BEGIN)] == _BEGIN[: len(self._raw)]
            if not begins_mark:  # true also of the empty text: there is nothing yet
                key = self._raw[0]
                self._raw = self._raw[1:]
                return key, False
            if not self._read():
                return None

    def _comes(self) -> bool:
        """Whether there is more to read, or comes at once."""
        return bool(select.select([0], [], [], _GAP_S)[0])

    def _read(self) -> bool:
        """Read what is there, waiting for something.

        Returns:
            Whether the terminal goes on.
        """
        data = os.read(0, 65536)
        self._raw += self._decoder.decode(data)
        return bool(data)

    def _write(self, text: str, *, pasted: bool) -> None:
        """Add what a key or a paste wrote to the line, or do what the key does."""
        if pasted:
            self._add(as_lines(text), visible(Pastes().fold(text)))
        elif text in _BACK:
            self._erase(1)
        elif text == _ALL:
            self._erase(len(self._line))
        elif text == _WORD:
            # A piece may be a whole paste; its first character says whether it is part of a word.
            firsts = "".join(meant[0] for meant, _ in self._line)
            last_word = re.findall(r"\S*\s*\Z", firsts)[0]
            self._erase(len(last_word))
        elif text != _NO_MORE:
            self._add(text, visible(text))

    def _add(self, meant: str, shown: str) -> None:
        if meant:
            self._line.append((meant, shown))
            self._show(shown)

    def _erase(self, count: int) -> None:
        """Take the last pieces out again."""
        first = max(0, len(self._line) - count)
        columns = sum(cell_len(shown) for _, shown in self._line[first:])
        # for each column: back, a space over it, back again
        self._show("\b \b" * columns)
        del self._line[first:]

    def _show(self, text: str) -> None:
        """Write what a key shows, unless the terminal is set to show nothing that is typed."""
        if terminal_modes.shows_keys(self._before):
            os.write(1, text.encode())

    def _take(self) -> None:
        """Have keys come as they are pressed, and pastes marked.

        Ctrl+C leaves unread input, which may hold the mark of a paste.
        """
        terminal_modes.take_keys()
        if self._marks:
            os.write(1, _ON)

    def _give(self) -> None:
        """Leave the terminal as it was; of a paste that has not ended the shell gets nothing."""
        if self._marks:
            os.write(1, _OFF)
        terminal_modes.restore(self._before, drop_unread=bool(self._raw))

    def _suspend(self, number: int, _: FrameType | None) -> None:
        self._give()
        signal.signal(number, self._on_suspend)  # type: ignore[arg-type]
        # The default handler stops the process here; it goes on below once the shell continues it.
        signal.raise_signal(number)
        signal.signal(number, self._suspend)
        self._take()


def is_yes(answer: str | None) -> bool:
    """Whether a question was answered with a plain yes.

    Args:
        answer: None: with nothing.
    """
    return (answer or "").strip().lower() in {"y", "yes"}
