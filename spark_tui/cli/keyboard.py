"""The terminal as plain lines read it: a line is what keys wrote, and a paste is one piece whatever it holds.

The terminal is asked to mark pastes. Where it cannot, a line with more right behind it is a paste, too.
"""

import codecs
import os
import re
import select
import signal
import sys
import termios
import threading
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from types import FrameType, TracebackType
from typing import Self

from rich.cells import cell_len

from spark_tui.cli import output
from spark_tui.marks import visible
from spark_tui.tui.pastes import Pastes, as_lines

_ON, _OFF = b"\x1b[?2004h", b"\x1b[?2004l"
_BEGIN, _END = "\x1b[200~", "\x1b[201~"
_MARKS = re.compile("(\x1b\\[20[01]~)")
_BEGUN_MARK = re.compile("\x1b(\\[(2(0[01]?)?)?)?\\Z")
_GAP_S = 0.05
"""The pieces of a paste follow each other faster than this, keys do not."""
_STALL_S = 5.0
"""After so long it is said that a paste has not ended."""
_BACK, _WORD, _ALL, _NO_MORE = "\x7f\b", "\x17", "\x15", "\x04"


@dataclass(frozen=True, slots=True)
class _Piece:
    """What a key wrote, or a paste. `apart`: nothing came right behind it."""

    text: str
    pasted: bool = False
    apart: bool = False


class Keyboard:
    """What is typed and pasted at the terminal, from `with` to its end; where stdin is none, lines are read."""

    def __init__(self) -> None:
        self._is_terminal = sys.stdin.isatty()
        self._marks = self._is_terminal and sys.stdout.isatty() and os.environ.get("TERM", "dumb") != "dumb"
        self._before = termios.tcgetattr(0) if self._is_terminal else []
        self._decoder = codecs.getincrementaldecoder(sys.stdin.encoding or "utf-8")("replace")
        self._pieces: deque[_Piece] = deque()
        self._begun = ""
        """What was read last and may be the first part of a mark."""
        self._paste: list[str] | None = None
        """What came of a paste that has not ended."""
        self._on_suspend: object = signal.SIG_DFL

    def __enter__(self) -> Self:
        if self._is_terminal:
            self._on_suspend = signal.signal(signal.SIGTSTP, self._suspend)
            self._take()
        return self

    def __exit__(self, _: type[BaseException] | None, __: BaseException | None, ___: TracebackType | None) -> None:
        if self._is_terminal:
            signal.signal(signal.SIGTSTP, self._on_suspend)  # type: ignore[arg-type]
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

    @contextmanager
    def listening(self) -> Iterator[None]:
        """Take what is typed meanwhile as it comes, so that lines typed one after the other are no paste."""
        over = threading.Event()
        listener = threading.Thread(target=self._listen, args=(over,), name="spark-keyboard", daemon=True)
        if self._is_terminal:
            listener.start()
        try:
            yield
        finally:
            over.set()
            if self._is_terminal:
                listener.join()

    def ask(self, question: str) -> str | None:
        """Ask, as `output.ask` does; a paste becomes part of the line, and only a key sends it."""
        from spark_tui.session.request import too_long  # keys are heard before the session's room is there

        return self._line(question, too_long) if self._is_terminal else output.ask(question)

    def decide(self, question: str) -> str | None:
        """Ask what decides something: only what is typed at the question answers it."""
        if not self._is_terminal:
            return output.ask(question)
        if self.drop():
            output.show_words("left out: what was typed or pasted before this question")
        return self._line(question, lambda _: "a paste answers nothing; type the answer")

    def drop(self) -> bool:
        """Throw away what is there already, but for a paste that has not ended. Returns: whether there was any."""
        met = False
        while self._is_terminal and self._comes(_GAP_S) and self._read():
            met = met or bool(self._pieces)
            self._pieces.clear()
        return met

    def _line(self, question: str, refusal: Callable[[str], str]) -> str | None:
        """Ask for a line. Args: refusal: what is said of a text with a paste in it that is not taken, else ""."""
        output.show_question(question)
        line = _Line(echoed=bool(self._before[3] & termios.ECHO))
        while (piece := self._next()) is not None and (line.pieces or piece != _Piece(_NO_MORE)):
            pasted = piece.pasted or (piece.text == "\n" and not piece.apart and self._comes(_GAP_S))
            if piece.text == "\n" and not pasted:
                line.end()
                return line.text
            line.write(piece)
            if pasted and (words := refusal(line.text)):
                self.drop()
                output.show_line("")
                output.show_words(words)
                output.show_question(question)
                line.pieces.clear()
        output.show_line("")
        return None

    def _next(self) -> _Piece | None:
        """The next piece, waited for. Returns: None: there are no more."""
        told = False
        while not self._pieces:
            if self._paste is not None and not told and not self._comes(_STALL_S):
                output.show_line("")
                output.show_words("a paste has begun and not ended: until then nothing is read; Ctrl+C twice leaves")
                told = True
            if not self._read():
                return None
        return self._pieces.popleft()

    def _comes(self, seconds: float) -> bool:
        """Whether there is more, or comes in so many seconds."""
        return bool(self._pieces or select.select([0], [], [], seconds)[0])

    def _listen(self, over: threading.Event) -> None:
        """Read until it is over, or the terminal has no more."""
        with suppress(OSError):
            while not over.is_set():
                if select.select([0], [], [], _GAP_S)[0]:
                    if not self._read_more():
                        return
                elif self._pieces:
                    self._pieces[-1] = replace(self._pieces[-1], apart=True)

    def _read(self) -> bool:
        """Read what is there, waiting for something unless there are pieces. Returns: whether the terminal goes on."""
        return bool(self._pieces) or self._read_more()

    def _read_more(self) -> bool:
        """Read what is there, waiting for something. Returns: whether the terminal goes on."""
        if not (data := os.read(0, 65536)):
            return False
        text = self._begun + self._decoder.decode(data)
        begun = _BEGUN_MARK.search(text)
        self._begun = begun[0] if begun else ""
        for part in _MARKS.split(text.removesuffix(self._begun)):
            self._sort(part)
        return True

    def _sort(self, part: str) -> None:
        """Take a mark, or what is between two."""
        if part == _END:  # without a beginning: what is before it was pasted, too
            self._pieces.append(_Piece("".join(self._paste or ()), pasted=True))
            self._paste = None
        elif self._paste is not None:
            self._paste.append(part)
        elif part == _BEGIN:
            self._paste = []
        else:
            self._pieces.extend(map(_Piece, part))

    def _take(self) -> None:
        """Have keys come as they are pressed, and pastes marked. Ctrl+C leaves what is unread: a mark may be in it."""
        settings = termios.tcgetattr(0)
        settings[3] = settings[3] & ~(termios.ICANON | termios.ECHO) | termios.NOFLSH
        settings[6][termios.VMIN], settings[6][termios.VTIME] = 1, 0
        termios.tcsetattr(0, termios.TCSANOW, settings)
        if self._marks:
            os.write(1, _ON)

    def _give(self) -> None:
        """Leave the terminal as it was; of a paste that has not ended the shell gets nothing."""
        if self._marks:
            os.write(1, _OFF)
        termios.tcsetattr(0, termios.TCSANOW if self._paste is None else termios.TCSAFLUSH, self._before)

    def _suspend(self, number: int, _: FrameType | None) -> None:
        self._give()
        signal.signal(number, self._on_suspend)  # type: ignore[arg-type]
        signal.raise_signal(number)
        signal.signal(number, self._suspend)
        self._take()


