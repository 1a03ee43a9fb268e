"""A rename over files on the screen: asked for by a key, reviewed file by file, taken back byte
for byte.
"""

import threading
from pathlib import Path

import pytest

from spark_tui.context.rename import Rename
from tests.session.test_renaming import FILES
from tests.tui.support import Stage, until


@pytest.fixture
def stage(tmp_path: Path) -> Stage:
    return Stage(tmp_path, scripts={}, files=FILES)


async def test_the_key_asks_for_a_name_of_what_the_cursor_is_in(stage: Stage) -> None:
    async with stage.started(size=(100, 40)) as pilot:
        stage.prompt.set_text("@shop/cart.py::total be quick")
        await until(pilot, lambda: stage.bar("region").startswith("edits shop/cart.py:1-2  total"))
        await pilot.press("f2")
        await until(pilot, lambda: stage.prompt.text == "/rename @shop/cart.py::total ")
        await stage.review(pilot, "/rename @shop/cart.py::total amount")
        await stage.press_later(pilot, *["right_curly_bracket"] * 3, "f2")
        await stage.says(pilot, "there is no function or class here")
        await stage.press_later(pilot, *["right_square_bracket"] * 2, "f2")
        await until(pilot, lambda: stage.prompt.text.startswith("/rename "))
        assert stage.prompt.text == "/rename @shop/report.py::show "
        await pilot.press(*"tell", "enter")
        await until(pilot, lambda: "1 hunk" in stage.view.message)
        assert b"def tell(items, one):" in stage.asked_turn.review.proposed.to_bytes()


async def test_esc_stops_the_search_and_the_words_come_back(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    goes_on, find = threading.Event(), Rename.find

    def held(self: Rename, path: str, start: int, watch: object) -> object:
        def watched(words: str) -> None:
            watch(words)  # type: ignore[operator]
            goes_on.wait(10)

        return find(self, path, start, watched)

    monkeypatch.setattr(Rename, "find", held)
    words = "/rename @shop/cart.py::total amount"
    async with stage.asked(words) as pilot:
        await until(
            pilot, lambda: "looking for total in shop/cart.py, file 1 of 5; Esc stops" in stage.note
        )
        await pilot.press("escape")
        goes_on.set()
        await until(pilot, lambda: "the renaming is stopped; nothing was changed" in stage.note)
        assert (stage.prompt.text, stage.session.turn) == (words, None)
