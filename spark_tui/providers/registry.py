"""Which model answers.

The models that a session can change to, and how one is loaded.

The model that turns run on, or the endpoint: read again when it fails, and changed between two
turns.

Answers that are known beforehand, as a side of conflicts that a command names: no model takes part.
"""

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass, field, replace
from math import prod
from pathlib import Path
from threading import Lock

from spark_tui.config import Endpoint
from spark_tui.editing.conflicts import torn
from spark_tui.editing.formats.quoted import QuotedRequest
from spark_tui.engine import loader
from spark_tui.engine.backend import Backend, OnFailure, RecoveringModel, from_disk
from spark_tui.engine.config import ModelConfig
from spark_tui.engine.kv_cache import KVCache
from spark_tui.engine.loader import LoadedModel, find_model, list_models, load
from spark_tui.engine.machine import fitting_context
from spark_tui.engine.model import Model
from spark_tui.engine.weights import expected_shapes
from spark_tui.errors import SparkError, UsageError
from spark_tui.providers.base import (
    AnswerFinished,
    EditKind,
    GenerationRequest,
    Provider,
    Speech,
    Talker,
    TokenGenerated,
)
from spark_tui.providers.chat_model import ChatWriter, Rewriter
from spark_tui.providers.openai_errors import is_never_final
from spark_tui.providers.openai_provider import Remote
from spark_tui.providers.quoting_provider import QuotingProvider, remote_of
from spark_tui.providers.spark_model import SparkModel, calibration_of

_LARGE = 14e9
"""Parameters from which on a model quotes well enough to search and replace."""


