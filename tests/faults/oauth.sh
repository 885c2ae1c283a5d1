#!/bin/bash
# People sign in while processes are killed: at random, and then at each point between what is decided, what is written
# and what is said of it.  The audit has what was done, once.
# usage: oauth.sh BIN_DIRECTORY KILLS [SEED]
set -uo pipefail
here=$(cd "$(dirname "$0")" && pwd)
bin=$1 kills=${CARREL_OAUTH_KILLS:-$2} seed=${3:-1}
work=$(mktemp -d)
export CARREL=$bin/carrel PROJECT=$work/project PASSWORD='correct horse battery staple'
trap '"$CARREL" --project-dir "$PROJECT" mcp stop >/dev/null 2>&1; rm -rf "$work"' EXIT
failed=0
fail() { echo "FAILED: $1"; failed=1; }

port=$(node -e 'const s = require("net").createServer().listen(0, "127.0.0.1", () => { console.log(s.address().port); s.close(); })')
export ORIGIN=http://127.0.0.1:$port
"$CARREL" init --demo "$PROJECT" >/dev/null || exit 1
sed -i '/^server:/d' "$PROJECT/carrel.yaml"
cat >>"$PROJECT/carrel.yaml" <<YAML
server: { port: $port, fronts: 2 }
oauth: { enabled: true, authorize_per_min: 1000000, register_per_min: 1000000, refresh_grace_s: 600 }
auth: { loopback: required }
YAML
for user in ada bob; do
	printf '%s\n' "$PASSWORD" | "$CARREL" --project-dir "$PROJECT" user add $user --role contributor --password-stdin >/dev/null || exit 1
done

# flows KILLS FAULTS
flows() {
	CARREL_FAULTS=$2 "$CARREL" --project-dir "$PROJECT" mcp start >"$work/started" 2>&1 || { cat "$work/started"; fail "it does not start"; return; }
	KILLS=$1 SEED=$seed CARREL_FAULTS=$2 node "$here/oauth.mjs" || fail "what people and clients saw"
	"$CARREL" --project-dir "$PROJECT" mcp stop >/dev/null 2>&1
}

flows "$kills" ''
flows $(((kills + 2) / 3)) 'auth.before_commit=kill@43,auth.after_commit=kill@37,auth.code_taken=kill@11'

"$CARREL" --project-dir "$PROJECT" --json audit verify >"$work/verified" 2>&1 || { cat "$work/verified"; fail "the audit"; }
"$CARREL" --project-dir "$PROJECT" audit export -o "$work/audit.jsonl" || fail "no audit"
grep '"action":"oauth.token"' "$work/audit.jsonl" | grep '"outcome":"ok"' | grep -o '"target":"[^"]*"' | sort >"$work/grants"
[ -z "$(uniq -d "$work/grants")" ] || fail "grants that were made twice: $(uniq -d "$work/grants" | head -n 3)"
echo "audit: $(wc -l <"$work/grants") grants, each made once"
exit $failed
