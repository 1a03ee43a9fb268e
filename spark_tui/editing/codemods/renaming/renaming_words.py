"""Which name of a region an instruction wants to be called what."""

import keyword
import math
import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from itertools import pairwise, product

from spark_tui.editing.codemods.common.said import plain_word

_NAME = re.compile(r"(?<![\w.])(\.?[^\W\d]\w*(?:\.[^\W\d]\w*)*)(?!\w)")
_LINT = re.compile(r"[A-Z]{1,4}\d{3,4}")
_MARKS = "`'\""
_SHOULD = r"(?:should|shoud|shuold|shoudl|must|could|might|ought to|has to|needs to|wants to)"
_CALLED = r"(?:called|named|spelt|renamed to|known as|spelled|written)"
_FORWARD = re.compile(
    rf"(?:\W*(?:to|->|=>|→|>|into|as|=|:=|becomes?|{_SHOULD}(?: really| rather| better)? (?:be|become|read)(?: just)?"
    rf"(?: {_CALLED})?"
    rf"|is (?:now |really |just |only |simply |actually )*(?:a |an |the )|now {_CALLED}|be {_CALLED})\W*)"
)
_BARE = re.compile(r"\W*")
_BACKWARD = re.compile(
    r"\W*(?:instead of|rather than|in place of|and not|not|reads better than"
    r"|is (?:a |the )?better(?: name)? (?:than|for)"
    r"|as (?:the |a )?(?:new |better )?name (?:of|for)|for|over)\W*(?:the |just |plain )?(?:\w+ )?\W*"
)
_NAMING = re.compile(
    r"(?:\b(?:call|name|spell|make|rename)\b(?: (?:it|this|that|them|these|those|the \w+|one|each))?(?: \w+)?"
    rf"|\b(?:to|as|into|use|prefer|better|be|say|{_CALLED}|it)|->|=>|→|:)\W*$"
)
_ASKED = re.compile(r"\W*(?:please|pls|would|will do|is (?:better|clearer|nicer|fine|enough)|reads|fits|says)\b")
_SO = re.compile(r"\b(?:call (?:it|them) (?:that|so|what (?:it|they) (?:is|are))|say so)\b")
_CUE = re.compile(
    r"\brenam|\bname|\bnaming\b|\bcall(?:ed)?\b(?! to)|\bspel(?:t|l)|\bvague|\bcryptic|\bmisleading|\bunclear|\bletter"
    r"|\b(?:says|tells|means) (?:little|nothing|me|us)|\btoo (?:short|long)|\bshadow|\bclearer|\bbetter|\bconfus"
    r"|\b(?:rather|instead|not)\b|\breads (?:as|like)\b|\bshort for\b|\bstands? for\b|\bof what\b|\bmeans?\b"
    r"|\bsh(?:ou|uo)ld? be\b"
)
_CAMEL = re.compile(r"[a-z][A-Z]")
_SO_IT_IS = re.compile(r"[`'\"]?(?:,| -| so| then)* call\b")
_SURELY = re.compile(r"[`'\"]? it (?:is|shall be|should be)\b|[`'\"]?,? (?:and )?not [`'\"]?\w+[`'\"]?\W*$")
_ARROW = re.compile(r"(?:->|=>|\u2192) ?[`'\"]?$")
_AND = re.compile(r"\W*(?:and|/|,|&)\W*")
NEVER = frozenset(
    """
    a about all also an and any are as at be better both but by call called can clearer code could do does each every
    everywhere file for from get has have here how i if in instead into is it its just like line lines look make
    makes many maybe me means meaning more my name named names naming new no not nothing of off old on one only or other
    our out over please read reads rename same say says shadows should so some something spell tell tells than that the
    their them then there these they thing things this those to too true us use used using very want was we what when
    where which while why will with word words wrong you your never off bad odd badly confusing misleading cryptic
    short long clear unclear builtin builtins built shadow shadows
    """.split()  # noqa: SIM905
)
_AS_IT_IS = re.compile(r"\b(?:an?|the|such|very|too|really|quite|rather|so)\s+$")
_A_NAME = re.compile(r"\s+(?:(?:variable|function|parameter|local)\s+)?(?:name|choice)\b")
_CALL_THE = re.compile(r"\b(?:call|name|rename)\s+(?:the|this|that)\s+(?:\w+\s+)?$")
_ANY_MORE = re.compile(r"\s+[`'\"]?(?!(?:in|to|as|into|please|here|instead|everywhere|for|is|would)\b)[^\W\d]\w*")
_ONE_MORE = re.compile(rf"{_ANY_MORE.pattern}[`'\"]?\W*$")
_THIS = re.compile(r"\b(?:this|that|the|my|our)\s+$")
NOUNS = frozenset(
    "variable local identifier function func method class parameter param argument arg attribute attr field".split()  # noqa: SIM905
)
"""What is renamed, rather than a new name."""
_VAGUE = frozenset(
    """
    a an any bad better both clear clearer each every it its long more my new odd off our short some something that the
    their them then these they this those true what which wrong your
    """.split()  # noqa: SIM905
)
_RENAME_TO = re.compile(r"\brename (?:the )?(?:\w+ )?[`'\"]?[^\W\d]\w*[`'\"]? ?(?:to|as|into|->|=>|→) $")
_NOTHING_ELSE = re.compile(r"[.!]?(?: (?:in|inside|within) .*)?$")
_MOST = 6
_RENAMES = re.compile(r"^\W*(?:please )?rename\b", re.IGNORECASE)
_OUTRIGHT = 3.0
"""How surely the name of something else may be meant as a new one."""
_RENAMED = re.compile(r"\brename[sd]? [`'\"]?(?P<old>[^\W\d]\w*)[`'\"]? (?:to|->|=>|→|into|as) [`'\"]?[^\W\d]")
_THINGS = frozenset(
    """
    variable variables local name names identifier function func method class parameter param argument arg arguments
    attribute attr field member constant property result loop key value them it this that these those one both all
    """.split()  # noqa: SIM905
)
"""What may be renamed without being named."""
_UNDERSCORE = re.compile(
    r"\b(?:no (?:reason|need) for|drop|remove|without|lose|get rid of|strip)\b[^.]{0,20}\b(?:leading )?underscores?\b"
    r"|\bunderscores?\b[^.]{0,30}\b(?:go|off|away|needless|unneeded|unnecessary|superfluous|pointless)\b"
)


