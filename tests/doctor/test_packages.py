"""Packages that are missing, too old or too new are told, each with the command that fixes it."""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError

import pdescry
from pdescry.doctor.packages import packages, program

NEEDED = ["numpy>=1.26", "jax>=0.10", "arviz<1,>=0.23", 'pytest>=8.0; extra == "dev"']


def installed(**versions: str):
    def version_of(name: str) -> str:
        if name not in versions:
            raise PackageNotFoundError(name)
        return versions[name]

    return version_of


def test_what_is_new_enough_is_listed():
    found = packages(NEEDED, installed(numpy="1.26", jax="0.10.1.dev2", arviz="0.23.4"))
    assert found.says == "arviz 0.23.4, jax 0.10.1.dev2, numpy 1.26"
    assert found.facts == {"installed": {"numpy": "1.26", "jax": "0.10.1.dev2", "arviz": "0.23.4"}}
    assert found.troubles == ()


def test_too_old_too_new_and_missing():
    found = packages(NEEDED, installed(jax="0.4.30", arviz="1.0"))
    assert [trouble.remedy for trouble in found.troubles] == [
        'pip install "numpy>=1.26"', 'pip install -U "jax>=0.10"', 'pip install -U "arviz<1,>=0.23"'
    ]  # fmt: skip
    assert found.troubles[1].says == "jax 0.4.30 is installed, but jax>=0.10 is needed"
    assert all(trouble.broken for trouble in found.troubles)


def test_this_installation():
    """Its own metadata, whatever they are, and what is here satisfies them: the tests could not run otherwise."""
    found = packages()
    assert found.troubles == ()
    assert {"numpy", "jax", "typer"} <= set(found.facts["installed"])
    assert "pytest" not in found.facts["installed"]
    assert program().facts["version"] == pdescry.__version__
