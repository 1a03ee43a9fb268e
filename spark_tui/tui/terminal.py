"""The keyboard as spark needs it: Esc is heard at once, what follows it is never swallowed, and a paste is a paste."""

import os
import re
import selectors
import sys
from codecs import getincrementaldecoder
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from math import inf

from textual import constants, events
from textual._time import get_time
from textual._xterm_parser import BRACKETED_PASTE_END, BRACKETED_PASTE_START, XTermParser
from textual.app import App
from textual.drivers.linux_driver import LinuxDriver
from textual.message import Message

from spark_tui.tui.input_sequences import Kind, Piece, key_sequence, split
from spark_tui.tui.output_filter import OutputFilter
from spark_tui.tui.watchdog import Watchdog

_IDLE_S = 0.1
_BREAKS = str.maketrans("", "", "\r\n\t")
_APPROVING = frozenset("ayrnAR")
_BY_HAND = 3
"""Characters of a sequence that nobody types within the escape delay."""
_CUT_S = 0.5
"""How long the rest of a sequence may be under way."""
_LATE_S = 5.0
"""How long after that it is still known for the rest of one."""
_MOST_HELD = 1000
"""Characters of a report that are kept until it ends."""
_OF_A_REPORT = re.compile(r"[0-9A-Fa-f/:;=]{2,}\x1b?")
"""What may be the middle of a report, and comes at once."""
_ENTER_WITH = {"\x1b\r": "alt+enter", "\x1b[27;3;13~": "alt+enter", "\x1b[27;2;13~": "shift+enter"}
"""What terminals without kitty's protocol send, if they tell it from Enter at all; the last two are xterm's."""


class EscFirstParser(XTermParser):
    """Reads `Esc x` as the two keys they are, where Textual reads Alt+x or, for some x, loses one of them.

    Only Esc and Enter in one piece are Alt+Enter: nobody presses both within the escape delay.
    """

    def _sequence_to_key_events(self, sequence: str, alt: bool = False) -> Iterable[events.Key]:
        if key := _ENTER_WITH.get(f"\x1b{sequence}" if alt else sequence):
            yield events.Key(key, None)
        elif alt or (len(sequence) == 2 and sequence[0] == "\x1b" and sequence[1] not in "\x1b[O"):  # begin longer ones
            yield events.Key("escape", "\x1b")
            yield from super()._sequence_to_key_events(sequence[-1])
        else:
            yield from super()._sequence_to_key_events(sequence)

    def renewed(self, *, debug: bool) -> "EscFirstParser":
        """A parser that begins anew, and knows as much of the terminal."""
        parser = EscFirstParser(debug)
        parser.mouse_pixels = self.mouse_pixels
        parser.terminal_size = self.terminal_size
        parser.terminal_pixel_size = self.terminal_pixel_size
        return parser


