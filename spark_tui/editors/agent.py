"""The agent: it answers what the Agent Client Protocol asks, with the sessions of an editor."""

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
_INVALID = -32602
_log = logging.getLogger(__name__)


class Opened(NamedTuple):
    """A session, and the settings that hold in its folder."""

    session: Session
    settings: Settings


class Opener(NamedTuple):
    """Opens what the sessions of an editor work in.

    Attributes:
        session: Opens a session in a folder, of this repository.
        saved: The sessions saved of a repository, the last saved first.
    """

    session: Callable[[Path, BufferedRepository], Opened]
    saved: Callable[[BufferedRepository], tuple[SavedSession, ...]]


class SparkAgent:
    """An agent for one editor; the methods are those of `acp.Agent`. Mutable.

    Args:
        opener: Opens sessions.
        folder: Where sessions are listed of, if the editor names no folder.
    """

    def __init__(self, opener: Opener, folder: Path) -> None:
        self._opener = opener
        self._folder = folder
        self._connection: Any = None
        self._abilities: Any = None
        self._places: dict[str, Workplace] = {}
        self._engine = Lock()
        self._unannounced: list[Editor] = []
        """Who is told of the commands, once the answer that names the session is sent."""

    def on_connect(self, conn: Any) -> None:
        """Take the editor at the other end."""
        self._connection = conn

    async def initialize(
        self, protocol_version: int, client_capabilities: Any = None, **_: Any
    ) -> Any:
        """Agree on the version, which is 1 whatever is asked for, and say what spark can do."""
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
        """Go on with a saved session, and tell the editor what was said in it."""
        with _errors():
            place = await self._open(cwd, session_id)
            session = place.session
            earlier = await asyncio.to_thread(session.past.turns, session_id)
            for turn in reversed(earlier):
                for update in told_again(turn, session.repo.root):
                    await place.editor.update(update)
        return schema.LoadSessionResponse(**await self._state_of(place))

    async def resume_session(self, cwd: str, session_id: str, **_: Any) -> Any:
        """Go on with a saved session; the editor knows what was said in it."""
        with _errors():
            place = await self._open(cwd, session_id)
        return schema.ResumeSessionResponse(**await self._state_of(place))

    async def list_sessions(self, cwd: str | None = None, **_: Any) -> Any:
        """The sessions saved of a repository."""
        with _errors():
            repo = await asyncio.to_thread(_discover, cwd or str(self._folder))
            saved = await asyncio.to_thread(self._opener.saved, repo)
        return schema.ListSessionsResponse(sessions=list(listed(saved, repo.root)))

    async def close_session(self, session_id: str, **_: Any) -> Any:
        """End a session; what is saved of it stays."""
        place = self._place(session_id)
        del self._places[session_id]
        await place.close()
        return schema.CloseSessionResponse()

    async def set_session_mode(self, session_id: str, mode_id: str, **_: Any) -> Any:
        """Choose what becomes of words."""
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
        """End the prompt under way; of a session that is not there, nothing is."""
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

    async def _open(self, cwd: str, session_id: str = "") -> Workplace:
        """Open a session, a saved one where it is named.

        Raises:
            SparkError: The folder is in no repository, or there is no such session.
        """
        if session_id in self._places:
            await self._places.pop(session_id).close()
        if len(self._places) >= MOST_SESSIONS:
            raise SparkError(f"{MOST_SESSIONS} sessions are open; close one first")
        repo = await asyncio.to_thread(_discover, cwd)
        opened = await asyncio.to_thread(self._opener.session, Path(cwd), repo)
        session = opened.session
        try:
            if session_id:
                await asyncio.to_thread(session.go_on, session_id)
        except SparkError:
            await asyncio.to_thread(session.close)
            raise
        name = session.past.session_id or uuid4().hex
        editor = Editor(self._connection, name, self._abilities)
        place = Workplace(editor, session, repo, opened.settings, self._engine)
        place.model.begin()
        self._places[name] = place
        return place

    async def sent(self, event: Any) -> None:
        """Tell new sessions of the commands, behind the answer that names them.

        Args:
            event: A message that came or went.
        """
        is_answer = event.direction is StreamDirection.OUTGOING and "result" in event.message
        if not is_answer:
            return
        waiting = self._unannounced[:]
        self._unannounced.clear()
        for editor in waiting:
            await editor.update(available_commands())

    async def _state_of(self, place: Workplace) -> dict[str, Any]:
        """What a new session begins with, as fields of an answer."""
        config = await place.config()
        self._unannounced.append(place.editor)
        return {"modes": mode_state(place.mode), "config_options": config}

    def _place(self, session_id: str) -> Workplace:
        """The session of that name.

        Raises:
            RequestError: There is none.
        """
        place = self._places.get(session_id)
        if place is None:
            raise RequestError(_INVALID, f"there is no session {session_id[:80]!r} open here")
        return place


async def serve_editor(agent: SparkAgent, source: int, sink: int) -> None:
    """Answer an editor until it hangs up.

    Args:
        agent: The agent.
        source: The descriptor that the editor's messages come from.
        sink: The descriptor that messages to the editor go to.
    """
    connection = AgentSideConnection(
        agent,
        LineTransport(source, sink),
        listening=False,
        use_unstable_protocol=True,  # which is how the library calls session/resume and close
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
        SparkError: There is none.
    """
    path = Path(folder)
    if not path.is_absolute() or "\0" in folder:
        raise UsageError(f"{folder!r} is not the absolute path of a folder")
    repo = BufferedRepository.discover(path)
    assert isinstance(repo, BufferedRepository)
    return repo


@contextmanager
def _errors() -> Iterator[None]:
    """Answer with an error of the protocol where spark refuses."""
    try:
        yield
    except SparkError as e:
        raise RequestError(_INVALID, str(e)) from e
