"""What may hold secrets reaches no endpoint unless the user named it and consented.

Each test looks at the bytes that a server on loopback got.
"""

from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from dataclasses import replace
from pathlib import Path

import pytest

from spark_tui.config import Settings
from spark_tui.editing.text import Text
from spark_tui.errors import ConsentMissing, SparkError
from spark_tui.providers.base import Ability
from spark_tui.providers.quoting_provider import remote_of
from spark_tui.providers.registry import Models
from spark_tui.session.ask import QuestionFile, standing_instructions
from spark_tui.session.change_review import WorkTree
from spark_tui.session.events import Status
from spark_tui.session.replay import PastTurn, replay
from spark_tui.session.request import Request
from spark_tui.session.session import Session
from spark_tui.session.targets import TargetFinder
from spark_tui.session.turn import Turn
from spark_tui.vcs.repository import Repository
from tests.fakes import (
    SURE,
    UNSURE,
    ScriptedSession,
    edit_script,
    ended,
    make_repo,
    returned,
    scripted,
)
from tests.providers.chat_models import chat_model
from tests.providers.quoting_models import Script
from tests.providers.scripted_server import ScriptedServer, refuses, says, serving

HIDDEN = "hunter2-of-the-vault"
AREA = "def area(w, h):\n    return w + h\n"
PLACES = [
    ("secrets.yaml", f"db_password: {HIDDEN}\n"),
    ("config/credentials.py", f"def db_password():\n    return '{HIDDEN}'\n"),
    (".env", f"db_password={HIDDEN}\n"),
    ("deploy/id_ed25519", f"db_password {HIDDEN}\n"),
    ("secrets/prod.yml", f"db_password: {HIDDEN}\n"),
]
WORDS = "use another db_password"


def secret(path: str) -> dict[str, str]:
    return {"a.py": AREA, path: f"def db_password():\n    return '{HIDDEN}'\n"}


@contextmanager
def on_endpoint(
    folder: Path, files: Mapping[str, str], *answers: str, **given: object
) -> Iterator[tuple[Session, ScriptedServer]]:
    """A session whose model is an endpoint."""
    with serving(says(*(answers or ("Nothing.",)))) as server:
        big = server.endpoint(**{"probe": False, "map": 2000, "format": "rewrite"} | given)
        repo = Repository.discover(make_repo(folder / "repo", files))
        loaded = scripted(folder / "model", {})
        models = Models(endpoints={"big": big})
        session = ScriptedSession(
            repo, loaded, folder / "state", models=models, remote=remote_of(big, {})
        )
        with closing(session):
            yield session, server


@contextmanager
def beside_endpoint(
    folder: Path, files: Mapping[str, str], scripts: Mapping[str, Script | None], sure: float
) -> Iterator[tuple[Session, ScriptedServer]]:
    """A session on a model of this process, with an endpoint as the deep one."""
    with serving(says("Nothing.")) as server:
        big = server.endpoint(probe=False, map=2000)
        repo = Repository.discover(make_repo(folder / "repo", files))
        loaded = scripted(folder / "model", scripts, sure=sure)
        models = Models(endpoints={"big": big})
        session = ScriptedSession(repo, loaded, folder / "state", models=models, deep="big")
        with closing(session):
            yield session, server


def sent(server: ScriptedServer) -> bytes:
    return b"\n".join(server.bodies)


def tried(session: Session, request: Request) -> Turn:
    turn = session.begin(request)
    with suppress(SparkError):  # what the server says is no edit
        ended(turn)
    return turn


def begin(session: Session, words: str) -> Turn:
    finder = TargetFinder(session, Settings())
    return ended(returned(finder.begin(words)))


@pytest.mark.parametrize(("path", "text"), PLACES)
def test_words_that_name_no_file_lead_to_none_that_may_hold_secrets(
    path: str, text: str, tmp_path: Path
) -> None:
    with on_endpoint(tmp_path, {"a.py": AREA, path: text}) as (session, server):
        begin(session, WORDS)
        assert server.requests
        assert HIDDEN.encode() not in sent(server)


