"""Chooses which model answers: the known models, and the provider of the next turn.

`Models` lists and loads the models that a session can change to. `ProviderHost` holds the model or
the endpoint that turns run on: it reads a model anew after a failure, and puts another model in its
place between two turns. `Known` is the provider of answers that need no model, such as one side of
conflicts.
"""

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext, suppress
from dataclasses import dataclass, field, replace
from math import prod
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, TypeAlias

from spark_tui.config import Endpoint
from spark_tui.editing.conflicts import torn
from spark_tui.editing.formats.quoted import QuotedRequest
from spark_tui.editing.formats.surroundings import NOWHERE, Surroundings
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
from spark_tui.providers.served_model import (
    ServedFacts,
    ServedModel,
    ServedTalker,
    Transport,
)

if TYPE_CHECKING:
    # What answers takes a while to import: an engine, a grammar, a network. Each is imported where
    # it is first used, so that whoever has a server waits for none.
    from spark_tui.engine.backend import Backend, OnFailure, RecoveringModel
    from spark_tui.engine.config import ModelConfig
    from spark_tui.engine.kv_cache import KVCache
    from spark_tui.engine.loader import LoadedModel  # noqa: TC004 - in __all__ as a type
    from spark_tui.providers.chat_model import Rewriter
    from spark_tui.providers.chat_writer import ChatWriter
    from spark_tui.providers.openai_provider import Remote
    from spark_tui.providers.quoting_provider import QuotingProvider
    from spark_tui.providers.spark_model import SparkModel

# With the type that `ProviderHost` hands out: rooms above need no other import of the engine.
__all__ = ["Far", "LoadedModel", "Models", "ProviderHost"]

SECOND_MODEL = "spark-l"
"""The added model that is there for other models, such as to judge their answers."""
_LARGE = 14e9
"""The fewest parameters of a model that quotes well enough to search and replace."""


LoadFrom: TypeAlias = "Callable[[Path], LoadedModel]"
"""Loads a model from its files."""


def _load_anew(path: Path, load: LoadFrom) -> "LoadedModel":
    return load(path)


def _plain_backend() -> "Backend":
    from spark_tui.engine.backend import Backend

    return Backend("numpy")


@dataclass(frozen=True, slots=True)
class Models:
    """The models that a session can change to.

    Args:
        backend: The backend that models compute with, or a function that makes one.
        added: The user's own models, by name.
        endpoints: The endpoints of the user's configuration, by name.
        check: Raises ModelError for the files of a model that cannot edit.
        format: How chat models in this process answer: "rewrite", "search_replace", or "auto".
        formats: The meaning of "auto", by the name of a model; for other models their size decides.
        abilities: The folder that keeps the abilities of endpoints.
        thinking: How long chat models in this process think before an answer: "off", "low", "on".
        share: Loads a model, or returns the one that another session of this process has loaded.
    """

    backend: "Backend | Callable[[], Backend]" = field(default=_plain_backend)
    added: Mapping[str, Path] = field(default_factory=dict)
    endpoints: Mapping[str, Endpoint] = field(default_factory=dict)
    check: Callable[[Path], None] = field(default=lambda _: None)
    format: str = "auto"
    formats: Mapping[str, str] = field(default_factory=dict)
    abilities: Path | None = None
    thinking: str = "off"
    share: Callable[[Path, LoadFrom], "LoadedModel"] = field(default=_load_anew)

    def names(self) -> tuple[str, ...]:
        """List the models known by name: the shipped ones, then the user's own and endpoints."""
        from spark_tui.engine.loader import list_models

        shipped = list_models()
        return (*shipped, *sorted({*self.added, *self.endpoints} - set(shipped)))

    @property
    def second_model(self) -> str:
        """The name of the model that judges where no other is named: spark-l, where it was added.

        It is "" where there is no such model, or no memory for it.
        """
        path = self.added.get(SECOND_MODEL)
        if path is None or not path.is_file():
            return ""
        from spark_tui.engine.machine import available_bytes

        available = available_bytes()
        # packed weights and a context take about as much as the file
        fits = available is None or path.stat().st_size < available
        return SECOND_MODEL if fits else ""

    def short_name(self, name: str) -> str:
        """Return what to call a model that is named by its path; it may not exist."""
        from spark_tui.engine.loader import model_name

        return model_name(Path(name))

    def load(self, name: str) -> "LoadedModel":
        """Load a model by its name, or by the path of a folder or GGUF file; takes a while.

        Raises:
            UsageError: There is no such model.
            ModelError: The model cannot be used.
        """
        from spark_tui.engine.loader import find_model

        path = find_model(str(self.added.get(name, name)))
        self.check(path)
        return self.share(path, self.load_from)

    def load_from(self, path: Path) -> "LoadedModel":
        """Load a model from its files; code is compiled first if need be.

        Raises:
            ModelError: The model cannot be used.
        """
        from spark_tui.engine import loader

        backend = self._backend
        if backend.may_be_built:
            backend.build()
        return loader.load(path, backend)

    def writes_blocks(self, loaded: "LoadedModel") -> bool:
        """Whether a chat model is asked for blocks that search and replace.

        Smaller models quote inexactly; source: aider's leaderboards, by size and edit format.
        """
        chosen = self.format
        if chosen == "auto":
            chosen = self.formats.get(loaded.name, "auto")
        if chosen == "auto":
            return _parameters(loaded.config) >= _LARGE
        return chosen == "search_replace"

    def load_passes(self) -> None:
        """Load the compiled passes before the first one waits for them, where there is room."""
        with suppress(ImportError, OSError):
            self._backend.load_passes()

    @property
    def _backend(self) -> "Backend":
        if callable(self.backend):
            return self.backend()
        return self.backend


