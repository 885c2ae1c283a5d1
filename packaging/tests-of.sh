#!/bin/bash
# Which tests a source file has, and which source files a test is about: by the
# functions that they define and name.  A file whose functions no test names is
# tested through those that call it, up to three calls away.
# usage: tests-of.sh FILE     (a .c or .h of the product, or a file of tests/)
set -uo pipefail
cd "$(dirname "$0")/.."

# The functions that a file defines for others, one a line.
defines() { # file
	awk '/^static/ { own = 1 } /^[a-z].*[^;]$/ && !/\(/ { next }
		match($0, /^[a-z_0-9]+\(/) { if (!own && !/^main\(/) print substr($0, 1, RLENGTH - 1) } !/^static/ { own = 0 }' "$1" | sort -u
}

# Files under the given paths in which one of the functions is called.
naming() { # functions, then paths
	local words=$1
	shift
	[ -n "$words" ] || return 0
	git grep -lwF -f <(printf '%s\n' $words) -- "$@"
}

of_test() {
	local named file
	named=$(grep -oE '\b[a-z][a-z0-9_]+\(' "$1" | tr -d '(' | sort -u)
	while read -r file; do
		[ -z "$(comm -12 <(defines "$file") <(printf '%s\n' "$named"))" ] || echo "$file"
	done < <(git ls-files '*.c' '*.cc' ':!tests')
}

of_source() {
	local words found files=("${1%.*}.c") seen=" " file next depth
	[ -f "${files[0]}" ] || files=("$1")
	for depth in 1 2 3; do
		words=$(for file in "${files[@]}"; do defines "$file"; done | sort -u)
		found=$(naming "$words" 'tests/*.c')
		[ -n "$found" ] && { [ "$depth" -eq 1 ] || echo "through its callers, $((depth - 1)) away:" >&2; printf '%s\n' "$found"; return; }
		seen+="${files[*]} "
		next=$(naming "$words" '*.c' ':!tests')
		files=()
		for file in $next; do [[ $seen == *" $file "* ]] || files+=("$file"); done
		[ ${#files[@]} -gt 0 ] || break
	done
	echo "no test names it or what calls it: see tests/integration" >&2
	return 1
}

case ${1:-} in
tests/*) of_test "$1" ;;
*.c | *.h | *.cc) of_source "$1" ;;
*)
	echo "usage: tests-of.sh FILE" >&2
	exit 2
	;;
esac
