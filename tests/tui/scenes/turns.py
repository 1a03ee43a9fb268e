"""A turn from the first word to the commit."""

from textual.pilot import Pilot

from spark_tui.session.hunk_items import HunkState
from spark_tui.session.turn_state import TurnPhase
from spark_tui.tui.screens.commit import CommitScreen
from spark_tui.tui.screens.hunk_editor import EditScreen
from spark_tui.tui.screens.modals import AskScreen, ConsentScreen
from spark_tui.tui.screens.token_scrubber import LookBackScreen
from spark_tui.tui.screens.undo import ConflictScreen, TurnScreen
from spark_tui.tui.widgets.diff_rows import RowKind
from spark_tui.tui.widgets.prompt import Prompt
from tests.fakes import git
from tests.tui.scenes.stage import ADD_COLUMN, ALOUD, CHANGED, LOG_IT, ODDLY, scene
from tests.tui.support import EDIT, RENAME, STORE, WIDEN, Stage, until
from tests.tui.test_hunk_actions import go_to
from tests.tui.test_look_back import at_line, looking
from tests.tui.test_next_edit import OFFER, Measured
from tests.tui.test_review import decide, decided
from tests.tui.test_unsure import WORDS, Unsure
from tests.tui.test_varying import Varied
from tests.vcs.repos import name_somebody

SO_FAR = "            parts = line.s"


# While it writes


@scene
async def loading(stage: Stage, pilot: Pilot[None]) -> None:
    """The model is not there yet."""
    await pilot.pause()


@scene
async def start(stage: Stage, pilot: Pilot[None]) -> None:
    """Nothing was asked yet."""
    await stage.ready(pilot)


@scene
async def streaming(stage: Stage, pilot: Pilot[None]) -> None:
    """A hunk is being written."""
    await stage.ask(pilot, EDIT)
    await stage.step_until(
        pilot, lambda: any(SO_FAR in line for hunk in stage.view.hunks for line in hunk.new_lines)
    )
    await until(pilot, lambda: stage.gate.holds)


@scene
async def paused(stage: Stage, pilot: Pilot[None]) -> None:
    """Esc was pressed."""
    await streaming(stage, pilot)
    await pilot.press("escape")
    stage.gate.let(1)
    await until(
        pilot, lambda: stage.view.figures.stop_ms is not None and stage.session.runner.paused
    )


@scene
async def redirect(stage: Stage, pilot: Pilot[None]) -> None:
    """Other words were typed instead."""
    await paused(stage, pilot)
    await pilot.press(*"no", "comma", "space", *"keep", "space", *"print")


@scene
async def fixing(stage: Stage, pilot: Pilot[None]) -> None:
    """The half-written line stands in the prompt."""
    await paused(stage, pilot)
    await stage.opens(pilot, LookBackScreen, "tab", "end", "e")


@scene
async def engine_failed(stage: Stage, pilot: Pilot[None]) -> None:
    """The engine failed while it was writing."""
    await streaming(stage, pilot)
    stage.gate.fail(MemoryError())
    stage.gate.let(1)
    await until(pilot, lambda: bool(stage.view.problem) and stage.session.runner.paused)


@scene
async def error(stage: Stage, pilot: Pilot[None]) -> None:
    """A place that is not there."""
    await stage.ask(pilot, "make it better in @gone.py")
    await until(pilot, lambda: bool(stage.note) and not stage.main.dispatch.reading_ahead)


def leads_somewhere(stage: Stage) -> bool:
    """Whether the place of the next words is known and weighed."""
    return stage.bar("region").startswith("edits ") and "?" not in stage.bar("region")


@scene
async def abstained(stage: Stage, pilot: Pilot[None]) -> None:
    """The model found nothing to do."""
    stage.gate.open()
    await stage.ask(pilot, "make load better")
    await until(pilot, lambda: bool(stage.note) and leads_somewhere(stage))


