"""The paper's experiments as data: what was done, and what was published.

Bonneville & Earls 2021, section 4. Every number under PUBLISHED is as printed there and is nobody's result but
the authors'.
"""

from __future__ import annotations

from dataclasses import dataclass

from pdescry.equation import Term, candidates

NOISES = (0.0, 0.01, 0.05)
TERMS: tuple[Term, ...] = candidates("paper")


@dataclass(frozen=True)
class Published:
    """One cell: coefficients that are not 0.0, and the two errors."""

    coefficients: dict[str, float]
    e_C: float
    e_L: float


@dataclass(frozen=True)
class Experiment:
    """One system of the paper: how it was treated, and what was published, by noise."""

    system: str
    title: str
    moments: int  # of reading, from 0 on, 50 of which are the whole time
    threshold: float  # δ of STBLR and STOLS
    step_size: float  # Δτ of HMC
    grid: tuple[int, int]  # places × times over which we sum e_L: the released data's
    # Places × times over which the published e_L are sums. Not in the paper, but implied by it: its laws, solved and
    # summed over this grid, give its numbers within 1 % (tests/experiments/test_published.py).
    published_grid: tuple[int, int]
    slices: tuple[float, float, float]  # times of the figure with 95 % bands
    tables: tuple[int, int, int]  # numbers of: RMSE, STBLR, STOLS
    rmse: dict[float, tuple[float, float]]  # BNN, DNN
    stblr: dict[float, Published]
    stols: dict[float, Published]


BURGERS = Experiment(
    "burgers",
    "Burgers equation",
    moments=51,
    threshold=0.005,
    step_size=5e-4,
    grid=(1000, 1001),
    published_grid=(100, 101),
    slices=(1.0, 3.0, 6.0),
    tables=(1, 2, 3),
    rmse={0.0: (0.0740, 0.0283), 0.01: (0.0327, 0.0298), 0.05: (0.0641, 0.0919)},
    stblr={
        0.0: Published({"u_xx": 0.0980, "u*u_x": -0.9986}, 0.0024, 0.1352),
        0.01: Published({"u_xx": 0.0871, "u*u_x": -0.9851}, 0.0198, 0.9446),
        0.05: Published(
            {
                "u": -0.0415,
                "u_x": 0.0165,
                "u_xx": 0.0470,
                "u*u_x": -0.6884,
                "u*u_xx": -0.0253,
                "u^2": -0.0202,
                "u_x^2": -0.0268,
            },
            0.3220,
            6.3256,
        ),
    },
    stols={
        0.0: Published({"u_xx": 0.0918, "u*u_x": -0.9685}, 0.0326, 0.9962),
        0.01: Published(
            {"u": -0.0134, "u_x": -0.0156, "u_xx": 0.0921, "u*u_x": -0.9181, "u*u_xx": -0.0178, "u_x^2": -0.0265},
            0.0906,
            4.0730,
        ),
        0.05: Published({"u": -0.0609, "u_x": -0.0354, "u*u_x": -0.2041}, 0.8052, 20.4654),
    },
)

KDV = Experiment(
    "kdv",
    "Korteweg–de Vries equation",
    moments=51,
    threshold=0.05,
    step_size=1e-4,
    grid=(1000, 4001),
    published_grid=(200, 401),
    slices=(10.0, 20.0, 30.0),
    tables=(4, 5, 6),
    rmse={0.0: (0.1388, 0.1018), 0.01: (0.1437, 0.1068), 0.05: (0.1724, 0.1158)},
    stblr={
        0.0: Published({"u_xxx": -0.9296, "u*u_x": -0.8199}, 0.1934, 119.2665),
        0.01: Published({"u_xxx": -0.9254, "u*u_x": -0.8160}, 0.1986, 120.8644),
        0.05: Published({"u_xxx": -0.8653, "u*u_x": -0.8303}, 0.2166, 108.1781),
    },
    stols={
        0.0: Published({"u_xxx": -0.2056, "u*u_x": -0.3008}, 1.0583, 233.8474),
        0.01: Published({"u_xxx": -0.2061, "u*u_x": -0.2961}, 1.061, 234.1718),
        0.05: Published({"u*u_x": -0.1330}, 1.3235, 232.9447),
    },
)

HEAT = Experiment(
    "heat",
    "Heat equation",
    moments=50,
    threshold=0.02,
    step_size=5e-4,
    grid=(100, 201),
    published_grid=(100, 201),
    slices=(1.0, 3.0, 6.0),
    tables=(7, 8, 9),
    rmse={0.0: (0.0593, 0.0203), 0.01: (0.0395, 0.0243), 0.05: (0.0399, 0.0310)},
    stblr={
        0.0: Published({"u_xx": 1.8089}, 0.1911, 7.8201),
        0.01: Published({"u_xx": 1.9742}, 0.0258, 0.9894),
        0.05: Published({"u_xx": 1.4124}, 0.5876, 28.7470),
    },
    # An indexing bug of the released program (``indexing_bug.py`` replays it), not what STOLS finds.
    stols={
        0.0: Published({"u_x^2": 0.0376}, 2.0004, 401.6347),
        0.01: Published({"u_x^2": 0.0461}, 2.0005, 404.4451),
        0.05: Published({"u_x^2": 0.0601}, 2.0009, 409.0607),
    },
)

EXPERIMENTS: dict[str, Experiment] = {each.system: each for each in (BURGERS, KDV, HEAT)}
