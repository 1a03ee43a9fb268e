"""Find lines of an answer that stand for code left out, and put the code back in their place.

Models write `// ... existing code ...` or `# rest of the function unchanged` where lines stay. Such
a line is a remark that was not there before, made of dots or of words of leaving out. The remark
may stand behind a placeholder of Python, or be a lone string in brackets.

`put_back` aligns the old and the new lines, as in a Needleman-Wunsch alignment, and lets each such
line pass any number of old lines at no cost. The passed lines are those that the line stands for.
"""

import re  # noqa: TID251 - reads an answer
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

from spark_tui.editing.formats.remarks import CLOSING_REMARKS, OPENING_REMARKS, remark_in
from spark_tui.editing.formats.white_space import key_of

_WORD = re.compile(r"[a-z']+")


def _words_of(text: str) -> frozenset[str]:
    return frozenset(_WORD.findall(text.lower()))


_DOTS = r"(?:\.{3,}|…|\. \. \.)"
# Text that consists of dots; has dots at its start, its end, or both; has dots at both; and dots
# with words, or one sign of dots, on a line that is no remark. Brackets may stand around.
_ONLY_DOTS = re.compile(rf"[\[(<]*(?:{_DOTS}\s*)+[\])>]*")
_FRAMED = re.compile(rf"[\[(<]*{_DOTS}.*{_DOTS}[\])>]*|[\[(<]*{_DOTS}.*|.*{_DOTS}[\])>]*")
_FRAMED_TWICE = re.compile(rf"[\[(<]*{_DOTS}.+{_DOTS}[\])>]*")
_BARE = re.compile(rf"\s*(?:[\[(<]*{_DOTS}\s+[\w' ,-]+\s*{_DOTS}?[\])>]*|[\[(<]*…[\])>]*)\s*")
_PLACEHOLDER = re.compile(r"\s*(?:\.\.\.|pass)\s*(?=#)")
"""A placeholder for Python code, before a remark that says what is left out."""
_STRING = re.compile(r"\s*(?P<quotes>\"{3}|'{3})\s*(?P<text>[\[(<].+[\])>])\s*(?P=quotes)\s*")
"""A remark in brackets as a lone string of Python."""
_BRACKETED = re.compile(r"\s*(?:\[(?P<square>[^][]+)\]|\((?P<round>[^()]+)\))\s*")
"""A remark in brackets alone on a line, as models write it in prose."""
# a letter, then words without digits or signs of code
_PROSE = re.compile(r"[^\W\d_][\w'’ …-]*[.…]*")
_TRAILING = re.compile(r"(?<=\s)(?:#|//|--|\{?\s*/\*|;|%)\s*(?=[\[(<]*(?:\.{3}|…)).*")
"""A remark behind code that begins with dots."""
# Words of remarks without dots. A remark of one word must be in _ALONE. A longer one must hold a
# word of _LEFT; its other words must all be in _PLAIN, or it must hold a word of _WHAT and one of
# _STATE. So "rest of the code unchanged" leaves code out; "skip the rest of the header" does not.
_LEFT = _words_of(
    """
    rest remaining remainder existing unchanged same previous original omitted untouched elided
    truncated snip unmodified
    """
)
_ALONE = _words_of("unchanged unmodified omitted")
_WHAT = _words_of("rest remaining remainder existing previous original other others everything")
_STATE = _words_of(
    """
    unchanged same here omitted untouched unmodified before remains remain stays stay elided
    goes continues follows
    """
)
_PLAIN = _words_of(
    """
    the of this that these your all a an is are as it in and to from with no any stays stay remains
    remain keep kept other above below here code function functions method methods class classes
    file implementation logic body module script line lines component content contents test tests
    block section document text paragraph paragraphs definition definitions imports fields
    properties changes change before goes continues follows
    """
)
_MANY = 2
"""Where so many lines of code are gone, and a remark stands there, the remark may hide them."""
_ALIKE = 0.6
"""The least share of common tokens in two lines that count as alike."""
_MOST_CELLS = 1_000_000
"""The most cells of the table that lines are aligned in; beyond, nothing is put back."""
_MATCH = 4
_WEAK_MATCH = 2
_SIMILAR = 1
_OTHER = -2
"""The scores of aligned lines: equal, equal but without letters, alike, and a line of one side."""


