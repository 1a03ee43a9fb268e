"""The example programs run as they are, with the shipped model where they need one."""

import ast
import json
import os
import re
import subprocess
import sys
from dataclasses import fields
from pathlib import Path
from xml.etree import ElementTree

import pyte
import pytest
from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip

from examples.demo import films
from spark_tui.config import Agent, Endpoint, Settings, load_settings

ROOT = Path(__file__).parent.parent


def _run(name: str, folder: Path, *args: str) -> str:
    env = {
        **os.environ,
        "PYTHONPATH": str(ROOT),
        "TMPDIR": str(folder),
        "XDG_STATE_HOME": str(folder),
    }
    command = [sys.executable, str(ROOT / "examples" / name), *args]
    return subprocess.run(
        command, cwd=folder, env=env, capture_output=True, text=True, check=True
    ).stdout


def test_the_engine_writes_a_script_from_python(tmp_path: Path) -> None:
    lines = [
        line.split(maxsplit=1)[1] for line in _run("engine_from_python.py", tmp_path).splitlines()
    ]
    assert b"".join(ast.literal_eval(line) for line in lines[:-1]) == b"rename n count\n"
    assert lines[-1] == "'<|endoftext|>'"


def test_the_streaming_diff_ends_with_every_hunk(tmp_path: Path) -> None:
    assert _run("streaming_diff.py", tmp_path).splitlines()[-3:-1] == [
        "line 2: ['    if w < 0:'] -> ['    if w < 0 or h < 0:']",
        "line 4: ['    return w + h'] -> ['    # width by height', '    return w * h']",
    ]


def test_a_scripted_turn_is_accepted_and_taken_back(tmp_path: Path) -> None:
    said = _run("script_a_turn.py", tmp_path)
    assert "ok: rename: 3 hunks, checked (applies, parses, names)" in said
    assert "accepted as" in said
    assert "taken back as" in said


@pytest.mark.parametrize(
    "path", sorted((ROOT / "examples").glob("*.py")), ids=lambda path: path.name
)
def test_an_example_is_a_few_lines(path: Path) -> None:
    assert len(path.read_text().splitlines()) <= 30


def _story(folder: Path) -> list[str]:
    """The screens of demo.cast one after the other, each as text."""
    head, *events = [json.loads(line) for line in (folder / "demo.cast").read_text().splitlines()]
    assert head["version"] == 2
    assert [when for when, _, _ in events] == sorted(when for when, _, _ in events)
    assert {kind for _, kind, _ in events} == {"o"}
    screen = pyte.Screen(head["width"], head["height"])
    stream, screens = pyte.Stream(screen), []
    for _, _, text in events:
        stream.feed(text)
        screens.append("\n".join(screen.display))
    return screens


def _is_told(folder: Path) -> None:
    """Written, paused, redirected, accepted, and in the end taken back; the animation shows the
    same words.
    """
    rest = iter(_story(folder))
    for words in (
        "writing",
        "paused",
        "Enter redirect",
        "a accept  r reject",
        "accepted the hunk and wrote",
        "Take back",
    ):
        assert any(words in screen for screen in rest), words
    *_, last = _story(folder)
    assert "took back" in last
    assert re.search(r"- {5,}\S", last), "what an accept took away is shown again"
    assert re.search(r"\+ {5,}\S", last)
    svg = (folder / "demo.svg").read_text()
    ElementTree.fromstring(svg)
    assert "took back" in svg
    assert len(svg) < 300_000


def test_the_demo_s_films_tell_the_story() -> None:
    _is_told(ROOT / "examples" / "demo")


@pytest.mark.exhaustive
def test_the_demo_is_recorded_again(tmp_path: Path) -> None:
    _run("demo/record.py", tmp_path, str(tmp_path))
    _is_told(tmp_path)


def test_a_row_that_stays_is_in_an_animation_once_and_one_that_comes_back_is_hidden_between() -> (
    None
):
    here, there = (
        Strip([Segment(text, Style(color="#ffffff", bgcolor="#000000"))])
        for text in ("here", "<es")
    )
    page = [here] * 5
    svg = films.svg(
        [(0.0, [*page, here]), (1.0, [*page, there]), (2.0, [*page, here])], (4, 6), lasts=4.0
    )
    assert svg.count(">here<") == 6
    assert svg.count(">&lt;es<") == 1
    assert (
        "0.00%{visibility:visible}25.00%{visibility:hidden}50.00%{visibility:visible}100.00%{visibility:hidden}"
        in svg
    )
    assert "0.00%{visibility:hidden}25.00%{visibility:visible}50.00%{visibility:hidden}" in svg


def test_the_example_of_a_configuration_has_every_setting_at_its_default(tmp_path: Path) -> None:
    text = (ROOT / "examples" / "config.toml").read_text("utf-8")
    folder = tmp_path / ".config" / "spark"
    folder.mkdir(parents=True)
    (folder / "config.toml").write_text(text)
    settings = load_settings(env={"HOME": str(tmp_path)})
    plain = Settings()
    named = {field.name for field in fields(Settings)} - {"models", "agents", "sources", "keys"}
    assert {name: getattr(settings, name) for name in named} == {
        name: getattr(plain, name) for name in named
    }
    assert all(f"\n{name} = " in text for name in named)
    given = settings.models["big"]
    plain_endpoint = Endpoint(name="big", base_url=given.base_url, model=given.model)
    shown = {field.name for field in fields(Endpoint)} - {"name", "abilities"}
    assert all(f"{name} = " in text for name in shown)
    assert given == plain_endpoint
    agent = settings.agents["vibe"]
    assert agent == Agent(name="vibe", command=agent.command)
    assert all(f"\n{field.name} = " in text for field in fields(Agent) if field.name != "name")
