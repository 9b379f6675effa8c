"""The commands as a user types them: what they print, write, refuse, and with which exit code they end."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys

import numpy as np
import pytest
import xarray as xr

import pdescry

HEAT = ["simulate", "u_t = 0.1*u_xx", "--domain", "0", "1", "--until", "1", "--initial", "sin(pi*x)"]
FIXED = [*HEAT, "--boundary", "dirichlet"]


def test_simulate_writes_netcdf_and_a_picture(run, tmp_path):
    code, out, err = run(*FIXED, "-o", "heat.nc", "--plot", "heat.png")
    assert (code, err) == (0, "")
    assert "uₜ = 0.1·uₓₓ" in out
    assert "ok: Resolved" in out
    with xr.open_dataset(tmp_path / "heat.nc", engine="h5netcdf") as stored:
        assert stored.attrs["status"] == "ok"
        assert float(stored.u.sel(t=1, x=0.5)) == pytest.approx(np.exp(-0.1 * np.pi**2), abs=1e-8)
    assert (tmp_path / "heat.png").read_bytes().startswith(b"\x89PNG")


def test_what_simulate_wrote_can_be_inspected(run):
    run(*FIXED, "-o", "heat.nc", "--points", "9", "--steps", "10")
    code, out, _ = run("inspect", "heat.nc")
    assert code == 0
    assert "99 readings of u by 9 sensors" in out


def test_simulate_as_json(run):
    code, out, _ = run(*FIXED, "--json")
    told = json.loads(out)
    assert code == 0
    assert told["status"] == "ok"
    assert told["equation"] == "u_t = 0.1*u_xx"
    assert told["files"] == ["solution.nc"]


def test_quiet_is_quiet(run):
    assert run(*FIXED, "--quiet") == (0, "", "")


def test_a_law_that_cannot_be_solved_ends_with_3(run, tmp_path):
    ill_posed = [word.replace("0.1", "-0.1") for word in FIXED]
    code, out, _ = run(*ill_posed)
    assert code == 3
    assert "ill-posed: " in out
    assert "Wrote nothing." in out
    code, out, err = run(*ill_posed, "--quiet")
    assert (code, out) == (3, "")
    assert err.startswith("ill-posed: ")
    assert not list(tmp_path.iterdir())


def test_what_was_solved_until_a_failure_is_written(run, tmp_path):
    code, out, _ = run(
        "simulate", "u_t = u_xx + u^3", "--domain", "0", "1", "--until", "5", "--initial", "20*sin(pi*x)",
        "--boundary", "dirichlet", "--plot", "a.png",
    )  # fmt: skip
    assert code == 3
    assert "blow-up: " in out
    with xr.open_dataset(tmp_path / "solution.nc", engine="h5netcdf") as stored:
        assert stored.attrs["status"] == "blow-up"
        assert np.isfinite(stored.u).all()
        assert 0 < float(stored.t[-1]) == stored.attrs["reached"] < 5


def test_conditions_per_side_and_several_fields(run):
    code, out, _ = run(*HEAT, "--left", "u=0", "--right", "u_x=0", "-o", "a.nc")
    assert (code, "ok:" in out) == (0, True)
    code, out, _ = run(
        "simulate", "u_t = -v; v_t = u", "--domain", "0", "1", "--until", "1", "--initial", "u=1", "--initial", "v=0",
        "--field", "v", "--plot", "v.svg", "-o", "b.nc",
    )  # fmt: skip
    assert (code, "ok:" in out) == (0, True)


RISING = ("simulate", "u_t = P", "--domain", "0", "1", "--until", "2", "--initial", "0", "--input")


@pytest.mark.parametrize(
    ("given", "reached"), [("P = 1 + t", 4), ("P=3", 6), ("P=power.csv", 1.5), ("P = power.csv held", 1)]
)
def test_known_inputs(run, tmp_path, given, reached):
    (tmp_path / "power.csv").write_text("t,P\n0,0\n1,1\n2,1\n")
    code, out, _ = run(*RISING, given)
    assert (code, "ok:" in out) == (0, True)
    with xr.open_dataset(tmp_path / "solution.nc", engine="h5netcdf") as stored:
        assert stored["P"].dims == ("t",)
        assert float(stored.u[-1, 0]) == pytest.approx(reached, rel=1e-6)


def test_a_heater_is_described(run):
    code, out, _ = run("systems", "heated_rod")
    assert code == 0
    assert "  input     P = 1 at 0, " in out


BAD = {
    "a name that is no input": (RISING[:-1], "an input (none is named in --input)"),
    "an input that is not in the law": ([*RISING, "Q=1"], "Unknown name 'P'"),
    "an input too many": ([*RISING, "P=1", "--input", "Q=1"], "contains no input Q"),
    "an input without a value": ([*RISING, "P"], '--input "P = 1 + sin(t)"'),
    "an input twice": ([*RISING, "P=1", "--input", "P=2"], "given twice"),
    "an input from no file": ([*RISING, "P=none.csv"], "none.csv of the input P is not there"),
    "an unknown name": (
        [*FIXED[:1], "u_t = 0.1*uxx", *FIXED[2:]],
        "Did you mean 'u_xx'?\n  u_t = 0.1*uxx\n            ^",
    ),
    "a wrong formula": ([*FIXED[:-3], "sin(pi*q)", "--boundary", "dirichlet"], "Unknown name 'q'"),
    "a wrong boundary": ([*HEAT, "--boundary", "none"], "'dirichlet'"),
    "half a boundary": ([*HEAT, "--left", "u=0"], "--right"),
    "a reversed domain": (
        ["simulate", "u_t = u", "--domain", "1", "0", "--until", "1", "--initial", "1"],
        "LEFT < RIGHT",
    ),
    "a negative time": (["simulate", "u_t = u", "--domain", "0", "1", "--until", "-1", "--initial", "1"], "--until"),
    "an unknown field to draw": ([*FIXED, "--field", "v", "--plot", "a.png"], "--field"),
    "a picture of unknown kind": ([*FIXED, "--plot", "a.doc"], "*.png"),
    "an output of unknown kind": ([*FIXED, "-o", "a.csv"], "*.nc"),
    "readings under a strange name": (["systems", "heat", "-o", "a.nc"], "*.csv"),
    "a folder that is not there": ([*FIXED, "-o", "no/a.nc"], "no such folder"),
    "a picture in no folder": ([*FIXED, "--plot", "no/a.png"], "no such folder"),
    "two kinds of boundary": ([*FIXED, "--left", "u=0", "--right", "u=0"], "--boundary, or both"),
    "an endless domain": (["simulate", "u_t = u", "--domain", "0", "inf", "--until", "1", "--initial", "1"], "0 inf"),
    "an endless time": (["simulate", "u_t = u", "--domain", "0", "1", "--until", "inf", "--initial", "1"], "--until"),
    "a coarse tolerance": ([*FIXED, "--rtol", "1"], "--rtol to be a number"),
    "a missing state": (
        ["simulate", "u_t = v; v_t = u", "--domain", "0", "1", "--until", "1", "--initial", "1"],
        '--initial "u=…"',
    ),
    "an output without a system": (["systems", "-o", "a.csv"], "name of a system"),
    "too many readings": (["systems", "heat", "-o", "a.csv", "--every", "1e-9"], "--every"),
    "no such file": (["inspect", "none.csv"], "no such file"),
    "an unknown system": (["systems", "burger"], "Did you mean 'burgers'"),
    "bad noise": (["systems", "heat", "-o", "a.csv", "--noise", "loud"], "--noise"),
    "too few sensors": (["systems", "heat", "-o", "a.csv", "--sensors", "1"], "3 or more sensors"),
}


@pytest.mark.parametrize(("arguments", "says"), BAD.values(), ids=BAD)
def test_bad_input_ends_with_2_and_writes_nothing(run, tmp_path, arguments, says):
    code, out, err = run(*arguments)
    assert (code, out) == (2, "")
    assert err.startswith("Error: ")
    assert says in err
    assert not list(tmp_path.iterdir())


def test_a_missing_option_is_told_by_the_program(run):
    code, _, err = run("simulate", "u_t = u_xx")
    assert code == 2
    assert err.startswith("Usage: pdescry simulate")
    assert "Missing option" in err


def test_existing_files_are_kept_unless_forced(run, tmp_path):
    (tmp_path / "solution.nc").write_text("mine")
    code, _, err = run(*FIXED)
    assert code == 2
    assert "--force" in err
    assert (tmp_path / "solution.nc").read_text() == "mine"
    assert run(*FIXED, "--force", "--quiet")[0] == 0


def test_systems_are_listed_described_and_exported(run, tmp_path):
    code, out, _ = run("systems")
    assert code == 0
    assert all(name in out for name in pdescry.systems.NAMES)
    code, out, _ = run("systems", "heat")
    assert "uₜ = 2·uₓₓ" in out
    code, out, _ = run("systems", "advection_diffusion", "--noise", "5%", "--seed", "3", "--output", "cloud.csv")
    assert (code, out) == (0, "Wrote 816 readings by 16 sensors to cloud.csv.\n")
    expected = pdescry.systems.advection_diffusion().observe(noise="5%", seed=3)
    assert pdescry.read(tmp_path / "cloud.csv") == expected


def test_inspect_tells_what_was_understood(run, tmp_path):
    run("systems", "advection_diffusion", "--noise", "0.05", "--missing", "0.1", "--output", "cloud.csv")
    code, out, err = run("inspect", "cloud.csv", "--plot", "cloud.png", "--noise", "0.04")
    assert (code, err) == (0, "")
    for word in ("by 16 sensors", "t from 0 to 8", "noise estimated", "0.04", "longest gap", "t upwards"):
        assert word in out
    assert (tmp_path / "cloud.png").exists()
    code, out, _ = run("inspect", "cloud.csv", "--json")
    told = json.loads(out)
    assert len(told["sensors"]) == 16
    assert told["fields"]["u"]["noise_estimate"] == pytest.approx(0.05, rel=0.15)


def test_names_in_a_file_are_not_markup(run, tmp_path):
    rows = "\n".join(f"{k % 5},{k // 5},{k**1.5},TC[/a]{k // 5}" for k in range(20))
    (tmp_path / "rod [run 3] :smile:.csv").write_text("t [/s],x,rate [/s],sensor\n" + rows)
    code, out, _ = run("inspect", "rod [run 3] :smile:.csv")
    assert code == 0
    for word in ("rod [run 3] :smile:.csv", "'rate [/s]'", "TC[/a]0"):
        assert word in out


def test_errors_speak_of_flags(run, tmp_path):
    (tmp_path / "two.csv").write_text("clock,pos,a,b\n1,2,3,4\n")
    _, _, err = run("inspect", "two.csv")
    assert "--time" in err
    assert "time=" not in err


def test_a_narrow_terminal_and_one_without_unicode(run, tmp_path, monkeypatch):
    run("systems", "advection_diffusion", "--output", "cloud.csv")
    monkeypatch.setenv("COLUMNS", "40")
    code, out, _ = run("inspect", "cloud.csv")
    assert code == 0
    assert max(map(len, out.splitlines())) <= 40
    done = subprocess.run(
        [sys.executable, "-m", "pdescry", "systems"],
        capture_output=True,
        env={**os.environ, "PYTHONIOENCODING": "ascii"},
    )
    assert done.returncode == 0


def test_inspect_with_names_of_ones_own(run, tmp_path):
    rows = "\n".join(f"{k % 5};{k // 5};{k**1.5}" for k in range(20))
    (tmp_path / "own.csv").write_text("clock;pos;reading\n" + rows)
    code, out, _ = run("inspect", "own.csv", "--time", "clock", "--space", "pos", "--field", "reading")
    assert code == 0
    assert "20 readings of reading by 4 sensors" in out


def test_inspect_shows_units(run, tmp_path):
    rows = "\n".join(f"{k % 5};{k // 5};{k**1.5}" for k in range(20))
    (tmp_path / "rod.csv").write_text("time / s;x_mm;T [°C]\n" + rows, encoding="utf-8")
    _, out, _ = run("inspect", "rod.csv")
    assert "T (°C): x (mm) to the right, t (s) upwards" in out
    _, out, _ = run("inspect", "rod.csv", "--json")
    assert json.loads(out)["units"] == {"t": "s", "x": "mm", "T": "°C"}


def test_version(run):
    assert run("--version")[1] == f"pdescry {pdescry.__version__}\n"


def test_interruption_is_told_and_leaves_nothing(run, tmp_path, monkeypatch):
    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("pdescry.solver.simulate", interrupted)
    assert run(*FIXED) == (130, "", "Interrupted; nothing was written.\n")
    assert not list(tmp_path.iterdir())


def test_sigterm_is_an_interruption_of_every_command(run, tmp_path, monkeypatch):
    before = signal.getsignal(signal.SIGTERM)
    monkeypatch.setattr("pdescry.solver.simulate", lambda *_, **__: signal.raise_signal(signal.SIGTERM))
    assert run(*FIXED) == (130, "", "Interrupted; nothing was written.\n")
    assert signal.getsignal(signal.SIGTERM) is before


def test_the_program_is_installed():
    done = subprocess.run([sys.executable, "-m", "pdescry", "--version"], capture_output=True, text=True, check=True)
    assert done.stdout.startswith("pdescry ")


def test_inspect_shows_inputs_and_how_often_each_field_was_measured(run, tmp_path):
    t, x = np.repeat(np.arange(12.0), 4), np.tile(np.arange(4.0), 12)
    v = [f"{value:.3f}" if place != 2 else "" for value, place in zip(np.cos(t - x), x, strict=True)]
    rows = [f"{t[i]},{x[i]},{np.sin(t[i] + x[i]):.3f},{v[i]},{50 * (t[i] > 5)}" for i in range(len(t))]
    (tmp_path / "rod.csv").write_text("\n".join(["t,x,u,v,P (W)", *rows, "12,,,,0", ""]))
    code, out, err = run("inspect", "rod.csv", "--input", "P")
    assert (code, err) == (0, "")
    assert "48 readings of u, 36 of v by 4 sensors" in out
    assert "Input P (W): 13 values over t, from 0 to 50, held between them" in out
    assert [line.split() for line in out.splitlines() if line.startswith(("sensor ", "2 "))] == [
        ["sensor", "x", "of", "u", "of", "v", "first", "last", "median", "step", "longest", "gap"],
        ["2", "2", "12", "0", "0", "11", "1", "1"],
    ]
    facts = json.loads(run("inspect", "rod.csv", "--input", "P=linear", "--json")[1])
    assert facts["fields"]["v"]["readings"] == 36
    assert facts["sensors"][2]["readings_of"] == {"u": 12, "v": 0}
    assert facts["inputs"]["P"] | {"between": "linear", "values": 13, "last": 12.0} == facts["inputs"]["P"]
    assert not any(note["code"].startswith("input-") for note in facts["notes"])  # told, so nothing was assumed
    code, _, err = run("inspect", "rod.csv", "--input", "P", "--input", "P=held")
    assert code != 0
    assert "'P' twice" in err
    code, _, err = run("inspect", "rod.csv", "--input", "Q")
    assert code != 0
    assert "Expected a column 'Q'" in err


def test_inspect_names_a_faulty_sensor_and_leaves_others_out_as_asked(run, tmp_path):
    t, x = np.meshgrid(np.linspace(0, 10, 31), np.linspace(0, 5, 8), indexing="ij")
    values = np.sin(x - t) + 0.02 * np.random.default_rng(1).standard_normal(t.shape)
    values[:, 4] = 0.213
    lines = [
        f"{a},{b},{c},TC{k}" for (a, b, c, k) in zip(t.flat, x.flat, values.flat, list(range(8)) * 31, strict=True)
    ]
    (tmp_path / "rod.csv").write_text("\n".join(["t [s],x,T [°C],sensor", *lines]))
    code, out, _ = run("inspect", "rod.csv", "--without", "TC1,TC6")
    assert code == 0
    assert "TC4 reads T = 0.213 °C throughout and was left out." in out
    assert "Left out as asked: sensors TC1, TC6." in out
    code, out, _ = run("inspect", "rod.csv", "--without", "TC4", "--json")
    assert (code, json.loads(out)["faults"]) == (0, [])
    code, _, err = run("inspect", "rod.csv", "--without", "TC9")
    assert code == 2
    assert "'TC9'" in err
