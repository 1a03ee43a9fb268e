"""With a model that reads the words itself, an instruction leads where it names something, else
where the user is.
"""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from spark_tui.config import Settings
from spark_tui.errors import UsageError
from spark_tui.providers.calibration import Calibration
from spark_tui.session.controller import Controller
from spark_tui.session.session import Session
from spark_tui.session.targets import TargetFinder
from spark_tui.session.turn import Turn
from spark_tui.vcs.repository import Repository
from tests.fakes import ScriptedSession, make_repo, returned, scripted_session
from tests.moments import at_every_moment
from tests.providers.quoting_models import quoting_model
from tests.tui import support

CART = """\
class Cart:
    def add_item(self, name, qty):
        self.items.append((name, qty))

    def sum_up(self):
        return sum(qty for _, qty in self.items)
"""
STORE = (
    "def load_rows(path):\n    return path.read_text()\n\n\ndef save_rows(path, rows):\n   "
    " path.write_text(rows)\n"
)
FILES = {
    "shop/cart.py": CART,
    "shop/store.py": STORE,
    "web/page.js": "function showRows(a) {\n  return a;\n}\n",
}


@pytest.fixture
def controller(tmp_path: Path) -> Iterator[Controller]:
    """After a turn about Cart.add_item."""
    loaded = quoting_model(tmp_path / "model", {})
    Calibration(sure=0.0).write(loaded.path)
    repo = Repository.discover(make_repo(tmp_path / "repo", FILES))
    controller = Controller(ScriptedSession(repo, loaded, tmp_path / "state"), Settings())
    controller.turn = returned(controller.begin("rename qty to n @shop/cart.py::Cart.add_item"))
    yield controller
    controller.close()


@pytest.mark.parametrize(
    "words", ["no, the other one", "nein, das andere", "use a list", "add a test for the value"]
)
def test_words_that_name_nothing_elsewhere_go_on_at_the_same_place(
    controller: Controller, words: str
) -> None:
    turn = returned(controller.begin(words))
    assert turn.region.symbol == "Cart.add_item"
    assert turn.request.instruction == words
    assert turn.request.earlier == ("rename qty to n",)


@pytest.mark.parametrize(
    ("words", "symbol"),
    [("load_rows should close the file", "load_rows"), ("Cart.sum_up is slow", "Cart.sum_up")],
)
def test_words_that_name_what_is_elsewhere_lead_there_and_it_is_shown_before_they_are_sent(
    controller: Controller, words: str, symbol: str
) -> None:
    controller.look_ahead(words)
    assert controller.ahead.endswith(symbol)
    turn = returned(controller.begin(words))
    assert (turn.region.symbol, turn.request.earlier) == (symbol, ())


def test_a_redirect_stays_unless_its_words_name_another_place(controller: Controller) -> None:
    turn = controller.redirect("no, the other one")
    assert (turn.region.symbol, turn.request.earlier) == ("Cart.add_item", ("rename qty to n",))
    for words, symbol in (
        ("load_rows, I mean", "load_rows"),
        ("no, in @shop/store.py::save_rows", "save_rows"),
    ):
        turn = controller.redirect(words)
        assert (turn.region.symbol, turn.request.earlier) == (symbol, ("rename qty to n",)), (
            "what it corrects is told"
        )


@pytest.mark.parametrize(
    "place", ["@shop/gone.py", "@gone.js", "@shop/gone::load_rows", "@gone.py:3"]
)
def test_a_file_that_is_told_and_not_there_is_refused_and_no_other_one_taken(
    controller: Controller, place: str
) -> None:
    for say in (lambda words: returned(controller.begin(words)), controller.redirect):
        with pytest.raises(UsageError, match="there is no file "):
            say(f"tidy it in {place}")
    assert not controller.look_ahead(f"tidy it in {place} ")
    assert controller.refused.startswith("there is no file ")
    controller.turn = None
    with pytest.raises(UsageError, match="there is no file "):
        returned(controller.begin(f"tidy it in {place}"))


def test_what_may_be_a_decorator_is_no_place_to_refuse(controller: Controller) -> None:
    assert (
        returned(controller.begin("put @retry and @app.route on it")).region.symbol
        == "Cart.add_item"
    )


@pytest.mark.parametrize(
    ("words", "symbols"),
    [
        ("load_rows and save_rows", {"load_rows", "save_rows"}),
        ("showRows should sort", {"showRows"}),
        ("as load_rows does, in add_item", {"load_rows", "Cart.add_item"}),
    ],
)
def test_of_several_places_the_likeliest_is_taken_and_the_others_are_offered(
    controller: Controller, words: str, symbols: set[str]
) -> None:
    assert returned(controller.begin(words)).region.symbol in symbols
    assert symbols <= {region.symbol for region in controller.places(words)[:4]}


def test_the_likeliest_places_are_offered(controller: Controller) -> None:
    found = controller.places("showRows")
    assert found[0].path == "web/page.js"
    assert {("shop/store.py", "save_rows"), ("shop/cart.py", "Cart.add_item")} <= {
        (each.path, each.symbol) for each in found
    }


def test_the_screen_may_be_cleared_at_any_moment_at_which_a_place_is_looked_for(
    controller: Controller,
) -> None:
    turn = controller.turn

    def scene() -> tuple[Callable[[], object], Callable[[], object]]:
        controller.turn = turn
        return lambda: controller.look_ahead("make it shorter"), controller.clear

    assert at_every_moment(TargetFinder.look_ahead, scene) > 3


def _ending_before(controller: Controller, hook: pytest.MonkeyPatch) -> None:
    look = TargetFinder.names_place

    def meanwhile(aiming: TargetFinder, instruction: str) -> bool:
        _end(controller)
        return look(aiming, instruction)

    hook.setattr(TargetFinder, "names_place", meanwhile)


def _ending_behind(controller: Controller, hook: pytest.MonkeyPatch) -> None:
    ask = Session.ask_again

    def meanwhile(session: Session, *args: Any) -> Turn:
        turn = ask(session, *args)
        _end(controller)
        return turn

    hook.setattr(Session, "ask_again", meanwhile)


def _end(controller: Controller) -> None:
    controller.flush()
    assert controller.come_back() or controller.turn is not None


@pytest.mark.parametrize("ending", [_ending_before, _ending_behind])
def test_a_hunk_is_written_with_the_words_of_a_redirect_though_its_turn_ends_meanwhile(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    ending: Callable[[Controller, pytest.MonkeyPatch], None],
) -> None:
    controller = Controller(scripted_session(tmp_path, support.FILES, support.SCRIPTS), Settings())
    reviewed = returned(controller.begin(support.SPLIT))
    controller.play(reviewed, "")
    assert controller.session.runner.wait(10)
    controller.flush()
    controller.play(controller.ask_again(reviewed.hunks[0], "stranger"), "")
    assert controller.session.runner.wait(10)
    ending(controller, monkeypatch)
    redirected = controller.redirect("other")
    assert controller.turn is reviewed
    assert redirected.asked_at is not None
    controller.play(redirected, "")
    assert controller.session.turn is redirected, (
        "what is taken back is followed by what is on the screen"
    )
    controller.close()
