"""What an instruction names: which of its words may be code, how surely, and which are worth searching for."""

import re
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from enum import IntEnum

from spark_tui.context.bygone import is_bygone
from spark_tui.context.declined import is_declined
from spark_tui.context.inquired import is_inquiry
from spark_tui.context.narrated import is_narrated
from spark_tui.context.withdrawn import is_withdrawn

_WORD = re.compile(
    r"(?P<quote>[`'\"]?)(?<![\w-])(?P<name>[^\W\d]\w*(?:\.[^\W\d]\w*)*)(?![\w]|-\w)(?P<end>\(\)|(?P=quote))"
)
_QUOTED = re.compile(r"`([^`]+)`|(?<!\w)'([^']+)'(?!\w)|\"([^\"]+)\"")
_FILE = re.compile(r"[\w./-]+\.\w+")
_OTHER_SOURCE = r"jsx?|tsx?|[ch]pp|java|php|go|rs|rb|sh|kt|swift"
_NO_SOURCE = r"md|rst|txt|ya?ml|json|toml|ini|cfg|html?|css|sql|xml|csv"
"""Files that code may well speak of; they are meant where they stand first, or last in what is asked of no code."""
_POINTED = re.compile(
    r"(?<!\S)(?:@(?:\./)?(?P<at>(?:[\w.-]+/)+[\w.-]+\.\w+|[\w.-]+\.(?:pyi?|[ch]|"
    + _OTHER_SOURCE
    + "|"
    + _NO_SOURCE
    + "))"
    r"|[Ii]n (?:the )?(?:file )?(?:\./)?(?!self\.|cls\.)(?P<within>(?:[\w-]+/)+[\w-]+\.[a-z]\w{0,4}|[\w-]+\.(?:py|"
    + _OTHER_SOURCE
    + r"))|\A(?:\./)?(?P<first>(?:[\w-]+/)*[\w-]+\.(?:pyi?|"
    + _OTHER_SOURCE
    + "|"
    + _NO_SOURCE
    + r"))(?=[:,]?\s))(?![\w(]|\.\w)"
)
_LAST = re.compile(
    r"(?i)\A(?:please )?(?:correct|delete|edit|fix|remove|rename|replace|sort|update)\b"
    r"(?:(?! (?:are|from|if|is|not|that|unless|was|when|where|which) ).)*"
    rf" in (?:the )?(?:file )?(?:\./)?(?P<last>(?:[\w-]+/)*[\w-]+\.(?:{_NO_SOURCE}))\W*\Z"
)
_FRAME = re.compile(r"File [\"'](?P<path>[^\"']+)[\"'], line (?P<line>\d+)(?:, in (?P<function>[^\W\d]\w*))?")
_FILE_LINE = re.compile(r"(?<![\w/.-])(?P<path>[\w./-]+\.pyi?):(?P<line>\d+)")
_LINES = re.compile(
    r"(?i)(?<![\w.])(?:lines? ?#?|l)(?P<first>\d{1,7})(?:(?:\s?[-\u2013]\s?|,? (?:to|through|until|and) (?:line )?)"
    r"(?P<last>\d{1,7}))?(?![\w.]\w|\w)(?! of (?:the |a |its |this |that )?"
    r"(?:docstring|comment|body|loop|block|function|method|class|selection|region|output|input|log|traceback))"
)
_MODULE = re.compile(
    r"(?i)\b(?!(?:in|the|of|this|from|a) )([\w./]+?)(?:\.py)?(?:'s)? (?:module|file|script)\b"
    r"|\b(?:module|file|script) [`'\"]?([\w./]+?)(?:\.py)?(?![\w.])"
)
_IMPORTS = re.compile(
    r"(?i)\b(?:(?:un(?:used|needed|necessary)|needless|useless|dead|missing|duplicate|redundant|wildcard|star|the|all"
    r"|any|sort|order|group|organi[sz]e|tidy|clean(?: up)?|remove|delete|drop)(?: \S+)? imports?"
    r"|imports? (?:of|block|order|section|statements?|are|is|that|which|we|nobody|nothing|not)|imported but unused"
    r"|F401|I001|E401"
    r"|isort|unused import|add (?:an |the )?import)\b"
    r"|^\W*(?:please |add |also )*(?:an? )?(?:import [\w.]+|from [\w.]+ import\b)"
    r"|\bimport \S+ (?:at the top|here|in this (?:file|module))"
)
_IMPORT_TO_GO = re.compile(
    r"(?i)^\W*(?:please\s+)?(?:remove|delete|drop|get rid of|take out)\s+(?:the\s+)?(?:unused\s+)?"
    r"(?:imports?\s+(?:of\s+)?[`'\"]?(?P<of>[^\W\d][\w.]*\w|[^\W\d])|[`'\"]?(?P<before>[^\W\d][\w.]*)[`'\"]?\s+import)"
    r"[`'\"]?\W*$"
)
_BARE_TO_GO = re.compile(
    r"(?i)^\W*(?:please\s+)?(?:remove|delete|drop|get rid of|take out)\s+"
    r"[`'\"]?(?P<name>[^\W\d][\w.]*\w|[^\W\d])[`'\"]?\W*$"
)
_INSIDE = re.compile(
    r"(?i)\b(?:inside|into|within|local(?:ly)?|laz(?:y|ily)|move|function|method|class|body|loop|try|inline|TYPE_CHECKING)\b"
)
_AND_DO = re.compile(r"(?:\band|\bthen|[;,.])\s+(?:then\s+)?(?P<verb>\w+)[^;.]*")
_OF_IMPORTS = re.compile(r"(?i)\b(?:imports?|rest|others?|them|remaining)\b")
_LOWER = re.compile(r"(?<![a-z_])[a-z]{2,}(?![a-z_])")
_NAME = re.compile(r"[^\W\d]\w+")
_LINT = re.compile(r"[A-Z]{1,4}\d{3,4}")
_ERROR = re.compile(r"NoneType|\w*(?:Error|Exception|Warning)")
_NEW = re.compile(r"(?i)(?:\b(?:to|into|as|called?|named|it|be|than|label|like)|=>|->|:=)[ :]*(?:it |a |an )?[`'\"]?$")

