"""What is changed in a session without being saved, and what the screens tell of that."""

from collections.abc import Callable

from spark_tui.config import config_dir, load_settings
from spark_tui.tui.screens.browse import Picker
from tests.tui.support import Stage, until
from tests.tui.test_overlays import begin, lines, note, open_doctor, open_settings

__all__ = ["begin"]


async def test_what_was_changed_for_this_session_only_is_shown_as_that(begin: Callable[..., Stage]) -> None:
    file = config_dir() / "config.toml"
    file.parent.mkdir(parents=True)
    file.write_text('theme = "colour-blind"\npace = "40"\n')
    stage = begin(load_settings())

    def line(key: str) -> str:
        return next(each for each in lines(stage) if each.startswith(key))

    async with stage.app.run_test(size=(120, 30)) as pilot:
        await open_settings(stage, pilot)
        assert "config.toml:1" in line("theme")
        assert "config.toml:2" in line("pace")
        await pilot.press("escape")
        stage.main.action_theme("high-contrast")
        await stage.app.action_pace("12")
        await open_settings(stage, pilot)
        assert "high-contrast" in line("theme")
        assert "this session" in line("theme")
        assert "12" in line("pace")
        assert "this session" in line("pace")
        stage.app.screen.query_one(Picker).highlighted = lines(stage).index(line("pace"))
        await pilot.press("right")
        await until(pilot, lambda: note(stage).startswith("saved"))
        assert "this session" not in line("pace")
        await pilot.press("escape")
        stage.main.action_theme("colour-blind")
        await open_settings(stage, pilot)
        assert "config.toml:1" in line("theme")
        await pilot.press("escape")
        stage.main.action_theme("ansi")
        await open_doctor(stage, pilot)
        assert "this session theme ansi" in "\n".join(lines(stage))
