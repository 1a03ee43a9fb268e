"""Editors that mean harm: nothing is read or written outside, and the agent goes on answering."""

import asyncio
import json
import os
from pathlib import Path
from typing import Any

import pytest
from acp import schema
from acp.exceptions import RequestError

from spark_tui.editors import agent
from spark_tui.editors.transport import MOST_BYTES
from tests.editors.conftest import AREA, Connected, EditorClient, MakeBench, connected

OUTSIDE = (
    "file://{outside}/secret.py",
    "file://{root}/../secret.py",
    "file://{root}/link.py",
    "file://{root}/.git/config",
    "file://{root}/gone.py",
    "file://{root}/a%00.py",
    "{outside}/secret.py:1",
    "zed:///agent/selection?path={outside}/secret.py#L1:1",
)


async def test_a_file_outside_is_neither_read_nor_written(
    make_bench: MakeBench, tmp_path: Path
) -> None:
    secret = tmp_path / "secret.py"
    secret.write_text(AREA)
    bench = make_bench()
    (bench.root / "link.py").symlink_to(secret)

    class Watched(EditorClient):
        async def read_text_file(self, session_id: str, path: str, **_: object) -> object:
            raise AssertionError(path)

    async with connected(bench, Watched()) as editor:
        await editor.begin()
        for uri in OUTSIDE:
            place = uri.format(outside=tmp_path, root=bench.root)
            link = schema.ResourceContentBlock(type="resource_link", name="x", uri=place)
            before = len(editor.client.said)
            assert await editor.prompt("multiply", link) == "end_turn"
            assert len(editor.client.said) > before, uri
        assert not editor.client.questions
    assert secret.read_text() == AREA


async def test_what_is_no_file_is_left_out_and_said(make_bench: MakeBench) -> None:
    bench = make_bench()
    async with connected(bench) as editor:
        await editor.begin()
        blocks = [
            schema.ResourceContentBlock(type="resource_link", name="x", uri=uri)
            for uri in ("https://example.org/a.py", "file://[", f"file://{bench.root}/lib/", "x")
        ]
        picture = schema.ImageContentBlock(type="image", data="", mime_type="image/png")
        await editor.prompt(*blocks, picture)
        assert "no words" in editor.client.said
        told = [u for u in editor.client.updates if u.session_update == "agent_thought_chunk"]
        assert len(told) >= 5


async def send(editor: Connected, data: bytes) -> None:
    """Send bytes beside the library."""
    descriptor = os.dup(editor.sink)
    os.set_blocking(descriptor, True)
    try:
        await asyncio.to_thread(_write_all, descriptor, data)
    finally:
        os.close(descriptor)


def _write_all(descriptor: int, data: bytes) -> None:
    left = memoryview(data)
    while left:
        try:
            left = left[os.write(descriptor, left) :]
        except BlockingIOError:  # the editor's side shares the mode of the pipe
            continue


def errors(editor: Connected) -> list[int]:
    """The codes of the errors without an id."""
    return [
        message["error"]["code"]
        for message in editor.client.raw
        if message.get("error") and message.get("id") is None
    ]


async def test_lines_that_are_no_messages_are_answered_with_errors(
    make_bench: MakeBench,
) -> None:
    lines = [
        b"nonsense",
        b"[1, 2]",
        b'"text"',
        b"[" * 100_000,
        b"\xff\xfe",
        b'{"jsonrpc": "2.0", "id": [], "result": {}}',
        b'{"jsonrpc": "2.0", "id": 1, "method": {}}',
    ]
    async with connected(make_bench()) as editor:
        await send(editor, b"\n".join([*lines, b"", b""]))
        await editor.begin()
        assert errors(editor) == [-32700, -32600, -32600, -32700, -32700, -32600, -32600]


async def test_a_line_of_a_hundred_megabytes_is_refused(make_bench: MakeBench) -> None:
    async with connected(make_bench()) as editor:
        chunk = b"x" * (1 << 20)
        for _ in range(100):
            await send(editor, chunk)
        await send(editor, b"\n")
        await editor.begin()
        assert errors(editor) == [-32600]
        assert MOST_BYTES < 100 << 20


async def test_unknown_methods_sessions_and_parameters_are_refused(
    make_bench: MakeBench, tmp_path: Path
) -> None:
    bench = make_bench()
    (tmp_path / "plain").mkdir()
    async with connected(bench) as editor:
        await editor.begin()
        asks = {
            "session/nothing": {},
            "_spark/secret": {},
            "session/prompt": {"sessionId": "gone", "prompt": []},
            "session/new": {"cwd": 7},
            "session/set_mode": {"sessionId": editor.session, "modeId": "root"},
            "session/load": {"sessionId": "../../x", "cwd": str(bench.root), "mcpServers": []},
            "session/close": {"sessionId": "gone"},
        }
        lines = [
            json.dumps({"jsonrpc": "2.0", "id": f"h{number}", "method": method, "params": params})
            for number, (method, params) in enumerate(asks.items())
        ]
        await send(editor, "".join(f"{line}\n" for line in lines).encode())
        for folder in ("relative", str(tmp_path / "plain"), "/gone", "/a\0b"):
            with pytest.raises(RequestError):
                await editor.connection.new_session(cwd=folder, mcp_servers=[])
        await editor.connection.cancel(session_id="gone")
        await editor.client.until(lambda: len(answers(editor)) == len(asks))
        by_name = answers(editor)
        codes = [by_name[f"h{number}"]["error"]["code"] for number in range(len(asks))]
        assert codes == [-32601, -32601, -32002, -32602, -32602, -32002, -32002]
        assert await editor.prompt("multiply", editor.link("a.py")) == "end_turn"


def answers(editor: Connected) -> dict[str, Any]:
    """The answers to what was sent beside the library."""
    return {m["id"]: m for m in editor.client.raw if str(m.get("id")).startswith("h")}


async def test_an_editor_opens_only_so_many_sessions(
    make_bench: MakeBench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(agent, "MOST_SESSIONS", 3)
    async with connected(make_bench()) as editor:
        for _ in range(3):
            await editor.begin()
        with pytest.raises(RequestError, match="close one first"):
            await editor.begin()
        await editor.connection.close_session(session_id=editor.session)
        await editor.begin()


async def test_an_editor_that_hangs_up_in_the_middle_loses_nothing(
    make_bench: MakeBench,
) -> None:
    bench = make_bench()
    is_asked = asyncio.Event()

    async def wait() -> None:
        is_asked.set()
        await asyncio.Event().wait()

    async with connected(bench, EditorClient(on_question=wait)) as editor:
        await editor.begin()
        prompt = asyncio.ensure_future(editor.prompt("multiply", editor.link("a.py")))
        await is_asked.wait()
        prompt.cancel()
    assert bench.text() == AREA


async def test_a_notification_that_means_nothing_is_left_out_quietly(
    make_bench: MakeBench, caplog: pytest.LogCaptureFixture
) -> None:
    bench = make_bench()
    async with connected(bench) as editor:
        await editor.begin()
        for method in ("foo/bar", "_mine", "$/cancel_request", "session/cancel"):
            await send(editor, json.dumps({"jsonrpc": "2.0", "method": method}).encode() + b"\n")
        assert await editor.prompt("multiply", editor.link("a.py")) == "end_turn"
    assert not caplog.records
