#!/bin/bash
# What reads the source instead of running it; each part passes or fails, and
# the last line counts them: "N checks passed, N failed".  usage: check.sh [--deep]
# --deep adds clang's static analyser, which takes a quarter of an hour.
set -uo pipefail
cd "$(dirname "$0")/.."

build=build/check
mkdir -p $build
mapfile -t units < <(git ls-files '*.c' ':!tests')
mapfile -t scripts < <(git ls-files '*.sh' .ci/run)
passed=0 failed=0

# clang-tidy: what nobody should write.  Left out is what our idioms trip over:
# assignment in conditions, X-macros, va_list, texts in several pieces or with a length instead of a
# NUL, lists of pointers.  Of the static analyser also what misreads the lists
# of sys/queue.h: it takes the element that was just removed and freed for the
# first one still.
checks='-*,bugprone-*'
[ "${1:-}" = --deep ] && checks+=',clang-analyzer-*'
checks+=',-clang-analyzer-security.insecureAPI.DeprecatedOrUnsafeBufferHandling,-clang-analyzer-valist.Uninitialized'
checks+=',-clang-analyzer-unix.Malloc,-clang-analyzer-core.NullDereference,-clang-analyzer-core.NonNullParamChecker'
checks+=',-clang-analyzer-core.CallAndMessage,-clang-analyzer-core.UndefinedBinaryOperatorResult'
checks+=',-bugprone-easily-swappable-parameters,-bugprone-reserved-identifier,-bugprone-narrowing-conversions'
checks+=',-bugprone-assignment-in-if-condition,-bugprone-macro-parentheses,-bugprone-branch-clone'
checks+=',-bugprone-implicit-widening-of-multiplication-result,-bugprone-not-null-terminated-result,-bugprone-sizeof-expression'
checks+=',-bugprone-suspicious-missing-comma'

# The formatter has nothing to say; `packaging/format.sh -i FILE` writes a file anew.
format() {
	packaging/format.sh >$build/format.txt
	[ ! -s $build/format.txt ] && return 0
	sed 's/^/  /' $build/format.txt | head -20
	echo "  packaging/format.sh -i FILE writes a file anew"
	return 1
}

lint() {
	cppcheck --quiet --error-exitcode=1 --inline-suppr --std=c11 --library=posix,bsd,gnu -I. \
		--suppressions-list=packaging/cppcheck.txt --enable=warning -j "$(nproc)" "${units[@]}"
}

# clang's own reading of the flags, so a build configured for clang.
tidy() {
	cmake -G Ninja -S . -B $build -DCMAKE_C_COMPILER=clang -DCMAKE_CXX_COMPILER=clang++ >/dev/null || return 1
	ninja -C $build -t targets all | sed -n 's/: CUSTOM_COMMAND$//p' | grep '\.h$' | xargs ninja -C $build >/dev/null || return 1
	printf '%s\n' "${units[@]}" | xargs -P "$(nproc)" -n 8 clang-tidy --quiet -p "$build" \
		--checks="$checks" --warnings-as-errors='*' 2>/dev/null
}

shell() {
	bash -c 'for f; do bash -n "$f" || exit 1; done' - "${scripts[@]}"
}

check() { # command that it needs, name, function
	local since=$SECONDS
	if ! command -v "$1" >/dev/null; then
		echo "check: $2 needs $1, which is not installed (packaging/install-deps.sh build test develop)"
		failed=$((failed + 1))
	elif "$3"; then
		echo "check: $2 passed, $((SECONDS - since)) s"
		passed=$((passed + 1))
	else
		echo "check: $2 FAILED, $((SECONDS - since)) s"
		failed=$((failed + 1))
	fi
}

check clang-format formatter format
check bash scripts shell
check cppcheck cppcheck lint
check clang-tidy clang-tidy tidy

echo "$passed checks passed, $failed failed"
[ "$failed" -eq 0 ]
