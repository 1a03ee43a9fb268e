"""An OpenAI-compatible endpoint as a provider of edits.

A grammar for blocks that search and replace: what is searched for may only be lines that were sent.

The notation is GBNF, which llama-server and vLLM read. Everything but the search is free: words,
thoughts, paths, and the new lines.

An endpoint behind the seam: what it says is read as a region once more, or as blocks about it.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace

from spark_tui.editing.formats.quoted import QuotedRequest, is_script
from spark_tui.editing.formats.rewrite import RewriteDraft
from spark_tui.editing.formats.search_replace import RegionBlocks
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
    Waits,
    tokens_of,
)
from spark_tui.providers.calibration import SURE
from spark_tui.providers.chat_model import (
    ChatDraft,
    ChatWriter,
    Continuation,
    Echo,
    began,
    blocks_messages,
    fenced,
    rewrite_messages,
)
from spark_tui.providers.conversation import Exchange, latest
from spark_tui.providers.encodable import draft_of
from spark_tui.providers.openai_client import ChatReply, Server
from spark_tui.providers.openai_errors import BusyWait, is_never_final
from spark_tui.providers.thoughts import Part, TakenBack, ThoughtPiece, Thoughts

_MOST_LINES = 400
"""Different lines; of more, a server looks at too many ways to go on with each token."""
_LONGEST = 400
"""Characters of a line."""
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
    """Write the grammar for blocks about lines.

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
    letters = [_ESCAPES.get(letter) or _printable(letter) for letter in line]
    return f'"{"".join(letters)}"'


def _printable(letter: str) -> str:
    return f"\\x{ord(letter):02X}" if ord(letter) < 0x20 or ord(letter) == 0x7F else letter


_ROOM = 1024
"""Tokens for what a model is told, and for words."""
_BLOCKS = 4096
"""Tokens that blocks about several files may take at least."""
_SHARE = 4
"""What was said before has at most this part of what a model reads."""
_CHARACTERS = 16
"""Of a token at most: a server that goes on beyond that does not count its tokens."""
_FIRST_THOUGHT = 2048
_THOUGHT = 8192
"""Tokens that a model may think where no setting says how many: before it was seen to think,
and then.
"""


class _RanOut(Exception):
    """A model that was not known to think used all of its tokens for that."""


