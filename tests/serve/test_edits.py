"""`/v1/edits`: the events and the object of `spark exec`, without a write."""

import json
from pathlib import Path

import pytest

from tests.fakes import edit_script, git, make_repo, rename_script
from tests.serve.conftest import Server, StartServer, events_of

AREA = "def area(w, h):\n    return w + h\n"
SCRIPTS = {
    "multiply": edit_script(AREA, AREA.replace("+", "*")),
    "rename w": rename_script("w", "width"),
    "break it": edit_script(AREA, AREA.replace("w + h", "w +")),
}


@pytest.fixture
def server(start_scripted: StartServer) -> Server:
    """A server that knows the scripts."""
    return start_scripted(SCRIPTS)


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    """A repository with one function."""
    return make_repo(tmp_path / "repo", {"a.py": AREA, "lib/b.py": "x = 1\n"})


def test_the_object_has_a_patch_that_applies_and_nothing_is_written(
    server: Server, repo: Path
) -> None:
    body = {"repository": str(repo), "instruction": "multiply", "at": "a.py::area"}
    whole = server.post("/v1/edits", body).json()
    assert (whole["status"], whole["applied"], whole["journal_id"]) == ("ok", False, None)
    assert whole["region"]["symbol"] == "area"
    git(repo, "apply", "--check", stdin=whole["patch"].encode())
    assert git(repo, "status", "--porcelain") == b""
    assert (repo / "a.py").read_text() == AREA


def test_a_stream_ends_with_the_same_object(server: Server, repo: Path) -> None:
    body = {"repository": str(repo), "instruction": "rename w", "at": "a.py"}
    whole = server.post("/v1/edits", body).json()
    events = events_of(server.post("/v1/edits", {**body, "stream": True}))
    names = [event["event"] for event in events]
    assert names[0] == "turn_started"
    assert names[-1] == "turn_ended"
    assert {"prefill", "token", "hunk_closed"} <= set(names)
    last = events[-1]
    assert {**last, "timing": {}} == {"event": "turn_ended", **whole, "timing": {}}
    text = "".join(event["text"] for event in events if event["event"] == "token")
    assert "rename w width" in text


def test_variations_are_told_like_those_of_the_command(server: Server, repo: Path) -> None:
    body = {"repository": str(repo), "instruction": "multiply", "at": "a.py", "variations": 2}
    whole = server.post("/v1/edits", body).json()
    assert 1 <= len(whole["variations"]) <= 2
    assert whole["variations"][0]["patch"] == whole["patch"]


def test_a_place_in_the_words_counts_as_with_the_command(server: Server, repo: Path) -> None:
    body = {"repository": str(repo), "instruction": "multiply @a.py"}
    assert server.post("/v1/edits", body).json()["region"]["path"] == "a.py"


def test_two_edits_of_one_client_run_one_after_the_other(server: Server, repo: Path) -> None:
    body = {"repository": str(repo), "instruction": "multiply", "at": "a.py"}
    patches = {server.post("/v1/edits", body).json()["patch"] for _ in range(3)}
    assert len(patches) == 1


@pytest.mark.parametrize(
    ("change", "param"),
    [
        ({"repository": "repo"}, "repository"),
        ({"instruction": " "}, "instruction"),
        ({"instruction": None}, "instruction"),
        ({"file": "a.py"}, "file"),
        ({"allow": "a.py"}, "allow"),
        ({"file": ["a.py"]}, "at"),
        ({"variations": 1000}, "variations"),
        ({"max_tokens": 0}, "max_tokens"),
        ({"temperature": "hot"}, "temperature"),
        ({"stream": 1}, "stream"),
        ({"apply": True}, "apply"),
        ({"check": "touch x"}, "check"),
    ],
)
def test_what_is_wrong_is_told_by_its_name(
    server: Server, repo: Path, change: dict[str, object], param: str
) -> None:
    body = {"repository": str(repo), "instruction": "multiply", "at": "a.py", **change}
    answer = server.post("/v1/edits", body)
    assert (answer.status_code, answer.json()["error"]["param"]) == (400, param)


def test_an_error_ends_a_stream_in_the_same_shape(server: Server, repo: Path) -> None:
    body = {"repository": str(repo), "instruction": "multiply", "at": "gone.py", "stream": True}
    events = events_of(server.post("/v1/edits", body))
    assert [set(event) for event in events] == [{"error"}]
    assert "gone.py" in json.dumps(events)


@pytest.mark.parametrize("path", [".env", "made.py", "lib/link.py"])
@pytest.mark.parametrize("how", ["at", "file", "mention", "stream"])
def test_a_private_file_needs_a_consent(server: Server, repo: Path, path: str, how: str) -> None:
    (repo / ".git" / "info" / "exclude").write_text("made.py\n")
    for name in (".env", "made.py"):
        (repo / name).write_text(AREA)
    (repo / "lib" / "link.py").symlink_to("../made.py")
    body: dict[str, object] = {"repository": str(repo), "instruction": "multiply", "at": path}
    if how == "mention":
        body = {"repository": str(repo), "instruction": f"multiply @{path}"}
    elif how == "file":
        body = {"repository": str(repo), "instruction": "multiply", "file": ["a.py", path]}
    answer = server.post("/v1/edits", {**body, "stream": how == "stream"})
    if how == "stream":
        (event,) = events_of(answer)
        error = event["error"]
    else:
        assert answer.status_code == 403
        error = answer.json()["error"]
    assert (error["param"], error["code"]) == ("allow", "consent_required")
    assert "name it in allow" in error["message"]
    assert "area" not in answer.text


def test_a_private_file_that_is_allowed_is_edited(server: Server, repo: Path) -> None:
    (repo / ".env").write_text(AREA)
    body = {"repository": str(repo), "instruction": "multiply", "at": ".env", "allow": ["./.env"]}
    assert "return w * h" in server.post("/v1/edits", body).json()["patch"]


def test_a_model_that_does_not_quote_serves_no_edits(
    start: StartServer, tmp_path: Path, repo: Path
) -> None:
    from tests.providers.chat_models import chat_model

    server = start(chat_model(tmp_path / "chat", {}))
    body = {"repository": str(repo), "instruction": "multiply"}
    answer = server.post("/v1/edits", body)
    assert (answer.status_code, answer.json()["error"]["code"]) == (400, "unsupported_model")


@pytest.mark.parametrize("path", ["secrets.py", "deploy/credentials.py"])
def test_words_lead_to_no_private_file(server: Server, repo: Path, path: str) -> None:
    (repo / path).parent.mkdir(exist_ok=True)
    (repo / path).write_text("def db_password():\n    return 'hunter2'\n")
    body = {"repository": str(repo), "instruction": "use another db_password", "stream": True}
    answer = server.post("/v1/edits", body)
    assert "hunter2" not in answer.text
    assert path not in answer.text
