"""A turn from its first event to its last, with a model whose words are known."""

import random
import threading
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from spark_tui.editing import syntax
from spark_tui.editing.formats.quoted import script_pieces
from spark_tui.editing.syntax import parse_error
from spark_tui.editing.text import Text
from spark_tui.errors import UsageError
from spark_tui.providers.spark_model import SparkModel
from spark_tui.session.candidates import RegionSplicer
from spark_tui.session.events import (
    Event,
    HunkClosed,
    HunkUpdated,
    Prefill,
    Status,
    Token,
    TurnEnded,
    TurnStarted,
)
from spark_tui.session.runner import Runner
from spark_tui.session.session import Session
from spark_tui.session.turn import NOTHING, Request, Turn
from tests.fakes import edit_script, ended, proposed, rename_script, scripted_session
from tests.providers import quoting_models
from tests.providers.quoting_models import Script

AREA = "def area(w, h):\n    size = w + h\n    return size\n"
FILE = f"import os\n\n\n{AREA}\n\ndef show():\n    print(area(2, 3), os.sep)\n"
TWO = edit_script(
    AREA, AREA.replace("w, h", "w: int, h: int").replace("return size", "return size + 0")
)


def _session(folder: Path, scripts: Mapping[str, Script | None], file: str = FILE) -> Session:
    return scripted_session(folder, {"a.py": file}, scripts)


def _begin(folder: Path, script: Script, *, file: str = FILE, max_tokens: int = 512) -> Turn:
    return _session(folder, {"do": script}, file).begin(
        Request("do", "a.py", symbol="area", max_tokens=max_tokens)
    )


def test_events_come_in_order_and_tell_the_whole_script(tmp_path: Path) -> None:
    turn = _begin(tmp_path, TWO)
    events = list(turn.events())
    tokens = [event for event in events if isinstance(event, Token)]
    assert isinstance(events[0], TurnStarted)
    assert isinstance(events[1], Prefill)
    assert isinstance(events[-1], TurnEnded)
    assert "".join(token.text for token in tokens) == "".join(script_pieces(TWO))
    assert [token.index for token in tokens] == list(range(turn.timing.generated_tokens))
    assert turn.logprob == pytest.approx(sum(token.logprob for token in tokens), abs=1e-6)
    first = next(event for event in events if isinstance(event, HunkClosed))
    assert first.hunk.new_lines == ("def area(w: int, h: int):",)
    assert events.index(first) < events.index(tokens[-1]), (
        "it is closed while the next one is being written"
    )
    assert [event.hunks for event in events if isinstance(event, HunkUpdated)][-1] == turn.hunks
    assert (turn.status, turn.kind) == (Status.OK, "edit")
    assert proposed(turn) == FILE.replace("w, h", "w: int, h: int").replace(
        "return size", "return size + 0"
    )


def test_a_line_just_opened_is_not_mistaken_for_a_blank_one(tmp_path: Path) -> None:
    turn = _begin(
        tmp_path, edit_script(AREA, AREA.replace("    return", "    size *= 2\n    return"))
    )
    updates = [event.hunks for event in turn.events() if isinstance(event, HunkUpdated)]
    assert all("" not in hunk.new_lines for hunks in updates for hunk in hunks)


@pytest.mark.parametrize(
    "script",
    [
        edit_script(AREA, AREA.replace("w + h", "w + h + 1")),
        edit_script(
            AREA, AREA.replace("w + h", "w + h + 1").replace("return size", "return size + 1")
        ),
        rename_script("size", "size_of"),
    ],
)
def test_a_line_that_is_only_added_to_is_never_shown_unchanged_again(
    tmp_path: Path, script: Script
) -> None:
    turn = _begin(tmp_path, script)
    turn.due = lambda: True
    updates = [event.hunks for event in turn.events() if isinstance(event, HunkUpdated)]
    assert turn.status is Status.OK
    changed = [sum(len(hunk.old) for hunk in hunks) for hunks in updates]
    assert changed == sorted(changed)
    assert changed[0] > 0


