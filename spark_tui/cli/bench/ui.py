"""`spark bench ui`: the screen on a terminal: keys, frames, and a diff larger than anyone reads."""

import tempfile
import time
from collections.abc import Callable, Generator, Iterator, Mapping
from contextlib import AbstractContextManager
from functools import partial
from math import inf
from pathlib import Path

from spark_tui.cli.bench.command import Bench
from spark_tui.cli.bench.models import load_editor
from spark_tui.cli.bench.rows import Row, percentile, row, tail_row
from spark_tui.cli.bench.stage import TURNS_AT_ONCE
from spark_tui.cli.bench.staged import Staged, add_files, demo_project, staged, waits
from spark_tui.cli.bench.terminal import FRAME_END
from spark_tui.errors import SparkError

KEYS = 200
FRAMES = 100
SECONDS = 3.0
"""Of streaming, in which frames and bytes are counted."""
LINES, CHARACTERS, FILES = 1_000_000, 10_000_000, 50_000
MANY_TURNS = 1000
QUERIES = ("config_pars", "srvhand", "tests/node", "idx42", "b7/tree", "queryuse", "client.t", "rndr")
"""What is typed behind @, letter by letter."""
_TYPED_EVERY_S = 0.2
_PAGE_DOWN, _RIGHT, _F11, _F12, _CTRL_U = "\x1b[6~", "\x1b[C", "\x1b[23~", "\x1b[24~", "\x15"
_ALONG = {"a page further": ("", _PAGE_DOWN)}
_ACROSS = {"further to the right": ("", _RIGHT), "typing beside it": ("\r", "x")}

OnStage = Callable[..., AbstractContextManager[Staged]]
"""Puts the screen on the stage; see `staged`."""


def measure(bench: Bench) -> Generator[Row, None, None]:
    """Keys while nothing happens and while tokens stream, what goes to the terminal, and more than anyone has."""
    loaded = load_editor(bench)
    with demo_project() as repo, tempfile.TemporaryDirectory(prefix="spark-bench-") as folder:
        on_stage = partial(staged, loaded.path, repo, Path(folder))
        bench.say("streaming on a terminal of 100x30")
        with on_stage() as stage:
            yield from _streaming(stage, bench.args.runs)
        case = f"a diff of {LINES:,} lines"
        bench.say(f"{case}, every hundredth changed")
        yield from _scene(on_stage, bench.args.runs, "--lines", LINES, case, _ALONG)
        case = f"a line of {CHARACTERS / 1e6:g} MB"
        bench.say(case)
        yield from _scene(on_stage, bench.args.runs, "--characters", CHARACTERS, case, _ACROSS)
        bench.say(f"{MANY_TURNS:,} turns, each written to its file")
        with on_stage("--turns") as stage:
            yield from _many_turns(stage, bench.say)
        bench.say(f"{FILES:,} files")
        add_files(repo, FILES)
        with on_stage() as stage:
            yield from _completion(stage)


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


def _scene(
    on_stage: OnStage, runs: int, option: str, size: int, case: str, keys: Mapping[str, tuple[str, str]]
) -> Iterator[Row]:
    """Opening a diff, and keys in it. Args: option: of the stage; keys: what is done, what leads there, and the key."""
    opened, pressed = list[float](), {name: list[float]() for name in keys}
    for _ in range(runs):
        with on_stage(option, str(size)) as stage:
            shown = _opened(stage)
            for name, (before, key) in keys.items():
                stage.terminal.press(before)
                stage.terminal.wait_until_quiet()
                pressed[name] += [_frame_after(stage, key) for _ in range(max(1, FRAMES // runs))]
            opened.append((shown - stage.leave()["opened"][0]) * 1000)
    for name, found in {"opened": opened, **pressed}.items():
        yield tail_row("frame_p99_milliseconds", f"{case}, {name}", found, 0.99)


def _opened(stage: Staged) -> float:
    """Open the diff, once nothing more is loaded beside. Returns: when the first frame with its lines was whole."""
    stage.terminal.wait_until_quiet()
    before = stage.terminal.size
    stage.terminal.press(_F12)
    shown = stage.terminal.wait_for(b"value_10", before)
    stage.terminal.wait_until_quiet()
    return next(frame for frame in stage.terminal.frames(before) if frame >= shown)


def _frame_after(stage: Staged, key: str) -> float:
    """Milliseconds from a key to the end of its first frame."""
    before = stage.terminal.size
    pressed = stage.terminal.press(key)
    painted = stage.terminal.wait_for(FRAME_END, before)
    time.sleep(0.05)
    return (painted - pressed) * 1000


def _many_turns(stage: Staged, say: Callable[[str], None]) -> Iterator[Row]:
    """Memory after the first turns and after many."""
    megabytes = []
    for number in range(TURNS_AT_ONCE, MANY_TURNS + 1, TURNS_AT_ONCE):
        stage.terminal.press(_F11)
        stage.terminal.wait_for(f"{number} turns played".encode())
        megabytes.append(stage.terminal.settled_bytes() / 1e6)
        say(f"{number} turns: {megabytes[-1]:.1f} MB")
    accepted = sum(stage.leave()["accepted"])
    for number, size in ((TURNS_AT_ONCE, megabytes[0]), (MANY_TURNS, megabytes[-1])):
        yield row("memory_megabytes", f"after {number:,} turns", "MB", [size])
    case = f"from {TURNS_AT_ONCE} to {MANY_TURNS:,} turns, {accepted:,} of them written"
    yield row("memory_growth_percent", case, "%", [(megabytes[-1] / megabytes[0] - 1) * 100])


def _completion(stage: Staged) -> Iterator[Row]:
    """Typing names of files."""
    stage.terminal.press(f"{_CTRL_U}@")
    stage.terminal.wait_for(b" files")
    before, pressed = stage.terminal.size, list[float]()
    for query in QUERIES:
        stage.terminal.press(_CTRL_U)
        stage.terminal.wait_until_quiet()
        for key in f"@{query}":
            pressed.append(stage.terminal.press(key))
            time.sleep(_TYPED_EVERY_S)
        stage.terminal.wait_until_quiet()
    frames = stage.terminal.frames(before)
    listed = stage.leave()["listed"]
    case, found = f"@ over {FILES:,} files, a letter to its list", _offered(pressed, listed, frames)
    yield tail_row("completion_p99_milliseconds", case, found, 0.99)
    yield row("completion_p50_milliseconds", case, "ms", found, ours=percentile(found, 0.5))


def _offered(pressed: list[float], listed: list[float], frames: list[float]) -> list[float]:
    """Milliseconds from each key to the frame with what fits; to the answer, where it is that of the key before."""
    found = []
    for key, following in zip(pressed, [*pressed[1:], inf], strict=True):
        if (answered := next((moment for moment in listed if moment > key), None)) is None:
            raise SparkError("a letter behind @ brought no list; try again")
        painted = next((frame for frame in frames if answered <= frame < following), answered)
        found.append((painted - key) * 1000)
    return found


def _painted(pressed: list[float], frames: list[float]) -> list[float]:
    """Milliseconds from each key to the end of the first frame after it."""
    found = ((key, next((frame for frame in frames if frame > key), None)) for key in pressed)
    return [(frame - key) * 1000 for key, frame in found if frame is not None]
