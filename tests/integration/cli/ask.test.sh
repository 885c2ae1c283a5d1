# carrel ask: a number that is the semantic layer's, a question back, a refusal, what its owner prefers; and an agent
# that is killed in each phase.
. "$SOURCE_DIR/tests/integration/cli/lib.sh"

get() { node -pe "const d = JSON.parse(require('fs').readFileSync('$out', 'utf8')); $1" 2>/dev/null; }
holds() { [ "$(get "$1")" = true ] || fail "not so: $1"; }

run 0 init --demo "$scratch/p"
cd "$scratch/p" || exit 1

# --- without a daemon ------------------------------------------------------------------------
run 0 ask "What was net revenue in 2025?"
holds "d.status === 'answered' && d.mode === 'deterministic' && d.rows.rowCount === 1"
asked=$(get 'd.rows.data[0].at(-1)')
run 0 sl query -m order_revenue.net_revenue -w "order_revenue.ordered_at >= '2025-01-01' AND order_revenue.ordered_at < '2026-01-01'"
holds "d.rows[0].at(-1) === $asked"
run 0 ask "Wie hoch war net revenue im Jahr 2025?" && holds "d.status === 'answered' && d.rows.data[0].at(-1) === $asked"
run 3 ask "net revenue" && holds "d.status === 'clarification' && d.questions.length > 0 && !d.rows"
run 4 ask "why did net revenue drop in 2025?" && holds "d.status === 'cannot_answer' && !d.rows && d.reason.code.length > 0"
run 4 ask "net revenue in 2025 of flibbertigibbets" && holds "d.status !== 'answered' && !d.rows"
run 0 ask "net revenue from the web in 2025" && holds "d.status === 'answered' && d.interpretation.filters.length === 1"	# no sample is of the view
run_as 0 ask "net revenue by sales area in 2025" && says 'DACH'
# On a terminal and in a pipe a person reads the words, not the marks of markdown; clients get these.
run_as 0 ask "net revenue by channel in 2025" && says 'b2b_portal: ' && says 'order_revenue.ordered_at from'
run 0 ask "net revenue by channel in 2025" && holds "d.narrative.includes('b2b\\\\_portal')"
run_as 0 ask "net revenue in 2025" && says 'net revenue: 1,499,831.69 EUR' && ! grep -qF '**' "$out" || fail "stars are shown"
run 2 ask

# --- over MCP: what is assumed, at the client's log level --------------------------------------
# send ID MEMBERS: one request, and into $out all that comes until its answer.
send() {
	local line
	printf '{"jsonrpc":"2.0","id":%s,%s}\n' "$1" "$2" >&"${agent[1]}"
	: > "$out"
	while read -r -t 60 line <&"${agent[0]}"; do
		printf '%s\n' "$line" >> "$out"
		[[ $line != *"\"id\":$1,"* ]] || return 0
	done
	fail "no answer to $2"
}

coproc agent { "$carrel" mcp stdio 2>/dev/null; }
send 1 '"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}'
send 2 '"method":"resources/read","params":{"uri":"carrel://ontologies"}'
ontology=$(grep -oE '[0-9a-f]{8}-[0-9a-f-]{27}' "$out" | head -n 1)
question="\"method\":\"tools/call\",\"params\":{\"name\":\"ask_question\",\"arguments\":{\"ontologyId\":\"$ontology\",\"question\":\"net revenue in March vs April\"}}"
send 3 '"method":"logging/setLevel","params":{"level":"info"}'
send 4 "$question"
[ "$(grep -c '"method":"notifications/message","params":{"level":"info","logger":"ask_question".*is the latest that has begun' "$out")" -eq 2 ] ||
	fail "what is assumed is not in the client's log"
send 5 '"method":"logging/setLevel","params":{"level":"warning"}'
send 6 "$question"
! grep -q notifications/message "$out" || fail "the client's log level does not count"
exec {agent[1]}>&-
wait

# --- a first minute ------------------------------------------------------------------------------
run 0 ask --examples && holds "d.questions.length === 10 && new Set(d.questions).size === 10"
for question in "$(get 'd.questions[0]')" "$(get 'd.questions[4]')" "$(get 'd.questions[9]')"; do
	run 0 ask "$question" && holds "d.status === 'answered' && d.rows.rowCount > 0"
