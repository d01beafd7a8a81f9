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

"$redknot" run fig08_quality_ttft --profile smoke --db $db 2>&1 | tee $out/first.txt
# Every cell is done, and a second run finds that out.
"$redknot" run fig08_quality_ttft --profile smoke --db $db 2>&1 | tee $out/second.txt
grep -q ', 0 skipped, 0 failed; .* 0 failed$' $out/first.txt &&
    grep -q 'attempts: 0 new, [1-9][0-9]* already done, 0 failed$' $out/second.txt ||
    { echo "smoke.sh: not every cell ran, or a second run repeated some" >&2; exit 1; }

"$redknot" report fig08_quality_ttft --db $db >$out/report.txt
grep -q redknot $out/report.txt || { echo "smoke.sh: no redknot in the report" >&2; exit 1; }
"$redknot" db check --db $db
"$redknot" db export $out/ledger --db $db
"$redknot" db import $out/ledger --db $out/again.sqlite
"$redknot" db export $out/ledger2 --db $out/again.sqlite
diff -r $out/ledger $out/ledger2 || { echo "smoke.sh: the ledger does not come back" >&2; exit 1; }
"$redknot" plot fig08_quality_ttft --db $db --out $out/plots
ls -s $out/plots/fig08_quality_ttft.png
echo "smoke: ok"
