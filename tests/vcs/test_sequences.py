"""Anything in any order, crashes included: no byte string is lost, and nothing changes but what was
accepted.

A machine takes random steps: accept (some hunks of a proposal, the others rejected), undo and redo
of any batch or of one file of it, edits, saves by rename, deletions and new files, chmod, commit,
checkout, staging and committing by spark, a crash at any disk call, also within recovery, a save by
an editor at any disk call, a restart, a second spark, a held lock, a journal that may not grow.
"""

import shutil
from collections.abc import Callable
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, rule, run_state_machine_as_test

from spark_tui.vcs import batches as batches_module
from spark_tui.vcs import index, lock
from tests.vcs.repos import git, make_repo
from tests.vcs.world import FILES, World

PARTS, STEPS = 40, 2_500
"""Of the long run, and steps of each: Hypothesis grows slower the more it has tried."""
WALK = 50
"""Steps at most; now and then Hypothesis ends a walk early."""
SLICE = 8
"""Walks in the ordinary run."""


class Machine(RuleBasedStateMachine):
    """Steps of a `World`, chosen by Hypothesis; each one's details follow from its seed."""

    template: Path
    steps = 0

    @initialize()
    def begin(self) -> None:
        self.folder = TemporaryDirectory()
        self.world = World(Path(self.folder.name).resolve(), self.template)

    def teardown(self) -> None:
        if hasattr(self, "world"):
            self.world.check_whole()
            self.folder.cleanup()


SETTLED = {
    "accept": "accept",
    "accept_more": "accept",
    "undo_or_redo": "turn",
    "undo_or_redo_more": "turn",
    "crash": "crash",
    "race": "race",
    "stage_or_commit": "stage_or_commit",
    "while_locked": "while_locked",
}
"""Rules that first recover from a crash, and the steps that they take; those named twice come
more often.
"""
AT_ANY_TIME = {name: name for name in ("edit", "create_or_delete", "chmod", "use_git", "restart")}


def _rule(step: str, *, settles: bool) -> Callable[[Machine, int], None]:
    def take(self: Machine, seed: int) -> None:
        Machine.steps += 1
        random = Random(seed)
        if settles:
            self.world.settle(random)
        getattr(self.world, step)(random)

    return rule(seed=st.integers(0, 2**32 - 1))(take)


for _name, _step in (SETTLED | AT_ANY_TIME).items():
    setattr(Machine, _name, _rule(_step, settles=_name in SETTLED))


@pytest.fixture
def template(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    # That git agrees with every patch is test_histories' concern; here it would take most of the
    # time.
    monkeypatch.setattr(batches_module, "_ask_git", lambda *_: None)
    monkeypatch.setattr(lock, "_PATIENCE_SECONDS", 0.0)
    # A spark that died here has the number of this process, which lives.
    monkeypatch.setattr(index, "_is_left", lambda _path, words: words is not None)
    root = make_repo(tmp_path / "template", FILES)
    shutil.rmtree(root / ".git" / "hooks", ignore_errors=True)
    for key in ("name", "email"):
        git(root, "config", f"user.{key}", "tester")
    return root


def walk(template: Path, walks: int) -> None:
    Machine.template = template
    chosen = settings(max_examples=walks, stateful_step_count=WALK, deadline=None, database=None)
    run_state_machine_as_test(Machine, settings=chosen)


def test_nothing_is_lost_whatever_happens_in_whatever_order(template: Path) -> None:
    walk(template, SLICE)


@pytest.mark.exhaustive
@pytest.mark.parametrize("part", range(PARTS))
def test_nothing_is_lost_in_a_hundred_thousand_steps(template: Path, part: int) -> None:
    Machine.steps = 0
    walk(template, STEPS * 11 // (WALK * 10))
    assert Machine.steps > STEPS, part
