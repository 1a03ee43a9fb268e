"""Any chat model in this process: it writes the region once more, and the lines it had are the drafts.

What is copied comes out of the drafts, several tokens a pass: a rewriting costs little more than what it changes.
"""

from codecs import getincrementaldecoder
from collections.abc import Callable, Collection, Generator, Iterator, Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path

from spark_tui.answering.chat_template import ChatTemplate
from spark_tui.answering.chat_writer import ChatDraft, ChatWriter
from spark_tui.answering.conversation import Exchange, latest
from spark_tui.answering.local import Local
from spark_tui.answering.local_thought import (
    LEAST_THOUGHT,
    THOUGHT_TOKENS,
    Thinker,
    Thoughtful,
    ThoughtTags,
    spell_tag,
)
from spark_tui.answering.prompts import blocks_messages, opening, rewrite_messages
from spark_tui.answering.seam import (
    CHARACTERS_A_TOKEN,
    Ability,
    Ask,
    Began,
    Message,
    Read,
    Speech,
    Thought,
    Waits,
    Wrote,
)
from spark_tui.answering.thinking import TakenBack, Thinking, Thoughts
from spark_tui.answering.thought_marks import closing_of, is_tag
from spark_tui.editing.fences import fence_for
from spark_tui.editing.growing import Growing
from spark_tui.editing.quoting import Request
from spark_tui.editing.region_blocks import RegionBlocks
from spark_tui.editing.rewriting import RewriteDraft
from spark_tui.engine.cache import KVCache
from spark_tui.engine.draft import Drafter
from spark_tui.engine.generate import Prefilled, Step, generate
from spark_tui.engine.gguf import read_gguf
from spark_tui.engine.library import LoadedModel, is_gguf
from spark_tui.engine.pace import pace_of
from spark_tui.engine.sampling import Sampler, sampled
from spark_tui.errors import ModelError, UsageError

_ROOM = 768
"""Tokens for what a model is told, for words, and for lines that are added."""
_BLOCKS = 2048
"""Tokens that blocks about several files may take at least."""
_SHARE = 4
"""What was said before has at most this part of what the model reads."""
_LINES_AHEAD = 40
"""Lines that are expected at once: to make tokens of them takes time."""


