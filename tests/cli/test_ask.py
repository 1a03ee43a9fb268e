"""`spark ask`: an answer in words goes to stdout as it comes, and nothing is edited."""

import io
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.conftest import MakeRepo, Spark, UseScripts
from tests.fakes import git
from tests.providers.scripted_server import (
    DONE,
    ScriptedServer,
    Turn,
    chunk,
    refuses,
    says,
    sends,
    serving,
)

CODE = "def area(w, h):\n    return w * h\n\n\ndef other():\n    pass\n"
Configured = Callable[[ScriptedServer], Path]


@pytest.fixture
def configured(use_scripts: UseScripts, repo: MakeRepo, state: Path) -> Configured:
    """Names a server in the user's configuration; gives the repository."""
    use_scripts({})

    def name(server: ScriptedServer) -> Path:
        config = Path(os.environ["XDG_CONFIG_HOME"]) / "spark" / "config.toml"
        config.parent.mkdir(parents=True, exist_ok=True)
        lines = ["[models.big]", f'base_url = "{server.base_url}"', 'model = "m"']
        config.write_text("\n".join([*lines, "map = 0", "probe = false", ""]))
        assert not state.is_file()
        return repo({"a.py": CODE, "b.md": "# B\n", "AGENTS.md": "Answer in verse.\n"})

    return name


def test_the_answer_is_printed_and_nothing_is_edited(spark: Spark, configured: Configured) -> None:
    with serving(says("It multiplies", " them.\n\x1b[31m")) as server:
        folder = configured(server)
        done = spark(
            "ask",
            "what does this do?",
            "--at",
            "a.py::area",
            "--file",
            "b.md",
            "-m",
            "big",
            "-C",
            folder,
        )
        assert (done.code, done.out) == (0, "It multiplies them.\n␛[31m\n"), done.err
        system, asked = (message["content"] for message in server.requests[0]["messages"])
    assert "Answer in verse." in system
    area = CODE[: CODE.index("\n\n")]
    assert asked == f"b.md\n```md\n# B\n```\n\na.py:1-2\n```py\n{area}\n```\n\nwhat does this do?"
    assert git(folder, "status", "--porcelain") == b""


def test_a_question_may_name_what_it_is_about(spark: Spark, configured: Configured) -> None:
    with serving(says("It multiplies them.\n")) as server:
        folder = configured(server)
        done = spark("ask", "what does @a.py::area do?", "-m", "big", "-C", folder)
        assert done.code == 0, done.err
        asked = server.requests[0]["messages"][-1]["content"]
    area = CODE[: CODE.index("\n\n")]
    assert asked == f"a.py:1-2\n```py\n{area}\n```\n\nwhat does area do?"


def test_standing_instructions_go_with_a_request_for_an_edit_too(
    spark: Spark, configured: Configured
) -> None:
    with serving(says("```py\ndef other():\n    return 1\n```\n")) as server:
        folder = configured(server)
        assert spark("exec", "return 1", "--at", "a.py::other", "-m", "big", "-C", folder).code == 0
        assert "Answer in verse." in server.requests[0]["messages"][0]["content"]


def test_a_question_may_come_from_stdin_and_be_waited_for(
    spark: Spark, configured: Configured, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("why?\n"))
    with serving(refuses(429, Retry_After="0"), says("Because.")) as server:
        done = spark("ask", "-", "-m", "big", "-C", configured(server))
        assert (done.code, done.out) == (0, "Because.\n")
        assert "big is busy (429)" in done.err
        assert server.requests[-1]["messages"][-1]["content"] == "why?"


def test_what_was_said_before_it_broke_off_stays(spark: Spark, configured: Configured) -> None:
    with serving(sends(chunk("Half an"))) as server:
        done = spark("ask", "why?", "-m", "big", "-C", configured(server))
    assert (done.code, done.out) == (75, "Half an")
    assert len(done.err.splitlines()) == 1


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("why?",), "only edits; to ask, name a chat model"),
        (("",), "there is no question"),
        (("why?", "--file", "gone.py"), "gone.py"),
        (("why?", "--at", "a.py::gone"), "gone"),
        (("why?", "--at", "../x"), "inside the repository"),
    ],
)
def test_what_cannot_be_answered_is_one_line(
    spark: Spark, use_scripts: UseScripts, repo: MakeRepo, arguments: tuple[str, ...], said: str
) -> None:
    use_scripts({})
    done = spark("ask", *arguments, "-C", repo({"a.py": CODE}))
    assert (done.code, done.out) in {(1, ""), (2, "")}
    assert said in done.err
    assert "Traceback" not in done.err
    assert len(done.err.splitlines()) == 1


def both_named(folder: Path, first: ScriptedServer, other: ScriptedServer, *lines: str) -> Path:
    """Name a second server in the user's configuration.

    Args:
        lines: Go before all tables.
    """
    config = Path(os.environ["XDG_CONFIG_HOME"]) / "spark" / "config.toml"
    tables = f'[models.other]\nbase_url = "{other.base_url}"\nmodel = "m"\nprobe = false\n'
    config.write_text("\n".join([*lines, config.read_text() + 'fallback = "other"', tables]))
    return folder