QUOTED, CODE, NEW, FAINT = 4.0, 3.0, 3.0 / 4, 0.3
MOST_TERMS = 14


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_CODE_NOUNS = _words("function functions method methods class classes def")
_PLACES = _words("in inside within into of from")
_NO_PLACES = _words("here out place there turn")
"""What is said with those words and is no place: "inside out", "in place"."""
_THINGS = _words("argument parameter param variable attribute field value line import key constant assignment typing")
_OTHER_NOUNS = _THINGS | _words(
    """argument arguments parameter parameters param params variable variables var attribute attributes attr field
    identifier input value values hint hints annotation type typing default name line lines call calls calling called
    invocation invoking says import imports constant local key exception error message literal text says
    statement assignment loop condition keyword raise raises raising catch except return returns"""
)
_OF_FUNCTIONS = _words("parameters params parameter param signature")
"""What only functions have."""
_PREDICATES = _words("is isn does doesn has should must never always returns raises fails gives prints crashes")
_JOINS = _words("of between still also never only")
_DOES = re.compile(
    r"(?:count|crash|cut|drop|giv|hang|ignor|keep|leav|loop|los|miss|print|rais|return|skip|stop|visit)e?s"
)
_TELLS = _words("saying says that which with describing explaining telling about so")
_VERBS = _words("annotate comment debug document fix let make refactor simplify speed split test type")
_EDITS = _words("add change convert delete extract fix inline make remove rename replace simplify sort turn use wrap")
_ARTICLES = _words("a an the this that these those each every any its their")
_STOP = (
    _ARTICLES
    | _PLACES
    | _CODE_NOUNS
    | _words(
        """about add all also and are as at be before by can change code do does file find fix for get give has have
    here if instead is it line lines make me must my new not of off old on one only or our out over please put
    remove rename replace should so some than then there they to turn under up use using when where which while
    will with without you your"""
    )
    | _words(
        """again already also am any because been being better but could did does doing done else even ever every hello
    her here hi how just kindly know let like likely little look looks many may maybe means might mind more most much
    need needed needs never next nice no nothing now ok okay only other people please possible pr quick quickly quite
    rather really request right same see seems she shouldn since so still such sure team thank thanks that them think
    those though todo too try trying until us very want wants was way we were what whether who why would wouldn yes
    yet fyi hey nit reviewer review boss always defined positional required unexpected unsupported got referenced
        subscriptable callable iterable awaited"""
    )
)
_ALWAYS = _words("self cls None True False def class return str int if else not in is and or for import from")
_COMMON = _STOP | _words(
    """after append argument arguments assert assign async attribute await body bug call calls cast check clean
    clear close comment comments constant convert copy count create debug decorator default delete dict doc docs
    docstring empty error except exception extract field float format guard handle helper hint hints import
    imports index init inline insert int invert item items join keep key keys last length list load log logging
    loop main merge message missing module move name names none number object open order param parameter parse
    pass path print process property raise read return returns reverse run save self send set show simplify sort
    split start state statement stop str string strip sum super swap test tests text top total true try tuple
    type types unused update value values variable wait warn wrap write yield"""
)


