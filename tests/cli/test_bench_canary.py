"""`spark bench canary`: the user's own turns, replayed by two models, and what it exits with."""

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from spark_tui.session.session import Session
from spark_tui.session.turn import Request
from spark_tui.session.turn_store import SessionStore
from spark_tui.vcs.batches import Batches
from spark_tui.vcs.repository import Repository
from tests.cli.conftest import Done, MakeRepo, Spark
from tests.fakes import edit_script, ended, git, scripted
from tests.providers.scripted_server import Handler, ScriptedServer, Turn, refuses, says, serving

AREA = "def area(w, h):\n    return w + h\n"
NAME = "def name(path):\n    return path.strip()\n"
WORDS = {"this should multiply": ("a.py", AREA), "take the last part": ("b.py", NAME)}
ACCEPTED = {"a.py": AREA.replace("+", "*"), "b.py": NAME.replace("strip()", "split('/')[-1]")}
OTHER = {"a.py": AREA.replace("+", "-"), "b.py": "def name(path:\n"}


def writes(answers: dict[str, str]) -> Turn:
    """Answer with the whole function of the file that the words are about."""

    def turn(handler: Handler) -> None:
        asked = handler.body["messages"][-1]["content"]
        path = "a.py" if "this should multiply" in asked else "b.py"
        says("```python\n", *answers[path].splitlines(keepends=True), "```\n")(handler)

    return turn


@pytest.fixture
def folder(repo: MakeRepo, state: Path, tmp_path: Path) -> Path:
    """A repository with two turns of the user's: one accepted, one accepted and undone, then
    accepted once more.
    """
    folder = repo({"a.py": AREA, "b.py": NAME})
    found = Repository.discover(folder)
    scripts = {words: edit_script(text, ACCEPTED[path]) for words, (path, text) in WORDS.items()}
    store = SessionStore(state / "sessions" / Batches(found, state).name)
    session = Session(found, scripted(tmp_path / "writer", scripts), state, sessions=store)
    for words, (path, _) in WORDS.items():
        session.accept(ended(session.begin(Request(words, path, lines=(1, 2)))), allow=None)
    session.undo()
    last = Request("take the last part", "b.py", lines=(1, 2))
    session.accept(ended(session.begin(last)), allow=None)
    session.close()
    return folder


@pytest.fixture
def canary(
    spark: Spark, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> Callable[..., tuple[Done, dict[str, Any]]]:
    """Runs the bench with servers as the models "new" and "old"."""
    monkeypatch.setattr("spark_tui.cli.bench.suite._BEYOND_CACHES", 1 << 20)

    def run(new: ScriptedServer, old: ScriptedServer, *more: str) -> tuple[Done, dict[str, Any]]:
        config = Path(os.environ["XDG_CONFIG_HOME"]) / "spark" / "config.toml"
        config.parent.mkdir(parents=True, exist_ok=True)
        lines = []
        for name, server in (("new", new), ("old", old)):
            lines += [f"[models.{name}]", f'base_url = "{server.base_url}"', 'model = "m"']
            lines += ["probe = false", 'format = "rewrite"']
        config.write_text("\n".join(lines))
        done = spark("bench", "canary", "-m", "new", "--json", "-C", folder, *more)
        body = json.loads(done.out) if done.out else {}
        return done, {row["metric"]: row for row in body.get("rows", ())} | {
            "failed": body.get("failed")
        }

    return run


def test_a_model_that_answers_as_was_accepted_passes_beside_one_that_does_not(
    canary: Callable[..., tuple[Done, dict[str, Any]]], folder: Path, state: Path
) -> None:
    before = {path: path.stat().st_mtime_ns for path in state.rglob("*") if path.is_file()}
    status = git(folder, "status", "--porcelain")
    with serving(writes(ACCEPTED)) as new, serving(writes(OTHER)) as old:
        options = ("--against", "old", "--min-accept", "1", "--max-loss", "0")
        done, rows = canary(new, old, *options)
        assert len(new.requests) == len(old.requests) == 2
        sent = new.requests[-1]["messages"][-1]["content"]
        assert "this should multiply" in sent
    assert (done.code, rows["failed"]) == (0, None)
    shares = {name: (rows[name]["ours"], rows[name]["peer"]) for name in rows if "share" in name}
    assert shares["accepted_share"] == (1.0, 0.0)
    assert shares["checked_share"] == (1.0, 0.5)
    assert rows["accepted_share"]["peer_name"] == "old"
    assert rows["ttft_milliseconds"]["ours"] > 0
    assert "2 of your own turns, replayed by new and old" in done.err
    assert git(folder, "status", "--porcelain") == status
    after = {path: path.stat().st_mtime_ns for path in state.rglob("*") if path.is_file()}
    assert after == before, "a replay is noted nowhere"


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (("--min-accept", "0.9"), "accepted_share is 0; --min-accept 0.9 is missed"),
        (("--min-checked", "0.6"), "checked_share is 0.5; --min-checked 0.6 is missed"),
        (("--max-ttft", "0"), "--max-ttft 0 is missed"),
        (("--min-speed", "1e9"), "--min-speed 1e+09 is missed"),
        (
            ("--against", "old", "--max-loss", "0.5"),
            "accepted_share fell from 1 to 0; --max-loss 0.5 is missed",
        ),
    ],
)
def test_a_threshold_that_is_missed_is_told_and_exits_with_1(
    canary: Callable[..., tuple[Done, dict[str, Any]]], options: tuple[str, ...], told: str
) -> None:
    with serving(writes(OTHER)) as new, serving(writes(ACCEPTED)) as old:
        done, rows = canary(new, old, *options)
    assert done.code == 1
    assert len(rows["failed"]) == 1
    assert told in rows["failed"][0]
    assert told in done.err


