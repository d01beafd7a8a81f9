#!/usr/bin/env bash
# run.sh - the whole check of a clean clone: packages, layout, lint, build and tests,
# sanitizers, the program end to end. Prints how long each step took.
#
# Beside it, by hand: ci/valgrind.sh, ci/fuzz.sh.
set -euo pipefail
cd "$(dirname "$0")/.."
step() {
    local name=$1 begun=$SECONDS
    shift
    echo "== $name"
    "$@" || { echo "== $name: FAILED after $((SECONDS - begun)) s" >&2; exit 1; }
    times+=("$name $((SECONDS - begun)) s")
    echo "== $name: $((SECONDS - begun)) s"
}
times=()
step install ci/install.sh --dev
step layout ci/check_layout.sh
step lint ci/lint.sh
step smoke make smoke
# The tests of long runs and of whole models once more under sanitizers would double the
# time; they run there by hand: ci/sanitize.sh.
step sanitize ci/sanitize.sh -E 'test_gates|test_golden|test_runner|test_runner_kill|test_results_db'
(IFS=';'; echo "==${times[*]/#/ }")
echo "== test" # last, so that ctest's summary closes the output
exec make --no-print-directory test
