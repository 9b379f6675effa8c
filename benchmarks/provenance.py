"""The provenance of a record: the commit, the versions, and digests of the settings and of the sources that infer a
law.

The digest of the inference covers every source file that can change which law is found from given readings, or the
readings of the benchmarks: the rooms in ``ROOMS``, without what only turns files into readings, saves results or
advises on sensors (``WITHOUT``). New files are included until they are listed there. Comments, docstrings and blank
lines are not included.
"""

from __future__ import annotations

import ast
import hashlib
import io
import json
import platform
import subprocess
import tokenize
from collections.abc import Iterator, Mapping
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pdescry

PACKAGES = ("numpy", "scipy", "pandas")
# Trained networks (surrogate, two_stage) are initial fields if smooth fields suggest no law.
ROOMS = ("equation", "solver", "data", "problem", "joint", "surrogate", "two_stage/network.py")
WITHOUT = (
    *("data/formats", "data/read.py", "data/convert.py", "data/clock.py", "data/columns.py", "data/headers.py"),
    *("data/names.py", "data/summary.py", "data/units.py"),
    *("joint/advice.py", "joint/duration.py", "joint/inference.py", "joint/information.py", "joint/left_out.py"),
    *("joint/refine.py", "joint/storage.py"),
    *("equation/printing.py", "equation/with_spread.py", "equation/units.py"),
)
SHOWN = 10  # digits of a digest


def commit() -> str:
    """Commit of the sources; with a + if they differ from it."""
    here = Path(__file__).parent
    found = subprocess.run(["git", "rev-parse", "--short=10", "HEAD"], cwd=here, capture_output=True, text=True)
    changed = subprocess.run(["git", "status", "--porcelain", "../src"], cwd=here, capture_output=True, text=True)
    return found.stdout.strip() + ("+" if changed.stdout.strip() else "")


def versions() -> dict[str, str]:
    """Versions of Python, of the numerical packages, and of pdescry."""
    found = {"python": platform.python_version()} | {name: version(name) for name in PACKAGES}
    return found | {"pdescry": pdescry.__version__}


def settings_digest(settings: Mapping[str, Any]) -> str:
    """Digest of anything that JSON can represent, whatever the order of its keys."""
    return _digest(json.dumps(settings, sort_keys=True, ensure_ascii=False))


def inference_digest(package: Path | None = None) -> str:
    """Digest of the sources that infer a law; package: the folder of pdescry, by default the one that is imported."""
    package = Path(pdescry.__file__).parent if package is None else package
    parts = [f"{path.relative_to(package).as_posix()}\n{_code(path)}" for path in inference_sources(package)]
    return _digest("\n".join(parts))


def inference_sources(package: Path) -> Iterator[Path]:
    """In the order of their paths."""
    for path in sorted(package.rglob("*.py")):
        name = path.relative_to(package).as_posix()
        if _is_in(name, ROOMS) and not _is_in(name, WITHOUT):
            yield path


def _is_in(name: str, some: tuple[str, ...]) -> bool:
    return any(name == each or name.startswith(f"{each}/") for each in some)


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:SHOWN]


def _code(path: Path) -> str:
    """A source without comments, docstrings, blank lines and trailing spaces; the same on every Python."""
    text = path.read_text(encoding="utf-8")
    lines = text.splitlines()
    for token in tokenize.generate_tokens(io.StringIO(text).readline) if "#" in text else ():
        if token.type == tokenize.COMMENT:
            row, column = token.start
            lines[row - 1] = lines[row - 1][:column]
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            first = node.body[0] if node.body else None
            if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant) and ast.get_docstring(node):
                for row in range(first.lineno, (first.end_lineno or first.lineno) + 1):
                    lines[row - 1] = ""
    return "\n".join(line.rstrip() for line in lines if line.strip())
