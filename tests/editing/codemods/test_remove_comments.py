import pytest

from tests.editing.codemods.results import results

CODE = "# top\n# more\na = 1  # one\n\n# alone\n\nb = '# no'\ndef f():\n    # in f\n    c()  # noqa"
BARE = "a = 1\n\nb = '# no'\ndef f():\n    c()  # noqa"


@pytest.mark.parametrize(
    ("before", "instruction", "after"),
    [
        (CODE, "remove all the comments", [BARE, CODE.replace("    # in f\n", "")]),
        (CODE, "the comment `# alone` goes", [CODE.replace("# alone\n\n", "")]),
        (CODE, "drop the comments in f", [CODE.replace("    # in f\n", "")]),
        (
            "a = 1\n# TODO: b\nc = 2  # d",
            "drop the todo",
            ["a = 1\nc = 2  # d"],
        ),
        ("a = '''\n# text\n'''", "", []),
        ("a = 1  # type: ignore", "", []),
    ],
)
def test_comments_go_and_code_stays(before: str, instruction: str, after: list[str]) -> None:
    assert results("remove_comments", before, instruction) == after


def test_a_selection_says_which_comment() -> None:
    assert results("remove_comments", CODE, "not needed", (2, 2)) == [CODE.replace("  # one", "")]