class Sureness(IntEnum):
    """How surely a word of an instruction names a piece of code."""

    COMMON = 0
    WORD = 1
    PLAIN = 2
    MARKED = 3
    PLACE = 4


@dataclass(frozen=True, slots=True)
class Mention:
    """A word that may name a function or class; `parts` are those between its dots."""

    parts: tuple[str, ...]
    sureness: Sureness


def mentions(instruction: str) -> tuple[Mention, ...]:
    """The words of an instruction that may name a function or class.

    PLACE: told as the place ("in parse", "of the Reader class"). MARKED: written as code, or called a function
    or class. PLAIN: what something is to be done to. WORD: another word, or what is called something else ("the
    parameter path", "the call of parse"). COMMON: one that instructions are made of anyway. The first word says what
    to do (unless a verb follows it) and a word after an article is a noun: they name nothing unless marked.
    """
    words = list(_WORD.finditer(instruction))
    return tuple(_mentions(words))


def _mentions(words: Sequence[re.Match[str]]) -> Iterator[Mention]:
    lower = [word["name"].lower() for word in words]
    for number, word in enumerate(words):
        parts = tuple(word["name"].removeprefix("self.").removeprefix("cls.").split("."))
        before, after = lower[:number][::-1], {*lower[number + 1 : number + 2]}
        called_so = bool({*before[:1], *after} & _CODE_NOUNS) or before[:1] == ["rename"]
        marked = called_so or bool(word["quote"]) or word["end"] == "()" or _looks_like_code(word["name"])
        while before and before[0] in _CODE_NOUNS | (_ARTICLES if marked else frozenset()):
            before.pop(0)
        sureness = _sureness(word, before, after, marked=marked, ends=_ends(word, before, after))
        if sureness is not None:
            renamed = "rename" in before and before[:1] == ["to"]
            is_other = renamed or (not called_so and _is_something_else(word, before, after))
            yield Mention(parts, min(sureness, Sureness.WORD) if is_other else sureness)


def _ends(word: re.Match[str], before: Sequence[str], after: Collection[str]) -> bool:
    """Whether what is told of a word ends with it: only what is to be added there is told after it."""
    return (
        not after
        or word.string[word.end() :].lstrip()[:1] in (":", ",", ";")
        or ("add" in before and _TELLS.issuperset(after))
    )


