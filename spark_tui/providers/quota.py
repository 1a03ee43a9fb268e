"""Tells a quota that is used up from one that fills again in a moment.

Both come as 429, and the words for both are alike: Gemini and Azure speak of a quota where a minute
is meant, OpenAI where an account is empty. So only the codes for programs count, in whatever fields
a server puts them. Opens no sockets.

Sources: OpenAI, error codes; Google, `google.rpc.QuotaFailure` and `RetryInfo`; the error codes of
Moonshot, DashScope, Volcengine Ark, Zhipu and New API.
"""

import json
from collections.abc import Iterator
from typing import Any

_USED_UP = frozenset(
    {
        # OpenAI, and ChatGPT's plans
        "creditbalanceexhausted",
        "billinghardlimitreached",
        "billingnotactive",
        "accessterminated",
        "accountdeactivated",
        "usagelimitreached",
        "usagelimitexceeded",
        "usagenotincluded",
        # other providers and gateways
        "exceededcurrentquotaerror",  # Moonshot
        "billingerror",  # Anthropic
        "arrearage",  # DashScope
        "accountoverdueerror",  # Volcengine Ark
        "1113",  # Zhipu
        "insufficientuserquota",  # New API
        "preconsumetokenquotafailed",
        "insufficientbalance",
        "insufficientbalanceerror",
        "insufficientcredits",
        "insufficientfunds",
        "creditsexhausted",
        "outofcredits",
        "quotaexhausted",
        "paymentrequired",
    }
)
"""The codes of an empty account, in small letters and without signs between the words."""
_AMBIGUOUS = frozenset({"insufficientquota", "quotaexceeded", "quotalimitexceeded"})
"""Codes that OpenAI means for good; Azure means a minute by them, and then names the time."""
_CODE_KEYS = frozenset({"code", "type", "status", "reason", "error"})
_PER_DAY = "PerDay"
"""The part of Google's ids of quotas that names a window of a day."""
_DEEPEST = 6


def is_used_up(reply: Any, *, names_time: bool) -> bool:
    """Whether a server says that a quota is used up, so that asking again does not help.

    Args:
        reply: The reply: its bytes, or parsed.
        names_time: Whether the server says when to ask again.
    """
    codes = set[str]()
    for key, value in _fields(_parsed(reply)):
        if key == "quotaId" and isinstance(value, str) and _PER_DAY in value:
            return True
        if key in _CODE_KEYS and isinstance(value, str | int):
            code = "".join(filter(str.isalnum, str(value)))
            codes.add(code.lower())  # reads another program's output
    return bool(codes & _USED_UP) or (not names_time and bool(codes & _AMBIGUOUS))


def retry_delay(reply: Any) -> float | None:
    """Return the seconds after which Google's servers want to be asked again; None for no such.

    Args:
        reply: See `is_used_up`.
    """
    for key, value in _fields(_parsed(reply)):
        if key == "retryDelay" and isinstance(value, str) and value.endswith("s"):
            try:
                return max(0.0, float(value.removesuffix("s")))
            except ValueError:
                return None
    return None


def _parsed(reply: Any) -> Any:
    """Return a reply as JSON; None where it is none."""
    if not isinstance(reply, bytes):
        return reply
    try:
        return json.loads(reply)
    except (ValueError, RecursionError):
        return None


def _fields(value: Any, depth: int = 0) -> Iterator[tuple[str, Any]]:
    """Yield the fields of all objects within a value."""
    if depth > _DEEPEST:
        return
    if isinstance(value, list):
        for item in value:
            yield from _fields(item, depth + 1)
    elif isinstance(value, dict):
        for key, item in value.items():
            yield key, item
            yield from _fields(item, depth + 1)
