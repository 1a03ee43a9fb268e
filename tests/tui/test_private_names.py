"""What spark uses of Textual that Textual does not promise to keep: who allows another version of it begins here."""

import ast
import inspect
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import pytest
from textual._xterm_parser import XTermParser
from textual.app import App
from textual.drivers.linux_driver import LinuxDriver
from textual.message_pump import MessagePump
from textual.screen import Screen
from textual.widget import Widget
from textual.widgets import TextArea

ROOM = Path(__file__).parent.parent.parent / "spark_tui" / "tui"

IMPORTED = {
    ("textual._context", "active_message_pump"): "app.py: whether what failed belongs to a screen that is closed",
    ("textual._time", "get_time"): "terminal.py: the clock of the parser's own timeout",
    ("textual._xterm_parser", "XTermParser"): "terminal.py: Esc is heard at once, and Alt+x is Esc and x",
    ("textual._xterm_parser", "BRACKETED_PASTE_START"): "terminal.py: a paste is text, whatever it holds",
    ("textual._xterm_parser", "BRACKETED_PASTE_END"): "terminal.py: the same",
    ("textual.keys", "_character_to_key"): "keymap.py: the user's own keys by their characters",
}
"""Names of modules or in them, and what for."""

MEMBERS: dict[type, dict[str, str]] = {
    XTermParser: {
        "_sequence_to_key_events": "terminal.py, overridden: Esc and a letter are two keys",
        "_timeout_time": "terminal.py, read and set to 0.0: what could become a longer key is taken as what it is",
    },
    LinuxDriver: {
        "_app": "terminal.py: the app that ends when the terminal is gone",
        "_loop": "terminal.py: the loop that hears of it",
        "_file": "terminal.py, set: what is drawn goes through a filter of our own",
        "_debug": "terminal.py: handed on to the parser",
        "_mouse": "terminal.py, set: the mouse is taken and left while it runs",
        "_enable_mouse_support": "terminal.py: the same",
        "_disable_mouse_support": "terminal.py: the same",
        "_writer_thread": "terminal.py: whether the terminal is ours just now",
        "_auto_restart": "terminal.py: whether it is taken again after a suspension",
        "_must_signal_resume": "terminal.py, set: the same after SIGSTOP",
        "_sigtstp_application": "terminal.py, overridden: no lock is taken in a signal",
        "_sigcont_application": "terminal.py, overridden: the same",
        "_run_input_thread": "terminal.py, overridden: an error in it is the app's",
    },
    App: {
        "_exit": "terminal.py: whether the app is about to leave the terminal",
        "_driver": "app.py, patch_export.py: bell, mouse and clipboard of our own driver",
        "_filters": "app.py, set: no colours where NO_COLOR is set",
        "_handle_exception": "app.py, overridden, and terminal.py: errors are raised, not printed over the terminal",
        "_fatal_error": "app.py, overridden: the same",
        "_close_messages_no_wait": "app.py: the same",
        "_set_pointer_shape": "app.py, overridden: the mouse pointer stays as it is",
    },
    MessagePump: {
        "_parent": "app.py: the screen that a widget belongs to, also when that is closed",
        "_message_queue": "key_queue.py: whether it has heard all that was sent",
    },
    Screen: {"_modal_binding_chain": "prompt.py: what a key does in the prompt by the user's own keys"},
    Widget: {"_scroll_update": "diff.py: a row more does not lay the whole screen out again"},
    TextArea: {"_replace_via_keyboard": "prompt.py, edit.py: what is pasted can be undone as what is typed"},
}
"""Methods and attributes of classes, and what for."""

ADVICE = (
    "Textual {version} has no {name} any more, which spark uses ({why}). Pin the version in pyproject.toml to one that "
    "has it, or do without it there."
)


def _told(name: str, why: str) -> str:
    return ADVICE.format(version=getattr(import_module("textual"), "__version__", "?"), name=name, why=why)


@pytest.mark.parametrize(("module", "name"), IMPORTED)
def test_what_is_imported_from_textual_in_private_is_there(module: str, name: str) -> None:
    try:
        there = hasattr(import_module(module), name)
    except ModuleNotFoundError:
        there = False
    assert there, _told(f"{module}.{name}", IMPORTED[module, name])


@pytest.mark.parametrize(("owner", "name"), [(owner, name) for owner, names in MEMBERS.items() for name in names])
def test_what_is_used_of_textuals_classes_in_private_is_there(owner: type, name: str) -> None:
    assert _has(owner, name), _told(f"{owner.__name__}.{name}", MEMBERS[owner][name])


def test_nothing_else_private_is_imported_from_textual() -> None:
    assert {found for path in sorted(ROOM.rglob("*.py")) for found in _private_imports(path)} == set(IMPORTED)


def test_a_name_that_is_gone_is_told_with_what_it_was_for() -> None:
    assert not _has(App, "_no_such_name")
    told = _told("App._driver", MEMBERS[App]["_driver"])
    assert "has no App._driver any more, which spark uses (app.py, patch_export.py: bell, mouse" in told


def _has(owner: type, name: str) -> bool:
    """Whether a class of Textual has a member, or gives it to its objects."""
    bases = [base for base in owner.__mro__ if base.__module__.startswith("textual")]
    return hasattr(owner, name) or any(f"self.{name}" in inspect.getsource(base) for base in bases)


def _private_imports(path: Path) -> Iterator[tuple[str, str]]:
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "textual":
            module = node.module or ""
            names = [alias.name for alias in node.names]
            yield from ((module, name) for name in names if "._" in f"{module}.{name}")
        elif isinstance(node, ast.Import):
            yield from ((alias.name, "") for alias in node.names if alias.name.startswith("textual._"))
