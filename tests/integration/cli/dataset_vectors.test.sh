# Passages of datasets with vectors of an endpoint: made as documents are added, kept, used for questions, and no
# longer than the endpoint answers.
. "$SOURCE_DIR/tests/integration/cli/lib.sh"

get() { node -pe "const d = JSON.parse(require('fs').readFileSync('$out', 'utf8')); $1" 2>/dev/null; }
holds() { [ "$(get "$1")" = true ] || fail "not so: $1: $(head -c 600 "$out")"; }
# How many texts went over the wire since the last behave, and how many requests.
texts() { node -pe "const r = require('fs').readFileSync('$model/requests', 'utf8').trim().split('\n').filter(Boolean).map(JSON.parse); r.flatMap((q) => q.body.input).length"; }
requests() { grep -c . "$model/requests"; }
is() { [ "$1" = "$2" ] || fail "line ${BASH_LINENO[0]}: $1 where $2 is to be"; }
behave() {
	printf '%s' "{\"how\":\"good\",\"embed\":$1}" >"$model/behaviour.new" && mv "$model/behaviour.new" "$model/behaviour"
	: >"$model/requests"
	: >"$model/wire"
}

# The played model counts letters: texts of the same letters are alike.
model=$scratch/model
mkdir "$model"
behave '{"how":"good"}'
play_model

run 0 init --demo "$scratch/p"
cd "$scratch/p" || exit 1
printf 'connectivity: { requests_per_min: 100000, global_per_min: 100000 }\n' >>carrel.yaml
cp carrel.yaml plain.yaml
configured() { { cat plain.yaml; echo "embeddings: { url: 'http://127.0.0.1:$port/v1', name: letters${1:-} }"; } >carrel.yaml; }
run 0 dataset publish warehouse orders
orders=$(get d.dataset.id)
own=.carrel/documents/$orders

printf '# Jazz\n\nPizza, jazz and fuzz.\n' >z.md
printf 'Quick queues of queens.\n' >q.txt
run 0 dataset document orders z.md q.txt && holds "d.documents.every((o) => o.vectors === undefined)"
run 1 dataset document orders --vectors && complains "embeddings.url" && one_sentence
run 2 dataset document orders --vectors --drop z.md
run 2 dataset document orders z.md --vectors && complains 'as they are added' && one_sentence
run 2 dataset document orders --column notes --vectors

# A dataset whose documents came before the endpoint: said, and made at once for all of them.
configured
run 0 dataset document orders && holds "d.documents.every((o) => o.vectors === 0)"
run 0 dataset document orders --vectors && is_quiet
holds "d.documents.length === 2 && d.documents.every((o) => o.vectors === o.chunks && o.chunks === 1)"
is "$(texts)" 2
[ "$(stat -c %a "$own"/*.vectors | sort -u)" = 600 ] || fail "vectors are open to others"
behave '{"how":"good"}'
: >"$own/.tmp-999999999-vectors" # of one that was killed
run 0 dataset document orders --vectors && is "$(texts)" 0 && [ ! -e "$own/.tmp-999999999-vectors" ]
run 0 dataset document orders z.md && holds "d.documents[0].vectors === 1" && is "$(texts)" 0
run_tty "$carrel" dataset document orders && finds 'CHUNKS.*VECTORS' "$out" || fail "no column of vectors"

# (Re)start the daemon; $api is then where it serves.
serve() {
	[ ! -e .carrel/mcp.json ] || run 0 mcp stop
	run 0 mcp start --port 0 && api=$(get "d.url.replace(/.mcp$/, '/api/v1/ext')")
}
serve
run 0 connectivity enable
run 0 token create --label all && secret=$(get d.secret)
# search QUESTION - as a token's holder, into $out.
search() {
	curl -s -H "Authorization: Bearer $secret" -H 'Content-Type: application/json' --data "{\"query\":\"$1\"}" "$api/search" >"$out"
}
first() { get "d.matches[0]?.metadata.source_file ?? 'nothing'"; }
found() {
	for _ in {1..100}; do
		search "$1"
		[ "$(first)" = "$2" ] && return
		sleep 0.1
	done
	fail "$1 is not found in $2: $(head -c 600 "$out")"
}
listed() { curl -s -H "Authorization: Bearer $secret" "$api/datasets" >"$out"; }

