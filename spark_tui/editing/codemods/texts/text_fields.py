"""What words do to the fields of a text: how they are shown, what stands in them, and texts told by an example.

Each function lists the contents that a text may get, the likeliest first.
"""

import itertools
import re
from collections.abc import Iterator, Sequence

from spark_tui.editing.codemods.common.said import code_like, is_expression, said, spans, word_said
from spark_tui.editing.codemods.texts.text_words import cased
from spark_tui.editing.codemods.texts.texts import FIELD, Text

_REPR = re.compile(r"(?i)!r\b|%r|\bbare\b|\brepr\b|\bquot(?:e|es|ed|ing)\b|\bquotation marks?\b")
_NO_REPR = re.compile(
    r"(?i)\b(?:no|without|drop|remove|not be|not|lose|strip|unquote\w*)\b (?:\w+ ){0,3}?(?:!r|repr|quot\w+)"
    r"|\bunquoted?\b|!s\b|\bbare\b"
)
_SURE = re.compile(r"!r\b|%r|\brepr\b")
_NOT_SURE = re.compile(r"(?i)\b(?:no|drop|without|lose|not) (?:the )?(?:!r|%r|repr)")
_NUMBERS = {
    word: number
    for number, word in enumerate(["no", "one", "two", "three", "four", "five", "six", "seven", "eight"])
} | {"zero": 0, "single": 1}  # fmt: skip
_COUNT = rf"(?P<n>\d{{1,2}}|{'|'.join(_NUMBERS)})"
_DECIMALS = re.compile(rf"(?i)\b{_COUNT}[ -](?:decimals?|digits? (?:after|behind)|places?\b|fraction\w* digits?)"
    rf"|\b{_COUNT.replace('<n>', '<m>')} (?:significant )?digits?\b")  # fmt: skip
_WIDTH = re.compile(
    rf"(?i)\b{_COUNT} (?:char\w*|columns?|wide|digits?|places?|spaces?)\b"
    rf"|\b(?:to|of|width) {_COUNT.replace('<n>', '<m>')}\b"
)
_SPECS = (
    (re.compile(r"(?i)\bthousands?\b|\bdigit group"), (":,",)),
    (re.compile(r"(?i)\bas (?:a )?percent|\bpercentage"), (":.0%", ":.1%")),
    (re.compile(r"(?i)\bscientific|\bexponent"), (":e",)),
    (re.compile(r"(?i)\b(?:in|as) hex"), (":x", ":#x")),
)
_ALIGNED = re.compile(r"(?i)\b(right|left|cent)\w*[- ](?:align|justif)\w*|\b(?:align|justif|pad)\w*")
_ZEROS = re.compile(r"(?i)\bzero[- ]?(?:pad|fill)|\b(?:leading|with) zero(?:e?s)?\b")
_PRECISION = re.compile(r"(?<=\.)\d+(?=[fFeEgG%])")
_PERCENT = re.compile(r"(?<=%\.)\d+(?=[feg])")
_CUE = re.compile(
    r"(?:\bi\.e\.|\be\.g\.|\bso|\blike|\bsays?|\breads?|\bshould be|\bbecomes?|\bexample|\u2192|=>|->|:)[:,]?\s+"
)
_PATH = r"/[\w./-]*\w|[\w./-]+\.(?:py|txt|json|toml|csv|md|cfg|ya?ml|log)\b"
_TOKEN = re.compile(_PATH + r"|\{[^{}]*\}|<[\w .]+>|'[^' ]*'|\w[\w.]*\w|\w|\.\.\.|[^\w\s]")
_HOLE = re.compile(_PATH + r"|\{[^{}]*\}|<[\w .]+>|'[^' ]*'|-?\d[\w.]*|[A-Z]{1,3}|[xyzn]|\.\.\.|\u2026")
_PARTS = re.compile(r"\s+(?:and|or)\s+|,\s+")


