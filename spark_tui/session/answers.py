"""What a turn says for itself at its end: what was understood, and what to try when there is no edit to offer."""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

from spark_tui.context.regions import Region
from spark_tui.context.wording import is_plain
from spark_tui.editing.checks import Check
from spark_tui.editing.codemods.signatures.signature_told import signature_told
from spark_tui.editing.markers import Torn
from spark_tui.editing.text import declared_encoding, undecodable
from spark_tui.session.rules.brought import not_brought
from spark_tui.session.rules.contrary import contrary
from spark_tui.session.rules.divisions import still_divides
from spark_tui.session.rules.facts import Code
from spark_tui.session.rules.halves import half_done
from spark_tui.session.rules.inverted import inverted
from spark_tui.session.rules.loggers import no_logger
from spark_tui.session.rules.misread import misread
from spark_tui.session.rules.negated import negated, nothing_held
from spark_tui.session.rules.nonsense import nonsense, unknown_verb
from spark_tui.session.rules.obstacles import absence, obstacle
from spark_tui.session.rules.partly import partly
from spark_tui.session.rules.passed_by import passed_by
from spark_tui.session.rules.remarked import remarked
from spark_tui.session.rules.senseless import senseless
from spark_tui.session.rules.sorts_named import other_sort
from spark_tui.session.rules.spared import spared
from spark_tui.session.rules.stances import against_stance, wishes_nothing
from spark_tui.session.rules.things_told import told_otherwise
from spark_tui.session.rules.unasked import unasked
from spark_tui.session.rules.undoing import undoing
from spark_tui.session.rules.undone import undone
from spark_tui.session.rules.unfounded import unfounded, unseen
from spark_tui.session.rules.unread import unread
from spark_tui.session.rules.unspoken import unspoken
from spark_tui.session.rules.unwanted import unwanted
from spark_tui.session.writing import Writing

_GENERIC = frozenset(["add", "use", "fix", "remove", "change", "to", "from", "in", "a", "the", "set", "make"])
_OLD = r"(?i)(?<!n't )(?<!dont )(?<!not )(?<!never )\brename (?:the )?(?:\w+ )?[`'\"]?(?P<old>[^\W\d][\w.]*)[`'\"]?"
_UNDEFINED = re.compile(r"([^\W\d][\w.]*) \(line \d+\)")
_COUNTED = re.compile(r"(?<=: )(?P<count>\d+) hunks?(?=, checked)")
_NO_NEW_NAME = re.compile(
    rf"{_OLD}(?: (?:in|inside|within)(?: (?!place\b)[\w.:/()`]+)?)?(?:,? (?:please|pls|to something \w+))*\W*$"
    r"|(?i:\bbetter name for (?:the )?(?:\w+ )??[`'\"]?"
    r"(?P<poor>(?!please|pls)[^\W\d][\w.]*)[`'\"]?(?:,? (?:please|pls))*\W*$"
    r"|^\W*[`'\"]?(?P<bad>[^\W\d]\w*)[`'\"]? (?:is an? (?:\w+ )?name|shadows (?:the |a )?\w*built-?in\w*)\W*$"
    r"|^\W*(?:don't|do not|stop) shadow(?:ing)? (?:the )?(?:built-?in )?[`'\"]?(?P<shadow>[^\W\d]\w*)[`'\"]?\W*$)"
)
_EVERYWHERE = re.compile(
    r"(?i)\beverywhere\b(?! else| (?:in|within) (?:this|the|its) (?:method|function|class))"
    r"|\b(?:whole|entire) (?:(?P<file>file|module)|code ?base|project|repo\w*|package)\b"
)
_LEFT = ": not changed"
_NO_OLD_NAME = re.compile(
    r"(?i)^\W*(?:please )?(?:call|name|rename) (?:it|this|that)(?: to)? "
    r"[`'\"]?(?P<new>(?!function|method|class)[^\W\d]\w*)[`'\"]?\W*$"
)
_VAGUE = re.compile(
    r"(?i)^\W*(?:please )?(?:fix|improve|clean(?: up)?|refactor|optimi[sz]e|change|edit|do|help|make)"
    r"(?: (?:it|this|that|them|me|the code|everything|something|better|nicer|good|work|please|up|faster"
    r"|(?:the |a |my |all )?(?:bugs?|errors?|issues?|problems?)))*\W*$"
)
_BARE = re.compile(
    r"(?i)^\W*(?:please |just )*(?P<verb>add|change|clean(?: up)?|close|convert|create|cut|edit|import"
    r"|insert|list|make|modify|move|open|put|refactor|rename|replace|set|sort|swap|turn|update|use|write)"
    r"(?: please| now)*[\s.,!?]*$"
)
_ALL_TO_GO = re.compile(
    r"(?i)^\W*(?:please |just )*(?:delete|remove|erase|drop|get rid of)"
    r"(?: it all| (?:all of )?(?:everything|it|this|that|(?:the |this |my )?(?:whole |entire )?(?:file|module|code)))?"
    r"(?: here| please| now)*\W*$"
)
"""What to remove is not told, or is what only a user may throw away."""


