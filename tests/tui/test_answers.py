"""Questions on the screen: the answer comes as it is said, can be stopped, and edits nothing."""

import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager

import pytest
from textual.widgets import Markdown

from spark_tui.providers.openai_client import Server
from spark_tui.providers.openai_provider import Remote
from spark_tui.session.turn_state import TurnPhase
from spark_tui.tui.screens.answer import AnswerScreen
from spark_tui.tui.widgets.answer_text import AnswerText
from spark_tui.tui.widgets.status_bars import Bar
from tests.providers.scripted_server import (
    Handler,
    ScriptedServer,
    Turn,
    chunk,
    drips,
    refuses,
    says,
    serving,
)
from tests.tui.support import STORE, Stage, until


@contextmanager
def answering(stage: Stage, *replies: Turn) -> Iterator[ScriptedServer]:
    """A chat model answers these one after the other."""
    with serving(*replies) as server, closing(Server(server.endpoint())) as asked:
        stage.session.host.remote = Remote(asked)
        yield server


def shown(stage: Stage) -> str:
    return str(stage.app.screen.query_one(Markdown).source)


def state(stage: Stage) -> str:
    return stage.app.screen.query_one("#state", Bar).words


async def test_an_answer_is_shown_as_it_comes_and_esc_closes_it(stage: Stage) -> None:
    with answering(stage, says("# It", " loads\n\n- `a`\x1b[31m\n")) as server:
        async with stage.asked("/ask what does it do? @store.py::save") as pilot:
            await until(
                pilot,
                lambda: isinstance(stage.app.screen, AnswerScreen) and "answered" in state(stage),
            )
            await until(pilot, lambda: shown(stage) == "# It loads\n\n- `a`␛[31m\n")
            await stage.closes(pilot, "escape")
        assert "def save(path, expenses):" in server.requests[0]["messages"][-1]["content"]
        assert "import csv" not in server.requests[0]["messages"][-1]["content"]
    assert stage.file.read_text() == STORE


async def test_esc_stops_an_answer_that_is_being_said_and_keeps_what_came(stage: Stage) -> None:
    held = threading.Event()

    def goes_on(handler: Handler) -> None:
        handler.begin()
        handler.send(chunk("So far"))
        held.wait(20)
        handler.drop()

    with answering(stage, goes_on, says("More.")) as server:
        async with stage.asked("/ask why?") as pilot:
            await until(
                pilot,
                lambda: isinstance(stage.app.screen, AnswerScreen) and shown(stage) == "So far",
            )
            await pilot.press("escape")
            await until(pilot, lambda: "stopped" in state(stage))
            held.set()
            await pilot.press("escape")
            await stage.ask(pilot, "/ask and then?")
            await until(
                pilot,
                lambda: isinstance(stage.app.screen, AnswerScreen) and shown(stage) == "More.",
            )
        first, second = (each["messages"] for each in server.requests)
        assert second[:-1] == [*first, {"role": "assistant", "content": "So far"}]
        assert second[-1]["content"].endswith("\n\nand then?")


async def test_what_goes_wrong_is_said_in_the_panel(stage: Stage) -> None:
    with answering(stage, refuses(404)):
        async with stage.asked("/ask why?") as pilot:
            await until(
                pilot,
                lambda: isinstance(stage.app.screen, AnswerScreen) and "broke off" in state(stage),
            )
            await until(pilot, lambda: "404" in stage.painted)


async def test_a_model_that_only_edits_says_so(stage: Stage) -> None:
    async with stage.asked("/ask why?") as pilot:
        await until(
            pilot,
            lambda: isinstance(stage.app.screen, AnswerScreen) and "only edits; " in stage.painted,
        )
        await stage.closes(pilot, "q")
        await stage.ask(pilot, "/ask")
        await stage.says(pilot, "/ask QUESTION")


async def test_nothing_that_is_said_hides_or_steers(stage: Stage) -> None:
    said = (
        "a&#x202e;b \u202ec \x1b]0;title\x07 [d](file:///etc/passwd) `&#27;` <b>e</b> "
        "[red]f[/red]\n"
    )
    with answering(stage, says(said)):
        async with stage.asked("/ask why?", size=(120, 30)) as pilot:
            await until(
                pilot,
                lambda: isinstance(stage.app.screen, AnswerScreen) and "answered" in state(stage),
            )
            await until(pilot, lambda: "[red]f[/red]" in stage.painted)
            line = next(line for line in stage.painted.split("\n") if "[red]" in line)
            assert "a&#x202e;b <U+202E>c ␛]0;title␇ [d]" in line
            assert "&#27;" in line


async def test_code_of_an_answer_is_reviewed_as_hunks_where_it_belongs(stage: Stage) -> None:
    code = "```python\ndef load(path):\n    return []\n```\n"
    with answering(stage, says(f"Like this:\n\n{code}")):
        async with stage.asked("/ask how would it return nothing? @store.py::load") as pilot:
            await until(
                pilot,
                lambda: (
                    isinstance(stage.app.screen, AnswerScreen) and "review the code" in state(stage)
                ),
            )
            await stage.closes(pilot, "1")
            await until(pilot, lambda: stage.main.view.phase is TurnPhase.REVIEW)
            assert stage.file.read_text() == STORE
            (hunk,) = stage.main.view.hunks
            assert (hunk.old_lines[0].strip(), hunk.new_lines) == (
                "expenses = []",
                ("    return []",),
            )


