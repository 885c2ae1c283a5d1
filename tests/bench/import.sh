#!/bin/bash
# How fast a file becomes a table, beside `sqlite3 .import` of the same file: pairs one after the other on core 0, whose
# processor time is compared, since the disk is everybody's.  usage: import.sh BUILD_DIRECTORY [MB] [PAIRS]
set -euo pipefail

build=$(cd "$1" && pwd)
mb=${2:-100} pairs=${3:-3}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

awk -v most=$((mb * 1000000)) 'BEGIN {
	line = "id,customer,day,amount,city,state,ref\n"
	for (i = 1; n < most; i++) {
		n += length(line)
		printf "%s", line
		line = sprintf("%d,customer %d,2025-%02d-%02d,%.2f,Zurich,open,%d\n", i, i % 997, 1 + i % 12, 1 + i % 28,
			i * 37 % 100000 / 100, i * 7919 % 1000003)
	}
}' >"$work/rows.csv"
"$build/bin/carrel" init "$work/project" >/dev/null

# seconds of processor and of the clock, of a command on core 0
timed() {
	local TIMEFORMAT='%U %S %R'
	{ time taskset -c 0 "$@" >"$work/out" 2>&1; } 2>&1 | awk '{ print $1 + $2, $3 }'
}

for ((i = 0; i < pairs; i++)); do
	ours=$(timed "$build/bin/carrel" -C "$work/project" dataset import "$work/rows.csv" --name rows --replace)
	rm -f "$work/theirs.db"
	theirs=$(timed sqlite3 "$work/theirs.db" ".import --csv '$work/rows.csv' rows")
	echo "$ours $theirs"
done | awk -v mb="$mb" '{
	printf "import: carrel %.0f MB/s of processor time, %.0f MB/s in all; sqlite3 .import %.0f and %.0f: %.2f of it\n",
	    mb / $1, mb / $2, mb / $3, mb / $4, $3 / $1
}'
