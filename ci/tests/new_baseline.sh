#!/bin/bash
# new_baseline.sh [REDKNOT] - a new baseline is one file: written in a scratch directory,
# found by CMake from its name, listed, configured and run like every other method.
set -eu
source=$(cd "$(dirname "$0")/../.." && pwd)
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
mkdir "$tmp/mine"
cat >"$tmp/mine/last_only.c" <<'C'
/* last_only.c - the last tokens of every chunk are recomputed: a baseline of one file. */
#include "method.h"

typedef struct config {
    rk_compile compile;
    int64_t tail;
} config;

static const rk_option options[] = {
    RK_COMPILE_OPTIONS,
    {"tail", RK_OPT_INT, offsetof(config, tail), "2", 0, 1 << 30, "tokens",
     "Tokens recomputed at the end of each chunk.", NULL},
    {.name = NULL},
};

static rk_status plan_request(const rk_method *m, const rk_request *r, rk_layout *layout,
                              rk_error *err)
{
    (void)m, (void)err;
    rk_layout_reuse_all(layout, r);
    return RK_OK;
}

static rk_status plan_layer(const rk_method *m, const rk_request *r, rk_layer_plan *plan,
                            rk_error *err)
{
    const config *c = m->config;
    (void)r;
    if (plan->layer > 0)
        return RK_OK;
    rk_select tails = {.kind = RK_SELECT_LAST_N,
                       .amount = (double)c->tail,
                       .scope = RK_SCOPE_CHUNK,
                       .domain = RK_DOMAIN_CHUNKS};
    return rk_plan_keep_rows(plan, &plan->rows, tails, err);
}

const rk_method_ops rk_method_last_only = {
    .name = "last_only",
    .title = "Last only",
    .source = "a test",
    .flags = RK_METHOD_REUSES | RK_METHOD_CROSS_QUERY,
    .config_size = sizeof(config),
    .options = options,
    .plan_request = plan_request,
    .plan_layer = plan_layer,
};
C

# Unoptimised: what is tested is the registration, not the speed.
cmake -S "$source" -B "$tmp/build" -DCMAKE_BUILD_TYPE=Debug -DREDKNOT_TESTS=OFF \
    -DREDKNOT_EXTRA_BASELINES="$tmp/mine" >"$tmp/log" 2>&1 || { cat "$tmp/log"; exit 1; }
cmake --build "$tmp/build" -j2 --target redknot >"$tmp/log" 2>&1 || { tail -30 "$tmp/log"; exit 1; }
redknot=$tmp/build/redknot

fail() { echo "FAILED: $*" >&2; exit 1; }
"$redknot" list methods --options >"$tmp/list"
grep -q "^last_only .*a test" "$tmp/list" || fail "list methods does not show it"
grep -q -- "tail" "$tmp/list" || fail "list methods --options does not show its option"

run() { # run TAIL: recomputed tokens
    "$redknot" logits "$source/data/fixtures/golden/smol" --ids "$(seq -s, 3 62)" \
        --chunks 4-23,24-43 --method last_only --set last_only.tail="$1" --threads 1 \
        --out "$tmp/logits" --counters "$tmp/counters" >"$tmp/stdout"
    sed -n 's/.*"recomputed_tokens": \([0-9]*\).*/\1/p' "$tmp/counters"
}
[ "$(run 3)" = 6 ] || fail "3 tokens of 2 chunks were not recomputed"
[ "$(run 0)" = 0 ] || fail "no token was to be recomputed"
[ "$(run 100)" = 40 ] || fail "every chunk token was to be recomputed"
[ "$(wc -l <"$tmp/stdout")" = 10 ] || fail "no ten best tokens"
if "$redknot" logits "$source/data/fixtures/golden/smol" --ids 1,2 --method last_onli \
    --out "$tmp/logits" 2>"$tmp/stderr"; then
    fail "a wrong name was taken"
fi
grep -q "did you mean 'last_only'" "$tmp/stderr" || fail "$(cat "$tmp/stderr")"
