#!/usr/bin/env bash
# What the slow browser tests of the report need: Debian's Chromium with its driver, and axe-core from npm.
set -euo pipefail
cd "$(dirname "$0")"
command -v chromium > /dev/null && command -v chromedriver > /dev/null || { apt-get update -q && apt-get install -y -q chromium chromium-driver; }
npm install --no-audit --no-fund
