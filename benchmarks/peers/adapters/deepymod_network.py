"""DeePyMoD: a network is trained on the readings and on the law's residual, while small terms are dropped.

The network, schedule and optimiser are those of DeePyMoD's own examples; the library is DeePyMoD's ``Library`` with the
benchmark's candidates. Coordinates are scaled to −1…1 and fields to an sd of one, and coefficients scaled back.
"""

# pyright: basic, reportMissingImports=false

from __future__ import annotations

import contextlib
import io
import tempfile
import warnings

import numpy as np
from exchange import Answer, Clock, Work, main
from terms import derivatives_in, scale_of, value_of

warnings.filterwarnings("ignore")

import torch  # noqa: E402
from deepymod import DeepMoD  # noqa: E402
from deepymod.data import get_train_test_loader  # noqa: E402
from deepymod.model.constraint import LeastSquares  # noqa: E402
from deepymod.model.deepmod import Library  # noqa: E402
from deepymod.model.func_approx import NN  # noqa: E402
from deepymod.model.sparse_estimators import Threshold  # noqa: E402
from deepymod.training import train  # noqa: E402
from deepymod.training.sparsity_scheduler import Periodic, TrainTestPeriodic  # noqa: E402

THRESHOLDS = (0.1, 0.05)  # the first is that of its examples
ITERATIONS, FIRST = 10_000, 4000  # all, because its criterion of convergence may end it before terms are dropped; and
# those before terms are dropped at regular intervals
NETWORK = (30, 30, 30, 30)
RATE = 2e-3


class Late(Periodic):
    """Its own begins at the first iteration, whatever ``initial_iteration`` is."""

    def __call__(self, iteration, loss, model, optimizer):
        return iteration >= self.initial_iteration and super().__call__(iteration, loss, model, optimizer)


class Candidates(Library):
    """Of any candidates, for one equation a field."""

    def __init__(self, work: Work) -> None:
        super().__init__()
        self.work = work

    def library(self, input):
        prediction, points = input
        table = {name: prediction[:, k : k + 1] for k, name in enumerate(self.work.fields)}
        slopes: dict[str, torch.Tensor] = {}

        def slope(name: str) -> torch.Tensor:
            if name not in slopes:
                (slopes[name],) = torch.autograd.grad(table[name].sum(), points, create_graph=True)
            return slopes[name]

        for name in derivatives_in(self.work.candidates):
            field, _, along = name.partition("_")
            before = f"{field}_{along[:-1]}".rstrip("_")
            column = 1 + self.work.axes.index(along[-1])
            if before not in table:  # u_xy without u_x
                raise ValueError(f"Expected {before} among the candidates, because {name} is; add it.")
            table[name] = slope(before)[:, column : column + 1]
        rates = [slope(name)[:, :1] for name in self.work.fields]
        one = torch.ones_like(rates[0])
        theta = torch.cat([value_of(term, table, one) for term in self.work.candidates], dim=1)
        return rates, [theta] * len(rates)


class Scaled:
    """Readings as DeePyMoD's data sets hold them, in the units that it is trained in."""

    device = "cpu"

    def __init__(self, work: Work) -> None:
        points = np.column_stack([work.time, work.space])
        self.low, self.half = points.min(0), np.ptp(points, axis=0) / 2
        self.field = float(work.values.std())  # of all fields together, so that sums of fields stay sums
        order = np.random.default_rng(work.seed).permutation(len(points))
        self.points = self.coordinates(points[order])
        self.values = torch.tensor(work.values[order] / self.field, dtype=torch.float32)
        self.number_of_samples = len(points)

    def coordinates(self, points) -> torch.Tensor:
        return torch.tensor((points - self.low) / self.half - 1, dtype=torch.float32)

    def __getitem__(self, rows):
        return self.points[rows], self.values[rows]

    def __len__(self) -> int:
        return self.number_of_samples


def trained(work: Work, threshold: float, regular: bool) -> Answer:
    clock = Clock()
    torch.manual_seed(work.seed)
    np.random.seed(work.seed)  # noqa: NPY002 (which DeePyMoD draws from)
    data = Scaled(work)
    network = NN(1 + len(work.axes), list(NETWORK), len(work.fields))
    model = DeepMoD(network, Candidates(work), Threshold(threshold), LeastSquares())
    optimiser = torch.optim.Adam(model.parameters(), betas=(0.99, 0.99), amsgrad=True, lr=RATE)
    if regular:
        scheduler = Late(periodicity=50, initial_iteration=FIRST)
    else:
        scheduler = TrainTestPeriodic(periodicity=50, patience=200, delta=1e-5)
    with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stdout(io.StringIO()):
        loaders = get_train_test_loader(data, train_test_split=0.8)
        train(model, *loaders, optimiser, scheduler, log_dir=f"{folder}/", max_iterations=ITERATIONS, delta=0.0)
    model(data.points)
    lengths = dict(zip(work.axes, data.half[1:], strict=True))
    found = {}
    for field, column in zip(work.fields, model.constraint_coeffs(scaled=False, sparse=True), strict=True):
        for term, value in zip(work.candidates, column.detach().numpy().ravel(), strict=True):
            if value:
                units = data.field / data.half[0] / scale_of(term, data.field, lengths)
                found[f"{field}_t: {term}"] = value * units
    seconds = clock()
    with torch.no_grad():
        at = network(data.coordinates(work.points))[0].numpy() * data.field if len(work.points) else None
    return Answer(found, f"threshold {threshold:g}, {'regular' if regular else 'by test error'}", seconds, field=at)


def method(work: Work) -> tuple[list[Answer], int]:
    settings = [(THRESHOLDS[0], False), *((threshold, True) for threshold in THRESHOLDS)]
    return [trained(work, *each) for each in settings], 0


if __name__ == "__main__":
    main(method, "deepymod", "torch")
