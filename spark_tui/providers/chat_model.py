"""Chat models: their prompts, their answers, and the provider for a chat model in this process.

From the top of the file:

- `ChatWriter` writes the answers of any chat model, here or on an endpoint, into drafts. `Echo` and
  `Continuation` leave out text that a model repeats when it goes on with an answer.
- `rewrite_messages`, `blocks_messages` and `question_messages` write the prompts: rules, the lines,
  and the instruction as it was typed.
- `Rewriter` is the provider for a chat model in this process. The model writes the region once
  more, and the old lines serve as drafted tokens. Copied lines take several tokens a pass, so that
  rewriting a region costs little more than the tokens that change.
"""

import math
from codecs import getincrementaldecoder
from collections.abc import Callable, Collection, Generator, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path, PurePosixPath
from typing import Protocol

from spark_tui.editing.formats.fences import Fence, fence_for
from spark_tui.editing.formats.growing_region import GrowingRegion
from spark_tui.editing.formats.quoted import QuotedRequest
from spark_tui.editing.formats.region_blocks import RegionBlocks
from spark_tui.editing.formats.rewrite import RewriteDraft
from spark_tui.editing.line_diff import sections
from spark_tui.engine.generate import Prefilled, Sampler, Step, generate, sampled
from spark_tui.engine.gguf import read_gguf
from spark_tui.engine.kv_cache import KVCache
from spark_tui.engine.loader import LoadedModel, is_gguf
from spark_tui.engine.speculative import Drafter, pace_of
from spark_tui.errors import ModelError, SparkError, UsageError
from spark_tui.providers.base import (
    CHARACTERS_A_TOKEN,
    Ability,
    AnswerFinished,
    AnswerStarted,
    Draft,
    GenerationRequest,
    Item,
    Message,
    PromptProgress,
    Speech,
    Thought,
    TokenGenerated,
    Waits,
)
from spark_tui.providers.chat_template import ChatTemplate
from spark_tui.providers.conversation import Exchange, Question, changed_lines, latest
from spark_tui.providers.local_thought import (
    LEAST_THOUGHT,
    THOUGHT_TOKENS,
    Thinker,
    Thoughtful,
    ThoughtTags,
    spell_tag,
)
from spark_tui.providers.spark_model import Local
from spark_tui.providers.thoughts import TakenBack, ThoughtPiece, Thoughts, closing_of, is_tag

_OPEN = "the answer ends before its code does; ask again, or name another model"


class ChatDraft(Draft, Protocol):
    """The draft of a chat model's answer."""

    @property
    def over(self) -> bool:
        """Whether the answer is complete, whatever comes."""

    @property
    def closed(self) -> bool:
        """Whether the answer would be complete if the model stopped here."""

    @property
    def doubt(self) -> str:
        """Why nobody can be sure of the finished answer; "" where somebody can."""


