"""The search for terms: laws are proposed, fitted ever harder, compared, and the verdict given.

Read first ``search.py``, then ``proposals.py`` (laws worth a fit), ``fitted_law.py`` (a law and its score),
``neighbours.py`` (laws a term or two away, in closed form), ``complexity.py`` (what terms cost), ``verdict.py``
(whether the readings tell a law) and ``well_posed.py`` (laws that no field could obey).
"""
