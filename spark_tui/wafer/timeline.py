"""When each phase of a run took place on the mesh."""

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Phase:
    """A named stretch of a run. Args: start, end: cycles. wavelets: sent meanwhile."""

    name: str
    start: float
    end: float
    wavelets: int

    @property
    def cycles(self) -> float:
        """How long it took."""
        return self.end - self.start


@dataclass(slots=True)
class Timeline:
    """The phases of a run in the order they ended."""

    phases: list[Phase] = field(default_factory=list)

    def by_name(self) -> dict[str, float]:
        """Cycles spent in all phases of each name, in order of first appearance."""
        totals: dict[str, float] = {}
        for phase in self.phases:
            totals[phase.name] = totals.get(phase.name, 0.0) + phase.cycles
        return totals
