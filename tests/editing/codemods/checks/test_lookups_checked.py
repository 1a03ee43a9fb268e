"""Look-ups that find nothing and are checked for it."""

import pytest

from tests.editing.codemods.results import results

FORGET = "def forget(self, key):\n    watch = self.watches.pop(key)\n    watch.stop()"


@pytest.mark.parametrize(
    ("words", "way"),
    [
        ("an unknown key should just return", "return"),
        ("a key that is not known has to be a WatchError(key)", "raise WatchError(key)"),
        ("return False for keys that are gone", "return False"),
    ],
)
def test_a_missing_key_is_checked_below(words: str, way: str) -> None:
    wanted = FORGET.replace("pop(key)", f"pop(key, None)\n    if watch is None:\n        {way}")
    assert wanted in results("guard_clause", FORGET, words)


def test_in_a_loop_the_next_one_follows() -> None:
    before = "for key in keys:\n    door = doors[key]\n    door.close()"
    after = before.replace("doors[key]", "doors.get(key)\n    if door is None:\n        continue")
    assert after in results("guard_clause", before, "skip unknown keys")


def test_a_call_that_changes_nothing_raises_what_is_told() -> None:
    before = "def set(self, key, value):\n    self.table.update(key, value)"
    after = before.replace(
        "self.table.update(key, value)", "if not self.table.update(key, value):\n        raise NoRow(key)"
    )
    assert after in results("raise_if", before, "it swallows keys that no row has. I expect NoRow(key).")
