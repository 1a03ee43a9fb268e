import pytest

from spark_tui.context.wording import Sureness, file_names, mentions, search_terms

COMMON, PLAIN, MARKED, PLACE = Sureness


@pytest.mark.parametrize(
    ("instruction", "name", "sureness"),
    [
        ("add a docstring to `parse`", "parse", MARKED),
        ("add a docstring to parse()", "parse", MARKED),
        ("add a docstring to parse", "parse", PLAIN),
        ("document parse", "parse", PLAIN),
        ("parse and sort the lines", "sort", COMMON),
        ("add type hints for render", "render", PLAIN),
        ("make render faster", "render", PLAIN),
        ("rename load to read", "load", MARKED),
        ("rename d to rows in load", "load", PLACE),
        ("rename d to rows inside the load function", "load", PLACE),
        ("rename d to rows in the `load` function", "load", PLACE),
        ("the return type of the class Reader is missing", "Reader", PLACE),
        ("simplify the render method", "render", MARKED),
        ("simplify method render", "render", MARKED),
        ("fix read_all", "read_all", MARKED),
        ("fix readAll please", "readAll", MARKED),
        ("remove print from main.", "main", PLACE),
        ("top returns one too few", "top", PLAIN),
    ],
)
def test_how_surely_a_word_names_code(instruction: str, name: str, sureness: Sureness) -> None:
    assert {mention.parts: mention.sureness for mention in mentions(instruction)}[name,] == sureness


@pytest.mark.parametrize(
    ("instruction", "name"),
    [
        ("add it at the top", "top"),
        ("render the page", "render"),
        ("sort a list", "list"),
        ("in the loop", "loop"),
        ("use an f-string", "f"),
    ],
)
def test_commands_and_nouns_name_nothing(instruction: str, name: str) -> None:
    assert (name,) not in [mention.parts for mention in mentions(instruction)]


def test_dotted_names_come_in_parts() -> None:
    assert [mention.parts for mention in mentions("fix Reader.read and self.count")] == [
        ("Reader", "read"),
        ("and",),
        ("count",),
    ]


def test_file_names_are_words_with_a_dot() -> None:
    assert file_names("rename x in ./pkg/report.py, then stop.") == ("pkg/report.py",)


def test_search_terms_weigh_code_and_quoted_text_more_and_leave_fillers_out() -> None:
    terms = search_terms("change the 'Total cost' label of max_retries to 30")
    assert terms["total cost"] == terms["max_retries"] == 3.0
    assert terms["label"] == 1.0
    assert not {"the", "of", "to", "change"} & set(terms)
