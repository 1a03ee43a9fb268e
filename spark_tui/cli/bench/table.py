"""`spark bench table`: the table in examples/figures.md, from what `--json` printed."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from spark_tui.cli.bench.rows import SHARE
from spark_tui.errors import UsageError

_HEAD = "| figure | case | spark | min to max | peer | ratio | of the limit |"
_RULE = "|---|---|---:|---:|---:|---:|---:|"


def table(files: Sequence[str]) -> str:
    """Markdown: what was measured on which machine, then a row a figure. Raises: UsageError: not such a file."""
    bodies = [_read(Path(name)) for name in files]
    machines = dict.fromkeys(_machine(body) for body in bodies)
    return "\n".join([*machines, "", _HEAD, _RULE, *_lines(bodies)])


def _read(path: Path) -> Mapping[str, Any]:
    try:
        body = json.loads(path.read_text("utf-8"))
        if {"bench", "machine", "versions", "rows"} <= body.keys():
            return dict(body)
    except OSError as e:
        raise UsageError(f"{path} cannot be read: {e.strerror}") from e
    except (ValueError, AttributeError, RecursionError):
        pass
    raise UsageError(f"{path} is not what `spark bench NAME --json` prints; give such files")


def _machine(body: Mapping[str, Any]) -> str:
    machine, versions = body["machine"], body["versions"]
    features = " ".join(machine["features"])
    reads = f"reads {machine['read_gigabytes_per_second']:g} GB/s"
    made_with = ", ".join(f"{name} {value}" for name, value in versions.items())
    what = f"`spark bench {body['bench']} --json`: {machine['cpu']}, {machine['cores']} cores ({features}), {reads}"
    return f"{what}; {made_with}.\n"


def _lines(bodies: Iterable[Mapping[str, Any]]) -> Iterator[str]:
    for body in bodies:
        for row in body["rows"]:
            yield "| " + " | ".join(cell.replace("|", "\\|") for cell in _cells(row)) + " |"


def _cells(row: Mapping[str, Any]) -> tuple[str, ...]:
    ours, least, most = (_figure(row[key], row["unit"]) for key in ("ours", "ours_min", "ours_max"))
    spread = "" if row["runs"] == 1 else f"{least} to {most}"
    return (
        row["metric"].replace("_", " "),
        row["case"],
        f"{ours} {row['unit']}",
        spread,
        "" if row["peer"] is None else f"{_number(row['peer'])} ({row['peer_name']})",
        "" if row["ratio"] is None else f"{row['ratio']:.2f} x",
        "" if not row["limit"] else f"{row['ours'] / row['limit']:.0%}",
    )


def _figure(value: float, unit: str) -> str:
    return f"{value:.3f}" if unit == SHARE else _number(value)


def _number(value: float) -> str:
    """As many digits as mean something."""
    size = abs(value)
    return f"{value:,.0f}" if size >= 100 else f"{value:,.1f}" if size >= 10 else f"{value:,.2f}"
