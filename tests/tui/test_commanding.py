"""What is sent that is no instruction: /commands and !commands."""

import re
from dataclasses import replace

import pytest
from textual.pilot import Pilot

from spark_tui.engine.loader import LoadedModel
from spark_tui.errors import UsageError
from spark_tui.providers.registry import Models
from spark_tui.session.turn_state import TurnPhase
from spark_tui.tui.app import COMMANDS as IN_PALETTE
from spark_tui.tui.commands import COMMANDS, meant, typed_command
from spark_tui.tui.screens.help import HelpScreen
from spark_tui.tui.screens.modals import ConsentScreen
from spark_tui.tui.screens.shell import ShellScreen
from spark_tui.tui.widgets.completion import Completion
from spark_tui.tui.widgets.message_line import Note
from spark_tui.tui.widgets.output_log import OutputLog
from tests.fakes import lives
from tests.tui.support import EDIT, HUSH, Stage, until
from tests.vcs.repos import hook, name_somebody


@pytest.fixture(autouse=True)
def _plain_shell(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SHELL", "/bin/sh")


async def send(pilot: Pilot[None], text: str) -> None:
    await pilot.press(*text)
    await pilot.pause()
    await pilot.press("enter")


@pytest.mark.parametrize(
    ("text", "name", "argument", "problem"),
    [
        ("/help", "help", "", ""),
        ("/HELP ", "help", "", ""),
        ("/theme  spark-light ", "theme", "spark-light", ""),
        ("/thme", None, "", "there is no command /thme; the nearest is /theme"),
        ("/zzz", None, "", "there is no command /zzz; / lists them"),
        ("/undo it", None, "it", "/undo takes no argument; to say something else, begin without /"),
    ],
)
def test_commands_as_they_are_typed(
    text: str, name: str | None, argument: str, problem: str
) -> None:
    typed = typed_command(text)
    assert typed is not None
    assert (typed.command.name if typed.command else None, typed.argument, typed.problem) == (
        name,
        argument,
        problem,
    )


@pytest.mark.parametrize("text", ["/", "/usr/bin is wrong", "fix /help", "//", "/2"])
def test_what_is_no_command(text: str) -> None:
    assert typed_command(text) is None


async def test_a_command_without_its_slash_or_a_key_of_the_diff_alone_is_no_instruction(
    stage: Stage,
) -> None:
    did_you_mean = "did you mean {}? Type it again like that, or say more"
    told = {
        "undo": did_you_mean.format("/undo"),
        " redo": did_you_mean.format("/redo"),
        "help": did_you_mean.format("/help or ? in an empty prompt"),
        "commit": did_you_mean.format("/commit or c in the diff"),
        "c": "c is a key of the diff (stage and commit); /commit does it from here",
        "a": "a is a key of the diff (accept the hunk); Tab goes there",
    }
    async with stage.started() as pilot:
        for word, said in told.items():
            await send(pilot, word)
            assert (stage.note, stage.prompt.text) == (said, word)
            assert not stage.main.busy
            await pilot.press("ctrl+c")


@pytest.mark.parametrize("text", ["undo it", "Undo", "renamed", "/undo", ""])
def test_what_is_no_command_without_its_slash(text: str) -> None:
    assert meant(text, [command.name for command in COMMANDS]) == ""


async def test_every_command_that_is_offered_can_be_carried_out(stage: Stage) -> None:
    async with stage.started() as pilot:
        await pilot.press("/")
        shown = [item.text for item in stage.main.query_one(Completion).items]
        assert shown == [f"/{command.name}" for command in COMMANDS]
        actions = [command.action for command in COMMANDS if command.action]
        for action in (*actions, *(action for _, _, action in IN_PALETTE)):
            owner, name = re.match(r"(\w+)\.(\w+)", action).groups()  # type: ignore[union-attr]
            holder = {"app": stage.app, "diff": stage.diff}.get(owner, stage.main)
            assert callable(getattr(holder, f"action_{name}"))


async def test_enter_runs_the_command_chosen_in_the_list_or_the_only_one_that_begins_so(
    stage: Stage,
) -> None:
    async with stage.started() as pilot:
        for keys in ("/he", ("/", "down", "up")):
            await pilot.press(*keys)
            await pilot.pause()
            await stage.opens(pilot, HelpScreen, "enter")
            assert stage.prompt.text == ""
            await pilot.press("escape")


async def test_what_could_be_another_command_or_takes_something_is_named_and_runs_at_the_next_enter(
    stage: Stage,
) -> None:
    async with stage.started() as pilot:
        for begun, first in (("/re", "/redo"), ("/udo", "/undo"), ("/mode", "/model")):
            await pilot.press("ctrl+c")
            await send(pilot, begun)
            assert stage.note == f"there is no command {begun}; Enter runs {first}"
            assert stage.prompt.text.strip() == first
        await stage.says(pilot, "/model NAME changes", "enter")
        await send(pilot, "/undoo")
        assert stage.note == "there is no command /undoo; the nearest is /undo"
        assert stage.prompt.text == "/undoo"


async def test_an_argument_is_offered_and_taken_or_sent_as_it_was_typed_whatever_is_like_it(
    stage: Stage,
) -> None:
    async with stage.started() as pilot:
        await pilot.press(*"/theme lig", "tab", "enter")
        await until(pilot, lambda: stage.app.theme == "spark-light")
        await pilot.press(*"/theme spark", "down", "up", "enter")
        await until(pilot, lambda: stage.app.theme == "spark-dark")
        await pilot.press(*"/theme light", "enter")
        themes = "ansi, color-blind, high-contrast, spark-dark, spark-light"
        await until(pilot, lambda: stage.note == f"no theme 'light'; choose one of {themes}")
        assert (stage.app.screen, stage.app.theme) == (stage.main, "spark-dark")
        await pilot.press("ctrl+c", *"/pace 20")
        assert [item.text for item in stage.main.query_one(Completion).items][:1] == ["h200"]
        await pilot.press("enter")
        await until(pilot, lambda: "20" in stage.bar("meters"))
        assert "h200" not in stage.bar("meters")


async def test_clear_shows_nothing_of_the_last_turn_and_writes_nothing(stage: Stage) -> None:
    stage.gate.open()
    async with stage.started() as pilot:
        before = stage.file.read_text()
        await stage.ask(pilot, EDIT)
        await until(pilot, lambda: stage.view.phase is TurnPhase.REVIEW)
        await pilot.press("enter")
        await send(pilot, "/clear")
        await until(pilot, lambda: stage.view.phase is TurnPhase.READY)
        assert stage.view.hunks == ()
        assert stage.note.endswith("left undecided: none of that was written")
        assert stage.file.read_text() == before


class _OtherModels(Models):
    """Has one model, which may fail to load."""

    made: LoadedModel

    def names(self) -> tuple[str, ...]:
        return ("model", "other")

    def load(self, name: str) -> LoadedModel:
        if name != "other":
            raise UsageError(f"no model {name!r}")
        return self.made


async def test_another_model_writes_from_the_next_turn_on(stage: Stage) -> None:
    models = _OtherModels()
    object.__setattr__(models, "made", replace(stage.session.loaded, name="other"))
    stage.session.models = models
    stage.gate.open()
    async with stage.asked(HUSH, size=(160, 40)) as pilot:
        await until(pilot, lambda: stage.view.phase is TurnPhase.REVIEW)
        stage.main.action_meters()
        assert "TTFT" in stage.bar("meters")
        stage.prompt.focus()
        await send(pilot, "/model nope")
        await until(pilot, lambda: stage.note == "no model 'nope'; model goes on")
        await send(pilot, "/model other")
        await until(pilot, lambda: stage.note == "other writes from the next turn on")
        assert stage.bar("meters").startswith("other")
        assert "TTFT" not in stage.bar("meters"), "the figures of another model"
        await stage.ask(pilot, EDIT)
        await until(
            pilot, lambda: stage.view.phase is TurnPhase.REVIEW and stage.view.instruction == EDIT
        )
        assert "TTFT" in stage.bar("meters")
        assert stage.session.loaded.name == "other"


def said(stage: Stage) -> str:
    return stage.app.screen.query_one(OutputLog).words


async def test_a_shell_command_shows_what_it_says_safely_and_how_it_ended(stage: Stage) -> None:
    async with stage.started() as pilot:
        await send(
            pilot,
            r"!printf 'a\033[31mb\033[0m\n\033]0;title\007c\033_x\rdone 50\rdone\n\303\n'; exit 7",
        )
        await until(pilot, lambda: isinstance(stage.app.screen, ShellScreen))
        await until(pilot, lambda: "ended with 7" in _state(stage))
        assert said(stage) == "ab\ndone\n<0xC3>"
        assert stage.prompt.text == ""
        await stage.closes(pilot, "escape")
        assert "ended with 7" in stage.note
        await pilot.press("up")
        assert stage.prompt.text.startswith("!printf")


def _state(stage: Stage) -> str:
    bars = list(stage.app.screen.query("#state"))
    return getattr(bars[0], "words", "") if bars else ""


async def test_what_is_typed_while_a_shell_command_runs_is_in_the_prompt_behind_it(
    stage: Stage,
) -> None:
    async with stage.started() as pilot:
        await send(pilot, "!until test -e go; do sleep 0.01; done")
        await until(pilot, lambda: isinstance(stage.app.screen, ShellScreen))
        await pilot.press(*"quick jogx", "backspace")
        assert "for the prompt: quick jog" in _state(stage)
        (stage.session.repo.root / "go").touch()
        await until(pilot, lambda: "ended with 0" in _state(stage))
        await stage.closes(pilot, "q", "escape")
        assert stage.prompt.text == "quick jogq"


@pytest.mark.parametrize("key", ["escape", "ctrl+c"])
async def test_a_shell_command_is_ended_with_its_children_and_one_that_draws_a_screen(
    stage: Stage, key: str
) -> None:
    async with stage.started() as pilot:
        await send(pilot, r"!sleep 60 & echo $! > pid; printf 'on\033[?1049h\n'; wait")
        await until(
            pilot, lambda: isinstance(stage.app.screen, ShellScreen) and "on" in said(stage)
        )
        told = "a program with a screen of its own does not work here; run it in another terminal"
        await until(pilot, lambda: stage.app.screen.query_one(Note).words == told)
        await pilot.press(key)
        await until(pilot, lambda: "was stopped" in _state(stage))
        child = int((stage.session.repo.root / "pid").read_text())
        await until(pilot, lambda: not lives(child))
        await stage.closes(pilot, key)


async def test_a_repository_that_could_run_programs_is_named_once(stage: Stage) -> None:
    hook(stage.session.repo.root)
    async with stage.started() as pilot:
        await send(pilot, "!true")
        await until(pilot, lambda: isinstance(stage.app.screen, ConsentScreen))
        assert "hook pre-commit" in stage.painted
        await stage.press_later(pilot, "y")
        await until(
            pilot,
            lambda: isinstance(stage.app.screen, ShellScreen) and "ended with 0" in _state(stage),
        )
        await pilot.press("escape")
        await run(stage, pilot, "true")


async def run(stage: Stage, pilot: Pilot[None], line: str) -> None:
    """Run a command to its end, and close its panel."""
    await send(pilot, f"!{line}")
    await until(
        pilot, lambda: isinstance(stage.app.screen, ShellScreen) and "ended with 0" in _state(stage)
    )
    await stage.closes(pilot, "escape")


async def test_what_a_command_did_to_git_is_seen_once_it_ended(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(stage.session.repo.root.parent))
    name_somebody(stage.session.repo.root)
    async with stage.reviewing(HUSH) as pilot:
        await pilot.press("a")
        await until(pilot, lambda: "commit" in stage.bar("hints"))
        await pilot.press("escape")
        await run(stage, pilot, "git checkout -qb other")
        await until(pilot, lambda: stage.bar("title").endswith(" other"))
        await pilot.press("tab")
        await until(pilot, lambda: stage.diff.has_focus and not stage.main.disk.locked())
        assert "commit" in stage.bar("hints")
        await pilot.press("escape")
        await run(stage, pilot, "git commit -qam mine")
        await pilot.press("tab")
        await until(pilot, lambda: stage.diff.has_focus and "commit" not in stage.bar("hints"))


async def test_a_flood_is_capped(stage: Stage) -> None:
    async with stage.started() as pilot:
        await send(pilot, "!yes | head -n 3000; echo end")
        await until(
            pilot,
            lambda: isinstance(stage.app.screen, ShellScreen) and "ended with 0" in _state(stage),
        )
        panel = stage.app.screen.query_one(OutputLog)
        assert panel.count == 3001
        assert panel.scroll_offset.y == panel.max_scroll_y
        panel.add(b"x\n" * 6000 + b"z" * 100_000)
        panel.end()
        lines = panel.words.split("\n")
        assert (len(lines), len(lines[-1])) == (5000, 1001)


async def test_meters_shows_what_is_measured_and_hides_it_again(stage: Stage) -> None:
    async with stage.reviewing(HUSH, size=(160, 40)) as pilot:
        quiet = stage.bar("meters")
        assert quiet == "model review 1 hunk +0  −1"
        await pilot.press("enter")
        await send(pilot, "/meters")
        await until(pilot, lambda: "TTFT" in stage.bar("meters") and "ctx" in stage.bar("meters"))
        await send(pilot, "/meters")
        await until(pilot, lambda: stage.bar("meters") == quiet)
