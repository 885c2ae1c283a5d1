#!/bin/bash
# The property test on a throw-away PostgreSQL.
# usage: property.sh PROGRAM CASES SEED
set -euo pipefail
support=$(cd "$(dirname "$0")/../support" && pwd)
work=$(mktemp -d)
trap '"$support/pg.sh" remove "$work/pg" >/dev/null 2>&1 || :; rm -rf "$work"' EXIT
chmod 755 "$work"
"$support/pg.sh" start "$work/pg" >/dev/null
"$1" "$2" "$3" "postgresql://postgres@/postgres?host=$work/pg/run&port=$(cat "$work/pg/port")"
