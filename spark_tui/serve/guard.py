"""The checks that every request passes first: who asks, from where, and how much.

On the unix socket, the permissions of the file decide who may ask. On a loopback port, a key does
(health checks, which have none, are told "ok" and nothing else), and the Host header must name the
port: so no page in a browser can reach the server under a name of its own (DNS rebinding). Pages of
other origins are allowed nothing: there are no CORS headers, and a request that names an origin is
refused.
"""

import asyncio
import hmac
import json
from collections.abc import Collection, Mapping
from typing import Any

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from spark_tui.serve.api_errors import ApiError
from spark_tui.serve.metrics import Metrics

MOST_BODY_BYTES = 8 << 20
"""The longest request: far more than any model here reads."""
MOST_REQUESTS = 256
"""The most requests that are read or answered at once."""
SEND_SECONDS = 60.0
"""How long a client may take to read a part of an answer before its connection is cut."""


_COUNTED = frozenset(
    "/health /metrics /v1/models /v1/completions /v1/chat/completions /v1/edits".split()
)
"""Paths with a counter of their own; all others share one, so that their number stays small."""


NOBODY = ""
"""The name of a client without a key, who is told that the server lives."""


class _Silent(Exception):
    """A client neither reads nor writes."""


class Guard:
    """Refuses requests that no part of the interface should see; see the module.

    Args:
        app: The interface.
        keys: The keys that open the port; none for a unix socket.
        hosts: The values of Host that name the port; none for a unix socket.
        metrics: Counts requests.
        read_seconds: How long a request may take to arrive.
    """

    def __init__(
        self,
        app: ASGIApp,
        *,
        keys: Collection[str] = (),
        hosts: Collection[str] = (),
        metrics: Metrics,
        read_seconds: float,
    ) -> None:
        self._app = app
        self._keys = [key.encode() for key in keys]
        self._hosts = {host.encode() for host in hosts}
        self._metrics = metrics
        self._read_seconds = read_seconds
        self._at_once = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """See ASGI."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        if scope["type"] != "http":
            return  # a websocket that is not accepted is closed
        self._at_once += 1
        try:
            await self._answer(scope, receive, send)
        finally:
            self._at_once -= 1

    async def _answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        # 0 stays if the client is gone before an answer begins.
        status = 0

        async def counted(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            try:
                async with asyncio.timeout(SEND_SECONDS):
                    await send(message)
            except TimeoutError as e:
                raise _Silent from e

        is_read = False
        try:
            scope["spark_client"] = self._client(scope)
            # The whole body is read here, so that the limits of size and time hold for every
            # endpoint.
            body = await asyncio.wait_for(_body(scope, receive), self._read_seconds)
            is_read = True
            await self._app(scope, _replayed(body, receive), counted)
        except ApiError as e:
            # The rest of the request would be taken for the next one.
            await send_error(e, counted, close=not is_read)
        except TimeoutError:
            words = f"the request did not arrive within {self._read_seconds:g} s"
            await send_error(ApiError(408, words), counted, close=True)
        except _Silent:
            pass  # uvicorn closes the connection of a response that is not complete
        finally:
            path = "other"
            if scope["path"] in _COUNTED:
                path = scope["path"]
            self._metrics.count("requests", path=path, status=str(status))
            if status in {429, 503}:
                self._metrics.count("refused", status=str(status))

    def _client(self, scope: Scope) -> str:
        """Return the name of the client.

        Raises:
            ApiError: The client may not ask, or not now.
        """
        headers = _headers(scope)
        if len(headers.get(b"host", [])) != 1:
            raise ApiError(400, "a request has one Host header")
        if b"origin" in headers or b"access-control-request-method" in headers:
            raise ApiError(403, "pages in a browser are not served", code="origin_refused")
        if self._at_once > MOST_REQUESTS:
            raise ApiError(
                503,
                "too many requests at once; ask again later",
                kind="server_error",
                code="overloaded",
                retry_after=1,
            )
        # The unix socket: a port always has keys.
        if not self._keys:
            return _named(headers)
        if headers[b"host"][0] not in self._hosts:
            raise ApiError(421, "the Host header does not name this server", code="host_refused")
        # Docker, systemd and monitors have no key; `_Interface.health` tells them no secret.
        if scope["path"] == "/health" and b"authorization" not in headers:
            return NOBODY
        return self._owner(headers)

    def _owner(self, headers: Mapping[bytes, list[bytes]]) -> str:
        given = headers.get(b"authorization", [])
        key = b""
        if len(given) == 1 and given[0].startswith(b"Bearer "):
            key = given[0].removeprefix(b"Bearer ")
        owner = ""
        for number, known in enumerate(self._keys):  # always all: the time reveals no match
            if hmac.compare_digest(known, key):
                owner = f"key {number}"
        if not owner:
            raise ApiError(
                401,
                "the key is missing or wrong; send it as Authorization: Bearer KEY",
                kind="authentication_error",
                code="invalid_api_key",
            )
        return owner


def _headers(scope: Scope) -> dict[bytes, list[bytes]]:
    headers: dict[bytes, list[bytes]] = {}
    for name, value in scope["headers"]:
        headers.setdefault(name, []).append(value)
    return headers


_NAME_BYTES = 64


def _named(headers: Mapping[bytes, list[bytes]]) -> str:
    """Return the name that a client of the socket gives itself.

    It is believed, because only the user can open the socket.
    """
    given = headers.get(b"x-spark-client", [b""])[0]
    if 0 < len(given) <= _NAME_BYTES and given.isalnum():
        return given.decode("ascii", "replace")
    return "socket"


async def _body(scope: Scope, receive: Receive) -> bytes:
    """Read a whole request.

    Raises:
        ApiError: The request is too long.
    """
    too_long = ApiError(413, f"a request may have {MOST_BODY_BYTES:,} bytes", code="too_long")
    # Refuse by the announced length at once; a body in chunks is counted below.
    for announced in _headers(scope).get(b"content-length", []):
        if announced.isdigit() and int(announced) > MOST_BODY_BYTES:
            raise too_long
    parts: list[bytes] = []
    length = 0
    while True:
        message = await receive()
        if message["type"] == "http.disconnect":
            return b""
        part = message.get("body", b"")
        length += len(part)
        if length > MOST_BODY_BYTES:
            raise too_long
        parts.append(part)
        if not message.get("more_body"):
            return b"".join(parts)


def _replayed(body: bytes, receive: Receive) -> Receive:
    """Return a `receive` that gives a body already read, then waits for the hang-up."""
    is_given = False

    async def replay() -> Message:
        nonlocal is_given
        if is_given:
            return await receive()
        is_given = True
        return {"type": "http.request", "body": body, "more_body": False}

    return replay


async def send_error(error: ApiError, send: Send, *, close: bool = False) -> None:
    """Send an error as the whole answer."""
    data = json.dumps(error.body).encode()
    headers = {"content-type": "application/json", "content-length": str(len(data))}
    headers |= {name.lower(): value for name, value in error.headers.items()}
    if close:
        headers["connection"] = "close"
    encoded = [(name.encode(), value.encode()) for name, value in headers.items()]
    start: dict[str, Any] = {
        "type": "http.response.start",
        "status": error.status,
        "headers": encoded,
    }
    await send(start)
    await send({"type": "http.response.body", "body": data})