@dataclass(frozen=True, slots=True)
class PutBack:
    """An answer with the code that it left out.

    `exact`: whether the lines right around each gap are old lines, so that the place is beyond
    doubt.
    """

    lines: list[str]
    exact: bool


def stands_for_code(line: str) -> bool:
    """Whether a line that was not there before says that code is left out."""
    string = _STRING.fullmatch(line)
    if string:
        return _says_left_out(string["text"].strip("[](<> "))
    text = _remark_in(line)
    if text is None:
        if not _BARE.fullmatch(line):
            return False
        return line.strip("[](<> ").startswith("…") or bool(_words_of(line) & _LEFT)
    return _says_left_out(text)


def _remark_in(line: str) -> str | None:
    """The text of a line that is a remark, also behind a placeholder; None for another line."""
    return remark_in(_PLACEHOLDER.sub("", line, count=1))


def _says_left_out(text: str) -> bool:
    """Whether the text of a remark says that code is left out."""
    words = _words_of(text)
    if _FRAMED.fullmatch(text):
        needs_no_words = _ONLY_DOTS.fullmatch(text) or _FRAMED_TWICE.fullmatch(text)
        return bool(needs_no_words or words & _LEFT)
    if not words & _LEFT:
        return False
    if len(words) == 1:
        return words <= _ALONE
    return words <= _LEFT | _PLAIN or bool(words & _WHAT and words & _STATE)


def takes_place_of_code(old: Sequence[str], new: Sequence[str]) -> bool:
    """Whether remarks stand where code was, so that code may be left out.

    Code that was turned into a remark word for word does not count.
    """
    before = [line.strip() for line in old]
    after = [line.strip() for line in new]
    matcher = SequenceMatcher(None, before, after, autojunk=False)
    for kind, first, last, start, stop in matcher.get_opcodes():
        if kind == "replace" and _hides_code(before[first:last], after[start:stop]):
            return True
    return False


def _hides_code(lost: Sequence[str], put: Sequence[str]) -> bool:
    """Whether lines that replace others may hide code behind a remark.

    Args:
        lost: The old lines, stripped.
        put: The new lines, stripped.
    """
    # Three signs: a line that ends in dots while code shrinks, prose in brackets, and remarks where
    # no code, or much less of it, is left.
    lost_code = [line for line in lost if line and not _is_remark(line)]
    put_code = [line for line in put if line and not _is_remark(line)]
    shrinks = len(lost_code) - len(put_code)
    if shrinks > 0 and any(map(_ends_in_dots, put_code)):
        return True
    if any(lost) and any(map(_is_bracketed, put)):
        return True
    remarks = [line for line in put if line and _is_remark(line)]
    if not lost_code or all(_is_of(remark, lost_code) for remark in remarks):
        return False
    return not put_code or shrinks >= _MANY


def _is_remark(line: str) -> bool:
    return _remark_in(line) is not None or _is_bracketed(line)


def _is_bracketed(line: str) -> bool:
    """Whether a line is nothing but prose in brackets that stands for other lines."""
    match = _BRACKETED.fullmatch(line)
    if match is None:
        return False
    text = match["square"] or match["round"]
    if _says_left_out(text):
        return True
    # Prose of any language. One ASCII word is none: the name of a table in TOML stands like that.
    is_prose = match["square"] is not None and _PROSE.fullmatch(text) is not None
    return is_prose and (" " in text or not text.isascii())


