#!/usr/bin/env bash
# valgrind.sh - memcheck over short tests of the plain build: what is read uninitialised
# is seen by nothing else here.
#
# Usage: ci/valgrind.sh [TEST...]    default: the list below
set -euo pipefail
cd "$(dirname "$0")/.."
command -v valgrind >/dev/null || { echo "valgrind.sh: valgrind is missing; ci/install.sh --dev" >&2; exit 1; }
build=build
tests=("$@")
[ ${#tests[@]} -gt 0 ] || tests=(test_page_pool test_page_table test_chunk_store test_visible_set
    test_head_map test_select test_safetensors test_model_tokenizer test_load_safetensors
    test_spec test_axes test_jsonl test_scorers test_ledger_csv)
cmake -S . -B $build >/dev/null
cmake --build $build -j"$(nproc)" --target "${tests[@]}" >$build/valgrind-build.log 2>&1 ||
    { tail -20 $build/valgrind-build.log >&2; exit 1; }
for t in "${tests[@]}"; do
    log=$build/valgrind-$t.log
    begun=$SECONDS
    # One thread: gcc's OpenMP runtime keeps its pool, which memcheck calls reachable.
    if OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 valgrind -q --error-exitcode=9 --leak-check=full \
        --errors-for-leak-kinds=definite --track-origins=no "$build/$t" >"$log" 2>&1; then
        echo "valgrind: $t ok, $((SECONDS - begun)) s"
    else
        tail -40 "$log" >&2
        echo "valgrind.sh: $t failed; whole output in $log" >&2
        exit 1
    fi
done
