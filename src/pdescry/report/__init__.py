"""What people read: the page of a law, and sketches in the terminal.

``page.py`` writes the page, one self-contained HTML file (`write_page`; not imported here: it loads JAX):
``sections.py`` has its text and tables, ``numbers.py`` and ``forward.py`` collect the data of its figures, ``assets/``
contains its style and the program that draws them; ``mathematics.py`` typesets laws, ``trust.py`` summarises how far to
trust them, ``markup.py`` makes HTML. ``terminal.py`` sketches readings with characters. Figures for other uses are in
:mod:`pdescry.plot`.
"""

from pdescry.report.terminal import sketch

__all__ = ["sketch"]
