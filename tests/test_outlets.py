"""What people are shown goes through the few places that make it safe: nothing prints or reads
markup on its own.
"""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

SOURCE = Path(__file__).parents[1] / "spark_tui"
MAY_PRINT = {
    "__main__.py",  # on Windows, where nothing else can be imported
    "providers/template_process.py",  # to the process that started it
    "cli/output.py",
    "training/dataset.py",
    "training/teach.py",
}
PRINTING = {
    "print",
    "Console",
    "stdout.write",
    "stderr.write",
    "buffer.write",
    "tcsetattr",
    "breakpoint",
    "pprint",
}
MARKUP = {
    "from_markup",
    "Label",
    "Markdown",
    "RichLog",
    "Log",
    "escape",
    "render_markup",
    "action_notify",
}
MAY_SET_TERMINAL = {"tui/watchdog.py", "cli/terminal_modes.py"}
"""To put it back; to have keys one by one, and pastes whole."""
MAY_READ_MARKDOWN = "tui/widgets/answer_text.py"
"""What a model says; see tests/tui/test_answers.py."""
SAFE_TEXTS = {"Text", "Content", "visible", "_sheet", "assemble"}


def calls(tree: ast.AST) -> Iterator[tuple[str, ast.Call]]:
    """Every call with its name, and what it is called on."""
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call):
            continue
        match node.func:
            case ast.Name(id=name):
                yield name, node
            case ast.Attribute(attr=name, value=ast.Attribute(attr=owner) | ast.Name(id=owner)):
                yield f"{owner}.{name}", node
                yield name, node
            case ast.Attribute(attr=name):
                yield name, node


def found_in(path: Path) -> list[str]:
    """Calls that would show text on their own."""
    where, wrong = path.relative_to(SOURCE).as_posix(), []
    for name, call in calls(ast.parse(path.read_text("utf-8"))):
        sets = name == "tcsetattr" and where in MAY_SET_TERMINAL
        if name in PRINTING and where not in MAY_PRINT and not sets:
            wrong.append(f"{where}:{call.lineno}: {name} (use spark_tui/cli/output.py)")
        if (
            where.startswith("tui/")
            and name in MARKUP
            and (name, where) != ("Markdown", MAY_READ_MARKDOWN)
        ):
            wrong.append(f"{where}:{call.lineno}: {name} may read markup")
        if where.startswith("tui/") and name == "notify" and not _without_markup(call):
            wrong.append(f"{where}:{call.lineno}: notify(visible(...), markup=False)")
        if (
            where.startswith("tui/")
            and name in {"Static", "self.update", "Static.update"}
            and not _is_text(call)
        ):
            wrong.append(f"{where}:{call.lineno}: {name} wants a Text or a constant")
    return wrong


def _without_markup(call: ast.Call) -> bool:
    plain = any(
        each.arg == "markup" and ast.unparse(each.value) == "False" for each in call.keywords
    )
    return plain and ast.unparse(call.args[0]).startswith("visible(")


def _is_text(call: ast.Call) -> bool:
    first = call.args[0] if call.args else ast.Constant("")
    return isinstance(first, ast.Constant) or (
        isinstance(first, ast.Call) and ast.unparse(first.func).rpartition(".")[2] in SAFE_TEXTS
    )


def test_nothing_shows_text_past_the_places_that_make_it_safe() -> None:
    assert [each for path in sorted(SOURCE.rglob("*.py")) for each in found_in(path)] == []


@pytest.mark.parametrize(
    "line",
    [
        "print(x)",
        "sys.stdout.write(x)",
        "Text.from_markup(x)",
        "self.notify(x)",
        "Static(x)",
        "self.notify(visible(x))",
    ],
)
def test_what_would_be_found(line: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tests.test_outlets.SOURCE", tmp_path)
    path = tmp_path / "tui" / "new.py"
    path.parent.mkdir()
    path.write_text(line)
    assert len(found_in(path)) == 1
