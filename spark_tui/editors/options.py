"""The options that an editor offers the user: the mode, the model, and the check."""

from collections.abc import Sequence
from enum import StrEnum
from typing import Any

from acp import schema

from spark_tui.errors import UsageError
from spark_tui.session.session import Session

MODE = "mode"
MODEL = "model"
CHECK = "check"
OFF = "off"
"""The value of the check for no check."""


class Mode(StrEnum):
    """What the words of a prompt lead to."""

    EDIT = "edit"
    ASK = "ask"
    TASK = "task"


_MODES = {
    Mode.EDIT: ("Edit", "one edit, at the place named or the likeliest one"),
    Mode.ASK: ("Ask", "an answer in words, from a chat model; nothing is edited"),
    Mode.TASK: ("Task", "a chat model works by itself, beside your files; it ends as a review"),
}


def mode_state(mode: Mode) -> Any:
    """The modes, as an answer to `session/new` lists them."""
    modes = [
        schema.SessionMode(id=each.value, name=name, description=words)
        for each, (name, words) in _MODES.items()
    ]
    return schema.SessionModeState(current_mode_id=mode.value, available_modes=modes)


def read_mode(value: str) -> Mode:
    """The mode of this name.

    Raises:
        UsageError: There is no such mode.
    """
    try:
        return Mode(value)
    except ValueError:
        raise UsageError(f"there is no mode {value}; choose {', '.join(Mode)}") from None


def config_options(session: Session, mode: Mode) -> list[Any]:
    """All options with their present values. May wait for the disk."""
    model = session.host.name
    models = dict.fromkeys([*session.models.names(), model])
    checks = dict.fromkeys([OFF, *filter(None, [session.check.line])])
    return [
        _select(MODE, "Mode", mode.value, [(each.value, _MODES[each][0]) for each in Mode], MODE),
        _select(MODEL, "Model", model, [(name, name) for name in models], MODEL),
        _select(
            CHECK,
            "Check after each accept (/check COMMAND)",
            session.check.line or OFF,
            [(line, line) for line in checks],
        ),
    ]


def _select(
    name: str,
    title: str,
    value: str,
    options: Sequence[tuple[str, str]],
    category: str | None = None,
) -> Any:
    return schema.SessionConfigOptionSelect(
        id=name,
        name=title,
        category=category,
        type="select",
        current_value=value,
        options=[
            schema.SessionConfigSelectOption(value=value, name=label) for value, label in options
        ],
    )
