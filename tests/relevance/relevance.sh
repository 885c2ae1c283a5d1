#!/bin/bash
# The labelled questions over the demo, scanned, and over two schemas of other
# styles.  usage: relevance.sh BIN_DIRECTORY PROGRAM_DIRECTORY
# RELEVANCE_MISSES=1 shows what is missed, of the questions that are not held out.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
bin=$1
programs=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

"$bin/carrel" init --demo "$work/demo" >/dev/null

fixture() { # name connection
	local scan=$work/$1/raw-sources/$2/live-database/2026-01-01-000000-fixture
	cp -r "$here/$1" "$work/$1"
	mkdir -p "$scan"
	"$programs/relevance-schema" "$here/$1/schema.txt" "$scan"
}
fixture legacy erp
fixture clinic dwh

"$programs/relevance-ask" \
	"$work/demo" warehouse sqlite "$here/demo.tsv" \
	"$work/legacy" erp postgres "$here/legacy.tsv" \
	"$work/clinic" dwh postgres "$here/clinic.tsv"