@pytest.mark.parametrize(
    ("script", "said"),
    [
        (quoting_models.NOTHING, NOTHING),
        (edit_script(AREA, AREA.replace("= w + h", "= w +")), "no edit offered: line 5: "),
        (
            edit_script(AREA, AREA.replace("= w + h", "= w + depth")),
            "no edit offered: undefined: depth",
        ),
    ],
)
def test_without_a_verified_edit_it_abstains_and_says_what_to_try(
    tmp_path: Path, script: Script, said: str
) -> None:
    turn = _begin(tmp_path, script)
    *_, last = turn.events()
    assert isinstance(last, TurnEnded)
    assert last.status is Status.ABSTAINED
    assert said in last.message


def test_a_renaming_to_a_name_that_is_taken_is_not_offered(tmp_path: Path) -> None:
    turn = ended(_begin(tmp_path, rename_script("size", "w")))
    assert turn.status is Status.ABSTAINED
    assert turn.message == "no edit offered: w is used here already"


def test_a_file_that_did_not_parse_is_not_said_to_have_been_checked_for_that(
    tmp_path: Path,
) -> None:
    turn = ended(_begin(tmp_path, TWO, file=FILE + "def broken(:\n"))
    assert turn.status is Status.OK
    assert (
        "checked (applies, region parses); parses: it did not parse before either" in turn.message
    )


def test_a_region_that_does_not_parse_can_be_mended(tmp_path: Path) -> None:
    torn = AREA.replace("(w, h):", "(w, h:")
    turn = ended(
        _session(tmp_path, {"close it": edit_script(torn, AREA)}, torn).begin(
            Request("close it", "a.py", (1, 3))
        )
    )
    assert (turn.status, proposed(turn)) == (Status.OK, AREA)


def test_an_edit_that_breaks_its_region_is_not_offered_where_the_file_was_broken_before(
    tmp_path: Path,
) -> None:
    turn = ended(
        _begin(
            tmp_path, edit_script(AREA, AREA.replace("w + h", "w +")), file=FILE + "def broken(:\n"
        )
    )
    assert turn.status is Status.ABSTAINED
    assert turn.message == "no edit offered: line 5: invalid syntax"


def test_an_instruction_too_long_to_be_read_is_refused(tmp_path: Path) -> None:
    session = _session(tmp_path, {"do": TWO})
    with pytest.raises(UsageError, match="the instruction is"):
        session.begin(Request("rename it " * 300, "a.py", symbol="area"))


def test_a_script_that_does_not_end_in_time_is_not_offered(tmp_path: Path) -> None:
    turn = _begin(tmp_path, TWO, max_tokens=12)
    *_, last = turn.events()
    assert isinstance(last, TurnEnded)
    assert (last.status, turn.timing.generated_tokens) == (Status.ABSTAINED, 12)
    assert "longer than 12 tokens" in last.message


@pytest.mark.parametrize(
    "file", [FILE, AREA, f"{AREA}\nprint(area(1, 2))\n", f"import os\n\n\n{AREA}"]
)
def test_renaming_a_function_renames_its_calls_in_the_rest_of_the_file(
    tmp_path: Path, file: str
) -> None:
    turn = ended(_begin(tmp_path, rename_script("area", "surface"), file=file))
    assert (turn.status, proposed(turn)) == (Status.OK, file.replace("area", "surface"))


def test_renaming_a_function_of_a_very_large_file_stays_in_the_region_and_it_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(syntax, "MOST_PARSED", 100)
    file = AREA + "".join(
        f"\n\ndef show_{number}():\n    print(area(2, {number}))\n" for number in range(20)
    )
    turn = ended(_begin(tmp_path, rename_script("area", "surface"), file=file))
    assert (turn.status, proposed(turn)) == (Status.OK, file.replace("def area", "def surface"))
    assert turn.message.endswith("did not look for other uses of area: the file is very large")


@pytest.mark.parametrize("more", ["\n\ndef other(area):\n    return area\n", "\n\nsurface = 1\n"])
def test_a_rename_that_could_mean_something_else_elsewhere_stays_in_the_region_and_abstains(
    tmp_path: Path, more: str
) -> None:
    turn = ended(_begin(tmp_path, rename_script("area", "surface"), file=FILE + more))
    assert "print(area(2, 3)" in proposed(turn)
    assert turn.status is Status.ABSTAINED
    assert "undefined: area" in turn.message


