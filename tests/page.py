"""A page of Markdown, run: its blocks of Python in one namespace, those of the shell between them, in one folder.

    python -W error tests/page.py PAGE [--quick]

runs the page in the current folder. A block of ``text`` right below is what it has to print: word by word, numbers to
a fifth or to the last digit (machines differ), ``…`` for anything. Every block of ``python`` and ``sh`` is run, unless
the line above it says ``Not run by the tests: REASON``, or ``Run by the tests with MODULE``, which then has to be
installed.
"""

from __future__ import annotations

import contextlib
import importlib.util
import io
import math
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

RUN, SHOWN = ("python", "sh"), ("text", "toml", "")
_FENCE = re.compile(r"^```([^\n]*)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
_NOT_RUN = re.compile(r"Not run by the tests: (.+?)\s*(?:-->|\*)?$")
_WITH = re.compile(r"Run by the tests with `?(\w+)`?")
_NUMBER = re.compile(r"(?<![\w.])[-+−]?\d+(?:\.\d+)?(?:e[-+]?\d+)?", re.IGNORECASE)
_NEAR = 0.2
# The README's commands make an environment first; here there is one.
_SET_UP = re.compile(r"python3 -m venv \S+ && \S+/pip install [^&]*&& ")


@dataclass(frozen=True)
class Block:
    """line: of its fence, from 1. printed: what it has to print, if the page shows it. not_run: why, if it is not.
    module: which it needs, if any."""

    language: str
    text: str
    line: int
    printed: str | None = None
    not_run: str = ""
    module: str = ""


def blocks(page: str) -> Iterator[Block]:
    """Those that are to be run, or say why not, in order."""
    found = list(_FENCE.finditer(page))
    for this, after in zip(found, [*found[1:], None], strict=False):
        language, line = this[1].strip(), page[: this.start()].count("\n") + 1
        if language.startswith("{"):
            continue  # a directive of MyST
        if language not in RUN + SHOWN:
            raise ValueError(f"Line {line}: a block of {language!r} is neither run nor known to be shown only.")
        if language not in RUN:
            continue
        above = page[: this.start()].rstrip().rpartition("\n")[2]
        shown = after is not None and after[1] == "text" and not page[this.end() : after.start()].strip()
        not_run, needed = _NOT_RUN.search(above), _WITH.search(above)
        yield Block(
            language,
            this[2],
            line,
            after[2] if after is not None and shown else None,
            not_run[1] if not_run else "",
            needed[1] if needed else "",
        )


def installed(block: Block) -> bool:
    return not block.module or importlib.util.find_spec(block.module) is not None


def differ(shown: str, printed: str) -> bool:
    """Whether a page shows something else than was printed, but for blanks, last digits, and what it leaves out."""
    parts = [_NUMBER.sub("\0", " ".join(part.split())) for part in shown.split("…")]
    pattern = r"\s*(?:.*?)\s*".join(re.escape(part).replace("\0", f"({_NUMBER.pattern})") for part in parts)
    match = re.fullmatch(pattern, " ".join(printed.split()), re.DOTALL | re.IGNORECASE)
    return match is None or not all(map(_near, _NUMBER.findall(shown), match.groups()))


def _near(shown: str, printed: str) -> bool:
    """To a fifth, or to a unit of the last digit that is shown."""
    one, other = (float(number.replace("−", "-")) for number in (shown, printed))
    decimals = len(shown.lower().partition("e")[0].partition(".")[2])
    unit = 0.0 if "e" in shown.lower() else 1.01 * 10.0**-decimals
    return math.isclose(one, other, rel_tol=_NEAR, abs_tol=unit if decimals else 0.0)


def run(page: Path, quick: bool = False) -> None:
    names: dict[str, Any] = {"__name__": "__main__"}
    if quick:
        _make_quick()
    for block in blocks(page.read_text("utf-8")):
        if block.not_run or not installed(block):
            continue
        where = f"{page.name}, line {block.line}"
        printed = _shell(block.text, where) if block.language == "sh" else _python(block, where, names)
        sys.stdout.write(printed)
        if block.printed is not None and differ(block.printed, printed):
            raise SystemExit(f"{where}: the page shows\n{block.printed}\nand it printed\n{printed}")


def _python(block: Block, where: str, names: dict[str, Any]) -> str:
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        exec(compile("\n" * block.line + block.text, where, "exec"), names)
    return printed.getvalue()


def _shell(text: str, where: str) -> str:
    text = _SET_UP.sub("", text).replace(".venv/bin/", "")
    done = subprocess.run(["bash", "-euc", text], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode:
        raise SystemExit(f"{where}: exit code {done.returncode}\n{done.stdout}")
    return done.stdout


def _make_quick() -> None:
    """Small networks and short chains in place of the defaults: for pages whose outcome does not count."""
    from functools import partial

    import pdescry
    from pdescry.surrogate import MCLMC, Adam, Network

    sampler = MCLMC(draws=30, thin=5, rungs=2, rung_transitions=100)
    small = {"network": Network(8, 2), "start": Adam(steps=200), "chains": 2, "workers": 1, "sampler": sampler}
    # With few candidates the search for the law is short, too; those that the page names count.
    pdescry.discover = partial(pdescry.discover, **small)  # type: ignore
    pdescry.interpolate = partial(pdescry.interpolate, **small)  # type: ignore


if __name__ == "__main__":
    run(Path(sys.argv[1]), "--quick" in sys.argv)
