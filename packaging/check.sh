#!/bin/bash
# clang-format, cppcheck and clang-tidy over our sources; what is not installed
# is passed over with a line.  usage: check.sh BUILD_DIRECTORY
set -uo pipefail
cd "$(dirname "$0")/.."

build=$1
mapfile -t sources < <(git ls-files '*.c' '*.h')
mapfile -t units < <(git ls-files '*.c' ':!tests/fuzz')
failed=0

there() {
	command -v "$1" >/dev/null && return 0
	echo "check: $1 is not installed, passed over"
	return 1
}

if there clang-format; then
	clang-format --dry-run "${sources[@]}" 2>build/clang-format.txt
	echo "clang-format: $(grep -c 'warning:' build/clang-format.txt) lines it would write differently (build/clang-format.txt)"
fi
if there cppcheck; then
	cppcheck --quiet --error-exitcode=1 --inline-suppr --std=c11 --library=posix -I. \
		--enable=warning,portability -j "$(nproc)" "${units[@]}" || failed=1
fi
if there clang-tidy; then
	printf '%s\n' "${units[@]}" | xargs -P "$(nproc)" -n 8 clang-tidy --quiet -p "$build" \
		--checks='-*,clang-analyzer-*,bugprone-*,-bugprone-easily-swappable-parameters,-bugprone-reserved-identifier,-clang-analyzer-security.insecureAPI.DeprecatedOrUnsafeBufferHandling,-bugprone-narrowing-conversions,-bugprone-assignment-in-if-condition,-bugprone-macro-parentheses' \
		--warnings-as-errors='*' || failed=1
fi
exit $failed
