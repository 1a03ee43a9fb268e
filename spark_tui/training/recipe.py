"""Reads the recipe of a training run, a TOML file: everything that decides what a run computes."""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, fields
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from spark_tui.errors import UsageError

DEFAULT_FILE = Path(__file__).with_name("recipe.toml")
_MOST_SEED = 1 << 31
"""Seeds of numpy and of torch that both take have 31 bits."""
_LEAST_SHARE = 0.02
"""The share of the learning rate at the very first step."""


@dataclass(frozen=True, slots=True)
class Recipe:
    """A recipe; see `recipe.toml` for what each entry means."""

    rank: int
    alpha: float
    first_layer: int
    dropout: float
    rate: float
    warm_up: float
    beta1: float
    beta2: float
    weight_decay: float
    clip: float
    words_weight: float
    batch_tokens: int
    micro_tokens: int
    seed: int
    compile: bool

    def __post_init__(self) -> None:
        """Check the values.

        Raises:
            UsageError: A value makes no sense.
        """
        for name in ("rank", "batch_tokens", "micro_tokens"):
            _require(getattr(self, name) >= 1, name, "must be at least 1")
        for name in ("alpha", "rate", "clip"):
            _require(getattr(self, name) > 0, name, "must be more than 0")
        for name in ("dropout", "warm_up", "beta1", "beta2"):
            _require(0 <= getattr(self, name) < 1, name, "must be from 0 to below 1")
        _require(self.seed < _MOST_SEED, "seed", f"must be below {_MOST_SEED}")
        for name in ("first_layer", "weight_decay", "words_weight", "seed"):
            _require(getattr(self, name) >= 0, name, "must not be negative")

    @property
    def scale(self) -> float:
        """The factor of the product of a pair of matrices."""
        return self.alpha / self.rank

    def rate_at(self, done: float) -> float:
        """Return the learning rate.

        Args:
            done: The share of the run that is over, from 0 to 1.
        """
        # linear up to the whole rate, then linear down to 0
        if done < self.warm_up:
            return self.rate * max(_LEAST_SHARE, done / self.warm_up)
        return self.rate * max(0.0, (1 - done) / (1 - self.warm_up))


def entry_types() -> dict[str, type]:
    """Return the type of each entry, by its name."""
    return {field.name: field.type for field in fields(Recipe) if isinstance(field.type, type)}


def read_recipe(path: Path | None = None, overrides: Mapping[str, Any] | None = None) -> Recipe:
    """Read a recipe; what a file leaves out is as in the shipped one.

    Args:
        path: The file; None for the shipped one.
        overrides: Entries that count more than the file's.

    Raises:
        UsageError: The file cannot be read, has an unknown key, or a value is of the wrong kind.
    """
    entries = _read_entries(DEFAULT_FILE)
    if path is not None:
        entries |= _read_entries(path)
    entries |= overrides or {}
    return Recipe(**entries)


def _read_entries(path: Path) -> dict[str, Any]:
    try:
        entries = tomllib.loads(path.read_text("utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise UsageError(f"the recipe {path} cannot be read: {error}") from error
    types = entry_types()
    return {name: _checked(path, name, value, types) for name, value in entries.items()}


def _checked(path: Path, name: str, value: object, types: Mapping[str, type]) -> object:
    if name not in types:
        close = get_close_matches(name, types, n=1)
        hint = f"did you mean {close[0]}?" if close else f"known are: {', '.join(types)}"
        raise UsageError(f"{path} has the unknown entry {name!r}; {hint}")
    expected = types[name]
    if expected is float and type(value) is int:
        return float(value)
    if type(value) is not expected:
        raise UsageError(f"{path}: {name} must be of type {expected.__name__}, not {value!r}")
    return value


def _require(is_sound: bool, name: str, rule: str) -> None:
    if not is_sound:
        raise UsageError(f"recipe: {name} {rule}")
