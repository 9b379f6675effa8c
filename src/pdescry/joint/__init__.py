"""`Problem` → law: terms chosen, fields and coefficients inferred together, from the readings themselves.

    readings, candidates ─ choose(readings, "general") ────────────▶ Choice ─▶ the best law, similar ones, probabilities
    readings, terms ─ refine(readings, "u_t = u*u_x + u_xx") ─▶ JointFit ─▶ coefficients, held-out sensors, fields

A two-stage method (derivatives of an inferred field, then a regression) loses most of the information of the readings
on the coefficients. Here the fields satisfy the law: tensor splines w whose residuals are about a thousandth of the
left side, with unknown coefficients c. Minimised over both:

    Σ (uᵢ − w(tᵢ, xᵢ))² / σᵢ²  +  Σₑ ∫ (∂ᵏwₑ/∂tᵏ − Σ cⱼ Tⱼ(w))² / τₑ²  +  a weak roughness prior

for each equation e, of order k = 1 or 2 in time. No boundary condition is needed: what enters through the ends is part
of the field. By Laplace's approximation the Schur complement of the fields is the precision of the coefficients, and
each sensor can be predicted from the others in closed form: laws are compared by their expected log predictive density.

Several experiments may share the law: each has fields of its own, the coefficients are common. Read first ``choose.py``
and ``refine.py`` (the verbs), then ``fit/`` (the sum above and its minimum), ``field/`` (splines, mesh and the initial
fields) and ``search/`` (which terms). ``sensors/`` finds faulty sensors before. ``choice.py`` and ``joint_fit.py`` are
the answers, ``storage.py`` saves them; ``left_out.py`` fits without some sensors, ``information.py`` computes the
expected information of further readings, and ``advice.py`` where to take them.
"""

from __future__ import annotations

from pdescry.joint.advice import Advice
from pdescry.joint.choice import Choice, Comparison
from pdescry.joint.choose import Joint, choose
from pdescry.joint.joint_fit import JointFit
from pdescry.joint.refine import refine
from pdescry.joint.sensors import examine

__all__ = ["Advice", "Choice", "Comparison", "Joint", "JointFit", "choose", "examine", "refine"]
