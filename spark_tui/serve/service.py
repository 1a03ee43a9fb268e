"""The parts of a server: a loaded model with its thread, its queue and its clients' caches."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from spark_tui.config import Settings
from spark_tui.engine.kv_cache import KVCache
from spark_tui.engine.loader import LoadedModel
from spark_tui.engine.machine import fitting_context
from spark_tui.providers.base import Provider
from spark_tui.providers.chat_model import Rewriter, template_of
from spark_tui.providers.chat_template import ChatTemplate
from spark_tui.providers.registry import recovering
from spark_tui.providers.served_model import ServedFacts
from spark_tui.providers.spark_model import SparkModel, calibration_of
from spark_tui.serve.client_engine import ClientEngines
from spark_tui.serve.edits import EditRunner
from spark_tui.serve.engine_thread import EngineThread
from spark_tui.serve.metrics import Metrics
from spark_tui.serve.turn_order import DEFAULT_LIMITS, Limits


@dataclass(frozen=True, slots=True)
class Service:
    """What the interface serves.

    Attributes:
        engines: The engines of the clients.
        thread: The thread that computes.
        metrics: Counts what happens.
        identity: Tells clients whether this engine gives the same answers as their own would.
        template: The chat template of the model; None for a model without one.
        edits: Runs whole turns; None if the model is not one that quotes.
        stop: Ends the server after the answers in flight.
    """

    engines: ClientEngines
    thread: EngineThread
    metrics: Metrics
    identity: str
    template: ChatTemplate | None
    edits: EditRunner | None
    stop: Callable[[], None]

    @property
    def model(self) -> str:
        """The name of the model."""
        return self.engines.loaded.name


def make_service(
    loaded: LoadedModel,
    settings: Settings,
    state: Path,
    *,
    identity: str,
    stop: Callable[[], None],
    blocks: bool = False,
    limits: Limits = DEFAULT_LIMITS,
) -> Service:
    """Put together the parts that serve a model.

    Args:
        loaded: The model.
        settings: The settings of the server, for the turns that it runs.
        state: The folder of journals.
        identity: See `Service`.
        stop: See `Service`.
        blocks: Whether a chat model writes search-and-replace blocks.
        limits: The bounds of the queue.

    Raises:
        ModelError: The files of the model are damaged.
    """
    # Only a model that was taught to edit, such as spark-m, has a calibration.
    calibration = calibration_of(loaded)

    def provider(model: LoadedModel, cache: KVCache) -> Provider:
        if calibration is not None:
            return SparkModel(model, cache)
        return Rewriter(model, cache, blocks=blocks, thinking=settings.local_thinking)

    capacity = fitting_context(loaded.config)
    engines = ClientEngines(replace(loaded, model=recovering(loaded)), capacity, provider)
    metrics = Metrics()
    thread = EngineThread(engines, limits, metrics)
    template: ChatTemplate | None = None
    edits: EditRunner | None = None
    if calibration is None:
        template = template_of(loaded.path)
    else:
        facts = ServedFacts(loaded.name, capacity, calibration)
        edits = EditRunner(thread, facts, settings, state)
    return Service(engines, thread, metrics, identity, template, edits, stop)
