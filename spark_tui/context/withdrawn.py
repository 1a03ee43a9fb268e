"""Wishes that are taken back, called off, or done already: "rename s to total? no, better not" asks for no edit."""

import re

_QUOTED = re.compile(r"`[^`]*`|(?<!\w)'[^']*'(?!\w)|\"[^\"]*\"")
_EDIT = (
    r"(?:add|alter|annotate|change|convert|delete|document|drop|edit|extract|inline|introduce|make|merge|modify|move"
    r"|put|refactor|remove|rename|replace|rewrite|simplify|sort|split|swap|turn|use|wrap)"
)
_DONE = (
    r"(?:added|altered|annotated|changed|converted|deleted|documented|dropped|edited|extracted|inlined|made|merged"
    r"|moved|refactored|removed|renamed|replaced|rewrote|rewritten|sorted|turned|wrapped)"
)
_NOUN = r"(?:conversion|edit|inlining|refactoring|rename|renaming|replacement|rewrite|rewriting)"
_BEFORE = r"^\W*(?:(?:please|pls|no|now|but|just|also|ok(?:ay)?|sorry|actually|whatever you do)\b,?\s+)*"
_POLITE = r"(?:(?:can|could|would|should|shall|maybe|perhaps|let'?s|you|we|i|please|pls)\b,?\s+)*"
_BUT = r"(?:(?:oh|ah|hm+|well|wait|sorry|actually|or|but|then|no|nope|nah|on second thoughts?|then again)\b[,.!]*\s+)"
_NO_MORE = (
    r"(?:better not|rather (?:not|no)|(?:or|but) rather don'?t|never ?mind|forget (?:it|that|about (?:it|that))"
    r"|scratch that|cancel that|on second thoughts?,? (?:no|not|don'?t)|not after all|just kidding)"
)
_NO = r"(?:no|nope|nah|don'?t|do not|maybe not|perhaps not|leave it(?: be)?)(?: do (?:it|that|so))?"
_TAKEN_BACK = re.compile(
    rf"[\s,;:.?!(\u2013\u2014-]{_BUT}*{_NO_MORE}(?: do (?:it|that|so))?[\s.!?)]*$"
    rf"|^\W*{_POLITE}(?:{_EDIT}\b|an? ).*(?:[,;.?!(\u2013\u2014-]\s*{_BUT}*|\s{_BUT}+){_NO}[\s.!?)]*$",
    re.IGNORECASE,
)
_CALLED_OFF = re.compile(
    rf"{_BEFORE}(?:abort|call off|cancel|forget(?: about)?|hold off(?: on)?|ignore|reverse|revert|scratch|skip|stop"
    rf"|take back|undo|withdraw)\s+(?:(?:the|that|this|my|your|our|last|requested|planned)\s+)*{_NOUN}"
    r"(?:\W*$|\s+(?:of|from|to|into|in|that|which|we|you|i)\b|\s+\S+\s+(?:to|into)\b)"
    rf"|{_BEFORE}(?:avoid|hold off(?: on)?|no|refrain from)\s+(?:inlining|refactoring|renaming|rewriting)\b"
    rf"|{_BEFORE}(?:skip|stop)\s+renaming\s+\S+\s+(?:to|into)\b"
    rf"|{_BEFORE}(?:i(?:'d| would)?|we(?:'d| would)?|you|it is|it's|there is|there's)?\s*"
    rf"(?:no need|do not (?:want|need)|don'?t (?:want|need)|needn'?t|need not|rather not|not necessary|unnecessary)"
    rf"\s+(?:(?:you|us|anybody|anyone|it)\s+)?(?:to\s+)?{_EDIT}\b[^,;:.]*$"
    rf"|{_BEFORE}(?:do not|don'?t|never|under no circumstances)\s+(?:ever\s+)?rename\b"
    r"|\b(?:should|must|may|shall)(?:\s*n[o']t| never)\s+be\s+renamed\b[^,;:.]*$",
    re.IGNORECASE,
)
_DONE_ALREADY = re.compile(
    rf"{_BEFORE}(?:(?:i|we|you|he|she|they|somebody|someone)(?:'ve|'d| have| had)?\s+(?:(?:already|just)\s+)*"
    rf"|already\s+){_DONE}\b(?!.*\b(?:and|break|breaks|but|fails?|fix|now|please|should|since|so|still|update)\b)[^,;:.?!]*\W*$"
    rf"|^\W*[\w.` ]+ (?:is|are|was|were|has been|have been|got) already (?:been )?{_DONE}\b[^,;:.?!]*\W*$",
    re.IGNORECASE,
)
_ALL_BUT = re.compile(
    rf"{_BEFORE}{_POLITE}rename\s+(?:everything|anything|all|every)\b(?:\s+\w+){{0,2}}?,?\s+"
    r"(?:but|except(?:ing)?|apart from|besides|excluding|other than|save)\s+(?:for\s+)?(?!in\b|the\b|for\b)",
    re.IGNORECASE,
)


def is_withdrawn(instruction: str) -> bool:
    """Whether a wish is taken back by its own words, called off, done already, or spares the only name it tells."""
    told = _QUOTED.sub("_", instruction)
    return any(each.search(told) for each in (_TAKEN_BACK, _CALLED_OFF, _DONE_ALREADY, _ALL_BUT))
