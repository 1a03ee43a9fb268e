"""An editor of the test's own, connected to an agent by the library's client and real pipes.

Every message of the agent is checked against the schema of the library.
"""

import asyncio
import os
from collections.abc import AsyncIterator, Callable, Generator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from acp import PROTOCOL_VERSION, schema, text_block
from acp.client.connection import ClientSideConnection
from acp.connection import StreamDirection
from acp.exceptions import RequestError

from spark_tui.config import Settings
from spark_tui.editors.agent import Opened, Opener, SparkAgent, serve_editor
from spark_tui.editors.buffers import BufferedRepository
from spark_tui.engine.loader import LoadedModel
from spark_tui.session.session import Session
from spark_tui.session.turn import Turn
from spark_tui.session.turn_store import SavedSession, SessionStore
from tests.fakes import ScriptedSession, edit_script, make_repo, scripted

AREA = "def area(w, h):\n    return w + h\n"
RIGHT = AREA.replace("+", "*")
TWO = "def area(w, h):\n    width = w\n    unused = 1\n    height = h\n    return width + height\n"
TWO_RIGHT = TWO.replace("width = w\n", "width = abs(w)\n").replace("width + h", "width * h")
TWO_ODD = TWO_RIGHT.replace("* height", "* height  # \u202e")
SCRIPTS = {
    "two changes, one odd": edit_script(TWO, TWO_ODD),
    "multiply": edit_script(AREA, RIGHT),
    "two changes": edit_script(TWO, TWO_RIGHT),
    "subtract": edit_script(RIGHT, AREA.replace("+", "-")),
}
FILES = {"a.py": AREA, "two.py": TWO, "conftest.py": AREA}
_KINDS = {
    "session/update": schema.SessionNotification,
    "session/request_permission": schema.RequestPermissionRequest,
    "fs/read_text_file": schema.ReadTextFileRequest,
    "fs/write_text_file": schema.WriteTextFileRequest,
}
_ANSWERS = {
    "initialize": schema.InitializeResponse,
    "session/new": schema.NewSessionResponse,
    "session/load": schema.LoadSessionResponse,
    "session/resume": schema.ResumeSessionResponse,
    "session/list": schema.ListSessionsResponse,
    "session/close": schema.CloseSessionResponse,
    "session/prompt": schema.PromptResponse,
    "session/set_mode": schema.SetSessionModeResponse,
    "session/set_config_option": schema.SetSessionConfigOptionResponse,
}


class _PlainSession(ScriptedSession):
    """Drafts nothing, and looks at nothing unseen: so the stream can be held at any token."""

    speculate = False

    def left_over(self, turn: Turn) -> Generator[str | None, None, None]:
        yield from ()


@dataclass
class EditorClient:
    """What the editor does with what the agent says; the methods are those of `acp.Client`.

    Attributes:
        choices: The names of the answers to give, in order; then "Accept" or "Yes".
        buffers: Unsaved texts, by absolute path; other files are read from the disk.
        on_update: Called with each update.
    """

    choices: list[str] = field(default_factory=list)
    buffers: dict[str, str] = field(default_factory=dict)
    updates: list[Any] = field(default_factory=list)
    questions: list[Any] = field(default_factory=list)
    offered: list[list[str]] = field(default_factory=list)
    writes: list[tuple[str, str]] = field(default_factory=list)
    raw: list[dict[str, Any]] = field(default_factory=list)
    asked: dict[int | str, str] = field(default_factory=dict)
    """The methods of the editor's requests, by their ids."""
    on_update: Callable[[Any], None] = field(default=lambda _: None)
    on_question: Callable[[], Any] | None = None
    on_write: Callable[[], Any] | None = None
    heard: asyncio.Event = field(default_factory=asyncio.Event)

    async def session_update(self, session_id: str, update: Any, **_: Any) -> None:
        self.updates.append(update)
        self.heard.set()
        self.on_update(update)

    async def request_permission(
        self, session_id: str, tool_call: Any, options: list[Any], **_: Any
    ) -> Any:
        self.questions.append(tool_call)
        self.offered.append([option.name for option in options])
        if self.on_question is not None:
            await self.on_question()
        wanted = self.choices.pop(0) if self.choices else ""
        for option in options:
            if option.name == wanted or (not wanted and option.kind == "allow_once"):
                outcome = schema.AllowedOutcome(outcome="selected", option_id=option.option_id)
                return schema.RequestPermissionResponse(outcome=outcome)
        outcome = schema.DeniedOutcome(outcome="cancelled")
        return schema.RequestPermissionResponse(outcome=outcome)

    async def read_text_file(self, session_id: str, path: str, **_: Any) -> Any:
        if path in self.buffers:
            return schema.ReadTextFileResponse(content=self.buffers[path])
        try:
            return schema.ReadTextFileResponse(content=Path(path).read_text())
        except OSError:
            raise RequestError.resource_not_found(path) from None

    async def write_text_file(self, session_id: str, path: str, content: str, **_: Any) -> Any:
        self.writes.append((path, content))
        if self.on_write is not None:
            await self.on_write()
        if path in self.buffers:
            self.buffers[path] = content
        Path(path).write_text(content)
        return schema.WriteTextFileResponse()

    def observe(self, event: Any) -> None:
        if event.direction is StreamDirection.INCOMING:
            self.raw.append(event.message)
            self.heard.set()
        elif {"id", "method"} <= event.message.keys():
            self.asked[event.message["id"]] = event.message["method"]

    async def until(self, happened: Callable[[], bool]) -> None:
        """Wait for messages until something has happened."""
        while not happened():
            self.heard.clear()
            await self.heard.wait()

    @property
    def said(self) -> str:
        """All that the agent said as its answers."""
        return "".join(
            update.content.text
            for update in self.updates
            if update.session_update == "agent_message_chunk"
        )

    def calls(self, call_id: str = "") -> list[Any]:
        """The updates of tool calls."""
        return [
            update
            for update in self.updates
            if update.session_update.startswith("tool_call")
            and (not call_id or update.tool_call_id == call_id)
        ]

    def diffs(self) -> list[str]:
        """The new texts of the diffs as they grew."""
        return [
            update.content[0].new_text
            for update in self.calls()
            if update.content and update.content[0].type == "diff"
        ]

    def check_messages(self) -> None:
        """Every message is one of the schema, and nothing of it is lost by reading it."""
        for message in self.raw:
            assert message["jsonrpc"] == "2.0"
            if "method" in message:
                _check(_KINDS[message["method"]], message["params"])
            elif "result" in message and message["id"] in self.asked:
                _check(_ANSWERS[self.asked[message["id"]]], message["result"])
            else:
                _check(schema.Error, message["error"])


