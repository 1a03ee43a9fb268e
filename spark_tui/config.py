"""Reads the settings, the endpoints and the agents from config.toml, and knows spark's folders.

`load_settings` gives the `Settings`. Of several sources the later wins: defaults,
`$XDG_CONFIG_HOME/spark/config.toml`, `.spark/config.toml` of a repository that is trusted,
`SPARK_*` variables, flags.

Endpoints answer instead of a model in this process; they are `[models.NAME]` tables of the user's
own config.toml. A key never stands there: `key_env` names the environment variable that holds it.

`save_theme` writes the theme that the user chose into config.toml, and leaves every other byte as
it was.
"""

import os
import re  # noqa: TID251 - reads names and settings
import sys
import tomllib
from codecs import BOM_UTF8
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields, replace
from difflib import get_close_matches
from pathlib import Path
from types import MappingProxyType
from typing import Any
from urllib.parse import urlsplit

from spark_tui.errors import FileError, Problems, UsageError
from spark_tui.own_folders import remedy
from spark_tui.small_files import read_small, read_small_text

FORMATS = ("rewrite", "search_replace", "quoting")
THINKING = ("on", "low", "off")
ABILITIES = {
    "max_tokens": "a bound on the tokens of an answer",
    "max_completion_tokens": "the same by its newer name, where the other is refused",
    "temperature": "a temperature",
    "seed": "a seed: variations that come out the same again",
    "system": "a system message; else its text goes into the first message",
    "usage": "telling what a streamed answer took: its price",
    "logprobs": "log-probabilities: how sure an edit is",
    "prediction": "the old lines as a prediction: a rewrite comes faster",
    "continue_final_message": "going on within an answer that broke off (vLLM)",
    "prefix": "the same with prefix in the message (DeepSeek, Mistral)",
    "prefill": "the same where the last message is the assistant's",
    "num_ctx": "how many tokens to read: long prompts stay whole (Ollama)",
    "stop": "texts that end an answer",
    "return_progress": "progress while the prompt is read (llama-server)",
    "reasoning_effort": "little thinking; yes where that is not refused",
    "enable_thinking": "no thinking (chat template); yes where that is not refused",
    "grammar": "a grammar: a SEARCH has only lines that exist (llama-server)",
    "structured_outputs": "the same (vLLM)",
    "guided_grammar": "the same (older vLLM)",
    "priority": "a priority: tasks come behind what you ask for (vLLM)",
}
"""Parameters that a server may accept, by the names of the settings, and the use of each."""


@dataclass(frozen=True, slots=True)
class Endpoint:
    """An OpenAI-compatible server: its address, and what is asked of it.

    Attributes:
        name: The name of the table, by which the user calls the endpoint.
        base_url: Its address, which ends before /chat/completions, mostly in /v1.
        model: The name of the model on the server.
        key_env: The variable with the key; "" where no key is needed.
        format: "rewrite" for a region once more, "search_replace" for blocks about several files,
            "quoting" for a model that `spark model export` wrote.
        context: Tokens that the model reads.
        price_in: The price of a million tokens read, in any money.
        price_out: The price of a million tokens written.
        silence: Seconds without a word after which the server is given up.
        map: Tokens of a map of the repository that goes along with every request; 0 for none.
        thinking_tokens: Tokens that the model may think before an answer, beside those of the
            answer; 0: as many as models usually need, once the model is seen to think.
        longest: Seconds that an answer may take in all.
        megabytes: The most that the server may send for one answer.
        thinking: One of `THINKING`, as far as the server can be told.
        abilities: What the user says of the server, by the names of `ABILITIES`; takes precedence
            over what was found.
        fallback: The model that is asked where this one is down or busy; "" for none.
        probe: Whether the server is asked for its abilities when it is first used.
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


@dataclass(frozen=True, slots=True)
class Agent:
    """A program that speaks the Agent Client Protocol and works on tasks.

    Attributes:
        name: `spark task @NAME` calls the agent so.
        command: The program, a name on the PATH or a path.
        args: Its arguments.
        env: The variables of the environment that the program sees beside the usual ones.
        confined: Whether the program runs in bubblewrap, where that works.
    """

    name: str
    command: str
    args: tuple[str, ...] = ()
    env: tuple[str, ...] = ()
    confined: bool = True


def refuse_address(name: str) -> None:
    """Refuse an address where the name or the place of a model is wanted.

    Raises:
        UsageError: The name is an address; its detail are the lines of config.toml to write.
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
_ENDPOINT_KEYS = {str: "a text", int: "a whole number", float: "a number", bool: "true or false"}
_NEEDED = ("base_url", "model")
_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