class ChatWriter:
    """The `Writer` of chat models: one answer at temperature 0, else as many draws as are wanted.

    Args:
        ask: The request.
        speak: Begins the speech of an answer, by its number.
        blank: Makes an empty draft.
        to_the_end: Whether complete code may still turn out to be a thought, so that an answer is
            over only when the model stops.
        cut: Says why a speech ended before its end, see `AnswerFinished`.
    """

    def __init__(
        self,
        ask: GenerationRequest,
        speak: Callable[[int], Speech],
        blank: Callable[[], ChatDraft],
        *,
        to_the_end: bool = False,
        cut: Callable[[], str] = str,
    ) -> None:
        self._cut = cut
        self._ask = ask
        self._speak = speak
        self._blank = blank
        self._to_the_end = to_the_end
        self._count = 0

    @property
    def best(self) -> float:
        """See `Writer`."""
        if self._ask.temperature > 0 or self._count == 0:
            return 0.0
        return -math.inf

    def write(self, count: int = 1, *, least: float = -math.inf) -> Generator[Item, None, None]:
        """See `Writer`."""
        for _ in range(count):
            if self.best < least or self.best == -math.inf:
                return
            self._count += 1
            yield from self._one(self._count - 1)

    def _one(self, number: int) -> Generator[Item, None, None]:
        """Write the answer of a number."""
        yield (beginning := began(number, self._ask.begun))
        draft = self._drafted(beginning)
        written: list[TokenGenerated] = []
        ended = False
        misfit = None
        with closing(self._speak(number)) as speech:
            while self._to_the_end or not draft.over:
                try:
                    item = next(speech)
                except StopIteration as e:
                    ended = bool(e.value)
                    break
                if isinstance(item, AnswerStarted):
                    # The answer begins anew: the old pieces were a thought, or broke off.
                    draft = self._drafted(item)
                    written = []
                    misfit = None
                elif isinstance(item, TokenGenerated):
                    misfit = misfit or self._misfit(draft, item)
                    written.append(item)
                yield item
        if misfit:
            raise misfit
        finished = draft.over or (ended and draft.closed)
        cut = ""
        if not finished:
            cut = _OPEN if ended else self._cut()
        yield _answer(number, draft, written, finished=finished, cut=cut)

    def _misfit(self, draft: ChatDraft, wrote: TokenGenerated) -> SparkError | None:
        """Read a piece into a draft.

        Returns:
            The error of a piece that does not fit, where the piece may belong to a thought.
        """
        try:
            draft.take(wrote.piece)
        except SparkError as e:
            if not self._to_the_end:
                raise
            return e
        return None

    def _drafted(self, beginning: AnswerStarted) -> ChatDraft:
        """Make a draft that has read the beginning of an answer."""
        draft = self._blank()
        for wrote in beginning.known:
            draft.take(wrote.piece)
        return draft


def began(number: int, text: str) -> AnswerStarted:
    """Return the start of an answer that begins with a text."""
    if not text:
        return AnswerStarted(number)
    return AnswerStarted(number, (TokenGenerated(number, -1, text.encode()),))


def _answer(
    number: int,
    draft: ChatDraft,
    written: list[TokenGenerated],
    *,
    finished: bool,
    cut: str,
) -> AnswerFinished:
    """Return the answer that a draft has read."""
    if finished:
        draft.finish()
        lines = draft.lines()
        doubt = draft.doubt
    else:
        lines = draft.settled()
        doubt = ""
    logprobs = [token.logprob for token in written]
    return AnswerFinished(
        lines=tuple(lines),
        tokens=tuple(token.token for token in written),
        logprob=sum(logprobs),
        worst=min(logprobs, default=0.0),
        number=number,
        finished=finished,
        declined=draft.declined,
        cut=cut,
        doubt=doubt,
    )


class Echo:
    """Leaves out the begun text where a server sends it once more before the new text.

    llama-server does so when it continues a half-written answer. Mutable.

    Args:
        begun: The begun text.
    """

    def __init__(self, begun: str) -> None:
        self._begun = begun
        self._held = ""

    def take(self, text: str) -> str:
        """Take a piece.

        Returns:
            The text that is known to be new by now.
        """
        if not self._begun:
            return text
        self._held += text
        if self._begun.startswith(self._held) and self._held != self._begun:
            return ""
        return self.finish()

    def finish(self) -> str:
        """Return the text that was held back as long as it might be an echo."""
        held = self._held.removeprefix(self._begun)
        self._held = self._begun = ""
        return held


