"""Questions about code whose answer is no edit: "is 18 included?", "how would you add a docstring?"."""

import re

_ASKS = (
    r"(?!.*(?:\b(?:about|anybody|anyone|anything|belongs?|can|could|doing|ever|fix|goes|go|has to|have to|if not"
    r"|instead|intended|leftover|meant|missing|must|need\w*|necessary|ought|please|pls|possible to|really|reason"
    r"|required|should|shouldn't|still|supposed|swapped|typo|want|where it|wrong|yet)\b"
    r"|\.\.|\. |\b(?<!good )for(?: after\b|\W*$)))"
)
"""Says or hints that something is to be done."""
_WORD = r"(?!not\b)[^\s,;?]+"
_THING = rf"{_WORD}(?: {_WORD}){{0,3}}?"
_REST = r"[^,;:?]*"
_MORE = r"(?:better|worse|cleaner|faster|slower|safer|nicer|(?:more|less) \w+)"
_SO = (
    r"(?:allowed|async\w*|available|a (?:bug|problem|good idea|bad idea)|bad(?: style| practice)?|cheap|common|correct"
    r"|dangerous|deprecated|enough|equal|equivalent|evil|excluded|exclusive|expensive|fast|fine|good(?: style)?"
    r"|idiomatic|included|inclusive|mutable|off[- ]by[- ]one|ok(?:ay)?|open|possible|public|pythonic|recommended|right"
    r"|safe|set|slow|sorted|supported|tested|the same|thread-?safe|true|useful|used|valid"
    rf"|{_MORE}(?: than {_REST})?)"
)
_DO = (
    r"(?:use|work|include|exclude|contain|support|handle|count|stop|start|mean|have|look|exist|cost|add|sort|matter|help"
    r"|change|begin|end)"
)
_FORMS = (
    rf"(?:is|are|was|were|has|have) (?:it|this|that|there|these|those|they|we)\b{_REST}",
    rf"am i\b{_REST}",
    rf"(?:is|are|was|were) {_THING} {_SO}(?: (?:here|there|in|to|by|for|with|at|as)\b{_REST})?",
    rf"(?:was|were) {_THING} (?:before|once|earlier|originally)",
    rf"is {_WORD} (?:an? )?{_WORD} by default",
    rf"(?:does|do|did) {_THING} {_DO}\b{_REST}",
    rf"would {_THING} be {_MORE}\b{_REST}",
    rf"(?:isn't|aren't) (?:an? )?{_THING} (?:{_MORE}|dangerous|enough)",
    rf"which (?:is|are|one is) {_MORE},? [^;:?]+",
    rf"(?:what|how|when|where|which) would\b{_REST}",
    rf"(?:what|who|when|which)(?:'s| (?:is|are|was|were|does|do|did|happens|happened|wrote|added|made))\b{_REST}",
    rf"how (?:is|are|was|were|does|do|did|many|much|long|often|fast|slow)\b{_REST}",
)
_BEFORE = r"^\W*(?:so |and |but |hey,? |hm+,? )?"
_INQUIRED = tuple(re.compile(rf"{_BEFORE}{_ASKS}{form}[\s.?]*$", re.IGNORECASE) for form in _FORMS)


def is_inquiry(instruction: str) -> bool:
    """Whether somebody only wants to know something, and hints at nothing that is to be done."""
    return any(each.match(instruction) for each in _INQUIRED)
