"""Looking back at what a turn wrote, token by token, and going on from there."""

from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from spark_tui.context.regions import Region
from spark_tui.editing.formats.quoted import QuotedDraft
from spark_tui.editing.hunks import Hunk, diff
from spark_tui.editing.text import Text
from spark_tui.errors import UsageError
from spark_tui.providers.base import TokenGenerated
from spark_tui.session.candidates import RegionSplicer
from spark_tui.session.events import Event, HunkUpdated, Status, Token
from spark_tui.session.session import Session
from spark_tui.session.token_log import TokenLog
from spark_tui.session.turn import Request, Turn
from spark_tui.session.turn_factory import NOTHING_WRITTEN, takes_words, with_line, with_words
from tests.fakes import edit_script, ended, proposed, rename_script, scripted_session
from tests.moments import at_every_moment
from tests.providers.quoting_models import Script

AREA = "def area(w, h):\n    size = w + h\n    return size\n"
FILE = f"import os\n\n\n{AREA}\n\ndef show():\n    print(area(2, 3), os.sep)\n"
SCRIPTS: Mapping[str, Script | None] = {
    "two": edit_script(
        AREA, AREA.replace("w, h", "w: int, h: int").replace("return size", "return size + 0")
    ),
    "double": edit_script(
        AREA,
        AREA.replace(":\n", ':\n    """Sides of é."""\n    print(w)\n\n', 1).replace(
            "w + h", "w * h"
        ),
    ),
    "rename area to surface": rename_script("area", "surface"),
    "broken": edit_script(AREA, AREA.replace("w + h", "w + missing")),
    "wild": None,
}


def _session(folder: Path) -> Session:
    return scripted_session(folder, {"a.py": FILE}, SCRIPTS)


def _request(words: str, seed: int = 0) -> Request:
    heat = 1.5 if words == "wild" else 0.0
    return Request(words, "a.py", symbol="area", max_tokens=160, temperature=heat, seed=seed)


def _played(session: Session, words: str, seed: int = 0) -> Turn:
    return ended(session.begin(_request(words, seed)))


def _written(turn: Turn) -> list[int]:
    return [turn.tape[at].token_id for at in range(len(turn.tape))]


def _folded(events: list[Event]) -> list[tuple[Hunk, ...]]:
    """The hunks that were on the screen just before each token, and at last those before the
    end.
    """
    shown: list[tuple[Hunk, ...]] = []
    now: tuple[Hunk, ...] = ()
    for event in events:
        if isinstance(event, Token):
            shown.append(now)
        elif isinstance(event, HunkUpdated):
            now = event.hunks
    return shown


def _touched(hunks: tuple[Hunk, ...]) -> int:
    return sum(len(hunk.old) for hunk in hunks)


def _contents(hunks: tuple[Hunk, ...]) -> list[tuple[int, tuple[str, ...], tuple[str, ...]]]:
    return [(hunk.start, hunk.old, hunk.new) for hunk in hunks]


@pytest.mark.parametrize("words", [words for words in SCRIPTS if words != "wild"])
def test_the_file_after_every_token_is_what_was_shown_of_a_turn_that_took_its_time(
    tmp_path: Path, words: str
) -> None:
    turn = _session(tmp_path).begin(_request(words))
    turn.due = lambda: True
    events = list(turn.events())
    tokens = [event for event in events if isinstance(event, Token)]
    tape = turn.tape
    assert [tape[at].token_id for at in range(len(tape))] == [token.token_id for token in tokens]
    assert [tape[at].logprob for at in range(len(tape))] == [token.logprob for token in tokens]
    before = [*_folded(events)][1:]
    order = [*range(len(before)), *reversed(range(len(before))), *range(0, len(before), 7)]
    for at in order:
        written = diff(turn.base, tape.file(at))
        if at and _touched(written) < _touched(
            before[at - 1]
        ):  # a change taken back by its last token is held back
            written = before[at - 1]
        assert _contents(written) == _contents(before[at]), at


@pytest.mark.parametrize("seed", range(4))
def test_a_model_that_writes_anything_is_looked_back_at_the_same(tmp_path: Path, seed: int) -> None:
    turn = _session(tmp_path).begin(_request("wild", seed))
    turn.due = lambda: True
    events = list(turn.events())
    for at, hunks in enumerate(_folded(events)[1:]):
        assert _contents(diff(turn.base, turn.tape.file(at))) == _contents(hunks)


