"""The grammar of the quoted format: as a mask over tokens, and as GBNF for servers.

Whatever a model writes under the grammar is a script (`formats.quoted`) that applies to its region.

`Grammar` tells which tokens may come next. Quoted lines are spelled with the tokens they have in
the prompt; a new line is any text up to its end. Marks, quoted lines and the old name of a renaming
are allowed by their ids, all else by a mask over the vocabulary.

`write_gbnf` writes the grammar as text, for servers that hold a model to a grammar. The text allows
every script that applies, and two kinds more that `Grammar` forbids: putting back the line just
deleted, and other spellings of a quoted line. Source: llama.cpp, grammars/README.md; xgrammar reads
the same notation.
"""

import re  # noqa: TID251 - reads an answer
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from spark_tui.editing.formats.quoted import (
    ADD,
    DROP,
    KEEP,
    MOST_RENAMES,
    NONE,
    RENAME,
    QuotedDraft,
    QuotingError,
    next_lines,
)
from spark_tui.editing.identifiers import names_in

Allowed = npt.NDArray[np.int32] | npt.NDArray[np.bool_]
Spell = Callable[[str], Sequence[int]]
# What may stand behind the old name of a renaming: a space, alone or with the start of the new
# name, which may have the dot of an attribute. Bytes from 0x80 on are letters in UTF-8.
_NAME_START = re.compile(rb" (?:\.?[A-Za-z_\x80-\xff][\w\x80-\xff]*)?")
_NAME_MORE = re.compile(rb"[\w\x80-\xff]+")


@dataclass(frozen=True, slots=True, eq=False)
class Vocabulary:
    """What the grammar needs of a tokenizer; made once for each model.

    Attributes:
        spell: Gives the tokens of a text.
        pieces: The bytes of each token; None for a token that stands in no text.
        end: The token that ends a script.
        line: A mask of the tokens that a new line may be written with.
        endings: The tokens of `line` that end the line, by their bytes; several may have the same.
        starts: A mask of the tokens that a name in a renaming may begin with.
        more: A mask of the tokens that a name in a renaming may go on with.
        newline: The token of a line feed.
        numbers: The token of each piece.
    """

    spell: Spell
    pieces: tuple[bytes | None, ...]
    end: int
    line: npt.NDArray[np.bool_]
    endings: Mapping[bytes, tuple[int, ...]]
    starts: npt.NDArray[np.bool_]
    more: npt.NDArray[np.bool_]
    newline: int
    numbers: Mapping[bytes, int]

    @classmethod
    def of(cls, spell: Spell, pieces: Iterable[bytes | None], end: int, size: int) -> "Vocabulary":
        """Work out the masks.

        Args:
            size: The size of the logits; ids beyond the last piece are never allowed.
        """
        known = tuple(pieces)

        def mask(allowed: Callable[[bytes], object]) -> npt.NDArray[np.bool_]:
            bits = np.zeros(size, np.bool_)
            bits[: len(known)] = [bool(piece) and bool(allowed(piece or b"")) for piece in known]
            return bits

        # The line feed ends a new name. In a new line a token may end the line, but never begin the
        # next one: what may begin there, the grammar decides afresh.
        newline = spell("\n")[0]
        more = mask(_NAME_MORE.fullmatch)
        more[newline] = True
        line = mask(lambda piece: b"\n" not in piece[:-1] and b"\r" not in piece)
        endings = dict[bytes, tuple[int, ...]]()
        for token in np.flatnonzero(line):
            if (piece := known[token] or b"").endswith(b"\n"):
                endings[piece] = (*endings.get(piece, ()), int(token))
        return cls(
            spell,
            known,
            end,
            line=line,
            endings=endings,
            starts=mask(_NAME_START.fullmatch),
            more=more,
            newline=newline,
            numbers={piece: number for number, piece in enumerate(known) if piece},
        )


