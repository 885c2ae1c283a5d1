# Every command of the help is run with --json: standard output is JSON, an object; so is a failure's standard error.
. "$SOURCE_DIR/tests/integration/cli/lib.sh"

p=$scratch/p
# What each is given, in the order of the calls; - : it succeeds, a number: its exit code.  mcp stdio speaks MCP itself,
# sandbox.test.sh has sandbox verify, and oauth.test.sh has login and logout.
table='
init                      - %s/fresh
mcp start                 - --port 0
admin                     -
status                    -
doctor                    ?
connection add            - spare --path %s/p/spare.db
connection edit           - spare --workers 1
connection list           -
connection test           - warehouse
connection grants         1 warehouse
connection remove         - spare
engine add                1 duckdb --from nothing
engine list               -
scan                      - warehouse
discover                  - revenue
details                   - orders
values                    - paid
sql                       - SELECT_1
ask                       - revenue_in_2025
wiki search               - revenue
wiki list                 -
wiki read                 - revenue
sl search                 - revenue
sl list                   -
sl read                   - orders
sl query                  - -m orders.order_count
sl validate               -
ingest text               - %s/note.md
tool list                 -
tool try                  1 nothing
import-tools toolbox      1 %s/note.md
import-knowledge          - dbt %s/t.yml --connection warehouse
export-knowledge          - osi --connection warehouse
memory log                -
memory show               1 nothing
memory approve            1 nothing
memory revert             1 nothing
dataset import            - %s/t.csv
sl new                    - t -c imports
dataset publish           - warehouse orders
dataset list              -
dataset show              - orders
dataset document          - orders %s/note.md
dataset unpublish         - orders
dataset remove            1 orders
user add                  - ada --role viewer --password-file %s/password
user list                 -
user set                  - ada --disable
user remove               - ada
client add                - --name N --redirect https://n.example/callback
client list               -
client remove             1 nothing
client grants             -
client revoke             1 nothing
key list                  -
key rotate                -
cluster status            -
cluster drain             1
cluster release           1 nowhere
cluster accept-loss       1
cluster join              1 --root-key-file /nonexistent
sync                      1
state migrate             1 --to env:NO_SUCH_NAME
preferences get           -
preferences set           - weekStart=sunday
mcp status                -
mcp reload                -
mcp logs                  -
mcp restart               - --port 0
connectivity enable       -
connectivity status       -
token create              - --label one --no-reveal
connectivity create-token - --label two
token list                -
token reveal              - one
connectivity setup        - cursor
connectivity test         - two
connectivity diagnose     -
prompt                    -
connectivity revoke-token - two
token revoke              - one
connectivity disable      -
setup-agents              - --target cursor
audit tail                -
audit search              -
audit show                1 nothing
audit verify              -
audit export              -
audit-sql                 - warehouse
completion                - bash
mcp stop                  -
'
printf 'a strange sentence to keep\n' >"$scratch/password" && chmod 600 "$scratch/password"
printf '# Refunds\n\nRefunds are paid within a week.\n' >"$scratch/note.md"
printf 'a,b\n1,2\n' >"$scratch/t.csv"
printf 'models: [{name: orders, description: Orders of the shop.}]\n' >"$scratch/t.yml"
run 0 init --demo "$p" && is_json
sqlite3 "$p/spare.db" "CREATE TABLE t(a)"
cd "$p" || exit 1

mkdir "$scratch/said"
while IFS= read -r line; do
	[ -n "$line" ] || continue
	name=${line:0:25} name=${name%"${name##*[! ]}"} rest=${line:26}
	code=${rest%% *} words=()
	for word in ${rest#"$code"}; do
		word=${word//%s/$scratch}
		[ "${name%% *}" = sql ] || [ "$name" = ask ] && word=${word//_/ }
		words+=("$word")
	done
	seen+=$name$'\n'
	[ "$code" != - ] || code=0
	if [ "$code" = "?" ]; then # as this machine is
		# shellcheck disable=SC2086
		"$carrel" --json $name "${words[@]}" >"$out" 2>"$err" </dev/null
	else
		# shellcheck disable=SC2086
		run "$code" $name "${words[@]}"
	fi
	cp "$out" "$scratch/said/$name: standard output" && cp "$err" "$scratch/said/$name: standard error"
	[ "$code" = 1 ] || [ -s "$out" ] || fail "$name says nothing"
done <<<"$table"

cat >"$scratch/check.mjs" <<'JS'
import { readdirSync, readFileSync } from "node:fs";
for (const name of readdirSync("said"))
	for (const line of readFileSync(`said/${name}`, "utf8").split("\n").filter((l) => l !== "")) {
		let v = null;
		try { v = JSON.parse(line); } catch { /* told below */ }
		if (v === null || typeof v !== "object" || Array.isArray(v)) console.log(`${name} is no JSON object: ${line.slice(0, 100)}`);
	}
JS
(cd "$scratch" && node check.mjs) >"$out" 2>&1
[ ! -s "$out" ] || fail "not JSON"

run_as 0 --help
sed -nE 's/^  ([a-z][a-z-]*( [a-z][a-z-]*)?) .*/\1/p' "$out" | sort >"$scratch/commands"
{ printf '%s' "$seen"; printf 'login\nlogout\nmcp stdio\nsandbox verify\n'; } | sort >"$scratch/tried"
diff "$scratch/commands" "$scratch/tried" || fail "not every command is tried"
finish