class Continuation:
    """Leaves out the end of the begun text where a model writes it once more.

    Models that cannot be made to go on within a line repeat the line, the line before, or the
    fence. Mutable.

    Args:
        begun: The begun text.
    """

    def __init__(self, begun: str) -> None:
        lines = begun.split("\n")
        self._part = lines[-1]
        """The unfinished line at the end."""
        self._last = lines[-2] if len(lines) > 1 else ""
        """The whole line before."""
        self._inside = any(Fence.opened(line) for line in lines)
        """Whether a fence was opened that the model may open once more."""
        self._held = "" if begun else None
        """Text that may be a repetition; None once the text is known to be new."""

    def take(self, text: str) -> str:
        """Take a piece.

        Returns:
            The text that is known to be new by now.
        """
        if self._held is None:
            return text
        self._held += text
        while "\n" in self._held:
            line, _, rest = self._held.partition("\n")
            if self._inside and Fence.opened(line):
                self._inside = False
                self._held = rest
            elif not self._part and line and line == self._last:
                self._last = ""
                self._held = rest
            else:
                return self.finish()
        return ""

    def finish(self) -> str:
        """Return the text that was held back as long as it might be a repetition."""
        held = self._held or ""
        self._held = None
        return held.removeprefix(self._part)


# The prompts. How well a model answers depends on their words: change none without a measurement.

_ANSWER = (
    "You help somebody who works on text and code. Answer the question about the lines that are "
    "shown, shortly, in Markdown. Where you propose other lines, put them in a fenced code block."
)
_REWRITE = (
    "You edit text and code. You are given lines of a file and a request. Reply with all of these "
    "lines as they should be, in one fenced code block and nothing else. Keep every line that need "
    "not change exactly as it is, with its indentation. If nothing is to be changed, reply with "
    "one sentence that says why, and no code block. If you are asked a question, answer it in "
    "Markdown, with no code block."
)
_BLOCK_RULES = """\
You edit text and code. You are given files and a request. Reply with blocks of this form, and \
little else:

path/to/file.py
<<<<<<< SEARCH
lines that stand in the file now
=======
the lines that should stand there
>>>>>>> REPLACE

The lines to search for must stand in the file exactly so, and only once: take a few lines around \
a change, and use several blocks rather than a long one. To make a new file, search for nothing. \
To delete a file, write its path and below it the one line <<<<<<< DELETE. If nothing is to be \
changed, reply with one sentence that says why. If you are asked a question, answer it in \
Markdown, with no block."""
_GO_ON = (
    "Your answer broke off there. Go on with the line that would come next, in the very same form, "
    "as if it had not; repeat nothing of it and say nothing else."
)


def rewrite_messages(
    request: QuotedRequest,
    standing: str = "",
    around: str = "",
    before: Sequence[Exchange] = (),
    news: str = "",
) -> list[Message]:
    """Ask for a region once more, as `editing.formats.rewrite` reads it.

    Args:
        request: The instruction and the region.
        standing: What the user wants of every answer.
        around: A map of the repository.
        before: The earlier exchanges.
        news: What happened since the last exchange.
    """
    messages = [_system(_REWRITE, standing)]
    for exchange in before:
        messages += _turn_before(exchange, _rewrite_words, _rewritten)
    messages.append(_message("user", _rewrite_words(request, around, news)))
    return messages


def blocks_messages(
    request: QuotedRequest,
    standing: str = "",
    around: str = "",
    before: Sequence[Exchange] = (),
    news: str = "",
) -> list[Message]:
    """Ask for blocks, as `editing.formats.search_replace` reads them.

    Args:
        request: The instruction, and a region or several files.
        standing: As for `rewrite_messages`, here and below.
        around: As there.
        before: As there.
        news: As there.
    """
    messages = [_system(_BLOCK_RULES, standing)]
    for exchange in before:
        messages += _turn_before(exchange, _block_words, _block)
    messages.append(_message("user", _block_words(request, around, news)))
    return messages


def _turn_before(
    exchange: Exchange,
    words: Callable[[QuotedRequest, str, str], str],
    edit: Callable[[Exchange], str],
) -> list[Message]:
    """Write an exchange as two messages.

    Args:
        exchange: The exchange.
        words: Writes the message of a request.
        edit: Writes the answer, where another kind of model gave it.
    """
    question = words(exchange.request, exchange.around, exchange.news)
    answer = exchange.answer.strip() or edit(exchange)
    return [_message("user", question), _message("assistant", answer)]


