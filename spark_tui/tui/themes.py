"""Themes: colours in TOML files, the shipped ones and the user's own, as Textual themes."""

import re
import tomllib
from collections.abc import Iterable, Sequence
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from textual.theme import Theme

from spark_tui.config import lines_of
from spark_tui.errors import UsageError

COLOURS = (
    "text", "muted", "faint", "background", "surface", "line", "accent", "cursor",
    "added", "added-bright", "added-text", "removed", "removed-bright", "removed-text", "ok", "warning", "error",
)  # fmt: skip
"""Every colour a theme gives, each as #rrggbb, or by its name in ANSI where the theme says `ansi = true`."""

SYNTAX = tuple(f"syntax-{name}" for name in ("keyword", "string", "comment", "number", "function", "type"))
"""Colours that a theme may give; without them Python is in one colour."""

_EIGHT = ("black", "red", "green", "yellow", "blue", "magenta", "cyan", "white")
ANSI = ("default", *_EIGHT, *(f"bright-{name}" for name in _EIGHT))
"""The colours of a theme that leaves them to the terminal."""

_KEYS = {"name": str, "dark": bool, "colours": dict}
_HEX = re.compile(r"#[0-9a-fA-F]{6}")
_NAME = re.compile(r"[\w .-]{1,40}")


def read_themes(folders: Iterable[Path]) -> dict[str, Theme]:
    """All themes of these folders by name; a later folder's theme replaces an earlier one of the same name.

    Raises: UsageError: a file that is no theme, with the line and what is wrong there.
    """
    found = {}
    for folder in folders:
        for path in sorted(folder.glob("*.toml")):
            theme = read_theme(path)
            found[theme.name] = theme
    return found


def read_theme(path: Path) -> Theme:
    """One theme file. Raises: UsageError."""
    try:
        text = path.read_text("utf-8")
        table = tomllib.loads(text)
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as e:
        raise UsageError(f"{path}: cannot be read as TOML: {e}") from e
    lines = lines_of(text)
    if problem := _problem(table):
        key, words = problem
        raise UsageError(f"{path}:{lines.get(key) or lines.get(key.partition('.')[0], 1)}: {words}")
    return _theme(table["name"], dark=table["dark"], ansi=table.get("ansi", False), colours=table["colours"])


def _problem(table: dict[str, Any]) -> tuple[str, str] | None:
    """The key that is wrong and why, if one is."""
    for key, kind in _KEYS.items():
        if not isinstance(table.get(key), kind):
            return key, f"a theme needs {key} ({kind.__name__})"
    for key in table:
        if key not in {*_KEYS, "ansi"}:
            return key, f"unknown key {key!r}; the nearest is {_nearest(key, [*_KEYS, 'ansi'])!r}"
    if not _NAME.fullmatch(table["name"]):
        return "name", "a name has up to 40 letters, digits, blanks, dots and dashes"
    return _wrong_colour(table["colours"], ansi=table.get("ansi") is True)


def _wrong_colour(colours: dict[str, Any], *, ansi: bool) -> tuple[str, str] | None:
    for name, value in colours.items():
        if name not in {*COLOURS, *SYNTAX}:
            return f"colours.{name}", f"unknown colour {name!r}; the nearest is {_nearest(name, COLOURS + SYNTAX)!r}"
        if not isinstance(value, str) or not (value in ANSI if ansi else _HEX.fullmatch(value)):
            like = "default, red, bright-red, ..." if ansi else "a colour such as #1e2227"
            return f"colours.{name}", f"{name} wants {like}, not {value!r}"
    missing = [name for name in COLOURS if name not in colours]
    return ("colours", f"{missing[0]!r} is missing from [colours]") if missing else None


def _nearest(name: str, known: Sequence[str]) -> str:
    return get_close_matches(name, known, n=1, cutoff=0.0)[0]


def _theme(name: str, *, dark: bool, ansi: bool, colours: dict[str, str]) -> Theme:
    colours = dict.fromkeys(SYNTAX, colours["text"]) | colours
    if ansi:
        colours = {key: f"ansi_{value.replace('-', '_')}" for key, value in colours.items()}
    return Theme(
        name=name,
        dark=dark,
        ansi=ansi,
        primary=colours["accent"],
        secondary=colours["muted"],
        accent=colours["accent"],
        foreground=colours["text"],
        background=colours["background"],
        surface=colours["surface"],
        panel=colours["surface"],
        boost=colours["surface"],
        success=colours["ok"],
        warning=colours["warning"],
        error=colours["error"],
        variables={f"spark-{key}": value for key, value in colours.items()}
        | {
            "ansi-background": "ansi_default",
            "ansi-foreground": "ansi_default",
            "block-cursor-background": colours["accent"],
            "block-cursor-foreground": colours["background"],
            "block-cursor-text-style": "none",
            "block-cursor-blurred-background": colours["cursor"],
            "block-cursor-blurred-foreground": colours["text"],
            "input-cursor-background": colours["accent"],
            "input-selection-background": colours["cursor"],
            "border": colours["line"],
            "border-blurred": colours["line"],
            "scrollbar": colours["line"],
            "scrollbar-hover": colours["muted"],
            "scrollbar-active": colours["accent"],
            "scrollbar-background": colours["background"],
            "scrollbar-background-hover": colours["background"],
            "scrollbar-background-active": colours["background"],
            "scrollbar-corner-color": colours["background"],
        },
    )