def read_endpoints(
    value: object, where: str, places: Mapping[str, str], problems: Problems
) -> Mapping[str, Endpoint]:
    """Read the endpoints of a `models` table; faulty ones are left out and kept as problems.

    Args:
        where: The file and line of the table.
        places: File and line of every entry, by dotted name.

    Raises:
        UsageError: The value is no table.
    """
    if not isinstance(value, dict):
        raise UsageError(f"{where}: models needs tables such as [models.big]")
    found = dict[str, Endpoint]()
    for name, table in value.items():
        # an endpoint with any problem is left out as a whole
        before = len(problems.found)
        place = places.get(f"models.{name}", where)
        with problems.collected():
            given = _given(name, table, place, places, problems)
            if len(problems.found) == before:
                found[name] = Endpoint(name, **given)
    return MappingProxyType(found)


def _given(
    name: str, table: object, where: str, places: Mapping[str, str], problems: Problems
) -> dict[str, Any]:
    """Return the entries of a table that are right; the others are kept as problems."""
    if not isinstance(table, dict):
        raise UsageError(
            f"{where}: models.{name} must be a table: [models.{name}] with base_url and model"
        )
    given = dict[str, Any]()
    for key, value in table.items():
        place = places.get(f"models.{name}.{key}", where)
        with problems.collected():
            if key == "abilities":
                given[key] = _abilities(name, value, place, places, problems)
            else:
                given[key] = _checked_endpoint(key, value, f"{place}: models.{name}")
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
    """Return what the user says of a server, by ability.

    Raises:
        UsageError: The value is no table.
    """
    table = f"models.{name}.abilities"
    if not isinstance(value, dict):
        raise UsageError(f"{where}: {table} must be a table such as {{ temperature = false }}")
    given = dict[str, bool]()
    for ability, answer in value.items():
        place = places.get(f"{table}.{ability}", where)
        with problems.collected():
            if ability not in ABILITIES:
                near = get_close_matches(ability, ABILITIES, n=1, cutoff=0.0)
                raise UsageError(
                    f"{place}: unknown key {ability!r} of {table}; the nearest is {near[0]!r}",
                )
            if not isinstance(answer, bool):
                raise UsageError(f"{place}: {table}.{ability} must be true or false")
            given[ability] = answer
    return MappingProxyType(given)


def _checked_endpoint(key: str, value: Any, where: str) -> Any:
    """Check a value of an endpoint. The value itself is never shown: it may be a key."""
    if (kind := _KINDS.get(key)) is None:
        near = get_close_matches(key, _KINDS, n=1, cutoff=0.0)
        raise UsageError(f"{where}: unknown key {key!r}; the nearest is {near[0]!r}")
    # The exact type, since True is an int, too; only a whole number will do for a float.
    if type(value) is not kind and (kind, type(value)) != (float, int):
        raise UsageError(f"{where}.{key} must be {_ENDPOINT_KEYS[kind]}")
    if isinstance(value, str):
        return _text(key, value, where)
    if isinstance(value, bool):
        return value
    # Whole numbers count from 1, except for a map of no tokens; `not >=` refuses NaN, too.
    least = int(kind is int and key != "map")
    if not value >= least:
        raise UsageError(f"{where}.{key} must be {_ENDPOINT_KEYS[kind]} from {least}")
    return kind(value)


def _text(key: str, value: str, where: str) -> str:
    if key == "format" and value not in FORMATS:
        raise UsageError(f"{where}.format: choose one of {', '.join(FORMATS)}")
    if key == "thinking" and value not in THINKING:
        raise UsageError(f"{where}.thinking: choose one of {', '.join(THINKING)}")
    if key == "key_env" and value and not _VARIABLE.fullmatch(value):
        raise UsageError(
            f"{where}.key_env must be the name of an environment variable, not the key itself"
        )
    return _url(value, where) if key == "base_url" else value


def read_agents(
    value: object, where: str, places: Mapping[str, str], problems: Problems
) -> Mapping[str, Agent]:
    """Read the agents of an `agents` table; faulty ones are left out and kept as problems.

    Args:
        where: The file and line of the table.
        places: File and line of every entry, by dotted name.

    Raises:
        UsageError: The value is no table.
    """
    if not isinstance(value, dict):
        raise UsageError(f"{where}: agents needs tables such as [agents.vibe]")
    agents = dict[str, Agent]()
    for name, table in value.items():
        with problems.collected():
            agents[name] = _agent(name, table, places.get(f"agents.{name}", where), places)
    return MappingProxyType(agents)