@pytest.mark.parametrize("words", ["use another one in @{}", "use another one in {}"])
@pytest.mark.parametrize("path", ["secrets.yaml", "deploy/live.env", "config/server.pem"])
def test_a_file_that_is_named_needs_a_consent(words: str, path: str, tmp_path: Path) -> None:
    with on_endpoint(tmp_path, {"a.py": AREA, path: f"x = {HIDDEN}\n"}) as (session, server):
        with pytest.raises(ConsentMissing) as missing:
            begin(session, words.format(path))
        assert missing.value.paths == (path,)
        assert not server.requests
        session.disclosure.allow(missing.value.paths)
        begin(session, words.format(path))
        assert HIDDEN.encode() in sent(server)


def test_a_link_to_such_a_file_needs_one_too(tmp_path: Path) -> None:
    with on_endpoint(tmp_path, {"a.py": AREA, ".env": f"x={HIDDEN}\n"}) as (session, server):
        (session.repo.root / "notes.txt").symlink_to(".env")
        with pytest.raises(ConsentMissing):
            session.begin(Request("shorter", "notes.txt"))
        with pytest.raises(ConsentMissing):
            returned(session.asking.answer("what is it?", (QuestionFile("notes.txt"),)))
        assert not server.requests


def test_an_ignored_file_counts_by_its_name(tmp_path: Path) -> None:
    files = {"a.py": AREA, ".gitignore": ".env\n"}
    with on_endpoint(tmp_path, files) as (session, server):
        (session.repo.root / ".env").write_text(f"x={HIDDEN}\n")
        with pytest.raises(ConsentMissing):
            begin(session, "shorter @.env")
        assert not server.requests


def test_a_named_folder_shows_only_what_holds_no_secrets(tmp_path: Path) -> None:
    files = {"a.py": AREA, "conf/b.py": "B = 1\n", "conf/secrets.toml": f"x = '{HIDDEN}'\n"}
    with on_endpoint(tmp_path, files, format="search_replace") as (session, server):
        tried(session, Request("do it as in @conf/", "a.py"))
        assert b"B = 1" in sent(server)
        assert HIDDEN.encode() not in sent(server)


def test_of_several_named_files_each_needs_its_consent(tmp_path: Path) -> None:
    files = {"a.py": AREA, "b.key": f"{HIDDEN}\n"}
    with on_endpoint(tmp_path, files, format="search_replace") as (session, server):
        with pytest.raises(ConsentMissing) as missing:
            session.begin(Request("use @b.key here", "a.py"))
        assert missing.value.paths == ("b.key",)
        assert not server.requests


def test_the_map_has_no_line_of_such_a_file(tmp_path: Path) -> None:
    name = HIDDEN.replace("-", "_")
    files = {"a.py": AREA, "credentials.py": f"def {name}():\n    pass\n", "b.py": "def b(): ...\n"}
    with on_endpoint(tmp_path, files) as (session, server):
        tried(session, Request(f"call {name} in area", "a.py", symbol="area"))
        list(session.asking.answer(f"what does {name} do?"))
        asked = [message["content"] for body in server.requests for message in body["messages"]]
    assert any("def b" in text for text in asked)
    assert not any(f"def {name}" in text for text in asked)


def test_standing_instructions_follow_no_link_to_secrets(tmp_path: Path) -> None:
    root = make_repo(tmp_path / "repo", {"a.py": AREA, "sub/.env": f"x={HIDDEN}\n"})
    (root / "AGENTS.md").symlink_to("sub/.env")
    assert standing_instructions(Repository.discover(root), root).text == ""


@pytest.mark.parametrize("path", ["secrets.py", "deploy/credentials.py"])
def test_the_deep_model_is_not_asked_about_what_it_may_not_read(path: str, tmp_path: Path) -> None:
    files = secret(path)
    scripts = {WORDS: edit_script(files[path], files[path].replace("hunter2", "hunter3"))}
    with beside_endpoint(tmp_path, files, scripts, UNSURE) as (session, server):
        turn = ended(session.begin(Request(WORDS, path)))
        assert turn.status is Status.UNSURE
        assert session.take_over(turn) is None
        assert not server.requests
        session.disclosure.allow([path])
        heir = session.take_over(turn)
        assert heir is not None


def test_the_deep_model_reads_no_such_file_where_the_first_cannot_go_on(tmp_path: Path) -> None:
    long = "".join(f"x{number} = '{HIDDEN * 30}'\n" for number in range(250))
    with beside_endpoint(tmp_path, {"a.py": AREA, "secrets.py": long}, {}, SURE) as (session, far):
        with pytest.raises(ConsentMissing):
            session.begin(Request("sort", "secrets.py", lines=(1, 240)))
        assert not far.requests


