"""Any chat model, in this process.

Answers of chat models behind the seam: what they say is written into a draft of the region, once or
draw by draw.

What chat models are told: the words as they were typed, the lines they are about, and how to
answer.

Any chat model in this process: it writes the region once more, and the lines it had are the drafts.

What is copied comes out of the drafts, several tokens a pass: a rewriting costs little more than
what it changes.
"""

import math
from codecs import getincrementaldecoder
from collections.abc import Callable, Collection, Generator, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path, PurePosixPath
from typing import Protocol

from spark_tui.editing.formats.quoted import QuotedRequest
from spark_tui.editing.formats.rewrite import Fence, GrowingRegion, RewriteDraft, fence_for
from spark_tui.editing.formats.search_replace import RegionBlocks
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
    """What reads an answer of a chat model."""

    @property
    def over(self) -> bool:
        """Whether it is complete, whatever comes."""

    @property
    def closed(self) -> bool:
        """Whether it would be complete if the model stopped here: what it opened is closed."""

    @property
    def doubt(self) -> str:
        """Why nobody can be sure of it, once it is finished, or ""."""


class ChatWriter:
    """See `Writer`: at temperature 0 there is one answer, above it as many draws as are asked for.

    Args:
        speak: Begins to say the answer of a number.
        blank: Makes what reads it.
        to_the_end: Whether code that is complete may turn out to be a thought, so that an answer is
            over only when the model stops.
    """

    def __init__(
        self,
        ask: GenerationRequest,
        speak: Callable[[int], Speech],
        blank: Callable[[], ChatDraft],
        *,
        to_the_end: bool = False,
    ) -> None:
        self._ask = ask
        self._speak = speak
        self._blank = blank
        self._to_the_end = to_the_end
        self._count = 0

    @property
    def best(self) -> float:
        """See `Writer`."""
        return 0.0 if self._ask.temperature > 0 or not self._count else -math.inf

    def write(self, count: int = 1, *, least: float = -math.inf) -> Generator[Item, None, None]:
        """See `Writer`. An answer in this process is over when its code is."""
        for _ in range(count):
            if self.best < least or self.best == -math.inf:
                return
            self._count += 1
            yield from self._one(self._count - 1)

    def _one(self, number: int) -> Generator[Item, None, None]:
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
                    draft = self._drafted(item)
                    written = []
                    misfit = None
                elif isinstance(item, TokenGenerated):
                    misfit = misfit or self._misfit(draft, item)
                    written.append(item)
                yield item
        if misfit:
            raise misfit
        cut = _OPEN if ended and not draft.closed else ""
        finished = draft.over or (ended and not cut)
        yield _answer(number, draft, written, finished=finished, cut=cut)

    def _misfit(self, draft: ChatDraft, wrote: TokenGenerated) -> SparkError | None:
        """Take a piece.

        Returns:
            Why it does not fit, if that may be because it belongs to a thought.
        """
        try:
            draft.take(wrote.piece)
        except SparkError as e:
            if not self._to_the_end:
                raise
            return e
        return None

    def _drafted(self, beginning: AnswerStarted) -> ChatDraft:
        draft = self._blank()
        for wrote in beginning.known:
            draft.take(wrote.piece)
        return draft


def began(number: int, text: str) -> AnswerStarted:
    """An answer begins so."""
    return AnswerStarted(number, (TokenGenerated(number, -1, text.encode()),) if text else ())


def _answer(
    number: int,
    draft: ChatDraft,
    written: list[TokenGenerated],
    *,
    finished: bool,
    cut: str,
) -> AnswerFinished:
    if finished:
        draft.finish()
    logprobs = [each.logprob for each in written]
    return AnswerFinished(
        lines=tuple(draft.lines() if finished else draft.settled()),
        tokens=tuple(each.token for each in written),
        logprob=sum(logprobs),
        worst=min(logprobs, default=0.0),
        number=number,
        finished=finished,
        declined=draft.declined,
        cut=cut,
        doubt=draft.doubt if finished else "",
    )


class Echo:
    """What a server sends that goes on from a text, without that text where it comes first.

    llama-server sends the half-written answer once more, then what is new. Mutable.

    Args:
        begun: The text.
    """

    def __init__(self, begun: str) -> None:
        self._begun = begun
        self._held = ""

    def take(self, text: str) -> str:
        """Take a piece.

        Returns:
            What is new by now.
        """
        if not self._begun:
            return text
        self._held += text
        if self._begun.startswith(self._held) and self._held != self._begun:
            return ""
        return self.finish()

    def finish(self) -> str:
        """Returns:
        What was held back until it was known what it is.
        """
        held = self._held.removeprefix(self._begun)
        self._held = self._begun = ""
        return held


