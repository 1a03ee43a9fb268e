"""Where several files clash, each is chosen about once, and the rest is written as one batch."""

from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest
from textual.widgets import Static

from spark_tui.providers.openai_client import Server
from spark_tui.providers.openai_provider import Remote
from spark_tui.tui.screens.undo import ConflictScreen
from tests.providers.scripted_server import says, serving
from tests.session.test_several_files import AFTER, BLOCKS, FILES
from tests.tui.support import Stage, until
from tests.tui.test_several_files import REQUEST

CART = "shop/cart.py"
TAX = "shop/tax.py"
MINE = {
    CART: FILES[CART].replace(b"import rate", b"import mine as rate"),
    TAX: FILES[TAX].replace(b"0.2", b"0.3"),
}


@pytest.fixture
def stage(tmp_path: Path) -> Iterator[Stage]:
    stage = Stage(tmp_path, scripts={}, files=FILES)
    with (
        serving(says(BLOCKS)) as server,
        closing(Server(server.endpoint(format="search_replace"))) as asked,
    ):
        stage.session.host.remote = Remote(asked)
        yield stage


def now(stage: Stage, path: str) -> bytes:
    return (stage.session.repo.root / path).read_bytes()


def asks(stage: Stage, left: list[str]) -> Callable[[], bool]:
    """Whether the user is asked about the first of these files; without any, about nothing."""

    def is_so() -> bool:
        screen = stage.app.screen
        if not left:
            return not isinstance(screen, ConflictScreen)
        question = screen.query("#question").results(Static)
        return any(left[0] in str(widget.render()) for widget in question)

    return is_so


@pytest.mark.parametrize(
    ("edited", "answers"),
    [
        ([CART], "k"),
        ([TAX], "k"),
        ([TAX], "t"),
        ([CART, TAX], "kk"),
        ([CART, TAX], "kt"),
        ([CART, TAX], "tk"),
        ([CART, TAX], "tt"),
    ],
)
async def test_each_file_that_clashes_is_chosen_about_once_and_the_rest_is_one_batch(
    stage: Stage, edited: list[str], answers: str
) -> None:
    async with stage.reviewing(REQUEST, size=(100, 40)) as pilot:
        for path in edited:
            (stage.session.repo.root / path).write_bytes(MINE[path])
        stage.later()
        await stage.opens(pilot, ConflictScreen, "ctrl+a")
        for number, answer in enumerate(answers):
            await pilot.pause()
            await stage.press_later(pilot, answer)
            await until(pilot, asks(stage, edited[number + 1 :]))
        await until(pilot, lambda: len(stage.view.hunks) == 1)  # what needs a consent of its own
        expected = {path: AFTER[path] for path in (CART, TAX, "README.md")}
        for path, answer in zip(edited, answers, strict=True):
            if answer == "k":
                expected[path] = MINE[path]
        assert {path: now(stage, path) for path in expected} == expected
        assert not (stage.session.repo.root / "shop/old.py").exists()
        stage.session.undo()
        before = FILES | {path: MINE[path] for path in edited}
        assert {path: now(stage, path) for path in before} == before
