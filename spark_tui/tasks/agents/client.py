"""What spark asks of an agent, and how spark answers what the agent asks.

Each request of spark waits for its answer (`_follow`). Meanwhile, what the agent reports becomes
events, and what it asks for is done by the rules of the task, or refused.
"""

import time
from collections import deque
from collections.abc import Callable, Generator, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from math import isfinite
from typing import Any

from acp import schema
from acp.meta import AGENT_METHODS, CLIENT_METHODS, PROTOCOL_VERSION
from pydantic import ValidationError

from spark_tui import __version__
from spark_tui.errors import DiskError, FileError, SparkError, UsageError
from spark_tui.tasks.agents import files
from spark_tui.tasks.agents.connection import (
    NEEDS_LOGIN,
    UNKNOWN_METHOD,
    Asked,
    Connection,
    Replied,
)
from spark_tui.tasks.agents.later_words import TurnEnd, read_question, read_turn_end
from spark_tui.tasks.agents.permissions import choose, refusal_of
from spark_tui.tasks.agents.terminals import Terminals
from spark_tui.tasks.agents.tool_calls import ToolCalls, plain
from spark_tui.tasks.events import (
    AgentPlanned,
    CommandStarted,
    PermissionAsked,
    StepText,
    TaskEvent,
    TaskWaits,
)
from spark_tui.tasks.log import PlanItem
from spark_tui.tasks.tools import RunRules
from spark_tui.vcs.worktree import Worktree

_POLL_SECONDS = 0.1
# Bounds for what an agent has spark keep and show, since the agent is not trusted.
_MOST_ITEMS = 100
_MOST_ITEM = 300
_MOST_QUESTIONS = 20
"""Questions that may wait for the user at a time."""
_NO_OPTION = "it offers no permission for this once"


@dataclass(frozen=True, slots=True)
class _Question:
    """A question that waits for the user."""

    asked: Asked
    options: tuple[Any, ...]


