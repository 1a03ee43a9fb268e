"""A user at a real terminal who can be told where to go, and what to see there.

`Seen` is what the screen says, in the words of the table of `test_every_key.py`; nothing looks into
the process.
"""

import fcntl
import re
import socket
import struct
import sys
import termios
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from tests.tui.keyboards import Encoder
from tests.tui.pseudo import PATIENCE_S, Terminal
from tests.tui.support import SPLIT, STORE

SIZE = (32, 104)
FIRST = STORE.replace("expenses = []", "expenses = list()")
SECOND = STORE.replace("    f.close()\n", "")
BOTH = FIRST.replace("    f.close()\n", "")
FILES_SEEN = {STORE: "old", FIRST: "first", SECOND: "second", BOTH: "both"}

OPEN = {
    "palette": "Search for commands",
    "keys": "Esc ? q Enter close",
    "undo?": "Take back “",
    "redo?": "Redo “",
    "commit": "Commit on main",
    "edit": "Ctrl+S keep  Ctrl+G your editor",
    "log": "Log of what was accepted here",
    "resume": "Earlier turns in this repository",
    "doctor": "Nothing was found.",
    "wafer": "every figure of a wafer is simulated",
    "back": "looking back",
    "again": "What should be different",
    "shell": " $ ",
    "consent": "y/N",
    "editor": "EDITING",
}
"""By what each screen shows that nothing else does; what opens above others comes first."""
_DRAWN_S = 0.04
"""For so long nothing comes once a picture is whole."""
_PROMPT_HINTS = ("Enter send", "Enter go on", "Enter redirect", "type to redirect")
_HUNK = re.compile(r"^(?P<mark>.)[●○!?✓✗] \d+ +line \d+ +\+\d+ +−\d+  (?P<words>\S+)")
_PHASE = re.compile(r"\b(loading|ready|reading|writing|paused|stopping|review)\b")
_CONTEXT = re.compile(r"(\d+)/\d+ ctx")
_EMPTY = "say what to change"
_IN_THE_DIFF = "letters are keys of the diff; Enter writes here"


@dataclass(frozen=True)
class Seen:
    """What a user sees.

    Args:
        screen: What is open on top; main is "".
        hunks: Their states, the selected one marked.

    prompt: as it is written. file: which of its versions is on the disk. sides: whether the diff
    has two.
    """

    screen: str = ""
    phase: str = "ready"
    focus: str = "prompt"
    prompt: str = ""
    hunks: tuple[str, ...] = ()
    file: str = "old"
    sides: bool = False


