"""Tables from made-up records: medians, ranges, what was kept, what could not be solved."""

from __future__ import annotations

import csv
import math

import pytest

from pdescry.experiments.paper import EXPERIMENTS, TERMS
from pdescry.experiments.records import read_records
from pdescry.experiments.tables import CSV_COLUMNS, Table, make_tables, write_tables


def tables_of(folder, **wanted) -> dict[int, Table]:
    return {table.number: table for table in make_tables(read_records(folder), folder.name, **wanted)}


def cells(table: Table) -> dict[tuple[str, str], str]:
    header, rows = table.layout()
    return {(row[0], name): text for row in rows for name, text in zip(header[1:], row[1:], strict=True)}


def test_there_are_nine_in_the_order_of_the_paper(folder, make):
    make("burgers", 0.0)
    assert list(tables_of(folder)) == list(range(1, 10))
    assert list(tables_of(folder, systems=("kdv",))) == [4, 5, 6]


def test_published_numbers_stand_beside_ours(folder, make):
    make("burgers", 0.01, STBLR={"u_xx": 0.09, "u*u_x": -0.95})
    found = cells(tables_of(folder)[2])
    assert found["u_xx", "truth"] == "0.1"
    assert (found["u_xx", "noise 0.01: published"], found["u_xx", "noise 0.01: ours"]) == ("0.0871", "0.0900")
    assert (found["u", "noise 0.05: published"], found["u", "noise 0.05: ours"]) == ("-0.0415", "–")
    assert found["e_C", "noise 0.01: ours"] == "0.0510"  # √(0.01² + 0.05²)
    rmse = cells(tables_of(folder)[1])
    assert (rmse["0.01", "BNN: published"], rmse["0.01", "BNN: ours"]) == ("0.0327", "0.2000")
    assert (rmse["0.01", "DNN: published"], rmse["0.01", "DNN: ours"]) == ("0.0298", "0.1000")


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_rows_are_the_candidates_and_the_errors(folder, make, name):
    make(name, 0.0)
    for number in EXPERIMENTS[name].tables[1:]:
        rows = [row[0] for row in tables_of(folder)[number].layout()[1]]
        assert rows[: len(TERMS) + 1] == [*map(str, TERMS), "e_C"]
        assert rows[-1] == "e_L per point"
        assert len(rows) == len(set(rows)) == len(TERMS) + (3 if name == "heat" else 4)


def test_e_l_is_brought_to_the_published_number_of_points(folder, make):
    make("burgers", 0.0, STBLR_e_L=10.0)  # over 1000 × 1001 points
    found = cells(tables_of(folder)[2])
    assert found["e_L, 1000 × 1001 points", "noise 0: ours"] == "10.0000"
    assert found["e_L, 100 × 101 points", "noise 0: ours"] == f"{10 * math.sqrt(100 * 101 / 1_001_000):.4f}"
    assert found["e_L, 100 × 101 points", "noise 0: published"] == "0.1352"
    assert found["e_L, 1000 × 1001 points", "noise 0: published"] == "–"
    assert found["e_L per point", "noise 0: ours"] == f"{10 / math.sqrt(1_001_000):.4f}"


def test_several_seeds_give_median_range_and_how_often_a_term_was_kept(folder, make):
    for seed, terms in enumerate(({"u_xx": 1.8}, {"u_xx": 1.9}, {"u_xx": 2.2, "u": 0.3})):
        make("heat", 0.05, seed=seed, STBLR=terms)
    found = cells(tables_of(folder)[8])
    assert found["u_xx", "noise 0.05: ours"] == "1.9000\n(1.8000 to 2.2000)"
    assert found["u", "noise 0.05: ours"] == "0\n(0 to 0.3000)\nkept 1 of 3"
    assert found["u_x", "noise 0.05: ours"] == "0"
    assert "3 seeds" in tables_of(folder)[8].heading


def test_a_law_that_could_not_be_solved_shows_why(folder, make):
    make("kdv", 0.01, STBLR_status="ill-posed")
    make("kdv", 0.05, seed=0, STBLR_status="blow-up")
    make("kdv", 0.05, seed=1)
    found = cells(tables_of(folder)[5])
    assert found["e_L per point", "noise 0.01: ours"] == "ill-posed"
    assert found["e_L per point", "noise 0.05: ours"] == "blow-up 1 of 2\n(0.001)"


def test_a_median_counts_laws_that_could_not_be_solved(folder, make):
    """As farther away than any that could: of 1, 2, 3 and two without e_L the middle one is 3."""
    for seed, e_L in enumerate((1.0, 2.0, 3.0, None, None)):
        about = {"STBLR_status": "limit"} if e_L is None else {"STBLR_e_L": e_L}
        make("heat", 0.05, seed=seed, **about)
    found = cells(tables_of(folder)[8])
    assert found["e_L, 100 × 201 points", "noise 0.05: ours"] == "3.0000\n(1.0000 to 3.0000)\nlimit 2 of 5"
    make("heat", 0.05, seed=5, STBLR_status="limit")
    found = cells(tables_of(folder)[8])
    assert found["e_L, 100 × 201 points", "noise 0.05: ours"] == "limit 3 of 6\n(1.0000 to 3.0000)"