class Keyboard:
    """Turns what a terminal sends into messages.

    What is between the brackets of a paste is text, whatever it holds and however it is cut; Textual's parser, which
    would read an escape character in it as the start of a key, never sees it. Text that comes in one piece is a paste
    also when the terminal does not say so, if some of its letters could approve something. An Enter at the end of one
    line is still an Enter. What a terminal reports, asked or not, is no key and no text, in
    however many pieces it comes, nor is a key that is released.

    Args: clock: seconds.
    """

    def __init__(self, *, debug: bool = False, clock: Callable[[], float] = get_time) -> None:
        self._debug, self._clock = debug, clock
        self._parser = EscFirstParser(debug)
        self._paste: list[str] | None = None
        """What came of a paste that has not ended."""
        self._held, self._due = "", 0.0
        """What may be the start of something longer, and until when it may become that."""
        self._let_go, self._let_go_at = "", 0.0
        """A start that waited in vain, unless something came since; and when."""

    def feed(self, data: str) -> Iterator[Message]:
        """What these characters mean."""
        if self._let_go and data:
            data = self._with_start(data)
        data = self._held + data
        self._held = ""
        while data:
            if self._paste is None:
                keys, bracket, data = data.partition(BRACKETED_PASTE_START)
                yield from self._pressed(keys, cut=bool(bracket))
                if bracket:
                    self._paste = []
            else:
                data = self._take_in(data)
                if self._paste[-1] == BRACKETED_PASTE_END:
                    yield events.Paste("".join(self._paste[:-1]).replace("\x00", ""))
                    self._paste = None

    @property
    def patience(self) -> float:
        """Seconds after which `tick` may have something to say."""
        return min(_IDLE_S, max(0.0, self._due - self._clock())) if self._held else _IDLE_S

    def tick(self) -> Iterator[Message]:
        """What can be said once nothing more came for a while: that a lone Esc was Esc."""
        if self._held and self._paste is None and self._clock() >= self._due:
            piece = Piece(Kind.OPEN, self._held)
            self._let_go, self._let_go_at = self._held, self._clock()
            self._held = ""
            yield from self._give_up(piece)

    def _with_start(self, data: str) -> str:
        """Put a start that was let go before data that ends it late. Returns: what to read now."""
        start, self._let_go = self._let_go, ""
        if self._clock() - self._let_go_at > _LATE_S:
            return data
        if data.startswith(BRACKETED_PASTE_START.removeprefix(start)):
            return start + data
        first = next(split(start + data))
        dropped = Piece(Kind.OPEN, start).is_machine_made
        if dropped and first.kind is Kind.OPEN and _OF_A_REPORT.fullmatch(data):
            return start + data
        if first.kind is Kind.OPEN:
            return start + data if first.is_machine_made and not dropped else data
        is_end = first.kind is Kind.REPORT or (first.kind is Kind.KEY and first.is_machine_made)
        return start + data if is_end else data

    def _pressed(self, data: str, *, cut: bool) -> Iterator[Message]:
        """Keys, and text. Args: cut: a paste follows, so that nothing is awaited."""
        after_esc = False
        for piece in split(data):
            if piece.kind is Kind.TEXT:
                yield from self._typed(piece.text, as_keys=after_esc)
            elif piece.kind is Kind.KEY:
                yield from self._key(piece)
            elif piece.kind is Kind.OPEN and cut:
                yield from self._give_up(piece)
            elif piece.kind is Kind.OPEN:
                self._hold(piece)
            after_esc = piece.kind is Kind.KEY and not piece.is_machine_made

    def _typed(self, text: str, *, as_keys: bool) -> Iterator[Message]:
        """Characters: a paste, if they look like one. Args: as_keys: never a paste."""
        if not as_keys and _looks_pasted(text):
            line = text.removesuffix("\r")
            pasted = text if "\r" in line else line
            yield events.Paste(pasted.replace("\r", "\n"))
            text = text.removeprefix(pasted)
        if text:
            yield from self._parsed(text, typed=True)

    def _key(self, piece: Piece) -> Iterator[Message]:
        sequence = key_sequence(piece.text)
        if sequence:
            yield from self._parsed(sequence, typed=sequence == "\x1b[" or sequence[1:2] != "[")

    def _give_up(self, piece: Piece) -> Iterator[Message]:
        """Take what was to become longer as keys, where a hand may have typed it."""
        if not piece.is_machine_made:
            yield from self._parsed(piece.text, typed=True)

    def _parsed(self, data: str, *, typed: bool) -> Iterator[Message]:
        """Have Textual read data; drop what Textual cannot read, unless it is typed."""
        try:
            messages = [*self._parser.feed(data)]
            if self._parser._timeout_time is not None:
                self._parser._timeout_time = 0.0
                unread = [*self._parser.tick()]
                messages += unread if typed else []
        except Exception:  # noqa: BLE001 - whatever a terminal sends, it ends nothing
            self._parser = self._parser.renewed(debug=self._debug)
            return
        yield from messages

    def _hold(self, piece: Piece) -> None:
        """Keep what may become longer; of a long report only what tells that it is one."""
        self._held = piece.text
        if len(self._held) > _MOST_HELD and piece.is_machine_made:
            self._held = piece.text[:_BY_HAND] + "\x1b" * piece.text.endswith("\x1b")
        waits = len(self._held) >= _BY_HAND and not self._held.startswith("\x1b[[")
        self._due = self._clock() + (_CUT_S if waits else constants.ESCAPE_DELAY)

    def _take_in(self, data: str) -> str:
        """Add data to the paste; what may be the start of its end is held. Returns: what is behind its end."""
        assert self._paste is not None
        text, bracket, rest = data.partition(BRACKETED_PASTE_END)
        if bracket:
            self._paste += [text, bracket]
            return rest
        before = _without_start_of(BRACKETED_PASTE_END, data)
        self._held, self._due = data[len(before) :], inf
        self._paste.append(before)
        return ""


def _without_start_of(bracket: str, data: str) -> str:
    """Data without the part of a bracket that it ends with."""
    starts = (bracket[:length] for length in range(len(bracket) - 1, 0, -1))
    return data.removesuffix(next(filter(data.endswith, starts), ""))


def _looks_pasted(data: str) -> bool:
    """Whether this is more than a few keys pressed at once, and could approve something."""
    if not data.translate(_BREAKS).isprintable():
        return False
    return len(set(filter(str.isalpha, data))) > 1 and not _APPROVING.isdisjoint(data)


class TerminalClosed(Message):
    """There is no terminal any more."""


