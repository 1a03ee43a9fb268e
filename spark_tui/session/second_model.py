"""The second model, which judges the answers of the first one.

It reads the region and the words once, and finds out how likely it would have written each answer.
It is loaded in a thread of its own, beside the work of the first model, at the latest when it is
first asked: whoever is always sure never waits for it.
"""

from collections.abc import Callable, Generator, Sequence
from concurrent.futures import Future, wait
from functools import partial
from threading import Lock, Thread

from spark_tui.editing.formats.quoted import QuotedRequest
from spark_tui.errors import SparkError, UsageError
from spark_tui.providers.base import Judge, Provider
from spark_tui.providers.registry import ProviderHost

_LOOK_EVERY_S = 0.05
"""Seconds between two looks whether it is loaded; the work may be abandoned at each."""


class SecondModel:
    """A model of this process that judges answers. Mutable; thread-safe.

    Args:
        name: What to call the model.
        host: Gives the host of the model.
    """

    def __init__(self, name: str, host: Callable[[], ProviderHost]) -> None:
        self.name = name
        self._host = host
        self._lock = Lock()
        self._loading: Future[Provider] | None = None

    def load_ahead(self) -> None:
        """Begin to load it, unless that was begun before; the call does not wait."""
        self._begun()

    def weigh(
        self, request: QuotedRequest, results: Sequence[Sequence[str]]
    ) -> Generator[None, None, Sequence[float]]:
        """See `Judge.weigh`.

        Raises:
            ModelError: The model cannot be used.
            UsageError: It is no chat model, or the region is too long for it.
        """
        loading = self._begun()
        while not loading.done():
            wait([loading], _LOOK_EVERY_S)
            yield None
        try:
            judge: object = loading.result()
        except SparkError:
            self._loading = None  # the next answers try once more
            raise
        if not isinstance(judge, Judge):
            raise UsageError(
                f"{self.name} only edits; name a chat model of this process with judge"
            )
        return (yield from judge.weigh(request, results))

    def _begun(self) -> "Future[Provider]":
        """The model to come; its loading begins now, if it has not yet."""
        with self._lock:
            if self._loading is None:
                self._loading = Future()
                work = partial(self._load, self._loading)
                Thread(target=work, name="spark-judge", daemon=True).start()
            return self._loading

    def _load(self, loading: "Future[Provider]") -> None:
        try:
            loading.set_result(self._host().answerer)
        except Exception as error:  # noqa: BLE001 - raised again where the model is asked
            loading.set_exception(error)
