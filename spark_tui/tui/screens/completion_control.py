"""Decides what the list above the prompt offers, and what keys mean in that list.

The list offers completions of the word at the cursor, earlier instructions, the places that the
instruction may be about, and requests that would work. `widgets/completion.py` has the list itself.
"""

import asyncio
import threading
import time
from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

from spark_tui.errors import SparkError
from spark_tui.mentions import at_place, mention
from spark_tui.safe_text import is_plain, visible
from spark_tui.session.turn_state import place, preview_of
from spark_tui.tui.commands import COMMANDS
from spark_tui.tui.screens.background import drive
from spark_tui.tui.screens.command_runner import CommandRunner
from spark_tui.tui.screens.host import Host
from spark_tui.tui.screens.look_back import LookBack
from spark_tui.tui.widgets.completion import (
    MOST,
    Completion,
    CompletionItem,
    CompletionKind,
    CompletionQuery,
    Functions,
    Match,
    Names,
    asked_at,
    file_items,
    named_items,
    sent_items,
    symbol_items,
)

if TYPE_CHECKING:
    from spark_tui.context.regions import Region
    from spark_tui.context.symbols import Symbol
    from spark_tui.session.controller import Controller
    from spark_tui.session.suggestions import Suggestion

_STEPS = {"up": -1, "down": 1, "pageup": -8, "pagedown": 8}  # items that a key moves by
_KEYS = frozenset({*_STEPS, "tab", "enter", "escape"})
"""The keys that mean something in the list."""
_TASKS = ("task", "plan")
"""The commands that take options and then the words of a task."""
_FIRST_FILES = 5
"""The most files that stand above the functions of all files."""
_MOST_FUNCTIONS = 20
"""The most functions of all files that are offered."""
_FRESH_S = 5.0
"""Seconds for which the functions that were read count as up to date."""


