"""Questions: a chat model answers in words about lines that are shown to it; nothing is edited."""

from codecs import getincrementaldecoder
from collections.abc import Generator, Sequence
from contextlib import closing
from dataclasses import dataclass

from spark_tui.answering.host import Host
from spark_tui.answering.prompts import question_messages
from spark_tui.answering.seam import Began, Speech, Thought, Waits, Wrote
from spark_tui.context.index import MOST_BYTES
from spark_tui.context.source import Region, source_of
from spark_tui.editing.code_blocks import placed
from spark_tui.editing.text import Text
from spark_tui.errors import SparkError, UsageError
from spark_tui.session.place_lookup import PlaceLookup
from spark_tui.session.request import Request, refuse_too_long
from spark_tui.vcs.repository import Repository

MOST_TOKENS = 1024
"""Of one answer."""
TAKEN = "take over the code of the answer"
"""What a turn is called that does."""


@dataclass(frozen=True, slots=True)
class Anew:
    """What was said until now was a thought: the answer begins only here."""


THINKS = "thinking"
"""What is said while a model does."""
MOST_LINES = 1_000_000
"""More than any file has that is shown whole."""
_MOST_OF_LARGE = 64_000
"""Bytes that are shown of a large file where no lines are told."""
MOST_BEFORE = 3
"""Questions with their answers that the next one goes on from."""


@dataclass(frozen=True, slots=True)
class Shown:
    """What a question is about. `lines`: 1-based first and last one; None: the whole file."""

    path: str
    lines: tuple[int, int] | None = None

    @classmethod
    def of(cls, region: Region) -> "Shown":
        """The lines of a region."""
        return cls(str(region.path), (region.start_line, region.end_line))

    @classmethod
    def told(cls, request: Request, mentions: PlaceLookup, region: Region | None = None) -> "tuple[Shown, ...]":
        """What a request tells outright, or else the lines in view. Args: region: these. Raises: as `find`."""
        if request.path and (request.symbol or request.lines):
            return (cls.of(mentions.find(request)),)
        if request.path:
            return (cls(request.path),)
        return (cls.of(region),) if region else ()

    @property
    def name(self) -> str:
        """How it is called."""
        return f"{self.path}:{self.lines[0]}-{self.lines[1]}" if self.lines else self.path


class Asking:
    """The questions of a session, each going on from those before it. Mutable."""

    def __init__(self, repo: Repository, host: Host, lookup: PlaceLookup) -> None:
        self._repo, self._host, self._lookup = repo, host, lookup
        self._said: list[tuple[str, str]] = []

    def answer(
        self, words: str, shown: Sequence[Shown] = (), *, most: int = MOST_TOKENS
    ) -> Generator[str | Waits | Anew, None, None]:
        """The answer piece by piece; not asking for the next one is a pause. Args: most: tokens of it.

        Raises: UsageError: no words, far too many, more lines than are read, or a model that only edits. FileError: a
            file cannot be read as text. Transient: an endpoint fails; what it said stays good.
            SparkError: the answer is cut or empty; what was said stays good, too.
        """
        if not words.strip():
            raise UsageError("there is no question; say what you want to know")
        refuse_too_long(words)
        news = list[str]()
        lines = dict[str, Sequence[str]]()
        by_path = dict[str, Sequence[str]]()
        for each in shown:
            part, found = self._read(each)
            if part != each:
                what = f"{each.path} is too large to be shown whole"
                news.append(f"{what}: the model sees {part.name}")
            lines[part.name] = by_path[part.path] = found
        talker = self._host.talker
        around = self._lookup.map(words, by_path, self._host.answerer.map_room)
        messages = question_messages(words, lines, self._said[-MOST_BEFORE:], self._host.standing, around)
        return self._spoken(words, talker.talk(messages, most=most), news)

    def take(self, block: Sequence[str], shown: Sequence[Shown]) -> Request:
        """A request that puts code of an answer in the place of the function that it defines, or of lines it shares.

        Args: shown: what the question was about; the code belongs into the first of it.
        Raises: UsageError: it was about no file, or an empty one. FileError: it cannot be read as text.
        """
        if not shown:
            raise UsageError("which file the code belongs in is not known; ask about @FILE, then take it")
        path, (first, last) = shown[0].path, shown[0].lines or (1, MOST_LINES)
        if shown[0].lines is None and self._lookup.is_too_large(path):
            way = f"choose lines with --at {path}:L1-L2"
            raise UsageError(f"{path} is too large to look through; {way}")
        source = source_of(path, self._repo.read(path))
        if not source.lines:
            raise UsageError(f"{path} is empty; ask about a file with lines")
        defined = source_of(path, "\n".join(block).encode()).symbols[:1]
        alike = source.named(tuple(defined[0].name.split("."))) if defined else []
        near = (each for each in alike if each.contains(first, first) or first <= each.start_line <= last)
        if same := next(near, alike[0] if alike else None):
            first, last = same.start_line, same.end_line
        where, become = placed(source.lines[first - 1 : last], block, whole=same is not None)
        return Request(TAKEN, path, (first + where.start, first + where.stop - 1), become=tuple(become))

    def _spoken(
        self,
        words: str,
        speech: Speech,
        news: Sequence[str],
    ) -> Generator[str | Waits | Anew, None, None]:
        decode, answer = getincrementaldecoder("utf-8")("replace").decode, ""
        for line in news:
            yield Waits(line)
        try:
            with closing(speech):
                while True:
                    try:
                        item = next(speech)
                    except StopIteration as end:
                        _refuse_half(answer, ended=bool(end.value))
                        return
                    if isinstance(item, Thought):
                        yield Waits(THINKS)
                        continue
                    if isinstance(item, Began):
                        answer = ""
                        yield Anew()
                        continue
                    text = decode(item.piece) if isinstance(item, Wrote) else ""
                    answer += text
                    yield text or (item if isinstance(item, Waits) else Waits())
        finally:
            if answer:
                self._said.append((words, answer))

    def _read(self, shown: Shown) -> tuple[Shown, Sequence[str]]:
        """What is shown indeed, and its lines: of a large file no more than its beginning."""
        path = shown.path
        if not self._lookup.is_too_large(path):
            lines = Text.from_bytes(self._repo.read(path), path).lines
            first, last = shown.lines or (1, len(lines))
            return shown, lines[first - 1 : last]
        if shown.lines is not None:
            first, last = shown.lines
            data = self._read_to(path, last).removesuffix(b"\n")
            parts = data.split(b"\n", last)[first - 1 : last]
            excerpt = b"".join(part + b"\n" for part in parts)
            return shown, Text.from_bytes(excerpt[:MOST_BYTES], path).lines
        data = self._repo.read(path, _MOST_OF_LARGE)
        whole = data[: data.rfind(b"\n")] if b"\n" in data else data
        lines = Text.from_bytes(whole, path).lines
        return Shown(path, (1, len(lines))), lines

    def _read_to(self, path: str, line: int) -> bytes:
        """The bytes of a file as far as its line of this number ends, and some more."""
        most = _MOST_OF_LARGE
        while True:
            data = self._repo.read(path, most)
            if len(data) < most or data.count(b"\n") >= line:
                return data
            most *= 4


def _refuse_half(answer: str, *, ended: bool) -> None:
    """Raises: SparkError: an answer that is over was cut, or says nothing."""
    if not ended:
        raise SparkError("the answer was cut: it used up its tokens; ask for less at once")
    if not answer.strip():
        raise SparkError("the model said nothing; ask again, or name another model")
