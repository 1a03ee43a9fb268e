"""Where the next instruction is carried out when it does not say so itself."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from spark_tui.errors import SparkError, UsageError
from spark_tui.session.again import AgainTurn
from spark_tui.session.mentions import Mentions
from spark_tui.session.session import Session
from spark_tui.session.turn import Turn
from spark_tui.tui.aiming import Aiming, Sampling
from spark_tui.tui.desk import Desk
from tests.fakes import rename_script, scripted_session
from tests.moments import at_every_moment
from tests.tui import support

CART = """\
class Cart:
    def __init__(self):
        self.items = []

    def add(self, name, qty):
        price = self.total()
        self.items.append((name, qty, price))

    def total(self):
        return sum(qty for _, qty, _ in self.items)

    def fit(self, box):
        return len(self.items) <= box
"""
FILES = {"shop/cart.py": CART, "shop/other.py": "def load(file):\n    return file\n", "web/app.js": "sum()\n"}

AREA = "def area(w, h):\n    return w * h\n"
RENAMES = {"rename h to d": rename_script(AREA, "h", "d"), "rename h to depth": rename_script(AREA, "h", "depth")}


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    desk = Desk(scripted_session(tmp_path, FILES, {}), Sampling())
    yield desk
    desk.close()


def test_a_turn_about_what_is_no_python_gives_the_next_one_no_place(desk: Desk) -> None:
    words = "it is off by one"
    with pytest.raises(UsageError) as fresh:
        desk.begin(words)
    desk.turn = desk.begin("rename sum to total in @web/app.js")
    with pytest.raises(UsageError) as later:
        desk.begin(words)
    assert str(later.value) == str(fresh.value)


@pytest.mark.parametrize(
    "words",
    [
        "fix the bug in web/app.js",
        "in app.js fix the sum",
        "app.js: fix the sum",
        "gone.py: fix the sum",
        "In app.js fix the sum",
        "fix the bug in @web/gone.js",
        "fix the bug in gone.py",
    ],
)
def test_another_file_that_cannot_be_edited_is_refused_as_in_a_fresh_session(desk: Desk, words: str) -> None:
    with pytest.raises(UsageError) as fresh:
        desk.begin(words)
    desk.turn = desk.begin("rename qty to n in @shop/cart.py::Cart.add")
    with pytest.raises(UsageError) as later:
        desk.begin(words)
    assert str(later.value) == str(fresh.value)
    assert ("is no Python file" in str(later.value)) == ("js" in words)
    with pytest.raises(UsageError):
        desk.redirect(words)
    assert not desk.look_ahead(words)
    assert desk.refused


def test_words_that_point_at_the_file_of_the_turn_that_runs_stay_at_its_place(desk: Desk) -> None:
    desk.turn = desk.begin("rename qty to n in @shop/cart.py::Cart.add")
    assert desk.redirect("in cart.py make it nicer").region.symbol == "Cart.add"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("rename qty to n @shop/cart.py::nope", "no function or class nope"),
        ("rename qty to n @shp::add", "no file shp here"),
        ("rename qty to n @shop/cart.py:100-140", "no lines 100-140"),
        ("rename qty to n in @/etc/hostname", "/etc/hostname"),
        ("rename qty to n in nosuch", "no function or class nosuch"),
    ],
)
def test_a_place_told_outright_that_is_not_there_is_refused_at_enter(desk: Desk, words: str, said: str) -> None:
    with pytest.raises(SparkError, match=said):
        desk.begin(words)
    desk.turn = desk.begin("rename qty to n in @shop/cart.py::Cart.add")
    for say in (desk.begin, desk.redirect):
        with pytest.raises(SparkError, match=said):
            say(words)
    assert not desk.look_ahead(words)
    assert desk.refused


LONG = "def load(d):\n    return d\n\n\n" + "".join(f"def f{n}(d):\n    return d\n\n\n" for n in range(40))
HUGE = "def huge(a):\n" + "    a += 1\n" * 300


@pytest.fixture
def long_desk(tmp_path: Path) -> Iterator[Desk]:
    files = FILES | {"shop/storage.py": LONG, "shop/huge.py": HUGE, "notes.md": "some words\n", "old.py": "x = (\n"}
    desk = Desk(scripted_session(tmp_path, files, {}), Sampling())
    desk.turn = desk.begin("rename qty to n in @shop/cart.py::Cart.add")
    yield desk
    desk.close()


@pytest.mark.parametrize(
    ("words", "symbol"),
    [
        ("storage.py load rename d to expenses", "load"),
        ("storage.py, load: rename d to expenses", "load"),
        ("the load function of storage.py: rename d to expenses", "load"),
        ("rename d to expenses in f7 of storage.py", "f7"),
        ("rename d to expenses in storage.py::f8", "f8"),
        ("storage.py::f9 rename d to expenses", "f9"),
    ],
)
def test_a_file_that_is_named_in_plain_words_is_the_place_whatever_the_last_one_was(
    long_desk: Desk, words: str, symbol: str
) -> None:
    assert (long_desk.begin(words).region.path, long_desk.begin(words).region.symbol) == ("shop/storage.py", symbol)
    assert long_desk.redirect(words).region.symbol == symbol


@pytest.mark.parametrize("words", ["storage.py: rename d to expenses", "in the storage module rename d to expenses"])
def test_a_file_that_is_named_is_not_left_for_the_last_place_where_it_is_not_clear_what_in_it(
    long_desk: Desk, words: str
) -> None:
    with pytest.raises(UsageError, match=r"d may be that of shop/storage.py::load, shop/storage.py::f0, "):
        long_desk.begin(words)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("rename a to b in huge", "huge has 301 lines and spark edits at most 255 at once; choose fewer with @"),
        ("rename a to b in @shop/huge.py::huge ", "huge has 301 lines"),
        ("fix the words in @notes.md ", "notes.md is not a Python file"),
        ("rename x to y in @old.py ", "old.py does not parse (line 1: '(' was never closed)"),
        ("rename x to y @shop/cart.py:90 ", "shop/cart.py has no lines 90-90"),
    ],
)
def test_what_will_be_refused_is_told_before_it_is_sent_and_promised_nowhere(
    long_desk: Desk, words: str, said: str
) -> None:
    assert long_desk.look_ahead(words) == []
    assert long_desk.refused.startswith(said)
    assert long_desk.ahead == ""
    assert long_desk.look_ahead("rename qty to n in @shop/cart.py::Cart.add ")
    assert (long_desk.refused, long_desk.ahead) == ("", "shop/cart.py:5-7  Cart.add")


def test_a_place_that_two_functions_elsewhere_bear_the_name_of_is_not_taken_for_the_last_one(tmp_path: Path) -> None:
    box = "class Box:\n    def load(self, qty):\n        return qty\n"
    files = FILES | {"shop/box.py": box, "shop/other.py": "def load(qty):\n    return qty\n"}
    desk = Desk(scripted_session(tmp_path, files, {}), Sampling())
    desk.turn = desk.begin("rename qty to n in @shop/cart.py::Cart.add")
    for words in ("rename qty to n in load", "in load, rename qty to n"):
        with pytest.raises(UsageError, match=r"the name may mean shop/box\.py::Box\.load, shop/other\.py::load"):
            desk.begin(words)
    assert desk.begin("rename qty to n in total").region.symbol == "Cart.total"
    desk.turn = desk.begin("rename qty to n in @shop/box.py::Box.load")
    assert desk.begin("rename qty to n in load").region.symbol == "Box.load"
    desk.close()


@pytest.mark.parametrize(
    "words",
    [
        "add a return type of str to load",
        "add a docstring to load",
        "document load",
        "fix load()",
        "the load function should return a str",
        "rename load to read",
    ],
)
def test_what_two_functions_elsewhere_bear_the_name_of_is_asked_back_as_in_a_fresh_session(
    tmp_path: Path, words: str
) -> None:
    files = FILES | {"shop/box.py": LONG, "shop/cart.py": CART.replace("self.total()", "load(name)")}
    desk = Desk(scripted_session(tmp_path, files, {}), Sampling())
    with pytest.raises(UsageError, match=r"may mean shop/box\.py::load, shop/other\.py::load") as fresh:
        desk.begin(words)
    desk.turn = desk.begin("rename qty to n in @shop/cart.py::Cart.add")
    with pytest.raises(UsageError) as later:
        desk.begin(words)
    assert str(later.value) == str(fresh.value)
    assert desk.look_ahead(words) == []
    assert desk.ahead == ""
    assert desk.begin("use load instead of the product").region.symbol == "Cart.add", "what an edit brings is no place"
    desk.close()


def test_of_two_names_the_one_that_is_not_the_place_does_not_lead_to_it(tmp_path: Path) -> None:
    files = FILES | {"shop/box.py": LONG}
    desk = Desk(scripted_session(tmp_path, files, {}), Sampling())
    desk.turn = desk.begin("rename qty to n in @shop/cart.py::Cart.add")
    with pytest.raises(UsageError, match=r"may mean shop/box\.py::load, shop/other\.py::load"):
        desk.begin("use Cart.total() in load")
    desk.close()


def test_a_module_that_is_told_with_its_package_is_the_place(long_desk: Desk) -> None:
    assert long_desk.begin("rename file to source in shop.other").region.path == "shop/other.py"
    with pytest.raises(UsageError, match=r"d may be that of shop/storage\.py::load"):
        long_desk.begin("rename d to n in shop.storage")


def test_what_is_to_be_given_to_a_function_that_is_nowhere_is_given_to_none(desk: Desk) -> None:
    desk.turn = desk.begin("rename qty to n in @shop/cart.py::Cart.add")
    with pytest.raises(UsageError, match="there is no function or class no_such"):
        desk.begin("add a docstring to no_such")


@pytest.mark.parametrize(
    ("words", "symbol"),
    [
        ("fix the total", "Cart.total"),
        ("make the total an integer", "Cart.total"),
        ("fix the price", "Cart.add"),
        ("add a total", "Cart.add"),
    ],
)
def test_words_move_to_the_one_function_of_the_last_file_that_they_name(desk: Desk, words: str, symbol: str) -> None:
    desk.turn = desk.begin("rename qty to n in @shop/cart.py::Cart.add")
    assert desk.begin(words).region.symbol == symbol
    desk.look_ahead(words)
    assert desk.session.mentions.ahead is not None
    assert desk.session.mentions.ahead.symbol == symbol


def test_a_variable_of_the_last_place_is_meant_there_and_no_function_of_its_name(tmp_path: Path) -> None:
    text = CART.replace("price = self.total()", "total = self.total()").replace("qty, price", "qty, total")
    desk = Desk(scripted_session(tmp_path, FILES | {"shop/cart.py": text}, {}), Sampling())
    desk.turn = desk.begin("rename qty to n in @shop/cart.py::Cart.add")
    assert desk.begin("make the total clearer").region.symbol == "Cart.add"
    desk.close()


def test_a_value_alone_redirects_to_the_same_request_with_it(desk: Desk) -> None:
    desk.turn = desk.begin("rename qty to n in @shop/cart.py::Cart.add")
    other = desk.redirect("to amount instead")
    assert other.request.instruction == "rename qty to amount"
    assert other.region.symbol == "Cart.add"


def played(desk: Desk, words: str) -> Turn:
    desk.play(desk.begin(words), words)
    assert desk.session.runner.wait(10)
    desk.flush()
    assert desk.turn is not None
    return desk.turn


@pytest.mark.parametrize(("name", "found"), [("d", True), ("w", False)])
def test_words_that_only_correct_a_turn_which_has_just_ended_redirect_it(
    tmp_path: Path, name: str, found: bool
) -> None:
    desk = Desk(scripted_session(tmp_path, {"a.py": AREA}, RENAMES), Sampling())
    turn = played(desk, f"rename h to {name} in @a.py::area")
    assert bool(turn.hunks) is found
    desk.look_ahead("to depth instead")
    assert (desk.refused, desk.ahead) == ("", "a.py:1-2")
    other = desk.begin("to depth instead")
    assert (other.request.instruction, other.region.symbol) == ("rename h to depth", "area")
    desk.close()


def test_a_value_alone_corrects_the_step_that_is_being_written_and_the_others_stay(tmp_path: Path) -> None:
    scripts = {"rename w to b": rename_script(AREA, "w", "b"), "rename h to d": None}
    desk = Desk(scripted_session(tmp_path, {"a.py": AREA}, scripts), Sampling())
    desk.turn = desk.begin("rename w to b and rename h to d in @a.py::area")
    list(desk.turn.events())
    for begin in (desk.begin, desk.redirect):
        other = begin("to depth instead")
        assert other.request.instruction == "rename w to b and rename h to depth"
        assert other.region.symbol == "area"
    desk.close()


def test_words_after_a_turn_that_was_decided_or_say_more_than_a_value_begin_another_one(tmp_path: Path) -> None:
    desk = Desk(scripted_session(tmp_path, {"a.py": AREA}, RENAMES), Sampling())
    turn = played(desk, "rename h to d in @a.py::area")
    assert desk.begin("add a docstring").request.instruction == "add a docstring"
    desk.turn = turn
    desk.session.accept(turn)
    with pytest.raises(SparkError):
        desk.session.accept(desk.begin("to depth instead"))
    desk.close()


@pytest.mark.parametrize("within", [Aiming._where_said, Aiming._names_place])
def test_the_screen_may_be_cleared_at_any_moment_at_which_a_place_is_looked_for(
    desk: Desk, within: Callable[..., object]
) -> None:
    turn = desk.begin("rename qty to n in @shop/cart.py::Cart.add")

    def scene() -> tuple[Callable[[], object], Callable[[], object]]:
        desk.turn = turn
        return lambda: desk.look_ahead("make it shorter"), desk.clear

    assert at_every_moment(within, scene) > 10


def _ending_before(desk: Desk, hook: pytest.MonkeyPatch) -> None:
    look = Mentions.files_named

    def meanwhile(mentions: Mentions, words: str) -> tuple[str, ...]:
        _end(desk)
        return look(mentions, words)

    hook.setattr(Mentions, "files_named", meanwhile)


def _ending_behind(desk: Desk, hook: pytest.MonkeyPatch) -> None:
    ask = Session.ask_again

    def meanwhile(session: Session, *args: Any) -> AgainTurn:
        turn = ask(session, *args)
        _end(desk)
        return turn

    hook.setattr(Session, "ask_again", meanwhile)


def _end(desk: Desk) -> None:
    desk.flush()
    assert desk.come_back() or desk.turn is not None


@pytest.mark.parametrize("ending", [_ending_before, _ending_behind])
def test_a_hunk_is_written_with_the_words_of_a_redirect_though_its_turn_ends_meanwhile(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, ending: Callable[[Desk, pytest.MonkeyPatch], None]
) -> None:
    desk = Desk(scripted_session(tmp_path, support.FILES, support.SCRIPTS), Sampling())
    reviewed = desk.begin(support.SPLIT)
    desk.play(reviewed, "")
    assert desk.session.runner.wait(10)
    desk.flush()
    desk.play(desk.ask_again(reviewed.hunks[0], "stranger"), "")
    assert desk.session.runner.wait(10)
    ending(desk, monkeypatch)
    redirected = desk.redirect("other")
    assert desk.turn is reviewed
    assert isinstance(redirected, AgainTurn)
    desk.play(redirected, "")
    assert desk.session.turn is redirected, "what is taken back is followed by what is on the screen"
    desk.close()
