"""What an examination finds: facts in words and numbers, and troubles with their remedies."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any


@dataclass(frozen=True)
class Trouble:
    """One sentence on what is wrong, one on what to do; ``broken``: pdescry will not work until it is done."""

    says: str
    remedy: str
    broken: bool = False


@dataclass(frozen=True)
class Finding:
    """What was found about one thing, in words; ``facts`` has the same for programs."""

    about: str
    says: str
    facts: Mapping[str, Any] = field(default_factory=dict)
    troubles: tuple[Trouble, ...] = ()


@dataclass(frozen=True)
class Examination:
    findings: tuple[Finding, ...]

    @property
    def troubles(self) -> tuple[Trouble, ...]:
        return tuple(trouble for each in self.findings for trouble in each.troubles)

    @property
    def broken(self) -> bool:
        return any(trouble.broken for trouble in self.troubles)

    @property
    def verdict(self) -> str:
        if self.broken:
            return "Something is broken: see what to do above."
        return "It works; see what to do above." if self.troubles else "All is well."

    def to_dict(self) -> dict[str, Any]:
        """Fit for JSON."""
        return {
            "verdict": self.verdict,
            "broken": self.broken,
            "findings": {each.about: _plain(each) for each in self.findings},
        }


def _plain(finding: Finding) -> dict[str, Any]:
    return {"says": finding.says, "troubles": [asdict(each) for each in finding.troubles], **finding.facts}
