#!/bin/bash
# The oracle's cases on a database built for the run.  usage: oracle.sh PROGRAM ORACLE_DIRECTORY
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
sqlite3 "$work/oracle.db" <"$2/build.sql"
"$1" "$2/cases.jsonl" "$2/sources" "$work/oracle.db"
