#!/usr/bin/env bash
# fuzz.sh - every libFuzzer target for a while, from the committed fixtures as seeds.
#
# Usage: ci/fuzz.sh [SECONDS [TARGET...]]    default: 20 seconds each, every target
# Needs clang. Inputs found are kept in build-fuzz/corpus/ for the next time; an
# input that fails stays in build-fuzz/found/.
set -euo pipefail
cd "$(dirname "$0")/.."
seconds=${1:-20}
case $seconds in
'' | *[!0-9]*)
    echo "usage: ci/fuzz.sh [SECONDS [TARGET...]]" >&2
    exit 2
    ;;
esac
shift || true
command -v clang >/dev/null || { echo "fuzz.sh: clang is missing; ci/install.sh --dev" >&2; exit 1; }
build=build-fuzz
CC=clang cmake -S . -B $build -DREDKNOT_FUZZ=ON -DREDKNOT_TESTS=OFF -DCMAKE_BUILD_TYPE=Release >/dev/null
cmake --build $build -j"$(nproc)" --target fuzzers >$build/build.log 2>&1 ||
    { tail -30 $build/build.log >&2; exit 1; }

# tagged BYTE FILE OUT: a seed whose first byte says what the rest is.
tagged() {
    { printf '%b' "$1"; cat "$2"; } >"$3"
}

# seeds TARGET DIR: small valid inputs, from which the fuzzer goes astray.
seeds() {
    local f i=0
    case $1 in
    fuzz_tokenizer)
        for f in data/fixtures/tokenizers/*.json; do tagged j "$f" "$2/seed-${f##*/}"; done
        for f in data/fixtures/tokenizers/*.gguf; do tagged g "$f" "$2/seed-${f##*/}"; done
        ;;
    fuzz_readers)
        for f in data/fixtures/readers/*.jsonl; do
            for i in 0 1 2 3 6; do tagged "\\x0$i" "$f" "$2/seed-$i-${f##*/}"; done
        done
        ;;
    fuzz_ledger)
        while IFS= read -r f; do
            i=$((i + 1))
            tagged "\\x0$((i % 5))" "$f" "$2/seed-$i-${f##*/}"
        done < <(find results/ledger -name '*.csv' -size -64k 2>/dev/null | head -40)
        ;;
    fuzz_spec)
        cp experiments/*.exp "$2/"
        ;;
    fuzz_safetensors | fuzz_gguf | fuzz_config)
        if command -v python3 >/dev/null; then
            python3 engine/model/tests/make_fuzz_seeds.py "$build/made"
            cp "$build/made/${1#fuzz_}"/* "$2/"
        fi
        ;;
    esac
}

if [ $# -gt 0 ]; then
    targets=("$@")
else
    mapfile -t targets < <(git ls-files '*/tests/fuzz_*.c' | sed 's|.*/||; s|\.c$||')
fi
failed=()
for target in "${targets[@]}"; do
    [ -x "$build/$target" ] || { echo "fuzz.sh: no target '$target'" >&2; exit 2; }
    corpus=$build/corpus/$target
    mkdir -p "$corpus" $build/found
    seeds "$target" "$corpus"
    log=$build/$target.log
    if "$build/$target" -max_total_time="$seconds" -timeout=10 -rss_limit_mb=2048 -max_len=65536 \
        -artifact_prefix="$build/found/$target-" "$corpus" >"$log" 2>&1; then
        echo "$target: $(grep -oE 'Done [0-9]+ runs.*' "$log" | tail -1), $(ls "$corpus" | wc -l) inputs"
    else
        failed+=("$target")
        echo "$target: FAILED" >&2
        grep -E 'ERROR|SUMMARY|runtime error|^line [0-9]+|Test unit written' "$log" | head -8 >&2
    fi
done
[ ${#failed[@]} -eq 0 ] || { echo "fuzz.sh: failed: ${failed[*]}; inputs in $build/found/" >&2; exit 1; }
