#!/bin/bash
# program_usage.sh REDKNOT - wrong usage of every verb: exit code 2 (1 where the machine
# refuses), one line on stderr that says what, nothing on stdout; --help names every option.
set -u
redknot=$1
tmp=$(mktemp -d) || exit 1
trap 'chmod -R u+w "$tmp"; rm -rf "$tmp"' EXIT
failed=0
small=data/fixtures/golden/smol
smoke="run fig08_quality_ttft --profile smoke --db $tmp/none.sqlite"
prompt="--ids 1,2,3,4 --out $tmp/out"

fail() { echo "FAILED: $*" >&2; failed=1; }

# expect CODE TEXT WORDS...: the message has TEXT, is one line, and stdout is empty.
expect() {
    local code=$1 text=$2 got
    shift 2
    timeout 120 "$redknot" "$@" >"$tmp/stdout" 2>"$tmp/stderr" </dev/null
    got=$?
    [ $got = "$code" ] || fail "$*: exit code $got, expected $code: $(cat "$tmp/stderr")"
    [ -s "$tmp/stdout" ] && fail "$*: wrote to stdout"
    [ "$(wc -l <"$tmp/stderr")" = 1 ] || fail "$*: not one line: $(cat "$tmp/stderr")"
    grep -qF -- "$text" "$tmp/stderr" || fail "$*: no '$text' in: $(cat "$tmp/stderr")"
}

expect 2 "unknown verb 'rnu'; did you mean 'run'" rnu
for verb in run profile report check compare plot why db list logits tokenize data; do
    expect 2 "bogus" $verb --bogus=1
done

# words that are missing or too many
expect 2 "expected one EXPERIMENT" run
expect 2 "expected EXPERIMENT" report
expect 2 "unexpected 'b'" report a b
expect 2 "expected EXPERIMENT" plot
expect 2 "expected A B" compare a
expect 2 "EXPERIMENT:axis=value" why
expect 2 "EXPERIMENT:axis=value" why x
expect 2 "expected export, import" db
expect 2 "frob" db frob
expect 2 "frob" data frob
expect 2 "got 'frob'" list frob
expect 2 "expected one MODEL" profile
expect 2 "MODEL is missing" tokenize
expect 2 "MODEL is missing" logits
expect 2 "--ids is missing" logits $small
expect 2 "--out is missing" logits $small --ids 1
expect 2 "expected one MODEL" logits $small $small $prompt

# missing values
for option in ids out method head-map chunks counters backend threads kv-bytes set; do
    expect 2 "--$option needs a value" logits $small --$option
done
for option in db profile model data threads backend only set; do
    expect 2 "--$option needs a value" run fig08_quality_ttft --$option
done

# names that nothing has
expect 2 "did you mean 'fig08_quality_ttft'" run fig08_quality_tft
expect 2 "no experiment 'nope'" check nope
expect 2 "did you mean 'smoke'" run fig08_quality_ttft --profile smok
expect 2 "did you mean 'method'" $smoke --only methd=dense
expect 2 "did you mean 'dense'" $smoke --only method=dens
expect 2 "did you mean 'items'" $smoke --set measure.itemz=1
expect 2 "did you mean 'window'" $smoke --set method.redknot.windw=64
expect 2 "window: expected 1" $smoke --set method.redknot.window=-64
expect 2 "did you mean 'redknot'" logits $small $prompt --method rednot
expect 2 "did you mean 'window'" logits $small $prompt --method redknot --set method.windo=3
expect 2 "--set: expected" logits $small $prompt --method redknot --set epic.k=3
expect 2 "--set: expected" logits $small $prompt --set k
expect 2 "takes no options" logits $small $prompt --set dense.k=3
expect 2 "cpu|count" logits $small $prompt --backend cuda
expect 2 "unknown data set 'nope'" profile data/models/tiny --dataset nope

# numbers out of range
expect 2 "threads" logits $small $prompt --threads x
expect 2 "threads" logits $small $prompt --threads 5000
expect 2 "threads" run fig08_quality_ttft --threads -1
expect 2 "kv-bytes" logits $small $prompt --kv-bytes -1
expect 2 "below 320" logits $small --ids 1,320 --out "$tmp/out"
for ids in a 1,,2 1,2, ,1 -1 1,b 99999999999 1.5; do
    expect 2 "--ids" logits $small --ids=$ids --out "$tmp/out"
done
for chunks in 0-4 2-1 0-0,2-2 1-2,0-0 0-0, x 0 1- -1 0-1,1-2 0-3 0-99999999999999999999; do
    expect 2 "--chunks" logits $small $prompt --chunks=$chunks
done
expect 2 "window: expected 1" logits $small $prompt --chunks 1-2 --method redknot \
    --head-map all_local --set method.window=-1
