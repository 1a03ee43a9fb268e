"""The provider of chat models on an OpenAI-compatible endpoint.

`EndpointProvider` is the common part of this provider and of `QuotingProvider`. `Remote` asks the
endpoint to write the region once more, or to write blocks that search and replace (`format` in the
settings). `_ReplyReader` turns what the server sends into the items of a turn: thoughts are told
apart, and text that the model repeats is left out. `block_grammar` holds a server that accepts
grammars to blocks that can apply.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from spark_tui.editing.formats.quoted import QuotedRequest, is_script
from spark_tui.editing.formats.region_blocks import RegionBlocks
from spark_tui.editing.formats.rewrite import RewriteDraft
from spark_tui.editing.formats.surroundings import NOWHERE, Surroundings
from spark_tui.editing.line_diff import is_heading
from spark_tui.errors import SparkError, UsageError
from spark_tui.providers import openai_errors
from spark_tui.providers.base import (
    CHARACTERS_A_TOKEN,
    Ability,
    AnswerFinished,
    AnswerStarted,
    EditKind,
    GenerationRequest,
    Message,
    PromptProgress,
    Provider,
    Speech,
    Thought,
    TokenGenerated,
    Usage,
    Waits,
    tokens_of,
)
from spark_tui.providers.calibration import SURE
from spark_tui.providers.chat_prompts import blocks_messages, fenced, rewrite_messages
from spark_tui.providers.chat_writer import ChatDraft, ChatWriter, Continuation, Echo, began
from spark_tui.providers.conversation import Exchange, latest
from spark_tui.providers.encodable import draft_of
from spark_tui.providers.openai_client import Server
from spark_tui.providers.openai_errors import BusyWait, is_never_final
from spark_tui.providers.openai_reply import ChatReply, Reply
from spark_tui.providers.thoughts import Part, TakenBack, ThoughtPiece, Thoughts

_MOST_LINES = 400
"""Different lines in a grammar; more of them slow the server down with each token."""
_LONGEST = 400
"""Characters of a line in a grammar."""
# A line of text begins with one `<` at most, so seven of them can only come from `block` or
# `delete`. Behind SEARCH, a line is one of those that were sent (`lines`).
_RULES = r"""root ::= ( text | block | delete )* rest
text ::= rest "\n"
rest ::= ( [^<\n] [^\n]* | "<" ( [^<\n] [^\n]* )? )?
delete ::= "<<<<<<< DELETE"
block ::= "<<<<<<< SEARCH\n" old* "=======\n" new* ">>>>>>> REPLACE"
new ::= [^\n]* "\n"
old ::= ( {lines} ) "\n"
"""
_ESCAPES = {"\\": "\\\\", '"': '\\"', "\t": "\\t", "\r": "\\r"}


def block_grammar(lines: Sequence[str]) -> str:
    """Write a grammar, in GBNF, for blocks that search for nothing but lines that were sent.

    llama-server and vLLM read GBNF. Everything but the search is free: words, thoughts, paths, and
    the new lines.

    Args:
        lines: A region, or several files with their headings.

    Returns:
        The grammar; "" where there are too many lines, or too long ones, for a server to follow.
    """
    sent = dict.fromkeys(line for line in lines if not is_heading(line))
    if not sent or len(sent) > _MOST_LINES or max(map(len, sent)) > _LONGEST:
        return ""
    return _RULES.replace("{lines}", " | ".join(map(_literal, sent)))


def _literal(line: str) -> str:
    """Write a line as a literal of GBNF."""
    letters = [_ESCAPES.get(letter) or _printable(letter) for letter in line]
    return f'"{"".join(letters)}"'


def _printable(letter: str) -> str:
    """Write a control character as an escape; any other letter stays."""
    if ord(letter) < 0x20 or ord(letter) == 0x7F:
        return f"\\x{ord(letter):02X}"
    return letter


_ROOM = 1024
"""Tokens for the rules that a model is given, and for the instruction."""
_BLOCKS = 4096
"""Tokens that blocks about several files are allowed at least."""
_SHARE = 4
"""The conversation takes at most one part in so many of what a model reads."""
_CHARACTERS = 16
"""The most characters of a token: a server that writes more does not count its tokens."""
_FIRST_THOUGHT = 2048
"""Tokens for a thought of a model that was not seen to think, without a setting."""
_THOUGHT = 8192
"""Tokens for a thought of a model that was seen to think, without a setting."""


class _RanOut(Exception):
    """A model that was not known to think used all of its tokens to think."""


class EndpointProvider(Provider):
    """The common base of the providers of endpoints, which write one answer at a time.

    Attributes:
        standing: What the user wants of every answer; a model that quotes does not read it.
        name: The name of the endpoint.
        context: Tokens that the model reads.

    Args:
        server: The endpoint.
    """

    standing = ""
    _reply: Reply[Any] | None = None
    """The last reply of the server."""

    def __init__(self, server: Server) -> None:
        self._server = server
        self.name = server.endpoint.name
        self.context = server.endpoint.context
        self._on_failure: Callable[[str], None] | None = None
        self._is_final: Callable[[SparkError], bool] = is_never_final

    @property
    def cost(self) -> float | None:
        """See `Provider`."""
        endpoint = self._server.endpoint
        spent = self._reply.spent if self._reply else None
        if not spent or not (endpoint.price_in or endpoint.price_out):
            return None
        return (spent[0] * endpoint.price_in + spent[1] * endpoint.price_out) / 1e6

    def close(self) -> None:
        """Close its connections, for good."""
        self._server.close()

    @contextmanager
    def on_failure(
        self,
        handler: Callable[[str], None],
        is_final: Callable[[SparkError], bool] = is_never_final,
    ) -> Iterator[None]:
        """Let a caller decide about answers that break off; by default, such an answer ends.

        Args:
            handler: Called with the reason; returns where the answer is to go on, raises where the
                answer is to end.
            is_final: Whether an error ends an answer without a call of `handler`.
        """
        before = self._on_failure, self._is_final
        self._on_failure = handler
        self._is_final = is_final
        try:
            yield
        finally:
            self._on_failure, self._is_final = before

    def read_ahead(self, request: QuotedRequest) -> Iterator[None]:
        """See `Provider`: opens a connection; neither words nor lines are sent."""
        self._server.warm()
        return iter(())

    def release(self) -> bool:
        """See `Provider`."""
        reply = self._reply
        return reply is not None and reply.release()

    def _goes_on_after(self, error: SparkError) -> bool:
        """Ask the caller of `on_failure` whether an answer that broke off goes on."""
        if not self._on_failure or self._is_final(error):
            return False
        # The clause behind the semicolon is a remedy; the caller has its own.
        self._on_failure(str(error).rpartition("; ")[0] or str(error))
        return True


class Remote(EndpointProvider):
    """Answers with a chat model on an endpoint."""

    def __init__(self, server: Server) -> None:
        super().__init__(server)
        self._reply: ChatReply | None = None
        self._allowed = 0
        """The most tokens of the last reply."""
        self._thought_length = 0
        """Characters that were thought in the last reply."""
        self._blocks = server.endpoint.format == "search_replace"
        self._unopened = False
        """Whether the model was seen to close a thought that it had not opened."""

    @property
    def can(self) -> Ability:
        """See `Provider`."""
        able = Ability.BEGIN | Ability.READ_AHEAD
        return able | Ability.FILES if self._blocks else able

    @property
    def sure(self) -> float:
        """See `Provider`."""
        return SURE

    def chance(
        self, answers: Sequence[AnswerFinished], kind: EditKind = EditKind.PLAIN
    ) -> float | None:
        """See `Provider`: the share of accepted edits among those like the first."""
        if not self._server.abilities.takes("logprobs"):
            return None
        return self._server.decisions.chance(answers[0].worst)

    def learn(self, worst: float, *, accepted: bool) -> None:
        """See `Provider`."""
        if self._server.abilities.takes("logprobs"):
            self._server.decisions.add(worst, accepted=accepted)

    @property
    def map_room(self) -> int:
        """See `Provider`: never more than an eighth of the context."""
        return min(self._server.endpoint.map, self.context // 8)

    def write(self, ask: GenerationRequest) -> ChatWriter:
        """See `Provider`."""
        if not self.has_room(ask.request.lines):
            what = "these files" if self._blocks else f"these lines of {ask.request.path}"
            fewer = "name fewer" if self._blocks else "select fewer with @PATH:L1-L2"
            raise UsageError(
                f"{what} are too long, {self.name} reads {self.context} tokens; {fewer}"
            )
        # A missing key is found before anything is shown as under way.
        self._server.key()
        return ChatWriter(
            ask,
            lambda number: self._speak(ask, number),
            lambda: self.draft(ask.request.lines, ask.surroundings),
            to_the_end=True,
            cut=self._cut_words,
        )

    def draft(self, lines: Sequence[str], around: Surroundings = NOWHERE) -> ChatDraft:
        """See `Provider`."""
        if self._blocks:
            return draft_of(lines, RegionBlocks)
        return draft_of(lines, lambda sent: RewriteDraft(sent, around=around))

    def has_room(self, lines: Sequence[str]) -> bool:
        """See `Provider`: the lines are read, and may all be written once more."""
        return self._needed(lines) <= self.context

    def _needed(self, lines: Sequence[str]) -> int:
        """Return the tokens that a request about lines and its answer take at least."""
        # a region once more stands in the prompt and in the answer
        times = 1 if self._blocks else 2
        return times * _tokens(lines) + _ROOM + self.map_room

    def talk(self, messages: Sequence[Message], *, most: int) -> Speech:
        """See `Talker`."""
        if _tokens_of_messages(messages) + _ROOM > self.context:
            reads = f"{self.name} reads {self.context} tokens"
            raise UsageError(f"that is too long, {reads}; show fewer lines with @PATH:L1-L2")
        return self._talk(messages, most)

    def _talk(self, messages: Sequence[Message], most: int) -> Speech:
        """Reply to messages; ask again with more tokens where a thought used them all."""
        while True:
            allowed = self._with_thought(most, messages)
            reply = self._server.ask(messages, most=allowed)
            try:
                return (yield from self._heard(reply, Continuation(""), 0, allowed))
            except _RanOut:
                yield Waits(self._thinks_longer(allowed))

    def _speak(self, ask: GenerationRequest, number: int) -> Speech:
        """Answer a request, and go on with an answer that breaks off where a caller wants that.

        The answer goes on from its last whole line, or from its exact text where the server can.
        """
        text = ask.begun
        asked = ask
        while True:
            anew = asked is not ask
            try:
                for item in (speech := _ReturnedSpeech(self._edit(asked, number))):
                    if isinstance(item, TokenGenerated):
                        if anew:  # the old end stays shown until the new one comes
                            yield began(number, asked.begun)
                            text = asked.begun
                            anew = False
                        text += item.piece.decode()
                        # the server does not hold itself to the most tokens that it was told
                        if len(text) > _CHARACTERS * self._most(ask):
                            return False
                    elif isinstance(item, AnswerStarted):
                        text = asked.begun
                    yield item
            except SparkError as e:
                # Without a new piece there is nothing to go on from: the error is the answer.
                if text == ask.begun or not self._goes_on_after(e):
                    raise
            else:
                return speech.finished
            asked = self._resumed(ask, text)

    def _resumed(self, ask: GenerationRequest, text: str) -> GenerationRequest:
        """Return a request that goes on with the text of an answer that broke off."""
        if not self._server.abilities.go_on:
            # A model that cannot continue a line would begin the next one: the half line is
            # dropped.
            text = text[: text.rfind("\n") + 1]
        return replace(ask, begun=max(ask.begun, text, key=len))

    def _edit(self, ask: GenerationRequest, number: int) -> Speech:
        """Ask for an edit; ask again with more tokens where a thought used them all."""
        request = ask.request
        write_messages = blocks_messages if self._blocks else rewrite_messages
        before = self._fitting(ask)
        messages = write_messages(request, self.standing, ask.around, before, ask.news)
        # Blocks are bound to lines that exist, where the server takes a grammar; a region once more
        # is mostly a copy, which a server that takes predictions need not generate token by token.
        expected = ""
        grammar = ""
        if self._blocks:
            grammar = block_grammar(request.lines)
        else:
            expected = fenced(request.path, request.lines)
        while True:
            most = self._with_thought(self._most(ask), messages)
            reply = self._server.ask(
                messages,
                temperature=ask.temperature,
                seed=ask.seed + number,
                most=most,
                begun=ask.begun,
                expected=expected,
                grammar=grammar,
            )
            try:
                return (yield from self._heard(reply, Continuation(ask.begun), number, most, ask))
            except _RanOut:
                yield Waits(self._thinks_longer(most))

    def _fitting(self, ask: GenerationRequest) -> Sequence[Exchange]:
        """Return the earlier exchanges that there is room for."""
        before = latest(ask.before, self.context // _SHARE * CHARACTERS_A_TOKEN)
        tokens = sum(exchange.characters for exchange in before) // CHARACTERS_A_TOKEN
        return before if self._needed(ask.request.lines) + tokens <= self.context else ()

    def _most(self, ask: GenerationRequest) -> int:
        """Return the most tokens of an answer."""
        return max(ask.max_tokens, _BLOCKS * self._blocks) + _tokens(ask.request.lines)

    def _with_thought(self, most: int, messages: Sequence[Message]) -> int:
        """Return the most tokens of an answer and its thought together.

        Args:
            most: The most tokens of the answer alone.
            messages: The prompt, which the context holds, too.
        """
        prompt = _tokens_of_messages(messages)
        usual = _THOUGHT if self._server.abilities.thinks else _FIRST_THOUGHT
        thought = self._server.endpoint.thinking_tokens or usual
        wanted = max(most, min(most + thought, self.context - prompt))
        return min(wanted, self._server.abilities.most or wanted)

    def _thinks_longer(self, allowed: int) -> str:
        return f"{self.name} used {allowed:,} tokens to think: asking again with more"

    def _only_thought(self, allowed: int, *, ran_out: bool) -> SparkError:
        fault = openai_errors.only_thought(self._server.endpoint, allowed, ran_out=ran_out)
        return fault.kind(fault.words)

    def _cut_words(self) -> str:
        """Say that the last reply used all of its tokens, and how many of them for its thought."""
        thought = self._reply.thought_tokens if self._reply else None
        if thought is None:
            # A thought of one character took a token, too.
            thought = min(self._allowed, -(-self._thought_length // CHARACTERS_A_TOKEN))
        return openai_errors.cut_words(self._server.endpoint, self._allowed, thought)

    def _heard(
        self,
        reply: ChatReply,
        heard: Continuation,
        number: int,
        allowed: int,
        ask: GenerationRequest | None = None,
    ) -> Speech:
        """Yield what a model says, with its thoughts told apart.

        Args:
            reply: The reply of the server.
            heard: Leaves out text that the model repeats.
            number: The number of the answer.
            allowed: The most tokens of the reply.
            ask: The request, where the answer is an edit.

        Raises:
            SparkError: As `_refuse_no_answer`.
        """
        self._reply = reply
        self._allowed = allowed
        self._thought_length = 0
        begun = ask.begun if ask else ""
        region = ask.request.lines if ask else ()
        thoughts = Thoughts(region, opened=self._unopened and not begun)
        reader = _ReplyReader(reply, thoughts, heard, number, begun)
        for item in reply:
            if isinstance(item, BusyWait):
                yield Waits(item.line)
                continue
            items = [] if item is None else list(reader.take(item))
            self._thought_length = reader.thought_length
            yield from items
            if not items:
                yield Waits()
            if reader.thought_length > _CHARACTERS * allowed:
                raise self._only_thought(allowed, ran_out=True)
        yield from reader.finish()
        yield from self._usage(reply, reader)
        # `_with_thought` allows more only for a model that is seen to think for the first time.
        larger = not (self._server.abilities.thinks or self._server.endpoint.thinking_tokens)
        # The server may hold the reply to fewer tokens than are wanted.
        larger = larger and reply.most == allowed
        self._allowed = allowed = reply.most
        self._remember_thought(thoughts)
        if not reader.has_text:
            self._refuse_no_answer(reply, allowed, thought=thoughts.thought, larger=larger)
        if ask and reader.has_text and not begun:
            self._refuse_script(reader.text, ask)
        return reply.finished

    def _usage(self, reply: ChatReply, reader: "_ReplyReader") -> Iterator[Usage]:
        """Yield what the server counted, where it tells."""
        if reply.spent is None:
            return
        read, written = reply.spent
        thought = reply.thought_tokens
        if thought is None and not reader.thought_length:
            thought = 0
        yield Usage(read, written, thought, reply.cached, self.cost)

    def _remember_thought(self, thoughts: Thoughts) -> None:
        """Remember whether the model thinks, and whether it closes thoughts it has not opened."""
        if thoughts.thought:
            self._server.abilities.learn_thought()
        if thoughts.unopened:
            self._unopened = True
        elif not thoughts.thought:
            self._unopened = False

    def _refuse_script(self, text: str, ask: GenerationRequest) -> None:
        """Name the format of a model that quotes, unless its answer is an edit all the same."""
        if not is_script(text.split("\n"), ask.request.lines):
            return
        draft = self.draft(ask.request.lines, ask.surroundings)
        # Lines of an edit may look like a script: what reads as an edit and changes lines is one.
        try:
            draft.take(text.encode("utf-8", "replace"))
            draft.finish()
        except SparkError:
            pass
        else:
            if tuple(draft.lines()) != ask.request.lines:
                return
        fault = openai_errors.quotes(self._server.endpoint)
        raise fault.kind(fault.words)

    def _refuse_no_answer(
        self, reply: ChatReply, allowed: int, *, thought: bool, larger: bool
    ) -> None:
        """Explain an answer without text, where the reason is known.

        Args:
            reply: The reply of the server.
            allowed: The most tokens of the reply.
            thought: Whether the model thought.
            larger: Whether more tokens may help.

        Raises:
            _RanOut: Asking again with more tokens may help.
            SparkError: The reply has nothing but a thought, the call of a tool, or no text though
                it used all of its tokens.
        """
        if reply.called:
            fault = openai_errors.called_tool(self._server.endpoint)
            raise fault.kind(fault.words)
        if thought and larger and reply.ran_out:
            raise _RanOut
        if thought:
            raise self._only_thought(allowed, ran_out=reply.ran_out)
        if reply.ran_out:
            fault = openai_errors.no_text(self._server.endpoint, allowed)
            raise fault.kind(fault.words)


class _ReturnedSpeech:
    """A speech to iterate over, which keeps the returned value in `finished`."""

    def __init__(self, speech: Speech) -> None:
        self._speech = speech
        self.finished = False

    def __iter__(self) -> Speech:
        self.finished = yield from self._speech
        return self.finished


class _ReplyReader:
    """Turns the pieces that an endpoint sends into the items of a turn.

    Mutable.

    Args:
        reply: The reply of the server.
        thoughts: Tells thoughts in the text apart.
        heard: Leaves out text that the model repeats.
        number: The number of the answer.
        begun: The beginning of the answer, which the user wrote.
    """

    def __init__(
        self,
        reply: ChatReply,
        thoughts: Thoughts,
        heard: Continuation,
        number: int,
        begun: str,
    ) -> None:
        self._reply = reply
        self._thoughts = thoughts
        self._heard = heard
        self._number = number
        self._begun = begun
        self._echo = Echo(begun)
        self._logprob = 0.0
        """The log-probability of the text that came and was not yielded yet."""
        self._written: list[str] = []
        self._thought: list[str] = []
        self.thought_length = 0
        """Characters that were thought."""

    @property
    def text(self) -> str:
        """The text of the answer so far."""
        return "".join(self._written)

    @property
    def has_text(self) -> bool:
        """Whether there is any text of an answer."""
        return any(map(str.strip, self._written))

    def take(
        self, piece: str | ThoughtPiece | PromptProgress
    ) -> Iterator[PromptProgress | AnswerStarted | TokenGenerated | Thought]:
        """Take a piece of the text, or of a thought that the server sends apart from the text."""
        if isinstance(piece, PromptProgress):
            yield piece
        elif isinstance(piece, ThoughtPiece):
            self._thoughts.pass_thought()
            self.thought_length += len(piece.text)
            yield Thought(self._number, piece.text)
        elif piece:
            self._logprob += self._reply.scores.of(piece)
            yield from self._sorted(self._thoughts.take(piece))

    def finish(self) -> Iterator[AnswerStarted | TokenGenerated | Thought]:
        """Take note that nothing more comes, and yield what was held back."""
        yield from self._sorted(self._thoughts.finish())
        # A thought that was only assumed, and that nothing closed, was the answer.
        if self._thoughts.assumed and self._thoughts.thinks:
            self._thoughts.thinks = self._thoughts.thought = False
            if text := self._heard.take("".join(self._thought)):
                yield self._wrote(text)
        if text := self._heard.finish() + self._echo.finish():
            yield self._wrote(text)

    def _sorted(self, parts: Sequence[Part]) -> Iterator[AnswerStarted | TokenGenerated | Thought]:
        """Yield the items of parts of the content."""
        for part in parts:
            if isinstance(part, ThoughtPiece):
                self.thought_length += len(part.text)
                self._thought.append(part.text)
                self._logprob = 0.0
                yield Thought(self._number, part.text)
            elif isinstance(part, TakenBack):
                yield from self._take_back()
            elif text := self._new_text(part):
                yield self._wrote(text)

    def _new_text(self, part: str) -> str:
        """Return the part of a text that repeats nothing of the beginning."""
        if self._reply.exact:
            return self._echo.take(part)
        return self._heard.take(part)

    def _take_back(self) -> Iterator[AnswerStarted | Thought]:
        """Turn the text so far into a thought, and begin the answer anew."""
        thought = "".join(self._written)
        count = len(self._written)
        self._written = []
        self._heard = Continuation(self._begun)
        yield Thought(self._number, thought, count, taken_back=count)
        yield began(self._number, self._begun)

    def _wrote(self, text: str) -> TokenGenerated:
        """Add text to the answer."""
        self._written.append(text)
        logprob = self._logprob
        self._logprob = 0.0
        return TokenGenerated(self._number, -1, text.encode("utf-8", "replace"), logprob)


def _tokens(lines: Sequence[str]) -> int:
    """Estimate the tokens of lines."""
    return tokens_of("\n".join(lines))


def _tokens_of_messages(messages: Sequence[Message]) -> int:
    """Estimate the tokens of messages."""
    return _tokens([message["content"] for message in messages])
