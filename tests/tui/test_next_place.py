"""Where the next instruction is carried out when it does not say so itself."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from spark_tui.errors import UsageError
from spark_tui.tui.desk import Desk, Sampling
from tests.fakes import scripted_session

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


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    desk = Desk(scripted_session(tmp_path, FILES, {}), Sampling())
    yield desk
    desk.close()


@pytest.mark.parametrize(
    "words",
    [
        "fix the bug in web/app.js",
        "in app.js fix the sum",
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