class Grammar:
    """The tokens that may come next in the script of one answer. Mutable.

    The caller gives each chosen token to `take`, and the piece that comes back to the draft.

    `draft`: the script so far. `ended`: whether the script is complete.

    Args:
        lines: The region.
        vocabulary: The vocabulary of the tokenizer of the model.
    """

    def __init__(self, lines: Sequence[str], vocabulary: Vocabulary) -> None:
        self._lines = tuple(lines)
        self._words = vocabulary
        self.draft = QuotedDraft(self._lines)
        self.ended = False
        self._tokens: list[int] = []
        """The tokens of the open line, without its mark."""
        self._spelled: list[Sequence[int]] = []
        """The whole spellings that the open line may still become; none in free text."""
        self._firsts = {mark: vocabulary.spell(mark)[0] for mark in (KEEP, DROP, ADD)}
        self._first_of_word = {word: vocabulary.spell(word.strip())[0] for word in (RENAME, NONE)}

    def allowed(self) -> Allowed:
        """The ids that may come next, or a mask over all of them."""
        if self.ended:
            return np.array([self._words.end], np.int32)
        if not self.draft.open:
            return np.array(sorted(self._beginnings()), np.int32)
        if self.draft.open[:1] == ADD.encode():
            return self._new_line()
        if self._spelled:
            return np.array(sorted(self._following(self._spelled)), np.int32)
        return self._renamed()

    def _following(self, spellings: Iterable[Sequence[int]]) -> set[int]:
        """The next tokens of spellings that begin with the tokens of the open line."""
        count = len(self._tokens)
        return {spelling[count] for spelling in spellings if len(spelling) > count}

    def take(self, token: int) -> bytes:
        """Take the token that was chosen.

        Returns:
            The piece that the draft reads next; nothing at the end of the script.

        Raises:
            QuotingError: The token spells no text. Nothing else is checked here.
        """
        if token == self._words.end:
            self.ended = True
            return b""
        piece = self._words.pieces[token]
        if piece is None:
            raise QuotingError(f"token {token} spells no text")
        # the draft has not read the piece yet: without an open line, the token begins one
        if not self.draft.open:
            self._begin(token)
        else:
            count = len(self._tokens)
            self._tokens.append(token)
            self._spelled = [
                spelling
                for spelling in self._spelled
                if len(spelling) > count and spelling[count] == token
            ]
        return piece

    def _beginnings(self) -> set[int]:
        """The tokens that a line may begin with.

        Neither renamings nor `none` stand beside lines of another kind.
        """
        script = self.draft.script
        if script and script[-1] == NONE:
            return {self._words.end}
        tokens = set[int]()
        renaming = bool(script) and script[-1].startswith(RENAME)
        if not renaming:
            tokens.add(self._firsts[ADD])
            # behind the last line there is nothing left to quote
            if self.draft.applied.at < len(self._lines):
                tokens |= {self._firsts[KEEP], self._firsts[DROP]}
        if len(script) < MOST_RENAMES and (renaming or not script) and self._names():
            tokens.add(self._first_of_word[RENAME])
        if script:
            tokens.add(self._words.end)
        else:
            # an empty script says nothing: "none" has to be said
            tokens.add(self._first_of_word[NONE])
        return tokens

    def _begin(self, token: int) -> None:
        """Take the first token of a line."""
        # A mark is a token of its own, before the spelling of the line. The words `rename` and
        # `none` are spelled together with what follows, so their first token counts.
        self._tokens = []
        self._spelled = []
        spell = self._words.spell
        if token in (self._firsts[KEEP], self._firsts[DROP]):
            texts = next_lines(self._lines, self.draft.applied.at)
            self._spelled = [spell(text + "\n") for text in texts]
        elif token == self._first_of_word[NONE]:
            self._tokens = [token]
            self._spelled = [[*spell(NONE), *spell("\n")]]
        elif token == self._first_of_word[RENAME]:
            self._tokens = [token]

    def _new_line(self) -> Allowed:
        """Any text but the line just deleted: putting the line back would change nothing."""
        script = self.draft.script
        if not script or not script[-1].startswith(DROP):
            return self._words.line
        # What is left of the deleted line, behind what is written of the new one. Only a token that
        # completes exactly that is forbidden: before, the line may still go on otherwise.
        deleted = script[-1].removeprefix(DROP).encode() + b"\n"
        written = self.draft.open[1:]
        if not deleted.startswith(written):
            return self._words.line
        rest = deleted[len(written) :]
        tokens = self._words.endings.get(rest)
        if not tokens:
            return self._words.line
        mask = self._words.line.copy()
        mask[list(tokens)] = False
        return mask

    def _names(self) -> set[str]:
        return names_in("\n".join(self.draft.applied.rest()))

    def _renamed(self) -> Allowed:
        """After `rename`: a name of the region, spelled as there, then any other name."""
        text = self.draft.open.decode("utf-8", "ignore")
        words = text.split(" ")
        spellings = {RENAME + name: self._words.spell(RENAME + name) for name in self._names()}
        # within the new name, which must not stay empty
        if len(words) > 2 and RENAME + words[1] in spellings:
            mask = self._words.more.copy()
            mask[self._words.newline] = bool(words[2])
            return mask
        # within the old name
        count = len(self._tokens)
        begun = [
            spelling for spelling in spellings.values() if list(spelling[:count]) == self._tokens
        ]
        following = self._following(begun)
        if text not in spellings:
            return np.array(sorted(following), np.int32)
        # the old name is complete, and may still be the beginning of a longer one
        mask = self._words.starts.copy()
        mask[list(following)] = True
        return mask


