"""The model is asked of which place words are likeliest said, and the places are ranked by
that, too.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from spark_tui.context.resolver import DECIDED, FOCUS, MOST_PLACES, Focus
from spark_tui.editing.formats.quoted import QuotedRequest as Said
from spark_tui.providers.base import Ability, Draft, GenerationRequest, Provider, Writer
from spark_tui.session.locator import SAID, PlaceIndex, names, weigh
from spark_tui.session.request import Request
from spark_tui.vcs.repository import Repository
from tests.fakes import make_repo

NAMES = ("area", "price", "total")
FILES = {f"{name}.py": f"def {name}(rows):\n    return sum(rows)\n" for name in NAMES}
HERE = Focus("area.py", (1, 2), "area")
WORDS = "sum of the rows"


class Weighs(Provider):
    """Finds words as likely as it is told, by file.

    Args:
        can: What it can do.
    """

    def __init__(self, odds: Mapping[str, float], can: Ability = Ability.SCORE) -> None:
        self._odds, self._can = odds, can
        self.heard = list[Said]()

    @property
    def can(self) -> Ability:
        """See `Provider`."""
        return self._can

    def write(self, ask: GenerationRequest) -> Writer:
        """See `Provider`."""
        raise NotImplementedError

    def draft(self, lines: object, around: object = None) -> Draft:
        """See `Provider`."""
        raise NotImplementedError

    def has_room(self, lines: object) -> bool:
        """See `Provider`."""
        return True

    def likelihoods(self, requests: Iterable[Said]) -> Iterator[float | None]:
        """See `Provider`."""
        for each in requests:
            self.heard.append(each)
            yield None
            yield self._odds.get(each.path, -90.0)


@pytest.fixture
def lookup(tmp_path: Path) -> PlaceIndex:
    return PlaceIndex(Repository.discover(make_repo(tmp_path / "repo", FILES)))


def weighed(lookup: PlaceIndex, odds: Mapping[str, float], request: Request) -> list[str]:
    """The files of the places then, the likeliest first."""
    list(weigh(Weighs(odds), lookup, request))
    ranked = lookup.ranked(request)
    assert lookup.find(request) == ranked[0].region
    assert [place.weight for place in ranked] == sorted(
        (place.weight for place in ranked), reverse=True
    )
    return [place.region.path for place in ranked]


def test_the_likelier_the_words_are_said_of_a_place_the_likelier_it_is(lookup: PlaceIndex) -> None:
    odds = {"total.py": -9.0, "area.py": -11.0, "price.py": -20.0}
    assert weighed(lookup, odds, Request(WORDS)) == ["total.py", "area.py", "price.py"]


@pytest.mark.parametrize(("earlier", "prior"), [(("shorter",), FOCUS), ((), DECIDED)])
def test_where_the_user_is_has_a_prior_and_where_words_are_far_likelier_comes_first(
    lookup: PlaceIndex, earlier: tuple[str, ...], prior: float
) -> None:
    focus = replace(HERE, earlier=earlier)
    for other, first in (
        (-30.0, "area.py"),
        (-30.1 + prior / SAID, "area.py"),
        (-29.0 + prior / SAID, "price.py"),
    ):
        request = Request(f"{WORDS}{other}", focus=focus)
        assert weighed(lookup, {"area.py": -30.0, "price.py": other}, request)[0] == first


def test_a_name_is_stronger_than_what_the_model_finds(lookup: PlaceIndex) -> None:
    request = Request("`price` is the sum of the rows", focus=HERE)
    assert weighed(lookup, {"area.py": -30.0, "price.py": -36.0}, request)[0] == "price.py"


class Earlier(Weighs):
    """Finds words as likely as it is told behind earlier ones."""

    def likelihoods(self, requests: Iterable[Said]) -> Iterator[float | None]:
        """See `Provider`."""
        for each in requests:
            self.heard.append(each)
            yield -10.0 if each.earlier else -60.0


def test_words_that_may_go_on_from_undecided_ones_are_read_behind_them_where_the_user_is(
    lookup: PlaceIndex,
) -> None:
    request, answerer = Request(WORDS, focus=replace(HERE, earlier=("add up",))), Earlier({})
    list(weigh(answerer, lookup, request))
    assert {each.path: each.earlier for each in answerer.heard if each.earlier} == {
        "area.py": ("add up",)
    }
    first, second = lookup.ranked(request)[:2]
    assert (first.region.path, first.weight - second.weight > 50.0 * SAID) == ("area.py", True)


@pytest.mark.parametrize(
    "request_", [Request(WORDS, path="area.py"), Request("area.py:2 is wrong", focus=HERE)]
)
def test_a_place_that_is_told_is_not_weighed(lookup: PlaceIndex, request_: Request) -> None:
    told = lookup.find(request_)
    answerer = Weighs({"price.py": 0.0})
    list(weigh(answerer, lookup, request_))
    assert not answerer.heard
    assert lookup.find(request_) == told


def test_without_a_model_that_can_say_the_words_alone_rank(lookup: PlaceIndex) -> None:
    request = Request("price and rows")
    list(weigh(Weighs({"total.py": 0.0}, Ability.NOTHING), lookup, request))
    assert lookup.ranked(request)[0].region.path == "price.py"


def test_what_was_weighed_counts_when_it_is_given_up_at_any_item(lookup: PlaceIndex) -> None:
    request = Request("price and rows")
    by_words = [place.region.path for place in lookup.ranked(request)]
    for items in range(len(FILES) + 1):
        lookup.find_ahead(Request("others"))
        looks = weigh(
            Weighs({path: -9.0 * (path == by_words[0]) for path in FILES}), lookup, request
        )
        for _, _ in zip(range(items), looks, strict=False):
            pass
        looks.close()
        first = lookup.find(request).path
        assert first == (by_words[0] if items < 3 else by_words[1])
        assert not lookup.knows(request) or items > len(FILES)


def test_what_is_known_is_not_weighed_again_and_holds_for_these_words_alone(
    lookup: PlaceIndex,
) -> None:
    request, other = Request(WORDS, focus=HERE), Request("sum of all rows", focus=HERE)
    assert weighed(lookup, {"price.py": 0.0}, request)[0] == "price.py"
    again = Weighs({"area.py": 0.0})
    list(weigh(again, lookup, request))
    assert not again.heard
    assert lookup.find_ahead(request).path == "price.py"
    assert lookup.find_ahead(other).path == lookup.find(request).path == "area.py"


def test_a_file_that_has_changed_since_is_weighed_again(lookup: PlaceIndex, tmp_path: Path) -> None:
    request, again = Request(WORDS, focus=HERE), Weighs({"area.py": 0.0})
    assert weighed(lookup, {"area.py": 0.0}, request)[0] == "area.py"
    (tmp_path / "repo" / "area.py").write_text("# Areas\n" + FILES["area.py"])
    list(weigh(again, lookup, request))
    assert again.heard


def test_few_places_are_weighed_by_few_lines_that_name_them_and_share_words(tmp_path: Path) -> None:
    filling = "".join(f"        self.value_{number} = {number}\n" for number in range(60))
    method = (
        f"class Shop:\n    def open_doors(self, hours):\n{filling}        return sold * hours\n"
    )
    files = {f"m{number}.py": method for number in range(3 * MOST_PLACES)}
    lookup, answerer = (
        PlaceIndex(Repository.discover(make_repo(tmp_path / "repo", files))),
        Weighs({}),
    )
    list(weigh(answerer, lookup, Request("sold counts twice")))
    assert len(answerer.heard) == MOST_PLACES
    lines = answerer.heard[0].lines
    assert lines[:2] == ("class Shop:", "    def open_doors(self, hours):")
    assert lines[-1] == "        return sold * hours"
    assert len(lines) < 16


@pytest.mark.parametrize(
    ("words", "is_named"),
    [
        ("area is wrong", True),
        ("area.py is wrong", True),
        ("`area` is wrong", True),
        ("price is wrong", False),
    ],
)
def test_words_name_a_place_by_its_name_or_its_file(
    lookup: PlaceIndex, words: str, is_named: bool
) -> None:
    assert names(words, lookup.find(Request("", path="area.py", symbol="area"))) is is_named
