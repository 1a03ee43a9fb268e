"""The model that turns run on, or the endpoint: read again when it fails, and changed between two turns."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import replace
from threading import Lock

from spark_tui.answering.embedded import Embedded, calibration_of
from spark_tui.answering.models import Models
from spark_tui.answering.remote_answers import Remote
from spark_tui.answering.remote_faults import is_never_final
from spark_tui.answering.remote_quoting import RemoteQuoting, remote_of
from spark_tui.answering.rewrite import Rewriter
from spark_tui.answering.seam import Answerer, Talker
from spark_tui.engine.cache import KVCache
from spark_tui.engine.library import LoadedModel, load
from spark_tui.engine.memory import fitting_context
from spark_tui.engine.model import Model
from spark_tui.engine.recovering import OnFailure, RecoveringModel, from_disk
from spark_tui.errors import SparkError, UsageError

__all__ = ["Far", "Host", "KVCache", "LoadedModel", "Model", "RecoveringModel"]

Far = Remote | RemoteQuoting
"""What answers with an endpoint."""
MOST_KEPT_BYTES = 64 << 20
"""Memory for the keys and values of regions that may be come back to."""


class Host:
    """Mutable. Where an endpoint answers, the model of this process stands by: pace and wafer are told of it.

    `standing`: what the user wants of every answer; models that take it are told.

    Args: loaded: the model, or what loads it once it is asked for. remote: answers instead of the model. speculate:
        whether tokens are drafted, which changes none. writes_blocks: whether a chat model is
        asked for blocks about several files, and not for the region once more. thinking: how
        long it thinks before an answer, as of `Rewriter`.
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
        self.remote, self._speculate = remote, speculate
        self.standing = ""
        self._used = None if callable(loaded) else _in_use(loaded)
        self._load, self._loading = loaded, Lock()
        self._next: LoadedModel | Far | None = None
        self._taking = Lock()
        self._embedded: Embedded | Rewriter | None = None

    @property
    def _own(self) -> tuple[LoadedModel, RecoveringModel, KVCache]:
        with self._loading:
            self._used = self._used or _in_use(self._load() if callable(self._load) else self._load)
            return self._used

    @property
    def loaded(self) -> LoadedModel:
        """The model of this process, which may take seconds the first time. Raises: ModelError: it cannot be used."""
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
    def answerer(self) -> Answerer:
        """What answers now, whatever is to take its place."""
        if self.remote:
            self.remote.standing = self.standing
            return self.remote
        if self._embedded is None or self._embedded.cache is not self.cache:
            self._embedded = self._answerer_of(self.loaded)
        if isinstance(self._embedded, Rewriter):
            self._embedded.standing = self.standing
        return self._embedded

    def _answerer_of(self, loaded: LoadedModel) -> Embedded | Rewriter:
        if calibration_of(loaded):
            return Embedded(loaded, self.cache, speculate=self._speculate)
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
        """What answers questions. Raises: UsageError: the model only edits."""
        answerer = self.ready()
        if not isinstance(answerer, Talker):
            raise UsageError(
                f"{self.in_use} only edits; to ask, name a chat model (-m NAME, /model NAME): a GGUF file "
                "of one, or an endpoint in config.toml"
            )
        return answerer

    def change(self, name: str, models: Models) -> None:
        """Load a model, and take it from the next turn on; until it is loaded, nothing changes.

        Raises: UsageError: there is none. ModelError: it cannot be used.
        """
        endpoint = models.endpoints.get(name)
        if endpoint:
            self._next = remote_of(endpoint, models.added, models.abilities)
        else:
            self._next = models.load(name)

    def ready(self) -> Answerer:
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