_TYPE_OF = re.compile(
    r"(?i)(?P<what>.*\breturn (?:type|annotation|value)s?) (?:to|for|of) (?:the )?(?:(?:function|method) )?"
    r"`?(?P<name>[^\W\d]\w*)(?:\(\))?`?(?: function| method)?\W*$"
)
_SIGN = re.compile(r"\s*(?:[^\w\s]+|\d[\d._]*)\s*")
"""A sign or a number, and nothing else."""
_SURELY = 0.9
"""Where an edit is so sure to be meant, odd words are not: of sentences about other things none came to that."""
_TESTS = (
    still_divides, spared, unasked, senseless, not_brought, half_done, misread, undone, undoing, passed_by,
    partly, no_logger, told_otherwise, negated, unwanted, other_sort,
    contrary, against_stance,
)  # fmt: skip


@dataclass(frozen=True)
class Asked:
    """What was asked for, in words, and the lines it is about. `file`: all lines of their file."""

    words: str
    region: Region
    lines: Sequence[str]
    file: Sequence[str] = ()

    @property
    def where(self) -> str:
        """The region in words."""
        return where(self.region)

    def names(self, kind: str | None) -> bool:
        """Whether the words speak of a kind of edit, so that its name is known to who said them."""
        telling = [word for word in _words(kind or "").split() if word not in _GENERIC]
        said = self.words.lower()
        return any(word[:5] in said for word in telling if len(word) > 2)

    @cached_property
    def missing(self) -> str:
        """What a reader can tell is missing, or ""."""
        if _VAGUE.match(self.words):
            return "say what to change, as in “return None if it is empty”, or what is wrong: “it returns one too few”"
        return self._left_out or self.obstacle or unseen(self.words, self.where, self.lines)

    @property
    def untold(self) -> str:
        """What the words leave out, whatever edit was found for them, or ""."""
        pointed = self.region.found_by == "lines" or self._code.selected is not None
        if not pointed and _ALL_TO_GO.match(self.words):
            return "say what is to go, as in “remove the print”; spark removes no whole files or functions"
        if not pointed and _SIGN.fullmatch(self.words):
            return f"{self.words.strip()} where? Say what is to become what, or select its line"
        if told := _BARE.match(self.words):
            return f"{told['verb'].lower()} what? Say it with what is to come of it, as in “rename total to amount”"
        return unknown_verb(self.words, self._code)

    @property
    def _left_out(self) -> str:
        return self.untold or self._nameless

    @property
    def _nameless(self) -> str:
        told = _NO_NEW_NAME.search(self.words)
        if new := _NO_OLD_NAME.match(self.words):
            return f"say by its name what is to be called {new['new']}"
        old = next(filter(None, told.groups())) if told else ""
        return f"rename {'it' if is_plain(old) else old} to what? Say the new name" if old else ""

    @property
    def explained(self) -> bool:
        """Whether it is said what is missing or in the way, so that words that would work are beside the point."""
        return bool(wishes_nothing(self.words) or self._left_out or self.obstacle)

    @cached_property
    def obstacle(self) -> str:
        """What in the code stands in the way, or ""."""
        told = signature_told(tuple(self.lines), self.words)
        in_the_way = self.absence or obstacle(self.words, self._code) or obstacle(self._of_it, self._code)
        return in_the_way or (told.doubt if told else "") or self._not_utf8

    @property
    def _of_it(self) -> str:
        """The words without the name of the region, where a type is to be given to that: "add a return type"."""
        told = _TYPE_OF.match(self.words)
        return told["what"] if told and told["name"] in (self.region.symbol or "").split(".") else self.words

    @property
    def _not_utf8(self) -> str:
        first = self.region.start_line
        line = next((number for number, line in enumerate(self.lines, first) if undecodable(line)), 0)
        return not_utf8(self.region.path, line, declared_encoding(self.file)) if line else ""

    @cached_property
    def absence(self) -> str:
        """What is to be changed and is not there, for certain, or ""."""
        told = signature_told(tuple(self.lines), self.words)
        return (told.problem if told else "") or absence(self.words, self._code) or nothing_held(self.words, self._code)

    def spared(self, after: Sequence[str]) -> str:
        """That what is asked for is not done by an edit, or not all of it, or "". Args: after: the lines with it."""
        asked = self.words, self._code, after
        found = (rule(*asked) for rule in _TESTS)
        return next(filter(None, found), "")

    def nonsense(self, edit: Writing, confidence: float, strange: Sequence[str]) -> str:
        """What the words say that is of other things than an edit, or "". Args: confidence, strange: as of a turn."""
        after, kind = edit.closed_lines, edit.kind or ""
        if told := remarked(self.words, confidence):
            return told
        if confidence >= _SURELY:
            return ""
        asked = self.words, self._code, after, kind, strange
        odd = unspoken(*asked) or unread(*asked)
        return nonsense(self.words, self._code, after) or (odd and (self.obstacle or odd))

    def unfounded(self, after: Sequence[str]) -> str:
        """That nothing speaks for an edit of words that only tell what goes wrong, or "". Args: as `spared`."""
        return unfounded(self.words, self.where, self.lines, after) or inverted(self.words, self.lines, after)

    @cached_property
    def _code(self) -> Code:
        return Code(self.words, self.where, self.region, self.lines, self.file)

    @property
    def advice(self) -> str:
        """What to do next."""
        if self.missing:
            return self.missing
        if any(letter.isalpha() and not letter.isascii() for letter in self.words):
            return not_english()
        given = self.region.found_by in ("lines", "symbol", "name")
        return "say it in other words" if given else "say where with --at PATH:L1-L2, or say it in other words"


