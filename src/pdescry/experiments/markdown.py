"""The layout of pages that commands write: one sentence a line, lines of at most 120 characters.

    python src/pdescry/experiments/markdown.py FILE…

lays out pages that are written by hand.
"""

from __future__ import annotations

import re
import sys
import textwrap
from collections.abc import Iterator
from pathlib import Path

WIDTH = 120
# A capital before the full stop may be an initial (C. Bonneville), unless a letter precedes it (KdV.).
_SENTENCE_END = re.compile(
    r"((?:[^\WA-Z_]|[A-Za-z][A-Z]|[%`$\"”)*\]°²])[.?!][)*\"”]*)(?<!Table \d\.)(?<!e\.g\.)(?<!i\.e\.)"
    r" +(?=[A-Z`*\[(“\"−])"
)
_LINE_ENDS_SENTENCE = re.compile(r"([.?!][)*\"”]*)\n")  # also before a number or a symbol
# At the beginning of a line these would start a list, a heading or a quotation.
_BEFORE_MARKER = re.compile(r" (?=(?:[-+*>]|\d+[.)]|#+|=+)(?: |$))")
_SPAN = re.compile(r"`[^`]{1,110}`|\$[^$]{1,80}\$")  # code and formulas, which stay on one line
_ITEM = re.compile(r"(\s*(?:[-*+]|\d+\.) )(.*)")
_VERBATIM = re.compile(r"\||#|<!--|\([\w-]+\)=")  # rows of tables, headings, comments, labels
_FENCE = re.compile(r"\s*(?:```|\$\$|:::)")


def sentences(text: str) -> list[str]:
    """The sentences of a paragraph; the end of a sentence at the end of a line is one."""
    marked = _LINE_ENDS_SENTENCE.sub("\\1\0", text.strip())
    return _SENTENCE_END.sub("\\1\0", " ".join(marked.split())).split("\0")


def lay_out(markdown: str) -> str:
    """The same page with one sentence a line; tables, headings, formulas and blocks of code stay as they are."""
    return "\n".join(_lines(markdown.split("\n")))


def _lines(lines: list[str]) -> Iterator[str]:
    prefix, indent, paragraph, verbatim = "", "", [], False
    for line in [*lines, None]:
        item = _ITEM.fullmatch(line) if line is not None else None
        fence = line is not None and bool(_FENCE.match(line))
        ends = line is None or item or verbatim or fence or not line.strip() or _VERBATIM.match(line)
        if ends and (paragraph or prefix):
            yield from _paragraph(prefix, indent, "\n".join(paragraph))
            prefix, indent, paragraph = "", "", []
        if line is None:
            return
        if fence:
            verbatim = not verbatim and not line.strip().endswith("$$", 3)
        if item and not verbatim:
            prefix, indent, paragraph = item[1], " " * len(item[1]), [item[2]]
        elif ends:
            yield line
        elif paragraph:
            paragraph.append(line)
        else:
            indent = prefix = line[: len(line) - len(line.lstrip())]
            paragraph = [line]


def _paragraph(prefix: str, indent: str, text: str) -> Iterator[str]:
    for sentence in sentences(text):
        bound = _BEFORE_MARKER.sub("\0", _SPAN.sub(lambda span: span[0].replace(" ", "\0"), sentence.strip()))
        for line in textwrap.wrap(bound, WIDTH - len(indent), break_long_words=False, break_on_hyphens=False):
            yield (prefix + line).replace("\0", " ")
            prefix = indent


if __name__ == "__main__":
    for page in map(Path, sys.argv[1:]):
        page.write_text(lay_out(page.read_text("utf-8")), "utf-8")
