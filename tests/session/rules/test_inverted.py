"""A condition that an edit only turns round wants words that tell so."""

import pytest

from spark_tui.session.rules.inverted import inverted

CODE = [
    "def args(spec):",
    "    if not spec.ready:",
    "        return None",
    "    while spec.at < 3 and spec.more is not None:",
    "        spec.at += 1 if spec.kind == 2 else 0",
    "    return spec",
]
TURNED = [
    ("if not spec.ready", "if spec.ready"),
    ("spec.at < 3", "spec.at >= 3"),
    ("spec.at < 3", "spec.at > 3"),
    ("is not None", "is None"),
    ("kind == 2", "kind != 2"),
]


def _after(old: str, new: str) -> list[str]:
    return "\n".join(CODE).replace(old, new).split("\n")


@pytest.mark.parametrize("words", ["the config file is ignored", "crashes when it is missing", "returns nothing"])
@pytest.mark.parametrize(("old", "new"), TURNED)
def test_a_symptom_alone_turns_no_condition_round(words: str, old: str, new: str) -> None:
    assert "is the wrong way round; say what it should do instead" in inverted(words, CODE, _after(old, new))


@pytest.mark.parametrize(
    "words", ["the check is inverted", "it should stop there", "is not None", "returns nothing instead of the spec"]
)
@pytest.mark.parametrize(("old", "new"), TURNED)
def test_words_of_a_condition_do(words: str, old: str, new: str) -> None:
    assert not inverted(words, CODE, _after(old, new))


@pytest.mark.parametrize(
    ("old", "new"),
    [("spec.at < 3", "spec.at <= 3"), ("not spec.ready", "not spec.kind"), ("return None", "return 0"), ("and", "or")],
)
def test_other_edits_are_none_of_its_business(old: str, new: str) -> None:
    assert not inverted("skips the last item", CODE, _after(old, new))
