"""The turn's patch for use elsewhere: to the terminal's clipboard, or to a file."""

import asyncio
from collections.abc import Callable
from pathlib import Path

from spark_tui.errors import FileError
from spark_tui.session.controller import Controller
from spark_tui.session.external import load_buffer
from spark_tui.session.json_output import proposal_of
from spark_tui.session.turn import Turn
from spark_tui.tui.screens.host import Host
from spark_tui.tui.screens.modals import AskScreen, TextQuestion

_NAME = "spark.patch"


class PatchExport:
    """Copies or saves the turn's patch: what is accepted and what is proposed.

    Whatever may wait runs in workers of `screen`.
    """

    def __init__(self, screen: Host) -> None:
        self._screen = screen

    def copy(self) -> None:
        """Copy the whole turn's patch to the clipboard."""
        if target := self._turn():
            self._screen.run_worker(self._copy(*target), group="give")

    def save(self) -> None:
        """Save the whole turn's patch to a file."""
        if target := self._turn():
            self._screen.run_worker(self._save(*target), group="give")

    def _turn(self) -> tuple[Controller, Turn] | None:
        controller = self._screen.controller
        if controller is None or controller.turn is None:
            self._screen.say("no patch yet")
            return None
        return controller, controller.turn

    async def _copy(self, controller: Controller, turn: Turn) -> None:
        screen = self._screen
        # Only the driver of a terminal can send OSC 52, the sequence for the terminal's clipboard.
        copy: Callable[[bytes], None] | None = getattr(screen.app._driver, "copy", None)
        with screen.reported_errors("warning"):
            patch = await asyncio.to_thread(proposal_of, controller.session.repo, turn)
            lines = patch.count(b"\n")
            if not patch:
                screen.say("no patch yet")
            # Within tmux its buffer comes first, as tmux may not pass OSC 52 on.
            elif await asyncio.to_thread(load_buffer, patch, controller.session.repo.root):
                screen.say(
                    f"copied a patch of {lines} lines to tmux's buffer; its prefix, then ] "
                    f"pastes it"
                )
            elif copy is None:
                screen.say("this terminal has no clipboard that spark can write to")
            else:
                copy(patch)
                screen.say(
                    f"sent a patch of {lines} lines to the terminal, for its clipboard (OSC 52)"
                )

    async def _save(self, controller: Controller, turn: Turn) -> None:
        screen = self._screen
        path = await screen.app.push_screen_wait(
            AskScreen(TextQuestion("Save the patch as", "save", _NAME))
        )
        if path is None:
            return
        place = Path(path).expanduser()
        with screen.reported_errors():
            await asyncio.to_thread(_save, place, controller, turn)
            screen.say(f"saved {place}; git apply reads it")


def _save(place: Path, controller: Controller, turn: Turn) -> None:
    """Write a new file.

    Raises:
        FileError: There is one, or the disk refused.
        SparkError: No patch fits the file.
    """
    patch = proposal_of(controller.session.repo, turn)
    try:
        with place.open("xb") as file:  # "x": never over another file
            file.write(patch)
    except OSError as e:
        raise FileError(
            f"cannot save {place}: {e.strerror}; nothing was written there: choose another place"
        ) from e
