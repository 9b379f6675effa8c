"""Of laws solved forward: verdicts of the solver, how a discovered law fared, what was assumed beyond the readings."""

from __future__ import annotations

_UNRESOLVED = "{points} points do not resolve the field from t = {reached:.4g} on: "
_OR_ELSE = ", raise ⟦max_points⟧, or solve for a shorter time."
_SHOCK = "a shock or another sharp feature forms. Add the missing dissipation"
_STOPPED = "at t = {reached:.4g} of {until:g}, with {points} points; "
_SUITS = (
    " takes {left} boundary {left:condition|conditions} at the {first}{ends: end|} and {right} at the {last}"
    "{ends: end|}; got {at_left} at the {first} and {at_right} at the {last}."
)
_ALONG_AXIS = (
    " For example ⟦boundary={{'{first}': '{held_left}', '{last}': '{held_right}'}}, or boundary='periodic'"
    '‖--{first} "{held_left}" --{last} "{held_right}", or --boundary periodic⟧.'
)
_IN_PLANE = (
    " For example ⟦boundary={{'{first}': '{held_left}', '{last}': '{held_right}'}}, or '{axis}': 'periodic'"
    '‖--{first} "{held_left}" --{last} "{held_right}", or periodic for both⟧.'
)
_IF_KNOWN = " Pass ⟦boundary=⟧ if you know them."
_GOING_ON = (
    " Assumed: {kept:and} {one:keeps its|keep their} value of {time} = {since:g}."
    "[[ In draws they go on as they changed over spans of that length in the readings{leaving:, or without flux|}.|| "
    "How far that may be wrong is shown by ⟦draws=⟧.]]" + _IF_KNOWN
)

