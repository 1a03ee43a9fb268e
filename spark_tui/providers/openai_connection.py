"""Opens the connections to an OpenAI-compatible endpoint; no other module talks to one.

Requests run on a thread with an event loop of its own (`background`), so that the reader of an
answer can stop at once, whatever the network does. A connection is kept open from one request to
the next. A key is read from its variable for each request and goes into the header of that request,
nowhere else: no error holds anything that the HTTP client knows of a request.
"""

import asyncio
import math
import os
import ssl
import time
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import aclosing, asynccontextmanager
from http import HTTPStatus
from typing import TYPE_CHECKING, Any, Protocol
from urllib.parse import urlsplit

from spark_tui.config import Endpoint
from spark_tui.errors import UsageError
from spark_tui.providers import openai_errors
from spark_tui.providers.openai_errors import EndpointFault, Patience
from spark_tui.providers.proxies import is_here, proxy_at, wrong_proxy, wrong_setting
from spark_tui.providers.stream_limits import StreamLimits

if TYPE_CHECKING:
    import httpx2

NEVER = -math.inf
"""The last use of a connection that was not used, or failed."""
_KEPT_OPEN = 300.0
"""Seconds that an unused connection is kept."""
MISSING = frozenset({HTTPStatus.NOT_FOUND, HTTPStatus.METHOD_NOT_ALLOWED})
"""The replies of servers that have nothing at an address."""
_LOOK_SECONDS = 5.0
"""Seconds to find out whether a server answers at another address."""
MOST_OF_ANOTHER = 4 << 20
"""Bytes that are read of a reply that is no stream."""
_LAST_EVENT = b"data: [DONE]"
"""The end of a stream, behind which some servers keep the connection open."""
_SENDS = "send_request_headers.started"
"""The step of a request, as httpx names it, that begins once there is a connection."""


class Response(Protocol):
    """The part of an HTTP response that answers are read from."""

    @property
    def status_code(self) -> int:
        """The HTTP status."""

    @property
    def headers(self) -> Mapping[str, str]:
        """The headers, whatever the case of their names."""

    def aiter_bytes(self) -> AsyncIterator[bytes]:
        """Yield the body as its bytes arrive."""


class Connection:
    """An endpoint, and the connections to it.

    Nothing is imported or opened before the first request. All but `key` belongs to the thread of
    the connections.

    Args:
        endpoint: The endpoint.
        patience: How long to wait for the server.
        env: The environment that holds the keys.
        keep: Whether connections are kept open.
    """

    def __init__(
        self, endpoint: Endpoint, patience: Patience, env: Mapping[str, str], *, keep: bool
    ) -> None:
        self.endpoint = endpoint
        self.patience = patience
        self._env = env
        self._keep = keep
        self._client: httpx2.AsyncClient | None = None
        self.last_use = NEVER
        """When a connection was used last, by the monotonic clock."""

    def key(self) -> str:
        """Read the key from its variable; "" where none is needed.

        Raises:
            UsageError: The variable is not set, or holds more than a key.
        """
        variable = self.endpoint.key_env
        name = self.endpoint.name
        key = self._env.get(variable, "").strip() if variable else ""
        if variable and not key:
            raise UsageError(
                f"{name} needs its key in ${variable}, which is not set; set it or name "
                f"another model"
            )
        if not key.isascii() or not all(letter.isprintable() and letter != " " for letter in key):
            raise UsageError(f"${variable} holds more than the key for {name}; set it again")
        return key

    def client(self) -> "httpx2.AsyncClient":
        """Return the HTTP client, which the first call makes.

        Raises:
            UsageError: Settings of a proxy or of certificates cannot be used.
        """
        import httpx2  # noqa: PLC0415 - it takes a while, and most never need it

        if self._client is None:
            kept = 4 if self._keep else 0
            limit = httpx2.Limits(
                max_connections=8, max_keepalive_connections=kept, keepalive_expiry=_KEPT_OPEN
            )
            timeout = httpx2.Timeout(self.endpoint.silence, connect=self.patience.connect)
            parts = urlsplit(self.endpoint.base_url)
            here = is_here(parts.hostname or "")
            wrong = "" if here else wrong_proxy(os.environ, self.endpoint.base_url)
            if wrong:
                raise UsageError(f"{self.endpoint.name} cannot be asked: {wrong}")
            verify: ssl.SSLContext | bool = True
            try:
                if here and parts.scheme == "https":
                    verify = httpx2.create_ssl_context()
                # Proxies of the environment stand before other machines only; its certificates,
                # which `trust_env` turns off with them, hold for all.
                self._client = httpx2.AsyncClient(
                    timeout=timeout, limits=limit, verify=verify, trust_env=not here
                )
            except (ValueError, ImportError, OSError, httpx2.InvalidURL) as e:
                wrong = wrong_setting(os.environ, e)
                raise UsageError(f"{self.endpoint.name} cannot be asked: {wrong}") from None
        self.last_use = time.monotonic()
        return self._client

    def headers(self) -> dict[str, str]:
        """Return the headers of every request."""
        key = self.key()
        return {"Authorization": f"Bearer {key}"} if key else {}

    @asynccontextmanager
    async def send(
        self,
        limits: StreamLimits,
        method: str,
        url: str,
        *,
        follow: Callable[[str, Mapping[str, Any]], None] = lambda *_: None,
        **more: Any,
    ) -> AsyncIterator[Response]:
        """Send a request.

        The context has the response, once its headers are there.

        Args:
            limits: The bounds of the answer; they begin to count here.
            method: The HTTP method.
            url: The address.
            follow: Called with every step of the request, as httpx traces it, and its details.
            more: Further arguments of httpx's `build_request`, such as `json`.

        Raises:
            Overdue: The headers do not come in time. httpx bounds only the time between two bytes,
                which a server can send for ever.
            UsageError: See `client`.
        """
        client = self.client()
        loop = asyncio.get_running_loop()

        async def trace(step: str, details: Mapping[str, Any]) -> None:
            follow(step, details)
            if step.endswith(_SENDS):
                # There is a connection now: the bounds of the answer count from here, and those of
                # connecting no more.
                limits.begin()
                deadline.reschedule(loop.time() + limits.left)

        extensions = {"trace": trace}
        request = client.build_request(
            method, url, headers=self.headers(), extensions=extensions, **more
        )
        try:
            async with asyncio.timeout(self.patience.connect + limits.left) as deadline:
                response = await client.send(request, stream=True)
        except TimeoutError:
            raise limits.overdue() from None
        async with aclosing(response):
            limits.take_headers()
            yield response

    async def refusal(self, status: int, refusal_body: bytes) -> EndpointFault:
        """Explain the refusal of a request.

        Args:
            status: The HTTP status of the reply.
            refusal_body: The body of the reply.
        """
        # A wrong base_url is the usual cause of a 404: the right one may be near.
        if status in MISSING and not await self._answers_at(self.endpoint.base_url):
            for base_url in _other_addresses(self.endpoint.base_url):
                if await self._answers_at(base_url):
                    return openai_errors.misplaced(self.endpoint, status, base_url)
        return openai_errors.refused(self.endpoint, status, refusal_body)

    async def _answers_at(self, base_url: str) -> bool:
        """Whether the server lists its models at an address."""
        import httpx2  # noqa: PLC0415 - see `client`

        try:
            async with asyncio.timeout(_LOOK_SECONDS):
                response = await self.client().get(f"{base_url}/models", headers=self.headers())
        except (httpx2.HTTPError, httpx2.InvalidURL, TimeoutError):
            return False
        listed = response.content.lstrip()[:1] in (b"{", b"[")
        return response.status_code == HTTPStatus.OK and listed

    def fault(
        self, error: Exception, dialed: tuple[str, int] | None = None
    ) -> EndpointFault | None:
        """Explain why no connection could be opened, or why the server is silent.

        Args:
            error: One of `network_errors`.
            dialed: The address of the last connection, where that is not the endpoint's: a proxy.

        Returns:
            None for an answer that broke off.
        """
        import httpx2  # noqa: PLC0415 - see `client`

        none = (httpx2.ConnectError, httpx2.ConnectTimeout, httpx2.ProxyError, httpx2.InvalidURL)
        if isinstance(error, (*none, httpx2.UnsupportedProtocol)):
            proxy = proxy_at(os.environ, *dialed) if dialed else ""
            return _unopened(self.endpoint, error, proxy)
        if isinstance(error, httpx2.TimeoutException):
            return openai_errors.silent(self.endpoint)
        return None

    async def close(self) -> None:
        """Close all connections, for good."""
        if self._client:
            await self._client.aclose()


