"""Words the faults of endpoints, and decides how long to wait for a busy server.

Each function returns the fault that its name says; none raises. `openai_reply` makes an
`EndpointFault` of whatever goes wrong, and raises the fault's error in the thread of the reader.
Opens no sockets.
"""

import math
import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from http import HTTPStatus
from urllib.parse import urlsplit

from spark_tui.config import Endpoint
from spark_tui.errors import Abstained, SparkError, ToolCalled, Transient, UsageError, UsedUp
from spark_tui.providers.answer_bound import is_about_bound
from spark_tui.providers.openai_stream import error_message
from spark_tui.providers.quota import is_used_up, retry_delay

BUSY = frozenset({HTTPStatus.TOO_MANY_REQUESTS, HTTPStatus.SERVICE_UNAVAILABLE, 529})
"""The statuses of servers that are busy; 529 is Anthropic's "overloaded"."""
NO_ENTRY = frozenset({HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN})
"""The statuses of servers that reject the key, or want one."""
OF_THE_MOMENT = frozenset({HTTPStatus.REQUEST_TIMEOUT, HTTPStatus.TOO_EARLY})
"""Refusals that say nothing against the request."""


@dataclass(frozen=True, slots=True)
class BusyAnswer:
    """The answer of a busy server.

    Attributes:
        code: The HTTP status.
        headers: The headers, which may name a time.
        body: The body, which may explain the status.
    """

    code: int
    headers: Mapping[str, str]
    body: bytes


def is_never_final(_: SparkError) -> bool:
    """Return False: no error ends an answer without a call of the handler."""
    return False


@dataclass(frozen=True, slots=True)
class BusyWait:
    """The server is busy, and is asked again.

    Attributes:
        seconds: The time to wait.
        line: The words for people; "" to wait without a word.
    """

    seconds: float
    line: str


@dataclass(frozen=True, slots=True)
class EndpointFault:
    """The reason why an answer ends early; raised in the thread of the reader.

    An error of the HTTP client itself would take the key along.

    Attributes:
        kind: The type of the error to raise.
        words: The message.
    """

    kind: type[SparkError]
    words: str

    def without(self, secret: str) -> "EndpointFault":
        """Return the fault with a secret that the server may have repeated blotted out."""
        if not secret:
            return self
        return EndpointFault(self.kind, self.words.replace(secret, "…"))


@dataclass(frozen=True, slots=True)
class Patience:
    """The time to wait for a server.

    Attributes:
        connect: Seconds for a connection.
        pauses: Seconds before each further try of a busy server that names no time.
        longest: The most seconds that a server may ask to wait.
        now: Tells the time, for servers that name a date.
        before: Seconds that the first request waits for the probes of the endpoint.
        behind: Seconds between an answer and the probes after it: a command that answers once has
            ended by that time.
    """

    connect: float = 10.0
    pauses: tuple[float, ...] = (1.0, 2.0, 4.0, 8.0, 16.0, 32.0)
    longest: float = 300.0
    now: Callable[[], datetime] = lambda: datetime.now(UTC)
    before: float = 1.0
    behind: float = 1.0


def misplaced(endpoint: Endpoint, code: int, base_url: str) -> EndpointFault:
    """The server has nothing at the configured address.

    Args:
        endpoint: The endpoint.
        code: The HTTP status.
        base_url: Another address of the server, which answers.
    """
    wrong = f"{endpoint.name} has nothing at {endpoint.base_url} ({code})"
    right = f'base_url = "{base_url}" in [models.{endpoint.name}] of config.toml'
    return EndpointFault(UsageError, f"{wrong}, and answers at {base_url}; write {right}")


