"""Reads messages of agents that use words which this version of the protocol does not have.

An agent may be newer than spark, or bend the protocol. A word that is not known is not guessed at:
an option of an unknown kind is never chosen, and an unknown reason to stop is no success.
"""

from contextlib import suppress
from typing import Any, NamedTuple, get_args

from acp import schema
from pydantic import ValidationError

_OPTION_KINDS = frozenset(get_args(schema.PermissionOption.model_fields["kind"].annotation))
_TOOL_KINDS = frozenset(get_args(schema.ToolKind))
_OTHER = "other"


class TurnEnd(NamedTuple):
    """The end of an agent's turn.

    Attributes:
        reason: Why it stopped, in the protocol's words or in words of the agent's own.
        usage: The tokens that it spent, as in `acp.schema`; None where it does not tell.
    """

    reason: str
    usage: Any = None


def read_turn_end(body: Any) -> TurnEnd | None:
    """Read the answer to a prompt; None where it tells no reason to stop."""
    reason = body.get("stopReason") if isinstance(body, dict) else None
    if not isinstance(reason, str):
        return None
    usage = None
    with suppress(ValidationError):
        usage = schema.Usage.model_validate(body.get("usage"))
    return TurnEnd(reason, usage)


def read_question(params: Any) -> Any:
    """Read a request for permission, without the options of a kind that is not known.

    Returns:
        A `RequestPermissionRequest` of `acp.schema`.

    Raises:
        ValidationError: The request is malformed.
    """
    if isinstance(params, dict):
        params = dict(params)
        if isinstance(params.get("options"), list):
            params["options"] = [each for each in params["options"] if _may_be_chosen(each)]
        call = params.get("toolCall")
        if isinstance(call, dict) and _is_unknown(call.get("kind"), _TOOL_KINDS):
            params["toolCall"] = call | {"kind": _OTHER}
    return schema.RequestPermissionRequest.model_validate(params)


def _may_be_chosen(option: Any) -> bool:
    """Whether an option is of a known kind, or malformed."""
    return not (isinstance(option, dict) and _is_unknown(option.get("kind"), _OPTION_KINDS))


def _is_unknown(word: Any, known: frozenset[str]) -> bool:
    """Whether a word of an agent is none of the protocol's."""
    return isinstance(word, str) and word not in known
