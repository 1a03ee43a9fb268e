"""How entries of the journal are shown."""

from typing import TYPE_CHECKING, Any

from spark_tui.cli import output
from spark_tui.cli.start import notice

if TYPE_CHECKING:
    from spark_tui.vcs.journal import JournalEntry
    from spark_tui.vcs.preview import Preview


def announce(preview: "Preview") -> None:
    """What is about to be done, on stderr."""
    does = "takes back" if preview.back else "does again"
    counts = ", ".join(f"{file.path} +{file.added} -{file.removed}" for file in preview.files)
    description = " ".join(preview.subject.description.split())
    notice(f"{does} {preview.subject.id} {description!r}: {counts or 'the files are as they should be already'}")


def show_entry(entry: "JournalEntry", *, as_json: bool) -> None:
    """What was just done, on stdout."""
    if as_json:
        output.show_json(entry_json(entry))
    else:
        output.show_line(entry_line(entry))


def entry_line(entry: "JournalEntry") -> str:
    """An entry as one line: id, time, description, files."""
    paths = ", ".join(file.path for file in entry.files)
    description = " ".join(entry.description.split())
    return f"{entry.id}  {entry.time.astimezone():%Y-%m-%d %H:%M}  {description}  [{paths or 'no files'}]"


def entry_json(entry: "JournalEntry") -> dict[str, Any]:
    """An entry as programs see it; hashes are SHA-256, null where there is no file."""
    files = [{"path": file.path, "before_hash": file.before, "after_hash": file.after} for file in entry.files]
    links = {"undoes": entry.undoes, "redoes": entry.redoes}
    return {"id": entry.id, "time": entry.time.isoformat(), "description": entry.description, "files": files, **links}
