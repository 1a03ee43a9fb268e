"""Instructions that are not in English, or not in words."""

import pytest

from spark_tui.context.language import is_foreign, is_wordless

LINES = ("def load(x, größe):", "    return [x]  # список")


@pytest.mark.parametrize(
    "words",
    [
        "return を追加",
        "把 x 重命名为 total",
        "fix the bug をお願いします",
        "переименуй x в total",
        "أضف docstring",
        "renomme s en trie",
        "supprime le print",
        "benenne s in sortiert um",
        "entferne den import von os",
        "ritorna None alla fine",
        "añade un docstring",
        "cambia el timeout a 30",
        "remova o import os",
        "voeg een docstring toe",
        "rename x nach summe",
        "rename x en somme",
        "add ein docstring",
        "x muss sum heissen",
        "die Steuer soll 21 Prozent sein",
        "usa enumerate",
        "använd with",
        "usuń print",
        "attrape la clé manquante",
    ],
)
def test_another_language_is_known_for_one(words: str) -> None:
    assert is_foreign(words, LINES)


@pytest.mark.parametrize(
    "words",
    [
        "rename x to данные",
        "rename µ to mean",
        "April should be أبريل with the hamza on top",
        'return "を追加" if x is empty',
        "the comment список is useless",
        "rename größe to size",
        "rename le to la and el to lo",
        "add a docstring saying Renvoie la liste des noms dans le fichier",
        "del x",
        "rename x -> des",
        "rename load le",
        "use un instead of x",
        "apply de morgan",
        "RecursionError on a non-JSON type",
        "rename x to größe",
        "crashes for Zürich",
        "strip the é from the naïve café",
    ],
)
def test_english_that_speaks_of_foreign_words_is_english(words: str) -> None:
    assert not is_foreign(words, LINES)


@pytest.mark.parametrize(("words", "wordless"), [("?", True), ("!!", True), ("...", True), (">= -> >", False)])
def test_punctuation_alone_is_no_words(words: str, wordless: bool) -> None:
    assert is_wordless(words) is wordless


@pytest.mark.parametrize(
    "words", ["y", "K.", "u a n x e s q k t", "go", "Hmm...", "lgtm!", "yes", "ok", "ok, go", "k " * 99]
)
def test_lone_letters_and_assent_ask_for_nothing(words: str) -> None:
    assert is_wordless(words)


@pytest.mark.parametrize(
    "words", ["x -> y", "x = 1", "`go`", "ok, sort it", "no print", "go on", "k " * 99 + "sort", "i+1"]
)
def test_what_has_a_word_or_a_sign_of_code_may_ask_for_something(words: str) -> None:
    assert not is_wordless(words)
