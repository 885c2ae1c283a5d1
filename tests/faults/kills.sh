#!/bin/bash
# Random kills under load, on SQLite and on PostgreSQL.  Every answer has its entry in the audit, once.
# usage: kills.sh PROGRAM BIN_DIRECTORY KILLS [SEED]
set -uo pipefail
support=$(cd "$(dirname "$0")/../support" && pwd)
program=$1 bin=$2 kills=$3 seed=${4:-1}
work=$(mktemp -d)
trap '"$support/pg.sh" remove "$work/pg" >/dev/null 2>&1; rm -rf "$work"' EXIT
chmod 755 "$work"
failed=0

# on_record RECEIPTS: what was answered is on record, nothing twice, in a chain that is whole.
on_record() {
	"$bin/carrel" --project-dir "$work/project" audit verify >"$work/verified" 2>/dev/null || { cat "$work/verified"; return 1; }
	"$bin/carrel" --project-dir "$work/project" audit export -o "$work/audit.jsonl" &&
	    "$bin/carrel" audit verify --file "$work/audit.jsonl" >/dev/null || return 1
	grep -o '"receipt":"[^"]*"' "$work/audit.jsonl" | cut -d'"' -f4 | sort >"$work/written"
	if [ -n "$(uniq -d "$work/written")" ]; then echo "audit: entries that were written twice:"; uniq -d "$work/written" | head -5; return 1; fi
	if sort "$1" | comm -23 - "$work/written" | grep . | head -5; then echo "audit: these were answered and have no entry"; return 1; fi
	echo "audit: $(wc -l <"$1") answers, $(wc -l <"$work/audit.jsonl") entries"
}

"$bin/carrel" init --demo "$work/project" >/dev/null || exit 1
echo 'server: { port: 0 }' >>"$work/project/carrel.yaml"
"$program" "$bin/carreld" "$work/project" warehouse "$kills" "$seed" "$work/receipts" || failed=1
on_record "$work/receipts" || failed=1

"$support/pg.sh" start "$work/pg" >/dev/null || exit 1
url="postgresql://postgres@/postgres?host=$work/pg/run&port=$(cat "$work/pg/port")"
sed -i "/^connections:/a\\  pg: { driver: postgres, url: \"$url\" }" "$work/project/carrel.yaml"
"$program" "$bin/carreld" "$work/project" pg $((kills / 2)) "$seed" "$work/receipts" || failed=1
on_record "$work/receipts" || failed=1
exit $failed