done
run 0 ask --examples
get 'd.questions.join("\n")' >"$scratch/questions"
run_as 0 ask --examples && [ "$(grep -cxFf "$scratch/questions" "$out")" -eq 10 ] || fail "not ten questions"
! grep -q 'By rules;\|\*\*' "$out" || fail "the examples do not read as people write"
run 0 init "$scratch/empty" && run 1 -C "$scratch/empty" ask --examples && complains 'nothing to ask about yet'

# --- files -------------------------------------------------------------------------------------
question="net revenue by month in 2025"
run_as 0 ask --html "$scratch/a.html" --svg "$scratch/a.svg" "$question" && says '┤' && complains 'a.svg was written'
[ "$(stat -c %a "$scratch/a.html")" = 600 ] || fail "a.html is there for others"
grep -q "<h1>$question</h1>" "$scratch/a.html" && grep -q '<svg ' "$scratch/a.html" || fail "no page with a chart"
! grep -qiE '<script|src=|href=|url\(' "$scratch/a.html" "$scratch/a.svg" || fail "something is fetched"
run_as 0 ask --svg - "$question" && cmp -s "$out" "$scratch/a.svg" || fail "--svg - is not the same drawing alone"
run 0 ask --html "$scratch/b.html" --trace "$question" && holds "d.trace.length === 6" && [ -s "$scratch/b.html" ] ||
	fail "no page beside the trace"
run_as 1 ask --svg "$scratch/no.svg" "net revenue in 2025" && complains 'has no chart' && [ ! -e "$scratch/no.svg" ]
run_as 4 ask --html "$scratch/no.html" "why did net revenue drop?" && complains 'no file was written'
[ ! -e "$scratch/no.html" ] || fail "a page without an answer"
run_as 1 ask --html "$scratch/none/a.html" "$question" && complains 'No such file or directory'
run_as 2 ask --html - --svg - "$question"
run_as 2 ask --html a.html --examples

# --- what its owner prefers ------------------------------------------------------------------
run 0 preferences set 'defaultTimePeriod=last year'
run 0 ask "net revenue" && holds "d.status === 'answered' && d.caveats.concat(d.assumptions).join().includes('last year')"
run 0 preferences set 'defaultTimePeriod='
run 3 ask "net revenue" && holds "d.status === 'clarification'"

run 3 ask "how many large orders in 2025" && holds "d.status === 'clarification'"
# A key is no figure, whatever it looks like.
run_as 0 ask "which customer has the highest net revenue in 2025" --format table && says '1851: 16,358.05 EUR' && ! finds '1,851' "$out" || fail "a key with a comma"
run_as 0 preferences get --format table && says 'defaultTimePeriod   not set' && says 'weekStart           monday'
run 0 preferences set 'thresholds.large=orders.total_eur >= 200' 'thresholds.small=<= 1' 'thresholds.dear=> 100' 'thresholds.odd=orders.status = returned' highValueThreshold=500
run 0 ask "how many large orders in 2025"
holds "d.status === 'answered' && d.interpretation.filters.length === 1 && d.caveats.join().includes('by your preferences')"
large=$(get 'd.rows.data[0].at(-1)')
run 0 ask "how many orders over 200 EUR in 2025" && holds "d.status !== 'answered' || d.rows.data[0].at(-1) <= $large"
run 0 ask "how many odd orders in 2025" && holds "d.status === 'answered' && d.rows.data[0].at(-1) !== $large"
run 3 ask "how many small order items in 2025" && holds "d.status !== 'cannot_answer'"
run 3 ask "how many dear orders in 2025" && holds "d.status === 'clarification' && d.questions[0].suggestions.some((s) => s.includes('> 100'))"
run 3 ask "how many high-value orders in 2025" && holds "d.status === 'clarification' && JSON.stringify(d.questions).includes('>= 500')"
run 4 ask "net revenue of high-value orders in 2025" && holds "d.reason.message.startsWith('\"orders\" cannot be reached')"
run 0 ask "high-value refunds in 2025" && holds "d.status === 'answered' && d.rows.rowCount > 0 && d.rows.data.every((r) => r.at(-1) >= 500) && d.caveats.join().includes('>= 500 by your preferences')"
run 0 ask "high-value customers in 2025 [High-value threshold: net revenue > 10,000 EUR]"
holds "d.status === 'answered' && d.rows.rowCount > 1 && d.rows.data.every((r) => r.at(-1) > 10000)"
run 3 ask "high-value customers in 2025 [High-value threshold: net revenue > \$10,000]" && holds "d.status === 'clarification'"
run 3 ask "how many precious orders in 2025 [Precious threshold: total_eur >= \$200]" && holds "d.status === 'clarification'"
run 0 ask "how many precious orders in 2025 [Precious threshold: total_eur >= 200 EUR]" &&
	holds "d.status === 'answered' && d.rows.data[0].at(-1) === $large && d.interpretation.text.includes('>= 200')"