@scene
async def withdrawn(stage: Stage, pilot: Pilot[None]) -> None:
    """What was seen being written does not pass its checks."""
    await stage.ask(pilot, "mind the gap in load")
    await stage.step_until(pilot, lambda: bool(stage.view.hunks))
    stage.gate.open()
    await until(pilot, lambda: bool(stage.view.withdrawn) and leads_somewhere(stage))


# Review


@scene
async def reviewing(stage: Stage, pilot: Pilot[None]) -> None:
    """The turn is over."""
    await stage.review(pilot, EDIT)


@scene
async def two_sides(stage: Stage, pilot: Pilot[None]) -> None:
    """Side by side, where there is room."""
    await stage.review(pilot, EDIT)
    await pilot.resize_terminal(120, 40)
    await stage.press(pilot, "v")
    await until(pilot, lambda: stage.diff.beside and stage.diff.size.width == pilot.app.size.width)


@scene
async def many(stage: Stage, pilot: Pilot[None]) -> None:
    """More hunks than fit."""
    await stage.review(pilot, LOG_IT)
    await pilot.press(*["right_square_bracket"] * 6)


@scene
async def split(stage: Stage, pilot: Pilot[None]) -> None:
    """Cut, and a line of it out."""
    await stage.review(pilot, WIDEN)
    await stage.press(pilot, "s")
    await until(pilot, lambda: len(stage.view.hunks) == 3)
    await go_to(stage, pilot, RowKind.OLD, "for line in f")
    await pilot.press("space")
    await until(pilot, lambda: bool(stage.view.out) and stage.view.verdict is not None)


@scene
async def edited(stage: Stage, pilot: Pilot[None]) -> None:
    """In the small editor."""
    await stage.review(pilot, WIDEN)
    await stage.opens(pilot, EditScreen, "e")


@scene
async def unsure(stage: Stage, pilot: Pilot[None]) -> None:
    """An edit that the model is not sure of, nor of the place, with another answer behind it."""
    assert isinstance(stage, Unsure)
    stage.words = WORDS
    await stage.review(pilot)


@scene
async def asked_why(stage: Stage, pilot: Pilot[None]) -> None:
    """Why the hunk is to be written anew."""
    assert isinstance(stage, Varied)
    await stage.review(pilot)
    await stage.opens(pilot, AskScreen, "g")


async def open_change(stage: Stage, pilot: Pilot[None]) -> None:
    """The review of what somebody did to the work tree."""
    stage.file.write_text(CHANGED)
    stage.file.with_name("notes.md").write_text("# Notes\n\nSeparators are semicolons.\n")
    stage.file.with_name("conftest.py").unlink()
    await stage.review(pilot, "/review")


@scene
async def change_reviewed(stage: Stage, pilot: Pilot[None]) -> None:
    """Of a change of the work tree one hunk is kept, and another one taken back."""
    await open_change(stage, pilot)
    await stage.decides(pilot, "a", left=3)
    await stage.decides(pilot, "r", left=2)


@scene
async def change_rewritten(stage: Stage, pilot: Pilot[None]) -> None:
    """A model writes a hunk of a change anew, and is paused."""
    await open_change(stage, pilot)
    await stage.press(pilot, "]", "]")
    stage.gate.shut()
    await stage.opens(pilot, AskScreen, "g")
    await pilot.press(*("space" if letter == " " else letter for letter in ALOUD))
    await stage.closes(pilot, "enter")
    await until(pilot, lambda: stage.gate.holds)
    await stage.step_until(
        pilot, lambda: any("split_" in line for line in stage.view.hunks[2].new_lines)
    )
    await pilot.press("escape")
    await until(pilot, lambda: stage.view.phase is TurnPhase.PAUSED)


@scene
async def odd(stage: Stage, pilot: Pilot[None]) -> None:
    """Text that is not what it looks like."""
    await stage.review(pilot, ODDLY)


@scene
async def consent(stage: Stage, pilot: Pilot[None]) -> None:
    """Before a file is written that runs by itself."""
    await stage.review(pilot, ADD_COLUMN)
    await stage.opens(pilot, ConsentScreen, "a")


