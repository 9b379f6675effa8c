"""pdescry with the preset of the paper: its network, sampler, regression and eleven candidates."""

from __future__ import annotations

from exchange import main
from pdescry_default import answer_of

if __name__ == "__main__":
    main(lambda work: ([answer_of(work, preset="paper", seed=work.seed)], 0), "pdescry")
