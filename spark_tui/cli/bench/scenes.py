"""What the benches show that no model writes: a diff larger than anyone reads, and one with a line of megabytes."""

from spark_tui.editing.hunks import Hunk
from spark_tui.tui.view import Phase, TurnView

_HUNK_EVERY = 100
_LINES_AROUND = 40
_WORDS = "spread(value, 12); "


def large_turn(lines: int) -> TurnView:
    """A turn that stands still with so many lines on the screen, one in a hundred changed, nothing folded."""
    base = [f"    value_{number} = compute(value_{number - 1}, {number})" for number in range(lines)]
    hunks = [
        Hunk(str(at), at, (base[at],), (base[at].replace("compute", "combine"),))
        for at in range(0, lines, _HUNK_EVERY)
    ]  # fmt: skip
    return _standing("change every hundredth line", base, hunks)


def wide_turn(characters: int) -> TurnView:
    """A turn that stands still with a line of so many characters, changed at its beginning."""
    base = [f"    value_{number} = compute(value_{number - 1}, {number})" for number in range(_LINES_AROUND)]
    base[2] = (_WORDS * (characters // len(_WORDS) + 1))[:characters]
    return _standing("change the long line", base, [Hunk("long", 2, (base[2],), ("value_10" + base[2],))])


def _standing(instruction: str, base: list[str], hunks: list[Hunk]) -> TurnView:
    view = TurnView(instruction, base)
    view.phase, view.region = Phase.PAUSED, (0, len(base))
    view.sync(base, hunks)
    return view
