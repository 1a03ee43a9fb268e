"""What goes wrong with an endpoint, in a sentence each; and how long a busy one is waited for.

Knows no sockets.
"""

import math
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from http import HTTPStatus
from urllib.parse import urlsplit

from spark_tui.config import Endpoint
from spark_tui.errors import Abstained, SparkError, Transient, UsageError
from spark_tui.providers.openai_stream import told

BUSY = frozenset({HTTPStatus.TOO_MANY_REQUESTS, HTTPStatus.SERVICE_UNAVAILABLE, 529})
_NO_ENTRY = frozenset({HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN})
_OF_THE_MOMENT = frozenset({HTTPStatus.REQUEST_TIMEOUT, HTTPStatus.TOO_EARLY})
"""Refusals that say nothing against the request."""


def is_never_final(_: SparkError) -> bool:
    """Tell of no error that it ends an answer without anybody being asked."""
    return False


@dataclass(frozen=True, slots=True)
class BusyWait:
    """The server is busy, and is asked again in so many seconds. `line`: for people."""

    seconds: float
    line: str


@dataclass(frozen=True, slots=True)
class EndpointFault:
    """Why there is no more: what is raised by whoever reads.

    An error of the client would take the key along.
    """

    kind: type[SparkError]
    words: str

    def without(self, secret: str) -> "EndpointFault":
        """The same, where a server says something that nobody is to see."""
        return EndpointFault(self.kind, self.words.replace(secret, "…")) if secret else self


@dataclass(frozen=True, slots=True)
class Patience:
    """How long to wait.

    Attributes:
        connect: Seconds for a connection.
        pauses: Seconds before each further try of a busy server that names no time.
        longest: Seconds of a time that it names.
        now: The time, for those that name a date.
        before: Seconds that the first request waits for what the endpoint is found to take.
        behind: Seconds between an answer and what the endpoint is asked then: a command that
            answers once has ended by that time.
    """

    connect: float = 10.0
    pauses: tuple[float, ...] = (1.0, 2.0, 4.0, 8.0, 16.0, 32.0)
    longest: float = 300.0
    now: Callable[[], datetime] = lambda: datetime.now(UTC)
    before: float = 1.0
    behind: float = 1.0


def misplaced(endpoint: Endpoint, code: int, base_url: str) -> EndpointFault:
    """There is nothing at an address.

    Args:
        base_url: One of that server that does answer.
    """
    wrong = f"{endpoint.name} has nothing at {endpoint.base_url} ({code})"
    right = f'base_url = "{base_url}" in [models.{endpoint.name}] of config.toml'
    return EndpointFault(UsageError, f"{wrong}, and answers at {base_url}; write {right}")


def refused(endpoint: Endpoint, code: int, body: bytes) -> EndpointFault:
    """What an answer with another status than 200 means."""
    name = endpoint.name
    said = told(body)
    says = f" and says: {said}" if said else ""
    if code in _NO_ENTRY and endpoint.key_env:
        words = f"{name} rejects the key in ${endpoint.key_env} ({code}); set another one"
    elif code in _NO_ENTRY:
        words = (
            f"{name} needs a key ({code}); set key_env of [models.{name}] in config.toml to "
            f"the variable with it"
        )
    elif code == HTTPStatus.NOT_FOUND:
        wrong = f"{name} has no model {endpoint.model}, or its base_url is wrong (404){says}"
        lacks = "" if "/v" in urlsplit(endpoint.base_url).path else "base_url mostly ends in /v1; "
        words = f"{wrong}; {lacks}see [models.{name}] in config.toml"
    elif code == HTTPStatus.PAYMENT_REQUIRED:
        words = f"{name} asks for payment ({code}){says}; pay there, or name another model"
        return EndpointFault(Transient, words)
    elif code in _OF_THE_MOMENT:
        return EndpointFault(Transient, f"{name} failed ({code}){says}; try again")
    elif code < HTTPStatus.BAD_REQUEST:
        words = f"{name} has moved ({code}); set base_url in config.toml to its new address"
    elif code < HTTPStatus.INTERNAL_SERVER_ERROR:
        words = f"{name} rejects the request ({code}){says}; ask for less or name another model"
    else:
        return EndpointFault(Transient, f"{name} failed ({code}){says}; try again")
    return EndpointFault(UsageError, words)


def busy(
    endpoint: Endpoint, code: int, headers: Mapping[str, str], patience: Patience, tries: int
) -> EndpointFault | BusyWait:
    """When to ask a busy server again.

    Args:
        tries: How often it was, after the first time.
    """
    name = endpoint.name
    asked = _retry_after(headers, patience.now())
    if not patience.pauses:
        return EndpointFault(Transient, f"{name} is busy ({code}); try again later")
    if tries >= len(patience.pauses):
        return EndpointFault(
            Transient, f"{name} is still busy ({code}) after {tries} more tries; try again later"
        )
    if asked is not None and asked > patience.longest:
        return EndpointFault(
            Transient, f"{name} is busy ({code}) for {_spoken(asked)}; try again then"
        )
    seconds = patience.pauses[tries] if asked is None else asked
    return BusyWait(seconds, f"{name} is busy ({code}): asking again in {_spoken(seconds)}")


def stays_busy(endpoint: Endpoint, seconds: float) -> EndpointFault:
    """A busy server asks again and again to wait, longer in all than anybody waits."""
    return EndpointFault(
        Transient, f"{endpoint.name} is still busy after {_spoken(seconds)}; try again later"
    )


def odd(endpoint: Endpoint, why: str) -> EndpointFault:
    """The answer is none from some place on."""
    return EndpointFault(Transient, f"{endpoint.name}: {why}; try again")


