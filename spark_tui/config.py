"""What the user may set, and where spark keeps its things.

Sources, the later wins: defaults, `$XDG_CONFIG_HOME/spark/config.toml`, `.spark/config.toml` of a repository that is
trusted, `SPARK_*` variables, flags.
"""

import os
import re
import sys
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from difflib import get_close_matches
from pathlib import Path
from types import MappingProxyType
from typing import Any

from spark_tui.endpoints import Endpoint, read_endpoints
from spark_tui.errors import Problems, UsageError
from spark_tui.own_folders import remedy


@dataclass(frozen=True, slots=True)
class Settings:
    """Everything a user may choose.

    `model` answers first, and `deep`, where it names one, is asked too whenever `model` is not sure.
    `kernels` are auto, compiled or numpy, with `bits` a weight where they are compiled;
    `local_format` is how a chat model in this process answers: rewrite, search_replace, or auto,
    which goes by the model; `local_thinking` is how long such a model thinks before it answers,
    where it knows how: off, low, on; `temperature` 0 is greedy
    decoding; `pace` limits how fast tokens are shown: real, tokens a second, or a device; `max_tokens` bounds one turn;
    `journal_megabytes` bounds what is kept for undo, per work tree; `mouse` lets the screen have it; `bell` rings when
    a turn ends; `plain` is lines of text instead of the screen; `keys` maps an action to its keys. `models` are the
    endpoints by name, from the user's own file only. `sources` says where each setting comes from, where it is not the
    default.
    """

    model: str = "spark-m"
    deep: str = ""
    kernels: str = "auto"
    bits: int = 8
    local_format: str = "auto"
    local_thinking: str = "off"
    theme: str = "spark-dark"
    pace: str = "real"
    temperature: float = 0.0
    seed: int = 0
    max_tokens: int = 512
    journal_megabytes: int = 500
    mouse: bool = True
    bell: bool = False
    plain: bool = False
    keys: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    models: Mapping[str, Endpoint] = field(default_factory=lambda: MappingProxyType({}))
    sources: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}), compare=False, repr=False)


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
        return {}
    return {place.name.removesuffix(".gguf"): place for place in places if not place.name.startswith(".")}


_CHOICES: dict[str, tuple[object, ...]] = {
    "kernels": ("auto", "compiled", "numpy"),
    "bits": (4, 8, 32),
    "local_format": ("auto", "rewrite", "search_replace"),
    "local_thinking": ("off", "low", "on"),
}
_NUMBERS_TOO = frozenset({"pace"})
"""Texts that a number will do for."""
_NO_CHOICE = frozenset({"models", "sources"})
"""Fields that are no single settings."""
_WANTED = {str: "a text", int: "a whole number", float: "a number", bool: "true or false"}


_IN_LIBRARY = {"XDG_CACHE_HOME": "Caches"}
"""Where macOS keeps what is not beside everything else of a program."""


def _folder(env: Mapping[str, str], variable: str, default: str) -> Path:
    """The folder that a variable names, else the system's usual place.

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
    """The settings in force; the name of a model the user added becomes its path.

    Args: flags: values from the command line; None means "not given". project: the file of a trusted repository.
        problems: takes what is wrong, which is left out of the settings then, instead of having it raised.
    Raises: UsageError: unknown keys and wrong types, all of them, with file, line and the nearest valid name.
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
    flagged = {key: f"--{key.replace('_', '-')}" for key in given}
    for found, places in (*read, _from_environment(env, wrong), (given, flagged)):
        values |= found
        sources |= places
    if problems is None:
        wrong.tell()
    settings = replace(Settings(), **values, sources=MappingProxyType(sources))
    return replace(settings, model=str(added_models(env).get(settings.model, settings.model)))


def defaults() -> dict[str, Any]:
    """Every setting's name and default."""
    return {each.name: getattr(Settings(), each.name) for each in fields(Settings) if each.name not in _NO_CHOICE}


_Found = tuple[dict[str, Any], dict[str, str]]
"""Values and where each of them stands."""


