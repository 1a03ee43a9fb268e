"""A server on loopback that answers as from far away: run as a process of its own, it prints its port and serves.

A connection takes a round trip before anything can be sent, a request half of one, its answer the other half, as TCP
has it; TLS would take one or two more for a connection.
"""

import asyncio
import json
import re
import sys

from spark_tui.cli import output

TOKENS = 200
_LENGTH = re.compile(rb"(?i)\r\ncontent-length: *(\d+)")


def _reply(tokens: int) -> bytes:
    pieces = [{"choices": [{"delta": {"content": "token "}, "finish_reason": None}]}] * tokens
    events = [json.dumps(each) for each in [*pieces, {"choices": [{"delta": {}, "finish_reason": "stop"}]}]]
    return b"".join(_chunk(f"data: {event}\n\n".encode()) for event in [*events, "[DONE]"]) + b"0\r\n\r\n"


def _chunk(data: bytes) -> bytes:
    return b"%x\r\n%s\r\n" % (len(data), data)


_HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"


async def _answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, seconds: float) -> None:
    await asyncio.sleep(seconds)
    try:
        while head := await reader.readuntil(b"\r\n\r\n"):
            length = _LENGTH.search(head)
            body = await reader.readexactly(int(length[1]) if length else 0)
            await asyncio.sleep(seconds)
            writer.write(_HEAD + _reply(json.loads(body)["max_tokens"] if body else 0))
            await writer.drain()
    except (asyncio.IncompleteReadError, ConnectionError):
        writer.close()


async def _serve(seconds: float) -> None:
    server = await asyncio.start_server(lambda reader, writer: _answer(reader, writer, seconds), "127.0.0.1", 0)
    output.show_line(str(server.sockets[0].getsockname()[1]))
    await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(_serve(float(sys.argv[1])))
