"""Random walks of accept, reject, undo and redo over real files with awkward bytes."""

from pathlib import Path
from random import Random

import pytest

from spark_tui.editing.hunks import Hunk, apply_hunks, diff
from spark_tui.editing.text import Text
from spark_tui.errors import Conflict, UsageError
from spark_tui.vcs.batches import Batches
from spark_tui.vcs.disk import Disk
from spark_tui.vcs.history import State
from spark_tui.vcs.repository import Repository
from spark_tui.vcs.write import FileChange
from tests.vcs.repos import AWKWARD, make_repo, tree

FILES = {
    "crlf.py": b"".join(b"value_%d = %d\r\n" % (n, n) for n in range(8)),
    "no_newline.py": b"def f():\n    return 1\n\n\ndef g():\n    return 2",
    "latin1.py": b"# caf\xe9\nx = 1\ny = '\xff\xfe'\nz = 3\n",
    "empty.py": b"",
    "pkg/mixed.py": b"a\r\nb\nc\rd\r\n\x0ce\n" + AWKWARD["unicode line separators"],
    "pkg/mark.py": AWKWARD["byte order mark"],
}
WORDS = ["x = 1", "", "    return None", "# caf\u00e9", "print('\u2028')", "lone\rreturn", "\ufeff"]


def propose(text: Text, random: Random) -> Text:
    """A few lines replaced, added or removed, where they may be edited."""
    for _ in range(random.randint(1, 3)):
        start = random.randint(0, len(text.lines))
        stop = min(len(text.lines), start + random.choice([0, 0, 1, 2]))
        if all(text.editable(line) for line in range(start, stop)):
            text = text.replace_lines(start, stop, random.choices(WORDS, k=random.randint(0, 2)))
    return text


class Walk:
    """The work tree, and beside it what it must hold, kept by splicing hunks alone."""

    def __init__(self, folder: Path, random: Random) -> None:
        self.random = random
        self.root = make_repo(folder / "work", FILES)
        self.state_dir = folder / "state"
        self.batches = Batches(Repository.discover(self.root), self.state_dir)
        self.done: list[tuple[dict[str, bytes], dict[str, bytes]]] = []
        self.undone: list[tuple[dict[str, bytes], dict[str, bytes]]] = []
        self.expected = dict(FILES)

    def accept(self) -> None:
        """Accept some of the hunks proposed for some files, reject the others."""
        before, after = {}, {}
        for path in self.random.sample(sorted(FILES), self.random.randint(1, 3)):
            base = Text.from_bytes(self.expected[path])
            hunks = diff(base, propose(base, self.random))
            accepted: list[Hunk] = [hunk for hunk in hunks if self.random.random() < 0.7]
            if accepted:
                before[path], after[path] = self.expected[path], apply_hunks(base, accepted).to_bytes()
        if not after:
            return
        self.batches.accept([FileChange(path, before[path], after[path]) for path in after], "edit")
        self.expected |= after
        self.done.append((before, after))
        self.undone.clear()

    def undo(self) -> None:
        if not self.done:
            with pytest.raises(UsageError):
                self.batches.undo()
            return
        self.batches.undo()
        self.undone.append(self.done.pop())
        self.expected |= self.undone[-1][0]

    def redo(self) -> None:
        if not self.undone:
            with pytest.raises(UsageError):
                self.batches.redo()
            return
        self.batches.redo()
        self.done.append(self.undone.pop())
        self.expected |= self.done[-1][1]

    def detour(self) -> None:
        """Undo some earlier accept, if its lines are still its own, and undo that again."""
        applied = [b.entry for b in self.batches.log() if b.entry.is_accept and b.state is State.APPLIED]
        if not applied or self.undone:
            return
        try:
            undo = self.batches.undo(self.random.choice(applied).id)
        except Conflict:
            return
        self.batches.undo(undo.id)

    def restart(self) -> None:
        self.batches = Batches(Repository.discover(self.root), self.state_dir)

    def step(self) -> None:
        self.random.choices([self.accept, self.undo, self.redo, self.detour, self.restart], weights=[5, 3, 2, 1, 1])[
            0
        ]()
        assert tree(self.root) == self.expected


@pytest.mark.parametrize("seed", range(25))
def test_the_disk_holds_exactly_the_accepted_hunks_and_undoing_all_gives_the_original(
    tmp_path: Path, seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Twelve steps a walk: 300 in all."""
    monkeypatch.setattr(Disk, "sync", lambda _disk, _file: None)
    walk = Walk(tmp_path, Random(seed))
    for _ in range(12):
        walk.step()
    applied = [b for b in walk.batches.log() if b.entry.is_accept and b.state is State.APPLIED]
    assert len(applied) == len(walk.done)

    while walk.done:
        walk.undo()
    assert tree(walk.root) == FILES


@pytest.mark.exhaustive
@pytest.mark.parametrize("seed", range(25, 325))
def test_the_same_over_three_hundred_long_walks(tmp_path: Path, seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Disk, "sync", lambda _disk, _file: None)
    walk = Walk(tmp_path, Random(seed))
    for _ in range(40):
        walk.step()
    while walk.done:
        walk.undo()
    assert tree(walk.root) == FILES