def _agent(name: str, table: object, where: str, places: Mapping[str, str]) -> Agent:
    """Return the agent that a table describes.

    Raises:
        UsageError: The value is no table, lacks the command, or has a wrong key or value.
    """
    if not isinstance(table, dict):
        raise UsageError(f"{where}: agents.{name} must be a table: [agents.{name}] with command")
    if not _AGENT_NAME.fullmatch(name):
        raise UsageError(f"{where}: agents.{name}: a name has letters, digits, - and _ alone")
    for key, value in table.items():
        place = f"{places.get(f'agents.{name}.{key}', where)}: agents.{name}"
        if key not in _AGENT_KEYS:
            near = get_close_matches(key, _AGENT_KEYS, n=1, cutoff=0.0)
            raise UsageError(f"{place}: unknown key {key!r}; the nearest is {near[0]!r}")
        if not _AGENT_KEYS[key](value):
            raise UsageError(f"{place}.{key} must be {_AGENT_WANTED[key]}")
    if "command" not in table:
        raise UsageError(f"{where}: agents.{name} lacks command")
    lists = {key: tuple(table[key]) for key in ("args", "env") if key in table}
    return Agent(name, **table | lists)


def _is_command(value: object) -> bool:
    return isinstance(value, str) and bool(value.strip()) and "\0" not in value


def _are_arguments(value: object) -> bool:
    return isinstance(value, list) and all(
        isinstance(item, str) and "\0" not in item for item in value
    )


def _are_variables(value: object) -> bool:
    return isinstance(value, list) and all(
        isinstance(item, str) and _VARIABLE.fullmatch(item) for item in value
    )


_AGENT_NAME = re.compile(r"[A-Za-z0-9_-]+")
_AGENT_KEYS: dict[str, Callable[[object], bool]] = {
    "command": _is_command,
    "args": _are_arguments,
    "env": _are_variables,
    "confined": lambda value: isinstance(value, bool),
}
_AGENT_WANTED = {
    "command": "the name or the path of a program",
    "args": "a list of texts",
    "env": "a list of names of environment variables, without their values",
    "confined": "true or false",
}


def _url(value: str, where: str) -> str:
    try:
        parts = urlsplit(value)
        # urlsplit checks a port only when it is asked for
        parts.port  # noqa: B018 - it is read here
    except ValueError:
        parts = urlsplit("")
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise UsageError(f"{where}.base_url must be http:// or https://, a host and usually /v1")
    if parts.username or parts.password or parts.query or parts.fragment:
        raise UsageError(
            f"{where}.base_url holds more than an address; put a key into a variable: see key_env"
        )
    return value.rstrip("/").removesuffix("/chat/completions")


@dataclass(frozen=True, slots=True)
class Settings:
    """Everything a user may choose.

    Attributes:
        model: The model that answers first.
        deep: The model that is asked, too, whenever `model` is not sure; "" for none.
        judge: The chat model in this process that judges the answers of `model` where that one is
            not sure; "" for none. spark-l only judges where it was added, and fits into memory.
        kernels: auto, compiled or numpy.
        bits: Bits of a weight, where kernels are compiled.
        local_format: How a chat model in this process answers: rewrite, search_replace, or auto,
            which goes by the model.
        local_thinking: How long such a model thinks before it answers, where it knows how: off,
            low, on.
        next_edit: Whether to look, behind an accept, for the next place that wants the same change,
            where that was measured of the model.
        next_edit_model: One of Sweep's models in this process, which looks instead; "" for none.
        theme: The name of a theme.
        pace: How fast tokens are shown at most: real, tokens a second, or a device.
        temperature: 0 for greedy decoding.
        seed: The seed of draws, where the temperature is above 0.
        max_tokens: The most tokens of one turn.
        journal_megabytes: The most that is kept for undo, per work tree.
        mouse: Whether the screen has the mouse.
        bell: Whether the terminal's bell rings when a turn ends.
        telemetry: Whether one line a turn is kept for `spark stats`, on this machine.
        meters: Whether all that is measured is shown.
        plain: Lines of text instead of the screen.
        types: Whether language servers that are installed check the types of edits.
        allowed_commands: The beginnings of command lines that a task may run.
        allowed_variables: The variables that these see beside the usual ones, from the user's own
            file only.
        shared_paths: What these read of the work tree though git ignores it, or keeps it in a
            submodule, from the user's own file only.
        keys: The keys of actions, by action.
        models: The endpoints by name, from the user's own file only.
        agents: The agents by name, from the user's own file only.
        sources: Where each setting comes from, where it is not the default.
    """

    model: str = "spark-m"
    deep: str = ""
    judge: str = "spark-l"
    kernels: str = "auto"
    bits: int = 8
    local_format: str = "auto"
    local_thinking: str = "off"
    next_edit: bool = True
    next_edit_model: str = ""
    theme: str = "spark-dark"
    pace: str = "real"
    temperature: float = 0.0
    seed: int = 0
    max_tokens: int = 512
    journal_megabytes: int = 500
    mouse: bool = True
    bell: bool = False
    telemetry: bool = True
    meters: bool = False
    plain: bool = False
    types: bool = True
    allowed_commands: tuple[str, ...] = ()
    allowed_variables: tuple[str, ...] = ()
    shared_paths: tuple[str, ...] = ()
    keys: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    models: Mapping[str, Endpoint] = field(default_factory=lambda: MappingProxyType({}))
    agents: Mapping[str, Agent] = field(default_factory=lambda: MappingProxyType({}))
    sources: Mapping[str, str] = field(
        default_factory=lambda: MappingProxyType({}), compare=False, repr=False
    )


