#!/bin/bash
# Make the demo project, serve it, ask it a first question, and leave it running.
# usage: demo.sh BIN_DIRECTORY PROJECT_DIRECTORY PORT
set -euo pipefail

carrel=$1/carrel
dir=$2
port=$3

# What to do next is said once, at the end.
[ -e "$dir/carrel.yaml" ] || "$carrel" init --demo "$dir" --json >/dev/null
carrel_here() { "$carrel" --project-dir "$dir" "$@"; }

# A taken port is no reason to show nothing; a running daemon is reported as such.
started() { carrel_here mcp start --port "$1" 2>&1 >/dev/null | sed '/is for this run/d' >&2; return "${PIPESTATUS[0]}"; }
started "$port" || started 0
url=$(carrel_here mcp status --json | sed 's/.*"url":"\([^"]*\)".*/\1/p;d')

echo "The demo is served at $url"
echo
echo "\$ carrel discover \"refunded revenue\" --limit 5"
carrel_here discover "refunded revenue" --limit 5
echo
statement="SELECT r.name AS country, count(*) AS orders, sum(o.amt_eur_ct) / 100 AS revenue_eur
  FROM orders o JOIN customers c ON c.id = o.customer_id JOIN regions r ON r.id = c.region_id
  WHERE NOT o.is_test AND o.duplicate_of_id IS NULL GROUP BY 1 ORDER BY 3 DESC LIMIT 5"
echo "\$ carrel sql \"$statement\""
carrel_here sql "$statement"

echo
echo "\$ carrel ask \"net revenue by sales area last year\""
carrel_here ask "net revenue by sales area last year"

cat <<END

The daemon goes on running. Connect a client, for example
  claude mcp add --transport http carrel $url
Look around with
  export PATH="$(cd "$1" && pwd):\$PATH"
  cd "$(cd "$dir" && pwd)"
  carrel status
  carrel ask --examples     # ten questions with their answers
  carrel discover "net revenue"
Stop it with
  make demo-stop
END
