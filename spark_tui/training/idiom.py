"""The words a model needs of its own: those that answers hold although their prompts do not (`try`, `logger`, ...)."""

import re
from collections import Counter
from collections.abc import Iterable, Sequence

from spark_tui.editing.script import Insert, LineOp, Replace
from spark_tui.training.examples import Group

_WORD = re.compile(r"\w+")


def free_words(groups: Iterable[Group], *, share: float = 0.0001) -> list[str]:
    """Such words, sorted. Args: share: of all answers, how many must need a word for it to count."""
    counts: Counter[str] = Counter()
    answers = 0
    for group in groups:
        region = _words(group.before)
        for example in group.examples:
            counts.update(_words(_written(example.ops)) - region - _words([example.instruction]))
            answers += 1
    return sorted(word for word, count in counts.items() if count >= max(share * answers, 1))


def _written(ops: Sequence[LineOp]) -> list[str]:
    return [line for op in ops if isinstance(op, Insert | Replace) for line in op.lines]


def _words(texts: Iterable[str]) -> set[str]:
    return {word for text in texts for word in _WORD.findall(text)}