def _is_part_of_file(word: re.Match[str], before: Sequence[str], after: Collection[str]) -> bool:
    """Whether it stands between a file and what to do in it: "store.py load rename d to e", "store.py, load: ..."."""
    joined = word.string[: word.start()].endswith("::")
    told = joined or word.string[word.end() :].lstrip()[:1] in (":", ",") or bool(_EDITS & {*after})
    return told and bool(before) and before[0].endswith((".py", ".pyi"))


def _sureness(
    word: re.Match[str], before: Sequence[str], after: Collection[str], *, marked: bool, ends: bool
) -> Sureness | None:
    """How surely a word names code; None when it cannot. Args: before: the words before it, the nearest first."""
    is_placed = bool(before) and before[0] in _PLACES and (marked or word["name"] not in _NO_PLACES)
    if is_placed or _is_part_of_file(word, before, after):
        return Sureness.PLACE
    if marked:
        return Sureness.MARKED
    if not before:
        return Sureness.PLAIN if _is_spoken_of(word["name"], after) else None
    if before[0] in _ARTICLES:
        return None
    if (len(before) == 1 and before[0] in _VERBS) or (ends and before[0] in ("to", "for")):
        return Sureness.PLAIN
    return Sureness.WORD if word["name"].lower() not in _COMMON else Sureness.COMMON


def _is_spoken_of(name: str, after: Collection[str]) -> bool:
    """Whether a first word is what something is said of, and no verb: "parse must not", "median of an even number"."""
    if is_common(name):
        return bool({*after} & _PREDICATES)
    return any(one in _PREDICATES | _JOINS or _DOES.fullmatch(one) for one in after)


def _is_something_else(word: re.Match[str], before: Sequence[str], after: Collection[str]) -> bool:
    """Whether it is told as a variable, an attribute, a value, or what is called there."""
    if word["name"].startswith(("self.", "cls.")) and word["end"] != "()":
        return True
    if before[:1] == ["to"] and next((one for one in before if one in _EDITS or one == "set"), "") == "add":
        # "add a parameter to load": where it goes
        return bool({*after} & _THINGS)
    nouns = [one for one in before[:3] if one not in _ARTICLES]
    if nouns[:1] == ["of"] and nouns[1:2] and nouns[1] in _OF_FUNCTIONS:
        return False
    joined = nouns[1:2] if nouns[:1] and nouns[0] in ("of", "to", "with", "containing") else nouns[:1]
    return bool({*joined} & _OTHER_NOUNS or {*after} & _THINGS)


def _looks_like_code(name: str) -> bool:
    return "_" in name or "." in name or any(character.isupper() for character in name[1:])


def is_common(word: str) -> bool:
    """Whether instructions are made of a word anyway, so that it is no name unless that is marked."""
    return word.lower() in _COMMON


def is_filler(word: str) -> bool:
    """Whether a word says as little of one wish as of another: "it", "the", "please", "here"."""
    return word.lower() in _STOP


def is_plain(word: str) -> bool:
    """Whether a word is hardly a name even where one is told: "it", "the", "variable"."""
    return word.lower() in _STOP | _OTHER_NOUNS


def file_names(instruction: str) -> tuple[str, ...]:
    """The words that may be names of files."""
    return tuple(match.group().rstrip(".").removeprefix("./") for match in _FILE.finditer(instruction))


def pointed_at(instruction: str) -> tuple[str, ...]:
    """The files that are told as @PATH, as what to edit in, or first of all; not all need be Python files."""
    found = [match["at"] or match["within"] or match["first"] for match in _POINTED.finditer(instruction)]
    last = _LAST.match(instruction)
    return tuple(dict.fromkeys([*found, *([last["last"]] if last else [])]))


