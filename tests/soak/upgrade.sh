#!/bin/bash
# A daemon of 0.1.0 with all that lasts (users, grants, tokens, sessions, streams, notes, an audit), replaced in place by
# the build that is here, as a package does it: the programs are exchanged while the daemon runs, then it is restarted.
# usage: upgrade.sh [OLD_BIN [NEW_BIN]]	(left out: 0.1.0 is built from its last commit; build/bin)
set -euo pipefail
cd "$(dirname "$0")/../.."
fail() { echo "FAILED: $*"; exit 1; }

work=$(mktemp -d)
carrel=$work/bin/carrel
trap '"$carrel" --project-dir "$work/p" mcp stop >/dev/null 2>&1 || true; rm -rf "$work"' EXIT
old=${1-} new=${2:-build/bin}
if [ -z "$old" ]; then
	last=$(git log --format=%H -S'VERSION 0.2.0' -- CMakeLists.txt | tail -n 1)^
	tests/soak/build_old.sh "$last" "$work/source" || fail "0.1.0 does not build"
	old=$work/source/build/bin
fi
put() { # the programs of a build, and what they share, over those that are there
	mkdir -p "$work/bin" "$work/share"
	cp -a --remove-destination "$1"/. "$work/bin/"
	cp -aLT --remove-destination "$1/../share" "$work/share"
}
put "$old"
"$carrel" --version | grep -q '0\.1\.0' || fail "$old is not 0.1.0"

export PASSWORD='correct horse battery staple' STATE=$work/state.json
"$carrel" init --demo "$work/p" >/dev/null 2>&1
cd "$work/p"
printf 'oauth: {enabled: true}\nauth: {loopback: required}\n' >>carrel.yaml
sed -i '/^server:/d' carrel.yaml && printf 'server: {port: %s}\n' $((21000 + RANDOM % 9000)) >>carrel.yaml
printf '%s\n' "$PASSWORD" | "$carrel" user add ada --role contributor --password-stdin >/dev/null
"$carrel" mcp start --json >"$work/start"
ORIGIN=$(sed -n 's/.*"url":"\([^"]*\)\/mcp".*/\1/p' "$work/start") && export ORIGIN
"$carrel" connectivity enable >/dev/null
"$carrel" token create --label board --scopes research:read,research:query --expires 30d --json >"$work/token"
TOKEN=$(sed -n 's/.*"secret":"\([^"]*\)".*/\1/p' "$work/token") && export TOKEN
[ -n "$TOKEN" ] || fail "no token: $(cat "$work/token")"
"$carrel" ingest text "A Quillfeather customer is one who has ordered at least nine times." --json >/dev/null
for _ in {1..100}; do "$carrel" discover Quillfeather --json | grep -qi quillfeather && break; sleep 0.2; done
"$carrel" sql "SELECT 9471 AS mark" --json >/dev/null
node "$OLDPWD/tests/soak/upgrade.mjs" before || fail "0.1.0 cannot be prepared"
"$carrel" audit verify --json | grep -q '"ok":true' || fail "the audit of 0.1.0 does not hold"
before=$("$carrel" audit tail -n 1000 --json | grep -o '"action":' | wc -l)

(cd "$OLDPWD" && put "$new")
"$carrel" mcp restart >/dev/null || fail "the new daemon does not start: $(tail -n 5 .carrel/logs/mcp.log)"
"$carrel" --version | grep -q "$(sed -n 's/^project(carrel VERSION \([0-9.]*\).*/\1/p' "$OLDPWD/CMakeLists.txt")" || fail "not upgraded"
node "$OLDPWD/tests/soak/upgrade.mjs" after || fail "what lasted is not there any more"
"$carrel" audit verify --json | grep -q '"ok":true' || fail "the audit does not hold: $("$carrel" audit verify --json)"
"$carrel" audit tail -n 1000 --json >"$work/audit"
[ "$(grep -o '"action":' "$work/audit" | wc -l)" -gt "$before" ] || fail "entries of the audit are gone"
"$carrel" audit tail -n 1000 --json | grep -q 'sql_execution' || fail "the call before is not in the audit"
"$carrel" discover Quillfeather --json | grep -qi quillfeather || fail "the note is not found"
"$carrel" memory log --json | grep -q run || fail "the note's run is gone"
"$carrel" sql "SELECT 41 + 1" --json | grep -q '\[\[42\]\]' || fail "no statement runs"
"$carrel" user list --json | grep -q '"ada"' || fail "the user is gone"
"$carrel" token list --json | grep -q '"board"' || fail "the token is gone"
"$carrel" doctor >"$work/doctor" || fail "doctor: $(cat "$work/doctor")"
echo "0.1.0 upgraded in place: users, grants, tokens, sessions, streams, notes and the audit hold"
