"""The guide: `sphinx-build -W --keep-going docs docs/_build/html`. No network, neither to build it nor to read it."""

import sys
from pathlib import Path

import pdescry

sys.path.append(str(Path(__file__).parent / "_extensions"))

project = "pdescry"
author = "the authors of pdescry"
release = version = pdescry.__version__

extensions = ["myst_nb", "sphinx.ext.autodoc", "sphinx.ext.napoleon", "sphinx.ext.viewcode", "mathml"]
exclude_patterns = ["_build", "_extensions"]
html_theme = "furo"
html_title = f"pdescry {release}"
html_math_renderer = "mathml"
math_number_all = False

myst_enable_extensions = ["dollarmath", "amsmath", "deflist"]
myst_heading_anchors = 3
nb_execution_mode = "off"  # notebooks are committed with their outputs; a slow test runs them

# Names in single backticks are of Python, or plain code where Python has none of that name.
default_role = "code"
smartquotes = False  # what stands in quotes is mostly to be typed
autodoc_member_order = "bysource"
autodoc_typehints = "none"  # the sections of docstrings have types and shapes
napoleon_google_docstring = False
napoleon_use_rtype = False
autodoc_preserve_defaults = True
python_maximum_signature_line_length = 100