def refused(endpoint: Endpoint, code: int, body: bytes) -> EndpointFault:
    """The server answers with another status than 200.

    Args:
        endpoint: The endpoint.
        code: The status.
        body: The body of the reply, which may explain the status.
    """
    name = endpoint.name
    says = _quoted(body)
    # From single statuses to their classes: the first that fits decides.
    if is_used_up(body, names_time=False):
        return used_up(endpoint, f" ({code}){says}")
    if code in NO_ENTRY and endpoint.key_env:
        words = f"{name} rejects the key in ${endpoint.key_env} ({code}); set another one"
    elif code in NO_ENTRY:
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
        return EndpointFault(UsedUp, words)
    elif code in OF_THE_MOMENT:
        return EndpointFault(Transient, f"{name} failed ({code}){says}; try again")
    elif code < HTTPStatus.BAD_REQUEST:
        words = f"{name} has moved ({code}); set base_url in config.toml to its new address"
    elif code < HTTPStatus.INTERNAL_SERVER_ERROR and is_about_bound(body):
        remedy = f"lower max_tokens, or thinking_tokens of [models.{name}], in config.toml"
        words = f"{name} rejects the request ({code}){says}; {remedy}"
    elif code < HTTPStatus.INTERNAL_SERVER_ERROR:
        words = f"{name} rejects the request ({code}){says}; ask for less or name another model"
    else:
        return EndpointFault(Transient, f"{name} failed ({code}){says}; try again")
    return EndpointFault(UsageError, words)


def used_up(endpoint: Endpoint, why: str) -> EndpointFault:
    """A quota of the server's is used up.

    Args:
        endpoint: The endpoint.
        why: The status and the words of the server, to be put behind the fact; "" for none.
    """
    lacks = f"{endpoint.name} has no quota left{why}"
    return EndpointFault(UsedUp, f"{lacks}; look at your plan there, or name another model")


def busy(
    endpoint: Endpoint, answer: BusyAnswer, patience: Patience, tries: int
) -> EndpointFault | BusyWait:
    """Decide when to ask a busy server again.

    Args:
        endpoint: The endpoint.
        answer: What the server answers.
        patience: How long to wait.
        tries: How often the server was asked, after the first time.
    """
    code = answer.code
    is_at = f"{endpoint.name} is busy ({code})"
    says = _quoted(answer.body)
    named = _retry_after(answer.headers, patience.now())
    if named is None:
        named = retry_delay(answer.body)
    if is_used_up(answer.body, names_time=named is not None):
        return used_up(endpoint, f" ({code}){says}")
    if not patience.pauses:
        return EndpointFault(Transient, f"{is_at}{says}; try again later")
    if tries >= len(patience.pauses):
        stays = f"{endpoint.name} is still busy ({code}) after {tries} more tries"
        return EndpointFault(Transient, f"{stays}{says}; try again later")
    if named is not None and named > patience.longest:
        return EndpointFault(Transient, f"{is_at} for {_spoken(named)}{says}; try again then")
    seconds = patience.pauses[tries] if named is None else named
    return BusyWait(seconds, f"{is_at}: asking again in {_spoken(seconds)}")


def stays_busy(endpoint: Endpoint, seconds: float) -> EndpointFault:
    """The server stayed busy for longer than the patience for all waits together."""
    return EndpointFault(
        Transient, f"{endpoint.name} is still busy after {_spoken(seconds)}; try again later"
    )


def _quoted(body: bytes) -> str:
    """Quote the words of a reply, to be put behind a fact; "" where it has none."""
    explanation = error_message(body).rstrip(".")
    return f" and says: {explanation}" if explanation else ""


def odd(endpoint: Endpoint, why: str) -> EndpointFault:
    """The stream stops being an answer at some place."""
    return EndpointFault(Transient, f"{endpoint.name}: {why}; try again")


def cut_off(endpoint: Endpoint, *, spoken: bool) -> EndpointFault:
    """The connection broke.

    Args:
        endpoint: The endpoint.
        spoken: Whether any text of an answer had arrived.
    """
    if spoken:
        broke = f"the answer of {endpoint.name} was cut off"
    else:
        broke = f"{endpoint.name} broke off the connection"
    return EndpointFault(Transient, f"{broke}; try again")


def stopped(endpoint: Endpoint, reason: str) -> EndpointFault:
    """The server ended the answer before it was complete.

    Args:
        endpoint: The endpoint.
        reason: The reason in the server's words.
    """
    broke = (
        f"{endpoint.name} ended its answer before it was complete ({error_message(data=reason)})"
    )
    return EndpointFault(SparkError, f"{broke}; ask in other words, or name another model")


def unsaid(endpoint: Endpoint) -> EndpointFault:
    """An answer ended before its first word."""
    return EndpointFault(
        Transient, f"{endpoint.name} sent an empty answer; the request may be too long for it"
    )


