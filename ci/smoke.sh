#!/usr/bin/env bash
# smoke.sh - the program end to end: figure 8 on the embedded model at one length, every
# method; again (nothing left to do); report, export, import, check, figure.
#
# Everything is written under build/smoke/.
set -euo pipefail
cd "$(dirname "$0")/.."
redknot=${1:-build/redknot}
out=build/smoke
rm -rf $out
mkdir -p $out
db=$out/smoke.sqlite

"$redknot" run fig08_quality_ttft --profile smoke --db $db
# Every cell is done, and a second run finds that out.
left=$("$redknot" run fig08_quality_ttft --profile smoke --db $db --dry-run | grep -c ' left=0 ' || true)
cells=$("$redknot" run fig08_quality_ttft --profile smoke --db $db --dry-run | grep -c 'method=' || true)
[ "$cells" -ge 9 ] && [ "$left" -eq "$cells" ] ||
    { echo "smoke.sh: $left of $cells cells done after a whole run" >&2; exit 1; }

"$redknot" report fig08_quality_ttft --db $db >$out/report.txt
grep -q redknot $out/report.txt || { echo "smoke.sh: no redknot in the report" >&2; exit 1; }
"$redknot" db check --db $db
"$redknot" db export $out/ledger --db $db
"$redknot" db import $out/ledger --db $out/again.sqlite
"$redknot" db export $out/ledger2 --db $out/again.sqlite
diff -r $out/ledger $out/ledger2 || { echo "smoke.sh: the ledger does not come back" >&2; exit 1; }
"$redknot" plot fig08_quality_ttft --db $db --out $out/plots
ls -s $out/plots/fig08_quality_ttft.png
echo "smoke: ok, $cells cells"
