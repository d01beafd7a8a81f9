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
# What runs whole models or kills whole runs takes minutes each under sanitizers (test_decode
# and test_prefill four to seven, on busy cores) and is left to `make sanitize`; here it runs
# plain, in the last step.
heavy='^test_(gates|golden|oracle|decode|prefill|engine|head_profile|runner|runner_kill|results_db)$'
step sanitize ci/sanitize.sh -E "$heavy"
(IFS=';'; echo "==${times[*]/#/ }")
echo "== test" # last, so that ctest's summary closes the output
exec make --no-print-directory test
