"""How often the next edit is right: a change is accepted, and the same is looked for elsewhere.

`python examples/measures/next_edit.py [-m MODEL] [--bound P] [CASES]`. The cases are conversations
(see `spark_tui.training.conversations`): the first turn is accepted; each one behind it is one edit
that is right next. A case with one turn wants nothing.

`next_edit_bound.cases` are those by which a renamed local came to be left out.
"""

import argparse
import math
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from spark_tui.engine.loader import LoadedModel, find_model, load
from spark_tui.providers.calibration import Calibration
from spark_tui.session.request import Request
from spark_tui.session.session import Session
from spark_tui.training.conversations import (
    Files,
    Lines,
    TaughtEdit,
    TaughtTurn,
    play,
    read_conversations,
)
from spark_tui.vcs.repository import Repository

CASES = Path(__file__).with_name("next_edit.cases")


@dataclass(frozen=True, slots=True)
class Case:
    """A change, and what is right behind it.

    Attributes:
        change: The accepted edit.
        right: The file that each right next edit makes, with its path; none where nothing is.
    """

    change: TaughtEdit
    right: Sequence[tuple[str, Lines]]


@dataclass(frozen=True, slots=True)
class Shown:
    """A next edit that was found.

    Attributes:
        probability: How likely the model found the edit.
        is_right: Whether it is one of those that are right.
        text: Its new lines.
    """

    probability: float
    is_right: bool
    text: str


def read_cases(path: Path) -> Iterator[Case]:
    """Read a file of cases."""
    for project in read_conversations(path):
        for conversation in project.conversations:
            yield _case(project.files, conversation)


def _case(files: Files, conversation: Sequence[TaughtTurn]) -> Case:
    change, *_ = play(files, conversation[:1])
    right = []
    for turn in conversation[1:]:
        edit = next(play(change.after, [turn]))
        path = edit.path or ""
        right.append((path, edit.after[path]))
    return Case(change, right)


def shown(case: Case, loaded: LoadedModel, folder: Path) -> Shown | None:
    """Accept the change of a case, and look for the next edit."""
    session = Session(_repository(folder / "repo", case.change.before), loaded, folder / "state")
    path = case.change.path or ""
    first, last, after = _region(session, case.change, path)
    request = Request(case.change.turn.words, path, lines=(first, last), become=after)
    turn = session.begin(request)
    for _ in turn.events():
        pass
    session.accept(turn, allow=None)
    found = session.next_edit(turn, bool)
    session.close()
    own = found.turn.candidates.own if found else None
    if found is None or own is None:
        return None
    edit = found.turn.region.path, tuple(own.file.lines)
    new = [line for hunk in found.turn.hunks for line in hunk.new_lines]
    return Shown(math.exp(own.logprob), edit in case.right, " / ".join(map(str.strip, new)))


def _region(session: Session, change: TaughtEdit, path: str) -> tuple[int, int, Lines]:
    """The first and last line of the function that a change edits, and its lines afterwards."""
    before = change.before[path]
    after = change.after[path]
    head = 0
    while before[head] == after[head]:
        head += 1
    tail = 0
    while before[-1 - tail] == after[-1 - tail] and tail < min(len(before), len(after)) - head:
        tail += 1
    region = session.mentions.find(
        Request("", path, lines=(head + 1, max(head + 1, len(before) - tail)))
    )
    grown = len(after) - len(before)
    return (
        region.start_line,
        region.end_line,
        after[region.start_line - 1 : region.end_line + grown],
    )


def _repository(folder: Path, files: Files) -> Repository:
    for path, lines in files.items():
        target = folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text("\n".join(lines) + "\n")
    for command in (["init", "-q"], ["add", "-A"]):
        subprocess.run(["git", "-C", str(folder), *command], check=True)
    return Repository.discover(folder)


def report(found: Sequence[tuple[Case, Shown | None]]) -> None:
    """Say how many of those shown are right, and how many of those wanted were shown."""
    for bound in (0.5, 0.6, 0.7, 0.75, 0.8, 0.9):
        offered = [(case, one) for case, one in found if one and one.probability >= bound]
        right = sum(one.is_right for _, one in offered)
        wanted = sum(bool(case.right) for case, _ in found)
        idle = sum(not case.right for case, _ in offered)
        share = f"{right / len(offered):.0%}" if offered else "-"
        print(
            f"from {bound}: {len(offered)} shown, {right} right ({share}), of {wanted} wanted; "
            f"{idle} where nothing is wanted, of {len(found) - wanted}"
        )


def main() -> None:
    """Measure, and say what came of it."""
    parser = argparse.ArgumentParser(description="how often the next edit is right")
    parser.add_argument("cases", type=Path, nargs="?", default=CASES)
    parser.add_argument("-m", "--model", default=None)
    parser.add_argument("--bound", type=float, default=0.5, help="show from this probability on")
    parser.add_argument("--only", default="", help="numbers of cases, between commas")
    options = parser.parse_args()
    loaded = load(find_model(options.model))
    calibration = Calibration.read(loaded.path)
    if calibration is None:
        sys.exit(f"{loaded.name} does not quote lines")
    measured = replace(calibration, next_edit=options.bound)
    found = []
    cases = dict(enumerate(read_cases(options.cases), 1))
    numbers = map(int, options.only.split(",")) if options.only else cases
    with tempfile.TemporaryDirectory() as folder:
        loaded = with_calibration(loaded, measured, Path(folder))
        for number in numbers:
            case = cases[number]
            began = time.perf_counter()
            one = shown(case, loaded, Path(folder) / str(number))
            found.append((case, one))
            wanted = "wanted" if case.right else "nothing wanted"
            said = f"{one.probability:.2f} {'right' if one.is_right else 'WRONG'}" if one else "-"
            seconds = time.perf_counter() - began
            words = case.change.turn.words
            print(f"{number:3} {wanted:14} {said:12} {seconds:5.1f} s  {words}", flush=True)
            if one is not None and not one.is_right:
                print(f"      {one.text}", flush=True)
    report(found)


def with_calibration(loaded: LoadedModel, measured: Calibration, folder: Path) -> LoadedModel:
    """The model, as if its files had another calibration."""
    measured.write(folder)
    return replace(loaded, path=folder)


if __name__ == "__main__":
    main()
