"""Of fields sampled as networks: whether to believe the draws; and of machines and files that such runs meet."""

from __future__ import annotations

_SMALLER = ": use a smaller step (energy_error of MCLMC, step_size of HMC) or a longer warm start"

TEMPLATES = {
    # whether chains have mixed
    "mixed": "mixed: R-hat at most {r_hat:.2f}, at least {draws:.0f} effective draws.",
    "not-mixed": "not mixed: {faults:semicolon}.",
    "single-fit": "a single fit, no posterior: no uncertainty.",
    "few-draws": "not mixed: fewer than {fewest} draws a chain say nothing about it: draw more (⟦draws=200⟧).",
    "diverged": "{diverged} of {transitions} transitions diverged" + _SMALLER,
    "energy-error": "the energy error is {times:.0f} times what was asked" + _SMALLER,
    "rejected": "only {accepted:.0%} of the proposals were accepted" + _SMALLER,
    "drifting": "log p still drifts ({drift:+.1f} sd): use a longer burn-in (⟦burn={burn}⟧)",
    "chains-differ": "the chains differ in {quantity}[[, most at {where}]] (R-hat {r_hat:.2f})",
    "few-effective-draws": "only {draws:.0f} effective draws of {quantity}",
    "draw-longer": "wanted are R-hat {r_hat} and {draws:.0f} draws: draw longer (⟦thin={thin}⟧)",
    "missed-by-noise-given": "only {coverage:.0%} of the readings lie in their 95 % intervals: the noise given is too "
    "small",
    "missed-by-network": "only {coverage:.0%} of the readings lie in their 95 % intervals: the network cannot follow "
    "them",
    # chains that are not used
    "chain-left-out": "Left out: {reason}",
    "chain-of-nan": "Chain {chain} produced NaN; use another seed or sampler.",
    "chain-stuck": "Chain {chain} got stuck (most draws repeat the one before); use another seed or sampler.",
    "draws-unreliable": "The draws of the field are not reliable: {verdict}",
    "sample-longer": "Sample longer: sampler.draws and sampler.thin twice as large.",
    # runs
    "other-versions": "This run was begun with {package} {before} and goes on with {after}: the draws may differ from "
    "those of an uninterrupted run.",
    "checkpoint-damaged": "The checkpoint {path!r} is damaged ({fault}); going on from the one before it.",
    "stage-damaged": "{fault} It is recomputed.",
    "too-many-workers": "{workers} workers on {able} {kind}: they will take turns, and the run will take longer, not "
    "shorter.",
    "threads-of-workers": "Workers have several threads each, which wait for one another; begin them with `dask worker "
    "ADDRESS --nworkers NUMBER --nthreads 1`.",
    "no-workers-yet": "The cluster has no workers yet; work begins as soon as there are some.",
    "not-drawn": "Could not draw {file}: {fault}",
    "cells-without-fields": "{lacking} of {wanted} cells have no fields.nc to draw.",
    "of-a-cell": "{cell}: {notice}",
}
