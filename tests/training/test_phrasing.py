from collections import Counter
from random import Random

import pytest

from spark_tui.training.macros import MACROS
from spark_tui.training.phrasing import Phrasebook
from spark_tui.training.skeletons import is_held_out, parse_skeleton

SLOTS = {"old": "total_rows", "new": "n", "text": "Return it.", "function": "load_page"}


def ask(skeletons: str, count: int = 200, **options: bool) -> list[str]:
    book = Phrasebook(skeletons)
    held_out = book.families[0].held_out
    found = (book.phrase(SLOTS, Random(n), held_out=held_out, **options) for n in range(count))
    return [phrase.text for phrase in found if phrase is not None]


def test_every_macro_is_well_formed() -> None:
    for name in MACROS:
        assert parse_skeleton(f"<{name}>")


@pytest.mark.parametrize("line", ["<nosuch> {old}", "[a|b {old}", "a|b] {old}"])
def test_a_malformed_skeleton_is_an_error(line: str) -> None:
    with pytest.raises(ValueError, match=r"macro|bracket|\["):
        parse_skeleton(line)


def test_slots_are_never_changed() -> None:
    texts = ask("rename the variable {old} to {new}", 500)
    assert all("total_rows" in text for text in texts)
    assert len(set(texts)) > 150


def test_an_alternative_with_an_unknown_slot_is_not_picked() -> None:
    texts = ask("fix [{unknown}|{old}] now")
    assert len(texts) == 200
    assert not any("unknown" in text for text in texts)


def test_a_line_that_needs_an_unknown_slot_is_not_used() -> None:
    assert ask("fix {unknown}") == []


def test_an_empty_slot_is_a_condition_that_shows_nothing() -> None:
    phrase = Phrasebook("add a docstring{unsaid}").phrase(
        {"unsaid": ""}, Random(3), held_out=is_held_out("add a docstring{unsaid}")
    )
    assert phrase
    assert "docstring`" not in phrase.text
    assert "docstring''" not in phrase.text


def test_a_line_about_a_selection_needs_one() -> None:
    assert ask("@fix this line") == []
    assert ask("@fix this line", selected=True)


def test_the_function_is_named_where_several_could_be_meant() -> None:
    assert all("load_page" in text for text in ask("remove {old}", ambiguous=True))
    assert sum("load_page" in text for text in ask("remove {old}")) < 60


def test_prose_at_the_end_gets_nothing_after_it_but_a_quote() -> None:
    for text in ask("add a docstring: {text}", ambiguous=True):
        assert text.rstrip(".!").endswith(("Return it", 'Return it."', "Return it.'", "Return it.`"))


def test_courtesy_is_only_put_before_a_command() -> None:
    asked = " ".join(ask("{old} is a bad name", 500)).lower()
    assert "please total_rows" not in asked
    assert any(text.lower().startswith("please rename") for text in ask("rename {old} to {new}", 500))


def test_a_small_share_of_the_lines_is_held_out_whatever_the_order() -> None:
    lines = [f"rename way {n} of {{old}}" for n in range(2000)]
    share = Counter(map(is_held_out, lines))[True] / len(lines)
    assert 0.12 < share < 0.18


def test_held_out_families_never_come_in_training() -> None:
    book = Phrasebook("\n".join(f"rename way {n} of {{old}}" for n in range(60)))
    held_out = {family.id for family in book.families if family.held_out}
    assert held_out
    for n in range(300):
        seen, unseen = book.phrase(SLOTS, Random(n)), book.phrase(SLOTS, Random(n), held_out=True)
        assert seen is not None
        assert seen.family not in held_out
        assert unseen is not None
        assert unseen.family in held_out


def test_the_same_generator_gives_the_same_words() -> None:
    assert ask("<rename> {old} to {new}") == ask("<rename> {old} to {new}")
