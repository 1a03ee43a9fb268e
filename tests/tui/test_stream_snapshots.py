"""Pictures of the diff in its layouts, and of the look back, at three sizes; `--snapshot-update` takes them again."""

from collections.abc import Callable

import pytest
from textual.pilot import Pilot

from tests.tui.support import EDIT, SPLIT, Stage, until
from tests.tui.test_look_back import at_line, looking
from tests.tui.test_snapshots import Compare, Scene, _still_clocks

SIZES = pytest.mark.parametrize("size", [(80, 24), (120, 40), (200, 60)], ids=["80x24", "120x40", "200x60"])
__all__ = ["_still_clocks"]


class StreamScene(Scene):
    """The steps that lead to a picture."""

    async def two_sides(self, pilot: Pilot[None]) -> None:
        """Side by side, where there is room."""
        await self.review(pilot, EDIT)
        await pilot.press("v")
        await until(pilot, lambda: bool(self.stage.note) or self.stage.diff.size.width == pilot.app.size.width)
        await pilot.press("home", "right_square_bracket")

    async def folded(self, pilot: Pilot[None]) -> None:
        """One of two hunks is folded."""
        await self.review(pilot, SPLIT)
        await pilot.press("z", "right_square_bracket")

    async def looking_back(self, pilot: Pilot[None]) -> None:
        """At a token in the middle."""
        await self.review(pilot, EDIT)
        await pilot.press("comma", "home", *["greater_than_sign"] * 5, "full_stop")

    async def branching(self, pilot: Pilot[None]) -> None:
        """Other words are typed there."""
        await self.review(pilot, SPLIT)
        await pilot.press("comma")
        looking(self.stage).scrub.at = at_line(self.stage, "    expenses = list(") + 1
        await pilot.press("left", *"range(3")

    async def fixing(self, pilot: Pilot[None]) -> None:
        """The half-written line stands in the prompt."""
        await self.streaming(pilot)
        await pilot.press("escape")
        self.stage.gate.let(1)
        await until(pilot, lambda: self.stage.session.runner.paused)
        await pilot.press("tab", "end", "e")


SCENES = ("two_sides", "folded", "looking_back", "branching", "fixing")


@SIZES
@pytest.mark.parametrize("scene", SCENES)
def test_the_stream_looks_as_it_did(snap_compare: Compare, stage: Stage, scene: str, size: tuple[int, int]) -> None:
    run: Callable[[Pilot[None]], object] = getattr(StreamScene(stage), scene)
    assert snap_compare(stage.app, terminal_size=size, run_before=run)
