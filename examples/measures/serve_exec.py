"""How long `spark exec` takes with a warm `spark serve`, beside a start of its own: 50 requests.

`python examples/measures/serve_exec.py [--requests N] [--cases FILE ...]`, on Linux. Each request
runs once cold and once warm, in turn, in a repository of its own; the patches must be the same byte
for byte. Beside the time by the clock stands that of the processors: of the command with all that
it starts, and of the server meanwhile. That one hardly changes on a busy machine.
"""

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import median

SPARK = [sys.executable, "-m", "spark_tui"]
_HERE = Path(__file__).parent
CASES = [_HERE.parent.parent / "tests" / "own_cases.jsonl", _HERE / "serve_exec.jsonl"]
_TICKS = os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True, slots=True)
class Request:
    """A request of the set: a file, and what should become of it."""

    instruction: str
    text: str


@dataclass(frozen=True, slots=True)
class Run:
    """One command: what it printed, and its seconds by the clock and of the processors."""

    code: int
    patch: bytes
    clock: float
    processors: float


def requests(files: Sequence[Path], count: int) -> list[Request]:
    """Read the first requests of some sets."""
    found = []
    for file in files:
        for line in file.read_text("utf-8").splitlines():
            case = json.loads(line)
            found.append(Request(case["instruction"], "\n".join([*case["before"], ""])))
    return found[:count]


def repository(folder: Path, text: str) -> None:
    """Make a repository with one file."""
    folder.mkdir()
    (folder / "a.py").write_text(text)
    identity = ["-c", "user.name=x", "-c", "user.email=x@example.org"]
    for args in (["init", "-q"], ["add", "."], [*identity, "commit", "-qm", "first"]):
        subprocess.run(["git", "-C", str(folder), *args], check=True, capture_output=True)


def environment(folder: Path) -> dict[str, str]:
    """Return an environment with folders of its own, in which bytecode is kept, as installed."""
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    own = {
        "XDG_STATE_HOME": str(folder / "state"),
        "XDG_CONFIG_HOME": str(folder / "config"),
        "SPARK_SERVE": str(folder / "spark.sock"),
        "PYTHONPYCACHEPREFIX": str(folder / "bytecode"),
    }
    return kept | own


@contextmanager
def served(folder: Path, env: dict[str, str]) -> Iterator[int]:
    """A server for as long as the context lasts.

    Yields:
        The id of its process.
    """
    command = [*SPARK, "serve", "--json"]
    with subprocess.Popen(command, cwd=folder, env=env, stdout=subprocess.PIPE) as process:
        assert process.stdout
        process.stdout.readline()
        try:
            yield process.pid
        finally:
            process.terminate()


def seconds_of(pid: int) -> float:
    """Seconds of the processors that a process has taken."""
    figures = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(figures[11]) + int(figures[12])) / _TICKS


def run(request: Request, folder: Path, env: dict[str, str], server: int, *options: str) -> Run:
    """Run one request."""
    command = [*SPARK, "exec", request.instruction, "--at", "a.py", "-q", "--unsure", *options]
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    served_before = seconds_of(server)
    began = time.perf_counter()
    done = subprocess.run(command, cwd=folder, env=env, capture_output=True, check=False)
    clock = time.perf_counter() - began
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    own = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return Run(done.returncode, done.stdout, clock, own + seconds_of(server) - served_before)


def main() -> None:
    """Measure, and print the medians."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--requests", type=int, default=50)
    parser.add_argument("--cases", type=Path, nargs="+", default=CASES)
    args = parser.parse_args()
    cold: list[Run] = []
    warm: list[Run] = []
    with tempfile.TemporaryDirectory(dir="/tmp") as made:
        folder = Path(made)
        env = environment(folder)
        with served(folder, env) as server:
            for number, request in enumerate(requests(args.cases, args.requests)):
                place = folder / f"repo{number}"
                repository(place, request.text)
                if not number:  # compiles and caches what every later start finds
                    run(request, place, env, server, "--no-serve")
                    run(request, place, env, server)
                cold.append(run(request, place, env, server, "--no-serve"))
                warm.append(run(request, place, env, server))
                if (cold[-1].code, cold[-1].patch) != (warm[-1].code, warm[-1].patch):
                    sys.exit(f"request {number} has another patch: {request.instruction}")
    print(f"{len(cold)} requests, {sum(not each.code for each in cold)} with an edit, same bytes")
    for name in ("clock", "processors"):
        ours = [getattr(each, name) for each in warm]
        theirs = [getattr(each, name) for each in cold]
        share = median(mine / other for mine, other in zip(ours, theirs, strict=True))
        print(f"{name}: warm {median(ours):.2f} s, cold {median(theirs):.2f} s, x {share:.2f}")


if __name__ == "__main__":
    main()
