"""What is installed, against what pdescry needs."""

from __future__ import annotations

import platform
from collections.abc import Callable, Sequence
from importlib import metadata

import pdescry
from pdescry.doctor.finding import Finding, Trouble


def program() -> Finding:
    facts = {"version": pdescry.__version__, "python": platform.python_version(), "platform": platform.platform()}
    return Finding("pdescry", "{version}, on Python {python}, {platform}".format(**facts), facts)


def packages(needed: Sequence[str] | None = None, version_of: Callable[[str], str] = metadata.version) -> Finding:
    """Each package that pdescry needs (by default as its own metadata have it), with the version that is here."""
    try:
        from packaging.requirements import Requirement
    except ImportError:
        missing = Trouble("packaging, which compares versions, is not installed", "pip install packaging", broken=True)
        return Finding("packages", "not known", {}, (missing,))
    try:
        needed = metadata.requires("pdescry") or [] if needed is None else needed
    except metadata.PackageNotFoundError:
        trouble = Trouble(
            "pdescry runs from its source, without being installed: which packages it needs is not known",
            "pip install --editable . in its folder",
        )
        return Finding("packages", "not known", {}, (trouble,))
    found, troubles = {}, []
    for wanted in map(Requirement, needed):
        if wanted.marker is not None and not wanted.marker.evaluate({"extra": ""}):
            continue
        spelt = f"{wanted.name}{wanted.specifier}"
        try:
            found[wanted.name] = version = version_of(wanted.name)
        except metadata.PackageNotFoundError:
            troubles.append(Trouble(f"{wanted.name} is not installed", f'pip install "{spelt}"', broken=True))
            continue
        if not wanted.specifier.contains(version, prereleases=True):
            says = f"{wanted.name} {version} is installed, but {spelt} is needed"
            troubles.append(Trouble(says, f'pip install -U "{spelt}"', broken=True))
    return Finding(
        "packages",
        ", ".join(f"{name} {version}" for name, version in sorted(found.items())) or "none",
        {"installed": found},
        tuple(troubles),
    )
