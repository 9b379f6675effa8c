"""What README, guide and notebooks show is what happens: every block is run, and prints what stands there."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import stat
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from filelock import FileLock

import pdescry
from pdescry.experiments.markdown import WIDTH, sentences
from tests.page import Block, blocks, differ, installed

ROOT = Path(__file__).parents[1]
README = ROOT / "README.md"
GUIDE = [path for path in sorted((ROOT / "docs").glob("**/*.md")) if "_build" not in path.parts]
PAGES = {path.name: path for path in (README, *GUIDE) if any(blocks(path.read_text("utf-8")))}
NOTEBOOKS = sorted((ROOT / "docs" / "notebooks").glob("*.ipynb"))
WRITTEN = [*ROOT.glob("*.md"), *GUIDE, *(ROOT / "benchmarks").rglob("*.md")]
LIGHT = ("your_file.md",)  # seconds; the others call `discover`, or begin from what it made
QUICK = ("README.md", "pieces.md")  # shows what to type, of which `discover` with small settings is the test
NOT_RUN = {"README.md": 1, "first_law.md": 1, "coming_from.md": 1, "sweeps.md": 3}  # blocks that say so, and why


def blocks_of(page: str) -> list[Block]:
    return list(blocks(PAGES[page].read_text("utf-8")))


def run_page(page: str, folder: Path) -> None:
    quick = ["--quick"] if page in QUICK else []
    command = [sys.executable, "-W", "error", str(Path(__file__).parent / "page.py"), str(PAGES[page]), *quick]
    done = subprocess.run(command, cwd=folder, env=with_program(folder), capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


def with_program(folder: Path) -> dict[str, str]:
    """Variables under which ``pdescry`` is this one, and tells things in the order in which they happen."""
    programs = folder / ".programs"
    programs.mkdir(exist_ok=True)
    program = programs / "pdescry"
    program.write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} -m pdescry "$@"\n')
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    return os.environ | {"PATH": f"{programs}{os.pathsep}{os.environ['PATH']}", "PYTHONUNBUFFERED": "1"}


@pytest.fixture(scope="session")
def cloud(tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest) -> Path:
    """The folder in which the README's first command was run: once, for all workers; printed.txt has what it said."""
    temporary = tmp_path_factory.getbasetemp()
    if hasattr(request.config, "workerinput"):  # of pytest-xdist
        temporary = temporary.parent
    folder = temporary / "cloud"
    with FileLock(temporary / "cloud.lock"):
        if not (folder / "printed.txt").exists():
            folder.mkdir(exist_ok=True)
            command = readme_block("pdescry discover").partition("&& .venv/bin/pdescry ")[2]
            command = "pdescry " + command.replace(".venv/bin/", "")
            done = subprocess.run(
                ["bash", "-euc", command], cwd=folder, env=with_program(folder), capture_output=True, text=True
            )
            assert done.returncode == 0, done.stderr
            (folder / "printed.txt").write_text(done.stdout)
    return folder


def readme_block(holding: str) -> str:
    """The README's one block that holds a text."""
    (found,) = (each.text for each in blocks_of("README.md") if holding in each.text)
    return found