def where(region: Region) -> str:
    """A region in words: `path:first-last (symbol)`, lines 1-based; only the path where the file is empty."""
    if region.end_line < region.start_line:
        return region.path
    symbol = f" ({region.symbol})" if region.symbol else ""
    return f"{region.path}:{region.start_line}-{region.end_line}{symbol}"


def not_understood(asked: Asked) -> str:
    """The model chose to do nothing."""
    return asked.missing or f"found no edit for this in {asked.where}; {asked.advice}"


def such_as(example: str) -> str:
    """What would work instead. Args: example: an instruction that does, with its place, or ""."""
    return f"; this would work: {example}" if example else ""


def no_words() -> str:
    """The instruction is made of punctuation, lone letters or assent."""
    return "nothing is asked for in this; say what to do in plain words"


def not_english() -> str:
    """The instruction is in another language."""
    return "say it in English, the only language that this model reads"


def no_code_from_comments() -> str:
    """Commented-out code is wanted back."""
    return "spark does not make code of comments; take the # away by hand"


def no_markers(work: str) -> str:
    """No file has a conflict that could be settled. Args: work: what git is in the middle of, such as "a merge"."""
    return f"{work} is going on here, but no file has conflict markers; `git status` says what is left to do"


def which_side(path: str, found: Sequence[Torn], work: str) -> str:
    """Which side of a conflict is to stay is not told. Args: work: as for `no_markers`, or ""."""
    first, more = found[0], f" and {len(found) - 1} more" if len(found) > 1 else ""
    where = f"{path}:{first.start + 1}-{first.end + 1}{more}"
    return f"which side of the conflict ({where})? Say “keep ours”, “keep theirs” or “keep both”; {sides(first, work)}"


