"""Words and signs of docstrings and comments that are told to go, to come in, or to be others.

Where the words name no sort of text, all that is written for people is looked at.
"""

import re
from collections.abc import Iterator, Sequence

from spark_tui.editing.codemods.base import Ops, Request, between, parses
from spark_tui.editing.codemods.common.said import Span, code_like, spans, word_said
from spark_tui.editing.codemods.prose.phrases import written_in
from spark_tui.editing.codemods.prose.prose import Prose, prose_meant
from spark_tui.editing.codemods.texts.text_words import SIGN, ended, sign_of
from spark_tui.editing.codemods.texts.texts import Text, texts
from spark_tui.editing.snippet import Snippet

_GONE = re.compile(
    r"(?i)\b(?:drop|remove|lose|strip|delete|kill|omit|cut|no(?!-)|without|rid of|take out|adds? nothing|superfluous"
    r"|take (?:\w+ ){1,3}out|out\W*$|out with|too much|needless|unneeded|scratch|ditch|strike"
    r"|can go|should go|says nothing|get rid)\b"
)
_LACKS = re.compile(
    r"(?i)\b(?:lacks?|lacking|miss(?:es|ing)?|needs?|wants?|add|put|insert|goes|belongs|forgot|without"
    r"|there'?s no|an?|the)\b"
)
_GONE_WORD = re.compile(
    r"(?i)\b(?:lose|drop|remove|delete|cut|kill|without|omit) (?:the |teh |that |this |word )*(\w{2,})\b"
)
_PLACE = re.compile(
    r"(?i)\b(after|before|behind|in front of|ahead of|following|preceding|between)\b(?P<what>.*)", re.DOTALL
)
_ENDS = re.compile(
    r"(?i)\b(?:ends?|ending|finish\w*|clos\w+|at the end|lacks?|miss(?:es|ing)|without|needs?|wants?|behind|after|no)\b"
)
_DOC = re.compile(r"(?i)\bdoc(?:s?tr\w*|s|umentation)?\b|\bsummary\b|\bcomm?ents?\b")
_NTH = re.compile(r"(?i)\b(first|1st|second|2nd|third|3rd|last|final)\b(?: \w+)? (?:lines?|sentence)\b")
_ROWS = {"first": 0, "1st": 0, "second": 1, "2nd": 1, "third": 2, "3rd": 2, "last": -1, "final": -1}
_BLANKS = re.compile(
    r"(?i)\b(?:two|double|doubled|extra|superfluous|many|2|one) (?:spaces?|blanks?)\b(?! (?:line|row))"
)
_ENTRY = re.compile(r"(?::param (?:[\w\[\]., |]+ )?)?\*{0,2}(\w+)(?: \([^)]*\))?:")
_YEAR = re.compile(r"(?<!\d)(?:19|20)\d\d(?!\d)")
_MOST = 6


def prose_edits(before: Snippet, request: Request) -> Iterator[Ops]:
    """Every change of this sort that the words may mean, each once."""
    words = request.instruction
    found = prose_meant(before, request)
    if not found:
        return
    pieces = {(one.row, one.start): one for one in texts(before)}
    seen: set[tuple[str, ...]] = set()
    for way in (
        _without,
        _without_bare,
        _with_word,
        _with_sign,
        _ended,
        _blanks,
        _of_link,
        _of_year,
        _of_case,
        _of_kin,
    ):
        for one, new in way(before, found, words):
            lines = written_in(before, one, new, pieces.get((one.row, one.start)))
            if tuple(lines) not in seen and len(seen) < _MOST and parses(lines):
                seen.add(tuple(lines))
                yield between(before, lines)


def _content(before: Snippet, one: Prose) -> str:
    return before.lines[one.row][one.start : one.end]


def _quoted(words: str) -> list[Span]:
    return [span for span in spans(words) if span.mark and span.text.strip()]


def _whole(text: str) -> re.Pattern[str]:
    left = r"(?<!\w)" if text[:1].isalnum() else ""
    right = r"(?!\w)" if text[-1:].isalnum() else ""
    return re.compile(left + re.escape(text) + right)


