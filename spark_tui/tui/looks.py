"""What things look like: names for a theme's colours as styles of text."""

from functools import lru_cache

from rich.style import Style
from textual.widget import Widget

_LOOKS: dict[str, tuple[str | None, str | None]] = {
    "page": ("text", "background"),
    "panel": ("muted", "surface"),
    "text": ("text", None),
    "muted": ("muted", None),
    "faint": ("faint", None),
    "accent": ("accent", None),
    "ok": ("ok", None),
    "warning": ("warning", None),
    "error": ("error", None),
    "added": ("added-text", None),
    "removed": ("removed-text", None),
    "selected": (None, "cursor"),
    "old": ("removed-text", "removed"),
    "new": ("text", "added"),
    "old word": ("text", "removed-bright"),
    "new word": (None, "added-bright"),
}
"""Name -> the theme's colours of foreground and background; None leaves what is there."""


def look(widget: Widget, name: str) -> Style:
    """The style of this name in the theme in force (a style sheet's classes would cost a fifth of the start)."""
    colours = widget.app.theme_variables
    foreground, background = _LOOKS[name]
    return _style(colours.get(f"spark-{foreground}"), colours.get(f"spark-{background}"))


@lru_cache(maxsize=256)
def _style(foreground: str | None, background: str | None) -> Style:
    return Style(color=foreground, bgcolor=background)
