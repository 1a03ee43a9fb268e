"""Mistral Vibe itself, where `vibe-acp` is on the PATH, with a scripted model on loopback."""

import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import Done, MakeRepo, Spark
from tests.fakes import git
from tests.providers.scripted_server import (
    Handler,
    ScriptedServer,
    Turn,
    event,
    is_silent,
    serving,
)
from tests.tasks.scripts import CHECK, FILES

pytestmark = pytest.mark.skipif(
    shutil.which("vibe-acp") is None, reason="needs Mistral Vibe (vibe-acp) on the PATH"
)
RIGHT = "def area(w, h):\n    return w * h\n"
Call = tuple[str, dict[str, Any]]
CALLS: list[Call] = [
    ("read_file", {"path": "shapes/area.py"}),
    ("bash", {"command": "rm -rf shapes"}),
    ("write_file", {"path": "/outside.txt", "content": "harm\n"}),
    ("write_file", {"path": "docs/area.md", "content": "# Area\n"}),
    (
        "edit",
        {"file_path": "shapes/area.py", "old_string": "w + h", "new_string": "w * h"},
    ),
]


def calling(calls: Sequence[Call], silent_at: int = -1) -> Turn:
    """Calls tools one after the other, and ends with words.

    Args:
        silent_at: The call at which nothing is said; -1 for none.
    """

    def turn(handler: Handler) -> None:
        messages = handler.body["messages"]
        number = sum(message["role"] == "tool" for message in messages)
        if number == silent_at:
            is_silent()(handler)
            return
        delta: dict[str, Any] = {"role": "assistant", "content": "All is well."}
        reason = "stop"
        if handler.body.get("tools") and number < len(calls):
            name, arguments = calls[number]
            function = {"name": name, "arguments": json.dumps(arguments)}
            tool = {"index": 0, "id": f"call{number:05}", "type": "function", "function": function}
            delta = {"role": "assistant", "content": "I go on.", "tool_calls": [tool]}
            reason = "tool_calls"
        handler.begin()
        for choice in (
            {"index": 0, "delta": delta, "finish_reason": None},
            {"index": 0, "delta": {}, "finish_reason": reason},
        ):
            usage = {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15}
            body = {"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "m"}
            handler.send(event(body | {"choices": [choice], "usage": usage}))
        handler.send(event(b"[DONE]"))
        handler.end()

    return turn


@pytest.fixture
def configured(
    repo: MakeRepo, state: Path, monkeypatch: pytest.MonkeyPatch
) -> Callable[[ScriptedServer], Path]:
    """Leads Vibe to a server, and spark to Vibe; gives the repository."""

    def name(server: ScriptedServer) -> Path:
        home = state.parent / "vibe"
        home.mkdir(parents=True)
        lines = ['active_model = "m"', "enable_telemetry = false", "enable_update_checks = false"]
        lines += ["[[providers]]", 'name = "scripted"', f'api_base = "{server.base_url}"']
        lines += ['api_key_env_var = "SCRIPTED_KEY"', "[[models]]", 'name = "m"', 'alias = "m"']
        lines += ['provider = "scripted"', ""]
        (home / "config.toml").write_text("\n".join(lines))
        monkeypatch.setenv("VIBE_HOME", str(home))
        monkeypatch.setenv("SCRIPTED_KEY", "sk-scripted")
        config = Path(os.environ["XDG_CONFIG_HOME"]) / "spark" / "config.toml"
        config.parent.mkdir(parents=True)
        lines = ["[agents.vibe]", 'command = "vibe-acp"', 'env = ["VIBE_HOME", "SCRIPTED_KEY"]', ""]
        config.write_text("\n".join(lines))
        return repo(FILES)

    return name


def body_of(done: Done) -> dict[str, Any]:
    body: dict[str, Any] = json.loads(done.out.splitlines()[-1])
    return body


def test_vibe_works_to_the_end_of_a_task(
    spark: Spark, configured: Callable[[ScriptedServer], Path]
) -> None:
    with serving(calling(CALLS)) as server:
        folder = configured(server)
        assert spark("trust", "--yes", "-C", folder).code == 0
        done = spark("task", "@vibe", "mend it", "--check", CHECK, "-C", folder)
        assert server.keys[0] == "Bearer sk-scripted"
    assert done.code == 0, done.err
    assert "spark: @vibe works on the task: Mistral Vibe" in done.err
    assert "refused: rm -rf shapes: `rm -rf shapes` is not allowed" in done.err
    assert "/outside.txt lies outside of the work tree" in done.err
    assert "spark: step 5: " in done.err
    assert "done; the check passes" in done.err
    assert "+# Area\n" in done.out
    assert "-    return w + h\n+    return w * h\n" in done.out
    assert git(folder, "status", "--porcelain") == b""
    listed = body_of(spark("task", "list", "--json", "-C", folder))["tasks"]
    applied = body_of(spark("task", "apply", listed[0]["id"], "--json", "-C", folder))
    assert [file["path"] for file in applied["files"]] == ["docs/area.md", "shapes/area.py"]
    assert (folder / "shapes/area.py").read_text() == RIGHT


def test_vibe_takes_up_its_session_where_spark_was_killed(
    spark: Spark, configured: Callable[[ScriptedServer], Path]
) -> None:
    calls = [CALLS[3], CALLS[0], CALLS[4]]
    with serving(calling(calls, silent_at=2)) as server:
        folder = configured(server)
        arguments = ["task", "@vibe", "mend it", "-q", "-C", str(folder)]
        process = subprocess.Popen([sys.executable, "-m", "spark_tui", *arguments])
        for _ in range(3):
            assert server.came.acquire(timeout=60)
        process.send_signal(signal.SIGKILL)
        process.wait()
        server.turns = [calling(calls)]
        listed = body_of(spark("task", "list", "--json", "-C", folder))["tasks"]
        assert [task["status"] for task in listed] == ["interrupted"]
        done = spark("task", "resume", listed[0]["id"], "-C", folder)
    assert done.code == 0, done.err
    assert "it takes up its session" in done.err
    assert "+# Area\n" in done.out
    assert "+    return w * h\n" in done.out