def quotes(endpoint: Endpoint) -> EndpointFault:
    """The model answers in the format of `spark model export`, which no chat asks for."""
    fact = f"{endpoint.name} answers in spark-m's own format"
    setting = f'write format = "quoting" into [models.{endpoint.name}] of config.toml'
    return EndpointFault(
        Abstained, f"{fact}, as a model does that `spark model export` wrote; {setting}"
    )


def no_answer(endpoint: Endpoint, skipped: str) -> EndpointFault:
    """A stream held no part of an answer.

    Args:
        endpoint: The endpoint.
        skipped: The beginning of the stream.
    """
    sent = f"{endpoint.name} sent nothing that is part of an answer, only: {skipped}"
    return EndpointFault(Transient, f"{sent}; try again, or see base_url in config.toml")


def silent(endpoint: Endpoint) -> EndpointFault:
    """No part of an answer arrived for too long, whatever else did."""
    silence = _spoken(endpoint.silence)
    return EndpointFault(
        Transient,
        f"{endpoint.name} said nothing for {silence}; try again"
        f"{_hint_to_raise(endpoint, 'silence')}",
    )


def too_slow(endpoint: Endpoint) -> EndpointFault:
    """An answer took too long in all."""
    took = f"the answer of {endpoint.name} took more than {_spoken(endpoint.longest)}"
    return EndpointFault(Transient, f"{took}; ask for less{_hint_to_raise(endpoint, 'longest')}")


def too_large(endpoint: Endpoint) -> EndpointFault:
    """A server sent too much for one answer."""
    sent = (
        f"{endpoint.name} sent more than an answer of {endpoint.megabytes} MB, or 8 MB "
        f"without a word"
    )
    return EndpointFault(Transient, f"{sent}; try again{_hint_to_raise(endpoint, 'megabytes')}")


def only_thought(endpoint: Endpoint, tokens: int, *, ran_out: bool) -> EndpointFault:
    """A model thought, and no answer came.

    Args:
        endpoint: The endpoint.
        tokens: How many tokens the answer was allowed.
        ran_out: Whether the thought used them all.
    """
    if not ran_out:
        return EndpointFault(
            Abstained, f"{endpoint.name} ended after its thought, without an answer; try again"
        )
    used = f"{endpoint.name} used all of its {tokens:,} tokens to think, and no answer began"
    return EndpointFault(
        Abstained, f"{used}; raise max_tokens{_hint_to_raise(endpoint, 'thinking_tokens')}"
    )


def no_text(endpoint: Endpoint, tokens: int) -> EndpointFault:
    """A model used all of its tokens, and sent neither an answer nor a thought.

    Args:
        endpoint: The endpoint.
        tokens: How many tokens the answer was allowed.
    """
    used = f"{endpoint.name} used all of its {tokens:,} tokens and sent no text"
    return EndpointFault(
        Abstained, f"{used}; raise max_tokens{_hint_to_raise(endpoint, 'thinking_tokens')}"
    )


def cut_words(endpoint: Endpoint, tokens: int, thought: int) -> str:
    """Say that an answer used all of its tokens before its end.

    Args:
        endpoint: The endpoint.
        tokens: How many tokens the answer was allowed.
        thought: About how many of them the thought took; 0 for no thought.
    """
    longer = f"the answer is longer than {tokens:,} tokens"
    if not thought:
        return f"{longer}; ask for less at once"
    remedy = f"ask for less at once{_hint_to_raise(endpoint, 'thinking_tokens')}"
    return f"{longer}, of which the thought took about {thought:,}; {remedy}"


def declined(endpoint: Endpoint, words: str) -> EndpointFault:
    """A model refused to answer.

    Args:
        endpoint: The endpoint.
        words: The refusal in the model's words.
    """
    refusal = f"{endpoint.name} refuses to answer: {error_message(data=words).rstrip('.')}"
    return EndpointFault(Abstained, f"{refusal}; ask in other words, or name another model")


def called_tool(endpoint: Endpoint) -> EndpointFault:
    """A model called a tool, though none was offered."""
    return EndpointFault(
        ToolCalled,
        f"{endpoint.name} called a tool instead of answering; try again, or name another model",
    )


def _hint_to_raise(endpoint: Endpoint, key: str) -> str:
    """Name the setting that allows more."""
    return f", or raise {key} of [models.{endpoint.name}] in config.toml"


