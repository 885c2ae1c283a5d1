#!/bin/bash
# Three nodes with one store, and files that are imported, replaced and removed while nodes and their processes are killed or
# stopped, a node is cut off from the store, the store's server dies, its synchronous standby is promoted, and two nodes
# change the same document: each node ends with what the store has, whole, no reader sees another number than one that was
# imported, and what was told to be there is there.  FILES_ACTS, with blanks between, are some of the acts alone.
# usage: nodes_files.sh BIN_DIRECTORY [SECONDS]
set -uo pipefail
here=$(cd "$(dirname "$0")" && pwd)
bin=$(realpath "$1") pg=$here/../support/pg.sh seconds=${2:-60}
if [ -z "${PG_DIR:-}" ]; then exec bash "$pg" run - bash "$0" "$bin" "$seconds"; fi
work=$(mktemp -d)
chmod 755 "$work"
failed=0
fail() { echo "FAILED: $*"; failed=1; }
pids() { # NODE: all processes of its daemon
	local daemon
	daemon=$(sed -E 's/.*"pid": ?([0-9]+).*/\1/' "$work/$1/.carrel/mcp.json" 2>/dev/null) || return
	[ -z "$daemon" ] || echo "$daemon" $(pgrep -P "$daemon")
}
killed() { kill -KILL $(pids "$1") 2>/dev/null; }
primary=$PG_DIR standbys=0
server() { (cd / && "$pg" "$1" "$primary" "${@:2}"); }
declare -A way=() port=()
end() {
	for n in a b c; do kill -CONT $(pids $n) 2>/dev/null; killed $n; done
	[ ${#way[@]} = 0 ] || kill -KILL "${way[@]}" 2>/dev/null
	for one in "$work"/pg*; do (cd / && "$pg" remove "$one" >/dev/null 2>&1); done
	rm -rf "$work"
}
trap end EXIT
trap 'exit 143' TERM INT HUP
server psql -c "CREATE ROLE carrel LOGIN PASSWORD 'topsecret'" -c "CREATE DATABASE carrel OWNER carrel" || exit 1
standby() { standbys=$((standbys + 1)) && server standby "$work/pg$standbys"; } # each commit waits for it from then on
standby || exit 1
export HOME=$work
# Each node's own way to the primary, which is cut by stopping it.
cp "$primary/port" "$work/port"
base=$((20000 + RANDOM % 11000))
for n in a b c; do
	port[$n]=$((base++))
	node "$here/../support/way.mjs" "${port[$n]}" "$work/port" &
	way[$n]=$! && disown
done
"$bin/carrel" init --demo "$work/a" >/dev/null 2>&1 || exit 1
printf 'state: env:CARREL_STATE_URL\nnode: { name: a }\nconnectivity: { enabled: true }\n' >>"$work/a/carrel.yaml"
for n in b c; do cp -a "$work/a" "$work/$n" && sed -i "s/name: a/name: $n/" "$work/$n/carrel.yaml"; done
on() { CARREL_STATE_URL=postgres://carrel:topsecret@127.0.0.1:${port[$1]}/carrel timeout 60 "$bin/carrel" -C "$work/$1" "${@:2}" --json 2>&1; }
start() { on "$1" mcp start --port 0 | grep -q '"url"'; }
within() { # SECONDS COMMAND...
	local until=$((SECONDS + $1))
	until "${@:2}"; do [ $SECONDS -lt $until ] || return 1; sleep 0.1; done
}
start a || exit 1
for n in b c; do
	mkdir -p "$work/$n/.carrel" && chmod 700 "$work/$n/.carrel" && cp "$work/a/.carrel/signing.key" "$work/$n/.carrel/"
	start $n || exit 1
done
sums() { (cd "$work/$1/.carrel" && find imports documents -name '*.db' -o -name '*.jsonl' | sort | xargs -r sha256sum); }
same() { local s; s=$(sums a); [ -n "$s" ] && [ "$s" = "$(sums b)" ] && [ "$s" = "$(sums c)" ]; }
number() { on "$1" sql -c imports 'SELECT min(v), max(v), count(*) FROM many' | grep -oE '\[[0-9]+,[0-9]+,[0-9]+\]'; }
writer() { on "$1" cluster status | grep -oE '"name":"[abc]"[^}]*"writes":true' | sed -E 's/"name":"(.)".*/\1/'; }
many() { # NUMBER: a file whose rows all have it, of some megabytes
	{ echo v,text; yes "$1,$(printf 'x%.0s' {1..80})" | head -n 40000; } >"$work/many.csv"
}
many 1
within 20 eval 'w=$(writer a); [ -n "$w" ]' || fail "no node writes"
on "$w" dataset import "$work/many.csv" --publish >"$work/first" || fail "the first import: $(cat "$work/first")"
id=$(grep -oE '[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}' "$work/first" | head -n 1)
for n in a b c; do within 20 eval '[ "$(number $n)" = "[1,1,40000]" ]' || fail "$n has not the first: $(number $n)"; done

# Readers of each node: all rows of one table have one number, always.
: >"$work/read"
for n in a b c; do
	while [ ! -e "$work/end" ]; do
		got=$(number $n)
		[ -z "$got" ] || echo "$n $got" >>"$work/read"
	done &
	readers+=($!)
done

# The primary dies, and the standby is promoted at its place.
promoted() {
	local old=$primary
	kill -QUIT "$(head -n 1 "$primary/data/postmaster.pid")"
	primary=$work/pg$standbys
	server promote && cp "$primary/port" "$work/port" && standby || fail "no standby is promoted"
	[ "$old" = "$PG_DIR" ] || (cd / && "$pg" remove "$old" >/dev/null 2>&1)
}
read -ra acts <<<"${FILES_ACTS:-writer other import command crash document stop cut promote}"
declare -A count=()
round=1 told=1
until=$((SECONDS + seconds))
while [ $SECONDS -lt $until ]; do
	round=$((round + 1))
	many $round
	w=$(writer a) w=${w:-$(writer b)} w=${w:-$(writer c)}
	[ -n "$w" ] || { sleep 0.3; round=$((round - 1)); continue; }
	on "$w" dataset import "$work/many.csv" --replace >"$work/said" &
	import=$!
	sleep "0.$((RANDOM % 10))$((RANDOM % 10))"
	act=${acts[RANDOM % ${#acts[@]}]} victim=
	count[$act]=$((${count[$act]:-0} + 1))
	case $act in
	writer) victim=$w; killed "$w" ;;
	other) victim=$(printf 'a\nb\nc\n' | grep -v "$w" | shuf -n 1); killed "$victim" ;;
	import | command) # carrel-import, or the command itself
		command=$(pgrep -P $import | head -n 1)
		command=${command:+$(pgrep -P "$command" | head -n 1)}
		[ $act = command ] || command=${command:+$(pgrep -P "$command" carrel-import)}
		[ -z "$command" ] || kill -KILL $command 2>/dev/null ;;
	crash) kill -QUIT "$(head -n 1 "$primary/data/postmaster.pid")"; sleep 0.5; server restart >/dev/null 2>&1 ;;
	promote) promoted ;;
	stop) # a whole node, for longer than its lease
		harmed=$(pids "$(printf 'a\nb\nc\n' | shuf -n 1)")
		kill -STOP $harmed && sleep "$((3 + RANDOM % 4))"
		kill -CONT $harmed ;;
	cut) # its way to the store, for less and for more than the lease
		harmed=${way[$(printf 'a\nb\nc\n' | shuf -n 1)]}
		kill -STOP "$harmed" && sleep "$((1 + RANDOM % 2 * (1 + RANDOM % 5)))"
		kill -CONT "$harmed" ;;
	document) # the same document on two nodes at one time
		echo "the text of b in round $round" >"$work/b.d" && mkdir -p "$work/1" "$work/2"
		cp "$work/b.d" "$work/1/same.md" && echo "the text of c in round $round" >"$work/2/same.md"
		on b dataset document "$id" "$work/1/same.md" >/dev/null & one=$!
		on c dataset document "$id" "$work/2/same.md" >/dev/null
		wait $one ;;
	esac
	wait $import && told=$round
	[ -z "$victim" ] || within 20 start "$victim" || fail "$victim does not start again"
