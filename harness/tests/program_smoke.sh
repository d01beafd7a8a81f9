#!/bin/bash
# program_smoke.sh REDKNOT - the smoke experiment from an empty database to every reader of
# it: results on stdout, counters that prove reuse, resume after SIGINT, export and import.
set -u
redknot=$1
tmp=$(mktemp -d) || exit 1
trap 'chmod -R u+w "$tmp"; rm -rf "$tmp"' EXIT
failed=0
db=$tmp/results.sqlite
name=fig08_quality_ttft
smoke="run $name --profile smoke --threads 1"

fail() { echo "FAILED: $*" >&2; failed=1; }

# must CODE WORDS...: runs into $tmp/stdout and $tmp/stderr.
must() {
    local code=$1 got
    shift
    "$redknot" "$@" >"$tmp/stdout" 2>"$tmp/stderr" </dev/null
    got=$?
    [ $got = "$code" ] || fail "$*: exit code $got, expected $code: $(tail -3 "$tmp/stderr")"
}

# counter FILE NAME: its value.
counter() { sed -n "s/^ *\"$2\": \([0-9]*\),*$/\1/p" "$1"; }

# ---- a dry run writes nothing; an interrupted run ends with 1 and is taken up again
must 0 $smoke --db "$db" --dry-run
grep -q redknot "$tmp/stdout" || fail "dry run: no cells on stdout"
[ -e "$db" ] && fail "dry run: made a database"

"$redknot" $smoke --db "$db" >"$tmp/stdout" 2>"$tmp/stderr" &
pid=$!
for ((i = 0; i < 1200; i++)); do
    grep -q "[1-9][0-9]*/88" "$tmp/stderr" && break
    sleep 0.05
done
kill -INT $pid
wait $pid
code=$?
if grep -q interrupted "$tmp/stderr"; then
    [ $code = 1 ] || fail "interrupted run: exit code $code"
    done_before=$(sed -n 's/.*attempts: \([0-9]*\) new.*/\1/p' "$tmp/stderr")
    [ "$done_before" -lt 88 ] || fail "interrupted run: $done_before attempts"
else
    fail "SIGINT did not interrupt: $(tail -1 "$tmp/stderr")"
    done_before=0
fi
must 0 $smoke --db "$db"
[ -s "$tmp/stdout" ] && fail "run: wrote to stdout"
grep -q "attempts: $((88 - done_before)) new, $done_before already done, 0 failed" "$tmp/stderr" ||
    fail "resumed run: $(tail -1 "$tmp/stderr")"
must 0 $smoke --db "$db"
grep -q "attempts: 0 new, 88 already done" "$tmp/stderr" || fail "third run: $(tail -1 "$tmp/stderr")"
must 0 db check --db "$db"

# ---- export, import, export: equal bytes; importing twice changes nothing
must 0 db export "$tmp/first" --db "$db"
must 0 db import "$tmp/first" --db "$tmp/copy.sqlite"
must 0 db export "$tmp/second" --db "$tmp/copy.sqlite"
diff -r "$tmp/first" "$tmp/second" >/dev/null || fail "export after import differs"
must 0 db import "$tmp/first" --db "$tmp/copy.sqlite"
grep -q " 0 rows added, 0 conflicts" "$tmp/stdout" || fail "second import: $(cat "$tmp/stdout")"
grep -rq "$PWD" "$tmp/first" && fail "the ledger holds an absolute path"
grep -q head_map_hash "$tmp/first/method.csv" || fail "no head map hash in the ledger"

# ---- reuse is proved by counters: local heads of redknot projected no reused row
cell=$(grep '""method"":""redknot""' "$tmp/first/cell.csv" | head -n 1 | cut -d, -f1 | tr -d '"')
[ -n "$cell" ] || fail "the ledger has no cell of redknot"
awk -F, -v cell="$cell" 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i }
    NR > 1 && index($0, cell) && $at["reused_tokens"] != "" {
        found = 1
        if ($at["reused_tokens"] == 0 || $at["projected_local_kv_rows_reused"] != 0) bad = 1
    }
    END { exit !found || bad }' "$tmp/first/attempt.csv" || fail "counters do not prove reuse"

# ---- the readers of the database
must 0 report $name --db "$db"
[ -s "$tmp/stderr" ] && fail "report: wrote to stderr"
for method in dense redknot epic prophetkv cacheblend:layer3 tokdrop_redknot; do
    grep -q "^  $method " "$tmp/stdout" || fail "report: no $method"
