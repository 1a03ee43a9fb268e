"""How long the check of types takes, hunk by hunk, with ty as it is installed.

    python examples/measures/type_check.py [--runs 40]

A file of 30 lines and one of 600 get an edit after another, each of one hunk, half of them wrong;
timed is all that a turn waits for, nothing asked ahead. Also timed is what the check costs
where no server is installed.
"""

import argparse
import os
import statistics
import sys
import tempfile
import time
from pathlib import Path

from spark_tui.editing.text import Text
from spark_tui.session.language_servers import type_check
from spark_tui.session.language_servers.type_check import TypeChecker

HEAD = """\
import json
from dataclasses import dataclass
from pathlib import Path


@dataclass
class Row:
    name: str
    amount: float
"""
PART = '''

def total_{number}(rows: list[Row], path: Path) -> float:
    """The sum of the amounts, and of those in a file."""
    more = [Row(**each) for each in json.loads(path.read_text())]
    largest = max(rows, key=lambda row: row.amount)
    print(largest.name.upper())
    return sum(row.amount for row in [*rows, *more])
'''
OLD = "largest.name.upper()"


def source_of(lines: int) -> str:
    source = HEAD
    number = 0
    while source.count("\n") < lines:
        source += PART.format(number=number)
        number += 1
    return source


def text_of(source: str) -> Text:
    return Text.from_bytes(source.encode())


def measure(lines: int, runs: int) -> tuple[int, int, list[float]]:
    """Wrong edits that were found, right ones that were not called wrong, and milliseconds."""
    source = source_of(lines)
    base = text_of(source)
    place = source.rindex(OLD)
    found = 0
    passed = 0
    times = []
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "rows.py").write_text(source)
        checker = TypeChecker(Path(folder))
        checker.begin(base, "rows.py")
        for number in range(-3, runs):
            is_wrong = number % 2 == 1
            name = "nome" if is_wrong else "name"
            edit = f"largest.{name}.removeprefix('{number}')"
            edited = text_of(source[:place] + edit + source[place + len(OLD) :])
            begun = time.perf_counter()
            check = checker.check(base, edited, "rows.py")
            took = 1000 * (time.perf_counter() - begun)
            if number < 0:
                continue
            times.append(took)
            found += check is not None and is_wrong and not check.ok
            passed += check is not None and not is_wrong and check.ok
        checker.close()
    return found, passed, times


def measure_nothing(runs: int) -> list[float]:
    """The microseconds of the calls of a turn where no server is installed."""
    base = text_of(source_of(600))
    edited = Text((*base.raw, "\n"))
    times = []
    with tempfile.TemporaryDirectory() as folder:
        os.environ["PATH"] = folder
        sys.executable = f"{folder}/python"
        for _ in range(runs):
            checker = TypeChecker(Path(folder))
            begun = time.perf_counter()
            checker.begin(base, "rows.py")
            checker.foresee(base, edited, "rows.py")
            checker.check(base, edited, "rows.py")
            times.append(1e6 * (time.perf_counter() - begun))
            checker.close()
    return times


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=40)
    runs = parser.parse_args().runs
    type_check.FAST_SECONDS = type_check.SLOW_SECONDS = 60.0  # each answer is waited for
    print(f"load {os.getloadavg()[0]:.1f} on {os.cpu_count()} processors")
    for lines in (30, 600):
        found, passed, times = measure(lines, runs)
        middle = statistics.median(times)
        print(
            f"{lines} lines: {middle:.1f} ms at the median, {max(times):.1f} at worst; "
            f"{found} of {runs // 2} wrong edits found, {passed} of {runs - runs // 2} right pass"
        )
    nothing = statistics.median(measure_nothing(runs))
    print(f"no server: {nothing:.0f} microseconds a turn at the median")


if __name__ == "__main__":
    main()
