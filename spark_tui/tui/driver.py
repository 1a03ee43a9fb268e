"""The terminal: keys in, frames out, and the share of Python's lock that the screen gets.

Input passes through four stages:

* `split` takes what the terminal sends apart: text, keys, and reports that nobody typed.
* `KeyParser` turns the pieces into messages. Esc is heard at once, what follows Esc is never
  swallowed, and a paste is a paste.
* `SparkDriver` is Textual's driver on this parser; it writes through `OutputFilter` only.
* `KeyQueue` sends keys and pastes one by one: each acts before the next is sent to the focus.

`gil_priority` runs the event loop. Engine and screen are both Python and share one lock; a thread
that waits for the lock gets it after Python's switch interval. With one interval for both, each
frame would take twice its time beside an engine that computes. So the interval is short while the
loop has nothing to do (the engine holds the lock, and a key may come), and long while it has.

Sources: ECMA-48, 5.4 and 5.6; XTerm Control Sequences; the kitty keyboard protocol.
"""

import asyncio
import os
import re  # noqa: TID251 - reads characters as such
import selectors
import sys
import time
from codecs import getincrementaldecoder
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from enum import Enum, auto
from math import inf

from textual import constants, events
from textual._ansi_sequences import ANSI_SEQUENCES_KEYS
from textual._keyboard_protocol import FUNCTIONAL_KEYS
from textual._time import get_time
from textual._xterm_parser import BRACKETED_PASTE_END, BRACKETED_PASTE_START, XTermParser
from textual.app import App
from textual.drivers.linux_driver import LinuxDriver
from textual.message import Message
from textual.message_pump import MessagePump

from spark_tui.tui.output_filter import OutputFilter
from spark_tui.tui.watchdog import Watchdog

# What the terminal sends, in pieces.

_NO_NUMBER = r"(?<=[\[;:<?])(?:NaN|nan|-?[Ii]nf(?:inity)?|undefined|null)(?=[;:A-Za-z~])"
"""The words that some terminals write in place of a number."""
# Parameter and intermediate bytes of a control sequence: ECMA-48, 5.4, columns 2 and 3.
_PARAMETERS = rf"(?:[ -?]|{_NO_NUMBER})*"
# A control sequence up to its final byte. The last line takes every final byte but three: M ends a
# mouse report (the line above), N may begin NaN, and "[" a key of the Linux console.
_SEQUENCE = re.compile(
    r"\x1b\[(?:"
    r"\[[A-E]"  # the Linux console's function keys
    r"|<[^\x00-\x1fMm]{0,64}[Mm]"  # the mouse, whatever it says of itself
    rf"|(?!<){_PARAMETERS}(?<!\[)M|M[^\x1b]{{3}}"  # older forms of the same
    rf"|(?!<){_PARAMETERS}[@-LO-Z\\-~])"
)
# A control sequence, or ESC O and a letter, as far as it has come; the end of the data cuts it.
_OPEN_SEQUENCE = re.compile(
    r"\x1b(?:O|[\]P]|\[(?:\[|M[^\x1b]{0,2}|<[^\x00-\x1fMm]{0,64}"
    rf"|(?!<){_PARAMETERS}(?:N|Na|NaN)?)?)?\Z"
)
# OSC, DCS, SOS, PM and APC: a string up to BEL (as xterm has it) or ST, in seven or eight bits.
_STRING = re.compile(r"\x1b[\]P_^X][^\x00-\x1f\x9c]*(?:\x07|\x1b\\|\x9c)")
_OPEN_STRING = re.compile(r"\x1b[\]P_^X][^\x00-\x1f\x9c]*\x1b?\Z")
_PRINTABLE = re.compile(r"[^\x00-\x1f\x7f]*")
# Esc alone, Esc and a character, or Esc, O and a character (a key in application mode).
_KEY = re.compile(r"\x1b(?:O[^\x1b]|[^\x1b])?", re.DOTALL)
_MACHINE_MADE = re.compile(r"\x1b(?:\[[0-?M]|\]\d|P[!$+0-9;<=>?]|[_^][ -~])")
"""How sequences begin that nobody types, however fast."""

