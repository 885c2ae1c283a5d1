# Where the state store is, and what the configuration must give it: refused at start and at a reload, by name.
. "$SOURCE_DIR/tests/integration/cli/lib.sh"

umask 077
p=$scratch/p
run 0 init --demo "$p"
cp "$p/carrel.yaml" "$scratch/plain.yaml"
configure() { { cat "$scratch/plain.yaml"; printf '\n%s\n' "$1"; } >"$p/carrel.yaml"; }
auth_is() { run_as 0 -C "$p" status; finds -E "^auth +[0-9]+ +$1 " "$out" || fail "carrel-auth is not $1"; }
mkdir "$scratch/state" "$scratch/open"
chmod 777 "$scratch/open"
ln -s "$scratch/plain.yaml" "$scratch/state/link.db"
openssl rand -hex 32 >"$scratch/key"
echo short >"$scratch/short"
cp "$scratch/key" "$scratch/shown"
chmod 644 "$scratch/shown"

# refused YAML TEXT...: the daemon does not start, and says why.
refused() {
	configure "$1"
	run 1 -C "$p" mcp start --port 0
	for text in "${@:2}"; do complains "$text"; done
	[ ! -e "$p/.carrel/mcp.json" ] || { fail "$1 is served"; run 0 -C "$p" mcp stop; }
}
refused "state: $scratch/nowhere/s.db" "$scratch/nowhere" 'No such file'
refused "state: $scratch/open/s.db" "$scratch/open" chmod
refused "state: $scratch/state/link.db" link.db
refused 'state: postgres://h/d' 'carrel.yaml:' 'state: expected the path of a file'
refused 'audit: { key: "env:CARREL_NO_SUCH_KEY" }' CARREL_NO_SUCH_KEY
refused "audit: { key: 'file:$scratch/short' }" 'audit.key has 5 bytes'
refused "audit: { key: 'file:$scratch/shown' }" shown
refused 'audit: { key: abcdefghijklmnopqrstuvwxyz }' 'audit.key: a literal key'
! finds abcdefghij "$err" || fail "the key is shown"

rm -f "$p"/.carrel/state.db*
configure "state: $scratch/state/s.db
audit: { key: 'file:$scratch/key', durability: disk, retention_days: 30 }
connectivity: { enabled: true, max_tokens: 3 }"
run 0 -C "$p" mcp start --port 0
auth_is ready
[ "$(stat -c %a "$scratch/state/s.db")" = 600 ] || fail "the store is open to others"
[ ! -e "$p/.carrel/state.db" ] || fail "there is a second store"

# A reload that cannot be: the daemon goes on as it was.
configure "state: $scratch/nowhere/s.db"
run 1 -C "$p" mcp reload
complains "$scratch/nowhere"
auth_is ready
configure "state: other.db"
run 0 -C "$p" mcp reload
auth_is ready
[ -e "$p/other.db" ] || fail "the store did not move"
finish
