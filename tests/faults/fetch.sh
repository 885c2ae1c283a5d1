#!/bin/bash
# Clients that are described by a document at their id: carrel-fetch against a server that answers as it likes.  The
# programs with fault points alone can be told to look for every name on this machine.
# usage: fetch.sh BIN_DIRECTORY
set -uo pipefail
here=$(cd "$(dirname "$0")" && pwd)
bin=$1
work=$(mktemp -d)
export CARREL=$bin/carrel PROJECT=$work/project PASSWORD='correct horse battery staple' WORK=$work
trap '"$CARREL" --project-dir "$PROJECT" mcp stop >/dev/null 2>&1; kill "$server" 2>/dev/null; rm -rf "$work"' EXIT
server=
failed=0
fail() { echo "FAILED: $1"; failed=1; }

# Authorities: one that is trusted, one that is not.
certificate() { # name authority
	openssl req -newkey rsa:2048 -nodes -subj "/CN=$1" -keyout "$work/$1.key" -out "$work/$1.csr" 2>/dev/null &&
		openssl x509 -req -in "$work/$1.csr" -CA "$work/$2.crt" -CAkey "$work/$2.key" -days 2 -CAcreateserial \
			-extfile <(echo "subjectAltName=DNS:$1") -out "$work/$1.crt" 2>/dev/null
}
for authority in good bad; do
	openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj "/CN=$authority" -keyout "$work/$authority.key" -out "$work/$authority.crt" 2>/dev/null
done
certificate client.example.org good && certificate untrusted.example.org bad || exit 1

node "$here/fetch_server.mjs" "$work" >"$work/server" 2>&1 &
server=$!
for _ in $(seq 600); do [ -s "$work/server" ] && break; sleep 0.1; done
FETCH_PORT=$(head -n 1 "$work/server") && export FETCH_PORT

"$CARREL" init --demo "$PROJECT" >/dev/null || exit 1
sed -i '/^server:/d' "$PROJECT/carrel.yaml"
cat >>"$PROJECT/carrel.yaml" <<YAML
server: { port: 0 }
oauth: { enabled: true, authorize_per_min: 1000, client_metadata: true }
auth: { loopback: required }
YAML
printf '%s\n' "$PASSWORD" | "$CARREL" --project-dir "$PROJECT" user add ada --role contributor --password-stdin >/dev/null || exit 1

# flows ENVIRONMENT WHICH
flows() {
	CARREL_TEST_FETCH=$1 "$CARREL" --project-dir "$PROJECT" --json mcp start >"$work/started" 2>"$work/error" || { cat "$work/error"; fail "it does not start"; return; }
	ORIGIN=$(node -pe "new URL(JSON.parse(require('fs').readFileSync('$work/started', 'utf8')).url).origin") node "$here/fetch.mjs" "$2" || fail "$2"
	"$CARREL" --project-dir "$PROJECT" mcp stop >/dev/null 2>&1
}
flows "$FETCH_PORT $work/good.crt" documents
flows "$FETCH_PORT $work/good.crt" limits
flows "$FETCH_PORT $work/good.crt strict" addresses

"$CARREL" --project-dir "$PROJECT" --json client list >"$work/clients"
grep -q '"source":"document"' "$work/clients" || { cat "$work/clients"; fail "no client by its document"; }
"$CARREL" --project-dir "$PROJECT" --json audit tail -n 200 | grep -q '"action":"client.register"' || fail "it is not on record"
grep -rh 'policy violation' "$PROJECT/.carrel/logs" && fail "a system call too many"
exit $failed
