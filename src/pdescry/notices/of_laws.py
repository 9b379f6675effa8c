"""Of laws: whether the readings determine one, what speaks against it, what else may be true, derived quantities."""

from __future__ import annotations

_KNOWN = '⟦regression.known = ["u_xx > 0"]‖--known "u_xx > 0"⟧'
_SEE_MORE = "sensors nearer to each other, more often read, or less noise would help."
_HOW_MUCH = (
    "⟦fit[[.of({experiment})]].calibration has‖the calibration in law.json says⟧ how much; the law allows for it."
)
_WHERE = "{field}[[ in experiment {experiment}]]"

TEMPLATES = {
    # why no law is reported
    "as-well-by-constant": "The readings are as well explained by one constant number and noise; " + _SEE_MORE,
    "as-well-by-steady-profile": "The readings are as well explained by a profile that never changes; readings from "
    "before it settled, or after it was disturbed, would help.",
    "as-well-by-profiles": "The readings are as well explained by an independent profile at each time; " + _SEE_MORE,
    "none-holds": "No law of these candidates, with what is known of them, is possible between the sensors; other "
    "candidates would help.",
    "none-explains": "The readings change smoothly in time, but no law of these candidates predicts held-out sensors "
    "better than no law at all; other candidates, or sensors nearer to each other, would help.",
    "misses-more-than-smoothness": "The best law misses held-out sensors by {error:.2g} (rms), smoothness alone by "
    "{smooth:.2g}: it lacks a term; other candidates would help.",
    "field-fails-law": "The field of the best law fails it by {share:.0%} of how it changes in time: the law lacks a "
    "term, or the field is sharper than sensors so far apart can resolve; other candidates, or more sensors, would "
    "help.",
    "readings-depart": "The readings depart from the field of the best law by {departure:.0%} of their standard "
    "deviation, far more than noise does: it lacks a term, or something happens that no law of this kind explains; "
    "other candidates, or only a part of the readings, would help.",
    # of a law and its fields
    "offsets": "Sensors seem to be off[[ in {field}]], each by a constant of its own (sd {sd:.2g}): "
    "⟦fit[[.of({experiment})]].offsets has‖the offsets in law.json say⟧ how much; the law was found in spite of it.",
    "gains": "Gains of sensors seem to differ[[ in {field}]] (sd {sd:.1%}[[; {clearly:and}]]): " + _HOW_MUCH,
    "displacements": "Sensors seem not to be exactly where they are said to be[[, judging by {field}]] (along {axis}, "
    "sd {sd:.2g}[[; {clearly:and}]]): " + _HOW_MUCH,
    "delays": "Sensors seem to read late or early[[ in {field}]], each by a time of its own (sd {sd:.2g}[[; "
    "{clearly:and}]]): they lag, or clocks differ; " + _HOW_MUCH,
    "not-converged": "The fit had not converged when it was stopped: rely on the interval less than it says.",
    "law-fails": "The law fails by {share:.1%} of {left} even at best: a term is missing, or the field is sharper than "
    "the mesh.",
    "unknown-source": "Something is missing from the law: the readings favour a source in the equation of {field} that "
    "varies with {along:and} and makes up {share:.0%} of {left} (by {gain:.0f} nats). Pass it as a known input if you "
    "have a record of it, or add candidates; do not rely on the law before.",
    "readings-leave-law": "Readings of " + _WHERE + " depart from the field of this law by {departure:.0%} of their "
    "standard deviation beyond noise: the law is not right, or a term is missing.",
    "explains-not-all": "The law explains {share:.1%} of the variance of " + _WHERE + ", but not all: readings depart "
    "from it by {departure:.2g} (rms) beyond noise[[, in errors that last about {lasting:.2g} units of time]]. Sensors "
    "err, or the law lacks something small; the intervals allow for it.",
    "lasting-errors": "Errors of sensors in " + _WHERE + " last about {lasting:.2g} units of time ({share:.0%} of the "
    "noise's variance): the intervals allow for it.",
    "not-followed": "The field could not be followed beyond the sensors.",
    # what the user said
    "claim-contradicted": "You said {claim}; the readings favour {favoured}, by {cost:.0f} nats"
    "{together: together with what else they contradict|}.",
    "claimed-term-contradicted": "You said that {claim} is in the law; the readings favour {favoured}, by {cost:.0f} "
    "nats{together: together with what else they contradict|}.",
    "check-claims": "Check the sign and the unit of what you said, or leave it out; without it: {law}",
    # other laws
    "law-not-determined": "The readings do not determine a law: do not rely on the best guess.",
    "see-more": "Add sensors, read them more often, or with less noise; or say what you know: " + _KNOWN + ".",
    "some-laws-not-determined": "The readings of {fields:comma} do not determine a law; the other fields were "
    "inferred without them.",
    "look-at-readings": "Look at the readings of {fields:comma}: `pdescry inspect`.",
    "other-laws": "Other laws explain the readings about as well.",
    "say-what-you-know": "Say what you know of a term, such as " + _KNOWN + ".",
    "other-order": "A law of another order in time scores about as well (by {nats:.1f} nats): {law}.",
    "say-which-order": "Pass ⟦time_order=1⟧ or ⟦time_order=2⟧ if you know which it is.",
    "best-guess": "The best law, which the readings do not support: {law}",
    "or-law": "or {law} (probability {probability:.2f})",
    # coefficients
    "coefficient-grows": "The coefficient of {term} grows from {first} to {last}.",
    "coefficient-falls": "The coefficient of {term} falls from {first} to {last}.",
    "coefficient-changes": "The coefficient of {term} changes from {first} to {last}.",
    "coefficient-varies": "The coefficient of {term} varies along {axis}: least, {least}; most, {most}.",
    "conservation-form": "The law is in conservation form, (D*{flux})_{axis} with D that coefficient: the slope of D "
    "is {slope}, the coefficient of {flux} {coefficient}.",
    "not-in-law": "{term}, whose coefficient may vary, is not in the law.",
    "constant-coefficient": "The coefficient of {term} is constant along {axis}: one that varies scores {nats:.1f} "
    "nats {less:less|more, but no such law is possible}.",
    "wide-interval": "The interval of {terms:comma} is wide: its sd is more than half of the coefficient.",
    "narrow-intervals": "More sensors, or less noise, narrow intervals most where the field bends most.",
    "few-sensors": "{sensors} sensors cannot resolve derivatives of order {order} between them.",
    "lower-order": "Name candidates of lower order, or add sensors.",
    # derived quantities
    "unit-matters": "{function} of a quantity in {unit}: its value depends on that unit.",
    "units-differ": "Quantities of different units, {first} and {second}, are added.",
    "draws-without-value": "{share:.1%} of the draws have no value, such as the root of a negative number, and are "
    "left out.",
    "draws-far-out": "Some draws lie far out, as where a denominator may be zero: rely on the interval, not on the sd.",
    "spread-too-narrow": "The spread of the coefficients is the formal one, which is too narrow; so is this interval.",
    # the next sensor
    "of-first-experiment": "Of {experiments} experiments, this is about the first, and counts the information in "
    "all of them.",
    "next-without-law": "No law was found, so these are the places where the field is most uncertain, judged by draws "
    "of a field that obeys no law.",
}
