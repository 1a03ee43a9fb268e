"""The recipe of a run: the shipped file, another one, flags, and what is wrong with it."""

from pathlib import Path

import pytest

from spark_tui.errors import UsageError
from spark_tui.training.recipe import read_recipe


def test_a_file_counts_more_than_the_shipped_one_and_flags_more_than_that(tmp_path: Path) -> None:
    path = tmp_path / "own.toml"
    path.write_text("rank = 8\nrate = 1\n")
    recipe = read_recipe(path, {"rate": 2.0})
    shipped = read_recipe()
    assert (recipe.rank, recipe.rate, recipe.dropout) == (8, 2.0, shipped.dropout)
    assert recipe.scale == shipped.alpha / 8


def test_the_rate_rises_and_falls_to_zero() -> None:
    recipe = read_recipe(overrides={"rate": 1.0, "warm_up": 0.1})
    rates = [recipe.rate_at(done) for done in (0.0, 0.05, 0.1, 0.55, 1.0)]
    assert rates == pytest.approx([0.02, 0.5, 1.0, 0.5, 0.0])


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("ranks = 8", "unknown entry 'ranks'; did you mean rank"),
        ("zzz = 8", "unknown entry 'zzz'; known are: rank, alpha"),
        ("rank = 'high'", "rank must be of type int, not 'high'"),
        ("compile = 1", "compile must be of type bool"),
        ("dropout = 1.0", "dropout must be from 0 to below 1"),
        ("rank = 0", "rank must be at least 1"),
        ("rate = -1.0", "rate must be more than 0"),
        ("rank = ", "cannot be read"),
    ],
)
def test_what_is_wrong_with_a_recipe_is_said(tmp_path: Path, text: str, problem: str) -> None:
    (tmp_path / "own.toml").write_text(text)
    with pytest.raises(UsageError, match=problem):
        read_recipe(tmp_path / "own.toml")


def test_a_recipe_that_is_not_there_is_a_mistake_of_the_caller(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="cannot be read"):
        read_recipe(tmp_path / "none.toml")
