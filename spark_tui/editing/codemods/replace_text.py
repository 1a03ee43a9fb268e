"""A piece of a line replaced by another one, both as the instruction says."""

import re
from collections.abc import Iterator, Sequence
from itertools import combinations, islice, permutations
from typing import ClassVar

from spark_tui.editing.codemods.base import Codemod, Ops, Request, applied, between, parses
from spark_tui.editing.codemods.common.said import Span, pairs, spans
from spark_tui.editing.codemods.pieces.code_told import code_edits, settled, whole
from spark_tui.editing.codemods.pieces.pieces_placed import piece_edits
from spark_tui.editing.codemods.pieces.siblings_told import sibling_edits
from spark_tui.editing.codemods.pieces.stand_ins import stand_ins
from spark_tui.editing.codemods.plain.plain_pieces import plain_bases
from spark_tui.editing.codemods.plain.plain_renamings import plain_renamings
from spark_tui.editing.codemods.plain.plain_siblings import plain_siblings
from spark_tui.editing.codemods.plain.plain_states import plain_error
from spark_tui.editing.codemods.plain.plain_swaps import plain_swaps
from spark_tui.editing.codemods.prose.doc_lines import doc_edits
from spark_tui.editing.codemods.prose.doc_shapes import shortened_docs
from spark_tui.editing.codemods.prose.markup_slips import markup_slips
from spark_tui.editing.codemods.prose.near_words import near_edits
from spark_tui.editing.codemods.prose.phrases import phrase_edits
from spark_tui.editing.codemods.prose.phrases_like import reworded_prose
from spark_tui.editing.codemods.prose.prose_forms import form_edits
from spark_tui.editing.codemods.prose.prose_gaps import gap_edits
from spark_tui.editing.codemods.prose.prose_kin import kin_edits
from spark_tui.editing.codemods.prose.prose_removals import removals
from spark_tui.editing.codemods.prose.prose_shorter import shorter_prose
from spark_tui.editing.codemods.prose.prose_signs import sign_edits
from spark_tui.editing.codemods.prose.prose_slips import slip_edits
from spark_tui.editing.codemods.prose.prose_words import prose_edits
from spark_tui.editing.codemods.prose.spelling import spelling_edits
from spark_tui.editing.codemods.prose.told_everywhere import told_everywhere
from spark_tui.editing.codemods.rewording.other_forms import guarded
from spark_tui.editing.codemods.statements.branch_bodies import branch_bodies, stub_bodies
from spark_tui.editing.codemods.statements.class_bases import class_bases
from spark_tui.editing.codemods.statements.moving import moves
from spark_tui.editing.codemods.statements.statements_swapped import swapped_statements
from spark_tui.editing.snippet import Snippet

_EVERY = re.compile(r"\b(?:all|every|everywhere|each|throughout|wherever)\b")
_MODAL = r"(?:should|must|has to|have to|needs to|need to|ought to|is supposed to|is meant to|had better)"
_FORWARD = re.compile(
    r"to|with|by|into|for|be|-+>|=+>|\u2192|becomes?|an?|out for|in favou?r of"
    rf"|(?:there |here )?(?:is wrong(?: \w+)? )?(?:it |that )?{_MODAL}"
    r"(?: be| read| say| have been| use| become)*(?: an?)?"
    rf"|(?:there |here )?is wrong(?: \w+)? (?:it is|it's|use)"
    rf"|(?:but |where |and )?(?:it )?(?:i want|we need|i meant|meant|i wanted|{_MODAL} (?:be|say|use|have))"
)
_BACKWARD = re.compile(
    r"(?:here |is what i meant |was meant |is meant )?"
    r"(?:instead of|rather than|in place of|and not|not|where it says|where)(?: an?| the)?"
)
_NEGATED = re.compile(r"\b(?:instead of|not|where it says|says?|i typed|where)$")
_TYPED = re.compile(r"\bi (?:typed|wrote|put)$")
_THEN = re.compile(rf"(?:is )?(?:now )?(?:\w+|i want|we want|it {_MODAL} be|{_MODAL} be)")
_BOTH = re.compile(
    r"\b(?:replace|change|swap|turn)\b.+\b(?:with|by|to|into|for)\b|\binstead of\b|\s(?:->|=>|\u2192)\s|^s/"
    r"|\bis wrong\b|\bbut i want\b",
    re.IGNORECASE,
)
"""Where both the old and the new are told."""
_WHERE = re.compile(
    r"\b(?:(?:(?:in|on) )?(?:the )?line (?:with|that has|containing|saying)|where it says|next to|near|beside|around"
    r"|find|in)\W*$"
)
GLUE = frozenset("""
a an and as at be but by for have here i in is it line my now of on or please put read say says set should that the
there this to use want was we where with wrong you your instead not f-string f-strings
""".split())  # fmt: skip  # noqa: SIM905 - one word a line would be longer
_SED = re.compile(r"(?<!\w)[sS]/([^/]+)/([^/]+)/")
_NO_MARKS = str.maketrans(",?;", "   ")
_TIGHT_ARROW = re.compile(r"(?<=[\w)\]'\"`])(\u2192|\u21d2|->|=>)(?=[\w(\['\"`])")
_EMPTY_CALL = re.compile(
    r"(?<![\w.])(?:abs|all|any|divmod|enumerate|filter|getattr|hasattr|isinstance|iter|len|map|max|min|next|reversed|round"
    r"|sorted|sum)\(\)"
)
_LOG_LEVELS = ("debug", "info", "warning", "error", "critical", "exception")
_MOST = 24
_FAR = 60


