"""What somebody says against a thing that an edit brings, or for one that it takes: "f-strings are banned here"."""

import re
from collections.abc import Iterator, Sequence

from spark_tui.context.language import is_wordless
from spark_tui.context.wording import asks_for_nothing, is_filler
from spark_tui.editing.snippet import Snippet
from spark_tui.session.rules.commanded import OTHERWISE
from spark_tui.session.rules.facts import Code, first_told
from spark_tui.session.rules.pieces import ALL_PIECES

_BEFORE = r"(?i)^\W*(?:(?:please|pls|no|now|but|just|also|sorry|actually)\b,?\s+)*"
_QUOTED = re.compile(r"\"[^\"]*\"|(?<!\w)'[^']*'(?!\w)")
_WHAT = (
    r"(?P<what>(?:(?!\b(?:and|because|but|if|instead|or|rather|so|than|that|unless|until|when|which|while)\b)[^,;?])+?)"
)
_END = (
    r"(?:,? (?:please|pls|thanks|thank you|here|there|at all|in (?:this|my|our|the) [\w ]+|in \w+"
    r"|for (?:this|now|me|us)))*[\s.!)]*$"
)
_NOT = r"(?:n't|n[o']t| not| never)"
_ANYBODY = r"(?:i|we|you|one|somebody|people)"
_NOBODY = r"(?:nobody|no one|none of us|who)(?: here| else)?"
_WANTED = (
    r"(?:allowed|needed|required|necessary|wanted|welcome|an option|ok(?:ay)?|good|worth it|used"
    r"|what (?:i|we) (?:want|need|like|asked for))"
)
_DISLIKED = (
    rf"(?:(?:not|never) (?:an? )?{_WANTED}|banned|forbidden|prohibited|unwanted|unnecessary|overkill|too much"
    r"|unreadable|worse|wrong|ugly|disallowed|a bad idea|a mistake|a waste\b[^,;:]*"
    r"|out of the question|slower|silly|pointless)"
)
_LIKED = (
    r"(?:right|correct|fine|good|ok(?:ay)?|intended|intentional|needed|required|necessary|wanted|deliberate|useful)"
    r"(?: as (?:it|they) (?:is|are)| as an? \w+)?"
)
_CHANGED = r"(?:removed|deleted|dropped|touched|changed|replaced|simplified)(?: by [^,;:?]+)?"
_BETTER = r"(?:is|are|looks?) (?:much |far )?(?:better|nicer|clearer|faster) than"
_DO_NOT = (
    rf"(?:(?:do|would|did|could|should|must|can|may|will|shall) ?{_NOT}|cannot|can't|won't) (?:really |ever |even )*"
    r"(?:want|like|need|use|have|prefer|ask for|add|appreciate)(?: to (?:use|have|add|see))?"
)
_BECOME = (
    rf"(?:should ?{_NOT} be|(?:must|should|may|shall|can|will) ?{_NOT}"
    r" (?:become|be (?:changed|set|turned|converted) (?:to|into)))"
)
_BE = r"(?: (?:is|are|would be|'d be|seems?|looks?)|(?= ?(?:isn't|aren't)))"
_QUITE = r"(?:(?:a bit|rather|perfectly|totally|quite|just|really|very|still|already|absolutely) )*"
_OTHER = r"[^,;:?]+"
_AGAINST_IT = (
    rf"(?:{_ANYBODY} )?{_DO_NOT} {_WHAT}",
    rf"{_ANYBODY} (?:never|didn't|did not) (?:asked|ask) for {_WHAT}",
    rf"{_ANYBODY}(?:'d| would) rather not (?:have|use|see|add) {_WHAT}",
    rf"{_NOBODY} (?:ever |really )?(?:asked for|wants|wanted|needs|needed|uses|likes|would want|would use) {_WHAT}",
    rf"(?:avoid|refrain from) (?:using |adding |having )?{_WHAT}",
    rf"(?<=please )no {_WHAT}",
    rf"no {_WHAT}(?=,? (?:please|pls|thanks|thank you)\W*$)",
    rf"(?:there(?:'s| is)|i see|we see) no (?:need|reason|point|use|sense) (?:for|in|of) {_WHAT}",
    rf"(?:i'm|i am|we're|we are) (?:against|not (?:a fan|fond) of|no fan of) {_WHAT}",
    rf"{_WHAT}(?: here)?{_BE}\s+{_QUITE}{_DISLIKED}",
    rf"{_WHAT} (?:isn't|aren't|wouldn't be) (?:an? )?{_WANTED}",
    rf"{_WHAT} makes? no sense",
    rf"{_OTHER} {_BETTER} {_WHAT}",
    rf"(?:i|we) prefer {_OTHER}? (?:over|to) {_WHAT}",
    rf"{_OTHER} {_BECOME} {_WHAT}",
    rf"{_OTHER}(?: (?:is|are|must|should|has to|have to|stays?)|'s) {_OTHER}?(?:,| and|, and) not (?:become )?{_WHAT}",
    rf"{_OTHER}, (?:don't|do not) (?:call|name) (?:it|this|that) {_WHAT}",
)
_FOR_IT = (
    rf"(?:i|we)(?: still| really)* (?:need|like|want|love|prefer)(?: to keep| to have)? {_WHAT}(?: over {_OTHER})?",
    rf"(?:do )?(?:keep|leave|retain) {_WHAT}(?: in| there| here| alone)?",
    rf"{_WHAT} (?:is|are|looks) {_QUITE}{_LIKED}",
    rf"(?:it's|it is|that's) {_QUITE}(?:fine|ok(?:ay)?|right|good|correct|allowed) (?:to|that) {_WHAT}",
    rf"{_WHAT} (?:must|should|may|shall|can)(?:{_NOT}) be {_CHANGED}",
    rf"{_WHAT} {_BETTER} {_OTHER}",
)
_AGAINST, _FOR = (tuple(re.compile(_BEFORE + told + _END) for told in forms) for forms in (_AGAINST_IT, _FOR_IT))
"""What somebody says against a thing, and for one."""
_COMMENT = re.compile(r"(?i)(?<![\w-])(?:comments?|todos?|fixmes?)(?![\w-])")
_TOKEN = re.compile(r"[^\W\d]\w*|\d+(?:\.\d+)?|[=!<>]=|->|[^\w\s]")
_SIGNED = re.compile(r"[\w.\"'(){}\[\]]+(?: ?(?:[=!<>]=|[-+*/%<>=]|is not|is|not in) ?[\w.\"'(){}\[\]]+)+|[=!<>]=|[<>]")
_COMPARED = re.compile(r"[=!]= ?\w+|is (?:not )?None")
_AN = re.compile(r"(?i)^(?:an?|the|this|that|these|those|my|our|your|any)\s+")
_NOT_AS_IT_IS = re.compile(r"(?i)\b(?:away|gone|just|off|only|one|out|first|last|to)\b|(?<!unus)ed$")
"""What is told of a thing that is not to stay as it is: "I need the print gone"."""
_FEW = 5
"""So many words may name a thing."""


