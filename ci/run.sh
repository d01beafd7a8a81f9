#!/usr/bin/env bash
# run.sh - the whole check of a clean clone: packages, build, tests, smoke run.
set -euo pipefail
cd "$(dirname "$0")/.."
ci/install.sh --dev
make test
