#!/bin/bash
# Asks all sets of questions: own (the demo, scanned, and two schemas of other
# styles), wide (many trades), blind (never looked at), and public ones.
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
	args+=("$1" "$work/$2" "$here/$3")
}
ask own demo demo.tsv
ask own legacy legacy.tsv
ask own clinic clinic.tsv
ask wide demo wide/demo.tsv
for name in "${wide_names[@]}"; do
	ask wide "$name" "wide/$name.tsv"
done
ask blind demo blind/demo.tsv
ask blind demo blind/shopdesk.tsv
for name in "${blind_names[@]}"; do
	ask blind "$name" "blind/$name.tsv"
done
for name in "${public_names[@]}"; do
	ask "$name" "$name" public/questions.tsv
done

"$programs/relevance-ask" "$@" "${args[@]}"
