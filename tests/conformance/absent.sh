#!/bin/bash
# The product carries nothing of the conformance fixture: none of its names is
# in a program.  usage: absent.sh PROGRAMS FIXTURE_PROGRAMS
set -euo pipefail

table=$(dirname "$0")/tools.def
mapfile -t names < <(sed -n 's/^FIXTURE(\([a-z0-9_]*\))$/\1/p' "$table")
[ "${#names[@]}" -gt 20 ] || { echo "only ${#names[@]} names in $table"; exit 1; }

# Strings as programs keep them: whole, and not those of the symbols, among which any word may be a function's.
stripped=$(mktemp -d)
trap 'rm -rf "$stripped"' EXIT
mkdir "$stripped/product" "$stripped/fixture"
strip_all() {
	for program in "$1"/*; do
		objcopy --strip-all "$program" "$2/${program##*/}" 2>/dev/null || true	# a script has none
	done
}
strip_all "$1" "$stripped/product"
strip_all "$2" "$stripped/fixture"

# The fillers before the first string of an object file are no zeros everywhere: sanitizers put 0xf5.
has() { # grep's options, name, programs
	LC_ALL=C grep "$1" -zaE "(^|[^ -~])$2\$" "${@:3}"
}

failed=0
for name in "${names[@]}"; do
	# Looked for in the same way where it must be, so that not finding it means something.
	for program in carrel-front carrel-search; do
		has -q "$name" "$stripped/fixture/$program" ||
			{ echo "$name is not even in the fixture's $program"; failed=1; }
	done
	if found=$(has -l "$name" "$stripped"/product/*); then
		echo "$name is in $found"
		failed=1
	fi
done
exit $failed
