#!/bin/bash
# Asks all sets of questions: own (the demo, scanned, and two schemas of other
# styles), wide (many trades), blind (never looked at), public ones of eleven, of 166
# and of eleven more databases, and public ones elsewhere.
# usage: relevance.sh BIN_DIRECTORY PROGRAM_DIRECTORY [OPTION OF relevance-ask]…
# Every set takes part, or those that RELEVANCE_SETS names.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
bin=$1
programs=$2
shift 2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

. "$here/projects.sh"

args=()
ask() { # set project questions
	[[ -z ${RELEVANCE_SETS:-} || " $RELEVANCE_SETS " == *" $1 "* ]] || return 0
	args+=("$1" "$work/$2" "$3")
}
ask own demo "$here/demo.tsv"
ask own legacy "$here/legacy.tsv"
ask own clinic "$here/clinic.tsv"
ask wide demo "$here/wide/demo.tsv"
for name in "${wide_names[@]}"; do
	ask wide "$name" "$here/wide/$name.tsv"
done
ask blind demo "$here/blind/demo.tsv"
ask blind demo "$here/blind/shopdesk.tsv"
for name in "${blind_names[@]}"; do
	ask blind "$name" "$here/blind/$name.tsv"
done
for name in "${public_names[@]}"; do
	ask "$name" "$name" "$here/public/questions.tsv"
done
ask spider spider "$work/spider.tsv"
ask spider-syn spider "$work/spider-syn.tsv"
ask bird bird "$here/bird/questions.tsv"
ask bird-comments bird-comments "$here/bird/questions.tsv"
# The public questions asked of projects that know nothing of it: nothing answers them.
awk -F'\t' '!/^#/ { print $1 "\t" $2 "\t-" }' "$here/public/questions.tsv" >"$work/elsewhere.tsv"
for name in demo sap plant city; do
	ask elsewhere "$name" "$work/elsewhere.tsv"
done

"$programs/relevance-ask" "$@" "${args[@]}"
