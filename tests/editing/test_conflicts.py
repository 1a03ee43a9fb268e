import pytest

from spark_tui.editing.conflicts import Torn, odd_marker, torn
from spark_tui.editing.line_diff import heading_of

MERGE = ["a", "<<<<<<< HEAD", "b = 1", "=======", "b = 2", "c = 2", ">>>>>>> side", "d"]
WITH_BASE = ["<<<<<<< HEAD", "b = 1", "||||||| 1a2b3c", "b", "=======", "b = 2", ">>>>>>> side"]


def test_a_conflict_is_read_with_what_git_calls_its_sides() -> None:
    assert torn(MERGE) == (Torn(1, None, 3, 6, "HEAD", "side"),)
    assert torn(WITH_BASE) == (Torn(0, 2, 4, 6, "HEAD", "side"),)
    assert [each.start for each in torn(MERGE * 2)] == [1, 9]


@pytest.mark.parametrize(
    ("lines", "side", "left"),
    [
        (MERGE, "ours", "a\nb = 1\nd"),
        (MERGE, "theirs", "a\nb = 2\nc = 2\nd"),
        (MERGE, "both", "a\nb = 1\nb = 2\nc = 2\nd"),
        (WITH_BASE, "ours", "b = 1"),
        (WITH_BASE, "theirs", "b = 2"),
        (WITH_BASE, "both", "b = 1\nb = 2"),
        (["<<<<<<< HEAD", "=======", "b", ">>>>>>> side", "c"], "ours", "c"),
    ],
)
def test_what_is_kept_of_a_conflict_has_no_markers_and_all_of_its_side(
    lines: list[str], side: str, left: str
) -> None:
    (found,) = torn(lines)
    gone = {at for stretch in found.dropped(side) for at in stretch}
    assert "\n".join(line for at, line in enumerate(lines) if at not in gone) == left


@pytest.mark.parametrize(
    ("lines", "odd"),
    [
        (MERGE, None),
        (MERGE[:6], 1),
        (MERGE[2:], 4),
        (MERGE[:3] + MERGE[4:], 1),
        (MERGE[:2] + MERGE, 1),
        ([*MERGE[:6], heading_of("b.py"), *MERGE[6:]], 1),
        (["Title", "=======", "words"], None),
        (["x <<<<<<< y", "<<<<<<<< z", ">>> 1"], None),
    ],
)
def test_half_a_conflict_is_no_conflict_and_told(lines: list[str], odd: int | None) -> None:
    assert odd_marker(lines) == odd
