"""`Readings` → law: terms chosen, field and coefficients inferred together, from the readings themselves.

    Posterior, candidates ─ choose(posterior, "general") ──────────▶ Choice ─▶ the best law, those near, probabilities
    Posterior, terms ─ refine(posterior, "u_t = u*u_x + u_xx") ─▶ JointFit ─▶ coefficients, held-out scores, field

The two stages before (derivatives of an inferred field, a regression on them) lose most of what the readings know of
the coefficients. Here the field is one that obeys the law: a tensor spline w whose residual vanishes, but for a
thousandth of u_t, with coefficients c that are unknowns as it is. Minimised over both:

    Σ (uᵢ − w(tᵢ, xᵢ))² / σᵢ²  +  ∫∫ (w_t − Σ cⱼ Tⱼ(w))² / τ²  +  a little roughness

No boundary condition is needed: what enters through the ends is part of the field. By Laplace's approximation the
Schur complement of the field is the precision of the coefficients, and each sensor can be predicted from the others
in closed form: laws are compared by that.

Several experiments may share the law: each has a field, the coefficients are common. Read first ``fit.py`` (`refine`
and its answer), then ``experiment.py`` and ``objective.py`` (the sum above and its minimum), ``start.py`` and
``stages.py`` (how it is reached) and ``choose.py`` (the search for terms). ``splines.py`` is the field, ``mesh.py``
where its knots lie, ``triangle.py`` the linear algebra, ``scatter.py`` and ``offsets.py`` how readings differ from it,
``known.py`` and ``ends.py`` what the user knows; ``held_out.py`` the prediction of left-out sensors, ``processes.py``
the same without any law; ``information.py`` what further readings would tell, and ``advice.py`` where to take them.
"""

from __future__ import annotations

from pdescry.joint.advice import Advice
from pdescry.joint.choice import Choice, Comparison
from pdescry.joint.choose import Joint, choose
from pdescry.joint.fit import JointFit, refine

__all__ = ["Advice", "Choice", "Comparison", "Joint", "JointFit", "choose", "refine"]