@dataclass(frozen=True, slots=True)
class _Said:
    """A name in an instruction, and where."""

    name: str
    start: int
    end: int
    marked: bool


def pairs_told(instruction: str, names: Collection[str]) -> list[tuple[tuple[str, str], ...]]:
    """What may be renamed to what, the likeliest first; several at once where several are told.

    Args: names: those of the region, attributes with a dot before them. Returns: each one or more (old, new).
    """
    said = list(_names(instruction))
    if _UNDERSCORE.search(instruction.lower()):
        private = [one.name for one in said if one.name.startswith("_") and one.name in names]
        return [((name, name.lstrip("_")),) for name in dict.fromkeys(private) if name.lstrip("_").isidentifier()]
    bare = {name.removeprefix(".") for name in names}
    olds = [one for one in said if one.name in bare]
    news = [one for one in said if _may_be_new(one, instruction, bare)]
    least_taken = _OUTRIGHT if _RENAMES.search(instruction) else math.inf
    scored: dict[tuple[str, str], float] = {}
    for old, new in product(olds, news):
        score = _score(instruction, old, new)
        if score > (least_taken if new.name in names else 0) and old.name != new.name:
            pair = old.name, new.name
            scored[pair] = max(scored.get(pair, 0.0), score)
    least = max(scored.values(), default=0.0) / 2
    single = sorted((pair for pair in scored if scored[pair] >= least), key=lambda pair: -scored[pair])[:_MOST]
    news = [one for one in news if one.name not in names]
    return list(_together(instruction, olds, news)) or [(pair,) for pair in single]


def names_a_stranger(instruction: str, names: Collection[str]) -> bool:
    """Whether it says outright to rename something that is not here. Args: names: as for `pairs_told`."""
    told = [match["old"] for match in _RENAMED.finditer(instruction)]
    bare = {name.removeprefix(".") for name in names}
    return bool(told) and not any(old in bare or old.lower() in _THINGS for old in told)


def _together(instruction: str, olds: list[_Said], news: list[_Said]) -> Iterator[tuple[tuple[str, str], ...]]:
    """Several at once: told in turn (a to b and c to d) or one list after the other (a and c to b and d)."""
    olds, news = _first_each(olds), [one for one in _first_each(news) if _strong(instruction, one, news)]
    olds = olds if len(olds) == len(news) else [one for one in olds if one.marked or not plain_word(one.name)]
    if len(olds) < 2 or len(olds) != len(news):
        return
    pairs = tuple(zip(olds, news, strict=True))
    in_turn = all(one[1].end < two[0].start for one, two in pairwise(pairs))
    lists = olds[-1].end < news[0].start or news[-1].end < olds[0].start
    if lists or (in_turn and all(_score(instruction, old, new) > 1 for old, new in pairs)):
        yield tuple((old.name, new.name) for old, new in pairs)


