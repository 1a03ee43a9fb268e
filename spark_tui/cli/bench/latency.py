"""`spark bench latency`: how long people wait, measured with the real engine and on the real screen."""

import random
import tempfile
import threading
import time
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path

from spark_tui.cli.bench.command import Bench
from spark_tui.cli.bench.edits import check_reads_edits, prompt_of
from spark_tui.cli.bench.models import load_for
from spark_tui.cli.bench.rows import Row, row, tail_row
from spark_tui.cli.bench.stage import EndlessSession
from spark_tui.cli.bench.staged import demo_project, environment, staged, waits
from spark_tui.cli.bench.terminal import FRAME_END, Terminal, python
from spark_tui.cli.demo import INSTRUCTION
from spark_tui.cli.start import settings_of
from spark_tui.editing.snippet import Snippet
from spark_tui.engine.library import LoadedModel, find_model
from spark_tui.engine.runner import Runner
from spark_tui.session.events import Event, Status, Token
from spark_tui.session.session import Session
from spark_tui.session.turn import Request, Turn
from spark_tui.session.variations import VariedTurn
from spark_tui.vcs.repository import Repository

DEMO = Request(INSTRUCTION, "storage.py", symbol="load")
OTHER_WORDS = "add a docstring"
STOPS = PAUSES = 100
REDIRECTS = ACCEPTS = 20
KEYS = 200
_LONG = "long.py"
_LONG_TOKENS = 2048
_ROOM = 32
"""Tokens left for an answer behind the long prompt."""


def measure(bench: Bench) -> Generator[Row, None, None]:
    """First tokens, pauses, redirects, accepting; then starting, keys and Esc on a terminal."""
    path = find_model(settings_of(bench.args).model)
    loaded = load_for(bench, path)
    check_reads_edits(loaded)
    with demo_project() as root, tempfile.TemporaryDirectory(prefix="spark-bench-") as folder:
        repo = Repository.discover(root)

        def session(kind: type[Session] = Session) -> Session:
            made = kind(repo, loaded, Path(folder))
            made.prepare()
            return made

        for request in (_long(loaded, repo.root), DEMO):
            yield from _first_tokens(session, request, bench.args.runs)
        yield _stops(session(EndlessSession))
        yield _redirects(session(EndlessSession))
        yield from _variations(session, bench.args.runs)
        yield from _accepts(session(), bench.say)
        yield from _starts(path, repo.root, Path(folder), bench.args.runs)
        yield from _on_stage(path, repo.root, Path(folder))


def _long(loaded: LoadedModel, root: Path) -> Request:
    """As much real code as fits a prompt of 2,048 tokens, or the model's context where that is less."""
    from spark_tui.training.evaluate import frozen_cases

    most = min(loaded.config.max_position_embeddings, _LONG_TOKENS) - _ROOM
    lines: list[str] = []
    for group in frozen_cases():
        more = [*lines, *group.before, ""]
        if _stands_alone(group.before) and len(prompt_of(loaded, more, INSTRUCTION)) <= most:
            lines = more
        if len(prompt_of(loaded, lines, INSTRUCTION)) > most - _ROOM:
            break
    (root / _LONG).write_text("\n".join(lines) + "\n", "utf-8")
    return Request(INSTRUCTION, _LONG, lines=(1, len(lines)))


def _stands_alone(lines: Sequence[str]) -> bool:
    """Whether these are statements of a module."""
    try:
        return bool(Snippet(tuple(lines)).tree.body) and not lines[0].startswith((" ", "\t"))
    except (SyntaxError, ValueError):
        return False


def _first_tokens(session: Callable[[], Session], request: Request, runs: int) -> Iterator[Row]:
    """From Enter, with nothing cached, and with the region cached as it is while the user types."""
    cold, warm, tokens = [], [], 0
    for _ in range(runs):
        fresh = session()
        tokens, milliseconds = _first_token(fresh, request)
        cold.append(milliseconds)
        warm.append(_first_token(fresh, replace(request, instruction=OTHER_WORDS))[1])
    yield row("ttft_cold_milliseconds", f"prompt of {tokens} tokens", "ms", cold)
    yield row("ttft_warm_milliseconds", f"prompt of {tokens} tokens", "ms", warm)


def _first_token(session: Session, request: Request) -> tuple[int, float]:
    """How long the prompt is, and the milliseconds from the request to the first token."""
    began = time.perf_counter()
    turn = session.begin(request)
    with closing(turn.events()) as events:
        next((event for event in events if isinstance(event, Token)), None)
        return turn.timing.prompt_tokens, (time.perf_counter() - began) * 1000