class ReplaceText(Codemod):
    """What is told to be old becomes what is told to be new, on one line or wherever it stands."""

    kind: ClassVar[str] = "replace_text"

    def plain(self, before: Snippet, request: Request) -> list[Ops]:
        """See `plain_swaps`, `plain_renamings`, `plain_bases`, `plain_siblings` and `plain_error`."""
        readings = (plain_swaps, plain_renamings, plain_bases, plain_siblings, plain_error)
        return next((found for read in readings if (found := read(before, request.instruction))), [])

    def edits(self, before: Snippet, request: Request) -> Iterator[Ops]:
        """Each line that has the old text; all of them where the instruction does not tell which."""
        yield from (ops for ops in self._all(before, request) if not _calls_nothing(before, ops))

    def _all(self, before: Snippet, request: Request) -> Iterator[Ops]:
        request = Request(_TIGHT_ARROW.sub(r" \1 ", request.instruction), request.selected)
        yield from spelling_edits(before, request)
        yield from doc_edits(before, request)
        yield from shortened_docs(before, request)
        yield from shorter_prose(before, request)
        yield from slip_edits(before, request)
        yield from sign_edits(before, request)
        yield from prose_edits(before, request)
        yield from phrase_edits(before, request, ("docstring", "comment"))
        yield from told_everywhere(before, request)
        put = False
        for ops in reworded_prose(before, request, ("docstring", "comment")):
            put = True
            yield ops
        yield from removals(before, request)
        yield from form_edits(before, request)
        yield from kin_edits(before, request)
        yield from gap_edits(before, request)
        yield from markup_slips(before, request)
        written = list(islice(self._edits(before, request, put), _MOST))
        yield from written
        if not (written and _BOTH.search(request.instruction)):
            yield from near_edits(before, request)
            yield from (between(before, lines) for lines in piece_edits(before, request))

    def _edits(self, before: Snippet, request: Request, put: bool) -> Iterator[Ops]:
        listed = (stand_ins, class_bases, branch_bodies, stub_bodies, swapped_statements, moves, guarded)
        for lines in (lines for one in listed for lines in one(before, request)):
            if parses(lines):
                yield between(before, lines)
        written = [lines for lines in code_edits(before, request) if parses(lines)]
        yield from (between(before, lines) for lines in written)
        if written and settled(request.instruction):
            return
        directed = _directed(spans(request.instruction), request.instruction)
        known = {new for old, new in directed if _rows(before, old, request)}
        yield from (between(before, lines) for lines in sibling_edits(before, request, known))
        for old, told_new in islice(_pairs(before, request, put), _MOST):
            rows, new = _rows(before, old, request), _level(old, whole(old, told_new))
            told = _told(before, rows, {old, new}, request.instruction)
            groups = [[row] for row in told]
            if len(rows) > 1 and told == rows and not request.selected:
                groups = [rows] if _EVERY.search(request.instruction.lower()) else [*groups, rows]
            for group in groups:
                after = [replaced(line, old, new) if row in group else line for row, line in enumerate(before.lines)]
                if parses(after):
                    yield between(before, after)


def _level(old: str, new: str) -> str:
    """The new text; the level of a log as its method is called: warn is warning."""
    return new.replace("warn", "warning") if old.strip(".(") in _LOG_LEVELS and new.strip(".(") == "warn" else new


def _calls_nothing(before: Snippet, ops: Ops) -> bool:
    """Whether a function that takes something is newly called with nothing: the words only named it."""
    return any(_EMPTY_CALL.search(line) for line in applied(before, ops) if line not in before.lines)


