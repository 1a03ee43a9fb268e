"""Several files in one turn: each below its name, gone to and decided by itself or with all
others.
"""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from spark_tui.config import Settings
from spark_tui.providers.openai_client import Server
from spark_tui.providers.openai_provider import Remote
from spark_tui.session.turn_state import TurnPhase
from spark_tui.tui.app import keymap
from spark_tui.tui.widgets.diff_rows import RowKind
from spark_tui.tui.widgets.status_bars import FooterState
from tests.providers.scripted_server import DONE, event, says, serving
from tests.session.test_several_files import BLOCKS, FILES, WORDS
from tests.tui.support import Stage, until

REQUEST = WORDS.replace("take the tax out", "take the tax out @shop/cart.py")


@pytest.fixture
def stage(tmp_path: Path) -> Iterator[Stage]:
    stage = Stage(tmp_path, scripts={}, files=FILES)
    used = event({"choices": [], "usage": {"prompt_tokens": 1000, "completion_tokens": 50}})
    with serving(says(BLOCKS, end=used + DONE)) as server:
        priced = server.endpoint(format="search_replace", price_in=2.0, price_out=10.0)
        with closing(Server(priced)) as asked:
            stage.session.host.remote = Remote(asked)
            yield stage


def headings(stage: Stage) -> list[str]:
    rows = stage.diff.rows
    return [
        row.text
        for row in map(rows.__getitem__, range(len(rows)))
        if row.kind is RowKind.FILE and row.text
    ]


def file_here(stage: Stage) -> str:
    return stage.view.files.spot(stage.main.bench.selected[0]).path


def git_status(stage: Stage) -> dict[str, bool]:
    root = stage.session.repo.root
    return {
        name: (root / name).exists() and (root / name).read_bytes() == data
        for name, data in FILES.items()
    }


async def test_a_file_is_accepted_by_itself_then_all_others(
    stage: Stage,
) -> None:
    async with stage.reviewing(REQUEST, size=(100, 40)) as pilot:
        assert headings(stage) == [
            "shop/cart.py  +1 −1",
            "shop/tax.py  +1 −1",
            "README.md  +1 −1",
            "main.js",
        ]
        assert stage.bar("region").startswith("shop/cart.py:1-5 and 4 more files")
        await until(pilot, lambda: "{ }  file" in stage.bar("hints"))
        stage.main.action_meters()
        assert "cost 0.0025" in stage.bar("meters")
        await pilot.press("}")
        stage.later()
        assert file_here(stage) == "shop/tax.py"
        await pilot.press("A")
        await until(pilot, lambda: stage.note.startswith("accepted the hunk and wrote shop/tax.py"))
        assert [name for name, same in git_status(stage).items() if not same] == ["shop/tax.py"]
        await stage.press_later(pilot, "end")
        stage.later()
        assert file_here(stage) == "shop/rates.py"
        await pilot.press("r")
        await until(pilot, lambda: len(stage.view.hunks) == 3)
        await stage.press_later(pilot, "ctrl+a")
        await until(pilot, lambda: not stage.view.hunks)
        assert [name for name, same in git_status(stage).items() if same] == ["main.js"]
        assert "wrote 3 files" in stage.note
        stage.later()
        await stage.turn(pilot, "u")
        await until(pilot, lambda: len(stage.view.hunks) == 3)
        assert [name for name, same in git_status(stage).items() if not same] == ["shop/tax.py"]


async def test_what_needs_a_consent_of_its_own_stays_and_the_others_are_one_undo(
    stage: Stage,
) -> None:
    async with stage.reviewing(REQUEST, size=(100, 40)) as pilot:
        await stage.press_later(pilot, "ctrl+a")
        await until(
            pilot, lambda: len(stage.view.hunks) == 1 and stage.note.startswith("accepted 4")
        )
        others = "not accepted with the others (a asks for one): shop/rates.py "
        assert stage.note.startswith(
            f"accepted 4 hunks and wrote 4 files; u takes it back; {others}"
        )
        assert [name for name, same in git_status(stage).items() if same] == ["main.js"]
        assert not (stage.session.repo.root / "shop/rates.py").exists()
        await stage.turn(pilot, "u")
        await until(pilot, lambda: len(stage.view.hunks) == 5)
        assert all(git_status(stage).values())


async def test_an_accepted_deletion_is_called_one(stage: Stage) -> None:
    async with stage.reviewing(REQUEST, size=(100, 40)) as pilot:
        while file_here(stage) != "shop/old.py":
            await pilot.press("}")
        stage.later()
        await pilot.press("a")
        await until(
            pilot, lambda: stage.note.startswith("accepted the hunk and deleted shop/old.py;")
        )
        assert not (stage.session.repo.root / "shop/old.py").exists()


async def test_line_numbers_are_those_of_each_file_and_a_file_that_comes_has_none(
    stage: Stage,
) -> None:
    async with stage.reviewing(REQUEST, size=(100, 40)):
        rows = stage.diff.rows
        numbered = {
            (row.text, *rows.numbers(row)) for row in map(rows.__getitem__, range(len(rows)))
        }
        assert {
            ("    return 0.2", 2, None),
            ("    return 0.19", None, 2),
            ("Prices without", None, 3),
            ("const a = 1;", 1, 1),
            ("new file shop/rates.py", None, None),
            ("deleted file shop/old.py", None, None),
        } <= numbered
        assert [
            (item.path, item.line, item.added, item.removed) for item in stage.view.items()
        ] == [
            ("shop/cart.py", 1, 1, 1),
            ("shop/tax.py", 2, 1, 1),
            ("shop/old.py", 1, 0, 2),
            ("README.md", 3, 1, 1),
            ("shop/rates.py", 1, 2, 0),
        ]


@pytest.mark.parametrize("has_others", [False, True])
@pytest.mark.parametrize("is_guessed", [False, True])
def test_the_keys_of_files_stand_behind_those_of_the_hunk(
    *, has_others: bool, is_guessed: bool
) -> None:
    state = FooterState(
        TurnPhase.REVIEW,
        in_diff=True,
        has_text=False,
        hunks=2,
        is_written=True,
        has_others=has_others,
        is_guessed=is_guessed,
        has_files=True,
    )
    hints = [piece.text.strip() for piece in state.hints(keymap(Settings())) if piece.joined]
    start = hints.index("accept")
    assert hints[start : start + 6] == [
        "accept",
        "reject",
        "hunk",
        "file",
        "accept all files",
        "all",
    ]
