#!/bin/bash
# The product carries nothing of the conformance fixture: none of its names is
# in a program.  usage: absent.sh PROGRAMS FIXTURE_PROGRAMS
set -euo pipefail

table=$(dirname "$0")/tools.def
mapfile -t names < <(sed -n 's/^FIXTURE(\([a-z0-9_]*\))$/\1/p' "$table")
[ "${#names[@]}" -gt 20 ] || { echo "only ${#names[@]} names in $table"; exit 1; }

failed=0
for name in "${names[@]}"; do
	# Looked for in the same way where it must be, so that not finding it means something.
	grep -qaF "$name" "$2/carrel-front" && grep -qaF "$name" "$2/carrel-search" ||
		{ echo "$name is not even in the fixture"; failed=1; }
	if found=$(grep -laF "$name" "$1"/*); then
		echo "$name is in $found"
		failed=1
	fi
done
exit $failed
