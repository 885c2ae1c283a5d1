#!/bin/bash
# What a thousand bad clients do to a hundred good ones.  All of Carrel on core 0; the good clients and, with the
# least share of time, the bad ones on core 1.  Each bad client does its one bad thing once in BAD_EVERY
# milliseconds, one after another and then all at once.  In the control run the same bad clients turn to a dummy
# listener on core 1: what they cost the machine by themselves is in both figures, and the ratio is what they do to
# Carrel.  Who may (root) has Carrel and the good clients run before all else on the machine, and the bad ones after
# them: what else is done there is in neither figure, and the good clients never wait for the processor with an answer
# that is there.
# usage: bad.sh BUILD_DIRECTORY [KIND...]	(kinds: see bad.c; without one, all of them mixed)
#   BAD_CLIENTS (1000), BAD_EVERY (1000), BAD_RATE (200), BAD_SECONDS (5), BAD_PAIRS (3) scale it.
set -uo pipefail

build=$(cd "$1" && pwd)
shift
kinds=${*:-all}
clients=${BAD_CLIENTS:-1000} every=${BAD_EVERY:-1000} rate=${BAD_RATE:-200}
seconds=${BAD_SECONDS:-5} pairs=${BAD_PAIRS:-3}
carrel=$build/bin/carrel
first="" last="nice -n 19"
chrt -r 2 true 2>/dev/null && first="chrt -r 2" last="chrt -r 1"
bad="taskset -c 1 $last $build/bench/bench-bad"
work=$(mktemp -d)
trap '"$carrel" --project-dir "$work/p" mcp stop >/dev/null 2>&1; rm -rf "$work"' EXIT
ulimit -n "$(ulimit -Hn)"
"$carrel" init --demo "$work/p" >/dev/null || exit 1
printf 'limits: { research_per_min: 0, research_in_flight: 256 }\n' >>"$work/p/carrel.yaml"
taskset -c 0 $first "$carrel" --project-dir "$work/p" mcp start --port 0 >/dev/null || exit 1
member() { sed -E "s/.*\"$1\": *\"?([^,\"}]*).*/\1/" "$work/p/.carrel/mcp.json"; }
field() { sed -E "s/.*\"$1\":([0-9.]+).*/\1/"; }
port=$(member port) daemon=$(member pid)

# Processor time of the front, of carrel-auth and of all of Carrel, in microseconds.
spent() {
	local pid
	for pid in "$daemon" $(pgrep -P "$daemon"); do
		echo "$(cat "/proc/$pid/comm") $(cut -d' ' -f1 "/proc/$pid/schedstat")"
	done |
		awk '/front/ { f += $2 } /auth/ { a += $2 } { n += $2 } END { printf "%d %d %d\n", f / 1e3, a / 1e3, n / 1e3 }'
}
good() { taskset -c 1 $first "$build/bench/bench-held" "$port" 100 "$rate" "$1" quick; }

# beside KIND MODE PORT: the good clients' p99 while the bad ones turn to that port, and what was answered wrongly.
beside() {
	local line
	$bad "$3" "$clients" $((seconds + 2)) "$every" "$1" "$2" >"$work/bad" 2>&1 &
	sleep 1
	line=$(good "$seconds") || echo "the good clients failed" >&2
	wait $!
	[ "$(field refused <<<"$line")$(field lost <<<"$line")" = 00 ] || echo "$line" >&2
	field p99_ms <<<"$line"
}

# The cost to Carrel of one act, with no good client about.
cost() {
	local was now acts
	read -r -a was <<<"$(spent)"
	$bad "$port" "$clients" 3 "$every" "$1" >"$work/bad" 2>&1
	read -r -a now <<<"$(spent)"
	acts=$(field acts <"$work/bad")
	echo $(((now[0] - was[0]) / acts)) $(((now[1] - was[1]) / acts)) $(((now[2] - was[2]) / acts))
}
median() { sort -n | awk '{ v[NR] = $1 } END { print NR % 2 ? v[(NR + 1) / 2] : (v[NR / 2] + v[NR / 2 + 1]) / 2 }'; }

good 1 >/dev/null || exit 1
for kind in $kinds; do
	read -r front auth all <<<"$(cost "$kind")"
	echo "$kind: one act costs the front $front us, carrel-auth $auth us, all of Carrel $all us"
	for mode in spread at-once; do
		rm -f "$work/control" "$work/beside"
		for ((i = 0; i < pairs; i++)); do
			coproc SINK { $bad sink $((seconds + 3)); }
			sink=$SINK_PID
			read -r dummy <&"${SINK[0]}"
			beside "$kind" "$mode" "$dummy" >>"$work/control"
			kill "$sink" 2>/dev/null
			wait "$sink" 2>/dev/null
			beside "$kind" "$mode" "$port" >>"$work/beside"
		done
		echo "$kind $mode $clients $(median <"$work/control") $(median <"$work/beside")" | awk '{
			printf "%s, %s: p99 of the good ones beside %d bad ones %.1f ms, ", $1, $2, $3, $5
			printf "%.2f of the control (%.1f ms)\n", $5 / $4, $4 }'
	done
done