def _rewrite_words(request: QuotedRequest, around: str, news: str) -> str:
    """Write the message that asks for a region once more."""
    if sections(request.lines):
        return _block_words(request, around, news)
    shown = f"Lines of {request.path}:\n\n{fenced(request.path, request.lines)}"
    return _together(news, *_map(around), shown, _asked(request))


def _block_words(request: QuotedRequest, around: str, news: str) -> str:
    """Write the message that asks for blocks."""
    lines = request.lines
    # A region of several files has a heading line before each file.
    files = {file.path: lines[file.start + 1 : file.stop] for file in sections(lines)}
    if not files:
        files = {request.path: lines}
    shown = [f"{path}\n{fenced(path, file_lines)}" for path, file_lines in files.items()]
    return _together(news, *_map(around), *shown, _asked(request))


def _together(*parts: str) -> str:
    """Join the parts of a message that are not empty."""
    return "\n\n".join(filter(None, parts))


def _rewritten(exchange: Exchange) -> str:
    """Write the edit of an exchange as the region once more."""
    return fenced(exchange.request.path, exchange.lines)


def _block(exchange: Exchange) -> str:
    """Write the edit of an exchange as a block."""
    old, new = changed_lines(exchange.request.lines, exchange.lines)
    lines = [exchange.request.path, "<<<<<<< SEARCH", *old, "=======", *new, ">>>>>>> REPLACE"]
    return "\n".join(lines)


def question_messages(
    words: str,
    shown: Mapping[str, Sequence[str]],
    earlier: Sequence[Question] = (),
    standing: str = "",
    around: str = "",
) -> list[Message]:
    """Ask for an answer in words.

    Args:
        words: The question.
        shown: Lines to show, by their place (`PATH` or `PATH:LINES`).
        earlier: The earlier questions with their answers; they are sent as they were.
        standing: What the user wants of every answer.
        around: A map of the repository.
    """
    messages = [_system(_ANSWER, standing)]
    for question in earlier:
        messages.append(_message("user", question.asked))
        messages.append(_message("assistant", question.answer))
    quotes = [
        f"{place}\n{fenced(place.partition(':')[0], lines)}" for place, lines in shown.items()
    ]
    messages.append(_message("user", "\n\n".join([*_map(around), *quotes, words])))
    return messages


def going_on(messages: Sequence[Message], begun: str) -> list[Message]:
    """Ask a model to go on with its answer.

    Args:
        messages: The conversation.
        begun: The answer so far, up to the end of a line; "" adds nothing.
    """
    if begun:
        return [*messages, _message("assistant", begun), _message("user", _GO_ON)]
    return list(messages)


def opening(request: QuotedRequest) -> str:
    """Return the beginning of the answer to `rewrite_messages`: its fence."""
    return f"{fence_for(request.lines)}{_language(request.path)}\n"


def _map(around: str) -> list[str]:
    """Return the part of a message with the map of the repository, where there is one."""
    return [f"What else is in the repository, by file and line:\n\n{around}"] if around else []


def _system(words: str, standing: str) -> Message:
    """Write the system's message."""
    if standing:
        words = f"{words}\n\nWhat the user wants in any case:\n{standing}"
    return _message("system", words)


def _message(role: str, content: str) -> Message:
    return {"role": role, "content": content.strip()}


def fenced(path: str, lines: Sequence[str]) -> str:
    """Put lines of a file in a fence that none of them ends."""
    mark = fence_for(lines)
    return "\n".join([mark + _language(path), *lines, mark])


def _language(path: str) -> str:
    """Name the language of a fence: the suffix of the file."""
    return PurePosixPath(path).suffix.removeprefix(".")


def _asked(request: QuotedRequest) -> str:
    """Write the instruction with its context."""
    parts = []
    if request.previous:
        words = request.previous.words.strip()
        parts += [f"The last edit, in {request.previous.path}, which was accepted: {words}"]
        parts += [fenced("x.diff", request.previous.script), ""]
    if request.earlier:
        parts += ["Asked before:", *request.earlier, ""]
    if request.selected:
        parts += ["It is about these lines above all:", fenced(request.path, request.selected), ""]
    return "\n".join([*parts, f"Request: {request.words.strip()}"])


