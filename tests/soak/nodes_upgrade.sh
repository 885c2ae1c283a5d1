#!/bin/bash
# Three nodes of an older build with one store, upgraded one by one under load, as docs/nodes.md says: nodes.mjs.
# usage: nodes_upgrade.sh [OLD_BIN [NEW_BIN]]	(left out: built from the last commit whose tables have no notes; build/bin)
# SOAK_SECONDS (60), SOAK_SEED.
set -euo pipefail
cd "$(dirname "$0")/../.."
old=${1-} new=${2:-build/bin}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 143' TERM INT HUP
if [ -z "$old" ]; then
	last=$(git log --format=%H -S'CREATE TABLE note(' -- workers/auth/store/postgres/postgres_schema.c | tail -n 1)^
	tests/soak/build_old.sh "$last" "$work/source" || { echo "FAILED: the older version does not build"; exit 1; }
	old=$work/source/build/bin
fi
tests/soak/nodes.sh "$new" "${SOAK_SECONDS:-60}" "${SOAK_SEED:-1}" "$old"