def _pairs(snippet: Snippet, request: Request, put: bool) -> Iterator[tuple[str, str]]:
    """What may be old and new: as the words between them tell, else whatever is said and there.

    The latter not where a phrase was `put` into what is written for people.
    """
    instruction = request.instruction
    found = [span for span in spans(instruction) if span.mark or span.text.lower() not in GLUE]
    sed = [(old.strip("`'\""), new.strip("`'\"")) for old, new in _SED.findall(instruction)]
    solid = [span for span in found if span.solid and not put]
    places = [span for span in found if _WHERE.search(instruction[: span.start].lower())]
    inner = [span for span in found if span not in places]
    refused: set[tuple[str, str]] = set()
    for possible in (
        sed or _directed(inner, instruction) or (_directed(found, instruction) if places else []),
        pairs(instruction, lambda span: span in inner and span.solid),
        _levels(snippet, instruction),
        permutations(dict.fromkeys(span.text for span in solid), 2),
        [(span.text, new.text) for new in solid for span in found if not span.solid and len(span.text) > 1],
    ):
        told = [one for one in dict.fromkeys(possible) if one not in refused]
        some = [one for one in told if one[0] != one[1] and _rows(snippet, one[0], request)]
        if some:
            yield from some
            return
        refused |= {(new, old) for old, new in told}


def _levels(snippet: Snippet, instruction: str) -> list[tuple[str, str]]:
    """Log calls that are to be of a level told: (".info(", ".debug(")."""
    told = [level for level in _LOG_LEVELS if re.search(rf"\b{level}\b", instruction.lower())]
    used = [level for level in _LOG_LEVELS if any(f".{level}(" in line for line in snippet.lines)]
    return [(f".{old}(", f".{new}(") for new in told if new not in used for old in used]


def _directed(found: Sequence[Span], instruction: str) -> list[tuple[str, str]]:
    """The pairs that nothing but the usual words stand between, the nearest first."""
    made: list[tuple[str, str]] = []
    for left, right in sorted(combinations(found, 2), key=lambda pair: pair[1].start - pair[0].end):
        if right.start - left.end > _FAR:
            break
        between_them = " ".join(instruction[left.end : right.start].lower().translate(_NO_MARKS).split())
        before = instruction[: left.start].lower().rstrip(" `'\"")
        if _BACKWARD.fullmatch(between_them):
            made.append((left.text, right.text) if _TYPED.search(before) else (right.text, left.text))
        elif (
            _FORWARD.fullmatch(between_them)
            or (left.mark and right.mark and not between_them)
            or (_NEGATED.search(before) and _THEN.fullmatch(between_them))
        ):
            made.append((left.text, right.text))
    return made


def _rows(snippet: Snippet, old: str, request: Request) -> list[int]:
    """The lines that have a text, among the selected ones if there are any."""
    if not old.strip():
        return []
    first, last = request.selected or (0, len(snippet.lines))
    return [row for row, line in enumerate(snippet.lines) if first <= row <= last and holds(line, old)]


def _told(snippet: Snippet, rows: list[int], pair: set[str], instruction: str) -> list[int]:
    """The lines that have most of what else is said."""
    if len(rows) < 2:
        return rows
    rest = {span.text for span in spans(instruction) if span.mark or span.text.lower() not in GLUE} - pair
    counts = {row: sum(len(text) for text in rest if holds(snippet.lines[row], text)) for row in rows}
    most = max(counts.values(), default=0)
    return [row for row in rows if counts[row] == most]


def holds(line: str, text: str) -> bool:
    """Whether a text stands on a line as a whole word."""
    return bool(text) and text in line and next(_places(line, text), None) is not None


def replaced(line: str, old: str, new: str) -> str:
    """A line with a text, where it stands as a whole word, replaced by another one."""
    for at in sorted(_places(line, old), reverse=True):
        line = line[:at] + new + line[at + len(old) :]
    return line


def _places(line: str, text: str) -> Iterator[int]:
    """Where a text stands as a whole word; by hand, as patterns would have to be compiled for each text."""
    at = line.find(text)
    while at >= 0:
        before, behind = line[at - 1 : at] if at else "", line[at + len(text) : at + len(text) + 1]
        if not (_in_word(before) and _in_word(text[0])) and not (_in_word(behind) and _in_word(text[-1])):
            yield at
            at += len(text) - 1
        at = line.find(text, at + 1)


def _in_word(sign: str) -> bool:
    return sign.isalnum() or sign == "_"
