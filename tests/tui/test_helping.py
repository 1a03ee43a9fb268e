"""The list above the prompt: files, functions, commands, the history, places."""

from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from math import inf
from pathlib import Path

import pytest
from textual.pilot import Pilot

from spark_tui.session.turn_state import TurnPhase
from spark_tui.tui.widgets.completion import Completion
from tests.tui.support import EDIT, HUSH, STORE, Stage, until

FILES = {
    "store.py": STORE,
    "report.py": "TITLE = 'Expenses'\n",
    "a b.py": "def odd():\n    return 1\n",
    "src/user_model.py": "class User:\n    def name(self):\n        return 1\n",
    "src/odd\x1b[2J.py": "x = 1\n",
    "README.md": "# Expenses\n",
}


@pytest.fixture
def stage(tmp_path: Path) -> Iterator[Stage]:
    stage = Stage(tmp_path, files=FILES)
    yield stage
    stage.close()


def offered(stage: Stage) -> list[str]:
    return [item.text for item in stage.main.query_one(Completion).items]


def chosen(stage: Stage) -> str:
    item = stage.main.query_one(Completion).item
    return item.text if item else ""


@asynccontextmanager
async def ready(stage: Stage, size: tuple[int, int] = (80, 24)) -> AsyncIterator[Pilot[None]]:
    """The screen once it knows all names."""
    async with stage.started(size) as pilot:
        await until(pilot, lambda: len(stage.main.completion._names) == len(FILES))
        yield pilot


async def test_functions_of_any_file_are_offered_below_the_files_that_fit(stage: Stage) -> None:
    async with ready(stage) as pilot:
        await until(pilot, lambda: not stage.main.completion._learning)
        await pilot.press(*"@user")
        await until(pilot, lambda: len(offered(stage)) > 1)
        files_then_functions = [
            "src/user_model.py",
            "src/user_model.py::User",
            "src/user_model.py::User.name",
        ]
        assert offered(stage) == files_then_functions
        await pilot.press("ctrl+c", *"@load")
        await until(pilot, lambda: offered(stage) == ["store.py::load"])
        await pilot.press("tab")
        assert stage.prompt.text == "@store.py::load"
        stage.file.write_text(STORE.replace("def load", "def fetch"))
        helping_now = stage.main.completion
        helping_now._learned_at = -inf
        await pilot.press("ctrl+c", "@")
        await until(pilot, lambda: not helping_now._learning and helping_now._learned_at > 0)
        await pilot.press(*"fetch")
        await until(pilot, lambda: offered(stage) == ["store.py::fetch"])


async def test_a_function_that_is_called_just_so_comes_before_files(tmp_path: Path) -> None:
    stage = Stage(tmp_path, files={"store.py": STORE, "load.md": ""})
    async with stage.started() as pilot:
        await until(
            pilot,
            lambda: stage.main.completion._known.all != [] and not stage.main.completion._learning,
        )
        await pilot.press(*"@load")
        await until(pilot, lambda: offered(stage) == ["store.py::load", "load.md"])


async def test_a_function_that_is_not_there_is_told(stage: Stage) -> None:
    told = {
        "@store.py::xyz": "no function or class xyz in store.py",
        "@gone.py::xyz": "no file gone.py",
        "@xyz": "no file or function xyz here",
    }
    async with ready(stage) as pilot:
        for place, words in told.items():
            stage.prompt.put(f"fix {place}")
            await until(pilot, lambda words=words: stage.note == words)  # type: ignore[misc]
            await pilot.press(*["backspace"] * 4)
            await until(pilot, lambda: stage.note == "")
            await pilot.press("ctrl+c")


