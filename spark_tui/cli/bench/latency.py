"""`spark bench latency`: how long people wait, measured with the real engine on the real screen."""

import random
import tempfile
import threading
import time
from collections.abc import Callable, Generator, Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from spark_tui.cli.bench.command import Bench
from spark_tui.cli.bench.rows import Row, percentile, row
from spark_tui.cli.demo import INSTRUCTION, make_copy
from spark_tui.cli.start import settings_of
from spark_tui.engine.library import find_model, load
from spark_tui.engine.runner import Runner
from spark_tui.session.events import Event, Token, TurnEnded, TurnStarted
from spark_tui.session.session import Session
from spark_tui.session.turn import Request, Turn
from spark_tui.vcs.repository import Repository

if TYPE_CHECKING:
    from textual.message import Message

_REGIONS = (Request(INSTRUCTION, "storage.py", symbol="load"), Request(INSTRUCTION, "expenses.py", lines=(1, 36)))
_OTHER_WORDS = "add a docstring"
_STOPS = 100
_REDIRECTS = 20
_KEYS = 200
_KEY_EVERY_S = 0.02


class _EndlessTurn(Turn):
    """A turn that begins again when it ends, so that there is a stream for as long as it takes."""

    def events(self) -> Generator[Event, None, None]:
        """See `Turn.events`; every token is decoded anew each time."""
        yield TurnStarted(self.id, self.request.instruction, self.region)
        while True:
            again = Turn(self.id, self.request, self.region, self.base, self._loaded, self._cache)
            self.review, again.lock = again.review, self.lock
            for event in again.events():
                if not isinstance(event, TurnStarted | TurnEnded):
                    yield event


class _EndlessSession(Session):
    turn_type = _EndlessTurn


def measure(bench: Bench) -> Iterable[Row]:
    """First tokens, pauses, redirects and keys, on the demo project."""
    loaded = load(find_model(settings_of(bench.args).model))
    bench.say(f"{loaded.name}: each line takes some seconds")
    repo = Repository.discover(make_copy())
    with tempfile.TemporaryDirectory() as state:

        def session(kind: type[Session] = Session) -> Session:
            return kind(repo, loaded, Path(state))

        for request in _REGIONS:
            yield from _first_tokens(session, request, bench.args.runs)
        yield _stops(session(_EndlessSession), _REGIONS[0])
        yield _redirects(session(_EndlessSession), _REGIONS[0])
        yield _keys(session(_EndlessSession))


def _first_tokens(session: Callable[[], Session], request: Request, runs: int) -> Iterator[Row]:
    """With nothing cached, and with the region cached as it is while the user types."""
    cold, warm, tokens = [], [], 0
    for _ in range(runs):
        fresh = session()
        turn = fresh.begin(request)
        cold.append(_time_to_first_token(turn))
        warm.append(_time_to_first_token(fresh.redirect(turn, _OTHER_WORDS)))
        tokens = turn.timing.prompt_tokens
    yield row("ttft_cold_milliseconds", f"prompt of {tokens} tokens", "ms", cold)
    yield row("ttft_warm_milliseconds", f"prompt of {tokens} tokens", "ms", warm)


def _time_to_first_token(turn: Turn) -> float:
    list(turn.events())
    return turn.timing.ttft_ms


def _stops(session: Session, request: Request) -> Row:
    """Pauses at any moment of a stream."""
    runner, rng, stops = session.runner, random.Random(0), []
    number = runner.start(session.begin(request).events(), lambda _: None, lambda _: None)
    for _ in range(_STOPS):
        time.sleep(rng.uniform(0.005, 0.03))
        runner.pause(number)
        runner.wait_stopped(5)
        stops.append(runner.last_stop_ms or 0.0)
        runner.resume(number)
    _end(runner, number)
    return row("esc_to_stop_p99_milliseconds", "while streaming", "ms", stops, ours=percentile(stops, 0.99))


def _redirects(session: Session, request: Request) -> Row:
    """From the new words to their first token, in the middle of a stream."""
    runner, waits = session.runner, []
    turn = session.begin(request)
    number = runner.start(turn.events(), lambda _: None, lambda _: None)
    for k in range(_REDIRECTS):
        time.sleep(0.05)
        runner.pause(number)
        first = _First()
        began = time.perf_counter()
        turn = session.redirect(turn, _OTHER_WORDS if k % 2 else INSTRUCTION)
        number = runner.start(turn.events(), first, lambda _: None)
        first.came.wait(10)
        waits.append((time.perf_counter() - began) * 1000)
    _end(runner, number)
    return row("redirect_p95_milliseconds", "while streaming", "ms", waits, ours=percentile(waits, 0.95))


class _First:
    """Waits for the first token."""

    def __init__(self) -> None:
        self.came = threading.Event()

    def __call__(self, event: Event) -> None:
        if isinstance(event, Token):
            self.came.set()


def _end(runner: Runner, number: int) -> None:
    runner.cancel(number)
    runner.wait(10)


def _keys(session: Session) -> Row:
    """From a key press on the real screen, without a terminal, to its being carried out, while tokens stream."""
    import asyncio

    waits = asyncio.run(_pressed(session))
    return row("key_latency_p99_milliseconds", "while streaming", "ms", waits, ours=percentile(waits, 0.99))


async def _pressed(session: Session) -> list[float]:
    import asyncio

    from textual import events

    from spark_tui.tui.app import SparkApp
    from spark_tui.tui.widgets.diff import DiffView

    probe = _Probe(DiffView.Moved)
    app = SparkApp(lambda: session, prompt=f"{INSTRUCTION} in load")
    async with app.run_test(size=(100, 30), message_hook=probe):
        app.post_message(events.Key("enter", "\r"))
        diff = app.screen.query_one(DiffView)
        while not diff.rows:
            await asyncio.sleep(0.01)
        diff.focus()
        while not diff.has_focus:
            await asyncio.sleep(0.01)
        await asyncio.to_thread(probe.press, app.post_message)
        _end(session.runner, session.runner.turn_id)
    return probe.waits


class _Probe:
    """Presses keys from a thread of its own, as a terminal does, and sees when they were carried out."""

    def __init__(self, sign: type["Message"]) -> None:
        self.waits: list[float] = []
        self._sign = sign
        self._seen = threading.Event()
        self._seen_at = 0.0

    def __call__(self, message: "Message") -> None:
        """Hear of every message that is being handled."""
        if isinstance(message, self._sign):
            self._seen_at = time.perf_counter()
            self._seen.set()

    def press(self, send: Callable[["Message"], object]) -> None:
        """Press j and k in turn."""
        from textual import events

        for number in range(_KEYS):
            time.sleep(_KEY_EVERY_S)
            self._seen.clear()
            began = time.perf_counter()
            send(events.Key("jk"[number % 2], "jk"[number % 2]))
            if self._seen.wait(5):
                self.waits.append((self._seen_at - began) * 1000)
