#!/bin/bash
# The labelled questions over the demo, scanned, over two schemas of other
# styles, over many trades' (wide), and over some never looked at (blind).  usage: relevance.sh BIN_DIRECTORY PROGRAM_DIRECTORY
# RELEVANCE_MISSES=1 shows what is missed, of the questions that are not held out;
# RELEVANCE_KINDS=1 shows the blind sets one by one and by category.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
bin=$1
programs=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

. "$here/projects.sh"

wide=("$work/demo" warehouse sqlite "$here/wide/demo.tsv")
for name in "${wide_names[@]}"; do
	wide+=("$work/$name" db postgres "$here/wide/$name.tsv")
done
blind=("$work/demo" warehouse sqlite "$here/blind/demo.tsv" "$work/demo" warehouse sqlite "$here/blind/shopdesk.tsv")
for name in "${blind_names[@]}"; do
	blind+=("$work/$name" db postgres "$here/blind/$name.tsv")
done

"$programs/relevance-ask" \
	"$work/demo" warehouse sqlite "$here/demo.tsv" \
	"$work/legacy" erp postgres "$here/legacy.tsv" \
	"$work/clinic" dwh postgres "$here/clinic.tsv" \
	--wide "${wide[@]}" --blind "${blind[@]}"
