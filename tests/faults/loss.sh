#!/bin/bash
# Four nodes whose store is lost with what its standby had not got: the standby is promoted at the primary's address, and
# what loss.mjs says has to hold.
# usage: loss.sh BIN_DIRECTORY
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
bin=$(realpath "$1") pg=$here/../support/pg.sh
work=$(mktemp -d)
chmod 755 "$work"
end() {
	for node in a b c d; do "$bin/carrel" -C "$work/$node" mcp stop >/dev/null 2>&1 || true; done
	for one in "$work"/pg*; do "$pg" remove "$one" >/dev/null 2>&1 || true; done
	rm -rf "$work"
}
trap end EXIT
trap 'exit 143' TERM INT HUP

cd /
"$pg" start "$work/pg0" >/dev/null || exit 77
"$pg" psql "$work/pg0" -c "CREATE ROLE carrel LOGIN PASSWORD 'topsecret'" -c "CREATE DATABASE carrel OWNER carrel"
"$pg" standby "$work/pg0" "$work/pg1"
"$pg" psql "$work/pg0" -c "ALTER SYSTEM SET synchronous_standby_names = ''" -c "SELECT pg_reload_conf()" >/dev/null

base=$((20000 + RANDOM % 11000))
umask 077
export HOME=$work CARREL_STATE_URL
CARREL_STATE_URL=$("$pg" dsn "$work/pg0" carrel topsecret carrel)
"$bin/carrel" init --demo "$work/a" >/dev/null 2>&1
cat >>"$work/a/carrel.yaml" <<END
state: env:CARREL_STATE_URL
node: { name: a }
server: { public_url: 'http://localhost:$base', trusted_proxies: [127.0.0.1] }
oauth: { enabled: true }
connectivity: { enabled: true }
END
for node in b c d; do
	cp -a "$work/a" "$work/$node"
	sed -i "s/name: a/name: $node/" "$work/$node/carrel.yaml"
done
ORIGIN=http://localhost:$base node "$here/loss.mjs" "$bin" "$work" "$base" || {
	tail -n 5 "$work"/?/.carrel/logs/mcp.log
	exit 1
}