# kitty's `CSI number:alternates ; modifiers:event ; text u`, and the older forms of it.
_EXTENDED_KEY = re.compile(r"\x1b\[([\d:]*)(?:;([\d:]*))?(?:;([\d:]*))?([u~A-FHPQRS])")
# The brackets of a paste, behind their CSI.
_PASTE = frozenset({"200~", "201~"})
_OTHER_KEYS = "27"
"""The number that xterm's modifyOtherKeys puts in front of a modifier and a character."""
# Tab, Enter, Esc and Backspace: keys, although none of them shows a character.
_CONTROL_KEYS = frozenset({"9", "13", "27", "127"})
_EVENTS = frozenset({"", "1", "2"})
"""A key is pressed, or repeats."""
# kitty sends 1 plus a mask of eight modifiers.
_MOST_MODIFIERS = 512
# The largest code point, 1114111, has seven digits; `int` refuses to read thousands of them.
_MOST_DIGITS = 7
_MOST_READ = 32
"""The length up to which Textual reads a sequence; a longer one it takes for typed text."""


class InputKind(Enum):
    """What a piece of input is."""

    TEXT = auto()
    KEY = auto()
    """A key that begins with an escape character, or a control sequence that may be one."""
    REPORT = auto()
    """Complete, and nobody pressed it."""
    BROKEN = auto()
    """The beginning of a report, up to a character that no report has."""
    OPEN = auto()
    """The beginning of something longer."""


@dataclass(frozen=True, slots=True)
class InputPiece:
    """A piece of input."""

    kind: InputKind
    text: str

    @property
    def is_machine_made(self) -> bool:
        """Whether no hand can have typed its beginning."""
        return _MACHINE_MADE.match(self.text) is not None


def split(data: str) -> Iterator[InputPiece]:
    """Take input apart; an OPEN piece can only be the last one."""
    start = 0
    while start < len(data):
        escape = data.find("\x1b", start)
        if escape != start:
            stop = len(data) if escape < 0 else escape
            yield InputPiece(InputKind.TEXT, data[start:stop])
        else:
            piece = _first(data[start:])
            yield piece
            stop = start + len(piece.text)
        start = stop


def _first(data: str) -> InputPiece:
    """Read what an escape character begins."""
    if string := _STRING.match(data):
        return InputPiece(InputKind.REPORT, string[0])
    if sequence := _SEQUENCE.match(data):
        return InputPiece(InputKind.KEY, sequence[0])
    if data in ANSI_SEQUENCES_KEYS and data.endswith("$"):  # rxvt's; ECMA-48 has no such end
        return InputPiece(InputKind.KEY, data)
    if _is_open(data):
        return InputPiece(InputKind.OPEN, data)
    # Nothing can complete this report: a key was pressed in the middle of it, say. Only its
    # printable part is dropped.
    if cut := _MACHINE_MADE.match(data):
        printable = _PRINTABLE.match(data, cut.end())
        assert printable is not None
        return InputPiece(InputKind.BROKEN, data[: printable.end()])
    key = _KEY.match(data)
    assert key is not None
    return InputPiece(InputKind.KEY, key[0])


def _is_open(data: str) -> bool:
    if _OPEN_SEQUENCE.match(data):
        return True
    if not _OPEN_STRING.match(data):
        return False
    # What a user typed behind Esc must not wait for the end of a string, so most strings count as
    # open only with a beginning that nobody types. SOS (X) may begin with anything.
    return data[1:2] == "X" or len(data) == 2 or _MACHINE_MADE.match(data) is not None


