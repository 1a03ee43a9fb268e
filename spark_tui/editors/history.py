"""Saved conversations: their list, and the updates that show their turns again."""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from acp import helpers, schema

from spark_tui.safe_text import visible
from spark_tui.session.events import Status
from spark_tui.session.history import EarlierTurn
from spark_tui.session.turn_store import SavedSession

_MOST_TITLE = 80


def title_of(words: str) -> str:
    """The title of a conversation, made of its first words."""
    return visible(" ".join(words.split()))[:_MOST_TITLE]


def listed(sessions: Iterable[SavedSession], root: Path) -> Iterator[Any]:
    """Yield the entries of a list of saved sessions.

    Args:
        sessions: The sessions, the last saved first.
        root: The root of the work tree.
    """
    for session in sessions:
        if session.turns:
            yield schema.SessionInfo(
                session_id=session.id,
                cwd=str(root),
                title=title_of(session.turns[0].instruction),
                updated_at=session.turns[-1].time.isoformat(),
            )


def told_again(earlier: EarlierTurn, root: Path) -> Iterator[Any]:
    """Yield the updates that show a saved turn: its words, its edit, and the outcome."""
    turn = earlier.turn
    yield helpers.update_user_message_text(visible(turn.instruction, keep="\n\t"))
    if turn.patch:
        patch = visible(turn.patch, keep="\n\t")
        # The file may hold a status that this version of spark does not know.
        status = Status(turn.status) if turn.status in set(Status) else Status.INTERRUPTED
        yield helpers.start_tool_call(
            f"earlier-{turn.id}",
            visible(f"Edit {turn.path}:{turn.start_line}-{turn.end_line}"),
            kind="edit",
            status="completed" if status.offers else "failed",
            content=[helpers.tool_content(helpers.text_block(f"```diff\n{patch}```"))],
            locations=[schema.ToolCallLocation(path=str(root / turn.path), line=turn.start_line)],
        )
    outcome = "; ".join(filter(None, [turn.message, earlier.state]))
    yield helpers.update_agent_message_text(visible(f"{outcome}\n\n", keep="\n\t"))