class Remote(Provider):
    """Answers with an endpoint.

    One answer at a time. `standing`: what the user wants of every answer.
    """

    standing = ""

    def __init__(self, server: Server) -> None:
        self._server = server
        self.name = server.endpoint.name
        self.context = server.endpoint.context
        """What the endpoint is called, and the tokens that it reads."""
        self._reply: ChatReply | None = None
        self._blocks = server.endpoint.format == "search_replace"
        self._on_failure: Callable[[str], None] | None = None
        self._is_final: Callable[[SparkError], bool] = is_never_final
        self._thinks = self._unopened = False
        """Whether it was seen to think, and to close thoughts that it had not opened."""

    @property
    def can(self) -> Ability:
        """See `Provider`."""
        return (
            Ability.BEGIN
            | Ability.READ_AHEAD
            | (Ability.FILES if self._blocks else Ability.NOTHING)
        )

    @property
    def sure(self) -> float:
        """See `Provider`."""
        return SURE

    def chance(
        self, answers: Sequence[AnswerFinished], kind: EditKind = EditKind.PLAIN
    ) -> float | None:
        """See `Provider`: by what was accepted of edits like the first."""
        if not self._server.abilities.takes("logprobs"):
            return None
        return self._server.decisions.chance(answers[0].worst)

    def learn(self, worst: float, *, accepted: bool) -> None:
        """See `Provider`."""
        if self._server.abilities.takes("logprobs"):
            self._server.decisions.add(worst, accepted=accepted)

    @property
    def cost(self) -> float | None:
        """See `Provider`."""
        endpoint = self._server.endpoint
        spent = self._reply.spent if self._reply else None
        if not spent or not (endpoint.price_in or endpoint.price_out):
            return None
        return (spent[0] * endpoint.price_in + spent[1] * endpoint.price_out) / 1e6

    @property
    def map_room(self) -> int:
        """See `Provider`: never more than an eighth of what it reads."""
        return min(self._server.endpoint.map, self.context // 8)

    def close(self) -> None:
        """Close its connections, for good."""
        self._server.close()

    @contextmanager
    def on_failure(
        self, told: Callable[[str], None], is_final: Callable[[SparkError], bool] = is_never_final
    ) -> Iterator[None]:
        """Let someone decide for a while about answers that break off; by default they end.

        Args:
            told: Hears why an answer broke off, and returns where it is to go on.
            is_final: Whether an answer ends with an error, without anybody being asked.
        """
        before = self._on_failure, self._is_final
        self._on_failure = told
        self._is_final = is_final
        try:
            yield
        finally:
            self._on_failure, self._is_final = before

    def write(self, ask: GenerationRequest) -> ChatWriter:
        """See `Provider`."""
        if not self.has_room(ask.request.lines):
            what = "these files" if self._blocks else f"these lines of {ask.request.path}"
            fewer = "name fewer" if self._blocks else "select fewer with --at PATH:L1-L2"
            raise UsageError(
                f"{what} are too long, {self.name} reads {self.context} tokens; {fewer}"
            )
        self._server.key()
        return ChatWriter(
            ask,
            lambda number: self._speak(ask, number),
            lambda: self.draft(ask.request.lines),
            to_the_end=True,
        )

    def draft(self, lines: Sequence[str]) -> ChatDraft:
        """See `Provider`."""
        return draft_of(lines, RegionBlocks if self._blocks else RewriteDraft)

    def has_room(self, lines: Sequence[str]) -> bool:
        """See `Provider`: the lines are read, and may all be written once more."""
        return (1 if self._blocks else 2) * _tokens(lines) + _ROOM + self.map_room <= self.context

    def read_ahead(self, request: QuotedRequest) -> Iterator[None]:
        """See `Provider`: a connection is opened, and nothing is sent of the words or the lines."""
        self._server.warm()
        return iter(())

    def talk(self, messages: Sequence[Message], *, most: int) -> Speech:
        """See `Talker`."""
        if _tokens([each["content"] for each in messages]) + _ROOM > self.context:
            reads = f"{self.name} reads {self.context} tokens"
            raise UsageError(f"that is too long, {reads}; show fewer lines with --at PATH:L1-L2")
        return self._talk(messages, most)

    def _talk(self, messages: Sequence[Message], most: int) -> Speech:
        while True:
            allowed = self._with_thought(most, messages)
            reply = self._server.ask(messages, most=allowed)
            try:
                return (yield from self._heard(reply, Continuation(""), 0, allowed))
            except _RanOut:
                yield Waits(self._thinks_longer(allowed))

    def _speak(self, ask: GenerationRequest, number: int) -> Speech:
        """An answer; one that breaks off is gone on with from its last whole line, where
        somebody wants that.
        """
        said = ask.begun
        asked = ask
        while True:
            anew = asked is not ask
            try:
                for item in (speech := _ReturnedSpeech(self._edit(asked, number))):
                    if isinstance(item, TokenGenerated):
                        if anew:  # until now all that came before is there
                            yield began(number, asked.begun)
                        said = (asked.begun if anew else said) + item.piece.decode()
                        anew = False
                        if len(said) > _CHARACTERS * self._most(ask):
                            return False
                    elif isinstance(item, AnswerStarted):
                        said = asked.begun
                    yield item
            except SparkError as e:
                if said == ask.begun or not self._on_failure or self._is_final(e):
                    raise
                self._on_failure(str(e).rpartition("; ")[0] or str(e))  # not what to do about it
            else:
                return speech.finished
            whole = said if self._server.abilities.go_on else said[: said.rfind("\n") + 1]
            asked = replace(ask, begun=max(ask.begun, whole, key=len))

    def _edit(self, ask: GenerationRequest, number: int) -> Speech:
        """Ask for an edit; once more where a model that was not known to think had no room for
        that.
        """
        tell = blocks_messages if self._blocks else rewrite_messages
        before = self._fitting(ask)
        messages = tell(ask.request, self.standing, ask.around, before, ask.news)
        while True:
            most = self._with_thought(self._most(ask), messages)
            reply = self._server.ask(
                messages,
                temperature=ask.temperature,
                seed=ask.seed + number,
                most=most,
                begun=ask.begun,
                expected="" if self._blocks else fenced(ask.request.path, ask.request.lines),
                grammar=block_grammar(ask.request.lines) if self._blocks else "",
            )
            try:
                return (yield from self._heard(reply, Continuation(ask.begun), number, most, ask))
            except _RanOut:
                yield Waits(self._thinks_longer(most))

    def _fitting(self, ask: GenerationRequest) -> Sequence[Exchange]:
        """What was said before, as far as there is room for it."""
        before = latest(ask.before, self.context // _SHARE * CHARACTERS_A_TOKEN)
        said = sum(each.characters for each in before) // CHARACTERS_A_TOKEN
        needed = (1 if self._blocks else 2) * _tokens(ask.request.lines) + _ROOM + self.map_room
        return before if needed + said <= self.context else ()

    def _most(self, ask: GenerationRequest) -> int:
        """Tokens of an answer."""
        return max(ask.max_tokens, _BLOCKS * self._blocks) + _tokens(ask.request.lines)

    def _with_thought(self, most: int, messages: Sequence[Message]) -> int:
        """Tokens of an answer together with those of a thought, as far as the model reads so
        many.
        """
        prompt = _tokens([each["content"] for each in messages])
        usual = _THOUGHT if self._thinks else _FIRST_THOUGHT
        thought = self._server.endpoint.thinking_tokens or usual
        return max(most, min(most + thought, self.context - prompt))

    def _thinks_longer(self, allowed: int) -> str:
        return f"{self.name} used {allowed:,} tokens to think: asking again with more"

    def _only_thought(self, allowed: int, *, ran_out: bool) -> SparkError:
        fault = openai_errors.only_thought(self._server.endpoint, allowed, ran_out=ran_out)
        return fault.kind(fault.words)

    def _heard(
        self,
        reply: ChatReply,
        heard: Continuation,
        number: int,
        allowed: int,
        ask: GenerationRequest | None = None,
    ) -> Speech:
        """What a model says, its thoughts told apart.

        Args:
            reply: What the server sends.
            heard: Leaves out what the model repeats.
            number: That of the answer.
            allowed: How many tokens the answer may have.
            ask: What is answered, where that is an edit.

        Raises:
            SparkError: Nothing came but a thought, or the call of a tool.
        """
        self._reply = reply
        begun = ask.begun if ask else ""
        thoughts = Thoughts(ask.request.lines if ask else (), opened=self._unopened and not begun)
        sorting = _ReplyReader(reply, thoughts, heard, number, begun)
        for item in reply:
            if isinstance(item, BusyWait):
                yield Waits(item.line)
                continue
            items = [] if item is None else list(sorting.take(item))
            yield from items
            if not items:
                yield Waits()
            if sorting.thought_length > _CHARACTERS * allowed:
                raise self._only_thought(allowed, ran_out=True)
        yield from sorting.finish()
        knew = self._thinks
        self._thinks = self._thinks or thoughts.thought
        self._unopened = thoughts.unopened or (self._unopened and thoughts.thought)
        if not sorting.said:
            larger = thoughts.thought and not (knew or self._server.endpoint.thinking_tokens)
            self._refuse_no_answer(reply, allowed, thought=thoughts.thought, larger=larger)
        if ask and sorting.said and not begun:
            self._refuse_script(sorting.text, ask)
        return reply.finished

    def _refuse_script(self, text: str, ask: GenerationRequest) -> None:
        """Say which format is meant, where a model quotes and that is no edit in this one."""
        if not is_script(text.split("\n"), ask.request.lines):
            return
        draft = self.draft(ask.request.lines)
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
        """Say why there is no text, where that is known.

        Args:
            larger: Whether more tokens may help.
        """
        if reply.called:
            fault = openai_errors.called_tool(self._server.endpoint)
            raise fault.kind(fault.words)
        if thought and larger and reply.ran_out:
            raise _RanOut
        if thought:
            raise self._only_thought(allowed, ran_out=reply.ran_out)


class _ReturnedSpeech:
    """Iterates over a speech, and keeps what it returns."""

    def __init__(self, speech: Speech) -> None:
        self._speech = speech
        self.finished = False

    def __iter__(self) -> Speech:
        self.finished = yield from self._speech
        return self.finished


class _ReplyReader:
    """Makes items of a turn of what an endpoint sends.

    Mutable.

    Args:
        reply: What the server sends.
        thoughts: Tells thoughts in the text apart.
        heard: Leaves out what the model repeats.
        number: That of the answer.
        begun: How its text begins, by the user's own hand.
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
        """Of the text that came and was not yielded yet."""
        self._written: list[str] = []
        self._thought: list[str] = []
        self.thought_length = 0
        """Characters that were thought."""

    @property
    def text(self) -> str:
        """The text of the answer so far."""
        return "".join(self._written)

    @property
    def said(self) -> bool:
        """Whether there is any text of an answer."""
        return any(map(str.strip, self._written))

    def take(
        self, piece: str | ThoughtPiece | PromptProgress
    ) -> Iterator[PromptProgress | AnswerStarted | TokenGenerated | Thought]:
        """Take a piece of the text, or of a thought that comes apart from the text."""
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
        """Nothing more comes."""
        yield from self._sorted(self._thoughts.finish())
        if self._thoughts.assumed and self._thoughts.thinks:  # there was none this time
            self._thoughts.thinks = self._thoughts.thought = False
            if text := self._heard.take("".join(self._thought)):
                yield self._wrote(text)
        if text := self._heard.finish() + self._echo.finish():
            yield self._wrote(text)

    def _sorted(self, parts: Sequence[Part]) -> Iterator[AnswerStarted | TokenGenerated | Thought]:
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
        return self._echo.take(part) if self._reply.exact else self._heard.take(part)

    def _take_back(self) -> Iterator[AnswerStarted | Thought]:
        """What was written was a thought: the answer begins anew."""
        thought = "".join(self._written)
        count = len(self._written)
        self._written = []
        self._heard = Continuation(self._begun)
        yield Thought(self._number, thought, count, taken_back=count)
        yield began(self._number, self._begun)

    def _wrote(self, text: str) -> TokenGenerated:
        self._written.append(text)
        logprob = self._logprob
        self._logprob = 0.0
        return TokenGenerated(self._number, -1, text.encode("utf-8", "replace"), logprob)


def _tokens(lines: Sequence[str]) -> int:
    return tokens_of("\n".join(lines))
