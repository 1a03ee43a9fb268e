"""The key `c`: what was accepted goes into git, with a message that is offered."""

from threading import Event

import pytest
from textual import events
from textual.keys import _character_to_key
from textual.pilot import Pilot
from textual.widgets import Static

from spark_tui.session.hunk_items import HunkState
from spark_tui.session.turn_state import TurnPhase
from spark_tui.tui.screens.commit import CommitScreen
from spark_tui.tui.widgets.prompt import Prompt
from spark_tui.tui.widgets.status_bars import Bar
from tests.fakes import git
from tests.tui.support import AFTER, BEFORE, HUSH, QUIET, RENAME, SPLIT, Stage, until
from tests.tui.test_themes import LEAST, colors_of, contrast
from tests.vcs.repos import hook, name_somebody, unmerge

COMMIT = "Do not print in load in store.py"


@pytest.fixture(autouse=True)
def _somebody(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(stage.session.repo.root.parent))
    name_somebody(stage.session.repo.root)


async def accept(stage: Stage, pilot: Pilot[None], instruction: str = HUSH) -> None:
    """A turn, and its first hunk accepted."""
    await stage.review(pilot, instruction)
    await pilot.press("home", "right_square_bracket", "a")
    await until(
        pilot,
        lambda: HunkState.ACCEPTED in [i.state for i in stage.view.items()] and not stage.main.busy,
    )


async def ask(stage: Stage, pilot: Pilot[None]) -> CommitScreen:
    await accept(stage, pilot)
    return await sheet(stage, pilot)


async def sheet(stage: Stage, pilot: Pilot[None]) -> CommitScreen:
    await stage.opens(pilot, CommitScreen, "c")
    screen = stage.app.screen
    assert isinstance(screen, CommitScreen)
    await until(pilot, lambda: any(prompt.has_focus for prompt in screen.query(Prompt)))
    return screen


def burst(stage: Stage, *keys: str) -> None:
    """Keys that all lie in the queue before the first of them is looked at."""
    for key in keys:
        letter = len(key) == 1
        stage.app.post_message(
            events.Key(_character_to_key(key) if letter else key, key if letter else None)
        )


def log(stage: Stage) -> list[str]:
    return git(stage.session.repo.root, "log", "--format=%s").decode().splitlines()


@pytest.mark.usefixtures("every_frame")
async def test_that_the_message_offered_is_selected_is_plain_to_see_in_every_theme(
    stage: Stage,
) -> None:
    async with stage.app.run_test() as pilot:
        screen = await ask(stage, pilot)
        for theme in (*LEAST, "ansi"):
            stage.app.theme = theme
            await pilot.pause()
            words, *_ = [
                each for each in screen.query_one(Prompt).render_line(0) if each.text.strip()
            ]
            assert words.text == COMMIT
            assert words.style is not None
            assert words.style.reverse or theme != "ansi"
            if theme in LEAST:
                assert words.style.color is not None
                assert words.style.bgcolor is not None
                ink, ground = words.style.color.name, words.style.bgcolor.name
                assert contrast(ink, ground) >= LEAST[theme]
                assert contrast(ground, colors_of(theme)["background"]) >= LEAST[theme]


async def test_enter_commits_what_was_accepted_with_the_message_offered(stage: Stage) -> None:
    async with stage.app.run_test() as pilot:
        screen = await ask(stage, pilot)
        assert screen.query_one(Prompt).text == COMMIT
        await stage.says(pilot, "committed", "enter")
        head = git(stage.session.repo.root, "rev-parse", "HEAD").decode()[:8]
        assert stage.note == f"committed {head} on main"
        assert log(stage) == [COMMIT, "start"]
        assert (
            git(stage.session.repo.root, "show", "HEAD:store.py").decode() == BEFORE + QUIET + AFTER
        )
        assert git(stage.session.repo.root, "status", "--porcelain") == b""
        assert "commit" not in stage.bar("hints")
        await stage.says(pilot, "nothing to commit", "c")


async def test_a_commit_is_offered_only_while_something_that_is_in_force_is_not_committed(
    stage: Stage,
) -> None:
    async with stage.after(accept) as pilot:
        assert "commit" in stage.bar("hints")
        await stage.turn(pilot, "u")
        await until(pilot, lambda: bool(stage.view.hunks))
        await stage.decides(pilot, "r")
        assert "commit" not in stage.bar("hints")
        await stage.press(pilot, "u")
        await until(pilot, lambda: bool(stage.view.hunks))
        await stage.decides(pilot, "a")
        assert "commit" in stage.bar("hints")


async def test_the_message_can_be_written_anew_over_several_lines(stage: Stage) -> None:
    async with stage.app.run_test() as pilot:
        screen = await ask(stage, pilot)
        await pilot.press("backspace")
        prompt = screen.query_one(Prompt)
        await until(pilot, lambda: "say what this commit does" in prompt.render_line(0).text)
        await pilot.press("enter")
        assert stage.app.screen is screen
        await stage.says(pilot, "committed", *"Hush", "ctrl+j", "ctrl+j", *"why", "enter")
        assert git(stage.session.repo.root, "log", "-1", "--format=%B") == b"Hush\n\nwhy\n\n"


