"""What the session wants the user to know: shown over the main screen, never over what is
opened on top of it.
"""

from textual.pilot import Pilot
from textual.widgets._toast import Toast

from spark_tui.tui.screens.help import HelpScreen
from tests.tui.support import Stage, until

SHORT = (80, 24)
KEPT = "somebody's lines were kept as a.py"


async def tell(stage: Stage, pilot: Pilot[None], words: str) -> None:
    await stage.ready(pilot)
    stage.session.notices.append(words)
    stage.main.show_notices()


def is_on_the_screen(stage: Stage, words: str) -> bool:
    rows = stage.painted.split("\n")
    return any(words in row for row in rows)


async def test_a_notice_lies_over_nothing_that_is_opened_and_is_there_again_afterwards(
    stage: Stage,
) -> None:
    async with stage.app.run_test(size=SHORT, notifications=True) as pilot:
        await tell(stage, pilot, KEPT)
        await stage.opens(pilot, HelpScreen, "?")
        assert not is_on_the_screen(stage, KEPT)
        await stage.closes(pilot, "escape")
        await until(pilot, lambda: is_on_the_screen(stage, KEPT))
        assert len(stage.main.query(Toast)) == 1


async def test_on_the_smallest_screen_a_notice_of_many_words_leaves_the_prompt_in_sight(
    stage: Stage,
) -> None:
    async with stage.app.run_test(size=(40, 10), notifications=True) as pilot:
        await tell(
            stage,
            pilot,
            "an earlier spark was killed while it wrote store.py; what it had begun was taken back",
        )
        await until(pilot, lambda: is_on_the_screen(stage, "taken back"))
        assert is_on_the_screen(stage, "say what to change")


async def test_what_comes_under_a_sheet_is_told_once_that_is_closed(stage: Stage) -> None:
    async with stage.app.run_test(size=SHORT, notifications=True) as pilot:
        await stage.ready(pilot)
        await stage.opens(pilot, HelpScreen, "?")
        await tell(stage, pilot, KEPT)
        await pilot.pause()
        assert not is_on_the_screen(stage, KEPT)
        await stage.closes(pilot, "escape")
        await until(pilot, lambda: is_on_the_screen(stage, KEPT))