expect 2 "check_layer: expected 1 to" logits $small $prompt --chunks 1-2 --method cacheblend \
    --set method.check_layer=99
expect 2 "needs a head map" logits $small $prompt --chunks 1-2 --method redknot

# what the machine refuses: exit code 1
expect 1 "nope: cannot open" logits nope $prompt
expect 1 "no such file" profile nope
expect 1 "/no/such" report x --db /no/such
expect 1 "$tmp/none" logits $small --ids "@$tmp/none" --out "$tmp/out"
expect 1 "$tmp/no/out" logits $small --ids 1 --out "$tmp/no/out"
expect 1 "no cuda backend" run fig08_quality_ttft --backend cuda
expect 1 "$tmp/no/such.sqlite" run fig08_quality_ttft --profile smoke --db "$tmp/no/such.sqlite/x"

# a head map with an unknown class or a negative window
layers=$(sed -n 's/.*"num_hidden_layers": *\([0-9]*\).*/\1/p' $small/config.json)
heads=$(sed -n 's/.*"num_key_value_heads": *\([0-9]*\).*/\1/p' $small/config.json)
table() { # table VALUE: one a head, of every layer
    local row all i
    row=$(printf "%s," $(yes -- "$1" | head -n "$heads"))
    for ((i = 0; i < layers; i++)); do all+="[${row%,}],"; done
    echo "[${all%,}]"
}
map="\"num_layers\":$layers,\"num_kv_heads\":$heads"
echo "{$map,\"kv_head_classification\":$(table '"lokal"')}" >"$tmp/class.json"
echo "{$map,\"kv_head_classification\":$(table '"local"'),\"kv_head_max_distance\":$(table -7)}" \
    >"$tmp/window.json"
expect 1 "lokal" logits $small $prompt --chunks 1-2 --method redknot --head-map "$tmp/class.json"
expect 1 "kv_head_max_distance" logits $small $prompt --chunks 1-2 --method redknot \
    --head-map "$tmp/window.json"

# a model that is cut short
mkdir "$tmp/cut"
cp $small/*.json "$tmp/cut"
head -c 100000 $small/model.safetensors >"$tmp/cut/model.safetensors"
expect 1 "safetensors" logits "$tmp/cut" $prompt
head -c 4 $small/model.safetensors >"$tmp/cut/model.safetensors"
expect 1 "safetensors" logits "$tmp/cut" $prompt

# weights that are not finite end the run, with the first layer named
mkdir "$tmp/nan"
cp $small/*.json "$tmp/nan"
size=$(stat -c %s $small/model.safetensors)
head -c $((size / 2)) $small/model.safetensors >"$tmp/nan/model.safetensors"
head -c $((size - size / 2)) /dev/zero | tr '\0' '\377' >>"$tmp/nan/model.safetensors"
expect 1 "not finite" logits "$tmp/nan" $prompt
grep -q "layer [0-9]" "$tmp/stderr" || fail "no layer named: $(cat "$tmp/stderr")"

# a full disk: results larger than the limit on a file's size
(
    trap '' XFSZ
    ulimit -f 1
    "$redknot" logits $small --ids 1,2,3,4 --all --threads 1 --out "$tmp/big" >/dev/null 2>"$tmp/full"
)
code=$?
[ $code = 1 ] && grep -qF "$tmp/big" "$tmp/full" || fail "full disk: $code $(cat "$tmp/full")"
"$redknot" list >/dev/full 2>"$tmp/full"
[ $? = 1 ] && grep -q "standard output" "$tmp/full" || fail "full stdout: $(cat "$tmp/full")"

# --help: on stdout, exit code 0, every option named
help() { # help VERB OPTION...
    local verb=$1 option
    "$redknot" $verb --help >"$tmp/help" 2>"$tmp/stderr" || fail "$verb --help: exit code $?"
    [ -s "$tmp/stderr" ] && fail "$verb --help: wrote to stderr"
    grep -q "^usage: redknot $verb" "$tmp/help" || fail "$verb --help: no usage line"
    shift
    for option in "$@"; do
        grep -q -- "--$option" "$tmp/help" || fail "$verb --help: no --$option"
    done
}
help run profile db model data threads backend dry-run trace accept-others only set
help profile dataset data out context contexts window sink rows by share threshold seed threads set
help report db format session commit
help check db published format
help compare db experiment floor-time floor-quality format
help plot db plots out published session data-only
help why db session
help db db experiment session
help list options help
help logits ids out all method head-map chunks counters backend threads kv-bytes set
help tokenize special help
help data data model context n first seed items manifest
"$redknot" --help >"$tmp/help" || fail "--help"
for verb in list run profile report check compare plot why db data tokenize logits; do
    grep -q "^  $verb " "$tmp/help" || fail "--help: no $verb"
done
exit $failed