def key_sequence(sequence: str) -> str:
    """Rewrite a sequence so that Textual reads it; "" for one to drop.

    Dropped are the release of a key and whatever Textual cannot read. In kitty's protocol further
    numbers may stand behind colons: the key on other layouts, and whether the key was pressed (1),
    repeats (2) or was released (3).
    """
    if len(sequence) > _MOST_READ:
        return ""
    # The sequences of Textual's table, those around a paste and those of other kinds stay.
    match = _EXTENDED_KEY.fullmatch(sequence)
    if match is None or sequence in ANSI_SEQUENCES_KEYS or sequence[2:] in _PASTE:
        return sequence
    number, modifiers, text = (match[group] or "" for group in (1, 2, 3))
    end = match[4]
    code = number.partition(":")[0]
    modifier, _, event = modifiers.partition(":")
    if event not in _EVENTS or (modifier and not 0 < _number(modifier) <= _MOST_MODIFIERS):
        return ""
    if not _is_key(code, end, text):
        return ""
    # Alternates and events are gone: Textual would fail on their colons.
    fields = ";".join([code, modifier, text]).rstrip(";")
    return f"\x1b[{fields}{end}"


def _is_key(code: str, end: str, text: str) -> bool:
    """Whether there is a key of this number."""
    if end == "~" and code == _OTHER_KEYS and text:
        return _is_character(text) or text in _CONTROL_KEYS
    if text and not all(map(_is_character, text.split(":"))):
        return False
    # 1 is the number that kitty leaves out: `CSI A` and `CSI 1;5A` are both the arrow up.
    if f"{code or 1}{end}" in FUNCTIONAL_KEYS:
        return True
    if end == "u":
        return _is_character(code)
    return end == "R" and not text  # a place of the cursor, which Textual reads before any key


def _is_character(number: str) -> bool:
    """Whether a number is the code of a visible character, a space, or one of kitty's own keys.

    Control characters (0x7F to 0x9F are some, too) and surrogates are none.
    """
    code = _number(number)
    return 0x20 <= code <= 0x10FFFF and not 0x7F <= code < 0xA0 and not 0xD800 <= code < 0xE000


def _number(digits: str) -> int:
    """Read a number; -1 if the digits are none, or too many."""
    return int(digits) if digits.isdecimal() and len(digits) <= _MOST_DIGITS else -1


# Pieces as messages.

# How long the input thread sleeps at most: it has to see that the app ends.
_IDLE_S = 0.1
# Deletes what may stand between pasted lines and words.
_BREAKS = str.maketrans("", "", "\r\n\t")
# The letters that accept or reject hunks in the diff.
_APPROVING = frozenset("ayrnAR")
_BY_HAND = 3
"""Characters of a sequence that nobody types within the escape delay."""
_CUT_S = 0.5
"""How long the rest of a sequence may be under way."""
_LATE_S = 5.0
"""How long after that a late rest is still recognized."""
_MOST_HELD = 1000
"""Characters of a report that are kept until it ends."""
_OF_A_REPORT = re.compile(r"[0-9A-Fa-f/:;=]{2,}\x1b?")
"""What may be the middle of a report, and comes at once."""
_ENTER_WITH = {"\x1b\r": "alt+enter", "\x1b[27;3;13~": "alt+enter", "\x1b[27;2;13~": "shift+enter"}
"""What terminals without kitty's protocol send, if they tell it from Enter at all; the last two
are xterm's.
"""


class EscFirstParser(XTermParser):
    """Reads `Esc x` as two keys, where Textual reads Alt+x or, for some x, loses one of the two.

    Only Esc and Enter in one piece are Alt+Enter: nobody presses both within the escape delay.
    """

    def _sequence_to_key_events(self, sequence: str, alt: bool = False) -> Iterable[events.Key]:
        whole = f"\x1b{sequence}" if alt else sequence
        # Esc, [ and O behind an Esc begin longer sequences.
        is_pair = len(sequence) == 2 and sequence[0] == "\x1b" and sequence[1] not in "\x1b[O"
        if key := _ENTER_WITH.get(whole):
            yield events.Key(key, None)
        elif alt or is_pair:
            yield events.Key("escape", "\x1b")
            # The character behind Esc, read as if it had come alone.
            yield from super()._sequence_to_key_events(sequence[-1])
        else:
            yield from super()._sequence_to_key_events(sequence)

    def renewed(self, *, debug: bool) -> "EscFirstParser":
        """Make a fresh parser that keeps what this one knows about the terminal."""
        parser = EscFirstParser(debug)
        parser.mouse_pixels = self.mouse_pixels
        parser.terminal_size = self.terminal_size
        parser.terminal_pixel_size = self.terminal_pixel_size
        return parser