def _is_of(remark: str, code: Sequence[str]) -> bool:
    """Whether a remark is a line of code that was turned into a remark."""
    text = (_remark_in(remark) or "").strip()
    return bool(text) and any(text in line for line in code)


def _ends_in_dots(line: str) -> bool:
    """Whether a line of code ends in a remark of leaving out."""
    remark = _TRAILING.search(line)
    return remark is not None and stands_for_code(remark[0])


def put_back(old: Sequence[str], new: Sequence[str]) -> PutBack | None:
    """An answer with the code in place of each line that stands for code.

    A line that passes no old line, since all are there, stays as it is.

    Args:
        old: The lines that the answer is about.
        new: The answer.

    Returns:
        None where it is not clear which code is left out.
    """
    known = {line.strip() for line in old}
    gaps = set[int]()
    for number, line in enumerate(new):
        if line.strip() not in known and stands_for_code(line):
            gaps.add(number)
    if not gaps:
        return PutBack(list(new), exact=True)
    framed = set[int]()
    for number in gaps:
        if 0 < number < len(new) - 1 and _is_framed(new[number - 1], new[number + 1]):
            framed |= {number - 1, number + 1}
    if framed:
        # the lines that open and close a remark around a gap belong to the gap
        return put_back(old, [line for number, line in enumerate(new) if number not in framed])
    if (len(old) + 1) * (len(new) + 1) > _MOST_CELLS:
        return None
    steps = _aligned(old, new, gaps)
    return _filled(old, new, steps)


def _is_framed(above: str, below: str) -> bool:
    """Whether lines open and close a remark, and do nothing else."""
    return above.strip() in OPENING_REMARKS and below.strip() in CLOSING_REMARKS


_Step = tuple[str, int, int]
"""A kind, and how many new and old lines come before.

The kinds are "same", "alike", "new", "old", "gap" (a gap begins), "skip" (a gap passes a line).
"""


def _aligned(old: Sequence[str], new: Sequence[str], gaps: set[int]) -> list[_Step]:
    """The best alignment of both, in which a gap passes any old lines at no cost."""
    old_keys = [key_of(line) for line in old]
    new_keys = [key_of(line) for line in new]
    old_tokens = [_tokens(line) for line in old]
    # Needleman and Wunsch (1970), with gaps that cost nothing where the answer marks them. Rows are
    # new lines, columns are old ones. Only the last row of scores is kept; the way back needs the
    # last step to each cell.
    best = [_OTHER * count for count in range(len(old) + 1)]
    last_steps: list[list[str]] = [["old"] * (len(old) + 1)]
    for number, line in enumerate(new):
        if number in gaps:
            best, row = _through_gap(best)
        else:
            best, row = _through_line(best, new_keys[number], _tokens(line), old_keys, old_tokens)
        last_steps.append(row)
    return _steps_back(last_steps)


def _through_gap(best: list[int]) -> tuple[list[int], list[str]]:
    """The next row of the table where the new line is a gap, which ends behind any old line.

    Args:
        best: The scores of the row before.

    Returns:
        The scores, and the last step of the way to each.
    """
    # "gap" comes from the row above, at the old line where the gap begins. "skip" comes from the
    # left: the gap passes one more old line, for free. At equal scores the gap passes the line.
    scores = [best[0]]
    row = ["gap"]
    for score in best[1:]:
        if scores[-1] >= score:
            scores.append(scores[-1])
            row.append("skip")
        else:
            scores.append(score)
            row.append("gap")
    return scores, row