run 3 ask "net revenue by channel" && holds "d.status === 'clarification'"
run 0 ask "net revenue by channel. Proceed with assumptions." && holds "d.status === 'answered' && d.assumptions.join().includes('Time period: last quarter')"
run 0 ask "relationship between net revenue and refunded value by month in 2025"
holds "d.charts.length === 1 && d.charts[0].type === 'scatter' && d.charts[0].points.length === 12"
run 4 ask "product inventory by warehouse location" && holds "d.reason.missingDatasets.includes('inventory') && d.reason.availableDatasets.length > 3"
run 4 ask "how many orders that are not large in 2025" && holds "d.status !== 'answered'"
run 0 preferences set 'thresholds.large=orders.total_eur >= inf' && run 3 ask "how many large orders in 2025" && holds "d.status === 'clarification'"
run 0 preferences set 'thresholds.large=orders.nothing >= 1' && run 3 ask "how many large orders in 2025" && holds "d.status === 'clarification'"
run 0 preferences set 'thresholds.large=' 'thresholds.small=' 'thresholds.dear=' 'thresholds.odd=' 'highValueThreshold='
# Preferences that cannot be read are no preferences, and the answer says so.
sqlite3 .carrel/state.db 'ALTER TABLE preference RENAME TO preference_gone'
run 0 ask "net revenue in 2025" && holds "d.caveats.join().includes('Preferences could not be read')"
sqlite3 .carrel/state.db 'ALTER TABLE preference_gone RENAME TO preference'

# --- several ontologies ------------------------------------------------------------------------
cp carrel.yaml "$scratch/before.yaml"
printf 'ontologies:\n  - { id: 5f3b6c1e-8a54-4f0b-9a52-0d9e4b7c2f11, name: Money, connection: warehouse, sources: [order_revenue] }\n  - { id: 5f3b6c1e-8a54-4f0b-9a52-0d9e4b7c2f12, name: All, connection: warehouse }\n' >>carrel.yaml
run 1 ask "net revenue in 2025" && complains 'several ontologies' && complains Money
run 0 preferences set 'defaultOntology=5f3b6c1e-8a54-4f0b-9a52-0d9e4b7c2f11'
run 0 ask "net revenue in 2025" && holds "d.status === 'answered'"
run 4 ask "how many tickets were opened in 2025?" && holds "d.status === 'cannot_answer'"
run 0 ask --ontology All "how many tickets were opened in 2025?" && holds "d.status === 'answered'"
run 0 preferences set 'defaultOntology='
cp "$scratch/before.yaml" carrel.yaml

# --- killed in each phase: builds with fault points --------------------------------------------
if grep -q 'auth\.before_commit' "$BIN_DIR/carrel-auth"; then
	for phase in planner navigator sql_builder executor verifier explainer; do
		grep -q "agent\.$phase" "$BIN_DIR/carrel-agent" || { fail "no fault point agent.$phase"; continue; }
		export CARREL_FAULTS="agent.$phase=kill@1"
		run 0 mcp start --port 0
		unset CARREL_FAULTS
		# Each agent that is started dies at its first question: the call ends, with a reason.
		run 1 ask "net revenue in 2025" && one_sentence
		run 0 sql "SELECT 1 AS n" && holds 'd.rows[0][0] === 1'
		run 0 mcp stop
	done
	run 0 ask "net revenue in 2025" && holds "d.status === 'answered'"
fi
finish
