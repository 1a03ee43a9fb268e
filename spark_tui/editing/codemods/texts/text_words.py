"""What words do to a text: something at its end or beginning, a sign that goes or becomes another one, its case.

Each function lists the contents that a text may get, the likeliest first.
"""

import re
from collections.abc import Iterator

from spark_tui.editing.codemods.common.said import Span, plain_word, spans
from spark_tui.editing.codemods.texts.texts import Text

_SIGNS = {
    r"full stop|period|dot": ".", r"comma": ",", r"semi-?colon": ";", r"colon": ":",
    r"exclamation(?: mark| point)?": "!", r"question mark": "?", r"dash|hyphen|minus(?: sign)?": "-",
    r"em[- ]dash": "\u2014", r"en[- ]dash": "\u2013", r"underscore": "_", r"slash": "/", r"backslash": r"\\",
    r"pipe|vertical bar": "|", r"space|blank": " ", r"new ?line|line ?break|line ?feed": r"\n", r"tab": r"\t",
    r"star|asterisk": "*", r"hash(?: sign)?": "#", r"plus(?: sign)?": "+", r"equals? sign": "=", r"tilde": "~",
    r"at[- ]sign": "@", r"ampersand": "&", r"percent sign": "%", r"ellipsis|three dots": "...", r"arrow": "->",
    r"bullet": "\u2022", r"middle dot": "\u00b7",
}  # fmt: skip
SIGN = re.compile(
    r"(?<![\w-])(?:"
    + "|".join(
        f"(?P<s{at}>(?:{words})(?:e?s)?)" for at, words in sorted(enumerate(_SIGNS), key=lambda one: -len(one[1]))
    )
    + r")(?![\w-])",
    re.IGNORECASE,
)
_FAMILIES = tuple(
    frozenset(one.split())
    for one in (
        ("black red green yellow blue magenta cyan white orange purple grey gray pink brown "
        "bright_black bright_red bright_green bright_yellow bright_blue bright_magenta bright_cyan bright_white"),
        "debug info warning warn error critical fatal", "DEBUG INFO WARNING ERROR CRITICAL",
        "GET HEAD POST PUT PATCH DELETE OPTIONS TRACE", "get head post put patch delete options",
        "left right center centre middle top bottom justify start end", "small medium large",
        "bold italic underline dim normal strike blink reverse", "yes no", "on off", "asc desc", "ascending descending",
        "seconds minutes hours days weeks months years", "second minute hour day week month year",
        "strict ignore replace backslashreplace surrogateescape", "utf-8 ascii latin-1 utf-16 cp1252 utf8 latin1",
        "json yaml toml xml csv html text markdown", "linear quadratic cubic nearest", "mean median max min sum",
    )
)  # fmt: skip
_ADD = r"(?:add|append|put|insert|stick|tack|place|write)"
_AT_END = (
    re.compile(r"(?is)\b(?:end|ends|finish|finishes|close|closes) (?:\w+ ){0,4}?(?:with|in)\b:?\s*(.+)"),
    re.compile(rf"(?is)\b{_ADD} (.+?) (?:at|to|on|onto) (?:the |teh )?(?:very )?(?:end|tail|back)\b"),
    re.compile(r"(?is)\bappend (.+?)(?: to (?:the|that|this|both|all|each)\b.*)?$"),
    re.compile(r"(?is)\b(?:followed by|(?:an?|missing|needs?|wants?) (?:trailing|final|closing)) (.+)"),
    re.compile(r"(?is)^(.+?) (?:is missing )?at the (?:very )?end\b"),
)  # fmt: skip
_AT_START = (
    re.compile(r"(?is)\b(?:start|starts|begin|begins|open|opens) (?:\w+ ){0,4}?(?:with|by|in)\b:?\s*(.+)"),
    re.compile(rf"(?is)\b{_ADD} (.+?) (?:at|to|in|on) (?:the )?(?:very )?(?:start|beginning|front)\b"),
    re.compile(rf"(?is)\b{_ADD} (.+?) (?:before|in front of) (?:it|them|(?:the|that|this|both|all|each) \w+)\b"),
    re.compile(r"(?is)\b(?:prefix|preface|precede)\w* (?:\w+ ){0,4}?(?:with|by) (.+)"),
    re.compile(r"(?is)\bprepend (.+?)(?: to (?:the|that|this|both|all|each)\b.*)?$"),
)  # fmt: skip
_GONE = re.compile(
    r"(?i)\b(?:drop|remove|lose|strip|delete|kill|omit|cut|no|without|rid of|take out|superfluous|unneeded)\b"
)
_LEADING = re.compile(r"(?i)\b(?:leading|opening|initial)\W*$|^\W*(?:at|from|in) the (?:start|beginning|front)")
_LOWER = re.compile(r"(?i)\blower[- ]?cas\w*|\bsmall letters?\b|\buncapitali[sz]\w*")
_UPPER = re.compile(r"(?i)\bupper[- ]?cas\w*|\bcapitali[sz]\w*|\bcapital(?:s| letters?)?\b|\bin caps\b")
_AROUND = re.compile(
    r"(?is)\b(?:spaces?|blanks?|whitespace|room) "
    r"(?P<side>on both sides of|around|round|before and after|after|before|behind|in front of)\b(?P<what>.*)"
)
_FINAL = ".!?\u2026"
_VALUE = re.compile(
    r"(?i)\b(?:(?:should|must|has to|needs to|ought to)(?: \w+)? (?:be|say|read|show|become)|becomes?|is just|is to be)"
    r"(?: just| simply| only| now| rather| always| called)*\b:? (.+)"
)
_PUT = re.compile(r"(?i)(?:\b(?:use|send|with|by|as|put|print|show|write|into)(?: an?| the)?|^an?|^)\W*$")
_BESIDE = re.compile(r"(?i)\W*(?:around|round|before|after|behind|on both sides|at the end|in front)\b")
_MEANT = re.compile(r"(?i)\W*(?:as|for|not|instead|rather)\b")
_POINTING = re.compile(r"(?i)(?:that|this|these|those|the|it|its|a|an)\b")
_JOIN = re.compile(r"(?i)\b(?:join|separat|delimit|split|between|glue)\w*")


