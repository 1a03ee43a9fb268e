"""What goes wrong with an endpoint, in a sentence each; and how long a busy one is waited for. Knows no sockets."""

import math
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from http import HTTPStatus
from urllib.parse import urlsplit

from spark_tui.answering.event_stream import told
from spark_tui.endpoints import Endpoint
from spark_tui.errors import Abstained, SparkError, Transient, UsageError

BUSY = frozenset({HTTPStatus.TOO_MANY_REQUESTS, HTTPStatus.SERVICE_UNAVAILABLE, 529})
_NO_ENTRY = frozenset({HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN})
_OF_THE_MOMENT = frozenset({HTTPStatus.REQUEST_TIMEOUT, HTTPStatus.TOO_EARLY})
"""Refusals that say nothing against the request."""


def is_never_final(_: SparkError) -> bool:
    """Tell of no error that it ends an answer without anybody being asked."""
    return False


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


def misplaced(endpoint: Endpoint, code: int, base_url: str) -> Fault:
    """There is nothing at an address. Args: base_url: one of that server that does answer."""
    wrong = f"{endpoint.name} has nothing at {endpoint.base_url} ({code})"
    right = f'base_url = "{base_url}" in [models.{endpoint.name}] of config.toml'
    return Fault(UsageError, f"{wrong}, and answers at {base_url}; write {right}")


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
        lacks = "" if "/v" in urlsplit(endpoint.base_url).path else "base_url mostly ends in /v1; "
        words = f"{wrong}; {lacks}see [models.{name}] in config.toml"
    elif code == HTTPStatus.PAYMENT_REQUIRED:
        words = f"{name} asks for payment ({code}){says}; pay there, or name another model"
        return Fault(Transient, words)
    elif code in _OF_THE_MOMENT:
        return Fault(Transient, f"{name} failed ({code}){says}; try again")
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


def stays_busy(endpoint: Endpoint, seconds: float) -> Fault:
    """A busy server asks again and again to wait, longer in all than anybody waits."""
    return Fault(Transient, f"{endpoint.name} is still busy after {_spoken(seconds)}; try again later")


def odd(endpoint: Endpoint, why: str) -> Fault:
    """The answer is none from some place on."""
    return Fault(Transient, f"{endpoint.name}: {why}; try again")


def cut_off(endpoint: Endpoint, *, spoken: bool) -> Fault:
    """The connection broke. Args: spoken: whether any text of an answer had arrived."""
    broke = f"the answer of {endpoint.name} was cut off" if spoken else f"{endpoint.name} broke off the connection"
    return Fault(Transient, f"{broke}; try again")


def stopped(endpoint: Endpoint, reason: str) -> Fault:
    """The answer ended, unfinished. Args: reason: in the server's words."""
    broke = f"{endpoint.name} ended its answer before it was complete ({told(data=reason)})"
    return Fault(SparkError, f"{broke}; ask in other words, or name another model")


def unsaid(endpoint: Endpoint) -> Fault:
    """An answer ended before its first word."""
    return Fault(Transient, f"{endpoint.name} sent an empty answer; the request may be too long for it")


def quotes(endpoint: Endpoint) -> Fault:
    """A model answers in the format that `spark model export` hands on, which no chat asks for."""
    said = f"{endpoint.name} answers in spark-m's own format"
    setting = f'write format = "quoting" into [models.{endpoint.name}] of config.toml'
    return Fault(Abstained, f"{said}, as a model does that `spark model export` wrote; {setting}")


def no_answer(endpoint: Endpoint, skipped: str) -> Fault:
    """A stream held nothing that is part of an answer. Args: skipped: what it began with."""
    sent = f"{endpoint.name} sent nothing that is part of an answer, only: {skipped}"
    return Fault(Transient, f"{sent}; try again, or see base_url in config.toml")


def silent(endpoint: Endpoint) -> Fault:
    """Nothing of an answer arrived for too long, whatever else did."""
    silence = _spoken(endpoint.silence)
    return Fault(Transient, f"{endpoint.name} said nothing for {silence}; try again{_or_raise(endpoint, 'silence')}")


def too_slow(endpoint: Endpoint) -> Fault:
    """An answer took too long in all."""
    took = f"the answer of {endpoint.name} took more than {_spoken(endpoint.longest)}"
    return Fault(Transient, f"{took}; ask for less{_or_raise(endpoint, 'longest')}")


def too_large(endpoint: Endpoint) -> Fault:
    """A server sent too much for one answer."""
    sent = f"{endpoint.name} sent more than an answer of {endpoint.megabytes} MB, or 8 MB without a word"
    return Fault(Transient, f"{sent}; try again{_or_raise(endpoint, 'megabytes')}")


def only_thought(endpoint: Endpoint, tokens: int, *, ran_out: bool) -> Fault:
    """A model thought, and no answer came. Args: tokens: that it was allowed. ran_out: whether it needed them all."""
    if not ran_out:
        return Fault(Abstained, f"{endpoint.name} ended after its thought, without an answer; try again")
    used = f"{endpoint.name} used all of its {tokens:,} tokens to think, and no answer began"
    return Fault(Abstained, f"{used}; raise max_tokens{_or_raise(endpoint, 'thinking_tokens')}")


def called_tool(endpoint: Endpoint) -> Fault:
    """A model called a tool, though none was offered."""
    return Fault(Abstained, f"{endpoint.name} called a tool instead of answering; try again, or name another model")


def _or_raise(endpoint: Endpoint, key: str) -> str:
    """The setting that allows more."""
    return f", or raise {key} of [models.{endpoint.name}] in config.toml"


def unreachable(endpoint: Endpoint, error: BaseException, proxy: str = "") -> Fault:
    """There is no connection. Args: error: why. proxy: the variable and proxy that was asked."""
    host = urlsplit(endpoint.base_url).netloc
    if proxy:
        words = f"{endpoint.name} cannot be reached through the proxy of {proxy} ({_reason(error)})"
        return Fault(Transient, f"{words}; is the proxy running?")
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
            seconds = (at.replace(tzinfo=at.tzinfo or UTC) - now).total_seconds()
        except (ValueError, TypeError, OverflowError):
            return None
    return None if math.isnan(seconds) else max(0.0, seconds)


def _spoken(seconds: float) -> str:
    """A time for people."""
    if seconds < 1:
        return "a moment" if seconds < 0.05 else f"{seconds:.1f} s"
    whole = round(min(seconds, 1e9))
    return f"{whole} s" if whole < 120 else f"{whole // 60} min" if whole < 7200 else f"{whole // 3600} h"
