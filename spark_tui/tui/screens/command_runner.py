"""Carries out the commands that are sent from the prompt: /NAME for spark, !LINE for the shell."""

import asyncio
from collections.abc import Callable, Collection, Sequence
from functools import partial
from typing import TYPE_CHECKING, cast

from spark_tui.config import config_dir
from spark_tui.errors import Interrupted, SparkError
from spark_tui.session.throttle import PACES
from spark_tui.tui.commands import COMMANDS, SlashCommand, meant, typed_command
from spark_tui.tui.screens.cancellable_work import CancellableWork
from spark_tui.tui.screens.check_runner import CheckRunner
from spark_tui.tui.screens.host import Host
from spark_tui.tui.screens.modals import ConsentScreen, CoveredApp
from spark_tui.tui.screens.prompt_dispatch import PromptDispatch
from spark_tui.tui.screens.shell import ShellScreen

if TYPE_CHECKING:
    from spark_tui.session.change_review import ReviewSource
    from spark_tui.session.controller import Controller
    from spark_tui.session.turn import Turn

_RUNS = "Run it?"


class CommandRunner:
    """Carries out text that begins with / or !. Whatever may wait runs in workers of `screen`."""

    def __init__(
        self,
        screen: Host,
        dispatch: PromptDispatch,
        pending: CancellableWork,
        checks: CheckRunner,
    ) -> None:
        self._screen = screen
        self._dispatch = dispatch
        self._pending = pending
        self._checks = checks
        self._warned = False  # whether the user has heard what else a shell command may run
        self._changing = ""  # the model that is being loaded
        self._waiting: Callable[[], None] | None = None
        """Opens a review that was asked for before there was a session."""

    @property
    def _app(self) -> CoveredApp:
        return cast("CoveredApp", self._screen.app)

    def sent(self, text: str, *, by_hand: bool) -> None:
        """Carry out what the user sent, be it a command or an instruction.

        Args:
            by_hand: Whether the first character was typed, and not pasted.
        """
        screen = self._screen
        typed = typed_command(text.strip())
        names = [command.name for command in COMMANDS]
        keys = {
            "help": "? in an empty prompt",
            "commit": f"{screen.keys.key('git.commit')} in the diff",
        }
        if text.startswith("!"):
            self._shell(text, by_hand=by_hand)
        # A lone "undo", or a lone "a", is meant as a command or a key: no model is asked for that.
        elif words := meant(text, names, keys=keys) or self._key(text.strip(), names):
            screen.say(words, look="warning")
        elif typed is None:
            self._keep(text)
            self._dispatch.send(text)
        elif typed.command is None:
            screen.say(typed.problem, look="error")
        else:
            screen.prompt.put_away(text)
            self._carry_out(typed.command, typed.argument, by_hand=by_hand)

    def _carry_out(self, command: SlashCommand, argument: str, *, by_hand: bool) -> None:
        match command.name:
            case "ask":
                self.ask(argument)
            case "check":
                self._checks.command(argument, by_hand=by_hand)
            case "keep":
                self.keep(argument)
            case "model":
                self.model(argument)
            case "rename":
                self.rename(argument)
            case "review":
                self.review(argument)
            case "theme":
                self.theme(argument)
            case _:
                # All others name a Textual action in `COMMANDS`.
                call = f"{command.action}({argument!r})" if command.argument else command.action
                work = self._screen.app.run_action(call, self._screen)
                self._screen.run_worker(work, group="command")

    def _key(self, character: str, commands: Collection[str]) -> str:
        """The message about a lone character that is a key elsewhere, or ""."""
        keys = self._screen.keys
        action = keys.action("diff", character) if len(character) == 1 else ""
        if not action:
            return ""
        name = action.rpartition(".")[2]
        if name in commands:
            instead = f"/{name} does it from here"
        else:
            instead = f"{keys.key('focus.diff')} goes there"
        return f"{character} is a key of the diff ({keys.does[action]}); {instead}"

    def choices(self, command: str) -> list[tuple[str, str]]:
        """The arguments that a command can take, with their descriptions."""
        if command in {"model", "check", "task", "plan", "task -m", "plan -m"}:
            controller = self._screen.controller
            return self._choices_here(command, controller) if controller is not None else []
        if command == "keep":
            # The first paint waits for none of it.
            from spark_tui.editing.conflicts import SIDES  # noqa: PLC0415

            return [(side, "") for side in SIDES]
        if command == "pace":
            return list(PACES.items())
        if command == "theme":
            app = self._app
            known = {name: "in use" if name == app.theme else "" for name in app.available_themes}
            return sorted((known | dict.fromkeys(app.themes.broken, "cannot be used")).items())
        return []

    @staticmethod
    def _choices_here(command: str, controller: "Controller") -> list[tuple[str, str]]:
        """The arguments that depend on the session: models, agents, and "off" for the check."""
        if command in {"model", "task -m", "plan -m"}:
            now = controller.model
            names = controller.session.models.names()
            return [(name, "in use" if name == now else "") for name in names]
        if command in {"task", "plan"}:
            # The first paint waits for none of it.
            from spark_tui.tasks.request import OPTIONS  # noqa: PLC0415

            agents = controller.settings.agents if command == "task" else ()
            return [*OPTIONS.items(), *((f"@{name}", "your agent works on it") for name in agents)]
        return [("off", "ends it")] if controller.session.check.line else []

    def model(self, name: str) -> None:
        """Change to a model; without a name, say which models there are."""
        screen = self._screen
        if screen.controller is None:
            screen.say("the model is being loaded")
        elif not name:
            others = ", ".join(screen.controller.session.models.names())
            screen.say(
                f"{screen.controller.model} writes; /model NAME changes to one of {others}, "
                f"a folder or a .gguf file"
            )
        elif self._changing:
            screen.say(f"{self._changing} is still being loaded")
        else:
            self._changing = name
            screen.say(f"loading {name}; until then {screen.controller.model} writes")
            screen.run_worker(self._change_model(screen.controller, name), group="model")

    def keep(self, what: str) -> None:
        """Settle the conflicts of a merge.

        Args:
            what: The side, and the file where several files have conflicts.
        """
        from spark_tui.editing.conflicts import SIDES  # noqa: PLC0415 - as in `choices`

        side, _, where = what.strip().partition(" ")
        if side not in SIDES:
            self._screen.say(
                "/keep ours, theirs or both; where several files have conflicts, @FILE behind it"
            )
        elif self._screen.controller is not None and not self._screen.is_starting:
            controller = self._screen.controller
            words = f"/keep {what.strip()}"
            self._dispatch.begin(controller, words, lambda _: controller.keep(side, where))

    def rename(self, what: str) -> None:
        """Rename everywhere.

        Args:
            what: The new name; before it a place or the old name, unless what is in view is meant.
        """
        screen = self._screen
        dispatch = self._dispatch
        controller = screen.controller
        # The renaming runs on a thread of its own or the engine's, and reports from there.
        tell = partial(screen.app.call_from_thread, screen.say)

        def watch(words: str) -> None:
            if dispatch.stopping:
                raise Interrupted("the renaming is stopped; nothing was changed")
            tell(f"{words}; {screen.keys.key('turn.stop')} stops")

        def begin(_: str) -> "Turn":
            assert controller
            turn = controller.rename(what, watch)
            tell("")
            return turn

        if not what.strip():
            screen.say(
                "/rename NEW renames what is in view; also /rename @FILE::NAME NEW, or /rename "
                "OLD NEW"
            )
        # A command that cannot run now goes back into the prompt, to be sent again.
        elif controller is None:
            screen.write(f"/rename {what}")
            screen.say("the model is being loaded")
        elif screen.is_starting:
            screen.write(f"/rename {what}")
            screen.say("another turn is about to begin")
        else:
            dispatch.begin(controller, f"/rename {what.strip()}", begin)

    def review(self, base: str) -> None:
        """Review the work tree against a base; without one against the last commit."""
        from spark_tui.session.change_review import WorkTree  # noqa: PLC0415 - as in `choices`

        screen = self._screen
        if screen.controller is None:
            self._waiting = partial(self.review, base)
            screen.say("the review opens as soon as the model is loaded")
        elif screen.is_starting:
            screen.write(f"/review {base}".rstrip())
            screen.say("another turn is about to begin")
        else:
            source = WorkTree(base.strip() or "HEAD", screen.controller.session.folder)
            self.begin_review(screen.controller, source, f"/review {base.strip()}".rstrip())

    def begin_review(self, controller: "Controller", source: "ReviewSource", words: str) -> None:
        """Begin the review of a change.

        Args:
            words: The command that asked for the review; it comes back to the prompt where there is
                nothing to review.
        """
        self._dispatch.begin(controller, words, lambda _: controller.review(source))

    def open(self) -> None:
        """Once there is a session, open the review that waits for it."""
        waiting = self._waiting
        self._waiting = None
        if waiting is not None:
            waiting()

    def ask_name(self) -> None:
        """Begin a /rename in the prompt, for what the prompt names or the cursor is in."""
        screen = self._screen
        if screen.controller is None:
            screen.say("the model is being loaded")
        else:
            place = None if screen.prompt.full.strip() else screen.bench.diff.place
            screen.run_worker(self._ask_name(screen.controller, place), group="command")

    async def _ask_name(self, controller: "Controller", place: tuple[str, int] | None) -> None:
        screen = self._screen
        if (named := await asyncio.to_thread(controller.symbol_at, place)) is None:
            screen.say("there is no function or class here; /rename OLD NEW renames a name")
            return
        screen.prompt.put_away(screen.prompt.full)
        screen.write(f"/rename {named} ")

    def ask(self, question: str) -> None:
        """Show what a chat model answers."""
        screen = self._screen
        if screen.controller is None:
            screen.say("the model is being loaded")
        elif not question.strip():
            screen.say(
                "/ask QUESTION asks a chat model; it is about @PLACE, or about the lines in view"
            )
        elif screen.controller.is_busy:
            screen.say(f"a turn is running; {screen.keys.key('turn.stop')} stops it")
        else:
            self._open_answer(screen.controller, question)

    def take_code(self, block: Sequence[str]) -> None:
        """Review code that the model gave in words instead of an edit."""
        screen = self._screen
        controller = self._screen.controller
        if controller is None or controller.is_busy:
            return
        question = screen.view.instruction
        self._dispatch.begin(controller, question, lambda _: controller.take(question, block))

    def _open_answer(self, controller: "Controller", question: str) -> None:
        # Markdown takes a while to import.
        from spark_tui.tui.screens.answer import AnswerScreen  # noqa: PLC0415

        def closed(block: Sequence[str] | None) -> None:
            if block:  # its code is to be reviewed as hunks
                self._dispatch.begin(
                    controller, f"/ask {question}", lambda _: controller.take(question, block)
                )

        answer = AnswerScreen(controller, question, self._screen.clock)
        self._screen.app.push_screen(answer, closed)

    def theme(self, name: str) -> None:
        """Change the colors, from now on; without a name, offer the themes."""
        screen = self._screen
        app = self._app
        if not name:
            screen.prompt.put_away(screen.prompt.full)
            screen.write("/theme ")  # the list above the prompt then offers the themes
            return
        with screen.reported_errors():
            app.theme = app.themes.check(name)
            screen.run_worker(self._keep_theme(app.theme), group="theme")

    async def _keep_theme(self, name: str) -> None:
        from spark_tui.config import save_theme  # noqa: PLC0415 - as in `choices`

        path = config_dir() / "config.toml"
        try:
            await asyncio.to_thread(save_theme, path, name)
        except SparkError as e:
            self._screen.say(f"{name} until spark ends; {e}", look="warning")
        else:
            self._screen.say(f"{name} is written to {path}")

    def clear(self) -> None:
        """Show nothing of the last turn any more."""
        screen = self._screen
        if screen.controller is None or screen.controller.is_busy:
            screen.say(f"a turn is running; {screen.keys.key('turn.stop')} stops it")
            return
        left = len(screen.view.hunks)
        turn = screen.controller.turn
        screen.controller.clear()
        screen.paint()
        screen.prompt.focus()
        if left and turn is not None:
            screen.say(f"{left} hunk{'s' * (left != 1)} left undecided: {turn.undecided}")

    def _keep(self, text: str) -> None:
        """Add a text to the history on the disk."""
        if (controller := self._screen.controller) is not None and text.strip():
            self._screen.run_worker(self._write_down(controller, text), group="history")

    async def _write_down(self, controller: "Controller", text: str) -> None:
        with self._screen.reported_errors("warning"):
            await asyncio.to_thread(controller.session.history.add, text)

    async def _change_model(self, controller: "Controller", name: str) -> None:
        screen = self._screen
        try:
            await asyncio.to_thread(controller.session.host.change, name, controller.session.models)
        except SparkError as e:
            screen.say(f"{e}; {controller.model} goes on", look="error")
            return
        finally:
            self._changing = ""
        controller.simulated = None  # the speed of the model before
        screen.paint_words()
        screen.say(f"{controller.model} writes from the next turn on")

    def _shell(self, text: str, *, by_hand: bool) -> None:
        screen = self._screen
        line = text[1:].strip()
        if screen.controller is None:
            screen.say("the repository is being opened")
        elif line:
            screen.run_worker(
                self._run_shell(screen.controller, text, line, by_hand=by_hand), group="command"
            )

    async def _run_shell(
        self, controller: "Controller", text: str, line: str, *, by_hand: bool
    ) -> None:
        screen = self._screen
        try:
            why = await self._doubts(controller, by_hand=by_hand)
        except SparkError as e:
            screen.say(str(e), look="error")
            return
        if why and not await screen.app.push_screen_wait(
            ConsentScreen(f"!{line}", why, screen.clock, question=_RUNS)
        ):
            return
        # From here on the command runs: only now it leaves the prompt and is history.
        self._warned = True
        self._keep(text)
        screen.prompt.put_away(text)
        shell = ShellScreen(line, controller.session.repo.root, screen.keys.key("check.fix"))

        # What the user did in the panel decides what comes next: ask for a fix, or type on.
        def closed(words: str | None) -> None:
            screen.run_worker(self._look_at_git(controller), group="git", exclusive=True)
            more = ""
            if shell.failed:
                self._checks.failed = line
                more = f"; {screen.keys.key('check.fix')} asks for the fix"
            if shell.fixes:
                self._checks.fix()
            elif shell.typed:
                screen.write(shell.typed)
            else:
                screen.say(f"{words or ''}{more}")

        screen.app.push_screen(shell, closed)

    async def _look_at_git(self, controller: "Controller") -> None:
        """Show how git stands: a command may have committed, or changed the branch."""
        async with self._screen.disk:
            await asyncio.to_thread(controller.look_at_git)
        self._screen.paint_words()

    async def _doubts(self, controller: "Controller", *, by_hand: bool) -> list[str]:
        """The reasons to ask before a command runs.

        It was pasted, or the repository could run programs of its own along with it.
        """
        pasted = [] if by_hand else ["it was pasted, not typed"]
        # About the repository the user is asked once; a paste is asked about each time.
        if self._warned:
            return pasted
        programs = await self._pending.work("command", lambda: controller.session.restricted)
        named = [
            f"commands such as git may run what this repository names: {program}"
            for program in programs[:5]
        ]
        return pasted + named