class Continuation:
    """What a model says to go on from a text, without what it repeats of it.

    Mutable.

    Models that cannot be made to go on within a line say the line, the one before, or the fence
    once more.

    Args:
        begun: The text.
    """

    def __init__(self, begun: str) -> None:
        lines = begun.split("\n")
        self._part = lines[-1]
        self._last = lines[-2] if len(lines) > 1 else ""
        self._inside = any(Fence.opened(line) for line in lines)
        self._held = "" if begun else None

    def take(self, text: str) -> str:
        """Take a piece.

        Returns:
            What is new by now.
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
        """Returns:
        What was held back until it was known what it is.
        """
        held = self._held or ""
        self._held = None
        return held.removeprefix(self._part) if self._part else held


_ANSWER = (
    "You help somebody who works on text and code. Answer the question about the lines that "
    "are shown, shortly, in "
    "Markdown. Where you propose other lines, put them in a fenced code block."
)

_REWRITE = (
    "You edit text and code. You are given lines of a file and a request. Reply with all of these "
    "lines as they should be, in one fenced code block and nothing else. Keep every line that need "
    "not change exactly as it is, with its indentation. If nothing is to be changed, reply "
    "with one "
    "sentence that says why, and no code block. If you are asked a question, answer it in "
    "Markdown, "
    "with no code block."
)
_BLOCK_RULES = """\
You edit text and code. You are given files and a request. Reply with blocks of this form, and little else:

path/to/file.py
<<<<<<< SEARCH
lines that stand in the file now
=======
the lines that should stand there
>>>>>>> REPLACE

The lines to search for must stand in the file exactly so, and only once: take a few lines around a change, and use \
several blocks rather than a long one. To make a new file, search for nothing. To delete a file, write its path and \
below it the one line <<<<<<< DELETE. If nothing is to be changed, reply with one sentence that says why. If you are \
asked a question, answer it in Markdown, with no block."""
_GO_ON = (
    "Your answer broke off there. Go on with the line that would come next, in the very same "
    "form, as if it had not; "
    "repeat nothing of it and say nothing else."
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
        standing: What holds for every request.
        around: A map of the repository.
        before: What was said earlier.
        news: What happened since.
    """
    said = [
        message for each in before for message in _turn_before(each, _rewrite_words, _rewritten)
    ]
    return [
        _system(_REWRITE, standing),
        *said,
        _message("user", _rewrite_words(request, around, news)),
    ]


def blocks_messages(
    request: QuotedRequest,
    standing: str = "",
    around: str = "",
    before: Sequence[Exchange] = (),
    news: str = "",
) -> list[Message]:
    """Ask for blocks, as `editing.formats.search_replace` reads them.

    Args:
        request: About a region, or several files.
        standing, around, before, news: As for `rewrite_messages`.
    """
    said = [message for each in before for message in _turn_before(each, _block_words, _block)]
    return [
        _system(_BLOCK_RULES, standing),
        *said,
        _message("user", _block_words(request, around, news)),
    ]


def _turn_before(
    exchange: Exchange,
    words: Callable[[QuotedRequest, str, str], str],
    edit: Callable[[Exchange], str],
) -> list[Message]:
    """An exchange as two messages.

    Args:
        words: Of a request.
        edit: An answer that no chat model gave.
    """
    asked = words(exchange.request, exchange.around, exchange.news)
    answer = exchange.answer.strip() or edit(exchange)
    return [_message("user", asked), _message("assistant", answer)]


def _rewrite_words(request: QuotedRequest, around: str, news: str) -> str:
    if sections(request.lines):
        return _block_words(request, around, news)
    shown = f"Lines of {request.path}:\n\n{fenced(request.path, request.lines)}"
    return _together(news, *_map(around), shown, _asked(request))


def _block_words(request: QuotedRequest, around: str, news: str) -> str:
    lines = request.lines
    files = {each.path: lines[each.start + 1 : each.stop] for each in sections(lines)}
    shown = [
        f"{path}\n{fenced(path, lines)}" for path, lines in (files or {request.path: lines}).items()
    ]
    return _together(news, *_map(around), *shown, _asked(request))


def _together(*parts: str) -> str:
    return "\n\n".join(filter(None, parts))


def _rewritten(exchange: Exchange) -> str:
    return fenced(exchange.request.path, exchange.lines)


