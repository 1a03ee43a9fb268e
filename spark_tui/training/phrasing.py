"""How people ask: turns a kind's skeletons and an edit's slots into one instruction.

A skeleton line holds `{slot}`, `[a|b|]` (one alternative, may be empty, may nest) and `<macro>` (one of the
shared synonyms of macros.py). An alternative whose slot is unknown is never picked; a line that cannot do
without an unknown slot is not used. A line that starts with `@` speaks of a selection ("@fix this line") and is
only used when the example has one; other lines may be used with one too. Edit.selected is always shown when set.

What the engine does by itself, so that skeletons need not: courtesy and questions around an imperative line
("please", "can you ...?", "i want you to"), letter case, final period, quoting of code slots (`x`, 'x', x),
quotes around prose slots (PROSE_SLOTS), filler before and after, typos outside slots, and where ("in foo")
when the snippet has several functions and the slots hold `function`. Slots in PLAIN_SLOTS are never quoted;
quotes written around a slot in the skeleton are kept and not doubled. A slot with the value "" shows nothing, so
that it can serve as a condition: a line with {unsaid} is only used by edits that give {"unsaid": ""}.

The macros:
Verbs (imperative): <add> <give> <remove> <drop> <get_rid> <change> <replace> <swap> <rename> <rewrite> <convert>
<make> <use> <switch> <move> <wrap> <put> <extract> <inline> <split> <merge> <simplify> <fix> <handle> <check> <set>
<return> <raise> <catch> <log> <print> <sort> <call> <declare> <document> <annotate> <mark> <write> <turn> <avoid>
<ensure>. -ing: <adding> <removing> <changing> <replacing> <using> <making> <renaming> <converting> <wrapping>
<fixing>. Participles: <added> <removed> <changed> <replaced> <renamed> <fixed>.
Nouns: <function> <method> <class> <variable> <parameter> <parameters> <attribute> <decorator> <docstring> <comment>
<hint> <hints> <import> <imports> <loop> <condition> <branch> <statement> <expression> <exception> <string> <literal>
<number> <value> <line> <code> <name> <default> <list> <dict> <block> <body> <call_noun> <message> <constant> <test>.
Little words: <a_missing> <missing> <unused> <unneeded> <wrong> <should> <need> <want> <canyou> <why> <instead>
<here> <this> <the> <into> <with> <called> <named> <always> <just> <all> <each> <so_that> <because> <lint> <nit>
<review>. An unknown macro is an error.
"""

import keyword
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from random import Random

from spark_tui.training.kinds import pools
from spark_tui.training.macros import MACROS
from spark_tui.training.skeletons import Family, Part, Sequence, expand, parse_skeleton, usable

PROSE_SLOTS = frozenset({"text", "message", "comment", "reason", "docstring", "summary", "words", "note", "new_text"})
PLAIN_SLOTS = frozenset(
    {
        "line",
        "first",
        "last",
        "ordinal",
        "count",
        "position",
        "what",
        "where",
        "unsaid",
        "w",
        "v",
        "handler",
        "handling",
        "trouble",
        "missing",
        "guarded",
        "typed",
        "plural",
        "article",
        "action",
        "ending",
        "below",
        "above",
        "condition",
        "case",
        "outcome",
        "one",
        "many",
        "fstring",
        "fstrings",
        "print",
        "prints",
        "breakpoint",
    }
)
CALLABLE_SLOTS = frozenset({"function", "method"})


@dataclass(frozen=True, slots=True)
class Phrase:
    """An instruction and the family it came from."""

    text: str
    family: str


class Phrasebook:
    """All the ways to ask for one kind of edit."""

    def __init__(self, skeletons: str) -> None:
        lines = dict.fromkeys(line.strip() for line in skeletons.splitlines() if line.strip())
        self.families = tuple(Family.of(line) for line in lines)

    def phrase(
        self,
        slots: Mapping[str, str],
        rng: Random,
        *,
        held_out: bool = False,
        ambiguous: bool = False,
        selected: bool = False,
    ) -> Phrase | None:
        """An instruction for an edit with these slots.

        Args: held_out: use the families kept for evaluation, else only the others. ambiguous: the snippet has
            several functions, so say which when the slots know. selected: the example has a selection.
        Returns: None when no family fits.
        """
        family = self._family(frozenset(slots), rng, held_out, selected)
        if family is None:
            return None
        parts = list(expand(family.tree, slots, rng))
        parts = _with_place(parts, slots, rng, ambiguous, selected and not family.on_selection)
        parts = _with_filler(_with_courtesy(parts, rng), rng)
        return Phrase(_finish(parts, rng), family.id)

    def _family(self, names: frozenset[str], rng: Random, held_out: bool, selected: bool) -> Family | None:
        pool = [f for f in self.families if f.held_out == held_out and (selected or not f.on_selection)]
        for _ in range(8):
            family = rng.choice(pool) if pool else None
            if family and usable(family.tree, names):
                return family
        fitting = [f for f in pool if usable(f.tree, names)]
        return rng.choice(fitting) if fitting else None


