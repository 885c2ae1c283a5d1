# A project is made, complete and once.
. "$SOURCE_DIR/tests/integration/cli/lib.sh"

run 0 init "$scratch/p" && is_quiet && is_json
for place in carrel.yaml wiki/global semantic-layer raw-sources .carrel .gitignore; do
	[ -e "$scratch/p/$place" ] || fail "$place is missing"
done
[ "$(stat -c %a "$scratch/p/.carrel")" = 700 ] || fail ".carrel can be entered by others"
run 1 init "$scratch/p" && complains "is a project already" && one_sentence
run 0 -C "$scratch/p" status && is_json && says '"state":"stopped"'
run 0 -C "$scratch/p" connection list && says '{"connections":[]}'
run 1 -C "$scratch/p" scan && complains "carrel connection add"
run 1 -C "$scratch/p" sql "SELECT 1" && complains "carrel connection add"

# Found from below, and by its variable.
mkdir "$scratch/p/below" && cd "$scratch/p/below"
run 0 status && says "\"projectDir\":\"$scratch/p\""
cd / && CARREL_PROJECT_DIR=$scratch/p run 0 status && says "\"projectDir\":\"$scratch/p\""

# An existing ktx project is served as it is, and not made into ours.
mkdir "$scratch/ktx" && printf 'connections:\n  w: {driver: mysql}\n' >"$scratch/ktx/ktx.yaml"
run 1 init "$scratch/ktx" && complains "is a project already"
run 0 -C "$scratch/ktx" connection list && says '"driver":"mysql"'

# The demo is filled and scanned.
run 0 init --demo "$scratch/demo" && is_quiet && is_json
[ -s "$scratch/demo/warehouse.db" ] || fail "no warehouse"
run 0 -C "$scratch/demo" connection list && says '"id":"warehouse"'
grep -q '"lastScan":null' "$out" && fail "the demo was not scanned"
run 0 -C "$scratch/demo" values word_of_mouth && says '"columnName":"acquired_via"' && says '"status":"ready"'
run 0 -C "$scratch/demo" sl list && says '"sourceName":"orders"'
run 1 init --demo "$scratch/demo"

# On a terminal: a table, and what to do next.
run_tty "$carrel" init "$scratch/tty" && says "Next:"
run_tty "$carrel" -C "$scratch/demo" connection list && says "CONNECTION"

run 1 init /proc/nowhere && one_sentence
finish

# Root has no privilege in Carrel's processes: a place that its owner alone enters is for that owner to use.
if [ "$(id -u)" = 0 ]; then
	install -d -o 12345 -g 12345 -m 0750 "$scratch/closed"
	run 1 init --demo "$scratch/closed/p" && complains "sudo -u '#12345'" && one_sentence
	[ ! -e "$scratch/closed/p" ] || fail "a refused project was left"
fi
