#!/bin/bash
# Idle event streams and a soak, with their cost in memory: what one front
# holds, what it does to everybody else, and what is left afterwards.  Fails
# when a stream costs more than 16 KB or the soak leaves something behind.
# usage: streams.sh BUILD_DIRECTORY
#   STREAMS (10000), SOAK_SESSIONS (100000) and SOAK_REQUESTS (1000000) scale it.
set -uo pipefail

build=$(cd "$1" && pwd)
carrel=$build/bin/carrel
streams=${STREAMS:-10000}
sessions=${SOAK_SESSIONS:-100000}
requests=${SOAK_REQUESTS:-1000000}
work=$(mktemp -d)
failed=0

cleanup() {
	exec 4>&-
	"$carrel" --project-dir "$work/project" mcp stop >/dev/null 2>&1
	rm -rf "$work"
}
trap cleanup EXIT

"$carrel" init --demo "$work/project" >/dev/null && "$carrel" --project-dir "$work/project" mcp start --port 0 >/dev/null || exit 1
port=$(sed -E 's/.*"port": *([0-9]+).*/\1/' "$work/project/.carrel/mcp.json" | tr -cd 0-9)
daemon=$(sed -E 's/.*"pid": *([0-9]+).*/\1/' "$work/project/.carrel/mcp.json" | tr -cd 0-9)
front=$(pgrep -P "$daemon" -x carrel-front)

pss() { awk '/^Pss:/{print $2}' "/proc/$front/smaps_rollup"; }
kernel() { awk '/^TCP:/{print $11 * 4}' /proc/net/sockstat; }	# kB of socket buffers, both ends
slab() { awk '/^Slab:/{print $2}' /proc/meminfo; }	# kB of the kernel's own objects, of the whole machine
descriptors() { find "/proc/$front/fd" -mindepth 1 | wc -l; }
processes() { pgrep -P "$daemon" | wc -l; }
fail() { echo "FAILED: $*"; failed=1; }

# How long others wait, in microseconds; "p50 p99".
latency() {
	printf '{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}' >"$work/list"
	"$build/bench/bench-load" --port "$port" --body "$work/list" --connections 4 --seconds 3 --expect sql_execution \
		--header 'MCP-Protocol-Version: 2026-07-28' --header 'Mcp-Method: tools/list' |
		sed -E 's/.*"p50_us":([0-9.]+).*"p99_us":([0-9.]+).*/\1 \2/'
}

# --- streams -------------------------------------------------------------------
if [ "$streams" -gt 0 ]; then
	latency >/dev/null	# the first run warms everything up
	alone=$(latency)
	before=$(pss) kernel_before=$(kernel) slab_before=$(slab)
	mkfifo "$work/stop" "$work/said"
	"$build/bench/bench-streams" hold "$port" "$streams" <"$work/stop" >"$work/said" &
	exec 4>"$work/stop" 5<"$work/said"
	read -r said <&5
	if [ "$said" = ready ]; then
		own=$(((($(pss) - before) * 1024) / streams)) sockets=$(((($(kernel) - kernel_before) * 1024) / streams))
		echo "$streams idle streams: $own bytes each in the front, $sockets in socket buffers," \
			"$(((($(slab) - slab_before) * 1024) / streams)) of kernel objects (both ends, and whatever else the machine did)"
		[ $((own + (sockets > 0 ? sockets : 0))) -le 16384 ] || fail "a stream costs more than 16 KB"
		echo "everybody else, p50 and p99 in us: $alone alone, $(latency) beside them"
	else
		fail "the streams were not opened"
	fi
	exec 4>&-
	read -r said <&5
	exec 5<&-
	wait %1 || fail "a stream was lost"
	echo "bytes the streams brought meanwhile: $said"
fi

# --- soak -----------------------------------------------------------------------
soak() {
	"$build/bench/bench-streams" soak "$port" "$1" "$2" || fail "the soak's client"
	[ -d "/proc/$front" ] || fail "the front died, $(tail -n 1 "$work/project/.carrel/logs/mcp.log")"
}

# What is remembered of sessions is bounded; as many as come later fill it first.
soak "$sessions" $((sessions * 5))
sleep 1
before=$(pss) descriptors_before=$(descriptors) processes_before=$(processes)
soak "$sessions" "$requests"
sleep 1
echo "after $sessions sessions and $requests requests: front $before -> $(pss) kB, descriptors $descriptors_before -> $(descriptors), processes $processes_before -> $(processes)"
[ "$(descriptors)" -eq "$descriptors_before" ] || fail "descriptors are left"
[ "$(processes)" -eq "$processes_before" ] || fail "processes are left"
[ $(($(pss) - before)) -le 8192 ] || fail "memory grows"
exit $failed
