"""Sentences with two wordings, for Python (arguments) and for the shell (flags); what differs is marked in the text.

A mark stands between ``⟦`` and ``⟧``:

    ⟦time=⟧, ⟦missing='drop'⟧, ⟦rtol⟧    an argument; at the shell ``--time``, ``--missing drop``, ``--rtol``
    ⟦average=False‖--average off⟧        where that rule does not hold: both wordings
"""

from __future__ import annotations

import ast
import re
import shlex

_MARK = re.compile("⟦([^⟦⟧]*)⟧")
_OTHER_NAMES = {"fields": "--field", "of": "--field", "inputs": "--input"}  # than the argument's


def for_python(marked: str) -> str:
    return _MARK.sub(lambda found: found[1].partition("‖")[0], marked)


def for_shell(marked: str) -> str:
    return _MARK.sub(lambda found: _as_flag(found[1]), marked)


def _as_flag(mark: str) -> str:
    _, differs, flag = mark.partition("‖")
    if differs:
        return flag
    name, _, value = mark.partition("=")
    flag = _OTHER_NAMES.get(name, "--" + name.replace("_", "-"))
    return f"{flag} {_bare(value)}" if value else flag


def _bare(value: str) -> str:
    """A Python literal as a word of the shell; what is none (``…``) as it stands."""
    try:
        return shlex.quote(str(ast.literal_eval(value)))
    except (ValueError, SyntaxError):
        return value
