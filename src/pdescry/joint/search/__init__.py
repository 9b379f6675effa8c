"""The search for terms: laws are proposed, fitted with decreasing tolerances, compared, and the verdict given.

Read first ``search.py``, then ``proposals.py`` (which laws are fitted), ``fitted_law.py`` (a law and its score),
``neighbours.py`` (changes by one or two terms, in closed form), ``complexity.py`` (the complexity penalty),
``verdict.py`` (whether the readings determine a law) and ``well_posed.py`` (ill-posed laws).
"""
