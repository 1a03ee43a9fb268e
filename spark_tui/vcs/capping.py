"""Keeps a journal and its contents within a size: the oldest finished batches give way to newer ones."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from spark_tui.vcs.journal import Dropped, Journal, JournalEntry, Phase, Record, Tell
from spark_tui.vcs.store import Store

_LEFT = 0.75
"""Of the size allowed, what is left after something was dropped, so that this is rare."""


def keep_within(journal: Journal, store: Store, most_bytes: int, tell: Tell) -> None:
    """Drop what is needed, and tell of it. The caller holds the lock and has set damaged records aside.

    The shorter journal replaces the old one in one step; contents that nothing names any more go after that.
    Raises: OSError: the disk refused; nothing was lost.
    """
    if journal.size() + store.bytes() <= most_bytes:
        return
    records, sizes = journal.read(), store.sizes()
    kept = _kept(records, sizes, journal.size() // max(1, len(records)), int(most_bytes * _LEFT))
    if len(kept) < len(records):
        dropped = _dropped(records, kept, journal.dropped())
        journal.rewrite(kept, dropped)
        tell(
            f"the journal outgrew {most_bytes >> 20} MB: its oldest batches, up to {dropped.until:%Y-%m-%d %H:%M} UTC, "
            "were dropped and can no longer be undone; `journal_megabytes` in config.toml sets the limit"
        )
    store.remove(sizes.keys() - _named(kept, journal.aside(), sizes))


def _kept(records: Sequence[Record], sizes: Mapping[str, int], each: int, most: int) -> list[Record]:
    """The records that stay; an accept goes with its undos and redos. `each`: the bytes a record takes."""
    last = {record.entry.subject: number for number, record in enumerate(records)}
    fixed = {subject for subject, number in last.items() if records[number].phase not in {Phase.DONE, Phase.ABORTED}}
    fixed.add(records[-1].entry.subject)
    uses = Counter(name for record in records for name in _contents(record.entry))
    total = sum(sizes.get(name, 0) for name in uses) + each * len(records)
    gone: set[str] = set()
    groups: dict[str, list[Record]] = {subject: [] for subject in last}
    for record in records:
        groups[record.entry.subject].append(record)
    for subject in sorted(last.keys() - fixed, key=last.__getitem__):
        if total <= most:
            break
        gone.add(subject)
        for record in groups[subject]:
            total -= each
            for name in _contents(record.entry):
                uses[name] -= 1
                total -= 0 if uses[name] else sizes.get(name, 0)
    return [record for record in records if record.entry.subject not in gone]


def _contents(entry: JournalEntry) -> Iterator[str]:
    yield from (name for file in entry.files for name in (file.before, file.after) if name is not None)


def _dropped(records: Sequence[Record], kept: Sequence[Record], before: Dropped) -> Dropped:
    stays = {record.entry.id for record in kept}
    gone = [record.entry for record in records if record.entry.id not in stays]
    return Dropped(before.count + len(gone), max(entry.time for entry in gone))


def _named(kept: Sequence[Record], aside: bytes, sizes: Mapping[str, int]) -> set[str]:
    """The contents that records name. Of a name in a damaged one, half may be legible."""
    named = {name for record in kept for name in _contents(record.entry)}
    text = aside.decode("latin-1")
    return named | {name for name in sizes if text and (name[:32] in text or name[32:] in text)}