def sides(conflict: Torn, work: str) -> str:
    """What git calls the sides. Args: work: as for `no_markers`, or ""."""
    told = f"ours is {conflict.ours or 'the upper one'}, theirs is {conflict.theirs or 'the lower one'}"
    return f"{told}, in a rebase your own commit" if work.startswith("a rebase") else told


def settled_then(path: str, left: Sequence[Torn], broken: str, work: str, *, unmerged: bool) -> str:
    """What is to be done when conflicts are settled.

    Args: left: of the file. broken: why the file does not parse then, or "". work: as for `no_markers`, or "".
        unmerged: whether git waits to be told of the file.
    """
    if left:
        return f"{path} has {len(left)} more, from line {left[0].start + 1}"
    if broken:
        return f"{path} does not parse with it ({broken})"
    finish = f", and `git status` how to finish the {work.removeprefix('a ')}" if work else ""
    return f"then `git add {path}` tells git{finish}" if unmerged else ""


def nothing_in(path: str, *, is_file: bool) -> str:
    """There is no code to edit. Args: is_file: whether not in all the file."""
    what = f"{path} is empty" if is_file else f"these lines of {path} are blank"
    return f"{what}, and spark only edits code that is there"


def not_python(path: str) -> str:
    """The file is of a kind that the model never saw."""
    return f"{path} is not a Python file, and Python is all this model has learned; name a .py file"


def not_utf8(path: str, line: int, declared: str) -> str:
    """A line (1-based) holds bytes that are not UTF-8. Args: declared: the encoding that the file names, or ""."""
    if declared:
        why = f"is {declared} and not UTF-8, as the file says, and such lines are never edited"
        return f"line {line} of {path} {why}; save the file as UTF-8 first, and change its coding line"
    return f"line {line} of {path} is not UTF-8, and the file names no other encoding; save it as UTF-8 first"


def mixed(path: str, line: int) -> str:
    """Text that would be written in UTF-8, into a file that is not."""
    return (
        f"{path} is not UTF-8, so that what line {line} would hold could not be read there; nothing was written: "
        "keep to ASCII, or save the file as UTF-8 first"
    )


def in_conflict(region: Region, found: Sequence[Torn]) -> str:
    """The lines are part of conflicts that a merge or the like left."""
    what = region.symbol or f"{region.path}:{region.start_line}-{region.end_line}"
    more = f" and {len(found) - 1} more" if len(found) > 1 else ""
    return (
        f"{what} is in a conflict ({region.path}:{found[0].start + 1}-{found[0].end + 1}{more}); {how_to_settle()}, "
        "then ask again; functions without markers can be edited now"
    )


def how_to_settle() -> str:
    """What settles a conflict."""
    return "settle that first: “keep ours”, “keep theirs” or “keep both”, or by hand"


def does_not_parse(path: str, error: str, odd: int | None) -> str:
    """Neither the file nor the region can be read. Args: odd: a marker of a conflict that is not whole, 0-based."""
    if odd is not None:
        return (
            f"{path} does not parse ({error}), and line {odd + 1} is the marker of a conflict whose other markers are "
            "not there; take it out by hand"
        )
    return f"{path} does not parse ({error}), so that no edit could be checked; mend that first"


def lone_returns(path: str) -> str:
    """Lines that only Python sees: what it counts as several is one for git."""
    return f"{path} has CRs without LF in these lines: line ends to Python, none to git; convert them first"


def nothing_changed(kind: str, asked: Asked) -> str:
    """The model wrote a script that changes nothing."""
    if asked.missing or not asked.names(kind):
        return not_understood(asked)
    return f"understood {_words(kind)}, but found nothing of that kind to do in {asked.where}; {asked.advice}"


def same_again() -> str:
    """A hunk was asked for again, and came out as it was."""
    return "the hunk comes out the same; say what should be different"


def first_again() -> str:
    """A hunk was asked for again after something was done to it, and came out as at first."""
    return "with these words the hunk comes out as it was at first; say what should be different in other words"


def no_edit_of(words: str) -> str:
    """A hunk was asked for again, and some of the words came to nothing."""
    return f'found no edit for "{words}" here; say it in other words'


def nothing_there() -> str:
    """A hunk was asked for again, and the new answer leaves its lines alone."""
    return "with these words nothing changes in this hunk; say it in other words"


