"""Requests and answers in OpenAI's format: what is read, what is refused, what is written.

An unsupported parameter that would change the answer is refused by name. Parameters that only other
servers have are ignored.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from spark_tui.serve.api_errors import ApiError, wrong
from spark_tui.serve.text_generation import SamplingOptions
from spark_tui.serve.turn_order import Priority

DEFAULT_COMPLETION_TOKENS = 16
"""OpenAI's default for completions."""
# The limits of OpenAI's interface.
_MOST_STOPS = 4
_MOST_LIKELY = 20
_MOST_SEED = 2**63 - 1
_MOST_PROMPTS = 2048
_NEUTRAL: dict[str, tuple[object, ...]] = {
    "n": (1,),
    "best_of": (1,),
    "suffix": ("",),
    "presence_penalty": (0,),
    "frequency_penalty": (0,),
    "logit_bias": ({},),
    "tools": ([],),
    "functions": ([],),
    "response_format": ({"type": "text"},),
    "modalities": (["text"],),
    "audio": (),
}
"""Parameters that are not supported, with the values that change nothing."""


@dataclass(frozen=True, slots=True)
class TextRequest:
    """A request for text.

    Attributes:
        options: How tokens are chosen.
        stops: Texts that end the answer.
        tells_logprobs: Whether the answer has log-probabilities.
        streams: Whether the answer is sent piece by piece.
        tells_usage: Whether a stream ends with the counts of tokens.
        echoes: Whether the prompt stands before the answer.
        priority: The class of the request.
    """

    options: SamplingOptions
    stops: tuple[str, ...]
    tells_logprobs: bool
    streams: bool
    tells_usage: bool
    echoes: bool
    priority: Priority

    @property
    def scores_prompt(self) -> bool:
        """Whether the answer has log-probabilities of the prompt's tokens, too."""
        return self.echoes and self.tells_logprobs


def check_model(body: Mapping[str, Any], name: str) -> None:
    """Refuse a request for another model.

    Raises:
        ApiError: The request names another model, or none.
    """
    model = body.get("model")
    if not isinstance(model, str):
        raise wrong("model", f"model is missing; this server has {name}")
    if model != name:
        raise ApiError(
            404,
            f"there is no model {model[:80]!r} here; this server has {name}",
            param="model",
            code="model_not_found",
        )


def read_completion(body: Mapping[str, Any], most: int) -> TextRequest:
    """Read the options of `/v1/completions`.

    Args:
        body: The request.
        most: The most tokens that the model reads and writes together.

    Raises:
        ApiError: A parameter is wrong.
    """
    likely = _whole(body, "logprobs", None, 0, 5)
    max_tokens = _whole(body, "max_tokens", DEFAULT_COMPLETION_TOKENS, 0, None)
    return _text_request(body, min(max_tokens or 0, most), likely is not None, likely or 0)


def read_chat(body: Mapping[str, Any], most: int) -> TextRequest:
    """Read the options of `/v1/chat/completions`; see `read_completion`."""
    tells = _flag(body, "logprobs")
    likely = _whole(body, "top_logprobs", 0, 0, _MOST_LIKELY) or 0
    if likely and not tells:
        raise wrong("top_logprobs", "top_logprobs needs logprobs: true")
    # OpenAI's newer name goes before the older one.
    max_tokens = _whole(body, "max_completion_tokens", None, 1, None)
    if max_tokens is None:
        max_tokens = _whole(body, "max_tokens", most, 1, None)
    return _text_request(body, min(max_tokens or most, most), tells, likely)


def _text_request(
    body: Mapping[str, Any], max_tokens: int, tells: bool, likely: int
) -> TextRequest:
    _refuse_unsupported(body)
    options = SamplingOptions(
        max_tokens,
        _number(body, "temperature", 1.0, 0.0, 2.0),
        _number(body, "top_p", 1.0, 0.0, 1.0),
        _whole(body, "seed", 0, 0, _MOST_SEED) or 0,
        likely,
    )
    streams = _flag(body, "stream")
    stream_options = body.get("stream_options")
    if stream_options is not None and not isinstance(stream_options, dict):
        raise wrong("stream_options", "stream_options must be an object")
    if stream_options and not streams:
        raise wrong("stream_options", "stream_options needs stream: true")
    tells_usage = _flag(stream_options or {}, "include_usage")
    return TextRequest(
        options,
        _stops(body),
        tells,
        streams,
        tells_usage,
        _flag(body, "echo"),
        read_priority(body),
    )


def read_priority(body: Mapping[str, Any]) -> Priority:
    """Read the class of a request: a `priority` above 0, as vLLM has it, is for the background.

    Raises:
        ApiError: `priority` is not a whole number.
    """
    value = _whole(body, "priority", 0, None, None) or 0
    return Priority.BACKGROUND if value > 0 else Priority.INTERACTIVE


def read_prompts(body: Mapping[str, Any]) -> list[str | list[int]]:
    """Return the prompts of `/v1/completions`, each a text or tokens.

    Raises:
        ApiError: The prompt is neither of these, nor a list of them.
    """
    value = body.get("prompt")
    prompts: list[Any] = [value]
    if isinstance(value, list) and value and isinstance(value[0], str | list):
        prompts = value
    if len(prompts) > _MOST_PROMPTS:
        raise wrong("prompt", f"prompt may be a list of up to {_MOST_PROMPTS} prompts")
    if not all(map(_is_prompt, prompts)):
        raise wrong("prompt", "prompt must be a text, a list of tokens, or a list of such prompts")
    return prompts