@pytest.mark.parametrize("words", [*SCRIPTS])
def test_what_a_hasty_turn_shows_is_what_was_written_by_then(tmp_path: Path, words: str) -> None:
    turn = _session(tmp_path).begin(_request(words))
    shown: dict[int, tuple[Hunk, ...]] = {}
    at = -1
    for event in turn.events():
        if isinstance(event, Token):
            at = event.index
        elif isinstance(event, HunkUpdated):
            shown.setdefault(at, event.hunks)
    shown.pop(at, None)  # the end of the turn shows its best attempt
    for at, hunks in shown.items():
        assert _contents(diff(turn.base, turn.tape.file(at))) == _contents(hunks), at


@pytest.mark.parametrize("words", [*SCRIPTS])
def test_whoever_stops_at_a_token_is_shown_all_of_it_and_the_end_is_the_same(
    tmp_path: Path, words: str
) -> None:
    session = _session(tmp_path)
    straight = _played(session, words)
    turn = session.begin(_request(words))
    for event in turn.events():
        turn.show_written()
        if isinstance(event, Token):
            assert turn.review.proposed == turn.tape.file(event.index)
    assert _written(turn) == _written(straight)
    assert (turn.status, turn.message) == (straight.status, straight.message)
    assert (turn.review.proposed, turn.checks) == (straight.review.proposed, straight.checks)
    assert [(hunk.start, hunk.old, hunk.new) for hunk in turn.closed_hunks] == _contents(
        straight.closed_hunks
    )


def test_a_name_grows_wherever_it_is_used_while_it_is_written(tmp_path: Path) -> None:
    turn = _session(tmp_path).begin(_request("rename area to surface"))
    turn.due = lambda: True
    seen = [turn.review.proposed.lines[3] for event in turn.events() if isinstance(event, Token)]
    names = [line.removeprefix("def ").removesuffix("(w, h):") for line in dict.fromkeys(seen)]
    assert names[0] == "area"
    assert names[-1] == "surface"
    assert len(names) > 3
    assert all("surface".startswith(name) for name in names[1:])


def test_a_line_grows_with_every_token_of_it(tmp_path: Path) -> None:
    turn = _session(tmp_path).begin(_request("double"))
    for event in turn.events():
        if isinstance(event, Token):
            turn.show_written()
            line = turn.tape.read(event.index).open_line
            assert not line or line in turn.review.proposed.lines, event
    assert turn.status is Status.OK


@pytest.mark.parametrize("until", range(1, 60, 6))
def test_giving_up_where_it_stands_leaves_what_it_would_have_left_unseen(
    tmp_path: Path, until: int
) -> None:
    session, left = _session(tmp_path), []
    for shows in (False, True):
        turn = session.begin(_request("two"))
        events = turn.events()
        for event in events:
            if isinstance(event, Token) and event.index == until:
                break
        if shows:
            turn.show_written()
        events.close()
        left.append(turn.review.proposed)
    assert left[0] == left[1]


def test_a_token_is_told_by_its_text_and_the_end_in_words(tmp_path: Path) -> None:
    tape = _played(_session(tmp_path), "double").tape
    told = [tape.meaning(at) for at in range(len(tape))]
    assert told[-1] == "that is all"
    assert all(words.startswith("“") and words.endswith("”") for words in told[:-1])


def test_uncertain_places_come_one_after_the_other_and_then_the_first_again(tmp_path: Path) -> None:
    tape = _played(_session(tmp_path), "wild").tape
    unsure = [at for at in range(len(tape)) if tape[at].logprob < -0.105]
    assert len(unsure) > 1
    assert [tape.unsure(at) for at in (-1, *unsure)] == [*unsure, unsure[0]]
    assert _played(_session(tmp_path / "sure"), "two").tape.unsure(-1) is None


def _index_of(turn: Turn, line: str) -> int:
    """The token after which this is the line being written."""
    return next(at for at in range(len(turn.tape)) if turn.tape.read(at).open_line == line)


@pytest.mark.parametrize("keep", [8, 14, 22])
def test_a_branch_is_what_a_fresh_run_that_begins_so_would_write(tmp_path: Path, keep: int) -> None:
    session = _session(tmp_path / "one")
    first = _played(session, "wild", 2)
    begun = first.tape.text(min(keep, len(first.tape) - 2))
    branch = session.branch(first, begun)
    events = list(branch.events())
    other = _session(tmp_path / "other").maker.branch("t", first, begun)
    again = [event.token_id for event in other.events() if isinstance(event, Token)]
    assert [event.token_id for event in events if isinstance(event, Token)] == again
    assert branch.review.proposed == other.review.proposed


@pytest.mark.parametrize("words", ["two", "double", "rename area to surface"])
def test_a_branch_with_no_other_words_ends_where_the_turn_did(tmp_path: Path, words: str) -> None:
    session = _session(tmp_path)
    turn = _played(session, words)
    for at in range(0, len(turn.tape) - 1, 5):
        branch = ended(session.branch(turn, turn.tape.text(at)))
        assert (branch.review.proposed, branch.status) == (turn.review.proposed, turn.status)


