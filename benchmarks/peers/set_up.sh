#!/usr/bin/env bash
# Environments of the peers, one each, under a folder (by default ./peers-env): benchmarks/peers/set_up.sh [FOLDER]
set -euo pipefail
folder=${1:-peers-env}
python=${PYTHON:-python3}

environment() { # NAME PACKAGE…
    local home=$folder/$1
    [ -x "$home/bin/python" ] || "$python" -m venv "$home"
    "$home/bin/python" -m pip install --quiet "${@:2}"
    "$home/bin/python" -m pip freeze > "$home/versions.txt"
}

environment pysindy "pysindy==2.1.0"
# DeePyMoD imports pkg_resources, which setuptools has no more from 82 on.
environment deepymod "torch==2.13.0" "deepymod==2.2.0" "setuptools<81"