class KeyParser:
    """Turns what a terminal sends into messages.

    The text between the brackets of a paste is text, whatever it holds and however it is cut.
    Textual's parser never sees it, because that parser would read an escape character in it as the
    start of a key. Several letters in one piece are a paste even without brackets, if one of them
    could approve something. An Enter at the end of one line is still an Enter. A report of the
    terminal, asked for or not, is neither key nor text, in however many pieces it comes; nor is the
    release of a key.

    Args:
        clock: Seconds.
    """

    def __init__(self, *, debug: bool = False, clock: Callable[[], float] = get_time) -> None:
        self._debug = debug
        self._clock = clock
        self._parser = EscFirstParser(debug)
        self._paste: list[str] | None = None
        """The pieces so far of a paste that has not ended."""
        self._held = ""
        """What may be the start of something longer."""
        self._due = 0.0
        """The time until which it may become longer."""
        self._let_go = ""
        """The start of a sequence whose rest did not come in time; "" once more data came."""
        self._let_go_at = 0.0
        """When that start was let go."""

    def feed(self, data: str) -> Iterator[Message]:
        """Yield the messages that these characters stand for."""
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
        """Seconds after which to call `tick`, if nothing comes before."""
        if not self._held:
            return _IDLE_S
        return min(_IDLE_S, max(0.0, self._due - self._clock()))

    def tick(self) -> Iterator[Message]:
        """Return the messages of a silence: a lone Esc, for example, was the Esc key."""
        if self._held and self._paste is None and self._clock() >= self._due:
            piece = InputPiece(InputKind.OPEN, self._held)
            self._let_go = self._held
            self._let_go_at = self._clock()
            self._held = ""
            yield from self._give_up(piece)

    def _with_start(self, data: str) -> str:
        """Put a start that was let go before data that ends it late.

        Returns:
            What to read now.
        """
        start = self._let_go
        self._let_go = ""
        if self._clock() - self._let_go_at > _LATE_S:
            return data
        # The rest of a bracket: without its start, the pasted text would act as keys.
        if data.startswith(BRACKETED_PASTE_START.removeprefix(start)):
            return start + data
        first = next(split(start + data))
        dropped = InputPiece(InputKind.OPEN, start).is_machine_made
        # A report in three or more late pieces goes on, if this one looks like its middle.
        # Otherwise a hand may have typed it.
        if dropped and first.kind is InputKind.OPEN and _OF_A_REPORT.fullmatch(data):
            return start + data
        # The start was delivered as Esc. Join them only if they begin what no hand types: a report.
        if first.kind is InputKind.OPEN:
            return start + data if first.is_machine_made and not dropped else data
        # Joined, the two must be a whole report, or a sequence that no hand types. Otherwise the
        # user typed the data, and the start was an Esc or a report that never ends.
        is_end = first.kind is InputKind.REPORT or (
            first.kind is InputKind.KEY and first.is_machine_made
        )
        return start + data if is_end else data

    def _pressed(self, data: str, *, cut: bool) -> Iterator[Message]:
        """Keys, and text.

        Args:
            cut: A paste follows, so that nothing is awaited.
        """
        # Letters right behind Esc are keys, as they would be in a read of their own: a fast typist
        # leaves the diff and goes on typing.
        after_esc = False
        for piece in split(data):
            if piece.kind is InputKind.TEXT:
                yield from self._typed(piece.text, as_keys=after_esc)
            elif piece.kind is InputKind.KEY:
                yield from self._key(piece)
            elif piece.kind is InputKind.OPEN and cut:
                yield from self._give_up(piece)
            elif piece.kind is InputKind.OPEN:
                self._hold(piece)
            after_esc = piece.kind is InputKind.KEY and not piece.is_machine_made

    def _typed(self, text: str, *, as_keys: bool) -> Iterator[Message]:
        """Characters: a paste, if they look like one.

        Args:
            as_keys: Never a paste.
        """
        if not as_keys and _looks_pasted(text):
            # One line: its Enter is a key and sends it. Several lines: the last Enter belongs to
            # the paste.
            line = text.removesuffix("\r")
            pasted = text if "\r" in line else line
            yield events.Paste(pasted.replace("\r", "\n"))
            text = text.removeprefix(pasted)
        if text:
            yield from self._parsed(text, typed=True)

    def _key(self, piece: InputPiece) -> Iterator[Message]:
        sequence = key_sequence(piece.text)
        if sequence:
            yield from self._parsed(sequence, typed=sequence == "\x1b[" or sequence[1:2] != "[")

    def _give_up(self, piece: InputPiece) -> Iterator[Message]:
        """Read an unfinished sequence as keys, if a hand may have typed it."""
        if not piece.is_machine_made:
            yield from self._parsed(piece.text, typed=True)

    def _parsed(self, data: str, *, typed: bool) -> Iterator[Message]:
        """Have Textual read data; drop what Textual cannot read, unless it is typed."""
        try:
            messages = [*self._parser.feed(data)]
            # The piece is whole. If Textual waits for more, let its wait time out at once.
            if self._parser._timeout_time is not None:
                self._parser._timeout_time = 0.0
                unread = [*self._parser.tick()]
                messages += unread if typed else []
        except Exception:  # noqa: BLE001 - whatever a terminal sends, it ends nothing
            self._parser = self._parser.renewed(debug=self._debug)
            return
        yield from messages

    def _hold(self, piece: InputPiece) -> None:
        """Keep an unfinished sequence; of a long report, only the start that shows what it is."""
        self._held = piece.text
        # A last Esc stays, too: it may be the first half of the terminator, ESC \.
        if len(self._held) > _MOST_HELD and piece.is_machine_made:
            self._held = piece.text[:_BY_HAND] + "\x1b" * piece.text.endswith("\x1b")
        # `Esc [ [` begins a key of the Linux console, but a user can type it, too.
        waits = len(self._held) >= _BY_HAND and not self._held.startswith("\x1b[[")
        self._due = self._clock() + (_CUT_S if waits else constants.ESCAPE_DELAY)

    def _take_in(self, data: str) -> str:
        """Add data to the paste; hold what may be the start of the closing bracket.

        Returns:
            The data behind the closing bracket.
        """
        assert self._paste is not None
        text, bracket, rest = data.partition(BRACKETED_PASTE_END)
        if bracket:
            self._paste += [text, bracket]
            return rest
        before = _without_start_of(BRACKETED_PASTE_END, data)
        self._held = data[len(before) :]
        # No silence ends a paste: only its closing bracket does.
        self._due = inf
        self._paste.append(before)
        return ""


