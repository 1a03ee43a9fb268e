"""How long starts take in large and odd repositories: first paint, key and token, and memory.

`python examples/measures/odd_repositories.py [--runs N] [NAME...]`, on Linux. The mount that never
answers needs root; the case is left out elsewhere.
"""

import argparse
import ctypes
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from statistics import median

from spark_tui.cli.bench.staged import environment
from spark_tui.cli.bench.terminal import FRAME_END, Terminal
from spark_tui.errors import SparkError

CODE = "def area(w, h):\n    return w * h\n"
LARGE = {
    "data.json": '{"area": 1, "names": ["a", "b"]},\n',
    "dump.sql": "INSERT INTO area VALUES (1, 2);\n",
    "made.py": "def made(w):\n    return w\n",
    "book.md": "# Area\n\nIt is **large**.\n\n",
}
MEGABYTES = 75
FILES = 200_000
SUBMODULES = 200
SPARK = [sys.executable, "-m", "spark_tui"]
_DETACH = 2
"""Source:
    umount2(2): MNT_DETACH.
"""


def git(root: Path, *args: str) -> None:
    """Run git in a repository."""
    identity = ["-c", "user.name=x", "-c", "user.email=x@example.org"]
    subprocess.run(["git", "-C", str(root), *identity, *args], check=True, capture_output=True)


def large(root: Path) -> None:
    """300 MB in four files."""
    for name, line in LARGE.items():
        block = line * (1_000_000 // len(line))
        with (root / name).open("w") as file:
            for _ in range(MEGABYTES):
                file.write(block)


def many(root: Path) -> None:
    """200,000 small files in 1,000 folders."""
    for number in range(1000):
        folder = root / f"part{number}"
        folder.mkdir()
        for name in range(FILES // 1000):
            (folder / f"m{name}.py").write_text(f"def made_{number}_{name}(w):\n    return w\n")


def submodules(root: Path) -> None:
    """200 repositories within, each with a file."""
    for number in range(SUBMODULES):
        folder = root / f"module{number}"
        git(root, "init", "-q", str(folder))
        (folder / "a.py").write_text(CODE)
        git(folder, "add", ".")
        git(folder, "commit", "-qm", "first")


def pipe(root: Path) -> None:
    """A pipe that nobody writes to, named like code."""
    os.mkfifo(root / "pipe.py")


def empty(root: Path) -> None:
    """Nothing more."""


CASES: dict[str, Callable[[Path], None]] = {
    "empty": empty,
    "large": large,
    "many": many,
    "submodules": submodules,
    "pipe": pipe,
    "mount": empty,
}


@contextmanager
def dead_mount(root: Path) -> Iterator[None]:
    """Mount a file system in user space whose server never says a word.

    Raises:
        OSError.
    """
    library = ctypes.CDLL(None, use_errno=True)
    place = root / "remote"
    place.mkdir()
    device = os.open("/dev/fuse", os.O_RDWR)
    options = f"fd={device},rootmode=40000,user_id={os.getuid()},group_id={os.getgid()}"
    if library.mount(b"dead", bytes(place), b"fuse", 0, options.encode()):
        code = ctypes.get_errno()
        os.close(device)
        raise OSError(code, os.strerror(code))
    try:
        yield
    finally:
        library.umount2(bytes(place), _DETACH)
        os.close(device)  # whoever waits for an answer gets an error


def measure(root: Path, state: Path, runs: int) -> str:
    """The medians of some starts, as a row of a table."""
    painted, keys, tokens, sizes = list[float](), list[float](), list[float](), list[float]()
    for _ in range(runs):
        with closing(Terminal(SPARK, root, environment(state))) as terminal:
            painted.append((terminal.wait_for(FRAME_END) - terminal.started) * 1000)
            keys.append(terminal.press_until("w", FRAME_END))
        first, size = first_token(root, state)
        tokens.append(first)
        sizes.append(size)
    times = f"{median(painted):.0f} ms | {median(keys):.0f} ms | {median(tokens):.2f} s"
    return f"{times} | {median(sizes):.0f} MB"


def first_token(root: Path, state: Path) -> tuple[float, float]:
    """Seconds until a headless turn writes its first token, and the most megabytes it took."""
    words = ["exec", "rename w to width", "--format", "stream-json"]
    began = time.perf_counter()
    process = subprocess.Popen(
        [*SPARK, *words],
        cwd=root,
        env=os.environ | environment(state),
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )
    assert process.stdout is not None
    found = (line for line in process.stdout if b'"token"' in line)
    seconds = time.perf_counter() - began if next(found, b"") else float("nan")
    process.stdout.read()
    process.stdout.close()
    _, _, usage = os.wait4(process.pid, 0)
    process.returncode = 0
    return seconds, usage.ru_maxrss / 1024


def main() -> None:
    """Print a row for each case."""
    parser = argparse.ArgumentParser()
    parser.add_argument("names", nargs="*", default=list(CASES), metavar="NAME")
    parser.add_argument("--runs", type=int, default=3)
    args = parser.parse_args()
    for name in args.names:
        with tempfile.TemporaryDirectory() as folder:
            root = Path(folder) / "repository"
            root.mkdir()
            git(root, "init", "-q")
            (root / "shape.py").write_text(CODE)
            CASES[name](root)
            git(root, "add", "shape.py")
            git(root, "commit", "-qm", "first")
            try:
                if name == "mount":
                    with dead_mount(root):
                        row = measure(root, Path(folder) / "state", args.runs)
                else:
                    row = measure(root, Path(folder) / "state", args.runs)
            except (OSError, SparkError) as e:
                row = f"left out: {e}"
        print(f"| {name} | {row} |", flush=True)


if __name__ == "__main__":
    main()
