#!/usr/bin/env bash
# reproduce_fig8.sh - figure 8 of the paper: run, report, figure.
#
# Usage: ci/reproduce_fig8.sh DB [MODEL [DATA]]    `make reproduce-fig8` calls it
# Without MODEL: the embedded model, profile cpu. With it: profile real, and DATA is
# the directory of the data sets. Stopped at any moment, it goes on when called again.
set -euo pipefail
cd "$(dirname "$0")/.."
db=${1:-results/redknot.sqlite}
model=${2:-}
data=${3:-}
redknot=build/redknot
die() {
    echo "reproduce-fig8: $*" >&2
    exit 2
}

args=(fig08_quality_ttft --db "$db")
if [ -z "$model" ]; then
    [ -z "$data" ] || die "DATA=$data needs MODEL=NAME: the embedded model reads generated reports only"
    run=("${args[@]}" --profile cpu)
    echo "reproduce-fig8: every method on the embedded model, generated reports, contexts of 1K, 2K, 4K"
else
    [ -n "$data" ] || die "MODEL=$model needs DATA=DIR, the directory of the data sets (build/redknot data list)"
    [ -d "$data" ] || die "DATA=$data: no such directory"
    case $model in
    smollm2-135m | qwen2.5-coder-0.5b | qwen2.5-coder-1.5b)
        [ -f "models/$model.gguf" ] || data/fetch.sh "$model"
        ;;
    esac
    run=("${args[@]}" --profile real --model "$model" --data "$data")
    echo "reproduce-fig8: every method on $model, HotpotQA 200-399 as it is, 40 questions"
fi

mkdir -p results/tmp "$(dirname "$db")"
"$redknot" run "${run[@]}" --dry-run >results/tmp/fig08_plan.txt
if ! grep -q ' left=' results/tmp/fig08_plan.txt; then
    cat results/tmp/fig08_plan.txt >&2
    die "nothing of this can run here"
fi
echo "reproduce-fig8: $(tail -1 results/tmp/fig08_plan.txt) if $(nproc) cores are free"
echo "reproduce-fig8: it may be stopped (Ctrl-C); the same command goes on where it was"
"$redknot" run "${run[@]}"
"$redknot" report "${args[@]}" >results/fig08_report.txt
"$redknot" plot "${args[@]}"
echo "reproduce-fig8: results/fig08_report.txt, plots/fig08_quality_ttft.png; next:"
echo "  build/redknot check fig08_quality_ttft --db $db"
