"""Docstrings put in shape: period, capital letter, one line, triple double quotes, mood, blank line."""

import ast
import re
from collections.abc import Callable, Iterator, Sequence
from typing import ClassVar

from spark_tui.editing.code import MAX_WIDTH, docstring_node, end_of, indentation, start_of
from spark_tui.editing.codemods.base import Codemod, Ops, Request
from spark_tui.editing.codemods.common.tidy import Spot, choices
from spark_tui.editing.codemods.prose.doc_shapes import requoted_docs
from spark_tui.editing.snippet import Snippet

_LITERAL = re.compile(r"""([rRuU]?)("{3}|'{3}|"|')(.*)\2""", re.DOTALL)
_WORDS = {
    "oneline": r"one[- ]?lin|single line|on one line|D200|fits on one|a line|same line as the quotes|vertical space",
    "period": r"period|full stop|\bdots?\b|punctuat|D400|D415|end with|ends? in",
    "capital": r"capital|upper ?case|D403|lower ?case",
    "quotes": r"quot|D300|\"\"\"|'''",
    "mood": r"imperative|D401|mood|third person|command|infinitive",
    "blank": r"blank line|empty line|D205|newline",
    "strip": r"whitespace|\bspaces?\b|D210|pad(ding|ded)",
}
_IRREGULAR = {"does": "do", "goes": "go", "has": "have", "is": "be", "tries": "try"}


class DocstringStyle(Codemod):
    """Docstrings get the form that style guides ask for; their words stay."""

    kind: ClassVar[str] = "docstring_style"

    def edits(self, before: Snippet, request: Request) -> Iterator[Ops]:
        """What the words ask for, or everything at once: in all docstrings, in each; then each rule."""
        yield from requoted_docs(before, request)
        wanted = [rule for rule, pattern in _WORDS.items() if re.search(pattern, request.instruction, re.IGNORECASE)]
        found = [
            spot
            for rules in ([wanted] if wanted else [[r for r in _WORDS if r != "mood"], *([one] for one in _WORDS)])
            for spot in spots(before, rules)
        ]
        seen: set[Ops] = set()
        for sort in dict.fromkeys(one.sort for one in found):
            for ops in choices(before, [one for one in found if one.sort == sort], request):
                if ops not in seen:
                    seen.add(ops)
                    yield ops

    def objection(self, before: Snippet, after: Sequence[str], request: Request) -> str:
        """As for any codemod; a name in the words that sounds like a rule is no rule."""
        return super().objection(before, after, request) and super().objection(before, after, Request())


def spots(before: Snippet, rules: Sequence[str]) -> Iterator[Spot]:
    """Every docstring that the rules change."""
    for node in docstrings(before):
        (first, start), (last, end) = start_of(before, node), end_of(before, node)
        rows = [before.lines[first][start:], *before.lines[first + 1 : last + 1]]
        rows[-1] = rows[-1][: end - (start if first == last else 0)]
        old = "\n".join(rows)
        new = old
        for rule in sorted(rules, key=list(_WORDS).index, reverse=True):
            new = _RULES[rule](new, indentation(before.lines[first]))
        if (
            new != old
            and len(before.lines[first][:start] + new.partition("\n")[0] + before.lines[last][end:]) <= MAX_WIDTH
        ):
            yield Spot((first, start), (last, end), new, "+".join(rules))


def docstrings(before: Snippet) -> list[ast.Expr]:
    """The docstrings of functions and classes, and of a module that begins the region; by place."""
    scopes = [node for node in before.nodes if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)]
    found = [docstring_node(one) for one in (*scopes, *([] if before.margin else [before.tree]))]
    return sorted((one for one in found if one), key=lambda one: one.lineno)


def _parts(text: str) -> tuple[str, str, str] | None:
    """A literal as (prefix, quotes, content)."""
    match = _LITERAL.fullmatch(text)
    return (match[1], match[2], match[3]) if match else None


