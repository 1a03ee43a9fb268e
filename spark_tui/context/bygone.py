"""Sentences that tell what code was, or what was done to it: "the print was removed yesterday"."""

import re

_ASKS = (
    r"(?!.*(?:\b(?:but|now|please|pls|should|shall|must|need\w*|so|still|again|yet|never|only|even|fix|restore|bring|put"
    r"|breaks?|broke|crash\w*|fail\w*|wrong|forgot\w*|missing|meant|supposed|intended|instead"
    r"|if|when|whether|that|which|who|because|since|after|while|where|although|though|why|how|what|to see)\b|[?!]))"
)
"""Says that something is amiss, or goes on to what is to be done."""
_WORD = r"(?!(?:is|are)\b)[^\s,;:?]+"
_THING = (
    rf"(?!(?:add|check|make|return|raise|say|see|tell|log|print|ensure|get|got|include)\b){_WORD}(?: {_WORD}){{0,3}}?"
)
_ENDED = (
    r"(?:added|deleted|documented|dropped|extracted|fixed|inlined|introduced|merged|removed|rewritten|simplified"
    r"|thrown out|taken (?:out|away))"
)
_DONE = (
    rf"(?:{_ENDED}|altered|annotated|changed|converted|done|edited|made|modified|moved|refactored|renamed|replaced|rewrote"
    r"|set|sorted|split|swapped|turned|used|wrapped|written)"
)
_WHEN = (
    r"(?:yesterday|already|earlier|originally|formerly|previously|back then|once|before|at first|long ago|first of all"
    r"|(?:many |some |a few |two |three )?(?:years|months|weeks|days|commits|versions) ago"
    r"|(?:before|until|up to|in|with|by) (?:the |an? |my |our |his |her )?(?:old|older|first|last|previous|earlier"
    r"|other|another)? ?(?:version|release|branch|draft|commit|days?|past|merge|beginning|year|month|week)\b"
    r"[^,;:?]*"
    r"|last (?:night|week|month|year|spring|summer|autumn|fall|winter|\w+day)"
    r"|(?:in|until|since) (?:january|february|march|april|may|june|july|august|september|october|november|december"
    r"|those days|python \d[\d.]*|(?:19|20)\d\d|\w+day))"
)
_WHO = r"by (?!a\b|an\b|the\b|hand\b|name\b|default\b|its\b)[A-Za-z]\w+"
_WAS = r"(?:was|were|got|had been|has been|have been|(?:'d|'s) been)"
_JUST = r"(?:just |already |recently |once )?"
_FORMS = (
    rf"{_THING} {_WAS} {_JUST}{_ENDED}(?: again)?(?: (?:{_WHO}|by mistake|by accident))?(?: {_WHEN})?",
    rf"{_THING} {_WAS} {_JUST}{_DONE}\b[^,;:?]*? (?:{_WHO}|{_WHEN})",
    rf"{_THING} had been [^,;:?]+",
    rf"(?:it|this|that|{_THING}) used to (?:be|have|use|call|compare|do|look|return|say|raise|read|open)\b[^,;:?]*",
    (
        rf"(?:it|this|that|there|i|we|they|{_THING}) (?:was|were|had|used|called|compared|raised|returned|said|did)\b"
        rf"(?! (?:right|fine|correct|ok(?:ay)?|better|good)\b)[^,;:?]* {_WHEN}"
    ),
    r"(?:it|this|that) was an? (?!.*\b(?:typo|bug|error|hack|workaround|left-?over|copy|test)\b)[^,;:?]+",
    rf"{_THING} (?:was|were) once [^,;:?]+",
    rf"{_WHEN},? {_THING} (?:was|were|had|used|returned|raised|compared)\b[^,;:?]*",
    rf"(?:somebody|someone|(?-i:[A-Z][a-z]+)|my \w+|the \w+er) (?:has |had )?{_JUST}(?!swapped){_DONE} [^,;:?]+",
)
_BYGONE = tuple(re.compile(rf"^\W*(?:but |and |well,? |fyi,? )?{_ASKS}{form}[\s.]*$", re.IGNORECASE) for form in _FORMS)


def is_bygone(instruction: str) -> bool:
    """Whether somebody tells what code was or what became of it, and of nothing that is amiss with it now."""
    return any(each.match(instruction) for each in _BYGONE)