def network_errors() -> tuple[type[Exception], ...]:
    """Return the errors of the HTTP client. They may hold the key: nothing may quote them."""
    import httpx2  # noqa: PLC0415 - it takes a while, and most never need it

    return (httpx2.HTTPError, httpx2.StreamError, httpx2.InvalidURL)


def is_lost(error: Exception) -> bool:
    """Whether the server closed a connection, as it may do with one that was kept open.

    Args:
        error: One of `network_errors`.
    """
    import httpx2  # noqa: PLC0415 - it takes a while, and most never need it

    return isinstance(error, httpx2.RemoteProtocolError | httpx2.ReadError | httpx2.WriteError)


async def start_of(
    response: Response, limits: StreamLimits, most_seconds: float = math.inf
) -> bytes:
    """Read the body of a reply, as far as it arrives in time.

    Args:
        response: The reply.
        limits: The bounds of the answer.
        most_seconds: A shorter time, for a reply whose body says little.

    Raises:
        Overdue: The body of an answer does not come to its end; a refusal is good without an end.
    """
    body = b""
    try:
        async with asyncio.timeout(min(limits.left, most_seconds)):
            async for arrived in response.aiter_bytes():
                body += arrived
                if len(body) > MOST_OF_ANOTHER:
                    break
    except TimeoutError:
        if response.status_code == HTTPStatus.OK and _LAST_EVENT not in body:
            raise limits.overdue() from None
    return body.strip()


def _unopened(endpoint: Endpoint, error: Exception, proxy: str = "") -> EndpointFault:
    """Explain why no connection could be opened; the arguments are those of `unreachable`."""
    for cause in openai_errors.causes(error):
        if isinstance(cause, ssl.SSLCertVerificationError):
            # Where the system's own store judges, an error may lack both fields.
            reason = getattr(cause, "verify_message", "") or _tls_reason(cause)
            code = getattr(cause, "verify_code", 0)
            return openai_errors.untrusted(endpoint, reason, code, proxy)
        if isinstance(cause, ssl.SSLError):
            return openai_errors.tls_failed(endpoint, _tls_reason(cause), proxy)
    return openai_errors.unreachable(endpoint, error, proxy)


def _tls_reason(error: ssl.SSLError) -> str:
    """Return the words of a TLS error."""
    if error.reason:
        return error.reason.replace("_", " ").lower()  # reads another program's output
    return error.strerror or str(error)[:100] or "no reason"


def _other_addresses(base_url: str) -> list[str]:
    """Return other likely addresses on the server: /v1 below the address, and at the root."""
    parts = urlsplit(base_url)
    addresses = [f"{base_url}/v1", f"{parts.scheme}://{parts.netloc}/v1"]
    return [address for address in dict.fromkeys(addresses) if address != base_url]
