"""The command line: words in, calls and prints out, nothing else.

``app.py`` contains the program, its exit codes and the one door through which every error leaves; each command has a
file of its own. Heavy libraries load inside the commands, so that ``pdescry --help`` answers at once.
"""

from pdescry.cli.app import main

__all__ = ["main"]
