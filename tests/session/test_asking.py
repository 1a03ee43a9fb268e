"""Questions to a chat model: what it is shown, what it says, and what the next one goes on from."""

from contextlib import closing
from pathlib import Path

import pytest

from spark_tui.answering.host import Host
from spark_tui.answering.models import Models
from spark_tui.answering.remote import Server
from spark_tui.answering.remote_answers import Remote
from spark_tui.answering.seam import Waits
from spark_tui.errors import Transient, UsageError
from spark_tui.session.asking import Asking, Shown
from spark_tui.session.making import Maker
from spark_tui.session.place_lookup import PlaceLookup
from spark_tui.session.succession import Succession
from spark_tui.vcs.repository import Repository
from tests.answering.chat_models import chat_model
from tests.answering.scripted_server import chunk, says, sends, serving
from tests.fakes import make_repo, scripted

MAP = "What else is in the repository, by file and line:"
CODE = "def f(x):\n    return x\n"


@pytest.fixture
def repo(tmp_path: Path) -> Repository:
    return Repository.discover(make_repo(tmp_path / "repo", {"a.py": CODE}))


def asking_on(repo: Repository, host: Host) -> Asking:
    """What asks the model of a host, and no other one."""
    succession = Succession(Maker(repo, host), repo, Models(), "")
    return Asking(repo, succession, PlaceLookup(repo))


def said(asking: Asking, words: str, *shown: Shown) -> str:
    return "".join(item for item in asking.answer(words, shown) if isinstance(item, str))


def test_a_chat_model_in_this_process_answers(repo: Repository, tmp_path: Path) -> None:
    host = Host(chat_model(tmp_path / "model", {"what is it?": "It is **one**.\n"}))
    items = list(asking_on(repo, host).answer("what is it?", (Shown("a.py"),)))
    assert "".join(item for item in items if isinstance(item, str)) == "It is **one**.\n"
    assert any(isinstance(item, Waits) for item in items), "reading can be stopped"


def test_the_next_question_goes_on_from_the_last_three(repo: Repository, tmp_path: Path) -> None:
    with serving(says("An answer.")) as server, closing(Server(server.endpoint())) as asked:
        asking = asking_on(repo, Host(scripted(tmp_path / "model", {}), remote=Remote(asked)))
        for number in range(5):
            assert said(asking, f"question {number}?", Shown("a.py", (1, 1))) == "An answer."
    messages = server.requests[-1]["messages"]
    assert [each["content"] for each in messages[1:-1]] == [
        text for number in (1, 2, 3) for text in (f"question {number}?", "An answer.")
    ]  # fmt: skip
    assert messages[-1]["content"] == "a.py:1-1\n```py\ndef f(x):\n```\n\nquestion 4?"


def test_what_was_heard_before_it_broke_off_is_gone_on_from(repo: Repository, tmp_path: Path) -> None:
    with serving(sends(chunk("Half"), cut=True), says("Whole.")) as server, closing(Server(server.endpoint())) as asked:
        asking = asking_on(repo, Host(scripted(tmp_path / "model", {}), remote=Remote(asked)))
        with pytest.raises(Transient):
            said(asking, "one?")
        assert said(asking, "two?") == "Whole."
    first, half, second = (each["content"] for each in server.requests[-1]["messages"][1:])
    assert (first, half) == ("one?", "Half")
    assert second == f"{MAP}\n\na.py\n    1: def f(x):\n\ntwo?", "what is not shown is on the map"


def test_code_takes_the_place_of_the_function_it_defines_and_of_none_that_ends_so(
    repo: Repository, tmp_path: Path
) -> None:
    (repo.root / "b.py").write_text("def reload(x):\n    return 1\n\n\ndef load(x):\n    return 2\n")
    asking = asking_on(repo, Host(scripted(tmp_path / "model", {})))
    taken = asking.take(["def load(x):", "    return 3"], (Shown("b.py"),))
    assert (taken.lines, taken.become) == ((5, 6), ("def load(x):", "    return 3"))


def test_more_than_is_read_is_refused_before_anything_is_sent(repo: Repository, tmp_path: Path) -> None:
    (repo.root / "long.py").write_text("x = 1\n" * 40_000)
    with serving(says("x")) as server, closing(Server(server.endpoint())) as asked:
        for host in (Host(scripted(tmp_path / "m", {}), remote=Remote(asked)), Host(chat_model(tmp_path / "c", {}))):
            with pytest.raises(UsageError, match=r"too long, .* reads .* tokens"):
                said(asking_on(repo, host), "what?", Shown("long.py"))
    assert server.requests == []
