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
from spark_tui.answering.prompts import blocks_messages, opening, rewrite_messages
from spark_tui.answering.seam import (
    CHARACTERS_A_TOKEN,
    Ability,
    Ask,
    Message,
    Read,
    Speech,
    Thought,
    Waits,
    Wrote,
)
from spark_tui.answering.thinking import Thinking, Thoughts
from spark_tui.answering.thought_marks import closing_of
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
from spark_tui.engine.sampling import sampled
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
        about several files and make new ones, and not for the region once more.
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
    ) -> None:
        super().__init__(loaded, cache, speculate=speculate)
        self._blocks = blocks
        template = template_of(loaded.path)
        if template is None:
            raise ModelError(f"{loaded.name} has no chat template, so it cannot be told what to do; name another model")
        self._template, self._ends = template, template.ends(loaded.tokenizer)
        self._closing = closing_of(template.render([{"role": "user", "content": ""}]))
        """What closes the thought that the template opens: an edit is written without one."""

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
        loaded, prompt = self._loaded, list[int]()
        if self._readable([each["content"] for each in messages]):
            prompt = self._template.tokens(messages, loaded.tokenizer, "")
        if not 0 < len(prompt) < self.cache.capacity:
            reads = f"{loaded.name} reads {self.cache.capacity} tokens"
            raise UsageError(f"that is too long, {reads}; show fewer lines with --at PATH:L1-L2")
        self.cache.recall(prompt)
        steps = generate(
            loaded.model, self.cache, prompt, sampler=sampled(0.0, 0), stop_ids=self._ends,
            max_tokens=min(most, self.cache.capacity - len(prompt)),
            draft=Drafter(prompt, pace_of(loaded.model)) if self._speculate else None,
        )  # fmt: skip
        said = _said(steps, loaded.tokenizer.piece, self._ends, 0, None)
        return _thoughts_apart(said, Thoughts(opened=bool(self._closing)))

    def draft(self, lines: Sequence[str]) -> ChatDraft:
        """See `Answerer`; lines written anew begin within the fence that the prompt opened."""
        if self._blocks:
            return RegionBlocks(lines)
        return RewriteDraft(lines, fence_for(lines))

    def prompt(self, request: Request) -> list[int]:
        """See `Answerer`."""
        if not self._readable(request.lines):
            raise self._too_long(request)
        ids = self._told(request)
        if len(ids) >= self.cache.capacity:
            raise self._too_long(request)
        return ids

    def _told(
        self,
        request: Request,
        before: Sequence[Exchange] = (),
        news: str = "",
    ) -> list[int]:
        """The tokens of a request behind what was said before, and those that its answer begins with."""
        tell = blocks_messages if self._blocks else rewrite_messages
        messages = tell(request, self.standing, before=before, news=news)
        begun = "" if self._blocks else opening(request)
        if self._closing:
            begun = f"{self._closing}\n\n{begun}"
        return self._template.tokens(messages, self._loaded.tokenizer, begun)

    def _prompt(self, ask: Ask) -> list[int]:
        """The tokens of a request behind what was said before, as far as there is room for both."""
        alone = self.prompt(ask.request)
        before = latest(ask.before, self.cache.capacity // _SHARE * CHARACTERS_A_TOKEN)
        if not (before or ask.news):
            return alone
        ids = self._told(ask.request, before, ask.news)
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
        some, other = (self.prompt(Request(request.path, request.lines, words)) for words in ("a", "b"))
        known = next(at for at, (one, two) in enumerate(zip(some, other, strict=False)) if one != two)
        yield from self._read(some[:known])

    def _speak(self, ask: Ask, prompt: Sequence[int], begun: Sequence[int], number: int) -> Speech:
        model, tokenizer, region = self._loaded.model, self._loaded.tokenizer, self._spelled(ask.request.lines)
        ids = [*prompt, *begun]
        self.cache.recall(ids)
        drafter = Drafter(prompt, pace_of(model)) if self._speculate else None
        copied = None
        if drafter and not self._blocks:  # what blocks quote is found in the prompt
            copied = _Copied(drafter, ask.request.lines, self._spelled)
        if drafter:
            drafter.begin(begun)
        if copied:
            copied.take(ask.begun.encode())
        most = max(ask.max_tokens, _BLOCKS) if self._blocks else ask.max_tokens
        steps = generate(
            model, self.cache, ids, sampler=sampled(ask.temperature, ask.seed + number),
            max_tokens=min(most + len(region), self.cache.capacity - len(ids)),
            stop_ids=self._ends, draft=drafter,
        )  # fmt: skip
        return _said(steps, tokenizer.piece, self._ends, number, copied)

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
) -> Speech:
    """What was generated as pieces of an answer; special tokens but those that end it say nothing."""
    for step in steps:
        if isinstance(step, Prefilled):
            yield Read(step.prompt_tokens, step.cached_tokens, step.done_tokens)
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
                elif isinstance(part, str):
                    yield replace(item, piece=part.encode("utf-8", "replace"))
    for part in thoughts.finish():
        if last and isinstance(part, str):
            yield replace(last, piece=part.encode("utf-8", "replace"))
    return finished
