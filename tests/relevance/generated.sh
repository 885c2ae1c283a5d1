#!/bin/bash
# All names of all projects, asked for as people may write them.  usage: generated.sh BIN_DIRECTORY PROGRAM_DIRECTORY
# See generated.c for GENERATED=all and what shows more.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
bin=$1
programs=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
. "$here/projects.sh"

projects=("$work/demo" "$work/legacy" "$work/clinic")
for name in "${wide_names[@]}" "${blind_names[@]}"; do
	projects+=("$work/$name")
done
"$programs/generated-ask" "${projects[@]}"
