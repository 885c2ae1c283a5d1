#!/bin/bash
# The programs of an older commit, in DIRECTORY/build/bin.
# usage: build_old.sh COMMIT DIRECTORY
set -euo pipefail
cd "$(dirname "$0")/../.."
mkdir -p "$2"
git archive "$1" | tar -x -C "$2"
cd "$2"
(cmake --preset release -DCARREL_TESTS=OFF && cmake --build build -j "$(nproc)") >build.log 2>&1 || {
	tail build.log
	exit 1
}