class CompletionControl:
    """Decides what the list above the prompt offers, and does what keys mean there.

    Each key is answered at once: among 50,000 files in some 20 ms. Workers read the names to search
    among.
    """

    def __init__(self, screen: Host, looking: LookBack, commands: CommandRunner) -> None:
        self._screen = screen
        self._look_back = looking
        self._runner = commands
        self._names = Names(())
        self._known = Functions()
        self._learning = False
        self._learned_at = -_FRESH_S
        self._functions: tuple[str, Sequence[Symbol]] = ("", ())
        self._asked: CompletionQuery | None = None
        self._closed_at: tuple[CompletionKind, int] | None = None
        self._instead_of: str | None = None
        """The text that an item replaces as a whole; None where an item replaces one word."""
        self._words_to_place = ""
        """The instruction that Enter sends to the place that is chosen in the list."""
        self._places: dict[str, Region] = {}
        """The places of the list, by the text that each of them puts into the prompt."""
        self.searching = False
        """Whether the prompt holds words to look for in earlier instructions."""
        self._suggesting = 0
        """The number by which the runner stops looking for requests that would work."""
        self._messages = dict[str, str]()
        """The last message about the prompt's text, by topic."""

    @property
    def _list(self) -> Completion:
        return self._screen.query_one(Completion)

    @property
    def choosing(self) -> bool:
        """Whether the user has begun to name something, and the text is not yet the first item."""
        item = self._list.item
        asked = self._asked
        return item is not None and (
            asked is None or self._screen.prompt.text[asked.start : asked.end] != item.value
        )

    @property
    def sends(self) -> bool:
        """Whether Enter in the list sends the words to the place that is chosen."""
        return self._list.is_open and self._words_to_place in {self._screen.prompt.full} - {""}

    def open(self, controller: "Controller") -> None:
        """The repository is known: read the history and the names of its files."""
        self._screen.run_worker(self._open(controller), group="helping")

    async def _open(self, controller: "Controller") -> None:
        try:
            # Put in front: something may have been sent while the history was being read.
            self._screen.prompt.sent[:0] = await asyncio.to_thread(controller.session.history.load)
        except SparkError as e:
            self._screen.say(str(e), look="warning")
        files = await asyncio.to_thread(controller.session.mentions.files)
        controller.odd_names = {visible(path): path for path in files if not is_plain(path)}
        self._names = await asyncio.to_thread(Names, files)
        # The user may have begun to name a file already, for which nothing could be offered yet.
        self._asked = None
        self.changed()
        self._learn(controller)

    def _learn(self, controller: "Controller | None") -> None:
        """Read the names of all functions, unless they were read a moment ago."""
        if controller and not self._learning and time.monotonic() - self._learned_at > _FRESH_S:
            self._learning = True
            self._screen.run_worker(self._read_functions(controller), group="learning")

    async def _read_functions(self, controller: "Controller") -> None:
        left = threading.Event()
        files = self._names
        known = self._known

        # An unchanged list keeps its object, and with it the index over the names.
        def read() -> Functions:
            found = controller.session.mentions.outline(files, left.is_set)
            return known if found == known.all else Functions(found)

        try:
            self._known = await asyncio.to_thread(read)
        finally:
            left.set()  # quitting waits for all threads, so one whose worker is gone has to end
            self._learning = False
            self._learned_at = time.monotonic()
        # An open list is left alone, so that no item moves just as the user takes one.
        if self._screen.is_attached and not self._list.is_open:
            self._asked = None
            self.changed()

    def changed(self) -> None:
        """Offer completions for the cursor; called when the text or the cursor has changed."""
        prompt = self._screen.prompt
        self._report_length()
        if prompt.text:
            self._end_suggesting()
        if self.searching:
            items = sent_items(prompt.text, prompt.sent)
            words = "" if items else "no earlier instruction has these words; Esc ends the search"
            self._screen.say(words)
            self._show(items, None, title="sent before")
            return
        # A list of whole texts, such as places, stands until the text it was made for changes.
        if self._instead_of == prompt.text and self._list.is_open:
            return
        # Text from the history is finished; only text that the user writes is completed.
        asked = asked_at(prompt.text, prompt.cursor_offset) if prompt.is_written else None
        # A list that the user closed stays closed until another word is begun.
        if asked is None or (asked.kind, asked.start) != self._closed_at:
            self._closed_at = None
        if self._closed_at is not None:
            asked = None
        if asked == self._asked and self._instead_of is None:
            return
        self._asked = asked
        self._instead_of = None
        items = []
        title = ""
        if asked is not None:
            count = len(self._names)
            if asked.kind is CompletionKind.FILE:
                title = f"{count} file{'s' * (count != 1)}"
                if count and not asked.query:
                    # A name is begun: what fits has to be known once the name is written.
                    self._learn(self._screen.controller)
            items = self._items(asked)
        self._show(items, asked, title=title)

    def takes(self, key: str) -> bool:
        """Do what a key means in the list, if the list is open.

        Returns:
            False when the key means nothing there.
        """
        self.changed()  # the message about the letter before this key may still be on its way
        shown = self._list
        if not self._screen.prompt.text and not shown.is_open and self._look_back.takes(key):
            return True
        if key in self._screen.keys.keys("prompt.search") and self.searching and shown.is_open:
            shown.move(1)
        elif key == "escape" and (self.end_search() or self._end_suggesting()):
            self.close()
        elif not shown.is_open:
            # A search that finds nothing has no list; its keys must not send or edit the words.
            return self.searching and key in _KEYS
        elif key in _STEPS:
            shown.move(_STEPS[key])
            self._preview_place()
        elif key == "escape":
            self.close()
        elif key in {"tab", "enter"}:
            return self._take(key)
        else:
            return False
        return True

    def close(self) -> None:
        """Close the list, until another word is begun."""
        if self._asked is not None:
            self._closed_at = (self._asked.kind, self._asked.start)
        self.searching = False
        self._asked = None
        self._instead_of = None
        self._show((), None)

    def search(self) -> None:
        """Search earlier instructions for the words in the prompt; Esc gives these words back."""
        if not self._screen.prompt.sent:
            self._screen.say("nothing was sent here yet")
            return
        if not self.searching:
            self._screen.prompt.set_aside()
        self.searching = True
        self.changed()

    def end_search(self) -> bool:
        """End a search, and give back what was written before.

        Returns:
            Whether there was a search.
        """
        if not self.searching:
            return False
        self.close()
        self._screen.say("")
        self._screen.prompt.take_back()
        return True

    def choose_place(self) -> None:
        """Offer the places that the instruction may be about.

        Without an instruction, the places for the words of the turn are offered.
        """
        controller = self._screen.controller
        prompt = self._screen.prompt
        if controller is None:
            return
        # Another place for the turn that is there: the words stay the same.
        same_words = controller.can_move and not prompt.full
        if same_words:
            prompt.set_text(self._screen.view.instruction)
        self._words_to_place = prompt.full
        self._screen.run_worker(
            self._offer_places(controller, prompt.full, other=same_words), group="helping"
        )

    def suggest(self, where: str) -> None:
        """Offer requests that would work at a place, or where the user is, as they are found."""
        screen = self._screen
        if screen.controller is None:
            screen.say("the model is being loaded")
        elif screen.controller.is_busy or screen.is_varying:
            screen.say(f"a turn is running; {screen.keys.key('turn.stop')} stops it")
        else:
            screen.run_worker(self._suggest(screen.controller, where), group="helping")

    async def _suggest(self, controller: "Controller", where: str) -> None:
        screen = self._screen
        items = list[CompletionItem]()

        # Each request is shown as soon as it is found; what the user has highlighted stays so.
        def show(suggestion: "Suggestion | None") -> None:
            if not suggestion or not self._suggesting:
                return
            words = suggestion.words
            value = at_place(words, _mention(suggestion.region), controller.file_named)
            size = f"+{suggestion.added} −{suggestion.removed}"
            items.append(CompletionItem(words, value, size))
            self._asked = None
            self._instead_of = screen.prompt.text
            title = f"would work in {_named(suggestion.region)}"
            self._show(items, None, title=title, chosen=self._list.chosen)

        screen.say(f"looking for what would work; {screen.keys.key('turn.stop')} ends that")
        try:
            await drive(
                controller.session.runner,
                controller.suggestions(where),
                partial(setattr, self, "_suggesting"),
                show,
            )
        except SparkError as e:
            screen.say(str(e), look="error")
            return
        # A user who ended the search has gone on, and is told nothing.
        if self._end_suggesting():
            nothing = "nothing was found that would surely work; @ names another place"
            words = "" if items else nothing
            screen.say(words)

    def _end_suggesting(self) -> bool:
        """Stop looking for requests that would work.

        Returns:
            Whether they were being looked for.
        """
        number = self._suggesting
        self._suggesting = 0
        if number and self._screen.controller:
            self._screen.controller.session.runner.cancel(number)
        return bool(number)

    def _show(
        self,
        items: Sequence[CompletionItem],
        asked: CompletionQuery | None,
        *,
        title: str = "",
        chosen: int = 0,
    ) -> None:
        was_open = self._list.is_open
        self._list.show(items, title=title, chosen=chosen)
        self._preview_place()
        if was_open != self._list.is_open:
            self._screen.paint_words()
        missing = None if items else asked
        self._report_missing(missing)

    def _report_length(self) -> None:
        """Say that the instruction is too long as soon as it is; nothing of the text is cut."""
        prompt = self._screen.prompt
        controller = self._screen.controller
        words = ""
        if controller is not None and prompt.is_instruction and not self.searching:
            words = controller.too_long(prompt.full)
        self._say_while("length", words, look="warning")

    def _report_missing(self, asked: CompletionQuery | None) -> None:
        """Say that a file or function does not exist, as long as the prompt asks for it."""
        words = ""
        if asked is not None and asked.query:
            words = self._words_of_missing(asked)
        self._say_while("missing", words)

    def _words_of_missing(self, asked: CompletionQuery) -> str:
        """The message about a file or function that does not exist, or ""."""
        controller = self._screen.controller
        # As long as names are being read, one of them may still fit.
        if asked.kind is CompletionKind.FILE and not self._learning and len(self._names):
            return f"no file or function {asked.query} here"
        if asked.kind is not CompletionKind.SYMBOL or controller is None:
            return ""
        path = controller.file_named(asked.of)
        if not path:
            return f"no file {asked.of}"
        if controller.session.mentions.is_too_large(path):
            return (
                f"{asked.of} is too large to look for names in while you write; a whole "
                f"name is found on Enter"
            )
        return f"no function or class {asked.query} in {asked.of}"

    def _say_while(self, about: str, words: str, *, look: str = "") -> None:
        """Say something about the text in the prompt, and take it back once it no longer holds."""
        before = self._messages.get(about, "")
        self._messages[about] = words
        if words or (before and self._screen.shows_message(before)):
            self._screen.say(words, look=look)

    def _take(self, key: str) -> bool:
        """Put the chosen item into the text.

        An argument that was typed is sent as typed, unless the user moved in the list. A command
        whose name was only begun is sent if the user moved to the command, or if no other command
        begins so.

        Returns:
            False where Enter has to send what then stands in the prompt.
        """
        item = self._list.item
        asked = self._asked
        prompt = self._screen.prompt
        assert item is not None
        # An item that is a whole text takes the place of the prompt's text.
        if self.searching or self._instead_of is not None:
            show = prompt.bring if self.searching else prompt.set_text
            sends = key == "enter" and self.sends
            self.close()
            self._screen.say("")
            show(item.value)
            return not sends
        # Any other item takes the place of the word at the cursor, unless that was typed in full.
        assert asked is not None
        begun = [command for command in COMMANDS if command.name.startswith(asked.query)]
        is_clear = len(begun) == 1 and not begun[0].argument
        picked = self._list.moved or is_clear
        written = prompt.text
        typed = (
            key == "enter"
            and asked.kind is CompletionKind.ARGUMENT
            and bool(asked.query)
            and not self._list.moved
        )
        stands = typed or prompt.text[asked.start : asked.end] == item.value
        if not stands:
            prompt.replace_part(asked.start, asked.end, item.value)
        # The list closes for the word as it stands now: a function may have been taken among files,
        # so the word may be of another kind.
        after = asked_at(prompt.text, prompt.cursor_offset) or asked
        self._closed_at = (after.kind, after.start)
        self._asked = None
        self._show((), None)
        sends = stands or (item.sends and (picked or asked.kind is not CompletionKind.COMMAND))
        if key == "enter" and not sends and asked.kind is CompletionKind.COMMAND:
            unknown = f"there is no command {written}; " if asked.query else ""
            self._screen.say(f"{unknown}Enter runs {prompt.text.strip()}")
        return not (key == "enter" and sends)

    def _commands(self, asked: CompletionQuery) -> list[CompletionItem]:
        if asked.kind is CompletionKind.ARGUMENT and asked.of.startswith(_TASKS):
            if asked.of in _TASKS and not asked.query.startswith(("@", "-")):
                return []  # the words of a task have begun: nothing to choose from
            return named_items(asked.query, self._runner.choices(asked.of), sends=False)
        if asked.kind is CompletionKind.ARGUMENT:
            return named_items(asked.query, self._runner.choices(asked.of))
        known = [(command.name, command.does) for command in COMMANDS]
        return [item.within("/") for item in named_items(asked.query, known, before="/")]

    def _items(self, asked: CompletionQuery) -> list[CompletionItem]:
        """The items that fit a query."""
        if asked.kind in {CompletionKind.COMMAND, CompletionKind.ARGUMENT}:
            return self._commands(asked)
        if (controller := self._screen.controller) is None:
            return []
        if asked.kind is CompletionKind.FILE:
            files = file_items(self._files(controller, asked.query))
            functions = self._known.items(asked.query, _MOST_FUNCTIONS, controller.is_file)
            ends = (f".{asked.query}", f"::{asked.query}")
            whole = [item for item in functions if item.text.endswith(ends)]
            # A whole name comes first, then the best files, then functions, then other files.
            items = [*whole, *files[:_FIRST_FILES], *functions, *files[_FIRST_FILES:]]
            return list(dict.fromkeys(items))
        if (path := controller.file_named(asked.of)) is None:
            return self._in_files_like(controller, asked)
        if self._functions[0] != path or not asked.query:
            self._functions = (path, controller.session.mentions.functions(path))
        return symbol_items(asked.query, path, self._functions[1])

    def _in_files_like(
        self, controller: "Controller", asked: CompletionQuery
    ) -> list[CompletionItem]:
        """Functions of the files that fit best, where the file is named by some letters only."""
        fitting = self._files(controller, asked.of)
        paths = [found.text for found in fitting if found.text.endswith(".py")]
        items: list[CompletionItem] = []
        for path in paths[:_FIRST_FILES]:
            if len(items) >= MOST:
                break
            functions = controller.session.mentions.functions(path)
            fitting_items = symbol_items(asked.query, path, functions)
            items += [item.within(f"{visible(path)}::") for item in fitting_items]
        return items[:MOST]

    def _files(self, controller: "Controller", query: str) -> list[Match]:
        """The files that fit best, without those that are gone."""
        return [found for found in self._names.best(query, MOST) if controller.is_file(found.text)]

    async def _offer_places(self, controller: "Controller", written: str, *, other: bool) -> None:
        """Offer the places that the written words may be about.

        Args:
            other: Leave out the place of the turn.
        """
        regions = await asyncio.to_thread(controller.places, written)
        places = {
            at_place(written, _mention(region), controller.file_named): region for region in regions
        }
        items = [CompletionItem(_named(region), text) for text, region in places.items()]
        items = [item for item in items if not (other and item.text == controller.view.place)]
        # A message that stands there already says why no place is clear.
        if not items and self._screen.shows_message(""):
            self._screen.say("there is no function here to choose; @ names a file")
        elif items and self._screen.prompt.full == written:
            self._asked = None
            self._instead_of = self._screen.prompt.text
            ahead = controller.ahead if controller.has_looked(written) else ""
            # The list opens at the place where Enter would lead.
            here = ahead if written.strip() else controller.view.place
            now = next((at for at, item in enumerate(items) if item.text == here), 0)
            self._places = places
            self._show(items, None, title="places it may be about", chosen=now)

    def _preview_place(self) -> None:
        """Show the lines of the highlighted place, and the turn again once none is highlighted."""
        item = self._list.item
        screen = self._screen
        region = self._places.get(item.value) if item else None
        if not self._list.is_open:
            self._places = {}
        if region is not None and screen.controller is not None:
            screen.run_worker(
                self._show_lines(screen.controller, region), group="preview", exclusive=True
            )
        elif screen.preview is not None:
            screen.preview = None
            screen.paint()

    async def _show_lines(self, controller: "Controller", region: "Region") -> None:
        try:
            lines = await asyncio.to_thread(controller.session.mentions.file_lines, region.path)
        except SparkError:
            return  # gone meanwhile: Enter will say so
        # Another place may be highlighted by now.
        item = self._list.item
        if item is not None and self._places.get(item.value) == region:
            self._screen.preview = preview_of(region, lines)
            self._screen.paint()


def _named(region: "Region") -> str:
    return place(visible(region.path), region.start_line, region.end_line, region.symbol)


def _mention(region: "Region") -> str:
    # Where another symbol of the file has the same name, only the lines tell the two apart.
    symbol = None if region.twin else region.symbol
    return mention(region.path, symbol=symbol, lines=(region.start_line, region.end_line))
