"""Sets of options that several commands take: declared once, and put in the place of one parameter of each command."""

from __future__ import annotations

import copy
import inspect
from collections.abc import Callable, Mapping
from functools import wraps
from typing import Annotated, Any, get_args, get_type_hints

Command = Callable[..., None]


def expanded(command: Command, parameter: str, options: Mapping[str, Any], hidden: str = "") -> Command:
    """The command with options (type hints by their names) in place of a parameter, which gets those that were given.

    hidden: an option of the command's own that gives them room in its help.
    """

    @wraps(command)
    def run(*arguments: Any, **given: Any) -> None:
        taken = {name: given.pop(name) for name in options if name in given}
        chosen = {name: value for name, value in taken.items() if value not in (None, [])}
        command(*arguments, **{parameter: chosen}, **given)

    parameters, own = [], get_type_hints(command, include_extras=True)
    for each in inspect.signature(command).parameters.values():
        if each.name != parameter:
            hint = own[each.name]
            parameters.append(each.replace(annotation=unlisted(hint) if each.name == hidden else hint))
            continue
        parameters += [
            inspect.Parameter(name, each.kind, default=None, annotation=hint) for name, hint in options.items()
        ]
    run.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    run.__annotations__ = {each.name: each.annotation for each in parameters}
    return run


def unlisted(hint: Any) -> Any:
    """The same option, which the help does not show."""
    kind, option = get_args(hint)
    option = copy.copy(option)
    option.hidden = True
    return Annotated[kind, option]