def config_dir(env: Mapping[str, str] = os.environ) -> Path:
    """The folder of the user's configuration and own themes."""
    return _folder(env, "XDG_CONFIG_HOME", ".config")


def state_dir(env: Mapping[str, str] = os.environ) -> Path:
    """The folder of journals, locks and crash reports."""
    return _folder(env, "XDG_STATE_HOME", ".local/state")


def cache_dir(env: Mapping[str, str] = os.environ) -> Path:
    """The folder of what can be made again."""
    return _folder(env, "XDG_CACHE_HOME", ".cache")


def data_dir(env: Mapping[str, str] = os.environ) -> Path:
    """The folder of what the user added."""
    return _folder(env, "XDG_DATA_HOME", ".local/share")


def added_models(env: Mapping[str, str] = os.environ) -> dict[str, Path]:
    """The models the user added, by name: folders, and GGUF files."""
    try:
        places = sorted((data_dir(env) / "models").iterdir())
    except OSError:
        # a name with a dot in front is a copy that is still being made
        return {}
    return {
        place.name.removesuffix(".gguf"): place
        for place in places
        if not place.name.startswith(".")
    }


_CHOICES: dict[str, tuple[object, ...]] = {
    "kernels": ("auto", "compiled", "numpy"),
    "bits": (4, 8, 32),
    "local_format": ("auto", "rewrite", "search_replace"),
    "local_thinking": ("off", "low", "on"),
}
_NUMBERS_TOO = frozenset({"pace"})
"""Settings with a text for which a number will do, too."""
_NO_CHOICE = frozenset({"models", "agents", "sources"})
"""Fields that no single line of a file or variable sets."""
_OF_USER = {
    "models": "endpoints",
    "agents": "agents",
    "allowed_variables": "names of variables",
    "shared_paths": "paths that tasks share",
}
"""Keys that a repository may not bring along, and what they hold."""
_WANTED = {str: "a text", int: "a whole number", float: "a number", bool: "true or false"}


_IN_LIBRARY = {"XDG_CACHE_HOME": "Caches"}
"""Folders of macOS' Library, by variable, where that is not `Application Support`."""


def _folder(env: Mapping[str, str], variable: str, default: str) -> Path:
    """Return the folder that a variable names, else the system's usual place.

    On macOS that is the place that platformdirs names, too, unless there is a folder where Linux
    has it.
    """
    named = Path(env.get(variable, ""))
    if named.is_absolute():
        return named / "spark"
    home = Path(env.get("HOME") or Path.home())
    folder = home / default / "spark"
    if sys.platform == "darwin" and not folder.exists():
        return home / "Library" / _IN_LIBRARY.get(variable, "Application Support") / "spark"
    return folder