def _summary(content: str) -> tuple[int, int] | None:
    """Where the summary is: the first paragraph."""
    match = re.search(r"\S(?:.*?)(?=\s*(?:\n\s*\n|\Z))", content, re.DOTALL)
    return match.span() if match else None


def _on_summary(change: Callable[[str], str]) -> Callable[[str, str], str]:
    def rule(text: str, _margin: str) -> str:
        parts = _parts(text)
        span = _summary(parts[2]) if parts else None
        if not parts or not span:
            return text
        prefix, quotes, content = parts
        new = change(content[span[0] : span[1]])
        return f"{prefix}{quotes}{content[: span[0]]}{new}{content[span[1] :]}{quotes}"

    return rule


def _with_period(summary: str) -> str:
    """The period comes to the end of the first line, when that is all there is of the summary."""
    bare = "\n" not in summary and (summary[-1].isalnum() or summary[-1] in ")`'\"]}")
    return summary + "." if bare else summary


def _capitalized(summary: str) -> str:
    word = re.match(r"[a-z][a-z]*(?=[\s,.:;]|$)", summary)
    return summary[0].upper() + summary[1:] if word else summary


def _imperative(summary: str) -> str:
    """`Returns x` becomes `Return x`."""
    match = re.match(r"[A-Za-z]+s(?=\s)", summary)
    if not match or match[0].lower().endswith(("ss", "us", "this")) or len(match[0]) < 4:
        return summary
    word = match[0]
    lower = word.lower()
    base = _IRREGULAR.get(lower) or (
        word[:-3] + "y"
        if lower.endswith("ies")
        else word[:-2]
        if re.search(r"(ss|sh|ch|x|zz)es$", lower)
        else word[:-1]
    )
    rest = re.sub(
        r"((?:,| and| or) (?:\w+ly )?\w{3,}[^s\W])s(?=, | (?:an?|the|it|its|them)\b)", r"\1", summary[match.end() :]
    )
    return (base.capitalize() if word[0].isupper() else base) + rest


def _stripped(text: str, _margin: str) -> str:
    parts = _parts(text)
    if not parts or "\n" in text or not parts[2].strip() or parts[2].strip()[-1:] in "\"'\\":
        return text
    return f"{parts[0]}{parts[1]}{parts[2].strip()}{parts[1]}"


def _one_line(text: str, margin: str) -> str:
    parts = _parts(text)
    if not parts or "\n" not in text or len(parts[1]) < 3:
        return text
    words = [line.strip() for line in parts[2].strip().split("\n")]
    line = f"{parts[0]}{parts[1]}{words[0]}{parts[1]}"
    whole = len(words) == 1 and words[0] and words[0][-1] not in "\"'\\" and len(margin + line) <= MAX_WIDTH
    return line if whole else text


def _double_quotes(text: str, _margin: str) -> str:
    parts = _parts(text)
    if not parts or parts[1] == '"""' or '"' in parts[2] or "\\" in parts[2]:
        return text
    return f'{parts[0]}"""{parts[2]}"""'


def _blank_line(text: str, _margin: str) -> str:
    """A blank line comes after a first line that is a sentence of its own."""
    parts = _parts(text)
    match = re.match(r"(\s*)(\S[^\n]*[.!?])\n(?=[ \t]*\S)", parts[2]) if parts else None
    if not parts or not match or "\n" not in parts[2][match.end() :].rstrip() + "\n":
        return text
    rest = parts[2][match.end() :]
    return f"{parts[0]}{parts[1]}{match[0]}\n{rest}{parts[1]}" if rest.strip() else text


_RULES: dict[str, Callable[[str, str], str]] = {
    "oneline": _one_line,
    "period": _on_summary(_with_period),
    "capital": _on_summary(_capitalized),
    "quotes": _double_quotes,
    "mood": _on_summary(_imperative),
    "blank": _blank_line,
    "strip": _stripped,
}
