"""The provider for a chat model in this process.

The model writes the region once more, and the old lines serve as drafted tokens. Copied lines take
several tokens a pass, so that rewriting a region costs little more than the tokens that change.
"""

from codecs import getincrementaldecoder
from collections.abc import Callable, Collection, Generator, Iterator, Sequence
from contextlib import closing
from dataclasses import replace
from itertools import pairwise, takewhile
from pathlib import Path

from spark_tui.editing.formats.fences import fence_for
from spark_tui.editing.formats.growing_region import GrowingRegion
from spark_tui.editing.formats.quoted import QuotedRequest
from spark_tui.editing.formats.region_blocks import RegionBlocks
from spark_tui.editing.formats.rewrite import RewriteDraft
from spark_tui.editing.formats.surroundings import NOWHERE, Surroundings
from spark_tui.engine.generate import Prefilled, Sampler, Step, generate, sampled
from spark_tui.engine.gguf import read_gguf
from spark_tui.engine.kv_cache import KVCache
from spark_tui.engine.loader import LoadedModel, is_gguf
from spark_tui.engine.scoring import score_by_passes
from spark_tui.engine.speculative import Drafter, pace_of
from spark_tui.errors import ModelError, UsageError
from spark_tui.providers.base import (
    CHARACTERS_A_TOKEN,
    Ability,
    AnswerStarted,
    GenerationRequest,
    Message,
    PromptProgress,
    Speech,
    Thought,
    TokenGenerated,
    Waits,
)
from spark_tui.providers.chat_prompts import (
    blocks_messages,
    judging_messages,
    opening,
    rewrite_messages,
)
from spark_tui.providers.chat_template import ChatTemplate
from spark_tui.providers.chat_writer import ChatDraft, ChatWriter
from spark_tui.providers.conversation import Exchange, latest
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
            # A model whose template knows no thoughts answers at once, whatever the setting.
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
            lambda: self.draft(ask.request.lines, ask.surroundings),
        )

    def talk(self, messages: Sequence[Message], *, most: int) -> Speech:
        """See `Talker`."""
        prompt: list[int] = []
        if self._readable([message["content"] for message in messages]):
            prompt = self._message_tokens(messages)
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
            # Thinking takes another prompt: a template may open the thought, or close an empty one.
            thinking_prompt = self._message_tokens(messages, thinking=True)
            thought = yield from self._think(
                self._thinker, thinking_prompt, sampled(0.0, 0), 0, most
            )
        if thought:
            ids = [*thought, *self._loaded.tokenizer.encode("\n\n")]
        steps = self._written(ids, sampled(0.0, 0), most, self._drafter(ids))
        return (yield from _spoken(steps, self._piece, self._ends, 0, None, read=bool(thought)))

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

    def draft(self, lines: Sequence[str], around: Surroundings = NOWHERE) -> ChatDraft:
        """See `Provider`; a region once more begins within the fence that the prompt opened."""
        if self._blocks:
            return RegionBlocks(lines)
        return RewriteDraft(lines, fence_for(lines), around)

    def prompt(self, request: QuotedRequest) -> list[int]:
        """See `Provider`."""
        return self._single_request(request, thinking=False)

    def _single_request(self, request: QuotedRequest, *, thinking: bool) -> list[int]:
        """Return the tokens of a request without the earlier exchanges.

        Raises:
            As `prompt`.
        """
        if not self._readable(request.lines):
            raise self._too_long(request)
        ids = self._conversation_tokens(request, thinking=thinking)
        if len(ids) >= self.cache.capacity:
            raise self._too_long(request)
        return ids

    def _conversation_tokens(
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
        return self._message_tokens(messages, self._opening(request), thinking=thinking)

    def _opening(self, request: QuotedRequest) -> str:
        """Return the beginning of an answer that the prompt ends with."""
        return "" if self._blocks else opening(request)

    def _message_tokens(
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
        # The template opens a thought in any case; closed at once, that thought is empty.
        ids = self._template.tokens(messages, tokenizer, thinking=False)
        closed = spell_tag(tokenizer, self._closing)
        return [*ids, *closed, *tokenizer.encode(f"\n\n{begun}")]

    def _prompt(self, ask: GenerationRequest, *, thinking: bool = False) -> list[int]:
        """Return the tokens of a request, behind the earlier exchanges where there is room."""
        alone = self._single_request(ask.request, thinking=thinking)
        before = latest(ask.before, self.cache.capacity // _SHARE * CHARACTERS_A_TOKEN)
        if not (before or ask.news):
            return alone
        ids = self._conversation_tokens(ask.request, before, ask.news, thinking=thinking)
        region = len(self._spelled(ask.request.lines))
        # The conversation gives way to the answer, which may write the whole region anew.
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
        prompt = self._single_request(first, thinking=thinks)
        other = self._single_request(second, thinking=thinks)
        pairs = enumerate(zip(prompt, other, strict=False))
        known = next(place for place, (token, twin) in pairs if token != twin)
        yield from self._read(prompt[:known])

    def weigh(
        self, request: QuotedRequest, results: Sequence[Sequence[str]]
    ) -> Generator[None, None, Sequence[float]]:
        """See `Judge`."""
        if not self._readable(request.lines):
            raise self._too_long(request)
        prompt = self._message_tokens(judging_messages(request), opening(request))
        texts = comparable_texts(results, fence_for(request.lines))
        answers = [self._loaded.tokenizer.encode(text) for text in texts]
        # What all answers begin with is read with the prompt, and tells them not apart.
        shared = _shared(answers)
        ids = [*prompt, *answers[0][:shared]]
        rests = [answer[shared:] for answer in answers]
        if len(ids) + max(map(len, rests)) > self.cache.capacity:
            raise self._too_long(request)
        yield from self._read(ids)
        self.cache.recall(ids)
        model = self._loaded.model
        logprobs = [0.0] * len(rests)
        for item in score_by_passes(model, self.cache, ids, rests, model.chunk):
            if item is not None:
                logprobs[item[0]] = item[1]
            yield None
        return logprobs

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
        # A rewrite repeats the whole region, whatever the limit of new tokens is.
        most = region + max(ask.max_tokens, _BLOCKS * self._blocks)
        sampler = sampled(ask.temperature, ask.seed + number)
        thought: list[int] = []
        if self._thinker and not begun:
            thinking_prompt = self._prompt(ask, thinking=True)
            room = region + ask.max_tokens
            thought = yield from self._think(self._thinker, thinking_prompt, sampler, number, room)
        # The thought is a part of the prompt from here on, and the answer begins as without one.
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
        speech = _spoken(steps, tokenizer.piece, self._ends, number, copied, read=bool(thought))
        return (yield from speech)

    def _spelled(self, lines: Sequence[str]) -> list[int]:
        """Return the tokens of lines."""
        return self._loaded.tokenizer.encode("".join(f"{line}\n" for line in lines))

    def _too_long(self, request: QuotedRequest) -> UsageError:
        reads = f"{self._loaded.name} reads {self.cache.capacity} tokens"
        return UsageError(
            f"these lines of {request.path} are too long, {reads}; select fewer with @PATH:L1-L2"
        )


_LINES_BEHIND = 3
"""Lines behind the last difference of answers that still tell which of them is likelier."""


def comparable_texts(results: Sequence[Sequence[str]], fence: str) -> list[str]:
    """Return the texts of results as far as it takes to compare them.

    Where all of them end with the same lines, only the first few of these are kept.

    Args:
        results: The lines of the region after each answer.
        fence: What closes them in a message.
    """
    whole = [[*lines, fence] for lines in results]
    same = _shared([lines[::-1] for lines in whole])
    left_out = max(0, same - _LINES_BEHIND)
    cut = ["".join(f"{line}\n" for line in lines[: len(lines) - left_out]) for lines in whole]
    # Where lines repeat, one text may go on from the end of another: the ends then tell them apart.
    if any(later.startswith(text) for text, later in pairwise(sorted(cut))):
        return ["".join(f"{line}\n" for line in lines) for lines in whole]
    return cut


def _shared(sequences: Sequence[Sequence[object]]) -> int:
    """Return how many first items all sequences have in common."""
    columns = zip(*sequences, strict=False)
    return sum(1 for _ in takewhile(lambda items: len(set(items)) == 1, columns))


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
        # Only at the start of a line: within one the lines to come would not fit.
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


def _spoken(
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
            # One token may hold parts of both, and a part may be held back over several tokens.
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
