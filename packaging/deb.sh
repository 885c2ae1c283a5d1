#!/bin/bash
# Build the Debian package into build/deb, and let lintian look at it.
# usage: packaging/deb.sh [--clean] [ARCHITECTURE]	(this machine's; another one: packaging/cross.sh prepares for it)
#
# The package has the programs that `make` left in build.  --clean, and any ARCHITECTURE: it compiles them, with
# Debian's flags.
set -euo pipefail
cd "$(dirname "$0")/.."

clean=
[ "${1-}" != --clean ] || { clean=1; shift; }
[ -z "${1-}" ] || clean=1
version=$(sed -n 's/^project(carrel VERSION \([0-9.]*\).*/\1/p' CMakeLists.txt)
date=$(date -R ${SOURCE_DATE_EPOCH:+-u -d "@$SOURCE_DATE_EPOCH"})
[ -n "${SOURCE_DATE_EPOCH-}" ] || date=$(git log -1 --format=%cD 2>/dev/null || echo "$date")
out=build/deb
tree="$out/carrel-$version"

rm -rf "$out"
mkdir -p "$tree"
if [ -e .git ]; then
	git ls-files -z --cached --others --exclude-standard | tar -c --null -T - | tar -x -C "$tree"
else
	tar -c --exclude=./build --exclude=./tests/node_modules . | tar -x -C "$tree"
fi
cp -r packaging/debian "$tree/debian"
for unit in service socket sysusers tmpfiles; do
	cp "packaging/systemd/carrel.$unit" "$tree/debian/carrel.$unit"
done
# What a build needs is said once, in debian-deps.txt.
depends=$(sed -n '/^\[build\]$/,/^\[/{s/^\([a-z][^:]*\).*/ \1,/p}' packaging/debian-deps.txt)
awk -v depends="$depends" '$0 == "@BUILD_DEPENDS@" { print depends; next } { print }' \
	packaging/debian/control.in >"$tree/debian/control"
sed "s/@VERSION@/$version/; s/@DATE@/$date/" packaging/debian/changelog.in >"$tree/debian/changelog"
rm "$tree/debian/control.in" "$tree/debian/changelog.in"

[ -n "$clean" ] || export CARREL_BUILD="$PWD/build"
(cd "$tree" && dpkg-buildpackage -b -us -uc -rfakeroot ${1:+-d "-a$1"})
rm -rf "$tree"
lintian --fail-on error,warning "$out"/carrel_"$version"_*.changes
ls -l "$out"/*.deb
