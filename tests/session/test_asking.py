"""Questions to a chat model: what it is shown, what it says, and what the next one goes on from."""

from collections.abc import Iterator
from contextlib import closing, contextmanager
from itertools import pairwise
from pathlib import Path

import pytest

from spark_tui.errors import Transient, UsageError
from spark_tui.providers.base import PromptProgress, Waits
from spark_tui.providers.openai_client import Server
from spark_tui.providers.openai_provider import Remote
from spark_tui.providers.registry import ProviderHost
from spark_tui.session.ask import QuestionFile, Questions
from spark_tui.vcs.repository import Repository
from tests.fakes import asking_on, make_repo, scripted
from tests.providers.chat_models import chat_model
from tests.providers.scripted_server import ScriptedServer, chunk, event, says, sends, serving

MAP = "What else is in the repository, by file and line:"
CODE = "def f(x):\n    return x\n"


@pytest.fixture
def repo(tmp_path: Path) -> Repository:
    return Repository.discover(make_repo(tmp_path / "repo", {"a.py": CODE}))


def said(asking: Questions, words: str, *shown: QuestionFile) -> str:
    return "".join(item for item in asking.answer(words, shown) if isinstance(item, str))


def test_a_chat_model_in_this_process_answers(repo: Repository, tmp_path: Path) -> None:
    host = ProviderHost(chat_model(tmp_path / "model", {"what is it?": "It is **one**.\n"}))
    items = list(asking_on(repo, host).answer("what is it?", (QuestionFile("a.py"),)))
    assert "".join(item for item in items if isinstance(item, str)) == "It is **one**.\n"
    assert any(isinstance(item, Waits) for item in items), "reading can be stopped"


def test_the_prompt_is_read_before_a_server_answers(repo: Repository, tmp_path: Path) -> None:
    told = {"total": 300, "cache": 0, "processed": 128, "time_ms": 1}
    reading = event({"choices": [], "prompt_progress": told})
    with serving(sends(reading, chunk("One.", "stop"))) as server:
        endpoint = server.endpoint(abilities={"return_progress": True})
        with closing(Server(endpoint)) as asked:
            host = ProviderHost(scripted(tmp_path / "model", {}), remote=Remote(asked))
            items = list(asking_on(repo, host).answer("what is it?"))
    shown = [item for item in items if isinstance(item, str | PromptProgress)]
    assert shown == [PromptProgress(300, 0, 128, passes=0), "One."]


@contextmanager
def asking_a_server(
    repo: Repository,
    folder: Path,
    **given: int,
) -> Iterator[tuple[Questions, ScriptedServer]]:
    with serving(says("An answer.")) as server, closing(Server(server.endpoint(**given))) as asked:
        host = ProviderHost(scripted(folder / "model", {}), remote=Remote(asked))
        yield asking_on(repo, host), server


def test_a_question_only_adds_to_what_was_sent_before(repo: Repository, tmp_path: Path) -> None:
    (repo.root / "b.py").write_text("def g(y):\n    return y\n")
    with asking_a_server(repo, tmp_path) as (asking, server):
        for number in range(6):
            assert said(asking, f"question {number}?", QuestionFile("a.py", (1, 1 + number % 2)))
    sent = [each["messages"] for each in server.requests]
    answer = {"role": "assistant", "content": "An answer."}
    for before, after in pairwise(sent):
        assert after[:-1] == [*before, answer]
    assert sent[-1][1]["content"].endswith("a.py:1-1\n```py\ndef f(x):\n```\n\nquestion 0?")


def test_a_long_row_of_questions_loses_its_older_half_at_once(
    repo: Repository,
    tmp_path: Path,
) -> None:
    with asking_a_server(repo, tmp_path, context=4096, map=0) as (asking, server):
        for number in range(40):
            assert said(asking, f"question {number}? {'why ' * 50}")
    counts = [len(each["messages"]) for each in server.requests]
    steps = {after - before for before, after in pairwise(counts)}
    assert max(counts) * 200 < 2 * 4096 * 3
    assert len(steps) == 2
    assert 2 in steps
    assert min(steps) < -6


def test_a_question_that_needs_all_the_room_is_asked_without_those_before(
    repo: Repository,
    tmp_path: Path,
) -> None:
    (repo.root / "long.py").write_text("x = 1\n" * 1400)
    with asking_a_server(repo, tmp_path, context=4096, map=0) as (asking, server):
        said(asking, f"first? {'why ' * 300}")
        assert said(asking, "second?", QuestionFile("long.py")) == "An answer."
    assert len(server.requests[-1]["messages"]) == 2


def test_what_was_heard_before_it_broke_off_is_gone_on_from(
    repo: Repository, tmp_path: Path
) -> None:
    with (
        serving(sends(chunk("Half"), cut=True), says("Whole.")) as server,
        closing(Server(server.endpoint())) as asked,
    ):
        asking = asking_on(
            repo, ProviderHost(scripted(tmp_path / "model", {}), remote=Remote(asked))
        )
        with pytest.raises(Transient):
            said(asking, "one?")
        assert said(asking, "two?") == "Whole."
    first, half, second = (each["content"] for each in server.requests[-1]["messages"][1:])
    shown = f"{MAP}\n\na.py\n    1: def f(x):"
    assert (first, half) == (f"{shown}\n\none?", "Half")
    assert second == f"{shown}\n\ntwo?", "what is not shown is on the map"


def test_code_takes_the_place_of_the_function_it_defines_and_of_none_that_ends_so(
    repo: Repository, tmp_path: Path
) -> None:
    (repo.root / "b.py").write_text(
        "def reload(x):\n    return 1\n\n\ndef load(x):\n    return 2\n"
    )
    asking = asking_on(repo, ProviderHost(scripted(tmp_path / "model", {})))
    taken = asking.take(["def load(x):", "    return 3"], (QuestionFile("b.py"),))
    assert (taken.lines, taken.become) == ((5, 6), ("def load(x):", "    return 3"))


def test_more_than_is_read_is_refused_before_anything_is_sent(
    repo: Repository, tmp_path: Path
) -> None:
    (repo.root / "long.py").write_text("x = 1\n" * 40_000)
    with serving(says("x")) as server, closing(Server(server.endpoint())) as asked:
        for host in (
            ProviderHost(scripted(tmp_path / "m", {}), remote=Remote(asked)),
            ProviderHost(chat_model(tmp_path / "c", {})),
        ):
            with pytest.raises(UsageError, match=r"too long, .* reads .* tokens"):
                said(asking_on(repo, host), "what?", QuestionFile("long.py"))
    assert server.requests == []
