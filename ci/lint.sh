#!/usr/bin/env bash
# lint.sh - clang-format over every C file, cppcheck over engine/, harness/, data/ and
# baselines/, the shell's own check over every script.
#
# Usage: ci/lint.sh [--fix]    --fix formats the files instead of checking them
set -euo pipefail
cd "$(dirname "$0")/.."
mapfile -t sources < <(git ls-files '*.c' '*.h')
# Other versions of clang-format lay lines out otherwise, so the version is part of the rule.
format=$(command -v clang-format-14 || command -v clang-format) ||
    { echo "lint.sh: clang-format is missing; ci/install.sh --dev" >&2; exit 1; }
"$format" --version | grep -q 'version 14\.' ||
    { echo "lint.sh: clang-format 14 is needed, got $("$format" --version)" >&2; exit 1; }
if [ "${1:-}" = --fix ]; then
    "$format" -i "${sources[@]}"
    exit 0
fi
"$format" --dry-run -Werror "${sources[@]}"
echo "lint: format of ${#sources[@]} files ok"

command -v cppcheck >/dev/null || { echo "lint.sh: cppcheck is missing; ci/install.sh --dev" >&2; exit 1; }
mapfile -t checked < <(git ls-files 'engine/*.c' 'harness/*.c' 'data/*.c' 'baselines/*.c' | grep -v '/tests/')
cppcheck -q -j"$(nproc)" --std=c11 --enable=warning,performance,portability --error-exitcode=1 \
    --suppressions-list=ci/cppcheck.suppress -I engine -I harness -I data -I . "${checked[@]}"
echo "lint: cppcheck of ${#checked[@]} files ok"

while IFS= read -r script; do bash -n "$script"; done < <(git ls-files '*.sh' .ci/run)