def test_where_the_calls_of_a_renamed_method_stay_that_is_said(tmp_path: Path) -> None:
    method = "    def area(self):\n        return 1\n"
    words, script = "call it size everywhere", edit_script(method, method.replace("area", "size"))
    session = _session(
        tmp_path, {words: script}, f"class Room:\n{method}\n\nprint(Room().area())\n"
    )
    turn = ended(session.begin(Request(words, "a.py", symbol="Room.area")))
    assert turn.status is Status.OK
    assert turn.message.endswith("; area also in line 6 of a.py: not changed")


def test_renaming_a_local_variable_stays_in_its_function(tmp_path: Path) -> None:
    file = FILE + "\n\ndef other(size):\n    return size\n"
    turn = ended(_begin(tmp_path, rename_script("size", "total"), file=file))
    assert proposed(turn) == file.replace("size = w", "total = w").replace(
        "return size\n\n\ndef show", "return total\n\n\ndef show"
    )


def test_closing_keeps_closed_hunks_and_drops_the_unfinished_one(tmp_path: Path) -> None:
    turn = _begin(tmp_path, TWO)
    events = turn.events()
    for event in events:
        if isinstance(event, HunkUpdated) and len(event.hunks) == 2:
            break
    events.close()
    assert turn.status is Status.INTERRUPTED
    assert [hunk.new_lines for hunk in turn.hunks] == [("def area(w: int, h: int):",)]


TRIED = edit_script(
    AREA,
    "def area(w, h):\n    try:\n        size = w + h\n        return size\n    except "
    "OSError:\n        return None\n",
)


@pytest.mark.parametrize("script", [TWO, TRIED])
def test_closing_at_any_token_leaves_what_parses_and_adds_nothing(
    tmp_path: Path, script: Script
) -> None:
    session = _session(tmp_path, {"do": script})
    tokens, stop = 1, 0
    while stop < tokens:
        turn = session.begin(Request("do", "a.py", symbol="area"))
        events = turn.events()
        seen = next(
            event.index for event in events if isinstance(event, Token) and event.index == stop
        )
        shown = sum(len(hunk.old) + len(hunk.new) for hunk in turn.hunks)
        events.close()
        assert sum(len(hunk.old) + len(hunk.new) for hunk in turn.hunks) <= shown, (
            f"after token {seen}"
        )
        assert not parse_error(turn.review.proposed.to_bytes()), f"after token {seen}"
        tokens, stop = (
            len(_tokens(list(session.begin(turn.request).events()))) - 1 if not stop else tokens,
            stop + 1,
        )


@pytest.mark.parametrize(
    "after",
    [
        AREA.replace("w, h", "w, h=depth").replace("return size", "return size + 0"),
        AREA.replace("w + h", "w * depth").replace(
            "return size", "return size + 0"
        ),  # closed by the end of the answer
    ],
)
def test_what_is_accepted_after_a_turn_was_cut_short_is_checked(tmp_path: Path, after: str) -> None:
    session = _session(tmp_path, {"do": edit_script(AREA, after)})
    turn = session.begin(Request("do", "a.py", symbol="area"))
    events = turn.events()
    next(event for event in events if isinstance(event, HunkClosed))
    events.close()
    session.accept(turn)
    assert session.warning.startswith("names: undefined: depth")


def test_a_region_too_long_for_the_model_is_refused_with_what_to_do(tmp_path: Path) -> None:
    long = "def f():\n" + "".join(
        f"    call_number_{n}('some text to fill the context')\n" for n in range(200)
    )
    session = scripted_session(tmp_path, {"a.py": long}, {})
    with pytest.raises(UsageError, match="select fewer lines"):
        session.begin(Request("do", "a.py", symbol="f"))


def test_chosen_lines_are_edited_where_the_model_has_no_room_for_all_of_their_function(
    tmp_path: Path,
) -> None:
    long = "def f():\n" + "".join(
        f"    call_number_{n}('some text to fill the context')\n" for n in range(200)
    )
    change = edit_script("    call_number_18('some text to fill the context')\n", "")
    session = scripted_session(tmp_path, {"a.py": long}, {"do": change})
    turn = ended(session.begin(Request("do", "a.py", lines=(20, 20))))
    assert (turn.region.start_line, turn.region.end_line) == (20, 20)
    assert [hunk.start for hunk in turn.hunks] == [19]


def _tokens(events: Sequence[Event]) -> list[int]:
    return [event.token_id for event in events if isinstance(event, Token)]


