"""HTML elements of the page. Every text is escaped here, and nowhere else."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape

from pdescry.notices import Notice


def figure(name: str, alternative: str, caption: str, more: bool = False, follows: str = "") -> str:
    """A figure that ``figures.js`` draws, with a text alternative, and buttons to save it.

    more: it can show more rows. follows: the element whose caption shows the reader's choice.
    """
    buttons = "".join(
        f'<button type="button" data-save="{kind}" aria-label="Save figure {escape(name)} as {kind.upper()}">'
        f"{kind.upper()}</button>"
        for kind in ("png", "svg", "csv")
    )
    if more:
        buttons += '<button type="button" data-all>Show all candidates</button>'
    now = f'<span id="{follows}"></span>. ' if follows else ""
    return (
        f'<figure data-figure="{escape(name)}" data-alt="{escape(alternative)}"><div class="canvas"></div>'
        f'<figcaption>{now}{escape(caption)}</figcaption><div class="downloads">{buttons}</div></figure>'
    )


def side_by_side(*figures: str) -> str:
    return f'<div class="pair">{"".join(figures)}</div>'


def table(heads: Sequence[str], rows: Iterable[Sequence[str]], caption: str) -> str:
    """Cells that look like numbers are aligned to the right."""
    rows = [list(row) for row in rows]
    numbers = [bool(rows) and all(_is_number(row[column]) for row in rows) for column in range(len(heads))]
    style = [' class="number"' if number else "" for number in numbers]
    head = "".join(f'<th scope="col"{kind}>{escape(text)}</th>' for text, kind in zip(heads, style, strict=True))
    body = "".join(
        "<tr>" + "".join(f"<td{kind}>{escape(text)}</td>" for text, kind in zip(row, style, strict=True)) + "</tr>"
        for row in rows
    )
    return (
        f'<div class="scroll" tabindex="0" role="region" aria-label="{escape(caption)}"><table><caption class="muted">'
        f"{escape(caption)}</caption><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>"
    )


def paragraph(text: str, kind: str = "") -> str:
    return f'<p class="{kind}">{escape(text)}</p>' if kind else f"<p>{escape(text)}</p>"


def listed(sentences: Iterable[str | Notice]) -> str:
    items = "".join(f"<li>{escape(str(sentence))}</li>" for sentence in sentences)
    return f"<ul>{items}</ul>" if items else ""


def section(name: str, title: str, *parts: str) -> str:
    head = f'<h2 id="{name}-title">{escape(title)}</h2>'
    return f'<section id="{name}" aria-labelledby="{name}-title">{head}{"".join(parts)}</section>'


def folded(title: str, *parts: str) -> str:
    return f"<details><summary>{escape(title)}</summary>{''.join(parts)}</details>"


def copied(name: str, text: str) -> str:
    """A text to copy: a command."""
    button = f'<p><button type="button" data-copy="{name}">Copy</button></p>'
    return f'<pre tabindex="0"><code id="{name}">{escape(text)}</code></pre>{button}'


def _is_number(text: str) -> bool:
    try:
        float(text.replace("−", "-").replace(",", "").removesuffix(" %"))
    except ValueError:
        return text in ("", "–")
    return True
