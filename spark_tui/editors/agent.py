"""The agent: it answers the requests of the Agent Client Protocol for an editor's sessions."""

import asyncio
import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Lock
from typing import Any, NamedTuple
from uuid import uuid4

from acp import schema
from acp.connection import StreamDirection
from acp.core import AgentSideConnection
from acp.exceptions import RequestError
from acp.meta import PROTOCOL_VERSION

from spark_tui import __version__
from spark_tui.config import Settings
from spark_tui.editors.buffers import BufferedRepository
from spark_tui.editors.commands import available_commands
from spark_tui.editors.editor import Editor
from spark_tui.editors.history import listed, told_again
from spark_tui.editors.options import mode_state, read_mode
from spark_tui.editors.transport import LineTransport
from spark_tui.editors.workplace import Workplace
from spark_tui.errors import SparkError, UsageError
from spark_tui.session.session import Session
from spark_tui.session.turn_store import SavedSession

MOST_SESSIONS = 32
"""Sessions that one editor may have open."""
# Invalid params, of JSON-RPC 2.0.
_INVALID = -32602
_log = logging.getLogger(__name__)


class Opened(NamedTuple):
    """A session, and the settings that hold in its folder."""

    session: Session
    settings: Settings


class Opener(NamedTuple):
    """Opens sessions, and lists saved ones.

    Attributes:
        session: Opens a session in a folder of a repository.
        saved: Returns the saved sessions of a repository, the last saved first.
    """

    session: Callable[[Path, BufferedRepository], Opened]
    saved: Callable[[BufferedRepository], tuple[SavedSession, ...]]


class SparkAgent:
    """An agent for one editor; the methods are those of `acp.Agent`. Mutable.

    Args:
        opener: Opens sessions.
        folder: The folder whose sessions are listed if the editor names no folder.
    """

    def __init__(self, opener: Opener, folder: Path) -> None:
        self._opener = opener
        self._folder = folder
        self._connection: Any = None
        self._abilities: Any = None
        self._places: dict[str, Workplace] = {}
        self._engine = Lock()
        self._unannounced: list[Editor] = []
        """Sessions to tell about the commands, once the answer that names them is sent."""

    def on_connect(self, conn: Any) -> None:
        """Take the editor at the other end."""
        self._connection = conn

    async def initialize(
        self, protocol_version: int, client_capabilities: Any = None, **_: Any
    ) -> Any:
        """Answer with version 1, whichever the editor asks for, and with what spark can do."""
        self._abilities = client_capabilities
        return schema.InitializeResponse(
            protocol_version=PROTOCOL_VERSION,
            agent_info=schema.Implementation(name="spark", title="spark", version=__version__),
            auth_methods=[],
            agent_capabilities=schema.AgentCapabilities(
                load_session=True,
                prompt_capabilities=schema.PromptCapabilities(embedded_context=True),
                session_capabilities=schema.SessionCapabilities(
                    list=schema.SessionListCapabilities(),
                    resume=schema.SessionResumeCapabilities(),
                    close=schema.SessionCloseCapabilities(),
                ),
            ),
        )

    async def authenticate(self, method_id: str, **_: Any) -> Any:
        """Nobody has to log in."""
        return schema.AuthenticateResponse()

    async def new_session(self, cwd: str, **_: Any) -> Any:
        """Begin a session in a folder."""
        with _errors():
            place = await self._open(cwd)
        state = await self._state_of(place)
        return schema.NewSessionResponse(session_id=place.editor.session_id, **state)

    async def load_session(self, cwd: str, session_id: str, **_: Any) -> Any:
        """Go on with a saved session, and send the editor all of its turns."""
        with _errors():
            place = await self._open(cwd, session_id)
            session = place.session
            earlier = await asyncio.to_thread(session.past.turns, session_id)
            # Saved turns come the latest first; a conversation is read the other way.
            for turn in reversed(earlier):
                for update in told_again(turn, session.repo.root):
                    await place.editor.update(update)
        return schema.LoadSessionResponse(**await self._state_of(place))

    async def resume_session(self, cwd: str, session_id: str, **_: Any) -> Any:
        """Go on with a saved session whose turns the editor knows."""
        with _errors():
            place = await self._open(cwd, session_id)
        return schema.ResumeSessionResponse(**await self._state_of(place))

    async def list_sessions(self, cwd: str | None = None, **_: Any) -> Any:
        """List the saved sessions of a repository."""
        with _errors():
            repo = await asyncio.to_thread(_discover, cwd or str(self._folder))
            saved = await asyncio.to_thread(self._opener.saved, repo)
        return schema.ListSessionsResponse(sessions=list(listed(saved, repo.root)))

    async def close_session(self, session_id: str, **_: Any) -> Any:
        """End a session; its saved turns stay."""
        place = self._place(session_id)
        del self._places[session_id]
        await place.close()
        return schema.CloseSessionResponse()

    async def set_session_mode(self, session_id: str, mode_id: str, **_: Any) -> Any:
        """Choose whether words lead to an edit, an answer or a task."""
        place = self._place(session_id)
        with _errors():
            place.mode = read_mode(mode_id)
        update = schema.ConfigOptionUpdate(
            session_update="config_option_update", config_options=await place.config()
        )
        await place.editor.update(update)
        return schema.SetSessionModeResponse()

    async def set_config_option(
        self, config_id: str, session_id: str, value: str | bool, **_: Any
    ) -> Any:
        """Choose the mode, the model or the check."""
        place = self._place(session_id)
        before = place.mode
        with _errors():
            await place.choose(config_id, str(value))
        if place.mode is not before:
            update = schema.CurrentModeUpdate(
                session_update="current_mode_update", current_mode_id=place.mode.value
            )
            await place.editor.update(update)
        return schema.SetSessionConfigOptionResponse(config_options=await place.config())

    async def prompt(self, prompt: list[Any], session_id: str, **_: Any) -> Any:
        """Answer a prompt."""
        place = self._place(session_id)
        with _errors():
            return await place.prompt(prompt)

    async def cancel(self, session_id: str, **_: Any) -> None:
        """End the prompt under way; ignore a session that does not exist."""
        place = self._places.get(session_id)
        if place is not None:
            place.cancel()

    async def close(self) -> None:
        """End all sessions."""
        places = list(self._places.values())
        self._places.clear()
        for place in places:
            try:
                await place.close()
            except Exception:  # noqa: BLE001 - the others are to end, too
                _log.exception("a session did not end")

    async def _open(self, cwd: str, session_id: str | None = None) -> Workplace:
        """Open a session; a saved one if it is named.

        Raises:
            RequestError: There is no such session.
            SparkError: The folder is in no repository, or the session is damaged.
        """
        # A saved session is open once: what has it open already saves and closes first.
        if session_id in self._places:
            await self._places.pop(session_id).close()
        if len(self._places) >= MOST_SESSIONS:
            raise SparkError(f"{MOST_SESSIONS} sessions are open; close one first")
        repo = await asyncio.to_thread(_discover, cwd)
        opened = await asyncio.to_thread(self._opener.session, Path(cwd), repo)
        session = opened.session
        if session_id is None:
            # The editor may go on in another process before the first turn is saved.
            await asyncio.to_thread(session.reserve_id)
        else:
            await _go_on(session, session_id)
        name = session.past.session_id or uuid4().hex
        editor = Editor(self._connection, name, self._abilities)
        place = Workplace(editor, session, repo, opened.settings, self._engine)
        # The model loads while the user types the first prompt.
        place.model.begin()
        self._places[name] = place
        return place

    async def sent(self, event: Any) -> None:
        """Tell new sessions about the commands, after the answer that names them.

        Args:
            event: A message that was received or sent.
        """
        is_answer = event.direction is StreamDirection.OUTGOING and "result" in event.message
        if not is_answer:
            return
        # Emptied before the first await, so that no session is told twice.
        waiting = self._unannounced[:]
        self._unannounced.clear()
        for editor in waiting:
            await editor.update(available_commands())

    async def _state_of(self, place: Workplace) -> dict[str, Any]:
        """The state with which a session begins, as fields of an answer."""
        config = await place.config()
        self._unannounced.append(place.editor)
        return {"modes": mode_state(place.mode), "config_options": config}

    def _place(self, session_id: str) -> Workplace:
        """The open session of this name.

        Raises:
            RequestError: There is no such session.
        """
        place = self._places.get(session_id)
        if place is None:
            raise _unknown_session(session_id)
        return place


