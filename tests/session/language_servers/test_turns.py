"""What the check of types means for a turn: it makes an edit unsure, and never withholds one."""

from pathlib import Path

import pytest

from spark_tui.session.events import Checked, Held, Status
from spark_tui.session.json_output import result
from spark_tui.session.language_servers import type_check
from spark_tui.session.request import Request
from spark_tui.session.session import Session
from spark_tui.session.turn import Turn
from tests.fakes import edit_script, ended, proposed, scripted_session
from tests.session.language_servers.conftest import UNHURRIED, Fake
from tests.session.test_conversation import code, session_on

AREA = "def area(w, h):\n    size = w + h\n    return size\n"
WRONG = AREA.replace("w + h", "w * h  # WRONG")
RIGHT = AREA.replace("w + h", "w * h")


def session_with(fake: Fake, folder: Path, after: str) -> Session:
    scripts = {"do": edit_script(AREA, after)}
    session = scripted_session(folder, {"a.py": AREA}, scripts)
    session.maker.types = fake.checker()
    return session


def turn_of(session: Session) -> Turn:
    return ended(session.begin(Request("do", "a.py", symbol="area")))


def test_an_edit_that_adds_an_error_is_unsure_and_says_which(fake: Fake, tmp_path: Path) -> None:
    fake.install()
    session = session_with(fake, tmp_path, WRONG)
    turn = session.begin(Request("do", "a.py", symbol="area"))
    checked = [event for event in turn.events() if isinstance(event, Checked)]
    why = "line 2: size = w * h  # WRONG is wrong"
    assert (turn.status, proposed(turn)) == (Status.UNSURE, WRONG)
    assert turn.message.endswith(f"1 hunk: applies, parses, names; types: {why}")
    assert checked[-1].hunk_id == turn.hunks[0].id
    failed = [(check.name, check.detail) for check in checked[-1].checks if not check.ok]
    assert failed == [("types", why)]
    [hunk] = result(session.repo, turn, "tiny")["files"][0]["hunks"]
    assert hunk["checks"][-1] == {"name": "types", "ok": False, "detail": why}


def test_an_edit_that_adds_no_error_says_that_it_was_checked(fake: Fake, tmp_path: Path) -> None:
    fake.install()
    turn = turn_of(session_with(fake, tmp_path, RIGHT))
    assert turn.status is Status.OK
    assert turn.message.endswith("checked (applies, parses, names, types)")


def test_without_a_server_the_check_is_not_listed(fake: Fake, tmp_path: Path) -> None:
    turn = turn_of(session_with(fake, tmp_path, WRONG))
    assert turn.status is Status.OK
    assert turn.message.endswith("checked (applies, parses, names)")


def test_a_server_that_ends_is_told(fake: Fake, tmp_path: Path) -> None:
    fake.install("dies")
    turn = turn_of(session_with(fake, tmp_path, WRONG))
    assert turn.status is Status.OK
    assert "(applies, parses, names); types: not checked by ty: the server has " in turn.message
    assert "`spark doctor`" in turn.message


def test_an_answer_that_does_not_come_in_time_is_told(
    fake: Fake, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(type_check, "SLOW_SECONDS", 0.0)
    fake.install("hangs")
    turn = turn_of(session_with(fake, tmp_path, WRONG))
    assert turn.status is Status.OK
    assert turn.message.endswith("checked (applies, parses, names); types: no answer yet from ty")


def test_the_only_edit_of_a_process_is_unsure_without_an_answer(
    fake: Fake, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for limit in ("SLOW_SECONDS", "ONLY_EDIT_SECONDS"):
        monkeypatch.setattr(type_check, limit, 0.0)
    fake.install("hangs")
    session = session_with(fake, tmp_path, RIGHT)
    session.maker.types = fake.checker(is_for_one_edit=True)
    turn = session.begin(Request("do", "a.py", symbol="area"))
    lines = [event.line for event in turn.events() if isinstance(event, Held) and event.line]
    assert lines == ["waiting for ty to check the types"]
    assert turn.status is Status.UNSURE
    assert turn.message.endswith("applies, parses, names; types: no answer yet from ty")


def test_the_only_edit_of_a_process_waits_for_a_server_that_has_just_started(
    fake: Fake, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(type_check, "SLOW_SECONDS", 0.0)
    monkeypatch.setattr(type_check, "ONLY_EDIT_SECONDS", UNHURRIED)
    fake.install()
    session = session_with(fake, tmp_path, WRONG)
    session.maker.types = fake.checker(is_for_one_edit=True)
    assert "types: line 2: size = w * h  # WRONG is wrong" in turn_of(session).message


def test_a_hunk_that_is_written_anew_is_checked_too(fake: Fake, tmp_path: Path) -> None:
    fake.install()
    scripts = {"do": edit_script(AREA, RIGHT), "again": edit_script(AREA, WRONG)}
    session = scripted_session(tmp_path, {"a.py": AREA}, scripts)
    session.maker.types = fake.checker()
    first = turn_of(session)
    again = ended(session.ask_again(first, first.hunks[0].id, "again"))
    assert again.status is Status.UNSURE
    assert "types: line 2: " in again.message


def test_a_chat_model_reads_the_errors_in_view(fake: Fake, tmp_path: Path) -> None:
    fake.install()
    broken = "def f(x):\n    return x  # WRONG\n\n\ndef g(y):\n    return y  # WRONG too\n"
    with session_on(tmp_path, [code("f", "x + 1")] * 2, {"a.py": broken}) as (session, server):
        session.maker.types = fake.checker()
        for _ in range(2):
            turn = session.take_over(
                ended(session.begin(Request("shorter", path="a.py", symbol="f")))
            )
            assert turn is not None
            ended(turn)
        prompt = server.requests[-1]["messages"][-1]["content"]
    assert "The type checker finds this in a.py, as it is:" in prompt
    assert "line 2: return x  # WRONG is wrong" in prompt
    assert "line 6" not in prompt
