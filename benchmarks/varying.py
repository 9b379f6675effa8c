"""A rod whose diffusivity grows by half along its length: whether variation is found, and none where there is none.

    python benchmarks/varying.py 101 102 103 104 105

Twelve sensors at random places, 51 times, noise 2 % of the readings' sd, ends fixed at zero; ``plain`` is D(x)·u_xx,
``flux`` is (D·u_x)_x, ``constant`` has D = 0.025. One line a run: what was found, whether it is right, the seconds.
"""

from __future__ import annotations

import argparse
import time

import numpy as np

import pdescry

LAWS = {
    "plain": "u_t = 0.02*u_xx + 0.01*x*u_xx",
    "flux": "u_t = 0.02*u_xx + 0.01*x*u_xx + 0.01*u_x",
    "constant": "u_t = 0.025*u_xx",
}
SENSORS, NOISE, MODES = 12, 0.02, 4


def readings_of(kind: str, layout: int) -> pdescry.Readings:
    random = np.random.default_rng([layout, 22])
    sizes = random.normal(size=MODES) / np.arange(1, MODES + 1)
    times, grid = np.linspace(0, 2, 51), np.linspace(0, 1, 201)

    def start(x: np.ndarray) -> np.ndarray:
        return np.sum([size * np.sin((k + 1) * np.pi * x) for k, size in enumerate(sizes)], axis=0)

    solved = pdescry.simulate(LAWS[kind], initial=start, domain=(0, 1), times=times, boundary="dirichlet", x=grid)
    places = np.sort(random.uniform(0, 1, SENSORS))
    values = np.array([np.interp(places, grid, row) for row in solved["u"].values])
    values += NOISE * np.std(values) * random.normal(size=values.shape)
    t, x = np.meshgrid(times, places, indexing="ij")
    return pdescry.Readings.from_arrays(t.ravel(), x.ravel(), values.ravel())


def main() -> None:
    parser = argparse.ArgumentParser(description="A rod whose diffusivity grows along its length.")
    parser.add_argument("layouts", type=int, nargs="+")
    parser.add_argument("--kind", choices=LAWS, action="append", help="may repeat; by default, all")
    parser.add_argument("--workers", type=int)
    given = parser.parse_args()
    for kind in given.kind or LAWS:
        wanted = {str(term) for term in pdescry.Equation.parse(LAWS[kind])["u"].coefficients}
        for layout in given.layouts:
            begin = time.perf_counter()
            choice = pdescry.choose(readings_of(kind, layout), workers=given.workers)
            found = {str(each.term) for each in choice.fit.terms} if choice.told else set()
            varies = "varies" if len(choice.comparison.profiles) else "constant"
            right = "right" if found == wanted else "wrong"
            print(kind, layout, varies, right, f"{time.perf_counter() - begin:.0f} s", choice, sep="\t", flush=True)


if __name__ == "__main__":
    main()