def sign_of(match: re.Match[str]) -> str:
    """The sign that a word stands for, as it is written in a literal."""
    return list(_SIGNS.values())[int((match.lastgroup or "s0")[1:])]


def adds(instruction: str) -> bool:
    """Whether the words speak of the end or the beginning of a text, or of its case, and not of a new one."""
    return any(one.search(instruction) for one in (*_AT_END[:-1], *_AT_START, _LOWER, _UPPER)) or bool(
        (gone := _GONE.search(instruction)) and SIGN.search(instruction, gone.end())
    )


def ended(instruction: str, text: Text) -> Iterator[str]:
    """With what is to stand at the end."""
    if text.last:
        for what in _whats(instruction, _AT_END):
            yield from _with_end(text.content, what)


def begun(instruction: str, text: Text) -> Iterator[str]:
    """With what is to stand at the beginning; what stood there as long goes where it is told."""
    if not text.first:
        return
    for what in _whats(instruction, _AT_START):
        for old in (span.text for span in spans(instruction) if span.mark and span.text != what):
            if text.content.startswith(old):
                yield what + text.content[len(old) :]
        if not text.content.startswith(what):
            if re.fullmatch(r"[-*#\u2022\u2013\u2014+>]|->", what):
                yield f"{what} {text.content}"
            gap = "" if not re.search(r"[\w.,;:!?)\]]$", what) or not re.match(r"[\w{(<'\"]", text.content) else " "
            yield what + gap + text.content


def _whats(instruction: str, patterns: tuple[re.Pattern[str], ...]) -> list[str]:
    """What follows one of the phrases: quoted, a sign by its name, or the words up to where they break off."""
    places = [match.span(1) for pattern in patterns for match in pattern.finditer(instruction)]
    return list(dict.fromkeys(filter(None, (_what(instruction, *place) for place in places))))


