#!/bin/bash
# clang-format, cppcheck and clang-tidy over our sources; what is not installed
# is passed over with a line.
set -uo pipefail
cd "$(dirname "$0")/.."

build=build/check
mkdir -p $build
mapfile -t sources < <(git ls-files '*.c' '*.h')
mapfile -t units < <(git ls-files '*.c' ':!tests/fuzz')
failed=0
checks='-*,clang-analyzer-*,bugprone-*'
checks+=',-clang-analyzer-security.insecureAPI.DeprecatedOrUnsafeBufferHandling,-clang-analyzer-valist.Uninitialized'
checks+=',-bugprone-easily-swappable-parameters,-bugprone-reserved-identifier,-bugprone-narrowing-conversions'
checks+=',-bugprone-assignment-in-if-condition,-bugprone-macro-parentheses,-bugprone-branch-clone'
checks+=',-bugprone-implicit-widening-of-multiplication-result'

there() {
	command -v "$1" >/dev/null && return 0
	echo "check: $1 is not installed, passed over"
	return 1
}

if there clang-format; then
	clang-format --dry-run "${sources[@]}" 2>$build/clang-format.txt
	echo "clang-format: $(grep -c 'warning:' $build/clang-format.txt) lines it would write differently ($build/clang-format.txt)"
fi
if there cppcheck; then
	cppcheck --quiet --error-exitcode=1 --inline-suppr --std=c11 --library=posix -I. \
		--enable=warning,portability -j "$(nproc)" "${units[@]}" || failed=1
fi
# clang's own reading of the flags, so a build configured for clang.  Left out:
# checks that our idioms trip over (assignment in conditions, X-macros, va_list).
if there clang-tidy; then
	cmake -G Ninja -S . -B $build -DCMAKE_C_COMPILER=clang -DCMAKE_CXX_COMPILER=clang++ >/dev/null || exit 1
	printf '%s\n' "${units[@]}" | xargs -P "$(nproc)" -n 8 clang-tidy --quiet -p "$build" \
		--checks="$checks" --warnings-as-errors='*' || failed=1
fi
exit $failed
