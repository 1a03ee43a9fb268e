"""What programs are told of a turn."""

import json
from pathlib import Path

import pytest

from spark_tui.errors import SparkError
from spark_tui.session.json_output import patch_of, proposal_of, result, to_json
from spark_tui.session.session import Session
from spark_tui.session.turn import Request, Turn
from tests.fakes import edit_script, ended, git, scripted_session
from tests.providers.quoting_models import NOTHING

AREA = "def area(w, h):\n    return w + h\n"
SCRIPTS = {"do": edit_script(AREA, AREA.replace("+", "*")), "nought": NOTHING}
TIMING = {
    "ttft_ms",
    "total_ms",
    "prompt_tokens",
    "cached_tokens",
    "generated_tokens",
    "forward_passes",
    "accepted_draft_tokens",
    "tokens_per_second",
    "thought_tokens",
    "cost",
}
KEYS = {
    "turn_started": {"turn_id", "instruction", "region", "map_tokens"},
    "prefill": {"prompt_tokens", "cached_tokens", "done_tokens", "t_ms"},
    "token": {"index", "id", "text", "logprob", "from_draft", "t_ms"},
    "hunk_updated": {"hunks"},
    "hunk_closed": {"hunk"},
    "checked": {"hunk_id", "checks"},
    "turn_ended": {"status", "message", "timing"},
}


def _turn(folder: Path, words: str = "do") -> tuple[Session, Turn]:
    session = scripted_session(folder, {"a.py": "import os\n" + AREA}, SCRIPTS)
    return session, ended(session.begin(Request(words, "a.py", symbol="area")))


def test_every_event_has_the_documented_fields_and_is_json(tmp_path: Path) -> None:
    session, turn = _turn(tmp_path)
    seen = set()
    for event in session.begin(turn.request).events():
        body = json.loads(json.dumps(to_json(event)))
        name = body.pop("event")
        assert set(body) == KEYS[name]
        seen.add(name)
    assert seen == set(KEYS)


def test_the_object_of_a_turn_has_the_documented_fields(tmp_path: Path) -> None:
    session, turn = _turn(tmp_path)
    body = json.loads(json.dumps(result(session.repo, turn, "tiny")))
    assert (body["version"], body["status"], body["model"], body["kind"]) == (
        1,
        "ok",
        "tiny",
        "edit",
    )
    assert body["region"] == {"path": "a.py", "start_line": 2, "end_line": 3, "symbol": "area"}
    assert set(body["timing"]) == TIMING
    (file,) = body["files"]
    (hunk,) = file["hunks"]
    assert (file["path"], hunk["old_start"]) == ("a.py", 3)
    assert (hunk["old_lines"], hunk["new_lines"]) == (["    return w + h"], ["    return w * h"])
    assert [check["name"] for check in hunk["checks"]] == ["applies", "parses", "names"]
    assert (body["variations"], body["applied"], body["journal_id"]) == ([], False, None)


def test_the_patch_is_what_git_applies(tmp_path: Path) -> None:
    session, turn = _turn(tmp_path)
    git(session.repo.root, "apply", stdin=patch_of(session.repo, turn))
    assert (session.repo.root / "a.py").read_text() == "import os\n" + AREA.replace("+", "*")


def test_the_patch_keeps_the_mode_of_a_program(tmp_path: Path) -> None:
    session, turn = _turn(tmp_path)
    (session.repo.root / "a.py").chmod(0o755)
    assert b" 100755\n" in patch_of(session.repo, turn)


def test_the_patch_stays_the_same_when_part_of_it_was_accepted(tmp_path: Path) -> None:
    session, turn = _turn(tmp_path)
    before = patch_of(session.repo, turn)
    entry = session.accept(turn)
    body = result(session.repo, turn, "tiny", entry)
    assert body["patch"].encode() == before
    assert (body["applied"], body["journal_id"]) == (True, entry.id)
    assert len(body["files"][0]["hunks"]) == 1


def test_the_proposal_is_a_patch_of_the_file_as_it_is_now(tmp_path: Path) -> None:
    session, turn = _turn(tmp_path)
    file = session.repo.root / "a.py"
    file.write_text("# mine\n\n" + file.read_text())
    git(session.repo.root, "apply", "--check", stdin=proposal_of(session.repo, turn))
    file.write_text(file.read_text().replace("return w + h", "return w - h"))
    with pytest.raises(SparkError, match=r"a\.py changed since, where the hunks are"):
        proposal_of(session.repo, turn)


def test_an_abstained_turn_has_no_patch_and_no_hunks(tmp_path: Path) -> None:
    session, turn = _turn(tmp_path, "nought")
    body = result(session.repo, turn, "tiny")
    assert (body["status"], body["patch"], body["files"], body["kind"]) == (
        "abstained",
        "",
        [],
        "none",
    )