def search_terms(instruction: str) -> dict[str, float]:
    """What to look for in code, and how much each find is worth: CODE or more is looked for exactly as it stands.

    Quoted text and words that can only be code are worth more than ordinary words (in lower case), and names that
    are to be given to something less, as they are not there yet; the words of a new text hardly tell a place.
    """
    told = _QUOTED.sub(lambda quoted: " " * len(quoted[0]) if _is_new_text(quoted) else quoted[0], instruction)
    terms = {word: FAINT for word in _LOWER.findall(instruction.lower()) if word not in _STOP}
    terms |= {word: _worth(word) for word in _LOWER.findall(told.lower()) if word not in _STOP}
    for quoted in _QUOTED.finditer(instruction):
        text = next(filter(None, quoted.groups())).strip()
        for name in (text, *(() if _is_new_text(quoted) else _NAME.findall(text))):
            _add(terms, name, QUOTED if name == text else CODE, instruction[: quoted.start()])
    for word in _WORD.finditer(told):
        if _looks_like_code(word["name"]) and not _LINT.fullmatch(word["name"]):
            for name in (word["name"], word["name"].rpartition(".")[2]):
                _add(terms, name, CODE, instruction[: word.start()])
    return dict(sorted(terms.items(), key=lambda term: -term[1])[:MOST_TERMS])


def _is_new_text(quoted: re.Match[str]) -> bool:
    """Whether a quotation is of several words that something is to say."""
    return " " in quoted[0].strip() and _NEW.search(quoted.string[: quoted.start()]) is not None


def _add(terms: dict[str, float], name: str, worth: float, before: str) -> None:
    """Add a piece of code to the terms instead of the same as a word. Args: before: what the instruction says first."""
    if not name or name in _ALWAYS or _ERROR.fullmatch(name):
        return
    is_new = _NEW.search(before) is not None
    terms.pop(name.lower(), None)
    terms[name] = max(terms.get(name, 0.0), NEW if is_new else worth)


def _worth(word: str) -> float:
    return FAINT if word in _COMMON else 1.0


@dataclass(frozen=True, slots=True)
class Location:
    """A line (1-based) of a file, in a function if that is told."""

    path: str
    line: int
    function: str | None


def locations(instruction: str) -> tuple[Location, ...]:
    """What a pasted traceback or lint message names, the innermost frame first."""
    frames = [Location(m["path"], int(m["line"]), m["function"]) for m in _FRAME.finditer(instruction)]
    told = [Location(m["path"].removeprefix("./"), int(m["line"]), None) for m in _FILE_LINE.finditer(instruction)]
    return (*frames[::-1], *told)


def told_lines(instruction: str) -> tuple[tuple[int, int], ...]:
    """The lines an instruction speaks of ("line 57", "lines 3-9"), each with the last one of its run."""
    found = (match for match in _LINES.finditer(_unquoted(instruction)))
    each = ((int(match["first"]), int(match["last"] or match["first"])) for match in found)
    return tuple((first, last) for first, last in each if 1 <= first <= last)


def with_lines(instruction: str, number: Callable[[int], int]) -> str:
    """An instruction that speaks of lines by other numbers."""
    pieces, start = list[str](), 0
    for match in _LINES.finditer(_unquoted(instruction)):
        for group in ("first", "last"):
            if match[group]:
                pieces += [instruction[start : match.start(group)], str(number(int(match[group])))]
                start = match.end(group)
    return "".join([*pieces, instruction[start:]])


def _unquoted(text: str) -> str:
    """A text of the same length without what is quoted, and without what a traceback says."""
    for pattern in (_FRAME, _QUOTED):
        text = pattern.sub(lambda match: " " * len(match[0]), text)
    return text


def module_names(instruction: str) -> tuple[str, ...]:
    """What is called a module, a file or a script, without its ending."""
    names = (next(filter(None, match.groups())) for match in _MODULE.finditer(instruction))
    return tuple(name for name in names if name.lower() not in _COMMON)


def is_about_imports(instruction: str) -> bool:
    """Whether it speaks of the imports of a module."""
    return _IMPORTS.search(instruction) is not None or import_to_go(instruction) is not None


