#!/bin/bash
# What functions do, written as clang-format writes it; see format.awk for what
# is left alone.  Without -i every place that would change is a line of output.
# usage: format.sh [-i] [FILE...]; all .c files when none is named.
set -uo pipefail
cd "$(dirname "$0")/.."

how=--dry-run
if [ "${1:-}" = -i ]; then
	how=-i
	shift
fi
[ $# -gt 0 ] || mapfile -t files < <(git ls-files '*.c')
printf '%s\0' "${files[@]:-$@}" | xargs -0 -P "$(nproc)" -n 10 bash -c '
	said=$(for file in "${@:2}"; do
		lines=$(awk -f packaging/format.awk "$file")
		[ -z "$lines" ] || clang-format "$1" $lines "$file" 2>&1
	done)
	printf "%s\n" "$said"' - "$how" | sed -n 's/^\([^:]*:[0-9]*\):[0-9]*: warning: .*/\1/p'
