"""Themes: colours in TOML files, the shipped ones and the user's own, as Textual themes."""

import re
import tomllib
from collections.abc import Iterable
from pathlib import Path

from textual.theme import Theme

from spark_tui.errors import UsageError

COLOURS = (
    "text", "muted", "faint", "background", "surface", "line", "accent", "cursor",
    "added", "added-bright", "added-text", "removed", "removed-bright", "removed-text", "ok", "warning", "error",
)  # fmt: skip
"""Every colour a theme gives, each as #rrggbb."""

_KEYS = {"name": str, "dark": bool, "colours": dict}
_HEX = re.compile(r"#[0-9a-fA-F]{6}")


def read_themes(folders: Iterable[Path]) -> dict[str, Theme]:
    """All themes of these folders by name; a later folder's theme replaces an earlier one of the same name.

    Raises: UsageError: a file that is no theme, with what is wrong in it.
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
        table = tomllib.loads(path.read_text("utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as e:
        raise UsageError(f"{path}: cannot be read as TOML: {e}") from e
    for key, kind in _KEYS.items():
        if not isinstance(table.get(key), kind):
            raise UsageError(f"{path}: a theme needs {key} ({kind.__name__})")
    colours = table["colours"]
    if wrong := sorted(set(COLOURS) ^ set(colours)):
        raise UsageError(f"{path}: {wrong[0]!r} is {'missing from' if wrong[0] in COLOURS else 'unknown in'} [colours]")
    for name, value in colours.items():
        if not isinstance(value, str) or not _HEX.fullmatch(value):
            raise UsageError(f"{path}: {name} wants a colour such as #1e2227, not {value!r}")
    return _theme(table["name"], dark=table["dark"], colours=colours)


def _theme(name: str, *, dark: bool, colours: dict[str, str]) -> Theme:
    return Theme(
        name=name,
        dark=dark,
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