@cache
def _verbs() -> frozenset[str]:
    names = re.findall(r"<(\w+)>", _IMPERATIVES)
    bodies = "|".join(MACROS[name] for name in names)
    return frozenset(option.split()[0] for option in bodies.split("|")) | frozenset(_MORE_VERBS.split())


_IMPERATIVES = (
    "<add><give><remove><drop><get_rid><change><replace><swap><rename><rewrite><convert><make><use><switch><move>"
    "<wrap><put><extract><inline><split><merge><simplify><fix><handle><check><set><return><raise><catch><log><print>"
    "<sort><call><declare><document><annotate><mark><write><turn><ensure>"
)
_MORE_VERBS = """
allow await become bump calculate cast combine compare compute copy define dedent disable early emit enable exit expose
extend fail fill find flatten follow force format guard guess hide iterate join keep loop lower move name narrow negate
note open order override pass pick prefix pull quote read rearrange refactor refer reformat reorder require restore
reverse separate shorten silence skip spell start stop store strip support suppress test tell throw trim try type
undo unify unpack unwrap update validate widen yield comment decorate derive import initialise initialize inherit
invert hoist cache bail assert raise let default
"""

_COURTESY: tuple[tuple[float, str], ...] = (
    (42, "*"),
    (10, "please *"),
    (4, "*[,|] please"),
    (6, "<canyou> * ?"),
    (4, "<canyou> [please|just|quickly|kindly|maybe] * ?"),
    (6, "<want> you to *"),
    (4, "[let's|lets|let us] *"),
    (4, "[we|you|we both] [should|need to|must|have to|ought to|had better|may want to] *"),
    (3, "[todo|fixme|next|step 1|task|request|to do|action|goal|now|todo for you][:| -] *"),
    (3, "[<review>|<nit>][:| -] *"),
    (4, "[go ahead and|try to|just|now|now please|then|ok now|also|next,|first,|simply|quickly|kindly] *"),
    (3, "[remember to|don't forget to|do not forget to|make sure to|be sure to|feel free to|it's time to] *"),
    (3, "[it would be nice to|it'd be good to|would be great to|i think we should|i think you should|better] *"),
    (2, "[i'd be glad if you could|it would help to|how about we|we agreed to|i forgot to|i was told to] *"),
    (2, "[your job is to|your task: |the task is to|what's needed is to|the plan is to] *"),
)
_STATEMENT: tuple[tuple[float, str], ...] = (
    (82, "*"),
    (4, "[hm|hmm|well|so|oh|look|note|fyi|btw|honestly|i think|i feel like|it seems][,|] *"),
    (4, "[<review>|<nit>|<lint>|todo|problem|issue|observation][:| -] *"),
    (5, "*[, please fix|, fix it|, can you fix that ?|. fix this|, please|. please fix|; please change that]"),
    (5, "*[. can you help ?|. thoughts ?|, don't you think ?|, right ?|. change it]"),
)
_LEADS = """
hey,|hi,|hello,|hi there,|hey spark,|ok,|ok|okay,|so,|so|um,|actually,|actually|sorry,|one more thing:|small request:
|quick one:|quick question:|hello!|dear assistant,|thanks!|hmm,|right,|well,|good morning,|next up:|another one:
|while you are at it,|while we're here,|for [consistency|clarity|readability|style|safety|the record|now],
|before i [commit|merge|push|leave|forget]:|as [discussed|agreed|mentioned|requested|promised],
|i'm [refactoring|cleaning up|reviewing|reading|debugging|porting] this[ file| module| code|] [and|so|:]
|ticket [12|481|77|3051|9]:|[my|our|the] [boss|team|reviewer|colleague|style guide|manager|ci|linter] says:
|[per|following] [our|the] [style guide|conventions|review|guidelines|team rules],|in this [file|code|snippet|module],
|[another|yet another|a final|one last] [thing|request|change|tweak|cleanup]:|ok so|alright,|alright|cool, now|great, now
|[if|when] you [can|have a minute|have time|don't mind|get a chance],|[last|this] [week|time] i [forgot|missed] this:
|for the {w} [{v}|work|rewrite|release|feature|bug],|as part of the {w} [{v}|cleanup|migration|rework]:|[re|about] {w}:
|the {w} team [wants|asked for|needs] this:|i'm working on the {w} [{v}|part|page|screen] and|{w} cleanup:|{w} {v}:
"""
_TRAILS = """
, thanks|thanks|thx|, ok ?|asap|(if possible)|- nothing else|, don't touch the rest|, keep the rest as is|, that's all
|, cheers|for me|when you have a moment|, it is confusing otherwise|for [readability|clarity|consistency|safety|now]
|so [the code is|it's|things are|this gets] [cleaner|nicer|clearer|easier to read|less confusing|simpler|more robust]
|before the [release|merge|demo|review|deadline]|, would you|if you [can|could|don't mind|have time]
|[because|since|as] [we|they|i|users|the team|our reviewers] [asked for it|complained|keep tripping over it|want that]
|as [we discussed|discussed in the meeting|the style guide says|agreed|usual|before]|[, |]leave everything else [alone|as it is]
|like [we do elsewhere|in the other modules|in the rest of the code|everybody does]|, it bugs me|, this is urgent|again
|, [it|that] [would be|is] [much |a lot |][better|nicer|clearer|cleaner]|to [make it|keep it] [clean|simple|readable|clear]
|and nothing more|[right |]now|, the [linter|reviewer|compiler|ci|build] [complains|is unhappy|nags|fails]|, no rush
|for the {w} [{v}|work|rewrite|release|team]|because of the {w} [{v}|bug|mess|change]|so that the {w} [{v}|team|people] [is|are] happy
|, otherwise the {w} [breaks|gets confused|looks odd]|like [they|we|you] did [for|in|with] the {w}|, see the {w} [ticket|docs|page]
"""
_PLACES = {
    "function": """in {function}|in {function}|in the {function} <function>|inside {function}|inside of {function}
|within {function}|for {function}|for the {function} <function>|(in {function})|- in {function}|, in {function}
|in <function> {function}|of {function}|of the {function} <function>|over in {function}|, i mean in {function}
|, only in {function}""",
    "class": "in {class}|in the {class} class|in class {class}|for {class}|of the class {class}|(class {class})|on {class}",
}
_PLACES_BEFORE = {
    "function": "in {function}:|in {function},|{function}:|in the {function} <function>,|inside {function},|for {function}:",
    "class": "in {class}:|in {class},|{class}:|in the {class} class,|in class {class},|for class {class}:",
}
_ARTICLE = re.compile(r" (?:the|a|an) ")
_SELECTION = (
    "here|in this line|on this line|in the selection|in the selected [line|lines|code]|at this [spot|place]|there"
)