def unreachable(endpoint: Endpoint, error: BaseException, proxy: str = "") -> EndpointFault:
    """No connection could be opened.

    Args:
        endpoint: The endpoint.
        error: The error of the connection.
        proxy: The proxy that was asked, with its variable; "" for none.
    """
    subject = "the proxy" if proxy else "it"
    missed = _unreached(endpoint, proxy)
    return EndpointFault(Transient, f"{missed} ({_reason(error)}); is {subject} running?")


_CERTIFICATE_REMEDIES = {
    9: "look at the clock of this machine",
    10: "renew the certificate, or look at the clock of this machine",
    62: "write the name that the certificate has into base_url",
    64: "write the name that the certificate has into base_url",
}
"""Remedies for certificates that no other CA would help, by OpenSSL's `X509_V_ERR_...`: not yet
valid, expired, of another host, of another address."""


def untrusted(endpoint: Endpoint, reason: str, code: int, proxy: str = "") -> EndpointFault:
    """The certificate of the server is not trusted.

    Args:
        endpoint: The endpoint.
        reason: The reason in the words of the TLS library.
        code: The reason by OpenSSL's number; 0 where there is none.
        proxy: See `unreachable`.
    """
    remedy = _CERTIFICATE_REMEDIES.get(code, "set SSL_CERT_FILE to the file of your CA")
    distrust = f"its certificate is not trusted: {reason.rstrip('.')}"
    return EndpointFault(UsageError, f"{_unreached(endpoint, proxy)}: {distrust}; {remedy}")


def tls_failed(endpoint: Endpoint, reason: str, proxy: str = "") -> EndpointFault:
    """No encrypted connection could be opened, whatever the certificate.

    Args:
        endpoint: The endpoint.
        reason: The reason in the words of the TLS library.
        proxy: See `unreachable`.
    """
    setting = f"see base_url of [models.{endpoint.name}] in config.toml"
    failed = f"{_unreached(endpoint, proxy)}: TLS failed with {reason}"
    return EndpointFault(Transient, f"{failed}; {setting}")


def _unreached(endpoint: Endpoint, proxy: str) -> str:
    """Say that an endpoint cannot be reached, and where."""
    if proxy:
        return f"{endpoint.name} cannot be reached through the proxy of {proxy}"
    return f"{endpoint.name} cannot be reached at {urlsplit(endpoint.base_url).netloc}"


def causes(error: BaseException) -> Iterator[BaseException]:
    """Yield an error and its causes, the first of each group."""
    cause: BaseException | None = error
    while cause:
        yield cause
        if isinstance(cause, BaseExceptionGroup):
            cause = cause.exceptions[0]
        else:
            cause = cause.__cause__ or cause.__context__


def _reason(error: BaseException) -> str:
    """Return the first cause of an error that the operating system names."""
    for cause in causes(error):
        if isinstance(cause, OSError) and cause.strerror:
            # The system's own words: asyncio puts the address into `strerror`. Errors of name
            # resolution have negative numbers on Linux, which only `strerror` explains.
            if cause.errno and cause.errno > 0:
                return os.strerror(cause.errno)
            return cause.strerror
    return str(error)[:100] or "no answer"


def _retry_after(headers: Mapping[str, str], now: datetime) -> float | None:
    """Return the seconds that a server asks to wait: it names a number or a date."""
    value = headers.get("retry-after", "")
    # RFC 9110: the header holds seconds, or a date
    try:
        seconds = float(value)
    except ValueError:
        try:
            date = parsedate_to_datetime(value)
            seconds = (date.replace(tzinfo=date.tzinfo or UTC) - now).total_seconds()
        except (ValueError, TypeError, OverflowError):
            return None
    return None if math.isnan(seconds) else max(0.0, seconds)


_MOST_SPOKEN_SECONDS = 48 * 3600


def _spoken(seconds: float) -> str:
    """Write a time for people."""
    if seconds < 1:
        return "a moment" if seconds < 0.05 else f"{seconds:.1f} s"
    whole = round(min(seconds, 1e9))
    if whole < 120:
        return f"{whole} s"
    if whole < 7200:
        return f"{whole // 60} min"
    if whole < _MOST_SPOKEN_SECONDS:
        return f"{whole // 3600} h"
    return "more than two days"