def test_a_fallback_reads_no_such_file(tmp_path: Path) -> None:
    with serving(refuses(503)) as first, serving(says("Nothing.")) as second:
        big = first.endpoint(fallback="other", probe=False)
        other = replace(second.endpoint(probe=False), name="other")
        repo = Repository.discover(make_repo(tmp_path / "repo", secret("secrets.py")))
        loaded = scripted(tmp_path / "model", {})
        models = Models(endpoints={"big": big, "other": other})
        session = ScriptedSession(
            repo, loaded, tmp_path / "state", models=models, remote=remote_of(big, {})
        )
        with closing(session), pytest.raises(ConsentMissing):
            session.begin(Request(WORDS, "secrets.py"))
        assert not first.requests
        assert not second.requests


def test_an_endpoint_hears_nothing_of_earlier_turns_about_secrets(tmp_path: Path) -> None:
    files = secret("secrets.py")
    scripts = {WORDS: edit_script(files["secrets.py"], files["secrets.py"].replace("2", "3"))}
    with beside_endpoint(tmp_path, files, scripts, SURE) as (session, server):
        turn = ended(session.begin(Request(WORDS, "secrets.py")))
        session.accept(turn, allow=["secrets.py"])
        session.host.change("big", session.models)
        tried(session, Request("shorter", "a.py", previous=session.previous))
        list(session.asking.answer("what was that?"))
        assert len(server.requests) >= 2
        for part in (b"hunter", b"secrets.py"):
            assert part not in sent(server)


def test_an_endpoint_hears_nothing_of_earlier_questions_about_secrets(tmp_path: Path) -> None:
    with serving(says("Nothing.")) as server:
        big = server.endpoint(probe=False)
        repo = Repository.discover(make_repo(tmp_path / "repo", secret("secrets.py")))
        loaded = chat_model(tmp_path / "chat", {"what is it?": f"It is {HIDDEN}.\n"})
        models = Models(endpoints={"big": big})
        session = ScriptedSession(repo, loaded, tmp_path / "state", models=models)
        with closing(session):
            said = session.asking.answer("what is it?", (QuestionFile("secrets.py"),))
            assert HIDDEN in "".join(item for item in said if isinstance(item, str))
            session.host.change("big", session.models)
            list(session.asking.answer("and now?"))
        assert server.requests
        assert HIDDEN.encode() not in sent(server)


def test_a_question_about_a_secret_needs_a_consent(tmp_path: Path) -> None:
    with on_endpoint(tmp_path, secret("prod.tfvars")) as (session, server):
        shown = (QuestionFile("a.py"), QuestionFile("prod.tfvars"))
        with pytest.raises(ConsentMissing):
            list(session.asking.answer("what is it?", shown))
        assert not server.requests
        session.disclosure.allow(["prod.tfvars"])
        list(session.asking.answer("what is it?", shown))
        assert HIDDEN.encode() in sent(server)


def test_no_hunk_of_such_a_file_is_written_anew_by_an_endpoint(tmp_path: Path) -> None:
    with on_endpoint(tmp_path, secret("secrets.py")) as (session, server):
        (session.repo.root / "secrets.py").write_text(f"KEY = '{HIDDEN}'\n")
        review = session.begin_review(WorkTree(), Request("review"))
        with pytest.raises(ConsentMissing):
            session.ask_again(review, review.hunks[0].id, "shorter")
        assert not server.requests


def test_a_replay_sends_no_such_file(tmp_path: Path) -> None:
    with on_endpoint(tmp_path, secret("secrets.py")) as (session, server):
        before = Text.from_bytes(f"KEY = '{HIDDEN}'\n".encode())
        past = PastTurn("shorter", "secrets.py", 1, 1, before, Text(("KEY = ''\n",)))
        assert "consent" in replay(past, session.maker).message
        assert not server.requests


def test_a_model_of_this_process_reads_them_as_ever(tmp_path: Path) -> None:
    files = secret("secrets.py")
    changed = files["secrets.py"].replace("hunter2", "hunter3")
    scripts = {WORDS: edit_script(files["secrets.py"], changed)}
    with beside_endpoint(tmp_path, files, scripts, SURE) as (session, server):
        assert Ability.PROBABILITIES in session.host.answerer.can
        turn = ended(session.begin(Request(WORDS, "secrets.py")))
        assert turn.review.proposed.to_bytes().decode() == changed
        assert not server.requests