async def test_the_list_narrows_and_widens_is_walked_and_clicked_and_closed_until_another_word(
    stage: Stage,
) -> None:
    async with ready(stage) as pilot:
        await pilot.press("@")
        await until(pilot, lambda: len(offered(stage)) == len(FILES))
        first, *_, last = offered(stage)
        await pilot.press("up")
        assert chosen(stage) == last
        await pilot.press("down")
        assert chosen(stage) == first
        await pilot.press(*"rep")
        await until(pilot, lambda: offered(stage)[:1] == ["report.py"])
        await pilot.press("x")
        await until(pilot, lambda: offered(stage) == [])
        await pilot.press("backspace")
        await until(pilot, lambda: offered(stage)[:1] == ["report.py"])
        await pilot.click(Completion, offset=(5, 0))
        await until(pilot, lambda: stage.prompt.text == "@report.py")
        await pilot.press("ctrl+c", "@", "s")
        await until(pilot, lambda: bool(offered(stage)))
        await pilot.press("escape", "t")
        await pilot.pause()
        assert (offered(stage), stage.prompt.text) == ([], "@st")
        await pilot.press("space", "@")
        await until(pilot, lambda: bool(offered(stage)))
        await pilot.press("ctrl+c", *"@usrmod::na")
        await until(pilot, lambda: offered(stage) == ["src/user_model.py::User.name"])
        (stage.session.repo.root / "report.py").unlink()
        await pilot.press("ctrl+c", *"@re")
        await until(pilot, lambda: "README.md" in offered(stage))
        assert "report.py" not in offered(stage), "it is gone"


