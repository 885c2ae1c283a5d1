#!/bin/bash
# The property test on a throw-away PostgreSQL, and on a MariaDB server where there is one.
# usage: property.sh PROGRAM CASES SEED
set -euo pipefail
support=$(cd "$(dirname "$0")/../support" && pwd)
work=$(mktemp -d)
trap '"$support/pg.sh" remove "$work/pg" >/dev/null 2>&1; "$support/my.sh" remove "$work/my" >/dev/null 2>&1; rm -rf "$work"' EXIT
chmod 755 "$work"
"$support/pg.sh" start "$work/pg" >/dev/null
"$1" "$2" "$3" "postgresql://postgres@/postgres?host=$work/pg/run&port=$(cat "$work/pg/port")"
[ -x /usr/sbin/mariadbd ] || { echo "SKIPPED on MariaDB: no server is installed"; exit 0; }
"$support/my.sh" start "$work/my"
"$support/my.sh" mysql "$work/my" -e 'CREATE DATABASE test'
"$1" "$2" "$3" "mysql:$work/my/run/socket"
