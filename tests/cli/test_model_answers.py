"""Answers of endpoints as models give them: what is offered, and what is not, with `spark exec`."""

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.answering.scripted_server import ScriptedServer, Turn, chunk, event, says, sends, serving
from tests.cli.conftest import MakeRepo, Spark, UseScripts
from tests.fakes import git

CODE = "def f(x):\n    y = x + 1\n    return y\n"
CUT = "```python\ndef f(x):\n    y = x + 2\n"
DONE = event(b"[DONE]")
Answer = Callable[..., tuple[int, str, str]]


@pytest.fixture
def answer(spark: Spark, use_scripts: UseScripts, repo: MakeRepo, state: Path) -> Answer:
    """Has an endpoint answer about a whole file: the exit code, the file then, and stderr."""
    use_scripts({})

    def run(
        turn: Turn,
        path: str = "a.py",
        text: str = CODE,
        form: str = "rewrite",
        more: tuple[str, ...] = (),
    ) -> tuple[int, str, str]:
        with serving(turn) as server:
            folder = configured(server, repo({path: text}), form)
            place = f"{path}:1-{text.count(chr(10))}"
            asked = ("exec", "please", "--at", place, "-m", "big", "--apply", *more)
            done = spark(*asked, "-C", folder)
            assert "Traceback" not in done.err
            return done.code, (folder / path).read_bytes().decode(), done.err

    return run


def configured(server: ScriptedServer, folder: Path, form: str) -> Path:
    config = Path(os.environ["XDG_CONFIG_HOME"]) / "spark" / "config.toml"
    config.parent.mkdir(parents=True, exist_ok=True)
    settings = f'model = "m"\nmap = 0\nformat = "{form}"\n'
    config.write_text(f'[models.big]\nbase_url = "{server.base_url}"\n{settings}')
    return folder


@pytest.mark.parametrize("closed", ["", "    return y\n```\n"])
@pytest.mark.parametrize(
    "end",
    [
        chunk(None, "content_filter") + DONE,
        chunk(None, "tool_calls") + DONE,
        chunk(None, "some_other_reason") + DONE,
        DONE,
    ],
)
def test_an_answer_without_a_reason_to_stop_is_not_complete(
    answer: Answer,
    closed: str,
    end: bytes,
) -> None:
    code, file, said = answer(sends(chunk(CUT + closed), end))
    assert (code in (1, 75), file) == (True, CODE)
    assert len(said.splitlines()) <= 2


@pytest.mark.parametrize(
    "text",
    [CUT, "```\n", "Here:\n\n~~~py\ndef f(x):\n    y = x + 2", CUT + "``"],
)
def test_an_answer_that_stops_within_its_fence_is_not_complete(answer: Answer, text: str) -> None:
    code, file, said = answer(says(text))
    assert (code, file) == (3, CODE)
    assert "ends before its code does" in said


@pytest.mark.parametrize("reason", ["stop", "STOP", "end_turn", "eos_token"])
def test_an_answer_is_complete_with_a_reason_to_stop(answer: Answer, reason: str) -> None:
    text = CUT + "    return y\n```"
    code, file, _ = answer(sends(chunk(text), chunk(None, reason)))
    assert (code, file) == (0, CODE.replace("+ 1", "+ 2"))


@pytest.mark.parametrize(
    ("end", "code", "said"),
    [
        (chunk(None, "length") + DONE, 1, "it used up its tokens"),
        (chunk(None, "content_filter") + DONE, 1, "before it was complete (content_filter)"),
        (DONE, 75, "cut off"),
    ],
)
def test_a_question_is_told_that_its_answer_was_cut(
    spark: Spark,
    use_scripts: UseScripts,
    repo: MakeRepo,
    state: Path,
    end: bytes,
    code: int,
    said: str,
) -> None:
    use_scripts({})
    with serving(sends(chunk("Half an"), end)) as server:
        folder = configured(server, repo({"a.py": CODE}), "rewrite")
        done = spark("ask", "why?", "-m", "big", "-C", folder)
    assert (done.code, done.out) == (code, "Half an")
    assert said in done.err
    assert git(folder, "status", "--porcelain") == b""


@pytest.mark.parametrize(("path", "text"), [("a.txt", "one\ntwo\n"), ("b.py", "def f(:\n    two\n")])
def test_an_edit_that_no_check_but_applies_held_is_unsure(answer: Answer, path: str, text: str) -> None:
    turn = says(f"```\n{text.replace('two', 'three')}```\n")
    code, file, said = answer(turn, path, text)
    assert (code, file) == (3, text)
    assert "unsure" in said
    code, file, _ = answer(turn, path, text, more=("--unsure",))
    assert (code, file) == (0, text.replace("two", "three"))


def test_an_unsure_edit_of_an_endpoint_is_there_for_programs(
    spark: Spark, use_scripts: UseScripts, repo: MakeRepo, state: Path
) -> None:
    use_scripts({})
    with serving(says("```\none\nthree\n```\n")) as server:
        folder = configured(server, repo({"a.txt": "one\ntwo\n"}), "rewrite")
        asked = ("exec", "please", "--at", "a.txt:1-2", "-m", "big", "--format", "json")
        done = spark(*asked, "-C", folder)
    told = json.loads(done.out)
    assert (done.code, told["status"], told["confidence"]) == (3, "unsure", None)
    assert "+three" in told["patch"]
