"""Whatever a repository, a model or a paste says, no byte of it steers the terminal."""

import re
import sys
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from functools import partial
from pathlib import Path

import pytest

from tests.tui.hostile import PARTS, SEEN_NOWHERE, Hostile
from tests.tui.pseudo import Terminal
from tests.tui.wire import violations

SIZE = (40, 160)
CTRL_C, CTRL_L, CTRL_P, CTRL_R, ENTER, ESC, TAB, DOWN = (
    "\x03",
    "\x0c",
    "\x10",
    "\x12",
    "\r",
    "\x1b",
    "\t",
    "\x1b[B",
)
OUTLET_REFUSED = "\N{REPLACEMENT CHARACTER}"
EACH_PART = [
    pytest.param(part, marks=[pytest.mark.exhaustive] if part else [], id=f"part {part}")
    for part in range(len(PARTS))
]


def shows(terminal: Terminal, words: str) -> bool:
    """Whether the picture has these words, wherever lines were broken."""
    return "".join(words.split()) in "".join(terminal.text.split())


class Walk:
    """Goes to every place of the screen that shows text.

    Args:
        part: Of the odd characters; see `hostile`.
    """

    def __init__(self, terminal: Terminal, folder: Path, part: int) -> None:
        self._terminal, self._folder, self._hostile = terminal, folder, Hostile(PARTS[part])
        self._file = folder / self._hostile.folder / self._hostile.names[0]

    def all_of_it(self) -> None:
        """From the first start to the end."""
        self._until(lambda: shows(self._terminal, "model  ready"))
        for visit in (
            self._prompt,
            self._errors,
            self._themes,
            self._turn,
            self._diff,
            self._decide,
            self._clash,
            self._screens,
        ):
            visit()
        # no more, lest the terminal itself echoes one
        self._terminal.press(CTRL_C + CTRL_C, until=self._terminal.ended)

    def _prompt(self) -> None:
        self._paste("in the prompt ", "› in the prompt")
        self._leave(CTRL_C, "in the prompt")
        self._place()
        self._do(CTRL_L, "Tab take")
        self._leave(ESC, "Tab take")
        self._leave(CTRL_C, "fix @")
        self._do("/model ", "▎ spark-m")
        self._do(DOWN, "▎ m")
        self._do(TAB, "Enter send")
        self._leave(CTRL_C, "› /model")

    def _place(self) -> None:
        """Write the place that the turn is about, with the help of the lists."""
        self._do("fix @", "▎ ")
        self._do(".github/", "fix @.github/")
        self._do(TAB, "edits .github")
        self._do("::", "▎ load")
        self._do(TAB, "edits .github")

    def _errors(self) -> None:
        for words, said in (
            ("/model /no", "no model"),
            ("/nothing", "no command"),
            ("/theme no", "no theme"),
            ("fix @no.py", "no file"),
        ):
            self._paste(words, f"› {words}")
            self._do(ENTER, said)
            self._terminal.press(CTRL_C)
        self._paste("!cat said #", "› !cat said #")
        self._do(ENTER, "it was pasted, not typed")
        self._answer("y", "ended with")
        self._leave(ESC, "Esc close")

    def _themes(self) -> None:
        self._do("/theme t-two", "▎ t-two")
        self._do(ENTER, "unknown key")
        self._do("/theme t_", "cannot be used")
        self._leave(ESC, "cannot be used")
        self._leave(CTRL_C, "› /theme")
        self._do("/theme", "› /theme")
        self._do(ENTER, "high-contrast")
        self._leave(ESC, "high-contrast")
        self._leave(CTRL_C, "› /theme")

    def _turn(self) -> None:
        (self._folder / "fail").touch()
        self._place()
        self._terminal.press("\n")
        self._paste("and more", "and more")
        self._do(ENTER, "the engine failed")
        self._do(ENTER, "model  review")
        self._terminal.until_quiet(0.3)  # a letter that comes at once is text

    def _diff(self) -> None:
        self._do("v", "│")
        self._leave("v", "│")
        self._leave("z", "return f  # [bold]")
        self._do("z", "return f  # [bold]")
        self._do(TAB, "no other likely answer")
        self._do("e", "what this hunk proposes")
        self._paste("typed", "typed")
        self._leave(ESC, "what this hunk proposes")
        self._do("g", "What should be different?")
        self._paste("other", "other")
        self._leave(ESC, "What should be different?")
        self._do(",", "looking back")
        self._do("<", "token")
        self._paste("words", "words")
        self._do(CTRL_C, "model  review")
        self._do("w", "every figure of a wafer is simulated")
        self._leave(ESC, "every figure of a wafer is simulated")

    def _decide(self) -> None:
        self._do("A", "not accepted with the others")
        self._do("a", "Write to it?")
        self._answer("y", "accepted the hunk")
        self._terminal.until_quiet(0.3)  # another letter right behind it is text
        self._do(TAB, "letters are keys")
        self._do("c", "Commit on")
        self._paste(" typed", " typed")
        self._do(ENTER, "committed")
        self._do("u", "Take back")
        self._leave(ESC, "Take back")

    def _clash(self) -> None:
        written = self._file.read_bytes()
        self._file.write_bytes(written.replace(b"return f", b"return  f"))
        self._do("u", "nothing was written")
        self._leave(ESC, "close; nothing was written")
        self._file.write_bytes(written)
        self._do("u", "Take back")
        (self._folder / "notice").touch()
        self._answer(ENTER, "somebody saved")
        self._until(lambda: not shows(self._terminal, "Take back"))

    def _screens(self) -> None:
        for command, shown in (
            ("/log", "Log of what was accepted"),
            ("/resume", "Earlier turns"),
            ("/doctor", "Doctor"),
            ("/help", "While it writes"),
        ):
            self._do(command, f"› {command}")
            self._do(ENTER, shown)
            self._leave(ESC, shown)
        self._do(CTRL_R, "Tab take")
        self._leave(ESC, "Tab take")
        self._do(CTRL_P, "Search for commands")
        self._paste("to find", "to find")
        self._leave(ESC, "to find")

    # How it goes from one to the next

    def _until(self, reached: Callable[[], bool]) -> None:
        self._terminal.until(lambda: reached() or self._terminal.ended())
        assert not self._terminal.ended(), self._terminal.error()

    def _do(self, keys: str, shown: str) -> None:
        """Press keys and wait until the picture has these words."""
        self._terminal.press(keys)
        self._until(lambda: shows(self._terminal, shown))

    def _answer(self, key: str, shown: str) -> None:
        """Answer a question: not at once, when no key counts yet, and only once, lest what is
        left be text.
        """
        self._terminal.until_quiet(0.6)
        self._do(key, shown)

    def _leave(self, keys: str, shown: str) -> None:
        """Press keys until the picture has these words no more."""
        self._terminal.press(keys)
        self._until(lambda: not shows(self._terminal, shown))

    def _paste(self, words: str, shown: str) -> None:
        pasted = f"{words} {self._hostile.text} {words}".replace(
            "\x1b", ""
        )  # it would end the paste
        self._terminal.send(b"\x1b[200~" + pasted.encode() + b"\x1b[201~")
        self._until(lambda: shows(self._terminal, shown))


