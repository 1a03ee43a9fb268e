"""The keyboard as spark needs it: Esc is heard at once, and what follows it is never swallowed."""

import os
import selectors
import time
from codecs import getincrementaldecoder
from collections.abc import Iterable

from textual import constants, events
from textual._xterm_parser import XTermParser
from textual.drivers.linux_driver import LinuxDriver
from textual.message import Message

_IDLE_S = 0.1
_ALERT_S = 0.004


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
    return (
        len(sequence) == 2
        and sequence[0] == "\x1b"
        and (sequence[1].isprintable() or sequence[1] in "\t\r")
        and sequence[1] not in "[O"
    )


class SparkDriver(LinuxDriver):
    """Textual's driver, but a lone Esc waits ESCDELAY (20 ms) instead of up to 100 ms for what might follow."""

    def run_input_thread(self) -> None:
        """Read keys until the app ends."""
        parser, decode = EscFirstParser(self._debug), getincrementaldecoder("utf-8")().decode
        alert_until = 0.0
        with selectors.SelectSelector() as selector:
            selector.register(self.fileno, selectors.EVENT_READ)
            while not self.exit_event.is_set():
                alert = time.monotonic() < alert_until
                if selector.select(_ALERT_S if alert else _IDLE_S):
                    data = decode(os.read(self.fileno, 4096))
                    if not data:
                        break
                    alert_until = time.monotonic() + 2 * constants.ESCAPE_DELAY
                    self._dispatch(parser.feed(data))
                self._dispatch(parser.tick())
        self._dispatch(parser.feed(""))

    def _dispatch(self, messages: Iterable[Message]) -> None:
        for message in messages:
            self.process_message(message)