def _without(before: Snippet, found: Sequence[Prose], words: str) -> Iterator[tuple[Prose, str]]:
    """Without what is quoted, with the blank beside it; what follows at the beginning gets its capital."""
    if not _GONE.search(words):
        return
    for span in [one for one in _quoted(words) if re.search(r"\w", one.text)]:
        near = words[: span.start].rpartition(".")[2] + " " + words[span.end :].partition(". ")[0]
        if not _GONE.search(near) or _LACKS.match(words[: span.start].rstrip(" atheTHEn").rpartition(" ")[2]):
            continue
        for one in found:
            content = _content(before, one)
            for match in _whole(span.text).finditer(content):
                left, right = content[: match.start()], content[match.end() :]
                if right[:1] == " " and (not left or left[-1:] in " #"):
                    right = right[1:]
                elif not re.match(r"\w", right):
                    left = left.rstrip() if left.strip(" #") else left
                starts = not left.strip(" #") or left.rstrip().endswith(".")
                if starts and match[0][:1].isupper():
                    right = right[:1].upper() + right[1:]
                if re.search(r"\w", left + right) and not re.search(r"[`'\"(\[]$", left):
                    yield one, left + right


def _without_bare(before: Snippet, found: Sequence[Prose], words: str) -> Iterator[tuple[Prose, str]]:
    """Without a word that is told to go and stands there once; in what is quoted, where that stands there."""
    told = [match[1] for match in _GONE_WORD.finditer(words) if not SIGN.fullmatch(match[1])]
    quotes = [span.text for span in _quoted(words) if " " in span.text]
    rows = [one for one in found if any(quote in _content(before, one) for quote in quotes)] or list(found)
    for word in told:
        hits = [(one, match) for one in rows for match in _whole(word).finditer(_content(before, one))]
        if len(hits) == 1 and (len(rows) < len(found) or code_like(word)):
            one, match = hits[0]
            content = _content(before, one)
            yield one, content[: match.start()] + re.sub(r"^:? ", "", content[match.end() :])


def _with_word(before: Snippet, found: Sequence[Prose], words: str) -> Iterator[tuple[Prose, str]]:
    """With a word or a sign that is told to stand before or behind other words."""
    for place in _PLACE.finditer(words):
        what = _last_told(words[: place.start()])
        if not what:
            continue
        behind = place[1].lower() in ("after", "behind", "following")
        for one in found:
            content = _content(before, one)
            for anchor in _anchors(place["what"], content):
                for match in list(_whole(anchor).finditer(content))[:2]:
                    yield one, _put(content, match.end() if behind else match.start(), what)


def _last_told(words: str) -> str:
    """The word or sign told last: quoted, or by its name."""
    found = [(span.end, span.start, span.text) for span in _quoted(words)]
    found += [(match.end(), match.start(), sign_of(match)) for match in SIGN.finditer(words)]
    end, start, text = max(found, default=(0, 0, ""))
    close = len(words[end:].split()) <= 3 and "." not in words[end:]
    return text if close and (_LACKS.search(words[:start]) or not words[:start].strip()) else ""


def _anchors(words: str, content: str) -> list[str]:
    """What the place is told by: what is quoted first, else the longest run of words that stands there."""
    told = [span.text for span in _quoted(words)][:1]
    if told:
        return [one for one in told if one in content]
    bare = re.findall(r"[\w:*_.<>/-]*\w", words.split(",", maxsplit=1)[0])[:8]
    runs = [" ".join(bare[at:stop]) for at in range(len(bare)) for stop in range(len(bare), at, -1)]
    runs = [run for run in runs if len(run) > 3 and _whole(run).search(content)]
    return sorted(runs, key=len, reverse=True)[:1]


def _put(content: str, at: int, what: str) -> str:
    left, right = content[:at], content[at:]
    if not what.strip():
        return left + right if left.endswith(what) or right.startswith(what) else left + what + right
    if re.fullmatch(r"[,.;:!?]", what):
        return left.rstrip() + what + (" " if right[:1].isalnum() or right[:1] in "\"'`(" else "") + right
    before = "" if not left or left[-1].isspace() or what[0] == " " else " "
    after = "" if not right or re.match(r"[\s.,;:!?)]", right) or what[-1] == " " else " "
    return left + before + what + after + right


def _with_sign(before: Snippet, found: Sequence[Prose], words: str) -> Iterator[tuple[Prose, str]]:
    """With a sign at the end of the docstring or comment, or of a line of it that is told."""
    sign = next((sign_of(match) for match in SIGN.finditer(words)), "")
    if not (re.fullmatch(r"[.,:;!?]", sign) and _ENDS.search(words) and _DOC.search(words)):
        return
    nth = _NTH.search(words)
    for block in _blocks(found):
        full = [one for one in block if re.search(r"\w", _content(before, one))]
        place = _ROWS[nth[1].lower()] if nth else -1
        rows = [place] if nth else [-1, 0]
        for at in rows:
            if -len(full) <= at < len(full):
                content = _content(before, full[at])
                body = content.rstrip()
                if not body.endswith(sign):
                    yield full[at], body + sign + content[len(body) :]