def _pick(weighted: tuple[tuple[float, str], ...], rng: Random) -> str:
    return rng.choices([text for _, text in weighted], [weight for weight, _ in weighted])[0]


@cache
def _frame(text: str) -> tuple[Sequence, Sequence]:
    before, _, after = text.partition("*")
    return parse_skeleton(before), parse_skeleton(after)


@cache
def _one_of(text: str) -> Sequence:
    return parse_skeleton("[" + text.replace("\n", "") + "]")


def _imperative(parts: list[Part]) -> bool:
    first = next((part for part in parts if part.text.strip()), Part(""))
    words = first.text.split() if first.slot is None else []
    return bool(words) and words[0] in _verbs() and not parts[-1].text.rstrip().endswith("?")


def _with_courtesy(parts: list[Part], rng: Random) -> list[Part]:
    before, after = _frame(_pick(_COURTESY if _imperative(parts) else _STATEMENT, rng))
    if _open_ended(parts) or parts[-1].text.rstrip().endswith((":", "?")):
        after = ()
    return [*expand(before, {}, rng), *parts, *expand(after, {}, rng)]


def _with_place(
    parts: list[Part], slots: Mapping[str, str], rng: Random, ambiguous: bool, selected: bool
) -> list[Part]:
    open_ended = _open_ended(parts)
    scope = "function" if "function" in slots else "class"
    said = any(part.slot == scope for part in parts)
    if scope in slots and not said and (ambiguous or rng.random() < 0.12):
        if open_ended or not _imperative(parts) or rng.random() < 0.15:
            parts = [*expand(_one_of(_PLACES_BEFORE[scope]), slots, rng), Part(" "), *parts]
        else:
            parts = [*parts, Part(" "), *expand(_one_of(_PLACES[scope]), slots, rng)]
    elif selected and not open_ended and _imperative(parts) and rng.random() < 0.35:
        parts = [*parts, Part(" "), *expand(_one_of(_SELECTION), slots, rng)]
    return parts


