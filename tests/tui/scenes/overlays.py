"""The prompt with its lists, and the screens around the work."""

from textual.pilot import Pilot
from textual.widgets import Input

from spark_tui.tui.screens.modals import ConsentScreen, SmallScreen
from spark_tui.tui.screens.shell import ShellScreen
from spark_tui.tui.widgets.completion import Completion
from spark_tui.tui.widgets.status_bars import Bar
from tests.tui.scenes.stage import offered, scene
from tests.tui.support import EDIT, Stage, until
from tests.tui.test_overlays import open_doctor, open_log, open_resume, patch

LOST = "an earlier spark was killed while it wrote store.py; what it had begun was taken back"


# The prompt


@scene
async def files(stage: Stage, pilot: Pilot[None]) -> None:
    """Files that could be meant."""
    await offered(stage, pilot, "close the file in @")


@scene
async def commands(stage: Stage, pilot: Pilot[None]) -> None:
    """What begins with /."""
    await offered(stage, pilot, "/")


@scene
async def places(stage: Stage, pilot: Pilot[None]) -> None:
    """Where it could be, beside where it is."""
    await offered(stage, pilot, EDIT)
    await until(pilot, lambda: "edits" in stage.bar("region"))
    await pilot.press("ctrl+l")
    await until(pilot, lambda: stage.main.query_one(Completion).is_open)


@scene
async def shell(stage: Stage, pilot: Pilot[None]) -> None:
    """A shell command has ended."""
    await offered(stage, pilot, "!seq 3; exit 2")
    await stage.opens(pilot, ShellScreen, "enter")
    await until(pilot, lambda: "ended" in stage.app.screen.query_one("#state", Bar).words)


@scene
async def shell_asked(stage: Stage, pilot: Pilot[None]) -> None:
    """Before a pasted one runs."""
    await stage.ready(pilot)
    stage.prompt.put("!rm -r build")
    await stage.opens(pilot, ConsentScreen, "enter")


# Around it


@scene
async def keys(stage: Stage, pilot: Pilot[None]) -> None:
    """The sheet of keys."""
    await stage.ready(pilot)
    await pilot.press("?")


@scene
async def palette(stage: Stage, pilot: Pilot[None]) -> None:
    """All commands."""
    await stage.ready(pilot)
    await pilot.press("ctrl+p")
    await until(pilot, lambda: bool(stage.app.screen.query(Input)))
    stage.app.screen.query_one(Input).cursor_blink = False


@scene
async def log(stage: Stage, pilot: Pilot[None]) -> None:
    """What was accepted here."""
    await open_log(stage, pilot)


@scene
async def resume(stage: Stage, pilot: Pilot[None]) -> None:
    """An earlier turn with a patch that holds a control character."""
    await open_resume(stage, pilot)
    await pilot.press("j")
    await until(pilot, lambda: "@@" in patch(stage))


@scene
async def doctor(stage: Stage, pilot: Pilot[None]) -> None:
    """What is installed and missing."""
    await open_doctor(stage, pilot)


@scene
async def notice(stage: Stage, pilot: Pilot[None]) -> None:
    """What the user should know and is no error."""
    await stage.review(pilot, EDIT)
    stage.session.notices.append(LOST)
    stage.main.show_notices()
    await pilot.pause()


@scene
async def too_small(stage: Stage, pilot: Pilot[None]) -> None:
    """No room for anything."""
    await stage.ready(pilot)
    await pilot.resize_terminal(30, 8)
    await until(pilot, lambda: isinstance(stage.app.screen, SmallScreen))