class Rewriter(Local):
    """Answers with a chat model. `standing`: what the user wants of every answer.

    Args: as for any. blocks: the model is asked for blocks that search and replace, which may be
        about several files and make new ones, and not for the region once more. thinking: one of
        `THOUGHT_TOKENS`: how long the model may think before an answer, where it knows thoughts.
    Raises: ModelError: the model says no chat template, or none that can be used.
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
            raise ModelError(f"{loaded.name} has no chat template, so it cannot be told what to do; name another model")
        self._template, self._ends = template, template.ends(loaded.tokenizer)
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
        """See `Answerer`."""
        able = Ability.BEGIN | Ability.READ_AHEAD
        return able | Ability.FILES if self._blocks else able

    def write(self, ask: Ask) -> ChatWriter:
        """See `Answerer`."""
        prompt = self._prompt(ask)
        begun = self._loaded.tokenizer.encode(ask.begun)
        if len(prompt) + len(begun) >= self.cache.capacity:
            raise self._too_long(ask.request)
        return ChatWriter(
            ask, lambda number: self._speak(ask, prompt, begun, number), lambda: self.draft(ask.request.lines)
        )  # fmt: skip

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
        """What the model writes behind tokens. Args: most: tokens of it."""
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
        """See `Answerer`; lines written anew begin within the fence that the prompt opened."""
        if self._blocks:
            return RegionBlocks(lines)
        return RewriteDraft(lines, fence_for(lines))

    def prompt(self, request: Request) -> list[int]:
        """See `Answerer`."""
        return self._alone(request, thinking=False)

    def _alone(self, request: Request, *, thinking: bool) -> list[int]:
        """The tokens of a request without what was said before. Raises: as `prompt`."""
        if not self._readable(request.lines):
            raise self._too_long(request)
        ids = self._told(request, thinking=thinking)
        if len(ids) >= self.cache.capacity:
            raise self._too_long(request)
        return ids

    def _told(
        self,
        request: Request,
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

    def _opening(self, request: Request) -> str:
        """How the text of an answer begins."""
        return "" if self._blocks else opening(request)

    def _asked(
        self,
        messages: Sequence[Message],
        begun: str = "",
        *,
        thinking: bool = False,
    ) -> list[int]:
        """The tokens of messages. Args: begun: how an answer without a thought begins."""
        tokenizer = self._loaded.tokenizer
        if thinking:
            return self._template.tokens(messages, tokenizer, thinking=True)
        if not self._closing:
            return self._template.tokens(messages, tokenizer, begun, thinking=False)
        ids = self._template.tokens(messages, tokenizer, thinking=False)
        closed = spell_tag(tokenizer, self._closing)
        return [*ids, *closed, *tokenizer.encode(f"\n\n{begun}")]

    def _prompt(self, ask: Ask, *, thinking: bool = False) -> list[int]:
        """The tokens of a request behind what was said before, as far as there is room for both."""
        alone = self._alone(ask.request, thinking=thinking)
        before = latest(ask.before, self.cache.capacity // _SHARE * CHARACTERS_A_TOKEN)
        if not (before or ask.news):
            return alone
        ids = self._told(ask.request, before, ask.news, thinking=thinking)
        region = len(self._spelled(ask.request.lines))
        return ids if len(ids) + region + ask.max_tokens < self.cache.capacity else alone

    def has_room(self, lines: Sequence[str]) -> bool:
        """See `Answerer`: the lines stand in the prompt, and written anew again in the answer."""
        if not self._readable(lines):
            return False
        times = 1 if self._blocks else 2
        room = min(_ROOM, self.cache.capacity // 4)
        return times * len(self._spelled(lines)) + room <= self.cache.capacity

    def read_ahead(self, request: Request) -> Iterator[None]:
        """See `Answerer`: the prompt up to the words."""
        if not self._readable(request.lines):
            return
        thinks = self._thinker is not None
        requests = (Request(request.path, request.lines, words) for words in ("a", "b"))
        some, other = (self._alone(each, thinking=thinks) for each in requests)
        known = next(at for at, (one, two) in enumerate(zip(some, other, strict=False)) if one != two)
        yield from self._read(some[:known])

    def _speak(self, ask: Ask, prompt: Sequence[int], begun: Sequence[int], number: int) -> Speech:
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

    def _too_long(self, request: Request) -> UsageError:
        reads = f"{self._loaded.name} reads {self.cache.capacity} tokens"
        return UsageError(f"these lines of {request.path} are too long, {reads}; select fewer with --at PATH:L1-L2")


class _Copied:
    """Tells a drafter where a line begins which lines of the region are likely to come, if it knows no better.

    Mutable. Args: spell: makes tokens of lines.
    """

    def __init__(self, drafter: Drafter, lines: Sequence[str], spell: Callable[[Sequence[str]], Sequence[int]]) -> None:
        self._drafter, self._spell = drafter, spell
        self._growing, self._open = Growing(lines), b""

    def take(self, piece: bytes) -> None:
        """A piece was written; none before the first."""
        *closed, self._open = (self._open + piece).split(b"\n")
        for line in closed:
            self._growing.take(line.decode("utf-8", "replace"))
        if self._drafter.lost and not self._open:
            self._drafter.expect(self._spell(self._growing.likely()[:_LINES_AHEAD]))


def template_of(path: Path) -> ChatTemplate | None:
    """The chat template of a model; None where it has none. Raises: ModelError: a file is damaged."""
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
            progress = Read(step.prompt_tokens, step.cached_tokens, step.done_tokens)
            yield Waits() if read else progress
            continue
        text = piece(step.token_id)
        said = text if isinstance(text, bytes) else b""
        if copied:
            copied.take(said)
        yield Wrote(number, step.token_id, said, step.logprob, step.only, step.passes, step.from_draft)
        if step.token_id in ends:
            return True
    return False


def _thoughts_apart(speech: Speech, thoughts: Thoughts) -> Speech:
    """What a model says, without the thoughts in it, which come as such."""
    decode = getincrementaldecoder("utf-8")("replace").decode
    last: Wrote | None = None
    said: list[str] = []
    finished = False
    with closing(speech):
        while True:
            try:
                item = next(speech)
            except StopIteration as e:
                finished = bool(e.value)
                break
            if not isinstance(item, Wrote):
                yield item
                continue
            last = item
            yield Waits()
            for part in thoughts.take(decode(item.piece)):
                if isinstance(part, Thinking):
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


def _taken_back(answer: int, said: Sequence[str]) -> Iterator[Thought | Began]:
    """What was said turns out to be a thought: the answer begins anew."""
    count = len(said)
    yield Thought(answer, "".join(said), count, taken_back=count)
    yield Began(answer)