def _what(instruction: str, start: int, stop: int) -> str:
    inside = [span for span in spans(instruction) if span.mark and start <= span.start and span.end <= stop]
    if inside:
        return inside[0].text
    words = instruction[start:stop]
    if sign := re.match(
        rf"(?:with |by |in )?(?:an? |the |one )?(?:\w+ing |final )?{SIGN.pattern}", words, re.IGNORECASE
    ):
        return sign_of(sign)
    bare = re.split(r"\s{2,}|\s\(|\n|, (?:not|so|like|please|because|as)\b", words)[0].strip()
    plain = all(plain_word(word) for word in re.findall(r"\w+", bare))
    return "" if plain or bare.count(" ") > 11 or start == 0 or _POINTING.match(bare) else bare


def _with_end(content: str, what: str) -> Iterator[str]:
    tail = re.search(r"(?:\\n|\s)*$", content)
    assert tail is not None
    body, rest = content[: tail.start()], tail[0]
    if what in (r"\n", " "):
        if not content.endswith(what):
            yield content + what
        return
    if body.endswith(what):
        return
    if re.match(r"\s?[(\[{<]", what):
        bare, sign = (body[:-1], body[-1:]) if body[-1:] in _FINAL else (body, "")
        gap = "" if what[0] == " " else " "
        yield bare + gap + (what if what[-1:] in _FINAL else what + sign) + rest
        yield body + gap + what + rest
        return
    if re.match(r"\W", what):
        if what[-1:] == "." and re.search(r"\w", what) and body[-1:] not in _FINAL:
            yield body + what.rstrip(".") + rest
        shorter = body.rstrip(_FINAL) if what[0] in _FINAL + ",;:" or (what[0] == " " and what[-1] in _FINAL) else body
        yield shorter + what + rest
    elif body and body[-1] in _FINAL:
        if what[0].islower() and what[-1] not in _FINAL:
            yield f"{body[:-1]} {what}{body[-1]}{rest}"
        yield f"{body} {what}{rest}"
        yield f"{body[:-1]} {what}{rest}"
    else:
        ways = (f"{body}. {what}{rest}", f"{body} {what}{rest}")
        yield from ways if what[0].isupper() else ways[::-1]


def unsigned(instruction: str, text: Text) -> Iterator[str]:
    """Without a sign that is to go: where it is told to stand, else at the end, else the only one."""
    gone = _GONE.search(instruction)
    if gone is None:
        return
    if re.match(r"(?i)\W*(?:the |empty |those |its )*(?:paren\w*|brackets|\(\))", instruction[gone.end() :]):
        yield from (one for one in (re.sub(r"(?<=\w)\(\)", "", text.content),) if one != text.content)
    for match in SIGN.finditer(instruction, gone.end()):
        sign, content = sign_of(match), text.content
        leading = _LEADING.search(instruction[: match.start()]) or _LEADING.search(instruction[match.end() :])
        if leading:
            if text.first and content.startswith(sign):
                yield content[len(sign) :].lstrip()
        elif text.last and content.rstrip().endswith(sign) and len(content) > len(sign):
            kept = content.rstrip()
            yield kept[: -len(sign)] + content[len(kept) :]
        elif content.count(sign) == 1 and " " in content and sign.strip() and len(content) > len(sign):
            yield content.replace(sign, "")


def respelled(instruction: str, text: Text) -> Iterator[str]:
    """With another sign, be it the whole text or the one that is told to go; blanks around it stay."""
    found = [(match.start(), match.end(), sign_of(match)) for match in SIGN.finditer(instruction)]
    found += [(one.start, one.end, one.text) for one in spans(instruction) if _is_symbol(one)]
    core = text.content.strip()
    for at, stop, new in found:
        if re.search(
            r"(?:\bnot|instead of|rather than|in place of|without|no)(?: an?| the)?\W*$", instruction[:at].lower()
        ):
            continue
        others = [old for other, _, old in found if other != at and old in text.content and old != new]
        alone = (_PUT.search(instruction[:at]) or _MEANT.match(instruction[stop:])) and not _BESIDE.match(
            instruction[stop:]
        )
        if alone and core and core != new and not re.search(r"[^\W_]|[{}]", core):
            yield from _padded(text.content, core, new, bool(_JOIN.search(instruction)))
        elif alone and not core and text.content and new != text.content:
            yield new
        for old in others:
            if old != core and re.search(
                r"instead|rather|not|\bto\b|->|\u2192|with|into|becomes?", instruction[stop:] + instruction[:at]
            ):
                yield text.content.replace(old, new)


