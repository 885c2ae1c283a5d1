#!/bin/bash
# What keeping a finding of 4 KB costs: in the demo, and in a project of 10,000
# pages in a git repository.  usage: memory.sh BUILD_DIRECTORY [RUNS]
set -uo pipefail
build=$(cd "$1" && pwd)
runs=${2:-100}
carrel=$build/bin/carrel
work=$(mktemp -d)
trap '"$carrel" --project-dir "$work/project" mcp stop >/dev/null 2>&1; rm -rf "$work"' EXIT
export HOME=$work GIT_CONFIG_NOSYSTEM=1
field() { sed -E "s/.*\"$1\":([0-9.]+).*/\1/"; }

measure() { # label, further arguments
	local label=$1 out port
	shift
	"$carrel" --project-dir "$work/project" mcp start --port 0 >/dev/null || exit 1
	port=$(sed -E 's/.*"port": *([0-9]+).*/\1/' "$work/project/.carrel/mcp.json" | tr -cd 0-9)
	out=$("$build/bench/bench-memory" --port "$port" --dir "$work/project" --runs "$runs" "$@") || exit 1
	"$carrel" --project-dir "$work/project" mcp stop >/dev/null 2>&1
	printf '%-44s call p50 %5s us p99 %6s us (<= 5000)   run p50 %6s ms p99 %6s ms (<= 300)\n' "$label" \
		"$(field call_p50_us <<<"$out")" "$(field call_p99_us <<<"$out")" "$(field run_p50_ms <<<"$out")" "$(field run_p99_ms <<<"$out")"
}

"$carrel" init --demo "$work/project" >/dev/null || exit 1
measure "demo, no repository: a page"
measure "demo, no repository: a page and a measure" --connection warehouse

for i in $(seq 10000); do
	printf -- '---\nsummary: Page number %d about topic %d\ntags: [t%d]\n---\n\n# Topic %d\n\nTopic %d means what department %d calls number %d.\n' \
		"$i" "$i" $((i % 50)) "$i" "$i" $((i % 97)) "$i" >"$work/project/wiki/global/topic-$i.md"
done
measure "10,000 pages, no repository: a page"
git -C "$work/project" init -q && git -C "$work/project" add -A && git -C "$work/project" -c user.name=U -c user.email=u@x commit -qm all
measure "10,000 pages, one commit each: a page"
measure "10,000 pages, one commit each: and a measure" --connection warehouse
