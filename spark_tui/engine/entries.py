"""A JSON object of a model folder, its values checked as they are taken out."""

import json
from pathlib import Path
from typing import Any

from spark_tui.engine.files import ADVICE, damaged, read_model_file, shown
from spark_tui.errors import ModelError

_ELSE = "name another model"


class Entries:
    """A JSON object; a value of null counts as missing.

    Args: path: the file it stands in, for the messages. values: what `json.loads` made of it.
    """

    def __init__(self, path: Path, values: dict[str, Any]) -> None:
        self._path = path
        self._values = values

    @classmethod
    def read(cls, path: Path, *, limit: int) -> "Entries":
        """Read a file that holds one JSON object.

        Raises: ModelError: missing, over the limit in bytes, or no JSON object.
        """
        try:
            values = json.loads(read_model_file(path, limit=limit))
        except (ValueError, RecursionError) as error:
            raise damaged(path, "not JSON") from error
        if not isinstance(values, dict):
            raise damaged(path, "not a JSON object")
        return cls(path, values)

    def __contains__(self, name: str) -> bool:
        return self.get(name) is not None

    def get(self, name: str) -> Any:
        """The value as it is; None where it is missing."""
        return self._values.get(name)

    @property
    def nested(self) -> bool:
        """Whether it holds objects itself."""
        return any(isinstance(value, dict) for value in self._values.values())

    def section(self, name: str) -> "Entries":
        """The object under a name; an empty one where it is missing."""
        value = {} if self.get(name) is None else self.get(name)
        if not isinstance(value, dict):
            raise self.wrong(name, "not an object")
        return Entries(self._path, value)

    def over(self, defaults: dict[str, Any]) -> "Entries":
        """The same object, with values for what it does not hold."""
        held = {name: value for name, value in self._values.items() if value is not None}
        return Entries(self._path, defaults | held)

    def whole(self, name: str, most: int, default: int | None = None) -> int:
        """A whole number from 1 to `most`."""
        value = default if self.get(name) is None else self.get(name)
        if type(value) is not int or not 1 <= value <= most:
            raise self.wrong(name, f"not a whole number from 1 to {most:,}")
        return value

    def number(self, name: str, least: float, most: float, default: float | None = None) -> float:
        """A number from `least` to `most`, both included."""
        value = default if self.get(name) is None else self.get(name)
        if not isinstance(value, int | float) or isinstance(value, bool) or not least <= value <= most:
            raise self.wrong(name, f"not a number from {least:g} to {most:g}")
        return float(value)

    def flag(self, name: str, default: bool = False) -> bool:
        """True or false."""
        value = default if self.get(name) is None else self.get(name)
        if not isinstance(value, bool):
            raise self.wrong(name, "neither true nor false")
        return value

    def choice(self, name: str, supported: tuple[Any, ...]) -> Any:
        """One of the values this engine is written for; None among them lets it be missing."""
        value = self.get(name)
        if value not in supported:
            names = " or ".join(repr(one) for one in supported if one is not None)
            raise self.wrong(
                name, f"this engine runs only {names}" if names else "which this engine does not run", _ELSE
            )
        return value

    def words(self, name: str) -> tuple[str, ...]:
        """A list of texts; an empty one where it is missing."""
        words = [] if self.get(name) is None else self.get(name)
        if not isinstance(words, list) or not all(isinstance(one, str) for one in words):
            raise damaged(self._path, f"{name} is not a list of words")
        return tuple(words)

    def texts(self) -> list[str]:
        """All values, which must be texts: each once, sorted."""
        if not all(isinstance(value, str) for value in self._values.values()):
            raise damaged(self._path, "a string is missing where one is needed")
        return sorted(set(self._values.values()))

    def wrong(self, name: str, problem: str, advice: str = ADVICE) -> ModelError:
        """The error for one value."""
        return damaged(self._path, f"{name} is {shown(self.get(name))}, {problem}", advice)

    def refused(self, problem: str) -> ModelError:
        """The error for values that are sound, but not for this engine."""
        return damaged(self._path, problem, _ELSE)
