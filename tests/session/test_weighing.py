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


_SUM_UP, _NAMELESS = "def sum_up(rows):\n    return 0\n", "RATE = 0\n"


@pytest.mark.parametrize(
    ("words", "code"), [("sum_up none", _SUM_UP), ("the sum up helper", _SUM_UP), ("1 in sum", _NAMELESS)]
)
def test_what_is_named_is_asked_about_where_it_is_likelier_at_all(tmp_path: Path, words: str, code: str) -> None:
    files = {"area.py": "def area(rows):\n    return sum_up(rows)\n", "sum.py": code}
    lookup = PlaceLookup(Repository.discover(make_repo(tmp_path, files)))
    assert weighed(lookup, {"area.py": -9.0, "sum.py": -8.9}, Request(words, focus=HERE)) == ["sum.py", "area.py"]


@pytest.mark.parametrize(("here", "leads"), [(-30.0, ["sums.py"]), (-9.0, ["area.py", "sums.py"])])
def test_a_method_that_is_named_whole_is_doubted_for_where_the_user_is_alone(
    tmp_path: Path, here: float, leads: list[str]
) -> None:
    code = "class Sums:\n    def up(self, rows):\n        return 0\n"
    lookup = PlaceLookup(Repository.discover(make_repo(tmp_path, {**FILES, "sums.py": code})))
    odds = {"area.py": here, "sums.py": -20.0, "total.py": -10.0}
    assert weighed(lookup, odds, Request("rows in Sums.up", focus=HERE))[:2] == leads


@pytest.mark.parametrize(("words", "first"), [(WORDS, "area.py"), (f"{WORDS}, in the notes", "notes.md")])
def test_what_is_no_code_comes_first_only_where_it_is_far_likelier_or_named(
    tmp_path: Path, words: str, first: str
) -> None:
    lookup = PlaceLookup(Repository.discover(make_repo(tmp_path, {**FILES, "notes.md": "rows\n"})))
    odds = {"notes.md": -30.0 + DOUBT - 0.1, "area.py": -30.0}
    assert weighed(lookup, odds, Request(words))[0] == first


@pytest.mark.parametrize(
    ("price", "leads"), [(-29.9 - HARDLY, ["area.py"]), (-29.9 - HARDLY + 0.2, ["price.py", "area.py", "total.py"])]
)
def test_a_name_that_does_not_stand_where_the_user_is_is_asked_about_unless_that_is_hardly_likely(
    lookup: PlaceLookup, price: float, leads: list[str]
) -> None:
    assert weighed(lookup, {"area.py": -29.9, "price.py": price}, Request("the same for price", focus=HERE)) == leads


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