def test_all_unsolved_for_different_reasons(folder, make):
    make("kdv", 0.01, seed=0, STBLR_status="ill-posed")
    make("kdv", 0.01, seed=1, STBLR_status="blow-up")
    assert cells(tables_of(folder)[5])["e_L per point", "noise 0.01: ours"] == "ill-posed 1 of 2\nblow-up 1 of 2"


def test_table_9_has_the_slip_and_what_is_right(folder, make):
    make("heat", 0.0, bug={"u_x^2": 0.04}, STOLS={"u_xx": 2.2}, bug_status="wrong-boundary")
    found = cells(tables_of(folder)[9])
    names = [f"noise 0: {what}" for what in ("published", "with the indexing bug", "done right")]
    assert [found["u_x^2", name] for name in names] == ["0.0376", "0.0400", "0"]
    assert [found["u_xx", name] for name in names] == ["0", "0", "2.2000"]
    assert [found["e_L, 100 × 201 points", name] for name in names] == ["401.6347", "wrong-boundary", "2.0000"]


def test_two_sources_stand_side_by_side(folder, make):
    make("burgers", 0.0, STBLR={"u": 1.0})
    make("burgers", 0.0, source="paper", STBLR={"u": 2.0})
    found = cells(tables_of(folder)[2])
    assert found["u", "noise 0: the paper's readings"] == "2.0000"
    assert found["u", "noise 0: generated readings"] == "1.0000"
    alone = cells(tables_of(folder, sources=("generated",))[2])
    assert alone["u", "noise 0: ours"] == "1.0000"


def test_noise_can_be_chosen_and_taken_apart(folder, make):
    make("kdv", 0.05, STOLS={"u": 2.0})
    (one,) = (table for table in make_tables(read_records(folder), "full", ("kdv",), (0.05,)) if table.number == 6)
    assert [entry.noise for entry in one.entries] == [0.05] * len(one.entries)
    parts = tables_of(folder)[6].by_noise()
    assert len(parts) == 3
    assert parts[2].layout() == one.layout()


def test_quick_ones_say_so_first(folder, make):
    make("heat", 0.0, scale="quick")
    tables = tables_of(folder.parent / "quick")
    assert all(table.heading.startswith("QUICK TRIAL, not the paper's settings: Table ") for table in tables.values())
    assert "QUICK" not in make_tables([], "full")[0].heading


def test_markdown_is_a_table(folder, make):
    for seed in range(2):
        make("heat", 0.0, seed=seed, STBLR={"u_xx": 1.8 + seed})
    lines = tables_of(folder)[8].to_markdown().splitlines()
    assert lines[0].startswith("**Table 8. Heat equation: STBLR on the BNN's derivatives, δ = 0.02; generated readings")
    assert len({line.count("|") for line in lines[2:]}) == 1
    assert "| `u_xx` | 2 | 1.8089 | 2.3000<br>(1.8000 to 2.8000) | 1.9742 | – |" in "\n".join(lines)


def test_files_are_tidy(folder, make, tmp_path):
    for seed in range(3):
        make("heat", 0.05, seed=seed, STBLR={"u_xx": 1.5 + seed}, STBLR_status="ok" if seed else "ill-posed")
    written = write_tables(make_tables(read_records(folder), "full"), tmp_path / "tables")
    assert sorted(path.name for path in written) == [*(f"table-{k}.csv" for k in range(1, 10)), "tables.md"]
    assert sorted(written) == sorted((tmp_path / "tables").iterdir())
    with (tmp_path / "tables" / "table-8.csv").open(encoding="utf-8") as stream:
        rows = {(row["row"], float(row["noise"])): row for row in csv.DictReader(stream)}
    assert tuple(rows["u", 0.0]) == CSV_COLUMNS
    kept = rows["u_xx", 0.05]
    numbers = [float(kept[name]) for name in ("published", "ours_median", "ours_low", "ours_high", "n_seeds", "n_kept")]
    assert numbers == [1.4124, 2.5, 1.5, 3.5, 3, 3]
    error = rows["e_L, 100 × 201 points", 0.05]
    assert (error["n_seeds"], error["n_known"], error["status"]) == ("3", "2", "ill-posed")
    assert float(error["ours_median"]) == pytest.approx(2.0)
    make("heat", 0.05, seed=3, STBLR_status="ill-posed")
    write_tables(make_tables(read_records(folder), "full"), tmp_path / "tables")
    with (tmp_path / "tables" / "table-8.csv").open(encoding="utf-8") as stream:
        (error,) = (r for r in csv.DictReader(stream) if (r["row"][:6], r["noise"]) == ("e_L, 1", "0.05"))
    assert (error["ours_median"], float(error["ours_low"])) == ("", pytest.approx(2.0))
    empty = rows["u_xx", 0.01]
    assert (empty["published"], empty["ours_median"], empty["n_seeds"]) == ("1.9742", "", "0")
