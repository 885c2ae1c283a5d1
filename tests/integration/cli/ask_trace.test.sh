# What each of the six phases leaves of one question a shape, against tests/golden/traces; CARREL_GOLDEN=write renews
# them.  Only when the data were read is masked: the demo's data and the periods asked about are the same every day.
. "$SOURCE_DIR/tests/integration/cli/lib.sh"

golden=$SOURCE_DIR/tests/golden/traces

holds() {
	[ "$(node -pe "const d = JSON.parse(require('fs').readFileSync('$out', 'utf8')); $1" 2>/dev/null)" = true ] ||
		fail "not so: $1"
}

run 0 init --demo "$scratch/p"
cd "$scratch/p" || exit 1

# One artifact a phase, a member a line, so that a difference is a line.
masked() {
	node -e '
		const { trace, answer } = JSON.parse(require("fs").readFileSync(process.argv[1], "utf8"));
		const mask = (key, value) => key === "snapshot" && typeof value === "string" ? "…" : value;
		console.log(JSON.stringify({ question: process.argv[2], status: answer.status, trace }, mask, "\t"));
	' "$out" "$1"
}

# same SHAPE PHASES QUESTION [CODE] - the trace of the question is the golden one.
same() {
	local file=$golden/$1.json
	run "${4:-0}" ask --trace "$3" || return
	[ "$(node -pe 'JSON.parse(require("fs").readFileSync(process.argv[1], "utf8")).trace.map((t) => t.phase).join(" ")' "$out")" = "$2" ] ||
		fail "$1: other phases than $2"
	masked "$3" >"$scratch/trace"
	if [ "${CARREL_GOLDEN:-}" = write ]; then
		cp "$scratch/trace" "$file"
	elif ! cmp -s "$scratch/trace" "$file"; then
		diff "$file" "$scratch/trace" | head -30
		fail "$1: another trace (CARREL_GOLDEN=write renews it)"
	fi
}

all="planner navigator sql_builder executor verifier explainer"
run 0 mcp start --port 0
same S1-scalar "$all" "What was net revenue in 2025?"
same S2-groups "$all" "net revenue by sales area in 2025"
same S3-time "$all" "net revenue by month in 2025"
same S4-ranking "$all" "top 3 sales areas by net revenue in 2025"
same S5-share "$all" "share of net revenue by sales area in 2025"
same S6-values "$all" "net revenue of DACH compared with Nordics in 2025"
same S7-periods "$all" "net revenue in 2025 compared with 2024"
same S8-count "$all" "how many customers are there?"
same S9-extreme "$all" "latest hired on"
same S10-catalogue "planner explainer" "which measures are there?"
same clarification "planner" "net revenue" 3
same refusal "planner navigator" "why did net revenue drop in 2025?" 4

# The artifacts are on record by the digest of what is printed; so are those of an answer that shows none.
run 0 ask --trace "top 3 sales areas by net revenue in 2025"
digest=$(node -e '
	const text = require("fs").readFileSync(process.argv[1], "utf8");
	const trace = text.slice(text.indexOf("\"trace\":") + 8).trim().replace(/}$/, "");
	JSON.parse(trace);
	console.log(require("crypto").createHash("sha256").update(trace).digest("hex"));' "$out")
run 0 audit tail -n 1
holds "d.entries[0].target === 'ask_trace' && d.entries[0].policy.artifacts_sha256 === '$digest'"
run 0 ask "What was net revenue in 2025?"
run 0 audit tail -n 1
holds "d.entries[0].target === 'ask_question' && /^[0-9a-f]{64}$/.test(d.entries[0].policy.artifacts_sha256)"
holds "d.entries[0].statement === 'What was net revenue in 2025?' && d.entries[0].policy.answer === 'answered'"
run 4 ask "why did net revenue drop in 2025?"
run 0 audit tail -n 1
holds "d.entries[0].policy.answer === 'declined' && / — why did net revenue drop in 2025\?$/.test(d.entries[0].policy.title)"
run 0 sql "SELECT 1"
run 0 audit tail -n 1
holds "!('artifacts_sha256' in (d.entries[0].policy ?? {}))"
run 0 mcp stop
finish
