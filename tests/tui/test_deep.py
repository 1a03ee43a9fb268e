"""Two models on the screen: the deep one's answer takes the place of one that is not sure, a
key away from it.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from spark_tui.providers.registry import Models
from spark_tui.session.turn_state import IN_TURN, TurnPhase
from spark_tui.tui.app import SparkApp
from spark_tui.tui.screens.modals import AskScreen
from spark_tui.vcs.repository import Repository
from tests.fakes import SURE, UNSURE, ScriptedSession, make_repo, scripted
from tests.providers.scripted_server import (
    ScriptedServer,
    Turn,
    chunk,
    is_silent,
    refuses,
    says,
    sends,
    serving,
)
from tests.tui.support import Stage, until

AREA = "def area(w, h):\n    return w + h\n"
WORDS = "this should multiply in area"
DEEP = "```python\ndef area(w, h):\n    return w * h\n```\n"


@contextmanager
def stage_with(
    folder: Path, *replies: Turn, sure: float = UNSURE, fallback: ScriptedServer | None = None
) -> Iterator[tuple[Stage, ScriptedServer]]:
    """A stage on which a server is the deep model.

    Args:
        folder: Where all lies.
        replies: Of the deep model, one after the other.
        sure: From where on the first model is.
        fallback: The server that is asked where the deep model fails.
    """
    with serving(*replies) as server:
        stage = Stage(folder / "unused")
        script = ["-    return w + h", "+    return w - h"]
        loaded = scripted(folder / "model", {WORDS: script}, stage.gate, sure=sure)
        repo = Repository.discover(make_repo(folder / "repo", {"a.py": AREA}))
        endpoints = {"big": server.endpoint(fallback="other" if fallback else "", probe=False)}
        if fallback is not None:
            endpoints["other"] = replace(fallback.endpoint(), name="other")
        models = Models(endpoints=endpoints)
        stage.session = ScriptedSession(repo, loaded, folder / "state", models=models, deep="big")
        stage.file, stage.words = repo.root / "a.py", WORDS
        stage.app = SparkApp(lambda: stage.session, clock=lambda: stage.now)
        yield stage, server


async def test_the_footer_names_both_and_nothing_is_sent_where_the_first_is_sure(
    tmp_path: Path,
) -> None:
    with stage_with(tmp_path, says(DEEP), sure=SURE) as (stage, server):
        async with stage.reviewing(size=(120, 30)):
            assert " + big" in stage.bar("meters")
            assert "written by" not in stage.bar("meters")
            assert "w - h" in stage.proposed
        assert (server.requests, server.connections) == ([], 0)


async def test_the_deep_answer_is_reviewed_and_the_quick_one_is_a_tab_away(tmp_path: Path) -> None:
    with stage_with(tmp_path, says(DEEP)) as (stage, server):
        async with stage.reviewing(size=(120, 30)) as pilot:
            await until(pilot, lambda: "w * h" in stage.proposed and stage.diff.has_focus)
            assert "written by big" in stage.bar("meters")
            await until(pilot, lambda: "Tab  other answers" in stage.bar("hints"))
            await pilot.press("tab")
            await until(pilot, lambda: "w - h" in stage.proposed)
            assert "written by" not in stage.bar("meters")
            await pilot.press("shift+tab")
            await until(pilot, lambda: "w * h" in stage.proposed)
            await stage.decides(pilot, "a")
        assert stage.file.read_text() == AREA.replace("+", "*")
        assert len(server.requests) == 1


async def test_the_quick_answer_can_be_accepted_after_all(tmp_path: Path) -> None:
    with stage_with(tmp_path, says(DEEP)) as (stage, _):
        async with stage.reviewing() as pilot:
            await until(pilot, lambda: "w * h" in stage.proposed and stage.diff.has_focus)
            await pilot.press("tab")
            await until(pilot, lambda: "w - h" in stage.proposed)
            await stage.decides(pilot, "a")
        assert stage.file.read_text() == AREA.replace("+", "-")


async def test_where_the_deep_model_fails_the_quick_answer_is_back_and_it_is_said_why(
    tmp_path: Path,
) -> None:
    with stage_with(tmp_path, refuses(401)) as (stage, _):
        async with stage.started() as pilot:
            stage.gate.open()
            await stage.ask(pilot, WORDS)
            await stage.says(pilot, "401")
            await until(
                pilot, lambda: stage.view.phase is TurnPhase.REVIEW and "w - h" in stage.proposed
            )


async def test_esc_twice_hangs_up_on_the_deep_model_and_leaves_the_quick_answer(
    tmp_path: Path,
) -> None:
    with stage_with(tmp_path, is_silent(begun=True)) as (stage, server):
        async with stage.started() as pilot:
            stage.gate.open()
            await stage.ask(pilot, WORDS)
            await until(
                pilot, lambda: len(server.requests) == 1 and stage.asked_turn.writer == "big"
            )
            await pilot.press("escape")
            await until(pilot, lambda: stage.view.phase is TurnPhase.PAUSED)
            await pilot.press("escape")
            await until(
                pilot, lambda: stage.view.phase is TurnPhase.REVIEW and "w - h" in stage.proposed
            )
        assert server.left.acquire(timeout=20)


async def test_esc_twice_in_the_quick_answer_sends_nothing(tmp_path: Path) -> None:
    with stage_with(tmp_path, says(DEEP)) as (stage, server):
        async with stage.started() as pilot:
            await stage.ask(pilot, WORDS)
            await until(pilot, lambda: stage.view.phase in IN_TURN)
            await pilot.press("escape", "escape")
            stage.gate.open()
            await until(pilot, lambda: stage.view.phase is TurnPhase.READY)
        assert server.requests == []


async def test_words_of_the_deep_model_are_read_and_the_quick_edit_is_a_tab_away(
    tmp_path: Path,
) -> None:
    said = "It adds the width and the height.\n\n" + "So it is no area at all. " * 9
    with stage_with(tmp_path, says(said), says(DEEP)) as (stage, server):
        async with stage.started(size=(120, 30)) as pilot:
            stage.gate.open()
            await stage.ask(pilot, WORDS)
            await until(pilot, lambda: "It adds the width" in stage.painted)
            await until(pilot, lambda: stage.view.phase is TurnPhase.READY)
            assert "written by big" in stage.bar("meters")
            await pilot.press("tab")
            await until(pilot, lambda: "w - h" in stage.proposed and stage.diff.has_focus)
            stage.later()
            await pilot.press("shift+tab")
            await until(pilot, lambda: "It adds the width" in stage.painted)
            assert (stage.prompt.has_focus, stage.diff.display) == (True, False)
            await stage.ask(pilot, "then do that")
            await until(pilot, lambda: "w * h" in stage.proposed)
        assert len(server.requests) == 2


async def test_an_answer_that_breaks_off_is_started_anew_by_the_fallback(tmp_path: Path) -> None:
    half = sends(chunk(DEEP.replace("w * h", "w % h")[:60]), cut=True)
    with serving(says(DEEP)) as other, stage_with(tmp_path, half, fallback=other) as (stage, _):
        async with stage.reviewing(size=(120, 30)) as pilot:
            await until(pilot, lambda: "w * h" in stage.proposed and stage.diff.has_focus)
            assert "written by other" in stage.bar("meters")
            await pilot.press("tab")
            await until(pilot, lambda: "w - h" in stage.proposed)
            await pilot.press("shift+tab")
            await until(pilot, lambda: "w * h" in stage.proposed)
        assert other.requests[0]["messages"][-1]["content"].endswith(WORDS)
        assert stage.file.read_text() == AREA


async def test_a_hunk_is_written_anew_by_the_fallback_where_the_endpoint_fails(
    tmp_path: Path,
) -> None:
    again = says(DEEP.replace("w * h", "w ** h"))
    replies = says(DEEP), refuses(500)
    with serving(again) as other, stage_with(tmp_path, *replies, fallback=other) as (stage, server):
        async with stage.reviewing(size=(120, 30)) as pilot:
            await until(pilot, lambda: "w * h" in stage.proposed and stage.diff.has_focus)
            await stage.opens(pilot, AskScreen, "g")
            await pilot.press(*"power", "enter")
            await until(pilot, lambda: "w ** h" in stage.proposed)
            assert len(server.requests) == 2
            assert "w * h" not in stage.proposed
            await pilot.press("u")
            await until(pilot, lambda: "w * h" in stage.proposed)


async def test_without_a_fallback_an_answer_that_breaks_off_is_held(tmp_path: Path) -> None:
    half = sends(chunk(DEEP[:60]), cut=True)
    with stage_with(tmp_path, half, says(DEEP)) as (stage, _):
        async with stage.started() as pilot:
            stage.gate.open()
            await stage.ask(pilot, WORDS)
            await until(pilot, lambda: stage.view.phase is TurnPhase.PAUSED)
            await stage.says(pilot, "Enter goes on from there")


async def test_a_question_goes_to_the_deep_model_which_is_named(tmp_path: Path) -> None:
    with stage_with(tmp_path, says("It adds.\n")) as (stage, server):
        async with stage.asked("/ask why? @a.py", size=(100, 30)) as pilot:
            await until(pilot, lambda: "answered by big" in " ".join(stage.painted.split()))
            await until(pilot, lambda: "It adds." in stage.painted)
            await stage.closes(pilot, "escape")
        assert "def area(w, h):" in server.requests[0]["messages"][-1]["content"]


async def test_a_question_that_breaks_off_is_answered_anew_by_the_fallback(tmp_path: Path) -> None:
    half = sends(chunk("Half an"), cut=True)
    with (
        serving(says("It adds.\n")) as other,
        stage_with(tmp_path, half, fallback=other) as (stage, _),
    ):
        async with stage.asked("/ask why?", size=(100, 30)) as pilot:
            await until(pilot, lambda: "answered by other" in " ".join(stage.painted.split()))
            words = "the answer of big was cut off: other starts it anew"
            await until(pilot, lambda: words in stage.painted and "It adds." in stage.painted)


async def test_where_the_quick_model_has_no_edit_no_key_leads_to_it(tmp_path: Path) -> None:
    with stage_with(tmp_path, says(DEEP), says("It adds.")) as (stage, _):
        async with stage.started(size=(120, 30)) as pilot:
            stage.gate.open()
            await stage.ask(pilot, "multiply @a.py::area")
            await until(pilot, lambda: "w * h" in stage.proposed and stage.diff.has_focus)
            assert "other answers" not in stage.bar("hints")
            stage.later()
            await pilot.press("tab")
            await stage.says(pilot, "big wrote no other answer")


async def test_a_redirect_of_the_deep_answer_goes_to_the_deep_model(tmp_path: Path) -> None:
    shorter = DEEP.replace("w * h", "h * w")
    with stage_with(tmp_path, says(DEEP), says(shorter)) as (stage, server):
        async with stage.reviewing() as pilot:
            await until(pilot, lambda: "w * h" in stage.proposed and stage.diff.has_focus)
            stage.prompt.focus()
            await stage.ask(pilot, "the other way round")
            await until(pilot, lambda: "h * w" in stage.proposed)
        assert len(server.requests) == 2