def test_pausing_at_every_step_changes_no_token_whatever_the_engine_does_meanwhile(
    tmp_path: Path,
) -> None:
    session = _session(tmp_path, {"other": TWO, "": None})
    rng = random.Random(0)
    for number in range(50):
        words = " ".join(rng.choices(["rename", "size", "area", "add", "return", "w"], k=4))
        request = Request(words, "a.py", symbol="area", temperature=1.0, seed=number, max_tokens=20)
        straight = _tokens(list(session.begin(request).events()))
        paused: list[Event] = []
        turn = session.begin(request)
        for event in turn.events():
            paused.append(event)
            if isinstance(event, Token):
                other = session.redirect(turn, f"{words} or rather {event.index}").events()
                assert isinstance([next(other) for _ in range(3)][-1], Token)
                other.close()
        assert _tokens(paused) == straight


def test_paused_and_resumed_on_the_runner_at_every_step_gives_the_same_events(
    tmp_path: Path,
) -> None:
    session = _session(tmp_path, {"do": TWO})
    request = Request("do", "a.py", symbol="area")
    straight = _tokens(list(session.begin(request).events()))
    runner, heard = Runner(), list[Event]()

    def hear(event: Event) -> None:
        heard.append(event)
        runner.pause(number)

    number = runner.turn_id + 1
    runner.start(session.begin(request).events(), hear, lambda error: None)
    while not runner.idle:
        assert runner.wait_stopped(10)
        runner.resume(number)
    assert _tokens(heard) == straight
    assert isinstance(heard[-1], TurnEnded)


@pytest.mark.parametrize("script", [TWO, rename_script("size", "total"), quoting_models.NOTHING])
def test_drafts_change_no_token_and_save_passes(tmp_path: Path, script: Script) -> None:
    session = _session(tmp_path, {"do": script})
    drafted = session.begin(Request("do", "a.py", symbol="area"))
    tokens = _tokens(list(drafted.events()))
    answerer = SparkModel(session.loaded, speculate=False)
    plain = Turn("t", drafted.request, drafted.region, drafted.base, answerer)
    assert _tokens(list(plain.events())) == tokens
    assert proposed(plain) == proposed(drafted)
    assert plain.timing.accepted_draft_tokens == 0
    assert (
        drafted.timing.forward_passes
        == plain.timing.forward_passes - drafted.timing.accepted_draft_tokens
    )


def test_a_line_that_is_copied_is_drafted(tmp_path: Path) -> None:
    line = "    return first_value + second_value + third_value"
    area = f"def area(first_value, second_value, third_value):\n{line}\n"
    script = edit_script(area, area.replace(line, f"{line} + 1"))
    turn = ended(
        _session(tmp_path, {"do": script}, area).begin(Request("do", "a.py", symbol="area"))
    )
    timing = turn.timing
    assert timing.accepted_draft_tokens > timing.generated_tokens / 3


def test_a_file_without_lines_can_be_written(tmp_path: Path) -> None:
    turn = ended(
        _session(tmp_path, {"begin it": edit_script("", AREA)}, "").begin(
            Request("begin it", "a.py")
        )
    )
    assert (turn.status, proposed(turn)) == (Status.OK, AREA)


def _write_on(events: Iterator[Event], token: int) -> None:
    while not (isinstance(event := next(events), Token) and event.index == token):
        pass


def test_nothing_that_closes_while_somebody_asks_for_what_is_closed_is_lost(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    script = edit_script(AREA, AREA.replace("return size", "return size + 0"))
    told = list(_begin(tmp_path / "before", script).events())
    last = max(event.index for event in told if isinstance(event, Token))
    turn = _begin(tmp_path, script)
    events = turn.events()
    _write_on(events, last - 1)
    writes, make = threading.Thread(target=_write_on, args=(events, last)), RegionSplicer.file

    def written_meanwhile(place: RegionSplicer, *args: Any) -> Text:
        monkeypatch.setattr(RegionSplicer, "file", make)
        writes.start()
        writes.join(0.3)
        return make(place, *args)

    monkeypatch.setattr(RegionSplicer, "file", written_meanwhile)
    assert turn.closed_hunks == ()
    writes.join()
    list(events)
    assert proposed(turn) == FILE.replace("return size", "return size + 0")
