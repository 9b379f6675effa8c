"""Arguments become flags where they are marked; what the user wrote does not change."""

from __future__ import annotations

import pickle

import pytest

from pdescry.errors import EquationError, InputError
from pdescry.notices.wording import for_python, for_shell


@pytest.mark.parametrize(
    ("marked", "python", "shell"),
    [
        ("pass ⟦time=⟧, the column of times", "pass time=, the column of times", "pass --time, the column of times"),
        ("pass ⟦space='pos'⟧", "pass space='pos'", "pass --space pos"),
        ("pass ⟦space='pos 1'⟧", "pass space='pos 1'", "pass --space 'pos 1'"),
        ("raise ⟦max_points⟧", "raise max_points", "raise --max-points"),
        ("pass ⟦dt=0.1⟧", "pass dt=0.1", "pass --dt 0.1"),
        ("leave it out of ⟦fields=⟧", "leave it out of fields=", "leave it out of --field"),
        ("⟦noise=False‖--noise none⟧ leaves it out", "noise=False leaves it out", "--noise none leaves it out"),
        ("no such file as 'noise=0.05.csv'", "no such file as 'noise=0.05.csv'", "no such file as 'noise=0.05.csv'"),
        ("got 'time=3'; pass ⟦time=⟧", "got 'time=3'; pass time=", "got 'time=3'; pass --time"),
    ],
)
def test_what_is_marked_has_two_wordings(marked: str, python: str, shell: str) -> None:
    assert for_python(marked) == python
    assert for_shell(marked) == shell


@pytest.mark.parametrize("kind", [InputError, EquationError])
def test_an_error_has_both(kind: type[InputError]) -> None:
    made = kind("Expected a column; pass ⟦time=⟧.")
    for error in (made, pickle.loads(pickle.dumps(made))):  # noqa: S301
        assert str(error) == "Expected a column; pass time=."
        assert error.for_shell() == "Expected a column; pass --time."
        assert InputError(f"Again: {error.marked}").for_shell() == "Again: Expected a column; pass --time."
