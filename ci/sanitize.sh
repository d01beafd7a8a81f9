#!/usr/bin/env bash
# sanitize.sh - the tests under AddressSanitizer and UndefinedBehaviorSanitizer.
#
# Usage: ci/sanitize.sh [CTEST OPTIONS]    e.g. -E 'test_gates|test_runner', -R readers
# Only the tests that are asked for are built. Any finding ends its test.
set -euo pipefail
cd "$(dirname "$0")/.."
build=build-san
cmake -S . -B $build -DREDKNOT_SANITIZE=ON >/dev/null
# Names as ctest would run them; scripts need the program itself.
mapfile -t targets < <(ctest --test-dir $build -N "$@" | sed -nE 's/^ *Test +#[0-9]+: //p')
[ ${#targets[@]} -gt 0 ] || { echo "sanitize.sh: no test matches: $*" >&2; exit 2; }
known=$(cmake --build $build --target help | sed -n 's/^\.\.\. //p')
want=(redknot)
for t in "${targets[@]}"; do grep -qxF "$t" <<<"$known" && want+=("$t"); done
cmake --build $build -j"$(nproc)" --target "${want[@]}" >$build/build.log 2>&1 ||
    { tail -40 $build/build.log >&2; exit 1; }
# OpenBLAS keeps its buffers to the end of the process; that is no leak of ours.
export ASAN_OPTIONS=detect_leaks=1:abort_on_error=1:detect_stack_use_after_return=1
export UBSAN_OPTIONS=print_stacktrace=1:halt_on_error=1
ctest --test-dir $build --output-on-failure -j"$(nproc)" "$@"
