"""Editors that save the files of a batch while it is being written: no save is lost, and no file is
half of each.

A save takes place at chosen calls of the protocol: the file is opened at one, written at another
and closed at a third, or a new file takes its place in one step. Where opening would wait for
spark, the editor has a thread of its own.
"""

import os
import random
import subprocess
import sys
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from threading import Thread

import pytest

from spark_tui.errors import Conflict, FileError
from spark_tui.vcs.batches import Batches
from spark_tui.vcs.journal import BatchPhase
from spark_tui.vcs.repository import Repository
from tests.vcs.benches import NEW, OLD, PATHS, Bench, Hook
from tests.vcs.repos import tree

RACES, ALL_RACES = 300, 10_000
_CALLS = 150  # more than a batch makes
IN_ONE_STEP, STYLES = 0.4, ["replace", "rewrite"]
if sys.platform != "linux":  # who writes to a file that was swapped out is not known elsewhere
    IN_ONE_STEP, STYLES = 1.0, ["replace"]


@dataclass
class Editor:
    """Saves one file: opens, writes and closes it at the calls with these numbers; or replaces
    it at the second.
    """

    root: Path
    path: str
    at: tuple[int, int, int]
    in_one_step: bool
    data: bytes = b"saved by an editor, and longer than what was there\n"
    _file: int | None = field(default=None, init=False)

    def step(self, number: int) -> None:
        if number == self.at[0] and not self.in_one_step:
            with suppress(FileNotFoundError):
                self._file = os.open(self.root / self.path, os.O_WRONLY)
        if number == self.at[1]:
            self.save()
        if number == self.at[2] and self._file is not None:
            os.close(self._file)

    def save(self) -> None:
        target = self.root / self.path
        target.parent.mkdir(parents=True, exist_ok=True)
        if self._file is not None:
            os.ftruncate(self._file, 0)
            os.write(self._file, self.data)
        elif self.in_one_step:
            (target.parent / "editor~").write_bytes(self.data)
            (target.parent / "editor~").rename(target)
        else:
            target.write_bytes(self.data)


class Race:
    """A batch, and editors that act between its calls."""

    def __init__(self, folder: Path, chance: random.Random) -> None:
        self.bench = Bench(folder)
        paths = chance.sample(PATHS, chance.choice([1, 1, 1, 2]))
        self.editors = [self._editor(path, chance) for path in paths]
        self._calls = count()
        self._threads: list[Thread] = []

    def _editor(self, path: str, chance: random.Random) -> Editor:
        first, second, third = sorted(chance.randrange(_CALLS) for _ in range(3))
        in_one_step = chance.random() < IN_ONE_STEP
        return Editor(self.bench.root, path, (first, second, third), in_one_step)

    def hook(self, _call: str = "") -> None:
        number = next(self._calls)
        for editor in self.editors:
            if editor.path.startswith("h/") and number < _CALLS and number in editor.at:
                self._in_a_thread(editor, number)
            else:
                editor.step(number)

    def _in_a_thread(self, editor: Editor, number: int) -> None:
        previous = self._threads[-1:]

        def run() -> None:
            for thread in previous:
                thread.join()
            editor.step(number)

        self._threads.append(Thread(target=run))
        self._threads[-1].start()

    def run(self) -> bool:
        """Run it to the end; returns whether the batch says it was carried out."""
        try:
            self.bench.accept(self.hook)
            done = True
        except (Conflict, FileError):
            done = False
        for _ in range(_CALLS):
            self.hook()
        for thread in self._threads:
            thread.join()
        return done

    def check(self, done: bool) -> None:
        files = {
            path: data for path, data in self.bench.files().items() if ".proposed-" not in path
        }
        for editor in self.editors:
            assert files[editor.path] == editor.data, (editor, self.bench.told)
        others = [path for path in PATHS if path not in {editor.path for editor in self.editors}]
        assert {path: files.get(path) for path in others} == {
            path: (NEW if done else OLD).get(path) for path in others
        }
        assert not list(self.bench.root.rglob("*.tmp"))
        assert (
            self.bench.phase is BatchPhase.DONE
            if done
            else self.bench.phase in {BatchPhase.ABORTED, None}
        )


@pytest.mark.parametrize("races", [RACES, pytest.param(ALL_RACES, marks=pytest.mark.exhaustive)])
def test_whenever_an_editor_saves_what_it_saved_is_on_disk_afterwards(
    tmp_path: Path, races: int
) -> None:
    ends = set()
    for number in range(races):
        race = Race(tmp_path / str(number), random.Random(number))
        done = race.run()
        race.check(done)
        ends.add(done)

    assert ends == {True, False}


_EDITOR = """
import os, sys, time
for line in sys.stdin:
    path, style, wait, data = line.rstrip().split("\\t")
    end = time.perf_counter() + float(wait)
    while time.perf_counter() < end:
        pass
    if style == "replace":
        with open(path + "~", "w") as file:
            file.write(data)
        os.rename(path + "~", path)
    else:
        with open(path, "w") as file:
            file.write(data)
    print("saved", flush=True)
"""