TEMPLATES = {
    # verdicts of the solver
    "resolved": "Resolved with {points} points; estimated error {error:.0e} of the largest value."
    "[[ The initial state or a jump of an input does not suit the boundary: near the ends the field is approximate "
    "within {after_jumps:.3g} after the start and after each jump.]]"
    "[[ The initial state does not suit the boundary or is not smooth: near such places the field is approximate "
    "before t = {before:.3g}.]]"
    "[[ Its stability was checked up to t = {checked:.3g}.]]",
    "initial-not-finite": "The initial state has values that are not finite; give one that is finite all over the "
    "domain.",
    "system-takes-other-conditions": "The system" + _SUITS,
    "law-takes-other-conditions": "A law whose highest derivative is {highest}" + _SUITS + _ALONG_AXIS,
    "law-takes-other-conditions-in-plane": "A law whose highest derivative is {highest}" + _SUITS + _IN_PLANE,
    "condition-too-high": "A boundary condition on {derivative} is as high as the law itself, which does not determine "
    "the solution.",
    "ill-posed": "The law is ill-posed[[ from t = {since:.3g} on]]: the shorter a wave, the faster it grows (as with "
    "-u_xx or +u_xxxx), so that its solution does not depend continuously on the initial state. Check the signs of the "
    "even derivatives.",
    "too-fast": "The law moves even the longest wave {waves:.0e} times over within the time span, which double "
    "precision cannot follow. Check the units of its coefficients, or solve for a shorter time.",
    "not-finite-at-first": "The right side of the law is not finite at the initial state.",
    "blow-up": "The field grows ever faster and blows up near t = {reached:.4g}, where its largest value has come to "
    "{largest:.3g}.",
    "unresolved": _UNRESOLVED + _SHOCK + _OR_ELSE,
    "unresolved-or-input-not-smooth": _UNRESOLVED + _SHOCK + ", unless the input {input} is what is not smooth in "
    "space: smooth it" + _OR_ELSE,
    "unresolved-or-input-jumps": _UNRESOLVED + _SHOCK + ", unless it is the input, which jumps where the boundary "
    "fixes the field: raise ⟦rtol⟧" + _OR_ELSE,
    "unresolved-stalled": _UNRESOLVED + "the time stepper cannot go on, because the field overflows or stops being "
    "smooth. Check the law" + _OR_ELSE,
    "unresolved-coordinate": _UNRESOLVED + "the coordinate {axis} in the law jumps where the period ends. Choose "
    "another boundary" + _OR_ELSE,
    "initial-too-narrow": "The initial state has features too narrow for the points allowed on {domain:and}. Smooth "
    "it, raise ⟦max_points⟧, or solve on a smaller domain.",
    "initial-too-rough": "The initial state is too rough or does not suit the boundary: with {points} points the "
    "solution still depends on their number. Smooth it, or raise ⟦max_points⟧.",
    "sensitive": "A disturbance of {disturbance:.0e} of the initial state grows beyond {limit:.0e} after t = "
    "{lost:.4g}: the law is chaotic or unstable there, and its solution cannot be relied on from then on. Solve for a "
    "shorter time.",
    "limit-of-seconds": "Stopped by the limit of {seconds:g} seconds " + _STOPPED + "raise ⟦max_seconds⟧, or solve for "
    "a shorter time.",
    "limit-of-steps": "Stopped by the limit of {steps} steps " + _STOPPED + "raise ⟦max_steps⟧, or solve for a shorter "
    "time.",
    "limit-of-memory": "Stopped by the limit of memory ({gigabytes:.1g} GB, {steps} steps) " + _STOPPED + "lower "
    "⟦max_points⟧, or solve for a shorter time.",
    "stability-unchecked": "Solved, but the limit of {seconds:g} seconds ended the check of its stability; raise "
    "⟦max_seconds⟧, or pass ⟦verify=False‖--no-verify⟧.",
    # a discovered law solved forward
    "no-law-to-solve": "There is no law to solve.",
    "not-in-three-dimensions": "Laws in three space dimensions are not solved forward.",
    "not-from-such-field-in-plane": "In the plane a law is solved forward from a field that was inferred with it.",
    "no-rectangle": "No rectangle lies among the sensors.",
    "not-with-time": "Laws that contain the time itself are not solved forward.",
    "short-waves-grow": "Short waves grow without bound: this cannot be the law of a field that is smooth.",
    "ends-unknown": "The readings do not determine the boundary conditions for this law.",
    "forward-refused": "{fault}",
    "forward-failed": "The law could not be solved forward: {fault}",
    "field-of-another-law": "The field was inferred with another law.",
    "not-with-following-ends": "With ends that follow the field, the law could not be solved ({status}). {reason}",
    "too-few-to-hold-out": "{sensors} sensors are too few to hold some out; {enough} would do.",
    "none-to-hold-out": "Too few sensors lie between others, where the law is solved forward, to hold some out.",
    "not-fitted-without": "The law could not be fitted without some of the sensors.",
    "regression-not-repeated": "A regression is not repeated without some of the sensors.",
    "draws-unsolved": "{unsolved} of {draws} draws could not be solved forward ({status}).",
    # what is assumed beyond the readings
    "ends-assumed": "The readings end at {time} = {since:g}; the boundary conditions after that are not known."
    + _GOING_ON,
    "ends-assumed-from-start": "The readings do not determine the boundary conditions from another start." + _GOING_ON,
    "ends-assumed-with-inputs": "The readings do not determine the boundary conditions from another time on with "
    "other inputs." + _GOING_ON,
    "ends-held": "The readings do not determine the boundary conditions. Assumed, nearest to the field: {nearest}."
    "[[ Draws also have {others:and}.]]" + _IF_KNOWN,
    "inputs-assumed": "Assumed: {late:and}. Pass ⟦inputs=⟧ if you know better.",
    "beyond-sensors": "Beyond the outermost sensors, {spans:and}, no reading determines the field: only the law does.",
    "beyond-sensors-in-plane": "All of {spans:and} lies among the sensors; where the domain is wider along {axes:and}, "
    "the start, and edges that follow the field, are extrapolated from them.",
    # judged
    "law-ill-posed": "The law is ill-posed. {reason}",
    "try-lower-derivatives": "Leave the highest derivatives out of the candidates, or raise the threshold.",
    "law-not-solved": "The law could not be solved forward ({status}). {reason}",
    "solve-with-known-ends": "Solve it with the boundary conditions that you know: law.simulate(boundary=…, domain=…).",
    "leaves-field": "Solved forward with ends that follow the field, the law leaves the field by {misfit:.2g} of the "
    "readings' sd (rms): the law is not right, or small errors grow fast under it.",
    "leaves-field-with-ends": "Solved forward ({boundary}), the law leaves the field by {misfit:.2g} of the readings' "
    "sd (rms): the law, or these ends, are not right.",
    "misses-held-out": "Solved forward, the law misses held-out sensors[[ in {field}]] by {error:.3g} (rms) where "
    "{expected:.3g} was expected: it lacks something, or its intervals are too narrow.",
    "try-other-candidates": "Try other candidates, or only a part of the readings.",
    "score-of-the-others": "{unsolved} of {draws} draws of the law could not be solved forward: the score is of the "
    "others.",
}
