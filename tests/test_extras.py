"""What needs a library of an extra says so in one sentence that names the extra, and nothing else needs it."""

from __future__ import annotations

import subprocess
import sys
import tomllib
from pathlib import Path

import pandas as pd
import pytest

from pdescry import Equation, InputError, read
from pdescry.equation.to_sympy import to_sympy
from pdescry.files import check_zarr

TABLE = tomllib.loads((Path(__file__).parents[1] / "pyproject.toml").read_text("utf-8"))["project"]
LIBRARIES = {"parquet": "pyarrow", "zarr": "zarr", "excel": "openpyxl", "sympy": "sympy"}


@pytest.fixture(autouse=True)
def missing(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [each for each in sys.modules if each.partition(".")[0] in LIBRARIES.values()]:
        monkeypatch.delitem(sys.modules, name)
    for name in LIBRARIES.values():
        monkeypatch.setitem(sys.modules, name, None)


@pytest.mark.parametrize("extra", LIBRARIES)
def test_the_extra_is_named_where_its_library_is_missing(extra: str, tmp_path: Path) -> None:
    assert TABLE["optional-dependencies"][extra][0].startswith(LIBRARIES[extra])
    assert not any(each.startswith(LIBRARIES[extra]) for each in TABLE["dependencies"])
    path = tmp_path / {"parquet": "a.parquet", "zarr": "a.zarr", "excel": "a.xlsx"}.get(extra, "a.csv")
    if extra == "zarr":
        path.mkdir()
    else:
        path.write_bytes(b"PK\x03\x04 nothing")
    with pytest.raises(InputError, match=rf"Expected {LIBRARIES[extra]} .* `pip install 'pdescry\[{extra}\]'`"):
        to_sympy(Equation.parse("u_t = u_xx")) if extra == "sympy" else read(path)


def test_posteriors_as_zarr_need_it_too() -> None:
    with pytest.raises(InputError, match=r"pdescry\[zarr\]"):
        check_zarr()


def test_nothing_else_loads_them(tmp_path: Path) -> None:
    """From a file to the forward solution, in a process where none of them can be imported."""
    frame = pd.DataFrame({"t": [0, 1, 2] * 3, "x": [0] * 3 + [1] * 3 + [2] * 3, "u": range(9)})
    frame.to_csv(tmp_path / "rod.csv", index=False)
    program = f"""
import sys
sys.modules |= dict.fromkeys({list(LIBRARIES.values())!r})
import pdescry, pdescry.discovery, pdescry.surrogate, pdescry.cli.app, pdescry.plot
readings = pdescry.read({str(tmp_path / "rod.csv")!r})
readings.to_frame(), readings.to_xarray(), readings._repr_html_()
"""
    subprocess.run([sys.executable, "-W", "error", "-c", program], check=True)
