#!/bin/bash
# Random kills under load, on SQLite and on PostgreSQL.
# usage: kills.sh PROGRAM BIN_DIRECTORY KILLS [SEED]
set -uo pipefail
support=$(cd "$(dirname "$0")/../support" && pwd)
program=$1 bin=$2 kills=$3 seed=${4:-1}
work=$(mktemp -d)
trap '"$support/pg.sh" remove "$work/pg" >/dev/null 2>&1; rm -rf "$work"' EXIT
chmod 755 "$work"
failed=0

"$bin/carrel" init --demo "$work/project" >/dev/null || exit 1
"$program" "$bin/carreld" "$work/project" warehouse "$kills" "$seed" || failed=1

"$support/pg.sh" start "$work/pg" >/dev/null || exit 1
url="postgresql://postgres@/postgres?host=$work/pg/run&port=$(cat "$work/pg/port")"
sed -i "/^connections:/a\\  pg: { driver: postgres, url: \"$url\" }" "$work/project/carrel.yaml"
"$program" "$bin/carreld" "$work/project" pg $((kills / 2)) "$seed" || failed=1
exit $failed
