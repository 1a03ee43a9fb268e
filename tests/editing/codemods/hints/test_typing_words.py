import pytest

from spark_tui.editing.codemods.hints.typing_words import types_said


@pytest.mark.parametrize(
    ("instruction", "types"),
    [
        ("a list of RetryPolicy objects", ["list[RetryPolicy]"]),
        ("Optional of int", ["Optional[int]"]),
        ("any number of strings in a tuple", ["tuple[str, ...]"]),
        ("a pair of str and np.ndarray", ["tuple[str, np.ndarray]"]),
        ("a str to int dict", ["dict[str, int]"]),
        ("a subclass of Base", ["type[Base]"]),
        ("an int or else a bytes object", ["int | bytes"]),
        ("`Callable[[int], str] | None`", ["Callable[[int], str] | None"]),
        ("f returns a Response", ["Response"]),
        ("it is of type Function", ["Function"]),
        ("-> Text please", ["Text"]),
        ("Foo | None", ["Foo | None"]),
        ("Thanks, Robert", []),
        ("Annotate this. I think we return a type", []),
    ],
)
def test_types_are_read_from_code_and_words(instruction: str, types: list[str]) -> None:
    assert list(types_said(instruction))[: len(types) or None] == types


def test_a_name_of_the_code_may_be_a_type() -> None:
    assert types_said("what Response", frozenset(["Response"])) == ("Response",)
    assert not types_said("what Response")