async def test_no_place_is_looked_for_while_a_file_is_chosen(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Looking through many files would hold up the letters."""
    looked_for: list[str] = []

    def look_for(written: str) -> list[int]:
        looked_for.append(written)
        return []

    async with ready(stage) as pilot:
        monkeypatch.setattr(stage.main.controller, "look_ahead", look_for)
        stage.prompt.put(f"{EDIT} @stor")
        await until(pilot, lambda: offered(stage) == ["store.py"])
        await until(pilot, lambda: not stage.main.dispatch.reading_ahead)
        assert not any("@" in written for written in looked_for)
        await pilot.press("tab")
        await until(pilot, lambda: looked_for[-1:] == [f"{EDIT} @store.py"])


async def test_names_that_need_it_are_quoted_and_odd_ones_shown_by_their_marks(
    stage: Stage,
) -> None:
    async with ready(stage) as pilot:
        controller = stage.controller
        await pilot.press(*"@a b"[:2])
        await until(pilot, lambda: offered(stage)[:1] == ["a b.py"])
        await pilot.press("tab")
        assert stage.prompt.text == '@"a b.py"'
        await pilot.press(":", ":")
        await until(pilot, lambda: offered(stage) == ["odd"])
        await pilot.press("ctrl+c", "@", *"od")
        await until(pilot, lambda: offered(stage)[:1] == ["src/odd␛[2J.py"])
        await pilot.press("tab")
        assert stage.prompt.text == "@src/odd␛[2J.py"
        assert controller.file_named("src/odd␛[2J.py") == "src/odd\x1b[2J.py"


async def test_keys_typed_ahead_of_the_list_mean_what_they_mean_in_it(stage: Stage) -> None:
    meant: list[tuple[tuple[str, ...], str]] = [
        (("tab",), "@report.py"),
        (("enter",), "@report.py"),
        (("tab", "space", *"now"), "@report.py now"),
        (("escape", "tab"), "@rep"),
        (("backspace", "down", "tab"), "@report.py"),
        (("tab", "space", *"@sto", "tab", *"::", "down", "tab"), "@report.py @store.py::save"),
    ]
    async with ready(stage) as pilot:
        for keys, written in meant:
            stage.prompt.focus()
            await pilot.press("ctrl+c", *"@rep", *keys)
            assert (stage.prompt.text, offered(stage)) == (written, [])


async def test_ctrl_r_finds_what_was_sent_and_enter_brings_it_without_sending(stage: Stage) -> None:
    async with ready(stage) as pilot:
        for sent in (EDIT, HUSH, "another"):
            stage.prompt.remember(sent)
        await pilot.press("ctrl+r")
        assert offered(stage) == ["another", HUSH, EDIT]
        await pilot.press(*"load")
        await until(pilot, lambda: offered(stage) == [HUSH, EDIT])
        await pilot.press("ctrl+r", "enter")
        assert (stage.prompt.text, offered(stage)) == (EDIT, [])
        assert stage.session.turn is None
        await pilot.press("ctrl+r", "escape")
        assert (stage.prompt.text, offered(stage)) == (EDIT, [])
        await pilot.press("ctrl+c", "a")
        assert (stage.prompt.text, offered(stage)) == ("a", [])


async def test_ctrl_r_begins_with_what_is_written_and_esc_gives_that_back(stage: Stage) -> None:
    async with ready(stage) as pilot:
        for sent in (EDIT, HUSH, "another"):
            stage.prompt.remember(sent)
        stage.prompt.set_text("load")
        await pilot.press("ctrl+r")
        assert offered(stage) == [HUSH, EDIT]
        await stage.says(pilot, "Esc ends the search", "x", "y")
        await pilot.press("up", "enter", "ctrl+r", "escape")
        assert (stage.prompt.text, offered(stage), stage.note) == ("load", [], "")
        assert stage.session.turn is None
        await pilot.press("ctrl+r", "backspace", "enter")
        assert stage.prompt.text == HUSH
        await pilot.press("down")
        assert stage.prompt.text == "another"
        await pilot.press("down")
        assert stage.prompt.text == "load", "what was written comes after all that was sent"


async def test_a_search_that_is_given_up_loses_nothing_that_was_written(stage: Stage) -> None:
    async with ready(stage) as pilot:
        await pilot.press("ctrl+r")
        assert stage.note == "nothing was sent here yet"
        stage.prompt.remember(EDIT)
        for key, query in (("escape", "load"), ("ctrl+c", "nothing_like_it"), ("escape", "")):
            stage.prompt.put("half of\nan instruction")
            await pilot.press("ctrl+r", "ctrl+u", "backspace", "ctrl+u", *query, key)
            await until(pilot, lambda: stage.prompt.text == "half of\nan instruction")
            assert (offered(stage), stage.note) == ([], "")
            await pilot.press("ctrl+c")
            await until(pilot, lambda: stage.prompt.text == "")


async def test_the_place_is_shown_while_writing_and_ctrl_l_changes_it(stage: Stage) -> None:
    async with ready(stage) as pilot:
        stage.prompt.put(EDIT)
        await until(pilot, lambda: stage.bar("region").startswith("edits store.py:9-18  load"))
        await pilot.press("ctrl+l")
        await until(pilot, lambda: bool(offered(stage)))
        names = [text.split()[-1] for text in offered(stage)]
        assert names[0] == "load"
        await pilot.press(*["down"] * names.index("save"), "tab")
        assert stage.prompt.text == f"{EDIT} @store.py::save"
        await until(pilot, lambda: stage.bar("region").startswith("edits store.py:21-23  save"))
        await pilot.press("ctrl+l")
        await until(pilot, lambda: bool(offered(stage)))
        item = stage.main.query_one(Completion).item
        assert item is not None
        assert item.text.endswith("save"), "the list begins at the place that is chosen now"
        await pilot.press("escape", "ctrl+c")
        assert stage.bar("region").strip() == "spark finds the place"


async def test_enter_in_the_list_of_places_sends_the_words_to_the_chosen_one(stage: Stage) -> None:
    stage.gate.open()
    async with ready(stage) as pilot:
        stage.prompt.put(HUSH)
        await pilot.press("ctrl+l")
        await until(pilot, lambda: bool(offered(stage)))
        while not offered(stage)[stage.main.query_one(Completion).chosen].startswith("report.py"):
            await pilot.press("down")
        await pilot.press("enter")
        await until(pilot, lambda: stage.view.place.startswith("report.py"))


async def test_a_place_that_is_named_and_cannot_be_edited_is_told_and_no_other_one_taken(
    tmp_path: Path,
) -> None:
    told = {
        "@long.py:1-300": "long.py:1-300 has 300 lines and spark edits at most 255 at once; "
        "choose fewer with @",
        "@store.py:900-905": "store.py has no lines 900-905",
        "@store.py::laod": "there is no function or class laod in store.py; did you mean load?",
        "@gone.py": "there is no file gone.py",
    }
    stage = Stage(tmp_path, files={"store.py": STORE, "report.py": "", "long.py": "x = 1\n" * 300})
    async with stage.reviewing(EDIT) as pilot:
        for place, why in told.items():
            stage.prompt.focus().set_text(f"tidy it in {place}")
            await until(pilot, lambda why=why: stage.bar("region").startswith(why[:60]))  # type: ignore[misc]
            await pilot.press("enter")
            await until(pilot, lambda why=why: why in stage.note)  # type: ignore[misc]
            await until(
                pilot, lambda: stage.bar("region").startswith("no clear place yet")
            )  # it is told once
            assert (stage.prompt.text, stage.view.instruction) == (f"tidy it in {place}", EDIT)
            stage.prompt.set_text("tidy it")
            await until(pilot, lambda: stage.bar("region").startswith("edits store.py:9-18  load"))


async def test_what_was_sent_is_there_at_the_next_start_but_not_what_began_with_a_space(
    tmp_path: Path,
) -> None:
    stage = Stage(tmp_path, files=FILES)
    stage.gate.open()
    async with ready(stage) as pilot:
        for text in (HUSH, f" {EDIT}"):
            await stage.ask(pilot, text)
            await until(pilot, lambda: stage.view.phase is TurnPhase.REVIEW and not stage.main.busy)
            stage.prompt.focus()
        await pilot.press("up")
        assert stage.prompt.text == HUSH
        await until(pilot, lambda: stage.session.history.load() == [HUSH])
    stage.close()


async def test_enter_sends_what_stands_there_already(stage: Stage) -> None:
    stage.gate.open()
    async with ready(stage) as pilot:
        stage.prompt.put(f"{EDIT} @store.py")
        await until(pilot, lambda: offered(stage) == ["store.py"])
        await pilot.press("enter")
        await until(pilot, lambda: stage.view.phase is TurnPhase.REVIEW)
        assert stage.prompt.text == ""


async def test_a_long_paste_is_a_few_words_and_sent_in_full(stage: Stage) -> None:
    stage.gate.open()
    async with ready(stage) as pilot:
        stage.prompt.put(f"{EDIT} @store.py ")
        stage.prompt.put("see this\n" * 40)
        assert stage.prompt.text == f"{EDIT} @store.py [pasted 40 lines]"
        await pilot.press("backspace")
        assert stage.prompt.text == f"{EDIT} @store.py "
        stage.prompt.put("see this\n" * 40)
        await pilot.press("enter")
        await until(pilot, lambda: stage.session.turn is not None)
        assert stage.asked_turn.request.instruction.count("see this") == 40
        await until(pilot, lambda: stage.view.phase not in {TurnPhase.READING, TurnPhase.WRITING})
        stage.prompt.focus()
        await pilot.press("up")
        assert stage.prompt.text == f"{EDIT} @store.py [pasted 40 lines]"


async def test_a_paste_that_is_too_long_is_told_at_once_and_nothing_of_it_is_cut(
    stage: Stage,
) -> None:
    async with ready(stage) as pilot:
        stage.prompt.put("fix what this says: ")
        stage.prompt.put("see this\n" * 20_000)
        await until(
            pilot,
            lambda: stage.note.startswith(
                "the instruction has 180,020 characters, the limit is 10,000"
            ),
        )
        assert stage.prompt.full.count("see this") == 20_000
        await pilot.press("enter")
        await until(pilot, lambda: not stage.main.is_starting and stage.prompt.text != "")
        assert (stage.prompt.full.count("see this"), stage.session.turn) == (20_000, None)
        await pilot.press("end", "backspace")
        await until(pilot, lambda: stage.note == "")