def shown(instruction: str, text: Text) -> Iterator[str]:
    """With fields shown by their repr, or not any more; together with the case of a word where both are told."""
    if not _REPR.search(instruction):
        return
    yield from _repr_for_quotes(instruction, text)
    if _NO_REPR.search(instruction):
        yield from _unquoted(text)
        return
    for content in (*cased(instruction, text), text.content):
        fields = list(FIELD.finditer(content)) if text.formatted else []
        told = [field for field in fields if _is_told(field, instruction)]
        if told and len(told) < len(fields):
            yield FIELD.sub(lambda field: _by_repr(field) if _is_told(field, instruction) else field[0], content)
        every = FIELD.sub(_by_repr, content) if text.formatted else content.replace("%s", "%r")
        if every != content:
            yield every
        for field in fields if len(fields) > 1 and not told else ():
            yield content[: field.start()] + _by_repr(field) + content[field.end() :]
    mark = "'" if text.mark == '"' else '"'
    for field in text.fields if "!r" not in instruction else ():
        if text.content[: field.start()][-1:] != mark:
            yield f"{text.content[: field.start()]}{mark}{field[0]}{mark}{text.content[field.end() :]}"


def _repr_for_quotes(instruction: str, text: Text) -> Iterator[str]:
    """With the repr of what stands in quotes, where a repr is told."""
    if not _SURE.search(instruction) or _NOT_SURE.search(instruction):
        return
    content = re.sub(r"(['\"`])%s\1", "%r", text.content)
    content = re.sub(r"(['\"`])\{([\w.]+)\}\1", r"{\2!r}", content) if text.formatted else content
    if content != text.content:
        yield content


def _unquoted(text: Text) -> Iterator[str]:
    if text.formatted and (plain := re.sub(r"!r(?=[:}])", "", text.content)) != text.content:
        yield plain
    if (bare := re.sub(r"(?<!\w)(['\"`])(\{[^{}]*\}|%s)\1(?!\w)", r"\2", text.content)) != text.content:
        yield bare


def _is_told(field: re.Match[str], instruction: str) -> bool:
    return word_said(instruction, field[1].rpartition(".")[2])


def _by_repr(field: re.Match[str]) -> str:
    inner = re.sub(r"^(?:str|repr)\(([^()]*)\)$", r"\1", field[1])
    simple = re.fullmatch(r"[\w.]+(?:\([^()]*\)|\[[^\[\]]*\])*", inner)
    return f"{{{inner}!r{field[3] or ''}}}" if simple and not field[2] else field[0]


def measured(instruction: str, text: Text) -> Iterator[str]:
    """With other format specs: decimals, width, thousands, percent, hexadecimal."""
    for change in _spec_changes(instruction):
        fields = [field for field in text.fields if not field[2] and not field[3]]
        named = [field for field in fields if said(instruction, field[1])] or fields
        for field in named:
            yield (
                text.content[: field.start()] + f"{{{field[1]}{field[2] or ''}{change}}}" + text.content[field.end() :]
            )


def precise(instruction: str, text: Text) -> Iterator[str]:
    """With as many decimals as are told where there is a number of them."""
    if decimals := _decimals(instruction):
        for pattern in (_PRECISION, _PERCENT):
            if (new := pattern.sub(decimals, text.content)) != text.content:
                yield new


def _decimals(instruction: str) -> str:
    found = _DECIMALS.search(instruction)
    return _number(found[1] or found[2]) if found else ""


def _number(word: str) -> str:
    return word if word.isdigit() else str(_NUMBERS[word.lower()])


def _spec_changes(instruction: str) -> Iterator[str]:
    for pattern, specs in _SPECS:
        if pattern.search(instruction):
            decimals = _decimals(instruction)
            yield from (
                re.sub(r"\.\d", f".{decimals}", spec) if decimals else spec for spec in specs[: 1 if decimals else 2]
            )
            return
    width = _WIDTH.search(instruction)
    zeros, aligned = _ZEROS.search(instruction), _ALIGNED.search(instruction)
    if width and (zeros or aligned):
        number = _number(width[1] or width[2])
        yield f":0{number}" if zeros else f":{_side(aligned)}{number}"
    elif decimals := _decimals(instruction):
        yield f":.{decimals}f"