async def serve_editor(agent: SparkAgent, source: int, sink: int) -> None:
    """Answer an editor until it hangs up.

    Args:
        agent: The agent.
        source: The descriptor to read the editor's messages from.
        sink: The descriptor to write messages to.
    """
    connection = AgentSideConnection(
        agent,
        LineTransport(source, sink),
        listening=False,
        use_unstable_protocol=True,  # the library has session/resume and close behind this
        observers=[agent.sent],
    )
    try:
        await connection.listen()
    finally:
        await agent.close()
        await connection.close()


def _discover(folder: str) -> BufferedRepository:
    """The repository of a folder.

    Raises:
        SparkError: The folder is in no repository.
    """
    path = Path(folder)
    if not path.is_absolute() or "\0" in folder:
        raise UsageError(f"{folder!r} is not the absolute path of a folder")
    repo = BufferedRepository.discover(path)
    assert isinstance(repo, BufferedRepository)
    return repo


async def _go_on(session: Session, session_id: str) -> None:
    """Continue a saved session, or close it.

    Raises:
        RequestError: There is no such session.
        FileError: The saved session is damaged.
    """
    try:
        await asyncio.to_thread(session.go_on, session_id)
    except SparkError as e:
        await asyncio.to_thread(session.close)
        if isinstance(e, UsageError):
            raise _unknown_session(session_id) from e
        raise


def _unknown_session(session_id: str) -> RequestError:
    """The error that lets an editor begin a new session instead."""
    return RequestError.resource_not_found(session_id[:80])


@contextmanager
def _errors() -> Iterator[None]:
    """Turn an error of spark into one of the protocol."""
    try:
        yield
    except SparkError as e:
        raise RequestError(_INVALID, str(e)) from e