def test_without_thresholds_it_only_measures(
    canary: Callable[..., tuple[Done, dict[str, Any]]],
) -> None:
    with serving(writes(OTHER)) as new, serving(writes(ACCEPTED)) as old:
        done, rows = canary(new, old, "--turns", "1")
        assert (len(new.requests), old.requests) == (1, [])
    assert (done.code, rows["failed"]) == (0, None)
    assert rows["accepted_share"]["peer"] is None
    assert "no threshold was named; the usual ones would fail: accepted_share is 0" in done.err


def test_few_turns_are_warned_of_and_a_threshold_that_is_named_stands_alone(
    canary: Callable[..., tuple[Done, dict[str, Any]]],
) -> None:
    with serving(writes(ACCEPTED)) as new, serving(writes(OTHER)) as old:
        done, _ = canary(new, old, "--min-accept", "0.9")
        plain, rows = canary(new, old)
    assert "fewer than 10 turns (2) are too few to judge by" in done.err
    assert "no threshold was named" not in done.err
    assert (plain.code, rows["failed"]) == (0, None)
    assert "no threshold was named; the usual ones would pass" in plain.err


def test_an_endpoint_that_is_down_ends_it(
    canary: Callable[..., tuple[Done, dict[str, Any]]],
) -> None:
    with serving(refuses(500)) as new, serving(writes(ACCEPTED)) as old:
        done, _ = canary(new, old)
    assert done.code == 75


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (("--max-loss", "0.1"), "name the other one with --against"),
        (("--min-accept", "2"), "--min-accept 2: choose a share from 0 to 1"),
        (("--max-ttft", "-1"), "--max-ttft -1: choose a number from 0"),
        (("--min-speed", "nan"), "--min-speed nan: choose a number from 0"),
        (("--turns", "0"), "--turns 0: choose a number from 1"),
        (("--against", "nowhere"), "nowhere"),
    ],
)
def test_what_is_wrong_is_told_before_anything_is_sent(
    canary: Callable[..., tuple[Done, dict[str, Any]]], options: tuple[str, ...], told: str
) -> None:
    with serving(writes(ACCEPTED)) as new, serving(writes(ACCEPTED)) as old:
        done, _ = canary(new, old, *options)
        assert (done.code, new.requests, old.requests) == (2, [], [])
    assert told in done.err


def test_without_turns_that_is_said(
    spark: Spark, repo: MakeRepo, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("spark_tui.cli.bench.suite._BEYOND_CACHES", 1 << 20)
    done = spark("bench", "canary", "-C", repo({"a.py": AREA}))
    assert (done.code, "there is no turn to replay" in done.err) == (1, True)