def test_the_deep_model_is_asked_by_one_that_edits(spark: Spark, configured: Configured) -> None:
    with serving(says("It multiplies.\n")) as server, serving(says("No.")) as other:
        folder = both_named(configured(server), server, other, 'deep = "big"')
        done = spark("ask", "what does this do?", "--at", "a.py::area", "-C", folder)
        assert (done.code, done.out) == (0, "It multiplies.\n"), done.err
        assert done.err.splitlines()[-1].endswith(" only edits: big is asked")
        assert (len(server.requests), other.requests) == (1, [])
        assert "def area(w, h):" in server.requests[0]["messages"][-1]["content"]
        assert "Answer in verse." in server.requests[0]["messages"][0]["content"]


def test_a_chat_model_goes_before_the_deep_one(spark: Spark, configured: Configured) -> None:
    with serving(says("One.\n")) as server, serving(says("Two.\n")) as other:
        folder = both_named(configured(server), server, other, 'deep = "other"')
        done = spark("ask", "what?", "-m", "big", "-C", folder)
        assert (done.out, other.requests) == ("One.\n", [])


@pytest.mark.parametrize(
    ("reply", "reason"),
    [
        (refuses(429), "big is busy (429): other is asked instead"),
        (refuses(402), "big asks for payment (402): other is asked instead"),
        (sends(chunk("Half an"), cut=True), "the answer of big was cut off: other starts it anew"),
        (sends(DONE), "the model said nothing: other is asked instead"),
    ],
    ids=["busy", "unpaid", "lost", "empty"],
)
def test_the_fallback_answers_a_question_anew(
    reply: Turn,
    reason: str,
    spark: Spark,
    configured: Configured,
) -> None:
    with serving(reply) as server, serving(says("It multiplies.\n")) as other:
        folder = both_named(configured(server), server, other)
        done = spark("ask", "what does this do?", "-m", "big", "-C", folder)
        assert (done.code, done.out) == (0, "It multiplies.\n"), done.err
        assert f"spark: {reason}" in done.err.splitlines()
        assert (len(server.requests), len(other.requests)) == (1, 1)


def test_a_key_that_is_rejected_asks_nobody_else(spark: Spark, configured: Configured) -> None:
    with serving(refuses(401)) as server, serving(says("No.")) as other:
        folder = both_named(configured(server), server, other)
        done = spark("ask", "what?", "-m", "big", "-C", folder)
        assert (done.code, done.out, other.requests) == (2, "", [])


@pytest.mark.parametrize(
    "thought", ["<think>\nHm.</think>\n\n", "Hm.\n</think>\n\n", "[THINK]Hm.[/THINK]"]
)
def test_what_the_model_thinks_is_not_printed(
    spark: Spark, configured: Configured, thought: str
) -> None:
    with serving(says(*thought, "It multiplies.\n")) as server:
        done = spark("ask", "what does this do?", "-m", "big", "-C", configured(server))
        assert (done.code, done.out) == (0, "It multiplies.\n"), done.err


def test_an_edit_is_that_of_the_answer_and_an_endless_thought_is_told(
    spark: Spark, configured: Configured
) -> None:
    draft = "<think>\n```py\ndef other():\n    return 99\n```\n</think>\n"
    answer = "```py\ndef other():\n    return 1\n```\n"
    endless = sends(chunk("<think>Hm."), chunk(None, "length"))
    with serving(says(draft, answer), endless) as server:
        folder = configured(server)
        given = ("exec", "return 1", "--at", "a.py::other", "-m", "big", "-C", folder)
        done = spark(*given, "--apply", "--unsure")
        assert done.code == 0, done.err
        assert "return 1\n" in (folder / "a.py").read_text()
        done = spark(*given)
        assert (done.code, "max_tokens" in done.err) == (3, True)


@pytest.mark.parametrize("command", ["ask", "exec"])
def test_kind_15_the_words_of_a_refusal_are_told(
    spark: Spark, configured: Configured, command: str
) -> None:
    words = chunk(None).replace(b'"content": null', b'"refusal": "I cannot help with that."')
    with serving(sends(words, DONE)) as server:
        folder = configured(server)
        done = spark(command, "do it", "--at", "a.py::area", "-m", "big", "-C", folder)
    assert done.code != 0
    assert "big refuses to answer: I cannot help with that; " in done.err


def test_a_file_that_may_hold_secrets_is_sent_only_with_a_consent(
    spark: Spark, configured: Configured
) -> None:
    with serving(says("A password.\n")) as server:
        folder = configured(server)
        (folder / "prod.env").write_text("PASSWORD=hunter2\n")
        command = ("ask", "what is it?", "--file", "prod.env", "-m", "big", "-C", folder)
        done = spark(*command)
        assert done.code == 2
        assert "--allow prod.env" in done.err
        assert server.bodies == []
        assert spark(*command, "--allow", "prod.env").code == 0
        assert b"hunter2" in server.bodies[0]
