"""The report on a turn tells of that turn, in the figures of the bottom line."""

from textual.widgets import Static

from spark_tui.tui.view import Phase
from tests.tui.support import EDIT, HUSH, Stage, until


async def test_a_report_tells_of_an_esc_in_its_own_turn_only_and_what_the_bottom_line_tells(
    stage: Stage,
) -> None:
    async with stage.app.run_test(size=(140, 40)) as pilot:

        async def reported() -> str:
            stage.app.action_open("report")
            await until(pilot, lambda: bool(stage.app.screen.query("ReportScreen #sheet")))
            text = str(stage.app.screen.query_one("#sheet", Static).render())
            await pilot.press("escape")
            return text

        await stage.ask(pilot, EDIT)
        await stage.step_until(pilot, lambda: stage.seen >= 3)
        await pilot.press("escape")
        stage.gate.let(1)
        await until(pilot, lambda: stage.view.figures.stop_ms is not None)
        assert "last Esc stopped in" in await reported()
        stage.gate.open()
        stage.prompt.set_text(HUSH)
        await pilot.press("enter")
        await until(pilot, lambda: stage.view.phase is Phase.REVIEW)
        text, ttft = await reported(), stage.view.figures.ttft_ms
        assert "last Esc" not in text
        assert f"first token (TTFT){ttft:>10,.1f}" in text
        used, limit = stage.view.figures.used, stage.session.host.context
        assert f"{used:,} of {limit:,} tokens" in text
        assert f"{used}/{limit} ctx" in stage.bar("meters")
