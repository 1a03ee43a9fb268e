"""Questions that a chat model answers in words, and the standing instructions in AGENTS.md.

`Questions` shows lines to a chat model, which answers about them; nothing is edited, until the user
takes code of an answer (`Questions.take`).

`standing_instructions` reads what the user wants of every turn, from the AGENTS.md files between
the folder spark works in and the repository's root.
"""

from codecs import getincrementaldecoder
from collections.abc import Generator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from spark_tui.context.regions import Region, source_of
from spark_tui.context.search_index import MOST_BYTES
from spark_tui.context.symbols import Symbol
from spark_tui.editing.formats.code_blocks import placed
from spark_tui.editing.text import Text
from spark_tui.errors import FileError, SparkError, UsageError
from spark_tui.providers.base import (
    CHARACTERS_A_TOKEN,
    AnswerStarted,
    PromptProgress,
    Speech,
    Thought,
    TokenGenerated,
    Waits,
)
from spark_tui.providers.conversation import Question, latest
from spark_tui.session.disclosure import Disclosure
from spark_tui.session.locator import PlaceIndex
from spark_tui.session.request import Request, refuse_too_long, with_attached
from spark_tui.session.succession import FAILURES, Succession, handed_over
from spark_tui.vcs.policy import may_hold_secrets
from spark_tui.vcs.repository import Repository

MOST_TOKENS = 1024
"""Tokens of one answer."""
TAKEN = "take over the code of the answer"
"""The instruction of a turn that takes code of an answer."""


@dataclass(frozen=True, slots=True)
class Anew:
    """The answer begins only here: what came before was thought, or another model's.

    Attributes:
        reason: Why another model answers; "" where the same one goes on.
    """

    reason: str = ""


Spoken = Generator[str | Waits | PromptProgress | Anew, None, None]
"""An answer piece by piece."""
THINKS = "thinking"
"""The status while a model thinks."""
MOST_LINES = 1_000_000
"""More lines than any file has that is shown whole."""
_SHARE = 4
"""The conversation so far takes at most one part in this many of the model's context."""
_MOST_BEFORE = 64
"""Questions kept, more than a prompt has room for."""
_FREED = 32
"""Questions forgotten at once."""
_MOST_OF_LARGE = 64_000
"""Bytes shown of a large file when no lines are named."""


@dataclass(frozen=True, slots=True)
class QuestionFile:
    """A file that a question is about.

    Attributes:
        lines: 1-based first and last line; None: the whole file.
    """

    path: str
    lines: tuple[int, int] | None = None

    @classmethod
    def of(cls, region: Region) -> "QuestionFile":
        """The lines of a region."""
        return cls(str(region.path), (region.start_line, region.end_line))

    @classmethod
    def named_in(
        cls, request: Request, mentions: PlaceIndex, region: Region | None = None
    ) -> "tuple[QuestionFile, ...]":
        """The place that a request names, else the lines in view.

        Args:
            region: The lines in view.

        Raises:
            As `PlaceIndex.find`.
        """
        if request.path and (request.symbol or request.lines):
            return (cls.of(mentions.find(request)),)
        if request.path:
            return (cls(request.path),)
        return (cls.of(region),) if region else ()

    @property
    def name(self) -> str:
        """The file as people write it: `path` or `path:first-last`."""
        return f"{self.path}:{self.lines[0]}-{self.lines[1]}" if self.lines else self.path


@dataclass(frozen=True, slots=True)
class _Question:
    """A question and what is shown with it.

    Attributes:
        lines: The lines shown, by `QuestionFile.name`.
        files: The same lines, by path.
        most: Tokens of an answer.
    """

    words: str
    lines: Mapping[str, Sequence[str]]
    files: Mapping[str, Sequence[str]]
    most: int


@dataclass(slots=True)
class _Heard:
    """The answer so far.

    Attributes:
        is_over: Whether the model ended the answer by itself.
    """

    text: str = ""
    is_over: bool = False


