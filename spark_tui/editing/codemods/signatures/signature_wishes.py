"""Wishes about the parameters of a signature that the words tell plainly, all of them or none.

An instruction is read whole: a word that is no part of a wish known here makes it none, so that no half of a wish is
done and the other half dropped.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from spark_tui.editing.codemods.signatures.signature_wordings import (
    COUNTED,
    COUNTS,
    COURTESY,
    ELIDED,
    END,
    GRAMMAR,
    JOINT,
    MARK,
    ONWARDS,
    PATTERNS,
    SPOTS,
    TRIGGER,
    compiled,
)


@dataclass(frozen=True, slots=True)
class Wish:
    """What is wanted of some parameters.

    `what`: "default" (`value`: the phrase), "optional", "required", "by name", "place" (`value`: where, `beside`: next
    to which), "swap", "order" or "stars" (`value`: those to add).
    """

    what: str
    names: tuple[str, ...]
    value: str = ""
    beside: str = ""


@dataclass(frozen=True, slots=True)
class Reader:
    """Reads the wishes about one signature.

    Args: names: its parameters, `self` left out. tells: whether a phrase tells a value for a parameter.
        given: those that have a default.
    """

    names: tuple[str, ...]
    tells: Callable[[str, str], bool]
    given: tuple[str, ...] = ()

    def read(self, instruction: str) -> tuple[Wish, ...]:
        """All wishes of an instruction; none where any part of it is not understood."""
        text = END.sub("", COURTESY.sub("", " ".join(instruction.split())))
        if not TRIGGER.search(text):
            return ()
        for marked in dict.fromkeys((self._marked(text, GRAMMAR), self._marked(text, frozenset()))):
            if found := self._wishes(marked, ()):
                return tuple(found)
        return ()

    def _marked(self, text: str, words: frozenset[str]) -> str:
        """A text with a mark for every parameter, but for those that are such words and not in quotes."""

        def mark(found: re.Match[str]) -> str:
            name = self._name(re.sub(r"(?i)(?<=[ -])the ", "", found["name"]))
            plain = not found["quote"] and name in words
            return found[0] if not name or plain else MARK.format(self.names.index(name))

        for name in self.names:
            if "_" in name.strip("_"):
                several = "[ -](?:the )?".join(map(re.escape, name.strip("_").split("_")))
                text = re.sub(rf"(?i)(?<![\w.`'\"=])(?P<quote>)(?P<name>{several})(?![\w`'\"=(])", mark, text)
        return re.sub(
            r"(?<![\w.=`'\"\u00ab])(?P<quote>[`'\"]?)(?P<name>[^\W\d]\w*)(?P=quote)(?![\w`\"=(\u00bb]|'(?!s)|\.\w)",
            mark,
            text,
        )

    def _wishes(self, text: str, before: Sequence[Wish]) -> list[Wish]:
        """Those of a text that follows others, or none."""
        text = COURTESY.sub("", text.strip())
        if one := self._whole(text, before):
            return [one]
        for joint in list(JOINT.finditer(text))[::-1]:
            left, right = text[: joint.start()], text[joint.end() :]
            first = self._whole(left.strip(), before)
            rest = self._wishes(right, [*before, first]) if first else []
            if first and rest:
                return [first, *rest]
        return []

    def _whole(self, text: str, before: Sequence[Wish]) -> Wish | None:
        """The one wish that a text is."""
        subjects = before[-1].names if before else ()
        for words in self._readings(text, subjects):
            for what, patterns in PATTERNS.items():
                for pattern in patterns:
                    if wish := self._matched(what, pattern, words, subjects):
                        return wish
            for pattern in ELIDED.get(before[-1].what, ()) if before else ():
                if wish := self._matched(before[-1].what, pattern, words, subjects):
                    return wish
        return None

    def _readings(self, text: str, subjects: Sequence[str]) -> Iterator[str]:
        """A text as it is, and with the subject of the wish before it, which it may leave out."""
        yield text
        told = " and ".join(MARK.format(self.names.index(one)) for one in subjects)
        if subjects and re.match(r"(?i)should |must |be |default|have ", text):
            yield f"{told} {text}" if re.match(r"(?i)should|must", text) else f"{told} should {text}"
        if subjects and re.match(r"(?i)(?:a )?(?:key ?word|kw|optional|required|mandatory)", text):
            yield f"make {told} {text}"
        if subjects and re.match(r"(?i)with |defaulting to ", text):
            yield f"give {told} {text[5:]}" if text[:5].lower() == "with " else f"{told} {text}"

    def _matched(self, what: str, pattern: str, text: str, subjects: Sequence[str]) -> Wish | None:
        found = compiled(pattern).fullmatch(text)
        if found is None:
            return None
        told = found.groupdict()
        names = self._meant(told.get("names") or told.get("one") or "", subjects)
        if what == "stars":
            return Wish(what, (), told["stars"])
        if what == "sorted":
            return Wish("order", tuple(sorted(self.names))) if re.search(r"alphab|by name", text) else None
        if "names" not in told and "one" not in told and (len(self.given) == 1 or " all " in text):
            names = self.given
        if told.get("star") and names:
            names = self.names[self.names.index(names[0]) + (told["star"].lower() in ("after", "behind")) :]
        value = (told.get("value") or told.get("where") or "").strip()
        if what == "switched":
            value = "False" if value.lower() in ("off", "disable", "disabled", "inactive") else "True"
        if what == "by position" and "names" not in told:
            names = self.names
        return self._made(Wish(what, names, self._plain(value)), self._meant(told.get("other") or "", ()))

    def _made(self, wish: Wish, other: Sequence[str]) -> Wish | None:
        match wish.what:
            case "place":
                spot = wish.value.lower()
                where = SPOTS.get(spot, "before" if spot in ("before", "in front of") else "after")
                fits = len(wish.names) == 1 and (spot in SPOTS or (len(other) == 1 and other[0] != wish.names[0]))
                return replace(wish, value=where, beside=other[0] if other else "") if fits else None
            case "swap":
                names = (*wish.names, *other)
                return replace(wish, names=names) if len(names) == 2 else None
            case "order":
                return wish if sorted(wish.names) == sorted(self.names) else None
        told = wish.what != "default" or all(self.tells(name, wish.value) for name in wish.names)
        return wish if wish.names and told else None

    def _plain(self, text: str) -> str:
        return re.sub("\u00ab(\\d+)\u00bb", lambda found: self.names[int(found[1])], text)

    def _meant(self, text: str, subjects: Sequence[str]) -> tuple[str, ...]:
        """The parameters that a piece of the words lists."""
        listed = tuple(self.names[int(at)] for at in re.findall("\u00ab(\\d+)\u00bb", text))
        if found := re.fullmatch(f"(?i:{ONWARDS})", text):
            at = self.names.index(listed[0])
            if re.match(r"(?i)but|except|other", found["how"]):
                return (*self.names[:at], *self.names[at + 1 :])
            return self.names[at:] if re.match(r"(?i)from|start", found["how"]) else self.names[at + 1 :]
        if listed or not text:
            return listed
        if found := re.fullmatch(f"(?i:{COUNTED})", text):
            many = COUNTS.get((found["many"] or "one").lower()) or int(found["many"])
            return self.names[:many] if found["end"].lower() == "first" else self.names[-many:]
        if text.lower() in ("it", "them", "they", "both"):
            return tuple(subjects) or (self.names if len(self.names) == (2 if text.lower() == "both" else 1) else ())
        return self.names

    def _name(self, words: str) -> str:
        """The parameter that words are, be it written otherwise: "chunk size", "separator" for sep; or ""."""
        if words in self.names:
            return words
        plain = re.sub(r"[ -]", "_", words.lower())
        same = [one for one in self.names if one.strip("_").lower() == plain]
        longer = [one for one in self.names if len(one) > 2 and plain.startswith(one) and len(plain) > len(one) + 1]
        part = [one for one in self.names if plain in one.split("_")] if len(plain) > 3 else []
        found = same or [*longer, *part] if "_" not in plain or same else []
        return found[0] if len(found) == 1 else ""
