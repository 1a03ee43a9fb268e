"""How far the log-probabilities of an endpoint can be trusted: by what was accepted of its edits.

Nobody fits a curve to a model that somebody brings. What is counted is what the user decided about
edits whose least likely token was about as likely.
"""

import json
import os
from collections import deque
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

SURE = 0.8
"""The share of accepted edits from which one like them is shown as sure."""
_LEAST = 20
"""Decisions below which nothing is said, and those that are looked at from then on."""
_KEPT = 500
_VERSION = 1


class Scores:
    """The log-probabilities of text as it arrives, for who reads the text later. Mutable.

    One thread may add while another takes.
    """

    def __init__(self) -> None:
        self._entries = deque[tuple[int, float]]()

    def add(self, text: str, told: Any) -> None:
        """A piece of text arrived. Args: told: what the server says of its tokens, if it does."""
        tokens = told.get("content") if isinstance(told, Mapping) else None
        known = [each.get("logprob") for each in tokens or () if isinstance(each, Mapping)]
        numbers = [float(each) for each in known if isinstance(each, int | float)]
        if text:
            self._entries.append((len(text), sum(numbers)))

    def of(self, text: str) -> float:
        """The log-probability of the next text, which is as long as some pieces together."""
        left, total = len(text), 0.0
        while left > 0 and self._entries:
            length, logprob = self._entries.popleft()
            left -= length
            total += logprob
        return total


class Decisions:
    """What was accepted and rejected of an endpoint's edits. Mutable.

    Args: path: where that is kept from one start to the next; None keeps it for this one.
    """

    def __init__(self, path: Path | None = None) -> None:
        self._path = path
        self._rows = self._read()

    def add(self, worst: float, *, accepted: bool) -> None:
        """Remember a decision. Args: worst: log-probability of the edit's least likely token."""
        self._rows = [*self._rows, (worst, accepted)][-_KEPT:]
        if self._path is None:
            return
        temporary = self._path.with_suffix(f".{os.getpid()}")
        with suppress(OSError):
            self._path.parent.mkdir(parents=True, exist_ok=True)
            temporary.write_text(json.dumps({"version": _VERSION, "rows": self._rows}), "utf-8")
            temporary.replace(self._path)

    def chance(self, worst: float) -> float | None:
        """The share that was accepted of edits like one; None where too few were decided."""
        if len(self._rows) < _LEAST:
            return None
        nearest = sorted(self._rows, key=lambda row: abs(row[0] - worst))[:_LEAST]
        accepted = sum(row[1] for row in nearest)
        return (accepted + 1) / (_LEAST + 2)

    def _read(self) -> list[tuple[float, bool]]:
        """What is remembered; what spark did not write there is as good as nothing."""
        if self._path is None:
            return []
        try:
            entries = json.loads(self._path.read_text("utf-8"))
            if entries["version"] != _VERSION:
                return []
            return [(float(worst), bool(accepted)) for worst, accepted in entries["rows"]]
        except (OSError, ValueError, KeyError, TypeError, OverflowError, RecursionError):
            return []
