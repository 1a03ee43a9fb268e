"""The keyboard as spark needs it: Esc is heard at once, what follows it is never swallowed, and a paste is a paste."""

import os
import selectors
import sys
from codecs import getincrementaldecoder
from collections.abc import Iterable, Iterator

from textual import events
from textual._time import get_time
from textual._xterm_parser import BRACKETED_PASTE_END, BRACKETED_PASTE_START, XTermParser
from textual.app import App
from textual.drivers.linux_driver import LinuxDriver
from textual.message import Message

_IDLE_S = 0.1
_BREAKS = str.maketrans("", "", "\r\n\t")
_APPROVING = frozenset("ayrnAR")


class EscFirstParser(XTermParser):
    """Reads `Esc x` as the two keys they are, where Textual reads Alt+x or, for some x, loses one of them."""

    def _sequence_to_key_events(self, sequence: str, alt: bool = False) -> Iterable[events.Key]:
        if alt or _is_esc_and_key(sequence):
            yield events.Key("escape", "\x1b")
            yield from super()._sequence_to_key_events(sequence[-1])
        else:
            yield from super()._sequence_to_key_events(sequence)


def _is_esc_and_key(sequence: str) -> bool:
    """Whether this is Esc and one more key, and not the start of a longer sequence (those begin with [ or O)."""
    if len(sequence) != 2 or sequence[0] != "\x1b":
        return False
    return sequence[1] in "\t\r" or (sequence[1].isprintable() and sequence[1] not in "[O")


class Keyboard:
    """Turns what a terminal sends into messages.

    Text that comes in one piece is a paste also when the terminal does not say so, if some of its letters could
    approve something. An Enter at the end of one line is still an Enter.
    """

    def __init__(self, *, debug: bool = False) -> None:
        self._parser = EscFirstParser(debug)
        self._in_paste = False
        self._tail = ""

    def feed(self, data: str) -> Iterator[Message]:
        """What these characters mean."""
        if self._looks_pasted(data):
            line = data.removesuffix("\r")
            text, data = (line, data[len(line) :]) if "\r" not in line else (data, "")
            yield events.Paste(text.replace("\r", "\n"))
        if data:
            yield from self._parser.feed(data)
            self._follow_brackets(data)

    @property
    def patience(self) -> float:
        """Seconds after which `tick` may have something to say."""
        due = self._parser._timeout_time
        return _IDLE_S if due is None else min(_IDLE_S, max(0.0, due - get_time()))

    def tick(self) -> Iterable[Message]:
        """What can be said once nothing more came for a while: that a lone Esc was Esc."""
        return self._parser.tick()

    def _looks_pasted(self, data: str) -> bool:
        if self._in_paste or self._parser._timeout_time is not None:
            return False
        if not data.translate(_BREAKS).isprintable():
            return False
        return len(set(filter(str.isalpha, data))) > 1 and not _APPROVING.isdisjoint(data)

    def _follow_brackets(self, data: str) -> None:
        seen = self._tail + data
        start, end = seen.rfind(BRACKETED_PASTE_START), seen.rfind(BRACKETED_PASTE_END)
        if start != end:
            self._in_paste = start > end
        self._tail = seen[1 - len(BRACKETED_PASTE_START) :]


class SparkDriver(LinuxDriver):
    """Textual's driver, except that it draws on stdout, so that stderr can go elsewhere.

    A lone Esc waits ESCDELAY (20 ms), and not up to 100 ms, for what might follow.
    """

    def __init__(
        self, app: App[object], *, debug: bool = False, mouse: bool = True, size: tuple[int, int] | None = None
    ) -> None:
        super().__init__(app, debug=debug, mouse=mouse, size=size)
        assert sys.__stdout__ is not None
        self._file = sys.__stdout__

    def _sigcont_application(self, *_: object) -> None:
        """Take the terminal again, but not in here: what the signal interrupted may hold a lock that it takes."""
        self._loop.call_soon_threadsafe(self._take_again)

    def _take_again(self) -> None:
        """Begin anew on the terminal. SIGSTOP gave no warning: what still runs from before ends first."""
        if self._auto_restart and not self._must_signal_resume and self._writer_thread is not None:
            self.suspend_application_mode()
            self._must_signal_resume = True
        super()._sigcont_application()

    def run_input_thread(self) -> None:
        """Read keys until the app ends; leave the app when the terminal is gone."""
        keyboard, decode = Keyboard(debug=self._debug), getincrementaldecoder("utf-8")("replace").decode
        with selectors.SelectSelector() as selector:
            selector.register(self.fileno, selectors.EVENT_READ)
            while not self.exit_event.is_set():
                if selector.select(keyboard.patience):
                    if not (data := self._read()):
                        self._app.call_later(self._app.exit)
                        return
                    self._dispatch(keyboard.feed(decode(data)))
                self._dispatch(keyboard.tick())

    def _read(self) -> bytes:
        try:
            return os.read(self.fileno, 4096)
        except OSError:
            return b""

    def _dispatch(self, messages: Iterable[Message]) -> None:
        for message in messages:
            self.process_message(message)
