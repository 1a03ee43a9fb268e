"""Words that ask to settle the conflicts a merge left, and the lines they are about."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from hashlib import sha256

from spark_tui.context.source import Region, Source
from spark_tui.editing.markers import Torn, torn
from spark_tui.errors import UsageError

_PART = r"(?:side|version|half|change|line)s?"
_OURS = rf"ours|our {_PART}|head|(?:the )?(?:current|upper|top) {_PART}"
_THEIRS = rf"theirs|their {_PART}|(?:the )?(?:incoming|lower|bottom) {_PART}"
_BOTH = rf"(?:the )?both(?: {_PART}| of them)?"
_SIDES = rf"(?:(?P<ours>{_OURS})|(?P<theirs>{_THEIRS})|(?P<both>{_BOTH}))"
_KEEP = r"(?:keep|take|use|accept|choose|pick|prefer|go with)(?: only| just)?"
_CONFLICT = (
    r"(?:all )?(?:(?:of )?(?:the|this|that|these|my|a) )?(?:merge |git |rebase )?"
    r"(?:conflicts?(?: markers?)?|markers)"
)
_SETTLE = r"(?:fix|resolve|settle|solve|sort out|clean up|clear|remove|get rid of|finish|handle)"
_WITH = r"(?:[,:;]| with| using| by| in favou?r of| and|,? by keeping|,? by taking|,? by using)"
_ASIDE, _END = r"^\W*(?:please |just |can you |could you |now )*", r"(?: everywhere)?(?:,? please| now)?\W*$"


def _place(name: str) -> str:
    owner = r"(?: (?:in|of|at|for|from|inside) (?:the )?(?:function |method |class |file |module )?"
    return rf"{owner}`?(?P<{name}>[\w./@:-]*\w)`?(?:\(\))?)?"


_WISHES = (
    re.compile(rf"(?i){_ASIDE}(?:{_KEEP} )?{_SIDES}(?: (?:of|in|for|from) {_CONFLICT})?{_place('place')}{_END}"),
    re.compile(
        rf"(?i){_ASIDE}(?P<told>{_SETTLE} {_CONFLICT}){_place('place')}"
        rf"(?:{_WITH}(?: {_KEEP})? {_SIDES}{_place('there')})?{_END}"
    ),
)


@dataclass(frozen=True, slots=True)
class Settling:
    """A wish to settle conflicts. `side`: ours, theirs, both, or "" where the words do not tell. `place`: a file or
    function, or "". `certain`: the words speak of conflicts.
    """

    side: str
    place: str
    certain: bool


def settling(instruction: str) -> Settling | None:
    """The wish, where an instruction is one."""
    found = next((told for wish in _WISHES if (told := wish.match(instruction))), None)
    if found is None:
        return None
    said = found.groupdict()
    side = next((side for side in ("ours", "theirs", "both") if said[side]), "")
    place = said["place"] or said.get("there") or ""
    return Settling(side, place.removeprefix("@"), "told" in said or "conflict" in instruction.lower())


def conflicts_at(region: Region, lines: Sequence[str]) -> tuple[Torn, ...]:
    """The conflicts that a region is part of. Args: lines: of the file."""
    return tuple(each for each in torn(lines) if each.touches(region.start_line - 1, region.end_line - 1))


class TornFiles:
    """The files with conflicts. Args: paths: their names. read: the bytes of a file."""

    def __init__(self, paths: Sequence[str], read: Callable[[str], bytes]) -> None:
        self._paths, self._read = paths, read

    def region(self, wish: Settling, path: str | None, lines: tuple[int, int] | None, symbol: str | None) -> Region:
        """The conflicts that are meant: those of the lines or the function told, else all of the file.

        Args: path, lines, symbol: as told beside the words. Raises: UsageError: there are none, or in several files.
        """
        file, _, name = wish.place.partition("::")
        named = [each for each in self._paths if f"/{each}".endswith(f"/{file}")] if file else []
        symbol = symbol or name or (file if file and not named else None)
        chosen = [path] if path else named or list(self._paths)
        regions = [found for each in chosen if (found := self._in_file(each, lines, symbol))]
        if len(regions) == 1:
            return regions[0]
        where = ", ".join(found.path for found in regions) or ", ".join(self._paths)
        if regions:
            raise UsageError(
                f"there are conflicts in {where}: say in which file, as in “keep ours in {regions[0].path}”"
            )
        raise UsageError(f"there is no conflict in {symbol or path or file}; there are some in {where}")

    def _in_file(self, path: str, lines: tuple[int, int] | None, symbol: str | None) -> Region | None:
        """The stretch from the first to the last conflict that is meant, or None."""
        data = self._read(path)
        source = Source(path, data)
        found = torn(source.lines)
        if symbol is not None:
            places = [(each.start_line - 1, each.end_line - 1) for each in source.named(tuple(symbol.split(".")))]
            found = tuple(each for each in found if any(each.touches(*place) for place in places))
        if lines is not None:
            found = tuple(each for each in found if each.touches(lines[0] - 1, lines[1] - 1))
        if not found:
            return None
        digest = sha256(data).hexdigest()
        return Region(path, found[0].start + 1, found[-1].end + 1, None, None, digest, "lines")
