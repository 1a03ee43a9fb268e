"""Themes, and how parts of the screen look in them.

A theme is a TOML file of colors, shipped or the user's own; `read_themes` makes Textual themes of
the files. Widgets never name a color: they ask `look` for the style of a name in `_LOOKS`, which
also works without colors.
"""

import re  # noqa: TID251 - reads names and settings
import tomllib
from collections.abc import Iterable, Sequence
from difflib import get_close_matches
from functools import lru_cache
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

from rich.style import Style
from textual.dom import DOMNode
from textual.theme import Theme

from spark_tui.config import lines_of
from spark_tui.errors import UsageError
from spark_tui.own_folders import files_in
from spark_tui.safe_text import is_plain, visible

COLORS = (
    "text",
    "muted",
    "faint",
    "background",
    "surface",
    "line",
    "accent",
    "cursor",
    "added",
    "added-bright",
    "added-text",
    "removed",
    "removed-bright",
    "removed-text",
    "ok",
    "warning",
    "error",
)
"""Every color a theme gives, each as #rrggbb, or by its name in ANSI where the theme says
`ansi = true`.
"""

SYNTAX = tuple(
    f"syntax-{name}" for name in ("keyword", "string", "comment", "number", "function", "type")
)
"""Colors that a theme may give; without them code is in the color of text."""

_EIGHT = ("black", "red", "green", "yellow", "blue", "magenta", "cyan", "white")
ANSI = ("default", *_EIGHT, *(f"bright-{name}" for name in _EIGHT))
"""The colors of a theme that leaves them to the terminal."""

_KEYS = {"dark": (bool, "dark, true or false"), "colors": (dict, "[colors]")}
"""The keys that a theme must have, with their types, and the words for them in messages."""
_MAY = ("ansi", "name")
"""The keys that a theme may have.

`name` is ignored: the name of the file is the name of the theme, also of one copied from another.
"""
_IN_TEXTUAL = {
    "accent": ("block-cursor-background", "input-cursor-background", "scrollbar-active"),
    "background": (
        "block-cursor-foreground",
        "input-selection-foreground",
        "scrollbar-corner-color",
        "scrollbar-background",
        "scrollbar-background-hover",
        "scrollbar-background-active",
    ),
    "cursor": ("block-cursor-blurred-background",),
    "line": ("border", "border-blurred", "scrollbar"),
    "muted": ("scrollbar-hover",),
    "text": ("block-cursor-blurred-foreground", "input-selection-background"),
}
"""The variables of Textual, by the color of ours that they get."""
_HEX = re.compile(r"#[0-9a-fA-F]{6}")
_NAME = re.compile(r"[\w .-]{1,40}")


class Themes(NamedTuple):
    """The usable themes by name, and what is wrong with the others (file, line and why)."""

    known: dict[str, Theme]
    broken: dict[str, str]

    def check(self, name: str) -> str:
        """Return the name of a usable theme.

        Raises:
            UsageError: There is no theme of this name, or it cannot be used.
        """
        if name in self.broken:
            raise UsageError(self.broken[name])
        if name not in self.known:
            raise UsageError(f"no theme {name!r}; choose one of {', '.join(sorted(self.known))}")
        return name

    def describe_broken(self) -> str:
        """What is wrong with the broken themes, each with its file."""
        return "; ".join(
            f"the theme {name} cannot be used: {problem}" for name, problem in self.broken.items()
        )


def read_themes(folders: Iterable[Path]) -> Themes:
    """Read the themes of folders; a theme replaces one of the same name in an earlier folder."""
    themes = Themes({}, {})
    for path in chain.from_iterable(files_in(folder, ".toml") for folder in folders):
        try:
            theme = read_theme(path)
        except UsageError as e:
            # The name of a broken file may hold anything, and messages show it.
            showable = re.sub(r"[^\w .-]", "_", visible(path.stem))
            themes.broken[showable[:40]] = str(e)
        else:
            themes.known[theme.name] = theme
            themes.broken.pop(theme.name, None)
    return themes


def read_theme(path: Path) -> Theme:
    """Read a theme; its name is that of its file.

    Raises:
        UsageError: The file is no theme, with the line and what is wrong there.
    """
    try:
        if not path.is_file():
            raise UsageError(f"{path}: is not a file")
        text = path.read_text("utf-8-sig")  # some editors put a byte order mark first
        table = tomllib.loads(text)
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError, RecursionError) as e:
        raise UsageError(f"{path}: cannot be read as TOML: {e}") from e
    if not (_NAME.fullmatch(path.stem) and is_plain(path.stem)):
        raise UsageError(
            f"{path}: the name of a theme's file has up to 40 letters, digits, blanks, dots "
            f"and dashes"
        )
    if problem := _problem(table):
        key, words = problem
        lines = lines_of(text)
        # A missing key has no line; its table may have one.
        line = lines.get(key) or lines.get(key.partition(".")[0], 1)
        raise UsageError(f"{path}:{line}: {words}")
    return _theme(
        path.stem, dark=table["dark"], ansi=table.get("ansi", False), colors=table["colors"]
    )


def _problem(table: dict[str, Any]) -> tuple[str, str] | None:
    """Return the first key that is wrong, and why; None for a good theme."""
    for key in table:
        if key not in {*_KEYS, *_MAY}:
            return key, f"unknown key {key!r}; the nearest is {_nearest(key, [*_KEYS, *_MAY])!r}"
    for key, (kind, words) in _KEYS.items():
        if not isinstance(table.get(key), kind):
            return key, f"a theme needs {words}"
    if not isinstance(table.get("ansi", False), bool):
        return "ansi", "ansi is true or false"
    return _wrong_color(table["colors"], ansi=table.get("ansi") is True)