def load_settings(
    flags: Mapping[str, Any] | None = None,
    *,
    env: Mapping[str, str] = os.environ,
    project: Path | None = None,
    problems: Problems | None = None,
) -> Settings:
    """Return the settings in force; the name of a model that the user added becomes its path.

    Args:
        flags: Values from the command line; None means "not given".
        project: The file of a trusted repository.
        problems: Takes what is wrong, which is left out of the settings then, instead of having it
            raised.

    Raises:
        UsageError: Unknown keys and wrong types, all of them, with file, line and the nearest valid
            name.
    """
    files = [config_dir(env) / "config.toml", *([project] if project is not None else [])]
    given = {key: value for key, value in (flags or {}).items() if value is not None}
    values: dict[str, Any] = {}
    sources: dict[str, str] = {}
    wrong = Problems() if problems is None else problems
    read = list[_Found]()
    for path in files:
        with wrong.collected():
            read.append(_from_file(path, wrong, own=path != project))
    # a file that cannot be read as TOML raised, and has left nothing in `read`
    wrong.lacks_file = len(read) < len(files)
    flagged = {key: f"--{key.replace('_', '-')}" for key in given}
    # in the order of precedence: each later source overwrites the earlier ones
    for found, places in (*read, _from_environment(env, wrong), (given, flagged)):
        values |= found
        sources |= places
    if problems is None:
        wrong.tell()
    settings = replace(Settings(), **values, sources=MappingProxyType(sources))
    return replace(settings, model=str(added_models(env).get(settings.model, settings.model)))


def defaults() -> dict[str, Any]:
    """Return the name and the default of every setting."""
    return {
        each.name: getattr(Settings(), each.name)
        for each in fields(Settings)
        if each.name not in _NO_CHOICE
    }


_Found = tuple[dict[str, Any], dict[str, str]]
"""Values and where each of them stands."""


def _from_file(path: Path, problems: Problems, *, own: bool) -> _Found:
    """The settings of a file.

    Args:
        own: Whether the file is the user's. Any other may name no place to send code and keys to.
    """
    try:
        text = read_small_text(path).removeprefix("\ufeff")  # which some editors put first
        table = tomllib.loads(text)
    except FileNotFoundError:
        return {}, {}
    except PermissionError as e:
        advice = remedy(e, path, "XDG_CONFIG_HOME")
        raise UsageError(f"{path} cannot be read ({e.strerror}); {advice}") from e
    except UnicodeDecodeError as e:
        byte = f"byte 0x{e.object[e.start]:02x} at {e.start}"
        raise UsageError(f"{path} is not UTF-8 ({byte}); save it as UTF-8") from e
    except (OSError, tomllib.TOMLDecodeError, RecursionError) as e:
        raise UsageError(f"{path}: cannot be read as TOML: {e}") from e
    places = {key: f"{path}:{line}" for key, line in lines_of(text).items()}
    values: dict[str, Any] = {}
    for key, value in table.items():
        with problems.collected():
            # A dotted key (`keys.hunk.accept`) has no line of its own name: the first line below
            # it.
            first = next(
                (place for name, place in places.items() if name.startswith(f"{key}.")), f"{path}:1"
            )
            where = places.get(key, first)
            if key in _OF_USER and not own:
                raise UsageError(
                    f"{where}: {_OF_USER[key]} go in your own config.toml only; move them there"
                )
            if key == "models":
                values[key] = read_endpoints(value, where, places, problems)
            elif key == "agents":
                values[key] = read_agents(value, where, places, problems)
            else:
                values[key] = _checked(key, value, where, problems, places)
    return values, {
        key: place for key, place in places.items() if key in values or key.startswith("keys.")
    }


def _from_environment(env: Mapping[str, str], problems: Problems) -> _Found:
    found: dict[str, Any] = {}
    for key, default in defaults().items():
        name = f"SPARK_{key.upper()}"
        if isinstance(default, Mapping | tuple) or not env.get(name):
            continue
        with problems.collected():
            found[key] = _checked(key, _parsed(env[name], default), f"${name}", problems)
    return found, {key: f"$SPARK_{key.upper()}" for key in found}


def _parsed(text: str, default: object) -> object:
    """Return a text as the type of the default, or unchanged where it does not fit."""
    if isinstance(default, bool):
        return {"1": True, "true": True, "0": False, "false": False}.get(text.lower(), text)
    try:
        return type(default)(text) if isinstance(default, int | float) else text
    except ValueError:
        return text


