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
# assignment in conditions, X-macros, va_list, texts with a length instead of a
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

# Places that the formatter would write differently (format.sh), by folder,
# against those that are left over: `folder number`.  A number may only fall.
format() {
	packaging/format.sh >$build/format.txt
	awk -F/ '{ folder[$1 (($1 == "workers" || $1 == "tests") && NF > 2 ? "/" $2 : "")]++ }
		END { for (f in folder) print f, folder[f] }' $build/format.txt | sort >$build/format.count
	awk 'NR == FNR { if ($1 !~ /^#/) may[$1] = $2; next }
		$2 > may[$1] + 0 { print "  " $1 ": " $2 " places, " may[$1] + 0 " are allowed (packaging/format.max)"; bad = 1 }
		END { exit bad }' packaging/format.max $build/format.count && return 0
	echo "  the places are in $build/format.txt; packaging/format.sh -i FILE writes a file anew"
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
