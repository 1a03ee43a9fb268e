from itertools import islice
from pathlib import Path
from random import Random

import pytest

from spark_tui.editing.script import LineOp, Substitute, apply_script
from spark_tui.editing.snippet import Snippet
from spark_tui.training.data import groups, make_group, with_other_locals
from spark_tui.training.examples import Example, Group, read_groups, write_groups
from spark_tui.training.kinds.registry import KIND_NAMES
from spark_tui.training.skeletons import is_held_out


@pytest.fixture(scope="module")
def made(real_snippets: list[Snippet]) -> list[Group]:
    return list(groups(real_snippets, seed=5, processes=2))


def examples(found: list[Group]) -> list[Example]:
    return [one for group in found for one in group.examples]


def test_nearly_every_snippet_gives_several_examples(made: list[Group], real_snippets: list[Snippet]) -> None:
    assert len(made) > 0.9 * len(real_snippets)
    assert len(examples(made)) > 3 * len(made)


def test_every_example_applies_to_its_region_and_changes_it(made: list[Group]) -> None:
    for group in made:
        unit = Snippet(group.before).layout.unit
        for one in group.examples:
            changed = apply_script(group.before, one.ops, unit=unit) != list(group.before)
            assert changed == (one.kind != "none")


def test_nearly_every_kind_gets_examples_even_from_little_code(made: list[Group]) -> None:
    missing = set(KIND_NAMES) - {one.kind for one in examples(made)}
    assert len(missing) < 0.06 * len(KIND_NAMES), missing


def test_a_fitting_share_is_refused_or_selected(made: list[Group]) -> None:
    found = examples(made)
    assert 0.04 < sum(one.kind == "none" for one in found) / len(found) < 0.12
    assert 0.04 < sum(one.selected is not None for one in found) / len(found) < 0.3


def test_selections_lie_in_the_region(made: list[Group]) -> None:
    for group in made:
        for one in group.examples:
            if one.selected is not None:
                assert 0 <= one.selected[0] <= one.selected[1] < len(group.before)


def test_the_same_seed_gives_the_same_groups_and_another_seed_others(real_snippets: list[Snippet]) -> None:
    some = real_snippets[:15]
    assert list(groups(some, seed=1)) == list(groups(some, seed=1))
    assert list(groups(some, seed=1)) != list(groups(some, seed=2))


def test_a_stream_can_be_taken_up_again_in_the_middle(real_snippets: list[Snippet]) -> None:
    whole = list(groups(real_snippets[:30], seed=9))
    taken_up = list(groups(real_snippets[19:30], seed=9, first=19))
    assert taken_up[1:] == whole[-len(taken_up) + 1 :]


def test_two_processes_give_what_one_gives(real_snippets: list[Snippet]) -> None:
    some = real_snippets[:12]
    assert list(groups(some, seed=3, processes=2)) == list(groups(some, seed=3))


@pytest.mark.parametrize("count", [25, pytest.param(400, marks=pytest.mark.exhaustive)])
def test_training_and_evaluation_never_share_a_family(real_snippets: list[Snippet], count: int) -> None:
    seen = examples(list(groups(real_snippets[:count], seed=1)))
    unseen = examples(list(groups(real_snippets[:count], seed=1, held_out=True)))
    assert unseen
    assert all(one.held_out for one in unseen)
    assert not any(one.held_out for one in seen)
    assert not {one.family for one in seen} & {one.family for one in unseen}


def test_a_request_about_what_is_not_there_is_refused() -> None:
    lines = ("def area(width, height):", "    result = width * height", "    return result")
    refused = [
        one
        for n in range(80)
        if (group := make_group(Snippet(lines), Random(n)))
        for one in group.examples
        if one.kind == "none"
    ]
    assert refused
    assert all(one.ops == () for one in refused)


def test_locals_are_renamed_throughout() -> None:
    lines = ("def area(width, height):", "    result = width * height", "    return result.width")
    for n in range(20):
        new = with_other_locals(Snippet(lines), Random(n))
        assert len(new.lines) == 3
        assert new.lines[2].endswith(".width")
        name = new.lines[0].partition("(")[2].partition(",")[0]
        assert f"= {name} *" in new.lines[1]


def test_groups_are_the_same_after_writing_and_reading(made: list[Group], tmp_path: Path) -> None:
    kinds_of_op: set[type[LineOp]] = {type(op) for one in examples(made) for op in one.ops}
    assert Substitute in kinds_of_op
    assert len(kinds_of_op) >= 5
    path = tmp_path / "groups.jsonl.gz"
    assert write_groups(path, made) == len(made)
    assert list(read_groups(path)) == made


def test_the_same_groups_give_the_same_bytes(made: list[Group], tmp_path: Path) -> None:
    for name in ("a", "b"):
        write_groups(tmp_path / name, islice(made, 20))
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


def test_a_held_out_line_is_held_out_for_good() -> None:
    assert [is_held_out(f"line {n}") for n in range(12)].count(True) == sum(is_held_out(f"line {n}") for n in range(12))