def _block(exchange: Exchange) -> str:
    old, new = changed_lines(exchange.request.lines, exchange.lines)
    lines = [exchange.request.path, "<<<<<<< SEARCH", *old, "=======", *new, ">>>>>>> REPLACE"]
    return "\n".join(lines)


def question_messages(
    words: str,
    shown: Mapping[str, Sequence[str]],
    said: Sequence[Question] = (),
    standing: str = "",
    around: str = "",
) -> list[Message]:
    """Ask for an answer in words.

    Args:
        words: The question.
        shown: Lines, by what they are of.
        said: Questions before, with their answers; they are sent as they were.
        standing: What holds for every request.
        around: A map of the repository.
    """
    asked = [f"{what}\n{fenced(what.partition(':')[0], lines)}" for what, lines in shown.items()]
    before: list[Message] = []
    for each in said:
        before += [_message("user", each.asked), _message("assistant", each.answer)]
    return [
        _system(_ANSWER, standing),
        *before,
        _message("user", "\n\n".join([*_map(around), *asked, words])),
    ]


def going_on(messages: Sequence[Message], begun: str) -> list[Message]:
    """The same with what was answered so far, to be gone on with.

    Args:
        begun: Up to the end of a line.
    """
    if begun:
        return [*messages, _message("assistant", begun), _message("user", _GO_ON)]
    return list(messages)


def opening(request: QuotedRequest) -> str:
    """How the answer to `rewrite_messages` begins: its fence."""
    return f"{fence_for(request.lines)}{_language(request.path)}\n"


def _map(around: str) -> list[str]:
    return [f"What else is in the repository, by file and line:\n\n{around}"] if around else []


def _system(words: str, standing: str) -> Message:
    return _message(
        "system", f"{words}\n\nWhat the user wants in any case:\n{standing}" if standing else words
    )


def _message(role: str, content: str) -> Message:
    return {"role": role, "content": content.strip()}


def fenced(path: str, lines: Sequence[str]) -> str:
    """Lines of a file in a fence that none of them ends."""
    mark = fence_for(lines)
    return "\n".join([mark + _language(path), *lines, mark])


def _language(path: str) -> str:
    return PurePosixPath(path).suffix.removeprefix(".")


def _asked(request: QuotedRequest) -> str:
    parts = []
    if request.previous:
        parts += [
            (
                f"The last edit, in {request.previous.path}, which was accepted: "
                f"{request.previous.words.strip()}"
            )
        ]
        parts += [fenced("x.diff", request.previous.script), ""]
    if request.earlier:
        parts += ["Asked before:", *request.earlier, ""]
    if request.selected:
        parts += ["It is about these lines above all:", fenced(request.path, request.selected), ""]
    return "\n".join([*parts, f"Request: {request.words.strip()}"])


_ROOM = 768
"""Tokens for what a model is told, for words, and for lines that are added."""
_BLOCKS = 2048
"""Tokens that blocks about several files may take at least."""
_SHARE = 4
"""What was said before has at most this part of what the model reads."""
_LINES_AHEAD = 40
"""Lines that are expected at once: to make tokens of them takes time."""