def _parameters(config: "ModelConfig") -> int:
    """Count the parameters of a model."""
    from spark_tui.engine.weights import expected_shapes

    return sum(map(prod, expected_shapes(config).values()))


Far: TypeAlias = "Remote | QuotingProvider"
"""The provider of an endpoint."""
MOST_KEPT_BYTES = 64 << 20
"""Memory for the keys and values of regions that the user may come back to."""


def _is_never_final(_: SparkError) -> bool:
    """Return False, as `openai_errors.is_never_final`, which comes with the network."""
    return False


class ProviderHost:
    """Holds the model or the endpoint that turns run on.

    Mutable. Where an endpoint answers, the model of this process stands by: the pace and the wafer
    go by that model.

    Attributes:
        remote: The provider of the endpoint that answers; None where the model answers.
        standing: What the user wants of every answer, for models that accept such rules.

    Args:
        loaded: The model, or a function that loads the model on first use.
        remote: Answers instead of the model.
        speculate: Whether tokens are drafted; the answers are the same.
        writes_blocks: Whether a chat model is asked for blocks about several files, instead of the
            region once more.
        thinking: How long a chat model thinks before an answer, as of `Rewriter`.
        name: What to call the model until it is loaded; "": its name is asked of the model itself.
    """

    def __init__(
        self,
        loaded: "LoadedModel | Callable[[], LoadedModel]",
        remote: "Far | None" = None,
        *,
        speculate: bool = True,
        writes_blocks: "Callable[[LoadedModel], bool]" = lambda _: False,
        thinking: str = "off",
        name: str = "",
    ) -> None:
        self._name = name
        self._writes_blocks = writes_blocks
        self._thinking = thinking
        self.remote = remote
        self.served: ServedModel | None = None
        """The model of this process, as a server of this machine runs it; None: it runs here."""
        self._speculate = speculate
        self.standing = ""
        self._used = None if callable(loaded) else _in_use(loaded)
        self._load = loaded
        self._loading = Lock()
        """Held while the model loads, so that two threads do not load it twice."""
        self._next: LoadedModel | Far | None = None
        """Takes the place of the model, or of the endpoint, with the next turn."""
        self._taking = Lock()
        self._embedded: SparkModel | Rewriter | None = None

    @property
    def _own(self) -> "tuple[LoadedModel, RecoveringModel, KVCache]":
        """The model of this process, loaded on first use, with its engine and its cache."""
        with self._loading:
            if not self._used:
                loaded = self._load() if callable(self._load) else self._load
                self._used = _in_use(loaded)
            return self._used

    @property
    def loaded(self) -> "LoadedModel":
        """The model of this process, which may take seconds to load the first time.

        Raises:
            ModelError: The model cannot be used.
        """
        return self._own[0]

    @property
    def cache(self) -> "KVCache":
        """The cache of the model of this process."""
        return self._own[2]

    @property
    def engine(self) -> "RecoveringModel":
        """The model of this process, as it computes."""
        return self._own[1]

    def serve_from(
        self,
        transport: Transport,
        facts: ServedFacts,
        tell: Callable[[str], object],
        *,
        talks: bool = False,
    ) -> None:
        """Answer with the engine of a server; the model of this process goes on without it.

        Args:
            transport: Reaches the server.
            facts: The model of the server, which is the model of this process, too.
            tell: Hears that the server went away.
            talks: Whether the model is a chat model, which answers questions alone from there.
        """
        kind = ServedTalker if talks else ServedModel
        self.served = kind(transport, facts, lambda: self.local, tell)

    def serve_beside(self, host: "ProviderHost") -> None:
        """Answer with the server of another host, if it has one, behind the turns of that host."""
        if host.served is not None:
            self.served = host.served.beside(lambda: self.local)

    def on_failure(
        self, handler: "OnFailure", is_final: Callable[[SparkError], bool] = _is_never_final
    ) -> AbstractContextManager[None]:
        """Let a caller decide about failures of the model or the endpoint, within a context.

        A model that is still to be loaded is not loaded for this.

        Args:
            handler: Called with the reason; returns where the answer is to go on.
            is_final: Whether an error ends an endpoint's answer without a call of `handler`.
        """
        # Who answers decides what may fail: an endpoint, a server of this machine, the engine here.
        if self.remote:
            return self.remote.on_failure(handler, is_final)
        if self.served:
            return self.served.on_failure(handler)
        if self._used is None:
            # A turn that a model writes has loaded the model already; any other turn needs none.
            return nullcontext()
        return self._used[1].on_failure(handler)

    @property
    def context(self) -> int:
        """Tokens that the prompt and the answer of a turn may take together."""
        answers = self.remote or self.served
        return answers.context if answers else self.cache.capacity

    @property
    def known_context(self) -> int | None:
        """As `context`; None where the model is still to be loaded."""
        return None if self._is_awaited else self.context

    @property
    def _is_awaited(self) -> bool:
        """Whether a model that has a name is still to be loaded."""
        answers = self.remote or self.served
        return bool(self._name) and answers is None and self._used is None

    @property
    def name(self) -> str:
        """The name of the model that the next turn runs on."""
        coming = self._next  # read once: another thread may take it
        return coming.name if coming else self.in_use

    @property
    def in_use(self) -> str:
        """The name of the model that answers now."""
        if self._is_awaited:
            return self._name
        answers = self.remote or self.served
        return answers.name if answers else self.loaded.name

    @property
    def answerer(self) -> Provider:
        """The provider that answers now, whatever takes its place with the next turn."""
        if self.remote:
            self.remote.standing = self.standing
            return self.remote
        return self.served or self.local

    @property
    def local(self) -> Provider:
        """The provider of the model of this process."""
        from spark_tui.providers.chat_model import Rewriter

        # Another model comes with another cache: its provider is made anew.
        if self._embedded is None or self._embedded.cache is not self.cache:
            self._embedded = self._answerer_of(self.loaded)
        if isinstance(self._embedded, Rewriter):
            self._embedded.standing = self.standing
        return self._embedded

    def _answerer_of(self, loaded: "LoadedModel") -> "SparkModel | Rewriter":
        """Make the provider of a model: one that quotes, or a chat model."""
        from spark_tui.providers.chat_model import Rewriter
        from spark_tui.providers.spark_model import SparkModel, calibration_of

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
        """The provider that answers questions with the next turn.

        Raises:
            UsageError: The model only edits.
        """
        return self.talker_for("to ask")

    def talker_for(self, purpose: str) -> Talker:
        """Return the provider that answers in words with the next turn.

        Args:
            purpose: The purpose for the message, as in "to ask" or "for a task".

        Raises:
            UsageError: The model only edits.
        """
        answerer = self.ready()
        if not isinstance(answerer, Talker):
            raise UsageError(
                f"{self.in_use} only edits; {purpose}, name a chat model (-m NAME, /model NAME): "
                "a GGUF file of one, or an endpoint in config.toml"
            )
        return answerer

    def change(self, name: str, models: Models) -> None:
        """Load a model for the turns to come; until it is loaded, nothing changes.

        Args:
            name: The name of a model or an endpoint, or the path of a model.
            models: The known models.

        Raises:
            UsageError: There is no such model.
            ModelError: The model cannot be used.
        """
        from spark_tui.providers.quoting_provider import remote_of

        endpoint = models.endpoints.get(name)
        if endpoint:
            self._next = remote_of(endpoint, models.added, models.abilities)
        else:
            self._next = models.load(name)

    def ready(self) -> Provider:
        """Return the provider of the next turn; a model that `change` loaded takes its place."""
        # Only here does the provider change, so that a turn ends with the model it began with.
        with self._taking:
            if (coming := self._next) is not None:
                self.close()
                from spark_tui.engine.loader import LoadedModel

                self.remote = None if isinstance(coming, LoadedModel) else coming
                self.served = None
                if isinstance(coming, LoadedModel):
                    self._used = _in_use(coming)
                self._next = None
            # A server that went away is not asked again; the model of this process goes on.
            elif self.served is not None and self.served.is_gone:
                self.served = None
            return self.answerer

    def close(self) -> None:
        """Close the connections to the endpoint, or to the server of this machine."""
        answers = self.remote or self.served
        if answers:
            answers.close()


