"""Messages as lines on two descriptors."""

import asyncio
import json
import os
from collections.abc import Iterator

import pytest

from spark_tui.editors import transport as transport_module
from spark_tui.editors.transport import LineTransport

Ends = tuple[int, int, int, int]


@pytest.fixture
def ends() -> Iterator[Ends]:
    """The ends of two pipes: spark's source, the editor's sink and source, spark's sink."""
    source, editor_sink = os.pipe()
    editor_source, sink = os.pipe()
    yield source, editor_sink, editor_source, sink
    for descriptor in (source, editor_source, sink):
        os.close(descriptor)


def ask_and_hang_up(sink: int, method: str) -> None:
    """Write one request, and close."""
    os.write(sink, json.dumps({"jsonrpc": "2.0", "id": 1, "method": method}).encode() + b"\n")
    os.close(sink)


async def test_a_request_right_before_the_end_is_answered_before_the_end_is_told(
    ends: Ends,
) -> None:
    source, editor_sink, editor_source, sink = ends
    transport = LineTransport(source, sink)
    ask_and_hang_up(editor_sink, "initialize")
    assert await transport.receive() is not None
    end = asyncio.create_task(transport.receive())
    ended, _ = await asyncio.wait({end}, timeout=0.05)
    assert not ended
    await transport.send({"jsonrpc": "2.0", "id": 1, "result": {}})
    assert await end is None
    assert json.loads(os.read(editor_source, 1000))["id"] == 1
    await transport.close()


async def test_the_end_does_not_wait_for_a_prompt(
    ends: Ends, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(transport_module, "LAST_S", 3600.0)
    source, editor_sink, _, sink = ends
    transport = LineTransport(source, sink)
    ask_and_hang_up(editor_sink, "session/prompt")
    assert await transport.receive() is not None
    async with asyncio.timeout(20):
        assert await transport.receive() is None
    await transport.close()
