"""The models that a session can change to, and how one is loaded."""

from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from math import prod
from pathlib import Path

from spark_tui.endpoints import Endpoint
from spark_tui.engine import library
from spark_tui.engine.backend import Backend
from spark_tui.engine.config import ModelConfig
from spark_tui.engine.library import LoadedModel, find_model, list_models
from spark_tui.engine.weights import expected_shapes

_LARGE = 14e9
"""Parameters from which on a model quotes well enough to search and replace."""


@dataclass(frozen=True, slots=True)
class Models:
    """What there is to change to.

    Args: backend: what models compute with. added: models of the user's own. endpoints: those that are named in the
        user's configuration. check: raises ModelError for the files of a model that cannot edit.
        format: how chat models in this process answer: "rewrite", "search_replace", or "auto".
        formats: what "auto" is, by the name of a model; of others their size decides.
        abilities: the folder of what is known of endpoints.
        thinking: how long chat models in this process think before an answer: "off", "low", "on".
    """

    backend: Backend = field(default_factory=lambda: Backend("numpy"))
    added: Mapping[str, Path] = field(default_factory=dict)
    endpoints: Mapping[str, Endpoint] = field(default_factory=dict)
    check: Callable[[Path], None] = field(default=lambda _: None)
    format: str = "auto"
    formats: Mapping[str, str] = field(default_factory=dict)
    abilities: Path | None = None
    thinking: str = "off"

    def names(self) -> tuple[str, ...]:
        """The models known by name: those shipped, then the user's own, then endpoints."""
        shipped = list_models()
        return (*shipped, *sorted({*self.added, *self.endpoints} - set(shipped)))

    def load(self, name: str) -> LoadedModel:
        """A model by its name, or that of a folder or GGUF file. It takes a while.

        Raises: UsageError: there is none. ModelError: it cannot be used.
        """
        path = find_model(str(self.added.get(name, name)))
        self.check(path)
        return self.load_from(path)

    def load_from(self, path: Path) -> LoadedModel:
        """A model by its files, code compiled first if need be. Raises: ModelError: it cannot be used."""
        if self.backend.may_be_built:
            self.backend.build()
        return library.load(path, self.backend)

    def writes_blocks(self, loaded: LoadedModel) -> bool:
        """Whether a chat model is asked for blocks that search and replace.

        Smaller models quote inexactly. Source: aider's leaderboards, by size and edit format.
        """
        chosen = self.format
        if chosen == "auto":
            chosen = self.formats.get(loaded.name, "auto")
        if chosen == "auto":
            return _parameters(loaded.config) >= _LARGE
        return chosen == "search_replace"

    def load_passes(self) -> None:
        """Load what a first pass of compiled code would otherwise wait for, where there is room for it."""
        with suppress(ImportError, OSError):
            self.backend.load_passes()


def _parameters(config: ModelConfig) -> int:
    return sum(map(prod, expected_shapes(config).values()))