_ROOM = 768
"""Tokens for the rules that a model is given, for the instruction, and for new lines."""
_BLOCKS = 2048
"""Tokens that blocks about several files are allowed at least."""
_SHARE = 4
"""The conversation takes at most one part in so many of what the model reads."""
_LINES_AHEAD = 40
"""Lines that are drafted at once: tokenizing lines takes time."""


class Rewriter(Local):
    """Answers with a chat model in this process.

    Attributes:
        standing: What the user wants of every answer.

    Args:
        loaded: The model.
        cache: As for `Local`.
        speculate: As for `Local`.
        blocks: Whether the model is asked for blocks that search and replace, which may edit
            several files and make new ones, instead of the region once more.
        thinking: A key of `THOUGHT_TOKENS`: how long the model may think before an answer, where
            the model knows thoughts.

    Raises:
        ModelError: The model has no chat template, or none that can be used.
    """

    standing = ""

    def __init__(
        self,
        loaded: LoadedModel,
        cache: KVCache | None = None,
        *,
        speculate: bool = True,
        blocks: bool = False,
        thinking: str = "off",
    ) -> None:
        super().__init__(loaded, cache, speculate=speculate)
        self._blocks = blocks
        template = template_of(loaded.path)
        if template is None:
            raise ModelError(
                f"{loaded.name} has no chat template, so it cannot be told what to do; name "
                f"another model"
            )
        self._template = template
        self._ends = template.ends(loaded.tokenizer)
        probe = [{"role": "user", "content": ""}]
        hushed = template.render(probe, thinking=False)
        self._closing = closing_of(hushed)
        """The tag that closes a thought which the template opens even where none is wanted."""
        self._most_thought = THOUGHT_TOKENS[thinking]
        self._thinker: Thinker | None = None
        if self._most_thought:
            tags = ThoughtTags.of_prompts(template.render(probe, thinking=True), hushed)
            if tags:
                self._thinker = Thinker(loaded.tokenizer, tags, self._ends)

    @property
    def can(self) -> Ability:
        """See `Provider`."""
        able = Ability.BEGIN | Ability.READ_AHEAD
        return able | Ability.FILES if self._blocks else able

    def write(self, ask: GenerationRequest) -> ChatWriter:
        """See `Provider`."""
        prompt = self._prompt(ask)
        begun = self._loaded.tokenizer.encode(ask.begun)
        if len(prompt) + len(begun) >= self.cache.capacity:
            raise self._too_long(ask.request)
        return ChatWriter(
            ask,
            lambda number: self._speak(ask, prompt, begun, number),
            lambda: self.draft(ask.request.lines),
        )

    def talk(self, messages: Sequence[Message], *, most: int) -> Speech:
        """See `Talker`."""
        prompt: list[int] = []
        if self._readable([message["content"] for message in messages]):
            prompt = self._asked(messages)
        if not 0 < len(prompt) < self.cache.capacity:
            reads = f"{self._loaded.name} reads {self.cache.capacity} tokens"
            raise UsageError(f"that is too long, {reads}; show fewer lines with @PATH:L1-L2")
        return _thoughts_apart(self._talk(messages, prompt, most), Thoughts())

    def _talk(self, messages: Sequence[Message], prompt: list[int], most: int) -> Speech:
        """Reply to messages, behind a thought where the model is to think.

        Args:
            messages: The conversation.
            prompt: The tokens of the prompt of a reply without a thought.
            most: The most tokens of the reply.
        """
        ids = prompt
        thought: list[int] = []
        if self._thinker:
            thinking_prompt = self._asked(messages, thinking=True)
            thought = yield from self._think(
                self._thinker, thinking_prompt, sampled(0.0, 0), 0, most
            )
        if thought:
            ids = [*thought, *self._loaded.tokenizer.encode("\n\n")]
        steps = self._written(ids, sampled(0.0, 0), most, self._drafter(ids))
        return (yield from _said(steps, self._piece, self._ends, 0, None, read=bool(thought)))

    def _think(
        self,
        thinker: Thinker,
        prompt: Sequence[int],
        sampler: Sampler,
        number: int,
        room: int,
    ) -> Thoughtful:
        """Think before an answer.

        Args:
            thinker: Follows the thought.
            prompt: The prompt that asks for a thought.
            sampler: Chooses the tokens of the thought.
            number: The number of the answer.
            room: Tokens that are kept free for the answer.

        Returns:
            The prompt with the thought; nothing where there is no room for a thought.
        """
        ids = [*prompt, *thinker.opening]
        most = min(self._most_thought, self.cache.capacity - len(ids) - room)
        if most < LEAST_THOUGHT:
            return []
        steps = self._written(ids, sampler, most, self._drafter(ids))
        thought = yield from thinker.think(steps, number)
        return [*ids, *thought]

    def _drafter(self, prompt: Sequence[int]) -> Drafter | None:
        """Make the drafter for a prompt; None where no tokens are drafted."""
        if not self._speculate:
            return None
        return Drafter(prompt, pace_of(self._loaded.model))

    def _written(
        self,
        ids: Sequence[int],
        sampler: Sampler,
        most: int,
        drafter: Drafter | None,
    ) -> Generator[Prefilled | Step, None, None]:
        """Generate tokens behind others.

        Args:
            ids: The tokens of the prompt.
            sampler: Chooses the new tokens.
            most: The most new tokens.
            drafter: Drafts tokens; None for none.
        """
        self.cache.recall(ids)
        return generate(
            self._loaded.model,
            self.cache,
            ids,
            sampler=sampler,
            max_tokens=min(most, self.cache.capacity - len(ids)),
            stop_ids=self._ends,
            draft=drafter,
        )

    def _piece(self, token_id: int) -> str | bytes:
        """Return the text of a token; tags of thoughts are text, though they are special tokens."""
        piece = self._loaded.tokenizer.piece(token_id)
        if isinstance(piece, str) and is_tag(piece):
            return piece.encode()
        return piece

    def draft(self, lines: Sequence[str]) -> ChatDraft:
        """See `Provider`; a region once more begins within the fence that the prompt opened."""
        if self._blocks:
            return RegionBlocks(lines)
        return RewriteDraft(lines, fence_for(lines))

    def prompt(self, request: QuotedRequest) -> list[int]:
        """See `Provider`."""
        return self._alone(request, thinking=False)

    def _alone(self, request: QuotedRequest, *, thinking: bool) -> list[int]:
        """Return the tokens of a request without the earlier exchanges.

        Raises:
            As `prompt`.
        """
        if not self._readable(request.lines):
            raise self._too_long(request)
        ids = self._told(request, thinking=thinking)
        if len(ids) >= self.cache.capacity:
            raise self._too_long(request)
        return ids

    def _told(
        self,
        request: QuotedRequest,
        before: Sequence[Exchange] = (),
        news: str = "",
        *,
        thinking: bool,
    ) -> list[int]:
        """Return the tokens of a conversation, up to the opening of the answer.

        Args:
            request: The request.
            before: The earlier exchanges.
            news: What happened since the last exchange.
            thinking: Whether the model is to think before it answers.
        """
        write_messages = blocks_messages if self._blocks else rewrite_messages
        messages = write_messages(request, self.standing, before=before, news=news)
        return self._asked(messages, self._opening(request), thinking=thinking)

    def _opening(self, request: QuotedRequest) -> str:
        """Return the beginning of an answer that the prompt ends with."""
        return "" if self._blocks else opening(request)

    def _asked(
        self,
        messages: Sequence[Message],
        begun: str = "",
        *,
        thinking: bool = False,
    ) -> list[int]:
        """Return the tokens of messages.

        Args:
            messages: The conversation.
            begun: The beginning of an answer without a thought.
            thinking: Whether the model is to think before it answers.
        """
        tokenizer = self._loaded.tokenizer
        if thinking:
            return self._template.tokens(messages, tokenizer, thinking=True)
        if not self._closing:
            return self._template.tokens(messages, tokenizer, begun, thinking=False)
        ids = self._template.tokens(messages, tokenizer, thinking=False)
        closed = spell_tag(tokenizer, self._closing)
        return [*ids, *closed, *tokenizer.encode(f"\n\n{begun}")]

    def _prompt(self, ask: GenerationRequest, *, thinking: bool = False) -> list[int]:
        """Return the tokens of a request, behind the earlier exchanges where there is room."""
        alone = self._alone(ask.request, thinking=thinking)
        before = latest(ask.before, self.cache.capacity // _SHARE * CHARACTERS_A_TOKEN)
        if not (before or ask.news):
            return alone
        ids = self._told(ask.request, before, ask.news, thinking=thinking)
        region = len(self._spelled(ask.request.lines))
        if len(ids) + region + ask.max_tokens >= self.cache.capacity:
            return alone
        return ids

    def has_room(self, lines: Sequence[str]) -> bool:
        """See `Provider`: the lines stand in the prompt, and a region once more in the answer."""
        if not self._readable(lines):
            return False
        times = 1 if self._blocks else 2
        room = min(_ROOM, self.cache.capacity // 4)
        return times * len(self._spelled(lines)) + room <= self.cache.capacity

    def read_ahead(self, request: QuotedRequest) -> Iterator[None]:
        """See `Provider`: reads the prompt up to the words of the instruction."""
        if not self._readable(request.lines):
            return
        thinks = self._thinker is not None
        # The prompts of two instructions are equal up to the words.
        first = QuotedRequest(request.path, request.lines, "a")
        second = QuotedRequest(request.path, request.lines, "b")
        prompt = self._alone(first, thinking=thinks)
        other = self._alone(second, thinking=thinks)
        pairs = enumerate(zip(prompt, other, strict=False))
        known = next(place for place, (token, twin) in pairs if token != twin)
        yield from self._read(prompt[:known])

    def _speak(
        self, ask: GenerationRequest, prompt: Sequence[int], begun: Sequence[int], number: int
    ) -> Speech:
        """Answer a request, behind a thought where the model is to think and `begun` is empty.

        Args:
            ask: The request.
            prompt: The tokens of the prompt of an answer without a thought.
            begun: The tokens that the answer begins with.
            number: The number of the answer.
        """
        tokenizer = self._loaded.tokenizer
        region = len(self._spelled(ask.request.lines))
        most = region + max(ask.max_tokens, _BLOCKS * self._blocks)
        sampler = sampled(ask.temperature, ask.seed + number)
        thought: list[int] = []
        if self._thinker and not begun:
            thinking_prompt = self._prompt(ask, thinking=True)
            room = region + ask.max_tokens
            thought = yield from self._think(self._thinker, thinking_prompt, sampler, number, room)
        if thought:
            prompt = [*thought, *tokenizer.encode(f"\n\n{self._opening(ask.request)}")]
        ids = [*prompt, *begun]
        drafter = self._drafter(prompt)
        copied = None
        # The drafter itself finds the lines that blocks quote: they stand in the prompt.
        if drafter and not self._blocks:
            copied = _Copied(drafter, ask.request.lines, self._spelled)
        if drafter:
            drafter.begin(begun)
        if copied:
            copied.take(ask.begun.encode())
        steps = self._written(ids, sampler, most, drafter)
        speech = _said(steps, tokenizer.piece, self._ends, number, copied, read=bool(thought))
        return (yield from speech)

    def _spelled(self, lines: Sequence[str]) -> list[int]:
        """Return the tokens of lines."""
        return self._loaded.tokenizer.encode("".join(f"{line}\n" for line in lines))

    def _too_long(self, request: QuotedRequest) -> UsageError:
        reads = f"{self._loaded.name} reads {self.cache.capacity} tokens"
        return UsageError(
            f"these lines of {request.path} are too long, {reads}; select fewer with @PATH:L1-L2"
        )


class _Copied:
    """Tells a drafter that has lost the thread which lines of the region are likely to come next.

    Mutable.

    Args:
        drafter: The drafter.
        lines: The region.
        spell: Tokenizes lines.
    """

    def __init__(
        self,
        drafter: Drafter,
        lines: Sequence[str],
        spell: Callable[[Sequence[str]], Sequence[int]],
    ) -> None:
        self._drafter = drafter
        self._spell = spell
        self._growing = GrowingRegion(lines)
        self._open = b""

    def take(self, piece: bytes) -> None:
        """Take note of a piece that was written, which may be empty."""
        *closed, self._open = (self._open + piece).split(b"\n")
        for line in closed:
            self._growing.take(line.decode("utf-8", "replace"))
        if self._drafter.lost and not self._open:
            self._drafter.expect(self._spell(self._growing.likely()[:_LINES_AHEAD]))


def template_of(path: Path) -> ChatTemplate | None:
    """Read the chat template of a model; None where the model has none.

    Raises:
        ModelError: A file is damaged.
    """
    if is_gguf(path):
        return ChatTemplate.of_gguf(read_gguf(path))
    return ChatTemplate.of_folder(path)


def _said(
    steps: Generator[Prefilled | Step, None, None],
    piece: Callable[[int], str | bytes],
    ends: Collection[int],
    number: int,
    copied: "_Copied | None",
    *,
    read: bool,
) -> Speech:
    """Turn generated tokens into the pieces of an answer; special tokens have no text.

    Args:
        steps: The steps of the model.
        piece: Returns the text of a token.
        ends: The tokens that end the answer.
        number: The number of the answer.
        copied: Hears what is written.
        read: Whether the progress of the prompt was reported before, with a thought.
    """
    for step in steps:
        if isinstance(step, Prefilled):
            progress = PromptProgress(step.prompt_tokens, step.cached_tokens, step.done_tokens)
            yield Waits() if read else progress
            continue
        text = piece(step.token_id)
        if isinstance(text, str):  # a special token
            text = b""
        if copied:
            copied.take(text)
        yield TokenGenerated(
            number, step.token_id, text, step.logprob, step.only, step.passes, step.from_draft
        )
        if step.token_id in ends:
            return True
    return False


def _thoughts_apart(speech: Speech, thoughts: Thoughts) -> Speech:
    """Tell the thoughts in a speech apart from its answer."""
    decode = getincrementaldecoder("utf-8")("replace").decode
    last: TokenGenerated | None = None
    answer: list[str] = []
    finished = False
    with closing(speech):
        while True:
            try:
                item = next(speech)
            except StopIteration as e:
                finished = bool(e.value)
                break
            if not isinstance(item, TokenGenerated):
                yield item
                continue
            last = item
            yield Waits()
            for part in thoughts.take(decode(item.piece)):
                if isinstance(part, ThoughtPiece):
                    yield Thought(item.answer, part.text)
                elif isinstance(part, TakenBack):
                    yield from _taken_back(item.answer, answer)
                    answer = []
                else:
                    answer.append(part)
                    yield replace(item, piece=part.encode("utf-8", "replace"))
    for part in thoughts.finish():
        if last and isinstance(part, str):
            yield replace(last, piece=part.encode("utf-8", "replace"))
    return finished


def _taken_back(number: int, pieces: Sequence[str]) -> Iterator[Thought | AnswerStarted]:
    """Turn the pieces of an answer into a thought, and begin the answer anew."""
    count = len(pieces)
    yield Thought(number, "".join(pieces), count, taken_back=count)
    yield AnswerStarted(number)