def unsure(kind: str, asked: Asked, strange: Sequence[str]) -> str:
    """The model wrote an edit that it gives too little probability. Args: strange: words it may not have understood."""
    if asked.missing:
        return asked.missing
    read = f"read this as {_words(kind)}, but not" if asked.names(kind) else "did not understand this"
    whole = [word for word in strange if re.search(rf"(?<!\w){re.escape(word)}(?!\w)", asked.words, re.IGNORECASE)]
    quoted = ", ".join(f"“{word}”" for word in whole[:4])
    words = f" (words that do not go with that: {quoted})" if len(whole) > 1 else ""
    return f"{read} surely enough to edit {asked.where}{words}; {asked.advice}"


def failed(kind: str, asked: Asked, checks: Iterable[Check]) -> str:
    """The edit is not fit to be offered."""
    if asked.obstacle:
        return asked.obstacle
    bad = [check for check in checks if not check.ok]
    names = _UNDEFINED.findall(bad[0].detail) if [check.name for check in bad] == ["names"] else []
    if names == ["logger"]:
        return f"{asked.region.path} has no logger; add one first: logger = logging.getLogger(__name__)"
    if names and all(name in asked.words and not any(name in line for line in asked.file) for name in names):
        return f"{', '.join(names)} is not defined in {asked.region.path}; import or define that first"
    wrong = "; ".join(check.fault for check in bad)
    return f"{_understood(kind, asked)}, but the edit does not pass its checks ({wrong})"


def does_not_fit(kind: str | None, asked: Asked) -> str:
    """The operations contradict each other."""
    if asked.obstacle:
        return asked.obstacle
    return f"{_understood(kind, asked)}, but found no edit that fits the lines; {asked.advice}"


def too_long(kind: str | None, asked: Asked, tokens: int) -> str:
    """The script did not end in time."""
    return (
        f"{_understood(kind, asked)}, but the edit was not complete after {tokens} tokens; "
        "select fewer lines or raise --max-tokens"
    )


def _understood(kind: str | None, asked: Asked) -> str:
    return f"understood {_words(kind)}" if kind and asked.names(kind) else "tried something"


DOUBT = "; it leaves something out or says what the test expects, so look whether it is right"
"""What is said of an edit that may well pass for no good reason."""


def repaired(tried: int, total: int, *, doubtful: bool = False) -> str:
    """How the edit was found. Args: doubtful: it may well pass for no good reason."""
    return f"; found by trying {tried} of {total} small changes{DOUBT if doubtful else ''}"


def done(kind: str, hunks: int, checks: Iterable[Check]) -> str:
    """The edit passed its checks."""
    checks = tuple(checks)
    passed = ", ".join(check.name for check in checks if not check.detail)
    notes = "".join(f"; {check.name}: {check.detail}" for check in checks if check.detail)
    return f"{_words(kind)}: {hunks} hunk{'' if hunks == 1 else 's'}, checked ({passed}){notes}"


def not_everywhere(kind: str | None, asked: Asked, elsewhere: Callable[[], str]) -> str:
    """That a renaming which is wanted everywhere would leave uses of the old name, or "".

    Args: elsewhere: says what the edit would leave.
    """
    wanted = _EVERYWHERE.search(asked.words) if kind == "rename" else None
    if not wanted:
        return ""
    told = (part for part in elsewhere().split("; ") if part.endswith(_LEFT))
    left = [part.removesuffix(_LEFT) for part in told if not wanted["file"] or f" of {asked.region.path}" in part]
    here = f"leave out “{wanted[0]}” to rename it here alone"
    return f"not renamed, as this would stay: {'; '.join(left)}; {here}" if left else ""


def now_open(message: str, hunks: int) -> str:
    """What `done` says, by now. Args: hunks: how many of the edit are open."""

    def told(match: re.Match[str]) -> str:
        if not hunks:
            return f"{match[0]}, decided"
        of = f" of {match['count']}" if hunks < int(match["count"]) else ""
        return f"{hunks}{of} hunk{'s' * (of != '' or hunks != 1)}{' open' if of else ''}"

    return _COUNTED.sub(told, message, count=1)


def _words(kind: str) -> str:
    return kind.replace("_", " ").replace("-", " ")