def _without_start_of(bracket: str, data: str) -> str:
    """Data without the part of a bracket that it ends with."""
    starts = (bracket[:length] for length in range(len(bracket) - 1, 0, -1))
    return data.removesuffix(next(filter(data.endswith, starts), ""))


def _looks_pasted(data: str) -> bool:
    """Whether a text is more than a key held down, and could approve something."""
    if not data.translate(_BREAKS).isprintable():
        return False
    # A key held down repeats one letter, which is no paste.
    return len(set(filter(str.isalpha, data))) > 1 and not _APPROVING.isdisjoint(data)


class TerminalClosed(Message):
    """The terminal was closed."""


class SparkDriver(LinuxDriver):
    """Textual's driver, which draws only what is allowed, on stdout; stderr can go elsewhere.

    A lone Esc waits ESCDELAY (20 ms, where Textual has 100 ms) for what might follow. When the
    terminal is closed, the app ends.

    Args:
        watchdog: Told when the terminal is taken and given back.
    """

    def __init__(
        self,
        app: App[object],
        *,
        debug: bool = False,
        mouse: bool = True,
        size: tuple[int, int] | None = None,
        watchdog: Watchdog | None = None,
    ) -> None:
        super().__init__(app, debug=debug, mouse=mouse, size=size)
        assert sys.__stdout__ is not None
        self._output_filter = OutputFilter(
            sys.__stdout__.fileno(), sys.__stdout__.encoding, self._end
        )
        # Textual writes to it and flushes it, nothing else.
        self._file = self._output_filter  # type: ignore[assignment]
        self._watchdog = watchdog
        self._taken = False

    def write(self, data: str) -> None:
        """Draw, unless another program has the terminal at the moment."""
        if self._writer_thread is not None and self._writer_thread.is_alive():
            super().write(data)

    def use_mouse(self, on: bool) -> None:
        """Have the terminal report the mouse, or not."""
        if on:
            self._mouse = True
            self._enable_mouse_support()
        else:
            self._disable_mouse_support()
            self._mouse = False

    def copy(self, data: bytes) -> None:
        """Put data into the terminal's clipboard.

        Raises:
            UsageError: It is too much.
        """
        self._output_filter.copy(data)
        # An empty text has the writer thread flush what the filter keeps.
        self.write("")

    def ring(self) -> None:
        """Ring the terminal's bell."""
        self._output_filter.ring()
        self.write("")

    def alert(self, words: str) -> None:
        """Ring, and show words outside of the terminal, where it can."""
        self._output_filter.alert(words, os.environ.get("TERM", ""))
        self.write("")

    def start_application_mode(self) -> None:
        """Take the terminal, unless another program has it."""
        # Told first: a kill between this line and the next is then cleaned up, too.
        self._tell(Watchdog.took)
        super().start_application_mode()  # type: ignore[no-untyped-call]
        self._taken = self._writer_thread is not None and self._writer_thread.is_alive()
        if not self._taken:
            self._tell(Watchdog.gave_back)

    def stop_application_mode(self) -> None:
        """Give the terminal back, unless spark has done so already."""
        if self._taken:
            # Textual switches mouse positions in pixels (1016) on, but never off.
            self.write("\x1b[?1016l")
            super().stop_application_mode()

    def close(self) -> None:
        """Let the last frame be drawn."""
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
        """Give the terminal back, but outside the signal handler.

        The code that the signal interrupted may hold a lock that giving back takes.
        """
        self._soon(super()._sigtstp_application)

    def _sigcont_application(self, *_: object) -> None:
        """Take the terminal again, also outside the handler."""
        self._soon(self._take_again)

    def _take_again(self) -> None:
        """Begin anew on the terminal, unless the app is about to leave.

        SIGSTOP gives no warning: after it, the threads of the old screen still run, and end first.
        """
        if self._app._exit:  # leaving would wait forever for a thread that begins now
            return
        if not os.isatty(self.fileno):
            self._end()
            return
        # Ctrl+Z would have suspended the screen and set the flag. Here only SIGSTOP came: suspend
        # now, so that the threads of the old screen end before new ones begin.
        if self._auto_restart and not self._must_signal_resume and self._taken:
            self.suspend_application_mode()
            self._must_signal_resume = True
        super()._sigcont_application()

    def _run_input_thread(self) -> None:
        """Read keys; hand an error to the app, because Textual would print it."""
        try:
            self.run_input_thread()
        except Exception as e:  # noqa: BLE001 - the edge of this thread
            self._soon(self._app._handle_exception, e)

    def run_input_thread(self) -> None:
        """Read keys until the app ends; leave the app when the terminal is gone."""
        keyboard = KeyParser(debug=self._debug)
        decode = getincrementaldecoder("utf-8")("replace").decode
        with selectors.SelectSelector() as selector:
            selector.register(self.fileno, selectors.EVENT_READ)
            while not self.exit_event.is_set():
                if selector.select(keyboard.patience):
                    # A terminal that is readable and has nothing to read is closed.
                    if not (data := self._read()):
                        self._end()
                        return
                    self._dispatch(keyboard.feed(decode(data)))
                else:
                    # Only if nothing is there: what a read has cut is made whole by the next,
                    # however late this thread runs.
                    self._dispatch(keyboard.tick())

    def _read(self) -> bytes:
        try:
            return os.read(self.fileno, 4096)
        except OSError:
            return b""

    def _dispatch(self, messages: Iterable[Message]) -> None:
        for message in messages:
            self.process_message(message)


