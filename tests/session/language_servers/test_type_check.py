"""Types as a check, with a server that a test scripts: what counts as added, and what a server may
do without harm.
"""

from pathlib import Path
from threading import active_count

import pytest

from spark_tui.session.language_servers import server
from tests.fakes import lives
from tests.session.language_servers.conftest import Fake, text_of

BASE = "a = 1\nb = 2\n"


@pytest.mark.parametrize("mode", ["is right", "publishes"])
def test_an_error_that_an_edit_adds_is_named_with_its_line(fake: Fake, mode: str) -> None:
    fake.install(mode)
    found = fake.checked(BASE, "a = 1\nb = WRONG\nc = WRONG\n")
    assert found is not None
    assert (found.name, found.ok, found.withholds) == ("types", False, False)
    assert found.detail == "line 2: b = WRONG is wrong (and 1 more)"


@pytest.mark.parametrize("mode", ["is right", "publishes"])
def test_an_edit_without_errors_passes(fake: Fake, mode: str) -> None:
    fake.install(mode)
    found = fake.checked(BASE, "a = 1\nb = 3\n")
    assert found is not None
    assert (found.ok, found.detail) == (True, "")


def test_an_error_that_was_there_and_moves_is_not_added(fake: Fake) -> None:
    fake.install()
    found = fake.checked("a = WRONG\nb = 2\n", "\nb = 2\n\na = WRONG\n")
    assert found is not None
    assert found.ok


def test_answers_follow_the_edits_of_a_turn(fake: Fake) -> None:
    fake.install()
    checker = fake.checker()
    base = text_of(BASE)
    checker.begin(base, "a.py")
    for number in range(3):
        checker.foresee(base, text_of(f"{BASE}c = {number}\n"), "a.py")
        wrong = checker.check(base, text_of(f"{BASE}c = {number}\nWRONG\n"), "a.py")
        right = checker.check(base, text_of(f"{BASE}c = {number}\n"), "a.py")
        assert wrong is not None
        assert right is not None
        assert (wrong.ok, right.ok) == (False, True)
    opened = [each for each in fake.received() if each.get("method") == "textDocument/didOpen"]
    assert len(opened) == 1, "further versions are changes"


def test_errors_of_the_file_as_it_is_are_known(fake: Fake) -> None:
    fake.install()
    checker = fake.checker()
    base = text_of("a = WRONG\n")
    checker.begin(base, "a.py")
    assert checker.check(base, text_of("a = 1\n"), "a.py") is not None
    assert [str(fault) for fault in checker.known(base, "a.py")] == ["line 1: a = WRONG is wrong"]


def test_a_server_hears_what_changed_on_disk_between_two_turns(fake: Fake) -> None:
    fake.install()
    fake.files = ["a.py", "gone.py"]
    for name in fake.files:
        (fake.root / name).write_text(BASE)
    checker = fake.checker()
    base = text_of(BASE)
    checker.begin(base, "a.py")
    checker.check(base, text_of("WRONG\n"), "a.py")
    (fake.root / "a.py").write_text("longer than before\n")
    (fake.root / "gone.py").unlink()
    fake.files = ["a.py", "new.py"]
    (fake.root / "new.py").write_text(BASE)
    checker.begin(base, "a.py")
    checker.check(base, text_of("WRONG again\n"), "a.py")
    [told] = [
        each["params"]["changes"]
        for each in fake.received()
        if each.get("method") == "workspace/didChangeWatchedFiles"
    ]
    assert {(Path(each["uri"]).name, each["type"]) for each in told} == {
        ("a.py", 2),
        ("gone.py", 3),
        ("new.py", 1),
    }


BROKEN = (
    "dies",
    "floods",
    "hangs",
    "old",
    "says deep JSON",
    "says no JSON",
    "says no length",
    "says too much",
    "never ends its header",
)


@pytest.mark.parametrize("mode", BROKEN)
def test_a_server_that_breaks_has_checked_nothing_says_so_and_is_gone(
    fake: Fake, mode: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(server, "ANSWER_SECONDS", 0.2)
    fake.install(mode)
    first = fake.checked(BASE, "WRONG\n")
    assert first is not None
    assert first.detail.startswith("not checked by ty: ")
    checker = fake.checkers[0]
    assert checker.check(text_of(BASE), text_of("WRONG\n"), "a.py") == first
    checker.close()
    assert not lives(fake.received()[0]["pid"])
    assert checker.check(text_of(BASE), text_of("WRONG\n"), "a.py") is None


def test_what_is_no_diagnostic_of_the_file_does_not_count(fake: Fake) -> None:
    fake.install("lies")
    found = fake.checked(BASE, "WRONG\n")
    assert found is not None
    assert found.ok


def test_a_refused_question_costs_its_own_answer_only(fake: Fake) -> None:
    fake.install("refuses")
    checker = fake.checker()
    base = text_of(BASE)
    checker.begin(base, "a.py")
    assert checker.check(base, text_of("WRONG\n"), "a.py") is None
    right = checker.check(base, text_of("c = 3\n"), "a.py")
    assert right is not None
    assert right.ok


def test_without_a_server_nothing_is_started(fake: Fake) -> None:
    before = active_count()
    assert fake.checked(BASE, "WRONG\n") is None
    assert active_count() == before


def test_a_program_of_the_work_tree_is_not_run(fake: Fake, monkeypatch: pytest.MonkeyPatch) -> None:
    inside = fake.root / ".venv" / "bin"
    inside.mkdir(parents=True)
    fake.install()
    (fake.programs / "ty").rename(inside / "ty")
    monkeypatch.setenv("PATH", f"{inside}:{fake.programs}:/usr/bin:/bin")
    assert fake.checked(BASE, "WRONG\n") is None
    (fake.programs / "ty").symlink_to(inside / "ty")
    assert fake.checked(BASE, "WRONG\n") is None
    assert fake.received() == []


def test_a_server_sees_no_keys_and_no_programs_of_the_work_tree(
    fake: Fake, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "secret")
    monkeypatch.setenv("PATH", f"{fake.programs}:{fake.root}:/usr/bin:/bin")
    fake.install()
    fake.checked(BASE, BASE)
    environment = fake.received()[0]["environment"]
    assert "OPENAI_API_KEY" not in environment
    assert str(fake.root) not in environment["PATH"].split(":")


def test_a_server_that_may_run_code_waits_for_trust(fake: Fake) -> None:
    fake.install(name="gopls")
    assert fake.checked("a\n", "WRONG\n", "a.go") is None
    assert fake.received() == []
    fake.trusted = True
    found = fake.checked("a\n", "WRONG\n", "a.go")
    assert found is not None
    assert not found.ok


@pytest.mark.parametrize("base", ["a = 1\rb = 2\n", "a = '\udce9'\n"])
def test_what_a_server_would_misread_is_not_shown_to_one(fake: Fake, base: str) -> None:
    fake.install()
    checker = fake.checker()
    text = text_of("") if "\udce9" in base else text_of(base)
    if "\udce9" in base:
        text = text.from_bytes(base.encode("utf-8", "surrogateescape"))
    checker.begin(text, "a.py")
    assert checker.check(text, text_of("WRONG\n"), "a.py") is None


def test_the_end_of_a_session_ends_a_server(fake: Fake) -> None:
    fake.install()
    fake.checked(BASE, BASE + "c = 3\n")
    pid = fake.received()[0]["pid"]
    assert lives(pid)
    fake.checkers[0].close()
    assert not lives(pid)
