"""What comes when a screen, or the whole of it, is being taken down finds no widgets, and
breaks nothing.
"""

import asyncio

from textual.app import App, ComposeResult
from textual.screen import Screen
from textual.widgets import Static

from spark_tui.tui.screens.modals import every, is_open
from tests.tui.support import Stage, until


class Ticking(Screen[None]):
    ticks = 0

    def compose(self) -> ComposeResult:
        yield Static()

    def on_mount(self) -> None:
        self.timer = every(0.001, self, self.tick)

    def tick(self) -> None:
        self.query_one(Static).update(str(self.ticks))
        self.ticks += 1


async def test_a_tick_that_comes_late_does_nothing() -> None:
    app, screen, above = App[None](), Ticking(), Screen[None]()
    async with app.run_test() as pilot:
        assert not is_open(screen)
        await app.push_screen(screen)
        await until(pilot, lambda: screen.ticks > 1)
        await app.push_screen(above)
        before = screen.ticks
        await until(pilot, lambda: screen.ticks > before)
        await app.pop_screen()
        await app.pop_screen()
        before = screen.ticks
        late = screen.timer._callback  # noqa: SLF001
        assert late is not None
        late()
        assert screen.ticks == before


async def test_what_ends_while_the_app_does_shows_itself_nowhere(stage: Stage) -> None:
    async with stage.started() as pilot:
        closing = asyncio.Event()

        async def late() -> None:
            try:
                await closing.wait()
            finally:
                stage.main.query("*").remove()
                stage.main.query_one("#no-more")

        stage.app.run_worker(late())
        await pilot.pause()
    assert stage.app.failure is None