# One key at a time.

_PATIENCE_S = 1.0
"""The longest time that the next key waits."""


class KeyQueue:
    """Holds back what the user typed behind a key that still acts.

    Textual sends a key to what has the focus when it comes, and acts on it later: a letter right
    behind Esc would be a key of the diff that Esc leaves, and accept a hunk.
    """

    def __init__(self, app: App[None]) -> None:
        self._app = app
        self._waiting: deque[events.Key | events.Paste] = deque()
        self._next: events.Event | None = None
        self._acting: asyncio.Task[None] | None = None

    def holds(self, event: events.Event) -> bool:
        """Whether an event has to wait; the event is sent again when it may act.

        Whatever comes after it waits, too.
        """
        # A forwarded event only passes the app again, on its way up from the focus.
        if not isinstance(event, events.Key | events.Paste) or event.is_forwarded:
            return False
        if self._acting is not None and event is not self._next:
            self._waiting.append(event)
            return True
        # The event acts now. Whoever may handle it on its way up, from the focus to the app, has to
        # be done before the next one is sent.
        focused: MessagePump = self._app.focused or self._app.screen
        pumps = [focused, *focused.ancestors]  # type: ignore[attr-defined]
        self._acting = asyncio.create_task(self._let_act(pumps))
        return False

    async def _let_act(self, hearers: Sequence[MessagePump]) -> None:
        """Wait until every possible receiver has handled a key; then send the next key.

        The next key is sent whatever happened to the key before it.
        """
        try:
            with suppress(TimeoutError):  # a screen that is gone never answers
                async with asyncio.timeout(_PATIENCE_S):
                    # Twice: messages that a key caused on its way up are to be heard, too.
                    for hearer in (*hearers, *hearers):
                        await _heard_all(hearer)
        finally:
            self._next = self._waiting.popleft() if self._waiting else None
            if self._next is None:
                self._acting = None
            else:
                # `_acting` stays set: until this event comes back to `holds`, later ones queue up
                # behind it.
                self._app.post_message(self._next)


