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

# What .clang-tidy says, without the static analyser unless --deep asks for it.
checks=(--checks='-clang-analyzer-*')
[ "${1:-}" = --deep ] && checks=()

# The formatter has nothing to say; `packaging/format.sh -i FILE` formats a file.
format() {
	packaging/format.sh >$build/format.txt
	[ ! -s $build/format.txt ] && return 0
	sed 's/^/  /' $build/format.txt | head -20
	echo "  packaging/format.sh -i FILE formats a file"
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
		"${checks[@]}" 2>/dev/null
}

# Since this date a commit's subject has at most 72 characters.
subjects() {
	git log --no-merges --since=2026-11-28T00:00Z --format='%h %s' | awk 'length($0) > length($1) + 73 { print "  " $0; bad = 1 } END { exit bad }'
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
check git 'commit subjects' subjects
check cppcheck cppcheck lint
check clang-tidy clang-tidy tidy

echo "$passed checks passed, $failed failed"
[ "$failed" -eq 0 ]