async def test_the_message_offered_gives_way_to_what_is_typed_and_stays_for_a_key_that_moves(
    stage: Stage,
) -> None:
    async with stage.app.run_test() as pilot:
        screen = await ask(stage, pilot)
        await pilot.press("ctrl+j", "x")
        assert screen.query_one(Prompt).text == f"{COMMIT}\nx"
        await pilot.press("escape")
        screen = await sheet(stage, pilot)
        await pilot.press(*"Hush", "ctrl+s")
        await until(pilot, lambda: stage.note == "staged store.py")
        screen = await sheet(stage, pilot)
        await pilot.press("!")
        assert screen.query_one(Prompt).text == "Hush!", (
            "the user's own words are not offered but kept"
        )


async def test_words_typed_in_one_go_with_a_key_are_in_the_message_and_kept_by_ctrl_s(
    stage: Stage,
) -> None:
    async with stage.after(ask) as pilot:
        burst(stage, "end", *", once", "ctrl+s")
        await until(pilot, lambda: stage.note == "staged store.py")
        assert git(stage.session.repo.root, "status", "--porcelain") == b"M  store.py\n"
        assert log(stage) == ["start"]
        await sheet(stage, pilot)
        burst(stage, "end", "!", "enter")
        await until(pilot, lambda: log(stage) == [f"{COMMIT}, once!", "start"])


async def test_esc_and_what_is_written_get_through_while_the_sheet_is_prepared(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with stage.after(accept, HUSH) as pilot:
        ready, offer = Event(), stage.controller.offer
        monkeypatch.setattr(stage.main.controller, "offer", lambda: (ready.wait(20), offer())[1])
        stage.prompt.focus()
        stage.prompt.set_text(SPLIT)
        stage.gate.shut()
        await pilot.press("enter")
        await stage.step_until(pilot, lambda: bool(stage.view.hunks))
        stage.diff.focus()
        await stage.press_later(pilot, "c", "escape")
        assert stage.view.phase is TurnPhase.PAUSED
        stage.prompt.focus()
        await pilot.press(*"next")
        assert stage.prompt.text == "next"
        ready.set()
        stage.gate.open()


async def test_what_git_refuses_is_one_line_and_can_be_tried_again_with_the_same_words(
    stage: Stage,
) -> None:
    async with stage.after(ask) as pilot:
        (stage.session.repo.root / ".git" / "MERGE_HEAD").touch()
        await stage.says(pilot, "a merge is going on", "end", "!", "enter")
        (stage.session.repo.root / ".git" / "MERGE_HEAD").unlink()
        await sheet(stage, pilot)
        await pilot.press("enter")
        await until(pilot, lambda: log(stage) == [f"{COMMIT}!", "start"])


async def test_what_stands_in_the_way_is_told_before_a_message_is_written_and_staging_is_left(
    stage: Stage,
) -> None:
    (stage.session.repo.root / ".git" / "MERGE_HEAD").touch()
    async with stage.after(accept) as pilot:
        await stage.press(pilot, "c")
        await until(pilot, lambda: bool(stage.app.screen.query("#hindrance")))
        assert not stage.app.screen.query(Prompt)
        await pilot.press("enter")
        assert isinstance(stage.app.screen, CommitScreen)
        await pilot.press("ctrl+s")
        await until(pilot, lambda: stage.note == "staged store.py")
        assert stage.controller.branch == "merging on main"
        unmerge(stage.session.repo.root, "store.py")
        await stage.press(pilot, "c")
        await until(pilot, lambda: bool(stage.app.screen.query("#hindrance")))
        assert "stage" not in stage.app.screen.query_one("#keys", Bar).words
        await pilot.press("ctrl+s")
        assert isinstance(stage.app.screen, CommitScreen)


async def test_esc_and_ctrl_c_do_neither_and_no_keys_of_the_screen_below_are_told(
    stage: Stage,
) -> None:
    async with stage.after(accept) as pilot:
        for key in ("escape", "ctrl+c"):
            await sheet(stage, pilot)
            assert stage.bar("hints") == ""
            await pilot.press(key)
            await until(
                pilot, lambda: stage.app.screen is stage.main and "commit" in stage.bar("hints")
            )
        assert git(stage.session.repo.root, "status", "--porcelain") == b" M store.py\n"


@pytest.mark.parametrize("rest", ["undecided", "rejected"])
async def test_half_of_a_renaming_is_committed_only_after_it_was_said_what_that_breaks(
    stage: Stage, rest: str
) -> None:
    async with stage.after(accept, RENAME) as pilot:
        if rest == "rejected":
            await stage.press_later(pilot, "R")
            await until(pilot, lambda: stage.view.phase is TurnPhase.READY and not stage.main.busy)
        screen = await sheet(stage, pilot)
        told = str(screen.query_one("#warning", Static).render())
        assert told.startswith("this commit breaks store.py (names: undefined: expenses (line 15)")
        assert ("2 undecided hunks are not in it" in told) is (rest == "undecided")
        assert "commit anyway" in screen.query_one("#keys", Bar).words
        await stage.says(pilot, "committed", "enter")
        assert b"rows = []" in git(stage.session.repo.root, "show", "HEAD:store.py")


async def test_a_commit_that_breaks_nothing_is_offered_without_a_warning(stage: Stage) -> None:
    """What the user has not committed does not count, be it right or wrong."""
    async with stage.after(accept) as pilot:
        stage.file.write_text(stage.file.read_text() + "\n\nunknown(\n")
        screen = await sheet(stage, pilot)
        assert not screen.query("#warning")
        assert "anyway" not in screen.query_one("#keys", Bar).words


async def test_without_trust_nothing_is_asked(stage: Stage) -> None:
    hook(stage.session.repo.root)
    async with stage.after(accept) as pilot:
        await stage.says(pilot, "spark trust", "c")
        assert stage.app.screen is stage.main