# Words that stand in no text: by letters alone.
found 'zzz' z.md
found 'qqq' q.txt
listed && holds 'd.datasets[0].has_vectors === true'
behave '{"how":"good"}'
search 'zzz' && is "$(texts)" 1
# What comes while the daemon serves.
printf 'My kayak.\n' >k.txt
run 0 dataset document orders k.txt && holds "d.documents[0].vectors === 1"
found 'kkk' k.txt

# Without the endpoint passages are found by words; it is not asked again at once.
behave '{"how":"refused"}'
search 'kayak' && is "$(first)" k.txt
search 'zzz' && is "$(first)" nothing
search 'queens' && is "$(first)" q.txt
is "$(requests)" 1
printf 'Vivid waves.\n' >v.txt
run 0 dataset document orders v.txt && complains "v.txt: 1 of its 1 passages have no vectors" && complains "401" &&
	holds "d.documents[0].vectors === 0 && d.documents[0].skipped === null"
found 'vivid' v.txt
run 1 dataset document orders --vectors && complains "v.txt"
run 0 status && holds "JSON.stringify(d).includes('passages have no vectors')"
behave '{"how":"good"}'
run 0 dataset document orders --vectors && is "$(texts)" 1 && holds "d.documents.every((o) => o.vectors === 1)"

# A changed document: what is the same has its vector already.  The last requests fail, what came before is kept.
node -e 'for (let i = 0; i < 200; i++) console.log(`# Part ${i}\n\n` + `word${i} `.repeat(190))' >long.md
behave '{"how":"good"}'
run 0 dataset document orders long.md && holds "d.documents[0].chunks >= 200 && d.documents[0].vectors === d.documents[0].chunks"
whole=$(get 'd.documents[0].chunks')
is "$(texts)" "$whole"
is "$(requests)" $(((whole + 63) / 64))
sed -i '1i # Foreword\n\nNew.\n' long.md
behave '{"how":"good"}'
run 0 dataset document orders long.md && holds "d.documents[0].vectors === d.documents[0].chunks"
[ "$(texts)" -lt 10 ] || fail "made again: $(texts)"
node -e 'for (let i = 0; i < 200; i++) console.log(`# Other ${i}\n\n` + `thing${i} `.repeat(190))' >long.md
behave '{"how":"good","good":2,"then":"refused"}'
run 0 dataset document orders long.md && complains "401" && holds "d.documents[0].vectors === 128"
behave '{"how":"good"}'
run 0 dataset document orders long.md && holds "d.documents[0].vectors === d.documents[0].chunks"
is "$(texts)" $(($(get 'd.documents[0].chunks') - 128))

# Another model, or other dimensions: all of them anew; until then found by words, and said.
configured "2"
serve
run 0 dataset document orders && holds "d.documents.every((o) => o.vectors === 0)"
for _ in {1..100}; do run 0 status && finds 'not of embeddings.name' "$out" && break; sleep 0.1; done
finds 'not of embeddings.name' "$out" || fail "not said whose they are"
search 'zzz' && is "$(first)" nothing
listed && holds 'd.datasets[0].has_vectors === false'
run 0 dataset document orders --vectors && holds "d.documents.every((o) => o.vectors === o.chunks)"
found 'zzz' z.md
configured ", dimensions: 25"
serve
run 1 dataset document orders --vectors && complains "embeddings.dimensions, 25"
configured
behave '{"how":"good","dimensions":20}'
serve
run 0 dataset document orders --vectors && holds "d.documents.every((o) => o.vectors === o.chunks)"
# The endpoint's model has grown under its name.
behave '{"how":"good"}'
printf '# Jazz\n\nPizza, jazz and fuzz.\n\n# More\n\nWords.\n' >z.md
run 0 dataset document orders z.md && holds "d.documents[0].vectors === d.documents[0].chunks"

# They go with their document.
for one in z.md k.txt v.txt long.md; do run 0 dataset document orders --drop $one; done
is "$(ls "$own" | wc -l)" 2
run 0 dataset remove orders && [ ! -e "$own" ] || fail "vectors outlive their dataset"
[ -z "$(find .carrel/documents -name '.tmp-*')" ] || fail "something half written stays"
run 0 mcp stop
finish
