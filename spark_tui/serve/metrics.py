"""The counters of the server, and their text format for Prometheus.

They reveal nothing of what anybody asked: no words, no code, no paths of files.
"""

from collections import Counter
from collections.abc import Mapping
from threading import Lock

_HELP = {
    "requests": "Requests taken, by path and status.",
    "tokens": "Tokens that the model ran.",
    "cancelled": "Requests that ended before their last token.",
    "refused": "Requests refused because of a limit, by status.",
}
_GAUGES = {
    "waiting": "Requests that wait for the engine.",
    "running": "Requests that have begun.",
    "clients": "Clients with a cache of their own.",
    "cache_tokens": "Tokens in the caches of all clients.",
}


class Metrics:
    """Counters of a server; any thread may count."""

    def __init__(self) -> None:
        self._counts: Counter[tuple[str, str]] = Counter()
        self._lock = Lock()

    def count(self, name: str, by: int = 1, **labels: str) -> None:
        """Count something.

        Args:
            name: One of the counters.
            by: The amount to add.
            labels: The labels of the counter; each may have a few values only.
        """
        text = ",".join(f'{key}="{value}"' for key, value in sorted(labels.items()))
        with self._lock:
            self._counts[name, text] += by

    def text(self, gauges: Mapping[str, int]) -> str:
        """Write everything in the text format of Prometheus.

        Args:
            gauges: The values that go up and down, by name.
        """
        with self._lock:
            counts = dict(self._counts)
        lines: list[str] = []
        for name, help_text in _HELP.items():
            lines += _head(f"spark_{name}_total", help_text, "counter")
            found = {text: count for (counted, text), count in counts.items() if counted == name}
            # A counter is there from the start, with 0.
            for text, count in sorted(found.items() or {"": 0}.items()):
                label = f"{{{text}}}" if text else ""
                lines.append(f"spark_{name}_total{label} {count}")
        for name, help_text in _GAUGES.items():
            lines += _head(f"spark_{name}", help_text, "gauge")
            lines.append(f"spark_{name} {gauges.get(name, 0)}")
        return "\n".join(lines) + "\n"


def _head(name: str, help_text: str, kind: str) -> list[str]:
    return [f"# HELP {name} {help_text}", f"# TYPE {name} {kind}"]
