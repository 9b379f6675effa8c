"""Limits of containers, little memory and folders that cannot be written to are seen."""

from __future__ import annotations

import pytest

from pdescry.doctor import machine
from pdescry.doctor.machine import cores, cpu_quota, folder, linear_algebra, memory, memory_sizes


def tree(root, files: dict[str, str]):
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    return root


MEMORY = "MemTotal:       8000000 kB\nMemFree: 1 kB\nMemAvailable:   4000000 kB\n"
QUOTAS = {
    "none": ({}, None),
    "no limit": ({"sys/fs/cgroup/cpu.max": "max 100000\n"}, None),
    "of the container": ({"sys/fs/cgroup/cpu.max": "150000 100000\n"}, 1.5),
    "of a group around ours": (
        {
            "proc/self/cgroup": "0::/a/b\n",
            "sys/fs/cgroup/a/cpu.max": "50000 100000",
            "sys/fs/cgroup/a/b/cpu.max": "max",
        },
        0.5,
    ),
    "of the older kind": (
        {"sys/fs/cgroup/cpu/cpu.cfs_quota_us": "300000", "sys/fs/cgroup/cpu/cpu.cfs_period_us": "100000"},
        3.0,
    ),
    "none of the older kind": (
        {"sys/fs/cgroup/cpu/cpu.cfs_quota_us": "-1", "sys/fs/cgroup/cpu/cpu.cfs_period_us": "100000"},
        None,
    ),
}


@pytest.mark.parametrize(("files", "expected"), QUOTAS.values(), ids=QUOTAS)
def test_quota_of_cores(tmp_path, files, expected):
    assert cpu_quota(tree(tmp_path, files)) == expected


def test_less_time_than_cores_is_told(tmp_path, monkeypatch):
    monkeypatch.setattr(machine, "n_cores", lambda: 4)
    assert cores(tmp_path).troubles == ()
    (trouble,) = cores(tree(tmp_path, {"sys/fs/cgroup/cpu.max": "250000 100000"})).troubles
    assert "2.5" in trouble.says
    assert "--workers 2" in trouble.remedy


def test_one_core_of_many_is_told(tmp_path, monkeypatch):
    monkeypatch.setattr(machine, "n_cores", lambda: 1)
    monkeypatch.setattr("os.cpu_count", lambda: 8)
    (trouble,) = cores(tmp_path).troubles
    assert "one of 8" in trouble.says


def test_memory_of_the_machine_and_of_a_container(tmp_path):
    assert memory_sizes(tmp_path) == (None, None)
    assert memory(tmp_path).says == "not known on this system"
    tree(tmp_path, {"proc/meminfo": MEMORY})
    assert memory_sizes(tmp_path) == (8e6 * 1024, 4e6 * 1024)
    assert memory(tmp_path).troubles == ()
    tree(tmp_path, {"sys/fs/cgroup/memory.max": "3000000000", "sys/fs/cgroup/memory.current": "2000000000"})
    assert memory_sizes(tmp_path) == (3e9, 1e9)
    (trouble,) = memory(tmp_path).troubles
    assert "1.0 GB of memory are free" in trouble.says


def test_folders(tmp_path, monkeypatch):
    assert folder(tmp_path).facts["writable"]

    def refuse(**_: object) -> None:
        raise PermissionError

    monkeypatch.setattr("tempfile.TemporaryFile", refuse)
    monkeypatch.setattr(machine, "ENOUGH_DISK", 1e30)
    found = folder(tmp_path)
    assert not found.facts["writable"]
    assert [trouble.remedy.split(",")[0] for trouble in found.troubles] == ["go to one of your own", "make room"]
    assert not list(tmp_path.iterdir())


def test_linear_algebra_is_named():
    assert all(each["threads"] >= 1 for each in linear_algebra().facts["libraries"])
