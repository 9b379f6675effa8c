"""`Progress`: how long work tells what is going on."""

from __future__ import annotations

from collections.abc import Callable

Progress = Callable[[str, float, float | None], None]  # what is going on, the fraction done, the seconds left if known