def _is_symbol(one: Span) -> bool:
    return (
        bool(one.text)
        and not re.search(r"[\w\s]", one.text)
        and (not one.text.isascii() or one.mark in ("'", '"'))
        and one.text not in ("\u2192", "\u21d2", "\u2013", "\u2014")
    )


def _padded(content: str, core: str, new: str, joins: bool) -> Iterator[str]:
    same = content.replace(core, new)
    if new in (",", ";", ":") and content != core:
        yield f"{new} "
    elif new in (",", ";") and joins:
        yield from (new, f"{new} ")
        return
    elif new == r"\n":
        yield new
        return
    yield same


def spaced(instruction: str, text: Text) -> Iterator[str]:
    """With blanks around a sign or a word that is told, or with none where there are to be none."""
    for match in _AROUND.finditer(instruction):
        side = match["side"].lower()
        blanks = (
            ("", " ") if side in ("after", "behind") else (" ", "") if side in ("before", "in front of") else (" ", " ")
        )
        for sign in _signs_in(match["what"], text.content):
            left, right = (r"\s*" if blank else "" for blank in blanks)
            parts = re.split(left + re.escape(sign) + right, text.content)
            yield (sign if _GONE.search(instruction[: match.start()]) else sign.join(blanks)).join(parts)


def _signs_in(words: str, content: str) -> list[str]:
    """The signs and words told that a text holds, the first told first."""
    told = [(match.start(), sign_of(match)) for match in SIGN.finditer(words)]
    told += [(span.start, span.text) for span in spans(words) if not plain_word(span.text)]
    return [sign for _, sign in sorted(told) if sign.strip() and sign in content]


def cased(instruction: str, text: Text) -> Iterator[str]:
    """With a word in other case, or the first letter, or all of it."""
    lower, upper = _LOWER.search(instruction), _UPPER.search(instruction)
    if not (lower or upper):
        return
    change = (
        _lowered
        if lower
        else _capital
        if re.search(r"capitali[sz]|letter|capital\b", instruction, re.IGNORECASE)
        else str.upper
    )
    words = [span.text for span in spans(instruction) if span.mark or not plain_word(span.text)]
    inside = [
        word
        for word in words
        if word.strip() and re.search(rf"(?<!\w){re.escape(word)}(?!\w)", text.content, re.IGNORECASE)
    ]
    for word in inside:
        yield re.sub(
            rf"(?<![\w{{]){re.escape(word)}(?!\w)", lambda match: change(match[0]), text.content, flags=re.IGNORECASE
        )
    if not inside and text.first and text.content[:1].isalpha():
        yield (_lowered if lower else _capital)(text.content[:1]) + text.content[1:]
        if not text.formatted and not re.search(r"letter|capitali[sz]", instruction, re.IGNORECASE):
            yield text.content.lower() if lower else text.content.upper()


def _lowered(word: str) -> str:
    return word.lower()


def _capital(word: str) -> str:
    return word[:1].upper() + word[1:]


def valued(instruction: str, text: Text) -> Iterator[str]:
    """What follows "should be", "just", ... as the whole text."""
    if not (text.first and text.last) or text.formatted:
        return
    for told in _VALUE.finditer(instruction):
        new = re.split(r",? (?:instead|please|not|rather|now|here|there)\b|[,;]\s|\.$", told[1])[0].strip("\"'` ")
        plain = re.fullmatch(r"[^\W\d_][\w ',.:-]*", new) and new not in ("None", "True", "False")
        if plain and new != text.content and new.count(" ") < 6:
            yield new


def another(instruction: str, text: Text) -> Iterator[str]:
    """Another word of the same sort, as a colour for a colour."""
    said = set(re.findall(r"[\w-]+", instruction))
    for family in _FAMILIES:
        if text.content in family:
            words = said | ({word.lower() for word in said} if text.content.islower() else set())
            told = [word for word in family & words if word != text.content]
            yield from sorted(told, key=lambda word: instruction.lower().find(word.lower()))
