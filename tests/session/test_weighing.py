"""The model is asked of which place words are likeliest said; where another is far likelier, so is the user."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from spark_tui.answering.seam import Ability, Answerer, Ask, Draft, Writer
from spark_tui.context.finding import Focus
from spark_tui.editing.quoting import Request as Said
from spark_tui.errors import Unclear
from spark_tui.session.place_lookup import PlaceLookup
from spark_tui.session.request import Request
from spark_tui.session.weighing import BEHIND, DOUBT, HARDLY, MOST, weigh
from spark_tui.vcs.repository import Repository
from tests.fakes import make_repo

NAMES = ("area", "price", "total")
FILES = {f"{name}.py": f"def {name}(rows):\n    return sum(rows)\n" for name in NAMES}
HERE = Focus("area.py", (1, 2), "area")
WORDS = "sum of the rows"


class Weighs(Answerer):
    """Finds words as likely as it is told, by file. Args: can: what it can do."""

    def __init__(self, odds: Mapping[str, float], can: Ability = Ability.SCORE) -> None:
        self._odds, self._can = odds, can
        self.heard = list[Said]()

    @property
    def can(self) -> Ability:
        """See `Answerer`."""
        return self._can

    def write(self, ask: Ask) -> Writer:
        """See `Answerer`."""
        raise NotImplementedError

    def draft(self, lines: object) -> Draft:
        """See `Answerer`."""
        raise NotImplementedError

    def has_room(self, lines: object) -> bool:
        """See `Answerer`."""
        return True

    def said(self, requests: Iterable[Said]) -> Iterator[float | None]:
        """See `Answerer`."""
        for each in requests:
            self.heard.append(each)
            yield None
            yield self._odds.get(each.path, -90.0)


@pytest.fixture
def lookup(tmp_path: Path) -> PlaceLookup:
    return PlaceLookup(Repository.discover(make_repo(tmp_path / "repo", FILES)))


def weighed(lookup: PlaceLookup, odds: Mapping[str, float], request: Request) -> list[str]:
    """Where a request leads then, or what is asked."""
    list(weigh(Weighs(odds), lookup, request))
    try:
        return [lookup.find(request).path]
    except Unclear:
        return [each.path for each in lookup.places(request)]


@pytest.mark.parametrize(
    ("odds", "leads"),
    [
        ({"area.py": -30.0}, ["area.py"]),
        ({"area.py": -30.0, "price.py": -30.0 + DOUBT}, ["area.py"]),
        ({"area.py": -30.0, "price.py": -29.9 + DOUBT}, ["price.py", "area.py", "total.py"]),
        ({"area.py": -50.0, "price.py": -20.0, "total.py": -10.0}, ["total.py", "area.py", "price.py"]),
    ],
)
def test_words_are_about_where_the_user_is_unless_another_place_is_far_likelier(
    lookup: PlaceLookup, odds: Mapping[str, float], leads: list[str]
) -> None:
    assert weighed(lookup, odds, Request(WORDS, focus=HERE)) == leads


def test_words_that_may_go_on_from_undecided_ones_are_read_behind_them_where_the_user_is(lookup: PlaceLookup) -> None:
    request, answerer = Request(WORDS, focus=replace(HERE, earlier=("add up",))), Weighs({"price.py": -30.0})
    for here, leads in ((-30.0 - DOUBT - BEHIND, "area.py"), (-30.1 - DOUBT - BEHIND, "price.py")):
        lookup.settle(Request(""), ())
        assert weighed(lookup, {"area.py": here, "price.py": -30.0}, request)[0] == leads
    list(weigh(answerer, lookup, replace(request, instruction=f"{WORDS}?")))
    assert {each.path: each.earlier for each in answerer.heard if each.earlier} == {"area.py": ("add up",)}


_USER = "def area(rows):\n    return sum_up(rows)\n"
_SUM_UP, _METHOD = "def sum_up(rows):\n    return 0\n", "class Sums:\n    def up(self, rows):\n        return 0\n"


@pytest.mark.parametrize(
    ("words", "here", "other", "code", "odds", "leads"),
    [
        ("sum_up none", _USER, "sum.py", _SUM_UP, 0.1, ["sum.py", "area.py"]),
        ("the sum up helper", _USER, "sum.py", _SUM_UP, 0.1, ["sum.py", "area.py"]),
        ("the sum up helper", _USER, "sum.py", _SUM_UP, -0.1, ["area.py"]),
        ("1 in sum", _USER, "sum.py", "RATE = 0\n", 0.1, ["sum.py", "area.py"]),
        ("the same for price", FILES["area.py"], "price.py", FILES["price.py"], 0.1 - HARDLY, ["price.py", "area.py"]),
        ("the same for price", FILES["area.py"], "price.py", FILES["price.py"], -HARDLY, ["area.py"]),
        ("rows in Sums.up", FILES["area.py"], "sums.py", _METHOD, -2.0, ["sums.py"]),
        ("rows in Sums.up", FILES["area.py"], "sums.py", _METHOD, -9.0, ["area.py", "sums.py"]),
        ("sum", FILES["area.py"], "notes.md", "sum of rows\n", 2 * DOUBT, ["area.py"]),
        ("sum", FILES["area.py"], "notes.md", "sum of rows\n", 2 * DOUBT + 0.1, ["notes.md", "area.py"]),
    ],
)
def test_names_and_what_is_no_code_change_how_likely_another_place_must_be_to_be_asked(
    tmp_path: Path, words: str, here: str, other: str, code: str, odds: float, leads: list[str]
) -> None:
    files = {"area.py": here, other: code, "total.py": FILES["total.py"]}
    lookup = PlaceLookup(Repository.discover(make_repo(tmp_path, files)))
    found = weighed(lookup, {"area.py": -20.0, other: -20.0 + odds}, Request(words, focus=HERE))
    assert found[:2] == leads


def test_where_no_place_is_clear_the_likeliest_is_offered_first(lookup: PlaceLookup) -> None:
    assert weighed(lookup, {"total.py": -9.0, "area.py": -11.0}, Request(WORDS)) == ["total.py", "area.py", "price.py"]


@pytest.mark.parametrize("request_", [Request(WORDS, path="area.py"), Request("area.py:2 is wrong", focus=HERE)])
def test_a_place_that_is_told_is_not_doubted(lookup: PlaceLookup, request_: Request) -> None:
    told = lookup.find(request_)
    answerer = Weighs({"price.py": 0.0})
    list(weigh(answerer, lookup, request_))
    assert not answerer.heard
    assert lookup.find(request_) == told


def test_it_knows_nothing_where_the_model_cannot_say_or_was_given_up(lookup: PlaceLookup) -> None:
    request = Request(WORDS, focus=HERE)
    list(weigh(Weighs({"price.py": 0.0}, Ability.NOTHING), lookup, request))
    for items in range(2 * len(FILES)):
        looks = weigh(Weighs({"price.py": 0.0}), lookup, request)
        for _, _ in zip(range(items), looks, strict=False):
            pass
        looks.close()
        if items < len(FILES):
            assert lookup.find(request).path == "area.py"


def test_what_is_known_is_not_weighed_again_and_holds_for_these_words_alone(lookup: PlaceLookup) -> None:
    request, other = Request(WORDS, focus=HERE), Request("sum of all rows", focus=HERE)
    assert weighed(lookup, {"price.py": 0.0}, request)[0] == "price.py"
    again = Weighs({"area.py": 0.0})
    list(weigh(again, lookup, request))
    assert not again.heard
    with pytest.raises(Unclear):
        lookup.find_ahead(request)
    assert lookup.ahead is None
    assert lookup.find_ahead(other).path == lookup.find(request).path == "area.py"


def test_a_file_that_has_changed_since_is_weighed_again(lookup: PlaceLookup, tmp_path: Path) -> None:
    request, again = Request(WORDS, focus=HERE), Weighs({"area.py": 0.0})
    assert weighed(lookup, {"area.py": 0.0}, request) == ["area.py"]
    (tmp_path / "repo" / "area.py").write_text("# Areas\n" + FILES["area.py"])
    list(weigh(again, lookup, request))
    assert again.heard


def test_few_places_are_weighed_and_where_the_user_is_last_whose_lines_are_read_next(tmp_path: Path) -> None:
    files = {f"m{number}.py": f"def f{number}(rows):\n    return sum(rows)\n" for number in range(3 * MOST)}
    lookup, answerer = PlaceLookup(Repository.discover(make_repo(tmp_path / "repo", files))), Weighs({})
    list(weigh(answerer, lookup, Request(WORDS, focus=Focus("m7.py", (1, 2), "f7"))))
    assert len(answerer.heard) <= MOST + 1
    assert (answerer.heard[-1].path, answerer.heard[-1].words) == ("m7.py", WORDS)
