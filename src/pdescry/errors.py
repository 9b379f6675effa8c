"""The library's own errors: what a user can fix arrives as one of these, in one sentence with the remedy."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from pdescry.notices.wording import for_python, for_shell


class PdescryError(Exception):
    """Base of all errors that pdescry raises on purpose.

    Arguments in its sentence are marked, as ``⟦time=⟧`` (``notices/wording.py``).
    """

    @property
    def marked(self) -> str:
        """The sentence as it was written, to be part of another one."""
        return super().__str__()

    def __str__(self) -> str:
        return for_python(self.marked)

    def for_shell(self) -> str:
        """The sentence, with flags in place of arguments."""
        return for_shell(self.marked)


class InputError(PdescryError, ValueError):
    """Something handed to pdescry cannot be used: a file, a column, an array, an argument."""


class DamagedFile(InputError):
    """A file that pdescry writes itself and that contains something else now; a run recomputes its stage."""


class EquationError(InputError):
    """A text that is not an equation, a term or a formula.

    Printing it shows the text with a caret under the fault, what was expected, and the nearest valid spelling.

    Parameters
    ----------
    problem : str
        What was expected.
    text : str
        What was read.
    position : int
        Of the fault.
    suggestion : str, optional
        The nearest valid spelling.
    unknown : str
        The name that is not known, if that is the fault.
    """

    def __init__(
        self, problem: str, text: str = "", position: int = 0, suggestion: str | None = None, unknown: str = ""
    ) -> None:
        self.problem = problem
        self.text = text
        self.position = position
        self.suggestion = suggestion
        self.unknown = unknown
        super().__init__(self._render())

    def _render(self) -> str:
        sentence = self.problem + (f" Did you mean {self.suggestion!r}?" if self.suggestion else "")
        if not self.text:
            return sentence
        # An equation may span lines: show only the line at fault.
        start = self.text.rfind("\n", 0, self.position) + 1
        line = self.text[start:].split("\n", 1)[0].replace("\t", " ")
        column = min(self.position - start, len(line))
        return f"{sentence}\n  {line}\n  {' ' * column}^"


@contextmanager
def needing(extra: str, why: str) -> Iterator[None]:
    """Around the import of a library that not every installation has: where it is missing, a sentence names the extra.

    why: as in "to read Excel workbooks".
    """
    try:
        yield
    except ImportError as fault:
        raise InputError(
            f"Expected {(fault.name or extra).partition('.')[0]} {why}; it is not installed; install it with "
            f"`pip install 'pdescry[{extra}]'`."
        ) from None