ROUNDS, ALL_ROUNDS = 40, 2_000


@pytest.mark.parametrize("rounds", [ROUNDS, pytest.param(ALL_ROUNDS, marks=pytest.mark.exhaustive)])
def test_what_another_process_saves_at_any_moment_is_on_disk_afterwards(
    tmp_path: Path, rounds: int
) -> None:
    chance = random.Random(0)
    with subprocess.Popen(
        [sys.executable, "-c", _EDITOR], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as editor:
        assert editor.stdin is not None
        assert editor.stdout is not None
        for number in range(rounds):
            bench = Bench(tmp_path / str(number))
            path = chance.choice(["a.py", "z/last.py", "h/linked.py", "pkg/b.py"])
            data = f"saved {number}"
            style = chance.choice(STYLES)
            words = [str(bench.root / path), style, str(chance.random() * 0.012), data]
            editor.stdin.write("\t".join(words) + "\n")
            editor.stdin.flush()
            with suppress(Conflict, FileError):
                bench.accept()
            assert editor.stdout.readline() == "saved\n"
            assert (bench.root / path).read_text() == data, (words, bench.told)
            assert not list(bench.root.rglob("*.tmp"))
        editor.stdin.close()


_SPARK = """
import sys
from pathlib import Path
from spark_tui.errors import Conflict, Transient
from spark_tui.vcs.batches import Batches, FileChange
from spark_tui.vcs.repository import Repository

root, state, mark, count = Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3], int(sys.argv[4])
batches = Batches(Repository.discover(root), state)
done = 0
while done < count:
    before = (root / "a.py").read_bytes()
    try:
        batches.accept([FileChange("a.py", before, before + f"{mark}{done}\\n".encode())], mark)
        done += 1
    except (Conflict, Transient):
        continue
"""


@pytest.mark.parametrize("count_each", [4, pytest.param(100, marks=pytest.mark.exhaustive)])
def test_two_sparks_at_once_take_turns_and_neither_undoes_the_other(
    root: Path, repo: Repository, state_dir: Path, count_each: int
) -> None:
    before = (root / "a.py").read_bytes()
    environment = {**os.environ, "PYTHONPATH": str(Path.cwd())}
    sparks = [
        subprocess.Popen(
            [sys.executable, "-c", _SPARK, str(root), str(state_dir), mark, str(count_each)],
            env=environment,
            stderr=subprocess.PIPE,
        )
        for mark in "xy"
    ]
    for spark in sparks:
        assert spark.communicate()[1] == b""

    lines = (root / "a.py").read_bytes().removeprefix(before).decode().split()
    assert sorted(lines) == sorted(
        f"{mark}{number}" for mark in "xy" for number in range(count_each)
    )
    for mark in "xy":
        assert [line for line in lines if line[0] == mark] == [
            f"{mark}{number}" for number in range(count_each)
        ]

    batches = Batches(repo, state_dir)
    for _ in lines:
        batches.undo()
    assert tree(root)["a.py"] == before


def test_a_proposal_beside_the_file_keeps_what_spark_had_written(tmp_path: Path) -> None:
    bench = Bench(tmp_path)

    def save(call: str) -> None:
        if call == "exchange" and (bench.root / "a.py").read_bytes() == OLD["a.py"]:
            (bench.root / "a.py").write_bytes(b"mine\n")

    with pytest.raises(
        Conflict, match=r"a\.py was saved by another program .* spark's is beside it in a\.py\.prop"
    ):
        bench.accept(save)

    assert bench.files() == {**OLD, "a.py": b"mine\n", "a.py.proposed-0badcafe-0": NEW["a.py"]}
    assert any("a.py.proposed-0badcafe-0" in words for words in bench.told)


def test_attributes_given_to_a_file_while_it_is_written_stay(tmp_path: Path) -> None:
    bench = Bench(tmp_path)

    def chmod(call: str) -> None:
        if call == "exchange":
            (bench.root / "z/last.py").chmod(0o700)

    with pytest.raises(Conflict):
        bench.accept(chmod)

    assert (bench.root / "z/last.py").stat().st_mode & 0o777 == 0o700
    assert {path: data for path, data in bench.files().items() if ".proposed" not in path} == OLD


def test_a_recovery_gives_back_a_save_that_a_crash_left_under_the_copy_s_name(
    tmp_path: Path,
) -> None:
    bench = Bench(tmp_path)
    with pytest.raises(KeyError):
        bench.accept(_saves_and_fails(bench))
    assert (bench.root / "a.py").read_bytes() == NEW["a.py"]
    bench.recover()

    assert bench.files() == {**OLD, "a.py": b"mine\n"}
    assert bench.phase is BatchPhase.ABORTED


def _saves_and_fails(bench: Bench) -> Hook:
    """The editor saves at the last instant, and spark dies right after the exchange."""
    exchanged: list[str] = []

    def hook(call: str) -> None:
        if exchanged:
            raise KeyError("dead")
        if call == "exchange":
            exchanged.append(call)
            (bench.root / "a.py").write_bytes(b"mine\n")

    return hook
