"""`spark bench ui`: the screen on a terminal: keys, frames, decisions, and a very large diff."""

import tempfile
import time
from collections.abc import Callable, Generator, Iterator
from contextlib import AbstractContextManager
from functools import partial
from pathlib import Path

from spark_tui.cli.bench.endless_tasks import TASKS
from spark_tui.cli.bench.llama_cpp import load_editor
from spark_tui.cli.bench.stage import DECISIONS, LINES
from spark_tui.cli.bench.staged import StageProcess, demo_project, staged, waits
from spark_tui.cli.bench.suite import Bench, Figure, row, tail_row
from spark_tui.cli.bench.terminal import FRAME_END
from spark_tui.errors import SparkError

KEYS = 200
FRAMES = 100
SECONDS = 3.0
"""Seconds of streaming in which frames are counted."""
_PAGE_DOWN = "\x1b[6~"
_F11 = "\x1b[23~"
_F10 = "\x1b[21~"

LAST_FRAME_S = 0.5
"""Seconds that the frame of the last key may take."""

_DECISIONS = (("a", b"accepting", b"accepted"), ("r", b"rejecting", b"rejected"))
"""Keys, each with the words that show the decision at once and once it is carried out."""


def measure(bench: Bench) -> Generator[Figure, None, None]:
    """Measure keys, idle, while tokens stream and beside tasks; decisions, and a large diff."""
    loaded = load_editor(bench)
    with demo_project() as repo, tempfile.TemporaryDirectory(prefix="spark-bench-") as folder:
        on_stage = partial(staged, loaded.path, repo, Path(folder))
        bench.say("streaming on a terminal of 100x30")
        with on_stage() as stage:
            yield from _streaming(stage, bench.args.runs)
        bench.say(f"{TASKS} tasks that write beside")
        with on_stage() as stage:
            yield from _beside_tasks(stage)
        bench.say(f"{DECISIONS} hunks, accepted and rejected in turn")
        with on_stage() as stage:
            yield from _decisions(stage)
        bench.say(f"a diff of {LINES:,} lines, every hundredth changed")
        yield from _large_diff(on_stage, bench.args.runs)


def _streaming(stage: StageProcess, runs: int) -> Iterator[Figure]:
    stage.stream()
    stage.to_diff()
    yield row(
        "frames_per_second",
        "while streaming",
        "frames/s",
        [_frames_per_second(stage) for _ in range(runs)],
    )
    # The same keys twice: while tokens stream, and once the stream stands and nothing is drawn.
    busy = stage.press_keys(KEYS)
    stage.pause()
    stage.terminal.wait_until_quiet()
    stage.to_diff()
    stage.terminal.wait_until_quiet()
    before = stage.terminal.size
    idle = stage.press_keys(KEYS)
    stage.terminal.wait_until_quiet()
    frames = stage.terminal.frames(before)
    # the stage notes all keys in their order: those while streaming come first
    done = stage.leave()["moved"]
    yield tail_row(
        "key_latency_p99_milliseconds", "while streaming", waits(busy, done[:KEYS]), 0.99
    )
    yield tail_row("key_latency_p99_milliseconds", "idle", waits(idle, done[KEYS:]), 0.99)
    yield tail_row(
        "frame_p99_milliseconds", "key to painted frame, idle", until_painted(idle, frames), 0.99
    )


def _beside_tasks(stage: StageProcess) -> Iterator[Figure]:
    """Measure keys of the diff while tasks write on the same engine.

    Raises:
        SparkError: A task wrote nothing meanwhile.
    """
    terminal = stage.terminal
    terminal.press_until(_F11, b"values.py")
    terminal.wait_until_quiet()
    stage.begin_tasks()
    before = terminal.size
    pressed = stage.press_keys(KEYS)
    time.sleep(LAST_FRAME_S)
    frames = terminal.frames(before)
    notes = stage.leave()
    if not all(notes["written"]):
        raise SparkError("a task wrote nothing beside the screen; try again")
    case = f"while {TASKS} tasks write"
    yield tail_row("key_latency_p99_milliseconds", case, waits(pressed, notes["moved"]), 0.99)
    yield tail_row("frame_p99_milliseconds", f"key, {case}", until_painted(pressed, frames), 0.99)


def _frames_per_second(stage: StageProcess) -> float:
    before = stage.terminal.size
    began = time.perf_counter()
    time.sleep(SECONDS)
    return len(stage.terminal.frames(before)) / (time.perf_counter() - began)


def _decisions(stage: StageProcess) -> Iterator[Figure]:
    """Measure from the key of a decision to the frame that shows the decision."""
    terminal = stage.terminal
    terminal.press_until(_F11, b"values.py")
    shown = []
    for number in range(DECISIONS):
        key, words, decided = _DECISIONS[number % len(_DECISIONS)]
        terminal.wait_until_quiet()
        before = terminal.size
        shown.append(terminal.press_until(key, words))
        terminal.wait_for(decided, before)
    stage.leave()
    case = "key to the frame of a decision"
    yield row("decision_milliseconds", case, "ms", shown)
    yield tail_row("decision_p99_milliseconds", case, shown, 0.99)


def _large_diff(
    on_stage: Callable[[], AbstractContextManager[StageProcess]], runs: int
) -> Iterator[Figure]:
    """Measure how long a large diff takes to open, and its pages to turn."""
    opened = list[float]()
    paged = list[float]()
    for _ in range(runs):
        with on_stage() as stage:
            shown = _opened(stage)
            for _ in range(max(1, FRAMES // runs)):
                paged.append(_frame_after(stage, _PAGE_DOWN))
            opened.append((shown - stage.leave()["opened"][0]) * 1000)
    metric = "frame_p99_milliseconds"
    case = f"a diff of {LINES:,} lines"
    yield tail_row(metric, f"{case}, opened", opened, 0.99)
    yield tail_row(metric, f"{case}, a page further", paged, 0.99)


def _opened(stage: StageProcess) -> float:
    """Open the diff, once nothing more is loaded beside.

    Returns:
        The moment at which the first frame with lines of the diff was whole.
    """
    stage.terminal.wait_until_quiet()
    before = stage.terminal.size
    stage.terminal.press(_F10)
    shown = stage.terminal.wait_for(b"value_10", before)
    stage.terminal.wait_until_quiet()
    return next(frame for frame in stage.terminal.frames(before) if frame >= shown)


def _frame_after(stage: StageProcess, key: str) -> float:
    """Press a key; returns the milliseconds to the end of its first frame."""
    milliseconds = stage.terminal.press_until(key, FRAME_END)
    # further frames of this key shall not count as the first frame of the next one
    time.sleep(0.05)
    return milliseconds


def until_painted(pressed: list[float], frames: list[float]) -> list[float]:
    """Return the milliseconds from each key to the end of the first frame after it."""
    milliseconds = []
    for key in pressed:
        for frame in frames:
            if frame > key:
                milliseconds.append((frame - key) * 1000)
                break
    return milliseconds