async def _heard_all(hearer: MessagePump) -> None:
    heard = asyncio.Event()
    if not _is_idle(hearer) and hearer.call_later(heard.set):
        await heard.wait()


def _is_idle(pump: MessagePump) -> bool:
    """Whether a message pump has handled everything and waits for more.

    Looking at its queue is faster than a message to it, which takes two turns of a busy loop.
    """
    ready: asyncio.Event = pump._message_queue.ready_event
    waiters = getattr(ready, "_waiters", ())  # private to asyncio; without it, ask with a message
    return not ready.is_set() and bool(waiters)


# Whose turn it is with Python's lock.

_SHORT_S = 0.0005
"""The switch interval while the loop has nothing to do."""
_LONG_S = 0.01
"""The switch interval while the loop is busy: as long as most frames take.

Other threads that wait for the lock, the keyboard's too, wait no longer than this.
"""
_LOOK_S = 0.004
"""How long the loop may go without looking for input: looking lets go of the lock."""


class _Selector(selectors.DefaultSelector):
    """Releases Python's lock while the loop is idle, and every few milliseconds otherwise."""

    def __init__(self) -> None:
        super().__init__()
        self._looked = 0.0

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        """See `selectors.BaseSelector`.

        Skipping a look delays only input. Callbacks of other threads do not need one: asyncio puts
        them into the queue of the loop itself.
        """
        if timeout is not None and timeout <= 0 and time.perf_counter() - self._looked < _LOOK_S:
            return []
        sys.setswitchinterval(_SHORT_S)
        try:
            return super().select(timeout)
        finally:
            sys.setswitchinterval(_LONG_S)
            self._looked = time.perf_counter()


@contextmanager
def gil_priority() -> Iterator[asyncio.Runner]:
    """Give the runner's event loop precedence over all other threads, until it is closed."""
    before = sys.getswitchinterval()
    try:
        with asyncio.Runner(loop_factory=lambda: asyncio.SelectorEventLoop(_Selector())) as runner:
            yield runner
    finally:
        sys.setswitchinterval(before)
