"""What is never accepted unseen: files that are no ordinary ones, and text that is not what it
looks like.
"""

from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest
from textual import events
from textual.pilot import Pilot

from spark_tui.providers.openai_client import Server
from spark_tui.providers.openai_provider import Remote
from spark_tui.session.hunk_items import HunkState
from spark_tui.tui.screens.modals import READ_S, ConsentScreen
from spark_tui.tui.widgets.work import GUARD_S
from tests.fakes import edit_script
from tests.providers.scripted_server import ScriptedServer, says, serving
from tests.tui.support import AFTER, BEFORE, LOAD, SPLIT, STORE, TWO_HUNKS, Stage, until
from tests.tui.test_review import decide, states

ODD = TWO_HUNKS.replace("list()", "list()  # \u202e")
LOOKALIKE = TWO_HUNKS.replace("parts", "p\u0430rts")


def stage_of(folder: Path, after: str, name: str = "store.py") -> Stage:
    return Stage(folder, scripts={SPLIT: edit_script(LOAD, after)}, files={name: STORE})


async def asked(stage: Stage, pilot: Pilot[None]) -> None:
    await until(pilot, lambda: isinstance(stage.app.screen, ConsentScreen))


async def answered(stage: Stage, pilot: Pilot[None]) -> None:
    await until(
        pilot, lambda: not isinstance(stage.app.screen, ConsentScreen) and not stage.main.busy
    )


async def test_a_single_accept_in_such_a_file_asks_only_y_writes_and_accept_all_never_includes_it(
    tmp_path: Path,
) -> None:
    stage = stage_of(tmp_path, TWO_HUNKS, "conftest.py")
    file = stage.session.repo.root / "conftest.py"
    async with stage.reviewing() as pilot:
        await stage.says(pilot, "not accepted with the others", "A")
        assert stage.note.endswith("conftest.py decides what runs by itself: tests run it")
        assert states(stage) == [HunkState.OK, HunkState.OK]
        for no in ("n", "enter", "escape", "ctrl+c"):
            await pilot.press("a")
            await asked(stage, pilot)
            stage.later(READ_S)
            await pilot.press(no)
            await answered(stage, pilot)
            assert file.read_text() == STORE
        await pilot.press("y")
        await asked(stage, pilot)
        await pilot.press("y")
        assert isinstance(stage.app.screen, ConsentScreen)
        stage.later(READ_S)
        await decide(stage, pilot, "y", HunkState.ACCEPTED, HunkState.OK)
        assert file.read_text() == STORE.replace("expenses = []", "expenses = list()")


@pytest.mark.parametrize("seconds", [0.0, GUARD_S])
@pytest.mark.parametrize("words", ["add it", "never", "you may", "pasted"])
async def test_words_begun_right_behind_the_accept_that_asks_are_words_and_consent_to_nothing(
    tmp_path: Path, words: str, seconds: float
) -> None:
    stage = stage_of(tmp_path, TWO_HUNKS, "conftest.py")
    async with stage.reviewing() as pilot:
        await pilot.press("a")
        await asked(stage, pilot)
        stage.later(seconds)
        if words == "pasted":
            stage.app.post_message(events.Paste(words))
        else:
            await pilot.press(*["space" if char == " " else char for char in words])
        await answered(stage, pilot)
        await until(pilot, lambda: stage.prompt.text == words)
        assert (
            stage.note
            == "conftest.py decides what runs by itself: tests run it; nothing was written"
        )
        assert states(stage) == [HunkState.OK, HunkState.OK]


async def test_accept_all_leaves_out_what_is_not_what_it_looks_like_until_it_was_looked_at(
    tmp_path: Path,
) -> None:
    stage = stage_of(tmp_path, ODD)
    async with stage.reviewing() as pilot:
        assert states(stage) == [HunkState.ODD, HunkState.OK]
        assert (
            "U+202E RIGHT-TO-LEFT OVERRIDE, changes the direction of text (line 10, column 26)"
            in stage.note
        )
        await decide(stage, pilot, "A", HunkState.ODD, HunkState.ACCEPTED)
        assert stage.note.endswith("u takes it back; look at the others first")
        assert stage.file.read_text() == STORE.replace("    f.close()\n", "")
        await stage.press_later(pilot, "A")
        await until(pilot, lambda: stage.note.startswith("look at it first"))
        await pilot.press("j")
        assert stage.note.startswith("U+202E RIGHT-TO-LEFT OVERRIDE")
        await decide(stage, pilot, "A", HunkState.ACCEPTED, HunkState.ACCEPTED)
        assert stage.file.read_text() == BEFORE + ODD + AFTER


@pytest.mark.parametrize(("after", "shown"), [(ODD, "<U+202E>"), (LOOKALIKE, "p\u0430rts")])
async def test_the_place_is_marked_in_the_diff_and_told_in_the_list(
    tmp_path: Path, after: str, shown: str
) -> None:
    stage = stage_of(tmp_path, after)
    async with stage.reviewing(size=(120, 40)) as pilot:
        item, *_ = [item for item in stage.view.items() if item.state is HunkState.ODD]
        assert item.note
        warned = stage.app.theme_variables["spark-warning"].lower()
        parts = [part for y in range(stage.diff.size.height) for part in stage.diff.render_line(y)]
        styled = [(part.text, part.style.color) for part in parts if part.style]
        assert shown in {text for text, color in styled if color and color.name == warned}
        stage.diff.select(item.index or 0)
        await stage.press_later(pilot, "a")
        await until(
            pilot,
            lambda: states(stage)[item.index or 0] is HunkState.ACCEPTED and not stage.main.busy,
        )


@contextmanager
def on_endpoint(stage: Stage) -> Iterator[ScriptedServer]:
    """An endpoint answers on a stage."""
    with serving(says("Nothing.")) as server, closing(Server(server.endpoint())) as asked:
        stage.session.host.remote = Remote(asked)
        yield server


@pytest.mark.parametrize("words", ["shorter @prod.env", "/ask what is it? @prod.env"])
async def test_what_may_hold_secrets_is_sent_once_the_user_says_so(
    words: str, tmp_path: Path
) -> None:
    stage = Stage(tmp_path, files={"store.py": STORE, "prod.env": "PASSWORD=hunter2\n"})
    with on_endpoint(stage) as server:
        async with stage.started() as pilot:
            stage.gate.open()
            for answer in ("n", "y"):
                await stage.ask(pilot, words)
                await asked(stage, pilot)
                assert server.bodies == []
                stage.later(READ_S)
                await pilot.press(answer)
                await until(pilot, lambda: not isinstance(stage.app.screen, ConsentScreen))
            await until(pilot, lambda: bool(server.bodies))
        assert b"hunter2" in server.bodies[0]
