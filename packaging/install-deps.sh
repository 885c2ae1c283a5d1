#!/bin/bash
# Install what is missing of the named sections of debian-deps.txt, and nothing
# when nothing is.  usage: install-deps.sh build [test] [develop]
set -euo pipefail

list="$(dirname "$0")/debian-deps.txt"

# The entries of one section, one a line.
section() {
	sed -n "/^\[$1\]\$/,/^\[/{/^[a-z]/p}" "$list"
}

is_there() {
	local package=${1%%:*} command=${1#*:}
	[ "$command" != "$1" ] && command -v "$command" >/dev/null && return 0
	[ "$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null)" = installed ]
}

missing=()
for name in "$@"; do
	while read -r entry; do
		is_there "$entry" || missing+=("${entry%%:*}")
	done < <(section "$name")
done
[ ${#missing[@]} -eq 0 ] && exit 0

if ! command -v apt-get >/dev/null; then
	echo "install-deps: this is no Debian; install what these packages hold: ${missing[*]}" >&2
	exit 1
fi
as_root=()
if [ "$(id -u)" -ne 0 ]; then
	if ! command -v sudo >/dev/null; then
		echo "install-deps: run as root: apt-get install --no-install-recommends ${missing[*]}" >&2
		exit 1
	fi
	as_root=(sudo)
fi
echo "Installing: ${missing[*]}"
"${as_root[@]}" apt-get update -q
"${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends "${missing[@]}"
