"""What surrounds the work: screens of log, earlier turns and findings, mouse and bell."""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from spark_tui.errors import SparkError
from spark_tui.places import at_place, mention
from spark_tui.tui.screens.main import MainScreen
from spark_tui.tui.screens.small import CoveredApp

if TYPE_CHECKING:
    from spark_tui.session.keeping.past import EarlierTurn
    from spark_tui.session.wafer import WaferView
    from spark_tui.tui.desk import Desk


@dataclass(frozen=True, slots=True)
class Outside:
    """What whoever opens the screen tells it.

    Args: doctor: findings, one a line. resume: show earlier turns: of the session that begins so, or "" for all.
        again: bring back the words of the last turn.
    """

    doctor: Callable[[], Sequence[str]] = tuple
    resume: str | None = None
    again: bool = False


class Overlays:
    """Opens those screens over `app`, each loaded when it is wanted: the first paint waits for none of them."""

    def __init__(self, app: CoveredApp, main: MainScreen, pace: str, outside: Outside) -> None:
        self._app, self._main, self._pace, self._outside = app, main, pace, outside
        self._wafer: WaferView | None = None

    @property
    def _desk(self) -> "Desk | None":
        desk = self._main.desk
        if desk is None:
            self._main.say("the model is being loaded")
        return desk

    def open(self, what: str) -> None:
        """Open one of those that can be asked for, by its name."""
        opens: dict[str, Callable[[], None]] = {
            "log": self._log,
            "resume": self.resume,
            "doctor": self._doctor,
            "wafer": self._show_wafer,
        }
        opens[what]()

    async def opened(self) -> None:
        """The session is there: go back to earlier turns, if that was asked for, or to one that a crash cut off."""
        if self._outside.resume is not None:
            self.resume(self._outside.resume)
        elif self._outside.again and (desk := self._desk) is not None:
            with self._main.telling():
                turns = await asyncio.to_thread(desk.session.past.turns)
                self._continue_with(turns[0] if turns else None)
        elif (desk := self._desk) is not None:
            main, turn = self._main, await asyncio.to_thread(desk.session.past.cut_off)
            if turn and desk.turn is None and not main.prompt.text:
                lines = turn.start_line, turn.end_line
                main.prompt.offer(at_place(turn.instruction, mention(turn.path, lines=lines), desk.file_named))
                main.say("spark ended during this turn; Enter sends it again, typing replaces it")
                main.paint_words()

    async def tell_uncommitted(self) -> None:
        """Say what is left of earlier starts to be committed, if the user has begun nothing meanwhile."""
        main = self._main
        if (desk := main.desk) is None:
            return
        past, staging = desk.session.past, desk.session.staging
        try:
            async with main.disk:
                count = await asyncio.to_thread(lambda: staging.find_earlier() if past.log() else 0)
        except SparkError:  # which /commit says
            return
        idle = main.is_current and not main.busy and desk.turn is None  # nothing lies on top, and nothing was begun
        if count and idle and main.said("") and not main.prompt.text:
            several = f"{count} accepted edits are not committed: /commit offers them"
            main.say(several if count > 1 else "an accepted edit is not committed: /commit offers it")

    def _log(self) -> None:
        """Show what was accepted, undone and redone."""
        if (desk := self._desk) is None:
            return
        from spark_tui.tui.screens.log import LogScreen  # noqa: PLC0415 - see the class

        self._app.push_screen(LogScreen(desk, self._main, self._main.actions.recording, self._main.preparing))

    def resume(self, session_id: str = "") -> None:
        """Show earlier turns. Args: session_id: of this session only."""
        if (desk := self._desk) is None:
            return
        from spark_tui.tui.screens.resume import ResumeScreen  # noqa: PLC0415 - see the class

        self._app.push_screen(ResumeScreen(desk, session_id), self._bring_back)

    def _doctor(self) -> None:
        """Show what is installed, and what to do about what is missing."""
        from spark_tui.tui.screens.doctor import DoctorScreen  # noqa: PLC0415 - see the class

        self._app.push_screen(DoctorScreen(self._outside.doctor))

    def _show_wafer(self) -> None:
        """Show the simulated wafer."""
        if (desk := self._desk) is not None:
            self._app.run_worker(self._open_wafer(desk))

    async def _open_wafer(self, desk: "Desk") -> None:
        from spark_tui.session.wafer import WaferView  # noqa: PLC0415 - the simulator, which few turns need
        from spark_tui.tui.screens.wafer import WaferScreen  # noqa: PLC0415 - see the class

        with self._main.telling():
            loaded, pace = await asyncio.to_thread(lambda: desk.session.loaded), desk.pacer.pace
            if self._wafer is None or (self._wafer.loaded.path, self._wafer.pace) != (loaded.path, pace):
                self._wafer = WaferView(loaded, pace)
            self._app.push_screen(WaferScreen(self._wafer, desk))

    async def pace(self, name: str = "") -> None:
        """Show tokens at a pace; without a name tell which is in force."""
        if not name:
            self._main.say(f"the pace is {self._pace}; /pace NAME takes real, tokens a second, or a device")
        elif (desk := self._desk) is not None:
            with self._main.telling():
                await self.take_pace(desk, name)

    async def take_pace(self, desk: "Desk", name: str) -> None:
        """Have this pace from now on. Raises: UsageError: that is none."""
        from spark_tui.session.pacing import pace_for  # noqa: PLC0415 - the simulator, which few turns need

        desk.pacer.pace = await asyncio.to_thread(lambda: pace_for(name, desk.session.loaded))
        self._pace = name
        self._main.paint_words()

    def _continue_with(self, last: "EarlierTurn | None") -> None:
        """Bring the last turn back, but never over what was written or sent while the model was loaded."""
        from spark_tui.tui.screens.resume import told  # noqa: PLC0415 - see the class

        main = self._main
        if last is None:
            main.say("there is no earlier turn here to continue")
        elif main.prompt.text:
            main.say(f"{told(last)}; what you typed stays, /resume brings those words back")
        elif not main.is_starting and (main.desk is None or main.desk.turn is None):
            self._bring_back(last)

    def _bring_back(self, earlier: "EarlierTurn | None") -> None:
        """Offer the words of an earlier turn; what stands in the prompt is then the last that was sent before."""
        if earlier is None:
            return
        from spark_tui.tui.screens.resume import told  # noqa: PLC0415 - see the class

        main = self._main
        main.prompt.remember(main.prompt.full)
        main.prompt.offer(earlier.turn.instruction)
        main.prompt.focus()
        main.say(f"{told(earlier)}; typing replaces the words, an arrow key keeps them")
        main.paint_words()
