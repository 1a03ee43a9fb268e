"""`spark exec --variations`: several answers, in all three formats."""

import json
from pathlib import Path

import pytest

from tests.cli.conftest import MakeRepo, Spark, UseScripts
from tests.fakes import edit_script, git

AREA = "def area(w, h):\n    return w + h\n"
ANSWERS = [
    (edit_script(AREA, AREA.replace("+", "*")), 0.7),
    (edit_script(AREA, AREA.replace("w + h", "w +")), 0.15),
    (edit_script(AREA, AREA.replace("+", "-")), 0.1),
    (edit_script(AREA, AREA.replace("w + h", "h + w")), 0.05),
]


@pytest.fixture
def folder(repo: MakeRepo, use_scripts: UseScripts) -> Path:
    """A repository with one function, and a model that knows the answers above."""
    use_scripts({}, answers={"do": ANSWERS})
    return repo({"a.py": AREA})


def test_json_lists_them_ranked_each_with_its_checks(spark: Spark, folder: Path) -> None:
    done = spark(
        "exec", "do", "--at", "a.py::area", "--variations", "4", "--format", "json", "-C", folder
    )
    body = json.loads(done.out)
    found = body["variations"]
    assert (done.code, len(found)) == (0, 3)
    assert found[0]["patch"] == body["patch"]
    assert [set(each) for each in found] == [{"patch", "checks", "logprob"}] * 3
    assert len({each["patch"] for each in found}) == 3
    assert [each["logprob"] for each in found] == sorted(
        (each["logprob"] for each in found), reverse=True
    )
    for each in found:
        assert all(check["ok"] for check in each["checks"])
        git(folder, "apply", "--check", stdin=each["patch"].encode())
    assert git(folder, "status", "--porcelain") == b""


def test_stream_json_streams_all_of_them_under_their_numbers(spark: Spark, folder: Path) -> None:
    done = spark(
        "exec",
        "do",
        "--at",
        "a.py::area",
        "--variations",
        "3",
        "--format",
        "stream-json",
        "-C",
        folder,
    )
    events = [json.loads(line) for line in done.out.splitlines()]
    tokens = [event for event in events if event["event"] == "variation_token"]
    ended = [event for event in events if event["event"] == "variation_ended"]
    assert {event["variation"] for event in tokens} <= {event["variation"] for event in ended}
    assert set(tokens[0]) == {"event", "variation", "index", "id", "text", "logprob", "t_ms"}
    assert set(ended[0]) == {"event", "variation", "kind", "logprob", "checks", "problem"}
    assert (events[-1]["event"], len(events[-1]["variations"])) == ("turn_ended", 3)
    assert sum(event["event"] == "turn_ended" for event in events) == 1


def test_people_see_every_patch_below_a_line_that_names_it(spark: Spark, folder: Path) -> None:
    done = spark("exec", "do", "--at", "a.py::area", "--variations", "3", "-C", folder)
    titles = [line for line in done.out.splitlines() if line.startswith("variation ")]
    assert titles[0] == "variation 1 of 3, probability 0.7"
    assert len(titles) == done.out.count("diff --git") == 3


def test_apply_writes_the_first(spark: Spark, folder: Path) -> None:
    assert (
        spark("exec", "do", "--at", "a.py::area", "--variations", "3", "--apply", "-C", folder).code
        == 0
    )
    assert (folder / "a.py").read_text() == AREA.replace("+", "*")


def test_each_is_tried_with_the_users_command(spark: Spark, folder: Path) -> None:
    check = ("--check", "grep -q 'w - h\\|w \\* h' a.py")
    done = spark(
        "exec",
        "do",
        "--at",
        "a.py::area",
        "--variations",
        "4",
        *check,
        "--format",
        "json",
        "-C",
        folder,
    )
    found = json.loads(done.out)["variations"]
    assert [each["checks"][-1]["name"] for each in found] == ["command", "command"]


@pytest.mark.parametrize("number", ["0", "17", "-1"])
def test_a_number_out_of_range_is_a_wrong_request(spark: Spark, folder: Path, number: str) -> None:
    done = spark("exec", "do", "--at", "a.py::area", "--variations", number, "-C", folder)
    assert (done.code, done.out) == (2, "")
    assert "choose a number from 1 to 16" in done.err
