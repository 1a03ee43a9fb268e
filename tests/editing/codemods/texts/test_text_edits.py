"""What words do to texts: messages, values, docstrings, comments."""

import pytest

from tests.editing.codemods.results import results

CODE = '''def load(path, size):
    if not path:
        raise ValueError(f"Cannot read {path}")
    if size < 0:
        raise OSError(f"bad size {size} for {path}.")
    print("Done ")
    log.warning("Slow disk")
    return f"{size / 3:.1f} MB"'''
PAINT = '''def paint(kind, rows):
    """Paint rows (all of them.

    Args:
        kind: how to paint
        rows: what to paint now

    Returns:
        str: the the result
    """
    # chose an hint
    colour = "green" if kind == "ok" else "red"
    # TODO: more kinds
    # and succesful ones
    sign = "_ "  # for all
    text = ", ".join(rows)
    return style(text, fg=colour, label=f"{kind}/{sign}", title="Rows of it")'''


def changed(code: str, *pairs: tuple[str, str]) -> str:
    for old, new in pairs:
        assert code.count(old) == 1, old
        code = code.replace(old, new)
    return code


@pytest.mark.parametrize(
    ("instruction", "old", "new"),
    [
        ("the ValueError should say: Cannot read 'x'. Is it there?", "read {path}", "read {path}. Is it there?"),
        ("second error: /tmp/x: bad size 3", "bad size {size} for {path}.", "{path}: bad size {size}"),
        ('"bad size 3 for x" -> "size 3 of x is bad"', "bad size {size} for {path}", "size {size} of {path} is bad"),
        ("'Cannot' \u2192 'can't'", "Cannot", "can't"),
        ("show the path with repr in the first error", "read {path}", "read {path!r}"),
        ("put quotes around path in the ValueError", "read {path}", "read '{path}'"),
        ("only the name in the first message, path.name", "read {path}", "read {path.name}"),
        ("drop the trailing period of the OSError", "{path}.", "{path}"),
        ("end the warning with an exclamation mark", "disk", "disk!"),
        ("prefix the warning with 'load: '", "Slow", "load: Slow"),
        ("start the warning with a dash", "Slow", "- Slow"),
        ("the ValueError message in lower case", "Cannot", "cannot"),
        ("capitalise bad in that message", "bad", "Bad"),
        ("no decimals in what is returned", ".1f", ".0f"),
        ("two digits after the point, not one", ".1f", ".2f"),
        ("thousands separators for size in the OSError", "{size}", "{size:,}"),
        ("print finished instead", "Done ", "finished"),
    ],
)  # fmt: skip
def test_messages_change_as_told(instruction: str, old: str, new: str) -> None:
    assert changed(CODE, (old, new)) in results("change_message", CODE, instruction)


@pytest.mark.parametrize(
    ("instruction", "pairs"),
    [
        ("quote the path in both errors", [("read {path}", "read {path!r}"), ("for {path}", "for {path!r}")]),
        ("all messages end in an ellipsis", [("read {path}", "read {path}..."), ("{path}.\"", "{path}...\""),
                                             ("Done ", "Done... "), ("disk", "disk...")]),
    ],
)  # fmt: skip
def test_several_messages_change_at_once(instruction: str, pairs: list[tuple[str, str]]) -> None:
    assert results("change_message", CODE, instruction)[0] == changed(CODE, *pairs)


@pytest.mark.parametrize(
    ("instruction", "old", "new"),
    [
        ("bad ones in yellow", '"red"', '"yellow"'),
        ("Blue is nicer than green", '"green"', '"blue"'),
        ("join with a semicolon", '", "', '"; "'),
        ("joined by newlines please, not commas", '", "', '"\\n"'),
        ("a star for the sign", '"_ "', '"* "'),
        ("\u2713 as the sign", '"_ "', '"\u2713 "'),
        ("use a dash instead of the slash", "}/{", "}-{"),
        ("title is just Rows", "Rows of it", "Rows"),
    ],
)
def test_values_change_to_what_is_named(instruction: str, old: str, new: str) -> None:
    assert changed(PAINT, (old, new)) in results("change_literal", PAINT, instruction)


@pytest.mark.parametrize(
    ("instruction", "old", "new"),
    [
        ("typo: succesful", "succesful", "successful"),
        ("spelling mistake in the comment", "succesful", "successful"),
        ("grammar: an hint", "an hint", "a hint"),
        ("doubled word in the docstring", "the the", "the"),
        ("the parenthesis in the docstring never closes", "them.", "them)."),
        ("the doc of kind should say: The sort of paint.", "how to paint", "The sort of paint."),
        ("describe rows in the docstring as 'lines of text'", "what to paint now", "lines of text"),
        ("docstring: what it returns is: the styled text", "the the result", "the styled text"),
        ("first line of the docstring: Paint some rows.", "Paint rows (all of them.", "Paint some rows."),
        ("the comment above the assignment of colour should say: pick one", "chose an hint", "pick one"),
        ("change the TODO to: support more", "more kinds\n    # and succesful ones", "support more"),
    ],
)  # fmt: skip
def test_prose_changes_as_told(instruction: str, old: str, new: str) -> None:
    assert changed(PAINT, (old, new)) in results("replace_text", PAINT, instruction)


@pytest.mark.parametrize(
    ("instruction", "gone"),
    [
        ("take out the comments '# TODO: ...' and 'for all'", ["    # TODO: more kinds\n", "  # for all"]),
        ("the first two lines of comments can go", ["    # chose an hint\n", "    # TODO: more kinds\n"]),
        ("the last comment is useless", ["  # for all"]),
        ("remove the comment about kinds", ["    # TODO: more kinds\n    # and succesful ones\n"]),
    ],
)
def test_comments_go_that_are_told_by_their_words_or_place(instruction: str, gone: list[str]) -> None:
    assert changed(PAINT, *((one, "") for one in gone)) in results("remove_comments", PAINT, instruction)[:2]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ('print("got", n)', 'print(f"got {n}")'),
        ('print(n, "of", total(n), "{}")', 'print(f"{n} of {total(n)} {{}}")'),
        ('print(f"{n:.1f}", "%")\nprint("a", sep="")', 'print(f"{n:.1f} %")\nprint("a", sep="")'),
    ],
)
def test_what_is_printed_becomes_one_f_string(before: str, after: str) -> None:
    assert results("fstring", before, "one f-string in the print")[0] == after


@pytest.mark.parametrize(
    ("kind", "instruction"),
    [
        ("change_message", "drop the dash at the end of the warning"),
        ("change_message", "configs ending in .ini get skipped"),
        ("change_literal", "the slow part is just wrong, a dash of luck is needed"),
        ("replace_text", "typo in the second message"),
        ("fstring", "one f-string in the print"),
    ],
)
def test_nothing_is_listed_where_nothing_is_there_to_change(kind: str, instruction: str) -> None:
    assert results(kind, CODE, instruction) == []
