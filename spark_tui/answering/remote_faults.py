"""What goes wrong with an endpoint, in a sentence each; and how long a busy one is waited for. Knows no sockets."""

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from http import HTTPStatus
from urllib.parse import urlsplit

from spark_tui.answering.chat_stream import told
from spark_tui.endpoints import Endpoint
from spark_tui.errors import SparkError, Transient, UsageError

BUSY = frozenset({HTTPStatus.TOO_MANY_REQUESTS, HTTPStatus.SERVICE_UNAVAILABLE, 529})
_NO_ENTRY = frozenset({HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN})


@dataclass(frozen=True, slots=True)
class Waiting:
    """The server is busy, and is asked again in so many seconds. `line`: for people."""

    seconds: float
    line: str


@dataclass(frozen=True, slots=True)
class Fault:
    """Why there is no more: what is raised by whoever reads. An error of the client would take the key along."""

    kind: type[SparkError]
    words: str

    def without(self, secret: str) -> "Fault":
        """The same, where a server says something that nobody is to see."""
        return Fault(self.kind, self.words.replace(secret, "…")) if secret else self


@dataclass(frozen=True, slots=True)
class Patience:
    """How long to wait. `connect`: seconds for a connection. `pauses`: seconds before each further try of a busy server
    that names no time. `longest`: seconds of a time that it names. `now`: the time, for those that name a date.
    """

    connect: float = 10.0
    pauses: tuple[float, ...] = (1.0, 2.0, 4.0, 8.0, 16.0, 32.0)
    longest: float = 300.0
    now: Callable[[], datetime] = lambda: datetime.now(UTC)


def refused(endpoint: Endpoint, code: int, body: bytes) -> Fault:
    """What an answer with another status than 200 means."""
    name, said = endpoint.name, told(body)
    says = f" and says: {said}" if said else ""
    if code in _NO_ENTRY and endpoint.key_env:
        words = f"{name} rejects the key in ${endpoint.key_env} ({code}); set another one"
    elif code in _NO_ENTRY:
        words = f"{name} needs a key ({code}); set key_env of [models.{name}] in config.toml to the variable with it"
    elif code == HTTPStatus.NOT_FOUND:
        wrong = f"{name} has no model {endpoint.model}, or its base_url is wrong (404){says}"
        words = f"{wrong}; see [models.{name}] in config.toml"
    elif code < HTTPStatus.BAD_REQUEST:
        words = f"{name} has moved ({code}); set base_url in config.toml to its new address"
    elif code < HTTPStatus.INTERNAL_SERVER_ERROR:
        words = f"{name} rejects the request ({code}){says}; ask for less or name another model"
    else:
        return Fault(Transient, f"{name} failed ({code}){says}; try again")
    return Fault(UsageError, words)


def busy(endpoint: Endpoint, code: int, headers: Mapping[str, str], patience: Patience, tries: int) -> Fault | Waiting:
    """When to ask a busy server again. Args: tries: how often it was, after the first time."""
    name, asked = endpoint.name, _retry_after(headers, patience.now())
    if not patience.pauses:
        return Fault(Transient, f"{name} is busy ({code}); try again later")
    if tries >= len(patience.pauses):
        return Fault(Transient, f"{name} is still busy ({code}) after {tries} more tries; try again later")
    if asked is not None and asked > patience.longest:
        return Fault(Transient, f"{name} is busy ({code}) for {_spoken(asked)}; try again then")
    seconds = patience.pauses[tries] if asked is None else asked
    return Waiting(seconds, f"{name} is busy ({code}): asking again in {_spoken(seconds)}")


def odd(endpoint: Endpoint, why: str) -> Fault:
    """The answer is none from some place on."""
    return Fault(Transient, f"{endpoint.name}: {why}; try again")


def cut_off(endpoint: Endpoint, *, spoken: bool) -> Fault:
    """The connection broke. Args: spoken: whether any text of an answer had arrived."""
    broke = f"the answer of {endpoint.name} was cut off" if spoken else f"{endpoint.name} broke off the connection"
    return Fault(Transient, f"{broke}; try again")


def unsaid(endpoint: Endpoint) -> Fault:
    """An answer ended before its first word."""
    return Fault(Transient, f"{endpoint.name} sent an empty answer; the request may be too long for it")


def silent(endpoint: Endpoint) -> Fault:
    """Nothing arrived for too long."""
    return Fault(Transient, f"{endpoint.name} said nothing for {_spoken(endpoint.silence)}; try again")


def unreachable(endpoint: Endpoint, error: BaseException) -> Fault:
    """There is no connection. Args: error: why."""
    host = urlsplit(endpoint.base_url).netloc
    return Fault(Transient, f"{endpoint.name} cannot be reached at {host} ({_reason(error)}); is it running?")


def _reason(error: BaseException) -> str:
    """The first cause that the system names."""
    cause: BaseException | None = error
    while cause:
        if isinstance(cause, OSError) and cause.strerror:
            return os.strerror(cause.errno) if cause.errno and cause.errno > 0 else cause.strerror
        cause = cause.exceptions[0] if isinstance(cause, BaseExceptionGroup) else cause.__cause__ or cause.__context__
    return str(error)[:100] or "no answer"


def _retry_after(headers: Mapping[str, str], now: datetime) -> float | None:
    """Seconds that a server asks to wait: it names a number or a date."""
    value = headers.get("retry-after", "")
    try:
        seconds = float(value)
    except ValueError:
        try:
            at = parsedate_to_datetime(value)
        except ValueError:
            return None
        seconds = (at.replace(tzinfo=at.tzinfo or UTC) - now).total_seconds()
    return max(0.0, seconds) if seconds == seconds else None  # noqa: PLR0124 - "nan" is a number, too


def _spoken(seconds: float) -> str:
    """A time for people."""
    if seconds < 1:
        return "a moment" if seconds < 0.05 else f"{seconds:.1f} s"
    whole = round(min(seconds, 1e9))
    return f"{whole} s" if whole < 120 else f"{whole // 60} min" if whole < 7200 else f"{whole // 3600} h"