def wishes_nothing(words: str) -> bool:
    """Whether words ask for no edit, or only say what somebody is for or against: no example would be fitting."""
    return asks_for_nothing(words) or is_wordless(words) or any(_things(words, one) for one in (_AGAINST, _FOR))


def against_stance(words: str, code: Code, after: Sequence[str]) -> str:
    """That an edit brings what is spoken against, or takes what is spoken for, in a sentence, or ""."""
    return first_told((_brought, _taken), words, code, after)


def _brought(words: str, code: Code, new: Snippet) -> str:
    for thing in _things(words, _AGAINST):
        if _changes(thing, code, new, 1):
            return f"the edit that was found brings what is not wanted ({thing}); {OTHERWISE}"
    return ""


def _taken(words: str, code: Code, new: Snippet) -> str:
    for thing in _things(words, _FOR):
        if not _NOT_AS_IT_IS.search(thing) and _changes(thing, code, new, -1):
            return f"the edit that was found takes away what is to stay ({thing}); {OTHERWISE}"
    return ""


def _things(words: str, frames: Sequence[re.Pattern[str]]) -> list[str]:
    plain = _QUOTED.sub(" ; ", words)
    found = [told["what"] for each in frames if (told := each.match(plain))]
    return [short for one in found if len((short := _AN.sub("", one.strip())).split()) <= _FEW]


def _changes(thing: str, code: Code, new: Snippet, way: int) -> bool:
    """Whether there is more of a thing in the new lines, or less of it. Args: way: 1 for more, -1 for less."""
    return any(way * (after - before) > 0 for before, after in _counts(thing, code, new))


def _counts(thing: str, code: Code, new: Snippet) -> Iterator[tuple[int, int]]:
    """How often what a thing may be stands in the lines before and after an edit."""
    old, lines = code.text, "\n".join(new.lines)
    for pattern, count in ALL_PIECES:
        if re.search(rf"(?i)(?<![\w-]){pattern}(?![\w-])", thing):
            yield sum(map(count, code.nodes)), sum(map(count, new.nodes))
    if _COMMENT.search(thing):
        yield old.count("#"), lines.count("#")
    tokens = _TOKEN.findall(old), _TOKEN.findall(lines)
    for piece in (*_SIGNED.findall(thing), *_COMPARED.findall(thing)):
        wanted = _TOKEN.findall(piece)
        before, after = (_runs(each, wanted) for each in tokens)
        yield before, after
    for word in _TOKEN.findall(_SIGNED.sub(" ", thing)):
        if (word[0].isalnum() or word[0] == "_") and not is_filler(word):
            before, after = (each.count(word) for each in tokens)
            if not (before and after):
                yield before, after


def _runs(tokens: Sequence[str], wanted: Sequence[str]) -> int:
    """How often some tokens stand one behind another."""
    return sum(list(tokens[at : at + len(wanted)]) == list(wanted) for at in range(len(tokens) - len(wanted) + 1))