def _with_filler(parts: list[Part], rng: Random) -> list[Part]:
    if rng.random() < 0.07:
        parts = [*expand(_one_of(_LEADS), _loose_words(rng), rng), Part(" "), *parts]
    if rng.random() < 0.07 and not _open_ended(parts) and not parts[-1].text.rstrip().endswith("?"):
        parts = [*parts, Part(" "), *expand(_one_of(_TRAILS), _loose_words(rng), rng)]
    return parts


def _loose_words(rng: Random) -> dict[str, str]:
    """Words that mean nothing to the edit, so that not every noun is taken for a name."""
    return {"w": pools.noun(rng), "v": pools.noun(rng)}


def _open_ended(parts: list[Part]) -> bool:
    """Whether the last thing said is prose, which nothing may follow if it goes unquoted."""
    return bool(parts) and parts[-1].slot in PROSE_SLOTS


def _finish(parts: list[Part], rng: Random) -> str:
    if rng.random() < 0.03:
        parts = _with_typo(parts, rng)
    if rng.random() < 0.08:
        parts = [part if part.slot else Part(_ARTICLE.sub(" ", part.text)) for part in parts]
    style = rng.choices("_`'\"", (45, 33, 13, 9))[0]
    upper = rng.random() < 0.4
    quoted = [_quoted(parts, index, style, rng) for index in range(len(parts))]
    if upper and parts[0].slot is None and quoted[0]:
        quoted[0] = quoted[0][0].upper() + quoted[0][1:]
    text = re.sub(r"\s+([,?:;!.])(?=\s|$)", r"\1", " ".join("".join(quoted).split()))
    if _open_ended(parts) and text.endswith(parts[-1].text.split()[-1] if parts[-1].text.split() else ""):
        return text
    return text + _period(text, upper, rng)


def _period(text: str, upper: bool, rng: Random) -> str:
    if text.endswith(("?", ".", "!", ":")):
        return ""
    if rng.random() < (0.55 if upper else 0.1):
        return "."
    return "!" if rng.random() < 0.01 else ""


def _quoted(parts: list[Part], index: int, style: str, rng: Random) -> str:
    part = parts[index]
    if (
        not part.text
        or part.slot is None
        or part.slot in PLAIN_SLOTS
        or (index and parts[index - 1].text.endswith(("`", "'", '"')))
    ):
        return part.text
    if part.slot in PROSE_SLOTS:
        return _quoted_prose(part.text, index == len(parts) - 1, rng)
    value = part.text
    if part.slot in CALLABLE_SLOTS and rng.random() < 0.12:
        value += "()"
    if _wordy(value) and rng.random() < 0.85:
        return value
    if style == "_" and not re.fullmatch(r"[\w.]+(\(\))?", value) and rng.random() < 0.6:
        style = "`"
    if style in value:
        style = "`" if "`" not in value else "_"
    return value if style == "_" else style + value + style


def _wordy(value: str) -> bool:
    """Whether code is told in words ("append x to the list"), which people seldom quote."""
    words = value.split()
    if len(words) == 2 and all(word.isalpha() and word.islower() for word in words):
        return not keyword.iskeyword(words[0])
    return len(words) > 2 and sum(word.isalpha() and word.islower() for word in words) >= len(words) / 2


def _quoted_prose(text: str, last: bool, rng: Random) -> str:
    styles = [quote for quote in '""""""\'\'`' if quote not in text]
    if last and (not styles or rng.random() < 0.15):
        return text
    quote = rng.choice(styles) if styles else ""
    return quote + text + quote


def _with_typo(parts: list[Part], rng: Random) -> list[Part]:
    places = [
        (index, word)
        for index, part in enumerate(parts)
        if part.slot is None
        for word in re.finditer(r"[a-z]{4,}", part.text)
    ]
    if not places:
        return parts
    index, word = rng.choice(places)
    text = parts[index].text
    new = text[: word.start()] + _misspelt(word[0], rng) + text[word.end() :]
    return [*parts[:index], Part(new), *parts[index + 1 :]]


def _misspelt(word: str, rng: Random) -> str:
    at = rng.randrange(1, len(word) - 1)
    return rng.choice(
        (
            word[:at] + word[at + 1] + word[at] + word[at + 2 :],
            word[:at] + word[at + 1 :],
            word[:at] + word[at] + word[at:],
            word[:at] + rng.choice("etaoinsr") + word[at + 1 :],
        )
    )