GOES_ON = 'root ::= "+" | "-" | " "'
"""A grammar that forces one more line at the end of a script.

The log-probabilities that come with it tell how likely the model was to end there instead.
"""
_ESCAPES = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t"}
_LETTER = r"A-Za-z_\u0080-\U0010FFFF"
_RULES = (
    r'text ::= [^\r\n]* "\n"',
    f'name ::= "."? [{_LETTER}] more',
    f"more ::= [{_LETTER}0-9]*",
)


def write_gbnf(lines: Sequence[str], begun: bytes = b"") -> str:
    """Write the grammar of what may follow the beginning of a script.

    The size grows linearly with the region: the rule for each line refers to the rule for the next.

    Args:
        lines: The region.
        begun: The beginning of the script, which may end within a line.

    Returns:
        The rules, or "" where no text can follow: `begun` ends within a character.

    Raises:
        QuotingError: The beginning does not fit the region.
    """
    # The draft finds out where in the region the script stands; from there the rules go on.
    draft = QuotedDraft(lines)
    draft.take(begun)
    try:
        opened = draft.open.decode("utf-8")
    except UnicodeDecodeError:
        return ""
    names = sorted(names_in("\n".join(draft.applied.rest())))
    choices = _choices(draft, opened, names)
    rules = ["root ::= " + " | ".join(choices), *_RULES, *_line_rules(lines)]
    if names:
        rules.append("old ::= " + " | ".join(map(_literal, names)))
        rules.append('rename ::= "rename " old " " name "\\n"')
    return "\n".join(rules) + "\n"


def _choices(draft: QuotedDraft, opened: str, names: Sequence[str]) -> list[str]:
    """The choices for what comes next, each a sequence of symbols."""
    # first the cases within an open line, then those between lines
    at = draft.applied.at
    if opened.startswith(ADD):
        return [f"text r{at}"]
    if opened[:1] in (KEEP, DROP) and opened:
        return list(_quoted(draft, opened[1:]))
    renames = sum(line.startswith(RENAME) for line in draft.script)
    further = _renames(MOST_RENAMES - renames - 1)
    if opened:
        return [*_begun_word(opened), *_begun_rename(opened, names, further)]
    if draft.script:
        if draft.script[-1] == NONE or renames == MOST_RENAMES:
            return ['""']
        # Renamings and lines do not mix: what a script began with goes on to its end.
        more = f"(rename {further})?" if renames else f"r{at}"
        return [more]
    choices = [_literal(NONE + "\n"), f'"+" text r{at}']
    if draft.applied.rest():
        choices.append(f'("-" | " ") q{at}')
    if names:
        choices.append(f"rename {further}".rstrip())
    return choices


def _quoted(draft: QuotedDraft, start: str) -> Iterator[str]:
    """The choices for the rest of a quoted line that begins with `start`."""
    # the rest of the region counts its lines from 0, the rules count those of the whole region
    at = draft.applied.at
    for text, number in next_lines(draft.applied.rest(), 0).items():
        if text.startswith(start):
            yield f"{_literal(text[len(start) :] + chr(10))} r{at + number + 1}"


def _begun_word(opened: str) -> list[str]:
    """The choices for the rest of a line that begins as `none` does."""
    if not NONE.startswith(opened):
        return []
    return [_literal(NONE[len(opened) :] + "\n")]


def _begun_rename(opened: str, names: Sequence[str], further: str) -> Iterator[str]:
    """The choices for the rest of a line that begins a renaming."""
    for name in names:
        old = f"{RENAME}{name} "
        if old.startswith(opened):
            yield f'{_literal(old[len(opened) :])} name "\\n" {further}'.rstrip()
        elif opened.startswith(old):
            yield f'more "\\n" {further}'.rstrip()


def _renames(count: int) -> str:
    """The symbols for up to `count` more renamings."""
    # two of them are "(rename (rename)?)?"
    rule = ""
    for _ in range(count):
        rule = f"(rename {rule})?".replace(" )", ")")
    return rule


def _line_rules(lines: Sequence[str]) -> Iterator[str]:
    """The rules for the lines of a region.

    `rN`: the rest of a script that has passed N lines. `qN`: a quoted line from line N on. A text
    that stands twice leads to both places; the first place allows all that the later one does.
    """
    for number, line in enumerate(lines):
        yield f'r{number} ::= ("+" text r{number} | ("-" | " ") q{number})?'
        later = f" | q{number + 1}" if number + 1 < len(lines) else ""
        yield f"q{number} ::= {_literal(line + chr(10))} r{number + 1}{later}"
    yield f'r{len(lines)} ::= ("+" text r{len(lines)})?'


def _literal(text: str) -> str:
    """A text as a quoted literal of the grammar."""
    return '"' + "".join(map(_escaped, text)) + '"'


def _escaped(letter: str) -> str:
    if letter in _ESCAPES:
        return _ESCAPES[letter]
    if letter < " " or letter == "\x7f":
        return f"\\x{ord(letter):02x}"
    return letter
