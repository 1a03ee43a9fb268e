"""The same words at other places: which answers there are, in what order, and what a turn at a
doubtful place says.
"""

import math
from collections.abc import Sequence
from pathlib import Path

import pytest

from spark_tui.editing.formats.quoted import PreviousEdit
from spark_tui.session.alternatives import TEMPERATURE, Alternatives, share_of_first
from spark_tui.session.events import Status
from spark_tui.session.locator import PlaceIndex, RankedPlace
from spark_tui.session.request import Request
from spark_tui.session.session import Session
from spark_tui.session.turn import Turn
from tests.fakes import ended, scripted_session

FILES = {
    "a.py": "def load(x):\n    return x\n",
    "b.py": "def save(x):\n    return x\n",
    "c.py": "def drop(y):\n    return y\n",
}
WORDS = "add one"
HALF = -math.log(2.0) * TEMPERATURE
"""How much less a place weighs that is half as likely as another one."""
SCRIPTS = {WORDS: ["-    return x", "+    return x + 1"]}


@pytest.fixture
def session(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Session:
    session = scripted_session(tmp_path, FILES, SCRIPTS)

    by_words = PlaceIndex.ranked

    def ranked(lookup: PlaceIndex, request: Request) -> tuple[RankedPlace, ...]:
        places = sorted(by_words(lookup, request), key=lambda place: place.region.path)
        return tuple(
            RankedPlace(place.region, HALF * number) for number, place in enumerate(places)
        )

    monkeypatch.setattr(PlaceIndex, "ranked", ranked)
    monkeypatch.setattr(PlaceIndex, "find_ranked", ranked)
    return session


def begun(session: Session, request: Request | None = None) -> tuple[Turn, Alternatives]:
    turn = ended(session.begin(request or Request(WORDS)))
    alternatives = session.alternatives_to(turn)
    assert alternatives is not None
    return turn, alternatives


def paths(alternatives: Alternatives) -> list[str]:
    return [answer.turn.region.path for answer in alternatives.answers()]


def test_the_first_answer_comes_from_the_likeliest_place_and_the_others_are_written_next(
    session: Session,
) -> None:
    turn, alternatives = begun(session)
    assert turn.region.path == "a.py"
    assert paths(alternatives) == ["a.py"]
    finished = [each for each in alternatives.write() if each is not None]
    assert [each.region.path for each in finished] == ["b.py", "c.py"]
    assert paths(alternatives) == ["a.py", "b.py"], "nothing is to be changed in c.py"
    assert alternatives.are_written


def test_weights_are_of_the_place_and_the_edit_together(session: Session) -> None:
    _, alternatives = begun(session)
    list(alternatives.write())
    first, second = alternatives.answers()
    difference = first.weight - second.weight - (first.candidate.logprob - second.candidate.logprob)
    assert difference == pytest.approx(math.log(2.0))
    assert first.weight < 0.0


def test_an_edit_at_a_place_that_is_less_likely_is_less_likely_right(session: Session) -> None:
    first, alternatives = begun(session)
    list(alternatives.write())
    other = alternatives.answers()[1].turn
    assert other.place_chance == pytest.approx(first.place_chance / 2)
    assert other.confidence is not None
    assert other.confidence < other.place_chance


def test_writing_that_was_given_up_begins_again(session: Session) -> None:
    _, alternatives = begun(session)
    writing = alternatives.write()
    next(writing)
    writing.close()
    assert paths(alternatives) == ["a.py"]
    list(alternatives.write())
    assert paths(alternatives) == ["a.py", "b.py"]


def test_an_edit_at_a_doubtful_place_is_never_sure(session: Session) -> None:
    doubtful, _ = begun(session)
    certain = ended(session.begin(Request(WORDS, "a.py")))
    assert doubtful.confidence is not None
    assert certain.confidence is not None
    share = share_of_first([RankedPlace(doubtful.region, HALF * number) for number in range(3)])
    assert share == pytest.approx(4 / 7)
    assert doubtful.confidence == pytest.approx(share * certain.confidence)


def test_a_place_that_was_named_has_no_alternatives(session: Session) -> None:
    turn = ended(session.begin(Request(WORDS, "a.py")))
    assert session.alternatives_to(turn) is None


def test_once_something_was_decided_the_place_is_settled(session: Session) -> None:
    turn, _ = begun(session)
    session.accept(turn)
    assert session.alternatives_to(turn) is None


def test_what_is_accepted_elsewhere_reaches_that_file_alone(session: Session) -> None:
    _, alternatives = begun(session)
    list(alternatives.write())
    other = alternatives.answers()[1].turn
    session.show_alternative(other)
    session.accept(other)
    written = {name: (session.repo.root / name).read_text() for name in FILES}
    assert written == FILES | {"b.py": "def save(x):\n    return x + 1\n"}
    assert session.turn is other
    assert other.status is Status.OK


def test_places_that_were_not_waited_for_are_ranked_before_their_edits_are_written(
    session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    turn, alternatives = begun(session)
    hasty = PlaceIndex.ranked

    def ranked(lookup: PlaceIndex, request: Request) -> tuple[RankedPlace, ...]:
        regions = [place.region for place in hasty(lookup, request)]
        likeliest_first = enumerate(reversed(regions))
        return tuple(RankedPlace(region, HALF * number) for number, region in likeliest_first)

    monkeypatch.setattr(PlaceIndex, "ranked", ranked)
    finished = [each for each in alternatives.write() if each is not None]
    assert [each.region.path for each in finished] == ["c.py", "b.py"]
    assert paths(alternatives) == ["b.py", "a.py"], "the edit that is shown stays an answer"
    assert turn in alternatives.turns


def test_words_that_find_no_edit_behind_the_turn_before_are_also_read_alone(
    session: Session,
) -> None:
    before = PreviousEdit("a.py", "add two", ("-    return x", "+    return x + 2"))
    turn, alternatives = begun(session, Request(WORDS, "c.py", previous=before))
    assert turn.status is Status.ABSTAINED
    assert not alternatives.are_written
    (alone,) = (each for each in alternatives.write() if each is not None)
    assert alone.region == turn.region
    assert alone.request == Request(WORDS, "c.py")
    assert alternatives.are_written


def test_a_redirect_to_no_edit_behind_the_turn_before_is_read_alone_too(session: Session) -> None:
    before = PreviousEdit("a.py", "add two", ("-    return x", "+    return x + 2"))
    first = ended(session.begin(Request("say hello", "c.py", previous=before)))
    second = ended(session.redirect(first, WORDS, ()))
    assert second.status is Status.ABSTAINED
    alternatives = session.alternatives_to(second)
    assert alternatives is not None
    (alone,) = (each for each in alternatives.write() if each is not None)
    assert alone.region == second.region
    assert alone.request.previous is None


def test_words_that_found_an_edit_behind_the_turn_before_are_read_once(session: Session) -> None:
    before = PreviousEdit("c.py", "add two", ("-    return y", "+    return y + 2"))
    turn, alternatives = begun(session, Request(WORDS, "a.py", previous=before))
    assert turn.status is not Status.ABSTAINED
    assert not [each for each in alternatives.write() if each is not None]


def test_the_share_of_the_first_place(session: Session) -> None:
    region = session.maker.mentions.places(Request(WORDS))[0]

    def share(weights: Sequence[float]) -> float:
        return share_of_first([RankedPlace(region, weight) for weight in weights])

    assert share([0.0]) == 1.0
    assert share([-900.0, -900.0 + HALF]) == pytest.approx(2 / 3)
