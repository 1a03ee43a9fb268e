"""What kind of edit the words of an instruction ask for.

A second opinion beside the model's: log-linear over words, pairs of words, pieces of words and what words mean alike.
What stands for code (quoted, a name of the region, a number) is one word. It knows no code and finds no place, but it
is not fooled by wording that the model has never seen whole.
"""

import base64
import gzip
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from spark_tui.editing.codemods.common.said import plain_word
from spark_tui.editing.codemods.imports.usual_imports import usual_import, usual_members
from spark_tui.editing.ranking import Ranking

FloatArray = npt.NDArray[np.float64]
Weights = npt.NDArray[np.int8]

FILE_NAME = "intents.json.gz"
"""Where they lie in a model folder."""
CODE = "_"
_TOKEN = re.compile(r"[a-z]+|->|=>|[=!<>]=|\.\.\.|[?%]|_")
_QUOTED = re.compile(r"`[^`]*`|\"[^\"]*\"|(?<!\w)'[^']*'(?!\w)")
_WORD = re.compile(r"[A-Za-z_][\w.]*\w|[A-Za-z_]")
_NUMBER = re.compile(r"\d+(?:\.\d+)?")
_CAMEL = re.compile(r"[a-z][A-Z]")
_NAME = re.compile(r"[A-Za-z_]\w*")
_PLAIN_NAME = re.compile(r"(?<![\w.])[A-Za-z_]\w*(?!\.?\w)")
_HINTED = frozenset(["iterable", "iterator", "sequence", "callable", "mapping"])
"""Words that name a type of the library as they are spoken."""
_VARIABLE = re.compile(r"(?<![\w.'])[TKV](?![\w'])")
_LETTERS = re.compile(r"[a-z]+")
_ENDINGS = ("ing", "ied", "ies", "ed", "es", "s", "ly")
_PIECE = 4
_ALIKE = """
remove delete drop kill strip cut axe nuke lose ditch zap scrap rid omit
add insert put append include introduce
change set switch turn convert make replace swap
raise throw
error exception
function method func def
argument parameter arg param kwarg option
variable local name identifier
missing lacks forgot forgets needs forgotten
wrong incorrect bad broken bogus
useless redundant superfluous unnecessary needless pointless obsolete
increase bump
decrease lower reduce
instead rather not
annotate annotation hint type typed untyped
docstring doc documented undocumented docs
message text wording
empty blank
swapped reversed backwards inverted flipped
crash crashes fails explodes breaks dies blows
catch except handle swallow suppress
always never only
"""
_SENSES = {word: f"@{words.split()[0]}" for words in _ALIKE.strip().splitlines() for word in words.split()}


def plain(instruction: str, lines: Iterable[str] = ()) -> str:
    """An instruction with everything that stands for code replaced by CODE. Args: lines: the region's."""
    names = set(_NAME.findall("\n".join(lines)))

    def masked(match: re.Match[str]) -> str:
        word = match[0]
        unlike = "_" in word or _CAMEL.search(word) or (word in names and (not word.islower() or len(word) < 3))
        return f" {CODE} " if unlike else word

    text = _QUOTED.sub(f" {CODE} ", instruction)
    return _NUMBER.sub(f" {CODE} ", _WORD.sub(masked, text))


def features(text: str) -> set[str]:
    """The words of a plain instruction, its pairs of neighbours, the pieces of its words, and what they mean."""
    tokens = _TOKEN.findall(text.lower())
    found = {f"{one} {two}" for one, two in zip(["^", *tokens], [*tokens, "$"], strict=True)}
    words = _LETTERS.findall(text.lower())
    found.update(words)
    found.update(f"#{word[at : at + _PIECE]}" for word in words if len(word) > _PIECE for at in range(len(word) - 3))
    senses = [_SENSES.get(word) or f"~{stem(word)}" for word in words]
    found.update(senses)
    return found | {f"{one}{two}" for one, two in pairwise(senses) if one[0] == "@" or two[0] == "@"}


def stem(word: str) -> str:
    """A word without its ending, about what a dictionary has."""
    ending = next((one for one in _ENDINGS if word.endswith(one) and len(word) - len(one) > 2), "")
    return word.removesuffix(ending)