def _blocks(found: Sequence[Prose]) -> list[list[Prose]]:
    blocks: dict[tuple[str, int], list[Prose]] = {}
    for one in found:
        if one.sort != "text":
            blocks.setdefault((one.sort, one.block), []).append(one)
    return list(blocks.values())


def _ended(before: Snippet, found: Sequence[Prose], words: str) -> Iterator[tuple[Prose, str]]:
    """With what is told to stand at the end: of the line that tells of what is named, of the last, of the first."""
    if not _DOC.search(words):
        return
    for block in _blocks(found):
        full = [one for one in block if re.search(r"\w", _content(before, one))]
        named = [one for one in full if (entry := _ENTRY.match(_content(before, one))) and word_said(words, entry[1])]
        for one in dict.fromkeys(named[:1] or [*full[-1:], *full[:1]]):
            text = Text(one.row, one.start, one.end, _content(before, one), "", "", True, True, frozenset())
            yield from ((one, new) for new in ended(words, text))


def _blanks(before: Snippet, found: Sequence[Prose], words: str) -> Iterator[tuple[Prose, str]]:
    """With one blank where there are two."""
    for one in found if _BLANKS.search(words) else ():
        content = _content(before, one)
        for match in re.finditer(r"(?<=\S) {2,}(?=\S)", content):
            yield one, content[: match.start()] + " " + content[match.end() :]


def _of_link(before: Snippet, found: Sequence[Prose], words: str) -> Iterator[tuple[Prose, str]]:
    """With a safe link for one that is not."""
    told = re.search(r"(?i)\bhttps\b", words) or re.search(r"(?i)\bhttp in (?:a|the|this|that)\b", words)
    for one in found if told else ():
        content = _content(before, one)
        if "http://" in content:
            yield one, content.replace("http://", "https://")


def _of_year(before: Snippet, found: Sequence[Prose], words: str) -> Iterator[tuple[Prose, str]]:
    """With the year that is told in the place of the last one."""
    told = _YEAR.findall(words)
    for one in found:
        years = list(_YEAR.finditer(_content(before, one)))
        if told and years and one.sort != "text":
            old = next((year for year in years if year[0] in told), years[-1])
            content = _content(before, one)
            for new in [year for year in told if year not in content]:
                yield one, content[: old.start()] + new + content[old.end() :]
                yield one, f"{content[: old.end()]}-{new}{content[old.end() :]}"


def _of_case(before: Snippet, found: Sequence[Prose], words: str) -> Iterator[tuple[Prose, str]]:
    """With a word that is quoted in the case that is told, or as it is quoted."""
    change = _case(words)
    for span in _quoted(words):
        for one in found:
            content = _content(before, one)
            if not change or one.sort == "text" or " " in span.text:
                continue
            new = re.sub(rf"(?i)(?<!\w){re.escape(span.text)}(?!\w)", lambda match: _changed(match[0], change), content)
            if new != content:
                yield one, new


def _case(words: str) -> str:
    found = re.search(r"(?i)\b(lower|upper)[- ]?cas|\b(capital)|\b(small) letter", words)
    return next((one.lower() for one in found.groups() if one), "") if found else ""


def _changed(word: str, change: str) -> str:
    if change == "upper":
        return word.upper()
    return word[:1].upper() + word[1:] if change == "capital" else word.lower()


def _of_kin(before: Snippet, found: Sequence[Prose], words: str) -> Iterator[tuple[Prose, str]]:
    """With a word told in the place of one that is much like it, as SIGKILL for SIGALRM or _failed for failed."""
    if not _DOC.search(words):
        return
    told = [span.text for span in spans(words) if re.fullmatch(r"\w{4,}", span.text)]
    told = [word for word in dict.fromkeys(told) if code_like(word)]
    for one in found if any(told) else ():
        content = _content(before, one)
        for match in re.finditer(r"\w{3,}", content) if one.sort != "text" else ():
            for word in told:
                if word not in content and _akin(match[0], word):
                    yield one, content[: match.start()] + word + content[match.end() :]


def _akin(old: str, new: str) -> bool:
    if old.lower().strip("_") == new.lower().strip("_"):
        return True
    return old.isupper() and new.isupper() and old[:3] == new[:3] and abs(len(old) - len(new)) < 4
