"""`spark bench ui`: the screen on a terminal: keys, frames, and a diff larger than anyone reads."""

import tempfile
import time
from collections.abc import Generator, Iterator
from pathlib import Path

from spark_tui.cli.bench.command import Bench
from spark_tui.cli.bench.edits import check_reads_edits
from spark_tui.cli.bench.models import load_for
from spark_tui.cli.bench.rows import Row, percentile, row, tail_row
from spark_tui.cli.bench.staged import Staged, demo_project, staged, waits
from spark_tui.cli.bench.terminal import FRAME_END
from spark_tui.cli.start import settings_of
from spark_tui.engine.library import find_model

KEYS = 200
PAGES = 100
SECONDS = 3.0
"""Of streaming, in which frames and bytes are counted."""
LINES = 1_000_000
_PAGE_DOWN, _F12 = "\x1b[6~", "\x1b[24~"


def measure(bench: Bench) -> Generator[Row, None, None]:
    """Keys while nothing happens and while tokens stream, what goes to the terminal, and a large diff."""
    loaded = load_for(bench, find_model(settings_of(bench.args).model))
    check_reads_edits(loaded)
    model = loaded.path
    with demo_project() as repo, tempfile.TemporaryDirectory(prefix="spark-bench-") as folder:
        bench.say("streaming on a terminal of 100x30")
        with staged(model, repo, Path(folder)) as stage:
            yield from _streaming(stage, bench.args.runs)
        bench.say(f"a diff of {LINES:,} lines, every hundredth changed")
        with staged(model, repo, Path(folder), lines=LINES) as stage:
            yield from _large(stage)


def _streaming(stage: Staged, runs: int) -> Iterator[Row]:
    stage.stream()
    stage.to_diff()
    yield from _output(stage, runs)
    busy = stage.press_keys(KEYS)
    stage.pause()
    stage.terminal.wait_until_quiet()
    stage.to_diff()
    stage.terminal.wait_until_quiet()
    before = stage.terminal.size
    idle = stage.press_keys(KEYS)
    stage.terminal.wait_until_quiet()
    frames = stage.terminal.frames(before)
    done = stage.leave()["moved"]
    for case, pressed, carried_out in (("while streaming", busy, done[:KEYS]), ("idle", idle, done[KEYS:])):
        found = waits(pressed, carried_out)
        yield tail_row("key_latency_p99_milliseconds", case, found, 0.99)
        yield row("key_latency_p50_milliseconds", case, "ms", found, ours=percentile(found, 0.5))
    yield tail_row("frame_p99_milliseconds", "key to painted frame, idle", _painted(idle, frames), 0.99)


def _output(stage: Staged, runs: int) -> Iterator[Row]:
    """What goes to the terminal while tokens stream."""
    frames, kilobytes = [], []
    for _ in range(runs):
        before, began = stage.terminal.size, time.perf_counter()
        time.sleep(SECONDS)
        seconds = time.perf_counter() - began
        kilobytes.append((stage.terminal.size - before) / 1000 / seconds)
        frames.append(len(stage.terminal.frames(before)) / seconds)
    yield row("frames_per_second", "while streaming", "frames/s", frames)
    yield row("kilobytes_per_second", "to the terminal while streaming", "kB/s", kilobytes)


def _large(stage: Staged) -> Iterator[Row]:
    """Opening it and paging through it."""
    stage.terminal.press(_F12)
    shown = stage.terminal.wait_for(b"value_10")
    stage.terminal.wait_until_quiet()
    pages = [_page(stage) for _ in range(PAGES)]
    opened = stage.leave()["opened"][0]
    case = f"a diff of {LINES:,} lines"
    yield row("frame_p99_milliseconds", f"{case}, opened", "ms", [(shown - opened) * 1000])
    yield tail_row("frame_p99_milliseconds", f"{case}, a page further", pages, 0.99)


def _page(stage: Staged) -> float:
    """Milliseconds from the key to the end of its first frame."""
    before = stage.terminal.size
    pressed = stage.terminal.press(_PAGE_DOWN)
    painted = stage.terminal.wait_for(FRAME_END, before)
    time.sleep(0.05)
    return (painted - pressed) * 1000


def _painted(pressed: list[float], frames: list[float]) -> list[float]:
    """Milliseconds from each key to the end of the first frame after it."""
    found = ((key, next((frame for frame in frames if frame > key), None)) for key in pressed)
    return [(frame - key) * 1000 for key, frame in found if frame is not None]
