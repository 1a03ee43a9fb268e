"""Which lines are the region where the model has no room for the whole function."""

import pytest

from spark_tui.errors import UsageError
from tests.context.test_regions import code, find

FEW = code(
    """
    def f(rows):
        total = add(
            rows,
            1,
        )
        for row in rows:
            # each of them
            if row:
                total += 1
                print(row)
            else:
                total -= 1
        match total:
            case 0:
                return None
            case _:
                return total
    """
)


@pytest.mark.parametrize(
    ("lines", "region", "selected"),
    [
        ((3, 3), (2, 5), (1, 1)),
        ((4, 6), (2, 12), (2, 4)),
        ((9, 9), (9, 9), None),
        ((9, 11), (8, 12), (1, 3)),
        ((14, 15), (13, 17), (1, 2)),
        ((15, 15), (15, 15), None),
        ((1, 2), (1, 2), None),
    ],
)
def test_of_a_function_that_the_model_has_no_room_for_the_statements_are_taken_that_the_lines_are_part_of(
    lines: tuple[int, int], region: tuple[int, int], selected: tuple[int, int] | None
) -> None:
    found = find(path="a.py", lines=lines, files={"a.py": FEW}, fits=lambda lines: len(lines) < 12)
    assert ((found.start_line, found.end_line), found.selected) == (region, selected)
    assert found.symbol is None


def test_given_lines_are_the_region_where_their_statement_does_not_fit_either() -> None:
    found = find(path="a.py", lines=(4, 6), files={"a.py": FEW}, fits=lambda lines: len(lines) < 5)
    assert ((found.start_line, found.end_line), found.selected) == ((4, 6), None)


def test_a_line_that_is_told_is_seen_with_what_is_near_as_far_as_there_is_room() -> None:
    files = {"a.py": b"def f():\n" + b"    x = 1\n" * 99}
    found = find("delete line 50", files, path="a.py", fits=lambda lines: len(lines) < 90)
    assert ((found.start_line, found.end_line), found.selected) == ((30, 70), (20, 20))
    found = find("delete line 50", files, path="a.py", fits=lambda lines: len(lines) < 40)
    assert (found.start_line, found.end_line) == (50, 50)


def test_given_lines_in_too_long_a_function_are_the_region_themselves() -> None:
    files = {"a.py": b"def f():\n" + b"    x = 1\n" * 300}
    found = find(path="a.py", lines=(10, 12), files=files)
    assert (found.start_line, found.end_line, found.symbol, found.selected) == (10, 12, None, None)


def test_too_long_a_symbol_is_refused() -> None:
    files = {"a.py": b"class A:\n" + b"    x = 1\n" * 300}
    with pytest.raises(UsageError, match="A has 301 lines and spark edits at most 255"):
        find("fix A", path="a.py", symbol="A", files=files)