def _from_file(path: Path, problems: Problems, *, own: bool) -> _Found:
    """Args: own: whether it is the user's: another one may name no place where code and keys are sent."""
    try:
        text = path.read_text("utf-8-sig")  # some editors put a byte order mark first
        table = tomllib.loads(text)
    except FileNotFoundError:
        return {}, {}
    except PermissionError as e:
        advice = remedy(e, path, "XDG_CONFIG_HOME")
        raise UsageError(f"{path} cannot be read ({e.strerror}); {advice}") from e
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError, RecursionError) as e:
        raise UsageError(f"{path}: cannot be read as TOML: {e}") from e
    places = {key: f"{path}:{line}" for key, line in lines_of(text).items()}
    values: dict[str, Any] = {}
    for key, value in table.items():
        with problems.collected():
            first = next((place for name, place in places.items() if name.startswith(f"{key}.")), f"{path}:1")
            where = places.get(key, first)
            if key == "models" and not own:
                raise UsageError(f"{where}: endpoints go in your own config.toml only; move them there")
            if key == "models":
                values[key] = read_endpoints(value, where, places, problems)
            else:
                values[key] = _checked(key, value, where, problems, places)
    return values, {key: place for key, place in places.items() if key in values or key.startswith("keys.")}


def _from_environment(env: Mapping[str, str], problems: Problems) -> _Found:
    found: dict[str, Any] = {}
    for key, default in defaults().items():
        name = f"SPARK_{key.upper()}"
        if isinstance(default, Mapping) or not env.get(name):
            continue
        with problems.collected():
            found[key] = _checked(key, _parsed(env[name], default), f"${name}", problems)
    return found, {key: f"$SPARK_{key.upper()}" for key in found}


def _parsed(text: str, default: object) -> object:
    """A variable's text as the type of the default, or unchanged when it does not fit."""
    if isinstance(default, bool):
        return {"1": True, "true": True, "0": False, "false": False}.get(text.lower(), text)
    try:
        return type(default)(text) if isinstance(default, int | float) else text
    except ValueError:
        return text


def _checked(
    key: str, value: object, where: str, problems: Problems, places: Mapping[str, str] = MappingProxyType({})
) -> object:
    """A value that the setting may have; of a table what may stand there, the rest is kept as problems."""
    known = defaults()
    if key not in known:
        near = get_close_matches(key, known, n=1, cutoff=0.0)
        raise UsageError(f"{where}: unknown key {key!r}; the nearest is {near[0]!r}")
    default = known[key]
    if isinstance(default, Mapping):
        return MappingProxyType(_checked_table(key, value, where, problems, places))
    if isinstance(default, float) and type(value) is int:
        return float(value)
    if key in _NUMBERS_TOO and type(value) in {int, float}:
        return str(value)
    if type(value) is not type(default):
        raise UsageError(f"{where}: {key} must be {_WANTED[type(default)]}, not {value!r}")
    if value not in _CHOICES.get(key, (value,)):
        raise UsageError(f"{where}: {key} is {value!r}; choose one of {', '.join(map(str, _CHOICES[key]))}")
    return value


def _checked_table(
    key: str, value: object, where: str, problems: Problems, places: Mapping[str, str]
) -> dict[str, str]:
    """A table of texts with its dotted names; `hunk.accept = "a"` and `"hunk.accept" = "a"` are the same."""
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


_LINE = re.compile(r"""\s*(?:\[(?P<table>[^\[\]]+)\]|(?P<key>(?:[\w.\s-]|"[^"]*"|'[^']*')+?)\s*=)""")


def lines_of(text: str) -> dict[str, int]:
    """The 1-based line that each key and table of a TOML text stands on, by dotted name (tomllib does not tell)."""
    found: dict[str, int] = {}
    table = ""
    for number, line in enumerate(text.split("\n"), 1):
        if match := _LINE.match(line):
            name = re.sub(r"[\s\"']", "", match["table"] or match["key"])
            if match["table"]:
                table = f"{name}."
            found.setdefault(name if match["table"] else table + name, number)
    return found