def _in_use(loaded: "LoadedModel") -> "tuple[LoadedModel, RecoveringModel, KVCache]":
    """Return a model that recovers from failures, with its engine and a cache."""
    from spark_tui.engine.machine import fitting_context

    engine = recovering(loaded)
    cache = loaded.model.new_cache(fitting_context(loaded.config))
    cache.kept.most_bytes = MOST_KEPT_BYTES
    return replace(loaded, model=engine), engine, cache


def recovering(loaded: "LoadedModel") -> "RecoveringModel":
    """Return the engine of a model, which outlives its failures."""
    from spark_tui.engine.backend import RecoveringModel, from_disk
    from spark_tui.engine.loader import load

    return RecoveringModel(loaded.model, from_disk(loaded.path, lambda path: load(path).model))


class KnownDraft:
    """The draft of an answer that comes as a single piece: a line feed, then the lines.

    Mutable. Every line ends with a line feed. Due to the first line feed, the piece of an answer
    without lines is not empty.
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
    """Answers with lines that are known beforehand.

    Args:
        become: Returns the new lines of a region.
    """

    def __init__(self, become: Callable[[Sequence[str]], Sequence[str]]) -> None:
        self._become = become

    def write(self, ask: GenerationRequest) -> "ChatWriter":
        """See `Provider`."""
        from spark_tui.providers.chat_writer import ChatWriter

        return ChatWriter(
            ask,
            lambda number: self._speak(ask.request, number),
            lambda: self.draft(ask.request.lines),
        )

    def draft(self, lines: Sequence[str], around: Surroundings = NOWHERE) -> KnownDraft:
        """See `Provider`."""
        return KnownDraft(lines)

    def has_room(self, lines: Sequence[str]) -> bool:
        """See `Provider`."""
        return True

    def chance(
        self, answers: Sequence[AnswerFinished], kind: EditKind = EditKind.PLAIN
    ) -> float | None:
        """See `Provider`: the answer is what was asked for."""
        return 1.0

    def _speak(self, request: QuotedRequest, number: int) -> Speech:
        """Write the answer as the single piece that `KnownDraft` reads."""
        text = "\n".join(["", *self._become(request.lines), ""])
        yield TokenGenerated(number, -1, text.encode("utf-8", "surrogateescape"))
        return True


def one_side(lines: Sequence[str], side: str) -> list[str]:
    """Return lines without the markers of conflicts, and with one side of each, or both."""
    dropped: set[int] = set()
    for conflict in torn(lines):
        for stretch in conflict.dropped(side):
            dropped.update(stretch)
    return [line for number, line in enumerate(lines) if number not in dropped]
