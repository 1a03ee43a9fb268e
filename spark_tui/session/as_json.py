"""What programs see of a turn: events and their parts as JSON objects, the same in every format."""

import re
from collections.abc import Iterable
from typing import Any

from spark_tui.context.source import Region
from spark_tui.editing.checks import Check
from spark_tui.editing.hunks import Hunk
from spark_tui.session.events import Event, Timing


def to_json(event: Event) -> dict[str, Any]:
    """An event as one object of `--format stream-json`."""
    name = re.sub("(?<=[a-z])(?=[A-Z])", "_", type(event).__name__).lower()
    return {"event": name} | {_NAMES.get(key, key): _plain(getattr(event, key)) for key in event.__slots__}


_NAMES = {"token_id": "id"}


def _plain(value: object) -> object:
    match value:
        case Region():
            return region_json(value)
        case Hunk():
            return hunk_json(value)
        case Check():
            return checks_json([value])[0]
        case Timing():
            return timing_json(value)
        case tuple():
            return [_plain(each) for each in value]
    return value


def region_json(region: Region) -> dict[str, Any]:
    """A region as programs see it: lines are 1-based and inclusive."""
    lines = {"start_line": region.start_line, "end_line": region.end_line}
    return {"path": str(region.path), **lines, "symbol": region.symbol}


def hunk_json(hunk: Hunk) -> dict[str, Any]:
    """A hunk as programs see it: `old_start` is the 1-based line of the first old line."""
    lines = {"old_lines": list(hunk.old_lines), "new_lines": list(hunk.new_lines)}
    return {"id": hunk.id, "old_start": hunk.start + 1, **lines}


def checks_json(checks: Iterable[Check]) -> list[dict[str, Any]]:
    """Checks as programs see them."""
    return [{"name": check.name, "ok": check.ok, "detail": check.detail} for check in checks]


def timing_json(timing: Timing) -> dict[str, Any]:
    """Measured figures as programs see them, times rounded to microseconds."""
    return {name: round(getattr(timing, name), 3) for name in timing.__slots__}
