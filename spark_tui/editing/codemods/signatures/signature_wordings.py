"""The wordings of wishes about a signature: patterns in which `{names}` and the like are filled in."""

import re
from functools import lru_cache

COURTESY = re.compile(
    r"(?i)^(?:(?:please|now|then|also|just|first|and|(?:can|could|would|will) (?:you|we)(?: please)?|let's|let us"
    r"|i(?:'d| would) like (?:you )?to|i (?:want|need) (?:you )?to|i (?:want|need|'d like)(?= the \w+ to be\b)"
    r"|(?:we|you) (?:should|need to|have to|want to)|it would be nice to"
    r"|the function should(?= (?:take|accept)))[,:]? +)+"
)
END = re.compile(r"(?i)(?:[ ,]+(?:please|thanks|thank you|now|for me|instead|here|too|as well))?[\s.!]*$")
_KIND = r"(?:param(?:eter)?s?|arg(?:ument)?s?|kwargs?|options?|flags?|keyword)"
_DEFAULT = r"defaults?(?: values?| setting)?"
_BY_NAME = r"(?:a |an )?(?:key ?word|named?|kw)(?:[- ]?args?)?[- ]?only(?: {kind})?"
_WITH = r"(?:by (?:name|key ?word)|as (?:a )?(?:key ?words?|named)(?: {kind})?)(?: only)?"
_CALLERS = r"(?:callers?|users?|people|everyone|everybody|the caller|you)"
SPOTS = {
    **dict.fromkeys(("first", "front", "start", "beginning"), "0"),
    "second": "1", "third": "2", "fourth": "3",
    **dict.fromkeys(("last", "end", "very end", "back"), "-1"),
}  # fmt: skip
PATTERNS = {
    "default": (
        (
            r"(?:(?:change|set|make|switch|update|put|bump|raise|lower|increase|decrease|reduce) )?(?:the "
            r")?{default}(?: (?:of|for))? {names}(?: from \S+(?: \w+)??)?(?: (?:should be|should now be|to be|to|"
            r"is|be|becomes)|:|=)? {value}"
        ),
        r"(?:make |let |have )?{names} (?:(?:should|must|shall|to) )?default(?:s|ing)?(?: to|=)? {value}",
        (
            r"(?:make |let |have )?{names} (?:(?:should|must|shall|to) )?be {value} (?:by default|(?:if|when|"
            r"unless) (?:it(?:'s| is) |they(?:'re| are) )?(?:not (?:given|passed|provided|set|specified)|omitted|"
            r"left out|missing|absent))"
        ),
        r"(?:give|set) {names} (?:(?:a|the|its|as) )?{default}(?: (?:of|to|as|being))?:? {value}",
        r"give {names} {value} (?:as (?:a |the |its )?{default}|by default)",
        r"give {names} (?:an?|the) {value} {default}",
        (
            r"(?:change|set|make|switch|put|bump|raise|lower|increase|decrease|reduce) (?:the |its )?{default}(?: "
            r"(?:from \S+ )?to(?: be)?| be)? {value}"
        ),
        r"the {default} (?:should be|should become|is) {value}",
        r"(?:use|take) {value} (?:as the {default}|by default)",
        (
            r"(?:if|when) {one} (?:(?:is not |isn't |was not |not )(?:given|passed|provided|specified|set)"
            r"|(?:is |was )?(?:omitted|missing|left out)),? "
            r"(?:it should be|use|default to|assume|take|fall back to|it is|it's) {value}"
        ),
        r"(?:add|set|put|introduce) (?:a|the) {default} (?:of|value) {value} (?:to|for|on) {names}",
        r"(?:add|set) (?:a|the) {value} {default} (?:to|for|on) {names}",
        (
            r"(?:use|take|make|set|have|assume) {value} (?:as )?(?:the |a )?(?:{default}(?: (?:for|of))?|by "
            r"default for) {names}"
        ),
        (
            r"use {value} for {names} (?:by default|unless (?:it is |it's )?(?:given|passed)"
            r"|(?:if|when) (?:it is |it's )?(?:not (?:given|passed)|omitted|missing|left out))"
        ),
        r"(?:change|set|switch|update) {names}(?:'s?)? {default}(?: from \S+)? to {value}",
        r"{names}(?:'s?)? {default} (?:should be|is|must be) {value}",
        (
            r"(?:make|let|have) {names} (?:be )?(?:an )?optional(?: {kind})?[,:]? ?(?:and |with |which )?(?:let "
            r"it )?(?:a )?(?:defaulting to|defaults to|{default}(?: it)?(?: to| of| is| being)?) {value}"
        ),
        (
            r"(?:make|let|have) {names} (?:be )?(?:an )?optional(?: {kind})?,? with (?:an? )?{value} (?:as "
            r")?(?:the )?{default}"
        ),
    ),
    "optional": (
        r"(?:make|let|have|turn) {names} (?:be |into )?(?:an )?optional(?: {kind})?",
        r"{names} (?:should|must|can|could|ought to) be (?:an )?optional(?: {kind})?",
        (
            r"(?:{callers} )?(?:should|shouldn't|should not|must)? ?(?:not )?(?:have|need|be forced|be required) "
            r"to (?:pass|give|provide|specify|supply) {names}"
        ),
        r"(?:allow|let) {callers} (?:to )?(?:omit|leave out|skip) {names}",
        r"allow (?:omitting|leaving out|skipping) {names}",
    ),
    "required": (
        (
            r"(?:make|let|have) {names} (?:be )?(?:a )?(?:required|mandatory|non-?optional|obligatory)(?: "
            r"{kind})?(?: again)?"
        ),
        r"{names} (?:should|must) be (?:a )?(?:required|mandatory)(?: {kind})?",
        r"{names} (?:should|must)(?:n't| not)? (?:be optional|have (?:a|any|no) {default})",
        (
            r"(?:remove|drop|delete|strip|lose|get rid of|take away) (?:the |its |their )?(?:{default}s?) (?:of|"
            r"for|from|on) {names}"
        ),
        r"(?:remove|drop|delete|strip|lose|get rid of) {names}(?:'s?)? {default}s?",
        r"{names} (?:needs?|should have|must have) no {default}",
        r"(?:remove|drop|delete|strip|lose|get rid of|take away) (?:the |its |all (?:the |its )?)?{default}",
    ),
    "by name": (
        r"{callers} (?:must|should|have to|need to) (?:pass|give|name|specify|provide) {names} {with}",
        r"(?:make|turn|convert|have|let|change|mark|declare) {names} (?:be |in ?to |as |to )?{by_name}",
        r"{names} (?:should|must|ought to|needs? to|has to|have to|to) (?:only )?be(?:come)? {by_name}",
        (
            r"(?:make|force|require|oblige|let) {callers} (?:to )?(?:pass|give|name|specify|provide) {names}(?: "
            r"{with})"
        ),
        r"(?:require|force|allow|accept|take) {names} (?:to be (?:passed|given|used|specified) |only )?{with}",
        (
            r"{names} (?:should|must|can|may|ought to) (?:only )?be (?:passed|given|specified|used) (?:only "
            r")?{with}"
        ),
        r"(?:only )?(?:allow|accept|take) {names} (?:to be (?:passed|given) )?{with}",
        (
            r"(?:add|put|insert) (?:a |an )?(?:bare )?[`'\\x22]?(?:\*|star|asterisk)[`'\\x22]?,? (?:right "
            r")?(?P<star>before|in front of|after|behind) {one}"
        ),
    ),
    "by position": (
        (
            r"(?:allow|let|make) {names} (?:to )?(?:be )?(?:passed |given |used )?"
            r"(?:by position|positionally|as (?:a )?positional(?: {kind})?|positional)(?: (?:again|too|as well))?"
        ),
        (
            r"(?:allow|let) {callers} (?:to )?(?:pass|give) {names} (?:by position|positionally|as (?:a )?positional"
            r"(?: {kind})?)"
        ),
        r"{names} (?:should|must|need) (?:not|n't|no longer) be {by_name}",
        r"{names} (?:shouldn't|needn't) be {by_name}",
        r"(?:remove|drop|get rid of|delete) the (?:bare )?(?:star|asterisk|\*)",
    ),
    "switched": (
        r"(?:turn|switch) {names} (?P<value>on|off) by default",
        r"(?:turn|switch) (?P<value>on|off) {names} by default",
        r"(?P<value>enable|disable) {names} by default",
        r"{names} by default",
        r"{names} should be (?P<value>enabled|disabled|active|inactive) by default",
    ),
    "place": (
        (
            r"(?:move|put|place|shift|have|make|take|accept) {one} (?:right |directly |immediately |just |come |go )*"
            r"(?:to )?(?P<where>before|in front of|after|behind) {other}"
        ),
        (
            r"{one} (?:should|must|ought to) (?:come|go|stand|be)(?: right| directly)? (?P<where>before|in front "
            r"of|after|behind) {other}"
        ),
        (
            r"(?:move|put|place|shift|make|have) {one} (?:to |at |come |go |be |in )*(?:the "
            r")?(?P<where>{spot})(?: (?:{kind}|place|position|one|of the (?:list|signature|{kind})|in the "
            r"(?:signature|list|parameter list)))*"
        ),
        (
            r"{one} (?:should|must|ought to) (?:come|go|be)(?: in| at)?(?: the)? (?P<where>{spot})(?: {kind}| "
            r"place| position)?"
        ),
        r"(?:take|accept) {one} as the (?P<where>{spot}) {kind}",
    ),
    "swap": (
        (
            r"(?:swap|switch|exchange|flip|transpose) (?:the )?(?:order of |positions? of |places of )?(?:the "
            r")?(?:{kind} )?{names}(?: (?:around|round|over|places|in the signature|in the parameter list))?"
        ),
        r"(?:swap|switch|reverse|flip) (?:the )?order of (?:the )?(?:{kind} )?{names}",
        r"{one} and {other} (?:should|must) (?:swap|change|trade) places",
    ),
    "order": (
        (
            r"(?:reorder|re-order|order|rearrange|arrange|sort) (?:the |its |all )?(?:{kind})?(?: so (?:that "
            r")?they are| to| as| to be| into| like this| in the order| in this order)*:? ?[(\[]?{names}[)\]]?"
        ),
        (
            r"(?:change|make|set) (?:the )?(?:{kind} order|order of (?:the )?{kind}|order)(?: to be| to| be)?:? "
            r"?[(\[]?{names}[)\]]?"
        ),
        r"the (?:order of (?:the )?{kind}|{kind} order) should be:? ?[(\[]?{names}[)\]]?",
        r"(?:take|accept) {names} in (?:this|that) order",
    ),
    "sorted": (
        (
            r"(?:sort|order|put|arrange|alphabeti[sz]e|reorder) (?:the |its |all (?:the )?)?{kind}(?: "
            r"(?:alphabetically|by name|in alphabetical order|into alphabetical order))?"
        ),
    ),
    "stars": (
        (
            r"(?:(?:make|let|have) (?:it|this|the function) )?(?:add|take|accept|allow|support|have|get|"
            r"swallow)s?(?: also| arbitrary| any)* (?P<stars>[`'\\x22]?\*{1,2}\w+[`'\\x22]?(?: and "
            r"[`'\\x22]?\*\*\w+[`'\\x22]?)?)(?: (?:to|in) (?:the )?(?:signature|parameters|function|it))?"
        ),
        (
            r"(?:(?:make|let|have) (?:it|this|the function) )?(?:add|take|accept|allow|support)s?(?: also)? "
            r"(?P<stars>(?:arbitrary|any|extra|additional|variable) (?:key ?word|positional) (?:arguments|args))"
        ),
    ),
}
MARK = "\u00ab{}\u00bb"
_MENTION = rf"(?:(?:the|its|both|all|{_KIND}) )*\u00ab\d+\u00bb(?: {_KIND})?"
_LIST = rf"{_MENTION}(?:(?:, ?(?:and |& )?| and | & ){_MENTION})*"
ONWARDS = (
    r"(?:everything|anything|whatever|(?:all|every|any)(?: of)?(?: the)?(?: other)?(?: \w+)?"
    r"|(?:all )?the (?:rest|others|\w+))"
    rf"(?: that)?(?: (?:comes?|follows?|is|are))? (?P<how>after|behind|past|following|from|starting (?:from|at|with)"
    rf"|but|except(?: for)?|other than) {_MENTION}(?: on(?:wards)?)?"
)
COUNTED = rf"the (?P<end>last|first|final)(?: (?P<many>one|two|three|four|\d))? {_KIND}"
_EVERY = rf"(?:(?:all|every|each)(?: of)?(?: the| its| these| them)?(?: {_KIND})?|everything|the {_KIND}|its {_KIND})"
COUNTS = {"one": 1, "two": 2, "three": 3, "four": 4}
_UNNAMED = re.sub(r"[?]P<\w+>", "?:", f"{ONWARDS}|{COUNTED}")
_NAMES = rf"(?:{_LIST}|{_UNNAMED}|{_EVERY}|it|them|they|both)"
_FILLED = {
    "default": _DEFAULT, "kind": _KIND, "callers": _CALLERS, "spot": "|".join(SPOTS),
    "by_name": _BY_NAME.replace("{kind}", _KIND), "with": _WITH.replace("{kind}", _KIND), "value": r"(?P<value>\S.*?)",
    "names": rf"(?P<names>{_NAMES})", "one": rf"(?P<one>{_MENTION}|it|{re.sub('[?]P<[a-z]+>', '?:', COUNTED)})",
    "other": rf"(?P<other>{_MENTION})",
}  # fmt: skip
JOINT = re.compile(
    r"(?i)\s*(?:[,;]\s*(?:and\s+|then\s+)*|\.\s+|\band\s+(?:then\s+|also\s+)?"
    r"|(?=\bwith (?:a|the) default|\bdefaulting to\b))"
)
ELIDED = {
    "default": (r"{names}(?: should)?(?: default)?(?: to| be| at|=)? {value}",
                r"{names} (?:a|the) {default}(?: of)? {value}", r"{value} for {names}"),
    "place": (),
}  # fmt: skip


TRIGGER = re.compile(
    r"(?i)default|optional|omit|left out|not given|required|mandatory|key ?word|kw|by name|named|\*|\bstar\b|move|put"
    r"|place"
    r"|first|last|second|third|before|after|swap|switch|order|arrange|alphabet|unless|leave out|missing|have to|need to"
    r"|exchange|flip|arbitrary|position|asterisk"
)
GRAMMAR = frozenset(
    """a an the to of for it default value values first last second order name names flag option parameter argument
    keyword end start and or is be be before after both all by if none place position given from with use set make take
    """.split()  # noqa: SIM905
)


@lru_cache(maxsize=256)
def compiled(pattern: str) -> re.Pattern[str]:
    """A pattern with its groups filled in."""
    return re.compile(re.sub(r"\{([a-z_]+)\}", lambda found: _FILLED[found[1]], pattern), re.IGNORECASE)
