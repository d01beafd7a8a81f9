#!/usr/bin/env bash
# check_layout.sh - what the tree must look like: arrows, tests, sizes, words.
#
# Reads tracked files only. Fails on a wrong include, a source with no test of its
# name (ci/untested.txt lists those still missing one, and may only shrink), a source
# over 800 lines, words that the product must not hold, and bytes over the budget.
# Warns of files over 600 lines and functions over 60.
#
# Usage: ci/check_layout.sh [--shrink]    --shrink takes out of ci/untested.txt what
#                                         has a test by now; it never adds
set -euo pipefail
cd "$(dirname "$0")/.."
export LC_ALL=C
bad=0
fail() {
    echo "check_layout: $*" >&2
    bad=1
}
warn() { echo "check_layout: warning: $*" >&2; }

mapfile -t sources < <(git ls-files '*.c' '*.h' '*.cu' '*.cuh')

# --- arrows -------------------------------------------------------------------
# An area may include the areas listed behind it. `words` are the headers every part
# speaks in (request.h, select.h); `method` is method.h. Tests may include anything.
arrows() {
    awk '
    function dir(p) { sub(/\/?[^\/]*$/, "", p); return p }
    function tidy(p) { # a/b/../c -> a/c
        while (match(p, /[^\/]+\/\.\.\//)) p = substr(p, 1, RSTART - 1) substr(p, RSTART + RLENGTH)
        return p
    }
    function area(f, part) {
        if (f ~ /^engine\/(request|select)\.h$/) return "words"
        if (f == "engine/method.h") return "method"
        if (f == "engine/redknot/visible_set.h" || f == "engine/redknot/head_map.h") return "plan"
        if (f ~ /^data\/prompt\./) return "prompt"
        if (f ~ /^data\/readers\//) return "readers"
        split(f, part, "/")
        if (part[1] != "engine") return part[1]
        return f ~ /^engine\/[^\/]*$/ ? "engine" : part[2]
    }
    function may(from, to) { split(to, t, " "); for (i in t) ok[from, t[i]] = 1 }
    BEGIN {
        may("base", "base")
        may("words", "base words")
        may("model", "base model")
        may("backend", "base words backend")
        may("segpaged", "base words backend segpaged")
        may("plan", "base words model method plan")
        may("method", "base words model plan")
        may("redknot", "base words model backend segpaged method plan redknot")
        may("methods", "base words model method plan")
        may("adapter", "base words model backend segpaged method plan redknot adapter")
        may("lifecycle", "base words model backend segpaged method plan redknot adapter lifecycle")
        may("engine", "base words model backend segpaged method plan redknot adapter lifecycle engine")
        may("baselines", "base method plan")
        may("readers", "base readers data")
        may("data", "base readers data")
        may("prompt", "base words model readers data prompt")
        may("harness", "base words model backend segpaged method plan redknot adapter lifecycle engine readers data prompt harness")
        # What drives a whole engine or fills its state, in the folder of its concept.
        except["engine/adapter/gqa.c", "engine/engine_impl.h"]
        split("engine harness data", root, " ")
    }
    NR == FNR { have[$0] = 1; next }
    {
        at = index($0, ":"); f = substr($0, 1, at - 1); inc = $0
        sub(/^[^"]*"/, "", inc); sub(/".*/, "", inc)
        to = ""
        try[1] = tidy(dir(f) "/" inc); try[2] = "engine/" inc; try[3] = "harness/" inc
        try[4] = "data/" inc; try[5] = inc
        for (k = 1; k <= 5; k++) if (try[k] in have) { to = try[k]; break }
        if (to == "") {
            if (inc != "build_info.h") print f ": #include \"" inc "\" names no tracked file"
            next
        }
        a = area(f); b = area(to)
        if (!((a, b) in ok) && !((f, to) in except))
            print f " includes " to ": " a " must not see " b
    }' <(printf '%s\n' "${sources[@]}") \
        <(grep -HE '^[[:space:]]*#[[:space:]]*include[[:space:]]*"' "${sources[@]}" | grep -v '/tests/')
}
while IFS= read -r line; do fail "$line"; done < <(arrows)

# --- a test of its name ---------------------------------------------------------
untested=ci/untested.txt
listed() { [ -f "$untested" ] && grep -qxF "$1" "$untested"; }
tests=$(git ls-files '*/tests/test_*' | sed 's|.*/test_||; s|\.[^.]*$||' | sort -u)
# test_rows, or test_cpu_rows where two folders have a rows.c.
tested() {
    local name=${1##*/} folder=${1%/*}
    name=${name%.*}
    grep -qxF -e "$name" -e "${folder##*/}_$name" <<<"$tests"
}
if [ "${1:-}" = --shrink ]; then
    while IFS= read -r f; do
        case $f in '' | '#'*) echo "$f" ;; *) [ -f "$f" ] && ! tested "$f" && echo "$f" ;; esac
    done <"$untested" >"$untested.new" || true
    mv "$untested.new" "$untested"
fi
for f in "${sources[@]}"; do
    case $f in
    */tests/* | *.h | *.cuh) continue ;;
    esac
    if tested "$f"; then
        listed "$f" && fail "$f has a test now: ci/check_layout.sh --shrink takes it out of $untested"
    elif ! listed "$f"; then
        name=${f##*/}
        fail "$f has no tests/test_${name%.*}.c"
    fi
done
if [ -f "$untested" ]; then
    while IFS= read -r f; do
        case $f in '' | '#'*) continue ;; esac
        [ -f "$f" ] || fail "$untested names $f, which is not there"
    done <"$untested"
    missing=$(grep -cvE '^(#|$)' "$untested" || true)
    [ "$missing" -gt 0 ] && warn "$missing sources have no test of their name ($untested)"
fi

# --- sizes ------------------------------------------------------------------------
mapfile -t written < <(git ls-files '*.c' '*.h' '*.cu' '*.cuh' '*.sh' '*.py' '*.sql' '*.cmake')
while read -r lines f; do
    [ "$f" = total ] && continue
    if [ "$lines" -gt 800 ]; then
        fail "$f has $lines lines (limit 800)"
    elif [ "$lines" -gt 600 ]; then
        warn "$f has $lines lines (aim 600)"
    fi
done < <(wc -l "${written[@]}")

# The tree is formatted: a function body opens with { in column 1 and ends with } there.
while IFS= read -r line; do warn "$line"; done < <(awk '
    FNR == 1 { start = 0 }
    /^\{/ { start = FNR; name = last; next }
    /^\}/ { if (start && FNR - start + 1 > 60)
                print FILENAME ":" start ": function of " FNR - start + 1 " lines (aim 60)"
            start = 0 }
    { last = $0 }' "${sources[@]}")

total=0
while IFS= read -r -d '' f; do
    [ -f "$f" ] || continue
    bytes=$(stat -c %s -- "$f")
    total=$((total + bytes))
    [ "$bytes" -gt 2000000 ] && [ "$f" != data/models/tiny/model.safetensors ] &&
        fail "$f is $bytes bytes (limit 2000000)"
done < <(git ls-files -z)
[ "$total" -gt 30000000 ] && fail "tracked files are $total bytes (limit 30000000)"

# --- words ------------------------------------------------------------------------
# The pattern is built from halves, so that this file does not hold the words itself.
marks="TO""DO|FIX""ME|XX""X"
while IFS= read -r hit; do fail "unfinished work: $hit"; done < <(
    git grep -nIwE "$marks" -- ':!LICENSE' || true)
# Absolute paths of somebody's machine. Tests of the code that strips such paths need some.
while IFS= read -r hit; do fail "absolute path: $hit"; done < <(
    git grep -nIE "(^|[^A-Za-z0-9_.])/(wo""rk|ho""me|ro""ot|Us""ers|mnt|sc""ratch)/" -- \
        ':!harness/tests/test_provenance.c' || true)

[ "$bad" -eq 0 ] && echo "check_layout: ok, ${#sources[@]} sources, $total bytes tracked"
exit "$bad"