class AgentClient:
    """The client of one agent. Mutable; one thread, but for `decide`.

    Args:
        name: As the user calls the agent.
        connection: To its program.
        worktree: Where the agent works.
        terminals: Run its commands.
        rules: What may run.
        asks: Whether somebody answers with `decide` what the rules do not allow.

    Attributes:
        session: What the agent calls its session; "" before `begin` or `load`.
        cost: What the session has cost, as the agent says.
    """

    def __init__(
        self,
        name: str,
        connection: Connection,
        worktree: Worktree,
        terminals: Terminals,
        rules: RunRules,
        *,
        asks: bool,
    ) -> None:
        self._name = name
        self._connection = connection
        self._worktree = worktree
        self._terminals = terminals
        self._rules = rules
        self._asks = asks
        self._calls = ToolCalls(worktree.root)
        self._replays = False
        self._is_cancelled = False
        self._running: int | None = None
        """The prompt that the agent has not answered."""
        self._questions: dict[int, _Question] = {}
        self._count = 0
        self._decisions: deque[tuple[int, bool]] = deque()
        self._exits: list[tuple[Asked, str]] = []
        """The requests that wait for the end of a command, each with the name of its terminal."""
        self.session = ""
        self.cost = 0.0
        self._handlers: Mapping[str, Callable[[Asked], Iterator[TaskEvent]]] = {
            CLIENT_METHODS["session_update"]: self._take_update,
            CLIENT_METHODS["session_request_permission"]: self._take_question,
            CLIENT_METHODS["fs_read_text_file"]: self._read,
            CLIENT_METHODS["fs_write_text_file"]: self._write,
            CLIENT_METHODS["terminal_create"]: self._create_terminal,
            CLIENT_METHODS["terminal_output"]: self._show_terminal,
            CLIENT_METHODS["terminal_wait_for_exit"]: self._await_exit,
            CLIENT_METHODS["terminal_kill"]: self._kill_terminal,
            CLIENT_METHODS["terminal_release"]: self._release_terminal,
        }

    def decide(self, number: int, *, allow: bool) -> None:
        """Answer a question of the agent; any thread may call this."""
        self._decisions.append((number, allow))

    def initialize(self, seconds: float) -> Generator[TaskEvent, None, Any]:
        """Agree on the protocol.

        Returns:
            An `InitializeResponse` of `acp.schema`.

        Raises:
            SparkError: The agent does not answer in time, or speaks another version.
        """
        capabilities = schema.ClientCapabilities(
            fs=schema.FileSystemCapabilities(read_text_file=True, write_text_file=True),
            terminal=self._terminals.can_run,
        )
        request = schema.InitializeRequest(
            protocol_version=PROTOCOL_VERSION,
            client_capabilities=capabilities,
            client_info=schema.Implementation(name="spark", version=__version__),
        )
        body = yield from self._result(AGENT_METHODS["initialize"], request, seconds)
        response = self._read_message(schema.InitializeResponse, body)
        if response.protocol_version != PROTOCOL_VERSION:
            raise SparkError(
                f"@{self._name} speaks version {response.protocol_version} of the Agent Client "
                f"Protocol, and spark version {PROTOCOL_VERSION}; install another version of it"
            )
        return response

    def begin(self, seconds: float) -> Generator[TaskEvent, None, None]:
        """Begin a session in the work tree.

        Raises:
            SparkError: The agent refuses, or does not answer in time.
        """
        request = schema.NewSessionRequest(cwd=str(self._worktree.root), mcp_servers=[])
        body = yield from self._result(AGENT_METHODS["session_new"], request, seconds)
        self.session = self._read_message(schema.NewSessionResponse, body).session_id

    def load(self, session: str, seconds: float) -> Generator[TaskEvent, None, bool]:
        """Take up an earlier session, without the events that the agent replays.

        Returns:
            Whether the agent still has the session.

        Raises:
            SparkError: The agent does not answer in time.
        """
        request = schema.LoadSessionRequest(
            session_id=session, cwd=str(self._worktree.root), mcp_servers=[]
        )
        self.session = session
        self._replays = True
        number = self._connection.request(AGENT_METHODS["session_load"], request)
        reply = yield from self._reply_in_time(number, AGENT_METHODS["session_load"], seconds)
        self._replays = False
        if reply.error:
            self.session = ""
        return not reply.error

    def prompt(self, text: str) -> Generator[TaskEvent, None, TurnEnd]:
        """Send the agent a message, and follow its turn to the end.

        Raises:
            SparkError: The agent fails, or its program ends.
            DiskError: The disk refused.
        """
        self._is_cancelled = False
        content = [schema.TextContentBlock(type="text", text=text)]
        request = schema.PromptRequest(session_id=self.session, prompt=content)
        self._running = self._connection.request(AGENT_METHODS["session_prompt"], request)
        reply = yield from self._follow(self._running)
        self._running = None
        end = read_turn_end(self._result_of(reply))
        if end is None:
            raise SparkError(f"@{self._name} sent a malformed answer to a prompt")
        return end

    def cancel(self, seconds: float) -> None:
        """Have the agent stop at once; what it asks meanwhile is refused.

        Args:
            seconds: How long to wait for its answer at most.
        """
        if self._running is None:
            return
        self._is_cancelled = True
        notification = schema.CancelNotification(session_id=self.session)
        self._connection.notify(AGENT_METHODS["session_cancel"], notification)
        # The protocol has the client answer all open questions as cancelled, and has the agent
        # still answer its prompt, for which the loop below waits a while.
        for question in self._questions.values():
            self._connection.answer(question.asked, _cancelled())
        self._questions.clear()
        end = time.monotonic() + seconds
        with suppress(SparkError):
            for _ in self._follow(self._running):
                if time.monotonic() > end:
                    break
        self._running = None

    def _result(self, method: str, request: Any, seconds: float) -> Generator[TaskEvent, None, Any]:
        """The result of a request.

        Raises:
            SparkError: The agent refuses, or does not answer in time.
        """
        number = self._connection.request(method, request)
        reply = yield from self._reply_in_time(number, method, seconds)
        return self._result_of(reply)

    def _reply_in_time(
        self, number: int, method: str, seconds: float
    ) -> Generator[TaskEvent, None, Replied]:
        """The answer to a request.

        Raises:
            SparkError: It does not come in time.
        """
        end = time.monotonic() + seconds
        work = self._follow(number)
        while True:
            try:
                yield next(work)
            except StopIteration as stop:
                reply: Replied = stop.value
                return reply
            if time.monotonic() > end:
                raise SparkError(
                    f"@{self._name} did not answer {method} within {seconds:g} seconds; see "
                    f"whether its command and args start an agent (examples/agents.md)"
                )

    def _follow(self, number: int) -> Generator[TaskEvent, None, Replied]:
        """Take what the agent says until it answers a request.

        Raises:
            SparkError: The program ends, or says too much.
            DiskError: The disk refused.
        """
        while True:
            self._connection.check_open()
            reply: Replied | None = None
            waits = True
            for message in self._connection.receive(_POLL_SECONDS):
                if isinstance(message, Replied):
                    # Not returned at once: the messages after the answer would be lost.
                    if message.id == number:
                        reply = message
                    continue
                for event in self._take(message):
                    waits = False
                    yield event
            self._answer_exits()
            self._answer_questions()
            if reply is not None:
                return reply
            if waits:
                yield TaskWaits()

    def _result_of(self, reply: Replied) -> Any:
        """The result of an answer.

        Raises:
            SparkError: The answer is an error.
        """
        if reply.code == NEEDS_LOGIN:
            raise SparkError(
                f"@{self._name} wants you to log in ({plain(reply.error)}); start it by hand once, "
                f"or name the variable of its key in env of [agents.{self._name}]"
            )
        if reply.error:
            raise SparkError(f"@{self._name} fails: {plain(reply.error)}")
        return reply.result

    def _read_message(self, kind: Any, body: Any) -> Any:
        """A message of `acp.schema`.

        Raises:
            SparkError: The message is malformed.
        """
        try:
            return kind.model_validate(body)
        except ValidationError as e:
            raise SparkError(f"@{self._name} sent a malformed {kind.__name__}") from e

    def _take(self, asked: Asked) -> Iterator[TaskEvent]:
        """Do what the agent asks, or refuse it."""
        handler = self._handlers.get(asked.method)
        if handler is None:
            self._connection.refuse(asked, "there is no such method", UNKNOWN_METHOD)
            return
        try:
            yield from handler(asked)
        except ValidationError:
            self._connection.refuse(asked, "the message is malformed")
        except DiskError:  # a FileError that the agent cannot mend: it ends the work
            self._connection.refuse(asked, "the disk refused")
            raise
        except (UsageError, FileError) as e:
            self._connection.refuse(asked, str(e))
            yield TaskWaits(f"refused: {plain(str(e))}")

    def _take_update(self, asked: Asked) -> Iterator[TaskEvent]:
        notification = schema.SessionNotification.model_validate(asked.params)
        if self._replays or notification.session_id != self.session:
            return
        update = notification.update
        match update.session_update:
            case "agent_message_chunk" if isinstance(update.content, schema.TextContentBlock):
                yield StepText(plain(update.content.text))
            case "agent_thought_chunk":
                yield TaskWaits("thinking")
            case "tool_call" | "tool_call_update":
                yield self._calls.update(update)
            case "plan":
                yield AgentPlanned(
                    tuple(
                        PlanItem(plain(entry.content)[:_MOST_ITEM], entry.status)
                        for entry in update.entries[:_MOST_ITEMS]
                    )
                )
            case "usage_update" if update.cost is not None and isfinite(update.cost.amount):
                # Not NaN or infinite, though JSON in Python may hold both: a sum of costs with NaN
                # never reaches a budget.
                self.cost = max(0.0, update.cost.amount)

    def _take_question(self, asked: Asked) -> Iterator[TaskEvent]:
        request = read_question(asked.params)
        if self._is_cancelled:
            self._connection.answer(asked, _cancelled())
            return
        call = self._calls.update(request.tool_call)
        command = self._calls.command(call)
        reason = refusal_of(call, command, self._worktree.root, self._rules)
        # Where the agent offers only permission for good, the rules do not give it.
        if not reason and not choose(request.options, allow=True):
            reason = _NO_OPTION
        self._count += 1
        if reason and self._asks and len(self._questions) < _MOST_QUESTIONS:
            self._questions[self._count] = _Question(asked, tuple(request.options))
            yield PermissionAsked(self._count, call, command, None, reason)
            return
        self._decide(_Question(asked, tuple(request.options)), allow=not reason)
        yield PermissionAsked(self._count, call, command, not reason, reason)

    def _answer_questions(self) -> None:
        """Pass the user's decisions on to the agent."""
        while self._decisions:
            number, allow = self._decisions.popleft()
            if question := self._questions.pop(number, None):
                self._decide(question, allow=allow)

    def _decide(self, question: _Question, *, allow: bool) -> None:
        option = choose(question.options, allow=allow)
        if option:
            answer = {"outcome": {"outcome": "selected", "optionId": option}}
            self._connection.answer(question.asked, answer)
        else:
            self._connection.answer(question.asked, _cancelled())

    def _read(self, asked: Asked) -> Iterator[TaskEvent]:
        request = schema.ReadTextFileRequest.model_validate(asked.params)
        text = files.read_text(self._worktree, request.path, request.line, request.limit)
        self._connection.answer(asked, {"content": text})
        yield TaskWaits()

    def _write(self, asked: Asked) -> Iterator[TaskEvent]:
        request = schema.WriteTextFileRequest.model_validate(asked.params)
        if self._is_cancelled:
            raise UsageError("the task is stopped")
        files.write_text(self._worktree, request.path, request.content)
        self._connection.answer(asked, {})
        yield TaskWaits()

    def _create_terminal(self, asked: Asked) -> Iterator[TaskEvent]:
        request = schema.CreateTerminalRequest.model_validate(asked.params)
        if self._is_cancelled:
            raise UsageError("the task is stopped")
        name, line = self._terminals.create(
            request.command, request.args or (), request.cwd, request.output_byte_limit
        )
        self._connection.answer(asked, {"terminalId": name})
        yield CommandStarted(plain(line))

    def _show_terminal(self, asked: Asked) -> Iterator[TaskEvent]:
        request = schema.TerminalOutputRequest.model_validate(asked.params)
        self._connection.answer(asked, self._terminals.output(request.terminal_id))
        yield TaskWaits()

    def _await_exit(self, asked: Asked) -> Iterator[TaskEvent]:
        request = schema.WaitForTerminalExitRequest.model_validate(asked.params)
        # Refuses a terminal that is not there. The answer waits for the end of the command, while
        # other messages are taken (`_answer_exits`).
        self._terminals.exit_of(request.terminal_id)
        self._exits.append((asked, request.terminal_id))
        yield TaskWaits()

    def _answer_exits(self) -> None:
        """Answer the requests that wait for commands, as far as these have ended."""
        waiting = self._exits
        self._exits = []
        for asked, name in waiting:
            try:
                ended = self._terminals.exit_of(name)
            except UsageError as e:
                self._connection.refuse(asked, str(e))
                continue
            if ended is None:
                self._exits.append((asked, name))
            else:
                self._connection.answer(asked, ended)

    def _kill_terminal(self, asked: Asked) -> Iterator[TaskEvent]:
        request = schema.KillTerminalRequest.model_validate(asked.params)
        self._terminals.kill(request.terminal_id)
        self._connection.answer(asked, {})
        yield TaskWaits()

    def _release_terminal(self, asked: Asked) -> Iterator[TaskEvent]:
        request = schema.ReleaseTerminalRequest.model_validate(asked.params)
        self._terminals.release(request.terminal_id)
        self._connection.answer(asked, {})
        yield TaskWaits()


def _cancelled() -> dict[str, Any]:
    return {"outcome": {"outcome": "cancelled"}}
