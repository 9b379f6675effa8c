"""`import pdescry` is quick, loads nothing heavy, and leaves the settings of other libraries alone."""

from __future__ import annotations

import subprocess
import sys

import pytest

import pdescry

# What a network and the regressions compute with; a default run does without.
OF_NETWORKS = ("jax", "jaxlib", "blackjax", "optax", "arviz", "sklearn")
HEAVY = ("numpy", "scipy", "pandas", "xarray", "matplotlib", "jax", "h5py", "pyarrow", "zarr", "rich")


def loaded_after(code: str) -> set[str]:
    done = subprocess.run(
        [sys.executable, "-c", f"import sys; {code}; print(*sys.modules)"], capture_output=True, text=True, check=True
    )
    return set(done.stdout.split())


def test_import_loads_nothing_heavy():
    assert not loaded_after("import pdescry") & set(HEAVY)


def test_help_loads_nothing_heavy():
    code = "import pdescry.cli.app"
    assert not loaded_after(code) & (set(HEAVY) - {"rich"})


def test_use_changes_no_global_setting():
    code = """
import sys, numpy as np, matplotlib, matplotlib._pylab_helpers
before = (np.geterr(), np.get_printoptions(), dict(matplotlib.rcParams), np.random.get_state()[1].tolist())
import pdescry
from pdescry.report import sketch
solution = pdescry.simulate("u_t = u_xx", domain=(0, 1), until=0.1, initial="sin(2*pi*x)")
pdescry.plot.solution(solution)
pdescry.systems.advection_diffusion().observe(noise=0.1)
after = (np.geterr(), np.get_printoptions(), dict(matplotlib.rcParams), np.random.get_state()[1].tolist())
assert before == after
assert not matplotlib._pylab_helpers.Gcf.figs
assert "jax" not in sys.modules
"""
    subprocess.run([sys.executable, "-c", code], check=True)


def test_a_default_run_loads_no_network_and_no_regression(tmp_path):
    code = f"""
import sys

class Refuse:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {OF_NETWORKS}:
            raise ImportError(f"{{name}} is not needed here")

sys.meta_path.insert(0, Refuse())

import pdescry
from pdescry.cli import main
pdescry.systems.heat().observe(sensors=6, noise=0.05, every=1.0, seed=3).to_csv("rod.csv")
law = pdescry.discover(pdescry.read("rod.csv"), ["u_xx", "u_x", "u"], workdir="rod.pdescry", workers=1)
law.report("rod.html")
assert law.found and "u_xx" in str(law)
assert repr(pdescry.load("rod.pdescry")) == repr(law)
sys.argv = ["pdescry", "show", "rod.pdescry"]
main()
"""
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "u_xx" in done.stdout
    assert (tmp_path / "rod.html").stat().st_size > 10_000


@pytest.mark.parametrize("name", sorted({*pdescry._HOME, *pdescry.__all__}))
def test_every_public_name_is_there(name):
    assert getattr(pdescry, name) is not None
    assert name in dir(pdescry)
    assert name in pdescry.__all__


def test_unknown_names_are_told():
    with pytest.raises(AttributeError, match="no attribute 'discoverr'"):
        _ = pdescry.discoverr  # pyright: ignore[reportAttributeAccessIssue]