@dataclass(frozen=True, slots=True)
class Models:
    """What there is to change to.

    Args:
        backend: What models compute with.
        added: Models of the user's own.
        endpoints: Those that are named in the user's configuration.
        check: Raises ModelError for the files of a model that cannot edit.
        format: How chat models in this process answer: "rewrite", "search_replace", or "auto".
        formats: What "auto" is, by the name of a model; of others their size decides.
        abilities: The folder of what is known of endpoints.
        thinking: How long chat models in this process think before an answer: "off", "low", "on".
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
        """A model by its name, or that of a folder or GGUF file.

        It takes a while.

        Raises:
            UsageError: There is none.
            ModelError: It cannot be used.
        """
        path = find_model(str(self.added.get(name, name)))
        self.check(path)
        return self.load_from(path)

    def load_from(self, path: Path) -> LoadedModel:
        """A model by its files, code compiled first if need be.

        Raises:
            ModelError: It cannot be used.
        """
        if self.backend.may_be_built:
            self.backend.build()
        return loader.load(path, self.backend)

    def writes_blocks(self, loaded: LoadedModel) -> bool:
        """Whether a chat model is asked for blocks that search and replace.

        Smaller models quote inexactly.

        Source:
            aider's leaderboards, by size and edit format.
        """
        chosen = self.format
        if chosen == "auto":
            chosen = self.formats.get(loaded.name, "auto")
        if chosen == "auto":
            return _parameters(loaded.config) >= _LARGE
        return chosen == "search_replace"

    def load_passes(self) -> None:
        """Load what a first pass of compiled code would otherwise wait for, where there is room
        for it.
        """
        with suppress(ImportError, OSError):
            self.backend.load_passes()


def _parameters(config: ModelConfig) -> int:
    return sum(map(prod, expected_shapes(config).values()))


__all__ = ["Far", "KVCache", "LoadedModel", "Model", "ProviderHost", "RecoveringModel"]

Far = Remote | QuotingProvider
"""What answers with an endpoint."""
MOST_KEPT_BYTES = 64 << 20
"""Memory for the keys and values of regions that may be come back to."""


class ProviderHost:
    """Mutable.

    Where an endpoint answers, the model of this process stands by: pace and wafer are told of it.

    `standing`: what the user wants of every answer; models that take it are told.

    Args:
        loaded: The model, or what loads it once it is asked for.
        remote: Answers instead of the model.
        speculate: Whether tokens are drafted, which changes none.
        writes_blocks: Whether a chat model is asked for blocks about several files, and not for the
            region once more.
        thinking: How long it thinks before an answer, as of `Rewriter`.
    """

    def __init__(
        self,
        loaded: LoadedModel | Callable[[], LoadedModel],
        remote: Far | None = None,
        *,
        speculate: bool = True,
        writes_blocks: Callable[[LoadedModel], bool] = lambda _: False,
        thinking: str = "off",
    ) -> None:
        self._writes_blocks = writes_blocks
        self._thinking = thinking
        self.remote = remote
        self._speculate = speculate
        self.standing = ""
        self._used = None if callable(loaded) else _in_use(loaded)
        self._load = loaded
        self._loading = Lock()
        self._next: LoadedModel | Far | None = None
        self._taking = Lock()
        self._embedded: SparkModel | Rewriter | None = None

    @property
    def _own(self) -> tuple[LoadedModel, RecoveringModel, KVCache]:
        with self._loading:
            self._used = self._used or _in_use(self._load() if callable(self._load) else self._load)
            return self._used

    @property
    def loaded(self) -> LoadedModel:
        """The model of this process, which may take seconds the first time.

        Raises:
            ModelError: It cannot be used.
        """
        return self._own[0]

    @property
    def cache(self) -> KVCache:
        """What that model has read."""
        return self._own[2]

    @property
    def engine(self) -> RecoveringModel:
        """What that model computes with."""
        return self._own[1]

    def on_failure(
        self, told: OnFailure, is_final: Callable[[SparkError], bool] = is_never_final
    ) -> AbstractContextManager[None]:
        """Let someone decide for a while about failures of what answers.

        Args:
            told: Hears why, and returns where the answer is to go on.
            is_final: Whether an answer of an endpoint ends with an error, and nobody is asked.
        """
        if self.remote:
            return self.remote.on_failure(told, is_final)
        return self.engine.on_failure(told)

    @property
    def context(self) -> int:
        """Tokens that the prompt and the answer of a turn may take together."""
        return self.remote.context if self.remote else self.cache.capacity

    @property
    def name(self) -> str:
        """The name of the model that the next turn runs on."""
        coming = self._next  # once: another thread may take it
        return coming.name if coming else self.in_use

    @property
    def in_use(self) -> str:
        """The name of the model that answers now."""
        return self.remote.name if self.remote else self.loaded.name

    @property
    def answerer(self) -> Provider:
        """What answers now, whatever is to take its place."""
        if self.remote:
            self.remote.standing = self.standing
            return self.remote
        if self._embedded is None or self._embedded.cache is not self.cache:
            self._embedded = self._answerer_of(self.loaded)
        if isinstance(self._embedded, Rewriter):
            self._embedded.standing = self.standing
        return self._embedded

    def _answerer_of(self, loaded: LoadedModel) -> SparkModel | Rewriter:
        if calibration_of(loaded):
            return SparkModel(loaded, self.cache, speculate=self._speculate)
        blocks = self._writes_blocks(loaded)
        return Rewriter(
            loaded,
            self.cache,
            speculate=self._speculate,
            blocks=blocks,
            thinking=self._thinking,
        )

    @property
    def talker(self) -> Talker:
        """What answers questions.

        Raises:
            UsageError: The model only edits.
        """
        answerer = self.ready()
        if not isinstance(answerer, Talker):
            raise UsageError(
                f"{self.in_use} only edits; to ask, name a chat model (-m NAME, /model NAME): a "
                f"GGUF file "
                "of one, or an endpoint in config.toml"
            )
        return answerer

    def change(self, name: str, models: Models) -> None:
        """Load a model, and take it from the next turn on; until it is loaded, nothing changes.

        Raises:
            UsageError: There is none.
            ModelError: It cannot be used.
        """
        endpoint = models.endpoints.get(name)
        if endpoint:
            self._next = remote_of(endpoint, models.added, models.abilities)
        else:
            self._next = models.load(name)

    def ready(self) -> Provider:
        """What answers the next turn: what was to take the place of another one has it now."""
        with self._taking:
            if (coming := self._next) is not None:
                self.close()
                self.remote = None if isinstance(coming, LoadedModel) else coming
                if isinstance(coming, LoadedModel):
                    self._used = _in_use(coming)
                self._next = None
            return self.answerer

    def close(self) -> None:
        """Close what is open to an endpoint."""
        if self.remote:
            self.remote.close()


def _in_use(loaded: LoadedModel) -> tuple[LoadedModel, RecoveringModel, KVCache]:
    model = loaded.model
    engine = RecoveringModel(model, from_disk(loaded.path, lambda path: load(path).model))
    cache = model.new_cache(fitting_context(loaded.config))
    cache.kept.most_bytes = MOST_KEPT_BYTES
    return replace(loaded, model=engine), engine, cache


class KnownDraft:
    """One answer, which comes as a single piece: a line feed behind nothing, and behind each line.

    Mutable.
    """

    kind = "edit"
    line_mark = ""
    in_name = declined = over = talks = False
    closed = True
    doubt = ""
    open_line: str | None = None
    missed: tuple[str, ...] = ()
    renamed: tuple[tuple[str, str], ...] = ()

    def __init__(self, lines: Sequence[str]) -> None:
        self._lines = tuple(lines)

    def take(self, piece: bytes) -> bool:
        """See `Draft`."""
        if piece:
            self._lines = tuple(piece.decode("utf-8", "surrogateescape").split("\n")[1:-1])
            self.over = True
        return self.over

    def finish(self) -> None:
        """See `Draft`."""

    def lines(self) -> Sequence[str]:
        """See `Draft`."""
        return self._lines

    settled = lines


class Known(Provider):
    """Answers with the lines that a region becomes.

    Args:
        become: Makes them of those that it has.
    """

    def __init__(self, become: Callable[[Sequence[str]], Sequence[str]]) -> None:
        self._become = become

    def write(self, ask: GenerationRequest) -> ChatWriter:
        """See `Provider`."""
        return ChatWriter(
            ask,
            lambda number: self._speak(ask.request, number),
            lambda: self.draft(ask.request.lines),
        )

    def draft(self, lines: Sequence[str]) -> KnownDraft:
        """See `Provider`."""
        return KnownDraft(lines)

    def has_room(self, lines: Sequence[str]) -> bool:
        """See `Provider`."""
        return True

    def chance(
        self, answers: Sequence[AnswerFinished], kind: EditKind = EditKind.PLAIN
    ) -> float | None:
        """See `Provider`: it is what was asked for."""
        return 1.0

    def _speak(self, request: QuotedRequest, number: int) -> Speech:
        said = "\n".join(["", *self._become(request.lines), ""])
        yield TokenGenerated(number, -1, said.encode("utf-8", "surrogateescape"))
        return True


def one_side(lines: Sequence[str], side: str) -> list[str]:
    """Lines without the markers of conflicts, and with one side of each, or both."""
    gone = {at for each in torn(lines) for stretch in each.dropped(side) for at in stretch}
    return [line for at, line in enumerate(lines) if at not in gone]
