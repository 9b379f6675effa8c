"""Help fits on a screen of 80 × 40 characters, and its examples are commands that the program takes."""

from __future__ import annotations

import re
import shlex

import pytest
import typer
from typer.testing import CliRunner

from pdescry.cli.app import app

LINES, COLUMNS = 40, 80
PROGRAM = typer.main.get_command(app)
COMMANDS = sorted(PROGRAM.commands)  # pyright: ignore[reportAttributeAccessIssue]


def told(*words: str, columns: int = COLUMNS) -> list[str]:
    done = CliRunner().invoke(app, [*words, "--help"], env={"COLUMNS": str(columns)}, prog_name="pdescry")
    assert done.exit_code == 0
    return done.stdout.rstrip().splitlines()


def examples(lines: list[str]) -> list[list[str]]:
    """The words of each command after "Examples:", as a shell would split them."""
    block = "\n".join(lines[lines.index("  Examples:") + 1 :]).split("\n\n")[0]
    return [shlex.split(line) for line in block.replace("\\\n", "").splitlines()]


@pytest.mark.parametrize("words", [(), *((name,) for name in COMMANDS)], ids=["program", *COMMANDS])
def test_help_fits_on_a_screen_and_ends_with_examples(words):
    lines = told(*words)
    assert len(lines) <= LINES
    assert max(map(len, lines)) <= COLUMNS
    assert lines[-1].startswith("    ") or not words
    shown = examples(lines)
    assert shown
    assert examples(told(*words, columns=120)) == shown
    assert all(example[0] == "pdescry" for example in shown)
    assert not words or all(example[1] == words[0] for example in shown)
    for example in shown:
        takes(example[1:])


def takes(words: list[str]) -> None:
    """Parse a line as the program would, to the end of what can be told without running it."""
    words = words[: words.index(">")] if ">" in words else words
    if words[0].startswith("-"):
        assert words[0] in {name for each in PROGRAM.params for name in each.opts}
        return
    command = PROGRAM.commands[words[0]]  # pyright: ignore[reportAttributeAccessIssue]
    if "--help" not in words:
        command.make_context(words[0], words[1:])  # raises for an option that is not there


def test_an_example_with_an_option_that_is_not_there_would_be_seen():
    with pytest.raises(Exception, match="No such option"):
        takes(["show", "rod.pdescry", "--jsn"])


def test_every_command_has_its_sentence_whole_in_the_list():
    lines = told()
    listed = lines[lines.index("Commands:") + 1 :][: len(COMMANDS)]
    assert [re.split(r"\s+", line.strip())[0] for line in listed] == list(PROGRAM.commands)  # pyright: ignore[reportAttributeAccessIssue]
    assert all(line.endswith(".") and not line.endswith("...") for line in listed)