done
touch "$work/end"
wait "${readers[@]}"
# A reader's own daemon may have been in the way of a start.
for n in a b c; do start $n; within 30 eval 'on $n dataset list | grep -q "$id"' || fail "$n does not serve"; done
within 60 same || fail "the nodes have not the same: a $(sums a) b $(sums b) c $(sums c)"
for n in a b c; do
	got=$(number $n | tr -d '[]')
	[ "${got%%,*}" -ge "$told" ] || fail "$n has $got, and $told was told to be there"
	find "$work/$n/.carrel" -name '.incoming-*' | grep -q . && fail "$n has a file that is on its way still"
	on $n status >"$work/status"
	grep -q '"filesMissing":0' "$work/status" && grep -q '"filesUnsent":0' "$work/status" || fail "$n: $(cat "$work/status")"
done
awk '{ gsub(/[\[\]]/, "", $2); split($2, v, ","); if (v[1] != v[2] || v[3] != 40000) { print; bad = 1 } } END { exit bad }' \
	"$work/read" || fail "a reader saw half of a file"
[ "$(wc -l <"$work/read")" -gt 20 ] || fail "nothing was read"
pieces=$(server psql -d carrel -Atc "SELECT count(*) FROM carrel.shared_piece p WHERE NOT EXISTS(SELECT 1 FROM
	carrel.shared_file f WHERE f.name = p.name AND position(p.digest IN f.digests) > 0)")
echo "$(for act in "${!count[@]}"; do echo -n "$act ${count[$act]}, "; done)in $round imports, $told told last, $(wc -l <"$work/read") reads, $pieces pieces of what was not finished," \
	"$(find "$work" -name '*.not-shared*' | wc -l) files kept aside"
[ $failed = 0 ] || tail -n 15 "$work"/[abc]/.carrel/logs/mcp.log
[ $failed = 0 ] && echo "each node has what the store has"
exit $failed
