"""Whether an instruction is one in English, or in words at all."""

import re
from collections.abc import Sequence

_QUOTED = re.compile(r"`[^`]*`|(?<!\w)'[^']*'(?!\w)|\"[^\"]*\"|\u201c[^\u201d]*\u201d|\u00ab[^\u00bb]*\u00bb")
_SIGNS = r"<>=+*/%&|^\"'`@()\[\]{}\\"
_SAYS_SOMETHING = re.compile(rf"[\w{_SIGNS}]")
"""A letter, a figure, or what code is made of."""
_ASSENT = re.compile(
    rf"(?i)(?:[^\w{_SIGNS}]*\b(?:[a-z]|a+h+|cool|go|h+m+|kk+|lgtm|no|nope|ok|okay|oh|sure|uh|um|yeah|yep|yes)\b)+"
    rf"[^\w{_SIGNS}]*"
)
"""Lone letters, and words that say no more than that somebody is there."""
_NOT_LATIN = re.compile(
    r"\w*[\u0370-\u1cff\u3005-\ud7ff\uf900-\ufaff\ufb1d-\ufdff\ufe70-\ufefc\uff66-\uffdc\U00020000-\U0003ffff]\w*"
)
_ACCENTED = re.compile(
    r"(?!(?:caf\u00e9|clich\u00e9|d\u00e9j\u00e0|fa\u00e7ade|na\u00efve(?:ly)?|r\u00e9sum\u00e9|voil\u00e0|vis-\u00e0)\b)"
    r"(?<![\w-])(?=\w*[\u00df-\u00f6\u00f8-\u024f\u1e00-\u1eff])[^\W\dA-Z]{2,}"
)
"""A word, and no name of somebody or of a town, in letters that no word of English is made of."""
_A_NAME_FOLLOWS = re.compile(
    r"(?i)\b(?:and|as|be|by|called|for|from|gets?|into|is|it|named|not|number|of|or|the|to|with)\s+$"
)
"""An English sentence may well speak of words that are not English."""
_FREE_TEXT = re.compile(r"(?i)\b(?:saying|says?|reading|reads|called|named|text|message|docstring|comment)\b:?\s|:\s")
_WORD = re.compile(r"[^\W\d_]+")


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_VERBS = _words(
    """añade añadir anade agrega agregar elimina eliminar quita quitar borra borrar cambia cambiar renombra renombrar
    reemplaza reemplazar sustituye convierte devuelve devolver corrige arregla escribe
    ajoute ajouter ajoutez supprime supprimer supprimez enlève enleve enlever renomme renommer renommez remplace
    remplacer remplacez modifie utilise utiliser retourne renvoie renvoyer déplace convertis
    füge fuege entferne entfernen lösche loesche löschen benenne umbenennen ersetze ersetzen ändere aendere ändern
    verwende benutze schreibe verschiebe sortiere hinzufügen
    aggiungi aggiungere rimuovi rimuovere rinomina rinominare sostituisci modifica ritorna restituisci sposta correggi
    scrivi cancella adicione adicionar adiciona remova renomeie renomear renomeia substitua substituir mude altere
    retorne retorna troque apague corrija
    usa usar utiliza muss müssen heissen heißen heisst heißt soll sollen sollte sein sind
    werden wird haben kann être sont peut avoir sono essere zijn wordt moet debe deve doit devrait dovrebbe
    voeg verwijder hernoem vervang verander wijzig gebruik verplaats sorteer schrijf"""
)
_LITTLE = _words(
    """el la los las un una unos de en por para con si cuando que lo al este esta esto todos
    le les des du et dans avec par au aux ce cette une est pas qui tous toutes sans
    der den dem das ein eine einen einem und mit von zu zum nicht wenn auf aus als im für ist bei durch nach um statt
    zurück hinzu diese dieser diesen
    il gli della delle dello alla alle nel nella dal dai questo questa non uno tutti
    uma da dos em na ao aos não het een van naar niet voor bij uit op deze dit toe"""
)
"""Of Spanish, French, German, Italian, Portuguese and Dutch, without what is also an everyday word of English."""
_ENGLISH = _words(
    """add all an and are be by can each every for from has have if instead into is it its make not of please put remove
    rename should that the then there this to use when where which with without you"""
)


def is_wordless(instruction: str) -> bool:
    """Whether it is made of punctuation, lone letters or assent alone, which asks for nothing."""
    return _SAYS_SOMETHING.search(instruction) is None or _ASSENT.fullmatch(instruction) is not None


def is_foreign(instruction: str, lines: Sequence[str]) -> bool:
    """Whether it is surely not in English, but for what is quoted or stands in the code. Args: lines: the code."""
    told = _QUOTED.sub(" ' ", instruction)
    for word in _NOT_LATIN.finditer(told):
        a_sign = len(word[0]) == 1 and word[0] < "\u0400"
        named = a_sign or _A_NAME_FOLLOWS.search(told[: word.start()]) is not None
        if not named and not any(word[0] in line for line in lines):
            return True
    told = _FREE_TEXT.split(told, maxsplit=1)[0]
    accented = [word for word in _ACCENTED.finditer(told) if not any(word[0] in line for line in lines)]
    if any(not _A_NAME_FOLLOWS.search(told[: word.start()]) for word in accented):
        return True
    return _is_of_another_language(told, lines)


def _is_of_another_language(told: str, lines: Sequence[str]) -> bool:
    """Whether more of its words are little words and verbs of another language than are such of English."""
    words = [word.lower() for word in _WORD.findall(told)]
    strange = sum(word in _LITTLE or word in _VERBS for word in dict.fromkeys(words))
    if not strange:
        return False
    if words[0] in _VERBS and not any(words[0] in line.lower() for line in lines):
        strange += 1
    if _is_joined_by_another(told, lines):
        return True
    return strange > max(1, sum(word in _ENGLISH for word in words))


_JOINING = _LITTLE - {"de", "non"}
"""Without those of "de morgan" and "non-empty"."""


def _is_joined_by_another(told: str, lines: Sequence[str]) -> bool:
    """Whether names are joined by a little word of another language, and by none of English: "rename s nach summe"."""
    first, *rest = re.findall(r"[^\W\d]\w*|[-=]>|[:=]", told.lower()) or [""]
    if first in _LITTLE or _ENGLISH.intersection(rest) or not "".join(rest).isidentifier():
        return False
    code = frozenset(_WORD.findall("\n".join(lines).lower()))
    return any(word in _JOINING and word not in code for word in rest[:-1])
