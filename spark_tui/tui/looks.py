"""What things look like: names for a theme's colours as styles of text."""

from functools import lru_cache

from rich.style import Style
from textual.dom import DOMNode

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
    "old": ("removed-text", "removed"),
    "new": ("text", "added"),
    "old word": ("text", "removed-bright"),
    "new word": (None, "added-bright"),
    **{name: (f"syntax-{name}", None) for name in ("keyword", "string", "comment", "number", "function", "type")},
}
"""Name -> the theme's colours of foreground and background; None leaves what is there."""

_MARKS = {
    "key": Style(bold=True),
    "accent": Style(bold=True),
    "warning": Style(bold=True),
    "error": Style(bold=True),
    "selected": Style(reverse=True),
    "old word": Style(bold=True, underline=True),
    "new word": Style(bold=True, underline=True),
}
"""What sets things apart where colours cannot: without any, and where nobody knows what they are."""


def look(widget: DOMNode, name: str) -> Style:
    """The style of this name in the theme in force (a style sheet's classes would cost a fifth of the start)."""
    colours = widget.app.theme_variables
    foreground, background = _LOOKS[name]
    style = _style(colours.get(f"spark-{foreground}"), colours.get(f"spark-{background}"))
    return style + _MARKS[name] if name in _MARKS and widget.app.native_ansi_color else style


def on_selected(style: Style, ink: Style) -> Style:
    """How `ink` looks on `style`: where that is set apart by reversing, colours would make blocks of it."""
    return style if style.reverse else style + ink


@lru_cache(maxsize=256)
def _style(foreground: str | None, background: str | None) -> Style:
    return Style(color=_plain(foreground), bgcolor=_plain(background))


def _plain(colour: str | None) -> str | None:
    """A colour as Rich names it."""
    return colour and colour.removeprefix("ansi_")


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
OptionList:nocolor > .option-list--option-highlighted, OptionList:ansi > .option-list--option-highlighted {
    text-style: reverse;
}
TextArea:nocolor .text-area--cursor, TextArea:ansi .text-area--cursor { text-style: reverse; }
"""
"""How what Textual brings along looks here: the palette, sheets, notices, lists and cursors."""
