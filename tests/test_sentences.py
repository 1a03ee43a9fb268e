"""Every sentence that the program can say, in one table (`python -m pytest -s
tests/test_sentences.py`), and how it is spelled.
"""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[1] / "spark_tui"
WORDS = re.compile(r"[A-Za-z`'}\])]{2,}[,.;:!?]* [`'({\[]?[A-Za-z{]{2,}")
"""What tells a sentence from a name, a format or a pattern: two words in a row."""
SILENT = re.compile(r"editing/mutations/|kernels/|hardening|wafer/published")
"""Files whose strings are data or code, which nobody is shown as a sentence."""
SHOWN = {"help", "description", "metavar"}
"""Arguments that are shown however short they are."""
RULES = {
    "American spelling": r"(?i)\b\w*(colour|neighbour|behaviour|favour|honour|centre"
    r"|licence|grey\b)"
    r"|\b(normal|initial|optimi|organi|recogni|summari|quanti|seriali|synchroni|capitali"
    r"|real)i?s(e[ds]?|ing|ation)\b",
    "no wish": r"(?i)\bwish",
    "no doubled period": r"(?<!\.)\.\.(?!\.)(?![/\w])",
    "straight apostrophes": "[‘’]",
    "no doubled word": r"\b(the|a|is|of|to|and|it|in) \1\b",
}


def text_of(node: ast.expr) -> str:
    """A literal as it is shown, with `{}` for what is filled in."""
    if isinstance(node, ast.Constant):
        return node.value if isinstance(node.value, str) else ""
    if isinstance(node, ast.JoinedStr):
        return "".join(
            text_of(each) if isinstance(each, ast.Constant) else "{}" for each in node.values
        )
    return ""


def sentences(path: Path) -> Iterator[tuple[int, str]]:
    """The literals of a module that somebody may read, by line: all with two words in a row but
    docstrings.
    """
    nodes = list(ast.walk(ast.parse(path.read_text("utf-8"))))
    hidden = {id(node.value) for node in nodes if isinstance(node, ast.Expr)}
    hidden |= {
        id(part) for node in nodes if isinstance(node, ast.JoinedStr) for part in node.values
    }
    words = [word for node in nodes if isinstance(node, ast.Call) for word in node.keywords]
    shown = {id(word.value) for word in words if word.arg in SHOWN}
    for node in nodes:
        if isinstance(node, ast.Constant | ast.JoinedStr) and id(node) not in hidden:
            text = text_of(node)
            if WORDS.search(text) or (text and id(node) in shown):
                yield node.lineno, text


def test_every_sentence_keeps_the_rules() -> None:
    files = [path for path in sorted(PACKAGE.rglob("*.py")) if not SILENT.search(path.as_posix())]
    found = [
        (f"{path.relative_to(PACKAGE)}:{line}", text)
        for path in files
        for line, text in sorted(sentences(path))
    ]
    print(*(f"{where}: {text}" for where, text in found), sep="\n")  # noqa: T201 - the table
    assert found
    assert not [
        (rule, *each)
        for each in found
        for rule, pattern in RULES.items()
        if re.search(pattern, each[1])
    ]


def test_a_sentence_is_found_wherever_it_stands_and_no_docstring_is_one(tmp_path: Path) -> None:
    (tmp_path / "page.py").write_text(
        '''"""The page of a module."""
NOTE = "nothing was written"
SHORT = "word"


def told(path):
    """Say what became of it."""
    return f"{path} is gone; review it again", {"why": "it was moved"}
'''
    )
    found = [text for _, text in sorted(sentences(tmp_path / "page.py"))]
    assert found == ["nothing was written", "it was moved", "{} is gone; review it again"]


@pytest.mark.parametrize(
    "text", ["your colour", "normalised", "as you wish", "it ended..", "the the file", "it’s"]
)
def test_the_rules_see_what_they_are_for(text: str) -> None:
    assert any(re.search(pattern, text) for pattern in RULES.values())
