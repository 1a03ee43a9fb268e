"""What a model's probabilities are worth: traits, chance, and the file beside the weights."""

import math
from pathlib import Path

import pytest

from spark_tui.errors import ModelError
from spark_tui.providers.base import AnswerFinished
from spark_tui.providers.calibration import FILE_NAME, Calibration, traits


def answer(text: str, probability: float, *, worst: float = -0.1) -> AnswerFinished:
    return AnswerFinished((text,), (1, 2), math.log(probability), worst)


def test_answers_with_the_same_result_count_together() -> None:
    alone = traits([answer("a", 0.4), answer("b", 0.3)])
    together = traits([answer("a", 0.4), answer("a", 0.3), answer("b", 0.2)])
    assert together[1] == pytest.approx(math.log(0.7 / 0.3))
    assert together[1] > alone[1]
    assert alone[3] == pytest.approx(-0.3)


def test_a_likelier_answer_has_the_better_chance() -> None:
    found = Calibration((0.0, 1.0, 0.5, 0.5, 0.0), 0.8)
    chances = [found.chance([answer("a", p, worst=math.log(p))]) for p in (0.1, 0.5, 0.9, 1.0)]
    assert chances == sorted(chances)
    assert all(0 < chance < 1 for chance in chances)


def test_the_file_comes_back_as_it_was_written(tmp_path: Path) -> None:
    made = Calibration((0.5, 1.25, -0.5, 2.0, 0.125), 0.83)
    made.write(tmp_path)
    assert Calibration.read(tmp_path) == made


def test_a_folder_without_the_file_does_not_quote(tmp_path: Path) -> None:
    assert Calibration.read(tmp_path) is None


@pytest.mark.parametrize(
    "text", ["", "{}", "[1]", '{"format": "other", "weights": [], "sure": 1}', '{"format": 1}']
)
def test_a_damaged_file_is_told(tmp_path: Path, text: str) -> None:
    (tmp_path / FILE_NAME).write_text(text)
    with pytest.raises(ModelError, match=FILE_NAME):
        Calibration.read(tmp_path)