def is_yes(answer: str | None) -> bool:
    """Whether a question was answered with a plain yes. Args: answer: None: with nothing."""
    return (answer or "").strip().lower() in {"y", "yes"}


class _Line:
    """A line being written, one piece after the other. Args: echoed: whether it is to be seen."""

    def __init__(self, *, echoed: bool) -> None:
        self.pieces: list[tuple[str, str]] = []
        """What is meant, and what stands for it on the terminal."""
        self._echoed = echoed

    @property
    def text(self) -> str:
        """What is meant."""
        return "".join(meant for meant, _ in self.pieces)

    def write(self, piece: _Piece) -> None:
        """Add a piece, or do what its key does."""
        if piece.pasted:
            self._add(as_lines(piece.text), visible(Pastes().fold(piece.text)))
        elif piece.text in _BACK:
            self._erase(1)
        elif piece.text == _ALL:
            self._erase(len(self.pieces))
        elif piece.text == _WORD:
            self._erase(len(self.pieces) - len(re.sub(r"\S*\s*$", "", "".join(meant[0] for meant, _ in self.pieces))))
        elif piece.text != _NO_MORE:
            self._add(piece.text, visible(piece.text))

    def end(self) -> None:
        """Show that the line is ended."""
        if self._echoed:
            output.show_line("")

    def _add(self, meant: str, shown: str) -> None:
        if meant:
            self.pieces.append((meant, shown))
            if self._echoed:
                output.show_part(shown)

    def _erase(self, count: int) -> None:
        """Take the last pieces out again."""
        gone = self.pieces[len(self.pieces) - count :] if count else []
        del self.pieces[len(self.pieces) - len(gone) :]
        if self._echoed:
            os.write(1, b"\b \b" * sum(cell_len(shown) for _, shown in gone))
