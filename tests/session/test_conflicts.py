"""What is edited, and what not, in a file in which a merge left conflicts."""

from pathlib import Path

import pytest

from spark_tui.session.events import Status
from spark_tui.session.turn import Request, Turn
from tests.fakes import rename_script, scripted_session

CONFLICT = "<<<<<<< HEAD\n    {ours}\n=======\n    {theirs}\n>>>>>>> side\n"
TORN = (
    "def area(w, h):\n    size = w + h\n"
    + CONFLICT.format(ours="size += 1", theirs="size += 2")
    + "    return size\n\n\ndef show(d):\n    e = d\n    print(area(d, e))\n\n\ndef alone(x):\n    return x\n"
)
SIDES = "<<<<<<< HEAD\ndef f(a):\n    x = a\n=======\ndef g(a):\n    x = 2 * a\n>>>>>>> side\n    return x\n"


def _turn(folder: Path, file: str, old: str, new: str, symbol: str, region: str) -> Turn:
    turn = scripted_session(folder, {"a.py": file}, {"do": rename_script(region, old, new)}).begin(
        Request("do", "a.py", symbol=symbol)
    )
    list(turn.events())
    return turn


@pytest.mark.parametrize(("file", "symbol", "where"), [(TORN, "area", "3-7"), (SIDES, "f", "1-7"), (SIDES, "g", "1-7")])
def test_a_function_that_a_conflict_is_part_of_is_not_edited_and_what_to_do_is_told(
    tmp_path: Path, file: str, symbol: str, where: str
) -> None:
    """Also where its lines up to the first marker would parse: a renaming would end there."""
    turn = _turn(tmp_path, file, "size", "amount", symbol, "def area(w, h):\n    size = w + h\n")
    assert (turn.status, turn.hunks) == (Status.ABSTAINED, ())
    assert f"{symbol} is in a conflict (a.py:{where}); settle that first: “keep ours”" in turn.message


def test_a_function_beside_a_conflict_is_edited(tmp_path: Path) -> None:
    turn = _turn(tmp_path, TORN, "e", "other", "show", "def show(d):\n    e = d\n    print(area(d, e))\n")
    assert turn.status is Status.OK
    assert turn.review.proposed.to_bytes().decode() == TORN.replace("e = d", "other = d").replace("d, e", "d, other")


def test_a_name_that_others_use_is_not_renamed_where_they_cannot_be_changed_with_it(tmp_path: Path) -> None:
    file = TORN + "\n\nprint(alone(1))\n"
    turn = _turn(tmp_path, file, "alone", "lonely", "alone", "def alone(x):\n    return x\n")
    assert turn.status is Status.ABSTAINED
    assert "alone is also in line 20, which cannot be changed with it while the file does not parse" in turn.message
    turn = _turn(tmp_path / "other", TORN, "alone", "lonely", "alone", "def alone(x):\n    return x\n")
    assert turn.status is Status.OK


def test_markers_in_a_text_of_a_file_that_parses_are_no_conflict(tmp_path: Path) -> None:
    file = f'SAMPLE = """\n{SIDES}"""\n\n\ndef alone(x):\n    return x\n'
    turn = _turn(tmp_path, file, "x", "y", "alone", "def alone(x):\n    return x\n")
    assert turn.status is Status.OK
