# What a text says is kept, found by the next question, shown, and taken back.
. "$SOURCE_DIR/tests/integration/cli/lib.sh"

project=$scratch/project
run 0 init --demo "$project"
at() { run "$1" -C "$project" "${@:2}"; }
files() { (cd "$project" && find wiki semantic-layer -type f -exec sha256sum {} + | sort -k2); }
id() { grep -o '"runId":"[^"]*"' "$out" | head -n 1 | cut -d'"' -f4; }
before=$(files)

# A formula with its connection becomes a measure that sl_query answers with.
printf '# Goodwill rate\n\nGoodwill rate is defined as `sum(refunds.amount_ct) / 1000.0`. Be careful: with VAT.\n' >"$scratch/note.md"
at 0 ingest text "$scratch/note.md" --connection warehouse --json && is_json && says '"status":"done"' &&
	says 'semantic-layer/warehouse/refunds.yaml' && says 'wiki/global/goodwill-rate.md'
first=$(id)
at 0 discover "goodwill rate" --json && says '"goodwill-rate"' && says 'refunds.goodwill_rate'
at 0 sl read refunds -c warehouse --json && says "goodwill_rate"

# The same again is the same run; one that does not compile goes to the wiki with the reason.
at 0 ingest text "$scratch/note.md" --connection warehouse --json
[ "$(id)" = "$first" ] || fail "the same text made another run"
echo 'Odd total is defined as `sum(refunds.no_such_column)`.' >"$scratch/odd.md"
at 0 ingest text "$scratch/odd.md" -c warehouse --json && says "not for the semantic layer" && says '"sl":[]'
second=$(id)

# A terminal sees tables.
run_tty "$carrel" -C "$project" memory log && says "done"
run_tty "$carrel" -C "$project" memory show "$first" && says "signal definition"
at 0 memory log --json && says "$second"

# Back to the byte, newest first; an edit since is never undone.
at 0 memory revert "$second"
cp "$project/wiki/global/goodwill-rate.md" "$scratch/page"
echo "mine" >>"$project/wiki/global/goodwill-rate.md"
at 1 memory revert "$first" && complains "goodwill-rate.md was changed by somebody else" && one_sentence
grep -q goodwill_rate "$project/semantic-layer/warehouse/refunds.yaml" || fail "half a revert"
cp "$scratch/page" "$project/wiki/global/goodwill-rate.md"
at 0 memory revert "$first"
[ "$(files)" = "$before" ] || fail "not as before: $(diff <(files) <(echo "$before"))"
at 1 memory revert "$first" && one_sentence

# The manifest of a large database takes part as well: here more than four megabytes of it.
filler=$(printf 'x%.0s' {1..2000})
{
	echo tables:
	for i in {1..2500}; do
		printf '  part_%s: {table: refunds, descriptions: {db: %s}, columns: [{name: amount_ct, type: number}]}\n' "$i" "$filler"
	done
} >"$project/semantic-layer/warehouse/_schema/zz_parts.yaml"
at 0 sl list --json && says '"sourceName":"part_77"'
at 0 sl validate && grep -q 'too large' "$out" && fail "a manifest that search reads is too large here"
printf '# Part rate\n\nPart rate is defined as `sum(part_77.amount_ct) / 1000.0`.\n' >"$scratch/part.md"
at 0 ingest text "$scratch/part.md" -c warehouse --json && says 'semantic-layer/warehouse/part_77.yaml'
at 0 sl read part_77 -c warehouse --json && says '"name":"part_rate"' && says '"type":"number"'

# Serving writes nothing into a project; the wiki is made with the first page, and again when it is gone.
mkdir "$scratch/ktx" && cp -r "$project/semantic-layer" "$project/warehouse.db" "$scratch/ktx"
printf 'connections:\n  warehouse: {driver: sqlite, path: warehouse.db}\n' >"$scratch/ktx/ktx.yaml"
run 0 -C "$scratch/ktx" discover refunds --json && run 0 -C "$scratch/ktx" memory log --json
[ ! -e "$scratch/ktx/wiki" ] || fail "serving made a wiki"
echo 'hello, how are you' >"$scratch/idle.md"
run 0 -C "$scratch/ktx" ingest text "$scratch/idle.md" -c warehouse --json && says '"signalDetected":false'
[ ! -e "$scratch/ktx/wiki" ] || fail "a text that is kept nowhere made a wiki"
for text in 'Remember: refunds come late.' 'Remember: vouchers never expire.'; do
	echo "$text" >"$scratch/kept.md"
	run 0 -C "$scratch/ktx" ingest text "$scratch/kept.md" --json && says '"status":"done"' && says '"action":"created"'
	ls "$scratch/ktx/wiki/global/"*.md >/dev/null || fail "no page was written"
	rm -r "$scratch/ktx/wiki"
done

# A run is named by as much of its id as no other has.
at 0 memory show "${first:0:${#first}-4}" --json && says "$first"
at 1 memory show mem-1 && complains "memory runs begin with" && one_sentence

# How near a page must be to be extended is the project's to say.
printf '# Fiscal calendar holidays\n\nRemember: holidays are those of Bavaria.\n' >"$scratch/holidays.md"
cp -r "$project" "$scratch/near" && rm -rf "$scratch/near/.carrel"
printf 'memory:\n  same_subject: 0.95\n' >>"$scratch/near/carrel.yaml"
run 0 -C "$scratch/near" ingest text "$scratch/holidays.md" --json && says '"wiki/global/fiscal-calendar-holidays.md"' && says '"action":"created"'
at 0 ingest text "$scratch/holidays.md" --json && says '"wiki/global/fiscal-calendar.md"' && says '"action":"updated"'

# What cannot be taken.
at 1 memory show nonsense && one_sentence
at 1 ingest text "$scratch/nowhere" && one_sentence
at 1 ingest text /dev/null && one_sentence
at 1 ingest text "$scratch/note.md" -c nowhere && one_sentence
printf 'a\0b' >"$scratch/zero" && at 1 ingest text "$scratch/zero" && one_sentence && complains "$scratch/zero"

# Several texts are a run each; one that cannot be read costs itself alone, unless that is to end it.
echo 'Remember: parcels leave at noon.' >"$scratch/parcels.md"
echo 'Remember: returns are free.' >"$scratch/returns.md"
at 1 ingest text --fail-fast "$scratch/zero" "$scratch/parcels.md" && one_sentence
grep -rq 'parcels leave' "$project/wiki" && fail "a text behind the one that failed was kept"
at 1 ingest text "$scratch/parcels.md" "$scratch/zero" "$scratch/returns.md" && is_json && says '"runs":[{' && one_sentence
[ "$(grep -o '"runId"' "$out" | wc -l)" -eq 2 ] || fail "not two runs"
grep -rq 'parcels leave' "$project/wiki" && grep -rq 'returns are free' "$project/wiki" || fail "not both are kept"
run_as 0 -C "$project" ingest text "$scratch/parcels.md" "$scratch/returns.md" && says "$scratch/parcels.md:" && says "$scratch/returns.md:"
finish