def _strong(instruction: str, one: _Said, news: list[_Said]) -> bool:
    """Whether a name surely is a new one: by its looks, by the words before it, or listed with one that is."""
    if one.marked or "_" in one.name or _NAMING.search(instruction[: one.start].lower()):
        return True
    before = [other for other in news if other.end <= one.start]
    joined = bool(before) and _AND.fullmatch(instruction[before[-1].end : one.start].lower()) is not None
    return joined and _strong(instruction, before[-1], before)


def _first_each(found: list[_Said]) -> list[_Said]:
    names: dict[str, _Said] = {}
    for one in found:
        names.setdefault(one.name, one)
    return list(names.values())


def _names(instruction: str) -> Iterator[_Said]:
    for match in _NAME.finditer(instruction):
        name = match[1].removeprefix("self.").removeprefix("cls.").removeprefix(".")
        around = instruction[match.start() - 1 : match.start()], instruction[match.end() : match.end() + 1]
        if "." not in name and not _LINT.fullmatch(name):
            marked = bool(around[0]) and around[0] in _MARKS and around[1] in (*_MARKS, "(")
            yield _Said(name, match.start(), match.end(), marked)


def _may_be_new(one: _Said, instruction: str, bare: Collection[str]) -> bool:
    """Whether a name may be given anew; that of an attribute only where it plainly is."""
    text = instruction.lower()
    told = _SO.search(text) or _NAMING.search(text[: one.start]) or _SURELY.match(text, one.end)
    if (one.name in bare and not told) or (not one.marked and _is_described(one, text)):
        return False
    readable = one.name.isascii() or _outright(one, text)
    if not one.name.isidentifier() or keyword.iskeyword(one.name) or not readable:
        return False
    shown = _ARROW.search(text[: one.start]) and not text[one.end :].strip(" .`'\"")
    if shown or (_SO.search(text) and _SO_IT_IS.match(text, one.end)):
        return True
    if not one.marked and one.name.lower() in NEVER and not _outright(one, text):
        return False
    if one.marked or "_" in one.name or not plain_word(one.name):
        return True
    return bool(told)


def _is_described(one: _Said, text: str) -> bool:
    """Whether a word only tells what is renamed or how its name is: "call the counter n", "an awful name"."""
    before, behind = text[: one.start], text[one.end :]
    if _AS_IT_IS.search(before) and _A_NAME.match(behind):
        return True
    if one.name in NOUNS:
        return bool(_ANY_MORE.match(behind) or (_THIS.search(before) and not behind.strip(" .!?")))
    return bool(_CALL_THE.search(before) and _ONE_MORE.match(behind))


def _outright(one: _Said, text: str) -> bool:
    """Whether a word can only be a name: "rename f to out in save"."""
    sure = one.name not in _VAGUE and _RENAME_TO.search(text[: one.start])
    return bool(sure and _NOTHING_ELSE.match(text, one.end))


def _score(instruction: str, old: _Said, new: _Said) -> float:
    """How surely the old one is to become the new one; 0: not at all."""
    text = instruction.lower()
    looks = (1.0 if new.marked or "_" in new.name or new.name != new.name.lower() else 0.0) + (
        0.5 if old.marked else 0.0
    )
    if old.end <= new.start:
        between = text[old.end : new.start]
        if _FORWARD.fullmatch(between) or (
            _BARE.fullmatch(between) and re.search(r"(?:rename|call)\W+$", text[: old.start])
        ):
            return 4 + looks
        if _BACKWARD.fullmatch(between):
            return 0.0
    else:
        between = text[new.end : old.start]
        if _BACKWARD.fullmatch(between):
            return 4 + looks
        looks -= 0.5
    near = max(0.0, 1 - len(between) / 80)
    cue = 1.5 if _NAMING.search(text[: new.start]) or _ASKED.match(text[new.end :]) else 0.0
    told = cue or new.marked or "_" in new.name or _CAMEL.search(new.name) or _CUE.search(text)
    return near + cue + looks if told else 0.0