@scene
async def accepted(stage: Stage, pilot: Pilot[None]) -> None:
    """The first of two hunks is in the file."""
    await stage.review(pilot)
    await decide(stage, pilot, "a", HunkState.ACCEPTED, HunkState.OK)


@scene
async def next_edit(stage: Stage, pilot: Pilot[None]) -> None:
    """The edit is in the file, and the next place that wants it is offered."""
    assert isinstance(stage, Measured)
    await stage.review(pilot)
    await stage.decides(pilot, "a")
    await until(pilot, lambda: stage.offer == OFFER)


@scene
async def gone(stage: Stage, pilot: Pilot[None]) -> None:
    """What was accepted was taken out of the file by another program, and the lines of the
    other hunk were edited.
    """
    await accepted(stage, pilot)
    stage.file.write_text(STORE.replace("    f.close()", "    f.shut()"))
    stage.main.file_watch.look()
    await decided(stage, pilot, HunkState.GONE, HunkState.CHANGED)


@scene
async def undo_shown(stage: Stage, pilot: Pilot[None]) -> None:
    """What an undo will do."""
    await stage.review(pilot, WIDEN)
    await decide(stage, pilot, "a", HunkState.ACCEPTED)
    await stage.opens(pilot, TurnScreen, "u")


@scene
async def conflict(stage: Stage, pilot: Pilot[None]) -> None:
    """The same lines were edited since."""
    await stage.review(pilot, WIDEN)
    await decide(stage, pilot, "a", HunkState.ACCEPTED)
    stage.file.write_text(stage.file.read_text().replace("log.info(path)", "log.debug(path)"))
    await stage.opens(pilot, ConflictScreen, "u")


@scene
async def clash(stage: Stage, pilot: Pilot[None]) -> None:
    """The lines were edited before the hunk was accepted."""
    await stage.review(pilot, WIDEN)
    stage.file.write_text(stage.file.read_text().replace("open(path)", "path.open()"))
    await stage.opens(pilot, ConflictScreen, "a")


@scene
async def commit(stage: Stage, pilot: Pilot[None]) -> None:
    """What was accepted is about to be committed."""
    name_somebody(stage.session.repo.root)
    await accepted(stage, pilot)
    await stage.press(pilot, "c")
    await until(
        pilot,
        lambda: (
            isinstance(stage.app.screen, CommitScreen) and isinstance(stage.app.focused, Prompt)
        ),
    )


@scene
async def commit_warned(stage: Stage, pilot: Pilot[None]) -> None:
    """The first hunk of a renaming alone is about to be committed."""
    name_somebody(stage.session.repo.root)
    await stage.review(pilot, RENAME)
    await decide(stage, pilot, "a", HunkState.ACCEPTED, HunkState.OK, HunkState.OK)
    await stage.press(pilot, "c")
    await until(
        pilot,
        lambda: (
            isinstance(stage.app.screen, CommitScreen) and isinstance(stage.app.focused, Prompt)
        ),
    )


@scene
async def commit_hindered(stage: Stage, pilot: Pilot[None]) -> None:
    """In the middle of a merge only staging is offered."""
    await accepted(stage, pilot)
    root = stage.session.repo.root
    (root / ".git/MERGE_HEAD").write_bytes(git(root, "rev-parse", "HEAD"))
    await stage.opens(pilot, CommitScreen, "c")


# Looking back


@scene
async def looking_back(stage: Stage, pilot: Pilot[None]) -> None:
    """At a token in the middle."""
    await stage.review(pilot, EDIT)
    await pilot.press("comma", "home", *["greater_than_sign"] * 5, "full_stop")


@scene
async def branching(stage: Stage, pilot: Pilot[None]) -> None:
    """Other words are typed there."""
    await stage.review(pilot)
    await pilot.press("comma")
    looking(stage).scrub.at = at_line(stage, "    expenses = list(") + 1
    await pilot.press("left", *"range(3")
