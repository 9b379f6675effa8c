"""``python -m pdescry`` is ``pdescry``."""

from pdescry.cli import main

main()