@pytest.mark.parametrize("part", EACH_PART)
def test_only_what_is_allowed_leaves_wherever_hostile_text_is_shown(
    part: int, tmp_path: Path
) -> None:
    with hostile(tmp_path, part) as terminal:
        Walk(terminal, tmp_path, part).all_of_it()
        assert_nothing_steered(terminal)


PLAIN = (
    ("make load better", "the engine failed"),
    ("make load better", "accept this hunk?"),
    ("y", "Write to it?"),
    ("y", "accepted and written"),
    ("/log", "applied"),
    ("/undo", "take it back?"),
    ("y", "took back"),
    ("/resume", "which one?"),
    ("1", "“[bold]"),
    ("n", "again? [y/n] n spark:"),
    ("/nothing", "there is no /nothing"),
)


@pytest.mark.parametrize("part", EACH_PART)
def test_no_more_leaves_in_plain_lines(part: int, tmp_path: Path) -> None:
    (tmp_path / "fail").touch()
    with hostile(tmp_path, part, "plain") as terminal:
        for words, shown in PLAIN:
            terminal.press(f"{words}\n", until=partial(shows, terminal, shown))
        terminal.press("/quit\n", until=terminal.ended)
        assert_nothing_steered(terminal, layout="\t")


@contextmanager
def hostile(folder: Path, part: int, *how: str) -> Iterator[Terminal]:
    """All of it on a terminal."""
    with closing(
        Terminal(sys.executable, "-m", "tests.tui.hostile", str(folder), str(part), *how, size=SIZE)
    ) as one:
        yield one


def assert_nothing_steered(terminal: Terminal, layout: str = "") -> None:
    terminal.until_quiet()
    assert terminal.process.returncode == 0, terminal.error()
    assert violations(terminal.raw, layout=layout) == []
    assert [each for each in SEEN_NOWHERE if each in terminal.raw] == []
    refused = re.findall(
        f".{{0,60}}{OUTLET_REFUSED}.{{0,60}}", terminal.raw.decode("utf-8", "replace")
    )
    assert refused == [], "something was drawn without its marks"
