"""Python arguments become flags; what the user wrote does not change."""

from __future__ import annotations

import pytest

from pdescry.cli.wording import at_the_shell


@pytest.mark.parametrize(
    ("said", "at_shell"),
    [
        ("pass time=, the column of times", "pass --time, the column of times"),
        ("pass space='pos'", "pass --space 'pos'"),
        ("There is no such file as 'noise=0.05.csv'.", "There is no such file as 'noise=0.05.csv'."),
        ("got 'time=3'; pass time=", "got 'time=3'; pass --time"),
        ("the sensor's noise=", "the sensor's --noise"),
        ("pass boundary='periodic'", "pass --boundary periodic"),
    ],
)
def test_sentences_at_the_shell(said: str, at_shell: str) -> None:
    assert at_the_shell(said) == at_shell