def _check(kind: Any, sent: Any) -> None:
    """A part of a message is one of the schema, and nothing of it is lost by reading it."""
    read = kind.model_validate(sent)
    assert read.model_dump(mode="json", by_alias=True, exclude_unset=True) == sent


@dataclass
class Bench:
    """A repository, and what opens sessions in it."""

    folder: Path
    loaded: LoadedModel
    root: Path
    kind: type[Session]
    settings: Settings = field(default_factory=Settings)
    sessions: list[Session] = field(default_factory=list)

    @property
    def state(self) -> Path:
        return self.folder / "state"

    def open(self, folder: Path, repo: BufferedRepository) -> Opened:
        session = self.kind(repo, self.loaded, self.state, sessions=self.store, folder=folder)
        self.sessions.append(session)
        return Opened(session, self.settings)

    @property
    def store(self) -> SessionStore:
        return SessionStore(self.folder / "sessions")

    def saved(self, _: BufferedRepository) -> tuple[SavedSession, ...]:
        return self.store.list()

    def text(self, name: str = "a.py") -> str:
        return (self.root / name).read_text()


class Connected:
    """An editor that is connected to the agent."""

    def __init__(self, client: EditorClient, connection: Any, bench: Bench, sink: int) -> None:
        self.client = client
        self.connection = connection
        self.bench = bench
        self.sink = sink
        """Where bytes to the agent go."""
        self.session = ""

    async def begin(self) -> Any:
        """Begin a session."""
        answer = await self.connection.new_session(cwd=str(self.bench.root), mcp_servers=[])
        self.session = answer.session_id
        return answer

    async def prompt(self, *blocks: Any) -> str:
        """Send a prompt of texts and blocks; how it stopped is returned."""
        sent = [text_block(block) if isinstance(block, str) else block for block in blocks]
        answer = await self.connection.prompt(prompt=sent, session_id=self.session)
        return str(answer.stop_reason)

    def link(self, name: str, fragment: str = "") -> Any:
        """A link to a file, as editors send it."""
        uri = f"file://{self.bench.root / name}{fragment}"
        return schema.ResourceContentBlock(type="resource_link", name=name, uri=uri)


Connect = Callable[..., Any]
MakeBench = Callable[..., Bench]


@pytest.fixture
def make_bench(tmp_path: Path) -> MakeBench:
    """Makes a repository with a model that writes the scripts."""

    def make(
        files: Mapping[str, str] = FILES,
        before_step: Callable[[], None] | None = None,
        **options: Any,
    ) -> Bench:
        loaded = scripted(tmp_path / "model", SCRIPTS, before_step, **options)
        kind = _PlainSession if before_step else ScriptedSession
        return Bench(tmp_path, loaded, make_repo(tmp_path / "repo", files), kind)

    return make


@asynccontextmanager
async def connected(
    bench: Bench,
    client: EditorClient | None = None,
    *,
    can_read: bool = True,
    can_write: bool = True,
    is_initialized: bool = True,
) -> AsyncIterator[Connected]:
    """An editor, connected to an agent of its own until the context ends."""
    client = client or EditorClient()
    agent_in, editor_out = os.pipe()
    editor_in, agent_out = os.pipe()
    agent = SparkAgent(Opener(bench.open, bench.saved), bench.root)
    serving = asyncio.ensure_future(serve_editor(agent, agent_in, agent_out))
    loop = asyncio.get_running_loop()
    reader = asyncio.StreamReader(limit=1 << 26)
    protocol = asyncio.StreamReaderProtocol(reader)
    source = os.fdopen(editor_in, "rb", 0)
    incoming, _ = await loop.connect_read_pipe(lambda: protocol, source)
    sink = os.fdopen(editor_out, "wb", 0)
    outgoing, flow = await loop.connect_write_pipe(asyncio.streams.FlowControlMixin, sink)
    writer = asyncio.StreamWriter(outgoing, flow, None, loop)
    connection = ClientSideConnection(
        client, writer, reader, use_unstable_protocol=True, observers=[client.observe]
    )
    here = Connected(client, connection, bench, editor_out)
    try:
        if is_initialized:
            abilities = schema.ClientCapabilities(
                fs=schema.FileSystemCapabilities(read_text_file=can_read, write_text_file=can_write)
            )
            await connection.initialize(
                protocol_version=PROTOCOL_VERSION, client_capabilities=abilities
            )
        yield here
    finally:
        writer.close()
        await serving
        await connection.close()
        incoming.close()
        os.close(agent_in)
        os.close(agent_out)
    client.check_messages()