def _side(aligned: re.Match[str] | None) -> str:
    side = (aligned[1] or "").lower() if aligned else ""
    return {"right": ">", "left": "<", "cent": "^"}.get(side, ">")


def refilled(instruction: str, text: Text) -> Iterator[str]:
    """With an expression that is told in the place of one that it is made of, or that it is told instead of."""
    told = [
        span.text for span in spans(instruction) if (span.mark or code_like(span.text)) and is_expression(span.text)
    ]
    for new in dict.fromkeys(told):
        for field in text.fields:
            old = field[1]
            within = re.search(rf"(?<![\w.]){re.escape(old)}(?!\w)", new) and new != old
            swapped = old in told and new != old and re.search(
                rf"{re.escape(new)}\W*(?:instead of|rather than|not|in place of)\W*{re.escape(old)}"
                rf"|{re.escape(old)}\W*(?:with|by|to|->|\u2192|becomes?|should be)\W*{re.escape(new)}",
                instruction,
            )  # fmt: skip
            if (within or swapped) and re.match(r"[^\W\d]", new):
                fresh = f"{{{new}{field[2] or ''}{field[3] or ''}}}"
                yield text.content[: field.start()] + fresh + text.content[field.end() :]


def exemplified(instruction: str, text: Text) -> Iterator[str]:
    """What an example of the new text tells, with the fields where the example has values."""
    for example in examples(instruction):
        if example == text.content:
            continue
        if example.startswith(("...", "\u2026")):
            yield from _from_there(example.lstrip(".\u2026 "), text.content)
        elif ((new := _fitted(example, text)) and new != text.content) or (
            text.fields and (new := _filled(example, text)) and new != text.content
        ):
            yield new


def examples(instruction: str) -> list[str]:
    """What may be an example of a text: what is quoted, and what follows "so:", "e.g.", "like", ...; and its parts."""
    found = [span.text for span in spans(instruction) if span.mark]
    for cue in _CUE.finditer(instruction):
        if any(span.mark and span.start < cue.end() <= span.end for span in spans(instruction)):
            continue
        tail = instruction[cue.end() :].strip()
        if tail.endswith(")") and tail.count(")") > tail.count("("):
            tail = tail[:-1]
        found.append(tail)
        found += [part.rstrip(".") for part in _PARTS.split(tail)] if _PARTS.search(tail) else []
    return [one for one in dict.fromkeys(found) if len(_TOKEN.findall(one)) > 1]


def _from_there(rest: str, content: str) -> Iterator[str]:
    """The end of a text from where the first words of what is told stand in it."""
    words = rest.split()[:2]
    if len(words) == 2 and (place := re.search(r"\s+".join(map(re.escape, words)), content, re.IGNORECASE)):
        yield content[: place.start()] + rest


def _fitted(example: str, text: Text) -> str:
    """The example where it is the text as it is but for blanks, and for what comes behind; with its fields."""
    pieces, at = list[str](), 0
    for field in text.fields:
        pieces += [re.escape(token) for token in _words(text.content[at : field.start()])] + [r"(\S+?|'[^']*')"]
        at = field.end()
    pieces += [re.escape(token) for token in _words(text.content[at:].rstrip(" .!?"))]
    if not text.fields or len(pieces) == len(text.fields):
        return ""
    found = re.fullmatch(r"\s*".join(pieces) + (r"(?:[.!?:,;]?(?:\s.*)?)" if _is_prose(text) else r"[.!?]?"), example)
    return _with_fields(example, [found.span(at + 1) for at in range(len(text.fields))], text.fields) if found else ""


def _is_prose(text: Text) -> bool:
    return len(re.findall(r"[^\W\d_]{2,}", FIELD.sub(" ", text.content))) > 1


