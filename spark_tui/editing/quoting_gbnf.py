"""The grammar of `editing.quoting` as GBNF, for servers that hold a model to one.

The text grammar allows every script that applies to a region, and two kinds more that the grammar
over tokens forbids: putting back the line just taken out, and other spellings of a quoted line.
Source: llama.cpp, grammars/README.md; xgrammar reads the same notation.
"""

from collections.abc import Iterator, Sequence

from spark_tui.editing.identifiers import names_in
from spark_tui.editing.quoted_draft import QuotedDraft
from spark_tui.editing.quoting import ADD, DROP, KEEP, MOST_RENAMES, NONE, RENAME, next_lines

GOES_ON = 'root ::= "+" | "-" | " "'
"""Holds a server to one more line, whatever the model would do: its log-probabilities tell what."""
_ESCAPES = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t"}
_LETTER = r"A-Za-z_\u0080-\U0010FFFF"
_RULES = (
    r'text ::= [^\r\n]* "\n"',
    f'name ::= "."? [{_LETTER}] more',
    f"more ::= [{_LETTER}0-9]*",
)


def write_gbnf(lines: Sequence[str], begun: bytes = b"") -> str:
    """Write the grammar of what may follow the beginning of a script.

    The size grows linearly with the region: a rule for each line leads to the next one.

    Args:
        lines: The region.
        begun: How the script begins; it may end within a line.

    Returns:
        The rules, or "" where no text can follow: `begun` ends within a character.

    Raises:
        QuotingError: The beginning does not fit the region.
    """
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
    """What may come next, each a sequence of symbols."""
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
        return [f"(rename {further})?" if renames else f"r{at}"]
    choices = [_literal(NONE + "\n"), f'"+" text r{at}']
    if draft.applied.rest():
        choices.append(f'("-" | " ") q{at}')
    if names:
        choices.append(f"rename {further}".rstrip())
    return choices


def _quoted(draft: QuotedDraft, start: str) -> Iterator[str]:
    """How a quoted line that begins so may end."""
    at = draft.applied.at
    for text, number in next_lines(draft.applied.rest(), 0).items():
        if text.startswith(start):
            yield f"{_literal(text[len(start) :] + chr(10))} r{at + number + 1}"


def _begun_word(opened: str) -> list[str]:
    if not NONE.startswith(opened):
        return []
    return [_literal(NONE[len(opened) :] + "\n")]


def _begun_rename(opened: str, names: Sequence[str], further: str) -> Iterator[str]:
    """How a line that begins a renaming may end."""
    for name in names:
        old = f"{RENAME}{name} "
        if old.startswith(opened):
            yield f'{_literal(old[len(opened) :])} name "\\n" {further}'.rstrip()
        elif opened.startswith(old):
            yield f'more "\\n" {further}'.rstrip()


def _renames(count: int) -> str:
    """Up to so many renamings more."""
    rule = ""
    for _ in range(count):
        rule = f"(rename {rule})?".replace(" )", ")")
    return rule


def _line_rules(lines: Sequence[str]) -> Iterator[str]:
    """`rN`: the rest of a script that has passed N lines. `qN`: a quoted line from line N on.

    A text that stands twice leads to both places; what the later one allows, the first one does.
    """
    for number, line in enumerate(lines):
        yield f'r{number} ::= ("+" text r{number} | ("-" | " ") q{number})?'
        later = f" | q{number + 1}" if number + 1 < len(lines) else ""
        yield f"q{number} ::= {_literal(line + chr(10))} r{number + 1}{later}"
    yield f'r{len(lines)} ::= ("+" text r{len(lines)})?'


def _literal(text: str) -> str:
    """A text in quotes."""
    return '"' + "".join(map(_escaped, text)) + '"'


def _escaped(letter: str) -> str:
    if letter in _ESCAPES:
        return _ESCAPES[letter]
    if letter < " " or letter == "\x7f":
        return f"\\x{ord(letter):02x}"
    return letter
