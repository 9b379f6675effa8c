"""The program, run in an empty folder."""

from __future__ import annotations

import pytest

from pdescry.cli import main


@pytest.fixture
def run(tmp_path, monkeypatch, capsys):
    """Run the program in an empty folder: (exit code, standard output, standard error)."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "110")

    def call(*arguments: str) -> tuple[int, str, str]:
        with pytest.raises(SystemExit) as ended:
            main(list(arguments))
        printed = capsys.readouterr()
        return int(ended.value.code or 0), printed.out, printed.err

    return call
