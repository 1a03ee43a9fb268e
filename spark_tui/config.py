"""What the user may set, and where spark keeps its things.

Sources, the later wins: defaults, `$XDG_CONFIG_HOME/spark/config.toml`, `.spark/config.toml` of a repository that is
trusted, `SPARK_*` variables, flags.
"""

import os
import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from difflib import get_close_matches
from pathlib import Path
from types import MappingProxyType
from typing import Any

from spark_tui.errors import UsageError


@dataclass(frozen=True, slots=True)
class Settings:
    """Everything a user may choose.

    `kernels` are auto, compiled or numpy, with `bits` a weight where they are compiled; `temperature` 0 is greedy
    decoding; `max_tokens` bounds one turn; `journal_megabytes` bounds what is kept for undo, per work tree; `keys`
    maps an action to its key.
    """

    model: str = "spark-s"
    kernels: str = "auto"
    bits: int = 8
    theme: str = "spark-dark"
    temperature: float = 0.0
    seed: int = 0
    max_tokens: int = 512
    journal_megabytes: int = 500
    mouse: bool = True
    keys: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))


def config_dir(env: Mapping[str, str] = os.environ) -> Path:
    """The folder of the user's configuration and own themes."""
    return _xdg(env, "XDG_CONFIG_HOME", ".config")


def state_dir(env: Mapping[str, str] = os.environ) -> Path:
    """The folder of journals, locks and crash reports."""
    return _xdg(env, "XDG_STATE_HOME", ".local/state")


def cache_dir(env: Mapping[str, str] = os.environ) -> Path:
    """The folder of what can be made again."""
    return _xdg(env, "XDG_CACHE_HOME", ".cache")


def data_dir(env: Mapping[str, str] = os.environ) -> Path:
    """The folder of what the user added."""
    return _xdg(env, "XDG_DATA_HOME", ".local/share")


def added_models(env: Mapping[str, str] = os.environ) -> dict[str, Path]:
    """The models the user added, by name: folders, and GGUF files."""
    try:
        places = sorted((data_dir(env) / "models").iterdir())
    except OSError:
        return {}
    return {place.name.removesuffix(".gguf"): place for place in places if not place.name.startswith(".")}


_CHOICES: dict[str, tuple[object, ...]] = {"kernels": ("auto", "compiled", "numpy"), "bits": (4, 8, 32)}
_WANTED = {str: "a text", int: "a whole number", float: "a number", bool: "true or false"}


def _xdg(env: Mapping[str, str], variable: str, default: str) -> Path:
    value = env.get(variable, "")
    base = Path(value) if Path(value).is_absolute() else Path(env.get("HOME") or Path.home()) / default
    return base / "spark"


def load_settings(
    flags: Mapping[str, Any] | None = None, *, env: Mapping[str, str] = os.environ, project: Path | None = None
) -> Settings:
    """The settings in force; the name of a model the user added becomes its path.

    Args: flags: values from the command line; None means "not given". project: the file of a trusted repository.
    Raises: UsageError: an unknown key or a wrong type, with file, line and the nearest valid name.
    """
    settings = replace(Settings(), **_from_file(config_dir(env) / "config.toml"))
    if project is not None:
        settings = replace(settings, **_from_file(project))
    settings = replace(settings, **_from_environment(env))
    settings = replace(settings, **{key: value for key, value in (flags or {}).items() if value is not None})
    return replace(settings, model=str(added_models(env).get(settings.model, settings.model)))


def _from_file(path: Path) -> dict[str, Any]:
    try:
        text = path.read_text("utf-8")
        table = tomllib.loads(text)
    except FileNotFoundError:
        return {}
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as e:
        raise UsageError(f"{path}: cannot be read as TOML: {e}") from e
    return {key: _checked(key, value, f"{path}:{_line_of(key, text)}") for key, value in table.items()}


def _from_environment(env: Mapping[str, str]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, default in _defaults().items():
        name = f"SPARK_{key.upper()}"
        if isinstance(default, Mapping) or not env.get(name):
            continue
        found[key] = _checked(key, _parsed(env[name], default), f"${name}")
    return found


def _parsed(text: str, default: object) -> object:
    """A variable's text as the type of the default, or unchanged when it does not fit."""
    if isinstance(default, bool):
        return {"1": True, "true": True, "0": False, "false": False}.get(text.lower(), text)
    try:
        return type(default)(text) if isinstance(default, int | float) else text
    except ValueError:
        return text


def _defaults() -> dict[str, Any]:
    return {each.name: getattr(Settings(), each.name) for each in fields(Settings)}


def _checked(key: str, value: object, where: str) -> object:
    defaults = _defaults()
    if key not in defaults:
        near = get_close_matches(key, defaults, n=1, cutoff=0.0)
        raise UsageError(f"{where}: unknown key {key!r}; the nearest is {near[0]!r}")
    default = defaults[key]
    if isinstance(default, Mapping):
        return _checked_table(key, value, where)
    if isinstance(default, float) and type(value) is int:
        return float(value)
    if type(value) is not type(default):
        raise UsageError(f"{where}: {key} wants {_WANTED[type(default)]}, not {value!r}")
    if value not in _CHOICES.get(key, (value,)):
        raise UsageError(f"{where}: {key} is {value!r}; choose one of {', '.join(map(str, _CHOICES[key]))}")
    return value


def _checked_table(key: str, value: object, where: str) -> object:
    if not isinstance(value, dict) or not all(isinstance(each, str) for each in value.values()):
        raise UsageError(f"{where}: [{key}] wants a table of texts")
    return MappingProxyType(value)


def _line_of(key: str, text: str) -> int:
    """The 1-based line a key stands on (tomllib does not tell)."""
    pattern = re.compile(rf"\s*\[?\s*[\"']?{re.escape(key)}[\"']?\s*[=\].]")
    return next((number for number, line in enumerate(text.split("\n"), 1) if pattern.match(line)), 1)
