"""`spark bench latency`: how long people wait, with the real engine and on the real screen."""

import random
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Generator, Iterator
from contextlib import closing
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from spark_tui.cli.bench.endless_tasks import stops_of_tasks
from spark_tui.cli.bench.llama_cpp import load_editor
from spark_tui.cli.bench.stage import ASKED, STREAMED, EndlessMaker
from spark_tui.cli.bench.staged import demo_project, environment, staged
from spark_tui.cli.bench.suite import Bench, Figure, row, tail_row
from spark_tui.cli.bench.terminal import FRAME_END, Terminal
from spark_tui.engine.loader import LoadedModel
from spark_tui.session.events import Event, Token
from spark_tui.session.session import Session
from spark_tui.session.turn import Request, Turn
from spark_tui.session.turn_factory import TurnFactory
from spark_tui.vcs.repository import Repository

OTHER_WORDS = "add a docstring"
STOPS = PAUSES = 100  # of which the 99th percentile is the slowest
REDIRECTS = 20
_TOGETHER = 8
"""Variations that are written in the same passes."""
_LONG = "long.py"
_LONG_TOKENS = 2048


def measure(bench: Bench) -> Generator[Figure, None, None]:
    """First tokens, pauses, redirects, variations, tasks; then starting, and Esc on a terminal."""
    loaded = load_editor(bench)
    with demo_project() as root, tempfile.TemporaryDirectory(prefix="spark-bench-") as folder:
        repo = Repository.discover(root)

        def session(kind: type[TurnFactory] = TurnFactory, **given: Any) -> Session:
            made = Session(repo, loaded, Path(folder), **given)
            made.maker = kind(repo, made.host)
            made.prepare()
            return made

        # First in this process, with turns that never end where a stream is needed; then on a
        # terminal.
        for request in (_long(loaded, repo.root), ASKED):
            yield from _first_tokens(session, request, bench.args.runs)
        yield _stops(session(EndlessMaker))
        yield _redirects(session(EndlessMaker))
        yield _variations(session(), bench.args.runs)
        yield from stops_of_tasks(session, ASKED)
        yield from _starts(loaded.path, repo.root, Path(folder), bench.args.runs)
        with staged(loaded.path, repo.root, Path(folder)) as stage:
            stage.stream()
            yield tail_row(
                "esc_to_frame_p99_milliseconds", "while streaming", stage.pauses(PAUSES), 0.99
            )


def _long(loaded: LoadedModel, root: Path) -> Request:
    """Write 2,048 tokens of spark's own code into a file, and ask about all of it."""
    files = sorted(Path(__file__).parent.glob("*.py"))
    code = "".join(path.read_text("utf-8") for path in files)
    text = b""
    for token in loaded.tokenizer.encode(code)[:_LONG_TOKENS]:
        piece = loaded.tokenizer.piece(token)
        if isinstance(piece, bytes):
            text += piece
    whole_lines = text.rpartition(b"\n")[0] + b"\n"
    (root / _LONG).write_bytes(whole_lines)
    return Request(OTHER_WORDS, _LONG, lines=(1, whole_lines.count(b"\n")))


def _first_tokens(session: Callable[[], Session], request: Request, runs: int) -> Iterator[Figure]:
    """Measure from Enter, with nothing cached, and with the region cached as while a user types."""
    cold = []
    warm = []
    tokens = 0
    for _ in range(runs):
        fresh = session()
        tokens, milliseconds = _first_token(fresh, request)
        cold.append(milliseconds)
        warm.append(_first_token(fresh, replace(request, instruction="say what it does"))[1])
    yield row("ttft_cold_milliseconds", f"prompt of {tokens} tokens", "ms", cold)
    yield row("ttft_warm_milliseconds", f"prompt of {tokens} tokens", "ms", warm)


def _first_token(session: Session, request: Request) -> tuple[int, float]:
    """Return the tokens of the prompt, and the milliseconds from the request to the first token."""
    began = time.perf_counter()
    turn = session.begin(request)
    with closing(turn.events()) as events:
        next(event for event in events if isinstance(event, Token))
        return turn.timing.prompt_tokens, (time.perf_counter() - began) * 1000


def _stops(session: Session) -> Figure:
    """Measure pauses at any moment of a stream."""
    runner = session.runner
    rng = random.Random(0)
    stops = []
    number = runner.start(session.begin(ASKED).events(), lambda _: None, lambda _: None)
    for _ in range(STOPS):
        time.sleep(rng.uniform(0.005, 0.03))
        runner.pause(number)
        runner.wait_stopped(5)
        stops.append(runner.last_stop_ms or 0.0)
        runner.resume(number)
    runner.cancel(number)
    runner.wait(10)
    return tail_row("esc_to_stop_p99_milliseconds", "while streaming", stops, 0.99)


def _redirects(session: Session) -> Figure:
    """Measure from new words to their first token, in the middle of a stream."""
    runner = session.runner
    milliseconds = []
    turn = session.begin(ASKED)
    number = runner.start(turn.events(), lambda _: None, lambda _: None)
    for k in range(REDIRECTS):
        time.sleep(0.05)
        runner.pause(number)
        came = threading.Event()
        began = time.perf_counter()
        words = OTHER_WORDS if k % 2 else STREAMED
        turn = session.redirect(turn, words)
        number = runner.start(turn.events(), partial(_tell_token, came), lambda _: None)
        came.wait(10)
        milliseconds.append((time.perf_counter() - began) * 1000)
    runner.cancel(number)
    runner.wait(10)
    return tail_row("redirect_p95_milliseconds", "while streaming", milliseconds, 0.95)


def _tell_token(came: threading.Event, event: Event) -> None:
    if isinstance(event, Token):
        came.set()


def _variations(session: Session, runs: int) -> Figure:
    """Measure the time of eight variations over the average time of one of them.

    Each is drawn and checked; their prompt was read before.
    """
    drawn = replace(ASKED, temperature=1.0)
    ratios = []
    _done(session, drawn)
    for first in range(0, runs * _TOGETHER, _TOGETHER):
        began = time.perf_counter()
        turn = _done(session, replace(drawn, seed=first))
        for _ in turn.vary(_TOGETHER):
            pass
        together = time.perf_counter() - began
        began = time.perf_counter()
        for seed in range(first, first + _TOGETHER):
            _done(session, replace(drawn, seed=seed))
        ratios.append(together / (time.perf_counter() - began) * _TOGETHER)
    return row("variations_8_over_1", "prompt read before", "x", ratios)


def _done(session: Session, request: Request) -> Turn:
    turn = session.begin(request)
    for _ in turn.events():
        pass
    return turn


def _starts(model: Path, repo: Path, folder: Path, runs: int) -> Iterator[Figure]:
    """Measure starts of `spark` on a terminal.

    The first is not counted: it warms the caches of the system.
    """
    painted = []
    ready = []
    for number in range(runs + 1):
        command = [sys.executable, "-m", "spark_tui", "-m", str(model.resolve())]
        with Terminal(command, repo, environment(folder)) as terminal:
            first = terminal.wait_for(FRAME_END)
            then = terminal.wait_for(b"ready")
            if number:
                painted.append((first - terminal.started) * 1000)
                ready.append((then - terminal.started) * 1000)
    yield row("first_paint_milliseconds", "spark, warm caches", "ms", painted)
    yield row("ready_milliseconds", "spark, warm caches", "ms", ready)