class User:
    """Someone at the screen of `tests.tui.on_a_terminal` in a new folder.

    Args:
        encode: The keyboard.
        scene: Its.
    """

    def __init__(self, folder: Path, encode: Encoder, scene: str = "") -> None:
        self._encode, self.file = encode, folder / "repo" / "store.py"
        self._control, theirs = socket.socketpair()
        fd = theirs.fileno()
        command = (
            sys.executable,
            "-m",
            "tests.tui.on_a_terminal",
            str(folder),
            f"held={fd}",
            scene,
        )
        self.terminal = Terminal(*command, size=SIZE, fds=(fd,))
        theirs.close()

    def close(self) -> None:
        """Leave, whatever goes on."""
        self.terminal.close()
        self._control.close()

    def stream(self, words: str) -> None:
        """Hold the stream, open it, let tokens through, or let the clock go on; see
        `on_a_terminal.Held`.
        """
        self._control.sendall(words.encode() + b"\n")
        assert self._control.recv(3) == b"ok\n"

    def press(self, *keys: str) -> None:
        """Press keys one by one: each is read by the program before the next comes."""
        for key in keys:
            self.terminal.send(self._encode(key))
            self.terminal.until(self._is_read)
            if key == "Esc":  # long enough to be that key, and not the start of what comes next
                self.terminal.until_quiet(0.03)

    def press_at_once(self, *keys: str) -> None:
        """Press keys so fast that they come in one piece."""
        self.terminal.send(b"".join(map(self._encode, keys)))

    def write(self, words: str) -> None:
        """Type words, fast, and see them stand there."""
        self.press_at_once(*("Space" if char == " " else char for char in words))
        self.terminal.until(lambda: self.seen().prompt == words)

    def _is_read(self) -> bool:
        waiting = fcntl.ioctl(self.terminal.slave, termios.FIONREAD, b"\0" * 4)
        return not struct.unpack("i", waiting)[0]

    def seen(self) -> Seen:
        """What there is to see now."""
        lines = self.terminal.text.split("\n")
        on_top = next((name for name, words in OPEN.items() if words in self.terminal.text), "")
        content = self.file.read_text() if self.file.exists() else STORE
        found = _PHASE.search(lines[-1])
        hints = lines[-2]
        in_list = "Tab take" in hints
        return Seen(
            screen=on_top,
            phase=found[1] if found else "?",
            focus="list"
            if in_list
            else "prompt"
            if any(map(hints.__contains__, _PROMPT_HINTS))
            else "diff",
            prompt=_prompt(lines[:-2]),
            hunks=tuple(_hunks(lines)),
            file=FILES_SEEN.get(content, "other"),
            sides=any(line[50:54].count("│") for line in lines),
        )

    def until(self, wanted: Seen, after: str = "") -> None:
        """Wait until a state is seen.

        Args:
            after: What led there, for whoever reads of the failure.
        """
        deadline = time.monotonic() + PATIENCE_S
        while (seen := self.seen()) != wanted:
            assert time.monotonic() < deadline, (
                f"{after}:\n{seen}\ninstead of\n{wanted}\n{self.terminal.text}"
            )
            self.terminal.until_quiet(0.01)

    def until_screen(self, name: str) -> None:
        """Wait until a screen is open on top, or none for ""."""
        self.terminal.until(lambda: self.seen().screen == name)

    def all_done(self) -> None:
        """Wait until all that was pressed has had its effect: what is pressed behind it has."""
        self.press("Ctrl+P")
        self.until_screen("palette")
        self.press("Esc")
        self.terminal.until(lambda: self.seen().screen != "palette")
        self.terminal.until_quiet(
            _DRAWN_S
        )  # a terminal that does not say it draws at once gets a picture in pieces

    def later(self) -> None:
        """Let so much time go by that nothing new is too new."""
        self.stream("later 5")

    def send(self, words: str) -> None:
        """Write words into the prompt and send them."""
        self.write(words)
        self.press("Enter")

    def go_home(self) -> None:
        """To an empty screen and untouched files, from anywhere."""
        self.close_what_is_open()
        self._end_turn()
        self.later()  # a letter just as a review begins would be text
        if self.seen().sides:
            self.press(*(["Tab"] if self.seen().focus == "prompt" else []), "v")
            self.terminal.until(lambda: not self.seen().sides)
        self._to_prompt()
        if self.seen().file != "old":
            self._command("/undo")
            self.until_screen("undo?")
            self.later()
            self.press("Enter")
            self.terminal.until(lambda: self.seen().file == "old")
        self.stream("hold")
        self._command("/clear")
        self.until(Seen(), "home")

    def _end_turn(self) -> None:
        """End the turn that runs, if one does."""
        self.stream("open")
        for _ in range(PATIENCE_S):
            if (phase := self.seen().phase) not in {"reading", "writing", "paused", "stopping"}:
                break
            self.press("Esc")
            self._until_other(lambda was=phase: self.seen().phase != was)  # type: ignore[misc]
        self.all_done()
        self.terminal.until_quiet()

    def close_what_is_open(self) -> None:
        """To the screen below all others, and an empty prompt there."""
        while self.seen().screen:
            self.close_screen()
        if self.seen().prompt:
            self.press("Ctrl+C")
            self.terminal.until(lambda: not self.seen().prompt)
        self.later()

    def close_screen(self) -> None:
        """Close what is open on top."""
        before = self.seen().screen
        if before == "editor":
            self.terminal.send(
                b"\r"
            )  # it is no screen of ours: it reads lines, and has a keyboard as it was
        else:
            self.press("Ctrl+C")
        self.terminal.until(lambda: self.seen().screen != before)

    def _to_prompt(self) -> None:
        self.terminal.until_quiet(0.05)
        if self.seen().focus != "prompt":
            self.press("Esc")
            self.terminal.until(lambda: self.seen().focus == "prompt")

    def _command(self, words: str) -> None:
        """Send a command; the list that helps with it closes by itself."""
        self.write(words)
        self.terminal.until(lambda: self.seen().focus == "list")
        self.press("Enter")

    def begin(self, tokens: int = 0) -> None:
        """Ask for two changes, see the first token, and let so many more through."""
        self.send(SPLIT)
        self.see_first_token()
        if tokens:
            self.stream(f"let {tokens}")

    def see_first_token(self) -> None:
        """See the turn that was asked for begin."""
        self.terminal.until(lambda: self.seen().phase == "writing")

    def begin_second_hunk(self) -> None:
        """The same, up to where the first hunk is closed and the second one has begun."""
        self.begin()
        first = self._used
        self.stream("let 8")
        self.terminal.until(lambda: self._used >= first + 8)
        while len(self.seen().hunks) < 2:
            before = self._used
            self.stream("let 1")
            self.terminal.until(lambda before=before: self._used > before)  # type: ignore[misc]
            self.terminal.until_quiet(0.05)

    @property
    def _used(self) -> int:
        """The tokens of context, as the meters have them."""
        found = _CONTEXT.search(self.terminal.text)
        return int(found[1]) if found else 0

    def come_to(self, wanted: Seen) -> bool:
        """Go back to a state from one near it.

        Returns:
            Whether that was near enough.
        """
        for _ in range(8):
            self.terminal.until_quiet(0.02)
            seen = self.seen()
            if seen == wanted:
                return True
            if (seen.file, _states(seen.hunks)) != (
                wanted.file,
                _states(wanted.hunks),
            ) or not self._step(seen, wanted):
                return False
        return False

    def _step(self, seen: Seen, wanted: Seen) -> bool:
        """One step from a state towards another.

        Returns:
            Whether there is one.
        """
        keys = self._keys_towards(seen, wanted)
        if keys == wanted.prompt:
            self.write(wanted.prompt)
        else:
            self.press(*keys)
        self._until_other(lambda: self.seen() != seen)
        self.later()
        return bool(keys)

    def _until_other(self, reached: Callable[[], bool], seconds: float = 2.0) -> None:
        """Wait for something a while, but not for ever: it may have been so."""
        deadline = time.monotonic() + seconds
        while not reached() and time.monotonic() < deadline:
            self.terminal.until_quiet(0.01)

    def _keys_towards(self, seen: Seen, wanted: Seen) -> Sequence[str]:
        to_prompt = ["Enter"] if seen.focus == "diff" else []
        one_more = len(seen.prompt) == len(wanted.prompt) + 1 and seen.prompt.startswith(
            wanted.prompt
        )
        steps: list[tuple[bool, Sequence[str]]] = [
            (
                seen.screen != wanted.screen,
                [] if wanted.screen or seen.screen == "editor" else ["Ctrl+C"],
            ),
            (seen.focus == "list", ["Esc"]),
            (one_more, [*to_prompt, "Backspace"]),
            (bool(seen.prompt) and seen.prompt != wanted.prompt, ["Ctrl+C"]),
            ((seen.phase, wanted.phase) == ("paused", "writing"), [*to_prompt, "Enter"]),
            (seen.phase != wanted.phase or seen.sides != wanted.sides, []),
            (seen.prompt != wanted.prompt, to_prompt or wanted.prompt),
            ((seen.focus, wanted.focus) == ("prompt", "diff"), ["Tab"]),
            ((seen.focus, wanted.focus) == ("diff", "prompt"), ["Enter"]),
            (
                seen.hunks != wanted.hunks,
                ["[" if wanted.hunks[:1] and wanted.hunks[0].startswith("▎") else "]"],
            ),
        ]
        return next((keys for needed, keys in steps if needed), [])

    def suspend_and_resume(self, keys: Iterable[str] = ("Ctrl+Z",)) -> None:
        """Suspend by key; see the terminal given back; go on."""
        terminal = self.terminal
        self.press(*keys)
        terminal.until(terminal.is_stopped)
        terminal.until_quiet(0.02)
        assert terminal.after == terminal.before
        assert terminal.cursor_shows
        terminal.forget()
        terminal.go_on()
        terminal.until(lambda: terminal.text.strip() != "")


def changed(seen: Seen, changes: Mapping[str, object]) -> Seen:
    """A state with changes; `prompt` "+x" adds to what is written."""
    words = changes.get("prompt")
    if isinstance(words, str) and words.startswith("+"):
        changes = {**changes, "prompt": seen.prompt + words[1:]}
    return replace(seen, **changes)  # type: ignore[arg-type]


def _prompt(lines: list[str]) -> str:
    first = next(
        (number for number, line in reversed(list(enumerate(lines))) if line.startswith(" › ")),
        None,
    )
    if first is None:
        return "?"
    written = [line[3:].rstrip() for line in lines[first:]]
    if written in ([_EMPTY], [_IN_THE_DIFF]):
        return ""
    return "\n".join(written) or " "


def _hunks(lines: list[str]) -> Iterable[str]:
    for line in lines:
        if found := _HUNK.match(line):
            yield ("▎" if found["mark"] == "▎" else "") + found["words"]


def _states(hunks: Iterable[str]) -> list[str]:
    return [each.removeprefix("▎") for each in hunks]
