"""The stage on which every scene plays, and the list of the scenes."""

import threading
from collections.abc import Awaitable, Callable
from pathlib import Path

from textual.pilot import Pilot

from spark_tui.config import Settings
from spark_tui.session.turn_store import SessionStore
from spark_tui.tui.app import Outside
from spark_tui.tui.widgets.completion import Completion
from tests.fakes import edit_script
from tests.tui.support import LOAD, SCRIPTS, STORE, WIDEN, WIDER, Stage, until
from tests.tui.test_consent import ODD
from tests.tui.test_next_edit import Measured
from tests.tui.test_overlays import EARLIER, FINDINGS
from tests.tui.test_unsure import Unsure
from tests.tui.test_varying import Varied

Steps = Callable[[Stage, Pilot[None]], Awaitable[None]]
SCENES: dict[str, Steps] = {}
"""By name."""
TABLE = '''\
def table(totals):
    """Print a table of totals."""
''' + "".join(
    f'    {name} = totals.get("{name}", 0)\n    print("{name}", {name})\n'
    for name in (
        "rent",
        "food",
        "books",
        "music",
        "trains",
        "garden",
        "phone",
        "repairs",
        "presents",
    )
)
LOG_IT = "log instead of print in `table`"
TRAVEL = 'def columns():\n    return ["date", "amount"]\n'
ADD_COLUMN = "add a column in `columns`"
ALOUD = "say what is missing"
SPLIT_AT = '        parts = line.split(",")\n'
ONE_WORD = SPLIT_AT.replace(",", ";")
CHANGED = STORE.replace(SPLIT_AT, ONE_WORD).replace("    f.close()\n", "")
"""The file as somebody left it: what a review of the work tree shows."""
ODDLY = "an odd comment in load"
FILES = {"store.py": STORE, "report.py": f"import log\n\n\n{TABLE}", "conftest.py": TRAVEL}
OURS = {
    **SCRIPTS,
    "mind the gap in load": edit_script(LOAD, LOAD.replace("len(parts)", "len(gap)")),
    WIDEN: edit_script(LOAD, WIDER),
    ODDLY: edit_script(LOAD, ODD),
    LOG_IT: edit_script(TABLE, TABLE.replace("print(", "log.info(")),
    ALOUD: edit_script(ONE_WORD, '        parts = split_row(line, ";")\n'),
    ADD_COLUMN: edit_script(TRAVEL, TRAVEL.replace('"amount"', '"amount", "place"')),
}


def stage_for(name: str, folder: Path, theme: str = "spark-dark") -> Stage:
    """A stage on which a scene can play: three files, one earlier turn, a doctor with something
    to tell.
    """
    if name == "asked_why":
        return Varied(folder)
    if name == "unsure":
        return Unsure(folder)
    if name == "next_edit":
        return Measured(folder)
    held, sessions = threading.Event(), SessionStore(folder / "sessions")
    sessions.save(EARLIER)
    stage = Stage(
        folder,
        files=FILES,
        scripts=OURS,
        settings=Settings(theme=theme),
        outside=Outside(lambda: FINDINGS),
        ready=held.wait if name == "loading" else lambda: None,
        sessions=sessions,
    )
    stage.on_close = held.set
    return stage


def scene(steps: Steps) -> Steps:
    """Add a scene under its name."""
    SCENES[steps.__name__] = steps
    return steps


async def offered(stage: Stage, pilot: Pilot[None], text: str) -> None:
    """Something was typed that a list may follow."""
    await stage.ready(pilot)
    await until(pilot, lambda: len(stage.main.completion._names) > 0)  # noqa: SLF001
    await pilot.press(*text)
    await until(pilot, lambda: stage.main.query_one(Completion).is_open or text[-1] not in "@:/ ")
    await until(pilot, lambda: not stage.main.dispatch.reading_ahead)
