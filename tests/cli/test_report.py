"""`pdescry report`: what is refused before any work."""

from __future__ import annotations

from pathlib import Path


def test_a_page_of_nothing_is_told(run, tmp_path: Path) -> None:
    code, _, err = run("report", str(tmp_path))
    assert code == 2
    assert "is no run directory of pdescry" in err


def test_a_file_that_exists_is_kept(run, tmp_path: Path) -> None:
    (tmp_path / "config.toml").touch()
    (tmp_path / "page.html").write_text("mine")
    code, _, err = run("report", str(tmp_path), "--output", str(tmp_path / "page.html"))
    assert code == 2
    assert "--force" in err
    code, _, err = run("report", str(tmp_path), "--output", str(tmp_path / "page.pdf"))
    assert code == 2
    assert "html" in err
    assert (tmp_path / "page.html").read_text() == "mine"