# ---- the pages -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("page", LIGHT)
def test_a_light_page_runs(page, tmp_path):
    run_page(page, tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("page", [page for page in PAGES if page not in LIGHT])
def test_a_page_runs(page, tmp_path, cloud):
    shutil.copy(ROOT / "examples" / "rod.csv", tmp_path)
    shutil.copy(cloud / "cloud.csv", tmp_path)  # to the last bit what the run was made from, so that it goes on from it
    if not any("--output cloud.csv" in each.text for each in blocks_of(page)):  # else it makes its own
        shutil.copytree(cloud / "cloud.pdescry", tmp_path / "cloud.pdescry")
    run_page(page, tmp_path)
    absent = {each.module for each in blocks_of(page) if not installed(each)}
    if absent:
        pytest.skip(f"All blocks ran but those that need {', '.join(absent)}, which is not installed.")


@pytest.mark.parametrize("page", PAGES)
def test_no_block_is_left_out_in_silence(page):
    assert sum(bool(each.not_run) for each in blocks_of(page)) == NOT_RUN.get(page, 0)


def test_the_lines_about_equations_and_readings_run(tmp_path):
    shutil.copy(ROOT / "examples" / "rod.csv", tmp_path)
    blocks = [each.text for each in blocks_of("pieces.md") if "Equation.parse" in each.text]
    assert len(blocks) == 2  # one of them with a known input
    for block in blocks:
        subprocess.run([sys.executable, "-W", "error", "-c", f"import pdescry\n{block}"], cwd=tmp_path, check=True)


@pytest.mark.slow
def test_the_readmes_first_command_finds_the_law(cloud):
    """Last digits may differ on another machine, so the law is compared, not the text."""
    assert set(pdescry.load(cloud / "cloud.pdescry").coefficients["term"]) == {"u_x", "u_xx"}
    printed = (cloud / "printed.txt").read_text()
    assert re.search(r"u_t = -[01]\.\d+\(\d+\)\*u_x \+ 0\.\d+\(\d+\)\*u_xx\n", printed)


def test_ci_runs_the_readmes_second_command():
    assert readme_block("-m pytest\n").strip() in (ROOT / ".ci" / "run").read_text()


@pytest.mark.parametrize("path", WRITTEN, ids=lambda path: path.stem)
def test_a_page_has_one_sentence_a_line(path):
    """Not of code, formulas and tables; `python src/pdescry/experiments/markdown.py FILE` lays a page out."""
    text = re.sub(r"^\s*(```|\$\$).*?^\s*\1", "", path.read_text("utf-8"), flags=re.DOTALL | re.MULTILINE)
    prose = [line for line in text.split("\n") if not line.startswith("|")]
    assert prose
    assert [line for line in prose if len(line) > WIDTH] == []
    assert [line for line in prose if len(sentences(re.sub(r"^\s*\d+\. ", "", line))) > 1] == []


# ---- the notebooks ---------------------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")  # of Jupyter's own parts
@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_runs_and_prints_what_it_holds(path):
    import nbformat
    from nbclient import NotebookClient

    kept = nbformat.read(path, as_version=4)
    made = NotebookClient(
        nbformat.from_dict(kept), timeout=1200, resources={"metadata": {"path": path.parent}}
    ).execute()
    for before, after in zip(kept.cells, made.cells, strict=True):
        if before.cell_type == "code":
            assert not differ(printed(before), printed(after)), f"{printed(before)}\nbecame\n{printed(after)}"


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_is_small_and_was_run(path):
    assert path.stat().st_size < 300_000
    cells = [cell for cell in json.loads(path.read_text("utf-8"))["cells"] if cell["cell_type"] == "code"]
    assert [cell["execution_count"] for cell in cells] == list(range(1, len(cells) + 1))


def printed(cell: Any) -> str:
    """What a cell printed or gave back, without its pictures."""
    texts = [output.get("text") or output["data"].get("text/plain", "") for output in cell.outputs]
    return "\n".join(text for text in texts if text and not text.startswith("<Figure"))


# ---- what ships ------------------------------------------------------------------------------------------------------


def test_the_cloud_is_what_the_first_command_makes(tmp_path):
    command = readme_block("pdescry discover").split("&& .venv/bin/pdescry ")[1]
    subprocess.run([sys.executable, "-m", "pdescry", *shlex.split(command)], cwd=tmp_path, check=True)
    made, shipped = pdescry.read(tmp_path / "cloud.csv"), pdescry.read(ROOT / "examples" / "cloud.csv")
    np.testing.assert_allclose(made.values, shipped.values, rtol=0, atol=1e-6)
    np.testing.assert_array_equal(made.space, shipped.space)


def test_the_rod_is_what_its_script_makes(tmp_path):
    subprocess.run([sys.executable, ROOT / "examples" / "rod.py", tmp_path / "rod.csv"], check=True)
    made, shipped = pdescry.read(tmp_path / "rod.csv"), pdescry.read(ROOT / "examples" / "rod.csv")
    np.testing.assert_allclose(made.values, shipped.values, rtol=0, atol=0.011)  # °C, of which two digits are written
    np.testing.assert_array_equal(made.space, shipped.space)
    np.testing.assert_array_equal(made.time, shipped.time)


# ---- the one who runs them -------------------------------------------------------------------------------------------


def page_of(folder: Path, text: str) -> subprocess.CompletedProcess[str]:
    (folder / "page.md").write_text(text.replace("~~~", "```"))
    command = [sys.executable, str(Path(__file__).parent / "page.py"), "page.md"]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True)


def test_blocks_share_names_and_a_folder_and_print_what_is_shown(tmp_path):
    page = "~~~python\na = 2.0\nopen('f', 'w').write('3')\n~~~\n~~~sh\ncat f\n~~~\n\n~~~text\n3\n~~~\n"
    done = page_of(tmp_path, page + "~~~python\nprint('a is', a)\n~~~\n\n~~~text\na is 2.1\n~~~\n")
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    ("block", "told"),
    [
        ("~~~python\n1 / 0\n~~~", "page.md, line 2"),
        ("~~~sh\nfalse\n~~~", "page.md, line 2"),
        ("~~~python\nprint('a law')\n~~~\n\n~~~text\nno law\n~~~", "the page shows"),
        ("~~~julia\n1\n~~~", "neither run nor"),
    ],
)
def test_what_fails_is_told_with_its_place(block, told, tmp_path):
    done = page_of(tmp_path, f"# A page\n{block}\n")
    assert done.returncode
    assert told in done.stderr


def test_a_block_that_is_not_run_says_why(tmp_path):
    text = "*Not run by the tests: no such program.*\n\n~~~sh\nfalse\n~~~\n"
    assert page_of(tmp_path, text).returncode == 0
    (block,) = blocks(text.replace("~~~", "```"))
    assert block.not_run == "no such program."


@pytest.mark.parametrize(
    ("shown", "printed", "different"),
    [
        ("u_t = -0.99(3)*u_x", "u_t  = -0.98(3)*u_x\n", False),
        ("u_t = -0.99(3)*u_x", "u_t = -0.59(3)*u_x", True),
        ("off by 0.02", "off by 0.03", False),
        ("off by 0.02", "off by 0.04", True),
        ("3 sensors", "4 sensors", True),
        ("u_t = -0.99(3)*u_x", "u_t = -0.99(3)*u_xx", True),
        ("one\n…\nlast 3", "one two 4 three last 3", False),
        ("one …", "two", True),
        ("0.0 to 1e-5", "0.0 to 1.1e-05", False),
    ],
)
def test_pages_are_compared_but_for_last_digits(shown, printed, different):
    assert differ(shown, printed) is different
