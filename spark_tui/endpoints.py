"""Endpoints that answer instead of a model in this process, as `[models.NAME]` tables of the user's config.toml say.

A key never stands there: `key_env` names the environment variable that holds it.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from difflib import get_close_matches
from types import MappingProxyType
from typing import Any
from urllib.parse import urlsplit

from spark_tui.errors import Problems, UsageError

FORMATS = ("rewrite", "search_replace", "quoting")
THINKING = ("on", "low", "off")
ABILITIES = {
    "max_tokens": "a bound on the tokens of an answer",
    "max_completion_tokens": "the same by its newer name, where the other is refused",
    "temperature": "a temperature",
    "seed": "a seed, for variations",
    "system": "a system message; else its text goes into the first message",
    "usage": "telling what a streamed answer took",
    "logprobs": "log-probabilities of tokens",
    "prediction": "the old lines as a prediction of the new ones",
    "continue_final_message": "going on from a half-written answer (vLLM)",
    "prefix": "the same with prefix in the message (DeepSeek, Mistral)",
    "prefill": "the same where the last message is the assistant's",
    "num_ctx": "how many tokens to read, with every request (Ollama)",
    "stop": "texts that end an answer",
    "return_progress": "how much of the prompt is read (llama-server)",
    "reasoning_effort": "little thinking; yes where that is not refused",
    "enable_thinking": "no thinking (chat template); yes where that is not refused",
    "grammar": "a grammar in GBNF (llama-server)",
    "structured_outputs": "a grammar (vLLM)",
    "guided_grammar": "a grammar (older vLLM)",
}
"""What a server may take, by the names of the settings, and what each is."""


@dataclass(frozen=True, slots=True)
class Endpoint:
    """Where an OpenAI-compatible server is, and what it is asked for.

    `base_url` ends before /chat/completions, mostly in /v1; `model` is its name there; `key_env` names the variable
    with the key, "" where there is none. `format`: "rewrite" for a region once more, "search_replace" for blocks
    about several files, "quoting" for a model that `spark model export` wrote.
    `context`: tokens that the model reads. `price_in`, `price_out`: of a million tokens read and
    written, in any money.
    `silence`: seconds without a word after which it is given up. `map`: tokens of a map of the repository that it is
    sent with every request, 0 for none. `thinking_tokens`: that it may think before an answer,
    beside those of the answer; 0, where none are given: as many as models that think usually need,
    once it is seen to think. `longest`: seconds that an answer may take in all. `megabytes`: that
    may be sent for one. `thinking`: one of `THINKING`, as far as the server can be told.
    `abilities`: what the user says of the server, by the names of `ABILITIES`, whatever was found.
    `fallback`: the model that is asked where this one is down or busy, "" for none. `probe`:
    whether the server is asked what it takes when it is first used.
    """

    name: str
    base_url: str
    model: str
    key_env: str = ""
    format: str = "rewrite"
    context: int = 32_768
    price_in: float = 0.0
    price_out: float = 0.0
    silence: float = 120.0
    map: int = 1024
    thinking_tokens: int = 0
    longest: float = 3600.0
    megabytes: int = 64
    thinking: str = "on"
    abilities: Mapping[str, bool] = field(default_factory=lambda: MappingProxyType({}), hash=False)
    fallback: str = ""
    probe: bool = True


def refuse_address(name: str) -> None:
    """Refuse an address where the name or the place of a model is wanted.

    Raises:
        UsageError: It is one; the lines of config.toml that name the server are its detail.
    """
    if not name.startswith(("http://", "https://")):
        return
    base_url = name.partition("?")[0].rstrip("/").removesuffix("/chat/completions")
    if base_url.count("/") == 2:  # a host alone
        base_url += "/v1"
    lines = ("[models.big]", f'base_url = "{base_url}"', 'model = "NAME_ON_THE_SERVER"')
    raise UsageError(
        f"{name} is the address of a server, not a model; name the server with base_url in a table "
        "[models.NAME] of ~/.config/spark/config.toml, then give -m NAME; for example:",
        "\n".join(lines),
    )


_KINDS: dict[str, Any] = {each.name: each.type for each in fields(Endpoint) if each.name != "name"}
_WANTED = {str: "a text", int: "a whole number", float: "a number", bool: "true or false"}
_NEEDED = ("base_url", "model")
_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


def read_endpoints(value: object, where: str, places: Mapping[str, str], problems: Problems) -> Mapping[str, Endpoint]:
    """The endpoints of a `models` table by name; those with something wrong are left out, and that is kept.

    Args: where: the file and line of the table. places: file and line of everything in it, by dotted name.
    Raises: UsageError: it is no table.
    """
    if not isinstance(value, dict):
        raise UsageError(f"{where}: models needs tables such as [models.big]")
    found = dict[str, Endpoint]()
    for name, table in value.items():
        before = len(problems.found)
        place = places.get(f"models.{name}", where)
        with problems.collected():
            given = _given(name, table, place, places, problems)
            if len(problems.found) == before:
                found[name] = Endpoint(name, **given)
    return MappingProxyType(found)


def _given(name: str, table: object, where: str, places: Mapping[str, str], problems: Problems) -> dict[str, Any]:
    """What a table says, as far as it is right."""
    if not isinstance(table, dict):
        raise UsageError(f"{where}: models.{name} must be a table: [models.{name}] with base_url and model")
    given = dict[str, Any]()
    for key, value in table.items():
        place = places.get(f"models.{name}.{key}", where)
        with problems.collected():
            if key == "abilities":
                given[key] = _abilities(name, value, place, places, problems)
            else:
                given[key] = _checked(key, value, f"{place}: models.{name}")
    for key in _NEEDED:
        if key not in table:
            with problems.collected():
                raise UsageError(f"{where}: models.{name} lacks {key}")
    return given


def _abilities(
    name: str,
    value: object,
    where: str,
    places: Mapping[str, str],
    problems: Problems,
) -> Mapping[str, bool]:
    """What the user says of a server. Raises: UsageError: it is no table."""
    told = f"models.{name}.abilities"
    if not isinstance(value, dict):
        raise UsageError(f"{where}: {told} must be a table such as {{ temperature = false }}")
    given = dict[str, bool]()
    for ability, answer in value.items():
        place = places.get(f"{told}.{ability}", where)
        with problems.collected():
            if ability not in ABILITIES:
                near = get_close_matches(ability, ABILITIES, n=1, cutoff=0.0)
                raise UsageError(
                    f"{place}: unknown key {ability!r} of {told}; the nearest is {near[0]!r}",
                )
            if not isinstance(answer, bool):
                raise UsageError(f"{place}: {told}.{ability} must be true or false")
            given[ability] = answer
    return MappingProxyType(given)


def _checked(key: str, value: Any, where: str) -> Any:
    """A value that may stand there. What was written is never shown: it may be a key."""
    if (kind := _KINDS.get(key)) is None:
        near = get_close_matches(key, _KINDS, n=1, cutoff=0.0)
        raise UsageError(f"{where}: unknown key {key!r}; the nearest is {near[0]!r}")
    if type(value) is not kind and (kind, type(value)) != (float, int):
        raise UsageError(f"{where}.{key} must be {_WANTED[kind]}")
    if isinstance(value, str):
        return _text(key, value, where)
    if isinstance(value, bool):
        return value
    least = int(kind is int and key != "map")
    if not value >= least:
        raise UsageError(f"{where}.{key} must be {_WANTED[kind]} from {least}")
    return kind(value)


def _text(key: str, value: str, where: str) -> str:
    if key == "format" and value not in FORMATS:
        raise UsageError(f"{where}.format: choose one of {', '.join(FORMATS)}")
    if key == "thinking" and value not in THINKING:
        raise UsageError(f"{where}.thinking: choose one of {', '.join(THINKING)}")
    if key == "key_env" and value and not _VARIABLE.fullmatch(value):
        raise UsageError(f"{where}.key_env must be the name of an environment variable, not the key itself")
    return _url(value, where) if key == "base_url" else value


def _url(value: str, where: str) -> str:
    try:
        parts = urlsplit(value)
        parts.port  # noqa: B018 - it is read here
    except ValueError:
        parts = urlsplit("")
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise UsageError(f"{where}.base_url must be http:// or https://, a host and usually /v1")
    if parts.username or parts.password or parts.query or parts.fragment:
        raise UsageError(f"{where}.base_url holds more than an address; put a key into a variable: see key_env")
    return value.rstrip("/").removesuffix("/chat/completions")