def _checked(
    key: str,
    value: object,
    where: str,
    problems: Problems,
    places: Mapping[str, str] = MappingProxyType({}),
) -> object:
    """Check the value of a setting; the faulty parts of a table are kept as problems."""
    known = defaults()
    if key not in known:
        near = get_close_matches(key, (*known, *_OF_USER), n=1, cutoff=0.0)
        raise UsageError(f"{where}: unknown key {key!r}; the nearest is {near[0]!r}")
    default = known[key]
    if isinstance(default, Mapping):
        return MappingProxyType(_checked_table(key, value, where, problems, places))
    if isinstance(default, tuple):
        if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
            raise UsageError(f"{where}: {key} must be a list of texts, not {value!r}")
        return tuple(value)
    if isinstance(default, float) and type(value) is int:
        return float(value)
    if key in _NUMBERS_TOO and type(value) in {int, float}:
        return str(value)
    # the exact type, since True is an int, too
    if type(value) is not type(default):
        raise UsageError(f"{where}: {key} must be {_WANTED[type(default)]}, not {value!r}")
    if value not in _CHOICES.get(key, (value,)):
        raise UsageError(
            f"{where}: {key} is {value!r}; choose one of {', '.join(map(str, _CHOICES[key]))}"
        )
    return value


def _checked_table(
    key: str, value: object, where: str, problems: Problems, places: Mapping[str, str]
) -> dict[str, str]:
    """Return a table of texts by dotted names.

    `hunk.accept = "a"` and `"hunk.accept" = "a"` are the same.
    """
    if not isinstance(value, dict):
        raise UsageError(f"{where}: [{key}] must be a table of texts")
    found: dict[str, str] = {}
    for name, each in value.items():
        inner = f"{key}.{name}"
        place = places.get(inner, where)
        with problems.collected():
            if isinstance(each, dict):
                within = _checked_table(inner, each, place, problems, places)
                found |= {f"{name}.{rest}": text for rest, text in within.items()}
            elif isinstance(each, str):
                found[name] = each
            else:
                raise UsageError(f"{place}: {inner} must be a text, not {each!r}")
    return found


# A heading of a table, or a key up to its equals sign; good enough for messages that name a line.
_LINE = re.compile(
    r"""\s*(?:\[(?P<table>[^\[\]]+)\]|(?P<key>(?:[\w.\s-]|"[^"]*"|'[^']*')+?)\s*=)"""
)


def lines_of(text: str) -> dict[str, int]:
    """Return the 1-based line of each key and table of a TOML text, by dotted name.

    tomllib does not give the lines.
    """
    found: dict[str, int] = {}
    table = ""
    for number, line in enumerate(text.split("\n"), 1):
        if match := _LINE.match(line):
            name = re.sub(r"[\s\"']", "", match["table"] or match["key"])
            if match["table"]:
                table = f"{name}."
            found.setdefault(name if match["table"] else table + name, number)
    return found


_VALUE = re.compile(r"""(?<==)(\s*)("[^"\\]*"|'[^']*')(?=\s*(?:#.*)?$)""", re.MULTILINE)


def save_theme(path: Path, name: str) -> None:
    """Write a theme into config.toml.

    Args:
        path: The path of config.toml, which need not exist.

    Raises:
        FileError: The file cannot be written.
        UsageError: The file is written in a way that only its author should change. In both cases
            it stays as it was.
    """
    place = path.resolve()
    try:
        data = read_small(place) if place.exists() else b""
        mark = BOM_UTF8 if data.startswith(BOM_UTF8) else b""
        before = data.removeprefix(mark).decode()
        after = _with_theme(before, name)
        # The line was changed by a pattern, so the result is read once more: nothing but the theme
        # may differ.
        if tomllib.loads(after) != tomllib.loads(before) | {"theme": name}:
            raise UsageError(f"{path}: change theme there by hand")
        place.parent.mkdir(parents=True, exist_ok=True)
        _replace(place, mark + after.encode())
    except (tomllib.TOMLDecodeError, RecursionError) as e:
        raise UsageError(f"{path}: change theme there by hand: {e}") from e
    except (OSError, UnicodeDecodeError) as e:
        raise FileError(
            f"cannot write {path}: {getattr(e, 'strerror', None) or e}; the theme was not saved"
        ) from e


def _with_theme(text: str, name: str) -> str:
    """Return a TOML text with another theme: in the line that sets one, or above all tables."""
    lines = text.split("\n")
    at = lines_of(text).get("theme")
    if at is None:
        # at the end it would belong to the last table
        return f'theme = "{name}"\n{text}'
    lines[at - 1] = _VALUE.sub(rf'\g<1>"{name}"', lines[at - 1])
    return "\n".join(lines)


def _replace(path: Path, data: bytes) -> None:
    """Write a file in one step, with the permissions it has."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        temporary.write_bytes(data)
        if path.exists():
            # `replace` would give the file the permissions of a new one
            temporary.chmod(path.stat().st_mode & 0o7777)
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)