def _through_line(
    best: list[int],
    key: str,
    tokens: Counter[str],
    old_keys: Sequence[str],
    old_tokens: Sequence[Counter[str]],
) -> tuple[list[int], list[str]]:
    """The next row of the table where the new line is code.

    Args:
        best: The scores of the row before.
        key: The key of the new line.
        tokens: The tokens of the new line.
        old_keys: The keys of the old lines.
        old_tokens: The tokens of the old lines.

    Returns:
        The scores, and the last step of the way to each.
    """
    scores = [best[0] + _OTHER]
    row = ["new"]
    for column, old_key in enumerate(old_keys):
        ways = [(scores[column] + _OTHER, "old"), (best[column + 1] + _OTHER, "new")]
        if old_key == key:
            # A lone bracket stands in many places, and tells little about this one.
            weight = _MATCH if any(map(str.isalnum, key)) else _WEAK_MATCH
            ways.append((best[column] + weight, "same"))
        elif _alike(tokens, old_tokens[column]):
            ways.append((best[column] + _SIMILAR, "alike"))
        # Equal scores go by the name: "same", "old", "new", "alike", in this order.
        score, way = max(ways)
        scores.append(score)
        row.append(way)
    return scores, row


def _steps_back(last_steps: list[list[str]]) -> list[_Step]:
    """The steps from the first lines on, walked back from the end of the table."""
    row = len(last_steps) - 1
    column = len(last_steps[0]) - 1
    steps: list[_Step] = []
    while row or column:
        kind = last_steps[row][column]
        if kind in ("old", "skip"):
            column -= 1
        elif kind in ("new", "gap"):
            row -= 1
        else:
            row -= 1
            column -= 1
        steps.append((kind, row, column))
    return steps[::-1]


def _filled(old: Sequence[str], new: Sequence[str], steps: list[_Step]) -> PutBack | None:
    """The answer with the old lines that each gap passed; None where a gap is not anchored."""
    lines: list[str] = []
    kinds = [kind for kind, _, _ in steps]
    exact = True
    for place, (kind, new_line, old_line) in enumerate(steps):
        if kind in ("same", "alike", "new"):
            lines.append(new[new_line])
        elif kind == "gap":
            passed = _run(kinds, place + 1, "skip")
            if not passed:
                lines.append(new[new_line])
                continue
            if not _anchored(kinds, place, passed):
                return None
            above = _paragraph_kinds(new, steps[:place][::-1])
            below = _paragraph_kinds(new, steps[place + 1 + passed :])
            # A definition with another name in its first line may be a new one, and then the gap
            # stands for the old one.
            beside = {*above[:1], *above[-1:], *below[:1]}
            exact = exact and beside <= {"same"}
            lines += old[old_line : old_line + passed]
    return PutBack(lines, exact)


def _paragraph_kinds(new: Sequence[str], steps: Iterable[_Step]) -> list[str]:
    """The kinds of the first of some steps, up to an empty line below other lines."""
    kinds = list[str]()
    for kind, new_line, _ in steps:
        is_empty = kind in ("same", "alike", "new") and not new[new_line].strip()
        if is_empty and kinds:
            break
        if not is_empty:
            kinds.append(kind)
    return kinds


def _run(kinds: Sequence[str], start: int, kind: str) -> int:
    """How many steps of a kind follow each other from `start` on."""
    stop = start
    while stop < len(kinds) and kinds[stop] == kind:
        stop += 1
    return stop - start


def _anchored(kinds: Sequence[str], place: int, passed: int) -> bool:
    """Whether a gap has an old line on either side before the next gap, or nothing at all.

    With only changed lines on a side, nothing tells where the gap begins or ends.
    """
    above: list[str] = []
    for kind in reversed(kinds[:place]):
        if kind in ("gap", "skip"):
            break
        above.append(kind)
    below: list[str] = []
    for kind in kinds[place + 1 + passed :]:
        if kind == "gap":
            break
        below.append(kind)
    return all(not side or "same" in side or "alike" in side for side in (above, below))


def _alike(tokens: Counter[str], others: Counter[str]) -> bool:
    count = tokens.total() + others.total()
    return count > 0 and 2 * (tokens & others).total() >= _ALIKE * count


def _tokens(line: str) -> Counter[str]:
    return Counter(re.findall(r"\w+|[^\w\s]", line))
