"""An endpoint behind the seam: what it says is read as a region once more, or as blocks about it."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace

from spark_tui.answering.chat_writer import ChatDraft, ChatWriter, Continuation, began
from spark_tui.answering.conversation import Exchange, latest
from spark_tui.answering.prompts import blocks_messages, going_on, rewrite_messages
from spark_tui.answering.remote import Reply, Server
from spark_tui.answering.remote_faults import Waiting
from spark_tui.answering.seam import (
    CHARACTERS_A_TOKEN,
    Ability,
    Answerer,
    Ask,
    Message,
    Speech,
    Waits,
    Wrote,
    tokens_of,
)
from spark_tui.editing.quoting import Request
from spark_tui.editing.region_blocks import RegionBlocks
from spark_tui.editing.rewriting import RewriteDraft
from spark_tui.errors import SparkError, UsageError

_ROOM = 1024
"""Tokens for what a model is told, and for words."""
_BLOCKS = 4096
"""Tokens that blocks about several files may take at least."""
_SHARE = 4
"""What was said before has at most this part of what a model reads."""
_CHARACTERS = 16
"""Of a token at most: a server that goes on beyond that does not count its tokens."""


class Remote(Answerer):
    """Answers with an endpoint. One answer at a time. `standing`: what the user wants of every answer."""

    standing = ""

    def __init__(self, server: Server) -> None:
        self._server = server
        self.name, self.context = server.endpoint.name, server.endpoint.context
        """What the endpoint is called, and the tokens that it reads."""
        self._reply: Reply | None = None
        self._blocks = server.endpoint.format == "search_replace"
        self._on_failure: Callable[[str], None] | None = None

    @property
    def can(self) -> Ability:
        """See `Answerer`."""
        return Ability.BEGIN | Ability.READ_AHEAD | (Ability.FILES if self._blocks else Ability.NOTHING)

    @property
    def cost(self) -> float | None:
        """See `Answerer`."""
        endpoint, spent = self._server.endpoint, self._reply.spent if self._reply else None
        if not spent or not (endpoint.price_in or endpoint.price_out):
            return None
        return (spent[0] * endpoint.price_in + spent[1] * endpoint.price_out) / 1e6

    @property
    def map_room(self) -> int:
        """See `Answerer`: never more than an eighth of what it reads."""
        return min(self._server.endpoint.map, self.context // 8)

    def close(self) -> None:
        """Close its connections, for good."""
        self._server.close()

    @contextmanager
    def on_failure(self, told: Callable[[str], None]) -> Iterator[None]:
        """Let someone decide for a while about answers that break off, as of `RecoveringModel`; by default they end."""
        before, self._on_failure = self._on_failure, told
        try:
            yield
        finally:
            self._on_failure = before

    def write(self, ask: Ask) -> ChatWriter:
        """See `Answerer`."""
        if not self.has_room(ask.request.lines):
            what = "these files" if self._blocks else f"these lines of {ask.request.path}"
            fewer = "name fewer" if self._blocks else "select fewer with --at PATH:L1-L2"
            raise UsageError(f"{what} are too long, {self.name} reads {self.context} tokens; {fewer}")
        self._server.key()
        return ChatWriter(ask, lambda number: self._speak(ask, number), lambda: self.draft(ask.request.lines))

    def draft(self, lines: Sequence[str]) -> ChatDraft:
        """See `Answerer`."""
        return RegionBlocks(lines) if self._blocks else RewriteDraft(lines)

    def has_room(self, lines: Sequence[str]) -> bool:
        """See `Answerer`: the lines are read, and may all be written once more."""
        return (1 if self._blocks else 2) * _tokens(lines) + _ROOM + self.map_room <= self.context

    def read_ahead(self, request: Request) -> Iterator[None]:
        """See `Answerer`: a connection is opened, and nothing is sent of the words or the lines."""
        self._server.warm()
        return iter(())

    def talk(self, messages: Sequence[Message], *, most: int) -> Speech:
        """See `Talker`."""
        if _tokens([each["content"] for each in messages]) + _ROOM > self.context:
            reads = f"{self.name} reads {self.context} tokens"
            raise UsageError(f"that is too long, {reads}; show fewer lines with --at PATH:L1-L2")
        return self._heard(self._server.ask(messages, most=most), Continuation(""), 0)

    def _speak(self, ask: Ask, number: int) -> Speech:
        """An answer; one that breaks off is gone on with from its last whole line, where somebody wants that."""
        said, asked = ask.begun, ask
        while True:
            anew, reply = asked is not ask, self._ask(asked, number)
            try:
                for item in self._heard(reply, Continuation(asked.begun), number):
                    if isinstance(item, Wrote):
                        if anew:  # until now all that came before is there
                            yield began(number, asked.begun)
                        said, anew = (asked.begun if anew else said) + item.piece.decode(), False
                        if len(said) > _CHARACTERS * self._most(ask):
                            return False
                    yield item
            except SparkError as e:
                if said == ask.begun or not self._on_failure:
                    raise
                self._on_failure(str(e).rpartition("; ")[0] or str(e))  # not what to do about it
            else:
                return reply.finished
            asked = replace(ask, begun=max(ask.begun, said[: said.rfind("\n") + 1], key=len))

    def _ask(self, ask: Ask, number: int) -> Reply:
        tell = blocks_messages if self._blocks else rewrite_messages
        before = self._fitting(ask)
        messages = going_on(tell(ask.request, self.standing, ask.around, before, ask.news), ask.begun)
        seed, most = ask.seed + number, self._most(ask)
        return self._server.ask(messages, temperature=ask.temperature, seed=seed, most=most)

    def _fitting(self, ask: Ask) -> Sequence[Exchange]:
        """What was said before, as far as there is room for it."""
        before = latest(ask.before, self.context // _SHARE * CHARACTERS_A_TOKEN)
        said = sum(each.characters for each in before) // CHARACTERS_A_TOKEN
        needed = (1 if self._blocks else 2) * _tokens(ask.request.lines) + _ROOM + self.map_room
        return before if needed + said <= self.context else ()

    def _most(self, ask: Ask) -> int:
        """Tokens of an answer."""
        return max(ask.max_tokens, _BLOCKS * self._blocks) + _tokens(ask.request.lines)

    def _heard(self, reply: Reply, heard: Continuation, number: int) -> Speech:
        self._reply = reply
        for item in reply:
            if isinstance(item, Waiting):
                yield Waits(item.line)
            elif text := heard.take(item):
                yield _wrote(number, text)
            else:
                yield Waits()
        if text := heard.finish():
            yield _wrote(number, text)
        return reply.finished


def _wrote(number: int, text: str) -> Wrote:
    return Wrote(number, -1, text.encode("utf-8", "replace"))


def _tokens(lines: Sequence[str]) -> int:
    return tokens_of("\n".join(lines))