class Questions:
    """The questions of a session, each going on from those before it. Mutable.

    Args:
        repo: Has the files.
        succession: Has the models.
        lookup: Draws the map.
        disclosure: Knows which files a model may read; None: no consent was given.
    """

    def __init__(
        self,
        repo: Repository,
        succession: Succession,
        lookup: PlaceIndex,
        disclosure: Disclosure | None = None,
    ) -> None:
        self._repo = repo
        self._disclosure = disclosure or Disclosure(repo)
        self._succession = succession
        self._lookup = lookup
        self._said: list[Question] = []
        self.speaker = ""
        """The model that answers, or did last."""

    def answer(
        self,
        words: str,
        shown: Sequence[QuestionFile] = (),
        *,
        most: int = MOST_TOKENS,
        attached: str = "",
    ) -> Spoken:
        """Ask a question; the answer comes piece by piece.

        Not asking for the next piece is a pause.

        Args:
            most: Tokens of the answer.
            attached: Text that the model reads behind the words.

        Raises:
            UsageError: There are no words, far too many, or more lines than are read; or the model
                only edits.
            FileError: A file cannot be read as text.
            Transient: An endpoint fails; the text so far stays valid.
            SparkError: The answer is cut or empty; the text so far stays valid, too.
        """
        if not words.strip():
            raise UsageError("there is no question; say what you want to know")
        refuse_too_long(words)
        news = list[str]()
        lines = dict[str, Sequence[str]]()
        files = dict[str, Sequence[str]]()
        for file in shown:
            part, excerpt = self._read(file)
            if part != file:
                problem = f"{file.path} is too large to be shown whole"
                news.append(f"{problem}: the model sees {part.name}")
            lines[part.name] = excerpt
            files[part.path] = excerpt
        # The question is asked here, not in the generator: what is refused is refused at once.
        question = _Question(with_attached(words, attached), lines, files, most)
        self.speaker = self._succession.speaker()
        return self._spoken(question, *self._ask(question), news)

    def take(self, block: Sequence[str], shown: Sequence[QuestionFile]) -> Request:
        """Make a request that puts code of an answer into the file.

        The code replaces the function that it defines, else the lines that it shares with the file.

        Args:
            shown: What the question was about; the code belongs into the first of it.

        Raises:
            UsageError: The question was about no file, or an empty one.
            FileError: The file cannot be read as text.
        """
        if not shown:
            raise UsageError(
                "which file the code belongs in is not known; ask about @FILE, then take it"
            )
        path = shown[0].path
        first, last = shown[0].lines or (1, MOST_LINES)
        if shown[0].lines is None and self._lookup.is_too_large(path):
            way = f"choose lines with @{path}:L1-L2"
            raise UsageError(f"{path} is too large to look through; {way}")
        source = source_of(path, self._repo.read(path))
        if not source.lines:
            raise UsageError(f"{path} is empty; ask about a file with lines")
        # The first function of the code tells its place, if the file has one of that name; of
        # several, the one nearest to what was asked about.
        defined = source_of(path, "\n".join(block).encode()).symbols[:1]
        alike = source.named(tuple(defined[0].name.split("."))) if defined else []
        same = _nearest(alike, first, last)
        if same is not None:
            first = same.start_line
            last = same.end_line
        where, become = placed(source.lines[first - 1 : last], block, whole=same is not None)
        lines = (first + where.start, first + where.stop - 1)
        return Request(TAKEN, path, lines, become=tuple(become))

    def _ask(self, question: _Question) -> tuple[str, Speech]:
        """Ask the model whose turn it is.

        Returns:
            The question as sent, and the answer to come.

        Raises:
            UsageError: The model only edits, or the question is too long for it.
            ConsentMissing: The model may not read a file that the question shows.
        """
        # Imports the engine.
        from spark_tui.providers.chat_prompts import question_messages  # noqa: PLC0415

        host = self._succession.host(self.speaker)
        talker = host.talker
        self._disclosure.refuse_withheld(question.files.keys(), host)
        around = self._lookup.map(question.words, question.files, host.answerer.map_room)
        before = latest(self._said, host.context // _SHARE * CHARACTERS_A_TOKEN)
        messages = question_messages(question.words, question.lines, before, host.standing, around)
        try:
            speech = talker.talk(messages, most=question.most)
        except UsageError:
            # The conversation may be what is too long: once more without it.
            if not before:
                raise
            alone = question_messages(question.words, question.lines, (), host.standing, around)
            speech = talker.talk(alone, most=question.most)
        return messages[-1]["content"], speech

    def _spoken(
        self,
        question: _Question,
        sent: str,
        speech: Speech,
        news: Sequence[str],
    ) -> Spoken:
        """The answer; when an endpoint fails, that of the model named as its fallback."""
        for line in news:
            yield Waits(line)
        asked = [self.speaker]
        if reason := self._succession.reason_to_ask(self.speaker):
            yield Waits(reason)
        while True:
            heard = _Heard()
            try:
                yield from _hear(speech, heard)
            except SparkError as e:
                # A fallback helps where an endpoint fails or says nothing. An answer that is too
                # long for its tokens would be cut there as well.
                name = self._succession.fallback(self.speaker)
                is_empty = heard.is_over and not heard.text.strip()
                if not name or name in asked or not (is_empty or isinstance(e, FAILURES)):
                    raise
                reason = handed_over(e, name, anew=bool(heard.text))
                heard.text = ""
                asked.append(name)
                self.speaker = name
            else:
                return
            finally:
                # Also what a cut or failed answer said: the user has read it, and may go on from
                # there. The model of the next question may be an endpoint, so none that showed
                # secrets.
                if heard.text and not self._disclosure.private(question.files):
                    self._said.append(Question(sent, heard.text))
                if len(self._said) > _MOST_BEFORE:
                    del self._said[:_FREED]
            yield Anew(reason)
            # Another model has its own room, and so its own share of the conversation.
            sent, speech = self._ask(question)

    def _read(self, shown: QuestionFile) -> tuple[QuestionFile, Sequence[str]]:
        """What is really shown of a file, and its lines: only the beginning of a large one."""
        path = shown.path
        if not self._lookup.is_too_large(path):
            lines = Text.from_bytes(self._repo.read(path), path).lines
            first, last = shown.lines or (1, len(lines))
            return shown, lines[first - 1 : last]
        if shown.lines is not None:
            first, last = shown.lines
            # Lines of a large file: it is read up to the last of them.
            data = self._read_to(path, last).removesuffix(b"\n")
            chosen = data.split(b"\n", last)[first - 1 : last]
            excerpt = b"".join(part + b"\n" for part in chosen)
            return shown, Text.from_bytes(excerpt[:MOST_BYTES], path).lines
        # No lines are named: show the beginning, without the last line, which is most likely cut.
        data = self._repo.read(path, _MOST_OF_LARGE)
        complete = data[: data.rfind(b"\n")] if b"\n" in data else data
        lines = Text.from_bytes(complete, path).lines
        return QuestionFile(path, (1, len(lines))), lines

    def _read_to(self, path: str, line: int) -> bytes:
        """The bytes of a file at least up to the end of a line."""
        most = _MOST_OF_LARGE
        while True:
            data = self._repo.read(path, most)
            if len(data) < most or data.count(b"\n") >= line:
                return data
            most *= 4


def _nearest(symbols: Sequence[Symbol], first: int, last: int) -> Symbol | None:
    """The first symbol that meets lines (1-based), else the first of all."""
    for symbol in symbols:
        if symbol.contains(first, first) or first <= symbol.start_line <= last:
            return symbol
    return symbols[0] if symbols else None


def _hear(speech: Speech, heard: _Heard) -> Spoken:
    """Hand on the answer of a model.

    Raises:
        SparkError: As `_refuse_half`, or the model fails.
    """
    decode = getincrementaldecoder("utf-8")("replace").decode
    with closing(speech):
        while True:
            try:
                item = next(speech)
            except StopIteration as end:
                heard.is_over = True
                _refuse_half(heard.text, ended=bool(end.value))
                return
            if isinstance(item, Thought):
                yield Waits(THINKS)
                continue
            if isinstance(item, AnswerStarted):
                heard.text = ""
                yield Anew()
                continue
            if isinstance(item, PromptProgress):
                yield item
                continue
            text = decode(item.piece) if isinstance(item, TokenGenerated) else ""
            heard.text += text
            yield text or (item if isinstance(item, Waits) else Waits())


def _refuse_half(answer: str, *, ended: bool) -> None:
    """Refuse an answer that is cut or empty.

    Raises:
        SparkError: It is.
    """
    if not ended:
        raise SparkError("the answer was cut: it used up its tokens; ask for less at once")
    if not answer.strip():
        raise SparkError("the model said nothing; ask again, or name another model")


NAME = "AGENTS.md"
MOST_INSTRUCTION_BYTES = 32_768
"""Bytes of all files together; the nearest ones are read first."""


@dataclass(frozen=True, slots=True)
class StandingInstructions:
    """Standing instructions.

    Attributes:
        files: The files read, the outermost first, relative to the root.
        text: Their contents.
        cut: Whether some of the text is left out.
    """

    files: tuple[str, ...] = ()
    text: str = ""
    cut: bool = False


def standing_instructions(repo: Repository, folder: Path) -> StandingInstructions:
    """Read the standing instructions.

    Args:
        folder: The user's folder in the work tree; for one elsewhere only the root's file is read.
    """
    found: list[tuple[str, str]] = []
    room = MOST_INSTRUCTION_BYTES
    cut = False
    for path in _candidates(repo.root, folder.resolve()):
        if may_hold_secrets(repo, path):  # a link
            continue
        try:
            # A byte more than there is room for tells whether something has to be left out.
            data = repo.read(path, max(room, 0) + 1)
        except FileError:
            continue
        cut = cut or len(data) > room
        if room <= 0:
            break
        found.append((path, data[:room].decode("utf-8", "replace")))
        room -= len(data)
    # The nearest file was read first, but comes last: the last word is its own.
    found.reverse()
    files = tuple(path for path, _ in found)
    text = "\n\n".join(content.strip() for _, content in found)
    return StandingInstructions(files, text, cut)


def _candidates(root: Path, folder: Path) -> list[str]:
    """The paths of possible AGENTS.md files, the nearest first."""
    inside = folder if folder.is_relative_to(root) else root
    steps = [inside, *inside.parents]
    folders = steps[: steps.index(root) + 1]
    return [(step / NAME).relative_to(root).as_posix() for step in folders]
