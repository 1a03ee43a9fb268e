"""A script that quotes while it is written, token by token, and the file it amounts to: `Writing` for such models."""

from collections.abc import Sequence
from threading import Lock

from spark_tui.context.regions import Region
from spark_tui.editing.checks import Check, new_names_are_free, region_parses
from spark_tui.editing.hunks import Hunk, diff
from spark_tui.editing.parsing import parsed
from spark_tui.editing.quoting import ADD, NONE, RENAME, QuotingError, apply_quoted
from spark_tui.editing.quoting_grammar import Allowed, Grammar, Vocabulary
from spark_tui.editing.script import ScriptError, Substitute
from spark_tui.editing.text import Text
from spark_tui.editing.wellformed import parses_no_worse
from spark_tui.engine.generate import Step
from spark_tui.session.proposal import Proposals


class QuotedWriting:
    """The script of one turn. Mutable: one thread may write while another sees what is closed.

    Args: base: the file. region: the part of it being edited. vocabulary: the model's.
    """

    def __init__(self, base: Text, region: Region, vocabulary: Vocabulary) -> None:
        self.lines = base.lines[region.start_line - 1 : region.end_line]
        self.first_line = region.start_line
        self.grammar = Grammar(self.lines, vocabulary)
        self.vocabulary = vocabulary
        self._base = base
        self._path = region.path
        self._is_python = region.path.endswith((".py", ".pyi"))
        self._proposals = Proposals(base, region)
        self._lock = Lock()
        self._scores: list[float] = []
        """The log-probability of each closed line of the script."""
        self._open_score = 0.0

    @property
    def kind(self) -> str | None:
        """What kind of edit it is, as far as the script tells."""
        script = self.grammar.script
        if not script:
            return None
        return "none" if script[0] == NONE else "rename" if script[0].startswith(RENAME) else "edit"

    @property
    def finished(self) -> bool:
        """Whether the script is complete."""
        return self.grammar.ended

    @property
    def worth_showing(self) -> bool:
        """Whether to show it before the next token: only a new line grows with each."""
        return self.grammar.open[:1] == ADD.encode() and len(self.grammar.open) > 1

    @property
    def in_the_balance(self) -> bool:
        """Nothing that is shown is taken back by the next token."""
        return False

    def allowed(self) -> Allowed:
        """The tokens allowed next."""
        return self.grammar.allowed()

    def expected(self) -> Sequence[int] | None:
        """After a line is taken out, the next tokens are likely its own once more, with changes."""
        script, grammar = self.grammar.script, self.grammar
        if grammar.open == ADD.encode() and script and script[-1].startswith("-"):
            return self.vocabulary.spell(script[-1][1:] + "\n")
        return None

    def take(self, step: Step) -> tuple[str, bool]:
        """Take one token. Returns: its text, and whether it closed a line. Raises: ScriptError."""
        piece = self.vocabulary.pieces[step.token_id] or b""
        self._open_score += step.logprob
        with self._lock:
            lines = len(self.grammar.script)
            try:
                self.grammar.take(step.token_id)
            except QuotingError as error:
                raise ScriptError(str(error)) from error
            closed = len(self.grammar.script) > lines
        if closed:
            self._scores.append(self._open_score)
            self._open_score = 0.0
        return piece.decode("utf-8", "replace"), closed

    def take_lines(self, script: Sequence[str], logprob: float) -> None:
        """Take a whole script, written by other hands. Raises: QuotingError: it does not fit."""
        with self._lock:
            for line in script:
                self.grammar.applied.take(line)
                self.grammar.script.append(line)
                self._scores.append(logprob / len(script))
            self.grammar.ended = True

    def file(self) -> Text:
        """The file as it would be if the script ended here."""
        with self._lock:
            return self._file(self.grammar.lines())

    @property
    def closed_lines(self) -> Sequence[str]:
        """The region with closed lines of the script only."""
        return self.grammar.applied.result()

    def closed_file(self) -> Text:
        """The file with closed lines of the script only."""
        with self._lock:
            return self._file(self.grammar.applied.result())

    def sound_file(self) -> Text:
        """The file with as many lines of the script as parse without the others, where that can be told."""
        base = self._file(self.lines)
        for count in range(len(self.grammar.script), 0, -1):
            lines = apply_quoted(self.lines, self.grammar.script[:count])
            file = self._file(lines)
            if self._is_sound(base, file, lines):
                return file
        return base

    def _is_sound(self, base: Text, file: Text, lines: Sequence[str]) -> bool:
        """Whether a version parses, as far as can be told. Args: lines: its region's."""
        if not self._is_python:
            verdict = parses_no_worse(base, file, self._path, diff(base, file))
            return verdict is None or verdict.ok
        read = parsed(base, file)
        return read.is_sound or (not read.was_sound and region_parses(lines).ok)

    def checks(self) -> tuple[Check, ...]:
        """What can be said of the script itself, and of the region where the file tells too little."""
        free = new_names_are_free(self.lines, self._renamings())
        if not self._is_python or parsed(self._base, self.closed_file()).was_sound:
            return free
        return (*free, region_parses(self.closed_lines), *self._proposals.left_behind(self.closed_lines))

    def logprob(self, hunk: Hunk) -> float:
        """The log-probability of the script; which of its lines wrote which hunk is not told apart."""
        return sum(self._scores) + self._open_score

    def _file(self, lines: Sequence[str]) -> Text:
        return self._proposals.file(lines, self._renamings())

    def _renamings(self) -> list[Substitute]:
        names = [line.removeprefix(RENAME).split(" ") for line in self.grammar.script if line.startswith(RENAME)]
        return [Substitute(old, new) for old, new in names]


def as_quoted(writing: object) -> QuotedWriting | None:
    """A script that quotes; None for one of the other format."""
    return writing if isinstance(writing, QuotedWriting) else None