def _stops(session: Session) -> Row:
    """Pauses at any moment of a stream."""
    runner, rng, stops = session.runner, random.Random(0), []
    number = runner.start(session.begin(DEMO).events(), lambda _: None, lambda _: None)
    for _ in range(STOPS):
        time.sleep(rng.uniform(0.005, 0.03))
        runner.pause(number)
        runner.wait_stopped(5)
        stops.append(runner.last_stop_ms or 0.0)
        runner.resume(number)
    _end(runner, number)
    return tail_row("esc_to_stop_p99_milliseconds", "while streaming", stops, 0.99)


def _redirects(session: Session) -> Row:
    """From the new words to their first token, in the middle of a stream."""
    runner, found = session.runner, []
    turn = session.begin(DEMO)
    number = runner.start(turn.events(), lambda _: None, lambda _: None)
    for k in range(REDIRECTS):
        time.sleep(0.05)
        runner.pause(number)
        first = _First()
        began = time.perf_counter()
        turn = session.redirect(turn, OTHER_WORDS if k % 2 else INSTRUCTION)
        number = runner.start(turn.events(), first, lambda _: None)
        first.came.wait(10)
        found.append((time.perf_counter() - began) * 1000)
    _end(runner, number)
    return tail_row("redirect_p95_milliseconds", "while streaming", found, 0.95)


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


def _variations(session: Callable[[], Session], runs: int) -> Iterator[Row]:
    """The time of eight answers over that of one, drawn, checks included; the prompt read anew, and not."""
    cold, warm = [], []
    drawn = replace(DEMO, temperature=1.0)
    for _ in range(runs):
        fresh = session()
        cold.append(_eight_over_one(fresh, drawn))
        warm.append(_eight_over_one(fresh, drawn))
    yield row("variations_8_over_1", "with the prompt", "x", cold)
    yield row("variations_8_over_1", "prompt cached", "x", warm)


def _eight_over_one(session: Session, request: Request) -> float:
    began = time.perf_counter()
    turn = session.begin(request)
    assert isinstance(turn, VariedTurn)
    for _ in turn.events():
        pass
    one = time.perf_counter() - began
    for _ in turn.vary(8):
        pass
    return (time.perf_counter() - began) / one


def _accepts(session: Session, say: Callable[[str], None]) -> Iterator[Row]:
    """From the decision to bytes that are safe on the disk, the file quarantined meanwhile."""
    found = []
    for _ in range(ACCEPTS):
        turn = _done(session)
        if turn.status is not Status.OK:
            say(f"{session.loaded.name} does not write the demo's edit, so nothing is accepted")
            return
        began = time.perf_counter()
        session.accept(turn)
        found.append((time.perf_counter() - began) * 1000)
        session.undo()
    yield tail_row("accept_p95_milliseconds", "one hunk, to bytes on disk", found, 0.95)


def _done(session: Session) -> Turn:
    turn = session.begin(DEMO)
    for _ in turn.events():
        pass
    return turn


def _starts(model: Path, repo: Path, folder: Path, runs: int) -> Iterator[Row]:
    """`spark` on a terminal, once before with nothing measured so that the system's caches are warm."""
    painted, ready, memory = [], [], []
    for number in range(runs + 1):
        command = python("-m", "spark_tui", "-m", str(model.resolve()))
        with Terminal(command, repo, environment(folder)) as terminal:
            first, then = terminal.wait_for(FRAME_END), terminal.wait_for(b"ready")
            if number:
                painted.append((first - terminal.started) * 1000)
                ready.append((then - terminal.started) * 1000)
                memory += [terminal.settled_bytes() / 1e6]
    yield row("first_paint_milliseconds", "spark, warm caches", "ms", painted)
    yield row("ready_milliseconds", "spark, warm caches", "ms", ready)
    if any(memory):
        yield row("memory_megabytes", "spark, ready", "MB", memory)


def _on_stage(model: Path, repo: Path, folder: Path) -> Iterator[Row]:
    """Esc and keys on the real screen, while tokens stream as fast as they come."""
    with staged(model, repo, folder) as stage:
        stage.stream()
        yield tail_row("esc_to_frame_p99_milliseconds", "while streaming", stage.pauses(PAUSES), 0.99)
        stage.to_diff()
        pressed = stage.press_keys(KEYS)
        stage.pause()
        done = stage.leave()["moved"]
        yield tail_row("key_latency_p99_milliseconds", "while streaming", waits(pressed, done), 0.99)