class SparkDriver(LinuxDriver):
    """Textual's driver, except that it draws on stdout, so that stderr can go elsewhere, and only what is allowed.

    A lone Esc waits ESCDELAY (20 ms), and not up to 100 ms, for what might follow. When the terminal is closed, the app
    ends. Args: watchdog: told when the terminal is taken and given back.
    """

    def __init__(
        self, app: App[object], *, debug: bool = False, mouse: bool = True, size: tuple[int, int] | None = None,
        watchdog: Watchdog | None = None,
    ) -> None:  # fmt: skip
        super().__init__(app, debug=debug, mouse=mouse, size=size)
        assert sys.__stdout__ is not None
        self._output_filter = OutputFilter(sys.__stdout__.fileno(), sys.__stdout__.encoding, self._end)
        self._file = self._output_filter  # type: ignore[assignment] # Textual writes to it and flushes it, nothing else
        self._watchdog, self._taken = watchdog, False

    def write(self, data: str) -> None:
        """Draw, unless the terminal is somebody else's at the moment."""
        if self._writer_thread is not None and self._writer_thread.is_alive():
            super().write(data)

    def use_mouse(self, on: bool) -> None:
        """Have the terminal tell of the mouse, or not."""
        if on:
            self._mouse = True
            self._enable_mouse_support()
        else:
            self._disable_mouse_support()
            self._mouse = False

    def copy(self, data: bytes) -> None:
        """Put data into the terminal's clipboard. Raises: UsageError: it is too much."""
        self._output_filter.copy(data)
        self.write("")

    def ring(self) -> None:
        """Ring the terminal's bell."""
        self._output_filter.ring()
        self.write("")

    def start_application_mode(self) -> None:
        """Take the terminal; while it is somebody else's, do without."""
        self._tell(Watchdog.took)
        super().start_application_mode()  # type: ignore[no-untyped-call]
        self._taken = self._writer_thread is not None and self._writer_thread.is_alive()
        if not self._taken:
            self._tell(Watchdog.gave_back)

    def stop_application_mode(self) -> None:
        """Give the terminal back, unless that was done."""
        if self._taken:
            self.write("\x1b[?1016l")
            super().stop_application_mode()

    def close(self) -> None:
        """Let the last of it be drawn."""
        if self._taken:
            super().close()
            self._taken = False
            self._tell(Watchdog.gave_back)

    def _tell(self, what: Callable[[Watchdog], None]) -> None:
        if self._watchdog is not None:
            what(self._watchdog)

    def _end(self) -> None:
        """Have the app end, whatever thread notices that the terminal is gone."""
        self._soon(self._app.post_message, TerminalClosed())

    def _soon(self, do: Callable[..., object], *args: object) -> None:
        with suppress(RuntimeError):  # the loop is over already
            self._loop.call_soon_threadsafe(do, *args)

    def _sigtstp_application(self, *_: object) -> None:
        """Give the terminal back, but not in here: what the signal interrupted may hold a lock that it takes."""
        self._soon(super()._sigtstp_application)

    def _sigcont_application(self, *_: object) -> None:
        """Take the terminal again, and as little in here."""
        self._soon(self._take_again)

    def _take_again(self) -> None:
        """Begin anew on the terminal, unless the app leaves it. SIGSTOP gave no warning: what still runs ends first."""
        if self._app._exit:  # a keyboard begun now would be waited for, for ever
            return
        if not os.isatty(self.fileno):
            self._end()
            return
        if self._auto_restart and not self._must_signal_resume and self._taken:
            self.suspend_application_mode()
            self._must_signal_resume = True
        super()._sigcont_application()

    def _run_input_thread(self) -> None:
        """Read keys; an error in here is one of the app, and not for Textual to print."""
        try:
            self.run_input_thread()
        except Exception as e:  # noqa: BLE001 - the edge of this thread
            self._soon(self._app._handle_exception, e)

    def run_input_thread(self) -> None:
        """Read keys until the app ends; leave the app when the terminal is gone."""
        keyboard, decode = Keyboard(debug=self._debug), getincrementaldecoder("utf-8")("replace").decode
        with selectors.SelectSelector() as selector:
            selector.register(self.fileno, selectors.EVENT_READ)
            while not self.exit_event.is_set():
                if selector.select(keyboard.patience):
                    if not (data := self._read()):
                        self._end()
                        return
                    self._dispatch(keyboard.feed(decode(data)))
                else:  # only then: what was cut by a read is made whole by the next, however late this thread runs
                    self._dispatch(keyboard.tick())

    def _read(self) -> bytes:
        try:
            return os.read(self.fileno, 4096)
        except OSError:
            return b""

    def _dispatch(self, messages: Iterable[Message]) -> None:
        for message in messages:
            self.process_message(message)
