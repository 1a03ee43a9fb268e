"""Sentences that decline an edit: "it would be wrong to remove the print", "this is not off by one"."""

import re

_EDIT = (
    r"(?:add|alter|annotate|change|convert|delete|document|drop|edit|extract|fix|inline|introduce|merge|modify|move"
    r"|refactor|remove|rename|replace|rewrite|simplify|swap|touch)"
)
_EDITING = (
    r"(?:adding|altering|annotating|changing|converting|deleting|documenting|dropping|editing|extracting|fixing|inlining"
    r"|introducing|merging|modifying|moving|refactoring|removing|renaming|replacing|rewriting|simplifying|swapping"
    r"|touching)"
)
_OF_CODE = (
    r"(?=[^,;.:]*\b(?:annotations?|code|comments?|comprehensions?|conditions?|decorators?|docstrings?|else|f-?strings?"
    r"|function|hints?|imports?|lines?|loops?|method|names?|parameters?|prints?|statements?|todos?|variables?|with)\b)"
)
"""Speaks of what a file is made of, and no program that runs deals with."""
_BEFORE = r"^\W*(?:(?:please|pls|no|now|but|just|also|hey|sorry|actually)\b,?\s+)*"
_REST = r"[^,;.:]*\W*$"
_THING = r"[^,;.:?()]+"
_WRONG = (
    r"(?:wrong|bad|silly|foolish|stupid|pointless|unwise|dangerous|useless|premature|overkill|too (?:early|much|risky)"
    r"|unnecessary|forbidden|not (?:an option|needed|necessary|wanted|allowed|worth it|ok(?:ay)?|a good idea|right)"
    r"|out of the question|an? (?:bad idea|mistake|shame|pity|error|waste\b[^,;.:]*|terrible idea|no-go))"
)
_IS = r"(?:is|are|was|would be|'d be|seems|sounds|looks)"
_MUST = r"(?:must|has to|have to|should|shall|needs? to|may|can|will|is to|are to)"
_MUST_NOT = r"(?:can't|cannot|(?:must|should|may|can|shall)(?:n't| ?not| never))"
_FAULT = r"(?:off[- ]by[- ]one|bugs?|mistakes?|typos?)(?: error| bug)?"
_HERE = r"(?: here| there| in| put| at all| (?:as|the way) (?:it|they) (?:is|are)| unchanged| untouched)*"
_FORMS = (
    rf"(?:stop|quit|cease|avoid|refrain from)\s+{_EDITING}\b{_OF_CODE}{_REST}",
    rf"(?:it|that|this)\s*(?:{_IS}|'s)\s+(?:\w+ )?{_WRONG} to {_EDIT}\b{_REST}",
    rf"{_EDITING}\b[^,;.:]*\b(?:{_IS}|isn't|would|makes?)\s+(?:{_WRONG}|no sense|never work)\b{_REST}",
    (
        r"(?:there(?: is|'s)|i see|we see|i have|we have)\s+(?:really )?(?:no|little|hardly any)"
        rf" (?:need|point|reason|sense|use|cause) (?:to|in|for|of) (?:{_EDIT}|{_EDITING})\b{_REST}"
    ),
    rf"(?:i'm|i am|we're|we are) not going to {_EDIT}\b{_REST}",
    rf"(?:i'm|i am|we're|we are) (?:against|not (?:happy|ok|fine) (?:about|with)) {_EDITING}\b{_REST}",
    (
        r"(?:(?:do not|don'?t) (?:you(?: dare| ever)?|dare|ever|even think|bother)|under no circumstances"
        rf"|(?:nobody|no one) (?:should|must|may|shall)|(?:you |we |i )?{_MUST_NOT})"
        rf"\s+(?:to |about |of )?(?:{_EDIT}|{_EDITING})\b{_OF_CODE}{_REST}"
    ),
    rf"(?:(?:you|we) {_MUST_NOT}|don'?t|do not|never) {_EDIT} (?:this|that|it|these|anything){_HERE}\W*$",
    rf"hands off\b{_REST}",
    (
        rf"(?:{_EDIT}|sort) (?:everything|anything|all)\b[\w ]*? (?:but|except(?: for)?|apart from|besides)"
        r" (?:this|that|it|these|here)\W*$"
    ),
    (
        r"(?:instead of [^,;.:]*,? (?:add|do|change|write|use)|add|change|delete|drop|edit|fix|remove|rename|touch)"
        rf" nothing\b(?! but){_REST}"
    ),
    r".*\?\s*(?:certainly not|i think not|never|no thanks?|no way|nope|over my dead body)\W*$",
    rf"(?:it|this|that|(?:the|this) \w+)(?:'s not| is not| isn't| is no)\s+(?:an? |really )*{_FAULT}{_HERE}\W*$",
    rf"there(?:(?:'s| is| are) no| is not an?| isn't an?| aren't any) {_FAULT}{_HERE}(?: in \w+)?\W*$",
    rf"(?:there(?:'s| is)|i see) nothing wrong (?:with|about|here)\b{_REST}",
    rf"(?!.*\bif\b){_THING} {_MUST} (?:please )?(?:stay|remain){_HERE}[\s.!]*$",
    rf"{_OF_CODE}{_THING} (?:simply |just )?stays?{_HERE}[\s.!]*$",
    rf"{_THING} (?:is|are){_HERE} (?:on purpose|by design|intended|intentional|deliberate|for a (?:good )?reason)\W*$",
)
_DECLINED = tuple(re.compile(_BEFORE + form, re.IGNORECASE) for form in _FORMS)


def is_declined(instruction: str) -> bool:
    """Whether an edit is called wrong, needless or forbidden, or what it would mend no fault."""
    return any(each.match(instruction) for each in _DECLINED)