done
grep -q "pays off after" "$tmp/stdout" || fail "report: no break-even"
must 0 report $name --db "$db" --format csv
# columns by name: redknot computes less than everything
awk -F, -v want=redknot 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i }
    NR > 1 && $at["method"] == want { found = 1; if ($at["recomputed_pct"] >= 25) bad = 1 }
    END { exit !found || bad }' "$tmp/stdout" || fail "report csv: redknot reused nothing"
"$redknot" check $name --db "$db" >"$tmp/stdout" 2>"$tmp/stderr"
code=$?
[ $code = 0 ] || [ $code = 3 ] || fail "check: exit code $code"
grep -q "untestable" "$tmp/stdout" || fail "check: no verdicts"
"$redknot" compare dense redknot --db "$db" >"$tmp/stdout" 2>"$tmp/stderr"
code=$?
[ $code = 0 ] || [ $code = 3 ] || fail "compare: exit code $code: $(cat "$tmp/stderr")"
grep -q ttft_ms "$tmp/stdout" || fail "compare: no times"
must 0 why "$name:model=tiny:context=1024:method=redknot:ttft_ms" --db "$db"
grep -q -i "session" "$tmp/stdout" || fail "why: no session"
must 0 plot $name --db "$db" --out "$tmp/plots" --data-only
[ -n "$(ls "$tmp/plots/data" 2>/dev/null)" ] || fail "plot: no data files"
if command -v gnuplot >/dev/null; then
    must 0 plot $name --db "$db" --out "$tmp/plots"
    ls "$tmp/plots" | grep -q png || fail "plot: no image"
fi

# ---- a database that may only be read: readers work, run says so
cp "$db" "$tmp/readonly.sqlite"
chmod 444 "$tmp/readonly.sqlite"
must 0 report $name --db "$tmp/readonly.sqlite"
if [ ! -w "$tmp/readonly.sqlite" ]; then # root writes anyway
    must 1 $smoke --db "$tmp/readonly.sqlite"
    grep -q readonly.sqlite "$tmp/stderr" || fail "read-only: $(cat "$tmp/stderr")"
fi
# ---- a full disk: one line, exit code 1, and the database is sound
(
    trap '' XFSZ
    ulimit -f 64
    "$redknot" $smoke --db "$tmp/full.sqlite" >/dev/null 2>"$tmp/stderr"
)
code=$?
[ $code = 1 ] || fail "full disk: exit code $code"
tail -1 "$tmp/stderr" | grep -q "^redknot: " || fail "full disk: $(tail -1 "$tmp/stderr")"

# ---- reuse, proved by counters
model=data/models/tiny
ids=$(seq -s, 3 202)
logits() { # logits NAME WORDS...: counters in $tmp/NAME.json
    local out=$1
    shift
    must 0 logits $model --ids "$ids" --chunks 20-99,100-179 --threads 1 --out "$tmp/$out.f32" \
        --counters "$tmp/$out.json" "$@"
    local tokens=10
    [ "$out" = counted ] && tokens=0 # no arithmetic, no logits
    [ "$(wc -l <"$tmp/stdout")" = $tokens ] || fail "$out: not $tokens tokens on stdout"
}
logits dense
logits none --method redknot --head-map random:0.5:1 --set redknot.window=32
logits all --method redknot --head-map random:0.5:1 --set redknot.window=32 \
    --set method.local_refresh=all
logits counted --method redknot --head-map random:0.5:1 --set redknot.window=32 --backend count
[ "$(counter "$tmp/dense.json" reused_tokens)" = 0 ] || fail "dense reused tokens"
[ "$(counter "$tmp/none.json" reused_tokens)" = 180 ] || fail "redknot: reused tokens"
[ "$(counter "$tmp/none.json" projected_local_kv_rows_reused)" = 0 ] ||
    fail "local_refresh=none projected reused rows"
[ "$(counter "$tmp/all.json" projected_local_kv_rows_reused)" -gt 0 ] ||
    fail "local_refresh=all projected nothing"
[ "$(counter "$tmp/none.json" projected_kv_rows)" -lt "$(counter "$tmp/all.json" projected_kv_rows)" ] ||
    fail "skipped projections are not counted"
[ "$(counter "$tmp/none.json" fallbacks)" = 0 ] || fail "redknot fell back"
for key in flops projected_kv_rows reused_tokens recomputed_tokens ffn_tokens attended_pairs; do
    [ "$(counter "$tmp/none.json" $key)" = "$(counter "$tmp/counted.json" $key)" ] ||
        fail "count backend: $key"
done
exit $failed
