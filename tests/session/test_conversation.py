"""What a chat model is told of the turns before: it only grows, and says what became of each
edit.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path

import pytest

from spark_tui.editing.formats.quoted import QuotedRequest as Asked
from spark_tui.providers.conversation import Exchange, changed_lines, latest
from spark_tui.providers.registry import Models
from spark_tui.session.request import Request
from spark_tui.session.session import Session
from spark_tui.session.turn import Turn
from spark_tui.vcs.repository import Repository
from tests.fakes import UNSURE, ScriptedSession, edit_script, ended, make_repo, scripted
from tests.providers.scripted_server import ScriptedServer, says, serving
from tests.session.test_shell import until

CODE = "def f(x):\n    return x\n\n\ndef g(y):\n    return y\n"
FILES: Mapping[str, str | bytes] = {"a.py": CODE}
TEN = [(first, second) for first in "arnsd" for second in "ar"]
"""What the user does after the first and the second turn: accept, reject, nothing, a stop, a
decline.
"""


@contextmanager
def session_on(
    folder: Path, answers: Sequence[str], files: Mapping[str, str | bytes] = FILES
) -> Iterator[tuple[Session, ScriptedServer]]:
    """A session on a model that is sure of nothing, and a server that is its deep one."""
    with serving(*(says(*each.splitlines(keepends=True)) for each in answers)) as server:
        repo = Repository.discover(make_repo(folder / "repo", files))
        loaded = scripted(folder / "model", {}, sure=UNSURE)
        models = Models(endpoints={"big": server.endpoint()})
        session = ScriptedSession(repo, loaded, folder / "state", models=models, deep="big")
        try:
            yield session, server
        finally:
            session.close()


def code(symbol: str, value: str) -> str:
    name = "x" if symbol == "f" else "y"
    return f"```python\ndef {symbol}({name}):\n    return {value}\n```\n"


def take(session: Session, words: str, symbol: str, does: str = "n") -> Turn:
    """Let both models answer, and do something with the edit."""
    quick = ended(session.begin(Request(words, path="a.py", symbol=symbol)))
    turn = session.take_over(quick)
    assert turn is not None
    events = turn.events()
    if does == "s":
        next(event for event in events if len(turn.tape) > 1)
        events.close()
    else:
        list(events)
    if does == "a":
        session.accept(turn)
    elif does == "p":
        first, *others = [hunk.id for hunk in turn.hunks]
        session.accept(turn, [first])
        session.reject(turn, others)
    elif does == "r":
        session.reject(turn, [hunk.id for hunk in turn.hunks])
    return turn


def up_to_new_turn(body: bytes) -> bytes:
    """A request as it was sent, up to the end of its last message."""
    sent = body.decode()
    key = '"messages":'
    start = sent.index(key) + len(key)
    _, end = json.JSONDecoder().raw_decode(sent, start)
    return sent[: end - 1].encode()


def assert_grows(bodies: Sequence[bytes]) -> None:
    for before, after in pairwise(bodies):
        assert after.startswith(up_to_new_turn(before) + b",")
        assert len(up_to_new_turn(after)) > len(up_to_new_turn(before))


@pytest.mark.parametrize(("first", "second"), TEN)
def test_a_prompt_begins_with_the_one_before_to_the_byte(
    first: str, second: str, tmp_path: Path
) -> None:
    answers = [code("f", "x + 1"), code("g", "y + 2"), code("f", "x + 3")]
    if first == "d":
        answers[0] = "It is right as it is."
    with session_on(tmp_path, answers) as (session, server):
        take(session, "add one", "f", first)
        take(session, "and two", "g", second)
        take(session, "now three", "f")
        assert len(server.requests) == 3
        assert_grows(server.bodies)
        said = server.requests[2]["messages"]
        assert [each["role"] for each in said[1:]] == ["user", "assistant"] * 2 + ["user"]
        assert (
            said[3]["content"].splitlines()[0]
            == {
                "a": "The user accepted this edit.",
                "r": "The user rejected this edit.",
                "n": "The user has not accepted this edit.",
                "s": "The user stopped this answer.",
                "d": "Lines of a.py:",
            }[first]
        )
        if first not in "sd":
            assert said[2]["content"] == answers[0].strip()
        assert said[-1]["content"].endswith("Request: now three")


def test_what_was_accepted_later_is_news_and_changes_nothing_that_was_said(tmp_path: Path) -> None:
    with session_on(tmp_path, [code("f", "x + 1"), code("g", "y + 2"), code("g", "y + 3")]) as (
        session,
        server,
    ):
        first = take(session, "add one", "f")
        take(session, "and two", "g")
        session.accept(first)
        take(session, "now three", "g")
        assert_grows(server.bodies)
        assert (
            "About “add one”, since then: The user accepted this edit."
            in server.requests[2]["messages"][-1]["content"]
        )


def test_what_became_of_hunks_and_a_check_that_failed_is_told(tmp_path: Path) -> None:
    doubled = "```python\ndef f(x, k=2):\n    y = x\n    return 2 * y\n```\n"
    fixed = "```python\ndef f(x, k=2):\n    y = x\n    return k * y\n```\n"
    answers = [doubled, fixed, code("g", "y + 3")]
    files = {"a.py": "def f(x):\n    y = x\n    return y\n\n\ndef g(y):\n    return y\n"}
    with session_on(tmp_path, answers, files) as (session, server):
        take(session, "double it", "f", "p")
        check = "grep -q 'k . y' a.py || { echo k is unused; exit 1; }"
        session.check.set(check)
        session.check.begin()
        until(lambda: not session.check.running)
        take(session, "mend that", "f", "a")
        session.check.begin()
        until(lambda: not session.check.running)
        take(session, "now three", "g")
        assert_grows(server.bodies)
        _, second, third = (request["messages"][-1]["content"] for request in server.requests)
        assert second.startswith("The user accepted only this, and rejected the rest:\n\n```diff\n")
        diff = second.partition("```diff\n")[2].partition("```")[0]
        assert ("+def f(x, k=2):" in diff, "2 * y" in diff) == (True, False)
        assert f"The check `{check}` failed:\n\nk is unused" in second
        assert third.startswith("The user accepted this edit.")
        assert "failed" not in third


def test_an_edit_of_the_quick_model_that_was_accepted_is_an_exchange_too(tmp_path: Path) -> None:
    with serving(says(code("g", "y + 2"))) as server:
        repo = Repository.discover(make_repo(tmp_path / "repo", FILES))
        before, after = "def f(x):\n    return x\n", "def f(x):\n    return x + 1\n"
        loaded = scripted(tmp_path / "model", {"add one": edit_script(before, after)})
        models = Models(endpoints={"big": server.endpoint()})
        session = ScriptedSession(repo, loaded, tmp_path / "state", models=models, deep="big")
        quick = ended(session.begin(Request("add one", path="a.py", symbol="f")))
        session.accept(quick)
        assert server.requests == []
        take(session, "and two", "g")
        session.close()
        _, asked, answered, _ = server.requests[0]["messages"]
        assert asked["content"].endswith("Request: add one")
        assert answered["content"] == "```py\ndef f(x):\n    return x + 1\n```"


def exchange(length: int) -> Exchange:
    return Exchange(Asked("a.py", (), "words"), "a" * length)


def test_a_long_conversation_loses_its_beginning_in_large_steps() -> None:
    starts = []
    for count in range(1, 40):
        exchanges = [exchange(10) for _ in range(count)]
        kept = latest(exchanges, 100)
        assert sum(each.characters for each in kept) <= 100
        starts.append(count - len(kept))
    steps = {after - before for before, after in pairwise(starts)}
    assert steps == {0, 6}


def test_one_exchange_that_is_too_long_is_left_out() -> None:
    assert list(latest([exchange(10), exchange(500), exchange(10)], 100)) == [exchange(10)]


def test_lines_that_differ_are_quoted_with_those_around() -> None:
    before = [str(number) for number in range(9)]
    after = [*before[:4], "new", *before[5:]]
    assert changed_lines(before, after) == (before[2:7], after[2:7])
    assert changed_lines(["a"], ["a", "b"]) == (["a"], ["a", "b"])