def cut_off(endpoint: Endpoint, *, spoken: bool) -> EndpointFault:
    """The connection broke.

    Args:
        spoken: Whether any text of an answer had arrived.
    """
    if spoken:
        broke = f"the answer of {endpoint.name} was cut off"
    else:
        broke = f"{endpoint.name} broke off the connection"
    return EndpointFault(Transient, f"{broke}; try again")


def stopped(endpoint: Endpoint, reason: str) -> EndpointFault:
    """The answer ended, unfinished.

    Args:
        reason: In the server's words.
    """
    broke = f"{endpoint.name} ended its answer before it was complete ({told(data=reason)})"
    return EndpointFault(SparkError, f"{broke}; ask in other words, or name another model")


def unsaid(endpoint: Endpoint) -> EndpointFault:
    """An answer ended before its first word."""
    return EndpointFault(
        Transient, f"{endpoint.name} sent an empty answer; the request may be too long for it"
    )


def quotes(endpoint: Endpoint) -> EndpointFault:
    """A model answers in the format that `spark model export` hands on, which no chat asks for."""
    said = f"{endpoint.name} answers in spark-m's own format"
    setting = f'write format = "quoting" into [models.{endpoint.name}] of config.toml'
    return EndpointFault(
        Abstained, f"{said}, as a model does that `spark model export` wrote; {setting}"
    )


def no_answer(endpoint: Endpoint, skipped: str) -> EndpointFault:
    """A stream held nothing that is part of an answer.

    Args:
        skipped: What it began with.
    """
    sent = f"{endpoint.name} sent nothing that is part of an answer, only: {skipped}"
    return EndpointFault(Transient, f"{sent}; try again, or see base_url in config.toml")


def silent(endpoint: Endpoint) -> EndpointFault:
    """Nothing of an answer arrived for too long, whatever else did."""
    silence = _spoken(endpoint.silence)
    return EndpointFault(
        Transient,
        f"{endpoint.name} said nothing for {silence}; try again{_or_raise(endpoint, 'silence')}",
    )


def too_slow(endpoint: Endpoint) -> EndpointFault:
    """An answer took too long in all."""
    took = f"the answer of {endpoint.name} took more than {_spoken(endpoint.longest)}"
    return EndpointFault(Transient, f"{took}; ask for less{_or_raise(endpoint, 'longest')}")


def too_large(endpoint: Endpoint) -> EndpointFault:
    """A server sent too much for one answer."""
    sent = (
        f"{endpoint.name} sent more than an answer of {endpoint.megabytes} MB, or 8 MB "
        f"without a word"
    )
    return EndpointFault(Transient, f"{sent}; try again{_or_raise(endpoint, 'megabytes')}")


def only_thought(endpoint: Endpoint, tokens: int, *, ran_out: bool) -> EndpointFault:
    """A model thought, and no answer came.

    Args:
        tokens: That it was allowed.
        ran_out: Whether it needed them all.
    """
    if not ran_out:
        return EndpointFault(
            Abstained, f"{endpoint.name} ended after its thought, without an answer; try again"
        )
    used = f"{endpoint.name} used all of its {tokens:,} tokens to think, and no answer began"
    return EndpointFault(
        Abstained, f"{used}; raise max_tokens{_or_raise(endpoint, 'thinking_tokens')}"
    )


def called_tool(endpoint: Endpoint) -> EndpointFault:
    """A model called a tool, though none was offered."""
    return EndpointFault(
        Abstained,
        f"{endpoint.name} called a tool instead of answering; try again, or name another model",
    )


def _or_raise(endpoint: Endpoint, key: str) -> str:
    """The setting that allows more."""
    return f", or raise {key} of [models.{endpoint.name}] in config.toml"


def unreachable(endpoint: Endpoint, error: BaseException, proxy: str = "") -> EndpointFault:
    """There is no connection.

    Args:
        error: Why.
        proxy: The variable and proxy that was asked.
    """
    host = urlsplit(endpoint.base_url).netloc
    if proxy:
        words = f"{endpoint.name} cannot be reached through the proxy of {proxy} ({_reason(error)})"
        return EndpointFault(Transient, f"{words}; is the proxy running?")
    return EndpointFault(
        Transient, f"{endpoint.name} cannot be reached at {host} ({_reason(error)}); is it running?"
    )


def _reason(error: BaseException) -> str:
    """The first cause that the system names."""
    cause: BaseException | None = error
    while cause:
        if isinstance(cause, OSError) and cause.strerror:
            return os.strerror(cause.errno) if cause.errno and cause.errno > 0 else cause.strerror
        if isinstance(cause, BaseExceptionGroup):
            cause = cause.exceptions[0]
        else:
            cause = cause.__cause__ or cause.__context__
    return str(error)[:100] or "no answer"


def _retry_after(headers: Mapping[str, str], now: datetime) -> float | None:
    """Seconds that a server asks to wait: it names a number or a date."""
    value = headers.get("retry-after", "")
    try:
        seconds = float(value)
    except ValueError:
        try:
            at = parsedate_to_datetime(value)
            seconds = (at.replace(tzinfo=at.tzinfo or UTC) - now).total_seconds()
        except (ValueError, TypeError, OverflowError):
            return None
    return None if math.isnan(seconds) else max(0.0, seconds)


def _spoken(seconds: float) -> str:
    """A time for people."""
    if seconds < 1:
        return "a moment" if seconds < 0.05 else f"{seconds:.1f} s"
    whole = round(min(seconds, 1e9))
    if whole < 120:
        return f"{whole} s"
    if whole < 7200:
        return f"{whole // 60} min"
    return f"{whole // 3600} h"