def _is_prompt(value: object) -> bool:
    if isinstance(value, list):
        return bool(value) and all(type(token) is int for token in value)
    return isinstance(value, str)


_ROLES = ("system", "developer", "user", "assistant")


def read_messages(body: Mapping[str, Any]) -> list[dict[str, str]]:
    """Return the messages of `/v1/chat/completions`, their contents as texts.

    Raises:
        ApiError: The messages are malformed.
    """
    messages = body.get("messages")
    if not isinstance(messages, list) or not messages:
        raise wrong("messages", "messages must be a list of at least one message")
    return [_message(message, f"messages[{at}]") for at, message in enumerate(messages)]


def _message(message: object, where: str) -> dict[str, str]:
    if not isinstance(message, dict):
        raise wrong(where, f"{where} must be an object")
    role = message.get("role")
    if role not in _ROLES:
        raise wrong(f"{where}.role", f"{where}.role must be one of {', '.join(_ROLES)}")
    # OpenAI's newer name; chat templates know `system` only.
    if role == "developer":
        role = "system"
    content = message.get("content")
    if isinstance(content, list):
        content = "".join(_part(part, f"{where}.content[{at}]") for at, part in enumerate(content))
    if not isinstance(content, str):
        raise wrong(f"{where}.content", f"{where}.content must be a text")
    return {"role": role, "content": content}


def _part(part: object, where: str) -> str:
    if isinstance(part, dict) and part.get("type") == "text" and isinstance(part.get("text"), str):
        return str(part["text"])
    raise wrong(where, f"{where} must be a part of type text")


def _refuse_unsupported(body: Mapping[str, Any]) -> None:
    for name, neutral in _NEUTRAL.items():
        value = body.get(name)
        if value is not None and value not in neutral:
            raise wrong(name, f"{name} is not supported; leave it out", "unsupported_parameter")


def _flag(body: Mapping[str, Any], name: str) -> bool:
    value = body.get(name)
    if value is None:
        return False
    if not isinstance(value, bool):
        raise wrong(name, f"{name} must be true or false")
    return value


def _whole(
    body: Mapping[str, Any],
    name: str,
    default: int | None,
    least: int | None,
    most: int | None,
) -> int | None:
    value = body.get(name)
    if value is None:
        return default
    # `isinstance` would let true and false pass.
    if type(value) is not int:
        raise wrong(name, f"{name} must be a whole number")
    if least is not None and value < least:
        raise wrong(name, f"{name} must be at least {least}")
    if most is not None and value > most:
        raise wrong(name, f"{name} must be at most {most}")
    return value


def _number(body: Mapping[str, Any], name: str, default: float, least: float, most: float) -> float:
    value = body.get(name)
    if value is None:
        return default
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise wrong(name, f"{name} must be a number")
    if not least <= value <= most:
        raise wrong(name, f"{name} must be between {least:g} and {most:g}")
    return float(value)


def _stops(body: Mapping[str, Any]) -> tuple[str, ...]:
    value = body.get("stop")
    if value is None:
        return ()
    if isinstance(value, str):
        value = [value]
    is_sound = isinstance(value, list) and len(value) <= _MOST_STOPS
    if not is_sound or not all(isinstance(stop, str) and stop for stop in value):
        raise wrong("stop", f"stop must be up to {_MOST_STOPS} texts, none of them empty")
    return tuple(value)


@dataclass(frozen=True, slots=True)
class TokenLogprob:
    """A token in an answer with log-probabilities.

    Attributes:
        text: The text of the token.
        data: The bytes of the token.
        offset: The number of characters before the token.
        logprob: The log-probability of the token; None for the first token of a prompt.
        likely: The likeliest tokens at this place: text, bytes and log-probability; None like
            `logprob`.
    """

    text: str
    data: bytes
    offset: int
    logprob: float | None
    likely: tuple[tuple[str, bytes, float], ...] | None


def usage(prompt: int, cached: int, completion: int) -> dict[str, Any]:
    """Return the counts of tokens."""
    return {
        "prompt_tokens": prompt,
        "completion_tokens": completion,
        "total_tokens": prompt + completion,
        "prompt_tokens_details": {"cached_tokens": cached},
    }


def completion_logprobs(tokens: Sequence[TokenLogprob]) -> dict[str, Any]:
    """Return log-probabilities in the format of completions."""
    return {
        "tokens": [token.text for token in tokens],
        "token_logprobs": [token.logprob for token in tokens],
        "top_logprobs": [_top_logprobs(token) for token in tokens],
        "text_offset": [token.offset for token in tokens],
    }


def _top_logprobs(token: TokenLogprob) -> dict[str, float] | None:
    if token.likely is None:
        return None
    return {text: logprob for text, _, logprob in token.likely}


def chat_logprobs(tokens: Sequence[TokenLogprob]) -> dict[str, Any]:
    """Return log-probabilities in the format of chat completions."""
    content = []
    for token in tokens:
        entry = _chat_logprob(token.text, token.data, token.logprob)
        entry["top_logprobs"] = [_chat_logprob(*likely) for likely in token.likely or ()]
        content.append(entry)
    return {"content": content, "refusal": None}


def _chat_logprob(text: str, data: bytes, logprob: float | None) -> dict[str, Any]:
    return {"token": text, "logprob": logprob, "bytes": list(data)}