def is_for_the_top(instruction: str) -> bool:
    """Whether it is about imports at the top of a module, wherever one points in it: to no other place, at least."""
    if _INSIDE.search(instruction) or not is_about_imports(instruction):
        return False
    return all(one["verb"].lower() not in _EDITS or _OF_IMPORTS.search(one[0]) for one in _AND_DO.finditer(instruction))


def bare_to_go(instruction: str) -> str | None:
    """The name that is to be removed where the words tell nothing else: "remove os"."""
    found = _BARE_TO_GO.match(instruction)
    return found["name"] if found else None


def import_to_go(instruction: str) -> str | None:
    """The name of the one import that is to be removed, if the words are about nothing else."""
    found = _IMPORT_TO_GO.match(instruction)
    name = found and (found["of"] or found["before"])
    return name if name and name.lower() not in _STOP | _OTHER_NOUNS else None


_FORBIDDEN = re.compile(
    r"^\W*(?:please\s+|no,?\s+)*(?:do not|don't|dont|never)\s+"
    r"(?:ever\s+)?(?:add|alter|change|convert|delete|drop|edit|inline|make|modify|move|remove|rename|replace|rewrite|sort|"
    r"touch|turn|use|wrap)\b"
    r"|\b(?:leave|keep)\b.*\b(?:as (?:it|they|is)|alone|untouched|unchanged)\b",
    re.IGNORECASE,
)
_NOTHING = re.compile(
    r"^[\s.!?]*(?:nothing|none|no|nope|yes|yep|ok(?:ay)?|true|false|maybe|later|not now|never ?mind|forget it|whatever"
    r"|thanks|thank you|hello|hi|hey|more or less|less is more|try again(?: later)?|is it true or false"
    r"|and|class|def|elif|else|for|if|in|is|or|then|while"
    r"|[^.;:,]* (?:is|are|looks?) (?:so |very |really |pretty )*"
    r"(?:amazing|awesome|beautiful|brilliant|cool|cute|fun|great|lovely|perfect|sweet|the best|wonderful))[\s.!?]*$",
    re.IGNORECASE,
)
_QUESTION = re.compile(
    r"^\W*(?:is|are|was|does|do|did|has|have)\s+(?:this|that|these|those|it|the|there|we|i)\b[^.;:]*\?\W*$"
    r"|^\W*(?:what|why|how|where|who|when)(?:'s| (?:is|are|was|does|do|did|has|have))\b(?!n't)[^.;:]*\?\W*$"
    r"|^\W*(?:what|how|where|when) (?:does|do|did)\b(?!n't)(?!.*\b(?:should|must|instead|wrong|fix)\b)[^.;:,]*$"
    r"|^\W*(?:should|shall) (?:i|we)\b[^.;:]*\?\W*$|^\W*(?:who|why)(?: \w+)?\W*$"
    r"|^\W*do you (?:believe|know|like|love|need|prefer|want)\b[^.;:]*$"
    r"|^\W*(?:is|are) [\w -]+ (?:allowed|bad|better|dangerous|evil|fine|good|ok(?:ay)?|pythonic|safe|slow|useful|worse)"
    r"\?\W*$"
    r"|^\W*(?:please\s+|can you\s+|could you\s+)*(?:explain|describe|summari[sz]e|tell me)\b[^.;:]*$",
    re.IGNORECASE,
)


def is_no_wish(instruction: str) -> bool:
    """Whether the words take an edit back, decline it, tell of the past or want to know, whatever edit they name."""
    return any(each(instruction) for each in (is_withdrawn, is_declined, is_narrated, is_bygone, is_inquiry))


def asks_for_nothing(instruction: str) -> bool:
    """Whether the words forbid an edit, take it back, or only want to know something."""
    return is_no_wish(instruction) or any(each.search(instruction) for each in (_FORBIDDEN, _QUESTION, _NOTHING))