def _wrong_color(colors: dict[str, Any], *, ansi: bool) -> tuple[str, str] | None:
    for name, value in colors.items():
        if name not in {*COLORS, *SYNTAX}:
            near = _nearest(name, COLORS + SYNTAX)
            return f"colors.{name}", f"unknown color {name!r}; the nearest is {near!r}"
        if ansi and value not in ANSI:
            like = "default, red, bright-red, ..."
            return f"colors.{name}", f"{name} must be {like}, not {value!r}"
        if not ansi and not (isinstance(value, str) and _HEX.fullmatch(value)):
            like = "a color such as #1e2227"
            return f"colors.{name}", f"{name} must be {like}, not {value!r}"
    for name in COLORS:
        if name not in colors:
            return "colors", f"{name!r} is missing from [colors]"
    return None


def _nearest(name: str, known: Sequence[str]) -> str:
    return get_close_matches(name, known, n=1, cutoff=0.0)[0]


def _theme(name: str, *, dark: bool, ansi: bool, colors: dict[str, str]) -> Theme:
    # Without colors for code, code looks like text.
    colors = dict.fromkeys(SYNTAX, colors["text"]) | colors
    if ansi:
        colors = {key: f"ansi_{value.replace('-', '_')}" for key, value in colors.items()}
    variables = {f"spark-{key}": value for key, value in colors.items()}
    for key, names in _IN_TEXTUAL.items():
        variables |= dict.fromkeys(names, colors[key])
    variables |= {
        "ansi-background": "ansi_default",
        "ansi-foreground": "ansi_default",
        "block-cursor-text-style": "none",
    }
    return Theme(
        name=name,
        dark=dark,
        ansi=ansi,
        primary=colors["accent"],
        secondary=colors["muted"],
        accent=colors["accent"],
        foreground=colors["text"],
        background=colors["background"],
        surface=colors["surface"],
        panel=colors["surface"],
        boost=colors["surface"],
        success=colors["ok"],
        warning=colors["warning"],
        error=colors["error"],
        variables=variables,
    )


# What parts of the screen look like.

_LOOKS: dict[str, tuple[str | None, str | None]] = {
    "page": ("text", "background"),
    "panel": ("muted", "surface"),
    "text": ("text", None),
    "key": ("text", None),
    "muted": ("muted", None),
    "faint": ("faint", None),
    "accent": ("accent", None),
    "ok": ("ok", None),
    "warning": ("warning", None),
    "error": ("error", None),
    "added": ("added-text", None),
    "removed": ("removed-text", None),
    "selected": (None, "cursor"),
    "focus": ("background", "accent"),
    "old": ("removed-text", "removed"),
    "new": ("text", "added"),
    "old word": ("text", "removed-bright"),
    "new word": (None, "added-bright"),
    **{
        name: (f"syntax-{name}", None)
        for name in ("keyword", "string", "comment", "number", "function", "type")
    },
}
"""The colors of foreground and background, by the name of a look; None leaves the color below."""

_MARKS = {
    "key": Style(bold=True),
    "accent": Style(bold=True),
    "warning": Style(bold=True),
    "error": Style(bold=True),
    "selected": Style(reverse=True),
    "focus": Style(reverse=True),
    "old word": Style(bold=True, underline=True),
    "new word": Style(bold=True, underline=True),
}
"""Styles that set looks apart where colors may not: those of the terminal, or none."""


def look(widget: DOMNode, name: str) -> Style:
    """The style of a name in the theme in force.

    Computed here, because classes of a style sheet would cost a fifth of the startup time.
    """
    colors = widget.app.theme_variables
    foreground, background = _LOOKS[name]
    mark = _MARKS.get(name, Style.null()) if widget.app.native_ansi_color else Style.null()
    if mark.reverse and foreground is not None:
        # The terminal exchanges the two, and the background is to be the color of the block.
        foreground, background = background, foreground
    return _style(colors.get(f"spark-{foreground}"), colors.get(f"spark-{background}")) + mark


def on_selected(style: Style, ink: Style) -> Style:
    """Put `ink` on `style`.

    `ink` is left out on a selection that is shown by reversing: its color would become a block.
    """
    return style if style.reverse else style + ink


@lru_cache(maxsize=256)
def _style(foreground: str | None, background: str | None) -> Style:
    return Style(color=_plain(foreground), bgcolor=_plain(background))


def _plain(color: str | None) -> str | None:
    """Turn a color of Textual into the name that Rich has for it."""
    return color and color.removeprefix("ansi_")


APP_CSS = """
CommandPalette {
    background: $spark-background 60%;
    #--container, #--container:dark { background: $spark-surface; margin-top: 2; }
    #--results { background: $spark-surface; }
    SearchIcon { display: none; }
    #--input, #--input.--list-visible { border: none; padding: 0 1; }
    CommandList { border: none; padding: 0 0 1 0; }
    LoadingIndicator { display: none; }
}
ModalScreen.-narrow > #sheet, ModalScreen.-narrow > VerticalScroll { width: 100%; }
ToastRack { dock: top; align: right top; margin: 1 0 0 0; }
Toast { display: none; }
MainScreen Toast { display: block; }
MainScreen.-narrow Toast { max-width: 100%; padding: 0 1; }
OptionList { min-width: 20; }
OptionList:nocolor > .option-list--option-highlighted,
OptionList:ansi > .option-list--option-highlighted {
    text-style: reverse;
}
TextArea:nocolor .text-area--cursor, TextArea:ansi .text-area--cursor { text-style: reverse; }
"""
"""The looks of Textual's own parts: the palette, sheets, notices, lists and cursors."""