@dataclass(frozen=True)
class Intents:
    """How much each feature speaks for each kind.

    `places`: feature -> its row of `weights` (F, K), in units of `unit`, a column for each of `kinds`; row 0 counts for
    every instruction. `words`: kind -> the words that people ask for it in. `ranking`: what this opinion counts beside
    the model's and what else is known.
    """

    kinds: tuple[str, ...]
    places: Mapping[str, int]
    weights: Weights
    words: Mapping[str, frozenset[str]]
    unit: float = 1 / 16
    ranking: Ranking = field(default_factory=Ranking)

    @classmethod
    def from_bytes(cls, data: bytes) -> "Intents":
        """Read what `to_bytes` wrote. Raises: ValueError, KeyError, TypeError: something else."""
        body = json.loads(gzip.decompress(data))
        kinds, features = tuple(body["kinds"]), body["features"]
        weights = np.frombuffer(base64.b64decode(body["weights"]), np.int8).reshape(len(features) + 1, len(kinds))
        words = {kind: frozenset(said.split()) for kind, said in body["words"].items()}
        places = {feature: place for place, feature in enumerate(features, 1)}
        return cls(kinds, places, weights, words, body["unit"], Ranking.from_json(body["ranking"]))

    def to_bytes(self) -> bytes:
        """As compressed JSON; the same weights give the same bytes."""
        body = {
            "ranking": self.ranking.to_json(),
            "unit": self.unit,
            "kinds": self.kinds,
            "words": {kind: " ".join(sorted(words)) for kind, words in self.words.items()},
            "features": sorted(self.places, key=self.places.__getitem__),
            "weights": base64.b64encode(self.weights.tobytes()).decode(),
        }
        return gzip.compress(json.dumps(body, sort_keys=True, separators=(",", ":")).encode(), mtime=0)

    def logprobs(self, instruction: str, lines: Sequence[str]) -> FloatArray:
        """The log-probability of each of `kinds`, given the words only. Returns: (K,)."""
        said = features(plain(instruction, lines))
        rows = [0, *sorted(self.places[feature] for feature in said if feature in self.places)]
        scores: FloatArray = self.weights[rows].sum(axis=0, dtype=np.float64) * self.unit
        scores -= scores.max()
        logprobs: FloatArray = scores - np.log(np.exp(scores).sum())
        return logprobs

    def strange(self, kind: str, instruction: str, lines: Sequence[str]) -> list[str]:
        """The words of an instruction that nobody uses to ask for this kind and that the region does not hold."""
        known = self.words.get(kind, frozenset())
        here = set(_LETTERS.findall("\n".join(lines).lower()))
        words = dict.fromkeys(_LETTERS.findall(plain(instruction, lines).lower()))
        return [word for word in words if len(word) > 2 and word not in known and word not in here]

    def says_nothing(self, kind: str, instruction: str, lines: Sequence[str]) -> bool:
        """Whether no word of an instruction is ever used to ask for this kind, nor stands for code."""
        known = self.words.get(kind, frozenset())
        return not any(
            token in known or not token.isalpha() for token in _TOKEN.findall(plain(instruction, lines).lower())
        )


_LITERAL = re.compile(
    r"`([^`]+)`|\"([^\"]+)\"|(?<!\w)'([^']+)'(?!\w)|\b(__\w+__|[a-z]+-\d+)\b"
    r"|(?<![\w.:-])(?<!line )(?<!lines )(\d+(?:\.\d+)?)(?![\w:])",
    re.IGNORECASE,
)


def unheard(instruction: str, before: Sequence[str], after: Sequence[str]) -> list[str]:
    """The quoted words, numbers and special names of an instruction that neither the lines nor their edit hold."""
    text = "\n".join([*before, *after]).lower()
    told = ("".join(match.groups("")).strip() for match in _LITERAL.finditer(instruction))
    return [one for one in dict.fromkeys(told) if one and one.lower() not in text]


_CODE_SPAN = re.compile(
    r"`[^`]+`|\"[^\"]+\"|(?<!\w)'[^']+'(?!\w)|@[\w.]+|\w+_\w+|[A-Z]\w*[a-z][A-Z]\w*|[A-Z]\w*(?:Error|Exception)\b|\w+\(|\w+\.\w+"
)


def code_names(instruction: str) -> frozenset[str]:
    """The names of an instruction that are written as code is, not as prose; and of the library, with their modules."""
    written = {name for span in _CODE_SPAN.findall(instruction) for name in _NAME.findall(span)}
    lines = [usual_import(name) or "" for name in _NAME.findall(instruction) if not plain_word(name)]
    known = written.union(*(_NAME.findall(line) for line in lines if line.startswith("from ")))
    spoken = (word.capitalize() for word in _PLAIN_NAME.findall(instruction) if word in _HINTED)
    members = (name for module in _PLAIN_NAME.findall(instruction) for name in usual_members(module))
    return frozenset((known | set(members) | set(spoken) | set(_VARIABLE.findall(instruction))) - {"from", "import"})
