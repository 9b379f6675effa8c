"""What people read: the page of a law, and sketches in the terminal.

``page.py`` writes the page, one HTML file that needs nothing else (`write_page`; not loaded here: it loads JAX):
``sections.py`` has its words and tables, ``numbers.py`` and ``forward.py`` gather what its figures show, ``assets/``
contains its style and the program that draws them; ``mathematics.py`` typesets laws, ``trust.py`` says how far to trust
them, ``markup.py`` makes HTML. ``terminal.py`` sketches readings with characters. Pictures for other uses are in
:mod:`pdescry.plot`.
"""

from pdescry.report.terminal import sketch

__all__ = ["sketch"]
