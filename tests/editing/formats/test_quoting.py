"""The edit format that quotes: literal scripts, and every edit comes back from its own."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spark_tui.editing.formats.quoted import (
    Applied,
    QuotedRequest,
    QuotingError,
    apply_quoted,
    region_pieces,
    request_pieces,
    script_pieces,
    write_quoted,
)

LINES = st.lists(
    st.sampled_from(["a = 1", "    b = a", "        b = a", "", "return b", "b"]), max_size=9
)

LOAD = [
    "def load(path):",
    "    d = []",
    "    for line in open(path):",
    "        d.append(line)",
    "    return d",
]


@pytest.mark.parametrize(
    ("after", "script"),
    [
        (LOAD, ["none"]),
        ([*LOAD[:1], "    d = set()", *LOAD[2:]], ["-    d = []", "+    d = set()"]),
        ([LOAD[0], '    """Read."""', *LOAD[1:]], [" def load(path):", '+    """Read."""']),
        (["import os", "", *LOAD], ["+import os", "+"]),
        ([LOAD[0], *LOAD[2:]], ["-    d = []"]),
        ([*LOAD, "", "x = 1"], ["     return d", "+", "+x = 1"]),
        (
            [
                *LOAD[:2],
                "    with open(path) as f:",
                "        for line in f:",
                "            d.append(line)",
                LOAD[4],
            ],
            [
                "-    for line in open(path):",
                "+    with open(path) as f:",
                "+        for line in f:",
                "-        d.append(line)",
                "+            d.append(line)",
            ],
        ),
        ([line.replace("path", "name") for line in LOAD], ["rename path name"]),
        (
            [line.replace("path", "name").replace("line", "row") for line in LOAD],
            ["rename path name", "rename line row"],
        ),
    ],
)
def test_an_edit_has_one_canonical_script(after: list[str], script: list[str]) -> None:
    assert write_quoted(LOAD, after) == script
    assert apply_quoted(LOAD, script) == after


def test_a_line_that_stands_twice_is_reached_past_one_above_it() -> None:
    before = ["if a:", "    stop()", "if b:", "    stop()"]
    assert write_quoted(before, ["if a:", "    stop()", "if b:", "    go()"]) == [
        " if b:",
        "-    stop()",
        "+    go()",
    ]


def test_of_two_equal_neighbours_the_second_is_reached_past_the_first() -> None:
    assert write_quoted(["x", "x"], ["x", "y"]) == [" x", "-x", "+y"]


def test_a_name_in_a_string_is_not_renamed_and_the_edit_is_written_by_its_lines() -> None:
    script = write_quoted(["x = 1", "print('x', x)"], ["y = 1", "print('y', y)"])
    assert script == ["-x = 1", "+y = 1", "-print('x', x)", "+print('y', y)"]


@given(LINES, LINES)
def test_every_edit_comes_back_from_its_script(before: list[str], after: list[str]) -> None:
    assert apply_quoted(before, write_quoted(before, after)) == after


@pytest.mark.parametrize(
    ("script", "settled"),
    [
        (["-a", "+x"], "a b c d"),
        (["-a", "+x", "-b"], "a b c d"),
        (["-a", "+x", "-b", "-d"], "x c d"),
        (["+x", "-a", " b"], "x b c d"),
        ([" a", "+x"], "a b c d"),
        (["rename a e"], "e b c d"),
    ],
)
def test_a_place_is_settled_once_the_script_has_left_it(script: list[str], settled: str) -> None:
    applied = Applied("abcd")
    for line in script:
        applied.take(line)
    assert applied.settled() == settled.split()


@pytest.mark.parametrize(
    "script", [["-no such line"], ["     return d", "-    d = []"], ["rename a"], ["hello"]]
)
def test_a_script_that_does_not_fit_is_refused(script: list[str]) -> None:
    with pytest.raises(QuotingError):
        apply_quoted(LOAD, script)


def test_a_prompt_holds_the_region_first_and_says_what_was_marked_and_asked_before() -> None:
    request = QuotedRequest(
        "src/load.py", tuple(LOAD), " a set ", selected=(LOAD[1],), earlier=("a list",)
    )
    text = "".join([*region_pieces(request.path, request.lines), *request_pieces(request)])
    region = "\n".join(LOAD)
    asked = "### Earlier\na list\n### Selected\n    d = []\n### Request\na set\n### Edit\n"
    assert text == f"### File load.py\n{region}\n{asked}"


def test_a_quoted_line_is_spelled_apart_from_its_mark() -> None:
    assert script_pieces(["-x", "+", "rename a b", "none"]) == [
        "-",
        "x\n",
        "+",
        "\n",
        "rename a b",
        "\n",
        "none",
        "\n",
    ]