def test_words_go_on_in_the_line_and_the_rest_is_the_models(tmp_path: Path) -> None:
    session = _session(tmp_path)
    turn = _played(session, "two")
    branch = ended(
        session.branch(
            turn, with_words(turn, _index_of(turn, "    return size"), " * 100\n    # done")
        )
    )
    text = proposed(branch)
    assert "    return size * 100\n    # done" in text
    assert "w: int, h: int" in text


def test_a_line_is_written_anew_and_decoding_goes_on_from_it(tmp_path: Path) -> None:
    session = _session(tmp_path)
    turn = _played(session, "two")
    branch = ended(
        session.branch(
            turn, with_line(turn, _index_of(turn, "    return si"), "    return size + 1")
        )
    )
    assert branch.review.proposed.to_bytes() == turn.review.proposed.to_bytes().replace(
        b"size + 0", b"size + 1"
    )


def _within_a_character(turn: Turn) -> int:
    return next(at for at in range(len(turn.tape)) if turn.tape[at].text == "�")


def _is_whole(turn: Turn) -> bool:
    """Whether no character was ever shown in place of bytes that make none."""
    return all("�" not in line for at in range(len(turn.tape)) for line in turn.tape.file(at).lines)


def test_words_typed_within_a_character_go_on_from_the_one_before(tmp_path: Path) -> None:
    session = _session(tmp_path)
    turn = _played(session, "double")
    branch = ended(session.branch(turn, with_words(turn, _within_a_character(turn), 'e"""')))
    assert '    """Sides of e"""' in proposed(branch)
    assert _is_whole(branch)


@pytest.mark.parametrize("end", ["\n", "\n\n", "\n    "])
def test_a_line_may_be_followed_by_the_beginning_of_the_next(tmp_path: Path, end: str) -> None:
    session = _session(tmp_path)
    turn = _played(session, "two")
    at = _index_of(turn, "    return si")
    for begun in (
        with_line(turn, at, f"    return size * 1{end}"),
        with_words(turn, at, f"ze * 1{end}"),
    ):
        branch = ended(session.branch(turn, begun))
        assert "    return size * 1\n" in proposed(branch)


def test_what_was_accepted_stays_accepted_and_what_was_rejected_out(tmp_path: Path) -> None:
    session = _session(tmp_path)
    turn = _played(session, "two")
    at = _index_of(turn, "    return size")
    session.accept(turn, [turn.hunks[0].id])
    branch = ended(session.branch(turn, with_words(turn, at, " * 2")))
    assert [hunk.old_lines for hunk in branch.hunks] == [("    return size",)]
    session.accept(branch, [branch.hunks[0].id])
    written = (session.repo.root / "a.py").read_text()
    assert "w: int, h: int" in written
    assert "return size * 2" in written


@pytest.mark.parametrize(
    ("words", "at", "said"),
    [
        (" x", 0, "no line is being written"),
        (" x", -1, "no line is being written"),
        (" x" * 160, 20, "tokens, 160 is"),
    ],
)
def test_words_that_cannot_stand_there_are_refused(
    tmp_path: Path, words: str, at: int, said: str
) -> None:
    turn = _played(_session(tmp_path), "two")
    with pytest.raises(UsageError, match=said):
        with_words(turn, at % len(turn.tape), words)
    assert turn.status is Status.OK


@pytest.mark.parametrize("words", [words for words in SCRIPTS if words != "wild"])
def test_whether_words_can_be_typed_at_a_token_is_known_before(tmp_path: Path, words: str) -> None:
    turn = _played(_session(tmp_path), words)
    for at in range(len(turn.tape)):
        try:
            with_words(turn, at, "x")
            refused = ""
        except UsageError as e:
            refused = str(e)
        assert takes_words(turn, at) == (refused != NOTHING_WRITTEN)


def test_the_tokens_are_counted_at_any_moment_at_which_another_answer_begins() -> None:
    counted: list[int] = []
    page = RegionSplicer(Text.from_bytes(b"a = 1\n", "a.py"), Region("a.py", 1, 1, None, None, ""))

    def scene() -> tuple[Callable[[], object], Callable[[], object]]:
        tape = TokenLog(page, lambda: QuotedDraft(page.lines))
        tape.begin([])
        for token_id in range(3):
            tape.take(TokenGenerated(0, token_id, b"x", -1.0))
        return lambda: counted.append(len(tape)), lambda: tape.begin([])

    assert at_every_moment(TokenLog.__len__, scene) == len(counted) - 1
    assert set(counted) == {3}
