# The semantic layer written for other tools and read again: the demo's layer, and drawn measures, have the same numbers;
# what the other tool cannot say is named; nothing of a hidden column is written.
. "$SOURCE_DIR/tests/integration/cli/lib.sh"
cd "$scratch" || exit 1
run 0 init demo --demo && cd demo || exit 1
rm semantic-layer/warehouse/customer_lifetime.yaml

# draw SEED - a source with measures of all kinds over payments, filtered, divided and made of each other.
awk -v seed=${EXPORT_SEED:-7} 'BEGIN {
	srand(seed)
	split("sum avg min max count median", agg, " ")
	split("amount fee_ct order_id", col, " ")
	split("method = \047card\047|amount > 50|NOT amount > 9 AND fee_ct IS NOT NULL|status <> \047failed\047 OR amount < 20", cond, "|")
	print "name: drawn\ntable: payments\ngrain: [id]\ndefault_time_dimension: {dbt: created_at}\ncolumns:"
	print "  - {name: id, type: number}\n  - {name: order_id, type: number}\n  - {name: method, type: string}\n  - {name: status, type: string}"
	print "  - {name: amount, type: number}\n  - {name: fee_ct, type: number}\n  - {name: created_at, type: time, role: time}"
	print "  - {name: net_ct, type: number, expr: \"amount * 100 - COALESCE(fee_ct, 0)\"}"
	print "segments:\n  - {name: large, expr: amount >= 30}\nmeasures:"
	for (i = 1; i <= 24; i++) {
		a = agg[1 + int(rand() * 6)] "(" col[1 + int(rand() * 3)] ")"
		if (rand() < .15) a = "count(distinct " col[1 + int(rand() * 3)] ")"
		if (rand() < .15) a = "count(*)"
		if (rand() < .2) a = a " / " agg[1 + int(rand() * 2)] "(net_ct)"
		if (i > 4 && rand() < .3) a = "d" 1 + int(rand() * (i - 1)) " - 2 * d" 1 + int(rand() * (i - 1))
		printf "  - name: d%d\n    expr: \"%s\"\n", i, a
		if (rand() < .5) printf "    filter: \"%s\"\n", cond[1 + int(rand() * 4)]
		if (rand() < .2) print "    segments: [large]"
	}
}' >semantic-layer/warehouse/drawn.yaml
run 0 sl validate

# What is exported, in its own words, and what is left out by name.
for kind in osi metricflow; do run_as 0 export-knowledge $kind --out "$scratch"; done
run_as 0 export-knowledge osi && says 'version: "0.2.0.dev0"' && says 'primary_key: ["day", "campaign"]'
complains 'left out: segment orders.counted: there is no word for a named filter'
complains 'left out: measure customers.reachable_customers: it uses a hidden column'
! grep -qE 'birth_year|"email"' "$scratch/osi.yaml" "$scratch/semantic_models.yml" || fail "a hidden column was exported"
run 2 export-knowledge tableau && complains 'there are osi and metricflow' && one_sentence

# numbers PROJECT MEASURE... - each measure over all rows, six places.
numbers() {
	local dir=$1 m args=()
	shift
	for m in "$@"; do args+=(-m "$m"); done
	(cd "$scratch/$dir" && "$carrel" sl query "${args[@]}" --format csv 2>"$err") |
		awk -F, 'NR == 1 { n = split($0, h, ",") } NR > 1 { for (i = 1; i <= n; i++) { gsub(/[\r"]/, "", $i); gsub(/[\r"]/, "", h[i]); sub(/.*\./, "", h[i]); print h[i], $i == "" || $i == "NULL" ? "" : $i + 0 == 0 && $i !~ /^-?[0-9.]+$/ ? $i : sprintf("%.6g", $i) } }'
}

run 0 mcp start --port 0
for kind in osi metricflow; do
	cd "$scratch" && run 0 init $kind --path demo/warehouse.db --name warehouse && cd $kind && run 0 mcp start --port 0 &&
		run 0 scan warehouse || continue
	file=$([ $kind = osi ] && echo osi.yaml || echo semantic_models.yml)
	run 0 import-knowledge $kind ../$file
	node -e 'const { report } = JSON.parse(require("fs").readFileSync(0, "utf8")), n = {};
		for (const o of report.objects) n[o.as] = o;
		const odd = report.skipped.filter((s) => !/Several joins lead/.test(s.reason));
		if (odd.length > 0) throw new Error(JSON.stringify(odd).slice(0, 500));
		if (n.metric.taken < 70) throw new Error(JSON.stringify(n.metric));' <"$out" 2>"$err" || fail "$kind: $(grep Error "$err")"
	# Those that are there: what was left out or skipped is named above.
	sed -n 's/^  - name: //p' semantic-layer/warehouse/_imported/*/*.yaml | sort -u >"$scratch/there"
	ours=() theirs=()
	for file in ../demo/semantic-layer/warehouse/*.yaml; do
		for name in $(sed -n '/^measures:/,/^[a-z]*:$/s/^  - name: //p' $file | grep -xFf "$scratch/there"); do
			ours+=("$(sed -n 's/^name: //p' $file).$name") theirs+=("$name")
		done
	done
	[ ${#theirs[@]} -ge 60 ] || fail "$kind: only ${#theirs[@]} measures"
	numbers demo "${ours[@]}" >"$scratch/ours"
	numbers $kind "${theirs[@]}" >"$scratch/theirs"
	[ "$(wc -l <"$scratch/ours")" -eq ${#ours[@]} ] && cmp -s "$scratch/ours" "$scratch/theirs" ||
		fail "$kind: $(diff "$scratch/ours" "$scratch/theirs" | head -n 5)"
	# Words and descriptions are the same, too.
	grep -q 'Werbekosten' -r semantic-layer/warehouse/_imported || fail "$kind: no synonym"
done
finish