def _words(content: str) -> list[str]:
    return re.findall(r"\w+|[^\w\s]", content)


def _with_fields(example: str, places: Sequence[tuple[int, int]], fields: Sequence[re.Match[str]]) -> str:
    new, at = "", 0
    for (start, stop), field in zip(places, fields, strict=True):
        source = example[start:stop] if FIELD.fullmatch(example[start:stop]) else field[0]
        new, at = new + _plain(example[at:start]) + source, stop
    return new + _plain(example[at:])


def _plain(text: str) -> str:
    return text.replace("{", "{{").replace("}", "}}")


def _filled(example: str, text: Text) -> str:
    """The example that has as many values as the text has fields, where most of their words are the same."""
    words = {word.lower() for word in re.findall(r"[^\W\d]{2,}", FIELD.sub(" ", text.content))}
    told = {word.lower() for word in re.findall(r"[^\W\d]{2,}", example)}
    if not words or 2 * len(words & told) < min(len(words), len(told)):
        return ""
    holes = [token.span() for token in _TOKEN.finditer(example) if _is_hole(token[0], text)]
    if len(holes) != len(text.fields):
        return ""
    order = _in_order(
        [_word_before(example, start) for start, _ in holes],
        [_word_before(text.content, one.start()) for one in text.fields],
    )
    return _with_fields(example, holes, [text.fields[at] for at in order])


def _word_before(words: str, at: int) -> str:
    found = re.search(r"([^\W\d]+)\W*$", words[:at])
    return found[1].lower() if found else ""


def _in_order(holes: Sequence[str], fields: Sequence[str]) -> list[int]:
    """Which field goes into each hole: the one behind the same word, else the next that is left."""
    sure = {
        at: fields.index(word) for at, word in enumerate(holes) if word and fields.count(word) == 1 == holes.count(word)
    }
    rest = [at for at in range(len(fields)) if at not in sure.values()]
    return [sure[at] if at in sure else rest.pop(0) for at in range(len(holes))]


def _is_hole(token: str, text: Text) -> bool:
    parts = {field[1].rpartition(".")[2] for field in text.fields}
    return bool(_HOLE.fullmatch(token)) or (token in parts and token not in _words(FIELD.sub(" ", text.content)))


def reworded(instruction: str, text: Text) -> Iterator[str]:
    """With a part that is quoted replaced by what is quoted next; values in it stand for the fields."""
    told = [span for span in spans(instruction) if span.mark]
    for left, right in itertools.pairwise(told):
        between, before = instruction[left.end : right.start].lower(), instruction[: left.start].lower()
        old, new = left.text, right.text
        if re.search(r"instead of|rather than|in place of|\bnot\b", between):
            old, new = new, old
        elif not re.search(
            r"\bto\b|->|\u2192|=>|\bwith\b|\bby\b|becomes?|should|\bas\b|\binto\b", between + before[-20:]
        ):
            continue
        if (content := _replaced(old, new, text.content)) and content != text.content:
            yield content


def _replaced(old: str, new: str, content: str) -> str:
    tokens = list(_TOKEN.finditer(old))
    pattern, at, holes = "", 0, list[str]()
    for token in tokens:
        pattern += (
            r"\s*"
            if old[at : token.start()].strip() == "" and at < token.start()
            else re.escape(old[at : token.start()])
        )
        if _HOLE.fullmatch(token[0]):
            holes.append(token[0])
            pattern += rf"(\{{[^{{}}]*\}}|%[srd]|{re.escape(token[0])})"
        else:
            pattern += re.escape(token[0])
        at = token.end()
    edge = (r"(?<!\w)" if old[:1].isalnum() else ""), (r"(?!\w)" if old[-1:].isalnum() else "")
    found = re.search(edge[0] + pattern + edge[1], content) if tokens else None
    if found is None:
        return ""
    filled = _TOKEN.sub(lambda token: found[holes.index(token[0]) + 1] if token[0] in holes else token[0], new)
    return content[: found.start()] + filled + content[found.end() :]
