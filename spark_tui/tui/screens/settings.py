"""Everything that can be set: its value, where that comes from, and those that can be changed here."""

import asyncio
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, ClassVar

from rich.text import Text
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.screen import Screen
from textual.widgets.option_list import Option

from spark_tui.config import Settings, choices, defaults
from spark_tui.config_file import Value, save_setting
from spark_tui.errors import SparkError
from spark_tui.marks import visible
from spark_tui.tui.keymap import Keymap
from spark_tui.tui.looks import look
from spark_tui.tui.screens.browse import Picker, beside
from spark_tui.tui.widgets.bar import Bar, Piece, keys
from spark_tui.tui.widgets.note import Note

_KEYS = (("Enter", "change"), ("Left Right", "other value"), ("Up Down", "choose"), ("Esc", "close"))
_AT_ONCE = frozenset({"theme", "pace", "mouse", "bell"})
_ROOMY = 70
"""Columns from which there is room for what a setting does."""
_TELLS = {
    "model": "its name or folder",
    "kernels": "what computes",
    "bits": "that a weight has",
    "theme": "the colours",
    "pace": "tokens a second shown",
    "temperature": "0: the likeliest",
    "seed": "of what is drawn",
    "max_tokens": "a turn at most",
    "journal_megabytes": "kept for undo",
    "mouse": "clicks and scrolling",
    "bell": "when a turn ends",
    "plain": "lines, no screen",
}


@dataclass(frozen=True, slots=True)
class Row:
    """One setting, or an action's keys.

    `options`: the values it can be given here. `source`: "" for the default. `here`: another value until spark ends.
    """

    key: str
    value: Value
    source: str
    options: tuple[Value, ...] = ()
    tells: str = ""
    is_action: bool = False
    here: bool = False


class SettingsScreen(Screen[None]):
    """What is changed is saved to the user's config.toml at once, and nothing else in that file.

    Args: settings: in force. keys: those in force. path: the user's file. offered: values to choose from, by setting.
        changed: called with a setting and its value, once it is saved. here: those changed without being saved.
    """

    DEFAULT_CSS = """
    SettingsScreen {
        background: $spark-background;
        #title { background: $spark-surface; }
        Picker { height: 1fr; }
    }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q", "dismiss", "close", show=False),
        Binding("right,enter,space", "change(1)", "next value", show=False, priority=True),
        Binding("left", "change(-1)", "previous value", show=False, priority=True),
    ]

    def __init__(
        self,
        settings: Settings,
        keys: Keymap,
        path: Path,
        *,
        offered: Mapping[str, Sequence[Value]],
        changed: Callable[[str, Value], None],
        here: Collection[str] = (),
    ) -> None:
        super().__init__()
        self._path, self._changed = path, changed
        known = (replace(row, here=row.key in here) for row in _rows(settings, offered))
        self.rows = [*known, *_actions(settings, keys)]

    def compose(self) -> ComposeResult:
        """From top to bottom."""
        yield Bar(id="title")
        yield Picker()
        yield Note()
        yield Bar(id="keys")

    def on_mount(self) -> None:
        """Colours are known once the screen is mounted."""
        self.query_one("#title", Bar).show([Piece("Settings", "accent", 9)], [Piece(str(self._path), "faint", 1)])
        self.query_one("#keys", Bar).show(keys(*_KEYS))
        picker = self.query_one(Picker)
        picker.add_options([Option(self._line(row)) for row in self.rows])
        picker.highlighted = 0
        picker.focus()

    def on_resize(self) -> None:
        """There is room for what each one does, or there is not."""
        for at in range(self.query_one(Picker).option_count):
            self.query_one(Picker).replace_option_prompt_at_index(at, self._line(self.rows[at]))

    def action_change(self, step: int) -> None:
        """Give the chosen setting its next or previous value."""
        at = self.query_one(Picker).highlighted
        if at is None:
            return
        row = self.rows[at]
        if not row.options:
            self._say(f"not here: change {row.key} in {self._path}, {_by_hand(row)}")
            return
        now = row.options.index(row.value) if row.value in row.options else -1
        beside(self, partial(self._save, at, row.options[(now + step) % len(row.options)]), "save")

    async def _save(self, at: int, value: Value) -> None:
        row = self.rows[at]
        try:
            await asyncio.to_thread(save_setting, self._path, row.key, value)
        except SparkError as e:
            self._say(str(e), look="error")
            return
        overruled = row.source.startswith(("$", "-")) or (row.source and not row.source.startswith(str(self._path)))
        source = row.source if overruled else str(self._path)
        self.rows[at] = replace(row, value=value, source=source, here=False)
        self.query_one(Picker).replace_option_prompt_at_index(at, self._line(self.rows[at]))
        self._changed(row.key, value)
        when = "" if row.key in _AT_ONCE else ", from the next start on"
        self._say(f"saved; but {row.source} says otherwise, and wins" if overruled else f"saved{when}")

    def _say(self, words: str, *, look: str = "") -> None:
        self.query_one(Note).say(words, look=look)

    def _line(self, row: Row) -> Text:
        line = Text(f"{visible(row.key):<19}", look(self, "text"), no_wrap=True, overflow="ellipsis")
        value = f"‹ {written(row.value)} ›" if row.options else written(row.value)
        narrow = self.size.width < _ROOMY
        line.append(f"{visible(value):<{0 if narrow else 18}} ", look(self, "accent" if row.options else "muted"))
        source = "this session" if row.here else row.source.replace(str(self._path), self._path.name)
        line.append(f"{visible(source or 'default'):<15} ", look(self, "muted" if source else "faint"))
        return line if narrow else line.append(row.tells, look(self, "faint"))


def written(value: object) -> str:
    """A setting's value for people."""
    return {True: "yes", False: "no"}[value] if isinstance(value, bool) else str(value)


def _by_hand(row: Row) -> str:
    """How what cannot be changed here is written in the file."""
    if row.is_action:
        return f'under [keys] as {row.key} = "KEY"; several with blanks between'
    return 'below it as NAME = "KEY"' if row.key == "[keys]" else f"as {row.key} = {row.value} with another number"


def _rows(settings: Settings, offered: Mapping[str, Sequence[Value]]) -> Iterator[Row]:
    sources = settings.sources
    for key in defaults():
        value: Any = getattr(settings, key)
        if key == "keys":
            continue
        options = (True, False) if isinstance(value, bool) else (*choices(key), *offered.get(key, ()))
        options = options if not options or value in options else (value, *options)
        yield Row(key, value, sources.get(key, ""), options, _TELLS.get(key, ""))  # type: ignore[arg-type] # what choices() gives are values


def _actions(settings: Settings, keys: Keymap) -> Iterator[Row]:
    """What can stand under [keys], with the keys in force; first what the user put there."""
    yield Row("[keys]", "", settings.sources.get("keys", ""), tells="actions and their keys")
    for action in sorted(keys.does, key=lambda action: action not in keys.own):
        source = settings.sources.get(f"keys.{action}", "")
        yield Row(action, keys.shown(action), source, tells=keys.does[action], is_action=True)