LONG = "It **saves**: each row of the expenses becomes a line of the file.\n\n" + 60 * "And so on. "


def said(stage: Stage) -> str:
    """The words that stand where the diff would be; "" where the diff does."""
    front = stage.main.bench.front
    return front.text if isinstance(front, AnswerText) else ""


@pytest.mark.parametrize("answer", ["It saves.", LONG])
async def test_words_are_read_where_the_diff_would_be_and_typing_goes_on(
    stage: Stage,
    answer: str,
) -> None:
    with answering(stage, says(answer)):
        async with stage.asked("what does it do? @store.py::save") as pilot:
            await until(pilot, lambda: stage.view.phase is TurnPhase.READY)
            await until(pilot, lambda: said(stage) == answer.strip())
            await until(pilot, lambda: "It saves" in stage.painted)
            assert (stage.diff.display, stage.prompt.text) == (False, "")
            assert "it answers" not in stage.painted
            await pilot.press("a", "n")
            await until(pilot, lambda: stage.prompt.text == "an")
            assert stage.app.screen is stage.main
    assert stage.file.read_text() == STORE


async def test_words_grow_while_they_come_and_esc_stops_them_and_keeps_them(stage: Stage) -> None:
    go = threading.Semaphore(0)
    pieces = [LONG[:90], LONG[90:400], LONG[400:]]
    with answering(stage, drips(pieces, go)):
        async with stage.asked("what does it do? @store.py::save") as pilot:
            go.release()
            await until(pilot, lambda: stage.view.phase is TurnPhase.WRITING)
            assert said(stage) == ""
            go.release()
            await until(pilot, lambda: said(stage) == LONG[:400].strip())
            await until(pilot, lambda: "It saves" in stage.painted)
            await pilot.press("escape")
            await until(
                pilot, lambda: stage.view.phase is TurnPhase.PAUSED and stage.controller.settled
            )
            await pilot.press("escape")
            await until(pilot, lambda: stage.view.phase is TurnPhase.READY)
            assert said(stage) == LONG[:400].strip()


async def test_a_long_preface_gives_way_to_the_diff(stage: Stage) -> None:
    go = threading.Semaphore(0)
    code = "def load(path):\n    return []\n"
    with answering(stage, drips([LONG, f"\n\n```python\n{code}", "```\n"], go)):
        async with stage.asked("return nothing @store.py::load") as pilot:
            go.release()
            await until(pilot, lambda: said(stage) == LONG.strip())
            go.release()
            await until(pilot, lambda: said(stage) == "" and stage.diff.display)
            go.release()
            go.release()
            await until(
                pilot, lambda: stage.view.phase is TurnPhase.REVIEW and stage.diff.has_focus
            )
            assert "    return []\n" in stage.proposed


async def test_the_next_request_goes_on_from_the_words(stage: Stage) -> None:
    code = "```python\ndef load(path):\n    return []\n```\n"
    with answering(stage, says("It could return nothing."), says(code)) as server:
        async with stage.asked("what could be shorter? @store.py::load") as pilot:
            await until(pilot, lambda: said(stage) == "It could return nothing.")
            await stage.ask(pilot, "do that")
            await until(pilot, lambda: stage.view.phase is TurnPhase.REVIEW)
            assert (said(stage), stage.diff.display) == ("", True)
        _, asked, answer, again = (each["content"] for each in server.requests[1]["messages"])
        assert asked.endswith("Request: what could be shorter?")
        assert answer == "It could return nothing."
        assert again.endswith("Request: do that")


async def test_code_in_words_is_reviewed_as_hunks_and_other_letters_go_on(stage: Stage) -> None:
    answer = "Like this:\n\n```python\ndef load(path):\n    return []\n```\n"
    with serving(says(answer)) as server:
        endpoint = server.endpoint(format="search_replace")
        with closing(Server(endpoint)) as asked:
            stage.session.host.remote = Remote(asked)
            words = "how would it be empty? @store.py::load"
            async with stage.asked(words, size=(100, 30)) as pilot:
                await until(pilot, lambda: said(stage) == answer.strip())
                await pilot.press("tab")
                await until(pilot, lambda: "review the code as hunks" in stage.painted)
                await pilot.press("s")
                await until(pilot, lambda: stage.prompt.text == "s" and stage.prompt.has_focus)
                await pilot.press("backspace", "tab")
                await until(pilot, lambda: stage.main.bench.is_read)
                await pilot.press("1")
                await until(pilot, lambda: stage.view.phase is TurnPhase.REVIEW)
                (hunk,) = stage.view.hunks
                assert hunk.new_lines == ("    return []",)
