"""Pages are laid out with one sentence a line, and nothing else of them changes."""

from __future__ import annotations

import pytest

from pdescry.experiments.markdown import WIDTH, lay_out

LONG = "word " * 40


@pytest.mark.parametrize(
    ("page", "laid_out"),
    [
        ("One. Two\nends here. Three.", "One.\nTwo ends here.\nThree."),
        ("- one. Two.\n- three", "- one.\n  Two.\n- three"),
        ("1. **Bold.** Two.", "1. **Bold.**\n   Two."),
        ("By C. Earls, u_xx. And KdV. Of $w_s$. So.", "By C. Earls, u_xx.\nAnd KdV.\nOf $w_s$.\nSo."),
        ("**Table 2. Burgers**", "**Table 2. Burgers**"),
        ("Terms.\n36 candidates.", "Terms.\n36 candidates."),
        ("Laws, e.g. KdV", "Laws, e.g. KdV"),
    ],
)
def test_one_sentence_a_line(page, laid_out):
    assert lay_out(page) == laid_out
    assert lay_out(laid_out) == laid_out


@pytest.mark.parametrize(
    "block",
    [
        f"```python\nA. B = 1  # {LONG}\n```",
        f"| A. B | {LONG}|\n| --- | --- |",
        f"$$\nA. B {LONG}\n$$ (label)",
        "## A. B\n\n<!-- C. D -->",
        "    ",
    ],
)
def test_blocks_and_tables_stay(block):
    assert lay_out(f"Some. Text.\n\n{block}\n\nMore. Text.") == f"Some.\nText.\n\n{block}\n\nMore.\nText."


def test_long_sentences_are_wrapped_without_beginning_a_list():
    text = "a" * (WIDTH - 4) + " bb - c `d e` 3. f"
    lines = lay_out(f"- {text}").split("\n")
    assert len(lines) == 2
    assert max(map(len, lines)) <= WIDTH
    assert " ".join(line.strip() for line in lines) == f"- {text}"
    assert not lines[1].strip().startswith("- ")
