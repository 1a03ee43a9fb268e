"""Runs tasks whose model writes one step without end, so that a bench can measure beside them.

The engine computes every token of such a step, on a model that only edits, too: the words are its
answer to an instruction, over and over.
"""

import random
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from spark_tui.cli.bench.remote import far_server
from spark_tui.cli.bench.suite import Figure, tail_row
from spark_tui.config import Endpoint, Settings
from spark_tui.errors import SparkError
from spark_tui.providers.base import (
    GenerationRequest,
    Message,
    PromptProgress,
    Provider,
    Speech,
    Talker,
    TokenGenerated,
)
from spark_tui.providers.registry import Models, ProviderHost
from spark_tui.session.request import Request, ask_of
from spark_tui.session.session import Session
from spark_tui.session.succession import Succession
from spark_tui.tasks.background import BackgroundTasks
from spark_tui.tasks.background_task import BackgroundTask
from spark_tui.tasks.request import TaskRequest

TASKS = 2
STOPS = 100
"""Pauses that are measured; the tasks take turns."""
_LEAST_S = 0.005
_MOST_S = 0.03
_PATIENCE_S = 60.0
_LOOK_S = 0.01
_TOKEN_S = 0.005
"""Seconds between two tokens of the endpoint."""


class EndlessTalker:
    """Begins an edit of a file and never ends it.

    Args:
        answerer: Computes the tokens.
        ask: The request that is answered again and again.
    """

    def __init__(self, answerer: Provider, ask: GenerationRequest) -> None:
        self._answerer = answerer
        self._ask = ask

    def talk(self, messages: Sequence[Message], *, most: int) -> Speech:
        """See `Talker`."""
        opening = f"{self._ask.request.path}\n<<<<<<< SEARCH\n=======\n"
        yield TokenGenerated(0, -1, opening.encode())
        while True:
            for item in self._answerer.write(self._ask).write():
                # Progress, too: a task can stand still between two passes of a prompt.
                if isinstance(item, PromptProgress | TokenGenerated):
                    yield item


class _EndlessHost(ProviderHost):
    """A host whose model writes steps without end."""

    ask: GenerationRequest

    def talker_for(self, purpose: str) -> Talker:
        """See `ProviderHost`."""
        return EndlessTalker(self.answerer, self.ask)


class _EndlessSuccession(Succession):
    """Has the first model of a session work on tasks, whether it speaks or not."""

    def __init__(self, session: Session, ask: GenerationRequest) -> None:
        super().__init__(session.maker, session.repo, session.models, "")
        self._session = session
        self._ask = ask

    def host_beside(self, name: str) -> ProviderHost:
        """See `Succession`."""
        host = _EndlessHost(lambda: self._session.loaded)
        host.ask = self._ask
        return host

    host = host_beside


def write_without_end(session: Session, request: Request) -> None:
    """Have every task of a session write the answer to a request without end."""
    region = session.mentions.find_ranked(request)[0].region
    ask = ask_of(request, region, session.maker.base(request, region))
    session.succession = _EndlessSuccession(session, ask)


@contextmanager
def endless_tasks(session: Session) -> Iterator[Sequence[BackgroundTask]]:
    """Begin tasks, and wait until each has written something.

    Raises:
        SparkError: A task has written nothing in time.
    """
    tasks = BackgroundTasks(session, Settings())
    try:
        begun = [tasks.begin(TaskRequest(f"write {number}")) for number in range(TASKS)]
        deadline = time.perf_counter() + _PATIENCE_S
        while not all(task.pieces for task in begun):
            if time.perf_counter() > deadline:
                raise SparkError(f"a task wrote nothing: {begun[0].message}; try again")
            time.sleep(_LOOK_S)
        yield begun
    finally:
        tasks.close()


def stops_of_tasks(make_session: Callable[..., Session], request: Request) -> Iterator[Figure]:
    """Measure how long a task takes to stand still, in this process and at an endpoint.

    Args:
        make_session: Makes a session, given the models that it knows and the deep one.
    """
    metric = "esc_to_stopped_step_p99_milliseconds"
    session = make_session()
    write_without_end(session, request)
    with endless_tasks(session) as tasks:
        yield tail_row(metric, f"{TASKS} tasks of the model", _stops(tasks), 0.99)
    with far_server(0, _TOKEN_S) as (port, _):
        endpoint = Endpoint("far", f"http://127.0.0.1:{port}/v1", "m", probe=False)
        session = make_session(models=Models(endpoints={"far": endpoint}), deep="far")
        with endless_tasks(session) as tasks:
            yield tail_row(metric, f"{TASKS} tasks at an endpoint here", _stops(tasks), 0.99)


def _stops(tasks: Sequence[BackgroundTask]) -> list[float]:
    """Pause tasks at any moment of a step; returns the milliseconds until each stands still."""
    rng = random.Random(0)
    milliseconds = []
    for number in range(STOPS):
        task = tasks[number % len(tasks)]
        time.sleep(rng.uniform(_LEAST_S, _MOST_S))
        began = time.perf_counter()
        task.pause()
        if not task.wait_still(_PATIENCE_S):
            raise SparkError("a task did not stand still; try again")
        milliseconds.append((time.perf_counter() - began) * 1000)
        task.go_on()
    return milliseconds
