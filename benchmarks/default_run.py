"""One run of the default preset and one of the paper's preset at full scale, one after the other: seconds, and peak
memory of the command with its workers (Linux).

    python benchmarks/default_run.py [--system burgers] [--noise 0.05] [--presets default paper]

Both are the shell's command on the same file of 816 readings, from the start of Python to the end; the paper's with its
threshold for this system and 6,000 samples. Memory is read ten times a second; pages that processes share count once
(PSS).
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from pdescry.experiments.cell import Cell
from pdescry.experiments.reproduce import SCALES


def memory_of(root: int) -> int:
    """Memory in bytes of a process and all its descendants."""
    parents: dict[int, int] = {}
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            after_name = (folder / "stat").read_text().rpartition(")")[2].split()
            parents[int(folder.name)] = int(after_name[1])
        except (OSError, IndexError):  # ended meanwhile
            continue

    def descends(number: int) -> bool:
        while number in parents and number != root:
            number = parents[number]
        return number == root

    return sum(_own(number) for number in parents if descends(number))


def _own(number: int) -> int:
    try:
        lines = Path(f"/proc/{number}/smaps_rollup").read_text().splitlines()
    except OSError:
        return 0
    return sum(1024 * int(line.split()[1]) for line in lines if line.startswith("Pss:"))


def run(words: list[str]) -> tuple[str, float, float]:
    """The first line of the output, seconds, and gigabytes."""
    began, most = time.monotonic(), 0
    command = [sys.executable, "-m", "pdescry", "discover", *words, "--quiet"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as process:
        while process.poll() is None:
            most = max(most, memory_of(process.pid))
            time.sleep(0.1)
        passed = time.monotonic() - began
        assert process.stdout is not None
        if process.returncode != 0:
            raise SystemExit(f"{' '.join(command)} ended with {process.returncode}.")
        return process.stdout.readline().strip(), passed, most / 1e9


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--system", choices=["burgers", "kdv", "heat"], default="burgers")
    parser.add_argument("--noise", type=float, default=0.05)
    parser.add_argument("--presets", nargs="+", choices=["default", "paper"], default=["default", "paper"])
    given = parser.parse_args()
    cell = Cell(given.system, given.noise, 0)
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "readings.csv"
        cell.readings().to_csv(file)
        experiment, scale = cell.experiment, SCALES["full"]
        paper = {"sampler.step_size": experiment.step_size, "sampler.draws": scale.draws, "sampler.burn": scale.burn}
        paper |= {"regression.threshold": experiment.threshold}
        settings = [word for name, value in paper.items() for word in ("--set", f"{name}={value}")]
        presets = {"default": [], "paper": ["--preset", "paper", *settings]}
        print("| preset | seconds | memory, GB | law |\n| --- | --- | --- | --- |")
        for name in given.presets:
            law, seconds, memory = run([str(file), "--output", str(Path(folder) / name), *presets[name]])
            print(f"| {name} | {seconds:.0f} | {memory:.2f} | {law} |", flush=True)


if __name__ == "__main__":
    main()