class Rewriter(Local):
    """Answers with a chat model.

    `standing`: what the user wants of every answer.

    Args:
        As for any.
        blocks: The model is asked for blocks that search and replace, which may be about several
            files and make new ones, and not for the region once more.
        thinking: One of `THOUGHT_TOKENS`: how long the model may think before an answer, where it
            knows thoughts.

    Raises:
        ModelError: The model says no chat template, or none that can be used.
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
        """What closes the thought that the template opens, though there is to be none."""
        self._most_thought = THOUGHT_TOKENS[thinking]
        self._thinker: Thinker | None = None
        if self._most_thought:
            tags = ThoughtTags.of_prompts(template.render(probe, thinking=True), hushed)
            self._thinker = Thinker(loaded.tokenizer, tags, self._ends) if tags else None

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
        if self._readable([each["content"] for each in messages]):
            prompt = self._asked(messages)
        if not 0 < len(prompt) < self.cache.capacity:
            reads = f"{self._loaded.name} reads {self.cache.capacity} tokens"
            raise UsageError(f"that is too long, {reads}; show fewer lines with --at PATH:L1-L2")
        return _thoughts_apart(self._talk(messages, prompt, most), Thoughts())

    def _talk(self, messages: Sequence[Message], prompt: list[int], most: int) -> Speech:
        thought: list[int] = []
        if self._thinker:
            told = self._asked(messages, thinking=True)
            thought = yield from self._think(self._thinker, told, sampled(0.0, 0), 0, most)
        ids = [*thought, *self._loaded.tokenizer.encode("\n\n")] if thought else prompt
        steps = self._written(ids, sampled(0.0, 0), most, self._drafter(ids))
        return (yield from _said(steps, self._piece, self._ends, 0, None, read=bool(thought)))

    def _think(
        self,
        thinker: Thinker,
        told: Sequence[int],
        sampler: Sampler,
        number: int,
        room: int,
    ) -> Thoughtful:
        """Think before an answer.

        Args:
            thinker: Follows the thought.
            told: The prompt that asks for a thought.
            sampler: Chooses its tokens.
            number: That of the answer.
            room: Tokens that are kept free for the answer.

        Returns:
            The prompt with the thought; nothing where there is no room for one.
        """
        ids = [*told, *thinker.opening]
        most = min(self._most_thought, self.cache.capacity - len(ids) - room)
        if most < LEAST_THOUGHT:
            return []
        steps = self._written(ids, sampler, most, self._drafter(ids))
        thought = yield from thinker.think(steps, number)
        return [*ids, *thought]

    def _drafter(self, prompt: Sequence[int]) -> Drafter | None:
        """What drafts behind a prompt, where tokens are drafted."""
        return Drafter(prompt, pace_of(self._loaded.model)) if self._speculate else None

    def _written(
        self,
        ids: Sequence[int],
        sampler: Sampler,
        most: int,
        drafter: Drafter | None,
    ) -> Generator[Prefilled | Step, None, None]:
        """What the model writes behind tokens.

        Args:
            most: Tokens of it.
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
        """The text of a token; the tags of thoughts are text, though they are special tokens."""
        piece = self._loaded.tokenizer.piece(token_id)
        return piece.encode() if isinstance(piece, str) and is_tag(piece) else piece

    def draft(self, lines: Sequence[str]) -> ChatDraft:
        """See `Provider`; lines written anew begin within the fence that the prompt opened."""
        if self._blocks:
            return RegionBlocks(lines)
        return RewriteDraft(lines, fence_for(lines))

    def prompt(self, request: QuotedRequest) -> list[int]:
        """See `Provider`."""
        return self._alone(request, thinking=False)

    def _alone(self, request: QuotedRequest, *, thinking: bool) -> list[int]:
        """The tokens of a request without what was said before.

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
        """The tokens of a request behind what was said before, and those its answer begins with.

        Args:
            request: What is asked.
            before: What was said before.
            news: What has happened since.
            thinking: Whether the model is to think before it answers.
        """
        tell = blocks_messages if self._blocks else rewrite_messages
        messages = tell(request, self.standing, before=before, news=news)
        return self._asked(messages, self._opening(request), thinking=thinking)

    def _opening(self, request: QuotedRequest) -> str:
        """How the text of an answer begins."""
        return "" if self._blocks else opening(request)

    def _asked(
        self,
        messages: Sequence[Message],
        begun: str = "",
        *,
        thinking: bool = False,
    ) -> list[int]:
        """The tokens of messages.

        Args:
            begun: How an answer without a thought begins.
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
        """The tokens of a request behind what was said before, as far as there is room for both."""
        alone = self._alone(ask.request, thinking=thinking)
        before = latest(ask.before, self.cache.capacity // _SHARE * CHARACTERS_A_TOKEN)
        if not (before or ask.news):
            return alone
        ids = self._told(ask.request, before, ask.news, thinking=thinking)
        region = len(self._spelled(ask.request.lines))
        return ids if len(ids) + region + ask.max_tokens < self.cache.capacity else alone

    def has_room(self, lines: Sequence[str]) -> bool:
        """See `Provider`: the lines stand in the prompt, and written anew again in the answer."""
        if not self._readable(lines):
            return False
        times = 1 if self._blocks else 2
        room = min(_ROOM, self.cache.capacity // 4)
        return times * len(self._spelled(lines)) + room <= self.cache.capacity

    def read_ahead(self, request: QuotedRequest) -> Iterator[None]:
        """See `Provider`: the prompt up to the words."""
        if not self._readable(request.lines):
            return
        thinks = self._thinker is not None
        requests = (QuotedRequest(request.path, request.lines, words) for words in ("a", "b"))
        some, other = (self._alone(each, thinking=thinks) for each in requests)
        known = next(
            at for at, (one, two) in enumerate(zip(some, other, strict=False)) if one != two
        )
        yield from self._read(some[:known])

    def _speak(
        self, ask: GenerationRequest, prompt: Sequence[int], begun: Sequence[int], number: int
    ) -> Speech:
        """An answer, behind a thought where the model is to think and none of it is written yet."""
        tokenizer = self._loaded.tokenizer
        region = len(self._spelled(ask.request.lines))
        most = region + max(ask.max_tokens, _BLOCKS * self._blocks)
        sampler = sampled(ask.temperature, ask.seed + number)
        thought: list[int] = []
        if self._thinker and not begun:
            told = self._prompt(ask, thinking=True)
            room = region + ask.max_tokens
            thought = yield from self._think(self._thinker, told, sampler, number, room)
        if thought:
            prompt = [*thought, *tokenizer.encode(f"\n\n{self._opening(ask.request)}")]
        ids = [*prompt, *begun]
        drafter = self._drafter(prompt)
        copied = None
        if drafter and not self._blocks:  # what blocks quote is found in the prompt
            copied = _Copied(drafter, ask.request.lines, self._spelled)
        if drafter:
            drafter.begin(begun)
        if copied:
            copied.take(ask.begun.encode())
        steps = self._written(ids, sampler, most, drafter)
        said = _said(steps, tokenizer.piece, self._ends, number, copied, read=bool(thought))
        return (yield from said)

    def _spelled(self, lines: Sequence[str]) -> list[int]:
        return self._loaded.tokenizer.encode("".join(f"{line}\n" for line in lines))

    def _too_long(self, request: QuotedRequest) -> UsageError:
        reads = f"{self._loaded.name} reads {self.cache.capacity} tokens"
        return UsageError(
            f"these lines of {request.path} are too long, {reads}; select fewer with --at "
            f"PATH:L1-L2"
        )


class _Copied:
    """Tells a drafter where a line begins which lines of the region are likely to come, if it knows
    no better.

    Mutable.

    Args:
        spell: Makes tokens of lines.
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
        """A piece was written; none before the first."""
        *closed, self._open = (self._open + piece).split(b"\n")
        for line in closed:
            self._growing.take(line.decode("utf-8", "replace"))
        if self._drafter.lost and not self._open:
            self._drafter.expect(self._spell(self._growing.likely()[:_LINES_AHEAD]))


def template_of(path: Path) -> ChatTemplate | None:
    """The chat template of a model; None where it has none.

    Raises:
        ModelError: A file is damaged.
    """
    return ChatTemplate.of_gguf(read_gguf(path)) if is_gguf(path) else ChatTemplate.of_folder(path)


def _said(
    steps: Generator[Prefilled | Step, None, None],
    piece: Callable[[int], str | bytes],
    ends: Collection[int],
    number: int,
    copied: "_Copied | None",
    *,
    read: bool,
) -> Speech:
    """What was generated as pieces of an answer; special tokens but those that end it say nothing.

    Args:
        steps: What was generated.
        piece: The text of a token.
        ends: Tokens that end the answer.
        number: That of the answer.
        copied: Is told what was written.
        read: Whether it was told before how much of the prompt is read, for a thought.
    """
    for step in steps:
        if isinstance(step, Prefilled):
            progress = PromptProgress(step.prompt_tokens, step.cached_tokens, step.done_tokens)
            yield Waits() if read else progress
            continue
        text = piece(step.token_id)
        said = text if isinstance(text, bytes) else b""
        if copied:
            copied.take(said)
        yield TokenGenerated(
            number, step.token_id, said, step.logprob, step.only, step.passes, step.from_draft
        )
        if step.token_id in ends:
            return True
    return False


def _thoughts_apart(speech: Speech, thoughts: Thoughts) -> Speech:
    """What a model says, without the thoughts in it, which come as such."""
    decode = getincrementaldecoder("utf-8")("replace").decode
    last: TokenGenerated | None = None
    said: list[str] = []
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
                    yield from _taken_back(item.answer, said)
                    said = []
                else:
                    said.append(part)
                    yield replace(item, piece=part.encode("utf-8", "replace"))
    for part in thoughts.finish():
        if last and isinstance(part, str):
            yield replace(last, piece=part.encode("utf-8", "replace"))
    return finished


def _taken_back(answer: int, said: Sequence[str]) -> Iterator[Thought | AnswerStarted]:
    """What was said turns out to be a thought: the answer begins anew."""
    count = len(said)
    yield Thought(answer, "".join(said), count, taken_back=count)
    yield AnswerStarted(answer)
